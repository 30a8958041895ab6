//! Diagnostics as data: fault, place and remedy; rendering lives in `report`.

use crate::source::Span;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input is used, with a reading that the user should know of.
    Warning,
    /// Background.
    Note,
}

/// A span with a short remark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The remark; may be empty.
    pub text: String,
}

/// One message to the user.
///
/// Every domain has its own error enum, whose variants convert to diagnostics, so that the code,
/// the wording and the help of a message are in one place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// A stable code such as `ptx-unknown-opcode`.
    pub code: &'static str,
    /// The severity.
    pub severity: Severity,
    /// The fault, in one sentence without a final full stop.
    pub message: String,
    /// The place; `None` only when a file could not be read at all.
    pub primary: Option<Label>,
    /// Other places that matter, such as the first of two definitions.
    pub secondary: Vec<Label>,
    /// The remedy.
    pub help: Option<String>,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, span, message)
    }

    /// A warning at `span`.
    pub fn warning(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, span, message)
    }

    /// A remark at `span`.
    pub fn note(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self::new(Severity::Note, code, span, message)
    }

    /// An error without a place: the file itself could not be read.
    pub fn unplaced(code: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: Severity::Error,
            message: message.into(),
            primary: None,
            secondary: Vec::new(),
            help: None,
        }
    }

    fn new(severity: Severity, code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: message.into(),
            primary: Some(Label { span, text: String::new() }),
            secondary: Vec::new(),
            help: None,
        }
    }

    /// Sets the remark under the caret.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        if let Some(primary) = &mut self.primary {
            primary.text = text.into();
        }
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Sets the remedy.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help = Some(text.into());
        self
    }

    /// Whether the input cannot be used.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// Longer words are not compared: such typing errors are unlikely, and the comparison is quadratic.
const LONGEST_WORD: usize = 64;

/// The name in `known` closest to `typed`, if close enough to suggest: another case, or one edit
/// for three letters. Names of one or two letters are all close to each other.
#[must_use]
pub fn closest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if typed.len() > LONGEST_WORD {
        return None;
    }
    known
        .into_iter()
        // Each insertion or deletion changes the length by one.
        .filter(|name| typed.len().abs_diff(name.len()) * 3 <= 4 * name.len().max(3))
        .filter(|name| name.len() <= LONGEST_WORD)
        .map(|name| match name.eq_ignore_ascii_case(typed) {
            true => (0, name),
            // Insertions, deletions, substitutions and exchanges of neighbours.
            false => (strsim::osa_distance(typed, name), name),
        })
        .filter(|&(distance, name)| distance * 3 <= name.len().max(typed.len()))
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_near_names() {
        assert_eq!(closest("caues", ["cause", "po"]), Some("cause"));
        assert_eq!(closest("zzzzz", ["cause", "po"]), None);
        assert_eq!(closest("y", ["x", "xy"]), None);
        assert_eq!(closest("r2", ["r1", "r"]), None);
        assert_eq!(closest("fla", ["x", "flag"]), Some("flag"));
        assert_eq!(closest("X", ["x"]), Some("x"));
    }
}
