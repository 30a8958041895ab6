//! Compares two models on tests: the built-in one, and one of our own that orders nothing but each location.
//!
//! `cargo run --example compare`; files that are named behind it are compared instead of the two tests
//! here.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example prints")]

use std::error::Error;

const MINE: &str = "\"mine\"\n\
                    acyclic po-loc | rf | co | fr as per-location\n\
                    empty rmw & (fre; coe) as atomic\n";

const TESTS: [(&str, &str); 2] = [
    ("mp.litmus", include_str!("../litmus/mp/MP+acquire+ctrl.litmus")),
    ("relaxed.litmus", include_str!("../litmus/mp/MP+all-relaxed.litmus")),
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut files = ptxmc::Files::default();
    let ptx = ptxmc::builtin_model(&mut files, "ptx-9.2").ok_or("no such model")?;
    let mine = ptxmc::parse_model(&mut files, "mine.cat", MINE)
        .map_err(|errors| errors.iter().map(|error| error.render(&files)).collect::<String>())?;
    let checkers = [&ptx, &mine].map(ptxmc::Checker::new);
    let mut texts: Vec<(String, String)> =
        TESTS.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    let named: Vec<String> = std::env::args().skip(1).collect();
    if !named.is_empty() {
        texts = Vec::new();
        for name in named {
            let text = std::fs::read_to_string(&name)?;
            texts.push((name, text));
        }
    }
    for (name, text) in texts {
        for test in &ptxmc::parse_tests(&mut files, &name, &text).tests {
            let [one, other] =
                checkers.each_ref().map(|checker| checker.check(test).verdict.kind());
            let mark = if one == other { ' ' } else { '!' };
            println!("{mark} {}: {one} under {}, {other} under {}", test.name, ptx.name, mine.name);
        }
    }
    Ok(())
}
