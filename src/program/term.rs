//! Register expressions of micro-operations: trees over registers, before symbolic execution.

use super::expr::{Binary, Unary};
use super::float::{FloatOp, Format, Function};
use super::fp8::narrow_result;
use crate::ptx::floating::{FloatMode, Subnormals};
use crate::ptx::operation::{AtomicOp, Type, TypeKind};

/// A value computed from registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A constant of this width.
    Const(u128, u32),
    /// A register of the thread.
    Register(usize),
    /// The value that the enclosing read-modify-write has read.
    Old(u32),
    /// A freely chosen value: its name and width.
    Free(String, u32),
    /// The free choice that a wait does not time out. A thread that waits for ever is patient in
    /// the end.
    Patience,
    /// What a clock shows, which goes on by itself: its name and width.
    Clock(String, u32),
    /// An unspecified value that is the same at all uses of a name: its name and width.
    Fixed(String, u32),
    /// One argument.
    Unary(Unary, Box<Term>),
    /// Two arguments.
    Binary(Binary, Box<Term>, Box<Term>),
    /// A choice: condition, then, else.
    Ite(Box<Term>, Box<Term>, Box<Term>),
    /// The bits from the first number upwards, as many as the second.
    Extract(Box<Term>, u32, u32),
    /// The first term above the second.
    Concat(Box<Term>, Box<Term>),
    /// Cut or extended to a width.
    Resize(Box<Term>, u32, Extension),
}

/// The upper bits of a value that is extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extension {
    /// Zeros.
    Zero,
    /// Copies of the sign.
    Sign,
}

impl Term {
    /// A truth value.
    #[must_use]
    pub fn truth(value: bool) -> Self {
        Self::Const(u128::from(value), 1)
    }

    /// Conjunction.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.binary(Binary::And, other)
    }

    /// Disjunction.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.binary(Binary::Or, other)
    }

    /// Complement.
    #[must_use]
    #[allow(clippy::should_implement_trait, reason = "a builder, not an operator on references")]
    pub fn not(self) -> Self {
        Self::Unary(Unary::Not, Box::new(self))
    }

    /// `op` applied to both terms.
    #[must_use]
    pub fn binary(self, op: Binary, other: Self) -> Self {
        Self::Binary(op, Box::new(self), Box::new(other))
    }

    /// Equality.
    #[must_use]
    pub fn equals(self, other: Self) -> Self {
        self.binary(Binary::Eq, other)
    }

    /// `then` where this holds, else `otherwise`.
    #[must_use]
    pub fn choose(self, then: Self, otherwise: Self) -> Self {
        Self::Ite(Box::new(self), Box::new(then), Box::new(otherwise))
    }

    /// `width` bits from `low` upwards.
    #[must_use]
    pub fn bits(self, low: u32, width: u32) -> Self {
        Self::Extract(Box::new(self), low, width)
    }

    /// Cut or extended to `width` bits.
    #[must_use]
    pub fn resize(self, width: u32, extension: Extension) -> Self {
        Self::Resize(Box::new(self), width, extension)
    }

    /// The same term with another value in place of [`Term::Old`].
    #[must_use]
    pub fn with_old(self, value: &Self) -> Self {
        let inner = |term: Box<Self>| Box::new(term.with_old(value));
        match self {
            Self::Old(_) => value.clone(),
            Self::Const(..)
            | Self::Register(_)
            | Self::Free(..)
            | Self::Patience
            | Self::Clock(..)
            | Self::Fixed(..) => self,
            Self::Unary(op, a) => Self::Unary(op, inner(a)),
            Self::Binary(op, a, b) => Self::Binary(op, inner(a), inner(b)),
            Self::Ite(a, b, c) => Self::Ite(inner(a), inner(b), inner(c)),
            Self::Extract(a, low, width) => Self::Extract(inner(a), low, width),
            Self::Concat(a, b) => Self::Concat(inner(a), inner(b)),
            Self::Resize(a, width, extension) => Self::Resize(inner(a), width, extension),
        }
    }

    /// The terms that it is made of.
    fn operands(&self) -> impl Iterator<Item = &Self> {
        let operands: [Option<&Self>; 3] = match self {
            Self::Const(..)
            | Self::Register(_)
            | Self::Old(_)
            | Self::Free(..)
            | Self::Patience
            | Self::Clock(..)
            | Self::Fixed(..) => [None; 3],
            Self::Unary(_, a) | Self::Extract(a, ..) | Self::Resize(a, ..) => [Some(a), None, None],
            Self::Binary(_, a, b) | Self::Concat(a, b) => [Some(a), Some(b), None],
            Self::Ite(a, b, c) => [Some(a), Some(b), Some(c)],
        };
        operands.into_iter().flatten()
    }

    /// The registers in the term.
    pub fn registers(&self, out: &mut Vec<usize>) {
        if let Self::Register(register) = self {
            out.push(*register);
        }
        self.operands().for_each(|operand| operand.registers(out));
    }

    /// The conditions by which it chooses between two values.
    #[must_use]
    pub fn conditions(&self) -> Vec<&Self> {
        let own = match self {
            Self::Ite(condition, ..) => Some(&**condition),
            _ => None,
        };
        own.into_iter().chain(self.operands().flat_map(Self::conditions)).collect()
    }
}

/// A function of two floating-point numbers, or of two pairs of them; numbers of eight bits have
/// one mode.
#[must_use]
pub fn float_result(op: FloatOp, ty: Type, a: Term, b: Term, mode: FloatMode) -> Option<Term> {
    let format = match (ty.kind, ty.bits) {
        (TypeKind::Float, 16) | (TypeKind::FloatX2, _) => Format::F16,
        (TypeKind::Bfloat, _) | (TypeKind::BfloatX2, _) => Format::Bf16,
        (TypeKind::Float, 32) => Format::F32,
        (TypeKind::Float, 64) => Format::F64,
        _ => return narrow_result(op, ty, &a, &b),
    };
    let op = Binary::Float(Function { op, format, mode });
    if !ty.is_packed() {
        return Some(a.binary(op, b));
    }
    let part = |at: u32| a.clone().bits(at, 16).binary(op, b.clone().bits(at, 16));
    Some(Term::Concat(Box::new(part(16)), Box::new(part(0))))
}

/// The extension for values of a type.
#[must_use]
pub fn extension(ty: Type) -> Extension {
    if ty.is_signed() { Extension::Sign } else { Extension::Zero }
}

/// The value that a read-modify-write stores, given the old value and operand b (and c of `cas`).
///
/// `None` if there is no such function. `subnormals` tells whether subnormal 32-bit numbers are
/// flushed to zero.
#[must_use]
pub fn atomic_result(
    op: AtomicOp,
    ty: Type,
    operand: Term,
    swap: Option<Term>,
    subnormals: Subnormals,
) -> Option<Term> {
    let old = || Term::Old(ty.bits);
    let number = |n: u128| Term::Const(n, ty.bits);
    let less = if ty.is_signed() { Binary::SLt } else { Binary::ULt };
    let divide = if ty.is_signed() { Binary::SDiv } else { Binary::UDiv };
    Some(match op {
        AtomicOp::Exch => operand,
        AtomicOp::Cas => swap?,
        AtomicOp::And => old().binary(Binary::And, operand),
        AtomicOp::Or => old().binary(Binary::Or, operand),
        AtomicOp::Xor => old().binary(Binary::Xor, operand),
        _ if ty.is_float() => {
            let op = match op {
                AtomicOp::Add => FloatOp::Add,
                AtomicOp::Min => FloatOp::Min,
                AtomicOp::Max => FloatOp::Max,
                _ => return None,
            };
            let flushes = ty == Type::new(TypeKind::Float, 32);
            let subnormals = if flushes { subnormals } else { Subnormals::Kept };
            let mode = FloatMode { subnormals, ..FloatMode::default() };
            return float_result(op, ty, old(), operand, mode);
        }
        AtomicOp::Add => old().binary(Binary::Add, operand),
        AtomicOp::Sub => old().binary(Binary::Sub, operand),
        AtomicOp::Mul => old().binary(Binary::Mul, operand),
        AtomicOp::Div => old().binary(divide, operand),
        // r >= s ? 0 : r + 1
        AtomicOp::Inc => old()
            .binary(Binary::ULt, operand)
            .choose(old().binary(Binary::Add, number(1)), number(0)),
        // r == 0 || r > s ? s : r - 1
        AtomicOp::Dec => old()
            .equals(number(0))
            .or(operand.clone().binary(Binary::ULt, old()))
            .choose(operand, old().binary(Binary::Sub, number(1))),
        AtomicOp::Min => old().binary(less, operand.clone()).choose(old(), operand),
        AtomicOp::Max => operand.clone().binary(less, old()).choose(old(), operand),
    })
}
