//! The arguments shared by several commands (how tests are checked, how kernels are launched), and the
//! arguments of `advise`.

use crate::module::{Asked, Selection};
use crate::progress::Progress;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What checking a test depends on.
#[derive(Clone, Debug, Args)]
pub(super) struct Checking {
    /// Which engine decides: z3, search, enumerate, auto, or all of them, which have to agree.
    #[arg(long, value_name = "ENGINE", default_value = "auto")]
    pub(super) engine: String,
    /// How often a loop body is executed at most, up to 255. Without it twice, and in small programs
    /// up to four times where that decides a verdict.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub(super) bound: Option<u8>,
    /// Read tests in blocks that name no `.version` as PTX 1.4.
    #[arg(long)]
    pub(super) legacy: bool,
    /// Seconds for each engine and question about a test: its verdict, and what is shown besides, such as
    /// states, races or an execution. Without it, no limit but that of steps.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) timeout: Option<u64>,
    /// How to read the standard where it leaves room, such as `tearing=byte`; `ptxmc model` lists
    /// the names.
    #[arg(long = "reading", value_name = "NAME=VALUE")]
    pub(super) readings: Vec<String>,
    /// What the scheduler owes threads, for the question whether the program may hang: cuda, fair, obe,
    /// lobe, hsa, hsa-obe or unfair.
    #[arg(long, value_name = "MODEL", default_value = "cuda", value_parser = progress)]
    pub(super) progress: Progress,
    /// Leave an axiom out of every model that has it; the expectations of tests stay those of the
    /// whole model. Repeat it for several.
    #[arg(long = "without", value_name = "AXIOM")]
    pub(super) without: Vec<String>,
}

/// How kernels are launched.
#[derive(Clone, Debug, Default, Args)]
pub(super) struct Launching {
    /// Launch kernels of a PTX module: buffers, launches, and perhaps a condition, as in
    /// `buf x[2] of .u32 = 0; k<<<1, 2>>>(x)`.
    #[arg(long, value_name = "TEXT")]
    pub(super) launch: Option<String>,
    /// The threads of a launch that are looked at: `all`, or CTAs and threads such as `0:0-31,1:0,32`.
    #[arg(long, value_name = "THREADS", requires = "launch", value_parser = selection)]
    pub(super) threads: Option<Selection>,
}

impl Launching {
    /// The launch that is asked for, if one is.
    pub(super) fn asked(&self) -> Option<Asked<'_>> {
        const AFFORDABLE: &Selection = &Selection::Affordable;
        let text = self.launch.as_deref()?;
        Some(Asked { text, threads: self.threads.as_ref().unwrap_or(AFFORDABLE) })
    }
}

impl Checking {
    /// The settings of commands without these options.
    pub(super) fn plain() -> Self {
        let (engine, readings) = ("auto".to_owned(), Vec::new());
        let (bound, timeout, without) = (None, None, Vec::new());
        let progress = Progress::default();
        Self { engine, bound, legacy: false, timeout, readings, progress, without }
    }

    /// The version for tests that name none, if the user gives one.
    pub(super) fn version(&self) -> Option<(u32, u32)> {
        self.legacy.then_some((1, 4))
    }
}

/// Threads by CTA and number: `all`, `0:0-31,1:0,32`.
fn selection(text: &str) -> Result<Selection, String> {
    if text.trim() == "all" {
        return Ok(Selection::All);
    }
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().ok();
        Some(number(first)?..=number(last)?)
    };
    // A range of threads without CTAs refers to the CTAs of the previous range.
    let mut ctas = None;
    let one = |part: &str| {
        let threads = match part.split_once(':') {
            Some((written, threads)) => {
                ctas = Some(range(written)?);
                threads
            }
            None => part,
        };
        Some([ctas.clone()?, range(threads)?])
    };
    let list: Option<Vec<_>> = text.split(',').map(one).collect();
    list.map(Selection::Some).ok_or_else(|| {
        "threads are `all`, or written `CTA:THREAD`, as in `0:0-31,1:0,32`".to_owned()
    })
}

/// A model of progress by its name.
fn progress(name: &str) -> Result<Progress, String> {
    let names = || Progress::ALL.map(Progress::name).join(", ");
    Progress::named(name).ok_or_else(|| format!("models of progress are {}", names()))
}

/// Milliseconds from seconds in decimal notation.
pub(super) fn seconds(text: &str) -> Result<u64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    let duration = std::time::Duration::try_from_secs_f64(seconds)
        .map_err(|_| "not a number of seconds".to_owned())?;
    match u64::try_from(duration.as_millis()) {
        Ok(milliseconds) if milliseconds > 0 => Ok(milliseconds),
        _ => Err("shorter than a millisecond, or longer than time".to_owned()),
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SingleFormat {
    /// For people.
    Text,
    /// One object.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct AdviseArguments {
    /// Test files, folders, `@FILE` with one path per line, or `-` for standard input.
    #[arg(required = true, value_name = "TEST")]
    pub(super) paths: Vec<String>,
    /// Only tests of this name.
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// A built-in model (ptx-6.0, ptx-7.5, ptx-8.7, ptx-9.2, ptx-9.4, sc), a cat file or an edit file;
    /// ptx-9.2 unless given.
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    #[command(flatten)]
    pub(super) checking: Checking,
    /// Exclude the outcome; without this and the next three, by the verdict: an allowed outcome is
    /// excluded, a program with a forbidden one relaxed.
    #[arg(long, conflicts_with_all = ["relax", "races", "hangs"])]
    pub(super) repair: bool,
    /// Weaken the program as far as the outcome stays excluded, and no race or hang comes to it.
    #[arg(long, conflicts_with_all = ["races", "hangs"])]
    pub(super) relax: bool,
    /// Exclude every data race.
    #[arg(long, conflicts_with = "hangs")]
    pub(super) races: bool,
    /// Exclude every hang.
    #[arg(long)]
    pub(super) hangs: bool,
    /// One answer for all tests, which have one program and ask about different outcomes.
    #[arg(long)]
    pub(super) all: bool,
    /// What changes cost: lines `NAME = NUMBER`; costs that are not named keep their defaults.
    #[arg(long, value_name = "FILE")]
    pub(super) cost: Option<PathBuf>,
    /// How much more than the cheapest set others may cost that are shown, too; in relaxations any.
    #[arg(long, value_name = "COST")]
    pub(super) within: Option<u32>,
    /// How many sets are shown.
    #[arg(long, value_name = "N", default_value = "3", value_parser = clap::value_parser!(u8).range(1..))]
    pub(super) sets: u8,
    /// Write the changed test to a file.
    #[arg(long, value_name = "FILE")]
    pub(super) apply: Option<PathBuf>,
    /// Which set is written.
    #[arg(long, value_name = "N", default_value = "1", requires = "apply", value_parser = clap::value_parser!(u8).range(1..))]
    pub(super) set: u8,
    /// The form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: SingleFormat,
}
