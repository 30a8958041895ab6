//! All engines give the same answers: on random programs, under every built-in model.
//!
//! `PTXMC_DIFFERENTIAL_CASES` and `PTXMC_DIFFERENTIAL_SEED` make a run longer or another one. A
//! program on which engines disagree is made small and written to `target/differential`.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

mod programs;
mod support;

use programs::{Profile, Sketch, large, sketch, small};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use ptxmc::cat::BUILTIN;
use ptxmc::check::{Settings, check, states};
use ptxmc::litmus::ast::Test;
use ptxmc::relation::expr::Model;
use ptxmc::solve::enumerate::{Cores, Enumerate};
use ptxmc::solve::search::SearchEngine;
use ptxmc::solve::{Budget, Engine};
use std::cell::Cell;
use std::collections::BTreeSet;
use std::path::Path;
use support::{model, parse};

/// The engines to compare, each with what it may spend on a question.
fn engines() -> Vec<(Box<dyn Engine>, Budget)> {
    let steps = Budget { steps: Some(20_000), ..Budget::default() };
    let enumerate: Box<dyn Engine> = Box::new(Enumerate { cores: Cores::All });
    #[cfg(feature = "z3")]
    let time = Budget { milliseconds: Some(1_000), ..Budget::default() };
    vec![
        (enumerate, steps),
        (Box::<SearchEngine>::default(), steps),
        #[cfg(feature = "z3")]
        (Box::<ptxmc::solve::z3::Z3Engine>::default(), time),
    ]
}

fn parameter(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().map_or(default, |value| value.parse().expect("a number"))
}

type State = Vec<(String, u128)>;

/// The final states of a test; `None` where the engine could not list them all.
fn all_states(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    budget: Budget,
) -> Option<BTreeSet<State>> {
    let settings = Settings { budget, ..Settings::default() };
    let (found, graph) = states(test, model, engine, settings).ok()?;
    let named = |(state, _): &(Vec<u128>, _)| {
        graph.observed.iter().map(|o| o.name.clone()).zip(state.iter().copied()).collect()
    };
    found.incomplete.is_none().then(|| found.states.iter().map(named).collect())
}

/// The word for the verdict on a test; `None` where an engine gave up.
fn verdict(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    budget: Budget,
) -> Option<(&'static str, String)> {
    use ptxmc::verdict::{Undecided, Verdict};
    let settings = Settings { budget, ..Settings::default() };
    match check(test, model, engine, settings).verdict {
        Verdict::Unknown(Undecided::Engine(_) | Undecided::Unsupported(_)) => None,
        verdict => Some((verdict.kind().name(), format!("{verdict:?}"))),
    }
}

/// Final states are compared where the reference engine finds at most this many: an engine that
/// asks a solver for one after the other needs seconds for thousands.
const STATES: usize = 60;

/// Whether all engines agree on a program under a model; how many answers were compared.
fn agree(sketch: &Sketch, model: &Model) -> Result<usize, String> {
    let test = parse("random.litmus", sketch.text().as_bytes())?;
    let mut compared = 0;
    let mut known: Option<(&'static str, BTreeSet<State>)> = None;
    for (engine, budget) in engines() {
        let Some(found) = all_states(&test, model, engine.as_ref(), budget) else { break };
        if found.len() > STATES {
            break;
        }
        if let Some((other, states)) = &known {
            compared += 1;
            if *states != found {
                let only = |a: &BTreeSet<State>, b| a.difference(b).cloned().collect::<Vec<_>>();
                return Err(format!(
                    "{}: only {other} has {:?}, only {} has {:?}",
                    model.name,
                    only(states, &found),
                    engine.name(),
                    only(&found, states)
                ));
            }
        } else {
            known = Some((engine.name(), found));
        }
    }
    let states = known.map(|(_, states)| states).unwrap_or_default();
    for question in questions(sketch, &states) {
        compared += same_verdict(&question, model)?;
    }
    Ok(compared)
}

/// Tests worth asking: for a final state, and for one that mixes two of them.
fn questions(sketch: &Sketch, states: &BTreeSet<State>) -> Vec<String> {
    let (Some(first), Some(last)) = (states.first(), states.last()) else {
        return vec![sketch.text()];
    };
    let name = |(name, value): &(String, u128)| match name.split_once(':') {
        Some((thread, register)) => (format!("{thread}:%{register}"), *value),
        None => (name.clone(), *value),
    };
    let mixed = first.iter().zip(last).enumerate();
    let mixed = mixed.map(|(at, (a, b))| name(if at % 2 == 0 { a } else { b }));
    let last: State = last.iter().map(name).collect();
    vec![sketch.asking_for(&last), sketch.asking_for(&mixed.collect::<State>())]
}

fn same_verdict(text: &str, model: &Model) -> Result<usize, String> {
    let test = parse("random.litmus", text.as_bytes())?;
    let mut known: Option<(&'static str, (&'static str, String))> = None;
    let mut compared = 0;
    for (engine, budget) in engines() {
        let Some(found) = verdict(&test, model, engine.as_ref(), budget) else { continue };
        if found.0 == "error" {
            return Err(format!("{}: {} says {}\n{text}", model.name, engine.name(), found.1));
        }
        match &known {
            Some((other, verdict)) if verdict.0 != found.0 => {
                let name = engine.name();
                return Err(format!(
                    "{}: {other} says {}, {name} {}\n{text}",
                    model.name, verdict.1, found.1
                ));
            }
            Some(_) => compared += 1,
            None => known = Some((engine.name(), found)),
        }
    }
    Ok(compared)
}

/// Compares engines on random programs of a profile.
fn run(name: &str, profile: Profile, cases: u64) {
    let cases = parameter("PTXMC_DIFFERENTIAL_CASES", cases);
    let seed = parameter("PTXMC_DIFFERENTIAL_SEED", 1);
    let models: Vec<Model> = BUILTIN.iter().map(|b| model(b.name)).collect();
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: u32::try_from(cases).expect("fewer cases"),
        failure_persistence: None,
        max_shrink_iters: 2_000,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let compared = Cell::new(0);
    let result = TestRunner::new_with_rng(config, rng).run(&sketch(profile), |sketch| {
        for model in &models {
            let answers = agree(&sketch, model).map_err(TestCaseError::fail)?;
            compared.set(compared.get() + answers);
        }
        Ok(())
    });
    println!("{name}: seed {seed}, {cases} programs, {} answers compared", compared.get());
    match result {
        Ok(()) => assert!(engines().len() < 2 || compared.get() > 0, "nothing was compared"),
        Err(TestError::Fail(reason, sketch)) => {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/differential");
            std::fs::create_dir_all(&folder).expect("a folder for the program");
            let path = folder.join(format!("{name}-{seed}.litmus"));
            std::fs::write(&path, sketch.text()).expect("a file for the program");
            panic!("{}\n{}\n{reason}", path.display(), sketch.text());
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn small_programs() {
    run("small", small(), 200);
}

#[test]
fn large_programs() {
    run("large", large(), 50);
}

#[test]
fn sketches_are_tests() {
    let mut runner = TestRunner::deterministic();
    for profile in [small(), large()] {
        let strategy = sketch(profile);
        for _ in 0..200 {
            let sketch = strategy.new_tree(&mut runner).expect("a program").current();
            parse("random.litmus", sketch.text().as_bytes())
                .unwrap_or_else(|e| panic!("{e}\n{sketch:?}"));
        }
    }
}
