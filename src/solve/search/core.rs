//! Which axioms exclude what a search did not find.

use super::candidates::Space;
use super::rules::{Demand, Rules};
use super::state::Limit;
use super::{Outcome, first};
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::solve::{Core, Cores, Goal, Problem};

/// How many search nodes the axioms may take, beyond this many times those of the first proof.
const ALLOWANCE: (u64, u64) = (200, 1);

/// The same of a program of one event where there is patience; for larger ones the first number is
/// divided by that of the events, since a node takes longer there.
const PATIENCE: (u64, u64) = (1_000_000, 4);

/// Searches with some of the axioms only.
pub(super) struct Proofs<'p> {
    problem: Problem<'p>,
    goal: Goal,
    space: &'p Space<'p>,
    rules: &'p Rules,
    limit: Limit,
    /// The axioms that some executions with what is looked for break: a core has one of each.
    broken: Vec<Vec<usize>>,
}

impl<'p> Proofs<'p> {
    /// Further searches after one that took this many steps.
    pub(super) fn new(
        problem: Problem<'p>,
        goal: Goal,
        space: &'p Space<'p>,
        rules: &'p Rules,
        limit: Limit,
        steps: u64,
        cores: Cores,
    ) -> Self {
        let events = (problem.graph.events.len() as u64).max(1);
        let (some, times) = match cores {
            Cores::Patient => (PATIENCE.0 / events, PATIENCE.1),
            Cores::Minimal | Cores::FirstProof => ALLOWANCE,
        };
        let limit = Limit { steps: some + times * steps, ..limit };
        Self { problem, goal, space, rules, limit, broken: Vec::new() }
    }

    /// Axioms that exclude everything: none can be left out, unless that takes too long to see.
    ///
    /// `blamed` were seen to exclude something; others may have too where the search looked ahead.
    pub(super) fn smallest(mut self, blamed: Vec<bool>, looked_ahead: bool) -> Core {
        let enough = if looked_ahead { self.complete(blamed) } else { Some(blamed) };
        match enough {
            Some(axioms) => self.minimize(axioms),
            None => self.all(),
        }
    }

    /// Axioms that exclude everything, from the first proof alone: all that demand anything where it
    /// looked ahead.
    pub(super) fn any(self, blamed: Vec<bool>, looked_ahead: bool) -> Core {
        if looked_ahead {
            return self.all();
        }
        let axioms = (0..blamed.len()).filter(|&axiom| blamed[axiom]).collect();
        Core { axioms, ..Core::default() }
    }

    /// The axioms that demand anything.
    fn all(&self) -> Core {
        let all = 0..self.rules.demands.len();
        let demanding = all.filter(|&a| self.rules.demands[a] != Demand::Nothing);
        Core { axioms: demanding.collect(), ..Core::default() }
    }

    /// Adds axioms until they exclude everything: each time one that excludes what the others let
    /// pass, the last one of the model, which is about the most. `None` when it takes too long.
    fn complete(&mut self, mut axioms: Vec<bool>) -> Option<Vec<bool>> {
        loop {
            match self.search(&axioms) {
                Outcome::None { .. } => return Some(axioms),
                Outcome::Found(choices) => {
                    let broken = self.breaks(*choices)?;
                    let more = broken.iter().copied().rfind(|&axiom| !axioms[axiom])?;
                    self.broken.push(broken);
                    axioms[more] = true;
                }
                Outcome::Stopped(_) => return None,
            }
        }
    }

    /// The axioms that an execution breaks.
    fn breaks(&self, choices: Choices) -> Option<Vec<usize>> {
        let execution = Execution::build(self.problem.graph, choices).ok()?;
        let broken = recheck(self.problem.model, &execution).broken;
        Some(broken.into_iter().map(|failure| failure.axiom).collect())
    }

    /// Whether an execution is known that of these axioms only this one excludes.
    fn is_needed(&self, axiom: usize, axioms: &[bool]) -> bool {
        let excludes = |broken: &Vec<usize>| broken.iter().filter(|&&a| axioms[a]).eq([&axiom]);
        self.broken.iter().any(excludes)
    }

    /// Drops axioms one by one while nothing is found.
    fn minimize(&mut self, mut axioms: Vec<bool>) -> Core {
        let mut minimal = true;
        for axiom in 0..axioms.len() {
            if !axioms[axiom] || self.is_needed(axiom, &axioms) {
                continue;
            }
            axioms[axiom] = false;
            match self.search(&axioms) {
                // What excluded something in this proof is enough for it.
                Outcome::None { blamed, looked_ahead: false } => axioms = blamed,
                Outcome::None { .. } => {}
                Outcome::Found(_) => axioms[axiom] = true,
                Outcome::Stopped(_) => {
                    axioms[axiom] = true;
                    minimal = false;
                }
            }
        }
        let axioms = (0..axioms.len()).filter(|&a| axioms[a]).collect();
        Core { axioms, minimal, ..Core::default() }
    }

    /// Searches with these axioms, within what is left of the limit.
    fn search(&mut self, axioms: &[bool]) -> Outcome {
        let (outcome, steps) = first(self.space, self.rules, axioms, self.goal, self.limit);
        self.limit.steps = self.limit.steps.saturating_sub(steps);
        outcome
    }
}
