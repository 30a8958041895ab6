//! The threads that barriers concern, and what their operations ask of each other.

use super::graph::{Agent, EventGraph, EventKind};
use crate::id::{AgentId, BarrierId, EventId, ExprId};
use crate::program::expr::ExprArena;
use crate::waiting::barrier::{
    BarrierKey, BarrierOp, BarrierRule, BarrierUse, UsedCount, WARP_SIZE, Warp,
};
use crate::waiting::numbering::Numbering;
use crate::waiting::reading::{Partial, Terms};
use std::collections::BTreeSet;
use std::sync::Arc;
use typed_index_collections::TiSlice;

impl EventGraph {
    /// Whether a thread arrives at a CTA barrier without waiting and reuses the barrier while other
    /// warps still have to arrive. The second operation needs the barrier to be reset.
    #[must_use]
    pub fn returns_to_barrier(&self, arrival: &BarrierOp, next: &BarrierOp) -> bool {
        matches!(arrival.key, BarrierKey::Cta(..))
            && !arrival.waits
            && !self.completes_alone(arrival)
            && arrival.event < next.event
            && arrival.key == next.key
            && self.event(arrival.event).agent == self.event(next.event).agent
    }

    /// Whether two threads may ask for different counts at one barrier of their CTA.
    #[must_use]
    pub fn counts_may_differ(&self, one: &BarrierOp, other: &BarrierOp) -> bool {
        matches!(one.key, BarrierKey::Cta(..))
            && one.key == other.key
            && one.rule != other.rule
            && self.event(one.event).agent != self.event(other.event).agent
    }

    /// The condition that two operations for which [they may](Self::counts_may_differ) have
    /// different counts, in an arena that continues the graph's.
    pub fn counts_differ(
        &self,
        exprs: &mut ExprArena,
        one: &BarrierOp,
        other: &BarrierOp,
    ) -> ExprId {
        let (m, n) = match (&one.rule, &other.rule) {
            (BarrierRule::Count(m), BarrierRule::Count(n)) => (*m, *n),
            (BarrierRule::Count(n), BarrierRule::AllLive)
            | (BarrierRule::AllLive, BarrierRule::Count(n)) => {
                let width = exprs.width(*n);
                (exprs.number(self.count_of_all(&one.key), width), *n)
            }
            _ => return exprs.truth(true),
        };
        let equal = exprs.equal(m, n);
        exprs.not(equal)
    }

    /// Whether a barrier is complete as soon as the warp of an operation has arrived.
    #[must_use]
    pub fn completes_alone(&self, op: &BarrierOp) -> bool {
        matches!(op.rule, BarrierRule::Count(count) if self.exprs.constant(count) == Some(WARP_SIZE))
    }

    /// The barrier operation of an event.
    #[must_use]
    pub fn barrier(&self, id: EventId) -> Option<&BarrierOp> {
        self.barrier_index(id).map(|index| &self.barriers[index])
    }

    /// The index of an event's operation in [`barriers`](Self::barriers).
    #[must_use]
    pub fn barrier_index(&self, id: EventId) -> Option<BarrierId> {
        match self.event(id).kind {
            EventKind::Barrier(index) => Some(index),
            _ => None,
        }
    }

    /// Whether a barrier operation has no thread count, or one that is constant.
    #[must_use]
    pub fn knows_count(&self, op: &BarrierOp) -> bool {
        op.count().is_none_or(|count| self.exprs.constant(count).is_some())
    }

    /// Whether all operations at a barrier have no thread count, or one that is constant.
    #[must_use]
    pub fn knows_counts_at(&self, key: &BarrierKey) -> bool {
        self.barriers.iter().filter(|op| op.key == *key).all(|op| self.knows_count(op))
    }

    /// The numbering of the barrier operations.
    #[must_use]
    pub fn numbering(&self) -> &Arc<Numbering> {
        self.known.numbering.get_or_init(|| {
            let thread = |b: BarrierId| self.event(self.barriers[b].event).agent;
            let count = |op: &BarrierOp| op.count().and_then(|count| self.exprs.constant(count));
            Arc::new(Numbering::new(&self.barriers, thread, count, |key| self.count_of_all(key)))
        })
    }

    /// The operations of other threads that wait for the arrival of an operation, if they are in one
    /// phase; none if the operation does not arrive.
    pub fn waits_for_arrival(&self, arrival: BarrierId) -> impl Iterator<Item = BarrierId> {
        let here = self.numbering().at_barrier_of(arrival);
        here.filter(move |&wait| {
            self.barriers[arrival].arrives
                && self.barriers[wait].waits
                && self.numbering().may_be_together(arrival, wait)
        })
    }

    /// Barriers in all executions at once, with the operations: facts are conditions in the graph's
    /// arena. For each thread that may not end, `never_ends` has the condition.
    pub fn terms<'a>(
        &'a mut self,
        never_ends: &'a [ExprId],
    ) -> (Terms<'a, impl Fn(BarrierId) -> ExprId>, &'a TiSlice<BarrierId, BarrierOp>) {
        let (events, barriers) = (&self.events, &self.barriers);
        let happens = |b: BarrierId| events[barriers[b].event.index()].guard;
        (Terms { exprs: &mut self.exprs, happens, never_ends }, barriers)
    }

    /// What is the same in all executions: whether operations happen, if their guards are constant.
    pub(super) fn what_is_sure(
        &self,
    ) -> Partial<impl Fn(BarrierId) -> Option<bool>, impl Fn(AgentId) -> Option<bool>> {
        let guard = |b: BarrierId| self.event(self.barriers[b].event).guard;
        let happens = move |b| self.exprs.constant(guard(b)).map(|bits| bits != 0);
        Partial { happens, never_ends: |_| None }
    }

    /// The warp of a thread.
    #[must_use]
    pub fn warp_of(&self, agent: AgentId) -> Option<Warp> {
        self.agents[agent.index()].warp()
    }

    /// The other threads of a thread's warp.
    pub fn mates(&self, agent: AgentId) -> impl Iterator<Item = AgentId> {
        let own = self.warp_of(agent);
        let others = (0..self.agents.len()).map(AgentId::new).filter(move |&a| a != agent);
        others.filter(move |&other| own.is_some() && self.warp_of(other) == own)
    }

    /// The position of a thread among the threads of its warp; `None` when it is alone there.
    pub(super) fn lane(&self, agent: AgentId) -> Option<u32> {
        self.agents[agent.index()].place()?.warp?;
        let own = self.warp_of(agent);
        let before = (0..agent.index()).map(AgentId::new);
        u32::try_from(before.filter(|&mate| self.warp_of(mate) == own).count()).ok()
    }

    /// The threads that a barrier concerns.
    #[must_use]
    pub fn members(&self, key: &BarrierKey) -> Vec<AgentId> {
        let inside = |&agent: &AgentId| {
            let in_warp = || match key {
                BarrierKey::Warp(warp, mask) | BarrierKey::Exchange(warp, mask, _) => {
                    self.warp_of(agent) == Some(*warp)
                        && self.lane(agent).is_none_or(|lane| mask & (1 << lane) != 0)
                }
                BarrierKey::Cta(..) | BarrierKey::Instance(..) | BarrierKey::Cluster(_) => true,
            };
            self.agents[agent.index()].place().is_some_and(|p| key.includes(p)) && in_warp()
        };
        (0..self.agents.len()).map(AgentId::new).filter(inside).collect()
    }

    /// Whether operations at a barrier meet exactly if their ordinals agree, in all prefixes. True
    /// without thread counts, and with a count of all warps that ever use the barrier.
    #[must_use]
    pub fn meets_by_ordinal(&self, key: &BarrierKey) -> bool {
        meets_by_ordinal(&self.agents, &self.barrier_uses, key)
    }

    /// The thread count of all threads that a barrier of a CTA concerns, in whole warps.
    #[must_use]
    pub fn count_of_all(&self, key: &BarrierKey) -> u128 {
        count_of_all(&self.agents, key)
    }
}

/// As [`EventGraph::meets_by_ordinal`], from agents and all barrier uses of their threads.
pub(super) fn meets_by_ordinal(agents: &[Agent], all: &[BarrierUse], key: &BarrierKey) -> bool {
    let (BarrierKey::Cta(cta, _) | BarrierKey::Instance(cta, ..)) = *key else { return true };
    let may_be_here = |used: &&BarrierUse| match *key {
        BarrierKey::Cta(_, resource) => used.resource.is_none_or(|r| r == resource),
        _ => true,
    };
    let uses = || all.iter().filter(|used| used.cta == cta).filter(may_be_here);
    if uses().all(|used| used.count == UsedCount::All) {
        return true;
    }
    let warps: BTreeSet<_> = uses().map(|used| agents[used.agent.index()].warp()).collect();
    let takes_all = |used: &BarrierUse| match used.count {
        UsedCount::All => count_of_all(agents, key) == warps.len() as u128 * WARP_SIZE,
        UsedCount::Number(count) => count == warps.len() as u128 * WARP_SIZE,
        UsedCount::Open => false,
    };
    matches!(key, BarrierKey::Cta(..)) && uses().all(takes_all)
}

fn count_of_all(agents: &[Agent], key: &BarrierKey) -> u128 {
    let inside = |agent: &&Agent| agent.place().is_some_and(|place| key.includes(place));
    let warps: BTreeSet<_> = agents.iter().filter(inside).filter_map(Agent::warp).collect();
    warps.len() as u128 * WARP_SIZE
}
