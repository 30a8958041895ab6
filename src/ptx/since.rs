//! The ISA versions and targets that introduced forms of instructions, and the words and combinations
//! of words that were added to forms later.

use std::fmt::{Display, Formatter, Result};

/// The ISA version and the target that introduced a form, a word or a combination of words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Since {
    /// `.version`
    pub version: (u32, u32),
    /// The number of the target: 20 for `sm_20`, 10 for all targets.
    pub target: u32,
    /// The later targets that have the feature as well.
    pub variants: Variants,
}

/// The targets that have a feature, relative to the target that introduced it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Variants {
    /// That target and all later ones.
    All,
    /// Only the variant `a` of that target; later targets need not have the feature.
    Special,
}

/// A combination of words and operands that was introduced later than the form that has it.
#[derive(Clone, Copy, Debug)]
pub struct Later {
    /// The combination has at least one word of each list; `{b}` names an optional operand.
    with: &'static [&'static [&'static str]],
    /// The combination has none of these words.
    without: &'static [&'static str],
    since: Since,
}

impl Since {
    /// From the major and minor version and the number of the target.
    pub(crate) const fn of([major, minor, target]: [u32; 3]) -> Self {
        Self { version: (major, minor), target, variants: Variants::All }
    }

    /// The earliest version and target that have both features.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            version: self.version.max(other.version),
            target: self.target.max(other.target),
            variants: self.variants.max(other.variants),
        }
    }
}

impl Later {
    /// Instructions with one word of each list.
    pub(crate) const fn with(with: &'static [&'static [&'static str]], since: [u32; 3]) -> Self {
        Self { with, without: &[], since: Since::of(since) }
    }

    /// Instructions with none of some words.
    pub(crate) const fn without(without: &'static [&'static str], since: [u32; 3]) -> Self {
        Self { with: &[], without, since: Since::of(since) }
    }

    /// The same combination, only in the variant `a` of the target.
    pub(crate) const fn special(self) -> Self {
        Self { since: Since { variants: Variants::Special, ..self.since }, ..self }
    }

    /// Whether the combination requires words, rather than their absence.
    pub(crate) fn needs_words(&self) -> bool {
        !self.with.is_empty()
    }

    /// The version and target of the combination, if an instruction with these words has it.
    pub(crate) fn since(&self, words: &[&str]) -> Option<Since> {
        let written = |list: &[&str]| list.iter().any(|word| words.contains(word));
        (self.with.iter().all(|list| written(list)) && !written(self.without)).then_some(self.since)
    }

    /// A description of the combination for a form introduced at `first`. `None` if the form cannot
    /// have the combination, or has had it from the beginning. `may` tells the words of the form.
    #[must_use]
    pub fn among(&self, first: Since, may: &dyn Fn(&str) -> bool) -> Option<String> {
        if first.and(self.since) == first {
            return None;
        }
        let one = |list: &[&str]| {
            let list: Vec<String> =
                list.iter().filter(|word| may(word)).map(|word| shown(word)).collect();
            (!list.is_empty()).then(|| list.join(", "))
        };
        // A form with a single choice for a word always has the word.
        if !self.without.is_empty() && self.without.iter().filter(|word| may(word)).count() < 2 {
            return None;
        }
        let with: Option<Vec<String>> = self.with.iter().map(|list| one(list)).collect();
        let what = match with?.join(" with ") {
            nothing if nothing.is_empty() => "generic addresses".to_owned(),
            words => words,
        };
        Some(format!("{what}: {}", self.since))
    }
}

fn shown(word: &str) -> String {
    match word.starts_with('{') {
        true => format!("operand {}", word.trim_matches(['{', '}'])),
        false => format!("`.{word}`"),
    }
}

impl Display for Since {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let (major, minor) = self.version;
        write!(f, "{major}.{minor}")?;
        match (self.target, self.variants) {
            (10, _) => Ok(()),
            (target, Variants::All) => write!(f, " sm_{target}"),
            (target, Variants::Special) => write!(f, " sm_{target}a"),
        }
    }
}

/// The words that were introduced in all instructions at one time.
pub(crate) static EVERYWHERE: &[Later] = &[
    Later::with(&[&["volatile"]], [1, 1, 10]),
    Later::with(&[&["f64"]], [1, 0, 13]),
    Later::with(&[&["ca", "cg", "cs", "lu", "cv", "wb", "wt"]], [2, 0, 20]),
    Later::with(&[&["weak", "relaxed", "acquire", "release", "acq_rel"]], [6, 0, 70]),
    Later::with(&[&["NaN"]], [7, 0, 80]),
    Later::with(&[&["xorsign", "abs"]], [7, 2, 86]),
    Later::with(&[&["L2::cache_hint"]], [7, 4, 80]),
    Later::with(&[&["shared::cta"]], [7, 8, 30]),
    Later::with(&[&["cluster", "shared::cluster"]], [7, 8, 90]),
    Later::with(&[&["param::entry", "param::func"]], [8, 3, 10]),
    Later::with(&[&["b128"]], [8, 3, 70]),
    Later::with(&[&["b128"], &["sys"]], [8, 4, 70]),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_came_later_than_their_words() {
        const FIRST: Since = Since::of([1, 0, 10]);
        let wide = Later::with(&[&["v4"], &["b64", "u64"]], [8, 8, 100]);
        assert_eq!(wide.since(&["v4", "b32"]), None);
        assert_eq!(
            wide.since(&["v4", "u64"]).map(|s| s.to_string()).as_deref(),
            Some("8.8 sm_100")
        );
        let generic = Later::without(&["global"], [2, 0, 20]);
        assert!(generic.since(&["u32"]).is_some() && generic.since(&["global"]).is_none());
        assert_eq!(generic.among(FIRST, &|word| word == "global"), None);
        let may = |word: &str| matches!(word, "v4" | "u64" | "u32");
        assert_eq!(wide.among(FIRST, &may).as_deref(), Some("`.v4` with `.u64`: 8.8 sm_100"));
        assert_eq!(wide.among(FIRST, &|word| word == "v4"), None);
    }
}
