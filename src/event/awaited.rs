//! What waits for the end of a thread: a barrier for all threads is complete without those that
//! have ended (PTX-9.7.13.1), so nothing behind it happens before they do.

use super::graph::{BarrierKey, BarrierOp, BarrierRule, EventGraph};
use crate::bitrel::Rel;
use crate::id::{AgentId, EventId};
use crate::litmus::ast::Place;
use crate::program::expr::Expr;

/// To barrier operations that wait for the end of a thread, from its own barrier operations and from
/// each read that decides whether it leaves a loop.
pub(super) fn awaited(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for (agent, operation) in awaited_threads(graph) {
        let own = graph.barriers.iter().map(|op| op.event);
        let own = own.filter(|&event| graph.event(event).agent == agent);
        let cuts = graph.cuts.iter().filter(|cut| cut.agent == agent);
        let reads = cuts.flat_map(|cut| graph.exprs.leaves(cut.guard)).filter_map(|leaf| {
            let Expr::Read(access) = leaf else { return None };
            Some(graph.access(access).pieces.iter().copied())
        });
        for event in own.chain(reads.flatten()) {
            out.insert(event, operation);
        }
    }
    out
}

/// Whether a thread that may be cut is one for whose end others wait.
#[must_use]
pub fn awaits_cut_thread(graph: &EventGraph) -> bool {
    let cut = |agent| graph.cuts.iter().any(|cut| cut.agent == agent);
    !graph.cuts.is_empty() && awaited_threads(graph).any(|(agent, _)| cut(agent))
}

/// The threads for whose end barrier operations of others wait, each with such an operation.
///
/// A thread is waited for where in any execution it has at most as many operations on the barrier as
/// come before the one that waits. Where branches decide that, it is not said to be waited for.
fn awaited_threads(graph: &EventGraph) -> impl Iterator<Item = (AgentId, EventId)> {
    let waits = |op: &&BarrierOp| op.waits && op.rule == BarrierRule::AllLive;
    let agents = || (0..graph.agents.len()).map(AgentId::new);
    let pairs = graph
        .barriers
        .iter()
        .filter(waits)
        .flat_map(move |op| agents().map(move |agent| (agent, op)));
    let awaited = pairs.filter(|&(agent, op)| {
        let waiting = graph.event(op.event).agent;
        let place = graph.agents[agent.index()].place();
        waiting != agent
            && place.is_some_and(|place| is_in_group(&op.key, place))
            && arrivals(graph, &op.key, agent) <= turn(graph, op)
    });
    awaited.map(|(agent, op)| (agent, op.event))
}

/// How many operations of a thread surely come before one of it that waits, in the numbering by
/// which it finds its generation.
fn turn(graph: &EventGraph, waiting: &BarrierOp) -> usize {
    let (agent, guard) = (graph.event(waiting.event).agent, graph.event(waiting.event).guard);
    let before = |op: &&BarrierOp| {
        let own = graph.event(op.event).guard;
        let happens = graph.exprs.is_true(own) || own == guard;
        op.event < waiting.event && op.is_numbered_with(waiting) && happens
    };
    possible(graph, agent).filter(before).count()
}

/// How often a thread may arrive at a barrier.
fn arrivals(graph: &EventGraph, key: &BarrierKey, agent: AgentId) -> usize {
    possible(graph, agent).filter(|op| op.arrives && op.key == *key).count()
}

/// The barrier operations of a thread that may happen.
fn possible(graph: &EventGraph, agent: AgentId) -> impl Iterator<Item = &BarrierOp> {
    graph.barriers.iter().filter(move |op| {
        let event = graph.event(op.event);
        event.agent == agent && !graph.exprs.is_false(event.guard)
    })
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
