//! Arrivals at a barrier that the thread follows with another operation there, while nothing makes
//! sure that the barrier has been reset in between: undefined (PTX-9.7.13.1).
//!
//! A thread knows of the reset where something that a participant does after waiting there comes
//! before the thread's next operation: by program order, by barriers, or because a read in
//! between has a value that was written after it.

use super::{Settings, barriers};
use crate::bitrel::Rel;
use crate::event::base::base_relation;
use crate::event::graph::{BarrierKey, BarrierOp, EventGraph};
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::id::{EventId, NodeId};
use crate::relation::eval::evaluate;
use crate::relation::expr::{Definition, Model, Node};
use crate::solve::{Answer, Engine, Goal, NOT_RESET, Pairs, Problem};
use crate::source::Span;
use crate::verdict::{Reason, Undecided, Verdict};
use crate::vocabulary::{BaseRel, BaseSet};

/// The verdict where some execution comes back to a barrier too early.
pub(super) fn early(
    problem: Problem<'_>,
    returns: &[(EventId, EventId)],
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Verdict> {
    let graph = problem.graph;
    if returns.is_empty() || all_are_late(graph, returns) {
        return None;
    }
    let model = with_not_reset(problem.model, graph.event(returns[0].0).span);
    let problem = Problem { graph, model: &model };
    match engine.find(problem, Goal::Related(Pairs::EarlyReuse), settings.budget) {
        Answer::Yes(choices) => Some(confirmed(problem, choices)),
        Answer::No(_) => None,
        Answer::Unknown(why) => Some(Verdict::Unknown(Undecided::Engine(why))),
        Answer::Unsupported(why) => Some(Verdict::Unknown(Undecided::Unsupported(why))),
    }
}

/// Arrivals with later operations of their threads on the same barriers, as far as both may happen.
pub(super) fn returns(graph: &EventGraph) -> Vec<(EventId, EventId)> {
    let happens = |op: &BarrierOp| !graph.exprs.is_false(graph.event(op.event).guard);
    let mut out = Vec::new();
    for (at, arrival) in graph.barriers.iter().enumerate() {
        let leaves = matches!(arrival.key, BarrierKey::Cta(..)) && !arrival.waits;
        for next in graph.barriers[at + 1..].iter().filter(|_| leaves && happens(arrival)) {
            if happens(next) && graph.returns_to_barrier(arrival, next) {
                out.push((arrival.event, next.event));
            }
        }
    }
    out
}

/// Whether barriers alone show that every barrier is reset before a thread comes back to it,
/// however the threads meet. Without this, an engine would go through all executions to say so.
fn all_are_late(graph: &EventGraph, returns: &[(EventId, EventId)]) -> bool {
    let Some(barriers) = barriers::fixed(graph) else { return false };
    let events = || graph.barriers.iter().map(|op| op.event);
    let program_order = events().flat_map(|a| {
        events()
            .filter(move |&b| a < b && graph.event(a).agent == graph.event(b).agent)
            .map(move |b| (a, b))
    });
    let program_order: Vec<_> = program_order.collect();
    barriers.assignments().iter().all(|meeting| {
        let n = graph.events.len();
        let sync = Rel::from_pairs(n, barriers.cta_edges(meeting));
        let others =
            barriers.warp_edges(meeting).into_iter().chain(barriers.cluster_edges(meeting));
        let program_order = Rel::from_pairs(n, program_order.iter().copied());
        let mut order = Rel::from_pairs(n, others);
        order.union_with(&sync);
        order.union_with(base_relation(graph, BaseRel::Awaited));
        order.union_with(&program_order);
        order.transitive_closure_in_place();
        let (mut before, mut reset) = (Rel::empty(n), Rel::empty(n));
        order.compose_into(&program_order, &mut before);
        sync.compose_into(&before, &mut reset);
        returns.iter().all(|&(a, b)| reset.contains(a, b))
    })
}

/// The model with the relation of two events of a thread between which no barrier at which the
/// first one arrives is known to have been reset.
fn with_not_reset(model: &Model, span: Span) -> Model {
    let mut model = model.clone();
    let mut add = |node| model.arena.add(node);
    let base = [
        BaseRel::Po,
        BaseRel::Rf,
        BaseRel::BarrierSync,
        BaseRel::WarpSync,
        BaseRel::ClusterSync,
        BaseRel::Awaited,
        BaseRel::Api,
    ];
    let [po, rest @ ..] = base.map(|relation| add(Node::Rel(relation)));
    let sync = rest[1];
    let step = rest.into_iter().fold(po, |all, next| add(Node::Union(all, next)));
    let order = add(Node::Plus(step));
    // The last step has to end where the operation begins, not where it completes.
    let before = add(Node::Comp(order, po));
    let reset = add(Node::Comp(sync, before));
    let barrier = add(Node::Set(BaseSet::Barrier));
    let pairs = add(Node::Cross(barrier, barrier));
    let returns = add(Node::Inter(po, pairs));
    let node = add(Node::Diff(returns, reset));
    model.definitions.push(Definition {
        name: NOT_RESET.to_owned(),
        node,
        clauses: vec!["PTX-9.7.13.1".to_owned()],
        span,
    });
    model
}

/// Evaluates the model on an engine's execution and takes the two operations out of it.
fn confirmed(problem: Problem<'_>, choices: Box<Choices>) -> Verdict {
    match pair(problem, &choices) {
        Ok((a, b)) => {
            let index = |id| problem.graph.barriers.iter().position(|op| op.event == id);
            let [arrival, next] = [a, b].map(|id| index(id).expect("a barrier operation"));
            Verdict::Undefined(reason(problem.graph, arrival, next, Some(choices)))
        }
        Err(what) => Verdict::Error(format!("the engine's early return is none: {what}")),
    }
}

fn pair(problem: Problem<'_>, choices: &Choices) -> Result<(EventId, EventId), String> {
    let Problem { graph, model } = problem;
    let execution = Execution::build(graph, choices.clone()).map_err(|e| e.describe(graph))?;
    if !recheck(model, &execution).is_consistent() {
        return Err("the model does not admit the execution".to_owned());
    }
    let node: NodeId = model.definition(NOT_RESET).expect("the relation was added");
    let values = evaluate(&model.arena, &[node], &execution);
    let mut pairs = values.relation(node).iter_pairs();
    pairs
        .find(|&(a, b)| Pairs::EarlyReuse.counts(graph, a, b))
        .ok_or_else(|| "its execution has none".to_owned())
}

/// Why a program with this arrival and this next operation of the thread is undefined.
pub(super) fn reason(
    graph: &EventGraph,
    arrival: usize,
    next: usize,
    choices: Option<Box<Choices>>,
) -> Reason {
    let [first, second] = [arrival, next].map(|op| graph.event(graph.barriers[op].event));
    let (thread, key) = (&graph.agents[first.agent.index()].name, &graph.barriers[arrival].key);
    Reason {
        rule: format!(
            "{thread} arrives at {key} and comes back to it before it is sure to be reset \
             (PTX-9.7.13.1)"
        ),
        spans: vec![first.span, second.span],
        choices,
    }
}
