//! A cycle with all that its family leaves open: what its events are, what stands between them, where its
//! threads run.

pub use super::annotation::{Annotation, Through};
use super::cycle::Cycle;
use super::edge::{Edge, FenceOrder, Link};
use super::place::Placement;
use std::cmp::Ordering;

impl Link {
    /// Whether this one orders less than another.
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
    /// All of them.
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
    /// `.shared`: each in the CTA of the first thread that accesses it, in a cluster with all others.
    Shared,
}

/// A cycle with all that its family leaves open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variation<'c> {
    /// The cycle.
    pub cycle: &'c Cycle,
    /// What its events are.
    pub annotations: Vec<Annotation>,
    /// What stands behind each event, where the next one is of its thread; else [`Link::Plain`].
    pub links: Vec<Link>,
    /// Where its threads run.
    pub placement: Placement,
    /// The width of its accesses.
    pub width: Width,
    /// The memory that it accesses.
    pub memory: Memory,
}

impl Variation<'_> {
    /// Whether it is the first of those that are the same but for the numbers of threads.
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

    /// Whether every thread can reach every location: the memory of CTAs is shared within a cluster.
    #[must_use]
    pub fn reaches_all(&self) -> bool {
        let spots = &self.placement.0;
        self.memory == Memory::Global || spots.iter().all(|spot| spot.cluster == spots[0].cluster)
    }

    /// Whether its barriers are between threads of one CTA.
    #[must_use]
    pub fn has_barriers_within_ctas(&self) -> bool {
        let count = self.cycle.edges.len();
        self.cycle.edges.iter().enumerate().all(|(at, edge)| {
            let (a, b) = (self.cycle.events[at].thread, self.cycle.events[(at + 1) % count].thread);
            !matches!(edge, Edge::Barrier { .. }) || self.placement.together(a, b)
        })
    }
}
