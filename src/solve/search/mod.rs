//! The search engine: explicit choices over bit matrices, pruned by bounds.
//!
//! The engine decides models whose axioms are prohibitions, productions and choices; other models
//! are left to a solver. Every answer agrees with the reference engine's.

mod barrier_phases;
mod barrier_results;
mod candidates;
mod compile;
mod core;
mod free_values;
mod guarded;
mod lookahead;
mod matrix;
mod orders;
mod reads;
mod related;
mod rules;
mod specialization;
mod state;
mod symmetry;
mod value_sets;
mod well_founded;

use self::core::Proofs;
use self::matrix::Pool;
use super::{Answer, Budget, Core, Cores, Engine, Goal, Problem, States};
use crate::execution::build::{Choices, Execution};
use crate::relation::expr::Node;
use crate::relation::specialize::specialize;
use crate::relation::thin_air::thin_air;
use crate::rule::Unsupported;
use candidates::Space;
use related::related;
use rules::Rules;
use rustc_hash::FxHashMap;
pub(crate) use specialization::Shape;
use state::{Limit, Search, Stop};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, RwLock};

/// The search engine; compiled models are kept for the next program of the same shape.
#[derive(Debug, Default)]
pub struct SearchEngine {
    compiled: RwLock<FxHashMap<(u64, Shape), Compiled>>,
    pool: Arc<Pool>,
    explored: AtomicU64,
    cores: Cores,
}

/// A compiled model, or the reason why it cannot be searched.
type Compiled = Arc<Result<Rules, Unsupported>>;

impl SearchEngine {
    /// An engine that puts this much work into cores.
    #[must_use]
    pub fn with_cores(cores: Cores) -> Self {
        Self { cores, ..Self::default() }
    }

    /// The number of search nodes of all questions so far, except proofs of smaller cores.
    #[must_use]
    pub fn explored(&self) -> u64 {
        self.explored.load(Ordering::Relaxed)
    }

    /// The model compiled for programs like this one.
    fn rules(&self, problem: Problem<'_>) -> Compiled {
        let shape = Shape::of(problem.graph);
        let key = (problem.model.fingerprint(), shape);
        if let Some(known) = self.compiled.read().ok().and_then(|map| map.get(&key).cloned()) {
            return known;
        }
        let model = specialize(problem.model, |node| shape.replacement(node));
        // Dependencies of which the program has none are gone from the model for its shape.
        let thin_air = thin_air(problem.model).map(|mut rule| {
            rule.dependencies.retain(|&r| shape.replacement(Node::Rel(r)).is_none());
            rule
        });
        let rules = Arc::new(Rules::new(&model, thin_air, &self.pool));
        let Ok(mut map) = self.compiled.write() else { return rules };
        // Many shapes differ in base names that the model does not use. One copy for all of them
        // stays in the processor's cache.
        let same = |known: &&Compiled| match (known.as_ref(), rules.as_ref()) {
            (Ok(known), Ok(new)) => known.say_the_same(new),
            _ => false,
        };
        let rules = Arc::clone(map.values().find(same).unwrap_or(&rules));
        map.insert(key, Arc::clone(&rules));
        rules
    }
}

impl Engine for SearchEngine {
    fn name(&self) -> &'static str {
        "search"
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        if let Goal::Related(pairs) = goal {
            return related(self, problem, pairs, Limit::new(budget));
        }
        let rules = self.rules(problem);
        let rules = match rules.as_ref() {
            Ok(rules) => rules,
            Err(why) => return Answer::Unsupported(why.clone()),
        };
        let space = Space::new(problem.graph, rules, goal);
        let limit = Limit::new(budget);
        let active = vec![true; rules.demands.len()];
        let (outcome, steps) = first(&space, rules, &active, goal, limit);
        self.explored.fetch_add(steps, Ordering::Relaxed);
        match outcome {
            Outcome::Found(choices) if invents(problem, rules, &choices) => {
                Answer::Unsupported(Unsupported::SelfJustified)
            }
            Outcome::Found(choices) => Answer::Yes(choices),
            Outcome::None { .. } if !goal.wants_core() => Answer::No(Core::default()),
            Outcome::None { blamed, looked_ahead } => {
                let proofs = Proofs::new(problem, goal, &space, rules, limit, steps, self.cores);
                Answer::No(match self.cores {
                    Cores::Minimal | Cores::Patient => proofs.smallest(blamed, looked_ahead),
                    Cores::FirstProof => proofs.any(blamed, looked_ahead),
                })
            }
            Outcome::Stopped(Stop::Gave(why)) => Answer::Unknown(why),
            Outcome::Stopped(Stop::Unsupported(why)) => Answer::Unsupported(why),
            Outcome::Stopped(Stop::Found) => unreachable!("a search that found something says so"),
        }
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
        let rules = self.rules(problem);
        let rules = rules.as_ref().as_ref().map_err(Clone::clone)?;
        let space = Space::new(problem.graph, rules, Goal::Complete);
        let active = vec![true; rules.demands.len()];
        let limit = Limit::new(budget);
        let mut states = States::default();
        let mut found: std::collections::BTreeMap<Vec<u128>, Choices> =
            std::collections::BTreeMap::new();
        let mut search = Search::new(&space, rules, &active, Goal::Complete, limit);
        let result = search.run(&mut |search, choices| {
            if invents(problem, rules, &choices) {
                return Err(Stop::Unsupported(Unsupported::SelfJustified));
            }
            let observed = problem.graph.observed.iter();
            let state: Option<Vec<u128>> = observed.map(|o| search.values.get(o.value)).collect();
            let state = state.ok_or(Stop::Unsupported(Unsupported::Uncomputed))?;
            found.entry(state).or_insert(choices);
            Ok(())
        });
        if search.sampled {
            return Err(Unsupported::UnknownValues);
        }
        match result {
            Ok(()) | Err(Stop::Found) => {}
            Err(Stop::Gave(why)) => states.incomplete = Some(why),
            Err(Stop::Unsupported(why)) => return Err(why),
        }
        states.states = found.into_iter().collect();
        Ok(states)
    }
}

/// Whether an execution takes a value from the goal that no event computes. An axiom against values
/// out of thin air would have excluded it.
fn invents(problem: Problem<'_>, rules: &Rules, choices: &Choices) -> bool {
    rules.thin_air.is_none() && Execution::assemble(problem.graph, choices.clone()).is_err()
}

enum Outcome {
    Found(Box<Choices>),
    /// No execution; with the axioms seen to exclude candidates, and whether others may have
    /// excluded some, too.
    None {
        blamed: Vec<bool>,
        looked_ahead: bool,
    },
    Stopped(Stop),
}

/// The first execution that the active axioms admit, and the number of nodes visited.
fn first(
    space: &Space<'_>,
    rules: &Rules,
    active: &[bool],
    goal: Goal,
    limit: Limit,
) -> (Outcome, u64) {
    let mut search = Search::new(space, rules, active, goal, limit);
    let mut found = None;
    let result = search.run(&mut |_, choices| {
        found = Some(Box::new(choices));
        Err(Stop::Found)
    });
    let outcome = match (result, found) {
        (_, Some(choices)) => Outcome::Found(choices),
        (Err(stop), None) => Outcome::Stopped(stop),
        (Ok(()), None) if search.is_partial() => {
            Outcome::Stopped(Stop::Unsupported(Unsupported::UnknownValues))
        }
        (Ok(()), None) => Outcome::None {
            looked_ahead: search.looked_ahead,
            blamed: std::mem::take(&mut search.blamed),
        },
    };
    (outcome, search.steps)
}
