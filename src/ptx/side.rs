//! The evaluation of comparisons in conditions. Each side is a number, or bits with their type.
//!
//! Equality with a number compares bits, so that `-1` and its unsigned spelling are one; an order compares
//! numbers, without a sign where the type of a side has none.

use super::bits::{mask, signed};
use super::literal::Float;
use super::operation::{Comparison, Type, TypeKind};

/// A side of a comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    /// A number, which takes the width of the other side.
    Number(i128),
    /// Bits of a type.
    Bits(u128, Type),
}

/// The bits of a floating-point number in the type of the other side, as a number.
pub(crate) fn float_bits(number: Float, other: Option<Type>) -> i128 {
    let ty = other.unwrap_or(Type::UNTYPED);
    let wide = Type::new(TypeKind::Bits, ty.bits);
    let bits = number.converted(ty).or_else(|| number.converted(wide));
    bits.unwrap_or(number.raw().0)
}

/// Whether the value of a type is compared and shown as a number without a sign.
pub(crate) fn is_unsigned(ty: Type) -> bool {
    matches!(ty.kind, TypeKind::Unsigned | TypeKind::Predicate)
}

/// Bits as the number that logs show: with a sign where the type has one.
pub(crate) fn number(bits: u128, ty: Type) -> i128 {
    if is_unsigned(ty) { bits as i128 } else { signed(bits, ty.bits) }
}

/// Whether so many bits hold a number, signed or not.
#[cfg(feature = "cli")]
pub(crate) fn fits(number: i128, width: u32) -> bool {
    let bits = number as u128 & mask(width);
    number == bits as i128 || number == signed(bits, width)
}

/// Whether a comparison holds.
pub(crate) fn holds(comparison: Comparison, a: Side, b: Side) -> bool {
    match (a, b) {
        (Side::Number(a), Side::Number(b)) => comparison.holds(a, b),
        (Side::Bits(a, ta), Side::Bits(b, tb)) => {
            let width = ta.bits.max(tb.bits);
            let unsigned = is_unsigned(ta) || is_unsigned(tb);
            let wide = |bits, ty: Type| match is_unsigned(ty) {
                true => bits,
                false => signed(bits, ty.bits) as u128 & mask(width),
            };
            ordered(comparison, wide(a, ta), wide(b, tb), width, unsigned)
        }
        (Side::Bits(bits, ty), Side::Number(n)) => {
            let as_signed = signed(n as u128, ty.bits) == n;
            let as_unsigned = n as u128 & mask(ty.bits) == n as u128;
            let is_held = match comparison {
                Comparison::Eq | Comparison::Ne => as_signed || as_unsigned,
                _ if is_unsigned(ty) => as_unsigned,
                _ => as_signed,
            };
            if !is_held {
                let below = if n > 0 { 0 } else { 2 };
                return comparison.holds(below, 1);
            }
            ordered(comparison, bits, n as u128 & mask(ty.bits), ty.bits, is_unsigned(ty))
        }
        (Side::Number(_), Side::Bits(..)) => holds(comparison.mirrored(), b, a),
    }
}

fn ordered(comparison: Comparison, a: u128, b: u128, width: u32, unsigned: bool) -> bool {
    match (comparison, unsigned) {
        (Comparison::Eq, _) => a == b,
        (Comparison::Ne, _) => a != b,
        (Comparison::Lt, true) => a < b,
        (Comparison::Le, true) => a <= b,
        (Comparison::Gt, true) => a > b,
        (Comparison::Ge, true) => a >= b,
        (_, false) => comparison.holds(signed(a, width), signed(b, width)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_fit_their_width_signed_or_not() {
        assert!(fits(-1, 32) && fits(i128::from(u32::MAX), 32) && fits(0, 1));
        assert!(!fits(1 << 32, 32) && !fits(i128::from(i32::MIN) - 1, 32));
    }

    #[test]
    fn equality_compares_bits_and_order_numbers() {
        let word = |kind, bits| Side::Bits(bits, Type::new(kind, 32));
        let ones = u128::from(u32::MAX);
        for kind in [TypeKind::Signed, TypeKind::Unsigned] {
            for number in [-1, i128::from(u32::MAX)] {
                assert!(holds(Comparison::Eq, word(kind, ones), Side::Number(number)));
            }
        }
        assert!(holds(Comparison::Lt, word(TypeKind::Signed, ones), Side::Number(0)));
        assert!(holds(Comparison::Lt, Side::Number(0), word(TypeKind::Unsigned, ones)));
    }
}
