//! Integer arithmetic, logic and shifts (PTX-9.7.1, PTX-9.7.2, PTX-9.7.8).

use crate::ptx::error::Legal;
use crate::ptx::integer::{CARRY, CarryOp, Excess, Half, IntegerOp as I, Permutation, Sign};
use crate::ptx::mismatch::Expected;
use crate::ptx::row::{Asks, Implied, Limits, Op, Row, Takes, form};
use crate::ptx::since::Later;
use crate::ptx::value::{ArithmeticOp as A, Type};
use crate::ptx::words::Words;

const INTEGERS: &str = ".u16, .u32, .u64, .s16, .s32 and .s64";
const SIGNED: &str = ".s16, .s32 and .s64";
const HALVES: &str = ".u16, .u32, .s16 and .s32";
const INTEGERS_32: &str = ".u32 and .s32";
const INTEGERS_32_64: &str = ".u32, .u64, .s32 and .s64";
const WORDS: &str = ".b32 and .b64";
const BITS: &str = ".b16, .b32 and .b64";
const TRUTHS: &str = ".b16, .b32, .b64 and .pred";

/// Arithmetic of one or two operands.
const fn plain(text: &'static str, types: &'static str, op: A) -> Row {
    form(text, "PTX-9.7.1", [1, 0, 10], Op::Arithmetic(op))
        .types(types)
        .untyped()
        .shown("op.type d, a, b")
}

const fn unary(text: &'static str, types: &'static str, op: A) -> Row {
    plain(text, types, op).shown("op.type d, a")
}

const fn integer(
    text: &'static str,
    section: &'static str,
    since: [u32; 3],
    op: fn(&Words) -> I,
) -> Row {
    form(text, section, since, Op::Integer(op))
}

const HALF: &[(&str, Asks)] = &[(".{lo|hi}", Asks::missing("`.lo`, `.hi` or `.wide`"))];

/// The number of twice the width that a wide product gives, and that may be added to it.
const WIDE: &[(&str, Takes)] = &[("d", Takes::Wide(0)), ("c", Takes::Wide(0))];

/// Of the types with a carry those of 32 bits are the first.
const CARRIED: &[Later] = &[Later::with(&[&["u16", "s16", "u64", "s64"]], [4, 3, 20])];

type Carries = &'static [(&'static str, Implied)];
const TAKES: Carries = &[(CARRY, Implied::Read)];
const GIVES: Carries = &[(CARRY, Implied::Written("cc"))];
const BOTH: Carries = &[(CARRY, Implied::Read), (CARRY, Implied::Written("cc"))];

/// Sums and differences that take the carry, or give it, or both.
const fn sum(
    text: &'static str,
    section: &'static str,
    types: &'static str,
    op: fn(&Words) -> CarryOp,
    carries: Carries,
) -> Row {
    form(text, section, [1, 2, 10], Op::Carry(op))
        .types(types)
        .implied(carries)
        .changed(CARRIED)
        .shown("op{.cc}.type d, a, b")
}

const fn product(text: &'static str, types: &'static str, carries: Carries) -> Row {
    form(text, "PTX-9.7.2.5", [3, 0, 20], Op::Carry(|w| CarryOp::Mad(half(w))))
        .types(types)
        .implied(carries)
        .changed(CARRIED)
        .leading(1)
        .shown("mad{c}.{lo|hi}{.cc}.type d, a, b, c")
}

/// Sums, differences, minima and maxima of words that hold two or four numbers. For four bytes, which
/// PTX 9.2 added, the standard gives no syntax: it is the assembler's.
const fn packed(
    text: &'static str,
    section: &'static str,
    since: [u32; 3],
    op: fn(&Words) -> I,
) -> Row {
    const WORD: &[(&str, Takes)] =
        &[("d", Takes::Packed), ("a", Takes::Packed), ("b", Takes::Packed)];
    integer(text, section, since, op).operands(WORD)
}

const fn slct(text: &'static str, op: fn(&Words) -> I) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[("c", Takes::Type(1))];
    integer(text, "PTX-9.7.6.4", [1, 0, 10], op)
        .types(".b16 to .b64, .u16 to .u64, .s16 to .s64, .f32 and .f64")
        .slots(SIGNS)
        .operands(OPERANDS)
        .shown("slct{.ftz}.type.{s32|f32} d, a, b, c")
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    plain("add.type d, a, b", INTEGERS, A::Add),
    plain("sub.type d, a, b", INTEGERS, A::Sub),
    form("mul.{lo|hi}.type d, a, b", "PTX-9.7.1.3", [1, 0, 10], Op::Product).types(INTEGERS).slots(HALF).untyped()
        .shown("op.type d, a, b"),
    form("mul.wide.type d, a, b", "PTX-9.7.1.3", [1, 0, 10], Op::Product).types(HALVES).untyped().operands(WIDE)
        .shown("op.type d, a, b"),
    form("mad.{lo|hi}.type d, a, b, c", "PTX-9.7.1.4", [1, 0, 10], Op::MultiplyAdd).types(INTEGERS).slots(HALF).untyped()
        .shown("mad.{lo|hi|wide}.type d, a, b, c"),
    form("mad.wide.type d, a, b, c", "PTX-9.7.1.4", [1, 0, 10], Op::MultiplyAdd).types(HALVES).untyped().operands(WIDE)
        .shown("mad.{lo|hi|wide}.type d, a, b, c"),
    plain("div.type d, a, b", INTEGERS, A::Div),
    plain("rem.type d, a, b", INTEGERS, A::Rem),
    plain("min.type d, a, b", INTEGERS, A::Min),
    plain("max.type d, a, b", INTEGERS, A::Max),
    unary("abs.type d, a", SIGNED, A::Abs),
    unary("neg.type d, a", SIGNED, A::Neg),
    plain("and.type d, a, b", TRUTHS, A::And),
    plain("or.type d, a, b", TRUTHS, A::Or),
    plain("xor.type d, a, b", TRUTHS, A::Xor),
    unary("not.type d, a", TRUTHS, A::Not),
    unary("cnot.type d, a", BITS, A::Cnot),
    plain("shl.type d, a, b", BITS, A::Shl).operands(&[("b", Takes::Word)]),
    plain("shr.type d, a, b", ".b16 to .b64, .u16 to .u64 and .s16 to .s64", A::Shr).operands(&[("b", Takes::Word)]),
    // With a carry.
    sum("add.cc.type d, a, b", "PTX-9.7.2.1", INTEGERS_32_64, |_| CarryOp::Add, GIVES),
    sum("addc.type d, a, b", "PTX-9.7.2.2", INTEGERS, |_| CarryOp::Add, TAKES),
    sum("addc.cc.type d, a, b", "PTX-9.7.2.2", INTEGERS_32_64, |_| CarryOp::Add, BOTH),
    sum("sub.cc.type d, a, b", "PTX-9.7.2.3", INTEGERS_32_64, |_| CarryOp::Sub, GIVES),
    sum("subc.type d, a, b", "PTX-9.7.2.4", INTEGERS, |_| CarryOp::Sub, TAKES),
    sum("subc.cc.type d, a, b", "PTX-9.7.2.4", INTEGERS_32_64, |_| CarryOp::Sub, BOTH),
    product("mad.{lo|hi}.cc.type d, a, b, c", INTEGERS_32_64, GIVES),
    product("madc.{lo|hi}.type d, a, b, c", INTEGERS, TAKES),
    product("madc.{lo|hi}.cc.type d, a, b, c", INTEGERS_32_64, BOTH),
    // Saturating, and without numbers below zero.
    integer("add.sat.type d, a, b", "PTX-9.7.1.1", [1, 0, 10], |_| I::AddSaturated)
        .types(".s32, .u32, .s16x2, .u16x2, .s8x4 and .u8x4").changed(SATURATED),
    integer("sub.sat.type d, a, b", "PTX-9.7.1.2", [1, 0, 10], |_| I::SubSaturated).types(".s32, .s8x4 and .u8x4").changed(SATURATED),
    integer("mad.hi.sat.s32 d, a, b, c", "PTX-9.7.1.4", [1, 0, 10], |_| I::MadSaturated).leading(1),
    integer("min.relu.type d, a, b", "PTX-9.7.1.12", [8, 0, 90], |_| I::MinRelu).types(".s32, .s16x2 and .s8x4"),
    integer("max.relu.type d, a, b", "PTX-9.7.1.13", [8, 0, 90], |_| I::MaxRelu).types(".s32, .s16x2 and .s8x4"),
    packed("add.{u16x2|s16x2} d, a, b", "PTX-9.7.1.1", [8, 0, 90], |_| I::AddPacked),
    packed("add.{u8x4|s8x4} d, a, b", "PTX-9.7.1.1", [9, 2, 120], |_| I::AddPacked).special(),
    packed("add.sat.{u16x2|s16x2|u8x4|s8x4} d, a, b", "PTX-9.7.1.1", [9, 2, 120], |_| I::AddPackedSaturated).special(),
    packed("sub.{u8x4|s8x4} d, a, b", "PTX-9.7.1.2", [9, 2, 120], |_| I::SubPacked).special(),
    packed("sub.sat.{u8x4|s8x4} d, a, b", "PTX-9.7.1.2", [9, 2, 120], |_| I::SubPackedSaturated).special(),
    packed("min.{u16x2|s16x2} d, a, b", "PTX-9.7.1.12", [8, 0, 90], |_| I::MinPacked),
    packed("min.{u8x4|s8x4} d, a, b", "PTX-9.7.1.12", [9, 2, 120], |_| I::MinPacked).special(),
    packed("min.relu.s16x2 d, a, b", "PTX-9.7.1.12", [8, 0, 90], |_| I::MinPackedRelu),
    packed("min.relu.s8x4 d, a, b", "PTX-9.7.1.12", [9, 2, 120], |_| I::MinPackedRelu).special(),
    packed("max.{u16x2|s16x2} d, a, b", "PTX-9.7.1.13", [8, 0, 90], |_| I::MaxPacked),
    packed("max.{u8x4|s8x4} d, a, b", "PTX-9.7.1.13", [9, 2, 120], |_| I::MaxPacked).special(),
    packed("max.relu.s16x2 d, a, b", "PTX-9.7.1.13", [8, 0, 90], |_| I::MaxPackedRelu),
    packed("max.relu.s8x4 d, a, b", "PTX-9.7.1.13", [9, 2, 120], |_| I::MaxPackedRelu).special(),
    packed("neg.s8x4 d, a", "PTX-9.7.1.11", [9, 2, 120], |_| I::NegPacked).special(),
    // Products of 24 bits, sums of differences and of products.
    integer("mul24.{lo|hi}.type d, a, b", "PTX-9.7.1.5", [1, 0, 10], |w| I::Mul24(half(w))).types(INTEGERS_32).leading(1),
    integer("mad24.{lo|hi}.type d, a, b, c", "PTX-9.7.1.6", [1, 0, 10], |w| I::Mad24(half(w))).types(INTEGERS_32).leading(1),
    integer("mad24.hi.sat.s32 d, a, b, c", "PTX-9.7.1.6", [1, 0, 10], |_| I::Mad24Saturated).leading(1),
    integer("sad.type d, a, b, c", "PTX-9.7.1.7", [1, 0, 10], |_| I::Sad).types(INTEGERS),
    integer("dp4a.type.type d, a, b, c", "PTX-9.7.1.23", [5, 0, 61], |w| I::Dp4a(w.type_at(1).kind)).types(INTEGERS_32)
        .slots(TWO_TYPES).operands(&[("b", Takes::Type(1))]),
    integer("dp2a.{lo|hi}.type.type d, a, b, c", "PTX-9.7.1.24", [5, 0, 61], |w| I::Dp2a(half(w), w.type_at(1).kind))
        .types(INTEGERS_32).slots(TWO_TYPES).operands(&[("b", Takes::Type(1))]).leading(1),
    // Bits and fields.
    integer("popc.type d, a", "PTX-9.7.1.14", [2, 0, 20], |_| I::Popc).types(WORDS).operands(COUNT),
    integer("clz.type d, a", "PTX-9.7.1.15", [2, 0, 20], |_| I::Clz).types(WORDS).operands(COUNT),
    integer("bfind{.shiftamt}.type d, a", "PTX-9.7.1.16", [2, 0, 20], bfind).types(INTEGERS_32_64).operands(COUNT),
    form("fns.b32 d, mask, base, offset", "PTX-9.7.1.17", [6, 0, 30], Op::Outside).exact(),
    integer("brev.type d, a", "PTX-9.7.1.18", [2, 0, 20], |_| I::Brev).types(WORDS),
    integer("bfe.type d, a, position, length", "PTX-9.7.1.19", [2, 0, 20], |_| I::Bfe).types(INTEGERS_32_64).operands(FIELD),
    integer("bfi.type d, a, b, position, length", "PTX-9.7.1.20", [2, 0, 20], |_| I::Bfi).types(WORDS).operands(FIELD),
    integer("szext.{clamp|wrap}.type d, a, b", "PTX-9.7.1.21", [7, 6, 70], |w| I::Szext(excess(w))).types(INTEGERS_32)
        .operands(&[("b", Takes::Word)]),
    integer("bmsk.{clamp|wrap}.b32 d, a, b", "PTX-9.7.1.22", [7, 6, 70], |w| I::Bmsk(excess(w)))
        .operands(&[("d", Takes::Word), ("a", Takes::Word), ("b", Takes::Word)]),
    integer("prmt.b32{.f4e|.b4e|.rc8|.ecl|.ecr|.rc16} d, a, b, c", "PTX-9.7.9.7", [2, 0, 20], |w| I::Prmt(permutation(w))),
    integer("shf.{l|r}.{clamp|wrap}.b32 d, a, b, c", "PTX-9.7.8.7", [3, 1, 32], funnel).operands(&[("c", Takes::Word)])
        .leading(1),
    form("lop3.b32 d, a, b, c, table", "PTX-9.7.8.6", [4, 3, 50], Op::Logic)
        .operands(&[("d", Takes::Sink), ("table", Takes::Table)]).takes(LOGIC),
    form("lop3.{and|or}.b32 d|p, a, b, c, table, q", "PTX-9.7.8.6", [8, 2, 70], Op::Logic)
        .operands(&[("d", Takes::Both(Expected::Tested)), ("table", Takes::Table), ("q", Takes::Fixed(Type::PREDICATE))])
        .takes(LOGIC),
    slct("slct.type.s32 d, a, b, c", |_| I::Slct(Sign::Integer)),
    slct("slct{.ftz}.type.f32 d, a, b, c", |w| I::Slct(sign(w))),
    // Numbers of 16 bits and less, side by side.
    integer("cvt.pack.sat.{u16|s16}.s32 d, a, b", PACK, [6, 5, 72], pack).marked("pack").slots(PARTS)
        .operands(&[("d", Takes::Type(1)), ("a", Takes::Type(1)), ("b", Takes::Type(1))]),
    integer("cvt.pack.sat.{u2|s2|u4|s4|u8|s8}.s32.b32 d, a, b, c", PACK, [6, 5, 72], pack).marked("pack").slots(PARTS)
        .operands(&[("d", Takes::Type(1)), ("a", Takes::Type(1)), ("b", Takes::Type(1)), ("c", Takes::Type(2))])
        .changed(&[Later::with(&[&["u2", "s2", "u4", "s4"]], [6, 5, 75])]),
];

const SATURATED: &[Later] = &[Later::with(&[&["u32"]], [9, 2, 120]).special()];
const LOGIC: &str = "lop3{.and|.or}.b32 d{|p}, a, b, c, table{, q}";
const PACK: &str = "PTX-9.7.9.22";
const COUNT: &[(&str, Takes)] = &[("d", Takes::Word)];
const FIELD: &[(&str, Takes)] =
    &[("position", Takes::Within(&POSITION)), ("length", Takes::Within(&LENGTH))];
static POSITION: Limits = Limits {
    what: "the position",
    least: 0,
    most: 255,
    step: 1,
    legal: Legal::Interval("0 to 255"),
};
static LENGTH: Limits = Limits { what: "the length", ..POSITION };
const TWO_TYPES: &[(&str, Asks)] = &[(".type", Asks::missing("two types, those of a and b"))];
const SIGNS: &[(&str, Asks)] = {
    const MISSING: &str = "two types: `slct.type.s32 d, a, b, c`";
    const SIGN: Asks = Asks::missing(MISSING).legal(".s32 and .f32 for the last operand");
    &[(".type", Asks::missing(MISSING)), (".s32", SIGN), (".f32", SIGN)]
};
const PARTS: &[(&str, Asks)] = {
    const LEGAL: &str = ".u2, .s2, .u4, .s4, .u8, .s8, .u16 and .s16 of .s32";
    const PART: Asks = Asks::missing("a type to convert to").legal(LEGAL);
    const BOTH: Asks = Asks::missing("the types `.s32.b32`").legal(LEGAL);
    &[(".{u16|s16}", PART), (".{u2|s2|u4|s4|u8|s8}", PART), (".b32", BOTH)]
};

fn half(words: &Words) -> Half {
    if words.has("hi") { Half::Hi } else { Half::Lo }
}

fn excess(words: &Words) -> Excess {
    if words.has("wrap") { Excess::Wrap } else { Excess::Clamp }
}

fn bfind(words: &Words) -> I {
    if words.has("shiftamt") { I::BfindShift } else { I::Bfind }
}

fn funnel(words: &Words) -> I {
    let excess = excess(words);
    if words.has("l") { I::ShiftLeft(excess) } else { I::ShiftRight(excess) }
}

fn permutation(words: &Words) -> Permutation {
    use Permutation::{B4e, Ecl, Ecr, F4e, Rc8, Rc16, Selectors};
    let modes =
        [("f4e", F4e), ("b4e", B4e), ("rc8", Rc8), ("ecl", Ecl), ("ecr", Ecr), ("rc16", Rc16)];
    modes.into_iter().find(|(word, _)| words.has(word)).map_or(Selectors, |(_, mode)| mode)
}

fn sign(words: &Words) -> Sign {
    if words.has("ftz") { Sign::FloatFlushed } else { Sign::Float }
}

fn pack(words: &Words) -> I {
    I::Pack(words.ty())
}
