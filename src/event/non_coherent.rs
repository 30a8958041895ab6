//! Loads of data that has to stay as it is: `ld.global.nc` and `ldu` (PTX-9.7.9.9, PTX-8.1).
//!
//! The model covers them only where no write can come in their way: every write to the location
//! belongs to a task that is complete before theirs starts, or starts when theirs is complete.

use super::draft::DraftAccess;
use super::graph::Violation;
use crate::program::expr::ExprArena;
use crate::program::micro::Program;

/// Where a non-coherent load meets a write that is not surely over.
pub(super) fn violations(
    program: &Program,
    accesses: &[DraftAccess],
    exprs: &mut ExprArena,
) -> Vec<Violation> {
    let loads: Vec<&DraftAccess> = accesses.iter().filter(|a| a.marks.non_coherent).collect();
    if loads.is_empty() {
        return Vec::new();
    }
    let before = program.tasks.earlier_threads();
    let mut out = Vec::new();
    for load in loads {
        for write in accesses.iter().filter(|a| a.write) {
            if before[load.thread][write.thread] || before[write.thread][load.thread] {
                continue;
            }
            let guard = exprs.and(load.guard, write.guard);
            if write.overlaps(load) && !exprs.is_false(guard) {
                out.push(Violation {
                    guard,
                    span: load.span,
                    rule: "a non-coherent load of data that is written meanwhile (PTX-8.1)"
                        .to_owned(),
                    out_of_model: true,
                    behind: Vec::new(),
                    ended: Vec::new(),
                });
            }
        }
    }
    out
}
