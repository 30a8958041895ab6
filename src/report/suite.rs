//! Tests that characterize a model, as text and JSON.

use super::json::SCHEMA;
use crate::workbench::small::rows::MOST;
use crate::workbench::suite::{Pin, Suite};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A line for each wording, by shape: the weakest orders and scopes that forbid the outcome.
#[must_use]
pub fn table(suite: &Suite, model: &str) -> String {
    let mut shapes: BTreeMap<(usize, usize, &str), Vec<&Pin>> = BTreeMap::new();
    for pin in &suite.tests {
        shapes.entry((pin.events, pin.threads, &pin.shape)).or_default().push(pin);
    }
    let mut out = String::new();
    for ((events, threads, shape), pins) in &shapes {
        let _ = writeln!(out, "{shape} ({events} events, {threads} threads)");
        let width = pins.iter().map(|pin| pin.wording.chars().count()).max().unwrap_or(0);
        for pin in pins {
            let _ = writeln!(out, "  {:width$}  {}", pin.wording, pin.axioms.join(", "));
        }
    }
    out + &summary(suite, model)
}

/// The tests as text.
#[must_use]
pub fn text(suite: &Suite, model: &str) -> String {
    let tests: Vec<&str> = suite.tests.iter().map(|pin| pin.text.as_str()).collect();
    format!("{}\n{}", tests.join("\n"), summary(suite, model))
}

fn summary(suite: &Suite, model: &str) -> String {
    let mut sizes: BTreeMap<usize, usize> = BTreeMap::new();
    suite.tests.iter().for_each(|pin| *sizes.entry(pin.events).or_default() += 1);
    let sizes: Vec<String> =
        sizes.iter().map(|(events, count)| format!("{count} of {events} events")).collect();
    let count = suite.tests.len();
    let sizes = if sizes.is_empty() { String::new() } else { format!(": {}", sizes.join(", ")) };
    let mut out =
        format!("{count} tests pin {model}{sizes}; {} shapes were looked at\n", suite.shapes);
    if !suite.only.is_empty() {
        let _ = writeln!(out, "looked at programs of {} only", suite.only.join(", "));
    }
    if suite.too_large > 0 {
        let _ = writeln!(
            out,
            "not looked at: {} skeletons whose programs have more than {MOST} events, initial writes included",
            suite.too_large
        );
    }
    out
}

/// The tests as one JSON object.
#[must_use]
pub fn json(suite: &Suite, model: &str) -> String {
    let one = |pin: &Pin| {
        json!({
            "name": pin.name,
            "shape": pin.shape,
            "wording": pin.wording,
            "events": pin.events,
            "threads": pin.threads,
            "axioms": pin.axioms,
            "test": pin.text,
        })
    };
    let tests: Vec<Value> = suite.tests.iter().map(one).collect();
    let value = json!({
        "schema": SCHEMA,
        "tool": concat!("ptxmc ", env!("CARGO_PKG_VERSION")),
        "model": model,
        "tests": tests,
        "too_large": suite.too_large,
        "only": suite.only,
    });
    format!("{value:#}\n")
}
