//! The fillings of a sketch, with the tests that they agree with, as text.

use crate::batch::Case;
use crate::cat::Hole;
use crate::workbench::distinguish::Distinction;
use crate::workbench::fit::Misfit;
use std::fmt::Write;

/// A filling of the holes, with the first test that rejects it.
#[derive(Clone, Debug)]
pub struct Filled<'a> {
    /// The alternative of each hole.
    pub choice: &'a [usize],
    /// The test that the filling contradicts; `None` where the filling agrees with every test.
    pub misfit: Option<Misfit>,
}

/// The most rejected fillings that are listed.
const FEW: usize = 10;

/// The alternatives chosen for the holes.
fn words(holes: &[Hole], choice: &[usize]) -> String {
    let word = |(hole, &at): (&Hole, &usize)| format!("{} = {}", hole.name, hole.alternatives[at]);
    let words: Vec<String> = holes.iter().zip(choice).map(word).collect();
    if words.is_empty() { "no holes".to_owned() } else { words.join(", ") }
}

/// The fillings that agree with the tests, the rejected ones, and for each pair of agreeing fillings a test
/// that distinguishes the two.
#[must_use]
pub fn text(
    holes: &[Hole],
    fillings: &[Filled<'_>],
    cases: &[Case],
    apart: &[(usize, usize, Option<Distinction>)],
) -> String {
    let mut out = String::new();
    let expecting = cases.iter().filter(|case| case.expected.first().copied().flatten().is_some());
    let _ = writeln!(
        out,
        "{} of {} fillings agree with {} tests",
        fillings.iter().filter(|f| f.misfit.is_none()).count(),
        fillings.len(),
        expecting.count(),
    );
    for (index, filled) in fillings.iter().enumerate().filter(|(_, f)| f.misfit.is_none()) {
        let _ = writeln!(out, "  {}: {}", index + 1, words(holes, filled.choice));
    }
    let rejected = fillings.iter().enumerate().filter_map(|(at, f)| Some((at, f, f.misfit?)));
    let rejected: Vec<_> = rejected.collect();
    if !rejected.is_empty() {
        let _ = writeln!(out, "against the others:");
    }
    for (index, filled, Misfit { test, verdict }) in rejected.iter().take(FEW) {
        let case = &cases[*test];
        let expected = case.expected.first().copied().flatten().map_or("", |kind| kind.name());
        let (words, path) = (words(holes, filled.choice), &case.path);
        let verdict = verdict.name();
        let _ = writeln!(out, "  {}: {words}: {path} is {verdict}, expected {expected}", index + 1);
    }
    if rejected.len() > FEW {
        let _ = writeln!(out, "  and {} more", rejected.len() - FEW);
    }
    for (one, other, found) in apart {
        let (one, other) = (one + 1, other + 1);
        match found {
            None => {
                let _ = writeln!(out, "{one} and {other} do not differ on small programs");
            }
            Some(test) => {
                let said = [0, 1].map(|at| test.said[at].kind.name());
                let _ = writeln!(
                    out,
                    "this test tells {one} ({}) from {other} ({}):",
                    said[0], said[1]
                );
                test.text_without_expectations.lines().for_each(|line| {
                    let _ = writeln!(out, "  {line}");
                });
            }
        }
    }
    out
}
