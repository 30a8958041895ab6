//! The text of a changed test.
//!
//! Blocks keep their comments and their layout; only changed statements are rewritten. If this does
//! not yield the changed program, for example because threads of one block would differ, the whole
//! test is printed. The same holds for other formats. Every resulting text is parsed again before
//! it is returned.

use super::program::{Line, lines};
use super::site::Site;
use super::{Set, program};
use crate::litmus::ast::{Dialect, Metadata, Test};
use crate::litmus::parse::parse_bytes;
use crate::litmus::print::{print_blocks, print_columns};
use crate::ptx::print::{PrintError, Style};
use crate::source::{Files, Span, Spanned};

/// Why a changed test has no text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwritten {
    /// The format cannot express the changed test.
    #[error("{0}")]
    Print(#[from] PrintError),
    /// The text cannot be parsed again.
    #[error("the changed test cannot be read again: {0}")]
    Read(String),
    /// The text is parsed as another program.
    #[error("the changed test reads as another program")]
    Other,
}

/// The text of a changed test that expects its new verdict.
///
/// `number` is the index of the test in the set, and `text` is the whole file of the original test.
///
/// # Errors
/// When no text is parsed as the changed test.
pub fn rewritten(
    test: &Test,
    number: usize,
    sites: &[Site],
    set: &Set,
    expect: Option<&str>,
    text: &str,
) -> Result<String, Unwritten> {
    let mut changed = set.tests[number].clone();
    expecting(&mut changed, expect);
    if test.dialect == Dialect::Blocks
        && let Some(spliced) = spliced(test, sites, set, expect, text)
        && reads_as(&spliced, &changed).is_ok()
    {
        return Ok(spliced);
    }
    let printed = match program::style(test) {
        Style::Columns => print_columns(&changed)?,
        Style::Ptx => print_blocks(&changed)?,
    };
    reads_as(&printed, &changed)?;
    Ok(printed)
}

/// Whether a metadata line contains an expectation for the original program.
fn is_expectation(line: &Metadata) -> bool {
    let key = line.key.value.split('[').next().unwrap_or("");
    matches!(key, "Expect" | "Hang")
}

/// Replaces the expectations for the original program by `expect`.
fn expecting(test: &mut Test, expect: Option<&str>) {
    let at = test.metadata.iter().position(is_expectation).unwrap_or(test.metadata.len());
    test.metadata.retain(|line| !is_expectation(line));
    let word = |text: &str| Spanned::new(text.to_owned(), test.span);
    if let Some((key, value)) = expect.and_then(|line| line.split_once('=')) {
        let line = Metadata { key: word(key), value: word(value) };
        test.metadata.insert(at.min(test.metadata.len()), line);
    }
}

/// Checks that a text is parsed as a test, up to printing.
fn reads_as(text: &str, test: &Test) -> Result<(), Unwritten> {
    let parsed = parse_bytes(&mut Files::default(), "changed.litmus", text.as_bytes());
    let [again] = &parsed.tests[..] else {
        let first = parsed.diagnostics.into_iter().find(crate::diagnostic::Diagnostic::is_error);
        return Err(Unwritten::Read(first.map_or_else(String::new, |error| error.message)));
    };
    let print = |test: &Test| match program::style(test) {
        Style::Columns => print_columns(test),
        Style::Ptx => print_blocks(test),
    };
    if print(again)? == print(test)? { Ok(()) } else { Err(Unwritten::Other) }
}

/// The original text with only the changes rewritten.
fn spliced(
    test: &Test,
    sites: &[Site],
    set: &Set,
    expect: Option<&str>,
    text: &str,
) -> Option<String> {
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    for change in &set.changes {
        for line in lines(test, &sites[change.site], change.to) {
            edits.push(edit(&line, text)?);
        }
    }
    let mut first = expect.map(|line| format!("{line}\n"));
    for line in test.metadata.iter().filter(|line| is_expectation(line)) {
        let (from, to) = whole_line(line.key.span, text)?;
        edits.push((from, to, first.take().unwrap_or_default()));
    }
    if let Some(line) = first {
        let header = whole_line(Span { end: test.span.start, ..test.span }, text)?.1;
        edits.push((header, header, line));
    }
    edits.sort_by_key(|(from, to, _)| (*from, *to));
    let (mut out, mut at) = (String::new(), 0);
    let (start, end) = (test.span.start as usize, test.span.end as usize);
    for (from, to, new) in edits {
        if from < at {
            return None;
        }
        out += text.get(at.max(start)..from)?;
        out += &new;
        at = to;
    }
    out += text.get(at.max(start)..end)?;
    out.push('\n');
    Some(out)
}

/// The lines that a span begins in, from the first byte to the line feed.
fn whole_line(span: Span, text: &str) -> Option<(usize, usize)> {
    let at = span.start as usize;
    let from = text.get(..at)?.rfind('\n').map_or(0, |at| at + 1);
    let to = text.get(at..)?.find('\n').map_or(text.len(), |more| at + more + 1);
    Some((from, to))
}

/// The replaced range of a line, and its replacement.
fn edit(line: &Line, text: &str) -> Option<(usize, usize, String)> {
    let (start, end) = (line.span.start as usize, line.span.end as usize);
    match (&line.before, &line.after) {
        (Some(_), Some(after)) => Some((start, end, after.clone())),
        (Some(_), None) => {
            // The line goes with the statement where nothing else is in it.
            let semicolon = end + text.get(end..)?.find(';')? + 1;
            let (from, to) = whole_line(line.span, text)?;
            let alone = text.get(from..start)?.trim().is_empty()
                && text.get(semicolon..to)?.trim().is_empty();
            Some(if alone { (from, to, String::new()) } else { (start, semicolon, String::new()) })
        }
        (None, Some(after)) if start < end => {
            let (from, _) = whole_line(line.span, text)?;
            let indent = text.get(from..start)?;
            match indent.trim().is_empty() {
                true => Some((start, start, format!("{after};\n{indent}"))),
                false => Some((start, start, format!("{after}; "))),
            }
        }
        (None, Some(after)) => {
            // Behind the last statement, whose semicolon comes first.
            let semicolon = end + text.get(end..)?.find(';')? + 1;
            let (from, _) = whole_line(line.span, text)?;
            let indent: String =
                text.get(from..)?.chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
            Some((semicolon, semicolon, format!("\n{indent}{after};")))
        }
        (None, None) => None,
    }
}
