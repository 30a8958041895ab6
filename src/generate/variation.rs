//! A variation: a cycle with all choices made, that is, annotations, connections and a placement.

pub use super::annotation::{Annotation, Through};
use super::cycle::Cycle;
use super::edge::{Edge, FenceOrder, Link};
use super::place::Placement;
use std::cmp::Ordering;

impl Link {
    /// Whether the connection is weaker than another one.
    #[must_use]
    pub fn is_weaker(self, other: Self) -> bool {
        match (self, other) {
            (Self::Plain, _) => other != Self::Plain,
            (Self::Fence(a, s), Self::Fence(b, t)) => {
                self != other && (a == b || a == FenceOrder::AcqRel) && s <= t
            }
            _ => false,
        }
    }
}

/// The width of the accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Width {
    /// Two bytes.
    W16,
    /// Four bytes.
    W32,
    /// Eight bytes.
    W64,
}

impl Width {
    /// All widths.
    pub const ALL: [Self; 3] = [Self::W16, Self::W32, Self::W64];

    /// The type of accesses.
    #[must_use]
    pub fn ty(self) -> &'static str {
        match self {
            Self::W16 => "u16",
            Self::W32 => "u32",
            Self::W64 => "u64",
        }
    }
}

/// Which memory the locations of a test are in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Memory {
    /// `.global`
    Global,
    /// `.shared`: each location in the CTA of the first thread that accesses it, with all CTAs in
    /// one cluster.
    Shared,
}

/// A cycle with all choices made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation<'c> {
    /// The cycle.
    pub cycle: &'c Cycle,
    /// The annotations of the events.
    pub annotations: Vec<Annotation>,
    /// The connection behind each event if the next event is in the same thread; else
    /// [`Link::Plain`].
    pub links: Vec<Link>,
    /// The placement of the threads.
    pub placement: Placement,
    /// The width of the accesses.
    pub width: Width,
    /// The memory of the locations.
    pub memory: Memory,
}

impl Variation<'_> {
    /// Whether the variation is the representative of those that differ only in the numbers of
    /// threads.
    #[must_use]
    pub fn is_canonical(&self, symmetries: &[usize]) -> bool {
        symmetries.iter().filter(|&&thread| thread > 0).all(|&thread| {
            let (count, first) = (self.annotations.len(), self.cycle.first_of(thread));
            let turned = |at: usize| (at + first) % count;
            let annotations = (0..count).map(|at| self.annotations[turned(at)]);
            let links = (0..count).map(|at| self.links[turned(at)]);
            let order = self.annotations.iter().copied().cmp(annotations);
            let order = order.then_with(|| self.links.iter().copied().cmp(links));
            let order = order.then_with(|| self.placement.cmp(&self.placement.turned(thread)));
            order != Ordering::Greater
        })
    }

    /// Whether every thread can reach every location; the shared memory of CTAs is accessible
    /// within a cluster.
    #[must_use]
    pub fn reaches_all(&self) -> bool {
        let spots = &self.placement.0;
        self.memory == Memory::Global || spots.iter().all(|spot| spot.cluster == spots[0].cluster)
    }

    /// Whether all barriers are between threads of one CTA.
    #[must_use]
    pub fn has_barriers_within_ctas(&self) -> bool {
        let count = self.cycle.edges.len();
        self.cycle.edges.iter().enumerate().all(|(at, edge)| {
            let (a, b) = (self.cycle.events[at].thread, self.cycle.events[(at + 1) % count].thread);
            !matches!(edge, Edge::Barrier { .. }) || self.placement.together(a, b)
        })
    }
}
