//! Ordinary stores to initialized mbarriers: undefined (PTX-9.7.13.15).
//!
//! A hidden read before the store, which the program does not have, tells whether the store hits an
//! object. The read stands in a graph of its own, so that no other question depends on it.

use super::asked::{Asked, Found};
use super::events::{unfolded_twice, unfolding};
use super::violation::violation;
use crate::event::unfold::Unfolding;
use crate::rule::Rule;
use crate::solve::Problem;

/// The verdict if some execution overwrites an object, with the events of the verdict.
pub(super) fn object(asked: Asked<'_>) -> Option<Found> {
    let Asked { test, problem: Problem { graph, model }, settings, .. } = asked;
    if !graph.may_overwrite_mbarriers() {
        return None;
    }
    let unfolding = Unfolding { looks: true, ..unfolding(model, settings) };
    let mut looking = unfolded_twice(test, model, settings, unfolding);
    looking.violations.retain(|violation| violation.rule == Some(Rule::MbarrierStored));
    let verdict = violation(asked.on(&looking))?;
    Some(Found::elsewhere((verdict, looking)))
}
