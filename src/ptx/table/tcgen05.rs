//! The tensor cores of the fifth generation and their memory (PTX-9.7.16).

use crate::ptx::asynchronous::{AsyncOp, GroupKind};
use crate::ptx::error::Legal;
use crate::ptx::row::{Limits, Op, Row, Takes, form};
use crate::ptx::since::Later;
use crate::ptx::value::{Space, Type, TypeKind};

const MANAGE: &str = "PTX-9.7.16.7";
const ACCESS: &str = "PTX-9.7.16.8";
const MOVE: &str = "PTX-9.7.16.9";
const PRODUCT: &str = "PTX-9.7.16.10";
const FENCE: &str = "PTX-9.7.16.11";
const COMMIT: &str = "PTX-9.7.16.12";
const DEVICE: &str = "an operation of the tensor cores";

const SHAPES: &[&str] = &["16x64b", "16x128b", "16x256b", "32x32b"];
const NUMBERS: &[&str] = &["x1", "x2", "x4", "x8", "x16", "x32", "x64", "x128"];
const PLAIN: &[&str] = &["kind::f16", "kind::tf32", "kind::f8f6f4", "kind::i8"];
const SCALED: &[&str] = &["kind::mxf8f6f4", "kind::mxf4", "kind::mxf4nvf4"];
const VECTORS: &[&str] = &["scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32"];
const COLLECTORS: &[&str] =
    &["collector::a::fill", "collector::a::use", "collector::a::lastuse", "collector::a::discard"];
const BUFFERS: &[&str] = &[
    "collector::b0::fill",
    "collector::b0::use",
    "collector::b0::lastuse",
    "collector::b0::discard",
    "collector::b1::fill",
    "collector::b1::use",
    "collector::b1::lastuse",
    "collector::b1::discard",
    "collector::b2::fill",
    "collector::b2::use",
    "collector::b2::lastuse",
    "collector::b2::discard",
    "collector::b3::fill",
    "collector::b3::use",
    "collector::b3::lastuse",
    "collector::b3::discard",
];
const LISTS: &[(&str, &[&str])] = &[
    ("shape", SHAPES),
    ("num", NUMBERS),
    ("kind", PLAIN),
    ("scaled", SCALED),
    ("vectors", VECTORS),
    ("collector", COLLECTORS),
    ("buffer", BUFFERS),
];
const OPERANDS: &[(&str, Takes)] = &[
    ("t", Takes::Columns),
    ("a", Takes::Factor),
    ("b", Takes::Descriptor),
    ("s", Takes::Descriptor),
    ("meta", Takes::Columns),
    ("sa", Takes::Columns),
    ("sb", Takes::Columns),
    ("idesc", Takes::Word),
    ("p", Takes::Fixed(Type::PREDICATE)),
    ("scale", Takes::Within(&SCALE)),
    ("zero", Takes::Token),
    ("split", Takes::Word),
    ("n", Takes::Word),
    ("at", Takes::Fixed(Type::B32)),
    ("mask", Takes::Fixed(Type::new(TypeKind::Bits, 16))),
    ("slot", Takes::Bytes(Space::SharedCta, 4)),
    ("m", Takes::Bytes(Space::SharedCluster, 8)),
    ("anywhere", Takes::Bytes(Space::Generic, 4)),
    ("object", Takes::Bytes(Space::Generic, 8)),
];

/// An instruction of the family.
const fn tensor(text: &'static str, section: &'static str, op: Op) -> Row {
    form(text, section, [8, 6, 100], op)
        .lists(LISTS)
        .device(DEVICE)
        .operands(OPERANDS)
        .asked(&[("mask", "multicast::cluster")])
        .leading(1)
        .special()
}

const fn issues(text: &'static str, section: &'static str, op: AsyncOp) -> Row {
    tensor(text, section, Op::Async(op))
}

const fn product(text: &'static str) -> Row {
    const LATER: &[Later] = &[
        Later::with(&[&["kind::mxf4nvf4"]], [8, 7, 100]),
        Later::with(&[&["block16", "block32"]], [8, 8, 100]),
    ];
    issues(text, PRODUCT, AsyncOp::TensorMultiply).changed(LATER)
}

/// A load with the least or greatest word of each lane besides.
const fn reduced(text: &'static str) -> Row {
    tensor(text, ACCESS, Op::Outside).operands(&[
        ("least", Takes::Fixed(Type::B32)),
        ("t", Takes::Columns),
        ("split", Takes::Word),
    ])
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    tensor("tcgen05.alloc.{cta_group::1|cta_group::2}.sync.aligned.shared::cta.b32 [slot], n", MANAGE, Op::AllocateColumns),
    tensor("tcgen05.alloc.{cta_group::1|cta_group::2}.sync.aligned.b32 [anywhere], n", MANAGE, Op::AllocateColumns),
    tensor("tcgen05.dealloc.{cta_group::1|cta_group::2}.sync.aligned.b32 at, n", MANAGE, Op::FreeColumns),
    tensor("tcgen05.relinquish_alloc_permit.{cta_group::1|cta_group::2}.sync.aligned", MANAGE, Op::Nothing),
    issues("tcgen05.ld.sync.aligned.shape.num{.pack::16b}.b32 {r}, [t]", ACCESS, AsyncOp::TensorLoad),
    issues("tcgen05.ld.sync.aligned.16x32bx2.num{.pack::16b}.b32 {r}, [t], split", ACCESS, AsyncOp::TensorLoad),
    reduced("tcgen05.ld.red.sync.aligned.32x32b.num.{min|max}{.abs}{.NaN}.f32 {r}, least, [t]"),
    reduced("tcgen05.ld.red.sync.aligned.16x32bx2.num.{min|max}{.abs}{.NaN}.f32 {r}, least, [t], split"),
    reduced("tcgen05.ld.red.sync.aligned.32x32b.num.{min|max}.{u32|s32} {r}, least, [t]"),
    reduced("tcgen05.ld.red.sync.aligned.16x32bx2.num.{min|max}.{u32|s32} {r}, least, [t], split"),
    issues("tcgen05.st.sync.aligned.shape.num{.unpack::16b}.b32 [t], {r}", ACCESS, AsyncOp::TensorStore),
    issues("tcgen05.st.sync.aligned.16x32bx2.num{.unpack::16b}.b32 [t], split, {r}", ACCESS, AsyncOp::TensorStore),
    issues("tcgen05.wait::ld.sync.aligned", ACCESS, AsyncOp::TensorWait(GroupKind::TensorLoad)),
    issues("tcgen05.wait::st.sync.aligned", ACCESS, AsyncOp::TensorWait(GroupKind::TensorStore)),
    issues("tcgen05.cp.{cta_group::1|cta_group::2}.{128x256b|4x256b|128x128b}{.b8x16.b6x16_p32|.b8x16.b4x16_p64} [t], s", MOVE, AsyncOp::TensorMove),
    issues("tcgen05.cp.{cta_group::1|cta_group::2}.64x128b.{warpx2::02_13|warpx2::01_23}{.b8x16.b6x16_p32|.b8x16.b4x16_p64} [t], s", MOVE, AsyncOp::TensorMove),
    issues("tcgen05.cp.{cta_group::1|cta_group::2}.32x128b.warpx4{.b8x16.b6x16_p32|.b8x16.b4x16_p64} [t], s", MOVE, AsyncOp::TensorMove),
    issues("tcgen05.shift.{cta_group::1|cta_group::2}.down [t]", MOVE, AsyncOp::TensorShift),
    product("tcgen05.mma.{cta_group::1|cta_group::2}.kind{.ashift}{.collector} [t], a, b, p"),
    product("tcgen05.mma.{cta_group::1|cta_group::2}.kind{.ashift}{.collector} [t], a, b, idesc, p{, scale}"),
    product("tcgen05.mma.{cta_group::1|cta_group::2}.kind{.ashift}{.collector} [t], a, b, idesc, {lanes}, p{, scale}"),
    product("tcgen05.mma.{cta_group::1|cta_group::2}.scaled.block_scale{.vectors}{.collector} [t], a, b, idesc, [sa], [sb], p"),
    product("tcgen05.mma.sp.{cta_group::1|cta_group::2}.kind{.ashift}{.collector} [t], a, b, [meta], idesc, p{, scale}"),
    product("tcgen05.mma.sp.{cta_group::1|cta_group::2}.kind{.ashift}{.collector} [t], a, b, [meta], idesc, {lanes}, p{, scale}"),
    product("tcgen05.mma.sp.{cta_group::1|cta_group::2}.scaled.block_scale{.vectors}{.collector} [t], a, b, [meta], idesc, [sa], [sb], p"),
    product("tcgen05.mma.ws.cta_group::1.kind{.buffer} [t], a, b, idesc, p{, zero}"),
    product("tcgen05.mma.ws.sp.cta_group::1.kind{.buffer} [t], a, b, [meta], idesc, p{, zero}"),
    issues("tcgen05.commit.{cta_group::1|cta_group::2}.mbarrier::arrive::one.shared::cluster{.multicast::cluster}.b64 [m]{, mask}", COMMIT, AsyncOp::TensorCommit),
    issues("tcgen05.commit.{cta_group::1|cta_group::2}.mbarrier::arrive::one{.multicast::cluster}.b64 [object]{, mask}", COMMIT, AsyncOp::TensorCommit),
    form("tcgen05.commit.{cta_group::1|cta_group::2}.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.sync_restrict::shared::read::mma::a.b64 [m]{, mask}", COMMIT, [9, 4, 107], Op::Outside)
        .device(DEVICE).operands(OPERANDS).asked(&[("mask", "multicast::cluster")]).leading(1).special(),
    tensor("tcgen05.fence::before_thread_sync", FENCE, Op::BeforeThreadSync),
    tensor("tcgen05.fence::after_thread_sync", FENCE, Op::AfterThreadSync),
];

static SCALE: Limits = Limits {
    what: "the scale of the accumulator",
    least: 0,
    most: 15,
    step: 1,
    legal: Legal::Interval("0 to 15"),
};
