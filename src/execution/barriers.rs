//! Barrier operations of an execution, by barrier and thread.
//!
//! Every executed operation belongs to one generation (phase) of its barrier; [`super::phase`] says
//! which assignments of generations there are.

use crate::collections::{IndexMap, IndexSet};
use crate::event::graph::EventGraph;
use crate::id::{AgentId, BarrierId, EventId, ExprId};
use crate::waiting::barrier::{BarrierKey, BarrierOp, BarrierRule, Quota, Warp};
use crate::waiting::phase::Phases;
use crate::waiting::reading::Concrete;
use typed_index_collections::TiVec;

/// The generation that a barrier operation belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Generation {
    /// Counts completions of the barrier, from 0.
    pub index: u32,
    /// Whether the operation came after the quorum was met, and passed through.
    pub late: bool,
}

impl Generation {
    /// The generation with this number, of an operation that did not come too late for it.
    #[must_use]
    pub fn in_time(index: u32) -> Self {
        Self { index, late: false }
    }
}

/// Generations by index of the graph's barrier operations; `None` for those not executed.
pub type Generations = TiVec<BarrierId, Option<Generation>>;

/// The barrier operations of one execution, by barrier and thread.
pub struct Barriers<'a> {
    pub(super) graph: &'a EventGraph,
    pub(super) executed: Vec<BarrierId>,
    /// Whether each operation of the graph is executed.
    pub(super) happens: TiVec<BarrierId, bool>,
    /// The phases of the operations, where ordinals decide.
    pub(super) phases: Phases<'a, u32>,
    count: Box<dyn Fn(ExprId) -> Option<u128> + 'a>,
}

impl<'a> Barriers<'a> {
    /// The operations for which `executed` holds; `count` evaluates their thread counts.
    pub fn new(
        graph: &'a EventGraph,
        executed: impl Fn(EventId) -> bool,
        count: impl Fn(ExprId) -> Option<u128> + 'a,
    ) -> Self {
        let happens: TiVec<BarrierId, bool> =
            graph.barriers.iter().map(|op| executed(op.event)).collect();
        let executed = happens.keys().filter(|&b| happens[b]).collect();
        let mut reading = Concrete { happens: |b| happens[b], never_ends: |_| false };
        let phases = Phases::read(&mut reading, graph.numbering());
        Self { graph, executed, happens, phases, count: Box::new(count) }
    }

    /// The operations that every execution has.
    #[must_use]
    pub fn certain(graph: &'a EventGraph) -> Self {
        Self::new(
            graph,
            |event| graph.exprs.is_true(graph.event(event).guard),
            |count| graph.exprs.constant(count),
        )
    }

    /// The operations of every execution, if their guards and counts are constant.
    #[must_use]
    pub fn fixed(graph: &'a EventGraph) -> Option<Self> {
        let constant = |op: &BarrierOp| {
            let guard = graph.exprs.constant(graph.event(op.event).guard);
            guard.is_some() && graph.knows_count(op)
        };
        graph.barriers.iter().all(constant).then(|| Self::certain(graph))
    }

    pub(super) fn op(&self, index: BarrierId) -> &'a BarrierOp {
        &self.graph.barriers[index]
    }

    pub(super) fn agent(&self, index: BarrierId) -> AgentId {
        self.graph.event(self.op(index).event).agent
    }

    pub(super) fn keys(&self) -> IndexSet<&'a BarrierKey> {
        self.executed.iter().map(|&b| &self.op(b).key).collect()
    }

    pub(super) fn of_key(&self, key: &BarrierKey) -> Vec<BarrierId> {
        self.executed.iter().copied().filter(|&b| self.op(b).key == *key).collect()
    }

    /// What is known of the execution, given which threads do not end: everything.
    pub(super) fn reading(
        &self,
        never_ends: impl Fn(AgentId) -> bool,
    ) -> Concrete<impl Fn(BarrierId) -> bool, impl Fn(AgentId) -> bool> {
        Concrete { happens: |b| self.happens[b], never_ends }
    }

    pub(super) fn counted(&self, key: &BarrierKey) -> bool {
        self.of_key(key).iter().any(|&b| matches!(self.op(b).rule, BarrierRule::Count(_)))
    }

    /// What an operation asks for; `None` if its count is not known.
    pub(super) fn quota(&self, index: BarrierId) -> Option<Quota> {
        match self.op(index).rule {
            BarrierRule::Count(expr) => (self.count)(expr).map(Quota::by_count),
            BarrierRule::Quorum(expr) => (self.count)(expr).map(Quota::Threads),
            // An operation without a count asks, for comparison, for all threads of the CTA.
            BarrierRule::AllLive | BarrierRule::Participants => {
                Some(Quota::by_count(self.graph.count_of_all(&self.op(index).key)))
            }
        }
    }

    /// Whether the counts of these operations satisfy `fits`, given the number of threads or warps
    /// that use the barrier with them.
    pub(super) fn counts_fit(
        &self,
        operations: &[BarrierId],
        fits: impl Fn(u128, u128) -> bool,
    ) -> bool {
        self.keys().into_iter().filter(|key| self.counted(key)).all(|key| {
            let here = || operations.iter().copied().filter(|&b| self.op(b).key == *key);
            let users: IndexSet<AgentId> = here().map(|b| self.agent(b)).collect();
            let users: Vec<AgentId> = users.into_iter().collect();
            here().all(|b| match self.quota(b) {
                Some(Quota::Threads(wanted)) => fits(wanted, users.len() as u128),
                Some(Quota::Warps(wanted)) => fits(wanted, self.warps(&users).len() as u128),
                None => false,
            })
        })
    }

    /// Whether all threads pass all operations, whatever the order. `false` as well where counts let
    /// threads meet in more than one way: schedules tell then.
    #[must_use]
    pub fn all_pass(&self) -> bool {
        self.counts_fit(&self.executed, |wanted, users| wanted == users)
            && self.assignments().is_ok_and(|ways| !ways.is_empty())
    }

    /// The threads that the barrier of an operation concerns.
    #[must_use]
    pub fn group(&self, operation: BarrierId) -> Vec<AgentId> {
        self.graph.members(&self.op(operation).key)
    }

    /// Threads grouped by warp.
    pub(super) fn warps(&self, agents: &[AgentId]) -> IndexMap<Warp, Vec<AgentId>> {
        let mut out: IndexMap<_, Vec<AgentId>> = IndexMap::default();
        for &agent in agents {
            if let Some(warp) = self.graph.warp_of(agent) {
                out.entry(warp).or_default().push(agent);
            }
        }
        out
    }

    /// Whether an operation waits for all threads that have not ended.
    pub(super) fn is_for_all(&self, index: BarrierId) -> bool {
        self.op(index).rule == BarrierRule::AllLive
    }
}
