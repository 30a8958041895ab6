//! Handling of Ctrl-C: a run ends its report with the results so far.

use std::sync::atomic::{AtomicBool, Ordering};

/// The exit status of an interrupted run in shells.
pub(super) const STATUS: i32 = 130;

static WANTED: AtomicBool = AtomicBool::new(false);

/// Registers a handler for Ctrl-C: the first signal requests the end of the run, a second signal ends the
/// process.
pub(super) fn listen() {
    // If signals cannot be caught, they end the process, and the output so far remains.
    let _ = ctrlc::set_handler(|| {
        if WANTED.swap(true, Ordering::Relaxed) {
            std::process::exit(STATUS);
        }
    });
}

/// Whether the user has requested the end of the run.
pub(super) fn wanted() -> bool {
    WANTED.load(Ordering::Relaxed)
}
