//! Asynchronous copies, stores and reductions, and the groups that they are waited for by
//! (PTX-9.7.9.12, PTX-9.7.9.25, PTX-9.7.13.7, PTX-9.7.13.15.15).

use crate::ptx::asynchronous::{AsyncOp, GroupKind};
use crate::ptx::demand::{Demand, Needs};
use crate::ptx::error::Legal;
use crate::ptx::row::{Asks, Limits, Op, Row, Takes, form};
use crate::ptx::since::Later;
use crate::ptx::value::{Space, Type, TypeKind};

const COPY: &str = "PTX-9.7.9.25.3.1";
const BULK: &str = "PTX-9.7.9.25.4.1";
const REDUCE: &str = "PTX-9.7.9.25.4.2";
const DEVICE: &str = "an asynchronous operation";

/// An instruction that issues an asynchronous operation.
const fn issues(text: &'static str, section: &'static str, since: [u32; 3], op: AsyncOp) -> Row {
    form(text, section, since, Op::Async(op)).device(DEVICE).slots(COMPLETION)
}

/// A copy of a few bytes to shared memory.
const fn copy(text: &'static str) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[
        ("d", Takes::Bytes(Space::SharedCta, 4)),
        ("a", Takes::Bytes(Space::Global, 4)),
        ("size", Takes::Within(&COPIED)),
        ("bytes", Takes::Amount),
        ("policy", Takes::Token),
    ];
    const LATER: &[Later] = &[
        Later::with(&[&["L2::64B", "L2::128B", "L2::256B"]], [7, 4, 80]),
        Later::with(&[&["{bytes}"]], [7, 5, 80]),
    ];
    issues(text, COPY, [7, 0, 80], AsyncOp::Copy)
        .operands(OPERANDS)
        .asked(HINT)
        .changed(LATER)
        .leading(1)
}

/// A copy or reduction of many bytes; `d` is where to.
const fn bulk(
    text: &'static str,
    section: &'static str,
    since: [u32; 3],
    op: AsyncOp,
    operands: &'static [(&'static str, Takes)],
) -> Row {
    const ASKED: &[(&str, &str)] = &[
        ("policy", "L2::cache_hint"),
        ("mask", "multicast::cluster"),
        ("kept", "cp_mask"),
        ("left", "ignore_oob"),
        ("right", "ignore_oob"),
    ];
    const LATER: &[Later] = &[
        Later::with(&[&["cp_mask"]], [8, 6, 100]),
        Later::with(&[&["ignore_oob"]], [9, 2, 90]),
        Later::with(&[&["weak"]], [9, 3, 90]),
    ];
    issues(text, section, since, op).operands(operands).asked(ASKED).changed(LATER).leading(2)
}

const fn group(text: &'static str, section: &'static str, since: [u32; 3], op: AsyncOp) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[("n", Takes::Within(&GROUPS))];
    form(text, section, since, Op::Async(op)).device(DEVICE).operands(OPERANDS).leading(2)
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    // Copies of a few bytes.
    copy("cp.async.ca.{shared|shared::cta}.global{.L2::64B|.L2::128B|.L2::256B} [d], [a], size{, bytes}"),
    copy("cp.async.ca.{shared|shared::cta}.global.L2::cache_hint{.L2::64B|.L2::128B|.L2::256B} [d], [a], size, policy"),
    copy("cp.async.ca.{shared|shared::cta}.global.L2::cache_hint{.L2::64B|.L2::128B|.L2::256B} [d], [a], size, bytes, policy"),
    copy("cp.async.cg.{shared|shared::cta}.global{.L2::64B|.L2::128B|.L2::256B} [d], [a], 16{, bytes}"),
    copy("cp.async.cg.{shared|shared::cta}.global.L2::cache_hint{.L2::64B|.L2::128B|.L2::256B} [d], [a], 16, policy"),
    copy("cp.async.cg.{shared|shared::cta}.global.L2::cache_hint{.L2::64B|.L2::128B|.L2::256B} [d], [a], 16, bytes, policy"),
    group("cp.async.commit_group", "PTX-9.7.9.25.3.2", [7, 0, 80], AsyncOp::Commit(GroupKind::Copy)),
    group("cp.async.wait_group n", "PTX-9.7.9.25.3.3", [7, 0, 80], AsyncOp::Wait(GroupKind::Copy)),
    group("cp.async.wait_all", "PTX-9.7.9.25.3.3", [7, 0, 80], AsyncOp::WaitAll),
    issues("cp.async.mbarrier.arrive{.noinc}{.shared|.shared::cta}.b64 [b]", "PTX-9.7.13.15.15", [7, 0, 80], AsyncOp::ArriveBehindCopies).leading(3)
        .operands(&[("b", Takes::Bytes(Space::SharedCta, 8))]),
    // Copies and reductions of many bytes.
    bulk("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes{.ignore_oob}{.weak}{.L2::cache_hint} [d], [a], size, left, right, [b]{, policy}", BULK, [8, 6, 90], AsyncOp::BulkCopy, LOAD),
    bulk("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster}{.weak}{.L2::cache_hint} [d], [a], size, [b]{, mask}{, policy}", BULK, [8, 0, 90], AsyncOp::BulkCopy, MULTICAST),
    bulk("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes{.weak} [d], [a], size, [b]", BULK, [8, 0, 90], AsyncOp::BulkCopy, PUSH),
    bulk("cp.async.bulk.global.shared::cta.bulk_group{.weak}{.L2::cache_hint}{.cp_mask} [d], [a], size{, policy}{, kept}", BULK, [8, 0, 90], AsyncOp::BulkCopy, STORE),
    bulk("cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes.relaxed.scope.b128{.L2::cache_hint} [d], [a], size, [b]{, policy}", BULK, [9, 3, 90], AsyncOp::BulkCopy, LOAD),
    bulk("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes{.multicast::cluster}.relaxed.scope.b128{.L2::cache_hint} [d], [a], size, [b]{, mask}{, policy}", BULK, [9, 3, 90], AsyncOp::BulkCopy, MULTICAST),
    bulk("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.relaxed.scope.b128 [d], [a], size, [b]", BULK, [9, 3, 90], AsyncOp::BulkCopy, PUSH)
        .scopes("`.cta` and `.cluster`"),
    bulk("cp.async.bulk.global.shared::cta.bulk_group.relaxed.scope.b128{.L2::cache_hint} [d], [a], size{, policy}", BULK, [9, 3, 90], AsyncOp::BulkCopy, STORE),
    bulk("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.{and|or|xor|add|inc|dec|min|max}.type [d], [a], size, [b]", REDUCE, [8, 0, 90], AsyncOp::BulkReduce, PUSH).leading(3)
        .types(".b32, .u32, .s32 and .u64").demands(SHARED),
    bulk("cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.relaxed.scope.{and|or|xor|add|inc|dec|min|max}.type [d], [a], size, [b]", REDUCE, [9, 3, 90], AsyncOp::BulkReduce, PUSH).leading(3)
        .types(".b32, .u32, .s32 and .u64").scopes("`.cta` and `.cluster`").demands(SHARED),
    bulk("cp.reduce.async.bulk.global.shared::cta.bulk_group{.L2::cache_hint}.{and|or|xor|add|inc|dec|min|max}{.noftz}.type [d], [a], size{, policy}", REDUCE, [8, 0, 90], AsyncOp::BulkReduce, STORE).leading(3)
        .types(".f16, .bf16, .b32, .u32, .s32, .b64, .u64, .s64, .f32 and .f64").demands(GLOBALLY),
    bulk("cp.reduce.async.bulk.global.shared::cta.bulk_group.relaxed.scope{.L2::cache_hint}.{and|or|xor|add|inc|dec|min|max}{.noftz}.type [d], [a], size{, policy}", REDUCE, [9, 3, 90], AsyncOp::BulkReduce, STORE).leading(3)
        .types(".f16, .bf16, .b32, .u32, .s32, .b64, .u64, .s64, .f32 and .f64").demands(GLOBALLY),
    bulk("multimem.cp.async.bulk.global.shared::cta.bulk_group{.weak}{.cp_mask} [d], [a], size{, kept}", BULK, [9, 1, 90], AsyncOp::BulkCopy, STORE).marked("cp").leading(3),
    bulk("multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.{and|or|xor|add|inc|dec|min|max}{.noftz}.type [d], [a], size", REDUCE, [9, 1, 90], AsyncOp::BulkReduce, STORE).marked("reduce").leading(4)
        .types(".f16, .bf16, .b32, .u32, .s32, .b64, .u64, .s64, .f32 and .f64").demands(GLOBALLY),
    bulk("multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.relaxed.scope.{and|or|xor|add|inc|dec|min|max}{.noftz}.type [d], [a], size", REDUCE, [9, 3, 90], AsyncOp::BulkReduce, STORE).marked("reduce").leading(4)
        .types(".f16, .bf16, .b32, .u32, .s32, .b64, .u64, .s64, .f32 and .f64").demands(GLOBALLY),
    group("cp.async.bulk.commit_group", "PTX-9.7.9.25.4.3", [8, 0, 90], AsyncOp::Commit(GroupKind::Bulk)).leading(3),
    group("cp.async.bulk.wait_group{.read} n", "PTX-9.7.9.25.4.4", [8, 0, 90], AsyncOp::Wait(GroupKind::Bulk)).leading(3),
    form("cp.async.bulk.prefetch.L2.global{.L2::cache_hint} [a], size{, policy}", "PTX-9.7.9.25.4.3", [8, 0, 90], Op::Nothing).operands(PREFETCHED).asked(HINT).leading(3),
    // Stores and reductions of registers.
    issues("st.async{.weak|.cluster}{.shared::cluster}.mbarrier::complete_tx::bytes{.v2|.v4}.type [a], b, [m]", "PTX-9.7.9.12", [8, 1, 90], AsyncOp::Store).leading(1)
        .changed(&[Later::with(&[&["b128"]], [9, 2, 90])])
        .types(".b32, .b64, .b128, .u32, .u64, .s32, .s64, .f32 and .f64").operands(STORED_REMOTELY),
    issues("st.async{.mmio}.release.scope{.global}.type [a], b", "PTX-9.7.9.12", [8, 7, 100], AsyncOp::ReleaseStore).leading(1)
        .types(".b8 to .b64, .u8 to .u64, .s8 to .s64, .f32 and .f64").scopes(WIDE).operands(GLOBAL),
    issues("red.async{.mmio}.release.scope{.global}.add.type [a], b", "PTX-9.7.13.7", [8, 7, 100], AsyncOp::ReleaseReduce).marked("async").leading(1)
        .types(".u32, .s32, .u64 and .s64").scopes(WIDE).operands(GLOBAL),
    issues("multimem.st.async.release.scope{.global}.type [a], b", "PTX-9.7.9.12", [9, 3, 100], AsyncOp::ReleaseStore).marked("async").leading(2)
        .types(".b8 to .b64, .u8 to .u64, .s8 to .s64, .f32 and .f64").scopes(WIDE).operands(GLOBAL),
    issues("multimem.red.async.release.scope{.global}.add.type [a], b", "PTX-9.7.13.7", [9, 3, 100], AsyncOp::ReleaseReduce).marked("async").leading(2)
        .types(".u32, .s32 and .u64").scopes(WIDE).operands(GLOBAL),
    issues("red.async.relaxed.cluster{.shared::cluster}.mbarrier::complete_tx::bytes.{inc|dec|min|max|and|or|xor|add}.type [a], b, [m]", "PTX-9.7.13.7", [8, 1, 90], AsyncOp::Reduce).marked("async").leading(1)
        .types(".b32, .u32, .s32 and .u64").operands(REMOTE).demands(SHARED),
];

const EXIST: &str = "`{form}` does not exist";
/// The types of the functions of reductions.
const BITS: Demand = Demand::rule(
    &["and", "or", "xor"],
    Needs::With(&["b32", "b64"]),
    EXIST,
    "`.and`, `.or` and `.xor` are for `.b32`, in global memory for `.b64` too",
);
const COUNTERS: Demand =
    Demand::rule(&["inc", "dec"], Needs::With(&["u32"]), EXIST, "`.inc` and `.dec` are for `.u32`");
/// In shared memory.
const SHARED: &[Demand] = &[
    BITS,
    COUNTERS,
    Demand::rule(
        &["add"],
        Needs::With(&["u32", "s32", "u64"]),
        EXIST,
        "`.add` is for `.u32`, `.s32` and `.u64` here",
    ),
    Demand::rule(
        &["min", "max"],
        Needs::With(&["u32", "s32"]),
        EXIST,
        "`.min` and `.max` are for `.u32` and `.s32` here",
    ),
];
/// In global memory.
const GLOBALLY: &[Demand] = &[
    BITS,
    COUNTERS,
    Demand::rule(
        &["add"],
        Needs::With(&["u32", "s32", "u64", "f16", "bf16", "f32", "f64"]),
        EXIST,
        "`.add` is for `.u32`, `.s32`, `.u64` and floating-point numbers",
    ),
    Demand::rule(
        &["min", "max"],
        Needs::With(&["u32", "s32", "u64", "s64", "f16", "bf16"]),
        EXIST,
        "`.min` and `.max` are for integers, `.f16` and `.bf16`",
    ),
    Demand::rule(
        &["noftz"],
        Needs::With(&["f16", "bf16", "f32"]),
        EXIST,
        "`.noftz` is for `.f16`, `.bf16` and `.f32`",
    ),
    Demand::rule(&["noftz"], Needs::With(&["add"]), EXIST, "`.noftz` goes with `.add`"),
    Demand::rule(
        &["f16", "bf16"],
        Needs::With(&["noftz", "min", "max"]),
        EXIST,
        "numbers of 16 bits are added with `.add.noftz`",
    ),
];
/// The masks of CTAs and of bytes.
const HALF: Type = Type::new(TypeKind::Bits, 16);
const PREFETCHED: &[(&str, Takes)] =
    &[("a", Takes::Bytes(Space::Global, 16)), ("size", Takes::Word), ("policy", Takes::Token)];
const HINT: &[(&str, &str)] = &[("policy", "L2::cache_hint")];
const COMPLETION: &[(&str, Asks)] = &[(
    ".mbarrier::complete_tx::bytes",
    Asks::missing("a completion mechanism: `.mbarrier::complete_tx::bytes` or `.bulk_group`"),
)];
const LOAD: &[(&str, Takes)] = &[
    ("d", Takes::Bytes(Space::SharedCta, 16)),
    ("a", Takes::Bytes(Space::Global, 16)),
    ("size", Takes::Word),
    ("left", Takes::Word),
    ("right", Takes::Word),
    ("b", Takes::Bytes(Space::SharedCta, 8)),
    ("policy", Takes::Token),
];
const MULTICAST: &[(&str, Takes)] = &[
    ("d", Takes::Bytes(Space::SharedCluster, 16)),
    ("a", Takes::Bytes(Space::Global, 16)),
    ("size", Takes::Word),
    ("b", Takes::Bytes(Space::SharedCluster, 8)),
    ("mask", Takes::Fixed(HALF)),
    ("policy", Takes::Token),
];
const PUSH: &[(&str, Takes)] = &[
    ("d", Takes::Bytes(Space::SharedCluster, 16)),
    ("a", Takes::Bytes(Space::SharedCta, 16)),
    ("size", Takes::Word),
    ("b", Takes::Bytes(Space::SharedCluster, 8)),
];
const STORE: &[(&str, Takes)] = &[
    ("d", Takes::Bytes(Space::Global, 16)),
    ("a", Takes::Bytes(Space::SharedCta, 16)),
    ("size", Takes::Word),
    ("policy", Takes::Token),
    ("kept", Takes::Fixed(HALF)),
];
const REMOTE: &[(&str, Takes)] =
    &[("a", Takes::Bytes(Space::SharedCluster, 4)), ("m", Takes::Bytes(Space::SharedCluster, 8))];
const STORED_REMOTELY: &[(&str, Takes)] = &[
    ("a", Takes::Bytes(Space::SharedCluster, 4)),
    ("b", Takes::Data(0)),
    ("m", Takes::Bytes(Space::SharedCluster, 8)),
];
const WIDE: &str = "`.gpu` and `.sys`";
const GLOBAL: &[(&str, Takes)] = &[("a", Takes::Bytes(Space::Global, 1))];
static COPIED: Limits =
    Limits { what: "the size", least: 4, most: 16, step: 4, legal: Legal::Values("4, 8 and 16") };
pub(super) static GROUPS: Limits = Limits {
    what: "the number of groups",
    least: 0,
    most: 0xffff_ffff,
    step: 1,
    legal: Legal::Values("at least 0"),
};
