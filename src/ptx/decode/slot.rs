//! Slots of forms: the words of an instruction that fill one, and its words in messages.

use crate::ptx::form::{Choices, Slot};
use crate::ptx::names;
use crate::ptx::row::Columns;
use crate::ptx::value::{Space, Type};
use crate::ptx::words::{Word, type_of};
use smallvec::{SmallVec, smallvec};

/// The places of the words that fill a slot.
pub(super) type Places = SmallVec<[usize; 2]>;

impl Slot {
    /// The first word that the slot accepts among those at free places.
    pub(super) fn find(&self, words: &[&str], free: &[usize]) -> Option<(Places, Word)> {
        match &self.choices {
            Choices::Words(choices) => {
                let places = |choice: &&'static str| -> Option<(Places, Word)> {
                    let place =
                        |part| free.iter().copied().find(|word: &usize| words[*word] == part);
                    let places: Option<Places> = choice.split('.').map(place).collect();
                    Some((places?, Word::Plain(choice)))
                };
                choices.iter().filter_map(places).min_by(|a, b| a.0.cmp(&b.0))
            }
            Choices::Types(types) => free.iter().find_map(|&at| {
                let ty = names::data_type(words[at]).filter(|ty| types.contains(ty))?;
                Some((smallvec![at], Word::Type(ty)))
            }),
            Choices::Spaces(spaces) => free.iter().find_map(|&at| {
                let space = names::space(words[at]).filter(|space| spaces.contains(space))?;
                Some((smallvec![at], Word::Space(space)))
            }),
            Choices::Scopes(scopes) => free.iter().find_map(|&at| {
                let scope = names::scope(words[at]).filter(|scope| scopes.contains(scope))?;
                Some((smallvec![at], Word::Scope(scope)))
            }),
        }
    }

    /// Whether the slot accepts a class of words, of which the row lists the legal ones.
    pub(super) fn is_class(&self) -> bool {
        match &self.choices {
            Choices::Words(words) => is_rounding(words[0]),
            Choices::Types(_) | Choices::Spaces(_) | Choices::Scopes(_) => true,
        }
    }

    /// A word of the slot's class that is illegal there.
    pub(super) fn wrong(&self, words: &[&str], free: &[usize]) -> Option<usize> {
        free.iter().copied().find(|&at| match self.choices {
            Choices::Spaces(_) => {
                names::space(words[at]).is_some_and(|space| space != Space::Generic)
            }
            Choices::Scopes(_) => names::scope(words[at]).is_some(),
            Choices::Words(ref choices) if is_rounding(choices[0]) => is_rounding(words[at]),
            _ => self.is_type() && type_of(words[at]).is_some(),
        })
    }

    /// A stand-in for a word that is wrong there, until the error is reported.
    pub(super) fn stand_in(&self, word: &str) -> Word {
        Word::Type(type_of(word).unwrap_or(Type::UNTYPED))
    }

    /// The word that an empty slot stands for in columns.
    pub(super) fn untyped(&self, columns: Columns) -> Option<Word> {
        match (&self.choices, columns) {
            (Choices::Words(words), Columns::Words) => words.first().map(|word| Word::Plain(word)),
            (Choices::Types(_), Columns::Words | Columns::Types) => Some(Word::Type(Type::UNTYPED)),
            _ => None,
        }
    }

    /// Whether a word could stand in the slot.
    pub(super) fn wants(&self, word: &str) -> bool {
        match &self.choices {
            Choices::Words(words) => words.contains(&word),
            Choices::Types(_) => type_of(word).is_some(),
            Choices::Spaces(_) => names::space(word).is_some(),
            Choices::Scopes(_) => names::scope(word).is_some(),
        }
    }
}

/// Whether a word is a rounding mode.
fn is_rounding(word: &str) -> bool {
    matches!(word, "rn" | "rz" | "rm" | "rp" | "rni" | "rzi" | "rmi" | "rpi")
}

/// A list of words for messages: `.b32`, `.b32 and .b64`, `.u16, .u32 and .u64`.
pub(super) fn in_words(words: &[&str]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!(".{word}")).collect();
    match words.split_last() {
        Some((last, first @ [_, ..])) => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

/// The requirement of a slot for some words.
pub(super) fn need(words: &[&str], leads: bool) -> String {
    let what = match words {
        ["rn", "rz", "rm", "rp"] => "a rounding mode: ",
        ["rni", ..] => "a rounding mode to integers: ",
        ["up", ..] => "a mode: ",
        ["L1", "L2"] | ["cta", "gl", "sys"] => "a level: ",
        ["L1" | "L2"] => "the level ",
        ["L2::evict_normal"] => "the priority ",
        ["sync"] => return "`.sync`: the forms without it do not exist since sm_70".to_owned(),
        [word] if type_of(word).is_some() => "the type ",
        _ => "",
    };
    let words: Vec<String> = words.iter().map(|word| format!("`.{word}`")).collect();
    let list = match words.split_last() {
        Some((last, first @ [_, ..])) => format!("{} or {last}", first.join(", ")),
        _ => words.concat(),
    };
    format!("{what}{list}{}", if leads { " first" } else { "" })
}
