//! Defects of synchronization, which leave two accesses unordered. Each has a stable name, a
//! sentence, and its clause; some are cured by a stronger statement.

/// A kind of defect in a program's synchronization.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Defect {
    /// A weak access where a strong one is needed.
    WeakAccess,
    /// No release of the events before a write.
    NoRelease,
    /// No acquire after a read.
    NoAcquire,
    /// A write and a later read of another location, which only `fence.sc` orders.
    NoSequentialFence,
    /// A scope that does not include the other thread.
    ScopeTooNarrow,
    /// Accesses through different proxies without a fence for them.
    NoProxyFence,
    /// Accesses by different virtual addresses without `fence.proxy.alias`.
    NoAliasFence,
    /// A fence or an access on the wrong side of a barrier or of the synchronization.
    WrongSide,
    /// Threads that do not meet although one passes data to the other.
    NoBarrier,
    /// A barrier or an exchange at which threads meet without an order of their accesses.
    UnorderingBarrier,
    /// An asynchronous operation without a wait.
    NotWaitedFor,
    /// Operations of the tensor cores that a thread hands to another without their fences.
    NoTensorFence,
    /// Order expected from the read of a `red` or of an arrival, which acquires nothing.
    ThroughReduction,
    /// A fence that is limited to some objects and does not cover the access.
    RestrictedFence,
    /// Accesses of different sizes, which are never morally strong.
    PartialOverlap,
    /// An access to memory that may not exist any more, or yet.
    Lifetime,
    /// No path from one access to the other.
    NoSynchronization,
}

impl Defect {
    /// All defects.
    pub const ALL: [Self; 17] = [
        Self::WeakAccess,
        Self::NoRelease,
        Self::NoAcquire,
        Self::NoSequentialFence,
        Self::ScopeTooNarrow,
        Self::NoProxyFence,
        Self::NoAliasFence,
        Self::WrongSide,
        Self::NoBarrier,
        Self::UnorderingBarrier,
        Self::NotWaitedFor,
        Self::NoTensorFence,
        Self::ThroughReduction,
        Self::RestrictedFence,
        Self::PartialOverlap,
        Self::Lifetime,
        Self::NoSynchronization,
    ];

    /// A name that is stable across versions.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::WeakAccess => "weak-access",
            Self::NoRelease => "no-release",
            Self::NoAcquire => "no-acquire",
            Self::NoSequentialFence => "no-sc-fence",
            Self::ScopeTooNarrow => "scope-too-narrow",
            Self::NoProxyFence => "no-proxy-fence",
            Self::NoAliasFence => "no-alias-fence",
            Self::WrongSide => "wrong-side",
            Self::NoBarrier => "no-barrier",
            Self::UnorderingBarrier => "barrier-does-not-order",
            Self::NotWaitedFor => "not-waited-for",
            Self::NoTensorFence => "no-tensor-fence",
            Self::ThroughReduction => "order-through-reduction",
            Self::RestrictedFence => "restricted-fence",
            Self::PartialOverlap => "partial-overlap",
            Self::Lifetime => "lifetime",
            Self::NoSynchronization => "no-synchronization",
        }
    }

    /// A description of the defect.
    #[must_use]
    pub fn text(self) -> &'static str {
        match self {
            Self::WeakAccess => "weak access where a strong one is needed",
            Self::NoRelease => "no release",
            Self::NoAcquire => "no acquire",
            Self::NoSequentialFence => "no fence.sc on both sides",
            Self::ScopeTooNarrow => "scope does not include the other thread",
            Self::NoProxyFence => "different proxies without a fence for them",
            Self::NoAliasFence => "different virtual addresses without fence.proxy.alias",
            Self::WrongSide => "on the wrong side of a barrier or of the synchronization",
            Self::NoBarrier => "threads do not meet where one hands its accesses to the other",
            Self::UnorderingBarrier => "barrier that does not order accesses",
            Self::NotWaitedFor => "asynchronous operation that is not waited for there",
            Self::NoTensorFence => "no fence of the tensor cores beside the synchronization",
            Self::ThroughReduction => "order expected of the read of a reduction or an arrival",
            Self::RestrictedFence => "fence limited to other objects",
            Self::PartialOverlap => "accesses overlap only in part",
            Self::Lifetime => "memory need not be there",
            Self::NoSynchronization => "no synchronization",
        }
    }

    /// The section of the standard for the defect. For a barrier without an order this is the
    /// cluster barrier's section, since that barrier can be told to order.
    #[must_use]
    pub fn clause(self) -> &'static str {
        match self {
            Self::WeakAccess => "PTX-8.7",
            Self::NoRelease | Self::NoAcquire | Self::ThroughReduction => "PTX-8.8",
            Self::NoSequentialFence => "PTX-8.9.3",
            Self::ScopeTooNarrow => "PTX-8.5",
            Self::NoProxyFence | Self::NoAliasFence | Self::WrongSide => "PTX-8.9.5",
            Self::NoSynchronization => "PTX-8.9.5",
            Self::NoBarrier => "PTX-9.7.13.1",
            Self::UnorderingBarrier => "PTX-9.7.13.3",
            Self::NotWaitedFor => "PTX-8.9.1.1",
            Self::NoTensorFence => "PTX-9.7.16.6.3",
            Self::RestrictedFence => "PTX-9.7.13.4",
            Self::PartialOverlap => "PTX-8.7.2",
            Self::Lifetime => "PTX-2.2.2",
        }
    }

    /// The remedy.
    #[must_use]
    pub fn cure(self) -> &'static str {
        match self {
            Self::WeakAccess => "make it strong, with a scope that includes the other thread",
            Self::NoRelease => "make it `.release`, or put a fence before it",
            Self::NoAcquire => "make it `.acquire`, or put a fence behind it",
            Self::NoSequentialFence => "put `fence.sc` between the two accesses of each thread",
            Self::ScopeTooNarrow => "widen the scope",
            Self::NoProxyFence => "put a fence for both proxies between them",
            Self::NoAliasFence => "put `fence.proxy.alias` between them",
            Self::WrongSide => "move it to the other side",
            Self::NoBarrier => "let the two threads meet between them",
            Self::UnorderingBarrier => {
                "arrive with `.release`, fence before the arrival, or meet at a barrier that orders"
            }
            Self::NotWaitedFor => "wait for its group or its mbarrier",
            Self::NoTensorFence => {
                "put `tcgen05.fence::before_thread_sync` before the synchronization and \
                 `tcgen05.fence::after_thread_sync` behind it"
            }
            Self::ThroughReduction => "read with `atom` or `ld`, or wait",
            Self::RestrictedFence => "use a fence that covers the access",
            Self::PartialOverlap => "use accesses of one size",
            Self::Lifetime => "meet before the memory goes, or when it has come",
            Self::NoSynchronization => "hand over by a flag or a barrier",
        }
    }

    /// The text with the clause.
    #[must_use]
    pub fn sentence(self) -> String {
        self.about(self.clause())
    }

    /// The text with a clause that is more specific than the general one.
    pub(crate) fn about(self, clause: &str) -> String {
        format!("{} ({clause})", self.text())
    }
}
