//! The threads of a warp at the barrier of their cluster. Each arrives and waits together with the
//! other threads of the warp that have not ended (PTX-9.7.13.3).

use super::barriers::Barriers;
use crate::event::barrier::BarrierKey;
use crate::id::{AgentId, BarrierId};

/// The condition on another thread of a warp before an operation is passed.
pub(super) enum Awaited {
    /// The thread begins this operation.
    Operation(BarrierId),
    /// The thread ends.
    End(AgentId),
}

impl Barriers<'_> {
    /// The operations at cluster barriers, each with the conditions on its warp.
    pub(super) fn waits_for_warps(&self) -> Vec<(BarrierId, Awaited)> {
        let operations = self.executed.iter().copied();
        operations.flat_map(|b| self.waits_for_warp(b).into_iter().map(move |a| (b, a))).collect()
    }

    /// The conditions of a cluster barrier operation on its warp. An operation that misuses the
    /// barrier has no companions.
    fn waits_for_warp(&self, index: BarrierId) -> Vec<Awaited> {
        if !self.alternates(index) {
            return Vec::new();
        }
        let condition =
            |mate| self.arrival_of(mate, index).map_or(Awaited::End(mate), Awaited::Operation);
        self.graph.mates(self.agent(index)).map(condition).collect()
    }

    /// Whether an operation is at a cluster barrier where arrivals and waits of its thread alternate up
    /// to the operation.
    fn alternates(&self, index: BarrierId) -> bool {
        let own = self.at_barrier_of(index, self.agent(index));
        matches!(self.op(index).key, BarrierKey::Cluster(_))
            && own.take_while(|&b| b < index).count() == self.step_number(index)
    }

    /// The operation with which a thread takes part in the phase of this one. A thread that omits its
    /// arrival or wait misuses the barrier with its next operation, and counts as present.
    fn arrival_of(&self, thread: AgentId, index: BarrierId) -> Option<BarrierId> {
        let number = self.step_number(index);
        self.at_barrier_of(index, thread)
            .find(|&b| (number..=number + 1).contains(&self.step_number(b)))
    }

    /// The operations of a thread at the barrier of this operation.
    fn at_barrier_of(&self, index: BarrierId, thread: AgentId) -> impl Iterator<Item = BarrierId> {
        let is_own =
            move |&b: &BarrierId| self.agent(b) == thread && self.op(b).key == self.op(index).key;
        self.executed.iter().copied().filter(is_own)
    }

    /// The number of an operation among the arrivals and waits of its thread at a cluster barrier, if
    /// these alternate: 0 for the first arrival, 1 for the first wait.
    fn step_number(&self, index: BarrierId) -> usize {
        2 * self.ordinal(index) as usize + usize::from(self.op(index).waits)
    }
}
