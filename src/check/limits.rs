//! Limits of a check: time shared by the questions of an engine, and programs that no engine decides.

use super::Settings;
use crate::budget::Deadline;
use crate::event::graph::{EventGraph, MOST_EVENTS};
use crate::rule::Unsupported;
use crate::solve::{Answer, Budget, Engine, Goal, Problem, States, Why};
use crate::waiting::barrier::{BarrierOp, BarrierRule};
use std::collections::BTreeSet;

/// An engine whose questions share one limit of time.
pub(super) struct TimeLimited<'e> {
    engine: &'e dyn Engine,
    end: Option<Deadline>,
}

impl<'e> TimeLimited<'e> {
    pub(super) fn new(engine: &'e dyn Engine, settings: Settings) -> Self {
        Self { engine, end: settings.budget.end() }
    }
}

impl Engine for TimeLimited<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        if let Some(why) = too_large(problem.graph) {
            return Answer::Unsupported(why);
        }
        match budget.until(self.end) {
            Some(rest) => self.engine.find(problem, goal, rest),
            None => Answer::Unknown(Why::Timeout),
        }
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
        match budget.until(self.end) {
            Some(rest) => self.engine.states(problem, rest),
            None => Ok(States { incomplete: Some(Why::Timeout), ..States::default() }),
        }
    }
}

/// The reason why a program is not decided by any engine.
pub(super) fn too_large(graph: &EventGraph) -> Option<Unsupported> {
    let events = graph.events.len();
    if events > MOST_EVENTS {
        return Some(Unsupported::Events { events, most: MOST_EVENTS });
    }
    if let Some(op) = graph.barriers.iter().find(|op| is_unclear(graph, op)) {
        return Some(Unsupported::CountInAWarp { barrier: op.key.to_string() });
    }
    let crowd = graph.barriers.iter().find(|op| is_crowded(graph, op))?;
    Some(Unsupported::Crowd { barrier: crowd.key.to_string(), most: MOST_AT_BARRIER })
}

/// Whether values decide if an operation counts as the arrival of its warp, together with the
/// warp's other threads (PTX-9.7.13.1).
fn is_unclear(graph: &EventGraph, op: &BarrierOp) -> bool {
    op.arrives
        && !graph.knows_count(op)
        && graph.mates(graph.event(op.event).agent).next().is_some()
}

/// The most threads at a barrier with a count: all sets of them that may meet are tried.
const MOST_AT_BARRIER: usize = 20;

/// Whether too many sets of threads might meet at a barrier; the set of all threads is no choice.
fn is_crowded(graph: &EventGraph, op: &BarrierOp) -> bool {
    let (BarrierRule::Count(count) | BarrierRule::Quorum(count)) = op.rule else { return false };
    let others = graph.barriers.iter().filter(|other| other.key == op.key);
    let threads: BTreeSet<_> = others.map(|other| graph.event(other.event).agent).collect();
    let all = graph.exprs.constant(count) == Some(threads.len() as u128);
    threads.len() > MOST_AT_BARRIER && !all
}
