//! Paths on the command line into tests.

use super::args::Checking;
use super::models::any_error;
use super::status::Status;
use crate::batch::{Case, expectation, hang_expectation, stray_expectations};
use crate::cat::BUILTIN;
use crate::diagnostic::Diagnostic;
use crate::litmus::ast::Test;
use crate::module::{Asked, parse_launched, parse_version};
use crate::progress::Progress;
use crate::relation::expr::Model;
use crate::report::readings::description;
use crate::report::summary::Unread;
use crate::source::Files;
use std::collections::{BTreeSet, HashSet};
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Lists may name lists, but not without end.
const LIST_DEPTH: usize = 16;

/// The purpose of reading tests.
#[derive(Clone, Copy)]
pub(super) struct Wanted<'a> {
    /// The models under which the tests are checked.
    pub(super) models: &'a [Model],
    /// The readings that the models ask about.
    pub(super) variants: &'a BTreeSet<String>,
    /// The readings that are chosen.
    pub(super) readings: &'a [String],
    /// The version of tests that name none.
    pub(super) version: Option<(u32, u32)>,
    /// How kernels of modules are launched.
    pub(super) launch: Option<Asked<'a>>,
}

impl<'a> Wanted<'a> {
    /// The settings for tests to be checked under these models, which ask about these readings.
    pub(super) fn under(
        models: &'a [Model],
        variants: &'a BTreeSet<String>,
        checking: &'a Checking,
    ) -> Self {
        let (readings, version) = (&checking.readings, checking.version());
        Self { models, variants, readings, version, launch: None }
    }
}

/// The result of reading the paths.
#[derive(Debug, Default)]
pub(super) struct Inputs {
    /// The tests, in the order of the paths.
    pub(super) cases: Vec<Case>,
    /// The errors in the files.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// The files and folders that could not be read completely.
    pub(super) unread: Vec<Unread>,
    /// Files on which the parser failed by itself.
    pub(super) bugs: Vec<String>,
}

impl Inputs {
    /// Reads all tests below `paths`; unreadable files are reported and left out.
    pub(super) fn read(paths: &[String], wanted: Wanted<'_>, files: &mut Files) -> Self {
        let mut found = Found::default();
        for path in paths {
            found.add(path, LIST_DEPTH);
        }
        let Found { sources, diagnostics, unread, .. } = found;
        let mut inputs = Self { diagnostics, unread, ..Self::default() };
        for source in &sources {
            let (known, bugs) = (inputs.diagnostics.len(), inputs.bugs.len());
            inputs.parse(source, wanted, files);
            let error = inputs.diagnostics[known..].iter().find(|d| d.is_error());
            let bug = (inputs.bugs.len() > bugs).then(|| "a bug: the parser failed".to_owned());
            if let Some(why) = error.map(|error| error.message.clone()).or(bug) {
                inputs.unread.push(Unread { name: source.name().to_owned(), why });
            }
        }
        inputs
    }

    /// The exit status if nothing but reading failed.
    pub(super) fn status(&self) -> Status {
        match (self.bugs.is_empty(), any_error(&self.diagnostics)) {
            (false, _) => Status::Bug,
            (true, true) => Status::Unusable,
            (true, false) => Status::Expected,
        }
    }

    /// As [`read`](Self::read), for commands without a model.
    pub(super) fn parse_all(
        paths: &[String],
        version: Option<(u32, u32)>,
        launch: Option<Asked<'_>>,
        files: &mut Files,
    ) -> Self {
        let variants = &BTreeSet::new();
        let wanted = Wanted { models: &[], variants, readings: &[], version, launch };
        Self::read(paths, wanted, files)
    }

    fn parse(&mut self, source: &Source, wanted: Wanted<'_>, files: &mut Files) {
        let Wanted { models, variants, readings, version, launch } = wanted;
        let bytes = match source.bytes() {
            Ok(bytes) => bytes,
            Err(error) => return self.diagnostics.push(unreadable(source.name(), &error)),
        };
        let name = source.name();
        let parsed = catch_unwind(AssertUnwindSafe(|| match launch {
            Some(asked) => parse_launched(files, name, &bytes, asked),
            None => parse_version(files, name, &bytes, version),
        }));
        let Ok(parsed) = parsed else { return self.bugs.push(name.to_owned()) };
        self.diagnostics.extend(parsed.diagnostics);
        let paths = identify(name, &parsed.tests);
        let mut known: Vec<&str> = BUILTIN.iter().map(|b| b.name).collect();
        known.extend(models.iter().map(|model| model.name.as_str()));
        for test in &parsed.tests {
            let is_reading = |name: &str| variants.contains(name) || description(name).is_some();
            self.diagnostics.extend(stray_expectations(test, &known, is_reading));
        }
        for (path, test) in paths.into_iter().zip(parsed.tests) {
            let expected = models.iter().map(|model| expectation(&test, &model.name, readings));
            let hangs = Progress::ALL.iter().filter_map(|&p| hang_expectation(&test, p).err());
            if let Some(diagnostic) = hangs.into_iter().next() {
                self.diagnostics.push(*diagnostic);
                continue;
            }
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
#[derive(Clone, Debug)]
enum Source {
    /// A file: the path that identifies it, and the name given by the user.
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
    /// The files among the sources; different spellings of a path denote one file.
    known: HashSet<PathBuf>,
    stdin: bool,
    diagnostics: Vec<Diagnostic>,
    unread: Vec<Unread>,
}

impl Found {
    /// Notes that a file or folder cannot be read.
    fn fail(&mut self, name: &str, diagnostic: Diagnostic) {
        self.unread.push(Unread { name: name.to_owned(), why: diagnostic.message.clone() });
        self.diagnostics.push(diagnostic);
    }

    fn add(&mut self, argument: &str, depth: usize) {
        match argument.strip_prefix('@') {
            Some(list) => self.add_list(Path::new(list), depth),
            None if argument == "-" => {
                if !std::mem::replace(&mut self.stdin, true) {
                    self.sources.push(Source::Stdin);
                }
            }
            None => self.add_path(Path::new(argument)),
        }
    }

    fn file(&mut self, path: &Path) {
        let real = real(path);
        if self.known.insert(real.clone()) {
            self.sources.push(Source::File(real, path.display().to_string()));
        }
    }

    fn add_path(&mut self, path: &Path) {
        if !path.is_dir() {
            // An unreadable file is reported when it is read.
            return self.file(path);
        }
        let before = self.sources.len();
        self.add_folder(path);
        if self.sources.len() == before && !self.holds_tests(path) {
            let message = format!("there are no tests in `{}`", path.display());
            self.diagnostics.push(
                Diagnostic::unplaced("no-tests", message)
                    .help("tests are files whose names end in `.litmus` or `.test`"),
            );
        }
    }

    /// Whether some source lies in a folder.
    fn holds_tests(&self, folder: &Path) -> bool {
        let folder = real(folder);
        self.known.iter().any(|path| path.starts_with(&folder))
    }

    /// All tests below a folder, in order of their names; hidden folders are skipped.
    fn add_folder(&mut self, folder: &Path) {
        let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let mut entries = match entries {
            Ok(entries) => entries,
            Err(error) => {
                let name = folder.display().to_string();
                return self.fail(&name, unreadable(&name, &error));
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

    /// Adds the paths of a list, one per line and relative to the list's folder; `#` starts a
    /// comment.
    fn add_list(&mut self, list: &Path, depth: usize) {
        let name = list.display().to_string();
        if depth == 0 {
            let message = format!("lists name each other too deeply, down to `{name}`");
            return self.fail(&name, Diagnostic::unplaced("list-too-deep", message));
        }
        let text = match std::fs::read_to_string(list) {
            Ok(text) => text,
            Err(error) => return self.fail(&name, unreadable(&name, &error)),
        };
        let folder = list.parent().unwrap_or(Path::new(""));
        for (index, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            match line.strip_prefix('@') {
                _ if line.is_empty() => {}
                Some(other) => self.add_list(&folder.join(other), depth - 1),
                None => self.listed(&folder.join(line), &format!("{name}:{}", index + 1)),
            }
        }
    }

    /// A path that a list names at the given place.
    fn listed(&mut self, path: &Path, place: &str) {
        if path.exists() {
            return self.add_path(path);
        }
        let name = path.display().to_string();
        let message = format!("there is no `{name}`");
        let help = format!("it is listed at {place}; paths are relative to the list's folder");
        self.fail(&name, Diagnostic::unplaced("cannot-read", message).help(help));
    }
}

/// The canonical name of a file; the given name if the file does not exist.
pub(super) fn real(path: &Path) -> PathBuf {
    std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

pub(super) fn unreadable(name: &str, error: &io::Error) -> Diagnostic {
    let plain = Diagnostic::unplaced("cannot-read", format!("cannot read `{name}`: {error}"));
    // The value of an option that need not have one.
    match name {
        "dot" | "text" => plain.help(format!("a form of witnesses is written `--witness={name}`")),
        _ => plain,
    }
}
