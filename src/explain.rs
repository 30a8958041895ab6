//! Why an outcome is forbidden: the execution that would have it if the axioms in its way were
//! gone, and where that execution breaks them.

use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::relation::axiom::Failure;
use crate::relation::expr::Model;
use crate::solve::{Answer, Budget, Core, Engine, Goal, Problem};

/// An execution that only some axioms exclude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterfactual {
    /// What makes the execution.
    pub choices: Choices,
    /// The axioms that it breaks, with where it breaks them.
    pub broken: Vec<Failure>,
}

/// Looks for an execution with the outcome that breaks only axioms of `core`, and of further cores
/// where these alone are not what excludes it.
///
/// `None` when no candidate execution has the outcome, or when the engine cannot tell.
#[must_use]
pub fn counterfactual(
    problem: Problem<'_>,
    core: &Core,
    goal: Goal,
    engine: &dyn Engine,
    budget: Budget,
) -> Option<Counterfactual> {
    let mut dropped = core.axioms.clone();
    // Each round drops at least one more axiom.
    for _ in 0..=problem.model.axioms.len() {
        let (weaker, kept) = without(problem.model, &dropped);
        match engine.find(Problem { graph: problem.graph, model: &weaker }, goal, budget) {
            Answer::Yes(choices) => {
                let execution = Execution::build(problem.graph, (*choices).clone()).ok()?;
                let broken = recheck(problem.model, &execution).broken;
                return Some(Counterfactual { choices: *choices, broken });
            }
            Answer::No(more) if !more.axioms.is_empty() => {
                dropped.extend(more.axioms.iter().filter_map(|&index| kept.get(index)));
            }
            _ => return None,
        }
    }
    None
}

/// The model without some axioms, and the positions that the others had.
fn without(model: &Model, dropped: &[usize]) -> (Model, Vec<usize>) {
    let kept: Vec<usize> = (0..model.axioms.len()).filter(|i| !dropped.contains(i)).collect();
    let mut weaker = model.clone();
    weaker.axioms = kept.iter().map(|&i| model.axioms[i].clone()).collect();
    (weaker, kept)
}
