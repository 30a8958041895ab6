//! The parser from tables of comma-separated values into observations.
//!
//! The header is `test`, a column for each register or variable, and `count`. A row has a test, the
//! observed values, with empty cells for unobserved registers and variables, and the number of
//! occurrences.

use super::{Entry, LogError, Seen, Value, distinct, no_count, spelt, two_values};
use crate::id::FileId;
use crate::source::Span;
use csv::{ReaderBuilder, StringRecord};

const FORM: &str =
    "the header is `test`, names of registers and variables, and `count`, with commas between";

/// The first line that is neither empty nor a comment.
#[must_use]
pub fn first_line(text: &str) -> &str {
    let mut lines = text.lines().map(str::trim);
    lines.find(|line| !line.is_empty() && !line.starts_with('#')).unwrap_or("")
}

/// Whether a line is a table header.
#[must_use]
pub fn is_header(line: &str) -> bool {
    let (first, others) = line.split_at(line.find([',', ';', '\t']).unwrap_or(line.len()));
    !others.is_empty() && first.trim().trim_matches('"') == "test"
}

/// Reads a table; rows with errors are left out.
#[must_use]
pub fn read(text: &str, file: FileId) -> (Vec<Entry>, Vec<LogError>) {
    let mut reader =
        ReaderBuilder::new().trim(csv::Trim::All).comment(Some(b'#')).from_reader(text.as_bytes());
    let (mut entries, mut errors): (Vec<Entry>, Vec<LogError>) = (Vec::new(), Vec::new());
    let header = match reader.headers() {
        Ok(header) => header.clone(),
        Err(error) => return (entries, vec![unreadable(&error, file)]),
    };
    if let Some(what) = lacking(&header) {
        let line = first_line(text);
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let span = Span::new(file, start, start + line.len());
        return (entries, vec![LogError::Malformed(what, span, FORM)]);
    }
    for record in reader.records() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                errors.push(unreadable(&error, file));
                continue;
            }
        };
        match seen(&header, &record, file) {
            Ok((name, seen)) => match entries.iter_mut().rev().find(|entry| entry.name == name) {
                Some(entry) => entry.states.push(seen),
                None => {
                    let span = seen.span;
                    let (path, hash, seconds) = (None, None, None);
                    let states = vec![seen];
                    entries.push(Entry { name, path, hash, states, seconds, span });
                }
            },
            Err(error) => errors.push(error),
        }
    }
    (entries, errors)
}

/// What is wrong with a header.
fn lacking(header: &StringRecord) -> Option<&'static str> {
    let has = |name: &str| header.iter().filter(|cell| *cell == name).count();
    match (has("test"), has("count")) {
        (0, _) => Some("cells of this table are not separated by commas"),
        (_, 0) => Some("this table has no column `count`"),
        (2.., _) | (_, 2..) => Some("two columns of this table have one name"),
        (1, 1) => None,
    }
}

/// The test and the state of a row.
fn seen(
    header: &StringRecord,
    record: &StringRecord,
    file: FileId,
) -> Result<(String, Seen), LogError> {
    let start = record.position().map_or(0, |position| position.byte() as usize);
    let span = Span::new(file, start, start);
    let (mut name, mut count, mut values) = ("", "", Vec::new());
    for (column, cell) in header.iter().zip(record) {
        match column {
            "test" => name = cell,
            "count" => count = cell,
            _ if cell.is_empty() => {}
            _ => values.push((spelt(column), Value::of(cell))),
        }
    }
    if name.is_empty() {
        return Err(LogError::Malformed(
            "a row without a test",
            span,
            "its name is in column `test`",
        ));
    }
    if count.is_empty() {
        let help = "column `count` says how often the state was seen";
        return Err(LogError::Malformed("a row without a count", span, help));
    }
    let Ok(count) = count.parse::<u64>() else {
        return Err(LogError::Unreadable { what: no_count(count), span });
    };
    let values =
        distinct(values).map_err(|name| LogError::Unreadable { what: two_values(&name), span })?;
    Ok((name.to_owned(), Seen { values, count: Some(count), span }))
}

fn unreadable(error: &csv::Error, file: FileId) -> LogError {
    let at = error.position().map_or(0, |position| position.byte() as usize);
    let what = match error.kind() {
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("a row of {len} cells under a header of {expected_len}")
        }
        _ => error.to_string(),
    };
    LogError::Unreadable { what, span: Span::new(file, at, at) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_states() {
        let text = "test,P0:r1,1:r2,x,count\nMP,1,0,,3\nMP,1,1,,4\nS,,,2,5\nMP,1,1\nS,,,2,many\n";
        assert!(is_header(text.lines().next().unwrap_or("")));
        let (entries, errors) = read(text, FileId::new(0));
        let names: Vec<_> = entries.iter().map(|e| (e.name.as_str(), e.states.len())).collect();
        assert_eq!(names, [("MP", 2), ("S", 1)]);
        assert_eq!(entries[0].states[0].values[1], ("P1:r2".to_owned(), Value::Number(0)));
        assert_eq!(entries[1].states[0].values, [("x".to_owned(), Value::Number(2))]);
        let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(
            errors,
            [
                "a row of 3 cells under a header of 5",
                "`many` is no count, which is an integer from 0 to 2^64 - 1"
            ]
        );
    }
}
