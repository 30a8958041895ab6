//! Logs and traces compared with the model: as text, Markdown, JSON and JUnit XML.

mod coverage;
pub mod json;
pub mod junit;
pub mod markdown;
pub mod text;
pub mod trace;

use crate::batch::{Case, Judgement};
use crate::diagnostic::Diagnostic;
use crate::judge::compare::Change;
use crate::judge::coverage::Kill;
use crate::judge::log::Value;
use crate::judge::sightings::Assigned;
use crate::judge::verdicts::{Finding, Judged, TestReport, shape};
use crate::relation::expr::Model;
use crate::report::herd::hash;
use crate::source::Files;
use std::collections::BTreeMap;

/// The inputs of a report on logs.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The tests.
    pub cases: &'a [Case],
    /// The observed states of each test, with their verdicts.
    pub reports: &'a [TestReport],
    /// The assignment of log entries to tests.
    pub assigned: &'a Assigned,
    /// The model.
    pub model: &'a Model,
    /// The texts of tests and models.
    pub files: &'a Files,
    /// Explanations of observed forbidden states.
    pub explanations: &'a [Explanation],
    /// The comparison with other logs, if the user gave some.
    pub changes: Option<&'a Comparison>,
    /// The wrong models that the suite detects, if the user asked.
    pub kills: Option<&'a [Kill]>,
    /// The indices of the tests to run next.
    pub next: &'a [usize],
    /// The errors in files.
    pub broken: &'a [Diagnostic],
}

/// The explanation of a forbidden state.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The index of the test.
    pub test: usize,
    /// The index of the state among the observed ones.
    pub state: usize,
    /// The explanation.
    pub text: String,
}

/// The differences between two sets of logs.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The tests with different states.
    pub changes: Vec<Change>,
    /// The number of tests with the same states.
    pub same: usize,
}

impl Subject<'_> {
    /// The number of tests with each finding, in the order of [`Finding::ALL`].
    fn counts(&self) -> [usize; Finding::ALL.len()] {
        count(self.reports.iter())
    }

    /// Tables of findings by shape, order and scope: a title and named rows.
    fn facets(&self) -> Vec<(&'static str, Vec<Row>)> {
        let shapes = |case: &Case, _: &TestReport| vec![shape(&case.test.name).to_owned()];
        let orders =
            |_: &Case, report: &TestReport| report.orders.iter().map(ToString::to_string).collect();
        let scopes =
            |_: &Case, report: &TestReport| report.scopes.iter().map(ToString::to_string).collect();
        vec![
            ("shape", self.rows(&shapes)),
            ("order", self.rows(&orders)),
            ("scope", self.rows(&scopes)),
        ]
    }

    fn rows(&self, names: &dyn Fn(&Case, &TestReport) -> Vec<String>) -> Vec<Row> {
        let mut members: BTreeMap<String, Vec<&TestReport>> = BTreeMap::new();
        for (case, report) in self.cases.iter().zip(self.reports) {
            for name in names(case, report) {
                members.entry(name).or_default().push(report);
            }
        }
        members.into_iter().map(|(name, of)| (name, count(of.into_iter()))).collect()
    }
}

/// A name with the number of tests with each finding.
type Row = (String, [usize; Finding::ALL.len()]);

fn count<'a>(reports: impl Iterator<Item = &'a TestReport>) -> [usize; Finding::ALL.len()] {
    let mut counts = [0; Finding::ALL.len()];
    for report in reports {
        let at = Finding::ALL.iter().position(|finding| *finding == report.finding);
        counts[at.expect("every finding is listed")] += 1;
    }
    counts
}

/// A state in the notation of logs: `P0:r1=0; x=1;`.
#[must_use]
pub fn state(values: &[(String, Value)]) -> String {
    if values.is_empty() {
        return "(nothing is observed)".to_owned();
    }
    let parts: Vec<String> =
        values.iter().map(|(name, value)| format!("{name}={value};")).collect();
    parts.join(" ")
}

/// The condition of a test, in the syntax of tests.
#[must_use]
pub fn question(case: &Case) -> String {
    let condition = crate::litmus::print::print_condition(&case.test, &case.test.condition);
    format!("exists ({condition})")
}

/// The reason of a verdict, in one line.
fn reason(judgement: &Judgement, subject: &Subject<'_>) -> String {
    super::reason::line(&judgement.verdict, subject.model, subject.files)
}

/// A note that logs contain different versions of the test.
fn versions(case: &Case, report: &TestReport, subject: &Subject<'_>) -> String {
    let others = report.other_versions.join(", ");
    format!("logs have Hash={others}, the test has Hash={}", hash(&case.test, subject.files))
}

/// The number of occurrences of a state, `12 times`, if the log counts.
fn times(judged: &Judged) -> String {
    match judged.seen.count {
        Some(1) => "once".to_owned(),
        Some(count) => format!("{count} times"),
        None => "listed".to_owned(),
    }
}
