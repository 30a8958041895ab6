//! A picture into a drawing: shapes with coordinates in pixels, independent of the format of the output.
//!
//! Threads are columns inside the frames of their CTA, cluster and device; program order leads downwards;
//! asynchronous operations stand beside the issuing thread. Invariants of every drawing: two frames are
//! nested or disjoint; no wire crosses a cell or a label; no label overlaps a cell or another label.

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

/// The relations whose edges are drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Relations {
    /// The edges that decide the verdict.
    Deciding,
    /// All edges of the picture.
    All,
    /// The edges of the named relations.
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
    /// The first x to the right of the rectangle.
    #[must_use]
    pub fn right(&self) -> i32 {
        self.x + self.width
    }

    /// The first y below the rectangle.
    #[must_use]
    pub fn bottom(&self) -> i32 {
        self.y + self.height
    }

    /// Whether two rectangles have a point in common.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.x < other.right()
            && other.x < self.right()
            && self.y < other.bottom()
            && other.y < self.bottom()
    }

    /// Whether the rectangle contains another one.
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
    /// The level of the hierarchy of threads that the frame shows.
    pub kind: FrameKind,
    /// The text at the top of the frame.
    pub title: String,
    /// The position and the size of the frame.
    pub area: Rect,
}

/// A box with text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape {
    /// The content of the box.
    pub kind: CellKind,
    /// The events that the box shows.
    pub events: Vec<EventId>,
    /// The text of the box, line by line.
    pub lines: Vec<String>,
    /// Whether the box is highlighted.
    pub is_focus: bool,
    /// The statements of the events.
    pub spans: Vec<Span>,
    /// The position and the size of the box.
    pub area: Rect,
}

/// The line between two consecutive cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The index of the upper shape.
    pub from: usize,
    /// The index of the lower shape.
    pub to: usize,
    /// The role of the step in the verdict.
    pub role: Role,
    /// Whether the step is an edge of program order, drawn with an arrowhead.
    pub is_order: bool,
}

/// A connection of two shapes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wire {
    /// The index of the shape at the start.
    pub from: usize,
    /// The index of the shape at the end.
    pub to: usize,
    /// The relations that the wire stands for; none for the issue of an operation.
    pub relations: Vec<String>,
    /// The role of the wire in the verdict.
    pub role: Role,
    /// Whether the relations hold in the opposite direction, too.
    pub both: bool,
    /// The corners, including both ends; consecutive corners share a row or a column.
    pub points: Vec<(i32, i32)>,
    /// The position of the label, for wires that have a label.
    pub label: Option<Rect>,
}

/// A picture with coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Drawing {
    /// The text above the drawing.
    pub title: String,
    /// The text below the drawing, line by line.
    pub notes: Vec<String>,
    /// The width in pixels.
    pub width: i32,
    /// The height in pixels.
    pub height: i32,
    /// Frames; a frame comes after every frame around it.
    pub frames: Vec<Frame>,
    /// Boxes with text.
    pub shapes: Vec<Shape>,
    /// Lines between consecutive cells of columns.
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
