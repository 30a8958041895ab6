//! What a differential run compared, counted for a table.
#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

pub mod cores;

use ptxmc::testing::solve::Cores;
use ptxmc::testing::solve::enumerate::Enumerate;
use ptxmc::testing::solve::search::SearchEngine;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// The engines that are held against each other; the solver where the library has it.
pub struct Engines {
    pub search: SearchEngine,
    pub enumerate: Enumerate,
    #[cfg(feature = "z3")]
    pub solver: ptxmc::testing::solve::z3::Z3Engine,
}

impl Engines {
    pub fn new() -> Self {
        Self {
            search: SearchEngine::default(),
            enumerate: Enumerate { cores: Cores::FirstProof },
            #[cfg(feature = "z3")]
            solver: ptxmc::testing::solve::z3::Z3Engine::default(),
        }
    }
}

/// Counts by model, engine and feature of the programs.
#[derive(Debug, Default)]
pub struct Tally {
    /// For each model, how often something happened.
    models: BTreeMap<String, BTreeMap<&'static str, u64>>,
    /// For each engine and question.
    engines: BTreeMap<(&'static str, &'static str), Asked>,
    features: BTreeMap<&'static str, u64>,
    /// How often something happened to programs with unknown initial values.
    unknown: BTreeMap<&'static str, u64>,
    /// How often something was found of cores.
    cores: BTreeMap<&'static str, u64>,
    /// Answers of two engines that were held against each other.
    pub compared: u64,
    /// The number of final states of the programs for which they are known.
    states: u64,
}

/// How often something came of a question, and how long it took.
type Asked = (BTreeMap<&'static str, u64>, Duration);

/// Columns of the table of models.
const COLUMNS: [&str; 13] = [
    "programs",
    "states",
    "simplified",
    "verdicts",
    "races",
    "allowed",
    "forbidden",
    "undefined",
    "deadlock",
    "out-of-model",
    "unknown",
    "racy",
    "may hang",
];

impl Tally {
    /// Something happened under a model.
    pub fn count(&mut self, model: &str, what: &'static str) {
        *self.models.entry(model.to_owned()).or_default().entry(what).or_default() += 1;
    }

    /// As [`Self::count`], of a program with unknown initial values.
    pub fn count_unknown(&mut self, what: &'static str) {
        *self.unknown.entry(what).or_default() += 1;
    }

    /// Something was found of a core.
    pub fn core(&mut self, what: &'static str) {
        *self.cores.entry(what).or_default() += 1;
    }

    /// The final states of a program are known.
    pub fn states(&mut self, count: usize) {
        self.states += count as u64;
    }

    /// A program with these features.
    pub fn features(&mut self, features: &[&'static str]) {
        for feature in features {
            *self.features.entry(feature).or_default() += 1;
        }
    }

    /// Asks an engine and remembers whether it answered and how long it took.
    pub fn timed<T>(
        &mut self,
        engine: &'static str,
        question: &'static str,
        ask: impl FnOnce() -> Result<T, &'static str>,
    ) -> Option<T> {
        let start = Instant::now();
        let answer = ask();
        let (counts, time) = self.engines.entry((engine, question)).or_default();
        *time += start.elapsed();
        let what = match &answer {
            Ok(_) => "answered",
            Err(why) => why,
        };
        *counts.entry(what).or_default() += 1;
        answer.ok()
    }

    /// Prints everything.
    pub fn print(&self, title: &str) {
        let mut out = format!("{title}: {} answers compared\n", self.compared);
        let known: u64 = self.models.values().filter_map(|row| row.get("states")).sum();
        if known > 0 {
            let _ =
                writeln!(out, "{:.1} final states on average", self.states as f64 / known as f64);
        }
        let _ = writeln!(out, "{:26}{}", "model", COLUMNS.map(|c| format!("{c:>13}")).concat());
        for (model, row) in &self.models {
            let cells = COLUMNS.map(|c| format!("{:>13}", row.get(c).copied().unwrap_or(0)));
            let _ = writeln!(out, "{model:26}{}", cells.concat());
        }
        for ((engine, question), (counts, time)) in &self.engines {
            let total: u64 = counts.values().sum();
            let each = time.as_secs_f64() * 1e3 / total as f64;
            let counts: Vec<String> = counts.iter().map(|(k, n)| format!("{n} {k}")).collect();
            let _ =
                writeln!(out, "{engine:10}{question:12}{}, {each:.2} ms each", counts.join(", "));
        }
        let listed = |counts: &BTreeMap<&'static str, u64>| {
            let counts: Vec<String> =
                counts.iter().map(|(name, n)| format!("{name} {n}")).collect();
            counts.join(", ")
        };
        let _ = writeln!(out, "programs with: {}", listed(&self.features));
        let _ = writeln!(out, "of unknown initial values: {}", listed(&self.unknown));
        let _ = writeln!(out, "cores: {}", listed(&self.cores));
        print!("{out}");
    }
}
