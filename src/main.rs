//! The `ptxmc` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    ptxmc::cli::run()
}
