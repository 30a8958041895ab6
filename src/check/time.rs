//! Happens-before in time, whether or not memory accesses are ordered: the order in which threads
//! learn of each other.

use super::asked::Asked;
use crate::bitrel::{EventSet, Rel};
use crate::event::barrier::BarrierOp;
use crate::event::base::{base_relation, base_set};
use crate::event::graph::EventGraph;
use crate::execution::barriers::{Barriers, Generations};
use crate::execution::build::Choices;
use crate::id::NodeId;
use crate::relation::eval::{Interpretation, evaluate_roots};
use crate::relation::expr::{Arena, Definition, Node};
use crate::solve::{Goal, Pairs, Problem};
use crate::source::Span;
use crate::verdict::{Decided, Verdict};
use crate::vocabulary::{BaseRel, BaseSet};

/// The happens-before relation of events in time. Its steps are program order, barriers, ends of
/// threads for which barriers wait, the API, the phases of asynchronous operations, and reads-from.
pub(super) fn order(arena: &mut Arena) -> NodeId {
    let steps = [
        BaseRel::Po,
        BaseRel::Rf,
        BaseRel::Ended,
        BaseRel::Api,
        BaseRel::Issue,
        BaseRel::Intra,
        BaseRel::Done,
    ];
    let mut step = awaited(arena);
    for next in steps.into_iter().chain(BaseRel::BARRIERS) {
        let next = arena.add(Node::Rel(next));
        step = arena.add(Node::Union(step, next));
    }
    arena.add(Node::Plus(step))
}

/// To operations at barriers, from the events that they wait for. Another thread of the warp only
/// has to have begun its own operation, so that its earlier events are over.
fn awaited(arena: &mut Arena) -> NodeId {
    let (all, po) = (arena.add(Node::Rel(BaseRel::Awaited)), arena.add(Node::Rel(BaseRel::Po)));
    let begun = arena.add(Node::Rel(BaseRel::Begun));
    let before = arena.add(Node::Comp(po, begun));
    arena.add(Node::Union(all, before))
}

/// One event before another is performed. The last step of the [`order`] ends at the start of the
/// second event, not at its completion.
pub(super) fn order_to_start(arena: &mut Arena) -> NodeId {
    let order = order(arena);
    // An asynchronous access begins after its issue.
    let ends = [BaseRel::Po, BaseRel::Issue].map(|relation| arena.add(Node::Rel(relation)));
    let last = arena.add(Node::Union(ends[0], ends[1]));
    arena.add(Node::Comp(order, last))
}

/// Pairs of events that are wrong in any execution. Consists of their name, their relation, and the
/// section of the standard with the statement at fault.
pub(super) struct Wrong<'c> {
    pub(super) pairs: Pairs,
    pub(super) relation: fn(&mut Arena) -> NodeId,
    pub(super) place: (&'c str, Span),
}

/// The verdict if some execution has such a pair, which `confirmed` finds in the execution, or if
/// the engine cannot exclude one.
pub(super) fn search_violation(
    asked: Asked<'_>,
    Wrong { pairs, relation, place: (clause, span) }: Wrong<'_>,
    confirmed: impl FnOnce(Problem<'_>, Box<Choices>) -> Verdict,
) -> Option<Verdict> {
    let mut model = asked.problem.model.clone();
    let node = relation(&mut model.arena);
    let name = pairs.relation().to_owned();
    model.definitions.push(Definition { name, node, clauses: vec![clause.to_owned()], span });
    let asked = asked.under(&model);
    if barriers_exclude(asked.problem, pairs) {
        return None;
    }
    match asked.find(Goal::Related(pairs)) {
        Ok(Decided::Yes(choices)) => Some(confirmed(asked.problem, choices)),
        Ok(Decided::No(_)) => None,
        Err(why) => Some(Verdict::Unknown(why)),
    }
}

/// Whether barriers alone exclude such pairs, however the threads meet. Otherwise an engine would
/// go through all executions to exclude them.
fn barriers_exclude(Problem { graph, model }: Problem<'_>, pairs: Pairs) -> bool {
    let Some(barriers) = Barriers::fixed(graph) else { return false };
    let node = model.definition(pairs.relation()).expect("the relation was added");
    let Ok(meetings) = barriers.assignments() else { return false };
    meetings.iter().all(|meeting| {
        let meeting = BarrierSkeleton::new(graph, &barriers, meeting);
        let values = evaluate_roots(&model.arena, &[node], &meeting);
        let mut found = values.relation(node).iter_pairs();
        !found.any(|(a, b)| pairs.counts(graph, a, b))
    })
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
            BaseRel::Peer => base_relation(self.graph, relation),
            other => other.kind_of_barrier().map_or(&self.nothing, |kind| &self.sync[kind]),
        }
    }
}
