//! The parser from the text that herd7, litmus7 and this tool print into observations.
//!
//! A test begins with `Test NAME KIND`. Its states follow `States N`, one on each of N lines, or
//! `Histogram (N states)`, each preceded by its count and `:>`, or by `*>` for the outcome in
//! question. Lines of no known form are skipped, since programs print arbitrary text between tests.

use super::{Entry, LogError, Seen, Value, distinct, no_count, spelt, two_values};
use crate::id::FileId;
use crate::source::Span;
use std::cmp::Ordering;

/// Reads the tests of a log, or of several one behind the other.
#[must_use]
pub fn read(text: &str, file: FileId) -> (Vec<Entry>, Vec<LogError>) {
    let mut reader = Reader { entries: Vec::new(), errors: Vec::new(), due: None };
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        reader.line(bare, Span::new(file, start, start + bare.len()));
        start += line.len();
    }
    reader.finish_states();
    (reader.entries, reader.errors)
}

struct Reader {
    entries: Vec<Entry>,
    errors: Vec<LogError>,
    due: Option<Due>,
}

/// States that are still to come.
struct Due {
    form: Form,
    wanted: u64,
    found: u64,
    span: Span,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    /// A state on each line.
    States,
    /// A count before each state.
    Histogram,
}

/// The first words of lines behind the states of a test.
const ANSWERS: &[&str] = &[
    "Ok",
    "No",
    "Undef",
    "Unknown",
    "Loop",
    "Witnesses",
    "Positive:",
    "Flag",
    "Condition",
    "Observation",
    "Time",
];

/// Words that begin a test or its states.
const HEADS: &[&str] = &["Test", "States", "Histogram"];

const HISTOGRAM: &str = "a state with its count is `12:>0:r1=0;`, or `12*>0:r1=0;`";

impl Reader {
    fn line(&mut self, line: &str, span: Span) {
        if self.is_state(line) {
            return self.state(line, span);
        }
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if ANSWERS.contains(&word) {
            self.finish_states();
        }
        match word {
            "Test" => self.test(rest, span),
            "States" | "Histogram" => self.states(word, rest, span),
            "Positive:" => self.numbers(line, &["Positive:", "Negative:"], span),
            "Observation" => self.observation(rest, span),
            "Time" => self.time(rest, span),
            _ => {
                if let Some(hash) = line.strip_prefix("Hash=") {
                    self.hash(hash.trim(), span);
                }
            }
        }
    }

    /// Whether a line is one of the expected states or a surplus state, well-formed or not.
    fn is_state(&self, line: &str) -> bool {
        let Some(due) = &self.due else { return false };
        let word = line.split_whitespace().next().unwrap_or("");
        if line.starts_with("Hash=") || ANSWERS.contains(&word) || HEADS.contains(&word) {
            return false;
        }
        let is_like_one = line.contains('=') && line.ends_with(';');
        match due.form {
            Form::States => due.found < due.wanted || is_like_one,
            // A machine may print other lines between the states.
            Form::Histogram => line.contains(":>") || line.contains("*>") || is_like_one,
        }
    }

    fn test(&mut self, rest: &str, span: Span) {
        self.finish_states();
        let name = rest.split_whitespace().next();
        let Some(name) = name else {
            self.malformed("a test without a name", span, "a test begins with `Test NAME Allowed`");
            return;
        };
        self.entries.push(Entry {
            name: name.to_owned(),
            path: None,
            hash: None,
            states: Vec::new(),
            seconds: None,
            span,
        });
    }

    fn states(&mut self, word: &str, rest: &str, span: Span) {
        self.finish_states();
        if self.entries.is_empty() {
            return self.malformed(
                "states of no test",
                span,
                "a line `Test NAME Allowed` comes before them",
            );
        }
        let (form, number) = match word {
            "States" => (Form::States, Some(rest)),
            _ => {
                let inner = rest.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                let number = inner.and_then(|inner| inner.split_whitespace().next());
                (Form::Histogram, number)
            }
        };
        let Some(wanted) = number.and_then(|number| number.parse().ok()) else {
            return self.malformed(
                "how many states follow is not said",
                span,
                "it is `States 4` or `Histogram (4 states)`",
            );
        };
        self.due = Some(Due { form, wanted, found: 0, span });
    }

    fn state(&mut self, line: &str, span: Span) {
        let Some(due) = &mut self.due else { return };
        due.found += 1;
        let (count, text) = match due.form {
            Form::States => (None, line),
            Form::Histogram => {
                let Some((count, text)) = counted(line) else {
                    return self.malformed("a state without a count", span, HISTOGRAM);
                };
                match count.parse::<u64>() {
                    Ok(count) => (Some(count), text),
                    Err(_) => {
                        let what = no_count(count);
                        return self.errors.push(LogError::Unreadable { what, span });
                    }
                }
            }
        };
        let Some(values) = values(text) else {
            return self.malformed("this is no state", span, "a state is `0:r1=0; [x]=1;`");
        };
        match distinct(values) {
            Ok(values) => {
                if let Some(entry) = self.entries.last_mut() {
                    entry.states.push(Seen { values, count, span });
                }
            }
            Err(name) => {
                self.errors.push(LogError::Unreadable { what: two_values(&name), span });
            }
        }
    }

    /// Ends a list of states; one that lacks some was cut off.
    fn finish_states(&mut self) {
        let (Some(due), Some(entry)) = (self.due.take(), self.entries.last()) else { return };
        let (test, Due { wanted, found, span, .. }) = (entry.name.clone(), due);
        match found.cmp(&wanted) {
            Ordering::Less => self.errors.push(LogError::Missing { test, wanted, found, span }),
            Ordering::Equal => {}
            Ordering::Greater => {
                self.errors.push(LogError::Surplus { test, wanted, found, span });
            }
        }
    }

    /// `Positive: 1 Negative: 2`, with or without a comma.
    fn numbers(&mut self, line: &str, words: &[&str], span: Span) {
        let mut parts = line.split([' ', ',', '\t']).filter(|part| !part.is_empty());
        let good = words.iter().all(|word| {
            parts.next() == Some(word) && parts.next().is_some_and(|n| n.parse::<u64>().is_ok())
        });
        if !good {
            self.malformed(
                "witnesses are not counted",
                span,
                "the line is `Positive: 1 Negative: 2`",
            );
        }
    }

    /// `NAME Sometimes 1 2`.
    fn observation(&mut self, rest: &str, span: Span) {
        let parts: Vec<&str> = rest.split_whitespace().collect();
        let often = ["Sometimes", "Never", "Always", "Unknown"];
        let good = matches!(&parts[..], [_, word, positive, negative]
            if often.contains(word)
                && positive.parse::<u64>().is_ok()
                && negative.parse::<u64>().is_ok());
        if !good {
            let help = "the line is `Observation NAME Sometimes 1 2`";
            self.malformed("this is no observation", span, help);
        }
    }

    fn time(&mut self, rest: &str, span: Span) {
        let seconds = rest.split_whitespace().nth(1).and_then(|n| n.parse::<f64>().ok());
        match (seconds, self.entries.last_mut()) {
            (Some(seconds), Some(entry)) => entry.seconds = Some(seconds),
            (None, Some(_)) => {
                self.malformed("this is no time", span, "the line is `Time NAME SECONDS`");
            }
            // Output before the first test belongs to no test.
            (_, None) => {}
        }
    }

    fn hash(&mut self, hash: &str, span: Span) {
        if hash.is_empty() {
            return self.malformed("an empty fingerprint", span, "the line is `Hash=` and digits");
        }
        if let Some(entry) = self.entries.last_mut() {
            entry.hash = Some(hash.to_owned());
        }
    }

    fn malformed(&mut self, what: &'static str, span: Span, help: &'static str) {
        self.errors.push(LogError::Malformed(what, span, help));
    }
}

/// `12:>0:r1=0;` or `12 *>0:r1=0;`: what says how often, and the state.
fn counted(line: &str) -> Option<(&str, &str)> {
    let (before, state) = line.split_once('>')?;
    let count = before.strip_suffix(':').or_else(|| before.strip_suffix('*'))?;
    Some((count.trim(), state))
}

/// The values of a state: `0:r1=0; [x]=1;`, in any spacing; nothing at all where none is observed.
fn values(text: &str) -> Option<Vec<(String, Value)>> {
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts
        .map(|part| {
            // Faults are written without a value.
            let (name, value) = match part.split_once('=') {
                Some((name, value)) => (name, value),
                None if part.trim_start_matches('~').starts_with("Fault") => (part, ""),
                None => return None,
            };
            (!name.trim().is_empty()).then(|| (spelt(name), Value::of(value)))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> (Vec<Entry>, Vec<String>) {
        let (entries, errors) = read(text, FileId::new(0));
        (entries, errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn histograms_are_read() {
        let text = "noise\nTest SB Allowed\nHistogram (3 states)\n11    *>0:EAX=0; 1:EAX=0;\n\
                    499985:>0:EAX=1; 1:EAX=0;\n4:>0:EAX=0; 1:EAX=1;\nOk\n\nWitnesses\n\
                    Positive: 11, Negative: 499989\nCondition exists (0:EAX=0) is validated\n\
                    Hash=ptxmc-ab\nObservation SB Sometimes 11 499989\nTime SB 0.44\n";
        let (entries, errors) = parsed(text);
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(entries.len(), 1);
        let counts: Vec<_> = entries[0].states.iter().map(|state| state.count).collect();
        assert_eq!(counts, [Some(11), Some(499_985), Some(4)]);
        assert_eq!(entries[0].states[1].values[0], ("P0:EAX".to_owned(), Value::Number(1)));
        assert_eq!(
            (entries[0].hash.as_deref(), entries[0].seconds),
            (Some("ptxmc-ab"), Some(0.44))
        );
    }

    #[test]
    fn states_without_values_are_read() {
        let (entries, errors) =
            parsed("Test A Required\nStates 1\n\nOk\nTest B Allowed\nStates 0\nNo\n");
        assert_eq!(errors, Vec::<String>::new());
        assert_eq!(entries[0].states.len(), 1);
        assert!(entries[0].states[0].values.is_empty());
        assert!(entries[1].states.is_empty());
    }

    #[test]
    fn surplus_and_odd_states_are_told() {
        let text = "Test A Allowed\nStates 1\n0:r1=0;\n0:r1=1;\nOk\nnoise=1;\n\
                    Test B Allowed\nHistogram (2 states)\nfive*>0:r1=0;\nnoise\n\
                    99999999999999999999:>0:r1=1;\n1:>0:r1=2;\nOk\n\
                    Test C Allowed\nHistogram (2 states)\n0:r1=0;\n1:>0:r1=1; P0:%r1=2;\n";
        let (entries, errors) = parsed(text);
        assert_eq!(
            errors,
            [
                "2 states of `A`, where 1 is announced",
                "`five` is no count, which is an integer from 0 to 2^64 - 1",
                "`99999999999999999999` is no count, which is an integer from 0 to 2^64 - 1",
                "3 states of `B`, where 2 are announced",
                "a state without a count",
                "`P0:r1` has two values in one state",
            ]
        );
        assert_eq!(entries.iter().map(|entry| entry.states.len()).collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn what_is_malformed_is_told() {
        let text = "Test\nTest A Allowed\nStates two\nHistogram (2 states)\n1:>0:r1=0;\nOk\n\
                    Observation A Perhaps 1 2\nPositive: x Negative: 2\n\
                    Test B Allowed\nStates 1\nhello\n";
        let (_, errors) = parsed(text);
        assert_eq!(
            errors,
            [
                "a test without a name",
                "how many states follow is not said",
                "1 of 2 states: the log of `A` is cut off",
                "this is no observation",
                "witnesses are not counted",
                "this is no state",
            ]
        );
    }
}
