//! What logs and traces show, held against the model: as text, Markdown, JSON and JUnit's XML.

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

/// Everything that a report on logs is made from.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The tests.
    pub cases: &'a [Case],
    /// What logs show of each, and what the model says of that.
    pub reports: &'a [TestReport],
    /// Which test each entry of the logs speaks of.
    pub assigned: &'a Assigned,
    /// The model.
    pub model: &'a Model,
    /// The texts of tests and models.
    pub files: &'a Files,
    /// Why states are forbidden that were seen.
    pub explanations: &'a [Explanation],
    /// What other logs show, if they are compared.
    pub changes: Option<&'a Comparison>,
    /// What the suite says of wrong models, if it was asked.
    pub kills: Option<&'a [Kill]>,
    /// What to run next, by number of the test.
    pub next: &'a [usize],
    /// What is wrong with files.
    pub broken: &'a [Diagnostic],
}

/// Why a state is forbidden.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The number of its test.
    pub test: usize,
    /// The number of the state among those that were seen.
    pub state: usize,
    /// The explanation.
    pub text: String,
}

/// What two sets of logs show.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// What differs.
    pub changes: Vec<Change>,
    /// How many tests have the same states in both.
    pub same: usize,
}

impl Subject<'_> {
    /// How many tests have each finding, in the order of [`Finding::ALL`].
    fn counts(&self) -> [usize; Finding::ALL.len()] {
        count(self.reports.iter())
    }

    /// Tables of findings by shape, order and scope: a title and rows, each with a name.
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

/// A name with how many tests have each finding.
type Row = (String, [usize; Finding::ALL.len()]);

fn count<'a>(reports: impl Iterator<Item = &'a TestReport>) -> [usize; Finding::ALL.len()] {
    let mut counts = [0; Finding::ALL.len()];
    for report in reports {
        let at = Finding::ALL.iter().position(|finding| *finding == report.finding);
        counts[at.expect("every finding is listed")] += 1;
    }
    counts
}

/// A state as logs write it: `P0:r1=0; x=1;`.
#[must_use]
pub fn state(values: &[(String, Value)]) -> String {
    if values.is_empty() {
        return "(nothing is observed)".to_owned();
    }
    let parts: Vec<String> =
        values.iter().map(|(name, value)| format!("{name}={value};")).collect();
    parts.join(" ")
}

/// The condition that asks for a state, as tests have it.
#[must_use]
pub fn question(case: &Case) -> String {
    let condition = crate::litmus::print::print_condition(&case.test, &case.test.condition);
    format!("exists ({condition})")
}

/// Why a verdict is what it is, in one line.
fn reason(judgement: &Judgement, subject: &Subject<'_>) -> String {
    super::reason::line(&judgement.verdict, subject.model, subject.files)
}

/// That logs are of other versions of a test than the one that is judged.
fn versions(case: &Case, report: &TestReport, subject: &Subject<'_>) -> String {
    let others = report.other_versions.join(", ");
    format!("logs have Hash={others}, the test has Hash={}", hash(&case.test, subject.files))
}

/// How often a state was seen, `12 times`, where the log counts.
fn times(judged: &Judged) -> String {
    match judged.seen.count {
        Some(1) => "once".to_owned(),
        Some(count) => format!("{count} times"),
        None => "listed".to_owned(),
    }
}
