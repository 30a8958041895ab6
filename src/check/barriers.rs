//! What goes wrong at barriers without a guard that tells: operations that must not meet but may,
//! and programs that no execution completes.

use super::{Settings, reuse, too_large};
use crate::event::graph::{BarrierKey, BarrierOp, BarrierRule, EventGraph};
use crate::execution::barrier::Barriers;
use crate::execution::schedule::{Misuse, Schedules, TooMany};
use crate::solve::{Answer, Core, Engine, Goal, Problem};
use crate::verdict::{Reason, Undecided, Verdict};
use rustc_hash::FxHashMap;

/// The verdict where barriers of CTAs are misused in some order of their operations (PTX-9.7.13.1).
pub(super) fn misuse(
    problem: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Verdict> {
    let graph = problem.graph;
    if graph.barriers.is_empty() || too_large(graph).is_some() {
        return None;
    }
    let returns = reuse::returns(graph);
    let schedules = Schedules::new(certain(graph));
    // Where threads cannot meet in different ways, the orders between barriers say it all.
    let clash = may_differ(graph) || may_mix(graph);
    if clash || (!returns.is_empty() && !schedules.is_fixed()) {
        match schedules.misuse() {
            Ok(None) => {}
            Ok(Some(misuse)) => return Some(Verdict::Undefined(misused(graph, misuse))),
            Err(TooMany) => {
                let what = "too many orders of operations at barriers with thread counts";
                return Some(Verdict::Unknown(Undecided::Unsupported(what.to_owned())));
            }
        }
    }
    mixed(problem, engine, settings).or_else(|| reuse::early(problem, &returns, engine, settings))
}

/// Whether operations with different thread counts may come to one barrier.
fn may_differ(graph: &EventGraph) -> bool {
    let mut counts = FxHashMap::default();
    graph.barriers.iter().any(|op| {
        matches!(op.key, BarrierKey::Cta(..))
            && *counts.entry(&op.key).or_insert(&op.rule) != &op.rule
    })
}

/// The verdict where a reduction and another operation may meet at a barrier with a thread count,
/// which is undefined (PTX-9.7.13.1). Without counts a guard says who meets.
fn mixed(problem: Problem<'_>, engine: &dyn Engine, settings: Settings) -> Option<Verdict> {
    let graph = problem.graph;
    if !may_mix(graph) {
        return None;
    }
    let Some(barriers) = fixed(graph) else {
        let what = "`.red` and other operations with a thread count on one barrier, where branches \
                    decide who comes";
        return Some(Verdict::Unknown(Undecided::Unsupported(what.to_owned())));
    };
    let (a, b) = barriers.assignments().iter().find_map(|meeting| barriers.mixture(meeting))?;
    match engine.find(problem, Goal::Complete, settings.budget) {
        Answer::Yes(_) => Some(Verdict::Undefined(mixture(graph, a, b))),
        Answer::No(_) => None,
        Answer::Unknown(why) => Some(Verdict::Unknown(Undecided::Engine(why))),
        Answer::Unsupported(why) => Some(Verdict::Unknown(Undecided::Unsupported(why))),
    }
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

/// The barrier operations, where constants say who executes which with what count.
pub(super) fn fixed(graph: &EventGraph) -> Option<Barriers<'_>> {
    let constant = |op: &BarrierOp| {
        let guard = graph.exprs.constant(graph.event(op.event).guard);
        guard.is_some() && op.count().is_none_or(|count| graph.exprs.constant(count).is_some())
    };
    graph.barriers.iter().all(constant).then(|| certain(graph))
}

/// The operations that every execution has.
pub(super) fn certain(graph: &EventGraph) -> Barriers<'_> {
    Barriers::new(
        graph,
        |event| graph.exprs.is_true(graph.event(event).guard),
        |count| graph.exprs.constant(count),
    )
}

/// No execution completes: because of a misuse that is undefined, or else of a deadlock.
///
/// Where threads can meet so that all barriers are passed, it is for another reason: the axioms
/// that exclude every execution.
pub(super) fn stuck(graph: &EventGraph, core: Core) -> Verdict {
    if fixed(graph).is_some_and(|barriers| !barriers.assignments().is_empty()) {
        return Verdict::Forbidden(core);
    }
    let schedules = Schedules::new(certain(graph));
    let certainly = graph.violations.iter().find(|v| {
        let reached = v.behind.is_none_or(|(agent, count)| schedules.pass(agent, count));
        graph.exprs.is_true(v.guard) && reached
    });
    let violation = certainly.map(|violation| Reason {
        rule: violation.rule.clone(),
        spans: vec![violation.span],
        choices: None,
    });
    match violation.or_else(|| certain_misuse(graph)) {
        Some(reason) => Verdict::Undefined(reason),
        None => Verdict::Deadlock(deadlock(graph, &schedules.stuck())),
    }
}

/// A misuse in some order of the operations that surely happen.
pub(super) fn certain_misuse(graph: &EventGraph) -> Option<Reason> {
    let misuse = Schedules::new(certain(graph)).misuse().ok().flatten()?;
    Some(misused(graph, misuse))
}

fn misused(graph: &EventGraph, misuse: Misuse) -> Reason {
    match misuse {
        Misuse::EarlyReturn(a, b) => reuse::reason(graph, a, b, None),
        Misuse::DifferentCounts(a, b) => {
            let key = &graph.barriers[a].key;
            let rule = format!("threads come to {key} with different counts (PTX-9.7.13.1)");
            reason(graph, rule, a, b)
        }
        Misuse::Mixture(a, b) => mixture(graph, a, b),
    }
}

fn mixture(graph: &EventGraph, a: usize, b: usize) -> Reason {
    let rule = "`.red` and another barrier operation on one barrier (PTX-9.7.13.1)";
    reason(graph, rule.to_owned(), a, b)
}

fn reason(graph: &EventGraph, rule: String, a: usize, b: usize) -> Reason {
    let spans = [a, b].map(|op| graph.event(graph.barriers[op].event).span);
    Reason { rule, spans: spans.to_vec(), choices: None }
}

/// Who waits in the end, at these operations.
fn deadlock(graph: &EventGraph, waiting: &[usize]) -> Reason {
    let threads: Vec<String> = waiting
        .iter()
        .map(|&index| {
            let operation = &graph.barriers[index];
            let agent = graph.event(operation.event).agent;
            format!("{} waits at {}", graph.agents[agent.index()].name, operation.key)
        })
        .collect();
    Reason {
        rule: format!("no execution passes all barriers: {}", threads.join("; ")),
        spans: waiting.iter().map(|&b| graph.event(graph.barriers[b].event).span).collect(),
        choices: None,
    }
}
