//! Instructions that exchange register values within a warp (PTX-9.7.9.6, PTX-9.7.13.9 to
//! PTX-9.7.13.12, PTX-9.7.13.14).

use super::value::{AtomicOp, Type, TypeKind};
use std::fmt::{Display, Formatter, Result};

/// An exchange instruction with its qualifiers. Only threads at the same instruction exchange values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WarpOp {
    /// `shfl.sync` (PTX-9.7.9.6)
    Shuffle(Shuffle),
    /// `vote.sync` with a predicate as its result (PTX-9.7.13.9)
    Vote(Vote),
    /// `vote.sync.ballot.b32` (PTX-9.7.13.9)
    Ballot,
    /// `match.any.sync` of values of the given width (PTX-9.7.13.10)
    MatchAny(u32),
    /// `match.all.sync` of values of the given width (PTX-9.7.13.10)
    MatchAll(u32),
    /// `redux.sync` (PTX-9.7.13.12)
    Reduce(WarpReduction),
    /// `elect.sync` (PTX-9.7.13.14)
    Elect,
    /// `activemask` (PTX-9.7.13.11), which does not wait.
    ActiveMask,
}

/// The lane from which a `shfl.sync` takes its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Shuffle {
    /// `.up`: the lane below, by the given distance.
    Up,
    /// `.down`: the lane above, by the given distance.
    Down,
    /// `.bfly`: the lane whose number differs in the given bits.
    Butterfly,
    /// `.idx`: the lane with the given number.
    Index,
}

/// The question of a `vote.sync` about the predicates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vote {
    /// `.all`: whether all predicates hold.
    All,
    /// `.any`: whether some predicate holds.
    Any,
    /// `.uni`: whether all predicates are equal.
    Uniform,
}

/// How a `redux.sync` combines values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct WarpReduction {
    /// `.add`, `.min`, `.max`, `.and`, `.or` or `.xor`.
    pub op: AtomicOp,
    /// `.u32`, `.s32`, `.b32` or `.f32`.
    pub ty: Type,
    /// `.abs`: the magnitudes of the values.
    pub magnitudes: bool,
    /// `.NaN`: the result is NaN if one of the values is.
    pub nan: bool,
}

impl WarpOp {
    /// The section of the standard.
    #[must_use]
    pub fn section(self) -> &'static str {
        match self {
            Self::Shuffle(_) => "PTX-9.7.9.6",
            Self::Vote(_) | Self::Ballot => "PTX-9.7.13.9",
            Self::MatchAny(_) | Self::MatchAll(_) => "PTX-9.7.13.10",
            Self::ActiveMask => "PTX-9.7.13.11",
            Self::Reduce(_) => "PTX-9.7.13.12",
            Self::Elect => "PTX-9.7.13.14",
        }
    }

    /// The type of the exchanged operand; `None` for exchanges without one.
    #[must_use]
    pub fn operand(self) -> Option<Type> {
        match self {
            Self::Shuffle(_) => Some(bits(32)),
            Self::Vote(_) | Self::Ballot => Some(Type::PREDICATE),
            Self::MatchAny(width) | Self::MatchAll(width) => Some(bits(width)),
            Self::Reduce(reduction) => Some(reduction.ty),
            Self::Elect | Self::ActiveMask => None,
        }
    }

    /// The type of the first destination.
    #[must_use]
    pub fn result(self) -> Type {
        match self {
            Self::Vote(_) => Type::PREDICATE,
            Self::Reduce(reduction) => reduction.ty,
            _ => bits(32),
        }
    }
}

const fn bits(width: u32) -> Type {
    Type::new(TypeKind::Bits, width)
}

impl Display for WarpOp {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let word = match self {
            Self::Shuffle(Shuffle::Up) => "shfl.sync.up.b32",
            Self::Shuffle(Shuffle::Down) => "shfl.sync.down.b32",
            Self::Shuffle(Shuffle::Butterfly) => "shfl.sync.bfly.b32",
            Self::Shuffle(Shuffle::Index) => "shfl.sync.idx.b32",
            Self::Vote(Vote::All) => "vote.sync.all.pred",
            Self::Vote(Vote::Any) => "vote.sync.any.pred",
            Self::Vote(Vote::Uniform) => "vote.sync.uni.pred",
            Self::Ballot => "vote.sync.ballot.b32",
            Self::MatchAny(bits) => return write!(f, "match.any.sync.b{bits}"),
            Self::MatchAll(bits) => return write!(f, "match.all.sync.b{bits}"),
            Self::Reduce(reduction) => return reduction.fmt(f),
            Self::Elect => "elect.sync",
            Self::ActiveMask => "activemask.b32",
        };
        f.write_str(word)
    }
}

impl Display for WarpReduction {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let magnitudes = if self.magnitudes { ".abs" } else { "" };
        let nan = if self.nan { ".NaN" } else { "" };
        write!(f, "redux.sync.{}{magnitudes}{nan}.{}", self.op, self.ty)
    }
}
