//! Integer and bit instructions beyond plain arithmetic: what they are called, and what types their
//! operands have.

use super::operation::{Type, TypeKind};
use super::uses::Fit;

/// The register that the carry of extended arithmetic is in (PTX-9.7.2); no text can name it.
pub const CARRY: &str = "CC.CF";

const WORD: Type = Type::new(TypeKind::Bits, 32);

/// What amounts beyond the width of a word mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Excess {
    /// As much as the width.
    Clamp,
    /// The remainder by the width.
    Wrap,
}

/// Which part of a product or an operand is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Half {
    /// The lower one.
    Lo,
    /// The upper one.
    Hi,
}

/// How `prmt` chooses bytes (PTX-9.7.9.7).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum Permutation {
    /// Four selectors of four bits each; the highest bit asks for copies of the byte's sign.
    Selectors,
    F4e,
    B4e,
    Rc8,
    Ecl,
    Ecr,
    Rc16,
}

/// What the condition of `slct` is compared with zero as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sign {
    /// `.s32`
    Integer,
    /// `.f32`
    Float,
    /// `.ftz.f32`
    FloatFlushed,
}

/// What an integer instruction computes, besides those that are arithmetic of one or two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum IntegerOp {
    Popc,
    Clz,
    Brev,
    Bfind,
    /// `bfind.shiftamt`
    BfindShift,
    Bfe,
    Bfi,
    Prmt(Permutation),
    /// `shf.l`
    ShiftLeft(Excess),
    /// `shf.r`
    ShiftRight(Excess),
    /// The function as a table: its bits for a, b and c that are 0xF0, 0xCC and 0xAA.
    Lop3(u8),
    Sad,
    Slct(Sign),
    Mul24(Half),
    Mad24(Half),
    /// `mad24.hi.sat`
    Mad24Saturated,
    /// With the type of the second operand's bytes.
    Dp4a(TypeKind),
    /// Which half of the second operand, and the type of its bytes.
    Dp2a(Half, TypeKind),
    Szext(Excess),
    Bmsk(Excess),
    /// `add.sat`
    AddSaturated,
    /// `sub.sat`
    SubSaturated,
    /// `mad.hi.sat`
    MadSaturated,
    /// `min.relu`
    MinRelu,
    /// `max.relu`
    MaxRelu,
    /// `add.u16x2`, `add.s16x2`, `add.u8x4`, `add.s8x4`
    AddPacked,
    /// Each with `.sat`.
    AddPackedSaturated,
    /// `sub.u8x4`, `sub.s8x4`
    SubPacked,
    /// Each with `.sat`.
    SubPackedSaturated,
    /// `min.u16x2`, `min.s16x2`, `min.u8x4`, `min.s8x4`
    MinPacked,
    /// `max.u16x2`, `max.s16x2`, `max.u8x4`, `max.s8x4`
    MaxPacked,
    /// `min.relu.s16x2`, `min.relu.s8x4`
    MinPackedRelu,
    /// `max.relu.s16x2`, `max.relu.s8x4`
    MaxPackedRelu,
    /// `neg.s8x4`
    NegPacked,
    /// `cvt.pack.sat` of two words to values of this type.
    Pack(Type),
}

/// What arithmetic with a carry computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum CarryOp {
    Add,
    Sub,
    Mad(Half),
}

impl Excess {
    /// Its qualifier.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Clamp => "clamp",
            Self::Wrap => "wrap",
        }
    }
}

impl Half {
    /// Its qualifier.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Lo => "lo",
            Self::Hi => "hi",
        }
    }
}

impl Permutation {
    /// Its qualifier; the general form has none.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Selectors => "",
            Self::F4e => "f4e",
            Self::B4e => "b4e",
            Self::Rc8 => "rc8",
            Self::Ecl => "ecl",
            Self::Ecr => "ecr",
            Self::Rc16 => "rc16",
        }
    }
}

/// The type of words that hold numbers of a type side by side (PTX-5.2.5).
pub(crate) fn packed(part: Type) -> String {
    format!("{part}x{}", 32 / part.bits)
}

impl IntegerOp {
    /// The opcode with its qualifiers, for an instruction of type `ty`.
    #[must_use]
    pub fn head(self, ty: Type) -> String {
        let half = |kind| Type::new(kind, 32);
        match self {
            Self::Popc => format!("popc.{ty}"),
            Self::Clz => format!("clz.{ty}"),
            Self::Brev => format!("brev.{ty}"),
            Self::Bfind => format!("bfind.{ty}"),
            Self::BfindShift => format!("bfind.shiftamt.{ty}"),
            Self::Bfe => format!("bfe.{ty}"),
            Self::Bfi => format!("bfi.{ty}"),
            Self::Prmt(Permutation::Selectors) => format!("prmt.{ty}"),
            Self::Prmt(mode) => format!("prmt.{ty}.{}", mode.word()),
            Self::ShiftLeft(excess) => format!("shf.l.{}.{ty}", excess.word()),
            Self::ShiftRight(excess) => format!("shf.r.{}.{ty}", excess.word()),
            Self::Lop3(_) => format!("lop3.{ty}"),
            Self::Sad => format!("sad.{ty}"),
            Self::Slct(Sign::Integer) => format!("slct.{ty}.s32"),
            Self::Slct(Sign::Float) => format!("slct.{ty}.f32"),
            Self::Slct(Sign::FloatFlushed) => format!("slct.ftz.{ty}.f32"),
            Self::Mul24(half) => format!("mul24.{}.{ty}", half.word()),
            Self::Mad24(half) => format!("mad24.{}.{ty}", half.word()),
            Self::Mad24Saturated => format!("mad24.hi.sat.{ty}"),
            Self::Dp4a(bytes) => format!("dp4a.{ty}.{}", half(bytes)),
            Self::Dp2a(part, bytes) => format!("dp2a.{}.{ty}.{}", part.word(), half(bytes)),
            Self::Szext(excess) => format!("szext.{}.{ty}", excess.word()),
            Self::Bmsk(excess) => format!("bmsk.{}.{ty}", excess.word()),
            Self::AddSaturated => format!("add.sat.{ty}"),
            Self::SubSaturated => format!("sub.sat.{ty}"),
            Self::MadSaturated => format!("mad.hi.sat.{ty}"),
            Self::MinRelu => format!("min.relu.{ty}"),
            Self::MaxRelu => format!("max.relu.{ty}"),
            Self::AddPacked => format!("add.{}", packed(ty)),
            Self::AddPackedSaturated => format!("add.sat.{}", packed(ty)),
            Self::SubPacked => format!("sub.{}", packed(ty)),
            Self::SubPackedSaturated => format!("sub.sat.{}", packed(ty)),
            Self::MinPacked => format!("min.{}", packed(ty)),
            Self::MaxPacked => format!("max.{}", packed(ty)),
            Self::MinPackedRelu => format!("min.relu.{}", packed(ty)),
            Self::MaxPackedRelu => format!("max.relu.{}", packed(ty)),
            Self::NegPacked => format!("neg.{}", packed(ty)),
            Self::Pack(part) if part.bits == 16 => format!("cvt.pack.sat.{part}.{ty}"),
            Self::Pack(part) => format!("cvt.pack.sat.{part}.{ty}.b32"),
        }
    }

    /// Whether operands are words of two numbers of 16 bits or four of 8 bits.
    #[must_use]
    pub fn is_packed(self) -> bool {
        matches!(
            self,
            Self::AddPacked
                | Self::AddPackedSaturated
                | Self::SubPacked
                | Self::SubPackedSaturated
                | Self::NegPacked
                | Self::MinPacked
                | Self::MaxPacked
                | Self::MinPackedRelu
                | Self::MaxPackedRelu
        )
    }

    /// The type of the result, for an instruction of type `ty`, and how registers fit it.
    pub(crate) fn result(self, ty: Type) -> (Type, Fit) {
        match self {
            Self::Popc | Self::Clz | Self::Bfind | Self::BfindShift | Self::Bmsk(_) => {
                (WORD, Fit::Integer)
            }
            _ if self.is_packed() => (WORD, Fit::Bits),
            _ => (ty, Fit::Exact),
        }
    }

    /// The type of an operand by its number, and how registers fit it.
    pub(crate) fn source(self, ty: Type, number: usize) -> (Type, Fit) {
        match (self, number) {
            (Self::Bfe, 1 | 2)
            | (Self::Bfi, 2 | 3)
            | (Self::ShiftLeft(_) | Self::ShiftRight(_), 2)
            | (Self::Szext(_), 1)
            | (Self::Bmsk(_), _) => (WORD, Fit::Integer),
            (Self::Slct(Sign::Integer), 2) => (Type::new(TypeKind::Signed, 32), Fit::Exact),
            (Self::Slct(_), 2) => (Type::new(TypeKind::Float, 32), Fit::Exact),
            (Self::Dp4a(bytes) | Self::Dp2a(_, bytes), 1) => (Type::new(bytes, 32), Fit::Exact),
            (Self::Pack(_), 2) => (WORD, Fit::Exact),
            _ if self.is_packed() => (WORD, Fit::Bits),
            _ => (ty, Fit::Exact),
        }
    }
}
