//! The questions about a test, in the order in which their answers win.
//!
//! | looked for | in executions | the verdict if there is one |
//! |---|---|---|
//! | undefined behaviour, or a use outside of the model, that a guard tells | within the bound | undefined, out of model |
//! | the same | with one more round of each loop that only waits | the same |
//! | the same | prefixes before threads may wait for ever | the same |
//! | a store to an initialized mbarrier | within the bound, with a hidden read before the store | undefined |
//! | a misuse of barriers, where orders of their operations decide alone | orders of barrier operations | undefined |
//! | an `undefined_unless` of the model that fails, in the order of the model | with one more waiting round if its events may fail it; prefixes if going on does not mend it | undefined, unless an axiom with its clause excludes the outcome alone |
//! | the condition | that end | allowed |
//! | a loop that the bound cuts | within the bound | unknown |
//! | any execution | that end | none: deadlock if threads are held at barriers for ever, forbidden with the loops that they never leave |
//! | | | otherwise: forbidden |
//!
//! A question that the engine cannot decide ends the list: the verdict is unknown. The bound may be
//! raised then ([`super::bound`]), and the list is asked once more.

use super::asked::{Asked, Found};
use super::events::graph_of;
use super::{Settings, barriers, condition, mbarrier_overwritten, undefined_unless, violation};
use crate::event::graph::EventGraph;
use crate::litmus::ast::Test;
use crate::relation::expr::Model;
use crate::solve::{Engine, Problem};
use crate::verdict::Verdict;

/// A question: the verdict if its answer ends the list.
type Question = fn(Asked<'_>) -> Option<Found>;

/// The questions whether a program is defined, in the order in which their answers win.
const UNDEFINED: [Question; 6] = [
    violation::within_the_bound,
    violation::in_a_round,
    violation::before_a_wait,
    mbarrier_overwritten::object,
    barriers::misuse,
    undefined_unless::broken,
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
