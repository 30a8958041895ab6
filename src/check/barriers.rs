//! Misuse of barriers that no guard expresses. Examples are operations that may meet but must not,
//! and programs that no execution completes.

use super::asked::{Asked, Found};
use super::barrier_reasons::{
    may_differ, reason, reason_of_deadlock, unclear_deadlock, unsupported,
};
use super::condition_rules::of_barriers;
use super::deadlock::in_no_end;
use super::definedness::condition_on;
use super::limits::too_large;
use crate::event::base::base_relation;
use crate::event::graph::EventGraph;
use crate::execution::barriers::Barriers;
use crate::execution::phase::TooMany;
use crate::execution::schedule::{Misuse, Schedules};
use crate::id::EventId;
use crate::rule::{Extent, Rule, Unsupported};
use crate::solve::{Core, Problem};
use crate::verdict::{Reason, Undecided, Verdict};
use crate::vocabulary::BaseRel;
use crate::waiting::barrier::{BarrierKey, BarrierOp, BarrierRule};

/// The verdict if barriers of CTAs are misused in some order of their operations (PTX-9.7.13.1).
pub(super) fn misuse(asked: Asked<'_>) -> Option<Found> {
    misused_in_some_order(asked).map(Found::here)
}

fn misused_in_some_order(asked: Asked<'_>) -> Option<Verdict> {
    let graph = asked.problem.graph;
    if graph.barriers.is_empty() || too_large(graph).is_some() {
        return None;
    }
    let schedules = Schedules::new(Barriers::certain(graph));
    // If threads can meet in one way only, the orders between barriers decide.
    if (may_clash(graph) || (may_return(graph) && !schedules.is_fixed()))
        && let Some(verdict) = misused(asked.problem, &schedules)
    {
        return Some(verdict);
    }
    let is_open = may_mix(graph) && Barriers::fixed(graph).is_none();
    is_open.then(|| unsupported(Unsupported::BarrierMixture))
}

/// Whether some thread may come back to a barrier at which it only arrives.
fn may_return(graph: &EventGraph) -> bool {
    let happens = |id: EventId| !graph.exprs.is_false(graph.event(id).guard);
    let mut returns = base_relation(graph, BaseRel::Returns).iter_pairs();
    returns.any(|(arrival, next)| happens(arrival) && happens(next))
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
    if (may_clash(graph) || may_return(graph))
        && let Some(verdict) = misused(asked.problem, &schedules)
    {
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

/// The verdict on a misuse in some schedule, if the model has a condition on it.
fn misused(Problem { graph, model }: Problem<'_>, schedules: &Schedules<'_>) -> Option<Verdict> {
    let broken = |misuse: &Misuse| match misuse {
        Misuse::EarlyReturn(..) => condition_on(model, BaseRel::Returns).map(Some),
        Misuse::DifferentCounts(..) => condition_on(model, BaseRel::OtherCount).map(Some),
        Misuse::Mixture(..) => Some(None),
    };
    match schedules.first_misuse(|misuse| broken(misuse).is_some()) {
        Ok(found) => {
            let misuse = found?;
            let (Misuse::EarlyReturn(a, b) | Misuse::DifferentCounts(a, b) | Misuse::Mixture(a, b)) =
                misuse;
            let rule = match broken(&misuse)? {
                Some(condition) => of_barriers(condition, graph, [a, b]),
                None => Rule::BarrierMixture,
            };
            Some(Verdict::Undefined(reason(graph, rule, [a, b])))
        }
        Err(why) => Some(too_many(why)),
    }
}
