//! The command line: arguments in, files read, reports written, an exit status out.

mod alternatives;
mod args;
mod baseline;
mod check;
mod inputs;
mod interrupt;
mod isolate;
mod model;
mod models;
mod output;
mod single;
mod status;
mod tell;

use anyhow::Result;
use args::{Arguments, Command};
use clap::{CommandFactory, FromArgMatches};
use output::Console;
use status::Status;
use std::process::ExitCode;
use std::sync::LazyLock;

/// Runs the command that the process was started with.
#[must_use]
pub fn run() -> ExitCode {
    let command = Arguments::command().version(VERSION.as_str());
    let arguments = match command.try_get_matches().and_then(|m| Arguments::from_arg_matches(&m)) {
        Ok(arguments) => arguments,
        Err(error) => {
            let printed = error.print();
            if error.use_stderr() {
                return Status::Unusable.into();
            }
            // Help and version are no errors, unless nobody gets to see them.
            return match printed {
                Ok(()) => Status::Expected.into(),
                Err(why) if output::is_unread(&why) => output::UNREAD.into(),
                Err(why) => {
                    let message = format!("cannot write to standard output: {why}");
                    Console::new(args::Color::Auto, false).complain(&message);
                    Status::Unusable.into()
                }
            };
        }
    };
    let console = Console::new(arguments.color, arguments.quiet);
    let status = match execute(&arguments, &console) {
        Ok(status) => status,
        Err(error) => {
            console.complain(&format!("{error:#}"));
            Status::Unusable
        }
    };
    status.into()
}

fn execute(arguments: &Arguments, console: &Console) -> Result<Status> {
    match &arguments.command {
        Command::Check(arguments) => check::run(arguments, console),
        Command::Outcomes(arguments) => single::outcomes(arguments, console),
        Command::Explain(arguments) => single::explain(arguments, console),
        Command::Draw(arguments) => single::draw(arguments, console),
        Command::Races(arguments) => single::races(arguments, console),
        Command::Worker(arguments) => isolate::work(arguments, console),
        Command::Model(arguments) => model::run(arguments, console),
    }
}

/// The version of the tool and of the solver in it.
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
