//! Barrier operations into the order in which threads come to barriers. The number of an operation
//! counts the earlier operations of its thread at the barrier, with two restrictions. Arrivals and waits
//! at the barrier of a cluster are numbered apart. An operation without a thread count is numbered among
//! the operations that it may meet: it does not meet those that ask for some of the CTA's threads.

use super::barrier::{BarrierKey, BarrierOp, BarrierRule};
use crate::collections::IndexMap;
use crate::id::{AgentId, BarrierId};
use rustc_hash::FxHashMap;
use typed_index_collections::{TiSlice, TiVec};

/// The barrier operations of all threads, by barrier and thread.
#[derive(Clone, Debug, Default)]
pub struct Numbering {
    operations: TiVec<BarrierId, Numbered>,
    /// The operations of one thread at one barrier, in program order.
    visits: Vec<Vec<BarrierId>>,
    /// For every barrier, the visits of each thread that uses it.
    barriers: Vec<IndexMap<AgentId, usize>>,
}

/// What the numbers of operations depend on.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    barrier: usize,
    visits: usize,
    thread: AgentId,
    kind: Kind,
    asks: Asks,
}

/// Operations of one kind are numbered together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// An operation at a barrier at which arrivals and waits share their numbers.
    Any,
    ArrivalAtCluster,
    WaitAtCluster,
}

/// Whom an operation asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asks {
    /// All threads that have not ended.
    All,
    /// A number of threads that is less or more than all.
    Some,
    /// A number of threads that may be all, or the threads that take part.
    Other,
}

impl Numbering {
    /// The numbering of operations, given the thread of each and the thread counts that are known.
    /// `all` is the thread count that stands for all threads of a barrier.
    pub fn new(
        operations: &TiSlice<BarrierId, BarrierOp>,
        thread: impl Fn(BarrierId) -> AgentId,
        count: impl Fn(&BarrierOp) -> Option<u128>,
        all: impl Fn(&BarrierKey) -> u128,
    ) -> Self {
        let mut keys: FxHashMap<&BarrierKey, usize> = FxHashMap::default();
        let mut counts: FxHashMap<usize, u128> = FxHashMap::default();
        let mut out = Self::default();
        for (at, op) in operations.iter_enumerated() {
            let barrier = *keys.entry(&op.key).or_insert(out.barriers.len());
            if barrier == out.barriers.len() {
                out.barriers.push(IndexMap::default());
            }
            let thread = thread(at);
            let visits = *out.barriers[barrier].entry(thread).or_insert(out.visits.len());
            if visits == out.visits.len() {
                out.visits.push(Vec::new());
            }
            out.visits[visits].push(at);
            let asks = match op.rule {
                BarrierRule::AllLive => Asks::All,
                BarrierRule::Participants | BarrierRule::Quorum(_) => Asks::Other,
                BarrierRule::Count(_) => {
                    let all = *counts.entry(barrier).or_insert_with(|| all(&op.key));
                    if count(op).is_none_or(|n| n == all) { Asks::Other } else { Asks::Some }
                }
            };
            let kind = match (&op.key, op.arrives) {
                (BarrierKey::Cluster(_), true) => Kind::ArrivalAtCluster,
                (BarrierKey::Cluster(_), false) => Kind::WaitAtCluster,
                _ => Kind::Any,
            };
            out.operations.push(Numbered { barrier, visits, thread, kind, asks });
        }
        out
    }

    /// All operations.
    pub fn operations(&self) -> impl Iterator<Item = BarrierId> + use<> {
        self.operations.keys()
    }

    /// The thread of an operation.
    #[must_use]
    pub fn thread(&self, at: BarrierId) -> AgentId {
        self.operations[at].thread
    }

    /// Whether two operations are at one barrier.
    #[must_use]
    pub fn share_barrier(&self, one: BarrierId, other: BarrierId) -> bool {
        self.operations[one].barrier == self.operations[other].barrier
    }

    /// Whether operations of two threads are at one barrier.
    #[must_use]
    pub fn may_be_together(&self, one: BarrierId, other: BarrierId) -> bool {
        self.share_barrier(one, other) && self.thread(one) != self.thread(other)
    }

    /// All operations at the barrier of an operation, thread by thread.
    pub fn at_barrier_of(&self, at: BarrierId) -> impl Iterator<Item = BarrierId> {
        let threads = self.barriers[self.operations[at].barrier].values();
        threads.flat_map(|&visits| self.visits[visits].iter().copied())
    }

    /// The operations of each thread at each barrier that it uses.
    pub fn all_visits(&self) -> impl Iterator<Item = &[BarrierId]> {
        self.visits.iter().map(Vec::as_slice)
    }

    /// The operations of a thread at the barrier of an operation, in program order.
    #[must_use]
    pub fn visits(&self, thread: AgentId, at: BarrierId) -> &[BarrierId] {
        let visits = self.barriers[self.operations[at].barrier].get(&thread);
        visits.map_or(&[], |&visits| &self.visits[visits])
    }

    /// Those of a thread's [`visits`](Self::visits) that may be in a phase with an operation.
    pub fn visits_to_meet(
        &self,
        thread: AgentId,
        at: BarrierId,
    ) -> impl Iterator<Item = BarrierId> {
        let visits = self.visits(thread, at).iter().copied();
        visits.filter(move |&other| self.may_meet(at, other))
    }

    /// Whether an operation may be in a phase with another one at its barrier.
    #[must_use]
    pub fn may_meet(&self, at: BarrierId, other: BarrierId) -> bool {
        self.operations[at].asks != Asks::All || self.operations[other].asks != Asks::Some
    }

    /// Whether two operations at one barrier are of one kind, so that threads number them together.
    #[must_use]
    pub fn are_of_one_kind(&self, one: BarrierId, other: BarrierId) -> bool {
        self.operations[one].kind == self.operations[other].kind
    }

    /// The earlier operations of a thread that the number of an operation counts.
    pub fn earlier(&self, at: BarrierId) -> impl DoubleEndedIterator<Item = BarrierId> {
        let visits = &self.visits[self.operations[at].visits];
        let before = &visits[..visits.partition_point(|&other| other < at)];
        let counts =
            move |&other: &BarrierId| self.are_of_one_kind(other, at) && self.may_meet(at, other);
        before.iter().copied().filter(counts)
    }

    /// The earlier operations of a thread at the barrier of a cluster that are not of the kind of an
    /// operation: waits before an arrival, arrivals before a wait.
    pub fn earlier_of_other_kind(&self, at: BarrierId) -> impl Iterator<Item = BarrierId> {
        let visits = self.visits[self.operations[at].visits].iter().copied();
        let before = visits.take_while(move |&other| other < at);
        before.filter(move |&other| !self.are_of_one_kind(other, at))
    }

    /// Whether the number of an operation is by one more than that of an earlier one, if that one
    /// happens: no other operation lies between them, and both count the same operations.
    pub(super) fn continues(&self, at: BarrierId, earlier: BarrierId) -> bool {
        (self.operations[at].asks == Asks::All) == (self.operations[earlier].asks == Asks::All)
    }
}
