//! What was read before it was overwritten into what would order the two threads: fences in Fence-SC
//! order (PTX-8.9.3).

use crate::defect::Defect;
use crate::event::base::base_relation;
use crate::event::graph::EventKind;
use crate::execution::build::Execution;
use crate::id::EventId;
use crate::ptx::operation::Order;
use crate::relation::eval::Interpretation;
use crate::vocabulary::BaseRel;

/// Whether a strong read takes a value that a strong write of another thread overwrites.
pub(super) fn overwrites(execution: &Execution<'_>, read: EventId, write: EventId) -> bool {
    let event = |id: EventId| execution.graph.event(id);
    let is_strong = |id: EventId| event(id).order.is_some_and(|order| order != Order::Weak);
    let source = execution.choices.rf[read.index()];
    let co = execution.relation(BaseRel::Co);
    event(read).agent != event(write).agent
        && is_strong(read)
        && is_strong(write)
        && source.is_some_and(|source| co.contains(source, write))
}

/// The scopes that keep two `fence.sc` out of Fence-SC order, each as a defect, where a read behind the
/// first takes a value that is overwritten before the second; none for other events.
pub(super) fn narrow_scopes(
    execution: &Execution<'_>,
    first: EventId,
    second: EventId,
) -> Vec<Defect> {
    let graph = execution.graph;
    let is_sequential = |id: EventId| {
        matches!(graph.event(id).kind, EventKind::Fence(_))
            && graph.event(id).order == Some(Order::Sc)
    };
    if !(is_sequential(first) && is_sequential(second)) {
        return Vec::new();
    }
    let (po, executed) = (execution.relation(BaseRel::Po), &execution.executed);
    let is_read = |id: &EventId| executed.contains(*id) && graph.event(*id).is_read();
    let is_write = |id: &EventId| {
        executed.contains(*id) && graph.event(*id).is_write() && po.contains(*id, second)
    };
    let mut reads = po.row(first).filter(is_read);
    if !reads.any(|read| graph.ids().filter(is_write).any(|at| overwrites(execution, read, at))) {
        return Vec::new();
    }
    let includes = base_relation(graph, BaseRel::Includes);
    let narrow = [(first, second), (second, first)].into_iter();
    let narrow = narrow.filter(|&(own, other)| !includes.contains(own, other));
    narrow.map(|_| Defect::ScopeTooNarrow).collect()
}
