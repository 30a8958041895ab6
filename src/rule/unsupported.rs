//! The reasons why questions stay open, as data: a code, clauses of the standard and a text for each.

/// The reason why no engine answers a question about a model or program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// More events than the limit.
    #[error("a program of {events} events, more than {most}")]
    Events {
        /// The number of events.
        events: usize,
        /// The limit.
        most: usize,
    },
    /// A value-dependent count in a warp of several threads.
    #[error("a thread count from memory at {barrier}, in a warp of several threads")]
    CountInAWarp {
        /// The barrier.
        barrier: String,
    },
    /// Too many threads at a barrier where some of them meet.
    #[error("{barrier} with a count and more than {most} threads")]
    Crowd {
        /// The barrier.
        barrier: String,
        /// The limit.
        most: usize,
    },
    /// A launch of which only some threads are checked.
    #[error("{verdict} among {threads} of {of} threads, which does not decide the launch")]
    Representatives {
        /// The verdict on these threads alone.
        verdict: &'static str,
        /// The number of threads checked.
        threads: usize,
        /// The number of threads in the launches.
        of: u64,
    },
    /// Too many barrier operations at which threads may block.
    #[error(
        "whether threads wait for ever at one of {operations} barrier operations, more than {most}"
    )]
    Waits {
        /// The number of operations.
        operations: usize,
        /// The limit.
        most: usize,
    },
    /// Uncertainty about the threads that wait for ever.
    #[error("threads that may wait for ever, where it is not exactly known for whom or for what")]
    WhoWaits,
    /// Too many ways to meet.
    #[error("too many ways in which threads may meet at barriers with thread counts")]
    Meetings,
    /// Reductions and counts at one barrier.
    #[error(
        "`.red` and other operations with a thread count on one barrier, where branches decide who comes"
    )]
    BarrierMixture,
    /// Counts that may differ.
    #[error("different thread counts at one barrier, where branches decide who comes")]
    DifferentCounts,
    /// A barrier that may be reused too early.
    #[error(
        "a thread that arrives at a barrier and may come back to it, where branches decide who comes"
    )]
    EarlyReuse,
    /// A count of an arrival that may complete the barrier alone.
    #[error("an arrival that completes a barrier alone, with a count from memory")]
    LoneArrival,
    /// Undefined behaviour before threads wait.
    #[error(
        "what is undefined before threads wait for others of their warp, at many barriers, or where \
         there are thread counts"
    )]
    BeforeWaits,
    /// Over-approximated dependencies.
    #[error("a value that comes about in more ways than are told apart")]
    ManyWays,
    /// Too many orders of the elements of vectors.
    #[error("all orders of more than four elements with acquire or release order")]
    ManyOrders,
    /// Values that justify themselves.
    #[error("values that justify themselves")]
    SelfJustified,
    /// Values that justify themselves under a model that allows it.
    #[error("values that justify themselves, which the model does not exclude")]
    SelfJustifiedByModel,
    /// Unknown values.
    #[error("unknown values of more than one bit")]
    UnknownValues,
    /// Unknown values in arithmetic.
    #[error("arithmetic on unknown values")]
    UnknownArithmetic,
    /// A final state that the choices do not decide.
    #[error("a value that the search cannot compute")]
    Uncomputed,
    /// Exchanges whose operands depend on exchanges.
    #[error("exchanges within a warp in which other exchanges decide who takes part")]
    Exchanges,
    /// A missing relation that the question needs.
    #[error("the model defines no `{0}`, as ptx-9.2 does")]
    NoRelation(&'static str),
    /// A missing definition that the encoding needs.
    #[error("the model has no definition of `{0}`")]
    NoDefinition(&'static str),
    /// An axiom outside the fragment that minimal orders decide.
    #[error("axiom `{0}` is not decided by minimal orders")]
    MinimalOrders(String),
    /// A negated axiom.
    #[error("axiom `{0}` is negated")]
    Negated(String),
    /// Recursion, which the search does not support.
    #[error("recursive definitions")]
    Recursion,
    /// Recursion under an operator that is not monotone.
    #[error("the recursive definition in axiom `{0}` is used where it may shrink")]
    ShrinkingRecursion(String),
    /// Too many writes to a location: coherence orders take memory by the cube of their number.
    #[error("{0} writes to one location")]
    Writes(usize),
    /// Formulas that would take gigabytes.
    #[error("a program whose encoding is too large")]
    EncodingSize,
    /// A build without engines.
    #[error("this build has no engine")]
    NoEngine,
    /// A bug: an engine's choices make no execution.
    #[error("the search's choices: {0}")]
    Choices(String),
    /// A bug: a disagreement of engines.
    #[error("{0}")]
    Disagreement(String),
}

impl Unsupported {
    /// The code of the reason, such as `many-ways`, for programs that read reports.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Events { .. } => "many-events",
            Self::CountInAWarp { .. } => "count-in-a-warp",
            Self::Crowd { .. } => "many-threads-at-a-barrier",
            Self::Representatives { .. } => "representatives",
            Self::Waits { .. } => "many-waits",
            Self::WhoWaits => "who-waits",
            Self::Meetings => "many-meetings",
            Self::BarrierMixture => "barrier-mixture",
            Self::DifferentCounts => "barrier-counts-differ",
            Self::EarlyReuse => "barrier-reuse",
            Self::LoneArrival => "lone-arrival",
            Self::BeforeWaits => "undefined-before-waits",
            Self::ManyWays => "many-ways",
            Self::ManyOrders => "many-orders",
            Self::SelfJustified | Self::SelfJustifiedByModel => "self-justified-values",
            Self::UnknownValues | Self::UnknownArithmetic => "unknown-values",
            Self::Uncomputed => "uncomputed-value",
            Self::Exchanges => "nested-exchanges",
            Self::NoRelation(_) | Self::NoDefinition(_) => "missing-relation",
            Self::MinimalOrders(_) => "minimal-orders",
            Self::Negated(_) => "negated-axiom",
            Self::Recursion | Self::ShrinkingRecursion(_) => "recursion",
            Self::Writes(_) => "many-writes",
            Self::EncodingSize => "large-encoding",
            Self::NoEngine => "no-engine",
            Self::Choices(_) => "choices",
            Self::Disagreement(_) => "disagreement",
        }
    }

    /// The clauses of the standard that the question is about; none for limits of the tool.
    #[must_use]
    pub fn clauses(&self) -> &'static [&'static str] {
        match self {
            Self::BarrierMixture | Self::DifferentCounts | Self::EarlyReuse => &["PTX-9.7.13.1"],
            Self::SelfJustified | Self::SelfJustifiedByModel | Self::ManyWays => &["PTX-8.10.4"],
            _ => &[],
        }
    }
}
