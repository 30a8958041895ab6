//! Rules that programs break and questions that nobody answers, as data: a code, clauses of the standard
//! and a text for each.
//!
//! Whoever decides compares rules; texts are for people. A code stays what it is from version to version.

mod unsupported;

pub use unsupported::Unsupported;

use std::fmt;

/// What a rule says of executions that break it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Effect {
    /// Their behaviour is undefined.
    Undefined,
    /// The standard or the tool gives them no meaning.
    OutOfModel,
    /// They do not end.
    Deadlock,
}

/// Who has nothing to say of a program that is outside the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Silence {
    /// The model has no clause for it.
    Model,
    /// The tool does not support it yet.
    Tool,
}

impl Silence {
    /// Whether more of the tool or another model would help, in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Model => "the model is silent",
            Self::Tool => "not supported yet",
        }
    }
}

/// What is said of a rule, whatever program breaks it.
struct Row {
    effect: Effect,
    code: &'static str,
    clauses: &'static [&'static str],
    text: &'static str,
}

/// The rules that need no more words, as a table: name, effect, code, clauses, text; and the other variants.
macro_rules! rules {
    (
        plain { $($(#[$doc:meta])* $name:ident: $effect:ident, $code:literal, [$($clause:literal),*], $text:literal;)* }
        others { $($others:tt)* }
    ) => {
        /// A rule that a program breaks, or why it does not end.
        #[derive(Clone, Debug, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $name,)*
            $($others)*
        }

        impl Rule {
            /// The rules that say the same of every program, in the order of the standard's chapters.
            pub const PLAIN: &[Self] = &[$(Self::$name),*];

            /// The row of a rule that says the same of every program.
            fn row(&self) -> Option<Row> {
                Some(match self {
                    $(Self::$name => Row {
                        effect: Effect::$effect,
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
    /// An address that its type does not divide.
    Misaligned: Undefined, "misaligned-access", ["PTX-6.4.1"],
        "an access that is not aligned to its size";
    /// A non-coherent load beside a write.
    NonCoherentLoad: OutOfModel, "non-coherent-load", ["PTX-8.1"],
        "a non-coherent load of data that is written meanwhile: fences do not order it, so use a plain `ld`";

    /// Memory of another kind than an `.mmio` access is for.
    MmioOutsideGlobal: Undefined, "mmio-outside-global", ["PTX-9.7.9.8"],
        "an `.mmio` access outside `.global`";
    /// A vector of 256 bits elsewhere.
    WideVectorOutsideGlobal: Undefined, "wide-vector-outside-global", ["PTX-9.7.9.8"],
        "a vector of more than 128 bits outside `.global`";
    /// A load with an order of memory that the thread has for itself or nobody writes.
    StrongLoadOutside: Undefined, "strong-load-outside", ["PTX-9.7.9.8"],
        "a strong load outside `.global` and `.shared`";
    /// `ld.global.nc` elsewhere.
    NonCoherentOutsideGlobal: Undefined, "non-coherent-outside-global", ["PTX-9.7.9.9", "PTX-9.7.9.10"],
        "`ld.global.nc` or `ldu` outside `.global`";
    /// A store with an order to memory that the thread has for itself.
    StrongStoreOutside: Undefined, "strong-store-outside", ["PTX-9.7.9.11"],
        "a strong store outside `.global` and `.shared`";
    /// `st.bulk` elsewhere.
    BulkOutsideShared: Undefined, "bulk-outside-shared", ["PTX-9.7.9.13"],
        "`st.bulk` outside `.shared`";
    /// A size of `st.bulk` that is none.
    BulkSize: Undefined, "bulk-size", ["PTX-9.7.9.13"],
        "the size of `st.bulk` is no multiple of 8";
    /// A size of `st.bulk` that is not known.
    BulkOfComputedSize: OutOfModel, "bulk-of-computed-size", [],
        "`st.bulk` of a computed size: outside the supported subset";
    /// A size of `st.bulk` that is too large to be followed.
    LargeBulk: OutOfModel, "large-bulk", [],
        "`st.bulk` of more than 4 KiB: outside the supported subset";
    /// Addresses of one replica and of all of them.
    MultimemAddress: Undefined, "multimem-address", ["PTX-9.7.9.14"],
        "a multimem address used by another instruction, or another address by a multimem instruction";
    /// `discard` elsewhere.
    DiscardOutsideGlobal: Undefined, "discard-outside-global", ["PTX-9.7.9.17"],
        "`discard` outside `.global`";

    /// A size of `cp.async` that it has no form for.
    CopySize: Undefined, "copy-size", ["PTX-9.7.9.25.3.1"],
        "`cp.async` copies 4, 8 or 16 bytes";
    /// More bytes from the source than there are in the copy.
    CopiedBytes: Undefined, "copied-bytes", ["PTX-9.7.9.25.3.1"],
        "`cp.async` of more source bytes than it copies";
    /// Memory of another kind than the copy is for.
    CopySpace: Undefined, "copy-space", ["PTX-9.7.9.25.4.1"],
        "an asynchronous operation outside the state space that it is for";
    /// Shared memory of another CTA.
    CopyToAnotherCta: Undefined, "copy-to-another-cta", ["PTX-9.7.9.25.4.1"],
        "a copy to `.shared::cta` that is not the memory of the executing CTA";
    /// Shared memory of the CTA itself.
    PushToOwnCta: Undefined, "push-to-own-cta", ["PTX-9.7.9.25.4.1"],
        "a copy from `.shared::cta` to `.shared::cluster` whose destination is in the executing CTA";
    /// An object that is not where the bytes go.
    SignalOfAnotherCta: Undefined, "signal-of-another-cta", ["PTX-9.7.9.25.4.1"],
        "an asynchronous operation whose mbarrier is in another CTA than its destination";
    /// A size of a bulk copy that is none.
    BulkCopySize: Undefined, "bulk-copy-size", ["PTX-9.7.9.25.4.1"],
        "the size of a bulk copy is no positive multiple of 16";
    /// Bytes that may be anywhere.
    IgnoredBytes: Undefined, "ignored-bytes", ["PTX-9.7.9.25.4.1"],
        "a bulk copy that ignores more than 15 bytes at an end";
    /// CTAs that there are not.
    MulticastMask: Undefined, "multicast-mask", ["PTX-9.7.9.25.4.1"],
        "a multicast to a CTA that the cluster does not have, or to none";
    /// A store or reduction to nobody else.
    AloneInCluster: Undefined, "alone-in-cluster", ["PTX-9.7.9.12"],
        "`st.async` or `red.async` in a cluster of one CTA";
    /// A reduction to the CTA itself.
    ReductionInOwnCta: Undefined, "reduction-in-own-cta", ["PTX-9.7.13.7"],
        "`red.async` to the shared memory of the executing CTA";
    /// What an asynchronous operation does is not known before it is executed.
    ComputedCopy: OutOfModel, "computed-copy", [],
        "an asynchronous operation of a computed size or mask: outside the supported subset";
    /// A size that is too large to be followed.
    LargeCopy: OutOfModel, "large-copy", [],
        "an asynchronous copy of more than 256 KiB: outside the supported subset";
    /// A map of another number of dimensions than the instruction says.
    TensorRank: Undefined, "tensor-rank", ["PTX-9.7.9.25.5"],
        "a tensor copy of another number of dimensions than its map has";
    /// A place of a box that is not known.
    ComputedBox: OutOfModel, "computed-box", [],
        "a tensor copy whose coordinates depend on what is read: outside the supported subset";
    /// A box that is too large to be followed.
    LargeBox: OutOfModel, "large-box", [],
        "a tensor copy of more than 1024 stretches of bytes: outside the supported subset";
    /// A pattern of chunks that does not begin where the buffer does.
    PermutedBox: OutOfModel, "permuted-box", ["PTX-5.5.7"],
        "a tensor copy whose buffer in shared memory is not aligned to the pattern of its swizzle: outside the supported subset";
    /// A map of which nobody says what it describes.
    UndeclaredMap: OutOfModel, "undeclared-map", [],
        "a tensor copy by a map that is not declared: say what it describes, `.tensormap tm = { x, .u32, {8}, {4} };`";
    /// A map that is not known.
    ComputedMap: OutOfModel, "computed-map", [],
        "a fence for a tensor map whose address depends on what is read: outside the supported subset";
    /// A field that makes another tensor of a declared one.
    ReplacedField: OutOfModel, "replaced-field", [],
        "a change of another field than the address of a declared tensor map: outside the supported subset";
    /// A reduction of elements that are not known.
    TensorReduction: OutOfModel, "tensor-reduction", [],
        "a tensor reduction by maps of which nobody knows the type of their elements: outside the supported subset";
    /// A map as bytes.
    OpaqueMap: OutOfModel, "opaque-map", ["PTX-5.5.8"],
        "an access to the bytes of a tensor map, which are not known";
    /// A wait that is not known before it is executed.
    ComputedGroups: OutOfModel, "computed-groups", [],
        "a wait for a computed number of groups: outside the supported subset";

    /// A matrix of which nobody says where it is.
    OpaqueDescriptor: OutOfModel, "opaque-descriptor", [],
        "a matrix descriptor that is no address of a variable in shared memory: outside the supported subset";
    /// Allocated columns of which nobody says what they are.
    UndeclaredColumns: OutOfModel, "undeclared-columns", [],
        "`tcgen05.alloc` of columns that are not declared: say how many there are, `.tmem .b32 d[32];`";
    /// An address in Tensor Memory that is no variable's.
    OpaqueColumns: OutOfModel, "opaque-columns", [],
        "an address in Tensor Memory of no declared columns: outside the supported subset";
    /// An address of Tensor Memory that an allocation is to go to.
    AllocationOutsideShared: Undefined, "allocation-outside-shared", ["PTX-9.7.16.7"],
        "`tcgen05.alloc` with a destination outside `.shared::cta`";
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

    /// Members of a warp at `bar.warp.sync`.
    WarpMask: Undefined, "warp-barrier-mask", ["PTX-9.7.13.2"],
        "bar.warp.sync of a thread outside its mask";
    /// A number of a barrier that no CTA has.
    BarrierNumber: Undefined, "barrier-number", ["PTX-9.7.13.1"], "a barrier number above 15";
    /// A count that no number of warps has.
    BarrierCount: Undefined, "barrier-count", ["PTX-9.7.13.1"],
        "a number of threads at a barrier that is no positive multiple of the warp size";
    /// Reductions beside other operations.
    BarrierMixture: Undefined, "barrier-mixture", ["PTX-9.7.13.1"],
        "`.red` and another barrier operation on one barrier";
    /// A number of a barrier that is computed and large.
    ComputedBarrier: OutOfModel, "computed-barrier", [],
        "a computed barrier operand above 15, which is not followed";
    /// A membermask that is computed and unusual.
    ComputedMask: OutOfModel, "computed-mask", [],
        "a computed membermask of neither one lane, the first ones nor all but one, which is not followed";
    /// A second arrival in a phase of the cluster's barrier.
    ClusterArrival: Undefined, "cluster-arrival", ["PTX-9.7.13.3"],
        "barrier.cluster.arrive before the wait for the last phase";
    /// A wait at the cluster's barrier of who has not arrived.
    ClusterWait: Undefined, "cluster-wait", ["PTX-9.7.13.3"],
        "barrier.cluster.wait without an arrival of the thread";
    /// A fence of a tensor map elsewhere.
    TensormapFence: Undefined, "tensormap-fence", ["PTX-9.7.13.4"],
        "a tensormap fence of an address outside `.global`";
    /// An atomic operation on memory that the thread has for itself.
    AtomicOutside: Undefined, "atomic-outside", ["PTX-9.7.13.5"],
        "an atomic operation outside `.global` and `.shared`";
    /// An atomic operation on a vector elsewhere.
    VectorAtomicOutsideGlobal: Undefined, "vector-atomic-outside-global", ["PTX-9.7.13.5"],
        "an atomic operation on a vector outside `.global`";

    /// An object of another CTA.
    MbarrierOfAnotherCta: Undefined, "mbarrier-of-another-cta", ["PTX-9.7.13.15.3"],
        "this mbarrier operation on an object of another CTA";
    /// An object elsewhere.
    MbarrierOutsideShared: Undefined, "mbarrier-outside-shared", ["PTX-9.7.13.15"],
        "an mbarrier operation outside `.shared`";
    /// Two initializations.
    MbarrierInitialized: Undefined, "mbarrier-initialized", ["PTX-9.7.13.15"],
        "mbarrier.init of an initialized mbarrier";
    /// No initialization.
    MbarrierUninitialized: Undefined, "mbarrier-uninitialized", ["PTX-9.7.13.15"],
        "an mbarrier operation on an object that is not initialized";
    /// A store that is no operation on the object.
    MbarrierStored: Undefined, "mbarrier-stored", ["PTX-9.7.13.15"],
        "an ordinary store to an initialized mbarrier";
    /// A load that is no operation on the object.
    MbarrierLoaded: Undefined, "mbarrier-loaded", ["PTX-9.7.13.15"],
        "an ordinary load from an initialized mbarrier";
    /// An atomic operation that is no operation on the object.
    MbarrierUpdated: Undefined, "mbarrier-updated", ["PTX-9.7.13.15"],
        "an ordinary atomic operation on an initialized mbarrier";
    /// A count of arrivals that no object has.
    ArrivalCount: Undefined, "arrival-count", ["PTX-9.7.13.15"],
        "an arrival count outside 1 to 1048575";
    /// Arrivals that nobody expects.
    TooManyArrivals: Undefined, "too-many-arrivals", ["PTX-9.7.13.15"],
        "more arrivals at an mbarrier than are pending";
    /// Arrivals that nobody expects any more.
    TooManyDropped: Undefined, "too-many-dropped", ["PTX-9.7.13.15"],
        "more arrivals dropped from an mbarrier than are expected";
    /// `.noComplete`, and it completes.
    NoComplete: Undefined, "no-complete", ["PTX-9.7.13.15"],
        "a `.noComplete` arrival that completes the phase";
    /// A token that is none.
    PendingCountToken: Undefined, "pending-count-token", [],
        "mbarrier.pending_count of a token that no `.noComplete` arrival returned";
    /// Arrivals that an object cannot count.
    PendingArrivals: Undefined, "pending-arrivals", ["PTX-9.7.13.15.15"],
        "`cp.async.mbarrier.arrive` at an mbarrier whose pending count is the greatest";
    /// Bytes of one transaction.
    TransactionCount: Undefined, "transaction-count", ["PTX-9.7.13.15"],
        "a transaction count above 1048575";
    /// Bytes of all transactions.
    PendingTransactions: Undefined, "pending-transactions", ["PTX-9.7.13.15"],
        "a pending transaction count out of range";
    /// A state of another object.
    WaitToken: Undefined, "wait-token", ["PTX-9.7.13.15.16"],
        "a wait with a state that no arrival on this object returned";
    /// A parity that is none.
    PhaseParity: Undefined, "phase-parity", ["PTX-9.7.13.15"],
        "a phase parity other than 0 and 1";
    /// A phase of long ago.
    WaitPhase: Undefined, "wait-phase", ["PTX-9.7.13.15"],
        "a wait for a phase that is neither current nor the one before";
    /// An arrival before anybody has waited for the phase before.
    EarlyArrival: Undefined, "early-arrival", ["PTX-9.7.13.15"],
        "an arrival at an mbarrier in a phase before which no `test_wait` or `try_wait` has returned true for \
         the phase before";
    /// A count that an object of the tool has no bits for.
    LargeMbarrierCount: OutOfModel, "large-mbarrier-count", [],
        "a computed mbarrier count above 32767: outside the supported subset";
    /// A phase that an object of the tool has no bits for.
    FifthPhase: OutOfModel, "fifth-phase", [],
        "the fifth phase of an mbarrier, where one has a count above 32767: outside the supported subset";

    }

    others {
        /// An address of no variable.
        Outside {
            /// What to do about it, if the address is one of another state space.
            hint: Option<String>,
        },
        /// A computed address that may be one of no variable, or not aligned.
        PerhapsOutside {
            /// What the address comes from that has no given value.
            from: Option<String>,
        },
        /// `cvta` of an address that is none of the state space.
        Conversion {
            /// What it should be an address of.
            wanted: &'static str,
        },
        /// An exchange within a warp by a thread that its mask leaves out.
        ExchangeMask {
            /// The instruction.
            instruction: String,
            /// Its section.
            clause: &'static str,
        },
        /// Something that only device threads do.
        HostThread {
            /// What it is.
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
        /// Something that the model has no clause for.
        NoClause {
            /// What it is.
            what: String,
            /// Where the standard describes it.
            clause: &'static str,
            /// The version of the ISA that brought it, where that is known.
            since: Option<&'static str>,
        },
        /// An `undefined_unless` of the model.
        ModelCondition {
            /// Its name.
            name: String,
            /// Its clauses.
            clauses: Vec<String>,
        },
        /// Accesses of different sizes that race.
        MixedRace {
            /// The two accesses.
            accesses: [String; 2],
        },
        /// A thread that comes back to a barrier before it is reset.
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
        /// Threads that wait at barriers for ever.
        Stuck {
            /// In which executions.
            extent: Extent,
            /// Who waits where.
            waiting: Vec<String>,
            /// The sections of the barriers.
            clauses: Vec<&'static str>,
        },
        /// None: what an engine is asked, in the form of a rule.
        Asked,
    }
}

/// In which executions threads wait for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Extent {
    /// In all.
    All,
    /// In all, though in others elsewhere: in one order of the operations at barriers.
    AllInOneOrder,
    /// In all, though in others elsewhere: in one execution.
    AllInOneExecution,
    /// In no execution all threads end, be it that some are in loops; in one order of the operations.
    NoneEndsInOneOrder,
    /// In no execution all threads end, be it that some are in loops; in one execution.
    NoneEndsInOneExecution,
    /// In some.
    Some,
}

impl Rule {
    /// The name of the rule for programs that read reports, such as `barrier-number`.
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
            Self::ModelCondition { .. } => "model-condition",
            Self::MixedRace { .. } => "mixed-race",
            Self::EarlyReuse { .. } => "barrier-reuse",
            Self::DifferentCounts { .. } => "barrier-counts-differ",
            Self::BeforeStart { .. } => "cta-not-started",
            Self::AfterExit { .. } => "cta-may-have-exited",
            Self::Stuck { .. } => "barrier-deadlock",
            _ => "asked",
        }
    }

    /// The clauses of the standard that it follows from, or sections that describe what is not supported;
    /// none where it is a matter of the tool.
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
            Self::ModelCondition { clauses, .. } => clauses.iter().map(String::as_str).collect(),
            Self::MixedRace { .. } => vec!["PTX-8.7.2"],
            Self::EarlyReuse { .. } | Self::DifferentCounts { .. } => vec!["PTX-9.7.13.1"],
            Self::BeforeStart { .. } | Self::AfterExit { .. } => vec!["PTX-2.2.2"],
            Self::Stuck { clauses, .. } => clauses.clone(),
            _ => Vec::new(),
        }
    }

    /// What it says of executions that break it.
    #[must_use]
    pub fn effect(&self) -> Effect {
        if let Some(row) = self.row() {
            return row.effect;
        }
        match self {
            Self::HostThread { .. }
            | Self::Instruction { .. }
            | Self::Call { .. }
            | Self::IndirectBranch { .. }
            | Self::TextureAccess { .. }
            | Self::Result { .. }
            | Self::NoClause { .. } => Effect::OutOfModel,
            Self::Stuck { .. } => Effect::Deadlock,
            _ => Effect::Undefined,
        }
    }

    /// Of what is outside the model, who has nothing to say of it.
    #[must_use]
    pub fn silence(&self) -> Option<Silence> {
        match self {
            Self::NoClause { .. } => Some(Silence::Model),
            _ => self.is_out_of_model().then_some(Silence::Tool),
        }
    }

    /// Whether executions that break it are outside the model, rather than undefined.
    #[must_use]
    pub fn is_out_of_model(&self) -> bool {
        self.effect() == Effect::OutOfModel
    }

    /// As a [deadlock](Self::Stuck) of other executions; another rule is what it is.
    #[must_use]
    pub(crate) fn in_executions(self, extent: Extent) -> Self {
        match self {
            Self::Stuck { waiting, clauses, .. } => Self::Stuck { extent, waiting, clauses },
            other => other,
        }
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
            Self::Instruction { name } => write!(f, "`{name}` is outside the supported subset"),
            Self::Call { name } => write!(
                f,
                "`{name}` is outside the supported subset: functions are not followed; write the \
                 function's statements there"
            ),
            Self::IndirectBranch { name } => write!(
                f,
                "`{name}` is outside the supported subset: indirect branches are not followed; write \
                 `setp` and `bra`"
            ),
            Self::TextureAccess { name } => write!(
                f,
                "`{name}`: the memory consistency model does not apply to texture and surface \
                 accesses (PTX-8.1)"
            ),
            Self::Result { name } => write!(
                f,
                "the result of `{name}`, which is outside the supported subset, matters here"
            ),
            Self::NoClause { what, clause, since } => {
                write!(f, "the model has no clause for {what} ({clause}")?;
                since.iter().try_for_each(|version| write!(f, ", since PTX ISA {version}"))?;
                f.write_str(")")
            }
            Self::ModelCondition { name, .. } => write!(f, "the model's `{name}`"),
            Self::MixedRace { accesses: [first, second] } => {
                write!(f, "a mixed-size race of {first} and {second} (PTX-8.7.2)")
            }
            Self::EarlyReuse { thread, barrier } => write!(
                f,
                "{thread} arrives at {barrier} and comes back to it before it is sure to be reset \
                 (PTX-9.7.13.1)"
            ),
            Self::DifferentCounts { barrier } => {
                write!(f, "threads come to {barrier} with different counts (PTX-9.7.13.1)")
            }
            Self::BeforeStart { thread, object, cta } => {
                lifetime(f, [thread, object], *cta, ["has started", "first", "before"])
            }
            Self::AfterExit { thread, object, cta } => {
                lifetime(f, [thread, object], *cta, ["has not exited", "last", "behind"])
            }
            Self::Stuck { extent, waiting, .. } => stuck(f, *extent, &waiting.join("; ")),
            _ => Ok(()),
        }
    }
}

/// What may go wrong with an access to another CTA's shared memory, and the usual remedy.
fn lifetime(
    f: &mut fmt::Formatter<'_>,
    [thread, object]: [&str; 2],
    cta: u32,
    [missing, access, side]: [&str; 3],
) -> fmt::Result {
    write!(
        f,
        "{thread} accesses {object} and nothing makes sure that CTA {cta} {missing} (PTX-2.2.2): the \
         {access} such access needs `barrier.cluster.arrive` and `.wait` of all threads {side} it, or \
         the like"
    )
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
        Extent::NoneEndsInOneOrder => {
            write!(f, "no execution ends: in one order of the operations, {who}")
        }
        Extent::NoneEndsInOneExecution => write!(f, "no execution ends: in one, {who}"),
        Extent::Some => f.write_str(who),
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
        let stuck = Rule::Stuck { extent: Extent::Some, waiting: Vec::new(), clauses: Vec::new() };
        let others = [
            Rule::Outside { hint: None },
            Rule::PerhapsOutside { from: Some("n".to_owned()) },
            Rule::Conversion { wanted: "of a kernel parameter" },
            Rule::TextureAccess { name: "tex".to_owned() },
            Rule::MixedRace { accesses: ["a".to_owned(), "b".to_owned()] },
            Rule::EarlyReuse { thread: "P0".to_owned(), barrier: "barrier 0".to_owned() },
            Rule::DifferentCounts { barrier: "barrier 0".to_owned() },
            Rule::BeforeStart { thread: "P0".to_owned(), object: "x".to_owned(), cta: 1 },
            Rule::AfterExit { thread: "P0".to_owned(), object: "x".to_owned(), cta: 1 },
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
