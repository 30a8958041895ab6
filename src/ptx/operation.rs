//! Decoded instructions: the meaning of a PTX statement, with every default of the standard filled
//! in.
//!
//! A decoder turns a statement's opcode, qualifiers and operands into one [`Operation`]; statements
//! that the ISA rejects are not represented. Hints (cache operators, eviction priorities, prefetch
//! sizes) have no meaning for the memory model and are dropped.

pub use super::integer::{CarryOp, Excess, Half, IntegerOp, Permutation, Sign};
pub use super::value::{
    Address, ArithmeticOp, AtomicOp, BoolOp, Comparison, Destination, Element, Order, Proxy,
    Register, Scope, Space, Type, TypeKind, Value,
};
use super::written::Written;
use crate::source::{Span, Spanned};

/// The predicate that guards a statement, possibly complemented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateUse {
    /// Whether it is written `!p`.
    pub negated: bool,
    /// The predicate register.
    pub register: Register,
}

/// `fence` and `membar` (PTX-9.7.13.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FenceRestriction {
    /// Orders everything.
    None,
    /// `fence.acquire.sync_restrict::shared::cluster.cluster`
    AcquireSharedCluster,
    /// `fence.release.sync_restrict::shared::cta.cluster`
    ReleaseSharedCta,
    /// `fence.mbarrier_init.release.cluster`
    MbarrierInit,
}

/// A proxy fence's kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProxyFenceKind {
    /// `fence.proxy.alias`
    Alias,
    /// `fence.proxy.alias.acquire.sys`
    AliasAcquire,
    /// `fence.proxy.alias.release.sys`
    AliasRelease,
    /// `fence.proxy.async` and its state-space forms; `None` for all spaces.
    Async(Option<Space>),
    /// `fence.proxy.tensormap::generic.release.scope`
    TensormapRelease(Scope),
    /// `fence.proxy.tensormap::generic.acquire.scope [a], 128`
    TensormapAcquire(Scope),
    /// `fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster`
    AsyncGenericAcquire,
    /// `fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster`
    AsyncGenericRelease,
    /// `fence.proxy.async::generic.release.sync_restrict::shared::cluster::read.cluster`
    AsyncGenericReleaseReads,
    /// The column dialect's `fence.proxy.{generic,texture,surface,constant}`.
    Research(Proxy),
}

/// The function of a CTA barrier instruction besides counting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BarrierMode {
    /// Waits.
    Sync,
    /// Does not wait.
    Arrive,
    /// Waits and counts the participants whose predicate holds.
    RedPopc(Destination, Value),
    /// Waits and combines the participants' predicates.
    RedBool(Destination, BoolOp, Value),
}

/// Operations on mbarrier objects (PTX-9.7.13.15).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MbarrierOp {
    /// `mbarrier.init`
    Init {
        /// Expected arrival count.
        count: Value,
    },
    /// `mbarrier.inval`
    Inval,
    /// `mbarrier.expect_tx`
    ExpectTx {
        /// Bytes added to the tx-count.
        bytes: Value,
    },
    /// `mbarrier.complete_tx`
    CompleteTx {
        /// Bytes taken from the tx-count.
        bytes: Value,
    },
    /// `mbarrier.arrive` and `mbarrier.arrive_drop` with all their forms.
    Arrive {
        /// The phase token's register.
        state: Destination,
        /// Arrival count; 1 when not written.
        count: Value,
        /// Bytes for the `.expect_tx` form.
        expect_tx: Option<Value>,
        /// `.noComplete`
        no_complete: bool,
        /// `arrive_drop`
        drop: bool,
    },
    /// `mbarrier.test_wait` and `mbarrier.try_wait`.
    Wait {
        /// Receives whether the phase is complete.
        done: Destination,
        /// The phase to wait for.
        phase: WaitPhase,
        /// `try_wait`: may fail for no reason.
        may_time_out: bool,
    },
}

/// The phase that a wait on an mbarrier waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WaitPhase {
    /// The phase that a state token stands for.
    State(Value),
    /// The phase of this parity.
    Parity(Value),
}

/// Fields that every memory access has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessForm {
    /// The order qualifier, default filled in.
    pub order: Order,
    /// The scope; `None` for weak accesses.
    pub scope: Option<Scope>,
    /// The state space as written.
    pub space: Space,
    /// The element type.
    pub ty: Type,
    /// Elements of a vector; 1 for scalars.
    pub elements: u32,
    /// The proxy.
    pub proxy: Proxy,
    /// The address of the first element.
    pub address: Address,
    /// `.mmio`
    pub mmio: bool,
    /// `.volatile`
    pub volatile: bool,
}

/// The operation of one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `ld` and the research proxies' loads: one destination per element.
    Load {
        /// The access.
        access: AccessForm,
        /// The destinations, one per element.
        destinations: Vec<Destination>,
        /// `ld.global.nc`, `ldu`: outside the model when the data is written in the same grid.
        non_coherent: bool,
    },
    /// `st`: one source per element.
    Store {
        /// The access.
        access: AccessForm,
        /// The sources, one per element.
        sources: Vec<Value>,
    },
    /// `atom`
    Atomic {
        /// The access.
        access: AccessForm,
        /// The function.
        op: AtomicOp,
        /// The destinations, one per element.
        destinations: Vec<Destination>,
        /// Operand b, one per element; for `cas` the value compared with.
        operands: Vec<Value>,
        /// Operand c of `cas`.
        swap: Option<Value>,
    },
    /// `red`
    Reduce {
        /// The access.
        access: AccessForm,
        /// The function.
        op: AtomicOp,
        /// The operands, one per element.
        operands: Vec<Value>,
    },
    /// `multimem.ld_reduce`
    MultimemLoadReduce {
        /// The access to the multimem address.
        access: AccessForm,
        /// The reduction.
        op: AtomicOp,
        /// The destinations, one per element.
        destinations: Vec<Destination>,
    },
    /// `multimem.st`
    MultimemStore {
        /// The access to the multimem address.
        access: AccessForm,
        /// The sources, one per element.
        sources: Vec<Value>,
    },
    /// `multimem.red`
    MultimemReduce {
        /// The access to the multimem address.
        access: AccessForm,
        /// The reduction.
        op: AtomicOp,
        /// The operands, one per element.
        operands: Vec<Value>,
    },
    /// `fence` and `membar`.
    Fence {
        /// Acquire, Release, AcqRel or Sc.
        order: Order,
        /// The scope.
        scope: Scope,
        /// The restriction to some accesses.
        restriction: FenceRestriction,
    },
    /// Proxy fences.
    ProxyFence {
        /// Which one.
        kind: ProxyFenceKind,
        /// The bytes of the acquire form.
        address: Option<Address>,
    },
    /// `bar.cta`/`barrier.cta`.
    CtaBarrier {
        /// The function.
        mode: BarrierMode,
        /// The barrier resource 0..15 in blocks; in columns the instance operand.
        barrier: Value,
        /// Column dialect: the resource operand after the instance.
        resource: Option<Value>,
        /// Number of participating threads.
        count: Option<Value>,
        /// Whether all threads of a warp have to execute it together: `bar`, or `barrier` with
        /// `.aligned`.
        aligned: bool,
    },
    /// `bar.warp.sync`
    WarpBarrier {
        /// Mask of participating lanes.
        mask: Value,
    },
    /// `barrier.cluster.arrive`
    ClusterArrive {
        /// Release or Relaxed.
        order: Order,
        /// Whether all threads of a warp have to execute it together.
        aligned: bool,
    },
    /// `barrier.cluster.wait`
    ClusterWait {
        /// Whether all threads of a warp have to execute it together.
        aligned: bool,
    },
    /// mbarrier operations.
    Mbarrier {
        /// Order, scope, space, address; the type is `.b64`.
        access: AccessForm,
        /// Which one.
        op: MbarrierOp,
    },
    /// `griddepcontrol.wait`
    GridDependencyWait,
    /// `griddepcontrol.launch_dependents`
    LaunchDependents,
    /// Moves, also `ld r, constant` of the column dialect.
    Move {
        /// The type of both.
        ty: Type,
        /// The target.
        destination: Destination,
        /// The source.
        source: Value,
    },
    /// `setp`, and `set` with an integer destination.
    Compare {
        /// The comparison.
        comparison: Comparison,
        /// The operands' type.
        ty: Type,
        /// Receives the result.
        destination: Destination,
        /// Receives the complement (`setp p|q`).
        complement: Destination,
        /// The operands.
        sources: [Value; 2],
        /// A third predicate operand, with the operator that combines it.
        combine: Option<(BoolOp, Value)>,
        /// `set`: the width of the all-ones or zero result.
        result: Type,
    },
    /// An instruction that is lowered from its row of the table. Examples are bit instructions,
    /// addresses as values, and exchanges within a warp.
    Form(Written),
    /// `bra`, `goto` and the dialect's compare-and-branch; taken when the condition holds.
    Branch {
        /// The label.
        target: Spanned<String>,
        /// The dialect's comparison of two values (signed, 64 bits).
        condition: Option<(Comparison, Value, Value)>,
    },
    /// `exit`, `ret`, `trap`: the end of the thread.
    Exit,
    /// No memory-model effect: `nanosleep`, `prefetch`, `applypriority`, ...
    Nothing,
    /// An instruction outside the subset, kept so that only a thread that needs it fails.
    Unknown {
        /// The opcode with its qualifiers.
        name: String,
        /// Its operands as text, in order.
        operands: Vec<String>,
        /// The registers that it may write.
        definitions: Vec<Register>,
        /// The registers that it may read.
        uses: Vec<Register>,
        /// The possible effects.
        reach: Reach,
    },
}

/// How far the effects of an instruction outside the subset reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The operation only computes registers of its own thread from other registers.
    Registers,
    /// The effects of the operation are unknown.
    Anything,
}

/// One statement of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// The labels before it.
    pub labels: Vec<Spanned<String>>,
    /// `@p` or `@!p`.
    pub guard: Option<PredicateUse>,
    /// The operation; [`Operation::Nothing`] for labels at the end of a thread.
    pub operation: Operation,
    /// The statement, from its first character to its last.
    pub span: Span,
}
