//! Integer and bit instructions beyond plain arithmetic: fields, permutations, counts, logic of
//! three operands, saturation, pairs, and arithmetic with a carry.

use super::arithmetic::is_integer;
use super::{Decoded, Decoder, outside};
use crate::ptx::error::DecodeError;
use crate::ptx::instruction::{Operand, OperandKind};
use crate::ptx::integer::{CARRY, packed};
use crate::ptx::names;
use crate::ptx::operation::{
    BoolOp, CarryOp, Excess, Half, IntegerOp, NonZeroTest, Operation, Permutation, Register, Sign,
    Type, TypeKind, Value,
};
use crate::source::Spanned;

/// What an instruction is written like, and where the standard has it.
struct Shape {
    text: &'static str,
    section: &'static str,
    /// Operands besides the destination.
    sources: usize,
}

const fn shape(text: &'static str, section: &'static str, sources: usize) -> Shape {
    Shape { text, section, sources }
}

const B32: Type = Type::new(TypeKind::Bits, 32);
const B64: Type = Type::new(TypeKind::Bits, 64);
const U16: Type = Type::new(TypeKind::Unsigned, 16);
const U32: Type = Type::new(TypeKind::Unsigned, 32);
const U64: Type = Type::new(TypeKind::Unsigned, 64);
const S16: Type = Type::new(TypeKind::Signed, 16);
const S32: Type = Type::new(TypeKind::Signed, 32);
const S64: Type = Type::new(TypeKind::Signed, 64);
const F32: Type = Type::new(TypeKind::Float, 32);

/// Untyped words of 32 and 64 bits.
const WORDS: &[Type] = &[B32, B64];
/// Integers of 32 bits.
const INTEGERS_32: &[Type] = &[U32, S32];
/// Integers of 32 and 64 bits.
const INTEGERS_32_64: &[Type] = &[U32, U64, S32, S64];
/// Integers of all sizes that registers have.
const INTEGERS: &[Type] = &[U16, U32, U64, S16, S32, S64];

/// Types as messages list them: `.b32`, `.b32 and .b64`, `.u16, .u32 and .u64`.
fn in_words(types: &[Type]) -> String {
    let words: Vec<String> = types.iter().map(|ty| format!(".{ty}")).collect();
    match words.split_last() {
        Some((last, first @ [_, ..])) => format!("{} and {last}", first.join(", ")),
        _ => words.concat(),
    }
}

impl Decoder<'_> {
    /// An instruction whose opcode is here only; any other opcode is unknown.
    pub(super) fn integer_instruction(&mut self, opcode: &str) -> Decoded {
        match opcode {
            "popc" => {
                self.plain(shape("popc.type d, a", "PTX-9.7.1.14", 1), WORDS, IntegerOp::Popc)
            }
            "clz" => self.plain(shape("clz.type d, a", "PTX-9.7.1.15", 1), WORDS, IntegerOp::Clz),
            "brev" => {
                self.plain(shape("brev.type d, a", "PTX-9.7.1.18", 1), WORDS, IntegerOp::Brev)
            }
            "bfind" => {
                let shift = self.qualifiers.flag("shiftamt")?.is_some();
                let op = if shift { IntegerOp::BfindShift } else { IntegerOp::Bfind };
                self.plain(
                    shape("bfind{.shiftamt}.type d, a", "PTX-9.7.1.16", 1),
                    INTEGERS_32_64,
                    op,
                )
            }
            "bfe" => {
                let shape = shape("bfe.type d, a, position, length", "PTX-9.7.1.19", 3);
                self.plain(shape, INTEGERS_32_64, IntegerOp::Bfe)
            }
            "bfi" => {
                let shape = shape("bfi.type d, a, b, position, length", "PTX-9.7.1.20", 4);
                self.plain(shape, WORDS, IntegerOp::Bfi)
            }
            "prmt" => {
                let shape =
                    shape("prmt.b32{.f4e|.b4e|.rc8|.ecl|.ecr|.rc16} d, a, b, c", "PTX-9.7.9.7", 3);
                let mode = self.qualifiers.take(permutation)?.map(|mode| mode.value);
                let op = IntegerOp::Prmt(mode.unwrap_or(Permutation::Selectors));
                self.plain(shape, &[B32], op)
            }
            "shf" => {
                let shape = shape("shf.{l|r}.{clamp|wrap}.b32 d, a, b, c", "PTX-9.7.8.7", 3);
                let left = match self.leading(&["l", "r"])? {
                    Some(word) => word == "l",
                    None => return Err(self.missing("`.l` or `.r` first", shape.section)),
                };
                let excess = self.excess(shape.section)?;
                let op = match left {
                    true => IntegerOp::ShiftLeft(excess),
                    false => IntegerOp::ShiftRight(excess),
                };
                self.plain(shape, &[B32], op)
            }
            "lop3" => self.logic(),
            "sad" => {
                self.plain(shape("sad.type d, a, b, c", "PTX-9.7.1.7", 3), INTEGERS, IntegerOp::Sad)
            }
            "slct" => self.select_by_sign(),
            "mul24" | "mad24" => self.multiply_24(opcode),
            "dp4a" | "dp2a" => self.dot_product(opcode),
            "szext" => {
                let shape = shape("szext.{clamp|wrap}.type d, a, b", "PTX-9.7.1.21", 2);
                let op = IntegerOp::Szext(self.excess(shape.section)?);
                self.plain(shape, INTEGERS_32, op)
            }
            "bmsk" => {
                let shape = shape("bmsk.{clamp|wrap}.b32 d, a, b", "PTX-9.7.1.22", 2);
                let op = IntegerOp::Bmsk(self.excess(shape.section)?);
                self.plain(shape, &[B32], op)
            }
            _ => Err(self.unknown_opcode()),
        }
    }

    /// Arithmetic with a word that makes it saturate, work on packed numbers or use the carry; `None` where
    /// there is no such word, or none that the opcode could have.
    pub(super) fn modified_arithmetic(&mut self, opcode: &str) -> Option<Decoded> {
        let has = |word: &str| self.qualifiers.has(word);
        let takes = matches!(opcode, "addc" | "subc" | "madc");
        if has("cc") || takes {
            let op = match opcode {
                "add" | "addc" => CarryOp::Add,
                "sub" | "subc" => CarryOp::Sub,
                "mad" | "madc" => CarryOp::Mad(Half::Lo),
                _ => return None,
            };
            return Some(self.carry(op, takes));
        }
        if !["sat", "relu", "u16x2", "s16x2", "u8x4", "s8x4"].iter().any(|word| has(word)) {
            return None;
        }
        match opcode {
            "add" | "sub" | "min" | "max" => Some(self.saturating(opcode)),
            "neg" if !has("sat") && !has("relu") => Some(self.saturating(opcode)),
            "mad" if has("sat") => Some(self.multiply_add_saturated()),
            _ => None,
        }
    }

    fn plain(&mut self, shape: Shape, legal: &[Type], op: IntegerOp) -> Decoded {
        let ty = self.listed_type(legal, shape.section)?;
        self.whole(&shape, op, ty)
    }

    /// The type, which has to be written and to be in a list.
    fn listed_type(&mut self, legal: &[Type], section: &'static str) -> Result<Type, DecodeError> {
        match self.qualifiers.ty()? {
            Some(ty) if legal.contains(&ty.value) => Ok(ty.value),
            Some(ty) => Err(self.illegal_type(ty, in_words(legal), section)),
            None => Err(self.missing_type(in_words(legal), section)),
        }
    }

    /// The operands of an instruction whose qualifiers are known.
    fn whole(&mut self, shape: &Shape, op: IntegerOp, ty: Type) -> Decoded {
        let count = shape.sources + 1;
        let operands = self.operands(count, count, shape.text)?;
        self.finish(shape.text)?;
        let destination = self.real_destination(&operands[0])?;
        let sources = self.sources(op, ty, &operands[1..], shape)?;
        Ok(Operation::Integer { op, ty, destination, sources, test: None })
    }

    fn sources(
        &self,
        op: IntegerOp,
        ty: Type,
        operands: &[Operand],
        shape: &Shape,
    ) -> Result<Vec<Value>, DecodeError> {
        let field = match op {
            IntegerOp::Bfe => 1,
            IntegerOp::Bfi => 2,
            _ => operands.len(),
        };
        let source = |(number, operand): (usize, &Operand)| {
            let value = self.value(operand, op.source(ty, number).0)?;
            match &value {
                Value::Immediate(found) if op.is_packed() => Err(DecodeError::Rule {
                    message: format!("`{operand}` is no operand of `{}`", self.form()),
                    help: "pairs of numbers come from registers: move the bits to one first, \
                           `mov.b32 %r1, 0x00010002`",
                    section: shape.section,
                    span: found.span,
                }),
                Value::Immediate(found) if number >= field && !(0..=255).contains(&found.value) => {
                    let what = if number == field { "the position" } else { "the length" };
                    Err(super::access::range(what, found, "0 to 255"))
                }
                _ => Ok(value),
            }
        };
        operands.iter().enumerate().map(source).collect()
    }

    /// Takes one of `names` where it follows the opcode: it belongs to it.
    fn leading(&mut self, names: &[&'static str]) -> Result<Option<&'static str>, DecodeError> {
        let first = self.instruction.qualifiers.first().map(|word| word.value.as_str());
        if !first.is_some_and(|first| names.contains(&first)) {
            return Ok(None);
        }
        Ok(self.qualifiers.one_of(names)?.map(|found| found.value))
    }

    fn half(&mut self, section: &'static str) -> Result<Half, DecodeError> {
        match self.leading(&["lo", "hi"])? {
            Some("lo") => Ok(Half::Lo),
            Some(_) => Ok(Half::Hi),
            None => Err(self.missing("`.lo` or `.hi` first", section)),
        }
    }

    fn excess(&mut self, section: &'static str) -> Result<Excess, DecodeError> {
        match self.qualifiers.one_of(&["clamp", "wrap"])? {
            Some(word) if word.value == "clamp" => Ok(Excess::Clamp),
            Some(_) => Ok(Excess::Wrap),
            None => Err(self.missing("`.clamp` or `.wrap`", section)),
        }
    }

    fn logic(&mut self) -> Decoded {
        const SECTION: &str = "PTX-9.7.8.6";
        const PLAIN: &str = "lop3.b32 d, a, b, c, table";
        const TEST: &str = "lop3.{and|or}.b32 d|p, a, b, c, table, q";
        let word = self.qualifiers.one_of(&["and", "or"])?;
        let shape = if word.is_some() { TEST } else { PLAIN };
        let ty = match self.qualifiers.ty()? {
            Some(ty) if ty.value == B32 => ty.value,
            Some(ty) => return Err(self.illegal_type(ty, ".b32", SECTION)),
            None => return Err(self.missing("the type `.b32`", SECTION)),
        };
        self.finish("lop3{.and|.or}.b32 d{|p}, a, b, c, table{, q}")?;
        let count = if word.is_some() { 6 } else { 5 };
        let operands = self.operands(count, count, shape)?;
        let OperandKind::Integer(table) = operands[4].kind else {
            return Err(DecodeError::Operand {
                expected: "the table, an integer constant from 0 to 255",
                found: operands[4].kind.describe().to_owned(),
                span: operands[4].span,
            });
        };
        // Larger constants are cut, as those of other instructions are.
        let op = IntegerOp::Lop3((table & 0xFF) as u8);
        let (destination, test) = match word {
            None => (self.destination(&operands[0])?, None),
            Some(word) => {
                let (destination, predicate) = self.destination_pair(&operands[0])?;
                let Some(predicate) = predicate else {
                    return Err(super::operand::mismatch(
                        "a register and a predicate, `d|p` or `_|p`",
                        &operands[0],
                    ));
                };
                let op = if word.value == "and" { BoolOp::And } else { BoolOp::Or };
                let with = self.predicate(&operands[5])?;
                (destination, Some(NonZeroTest { predicate, op, with }))
            }
        };
        let shape = self::shape(shape, SECTION, 3);
        let sources = self.sources(op, ty, &operands[1..4], &shape)?;
        Ok(Operation::Integer { op, ty, destination, sources, test })
    }

    fn select_by_sign(&mut self) -> Decoded {
        let shape = shape("slct{.ftz}.type.{s32|f32} d, a, b, c", "PTX-9.7.6.4", 3);
        let flushes = self.qualifiers.flag("ftz")?.is_some();
        let [ty, condition] = self.qualifiers.types()[..] else {
            return Err(self.missing("two types: `slct.type.s32 d, a, b, c`", shape.section));
        };
        let sized = matches!(ty.value.bits, 16 | 32 | 64);
        let legal = match ty.value.kind {
            TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed => sized,
            TypeKind::Float => matches!(ty.value.bits, 32 | 64),
            _ => false,
        };
        if !legal {
            let legal = ".b16 to .b64, .u16 to .u64, .s16 to .s64, .f32 and .f64";
            return Err(self.illegal_type(ty, legal, shape.section));
        }
        let sign = match (condition.value, flushes) {
            (S32, false) => Sign::Integer,
            (F32, false) => Sign::Float,
            (F32, true) => Sign::FloatFlushed,
            (S32, true) => {
                let help = "integers have no subnormals: leave it out";
                return Err(self.rule("`.ftz` is for `slct.type.f32`", help, shape.section));
            }
            _ => {
                let legal = ".s32 and .f32 for the last operand";
                return Err(self.illegal_type(condition, legal, shape.section));
            }
        };
        self.whole(&shape, IntegerOp::Slct(sign), ty.value)
    }

    fn multiply_24(&mut self, opcode: &str) -> Decoded {
        if opcode == "mul24" {
            let shape = shape("mul24.{lo|hi}.type d, a, b", "PTX-9.7.1.5", 2);
            let half = self.half(shape.section)?;
            return self.plain(shape, INTEGERS_32, IntegerOp::Mul24(half));
        }
        let shape = shape("mad24.{lo|hi}.type d, a, b, c", "PTX-9.7.1.6", 3);
        let half = self.half(shape.section)?;
        if half == Half::Hi && self.qualifiers.flag("sat")?.is_some() {
            let shape = self::shape("mad24.hi.sat.s32 d, a, b, c", shape.section, 3);
            return self.plain(shape, &[S32], IntegerOp::Mad24Saturated);
        }
        self.plain(shape, INTEGERS_32, IntegerOp::Mad24(half))
    }

    fn dot_product(&mut self, opcode: &str) -> Decoded {
        let (shape, half) = if opcode == "dp4a" {
            (shape("dp4a.type.type d, a, b, c", "PTX-9.7.1.23", 3), None)
        } else {
            let shape = shape("dp2a.{lo|hi}.type.type d, a, b, c", "PTX-9.7.1.24", 3);
            let half = self.half(shape.section)?;
            (shape, Some(half))
        };
        let types = self.qualifiers.types();
        if let Some(ty) = types.iter().find(|ty| !INTEGERS_32.contains(&ty.value)) {
            return Err(self.illegal_type(*ty, in_words(INTEGERS_32), shape.section));
        }
        let [ty, bytes] = types[..] else {
            return Err(self.missing("two types, those of a and b", shape.section));
        };
        let op = match half {
            None => IntegerOp::Dp4a(bytes.value.kind),
            Some(half) => IntegerOp::Dp2a(half, bytes.value.kind),
        };
        self.whole(&shape, op, ty.value)
    }

    /// `add`, `sub`, `min` and `max` with `.sat` or `.relu`, or these and `neg` of packed numbers. For
    /// four bytes, which PTX 9.2 added, the standard gives no syntax: it is the assembler's.
    fn saturating(&mut self, opcode: &str) -> Decoded {
        let section = match opcode {
            "add" => "PTX-9.7.1.1",
            "sub" => "PTX-9.7.1.2",
            "min" => "PTX-9.7.1.12",
            "max" => "PTX-9.7.1.13",
            _ => "PTX-9.7.1.11",
        };
        let (word, words) = match opcode {
            "add" | "sub" => ("sat", "op{.sat}.type d, a, b"),
            "neg" => ("sat", "neg.s8x4 d, a"),
            _ => ("relu", "op{.relu}.type d, a, b"),
        };
        let modified = self.qualifiers.flag(word)?.is_some();
        let legal = match (opcode, modified) {
            ("add", true) => ".s32, .u32, .s16x2, .u16x2, .s8x4 and .u8x4",
            ("sub", true) => ".s32, .s8x4 and .u8x4",
            ("sub", false) => ".u16 to .u64, .s16 to .s64, .s8x4 and .u8x4",
            ("neg", _) => ".s16 to .s64 and .s8x4",
            _ => ".s32, .s16x2 and .s8x4",
        };
        let part = self.qualifiers.take(|word| match word {
            "u16x2" => Some(Type::new(TypeKind::Unsigned, 16)),
            "s16x2" => Some(Type::new(TypeKind::Signed, 16)),
            "u8x4" => Some(Type::new(TypeKind::Unsigned, 8)),
            "s8x4" => Some(Type::new(TypeKind::Signed, 8)),
            _ => None,
        })?;
        let shape = shape(words, section, if opcode == "neg" { 1 } else { 2 });
        let Some(part) = part else {
            let op = match opcode {
                "add" => IntegerOp::AddSaturated,
                "sub" => IntegerOp::SubSaturated,
                "min" => IntegerOp::MinRelu,
                _ => IntegerOp::MaxRelu,
            };
            if !modified {
                self.finish(words)?;
            }
            let legal_here: &[Type] = if opcode == "add" { INTEGERS_32 } else { &[S32] };
            return match self.qualifiers.ty()? {
                Some(ty) if legal_here.contains(&ty.value) => self.whole(&shape, op, ty.value),
                Some(ty) => Err(self.illegal_type(ty, legal, section)),
                None => Err(self.missing_type(legal, section)),
            };
        };
        let op = match (opcode, modified) {
            ("add", false) => IntegerOp::AddPacked,
            ("add", true) => IntegerOp::AddPackedSaturated,
            ("min", false) => IntegerOp::MinPacked,
            ("max", false) => IntegerOp::MaxPacked,
            ("sub", false) if part.value.bits == 8 => IntegerOp::SubPacked,
            ("sub", true) if part.value.bits == 8 => IntegerOp::SubPackedSaturated,
            ("neg", _) if part.value == Type::new(TypeKind::Signed, 8) => IntegerOp::NegPacked,
            ("min", true) if part.value.is_signed() => IntegerOp::MinPackedRelu,
            ("max", true) if part.value.is_signed() => IntegerOp::MaxPackedRelu,
            _ => {
                let found = Spanned::new(packed(part.value), part.span);
                let form = self.form();
                let legal = legal.to_owned();
                return Err(DecodeError::Type { form, found, legal, section });
            }
        };
        self.whole(&shape, op, part.value)
    }

    fn multiply_add_saturated(&mut self) -> Decoded {
        let shape = shape("mad.hi.sat.s32 d, a, b, c", "PTX-9.7.1.4", 3);
        if self.leading(&["hi"])?.is_none() {
            let help = "only `mad.hi.sat.s32` saturates";
            return Err(self.rule("`.sat` is for `mad.hi.s32`", help, shape.section));
        }
        self.qualifiers.flag("sat")?;
        self.plain(shape, &[S32], IntegerOp::MadSaturated)
    }

    fn carry(&mut self, op: CarryOp, takes: bool) -> Decoded {
        const MAD: &str = "mad{c}.{lo|hi}{.cc}.type d, a, b, c";
        const SUM: &str = "op{.cc}.type d, a, b";
        // The assembler takes it, the standard does not say what it is.
        if takes && self.qualifiers.has("sat") {
            return Ok(outside::unknown(self));
        }
        let (op, shape) = match op {
            CarryOp::Mad(_) => {
                (CarryOp::Mad(self.half("PTX-9.7.2.5")?), shape(MAD, "PTX-9.7.2.5", 3))
            }
            CarryOp::Add => (op, shape(SUM, "PTX-9.7.2.1", 2)),
            CarryOp::Sub => (op, shape(SUM, "PTX-9.7.2.3", 2)),
        };
        let sets = self.qualifiers.flag("cc")?;
        let legal = if sets.is_some() { INTEGERS_32_64 } else { INTEGERS };
        let ty = self.listed_type(legal, shape.section)?;
        let count = shape.sources + 1;
        let operands = self.operands(count, count, shape.text)?;
        self.finish(shape.text)?;
        let destination = self.real_destination(&operands[0])?;
        let sources = operands[1..].iter().map(|operand| self.value(operand, ty));
        let carry = |span| Register::new(CARRY.to_owned(), span);
        Ok(Operation::Carry {
            op,
            ty,
            destination,
            sources: sources.collect::<Result<_, _>>()?,
            carry_in: takes.then(|| carry(self.instruction.opcode.span)),
            carry_out: sets.map(carry),
        })
    }

    /// `cvt.pack.sat`: two words to values of 2 to 16 bits side by side.
    pub(super) fn pack(&mut self) -> Decoded {
        const SECTION: &str = "PTX-9.7.9.22";
        const LEGAL: &str = ".u2, .s2, .u4, .s4, .u8, .s8, .u16 and .s16 of .s32";
        self.qualifiers.flag("pack")?;
        if self.qualifiers.flag("sat")?.is_none() {
            return Err(self.missing("`.sat`", SECTION));
        }
        let part = self.qualifiers.take(|word| match word {
            "u2" => Some(Type::new(TypeKind::Unsigned, 2)),
            "s2" => Some(Type::new(TypeKind::Signed, 2)),
            "u4" => Some(Type::new(TypeKind::Unsigned, 4)),
            "s4" => Some(Type::new(TypeKind::Signed, 4)),
            _ => names::ty(word).filter(|ty| is_integer(*ty) && ty.bits < 32),
        })?;
        let Some(part) = part else { return Err(self.missing("a type to convert to", SECTION)) };
        let mut types = self.qualifiers.types();
        types.retain(|ty| ty.span != part.span);
        let written: Vec<Type> = types.iter().map(|ty| ty.value).collect();
        let shape = match (part.value.bits, written.as_slice()) {
            (16, [S32]) => shape("cvt.pack.sat.{u16|s16}.s32 d, a, b", SECTION, 2),
            (2 | 4 | 8, [S32, B32]) => shape("cvt.pack.sat.type.s32.b32 d, a, b, c", SECTION, 3),
            (16, []) => return Err(self.missing("the type `.s32`", SECTION)),
            (_, [] | [S32]) => return Err(self.missing("the types `.s32.b32`", SECTION)),
            _ => {
                let found = types[written.len() - 1];
                return Err(self.illegal_type(found, LEGAL, SECTION));
            }
        };
        self.whole(&shape, IntegerOp::Pack(part.value), types[0].value)
    }
}

fn permutation(word: &str) -> Option<Permutation> {
    use Permutation::{B4e, Ecl, Ecr, F4e, Rc8, Rc16};
    [F4e, B4e, Rc8, Ecl, Ecr, Rc16].into_iter().find(|mode| mode.word() == word)
}
