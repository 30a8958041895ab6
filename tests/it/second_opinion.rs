//! The axioms of PTX 9.2 in Rust against the model `ptx-9.2` in cat, on candidate executions.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::axioms::{knows, opinion};
use crate::programs::asynchronous::{Pipeline, pipelines};
use crate::programs::{large, sketch, small};
use crate::support::random::drawn;
use crate::support::{corpus, limit, litmus_files, model, parse, read};
use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::TestRunner;
use ptxmc::testing::check::{Settings, graph_of};
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::relation::axiom::failures;
use ptxmc::testing::relation::eval::Evaluator;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::enumerate::every_candidate;
use std::collections::BTreeSet;
use std::path::Path;

/// Steps of the enumeration for each test; larger tests are compared in part.
const STEPS: u64 = 1_000;

/// One candidate with many pieces and final writes is many executions: the rest is left out.
const MILLISECONDS: u64 = 1_000;

/// How many candidates of a test were compared, or the first on which the two disagree.
fn compare(name: &str, test: &Test, model: &Model, milliseconds: u64) -> Result<usize, String> {
    let graph = graph_of(test, model, Settings::default().with_bound(2));
    if !knows(&graph) {
        return Ok(0);
    }
    let race = model.definition("race").expect("a model with races");
    let roots: Vec<_> = model.axioms.iter().map(|a| a.node).chain([race]).collect();
    let mut evaluator = Evaluator::new(&model.arena, &roots, graph.events.len());
    let mut compared = 0;
    let mut difference = None;
    let budget = limit(Some(STEPS), milliseconds);
    let _limit = every_candidate(&graph, budget, |execution| {
        if difference.is_some() {
            return;
        }
        compared += 1;
        let values = evaluator.evaluate(execution);
        let cat = failures(model, values);
        let cat: BTreeSet<&str> = cat.iter().map(|f| model.axioms[f.axiom].name.as_str()).collect();
        let opinion = opinion(execution);
        let rust: BTreeSet<&str> = opinion.broken.iter().map(|a| a.name()).collect();
        if cat != rust {
            difference =
                Some(format!("{name}: cat {cat:?}, Rust {rust:?}\n{:?}", execution.choices));
        }
        let races: Vec<_> = values.relation(race).iter_pairs().collect();
        if cat.is_empty() && races != opinion.races {
            let rust = &opinion.races;
            difference =
                Some(format!("{name}: races {races:?}, Rust {rust:?}\n{:?}", execution.choices));
        }
    });
    difference.map_or(Ok(compared), Err)
}

/// Compares one test of so many in a folder.
fn compare_all(folder: &Path, one_of: usize) {
    let model = model("ptx-9.2");
    let mut compared = 0;
    let mut complaints = Vec::new();
    for path in litmus_files(folder).iter().step_by(one_of) {
        match read(path)
            .and_then(|test| compare(&path.to_string_lossy(), &test, &model, MILLISECONDS))
        {
            Ok(count) => compared += count,
            Err(message) => complaints.push(message),
        }
    }
    println!("{}: {compared} candidates", folder.display());
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
    assert!(compared > 0, "nothing to compare");
}

/// The shipped tests, and those of others where they are: of each folder, one test of so many.
fn compare_suites(one_of: usize) {
    compare_all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus"), one_of);
    for folder in ["reference", "dat3m/Manual"] {
        if let Some(folder) = corpus(folder) {
            compare_all(&folder, one_of);
        }
    }
}

#[test]
fn suites() {
    compare_suites(10);
}

#[test]
#[ignore = "nightly: all candidate executions of whole suites"]
fn whole_suites() {
    compare_suites(1);
}

#[test]
fn random_programs() {
    let model = model("ptx-9.2");
    let mut runner = TestRunner::deterministic();
    let mut compared = 0;
    for profile in [small(), large()] {
        let programs = sketch(profile);
        for _ in 0..100 {
            let text = programs.new_tree(&mut runner).expect("a program").current().text();
            let test = parse("random.litmus", text.as_bytes()).expect("a test");
            compared += compare(&text, &test, &model, MILLISECONDS)
                .unwrap_or_else(|error| panic!("{error}"));
        }
    }
    println!("random programs: {compared} candidates");
    assert!(compared > 0, "nothing to compare");
}

/// Random programs with asynchronous operations: so many, as `PTXMC_COPIES_CASES` says, of this seed.
#[test]
fn random_copies() {
    let model = model("ptx-9.2");
    let (cases, mut runner) = drawn("COPIES");
    let (mut compared, mut differences) = (0, Vec::new());
    let strategy = pipelines();
    for _ in 0..cases {
        let pipeline = strategy.new_tree(&mut runner).expect("a program").current();
        let opinions = |p: &Pipeline| {
            let text = p.text();
            let test = parse("pipeline.litmus", text.as_bytes()).ok()?;
            Some(compare(&text, &test, &model, MILLISECONDS / 4))
        };
        match opinions(&pipeline).expect("a test") {
            Ok(count) => compared += count,
            Err(_) => {
                let small = pipeline.smallest(|p| matches!(opinions(p), Some(Err(_))));
                differences.extend(opinions(&small).expect("a test").err());
            }
        }
    }
    println!("random copies: {compared} candidates of {cases} programs");
    assert!(differences.is_empty(), "{}: {}", differences.len(), differences.join("\n\n"));
    assert!(compared > 0, "nothing to compare");
}
