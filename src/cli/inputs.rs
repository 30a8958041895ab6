//! Paths on the command line into tests.

use crate::batch::{Case, expectation};
use crate::diagnostic::Diagnostic;
use crate::litmus::ast::Test;
use crate::litmus::parse::parse_bytes;
use crate::relation::expr::Model;
use crate::source::Files;
use std::collections::HashSet;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Lists may name lists, but not without end.
const LIST_DEPTH: usize = 16;

/// What the paths gave.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// The tests, in the order of the paths.
    pub(super) cases: Vec<Case>,
    /// What is wrong with the files.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Files on which the parser failed by itself.
    pub(super) bugs: Vec<String>,
}

impl Inputs {
    /// Reads everything behind `paths`; what cannot be read is reported and left out.
    pub(super) fn read(paths: &[String], models: &[Model], files: &mut Files) -> Self {
        let mut found = Found::default();
        for path in paths {
            found.add(path, LIST_DEPTH);
        }
        let mut inputs = Self { diagnostics: found.diagnostics, ..Self::default() };
        for source in &found.sources {
            inputs.parse(source, models, files);
        }
        inputs
    }

    fn parse(&mut self, source: &Source, models: &[Model], files: &mut Files) {
        let bytes = match source.bytes() {
            Ok(bytes) => bytes,
            Err(error) => return self.diagnostics.push(unreadable(source.name(), &error)),
        };
        let name = source.name();
        let parsed = catch_unwind(AssertUnwindSafe(|| parse_bytes(files, name, &bytes)));
        let Ok(parsed) = parsed else { return self.bugs.push(name.to_owned()) };
        self.diagnostics.extend(parsed.diagnostics);
        let paths = identify(name, &parsed.tests);
        for (path, test) in paths.into_iter().zip(parsed.tests) {
            let expected = models.iter().map(|model| expectation(&test, &model.name));
            match expected.collect() {
                Ok(expected) => self.cases.push(Case { path, test, expected }),
                Err(diagnostic) => self.diagnostics.push(*diagnostic),
            }
        }
    }
}

/// A name for each test of a file: the file's, with the test's where there are several.
pub(super) fn identify(file: &str, tests: &[Test]) -> Vec<String> {
    let mut known = HashSet::new();
    let mut names = Vec::new();
    for test in tests {
        let plain =
            if tests.len() == 1 { file.to_owned() } else { format!("{file}#{}", test.name) };
        let mut name = plain.clone();
        let mut count = 1;
        while !known.insert(name.clone()) {
            count += 1;
            name = format!("{plain}#{count}");
        }
        names.push(name);
    }
    names
}

/// Where a test's text comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Source {
    File(PathBuf, String),
    Stdin,
}

impl Source {
    fn name(&self) -> &str {
        match self {
            Self::File(_, name) => name,
            Self::Stdin => "<stdin>",
        }
    }

    fn bytes(&self) -> io::Result<Vec<u8>> {
        match self {
            Self::File(path, _) => std::fs::read(path),
            Self::Stdin => {
                let mut bytes = Vec::new();
                io::stdin().lock().read_to_end(&mut bytes)?;
                Ok(bytes)
            }
        }
    }
}

/// The sources found so far, each once.
#[derive(Debug, Default)]
struct Found {
    sources: Vec<Source>,
    known: HashSet<Source>,
    diagnostics: Vec<Diagnostic>,
}

impl Found {
    fn add(&mut self, argument: &str, depth: usize) {
        match argument.strip_prefix('@') {
            Some(list) => self.add_list(Path::new(list), depth),
            None if argument == "-" => self.push(Source::Stdin),
            None => self.add_path(Path::new(argument)),
        }
    }

    fn push(&mut self, source: Source) {
        if self.known.insert(source.clone()) {
            self.sources.push(source);
        }
    }

    fn file(&mut self, path: &Path) {
        self.push(Source::File(path.to_owned(), path.display().to_string()));
    }

    fn add_path(&mut self, path: &Path) {
        if !path.is_dir() {
            // What cannot be read is noticed when it is read.
            return self.file(path);
        }
        let before = self.sources.len();
        let known = self.known.len();
        self.add_folder(path);
        if self.sources.len() == before && self.known.len() == known && !self.holds_tests(path) {
            let message = format!("there are no tests in `{}`", path.display());
            self.diagnostics.push(
                Diagnostic::unplaced("no-tests", message)
                    .help("tests are files whose names end in `.litmus` or `.test`"),
            );
        }
    }

    /// Whether some known source lies in a folder.
    fn holds_tests(&self, folder: &Path) -> bool {
        self.sources.iter().any(|s| matches!(s, Source::File(path, _) if path.starts_with(folder)))
    }

    /// All tests below a folder, in order of their names; hidden folders are left out.
    fn add_folder(&mut self, folder: &Path) {
        let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                let name = folder.display().to_string();
                return self.diagnostics.push(unreadable(&name, &error));
            }
        };
        entries.sort_by_key(std::fs::DirEntry::file_name);
        for entry in entries {
            let path = entry.path();
            let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
            // Links to folders are not followed: they may lead back.
            if entry.file_type().is_ok_and(|t| t.is_dir()) {
                if !hidden {
                    self.add_folder(&path);
                }
            } else if path.extension().is_some_and(|e| e == "litmus" || e == "test") {
                self.file(&path);
            }
        }
    }

    /// One path per line, relative to the list's folder; `#` starts a comment.
    fn add_list(&mut self, list: &Path, depth: usize) {
        let name = list.display().to_string();
        if depth == 0 {
            let message = format!("lists name each other too deeply, down to `{name}`");
            return self.diagnostics.push(Diagnostic::unplaced("list-too-deep", message));
        }
        let text = match std::fs::read_to_string(list) {
            Ok(text) => text,
            Err(error) => return self.diagnostics.push(unreadable(&name, &error)),
        };
        let folder = list.parent().unwrap_or(Path::new(""));
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or("").trim();
            match line.strip_prefix('@') {
                _ if line.is_empty() => {}
                Some(other) => self.add_list(&folder.join(other), depth - 1),
                None => self.add_path(&folder.join(line)),
            }
        }
    }
}

fn unreadable(name: &str, error: &io::Error) -> Diagnostic {
    Diagnostic::unplaced("cannot-read", format!("cannot read `{name}`: {error}"))
}
