//! The comparison of verdicts on tests under two models, grouped by the cause of the difference.
//!
//! The old side may be recorded verdicts, which have kinds without reasons.

use crate::batch::{Judgement, Listing};
use crate::litmus::ast::Quantifier;
use crate::relation::expr::Model;
use crate::rule::Rule;
use crate::verdict::{Kind, Verdict};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// One of the two models.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The model that is compared with.
    Old,
    /// The model that is looked at.
    New,
}

/// The cause of a difference on a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cause {
    /// The axioms by which one side forbids the outcome and the other does not.
    Axioms {
        /// The side with the axioms.
        side: Side,
        /// Their names, in the order of the model.
        names: Vec<String>,
    },
    /// The reason why one side gives the program no meaning, or lets it hang.
    Reason {
        /// The side with the reason.
        side: Side,
        /// The rule.
        rule: Rule,
    },
    /// The verdict is the same, and other states are reached.
    States,
    /// The verdict is the same, and other pairs of statements race.
    Races,
    /// Neither side has a named cause.
    Unnamed,
}

impl Cause {
    /// The order of causes in reports: by kind, side, and the text for the user.
    fn order(&self) -> (usize, Option<Side>, Vec<String>) {
        match self {
            Self::Axioms { side, names } => (0, Some(*side), names.clone()),
            Self::Reason { side, rule } => (1, Some(*side), vec![rule.to_string()]),
            Self::States => (2, None, Vec::new()),
            Self::Races => (3, None, Vec::new()),
            Self::Unnamed => (4, None, Vec::new()),
        }
    }
}

/// The verdict of one side on a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// The verdict.
    pub kind: Kind,
    /// Its word, which for a `forall` tells whether the condition holds.
    pub word: &'static str,
    /// The axioms that forbid.
    pub axioms: Vec<String>,
    /// The rule by which a program is undefined, outside of the model or in a deadlock.
    pub rule: Option<Rule>,
}

impl Said {
    /// A verdict that was written down.
    #[must_use]
    pub fn bare(kind: Kind, quantifier: Quantifier) -> Self {
        Self { kind, word: kind.word(quantifier), axioms: Vec::new(), rule: None }
    }

    /// A verdict with the axioms or the rule of its reason.
    #[must_use]
    pub fn of(judgement: &Judgement, model: &Model, quantifier: Quantifier) -> Self {
        let mut said = Self::bare(judgement.verdict.kind(), quantifier);
        match &judgement.verdict {
            Verdict::Forbidden(core) => {
                let named = core.axioms.iter().filter_map(|&index| model.axioms.get(index));
                said.axioms = named.map(|axiom| axiom.name.clone()).collect();
            }
            Verdict::Undefined(reason)
            | Verdict::OutOfModel(reason)
            | Verdict::Deadlock(reason) => {
                said.rule = Some(reason.rule.clone());
            }
            Verdict::Allowed(_) | Verdict::Unknown(_) | Verdict::Error(_) => {}
        }
        said
    }
}

/// Members of a set that only one side has.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The members that only the new side has.
    pub gained: Vec<String>,
    /// The members that only the old side has.
    pub lost: Vec<String>,
}

impl Exchange {
    /// The difference of two sets.
    #[must_use]
    pub fn between(old: &BTreeSet<String>, new: &BTreeSet<String>) -> Self {
        Self {
            gained: new.difference(old).cloned().collect(),
            lost: old.difference(new).cloned().collect(),
        }
    }

    /// Whether both sides have the same members.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.gained.is_empty() && self.lost.is_empty()
    }
}

/// How the two sides stand to each other on one test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compared {
    /// The old verdict; `None` where the test is new to it.
    pub old: Option<Said>,
    /// The new verdict.
    pub new: Said,
    /// The final states that only one side reaches, if requested and completely known.
    pub states: Option<Exchange>,
    /// The races that only one side has, if requested and completely known.
    pub races: Option<Exchange>,
    /// The requested results that are unknown.
    pub open: Vec<String>,
}

impl Compared {
    /// Whether the sides differ; never for a test that the old side lacks.
    #[must_use]
    pub fn differs(&self) -> bool {
        let verdicts = self.old.as_ref().is_some_and(|old| old.kind != self.new.kind);
        let sets = [&self.states, &self.races].into_iter().flatten();
        verdicts || sets.into_iter().any(|set| !set.is_empty())
    }

    /// Whether some result is unknown on one of the sides, so that the sides may differ.
    #[must_use]
    pub fn is_open(&self) -> bool {
        let old = self.old.as_ref().is_some_and(|old| old.kind == Kind::Unknown);
        old || self.new.kind == Kind::Unknown || !self.open.is_empty()
    }

    /// Whether the tool failed on the test.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.new.kind == Kind::Error || self.old.as_ref().is_some_and(|o| o.kind == Kind::Error)
    }

    /// The cause of the difference.
    #[must_use]
    pub fn cause(&self) -> Cause {
        let Some(old) = self.old.as_ref().filter(|old| old.kind != self.new.kind) else {
            let states = self.states.as_ref().is_some_and(|states| !states.is_empty());
            return if states { Cause::States } else { Cause::Races };
        };
        let sides = [(Side::New, &self.new), (Side::Old, old)];
        let axioms = |(side, said): &(Side, &Said)| {
            let names = said.axioms.clone();
            (!names.is_empty()).then_some(Cause::Axioms { side: *side, names })
        };
        let reasons = |(side, said): &(Side, &Said)| {
            said.rule.clone().map(|rule| Cause::Reason { side: *side, rule })
        };
        let found = sides.iter().find_map(reasons).or_else(|| sides.iter().find_map(axioms));
        found.unwrap_or(Cause::Unnamed)
    }
}

/// The common properties of a group of tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The verdict that the new side gives.
    pub new: Kind,
    /// The verdict that the old side gives.
    pub old: Kind,
    /// The words for the new and the old verdict.
    pub words: [&'static str; 2],
    /// The cause of the difference.
    pub cause: Cause,
}

/// Tests on which the two sides differ in the same way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The common properties.
    pub key: Key,
    /// Their indices.
    pub tests: Vec<usize>,
}

/// The differing tests in groups: large groups first, then in the order of their keys.
#[must_use]
pub fn groups(compared: &[Compared]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (index, one) in compared.iter().enumerate().filter(|(_, one)| one.differs()) {
        let old = one.old.as_ref().unwrap_or(&one.new);
        let (words, cause) = ([one.new.word, old.word], one.cause());
        let key = Key { new: one.new.kind, old: old.kind, words, cause };
        match groups.iter_mut().find(|group| group.key == key) {
            Some(group) => group.tests.push(index),
            None => groups.push(Group { key, tests: vec![index] }),
        }
    }
    groups.sort_by_cached_key(|Group { key, tests }| {
        (Reverse(tests.len()), key.new, key.old, key.words, key.cause.order())
    });
    groups
}

/// How many verdicts of each word a side gives, in the order of [`Kind::words`].
#[must_use]
pub fn counts<'s>(said: impl Iterator<Item = &'s Said>) -> Vec<usize> {
    let words = Kind::words();
    let mut counts = vec![0; words.len()];
    for one in said {
        if let Some(at) = words.iter().position(|word| *word == one.word) {
            counts[at] += 1;
        }
    }
    counts
}

/// The final states of a listing, each as text; `None` where there may be more of them.
#[must_use]
pub fn states(
    listing: &Listing,
    value: impl Fn(usize, u128) -> String,
) -> Option<BTreeSet<String>> {
    if !listing.is_complete() {
        return None;
    }
    let one = |(values, _): &(Vec<u128>, _)| {
        let named = listing.graph.observed.iter().zip(values).enumerate();
        let named = named.map(|(index, (o, &v))| format!("{}={}", o.name, value(index, v)));
        named.collect::<Vec<_>>().join(", ")
    };
    Some(listing.states.states.iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(kind: Kind, axioms: &[&str]) -> Said {
        Said {
            axioms: axioms.iter().map(|&a| a.to_owned()).collect(),
            ..Said::bare(kind, Quantifier::Exists)
        }
    }

    fn compared(old: Said, new: Said) -> Compared {
        Compared { old: Some(old), new, states: None, races: None, open: Vec::new() }
    }

    #[test]
    fn groups_are_by_what_decides() {
        let allowed = || Said::bare(Kind::Allowed, Quantifier::Exists);
        let all = [
            compared(allowed(), allowed()),
            compared(said(Kind::Forbidden, &["A"]), allowed()),
            compared(allowed(), said(Kind::Forbidden, &["B"])),
            compared(allowed(), said(Kind::Forbidden, &["B"])),
            Compared { old: None, ..compared(allowed(), said(Kind::Forbidden, &["B"])) },
        ];
        let found = groups(&all);
        let tests: Vec<&[usize]> = found.iter().map(|group| &group.tests[..]).collect();
        assert_eq!(tests, [&[2, 3][..], &[1]]);
        let names = vec!["A".to_owned()];
        assert_eq!(found[1].key.cause, Cause::Axioms { side: Side::Old, names });
        assert_eq!(counts(all.iter().map(|one| &one.new))[Kind::Allowed as usize], 2);
    }

    #[test]
    fn states_alone_are_a_difference() {
        let set = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<BTreeSet<_>>();
        let allowed = || Said::bare(Kind::Allowed, Quantifier::Exists);
        let same = Exchange::between(&set(&["r=1"]), &set(&["r=1"]));
        let one = Compared { states: Some(same), ..compared(allowed(), allowed()) };
        assert!(!one.differs());
        let other = Exchange::between(&set(&["r=0"]), &set(&["r=1"]));
        let one = Compared { states: Some(other), ..compared(allowed(), allowed()) };
        assert!(one.differs() && one.cause() == Cause::States);
    }
}
