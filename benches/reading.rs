//! How the time to read, print and read again grows with the length of a test.
//!
//! `cargo bench --bench reading` prints a table: the form of the test, its rows, the least time of
//! several runs, and that time as a multiple of what a tenth of the rows takes. About ten is linear.

#![allow(clippy::print_stdout, reason = "a benchmark prints its table")]

use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::litmus::parse::parse_bytes;
use ptxmc::testing::litmus::print::{print_blocks, print_columns};
use ptxmc::testing::source::Files;
use std::time::{Duration, Instant};

/// How often each text is read; the least time counts.
const ROUNDS: usize = 5;

/// What prints a test in one of the two forms.
type Print = fn(&Test) -> String;

fn main() {
    let forms: [(&str, Print); 2] = [
        ("columns", |test| print_columns(test).expect("it came from columns")),
        ("blocks", |test| print_blocks(test).expect("every test has blocks")),
    ];
    println!("{:<8} {:>7} {:>12} {:>7}", "form", "rows", "time", "ratio");
    for (name, print) in forms {
        let mut last: Option<Duration> = None;
        for rows in [200, 2_000, 20_000] {
            let text = print(&read(&columns(rows)));
            let time = (0..ROUNDS).map(|_| measured(&text, print)).min().expect("some rounds");
            let ratio = last.map(|last| time.as_secs_f64() / last.as_secs_f64());
            let ratio = ratio.map_or(String::new(), |ratio| format!("{ratio:.1}"));
            println!("{name:<8} {rows:>7} {:>9.2} ms {ratio:>7}", time.as_secs_f64() * 1e3);
            last = Some(time);
        }
    }
}

/// Two threads of so many rows, each with a label, and as many variables and registers.
fn columns(rows: usize) -> String {
    let init: String = (0..rows).map(|at| format!("x{at}=0; P0:r{at}=1; y{at}=x{at};\n")).collect();
    let body: String = (0..rows).map(|at| format!(" L{at}: st.weak x{at}, r{at} | ;\n")).collect();
    format!("PTX t\n{{\n{init}}}\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n{body}exists x1 = 1\n")
}

fn read(text: &str) -> Test {
    let mut files = Files::default();
    let mut parsed = parse_bytes(&mut files, "t.litmus", text.as_bytes());
    parsed.tests.pop().expect("one test without errors")
}

fn measured(text: &str, print: Print) -> Duration {
    let start = Instant::now();
    let again = print(&read(text));
    assert_eq!(read(&again).threads.len(), 2);
    start.elapsed()
}
