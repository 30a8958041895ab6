//! Consequences of the loop bound: whether a higher one, a lower one or an abstraction decides.

use super::asked::{Asked, Found};
use super::events::{graph_of, has_barriers, without_filter};
use super::questions::{decide, decide_events, undefined};
use super::{Outcome, Settings};
use crate::event::graph::{CutKind, EventGraph};
use crate::litmus::ast::Test;
use crate::relation::expr::Model;
use crate::relation::thin_air::no_value_from_nowhere;
use crate::rule::Unsupported;
use crate::solve::{Answer, Core, Engine, Goal, Problem};
use crate::verdict::{BoundKind, Bounded, Undecided, Verdict};

/// The outcome for the orders of vector elements that the graph has, with the bound raised where that
/// may decide.
pub(super) fn bounded(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
) -> Outcome {
    let (mut verdict, mut graph) = decide(test, model, engine, settings);
    let mut reached = settings.bound;
    if may_raise(settings, &graph) {
        for bound in settings.bound.saturating_add(1)..=MOST_RAISED {
            if !asks_for_more(&verdict) {
                break;
            }
            let budget = settings.budget.at_most(STEPS_FOR_MORE);
            let higher = decide(test, model, engine, Settings { bound, budget, ..settings });
            match higher.0 {
                Verdict::Unknown(Undecided::Engine(_) | Undecided::Unsupported(_))
                | Verdict::Error(_) => break,
                _ => ((verdict, graph), reached) = (higher, bound),
            }
        }
    }
    if may_depend_on_less(&verdict, model)
        && let Some(fewer) = allowed_by_fewer_rounds(test, model, engine, settings, &graph)
    {
        ((verdict, graph), reached) = fewer;
    }
    if cuts_loops(&verdict)
        && let Some(loose) = excluded_loosely(test, model, engine, settings, reached)
    {
        (verdict, graph) = loose;
    }
    if cuts_loops(&verdict)
        && let Some(core) = excluded_beyond(test, model, engine, settings, &graph)
    {
        verdict = Verdict::Forbidden(core);
    }
    if let Some(void) = void_beyond(test, model, engine, settings, (&verdict, &graph)) {
        ((verdict, graph), reached) = void;
    }
    Outcome { holds: verdict.holds(test.quantifier), verdict, graph, bound: reached }
}

/// The core that excludes the outcome for any number of loop rounds. It is found on executions with
/// rounds left out, which may not decide (`None`).
///
/// Where no execution ends, threads that wait for such a loop at a barrier may be in a deadlock;
/// then `None`.
fn excluded_beyond(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
    graph: &EventGraph,
) -> Option<Core> {
    if !may_raise(settings, graph) || !model.forgets_reads() {
        return None;
    }
    let budget = settings.budget.at_most(STEPS_FOR_MORE);
    let settings =
        Settings { skips: true, bound: settings.bound.max(MOST_RAISED), budget, ..settings };
    // The bound may cut a thread before all barriers.
    if has_barriers(test, settings) {
        let all = without_filter(graph);
        match engine.find(Problem { graph: &all, model }, Goal::Complete, budget) {
            Answer::Yes(_) => {}
            _ => return None,
        }
    }
    match decide(test, model, engine, settings) {
        (Verdict::Forbidden(core), fewer) if core.endless.is_empty() && !fewer.some_orders => {
            Some(core)
        }
        _ => None,
    }
}

/// Whether a verdict is open because of loops that have a way out.
fn cuts_loops(verdict: &Verdict) -> bool {
    let may_end = |bounded: &Bounded| bounded.beyond != BoundKind::NoWayOut;
    matches!(verdict, Verdict::Unknown(Undecided::Bound(bounded)) if may_end(bounded))
}

/// The highest bound that is tried. If two threads update one location by `cas`, one of them mostly
/// succeeds in its third round at the latest.
pub(super) const MOST_RAISED: u8 = 4;

/// Programs with more events are left at their bound.
const MOST_RAISED_EVENTS: usize = 80;

/// The most steps of an engine for each question with a raised bound.
pub(super) const STEPS_FOR_MORE: u64 = 10_000;

/// Whether the bound may be raised for a program with these events.
fn may_raise(settings: Settings, graph: &EventGraph) -> bool {
    settings.raises && graph.events.len() <= MOST_RAISED_EVENTS
}

/// Whether a higher bound may decide a test.
fn asks_for_more(verdict: &Verdict) -> bool {
    let cut = |bounded: &Bounded| bounded.beyond == BoundKind::Higher;
    matches!(verdict, Verdict::Unknown(Undecided::Bound(bounded)) if cut(bounded))
}

/// The verdict on undefined behaviour in a round beyond the bound, for a program defined within the
/// bound. Includes the events and the higher bound.
pub(super) fn void_beyond(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
    (verdict, graph): (&Verdict, &EventGraph),
) -> Option<((Verdict, EventGraph), u8)> {
    let is_cut = graph.cuts.iter().any(|cut| cut.kind == CutKind::Bound);
    let defined = matches!(verdict, Verdict::Allowed(_) | Verdict::Deadlock(_));
    if !(may_raise(settings, graph) && is_cut && defined) {
        return None;
    }
    let budget = settings.budget.at_most(STEPS_FOR_MORE);
    (graph.bound.saturating_add(1)..=MOST_RAISED).find_map(|bound| {
        let settings = Settings { bound, budget, ..settings };
        let higher = graph_of(test, model, settings);
        let problem = Problem { graph: &higher, model };
        let Found { verdict, graph } = undefined(Asked { test, problem, engine, settings })?;
        let is_void = matches!(verdict, Verdict::Undefined(_) | Verdict::OutOfModel(_));
        is_void.then(|| ((verdict, graph.unwrap_or(higher)), bound))
    })
}

/// Whether an outcome is, or may be, excluded because of dependencies.
pub(super) fn may_depend_on_less(verdict: &Verdict, model: &Model) -> bool {
    match verdict {
        Verdict::Forbidden(core) => {
            let axiom = no_value_from_nowhere(model);
            !core.endless.is_empty() || axiom.is_some_and(|axiom| core.axioms.contains(&axiom))
        }
        Verdict::Unknown(Undecided::Unsupported(Unsupported::ManyWays) | Undecided::Bound(_)) => {
            true
        }
        _ => false,
    }
}

/// An execution with the outcome within fewer rounds, with its events and their bound.
///
/// Events after a loop may depend on more reads if unfolded together with those of further rounds;
/// but an execution that ends before these rounds is one of the program in any case.
pub(super) fn allowed_by_fewer_rounds(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
    graph: &EventGraph,
) -> Option<((Verdict, EventGraph), u8)> {
    if graph.cuts.is_empty() {
        return None;
    }
    let budget = settings.budget.at_most(STEPS_FOR_MORE);
    (1..graph.bound).find_map(|bound| {
        let settings = Settings { bound, budget, ..settings };
        let events = graph_of(test, model, settings);
        if is_same(&events, graph) {
            return None;
        }
        let fewer = decide_events(test, model, engine, settings, events);
        matches!(fewer.0, Verdict::Allowed(_)).then_some((fewer, bound))
    })
}

/// Whether two bounds give the same events: no loop is cut by either, and all loops that only wait
/// have the same rounds. Equal events alone would not do, since the rounds of a loop without accesses
/// change what later events depend on.
fn is_same(one: &EventGraph, other: &EventGraph) -> bool {
    let only_waits = |graph: &EventGraph| graph.cuts.iter().all(|cut| cut.kind == CutKind::Spin);
    let size = |graph: &EventGraph| {
        (graph.events.len(), graph.accesses.len(), graph.exprs.len(), graph.cuts.len())
    };
    only_waits(one) && only_waits(other) && size(one) == size(other)
}

/// The verdict that an outcome is excluded regardless of dependencies. Rounds are left out although
/// later events may have fewer dependencies with them.
pub(super) fn excluded_loosely(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
    reached: u8,
) -> Option<(Verdict, EventGraph)> {
    let budget = settings.budget.at_most(STEPS_FOR_MORE);
    let loosely = Settings { loose: true, budget, bound: reached, ..settings };
    let (verdict, graph) = decide(test, model, engine, loosely);
    let is_excluded = matches!(&verdict, Verdict::Forbidden(core) if core.endless.is_empty());
    is_excluded.then_some((verdict, graph))
}
