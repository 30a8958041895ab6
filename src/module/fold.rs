//! Register expressions to numbers, as far as the registers are known.

use crate::program::expr::{Binary, apply};
use crate::program::term::{Extension, Term};
use crate::program::unary::apply_unary;
use crate::ptx::bits::{mask, signed};

/// The known register values of a thread; `None` for an unknown value.
pub(super) type Registers = Vec<Option<u128>>;

/// The value of an expression, unless it depends on unknown registers.
pub(super) fn value(term: &Term, registers: &Registers, widths: &[u32]) -> Option<u128> {
    Folder { registers, widths }.value(term).0
}

struct Folder<'r> {
    registers: &'r Registers,
    widths: &'r [u32],
}

impl Folder<'_> {
    /// The value of a term, and its width in bits.
    fn value(&self, term: &Term) -> (Option<u128>, u32) {
        match term {
            Term::Const(bits, width) => (Some(bits & mask(*width)), *width),
            Term::Register(r) => (self.registers[*r], self.widths[*r]),
            Term::Old(width)
            | Term::Free(_, width)
            | Term::Clock(_, width)
            | Term::Fixed(_, width) => (None, *width),
            Term::Patience => (None, 1),
            Term::Unary(op, a) => {
                let (a, width) = self.value(a);
                (a.map(|a| apply_unary(*op, a, width)), width)
            }
            Term::Binary(op, a, b) => self.binary(*op, a, b),
            Term::Ite(c, t, e) => {
                let ((t, width), (e, _)) = (self.value(t), self.value(e));
                let chosen = match self.value(c).0 {
                    Some(0) => e,
                    Some(_) => t,
                    None => t.filter(|_| t == e),
                };
                (chosen, width)
            }
            Term::Extract(a, low, width) => {
                (self.value(a).0.map(|a| (a >> low) & mask(*width)), *width)
            }
            Term::Concat(high, low) => {
                let ((high, upper), (low, lower)) = (self.value(high), self.value(low));
                let joined = high.zip(low).map(|(high, low)| high << lower | low);
                (joined, upper + lower)
            }
            Term::Resize(a, width, extension) => {
                let (a, from) = self.value(a);
                let resized = a.map(|a| match extension {
                    Extension::Sign if *width > from => signed(a, from) as u128 & mask(*width),
                    _ => a & mask(*width),
                });
                (resized, *width)
            }
        }
    }

    fn binary(&self, op: Binary, a: &Term, b: &Term) -> (Option<u128>, u32) {
        let ((a, width), (b, _)) = (self.value(a), self.value(b));
        let out = if op.is_comparison() { 1 } else { width };
        let value = match (op, a, b) {
            // The result of a division by zero is unspecified.
            (Binary::UDiv | Binary::SDiv | Binary::URem | Binary::SRem, _, Some(0)) => None,
            (_, Some(a), Some(b)) => Some(apply(op, a, b, width)),
            (Binary::And | Binary::Mul, Some(0), None)
            | (Binary::And | Binary::Mul, None, Some(0)) => Some(0),
            (Binary::Or, Some(all), None) | (Binary::Or, None, Some(all)) if all == mask(width) => {
                Some(all)
            }
            _ => None,
        };
        (value, out)
    }
}
