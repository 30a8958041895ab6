//! The annotation of an event: its order, its scope and the name by which it accesses its location.
//! Converts annotations to words and back.

use super::edge::{Direction, SCOPES, scope_named};
use crate::ptx::operation::{Order, Scope};
use std::fmt::{self, Display, Formatter};

/// The order, scope and access path of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Annotation {
    /// Its order: weak, relaxed, acquire of reads, release of writes.
    pub order: Order,
    /// Its scope; `None` of weak ones.
    pub scope: Option<Scope>,
    /// The name by which the event accesses its location.
    pub through: Through,
}

/// The kind of name by which a location is accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Through {
    /// Its own.
    Name,
    /// Another virtual address of the location.
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

    /// Whether an event of this direction can have the annotation.
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

    /// Whether the annotation is weaker than another one: a weaker order or a narrower scope.
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

/// The strong orders with their words in specifications and in names.
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
