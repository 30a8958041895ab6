//! Asynchronous instructions: the operation that a form of the table issues, and the groups that it
//! commits or waits for.

/// The role of an instruction for asynchronous operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AsyncOp {
    /// `cp.async` (PTX-9.7.9.25.3.1).
    Copy,
    /// `cp.async.mbarrier.arrive` (PTX-9.7.13.15.15).
    ArriveBehindCopies,
    /// `cp.async.bulk` (PTX-9.7.9.25.4.1).
    BulkCopy,
    /// `cp.reduce.async.bulk` (PTX-9.7.9.25.4.2).
    BulkReduce,
    /// `cp.async.bulk.tensor` (PTX-9.7.9.25.5.2).
    TensorCopy,
    /// `cp.reduce.async.bulk.tensor` (PTX-9.7.9.25.5.3).
    TensorReduce,
    /// `clusterlaunchcontrol.try_cancel` (PTX-9.7.13.17).
    Cancel,
    /// `st.async` (PTX-9.7.9.12).
    Store,
    /// `red.async` (PTX-9.7.13.7).
    Reduce,
    /// `st.async.release`, to global memory.
    ReleaseStore,
    /// `red.async.release`, to global memory.
    ReleaseReduce,
    /// `wgmma.mma_async` (PTX-9.7.15.5).
    Multiply,
    /// `tcgen05.mma` (PTX-9.7.16.10).
    TensorMultiply,
    /// `tcgen05.cp` (PTX-9.7.16.9).
    TensorMove,
    /// `tcgen05.shift` (PTX-9.7.16.9).
    TensorShift,
    /// `tcgen05.ld` (PTX-9.7.16.8).
    TensorLoad,
    /// `tcgen05.st` (PTX-9.7.16.8).
    TensorStore,
    /// `tcgen05.wait`: for all loads or stores of the thread.
    TensorWait(GroupKind),
    /// `tcgen05.commit` (PTX-9.7.16.12).
    TensorCommit,
    /// `cp.async.commit_group`, `cp.async.bulk.commit_group`, `wgmma.commit_group`.
    Commit(GroupKind),
    /// `cp.async.wait_group`, `cp.async.bulk.wait_group`, `wgmma.wait_group`.
    Wait(GroupKind),
    /// `cp.async.wait_all`: a commit and a wait for all groups.
    WaitAll,
}

impl AsyncOp {
    /// Whether the operation accesses memory through the asynchronous proxy, as only bulk
    /// operations do (PTX-8.6, PTX-9.7.9.25.2).
    #[must_use]
    pub fn is_of_async_proxy(self) -> bool {
        match self {
            Self::BulkCopy
            | Self::BulkReduce
            | Self::TensorCopy
            | Self::TensorReduce
            | Self::Cancel
            | Self::Multiply
            | Self::TensorMultiply
            | Self::TensorMove => true,
            Self::Copy
            | Self::ArriveBehindCopies
            | Self::Store
            | Self::Reduce
            | Self::ReleaseStore
            | Self::ReleaseReduce
            | Self::TensorShift
            | Self::TensorLoad
            | Self::TensorStore
            | Self::TensorWait(_)
            | Self::TensorCommit
            | Self::Commit(_)
            | Self::Wait(_)
            | Self::WaitAll => false,
        }
    }
}

/// The kinds of groups that a thread has (PTX-9.7.9.25.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum GroupKind {
    /// Of `cp.async`.
    Copy,
    /// Of bulk copies and reductions.
    Bulk,
    /// Of products of a warpgroup.
    Warpgroup,
    /// Of loads from Tensor Memory, all of which a wait is for.
    TensorLoad,
    /// Of stores to Tensor Memory.
    TensorStore,
}
