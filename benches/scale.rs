//! How the cost of families of tests grows with their parameter, engine by engine.
//!
//! `cargo bench --bench scale` prints a table: family, threads, bound, form, verdict, and the
//! median of several runs for each engine. `cargo bench --bench scale -- ticket-lock:4:3` runs
//! members named family:threads:bound. A run that takes longer than the limit counts once.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its table")]

mod families;

use families::{FAMILIES, Form, family};
use ptxmc::check::{Settings, check};
use ptxmc::solve::search::SearchEngine;
use ptxmc::solve::z3::Z3Engine;
use ptxmc::solve::{Budget, Engine};
use ptxmc::source::Files;
use ptxmc::{cat, litmus};
use std::time::{Duration, Instant};

/// Milliseconds that one question may take.
const LIMIT: u64 = 20_000;

const MEMBERS: &[&str] = &[
    "writers:10:2",
    "writers:24:2",
    "writers:64:2",
    "writers:100:2",
    "sb+fence.sc:6:2",
    "sb+fence.sc:20:2",
    "sb+fence.sc:64:2",
    "sb+fence.sc:100:2",
    "mp-chain:20:2",
    "mp-chain:300:2",
    "iriw:4:2",
    "iriw:10:2",
    "ticket-lock:2:3",
    "ticket-lock:2:6",
    "ticket-lock:4:2",
    "cas-lock:4:2",
    "cas-lock:4:6",
    "cas-lock:6:3",
    "cas-lock:8:3",
    "grid-barrier:4:2",
    "grid-barrier:6:2",
    "grid-barrier:8:2",
    "barriers:10:2",
    "barriers:40:2",
];

fn main() {
    let asked: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with("--")).collect();
    let members: Vec<String> =
        if asked.is_empty() { MEMBERS.iter().map(|m| (*m).to_owned()).collect() } else { asked };
    let mut files = Files::default();
    let builtin = cat::library::builtin("ptx-9.2").expect("a built-in model");
    let model = cat::parse_builtin(&mut files, builtin, &cat::Options::default()).model;
    println!(
        "{:<14} {:>4} {:>5} {:<10} {:<10} {:>12} {:>12}",
        "family", "n", "bound", "form", "verdict", "search", "z3"
    );
    for member in &members {
        let mut parts = member.split(':');
        let name = parts.next().unwrap_or_default();
        let Some(family) = family(name) else {
            eprintln!(
                "no family `{name}`; there are {}",
                FAMILIES.iter().map(|f| f.name).collect::<Vec<_>>().join(", ")
            );
            std::process::exit(2);
        };
        let mut number =
            |default: usize| parts.next().and_then(|p| p.parse().ok()).unwrap_or(default);
        let (n, bound) = (number(2), number(2));
        for form in [Form::Forbidden, Form::Allowed] {
            let text = (family.text)(n, form);
            let parsed = litmus::parse::parse_bytes(&mut files, member, text.as_bytes());
            let [test] = &parsed.tests[..] else { panic!("{member} is one test") };
            let settings = Settings {
                bound: u8::try_from(bound).unwrap_or(u8::MAX),
                budget: Budget { milliseconds: Some(LIMIT), steps: None },
                ..Settings::default()
            };
            let mut verdict = String::new();
            let mut times = Vec::new();
            let engines: [Box<dyn Engine>; 2] =
                [Box::new(SearchEngine::default()), Box::new(Z3Engine::default())];
            for engine in &engines {
                let (time, word) = measure(|| {
                    check(test, &model, engine.as_ref(), settings).verdict.kind().name()
                });
                let note = if word == form.verdict() { "" } else { "?" };
                if verdict.is_empty() || note.is_empty() {
                    verdict = word.to_owned();
                }
                times.push(format!("{:.2} ms{note}", time.as_secs_f64() * 1e3));
            }
            println!(
                "{:<14} {n:>4} {bound:>5} {:<10} {verdict:<10} {:>12} {:>12}",
                family.name,
                form.verdict(),
                times[0],
                times[1]
            );
        }
    }
}

fn measure(work: impl Fn() -> &'static str) -> (Duration, &'static str) {
    let mut times = Vec::new();
    let mut word = "";
    for _ in 0..5 {
        let start = Instant::now();
        word = work();
        times.push(start.elapsed());
        if times[0] > Duration::from_secs(1) {
            break;
        }
    }
    times.sort();
    (times[times.len() / 2], word)
}
