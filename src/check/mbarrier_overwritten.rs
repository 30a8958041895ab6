//! Ordinary stores to initialized mbarriers: undefined (PTX-9.7.13.15).
//!
//! A hidden read before the store, which the program does not have, tells whether the store hits an
//! object. The read stands in a graph of its own, so that no other question depends on it.

use super::{Settings, unfolded_twice, unfolding, violation};
use crate::event::graph::EventGraph;
use crate::event::unfold::Unfolding;
use crate::litmus::ast::Test;
use crate::rule::Rule;
use crate::solve::{Engine, Problem};
use crate::verdict::Verdict;

/// The verdict if some execution overwrites an object, with the events of the verdict.
pub(super) fn object(
    test: &Test,
    Problem { graph, model }: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<(Verdict, EventGraph)> {
    if !graph.may_overwrite_mbarriers() {
        return None;
    }
    let unfolding = Unfolding { looks: true, ..unfolding(model, settings) };
    let mut looking = unfolded_twice(test, model, settings, unfolding);
    looking.violations.retain(|violation| violation.rule == Rule::MbarrierStored);
    let verdict = violation(Problem { graph: &looking, model }, engine, settings)?;
    Some((verdict, looking))
}
