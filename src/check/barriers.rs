//! Misuse of barriers that no guard expresses. Examples are operations that may meet but must not,
//! and programs that no execution completes.

use super::asked::{Asked, Found};
use super::barrier_reasons::{
    may_differ, reason, reason_of_deadlock, unclear_deadlock, unsupported,
};
use super::deadlock::in_no_end;
use super::limits::too_large;
use super::{barrier_counts, barrier_reuse};
use crate::event::barrier::{BarrierKey, BarrierOp, BarrierRule};
use crate::event::graph::EventGraph;
use crate::execution::barriers::Barriers;
use crate::execution::phase::TooMany;
use crate::execution::schedule::{Misuse, Schedules};
use crate::rule::{Extent, Rule, Unsupported};
use crate::solve::Core;
use crate::verdict::{Reason, Undecided, Verdict};

/// The verdict if barriers of CTAs are misused in some order of their operations (PTX-9.7.13.1).
pub(super) fn misuse(asked: Asked<'_>) -> Option<Found> {
    misused_in_some_order(asked).map(Found::here)
}

fn misused_in_some_order(asked: Asked<'_>) -> Option<Verdict> {
    let graph = asked.problem.graph;
    if graph.barriers.is_empty() || too_large(graph).is_some() {
        return None;
    }
    let first = barrier_reuse::first_return(graph);
    let schedules = Schedules::new(Barriers::certain(graph));
    // If threads can meet in one way only, the orders between barriers decide.
    if (may_clash(graph) || (first.is_some() && !schedules.is_fixed()))
        && let Some(verdict) = misused(graph, &schedules)
    {
        return Some(verdict);
    }
    if may_mix(graph) && Barriers::fixed(graph).is_none() {
        return Some(unsupported(Unsupported::BarrierMixture));
    }
    if let Some(verdict) = barrier_counts::differ(asked) {
        return Some(verdict);
    }
    barrier_reuse::early(asked, first?).or_else(|| barrier_reuse::behind_a_branch(asked))
}

/// Whether operations at some barrier may differ so that no two of them may meet.
fn may_clash(graph: &EventGraph) -> bool {
    may_differ(graph) || may_mix(graph)
}

/// Whether some barrier has reductions, other operations and counts.
fn may_mix(graph: &EventGraph) -> bool {
    let counts = |op: &&BarrierOp| {
        matches!(op.key, BarrierKey::Cta(..)) && matches!(op.rule, BarrierRule::Count(_))
    };
    graph.barriers.iter().filter(counts).any(|counted| {
        let here = || graph.barriers.iter().filter(|op| op.key == counted.key);
        here().any(|op| op.reduction.is_some()) && here().any(|op| op.reduction.is_none())
    })
}

/// The verdict if no execution completes: a misuse that is undefined, or else a deadlock.
///
/// If threads can meet so that all barriers are passed, the cause is elsewhere: axioms exclude
/// every execution.
pub(super) fn stuck(asked: Asked<'_>, core: Core) -> Verdict {
    // Threads may wait at other operations than those that surely happen.
    let is_fixed = Barriers::fixed(asked.problem.graph).is_some();
    stuck_unless(asked, core, || if is_fixed { Ok(None) } else { in_no_end(asked) })
}

/// As [`stuck`], where no execution [holds threads at barriers for ever](in_no_end) as far as is known.
pub(super) fn stuck_otherwise(asked: Asked<'_>, core: Core) -> Verdict {
    stuck_unless(asked, core, || Ok(None))
}

fn stuck_unless(
    asked: Asked<'_>,
    core: Core,
    in_no_end: impl FnOnce() -> Result<Option<Reason>, Undecided>,
) -> Verdict {
    let graph = asked.problem.graph;
    match Barriers::fixed(graph).map_or(Ok(Vec::new()), |barriers| barriers.assignments()) {
        Ok(meetings) if meetings.is_empty() => {}
        Ok(_) => return Verdict::Forbidden(core),
        Err(why) => return too_many(why),
    }
    let schedules = Schedules::new(Barriers::certain(graph));
    if (may_clash(graph) || barrier_reuse::first_return(graph).is_some())
        && let Some(verdict) = misused(graph, &schedules)
    {
        return verdict;
    }
    if let Some(verdict) = barrier_counts::differ_before_an_end(asked) {
        return verdict;
    }
    match in_no_end() {
        Ok(Some(reason)) => return Verdict::Deadlock(reason),
        Ok(None) => {}
        Err(why) => return Verdict::Unknown(why),
    }
    let extent = match schedules.lead_to_one_end() {
        true => Extent::All,
        false => Extent::AllInOneOrder,
    };
    Verdict::Deadlock(match &schedules.stuck()[..] {
        [] => unclear_deadlock(graph),
        stuck => reason_of_deadlock(graph, extent, stuck),
    })
}

fn too_many(why: TooMany) -> Verdict {
    unsupported(why.into())
}

/// The verdict on a misuse in some schedule.
fn misused(graph: &EventGraph, schedules: &Schedules<'_>) -> Option<Verdict> {
    match schedules.first_misuse() {
        Ok(found) => found.map(|misuse| Verdict::Undefined(of_misuse(graph, misuse))),
        Err(why) => Some(too_many(why)),
    }
}

/// The reason why a program with a misuse is undefined.
fn of_misuse(graph: &EventGraph, misuse: Misuse) -> Reason {
    match misuse {
        Misuse::EarlyReturn(a, b) => barrier_reuse::reason(graph, a, b, None),
        Misuse::DifferentCounts(a, b) => barrier_counts::reason(graph, a, b, None),
        Misuse::Mixture(a, b) => reason(graph, Rule::BarrierMixture, [a, b], None),
    }
}
