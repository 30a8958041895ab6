//! Divergent aligned barriers: a thread of a warp arrives at an `.aligned` barrier that another one
//! skips, as violations of an event graph.
//!
//! All threads of a warp have to execute an `.aligned` barrier (PTX-9.7.13.1, PTX-9.7.13.3). A thread
//! that ends instead, as behind a test of bounds, counts as gone. So a thread skips a barrier if it
//! executes a statement behind which the paths of both threads have reconverged: one that the arriving
//! thread executes after the barrier; or if it arrives at another aligned barrier, which the first one
//! does not execute.
//!
//! Statements of two threads are the same if their text is. Threads whose bodies are written apart are
//! not compared: two statements may be one instruction there.

use super::graph::{AgentKind, EventGraph, EventKind, Violation};
use crate::id::{AgentId, BarrierId, EventId, ExprId};
use crate::program::micro::ThreadCode;
use crate::rule::Rule;
use crate::source::Span;
use std::collections::{BTreeMap, BTreeSet};

/// What a thread may execute: the events of each statement in program order, one for each time.
type Steps = BTreeMap<Span, Vec<EventId>>;

/// The ways in which a thread skips an aligned barrier at which another one of its warp arrives.
pub(super) fn violations(graph: &mut EventGraph, code: &[ThreadCode]) -> Vec<Violation> {
    let mut out = Vec::new();
    let warps = warps(graph);
    let steps = if warps.is_empty() { Vec::new() } else { steps(graph) };
    for warp in warps {
        let steps: Vec<&Steps> = warp.iter().map(|thread| &steps[thread.index()]).collect();
        let texts: Vec<_> = warp.iter().map(|&thread| text(graph, code, thread)).collect();
        let mut reported = BTreeSet::new();
        for arrives in 0..warp.len() {
            for skips in (0..warp.len()).filter(|&skips| skips != arrives) {
                if !overlap(texts[arrives], texts[skips]) {
                    continue;
                }
                for (when, barrier, behind) in skipped(graph, steps[arrives], steps[skips]) {
                    let span = graph.event(graph.barriers[barrier].event).span;
                    let sure = graph.exprs.truth(true);
                    if !reported.contains(&(span, sure)) && reported.insert((span, when)) {
                        out.push(violation(graph, when, barrier, behind));
                    }
                }
            }
        }
    }
    out
}

/// The threads of each warp with several threads, of which some arrive at an aligned barrier.
fn warps(graph: &EventGraph) -> Vec<Vec<AgentId>> {
    let warp = |agent: AgentId| graph.agents[agent.index()].warp();
    let aligned = graph.barriers.iter().filter(|barrier| barrier.aligned);
    let concerned: BTreeSet<_> =
        aligned.filter_map(|barrier| warp(graph.event(barrier.event).agent)).collect();
    let mut out: BTreeMap<_, Vec<AgentId>> = BTreeMap::new();
    for agent in (0..graph.agents.len()).map(AgentId::new) {
        if let Some(warp) = warp(agent).filter(|warp| concerned.contains(warp)) {
            out.entry(warp).or_default().push(agent);
        }
    }
    out.into_values().filter(|threads| threads.len() > 1).collect()
}

/// The first and the last statement of a thread's code.
fn text(graph: &EventGraph, code: &[ThreadCode], thread: AgentId) -> Option<(Span, Span)> {
    let AgentKind::Thread(index, _) = graph.agents[thread.index()].kind else { return None };
    let spans = code.get(index)?.steps.iter().map(|step| step.span);
    spans.clone().min().zip(spans.max())
}

/// Whether the code of two threads is one text, of which each may have another part.
fn overlap(one: Option<(Span, Span)>, other: Option<(Span, Span)>) -> bool {
    one.zip(other).is_some_and(|((first, last), (begin, end))| first <= end && begin <= last)
}

/// What each agent may execute.
fn steps(graph: &EventGraph) -> Vec<Steps> {
    let mut out = vec![Steps::new(); graph.agents.len()];
    for (index, event) in graph.events.iter().enumerate() {
        let times = out[event.agent.index()].entry(event.span).or_default();
        let last = times.last().map(|&last: &EventId| graph.event(last).position);
        if last != Some(event.position) {
            times.push(EventId::new(index));
        }
    }
    out
}

/// The aligned barriers of one thread that another one of its warp may skip, each with the condition and
/// with the event of the other thread by which it skips.
fn skipped(
    graph: &mut EventGraph,
    arrives: &Steps,
    skips: &Steps,
) -> Vec<(ExprId, BarrierId, EventId)> {
    let mut out = Vec::new();
    let missed = all_missed(graph, arrives, skips);
    if missed.is_empty() {
        return out;
    }
    let instead = all_missed(graph, skips, arrives);
    for Missed { when, barrier, last } in missed {
        let event = graph.barriers[barrier].event;
        for (when, behind) in reconverged(graph, when, (arrives, event), (skips, last)) {
            out.push((when, barrier, behind));
        }
        for other in &instead {
            let both = graph.exprs.and(when, other.when);
            if !graph.exprs.is_false(both) {
                out.push((both, barrier, graph.barriers[other.barrier].event));
            }
        }
    }
    out
}

/// An aligned barrier of one thread that another one of its warp does not execute.
struct Missed {
    /// The condition.
    when: ExprId,
    barrier: BarrierId,
    /// The last turn at the barrier's statement that both have.
    last: Option<EventId>,
}

/// The aligned barriers of one thread that another one may not execute.
fn all_missed(graph: &mut EventGraph, arrives: &Steps, skips: &Steps) -> Vec<Missed> {
    let mut out = Vec::new();
    for (span, own) in arrives {
        let theirs = skips.get(span).map_or(&[][..], |theirs| theirs);
        for (turn, &event) in own.iter().enumerate() {
            let EventKind::Barrier(barrier) = graph.event(event).kind else { break };
            if !graph.barriers[barrier].aligned {
                break;
            }
            let (before, others) = theirs.split_at(turn.min(theirs.len()));
            let when = missed(graph, event, others);
            if !graph.exprs.is_false(when) {
                out.push(Missed { when, barrier, last: before.last().copied() });
            }
        }
    }
    out
}

/// The condition that an operation happens, and none of some others.
fn missed(graph: &mut EventGraph, event: EventId, others: &[EventId]) -> ExprId {
    let mut when = graph.event(event).guard;
    for &other in others {
        let guard = graph.event(other).guard;
        let not = graph.exprs.not(guard);
        when = graph.exprs.and(when, not);
    }
    when
}

/// The statements at which the paths of two threads have reconverged: the arriving thread executes them
/// after the barrier, and the other one after its last turn at that barrier and as often; each with the
/// condition that both do and the barrier is missed.
/// A statement before the barrier in the text is in a round of a loop or a function, and the other thread
/// may end there without having come as far as the barrier.
fn reconverged(
    graph: &mut EventGraph,
    missed: ExprId,
    (arrives, barrier): (&Steps, EventId),
    (skips, last): (&Steps, Option<EventId>),
) -> Vec<(ExprId, EventId)> {
    let mut out: Vec<(ExprId, EventId)> = Vec::new();
    for (span, own) in arrives {
        let theirs = skips.get(span).map_or(&[][..], |theirs| theirs);
        for (&one, &other) in own.iter().zip(theirs) {
            let is_before = *span < graph.event(barrier).span;
            if is_before || one <= barrier || last.is_some_and(|last| other <= last) {
                continue;
            }
            let [one, both] = [one, other].map(|event| graph.event(event).guard);
            let both = graph.exprs.and(one, both);
            let when = graph.exprs.and(missed, both);
            if !graph.exprs.is_false(when) && out.iter().all(|&(known, _)| known != when) {
                out.push((when, other));
            }
        }
    }
    out
}

fn violation(graph: &EventGraph, guard: ExprId, barrier: BarrierId, behind: EventId) -> Violation {
    let of = |event: EventId| graph.event(event).agent;
    let arrival = &graph.barriers[barrier];
    let before = |id: &BarrierId| {
        let event = graph.barriers[*id].event;
        of(event) == of(behind) && event < behind
    };
    let passed = graph.barriers.keys().filter(before).last();
    let span = graph.event(arrival.event).span;
    Violation {
        guard,
        span,
        rule: Some(Rule::AlignedBarrier),
        behind: vec![
            (of(arrival.event), barrier.index()),
            (of(behind), passed.map_or(0, |id| id.index() + 1)),
        ],
        ended: Vec::new(),
        position: None,
    }
}
