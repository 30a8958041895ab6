//! Unsatisfiable cores: the axioms that exclude the goal of a search.

use super::candidates::Space;
use super::rules::{Demand, Rules};
use super::state::Limit;
use super::{Outcome, first};
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::solve::{Core, Cores, Goal, Problem};

/// The most search nodes for minimizing a core: a number, and a multiple of the first proof's
/// nodes.
const ALLOWANCE: (u64, u64) = (200, 1);

/// As [`ALLOWANCE`] with patience, for a program of one event. The first number is divided by the
/// number of events, since a node takes longer in larger programs.
const PATIENCE: (u64, u64) = (1_000_000, 4);

/// Searches with subsets of the axioms.
pub(super) struct Proofs<'p> {
    problem: Problem<'p>,
    goal: Goal,
    space: &'p Space<'p>,
    rules: &'p Rules,
    limit: Limit,
    /// For each execution found that reaches the goal, the axioms that it breaks: a core has one of
    /// each set.
    broken: Vec<Vec<usize>>,
}

impl<'p> Proofs<'p> {
    /// Further searches after one with this many nodes.
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

    /// A minimal set of axioms that exclude the goal; perhaps not minimal if minimizing takes too long.
    ///
    /// The `blamed` axioms are known to have excluded a candidate; if the search looked ahead, others may
    /// have excluded candidates as well.
    pub(super) fn smallest(mut self, blamed: Vec<bool>, looked_ahead: bool) -> Core {
        let enough = if looked_ahead { self.complete(blamed) } else { Some(blamed) };
        match enough {
            Some(axioms) => self.minimize(axioms),
            None => self.all(),
        }
    }

    /// Axioms that exclude the goal, from the first proof alone: all axioms with a demand if it
    /// looked ahead.
    pub(super) fn any(self, blamed: Vec<bool>, looked_ahead: bool) -> Core {
        if looked_ahead {
            return self.all();
        }
        let axioms = (0..blamed.len()).filter(|&axiom| blamed[axiom]).collect();
        Core { axioms, ..Core::default() }
    }

    /// The axioms with a demand.
    fn all(&self) -> Core {
        let all = 0..self.rules.demands.len();
        let demanding = all.filter(|&a| self.rules.demands[a] != Demand::Nothing);
        Core { axioms: demanding.collect(), ..Core::default() }
    }

    /// Adds axioms until they exclude the goal. Each added axiom excludes an execution that the
    /// others admit. The last such axiom of the model is preferred, since it covers the most.
    /// `None` if it takes too long.
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

    /// Whether a known execution is excluded by this axiom alone among these.
    fn is_needed(&self, axiom: usize, axioms: &[bool]) -> bool {
        let excludes = |broken: &Vec<usize>| broken.iter().filter(|&&a| axioms[a]).eq([&axiom]);
        self.broken.iter().any(excludes)
    }

    /// Drops axioms one by one as long as no execution is found.
    fn minimize(&mut self, mut axioms: Vec<bool>) -> Core {
        let mut minimal = true;
        for axiom in 0..axioms.len() {
            if !axioms[axiom] || self.is_needed(axiom, &axioms) {
                continue;
            }
            axioms[axiom] = false;
            match self.search(&axioms) {
                // The axioms that excluded candidates in this proof are enough for it.
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

    /// Searches with these axioms, within the rest of the limit.
    fn search(&mut self, axioms: &[bool]) -> Outcome {
        let (outcome, steps) = first(self.space, self.rules, axioms, self.goal, self.limit);
        self.limit.steps = self.limit.steps.saturating_sub(steps);
        outcome
    }
}
