//! The JSON that runs on devices give into observations.

use super::{Entry, LogError, Seen, Value, distinct, no_count, spelt, two_values};
use crate::id::FileId;
use crate::source::Span;
use serde::Deserialize;
use serde::de::{Deserializer, Error, MapAccess, Visitor};
use std::fmt;

/// The schema that is understood.
pub const SCHEMA: u64 = 1;

/// A report. Its other fields (device, driver, seed, parameters) are ignored.
#[derive(Deserialize)]
struct Report {
    schema: u64,
    tests: Vec<Test>,
}

#[derive(Deserialize)]
struct Test {
    name: String,
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    hash: Option<String>,
    states: Vec<State>,
    #[serde(default)]
    seconds: Option<f64>,
}

#[derive(Deserialize)]
struct State {
    #[serde(deserialize_with = "values")]
    state: Vec<(String, Value)>,
    #[serde(deserialize_with = "count")]
    count: u64,
}

/// How often a state was seen.
fn count<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
    let number = serde_json::Number::deserialize(from)?;
    number.as_u64().ok_or_else(|| D::Error::custom(no_count(&number.to_string())))
}

/// The values of a state, whose names are spelled in whatever way.
fn values<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(String, Value)>, D::Error> {
    struct Values;
    impl<'de> Visitor<'de> for Values {
        type Value = Vec<(String, Value)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("the values of registers and variables by their names")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut all = Vec::new();
            while let Some((name, number)) = map.next_entry::<String, Number>()? {
                all.push((spelt(&name), number.value()));
            }
            distinct(all).map_err(|name| A::Error::custom(two_values(&name)))
        }
    }
    from.deserialize_map(Values)
}

/// A value: a number, or a text where numbers of the format end.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Unsigned(u64),
    Signed(i64),
    Text(String),
}

impl Number {
    fn value(&self) -> Value {
        match self {
            Self::Unsigned(number) => Value::Number(i128::from(*number)),
            Self::Signed(number) => Value::Number(i128::from(*number)),
            Self::Text(text) => Value::of(text),
        }
    }
}

/// Reads a report; one with an error is left out as a whole.
#[must_use]
pub fn read(text: &str, file: FileId) -> (Vec<Entry>, Vec<LogError>) {
    if text.trim_start().starts_with('[') {
        let what =
            "a log in JSON is an object with `schema` and `tests`, and this is an array".to_owned();
        let span = Span::new(file, 0, 0);
        return (Vec::new(), vec![LogError::Unreadable { what, span }]);
    }
    let report: Report = match serde_json::from_str(text) {
        Ok(report) => report,
        Err(error) => {
            let at = offset(text, error.line(), error.column());
            let what = error.to_string();
            let what = what.split(" at line ").next().unwrap_or_default().to_owned();
            let span = Span::new(file, at, at);
            return (Vec::new(), vec![LogError::Unreadable { what, span }]);
        }
    };
    if report.schema != SCHEMA {
        let what = format!("a log of schema {}, where {SCHEMA} is known", report.schema);
        let span = Span::new(file, 0, 0);
        return (Vec::new(), vec![LogError::Unreadable { what, span }]);
    }
    let span = Span::new(file, 0, 0);
    let seen = |state: &State| Seen { values: state.state.clone(), count: Some(state.count), span };
    let entry = |test: Test| Entry {
        states: test.states.iter().map(seen).collect(),
        name: test.name,
        path: test.path,
        hash: test.hash,
        seconds: test.seconds,
        span,
    };
    (report.tests.into_iter().map(entry).collect(), Vec::new())
}

/// The byte at a line and column, both from 1.
fn offset(text: &str, line: usize, column: usize) -> usize {
    let before: usize = text.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    (before + column.saturating_sub(1)).min(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_have_counts_and_numbers_of_any_sign() {
        let text = r#"{"schema": 1, "device": "any", "tests": [{"name": "A", "path": "a.litmus",
            "states": [{"state": {"P0:r1": -1, "x": 18446744073709551615, "y": "0x10"}, "count": 3}],
            "runs": 3, "seconds": 0.5, "weak": 0}]}"#;
        let (entries, errors) = read(text, FileId::new(0));
        assert!(errors.is_empty());
        let values: Vec<_> = entries[0].states[0].values.iter().map(|(_, v)| v.clone()).collect();
        let expected = [-1, i128::from(u64::MAX), 16].map(Value::Number);
        assert_eq!(values, expected);
        assert_eq!(entries[0].path.as_deref(), Some("a.litmus"));
    }

    #[test]
    fn errors_have_places() {
        let text = "{\"schema\": 1, \"tests\": [\n {\"name\": \"A\"}\n]}";
        let (_, errors) = read(text, FileId::new(0));
        let [LogError::Unreadable { what, span }] = &errors[..] else { panic!("{errors:?}") };
        assert_eq!(what, "missing field `states`");
        assert!(text[..span.start as usize].contains("\"A\""));
        let (_, errors) = read("{\"schema\": 7, \"tests\": []}", FileId::new(0));
        assert_eq!(errors.len(), 1);
    }
}
