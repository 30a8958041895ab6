//! Accesses of a program that is being unfolded, before they are split into pieces.

use crate::id::{AccessId, ExprId, ObjectId, VirtualId};
use crate::program::micro::Marks;
use crate::ptx::operation::{Order, Proxy, Scope};
use crate::source::Span;

/// An access before splitting.
#[derive(Clone, Debug)]
pub(super) struct DraftAccess {
    pub(super) thread: usize,
    /// The copy of the step that performs the access.
    pub(super) node: usize,
    pub(super) guard: ExprId,
    pub(super) object: ObjectId,
    pub(super) virt: VirtualId,
    pub(super) offset: u64,
    pub(super) bytes: u32,
    pub(super) order: Order,
    pub(super) scope: Option<Scope>,
    pub(super) proxy: Proxy,
    pub(super) marks: Marks,
    pub(super) write: bool,
    pub(super) value: ExprId,
    pub(super) address_reads: Vec<AccessId>,
    pub(super) control_reads: Vec<AccessId>,
    pub(super) data_reads: Vec<AccessId>,
    pub(super) rmw_read: Option<AccessId>,
    pub(super) disjunct_of: Option<AccessId>,
    pub(super) chosen_by: Vec<ExprId>,
    /// Whether the access is a plain store and the only effect of its instruction. Excluded are
    /// elements of vectors, and stores with several possible places, which keep separate positions.
    pub(super) alone: bool,
    pub(super) position: u32,
    pub(super) span: Span,
    /// The asynchronous operation that performs the access, if the thread does not perform it itself.
    pub(super) part: Option<OfOperation>,
}

/// The asynchronous operation of an access, and the role of the access in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OfOperation {
    pub(super) operation: usize,
    pub(super) role: Role,
}

/// The role of an access in its operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// A read of the tensor map.
    Map,
    /// A read of a source.
    Source,
    /// A write to a destination, or the read half of a reduction there.
    Destination(usize),
    /// Half of the signal for a destination.
    Signal(usize),
}

impl DraftAccess {
    /// The first byte after the access, counted from the start of its object.
    pub(super) fn end(&self) -> u64 {
        self.offset + u64::from(self.bytes)
    }

    /// Whether the accesses have bytes in common.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.object == other.object && self.offset < other.end() && other.offset < self.end()
    }

    /// Whether both accesses have one thread, one form and one place.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let place = |a: &Self| (a.thread, a.object, a.virt, a.offset, a.bytes);
        let form = |a: &Self| (a.order, a.scope, a.proxy, a.marks, a.write);
        place(self) == place(other) && form(self) == form(other)
    }

    /// Whether two plain stores of one thread differ in nothing but their guards.
    pub(super) fn is_other_branch(&self, other: &Self) -> bool {
        self.alone && other.alone && self.is_like(other) && self.value == other.value
    }
}

/// The union of two sorted lists of reads.
pub(super) fn union(a: &[AccessId], b: &[AccessId]) -> Vec<AccessId> {
    if b.is_empty() {
        return a.to_vec();
    }
    let mut out = [a, b].concat();
    out.sort_unstable();
    out.dedup();
    out
}
