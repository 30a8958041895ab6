//! Runs on a GPU as a litmus7 log and as JSON, which `paper-notes/json.md` documents.

use super::herd;
use super::json::SCHEMA;
use crate::batch::Case;
use crate::hardware::fields::{Field, kind_word};
use crate::hardware::states::{Histogram, decimal, holds, passes};
use crate::litmus::ast::Quantifier;
use crate::source::Files;
use serde_json::{Map, Number, Value, json};
use std::fmt::Write;

/// The results of a test on a GPU.
pub struct TestRun<'s> {
    /// The test.
    pub case: &'s Case,
    /// The observed registers and locations.
    pub fields: &'s [Field],
    /// The number of occurrences of each final state.
    pub histogram: &'s Histogram,
    /// The duration of the run.
    pub seconds: f64,
}

/// The conditions under which tests were run.
pub struct Setting<'s> {
    /// The GPU.
    pub device: &'s str,
    /// The version of its driver.
    pub driver: i32,
    /// The seed of the random parameters.
    pub seed: u64,
    /// Parameters set by the user, by name.
    pub parameters: &'s [(String, u32)],
}

/// The entry of a test in a litmus7 log, terminated by an empty line.
#[must_use]
pub fn entry(run: &TestRun<'_>, files: &Files) -> String {
    let TestRun { case, fields, histogram, seconds } = run;
    let test = &case.test;
    let states: Vec<_> =
        histogram.sorted().into_iter().filter(|(s, _)| passes(test, fields, s)).collect();
    let mut out = format!("Test {} {}\n", test.name, kind_word(test.quantifier));
    let _ = writeln!(out, "Histogram ({} states)", states.len());
    // Registers come first, as in herd.
    let mut order: Vec<usize> = (0..fields.len()).collect();
    order.sort_by_key(|&at| !fields[at].name.contains(':'));
    for (state, count) in states {
        let mark = if holds(&test.condition, test, fields, state) { '*' } else { ':' };
        let values: Vec<String> = order
            .iter()
            .map(|&at| {
                format!("{}={};", herd::name(&fields[at].name), decimal(&fields[at], state[at]))
            })
            .collect();
        let _ = writeln!(out, "{count:<8}{mark}>{}", values.join(" "));
    }
    let (matching, other) = histogram.split(test, fields);
    let (positive, negative, is_satisfied) = match test.quantifier {
        Quantifier::Exists => (matching, other, matching > 0),
        Quantifier::NotExists => (other, matching, matching == 0),
        Quantifier::Forall => (matching, other, other == 0),
    };
    let _ = writeln!(out, "{}\n", if is_satisfied { "Ok" } else { "No" });
    let _ = writeln!(out, "Witnesses\nPositive: {positive}, Negative: {negative}");
    let _ = writeln!(out, "Condition {}", herd::condition(test));
    let _ = writeln!(out, "Hash={}", herd::hash(test, files));
    let often = match (matching, other) {
        (0, _) => "Never",
        (_, 0) => "Always",
        _ => "Sometimes",
    };
    let _ = writeln!(out, "Observation {} {often} {matching} {other}", test.name);
    let _ = writeln!(out, "Time {} {seconds:.2}\n", test.name);
    out
}

/// The start of a JSON report; tests follow, separated by commas.
#[must_use]
pub fn head(setting: &Setting<'_>) -> String {
    let parameters: Map<String, Value> =
        setting.parameters.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    format!(
        "{{\n\"schema\": {SCHEMA},\n\"tool\": {},\n\"device\": {},\n\"driver\": {},\n\"seed\": {},\n\
         \"parameters\": {},\n\"tests\": [",
        json!(concat!("ptxmc ", env!("CARGO_PKG_VERSION"))),
        json!(setting.device),
        json!(version(setting.driver)),
        setting.seed,
        Value::Object(parameters),
    )
}

/// The usual notation for a driver version.
#[must_use]
pub fn version(driver: i32) -> String {
    format!("{}.{}", driver / 1000, driver % 1000 / 10)
}

/// The end of a JSON report, with the omitted tests and their reasons.
#[must_use]
pub fn tail(omitted: &[(String, String)]) -> String {
    let lines: Vec<String> = omitted
        .iter()
        .map(|(path, why)| format!("\n{}", json!({ "path": path, "why": why })))
        .collect();
    format!("\n],\n\"omitted\": [{}\n]\n}}\n", lines.join(","))
}

/// A test as one line of JSON.
#[must_use]
pub fn test(run: &TestRun<'_>, files: &Files) -> String {
    let TestRun { case, fields, histogram, seconds } = run;
    let test = &case.test;
    let states: Vec<Value> = histogram
        .sorted()
        .into_iter()
        .filter(|(state, _)| passes(test, fields, state))
        .map(|(state, count)| {
            let values: Map<String, Value> = fields
                .iter()
                .zip(state)
                .map(|(field, &bits)| (field.name.clone(), number(&decimal(field, bits))))
                .collect();
            let holds = holds(&test.condition, test, fields, state);
            json!({ "state": values, "count": count, "matches": holds })
        })
        .collect();
    let weak = histogram.outcomes(test, fields);
    let value = json!({
        "path": case.path,
        "name": test.name,
        "hash": herd::hash(test, files),
        "states": states,
        "runs": histogram.runs(),
        "seconds": (seconds * 1000.0).round() / 1000.0,
        "weak": weak,
    });
    format!("\n{value}")
}

/// A decimal number as a JSON number, or as a string if readers could not represent the number.
fn number(decimal: &str) -> Value {
    let signed = decimal.parse::<i64>().map(Number::from);
    let number = signed.or_else(|_| decimal.parse::<u64>().map(Number::from));
    number.map_or_else(|_| json!(decimal), Value::Number)
}

/// A line of the file of interim results, with the results of a test so far.
#[must_use]
pub fn record(key: &str, run: &InterimResult) -> String {
    let states: Vec<Value> = run
        .histogram
        .sorted()
        .into_iter()
        .map(|(state, count)| {
            let values: Vec<String> = state.iter().map(ToString::to_string).collect();
            json!([values, count])
        })
        .collect();
    let value = json!({
        "test": key,
        "seconds": run.seconds,
        "launches": run.launches,
        "first": run.first,
        "over": run.extent == Extent::Complete,
        "states": states,
    });
    format!("{value}\n")
}

/// The extent of stored results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Extent {
    /// The run of the test goes on, or was interrupted.
    #[default]
    Partial,
    /// The run of the test has ended.
    Complete,
}

/// The interim results of a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InterimResult {
    /// The final states.
    pub histogram: Histogram,
    /// The duration so far.
    pub seconds: f64,
    /// The launches so far.
    pub launches: u64,
    /// The time of the first occurrence of the condition.
    pub first: Option<f64>,
    /// Whether the test is complete.
    pub extent: Extent,
}

/// The content of a line written by [`record`]; `None` for other lines, such as incompletely written ones.
#[must_use]
pub fn parse_record(line: &str) -> Option<(String, InterimResult)> {
    let value: Value = serde_json::from_str(line).ok()?;
    let mut histogram = Histogram::default();
    for entry in value["states"].as_array()? {
        let state = entry[0].as_array()?.iter();
        let state: Option<Vec<u128>> =
            state.map(|bits| bits.as_str().and_then(|text| text.parse().ok())).collect();
        histogram.add(state?, entry[1].as_u64()?);
    }
    let result = InterimResult {
        histogram,
        seconds: value["seconds"].as_f64()?,
        launches: value["launches"].as_u64()?,
        first: value["first"].as_f64(),
        extent: match value["over"].as_bool()? {
            true => Extent::Complete,
            false => Extent::Partial,
        },
    };
    Some((value["test"].as_str()?.to_owned(), result))
}
