//! Misuse of barriers that no guard expresses. Examples are operations that may meet but must not,
//! and programs that no execution completes.

use super::deadlock::in_no_end;
use super::prefix::{Ends, up_to, with_loops_left};
use super::time::{self, Wrong};
use super::{Settings, barrier_counts, barrier_reuse, in_order, too_large, verdict_on};
use crate::collections::IndexSet;
use crate::event::barrier::{BarrierKey, BarrierOp, BarrierRule, WARP_SIZE};
use crate::event::graph::{EventGraph, Violation};
use crate::execution::build::Choices;
use crate::execution::phase::{Barriers, TooMany};
use crate::execution::schedule::{Misuse, Misused, Schedules};
use crate::id::{AgentId, BarrierId};
use crate::rule::{Extent, Rule, Unsupported};
use crate::solve::{Core, Engine, Goal, Problem};
use crate::verdict::{Decided, Reason, Undecided, Verdict};
use rustc_hash::{FxHashMap, FxHashSet};

/// The verdict if barriers of CTAs are misused in some order of their operations (PTX-9.7.13.1).
pub(super) fn misuse(
    problem: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Verdict> {
    let graph = problem.graph;
    if graph.barriers.is_empty() || too_large(graph).is_some() {
        return None;
    }
    let first = barrier_reuse::first_return(graph);
    let schedules = Schedules::new(Barriers::certain(graph));
    // If threads can meet in one way only, the orders between barriers decide.
    let clash = may_differ(graph) || may_mix(graph);
    if (clash || (first.is_some() && !schedules.is_fixed()))
        && let Some(verdict) = misused(problem, &schedules, engine, settings)
    {
        return Some(verdict);
    }
    if may_mix(graph) && Barriers::fixed(graph).is_none() {
        return Some(unsupported(Unsupported::BarrierMixture));
    }
    if let Some(verdict) = barrier_counts::differ(problem, engine, settings) {
        return Some(verdict);
    }
    barrier_reuse::early(problem, first?, engine, settings)
        .or_else(|| barrier_reuse::behind_a_branch(problem, engine, settings))
}

/// Whether operations with different thread counts may use one barrier.
pub(super) fn may_differ(graph: &EventGraph) -> bool {
    let mut known = FxHashMap::default();
    graph.barriers.iter().any(|op| {
        matches!(op.key, BarrierKey::Cta(..))
            && *known.entry(&op.key).or_insert(&op.rule) != &op.rule
    })
}

/// Whether some barrier has reductions, other operations and counts.
fn may_mix(graph: &EventGraph) -> bool {
    let counts = |op: &&BarrierOp| {
        matches!(op.key, BarrierKey::Cta(..)) && matches!(op.rule, BarrierRule::Count(_))
    };
    graph.barriers.iter().filter(counts).any(|counted| {
        let here = || graph.barriers.iter().filter(|op| op.key == counted.key);
        here().any(|op| op.reduction.is_some()) && here().any(|op| op.reduction.is_none())
    })
}

/// The verdict if no execution completes: a misuse that is undefined, or else a deadlock.
///
/// If threads can meet so that all barriers are passed, the cause is elsewhere: axioms exclude
/// every execution.
pub(super) fn stuck(
    problem: Problem<'_>,
    core: Core,
    engine: &dyn Engine,
    settings: Settings,
) -> Verdict {
    let graph = problem.graph;
    match Barriers::fixed(graph).map_or(Ok(Vec::new()), |barriers| barriers.assignments()) {
        Ok(meetings) if meetings.is_empty() => {}
        Ok(_) => return Verdict::Forbidden(core),
        Err(why) => return too_many(why),
    }
    let schedules = Schedules::new(Barriers::certain(graph));
    if let Some(verdict) = certain_misuse_in(problem, &schedules, engine, settings) {
        return verdict;
    }
    if let Some(verdict) = barrier_counts::differ_before_an_end(problem, engine, settings) {
        return verdict;
    }
    // Threads may wait at other operations than those that surely happen.
    if Barriers::fixed(graph).is_none()
        && let Some(reason) = in_no_end(problem, engine, settings)
    {
        return Verdict::Deadlock(reason);
    }
    let extent = match schedules.lead_to_one_end() {
        true => Extent::All,
        false => Extent::AllInOneOrder,
    };
    let why = deadlock(graph, &schedules.stuck());
    Verdict::Deadlock(Reason { rule: why.rule.in_executions(extent), ..why })
}

/// The verdict on a violation that some schedule reaches.
fn violated(graph: &EventGraph, schedules: &Schedules<'_>) -> Result<Option<Verdict>, TooMany> {
    for violation in graph.violations.iter().filter(|v| graph.exprs.is_true(v.guard)) {
        // Schedules do not tell which threads wait for a task.
        let mut behind = violation.behind.iter();
        let sure = graph.api_edges.is_empty()
            && violation.ended.is_empty()
            && behind.all(|&(agent, count)| surely_arrives(graph, agent, count));
        if sure && schedules.pass(&violation.behind)? {
            return Ok(Some(verdict_on(violation, None)));
        }
    }
    Ok(None)
}

/// Whether a thread's operations among the first `count` do not depend on values: schedules stop
/// before the first operation that does.
fn surely_arrives(graph: &EventGraph, agent: AgentId, count: usize) -> bool {
    graph.barriers.iter().take(count).all(|op| {
        let event = graph.event(op.event);
        event.agent != agent || graph.exprs.constant(event.guard).is_some()
    })
}

/// The verdict on a misuse in some order of the operations that surely happen.
pub(super) fn certain_misuse(
    problem: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Verdict> {
    let schedules = Schedules::new(Barriers::certain(problem.graph));
    certain_misuse_in(problem, &schedules, engine, settings)
}

fn certain_misuse_in(
    problem: Problem<'_>,
    schedules: &Schedules<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Verdict> {
    match violated(problem.graph, schedules) {
        Ok(None) => misused(problem, schedules, engine, settings),
        Ok(verdict) => verdict,
        Err(why) => Some(too_many(why)),
    }
}

fn too_many(why: TooMany) -> Verdict {
    unsupported(why.into())
}

pub(super) fn unsupported(what: Unsupported) -> Verdict {
    Verdict::Unknown(Undecided::Unsupported(what))
}

/// The verdict on a misuse in some schedule.
fn misused(
    problem: Problem<'_>,
    schedules: &Schedules<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Verdict> {
    match schedules.misuses() {
        Ok(found) => match found.first() {
            Some(found) => Some(Verdict::Undefined(of_misuse(problem.graph, found.misuse))),
            None => behind_loops_of_tasks(problem, engine, settings),
        },
        Err(why) => Some(too_many(why)),
    }
}

/// The verdict on a misuse after a task with loops, if an execution shows that the task's threads
/// leave their loops.
fn behind_loops_of_tasks(
    problem: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Verdict> {
    let graph = problem.graph;
    let earlier: FxHashSet<AgentId> =
        graph.api_edges.iter().map(|&(earlier, _)| graph.event(earlier).agent).collect();
    let loops = graph.cuts.iter().any(|cut| earlier.contains(&cut.agent));
    if !loops || !graph.exprs.is_true(graph.filter) {
        return None;
    }
    let left = with_loops_left(graph, |agent| earlier.contains(&agent));
    let found = match Schedules::new(Barriers::certain(&left)).misuses() {
        Ok(found) => found,
        Err(why) => return Some(too_many(why)),
    };
    for Misused { misuse, places, crowd } in found {
        let ends = Ends::new(&left, &places);
        if !ends.stops_are_own(&left, &places) {
            continue;
        }
        let mut before = up_to(graph, &ends, |_| true);
        let mut guard = before.exprs.truth(true);
        for &agent in crowd.iter().filter(|agent| earlier.contains(agent)) {
            let comes = ends.arrives(graph, &mut before.exprs, agent);
            guard = before.exprs.and(guard, comes);
        }
        // The question does not depend on other threads that stay in loops.
        before.forget_cuts();
        let reason = of_misuse(graph, misuse);
        before.violations = vec![Violation::asked(guard, reason.spans[0])];
        let problem = Problem { graph: &before, ..problem };
        match engine.find(problem, Goal::Violation(0), settings.budget).decided() {
            Ok(Decided::Yes(_)) => return Some(Verdict::Undefined(reason)),
            Ok(Decided::No(_)) => {}
            Err(why) => return Some(Verdict::Unknown(why)),
        }
    }
    None
}

/// The reason why a program with a misuse is undefined.
pub(super) fn of_misuse(graph: &EventGraph, misuse: Misuse) -> Reason {
    match misuse {
        Misuse::EarlyReturn(a, b) => barrier_reuse::reason(graph, a, b, None),
        Misuse::DifferentCounts(a, b) => barrier_counts::reason(graph, a, b, None),
        Misuse::Mixture(a, b) => reason(graph, Rule::BarrierMixture, [a, b], None),
    }
}

/// The reason why a program with these two operations is undefined, in an execution of these
/// choices if one is known.
pub(super) fn reason(
    graph: &EventGraph,
    rule: Rule,
    operations: [BarrierId; 2],
    choices: Option<Box<Choices>>,
) -> Reason {
    let spans = operations.map(|op| graph.event(graph.barriers[op].event).span);
    Reason { rule, spans: spans.to_vec(), choices }
}

/// The verdict if some execution has two operations in a wrong relation. The model is evaluated on
/// this execution, and `reason` describes the pair.
pub(super) fn search_violation(
    problem: Problem<'_>,
    wrong: Wrong<'_>,
    engine: &dyn Engine,
    settings: Settings,
    reason: impl Fn(&EventGraph, BarrierId, BarrierId, Option<Box<Choices>>) -> Reason,
) -> Option<Verdict> {
    let pairs = wrong.pairs;
    time::search_violation(problem, wrong, engine, settings, |problem, choices| {
        let index = |id| problem.graph.barrier_index(id).expect("a barrier operation");
        match pairs.confirm(problem, &choices) {
            Ok((execution, (a, b))) => {
                let (a, b) = (index(a), index(b));
                // The question tells from constant counts which arrivals complete a barrier alone.
                let alone = |&b: &BarrierId| {
                    let op = &problem.graph.barriers[b];
                    let asks = |count| execution.value(count) == Some(WARP_SIZE);
                    !op.waits && !problem.graph.knows_count(op) && op.count().is_some_and(asks)
                };
                if [a, b].iter().any(alone) {
                    return unsupported(Unsupported::LoneArrival);
                }
                Verdict::Undefined(reason(problem.graph, a, b, Some(choices)))
            }
            Err(why) => {
                let relation = pairs.relation();
                Verdict::Error(format!("the engine's operations are not in `{relation}`: {why}"))
            }
        }
    })
}

/// The deadlock at these operations. The list is empty if values decide the participants or the
/// count of a barrier; the deadlock is then at all operations where threads may wait.
pub(super) fn deadlock(graph: &EventGraph, waiting: &[BarrierId]) -> Reason {
    let (may, waiting) = match waiting {
        [] => (true, open_barriers(graph)),
        certain => (false, certain.to_vec()),
    };
    reason_of(graph, Extent::All, may, &waiting)
}

/// As [`deadlock`], if other threads stay in loops or stop elsewhere. The threads wait at these
/// operations in one of the orders.
pub(super) fn deadlock_in_one_order(graph: &EventGraph, waiting: &[BarrierId]) -> Reason {
    reason_of(graph, Extent::NoneEndsInOneOrder, false, waiting)
}

fn reason_of(graph: &EventGraph, extent: Extent, may: bool, waiting: &[BarrierId]) -> Reason {
    let waits = if may { "may wait" } else { "waits" };
    // An unrolled loop has several copies of one operation.
    let told =
        |&b: &BarrierId| format!("{}{}", whereabouts(graph, b, waits), awaited(graph, b, waiting));
    let threads: IndexSet<String> = waiting.iter().map(told).collect();
    Reason {
        rule: stuck_at(graph, extent, threads.into_iter().collect(), waiting),
        spans: in_order(waiting.iter().map(|&b| graph.event(graph.barriers[b].event).span)),
        choices: None,
    }
}

/// The rule that threads wait at these operations, in these words.
pub(super) fn stuck_at(
    graph: &EventGraph,
    extent: Extent,
    words: Vec<String>,
    waiting: &[BarrierId],
) -> Rule {
    let sections: IndexSet<_> = waiting.iter().map(|&b| graph.barriers[b].key.section()).collect();
    Rule::Stuck { extent, waiting: words, clauses: sections.into_iter().collect() }
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
pub(super) fn whereabouts(graph: &EventGraph, operation: BarrierId, waits: &str) -> String {
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
