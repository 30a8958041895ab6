//! Arrivals at a barrier that the thread follows with another operation there, while nothing makes
//! sure that the barrier has been reset in between: undefined (PTX-9.7.13.1).
//!
//! A thread knows of the reset where something that a participant does after waiting there comes
//! before the thread's next operation: by program order, by barriers, or because a read in
//! between has a value that was written after it.

use super::Settings;
use crate::bitrel::{EventSet, Rel};
use crate::event::base::{base_relation, base_set};
use crate::event::graph::{BarrierOp, EventGraph};
use crate::execution::barrier::{Barriers, Generations};
use crate::execution::build::Choices;
use crate::id::EventId;
use crate::relation::eval::{Interpretation, evaluate};
use crate::relation::expr::{Definition, Model, Node};
use crate::solve::{Answer, Engine, Goal, NOT_RESET, Pairs, Problem};
use crate::source::Span;
use crate::verdict::{Reason, Undecided, Verdict};
use crate::vocabulary::{BaseRel, BaseSet};

/// The verdict where some execution comes back to a barrier too early; `first` arrives at one that
/// its thread may come back to.
pub(super) fn early(
    problem: Problem<'_>,
    first: EventId,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Verdict> {
    let graph = problem.graph;
    let model = with_not_reset(problem.model, graph.event(first).span);
    let problem = Problem { graph, model: &model };
    if all_are_late(problem) {
        return None;
    }
    match engine.find(problem, Goal::Related(Pairs::EarlyReuse), settings.budget) {
        Answer::Yes(choices) => Some(confirmed(problem, choices)),
        Answer::No(_) => None,
        Answer::Unknown(why) => Some(Verdict::Unknown(Undecided::Engine(why))),
        Answer::Unsupported(why) => Some(Verdict::Unknown(Undecided::Unsupported(why))),
    }
}

/// The first arrival at a barrier that the thread may come back to.
pub(super) fn first_return(graph: &EventGraph) -> Option<EventId> {
    let happens = |op: &&BarrierOp| !graph.exprs.is_false(graph.event(op.event).guard);
    let mut arrivals = graph.barriers.iter().enumerate().filter(|(_, op)| !op.waits && happens(op));
    arrivals
        .find(|&(at, arrival)| {
            let mut later = graph.barriers[at + 1..].iter().filter(happens);
            later.any(|next| graph.returns_to_barrier(arrival, next))
        })
        .map(|(_, arrival)| arrival.event)
}

/// Whether barriers alone show that every barrier is reset before a thread comes back to it,
/// however the threads meet. Without this, an engine would go through all executions to say so.
fn all_are_late(Problem { graph, model }: Problem<'_>) -> bool {
    let Some(barriers) = Barriers::fixed(graph) else { return false };
    let node = model.definition(NOT_RESET).expect("the relation was added");
    let Ok(meetings) = barriers.assignments() else { return false };
    meetings.iter().all(|meeting| {
        let meeting = Meeting::new(graph, &barriers, meeting);
        let values = evaluate(&model.arena, &[node], &meeting);
        let mut pairs = values.relation(node).iter_pairs();
        !pairs.any(|(a, b)| Pairs::EarlyReuse.counts(graph, a, b))
    })
}

/// What is known of an execution of which only the barrier operations are.
struct Meeting<'g> {
    graph: &'g EventGraph,
    operations: EventSet,
    po: Rel,
    sync: [Rel; 3],
    nothing: Rel,
}

impl<'g> Meeting<'g> {
    fn new(graph: &'g EventGraph, barriers: &Barriers<'_>, generations: &Generations) -> Self {
        let n = graph.events.len();
        let edges = [
            barriers.cta_edges(generations),
            barriers.warp_edges(generations),
            barriers.cluster_edges(generations),
        ];
        let mut operations = EventSet::empty(n);
        let happens = |op: &&BarrierOp| graph.exprs.is_true(graph.event(op.event).guard);
        graph.barriers.iter().filter(happens).for_each(|op| _ = operations.insert(op.event));
        let mut po = base_relation(graph, BaseRel::Po).clone();
        po.restrict_domain(&operations);
        po.restrict_range(&operations);
        let sync = edges.map(|pairs| Rel::from_pairs(n, pairs));
        Self { graph, operations, po, sync, nothing: Rel::empty(n) }
    }
}

impl Interpretation for Meeting<'_> {
    fn len(&self) -> usize {
        self.graph.events.len()
    }

    fn set(&self, set: BaseSet) -> &EventSet {
        match set {
            BaseSet::Barrier => &self.operations,
            other => base_set(self.graph, other),
        }
    }

    fn relation(&self, relation: BaseRel) -> &Rel {
        match relation {
            BaseRel::Po => &self.po,
            BaseRel::BarrierSync => &self.sync[0],
            BaseRel::WarpSync => &self.sync[1],
            BaseRel::ClusterSync => &self.sync[2],
            BaseRel::Awaited => base_relation(self.graph, relation),
            _ => &self.nothing,
        }
    }
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
    match Pairs::EarlyReuse.confirm(problem, &choices) {
        Ok((_, (a, b))) => {
            let index = |id| problem.graph.barriers.iter().position(|op| op.event == id);
            let [arrival, next] = [a, b].map(|id| index(id).expect("a barrier operation"));
            Verdict::Undefined(reason(problem.graph, arrival, next, Some(choices)))
        }
        Err(what) => Verdict::Error(format!("the engine's early return is none: {what}")),
    }
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
