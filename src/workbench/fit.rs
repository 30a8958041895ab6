//! Models and tests with expectations into the models that agree with all of them.

use crate::batch::{Case, in_order};
use crate::check::{Settings, check};
use crate::relation::expr::Model;
use crate::solve::Engine;
use crate::verdict::Kind;
use std::ops::ControlFlow;

/// Why a model does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// The first test on which it gives another verdict than the one expected.
    pub test: usize,
    /// The verdict.
    pub verdict: Kind,
}

/// For each model, in order, what is against it; `None` for those that agree with every expectation. A
/// verdict that is unknown is against nothing.
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
