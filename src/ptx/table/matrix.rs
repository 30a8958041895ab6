//! Products of matrices by a warpgroup, and what orders and waits for them (PTX-9.7.15.5 to 9.7.15.7).

use super::asynchronous::GROUPS;
use crate::ptx::asynchronous::{AsyncOp, GroupKind};
use crate::ptx::error::Legal;
use crate::ptx::row::{Limits, Op, Row, Takes, form};
use crate::ptx::since::Later;
use crate::ptx::value::Type;

const DENSE: &str = "PTX-9.7.15.5";
const SPARSE: &str = "PTX-9.7.15.6";
const ORDER: &str = "PTX-9.7.15.7";
const DEVICE: &str = "a product of a warpgroup";

/// The shapes of products with so many columns each.
macro_rules! shapes {
    ($k:literal: $($n:literal)*) => { &[("shape", &[$(concat!("m64n", $n, "k", $k)),*])] };
}

/// As [`shapes`], with all numbers of columns.
macro_rules! all_shapes {
    ($k:literal) => {
        shapes!($k: 8 16 24 32 40 48 56 64 72 80 88 96 104 112 120 128 136 144 152 160 168 176 184
            192 200 208 216 224 232 240 248 256)
    };
}

/// As [`shapes`], with those of integers.
macro_rules! integer_shapes {
    ($k:literal) => {
        shapes!($k: 8 16 24 32 48 64 80 96 112 128 144 160 176 192 208 224 240 256)
    };
}

type Shapes = &'static [(&'static str, &'static [&'static str])];

/// A product whose shape is one of some.
const fn product(text: &'static str, section: &'static str, minor: u32, shapes: Shapes) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[
        ("a", Takes::Matrix),
        ("b", Takes::Descriptor),
        ("meta", Takes::Word),
        ("sel", Takes::Within(&SELECTOR)),
        ("p", Takes::Fixed(Type::PREDICATE)),
        ("ia", Takes::Within(&SIGN)),
        ("ib", Takes::Within(&SIGN)),
        ("ta", Takes::Within(&TRANSPOSED)),
        ("tb", Takes::Within(&TRANSPOSED)),
    ];
    form(text, section, [8, minor, 90], Op::Async(AsyncOp::Multiply))
        .lists(shapes)
        .device(DEVICE)
        .operands(OPERANDS)
        .changed(MIXED)
        .leading(1)
        .special()
}

/// Products of a signed and an unsigned matrix.
const MIXED: &[Later] = &[Later::with(&[&["s8"], &["u8"]], [8, 4, 90])];

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    product("wgmma.mma_async.sync.aligned.shape.{f16|f32}.f16.f16 {d}, a, b{, p}{, ia}{, ib}{, ta}{, tb}", DENSE, 0, all_shapes!("16")),
    product("wgmma.mma_async.sync.aligned.shape.f32.bf16.bf16 {d}, a, b{, p}{, ia}{, ib}{, ta}{, tb}", DENSE, 0, all_shapes!("16")),
    product("wgmma.mma_async.sync.aligned.shape.f32.tf32.tf32 {d}, a, b{, p}{, ia}{, ib}", DENSE, 0, all_shapes!("8")),
    product("wgmma.mma_async.sync.aligned.shape.{f16|f32}.{e4m3|e5m2}.{e4m3|e5m2} {d}, a, b{, p}{, ia}{, ib}", DENSE, 0, all_shapes!("32")),
    product("wgmma.mma_async.sync.aligned.shape{.satfinite}.s32.{s8|u8}.{s8|u8} {d}, a, b{, p}", DENSE, 0, integer_shapes!("32")),
    product("wgmma.mma_async.sync.aligned.shape.s32.b1.b1.and.popc {d}, a, b{, p}", DENSE, 0, integer_shapes!("256")),
    product("wgmma.mma_async.sp.sync.aligned.shape.{f16|f32}.f16.f16 {d}, a, b, meta, sel{, p}{, ia}{, ib}{, ta}{, tb}", SPARSE, 2, all_shapes!("32")),
    product("wgmma.mma_async.sp.sync.aligned.shape.f32.bf16.bf16 {d}, a, b, meta, sel{, p}{, ia}{, ib}{, ta}{, tb}", SPARSE, 2, all_shapes!("32")),
    product("wgmma.mma_async.sp.sync.aligned.shape.f32.tf32.tf32 {d}, a, b, meta, sel{, p}{, ia}{, ib}", SPARSE, 2, all_shapes!("16")),
    product("wgmma.mma_async.sp.sync.aligned.shape.{f16|f32}.{e4m3|e5m2}.{e4m3|e5m2} {d}, a, b, meta, sel{, p}{, ia}{, ib}", SPARSE, 2, all_shapes!("64")),
    product("wgmma.mma_async.sp.sync.aligned.shape{.satfinite}.s32.{s8|u8}.{s8|u8} {d}, a, b, meta, sel{, p}", SPARSE, 2, integer_shapes!("64")),
    form("wgmma.fence.sync.aligned", ORDER, [8, 0, 90], Op::WarpgroupFence).device(DEVICE).leading(1).special(),
    form("wgmma.commit_group.sync.aligned", ORDER, [8, 0, 90], Op::Async(AsyncOp::Commit(GroupKind::Warpgroup))).device(DEVICE).leading(1).special(),
    form("wgmma.wait_group.sync.aligned n", ORDER, [8, 0, 90], Op::Async(AsyncOp::Wait(GroupKind::Warpgroup)))
        .device(DEVICE)
        .operands(&[("n", Takes::Within(&GROUPS))])
        .leading(1)
        .special(),
];

static SELECTOR: Limits = Limits {
    what: "the sparsity selector",
    least: 0,
    most: 3,
    step: 1,
    legal: Legal::Interval("0 to 3"),
};
static SIGN: Limits = Limits {
    what: "the sign of an operand",
    least: -1,
    most: 1,
    step: 1,
    legal: Legal::Values("-1 and 1"),
};
static TRANSPOSED: Limits = Limits {
    what: "whether an operand is transposed",
    least: 0,
    most: 1,
    step: 1,
    legal: Legal::Values("0 and 1"),
};
