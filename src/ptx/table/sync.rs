//! Barriers, fences and exchanges between threads (PTX-9.7.13), and `shfl` (PTX-9.7.9.6).

use crate::ptx::error::Expected;
use crate::ptx::form::{Asks, Op, Row, Takes, Written, form};
use crate::ptx::value::{AtomicOp, Type};
use crate::ptx::warp::{Shuffle, Vote, WarpOp, WarpReduction};

/// A row whose instructions are decoded by a function of their own.
const fn own(text: &'static str, section: &'static str, since: [u32; 3]) -> Row {
    form(text, section, since, Op::Own)
}

const FENCE: &str = "PTX-9.7.13.4";
const MBARRIER: &str = "PTX-9.7.13.15";

pub(super) static ROWS: &[Row] = &[
    // Barriers.
    own("bar{.cta}.sync a{, b}", "PTX-9.7.13.1", [1, 0, 10]),
    own("bar{.cta}.arrive a, b", "PTX-9.7.13.1", [2, 0, 20]),
    own("bar{.cta}.red.popc.u32 d, a{, b}, {!}c", "PTX-9.7.13.1", [2, 0, 20]),
    own("bar{.cta}.red.{and|or}.pred p, a{, b}, {!}c", "PTX-9.7.13.1", [2, 0, 20]),
    own("barrier{.cta}.sync{.aligned} a{, b}", "PTX-9.7.13.1", [6, 0, 30]),
    own("barrier{.cta}.arrive{.aligned} a, b", "PTX-9.7.13.1", [6, 0, 30]),
    own("barrier{.cta}.red.popc{.aligned}.u32 d, a{, b}, {!}c", "PTX-9.7.13.1", [6, 0, 30]),
    own("barrier{.cta}.red.{and|or}{.aligned}.pred p, a{, b}, {!}c", "PTX-9.7.13.1", [6, 0, 30]),
    own("bar.warp.sync membermask", "PTX-9.7.13.2", [6, 0, 30]),
    form(
        "barrier.cluster.arrive{.release|.relaxed}{.aligned}",
        CLUSTER,
        [7, 8, 90],
        Op::ClusterArrive,
    )
    .takes(CLUSTERS)
    .slots(ACTION),
    form("barrier.cluster.wait{.acquire}{.aligned}", CLUSTER, [7, 8, 90], Op::ClusterWait)
        .takes(CLUSTERS),
    form("griddepcontrol.wait", GRID, [7, 8, 90], Op::GridDependencyWait)
        .takes(GRIDS)
        .slots(&[(".wait", Asks { missing: "`.wait` or `.launch_dependents`", legal: "" })]),
    form("griddepcontrol.launch_dependents", GRID, [7, 8, 90], Op::LaunchDependents).takes(GRIDS),
    // Fences.
    own("fence{.sc|.acq_rel}.scope", FENCE, [6, 0, 70]),
    own("fence.{acquire|release}.scope", FENCE, [8, 6, 90]),
    own("fence.acquire.sync_restrict::shared::cluster.cluster", FENCE, [8, 6, 90]),
    own("fence.release.sync_restrict::shared::cta.cluster", FENCE, [8, 6, 90]),
    own("fence.mbarrier_init.release.cluster", FENCE, [8, 0, 90]),
    own("fence.proxy.alias", FENCE, [7, 5, 70]),
    own("fence.proxy.async{.global|.shared::cta|.shared::cluster}", FENCE, [8, 0, 90]),
    own("fence.proxy.tensormap::generic.release.scope", FENCE, [8, 3, 90]),
    own("fence.proxy.tensormap::generic.acquire.scope [a], 128", FENCE, [8, 3, 90]),
    own(
        "fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster",
        FENCE,
        [8, 6, 90],
    ),
    own("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", FENCE, [8, 6, 90]),
    form(
        "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.{cta|cluster}",
        FENCE,
        [9, 4, 90],
        Op::Outside,
    )
    .exact(),
    own("membar.{cta|gl}", FENCE, [1, 4, 10]),
    own("membar.sys", FENCE, [2, 0, 20]),
    own("membar.proxy.alias", FENCE, [7, 5, 60]),
    own("membar.proxy.async{.global|.shared::cta|.shared::cluster}", FENCE, [8, 0, 90]),
    // Operations on mbarrier objects.
    own("mbarrier.init{.shared|.shared::cta}.b64 [a], count", MBARRIER, [7, 0, 80]),
    own("mbarrier.inval{.shared|.shared::cta}.b64 [a]", MBARRIER, [7, 0, 80]),
    own("mbarrier.expect_tx{.relaxed}{.scope}{.space}.b64 [a], bytes", MBARRIER, [8, 0, 90]),
    own("mbarrier.complete_tx{.relaxed}{.scope}{.space}.b64 [a], bytes", MBARRIER, [8, 0, 90]),
    own(
        "mbarrier.arrive{.release|.relaxed}{.scope}{.space}.b64 state, [a]{, count}",
        MBARRIER,
        [7, 0, 80],
    ),
    own(
        "mbarrier.arrive.expect_tx{.release|.relaxed}{.scope}{.space}.b64 state, [a], bytes",
        MBARRIER,
        [8, 0, 90],
    ),
    own(
        "mbarrier.arrive.noComplete{.release}{.cta}{.space}.b64 state, [a], count",
        MBARRIER,
        [7, 0, 80],
    ),
    own(
        "mbarrier.arrive_drop{.release|.relaxed}{.scope}{.space}.b64 state, [a]{, count}",
        MBARRIER,
        [7, 0, 80],
    ),
    own(
        "mbarrier.arrive_drop.expect_tx{.release|.relaxed}{.scope}{.space}.b64 state, [a], bytes",
        MBARRIER,
        [8, 0, 90],
    ),
    own(
        "mbarrier.arrive_drop.noComplete{.release}{.cta}{.space}.b64 state, [a], count",
        MBARRIER,
        [7, 0, 80],
    ),
    own(
        "mbarrier.test_wait{.acquire|.relaxed}{.scope}{.space}.b64 p, [a], state",
        MBARRIER,
        [7, 0, 80],
    ),
    own(
        "mbarrier.test_wait.parity{.acquire|.relaxed}{.scope}{.space}.b64 p, [a], parity",
        MBARRIER,
        [7, 1, 80],
    ),
    own(
        "mbarrier.try_wait{.acquire|.relaxed}{.scope}{.space}.b64 p, [a], state{, time}",
        MBARRIER,
        [7, 8, 90],
    ),
    own(
        "mbarrier.try_wait.parity{.acquire|.relaxed}{.scope}{.space}.b64 p, [a], parity{, time}",
        MBARRIER,
        [7, 8, 90],
    ),
    form("mbarrier.pending_count.b64 d, state", MBARRIER, [7, 0, 80], Op::PendingCount)
        .operands(&[("d", Takes::Word), ("state", Takes::Token)])
        .shown("mbarrier.pending_count.b64 count, state"),
    // Exchanges of register values within a warp.
    exchange(
        "shfl.sync.{up|down|bfly|idx}.b32 d{|p}, a, b, c, membermask",
        "PTX-9.7.9.6",
        [6, 0, 30],
        shuffle,
    ),
    exchange("vote.sync.{all|any|uni}.pred d, {!}a, membermask", "PTX-9.7.13.9", [6, 0, 30], vote)
        .slots(VOTES),
    exchange("vote.sync.ballot.b32 d, {!}a, membermask", "PTX-9.7.13.9", [6, 0, 30], |_| {
        WarpOp::Ballot
    }),
    exchange("match.any.sync.type d, a, membermask", "PTX-9.7.13.10", [6, 0, 70], |w| {
        WarpOp::MatchAny(w.ty().bits)
    })
    .types(".b32 and .b64")
    .slots(&[(".any", Asks { missing: "a mode: `.any` or `.all`", legal: "" })])
    .operands(&[("d", Takes::Fixed(Type::B32))]),
    exchange("match.all.sync.type d{|p}, a, membermask", "PTX-9.7.13.10", [6, 0, 70], |w| {
        WarpOp::MatchAll(w.ty().bits)
    })
    .types(".b32 and .b64")
    .operands(&[("d", Takes::Sink)]),
    exchange("activemask.b32 d", "PTX-9.7.13.11", [6, 2, 30], |_| WarpOp::ActiveMask),
    exchange(
        "redux.sync.{add|min|max}.{u32|s32} d, a, membermask",
        "PTX-9.7.13.12",
        [7, 0, 80],
        redux,
    )
    .exact(),
    exchange("redux.sync.{and|or|xor}.b32 d, a, membermask", "PTX-9.7.13.12", [7, 0, 80], redux)
        .exact(),
    exchange(
        "redux.sync.{min|max}{.abs}{.NaN}.f32 d, a, membermask",
        "PTX-9.7.13.12",
        [8, 6, 100],
        redux,
    )
    .exact(),
    exchange("elect.sync d|p, membermask", "PTX-9.7.13.14", [8, 0, 90], |_| WarpOp::Elect)
        .operands(&[("d", Takes::Both(Expected::Elected))]),
];

const CLUSTER: &str = "PTX-9.7.13.3";
const CLUSTERS: &str = "barrier.cluster.{arrive{.release|.relaxed}|wait{.acquire}}{.aligned}";
const ACTION: &[(&str, Asks)] = &[(".arrive", Asks { missing: "`.arrive` or `.wait`", legal: "" })];
const GRID: &str = "PTX-9.7.13.13";
const GRIDS: &str = "griddepcontrol.{wait|launch_dependents}";
const VOTES: &[(&str, Asks)] = &[(
    ".{all|any|uni}",
    Asks { missing: "a mode: `.all`, `.any`, `.uni` or `.ballot`", legal: "" },
)];

const fn exchange(
    text: &'static str,
    section: &'static str,
    since: [u32; 3],
    op: fn(&Written) -> WarpOp,
) -> Row {
    form(text, section, since, Op::Warp(op)).device("an exchange within a warp")
}

fn shuffle(written: &Written) -> WarpOp {
    WarpOp::Shuffle(match () {
        () if written.has("up") => Shuffle::Up,
        () if written.has("down") => Shuffle::Down,
        () if written.has("bfly") => Shuffle::Butterfly,
        () => Shuffle::Index,
    })
}

fn vote(written: &Written) -> WarpOp {
    WarpOp::Vote(match () {
        () if written.has("all") => Vote::All,
        () if written.has("any") => Vote::Any,
        () => Vote::Uniform,
    })
}

fn redux(written: &Written) -> WarpOp {
    let ops = [
        ("add", AtomicOp::Add),
        ("min", AtomicOp::Min),
        ("max", AtomicOp::Max),
        ("and", AtomicOp::And),
        ("or", AtomicOp::Or),
    ];
    let op = ops.into_iter().find(|(word, _)| written.has(word));
    WarpOp::Reduce(WarpReduction {
        op: op.map_or(AtomicOp::Xor, |(_, op)| op),
        ty: written.ty(),
        magnitudes: written.has("abs"),
        nan: written.has("NaN"),
    })
}
