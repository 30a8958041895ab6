//! Functions of one argument: their values on constants, and their expressions.

use super::expr::{Expr, ExprArena, Unary};
use crate::id::ExprId;
use crate::ptx::bits::mask;

impl ExprArena {
    /// A function of one argument, of its width.
    pub fn unary(&mut self, op: Unary, a: ExprId) -> ExprId {
        let width = self.width(a);
        match (op, self.get(a)) {
            (Unary::Not, _) => self.not(a),
            (Unary::Neg, _) => self.neg(a),
            (_, Expr::Const(bits)) => self.number(apply_unary(op, bits, width), width),
            (Unary::PopCount | Unary::Reverse, _) if width == 1 => a,
            (Unary::LeadingZeros, _) if width == 1 => self.not(a),
            (Unary::Reverse, Expr::Unary(Unary::Reverse, inner)) => inner,
            _ => self.leaf(Expr::Unary(op, a), width),
        }
    }
}

/// The value of `op` on a constant of `width` bits.
#[must_use]
pub fn apply_unary(op: Unary, a: u128, width: u32) -> u128 {
    let bits = match op {
        Unary::Not => !a,
        Unary::Neg => a.wrapping_neg(),
        Unary::PopCount => u128::from(a.count_ones()),
        Unary::LeadingZeros => u128::from(a.leading_zeros() - (u128::BITS - width)),
        Unary::Reverse => a.reverse_bits() >> (u128::BITS - width),
    };
    bits & mask(width)
}
