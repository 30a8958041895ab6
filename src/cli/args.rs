//! The arguments of every command.

use super::checking::seconds;
pub(super) use super::checking::{AdviseArguments, Checking, Launching, SingleFormat};
use super::examples;
use super::sizes::Sizes;
use crate::batch::Refusal;
use crate::event::unfold::Tearing;
use crate::litmus::ast::Quantifier;
use crate::report::proof::Depth;
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
    /// Say whether a test may hang: whether an execution goes on no more though not every thread has
    /// ended. Shows where each thread is then, for what it waits, and why that never comes.
    ///
    /// Ends with status 1 if it may.
    #[command(after_help = examples::HANGS)]
    Hangs(HangsArguments),
    /// List the data races of a test, with what keeps each pair from being ordered.
    ///
    /// Ends with status 1 if there is one.
    #[command(after_help = examples::RACES)]
    Races(RacesArguments),
    /// Say what to change of a program: the cheapest changes that exclude an outcome, races or hangs, or,
    /// where the outcome is excluded, what is redundant or stronger than needed.
    ///
    /// Ends with status 1 if no change among those that were looked at will do.
    #[command(after_help = examples::ADVISE)]
    Advise(AdviseArguments),
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
    /// Make tests of a shape or cycle, with all orders, scopes, fences and placements asked for.
    #[command(after_help = examples::GENERATE)]
    Generate(GenerateArguments),
    /// Write kernels that run many instances of each test, for the driver of a GPU.
    #[command(after_help = examples::EMIT)]
    Emit(EmitArguments),
    /// Run tests on a GPU of this machine and count the final states.
    #[command(after_help = examples::RUN)]
    Run(RunArguments),
    /// Compare two models on tests: what is newly allowed, forbidden or undefined, grouped by the axiom
    /// that decides.
    #[command(after_help = examples::DIFF)]
    Diff(DiffArguments),
    /// Find the smallest tests that tell two models apart, among all small programs.
    #[command(after_help = examples::DISTINGUISH)]
    Distinguish(DistinguishArguments),
    /// Make the tests that pin a model: forbidden, and allowed with any one thing less.
    #[command(after_help = examples::SUITE)]
    Suite(SuiteArguments),
    /// Prove that two models allow the same, or find tests that tell them apart.
    #[command(after_help = examples::EQUIV)]
    Equiv(EquivArguments),
    /// Fill the holes of a model so that it agrees with tests.
    #[command(after_help = examples::FIT)]
    Fit(FitArguments),
    /// Check a cat model and print its axioms, readings and text; without FILE, list the built-in models.
    #[command(after_help = examples::MODEL)]
    Model(ModelArguments),
}

/// A verdict by its name, or by the word that it has for `forall`.
fn verdict(name: &str) -> Result<Kind, String> {
    let all = || Kind::ALL.into_iter().filter(|kind| *kind != Kind::Error);
    let names = || all().map(Kind::name).collect::<Vec<_>>().join(", ");
    Kind::worded(name, Quantifier::Forall)
        .filter(|kind| *kind != Kind::Error)
        .ok_or_else(|| format!("verdicts are {}, holds, fails", names()))
}

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// Test files, folders, `@FILE` with one path per line, or `-` for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<String>,
    /// A built-in model, a cat file or an edit file; each one adds a column.
    #[arg(long = "model", value_name = "MODEL")]
    pub(super) models: Vec<String>,
    #[command(flatten)]
    pub(super) launching: Launching,
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
    /// Write pages into this folder: `index.html`, which lists the tests, and one for each of them.
    #[arg(long, value_name = "DIR", conflicts_with = "isolate")]
    pub(super) report: Option<PathBuf>,
    /// Compare with the verdicts in this file, which take precedence over those in the tests.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// The verdict that tests without an expectation are expected to have.
    #[arg(long, value_name = "VERDICT", value_parser = verdict)]
    pub(super) expect: Option<Kind>,
    /// End with status 1 where a test that expects nothing has one of these verdicts, or any test
    /// has a data race.
    #[arg(long, value_name = "WHAT,...", value_delimiter = ',')]
    pub(super) fail_on: Vec<Refusal>,
    /// Write the verdicts found to the baseline.
    #[arg(long, requires = "baseline")]
    pub(super) bless: bool,
}

#[derive(Debug, Args)]
pub(super) struct DiffArguments {
    /// What is compared with: a built-in model, a cat file, an edit file, or a baseline that
    /// `check --bless` wrote.
    #[arg(value_name = "OLD")]
    pub(super) old: String,
    /// The model that is looked at.
    #[arg(value_name = "NEW")]
    pub(super) new: String,
    /// Test files, folders, `@FILE` with one path per line, or `-` for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<String>,
    #[command(flatten)]
    pub(super) checking: Checking,
    /// Compare the sets of final states too.
    #[arg(long)]
    pub(super) states: bool,
    /// Compare the races too, where both models define `race`.
    #[arg(long)]
    pub(super) races: bool,
    /// Name every test of a group.
    #[arg(long)]
    pub(super) all: bool,
    /// Whose verdicts of a baseline count, with the readings behind its name.
    #[arg(long, value_name = "MODEL")]
    pub(super) of: Option<String>,
    /// Write the new verdicts to the baseline.
    #[arg(long)]
    pub(super) bless: bool,
    /// How many tests are checked at a time; the number of cores unless given.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) jobs: Option<u16>,
    /// The form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: DiffFormat,
}

#[derive(Debug, Args)]
pub(super) struct DistinguishArguments {
    /// A built-in model, a cat file or an edit file.
    #[arg(value_name = "A")]
    pub(super) one: String,
    /// Another one.
    #[arg(value_name = "B")]
    pub(super) other: String,
    #[command(flatten)]
    pub(super) sizes: Sizes,
    /// How many tests are wanted, the smallest first.
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) count: u16,
    /// Write each test to a file of this folder.
    #[arg(short, long, value_name = "FOLDER")]
    pub(super) output: Option<PathBuf>,
    /// The form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: FoundFormat,
    #[command(flatten)]
    pub(super) checking: Checking,
}

#[derive(Debug, Args)]
pub(super) struct SuiteArguments {
    /// A built-in model, a cat file or an edit file.
    #[arg(value_name = "MODEL")]
    pub(super) model: String,
    #[command(flatten)]
    pub(super) sizes: Sizes,
    /// Write each test to a file of this folder.
    #[arg(short, long, value_name = "FOLDER")]
    pub(super) output: Option<PathBuf>,
    /// The form of the report: with `table`, a line for each shape with its weakest forbidden orders,
    /// scopes and places.
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(super) format: SuiteFormat,
    #[command(flatten)]
    pub(super) checking: Checking,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SuiteFormat {
    /// A line for each wording of a shape.
    Table,
    /// The tests.
    Text,
    /// One object.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct EquivArguments {
    /// A built-in model, a cat file or an edit file.
    #[arg(value_name = "A")]
    pub(super) one: String,
    /// Another one.
    #[arg(value_name = "B")]
    pub(super) other: String,
    #[command(flatten)]
    pub(super) sizes: Sizes,
    /// Show every step of the proofs.
    #[arg(long)]
    pub(super) proof: bool,
    #[command(flatten)]
    pub(super) checking: Checking,
}

#[derive(Debug, Args)]
pub(super) struct FitArguments {
    /// A cat file with holes: `hole h = a | b | c`.
    #[arg(value_name = "SKETCH")]
    pub(super) sketch: String,
    /// Tests with expectations: files, folders, `@FILE` with one path per line, or `-`.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<String>,
    #[command(flatten)]
    pub(super) sizes: Sizes,
    #[command(flatten)]
    pub(super) checking: Checking,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FoundFormat {
    /// The tests, each with what decides.
    Text,
    /// One object.
    Json,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DiffFormat {
    /// Groups, with a test of each.
    Text,
    /// The same for a pull request.
    Markdown,
    /// One object with everything.
    Json,
    /// XML for continuous integration.
    Junit,
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
    pub(super) fail_on: Vec<Refusal>,
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
    /// A built-in model (ptx-6.0, ptx-7.5, ptx-8.7, ptx-9.2, ptx-9.4, sc), a cat file or an edit file;
    /// ptx-9.2 unless given.
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    #[command(flatten)]
    pub(super) launching: Launching,
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

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// The test file, or `-` for standard input; with `--clause`, tests of which those are listed that
    /// exercise it.
    #[arg(value_name = "TEST", required_unless_present = "clause")]
    pub(super) path: Option<String>,
    /// Explain a clause of the standard, such as PTX-8.10.6: what it says, its lines in the model, its
    /// readings and tests.
    #[arg(long, value_name = "ID", conflicts_with_all = ["name", "launch"])]
    pub(super) clause: Option<String>,
    /// The test of this name, where the file holds several.
    #[arg(long, value_name = "NAME")]
    pub(super) name: Option<String>,
    /// A built-in model (ptx-6.0, ptx-7.5, ptx-8.7, ptx-9.2, ptx-9.4, sc), a cat file or an edit file;
    /// ptx-9.2 unless given.
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// Unfold the steps of a forbidden outcome into the definitions of the model that they are instances
    /// of: N deep, or without a number down to base relations.
    #[arg(
        long,
        value_name = "N",
        num_args = 0..=1,
        require_equals = true,
        value_parser = clap::value_parser!(u8).range(1..),
        conflicts_with = "clause"
    )]
    pub(super) unfold: Option<Option<u8>>,
    #[command(flatten)]
    pub(super) launching: Launching,
    #[command(flatten)]
    pub(super) checking: Checking,
    /// The form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: SingleFormat,
}

impl ExplainArguments {
    /// How far steps are unfolded.
    pub(super) fn depth(&self) -> Depth {
        match self.unfold {
            None => Depth::Folded,
            Some(Some(definitions)) => Depth::Definitions(definitions.into()),
            Some(None) => Depth::Base,
        }
    }

    /// The test that is to be explained.
    pub(super) fn single(&self) -> Single {
        Single {
            path: self.path.clone().unwrap_or_default(),
            name: self.name.clone(),
            model: self.model.clone(),
            launching: self.launching.clone(),
            checking: self.checking.clone(),
        }
    }
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
pub(super) struct HangsArguments {
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
    /// The file to write, `-` for standard output, which is meant where only a form is given.
    #[arg(short, long, value_name = "FILE", required_unless_present = "format")]
    pub(super) output: Option<PathBuf>,
    /// The form of the picture; by the file's name unless given.
    #[arg(long, value_name = "FORMAT")]
    pub(super) format: Option<DrawFormat>,
    /// The relations to draw: `all`, or names; those that decide the verdict unless given.
    #[arg(long = "relation", value_name = "NAME,...", value_delimiter = ',')]
    pub(super) relations: Vec<String>,
    /// Draw an execution that hangs, whatever the verdict.
    #[arg(long)]
    pub(super) hang: bool,
}

/// The forms of pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum DrawFormat {
    /// A picture, which browsers show.
    Svg,
    /// A page with the picture, the explanation and the source.
    Html,
    /// A graph in the language of Graphviz.
    Dot,
    /// Text.
    Text,
    /// Data.
    Json,
}

#[derive(Debug, Args)]
pub(super) struct ModelArguments {
    /// A built-in model, a cat file or an edit file.
    #[arg(value_name = "FILE")]
    pub(super) model: Option<String>,
    /// Print the model with functions expanded, then its simplified form.
    #[arg(long, requires = "model")]
    pub(super) show: bool,
    /// How to read the standard where it leaves room.
    #[arg(long = "reading", value_name = "NAME=VALUE")]
    pub(super) readings: Vec<String>,
    /// Leave an axiom out; repeat it for several.
    #[arg(long = "without", value_name = "AXIOM", requires = "model")]
    pub(super) without: Vec<String>,
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
    #[command(flatten)]
    pub(super) launching: Launching,
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

#[derive(Clone, Debug, Args)]
pub(super) struct GenerateArguments {
    /// Shapes (MP, SB, IRIW, 2+2W, Z6.3, CoRR ...), cycles ('PodWW Rfe PodRR Fre'), names of generated
    /// tests, or files with one of these on each line and comments behind `#`; `-` for standard input.
    #[arg(required = true, value_name = "SPEC")]
    pub(super) specs: Vec<String>,
    /// The folder to write to, a file for each test; without it, tests go to standard output.
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: Option<PathBuf>,
    /// What reads and writes are: weak, relaxed, acquire, release.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) orders: Vec<OrderName>,
    /// The scopes of strong reads and writes.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) scopes: Vec<ScopeName>,
    /// What stands between the accesses of a thread: none, acq_rel, sc, alias, data, ctrl.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) fences: Vec<FenceName>,
    /// The scopes of fences; those of accesses unless given.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(super) fence_scopes: Vec<ScopeName>,
    /// What threads may be apart in, with all ways to be: cta, cluster, gpu; or separate, each in a
    /// cluster of its own.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "cta")]
    pub(super) places: Vec<PlaceName>,
    /// Bits of an access: 16, 32, 64.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "32")]
    pub(super) widths: Vec<WidthName>,
    /// Access locations by a second virtual address, too.
    #[arg(long)]
    pub(super) aliases: bool,
    /// The memory that locations are in; shared memory is that of the CTA of the first thread that
    /// accesses a location, and others of its cluster access it there.
    #[arg(long, value_name = "SPACE", default_value = "global")]
    pub(super) space: SpaceName,
    /// The model that gives the verdicts.
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// Choose a reading of the standard that differs from the usual one; repeatable.
    #[arg(long = "reading", value_name = "NAME=VALUE")]
    pub(super) readings: Vec<String>,
    /// Only tests with a forbidden outcome.
    #[arg(long, conflicts_with = "allowed")]
    pub(super) forbidden: bool,
    /// Only tests with an allowed outcome.
    #[arg(long)]
    pub(super) allowed: bool,
    /// Only the weakest with a forbidden outcome and the strongest with an allowed one, or those of one
    /// side with --forbidden or --allowed; without --orders, --scopes and --fences, among all of scope cta
    /// and gpu.
    #[arg(long)]
    pub(super) frontier: bool,
    /// No verdicts.
    #[arg(long, conflicts_with_all = ["forbidden", "allowed", "frontier", "model", "readings"])]
    pub(super) unchecked: bool,
    /// No more tests than this.
    #[arg(long, value_name = "N")]
    pub(super) limit: Option<u64>,
    /// In an order that is drawn at random over all specifications, the same for the same seed.
    #[arg(long, value_name = "N", conflicts_with = "frontier")]
    pub(super) seed: Option<u64>,
    /// How many tests are checked at a time; the number of cores unless given.
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(super) jobs: Option<u16>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OrderName {
    Weak,
    Relaxed,
    Acquire,
    Release,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ScopeName {
    Cta,
    Cluster,
    Gpu,
    Sys,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FenceName {
    None,
    #[value(name = "acq_rel")]
    AcqRel,
    Sc,
    Alias,
    Data,
    Ctrl,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum PlaceName {
    Cta,
    Cluster,
    Gpu,
    Separate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SpaceName {
    Global,
    Shared,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum WidthName {
    #[value(name = "16")]
    W16,
    #[value(name = "32")]
    W32,
    #[value(name = "64")]
    W64,
}

#[derive(Debug, Args)]
pub(super) struct EmitArguments {
    /// Test files, folders, `@FILE` with one path per line, or `-` for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<String>,
    /// The folder to write to, which is made if need be.
    #[arg(short, long, value_name = "DIR")]
    pub(super) output: PathBuf,
    /// The architecture to name, such as sm_90; without it, the oldest that has all forms of a test.
    #[arg(long, value_name = "ARCH", value_parser = architecture)]
    pub(super) arch: Option<String>,
    /// Write tests too that the model does not call allowed or forbidden, or that may hang: a device may
    /// do anything with them, or never end.
    #[arg(long)]
    pub(super) any: bool,
    /// Give a parameter of the launch in the manifest another value.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    pub(super) parameters: Vec<(String, u32)>,
}

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// Test files, folders, `@FILE` with one path per line, or `-` for standard input.
    #[arg(required = true, value_name = "PATH")]
    pub(super) paths: Vec<String>,
    /// The number of the GPU.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(super) device: usize,
    /// How long each test runs.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "1")]
    pub(super) seconds: u64,
    /// End a test as soon as its outcome is seen.
    #[arg(long)]
    pub(super) first: bool,
    /// What parameters and permutations are drawn from.
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(super) seed: u64,
    /// Do not draw a parameter but take this value.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parameter)]
    pub(super) parameters: Vec<(String, u32)>,
    /// Begin with the parameters that this file has for a test on this device, and keep better ones in
    /// it.
    #[arg(long, value_name = "FILE")]
    pub(super) tuning: Option<PathBuf>,
    /// Keep in this file what was seen, and go on from there when the command is given again.
    #[arg(long, value_name = "FILE")]
    pub(super) resume: Option<PathBuf>,
    /// How long a launch may take before it is taken to wait for ever.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, default_value = "10")]
    pub(super) patience: u64,
    /// Run tests too that the model does not call allowed or forbidden: what is undefined may stop the
    /// run, and a deadlock does.
    #[arg(long)]
    pub(super) any: bool,
    /// The form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(super) format: RunFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum RunFormat {
    /// litmus7's log, with a histogram for each test.
    Text,
    /// One object.
    Json,
}

/// A parameter of launches with its value.
fn parameter(text: &str) -> Result<(String, u32), String> {
    let (name, value) = text.split_once('=').ok_or("a parameter is written NAME=VALUE")?;
    let value = value.parse().map_err(|_| format!("`{value}` is no number"))?;
    crate::hardware::Parameters::default().set(name, value)?;
    Ok((name.to_owned(), value))
}

/// The name of an architecture.
fn architecture(text: &str) -> Result<String, String> {
    let digits = text.strip_prefix("sm_").unwrap_or("").trim_end_matches(['a', 'f']);
    match digits.parse::<u32>() {
        Ok(70..) => Ok(text.to_owned()),
        _ => {
            Err("architectures are sm_70 and later, since older ones lack the memory model"
                .to_owned())
        }
    }
}

/// The values of the reading `tearing`, which concerns programs and not models.
pub(super) const TEARING: [(&str, Tearing); 2] =
    [("overlap", Tearing::Overlap), ("byte", Tearing::Byte)];
