//! A picture into a drawing: shapes with coordinates, in pixels, which any renderer can show.
//!
//! Threads are columns inside the frames of their CTA, cluster and device; program order leads downwards;
//! asynchronous operations stand beside the thread that issues them. Invariants, whatever the picture:
//! frames are nested or apart; no wire runs through a cell or a label; labels lie on no cell and on no
//! other label.

mod grid;
mod layout;
mod route;
mod rows;
pub mod svg;
mod tracks;

pub use grid::{CellKind, FrameKind};

use super::witness::Picture;
use super::witness::focus::{Focus, Role};
use crate::id::EventId;
use crate::source::Span;

/// Which edges are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relations {
    /// Those that decide the verdict.
    Deciding,
    /// All that the picture has.
    All,
    /// Those of these relations.
    Named(Vec<String>),
}

/// A rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names say it")]
pub struct Rect {
    pub x: i32,
    pub y: i32,
    pub width: i32,
    pub height: i32,
}

impl Rect {
    /// The first x beyond it.
    #[must_use]
    pub fn right(&self) -> i32 {
        self.x + self.width
    }

    /// The first y beyond it.
    #[must_use]
    pub fn bottom(&self) -> i32 {
        self.y + self.height
    }

    /// Whether two have a point in common.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// Whether another one lies in it.
    #[must_use]
    pub fn contains(&self, other: &Self) -> bool {
        self.x <= other.x
            && other.right() <= self.right()
            && self.y <= other.y
            && other.bottom() <= self.bottom()
    }
}

/// A box around threads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// What it is around.
    pub kind: FrameKind,
    /// What stands at its top.
    pub title: String,
    /// Where it is.
    pub area: Rect,
}

/// A box with text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// What it shows.
    pub kind: CellKind,
    /// The events in it.
    pub events: Vec<EventId>,
    /// Its text, line by line.
    pub lines: Vec<String>,
    /// Whether it is looked at.
    pub is_focus: bool,
    /// The statements that its events come from.
    pub spans: Vec<Span>,
    /// Where it is.
    pub area: Rect,
}

/// The line from a cell to the next one of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The upper shape, by index.
    pub from: usize,
    /// The lower one.
    pub to: usize,
    /// What it is to the verdict.
    pub role: Role,
    /// Whether it is program order, which has an arrow.
    pub is_order: bool,
}

/// A connection of two shapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// Where it comes from, by index.
    pub from: usize,
    /// Where it leads.
    pub to: usize,
    /// The relations that it stands for; none for the issue of an operation.
    pub relations: Vec<String>,
    /// What it is to the verdict.
    pub role: Role,
    /// Whether it leads back too.
    pub both: bool,
    /// Its corners, ends included: each next to the one before or below or above it.
    pub points: Vec<(i32, i32)>,
    /// Where its label stands.
    pub label: Option<Rect>,
}

/// A picture with coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// What stands above it.
    pub title: String,
    /// What stands below it, line by line.
    pub notes: Vec<String>,
    /// How wide it is.
    pub width: i32,
    /// How high.
    pub height: i32,
    /// Boxes, outer ones first.
    pub frames: Vec<Frame>,
    /// Boxes with text.
    pub shapes: Vec<Shape>,
    /// Lines within columns.
    pub steps: Vec<Step>,
    /// Connections between shapes.
    pub wires: Vec<Wire>,
}

impl Drawing {
    /// The drawing of a picture.
    #[must_use]
    pub fn new(picture: &Picture, focus: &Focus, relations: &Relations) -> Self {
        let mut grid = grid::Grid::new(picture, focus, relations);
        rows::assign(&mut grid);
        layout::drawing(picture, grid)
    }
}
