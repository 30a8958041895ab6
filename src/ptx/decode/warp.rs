//! Warp-wide register exchange: `shfl vote match redux elect activemask`.

use super::{Decoded, Decoder};
use crate::ptx::instruction::OperandKind;
use crate::ptx::operation::{Operation, Register, Type, Value};

impl Decoder<'_> {
    /// Checks `.sync` and the operand count only: none of them touches memory (PTX-9.7.13.9).
    pub(super) fn warp_exchange(&mut self) -> Decoded {
        let (count, shape) = match self.instruction.opcode.value.as_str() {
            "shfl" => (5, "shfl.sync.mode.b32 d{|p}, a, b, c, membermask"),
            "vote" => (3, "vote.sync.mode.pred d, {!}a, membermask"),
            "match" => (3, "match.any.sync.type d, a, membermask"),
            "redux" => (3, "redux.sync.op.type d, a, membermask"),
            "elect" => (2, "elect.sync d|p, membermask"),
            _ => (1, "activemask.b32 d"),
        };
        if self.instruction.opcode.value != "activemask" && !self.qualifiers.has("sync") {
            return Err(self
                .missing("`.sync`: the forms without it do not exist since sm_70", "PTX-9.7.9.6"));
        }
        let operands = self.operands(count, count, shape)?;
        let (first, second) = self.destination_pair(&operands[0])?;
        let destinations: Vec<Register> = first.into_iter().chain(second).collect();
        let mut sources = Vec::new();
        for operand in &operands[1..] {
            sources.push(match &operand.kind {
                OperandKind::Not(_) => Value::Register(self.predicate(operand)?.register),
                _ => self.value(operand, Type::UNTYPED)?,
            });
        }
        Ok(Operation::WarpExchange { name: self.form(), destinations, sources })
    }
}
