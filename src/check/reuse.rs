//! Arrivals at a barrier that the thread follows with another operation there, while nothing makes
//! sure that the barrier has been reset in between: undefined (PTX-9.7.13.1).
//!
//! A thread knows of the reset where something that a participant does after waiting there comes
//! before the thread's next operation: by program order, by barriers, or because a read in
//! between has a value that was written after it.

use super::prefix::{Ends, up_to, with_loops_left};
use super::time::{self, Wrong};
use super::{Settings, barriers};
use crate::event::awaited::implies;
use crate::event::graph::{BarrierOp, EventGraph, Violation};
use crate::execution::barrier::Barriers;
use crate::execution::build::Choices;
use crate::execution::schedule::Schedules;
use crate::id::{EventId, NodeId};
use crate::relation::expr::{Arena, Node};
use crate::solve::{Engine, Goal, Pairs, Problem};
use crate::verdict::{Decided, Reason, Verdict};
use crate::vocabulary::{BaseRel, BaseSet};

/// The verdict where some execution comes back to a barrier too early; `first` arrives at one that
/// its thread may come back to.
pub(super) fn early(
    problem: Problem<'_>,
    first: EventId,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Verdict> {
    let pairs = Pairs::EarlyReuse;
    let place = ("PTX-9.7.13.1", problem.graph.event(first).span);
    let wrong = Wrong { pairs, relation: not_reset, place };
    time::looked_for(problem, wrong, engine, settings, |problem, choices| {
        barriers::confirmed(problem, pairs, choices, "early return is", reason)
    })
}

/// The first arrival at a barrier that the thread may come back to.
pub(super) fn first_return(graph: &EventGraph) -> Option<EventId> {
    let happens = |op: &&BarrierOp| !graph.exprs.is_false(graph.event(op.event).guard);
    let mut arrivals = graph.barriers.iter().enumerate().filter(|(_, op)| !op.waits && happens(op));
    arrivals
        .find(|&(at, arrival)| {
            let mut later = graph.barriers[at + 1..].iter().filter(happens);
            later.any(|next| graph.returns_to_barrier(arrival, next))
        })
        .map(|(_, arrival)| arrival.event)
}

/// The verdict where values decide whether a thread comes back, and bring it there before anybody has
/// waited at the barrier, be it that no execution ends in which they do.
pub(super) fn behind_a_branch(
    problem: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Verdict> {
    let graph = problem.graph;
    if !graph.exprs.is_true(graph.filter) {
        return None;
    }
    returns_behind_branches(graph).into_iter().find_map(|(arrival, next)| {
        before_any_wait(graph, arrival, next).iter().find_map(|before| {
            let problem = Problem { graph: before, ..problem };
            match engine.find(problem, Goal::Violation(0), settings.budget).decided() {
                Ok(Decided::Yes(_)) => Some(Verdict::Undefined(reason(graph, arrival, next, None))),
                Ok(Decided::No(_)) => None,
                Err(why) => Some(Verdict::Unknown(why)),
            }
        })
    })
}

/// How many arrivals with operations that come back are looked at.
const MOST_RETURNS: usize = 64;

/// Arrivals with later operations of the thread on the same barrier, where values decide whether it
/// comes to both.
fn returns_behind_branches(graph: &EventGraph) -> Vec<(usize, usize)> {
    let guard = |at: usize| graph.event(graph.barriers[at].event).guard;
    let happens = |&at: &usize| !graph.exprs.is_false(guard(at));
    let all = || (0..graph.barriers.len()).filter(happens);
    let later = |at: usize| {
        let later = all().filter(move |&later| later > at);
        later.filter(move |&later| {
            graph.returns_to_barrier(&graph.barriers[at], &graph.barriers[later])
        })
    };
    let returns = all().flat_map(|at| later(at).map(move |later| (at, later)));
    let open = |at: usize| graph.exprs.constant(guard(at)).is_none();
    returns.filter(|&(at, later)| open(at) || open(later)).take(MOST_RETURNS).collect()
}

/// The program as far as it goes if nobody waits at a barrier before the thread of two operations on
/// it, an arrival and a later one, comes to that; this is its only misuse. None where the thread may
/// not come so far. Threads may stay in loops, where nobody waits for their end, or all leave them.
fn before_any_wait(graph: &EventGraph, arrival: usize, next: usize) -> Vec<EventGraph> {
    let BarrierOp { event, ref key, .. } = graph.barriers[next];
    let mut graph = graph.clone();
    let [first, last] = [arrival, next].map(|at| graph.event(graph.barriers[at].event).guard);
    let (both, span) = (graph.exprs.and(first, last), graph.event(event).span);
    let graph = &graph;
    let agent = graph.event(event).agent;
    let waits_here = |op: &BarrierOp| op.waits && op.key == *key;
    // In the executions that are looked for the thread comes to these operations.
    let is_sure = |id: EventId| {
        let guard = graph.event(id).guard;
        graph.event(id).agent == agent
            && id < event
            && graph.barrier(id).is_some()
            && (guard == both || implies(graph, both, guard))
    };
    // The schedules stop whoever would wait there, as if values decided about it.
    let held = graph.guarded(
        |exprs, id| {
            let own = graph.event(id).guard;
            let waits = graph.barrier(id).is_some_and(waits_here);
            match is_sure(id) {
                true => exprs.truth(true),
                false if waits => exprs.and(own, both),
                false => own,
            }
        },
        |_, cut| cut.guard,
    );
    let before_return = |held: &EventGraph, within: &EventGraph, loops_end: bool| {
        let places = Schedules::new(Barriers::certain(held)).ends();
        let ends = places.iter().map(|places| Ends::new(within, places));
        let come = ends.filter(|ends| ends.are_at(within, &[next]));
        let before = come.map(|ends| {
            let mut before = up_to(graph, &ends, |_| true);
            if !loops_end {
                before.cuts.clear();
            }
            before.violations = vec![Violation::asked(both, span)];
            before
        });
        before.collect::<Vec<_>>()
    };
    let mut out = before_return(&held, graph, false);
    if !graph.cuts.is_empty() {
        let [held, graph] = [&held, graph].map(|graph| with_loops_left(graph, |_| true));
        out.extend(before_return(&held, &graph, true));
    }
    out
}

/// Two events of a thread between which no barrier at which the first one arrives is known to have
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

/// Why a program with this arrival and this next operation of the thread is undefined.
pub(super) fn reason(
    graph: &EventGraph,
    arrival: usize,
    next: usize,
    choices: Option<Box<Choices>>,
) -> Reason {
    let op = &graph.barriers[arrival];
    let (thread, key) = (&graph.agents[graph.event(op.event).agent.index()].name, &op.key);
    let rule = format!(
        "{thread} arrives at {key} and comes back to it before it is sure to be reset \
         (PTX-9.7.13.1)"
    );
    barriers::reason(graph, rule, [arrival, next], choices)
}
