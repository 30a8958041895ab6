//! Operands in braces: the registers of an accumulator and those of a matrix.

use super::Decoder;
use super::operand::mismatch;
use crate::ptx::error::{DecodeError, Expected};
use crate::ptx::form::Arg;
use crate::ptx::instruction::{Operand, OperandKind};
use crate::ptx::operation::Type;

impl Decoder<'_> {
    /// `{%f1, %f2}`, written.
    pub(super) fn registers(&self, operand: &Operand) -> Result<Arg, DecodeError> {
        let list = braced(operand)?.iter().map(|register| self.real_destination(register));
        Ok(Arg::Into(list.collect::<Result<_, _>>()?))
    }

    /// `{%r1, %r2}`, read.
    pub(super) fn fragment(&self, operand: &Operand) -> Result<Arg, DecodeError> {
        let list = braced(operand)?.iter().map(|element| self.value(element, Type::B32));
        Ok(Arg::Elements(list.collect::<Result<_, _>>()?))
    }
}

fn braced(operand: &Operand) -> Result<&[Operand], DecodeError> {
    match &operand.kind {
        OperandKind::Vector(list) if !list.is_empty() => Ok(list),
        _ => Err(mismatch(Expected::Vector, operand)),
    }
}
