//! What goes wrong before threads may wait for ever.
//!
//! Where a thread may stay in a loop, or come to a barrier that is never complete, others may wait for
//! it. Questions about such programs count only executions in which every thread ends: one that is
//! cut would be taken for one that has ended, and let others pass a barrier. But whatever happens
//! before those barriers happens in an execution, however it goes on.
//!
//! So threads are stopped at some of their barrier operations, and others wherever they would take
//! one that is stopped for one that has ended. An execution of what is left is one of the program in
//! which the stopped threads take their time. This holds wherever they are stopped; the schedules of
//! the operations that surely happen say where it is worth a look.
//!
//! A filter speaks of final states, which such executions do not have: programs with one are left out.

use crate::event::awaited::waits_for_warp;
use crate::event::graph::{BarrierOp, BarrierRule, Cut, EventGraph, Violation};
use crate::execution::barrier::Barriers;
use crate::execution::schedule::Schedules;
use crate::id::{AgentId, EventId};
use crate::program::expr::ExprArena;

/// The program up to the barrier operations that threads may not come to or may not pass, with what
/// is undefined before these: once for each way to come there, as far as these are looked at. None
/// where threads surely pass all.
pub(super) fn before_waits(graph: &EventGraph) -> Vec<EventGraph> {
    if !graph.exprs.is_true(graph.filter) {
        return Vec::new();
    }
    let places = Schedules::new(Barriers::certain(graph)).ends();
    let ends = places.iter().map(|places| Ends::new(graph, places));
    ends.filter(Ends::are_early).map(|ends| before(graph, &ends)).collect()
}

/// The program up to where threads end, with what is undefined before.
pub(super) fn before(graph: &EventGraph, ends: &Ends) -> EventGraph {
    let mut before = up_to(graph, ends, |_| true);
    before.violations.retain(|violation| ends.reach_misuse(graph, violation));
    before
}

/// Where threads are stopped, by agent; `None` for those that end as they do, if they end.
pub(super) struct Ends(Vec<Option<EventId>>);

impl Ends {
    /// Threads are stopped at these operations, and those at an earlier event that would take a thread
    /// that is stopped there, or that may be cut, for one that has ended.
    pub(super) fn new(graph: &EventGraph, places: &[usize]) -> Self {
        let mut ends = Self(vec![None; graph.agents.len()]);
        for &index in places {
            ends.stop_at(graph, graph.barriers[index].event);
        }
        while ends.stop_at_tasks(graph) | ends.stop_at_barriers(graph) {}
        ends
    }

    /// Whether threads are stopped at these operations themselves, and not by tasks before them.
    pub(super) fn are_at(&self, graph: &EventGraph, places: &[usize]) -> bool {
        let mut events = places.iter().map(|&index| graph.barriers[index].event);
        let waits_for_task = |event: EventId| {
            let mut edges = graph.api_edges.iter().filter(|&&(_, later)| later == event);
            edges.any(|&(earlier, _)| self.of(graph, earlier).is_some())
        };
        events.all(|event| self.of(graph, event) == Some(event) && !waits_for_task(event))
    }

    /// Whether any thread is stopped.
    fn are_early(&self) -> bool {
        self.0.iter().any(Option::is_some)
    }

    /// Where the thread of an event is stopped.
    fn of(&self, graph: &EventGraph, event: EventId) -> Option<EventId> {
        self.0[graph.event(event).agent.index()]
    }

    /// Whether the thread of an event comes past it, if it comes there.
    pub(super) fn reaches(&self, graph: &EventGraph, event: EventId) -> bool {
        self.of(graph, event).is_none_or(|end| event < end)
    }

    /// Whether threads come to a misuse as far as barriers and tasks are concerned. What is outside of
    /// the model counts wherever it stands if that is not known.
    pub(super) fn reach_misuse(&self, graph: &EventGraph, violation: &Violation) -> bool {
        let is_reached = |&(agent, count): &(AgentId, usize)| {
            let own = |op: &&BarrierOp| graph.event(op.event).agent == agent;
            graph.barriers[..count].iter().filter(own).all(|op| self.reaches(graph, op.event))
        };
        (violation.out_of_model || !violation.behind.is_empty())
            && violation.behind.iter().all(is_reached)
            && !violation.ended.iter().any(|&agent| self.may_stay(graph, agent))
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

    /// Stops threads that wait for a task of which some thread may not end; whether there are any.
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

    /// Stops threads at barriers that would be complete without a thread that may not end; whether
    /// there are any.
    fn stop_at_barriers(&mut self, graph: &EventGraph) -> bool {
        let mut changed = false;
        for (index, op) in graph.barriers.iter().enumerate() {
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

    /// Whether an operation waits for a thread to come or to end that may do neither.
    fn may_miss(&self, graph: &EventGraph, index: usize) -> bool {
        self.may_miss_mates(graph, index) || self.may_miss_others(graph, index)
    }

    /// Whether it waits for a thread of its warp that may neither come nor end.
    fn may_miss_mates(&self, graph: &EventGraph, index: usize) -> bool {
        let op = &graph.barriers[index];
        let stays_away = |mate: AgentId| {
            self.sure(graph, mate, op, |other| op.is_numbered_with(other))
                <= self.turn(graph, index)
                && !self.is_stopped_with(graph, mate, index)
        };
        let mut mates = graph.mates(graph.event(op.event).agent);
        waits_for_warp(graph, op) && mates.any(|o| self.may_stay(graph, o) && stays_away(o))
    }

    /// Whether a thread comes to be stopped where it arrives with this operation, at a barrier at which
    /// nobody waits who goes on: who meets whom there does not matter then.
    fn is_stopped_with(&self, graph: &EventGraph, mate: AgentId, index: usize) -> bool {
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

    /// Whether it waits for all threads, of which one may neither come nor end.
    fn may_miss_others(&self, graph: &EventGraph, index: usize) -> bool {
        let op = &graph.barriers[index];
        let own = graph.event(op.event).agent;
        let here = || graph.barriers.iter().filter(|other| other.key == op.key);
        let counted = || here().any(|other| matches!(other.rule, BarrierRule::Count(_)));
        let takes_part = |agent| here().any(|other| graph.event(other.event).agent == agent);
        let comes =
            |agent| self.sure(graph, agent, op, |other| other.arrives) > self.turn(graph, index);
        let mut others = graph.members(&op.key).into_iter().filter(|&o| o != own);
        let mut any_stays = |missed: &dyn Fn(AgentId) -> bool| {
            others.any(|other| self.may_stay(graph, other) && missed(other))
        };
        op.waits
            && match op.rule {
                // Which turn it is at such a barrier, counts decide.
                BarrierRule::AllLive if counted() => any_stays(&|_| true),
                BarrierRule::AllLive => any_stays(&|other| !comes(other)),
                BarrierRule::Participants => any_stays(&|o| takes_part(o) && !comes(o)),
                BarrierRule::Count(_) | BarrierRule::Quorum(_) => false,
            }
    }

    /// How many operations of its thread are numbered with one and may come before it.
    fn turn(&self, graph: &EventGraph, index: usize) -> usize {
        let op = &graph.barriers[index];
        let own = graph.event(op.event).agent;
        let earlier = graph.barriers[..index].iter().filter(|other| op.is_numbered_with(other));
        let may = |other: &&BarrierOp| {
            graph.event(other.event).agent == own && self.happens(graph, other)
        };
        earlier.filter(may).count()
    }

    /// How many such operations of a thread on the barrier of one it surely comes past.
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

/// The program up to where threads end, with those barrier operations only for which `kept` holds.
pub(super) fn up_to(
    graph: &EventGraph,
    ends: &Ends,
    kept: impl Fn(&BarrierOp) -> bool,
) -> EventGraph {
    let happens_before = |exprs: &mut ExprArena, id: EventId| {
        let happens = ends.reaches(graph, id) && graph.barrier(id).is_none_or(&kept);
        if happens { graph.event(id).guard } else { exprs.truth(false) }
    };
    let cut_before = |exprs: &mut ExprArena, cut: &Cut| match ends.0[cut.agent.index()] {
        None => cut.guard,
        Some(end) => {
            let not = exprs.not(graph.event(end).guard);
            exprs.and(cut.guard, not)
        }
    };
    graph.guarded(happens_before, cut_before)
}
