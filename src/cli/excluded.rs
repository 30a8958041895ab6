//! Forbidden verdicts into the executions that would have the outcome.

use crate::batch::{Case, Judgement, together};
use crate::check::{Settings, goal_of};
use crate::explain::{Absent, Counterfactual, counterfactual};
use crate::relation::expr::Model;
use crate::solve::{Engine, Problem};
use crate::verdict::Verdict;

/// The execution that a forbidden outcome would have, or the reason why no such execution exists; `None`
/// for other verdicts, and for outcomes that are excluded without axioms.
pub(super) fn excluded_execution(
    (case, judgement): (&Case, &Judgement),
    model: &Model,
    engines: &[Box<dyn Engine>],
    settings: Settings,
) -> Option<Result<Counterfactual, Absent>> {
    let Verdict::Forbidden(core) = &judgement.verdict else { return None };
    if core.despite_race {
        return None;
    }
    let problem = Problem { graph: judgement.graph.as_ref()?, model };
    let goal = goal_of(case.test.quantifier);
    let (engine, settings) = together(engines, settings);
    Some(counterfactual(problem, core, goal, &engine, settings.budget))
}
