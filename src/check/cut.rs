//! The loop that the bound cuts, and what that leaves open.

use super::events::{in_order, unfolded, unfolding};
use super::{Settings, idempotent};
use crate::event::graph::{Ahead, Cut, CutKind, EventGraph};
use crate::event::unfold::Unfolding;
use crate::litmus::ast::Test;
use crate::program::lower::lower;
use crate::program::micro::Micro;
use crate::solve::{Answer, Engine, Goal, Problem};
use crate::source::Span;
use crate::verdict::{BoundKind, Bounded, Decided, Undecided};
use std::collections::BTreeSet;

/// The reason why executions of a test with these events may be missing because the bound cuts
/// loops; `None` if none is missing.
#[must_use]
pub fn cut(
    test: &Test,
    problem: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Undecided> {
    let graph = problem.graph;
    if graph.cuts.iter().all(|cut| cut.kind != CutKind::Bound) {
        return None;
    }
    let find = |graph: &EventGraph| {
        engine.find(Problem { graph, ..problem }, Goal::BoundHit, settings.budget)
    };
    let hit = find(graph);
    // A thread may need values written beyond the bound to get there.
    let ahead = matches!(hit, Answer::No(_)).then(|| with_writes_ahead(test, problem, settings));
    let (graph, hit) = match ahead.as_ref().and_then(Option::as_ref) {
        Some(ahead) => (ahead, find(ahead)),
        None => (graph, hit),
    };
    match hit.decided() {
        Ok(Decided::Yes(_)) => {}
        // Writes of asynchronous operations beyond the bound are not covered.
        Ok(Decided::No(_)) if issues(test, settings) => {}
        Ok(Decided::No(_)) => return None,
        Err(why) => return Some(why),
    }
    let reaches = |graph: &EventGraph| matches!(find(graph), Answer::Yes(_));
    let steady = steady(graph).filter(reaches);
    let branch = first(steady.as_ref().unwrap_or(graph), reaches);
    let here =
        |ahead: Ahead| graph.cuts.iter().any(|cut| branch == Some(cut.span) && cut.ahead == ahead);
    let beyond = match steady {
        Some(_) => BoundKind::Never,
        None if graph.bound < settings.bound => BoundKind::TooLarge,
        None if here(Ahead::Endless) => BoundKind::NoWayOut,
        None if here(Ahead::Counts) => BoundKind::Counts,
        None => BoundKind::Higher,
    };
    Some(Undecided::Bound(Bounded { rounds: graph.bound, branch, beyond }))
}

/// Whether a program has asynchronous operations, issued within the bound or not.
fn issues(test: &Test, settings: Settings) -> bool {
    let program = lower(test, settings.readings);
    let mut steps = program.threads.iter().flat_map(|thread| &thread.steps);
    steps.any(|step| step.micros.iter().any(|micro| matches!(micro, Micro::Issue(_))))
}

/// The events together with the writes that may happen beyond the bound. `None` if there are none.
fn with_writes_ahead(
    test: &Test,
    Problem { graph, model }: Problem<'_>,
    settings: Settings,
) -> Option<EventGraph> {
    let plain = unfolding(model, settings);
    // The variables are those of the events without these writes, which may be from the second
    // unfolding.
    let first = unfolded(test, model, settings, plain, &BTreeSet::new());
    let transparent = idempotent::objects(&first, model);
    let ahead = Unfolding { ahead: true, ..plain };
    let ahead = unfolded(test, model, settings, ahead, &transparent);
    (ahead.events.len() > graph.events.len()).then_some(ahead)
}

/// The events with only those cuts of the bound that follow a repeatable round. `None` if there are
/// none.
fn steady(graph: &EventGraph) -> Option<EventGraph> {
    let mut out = graph.clone();
    let (mut cuts, mut found) = (Vec::new(), false);
    for cut in &graph.cuts {
        if cut.kind != CutKind::Bound || graph.exprs.is_false(cut.steady) {
            cuts.push(Cut { kind: CutKind::Spin, ..cut.clone() });
            continue;
        }
        found = true;
        cuts.push(Cut { guard: cut.steady, ..cut.clone() });
        let other = out.exprs.not(cut.steady);
        let guard = out.exprs.and(cut.guard, other);
        if !out.exprs.is_false(guard) {
            cuts.push(Cut { guard, kind: CutKind::Spin, ..cut.clone() });
        }
    }
    out.cuts = cuts;
    found.then_some(out)
}

/// The branch of the first loop that the bound surely cuts.
fn first(graph: &EventGraph, reaches: impl Fn(&EventGraph) -> bool) -> Option<Span> {
    let counts = graph.cuts.iter().filter(|cut| cut.kind == CutKind::Bound);
    let branches = in_order(counts.map(|cut| cut.span));
    if let [only] = branches[..] {
        return Some(only);
    }
    let with = |branch: Span| {
        let mut out = graph.clone();
        let others = out.cuts.iter_mut().filter(|cut| cut.span != branch);
        others.for_each(|cut| cut.kind = CutKind::Spin);
        out
    };
    branches.into_iter().find(|&branch| reaches(&with(branch)))
}
