//! Verdicts as JUnit's XML: a suite per model, a case per test; a suite for files that could not be
//! read.

use super::summary::{Stated, Unread};
use crate::batch::{Case, Standing};
use crate::relation::expr::Model;
use std::fmt::Write;

/// Collects cases; suites carry counts, so nothing can be written before the end.
#[derive(Clone, Debug)]
pub struct Suites<'a> {
    models: &'a [Model],
    suites: Vec<Suite>,
}

#[derive(Clone, Debug, Default)]
struct Suite {
    cases: String,
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl<'a> Suites<'a> {
    /// An empty suite for each model.
    #[must_use]
    pub fn new(models: &'a [Model]) -> Self {
        Self { models, suites: vec![Suite::default(); models.len()] }
    }

    /// Adds the verdicts on one test.
    pub fn add(&mut self, case: &Case, verdicts: &[Stated]) {
        for ((suite, model), stated) in self.suites.iter_mut().zip(self.models).zip(verdicts) {
            suite.add(case, stated, model);
        }
    }

    /// The whole document.
    #[must_use]
    pub fn render(&self, unread: &[Unread]) -> String {
        let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
        for (suite, model) in self.suites.iter().zip(self.models) {
            suite.render(&model.name, &mut out);
        }
        if !unread.is_empty() {
            Suite::of_unread(unread).render(UNREAD, &mut out);
        }
        out.push_str("</testsuites>\n");
        out
    }
}

/// The suite of files that could not be read.
const UNREAD: &str = "files";

impl Suite {
    fn of_unread(unread: &[Unread]) -> Self {
        let mut suite = Self { tests: unread.len(), errors: unread.len(), ..Self::default() };
        for file in unread {
            suite.case(UNREAD, &file.name, Some(("error", file.why.clone())));
        }
        suite
    }

    fn render(&self, name: &str, out: &mut String) {
        let _ = writeln!(
            out,
            "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\">",
            escaped(name),
            self.tests,
            self.failures,
            self.errors,
            self.skipped,
        );
        out.push_str(&self.cases);
        out.push_str("  </testsuite>\n");
    }

    fn add(&mut self, case: &Case, stated: &Stated, model: &Model) {
        self.tests += 1;
        let (verdict, reason) = (stated.kind.name(), &stated.reason);
        let said =
            if reason.is_empty() { verdict.to_owned() } else { format!("{verdict}: {reason}") };
        let child = match stated.standing() {
            Standing::Expected | Standing::Unasked => None,
            Standing::Unexpected => {
                self.failures += 1;
                let expected = stated.expected.map_or("", |kind| kind.name());
                Some(("failure", format!("expected {expected}, is {said}")))
            }
            Standing::Unknown => {
                self.skipped += 1;
                Some(("skipped", said))
            }
            Standing::Broken => {
                self.errors += 1;
                Some(("error", said))
            }
        };
        self.case(&model.name, &case.path, child);
    }

    fn case(&mut self, class: &str, name: &str, child: Option<(&str, String)>) {
        let (class, name) = (escaped(class), escaped(name));
        let _ = match child {
            None => writeln!(self.cases, "    <testcase classname=\"{class}\" name=\"{name}\"/>"),
            Some((tag, message)) => writeln!(
                self.cases,
                "    <testcase classname=\"{class}\" name=\"{name}\"><{tag} message=\"{}\"/></testcase>",
                escaped(&message),
            ),
        };
    }
}

/// Text for an attribute; characters that XML has no place for become spaces.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            c if c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    out
}
