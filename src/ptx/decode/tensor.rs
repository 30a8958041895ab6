//! Boxes of tensors as operands: the address of a tensor map and coordinates.

use super::Decoder;
use super::operand::mismatch;
use crate::ptx::error::{DecodeError, Expected};
use crate::ptx::instruction::{Operand, OperandKind};
use crate::ptx::operation::{Type, TypeKind};
use crate::ptx::written::Arg;

/// Coordinates are integers with a sign (PTX-5.5.4).
const COORDINATE: Type = Type::new(TypeKind::Signed, 32);
/// Of rows that are gathered or scattered: the column, and the row of each of four.
const ROWS: usize = 5;

impl Decoder<'_> {
    /// `[tm, {%r1, %r2}]`
    pub(super) fn tensor(&self, operand: &Operand) -> Result<Arg, DecodeError> {
        let wanted = self.coordinates();
        let OperandKind::Bracket(list) = &operand.kind else {
            return Err(mismatch(Expected::Box(wanted), operand));
        };
        let [map, Operand { kind: OperandKind::Vector(coordinates), .. }] = list.as_slice() else {
            return Err(mismatch(Expected::Box(wanted), operand));
        };
        if coordinates.len() != wanted {
            return Err(mismatch(Expected::Box(wanted), operand));
        }
        let address = Operand {
            kind: OperandKind::Bracket(vec![map.clone()]),
            unified: None,
            span: map.span,
        };
        let address = self.address(&address)?;
        let values = coordinates.iter().map(|at| self.value(at, COORDINATE));
        Ok(Arg::Tensor(address, values.collect::<Result<_, _>>()?))
    }

    /// How many coordinates the instruction takes.
    fn coordinates(&self) -> usize {
        let words = || self.instruction.qualifiers.iter().map(|word| word.value.as_str());
        if words().any(|word| matches!(word, "tile::gather4" | "tile::scatter4")) {
            return ROWS;
        }
        let dimensions = words().find_map(|word| word.strip_suffix('d')?.parse().ok());
        dimensions.unwrap_or(1)
    }
}
