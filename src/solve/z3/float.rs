//! Floating-point sums, minima and maxima as circuits on bits.
//!
//! The solver for finite domains has no floating-point theory. Z3's has neither bits of NaNs nor
//! flushed subnormals, and leaves open which zero is the lesser. These circuits compute the bits
//! that [`program::float`](crate::program::float) computes, for unknown operands too; a test
//! compares the two.

use super::terms::number;
use crate::program::float::{FloatOp, Format, Function};
use crate::ptx::floating::{Nans, Range, Rounding, Signs, Subnormals};
use z3::ast::{BV, Bool};

/// The bits of a function of the numbers that two bit patterns stand for.
pub(super) fn apply(function: Function, a: &BV, b: &BV) -> BV {
    let circuit = Circuit { function };
    let (a, b) = (circuit.flush(a), circuit.flush(b));
    let result = match function.op {
        FloatOp::Add => circuit.sum(&a, &b),
        FloatOp::Min | FloatOp::Max => circuit.extreme(&a, &b),
    };
    let result = circuit.is_nan(&result).ite(&circuit.nan(), &circuit.flush(&result));
    match function.mode.range {
        Range::Whole => result,
        Range::Unit => circuit.saturated(&result),
    }
}

/// A function of two numbers, to be computed on bits.
struct Circuit {
    function: Function,
}

impl Circuit {
    fn format(&self) -> Format {
        self.function.format
    }

    /// The number of bits of a number.
    fn width(&self) -> u32 {
        self.format().sizes().0
    }

    /// The number of bits of the fraction.
    fn digits(&self) -> u32 {
        self.format().sizes().1
    }

    /// The number of bits of the exponent.
    fn exponents(&self) -> u32 {
        self.width() - 1 - self.digits()
    }

    fn constant(&self, bits: u128) -> BV {
        number(bits, self.width())
    }

    fn nan(&self) -> BV {
        self.constant(self.format().nan())
    }

    fn infinity(&self) -> BV {
        self.constant(self.format().infinity())
    }

    fn sign(&self, bits: &BV) -> BV {
        bits.bvand(self.constant(self.format().sign()))
    }

    fn magnitude(&self, bits: &BV) -> BV {
        bits.bvand(self.nan())
    }

    fn is_nan(&self, bits: &BV) -> Bool {
        self.magnitude(bits).bvugt(self.infinity())
    }

    fn is_infinite(&self, bits: &BV) -> Bool {
        self.magnitude(bits).eq(self.infinity())
    }

    fn is_negative(&self, bits: &BV) -> Bool {
        bit(bits, self.width() - 1)
    }

    fn exponent(&self, bits: &BV) -> BV {
        bits.extract(self.width() - 2, self.digits())
    }

    fn flush(&self, bits: &BV) -> BV {
        match self.function.mode.subnormals {
            Subnormals::Kept => bits.clone(),
            Subnormals::Flushed => is_zero(&self.exponent(bits)).ite(&self.sign(bits), bits),
        }
    }

    /// Clamps to the range from 0 to 1; 0 for a NaN.
    fn saturated(&self, bits: &BV) -> BV {
        let one = self.constant(self.format().one());
        let below = Bool::or(&[self.is_nan(bits), self.is_negative(bits)]);
        let capped = bits.bvult(&one).ite(bits, &one);
        below.ite(&self.constant(0), &capped)
    }

    /// Whether one number is less than another, neither of them a NaN.
    fn is_less(&self, a: &BV, b: &BV) -> Bool {
        let negative = self.is_negative(a);
        let less = negative.ite(&self.magnitude(b).bvult(self.magnitude(a)), &a.bvult(b));
        negative.eq(self.is_negative(b)).ite(&less, &negative)
    }

    /// The lesser or the greater of two.
    fn extreme(&self, a: &BV, b: &BV) -> BV {
        let Function { op, mode, .. } = self.function;
        let signed = mode.signs == Signs::Count;
        let [x, y] = [a, b].map(|bits| if signed { bits.clone() } else { self.magnitude(bits) });
        let (no_x, no_y) = (self.is_nan(&x), self.is_nan(&y));
        let takes_x = self.is_less(&x, &y).eq(Bool::from_bool(op == FloatOp::Min));
        let chosen = no_x.ite(&y, &no_y.ite(&x, &takes_x.ite(&x, &y)));
        let chosen = match mode.signs {
            Signs::Combine => chosen.bvor(self.sign(&a.bvxor(b))),
            Signs::Count | Signs::Drop => chosen,
        };
        let none = match mode.nans {
            Nans::Win => Bool::or(&[no_x, no_y]),
            Nans::Lose => Bool::and(&[no_x, no_y]),
        };
        none.ite(&self.nan(), &chosen)
    }

    fn sum(&self, a: &BV, b: &BV) -> BV {
        let infinite = [self.is_infinite(a), self.is_infinite(b)];
        let opposite = self.is_negative(a).xor(self.is_negative(b));
        let indefinite = Bool::and(&[&infinite[0], &infinite[1], &opposite]);
        let none = Bool::or(&[self.is_nan(a), self.is_nan(b), indefinite]);
        let finite = self.finite_sum(a, b);
        let number = infinite[0].ite(a, &infinite[1].ite(b, &finite));
        none.ite(&self.nan(), &number)
    }

    /// The sum of two finite numbers. The lesser is shifted to the exponent of the greater, and the
    /// sum or difference back to normal form; the bits below the fraction decide the rounding. Two
    /// such bits and a sticky bit are enough, since a difference moves by more than one place only
    /// if no bit was shifted out.
    fn finite_sum(&self, a: &BV, b: &BV) -> BV {
        let swapped = self.magnitude(a).bvult(self.magnitude(b));
        let (great, less) = (swapped.ite(b, a), swapped.ite(a, b));
        let opposite = self.is_negative(a).xor(self.is_negative(b));
        let exponent = self.place(&great);
        let less_digits = self.shifted_out(&less, &exponent.bvsub(self.place(&less)));
        let great_digits = self.extended(&great);
        let digits =
            opposite.ite(&great_digits.bvsub(&less_digits), &great_digits.bvadd(&less_digits));
        let negative = self.is_negative(&great);
        let rounded = self.rounded(&self.normalized(&digits, &exponent), &negative);
        let signed = rounded.bvor(self.sign(&great));
        let down = self.function.mode.rounding == Rounding::Down;
        let no_sum = self.constant(if down { self.format().sign() } else { 0 });
        let vanishes = Bool::and(&[opposite, is_zero(&digits)]);
        vanishes.ite(&no_sum, &signed)
    }

    /// The effective exponent: subnormal numbers have that of the least normal ones.
    fn place(&self, bits: &BV) -> BV {
        let exponent = self.exponent(bits);
        is_zero(&exponent).ite(&number(1, self.exponents()), &exponent)
    }

    /// The fraction with the leading one, a carry bit above and three bits below.
    fn extended(&self, bits: &BV) -> BV {
        let first = is_zero(&self.exponent(bits)).ite(&number(0, 2), &number(1, 2));
        first.concat(bits.extract(self.digits() - 1, 0)).concat(number(0, 3))
    }

    /// An extended fraction shifted down; the last bit is sticky.
    fn shifted_out(&self, bits: &BV, places: &BV) -> BV {
        let digits = self.extended(bits);
        let places = places.zero_ext(digits.get_size() - self.exponents());
        let shifted = digits.bvlshr(&places);
        let exact = shifted.bvshl(&places).eq(&digits);
        exact.ite(&shifted, &shifted.bvor(number(1, digits.get_size())))
    }

    /// Moves the first digit of an extended fraction to the place before the point, as far as
    /// exponents reach.
    fn normalized(&self, digits: &BV, exponent: &BV) -> (BV, BV) {
        let top = digits.get_size() - 1;
        let carried = digits.bvlshr(number(1, top + 1)).bvor(bit_alone(digits, 0));
        let mut low = (digits.clone(), exponent.clone());
        let steps = (0..u32::BITS).map(|bit| 1 << bit).take_while(|&step: &u32| step < top);
        for step in steps.collect::<Vec<u32>>().into_iter().rev() {
            let (digits, exponent) = low;
            let places = number(u128::from(step), self.exponents());
            let empty = is_zero(&digits.extract(top - 1, top - step));
            let moves = Bool::and(&[empty, exponent.bvugt(&places)]);
            let higher = digits.bvshl(number(u128::from(step), top + 1));
            low = (moves.ite(&higher, &digits), moves.ite(&exponent.bvsub(&places), &exponent));
        }
        let carry = bit(digits, top);
        let above = exponent.bvadd(number(1, self.exponents()));
        (carry.ite(&carried, &low.0), carry.ite(&above, &low.1))
    }

    /// The rounded magnitude of a normalized fraction with this exponent.
    fn rounded(&self, (digits, exponent): &(BV, BV), negative: &Bool) -> BV {
        let no_exponent = number(0, self.exponents());
        let subnormal = bit(digits, self.digits() + 3).not();
        let field = subnormal.ite(&no_exponent, exponent);
        let truncated = field.concat(digits.extract(self.digits() + 2, 3)).zero_ext(1);
        let inexact = is_zero(&digits.extract(2, 0)).not();
        let rounding = self.function.mode.rounding;
        let away = match rounding {
            Rounding::Nearest => {
                let above_half = is_zero(&digits.extract(1, 0)).not();
                let odd = bit(digits, 3);
                Bool::and(&[bit(digits, 2), Bool::or(&[above_half, odd])])
            }
            Rounding::Zero => Bool::from_bool(false),
            Rounding::Down => Bool::and(&[&inexact, negative]),
            Rounding::Up => Bool::and(&[inexact, negative.not()]),
        };
        // A carry propagates into the exponent, to the least normal number or to infinity.
        let next = truncated.bvadd(self.constant(1));
        let in_range = away.ite(&next, &truncated);
        let to_infinity = match rounding {
            Rounding::Nearest => Bool::from_bool(true),
            Rounding::Zero => Bool::from_bool(false),
            Rounding::Down => negative.clone(),
            Rounding::Up => negative.not(),
        };
        let most = self.constant(self.format().infinity() - 1);
        let too_large = exponent.eq(no_exponent.bvnot());
        too_large.ite(&to_infinity.ite(&self.infinity(), &most), &in_range)
    }
}

fn is_zero(bits: &BV) -> Bool {
    bits.eq(number(0, bits.get_size()))
}

fn bit(bits: &BV, at: u32) -> Bool {
    bits.extract(at, at).eq(number(1, 1))
}

/// One of the bits at its place, the others cleared.
fn bit_alone(bits: &BV, at: u32) -> BV {
    bits.bvand(number(1 << at, bits.get_size()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::float;
    use crate::ptx::floating::FloatMode;
    use proptest::prelude::*;
    use proptest::sample::select;
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    use z3::ast::Ast;
    use z3::{Config, SatResult, Solver};

    /// Operand pairs of each function.
    const PAIRS: usize = 200;

    fn functions() -> Vec<Function> {
        let mut out = Vec::new();
        for format in [Format::F16, Format::Bf16, Format::F32, Format::F64] {
            for rest in ["", "ftz", "sat", "ftz.sat"] {
                for rounding in ["rn", "rz", "rm", "rp"] {
                    let mode = FloatMode::new(rounding.split('.').chain(rest.split('.')));
                    out.push(Function { op: FloatOp::Add, format, mode });
                }
            }
            for op in [FloatOp::Min, FloatOp::Max] {
                for words in ["", "NaN", "xorsign.abs", "NaN.xorsign.abs", "abs"] {
                    for rest in ["", "ftz"] {
                        let mode = FloatMode::new(words.split('.').chain(rest.split('.')));
                        out.push(Function { op, format, mode });
                    }
                }
            }
        }
        out
    }

    /// Bits of any number, half of them near a limit of the format. Limits are zero, subnormal and
    /// normal numbers, powers of two, the greatest number, infinity and NaNs.
    fn operand(format: Format) -> impl Strategy<Value = u128> {
        let (width, digits) = format.sizes();
        let all = (1 << width) - 1;
        let edges = vec![
            0,
            1 << digits,
            format.one(),
            format.infinity(),
            format.nan(),
            format.infinity() | 1 << (digits - 1),
        ];
        let near =
            (select(edges), -3_i128..=3, any::<bool>()).prop_map(move |(edge, off, minus)| {
                let bits = edge.wrapping_add_signed(off) & format.nan();
                if minus { bits | format.sign() } else { bits }
            });
        let power = (any::<u128>(), 0..4_u128)
            .prop_map(move |(bits, low)| (bits & (format.infinity() | format.sign())) | low);
        prop_oneof![any::<u128>().prop_map(move |bits| bits & all), near, power]
    }

    /// Two operands, often so close to each other in size that digits of both count.
    fn operands(format: Format) -> impl Strategy<Value = (u128, u128)> {
        let (width, digits) = format.sizes();
        let all = (1 << width) - 1;
        let close = (operand(format), -3 - i128::from(digits)..=i128::from(digits) + 3);
        let close = (close, any::<u128>(), 0..=digits).prop_map(move |((a, places), b, zeros)| {
            let exponent = (a & format.infinity()).wrapping_add_signed(places << digits);
            let low = b & ((1 << digits) - 1) & (all << zeros);
            (a, (exponent & format.infinity()) | low | (b & format.sign()))
        });
        prop_oneof![(operand(format), operand(format)), close]
    }

    fn pairs(format: Format) -> Vec<(u128, u128)> {
        let mut runner = TestRunner::deterministic();
        let operands = operands(format);
        (0..PAIRS).map(|_| operands.new_tree(&mut runner).unwrap().current()).collect()
    }

    #[test]
    fn circuits_compute_what_is_computed_on_constants() {
        z3::with_z3_config(&Config::new(), || {
            for function in functions() {
                let width = function.format.sizes().0;
                for (a, b) in pairs(function.format) {
                    let circuit = apply(function, &number(a, width), &number(b, width));
                    let found = circuit.simplify().as_u64().map(u128::from);
                    assert_eq!(
                        found,
                        Some(float::apply(function, a, b)),
                        "{function:?} {a:#x} {b:#x}"
                    );
                }
            }
        });
    }

    /// The solver finds the results of operands that it is given one after the other, and no others.
    #[test]
    fn the_solver_finds_the_same_results() {
        z3::with_z3_config(&Config::new(), || {
            let words = ["", "rz.ftz", "rm.sat", "rp"];
            for format in [Format::F16, Format::Bf16, Format::F32, Format::F64] {
                for (words, op) in words
                    .into_iter()
                    .flat_map(|words| [FloatOp::Add, FloatOp::Max].map(|op| (words, op)))
                {
                    let function = Function { op, format, mode: FloatMode::new(words.split('.')) };
                    let width = format.sizes().0;
                    let [a, b] = ["a", "b"].map(|name| BV::new_const(name, width));
                    let solver = Solver::new_for_logic("QF_FD").unwrap();
                    let result = BV::new_const("result", width);
                    solver.assert(result.eq(apply(function, &a, &b)));
                    for (x, y) in pairs(format).into_iter().take(20) {
                        let given = [a.eq(number(x, width)), b.eq(number(y, width))];
                        let right = result.eq(number(float::apply(function, x, y), width));
                        for (claim, answer) in
                            [(right.clone(), SatResult::Sat), (right.not(), SatResult::Unsat)]
                        {
                            let asked = [&given[0], &given[1], &claim].map(Clone::clone);
                            assert_eq!(
                                solver.check_assumptions(&asked),
                                answer,
                                "{function:?} {x:#x} {y:#x}"
                            );
                        }
                    }
                }
            }
        });
    }
}
