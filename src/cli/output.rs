//! Where text goes: reports to standard output, everything else to standard error.

use super::args::Color;
use crate::diagnostic::{Diagnostic, Severity};
use crate::report::diagnostics;
use crate::report::paint::Paint;
use crate::source::Files;
use anyhow::{Context, Result};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use rustc_hash::FxHashMap;
use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::time::Duration;

/// Of more diagnostics only the number is told.
const MOST_SHOWN: usize = 500;

/// The exit status when the reader of the report is gone, equal to the shell's status for a process
/// ended by SIGPIPE.
pub(super) const UNREAD: u8 = 141;

/// The messages on standard error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Messages {
    /// All messages.
    All,
    /// Errors only.
    Errors,
}

/// The console of the user: the colors, and the messages that are shown.
pub(super) struct Console {
    color: Color,
    messages: Messages,
}

impl Console {
    pub(super) fn new(color: Color, messages: Messages) -> Self {
        Self { color, messages }
    }

    /// How text for standard output is painted.
    pub(super) fn paint(&self) -> Paint {
        self.paint_for(io::stdout().is_terminal())
    }

    fn paint_for(&self, terminal: bool) -> Paint {
        let wanted = match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
        };
        if wanted { Paint::Ansi } else { Paint::Plain }
    }

    /// An error without a place.
    pub(super) fn complain(&self, message: &str) {
        let paint = self.paint_for(io::stderr().is_terminal());
        say(&format!("{} {message}\n", paint.bad("error:")));
    }

    /// A remark, unless the user wants none.
    pub(super) fn remark(&self, message: &str) {
        if self.messages == Messages::All {
            say(&format!("{message}\n"));
        }
    }

    /// Diagnostics, without warnings if the user wants none.
    pub(super) fn diagnostics(&self, diagnostics: &[Diagnostic], files: &Files) {
        let paint = self.paint_for(io::stderr().is_terminal());
        let wanted =
            |d: &&Diagnostic| self.messages == Messages::All || d.severity == Severity::Error;
        let mut wanted: Vec<&Diagnostic> = diagnostics.iter().filter(wanted).collect();
        // Notes of one code are reported only once.
        let mut noted: FxHashMap<&str, usize> = FxHashMap::default();
        wanted.retain(|d| {
            let before = noted.entry(d.code).or_insert(0);
            *before += usize::from(d.severity == Severity::Note);
            *before <= 1
        });
        let (shown, rest) = wanted.split_at(wanted.len().min(MOST_SHOWN));
        for diagnostic in shown {
            say(&diagnostics::render(diagnostic, files, paint));
            say("\n");
        }
        let again: usize = noted.values().map(|count| count.saturating_sub(1)).sum();
        if again > 0 {
            say(&format!("... and {again} more notes of the same kind\n"));
        }
        if !rest.is_empty() {
            say(&format!("... and {} more errors and warnings\n", rest.len()));
        }
    }

    /// A bar over `count` tests; invisible unless standard error is a terminal.
    pub(super) fn progress(&self, count: usize) -> ProgressBar {
        let target = match self.messages {
            Messages::Errors => ProgressDrawTarget::hidden(),
            Messages::All => ProgressDrawTarget::stderr(),
        };
        let bar = ProgressBar::with_draw_target(Some(count as u64), target);
        if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} {elapsed}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }
}

/// Writes part of a report immediately, so that nothing is lost when the run is interrupted.
///
/// If the reader is gone, this ends the process, since the remaining tests may take arbitrarily
/// long.
pub(super) fn print(text: &str) -> Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    if written.as_ref().is_err_and(is_unread) {
        std::process::exit(UNREAD.into());
    }
    written.context("cannot write to standard output")
}

/// Writes a file that the user has named.
pub(super) fn write_file(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write `{}`", path.display()))
}

/// Whether writing failed because the reader is gone, as with `head`.
pub(super) fn is_unread(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// Writes to standard error; failures are ignored.
fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
