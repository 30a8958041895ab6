//! Integer and bit instructions as expressions (PTX-9.7.1, PTX-9.7.2, PTX-9.7.8).
//!
//! If an operand that selects bits is a constant, the result contains only the selected bits, so
//! that it does not depend on the others.

use super::expr::{Binary, Unary};
use super::lower::Lowering;
use super::micro::Micro;
use super::term::{Extension, Term, extension};
use crate::ptx::bits::mask;
use crate::ptx::operation::{
    ArithmeticOp, CarryOp, Destination, Excess, Half, IntegerOp, Permutation, Register, Sign, Type,
    TypeKind,
};
use crate::ptx::written::Written;

impl Lowering<'_> {
    /// An integer or bit instruction. It may also write whether its result is not zero, combined
    /// with a predicate (`lop3`).
    pub(super) fn integer(&mut self, op: IntegerOp, written: &Written) {
        let mut sources: Vec<Term> =
            written.sources().map(|(value, ty)| self.value(value, ty)).collect();
        let (destination, predicate) = (written.destination(), written.predicate());
        let with = if predicate.is_some() { sources.pop() } else { None };
        let value = mentioning(integer(op, written.words.ty(), &sources), &sources);
        let extension = extension(written.result());
        let Some(with) = with else {
            self.assign(destination, value, extension);
            return;
        };
        let combine = if written.words.has("and") { Binary::And } else { Binary::Or };
        let holds = value.clone().equals(Term::Const(0, 32)).not().binary(combine, with);
        self.assign_with(destination, value, extension, predicate.as_ref(), holds);
    }

    /// Assigns a value to one register and a truth value to another, both computed from the old
    /// values of the registers.
    pub(super) fn assign_with(
        &mut self,
        destination: &Destination,
        value: Term,
        extension: Extension,
        predicate: Option<&Register>,
        truth: Term,
    ) {
        let predicate = predicate.cloned();
        let written = destination.as_ref().and_then(|d| self.registers.index(&d.value));
        let mut read = Vec::new();
        truth.registers(&mut read);
        let overwritten = written.is_some_and(|register| read.contains(&register));
        if predicate.is_none() || !overwritten {
            self.assign(destination, value, extension);
            self.assign(&predicate, truth, Extension::Zero);
            return;
        }
        let kept = self.registers.temporary(0);
        self.out.push(Micro::Assign { register: kept, value: truth.resize(64, Extension::Zero) });
        self.assign(destination, value, extension);
        self.assign(&predicate, Term::Register(kept).bits(0, 1), Extension::Zero);
    }
}

/// A 32-bit shift amount as a value of the shifted operand's width; larger amounts saturate.
pub(super) fn shift_amount(amount: Term, width: u32) -> Term {
    if width >= 32 {
        return amount.resize(width, Extension::Zero);
    }
    let large = amount.clone().binary(Binary::ULt, Term::Const(u128::from(width), 32)).not();
    large.choose(Term::Const(u128::from(width), width), amount.resize(width, Extension::Zero))
}

/// Arithmetic of one or two operands; a shift amount b is as from [`shift_amount`].
pub(super) fn arithmetic(op: ArithmeticOp, ty: Type, a: Term, b: Option<Term>) -> Term {
    let signed = ty.is_signed();
    let pick = |s, u| if signed { s } else { u };
    let zero = Term::Const(0, ty.bits);
    let b = b.unwrap_or_else(|| zero.clone());
    let product = |a: Term, b: Term| {
        let wide = ty.bits * 2;
        a.resize(wide, extension(ty)).binary(Binary::Mul, b.resize(wide, extension(ty)))
    };
    match op {
        ArithmeticOp::Add => a.binary(Binary::Add, b),
        ArithmeticOp::Sub => a.binary(Binary::Sub, b),
        ArithmeticOp::MulLo => a.binary(Binary::Mul, b),
        ArithmeticOp::MulHi => product(a, b).bits(ty.bits, ty.bits),
        ArithmeticOp::MulWide => product(a, b),
        ArithmeticOp::Div => a.binary(pick(Binary::SDiv, Binary::UDiv), b),
        ArithmeticOp::Rem => a.binary(pick(Binary::SRem, Binary::URem), b),
        ArithmeticOp::And => a.binary(Binary::And, b),
        ArithmeticOp::Or => a.binary(Binary::Or, b),
        ArithmeticOp::Xor => a.binary(Binary::Xor, b),
        ArithmeticOp::Shl => a.binary(Binary::Shl, b),
        ArithmeticOp::Shr => a.binary(pick(Binary::AShr, Binary::LShr), b),
        ArithmeticOp::Min => {
            a.clone().binary(pick(Binary::SLt, Binary::ULt), b.clone()).choose(a, b)
        }
        ArithmeticOp::Max => {
            b.clone().binary(pick(Binary::SLt, Binary::ULt), a.clone()).choose(a, b)
        }
        ArithmeticOp::Not => a.not(),
        ArithmeticOp::Neg => Term::Unary(Unary::Neg, Box::new(a)),
        ArithmeticOp::Abs => a
            .clone()
            .binary(Binary::SLt, zero)
            .choose(Term::Unary(Unary::Neg, Box::new(a.clone())), a),
        ArithmeticOp::Cnot => {
            a.equals(zero).choose(Term::Const(1, ty.bits), Term::Const(0, ty.bits))
        }
    }
}

/// The same value, with every source as an operand, even if it makes no difference.
fn mentioning(value: Term, sources: &[Term]) -> Term {
    let (mut mentioned, mut all) = (Vec::new(), Vec::new());
    value.registers(&mut mentioned);
    sources.iter().for_each(|source| source.registers(&mut all));
    all.retain(|register| !mentioned.contains(register));
    all.into_iter().fold(value, |value, register| {
        let nothing = Term::Register(register).resize(1, Extension::Zero);
        let never = nothing.and(Term::truth(false));
        never.choose(value.clone(), value)
    })
}

fn integer(op: IntegerOp, ty: Type, s: &[Term]) -> Term {
    let width = ty.bits;
    let word = |n: u128| Term::Const(n, 32);
    let count = |op, term: Term| unary(op, term).resize(32, Extension::Zero);
    match op {
        IntegerOp::Popc => count(Unary::PopCount, s[0].clone()),
        IntegerOp::Clz => count(Unary::LeadingZeros, s[0].clone()),
        IntegerOp::Brev => unary(Unary::Reverse, s[0].clone()),
        // For zero, one less than zero: all ones.
        IntegerOp::Bfind => {
            let zeros = count(Unary::LeadingZeros, magnitude(ty, s[0].clone()));
            word(u128::from(width - 1)).binary(Binary::Sub, zeros)
        }
        IntegerOp::BfindShift => {
            let bits = magnitude(ty, s[0].clone());
            let none = bits.clone().equals(Term::Const(0, width));
            none.choose(word(mask(32)), count(Unary::LeadingZeros, bits))
        }
        IntegerOp::Bfe => field(ty, &s[0], &s[1], &s[2]),
        IntegerOp::Bfi => inserted(width, &s[0], &s[1], &s[2], &s[3]),
        IntegerOp::Prmt(mode) => permuted(mode, &s[0], &s[1], &s[2]),
        IntegerOp::ShiftLeft(excess) => {
            let amount = limited(excess, s[2].clone());
            let both = concat(s[1].clone(), s[0].clone());
            match known(&amount) {
                Some(n) => both.bits(32 - n, 32),
                None => both.binary(Binary::Shl, amount.resize(64, Extension::Zero)).bits(32, 32),
            }
        }
        IntegerOp::ShiftRight(excess) => {
            let amount = limited(excess, s[2].clone());
            let both = concat(s[1].clone(), s[0].clone());
            match known(&amount) {
                Some(n) => both.bits(n, 32),
                None => both.binary(Binary::LShr, amount.resize(64, Extension::Zero)).bits(0, 32),
            }
        }
        IntegerOp::Lop3(table) => logic(u32::from(table), s),
        IntegerOp::Sad => {
            let (a, b) = (s[0].clone(), s[1].clone());
            let less = a.clone().binary(less(ty), b.clone());
            let (up, down) = (b.clone().binary(Binary::Sub, a.clone()), a.binary(Binary::Sub, b));
            less.choose(up, down).binary(Binary::Add, s[2].clone())
        }
        IntegerOp::Slct(sign) => {
            is_negative(sign, s[2].clone()).not().choose(s[0].clone(), s[1].clone())
        }
        IntegerOp::Mul24(half) => product_24(ty, half, s),
        IntegerOp::Mad24(half) => product_24(ty, half, s).binary(Binary::Add, s[2].clone()),
        IntegerOp::Mad24Saturated => {
            saturated_result(Binary::Add, ty, product_24(ty, Half::Hi, s), s[2].clone())
        }
        IntegerOp::Dp4a(bytes) => dot(ty, 8, &s[0], bytes, &s[1], &s[2], 0),
        IntegerOp::Dp2a(Half::Lo, bytes) => dot(ty, 16, &s[0], bytes, &s[1], &s[2], 0),
        IntegerOp::Dp2a(Half::Hi, bytes) => dot(ty, 16, &s[0], bytes, &s[1], &s[2], 2),
        IntegerOp::Szext(excess) => low_bits(ty, s[0].clone(), limited(excess, s[1].clone())),
        IntegerOp::Bmsk(excess) => {
            let length = limited(excess, s[1].clone());
            let position = match excess {
                Excess::Clamp => s[0].clone(),
                Excess::Wrap => limited(excess, s[0].clone()),
            };
            ones(length, 32).binary(Binary::Shl, position)
        }
        IntegerOp::AddSaturated => saturated_result(Binary::Add, ty, s[0].clone(), s[1].clone()),
        IntegerOp::SubSaturated => saturated_result(Binary::Sub, ty, s[0].clone(), s[1].clone()),
        IntegerOp::MadSaturated => {
            let wide = |term: &Term| term.clone().resize(2 * width, extension(ty));
            let product = wide(&s[0]).binary(Binary::Mul, wide(&s[1])).bits(width, width);
            saturated_result(Binary::Add, ty, product, s[2].clone())
        }
        IntegerOp::MinRelu => at_least_zero(ty, smaller(ty, &s[0], &s[1])),
        IntegerOp::MaxRelu => at_least_zero(ty, larger(ty, &s[0], &s[1])),
        IntegerOp::AddPacked => packed(ty, s, |a, b| a.binary(Binary::Add, b)),
        IntegerOp::AddPackedSaturated => {
            packed(ty, s, |a, b| saturated_result(Binary::Add, ty, a, b))
        }
        IntegerOp::SubPacked => packed(ty, s, |a, b| a.binary(Binary::Sub, b)),
        IntegerOp::SubPackedSaturated => {
            packed(ty, s, |a, b| saturated_result(Binary::Sub, ty, a, b))
        }
        IntegerOp::MinPacked => packed(ty, s, |a, b| smaller(ty, &a, &b)),
        IntegerOp::MaxPacked => packed(ty, s, |a, b| larger(ty, &a, &b)),
        IntegerOp::MinPackedRelu => packed(ty, s, |a, b| at_least_zero(ty, smaller(ty, &a, &b))),
        IntegerOp::MaxPackedRelu => packed(ty, s, |a, b| at_least_zero(ty, larger(ty, &a, &b))),
        IntegerOp::NegPacked => {
            let zero = Term::Const(0, 32);
            packed(ty, &[zero, s[0].clone()], |a, b| a.binary(Binary::Sub, b))
        }
        IntegerOp::Pack(part) => {
            let word = Type::new(TypeKind::Signed, 32);
            let half = |source: &Term| saturated(source.clone(), word, part);
            let packed = concat(half(&s[0]), half(&s[1]));
            match s.get(2) {
                Some(rest) => concat(rest.clone().bits(0, 32 - 2 * part.bits), packed),
                None => packed,
            }
        }
    }
}

fn unary(op: Unary, term: Term) -> Term {
    Term::Unary(op, Box::new(term))
}

fn concat(high: Term, low: Term) -> Term {
    Term::Concat(Box::new(high), Box::new(low))
}

fn less(ty: Type) -> Binary {
    if ty.is_signed() { Binary::SLt } else { Binary::ULt }
}

/// A constant amount.
fn known(term: &Term) -> Option<u32> {
    match term {
        Term::Const(bits, width) => u32::try_from(bits & mask(*width)).ok(),
        _ => None,
    }
}

/// A mask of `length` ones from the lowest bit; all ones if `length` is at least the width.
fn ones(length: Term, width: u32) -> Term {
    let one = Term::Const(1, width);
    one.clone().binary(Binary::Shl, length.resize(width, Extension::Zero)).binary(Binary::Sub, one)
}

/// The value, complemented if it is negative.
fn magnitude(ty: Type, term: Term) -> Term {
    if !ty.is_signed() {
        return term;
    }
    let sign = term.clone().bits(ty.bits - 1, 1).resize(ty.bits, Extension::Sign);
    term.binary(Binary::Xor, sign)
}

/// The lowest eight bits, which hold positions and lengths of fields.
fn byte(term: &Term) -> Term {
    match term {
        Term::Const(bits, _) => Term::Const(bits & 0xFF, 32),
        _ => term.clone().binary(Binary::And, Term::Const(0xFF, 32)),
    }
}

/// `bfe`
fn field(ty: Type, a: &Term, position: &Term, length: &Term) -> Term {
    let width = ty.bits;
    let (position, length) = (byte(position), byte(length));
    if let (Some(from), Some(length)) = (known(&position), known(&length)) {
        if length == 0 || (from >= width && !ty.is_signed()) {
            return Term::Const(0, width);
        }
        let from = from.min(width - 1);
        return a.clone().bits(from, length.min(width - from)).resize(width, extension(ty));
    }
    let shift = if ty.is_signed() { Binary::AShr } else { Binary::LShr };
    let above = a.clone().binary(shift, position.resize(width, Extension::Zero));
    low_bits(ty, above, length)
}

/// The lowest bits of a value, sign-extended from their highest if the type is signed.
fn low_bits(ty: Type, term: Term, length: Term) -> Term {
    let width = ty.bits;
    if let Some(length) = known(&length) {
        return match length.min(width) {
            0 => Term::Const(0, width),
            length => term.bits(0, length).resize(width, extension(ty)),
        };
    }
    if !ty.is_signed() {
        return term.binary(Binary::And, ones(length, width));
    }
    let all = Term::Const(u128::from(width), 32);
    let few = length.clone().binary(Binary::ULt, all.clone());
    let above = few.choose(all.binary(Binary::Sub, length), Term::Const(0, 32));
    let above = above.resize(width, Extension::Zero);
    term.binary(Binary::Shl, above.clone()).binary(Binary::AShr, above)
}

/// `bfi`
fn inserted(width: u32, a: &Term, b: &Term, position: &Term, length: &Term) -> Term {
    let (position, length) = (byte(position), byte(length));
    let (a, b) = (a.clone(), b.clone());
    if let (Some(from), Some(length)) = (known(&position), known(&length)) {
        if length == 0 || from >= width {
            return b;
        }
        let length = length.min(width - from);
        let end = from + length;
        let mut whole = a.bits(0, length);
        if from > 0 {
            whole = concat(whole, b.clone().bits(0, from));
        }
        return if end < width { concat(b.bits(end, width - end), whole) } else { whole };
    }
    let position = position.resize(width, Extension::Zero);
    let here = ones(length, width).binary(Binary::Shl, position.clone());
    let new = a.binary(Binary::Shl, position).binary(Binary::And, here.clone());
    b.binary(Binary::And, here.not()).binary(Binary::Or, new)
}

/// `prmt`
fn permuted(mode: Permutation, a: &Term, b: &Term, c: &Term) -> Term {
    let part = |number: u32| match number {
        0..4 => a.clone().bits(8 * number, 8),
        _ => b.clone().bits(8 * (number - 4), 8),
    };
    let joined = |parts: [Term; 4]| {
        let [lowest, second, third, highest] = parts;
        concat(concat(highest, third), concat(second, lowest))
    };
    if mode == Permutation::Selectors {
        return joined([0, 1, 2, 3].map(|place| selected(a, b, c, 4 * place, part)));
    }
    let whole = |n: u32| joined(sources(mode, n).map(part));
    if let Some(selector) = known(c) {
        return whole(selector % 4);
    }
    let bit = |at| c.clone().bits(at, 1);
    bit(1).choose(bit(0).choose(whole(3), whole(2)), bit(0).choose(whole(1), whole(0)))
}

/// The byte that the selector at bit `low` chooses, or copies of its sign.
fn selected(a: &Term, b: &Term, c: &Term, low: u32, part: impl Fn(u32) -> Term) -> Term {
    let sign = |byte: Term| byte.bits(7, 1).resize(8, Extension::Sign);
    if let Some(selectors) = known(c) {
        let byte = part((selectors >> low) & 7);
        return if selectors >> low & 8 == 0 { byte } else { sign(byte) };
    }
    let number = c.clone().bits(low, 3).resize(64, Extension::Zero);
    let amount = number.binary(Binary::Mul, Term::Const(8, 64));
    let byte = concat(b.clone(), a.clone()).binary(Binary::LShr, amount).bits(0, 8);
    c.clone().bits(low + 3, 1).choose(sign(byte.clone()), byte)
}

/// The source bytes of a mode of `prmt`, lowest first; from 4 on they are those of b.
fn sources(mode: Permutation, n: u32) -> [u32; 4] {
    [0, 1, 2, 3].map(|place: u32| match mode {
        Permutation::F4e | Permutation::Selectors => n + place,
        Permutation::B4e => (8 + n - place) % 8,
        Permutation::Rc8 => n,
        Permutation::Ecl => n.max(place),
        Permutation::Ecr => n.min(place),
        Permutation::Rc16 => 2 * (n & 1) + (place & 1),
    })
}

/// An amount of at most 32, or modulo 32.
fn limited(excess: Excess, amount: Term) -> Term {
    let width = Term::Const(32, 32);
    match (excess, known(&amount)) {
        (Excess::Clamp, Some(n)) => Term::Const(u128::from(n.min(32)), 32),
        (Excess::Wrap, Some(n)) => Term::Const(u128::from(n % 32), 32),
        (Excess::Clamp, None) => {
            amount.clone().binary(Binary::ULt, width.clone()).choose(amount, width)
        }
        (Excess::Wrap, None) => amount.binary(Binary::And, Term::Const(31, 32)),
    }
}

/// A bitwise function by its table; the first operand decides between the halves of the table.
fn logic(table: u32, operands: &[Term]) -> Term {
    let Some((first, rest)) = operands.split_first() else {
        return Term::Const(if table == 0 { 0 } else { mask(32) }, 32);
    };
    let size = 1 << rest.len();
    let all = (1_u32 << size) - 1;
    let (set, clear) = ((table >> size) & all, table & all);
    let part = |table| logic(table, rest);
    let first = first.clone();
    if set == clear {
        return part(set);
    }
    if set == all - clear {
        return match clear {
            0 => first,
            _ => first.binary(Binary::Xor, part(clear)),
        };
    }
    let kept = |first: Term, table: u32| match table {
        0 => None,
        _ if table == all => Some(first),
        _ => Some(first.binary(Binary::And, part(table))),
    };
    if set == all {
        return first.binary(Binary::Or, part(clear));
    }
    if clear == all {
        return first.not().binary(Binary::Or, part(set));
    }
    match (kept(first.clone(), set), kept(first.not(), clear)) {
        (Some(a), Some(b)) => a.binary(Binary::Or, b),
        (a, b) => a.or(b).expect("halves that are both empty are equal"),
    }
}

/// Whether `slct` takes its second operand: c is negative or, as a floating-point number, a NaN.
fn is_negative(sign: Sign, c: Term) -> Term {
    let word = |n: u32| Term::Const(u128::from(n), 32);
    // NaNs are above infinity, then come the numbers below zero, negative zero first.
    let above = word(f32::INFINITY.to_bits()).binary(Binary::ULt, c.clone());
    let zero = match sign {
        Sign::Integer => return c.binary(Binary::SLt, word(0)),
        Sign::Float => c.equals(word((-0.0_f32).to_bits())),
        Sign::FloatFlushed => {
            let least = word((-f32::MIN_POSITIVE).to_bits());
            let below = c.clone().binary(Binary::ULt, word((-0.0_f32).to_bits()));
            below.not().and(c.binary(Binary::ULt, least))
        }
    };
    above.and(zero.not())
}

/// Half of the product of the lowest 24 bits.
fn product_24(ty: Type, half: Half, s: &[Term]) -> Term {
    let factor = |term: &Term| term.clone().bits(0, 24).resize(48, extension(ty));
    let product = factor(&s[0]).binary(Binary::Mul, factor(&s[1]));
    product.bits(if half == Half::Hi { 16 } else { 0 }, 32)
}

/// The sum of c and of the products of parts of a with `size` bits and bytes of b.
fn dot(ty: Type, size: u32, a: &Term, bytes: TypeKind, b: &Term, c: &Term, first: u32) -> Term {
    let wide = |term: Term, ty: Type| term.resize(32, extension(ty));
    (0..32 / size).fold(c.clone(), |sum, number| {
        let x = wide(a.clone().bits(size * number, size), ty);
        let y = wide(b.clone().bits(8 * (first + number), 8), Type::new(bytes, 8));
        sum.binary(Binary::Add, x.binary(Binary::Mul, y))
    })
}

fn smaller(ty: Type, a: &Term, b: &Term) -> Term {
    a.clone().binary(less(ty), b.clone()).choose(a.clone(), b.clone())
}

fn larger(ty: Type, a: &Term, b: &Term) -> Term {
    b.clone().binary(less(ty), a.clone()).choose(a.clone(), b.clone())
}

fn at_least_zero(ty: Type, term: Term) -> Term {
    let zero = || Term::Const(0, ty.bits);
    term.clone().binary(Binary::SLt, zero()).choose(zero(), term)
}

/// A function applied to each of the numbers that two words pack.
fn packed(ty: Type, s: &[Term], function: impl Fn(Term, Term) -> Term) -> Term {
    let part = |low| function(s[0].clone().bits(low, ty.bits), s[1].clone().bits(low, ty.bits));
    let above = (1..32 / ty.bits).map(|at| part(at * ty.bits));
    above.fold(part(0), |low, high| concat(high, low))
}

/// A sum or difference, clamped to the range of the type.
fn saturated_result(op: Binary, ty: Type, a: Term, b: Term) -> Term {
    // A difference of unsigned numbers may be negative.
    let kind = if op == Binary::Sub { TypeKind::Signed } else { ty.kind };
    let wide = Type::new(kind, ty.bits + 1);
    let operand = |term: Term| term.resize(wide.bits, extension(ty));
    saturated(operand(a).binary(op, operand(b)), wide, ty)
}

/// A value of one type as a value of another, clamped to its range.
pub(super) fn saturated(value: Term, from: Type, to: Type) -> Term {
    let (least, most) = range(to);
    let (lowest, highest) = range(from);
    let constant = |n: i128, ty: Type| Term::Const(n as u128, ty.bits);
    let mut result = value.clone().resize(to.bits, extension(from));
    if highest > most {
        let over = constant(most, from).binary(less(from), value.clone());
        result = over.choose(constant(most, to), result);
    }
    if lowest < least {
        let under = value.binary(less(from), constant(least, from));
        result = under.choose(constant(least, to), result);
    }
    result
}

/// The least and the largest number of a type with less than 128 bits.
fn range(ty: Type) -> (i128, i128) {
    match ty.is_signed() {
        true => (-(1 << (ty.bits - 1)), (1 << (ty.bits - 1)) - 1),
        false => (0, (1 << ty.bits) - 1),
    }
}

/// A sum, difference, or half product plus a summand, with carry-in and carry-out.
pub(super) fn with_carry(op: CarryOp, ty: Type, s: &[Term], carry: Option<Term>) -> (Term, Term) {
    let width = ty.bits;
    let (op, a, b) = match op {
        CarryOp::Add => (Binary::Add, s[0].clone(), s[1].clone()),
        CarryOp::Sub => (Binary::Sub, s[0].clone(), s[1].clone()),
        CarryOp::Mad(half) => {
            let wide = |term: &Term| term.clone().resize(2 * width, extension(ty));
            let product = match half {
                Half::Lo => s[0].clone().binary(Binary::Mul, s[1].clone()),
                Half::Hi => wide(&s[0]).binary(Binary::Mul, wide(&s[1])).bits(width, width),
            };
            (Binary::Add, product, s[2].clone())
        }
    };
    let at = |width: u32| {
        let operand = |term: &Term| term.clone().resize(width, Extension::Zero);
        let result = operand(&a).binary(op, operand(&b));
        carry.iter().fold(result, |result, carry| result.binary(op, operand(carry)))
    };
    (at(width), at(width + 1).bits(width, 1))
}
