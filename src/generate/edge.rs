//! Edges of cycles: communication, program order, fences, dependencies, barriers; words and back.

use crate::ptx::operation::Scope;
use std::fmt::{self, Display, Formatter};

/// The direction of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Direction {
    /// The event reads.
    Read,
    /// The event writes.
    Write,
}

/// How two events on one location communicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Communication {
    /// `Rf`: the second event reads from the first.
    ReadsFrom,
    /// `Fr`: the first event reads a value that the second overwrites.
    FromReads,
    /// `Co`: the second event overwrites the value of the first.
    Coherence,
}

/// Whether both events of an edge are on the same location.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Location {
    /// `s`
    Same,
    /// `d`
    Different,
}

/// The order of a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FenceOrder {
    /// `fence.acq_rel`
    AcqRel,
    /// `fence.sc`
    Sc,
}

/// The connection of two successive events of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Link {
    /// No connection but program order.
    Plain,
    /// A fence.
    Fence(FenceOrder, Scope),
    /// `fence.proxy.alias`
    Alias,
    /// The value of the write depends on that of the read.
    Data,
    /// Control dependency: the value of the read decides whether the second event happens.
    Control,
}

/// An edge of a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Edge {
    /// `Rfe`, `Fre`, `Coe`: communication between threads.
    External(Communication),
    /// `Rfi`, `Fri`, `Coi`: communication within a thread.
    Internal(Communication),
    /// Program order.
    Program {
        /// The connection of the events; `None` leaves it open.
        link: Option<Link>,
        /// Whether both events are on one location.
        location: Location,
        /// The first.
        from: Direction,
        /// The second.
        to: Direction,
    },
    /// `Bar`: from one thread to another thread of its CTA, through a barrier.
    Barrier {
        /// Whether both events are on one location.
        location: Location,
        /// The first.
        from: Direction,
        /// The second.
        to: Direction,
    },
}

impl Edge {
    /// The direction of the first event.
    #[must_use]
    pub fn from(self) -> Direction {
        match self {
            Self::External(how) | Self::Internal(how) => match how {
                Communication::FromReads => Direction::Read,
                Communication::ReadsFrom | Communication::Coherence => Direction::Write,
            },
            Self::Program { from, .. } | Self::Barrier { from, .. } => from,
        }
    }

    /// The direction of the second event.
    #[must_use]
    pub fn to(self) -> Direction {
        match self {
            Self::External(how) | Self::Internal(how) => match how {
                Communication::ReadsFrom => Direction::Read,
                Communication::FromReads | Communication::Coherence => Direction::Write,
            },
            Self::Program { to, .. } | Self::Barrier { to, .. } => to,
        }
    }

    /// Whether the second event is on another location.
    #[must_use]
    pub fn leaves_location(self) -> bool {
        matches!(
            self,
            Self::Program { location: Location::Different, .. }
                | Self::Barrier { location: Location::Different, .. }
        )
    }

    /// Whether the second event is in another thread.
    #[must_use]
    pub fn leaves_thread(self) -> bool {
        matches!(self, Self::External(_) | Self::Barrier { .. })
    }

    /// The communication between the events, if any.
    #[must_use]
    pub fn communication(self) -> Option<Communication> {
        match self {
            Self::External(how) | Self::Internal(how) => Some(how),
            Self::Program { .. } | Self::Barrier { .. } => None,
        }
    }

    /// The edge that a word names.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let communication = |base: &str| {
            Some(match base {
                "Rf" => Communication::ReadsFrom,
                "Fr" => Communication::FromReads,
                "Co" | "Ws" => Communication::Coherence,
                _ => return None,
            })
        };
        if let Some(how) = word.strip_suffix('e').and_then(communication) {
            return Some(Self::External(how));
        }
        if let Some(how) = word.strip_suffix('i').and_then(communication) {
            return Some(Self::Internal(how));
        }
        let mut rest = word.chars().rev();
        let to = direction(rest.next()?)?;
        let from = direction(rest.next()?)?;
        let location = match rest.next()? {
            's' => Location::Same,
            'd' => Location::Different,
            _ => return None,
        };
        let base = &word[..word.len() - 3];
        if base == "Bar" {
            return Some(Self::Barrier { location, from, to });
        }
        let link = match base {
            "Po" => None,
            "DpData" => Some(Link::Data),
            "DpCtrl" => Some(Link::Control),
            "FenceAlias" => Some(Link::Alias),
            _ => {
                let fence = base.strip_prefix("Fence")?;
                let (order, scope) = match fence.strip_prefix("AcqRel") {
                    Some(scope) => (FenceOrder::AcqRel, scope),
                    None => (FenceOrder::Sc, fence.strip_prefix("Sc")?),
                };
                Some(Link::Fence(order, scope_named(scope)?))
            }
        };
        let fits = match link {
            Some(Link::Data | Link::Control) => (from, to) == (Direction::Read, Direction::Write),
            _ => true,
        };
        fits.then_some(Self::Program { link, location, from, to })
    }
}

fn direction(letter: char) -> Option<Direction> {
    match letter {
        'R' => Some(Direction::Read),
        'W' => Some(Direction::Write),
        _ => None,
    }
}

/// The scopes with their words, narrowest first.
pub(super) const SCOPES: [(Scope, &str, &str); 4] = [
    (Scope::Cta, "Cta", "cta"),
    (Scope::Cluster, "Cluster", "cluster"),
    (Scope::Gpu, "Gpu", "gpu"),
    (Scope::Sys, "Sys", "sys"),
];

/// The scope that a capitalized word names.
pub(super) fn scope_named(word: &str) -> Option<Scope> {
    SCOPES.iter().find(|(_, name, _)| *name == word).map(|(scope, ..)| *scope)
}

impl Display for Direction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Read => "R",
            Self::Write => "W",
        })
    }
}

impl Display for Edge {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let (how, suffix) = match self {
            Self::External(how) => (how, 'e'),
            Self::Internal(how) => (how, 'i'),
            Self::Program { link, location, from, to } => {
                match link {
                    None | Some(Link::Plain) => f.write_str("Po")?,
                    Some(Link::Data) => f.write_str("DpData")?,
                    Some(Link::Control) => f.write_str("DpCtrl")?,
                    Some(Link::Alias) => f.write_str("FenceAlias")?,
                    Some(Link::Fence(order, scope)) => {
                        let order = match order {
                            FenceOrder::AcqRel => "AcqRel",
                            FenceOrder::Sc => "Sc",
                        };
                        let scope = SCOPES.iter().find(|(known, ..)| known == scope);
                        write!(f, "Fence{order}{}", scope.map_or("", |(_, name, _)| name))?;
                    }
                }
                return write!(f, "{}{from}{to}", letter(*location));
            }
            Self::Barrier { location, from, to } => {
                return write!(f, "Bar{}{from}{to}", letter(*location));
            }
        };
        let base = match how {
            Communication::ReadsFrom => "Rf",
            Communication::FromReads => "Fr",
            Communication::Coherence => "Co",
        };
        write!(f, "{base}{suffix}")
    }
}

fn letter(location: Location) -> char {
    match location {
        Location::Same => 's',
        Location::Different => 'd',
    }
}
