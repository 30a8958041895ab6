//! The suite notices every wrong model: each mutant of the model gives some shipped test another
//! verdict, or says why it cannot.
//!
//! The whole of each changed model is left in `target/tmp/mutants`, for `--model`. With
//! `PTXMC_BLESS=1` the table in `paper-notes/mutants.md` is written anew.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::programs::{Sketch, sketch, small};
use crate::support;
use crate::support::mutants::{EXCUSES, Mutant, ORIGINAL, model_of, mutants};
use crate::support::random::{all_states, drawn};
use crate::support::table::{assert_current, some};
use crate::support::{litmus_files, parse, read};
use proptest::strategy::{Strategy, ValueTree};
use ptxmc::batch::{expectation, in_order};
use ptxmc::testing::check::{Settings, check};
use ptxmc::testing::engines::Choice;
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::verdict::Kind;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;

/// Tests that take seconds each, and kill nothing that others do not.
const SLOW: &[&str] = &[
    "mbarrier/producer-consumer",
    "mbarrier/producer-consumer+goes-through",
    "mbarrier/producer-consumer+no-empty",
];

/// A shipped test with its verdict under the model that mutants change.
struct Case {
    /// Its path in `litmus`, without the ending.
    name: String,
    test: Test,
    expected: Kind,
}

fn suite() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus");
    let cases: Vec<Case> = litmus_files(&folder)
        .iter()
        .map(|path| {
            let name = path.strip_prefix(&folder).expect("found in it").with_extension("");
            let test = read(path).expect("shipped tests are free of errors");
            let expected = expectation(&test, ORIGINAL, &[]).expect("a verdict");
            let expected = expected.unwrap_or_else(|| panic!("{} expects nothing", path.display()));
            Case { name: name.display().to_string(), test, expected }
        })
        .filter(|case| !SLOW.contains(&case.name.as_str()))
        .collect();
    assert!(cases.len() > 600, "found only {} tests", cases.len());
    cases
}

/// The tests that give another verdict under a mutant than under the model; one without a verdict
/// kills nothing.
fn killers_among<'s>(mutant: &Mutant, suite: &[&'s Case]) -> Vec<&'s str> {
    let model = model_of(mutant);
    let engine = Choice::Auto.engines().swap_remove(0);
    let settings = Settings::default().with_budget(support::limit(None, 20_000));
    suite
        .iter()
        .filter(|case| {
            let kind = check(&case.test, &model, engine.as_ref(), settings).verdict.kind();
            kind != case.expected && !matches!(kind, Kind::Unknown | Kind::Error)
        })
        .map(|case| case.name.as_str())
        .collect()
}

const INTRODUCTION: &str = "# Mutants

Each line is a wrong model: `models/mutants` changes one clause of [ptx-9.2.cat](../models/ptx-9.2.cat), in a way in which someone might misread the standard. The tests named give another verdict under it than under the model, so whoever makes this mistake is told. `cargo test --test it mutants::` leaves the whole changed models in `target/tmp/mutants`, where `ptxmc explain --model` can read them. The table is generated.
";

/// How far a program was looked for that tells an excused mutant from the model.
const SEARCHED: &str = "The others are excused below, each with an argument. Against it, each was tried on random programs over the whole supported instruction set: 2 or 3 threads of up to 3 instructions and 2 variables, and what templates add. It gave the final states of the model on all of 3,537 programs (seed 71). `excused_mutants_agree_on_random_programs` tries some each time, and more by `PTXMC_EXCUSED_CASES=10000 cargo test --release --test it excused`.";

/// The table: what kills each mutant, and why nothing kills the others.
fn table(mutants: &[Mutant], killed: &[Vec<&str>]) -> String {
    let mut out = INTRODUCTION.to_owned();
    let live = killed.iter().filter(|by| by.is_empty()).count();
    let _ = writeln!(out, "\nOf {} mutants, {} are killed.", mutants.len(), mutants.len() - live);
    out += "\n| clause | mutant | what it says | killed by |\n|---|---|---|---|\n";
    for (mutant, by) in mutants.iter().zip(killed).filter(|(_, by)| !by.is_empty()) {
        let _ = writeln!(out, "{}{} |", row(mutant), some(by));
    }
    let _ = writeln!(out, "\n{SEARCHED}");
    for excuse in EXCUSES {
        let _ = writeln!(out, "\n## {excuse}\n");
        out += match excuse {
            "Equivalent" => {
                "These are other ways to write the model: no program tells them apart.\n"
            }
            _ => "These change what programs that the tool reads cannot show yet.\n",
        };
        for mutant in mutants {
            let Some(why) = mutant.excuse.as_deref().and_then(|e| e.strip_prefix(excuse)) else {
                continue;
            };
            let why = why.strip_prefix(": ").unwrap_or(why.trim_start());
            let why = why[..1].to_uppercase() + &why[1..];
            let _ = writeln!(
                out,
                "\n**`{}`** ({}). {} {why}",
                mutant.name,
                mutant.clause,
                sentence(&mutant.change)
            );
        }
    }
    out
}

/// `text` with a capital.
fn sentence(text: &str) -> String {
    match text.strip_prefix('`') {
        Some(_) => text.to_owned(),
        None => text[..1].to_uppercase() + &text[1..],
    }
}

/// The row of a mutant that is killed, up to its killers.
fn row(mutant: &Mutant) -> String {
    let change = mutant.change.replace('|', "\\|");
    format!("| {} | `{}` | {change} | ", mutant.clause, mutant.name)
}

/// The killers that the table names still kill; a mutant that is in no row has an excuse there.
#[test]
fn the_killers_of_the_table_kill() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("paper-notes/mutants.md");
    let notes = std::fs::read_to_string(path).expect("the table is there");
    let (mutants, suite) = (mutants(), suite());
    let (mut named, mut complaints) = (0, String::new());
    for mutant in &mutants {
        let killers = notes.lines().find_map(|line| line.strip_prefix(&row(mutant)));
        match (killers, &mutant.excuse) {
            (Some(_), Some(_)) => {
                let _ = writeln!(complaints, "{}: killed, and excused", mutant.name);
            }
            (None, None) => {
                let _ = writeln!(complaints, "{}: not in paper-notes/mutants.md", mutant.name);
            }
            (None, Some(_))
                if !notes.contains(&format!("**`{}`** ({})", mutant.name, mutant.clause)) =>
            {
                let _ = writeln!(
                    complaints,
                    "{}: its excuse is not in paper-notes/mutants.md",
                    mutant.name
                );
            }
            (None, Some(_)) => {}
            (Some(killers), None) => {
                let names: Vec<&str> = killers.split('`').skip(1).step_by(2).collect();
                named += names.len();
                let of_row = |case: &&Case| names.contains(&case.name.as_str());
                let cases: Vec<&Case> = suite.iter().filter(of_row).collect();
                let killing = killers_among(mutant, &cases);
                for name in names.iter().filter(|name| !killing.contains(name)) {
                    let _ = writeln!(complaints, "{}: {name} does not kill it", mutant.name);
                }
            }
        }
    }
    assert!(named > mutants.len(), "the table names only {named} killers");
    assert!(complaints.is_empty(), "\n{complaints}");
}

#[test]
#[ignore = "nightly: the whole suite under every mutant"]
fn every_mutant_is_killed() {
    let (mutants, suite) = (mutants(), suite());
    assert!(mutants.len() >= 60, "found only {} mutants", mutants.len());
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let suite: Vec<&Case> = suite.iter().collect();
    let mut killed = Vec::new();
    in_order(
        mutants.len(),
        jobs,
        |index| killers_among(&mutants[index], &suite),
        |_, by| {
            killed.push(by);
            ControlFlow::Continue(())
        },
    );
    let mut complaints = String::new();
    for (mutant, by) in mutants.iter().zip(&killed) {
        match (&mutant.excuse, by.first()) {
            (None, None) => {
                let _ = writeln!(complaints, "{}: no test notices it", mutant.name);
            }
            (Some(_), Some(test)) => {
                let _ =
                    writeln!(complaints, "{}: {test} kills it, against its excuse", mutant.name);
            }
            _ => {}
        }
    }
    assert!(complaints.is_empty(), "\n{complaints}");
    assert_current("mutants.md", &table(&mutants, &killed));
}

/// Two files that make the same model would count one mistake twice.
#[test]
fn mutants_differ() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mutants");
    std::fs::create_dir_all(&folder).expect("a writable folder");
    let mut models = BTreeSet::new();
    for mutant in mutants() {
        let path = folder.join(format!("{}.cat", mutant.name));
        std::fs::write(path, &mutant.text).expect("a writable folder");
        let model = model_of(&mutant);
        assert!(models.insert(model.fingerprint()), "{}: another mutant is the same", mutant.name);
    }
    assert!(!models.contains(&support::model(ORIGINAL).fingerprint()), "a mutant changes nothing");
}

/// Whoever claims that no program tells a mutant from the model gets no help from random programs;
/// `PTXMC_EXCUSED_CASES` and `PTXMC_EXCUSED_SEED` try others.
#[test]
fn excused_mutants_agree_on_random_programs() {
    let (cases, mut runner) = drawn("EXCUSED");
    let excused: Vec<(String, Model)> = mutants()
        .into_iter()
        .filter(|m| m.excuse.is_some())
        .map(|m| (m.name.clone(), model_of(&m)))
        .collect();
    let original = support::model(ORIGINAL);
    // Compiled models are kept from one program to the next.
    let engine = SearchEngine::default();
    let strategy = sketch(small());
    let (mut programs, mut compared) = (0, 0);
    let mut complaints = String::new();
    for _ in 0..cases {
        let program: Sketch = strategy.new_tree(&mut runner).expect("a program").current();
        let test = parse("random.litmus", program.text().as_bytes()).expect("sketches are tests");
        let listed = |model| all_states(&test, model, &engine, Settings::default());
        let Some(expected) = listed(&original) else { continue };
        programs += 1;
        for (name, model) in &excused {
            let Some(found) = listed(model) else { continue };
            compared += 1;
            if found != expected {
                let _ = writeln!(complaints, "{name} shows in:\n{}", program.text());
            }
        }
    }
    println!("{} mutants, {programs} programs, {compared} comparisons", excused.len());
    assert!(complaints.is_empty(), "{complaints}");
    assert!(compared > cases, "only {compared} comparisons");
}
