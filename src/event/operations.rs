//! Base sets and relations of asynchronous operations (PTX-8.9.1.1), from their issue to the waits for
//! their completion.
//!
//! Invariant: a wait for an operation is ordered after a completion event of the operation.

use super::graph::{Agent, Completion, Conditional, EventGraph, EventKind, Operation};
use super::issued::DoneBefore;
use crate::bitrel::Rel;
use crate::id::EventId;
use crate::program::reading::{FenceSpace, MulticastSignal, ReadCompletion, TensorCompletion};
use crate::ptx::operation::{Proxy, ProxyFenceKind, Space};
use crate::vocabulary::BaseSet;

/// Adds the pairs of completions and the waits for groups that they precede.
fn relate_waits(graph: &mut EventGraph, done: &[DoneBefore], waits: &[EventId]) {
    for one in done {
        let operation = &graph.operations[one.operation];
        let from = match (operation.map_complete, one.reads) {
            (Some(map), _) => map,
            (None, true) => operation.reads_complete.unwrap_or(operation.complete),
            (None, false) => operation.complete,
        };
        let to = waits[one.wait];
        match one.when {
            None => graph.done.push((from, to)),
            Some(when) => graph.done_if.push(Conditional { from, to, when }),
        }
    }
}

impl Operation {
    /// The accesses of the operation, except those of signals.
    fn accesses(&self) -> impl Iterator<Item = EventId> + '_ {
        let written = self.parts.iter().flat_map(|part| &part.writes);
        self.maps.iter().chain(&self.reads).chain(written).copied()
    }

    /// The reads of the operation's tensor map and sources.
    fn all_reads(&self) -> impl Iterator<Item = EventId> + '_ {
        self.maps.iter().chain(&self.reads).copied()
    }

    /// The events by which threads issue the operation.
    pub(super) fn issues(&self) -> impl Iterator<Item = EventId> + '_ {
        std::iter::once(self.issue).chain(self.joined.iter().copied())
    }

    /// Whether an event issues the operation, alone or jointly with others.
    #[must_use]
    pub fn is_issued_at(&self, event: EventId) -> bool {
        self.issues().any(|issue| issue == event)
    }

    /// The events of the operation.
    pub(super) fn events(&self) -> impl Iterator<Item = EventId> + use<> {
        let completions = self.parts.iter().map(|part| part.complete);
        let signals = self.parts.iter().flat_map(|part| part.signals.iter().copied());
        let complete = self.reads_complete.into_iter().chain(self.map_complete).chain(completions);
        let mut events: Vec<EventId> =
            self.accesses().chain(complete).chain([self.complete]).chain(signals).collect();
        events.sort_unstable();
        events.dedup();
        events.into_iter()
    }
}

/// From the issue of each operation to its events: of the operations that several threads issue
/// jointly, or of the others.
fn issue(graph: &EventGraph, is_joint: bool) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for operation in graph.operations.iter().filter(|one| one.is_joint == is_joint) {
        for event in operation.events() {
            operation.issues().for_each(|issue| _ = out.insert(issue, event));
        }
    }
    out
}

/// All pairs of events that belong to one operation, its issue included.
fn same_operation(graph: &EventGraph) -> Rel {
    let mut out = Rel::identity(graph.events.len());
    for operation in &graph.operations {
        let all: Vec<EventId> = operation.events().chain(operation.issues()).collect();
        for &a in &all {
            for &b in &all {
                out.insert(a, b);
            }
        }
    }
    out
}

/// The order within operations, and from earlier operations to the completions that wait for them.
/// Reads precede the writes of their values, accesses precede completions, and completions precede
/// signals.
fn intra(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for operation in &graph.operations {
        let read = operation.reads_complete.as_ref();
        for part in &operation.parts {
            for &write in &part.writes {
                out.insert(write, part.complete);
                for source in sources_of(graph, write).into_iter().chain(operation.maps.clone()) {
                    out.insert(source, write);
                }
            }
            for source in operation.all_reads() {
                out.insert(source, part.complete);
            }
            let signaled = match graph.asynchronous.multicast {
                MulticastSignal::Part => part.complete,
                MulticastSignal::Whole => operation.complete,
            };
            for (at, &one) in part.signals.iter().enumerate() {
                out.insert(signaled, one);
                for &other in &part.signals[at + 1..] {
                    let write = graph.access_of(other);
                    if write.rmw_read == Some(graph.event(one).access) {
                        out.insert(one, other);
                    }
                }
            }
            out.insert(part.complete, operation.complete);
            read.into_iter().for_each(|&read| _ = out.insert(read, part.complete));
        }
        for source in operation.all_reads() {
            read.into_iter().for_each(|&read| _ = out.insert(source, read));
        }
        for &map in &operation.maps {
            operation.reads.iter().for_each(|&source| _ = out.insert(map, source));
            operation.map_complete.iter().for_each(|&complete| _ = out.insert(map, complete));
        }
        if let Some(map) = operation.map_complete {
            out.insert(map, operation.complete);
        }
        for &earlier in &operation.behind {
            let from = graph.operations[earlier].complete;
            operation.parts.iter().for_each(|part| _ = out.insert(from, part.complete));
            out.insert(from, operation.complete);
        }
    }
    out.subtract(&Rel::identity(graph.events.len()));
    out.transitive_closure_in_place();
    out
}

/// The reads of an operation from which a write of it takes its value: of its source, or of the
/// destination for a reduction.
fn sources_of(graph: &EventGraph, write: EventId) -> Vec<EventId> {
    if !graph.event(write).is_write() {
        // The read of a reduction writes nothing.
        return Vec::new();
    }
    let access = graph.access_of(write);
    let own = graph.event(write).agent;
    let reads = access.data_reads.iter().chain(&access.rmw_read);
    let pieces = reads.flat_map(|&read| &graph.access(read).pieces);
    pieces.copied().filter(|&piece| graph.event(piece).agent == own).collect()
}

/// From proxy fences and completions to the accesses that each covers.
fn covers(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for operation in &graph.operations {
        for part in &operation.parts {
            for access in operation.all_reads().chain(part.writes.iter().copied()) {
                out.insert(part.complete, access);
                out.insert(operation.complete, access);
            }
        }
        if let Some(complete) = operation.reads_complete {
            operation.all_reads().for_each(|source| _ = out.insert(complete, source));
        }
        if let Some(complete) = operation.map_complete {
            operation.maps.iter().for_each(|&map| _ = out.insert(complete, map));
        }
    }
    let accesses: Vec<EventId> = graph.ids().filter(|&id| graph.event(id).is_memory()).collect();
    for fence in graph.ids() {
        let EventKind::ProxyFence(kind) = graph.event(fence).kind else { continue };
        let space = match kind {
            ProxyFenceKind::Async(space) => space,
            ProxyFenceKind::AsyncGenericAcquire | ProxyFenceKind::AsyncGenericReleaseReads => {
                Some(Space::SharedCluster)
            }
            ProxyFenceKind::AsyncGenericRelease => Some(Space::SharedCta),
            ProxyFenceKind::Alias
            | ProxyFenceKind::AliasAcquire
            | ProxyFenceKind::AliasRelease
            | ProxyFenceKind::TensormapAcquire(_)
            | ProxyFenceKind::TensormapRelease(_)
            | ProxyFenceKind::Research(_) => None,
        };
        let place = graph.agents[graph.event(fence).agent.index()].site();
        let map = graph.fenced_maps.iter().find(|(at, _)| *at == fence).map(|(_, map)| *map);
        for &access in &accesses {
            if map.is_some_and(|map| graph.access_of(access).object != map) {
                continue;
            }
            let shared = graph.objects[graph.access_of(access).object.index()].shared;
            let covered = match (space, shared, place) {
                (None, ..) => true,
                (Some(Space::Global), shared, _) => shared.is_none(),
                (Some(Space::SharedCta), Some(owner), Some(own)) => owner == own.cta_of_test(),
                (Some(Space::SharedCluster), Some(owner), Some(own)) => {
                    let literal = graph.asynchronous.spaces == FenceSpace::Literal;
                    let others = !literal || owner != own.cta_of_test();
                    others && graph.cluster_of(owner) == Some((own.gpu, own.grid, own.cluster))
                }
                _ => false,
            };
            if covered {
                out.insert(fence, access);
            }
        }
    }
    out
}

impl EventGraph {
    /// Adds the pairs of completions and the waits for groups that they precede.
    pub(super) fn relate_waits(&mut self, done: &[DoneBefore], waits: &[EventId]) {
        relate_waits(self, done, waits);
    }

    /// The pairs of [`crate::vocabulary::BaseRel::Issue`].
    pub(super) fn issue_pairs(&self) -> Rel {
        issue(self, false)
    }

    /// The pairs of [`crate::vocabulary::BaseRel::JointIssue`].
    pub(super) fn joint_issue_pairs(&self) -> Rel {
        issue(self, true)
    }

    /// The pairs of [`crate::vocabulary::BaseRel::SameOperation`].
    pub(super) fn same_operation_pairs(&self) -> Rel {
        same_operation(self)
    }

    /// The pairs of [`crate::vocabulary::BaseRel::SameGroup`].
    pub(super) fn same_group_pairs(&self) -> Rel {
        same_group(self)
    }

    /// The pairs of [`crate::vocabulary::BaseRel::Intra`].
    pub(super) fn intra_pairs(&self) -> Rel {
        intra(self)
    }

    /// The pairs of [`crate::vocabulary::BaseRel::Covers`].
    pub(super) fn covers_pairs(&self) -> Rel {
        covers(self)
    }

    /// Whether an event other than an access belongs to a set of proxy fences of one direction.
    pub(super) fn is_fence_of(&self, id: EventId, set: BaseSet) -> bool {
        is_fence_of(self, id, set)
    }

    /// Whether an access belongs to a copy that PTX-9.7.9.25.1 orders.
    pub(super) fn is_of_copy(&self, id: EventId) -> bool {
        is_of_copy(self, id)
    }

    /// The cluster of a CTA: gpu, grid and number of the cluster.
    fn cluster_of(&self, cta: (u32, u32, u32)) -> Option<(u32, u32, u32)> {
        let places = self.agents.iter().filter_map(Agent::place);
        let mut there = places.filter(|place| place.cta_of_test() == cta);
        there.next().map(|place| (place.gpu, place.grid, place.cluster))
    }
}

/// Pairs of accesses of two `cp.async` operations in one group.
fn same_group(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for group in &graph.groups {
        for &a in group {
            for &b in group.iter().filter(|&&b| b != a) {
                for from in graph.operations[a].accesses() {
                    for to in graph.operations[b].accesses() {
                        out.insert(from, to);
                    }
                }
            }
        }
    }
    out
}

/// Whether a completion, or another event other than an access, belongs to a set of proxy fences.
fn is_fence_of(graph: &EventGraph, id: EventId, set: BaseSet) -> bool {
    let event = graph.event(id);
    match (&event.kind, set) {
        (EventKind::Complete(Completion::Reads), BaseSet::FromAsync)
            if graph.asynchronous.reads == ReadCompletion::NoFence =>
        {
            false
        }
        (EventKind::Complete(_), BaseSet::FromAsync)
            if graph.asynchronous.tensor == TensorCompletion::NoFence
                && graph.operation_of(id).is_some_and(|operation| operation.tensor.is_some()) =>
        {
            false
        }
        (EventKind::Complete(_), BaseSet::FromAsync) => {
            graph.operation_of(id).is_some_and(|operation| operation.fences)
        }
        (EventKind::ProxyFence(ProxyFenceKind::Async(_)), BaseSet::FromAsync) => true,
        (
            EventKind::ProxyFence(
                ProxyFenceKind::Async(_)
                | ProxyFenceKind::AsyncGenericAcquire
                | ProxyFenceKind::AsyncGenericRelease,
            ),
            BaseSet::ToAsync,
        ) => true,
        (
            EventKind::ProxyFence(
                ProxyFenceKind::TensormapAcquire(_) | ProxyFenceKind::TensormapRelease(_),
            ),
            BaseSet::ToTensormap,
        ) => true,
        _ => false,
    }
}

/// Whether an access belongs to a copy that PTX-9.7.9.25.1 orders.
fn is_of_copy(graph: &EventGraph, id: EventId) -> bool {
    let operation = graph.operation_of(id).filter(|operation| operation.is_copy);
    let event = graph.event(id);
    let is_copied = event.proxy != Proxy::TensorMemory && !event.marks.mbarrier;
    operation.is_some() && event.is_memory() && is_copied
}
