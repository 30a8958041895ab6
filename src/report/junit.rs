//! Verdicts as JUnit XML: a suite per model, a case per test, and a suite for unreadable files. The
//! properties of a case are the verdict, whether the program may hang unless it never does, and the code,
//! the clauses and the position of the reason.

use super::reason::Cause;
use super::summary::{Stated, Unread};
use crate::batch::{Case, Refusal, Standing};
use crate::check::HangKind;
use crate::relation::expr::Model;
use quick_junit::{NonSuccessKind, Property, Report, TestCase, TestCaseStatus, TestSuite};

/// The collected cases. The start tag of a suite contains counts, so the document is written at the end.
#[derive(Clone, Debug)]
pub struct Suites<'a> {
    models: &'a [Model],
    suites: Vec<TestSuite>,
}

impl<'a> Suites<'a> {
    /// An empty suite for each model.
    #[must_use]
    pub fn new(models: &'a [Model]) -> Self {
        Self { models, suites: models.iter().map(|model| suite(&model.name)).collect() }
    }

    /// Adds the verdicts on one test.
    pub fn add(&mut self, case: &Case, verdicts: &[Stated]) {
        for ((suite, model), stated) in self.suites.iter_mut().zip(self.models).zip(verdicts) {
            let mut judged = test_case(&model.name, &case.path, status(stated));
            judged.add_property(property("verdict", stated.word(stated.kind)));
            let hang = stated.hang.filter(|&hang| hang != HangKind::Never);
            judged.add_properties(hang.map(|hang| property("hang", hang.name())));
            judged.add_properties(properties(&stated.cause));
            suite.add_test_case(judged);
        }
    }

    /// Adds a test that fails in the first suite.
    pub fn fail(&mut self, case: &Case, message: &str) {
        if let (Some(suite), Some(model)) = (self.suites.first_mut(), self.models.first()) {
            let status = failed(NonSuccessKind::Failure, message.to_owned(), None);
            suite.add_test_case(test_case(&model.name, &case.path, status));
        }
    }

    /// The whole document.
    #[must_use]
    pub fn render(&self, unread: &[Unread]) -> String {
        let mut report = Report::new("ptxmc");
        report.add_test_suites(self.suites.iter().cloned().map(with_skipped));
        if !unread.is_empty() {
            report.add_test_suite(with_skipped(of_unread(unread)));
        }
        report
            .to_string()
            .expect("what is written to a string is UTF-8, and writing to it succeeds")
    }
}

/// The result of a case without the verdict on a test.
#[cfg(feature = "cli")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// Unlike the expectation.
    Failed,
    /// A failure of the tool.
    Broken,
    /// Undecided.
    Skipped,
}

/// A case: the name, and for cases that did not pass the result and the reason.
#[cfg(feature = "cli")]
pub(super) type Ending = (String, Option<(Ended, String)>);

/// A document with a single suite.
#[cfg(feature = "cli")]
pub(super) fn document(name: &str, cases: &[Ending]) -> String {
    let mut all = suite(name);
    for (case, ended) in cases {
        let status = match ended {
            None => TestCaseStatus::success(),
            Some((Ended::Failed, why)) => failed(NonSuccessKind::Failure, why.clone(), None),
            Some((Ended::Broken, why)) => failed(NonSuccessKind::Error, why.clone(), None),
            Some((Ended::Skipped, why)) => {
                let mut status = TestCaseStatus::skipped();
                status.set_message(plain(why));
                status
            }
        };
        all.add_test_case(test_case(name, case, status));
    }
    let mut report = Report::new("ptxmc");
    report.add_test_suite(with_skipped(all));
    report.to_string().expect("what is written to a string is UTF-8, and writing to it succeeds")
}

/// The suite of unreadable files.
const UNREAD: &str = "files";

fn of_unread(unread: &[Unread]) -> TestSuite {
    let mut files = suite(UNREAD);
    for file in unread {
        let status = failed(NonSuccessKind::Error, file.why.clone(), None);
        files.add_test_case(test_case(UNREAD, &file.name, status));
    }
    files
}

/// The result of a case, with the reason if the case did not pass.
fn status(stated: &Stated) -> TestCaseStatus {
    let (verdict, reason) = (stated.word(stated.kind), &stated.reason);
    let said = if reason.is_empty() { verdict.to_owned() } else { format!("{verdict}: {reason}") };
    let code = stated.cause.code.as_deref();
    match stated.standing() {
        Standing::Expected | Standing::Unasked => TestCaseStatus::success(),
        Standing::Unexpected => {
            let message = match (stated.refused, stated.expected) {
                (Some(Refusal::NotHang(hang)), _) => {
                    format!("expected Hang={}, is {said}", hang.name())
                }
                (Some(refused), _) => format!("refused by --fail-on {}, is {said}", refused.name()),
                (None, expected) => {
                    let expected = expected.map_or("", |kind| stated.word(kind));
                    format!("expected {expected}, is {said}")
                }
            };
            failed(NonSuccessKind::Failure, message, code)
        }
        Standing::Unknown => {
            let mut status = TestCaseStatus::skipped();
            status.set_message(plain(&said));
            typed(status, code)
        }
        Standing::Broken => failed(NonSuccessKind::Error, said, code),
    }
}

fn failed(kind: NonSuccessKind, message: String, code: Option<&str>) -> TestCaseStatus {
    let mut status = TestCaseStatus::non_success(kind);
    status.set_message(plain(&message));
    typed(status, code)
}

/// The status, with the code of the reason as type.
fn typed(mut status: TestCaseStatus, code: Option<&str>) -> TestCaseStatus {
    if let Some(code) = code {
        status.set_type(code);
    }
    status
}

fn properties(cause: &Cause) -> Vec<Property> {
    let code = cause.code.iter().map(|code| property("code", code));
    let clauses = cause.clauses.iter().map(|clause| property("clause", clause));
    let places = cause.places.iter().map(|place| property("place", &place.to_string()));
    code.chain(clauses).chain(places).collect()
}

fn property(name: &str, value: &str) -> Property {
    Property::new(name, plain(value))
}

fn test_case(class: &str, name: &str, status: TestCaseStatus) -> TestCase {
    let mut case = TestCase::new(plain(name), status);
    case.set_classname(plain(class));
    case
}

fn suite(name: &str) -> TestSuite {
    TestSuite::new(plain(name))
}

/// The suite with an attribute `skipped`, the name for the count of skipped cases that most readers expect.
fn with_skipped(mut suite: TestSuite) -> TestSuite {
    let skipped = suite.disabled.to_string();
    suite.extra.insert("skipped".into(), skipped.into());
    suite
}

/// Text for an attribute; characters that XML cannot represent become spaces.
fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
