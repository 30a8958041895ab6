//! Typed indices: one newtype per kind, so that an event is never mistaken for a location.

/// Declares a `u32` index newtype with `new`, `index` and a short `Display` prefix.
macro_rules! declare_id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(u32);

        impl $name {
            /// The id at position `index`.
            ///
            /// # Panics
            /// When `index` does not fit 32 bits; budgets keep every arena far below that.
            #[must_use]
            pub fn new(index: usize) -> Self {
                Self(u32::try_from(index).expect("arenas stay below 2^32 entries"))
            }

            /// The position in the arena that gave out this id.
            #[must_use]
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0)
            }
        }
    };
}

declare_id!(
    /// An event of an event graph.
    EventId, "e"
);
/// A list of events, mostly short.
pub type FewEvents = smallvec::SmallVec<[EventId; 4]>;

declare_id!(
    /// An agent: the writer of initial values, a thread of a device or of the host, or an
    /// asynchronous operation.
    AgentId, "a"
);
declare_id!(
    /// An operation on a barrier of a CTA, a cluster or a warp, or an exchange within a warp.
    BarrierId, "b"
);

// `TiVec` needs these conversions; elsewhere `new` and `index` are clearer.
impl From<usize> for BarrierId {
    fn from(index: usize) -> Self {
        Self::new(index)
    }
}

impl From<BarrierId> for usize {
    fn from(id: BarrierId) -> Self {
        id.index()
    }
}

impl BarrierId {
    /// The operations before this one, in order.
    pub fn earlier(self) -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..self.index()).map(Self::new)
    }
}

declare_id!(
    /// One memory access; all its pieces share it (PTX-8.2.4).
    AccessId, "m"
);
declare_id!(
    /// A physical location: a byte range of one variable instance that no access splits further.
    LocId, "l"
);
declare_id!(
    /// A variable instance: physical storage (one per CTA for `.shared`, one per thread for `.local`).
    ObjectId, "o"
);
declare_id!(
    /// A virtual address range: two of them on one object are aliases (PTX-8.2.2).
    VirtualId, "v"
);
declare_id!(
    /// A hash-consed value expression.
    ExprId, "x"
);
declare_id!(
    /// A value that an execution chooses freely: an unknown initial value, a spurious failure.
    SymbolId, "s"
);
declare_id!(
    /// A node of the relational IR.
    NodeId, "n"
);
declare_id!(
    /// A source file in [`crate::source::Files`].
    FileId, "f"
);
declare_id!(
    /// An operation of a [trace](crate::judge::trace).
    OpId, "o"
);
declare_id!(
    /// A memory location of a trace.
    CellId, "c"
);
declare_id!(
    /// A thread of a trace.
    ThreadId, "t"
);
