//! Time per test over whole suites: in one process with each engine, and with a process per test.
//!
//! `cargo bench --bench corpus` prints a table: what the command does on a suite, from reading to the
//! report; verdicts alone, and with the axioms that forbid, of
//! which none can be left out, as reports name them; and how many questions a verdict asks of the engine,
//! and the answer whether the program may hang besides. The suites are the shipped one and, where it lies
//! beside the repository, a corpus of reference tests. Compare ratios within one run.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its table")]

use mimalloc::MiMalloc;
use ptxmc::Unsupported;
use ptxmc::testing::check::{Settings, check, hang, states};
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::relation::simplify::simplify;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::z3::Z3Engine;
use ptxmc::testing::solve::{Answer, Budget, Cores, Engine, Goal, Problem, States};
use ptxmc::testing::source::Files;
use ptxmc::testing::{cat, litmus};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// As in the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const ROUNDS: usize = 5;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let suites =
        [("shipped", root.join("litmus")), ("reference", root.join("../shared/corpus/reference"))];
    let mut files = Files::default();
    let builtin = cat::library::builtin("ptx-9.2").expect("a built-in model");
    let model = cat::parse_builtin(&mut files, builtin, &cat::Options::default()).model;
    let engines: [(&str, Box<dyn Engine>); 4] = [
        ("search: verdict", Box::new(SearchEngine::with_cores(Cores::FirstProof))),
        ("search: and the axioms", Box::new(SearchEngine::default())),
        ("z3: verdict", Box::new(Z3Engine::with_cores(Cores::FirstProof))),
        ("z3: and the axioms", Box::new(Z3Engine::default())),
    ];
    println!("{:<10} {:<26} {:>6} {:>14}", "suite", "work", "tests", "per test");
    for (name, folder) in &suites {
        let paths = tests_in(folder);
        if paths.is_empty() {
            println!("{name:<10} skipped: {} is not there", folder.display());
            continue;
        }
        let tests: Vec<Test> = paths
            .iter()
            .flat_map(|path| {
                let bytes = std::fs::read(path).expect("a test that can be read");
                litmus::parse::parse_bytes(&mut files, &path.display().to_string(), &bytes).tests
            })
            .collect();
        let settings = Settings::default().with_bound(2);
        questions(name, &tests, &model, settings);
        for (what, engine) in &engines {
            let verdicts = median(|| {
                tests.iter().for_each(|t| {
                    drop(std::hint::black_box(check(t, &model, engine.as_ref(), settings)))
                });
            });
            row(name, what, tests.len(), verdicts);
        }
        let search = SearchEngine::default();
        let all = median(|| {
            tests.iter().for_each(|t| {
                drop(std::hint::black_box(states(t, &model, &search, settings)));
            });
        });
        row(name, "search: all states", tests.len(), all);
        // What the simplified model saves, and what making it costs, once per model. It has no
        // definitions, so that nobody asks about races; its like is a model without them.
        let (start, simplified) = (Instant::now(), simplify(&model));
        let making = start.elapsed();
        let mut axioms = model.clone();
        axioms.definitions.clear();
        for (what, model) in [("axioms alone", &axioms), ("axioms simplified", &simplified)] {
            let engine = SearchEngine::default();
            let time = median(|| {
                tests.iter().for_each(|t| {
                    drop(std::hint::black_box(check(
                        t,
                        model,
                        &engine,
                        Settings::default().with_bound(2),
                    )))
                });
            });
            row(name, &format!("search, {what}"), tests.len(), time);
        }
        row(name, "  simplifying, once", 1, making);
        let some: Vec<&PathBuf> = paths.iter().step_by(paths.len().div_ceil(60)).collect();
        let process = median(|| some.iter().for_each(|path| spawn(path)));
        row(name, "a process per test", some.len(), process);
        let command = median(|| spawn(folder));
        row(name, "`ptxmc check -j1`, all of it", tests.len(), command);
    }
}

/// An engine that counts the questions that it is asked.
#[derive(Default)]
struct Counting {
    engine: SearchEngine,
    asked: AtomicU32,
}

impl Engine for Counting {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        self.asked.fetch_add(1, Ordering::Relaxed);
        self.engine.find(problem, goal, budget)
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
        self.engine.states(problem, budget)
    }
}

/// Prints how many questions a verdict asks, and how many the answer about hangs.
fn questions(suite: &str, tests: &[Test], model: &Model, settings: Settings) {
    let engine = Counting::default();
    let outcomes: Vec<_> = tests.iter().map(|t| check(t, model, &engine, settings)).collect();
    let verdicts = engine.asked.swap(0, Ordering::Relaxed);
    for (test, outcome) in tests.iter().zip(&outcomes) {
        drop(hang(test, model, &engine, settings, outcome));
    }
    let hangs = engine.asked.into_inner();
    for (what, asked) in [("questions per verdict", verdicts), ("questions about hangs", hangs)] {
        let per_test = f64::from(asked) / tests.len() as f64;
        println!("{suite:<10} {what:<26} {:>6} {per_test:>14.2}", tests.len());
    }
}

fn spawn(path: &Path) {
    let status = Command::new(env!("CARGO_BIN_EXE_ptxmc"))
        .args(["check", "-j1"])
        .arg(path)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.expect("the binary runs");
}

fn tests_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut out: Vec<PathBuf> = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            out.extend(tests_in(&path));
        } else if path.extension().is_some_and(|e| e == "litmus") {
            out.push(path);
        }
    }
    out.sort();
    out
}

fn median(mut work: impl FnMut()) -> Duration {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            work();
            start.elapsed()
        })
        .collect();
    times.sort();
    times[ROUNDS / 2]
}

fn row(suite: &str, work: &str, tests: usize, time: Duration) {
    let per_test = time.as_secs_f64() * 1e6 / tests as f64;
    println!("{suite:<10} {work:<26} {tests:>6} {per_test:>11.1} us");
}
