//! Floating-point sums, minima and maxima on bits, as PTX computes them (PTX-9.7.3, PTX-9.7.4).
//!
//! Sums are rounded to nearest even. A NaN that results is the canonical one. Of a number and a NaN,
//! the number is the minimum and the maximum; -0 is less than +0.

use half::{bf16, f16};

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// IEEE binary16.
    F16,
    /// The upper half of binary32.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary32 with subnormal operands and results flushed to zeros of their signs, as
    /// `atom.add.f32` does in global memory (PTX-9.7.13.5).
    F32Flushed,
    /// IEEE binary64.
    F64,
}

/// A function of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of the instructions")]
pub enum FloatOp {
    Add,
    Min,
    Max,
}

impl Format {
    /// The NaN that results, whatever the operands.
    fn nan(self) -> u128 {
        match self {
            Self::F16 | Self::Bf16 => 0x7FFF,
            Self::F32 | Self::F32Flushed => 0x7FFF_FFFF,
            Self::F64 => 0x7FFF_FFFF_FFFF_FFFF,
        }
    }

    /// The number that some bits stand for; every format has a place in the widest one.
    #[allow(clippy::cast_possible_truncation, reason = "the format says how wide the bits are")]
    fn number(self, bits: u128) -> f64 {
        match self {
            Self::F16 => f16::from_bits(bits as u16).to_f64(),
            Self::Bf16 => bf16::from_bits(bits as u16).to_f64(),
            Self::F32 => f64::from(f32::from_bits(bits as u32)),
            Self::F32Flushed => f64::from(flushed(f32::from_bits(bits as u32))),
            Self::F64 => f64::from_bits(bits as u64),
        }
    }

    /// The sum, rounded once: a sum of 16-bit numbers rounded to 32 bits first has the same
    /// 16-bit neighbours, since 24 digits are at least twice 11 and two more.
    #[allow(clippy::cast_possible_truncation, reason = "the values are exact in 32 bits")]
    fn sum(self, a: f64, b: f64) -> u128 {
        let single = a as f32 + b as f32;
        match self {
            Self::F16 => f16::from_f32(single).to_bits().into(),
            Self::Bf16 => bf16::from_f32(single).to_bits().into(),
            Self::F32 => single.to_bits().into(),
            Self::F32Flushed => flushed(single).to_bits().into(),
            Self::F64 => (a + b).to_bits().into(),
        }
    }
}

fn flushed(number: f32) -> f32 {
    if number.is_subnormal() { 0_f32.copysign(number) } else { number }
}

/// The bits of a function of the numbers that two bit patterns stand for.
#[must_use]
pub fn apply(op: FloatOp, format: Format, a: u128, b: u128) -> u128 {
    let (x, y) = (format.number(a), format.number(b));
    let first_is_less = x < y || (x == y && x.is_sign_negative());
    match op {
        FloatOp::Add if (x + y).is_nan() => format.nan(),
        FloatOp::Add => format.sum(x, y),
        FloatOp::Min | FloatOp::Max if x.is_nan() && y.is_nan() => format.nan(),
        FloatOp::Min | FloatOp::Max if x.is_nan() => b,
        FloatOp::Min | FloatOp::Max if y.is_nan() => a,
        FloatOp::Min => {
            if first_is_less {
                a
            } else {
                b
            }
        }
        FloatOp::Max => {
            if first_is_less {
                b
            } else {
                a
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_rounded_to_nearest_even() {
        // 1 + 2^-11 lies between two halves; 2048 + 1 too.
        assert_eq!(apply(FloatOp::Add, Format::F16, 0x3C00, 0x1000), 0x3C00);
        assert_eq!(apply(FloatOp::Add, Format::F16, 0x3C01, 0x1000), 0x3C02);
        assert_eq!(apply(FloatOp::Add, Format::Bf16, 0x3F80, 0x3B80), 0x3F80);
        assert_eq!(
            apply(FloatOp::Add, Format::F64, 1_f64.to_bits().into(), 2_f64.to_bits().into()),
            3_f64.to_bits().into()
        );
    }

    #[test]
    fn subnormals_are_flushed_where_the_format_says_so() {
        assert_eq!(apply(FloatOp::Add, Format::F32, 1, 1), 2);
        assert_eq!(apply(FloatOp::Add, Format::F32Flushed, 1, 1), 0);
        assert_eq!(apply(FloatOp::Add, Format::F32Flushed, 0x8000_0001, 0x8000_0000), 0x8000_0000);
        assert_eq!(apply(FloatOp::Add, Format::F16, 1, 1), 2);
    }

    #[test]
    fn numbers_win_over_nans_and_zeros_have_signs() {
        let (one, nan) = (0x3F80_0000, 0x7FC0_0001);
        assert_eq!(apply(FloatOp::Min, Format::F32, one, nan), one);
        assert_eq!(apply(FloatOp::Max, Format::F32, nan, one), one);
        assert_eq!(apply(FloatOp::Max, Format::F32, nan, nan), 0x7FFF_FFFF);
        assert_eq!(apply(FloatOp::Min, Format::F32, 0, 0x8000_0000), 0x8000_0000);
        assert_eq!(apply(FloatOp::Max, Format::F32, 0x8000_0000, 0), 0);
        assert_eq!(apply(FloatOp::Add, Format::F16, 0x7C00, 0xFC00), 0x7FFF);
    }
}
