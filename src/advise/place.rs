//! The places where a test may be changed: positions in the code of threads, and the kinds of
//! change.

use crate::litmus::ast::{Test, ThreadPlace};
use crate::program::micro::TensorFence;
use crate::ptx::asynchronous::AsyncOp;
use crate::ptx::operation::{Operation, Space, Statement};
use crate::ptx::row::Op;
use crate::ptx::table;

/// A statement of threads that have the same code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Position {
    /// The threads.
    pub threads: Vec<usize>,
    /// The statement, as an index; one past the last one where the threads end.
    pub statement: usize,
}

/// The kind of change at a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The qualifiers of a statement, or whether a fence is there.
    Statement(Position),
    /// A fence that may be put before a statement.
    Before(Position),
    /// A statement and its successor, one of which is a barrier; the two may be swapped.
    Exchange(Position),
    /// A barrier that may be put before one statement of each of some threads: each edit is such a
    /// choice.
    Meeting {
        /// The barrier to insert.
        barrier: Box<Operation>,
        /// Where, for each edit.
        choices: Vec<Vec<Position>>,
    },
    /// The operations on a barrier at which threads meet once, which may be left out together.
    Barrier(Vec<Position>),
}

impl Place {
    /// Whether the place changes a statement that an exchange moves, or one next to it.
    pub(super) fn touches_exchange(&self, exchange: &Position) -> bool {
        let first = exchange.statement;
        let here = |at: &Position, from: usize, to: usize| {
            at.threads.iter().any(|thread| exchange.threads.contains(thread))
                && (from..=to).contains(&at.statement)
        };
        match self {
            Self::Statement(at) => here(at, first, first + 1),
            Self::Before(at) => here(at, first + 1, first + 2),
            Self::Exchange(at) => here(at, first.saturating_sub(1), first + 1),
            Self::Meeting { choices, .. } => {
                choices.iter().flatten().any(|at| here(at, first + 1, first + 2))
            }
            Self::Barrier(all) => all.iter().any(|at| here(at, first, first + 1)),
        }
    }
}

/// The device threads grouped by equal statements; the threads of a block form a group. Host
/// threads are excluded, since their code comes from the test and not from a kernel.
pub(super) fn alike(test: &Test) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (index, thread) in test.threads.iter().enumerate() {
        if thread.place == ThreadPlace::Host {
            continue;
        }
        let same = |group: &&mut Vec<usize>| {
            let other = &test.threads[group[0]];
            !thread.statements.is_empty() && thread.statements == other.statements
        };
        match groups.iter_mut().find(same) {
            Some(group) => group.push(index),
            None => groups.push(vec![index]),
        }
    }
    groups
}

/// Whether an operation takes part in memory ordering. Fences before other operations have no
/// effect.
pub(super) fn matters(operation: &Operation) -> bool {
    use Operation as O;
    match operation {
        O::Load { access, .. } | O::Store { access, .. } => {
            !matches!(access.space, Space::Const | Space::ParamEntry | Space::ParamFunc)
        }
        O::Atomic { .. }
        | O::Reduce { .. }
        | O::MultimemLoadReduce { .. }
        | O::MultimemStore { .. }
        | O::MultimemReduce { .. }
        | O::Fence { .. }
        | O::ProxyFence { .. }
        | O::Mbarrier { .. }
        | O::GridDependencyWait
        | O::LaunchDependents => true,
        O::Form(written) => matches!(written.op(), Op::Async(_) | Op::StoreBulk | Op::Discard),
        operation => is_barrier(operation),
    }
}

/// Whether an operation is a meeting point of threads.
pub(super) fn is_barrier(operation: &Operation) -> bool {
    matches!(
        operation,
        Operation::CtaBarrier { .. }
            | Operation::WarpBarrier { .. }
            | Operation::ClusterArrive { .. }
            | Operation::ClusterWait { .. }
    )
}

/// The kind of fence of the tensor cores that an operation is.
pub(super) fn kind_of_tensor_fence(operation: &Operation) -> Option<TensorFence> {
    let Operation::Form(written) = operation else { return None };
    kind_of(written.op())
}

/// A fence of the tensor cores.
pub(super) fn tensor_fence(kind: TensorFence) -> Option<Operation> {
    let opcode = match kind {
        TensorFence::Warpgroup => "wgmma",
        TensorFence::Before | TensorFence::After => "tcgen05",
    };
    table::without_choice(opcode, |op| kind_of(op) == Some(kind)).map(Operation::Form)
}

fn kind_of(op: Op) -> Option<TensorFence> {
    Some(match op {
        Op::WarpgroupFence => TensorFence::Warpgroup,
        Op::BeforeThreadSync => TensorFence::Before,
        Op::AfterThreadSync => TensorFence::After,
        _ => return None,
    })
}

/// The fences of the tensor cores that may order what a thread does, each with the statement before which it
/// stands: products of a warpgroup ask for theirs directly before them, others order what lies between `gaps`.
pub(super) fn tensor_fences(
    statements: &[Statement],
    gaps: Vec<usize>,
) -> Vec<(usize, TensorFence)> {
    let operation = |statement: &Statement| match &statement.operation {
        Operation::Form(written) => match written.op() {
            Op::Async(op) => Some(op),
            _ => None,
        },
        _ => None,
    };
    let of_columns = |op| {
        matches!(
            op,
            AsyncOp::TensorMultiply
                | AsyncOp::TensorMove
                | AsyncOp::TensorShift
                | AsyncOp::TensorLoad
                | AsyncOp::TensorStore
        )
    };
    let multiplies = |at: &usize| matches!(operation(&statements[*at]), Some(AsyncOp::Multiply));
    let products = (0..statements.len()).filter(multiplies);
    let mut out: Vec<_> = products.map(|at| (at, TensorFence::Warpgroup)).collect();
    if statements.iter().filter_map(operation).any(of_columns) {
        let both = [TensorFence::Before, TensorFence::After];
        out.extend(gaps.into_iter().flat_map(|gap| both.map(|kind| (gap, kind))));
    }
    out
}
