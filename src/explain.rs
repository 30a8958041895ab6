//! Explanations of forbidden outcomes: an execution that would have the outcome without some
//! axioms, and the places where it breaks them.
//!
//! Every execution with the outcome breaks an axiom of each set that excludes the outcome. The
//! execution shown breaks as few axioms as possible, with those of the given core preferred.

use crate::budget::Deadline;
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::relation::axiom::Failure;
use crate::relation::expr::{AxiomRole, Model};
use crate::relation::polarity::{Polarity, Variance};
use crate::solve::{Answer, Budget, Core, Engine, Goal, Problem};
use crate::vocabulary::BaseRel;

/// An execution that only some axioms exclude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterfactual {
    /// The choices of the execution.
    pub choices: Choices,
    /// The axioms that it breaks, with witnesses.
    pub broken: Vec<Failure>,
    /// Whether every execution with the outcome is known to break at least as many axioms.
    pub fewest: bool,
}

/// The reason why there is no execution to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// No candidate execution has the outcome, under any model.
    NoCandidate,
    /// The engine cannot tell.
    Untold,
}

/// The most models with fewer axioms that are tried before all blocking axioms are dropped at once.
const QUESTIONS: usize = 64;

/// Looks for an execution with the outcome that breaks as few axioms as possible.
///
/// # Errors
/// When no candidate execution has the outcome, or when the engine cannot tell.
pub fn counterfactual(
    problem: Problem<'_>,
    core: &Core,
    goal: Goal,
    engine: &dyn Engine,
    budget: Budget,
) -> Result<Counterfactual, Absent> {
    if core.axioms.is_empty() {
        return Err(Absent::NoCandidate);
    }
    let mut search =
        Search { problem, goal, engine, budget: budget.aside(), cores: vec![core.axioms.clone()] };
    let (mut asked, mut fewest) = (0, true);
    let end = budget.deadline_in(Budget::ASIDE_TOGETHER);
    for dropped in smallest_first(problem.model, core) {
        if search.cores.iter().any(|core| !core.iter().any(|axiom| dropped.contains(axiom))) {
            continue;
        }
        if asked == QUESTIONS || end.is_some_and(Deadline::is_over) {
            break;
        }
        asked += 1;
        match search.without(&dropped) {
            Tried::Found(choices) => return search.shown(*choices, fewest),
            Tried::Excluded => {}
            Tried::Untold => fewest = false,
            Tried::Impossible => return Err(Absent::NoCandidate),
        }
    }
    search.budget = budget.within(Budget::ASIDE_TOGETHER);
    search.without_all()
}

/// Sets of axioms to drop, smaller sets first. Among equal sizes, sets with fewer axioms that
/// demand an order of writes come first, then sets with more axioms of the core.
///
/// An execution that lacks a demanded order shows no faulty path, so that dropping another axiom
/// gives an execution that is easier to understand. Sets of more than three axioms are left out,
/// since they are too many.
fn smallest_first(model: &Model, core: &Core) -> Vec<Vec<usize>> {
    let required = |&axiom: &usize| model.axioms[axiom].role == AxiomRole::Required;
    let others = (0..model.axioms.len()).filter(|axiom| !core.axioms.contains(axiom));
    let all = core.axioms.iter().copied().chain(others).filter(required);
    // If single axioms use up all questions, there is no room for larger sets.
    let all: Vec<usize> = all.take(QUESTIONS).collect();
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for (i, &a) in all.iter().enumerate() {
        sets.push(vec![a]);
        for (j, &b) in all.iter().enumerate().skip(i + 1) {
            sets.push(vec![a, b]);
            sets.extend(all[j + 1..].iter().map(|&c| vec![a, b, c]));
        }
    }
    let foreign = |set: &[usize]| set.iter().filter(|axiom| !core.axioms.contains(axiom)).count();
    let polarity = Polarity::new(&model.arena);
    let demanding: Vec<bool> = model
        .axioms
        .iter()
        .map(|axiom| polarity.in_relation(axiom.node, BaseRel::Co) == Variance::Antitone)
        .collect();
    let demands = |set: &[usize]| set.iter().filter(|&&axiom| demanding[axiom]).count();
    sets.sort_by_key(|set| (set.len(), demands(set), foreign(set)));
    sets
}

/// The answer for a model with fewer axioms.
enum Tried {
    /// The relaxed model admits an execution with the outcome.
    Found(Box<Choices>),
    /// Other axioms exclude the outcome.
    Excluded,
    /// No axiom excludes the outcome, but no candidate execution has it.
    Impossible,
    /// The engine cannot tell.
    Untold,
}

struct Search<'a> {
    problem: Problem<'a>,
    goal: Goal,
    engine: &'a dyn Engine,
    budget: Budget,
    /// Sets of axioms each of which excludes the outcome.
    cores: Vec<Vec<usize>>,
}

impl Search<'_> {
    /// Checks the model without some axioms, and records the axioms that still exclude the outcome.
    fn without(&mut self, dropped: &[usize]) -> Tried {
        let (weaker, kept) = without(self.problem.model, dropped);
        let problem = Problem { graph: self.problem.graph, model: &weaker };
        match self.engine.find(problem, self.goal, self.budget) {
            Answer::Yes(choices) => Tried::Found(choices),
            Answer::No(core) if core.axioms.is_empty() => Tried::Impossible,
            Answer::No(core) => {
                let named = core.axioms.iter().filter_map(|&index| kept.get(index).copied());
                self.cores.push(named.collect());
                Tried::Excluded
            }
            Answer::Unknown(_) | Answer::Unsupported(_) => Tried::Untold,
        }
    }

    /// Drops all axioms of every set that excludes the outcome, until an execution is found.
    fn without_all(&mut self) -> Result<Counterfactual, Absent> {
        // Each round drops at least one more axiom.
        for _ in 0..=self.problem.model.axioms.len() {
            match self.without(&self.cores.concat()) {
                Tried::Found(choices) => return self.shown(*choices, false),
                Tried::Excluded => {}
                Tried::Impossible => return Err(Absent::NoCandidate),
                Tried::Untold => break,
            }
        }
        Err(Absent::Untold)
    }

    /// The execution, with the axioms of the whole model that it breaks.
    fn shown(&self, choices: Choices, fewest: bool) -> Result<Counterfactual, Absent> {
        let execution = Execution::build(self.problem.graph, choices.clone());
        let broken = recheck(self.problem.model, &execution.map_err(|_| Absent::Untold)?).broken;
        Ok(Counterfactual { choices, broken, fewest })
    }
}

/// The model without some axioms, and the indices that the others had.
fn without(model: &Model, dropped: &[usize]) -> (Model, Vec<usize>) {
    let kept: Vec<usize> = (0..model.axioms.len()).filter(|i| !dropped.contains(i)).collect();
    (model.with_axioms(&kept), kept)
}
