//! Decoded instructions: what a PTX statement says, with every default of the standard filled in.
//!
//! A decoder turns a statement's opcode, qualifiers and operands into one [`Operation`]; whatever
//! the ISA rejects never gets here. Hints (cache operators, eviction priorities, prefetch sizes)
//! have no meaning for the memory model and are dropped.

use super::floating::FloatMode;
pub use super::integer::{CarryOp, Excess, Half, IntegerOp, Permutation, Sign};
use super::warp::WarpOp;
use crate::source::{Span, Spanned};

/// A register's name without its `%`.
pub type Register = Spanned<String>;

/// Memory-order qualifier of an access (PTX-8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// `.weak`, and accesses without a qualifier.
    Weak,
    /// `.relaxed`, `.volatile`, `.mmio`.
    Relaxed,
    /// `.acquire`.
    Acquire,
    /// `.release`.
    Release,
    /// `.acq_rel`.
    AcqRel,
    /// `.sc` (fences only).
    Sc,
}

/// A scope (PTX-8.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The CTA.
    Cta,
    /// The cluster.
    Cluster,
    /// The device.
    Gpu,
    /// Everything, host threads included.
    Sys,
}

/// A proxy (PTX-8.6); the last three occur in research models only.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Proxy {
    /// Ordinary accesses.
    Generic,
    /// Texture accesses (`tld`).
    Texture,
    /// Surface accesses (`suld`, `sust`, `suatom`, `sured`).
    Surface,
    /// Constant accesses (`cold`).
    Constant,
}

/// A state space (PTX-5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Space {
    /// No space given: generic addressing.
    Generic,
    /// `.global`
    Global,
    /// `.shared`, `.shared::cta`
    SharedCta,
    /// `.shared::cluster`
    SharedCluster,
    /// `.local`
    Local,
    /// `.const`
    Const,
    /// `.param` of a kernel (`.param::entry`), and `.param` without a suffix.
    ParamEntry,
    /// `.param::func`
    ParamFunc,
}

/// Which way `cvta` converts (PTX-9.7.9.20).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressDirection {
    /// `cvta`: from a state space.
    ToGeneric,
    /// `cvta.to`: into a state space.
    FromGeneric,
}

/// How the bits of a fundamental type are read (PTX-5.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TypeKind {
    /// `.b8` ... `.b128`
    Bits,
    /// `.u8` ... `.u64`
    Unsigned,
    /// `.s8` ... `.s64`
    Signed,
    /// `.f16 .f32 .f64`
    Float,
    /// `.bf16`
    Bfloat,
    /// `.f16x2`
    FloatX2,
    /// `.bf16x2`
    BfloatX2,
    /// `.e4m3 .e4m3x2 .e4m3x4`
    E4m3,
    /// `.e5m2 .e5m2x2 .e5m2x4`
    E5m2,
    /// `.pred`
    Predicate,
}

/// A scalar or packed type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Type {
    /// How its bits are read.
    pub kind: TypeKind,
    /// Its width in bits; 1 for predicates.
    pub bits: u32,
}

impl Type {
    /// A type of `bits` bits read as `kind`.
    #[must_use]
    pub const fn new(kind: TypeKind, bits: u32) -> Self {
        Self { kind, bits }
    }
    /// The untyped 64-bit type of the column dialect: compared signed.
    pub const UNTYPED: Self = Self::new(TypeKind::Signed, 64);
    /// The predicate type.
    pub const PREDICATE: Self = Self::new(TypeKind::Predicate, 1);
    /// Its width in bytes (predicates have none).
    #[must_use]
    pub const fn bytes(self) -> u32 {
        self.bits / 8
    }
    /// Whether comparisons, extensions and shifts treat it as signed.
    #[must_use]
    pub fn is_signed(self) -> bool {
        self.kind == TypeKind::Signed
    }

    /// Whether values are floating-point numbers, or some packed together.
    #[must_use]
    pub fn is_float(self) -> bool {
        self.is_packed()
            || self.is_narrow()
            || matches!(self.kind, TypeKind::Float | TypeKind::Bfloat)
    }

    /// Whether values are floating-point numbers of 16 bits, or pairs of them.
    #[must_use]
    pub fn is_half(self) -> bool {
        self.is_packed()
            || self.kind == TypeKind::Bfloat
            || (self.kind == TypeKind::Float && self.bits == 16)
    }

    /// Whether values are floating-point numbers of 8 bits, or two or four of them.
    #[must_use]
    pub fn is_narrow(self) -> bool {
        matches!(self.kind, TypeKind::E4m3 | TypeKind::E5m2)
    }

    /// Whether values are pairs of floating-point numbers of 16 bits or more (PTX-8.2.5).
    #[must_use]
    pub fn is_packed(self) -> bool {
        matches!(self.kind, TypeKind::FloatX2 | TypeKind::BfloatX2)
    }
}

/// A value operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A register.
    Register(Register),
    /// An integer (also the bits of a floating-point literal).
    Immediate(Spanned<i128>),
    /// The address of a variable plus a byte offset.
    AddressOf(Spanned<String>, i64),
    /// The address of an element whose index a register says.
    ElementOf(Element),
    /// A special register such as `%tid.x`, without its `%`.
    Special(Spanned<String>),
    /// The complement of a predicate register, `!p`.
    Not(Register),
}

impl Value {
    /// Where it stands.
    #[must_use]
    pub fn span(&self) -> Span {
        match self {
            Self::Register(r) | Self::Not(r) => r.span,
            Self::Immediate(i) => i.span,
            Self::AddressOf(s, _) | Self::Special(s) => s.span,
            Self::ElementOf(element) => element.variable.span,
        }
    }
}

/// An array element `x[%r1+2]`, which lies (register + constant) * size behind the start of the
/// array (PTX-6.4.2). NVIDIA's assembler computes this with 32 bits, without a sign.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The array.
    pub variable: Spanned<String>,
    /// The register.
    pub register: Register,
    /// What is added to the register.
    pub more: i64,
    /// Bytes of an element.
    pub bytes: u32,
}

impl Element {
    /// Bits in which the distance from the start of the array is computed.
    pub const BITS: u32 = 32;
}

/// A memory operand: base plus byte offset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// What the offset counts from; `Value::Immediate` is an absolute address.
    pub base: Value,
    /// Bytes added to it.
    pub offset: i64,
    /// Where the operand stands.
    pub span: Span,
}

/// Where a result goes; `None` is the sink `_`.
pub type Destination = Option<Register>;

/// A read-modify-write function (PTX-9.7.13.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum AtomicOp {
    And,
    Or,
    Xor,
    Cas,
    Exch,
    Add,
    /// `r >= s ? 0 : r + 1`
    Inc,
    /// `r == 0 || r > s ? s : r - 1`
    Dec,
    Min,
    Max,
    /// Column dialect only.
    Sub,
    /// Column dialect only.
    Mul,
    /// Column dialect only.
    Div,
}

/// Register arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum ArithmeticOp {
    Add,
    Sub,
    /// The low half, at the operation's width.
    MulLo,
    /// The high half.
    MulHi,
    /// The full product, twice as wide as the operands.
    MulWide,
    Div,
    Rem,
    And,
    Or,
    Xor,
    /// Shift amounts saturate at the width.
    Shl,
    Shr,
    Min,
    Max,
    Not,
    Neg,
    Abs,
    /// Logical complement of the bits being zero (`cnot`).
    Cnot,
}

/// Comparison of `setp` and of the dialect's branches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum Comparison {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Comparison {
    /// Whether it holds of two numbers.
    #[must_use]
    pub fn holds(self, a: i128, b: i128) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
        }
    }
}

/// How `setp` combines the comparison with a third predicate operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are the instruction's")]
pub enum BoolOp {
    And,
    Or,
    Xor,
}

/// The predicate that guards a statement, possibly complemented.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredicateUse {
    /// Whether it is written `!p`.
    pub negated: bool,
    /// The predicate register.
    pub register: Register,
}

/// What `lop3` may say of its result besides: whether it is not zero, combined with a predicate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonZeroTest {
    /// Receives the answer.
    pub predicate: Register,
    /// And, Or
    pub op: BoolOp,
    /// What it is combined with.
    pub with: Value,
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
    /// `fence.proxy.async` and its state-space forms; the space is `None` for all of them.
    Async(Option<Space>),
    /// `fence.proxy.tensormap::generic.release.scope`
    TensormapRelease(Scope),
    /// `fence.proxy.tensormap::generic.acquire.scope [a], 128`
    TensormapAcquire(Scope),
    /// `fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster`
    AsyncGenericAcquire,
    /// `fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster`
    AsyncGenericRelease,
    /// The column dialect's `fence.proxy.{generic,texture,surface,constant}`.
    Research(Proxy),
}

/// What a CTA barrier instruction does besides counting.
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
        /// What to wait for.
        phase: WaitPhase,
        /// `try_wait`: may fail for no reason.
        may_time_out: bool,
    },
}

/// What a wait on an mbarrier waits for.
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

/// What one instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// `ld` and the research proxies' loads: one destination per element.
    Load {
        /// The access.
        access: AccessForm,
        /// One per element.
        destinations: Vec<Destination>,
        /// `ld.global.nc`, `ldu`: outside the model when the data is written in the same grid.
        non_coherent: bool,
    },
    /// `st`: one source per element.
    Store {
        /// The access.
        access: AccessForm,
        /// One per element.
        sources: Vec<Value>,
    },
    /// `atom`
    Atomic {
        /// The access.
        access: AccessForm,
        /// The function.
        op: AtomicOp,
        /// One per element.
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
        /// One per element.
        operands: Vec<Value>,
    },
    /// `multimem.ld_reduce`
    MultimemLoadReduce {
        /// The access to the multimem address.
        access: AccessForm,
        /// The reduction.
        op: AtomicOp,
        /// One per element.
        destinations: Vec<Destination>,
    },
    /// `multimem.st`
    MultimemStore {
        /// The access to the multimem address.
        access: AccessForm,
        /// One per element.
        sources: Vec<Value>,
    },
    /// `multimem.red`
    MultimemReduce {
        /// The access to the multimem address.
        access: AccessForm,
        /// The reduction.
        op: AtomicOp,
        /// One per element.
        operands: Vec<Value>,
    },
    /// `fence` and `membar`.
    Fence {
        /// Acquire, Release, AcqRel or Sc.
        order: Order,
        /// The scope.
        scope: Scope,
        /// What it is limited to.
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
        /// What it does.
        mode: BarrierMode,
        /// The barrier resource 0..15 in blocks; in columns the instance operand.
        barrier: Value,
        /// Column dialect: the resource operand after the instance.
        resource: Option<Value>,
        /// Number of participating threads.
        count: Option<Value>,
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
    },
    /// `barrier.cluster.wait`
    ClusterWait,
    /// mbarrier operations.
    Mbarrier {
        /// Order, scope, space, address; the type is `.b64`.
        access: AccessForm,
        /// Which one.
        op: MbarrierOp,
    },
    /// `mbarrier.pending_count`
    MbarrierPendingCount {
        /// Receives the count.
        destination: Destination,
        /// A state token.
        state: Value,
    },
    /// `st.bulk`
    StoreBulk {
        /// `.shared::cta`, or generic.
        space: Space,
        /// The first byte.
        address: Address,
        /// Bytes, a multiple of 8.
        size: Value,
    },
    /// `discard`
    Discard {
        /// The first of 128 bytes.
        address: Address,
        /// Bytes; 128.
        size: Value,
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
    /// `mov.v2 {d, e}, {a, b}`: all are read before one is written.
    MoveVector {
        /// The type of an element.
        ty: Type,
        /// The targets, two or four.
        destinations: Vec<Destination>,
        /// As many sources.
        sources: Vec<Value>,
    },
    /// `mov d, {a, b, ...}`: a scalar made of parts, the lowest first.
    Pack {
        /// The type of the scalar.
        ty: Type,
        /// The target.
        destination: Destination,
        /// Two or four.
        parts: Vec<Value>,
    },
    /// `mov {a, b, ...}, s`: the parts of a scalar, the lowest first.
    Unpack {
        /// The type of the scalar.
        ty: Type,
        /// The targets, two or four.
        destinations: Vec<Destination>,
        /// The scalar.
        source: Value,
    },
    /// Conversion between widths and signedness.
    Convert {
        /// `.sat`: what is out of range becomes the nearest value that is not.
        saturating: bool,
        /// The target's type.
        to: Type,
        /// The source's type.
        from: Type,
        /// The target.
        destination: Destination,
        /// The source.
        source: Value,
    },
    /// Arithmetic with one or two sources; `mad` is a product and a sum.
    Arithmetic {
        /// The function.
        op: ArithmeticOp,
        /// The operation's type.
        ty: Type,
        /// The target.
        destination: Destination,
        /// One or two.
        sources: Vec<Value>,
    },
    /// `add`, `min` or `max` of floating-point numbers.
    Float {
        /// Add, Min or Max.
        op: ArithmeticOp,
        /// The operation's type.
        ty: Type,
        /// How it computes.
        mode: FloatMode,
        /// The target.
        destination: Destination,
        /// Two; of `min` and `max` also three.
        sources: Vec<Value>,
    },
    /// `mad`: `a * b + c`.
    MultiplyAdd {
        /// MulLo, MulHi or MulWide.
        op: ArithmeticOp,
        /// The operands' type.
        ty: Type,
        /// The target.
        destination: Destination,
        /// a, b, c.
        sources: [Value; 3],
    },
    /// Integer and bit instructions beyond [`Operation::Arithmetic`].
    Integer {
        /// The function.
        op: IntegerOp,
        /// The instruction's type; of pairs, that of their elements.
        ty: Type,
        /// The target.
        destination: Destination,
        /// One to four.
        sources: Vec<Value>,
        /// `lop3.and`, `lop3.or`
        test: Option<NonZeroTest>,
    },
    /// `add.cc`, `addc`, `sub.cc`, `subc`, `mad.cc`, `madc`.
    Carry {
        /// The function.
        op: CarryOp,
        /// The operation's type.
        ty: Type,
        /// The target.
        destination: Destination,
        /// Two, or three of `mad`.
        sources: Vec<Value>,
        /// The carry, where it is added or subtracted.
        carry_in: Option<Register>,
        /// The carry, where it is set.
        carry_out: Option<Register>,
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
        /// A third predicate operand and how it is combined.
        combine: Option<(BoolOp, Value)>,
        /// `set`: the width of the all-ones or zero result.
        result: Type,
    },
    /// `selp`
    Select {
        /// The type of the result.
        ty: Type,
        /// The target.
        destination: Destination,
        /// Taken when the predicate holds.
        then: Value,
        /// Taken when it does not.
        otherwise: Value,
        /// The predicate.
        condition: Value,
    },
    /// `cvta`: an address of a state space as a generic one, or back.
    ConvertAddress {
        /// Which way.
        direction: AddressDirection,
        /// The state space.
        space: Space,
        /// The type of both.
        ty: Type,
        /// The target.
        destination: Destination,
        /// The source.
        source: Value,
    },
    /// `mapa`: the address of another CTA's instance.
    MapAddress {
        /// The type of both addresses.
        ty: Type,
        /// The target.
        destination: Destination,
        /// An address in a register, or a variable.
        source: Value,
        /// The CTA's rank in the cluster.
        rank: Value,
        /// Whether the source and target are generic addresses.
        generic: bool,
    },
    /// `isspacep`
    IsSpace {
        /// Receives the answer.
        destination: Destination,
        /// The space asked for.
        space: Space,
        /// The generic address.
        address: Value,
    },
    /// `getctarank`
    CtaRank {
        /// The type of the address.
        ty: Type,
        /// Receives the rank.
        destination: Destination,
        /// The shared address.
        address: Value,
        /// Whether it is a generic one.
        generic: bool,
    },
    /// An exchange of register values within a warp, which orders no memory operations.
    WarpExchange {
        /// The instruction with its qualifiers.
        op: WarpOp,
        /// Receives the result.
        destination: Destination,
        /// Receives the truth value behind `|`.
        predicate: Destination,
        /// What is read, the membermask last.
        sources: Vec<Value>,
    },
    /// `stacksave`: receives a stack pointer, of which nothing is said.
    StackSave {
        /// The type, 32 or 64 bits.
        ty: Type,
        /// Receives it.
        destination: Destination,
    },
    /// `stackrestore`
    StackRestore {
        /// The type, 32 or 64 bits.
        ty: Type,
        /// The stack pointer.
        source: Value,
    },
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
        /// Registers that it may write.
        definitions: Vec<Register>,
        /// Registers that it may read.
        uses: Vec<Register>,
        /// What it may do.
        reach: Reach,
    },
}

/// How far the effects of an instruction outside the subset reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It computes registers of its own thread from others, and does nothing else.
    Registers,
    /// Nothing is known of what it does.
    Anything,
}

/// One statement of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Labels that stand before it.
    pub labels: Vec<Spanned<String>>,
    /// `@p` or `@!p`.
    pub guard: Option<PredicateUse>,
    /// What it does; [`Operation::Nothing`] for labels at the end of a thread.
    pub operation: Operation,
    /// The statement, from its first character to its last.
    pub span: Span,
}
