//! Reasons about barriers: what is misused, and who waits where.

use super::events::in_order;
use crate::collections::IndexSet;
use crate::event::graph::EventGraph;
use crate::id::BarrierId;
use crate::rule::{Extent, Rule, Unsupported};
use crate::verdict::{Reason, Undecided, Verdict};
use crate::waiting::barrier::{BarrierKey, BarrierRule};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) fn unsupported(what: Unsupported) -> Verdict {
    Verdict::Unknown(Undecided::Unsupported(what))
}

/// The reason why a program with these two operations is undefined.
pub(super) fn reason(graph: &EventGraph, rule: Rule, operations: [BarrierId; 2]) -> Reason {
    let spans = operations.map(|op| graph.event(graph.barriers[op].event).span);
    Reason { rule, spans: spans.to_vec(), choices: None }
}

/// The deadlock at some operations.
pub(super) fn reason_of_deadlock(
    graph: &EventGraph,
    extent: Extent,
    waiting: &[BarrierId],
) -> Reason {
    deadlock_reason(graph, extent, "waits", waiting)
}

/// The deadlock if values decide the participants or the count of a barrier: at all operations where
/// threads may wait.
pub(super) fn unclear_deadlock(graph: &EventGraph) -> Reason {
    deadlock_reason(graph, Extent::All, "may wait", &open_barriers(graph))
}

/// The deadlock of threads that wait, or may wait, at some operations.
fn deadlock_reason(graph: &EventGraph, extent: Extent, waits: &str, at: &[BarrierId]) -> Reason {
    // An unrolled loop has several copies of one operation.
    let place =
        |&b: &BarrierId| format!("{}{}", whereabouts(graph, b, waits), awaited(graph, b, at));
    let threads: IndexSet<String> = at.iter().map(place).collect();
    let sections: IndexSet<_> = at.iter().map(|&b| graph.barriers[b].key.section()).collect();
    let (waiting, clauses) = (threads.into_iter().collect(), sections.into_iter().collect());
    Reason {
        rule: Rule::Stuck { extent, waiting, clauses },
        spans: in_order(at.iter().map(|&b| graph.event(graph.barriers[b].event).span)),
        choices: None,
    }
}

/// The number of threads for which an operation waits, as text. At a barrier for all, the threads
/// that wait elsewhere, such as ` for P1`.
fn awaited(graph: &EventGraph, operation: BarrierId, waiting: &[BarrierId]) -> String {
    let op = &graph.barriers[operation];
    if let BarrierRule::Count(count) | BarrierRule::Quorum(count) = op.rule {
        let count = graph.exprs.constant(count);
        return count.map_or_else(String::new, |count| format!(" for {count} threads"));
    }
    let members = graph.members(&op.key);
    let elsewhere = waiting.iter().map(|&b| &graph.barriers[b]).filter(|other| other.key != op.key);
    let agents: IndexSet<_> = elsewhere.map(|other| graph.event(other.event).agent).collect();
    let names: Vec<&str> = agents
        .into_iter()
        .filter(|agent| members.contains(agent))
        .map(|agent| graph.agents[agent.index()].name.as_str())
        .collect();
    match names[..] {
        [] => String::new(),
        _ => format!(" for {}", names.join(" and ")),
    }
}

/// The place of an operation's thread, such as `P0 waits at barrier 1 of CTA 0`.
fn whereabouts(graph: &EventGraph, operation: BarrierId, waits: &str) -> String {
    let op = &graph.barriers[operation];
    let agent = graph.event(op.event).agent;
    format!("{} {waits} at {}", graph.agents[agent.index()].name, op.key)
}

/// The operations at which threads may wait for ever, if the sure operations do not decide this.
/// They are on barriers that some thread reaches only depending on values, or after such a barrier.
/// If there are none, all waiting operations.
fn open_barriers(graph: &EventGraph) -> Vec<BarrierId> {
    let mut unsure = FxHashSet::default();
    let mut open = FxHashSet::default();
    for operation in &graph.barriers {
        let event = graph.event(operation.event);
        if !graph.exprs.is_true(event.guard) || !graph.knows_count(operation) {
            unsure.insert(event.agent);
        }
        if unsure.contains(&event.agent) {
            open.insert(&operation.key);
        }
    }
    let waiting = || graph.barriers.keys().filter(|&b| graph.barriers[b].waits);
    let some: Vec<BarrierId> =
        waiting().filter(|&b| open.contains(&graph.barriers[b].key)).collect();
    if some.is_empty() { waiting().collect() } else { some }
}

/// Whether operations with different thread counts may use one barrier.
pub(super) fn may_differ(graph: &EventGraph) -> bool {
    let mut known = FxHashMap::default();
    graph.barriers.iter().any(|op| {
        matches!(op.key, BarrierKey::Cta(..))
            && *known.entry(&op.key).or_insert(&op.rule) != &op.rule
    })
}
