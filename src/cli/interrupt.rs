//! Ctrl-C: a run ends its report with what it has.

use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of an interrupted run, as shells know it.
pub(super) const STATUS: i32 = 130;

static WANTED: AtomicBool = AtomicBool::new(false);

/// Lets the run notice that the user wants it to end; asked twice, it ends at once.
pub(super) fn listen() {
    // Where signals cannot be caught they end the process, and what was written stays.
    let _ = ctrlc::set_handler(|| {
        if WANTED.swap(true, Ordering::Relaxed) {
            std::process::exit(STATUS);
        }
    });
}

/// Whether the user wants the run to end.
pub(super) fn wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}
