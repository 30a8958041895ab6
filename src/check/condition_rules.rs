//! A failed condition of the model into the rule that is broken: what its pair is, in words of
//! programs. A condition without words of its own is told by its name.

use crate::event::base::is_in;
use crate::event::graph::EventGraph;
use crate::execution::build::Execution;
use crate::id::{BarrierId, EventId};
use crate::race;
use crate::relation::expr::Axiom;
use crate::rule::{Finding, Rule, Unsupported};
use crate::verdict::Undecided;
use crate::vocabulary::BaseSet;
use crate::waiting::barrier::WARP_SIZE;

/// The rule that an execution breaks with a pair of a condition.
///
/// # Errors
/// The reason if the pair is not known to fail it.
pub(super) fn rule(
    condition: &Axiom,
    execution: &Execution<'_>,
    pair: Option<(EventId, EventId)>,
) -> Result<Rule, Undecided> {
    let (name, clauses) = (condition.name.clone(), condition.clauses.clone());
    let found = match pair {
        Some(pair) => finding(&name, execution, pair)?,
        None => Finding::Failure,
    };
    Ok(Rule::Condition { name, clauses, found: Box::new(found) })
}

fn finding(
    name: &str,
    execution: &Execution<'_>,
    (a, b): (EventId, EventId),
) -> Result<Finding, Undecided> {
    let graph = execution.graph;
    let thread = || graph.agents[graph.event(a).agent.index()].name.clone();
    let peer = is_in(graph, a, BaseSet::Peer);
    let object = || &graph.objects[graph.access_of(a).object.index()];
    let cta = || object().shared.map_or(0, |(_, _, cta)| cta);
    let accesses = graph.event(a).is_memory() && graph.event(b).is_memory();
    let barriers = [a, b].iter().all(|&id| graph.barrier(id).is_some());
    if barriers && [a, b].iter().any(|&id| may_be_lone(execution, id)) {
        return Err(Undecided::Unsupported(Unsupported::LoneArrival));
    }
    Ok(match name {
        _ if barriers => at_barrier(name, graph, a),
        "CTA-Started" if peer => {
            Finding::BeforeStart { thread: thread(), object: object().name.clone(), cta: cta() }
        }
        "CTA-Alive" if peer => {
            Finding::AfterExit { thread: thread(), object: object().name.clone(), cta: cta() }
        }
        "Mixed-Size" if accesses => {
            let (first, second) = (a.min(b), a.max(b));
            let access = |id: EventId| race::describe(graph, graph.event(id).access);
            Finding::MixedRace { accesses: [access(first), access(second)] }
        }
        _ => Finding::Failure,
    })
}

/// The rule that two barrier operations break.
pub(super) fn of_barriers(condition: &Axiom, graph: &EventGraph, [a, _]: [BarrierId; 2]) -> Rule {
    let found = Box::new(at_barrier(&condition.name, graph, graph.barriers[a].event));
    Rule::Condition { name: condition.name.clone(), clauses: condition.clauses.clone(), found }
}

fn at_barrier(name: &str, graph: &EventGraph, first: EventId) -> Finding {
    let barrier = graph.barrier(first).map_or_else(String::new, |op| op.key.to_string());
    match name {
        "Barrier-Counts" => Finding::DifferentCounts { barrier },
        "Barrier-Reset" => {
            let thread = graph.agents[graph.event(first).agent.index()].name.clone();
            Finding::EarlyReuse { thread, barrier }
        }
        _ => Finding::Failure,
    }
}

/// Whether an operation completes its barrier alone by a count that a value decides: the base set
/// of such operations has only those with constant counts.
fn may_be_lone(execution: &Execution<'_>, id: EventId) -> bool {
    let graph = execution.graph;
    let asks = |count| execution.value(count) == Some(WARP_SIZE);
    graph
        .barrier(id)
        .is_some_and(|op| !op.waits && !graph.knows_count(op) && op.count().is_some_and(asks))
}
