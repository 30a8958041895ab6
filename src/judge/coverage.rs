//! Mutation coverage: the wrong models that a suite of tests detects, and those that logs have
//! refuted.
//!
//! A test *kills* a mutant if its verdict changes under the mutant. The test then detects a
//! misreading of the mutated clause. A log *refutes* a mutant if it shows an outcome that the
//! mutant forbids and the model allows: the mutant does not describe the machine. A mutant that
//! forbids nothing more than the model cannot be refuted.

use super::verdicts::{Finding, TestReport};
use crate::batch::{Case, in_order, judge};
use crate::cat::mutant::Mutant;
use crate::check::Settings;
use crate::relation::expr::Model;
use crate::solve::Engine;
use crate::verdict::Kind;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// A wrong model.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// Its name.
    pub name: String,
    /// The mutated clause.
    pub clause: String,
    /// The change in words.
    pub change: String,
    /// The reason why no test kills the mutant, if there is one.
    pub excuse: Option<String>,
    /// The model.
    pub model: Model,
}

impl Wrong {
    /// A mutant that comes with the tool.
    ///
    /// # Errors
    /// When the mutant is not a valid model.
    pub fn mutant(mutant: &Mutant) -> Result<Self, String> {
        Ok(Self {
            name: mutant.name.clone(),
            clause: mutant.clause.clone(),
            change: mutant.change.clone(),
            excuse: mutant.excuse.clone(),
            model: mutant.model()?,
        })
    }

    /// The mutants of a model without one axiom, for each axiom.
    #[must_use]
    pub fn without_axioms(model: &Model) -> Vec<Self> {
        let without = |(index, axiom): (usize, &crate::relation::expr::Axiom)| Self {
            name: format!("without {}", axiom.name),
            clause: axiom.clauses.first().cloned().unwrap_or_else(|| axiom.name.clone()),
            change: "the axiom is dropped".to_owned(),
            excuse: None,
            model: model.without_axioms(&[index]),
        };
        model.axioms.iter().enumerate().map(without).collect()
    }
}

/// The results of a suite and its logs for a wrong model.
#[derive(Clone, Debug)]
pub struct Kill {
    /// Its name.
    pub name: String,
    /// The mutated clause.
    pub clause: String,
    /// The change in words.
    pub change: String,
    /// The reason why no test kills the mutant, if there is one.
    pub excuse: Option<String>,
    /// The first few tests that kill the mutant, by number.
    pub killers: Vec<usize>,
    /// The tests whose outcome was seen though the wrong model forbids it.
    pub refuted_by: Vec<usize>,
}

/// The number of killers after which the search for a mutant stops.
const ENOUGH: usize = 3;

/// Checks the tests under every wrong model until a few tests kill it and a log refutes it.
/// `reports` contains the log results of each test. Results come in the order of the wrong models.
pub fn kills(
    wrong: &[Wrong],
    (cases, reports): (&[Case], &[TestReport]),
    engines: &[Box<dyn Engine>],
    (settings, jobs): (Settings, usize),
    mut done: impl FnMut(Kill),
) {
    let decided = |kind| matches!(kind, Kind::Allowed | Kind::Forbidden);
    let asked: Vec<usize> =
        (0..cases.len()).filter(|&index| decided(reports[index].asked.verdict.kind())).collect();
    let seen: BTreeSet<usize> = asked
        .iter()
        .copied()
        .filter(|&index| reports[index].finding == Finding::AllowedSeen)
        .collect();
    // Tests with a seen outcome come first: one of them may both kill and refute.
    let mut order = asked;
    order.sort_by_key(|index| !seen.contains(index));
    let work = |index: usize| {
        let wrong = &wrong[index];
        let mut kill = Kill {
            name: wrong.name.clone(),
            clause: wrong.clause.clone(),
            change: wrong.change.clone(),
            excuse: wrong.excuse.clone(),
            killers: Vec::new(),
            refuted_by: Vec::new(),
        };
        for &test in &order {
            if kill.killers.len() >= ENOUGH {
                break;
            }
            let models = std::slice::from_ref(&wrong.model);
            let kind = judge(&cases[test], models, engines, settings)
                .first()
                .map_or(Kind::Unknown, |judgement| judgement.verdict.kind());
            let own = reports[test].asked.verdict.kind();
            if matches!(kind, Kind::Unknown | Kind::Error) || kind == own {
                continue;
            }
            kill.killers.push(test);
            if seen.contains(&test) && kind == Kind::Forbidden {
                kill.refuted_by.push(test);
            }
        }
        kill
    };
    in_order(wrong.len(), jobs, work, |_, kill| {
        done(kill);
        ControlFlow::Continue(())
    });
}

/// The tests whose outcome is allowed but was not seen, and the tests without a run. Tests with the
/// fewest runs come first, among them those whose outcome would refute most wrong models.
#[must_use]
pub fn next(reports: &[TestReport], kills: &[Kill]) -> Vec<usize> {
    let open: BTreeSet<usize> = kills
        .iter()
        .filter(|kill| kill.refuted_by.is_empty())
        .flat_map(|kill| kill.killers.iter().copied())
        .collect();
    let unseen = |report: &TestReport| match report.finding {
        Finding::AllowedNeverSeen => true,
        Finding::NotRun => report.asked.verdict.kind() == Kind::Allowed,
        Finding::OtherVersion => {
            report.asked.verdict.kind() == Kind::Allowed && report.positive() == 0
        }
        _ => false,
    };
    let mut tests: Vec<usize> = (0..reports.len()).filter(|&i| unseen(&reports[i])).collect();
    let runs = |index: usize| match reports[index].finding {
        Finding::NotRun => 0,
        _ => reports[index].runs.unwrap_or(0),
    };
    tests.sort_by_key(|&index| (runs(index), !open.contains(&index), index));
    tests
}
