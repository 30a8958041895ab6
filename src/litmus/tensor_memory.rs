//! Tensor Memory as a test declares it: `.tmem .b32 d[4];`, a word for each column (PTX-9.7.16.1), and
//! which of its variables are allocated by which thread.

use super::ast::{Test, Thread, ThreadPlace};
use crate::ptx::operation::{Operation, Statement};
use crate::ptx::row::Op;

/// Bytes that stand for a column: a word for the lanes of each warp of a warpgroup.
pub const COLUMN: u32 = 16;

/// How many allocations of Tensor Memory other warps of a thread's CTA have before it; the threads of a
/// warp allocate together.
pub(crate) fn allocated_before(test: &Test, index: usize) -> usize {
    let place = |thread: &Thread| match thread.place {
        ThreadPlace::Device(place) => Some((place.cta_of_test(), place.warp)),
        ThreadPlace::Host => None,
    };
    let Some((cta, warp)) = place(&test.threads[index]) else { return 0 };
    let allocates = |statement: &&Statement| matches!(&statement.operation, Operation::Form(written) if matches!(written.op(), Op::AllocateColumns));
    let mut warps = Vec::new();
    let mut count = 0;
    for thread in &test.threads[..index] {
        let Some((other, number)) = place(thread).filter(|(other, _)| *other == cta) else {
            continue;
        };
        let again = number.is_some() && (number == warp || warps.contains(&number));
        if other == cta && !again {
            count += thread.statements.iter().filter(allocates).count();
            warps.push(number);
        }
    }
    count
}
