//! A test into the reason why devices should not run the test: its behaviour may be arbitrary, or a thread
//! may wait forever.

use super::args::Checking;
use super::models::Setup;
use super::output::Console;
use crate::batch::{Case, judge};
use crate::check::Hang;
use crate::progress::Progress;
use crate::solve::Cores;
use crate::verdict::Verdict;
use anyhow::Result;

/// The steps for the decision whether a test may be run.
const STEPS: u64 = 200_000;

/// The model and the settings of the decision.
pub(super) fn setup(console: &Console) -> Result<Setup> {
    Setup::load(&[], &Checking::plain(), Cores::FirstProof, console)
}

/// The reason why a test should not be run. Executions that the filter of the test excludes count,
/// since a device does not filter.
pub(super) fn unfit(case: &Case, setup: &Setup) -> Option<String> {
    let unfiltered = || {
        let mut all = case.clone();
        all.test.filter.take()?;
        let why = why(&all, setup)?;
        Some(format!("in executions that the filter leaves out, {why}"))
    };
    why(case, setup).or_else(unfiltered)
}

fn why(case: &Case, setup: &Setup) -> Option<String> {
    let mut settings = setup.settings.with_progress(Progress::Fair);
    settings.budget = settings.budget.at_most(STEPS);
    let judgement = judge(case, &setup.models, &setup.engines, settings).into_iter().next()?;
    match (&judgement.verdict, &judgement.hang) {
        (Verdict::Forbidden(core), _) if !core.endless.is_empty() => {
            Some("threads wait for ever".to_owned())
        }
        (Verdict::Allowed(_) | Verdict::Forbidden(_), Some(Hang::Possible(_))) => {
            let how = "it may hang even if every thread is scheduled";
            Some(format!("{how} (`ptxmc hangs --progress fair`)"))
        }
        (Verdict::Allowed(_) | Verdict::Forbidden(_), _) => None,
        (verdict, _) => Some(format!("{} under {}", verdict.kind().name(), setup.models[0].name)),
    }
}
