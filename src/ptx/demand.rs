//! Demands: constraints between the words of one instruction that the text of a form cannot express,
//! as rows of the table list them.

use super::words::type_of;

/// A constraint that some words put on the other words of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Demand {
    /// The words that trigger the demand. A word that ends in `::` matches all words with this prefix.
    /// An empty list is triggered by every instruction of the form.
    of: &'static [&'static str],
    needs: Needs,
    pub(crate) place: Place,
    pub(crate) says: Says,
}

/// The condition that a triggered demand puts on an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Needs {
    /// The triggering word is one of these.
    OneOf(&'static [&'static str]),
    /// The instruction has one of these words.
    With(&'static [&'static str]),
    /// The instruction has none of these words.
    Without(&'static [&'static str]),
    /// The total size of the elements in bits, at least and at most.
    Bits(u32, u32),
}

/// The place at which the error of an unmet demand is shown.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place {
    /// The triggering word; the opcode and its qualifiers if there is none.
    Word,
    /// The opcode and its qualifiers.
    Head,
    /// The length of the vector.
    Vector,
}

/// The error that an unmet demand is reported as.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Says {
    /// A rule, with a help text. In both, `{form}` is replaced by opcode and qualifiers, `{word}` by the
    /// triggering word, `{other}` by the excluded word, `{op}` by the function of an atomic operation,
    /// `{elements}` and `{type}` by the number and type of the accessed elements.
    Rule(&'static str, &'static str),
    /// The state space is illegal; the text lists the legal ones.
    Space(&'static str),
    /// The triggering word and the excluded word contradict each other.
    Conflict,
}

/// A demand that is not met.
pub(crate) struct Breach {
    /// The index of the triggering word.
    pub(crate) word: Option<usize>,
    /// The index of the excluded word.
    pub(crate) other: Option<usize>,
}

impl Demand {
    /// A demand that is reported as a rule, with a help text.
    pub(crate) const fn rule(
        of: &'static [&'static str],
        needs: Needs,
        message: &'static str,
        help: &'static str,
    ) -> Self {
        Self { of, needs, place: Place::Word, says: Says::Rule(message, help) }
    }

    /// A demand on the state space; `legal` lists the legal ones.
    pub(crate) const fn space(
        of: &'static [&'static str],
        needs: Needs,
        legal: &'static str,
    ) -> Self {
        Self { of, needs, place: Place::Word, says: Says::Space(legal) }
    }

    /// A demand that words of two lists do not occur together.
    pub(crate) const fn conflict(
        of: &'static [&'static str],
        others: &'static [&'static str],
    ) -> Self {
        Self { of, needs: Needs::Without(others), place: Place::Word, says: Says::Conflict }
    }

    /// The same demand, with its error at the opcode and qualifiers.
    pub(crate) const fn at_head(self) -> Self {
        Self { place: Place::Head, ..self }
    }

    /// The same demand, with its error at the length of the vector.
    pub(crate) const fn at_vector(self) -> Self {
        Self { place: Place::Vector, ..self }
    }

    /// Whether an instruction with these words meets the demand.
    #[must_use]
    pub fn is_met(&self, words: &[&str]) -> bool {
        self.breach(words).is_none()
    }

    /// The words that break the demand, if an instruction with `words` breaks it.
    pub(crate) fn breach(&self, words: &[&str]) -> Option<Breach> {
        let triggers = |word: &&str| {
            self.of.iter().any(|of| of == word || of.ends_with("::") && word.starts_with(of))
        };
        let mut triggers = words.iter().enumerate().filter(|(_, word)| triggers(word));
        let trigger = match self.needs {
            Needs::OneOf(legal) => {
                let found = triggers.find(|(_, word)| !legal.contains(word));
                return found.map(|(at, _)| Breach { word: Some(at), other: None });
            }
            _ => triggers.next().map(|(at, _)| at),
        };
        if trigger.is_none() && !self.of.is_empty() {
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
        broken.then_some(Breach { word: trigger, other })
    }
}

/// The number of elements of a vector word such as `v2`.
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
