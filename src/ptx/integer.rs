//! Integer and bit instructions beyond plain arithmetic: the functions that they compute.

use super::value::{Type, TypeKind};

/// The register that holds the carry of extended arithmetic (PTX-9.7.2), under a name that no text
/// can have.
pub const CARRY: &str = "CC.CF";

/// The treatment of amounts beyond the width of a word.
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

/// The comparison of `slct`'s condition with zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sign {
    /// `.s32`
    Integer,
    /// `.f32`
    Float,
    /// `.ftz.f32`
    FloatFlushed,
}

/// The function of an integer instruction, other than arithmetic of one or two operands.
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
    /// The function as a table: its result for a, b and c equal to 0xF0, 0xCC and 0xAA.
    Lop3(u8),
    Sad,
    Slct(Sign),
    Mul24(Half),
    Mad24(Half),
    /// `mad24.hi.sat`
    Mad24Saturated,
    /// With the type of the second operand's bytes.
    Dp4a(TypeKind),
    /// The half of the second operand, and the type of its bytes.
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

/// The function of arithmetic with a carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum CarryOp {
    Add,
    Sub,
    Mad(Half),
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
