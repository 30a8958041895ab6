//! Floating-point arithmetic and comparisons (PTX-9.7.3, PTX-9.7.4, PTX-9.7.5, PTX-9.7.6,
//! PTX-9.7.7).
//!
//! Sums, minima and maxima are computed. The others are outside the subset: they are checked, and
//! become operations that nobody understands.

use crate::ptx::row::{Op, Row, Takes, form};
use crate::ptx::since::Later;
use crate::ptx::value::{ArithmeticOp as A, Type};

const fn computed(text: &'static str, section: &'static str, since: [u32; 3], op: A) -> Row {
    form(text, section, since, Op::Float(op)).exact().changed(ROUNDED)
}

const fn checked(text: &'static str, section: &'static str, since: [u32; 3]) -> Row {
    form(text, section, since, Op::Outside).exact().changed(ROUNDED)
}

/// Modes and formats that came later than the instruction.
const ROUNDED: &[Later] = &[
    Later::with(&[&["rm", "rp"], &["f32"]], [2, 0, 20]),
    Later::with(&[&["f16", "f16x2"]], [4, 2, 53]),
    Later::with(&[&["bf16", "bf16x2"]], [7, 0, 80]),
];
/// As [`ROUNDED`], of products with a sum and of quotients, which had one mode at first.
const MODES: &[Later] = &[
    Later::with(&[&["approx", "full", "ftz", "rn", "rz", "rm", "rp"]], [1, 4, 10]),
    Later::with(&[&["rn", "rz", "rm", "rp"], &["f32"]], [1, 4, 20]),
];
/// As [`ROUNDED`], of comparisons.
const COMPARED: &[Later] = &[
    Later::with(&[&["f16", "f16x2"]], [4, 2, 53]),
    Later::with(&[&["u16", "s16", "u32", "s32"], &["f16", "f16x2"]], [6, 5, 53]),
    Later::with(&[&["bf16", "bf16x2"]], [7, 8, 90]),
];

/// Operands of comparisons, whose result has a type of its own.
const SOURCES: &[(&str, Takes)] =
    &[("a", Takes::Type(1)), ("b", Takes::Type(1)), ("c", Takes::Fixed(Type::PREDICATE))];
/// The narrower operand of a sum of two types.
const NARROW: &[(&str, Takes)] = &[("a", Takes::Type(1))];

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    computed("add{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32 d, a, b", "PTX-9.7.3.3", [1, 0, 10], A::Add),
    checked("add{.rn|.rz|.rm|.rp}{.ftz}.f32x2 d, a, b", "PTX-9.7.3.3", [8, 6, 100]),
    computed("add{.rn|.rz|.rm|.rp}.f64 d, a, b", "PTX-9.7.3.3", [1, 0, 13], A::Add),
    computed("add{.rn}{.ftz}{.sat}.{f16|f16x2} d, a, b", "PTX-9.7.3.3", [4, 2, 53], A::Add),
    computed("add{.rn}.{bf16|bf16x2} d, a, b", "PTX-9.7.3.3", [7, 8, 90], A::Add),
    checked("add{.rn|.rz|.rm|.rp}{.sat}.f32.{f16|bf16} d, a, c", "PTX-9.7.3.3", [8, 6, 100]).operands(NARROW),
    checked("sub{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32 d, a, b", "PTX-9.7.3.4", [1, 0, 10]),
    checked("sub{.rn|.rz|.rm|.rp}{.ftz}.f32x2 d, a, b", "PTX-9.7.3.4", [8, 6, 100]),
    checked("sub{.rn|.rz|.rm|.rp}.f64 d, a, b", "PTX-9.7.3.4", [1, 0, 13]),
    checked("sub{.rn}{.ftz}{.sat}.{f16|f16x2} d, a, b", "PTX-9.7.3.4", [4, 2, 53]),
    checked("sub{.rn}.{bf16|bf16x2} d, a, b", "PTX-9.7.3.4", [7, 8, 90]),
    checked("sub{.rn|.rz|.rm|.rp}{.sat}.f32.{f16|bf16} d, a, c", "PTX-9.7.3.4", [8, 6, 100]).operands(NARROW),
    checked("mul{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32 d, a, b", "PTX-9.7.3.5", [1, 0, 10]),
    checked("mul{.rn|.rz|.rm|.rp}{.ftz}.f32x2 d, a, b", "PTX-9.7.3.5", [8, 6, 100]),
    checked("mul{.rn|.rz|.rm|.rp}.f64 d, a, b", "PTX-9.7.3.5", [1, 0, 13]),
    checked("mul{.rn}{.ftz}{.sat}.{f16|f16x2} d, a, b", "PTX-9.7.3.5", [4, 2, 53]),
    checked("mul{.rn}.{bf16|bf16x2} d, a, b", "PTX-9.7.3.5", [7, 8, 90]),
    // Targets before sm_20 have `mad` without a rounding mode.
    checked("mad{.rn|.rz|.rm|.rp}{.ftz}{.sat}.f32 d, a, b, c", "PTX-9.7.3.7", [1, 0, 10]).changed(MODES),
    checked("mad{.rn|.rz|.rm|.rp}.f64 d, a, b, c", "PTX-9.7.3.7", [1, 0, 13]).changed(MODES),
    // Versions before 1.4 have `div` without a rounding mode.
    checked("div{.approx|.full|.rn|.rz|.rm|.rp}{.ftz}.f32 d, a, b", "PTX-9.7.3.8", [1, 0, 10]).changed(MODES),
    checked("div{.rn|.rz|.rm|.rp}.f64 d, a, b", "PTX-9.7.3.8", [1, 0, 13]).changed(MODES),
    checked("abs{.ftz}.f32 d, a", "PTX-9.7.3.9", [1, 0, 10]),
    checked("abs.f64 d, a", "PTX-9.7.3.9", [1, 0, 13]),
    checked("abs{.ftz}.{f16|f16x2} d, a", "PTX-9.7.3.9", [6, 5, 53]),
    checked("abs.{bf16|bf16x2} d, a", "PTX-9.7.3.9", [7, 0, 80]),
    checked("neg{.ftz}.f32 d, a", "PTX-9.7.3.10", [1, 0, 10]),
    checked("neg.f64 d, a", "PTX-9.7.3.10", [1, 0, 13]),
    checked("neg{.ftz}.{f16|f16x2} d, a", "PTX-9.7.3.10", [6, 0, 53]),
    checked("neg.{bf16|bf16x2} d, a", "PTX-9.7.3.10", [7, 0, 80]),
    computed("min{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b", "PTX-9.7.3.11", [1, 0, 10], A::Min),
    computed("min{.ftz}{.NaN}{.abs}.f32 d, a, b, c", "PTX-9.7.3.11", [8, 8, 100], A::Min),
    computed("min.f64 d, a, b", "PTX-9.7.3.11", [1, 0, 13], A::Min),
    computed("min{.ftz}{.NaN}{.xorsign.abs}.{f16|f16x2} d, a, b", "PTX-9.7.3.11", [7, 0, 80], A::Min),
    computed("min{.NaN}{.xorsign.abs}.{bf16|bf16x2} d, a, b", "PTX-9.7.3.11", [7, 0, 80], A::Min),
    computed("max{.ftz}{.NaN}{.xorsign.abs}.f32 d, a, b", "PTX-9.7.3.12", [1, 0, 10], A::Max),
    computed("max{.ftz}{.NaN}{.abs}.f32 d, a, b, c", "PTX-9.7.3.12", [8, 8, 100], A::Max),
    computed("max.f64 d, a, b", "PTX-9.7.3.12", [1, 0, 13], A::Max),
    computed("max{.ftz}{.NaN}{.xorsign.abs}.{f16|f16x2} d, a, b", "PTX-9.7.3.12", [7, 0, 80], A::Max),
    computed("max{.NaN}{.xorsign.abs}.{bf16|bf16x2} d, a, b", "PTX-9.7.3.12", [7, 0, 80], A::Max),
    checked("setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}{.ftz}.{f32|f16|f16x2} p{|q}, a, b{, {!}c}", "PTX-9.7.6.2", [1, 0, 10]).changed(COMPARED),
    checked("setp.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}.{f64|bf16|bf16x2} p{|q}, a, b{, {!}c}", "PTX-9.7.6.2", [1, 0, 10]).changed(COMPARED),
    checked("set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}{.ftz}.{u32|s32|f32|f16}.f32 d, a, b{, {!}c}", "PTX-9.7.6.1, PTX-9.7.7.1", [1, 0, 10]).operands(SOURCES).changed(COMPARED),
    checked("set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}.{u32|s32|f32|f16}.f64 d, a, b{, {!}c}", "PTX-9.7.6.1, PTX-9.7.7.1", [1, 0, 13]).operands(SOURCES).changed(COMPARED),
    checked("set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}{.ftz}.{u16|s16|u32|s32|f16}.f16 d, a, b{, {!}c}", "PTX-9.7.6.1, PTX-9.7.7.1", [4, 2, 53]).operands(SOURCES).changed(COMPARED),
    checked("set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}.{u16|s16|u32|s32}.bf16 d, a, b{, {!}c}", "PTX-9.7.6.1, PTX-9.7.7.1", [7, 8, 90]).operands(SOURCES).changed(COMPARED),
    checked("set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}{.ftz}.{u32|s32|f16x2}.f16x2 d, a, b{, {!}c}", "PTX-9.7.6.1, PTX-9.7.7.1", [4, 2, 53]).operands(SOURCES).changed(COMPARED),
    checked("set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}.{u32|s32|bf16x2}.bf16x2 d, a, b{, {!}c}", "PTX-9.7.6.1, PTX-9.7.7.1", [7, 8, 90]).operands(SOURCES).changed(COMPARED),
    checked("set.{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}{.and|.or|.xor}.bf16.{f16|f32|f64} d, a, b{, {!}c}", "PTX-9.7.6.1, PTX-9.7.7.1", [7, 8, 90]).operands(SOURCES).changed(COMPARED),
    checked("set.{eq|ne|lt|le|gt|ge}{.and|.or|.xor}.{f32|f16|bf16}.{s16|s32|s64} d, a, b{, {!}c}", "PTX-9.7.6.1, PTX-9.7.7.1", [1, 0, 10]).operands(SOURCES).changed(COMPARED),
    checked("set.{eq|ne|lt|le|gt|ge|lo|ls|hi|hs}{.and|.or|.xor}.{f32|f16|bf16}.{u16|u32|u64} d, a, b{, {!}c}", "PTX-9.7.6.1, PTX-9.7.7.1", [1, 0, 10]).operands(SOURCES).changed(COMPARED),
    checked("set.{eq|ne}{.and|.or|.xor}.{f32|f16|bf16}.{b16|b32|b64} d, a, b{, {!}c}", "PTX-9.7.6.1, PTX-9.7.7.1", [1, 0, 10]).operands(SOURCES).changed(COMPARED),
];
