//! The lines before a test's body: name, doc strings and metadata.

use super::Source;
use crate::diagnostic::{Diagnostic, closest};
use crate::litmus::ast::Metadata;
use crate::litmus::error::{LitmusError, LitmusWarning};
use crate::ptx::error::SyntaxError;
use crate::source::Spanned;

/// The parts of a test before its body.
#[derive(Debug, Default)]
pub(crate) struct Header {
    pub(crate) name: String,
    pub(crate) docs: Vec<String>,
    pub(crate) metadata: Vec<Metadata>,
    /// Where the body starts.
    pub(crate) body: usize,
}

/// The metadata that the tool understands; other keys are the user's own.
pub(crate) const KEYS: &[&str] = &["Expect", "Hang", "Launch", "Source", "Clause"];

/// Words that may start an item in the body of a test.
const BODY_WORDS: &[&str] =
    &["task", "order", "pdl", "exists", "forall", "final", "filter", "locations", "not"];

/// The first word after blanks and comments; empty when there is none.
pub(crate) fn first_word<'a>(source: &Source<'a>) -> &'a str {
    let rest = &source.text[skip_blanks(source.text, 0)..];
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    &rest[..end]
}

/// Reads the header of a test that starts with `PTX`.
pub(crate) fn header(source: &Source<'_>, diagnostics: &mut Vec<Diagnostic>) -> Header {
    let text = source.text;
    let mut at = skip_blanks(text, 0) + "PTX".len();
    let line = line_at(text, at);
    let name = &line[..line.find(['"', '{']).unwrap_or(line.len())];
    at += name.len();
    let name = match name.trim() {
        "" | "--" => source.stem(),
        name => name,
    };
    let mut header = Header { name: name.to_owned(), ..Header::default() };
    // The body's first brace is not quoted; looking no further keeps reading linear.
    let limit = text[at..].find("\n{").map_or(text.len(), |length| at + length);
    loop {
        at = skip_blanks(text, at);
        let line = line_at(text, at);
        if let Some(rest) = text[at..].strip_prefix('"') {
            let Some(length) =
                doc_length(&text[at + 1..limit.max(at + 1)]).or_else(|| rest.find('"'))
            else {
                let error = SyntaxError::UnterminatedText(source.at(at, text.len()));
                diagnostics.push(error.diagnostic());
                at = text.len();
                break;
            };
            header.docs.push(rest[..length].to_owned());
            at += length + 2;
        } else if let Some((key, value)) = metadata(line) {
            let spanned = |part: &str| Spanned::new(part.to_owned(), source.span_of(part));
            if let Some(near) = mistyped(key) {
                let (name, near) = (spanned(key), near.to_owned());
                diagnostics.push(LitmusWarning::Metadata { name, near }.diagnostic());
            }
            let key = spanned(key);
            let kind = key.value.split('[').next().unwrap_or_default();
            let is_answer = matches!(kind, "Expect" | "Hang");
            let mut before = header.metadata.iter().map(|known| &known.key);
            if let Some(first) = before.find(|known| is_answer && known.value == key.value) {
                let error = LitmusError::ExpectedTwice { key: key.clone(), first: first.span };
                diagnostics.push(error.diagnostic());
            }
            header.metadata.push(Metadata { key, value: spanned(value) });
            at += line.len();
        } else if starts_body(line) {
            break;
        } else {
            let declares = line.trim_end().ends_with(';') || line.starts_with("__");
            let span = source.span_of(line.trim_end());
            diagnostics.push(LitmusError::HeaderLine { declares, span }.diagnostic());
            at += line.len();
        }
    }
    header.body = at;
    header
}

/// The key that was probably meant, where a key is not one that the tool understands.
fn mistyped(key: &str) -> Option<&'static str> {
    let name = key.split('[').next().unwrap_or(key);
    if KEYS.contains(&name) {
        return None;
    }
    let same = KEYS.iter().copied().find(|known| known.eq_ignore_ascii_case(name));
    same.or_else(|| closest(name, KEYS.iter().copied()))
}

/// The length of a doc string up to its closing quote. Quotes inside come in pairs: a quote after a
/// blank and before a word opens, any other closes.
fn doc_length(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 1_usize;
    for (at, _) in text.match_indices('"') {
        let after_blank = at > 0 && matches!(bytes[at - 1], b' ' | b'\t' | b'(');
        let before_word = bytes.get(at + 1).is_some_and(u8::is_ascii_alphanumeric);
        if after_blank && before_word {
            depth += 1;
        } else {
            depth -= 1;
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// `Key=value`, `Key[model]=value` or `Key[reading=choice]=value`.
fn metadata(line: &str) -> Option<(&str, &str)> {
    let (first, _) = line.split_once('=')?;
    let (key, value) = match (first.contains('['), line.split_once("]=")) {
        (true, Some((key, value))) => (&line[..=key.len()], value),
        _ => line.split_once('=')?,
    };
    let key = key.trim_end();
    let name = match key.split_once('[') {
        Some((name, rest)) => {
            let inner = rest.strip_suffix(']')?;
            let plain = |c: char| !matches!(c, '[' | ']' | '"' | '@' | ';' | '{' | '}');
            (!inner.is_empty() && inner.chars().all(plain)).then_some(name)?
        }
        None => key,
    };
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic());
    (starts && name.chars().all(plain) && !value.starts_with('=')).then_some((key, value.trim()))
}

fn starts_body(line: &str) -> bool {
    let end = line.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(line.len());
    let (word, rest) = line.split_at(end);
    // A list of threads is an error that the body tells.
    let of_list = |c: char| c.is_alphanumeric() || c.is_whitespace() || matches!(c, '_' | ',');
    let after_names = match rest.strip_prefix("..") {
        _ if rest.starts_with(',') => rest.trim_start_matches(of_list),
        Some(last) => last.trim_start_matches(of_list),
        None => rest,
    };
    line.is_empty()
        || line.starts_with(['{', '.', '~'])
        || after_names.trim_start().starts_with('@')
        || BODY_WORDS.contains(&word)
}

fn line_at(text: &str, at: usize) -> &str {
    let rest = &text[at..];
    &rest[..rest.find('\n').unwrap_or(rest.len())]
}

/// The offset of the next character that is no blank and in no comment. An unterminated comment
/// is left for the lexer to report.
fn skip_blanks(text: &str, mut at: usize) -> usize {
    loop {
        let rest = text[at..].trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        at = text.len() - rest.len();
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(comment) = rest.strip_prefix("/*") {
            comment.find("*/").map_or(0, |end| end + 4)
        } else if rest.starts_with("(*") {
            nested_comment(rest)
        } else {
            0
        };
        if length == 0 {
            return at;
        }
        at += length;
    }
}

/// The length of a comment that may contain comments; 0 if it has no end.
fn nested_comment(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0_usize, 0);
    loop {
        match bytes.get(at..at + 2) {
            Some(b"(*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*)") => (depth, at) = (depth - 1, at + 2),
            Some(_) => at += 1,
            None => return 0,
        }
        if depth == 0 {
            return at;
        }
    }
}
