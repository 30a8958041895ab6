//! What the bound on loops leaves open: which loop it cuts, and whether a higher one may tell.

use super::{Settings, in_order};
use crate::event::graph::{Ahead, Cut, CutKind, EventGraph};
use crate::solve::{Answer, Engine, Goal, Problem};
use crate::source::Span;
use crate::verdict::{Beyond, Bounded, Decided, Undecided};

/// Why executions may be missing because loops are cut by the bound; `None` where none is.
#[must_use]
pub fn cut(problem: Problem<'_>, engine: &dyn Engine, settings: Settings) -> Option<Undecided> {
    let graph = problem.graph;
    if graph.cuts.iter().all(|cut| cut.kind != CutKind::Bound) {
        return None;
    }
    let find = |graph: &EventGraph| {
        engine.find(Problem { graph, ..problem }, Goal::BoundHit, settings.budget)
    };
    match find(graph).decided() {
        Ok(Decided::Yes(_)) => {}
        Ok(Decided::No(_)) => return None,
        Err(why) => return Some(why),
    }
    let reaches = |graph: &EventGraph| matches!(find(graph), Answer::Yes(_));
    let steady = steady(graph).filter(reaches);
    let branch = first(steady.as_ref().unwrap_or(graph), reaches);
    let here =
        |ahead: Ahead| graph.cuts.iter().any(|cut| branch == Some(cut.span) && cut.ahead == ahead);
    let beyond = match steady {
        Some(_) => Beyond::Never,
        None if graph.bound < settings.bound => Beyond::TooLarge,
        None if here(Ahead::Endless) => Beyond::NoWayOut,
        None if here(Ahead::Counts) => Beyond::Counts,
        None => Beyond::Higher,
    };
    Some(Undecided::Bound(Bounded { rounds: graph.bound, branch, beyond }))
}

/// The events with only those cuts counted as the bound's that come after a round which another
/// one like it may follow. `None` where there are none.
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
