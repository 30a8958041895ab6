//! Questions about programs in which the dependencies of some writes are over-approximated.
//!
//! Such a write counts as dependent on the reads of all its disjuncts. An execution that satisfies
//! the axioms despite surplus dependencies is real, but the absence of executions may rest on the
//! surplus. Absence therefore counts only if there is no execution with out-of-thin-air values
//! either (PTX-8.10.4).

use super::Settings;
use super::bound::STEPS_FOR_MORE;
use super::cut::cut;
use crate::event::graph::EventGraph;
use crate::litmus::ast::Test;
use crate::relation::expr::Model;
use crate::relation::thin_air::no_value_from_nowhere;
use crate::rule::Unsupported;
use crate::solve::{Answer, Budget, Engine, Goal, Problem, States};
use crate::verdict::Undecided;

/// An engine whose `No` does not rest on over-approximated dependencies.
pub struct SoundDependence<'e>(pub &'e dyn Engine);

impl Engine for SoundDependence<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        let answer = self.0.find(problem, goal, budget);
        let (Answer::No(core), Some(axiom)) = (&answer, rests_on(problem)) else { return answer };
        // For other questions, engines do not name the axioms that exclude all executions.
        if matches!(goal, Goal::Condition(_)) && !core.axioms.contains(&axiom) {
            return answer;
        }
        let model = problem.model.without_axioms(&[axiom]);
        match self.0.find(Problem { model: &model, ..problem }, goal, budget) {
            Answer::No(mut core) => {
                // Axiom indices are shifted back to those of the whole model.
                let later = core.axioms.iter_mut().filter(|index| **index >= axiom);
                later.for_each(|index| *index += 1);
                Answer::No(core)
            }
            Answer::Unknown(why) => Answer::Unknown(why),
            Answer::Yes(_) | Answer::Unsupported(_) => Answer::Unsupported(Unsupported::ManyWays),
        }
    }

    /// As the engine lists them: [`unlisted`] tells whether there may be others.
    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
        self.0.states(problem, budget)
    }
}

/// The axiom on which a `No` may rest, if dependencies are over-approximated.
fn rests_on(problem: Problem<'_>) -> Option<usize> {
    no_value_from_nowhere(problem.model).filter(|_| problem.graph.coarse)
}

/// The reason why a list of final states may be incomplete: loops are cut, or dependencies are
/// over-approximated. `None` if it is complete in these respects.
#[must_use]
pub fn unlisted(
    test: &Test,
    graph: &EventGraph,
    model: &Model,
    states: &States,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Undecided> {
    let problem = Problem { graph, model };
    if let Some(axiom) = rests_on(problem)
        && states.incomplete.is_none()
    {
        let weaker = model.without_axioms(&[axiom]);
        let others = with_other_states(graph, states);
        let problem = Problem { graph: &others, model: &weaker };
        let budget = settings.budget.at_most(STEPS_FOR_MORE);
        if !matches!(engine.find(problem, Goal::Condition(true), budget), Answer::No(_)) {
            return Some(Undecided::Unsupported(Unsupported::ManyWays));
        }
    }
    cut(test, problem, &SoundDependence(engine), settings)
}

/// The events with the condition that the final state is none of these.
fn with_other_states(graph: &EventGraph, states: &States) -> EventGraph {
    let mut out = graph.clone();
    let mut others = out.exprs.truth(true);
    for (values, _) in &states.states {
        let mut same = out.exprs.truth(true);
        for (observed, &value) in graph.observed.iter().zip(values) {
            let value = out.exprs.number(value, out.exprs.width(observed.value));
            let equal = out.exprs.equal(observed.value, value);
            same = out.exprs.and(same, equal);
        }
        let differs = out.exprs.not(same);
        others = out.exprs.and(others, differs);
    }
    out.condition = others;
    out
}
