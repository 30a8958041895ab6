//! A cycle with all that its family leaves open: what its events are, what stands between them, where its
//! threads run.

use super::cycle::Cycle;
use super::edge::{Direction, Edge, FenceOrder, Link, SCOPES, scope_named};
use super::place::Placement;
use crate::ptx::operation::{Order, Scope};
use std::cmp::Ordering;
use std::fmt::{self, Display, Formatter};

/// What an event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Annotation {
    /// Its order: weak, relaxed, acquire of reads, release of writes.
    pub order: Order,
    /// Its scope; `None` of weak ones.
    pub scope: Option<Scope>,
    /// By which name it accesses its location.
    pub through: Through,
}

/// By which of its names a location is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Through {
    /// Its own.
    Name,
    /// Another virtual address of it.
    Alias,
}

impl Annotation {
    /// A weak access.
    pub const WEAK: Self = Self { order: Order::Weak, scope: None, through: Through::Name };

    /// A strong access.
    #[must_use]
    pub fn strong(order: Order, scope: Scope) -> Self {
        Self { order, scope: Some(scope), through: Through::Name }
    }

    /// Whether an event of this direction can be so.
    #[must_use]
    pub fn fits(self, direction: Direction) -> bool {
        match self.order {
            Order::Acquire => direction == Direction::Read,
            Order::Release => direction == Direction::Write,
            Order::Weak | Order::Relaxed => true,
            Order::AcqRel | Order::Sc => false,
        }
    }

    /// The annotation that a word in a specification names, such as `RlxGpu`.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let (word, through) = match word.strip_suffix("Alias") {
            Some(rest) => (rest, Through::Alias),
            None => (word, Through::Name),
        };
        if word == "Weak" {
            return Some(Self { through, ..Self::WEAK });
        }
        let (order, scope) = ORDERS.iter().find_map(|(order, name, _)| {
            word.strip_prefix(name).and_then(scope_named).map(|scope| (*order, scope))
        })?;
        Some(Self { through, ..Self::strong(order, scope) })
    }

    /// Whether this one says less than another: a weaker order or a narrower scope.
    #[must_use]
    pub fn is_weaker(self, other: Self) -> bool {
        let order = self.order == other.order
            || self.order == Order::Weak
            || (self.order == Order::Relaxed && other.order != Order::Weak);
        let scope = match (self.scope, other.scope) {
            (None, _) => true,
            (Some(a), Some(b)) => a <= b,
            (Some(_), None) => false,
        };
        self != other && self.through == other.through && order && scope
    }
}

/// Strong orders with their words in specifications and in names.
const ORDERS: [(Order, &str, &str); 3] = [
    (Order::Relaxed, "Rlx", "rlx"),
    (Order::Acquire, "Acq", "acq"),
    (Order::Release, "Rel", "rel"),
];

impl Display for Annotation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let order = ORDERS.iter().find(|(order, ..)| *order == self.order);
        let scope = SCOPES.iter().find(|(scope, ..)| Some(*scope) == self.scope);
        match (order, scope) {
            (Some((_, order, _)), Some((_, scope, _))) => write!(f, "{order}{scope}")?,
            _ => f.write_str("Weak")?,
        }
        f.write_str(if self.through == Through::Alias { "Alias" } else { "" })
    }
}

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
