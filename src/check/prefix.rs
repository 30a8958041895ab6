//! Prefixes: the parts of executions before threads may wait for ever.
//!
//! Other threads may wait for a thread that stays in a loop or at a barrier that is never complete.
//! Questions about such programs count only executions in which every thread ends: an engine would
//! take a cut thread as ended, and let others pass a barrier. But the events before such waits
//! happen in some execution, however it goes on.
//!
//! Therefore some threads are stopped at a barrier operation, and other threads at each event that
//! needs a stopped thread to have ended. An execution of the remaining events is a prefix of an
//! execution of the program, for every choice of stopping places. The schedules of the operations
//! that surely happen yield useful places. If values keep a thread from its stopping place, the
//! thread continues to its next possible wait.
//!
//! A filter is about final states, which prefixes do not have: programs with a filter are left out.

use super::blocked::{Beginning, Blocked, MOST_OPERATIONS};
use crate::event::barrier::{BarrierOp, BarrierRule};
use crate::event::graph::{Cut, EventGraph, Violation};
use crate::event::termination_order::waits_for_warp;
use crate::execution::phase::Barriers;
use crate::execution::schedule::Schedules;
use crate::id::{AgentId, BarrierId, EventId, ExprId};
use crate::program::expr::ExprArena;
use crate::solve::Goal;
use std::collections::BTreeSet;
use std::iter;

/// The prefixes of a program up to possible infinite waits, with their undefined behaviour. Threads
/// stop at barrier operations that may not be reached or not be passed, with one prefix for each
/// examined way there. Threads also stop at barrier operations that are passed only once a thread
/// in a loop has ended. There is no prefix if threads surely pass all operations.
pub(super) fn before_waits(graph: &EventGraph) -> impl Iterator<Item = Beginning> {
    let filtered = !graph.exprs.is_true(graph.filter);
    let filtered = filtered || !may_wait_for_ever(graph);
    let few = !filtered && graph.barriers.len() <= MOST_OPERATIONS;
    let chosen = few.then(|| iter::once_with(|| Blocked::new(graph).misuses(graph)));
    let many = (!filtered && !few)
        .then(|| iter::once_with(|| Beginning::Possible(without_barriers(graph))));
    chosen.into_iter().flatten().flatten().chain(many.into_iter().flatten())
}

/// Whether some thread may wait for ever, at a barrier or for a thread that stays in a loop.
fn may_wait_for_ever(graph: &EventGraph) -> bool {
    Goal::AnyViolation.needs_end(graph) || !super::hang::all_pass(graph)
}

/// The program without waits at barriers: an over-approximation of its executions.
fn without_barriers(graph: &EventGraph) -> EventGraph {
    let nobody = Ends(vec![None; graph.agents.len()]);
    let mut loose = up_to(graph, &nobody, |_| false);
    loose.forget_cuts();
    loose
}

/// The stopping places of threads that may wait for ever, for each way to come there. Also gives
/// whether there may be more.
fn ends(graph: &EventGraph) -> (Vec<Ends>, bool) {
    let places = Schedules::new(Barriers::certain(graph)).ends();
    let ends = places.iter().map(|places| Ends::new(graph, places));
    let mut ends: Vec<Ends> = ends.filter(Ends::are_early).collect();
    let loops = (!graph.cuts.is_empty()).then(|| Ends::new(graph, &[]));
    // If no thread is stopped, executions in which threads stay in loops count as they are.
    let differs = |loops: &Ends| loops.are_early() || Goal::AnyViolation.needs_end(graph);
    ends.extend(loops.filter(|loops| differs(loops) && !ends.contains(loops)));
    // If barriers are reached for certain, all loops are left, and there is one way to end, the
    // list is complete.
    let undecided = |op: &BarrierOp| {
        graph.exprs.constant(graph.event(op.event).guard).is_none() || !graph.knows_count(op)
    };
    let stays = |cut: &Cut| !graph.exprs.is_false(cut.guard);
    let open =
        places.len() > 1 || graph.cuts.iter().any(stays) || graph.barriers.iter().any(undecided);
    (ends, open)
}

/// The program up to the ends of threads, with the undefined behaviour before them.
pub(super) fn before(graph: &EventGraph, ends: &Ends) -> EventGraph {
    let mut before = up_to(graph, ends, |_| true);
    before.violations.clear();
    for violation in &graph.violations {
        let guard = ends.of_misuse(graph, &mut before.exprs, violation);
        if !before.exprs.is_false(guard) {
            before.violations.push(Violation { guard, ..violation.clone() });
        }
    }
    before
}

/// The event at which each agent is stopped; `None` for agents that run on to their end.
#[derive(PartialEq, Eq)]
pub(super) struct Ends(Vec<Option<EventId>>);

impl Ends {
    /// Stops threads at these operations. Other threads stop at each event that needs the end of a
    /// stopped thread or of a thread that may be cut.
    pub(super) fn new(graph: &EventGraph, places: &[BarrierId]) -> Self {
        let mut ends = Self(vec![None; graph.agents.len()]);
        for &index in places {
            ends.stop_at(graph, graph.barriers[index].event);
        }
        while ends.stop_at_tasks(graph) | ends.stop_at_barriers(graph) {}
        ends
    }

    /// Whether threads are stopped at these operations themselves, and not by an earlier task.
    pub(super) fn stops_are_own(&self, graph: &EventGraph, places: &[BarrierId]) -> bool {
        let mut events = places.iter().map(|&index| graph.barriers[index].event);
        let waits_for_task = |event: EventId| {
            let mut edges = graph.api_edges.iter().filter(|&&(_, later)| later == event);
            edges.any(|&(earlier, _)| self.may_stay(graph, graph.event(earlier).agent))
        };
        events.all(|event| self.of(graph, event) == Some(event) && !waits_for_task(event))
    }

    /// The condition that a thread reaches its stopping place, or, without such a place, leaves its
    /// loops.
    pub(super) fn arrives(
        &self,
        graph: &EventGraph,
        exprs: &mut ExprArena,
        agent: AgentId,
    ) -> ExprId {
        if let Some(end) = self.0[agent.index()] {
            return graph.event(end).guard;
        }
        let cuts = graph.cuts.iter().filter(|cut| cut.agent == agent);
        cuts.fold(exprs.truth(true), |all, cut| {
            let leaves = exprs.not(cut.guard);
            exprs.and(all, leaves)
        })
    }

    /// Whether any thread is stopped.
    fn are_early(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    /// The event at which the thread of an event is stopped.
    fn of(&self, graph: &EventGraph, event: EventId) -> Option<EventId> {
        self.0[graph.event(graph.stands_at(event)).agent.index()]
    }

    /// Whether the thread of an event is stopped only after the event.
    pub(super) fn reaches(&self, graph: &EventGraph, event: EventId) -> bool {
        self.of(graph, event).is_none_or(|end| graph.stands_at(event) < end)
    }

    /// When a violation happens in this prefix, by barriers and tasks. A use outside of the model
    /// counts at any position if its position is unknown.
    fn of_misuse(
        &self,
        graph: &EventGraph,
        exprs: &mut ExprArena,
        violation: &Violation,
    ) -> ExprId {
        let known = violation.rule.is_out_of_model() || !violation.behind.is_empty();
        if !known || violation.ended.iter().any(|&agent| self.may_stay(graph, agent)) {
            return exprs.truth(false);
        }
        let mut guard = violation.guard;
        for &(agent, count) in &violation.behind {
            let own = |op: &&BarrierOp| graph.event(op.event).agent == agent;
            for op in graph.barriers.iter().take(count).filter(own) {
                if !self.reaches(graph, op.event) {
                    guard = without(graph, exprs, guard, op.event);
                }
            }
        }
        guard
    }

    /// The events before which a thread may stay: its stopping place, and each later possible wait.
    fn stays_at(&self, graph: &EventGraph, agent: AgentId) -> Vec<EventId> {
        let Some(end) = self.0[agent.index()] else { return Vec::new() };
        let behind = |&event: &EventId| event >= end && graph.event(event).agent == agent;
        let barriers = graph.barriers.iter().map(|op| op.event);
        let waits = barriers.chain(graph.api_edges.iter().map(|&(_, later)| later));
        let places: BTreeSet<EventId> = waits.filter(behind).chain([end]).collect();
        places.into_iter().collect()
    }

    /// Whether a thread may not end.
    fn may_stay(&self, graph: &EventGraph, agent: AgentId) -> bool {
        let stays = |cut: &Cut| cut.agent == agent && !graph.exprs.is_false(cut.guard);
        self.0[agent.index()].is_some() || graph.cuts.iter().any(stays)
    }

    /// Stops the thread of an event there at the latest.
    fn stop_at(&mut self, graph: &EventGraph, event: EventId) {
        if self.reaches(graph, event) {
            self.0[graph.event(event).agent.index()] = Some(event);
        }
    }

    /// Stops threads that wait for a task with a thread that may not end; gives whether there are
    /// any.
    fn stop_at_tasks(&mut self, graph: &EventGraph) -> bool {
        let mut changed = false;
        for &(earlier, later) in &graph.api_edges {
            if self.reaches(graph, later) && self.may_stay(graph, graph.event(earlier).agent) {
                self.stop_at(graph, later);
                changed = true;
            }
        }
        changed
    }

    /// Stops threads at barriers that would be complete without a thread that may not end; gives
    /// whether there are any.
    fn stop_at_barriers(&mut self, graph: &EventGraph) -> bool {
        let mut changed = false;
        for (index, op) in graph.barriers.iter_enumerated() {
            let happens = self.happens(graph, op);
            if happens && self.may_miss(graph, index) {
                self.stop_at(graph, op.event);
                changed = true;
            }
        }
        changed
    }

    fn happens(&self, graph: &EventGraph, op: &BarrierOp) -> bool {
        self.reaches(graph, op.event) && !graph.exprs.is_false(graph.event(op.event).guard)
    }

    /// Whether an operation waits for a thread that may neither arrive nor end.
    fn may_miss(&self, graph: &EventGraph, index: BarrierId) -> bool {
        self.may_miss_mates(graph, index) || self.may_miss_others(graph, index)
    }

    /// Whether an operation waits for a thread of its warp that may neither arrive nor end.
    fn may_miss_mates(&self, graph: &EventGraph, index: BarrierId) -> bool {
        let op = &graph.barriers[index];
        let stays_away = |mate: AgentId| {
            self.sure(graph, mate, op, |other| op.is_numbered_with(other))
                <= self.turn(graph, index)
                && !self.is_stopped_with(graph, mate, index)
        };
        let mut mates = graph.mates(graph.event(op.event).agent);
        waits_for_warp(graph, op) && mates.any(|o| self.may_stay(graph, o) && stays_away(o))
    }

    /// Whether a thread is stopped at its joint arrival with this operation, and no continuing
    /// thread waits at the barrier. The participants then do not matter.
    fn is_stopped_with(&self, graph: &EventGraph, mate: AgentId, index: BarrierId) -> bool {
        let op = &graph.barriers[index];
        let Some(end) = self.0[mate.index()] else { return false };
        let arrives_there = graph.barrier_index(end).is_some_and(|at| {
            let certain = graph.exprs.is_true(graph.event(end).guard);
            let there = &graph.barriers[at];
            certain
                && there.arrives
                && there.key == op.key
                && self.turn(graph, at) == self.turn(graph, index)
        });
        let mut here = graph.barriers.iter().filter(|other| other.key == op.key);
        arrives_there && !op.waits && here.all(|other| !other.waits || !self.happens(graph, other))
    }

    /// Whether an operation waits for all threads, one of which may neither arrive nor end.
    fn may_miss_others(&self, graph: &EventGraph, index: BarrierId) -> bool {
        let op = &graph.barriers[index];
        let own = graph.event(op.event).agent;
        let here = || graph.barriers.iter().filter(|other| other.key == op.key);
        let takes_part = |agent| here().any(|other| graph.event(other.event).agent == agent);
        let meets = |other: &BarrierOp| other.arrives && graph.may_meet(op, other);
        let comes = |agent| self.sure(graph, agent, op, meets) > self.turn(graph, index);
        let mut others = graph.members(&op.key).into_iter().filter(|&o| o != own);
        let mut any_stays = |missed: &dyn Fn(AgentId) -> bool| {
            others.any(|other| self.may_stay(graph, other) && missed(other))
        };
        op.waits
            && match op.rule {
                // The ordinals at such a barrier depend on counts.
                BarrierRule::AllLive if !graph.knows_counts_at(&op.key) => any_stays(&|_| true),
                BarrierRule::AllLive => any_stays(&|other| !comes(other)),
                BarrierRule::Participants => any_stays(&|o| takes_part(o) && !comes(o)),
                BarrierRule::Count(_) | BarrierRule::Quorum(_) => false,
            }
    }

    /// The number of earlier operations that may happen and share the numbering of this one.
    fn turn(&self, graph: &EventGraph, index: BarrierId) -> usize {
        let op = &graph.barriers[index];
        let own = graph.event(op.event).agent;
        let earlier = graph.barriers[..index].iter();
        let earlier = earlier.filter(|o| op.is_numbered_with(o) && graph.may_meet(op, o));
        let may = |other: &&BarrierOp| {
            graph.event(other.event).agent == own && self.happens(graph, other)
        };
        earlier.filter(may).count()
    }

    /// The number of operations of this kind on the same barrier that a thread surely passes.
    fn sure(
        &self,
        graph: &EventGraph,
        agent: AgentId,
        op: &BarrierOp,
        are: impl Fn(&BarrierOp) -> bool,
    ) -> usize {
        let sure = |other: &&BarrierOp| {
            let event = graph.event(other.event);
            let certain = event.agent == agent && graph.exprs.is_true(event.guard);
            certain && other.key == op.key && are(other) && self.reaches(graph, other.event)
        };
        graph.barriers.iter().filter(sure).count()
    }
}

/// The program under the assumption that these threads leave their loops: an event that only such a
/// cut could prevent happens.
pub(super) fn with_loops_left(graph: &EventGraph, leaves: impl Fn(AgentId) -> bool) -> EventGraph {
    let unless_cut = |exprs: &mut ExprArena, id: EventId| {
        let event = graph.event(id);
        let agent = graph.event(graph.stands_at(id)).agent;
        let cuts = graph.cuts.iter().filter(|cut| cut.agent == agent && leaves(cut.agent));
        let either = cuts.fold(event.guard, |any, cut| exprs.or(any, cut.guard));
        if exprs.is_true(either) { either } else { event.guard }
    };
    let mut left = graph.guarded(unless_cut, |_, cut| cut.guard);
    left.cuts.retain(|cut| !leaves(cut.agent));
    left
}

/// The program up to the ends of threads, with only the barrier operations for which `kept` holds.
pub(super) fn up_to(
    graph: &EventGraph,
    ends: &Ends,
    kept: impl Fn(&BarrierOp) -> bool,
) -> EventGraph {
    let agents = (0..graph.agents.len()).map(AgentId::new);
    let places: Vec<Vec<EventId>> = agents.map(|agent| ends.stays_at(graph, agent)).collect();
    let of = |agent: AgentId| places[agent.index()].iter().copied();
    let happens_before = |exprs: &mut ExprArena, id: EventId| {
        // An asynchronous operation goes on if it has been issued.
        let (event, at) = (graph.event(id), graph.stands_at(id));
        let agent = graph.event(at).agent;
        let stays = of(agent).any(|place| place == at);
        if stays || !graph.barrier(id).is_none_or(&kept) {
            return exprs.truth(false);
        }
        let before = of(agent).filter(|&place| place < at);
        before.fold(event.guard, |guard, place| without(graph, exprs, guard, place))
    };
    let cut_before = |exprs: &mut ExprArena, cut: &Cut| {
        of(cut.agent).fold(cut.guard, |guard, place| without(graph, exprs, guard, place))
    };
    graph.guarded(happens_before, cut_before)
}

/// A guard restricted to executions without an event.
fn without(graph: &EventGraph, exprs: &mut ExprArena, guard: ExprId, event: EventId) -> ExprId {
    let not = exprs.not(graph.event(event).guard);
    exprs.and(guard, not)
}
