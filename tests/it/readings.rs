//! Every shipped test under every reading of the standard: a test whose verdict a reading changes
//! says so, and every reading changes some.

use crate::programs::{Sketch, cyclic, sketch, small};
use crate::support;
use crate::support::random::{all_states, drawn};
use crate::support::{litmus_files, parse, read};
use proptest::strategy::{Strategy, ValueTree};
use ptxmc::batch::{expectation, in_order};
use ptxmc::testing::check::{Settings, check};
use ptxmc::testing::engines::Choice;
use ptxmc::testing::event::unfold::Tearing;
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::program::reading::Readings;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Budget, Engine};
use ptxmc::testing::verdict::Kind;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::Path;

const MODEL: &str = "ptx-9.2";

/// The readings that no test tells from the default: `paper-notes/readings.md` proves the first
/// (V6); no operation that the tool reads yet uses the proxies that the second is about (V14).
const ALIKE: &[&str] = &["fence-sc=causality", "proxy-fence-cta=any"];

/// Readings that mean more together with another one.
const BESIDE: &[(&str, &str)] = &[("observes=any-byte", "tearing=byte")];

/// The tests that are about readings, the standard's own, and those that tell models apart.
const CORE: &[&str] = &["litmus/readings", "litmus/standard", "litmus/discriminators"];

/// The reading that takes all words apart makes programs many times larger: core tests only.
const SLOW: &str = "tearing=byte";

/// What a reading may do to a verdict. Those that are not named do both.
const FORBID: &[&str] = &[
    "co=total",
    "mbarrier-arrive=acquires",
    "nta=syntactic",
    "observes=any-byte",
    "pattern-ends=any",
    "pattern-location=physical",
    "red-acq=yes",
    "restricted-fence=path",
];
/// See [`FORBID`].
const ALLOW: &[&str] = &[
    "acq-fence=acquire-only",
    "barrier=own-accesses",
    "fence-proxy=required",
    "mbarrier-reuse=cta",
    "nta=value",
    "observation=no-red",
    "rmw=8.10.3",
    "sc-fence=not-acq-rel",
    "scloc=pairwise",
    "sink-atom=red",
    "tearing=byte",
    "vector=unordered",
    "warp-sync=none",
];

/// One reading other than the default, or several together.
struct Reading {
    names: Vec<String>,
    model: Model,
    settings: Settings,
}

impl Reading {
    fn of(names: &[&str]) -> Self {
        let mut settings = Settings::default();
        let mut variants = BTreeSet::new();
        for name in names {
            let (key, value) = name.split_once('=').expect("NAME=VALUE");
            match settings.readings.with(key, value) {
                Some(readings) => settings.readings = readings,
                None if *name == "tearing=byte" => settings.tearing = Tearing::Byte,
                None => assert!(variants.insert((*name).to_owned()), "{name} twice"),
            }
        }
        let loaded = support::load(MODEL, variants);
        let names = names.iter().map(|&name| name.to_owned()).collect();
        Self { names, model: loaded.model, settings }
    }

    fn verdict(&self, test: &Test, engine: &dyn Engine, budget: Budget) -> Kind {
        check(test, &self.model, engine, self.settings.with_budget(budget)).verdict.kind()
    }

    fn expected(&self, test: &Test) -> Kind {
        let expected = expectation(test, MODEL, &self.names).expect("a verdict");
        expected.unwrap_or_else(|| panic!("{} expects nothing", test.name))
    }
}

/// Every reading that is not the default, alone.
fn names() -> Vec<String> {
    let of_model = support::load(MODEL, BTreeSet::new()).variants;
    let of_programs = Readings::NAMES
        .iter()
        .flat_map(|(name, values)| values[1..].iter().map(move |value| format!("{name}={value}")));
    let all: Vec<String> =
        of_model.into_iter().chain(of_programs).chain(["tearing=byte".to_owned()]).collect();
    assert!(all.len() > 25, "{all:?}");
    all
}

/// Every reading that is not the default, alone and where it shows.
fn readings() -> Vec<Reading> {
    let names = names();
    let together = BESIDE.iter().map(|&(name, other)| Reading::of(&[name, other]));
    names.iter().map(|name| Reading::of(&[name.as_str()])).chain(together).collect()
}

fn tests(folders: &[&str]) -> Vec<(String, Test)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = folders.iter().flat_map(|folder| litmus_files(&root.join(folder)));
    files
        .map(|path| {
            let name = path.strip_prefix(root).expect("found in it").display().to_string();
            (name, read(&path).expect("shipped tests are free of errors"))
        })
        .collect()
}

fn auto() -> Box<dyn Engine> {
    Choice::Auto.engines().swap_remove(0)
}

/// Which tests a reading is asked of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    /// Those that have an expectation of their own under the reading.
    Naming,
    /// All of them: the reading changes no verdict of those that say nothing of it.
    Every,
}

/// How long an engine may take for a question.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Patience {
    /// As long as a user lets it.
    Endless,
    /// A moment; then it is not asked for more.
    Short,
}

impl Patience {
    fn budget(self) -> Budget {
        match self {
            Self::Endless => Settings::default().budget,
            Self::Short => support::limit(None, 300),
        }
    }
}

impl Asked {
    fn takes(self, test: &Test, reading: &Reading) -> bool {
        let key = format!("Expect[{}]", reading.names.join(","));
        self == Self::Every || test.metadata(&key).is_some()
    }
}

/// The tests of these folders under all readings, by an engine that is asked of some of them.
fn surprises(
    folders: &[&str],
    asked: Asked,
    engine: fn() -> Box<dyn Engine>,
    patience: Patience,
) -> String {
    let (tests, readings) = (tests(folders), readings());
    assert!(tests.len() > 100, "found only {} tests", tests.len());
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let mut out = String::new();
    let of_reading = |index: usize| {
        let (reading, engine) = (&readings[index], engine());
        let mut out = String::new();
        let torn = reading.names.iter().any(|name| name == SLOW);
        let core = |name: &String| CORE.iter().any(|folder| name.starts_with(folder));
        for (name, test) in tests.iter().filter(|(name, _)| !torn || core(name)) {
            if !asked.takes(test, reading) {
                continue;
            }
            let wanted = reading.expected(test);
            let kind = reading.verdict(test, engine.as_ref(), patience.budget());
            if kind != wanted && !(patience == Patience::Short && kind == Kind::Unknown) {
                let names = reading.names.join(",");
                let (kind, wanted) = (kind.name(), wanted.name());
                let _ = writeln!(out, "{name}: {kind} under {names}, expected {wanted}");
            }
        }
        out
    };
    in_order(readings.len(), jobs, of_reading, |_, found| {
        out += &found;
        ControlFlow::Continue(())
    });
    out
}

#[test]
fn tests_are_right_about_the_readings_that_they_name() {
    let surprises = surprises(&["litmus"], Asked::Naming, auto, Patience::Endless);
    assert!(surprises.is_empty(), "\n{surprises}");
}

#[test]
#[ignore = "nightly: the whole suite under every reading"]
fn every_test_says_what_a_reading_changes() {
    let surprises = surprises(&["litmus"], Asked::Every, auto, Patience::Endless);
    assert!(surprises.is_empty(), "\n{surprises}");
}

#[cfg(feature = "z3")]
fn solver() -> Box<dyn Engine> {
    Box::new(ptxmc::testing::solve::z3::Z3Engine::default())
}

/// The solver where it is quick.
#[test]
#[cfg(feature = "z3")]
fn the_solver_agrees_where_tests_name_a_reading() {
    let surprises = surprises(CORE, Asked::Naming, solver, Patience::Short);
    assert!(surprises.is_empty(), "\n{surprises}");
}

#[test]
#[cfg(feature = "z3")]
#[ignore = "nightly: the solver on some hundred tests under every reading"]
fn the_solver_agrees_under_every_reading() {
    let surprises = surprises(CORE, Asked::Every, solver, Patience::Short);
    assert!(surprises.is_empty(), "\n{surprises}");
}

/// The verdicts that a reading changes, as the tests about readings expect them.
fn changes(reading: &Reading, tests: &[(String, Test)]) -> Vec<(String, Kind, Kind)> {
    let default = Reading::of(&[]);
    let verdicts = |(name, test): &(String, Test)| {
        (name.clone(), default.expected(test), reading.expected(test))
    };
    tests.iter().map(verdicts).filter(|(_, before, after)| before != after).collect()
}

#[test]
fn every_reading_has_a_test_of_its_own() {
    let tests = tests(&["litmus/readings"]);
    for reading in readings() {
        let alike = reading.names.iter().any(|name| ALIKE.contains(&name.as_str()));
        let changes = changes(&reading, &tests);
        let names = reading.names.join(",");
        match alike {
            true => assert!(changes.is_empty(), "{names} changes {changes:?}"),
            false => assert!(!changes.is_empty(), "no test in litmus/readings is about {names}"),
        }
    }
}

/// A reading that only takes order away forbids nothing more, one that only adds order allows
/// nothing more; races, which order takes away, are another matter.
#[test]
fn readings_change_verdicts_in_one_direction() {
    let tests = tests(&["litmus"]);
    let (mut seen, names) = (0, names());
    for (direction, wrong) in
        [(FORBID, (Kind::Forbidden, Kind::Allowed)), (ALLOW, (Kind::Allowed, Kind::Forbidden))]
    {
        for &name in direction {
            assert!(names.iter().any(|n| n == name), "{name} is no reading");
            let changes = changes(&Reading::of(&[name]), &tests);
            seen += changes.len();
            for (test, before, after) in changes {
                assert_ne!((before, after), wrong, "{test} under {name}");
            }
        }
    }
    assert!(seen > 100, "only {seen} changes");
}

/// Random programs do not tell apart what no test tells apart; only those with two `fence.sc` can
/// say something of the first. `PTXMC_READINGS_CASES` and `PTXMC_READINGS_SEED` try others.
#[test]
fn readings_without_a_test_agree_on_random_programs() {
    let (cases, mut runner) = drawn("READINGS");
    let engine = SearchEngine::default();
    let default = Reading::of(&[]);
    let others: Vec<Reading> = ALIKE.iter().map(|&name| Reading::of(&[name])).collect();
    let strategies = [sketch(cyclic()).boxed(), sketch(small()).boxed()];
    let (mut found, mut compared) = (0, 0);
    while found < cases {
        let strategy = &strategies[usize::from(found % 4 == 0)];
        let program: Sketch = strategy.new_tree(&mut runner).expect("a program").current();
        let text = program.text();
        if text.matches("fence.sc").count() < 2 {
            continue;
        }
        found += 1;
        let test = parse("random.litmus", text.as_bytes()).expect("sketches are tests");
        let listed = |r: &Reading| all_states(&test, &r.model, &engine, r.settings);
        let Some(expected) = listed(&default) else { continue };
        for reading in &others {
            let Some(states) = listed(reading) else { continue };
            assert_eq!(states, expected, "{} changes\n{text}", reading.names[0]);
            compared += 1;
        }
    }
    assert!(compared >= cases, "only {compared} comparisons");
}
