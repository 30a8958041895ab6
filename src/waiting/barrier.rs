//! Barriers, operations at barriers, and the warps of a CTA.

use crate::id::{AgentId, EventId, ExprId};
use crate::litmus::ast::Place;
use crate::program::micro::Reduction;
use crate::ptx::operation::Order;
use crate::ptx::warp::WarpOp;
use crate::vocabulary::BaseRel;

/// Who has to arrive for a barrier generation to complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BarrierRule {
    /// All threads of the group; one that has ended does not count. PTX's barriers without a
    /// count, cluster barriers and warp barriers.
    AllLive,
    /// The threads that execute an operation of this generation (columns).
    Participants,
    /// Exactly this many threads' worth of warps.
    Count(ExprId),
    /// The first this many; later ones pass through (columns with a count).
    Quorum(ExprId),
}

/// The key that operations on one barrier share.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierKey {
    /// A barrier resource of a CTA: (gpu, grid, cta), resource.
    Cta((u32, u32, u32), u64),
    /// The column dialect's barrier: (gpu, grid, cta), instance, resource.
    Instance((u32, u32, u32), u64, u64),
    /// The cluster's barrier: (gpu, grid, cluster).
    Cluster((u32, u32, u32)),
    /// A warp barrier: (gpu, grid, cta, warp), lane mask.
    Warp(Warp, u64),
    /// An exchange within a warp: a warp barrier of threads at the same instruction, without
    /// ordering memory operations.
    Exchange(Warp, u64, WarpOp),
}

/// An instruction at a barrier of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierUse {
    /// The thread.
    pub agent: AgentId,
    /// Its CTA: (gpu, grid, cta).
    pub cta: (u32, u32, u32),
    /// The resource; `None` if it is computed.
    pub resource: Option<u64>,
    /// The thread count.
    pub count: UsedCount,
}

/// The thread count of an instruction at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedCount {
    /// No count: all threads of the CTA.
    All,
    /// The given number of threads.
    Number(u128),
    /// Computed.
    Open,
}

/// One barrier operation of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BarrierOp {
    /// Its event.
    pub event: EventId,
    /// The barrier, with which the operation's participants share this key.
    pub key: BarrierKey,
    /// Whether it counts as an arrival.
    pub arrives: bool,
    /// Whether it waits for completion.
    pub waits: bool,
    /// Whether all threads of a warp have to execute it together.
    pub aligned: bool,
    /// When a generation is complete.
    pub rule: BarrierRule,
    /// The order of a cluster arrival or wait.
    pub order: Option<Order>,
    /// The operand of each thread: the predicate of `bar.red`, or the value of an exchange.
    pub operand: Option<ExprId>,
    /// How `bar.red` combines predicates.
    pub reduction: Option<Reduction>,
    /// The result of an exchange of register values within a warp.
    pub exchange: Option<Exchange>,
}

/// An exchange of register values within a warp, which waits for its threads and orders nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// The instruction.
    pub op: WarpOp,
    /// The lane of the thread.
    pub lane: ExprId,
    /// The lane that `shfl.sync` asks for.
    pub source: Option<ExprId>,
    /// The result, as an expression over the operands of the participants; `None` only during
    /// unfolding.
    pub value: Option<ExprId>,
}

impl BarrierOp {
    /// Bits that are enough to count the barrier operations of one thread.
    pub const ORDINAL_BITS: u32 = 16;

    /// Whether the operation returns a value.
    #[must_use]
    pub fn returns(&self) -> bool {
        self.reduction.is_some() || self.exchange.is_some()
    }

    /// The result of an exchange.
    #[must_use]
    pub fn exchanged(&self) -> Option<ExprId> {
        self.exchange.and_then(|exchange| exchange.value)
    }

    /// The expression of the operation's thread count, if it has one.
    #[must_use]
    pub fn count(&self) -> Option<ExprId> {
        match self.rule {
            BarrierRule::Count(count) | BarrierRule::Quorum(count) => Some(count),
            BarrierRule::AllLive | BarrierRule::Participants => None,
        }
    }
}

impl BarrierKey {
    /// The base relation between the operations that meet at such a barrier.
    #[must_use]
    pub fn relation(&self) -> BaseRel {
        match self {
            Self::Cta(..) | Self::Instance(..) => BaseRel::BarrierSync,
            Self::Cluster(_) => BaseRel::ClusterSync,
            Self::Warp(..) => BaseRel::WarpSync,
            Self::Exchange(..) => BaseRel::Exchange,
        }
    }

    /// Whether a place is in the cluster or CTA of the barrier. A warp barrier's lane mask is not
    /// looked at.
    #[must_use]
    pub fn includes(&self, p: Place) -> bool {
        match *self {
            Self::Cta(cta, _) | Self::Instance(cta, ..) => (p.gpu, p.grid, p.cta) == cta,
            Self::Cluster(cluster) => (p.gpu, p.grid, p.cluster) == cluster,
            Self::Warp(warp, _) | Self::Exchange(warp, ..) => (p.gpu, p.grid, p.cta) == warp.cta,
        }
    }
}

impl BarrierKey {
    /// The section of the instructions that wait at the barrier.
    #[must_use]
    pub fn section(&self) -> &'static str {
        match self {
            Self::Cta(..) | Self::Instance(..) => "PTX-9.7.13.1",
            Self::Warp(..) => "PTX-9.7.13.2",
            Self::Cluster(_) => "PTX-9.7.13.3",
            Self::Exchange(_, _, op) => op.section(),
        }
    }
}

impl std::fmt::Display for BarrierKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cta((_, _, cta), resource) => write!(f, "barrier {resource} of CTA {cta}"),
            Self::Instance((_, _, cta), instance, resource) => {
                write!(f, "barrier {instance} ({resource}) of CTA {cta}")
            }
            Self::Cluster((_, _, cluster)) => write!(f, "the barrier of cluster {cluster}"),
            Self::Warp(warp, mask) => write!(f, "the barrier of {warp}, mask {mask:#x}"),
            Self::Exchange(warp, mask, op) => write!(f, "{op} of {warp}, mask {mask:#x}"),
        }
    }
}

/// How many threads or warps an operation asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quota {
    /// So many threads.
    Threads(u128),
    /// So many warps, each with all its threads that have not ended.
    Warps(u128),
}

impl Quota {
    /// What a thread count asks for (PTX-9.7.13.1).
    #[must_use]
    pub fn by_count(count: u128) -> Self {
        if counts_warps(count) { Self::Warps(count / WARP_SIZE) } else { Self::Threads(count) }
    }

    /// The number, of whatever.
    #[must_use]
    pub fn number(self) -> u128 {
        let (Self::Threads(number) | Self::Warps(number)) = self;
        number
    }
}

/// Threads of a warp.
pub const WARP_SIZE: u128 = 32;

/// Whether a barrier's thread count asks for whole warps (PTX-9.7.13.1); columns take any count.
#[must_use]
pub fn counts_warps(count: u128) -> bool {
    count > 0 && count.is_multiple_of(WARP_SIZE)
}

/// A warp of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Warp {
    /// gpu, grid, cta
    pub cta: (u32, u32, u32),
    /// Which of its warps.
    pub which: WhichWarp,
}

/// How a warp is told from the other warps of its CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum WhichWarp {
    /// By the number that the test declares.
    Declared(u32),
    /// By its only thread, whose warp the test leaves open: an index into the test's threads.
    Of(usize),
}

impl Warp {
    /// The warp of the thread with this index in the test.
    #[must_use]
    pub fn of(thread: usize, place: Place) -> Self {
        let which = place.warp.map_or(WhichWarp::Of(thread), WhichWarp::Declared);
        Self { cta: place.cta_of_test(), which }
    }
}

impl std::fmt::Display for Warp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.which {
            WhichWarp::Declared(number) => write!(f, "warp {number} in CTA {}", self.cta.2),
            WhichWarp::Of(_) => write!(f, "a warp of one thread in CTA {}", self.cta.2),
        }
    }
}
