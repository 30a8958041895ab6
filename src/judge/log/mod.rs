//! The parsers from logs into observations: the final states that a machine or a tool has shown,
//! and their counts.
//!
//! Names are normalized to the spelling of event graphs, `P0:r1` and `x`. A malformed log is
//! reported with the place of the error, and the observations before the error are kept.

pub mod herd;
pub mod json;
pub mod table;

use crate::diagnostic::Diagnostic;
use crate::id::FileId;
use crate::litmus::print::integer;
use crate::source::{Files, Span};

/// The entry of a log for one test.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name in the test's header.
    pub name: String,
    /// The file of the test, if given in the log.
    pub path: Option<String>,
    /// The fingerprint of the test, where the log has one.
    pub hash: Option<String>,
    /// The final states, in the order of the log.
    pub states: Vec<Seen>,
    /// How long the test ran, in seconds.
    pub seconds: Option<f64>,
    /// The source range in the log.
    pub span: Span,
}

/// A final state of a log.
#[derive(Clone, Debug, PartialEq)]
pub struct Seen {
    /// Names and values, in the order of the log.
    pub values: Vec<(String, Value)>,
    /// The number of occurrences; `None` in logs of tools that list possible states.
    pub count: Option<u64>,
    /// The source range in the log.
    pub span: Span,
}

/// A value in a final state.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// An integer. An integer with its highest bit set may be in signed or unsigned form.
    Number(i128),
    /// Something else, such as an address or a symbol.
    Symbol(String),
}

impl Value {
    /// The value for the text in a log.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let text = text.trim();
        let (sign, digits) = match text.strip_prefix('-') {
            Some(rest) => (-1, rest),
            None => (1, text),
        };
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let number = match hex {
            // Of a number of 128 bits the bits count.
            Some(hex) => u128::from_str_radix(hex, 16).ok().map(|bits| bits as i128),
            None if digits.starts_with(|c: char| c.is_ascii_digit()) => {
                digits.parse::<u128>().ok().map(|bits| bits as i128)
            }
            None => None,
        };
        match number {
            Some(number) => Self::Number(number.wrapping_mul(sign)),
            None => Self::Symbol(text.to_owned()),
        }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Number(number) => f.write_str(&integer(*number)),
            Self::Symbol(text) => f.write_str(text),
        }
    }
}

/// An error in a log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// A line of a known form with a missing part.
    #[error("{0}")]
    Malformed(&'static str, Span, &'static str),
    /// Fewer states than announced.
    #[error("{found} of {wanted} states: the log of `{test}` is cut off")]
    Missing {
        /// The test.
        test: String,
        /// How many states there should be.
        wanted: u64,
        /// How many there are.
        found: u64,
        /// The line that says so.
        span: Span,
    },
    /// More states than the line before them says.
    #[error("{found} states of `{test}`, where {wanted} {} announced", if *wanted == 1 { "is" } else { "are" })]
    Surplus {
        /// The test.
        test: String,
        /// How many states there should be.
        wanted: u64,
        /// How many there are.
        found: u64,
        /// The line that says so.
        span: Span,
    },
    /// A file of another form.
    #[error("this is neither a log nor a trace")]
    Unknown(Span),
    /// The message of a parser for a structured format.
    #[error("{what}")]
    Unreadable {
        /// In words.
        what: String,
        /// The place.
        span: Span,
    },
}

impl LogError {
    /// The message for the user.
    #[must_use]
    pub fn diagnostic(&self) -> Diagnostic {
        let message = self.to_string();
        match self {
            Self::Malformed(_, span, help) => {
                Diagnostic::error("log-malformed", *span, message).help(*help)
            }
            Self::Missing { span, .. } => Diagnostic::error("log-cut-off", *span, message)
                .help("run the test again, or remove its part of the log"),
            Self::Surplus { span, .. } => Diagnostic::error("log-surplus", *span, message)
                .help("two logs may have run into each other: give each one by itself"),
            Self::Unknown(span) => Diagnostic::error("log-unreadable", *span, message).help(
                "a log has lines `Test NAME Allowed`, or is an object in JSON, or a table whose header \
                 begins with `test,`; a trace begins with a line such as `0: st.weak.u32 x := 1` or \
                 `thread 0 @ gpu 0, cta 0`",
            ),
            Self::Unreadable { span, .. } => Diagnostic::error("log-unreadable", *span, message)
                .help("`paper-notes/judge.md` describes the formats of logs"),
        }
    }
}

/// The form of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Lines as herd7 has them, or nothing at all.
    Lines,
    /// A table.
    Table,
    /// JSON.
    Json,
}

impl Form {
    /// The form of a text; `None` where it is no log.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let starts = |line: &str| {
            ["Test", "States", "Histogram"].contains(&line.split_whitespace().next().unwrap_or(""))
        };
        if text.trim().is_empty() || text.lines().any(starts) {
            return Some(Self::Lines);
        }
        match text.trim_start().starts_with(['{', '[']) {
            true => Some(Self::Json),
            false => table::is_header(table::first_line(text)).then_some(Self::Table),
        }
    }
}

/// Reads a log in any supported format: JSON if the log begins with `{`, CSV if its first line is a
/// header that begins with `test,`, else text.
#[must_use]
pub fn read(files: &Files, file: FileId) -> (Vec<Entry>, Vec<Diagnostic>) {
    let text = files.get(file).map_or("", |file| file.text.as_str());
    let (entries, errors) = match Form::of(text) {
        Some(Form::Json) => json::read(text, file),
        Some(Form::Table) => table::read(text, file),
        Some(Form::Lines) => herd::read(text, file),
        None => (Vec::new(), vec![LogError::Unknown(Span::new(file, 0, 0))]),
    };
    (entries.into_iter().map(seen).collect(), errors.iter().map(LogError::diagnostic).collect())
}

/// The entry without the states with a count of 0, which tables and reports list all the same.
fn seen(mut entry: Entry) -> Entry {
    entry.states.retain(|state| state.count != Some(0));
    entry
}

/// The message that a text is no count.
fn no_count(text: &str) -> String {
    format!("`{text}` is no count, which is an integer from 0 to 2^64 - 1")
}

/// The message that a state has two values of one register or variable.
fn two_values(name: &str) -> String {
    format!("`{name}` has two values in one state")
}

/// The values of a state, each name once.
///
/// # Errors
/// When a name has two values: its name.
fn distinct(values: Vec<(String, Value)>) -> Result<Vec<(String, Value)>, String> {
    let mut out: Vec<(String, Value)> = Vec::new();
    for (name, value) in values {
        match out.iter().find(|(known, _)| *known == name) {
            Some((_, other)) if *other != value => return Err(name),
            Some(_) => {}
            None => out.push((name, value)),
        }
    }
    Ok(out)
}

/// The name as event graphs spell it: `P0:r1` for `0:r1` and `P0:%r1`, `x` for `[x]`.
#[must_use]
pub fn spelt(name: &str) -> String {
    let bare = |text: &str| {
        let text = text.trim();
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        inner.unwrap_or(text).trim().trim_start_matches('%').to_owned()
    };
    let name = bare(name);
    match name.split_once(':') {
        Some((thread, what)) => {
            let thread = thread.trim();
            let number = !thread.is_empty() && thread.bytes().all(|b| b.is_ascii_digit());
            format!("{}{thread}:{}", if number { "P" } else { "" }, bare(what))
        }
        None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_spelt_as_in_event_graphs() {
        for (log, own) in [
            ("0:r1", "P0:r1"),
            ("P0:%r1", "P0:r1"),
            ("1: EAX", "P1:EAX"),
            ("[x]", "x"),
            ("x", "x"),
            ("[x[1]]", "x[1]"),
            ("x[1]", "x[1]"),
            ("0:[s]", "P0:s"),
            ("host:r1", "host:r1"),
        ] {
            assert_eq!(spelt(log), own, "{log}");
        }
    }

    #[test]
    fn values_are_integers_or_symbols() {
        assert_eq!(Value::of("-1"), Value::Number(-1));
        assert_eq!(Value::of("0x10"), Value::Number(16));
        assert_eq!(Value::of("18446744073709551615"), Value::Number(i128::from(u64::MAX)));
        assert_eq!(Value::of("&x"), Value::Symbol("&x".to_owned()));
        assert_eq!(Value::of("S4"), Value::Symbol("S4".to_owned()));
        assert_eq!(Value::of("0xyz"), Value::Symbol("0xyz".to_owned()));
    }
}
