//! Turns at the barrier of a cluster. A thread arrives and waits by turns there, each time together with
//! the other threads of its warp that have not ended (PTX-9.7.13.3).

use super::barrier::BarrierOp;
use super::numbering::Numbering;
use super::phase::{Phases, how_many, ordinal};
use super::reading::Reading;
use crate::id::BarrierId;

/// Whether a thread has arrived and waited by turns before an operation: it arrives as often as it has
/// waited, and waits one time less than it has arrived.
pub fn is_in_turn<R: Reading>(
    reading: &mut R,
    numbering: &Numbering,
    at: BarrierId,
    op: &BarrierOp,
) -> R::Truth {
    let own = ordinal(reading, numbering, at);
    let others = how_many(reading, numbering.earlier_of_other_kind(at));
    let arrived = reading.number(u32::from(op.waits));
    let turn = reading.sum(own, arrived);
    reading.equal(turn, others)
}

impl<N: Copy> Phases<'_, N> {
    /// Whether a thread of the warp is present with `other` when its mate is at the operation `at`: in
    /// the same phase, with whichever of arrival and wait comes first from there on. A thread that leaves
    /// its arrival or wait out misuses the barrier with its next operation, and counts as present.
    pub fn accompanies<R: Reading<Number = N>>(
        &self,
        reading: &mut R,
        (other, brought): (BarrierId, &BarrierOp),
        (at, op): (BarrierId, &BarrierOp),
    ) -> R::Truth {
        let next = reading.number(u32::from(op.waits && brought.arrives));
        let turn = reading.sum(self.ordinal(at), next);
        let same = reading.equal(turn, self.ordinal(other));
        let happens = reading.occurs(other);
        reading.conjunction(&[same, happens])
    }
}
