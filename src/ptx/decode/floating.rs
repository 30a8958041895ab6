//! Which floating-point forms there are (PTX-9.7.3, PTX-9.7.4, PTX-9.7.5, PTX-9.7.6, PTX-9.7.7).
//!
//! Sums, minima and maxima are computed. The others are outside the subset: they are checked, and
//! become operations that nobody understands.

use super::grammar::Grammar;
use super::{Decoded, Decoder, outside};
use crate::ptx::floating::FloatMode;
use crate::ptx::instruction::OperandKind;
use crate::ptx::names;
use crate::ptx::operation::{ArithmeticOp, Operation, Type, TypeKind};

const ADD: Grammar = Grammar {
    section: "PTX-9.7.3.3",
    forms: &[
        "add{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32 d, a, b",
        "add{.rn|.rz|.rm|.rp}{.ftz}.f32x2 d, a, b",
        "add{.rn|.rz|.rm|.rp}.f64 d, a, b",
        "add{.rn}{.ftz}{.sat}.{f16|f16x2} d, a, b",
        "add{.rn}.{bf16|bf16x2} d, a, b",
        "add{.rn|.rz|.rm|.rp}{.sat}.f32.{f16|bf16} d, a, c",
    ],
};

const SUB: Grammar = Grammar {
    section: "PTX-9.7.3.4",
    forms: &[
        "sub{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32 d, a, b",
        "sub{.rn|.rz|.rm|.rp}{.ftz}.f32x2 d, a, b",
        "sub{.rn|.rz|.rm|.rp}.f64 d, a, b",
        "sub{.rn}{.ftz}{.sat}.{f16|f16x2} d, a, b",
        "sub{.rn}.{bf16|bf16x2} d, a, b",
        "sub{.rn|.rz|.rm|.rp}{.sat}.f32.{f16|bf16} d, a, c",
    ],
};

const MUL: Grammar = Grammar {
    section: "PTX-9.7.3.5",
    forms: &[
        "mul{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32 d, a, b",
        "mul{.rn|.rz|.rm|.rp}{.ftz}.f32x2 d, a, b",
        "mul{.rn|.rz|.rm|.rp}.f64 d, a, b",
        "mul{.rn}{.ftz}{.sat}.{f16|f16x2} d, a, b",
        "mul{.rn}.{bf16|bf16x2} d, a, b",
    ],
};

/// Targets before sm_20 have `mad` without a rounding mode.
const MAD: Grammar = Grammar {
    section: "PTX-9.7.3.7",
    forms: &[
        "mad{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32 d, a, b, c",
        "mad{.rn|.rz|.rm|.rp}.f64 d, a, b, c",
    ],
};

/// Versions before 1.4 have `div` without a rounding mode.
const DIV: Grammar = Grammar {
    section: "PTX-9.7.3.8",
    forms: &[
        "div{.approx|.full|.rn|.rz|.rm|.rp}{.ftz}.f32 d, a, b",
        "div{.rn|.rz|.rm|.rp}.f64 d, a, b",
    ],
};

const ABS: Grammar = Grammar {
    section: "PTX-9.7.3.9",
    forms: &[
        "abs{.ftz}.f32 d, a",
        "abs.f64 d, a",
        "abs{.ftz}.{f16|f16x2} d, a",
        "abs.{bf16|bf16x2} d, a",
    ],
};

const NEG: Grammar = Grammar {
    section: "PTX-9.7.3.10",
    forms: &[
        "neg{.ftz}.f32 d, a",
        "neg.f64 d, a",
        "neg{.ftz}.{f16|f16x2} d, a",
        "neg.{bf16|bf16x2} d, a",
    ],
};

const MIN: Grammar = Grammar {
    section: "PTX-9.7.3.11",
    forms: &[
        "min{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b",
        "min{.ftz}{.NaN}{.abs}.f32 d, a, b, c",
        "min.f64 d, a, b",
        "min{.ftz}{.NaN}{.xorsign.abs}.{f16|f16x2} d, a, b",
        "min{.NaN}{.xorsign.abs}.{bf16|bf16x2} d, a, b",
    ],
};

const MAX: Grammar = Grammar {
    section: "PTX-9.7.3.12",
    forms: &[
        "max{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b",
        "max{.ftz}{.NaN}{.abs}.f32 d, a, b, c",
        "max.f64 d, a, b",
        "max{.ftz}{.NaN}{.xorsign.abs}.{f16|f16x2} d, a, b",
        "max{.NaN}{.xorsign.abs}.{bf16|bf16x2} d, a, b",
    ],
};

const SETP: Grammar = Grammar {
    section: "PTX-9.7.6.2",
    forms: &[
        "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}{.ftz}.{f32|f16|f16x2} p{|q}, a, b{, {!}c}",
        "setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}.{f64|bf16|bf16x2} p{|q}, a, b{, {!}c}",
    ],
};

const SET: Grammar = Grammar {
    section: "PTX-9.7.6.1, PTX-9.7.7.1",
    forms: &[
        "set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}{.ftz}.{u32|s32|f32|f16}.f32 d, a, b{, {!}c}",
        "set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}.{u32|s32|f32|f16}.f64 d, a, b{, {!}c}",
        "set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}{.ftz}.{u16|s16|u32|s32|f16}.f16 d, a, b{, {!}c}",
        "set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}.{u16|s16|u32|s32}.bf16 d, a, b{, {!}c}",
        "set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}{.ftz}.{u32|s32|f16x2}.f16x2 d, a, b{, {!}c}",
        "set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}.{u32|s32|bf16x2}.bf16x2 d, a, b{, {!}c}",
        "set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}.bf16.{f16|f32|f64} d, a, b{, {!}c}",
        "set.{eq|ne|lt|le|gt|ge}{.and|.or|.xor}.{f32|f16|bf16}.{s16|s32|s64} d, a, b{, {!}c}",
        "set.{eq|ne|lt|le|gt|ge|lo|ls|hi|hs}{.and|.or|.xor}.{f32|f16|bf16}.{u16|u32|u64} d, a, b{, {!}c}",
        "set.{eq|ne}{.and|.or|.xor}.{f32|f16|bf16}.{b16|b32|b64} d, a, b{, {!}c}",
    ],
};

fn grammar(opcode: &str) -> Option<&'static Grammar> {
    Some(match opcode {
        "add" => &ADD,
        "sub" => &SUB,
        "mul" => &MUL,
        "mad" => &MAD,
        "div" => &DIV,
        "abs" => &ABS,
        "neg" => &NEG,
        "min" => &MIN,
        "max" => &MAX,
        "setp" => &SETP,
        "set" => &SET,
        _ => return None,
    })
}

impl Decoder<'_> {
    /// An instruction on floating-point numbers, if the opcode has such and a type says so.
    pub(super) fn floating(&mut self, opcode: &str) -> Option<Decoded> {
        let words = &self.instruction.qualifiers;
        let ty = words.iter().find_map(|word| floating_type(&word.value))?;
        Some(self.floating_form(grammar(opcode)?, ty))
    }

    fn floating_form(&self, grammar: &'static Grammar, ty: Type) -> Decoded {
        let operands = self.check_form(grammar)?;
        for operand in operands.iter().skip(1) {
            if matches!(operand.kind, OperandKind::Integer(_)) {
                self.value(operand, ty)?;
            }
        }
        match self.computed(ty) {
            Some(op) => {
                let destination = self.real_destination(&operands[0])?;
                let words = self.instruction.qualifiers.iter().map(|word| word.value.as_str());
                let mode = FloatMode::new(words);
                let sources = operands[1..].iter().map(|operand| self.value(operand, ty));
                let sources = sources.collect::<Result<_, _>>()?;
                Ok(Operation::Float { op, ty, mode, destination, sources })
            }
            None => Ok(outside::unknown(self)),
        }
    }

    /// The function, where it is one of the subset.
    fn computed(&self, ty: Type) -> Option<ArithmeticOp> {
        let types = self.instruction.qualifiers.iter();
        let one_type = types.filter(|word| floating_type(&word.value).is_some()).count() == 1;
        // Pairs of `.f32` and sums of two formats are not computed.
        let plain = one_type && !(ty.is_packed() && ty.bits == 64);
        match self.instruction.opcode.value.as_str() {
            _ if !plain => None,
            "add" => Some(ArithmeticOp::Add),
            "min" => Some(ArithmeticOp::Min),
            "max" => Some(ArithmeticOp::Max),
            _ => None,
        }
    }
}

/// The floating-point type that a qualifier names, pairs of `.f32` included.
fn floating_type(word: &str) -> Option<Type> {
    match word {
        "f32x2" => Some(Type::new(TypeKind::FloatX2, 64)),
        _ => names::ty(word).filter(|ty| ty.is_float()),
    }
}
