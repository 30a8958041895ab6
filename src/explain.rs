//! Explanations of forbidden outcomes: an execution that would have the outcome without some
//! axioms, and the places where it breaks them.
//!
//! Every execution with the outcome breaks an axiom of each set that excludes the outcome. The
//! execution shown breaks as few axioms as possible, with those of the given core preferred.

mod later_writes;
mod violations;

use crate::budget::Deadline;
use crate::event::graph::EventKind;
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::id::EventId;
use crate::program::expr::Expr;
use crate::relation::axiom::{Failure, Witness};
use crate::relation::eval::evaluate;
use crate::relation::expr::{AxiomRole, Model};
use crate::relation::polarity::{Polarity, Variance};
use crate::solve::{Answer, Budget, Core, Engine, Goal, Problem};
use crate::vocabulary::{BaseRel, Sort};
use std::collections::BTreeSet;

/// An execution that only some axioms exclude.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterfactual {
    /// The choices of the execution.
    pub choices: Choices,
    /// The axioms that it breaks, with witnesses.
    pub broken: Vec<Failure>,
    /// Whether every execution with the outcome is known to break at least as many axioms.
    pub fewest: bool,
    /// Further executions with the outcome. For each axiom of the core that this execution does not break,
    /// one execution which that axiom excludes, if a few questions to the engine find one; and executions
    /// in which a read of the condition takes its value from a later write.
    pub others: Vec<Other>,
}

/// A further execution with the outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Other {
    /// The choices of the execution.
    pub choices: Choices,
    /// The axioms that explain why the execution is excluded, with witnesses.
    pub broken: Vec<Failure>,
}

/// The reason why there is no execution to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// No candidate execution has the outcome, under any model.
    NoCandidate,
    /// The engine gives no answer.
    Undecided,
}

/// The most models with fewer axioms that are tried before all blocking axioms are dropped at once.
const MOST_QUESTIONS: usize = 64;

/// Searches for an execution with the outcome that breaks as few axioms as possible.
///
/// # Errors
///
/// When no candidate execution has the outcome, or when the engine gives no answer.
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
        if search.is_known_to_exclude(&dropped) {
            continue;
        }
        if asked == MOST_QUESTIONS || end.is_some_and(Deadline::is_over) {
            break;
        }
        asked += 1;
        match search.check_without(&dropped) {
            RelaxedAnswer::Found(choices) => {
                let Other { choices, broken } = search.simplified(*choices)?;
                let mut others = search.further_executions(&broken, core);
                let later = later_writes::executions(search.problem, goal, core, &choices);
                others.extend(later.into_iter().filter_map(|choices| {
                    let mut other = search.rechecked(choices).ok()?;
                    other.broken.retain(|failure| core.axioms.contains(&failure.axiom));
                    Some(other)
                }));
                return Ok(Counterfactual { choices, broken, fewest, others });
            }
            RelaxedAnswer::Excluded => {}
            RelaxedAnswer::Undecided => fewest = false,
            RelaxedAnswer::Impossible => return Err(Absent::NoCandidate),
        }
    }
    search.budget = budget.within(Budget::ASIDE_TOGETHER);
    search.drop_whole_cores()
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
    let all: Vec<usize> = all.take(MOST_QUESTIONS).collect();
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for (i, &a) in all.iter().enumerate() {
        sets.push(vec![a]);
        for (j, &b) in all.iter().enumerate().skip(i + 1) {
            sets.push(vec![a, b]);
            sets.extend(all[j + 1..].iter().map(|&c| vec![a, b, c]));
        }
    }
    let foreign = |set: &[usize]| set.iter().filter(|axiom| !core.axioms.contains(axiom)).count();
    let demanding = demanding(model);
    let demands = |set: &[usize]| set.iter().filter(|&&axiom| demanding[axiom]).count();
    sets.sort_by_key(|set| (set.len(), demands(set), foreign(set)));
    sets
}

/// For each axiom, whether it demands an order of writes.
fn demanding(model: &Model) -> Vec<bool> {
    let polarity = Polarity::new(&model.arena);
    let demands = |node| polarity.in_relation(node, BaseRel::Co) == Variance::Antitone;
    model.axioms.iter().map(|axiom| demands(axiom.node)).collect()
}

/// The answer for a model with fewer axioms.
enum RelaxedAnswer {
    /// The relaxed model admits an execution with the outcome.
    Found(Box<Choices>),
    /// Other axioms exclude the outcome.
    Excluded,
    /// No axiom excludes the outcome, but no candidate execution has it.
    Impossible,
    /// The engine gives no answer.
    Undecided,
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
    fn check_without(&mut self, dropped: &[usize]) -> RelaxedAnswer {
        let (weaker, kept) = model_without(self.problem.model, dropped);
        let problem = Problem { graph: self.problem.graph, model: &weaker };
        match self.engine.find(problem, self.goal, self.budget) {
            Answer::Yes(choices) => RelaxedAnswer::Found(choices),
            Answer::No(core) if core.axioms.is_empty() => RelaxedAnswer::Impossible,
            Answer::No(core) => {
                let named = core.axioms.iter().filter_map(|&index| kept.get(index).copied());
                self.cores.push(named.collect());
                RelaxedAnswer::Excluded
            }
            Answer::Unknown(_) | Answer::Unsupported(_) => RelaxedAnswer::Undecided,
        }
    }

    /// Drops all axioms of every set that excludes the outcome, until an execution is found.
    fn drop_whole_cores(&mut self) -> Result<Counterfactual, Absent> {
        // Each round drops at least one more axiom.
        for _ in 0..=self.problem.model.axioms.len() {
            match self.check_without(&self.cores.concat()) {
                RelaxedAnswer::Found(choices) => {
                    let Other { choices, broken } = self.simplified(*choices)?;
                    let (fewest, others) = (false, Vec::new());
                    return Ok(Counterfactual { choices, broken, fewest, others });
                }
                RelaxedAnswer::Excluded => {}
                RelaxedAnswer::Impossible => return Err(Absent::NoCandidate),
                RelaxedAnswer::Undecided => break,
            }
        }
        Err(Absent::Undecided)
    }

    /// The execution with the axioms of the whole model that it breaks, after changes of single choices
    /// have reduced the number of violations.
    fn simplified(&self, choices: Choices) -> Result<Other, Absent> {
        let Problem { graph, model } = self.problem;
        self.rechecked(violations::reduced(model, self.goal, graph, choices, None))
    }

    /// The execution of these choices, with the axioms of the whole model that it breaks.
    fn rechecked(&self, choices: Choices) -> Result<Other, Absent> {
        let Problem { graph, model } = self.problem;
        let execution = Execution::build(graph, choices.clone());
        let execution = execution.map_err(|_| Absent::Undecided)?;
        let mut broken = recheck(model, &execution).broken;
        for failure in &mut broken {
            move_to_condition(model, &execution, failure);
        }
        Ok(Other { choices, broken })
    }

    /// For each axiom of the core without a violation so far, an execution that the axiom excludes, alone
    /// or together with another axiom without a violation.
    fn further_executions(&mut self, broken: &[Failure], core: &Core) -> Vec<Other> {
        let is_broken = |axiom: &usize| broken.iter().any(|failure| failure.axiom == *axiom);
        let silent = core.axioms.iter().copied().filter(|axiom| !is_broken(axiom));
        let silent: Vec<usize> = silent.take(MOST_SILENT_AXIOMS).collect();
        let required =
            |axiom: &usize| self.problem.model.axioms[*axiom].role == AxiomRole::Required;
        let all = (0..self.problem.model.axioms.len()).filter(required);
        let demanding = demanding(self.problem.model);
        let partners: Vec<usize> =
            all.filter(|axiom| !is_broken(axiom) && !demanding[*axiom]).collect();
        let (mut asked, mut others) = (0, Vec::new());
        for axiom in silent {
            let pairs =
                partners.iter().filter(|&&other| other != axiom).map(|&other| vec![axiom, other]);
            for dropped in std::iter::once(vec![axiom]).chain(pairs) {
                if self.is_known_to_exclude(&dropped) {
                    continue;
                }
                asked += 1;
                if asked > MOST_FURTHER_QUESTIONS {
                    return others;
                }
                if let RelaxedAnswer::Found(choices) = self.check_without(&dropped)
                    && let Ok(other) = self.simplified(*choices)
                {
                    others.push(other);
                    break;
                }
            }
            let shown = |other: &Other| other.broken.iter().any(|failure| failure.axiom == axiom);
            if !others.iter().any(shown) {
                others.extend(self.exclude_with_several(axiom, &partners, &mut asked));
            }
        }
        others
    }

    /// An execution that an axiom excludes together with several others: one axiom of each set that
    /// excludes the outcome without the given axiom.
    fn exclude_with_several(
        &mut self,
        axiom: usize,
        partners: &[usize],
        asked: &mut usize,
    ) -> Option<Other> {
        let mut dropped = vec![axiom];
        loop {
            let left = |core: &&Vec<usize>| !core.iter().any(|axiom| dropped.contains(axiom));
            if let Some(core) = self.cores.iter().find(left) {
                let next = core.iter().copied().find(|axiom| partners.contains(axiom))?;
                dropped.push(next);
                continue;
            }
            *asked += 1;
            if *asked > MOST_FURTHER_QUESTIONS {
                return None;
            }
            match self.check_without(&dropped) {
                RelaxedAnswer::Found(choices) => return self.simplified(*choices).ok(),
                RelaxedAnswer::Excluded if dropped.len() == MOST_DROPPED => return None,
                RelaxedAnswer::Excluded => {}
                RelaxedAnswer::Impossible | RelaxedAnswer::Undecided => return None,
            }
        }
    }

    /// Whether a known set of axioms that excludes the outcome contains none of the dropped axioms.
    fn is_known_to_exclude(&self, dropped: &[usize]) -> bool {
        self.cores.iter().any(|core| !core.iter().any(|axiom| dropped.contains(axiom)))
    }
}

/// The most questions to the engine for further executions.
const MOST_FURTHER_QUESTIONS: usize = 16;

/// The most axioms that are dropped together for a further execution.
const MOST_DROPPED: usize = 3;

/// The most axioms of a core for which further executions are shown.
const MOST_SILENT_AXIOMS: usize = 2;

/// Moves the witness of a violation to an event that the condition refers to, if the axiom is also violated
/// there.
fn move_to_condition(model: &Model, execution: &Execution<'_>, failure: &mut Failure) {
    let node = model.axioms[failure.axiom].node;
    let Witness::Event(event) = failure.witness else { return };
    if model.arena.sort(node) != Sort::Relation {
        return;
    }
    let values = evaluate(&model.arena, &[node], execution);
    let asked = condition_events(execution);
    if !asked.contains(&event)
        && let Some(&other) = asked.iter().find(|&&id| values.relation(node).contains(id, id))
    {
        failure.witness = Witness::Event(other);
    }
}

/// The events with values in the condition: reads, and the final writes of locations.
pub(crate) fn condition_events(execution: &Execution<'_>) -> BTreeSet<EventId> {
    let graph = execution.graph;
    let mut asked = BTreeSet::new();
    for leaf in graph.exprs.leaves(graph.condition) {
        match leaf {
            Expr::Read(access) => asked.extend(graph.access(access).pieces.iter().copied()),
            Expr::Final(loc) => {
                asked.extend(execution.choices.finals.get(loc.index()).copied().flatten());
            }
            _ => {}
        }
    }
    asked.retain(|&id| execution.executed.contains(id) && graph.event(id).kind != EventKind::Init);
    asked
}

/// The model without some axioms, and the indices of the remaining axioms in the whole model.
fn model_without(model: &Model, dropped: &[usize]) -> (Model, Vec<usize>) {
    let kept: Vec<usize> = (0..model.axioms.len()).filter(|i| !dropped.contains(i)).collect();
    (model.with_axioms(&kept), kept)
}
