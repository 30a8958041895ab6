//! Engines: what answers a question about the executions of an event graph under a model.

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
pub use crate::question::{Goal, Pairs, Problem};

/// What an engine says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// There is such an execution: these choices make one.
    Yes(Box<Choices>),
    /// There is none. The core is empty for goals that want none ([`Goal::wants_core`]).
    No(Core),
    /// It could not tell.
    Unknown(Why),
    /// The engine cannot ask this question of this model or program.
    Unsupported(Unsupported),
}

/// Which axioms exclude an outcome.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Core {
    /// A set of axioms, as indices into the [axioms](crate::Model::axioms) of the model, that excludes it together with
    /// what every execution satisfies; empty when no candidate execution has the outcome at all.
    pub axioms: Vec<usize>,
    /// Whether the set is known to be minimal.
    pub minimal: bool,
    /// Where threads wait for ever, if that is why no execution has the outcome: none ends.
    pub endless: Vec<Span>,
    /// Whether accesses of different sizes race, so that no axiom holds but those of the core
    /// (PTX-8.7.2).
    pub despite_race: bool,
    /// Whether the outcome is one of executions in which accesses are torn that no other overlaps in
    /// part (PTX-8.10.3, reading V10); the axioms are those that exclude it there.
    pub torn: bool,
}

impl Core {
    /// A name for what excludes the outcome.
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

    /// Whether it names several axioms of which some may not be needed. Of a single one nobody would
    /// leave anything out.
    #[must_use]
    pub fn may_be_shorter(&self) -> bool {
        !self.minimal && self.axioms.len() > 1
    }
}

/// How much work engines put into the cores of their negative answers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cores {
    /// Axioms are dropped one after the other while the answer stays; one proof for each.
    #[default]
    Minimal,
    /// The same for whoever reads about one test: the search, which gives up soon else, goes on for
    /// longer.
    Patient,
    /// A core has what the first proof used, or all axioms, even where none is needed.
    FirstProof,
}

/// Why an engine could not tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Why {
    /// The user's time limit.
    Timeout,
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
    /// A name for the limit.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Timeout => "timeout",
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
    /// Why the list may lack some.
    pub incomplete: Option<Why>,
}

/// Answers questions; every engine gives the same answers.
pub trait Engine: Send + Sync {
    /// Its name on the command line.
    fn name(&self) -> &'static str;

    /// Looks for an execution.
    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer;

    /// Lists all final states of complete executions.
    ///
    /// # Errors
    /// When the engine cannot ask this of the model or program.
    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported>;
}
