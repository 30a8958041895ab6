//! Families and single tests one behind the other, numbered through, so that an order that is drawn at
//! random mixes all of them.

use super::family::{Choices, Family};
use super::name::Named;
use super::shape::canonical;
use super::specification::Specification;
use super::variation::Variation;
use itertools::Itertools;

/// What one specification stands for.
#[derive(Clone, Debug)]
pub enum Member {
    /// All variations of a cycle.
    Family(Family),
    /// One test.
    Test(Named),
}

impl Member {
    /// What a specification stands for, its cycle multiplied by `choices`.
    #[must_use]
    pub fn new(specification: Specification, choices: &Choices) -> Self {
        match specification {
            Specification::Cycle(cycle) => Self::Family(Family::new(canonical(cycle), choices)),
            Specification::Test(test) => Self::Test(test),
        }
    }

    /// How many variations have numbers, those that [`Self::get`] leaves out included.
    fn len(&self) -> u64 {
        match self {
            Self::Family(family) => family.len(),
            Self::Test(_) => 1,
        }
    }

    fn get(&self, number: u64) -> Option<Variation<'_>> {
        match self {
            Self::Family(family) => family.get(number),
            Self::Test(test) => Some(test.variation()),
        }
    }
}

/// What several specifications stand for.
#[derive(Clone, Debug)]
pub struct Collection {
    members: Vec<Member>,
}

impl Collection {
    /// What specifications stand for, in their order; of several that stand for the same the first.
    #[must_use]
    pub fn new(specifications: Vec<Specification>, choices: &Choices) -> Self {
        let canonical = |one| match one {
            Specification::Cycle(cycle) => Specification::Cycle(canonical(cycle)),
            test @ Specification::Test(_) => test,
        };
        let distinct = specifications.into_iter().map(canonical).unique();
        Self { members: distinct.map(|one| Member::new(one, choices)).collect() }
    }

    /// What each specification stands for.
    #[must_use]
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// How many variations have numbers, those that [`Self::get`] leaves out included.
    #[must_use]
    pub fn len(&self) -> u64 {
        self.members.iter().map(Member::len).fold(0, u64::saturating_add)
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The variation of a number, below [`Self::len`]; `None` as [`Family::get`] says.
    #[must_use]
    pub fn get(&self, mut number: u64) -> Option<Variation<'_>> {
        for member in &self.members {
            if number < member.len() {
                return member.get(number);
            }
            number -= member.len();
        }
        None
    }
}
