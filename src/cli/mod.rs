//! The command line: arguments in, files read, reports written, an exit status out.

mod advise;
mod alternatives;
mod args;
mod baseline;
mod check;
mod checking;
mod choices;
mod clause;
mod convert;
mod diff;
mod distinguish;
mod draw;
mod emit;
mod equiv;
mod examples;
mod excluded;
mod fit;
mod fitness;
mod follow_up;
mod gate;
mod generate;
mod hangs;
mod inputs;
mod interrupt;
mod isolate;
mod judge;
mod kernels;
mod model;
mod models;
mod output;
mod page;
mod render;
mod run;
mod single;
mod sizes;
mod status;
mod suite;
#[cfg(feature = "gpu")]
mod tuning;
mod unaffected;

use anyhow::Result;
use args::{Arguments, Command, WorkerArguments};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, FromArgMatches, Parser};
use output::{Console, Messages};
use status::Status;
use std::process::ExitCode;
use std::sync::LazyLock;

/// Runs the command that the process was started with.
#[must_use]
pub fn run() -> ExitCode {
    if std::env::args().nth(1).as_deref() == Some(isolate::WORKER) {
        let arguments = WorkerArguments::parse_from(std::env::args().skip(1));
        let console = Console::new(arguments.color, Messages::Errors);
        return exit_status(isolate::work(&arguments, &console), &console).into();
    }
    let command = Arguments::command().version(VERSION.as_str());
    let arguments = match command.try_get_matches().and_then(|m| Arguments::from_arg_matches(&m)) {
        Ok(arguments) => arguments,
        Err(error) => {
            let error = with_tip_for_other_command(error);
            let printed = error.print();
            if error.use_stderr() {
                return Status::Unusable.into();
            }
            // Help and version are no errors, unless standard output is closed.
            return match printed {
                Ok(()) => Status::Expected.into(),
                Err(why) if output::is_unread(&why) => output::UNREAD.into(),
                Err(why) => {
                    let message = format!("cannot write to standard output: {why}");
                    Console::new(args::Color::Auto, Messages::All).complain(&message);
                    Status::Unusable.into()
                }
            };
        }
    };
    let messages = if arguments.quiet { Messages::Errors } else { Messages::All };
    let console = Console::new(arguments.color, messages);
    exit_status(execute(&arguments, &console), &console).into()
}

/// The exit status of a command; reports its error.
fn exit_status(result: Result<Status>, console: &Console) -> Status {
    result.unwrap_or_else(|error| {
        console.complain(&format!("{error:#}"));
        Status::Unusable
    })
}

/// Replaces clap's tip for an option of other commands: the new tip names these commands.
fn with_tip_for_other_command(mut error: clap::Error) -> clap::Error {
    let Some(ContextValue::String(found)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let found = found.clone();
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    let arguments = Arguments::command();
    let has = |command: &&clap::Command| {
        let mut longs = command.get_arguments().filter_map(clap::Arg::get_long);
        longs.any(|long| found.strip_prefix("--") == Some(long))
    };
    let commands = arguments.get_subcommands().filter(has);
    let commands: Vec<_> = commands.map(|c| format!("`ptxmc {}`", c.get_name())).collect();
    if let Some((last, first)) = commands.split_last() {
        let tip = match first {
            [] => format!("{last} has `{found}`"),
            _ => format!("{} and {last} have `{found}`", first.join(", ")),
        };
        // Similar options of this command and its usage would mislead.
        if error.remove(ContextKind::SuggestedArg).is_some() {
            error.remove(ContextKind::Usage);
        }
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

fn execute(arguments: &Arguments, console: &Console) -> Result<Status> {
    match &arguments.command {
        Command::Check(arguments) => check::run(arguments, console),
        Command::Outcomes(arguments) => single::outcomes(arguments, console),
        Command::Explain(arguments) => single::explain(arguments, console),
        Command::Draw(arguments) => draw::run(arguments, console),
        Command::Hangs(arguments) => hangs::run(arguments, console),
        Command::Advise(arguments) => advise::run(arguments, console),
        Command::Races(arguments) => single::races(arguments, console),
        Command::Judge(arguments) => judge::run(arguments, console),
        Command::Generate(arguments) => generate::run(arguments, console),
        Command::Emit(arguments) => emit::run(arguments, console),
        Command::Run(arguments) => run::run(arguments, console),
        Command::Diff(arguments) => diff::run(arguments, console),
        Command::Distinguish(arguments) => distinguish::run(arguments, console),
        Command::Suite(arguments) => suite::run(arguments, console),
        Command::Equiv(arguments) => equiv::run(arguments, console),
        Command::Fit(arguments) => fit::run(arguments, console),
        Command::Model(arguments) => model::run(arguments, console),
        Command::Convert(arguments) => convert::run(arguments, console),
        Command::Completions(arguments) => completions(arguments.shell),
        Command::Man => man(),
    }
}

/// Prints the completion script for a shell.
fn completions(shell: clap_complete::Shell) -> Result<Status> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "ptxmc", &mut text);
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Status::Expected)
}

/// Prints the manual page: the command, and then each of its subcommands.
fn man() -> Result<Status> {
    let command = Arguments::command().version(VERSION.as_str());
    let mut text = Vec::new();
    // The subcommands have no pages of their own: their descriptions replace clap's list of names.
    let page = clap_mangen::Man::new(command.clone());
    page.render_title(&mut text)?;
    page.render_name_section(&mut text)?;
    page.render_synopsis_section(&mut text)?;
    page.render_description_section(&mut text)?;
    page.render_options_section(&mut text)?;
    page.render_version_section(&mut text)?;
    for inner in command.get_subcommands() {
        let page =
            clap_mangen::Man::new(inner.clone().bin_name(format!("ptxmc {}", inner.get_name())));
        page.render_description_section(&mut text)?;
        page.render_synopsis_section(&mut text)?;
        page.render_options_section(&mut text)?;
    }
    output::print(&String::from_utf8_lossy(&text))?;
    Ok(Status::Expected)
}

/// The version of the tool and of its solver.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let solver: String;
    #[cfg(feature = "z3")]
    {
        solver = format!("Z3 {}", crate::solve::z3::version());
    }
    #[cfg(not(feature = "z3"))]
    {
        solver = "without Z3".to_owned();
    }
    format!("{} ({solver})", env!("CARGO_PKG_VERSION"))
});
