//! Deadlocks: executions in which threads wait at barriers for each other, of programs that other
//! executions end.
//!
//! A [prefix](super::prefix) of an execution, in which threads block where they wait, is a
//! deadlock if no blocked thread can go on: every such barrier waits for a thread blocked
//! elsewhere, or for more threads than ever arrive (PTX-9.7.13.1). A thread in a loop may leave the
//! loop, so that no thread counts as waiting for it. A reported deadlock has no thread in a loop.
//!
//! Three kinds of barriers are left out: cluster barriers that threads of one warp may reach apart,
//! barriers whose counts differ or are unknown, and quorums of columns. A thread does not count as
//! blocked there for ever, unless others of its warp are blocked elsewhere. Nor does a thread count
//! as arrived while others of its warp are blocked there.

use super::asked::Asked;
use super::barrier_reasons::reason_of_deadlock;
use super::limits::too_large;
use super::prefix::{Blocked, Blocking, Come, MOST_OPERATIONS, choose};
use super::waits::Precision;
use crate::collections::IndexMap;
use crate::event::graph::EventGraph;
use crate::execution::build::Execution;
use crate::id::{AgentId, BarrierId, ExprId};
use crate::program::expr::Binary;
use crate::rule::Extent;
use crate::verdict::{Reason, Undecided};
use crate::waiting::barrier::{BarrierKey, BarrierOp, BarrierRule, Quota};
use crate::waiting::phase::Whom;
use std::collections::BTreeSet;
use typed_index_collections::TiVec;

/// The threads that are not blocked at barriers for ever.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Others {
    /// The other threads end.
    End,
    /// The other threads end, are in loops, or wait for tasks with a thread that does not end.
    MayLoop,
}

/// The reason why threads of a non-terminating program wait at barriers for ever, if a matching
/// execution is found. Other threads may be in loops. Programs with very many operations are not
/// looked at.
///
/// # Errors
/// The reason if the engine cannot tell.
pub(super) fn in_no_end(asked: Asked<'_>) -> Result<Option<Reason>, Undecided> {
    let graph = asked.problem.graph;
    let others = !graph.cuts.is_empty() || !graph.api_edges.is_empty();
    let found = match find(asked, Others::End) {
        Ok(None) if others => find(asked, Others::MayLoop)?,
        // An execution of the other kind shows a deadlock, too.
        Err(why) if others => Some(find(asked, Others::MayLoop)?.ok_or(why)?),
        found => found?,
    };
    let Some(waiting) = found else { return Ok(None) };
    let extent = match graph.cuts.is_empty() {
        true => Extent::AllInOneExecution,
        false => Extent::NoneEndsInOneExecution,
    };
    Ok(Some(reason_of_deadlock(graph, extent, &waiting)))
}

/// The operations at which threads wait for ever in some execution.
fn find(asked: Asked<'_>, others: Others) -> Result<Option<Vec<BarrierId>>, Undecided> {
    let graph = asked.problem.graph;
    let many = graph.barriers.len() > MOST_OPERATIONS || too_large(graph).is_some();
    if graph.barriers.is_empty() || many || !graph.exprs.is_true(graph.filter) {
        return Ok(None);
    }
    let mut stays = Blocked::new(graph);
    let Deadlock { guard, held } = deadlock(&mut stays, others);
    let Blocked { mut graph, .. } = stays;
    let Some(choices) = asked.on(&graph).satisfying(guard)? else { return Ok(None) };
    graph.forget_cuts();
    let Ok(execution) = Execution::build(&graph, *choices) else { return Ok(None) };
    let holds = |&b: &BarrierId| execution.truth(held[b]) == Some(true);
    Ok(Some(held.keys().filter(holds).collect()))
}

/// The condition of a deadlock.
struct Deadlock {
    /// Some thread is held for ever, and the others are as asked.
    guard: ExprId,
    /// For each operation, when its thread is held there.
    held: TiVec<BarrierId, ExprId>,
}

/// The condition that some thread is blocked and can never go on, and that the others are as given.
fn deadlock(stays: &mut Blocked, others: Others) -> Deadlock {
    let is_prefix = stays.is_prefix();
    let mut elsewhere = elsewhere(stays);
    let mut guard = is_prefix;
    let held = match others {
        Others::End => {
            for &away in &elsewhere {
                let ends = stays.graph.exprs.not(away);
                guard = stays.graph.exprs.and(guard, ends);
            }
            stays.stays.clone()
        }
        Others::MayLoop => {
            let held = some_of(stays);
            for b in stays.stays.keys() {
                // A thread that is blocked, but not held, may go on.
                let agent = stays.agent(b).index();
                let exprs = &mut stays.graph.exprs;
                let not = exprs.not(held[b]);
                let goes_on = exprs.and(stays.stays[b], not);
                elsewhere[agent] = exprs.or(elsewhere[agent], goes_on);
            }
            stays.count_as_held(&held);
            held
        }
    };
    let exprs = &mut stays.graph.exprs;
    let some = held.iter().fold(exprs.truth(false), |any, &here| exprs.or(any, here));
    guard = exprs.and(guard, some);
    for b in stays.stays.keys() {
        if !stays.graph.exprs.is_false(held[b]) {
            let (stuck, _) = is_held(stays, b, &elsewhere);
            let stuck = stays.graph.exprs.implies(held[b], stuck);
            guard = stays.graph.exprs.and(guard, stuck);
        }
    }
    Deadlock { guard, held }
}

/// A choice among the operations at which threads are blocked.
fn some_of(stays: &mut Blocked) -> TiVec<BarrierId, ExprId> {
    let blocked: Vec<(BarrierId, ExprId)> =
        stays.stays.iter_enumerated().map(|(b, &here)| (b, here)).collect();
    let chosen = blocked.into_iter().map(|(b, here)| {
        if stays.graph.exprs.is_false(here) {
            return here;
        }
        let bit = choose(&mut stays.graph, b, "is held");
        stays.graph.exprs.and(here, bit)
    });
    chosen.collect()
}

/// For each thread, when it is in a loop or waits for a task with a thread that does not end.
fn elsewhere(stays: &mut Blocked) -> Vec<ExprId> {
    let mut elsewhere = stays.held.clone();
    for b in stays.stays.keys() {
        let agent = stays.agent(b).index();
        let exprs = &mut stays.graph.exprs;
        let not = exprs.not(stays.stays[b]);
        elsewhere[agent] = exprs.and(elsewhere[agent], not);
    }
    elsewhere
}

/// When a thread that is blocked at an operation can never go on. `elsewhere` tells for each thread
/// when it may still arrive.
pub(super) fn is_held(
    stays: &mut Blocked,
    b: BarrierId,
    elsewhere: &[ExprId],
) -> (ExprId, Precision) {
    let by_warp = stays.misses_warp(b);
    let (by_barrier, precision) = is_incomplete(stays, b, elsewhere);
    (stays.graph.exprs.or(by_warp, by_barrier), precision)
}

/// When the barrier of an operation that waits is never complete, as far as that is known.
fn is_incomplete(stays: &mut Blocked, b: BarrierId, elsewhere: &[ExprId]) -> (ExprId, Precision) {
    let op = stays.graph.barriers[b].clone();
    let missing = stays.graph.exprs.truth(false);
    if !op.waits {
        return (missing, Precision::Exact);
    }
    if let Some(quorum) = quorum(&stays.graph, &op.key) {
        let all = stays.graph.members(&op.key);
        let whom = Whom::Some(&all, quorum);
        return (stays.lacks(whom, b, Come::OneKind, Blocking::Counts), Precision::Exact);
    }
    if !are_alike(&stays.graph, &op.key) {
        return (missing, Precision::Sufficient);
    }
    let are_alone = are_alone(&stays.graph, &op.key);
    if let Some(wanted) = expected_count(&stays.graph, &op) {
        let precision = if are_alone { Precision::Exact } else { Precision::Sufficient };
        return (lacks(stays, &op.key, wanted, elsewhere), precision);
    }
    let of_cluster = matches!(op.key, BarrierKey::Cluster(_) | BarrierKey::Instance(..));
    if of_cluster && !are_alone {
        return (missing, Precision::Sufficient);
    }
    let others = stays.participants(b);
    let missing = stays.lacks(Whom::All(&others), b, Come::Arrivals, Blocking::Counts);
    (missing, Precision::Exact)
}

/// Whether the operations on a barrier all have the same known count, or all have none.
fn are_alike(graph: &EventGraph, key: &BarrierKey) -> bool {
    let here = || graph.barriers.iter().filter(|op| op.key == *key);
    let Some(first) = here().next() else { return false };
    let first = expected_count(graph, first);
    let plain =
        |op: &BarrierOp| matches!(op.rule, BarrierRule::AllLive | BarrierRule::Participants);
    here().all(|op| expected_count(graph, op) == first && (first.is_some() || plain(op)))
}

/// The number of threads that all operations on a barrier of columns ask for, if they agree.
fn quorum(graph: &EventGraph, key: &BarrierKey) -> Option<u128> {
    let here = graph.barriers.iter().filter(|op| op.key == *key);
    let mut counts = here.map(|op| match op.rule {
        BarrierRule::Quorum(count) => graph.exprs.constant(count),
        _ => None,
    });
    let first = counts.next()??;
    counts.all(|count| count == Some(first)).then_some(first)
}

/// Whether no two threads of a warp use a barrier.
fn are_alone(graph: &EventGraph, key: &BarrierKey) -> bool {
    let users = graph.barriers.iter().filter(|op| op.key == *key);
    let users: BTreeSet<AgentId> = users.map(|op| graph.event(op.event).agent).collect();
    users.iter().all(|&user| graph.mates(user).all(|mate| !users.contains(&mate)))
}

/// The number of threads, each of its own warp, that an operation with a count asks for.
fn expected_count(graph: &EventGraph, op: &BarrierOp) -> Option<u128> {
    let BarrierRule::Count(count) = op.rule else { return None };
    graph.exprs.constant(count).map(|count| Quota::by_count(count).number())
}

/// When fewer threads have arrived in a barrier's current phase than its count, and no thread that
/// might arrive is elsewhere. If threads of one warp arrive together, arrivals of all phases are
/// counted.
fn lacks(stays: &mut Blocked, key: &BarrierKey, wanted: u128, elsewhere: &[ExprId]) -> ExprId {
    let arrives = |&b: &BarrierId| {
        let op = &stays.graph.barriers[b];
        op.key == *key && op.arrives
    };
    let here: Vec<BarrierId> = stays.stays.keys().filter(arrives).collect();
    if most_warps(&stays.graph, key) < wanted {
        return stays.graph.exprs.truth(true);
    }
    let wanted = wanted.min(u128::from(u16::MAX));
    let wanted = stays.graph.exprs.number(wanted, BarrierOp::ORDINAL_BITS);
    let come = if are_alone(&stays.graph, key) {
        let passed = here.iter().map(|&b| stays.passed(b)).collect();
        let passed = stays.count(passed);
        let stay = here.iter().map(|&b| stays_arrived(stays, b)).collect();
        let stay = stays.count(stay);
        let exprs = &mut stays.graph.exprs;
        let open = exprs.binary(Binary::URem, passed, wanted);
        exprs.binary(Binary::Add, open, stay)
    } else {
        let warps = come_by_warp(stays, &here);
        stays.count(warps)
    };
    let may_come: BTreeSet<AgentId> = here.iter().map(|&b| stays.agent(b)).collect();
    let exprs = &mut stays.graph.exprs;
    let lacks = exprs.binary(Binary::ULt, come, wanted);
    may_come.into_iter().fold(lacks, |lacks, agent| {
        let not = exprs.not(elsewhere[agent.index()]);
        exprs.and(lacks, not)
    })
}

/// The number of warps with a thread that may use a barrier, within the bound or beyond.
fn most_warps(graph: &EventGraph, key: &BarrierKey) -> u128 {
    let (BarrierKey::Cta(cta, resource), all) = (key, &graph.barrier_uses) else {
        return u128::MAX;
    };
    let here = all.iter().filter(|used| used.cta == *cta);
    let here = here.filter(|used| used.resource.is_none_or(|own| own == *resource));
    let warps: BTreeSet<_> = here.map(|used| graph.warp_of(used.agent).ok_or(used.agent)).collect();
    warps.len() as u128
}

/// When a thread is blocked at an operation and has arrived. A thread that still waits for others
/// of its warp has not arrived.
fn stays_arrived(stays: &mut Blocked, b: BarrierId) -> ExprId {
    let misses = stays.misses_warp(b);
    let exprs = &mut stays.graph.exprs;
    let not = exprs.not(misses);
    exprs.and(stays.stays[b], not)
}

/// For each warp with these operations, when it has arrived with one.
fn come_by_warp(stays: &mut Blocked, operations: &[BarrierId]) -> Vec<ExprId> {
    let mut warps: IndexMap<_, ExprId> = IndexMap::default();
    for &b in operations {
        let agent = stays.agent(b);
        let warp = stays.graph.warp_of(agent).ok_or(agent);
        let (passed, arrives) = (stays.passed(b), stays_arrived(stays, b));
        let exprs = &mut stays.graph.exprs;
        let comes = exprs.or(passed, arrives);
        let all = warps.entry(warp).or_insert_with(|| exprs.truth(false));
        *all = exprs.or(*all, comes);
    }
    warps.into_values().collect()
}
