//! An execution with an excluded outcome into executions that have the outcome because a read takes its
//! value from a later write.
//!
//! For an outcome such as "reads anything but 5", the read may see an older or a newer value. The order
//! that a fence or a wait provides often excludes only the newer one.

use super::{condition_events, violations::reduced};
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::id::EventId;
use crate::question::Goal;
use crate::relation::eval::evaluate;
use crate::relation::expr::Model;
use crate::solve::{Core, Problem};

/// The most executions that are returned.
const MOST_EXECUTIONS: usize = 2;

/// The definition of the order in which a write is later than a read.
const ORDER: &str = "causality";

/// The most axioms that a returned execution breaks.
const MOST_BROKEN: usize = 2;

/// The choices of executions in which a read of the condition takes its value from a write after the read
/// in causality order, and which break an axiom of the core; at most one execution per read.
pub(super) fn executions(
    Problem { graph, model }: Problem<'_>,
    goal: Goal,
    core: &Core,
    shown: &Choices,
) -> Vec<Choices> {
    let Ok(execution) = Execution::build(graph, shown.clone()) else { return Vec::new() };
    let reads = condition_events(&execution).into_iter().filter(|&id| graph.event(id).is_read());
    let found = reads.filter_map(|read| {
        let writes = graph.ids().filter(|&id| {
            let event = graph.event(id);
            event.kind == EventKind::Write
                && event.loc == graph.event(read).loc
                && event.agent != graph.event(read).agent
                && Some(id) != shown.rf[read.index()]
        });
        writes.map(|write| with_source(shown, read, write)).find_map(|choices| {
            let reduced_choices = reduced(model, goal, graph, choices, Some(read));
            is_excluded_by_order(model, goal, core, graph, &reduced_choices, read)
                .then_some(reduced_choices)
        })
    });
    found.take(MOST_EXECUTIONS).collect()
}

fn with_source(shown: &Choices, read: EventId, write: EventId) -> Choices {
    let mut choices = shown.clone();
    choices.rf[read.index()] = Some(write);
    choices
}

/// Whether an execution has the outcome, breaks an axiom of the core and at most one other axiom, and
/// orders the read before the write that it reads from.
fn is_excluded_by_order(
    model: &Model,
    goal: Goal,
    core: &Core,
    graph: &EventGraph,
    choices: &Choices,
    read: EventId,
) -> bool {
    let Some(order) = model.definition(ORDER) else { return false };
    let Ok(execution) = Execution::build(graph, choices.clone()) else { return false };
    let checked = recheck(model, &execution);
    let mut broken = checked.broken.iter().map(|failure| failure.axiom);
    let known = checked.broken.len() <= MOST_BROKEN && broken.any(|a| core.axioms.contains(&a));
    let Some(source) = choices.rf[read.index()] else { return false };
    known
        && goal.is_reached(model, &execution)
        && evaluate(&model.arena, &[order], &execution).relation(order).contains(read, source)
}
