//! What goes wrong before threads may wait for ever.
//!
//! Where a thread may stay in a loop, or come to a barrier that is never complete, others may wait for
//! it. Questions about such programs count only executions in which every thread ends: one that is
//! cut would be taken for one that has ended, and let others pass a barrier. But whatever happens
//! before those barriers happens in an execution, however it goes on.

use super::endless::{ends, up_to};
use crate::event::graph::{BarrierOp, BarrierRule, EventGraph};
use crate::execution::barrier::Barriers;
use crate::execution::schedule::Schedules;
use crate::id::AgentId;

/// The program up to the barrier operations that threads may not come to or may not pass, with what
/// is undefined before these; `None` where threads surely pass all.
pub(super) fn before_waits(graph: &EventGraph) -> Option<EventGraph> {
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
    sure: Vec<usize>,
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
        let sure = |own: &Vec<usize>| own.iter().take_while(|index| certain(index)).count();
        let mut this = Self { graph, sure: own.iter().map(sure).collect(), own };
        while this.shorten() {}
        this
    }

    /// The first doubtful operation of each thread that has one.
    fn first(&self) -> Vec<usize> {
        let own = self.own.iter().zip(&self.sure);
        own.filter_map(|(own, &sure)| own.get(sure).copied()).collect()
    }

    /// Takes out operations that wait for doubtful ones; whether there were any.
    fn shorten(&mut self) -> bool {
        for agent in 0..self.own.len() {
            let kept = &self.own[agent][..self.sure[agent]];
            if let Some(at) = kept.iter().position(|&index| self.may_wait_for_ever(index)) {
                self.sure[agent] = at;
                return true;
            }
        }
        false
    }

    fn may_wait_for_ever(&self, index: usize) -> bool {
        let op = &self.graph.barriers[index];
        let own = self.graph.event(op.event).agent;
        let counted =
            |op: &BarrierOp| matches!(op.rule, BarrierRule::Count(_) | BarrierRule::Quorum(_));
        let members = self.graph.members(&op.key);
        if self.graph.barriers.iter().any(|other| other.key == op.key && counted(other)) {
            return members.into_iter().any(|agent| self.doubts(agent, op));
        }
        let turn = self.sure(own, op, |other| other < index && self.graph.barriers[other].waits);
        let arrives = |other: usize| self.graph.barriers[other].arrives;
        op.waits
            && members.into_iter().filter(|&agent| agent != own).any(|agent| {
                let comes = self.sure(agent, op, arrives) > turn;
                !comes && (self.doubts(agent, op) || self.may_be_cut(agent))
            })
    }

    /// Whether some operation of a thread on this barrier is doubtful.
    fn doubts(&self, agent: AgentId, op: &BarrierOp) -> bool {
        let doubtful = &self.own[agent.index()][self.sure[agent.index()]..];
        doubtful.iter().any(|&other| self.graph.barriers[other].key == op.key)
    }

    fn may_be_cut(&self, agent: AgentId) -> bool {
        self.graph.cuts.iter().any(|cut| cut.agent == agent)
    }

    /// How many such operations of a thread on this barrier surely happen.
    fn sure(&self, agent: AgentId, op: &BarrierOp, are: impl Fn(usize) -> bool) -> usize {
        let sure = &self.own[agent.index()][..self.sure[agent.index()]];
        let here = |&&other: &&usize| self.graph.barriers[other].key == op.key && are(other);
        sure.iter().filter(here).count()
    }
}
