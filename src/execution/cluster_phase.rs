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
        if !self.is_in_turn(index) {
            return Vec::new();
        }
        let comes =
            |mate| self.arrival_of(mate, index).map_or(Awaited::End(mate), Awaited::Operation);
        self.graph.mates(self.agent(index)).map(comes).collect()
    }

    /// Whether an operation is at a cluster barrier where its thread has arrived and waited by
    /// turns.
    fn is_in_turn(&self, index: BarrierId) -> bool {
        let own = self.at_barrier_of(index, self.agent(index));
        matches!(self.op(index).key, BarrierKey::Cluster(_))
            && own.take_while(|&b| b < index).count() == self.turn(index)
    }

    /// The operation with which a thread takes part in the turn of this one. A thread that leaves
    /// the turn out misuses the barrier with its next operation, and is present.
    fn arrival_of(&self, thread: AgentId, index: BarrierId) -> Option<BarrierId> {
        let turn = self.turn(index);
        self.at_barrier_of(index, thread).find(|&b| (turn..=turn + 1).contains(&self.turn(b)))
    }

    /// The operations of a thread at the barrier of this operation.
    fn at_barrier_of(&self, index: BarrierId, thread: AgentId) -> impl Iterator<Item = BarrierId> {
        let here =
            move |&b: &BarrierId| self.agent(b) == thread && self.op(b).key == self.op(index).key;
        self.executed.iter().copied().filter(here)
    }

    /// The number of an operation at a cluster barrier, if arrivals and waits take turns.
    fn turn(&self, index: BarrierId) -> usize {
        2 * self.occurrence(index) as usize + usize::from(self.op(index).waits)
    }
}
