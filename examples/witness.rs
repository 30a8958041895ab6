//! Draws the execution that shows an allowed outcome: as text, edge by edge, and for Graphviz.
//!
//! `cargo run --example witness > witness.dot`; the text goes to standard error.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let text = include_str!("../litmus/mp/MP+all-relaxed.litmus");
    let mut files = ptxmc::Files::default();
    let test = ptxmc::parse_tests(&mut files, "mp.litmus", text).tests.remove(0);
    let model = ptxmc::builtin_model(&mut files, "ptx-9.2").ok_or("no such model")?;
    let outcome = ptxmc::check(&test, &model);
    let witness = outcome.witness(&test.name, &model).ok_or("there is no execution to draw")?;
    eprint!("{}", witness.to_text());
    for edge in &witness.edges {
        let [from, to] = [edge.from, edge.to].map(|event| witness.label(event));
        eprintln!("  {from} is related to {to} by {}", edge.relation);
    }
    print!("{}", witness.to_dot());
    Ok(())
}
