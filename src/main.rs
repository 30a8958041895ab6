//! The `ptxmc` command.

use mimalloc::MiMalloc;
use std::process::ExitCode;

/// Small tests spend a fifth of their time on allocations with the system's allocator.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    ptxmc::cli::run()
}
