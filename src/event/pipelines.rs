//! Pipelines of the tensor cores (PTX-9.7.16.6.2): which operations are performed in the order in which
//! they are issued.

use super::graph::{EventGraph, Operation};
use crate::bitrel::Rel;
use crate::id::EventId;
use crate::program::micro::{TensorKind, TensorOp};
use crate::ptx::operation::Proxy;

/// Whether the operations make a pipeline: the second is performed after the first.
fn make_pipeline(first: &Operation, second: &Operation) -> bool {
    use TensorOp::{Move, Multiply, Shift};
    let (Some(one), Some(other)) = (first.tensor, second.tensor) else { return false };
    let kinds = match (one.op, other.op) {
        (Multiply, Multiply) => first.columns == second.columns,
        (Move { .. } | Shift, Multiply) | (Shift, Move { small: true }) | (Multiply, Shift) => true,
        _ => false,
    };
    kinds && one.pair == other.pair
}

impl TensorKind {
    /// Whether `tcgen05.commit` tracks it (PTX-9.7.16.12).
    pub(super) fn is_tracked(self) -> bool {
        matches!(self.op, TensorOp::Multiply | TensorOp::Move { .. } | TensorOp::Shift)
    }
}

impl EventGraph {
    /// The pairs of [`crate::vocabulary::BaseRel::Pipe`] if operations are to be of one thread and in the
    /// order of their issue, else those of [`crate::vocabulary::BaseRel::Pipelinable`].
    pub(super) fn pipeline_pairs(&self, in_order: bool) -> Rel {
        let mut out = Rel::empty(self.events.len());
        let place = |operation: &Operation| {
            let issue = self.event(operation.issue);
            (issue.agent, issue.position)
        };
        for first in &self.operations {
            for second in &self.operations {
                let ((one, earlier), (other, later)) = (place(first), place(second));
                let fits = !in_order || (one == other && earlier < later);
                if fits && first.agent != second.agent && make_pipeline(first, second) {
                    for from in self.columns_of(first) {
                        self.columns_of(second).for_each(|to| _ = out.insert(from, to));
                    }
                }
            }
        }
        out
    }

    /// Whether an event is one of a `tcgen05.commit`: it tracks operations of the tensor cores.
    pub(super) fn is_committed(&self, id: EventId) -> bool {
        self.operation_of(id).is_some_and(|operation| operation.is_commit)
    }

    /// The accesses of an operation to Tensor Memory.
    fn columns_of<'o>(&'o self, operation: &'o Operation) -> impl Iterator<Item = EventId> + 'o {
        let is_there = |&id: &EventId| {
            self.event(id).is_memory() && self.event(id).proxy == Proxy::TensorMemory
        };
        operation.events().filter(is_there)
    }
}
