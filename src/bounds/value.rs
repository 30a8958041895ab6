//! Lower and upper bounds as bit matrices, and the relational operations on them.

use super::guards::Guards;
use crate::bitrel::{EventSet, Rel};

/// A set or a relation.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A set of events.
    Set(EventSet),
    /// A relation over events.
    Relation(Rel),
}

impl Value {
    /// The set.
    ///
    /// # Panics
    /// When it is a relation; sorts are checked before.
    #[must_use]
    pub fn set(&self) -> &EventSet {
        match self {
            Self::Set(set) => set,
            Self::Relation(_) => panic!("a set was expected"),
        }
    }

    /// The relation.
    ///
    /// # Panics
    /// When it is a set; sorts are checked before.
    #[must_use]
    pub fn relation(&self) -> &Rel {
        match self {
            Self::Relation(relation) => relation,
            Self::Set(_) => panic!("a relation was expected"),
        }
    }

    pub(super) fn union(&self, other: &Self) -> Self {
        let mut out = self.clone();
        match (&mut out, other) {
            (Self::Set(a), Self::Set(b)) => {
                a.union_with(b);
            }
            (Self::Relation(a), Self::Relation(b)) => {
                a.union_with(b);
            }
            _ => panic!("sorts differ"),
        }
        out
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        let mut out = self.clone();
        match (&mut out, other) {
            (Self::Set(a), Self::Set(b)) => a.intersect_with(b),
            (Self::Relation(a), Self::Relation(b)) => a.intersect_with(b),
            _ => panic!("sorts differ"),
        }
        out
    }

    pub(super) fn difference(&self, other: &Self) -> Self {
        let mut out = self.clone();
        match (&mut out, other) {
            (Self::Set(a), Self::Set(b)) => a.subtract(b),
            (Self::Relation(a), Self::Relation(b)) => a.subtract(b),
            _ => panic!("sorts differ"),
        }
        out
    }
}

/// The bounds of an expression; a member of `lo` is in the value whenever its events happen.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// Contained in the value, up to execution.
    pub lo: Value,
    /// Contains the value.
    pub hi: Value,
}

/// Composition of lower bounds: the event in the middle must happen whenever an end does.
pub(super) fn compose_lo(a: &Rel, b: &Rel, guards: &Guards) -> Rel {
    let n = a.len();
    let mut out = Rel::empty(n);
    let mut first = a.clone();
    first.intersect_with(guards.implies());
    first.compose_into(b, &mut out);
    if guards.always().count() < n {
        let mut second = b.clone();
        second.intersect_with(&guards.implies().inverse());
        a.compose_union_into(&second, &mut out);
    }
    out
}

/// Transitive closure of a lower bound.
pub(super) fn close_lo(a: &Rel, guards: &Guards) -> Rel {
    if guards.always().count() == a.len() {
        let mut out = a.clone();
        out.transitive_closure_in_place();
        return out;
    }
    let mut out = a.clone();
    loop {
        let longer = compose_lo(&out, &out, guards);
        if !out.union_with(&longer) {
            return out;
        }
    }
}

/// Sources of a lower bound: events for which a target happens whenever they do.
pub(super) fn domain_lo(a: &Rel, guards: &Guards) -> EventSet {
    let mut sure = a.clone();
    sure.intersect_with(guards.implies());
    let mut out = EventSet::empty(a.len());
    sure.domain_into(&mut out);
    out
}

/// Targets of a lower bound: events for which a source happens whenever they do.
pub(super) fn range_lo(a: &Rel, guards: &Guards) -> EventSet {
    domain_lo(&a.inverse(), guards)
}
