//! Why a question stays open, as data: a code, clauses of the standard and a text for each.

/// Why no engine answers a question about a model or program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// More events than executions are looked for among.
    #[error("a program of {events} events, more than {most}")]
    Events {
        /// How many there are.
        events: usize,
        /// How many there may be.
        most: usize,
    },
    /// A count that decides with whom a thread comes.
    #[error("a thread count from memory at {barrier}, in a warp of several threads")]
    CountInAWarp {
        /// The barrier.
        barrier: String,
    },
    /// Too many threads of which some meet.
    #[error("{barrier} with a count and more than {most} threads")]
    Crowd {
        /// The barrier.
        barrier: String,
        /// How many there may be.
        most: usize,
    },
    /// A launch of which not all threads are looked at.
    #[error("{verdict} among {threads} of {of} threads, which does not decide the launch")]
    Representatives {
        /// What the verdict is on these threads alone.
        verdict: &'static str,
        /// How many threads were looked at.
        threads: usize,
        /// How many the launches have.
        of: u64,
    },
    /// Too many barrier operations at which threads may stay.
    #[error(
        "whether threads wait for ever at one of {operations} barrier operations, more than {most}"
    )]
    Waits {
        /// How many there are.
        operations: usize,
        /// How many there may be.
        most: usize,
    },
    /// Threads that may wait for ever, or not.
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
    /// A count of an arrival that may be all that the barrier waits for.
    #[error("an arrival that completes a barrier alone, with a count from memory")]
    LoneArrival,
    /// What goes wrong before threads wait.
    #[error(
        "what is undefined before threads wait for others of their warp, at many barriers, or where \
         there are thread counts"
    )]
    BeforeWaits,
    /// Dependencies that are not told apart.
    #[error("a value that comes about in more ways than are told apart")]
    ManyWays,
    /// Orders of the elements of vectors.
    #[error("all orders of more than four elements with acquire or release order")]
    ManyOrders,
    /// Values that nothing but themselves justifies.
    #[error("values that justify themselves")]
    SelfJustified,
    /// The same, where the model lets them be.
    #[error("values that justify themselves, which the model does not exclude")]
    SelfJustifiedByModel,
    /// Values that nobody knows.
    #[error("unknown values of more than one bit")]
    UnknownValues,
    /// Values that nobody knows, in arithmetic.
    #[error("arithmetic on unknown values")]
    UnknownArithmetic,
    /// A final state that choices do not decide.
    #[error("a value that the search cannot compute")]
    Uncomputed,
    /// Exchanges that depend on exchanges.
    #[error("exchanges within a warp in which other exchanges decide who takes part")]
    Exchanges,
    /// A relation that the question is about.
    #[error("a model without `{0}`")]
    NoRelation(&'static str),
    /// The same, in the words of the encoding.
    #[error("the model has no definition of `{0}`")]
    NoDefinition(&'static str),
    /// An axiom for which it does not do to choose as few edges as possible.
    #[error("axiom `{0}` is not decided by minimal orders")]
    MinimalOrders(String),
    /// A negated axiom.
    #[error("axiom `{0}` is negated")]
    Negated(String),
    /// Recursion, for the search.
    #[error("recursive definitions")]
    Recursion,
    /// Recursion under an operator that is not monotone.
    #[error("the recursive definition in axiom `{0}` is used where it may shrink")]
    ShrinkingRecursion(String),
    /// Coherence orders take memory by the cube of the writes to a location.
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
    /// A bug: engines that disagree.
    #[error("{0}")]
    Disagreement(String),
}

impl Unsupported {
    /// The name of the reason for programs that read reports, such as `many-ways`.
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

    /// The clauses of the standard that the question is about; none where it is a matter of the tool.
    #[must_use]
    pub fn clauses(&self) -> &'static [&'static str] {
        match self {
            Self::BarrierMixture | Self::DifferentCounts | Self::EarlyReuse => &["PTX-9.7.13.1"],
            Self::SelfJustified | Self::SelfJustifiedByModel | Self::ManyWays => &["PTX-8.10.4"],
            _ => &[],
        }
    }
}
