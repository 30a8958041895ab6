//! Rules that programs break, and questions that engines cannot answer, as data. Each has a code,
//! clauses of the standard and a text.
//!
//! Decisions compare rules; texts are for people. Codes are stable across versions.

mod unsupported;

pub use unsupported::Unsupported;

use std::fmt;

/// The consequence for executions that break a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Effect {
    /// Their behaviour is undefined.
    Undefined,
    /// They have no meaning, for this reason.
    OutOfModel(Silence),
    /// They do not end.
    Deadlock,
}

/// The reason why a program is outside the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Silence {
    /// The standard or the model does not say what the program means.
    Model,
    /// The tool does not support it yet.
    Tool,
    /// The test leaves out a declaration that decides what the program means.
    Test,
}

impl Silence {
    /// The reason in words, which tell whether another model, a later version or another test may
    /// help.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Model => "the model is silent",
            Self::Tool => "not supported yet",
            Self::Test => "the test leaves it open",
        }
    }
}

/// The constant parts of a rule.
struct Row {
    effect: Effect,
    code: &'static str,
    clauses: &'static [&'static str],
    text: &'static str,
}

/// The rules without parameters, as a table: name, effect, code, clauses, text; and the other
/// variants.
macro_rules! rules {
    (
        plain { $($(#[$doc:meta])* $name:ident: $effect:ident $(($silence:ident))?, $code:literal, [$($clause:literal),*], $text:literal;)* }
        others { $($others:tt)* }
    ) => {
        /// A rule that a program breaks, or the reason why it does not end.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $name,)*
            $($others)*
        }

        /// The pattern of the rules without parameters.
        macro_rules! plain {
            () => { $(Rule::$name)|* };
        }

        impl Rule {
            /// The rules without parameters, in the order of the standard's chapters.
            pub const PLAIN: &[Self] = &[$(Self::$name),*];

            /// The row of a rule without parameters.
            fn row(&self) -> Option<Row> {
                Some(match self {
                    $(Self::$name => Row {
                        effect: Effect::$effect $((Silence::$silence))?,
                        code: $code,
                        clauses: &[$($clause),*],
                        text: $text,
                    },)*
                    _ => return None,
                })
            }
        }
    };
}

rules! {
    plain {
    /// A write to constants or parameters.
    WriteToReadOnly: Undefined, "write-to-read-only", ["PTX-5.1"], "a write to read-only memory";
    /// A misaligned address.
    Misaligned: Undefined, "misaligned-access", ["PTX-6.4.1"],
        "an access that is not aligned to its size";
    /// A non-coherent load beside a write.
    NonCoherentLoad: OutOfModel(Model), "non-coherent-load", ["PTX-8.1"],
        "a non-coherent load of data that is written meanwhile: fences do not order it, so use a plain `ld`";

    /// An `.mmio` access outside the memory that it is for.
    MmioOutsideGlobal: Undefined, "mmio-outside-global", ["PTX-9.7.9.8"],
        "an `.mmio` access outside `.global`";
    /// A vector of 256 bits outside `.global`.
    WideVectorOutsideGlobal: Undefined, "wide-vector-outside-global", ["PTX-9.7.9.8"],
        "a vector of more than 128 bits outside `.global`";
    /// A strong load from memory that is private to the thread or read-only.
    StrongLoadOutside: Undefined, "strong-load-outside", ["PTX-9.7.9.8"],
        "a strong load outside `.global` and `.shared`";
    /// `ld.global.nc` outside `.global`.
    NonCoherentOutsideGlobal: Undefined, "non-coherent-outside-global", ["PTX-9.7.9.9", "PTX-9.7.9.10"],
        "`ld.global.nc` or `ldu` outside `.global`";
    /// A strong store to memory that is private to the thread.
    StrongStoreOutside: Undefined, "strong-store-outside", ["PTX-9.7.9.11"],
        "a strong store outside `.global` and `.shared`";
    /// `st.bulk` outside `.shared`.
    BulkOutsideShared: Undefined, "bulk-outside-shared", ["PTX-9.7.9.13"],
        "`st.bulk` outside `.shared`";
    /// An illegal size of `st.bulk`.
    BulkSize: Undefined, "bulk-size", ["PTX-9.7.9.13"],
        "the size of `st.bulk` is no multiple of 8";
    /// A computed size of `st.bulk`.
    BulkOfComputedSize: OutOfModel(Tool), "bulk-of-computed-size", [],
        "`st.bulk` of a computed size";
    /// A size of `st.bulk` beyond the limit.
    LargeBulk: OutOfModel(Tool), "large-bulk", [],
        "`st.bulk` of more than 4 KiB";
    /// A multimem address and an instruction that do not fit together.
    MultimemAddress: Undefined, "multimem-address", ["PTX-9.7.9.14"],
        "a multimem address used by another instruction, or another address by a multimem instruction";
    /// `discard` outside `.global`.
    DiscardOutsideGlobal: Undefined, "discard-outside-global", ["PTX-9.7.9.17"],
        "`discard` outside `.global`";

    /// An illegal size of `cp.async`.
    CopySize: Undefined, "copy-size", ["PTX-9.7.9.25.3.1"],
        "`cp.async` copies 4, 8 or 16 bytes";
    /// More source bytes than the copy has.
    CopiedBytes: Undefined, "copied-bytes", ["PTX-9.7.9.25.3.1"],
        "`cp.async` of more source bytes than it copies";
    /// A copy outside its state space.
    CopySpace: Undefined, "copy-space", ["PTX-9.7.9.25.4.1"],
        "an asynchronous operation outside the state space that it is for";
    /// A copy to `.shared::cta` of another CTA.
    CopyToAnotherCta: Undefined, "copy-to-another-cta", ["PTX-9.7.9.25.4.1"],
        "a copy to `.shared::cta` that is not the memory of the executing CTA";
    /// A copy to the cluster whose destination is the own CTA.
    PushToOwnCta: Undefined, "push-to-own-cta", ["PTX-9.7.9.25.4.1"],
        "a copy from `.shared::cta` to `.shared::cluster` whose destination is in the executing CTA";
    /// An mbarrier in another CTA than the destination.
    SignalOfAnotherCta: Undefined, "signal-of-another-cta", ["PTX-9.7.9.25.4.1"],
        "an asynchronous operation whose mbarrier is in another CTA than its destination";
    /// An illegal size of a bulk copy.
    BulkCopySize: Undefined, "bulk-copy-size", ["PTX-9.7.9.25.4.1"],
        "the size of a bulk copy is no positive multiple of 16";
    /// Too many ignored bytes.
    IgnoredBytes: Undefined, "ignored-bytes", ["PTX-9.7.9.25.4.1"],
        "a bulk copy that ignores more than 15 bytes at an end";
    /// A multicast to a CTA that does not exist.
    MulticastMask: Undefined, "multicast-mask", ["PTX-9.7.9.25.4.1"],
        "a multicast to a CTA that the cluster does not have, or to none";
    /// `st.async` or `red.async` without another CTA.
    AloneInCluster: Undefined, "alone-in-cluster", ["PTX-9.7.9.12"],
        "`st.async` or `red.async` in a cluster of one CTA";
    /// `red.async` to the own CTA.
    ReductionInOwnCta: Undefined, "reduction-in-own-cta", ["PTX-9.7.13.7"],
        "`red.async` to the shared memory of the executing CTA";
    /// A computed size or mask of an asynchronous operation.
    ComputedCopy: OutOfModel(Tool), "computed-copy", [],
        "an asynchronous operation of a computed size or mask";
    /// An asynchronous copy beyond the size limit.
    LargeCopy: OutOfModel(Tool), "large-copy", [],
        "an asynchronous copy of more than 256 KiB";
    /// A tensor map of another rank than the instruction's.
    TensorRank: Undefined, "tensor-rank", ["PTX-9.7.9.25.5"],
        "a tensor copy of another number of dimensions than its map has";
    /// A box at computed coordinates.
    ComputedBox: OutOfModel(Tool), "computed-box", [],
        "a tensor copy whose coordinates depend on what is read";
    /// A box beyond the size limit.
    LargeBox: OutOfModel(Tool), "large-box", [],
        "a tensor copy of more than 1024 stretches of bytes";
    /// A swizzle pattern that is not aligned with the buffer.
    PermutedBox: OutOfModel(Tool), "permuted-box", ["PTX-5.5.7"],
        "a tensor copy whose buffer in shared memory is not aligned to the pattern of its swizzle";
    /// A tensor map without a declaration.
    UndeclaredMap: OutOfModel(Test), "undeclared-map", [],
        "a tensor copy by a map that is not declared: say what it describes, `.tensormap tm = { x, .u32, {8}, {4} };`";
    /// A tensor map at a computed address.
    ComputedMap: OutOfModel(Tool), "computed-map", [],
        "a fence for a tensor map whose address depends on what is read";
    /// A change of a declared map that makes it another tensor.
    ReplacedField: OutOfModel(Tool), "replaced-field", [],
        "a change of another field than the address of a declared tensor map";
    /// A tensor reduction with unknown element type.
    TensorReduction: OutOfModel(Test), "tensor-reduction", [],
        "a tensor reduction by maps of which nobody knows the type of their elements";
    /// An access to the bytes of a tensor map.
    OpaqueMap: OutOfModel(Model), "opaque-map", ["PTX-5.5.8"],
        "an access to the bytes of a tensor map, which are not known";
    /// A wait for a computed number of groups.
    ComputedGroups: OutOfModel(Tool), "computed-groups", [],
        "a wait for a computed number of groups";

    /// A matrix of which nobody says where it is.
    OpaqueDescriptor: OutOfModel(Tool), "opaque-descriptor", [],
        "a matrix descriptor that is no address of a variable in shared memory";
    /// Allocated columns of which nobody says what they are.
    UndeclaredColumns: OutOfModel(Test), "undeclared-columns", [],
        "`tcgen05.alloc` of columns that are not declared: say how many there are, `.tmem .b32 d[32];`";
    /// An address in Tensor Memory that is no variable's.
    OpaqueColumns: OutOfModel(Tool), "opaque-columns", [],
        "an address in Tensor Memory of no declared columns";
    /// A computed address that may mean too many columns.
    ComputedColumns: OutOfModel(Tool), "computed-columns", [],
        "an address in Tensor Memory that may mean too many columns: declare fewer, or name them";
    /// Columns that two threads of the test access as lanes of one warp.
    LanesOfColumns: OutOfModel(Tool), "lanes-of-columns", [],
        "Tensor Memory in several threads of a warp: one thread stands for the lanes of a warp";
    /// An address within an allocation.
    FreedPart: Undefined, "freed-part", ["PTX-9.7.16.7"],
        "`tcgen05.dealloc` of an address that no allocation begins at";
    /// An address of Tensor Memory that an allocation is to go to.
    AllocationOutsideShared: Undefined, "allocation-outside-shared", ["PTX-9.7.16.7"],
        "`tcgen05.alloc` with a destination outside `.shared::cta`";
    /// A row of a matrix outside the memory that it is for.
    MatrixOutsideShared: Undefined, "matrix-outside-shared", ["PTX-9.7.14.5.15", "PTX-9.7.14.5.16"],
        "`ldmatrix` or `stmatrix` of an address outside `.shared::cta`";
    /// A fragment outside the memory that it is for.
    FragmentElsewhere: Undefined, "fragment-elsewhere", ["PTX-9.7.14.4.3", "PTX-9.7.14.4.4"],
        "`wmma.load` or `wmma.store` of an address outside `.global` and `.shared`";
    /// A matrix of which not all lanes have part.
    MatrixDiverges: Undefined, "matrix-diverges", ["PTX-9.7.14.5.15", "PTX-9.7.14.5.16"],
        "`ldmatrix` or `stmatrix` that not all threads of the warp execute";
    /// A row whose address another lane computes.
    ComputedRow: OutOfModel(Tool), "computed-row", [],
        "a row of `ldmatrix` or `stmatrix` at an address that another thread of the warp has from memory, or by another way";
    /// A product of which not all threads of the warpgroup have part.
    WarpgroupDiverges: Undefined, "warpgroup-diverges", ["PTX-9.7.15.5"],
        "`wgmma.mma_async` that not all threads of the warpgroup execute";
    /// A product of which each thread names other matrices.
    WarpgroupMatrices: Undefined, "warpgroup-matrices", ["PTX-9.7.15.5"],
        "`wgmma.mma_async` of other matrices in one thread of the warpgroup than in another";
    /// Registers that are not ordered before the product that uses them.
    WarpgroupFence: Undefined, "warpgroup-fence", ["PTX-9.7.15.7"],
        "`wgmma.mma_async` without a `wgmma.fence` since its registers were accessed, or before the first";
    /// Registers that a product still uses.
    ProductRegisters: Undefined, "product-registers", ["PTX-9.7.15.7"],
        "an access to a register of `wgmma.mma_async` before a `wgmma.wait_group` that covers it";

    /// `bar.warp.sync` of a thread outside its mask.
    WarpMask: Undefined, "warp-barrier-mask", ["PTX-9.7.13.2"],
        "bar.warp.sync of a thread outside its mask";
    /// An illegal barrier number.
    BarrierNumber: Undefined, "barrier-number", ["PTX-9.7.13.1"], "a barrier number above 15";
    /// An illegal thread count at a barrier.
    BarrierCount: Undefined, "barrier-count", ["PTX-9.7.13.1"],
        "a number of threads at a barrier that is no positive multiple of the warp size";
    /// An aligned barrier that some threads of a warp pass by.
    AlignedBarrier: Undefined, "aligned-barrier", ["PTX-9.7.13.1", "PTX-9.7.13.3"],
        "an `.aligned` barrier (as `bar` is) that not all threads of the warp execute";
    /// Reductions and other operations on one barrier.
    BarrierMixture: Undefined, "barrier-mixture", ["PTX-9.7.13.1"],
        "`.red` and another barrier operation on one barrier";
    /// A computed barrier number beyond the supported ones.
    ComputedBarrier: OutOfModel(Tool), "computed-barrier", [],
        "a computed barrier operand above 15, which is not followed";
    /// A computed membermask of a form that is not followed.
    ComputedMask: OutOfModel(Tool), "computed-mask", [],
        "a computed membermask of neither one lane, the first ones nor all but one, which is not followed";
    /// A second arrival in a phase of the cluster's barrier.
    ClusterArrival: Undefined, "cluster-arrival", ["PTX-9.7.13.3"],
        "barrier.cluster.arrive before the wait for the last phase";
    /// A wait at the cluster's barrier without an arrival.
    ClusterWait: Undefined, "cluster-wait", ["PTX-9.7.13.3"],
        "barrier.cluster.wait without an arrival of the thread";
    /// A tensormap fence outside `.global`.
    TensormapFence: Undefined, "tensormap-fence", ["PTX-9.7.13.4"],
        "a tensormap fence of an address outside `.global`";
    /// An atomic operation on memory that is private to the thread or read-only.
    AtomicOutside: Undefined, "atomic-outside", ["PTX-9.7.13.5"],
        "an atomic operation outside `.global` and `.shared`";
    /// A vector atomic outside `.global`.
    VectorAtomicOutsideGlobal: Undefined, "vector-atomic-outside-global", ["PTX-9.7.13.5"],
        "an atomic operation on a vector outside `.global`";

    /// An mbarrier object of another CTA.
    MbarrierOfAnotherCta: Undefined, "mbarrier-of-another-cta", ["PTX-9.7.13.15.3"],
        "this mbarrier operation on an object of another CTA";
    /// An mbarrier object outside `.shared`.
    MbarrierOutsideShared: Undefined, "mbarrier-outside-shared", ["PTX-9.7.13.15"],
        "an mbarrier operation outside `.shared`";
    /// A second initialization.
    MbarrierInitialized: Undefined, "mbarrier-initialized", ["PTX-9.7.13.15"],
        "mbarrier.init of an initialized mbarrier";
    /// An operation before the initialization.
    MbarrierUninitialized: Undefined, "mbarrier-uninitialized", ["PTX-9.7.13.15"],
        "an mbarrier operation on an object that is not initialized";
    /// An ordinary store to an object.
    MbarrierStored: Undefined, "mbarrier-stored", ["PTX-9.7.13.15"],
        "an ordinary store to an initialized mbarrier";
    /// An ordinary load from an object.
    MbarrierLoaded: Undefined, "mbarrier-loaded", ["PTX-9.7.13.15"],
        "an ordinary load from an initialized mbarrier";
    /// An ordinary atomic operation on an object.
    MbarrierUpdated: Undefined, "mbarrier-updated", ["PTX-9.7.13.15"],
        "an ordinary atomic operation on an initialized mbarrier";
    /// An illegal count of arrivals.
    ArrivalCount: Undefined, "arrival-count", ["PTX-9.7.13.15"],
        "an arrival count outside 1 to 1048575";
    /// More arrivals than are pending.
    TooManyArrivals: Undefined, "too-many-arrivals", ["PTX-9.7.13.15"],
        "more arrivals at an mbarrier than are pending";
    /// More dropped arrivals than are expected.
    TooManyDropped: Undefined, "too-many-dropped", ["PTX-9.7.13.15"],
        "more arrivals dropped from an mbarrier than are expected";
    /// A drop of all arrivals that are expected, from 9.4 on.
    DroppedToNone: Undefined, "dropped-to-none", ["PTX-9.7.13.15"],
        "the last arrival that an mbarrier expects is dropped";
    /// A `.noComplete` arrival that completes the phase.
    NoComplete: Undefined, "no-complete", ["PTX-9.7.13.15"],
        "a `.noComplete` arrival that completes the phase";
    /// The first CTA of a cluster that was not canceled.
    NotCanceled: Undefined, "not-canceled", ["PTX-9.7.13.18"],
        "`clusterlaunchcontrol.query_cancel.get_first_ctaid` of the answer to a request that failed";
    /// A token that no `.noComplete` arrival returned.
    PendingCountToken: Undefined, "pending-count-token", [],
        "mbarrier.pending_count of a token that no `.noComplete` arrival returned";
    /// A pending count that overflows.
    PendingArrivals: Undefined, "pending-arrivals", ["PTX-9.7.13.15.15"],
        "`cp.async.mbarrier.arrive` at an mbarrier whose pending count is the greatest";
    /// An illegal transaction count.
    TransactionCount: Undefined, "transaction-count", ["PTX-9.7.13.15"],
        "a transaction count above 1048575";
    /// A pending transaction count out of range.
    PendingTransactions: Undefined, "pending-transactions", ["PTX-9.7.13.15"],
        "a pending transaction count out of range";
    /// A token of another object.
    WaitToken: Undefined, "wait-token", ["PTX-9.7.13.15.16"],
        "a wait with a state that no arrival on this object returned";
    /// An illegal parity.
    PhaseParity: Undefined, "phase-parity", ["PTX-9.7.13.15"],
        "a phase parity other than 0 and 1";
    /// A wait for a phase too long ago.
    WaitPhase: Undefined, "wait-phase", ["PTX-9.7.13.15"],
        "a wait for a phase that is neither current nor the one before";
    /// An arrival before any wait for the preceding phase has succeeded.
    EarlyArrival: Undefined, "early-arrival", ["PTX-9.7.13.15"],
        "an arrival at an mbarrier in a phase before which no `test_wait` or `try_wait` has returned true for \
         the phase before";
    /// A count that exceeds the bits of an object in the tool.
    LargeMbarrierCount: OutOfModel(Tool), "large-mbarrier-count", [],
        "a computed mbarrier count above 32767";
    /// A phase that exceeds the bits of an object in the tool.
    FifthPhase: OutOfModel(Tool), "fifth-phase", [],
        "the fifth phase of an mbarrier, where one has a count above 32767";

    }

    others {
        /// An address of no variable.
        Outside {
            /// The remedy, if the address is one of another state space.
            hint: Option<String>,
        },
        /// A computed address that may be one of no variable, or not aligned.
        PerhapsOutside {
            /// The source of the address without a given value.
            from: Option<String>,
        },
        /// `cvta` of an address that is none of the state space.
        Conversion {
            /// The expected kind of address.
            wanted: &'static str,
        },
        /// An exchange within a warp by a thread outside its mask.
        ExchangeMask {
            /// The instruction.
            instruction: String,
            /// Its section.
            clause: &'static str,
        },
        /// An operation that only device threads can perform.
        HostThread {
            /// The operation.
            what: &'static str,
        },
        /// An instruction that is not supported.
        Instruction {
            /// The instruction, with its qualifiers.
            name: String,
        },
        /// A call of a function.
        Call {
            /// The instruction, with its qualifiers.
            name: String,
        },
        /// A branch through a table.
        IndirectBranch {
            /// The instruction, with its qualifiers.
            name: String,
        },
        /// An access to a texture or surface (PTX-8.1).
        TextureAccess {
            /// The instruction, with its qualifiers.
            name: String,
        },
        /// The result of an instruction that is not supported, where it matters.
        Result {
            /// The instruction, with its qualifiers.
            name: String,
        },
        /// A feature that the model has no clause for.
        NoClause {
            /// The feature.
            what: String,
            /// The section of the standard that describes it.
            clause: &'static str,
            /// The version of the ISA that introduced it, if known.
            since: Option<&'static str>,
        },
        /// An `undefined_unless` of the model.
        Condition {
            /// Its name.
            name: String,
            /// Its clauses.
            clauses: Vec<String>,
            /// What fails it.
            found: Box<Finding>,
        },
        /// Threads that wait at barriers for ever.
        Stuck {
            /// The executions in which they wait.
            extent: Extent,
            /// The threads, with the places where they wait.
            waiting: Vec<String>,
            /// The sections of the barriers.
            clauses: Vec<&'static str>,
        },
    }
}

/// The invariant of matches behind a look into the table.
const TABLED: &str = "a rule without parameters has a row";

/// What fails a condition of a model, in words of programs.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Finding {
    /// What only the condition's name tells.
    Failure,
    /// Accesses of different sizes that race.
    MixedRace {
        /// The two accesses.
        accesses: [String; 2],
    },
    /// A thread that uses a barrier again before it is reset.
    EarlyReuse {
        /// The thread.
        thread: String,
        /// The barrier.
        barrier: String,
    },
    /// Threads at one barrier with different thread counts.
    DifferentCounts {
        /// The barrier.
        barrier: String,
    },
    /// An access to the shared memory of a CTA that may not have started.
    BeforeStart {
        /// The thread.
        thread: String,
        /// The variable.
        object: String,
        /// The CTA.
        cta: u32,
    },
    /// An access to the shared memory of a CTA that may have exited.
    AfterExit {
        /// The thread.
        thread: String,
        /// The variable.
        object: String,
        /// The CTA.
        cta: u32,
    },
}

impl Finding {
    fn code(&self) -> &'static str {
        match self {
            Self::Failure => "model-condition",
            Self::MixedRace { .. } => "mixed-race",
            Self::EarlyReuse { .. } => "barrier-reuse",
            Self::DifferentCounts { .. } => "barrier-counts-differ",
            Self::BeforeStart { .. } => "cta-not-started",
            Self::AfterExit { .. } => "cta-may-have-exited",
        }
    }

    /// Writes the failure of the condition with this name and the text of its clauses.
    fn write(&self, f: &mut fmt::Formatter<'_>, name: &str, clauses: &str) -> fmt::Result {
        match self {
            Self::Failure => write!(f, "the model's `{name}`{clauses}"),
            Self::MixedRace { accesses: [first, second] } => {
                write!(f, "a mixed-size race of {first} and {second}{clauses}")
            }
            Self::EarlyReuse { thread, barrier } => write!(
                f,
                "{thread} arrives at {barrier} and comes back to it before it is sure to be \
                 reset{clauses}"
            ),
            Self::DifferentCounts { barrier } => {
                write!(f, "threads come to {barrier} with different counts{clauses}")
            }
            Self::BeforeStart { thread, object, cta } => write!(
                f,
                "{thread} accesses {object} and nothing makes sure that CTA {cta} has \
                 started{clauses}: the first such access needs `barrier.cluster.arrive` and `.wait` \
                 of all threads before it, or the like"
            ),
            Self::AfterExit { thread, object, cta } => write!(
                f,
                "{thread} accesses {object} and nothing makes sure that CTA {cta} has not \
                 exited{clauses}: the last such access needs `barrier.cluster.arrive` and `.wait` \
                 of all threads behind it, or the like"
            ),
        }
    }
}

/// The executions in which threads wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Extent {
    /// In all.
    All,
    /// In all, at these operations in one order of barrier operations, elsewhere in others.
    AllInOneOrder,
    /// In all, at these operations in one execution, elsewhere in others.
    AllInOneExecution,
    /// No execution ends, perhaps because of loops; at these operations in one execution.
    NoneEndsInOneExecution,
}

impl Rule {
    /// The code of the rule, such as `barrier-number`, for programs that read reports.
    #[must_use]
    pub fn code(&self) -> &'static str {
        if let Some(row) = self.row() {
            return row.code;
        }
        match self {
            Self::Outside { .. } => "outside-access",
            Self::PerhapsOutside { .. } => "perhaps-outside-access",
            Self::Conversion { .. } => "address-conversion",
            Self::ExchangeMask { .. } => "exchange-mask",
            Self::HostThread { .. } => "host-thread",
            Self::Instruction { .. } => "unsupported-instruction",
            Self::Call { .. } => "function-call",
            Self::IndirectBranch { .. } => "indirect-branch",
            Self::TextureAccess { .. } => "texture-access",
            Self::Result { .. } => "unsupported-result",
            Self::NoClause { .. } => "no-clause",
            Self::Condition { found, .. } => found.code(),
            Self::Stuck { .. } => "barrier-deadlock",
            plain!() => unreachable!("{TABLED}"),
        }
    }

    /// The clauses of the standard behind the rule, or sections that describe an unsupported
    /// feature; none for limits of the tool.
    #[must_use]
    pub fn clauses(&self) -> Vec<&str> {
        if let Some(row) = self.row() {
            return row.clauses.to_vec();
        }
        match self {
            Self::Outside { .. } | Self::PerhapsOutside { .. } => vec!["PTX-6.4.1"],
            Self::Conversion { .. } => vec!["PTX-9.7.9.20"],
            Self::ExchangeMask { clause, .. } | Self::NoClause { clause, .. } => vec![*clause],
            Self::TextureAccess { .. } => vec!["PTX-8.1"],
            Self::Condition { clauses, .. } => clauses.iter().map(String::as_str).collect(),
            Self::Stuck { clauses, .. } => clauses.clone(),
            Self::HostThread { .. }
            | Self::Instruction { .. }
            | Self::Call { .. }
            | Self::IndirectBranch { .. }
            | Self::Result { .. } => Vec::new(),
            plain!() => unreachable!("{TABLED}"),
        }
    }

    /// The consequence for executions that break the rule.
    #[must_use]
    pub fn effect(&self) -> Effect {
        if let Some(row) = self.row() {
            return row.effect;
        }
        match self {
            Self::HostThread { .. } | Self::TextureAccess { .. } | Self::NoClause { .. } => {
                Effect::OutOfModel(Silence::Model)
            }
            Self::Instruction { .. }
            | Self::Call { .. }
            | Self::IndirectBranch { .. }
            | Self::Result { .. } => Effect::OutOfModel(Silence::Tool),
            Self::Stuck { .. } => Effect::Deadlock,
            Self::Outside { .. }
            | Self::PerhapsOutside { .. }
            | Self::Conversion { .. }
            | Self::ExchangeMask { .. }
            | Self::Condition { .. } => Effect::Undefined,
            plain!() => unreachable!("{TABLED}"),
        }
    }

    /// For a rule about programs outside the model, the reason why they are.
    #[must_use]
    pub fn silence(&self) -> Option<Silence> {
        match self.effect() {
            Effect::OutOfModel(silence) => Some(silence),
            Effect::Undefined | Effect::Deadlock => None,
        }
    }

    /// The name of an instruction that is not followed: what its thread does then, and where it
    /// goes on, is not known. One whose result matters is such an instruction, since the result may
    /// be what the thread decides by.
    #[must_use]
    pub fn unfollowed(&self) -> Option<&str> {
        match self {
            Self::Instruction { name }
            | Self::Call { name }
            | Self::IndirectBranch { name }
            | Self::Result { name } => Some(name),
            _ => None,
        }
    }

    /// Whether executions that break the rule are outside the model, rather than undefined.
    #[must_use]
    pub fn is_out_of_model(&self) -> bool {
        self.silence().is_some()
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Row { text, clauses, .. }) = self.row() {
            return match clauses {
                [] => f.write_str(text),
                _ => write!(f, "{text} ({})", clauses.join(", ")),
            };
        }
        match self {
            Self::Outside { hint } => {
                f.write_str("an access outside every variable of its state space (PTX-6.4.1)")?;
                hint.iter().try_for_each(|hint| write!(f, ": {hint}"))
            }
            Self::PerhapsOutside { from } => {
                f.write_str(
                    "an access that is misaligned or outside every variable of its state space \
                     (PTX-6.4.1)",
                )?;
                from.iter().try_for_each(|name| {
                    write!(f, ": its address comes from `{name}`, which has no given value")
                })
            }
            Self::Conversion { wanted } => {
                write!(f, "`cvta` of an address that is not one {wanted} (PTX-9.7.9.20)")
            }
            Self::ExchangeMask { instruction, clause } => {
                write!(f, "`{instruction}` of a thread outside its membermask ({clause})")
            }
            Self::HostThread { what } => write!(f, "{what} on a host thread"),
            Self::Instruction { name } => write!(f, "`{name}`"),
            Self::Call { name } => write!(
                f,
                "`{name}`: functions are not followed; write the function's statements there"
            ),
            Self::IndirectBranch { name } => {
                write!(f, "`{name}`: indirect branches are not followed; write `setp` and `bra`")
            }
            Self::TextureAccess { name } => write!(
                f,
                "`{name}`: the memory consistency model does not apply to texture and surface \
                 accesses (PTX-8.1)"
            ),
            Self::Result { name } => {
                write!(f, "the result of `{name}` is not computed, and matters here")
            }
            Self::NoClause { what, clause, since } => {
                write!(f, "the model has no clause for {what} ({clause}")?;
                since.iter().try_for_each(|version| write!(f, ", since PTX ISA {version}"))?;
                f.write_str(")")
            }
            Self::Condition { name, clauses, found } => {
                let clauses = match &clauses[..] {
                    [] => String::new(),
                    _ => format!(" ({})", clauses.join(", ")),
                };
                found.write(f, name, &clauses)
            }
            Self::Stuck { extent, waiting, .. } => stuck(f, *extent, &waiting.join("; ")),
            plain!() => unreachable!("{TABLED}"),
        }
    }
}

fn stuck(f: &mut fmt::Formatter<'_>, extent: Extent, who: &str) -> fmt::Result {
    match extent {
        Extent::All => write!(f, "no execution passes all barriers: {who}"),
        Extent::AllInOneOrder => {
            write!(f, "no execution passes all barriers: {who}, in one order of the operations")
        }
        Extent::AllInOneExecution => {
            write!(f, "no execution passes all barriers: {who}, in one execution")
        }
        Extent::NoneEndsInOneExecution => write!(f, "no execution ends: in one, {who}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_words_and_tell_rules_apart() {
        let codes: Vec<&str> = Rule::PLAIN.iter().map(Rule::code).collect();
        let distinct: BTreeSet<&str> = codes.iter().copied().collect();
        assert_eq!(codes.len(), distinct.len());
        let is_word = |code: &&str| code.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
        assert!(distinct.iter().all(is_word), "{distinct:?}");
    }

    #[test]
    fn clauses_are_those_of_the_text() {
        let stuck = Rule::Stuck { extent: Extent::All, waiting: Vec::new(), clauses: Vec::new() };
        let condition = |found| Rule::Condition {
            name: "Condition".to_owned(),
            clauses: vec!["PTX-2.2.2".to_owned(), "PTX-8.7.2".to_owned()],
            found: Box::new(found),
        };
        let thread = || "P0".to_owned();
        let others = [
            Rule::Outside { hint: None },
            Rule::PerhapsOutside { from: Some("n".to_owned()) },
            Rule::Conversion { wanted: "of a kernel parameter" },
            Rule::TextureAccess { name: "tex".to_owned() },
            condition(Finding::EarlyReuse { thread: thread(), barrier: "barrier 0".to_owned() }),
            condition(Finding::DifferentCounts { barrier: "barrier 0".to_owned() }),
            condition(Finding::MixedRace { accesses: ["a".to_owned(), "b".to_owned()] }),
            condition(Finding::BeforeStart { thread: thread(), object: "x".to_owned(), cta: 1 }),
            condition(Finding::AfterExit { thread: thread(), object: "x".to_owned(), cta: 1 }),
            condition(Finding::Failure),
            stuck,
        ];
        for rule in Rule::PLAIN.iter().chain(&others) {
            let text = rule.to_string();
            let named = text.split("PTX-").skip(1).map(|rest| {
                let end =
                    rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
                format!("PTX-{}", &rest[..end])
            });
            assert_eq!(named.collect::<Vec<_>>(), rule.clauses(), "{text}");
        }
    }
}
