//! Pairs of barrier operations that fail a condition before threads end: prefixes in which threads
//! reach the operations, whether or not their barrier is ever complete.

use super::asked::Asked;
use super::barrier_reasons::unsupported;
use super::definedness::Condition;
use super::prefix::{self, Blocked, Prefix, without_barriers};
use crate::collections::IndexSet;
use crate::event::base::{base_relation, base_set};
use crate::event::graph::{Conditional, CutKind, Event, EventGraph, Violation};
use crate::execution::barriers::Barriers;
use crate::execution::schedule::Schedules;
use crate::id::{AgentId, BarrierId, EventId, ExprId};
use crate::program::expr::ExprArena;
use crate::rule::Unsupported;
use crate::solve::Goal;
use crate::verdict::{Decided, Reason, Verdict};
use crate::vocabulary::{BaseRel, BaseSet};
use crate::waiting::barrier::BarrierOp;

/// Two barrier operations.
type Pair = (BarrierId, BarrierId);

/// The most pairs of operations that are asked about.
const MOST_PAIRS: usize = 16;

/// Whether operations may fail a condition at all. Threads that ask for different counts have to be at a barrier
/// at one time; where arrivals complete a barrier at which nobody waits, only the orders of operations tell that
/// the arrivals are over.
pub(super) fn may_fail(graph: &EventGraph, condition: &Condition<'_>) -> bool {
    condition.barrier_pairs != Some(BaseRel::OtherCount)
        || base_set(graph, BaseSet::Arrive).is_empty()
        || !possible(graph, BaseRel::OtherCount).is_empty()
}

/// The verdict if operations fail a condition before threads end, or if this is not known.
pub(super) fn verdict(asked: Asked<'_>, condition: &Condition<'_>) -> Option<Verdict> {
    match condition.barrier_pairs? {
        BaseRel::OtherCount => of_two_threads(asked, condition),
        _ => of_one_thread(asked, condition),
    }
}

/// Two threads at one barrier. Neither operation has to be complete.
fn of_two_threads(asked: Asked<'_>, condition: &Condition<'_>) -> Option<Verdict> {
    let graph = asked.problem.graph;
    let pairs = possible(graph, BaseRel::OtherCount);
    if pairs.is_empty() || !may_both_happen(asked, &pairs) {
        return None;
    }
    let undecided = || unsupported(Unsupported::DifferentCounts);
    if !graph.exprs.is_true(graph.filter) || pairs.len() > MOST_PAIRS {
        return Some(undecided());
    }
    let alone = |op: &BarrierOp| graph.completes_alone(op);
    let mut open = runs_past_bound(graph);
    for (a, b) in pairs {
        let ops = [a, b].map(|op| &graph.barriers[op]);
        // No order tells when an arrival that completes a barrier alone is over. It is over for
        // later events of the thread, and for its warp.
        let one_alone = ops.iter().any(|op| alone(op));
        open |= one_alone;
        if one_alone && !ops.iter().all(|op| graph.knows_count(op)) {
            continue;
        }
        let prefixes = Blocked::with_incomplete(graph, &[a, b], alone).prefixes();
        match found(asked, condition, prefixes, undecided) {
            Some(Verdict::Unknown(_)) => open = true,
            Some(verdict) => return Some(verdict),
            None => {}
        }
    }
    open.then(undecided)
}

/// A thread that comes back to a barrier. The second operation does not have to be complete.
fn of_one_thread(asked: Asked<'_>, condition: &Condition<'_>) -> Option<Verdict> {
    let graph = asked.problem.graph;
    if !graph.exprs.is_true(graph.filter) {
        return None;
    }
    let pairs = possible(graph, BaseRel::Returns);
    let second: IndexSet<BarrierId> = pairs.into_iter().map(|(_, next)| next).collect();
    let undecided = || unsupported(Unsupported::EarlyReuse);
    if second.len() > MOST_PAIRS {
        return Some(undecided());
    }
    let prefixes = second
        .iter()
        .flat_map(|&next| Blocked::with_incomplete(graph, &[next], |_| false).prefixes());
    found(asked, condition, prefixes, undecided)
}

/// The verdict of a prefix. Its execution belongs to the changed program, not to the reported one.
fn found(
    asked: Asked<'_>,
    condition: &Condition<'_>,
    prefixes: impl IntoIterator<Item = Prefix>,
    undecided: impl FnOnce() -> Verdict,
) -> Option<Verdict> {
    let find = |graph: &EventGraph| condition.fails(asked.on(graph));
    match prefix::first_found(prefixes, find, undecided)?.0 {
        Verdict::Undefined(reason) => Some(Verdict::Undefined(Reason { choices: None, ..reason })),
        other => Some(other),
    }
}

/// The pairs of a base relation that some order of barrier operations has at one time. Empty if
/// participants and ends of threads are certain: then such orders decide.
fn possible(graph: &EventGraph, relation: BaseRel) -> Vec<Pair> {
    let certain = graph.cuts.is_empty() && Barriers::fixed(graph).is_some();
    let given = base_relation(graph, relation).iter_pairs();
    let some = graph.conditional(relation).iter().map(|&Conditional { from, to, .. }| (from, to));
    let happens = |&(a, b): &(EventId, EventId)| {
        [a, b].iter().all(|&id| !graph.exprs.is_false(graph.event(id).guard))
    };
    let index = |id| graph.barrier_index(id).expect("a barrier operation");
    let mut pairs: Vec<Pair> =
        given.chain(some).filter(happens).map(|(a, b)| (index(a), index(b))).collect();
    pairs.retain(|&(a, b)| a < b);
    pairs.sort_unstable();
    pairs.dedup();
    if certain || pairs.is_empty() {
        return Vec::new();
    }
    if let Ok(scheduled) = Schedules::possible(graph).misuses() {
        let knows = |a: BarrierId| graph.knows_counts_at(&graph.barriers[a].key);
        let at_once = |&(a, b): &Pair| scheduled.contains(&(a, b)) || scheduled.contains(&(b, a));
        pairs.retain(|pair| !knows(pair.0) || at_once(pair));
    }
    pairs
}

/// Whether two of these operations may happen in one execution with different counts, if barriers
/// hold no thread back. A thread that waits for a task reaches them only if the task ends.
fn may_both_happen(asked: Asked<'_>, pairs: &[Pair]) -> bool {
    let graph = asked.problem.graph;
    // The filter may depend on cut threads, and on results of barriers and votes, which are left
    // out here.
    let returns = graph.barriers.iter().any(BarrierOp::returns);
    if returns
        || runs_past_bound(graph)
        || (!graph.cuts.is_empty() && !graph.exprs.is_true(graph.filter))
    {
        return true;
    }
    let mut free = without_barriers(graph);
    // An execution in which a thread stays in a loop counts like any other.
    free.forget_cuts();
    let mut guard = free.exprs.truth(false);
    for &(a, b) in pairs {
        let both = both_differ(graph, &mut free.exprs, a, b);
        let comes = [a, b].map(|op| tasks_end(graph, &mut free.exprs, graph.barriers[op].event));
        let come = free.exprs.and(comes[0], comes[1]);
        let both = free.exprs.and(both, come);
        guard = free.exprs.or(guard, both);
    }
    let span = graph.event(graph.barriers[pairs[0].0].event).span;
    free.violations = vec![Violation::asked(guard, span)];
    !matches!(asked.on(&free).find(Goal::Violation(0)), Ok(Decided::No(_)))
}

/// Whether threads go on after the bound, with unknown operations there.
fn runs_past_bound(graph: &EventGraph) -> bool {
    graph.cuts.iter().any(|cut| cut.kind != CutKind::Spin)
}

/// The condition that no thread stays in a loop whose task has to be complete before an event.
fn tasks_end(graph: &EventGraph, exprs: &mut ExprArena, event: EventId) -> ExprId {
    let agent = graph.event(event).agent;
    let waits = |later: EventId| {
        let Event { agent: of, guard, .. } = *graph.event(later);
        of == agent && later <= event && exprs.is_true(guard)
    };
    let edges = graph.api_edges.iter().filter(|&&(_, later)| waits(later));
    let earlier: IndexSet<AgentId> = edges.map(|&(id, _)| graph.event(id).agent).collect();
    let mut all = exprs.truth(true);
    for cut in graph.cuts.iter().filter(|cut| earlier.contains(&cut.agent)) {
        let leaves = exprs.not(cut.guard);
        all = exprs.and(all, leaves);
    }
    all
}

/// The condition that two operations happen with different counts.
fn both_differ(graph: &EventGraph, exprs: &mut ExprArena, a: BarrierId, b: BarrierId) -> ExprId {
    let [x, y] = [a, b].map(|op| graph.event(graph.barriers[op].event).guard);
    let both = exprs.and(x, y);
    let differ = graph.counts_differ(exprs, &graph.barriers[a], &graph.barriers[b]);
    exprs.and(both, differ)
}
