//! A clause of the standard as a JSON document.

use super::clauses::{Account, Clause};
use super::json::SCHEMA;
use super::readings::description;
use serde_json::{Value, json};

/// A clause as data.
#[must_use]
pub fn render(clause: &Clause, model: &str, account: &Account) -> String {
    let line = |(place, text): &(String, String)| json!({ "place": place, "text": text });
    let reading =
        |name: &String| json!({ "reading": name, "text": description(name).unwrap_or_default() });
    let value = json!({
        "schema": SCHEMA,
        "tool": concat!("ptxmc ", env!("CARGO_PKG_VERSION")),
        "clause": clause.id,
        "title": clause.title,
        "text": clause.words,
        "model": model,
        "lines": account.lines.iter().map(line).collect::<Vec<Value>>(),
        "readings": account.readings.iter().map(reading).collect::<Vec<Value>>(),
        "tests": account.tests,
    });
    format!("{value:#}\n")
}
