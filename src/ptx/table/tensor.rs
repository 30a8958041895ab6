//! Copies of boxes of tensors, and the maps that say where these are (PTX-9.7.9.25.5, PTX-9.7.9.26,
//! PTX-9.7.13.16).

use crate::ptx::asynchronous::AsyncOp;
use crate::ptx::error::Legal;
use crate::ptx::row::{Asks, Limits, Op, Row, Takes, form};
use crate::ptx::since::Later;
use crate::ptx::value::{Space, Type, TypeKind};

const COPY: &str = "PTX-9.7.9.25.5.2";
const REDUCE: &str = "PTX-9.7.9.25.5.3";
const PREFETCH: &str = "PTX-9.7.9.25.5.4";
const REPLACE: &str = "PTX-9.7.9.26.1";
const DEVICE: &str = "an operation on tensors";

/// Masks of CTAs, and offsets within a window of an image.
const HALF: Type = Type::new(TypeKind::Bits, 16);

/// What came after the first copies of boxes.
const LATER: &[Later] = &[
    Later::with(&[&["cta_group::1", "cta_group::2"]], [8, 6, 100]).special(),
    Later::with(&[&["tile::gather4", "tile::scatter4"]], [8, 6, 100]).special(),
    Later::with(&[&["im2col::w", "im2col::w::128"]], [8, 6, 100]).special(),
];

const ATOMICITY: &[Later] = &[Later::with(&[&["swizzle_atomicity"]], [8, 6, 100]).special()];

/// A copy of a box between a tensor and shared memory.
const fn copy(text: &'static str, since: [u32; 3]) -> Row {
    moved(text, COPY, since, Op::Async(AsyncOp::TensorCopy))
}

/// The same of a shape that is not followed.
const fn unknown(text: &'static str, since: [u32; 3]) -> Row {
    moved(text, COPY, since, Op::Outside)
}

const fn moved(text: &'static str, section: &'static str, since: [u32; 3], op: Op) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[
        ("d", Takes::Bytes(Space::SharedCluster, 16)),
        ("a", Takes::Bytes(Space::SharedCta, 16)),
        ("b", Takes::Bytes(Space::SharedCluster, 8)),
        ("mask", Takes::Fixed(HALF)),
        ("info", Takes::Fixed(HALF)),
        ("policy", Takes::Token),
    ];
    const ASKED: &[(&str, &str)] = &[("policy", "L2::cache_hint"), ("mask", "multicast::cluster")];
    form(text, section, since, op)
        .device(DEVICE)
        .operands(OPERANDS)
        .asked(ASKED)
        .slots(COMPLETION)
        .changed(LATER)
        .leading(3)
}

const fn prefetch(text: &'static str) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[("policy", Takes::Token), ("info", Takes::Fixed(HALF))];
    form(text, PREFETCH, [8, 0, 90], Op::Nothing)
        .leading(4)
        .changed(LATER)
        .operands(OPERANDS)
        .asked(&[("policy", "L2::cache_hint")])
}

/// A change of a field of a map.
const fn replace(text: &'static str) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[
        ("m", Takes::Bytes(Space::Generic, 128)),
        ("ord", Takes::Within(&DIMENSION)),
        ("address", Takes::Fixed(Type::new(TypeKind::Bits, 64))),
        ("stride", Takes::Fixed(Type::new(TypeKind::Bits, 64))),
        ("b", Takes::Fixed(Type::B32)),
    ];
    form(text, REPLACE, [8, 3, 90], Op::ReplaceMap)
        .leading(1)
        .changed(ATOMICITY)
        .device(DEVICE)
        .operands(OPERANDS)
        .spaces("global and shared::cta")
        .special()
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    // Into shared memory.
    copy("cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.shared::cta.global{.tile}.mbarrier::complete_tx::bytes{.cta_group::1|.cta_group::2}{.L2::cache_hint} [d], [t, c], [b]{, policy}", [8, 6, 90]),
    copy("cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.shared::cluster.global{.tile}.mbarrier::complete_tx::bytes{.multicast::cluster}{.cta_group::1|.cta_group::2}{.L2::cache_hint} [d], [t, c], [b]{, mask}{, policy}", [8, 0, 90]),
    copy("cp.async.bulk.tensor.2d.shared::cta.global.tile::gather4.mbarrier::complete_tx::bytes{.cta_group::1|.cta_group::2}{.L2::cache_hint} [d], [t, c], [b]{, policy}", [8, 6, 100]),
    copy("cp.async.bulk.tensor.2d.shared::cluster.global.tile::gather4.mbarrier::complete_tx::bytes{.multicast::cluster}{.cta_group::1|.cta_group::2}{.L2::cache_hint} [d], [t, c], [b]{, mask}{, policy}", [8, 6, 100]),
    unknown("cp.async.bulk.tensor.{3d|4d|5d}.shared::cta.global.{im2col|im2col::w|im2col::w::128}.mbarrier::complete_tx::bytes{.cta_group::1|.cta_group::2}{.L2::cache_hint} [d], [t, c], [b], {info}{, policy}", [8, 6, 90]),
    unknown("cp.async.bulk.tensor.{3d|4d|5d}.shared::cluster.global.{im2col|im2col::w|im2col::w::128}.mbarrier::complete_tx::bytes{.multicast::cluster}{.cta_group::1|.cta_group::2}{.L2::cache_hint} [d], [t, c], [b], {info}{, mask}{, policy}", [8, 0, 90]),
    // Out of shared memory.
    copy("cp.async.bulk.tensor.{1d|2d|3d|4d|5d}.global.shared::cta{.tile}.bulk_group{.L2::cache_hint} [t, c], [a]{, policy}", [8, 0, 90]),
    copy("cp.async.bulk.tensor.2d.global.shared::cta.tile::scatter4.bulk_group{.L2::cache_hint} [t, c], [a]{, policy}", [8, 6, 100]),
    unknown("cp.async.bulk.tensor.{3d|4d|5d}.global.shared::cta.im2col_no_offs.bulk_group{.L2::cache_hint} [t, c], [a]{, policy}", [8, 0, 90]),
    moved("cp.reduce.async.bulk.tensor.{1d|2d|3d|4d|5d}.global.shared::cta.{add|min|max|inc|dec|and|or|xor}{.tile}.bulk_group{.L2::cache_hint} [t, c], [a]{, policy}", REDUCE, [8, 0, 90], Op::Async(AsyncOp::TensorReduce)).leading(4),
    moved("cp.reduce.async.bulk.tensor.{3d|4d|5d}.global.shared::cta.{add|min|max|inc|dec|and|or|xor}.im2col_no_offs.bulk_group{.L2::cache_hint} [t, c], [a]{, policy}", REDUCE, [8, 0, 90], Op::Outside).leading(4),
    prefetch("cp.async.bulk.prefetch.tensor.{1d|2d|3d|4d|5d}.L2.global{.tile}{.L2::cache_hint} [t, c]{, policy}"),
    prefetch("cp.async.bulk.prefetch.tensor.2d.L2.global.tile::gather4{.L2::cache_hint} [t, c]{, policy}"),
    prefetch("cp.async.bulk.prefetch.tensor.{3d|4d|5d}.L2.global.{im2col|im2col::w|im2col::w::128}{.L2::cache_hint} [t, c], {info}{, policy}"),
    // Maps.
    replace("tensormap.replace.tile.global_address{.space}.b1024.b64 [m], address"),
    replace("tensormap.replace.tile.{rank|elemtype|interleave_layout|swizzle_mode|fill_mode|swizzle_atomicity}{.space}.b1024.b32 [m], b"),
    replace("tensormap.replace.tile.{box_dim|global_dim|element_stride}{.space}.b1024.b32 [m], ord, b"),
    replace("tensormap.replace.tile.global_stride{.space}.b1024.b64 [m], ord, stride"),
    form("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [d], [a], 128", "PTX-9.7.13.16", [8, 3, 90], Op::CopyMap)
        .leading(1)
        .device(DEVICE)
        .operands(&[("d", Takes::Bytes(Space::Global, 128)), ("a", Takes::Bytes(Space::SharedCta, 128))]),
];

const COMPLETION: &[(&str, Asks)] = &[
    (
        ".mbarrier::complete_tx::bytes",
        Asks::missing("a completion mechanism: `.mbarrier::complete_tx::bytes`"),
    ),
    (".bulk_group", Asks::missing("a completion mechanism: `.bulk_group`")),
];
static DIMENSION: Limits = Limits {
    what: "the dimension",
    least: 0,
    most: 4,
    step: 1,
    legal: Legal::Interval("0 to 4, of which 0 is the innermost"),
};
