//! The operands of an operation that may name a variable or a special register, to be replaced.

use crate::ptx::operation::{
    AccessForm, Address, BarrierMode, MbarrierOp, Operation, Space, Value, WaitPhase,
};
use crate::ptx::row::Op;
use crate::ptx::written::{Arg, Written};

/// An operand.
pub(super) enum Operand<'o> {
    /// A memory operand, with the state space where the instruction names one.
    Memory(&'o mut Address, Option<&'o mut Space>),
    /// A value of so many bits.
    Value(&'o mut Value, u32),
}

/// The operands of an operation, in order; `None` if they are unknown.
pub(super) fn operands(operation: &mut Operation) -> Option<Vec<Operand<'_>>> {
    use Operation as O;
    let mut all = Vec::new();
    match operation {
        O::Load { access, .. } | O::MultimemLoadReduce { access, .. } => {
            memory(access, &mut all);
        }
        O::Store { access, sources } | O::MultimemStore { access, sources } => {
            let bits = memory(access, &mut all);
            values(sources, bits, &mut all);
        }
        O::Atomic { access, operands, swap, .. } => {
            let bits = memory(access, &mut all);
            values(operands, bits, &mut all);
            values(swap, bits, &mut all);
        }
        O::Reduce { access, operands, .. } | O::MultimemReduce { access, operands, .. } => {
            let bits = memory(access, &mut all);
            values(operands, bits, &mut all);
        }
        O::ProxyFence { address, .. } => {
            all.extend(address.iter_mut().map(|address| Operand::Memory(address, None)));
        }
        O::CtaBarrier { mode, barrier, resource, count, .. } => {
            all.push(Operand::Value(barrier, 32));
            values(resource, 32, &mut all);
            values(count, 32, &mut all);
            if let BarrierMode::RedPopc(_, value) | BarrierMode::RedBool(_, _, value) = mode {
                all.push(Operand::Value(value, 1));
            }
        }
        O::WarpBarrier { mask } => all.push(Operand::Value(mask, 32)),
        O::Mbarrier { access, op } => {
            memory(access, &mut all);
            mbarrier(op, &mut all);
        }
        O::Form(written) => form(written, &mut all),
        O::Move { ty, source, .. } => all.push(Operand::Value(source, ty.bits)),
        O::Compare { ty, sources, combine, .. } => {
            values(sources, ty.bits, &mut all);
            all.extend(combine.iter_mut().map(|(_, value)| Operand::Value(value, 1)));
        }
        O::Branch { condition, .. } => {
            if let Some((_, left, right)) = condition {
                all.push(Operand::Value(left, 64));
                all.push(Operand::Value(right, 64));
            }
        }
        O::Fence { .. }
        | O::ClusterArrive { .. }
        | O::ClusterWait { .. }
        | O::Exit
        | O::Nothing => {}
        _ => return None,
    }
    Some(all)
}

/// Adds the memory operand of an access; gives the width of its values in bits.
fn memory<'o>(access: &'o mut AccessForm, all: &mut Vec<Operand<'o>>) -> u32 {
    let bits = access.ty.bits;
    all.push(Operand::Memory(&mut access.address, Some(&mut access.space)));
    bits
}

fn values<'o>(
    values: impl IntoIterator<Item = &'o mut Value>,
    bits: u32,
    all: &mut Vec<Operand<'o>>,
) {
    all.extend(values.into_iter().map(|value| Operand::Value(value, bits)));
}

fn mbarrier<'o>(op: &'o mut MbarrierOp, all: &mut Vec<Operand<'o>>) {
    match op {
        MbarrierOp::Init { count } => all.push(Operand::Value(count, 32)),
        MbarrierOp::Inval => {}
        MbarrierOp::ExpectTx { bytes } | MbarrierOp::CompleteTx { bytes } => {
            all.push(Operand::Value(bytes, 32));
        }
        MbarrierOp::Arrive { count, expect_tx, .. } => {
            all.push(Operand::Value(count, 32));
            values(expect_tx, 32, all);
        }
        MbarrierOp::Wait { phase: WaitPhase::State(value), .. } => {
            all.push(Operand::Value(value, 64));
        }
        MbarrierOp::Wait { phase: WaitPhase::Parity(value), .. } => {
            all.push(Operand::Value(value, 32));
        }
    }
}

/// A bulk store with a named variable stores to `.shared`, with or without the qualifier.
fn form<'o>(written: &'o mut Written, all: &mut Vec<Operand<'o>>) {
    let named =
        |address: &Address| matches!(address.base, Value::AddressOf(..) | Value::ElementOf(_));
    if matches!(written.op(), Op::StoreBulk) && named(written.address()) {
        written.fill("shared::cta");
    }
    for (need, operand) in written.parts_mut() {
        match operand {
            Arg::Memory(address) => all.push(Operand::Memory(address, None)),
            Arg::Value(value) => all.push(Operand::Value(value, need.ty.bits)),
            Arg::Tensor(map, coordinates) => {
                all.push(Operand::Memory(map, None));
                all.extend(coordinates.iter_mut().map(|value| Operand::Value(value, 32)));
            }
            Arg::Elements(values) => {
                all.extend(values.iter_mut().map(|value| Operand::Value(value, need.ty.bits)));
            }
            Arg::Destination(_)
            | Arg::Pair(..)
            | Arg::Constant(_)
            | Arg::Into(_)
            | Arg::Label(_) => {}
        }
    }
}
