//! What threads of a program do while it is unfolded, in program order.

use crate::id::{AccessId, BarrierId, ExprId, ObjectId};
use crate::program::micro::{Restriction, TensorFence};
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::operation::{Order, ProxyFenceKind, Scope};
use crate::source::Span;

/// An event that is no memory access.
#[derive(Clone, Debug)]
pub(super) enum DraftKind {
    Fence {
        order: Order,
        scope: Scope,
        restriction: Restriction,
    },
    /// A proxy fence, and the tensor map that it names, if any.
    ProxyFence(ProxyFenceKind, Option<ObjectId>),
    Barrier(BarrierId),
    GridWait,
    /// `griddepcontrol.launch_dependents`.
    Launch,
    /// The issue of an asynchronous operation, by its number, or of part of the operation.
    Issue(usize),
    /// A wait for groups; waits are entered in the order of their numbers.
    Await(GroupKind),
    TensorFence(TensorFence),
}

/// One entry of a thread's event list.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Access(AccessId),
    Other { thread: usize, kind: DraftKind, guard: ExprId, position: u32, span: Span },
}

/// The thread and the guard of a barrier operation; operations are entered in the order of their
/// indices.
pub(super) fn barrier_at(entry: &Entry) -> Option<(usize, ExprId)> {
    match entry {
        Entry::Other { thread, kind: DraftKind::Barrier(_), guard, .. } => Some((*thread, *guard)),
        _ => None,
    }
}
