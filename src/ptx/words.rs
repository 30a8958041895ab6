//! The qualifiers of an instruction, by the slots of its form.

use super::names;
use super::value::{Scope, Space, Type};
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// A qualifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Plain(&'static str),
    Type(Type),
    Space(Space),
    Scope(Scope),
}

impl Word {
    /// Whether this is a word in a slot for neither types nor state spaces.
    pub(crate) fn is(self, word: &str) -> bool {
        matches!(self, Self::Plain(found) if found == word)
    }
}

/// The word in each slot of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(pub(crate) Vec<Option<Word>>);

impl Words {
    /// Whether a qualifier is present.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.plain().any(|found| found == word)
    }

    /// The qualifiers in slots for neither types nor state spaces.
    pub(crate) fn plain(&self) -> impl Iterator<Item = &'static str> {
        let plain = self.0.iter().flatten().filter_map(|word| match word {
            Word::Plain(word) => Some(word.split('.')),
            Word::Type(_) | Word::Space(_) | Word::Scope(_) => None,
        });
        plain.flatten()
    }

    /// The qualifiers as they are printed.
    pub(crate) fn texts(&self) -> Vec<Cow<'static, str>> {
        let text = |word: &Word| -> SmallVec<[Cow<'static, str>; 2]> {
            match word {
                Word::Plain(words) => words.split('.').map(Cow::Borrowed).collect(),
                Word::Type(ty) => smallvec![ty.to_string().into()],
                Word::Space(space) => smallvec![space.short().into()],
                Word::Scope(scope) => smallvec![scope.word().into()],
            }
        };
        self.0.iter().flatten().flat_map(text).collect()
    }

    /// The type with this number.
    ///
    /// # Panics
    /// When the form has no such type.
    #[must_use]
    pub fn type_at(&self, number: usize) -> Type {
        let types = self.0.iter().flatten().filter_map(|word| match word {
            Word::Type(ty) => Some(*ty),
            Word::Plain(word) => type_of(word),
            Word::Space(_) | Word::Scope(_) => None,
        });
        types.into_iter().nth(number).expect("a form has the types that its operands take")
    }

    /// The first type.
    ///
    /// # Panics
    /// When the form has no type.
    #[must_use]
    pub fn ty(&self) -> Type {
        self.type_at(0)
    }

    /// The state space of the qualifiers; generic without one.
    #[must_use]
    pub fn space(&self) -> Space {
        let found = self.0.iter().flatten().find_map(|word| match word {
            Word::Space(space) => Some(*space),
            Word::Type(_) | Word::Plain(_) | Word::Scope(_) => None,
        });
        found.unwrap_or(Space::Generic)
    }

    /// The number of elements: 1 without a vector length.
    #[must_use]
    pub fn elements(&self) -> u32 {
        let length = |word: &str| word.strip_prefix('v')?.parse().ok();
        self.plain().find_map(length).unwrap_or(1)
    }

    /// The scope of the qualifiers.
    #[must_use]
    pub fn scope(&self) -> Option<Scope> {
        self.0.iter().flatten().find_map(|word| match word {
            Word::Scope(scope) => Some(*scope),
            Word::Type(_) | Word::Plain(_) | Word::Space(_) => None,
        })
    }
}

/// The type that a word names, those of parts of words included.
#[must_use]
pub fn type_of(word: &str) -> Option<Type> {
    names::data_type(word).or_else(|| names::part(word))
}
