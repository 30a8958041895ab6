//! Reading and writing tests: the corpus, every diagnostic, print-parse round trips.

use ptxmc::diagnostic::{Diagnostic, Severity};
use ptxmc::litmus::parse::{Parsed, parse_bytes};
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
