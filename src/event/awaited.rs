//! What waits for the end of a thread: a barrier for all threads is complete without those that
//! have ended (PTX-9.7.13.1), so nothing behind it happens before they do.

use super::graph::{BarrierKey, BarrierOp, BarrierRule, Cut, EventGraph};
use crate::bitrel::Rel;
use crate::id::{AgentId, EventId};
use crate::litmus::ast::Place;
use crate::program::expr::Expr;

/// From each read that decides whether its thread leaves a loop to the barrier operations of other
/// threads that wait for the thread's end.
pub(super) fn awaited(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for (cut, operation) in awaited_ends(graph) {
        for leaf in graph.exprs.leaves(cut.guard) {
            if let Expr::Read(access) = leaf {
                let pieces = &graph.access(access).pieces;
                pieces.iter().for_each(|&read| _ = out.insert(read, operation));
            }
        }
    }
    out
}

/// The cuts of threads for whose end barrier operations of others wait, each with such an
/// operation.
///
/// A thread is waited for where it has fewer operations on the barrier in any execution than the
/// one that waits comes to be.
pub fn awaited_ends(graph: &EventGraph) -> impl Iterator<Item = (&Cut, EventId)> {
    let waits = |op: &&BarrierOp| op.waits && op.rule == BarrierRule::AllLive;
    let pairs = graph
        .cuts
        .iter()
        .flat_map(move |cut| graph.barriers.iter().filter(waits).map(move |op| (cut, op)));
    let awaited = pairs.filter(|(cut, op)| {
        let waiting = graph.event(op.event).agent;
        let place = graph.agents[cut.agent.index()].place();
        waiting != cut.agent
            && place.is_some_and(|place| is_in_group(&op.key, place))
            && arrivals(graph, op, cut.agent, EventId::new(graph.events.len()))
                <= arrivals(graph, op, waiting, op.event)
    });
    awaited.map(|(cut, op)| (cut, op.event))
}

/// How many operations of a thread before an event may arrive at the barrier of another one.
fn arrivals(graph: &EventGraph, at: &BarrierOp, agent: AgentId, end: EventId) -> usize {
    let arrives = |op: &&BarrierOp| {
        let event = graph.event(op.event);
        event.agent == agent
            && op.event < end
            && op.arrives
            && op.key == at.key
            && !graph.exprs.is_false(event.guard)
    };
    graph.barriers.iter().filter(arrives).count()
}

/// Whether a thread belongs to the group that a barrier for all waits for. Those of a warp are told
/// by lane, and its threads are converged there.
fn is_in_group(key: &BarrierKey, p: Place) -> bool {
    match key {
        BarrierKey::Cta(cta, _) => (p.gpu, p.grid, p.cta) == *cta,
        BarrierKey::Cluster(cluster) => (p.gpu, p.grid, p.cluster) == *cluster,
        BarrierKey::Instance(..) | BarrierKey::Warp(..) => false,
    }
}
