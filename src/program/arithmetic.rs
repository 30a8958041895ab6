//! Integer arithmetic and conversions as expressions (PTX-9.7.1, PTX-9.7.2, PTX-9.7.7, PTX-9.7.9.21).

use super::expr::Binary;
use super::integer::{arithmetic, saturated, shift_amount, with_carry};
use super::lower::Lowering;
use super::term::{Extension, Term, extension};
use crate::litmus::ast::Dialect;
use crate::ptx::operation::{ArithmeticOp, CarryOp};
use crate::ptx::row::Implied;
use crate::ptx::written::Written;

impl Lowering<'_> {
    /// A function of one or two operands, or a product and a sum.
    pub(super) fn arithmetic(&mut self, written: &Written) {
        let op = written.arithmetic().expect("its form has a function");
        let ty = written.words.ty();
        let mut sources = written.sources().map(|(value, ty)| self.value(value, ty));
        let a = sources.next().expect("every function has an operand");
        let b = match op {
            ArithmeticOp::Shl | ArithmeticOp::Shr => {
                sources.next().map(|amount| shift_amount(amount, ty.bits))
            }
            _ => sources.next(),
        };
        let c = sources.next();
        let divisor = b.clone().filter(|divisor| self.may_divide_by_zero(op, divisor));
        let value = arithmetic(op, ty, a, b);
        // The value is unspecified for a zero divisor (PTX-9.7.1.8, PTX-9.7.1.9).
        let value = match divisor {
            Some(divisor) => divisor
                .equals(Term::Const(0, ty.bits))
                .choose(Term::Free("quotient by zero".to_owned(), ty.bits), value),
            None => value,
        };
        let value = match c {
            Some(c) => value.binary(Binary::Add, c),
            None => value,
        };
        self.assign(written.destination(), value, extension(written.result()));
    }

    /// A sum, difference or product with carry-in and carry-out.
    pub(super) fn carry(&mut self, op: CarryOp, written: &Written) {
        let ty = written.words.ty();
        let sources: Vec<Term> =
            written.sources().map(|(value, ty)| self.value(value, ty)).collect();
        let carry = |read: bool| {
            let mut implied = written.implied();
            let found = implied.find(|(_, role)| (*role == Implied::Read) == read);
            found.map(|(register, _)| register)
        };
        let taken = carry(true).map(|c| self.register(&c.value, 1, Extension::Zero));
        let (result, given) = with_carry(op, ty, &sources, taken);
        self.assign_with(written.destination(), result, extension(ty), carry(false), given);
    }

    /// A conversion between integers; of a saturating one, a result out of range is clamped.
    pub(super) fn convert(&mut self, written: &Written) {
        let [to, from] = [0, 1].map(|number| written.words.type_at(number));
        let value = self.value(written.value("a"), from);
        let value = match written.words.has("sat") {
            true => saturated(value, from, to),
            false => value.resize(to.bits, extension(from)),
        };
        self.assign(written.destination(), value, extension(to));
    }

    /// Whether an instruction of PTX may divide by zero; columns define division by zero as solvers
    /// do.
    fn may_divide_by_zero(&self, op: ArithmeticOp, divisor: &Term) -> bool {
        matches!(op, ArithmeticOp::Div | ArithmeticOp::Rem)
            && self.dialect == Dialect::Blocks
            && !matches!(divisor, Term::Const(1.., _))
    }
}
