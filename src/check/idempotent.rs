//! Idempotent variables: their atomic operations have no effect when they write the value read.
//!
//! Take an execution with such an operation and leave the operation out; its readers read from the
//! write that it read. If all accesses to the variable are pairwise morally strong, no axiom
//! breaks. The variable's writes are totally ordered in coherence, and no write comes between the
//! operation and its source (PTX-8.10.3), so from-reads loses pairs and gains none. Observation
//! through the operation (PTX-8.9.2) remains, and its part in synchronization is lost, so causality
//! gains nothing; nor do dependencies together with reads-from, since a write of an atomic
//! operation depends on its read. A `red` may end such a chain in a reading, so it is excluded. The
//! model defines the pairs that count as morally strong here under the name `transparent`.

use crate::bounds::{Bounds, Precision};
use crate::event::graph::{CutKind, Event, EventGraph, MOST_EVENTS};
use crate::id::{EventId, ObjectId};
use crate::relation::expr::Model;
use std::collections::BTreeSet;

/// The name of the model's relation.
const NAME: &str = "transparent";

/// The idempotent variables, if some loop is cut after a round that wrote the values read. None
/// under a model without the relation.
pub(super) fn objects(graph: &EventGraph, model: &Model) -> BTreeSet<ObjectId> {
    let steady = graph
        .cuts
        .iter()
        .any(|cut| cut.kind == CutKind::Bound && !graph.exprs.is_false(cut.steady));
    // A program with too many events is not decided anyway.
    if graph.events.len() > MOST_EVENTS {
        return BTreeSet::new();
    }
    let Some(relation) = model.definition(NAME).filter(|_| steady && model.forgets_reads()) else {
        return BTreeSet::new();
    };
    let mut objects: BTreeSet<ObjectId> =
        memory(graph).filter(|(_, e)| is_updated(e)).map(|(id, _)| object(graph, id)).collect();
    if objects.is_empty() {
        return objects;
    }
    let bounds = Bounds::new(graph, &model.arena, &[relation], Precision::Propagated);
    let surely = bounds.get(relation).lo.relation();
    let exclusive = bounds.guards.exclusive();
    for (a, write) in memory(graph).filter(|(_, event)| event.is_write()) {
        for (b, other) in memory(graph).filter(|&(b, other)| b != a && other.loc == write.loc) {
            let whole = graph.access_of(a).range() == graph.access_of(b).range();
            let related = surely.contains(a, b) || exclusive.contains(a, b);
            if !whole || !related || other.marks.mbarrier {
                objects.remove(&object(graph, a));
            }
        }
    }
    objects
}

fn memory(graph: &EventGraph) -> impl Iterator<Item = (EventId, &Event)> {
    graph
        .ids()
        .map(|id| (id, graph.event(id)))
        .filter(|(_, e)| e.agent.index() > 0 && e.loc.is_some())
}

fn is_updated(event: &Event) -> bool {
    event.is_write() && event.marks.rmw && !event.marks.red && !event.marks.mbarrier
}

fn object(graph: &EventGraph, id: EventId) -> ObjectId {
    graph.access_of(id).object
}
