//! Time of the commands about one test against that of `check`, a process each.
//!
//! `cargo bench --bench explaining` prints, for a sample of the shipped tests, how long `check`, `explain`,
//! `draw` and `races` take, how many times the time of `check` that is, how many tests take more than ten
//! times as long, and those that take longest by that measure. `cargo bench --bench explaining -- 1` takes
//! every test, `-- 12` every twelfth.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Every so many-th test without an argument.
const STEP: usize = 24;

/// How many of the slowest tests are named.
const NAMED: usize = 6;

/// How many times the time of `check` other commands may take.
const MOST: f64 = 10.0;

/// Each time is the least of so many, since other work on the machine only makes it longer.
const RUNS: usize = 2;

const COMMANDS: [&str; 3] = ["explain", "draw", "races"];

fn main() {
    let step = std::env::args().skip(1).find_map(|word| word.parse().ok()).unwrap_or(STEP).max(1);
    let mut paths = Vec::new();
    tests_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus"), &mut paths);
    paths.sort();
    let sample: Vec<&PathBuf> = paths.iter().step_by(step).collect();
    let checks: Vec<Duration> = sample.iter().map(|path| timed("check", path)).collect();
    let all: Duration = checks.iter().sum();
    println!("{} tests: check {:.2} s", sample.len(), all.as_secs_f64());
    for command in COMMANDS {
        let times: Vec<Duration> = sample.iter().map(|path| timed(command, path)).collect();
        let total: Duration = times.iter().sum();
        let ratio = |time: Duration, check: Duration| time.as_secs_f64() / check.as_secs_f64();
        println!("{command:<8} {:.2} s, {:.1} times check", total.as_secs_f64(), ratio(total, all));
        let mut slowest: Vec<(f64, Duration, &&PathBuf)> = times
            .iter()
            .zip(&checks)
            .zip(&sample)
            .map(|((&time, &check), path)| (ratio(time, check), time, path))
            .collect();
        slowest.sort_by(|one, other| other.0.total_cmp(&one.0));
        let above = slowest.iter().filter(|(times, ..)| *times > MOST).count();
        println!("  {above} of {} tests take more than {MOST} times check", sample.len());
        for (times, time, path) in slowest.into_iter().take(NAMED) {
            println!(
                "  {times:>6.1} times, {:>7.1} ms  {}",
                time.as_secs_f64() * 1e3,
                path.display()
            );
        }
    }
}

/// The time of a command on a test, with the start of the process.
fn timed(command: &str, path: &Path) -> Duration {
    (0..RUNS).map(|_| timed_once(command, path)).min().unwrap_or_default()
}

fn timed_once(command: &str, path: &Path) -> Duration {
    let mut run = Command::new(env!("CARGO_BIN_EXE_ptxmc"));
    run.arg(command).arg(path);
    if command == "draw" {
        run.arg("--output").arg(std::env::temp_dir().join("ptxmc-explaining.svg"));
    }
    let start = Instant::now();
    let status = run.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.expect("the binary runs");
    start.elapsed()
}

fn tests_in(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the shipped tests").flatten() {
        let path = entry.path();
        if path.is_dir() {
            tests_in(&path, out);
        } else if path.extension().is_some_and(|e| e == "litmus") {
            out.push(path);
        }
    }
}
