//! The dotted words of an opcode, taken by class and in any order.
//!
//! Grammars in the manual fix an order that the manual's own examples do not keep, so each decoder
//! takes the qualifiers that it knows, and [`Qualifiers::finish`] rejects the rest.

use crate::ptx::error::{DecodeError, foreign_type};
use crate::ptx::instruction::Instruction;
use crate::ptx::names;
use crate::ptx::value::{Order, Scope, Space, Type};
use crate::source::{Span, Spanned};

/// The qualifiers of one instruction that have not been taken yet.
#[derive(Debug)]
pub struct Qualifiers<'a> {
    words: &'a [Spanned<String>],
    taken: Vec<bool>,
}

impl<'a> Qualifiers<'a> {
    /// All qualifiers of `instruction`.
    #[must_use]
    pub fn new(instruction: &'a Instruction) -> Self {
        let words = instruction.qualifiers.as_slice();
        Self { words, taken: vec![false; words.len()] }
    }

    /// Takes the single qualifier that `classify` knows.
    ///
    /// # Errors
    /// When there are several.
    pub fn take<T>(
        &mut self,
        classify: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<Spanned<T>>, DecodeError> {
        let mut first: Option<(Spanned<T>, &Spanned<String>)> = None;
        for (word, taken) in self.words.iter().zip(&mut self.taken) {
            let Some(value) = classify(&word.value).filter(|_| !*taken) else { continue };
            match &first {
                None => first = Some((Spanned::new(value, word.span), word)),
                Some((_, earlier)) if earlier.value == word.value => {
                    return Err(DecodeError::Duplicate {
                        first: earlier.span,
                        second: word.clone(),
                    });
                }
                Some((_, earlier)) => {
                    return Err(DecodeError::Conflict {
                        first: (*earlier).clone(),
                        second: word.clone(),
                    });
                }
            }
            *taken = true;
        }
        Ok(first.map(|(value, _)| value))
    }

    /// Takes one of `names`.
    ///
    /// # Errors
    /// When several of them are present.
    pub fn one_of(
        &mut self,
        names: &[&'static str],
    ) -> Result<Option<Spanned<&'static str>>, DecodeError> {
        self.take(|word| names.iter().copied().find(|name| *name == word))
    }

    /// Takes `name`, if present.
    ///
    /// # Errors
    /// When it is present twice.
    pub fn flag(&mut self, name: &str) -> Result<Option<Span>, DecodeError> {
        Ok(self.take(|word| (word == name).then_some(()))?.map(|found| found.span))
    }

    /// Takes the first `count` qualifiers, which belong to the opcode.
    pub fn take_first(&mut self, count: usize) {
        self.taken.iter_mut().take(count).for_each(|taken| *taken = true);
    }

    /// Whether `name` has not been taken.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.words.iter().zip(&self.taken).any(|(word, taken)| !taken && word.value == name)
    }

    /// Whether one of `names` has not been taken.
    #[must_use]
    pub fn has_any(&self, names: &[&str]) -> bool {
        names.iter().any(|name| self.has(name))
    }

    /// The first untaken qualifier outside of the common classes.
    #[must_use]
    pub fn unclassified(&self) -> Option<&'a Spanned<String>> {
        let mut left = self.words.iter().zip(&self.taken).filter(|(_, taken)| !**taken);
        left.find(|(word, _)| !is_classified(&word.value)).map(|(word, _)| word)
    }

    /// Takes the memory order, `.volatile` and `.mmio` excluded.
    ///
    /// # Errors
    /// When there are several.
    pub fn order(&mut self) -> Result<Option<Spanned<Order>>, DecodeError> {
        self.take(names::order)
    }

    /// Takes the scope.
    ///
    /// # Errors
    /// When there are several.
    pub fn scope(&mut self) -> Result<Option<Spanned<Scope>>, DecodeError> {
        self.take(names::scope)
    }

    /// Takes the state space.
    ///
    /// # Errors
    /// When there are several.
    pub fn space(&mut self) -> Result<Option<Spanned<Space>>, DecodeError> {
        self.take(|word| names::space(word).filter(|space| *space != Space::Generic))
    }

    /// Takes the type.
    ///
    /// # Errors
    /// When there are several.
    pub fn ty(&mut self) -> Result<Option<Spanned<Type>>, DecodeError> {
        self.take(names::ty)
    }

    /// Takes all types in the order written.
    pub fn types(&mut self) -> Vec<Spanned<Type>> {
        let mut types = Vec::new();
        for (word, taken) in self.words.iter().zip(&mut self.taken) {
            if let Some(found) = names::ty(&word.value) {
                types.push(Spanned::new(found, word.span));
                *taken = true;
            }
        }
        types
    }

    /// Takes the vector length.
    ///
    /// # Errors
    /// When there are several.
    pub fn elements(&mut self) -> Result<Option<Spanned<u32>>, DecodeError> {
        self.take(|word| match word {
            "v2" => Some(2),
            "v4" => Some(4),
            "v8" => Some(8),
            _ => None,
        })
    }

    /// Takes the hints, which have no meaning in the memory model. Cache operators are excluded,
    /// since only weak accesses have one.
    pub fn hints(&mut self) {
        for (word, taken) in self.words.iter().zip(&mut self.taken) {
            *taken |= names::is_hint(&word.value);
        }
    }

    /// Rejects untaken qualifiers; `takes` is the legal form.
    ///
    /// # Errors
    /// When a qualifier is left.
    pub fn finish(&self, form: &str, takes: &'static str) -> Result<(), DecodeError> {
        match self.words.iter().zip(&self.taken).find(|(_, taken)| !**taken) {
            None => Ok(()),
            Some((word, _)) => {
                let earlier =
                    self.words.iter().find(|w| w.span < word.span && w.value == word.value);
                Err(match earlier {
                    Some(first) => {
                        DecodeError::Duplicate { first: first.span, second: word.clone() }
                    }
                    None => DecodeError::Qualifier {
                        form: form.to_owned(),
                        qualifier: word.clone(),
                        takes,
                    },
                })
            }
        }
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
