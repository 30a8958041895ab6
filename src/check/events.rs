//! The events of a test, as the settings ask for them.

use super::features;
use super::{Settings, idempotent};
use crate::event::graph::{CutKind, EventGraph};
use crate::event::unfold::{SCALAR_BYTES, Unfolding, unfold};
use crate::id::{AccessId, ObjectId};
use crate::litmus::ast::Test;
use crate::program::lower::lower;
use crate::program::micro::Micro;
use crate::program::reading::{Edition, Readings, VectorReading};
use crate::race::candidates;
use crate::relation::expr::{Model, Node};
use crate::relation::thin_air::thin_air;
use crate::solve::Problem;
use crate::source::Span;
use crate::vocabulary::{BaseRel, BaseSet};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The event graph of a test under a model.
#[must_use]
pub fn graph_of(test: &Test, model: &Model, settings: Settings) -> EventGraph {
    unfolded_twice(test, model, settings, unfolding(model, settings))
}

/// As [`graph_of`], with the rounds of loops that only wait.
///
/// Such a round may be left out of an execution without a change to the others, but its accesses
/// may race. A race needs at most one such round of each of its two threads, besides the rounds
/// that have effects, so that one round more than the bound is enough. The same holds for
/// violations by a single access. Where no access of such a round may race, the rounds are left out.
#[must_use]
pub fn graph_with_rounds(test: &Test, model: &Model, settings: Settings) -> EventGraph {
    let graph = graph_of(test, model, settings);
    match waits(&graph) && polls_may_race(Problem { graph: &graph, model }) {
        true => with_rounds(test, model, settings),
        false => graph,
    }
}

/// Whether an access of a round that is left out may race. The rounds of one loop access the same
/// places in the same way, so that the bounds for the round that is there speak of the others.
fn polls_may_race(problem: Problem<'_>) -> bool {
    let graph = problem.graph;
    // Of other cuts, more rounds may have effects.
    if graph.cuts.iter().any(|cut| cut.kind != CutKind::Spin) {
        return true;
    }
    let place = |access: AccessId| {
        let event = graph.event(graph.access(access).pieces[0]);
        (event.agent, event.span)
    };
    let polls: FxHashSet<_> =
        graph.cuts.iter().flat_map(|cut| &cut.polls).map(|&poll| place(poll)).collect();
    let is_poll = |access: AccessId| polls.contains(&place(access));
    candidates(problem).is_none_or(|pairs| pairs.iter().any(|&(a, b)| is_poll(a) || is_poll(b)))
}

/// The events of a test; they are unfolded again if some variables are found to be idempotent.
pub(super) fn unfolded_twice(
    test: &Test,
    model: &Model,
    settings: Settings,
    unfolding: Unfolding,
) -> EventGraph {
    let graph = unfolded(test, model, settings, unfolding, &BTreeSet::new());
    let transparent = idempotent::objects(&graph, model);
    match transparent.is_empty() {
        true => graph,
        false => unfolded(test, model, settings, unfolding, &transparent),
    }
}

/// The options for unfolding programs under a model.
pub(super) fn unfolding(model: &Model, settings: Settings) -> Unfolding {
    Unfolding {
        bound: settings.bound,
        spin_loops: model.forgets_reads(),
        by_values: model.mentioned().contains(&Node::Rel(BaseRel::ValueDep)),
        tearing: settings.tearing,
        widest_whole: match settings.readings.vector {
            VectorReading::Whole => VECTOR_BYTES,
            VectorReading::Ordered | VectorReading::Unordered => SCALAR_BYTES,
        },
        grounded: thin_air(model).is_some(),
        looks: false,
        skips: settings.skips,
        ahead: false,
        loose: settings.loose,
    }
}

/// The widest vector that is one operation under the reading that takes vectors as whole, in bytes.
const VECTOR_BYTES: u32 = 16;

/// The events with one more round than the bound, including the rounds that only wait.
pub(super) fn with_rounds(test: &Test, model: &Model, settings: Settings) -> EventGraph {
    let bound = settings.bound.saturating_add(1);
    let unfolding = Unfolding { bound, spin_loops: false, ..unfolding(model, settings) };
    unfolded(test, model, settings, unfolding, &BTreeSet::new())
}

/// Whether some loops only wait, so that rounds are left out.
pub(super) fn waits(graph: &EventGraph) -> bool {
    graph.cuts.iter().any(|cut| cut.kind != CutKind::Bound)
}

pub(super) fn unfolded(
    test: &Test,
    model: &Model,
    settings: Settings,
    unfolding: Unfolding,
    transparent: &BTreeSet<ObjectId>,
) -> EventGraph {
    let readings = Readings { edition: edition(model), ..settings.readings };
    let mut graph = unfold(&lower(test, readings), unfolding, transparent);
    // Uses outside of the model are reported before undefined behaviour.
    let outside = features::uses(&mut graph, model);
    graph.violations.splice(..0, outside);
    graph
}

/// The version of the ISA that a model is about: fences for reads alone came with the last one.
pub(crate) fn edition(model: &Model) -> Edition {
    match model.mentioned().contains(&Node::Set(BaseSet::ForReads)) {
        true => Edition::Ptx94,
        false => Edition::Ptx92,
    }
}

/// Whether a program has barriers, reached within the bound or not.
pub(super) fn has_barriers(test: &Test, settings: Settings) -> bool {
    let program = lower(test, settings.readings);
    let mut steps = program.threads.iter().flat_map(|thread| &thread.steps);
    steps.any(|step| step.micros.iter().any(|micro| matches!(micro, Micro::Barrier(_))))
}

/// The events without the filter on final states.
pub(super) fn without_filter(graph: &EventGraph) -> Cow<'_, EventGraph> {
    if graph.exprs.is_true(graph.filter) {
        return Cow::Borrowed(graph);
    }
    let mut all = graph.clone();
    all.filter = all.exprs.truth(true);
    Cow::Owned(all)
}

/// The branches of loops in which threads may wait for ever.
pub(super) fn spins(graph: &EventGraph) -> Vec<Span> {
    in_order(graph.cuts.iter().filter(|c| c.kind == CutKind::Spin).map(|c| c.span))
}

/// Places in the order of the source, each once.
pub(super) fn in_order(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut spans: Vec<Span> = spans.collect();
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    spans
}
