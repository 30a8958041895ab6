//! The threads of a warp at the barrier of their cluster, in an execution ([`crate::waiting::cluster`]).

use super::barriers::Barriers;
use crate::id::{AgentId, BarrierId};
use crate::waiting::barrier::BarrierKey;
use crate::waiting::cluster::is_in_turn;

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
        let op = self.op(index);
        let numbering = self.phases.numbering;
        let mut reading = self.reading(|_| false);
        let has_companions = matches!(op.key, BarrierKey::Cluster(_))
            && is_in_turn(&mut reading, numbering, index, op);
        if !has_companions {
            return Vec::new();
        }
        let condition = |mate| {
            let comes = |&b: &BarrierId| {
                self.phases.accompanies(&mut self.reading(|_| false), (b, self.op(b)), (index, op))
            };
            let arrival = numbering.visits_to_meet(mate, index).find(comes);
            arrival.map_or(Awaited::End(mate), Awaited::Operation)
        };
        self.graph.mates(self.agent(index)).map(condition).collect()
    }
}
