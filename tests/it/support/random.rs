//! Random programs by seed, and their final states.

use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use ptxmc::testing::check::{Settings, states};
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::Budget;
use ptxmc::testing::solve::search::SearchEngine;
use std::collections::BTreeSet;

/// How many cases a run draws, and what draws them: `PTXMC_<name>_CASES` and `PTXMC_<name>_SEED`
/// say it, else 60 and 1.
pub fn drawn(name: &str) -> (u64, TestRunner) {
    let parameter = |what: &str, default: u64| {
        let value = std::env::var(format!("PTXMC_{name}_{what}")).ok();
        value.map_or(default, |value| value.parse().expect("a number"))
    };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&parameter("SEED", 1).to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    (parameter("CASES", 60), TestRunner::new_with_rng(Config::default(), rng))
}

/// The final states of a program; `None` where they are too many to list.
pub fn all_states(
    test: &Test,
    model: &Model,
    engine: &SearchEngine,
    settings: Settings,
) -> Option<BTreeSet<Vec<u128>>> {
    let budget = Budget::default().at_most(5_000);
    let (found, _) = states(test, model, engine, settings.with_budget(budget)).ok()?;
    let complete = found.incomplete.is_none();
    complete.then(|| found.states.into_iter().map(|(state, _)| state).collect())
}
