//! The arguments of every command.

use super::examples;
use super::gate::FailOn;
use crate::event::unfold::Tearing;
use crate::solve::Cores;
use crate::verdict::Kind;
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

/// Decides what the memory consistency model of NVIDIA PTX allows.
#[derive(Debug, Parser)]
#[command(name = "ptxmc", arg_required_else_help = true, after_help = STATUSES)]
pub(super) struct Arguments {
    #[command(subcommand)]
    pub(super) command: Command,
    /// Colour in the output.
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto")]
    pub(super) color: Color,
    /// No warnings and no progress on standard error.
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
}

/// What the help says of exit statuses.
pub(super) const STATUSES: &str = "Exit status: 0 as expected, 1 a verdict differs from what was expected, 2 \
                        bad usage or input that cannot be read, 3 something is unknown or there \
                        is nothing to show, 101 a bug, 130 interrupted, 141 nobody \
                        reads the report any more.";

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Give the verdict on every test.
    #[command(after_help = examples::CHECK)]
    Check(CheckArguments),
    /// List every final state of a test.
    #[command(after_help = examples::OUTCOMES)]
    Outcomes(OutcomesArguments),
    /// Explain the verdict on a test, with an execution and the clauses that decide.
    #[command(after_help = examples::EXPLAIN)]
    Explain(ExplainArguments),
    /// Draw an execution with the outcome in question.
    #[command(after_help = examples::DRAW)]
    Draw(DrawArguments),
    /// List the data races of a test, with what keeps each pair from being ordered.
    ///
    /// Ends with status 1 if there is one.
    #[command(after_help = examples::RACES)]
    Races(RacesArguments),
    /// Write tests in another format: blocks, as PTX is written, or columns, as other tools read them.
    #[command(after_help = examples::CONVERT)]
    Convert(ConvertArguments),
    /// Print what a shell needs to complete the command's arguments.
    #[command(after_help = examples::COMPLETIONS)]
    Completions(CompletionsArguments),
    /// Print the manual page.
    #[command(after_help = examples::MAN)]
    Man,
    /// Hold what machines have shown against the model: logs of tests, or traces of values.
    #[command(after_help = examples::JUDGE)]
    Judge(JudgeArguments),
    /// Check a cat model and print its axioms; without FILE, list the built-in models.
    #[command(after_help = examples::MODEL)]
    Model(ModelArguments),
}

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
    /// Seconds for each engine: in `check` and `draw` for the verdict on a test under a model, in
    /// `outcomes` for the list of states and for the verdict, in `races` for all races and for the
    /// verdict, in `explain` for the verdict, for the execution shown and for each other reading;
    /// without it, no limit but that of steps.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) timeout: Option<u64>,
    /// How to read the standard where it leaves room, such as `tearing=byte`; `ptxmc model` lists
    /// the names.
    #[arg(long = "reading", value_name = "NAME=VALUE")]
    pub(super) readings: Vec<String>,
}

impl Checking {
    /// The version of tests that name none, if the user gives them one.
    pub(super) fn version(&self) -> Option<(u32, u32)> {
        self.legacy.then_some((1, 4))
    }
}

/// A verdict by its name.
fn verdict(name: &str) -> Result<Kind, String> {
    let names = || Kind::ALL.map(Kind::name).join(", ");
    Kind::named(name).ok_or_else(|| format!("verdicts are {}", names()))
}

/// Milliseconds from seconds, which may have a fraction.
fn seconds(text: &str) -> Result<u64, String> {
    let seconds: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    let duration = std::time::Duration::try_from_secs_f64(seconds)
        .map_err(|_| "not a number of seconds".to_owned())?;
    match u64::try_from(duration.as_millis()) {
        Ok(milliseconds) if milliseconds > 0 => Ok(milliseconds),
        _ => Err("shorter than a millisecond, or longer than time".to_owned()),
    }
}

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// Test files, folders, `@FILE` with one path per line, or `-` for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<String>,
    /// A built-in model or a cat file; each one adds a column.
    #[arg(long = "model", value_name = "MODEL")]
    pub(super) models: Vec<String>,
    #[command(flatten)]
    pub(super) checking: Checking,
    /// How many tests are checked at a time; the number of cores unless given.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) jobs: Option<u16>,
    /// The form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: CheckFormat,
    /// Show an execution for every verdict that has one.
    #[arg(
        long,
        value_name = "FORM",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "text"
    )]
    pub(super) witness: Option<WitnessForm>,
    /// Check in processes of their own, so that a crash costs one test.
    #[arg(long)]
    pub(super) isolate: bool,
    /// Compare with the verdicts in this file, which take precedence over those in the tests.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// The verdict that tests without an expectation are expected to have.
    #[arg(long, value_name = "VERDICT", value_parser = verdict)]
    pub(super) expect: Option<Kind>,
    /// End with status 1 where a test that expects nothing has one of these verdicts, or any test
    /// has a data race.
    #[arg(long, value_name = "WHAT,...", value_delimiter = ',')]
    pub(super) fail_on: Vec<FailOn>,
    /// Write the verdicts found to the baseline.
    #[arg(long, requires = "baseline")]
    pub(super) bless: bool,
}

/// What a run with `--isolate` hands on to its workers: a command line of its own, which nobody types.
#[derive(Debug, Parser)]
pub(super) struct WorkerArguments {
    #[arg(long)]
    pub(super) color: Color,
    #[arg(long = "model")]
    pub(super) models: Vec<String>,
    #[command(flatten)]
    pub(super) checking: Checking,
    #[arg(long)]
    pub(super) format: CheckFormat,
    #[arg(long)]
    pub(super) witness: Option<WitnessForm>,
    #[arg(long, value_delimiter = ',')]
    pub(super) fail_on: Vec<FailOn>,
    /// The width of the column of paths.
    #[arg(long)]
    pub(super) width: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CheckFormat {
    /// A line per test.
    Text,
    /// One object with everything.
    Json,
    /// herd's log, with all final states.
    Herd,
    /// XML for continuous integration.
    Junit,
}

impl CheckFormat {
    /// How much work cores are worth: herd's log does not show them.
    pub(super) fn cores(self) -> Cores {
        match self {
            Self::Text | Self::Json | Self::Junit => Cores::Minimal,
            Self::Herd => Cores::FirstProof,
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct JudgeArguments {
    /// Logs of herd7, litmus7 or this tool, JSON, CSV, or traces of values; `-` for standard input.
    #[arg(required = true, value_name = "LOG")]
    pub(super) logs: Vec<String>,
    /// The tests that logs speak of: files, folders, `@FILE` with one path per line.
    #[arg(long, value_name = "PATH", num_args = 1..)]
    pub(super) tests: Vec<String>,
    /// A built-in model or a cat file.
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    #[command(flatten)]
    pub(super) checking: Checking,
    /// How many tests are judged at a time; the number of cores unless given.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) jobs: Option<u16>,
    /// The form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: JudgeFormat,
    /// Earlier logs of the same tests: which states are new, and which are gone.
    #[arg(long, value_name = "LOG", num_args = 1..)]
    pub(super) against: Vec<String>,
    /// Say which wrong models the tests notice and the logs refute, clause by clause.
    #[arg(long)]
    pub(super) kills: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum JudgeFormat {
    /// A line per test, and explanations of what is forbidden and was seen.
    Text,
    /// One object with everything.
    Json,
    /// XML for continuous integration.
    Junit,
    /// A bug report.
    Markdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum WitnessForm {
    Text,
    Dot,
}

/// One test under one model.
#[derive(Debug, Args)]
pub(super) struct Single {
    /// The test file, or `-` for standard input.
    #[arg(value_name = "TEST")]
    pub(super) path: String,
    /// The test of this name, where the file holds several.
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// A built-in model or a cat file.
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    #[command(flatten)]
    pub(super) checking: Checking,
}

#[derive(Debug, Args)]
pub(super) struct OutcomesArguments {
    #[command(flatten)]
    pub(super) single: Single,
    /// The form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: OutcomesFormat,
    /// Show an execution for every state.
    #[arg(long)]
    pub(super) witness: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OutcomesFormat {
    /// A line per state.
    Text,
    /// herd's log.
    Herd,
    /// One object.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SingleFormat {
    /// For people.
    Text,
    /// One object.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    #[command(flatten)]
    pub(super) single: Single,
    /// The form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: SingleFormat,
}

#[derive(Debug, Args)]
pub(super) struct RacesArguments {
    #[command(flatten)]
    pub(super) single: Single,
    /// The form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: SingleFormat,
}

#[derive(Debug, Args)]
pub(super) struct DrawArguments {
    #[command(flatten)]
    pub(super) single: Single,
    /// The picture to write: `.dot`, `.json`, or `.svg` and `.html` through Graphviz.
    #[arg(short, long, value_name = "FILE")]
    pub(super) output: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct ModelArguments {
    /// A built-in model or a cat file.
    #[arg(value_name = "FILE")]
    pub(super) model: Option<String>,
    /// Print the model with functions expanded, then its simplified form.
    #[arg(long, requires = "model")]
    pub(super) show: bool,
    /// How to read the standard where it leaves room.
    #[arg(long = "reading", value_name = "NAME=VALUE")]
    pub(super) readings: Vec<String>,
}

#[derive(Debug, Args)]
pub(super) struct ConvertArguments {
    /// Test files, folders, `@FILE` with one path per line, or `-` for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<String>,
    /// The format to write.
    #[arg(long, value_name = "FORMAT")]
    pub(super) to: TestFormat,
    /// Read tests in blocks that name no `.version` as PTX 1.4.
    #[arg(long)]
    pub(super) legacy: bool,
    /// The folder to write a file for each test to, in place of standard output.
    #[arg(short, long, value_name = "FOLDER")]
    pub(super) output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum TestFormat {
    /// PTX statements in a block for each thread.
    Blocks,
    /// A table with a column for each thread.
    Columns,
}

#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell.
    #[arg(value_name = "SHELL")]
    pub(super) shell: clap_complete::Shell,
}

/// The values of the reading `tearing`, which concerns programs and not models.
pub(super) const TEARING: [(&str, Tearing); 2] =
    [("overlap", Tearing::Overlap), ("byte", Tearing::Byte)];
