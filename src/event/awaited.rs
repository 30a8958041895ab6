//! What waits for the end of a thread: a barrier for all threads is complete without those that
//! have ended (PTX-9.7.13.1), so nothing behind it happens before they do.

use super::graph::{BarrierKey, BarrierOp, BarrierRule, EventGraph};
use crate::bitrel::Rel;
use crate::id::{AgentId, EventId, ExprId};
use crate::program::expr::Expr;
use rustc_hash::FxHashMap;

/// To barrier operations that wait for the end of a thread, from its own barrier operations and from
/// each read that decides whether it leaves a loop.
pub(super) fn awaited(graph: &EventGraph) -> Rel {
    let mut sources: Vec<Vec<EventId>> = vec![Vec::new(); graph.agents.len()];
    for op in &graph.barriers {
        sources[graph.event(op.event).agent.index()].push(op.event);
    }
    for cut in &graph.cuts {
        sources[cut.agent.index()].extend(reads_of(graph, cut.guard));
    }
    let pairs = awaited_threads(graph).into_iter();
    let pairs = pairs.flat_map(|(agent, operation)| {
        sources[agent.index()].iter().map(move |&source| (source, operation))
    });
    let decided = deciding_reads(graph).into_iter().chain(warp_arrivals(graph));
    Rel::from_pairs(graph.events.len(), pairs.chain(decided))
}

/// To operations that mark the arrival of a warp, from those of its other threads in the same turn,
/// and from the reads that decide whether these come to them.
fn warp_arrivals(graph: &EventGraph) -> Vec<(EventId, EventId)> {
    let arrivals = arrivals(graph);
    let mut out = Vec::new();
    for (at, op) in graph.barriers.iter().enumerate() {
        if !is_arrival_of_warp(graph, op) {
            continue;
        }
        let turn = turn(graph, at);
        for mate in graph.mates(graph.event(op.event).agent) {
            let own = arrivals.get(&(&op.key, mate)).map_or(&[][..], |own| own);
            // The arrival that counts in this turn is this one at the earliest.
            let Some(earliest) = own.get(turn) else { continue };
            let guards = own[..=turn].iter().map(|other| graph.event(other.event).guard);
            let reads = guards.flat_map(|guard| reads_of(graph, guard));
            out.extend(reads.chain([earliest.event]).map(|source| (source, op.event)));
        }
    }
    out
}

/// To barrier operations that wait for all, from the reads that decide whether another thread comes
/// to the barrier at all: be it that it arrives or that it ends, it has read before.
fn deciding_reads(graph: &EventGraph) -> Vec<(EventId, EventId)> {
    let mut out = Vec::new();
    let mut arrivals = arrivals(graph);
    arrivals
        .retain(|_, own| own.iter().any(|op| !graph.exprs.is_true(graph.event(op.event).guard)));
    for (at, op) in graph.barriers.iter().enumerate() {
        if !op.waits || !is_for_all(graph, op) {
            continue;
        }
        let waiting = graph.event(op.event).agent;
        let others =
            arrivals.iter().filter(|((key, agent), _)| **key == op.key && *agent != waiting);
        for (_, own) in others {
            // The arrival that counts in this turn is this one at the earliest.
            for other in &own[..own.len().min(turn(graph, at) + 1)] {
                let reads = reads_of(graph, graph.event(other.event).guard);
                out.extend(reads.map(|read| (read, op.event)));
            }
        }
    }
    out
}

/// The arrivals that each thread may make at each barrier.
fn arrivals(graph: &EventGraph) -> FxHashMap<(&BarrierKey, AgentId), Vec<&BarrierOp>> {
    let mut out: FxHashMap<_, Vec<&BarrierOp>> = FxHashMap::default();
    for op in graph.barriers.iter().filter(|op| op.arrives) {
        let event = graph.event(op.event);
        if !graph.exprs.is_false(event.guard) {
            out.entry((&op.key, event.agent)).or_default().push(op);
        }
    }
    out
}

/// The pieces of the reads that an expression is made of.
fn reads_of(graph: &EventGraph, expr: ExprId) -> impl Iterator<Item = EventId> {
    let leaves = graph.exprs.leaves(expr).into_iter();
    let reads = leaves.filter_map(|leaf| match leaf {
        Expr::Read(access) => Some(&graph.access(access).pieces),
        _ => None,
    });
    reads.flatten().copied()
}

/// Whether a barrier operation is one of all threads of a CTA, cluster or warp, which it waits for in
/// turns.
fn is_for_all(graph: &EventGraph, op: &BarrierOp) -> bool {
    let by_count = |other: &BarrierOp| {
        other.key == op.key && matches!(other.rule, BarrierRule::Count(_) | BarrierRule::Quorum(_))
    };
    op.rule == BarrierRule::AllLive && !graph.barriers.iter().any(by_count)
}

/// Whether a barrier operation waits for the threads of its warp, since it marks the arrival of the
/// warp; the others come there in turns with it.
fn is_arrival_of_warp(graph: &EventGraph, op: &BarrierOp) -> bool {
    let BarrierRule::Count(count) = op.rule else { return false };
    let warps = graph.exprs.constant(count).is_some_and(|n| n > 0 && n % 32 == 0);
    matches!(op.key, BarrierKey::Cta(..)) && op.arrives && warps
}

/// Whether a thread that may be cut is one for whose end others wait.
#[must_use]
pub fn awaits_cut_thread(graph: &EventGraph) -> bool {
    let cut = |agent| graph.cuts.iter().any(|cut| cut.agent == agent);
    !graph.cuts.is_empty() && awaited_threads(graph).into_iter().any(|(agent, _)| cut(agent))
}

/// The threads for whose end barrier operations of others wait, each with such an operation.
///
/// A thread is waited for where in any execution it has at most as many operations on the barrier as
/// come before the one that waits. Where branches decide that, it is not said to be waited for.
fn awaited_threads(graph: &EventGraph) -> Vec<(AgentId, EventId)> {
    let arrivals = arrivals(graph);
    // Many operations wait for the same: which threads are away by barrier and turn.
    let mut away: FxHashMap<(&BarrierKey, usize), Vec<AgentId>> = FxHashMap::default();
    let mut out = Vec::new();
    for (at, op) in graph.barriers.iter().enumerate() {
        let turn = turn(graph, at);
        let comes = |agent| arrivals.get(&(&op.key, agent)).is_some_and(|own| own.len() > turn);
        if is_arrival_of_warp(graph, op) {
            let mates = graph.mates(graph.event(op.event).agent).filter(|&mate| !comes(mate));
            out.extend(mates.map(|mate| (mate, op.event)));
        }
        if !op.waits || !is_for_all(graph, op) {
            continue;
        }
        let away = away.entry((&op.key, turn)).or_insert_with(|| {
            graph.members(&op.key).into_iter().filter(|&agent| !comes(agent)).collect()
        });
        let waiting = graph.event(op.event).agent;
        out.extend(away.iter().filter(|&&agent| agent != waiting).map(|&agent| (agent, op.event)));
    }
    out
}

/// How many operations of a thread surely come before one of it that waits, in the numbering by
/// which it finds its generation.
fn turn(graph: &EventGraph, waiting: usize) -> usize {
    let op = &graph.barriers[waiting];
    let (agent, guard) = (graph.event(op.event).agent, graph.event(op.event).guard);
    // Operations are listed thread by thread.
    let own = graph.barriers[..waiting].iter().rev();
    let own = own.take_while(|other| graph.event(other.event).agent == agent);
    own.filter(|other| {
        let when = graph.event(other.event).guard;
        other.is_numbered_with(op) && (graph.exprs.is_true(when) || when == guard)
    })
    .count()
}
