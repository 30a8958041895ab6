//! What goes wrong at barriers without a guard that tells: operations that must not meet but may,
//! and programs that no execution completes.

use super::{Settings, too_large};
use crate::event::graph::{BarrierKey, BarrierOp, BarrierRule, EventGraph};
use crate::execution::barrier::Barriers;
use crate::id::AgentId;
use crate::solve::{Answer, Engine, Goal, Problem};
use crate::verdict::{Reason, Undecided, Verdict};
use indexmap::IndexMap;

/// The verdict where a reduction and another operation may meet at a barrier with a thread count,
/// which is undefined (PTX-9.7.13.1). Without counts a guard says who meets.
pub(super) fn mixed(
    problem: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Verdict> {
    let graph = problem.graph;
    if !may_mix(graph) || too_large(graph).is_some() {
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
fn fixed(graph: &EventGraph) -> Option<Barriers<'_>> {
    let constant = |op: &BarrierOp| {
        let guard = graph.exprs.constant(graph.event(op.event).guard);
        guard.is_some() && op.count().is_none_or(|count| graph.exprs.constant(count).is_some())
    };
    graph.barriers.iter().all(constant).then(|| certain(graph))
}

/// The operations that every execution has.
fn certain(graph: &EventGraph) -> Barriers<'_> {
    Barriers::new(
        graph,
        |event| graph.exprs.is_true(graph.event(event).guard),
        |count| graph.exprs.constant(count),
    )
}

/// No execution completes: because of a misuse that is undefined, or else of a deadlock.
pub(super) fn stuck(graph: &EventGraph) -> Verdict {
    let barriers = certain(graph);
    let certainly = graph.violations.iter().find(|v| {
        let reached = v.behind.is_none_or(|(agent, count)| barriers.surely_pass(agent, count));
        graph.exprs.is_true(v.guard) && reached
    });
    let misuse = certainly.map(|violation| Reason {
        rule: violation.rule.clone(),
        spans: vec![violation.span],
        choices: None,
    });
    match misuse.or_else(|| disagreement(graph)) {
        Some(reason) => Verdict::Undefined(reason),
        None => Verdict::Deadlock(deadlock(graph)),
    }
}

/// Two threads that come to one barrier with different thread counts, or to reduce and for
/// something else: undefined (PTX-9.7.13.1).
fn disagreement(graph: &EventGraph) -> Option<Reason> {
    let barriers = certain(graph);
    let counts = barriers.different_counts().map(|(a, b)| {
        let key = &graph.barriers[a].key;
        let rule = format!("threads come to {key} with different counts (PTX-9.7.13.1)");
        reason(graph, rule, a, b)
    });
    counts.or_else(|| barriers.stuck_mixture().map(|(a, b)| mixture(graph, a, b)))
}

fn mixture(graph: &EventGraph, a: usize, b: usize) -> Reason {
    let rule = "`.red` and another barrier operation on one barrier (PTX-9.7.13.1)";
    reason(graph, rule.to_owned(), a, b)
}

fn reason(graph: &EventGraph, rule: String, a: usize, b: usize) -> Reason {
    let spans = [a, b].map(|op| graph.event(graph.barriers[op].event).span);
    Reason { rule, spans: spans.to_vec(), choices: None }
}

/// Who waits: the barrier operations of the program.
fn deadlock(graph: &EventGraph) -> Reason {
    let waiting: Vec<_> = graph.barriers.iter().filter(|b| b.waits).collect();
    let mut places: IndexMap<AgentId, Vec<String>> = IndexMap::new();
    for operation in &waiting {
        let at = places.entry(graph.event(operation.event).agent).or_default();
        let key = operation.key.to_string();
        if !at.contains(&key) {
            at.push(key);
        }
    }
    let threads: Vec<String> = places
        .iter()
        .map(|(agent, keys)| {
            format!("{} waits at {}", graph.agents[agent.index()].name, keys.join(", then at "))
        })
        .collect();
    Reason {
        rule: format!("no execution passes all barriers: {}", threads.join("; ")),
        spans: waiting.iter().map(|b| graph.event(b.event).span).collect(),
        choices: None,
    }
}
