//! The barrier operations of a program that is being unfolded.

use crate::id::{AccessId, BarrierId, EventId, ExprId};
use crate::program::micro::BarrierMicro;
use crate::waiting::barrier::{BarrierKey, BarrierOp, BarrierRule, Exchange};
use typed_index_collections::TiVec;

/// Barrier operations, in the order in which threads come to them.
#[derive(Debug, Default)]
pub(super) struct BarrierOperations {
    pub(super) list: TiVec<BarrierId, BarrierOp>,
    pub(super) guards: TiVec<BarrierId, ExprId>,
    /// The reads that the operand of each was computed from.
    pub(super) operands: TiVec<BarrierId, Vec<AccessId>>,
    /// The reads behind the result of each, by [`super::participants`].
    pub(super) results: TiVec<BarrierId, Vec<AccessId>>,
}

/// The evaluated operands of one operation.
pub(super) struct Operands {
    /// The thread count.
    pub(super) count: Option<ExprId>,
    /// The operand of a reduction or an exchange, and the reads behind it.
    pub(super) operand: Option<(ExprId, Vec<AccessId>)>,
    pub(super) exchange: Option<Exchange>,
}

impl BarrierOperations {
    /// Adds an operation, whose event is not known yet, and gives its index.
    pub(super) fn push(
        &mut self,
        barrier: &BarrierMicro,
        key: BarrierKey,
        operands: Operands,
        guard: ExprId,
    ) -> BarrierId {
        let (operand, reads) = operands.operand.unzip();
        self.operands.push(reads.unwrap_or_default());
        let columns = matches!(key, BarrierKey::Instance(..));
        let rule = match operands.count {
            Some(count) if columns => BarrierRule::Quorum(count),
            Some(count) => BarrierRule::Count(count),
            None if columns => BarrierRule::Participants,
            None => BarrierRule::AllLive,
        };
        self.guards.push(guard);
        self.list.push_and_get_key(BarrierOp {
            event: EventId::new(0),
            key,
            arrives: barrier.arrives,
            waits: barrier.waits,
            aligned: barrier.aligned,
            rule,
            order: barrier.order,
            operand,
            reduction: barrier.reduction.map(|(reduction, _)| reduction),
            exchange: operands.exchange,
        })
    }
}
