//! Which wrong models a suite of tests notices, and which of them logs have refuted.
//!
//! A test *kills* a mutant when it has another verdict under it: whoever misreads that clause is told.
//! A log *refutes* a mutant when it shows an outcome that the mutant forbids and the model allows: the
//! machine is no such machine. A mutant that forbids nothing more than the model cannot be refuted.

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
    /// The clause that it breaks.
    pub clause: String,
    /// What it says.
    pub change: String,
    /// Why no test kills it, where there is none.
    pub excuse: Option<String>,
    /// The model.
    pub model: Model,
}

impl Wrong {
    /// A mutant that comes with the tool.
    ///
    /// # Errors
    /// When it is no model.
    pub fn mutant(mutant: &Mutant) -> Result<Self, String> {
        Ok(Self {
            name: mutant.name.clone(),
            clause: mutant.clause.clone(),
            change: mutant.change.clone(),
            excuse: mutant.excuse.clone(),
            model: mutant.model()?,
        })
    }

    /// A model without one of its axioms, for each of them.
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

/// What a suite and its logs say of a wrong model.
#[derive(Clone, Debug)]
pub struct Kill {
    /// Its name.
    pub name: String,
    /// The clause that it breaks.
    pub clause: String,
    /// What it says.
    pub change: String,
    /// Why no test kills it, where there is none.
    pub excuse: Option<String>,
    /// The tests that kill it, by number; the first few.
    pub killers: Vec<usize>,
    /// Those of the tests whose outcome was seen though the wrong model forbids it.
    pub refuted_by: Vec<usize>,
}

/// So many killers of a mutant are looked for.
const ENOUGH: usize = 3;

/// Asks every wrong model about the tests until a few kill it and a log refutes it; `reports` has what
/// logs say of each test. Results come in the order of the wrong models.
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
    // What was seen comes first: it may kill and refute at once.
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

/// The tests whose outcome is allowed and was not seen, or that were not run: those first that have
/// run least, among them those that would refute more wrong models if their outcome were seen.
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
