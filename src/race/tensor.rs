//! Near misses between operations of the tensor cores: the wait, the two fences and the synchronization by which
//! Tensor Memory is handed from one thread to another (PTX-9.7.16.6).

use super::near::{How, Link, NearMiss, effort};
use crate::defect::Defect;
use crate::event::base::base_relation;
use crate::event::graph::{AgentKind, EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::id::{EventId, NodeId};
use crate::program::micro::TensorFence;
use crate::ptx::operation::Proxy;
use crate::relation::eval::{Interpretation, Values, evaluate_roots};
use crate::relation::expr::{Model, Node};
use crate::vocabulary::BaseRel;

/// What a model says of the order of the tensor cores in an execution.
pub(super) struct Orders {
    values: Values,
    /// The steps of the order in which threads execute, program order among them.
    steps: NodeId,
    /// From an operation to what its thread does when it has waited for it.
    waited: NodeId,
}

/// Two operations, with the events that issue them.
struct Pair {
    first: EventId,
    last: EventId,
    issued: EventId,
    issues: EventId,
}

impl Orders {
    /// `None` where the model does not define the order.
    pub(super) fn of(model: &Model, execution: &Execution<'_>) -> Option<Self> {
        let order = model.definition("execution")?;
        let waited = model.definition("waited-for")?;
        let Node::Plus(steps) = model.arena.node(order) else { return None };
        let values = evaluate_roots(&model.arena, &[steps, waited], execution);
        Some(Self { values, steps, waited })
    }

    /// The path with the fewest defects between accesses to Tensor Memory that different threads issue; `None`
    /// for others, and where no synchronization of the two threads stands between them.
    pub(super) fn nearest(
        &self,
        execution: &Execution<'_>,
        first: EventId,
        last: EventId,
    ) -> Option<NearMiss> {
        let graph = execution.graph;
        let pair =
            Pair { first, last, issued: issue_of(graph, first)?, issues: issue_of(graph, last)? };
        if graph.event(pair.issued).agent == graph.event(pair.issues).agent {
            return None;
        }
        let by_signal = self.signals(execution, &pair).map(|links| (0, links));
        let by_threads = self.meetings(execution, &pair).map(|links| (1, links));
        let cost = |(kind, links): &(usize, Vec<Link>)| {
            (links.iter().map(|link| effort(&link.missing)).sum::<usize>(), *kind)
        };
        let (_, links) = by_signal.chain(by_threads).min_by_key(cost)?;
        Some(NearMiss { first, last, links })
    }

    /// The ways through signals of completion that the other thread waits for.
    fn signals<'s>(
        &'s self,
        execution: &'s Execution<'_>,
        pair: &'s Pair,
    ) -> impl Iterator<Item = Vec<Link>> + 's {
        let graph = execution.graph;
        let intra = execution.relation(BaseRel::Intra);
        let told = move |signal: &EventId| {
            let event = graph.event(*signal);
            event.marks.mbarrier
                && event.is_write()
                && event.agent != graph.event(pair.first).agent
                && matches!(graph.agents[event.agent.index()].kind, AgentKind::Operation(..))
                && intra.find_path(pair.first, *signal).is_some()
        };
        graph.ids().filter(told).flat_map(move |signal| {
            let start = vec![link(pair.first, signal, How::Causality, None)];
            self.ways(execution, start, signal, pair)
        })
    }

    /// The ways through the thread that issues the first operation.
    fn meetings<'s>(
        &'s self,
        execution: &'s Execution<'_>,
        pair: &'s Pair,
    ) -> impl Iterator<Item = Vec<Link>> + 's {
        let graph = execution.graph;
        let po = execution.relation(BaseRel::Po);
        let leaves = move |&id: &EventId| po.contains(pair.issued, id);
        graph.ids().filter(leaves).flat_map(move |from| {
            let start = self.handed_over(execution, from, pair);
            self.ways(execution, start, from, pair)
        })
    }

    /// The ways that begin with some links, which lead to an event, and go on from there.
    fn ways<'s>(
        &'s self,
        execution: &'s Execution<'_>,
        start: Vec<Link>,
        from: EventId,
        pair: &'s Pair,
    ) -> impl Iterator<Item = Vec<Link>> + 's {
        let onwards = move |at| self.onwards(execution, from, at, pair);
        let way = move |at| start.iter().cloned().chain(onwards(at)).collect();
        self.arrivals(execution, from, pair).map(way)
    }

    /// The events of the last operation's thread, before its issue, to which a step leads.
    fn arrivals<'s>(
        &'s self,
        execution: &'s Execution<'_>,
        from: EventId,
        pair: &'s Pair,
    ) -> impl Iterator<Item = EventId> + 's {
        let graph = execution.graph;
        let po = execution.relation(BaseRel::Po);
        let steps = self.values.relation(self.steps).row(from);
        steps.filter(move |&at| {
            graph.event(at).agent == graph.event(pair.issues).agent && po.contains(at, pair.issues)
        })
    }

    /// From the first operation to a synchronization of its thread: the wait, where operations need one, and
    /// the fence between.
    fn handed_over(&self, execution: &Execution<'_>, from: EventId, pair: &Pair) -> Vec<Link> {
        let po = execution.relation(BaseRel::Po);
        let before = fences(execution, TensorFence::Before)
            .filter(|&fence| po.contains(pair.issued, fence) && po.contains(fence, from));
        let before: Vec<EventId> = before.collect();
        let waited = |at: EventId| self.values.relation(self.waited).contains(pair.first, at);
        let goes_on =
            base_relation(execution.graph, BaseRel::Pipelinable).contains(pair.first, pair.last);
        let good = before.iter().copied().find(|&fence| goes_on || waited(fence));
        if let Some(fence) = good {
            return vec![
                link(pair.first, fence, How::Causality, None),
                link(fence, from, How::TensorBefore, None),
            ];
        }
        let waits = goes_on || waited(from);
        let awaited = (!waits).then_some(Defect::NotWaitedFor);
        let fenced = match (waits, &before[..]) {
            // A wait before the fence that is there would do.
            (false, [_, ..]) => None,
            _ => Some(Defect::NoTensorFence),
        };
        let how = if waits { How::Causality } else { How::Completes };
        let at = before.first().copied().unwrap_or(from);
        vec![link(pair.first, at, how, awaited), link(at, from, How::TensorBefore, fenced)]
    }

    /// From a synchronization to the last operation.
    fn onwards(
        &self,
        execution: &Execution<'_>,
        from: EventId,
        at: EventId,
        pair: &Pair,
    ) -> [Link; 3] {
        let po = execution.relation(BaseRel::Po);
        let fence = fences(execution, TensorFence::After)
            .find(|&fence| po.contains(at, fence) && po.contains(fence, pair.issues));
        let missing = fence.is_none().then_some(Defect::NoTensorFence);
        [
            link(from, at, How::Executes, None),
            link(at, fence.unwrap_or(pair.issues), How::TensorAfter, missing),
            link(fence.unwrap_or(pair.issues), pair.last, How::Causality, None),
        ]
    }
}

fn link(from: EventId, to: EventId, how: How, missing: Option<Defect>) -> Link {
    Link { from, to, how, missing: missing.into_iter().collect() }
}

/// The event that issues an operation on Tensor Memory.
fn issue_of(graph: &EventGraph, access: EventId) -> Option<EventId> {
    let event = graph.event(access);
    let operation = graph.operation_of(access)?;
    (event.is_memory() && event.proxy == Proxy::TensorMemory).then_some(operation.issue)
}

fn fences<'e>(
    execution: &'e Execution<'_>,
    kind: TensorFence,
) -> impl Iterator<Item = EventId> + 'e {
    let graph = execution.graph;
    graph.ids().filter(move |&id| {
        execution.executed.contains(id) && graph.event(id).kind == EventKind::TensorFence(kind)
    })
}
