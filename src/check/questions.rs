//! The questions about a test, in the order in which their answers win.
//!
//! | looked for | in executions | the verdict if there is one |
//! |---|---|---|
//! | undefined behaviour, or a use outside of the model, that a guard tells | within the bound | undefined, out of model |
//! | the same | with one more round of each loop that only waits | the same |
//! | the same | prefixes before threads may wait for ever | the same |
//! | a store to an initialized mbarrier | within the bound, with a hidden read before the store | undefined |
//! | a misuse of barriers that orders decide: different counts, reuse before the reset | orders of barrier operations; within the bound; prefixes | undefined |
//! | an access to shared memory of a CTA that may not be alive | with one more waiting round; prefixes | undefined |
//! | an `undefined_unless` of the model that fails | within the bound; with one more waiting round; prefixes | undefined |
//! | a race of accesses of different sizes | with one more waiting round; prefixes | undefined, unless the axiom for atomics alone excludes the outcome |
//! | the condition | that end | allowed |
//! | a loop that the bound cuts | within the bound | unknown |
//! | any execution | that end | none: deadlock if threads are held at barriers for ever, forbidden with the loops that they never leave |
//! | | | otherwise: forbidden |
//!
//! A question that the engine cannot decide ends the list: the verdict is unknown. The bound may be
//! raised then ([`super::bound`]), and the list is asked once more.

use super::events::graph_of;
use super::{
    Settings, barriers, condition, lifetime, mbarrier_overwritten, mixed_size, undefined_unless,
    violation,
};
use crate::event::graph::EventGraph;
use crate::litmus::ast::Test;
use crate::relation::expr::Model;
use crate::rule::Unsupported;
use crate::solve::{Engine, Goal, Problem};
use crate::verdict::{Decided, Undecided, Verdict};

/// A test under a model, and the events that a question is about.
#[derive(Clone, Copy)]
pub(super) struct Asked<'a> {
    /// The test.
    pub(super) test: &'a Test,
    /// The events, the model and the engine.
    pub(super) problem: Problem<'a>,
    /// Who answers.
    pub(super) engine: &'a dyn Engine,
    /// Bounds, budgets and readings.
    pub(super) settings: Settings,
}

impl<'a> Asked<'a> {
    /// The same question about other events.
    pub(super) fn on<'b>(self, graph: &'b EventGraph) -> Asked<'b>
    where
        'a: 'b,
    {
        Asked { problem: Problem { graph, ..self.problem }, ..self }
    }

    /// The same question under another model.
    pub(super) fn under<'b>(self, model: &'b Model) -> Asked<'b>
    where
        'a: 'b,
    {
        Asked { problem: Problem { model, ..self.problem }, ..self }
    }

    /// Whether an execution reaches a goal.
    ///
    /// # Errors
    /// The reason if the engine cannot tell.
    pub(super) fn find(self, goal: Goal) -> Result<Decided, Undecided> {
        self.engine.find(self.problem, goal, self.settings.budget).decided()
    }
}

/// A verdict that ends the list of questions.
pub(super) struct Found {
    /// The verdict.
    pub(super) verdict: Verdict,
    /// The events of the verdict, if they are not those of the question.
    pub(super) graph: Option<EventGraph>,
}

impl Found {
    /// A verdict about the events of the question.
    pub(super) fn here(verdict: Verdict) -> Self {
        Self { verdict, graph: None }
    }

    /// A verdict about other events.
    pub(super) fn elsewhere((verdict, graph): (Verdict, EventGraph)) -> Self {
        Self { verdict, graph: Some(graph) }
    }
}

/// A question: the verdict if its answer ends the list.
type Question = fn(Asked<'_>) -> Option<Found>;

/// The questions whether a program is defined, in the order in which their answers win.
const UNDEFINED: [Question; 8] = [
    violation::within_the_bound,
    violation::in_a_round,
    violation::before_a_wait,
    mbarrier_overwritten::object,
    barriers::misuse,
    lifetime::unsure,
    undefined_unless::broken,
    mixed_size::verdict,
];

/// The verdict on a test, with the events that it refers to.
pub(super) fn decide(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
) -> (Verdict, EventGraph) {
    decide_events(test, model, engine, settings, graph_of(test, model, settings))
}

/// As [`decide`], given the events of the test.
pub(super) fn decide_events(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
    graph: EventGraph,
) -> (Verdict, EventGraph) {
    let asked = Asked { test, problem: Problem { graph: &graph, model }, engine, settings };
    match undefined(asked) {
        Some(Found { verdict, graph: other }) => (verdict, other.unwrap_or(graph)),
        None => (condition::reached(asked), graph),
    }
}

/// The verdict on a program that is, or may be, undefined.
pub(super) fn undefined(asked: Asked<'_>) -> Option<Found> {
    UNDEFINED.iter().find_map(|question| question(asked))
}

/// The verdict if undefined behaviour before a wait may or may not happen.
pub(super) fn undecided_before_waits() -> Verdict {
    Verdict::Unknown(Undecided::Unsupported(Unsupported::BeforeWaits))
}
