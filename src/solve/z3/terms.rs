//! Translation of formulas and expressions to Z3 terms.

use super::float;
use crate::encode::Encoding;
use crate::encode::formula::{Formula, Shape};
use crate::id::ExprId;
use crate::program::expr::{Binary, Expr, Unary};
use rustc_hash::FxHashMap;
use z3::ast::{BV, Bool};

/// A translated expression: one bit is a Boolean.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Bool(Bool),
    Bits(BV),
}

/// The translated part of one encoding, which may still grow.
#[derive(Debug)]
pub(super) struct Translation {
    exprs: FxHashMap<ExprId, Term>,
    formulas: FxHashMap<Formula, Bool>,
    clock_width: u32,
}

impl Translation {
    /// An empty translation; no clock may be added to the encoding later.
    pub(super) fn new(encoding: &Encoding<'_>) -> Self {
        let clock_width = u32::BITS - encoding.formulas.clocks().leading_zeros();
        Self {
            exprs: FxHashMap::default(),
            formulas: FxHashMap::default(),
            clock_width: clock_width.max(1),
        }
    }

    /// All expressions that have been translated.
    pub(super) fn exprs(&self) -> impl Iterator<Item = (ExprId, &Term)> {
        self.exprs.iter().map(|(&id, term)| (id, term))
    }

    /// An expression, if it has been translated.
    pub(super) fn known_expr(&self, id: ExprId) -> Option<&Term> {
        self.exprs.get(&id)
    }

    /// A formula, if it has been translated.
    pub(super) fn known_formula(&self, id: Formula) -> Option<&Bool> {
        self.formulas.get(&id)
    }

    /// The translation of a formula. Parts are translated first, without recursion: they may nest
    /// as deep as a program is long.
    pub(super) fn formula(&mut self, encoding: &Encoding<'_>, id: Formula) -> Bool {
        let mut pending = vec![id];
        while let Some(&next) = pending.last() {
            let before = pending.len();
            if !self.formulas.contains_key(&next) {
                let parts = match encoding.formulas.shape(next) {
                    Shape::Not(a) => std::slice::from_ref(a),
                    Shape::And(parts) | Shape::Or(parts) => parts,
                    _ => &[],
                };
                let unknown = parts.iter().filter(|part| !self.formulas.contains_key(part));
                pending.extend(unknown);
            }
            if pending.len() == before {
                pending.pop();
                self.whole_formula(encoding, next);
            }
        }
        self.whole_formula(encoding, id)
    }

    /// A formula whose parts are translated.
    fn whole_formula(&mut self, encoding: &Encoding<'_>, id: Formula) -> Bool {
        if let Some(known) = self.formulas.get(&id) {
            return known.clone();
        }
        let bool = match encoding.formulas.shape(id) {
            Shape::Constant(value) => Bool::from_bool(*value),
            Shape::Variable(n) => Bool::new_const(format!("v{n}")),
            Shape::Truth(expr) => self.truth(encoding, *expr),
            Shape::Before(a, b) => self.clock(a.0).bvult(self.clock(b.0)),
            Shape::Together(a, b) => self.clock(a.0).eq(self.clock(b.0)),
            Shape::Not(a) => self.whole_formula(encoding, *a).not(),
            Shape::And(parts) => Bool::and(
                &parts.iter().map(|&p| self.whole_formula(encoding, p)).collect::<Vec<_>>(),
            ),
            Shape::Or(parts) => Bool::or(
                &parts.iter().map(|&p| self.whole_formula(encoding, p)).collect::<Vec<_>>(),
            ),
        };
        self.formulas.insert(id, bool.clone());
        bool
    }

    fn clock(&self, number: u32) -> BV {
        BV::new_const(format!("clock{number}"), self.clock_width)
    }

    fn truth(&mut self, encoding: &Encoding<'_>, id: ExprId) -> Bool {
        match self.term(encoding, id) {
            Term::Bool(b) => b,
            Term::Bits(bits) => bits.eq(number(0, bits.get_size())).not(),
        }
    }

    fn bits(&mut self, encoding: &Encoding<'_>, id: ExprId) -> BV {
        match self.term(encoding, id) {
            Term::Bits(bits) => bits,
            Term::Bool(b) => b.ite(&number(1, 1), &number(0, 1)),
        }
    }

    /// The translation of an expression, its operands first.
    pub(super) fn term(&mut self, encoding: &Encoding<'_>, id: ExprId) -> Term {
        let exprs = &encoding.exprs;
        let mut pending = vec![id];
        while let Some(&next) = pending.last() {
            let before = pending.len();
            if !self.exprs.contains_key(&next) {
                let operands = exprs.operands(next).into_iter();
                pending.extend(operands.filter(|operand| !self.exprs.contains_key(operand)));
            }
            if pending.len() == before {
                pending.pop();
                self.whole_term(encoding, next);
            }
        }
        self.whole_term(encoding, id)
    }

    /// An expression whose operands are translated.
    fn whole_term(&mut self, encoding: &Encoding<'_>, id: ExprId) -> Term {
        if let Some(known) = self.exprs.get(&id) {
            return known.clone();
        }
        let width = encoding.exprs.width(id);
        let term = match encoding.exprs.get(id) {
            Expr::Const(value) if width == 1 => Term::Bool(Bool::from_bool(value != 0)),
            Expr::Const(value) => Term::Bits(number(value, width)),
            Expr::Read(access) => variable(&format!("read{}", access.index()), width),
            Expr::Mbarrier(access) => variable(&format!("mbarrier{}", access.index()), width),
            Expr::Symbol(symbol) => variable(&format!("symbol{}", symbol.index()), width),
            Expr::Final(loc) => variable(&format!("final{}", loc.index()), width),
            Expr::Barrier(index) => variable(&format!("barrier{}", index.index()), width),
            Expr::Unary(Unary::Not, a) if width == 1 => Term::Bool(self.truth(encoding, a).not()),
            Expr::Unary(Unary::Not, a) => Term::Bits(self.bits(encoding, a).bvnot()),
            Expr::Unary(Unary::Neg, a) => Term::Bits(self.bits(encoding, a).bvneg()),
            Expr::Unary(Unary::PopCount, a) => Term::Bits(ones(self.bits(encoding, a))),
            Expr::Unary(Unary::LeadingZeros, a) => {
                Term::Bits(leading_zeros(self.bits(encoding, a)))
            }
            Expr::Unary(Unary::Reverse, a) => Term::Bits(reversed(&self.bits(encoding, a))),
            Expr::Binary(op, a, b) => self.binary(encoding, op, a, b),
            Expr::Ite(c, t, e) => Term::Bits(
                self.truth(encoding, c).ite(&self.bits(encoding, t), &self.bits(encoding, e)),
            ),
            Expr::Extract(a, low) => {
                let part = self.bits(encoding, a).extract(low + width - 1, low);
                if width == 1 { Term::Bool(part.eq(number(1, 1))) } else { Term::Bits(part) }
            }
            Expr::Concat(a, b) => Term::Bits(self.bits(encoding, a).concat(self.bits(encoding, b))),
            Expr::ZeroExtend(a) => {
                let inner = self.bits(encoding, a);
                let more = width - inner.get_size();
                Term::Bits(inner.zero_ext(more))
            }
            Expr::SignExtend(a) => {
                let inner = self.bits(encoding, a);
                let more = width - inner.get_size();
                Term::Bits(inner.sign_ext(more))
            }
        };
        self.exprs.insert(id, term.clone());
        term
    }

    fn binary(&mut self, encoding: &Encoding<'_>, op: Binary, a: ExprId, b: ExprId) -> Term {
        if encoding.exprs.width(a) == 1 {
            let (x, y) = (self.truth(encoding, a), self.truth(encoding, b));
            return Term::Bool(match op {
                Binary::And | Binary::Mul => Bool::and(&[x, y]),
                Binary::Or => Bool::or(&[x, y]),
                Binary::Add | Binary::Sub | Binary::Xor => x.xor(&y),
                Binary::Eq => x.eq(&y),
                Binary::ULt => Bool::and(&[x.not(), y]),
                Binary::SLt => Bool::and(&[x, y.not()]),
                // Division by zero gives all ones, remainder by zero the dividend.
                Binary::UDiv | Binary::SDiv => Bool::or(&[x, y.not()]),
                Binary::URem | Binary::SRem => Bool::and(&[x, y.not()]),
                // An amount of one is the width.
                Binary::Shl | Binary::LShr => Bool::and(&[x, y.not()]),
                Binary::AShr => x,
                Binary::Float(..) => unreachable!("no floating-point format has one bit"),
            });
        }
        let (x, y) = (self.bits(encoding, a), self.bits(encoding, b));
        match op {
            Binary::Add => Term::Bits(x.bvadd(&y)),
            Binary::Sub => Term::Bits(x.bvsub(&y)),
            Binary::Mul => Term::Bits(x.bvmul(&y)),
            Binary::UDiv => Term::Bits(x.bvudiv(&y)),
            Binary::SDiv => Term::Bits(x.bvsdiv(&y)),
            Binary::URem => Term::Bits(x.bvurem(&y)),
            Binary::SRem => Term::Bits(x.bvsrem(&y)),
            Binary::And => Term::Bits(x.bvand(&y)),
            Binary::Or => Term::Bits(x.bvor(&y)),
            Binary::Xor => Term::Bits(x.bvxor(&y)),
            Binary::Shl => Term::Bits(x.bvshl(&y)),
            Binary::LShr => Term::Bits(x.bvlshr(&y)),
            Binary::AShr => Term::Bits(x.bvashr(&y)),
            Binary::Eq => Term::Bool(x.eq(&y)),
            Binary::ULt => Term::Bool(x.bvult(&y)),
            Binary::SLt => Term::Bool(x.bvslt(&y)),
            Binary::Float(function) => Term::Bits(float::apply(function, &x, &y)),
        }
    }
}

fn variable(name: &str, width: u32) -> Term {
    if width == 1 {
        Term::Bool(Bool::new_const(name))
    } else {
        Term::Bits(BV::new_const(name, width))
    }
}

pub(super) fn number(value: u128, width: u32) -> BV {
    if width <= 64 {
        return BV::from_u64(value as u64, width);
    }
    BV::from_u64((value >> 64) as u64, width - 64).concat(BV::from_u64(value as u64, 64))
}

/// The number of set bits: fields of 1, 2, 4, ... bits are added to their neighbours.
fn ones(mut bits: BV) -> BV {
    let width = bits.get_size();
    let mut field = 1;
    while field < width {
        let lower = (0..width).filter(|bit| bit & field == 0).fold(0, |all, bit| all | 1 << bit);
        let lower = number(lower, width);
        let above = bits.bvlshr(number(u128::from(field), width)).bvand(&lower);
        bits = bits.bvand(&lower).bvadd(&above);
        field *= 2;
    }
    bits
}

/// The number of zero bits above the highest set one: the zeros that remain when all bits below it
/// are set.
fn leading_zeros(mut bits: BV) -> BV {
    let width = bits.get_size();
    let mut distance = 1;
    while distance < width {
        bits = bits.bvor(bits.bvlshr(number(u128::from(distance), width)));
        distance *= 2;
    }
    ones(bits.bvnot())
}

fn reversed(bits: &BV) -> BV {
    let bit = |at| bits.extract(at, at);
    (1..bits.get_size()).fold(bit(0), |above, at| above.concat(bit(at)))
}
