//! Tests that distinguish two models, as text and JSON.

use super::json::SCHEMA;
use crate::workbench::distinguish::{Answer, Distinction};
use crate::workbench::family::Family;
use crate::workbench::small::rows::MOST;
use serde_json::{Value, json};
use std::fmt::Write;

/// The answer as text; `names` are the names of the models.
#[must_use]
pub fn text(answer: &Answer, names: [&str; 2], threads: usize) -> String {
    let [a, b] = names;
    let mut out = String::new();
    if answer.found.is_empty() {
        let _ = writeln!(out, "{}", none(answer, names, threads));
    }
    for (index, one) in answer.found.iter().enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let _ = writeln!(out, "{}", line(one, names));
        one.text.lines().for_each(|line| {
            let _ = writeln!(out, "  {line}");
        });
    }
    if answer.is_cut && !answer.found.is_empty() {
        let _ = writeln!(
            out,
            "the budget was over before all programs of this size were looked at: there may be stronger wordings"
        );
    }
    if !answer.outside.is_empty() {
        let _ = writeln!(
            out,
            "not looked at, since {a} or {b} has no clause for it: {}",
            answer.outside.join(", ")
        );
    }
    if !answer.only.is_empty() {
        let _ = writeln!(out, "looked at programs of {} only", answer.only.join(", "));
    }
    if answer.too_large > 0 {
        let _ = writeln!(
            out,
            "not looked at: {} skeletons whose programs have more than {MOST} events, initial writes included",
            answer.too_large
        );
    }
    if answer.unconfirmed > 0 && answer.found.is_empty() {
        let _ = writeln!(
            out,
            "{} outcomes that the search tells apart have the same verdict as tests",
            answer.unconfirmed
        );
    }
    let effort = &answer.effort;
    let _ = writeln!(
        out,
        "looked at {} skeletons, {} shapes of programs, {} ways to read, {} sets of orders, scopes and places",
        answer.skeletons, answer.shapes, effort.candidates, effort.cells
    );
    out
}

/// The verdicts on a test, in a line.
fn line(one: &Distinction, names: [&str; 2]) -> String {
    let said = |index: usize| {
        let axioms = one.said[index].axioms.join(", ");
        let by = if axioms.is_empty() { String::new() } else { format!(" by {axioms}") };
        format!("{} under {}{by}", one.said[index].kind.name(), names[index])
    };
    let count = |n: usize, what: &str| format!("{n} {what}{}", if n == 1 { "" } else { "s" });
    let (events, threads) = (count(one.events, "event"), count(one.threads, "thread"));
    format!("{events} in {threads}: {}, {}", said(0), said(1))
}

/// The statement that no test of the examined sizes exists.
fn none(answer: &Answer, [a, b]: [&str; 2], threads: usize) -> String {
    let mut out = match (answer.is_cut, answer.same_axioms) {
        (true, _) => format!(
            "no test found before the budget was over; {a} and {b} agree on every program, over all placements:"
        ),
        (_, true) => {
            format!("{a} and {b} have the same axioms for programs of these instructions:")
        }
        _ => format!("{a} and {b} agree on every program, over all placements:"),
    };
    for covered in &answer.covered {
        let what = match covered.family {
            Family::Plain => covered.family.describe().to_owned(),
            family => format!("with {} too", family.describe()),
        };
        let _ = match covered.events {
            0 => write!(out, "\n  {what}: not looked at"),
            events => write!(out, "\n  up to {events} events and {threads} threads, {what}"),
        };
    }
    out
}

/// The answer as a JSON object.
#[must_use]
pub fn json(answer: &Answer, names: [&str; 2], threads: usize) -> String {
    let found: Vec<Value> = answer
        .found
        .iter()
        .map(|one| {
            let verdicts: Vec<Value> = names
                .iter()
                .zip(&one.said)
                .map(|(name, said)| {
                    json!({"model": name, "verdict": said.kind.name(), "axioms": said.axioms})
                })
                .collect();
            json!({
                "events": one.events,
                "threads": one.threads,
                "verdicts": verdicts,
                "test": one.text,
            })
        })
        .collect();
    let covered: Vec<Value> = answer
        .covered
        .iter()
        .map(|c| json!({"instructions": c.family.describe(), "events": c.events, "threads": threads}))
        .collect();
    let value = json!({
        "schema": SCHEMA,
        "tool": concat!("ptxmc ", env!("CARGO_PKG_VERSION")),
        "models": names,
        "found": found,
        "covered": covered,
        "outside": answer.outside,
        "only": answer.only,
        "same_axioms": answer.same_axioms,
        "budget_over": answer.is_cut,
        "too_large": answer.too_large,
    });
    format!("{value:#}\n")
}
