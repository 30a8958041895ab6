//! Identities of bit-vector operations: operations that their arguments decide or simplify.

use super::expr::{Binary, Expr, ExprArena, apply};
use crate::id::ExprId;
use crate::ptx::bits::mask;

impl ExprArena {
    /// Identities with a constant on the right, or equal arguments.
    pub(super) fn identity(&mut self, op: Binary, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        use Binary::{AShr, Add, And, Eq, LShr, Mul, Or, SLt, Shl, Sub, UDiv, ULt, URem, Xor};
        if a == b {
            return match op {
                And | Or => Some(a),
                Xor | Sub => Some(self.number(0, width)),
                Eq => Some(self.truth(true)),
                ULt | SLt => Some(self.truth(false)),
                _ => None,
            };
        }
        if width == 1 {
            if op == Eq {
                let differ = self.binary(Xor, a, b);
                return Some(self.not(differ));
            }
            if op == And {
                let choice = self.is_choice(a) || self.is_choice(b);
                let simple = choice.then(|| self.by_table(op, a, b)).flatten();
                return simple.or_else(|| self.conjunction(a, b));
            }
            if op == Or {
                let simple = self.by_table(op, a, b).or_else(|| self.beside(a, b));
                return simple.or_else(|| self.disjunction(a, b));
            }
        }
        if let Some(rest) = self.cancelled_bits(op, a, b) {
            return Some(rest);
        }
        let Some(right) = self.constant(b) else { return self.cancelled_sum(op, a, b) };
        match op {
            Shl | LShr if right >= u128::from(width) => Some(self.number(0, width)),
            URem if right == 1 => Some(self.number(0, width)),
            And => self.masked(a, right, width),
            Add | Sub | Or | Xor | Shl | LShr | AShr if right == 0 => Some(a),
            Mul | UDiv if right == 1 => Some(a),
            Mul if right == 0 => Some(self.number(0, width)),
            Xor if right == mask(width) => Some(self.not(a)),
            Or if right == mask(width) => Some(b),
            ULt if right == 0 => Some(self.truth(false)),
            Or | Xor => self.regrouped(op, a, right, width),
            Add | Sub => self.reassociate(op, a, right, width),
            Eq => self.equals_constant(a, right, width),
            _ => None,
        }
    }

    /// `x & k`, with consecutive masks combined.
    fn masked(&mut self, a: ExprId, k: u128, width: u32) -> Option<ExprId> {
        if k == 0 {
            return Some(self.number(0, width));
        }
        if k == mask(width) {
            return Some(a);
        }
        let Expr::Binary(Binary::And, x, inner) = self.get(a) else { return None };
        let both = self.number(self.constant(inner)? & k, width);
        Some(self.binary(Binary::And, x, both))
    }

    /// `(x | c) | d` becomes `x | (c | d)`, and likewise for `^`.
    fn regrouped(&mut self, op: Binary, a: ExprId, right: u128, width: u32) -> Option<ExprId> {
        let Expr::Binary(inner, x, c) = self.get(a) else { return None };
        let c = self.constant(c).filter(|_| inner == op)?;
        let both = self.number(apply(op, c, right, width), width);
        Some(self.binary(op, x, both))
    }

    /// `(x + c) ± d` becomes `x + (c ± d)`, and `x - d` becomes `x + (-d)`.
    fn reassociate(&mut self, op: Binary, a: ExprId, right: u128, width: u32) -> Option<ExprId> {
        let right = if op == Binary::Sub { right.wrapping_neg() } else { right };
        if let Expr::Binary(Binary::Add, x, c) = self.get(a)
            && let Some(c) = self.constant(c)
        {
            let sum = self.number(c.wrapping_add(right), width);
            return Some(self.binary(Binary::Add, x, sum));
        }
        if op == Binary::Sub {
            let negated = self.number(right, width);
            return Some(self.binary(Binary::Add, a, negated));
        }
        None
    }
}
