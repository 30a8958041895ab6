//! Traces of values: the values that each operation of each thread read and wrote, checked against
//! a model.
//!
//! ```text
//! lines ──▶ Trace ── sources ──▶ candidate writes of each read ── sc | ptx ──▶ consistent, or not
//!                                                                   └── part ──▶ smallest inconsistent part
//! ```
//!
//! Sequential consistency and PTX have specialized algorithms for traces of 10^5 operations.
//! [`whole`] checks small traces against any cat model, and names the axioms that an inconsistent
//! part violates.

mod cell;
mod clock;
mod dense;
mod fences;
pub mod lines;
pub mod part;
mod ptx;
mod sc;
mod schedule;
mod sources;
mod sync;
pub mod whole;

use crate::id::{CellId, OpId, ThreadId};
use crate::ptx::operation::{Order, Scope};
use crate::source::Span;
use sources::Sources;

pub use lines::is_trace;

/// The operations of a program in one run.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The threads.
    pub threads: Vec<Thread>,
    /// The memory locations.
    pub cells: Vec<Cell>,
    /// The operations; the operations of one thread are in program order.
    pub ops: Vec<Op>,
}

/// A thread of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its name, mostly a number.
    pub name: String,
    /// Its device.
    pub gpu: u32,
    /// Its cluster, told from all others of the trace.
    pub cluster: u32,
    /// Its CTA, told from all others of the trace.
    pub cta: u32,
    /// Its warp within the CTA.
    pub warp: Option<u32>,
}

/// A memory location of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its name, such as `M[1]` or `x+4`.
    pub name: String,
    /// The size in bytes, if the trace gives it.
    pub bytes: Option<u32>,
    /// Its value before all operations.
    pub initial: i128,
}

/// An operation of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Op {
    /// Its thread.
    pub thread: ThreadId,
    /// The kind of operation.
    pub kind: OpKind,
    /// The order qualifier, which covers both halves of an atomic operation.
    pub order: Order,
    /// Its scope; that of weak operations does not count.
    pub scope: Scope,
    /// The location of an access.
    pub cell: Option<CellId>,
    /// The value read.
    pub read: Option<i128>,
    /// The value written.
    pub write: Option<i128>,
    /// The start time.
    pub begin: Option<u64>,
    /// The end time.
    pub end: Option<u64>,
    /// Its line.
    pub span: Span,
}

/// The kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpKind {
    /// `ld`
    Load,
    /// `st`
    Store,
    /// `atom`; one that read and did not write is a `cas` that failed.
    Atomic,
    /// `red`
    Reduction,
    /// A fence.
    Fence,
    /// A barrier of the CTA.
    Barrier(Barrier),
}

/// An operation at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Barrier {
    /// The barrier's number within the CTA.
    pub number: u32,
    /// The number of earlier visits of the thread. Visits with the same number meet.
    pub turn: u32,
    /// Whether the thread waits at the barrier.
    pub waits: Waits,
}

/// Whether a thread waits at a barrier for the other threads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    /// `bar.sync`
    Yes,
    /// `bar.arrive`
    No,
}

impl Op {
    /// Whether the operation is morally strong with others of mutual scope (PTX-8.4).
    #[must_use]
    pub fn is_strong(&self) -> bool {
        self.order != Order::Weak && !matches!(self.kind, OpKind::Barrier(..))
    }

    /// Whether the operation reads and writes.
    #[must_use]
    pub fn is_rmw(&self) -> bool {
        self.read.is_some() && self.write.is_some()
    }

    /// Whether the operation is performed atomically, even if it wrote nothing.
    #[must_use]
    pub fn is_atomic(&self) -> bool {
        matches!(self.kind, OpKind::Atomic | OpKind::Reduction)
    }

    /// Whether the operation is a fence with release semantics, including `fence.sc` (PTX-8.8).
    #[must_use]
    pub fn is_release_fence(&self) -> bool {
        self.kind == OpKind::Fence && self.order != Order::Acquire
    }

    /// Whether the operation is a fence with acquire semantics, including `fence.sc` (PTX-8.8).
    #[must_use]
    pub fn is_acquire_fence(&self) -> bool {
        self.kind == OpKind::Fence && self.order != Order::Release
    }

    /// Whether the operation is an access with release semantics. A failed `cas` keeps its release
    /// semantics (PTX-8.8).
    #[must_use]
    pub fn releases(&self) -> bool {
        self.cell.is_some() && matches!(self.order, Order::Release | Order::AcqRel)
    }

    /// Whether the operation is an access with acquire semantics. The read of a `red` has none
    /// (PTX-8.8).
    #[must_use]
    pub fn acquires(&self) -> bool {
        self.read.is_some()
            && matches!(self.kind, OpKind::Load | OpKind::Atomic)
            && matches!(self.order, Order::Acquire | Order::AcqRel)
    }
}

impl Trace {
    /// The operation behind an id.
    #[must_use]
    pub fn op(&self, id: OpId) -> &Op {
        &self.ops[id.index()]
    }

    /// The ids of all operations.
    pub fn ids(&self) -> impl Iterator<Item = OpId> + use<> {
        (0..self.ops.len()).map(OpId::new)
    }

    /// Whether two operations have mutual scopes (PTX-8.5).
    #[must_use]
    pub fn mutual(&self, a: OpId, b: OpId) -> bool {
        let (a, b) = (self.op(a), self.op(b));
        let (p, q) = (&self.threads[a.thread.index()], &self.threads[b.thread.index()]);
        p.includes(a.scope, q) && q.includes(b.scope, p)
    }

    /// Whether two operations are morally strong (PTX-8.7): accesses to one location, or a fence
    /// and any operation.
    #[must_use]
    pub fn morally_strong(&self, a: OpId, b: OpId) -> bool {
        let (p, q) = (self.op(a), self.op(b));
        p.thread == q.thread || (p.is_strong() && q.is_strong() && self.mutual(a, b))
    }

    /// The time of an operation in the trace, or its index if it has no time.
    pub(crate) fn when(&self, id: OpId) -> u64 {
        let op = self.op(id);
        op.begin.or(op.end).unwrap_or(id.index() as u64)
    }

    /// The operations of each thread in program order.
    pub(crate) fn by_thread(&self) -> Vec<Vec<OpId>> {
        let mut threads = vec![Vec::new(); self.threads.len()];
        for id in self.ids() {
            threads[self.op(id).thread.index()].push(id);
        }
        threads
    }

    /// The trace of some operations, given by their ids in this trace. Threads without operations
    /// are left out.
    #[must_use]
    pub fn restricted(&self, kept: &[OpId]) -> Self {
        let mut out = Self { cells: self.cells.clone(), ..Self::default() };
        let mut known = vec![None; self.threads.len()];
        for &id in kept {
            let mut op = *self.op(id);
            let thread = *known[op.thread.index()].get_or_insert_with(|| {
                out.threads.push(self.threads[op.thread.index()].clone());
                ThreadId::new(out.threads.len() - 1)
            });
            op.thread = thread;
            out.ops.push(op);
        }
        out
    }
}

impl Thread {
    /// Whether a scope of this thread includes another thread.
    #[must_use]
    pub fn includes(&self, scope: Scope, other: &Self) -> bool {
        match scope {
            Scope::Cta => self.cta == other.cta,
            Scope::Cluster => self.cluster == other.cluster,
            Scope::Gpu => self.gpu == other.gpu,
            Scope::Sys => true,
        }
    }
}

/// The models that have an algorithm for large traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axioms {
    /// Sequential consistency, as in `sc`.
    Sc,
    /// PTX, as in `ptx-9.2` without other readings.
    Ptx,
}

/// The verdict on a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Some execution of the model has the values of the trace.
    Consistent,
    /// None has.
    Inconsistent,
    /// The verdict is unknown, for the given reason.
    Unknown(String),
}

/// An order of all operations in which every read sees the last write, if one is found.
#[must_use]
pub fn interleaving(trace: &Trace) -> Option<Vec<OpId>> {
    let mut sources = Sources::by_value(trace);
    if sources.some_read_has_none() || trace.threads.len() > MOST_THREADS {
        return None;
    }
    sources.narrow(trace);
    match sc::order(trace, sources) {
        sc::Found::Order(order) => Some(order),
        sc::Found::None | sc::Found::Untold => None,
    }
}

/// The first read that ended before all writes that are possible sources began. A model may admit the
/// values, but no machine has such times.
#[must_use]
pub fn untimely(trace: &Trace) -> Option<OpId> {
    Sources::by_value(trace).untimely(trace)
}

/// The trace without the end times of operations, if these times exclude some source of a read.
#[must_use]
pub fn untimed(trace: &Trace) -> Option<Trace> {
    Sources::by_value(trace).some_are_late(trace).then(|| {
        let mut trace = trace.clone();
        trace.ops.iter_mut().for_each(|op| op.end = None);
        trace
    })
}

/// Pasts take memory by the square of this number.
const MOST_THREADS: usize = 8192;

/// Whether some execution of a model has the values of a trace.
#[must_use]
pub fn judge(trace: &Trace, axioms: Axioms) -> Verdict {
    let mut sources = Sources::by_value(trace);
    if sources.some_read_has_none() {
        return Verdict::Inconsistent;
    }
    if trace.threads.len() > MOST_THREADS {
        let count = trace.threads.len();
        return Verdict::Unknown(format!("{count} threads, more than {MOST_THREADS}"));
    }
    sources.narrow(trace);
    match axioms {
        Axioms::Sc => sc::judge(trace, sources),
        Axioms::Ptx => ptx::judge(trace, &sources),
    }
}
