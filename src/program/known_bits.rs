//! Known bits: the bits of an expression that are the same for all values of its leaves.
//!
//! A mask, a shift or a conversion leaves constant bits. A value whose bits are all known is a
//! constant, so that nothing depends on its operands (PTX-8.10.4).

use super::expr::{Binary, Expr, Unary};
use crate::id::ExprId;
use crate::ptx::bits::mask;

/// The known bits of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct KnownBits {
    /// A mask of the known bits.
    known: u128,
    /// The values of the known bits; zero for the others.
    value: u128,
}

impl KnownBits {
    fn new(known: u128, value: u128) -> Self {
        Self { known, value: value & known }
    }

    /// The value, if all `width` bits are known.
    pub(super) fn constant(self, width: u32) -> Option<u128> {
        (self.known & mask(width) == mask(width)).then_some(self.value & mask(width))
    }

    /// The bits that are known to be zero.
    fn zeros(self) -> u128 {
        self.known & !self.value
    }

    /// The least and the greatest value of so many bits.
    fn range(self, width: u32) -> (u128, u128) {
        (self.value & mask(width), (self.value | !self.known) & mask(width))
    }

    /// The bits that are known in both and agree.
    fn meet(self, other: Self) -> Self {
        Self::new(self.known & other.known & !(self.value ^ other.value), self.value)
    }

    /// The bits shifted left, with zeros below.
    fn shifted(self, by: u32) -> Self {
        match by {
            128.. => Self::new(u128::MAX, 0),
            by => Self::new(self.known << by | mask(by), self.value << by),
        }
    }

    /// The low bits, with zeros above.
    fn zero_extended(self, from: u32) -> Self {
        Self::new(self.known | !mask(from), self.value & mask(from))
    }
}

/// The known bits of an expression, given its width, and the known bits and widths of its operands.
pub(super) fn of(
    expr: Expr,
    width: u32,
    operand: impl Fn(ExprId) -> (KnownBits, u32),
) -> KnownBits {
    let bits = |x| operand(x).0;
    let wide = |x| operand(x).1;
    match expr {
        Expr::Const(value) => KnownBits::new(u128::MAX, value),
        Expr::Unary(Unary::Not, a) => KnownBits::new(bits(a).known, !bits(a).value),
        Expr::Binary(op, a, b) => binary(op, bits(a), bits(b), wide(a)),
        Expr::Ite(_, then, otherwise) => bits(then).meet(bits(otherwise)),
        Expr::Extract(a, low) => {
            let all = bits(a).zero_extended(wide(a));
            KnownBits::new(all.known >> low & mask(width), all.value >> low)
        }
        Expr::Concat(high, low) => {
            let above = bits(high).shifted(wide(low));
            let (known, value) = (mask(wide(low)), bits(low).zero_extended(wide(low)));
            KnownBits::new(
                above.known & !known | value.known & known,
                above.value & !known | value.value & known,
            )
        }
        Expr::ZeroExtend(a) => bits(a).zero_extended(wide(a)),
        Expr::Read(_)
        | Expr::Mbarrier(_)
        | Expr::Symbol(_)
        | Expr::Final(_)
        | Expr::Barrier(_)
        | Expr::Unary(..)
        | Expr::SignExtend(_) => KnownBits::default(),
    }
}

fn binary(op: Binary, a: KnownBits, b: KnownBits, width: u32) -> KnownBits {
    let truth = |value: bool| KnownBits::new(1, u128::from(value));
    let amount = || b.constant(width).map(|by| u32::try_from(by).unwrap_or(u32::MAX));
    match op {
        Binary::And => KnownBits::new(a.known & b.known | a.zeros() | b.zeros(), a.value & b.value),
        Binary::Or => KnownBits::new(a.known & b.known | a.value | b.value, a.value | b.value),
        Binary::Xor => KnownBits::new(a.known & b.known, a.value ^ b.value),
        // The low bits that are known in both operands.
        Binary::Add | Binary::Sub => {
            let low = a.known.trailing_ones().min(b.known.trailing_ones());
            let value = match op {
                Binary::Add => a.value.wrapping_add(b.value),
                _ => a.value.wrapping_sub(b.value),
            };
            KnownBits::new(mask(low), value)
        }
        Binary::Mul => {
            KnownBits::new(mask(a.zeros().trailing_ones() + b.zeros().trailing_ones()), 0)
        }
        Binary::Shl => match amount() {
            Some(by) if by < width => a.shifted(by),
            Some(_) => KnownBits::new(u128::MAX, 0),
            None => KnownBits::default(),
        },
        Binary::LShr => match amount() {
            Some(by) if by < width => {
                let all = a.zero_extended(width);
                KnownBits::new(all.known >> by | !(u128::MAX >> by), all.value >> by)
            }
            Some(_) => KnownBits::new(u128::MAX, 0),
            None => KnownBits::default(),
        },
        Binary::Eq if (a.known & b.known & (a.value ^ b.value)) & mask(width) != 0 => truth(false),
        Binary::ULt => {
            let ((least, most), (other_least, other_most)) = (a.range(width), b.range(width));
            match (most < other_least, least >= other_most) {
                (true, _) => truth(true),
                (_, true) => truth(false),
                _ => KnownBits::default(),
            }
        }
        Binary::Eq
        | Binary::UDiv
        | Binary::SDiv
        | Binary::URem
        | Binary::SRem
        | Binary::AShr
        | Binary::SLt
        | Binary::Float(_) => KnownBits::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::expr::apply;
    use proptest::prelude::*;

    const OPERATIONS: [Binary; 16] = [
        Binary::Add,
        Binary::Sub,
        Binary::Mul,
        Binary::UDiv,
        Binary::SDiv,
        Binary::URem,
        Binary::SRem,
        Binary::And,
        Binary::Or,
        Binary::Xor,
        Binary::Shl,
        Binary::LShr,
        Binary::AShr,
        Binary::Eq,
        Binary::ULt,
        Binary::SLt,
    ];

    proptest! {
        #[test]
        fn known_bits_are_those_of_every_value(
            op in prop::sample::select(OPERATIONS.to_vec()),
            width in prop::sample::select(vec![8_u32, 16, 32, 64, 128]),
            (x, y) in (any::<u128>(), prop_oneof![any::<u128>(), 0..130_u128]),
            (known_x, known_y) in (any::<u128>(), prop_oneof![any::<u128>(), Just(u128::MAX)]),
        ) {
            let (x, y) = (x & mask(width), y & mask(width));
            let found = binary(op, KnownBits::new(known_x, x), KnownBits::new(known_y, y), width);
            let all = if op.is_comparison() { 1 } else { mask(width) };
            let result = apply(op, x, y, width);
            prop_assert_eq!(found.value & all, result & found.known & all);
        }
    }
}
