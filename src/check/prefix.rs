//! What goes wrong before threads may wait for ever.
//!
//! Where a thread may stay in a loop, or come to a barrier that is never complete, others may wait for
//! it. Questions about such programs count only executions in which every thread ends: one that is
//! cut would be taken for one that has ended, and let others pass a barrier. But whatever happens
//! before those barriers happens in an execution, however it goes on.
//!
//! A filter speaks of final states, which such executions do not have, and tasks that wait for others
//! are no barriers: programs with these are left out.

use super::endless::{ends, up_to};
use crate::event::awaited::waits_for_warp;
use crate::event::graph::{BarrierOp, EventGraph};
use crate::execution::barrier::Barriers;
use crate::execution::schedule::Schedules;
use crate::id::AgentId;

/// The program up to the barrier operations that threads may not come to or may not pass, with what
/// is undefined before these. `None` where threads surely pass all, or where there is no telling.
pub(super) fn before_waits(graph: &EventGraph) -> Option<EventGraph> {
    if !graph.exprs.is_true(graph.filter) || !graph.api_edges.is_empty() {
        return None;
    }
    let doubtful = match Barriers::fixed(graph) {
        Some(fixed) if graph.cuts.is_empty() => {
            let schedules = Schedules::new(fixed);
            if !schedules.lead_to_one_end() {
                return None;
            }
            schedules.stuck()
        }
        _ => Doubtful::of(graph).first(),
    };
    if doubtful.is_empty() {
        return None;
    }
    let ends = ends(graph, &doubtful)?;
    let mut before = up_to(graph, &ends, |_| true);
    before.violations.retain(|violation| ends.reach_misuse(graph, violation));
    Some(before)
}

/// From which of its barrier operations on each thread may be late for ever.
struct Doubtful<'g> {
    graph: &'g EventGraph,
    /// By agent, the number of its operations that it surely passes.
    passed: Vec<usize>,
    /// By agent, the operations that may happen.
    own: Vec<Vec<usize>>,
}

impl<'g> Doubtful<'g> {
    fn of(graph: &'g EventGraph) -> Self {
        let mut own = vec![Vec::new(); graph.agents.len()];
        for (index, op) in graph.barriers.iter().enumerate() {
            let event = graph.event(op.event);
            if !graph.exprs.is_false(event.guard) {
                own[event.agent.index()].push(index);
            }
        }
        let certain = |&index: &usize| {
            let op = &graph.barriers[index];
            graph.exprs.is_true(graph.event(op.event).guard) && graph.knows_count(op)
        };
        let passed = |own: &Vec<usize>| own.iter().take_while(|index| certain(index)).count();
        let mut this = Self { graph, passed: own.iter().map(passed).collect(), own };
        while this.shorten() {}
        this
    }

    /// The first doubtful operation of each thread that has one.
    fn first(&self) -> Vec<usize> {
        let own = self.own.iter().zip(&self.passed);
        own.filter_map(|(own, &passed)| own.get(passed).copied()).collect()
    }

    /// Takes out operations that wait for doubtful ones; whether there were any.
    fn shorten(&mut self) -> bool {
        for agent in 0..self.own.len() {
            let kept = &self.own[agent][..self.passed[agent]];
            if let Some(at) = kept.iter().position(|&index| self.may_wait_for_ever(index)) {
                self.passed[agent] = at;
                return true;
            }
        }
        false
    }

    fn may_wait_for_ever(&self, index: usize) -> bool {
        let op = &self.graph.barriers[index];
        let own = self.graph.event(op.event).agent;
        let others = || self.graph.members(&op.key).into_iter().filter(|&agent| agent != own);
        let arrives = |other: &BarrierOp| other.arrives;
        let like_this = |other: &BarrierOp| op.is_numbered_with(other);
        let mut mates = self.graph.mates(own);
        let for_warp = waits_for_warp(self.graph, op)
            && mates.any(|mate| self.may_stay_away(mate, index, like_this));
        let here = || self.graph.barriers.iter().filter(|other| other.key == op.key);
        let doubtful =
            here().any(|op| op.count().is_some()) && others().any(|agent| self.doubts(agent, op));
        let for_all = op.waits
            && op.count().is_none()
            && others().any(|agent| self.may_stay_away(agent, index, arrives));
        for_warp || doubtful || for_all
    }

    /// Whether a thread may neither come to the turn of an operation, with one such, nor end.
    fn may_stay_away(
        &self,
        agent: AgentId,
        index: usize,
        comes_with: impl Fn(&BarrierOp) -> bool,
    ) -> bool {
        let op = &self.graph.barriers[index];
        let like_this = |other: &BarrierOp| op.is_numbered_with(other);
        let own = self.graph.event(op.event).agent;
        let turn = self.sure(own, op, index, like_this);
        let ends = self.passed[agent.index()] == self.own[agent.index()].len()
            && self.graph.cuts.iter().all(|cut| cut.agent != agent);
        !ends && self.sure(agent, op, usize::MAX, comes_with) <= turn
    }

    /// Whether some operation of a thread on this barrier is doubtful.
    fn doubts(&self, agent: AgentId, op: &BarrierOp) -> bool {
        let doubtful = &self.own[agent.index()][self.passed[agent.index()]..];
        doubtful.iter().any(|&other| self.graph.barriers[other].key == op.key)
    }

    /// How many such operations of a thread on this barrier surely come before one of the graph's.
    fn sure(
        &self,
        agent: AgentId,
        op: &BarrierOp,
        before: usize,
        are: impl Fn(&BarrierOp) -> bool,
    ) -> usize {
        let passed = &self.own[agent.index()][..self.passed[agent.index()]];
        let here = |&&other: &&usize| {
            let here = &self.graph.barriers[other];
            other < before && here.key == op.key && are(here)
        };
        passed.iter().filter(here).count()
    }
}
