//! Asynchronous operations that threads of a program issue while it is unfolded, and the groups that they
//! join, close and wait for.

use super::access::DraftAccess;
use crate::id::{AccessId, ExprId};
use crate::program::micro::{AsyncMicro, AwaitMicro, Combination};
use crate::ptx::asynchronous::GroupKind;
use crate::source::Span;

/// Bytes of an element of a strong copy (PTX-9.7.9.25.4.1).
pub(super) const ELEMENT: u32 = 16;

/// An asynchronous operation before it is split into pieces.
#[derive(Clone, Debug)]
pub(super) struct DraftOperation<'p> {
    pub(super) micro: &'p AsyncMicro,
    pub(super) thread: usize,
    pub(super) guard: ExprId,
    pub(super) span: Span,
    /// How many barrier operations there were before it.
    pub(super) barriers: usize,
    /// When it does something for each of its destinations.
    pub(super) parts: Vec<ExprId>,
    /// The bytes that it moves: one stretch, or the runs of a box.
    pub(super) moves: Vec<Moves<'p>>,
    /// The operations behind whose completion it is complete.
    pub(super) behind: Vec<usize>,
}

/// Bytes that an operation moves: accesses as long as the whole, of which pieces are made.
#[derive(Clone, Debug)]
pub(super) struct Moves<'p> {
    /// How elements are combined with what is there, instead of written.
    pub(super) reduction: Option<&'p Combination>,
    pub(super) bytes: u64,
    /// Whether its accesses are strong, in elements of [`ELEMENT`] bytes.
    pub(super) strong: bool,
    /// How many bytes come from the source.
    pub(super) copied: ExprId,
    /// How many at the beginning and at the end have any value.
    pub(super) open: [u64; 2],
    /// Which bytes of every 16 are copied.
    pub(super) mask: Option<u16>,
    /// Where from, one for each place that the address may mean.
    pub(super) sources: Vec<DraftAccess>,
    /// Where to, destination by destination.
    pub(super) destinations: Vec<Vec<DraftAccess>>,
    /// What is written word by word, if that is the result of a product.
    pub(super) product: Option<ProductResult>,
}

/// What a product adds to each word of Tensor Memory.
#[derive(Clone, Debug)]
pub(super) struct ProductResult {
    pub(super) sum: ExprId,
    /// The reads that it is made of.
    pub(super) reads: Vec<AccessId>,
    /// Whether it is added, or written over what is there.
    pub(super) accumulates: ExprId,
}

/// Bytes of a word of Tensor Memory.
pub(super) const TENSOR_WORD: u32 = 4;

/// What has happened to the groups of a thread.
#[derive(Clone, Copy, Debug)]
pub(super) enum GroupStep {
    /// An operation that a thread issues joins its next group.
    Issue { thread: usize, operation: usize, guard: ExprId },
    /// A group is closed.
    Commit { thread: usize, kind: GroupKind, guard: ExprId },
    /// Groups are waited for: the number of the wait.
    Wait { thread: usize, wait: AwaitMicro, guard: ExprId, number: usize },
}

/// That an operation is complete before a wait, and when if not always.
#[derive(Clone, Copy, Debug)]
pub(super) struct DoneBefore {
    pub(super) operation: usize,
    pub(super) wait: usize,
    /// Whether only its sources have been read.
    pub(super) reads: bool,
    pub(super) when: Option<ExprId>,
}
