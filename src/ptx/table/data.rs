//! Moves, conversions, addresses as values and hints (PTX-9.7.9), comparisons and selections
//! (PTX-9.7.6).

use crate::ptx::demand::{Demand, Needs};
use crate::ptx::row::{Asks, Op, Row, Takes, form};
use crate::ptx::since::Later;
use crate::ptx::value::{Space, Type};

const SPACES: &str = "const, global, local, param, shared, shared::cta and shared::cluster";
const ADDRESSES: &str = ".u32 and .u64";
const SIGNED: &str = ".u32, .u64 and .s32";
const REGISTERS: &str = ".b16 to .b64, .u16 to .u64, .s16 to .s64, .f32 and .f64";

const fn unchecked(text: &'static str, section: &'static str, since: [u32; 3]) -> Row {
    form(text, section, since, Op::Unchecked)
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    // Memory.
    form("st.bulk{.weak}{.shared::cta|.shared} [a], size, 0", "PTX-9.7.9.13", [8, 6, 100], Op::StoreBulk)
        .operands(&[("a", Takes::Bytes(Space::SharedCta, 1)), ("size", Takes::Size)])
        .shown("st.bulk{.weak}{.shared::cta} [a], size, 0").device("`st.bulk`"),
    form("discard{.global}.L2 [a], 128", "PTX-9.7.9.17", [7, 4, 80], Op::Discard)
        .operands(&[("a", Takes::Bytes(Space::Global, 128))]).device("`discard`"),
    // Moves, conversions, comparisons.
    vector("mov.{v2|v4}.type {d}, {a}").types(".b16, .b32, .u16, .u32, .s16, .s32 and .f32"),
    vector("mov.v2.type {d}, {a}").types(".b64, .u64, .s64 and .f64").bare(),
    vector("mov.v4.type {d}, a").types(".b16, .b32, .u16, .u32, .s16 and .s32")
        .operands(&[("d", Takes::Vector(0)), ("a", Takes::Components(0))]),
    form("mov.type d, {a}", "PTX-9.7.9.4", [1, 0, 10], Op::Pack).operands(&[("a", Takes::Parts(0))]).bare().shown(MOVE).types(BITS),
    form("mov.type {d}, a", "PTX-9.7.9.4", [1, 0, 10], Op::Unpack).operands(&[("d", Takes::Parts(0))]).bare().shown(MOVE).types(BITS),
    form("mov.type d, a", "PTX-9.7.9.3", [1, 0, 10], Op::Move).operands(MOVED).bare().shown(MOVE)
        .types(".b16 to .b128, .u16 to .u64, .s16 to .s64, .f32, .f64 and .pred"),
    convert("cvt.to.from d, a", Op::Convert),
    convert("cvt.sat.u8.{u16|u32|u64|s8|s16|s32|s64} d, a", Op::Convert),
    convert("cvt.sat.u16.{u32|u64|s8|s16|s32|s64} d, a", Op::Convert),
    convert("cvt.sat.u32.{u64|s8|s16|s32|s64} d, a", Op::Convert),
    convert("cvt.sat.u64.{s8|s16|s32|s64} d, a", Op::Convert),
    convert("cvt.sat.s8.{u8|u16|u32|u64|s16|s32|s64} d, a", Op::Convert),
    convert("cvt.sat.s16.{u16|u32|u64|s32|s64} d, a", Op::Convert),
    convert("cvt.sat.s32.{u32|u64|s64} d, a", Op::Convert),
    convert("cvt.sat.s64.u64 d, a", Op::Convert),
    convert("cvt.{rni|rzi|rmi|rpi}{.ftz}{.sat}.to.f32 d, a", Op::Outside),
    convert("cvt.{rni|rzi|rmi|rpi}{.sat}.to.{f16|bf16|f64} d, a", Op::Outside).changed(BRAINS),
    convert("cvt.{rn|rz|rm|rp}{.ftz}{.sat}.f32.from d, a", Op::Outside),
    convert("cvt.{rn|rz|rm|rp}{.sat}.{f16|bf16|f64}.from d, a", Op::Outside).changed(BRAINS),
    convert("cvt{.rni|.rzi|.rmi|.rpi}{.ftz}{.sat}.f32.f32 d, a", Op::Outside),
    convert("cvt{.rni|.rzi|.rmi|.rpi}{.sat}.f16.f16 d, a", Op::Outside),
    convert("cvt{.rni|.rzi|.rmi|.rpi}{.sat}.bf16.bf16 d, a", Op::Outside).changed(BRAINS),
    convert("cvt{.rni|.rzi|.rmi|.rpi}{.sat}.f64.f64 d, a", Op::Outside),
    convert("cvt.{rn|rz|rm|rp}{.ftz}{.sat}.f32.f64 d, a", Op::Outside),
    convert("cvt.{rn|rz|rm|rp}{.ftz}{.sat}.{f16|bf16}.f32 d, a", Op::Outside)
        .changed(&[Later::with(&[&["bf16"]], [7, 0, 80])]),
    convert("cvt.{rn|rz}{.relu}{.satfinite}.{f16|bf16}.f32 d, a", Op::Outside)
        .changed(&[Later::with(&[&["bf16", "relu"]], [7, 0, 80]), Later::with(&[&["satfinite"]], [8, 1, 80])]),
    convert("cvt.{rn|rz|rm|rp}{.sat}.{f16|bf16}.f64 d, a", Op::Outside).changed(BRAINS),
    convert("cvt{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32.bf16 d, a", Op::Outside)
        .changed(&[Later::with(&[&["bf16"]], [7, 1, 80]), Later::with(&[&["ftz"]], [7, 8, 90])]),
    convert("cvt{.rn|.rz|.rm|.rp}{.sat}.f64.bf16 d, a", Op::Outside).changed(BRAINS),
    convert("cvt{.rn|.rz|.rm|.rp}{.sat}.bf16.f16 d, a", Op::Outside).changed(BRAINS),
    convert("cvt{.rn|.rz|.rm|.rp}{.sat}.f16.bf16 d, a", Op::Outside).changed(BRAINS),
    convert("cvt{.ftz}{.sat}.f32.f16 d, a", Op::Outside),
    convert("cvt{.ftz}{.sat}.f64.f32 d, a", Op::Outside),
    convert("cvt{.sat}.f64.f16 d, a", Op::Outside),
    setp("setp.{eq|ne}.type p{|q}, a, b").types(EQUAL),
    setp("setp.{lt|le|gt|ge}.type p{|q}, a, b").types(ORDERED),
    setp("setp.{lo|ls|hi|hs}.type p{|q}, a, b").types(UNSIGNED),
    setp("setp.{eq|ne}.{and|or|xor}.type p{|q}, a, b, {!}c").types(EQUAL),
    setp("setp.{lt|le|gt|ge}.{and|or|xor}.type p{|q}, a, b, {!}c").types(ORDERED),
    setp("setp.{lo|ls|hi|hs}.{and|or|xor}.type p{|q}, a, b, {!}c").types(UNSIGNED),
    set("set.{eq|ne}.{u32|s32}.type d, a, b").types(EQUAL),
    set("set.{lt|le|gt|ge}.{u32|s32}.type d, a, b").types(ORDERED),
    set("set.{lo|ls|hi|hs}.{u32|s32}.type d, a, b").types(UNSIGNED),
    set("set.{eq|ne}.{and|or|xor}.{u32|s32}.type d, a, b, {!}c").types(EQUAL),
    set("set.{lt|le|gt|ge}.{and|or|xor}.{u32|s32}.type d, a, b, {!}c").types(ORDERED),
    set("set.{lo|ls|hi|hs}.{and|or|xor}.{u32|s32}.type d, a, b, {!}c").types(UNSIGNED),
    form("selp.type d, a, b, p", "PTX-9.7.6.3", [1, 0, 10], Op::Select).types(REGISTERS)
        .operands(&[("p", Takes::Fixed(Type::PREDICATE))]).untyped(),
    // Addresses as values.
    form("cvta.space.type d, a", "PTX-9.7.9.20", [2, 0, 20], Op::ToGeneric).changed(WINDOWS).types(ADDRESSES).spaces(SPACES)
        .operands(&[("a", Takes::Name(0))]).untyped(),
    form("cvta.to.space.type d, a", "PTX-9.7.9.20", [2, 0, 20], Op::FromGeneric).changed(WINDOWS).types(ADDRESSES).spaces(SPACES).untyped(),
    form("isspacep.space p, a", "PTX-9.7.9.19", [2, 0, 20], Op::IsSpace).changed(WINDOWS)
        .spaces("const, global, local, param::entry, shared, shared::cta and shared::cluster").operands(&[("a", Takes::Pointer)]),
    form("mapa{.shared::cluster}.type d, a, b", "PTX-9.7.9.23", [7, 8, 90], Op::MapAddress).types(SIGNED)
        .operands(&[("a", Takes::Name(0)), ("b", Takes::Word)]).untyped().device("`mapa`"),
    form("getctarank{.shared::cluster}.type d, a", "PTX-9.7.9.24", [7, 8, 90], Op::CtaRank).types(SIGNED)
        .operands(&[("d", Takes::Word), ("a", Takes::Name(0))]).untyped().device("`getctarank`"),
    // Hints.
    form("prefetch{.global|.local}.{L1|L2} [a]", PREFETCH, [2, 0, 20], Op::Nothing).exact(),
    form("prefetch{.global}.{L2::evict_last|L2::evict_normal} [a]", PREFETCH, [7, 4, 80], Op::Nothing).exact(),
    form("prefetch{.const|.param}.tensormap [a]", PREFETCH, [8, 0, 90], Op::Nothing).exact(),
    form("prefetchu.L1 [a]", PREFETCH, [2, 0, 20], Op::Nothing).exact(),
    form("applypriority{.global}.L2::evict_normal [a], 128", "PTX-9.7.9.16", [7, 4, 80], Op::Nothing).exact(),
    form("applypriority.async.bulk{.global}.bulk_group.L2::evict_normal [a], size", "PTX-9.7.9.16", [9, 4, 107], Op::Nothing).operands(&[("size", Takes::Word)]).marked("async"),
    unchecked("createpolicy.fractional.L2::priority{.L2::priority}.b64 d{, fraction}", "PTX-9.7.9.18", [7, 4, 80]),
    unchecked("createpolicy.range{.global}.L2::priority{.L2::priority}.b64 d, [a], size, size", "PTX-9.7.9.18", [7, 4, 80]),
    unchecked("createpolicy.cvt.L2.b64 d, a", "PTX-9.7.9.18", [7, 4, 80]),
];

const EQUAL: &str = ".b16 to .b64, .u16 to .u64 and .s16 to .s64";
const ORDERED: &str = ".u16 to .u64 and .s16 to .s64";
const UNSIGNED: &str = ".u16 to .u64";
const BITS: &str = ".b16, .b32, .b64 and .b128";
const MOVE: &str = "mov{.vec}.type d, a";
const MOVED: &[(&str, Takes)] = &[("a", Takes::Moved(0))];

/// Moves of the elements of a vector.
const fn vector(text: &'static str) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[("d", Takes::Vector(0)), ("a", Takes::Moved(0))];
    form(text, "PTX-9.7.9.3", [1, 0, 10], Op::MoveVector).operands(OPERANDS).shown(MOVE)
}

const CONVERTED: &[(&str, Asks)] = {
    const ANY: Asks = Asks::missing("two types: `cvt.to.from d, a`")
        .legal(".u8 to .u64, .s8 to .s64 and floating point");
    &[
        (".to", ANY),
        (".from", ANY),
        (".f16", ANY),
        (".bf16", ANY),
        (".f32", ANY),
        (".f64", ANY),
        (".{f16|bf16}", ANY),
        (".{f16|bf16|f64}", ANY),
    ]
};

/// Types of bits have no conversion, whatever else is written.
const FLUSHED: Demand = Demand::rule(
    &["ftz"],
    Needs::With(&["f32", "b8", "b16", "b32", "b64", "b128"]),
    "`.ftz` is for conversions from or to `.f32`",
    "other numbers keep their subnormals: leave it out",
);

/// Conversions, of which those of integers are computed. `.sat` stands where results are out of range.
const fn convert(text: &'static str, op: Op) -> Row {
    const INTEGERS: &[&str] = &["u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64"];
    form(text, "PTX-9.7.9.21", [1, 0, 10], op)
        .lists(&[("to", INTEGERS), ("from", INTEGERS)])
        .demands(&[FLUSHED])
        .slots(CONVERTED)
        .operands(&[("d", Takes::Converted(0)), ("a", Takes::Converted(1))])
}

/// Numbers of the format `bf16` to and from all but `f32`.
const BRAINS: &[Later] = &[Later::with(&[&["bf16"]], [7, 8, 90])];

const COMPARISON: Asks = Asks::missing("a comparison such as `.eq`").choices(
    "the comparisons are eq, ne, lt, le, gt and ge, and of unsigned numbers lo, ls, hi and hs",
);

/// Comparisons of integers into predicates.
const fn setp(text: &'static str) -> Row {
    form(text, "PTX-9.7.6.2", [1, 0, 10], Op::Compare)
        .slots(&[(".{eq|ne}", COMPARISON)])
        .operands(&[("c", Takes::Fixed(Type::PREDICATE))])
        .bare()
        .shown("setp.cmp{.bool}.type p{|q}, a, b{, {!}c}")
}

/// Comparisons of integers into integers.
const fn set(text: &'static str) -> Row {
    const OPERANDS: &[(&str, Takes)] =
        &[("a", Takes::Type(1)), ("b", Takes::Type(1)), ("c", Takes::Fixed(Type::PREDICATE))];
    form(text, "PTX-9.7.6.1", [1, 0, 10], Op::Compare)
        .slots(&[(".{eq|ne}", COMPARISON)])
        .operands(OPERANDS)
        .shown("set.cmp{.bool}.{u32|s32}.type d, a, b{, {!}c}")
}

/// Windows of generic addresses.
const WINDOWS: &[Later] = &[
    Later::with(&[&["const"]], [3, 1, 20]),
    Later::with(&[&["param", "param::entry"]], [7, 7, 70]),
];
const PREFETCH: &str = "PTX-9.7.9.15";
