//! The dotted words of an instruction, of which rules ask whether they are there.

use crate::ptx::error::foreign_type;
use crate::ptx::instruction::Instruction;
use crate::ptx::names;
use crate::source::Spanned;

/// The qualifiers of one instruction.
#[derive(Debug)]
pub struct Qualifiers<'a>(&'a [Spanned<String>]);

impl<'a> Qualifiers<'a> {
    /// All qualifiers of `instruction`.
    #[must_use]
    pub fn new(instruction: &'a Instruction) -> Self {
        Self(&instruction.qualifiers)
    }

    /// Whether `name` is one of them.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.0.iter().any(|word| word.value == name)
    }

    /// Whether one of `names` is one of them.
    #[must_use]
    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// The first one outside of the common classes.
    #[must_use]
    pub fn unclassified(&self) -> Option<&'a Spanned<String>> {
        self.0.iter().find(|word| !is_classified(&word.value))
    }
}

/// Whether a word is of a common class: orders, scopes, spaces, types, vector lengths and hints.
pub(crate) fn is_classified(word: &str) -> bool {
    names::order(word).is_some()
        || names::scope(word).is_some()
        || names::space(word).is_some()
        || names::ty(word).is_some()
        || names::is_hint(word)
        || foreign_type(word).is_some()
        || matches!(word, "volatile" | "mmio" | "v2" | "v4" | "v8" | "noftz" | "aligned")
}
