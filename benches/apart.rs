//! How long it takes to tell models apart: every two built-in models, and every mutant from its model.
//!
//! `cargo bench --bench apart` prints a table: the two models, events and threads of the smallest test,
//! else the events up to which they agree; skeletons, shapes, ways to read and cells that were looked
//! at, which are the same on every machine; and the time. `-- built-in` or `-- mutants` measures one of
//! the two; `PTXMC_APART_EVENTS` says how many instructions programs have at most (4), and
//! `PTXMC_APART_BUDGET` how many thousand cells are looked at (500).

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use ptxmc::testing::cat::edit::EditFile;
use ptxmc::testing::cat::{BUILTIN, NoFiles, Options, builtin, parse_builtin, parse_model};
use ptxmc::testing::check::Settings;
use ptxmc::testing::engines::Choice;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::source::Files;
use ptxmc::testing::workbench::distinguish::{Answer, Question, distinguish};
use std::path::Path;
use std::time::Instant;

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let wanted = |part: &str| asked.is_empty() || asked.iter().any(|a| a == part);
    println!(
        "{:<44} {:>6} {:>7} {:>9} {:>7} {:>8} {:>9} {:>9}",
        "models", "events", "threads", "skeletons", "shapes", "ways", "cells", "time"
    );
    if wanted("built-in") {
        let of = |one| parse_builtin(&mut Files::default(), one, &Options::default()).model;
        let models: Vec<Model> = BUILTIN.iter().map(of).collect();
        for (at, one) in models.iter().enumerate() {
            models[at + 1..].iter().for_each(|other| row(one, other));
        }
    }
    if wanted("mutants") {
        let original = builtin("ptx-9.2").expect("it is built in");
        let model = parse_builtin(&mut Files::default(), original, &Options::default()).model;
        mutants(original.text).iter().for_each(|mutant| row(&model, mutant));
    }
}

/// The mutants of a model, in order of names.
fn mutants(original: &str) -> Vec<Model> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/mutants");
    let entries = std::fs::read_dir(folder).expect("mutants are there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let mutant = |path: &std::path::PathBuf| {
        let text = std::fs::read_to_string(path).ok()?;
        let edited = EditFile::parse(&text).ok()?.apply(original).ok()?;
        let mut files = Files::default();
        let file = files.add("mutant.cat", edited);
        let mut model = parse_model(&mut files, file, &NoFiles, &Options::default()).ok()?.model;
        model.name = path.file_stem()?.to_string_lossy().into_owned();
        Some(model)
    };
    paths.iter().filter_map(mutant).collect()
}

fn row(one: &Model, other: &Model) {
    let engine = Choice::named("auto").expect("it is built in").engines().remove(0);
    let number = |name: &str, default: u64| {
        std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default)
    };
    let events = usize::try_from(number("PTXMC_APART_EVENTS", 4)).expect("few events");
    let start = Instant::now();
    let answer = distinguish(&Question {
        models: [one, other],
        engine: engine.as_ref(),
        settings: Settings::default(),
        events,
        special_events: Some(events.min(3)),
        kinds: &[],
        threads: 3,
        count: 1,
        allowed_by: None,
        jobs: std::thread::available_parallelism().map_or(1, usize::from),
        budget: number("PTXMC_APART_BUDGET", 500) * 1_000,
    });
    let Answer { found, covered, skeletons, shapes, effort, .. } = &answer;
    let agreed = covered.first().map_or(0, |covered| covered.events);
    let (events, threads) = match found.first() {
        Some(test) => (test.events.to_string(), test.threads.to_string()),
        None => (format!("> {agreed}"), "-".to_owned()),
    };
    println!(
        "{:<44} {events:>6} {threads:>7} {skeletons:>9} {shapes:>7} {:>8} {:>9} {:>7.2} s",
        format!("{} {}", one.name, other.name),
        effort.candidates,
        effort.cells,
        start.elapsed().as_secs_f64()
    );
}
