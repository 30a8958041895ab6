//! `ptxmc convert`: tests from one format into another.

use super::args::{ConvertArguments, TestFormat};
use super::inputs::Inputs;
use super::output::{Console, print};
use super::status::Status;
use crate::batch::Case;
use crate::litmus::print::{print_blocks, print_columns};
use crate::source::Files;
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
    let mut names = BTreeSet::new();
    for case in &inputs.cases {
        match converted(case, arguments.to) {
            Ok(text) => match &arguments.output {
                Some(folder) => write(folder, &fresh(&case.test.name, &mut names), &text)?,
                None => print(&text)?,
            },
            Err(why) => {
                console.complain(&format!("{}: {why}", case.path));
                status = status.max(Status::Unknown);
            }
        }
    }
    Ok(status)
}

/// The text of a test in a format, or why that has no words for it.
fn converted(case: &Case, format: TestFormat) -> Result<String, String> {
    let printed = match format {
        TestFormat::Blocks => print_blocks(&case.test),
        TestFormat::Columns => print_columns(&case.test),
    };
    printed.map_err(|why| why.to_string())
}

/// A name for a file that no other test has.
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
    let path = folder.join(format!("{name}.litmus"));
    std::fs::write(&path, text).with_context(|| format!("cannot write `{}`", path.display()))
}
