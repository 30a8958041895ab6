//! Engines: answers to questions about the executions of an event graph under a model.

use crate::execution::build::Choices;
use crate::rule::Unsupported;
use crate::source::Span;

pub mod cost_estimate;
pub mod enumerate;
pub mod search;
mod symbols;
#[cfg(feature = "z3")]
pub mod z3;

pub use crate::budget::Budget;
pub use crate::question::{Goal, Lasting, Pairs, Problem};

/// The answer of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Such an execution exists, with these choices.
    Yes(Box<Choices>),
    /// There is none. The core is empty for goals that want none ([`Goal::wants_core`]).
    No(Core),
    /// The engine could not tell.
    Unknown(Why),
    /// The engine does not support this question, model or program.
    Unsupported(Unsupported),
}

/// The reason why an outcome is excluded: a set of axioms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Core {
    /// Indices into the [axioms](crate::Model::axioms) of the model. Together with the constraints
    /// of every execution they exclude the outcome; empty if no candidate execution has it at all.
    pub axioms: Vec<usize>,
    /// Whether the set is known to be minimal.
    pub minimal: bool,
    /// The places where threads wait for ever, if the outcome is excluded because no execution
    /// ends.
    pub endless: Vec<Span>,
    /// Whether accesses of different sizes race, so that no axiom holds but those of the core
    /// (PTX-8.7.2).
    pub despite_race: bool,
    /// Whether the outcome needs torn accesses without partial overlaps (PTX-8.10.3, reading V10).
    /// The axioms exclude the outcome even with such tearing.
    pub torn: bool,
}

impl Core {
    /// The code of the reason.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            _ if !self.endless.is_empty() => "no-end",
            _ if self.axioms.is_empty() && self.torn => "not-torn",
            _ if self.axioms.is_empty() => "no-candidate",
            _ if self.despite_race => "axioms-despite-race",
            _ => "axioms",
        }
    }

    /// Whether the core names several axioms of which some may not be needed.
    #[must_use]
    pub fn may_be_shorter(&self) -> bool {
        !self.minimal && self.axioms.len() > 1
    }
}

/// How much work engines put into the cores of their negative answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cores {
    /// Axioms are dropped one after the other as long as the answer stays, with one proof for each.
    #[default]
    Minimal,
    /// As `Minimal`, with longer searches, for reports about one test.
    Patient,
    /// The axioms of the first proof, or all axioms, even if none is needed.
    FirstProof,
}

/// The reason why an engine could not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Why {
    /// The user's time limit.
    Timeout,
    /// The time limit of a question that is asked beside another one.
    Aside,
    /// The memory limit.
    Memory,
    /// The engine's budget of steps.
    Steps,
    /// More final states than are listed.
    States,
    /// The solver gave up.
    GaveUp,
}

impl Why {
    /// The code of the limit.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Timeout | Self::Aside => "timeout",
            Self::Memory => "memory",
            Self::Steps => "steps",
            Self::States => "many-states",
            Self::GaveUp => "solver",
        }
    }
}

/// All final states of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct States {
    /// Each final state - the values of the graph's observed names - with choices that reach it,
    /// sorted by state.
    pub states: Vec<(Vec<u128>, Choices)>,
    /// The reason why the list may be incomplete.
    pub incomplete: Option<Why>,
}

/// An engine that answers questions; all engines give the same answers.
pub trait Engine: Send + Sync {
    /// The engine's name on the command line.
    fn name(&self) -> &'static str;

    /// Looks for an execution.
    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer;

    /// Lists all final states of complete executions.
    ///
    /// # Errors
    /// When the engine does not support the model or program.
    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported>;
}
