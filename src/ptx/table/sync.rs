//! Barriers, fences and exchanges between threads (PTX-9.7.13), and `shfl` (PTX-9.7.9.6).

use crate::ptx::error::Legal;
use crate::ptx::mismatch::Expected;
use crate::ptx::row::{Asks, Limits, Op, Row, Takes, form};
use crate::ptx::since::Later;
use crate::ptx::value::{AtomicOp, Type};
use crate::ptx::warp::{Shuffle, Vote, WarpOp, WarpReduction};
use crate::ptx::words::Words;

/// Barriers of a CTA.
const fn barrier(text: &'static str, since: [u32; 3]) -> Row {
    const OPERANDS: &[(&str, Takes)] = &[
        ("a", Takes::Within(&BARRIER)),
        ("b", Takes::Within(&PARTICIPANTS)),
        ("c", Takes::Fixed(Type::PREDICATE)),
    ];
    const REDUCTION: Asks =
        Asks::missing("a reduction").choices("the reductions are `.popc`, `.and` and `.or`");
    const MODE: Asks =
        Asks::missing("its operation").choices("the operations are `.sync`, `.arrive` and `.red`");
    const WORDS: &[(&str, Asks)] =
        &[(".sync", MODE), (".popc", REDUCTION), (".{and|or}", REDUCTION)];
    const CHANGED: &[Later] =
        &[Later::with(&[&["{b}"]], [2, 0, 20]), Later::with(&[&["cta"]], [7, 8, 20])];
    form(text, "PTX-9.7.13.1", since, Op::CtaBarrier)
        .changed(CHANGED)
        .operands(OPERANDS)
        .slots(WORDS)
        .takes("barrier{.cta}.{sync|arrive|red.op}{.aligned} a{, b}")
}

/// Memory fences: the order is acq_rel where none is written.
const fn fence(text: &'static str, since: [u32; 3]) -> Row {
    form(text, "PTX-9.7.13.4", since, Op::Fence)
}

const fn proxy_fence(text: &'static str, since: [u32; 3]) -> Row {
    form(text, "PTX-9.7.13.4", since, Op::ProxyFence)
        .spaces("global, shared::cta and shared::cluster")
}

/// Operations on mbarrier objects, in shared memory of the own CTA.
const fn mbarrier(text: &'static str, since: [u32; 3], op: Op) -> Row {
    const CHANGED: &[Later] = &[
        Later::with(&[&["{count}"]], [7, 8, 90]),
        Later::with(&[&["acquire", "release", "relaxed", "cta", "cluster"]], [8, 0, 90]),
        Later::with(&[&["shared::cluster"]], [8, 0, 90]),
        Later::with(
            &[&["arrive", "arrive_drop", "test_wait", "try_wait"], &["relaxed"]],
            [8, 6, 90],
        ),
    ];
    form(text, "PTX-9.7.13.15", since, op)
        .leading(1)
        .changed(CHANGED)
        .spaces("shared::cta")
        .scopes("`.cta` and `.cluster`")
}

/// As [`mbarrier`], in that of another CTA of the cluster as well.
const fn remote(text: &'static str, since: [u32; 3], op: Op) -> Row {
    mbarrier(text, since, op).spaces("shared::cta and shared::cluster")
}

const fn exchange(
    text: &'static str,
    section: &'static str,
    since: [u32; 3],
    op: fn(&Words) -> WarpOp,
) -> Row {
    form(text, section, since, Op::Warp(op)).device("an exchange within a warp")
}

// One row to a line.
#[rustfmt::skip]
pub(super) static ROWS: &[Row] = &[
    // Barriers.
    barrier("bar{.cta}.sync a{, b}", [1, 0, 10]),
    barrier("bar{.cta}.arrive a, b", [2, 0, 20]),
    barrier("bar{.cta}.red.popc.u32 d, a{, b}, {!}c", [2, 0, 20]),
    barrier("bar{.cta}.red.{and|or}.pred p, a{, b}, {!}c", [2, 0, 20]),
    barrier("barrier{.cta}.sync{.aligned} a{, b}", [6, 0, 30]),
    barrier("barrier{.cta}.arrive{.aligned} a, b", [6, 0, 30]),
    barrier("barrier{.cta}.red.popc{.aligned}.u32 d, a{, b}, {!}c", [6, 0, 30]),
    barrier("barrier{.cta}.red.{and|or}{.aligned}.pred p, a{, b}, {!}c", [6, 0, 30]),
    form("bar.warp.sync membermask", "PTX-9.7.13.2", [6, 0, 30], Op::WarpBarrier)
        .slots(&[(".sync", Asks::missing("`.sync`").choices("its only form is `bar.warp.sync membermask`"))]).marked("warp"),
    form("barrier.cluster.arrive{.release|.relaxed}{.aligned}", CLUSTER, [7, 8, 90], Op::ClusterArrive).takes(CLUSTERS).changed(ORDERED).marked("cluster")
        .slots(&[(".arrive", Asks::missing("`.arrive` or `.wait`"))]),
    form("barrier.cluster.wait{.acquire}{.aligned}", CLUSTER, [7, 8, 90], Op::ClusterWait).takes(CLUSTERS).changed(ORDERED).marked("cluster"),
    form("griddepcontrol.wait", GRID, [7, 8, 90], Op::GridDependencyWait).takes(GRIDS)
        .slots(&[(".wait", Asks::missing("`.wait` or `.launch_dependents`"))]),
    form("griddepcontrol.launch_dependents", GRID, [7, 8, 90], Op::LaunchDependents).takes(GRIDS),
    // Fences.
    fence("fence{.sc|.acq_rel}.scope", [6, 0, 70]).shown(FENCE),
    fence("fence.{acquire|release}.scope", [8, 6, 90]).shown(FENCE),
    fence("fence.acquire.sync_restrict::shared::cluster.cluster", [8, 6, 90]).takes(RESTRICTED),
    fence("fence.release.sync_restrict::shared::cta.cluster", [8, 6, 90]).takes(RESTRICTED),
    fence("fence.mbarrier_init.release.cluster", [8, 0, 90]),
    fence("membar.{cta|gl|sys}", [1, 4, 10]).changed(&[Later::with(&[&["sys"]], [2, 0, 20])]).shown(MEMBAR),
    proxy_fence("fence.proxy.alias", [7, 5, 70]).slots(PROXY).shown(PROXIES),
    proxy_fence("fence.proxy.async{.space}", [8, 0, 90]).shown(PROXIES),
    proxy_fence("fence.proxy.tensormap::generic.release.scope", [8, 3, 90])
        .slots(&[(".release", Asks::missing("`.release` or `.acquire`"))]).shown(TENSORMAP),
    proxy_fence("fence.proxy.tensormap::generic.acquire.scope [a], 128", [8, 3, 90]).shown(TENSORMAP),
    proxy_fence("fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster", [8, 6, 90]),
    proxy_fence("fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster", [8, 6, 90]),
    proxy_fence("fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster", [9, 4, 90]).exact(),
    form("fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cta", "PTX-9.7.13.4", [9, 4, 90], Op::Outside)
        .exact(),
    proxy_fence("fence.proxy.alias.{acquire|release}.sys", [9, 4, 90]).slots(PROXY).shown(PROXIES),
    proxy_fence("membar.proxy.alias", [7, 5, 60]).slots(PROXY).shown(MEMBAR),
    proxy_fence("membar.proxy.async{.space}", [8, 0, 90]).shown(MEMBAR),
    // Operations on mbarrier objects.
    mbarrier("mbarrier.init{.space}.b64 [a], count", [7, 0, 80], Op::MbarrierInit)
        .operands(&[("count", Takes::Within(&INITIAL))]),
    mbarrier("mbarrier.inval{.space}.b64 [a]", [7, 0, 80], Op::MbarrierInval),
    remote("mbarrier.expect_tx{.relaxed}{.scope}{.space}.b64 [a], bytes", [8, 0, 90], Op::MbarrierExpect).operands(COUNTED),
    remote("mbarrier.complete_tx{.relaxed}{.scope}{.space}.b64 [a], bytes", [8, 0, 90], Op::MbarrierComplete).operands(COUNTED),
    arrive("mbarrier.arrive{.release|.relaxed}{.scope}{.space}.b64 state, [a]{, count}", [7, 0, 80]),
    arrive("mbarrier.arrive.expect_tx{.release|.relaxed}{.scope}{.space}.b64 state, [a], bytes", [8, 0, 90]).leading(2),
    arrive("mbarrier.arrive.noComplete{.release}{.scope}{.space}.b64 state, [a], count", [7, 0, 80]).scopes("`.cta`")
        .spaces("shared::cta"),
    arrive("mbarrier.arrive_drop{.release|.relaxed}{.scope}{.space}.b64 state, [a]{, count}", [7, 0, 80]),
    arrive("mbarrier.arrive_drop.expect_tx{.release|.relaxed}{.scope}{.space}.b64 state, [a], bytes", [8, 0, 90]).leading(2),
    arrive("mbarrier.arrive_drop.noComplete{.release}{.scope}{.space}.b64 state, [a], count", [7, 0, 80]).scopes("`.cta`")
        .spaces("shared::cta"),
    wait("mbarrier.test_wait{.acquire|.relaxed}{.scope}{.space}.b64 p, [a], state", [7, 0, 80]),
    wait("mbarrier.test_wait.parity{.acquire|.relaxed}{.scope}{.space}.b64 p, [a], parity", [7, 1, 80]),
    wait("mbarrier.try_wait{.acquire|.relaxed}{.scope}{.space}.b64 p, [a], state{, time}", [7, 8, 90]),
    wait("mbarrier.try_wait.parity{.acquire|.relaxed}{.scope}{.space}.b64 p, [a], parity{, time}", [7, 8, 90]),
    form("mbarrier.pending_count.b64 d, state", "PTX-9.7.13.15", [7, 0, 80], Op::PendingCount)
        .operands(&[("d", Takes::Word), ("state", Takes::Token)]).leading(1).shown("mbarrier.pending_count.b64 count, state"),
    // Exchanges of register values within a warp.
    exchange("shfl.sync.{up|down|bfly|idx}.b32 d{|p}, a, b, c, membermask", "PTX-9.7.9.6", [6, 0, 30], shuffle),
    exchange("vote.sync.{all|any|uni}.pred d, {!}a, membermask", "PTX-9.7.13.9", [6, 0, 30], vote).slots(VOTES),
    exchange("vote.sync.ballot.b32 d, {!}a, membermask", "PTX-9.7.13.9", [6, 0, 30], |_| WarpOp::Ballot),
    exchange("match.any.sync.type d, a, membermask", "PTX-9.7.13.10", [6, 0, 70], |w| WarpOp::MatchAny(w.ty().bits))
        .types(".b32 and .b64").slots(&[(".any", Asks::missing("a mode: `.any` or `.all`"))])
        .operands(&[("d", Takes::Fixed(Type::B32))]),
    exchange("match.all.sync.type d{|p}, a, membermask", "PTX-9.7.13.10", [6, 0, 70], |w| WarpOp::MatchAll(w.ty().bits))
        .types(".b32 and .b64").operands(&[("d", Takes::Sink)]),
    exchange("activemask.b32 d", "PTX-9.7.13.11", [6, 2, 30], |_| WarpOp::ActiveMask),
    exchange("redux.sync.{add|min|max}.{u32|s32} d, a, membermask", "PTX-9.7.13.12", [7, 0, 80], redux).exact(),
    exchange("redux.sync.{and|or|xor}.b32 d, a, membermask", "PTX-9.7.13.12", [7, 0, 80], redux).exact(),
    exchange("redux.sync.{min|max}{.abs}{.NaN}.f32 d, a, membermask", "PTX-9.7.13.12", [8, 6, 100], redux).exact().special(),
    exchange("elect.sync d|p, membermask", "PTX-9.7.13.14", [8, 0, 90], |_| WarpOp::Elect)
        .operands(&[("d", Takes::Both(Expected::Elected))]),
];

/// Barriers of the column dialect, which have an instance, a barrier and a number of threads, and its
/// fences of research proxies.
#[rustfmt::skip]
pub(super) static COLUMN_ROWS: &[Row] = &[
    instance("bar.cta.{sync|arrive} a{, resource{, b}}"),
    instance("barrier.cta.{sync|arrive}{.aligned} a{, resource{, b}}"),
    proxy_fence("fence.proxy.{generic|texture|surface|constant}", [7, 5, 70]).shown("fence.proxy.proxykind"),
    proxy_fence("membar.proxy.{generic|texture|surface|constant}", [7, 5, 60]).shown("fence.proxy.proxykind"),
];

const fn instance(text: &'static str) -> Row {
    form(text, "PTX-9.7.13.1", [6, 0, 30], Op::CtaBarrier)
        .operands(&[("a", Takes::Word), ("resource", Takes::Word), ("b", Takes::Word)])
        .marked("cta")
        .shown("bar.cta.sync instance{, barrier{, count}}")
}

const fn arrive(text: &'static str, since: [u32; 3]) -> Row {
    const OPERANDS: &[(&str, Takes)] =
        &[("state", Takes::Token), ("count", Takes::Within(&ARRIVING)), ("bytes", Takes::Word)];
    remote(text, since, Op::MbarrierArrive).operands(OPERANDS)
}

const fn wait(text: &'static str, since: [u32; 3]) -> Row {
    const OPERANDS: &[(&str, Takes)] =
        &[("state", Takes::Token), ("parity", Takes::Within(&PARITY)), ("time", Takes::Word)];
    mbarrier(text, since, Op::MbarrierWait).operands(OPERANDS)
}

static BARRIER: Limits =
    Limits { what: "the barrier", least: 0, most: 15, step: 1, legal: Legal::Interval("0 to 15") };
/// Whole warps, whose number of threads 32 bits hold.
static PARTICIPANTS: Limits = Limits {
    what: "the number of threads",
    least: 32,
    most: 0xffff_ffe0,
    step: 32,
    legal: Legal::Values("a positive multiple of the warp size 32 below 2^32"),
};
const COUNTED: &[(&str, Takes)] = &[("bytes", Takes::Word)];
static INITIAL: Limits = Limits {
    what: "the arrival count",
    least: 1,
    most: 0xf_ffff,
    step: 1,
    legal: Legal::Interval("1 to 1048575"),
};
static ARRIVING: Limits = Limits { most: i128::MAX, ..INITIAL };
static PARITY: Limits =
    Limits { what: "the parity", least: 0, most: 1, step: 1, legal: Legal::Interval("0 to 1") };
const FENCE: &str = "fence{.sc|.acq_rel|.acquire|.release}.scope";
const RESTRICTED: &str = "fence.{acquire.sync_restrict::shared::cluster|\
                          release.sync_restrict::shared::cta}.cluster";
const MEMBAR: &str = "membar.{cta|gl|sys} or \
                      membar.proxy.{alias|async|async.global|async.shared::{cta|cluster}}";
const PROXIES: &str = "fence.proxy.{alias|async|async.global|async.shared::{cta,cluster}}";
const PROXY: &[(&str, Asks)] =
    &[(".alias", Asks::missing("a proxy: `.alias`, `.async` or `.tensormap::generic`"))];
const TENSORMAP: &str = "fence.proxy.tensormap::generic.{release.scope | acquire.scope [a], 128}";
const CLUSTER: &str = "PTX-9.7.13.3";
const ORDERED: &[Later] = &[Later::with(&[&["acquire", "release", "relaxed"]], [8, 0, 90])];
const CLUSTERS: &str = "barrier.cluster.{arrive{.release|.relaxed}|wait{.acquire}}{.aligned}";
const GRID: &str = "PTX-9.7.13.13";
const GRIDS: &str = "griddepcontrol.{wait|launch_dependents}";
const VOTES: &[(&str, Asks)] =
    &[(".{all|any|uni}", Asks::missing("a mode: `.all`, `.any`, `.uni` or `.ballot`"))];

fn shuffle(words: &Words) -> WarpOp {
    WarpOp::Shuffle(match () {
        () if words.has("up") => Shuffle::Up,
        () if words.has("down") => Shuffle::Down,
        () if words.has("bfly") => Shuffle::Butterfly,
        () => Shuffle::Index,
    })
}

fn vote(words: &Words) -> WarpOp {
    WarpOp::Vote(match () {
        () if words.has("all") => Vote::All,
        () if words.has("any") => Vote::Any,
        () => Vote::Uniform,
    })
}

fn redux(words: &Words) -> WarpOp {
    let ops = [
        ("add", AtomicOp::Add),
        ("min", AtomicOp::Min),
        ("max", AtomicOp::Max),
        ("and", AtomicOp::And),
        ("or", AtomicOp::Or),
    ];
    let op = ops.into_iter().find(|(word, _)| words.has(word));
    WarpOp::Reduce(WarpReduction {
        op: op.map_or(AtomicOp::Xor, |(_, op)| op),
        ty: words.ty(),
        magnitudes: words.has("abs"),
        nan: words.has("NaN"),
    })
}
