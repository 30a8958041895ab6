//! What is done with arbitrary bytes: nothing may panic, and what comes out has to make sense.

use ptxmc::Clock;
use ptxmc::testing::cat::{BUILTIN, NoFiles, Options, parse_builtin, parse_model};
use ptxmc::testing::check::{Settings, check, graph_of};
use ptxmc::testing::diagnostic::Diagnostic;
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::litmus::parse::parse_bytes;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::enumerate::Enumerate;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Budget, Engine};
use ptxmc::testing::source::Files;
use ptxmc::testing::verdict::{Kind, Undecided, Verdict};
use std::sync::LazyLock;
use std::time::Duration;

/// Programs with more events than this are not decided.
const MOST_EVENTS: usize = 48;

/// Steps that an engine may take for a question.
const STEPS: u64 = 500;

/// Parses a test file; gives its tests. Every diagnostic has to lie in the file, and a file
/// without a test has to say why.
pub fn litmus(name: &str, bytes: &[u8]) -> Vec<Test> {
    let mut files = Files::default();
    let parsed = parse_bytes(&mut files, name, bytes);
    placed(&parsed.diagnostics, &files);
    let explained = parsed.diagnostics.iter().any(Diagnostic::is_error);
    assert!(explained || !parsed.tests.is_empty(), "neither a test nor an error");
    parsed.tests
}

/// Reads a model: it is one, or the errors say why not.
pub fn cat(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let mut files = Files::default();
    let file = files.add("fuzz.cat", text);
    let diagnostics = match parse_model(&mut files, file, &NoFiles, &Options::default()) {
        Ok(loaded) => loaded.warnings,
        Err(errors) => {
            assert!(!errors.is_empty(), "rejected without an error");
            errors
        }
    };
    placed(&diagnostics, &files);
}

/// Parses, unfolds and decides the first test; engines that answer have to agree.
pub fn decide(name: &str, bytes: &[u8]) -> Decided {
    let tests = litmus(name, bytes);
    let Some(test) = tests.first() else { return Decided::NoTest };
    // Loops are cut early or late, as the length of the input has it.
    let bound = u8::try_from(bytes.len() % 3).expect("less than 3") + 1;
    let budget = Budget::default().at_most(STEPS);
    let budget = budget.timed(Clock::monotonic(), Duration::from_millis(500));
    let settings = Settings::default().with_bound(bound).with_budget(budget);
    if graph_of(test, &MODEL, settings).events.len() > MOST_EVENTS {
        return Decided::TooLarge;
    }
    let search = answer(test, &SearchEngine::default(), settings);
    let enumerate = answer(test, &Enumerate::default(), settings);
    match (search, enumerate) {
        (Some(search), Some(enumerate)) => {
            assert_eq!(search, enumerate, "search says the left, enumerate the right");
            Decided::Compared
        }
        (None, None) => Decided::Undecided,
        _ => Decided::Once,
    }
}

/// What became of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decided {
    /// The bytes are no test.
    NoTest,
    /// It has too many events.
    TooLarge,
    /// No engine answered within its budget.
    Undecided,
    /// One engine answered.
    Once,
    /// Both engines answered, and the same.
    Compared,
}

/// The newest model.
static MODEL: LazyLock<Model> =
    LazyLock::new(|| parse_builtin(&mut Files::default(), &BUILTIN[0], &Options::default()).model);

/// The verdict; `None` where the engine gave up.
fn answer(test: &Test, engine: &dyn Engine, settings: Settings) -> Option<Kind> {
    match check(test, &MODEL, engine, settings).verdict {
        Verdict::Unknown(Undecided::Engine(_) | Undecided::Unsupported(_)) => None,
        Verdict::Error(message) => panic!("{} fails: {message}", engine.name()),
        verdict => Some(verdict.kind()),
    }
}

/// Labels lie in their files, on borders of characters.
fn placed(diagnostics: &[Diagnostic], files: &Files) {
    for diagnostic in diagnostics {
        let labels = diagnostic.primary.iter().chain(&diagnostic.secondary);
        for label in labels {
            let file = files.get(label.span.file).expect("a label lies in a file");
            let (start, end) = (label.span.start as usize, label.span.end as usize);
            assert!(start <= end, "{diagnostic:?}");
            assert!(file.text.get(start..end).is_some(), "{diagnostic:?}");
        }
    }
}
