//! The selection of the models that agree with all test expectations.

use crate::batch::{Case, in_order};
use crate::check::{Settings, check};
use crate::relation::expr::Model;
use crate::solve::Engine;
use crate::verdict::Kind;
use std::ops::ControlFlow;

/// Why a model does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The first test on which the verdict differs from the expected one.
    pub test: usize,
    /// The verdict.
    pub verdict: Kind,
}

/// The misfit of each model, in order; `None` for models that agree with every expectation. An
/// unknown verdict is no misfit.
#[must_use]
pub fn misfits(
    models: &[&Model],
    cases: &[Case],
    engine: &dyn Engine,
    settings: Settings,
    jobs: usize,
) -> Vec<Option<Misfit>> {
    let work = |index: usize| {
        let against = |(test, case): (usize, &Case)| {
            let expected = case.expected.first().copied().flatten()?;
            let verdict = check(&case.test, models[index], engine, settings).verdict.kind();
            let fits = verdict == expected || verdict == Kind::Unknown;
            (!fits).then_some(Misfit { test, verdict })
        };
        cases.iter().enumerate().find_map(against)
    };
    let mut found = Vec::with_capacity(models.len());
    in_order(models.len(), jobs, work, |_, misfit| {
        found.push(misfit);
        ControlFlow::Continue(())
    });
    found
}
