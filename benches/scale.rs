//! How the cost of families of tests grows with their parameter, engine by engine.
//!
//! `cargo bench --bench scale` prints a table: family, threads, bound, form, engine, verdict, the
//! median time of several runs, search nodes, and peak memory of a process that does nothing else;
//! then what bounds save Z3, per family. `-- ticket-lock:4:3 grid-barrier` measures members named
//! family:threads:bound, or whole families. The growth is drawn in `target/scale.svg`.
//!
//! Each row is measured in a process of its own. A question that takes longer than the limit counts
//! once, and larger members of its family are not asked of that engine.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a benchmark prints its table")]

mod families;
mod plot;

use families::{FAMILIES, Form, family};
use mimalloc::MiMalloc;
use plot::{Curve, Panel, plot};
use ptxmc::Clock;
use ptxmc::testing::bounds::Precision;
use ptxmc::testing::check::{Settings, check};
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::z3::Z3Engine;
use ptxmc::testing::solve::{Budget, Engine};
use ptxmc::testing::source::Files;
use ptxmc::testing::{cat, litmus};
use std::collections::BTreeMap;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// As in the program.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

/// Milliseconds that one question may take.
const LIMIT: u64 = 10_000;

/// How often a question is asked; the median counts.
const ROUNDS: usize = 5;

const MEMBERS: &[&str] = &[
    "writers:10:2",
    "writers:24:2",
    "writers:64:2",
    "writers:100:2",
    "writers:1000:2",
    "sb+fence.sc:6:2",
    "sb+fence.sc:20:2",
    "sb+fence.sc:64:2",
    "sb+fence.sc:100:2",
    "sb+fence.sc:1000:2",
    "sb+fence.acq_rel:6:2",
    "sb+fence.acq_rel:20:2",
    "sb+fence.acq_rel:100:2",
    "mp-chain:5:2",
    "mp-chain:20:2",
    "mp-chain:100:2",
    "mp-chain:300:2",
    "iriw:4:2",
    "iriw:10:2",
    "iriw:30:2",
    "ticket-lock:2:3",
    "ticket-lock:2:6",
    "ticket-lock:4:2",
    "ticket-lock:6:2",
    "ticket-lock:8:2",
    "ticket-lock:12:2",
    "cas-lock:4:2",
    "cas-lock:4:6",
    "cas-lock:6:3",
    "cas-lock:8:3",
    "cas-lock:12:2",
    "grid-barrier:4:2",
    "grid-barrier:6:2",
    "grid-barrier:8:2",
    "grid-barrier:12:2",
    "barriers:10:2",
    "barriers:40:2",
    "pipeline:3:2",
    "pipeline:4:2",
    "pipeline:6:2",
];

/// The engines, by the names in the table.
const ENGINES: &[&str] = &["search", "z3", "z3 without bounds"];

/// One line of the table.
#[derive(Clone, Debug)]
struct Row {
    member: Member,
    form: Form,
    engine: &'static str,
    verdict: String,
    time: Duration,
    explored: u64,
    kilobytes: u64,
}

/// A member of a family.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Member {
    family: &'static str,
    threads: usize,
    bound: u8,
}

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|a| a != "--bench" && a != "--test").collect();
    if let [flag, member, form, engine] = &arguments[..]
        && flag == "--measure"
    {
        measure(&parse(member), form, engine);
        return;
    }
    println!(
        "{:<17} {:>5} {:>5} {:<9} {:<18} {:<10} {:>12} {:>9} {:>9}",
        "family", "n", "bound", "form", "engine", "verdict", "time", "nodes", "memory"
    );
    let mut rows: Vec<Row> = Vec::new();
    let mut given_up: Vec<(&str, Form, &str)> = Vec::new();
    for member in members(&arguments) {
        for form in [Form::Forbidden, Form::Allowed] {
            for &engine in ENGINES {
                if given_up.contains(&(member.family, form, engine)) {
                    continue;
                }
                let row = spawn(&member, form, engine);
                if row.time >= Duration::from_millis(LIMIT) {
                    given_up.push((member.family, form, engine));
                }
                print_row(&row);
                rows.push(row);
            }
        }
    }
    ratios(&rows);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/target/scale.svg");
    match std::fs::write(path, plot(&panels(&rows))) {
        Ok(()) => println!("\nThe growth is drawn in target/scale.svg."),
        Err(error) => eprintln!("target/scale.svg: {error}"),
    }
}

/// The members that arguments name; all without arguments.
fn members(arguments: &[String]) -> Vec<Member> {
    let all = || MEMBERS.iter().map(|m| parse(m));
    if arguments.is_empty() {
        return all().collect();
    }
    let named = |name: &String| {
        let family: Vec<Member> = all().filter(|m| m.family == name).collect();
        if family.is_empty() { vec![parse(name)] } else { family }
    };
    arguments.iter().flat_map(named).collect()
}

fn parse(member: &str) -> Member {
    let mut parts = member.split(':');
    let name = parts.next().unwrap_or_default();
    let Some(family) = family(name) else {
        let names: Vec<&str> = FAMILIES.iter().map(|f| f.name).collect();
        eprintln!("no family `{name}`; there are {}", names.join(", "));
        std::process::exit(2);
    };
    let mut number = || parts.next().and_then(|p| p.parse().ok()).unwrap_or(2);
    let threads = number();
    Member { family: family.name, threads, bound: u8::try_from(number()).unwrap_or(u8::MAX) }
}

/// Measures one row in a process of its own, which is ended when it takes much longer than the limit:
/// a solver looks at the clock only now and then, and not before it has read its formulas.
fn spawn(member: &Member, form: Form, engine: &'static str) -> Row {
    let program = std::env::current_exe().expect("the benchmark has a path");
    let name = format!("{}:{}:{}", member.family, member.threads, member.bound);
    let mut child = Command::new(program)
        .args(["--measure", &name, form.verdict(), engine])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the benchmark can be started again");
    let (start, limit) = (Instant::now(), Duration::from_millis(LIMIT));
    while child.try_wait().expect("a child of this process").is_none() {
        if start.elapsed() > limit * 3 / 2 {
            child.kill().and_then(|()| child.wait()).expect("a child of this process");
            let verdict = "stopped".to_owned();
            let member = member.clone();
            return Row { member, form, engine, verdict, time: limit, explored: 0, kilobytes: 0 };
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().expect("a child of this process");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut words = text.split_whitespace();
    let verdict = words.next().unwrap_or("died").to_owned();
    let mut number = || words.next().and_then(|w| w.parse().ok()).unwrap_or(0);
    let time = Duration::from_micros(number());
    let (explored, kilobytes) = (number(), number());
    Row { member: member.clone(), form, engine, verdict, time, explored, kilobytes }
}

/// Prints verdict, microseconds, search nodes and kilobytes of one question.
fn measure(member: &Member, form: &str, engine: &str) {
    let form = if form == Form::Allowed.verdict() { Form::Allowed } else { Form::Forbidden };
    let mut files = Files::default();
    let builtin = cat::library::builtin("ptx-9.2").expect("a built-in model");
    let model = cat::parse_builtin(&mut files, builtin, &cat::Options::default()).model;
    let family = family(member.family).expect("members name families");
    let text = (family.text)(member.threads, form);
    let parsed = litmus::parse::parse_bytes(&mut files, member.family, text.as_bytes());
    let [test] = &parsed.tests[..] else { panic!("{member:?} is one test") };
    let limit = Duration::from_millis(LIMIT);
    let settings = Settings::default()
        .with_bound(member.bound)
        .with_budget(Budget::default().timed(Clock::monotonic(), limit));
    let search = SearchEngine::default();
    let z3 = Z3Engine::with_bounds(match engine {
        "z3 without bounds" => Precision::Base,
        _ => Precision::Propagated,
    });
    let engine: &dyn Engine = if engine == "search" { &search } else { &z3 };
    let (mut times, mut verdict) = (Vec::new(), "");
    while times.len() < ROUNDS && times.first().is_none_or(|&t| t < Duration::from_secs(1)) {
        let start = Instant::now();
        verdict = check(test, &model, engine, settings).verdict.kind().name();
        times.push(start.elapsed());
    }
    let explored = search.explored() / times.len() as u64;
    times.sort();
    let median = times[times.len() / 2].as_micros();
    println!("{verdict} {median} {explored} {}", peak_memory());
}

/// The most memory that this process had at once, in kilobytes; 0 where the system does not say.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|l| l.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}

fn print_row(row: &Row) {
    let wrong = if row.verdict == row.form.verdict() { "" } else { "?" };
    let nodes = if row.engine == "search" { row.explored.to_string() } else { "-".to_owned() };
    println!(
        "{:<17} {:>5} {:>5} {:<9} {:<18} {:<10} {:>9.2} ms {nodes:>9} {:>6.1} MB",
        row.member.family,
        row.member.threads,
        row.member.bound,
        row.form.verdict(),
        row.engine,
        format!("{}{wrong}", row.verdict),
        row.time.as_secs_f64() * 1e3,
        row.kilobytes as f64 / 1e3,
    );
}

/// What bounds save Z3: geometric means of the ratios over the members that both decide.
fn ratios(rows: &[Row]) {
    let mut by_family: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    let decided = |row: &&Row| row.verdict == row.form.verdict();
    for with in rows.iter().filter(|r| r.engine == "z3").filter(decided) {
        let other = rows.iter().filter(decided).find(|r| {
            r.engine == "z3 without bounds" && r.member == with.member && r.form == with.form
        });
        if let Some(without) = other {
            let ratio = without.time.as_secs_f64() / with.time.as_secs_f64().max(1e-6);
            by_family.entry(with.member.family).or_default().push(ratio);
        }
    }
    println!("\nZ3 without bounds takes, times what it takes with them:");
    for (family, ratios) in by_family {
        let mean = ratios.iter().map(|r| r.ln()).sum::<f64>() / ratios.len() as f64;
        println!("{family:<17} {:>6.1} ({} tests)", mean.exp(), ratios.len());
    }
}

/// One panel per family: time over threads, at the family's most usual bound.
fn panels(rows: &[Row]) -> Vec<Panel> {
    let mut out = Vec::new();
    for family in FAMILIES {
        let mut curves = Vec::new();
        for &engine in &ENGINES[..2] {
            for form in [Form::Forbidden, Form::Allowed] {
                let points: Vec<(f64, f64)> = rows
                    .iter()
                    .filter(|r| r.member.family == family.name && r.engine == engine)
                    .filter(|r| r.form == form && r.verdict == form.verdict())
                    .map(|r| (r.member.threads as f64, r.time.as_secs_f64() * 1e3))
                    .collect();
                curves.push(Curve { name: format!("{engine}, {}", form.verdict()), points });
            }
        }
        if curves.iter().any(|c| !c.points.is_empty()) {
            out.push(Panel { title: family.name.to_owned(), curves });
        }
    }
    out
}
