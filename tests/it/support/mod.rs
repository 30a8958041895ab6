//! What several tests share: models, tests from files, the corpus of others' tests.
#![allow(clippy::print_stdout, reason = "tests say what they skip")]

pub mod clauses;
pub mod command;
pub mod mutants;
pub mod process;
pub mod random;
pub mod table;

use ptxmc::Clock;
use ptxmc::testing::cat::{Loaded, Options, builtin, parse_builtin};
use ptxmc::testing::diagnostic::Diagnostic;
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::litmus::parse::parse_bytes;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::Budget;
use ptxmc::testing::source::Files;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// At most so many steps, and so many milliseconds by the system's clock.
pub fn limit(steps: Option<u64>, milliseconds: u64) -> Budget {
    let steps = steps.map_or(Budget::unlimited(), |most| Budget::unlimited().at_most(most));
    steps.timed(Clock::monotonic(), Duration::from_millis(milliseconds))
}

/// A built-in model.
pub fn model(name: &str) -> Model {
    load(name, BTreeSet::new()).model
}

/// A built-in model in some of its readings.
pub fn load(name: &str, variants: BTreeSet<String>) -> Loaded {
    let found = builtin(name).unwrap_or_else(|| panic!("no built-in model {name}"));
    parse_builtin(&mut Files::default(), found, &Options { variants })
}

/// The folder of tests that others wrote; `None`, with a visible line, where it is missing.
pub fn corpus(folder: &str) -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus").join(folder);
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{} is missing in CI", path.display());
    println!("skipped: {} is missing", path.display());
    None
}

/// The one test of a text, or what is wrong with it.
pub fn parse(name: &str, text: &[u8]) -> Result<Test, String> {
    let mut files = Files::default();
    let parsed = parse_bytes(&mut files, name, text);
    let errors: Vec<String> = parsed
        .diagnostics
        .iter()
        .filter(|d| Diagnostic::is_error(d))
        .map(|d| {
            let place = d.primary.as_ref().map_or(String::new(), |l| files.location(l.span));
            format!("{place}: {}", d.message)
        })
        .collect();
    match (parsed.tests.into_iter().next(), errors.is_empty()) {
        (Some(test), true) => Ok(test),
        _ => Err(format!("{name}: {}", errors.join("; "))),
    }
}

/// The one test of a file.
pub fn read(path: &Path) -> Result<Test, String> {
    let text = std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))?;
    parse(&path.to_string_lossy(), &text)
}

/// The `.litmus` files of a folder and those below it, sorted.
pub fn litmus_files(folder: &Path) -> Vec<PathBuf> {
    let mut out = Vec::new();
    let entries = std::fs::read_dir(folder).expect("a readable folder");
    for path in entries.map(|e| e.expect("a readable entry").path()) {
        if path.is_dir() {
            out.extend(litmus_files(&path));
        } else if path.extension().is_some_and(|e| e == "litmus") {
            out.push(path);
        }
    }
    out.sort();
    out
}
