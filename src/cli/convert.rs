//! `ptxmc convert`: tests from one format into another.

use super::args::{ConvertArguments, TestFormat};
use super::inputs::Inputs;
use super::output::{Console, print, write_file};
use super::status::Status;
use crate::batch::{Case, Listing};
use crate::budget::Budget;
use crate::check::Settings;
use crate::checker::{Checker, FinalState, builtin_model, parse_tests};
use crate::litmus::ast::{Dialect, Test};
use crate::litmus::print::{print_blocks, print_columns};
use crate::source::Files;
use crate::verdict::Kind;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::path::Path;

pub(super) fn run(arguments: &ConvertArguments, console: &Console) -> Result<Status> {
    let mut files = Files::default();
    let version = arguments.legacy.then_some((1, 4));
    let launch = arguments.launching.asked();
    let inputs = Inputs::parse_all(&arguments.paths, version, launch, &mut files);
    console.diagnostics(&inputs.diagnostics, &files);
    inputs.bugs.iter().for_each(|name| console.complain(&format!("bug: cannot parse `{name}`")));
    if let Some(folder) = &arguments.output {
        let made = std::fs::create_dir_all(folder);
        made.with_context(|| format!("cannot make the folder `{}`", folder.display()))?;
    }
    let mut status = inputs.status();
    let (mut names, mut unsaid) = (BTreeSet::new(), 0);
    for case in &inputs.cases {
        match converted(case, arguments.to) {
            Ok(text) => match &arguments.output {
                Some(folder) => write(folder, &fresh(&case.test.name, &mut names), &text)?,
                None => print(&text)?,
            },
            Err(refused) => {
                let (why, is_named) = match refused {
                    Refused::Unsayable(why) => {
                        unsaid += 1;
                        (why, unsaid <= MOST_NAMED)
                    }
                    Refused::Changed(why) => (why, true),
                };
                if is_named {
                    console.complain(&format!("{}: {why}", case.path));
                }
                status = status.max(Status::Unknown);
            }
        }
    }
    if unsaid > MOST_NAMED {
        let (all, format) = (inputs.cases.len(), name(arguments.to));
        console.complain(&format!("{unsaid} of {all} tests cannot be written in {format}"));
    }
    Ok(status)
}

/// The most tests that are named as inexpressible in a format.
const MOST_NAMED: usize = 20;

/// The reason why a test is not written in a format.
enum Refused {
    /// The format has no syntax for the test.
    Unsayable(String),
    /// The format has a text for the test, but with another meaning.
    Changed(String),
}

/// The name of a format in messages.
fn name(format: TestFormat) -> &'static str {
    match format {
        TestFormat::Blocks => "blocks",
        TestFormat::Columns => "columns",
    }
}

/// The text of a test in a format, or the reason why the format cannot express it.
///
/// Columns have registers of 64 bits and different barriers, so that a valid text may have another
/// meaning. The written text has the same verdicts and final states as the original.
fn converted(case: &Case, format: TestFormat) -> Result<String, Refused> {
    let name = name(format);
    let (printed, dialect) = match format {
        TestFormat::Blocks => (print_blocks(&case.test), Dialect::Blocks),
        TestFormat::Columns => (print_columns(&case.test), Dialect::Columns),
    };
    let text = printed.map_err(|why| Refused::Unsayable(why.to_string()))?;
    if case.test.dialect == dialect {
        return Ok(text);
    }
    let mut files = Files::default();
    let parsed = parse_tests(&mut files, &case.path, &text);
    let [again] = &parsed.tests[..] else {
        let why = format!("the {name} of this test cannot be read again");
        return Err(Refused::Changed(why));
    };
    for model in ["sc", "ptx-9.2"] {
        let model = builtin_model(&mut files, model).expect("the model is built in");
        let settings = Settings::default().with_budget(Budget::unlimited().at_most(STEPS));
        let checker = Checker::new(&model).with_settings(settings);
        let [before, after] = [&case.test, again].map(|test| meaning(&checker, test));
        if before != after {
            let why = "registers of columns have 64 bits, and their barriers are instances";
            let why = format!("in {name}, it would mean something else: {why}");
            return Err(Refused::Changed(why));
        }
    }
    Ok(text)
}

/// The budget, in steps, of a query about the meaning of a test.
const STEPS: u64 = 20_000;

/// The verdict on a test, and its final states if they are listed.
fn meaning(checker: &Checker<'_>, test: &Test) -> (Kind, Option<BTreeSet<Vec<String>>>) {
    let state = |state: FinalState| state.values.into_iter().map(|(_, value)| value).collect();
    let states = checker.outcomes(test).ok().filter(Listing::is_complete);
    let states = states.map(|listing| listing.iter().map(state).collect());
    (checker.check(test).verdict.kind(), states)
}

/// A file name that differs from all names in `known`.
fn fresh(name: &str, known: &mut BTreeSet<String>) -> String {
    let plain: String = name.chars().map(|c| if "/\\\0".contains(c) { '_' } else { c }).collect();
    let mut unique = plain.clone();
    let mut count = 1;
    while !known.insert(unique.clone()) {
        count += 1;
        unique = format!("{plain}-{count}");
    }
    unique
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    write_file(&folder.join(format!("{name}.litmus")), text)
}
