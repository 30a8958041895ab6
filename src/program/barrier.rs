//! Barrier instructions of CTAs, clusters and warps as micro-operations.

use super::lower::Lowering;
use super::micro::{BarrierGroup, BarrierMicro, Micro, Reduction};
use super::term::Term;
use crate::litmus::ast::Dialect;
use crate::ptx::operation::{BarrierMode, BoolOp, Order, Type, TypeKind, Value};
use crate::rule::Rule;

impl Lowering<'_> {
    /// `bar.cta`, `barrier.cta` and their forms.
    pub(super) fn cta_barrier(
        &mut self,
        mode: &BarrierMode,
        barrier: &Value,
        resource: Option<&Value>,
        count: Option<&Value>,
        aligned: bool,
    ) {
        let number = Type::new(TypeKind::Unsigned, 32);
        let barrier = self.value(barrier, number);
        let group = if self.dialect == Dialect::Columns {
            let resource = resource.map_or(Term::Const(0, 32), |r| self.value(r, number));
            BarrierGroup::Instance(barrier, resource)
        } else {
            BarrierGroup::Cta(barrier)
        };
        let count = count.map(|c| self.value(c, number));
        let mut legal = Term::truth(true);
        if let (Some(count), Dialect::Blocks) = (&count, self.dialect) {
            let whole = count.clone().bits(0, 5).equals(Term::Const(0, 5));
            let some = count.clone().equals(Term::Const(0, 32)).not();
            legal = whole.and(some);
            self.require(legal.clone(), Rule::BarrierCount);
        }
        let (operand, reduction) = match mode {
            BarrierMode::Sync | BarrierMode::Arrive => (None, None),
            BarrierMode::RedPopc(d, p) => (
                Some(self.value(p, Type::PREDICATE)),
                Some((Reduction::Popc, self.loaded(d, number))),
            ),
            BarrierMode::RedBool(d, op, p) => {
                let op = if *op == BoolOp::Or { Reduction::Or } else { Reduction::And };
                (Some(self.value(p, Type::PREDICATE)), Some((op, self.loaded(d, Type::PREDICATE))))
            }
        };
        self.out.push(Micro::Barrier(BarrierMicro {
            group,
            arrives: true,
            waits: *mode != BarrierMode::Arrive,
            aligned,
            count,
            legal,
            order: None,
            operand,
            reduction: reduction.map(|(op, d)| (op, d.map(|(register, _)| register))),
            exchange: None,
        }));
    }

    /// `bar.warp.sync`
    pub(super) fn warp_barrier(&mut self, mask: Term) {
        let legal = match self.at.lane {
            Some(lane) => mask.clone().bits(lane, 1),
            // The thread's own lane is unknown, so some lane has to be named.
            None => mask.clone().equals(Term::Const(0, 32)).not(),
        };
        self.require(legal.clone(), Rule::WarpMask);
        self.out.push(Micro::Barrier(BarrierMicro {
            legal,
            ..BarrierMicro::of(BarrierGroup::Warp(mask), true, true)
        }));
    }

    /// `barrier.cluster.arrive` and `barrier.cluster.wait`
    pub(super) fn cluster_barrier(&mut self, arrives: bool, order: Order, aligned: bool) {
        self.out.push(Micro::Barrier(BarrierMicro {
            order: Some(order),
            aligned,
            ..BarrierMicro::of(BarrierGroup::Cluster, arrives, !arrives)
        }));
    }
}

impl BarrierMicro {
    /// An operation without a count, a reduction or a memory order.
    pub(super) fn of(group: BarrierGroup, arrives: bool, waits: bool) -> Self {
        Self {
            group,
            arrives,
            waits,
            aligned: false,
            count: None,
            legal: Term::truth(true),
            order: None,
            operand: None,
            reduction: None,
            exchange: None,
        }
    }
}
