//! Arrivals at a barrier that the thread follows with another operation there, while nothing makes
//! sure that the barrier has been reset in between: undefined (PTX-9.7.13.1).
//!
//! A thread knows of the reset where something that a participant does after waiting there comes
//! before the thread's next operation: by program order, by barriers, or because a read in
//! between has a value that was written after it.

use super::time::{self, Wrong};
use super::{Settings, barriers};
use crate::event::graph::{BarrierOp, EventGraph};
use crate::execution::build::Choices;
use crate::id::{EventId, NodeId};
use crate::relation::expr::{Arena, Node};
use crate::solve::{Engine, Pairs, Problem};
use crate::verdict::{Reason, Verdict};
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
