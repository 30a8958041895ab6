//! Demands: what words of an instruction ask of its other words, as rows of the table have them
//! where the text of a form does not show it.

use super::words::type_of;

/// A demand of some words on the instruction.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// The words that make it: one that ends in `::` stands for all that begin with it. Without
    /// words, every instruction of the form makes it.
    of: &'static [&'static str],
    needs: Needs,
    pub(crate) place: Place,
    pub(crate) says: Says,
}

/// What is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Needs {
    /// The word is one of these.
    OneOf(&'static [&'static str]),
    /// One of these words is written as well.
    With(&'static [&'static str]),
    /// None of these words is written.
    Without(&'static [&'static str]),
    /// All elements together have so many bits, at least and at most.
    Bits(u32, u32),
}

/// The place of the error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// The word that makes the demand; without one, opcode and qualifiers.
    Word,
    /// The opcode and its qualifiers.
    Head,
    /// The length of the vector.
    Vector,
}

/// The error.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Says {
    /// A rule and the way to keep it. `{form}` stands for opcode and qualifiers, `{word}` for the word
    /// that makes the demand, `{other}` for the word that must not stand beside it, `{op}` for the
    /// function of an atomic operation, `{elements}` and `{type}` for those of the access.
    Rule(&'static str, &'static str),
    /// The state space is none of these.
    Space(&'static str),
    /// The two words contradict each other.
    Conflict,
}

/// A demand that is not met.
pub(crate) struct Breach {
    /// The place of the word that makes it.
    pub(crate) word: Option<usize>,
    /// The place of the word that must not stand beside it.
    pub(crate) other: Option<usize>,
}

impl Demand {
    /// A rule, with its help.
    pub(crate) const fn rule(
        of: &'static [&'static str],
        needs: Needs,
        message: &'static str,
        help: &'static str,
    ) -> Self {
        Self { of, needs, place: Place::Word, says: Says::Rule(message, help) }
    }

    /// State spaces that cannot stand beside other words; `legal` lists those that can.
    pub(crate) const fn space(
        of: &'static [&'static str],
        needs: Needs,
        legal: &'static str,
    ) -> Self {
        Self { of, needs, place: Place::Word, says: Says::Space(legal) }
    }

    /// Words that contradict each other.
    pub(crate) const fn conflict(
        of: &'static [&'static str],
        others: &'static [&'static str],
    ) -> Self {
        Self { of, needs: Needs::Without(others), place: Place::Word, says: Says::Conflict }
    }

    /// The same; the error is shown at the opcode and its qualifiers.
    pub(crate) const fn at_head(self) -> Self {
        Self { place: Place::Head, ..self }
    }

    /// The same; the error is shown at the length of the vector.
    pub(crate) const fn at_vector(self) -> Self {
        Self { place: Place::Vector, ..self }
    }

    /// Whether an instruction with these words meets it.
    #[must_use]
    pub fn is_met(&self, words: &[&str]) -> bool {
        self.breach(words).is_none()
    }

    /// The words that break it, if an instruction with these does.
    pub(crate) fn breach(&self, words: &[&str]) -> Option<Breach> {
        let makes = |word: &&str| {
            self.of.iter().any(|of| of == word || of.ends_with("::") && word.starts_with(of))
        };
        let mut makers = words.iter().enumerate().filter(|(_, word)| makes(word));
        let maker = match self.needs {
            Needs::OneOf(legal) => {
                let found = makers.find(|(_, word)| !legal.contains(word));
                return found.map(|(at, _)| Breach { word: Some(at), other: None });
            }
            _ => makers.next().map(|(at, _)| at),
        };
        if maker.is_none() && !self.of.is_empty() {
            return None;
        }
        let place = |list: &[&str]| words.iter().position(|word| list.contains(word));
        let (broken, other) = match self.needs {
            Needs::OneOf(_) => (false, None),
            Needs::With(list) => (place(list).is_none(), None),
            Needs::Without(list) => {
                let other = place(list);
                (other.is_some(), other)
            }
            Needs::Bits(least, most) => {
                let types = words.iter().filter_map(|word| type_of(word));
                let bits = types.map(|ty| ty.bits).next().unwrap_or(64);
                let elements = words.iter().find_map(|word| elements(word)).unwrap_or(1);
                (!(least..=most).contains(&(bits * elements)), None)
            }
        };
        broken.then_some(Breach { word: maker, other })
    }
}

/// The number of elements that a word asks for.
pub(crate) fn elements(word: &str) -> Option<u32> {
    word.strip_prefix('v')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn demands_look_at_other_words() {
        let with = Demand::rule(&["a"], Needs::With(&["b"]), "", "");
        assert!(with.is_met(&["a", "b"]) && with.is_met(&["c"]) && !with.is_met(&["a", "c"]));
        let without = Demand::rule(&["x::"], Needs::Without(&["b"]), "", "");
        assert!(without.is_met(&["x::y"]) && !without.is_met(&["b", "x::y"]));
        let always = Demand::rule(&[], Needs::Bits(0, 128), "", "");
        assert!(always.is_met(&["v2", "u64"]) && !always.is_met(&["v4", "u64"]));
        let one = Demand::rule(&["a", "b"], Needs::OneOf(&["a"]), "", "");
        assert!(one.is_met(&["a", "c"]) && !one.is_met(&["a", "b"]));
    }
}
