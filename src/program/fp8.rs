//! Sums, minima and maxima of eight-bit floating-point numbers on bits, as in reductions of
//! multimem operations (PTX-5.2.3, PTX-9.7.9.14).
//!
//! Both formats are computed in `.f16`, which holds all their numbers, those of `.e4m3` divided by
//! 256. The eleven digits of `.f16` are enough for a sum to be rounded twice without a difference.
//! The result of a sum that is too large is unspecified.

use super::expr::Binary;
use super::float::{FloatOp, Format, Function};
use super::special::opaque;
use super::term::{Extension, Term};
use crate::ptx::floating::FloatMode;
use crate::ptx::operation::{Type, TypeKind};

/// A function of two eight-bit numbers; `None` for another type.
pub(super) fn narrow_result(op: FloatOp, ty: Type, a: &Term, b: &Term) -> Option<Term> {
    let format = match ty.kind {
        TypeKind::E4m3 => Narrow::E4M3,
        TypeKind::E5m2 => Narrow::E5M2,
        _ => return None,
    };
    let function = Function { op, format: Format::F16, mode: FloatMode::default() };
    let wide = format.wide(a).binary(Binary::Float(function), format.wide(b));
    // In `.e4m3` these bits are a number's, but there no sum is infinite in `.f16`.
    let is_infinite = |x: &Term| x.clone().bits(0, 7).equals(Term::Const(0x7c, 7));
    Some(format.narrow(&wide, is_infinite(a).or(is_infinite(b)), ty))
}

/// The position of a format's bits in `.f16`.
struct Narrow {
    /// The number of `.f16` fraction bits below the format's own.
    below: u32,
    /// The bits of the greatest number.
    greatest: u128,
    /// Whether the bits, shifted up, denote the same numbers, infinities and NaNs in `.f16`.
    is_upper_half: bool,
}

impl Narrow {
    /// Four bits of exponent, three digits, no infinities; the NaN has all bits set.
    const E4M3: Self = Self { below: 7, greatest: 0x7e, is_upper_half: false };
    /// Five bits of exponent, two digits.
    const E5M2: Self = Self { below: 8, greatest: 0x7b, is_upper_half: true };

    /// The bits of `.f16` for a number.
    fn wide(&self, narrow: &Term) -> Term {
        let sign = narrow.clone().bits(7, 1);
        let rest = narrow.clone().bits(0, 7);
        let moved = concat(rest.clone(), Term::Const(0, self.below)).resize(15, Extension::Zero);
        let number = concat(sign, moved);
        if self.is_upper_half {
            return number;
        }
        let is_nan = rest.equals(Term::Const(0x7f, 7));
        is_nan.choose(Term::Const(Format::F16.nan(), 16), number)
    }

    /// The number for bits of `.f16`, rounded to nearest, ties to even. An infinity is kept if
    /// `if_infinite`. Otherwise its result is unknown, like that of a sum that is too large.
    fn narrow(&self, wide: &Term, if_infinite: Term, ty: Type) -> Term {
        let digits = |n: u128| Term::Const(n, 15);
        let (sign, rest) = (wide.clone().bits(15, 1), wide.clone().bits(0, 15));
        let is_odd = wide.clone().bits(self.below, 1).resize(15, Extension::Zero);
        let nearly_half = digits((1 << (self.below - 1)) - 1);
        let raised = rest.clone().binary(Binary::Add, nearly_half).binary(Binary::Add, is_odd);
        let rounded = raised.bits(self.below, 15 - self.below).resize(8, Extension::Zero);
        let is_too_large = Term::Const(self.greatest, 8).binary(Binary::ULt, rounded.clone());
        let number = is_too_large.choose(opaque(ty), concat(sign.clone(), rounded.bits(0, 7)));
        // A NaN in `.f16` stays a NaN.
        let infinity = digits(Format::F16.infinity());
        let is_nan = infinity.clone().binary(Binary::ULt, rest.clone());
        let infinite = if_infinite.choose(concat(sign, Term::Const(0x7c, 7)), opaque(ty));
        let rest = rest.equals(infinity).choose(infinite, number);
        is_nan.choose(Term::Const(0x7f, 8), rest)
    }
}

fn concat(high: Term, low: Term) -> Term {
    Term::Concat(Box::new(high), Box::new(low))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::expr::{ExprArena, Unary};
    use std::cmp::Ordering;

    /// The value of a number of eight bits.
    fn value(kind: TypeKind, bits: u128) -> f64 {
        let (digits, bias) = if kind == TypeKind::E4m3 { (3, 7) } else { (2, 15) };
        let rest = bits & 0x7f;
        let (exponent, fraction) = ((rest >> digits) as i32, (rest % (1 << digits)) as f64);
        let scale = f64::from(1 << digits);
        let number = match (kind, rest) {
            (TypeKind::E4m3, 0x7f) | (TypeKind::E5m2, 0x7d..) => return f64::NAN,
            (TypeKind::E5m2, 0x7c) => f64::INFINITY,
            _ if exponent == 0 => fraction / scale * 2_f64.powi(1 - bias),
            _ => (1.0 + fraction / scale) * 2_f64.powi(exponent - bias),
        };
        if bits & 0x80 == 0 { number } else { -number }
    }

    /// The bits of the nearest number, of two the even one; `None` where it is too large.
    fn nearest(kind: TypeKind, number: f64) -> Option<u128> {
        let sign = if number.is_sign_negative() { 0x80 } else { 0 };
        if number.is_nan() {
            return Some(0x7f);
        }
        if number.is_infinite() {
            return Some(sign | 0x7c);
        }
        let (greatest, beyond) =
            if kind == TypeKind::E4m3 { (0x7e, 480.0) } else { (0x7b, 65536.0) };
        let finite = (0..=greatest).map(|bits| (bits, value(kind, bits)));
        let all = finite.chain([(greatest + 1, beyond)]);
        let away = |of: f64| (of - number.abs()).abs();
        let (bits, _) = all.min_by(|(a, x), (b, y)| {
            let even = (a % 2).cmp(&(b % 2));
            away(*x).partial_cmp(&away(*y)).unwrap_or(Ordering::Equal).then(even)
        })?;
        (bits <= greatest).then_some(sign | bits)
    }

    fn expected(op: FloatOp, kind: TypeKind, a: u128, b: u128) -> Option<u128> {
        let (x, y) = (value(kind, a), value(kind, b));
        let order = x.total_cmp(&y);
        match op {
            FloatOp::Add => nearest(kind, x + y),
            _ if x.is_nan() && y.is_nan() => Some(0x7f),
            _ if x.is_nan() => Some(b),
            _ if y.is_nan() => Some(a),
            FloatOp::Min => Some(if order == Ordering::Less { a } else { b }),
            FloatOp::Max => Some(if order == Ordering::Less { b } else { a }),
        }
    }

    /// The value of a term of constants; `None` where it is not determined.
    fn constant(exprs: &mut ExprArena, term: &Term) -> Option<u128> {
        let mut at = |term: &Term| {
            let width = width(term);
            constant(exprs, term).map(|value| exprs.number(value, width))
        };
        let computed = match term {
            Term::Const(value, _) => return Some(*value),
            Term::Unary(Unary::Not, a) => {
                let a = at(a)?;
                exprs.not(a)
            }
            Term::Binary(op, a, b) => {
                let (a, b) = (at(a)?, at(b)?);
                exprs.binary(*op, a, b)
            }
            Term::Ite(c, a, b) => {
                let chosen = if constant(exprs, c)? == 1 { a } else { b };
                return constant(exprs, chosen);
            }
            Term::Extract(a, low, width) => {
                let a = at(a)?;
                exprs.extract(a, *low, *width)
            }
            Term::Concat(a, b) => {
                let (a, b) = (at(a)?, at(b)?);
                exprs.concat(a, b)
            }
            Term::Resize(a, ..) => return constant(exprs, a),
            _ => return None,
        };
        exprs.constant(computed)
    }

    fn width(term: &Term) -> u32 {
        match term {
            Term::Const(_, width) | Term::Extract(_, _, width) | Term::Resize(_, width, _) => {
                *width
            }
            Term::Binary(Binary::ULt | Binary::Eq, ..) => 1,
            Term::Binary(_, a, _) | Term::Ite(_, a, _) | Term::Unary(_, a) => width(a),
            Term::Concat(a, b) => width(a) + width(b),
            _ => 8,
        }
    }

    #[test]
    fn all_pairs_give_the_nearest_number() {
        for kind in [TypeKind::E4m3, TypeKind::E5m2] {
            for op in [FloatOp::Add, FloatOp::Min, FloatOp::Max] {
                let mut exprs = ExprArena::default();
                for (a, b) in (0..=255).flat_map(|a| (0..=255).map(move |b| (a, b))) {
                    let [x, y] = [a, b].map(|bits| Term::Const(bits, 8));
                    let found = narrow_result(op, Type::new(kind, 8), &x, &y).expect("a function");
                    let found = constant(&mut exprs, &found);
                    assert_eq!(found, expected(op, kind, a, b), "{op:?} {kind:?} {a:#x} {b:#x}");
                }
            }
        }
    }
}
