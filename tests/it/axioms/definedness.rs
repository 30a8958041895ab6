//! Conditions under which a program is defined that need the order in which threads learn of each other, and
//! that on accesses of different sizes.

use super::derived::Derived;
use ptxmc::testing::bitrel::Rel;
use ptxmc::testing::event::base::base_set;
use ptxmc::testing::id::EventId;
use ptxmc::testing::vocabulary::{BaseRel, BaseSet};

/// What happens before what, and before what begins.
struct Timing {
    before: Rel,
    to_start: Rel,
}

impl Timing {
    fn of(d: &Derived<'_>) -> Self {
        const STEPS: [BaseRel; 7] = [
            BaseRel::Awaited,
            BaseRel::Ended,
            BaseRel::Api,
            BaseRel::BarrierSync,
            BaseRel::WarpSync,
            BaseRel::ClusterSync,
            BaseRel::Exchange,
        ];
        let mut before = d.all(|a, b| d.po(a, b) || d.rf(a, b));
        for steps in STEPS.map(|relation| d.given(relation)) {
            before.union_with(&steps);
        }
        for steps in [&d.steps.issue, &d.steps.intra, &d.steps.done] {
            before.union_with(steps);
        }
        // Another thread of the warp has begun its operation: what came earlier is over.
        let begun = d.given(BaseRel::Begun);
        for (operation, b) in begun.iter_pairs() {
            for &a in d.events.iter().filter(|&&a| d.po(a, operation)) {
                before.insert(a, b);
            }
        }
        before.transitive_closure_in_place();
        let starts = |a: EventId, b: EventId| {
            let at_last = |&e: &EventId| d.po(e, b) || d.steps.issue.contains(e, b);
            d.events.iter().any(|e| before.contains(a, *e) && at_last(e))
        };
        let to_start = d.all(starts);
        Self { before, to_start }
    }
}

/// Whether threads that are at one barrier at one time ask for one number of threads (PTX-9.7.13.1).
pub(super) fn counts_agree(d: &Derived<'_>) -> bool {
    let other = d.given(BaseRel::OtherCount);
    if other.is_empty() {
        return true;
    }
    let (timing, sync) = (Timing::of(d), d.given(BaseRel::BarrierSync));
    let [lone, arrives] = [BaseSet::Lone, BaseSet::Arrive].map(|set| base_set(d.graph, set));
    let is_over = |a: EventId, b: EventId| {
        let released =
            |&e: &EventId| sync.contains(a, e) && (timing.to_start.contains(e, b) || d.po(e, b));
        let waited = d.is_barrier(a) && !arrives.contains(a) && d.is_barrier(b);
        d.events.iter().any(released) || waited && timing.to_start.contains(a, b)
    };
    let differ =
        |a: EventId, b: EventId| other.contains(a, b) && !lone.contains(a) && !lone.contains(b);
    d.pairs().all(|(a, b)| !differ(a, b) || is_over(a, b) || is_over(b, a))
}

/// Whether threads come back to barriers only when these have been reset (PTX-9.7.13.1).
pub(super) fn barriers_are_reset(d: &Derived<'_>) -> bool {
    let returns = d.given(BaseRel::Returns);
    if returns.is_empty() {
        return true;
    }
    let (timing, sync) = (Timing::of(d), d.given(BaseRel::BarrierSync));
    let known = |a: EventId, b: EventId| {
        d.events.iter().any(|&e| sync.contains(a, e) && timing.to_start.contains(e, b))
    };
    returns.iter_pairs().all(|(a, b)| known(a, b))
}

/// Whether the shared memory of other CTAs is accessed only when these have started, and when they have not
/// exited (PTX-2.2.2).
pub(super) fn ctas_live(d: &Derived<'_>) -> [bool; 2] {
    let peers = base_set(d.graph, BaseSet::Peer);
    let accesses: Vec<EventId> = d.events.iter().copied().filter(|&e| peers.contains(e)).collect();
    if accesses.is_empty() {
        return [true; 2];
    }
    let (timing, owner) = (Timing::of(d), d.given(BaseRel::Peer));
    let has_started = |&access: &EventId| {
        let own = |&e: &EventId| owner.contains(e, access) && timing.to_start.contains(e, access);
        d.events.iter().any(own)
    };
    let has_not_exited = |&access: &EventId| {
        let own = |&e: &EventId| owner.contains(e, access) && timing.before.contains(access, e);
        d.events.iter().any(own)
    };
    [accesses.iter().all(has_started), accesses.iter().all(has_not_exited)]
}

/// Whether no accesses race that overlap only in part (PTX-8.7.2).
pub(super) fn sizes_agree(d: &Derived<'_>) -> bool {
    let partial = d.given(BaseRel::Partial);
    partial.iter_pairs().all(|(a, b)| !d.races(a, b))
}
