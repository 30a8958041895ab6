//! Asynchronous operations as agents beside the threads: their events, and the base relations that
//! place them (PTX-8.9.1.1).
//!
//! Invariants: the events of an operation are in no program order; its last events are its completion
//! and its signals; whoever waits for it waits for an event of completion.

use super::access::{OfOperation, Role};
use super::asynchronous::DoneBefore;
use super::base::is_in;
use super::draft::Draft;
use super::graph::{
    Agent, AgentKind, Completion, Conditional, Event, EventGraph, EventKind, Operation,
    OperationPart,
};
use super::pieces::Pieces;
use crate::bitrel::Rel;
use crate::id::{AccessId, AgentId, EventId, ObjectId, VirtualId};
use crate::litmus::ast::ThreadPlace;
use crate::program::asynchronous::AsyncEffect;
use crate::program::micro::Marks;
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::operation::{Proxy, ProxyFenceKind, Space};
use crate::vocabulary::BaseSet;

impl Draft<'_> {
    /// The threads and the asynchronous operations.
    pub(super) fn agents(&self) -> Vec<Agent> {
        let mut agents = super::draft::agents(self.program);
        let mut counts = vec![0; self.program.threads.len()];
        for (index, operation) in self.operations.iter().enumerate() {
            let thread = &self.program.threads[operation.thread];
            let ThreadPlace::Device(place) = thread.place else { continue };
            counts[operation.thread] += 1;
            let (name, number) = (operation.micro.name, counts[operation.thread]);
            let name = format!("{}'s {name} ({number})", thread.name);
            agents.push(Agent { name, kind: AgentKind::Operation(index, place) });
        }
        agents
    }

    /// Adds the events of an asynchronous operation.
    pub(super) fn add_operation(
        &self,
        graph: &mut EventGraph,
        pieces: &Pieces,
        index: usize,
        issue: EventId,
    ) {
        let draft = &self.operations[index];
        let agent = self.agent_of(index);
        let of = |role: Role| -> Vec<AccessId> {
            let part = Some(OfOperation { operation: index, role });
            let ids = (0..self.accesses.len()).map(AccessId::new);
            ids.filter(|id| self.accesses[id.index()].part == part).collect()
        };
        let add = |graph: &mut EventGraph, role: Role| -> Vec<EventId> {
            let accesses = of(role).into_iter();
            accesses.flat_map(|id| self.add_access(graph, pieces, id, agent)).collect()
        };
        let reads = add(graph, Role::Source);
        let count = match &draft.micro.effect {
            AsyncEffect::Transfer(transfer) => transfer.destinations.len(),
            AsyncEffect::Store(..) | AsyncEffect::Update(..) | AsyncEffect::Behind => 1,
        };
        let complete =
            |graph: &mut EventGraph, kind: Completion| add_completion(graph, agent, issue, kind);
        let writes: Vec<Vec<EventId>> =
            (0..count).map(|at| add(graph, Role::Destination(at))).collect();
        // Only groups of bulk operations are waited for until their sources have been read.
        let apart = draft.micro.group == Some(GroupKind::Bulk) && !reads.is_empty();
        let reads_complete = apart.then(|| complete(graph, Completion::Reads));
        let mut parts: Vec<OperationPart> = Vec::new();
        for (at, writes) in writes.into_iter().enumerate() {
            let kind = if count == 1 { Completion::All } else { Completion::Part(at) };
            let complete = complete(graph, kind);
            parts.push(OperationPart { writes, complete, signals: Vec::new() });
        }
        let all = match parts.as_slice() {
            [only] => only.complete,
            _ => complete(graph, Completion::All),
        };
        for (at, part) in parts.iter_mut().enumerate() {
            part.signals = add(graph, Role::Signal(at));
        }
        graph.operations.push(Operation {
            name: draft.micro.name,
            agent,
            issue,
            reads,
            parts,
            reads_complete,
            complete: all,
            behind: draft.behind.clone(),
            fences: draft.micro.proxy == Proxy::Async,
            is_copy: draft.micro.is_copy,
        });
    }
}

/// Adds that an operation, or part of it, is complete.
fn add_completion(
    graph: &mut EventGraph,
    agent: AgentId,
    issue: EventId,
    kind: Completion,
) -> EventId {
    let id = EventId::new(graph.events.len());
    let issued = graph.event(issue);
    let (guard, span, position) = (issued.guard, issued.span, issued.position);
    let access = AccessId::new(graph.accesses.len());
    graph.accesses.push(super::graph::Access {
        pieces: vec![id],
        object: ObjectId::new(0),
        virt: VirtualId::new(0),
        offset: 0,
        bytes: 0,
        value: guard,
        address_reads: Vec::new(),
        control_reads: Vec::new(),
        data_reads: Vec::new(),
        rmw_read: None,
        way_of: None,
        chosen_by: Vec::new(),
    });
    graph.events.push(Event {
        agent,
        kind: EventKind::Complete(kind),
        guard,
        access,
        loc: None,
        order: None,
        scope: None,
        proxy: Proxy::Generic,
        marks: Marks::default(),
        span,
        position,
    });
    id
}

/// Fills in which completions come before which waits for groups.
pub(super) fn relate_waits(graph: &mut EventGraph, done: &[DoneBefore], waits: &[EventId]) {
    for one in done {
        let operation = &graph.operations[one.operation];
        let from = match one.reads {
            true => operation.reads_complete.unwrap_or(operation.complete),
            false => operation.complete,
        };
        let to = waits[one.wait];
        match one.when {
            None => graph.done.push((from, to)),
            Some(when) => graph.done_if.push(Conditional { from, to, when }),
        }
    }
}

impl Operation {
    /// Its accesses, but for those of signals.
    fn accesses(&self) -> impl Iterator<Item = EventId> + '_ {
        let written = self.parts.iter().flat_map(|part| &part.writes);
        self.reads.iter().chain(written).copied()
    }

    /// All its events.
    pub(super) fn events(&self) -> impl Iterator<Item = EventId> + use<> {
        let completions = self.parts.iter().map(|part| part.complete);
        let signals = self.parts.iter().flat_map(|part| part.signals.iter().copied());
        let complete = self.reads_complete.into_iter().chain(completions);
        let mut events: Vec<EventId> =
            self.accesses().chain(complete).chain([self.complete]).chain(signals).collect();
        events.sort_unstable();
        events.dedup();
        events.into_iter()
    }
}

/// From the issue of each operation to its events.
pub(super) fn issue(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for operation in &graph.operations {
        for event in operation.events() {
            out.insert(operation.issue, event);
        }
    }
    out
}

/// The events of one operation and its issue, each with each.
pub(super) fn same_operation(graph: &EventGraph) -> Rel {
    let mut out = Rel::identity(graph.events.len());
    for operation in &graph.operations {
        let all: Vec<EventId> = operation.events().chain([operation.issue]).collect();
        for &a in &all {
            for &b in &all {
                out.insert(a, b);
            }
        }
    }
    out
}

/// The order inside operations, and from those to others that wait for them: what reads before what it
/// is written to, accesses before completion, and completion before the signals.
pub(super) fn intra(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for operation in &graph.operations {
        let read = operation.reads_complete.as_ref();
        for part in &operation.parts {
            for &write in &part.writes {
                out.insert(write, part.complete);
                for &source in sources_of(graph, write).iter() {
                    out.insert(source, write);
                }
            }
            for &source in &operation.reads {
                out.insert(source, part.complete);
            }
            for (at, &one) in part.signals.iter().enumerate() {
                out.insert(part.complete, one);
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
        for &source in &operation.reads {
            read.into_iter().for_each(|&read| _ = out.insert(source, read));
        }
        for &earlier in &operation.behind {
            out.insert(graph.operations[earlier].complete, operation.complete);
        }
    }
    out.subtract(&Rel::identity(graph.events.len()));
    out.transitive_closure_in_place();
    out
}

/// The reads that a write of an operation is made of: of its source, and of the place itself.
fn sources_of(graph: &EventGraph, write: EventId) -> Vec<EventId> {
    if !graph.event(write).is_write() {
        // The read of a reduction, by which nothing is made.
        return Vec::new();
    }
    let access = graph.access_of(write);
    let own = graph.event(write).agent;
    let reads = access.data_reads.iter().chain(&access.rmw_read);
    let pieces = reads.flat_map(|&read| &graph.access(read).pieces);
    pieces.copied().filter(|&piece| graph.event(piece).agent == own).collect()
}

/// From proxy fences, completions included, to the accesses that they are for.
pub(super) fn covers(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for operation in &graph.operations {
        for part in &operation.parts {
            for &access in operation.reads.iter().chain(&part.writes) {
                out.insert(part.complete, access);
                out.insert(operation.complete, access);
            }
        }
        for (&complete, &source) in operation
            .reads_complete
            .iter()
            .flat_map(|c| operation.reads.iter().map(move |r| (c, r)))
        {
            out.insert(complete, source);
        }
    }
    let accesses: Vec<EventId> = graph.ids().filter(|&id| graph.event(id).is_memory()).collect();
    for fence in graph.ids() {
        let EventKind::ProxyFence(kind) = graph.event(fence).kind else { continue };
        let space = match kind {
            ProxyFenceKind::Async(space) => space,
            ProxyFenceKind::AsyncGenericAcquire => Some(Space::SharedCluster),
            ProxyFenceKind::AsyncGenericRelease => Some(Space::SharedCta),
            ProxyFenceKind::Alias
            | ProxyFenceKind::TensormapAcquire(_)
            | ProxyFenceKind::TensormapRelease(_)
            | ProxyFenceKind::Research(_) => None,
        };
        let place = graph.agents[graph.event(fence).agent.index()].site();
        for &access in &accesses {
            let shared = graph.objects[graph.access_of(access).object.index()].shared;
            let covered = match (space, shared, place) {
                (None, ..) => true,
                (Some(Space::Global), shared, _) => shared.is_none(),
                (Some(Space::SharedCta), Some(owner), Some(own)) => owner == own.cta_of_test(),
                (Some(Space::SharedCluster), Some(owner), Some(own)) => {
                    graph.cluster_of(owner) == Some((own.gpu, own.grid, own.cluster))
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
    /// The cluster that a CTA belongs to: gpu, grid and its number there.
    fn cluster_of(&self, cta: (u32, u32, u32)) -> Option<(u32, u32, u32)> {
        let places = self.agents.iter().filter_map(Agent::place);
        let mut there = places.filter(|place| place.cta_of_test() == cta);
        there.next().map(|place| (place.gpu, place.grid, place.cluster))
    }
}

/// Accesses of two `cp.async` that one commit makes members of one group.
pub(super) fn same_group(graph: &EventGraph) -> Rel {
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

/// Whether a completion, or another event that is no access, belongs to a set about proxies.
pub(super) fn is_fence_of(graph: &EventGraph, id: EventId, set: BaseSet) -> bool {
    let event = graph.event(id);
    match (&event.kind, set) {
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

/// Whether an access is one of those of which PTX-9.7.9.25.1 speaks.
pub(super) fn is_of_copy(graph: &EventGraph, id: EventId) -> bool {
    let operation = graph.operation_of(id).filter(|operation| operation.is_copy);
    operation.is_some() && graph.event(id).is_memory() && !is_in(graph, id, BaseSet::Mbarrier)
}
