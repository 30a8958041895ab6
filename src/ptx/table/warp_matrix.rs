//! Matrices that the threads of a warp load and store together (PTX-9.7.14.4, PTX-9.7.14.5).

use crate::ptx::row::{Op, Row, Takes, form};
use crate::ptx::since::Later;
use crate::ptx::value::{Space, Type, TypeKind};

const LOAD: &str = "PTX-9.7.14.5.15";
const STORE: &str = "PTX-9.7.14.5.16";
const LOAD_FRAGMENT: &str = "PTX-9.7.14.4.3";
const STORE_FRAGMENT: &str = "PTX-9.7.14.4.4";
const DEVICE: &str = "an access to a matrix by a warp";
/// The bytes of a row.
const ROW: u64 = 16;

/// Rows whose addresses the lanes of the warp give.
const fn rows(text: &'static str, section: &'static str, since: [u32; 3], op: Op) -> Row {
    form(text, section, since, op)
        .device(DEVICE)
        .spaces("shared")
        .operands(&[("p", Takes::Bytes(Space::Generic, ROW))])
}

/// Eight or sixteen rows of short numbers.
const fn narrow(text: &'static str, section: &'static str, op: Op) -> Row {
    rows(text, section, [8, 6, 100], op).special()
}

/// A matrix in rows or columns of one distance, for `wmma.mma`.
const fn fragment(text: &'static str, section: &'static str, op: Op) -> Row {
    const OPERANDS: &[(&str, Takes)] =
        &[("p", Takes::Bytes(Space::Generic, 4)), ("stride", Takes::Word)];
    const LATER: &[Later] = &[
        Later::with(&[&["m8n32k16", "m32n8k16"]], [6, 1, 70]),
        Later::with(&[&["s8", "u8", "s32"]], [6, 3, 72]),
        Later::with(&[&["m8n8k32", "m8n8k128"]], [6, 3, 75]),
        Later::with(&[&["bf16", "m16n16k8"]], [7, 0, 80]),
    ];
    form(text, section, [6, 0, 70], op)
        .device(DEVICE)
        .spaces("global and shared")
        .operands(OPERANDS)
        .changed(LATER)
}

const fn load(text: &'static str) -> Row {
    fragment(text, LOAD_FRAGMENT, Op::LoadFragment)
}

const fn store(text: &'static str) -> Row {
    fragment(text, STORE_FRAGMENT, Op::StoreFragment)
}

/// A fragment in registers of 64 bits.
const fn double(row: Row) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[
        ("r", Takes::Fixed(Type::new(TypeKind::Float, 64))),
        ("p", Takes::Bytes(Space::Generic, 8)),
        ("stride", Takes::Word),
    ];
    const LATER: &[Later] = &[Later::with(&[&["m8n8k4"]], [7, 0, 80])];
    row.operands(OPERANDS).changed(LATER)
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    rows("ldmatrix.sync.aligned.m8n8.{x1|x2|x4}{.trans}{.space}.b16 {r}, [p]", LOAD, [6, 5, 75], Op::LoadMatrix),
    narrow("ldmatrix.sync.aligned.m16n16.{x1|x2}.trans{.space}.b8 {r}, [p]", LOAD, Op::LoadMatrix),
    narrow("ldmatrix.sync.aligned.m8n16.{x1|x2|x4}{.space}.b8x16.{b6x16_p32|b4x16_p64} {r}, [p]", LOAD, Op::LoadMatrix),
    narrow("ldmatrix.sync.aligned.m16n16.{x1|x2}.trans{.space}.b8x16.{b6x16_p32|b4x16_p64} {r}, [p]", LOAD, Op::LoadMatrix),
    rows("stmatrix.sync.aligned.m8n8.{x1|x2|x4}{.trans}{.space}.b16 [p], {r}", STORE, [7, 8, 90], Op::StoreMatrix),
    narrow("stmatrix.sync.aligned.m16n8.{x1|x2|x4}.trans{.space}.b8 [p], {r}", STORE, Op::StoreMatrix),
    load("wmma.load.{a|b}.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}{.space}.{f16|bf16|s8|u8} {r}, [p]{, stride}"),
    load("wmma.load.{a|b}.sync.aligned.{row|col}.m16n16k8{.space}.tf32 {r}, [p]{, stride}"),
    load("wmma.load.a.sync.aligned.row.m8n8k32{.space}.{s4|u4} {r}, [p]{, stride}"),
    load("wmma.load.b.sync.aligned.col.m8n8k32{.space}.{s4|u4} {r}, [p]{, stride}"),
    load("wmma.load.a.sync.aligned.row.m8n8k128{.space}.b1 {r}, [p]{, stride}"),
    load("wmma.load.b.sync.aligned.col.m8n8k128{.space}.b1 {r}, [p]{, stride}"),
    load("wmma.load.c.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}{.space}.{f16|f32|s32} {r}, [p]{, stride}"),
    load("wmma.load.c.sync.aligned.{row|col}.m16n16k8{.space}.f32 {r}, [p]{, stride}"),
    load("wmma.load.c.sync.aligned.{row|col}.{m8n8k32|m8n8k128}{.space}.s32 {r}, [p]{, stride}"),
    double(load("wmma.load.{a|b|c}.sync.aligned.{row|col}.m8n8k4{.space}.f64 {r}, [p]{, stride}")),
    store("wmma.store.d.sync.aligned.{row|col}.{m16n16k16|m8n32k16|m32n8k16}{.space}.{f16|f32|s32} [p], {r}{, stride}"),
    store("wmma.store.d.sync.aligned.{row|col}.m16n16k8{.space}.f32 [p], {r}{, stride}"),
    store("wmma.store.d.sync.aligned.{row|col}.{m8n8k32|m8n8k128}{.space}.s32 [p], {r}{, stride}"),
    double(store("wmma.store.d.sync.aligned.{row|col}.m8n8k4{.space}.f64 [p], {r}{, stride}")),
];
