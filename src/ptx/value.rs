//! The meaning of qualifiers and operands: orders, scopes, state spaces, types and functions;
//! values, addresses and destinations.

use crate::source::{Span, Spanned};

/// A register's name without its `%`.
pub type Register = Spanned<String>;

/// Memory-order qualifier of an access (PTX-8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// `.weak`, and accesses without a qualifier.
    Weak,
    /// `.relaxed`, `.volatile`, `.mmio`.
    Relaxed,
    /// `.acquire`.
    Acquire,
    /// `.release`.
    Release,
    /// `.acq_rel`.
    AcqRel,
    /// `.sc` (fences only).
    Sc,
}

impl Order {
    /// Whether an order is the given half, acquire or release, or has both halves.
    #[must_use]
    pub fn has_half(self, half: Self) -> bool {
        self == half || self >= Self::AcqRel
    }
}

/// A scope (PTX-8.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The CTA.
    Cta,
    /// The cluster.
    Cluster,
    /// The device.
    Gpu,
    /// Everything, host threads included.
    Sys,
}

/// A proxy (PTX-8.6); texture, surface and constant accesses occur in research models only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Proxy {
    /// Ordinary accesses.
    Generic,
    /// Bulk copies and reductions.
    Async,
    /// Reads of tensor maps by tensor copies.
    Tensormap,
    /// Accesses to Tensor Memory, which has an order of its own.
    TensorMemory,
    /// Texture accesses (`tld`).
    Texture,
    /// Surface accesses (`suld`, `sust`, `suatom`, `sured`).
    Surface,
    /// Constant accesses (`cold`).
    Constant,
}

/// A state space (PTX-5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// No space given: generic addressing.
    Generic,
    /// `.global`
    Global,
    /// `.shared`, `.shared::cta`
    SharedCta,
    /// `.shared::cluster`
    SharedCluster,
    /// `.local`
    Local,
    /// `.const`
    Const,
    /// `.param` of a kernel (`.param::entry`), and `.param` without a suffix.
    ParamEntry,
    /// `.param::func`
    ParamFunc,
}

/// How the bits of a fundamental type are read (PTX-5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TypeKind {
    /// `.b8` ... `.b128`
    Bits,
    /// `.u8` ... `.u64`
    Unsigned,
    /// `.s8` ... `.s64`
    Signed,
    /// `.f16 .f32 .f64`
    Float,
    /// `.bf16`
    Bfloat,
    /// `.f16x2`
    FloatX2,
    /// `.bf16x2`
    BfloatX2,
    /// `.e4m3 .e4m3x2 .e4m3x4`
    E4m3,
    /// `.e5m2 .e5m2x2 .e5m2x4`
    E5m2,
    /// `.pred`
    Predicate,
}

/// A scalar or packed type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// The interpretation of its bits.
    pub kind: TypeKind,
    /// Its width in bits; 1 for predicates.
    pub bits: u32,
}

impl Type {
    /// A type of `bits` bits read as `kind`.
    #[must_use]
    pub const fn new(kind: TypeKind, bits: u32) -> Self {
        Self { kind, bits }
    }
    /// The untyped 64-bit type of the column dialect: compared signed.
    pub const UNTYPED: Self = Self::new(TypeKind::Signed, 64);
    /// A word of 32 bits of any kind.
    pub const B32: Self = Self::new(TypeKind::Bits, 32);
    /// A word of 64 bits of any kind.
    pub const B64: Self = Self::new(TypeKind::Bits, 64);
    /// The predicate type.
    pub const PREDICATE: Self = Self::new(TypeKind::Predicate, 1);
    /// Its width in bytes (predicates have none).
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.bits / 8
    }
    /// A type of so many times the width, read in the same way.
    #[must_use]
    pub const fn times(self, factor: u32) -> Self {
        Self::new(self.kind, self.bits * factor)
    }

    /// The type of one of the elements that make up a scalar.
    #[must_use]
    pub fn part(self, elements: usize) -> Self {
        Self::new(TypeKind::Bits, self.bits / u32::try_from(elements.max(1)).unwrap_or(u32::MAX))
    }

    /// Whether comparisons, extensions and shifts treat the type as signed.
    #[must_use]
    pub fn is_signed(self) -> bool {
        self.kind == TypeKind::Signed
    }

    /// Whether values are floating-point numbers, or some packed together.
    #[must_use]
    pub fn is_float(self) -> bool {
        self.is_packed()
            || self.is_narrow()
            || matches!(self.kind, TypeKind::Float | TypeKind::Bfloat)
    }

    /// Whether values are floating-point numbers of 16 bits, or pairs of them.
    #[must_use]
    pub fn is_half(self) -> bool {
        self.is_packed()
            || self.kind == TypeKind::Bfloat
            || (self.kind == TypeKind::Float && self.bits == 16)
    }

    /// Whether values are floating-point numbers of 8 bits, or two or four of them.
    #[must_use]
    pub fn is_narrow(self) -> bool {
        matches!(self.kind, TypeKind::E4m3 | TypeKind::E5m2)
    }

    /// Whether values are pairs of floating-point numbers of 16 bits or more (PTX-8.2.5).
    #[must_use]
    pub fn is_packed(self) -> bool {
        matches!(self.kind, TypeKind::FloatX2 | TypeKind::BfloatX2)
    }

    /// Whether an access leaves out the elements for which it names the sink `_`, given their
    /// number: vectors of 256 bits do (PTX-9.7.9.8, PTX-9.7.9.11).
    pub(crate) const fn skips_sinks(self, elements: u32) -> bool {
        const SKIPPING: u32 = 256;
        self.bits * elements == SKIPPING
    }
}

/// A value operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A register.
    Register(Register),
    /// An integer (also the bits of a floating-point literal).
    Immediate(Spanned<i128>),
    /// The address of a variable plus a byte offset.
    AddressOf(Spanned<String>, i64),
    /// The address of an element whose index a register says.
    ElementOf(Element),
    /// A special register such as `%tid.x`, without its `%`.
    Special(Spanned<String>),
    /// The complement of a predicate register, `!p`.
    Not(Register),
    /// The sink `_` in the place of an element that a store leaves as it is (PTX-9.7.9.11).
    Sink {
        /// Where it stands.
        span: Span,
    },
}

impl Value {
    /// The place of the value in the source.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Register(r) | Self::Not(r) => r.span,
            Self::Immediate(i) => i.span,
            Self::AddressOf(s, _) | Self::Special(s) => s.span,
            Self::ElementOf(element) => element.variable.span,
            Self::Sink { span } => *span,
        }
    }
}

/// An array element `x[%r1+2]`, which lies (register + constant) * size behind the start of the
/// array (PTX-6.4.2). NVIDIA's assembler computes this with 32 bits, without a sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The array.
    pub variable: Spanned<String>,
    /// The register.
    pub register: Register,
    /// The number added to the register.
    pub more: i64,
    /// Bytes of an element.
    pub bytes: u32,
}

impl Element {
    /// Bits in which the distance from the start of the array is computed.
    pub const BITS: u32 = 32;
}

/// A memory operand: base plus byte offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// The base of the offset; `Value::Immediate` is an absolute address.
    pub base: Value,
    /// Bytes added to the base.
    pub offset: i64,
    /// Where the operand stands.
    pub span: Span,
}

/// Where a result goes; `None` is the sink `_`.
pub type Destination = Option<Register>;

/// A read-modify-write function (PTX-9.7.13.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum AtomicOp {
    And,
    Or,
    Xor,
    Cas,
    Exch,
    Add,
    /// `r >= s ? 0 : r + 1`
    Inc,
    /// `r == 0 || r > s ? s : r - 1`
    Dec,
    Min,
    Max,
    /// Column dialect only.
    Sub,
    /// Column dialect only.
    Mul,
    /// Column dialect only.
    Div,
}

/// Register arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum ArithmeticOp {
    Add,
    Sub,
    /// The low half, at the operation's width.
    MulLo,
    /// The high half.
    MulHi,
    /// The full product, twice as wide as the operands.
    MulWide,
    Div,
    Rem,
    And,
    Or,
    Xor,
    /// Shift amounts saturate at the width.
    Shl,
    Shr,
    Min,
    Max,
    Not,
    Neg,
    Abs,
    /// Logical complement of the bits being zero (`cnot`).
    Cnot,
}

/// Comparison of `setp` and of the dialect's branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    /// The comparison that holds of `b` and `a` where this one holds of `a` and `b`.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            Self::Eq | Self::Ne => self,
        }
    }

    /// Whether the comparison holds of two numbers.
    #[must_use]
    pub fn holds(self, a: i128, b: i128) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
        }
    }
}

/// How `setp` combines the comparison with a third predicate operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum BoolOp {
    And,
    Or,
    Xor,
}
