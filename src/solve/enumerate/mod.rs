//! The reference engine: brute force over candidate executions, the readable meaning of a verdict.
//!
//! An outcome is allowed when some candidate execution has it and the model, evaluated as written,
//! admits that execution. A candidate is: values for all free leaves (`free`), a write for every
//! read with the values that follow (`candidates`), an assignment of barrier generations, orders of
//! fences and writes, and a last write for every location (`search`). Only candidates that can no
//! longer reach the goal are pruned, and orders that break an axiom which more edges cannot mend.
//! Every execution found is built and checked by the solver-free evaluator
//! ([`recheck`](crate::execution::recheck)).
//!
//! Values are well founded here. Under a model that does not forbid cycles of reads-from and
//! dependencies, a value that justifies itself makes an answer `Unsupported`.

mod candidates;
mod free;
mod known;
mod rules;
mod search;
#[cfg(test)]
mod tests;
mod thin_air;

use super::{Answer, Budget, Core, Cores, Engine, Goal, Problem, States, Why};
use crate::event::graph::EventGraph;
use crate::execution::build::{Choices, Execution};
use crate::relation::expr::{AxiomRole, Model};
use crate::rule::Unsupported;
use crate::waiting::barrier::BarrierOp;
use rules::Rules;
use search::{Search, Stop};
use std::collections::BTreeMap;
use std::ops::ControlFlow;

/// Steps of each of the searches that make a core minimal.
const CORE_STEPS: u64 = 100_000;

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Enumerate {
    /// How much work a negative answer is worth.
    pub cores: Cores,
}

impl Engine for Enumerate {
    fn name(&self) -> &'static str {
        "enumerate"
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        let end = budget.end();
        match first(problem, goal, budget) {
            Answer::No(_) if goal.wants_core() => {
                Answer::No(self.core(problem, goal, |steps| budget.at_most(steps).until(end)))
            }
            other => other,
        }
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
        let Problem { graph, model } = problem;
        let rules = Rules::new(model);
        let mut states: BTreeMap<Vec<u128>, Choices> = BTreeMap::new();
        let mut search = Search::new(graph, model, &rules, Goal::Complete, budget, |execution| {
            states.entry(execution.final_state()).or_insert_with(|| execution.choices.clone());
            ControlFlow::Continue(())
        });
        let end = search.run();
        // Values that are only copied stand for others in a condition, but not in a list.
        let sampled = search.symbols_matter || graph.symbols.iter().any(|s| s.open_bits() > 1);
        let reason = doubt(problem, search.self_justified, sampled);
        let incomplete = match end {
            ControlFlow::Break(Stop::Limit(why)) => Some(why),
            _ => None,
        };
        match reason {
            Some(reason) => Err(reason),
            None => Ok(States { states: states.into_iter().collect(), incomplete }),
        }
    }
}

impl Enumerate {
    /// The axioms that exclude a goal which no execution reaches; `within` gives the remaining
    /// budget for a question with the given number of steps.
    fn core(
        &self,
        problem: Problem<'_>,
        goal: Goal,
        within: impl Fn(u64) -> Option<Budget>,
    ) -> Core {
        let model = problem.model;
        let is_no = |axioms: &[usize]| {
            let part = model.with_axioms(axioms);
            match first(Problem { model: &part, ..problem }, goal, within(CORE_STEPS)?) {
                Answer::No(_) => Some(true),
                Answer::Yes(_) => Some(false),
                _ => None,
            }
        };
        if is_no(&[]) == Some(true) {
            return Core { minimal: true, ..Core::default() };
        }
        let required = |&a: &usize| model.axioms[a].role == AxiomRole::Required;
        let mut core = Core {
            axioms: (0..model.axioms.len()).filter(required).collect(),
            minimal: self.cores != Cores::FirstProof,
            ..Core::default()
        };
        if self.cores != Cores::FirstProof {
            for axiom in core.axioms.clone() {
                let rest: Vec<usize> =
                    core.axioms.iter().copied().filter(|&a| a != axiom).collect();
                match is_no(&rest) {
                    Some(true) => core.axioms = rest,
                    Some(false) => {}
                    None => core.minimal = false,
                }
            }
        }
        core
    }
}

/// The first execution that reaches a goal.
fn first(problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
    let Problem { graph, model } = problem;
    if let Goal::Related(pairs) = goal
        && let Err(name) = pairs.relation(model)
    {
        return Answer::Unsupported(Unsupported::NoRelation(name));
    }
    let rules = Rules::new(model);
    let mut choices = None;
    let mut search = Search::new(graph, model, &rules, goal, budget, |execution| {
        choices = Some(Box::new(execution.choices.clone()));
        ControlFlow::Break(Stop::Enough)
    });
    let end = search.run();
    let doubt = doubt(problem, search.self_justified, search.symbols_matter);
    match (choices, end) {
        (Some(choices), _) => Answer::Yes(choices),
        (None, ControlFlow::Break(Stop::Limit(why))) => Answer::Unknown(why),
        (None, _) => match doubt {
            Some(reason) => Answer::Unsupported(reason),
            None => Answer::No(Core::default()),
        },
    }
}

/// Why having seen all candidates does not settle that there is no other execution.
fn doubt(
    Problem { graph, model }: Problem<'_>,
    self_justified: bool,
    symbols_matter: bool,
) -> Option<Unsupported> {
    // A value may depend on itself only by how it is told who takes part in an exchange.
    let may_differ =
        |op: &BarrierOp| op.exchange.is_some() && !graph.exprs.is_true(graph.event(op.event).guard);
    if self_justified && graph.barriers.iter().any(may_differ) {
        return Some(Unsupported::Exchanges);
    }
    if self_justified && !thin_air::is_excluded(model) {
        return Some(Unsupported::SelfJustifiedByModel);
    }
    if symbols_matter {
        return Some(Unsupported::UnknownArithmetic);
    }
    None
}

/// Visits every candidate execution of a graph, independent of a model. Combines all reads-from
/// choices, Fence-SC orders, partial coherence orders and barrier generations.
///
/// # Errors
/// With the limit, when the budget ends first.
pub fn every_candidate(
    graph: &EventGraph,
    budget: Budget,
    mut visit: impl FnMut(&Execution<'_>),
) -> Result<(), Why> {
    let (model, rules) = (Model::default(), Rules::none());
    let mut search = Search::new(graph, &model, &rules, Goal::Complete, budget, |execution| {
        visit(execution);
        ControlFlow::Continue(())
    });
    match search.run() {
        ControlFlow::Break(Stop::Limit(why)) => Err(why),
        _ => Ok(()),
    }
}
