//! `bar` and `barrier` for CTAs and warps.

use super::access::range;
use super::{Decoded, Decoder};
use crate::ptx::error::DecodeError;
use crate::ptx::instruction::Operand;
use crate::ptx::operation::{BarrierMode, BoolOp, Operation, Type, TypeKind, Value};

const SECTION: &str = "PTX-9.7.13.1";
/// The last whole warp that a count of 32 bits includes.
const MOST_THREADS: i128 = 0xffff_ffe0;
const INTEGER: Type = Type::new(TypeKind::Unsigned, 32);

impl Decoder<'_> {
    pub(super) fn cta_barrier(&mut self) -> Decoded {
        const TAKES: &str = "barrier{.cta}.{sync|arrive|red.op}{.aligned} a{, b}";
        let cta = self.qualifiers.flag("cta")?;
        let mode = self.qualifiers.one_of(&["sync", "arrive", "red"])?;
        let opcode = self.instruction.opcode.value.as_str();
        let mode = mode.ok_or_else(|| {
            let choices = "the operations are `.sync`, `.arrive` and `.red`";
            self.no_such_word(opcode, "its operation", choices, SECTION)
        })?;
        if opcode == "barrier" {
            self.qualifiers.flag("aligned")?;
        }
        if mode.value == "red" {
            return self.reducing_barrier(TAKES);
        }
        self.finish(TAKES)?;
        let (mode, least) = match mode.value {
            "sync" => (BarrierMode::Sync, 1),
            _ => (BarrierMode::Arrive, 2),
        };
        if self.in_columns() && cta.is_some() {
            let operands = self.operands(1, 3, "bar.cta.sync instance{, barrier{, count}}")?;
            let mut values = operands.iter().map(|operand| self.value(operand, Type::UNTYPED));
            let barrier =
                values.next().transpose()?.ok_or_else(|| self.missing("an instance", SECTION))?;
            let resource = values.next().transpose()?;
            let count = values.next().transpose()?;
            return Ok(Operation::CtaBarrier { mode, barrier, resource, count });
        }
        let shape = if least == 1 { "bar.sync a{, b}" } else { "bar.arrive a, b" };
        let operands = self.operands(least, 2, shape)?;
        let barrier = self.barrier_number(&operands[0])?;
        let count = operands.get(1).map(|operand| self.participants(operand)).transpose()?;
        Ok(Operation::CtaBarrier { mode, barrier, resource: None, count })
    }

    fn reducing_barrier(&mut self, takes: &'static str) -> Decoded {
        let op = self.qualifiers.one_of(&["popc", "and", "or"])?;
        let op = op.ok_or_else(|| {
            let name = format!("{}.red", self.instruction.opcode.value);
            let choices = "the reductions are `.popc`, `.and` and `.or`";
            self.no_such_word(&name, "a reduction", choices, SECTION)
        })?;
        let ty = self.qualifiers.ty()?;
        self.finish(takes)?;
        let (legal, in_words) = match op.value {
            "popc" => (INTEGER, ".u32"),
            _ => (Type::PREDICATE, ".pred"),
        };
        match ty {
            Some(ty) if ty.value == legal => {}
            Some(ty) => return Err(self.illegal_type(ty, in_words, SECTION)),
            None => return Err(self.missing("a type: `.u32` for popc, else `.pred`", SECTION)),
        }
        let operands = self.operands(3, 4, "bar.red.op d, a{, b}, {!}c")?;
        let destination = self.real_destination(&operands[0])?;
        let barrier = self.barrier_number(&operands[1])?;
        let (count, predicate) = match operands {
            [_, _, count, predicate] => {
                (Some(self.participants(count)?), self.predicate(predicate)?)
            }
            _ => (None, self.predicate(&operands[2])?),
        };
        let mode = match op.value {
            "popc" => BarrierMode::RedPopc(destination, predicate),
            "and" => BarrierMode::RedBool(destination, BoolOp::And, predicate),
            _ => BarrierMode::RedBool(destination, BoolOp::Or, predicate),
        };
        Ok(Operation::CtaBarrier { mode, barrier, resource: None, count })
    }

    fn barrier_number(&self, operand: &Operand) -> Result<Value, DecodeError> {
        match self.value(operand, INTEGER)? {
            Value::Immediate(number) if !(0..16).contains(&number.value) => {
                Err(range("the barrier", &number, "0 to 15"))
            }
            value => Ok(value),
        }
    }

    /// The number of participating threads, of 32 bits; the ISA wants whole warps.
    fn participants(&self, operand: &Operand) -> Result<Value, DecodeError> {
        match self.value(operand, INTEGER)? {
            Value::Immediate(number) if number.value <= 0 || number.value % 32 != 0 => Err(range(
                "the number of threads",
                &number,
                "a positive multiple of the warp size 32",
            )),
            Value::Immediate(number) if number.value > MOST_THREADS => {
                Err(range("the number of threads", &number, "32 to 4294967264"))
            }
            value => Ok(value),
        }
    }

    pub(super) fn warp_barrier(&mut self) -> Decoded {
        const SHAPE: &str = "bar.warp.sync membermask";
        let operands = self.operands(1, 1, SHAPE)?;
        self.qualifiers.flag("warp")?;
        if self.qualifiers.flag("sync")?.is_none() {
            let choices = "its only form is `bar.warp.sync membermask`";
            return Err(self.no_such_word("bar.warp", "`.sync`", choices, "PTX-9.7.13.2"));
        }
        self.finish(SHAPE)?;
        Ok(Operation::WarpBarrier { mask: self.value(&operands[0], INTEGER)? })
    }
}
