//! Arrivals at a barrier that the same thread uses again before the barrier has surely been reset:
//! undefined (PTX-9.7.13.1).
//!
//! A thread knows of the reset if an event of a participant after its wait precedes the thread's
//! next operation: by program order, by barriers, or because a read in between has a value that was
//! written after the wait.

use super::asked::Asked;
use super::barrier_reasons;
use super::prefix::{self, Blocked};
use super::time::{self, Wrong};
use crate::collections::IndexSet;
use crate::event::graph::EventGraph;
use crate::execution::barriers::Barriers;
use crate::execution::build::Choices;
use crate::execution::schedule::Schedules;
use crate::id::{BarrierId, EventId, NodeId};
use crate::relation::expr::{Arena, Node};
use crate::rule::{Rule, Unsupported};
use crate::solve::Pairs;
use crate::verdict::{Reason, Verdict};
use crate::vocabulary::{BaseRel, BaseSet};

/// The verdict if some execution reuses a barrier too early; `first` is an arrival at a barrier
/// that its thread may use again.
pub(super) fn early(asked: Asked<'_>, first: EventId) -> Option<Verdict> {
    barrier_reasons::search_violation(asked, wrong(asked.problem.graph, first), reason)
}

/// The question for reuse that is too early, at the place of an event.
fn wrong(graph: &EventGraph, at: EventId) -> Wrong<'static> {
    let place = ("PTX-9.7.13.1", graph.event(at).span);
    Wrong { pairs: Pairs::EarlyReuse, relation: not_reset, place }
}

/// The first arrival at a barrier that its thread may use again.
pub(super) fn first_return(graph: &EventGraph) -> Option<EventId> {
    let &(arrival, _) = returns(graph).first()?;
    Some(graph.barriers[arrival].event)
}

/// Arrivals at barriers, each with a later operation of its thread there.
fn returns(graph: &EventGraph) -> Vec<(BarrierId, BarrierId)> {
    let happens =
        |&at: &BarrierId| !graph.exprs.is_false(graph.event(graph.barriers[at].event).guard);
    let of = |at: BarrierId| &graph.barriers[at];
    let arrivals = graph.barriers.keys().filter(|&at| !of(at).waits).filter(happens);
    let behind = |at: BarrierId| graph.barriers.keys().skip(at.index() + 1);
    let pairs = arrivals.flat_map(|at| behind(at).map(move |next| (at, next)));
    pairs
        .filter(|&(at, next)| graph.returns_to_barrier(of(at), of(next)) && happens(&next))
        .collect()
}

/// The verdict if values decide whether a thread uses a barrier again, also in executions that do
/// not end.
pub(super) fn behind_a_branch(asked: Asked<'_>) -> Option<Verdict> {
    let graph = asked.problem.graph;
    if !graph.exprs.is_true(graph.filter) {
        return None;
    }
    let returns = returns_behind_branches(graph);
    if returns.len() > MOST_RETURNS {
        return Some(barrier_reasons::unsupported(UNDECIDED));
    }
    let first = graph.barriers[*returns.first()?].event;
    let prefixes = returns
        .iter()
        .flat_map(|&next| Blocked::with_incomplete(graph, &[next], |_| false).prefixes());
    let find = |graph: &EventGraph| {
        // The execution belongs to the changed program, not to the reported program.
        let reason = |_: &EventGraph, a, b, _| reason(graph, a, b, None);
        barrier_reasons::search_violation(asked.on(graph), wrong(graph, first), reason)
    };
    let undecided = || barrier_reasons::unsupported(UNDECIDED);
    prefix::first_found(prefixes, find, undecided).map(|(verdict, _)| verdict)
}

/// The reason if reuse is unknown in executions that do not end, since barriers hold threads back.
const UNDECIDED: Unsupported = Unsupported::EarlyReuse;

/// The most operations of reuse that are asked about.
const MOST_RETURNS: usize = 16;

/// Operations by which threads may reuse a barrier in some order of barrier operations. Empty if
/// participants and ends of threads are certain.
fn returns_behind_branches(graph: &EventGraph) -> IndexSet<BarrierId> {
    let returns = returns(graph);
    let certain = graph.cuts.is_empty() && Barriers::fixed(graph).is_some();
    if certain || returns.is_empty() {
        return IndexSet::default();
    }
    let scheduled = Schedules::possible(graph).early_returns();
    let is_possible = |&(arrival, next): &(BarrierId, BarrierId)| match &scheduled {
        Ok(found) if graph.knows_counts_at(&graph.barriers[arrival].key) => {
            found.contains(&(arrival, next))
        }
        _ => true,
    };
    returns.into_iter().filter(is_possible).map(|(_, next)| next).collect()
}

/// Two barrier operations of a thread between which the barrier of the first is not known to have
/// been reset.
fn not_reset(arena: &mut Arena) -> NodeId {
    let before = time::order_to_start(arena);
    let sync = arena.add(Node::Rel(BaseRel::BarrierSync));
    let reset = arena.add(Node::Comp(sync, before));
    let barrier = arena.add(Node::Set(BaseSet::Barrier));
    let pairs = arena.add(Node::Cross(barrier, barrier));
    let po = arena.add(Node::Rel(BaseRel::Po));
    let returns = arena.add(Node::Inter(po, pairs));
    arena.add(Node::Diff(returns, reset))
}

/// The reason why a program with this arrival and this next operation of the thread is undefined.
pub(super) fn reason(
    graph: &EventGraph,
    arrival: BarrierId,
    next: BarrierId,
    choices: Option<Box<Choices>>,
) -> Reason {
    let op = &graph.barriers[arrival];
    let thread = graph.agents[graph.event(op.event).agent.index()].name.clone();
    let rule = Rule::EarlyReuse { thread, barrier: op.key.to_string() };
    barrier_reasons::reason(graph, rule, [arrival, next], choices)
}
