//! The qualifiers of an instruction as its form has them.

use super::names;
use super::value::{Scope, Space, Type};

/// A qualifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    Plain(&'static str),
    Type(Type),
    Space(Space),
    Scope(Scope),
}

/// What stands in each slot of a form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words(pub(crate) Vec<Option<Word>>);

impl Words {
    /// Whether it has a qualifier.
    #[must_use]
    pub fn has(&self, word: &str) -> bool {
        self.plain().any(|found| found == word)
    }

    /// Its qualifiers that are neither types nor state spaces by their slots.
    pub(crate) fn plain(&self) -> impl Iterator<Item = &'static str> {
        let plain = self.0.iter().flatten().filter_map(|word| match word {
            Word::Plain(word) => Some(word.split('.')),
            Word::Type(_) | Word::Space(_) | Word::Scope(_) => None,
        });
        plain.flatten()
    }

    /// Its type with this number.
    ///
    /// # Panics
    /// When its form has no such type.
    #[must_use]
    pub fn type_at(&self, number: usize) -> Type {
        let types = self.0.iter().flatten().filter_map(|word| match word {
            Word::Type(ty) => Some(*ty),
            Word::Plain(word) => type_of(word),
            Word::Space(_) | Word::Scope(_) => None,
        });
        types.into_iter().nth(number).expect("a form has the types that its operands take")
    }

    /// Its first type.
    ///
    /// # Panics
    /// When its form has none.
    #[must_use]
    pub fn ty(&self) -> Type {
        self.type_at(0)
    }

    /// The state space that its qualifier names; generic without one.
    #[must_use]
    pub fn space(&self) -> Space {
        let found = self.0.iter().flatten().find_map(|word| match word {
            Word::Space(space) => Some(*space),
            Word::Type(_) | Word::Plain(_) | Word::Scope(_) => None,
        });
        found.unwrap_or(Space::Generic)
    }

    /// The scope that its qualifier names.
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
    names::ty(word).or_else(|| names::part(word))
}
