//! Executions of which only the barrier operations are known: what barriers exclude, however the
//! threads meet.

use crate::bitrel::{EventSet, Rel};
use crate::event::base::{base_relation, base_set};
use crate::event::graph::EventGraph;
use crate::execution::barriers::{Barriers, Generations};
use crate::id::NodeId;
use crate::relation::eval::{Interpretation, evaluate_roots};
use crate::relation::expr::Arena;
use crate::relation::polarity::{Polarity, Variance};
use crate::solve::Problem;
use crate::vocabulary::{BaseRel, BaseSet};
use crate::waiting::barrier::BarrierOp;

/// Whether barriers alone exclude pairs of a relation. Otherwise an engine would go through all
/// executions to exclude them.
pub(super) fn excludes(problem: Problem<'_>, node: NodeId) -> bool {
    !problem.graph.barriers.is_empty()
        && only_loses_pairs(&problem.model.arena, node)
        && has_none(problem, node)
}

/// Whether a relation has no pair, however the threads meet.
fn has_none(Problem { graph, model }: Problem<'_>, node: NodeId) -> bool {
    let Some(barriers) = Barriers::fixed(graph) else { return false };
    let Ok(meetings) = barriers.assignments() else { return false };
    meetings.iter().all(|meeting| {
        let meeting = BarrierSkeleton::new(graph, &barriers, meeting);
        evaluate_roots(&model.arena, &[node], &meeting).relation(node).is_empty()
    })
}

/// Whether more events and a greater order leave a relation no more pairs, but for the given
/// relations that the skeleton has as they are.
fn only_loses_pairs(arena: &Arena, node: NodeId) -> bool {
    let polarity = Polarity::new(arena);
    let loses = |variance| matches!(variance, Variance::Constant | Variance::Antitone);
    let relations = BaseRel::ALL.iter().filter(|&&relation| !is_whole(relation));
    let mut relations = relations.map(|&relation| polarity.in_relation(node, relation));
    relations.all(loses) && loses(polarity.in_set(node, BaseSet::Barrier))
}

/// Whether the skeleton has a relation as the program gives it.
fn is_whole(relation: BaseRel) -> bool {
    matches!(relation, BaseRel::Peer | BaseRel::Returns | BaseRel::OtherCount)
}

/// An execution of which only the barrier operations are known, with the accesses to the shared
/// memory of other CTAs placed among them.
struct BarrierSkeleton<'g> {
    graph: &'g EventGraph,
    operations: EventSet,
    po: Rel,
    sync: [Rel; 4],
    awaited: Rel,
    begun: Rel,
    ended: Rel,
    nothing: Rel,
}

impl<'g> BarrierSkeleton<'g> {
    fn new(graph: &'g EventGraph, barriers: &Barriers<'_>, generations: &Generations) -> Self {
        let n = graph.events.len();
        let mut operations = EventSet::empty(n);
        let happens = |op: &&BarrierOp| graph.exprs.is_true(graph.event(op.event).guard);
        graph.barriers.iter().filter(happens).for_each(|op| _ = operations.insert(op.event));
        let mut placed = operations.clone();
        placed.union_with(base_set(graph, BaseSet::Peer));
        let mut po = base_relation(graph, BaseRel::Po).clone();
        po.restrict_domain(&placed);
        po.restrict_range(&placed);
        // An access that may not happen adds no pair.
        let [awaited, begun] = [BaseRel::Awaited, BaseRel::Begun].map(|relation| {
            let mut pairs = base_relation(graph, relation).clone();
            pairs.restrict_domain(&operations);
            pairs.restrict_range(&operations);
            pairs
        });
        // An access, if it happens, precedes the end of its thread.
        let mut ended = base_relation(graph, BaseRel::Ended).clone();
        ended.restrict_domain(&placed);
        ended.restrict_range(&operations);
        let sync =
            BaseRel::BARRIERS.map(|kind| Rel::from_pairs(n, barriers.edges(generations, kind)));
        Self { graph, operations, po, sync, awaited, begun, ended, nothing: Rel::empty(n) }
    }
}

impl Interpretation for BarrierSkeleton<'_> {
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
            BaseRel::Awaited => &self.awaited,
            BaseRel::Begun => &self.begun,
            BaseRel::Ended => &self.ended,
            whole if is_whole(whole) => base_relation(self.graph, whole),
            other => other.kind_of_barrier().map_or(&self.nothing, |kind| &self.sync[kind]),
        }
    }
}
