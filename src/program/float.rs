//! Floating-point sums, minima and maxima on bits, as PTX computes them (PTX-9.7.3, PTX-9.7.4).
//!
//! A NaN result is the canonical one; -0 is less than +0. A [`FloatMode`] selects the rest.

use crate::ptx::floating::{FloatMode, Nans, Range, Rounding, Signs, Subnormals};
use rustc_apfloat::ieee::{BFloat, Double, Half, Single};
use rustc_apfloat::{Float, Round};

/// A floating-point format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// IEEE binary16.
    F16,
    /// The upper half of binary32.
    Bf16,
    /// IEEE binary32.
    F32,
    /// IEEE binary64.
    F64,
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of the instructions")]
pub enum FloatOp {
    Add,
    Min,
    Max,
}

/// A function of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the types say what the fields are")]
pub struct Function {
    pub op: FloatOp,
    pub format: Format,
    pub mode: FloatMode,
}

impl Format {
    /// The number of bits, and the number of fraction bits.
    pub(crate) fn sizes(self) -> (u32, u32) {
        match self {
            Self::F16 => (16, 10),
            Self::Bf16 => (16, 7),
            Self::F32 => (32, 23),
            Self::F64 => (64, 52),
        }
    }

    pub(crate) fn sign(self) -> u128 {
        1 << (self.sizes().0 - 1)
    }

    /// The canonical NaN, which results for all operands.
    pub(crate) fn nan(self) -> u128 {
        self.sign() - 1
    }

    /// The bits of the exponent, which are those of infinity.
    pub(crate) fn infinity(self) -> u128 {
        let digits = self.sizes().1;
        self.nan() >> digits << digits
    }

    /// The bits of 1.
    pub(crate) fn one(self) -> u128 {
        let digits = self.sizes().1;
        (self.infinity() >> 1 >> digits) << digits
    }

    fn magnitude(self, bits: u128) -> u128 {
        bits & self.nan()
    }

    fn is_nan(self, bits: u128) -> bool {
        self.magnitude(bits) > self.infinity()
    }

    fn is_negative(self, bits: u128) -> bool {
        bits & self.sign() != 0
    }

    fn flush(self, bits: u128, mode: FloatMode) -> u128 {
        let subnormal = self.magnitude(bits) >> self.sizes().1 == 0;
        let flushes = mode.subnormals == Subnormals::Flushed && subnormal;
        if flushes { bits & self.sign() } else { bits }
    }

    /// Whether one number is less than another, neither of them a NaN.
    fn is_less(self, a: u128, b: u128) -> bool {
        match (self.is_negative(a), self.is_negative(b)) {
            (true, true) => self.magnitude(b) < self.magnitude(a),
            (false, false) => a < b,
            (negative, _) => negative,
        }
    }

    fn sum(self, a: u128, b: u128, rounding: Rounding) -> u128 {
        fn add<F: Float>(a: u128, b: u128, round: Round) -> u128 {
            F::from_bits(a).add_r(F::from_bits(b), round).value.to_bits()
        }
        let round = match rounding {
            Rounding::Nearest => Round::NearestTiesToEven,
            Rounding::Zero => Round::TowardZero,
            Rounding::Down => Round::TowardNegative,
            Rounding::Up => Round::TowardPositive,
        };
        match self {
            Self::F16 => add::<Half>(a, b, round),
            Self::Bf16 => add::<BFloat>(a, b, round),
            Self::F32 => add::<Single>(a, b, round),
            Self::F64 => add::<Double>(a, b, round),
        }
    }
}

/// The bits of a function of the numbers that two bit patterns stand for.
#[must_use]
pub fn apply(function: Function, a: u128, b: u128) -> u128 {
    let Function { op, format, mode } = function;
    let (a, b) = (format.flush(a, mode), format.flush(b, mode));
    let result = match op {
        FloatOp::Add => format.sum(a, b, mode.rounding),
        FloatOp::Min | FloatOp::Max => extreme(function, a, b),
    };
    let result = if format.is_nan(result) { format.nan() } else { format.flush(result, mode) };
    match mode.range {
        Range::Whole => result,
        Range::Unit if format.is_nan(result) || format.is_negative(result) => 0,
        Range::Unit => result.min(format.one()),
    }
}

/// The lesser or the greater of two numbers.
fn extreme(function: Function, a: u128, b: u128) -> u128 {
    let Function { op, format, mode } = function;
    let signed = mode.signs == Signs::Count;
    let [x, y] = [a, b].map(|bits| if signed { bits } else { format.magnitude(bits) });
    let chosen = match (format.is_nan(x), format.is_nan(y)) {
        (true, true) => return format.nan(),
        (true, false) | (false, true) if mode.nans == Nans::Win => return format.nan(),
        (true, false) => y,
        (false, true) => x,
        (false, false) if format.is_less(x, y) == (op == FloatOp::Min) => x,
        (false, false) => y,
    };
    match mode.signs {
        Signs::Combine => chosen | ((a ^ b) & format.sign()),
        Signs::Count | Signs::Drop => chosen,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An instruction, written as in PTX with its type first, on two bit patterns.
    fn compute(words: &str, a: u128, b: u128) -> u128 {
        let mut words = words.split('.');
        let format = match words.next().unwrap() {
            "f16" => Format::F16,
            "bf16" => Format::Bf16,
            "f32" => Format::F32,
            _ => Format::F64,
        };
        let op = match words.next().unwrap() {
            "add" => FloatOp::Add,
            "min" => FloatOp::Min,
            _ => FloatOp::Max,
        };
        apply(Function { op, format, mode: FloatMode::new(words) }, a, b)
    }

    #[test]
    fn sums_are_rounded_to_nearest_even() {
        // 1 + 2^-11 lies between two halves; 2048 + 1 too.
        assert_eq!(compute("f16.add", 0x3C00, 0x1000), 0x3C00);
        assert_eq!(compute("f16.add", 0x3C01, 0x1000), 0x3C02);
        assert_eq!(compute("bf16.add", 0x3F80, 0x3B80), 0x3F80);
        let (one, two, three) = (1_f64.to_bits(), 2_f64.to_bits(), 3_f64.to_bits());
        assert_eq!(compute("f64.add", one.into(), two.into()), three.into());
    }

    /// 1 + 2^-25 lies above 1, by a quarter of the distance to the next number.
    #[test]
    fn sums_are_rounded_as_they_ask_for() {
        let (one, above, tiny) = (0x3F80_0000, 0x3F80_0001, 0x3300_0000);
        let sums = ["f32.add", "f32.add.rz", "f32.add.rm", "f32.add.rp"];
        assert_eq!(sums.map(|sum| compute(sum, one, tiny)), [one, one, one, above]);
        let (minus, below, minus_tiny) = (0xBF80_0000, 0xBF80_0001, 0xB300_0000);
        assert_eq!(sums.map(|sum| compute(sum, minus, minus_tiny)), [minus, minus, below, minus]);
        // The greatest number and as much again: infinity, or the greatest number.
        let (most, infinity) = (0x7F7F_FFFF, 0x7F80_0000);
        assert_eq!(sums.map(|sum| compute(sum, most, most)), [infinity, most, most, infinity]);
        // 1 - 1 is -0 only when rounded down.
        assert_eq!(sums.map(|sum| compute(sum, one, minus)), [0, 0, 0x8000_0000, 0]);
        let (one, tiny) = (0x3FF0_0000_0000_0000, 1);
        assert_eq!(compute("f64.add.rp", one, tiny), one + 1);
        assert_eq!(compute("f64.add.rz", one, tiny), one);
    }

    #[test]
    fn subnormals_are_flushed_where_the_instruction_says_so() {
        assert_eq!(compute("f32.add", 1, 1), 2);
        assert_eq!(compute("f32.add.ftz", 1, 1), 0);
        assert_eq!(compute("f32.add.ftz", 0x8000_0001, 0x8000_0000), 0x8000_0000);
        assert_eq!(compute("f16.add", 1, 1), 2);
        assert_eq!(compute("f16.add.ftz", 0x3C00, 0x03FF), 0x3C00);
        // Two normal numbers whose difference is subnormal: 1.5 - 1 times the least normal one.
        assert_eq!(compute("f32.add", 0x00C0_0000, 0x8080_0000), 0x0040_0000);
        assert_eq!(compute("f32.add.ftz", 0x00C0_0000, 0x8080_0000), 0);
        assert_eq!(compute("f32.min", 1, 2), 1);
        assert_eq!(compute("f32.max.ftz", 1, 0x8000_0002), 0);
        assert_eq!(compute("f32.min.ftz", 1, 0x8000_0002), 0x8000_0000);
    }

    #[test]
    fn sums_saturate() {
        let (half, one, two, minus) = (0x3F00_0000, 0x3F80_0000, 0x4000_0000, 0xBF80_0000);
        assert_eq!(compute("f32.add.sat", half, half), one);
        assert_eq!(compute("f32.add.sat", half, 0), half);
        assert_eq!(compute("f32.add.sat", one, two), one);
        assert_eq!(compute("f32.add.sat", minus, half), 0);
        assert_eq!(compute("f32.add.sat", 0x7F80_0000, 0xFF80_0000), 0);
        assert_eq!(compute("f16.add.sat", 0x4000, 0x4000), 0x3C00);
    }

    #[test]
    fn numbers_win_over_nans_and_zeros_have_signs() {
        let (one, nan) = (0x3F80_0000, 0x7FC0_0001);
        assert_eq!(compute("f32.min", one, nan), one);
        assert_eq!(compute("f32.max", nan, one), one);
        assert_eq!(compute("f32.max", nan, nan), 0x7FFF_FFFF);
        assert_eq!(compute("f32.min", 0, 0x8000_0000), 0x8000_0000);
        assert_eq!(compute("f32.max", 0x8000_0000, 0), 0);
        assert_eq!(compute("f16.add", 0x7C00, 0xFC00), 0x7FFF);
        assert_eq!(compute("f32.min", 0xBF80_0000, 0xC000_0000), 0xC000_0000);
        assert_eq!(compute("bf16.max", 0xFF80, 0xC000), 0xC000);
    }

    #[test]
    fn nans_win_where_the_instruction_says_so() {
        let (one, nan) = (0x3F80_0000, 0xFFC0_0001);
        assert_eq!(compute("f32.min.NaN", one, nan), 0x7FFF_FFFF);
        assert_eq!(compute("f32.max.NaN", nan, one), 0x7FFF_FFFF);
        assert_eq!(compute("f32.max.NaN", one, one), one);
        assert_eq!(compute("bf16.min.NaN", 0x3F80, 0x7F81), 0x7FFF);
    }

    #[test]
    fn signs_are_combined_where_the_instruction_says_so() {
        let (one, minus_two, two) = (0x3F80_0000, 0xC000_0000, 0x4000_0000);
        assert_eq!(compute("f32.min.xorsign.abs", one, minus_two), 0xBF80_0000);
        assert_eq!(compute("f32.max.xorsign.abs", one, minus_two), 0xC000_0000);
        assert_eq!(compute("f32.max.xorsign.abs", minus_two, 0xBF80_0000), two);
        assert_eq!(compute("f32.min.abs", one, minus_two), one);
        assert_eq!(compute("f32.max.abs", one, minus_two), two);
        assert_eq!(compute("f32.max.abs", 0xFFC0_0000, minus_two), two);
        // The sign of a NaN counts, too; a NaN that results has none.
        assert_eq!(compute("f32.max.xorsign.abs", 0xFFC0_0000, one), 0xBF80_0000);
        assert_eq!(compute("f32.max.NaN.xorsign.abs", 0xFFC0_0000, one), 0x7FFF_FFFF);
    }
}
