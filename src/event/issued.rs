//! Asynchronous operations that threads issue while a program is unfolded, and the groups of operations
//! that threads commit and wait for.

use super::access::DraftAccess;
use super::in_flight::WarpgroupProduct;
use crate::id::{AccessId, ExprId};
use crate::program::micro::{AsyncMicro, AwaitMicro, Combination};
use crate::ptx::asynchronous::GroupKind;
use crate::source::Span;

/// Bytes of an element of a strong copy (PTX-9.7.9.25.4.1).
pub(super) const ELEMENT: u32 = 16;

/// The asynchronous operations of a program, and what becomes of their groups.
#[derive(Debug, Default)]
pub(super) struct Issued<'p> {
    pub(super) operations: Vec<DraftOperation<'p>>,
    /// Commits of groups and waits for groups, thread by thread in program order.
    pub(super) steps: Vec<GroupStep>,
    /// The products of warpgroups.
    pub(super) products: Vec<WarpgroupProduct>,
    /// How many waits for groups there are.
    waits: usize,
}

impl Issued<'_> {
    /// The number of the next wait for groups.
    pub(super) fn number_wait(&mut self) -> usize {
        self.waits += 1;
        self.waits - 1
    }
}

/// An asynchronous operation before it is split into pieces.
#[derive(Clone, Debug)]
pub(super) struct DraftOperation<'p> {
    pub(super) micro: &'p AsyncMicro,
    pub(super) thread: usize,
    pub(super) guard: ExprId,
    pub(super) span: Span,
    /// The number of barrier operations that precede the issue.
    pub(super) barriers: usize,
    /// For each destination, the condition that the operation acts on it.
    pub(super) parts: Vec<ExprId>,
    /// The bytes that the operation moves: one stretch, or the runs of a box.
    pub(super) moves: Vec<Moves<'p>>,
    /// The operations whose completion precedes the completion of this one.
    pub(super) behind: Vec<usize>,
}

/// Bytes that an operation moves. Its accesses span the whole move and are split into pieces later.
#[derive(Clone, Debug)]
pub(super) struct Moves<'p> {
    /// How elements are combined with the destination's old values; `None` if they are just written.
    pub(super) reduction: Option<&'p Combination>,
    pub(super) bytes: u64,
    /// Whether the accesses are strong, in elements of [`ELEMENT`] bytes.
    pub(super) strong: bool,
    /// The number of bytes that are copied from the source; further bytes are zero.
    pub(super) copied: ExprId,
    /// The numbers of bytes at the beginning and at the end that get any value.
    pub(super) open: [u64; 2],
    /// The mask of the bytes of every 16 that are copied.
    pub(super) mask: Option<u16>,
    /// The source: one access for each place that the address may point to.
    pub(super) sources: Vec<DraftAccess>,
    /// For each destination, one access for each place that its address may point to.
    pub(super) destinations: Vec<Vec<DraftAccess>>,
    /// The result of a product, which is written word by word.
    pub(super) product: Option<ProductResult>,
    /// The bytes themselves where they come from no memory, lowest first.
    pub(super) answer: Option<ExprId>,
}

/// What a product adds to each word of Tensor Memory.
#[derive(Clone, Debug)]
pub(super) struct ProductResult {
    pub(super) sum: ExprId,
    /// The reads that the sum is computed from.
    pub(super) reads: Vec<AccessId>,
    /// The condition that the sum is added to the old value, instead of replacing it.
    pub(super) accumulates: ExprId,
}

/// Bytes of a word of Tensor Memory.
pub(super) const TENSOR_WORD: u32 = 4;

/// A step of a thread that concerns groups of asynchronous operations.
#[derive(Clone, Copy, Debug)]
pub(super) enum GroupStep {
    /// An issued operation joins the next group of its thread.
    Issue { thread: usize, operation: usize, guard: ExprId },
    /// A group is committed.
    Commit { thread: usize, kind: GroupKind, guard: ExprId },
    /// A wait for groups, with its number.
    Wait { thread: usize, wait: AwaitMicro, guard: ExprId, number: usize },
}

/// An operation that is complete before a wait for groups.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoneBefore {
    pub(super) operation: usize,
    pub(super) wait: usize,
    /// Whether only the reads of its sources are complete.
    pub(super) reads: bool,
    /// The condition; `None` for always.
    pub(super) when: Option<ExprId>,
}
