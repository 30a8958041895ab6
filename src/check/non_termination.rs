//! Programs that no execution ends, with loops in which threads may wait for ever: whether loops or
//! barriers are the cause.

use super::prefix::{Ends, before, up_to, with_loops_left};
use super::{Settings, barriers, deadlock, in_order, verdict_on, violated};
use crate::collections::IndexMap;
use crate::event::barrier::{BarrierKey, BarrierOp};
use crate::event::base::cta_of;
use crate::event::graph::EventGraph;
use crate::execution::phase::Barriers;
use crate::execution::schedule::{Misused, Schedules};
use crate::id::{AgentId, BarrierId};
use crate::solve::{Answer, Core, Engine, Goal, Problem};
use crate::source::Span;
use crate::verdict::{Decided, Reason, Undecided, Verdict};
use std::collections::BTreeSet;

/// The cause of the waiting.
enum Wait {
    /// At barriers, for each other, whether or not other threads stay in loops.
    AtBarriers(Reason),
    /// In loops that they never leave.
    InLoops,
    /// In loops or at barriers.
    Unclear,
    /// Nowhere: the verdict on a misuse that comes before.
    Misuse(Verdict),
}

/// The verdict if no execution ends and threads may wait at `loops` for ever.
pub(super) fn verdict(
    problem: Problem<'_>,
    core: Core,
    loops: Vec<Span>,
    engine: &dyn Engine,
    settings: Settings,
) -> Verdict {
    let graph = problem.graph;
    let loops = never_left(problem, loops, engine, settings);
    let wait = || match graph.barriers.is_empty() {
        true => Ok(Wait::InLoops),
        false => wait(problem, engine, settings),
    };
    let endless = |endless| Verdict::Forbidden(Core { endless, ..Core::default() });
    let by_wait = || match wait() {
        Ok(Wait::AtBarriers(reason)) => Verdict::Deadlock(reason),
        Ok(Wait::InLoops) => endless(loops.clone()),
        Ok(Wait::Unclear) => endless(with_barriers(graph, &loops)),
        Ok(Wait::Misuse(verdict)) => verdict,
        Err(why) => Verdict::Unknown(why),
    };
    match engine.find(problem, Goal::Endless, settings.budget).decided() {
        Ok(Decided::Yes(_)) => {
            barriers::certain_misuse(problem, engine, settings).unwrap_or_else(by_wait)
        }
        Ok(Decided::No(_)) if graph.barriers.is_empty() => Verdict::Forbidden(core),
        Ok(Decided::No(_)) => match barriers::stuck(problem, core, engine, settings) {
            Verdict::Deadlock(_) => by_wait(),
            other => other,
        },
        Err(why) => Verdict::Unknown(why),
    }
}

/// The most loops that are asked about one by one.
const MOST_LOOPS: usize = 16;

/// The loops that threads reach and never leave, independent of the other loops. All loops if the
/// engine takes too long.
fn never_left(
    problem: Problem<'_>,
    loops: Vec<Span>,
    engine: &dyn Engine,
    settings: Settings,
) -> Vec<Span> {
    if loops.len() < 2 || loops.len() > MOST_LOOPS {
        return loops;
    }
    let stays = |&at: &Span| {
        let mut graph = problem.graph.clone();
        graph.cuts.retain(|cut| cut.span == at);
        let find =
            |goal| engine.find(Problem { graph: &graph, ..problem }, goal, settings.budget.aside());
        matches!(find(Goal::Endless), Answer::Yes(_))
            && matches!(find(Goal::Complete), Answer::No(_))
    };
    let (found, others): (Vec<Span>, Vec<Span>) = loops.into_iter().partition(stays);
    if found.is_empty() { others } else { found }
}

/// The branches of the loops, and the barriers at which threads may wait.
fn with_barriers(graph: &EventGraph, loops: &[Span]) -> Vec<Span> {
    let waiting = graph.barriers.iter().filter(|op| op.waits);
    in_order(loops.iter().copied().chain(waiting.map(|op| graph.event(op.event).span)))
}

/// Where threads wait, by the barriers that they use if no thread stays in a loop. For threads that
/// are stuck then, or misuse a barrier, an execution has to show that up to there all threads, or
/// at least the stuck ones, leave their loops.
///
/// # Errors
/// The reason if the engine cannot tell.
fn wait(problem: Problem<'_>, engine: &dyn Engine, settings: Settings) -> Result<Wait, Undecided> {
    let graph = problem.graph;
    let left = with_loops_left(graph, |_| true);
    let (schedules, open) = Schedules::new(Barriers::certain(&left)).settled();
    let completes = |graph: &EventGraph| {
        let answer = engine.find(Problem { graph, ..problem }, Goal::Complete, settings.budget);
        Ok(matches!(answer.decided()?, Decided::Yes(_)))
    };
    let ends_at = |places: &[BarrierId]| {
        Some(Ends::new(&left, places)).filter(|ends| ends.stops_are_own(&left, places))
    };
    // Whether all threads leave their loops and some thread reaches its stopping place.
    let come_to = |ends: &Ends| completes(&up_to(graph, ends, |_| true));
    let one_end = schedules.lead_to_one_end();
    if let Some(b) = never_complete(graph, &left, completes)? {
        return Ok(Wait::AtBarriers(barriers::deadlock(graph, &[b])));
    }
    let Ok(misuses) = schedules.misuses() else { return Ok(Wait::Unclear) };
    for Misused { misuse, places, .. } in misuses {
        if let Some(ends) = ends_at(&places)
            && come_to(&ends)?
        {
            return Ok(Wait::Misuse(Verdict::Undefined(barriers::of_misuse(graph, misuse))));
        }
    }
    for places in schedules.ends().iter().filter(|places| !places.is_empty()) {
        let before = before(graph, &Ends::new(&left, places));
        match violated(Problem { graph: &before, ..problem }, engine, settings) {
            Ok(None) => {}
            // The execution belongs to a prefix, not to the program that is shown.
            Ok(Some((index, _))) => {
                return Ok(Wait::Misuse(verdict_on(&before.violations[index], None)));
            }
            Err(why) => return Ok(Wait::Misuse(why)),
        }
    }
    let (stuck, all_ends) = schedules.stuck_by_order();
    let mut settled = !open.contains(&true) && all_ends;
    if settled && one_end && stuck.iter().all(Vec::is_empty) {
        return Ok(Wait::InLoops);
    }
    let at_barriers = |waiting: &[BarrierId]| {
        let reason = if one_end { barriers::deadlock } else { barriers::deadlock_in_one_order };
        Wait::AtBarriers(reason(graph, waiting))
    };
    // If all threads pass in one order, some may be stuck in another.
    for waiting in stuck.iter().filter(|waiting| one_end || !waiting.is_empty()) {
        match ends_at(waiting) {
            Some(ends) if come_to(&ends)? => return Ok(at_barriers(waiting)),
            Some(_) => {}
            None => settled = false,
        }
        for group in by_cta(graph, waiting) {
            let first = first_of_others(graph, &group);
            if are_reached(graph, waiting, &group, completes)?
                || are_reached(graph, &first, &group, completes)?
            {
                if one_end {
                    return Ok(at_barriers(&group));
                }
                // The threads missing in this order may have met threads that stay in loops.
                settled = false;
            }
        }
    }
    if let Some(found) = by_values(problem, engine, settings) {
        return Ok(found);
    }
    if settled {
        return Ok(Wait::InLoops);
    }
    let (true, [stuck]) = (one_end, &stuck[..]) else { return Ok(Wait::Unclear) };
    // A barrier whose participants depend on values may be the barrier that is never passed. This
    // is excluded if the loops are not left even without waits at that barrier.
    let passes = |op: &BarrierOp| !open[graph.event(op.event).agent.index()];
    // The result of a reduction is unknown in executions that leave it out.
    let ends = Ends::new(&left, stuck);
    let mut reductions = graph.barriers.iter().filter(|op| op.returns());
    if reductions.all(passes) && !completes(&up_to(graph, &ends, passes))? {
        return Ok(Wait::InLoops);
    }
    Ok(Wait::Unclear)
}

/// Threads that wait at barriers which they reach if values say so.
fn by_values(problem: Problem<'_>, engine: &dyn Engine, settings: Settings) -> Option<Wait> {
    deadlock::in_no_end(problem, engine, settings).map(Wait::AtBarriers)
}

/// The operations at which threads are stuck, by CTA. All are in one group if a thread may be stuck
/// because of another CTA, at a cluster barrier or before a task.
fn by_cta(graph: &EventGraph, stuck: &[BarrierId]) -> Vec<Vec<BarrierId>> {
    let mut groups: IndexMap<_, Vec<BarrierId>> = IndexMap::default();
    let of_cluster = |&b: &BarrierId| matches!(graph.barriers[b].key, BarrierKey::Cluster(_));
    if !graph.api_edges.is_empty() || stuck.iter().any(of_cluster) {
        let all = (!stuck.is_empty()).then(|| stuck.to_vec());
        return all.into_iter().collect();
    }
    for b in stuck {
        groups.entry(cta_of(graph, graph.barriers[*b].event)).or_default().push(*b);
    }
    groups.into_values().collect()
}

/// An operation that a thread reaches at a barrier that never completes under any behaviour of the
/// other threads. `left` is the program in which all threads leave their loops.
fn never_complete(
    graph: &EventGraph,
    left: &EventGraph,
    completes: impl Fn(&EventGraph) -> Result<bool, Undecided>,
) -> Result<Option<BarrierId>, Undecided> {
    for b in graph.barriers.keys().filter(|&b| too_few_can_arrive(graph, b)) {
        let is_certain = left.exprs.is_true(left.event(left.barriers[b].event).guard);
        let first = first_of_others(graph, &[b]);
        if is_certain && are_reached(graph, &first, &[b], &completes)? {
            return Ok(Some(b));
        }
    }
    Ok(None)
}

/// Whether fewer warps have operations on the barrier of a waiting operation than its count asks
/// for.
fn too_few_can_arrive(graph: &EventGraph, b: BarrierId) -> bool {
    let op = &graph.barriers[b];
    let Some(wanted) = deadlock::expected_count(graph, op) else { return false };
    let here = graph.barriers.iter().filter(|other| other.key == op.key && other.arrives);
    let agents = here.map(|other| graph.event(other.event).agent);
    let warps: BTreeSet<_> = agents.map(|agent| graph.warp_of(agent).ok_or(agent)).collect();
    op.waits && (warps.len() as u128) < wanted
}

/// The operations of a group, and the first operation of each thread outside. Threads that wait for
/// others in loops get that far.
fn first_of_others(graph: &EventGraph, group: &[BarrierId]) -> Vec<BarrierId> {
    let agent = |b: BarrierId| graph.event(graph.barriers[b].event).agent;
    let mut seen: Vec<AgentId> = group.iter().map(|&b| agent(b)).collect();
    let mut out = group.to_vec();
    for b in graph.barriers.keys() {
        if !seen.contains(&agent(b)) {
            seen.push(agent(b));
            out.push(b);
        }
    }
    out
}

/// Whether threads reach a group of the operations at which threads are stuck, even if others stay
/// in loops.
fn are_reached(
    graph: &EventGraph,
    stuck: &[BarrierId],
    group: &[BarrierId],
    completes: impl Fn(&EventGraph) -> Result<bool, Undecided>,
) -> Result<bool, Undecided> {
    let is_stuck =
        |agent: AgentId| group.iter().any(|&b| graph.event(graph.barriers[b].event).agent == agent);
    let left = with_loops_left(graph, is_stuck);
    let ends = Ends::new(&left, stuck);
    let mut reached = up_to(graph, &ends, |_| true);
    reached.cuts.retain(|cut| is_stuck(cut.agent));
    Ok(ends.stops_are_own(&left, group) && completes(&reached)?)
}
