//! Threads at one barrier with different thread counts, if values decide the participants or the
//! counts. Undefined if the threads may be there at one time (PTX-9.7.13.1).

use super::asked::Asked;
use super::barrier_reasons;
use super::prefix::{self, Blocked, without_barriers};
use super::time::{self, Wrong};
use crate::collections::IndexSet;
use crate::event::barrier::BarrierOp;
use crate::event::graph::{CutKind, Event, EventGraph, Violation};
use crate::execution::barriers::Barriers;
use crate::execution::build::Choices;
use crate::execution::schedule::Schedules;
use crate::id::{AgentId, BarrierId, EventId, ExprId, NodeId};
use crate::program::expr::ExprArena;
use crate::relation::expr::{Arena, Node};
use crate::rule::{Rule, Unsupported};
use crate::solve::{Goal, Pairs};
use crate::verdict::{Decided, Reason, Verdict};
use crate::vocabulary::{BaseRel, BaseSet};

/// The reason if the participants are unknown in executions that do not end, since barriers hold
/// threads back.
const UNDECIDED: Unsupported = Unsupported::DifferentCounts;

/// The verdict if different counts may meet at a barrier whose participants are uncertain, also in
/// executions that do not end.
pub(super) fn differ(asked: Asked<'_>) -> Option<Verdict> {
    let graph = asked.problem.graph;
    let pairs = meetings(graph);
    let &(first, _) = pairs.first()?;
    let wrong = wrong(graph, Pairs::DifferentCounts, first);
    barrier_reasons::search_violation(asked, wrong, reason).or_else(|| in_a_prefix(asked, &pairs))
}

/// As [`differ`], given that no execution in which all threads end has such a meeting.
pub(super) fn differ_before_an_end(asked: Asked<'_>) -> Option<Verdict> {
    in_a_prefix(asked, &meetings(asked.problem.graph))
}

/// The verdict if one of these pairs of operations may meet before all threads end.
fn in_a_prefix(asked: Asked<'_>, pairs: &[(BarrierId, BarrierId)]) -> Option<Verdict> {
    let graph = asked.problem.graph;
    if pairs.is_empty() || !may_both_happen(asked, pairs) {
        return None;
    }
    let filtered = !graph.exprs.is_true(graph.filter);
    if filtered || pairs.len() > MOST_MEETINGS {
        return Some(barrier_reasons::unsupported(UNDECIDED));
    }
    let alone = |op: &BarrierOp| graph.completes_alone(op);
    let undecided = || barrier_reasons::unsupported(UNDECIDED);
    let mut open = runs_past_bound(graph);
    for &(a, b) in pairs {
        let ops = [a, b].map(|op| &graph.barriers[op]);
        // No order tells when an arrival that completes a barrier alone is over. It is over for
        // later events of the thread, and for its warp.
        let one_alone = ops.iter().any(|op| alone(op));
        open |= one_alone;
        if one_alone && !ops.iter().all(|op| graph.knows_count(op)) {
            continue;
        }
        let pair = Pairs::CountsBetween(ops[0].event, ops[1].event);
        let find = |graph: &EventGraph| {
            // The execution belongs to the changed program, not to the reported program.
            let reason = |_: &EventGraph, a, b, _| reason(graph, a, b, None);
            barrier_reasons::search_violation(asked.on(graph), wrong(graph, pair, a), reason)
        };
        let prefixes = Blocked::with_incomplete(graph, &[a, b], alone).prefixes();
        match prefix::first_found(prefixes, find, undecided) {
            Some((Verdict::Unknown(_), _)) => open = true,
            Some((verdict, _)) => return Some(verdict),
            None => {}
        }
    }
    open.then(undecided)
}

/// The most pairs of operations that are asked about.
const MOST_MEETINGS: usize = 16;

/// The question for different counts at a barrier at one time, shown at an operation.
fn wrong(graph: &EventGraph, pairs: Pairs, at: BarrierId) -> Wrong<'static> {
    let place = ("PTX-9.7.13.1", graph.event(graph.barriers[at].event).span);
    Wrong { pairs, relation: at_one_time, place }
}

/// Pairs of operations that may be at one barrier at one time with different counts. Considers the
/// order of barrier operations only. Empty if participants and ends of threads are certain.
fn meetings(graph: &EventGraph) -> Vec<(BarrierId, BarrierId)> {
    let certain = graph.cuts.is_empty() && Barriers::fixed(graph).is_some();
    if !barrier_reasons::may_differ(graph) || certain {
        return Vec::new();
    }
    let scheduled = Schedules::possible(graph).different_counts();
    let is_possible = |at: BarrierId, other: BarrierId| match &scheduled {
        Ok(found) if graph.knows_counts_at(&graph.barriers[at].key) => {
            found.contains(&(at, other)) || found.contains(&(other, at))
        }
        _ => graph.counts_may_differ(&graph.barriers[at], &graph.barriers[other]),
    };
    let happens =
        |&at: &BarrierId| !graph.exprs.is_false(graph.event(graph.barriers[at].event).guard);
    let all: Vec<BarrierId> = graph.barriers.keys().filter(happens).collect();
    let pairs = all.iter().flat_map(|&a| all.iter().map(move |&b| (a, b)));
    pairs.filter(|&(a, b)| a < b && is_possible(a, b)).collect()
}

/// Barrier operations of two threads, neither of which is over before the other begins. An
/// operation is over when its own thread or another participant has waited.
fn at_one_time(arena: &mut Arena) -> NodeId {
    let before = time::order_to_start(arena);
    let sync = arena.add(Node::Rel(BaseRel::BarrierSync));
    // A thread that has waited may come back at once.
    let po = arena.add(Node::Rel(BaseRel::Po));
    let at_once = arena.add(Node::Union(before, po));
    let behind_others = arena.add(Node::Comp(sync, at_once));
    let barrier = arena.add(Node::Set(BaseSet::Barrier));
    let arrive = arena.add(Node::Set(BaseSet::Arrive));
    let waits = arena.add(Node::Diff(barrier, arrive));
    let from_wait = arena.add(Node::Cross(waits, barrier));
    let behind_wait = arena.add(Node::Inter(from_wait, before));
    let over = arena.add(Node::Union(behind_others, behind_wait));
    let back = arena.add(Node::Inverse(over));
    let apart = arena.add(Node::Union(over, back));
    let pairs = arena.add(Node::Cross(barrier, barrier));
    let external = arena.add(Node::Rel(BaseRel::External));
    let of_two = arena.add(Node::Inter(pairs, external));
    arena.add(Node::Diff(of_two, apart))
}

/// Whether two of these operations may happen in one execution with different counts, if barriers
/// hold no thread back. A thread that waits for a task reaches them only if the task ends.
fn may_both_happen(asked: Asked<'_>, pairs: &[(BarrierId, BarrierId)]) -> bool {
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

/// The reason why a program with these two operations at one barrier at one time is undefined.
pub(super) fn reason(
    graph: &EventGraph,
    a: BarrierId,
    b: BarrierId,
    choices: Option<Box<Choices>>,
) -> Reason {
    let rule = Rule::DifferentCounts { barrier: graph.barriers[a].key.to_string() };
    barrier_reasons::reason(graph, rule, [a, b], choices)
}
