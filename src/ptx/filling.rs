//! Words into the slots of a form: which word stands where, and how far they are from filling it.
//!
//! Words come in any order, except types among each other, the state spaces of what is written and of what
//! is read, and words that belong to the opcode.

use super::form::{Choices, Form, Slot};
use super::names;
use super::row::{Columns, Strictness};
use super::value::{Space, Type};
use super::words::{Word, type_of};
use smallvec::{SmallVec, smallvec};

/// How the qualifiers of an instruction fill the slots of a form.
#[derive(Default)]
pub(crate) struct Filling {
    /// The word in each slot.
    pub(crate) words: Vec<Option<Word>>,
    /// The slot that each qualifier stands in.
    pub(crate) slots: SmallVec<[Option<usize>; 8]>,
    /// The first needed slot without a qualifier.
    pub(crate) lacking: Option<usize>,
    /// The first slot with an illegal word of its kind, and that word.
    pub(crate) illegal: Option<(usize, usize)>,
    /// How far the instruction is from the form.
    pub(crate) distance: usize,
}

impl Filling {
    /// The qualifiers that stand in no slot.
    pub(crate) fn extra(&self) -> impl Iterator<Item = usize> {
        (0..self.slots.len()).filter(|at| self.slots[*at].is_none())
    }

    /// How far the instruction is from the form for want of a word.
    fn lacks(&self) -> usize {
        2 * usize::from(self.lacking.is_some())
    }
}

impl Form {
    /// Fills the slots with the words of an instruction; columns may omit some. None if the instruction
    /// is farther than `most` from the form.
    pub(crate) fn fill(&self, words: &[&str], columns: bool, most: usize) -> Option<Filling> {
        let columns = if columns { self.row.columns } else { Columns::Nothing };
        let mut filling = Filling { slots: smallvec![None; words.len()], ..Filling::default() };
        // Types come in the order of their slots, and so do state spaces.
        let (mut next_type, mut next_space) = (0, 0);
        for (at, slot) in self.slots.iter().enumerate() {
            let has = |word: &str| filling.words.iter().flatten().any(|found| found.is(word));
            let needed = slot.needs(has);
            if needed == Some(false) {
                filling.words.push(None);
                continue;
            }
            let needed = needed == Some(true);
            let places = match at {
                _ if at < self.row.leading => at..words.len().min(at + 1),
                _ if slot.is_type() => next_type..words.len(),
                _ if slot.is_space() => next_space..words.len(),
                _ => 0..words.len(),
            };
            let free: SmallVec<[usize; 8]> =
                places.filter(|word| filling.slots[*word].is_none()).collect();
            let wrong = slot.wrong(words, &free);
            let wrong = wrong.filter(|_| self.row.strictness == Strictness::Word);
            let found = match (slot.find(words, &free), wrong) {
                // The first type is meant, whether it is one that the form has or not.
                (Some(found), Some(word)) if found.0[0] > word => Err(word),
                (Some(found), _) => Ok(Some(found)),
                (None, Some(word)) => Err(word),
                (None, None) => Ok(None),
            };
            let found = found.unwrap_or_else(|word| {
                filling.illegal.get_or_insert((at, word));
                // Another type of a class is nearer than a missing word, another word is farther.
                filling.distance += if slot.is_class() { 1 } else { 3 };
                Some((smallvec![word], slot.stand_in(words[word])))
            });
            let word = match found {
                Some((places, word)) => {
                    let next = match () {
                        () if slot.is_type() => Some(&mut next_type),
                        () if slot.is_space() => Some(&mut next_space),
                        () => None,
                    };
                    if let (Some(next), Some(last)) = (next, places.iter().max()) {
                        *next = last + 1;
                    }
                    places.into_iter().for_each(|word| filling.slots[word] = Some(at));
                    Some(word)
                }
                None if needed => slot.untyped(columns),
                None => None,
            };
            if word.is_none() && needed {
                filling.lacking.get_or_insert(at);
            }
            filling.words.push(word);
            if filling.distance + filling.lacks() > most {
                return None;
            }
        }
        filling.distance += 2 * filling.extra().count() + filling.lacks();
        (filling.distance <= most).then_some(filling)
    }
}

/// The places of the words that fill a slot.
type Places = SmallVec<[usize; 2]>;

impl Slot {
    /// The first word that the slot accepts among those at free places.
    fn find(&self, words: &[&str], free: &[usize]) -> Option<(Places, Word)> {
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
    fn is_class(&self) -> bool {
        match &self.choices {
            Choices::Words(words) => is_rounding(words[0]),
            Choices::Types(_) | Choices::Spaces(_) | Choices::Scopes(_) => true,
        }
    }

    /// A word of the slot's class that is illegal there.
    fn wrong(&self, words: &[&str], free: &[usize]) -> Option<usize> {
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
    fn stand_in(&self, word: &str) -> Word {
        Word::Type(type_of(word).unwrap_or(Type::UNTYPED))
    }

    /// The word that an empty slot stands for in columns.
    fn untyped(&self, columns: Columns) -> Option<Word> {
        match (&self.choices, columns) {
            (Choices::Words(words), Columns::Words) => words.first().map(|word| Word::Plain(word)),
            (Choices::Types(_), Columns::Words | Columns::Types) => Some(Word::Type(Type::UNTYPED)),
            _ => None,
        }
    }

    /// Whether a word could stand in the slot.
    pub(crate) fn wants(&self, word: &str) -> bool {
        match &self.choices {
            Choices::Words(words) => words.contains(&word),
            Choices::Types(_) => type_of(word).is_some(),
            Choices::Spaces(_) => names::space(word).is_some_and(|space| space != Space::Generic),
            Choices::Scopes(_) => names::scope(word).is_some(),
        }
    }
}

/// Whether a word is a rounding mode.
fn is_rounding(word: &str) -> bool {
    matches!(word, "rn" | "rz" | "rm" | "rp" | "rni" | "rzi" | "rmi" | "rpi")
}
