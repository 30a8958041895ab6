//! Explicit interpretations: one value for each base set and relation.

use super::eval::Interpretation;
use crate::bitrel::{EventSet, Rel};
use crate::vocabulary::{BaseRel, BaseSet};

/// Values for all base names over one universe.
#[derive(Clone, Debug, PartialEq)]
pub struct Assignment {
    events: usize,
    sets: Vec<EventSet>,
    relations: Vec<Rel>,
}

impl Assignment {
    /// The assignment of empty values over `events` events, except `_`, which is full, and `id` and
    /// `sa`, which are the identity.
    #[must_use]
    pub fn new(events: usize) -> Self {
        let mut new = Self {
            events,
            sets: vec![EventSet::empty(events); BaseSet::ALL.len()],
            relations: vec![Rel::empty(events); BaseRel::ALL.len()],
        };
        *new.set_mut(BaseSet::All) = EventSet::full(events);
        *new.relation_mut(BaseRel::Id) = Rel::identity(events);
        *new.relation_mut(BaseRel::SameAccess) = Rel::identity(events);
        new
    }

    /// The mutable value of a base set.
    pub fn set_mut(&mut self, set: BaseSet) -> &mut EventSet {
        &mut self.sets[set.index()]
    }

    /// The mutable value of a base relation.
    pub fn relation_mut(&mut self, relation: BaseRel) -> &mut Rel {
        &mut self.relations[relation.index()]
    }
}

impl Interpretation for Assignment {
    fn len(&self) -> usize {
        self.events
    }

    fn set(&self, set: BaseSet) -> &EventSet {
        &self.sets[set.index()]
    }

    fn relation(&self, relation: BaseRel) -> &Rel {
        &self.relations[relation.index()]
    }
}
