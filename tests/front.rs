//! Reading and writing tests: the corpus, every diagnostic, print-parse round trips.

use ptxmc::diagnostic::{Diagnostic, Severity};
use ptxmc::litmus::ast::{Dialect, Test};
use ptxmc::litmus::parse::{Parsed, parse_bytes};
use ptxmc::litmus::print::{print_blocks, print_columns};
use ptxmc::source::Files;
use std::path::{Path, PathBuf};

/// The folder of tests that others wrote; `None`, with a visible line, where it is missing.
fn corpus() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus");
    if path.is_dir() {
        return Some(path);
    }
    assert!(std::env::var("CI").as_deref() != Ok("true"), "{} is missing in CI", path.display());
    println!("skipped: {} is missing", path.display());
    None
}

fn files_under(folder: &Path, extension: &str, into: &mut Vec<PathBuf>) {
    let mut entries: Vec<_> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files_under(&path, extension, into);
        } else if path.extension().is_some_and(|found| found == extension) {
            into.push(path);
        }
    }
}

fn read(path: &Path) -> (Files, Parsed) {
    let mut files = Files::default();
    let parsed = parse_bytes(&mut files, &path.to_string_lossy(), &std::fs::read(path).unwrap());
    (files, parsed)
}

/// A diagnostic in plain text.
fn render(files: &Files, diagnostic: &Diagnostic) -> String {
    let place = diagnostic.primary.as_ref().map_or(String::new(), |l| files.location(l.span));
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    let mut text = format!("{place}: {severity}[{}]: {}\n", diagnostic.code, diagnostic.message);
    if let Some(label) = diagnostic.primary.as_ref() {
        let quoted = files.text(label.span).lines().next().unwrap_or("").to_owned();
        text += &format!("  | {quoted}");
        if !label.text.is_empty() {
            text += &format!("  <- {}", label.text);
        }
        text += "\n";
    }
    for label in &diagnostic.secondary {
        text += &format!("  also {}: {}\n", files.location(label.span), label.text);
    }
    if let Some(help) = &diagnostic.help {
        text += &format!("  help: {help}\n");
    }
    text
}

#[test]
fn the_corpus_parses_without_errors() {
    let Some(corpus) = corpus() else { return };
    let mut failures = Vec::new();
    for (folder, extension, expected) in
        [("dat3m", "litmus", 167), ("reference", "litmus", 598), ("nvlitmus", "test", 3)]
    {
        let mut paths = Vec::new();
        files_under(&corpus.join(folder), extension, &mut paths);
        assert_eq!(paths.len(), expected, "{folder}");
        for path in paths {
            let (files, parsed) = read(&path);
            let errors = parsed.diagnostics.iter().filter(|d| d.is_error());
            failures.extend(errors.map(|error| render(&files, error)));
            if parsed.tests.is_empty() {
                failures.push(format!("{} has no test", path.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.concat());
}

/// The tests of this repository and of the corpus.
fn all_test_files() -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    files_under(&own, "litmus", &mut paths);
    assert!(!paths.is_empty(), "{} has no tests", own.display());
    if let Some(corpus) = corpus() {
        files_under(&corpus, "litmus", &mut paths);
    }
    paths
}

#[test]
fn own_tests_parse_without_diagnostics() {
    let mut paths = Vec::new();
    files_under(&Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus"), "litmus", &mut paths);
    let mut failures = String::new();
    for path in &paths {
        let (files, parsed) = read(path);
        failures.extend(parsed.diagnostics.iter().map(|d| render(&files, d)));
        assert_eq!(parsed.tests.len(), usize::from(failures.is_empty()), "{failures}");
    }
}

/// A test as text without its spans.
fn without_spans(test: &Test) -> String {
    let text = format!("{test:?}");
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find("pan: f") {
        let (before, after) = rest.split_at(at);
        kept.push_str(before);
        let end = after.find([',', ' ', '}']).map_or(after.len(), |space| {
            space + after[space + 1..].find([',', '}']).map_or(0, |end| end + 1)
        });
        rest = &after[end..];
    }
    kept + rest
}

fn reparsed(text: &str) -> (Files, Parsed) {
    let mut files = Files::default();
    let parsed = parse_bytes(&mut files, "printed.litmus", text.as_bytes());
    (files, parsed)
}

fn assert_same(test: &Test, text: &str) {
    let (files, again) = reparsed(text);
    let errors: String =
        again.diagnostics.iter().filter(|d| d.is_error()).map(|d| render(&files, d)).collect();
    assert!(errors.is_empty(), "{errors}\n{text}");
    similar(&without_spans(test), &without_spans(&again.tests[0]), text);
}

fn similar(left: &str, right: &str, text: &str) {
    if left != right {
        let at = left.bytes().zip(right.bytes()).take_while(|(a, b)| a == b).count();
        let from = at.saturating_sub(80);
        let show = |s: &str| s.chars().skip(from).take(200).collect::<String>();
        panic!("differs:\n {}\n {}\nin\n{text}", show(left), show(right));
    }
}

#[test]
fn printing_and_reading_gives_the_same_test() {
    let (mut converted, mut total) = (0, 0);
    for path in all_test_files() {
        let (_, parsed) = read(&path);
        for test in &parsed.tests {
            total += 1;
            if test.dialect == Dialect::Columns {
                // Locations without a declaration get one when they are printed.
                assert_same(test, &print_columns(test).unwrap());
                if let Ok(text) = print_blocks(test) {
                    converted += 1;
                    let (files, again) = reparsed(&text);
                    let errors = again.diagnostics.iter().filter(|d| d.is_error());
                    let errors: String = errors.map(|d| render(&files, d)).collect();
                    assert!(errors.is_empty(), "{}\n{errors}\n{text}", path.display());
                }
            } else {
                assert_same(test, &print_blocks(test).unwrap());
            }
        }
    }
    assert!(converted * 2 > total / 2, "{converted} of {total} can be written in blocks");
}

/// Reads the files and folders of `FRONT_PATHS` and shows their diagnostics.
#[test]
fn paths_from_the_environment_parse() {
    let Ok(paths) = std::env::var("FRONT_PATHS") else { return };
    let mut all = Vec::new();
    for path in std::env::split_paths(&paths) {
        if path.is_dir() { files_under(&path, "litmus", &mut all) } else { all.push(path) }
    }
    let mut failures = Vec::new();
    for path in &all {
        let (files, parsed) = read(path);
        failures.extend(parsed.diagnostics.iter().map(|error| render(&files, error)));
    }
    println!("{} files, {} diagnostics\n{}", all.len(), failures.len(), failures.concat());
}
