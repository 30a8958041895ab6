//! Base sets and given base relations of an event graph, over all events it may have.
//!
//! The set or relation of an execution is the restriction to the events that happen. Each is computed
//! on first use and kept with the graph (`base_cache`).

use super::graph::{AgentKind, EventGraph, EventKind};
use super::meetings::Meetings;
use crate::bitrel::{EventSet, Rel};
use crate::id::{AccessId, AgentId, EventId};
use crate::litmus::ast::{Place, ThreadPlace};
use crate::program::expr::Expr;
use crate::program::micro::{Restriction, TensorFence, TensorOp};
use crate::program::reading::Performer;
use crate::ptx::operation::{Order, Proxy, ProxyFenceKind, Scope};
use crate::vocabulary::{BaseRel, BaseSet};
use crate::waiting::barrier::BarrierKey;
use rustc_hash::FxHashMap;
use std::hash::Hash;

/// The members of a base set, if every event of the graph happened.
#[must_use]
pub fn base_set(graph: &EventGraph, set: BaseSet) -> &EventSet {
    graph.known.sets[set.index()].get_or_init(|| {
        let mut out = EventSet::empty(graph.events.len());
        for id in graph.ids().filter(|&id| is_in(graph, id, set)) {
            out.insert(id);
        }
        out
    })
}

/// Whether an event belongs to a base set.
#[must_use]
pub fn is_in(graph: &EventGraph, id: EventId, set: BaseSet) -> bool {
    let event = graph.event(id);
    let scope = |s: Scope| event.scope == Some(s);
    let order = |o: Order| event.order == Some(o);
    let proxy_fence = |kind: fn(&ProxyFenceKind) -> bool| matches!(&event.kind, EventKind::ProxyFence(k) if kind(k));
    match set {
        BaseSet::All => true,
        BaseSet::Read => event.is_read(),
        BaseSet::Write => event.is_write(),
        BaseSet::Memory => event.is_memory(),
        BaseSet::InitialWrite => event.kind == EventKind::Init,
        BaseSet::Fence => !event.is_memory(),
        BaseSet::ProxyFence => proxy_fence(|_| true) || graph.is_fence_of(id, BaseSet::FromAsync),
        BaseSet::Barrier => matches!(event.kind, EventKind::Barrier(_)),
        BaseSet::Arrive => match event.kind {
            EventKind::Barrier(index) => !graph.barriers[index].waits,
            _ => false,
        },
        BaseSet::Lone => graph.barrier(id).is_some_and(|op| !op.waits && graph.completes_alone(op)),
        BaseSet::Rmw => event.marks.rmw,
        BaseSet::Red => event.marks.red,
        BaseSet::Weak => order(Order::Weak),
        BaseSet::Relaxed => order(Order::Relaxed),
        BaseSet::Acquire => order(Order::Acquire),
        BaseSet::Release => order(Order::Release) || event.marks.releasing_read,
        BaseSet::AcqRel => order(Order::AcqRel),
        BaseSet::Sc => order(Order::Sc),
        BaseSet::ScopeCta => scope(Scope::Cta),
        BaseSet::ScopeCluster => scope(Scope::Cluster),
        BaseSet::ScopeGpu => scope(Scope::Gpu),
        BaseSet::ScopeSys => scope(Scope::Sys),
        BaseSet::Generic => match event.kind {
            EventKind::Init
            | EventKind::Barrier(_)
            | EventKind::Boundary
            | EventKind::Launch
            | EventKind::Issue
            | EventKind::Await(_)
            | EventKind::TensorFence(_)
            | EventKind::Complete(_) => false,
            EventKind::ProxyFence(ProxyFenceKind::Research(proxy)) => proxy == Proxy::Generic,
            EventKind::ProxyFence(_) => false,
            EventKind::Fence(_) => true,
            EventKind::Read | EventKind::Write => event.proxy == Proxy::Generic,
        },
        BaseSet::Texture => event.proxy == Proxy::Texture,
        BaseSet::Surface => event.proxy == Proxy::Surface,
        BaseSet::Constant => event.proxy == Proxy::Constant,
        BaseSet::Alias => proxy_fence(|k| {
            matches!(
                k,
                ProxyFenceKind::Alias | ProxyFenceKind::AliasAcquire | ProxyFenceKind::AliasRelease
            )
        }),
        BaseSet::ForReads => proxy_fence(|k| *k == ProxyFenceKind::AsyncGenericReleaseReads),
        BaseSet::Async => event.is_memory() && event.proxy == Proxy::Async,
        BaseSet::Tensormap => event.is_memory() && event.proxy == Proxy::Tensormap,
        BaseSet::Agent => graph.operation_of(id).is_some(),
        BaseSet::Issue => event.kind == EventKind::Issue,
        BaseSet::Await => matches!(event.kind, EventKind::Await(_)),
        BaseSet::WarpgroupFence => event.kind == EventKind::TensorFence(TensorFence::Warpgroup),
        BaseSet::BeforeThreadSync => event.kind == EventKind::TensorFence(TensorFence::Before),
        BaseSet::AfterThreadSync => event.kind == EventKind::TensorFence(TensorFence::After),
        BaseSet::TensorMemory => event.is_memory() && event.proxy == Proxy::TensorMemory,
        BaseSet::Committed => event.marks.mbarrier && graph.is_committed(id),
        BaseSet::Freed => {
            let kind = graph.operation_of(id).and_then(|operation| operation.tensor);
            event.is_memory() && kind.is_some_and(|kind| kind.op == TensorOp::Free)
        }
        BaseSet::Signal => event.marks.mbarrier && graph.operation_of(id).is_some(),
        BaseSet::Complete => matches!(event.kind, EventKind::Complete(_)),
        BaseSet::Copy => graph.is_of_copy(id),
        BaseSet::ToAsync | BaseSet::FromAsync | BaseSet::ToTensormap => graph.is_fence_of(id, set),
        BaseSet::Host => {
            matches!(
                graph.agents[event.agent.index()].kind,
                AgentKind::Thread(_, ThreadPlace::Host)
            )
        }
        BaseSet::Mbarrier => event.marks.mbarrier,
        BaseSet::Peer => peer_of(graph, id).is_some(),
    }
}

/// The pairs of a given base relation, if every event of the graph happened; empty for chosen
/// relations.
#[must_use]
pub fn base_relation(graph: &EventGraph, relation: BaseRel) -> &Rel {
    graph.known.relations[relation.index()].get_or_init(|| given(graph, relation))
}

fn given(graph: &EventGraph, relation: BaseRel) -> Rel {
    let n = graph.events.len();
    match relation {
        BaseRel::Id => Rel::identity(n),
        BaseRel::Po => program_order(graph),
        BaseRel::Loc => memory_pairs(graph, |_, _| true),
        BaseRel::Vloc => {
            memory_pairs(graph, |a, b| graph.access_of(a).virt == graph.access_of(b).virt)
        }
        BaseRel::Same => same_bytes(graph),
        BaseRel::Partial => memory_pairs(graph, |a, b| overlaps_in_part(graph, a, b)),
        BaseRel::SameAccess => grouped(graph, |id| Some(graph.event(id).access)),
        BaseRel::Internal => {
            let mut out = grouped(graph, |id| {
                (graph.event(id).kind != EventKind::Init).then(|| graph.event(id).agent)
            });
            out.union_with(&Rel::identity(n));
            out
        }
        BaseRel::External => {
            let mut out = Rel::full(n);
            out.subtract(base_relation(graph, BaseRel::Internal));
            out
        }
        BaseRel::Rmw => rmw(graph),
        BaseRel::Addr => dependencies(graph, |graph, id| {
            graph.access(graph.event(id).access).address_reads.clone()
        }),
        BaseRel::Ctrl => dependencies(graph, |graph, id| {
            graph.access(graph.event(id).access).control_reads.clone()
        }),
        BaseRel::Data => {
            dependencies(graph, |graph, id| graph.access(graph.event(id).access).data_reads.clone())
        }
        BaseRel::Dep => {
            let meetings = meetings(graph);
            let mut out =
                dependencies(graph, |graph, id| semantic_reads(graph, &meetings, id, true));
            out.union_with(base_relation(graph, BaseRel::Rmw));
            out
        }
        BaseRel::ValueDep => {
            let meetings = meetings(graph);
            dependencies(graph, |graph, id| semantic_reads(graph, &meetings, id, false))
        }
        BaseRel::Includes => includes(graph),
        BaseRel::SameScope => {
            let mut out = base_relation(graph, BaseRel::Includes).inverse();
            out.intersect_with(base_relation(graph, BaseRel::Includes));
            out
        }
        BaseRel::SameCta => same_cta(graph),
        BaseRel::SameCluster => placed(graph, |p| (p.gpu, p.grid, p.cluster)),
        BaseRel::SameGpu => placed(graph, |p| (p.gpu, 0, 0)),
        BaseRel::Uncovered => uncovered(graph),
        BaseRel::Awaited => super::termination_order::awaited(graph),
        BaseRel::Begun => super::termination_order::begun(graph),
        BaseRel::Ended => super::termination_order::ended(graph),
        BaseRel::Returns => returns(graph),
        BaseRel::OtherCount => {
            let sure = graph.other_counts.iter().filter(|pair| graph.exprs.is_true(pair.when));
            Rel::from_pairs(n, sure.map(|pair| (pair.from, pair.to)))
        }
        BaseRel::Api => Rel::from_pairs(n, graph.api_edges.iter().copied()),
        BaseRel::Launch => Rel::from_pairs(n, graph.launch_edges.iter().copied()),
        BaseRel::Peer => peers(graph),
        BaseRel::Issue => graph.issue_pairs(),
        BaseRel::JointIssue => graph.joint_issue_pairs(),
        BaseRel::Pipe => graph.pipeline_pairs(true),
        BaseRel::Pipelinable => graph.pipeline_pairs(false),
        BaseRel::SameOperation => graph.same_operation_pairs(),
        BaseRel::SameGroup => graph.same_group_pairs(),
        BaseRel::Intra => graph.intra_pairs(),
        BaseRel::Done => Rel::from_pairs(n, graph.done.iter().copied()),
        BaseRel::Covers => graph.covers_pairs(),
        BaseRel::ClusterSync
        | BaseRel::Phase
        | BaseRel::PhaseAny
        | BaseRel::WarpSync
        | BaseRel::Exchange
        | BaseRel::Rf
        | BaseRel::Co
        | BaseRel::FenceSc
        | BaseRel::BarrierSync => Rel::empty(n),
    }
}

/// Pairs of events with scopes, the scope of the first including the thread of the second
/// (PTX-8.5).
fn includes(graph: &EventGraph) -> Rel {
    let n = graph.events.len();
    let scoped = || graph.ids().filter(|&id| graph.event(id).scope.is_some());
    // The events within reach of each scope at each place, and all events of each thread.
    let mut reached: FxHashMap<Reach, EventSet> = FxHashMap::default();
    for id in scoped() {
        let agent = graph.event(id).agent;
        let place = graph.agents[agent.index()].site();
        let reaches = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys]
            .into_iter()
            .filter_map(|scope| Reach::of(scope, place))
            .chain([Reach::Thread(agent)]);
        for reach in reaches.chain(other_cta(graph, id)) {
            reached.entry(reach).or_insert_with(|| EventSet::empty(n)).insert(id);
        }
    }
    let mut out = Rel::empty(n);
    for id in scoped() {
        let event = graph.event(id);
        let place = graph.agents[event.agent.index()].site();
        let wide = event.scope.and_then(|scope| Reach::of(scope, place));
        // The scope `.cta` of an asynchronous access also reaches the CTA that owns the memory.
        let other = other_cta(graph, id).filter(|_| event.scope == Some(Scope::Cta));
        for reach in wide.into_iter().chain([Reach::Thread(event.agent)]).chain(other) {
            out.insert_all(id, &reached[&reach]);
        }
    }
    out
}

/// The owner CTA of the shared memory of an asynchronous access, if it performs the access and
/// differs from the issuing thread's CTA.
fn other_cta(graph: &EventGraph, id: EventId) -> Option<Reach> {
    let (gpu, grid, cta) = visited(graph, id)?;
    Some(Reach::Cta(gpu, grid, cta))
}

/// That CTA by its numbers.
fn visited(graph: &EventGraph, id: EventId) -> Option<Cta> {
    graph.operation_of(id)?;
    let performer = match graph.event(id).marks.mbarrier {
        true => graph.asynchronous.signals,
        false => graph.asynchronous.accesses,
    };
    peer_of(graph, id).filter(|_| performer == Performer::Owner)
}

/// Pairs of events with a CTA in common. An asynchronous access counts for its issuer's CTA and for
/// the CTA of the shared memory.
fn same_cta(graph: &EventGraph) -> Rel {
    let mut out = placed(graph, |p| (p.gpu, p.grid, p.cta));
    let visitors: Vec<(EventId, Cta)> =
        graph.ids().filter_map(|id| Some((id, visited(graph, id)?))).collect();
    for &(visitor, cta) in &visitors {
        let home = graph.ids().filter(|&id| cta_of(graph, id) == Some(cta));
        let others = visitors.iter().filter(|(_, other)| *other == cta).map(|(id, _)| *id);
        for id in home.chain(others) {
            out.insert(visitor, id);
            out.insert(id, visitor);
        }
    }
    out
}

/// The threads that a scope at a place reaches.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Reach {
    Thread(AgentId),
    Cta(u32, u32, u32),
    Cluster(u32, u32, u32),
    Gpu(u32),
    System,
}

impl Reach {
    /// The reach of a scope; `None` for a device's scope outside of devices.
    fn of(scope: Scope, place: Option<Place>) -> Option<Self> {
        Some(match (scope, place) {
            (Scope::Sys, _) => Self::System,
            (Scope::Gpu, Some(p)) => Self::Gpu(p.gpu),
            (Scope::Cluster, Some(p)) => Self::Cluster(p.gpu, p.grid, p.cluster),
            (Scope::Cta, Some(p)) => Self::Cta(p.gpu, p.grid, p.cta),
            (_, None) => return None,
        })
    }
}

/// All pairs of events with equal keys; an event without a key is in no pair.
fn grouped<K: Copy + Eq + Hash>(graph: &EventGraph, key: impl Fn(EventId) -> Option<K>) -> Rel {
    let n = graph.events.len();
    let mut groups: FxHashMap<K, EventSet> = FxHashMap::default();
    let keys: Vec<Option<K>> = graph.ids().map(key).collect();
    for (id, key) in graph.ids().zip(&keys) {
        if let Some(key) = *key {
            groups.entry(key).or_insert_with(|| EventSet::empty(n)).insert(id);
        }
    }
    let mut out = Rel::empty(n);
    for (id, key) in graph.ids().zip(&keys) {
        if let Some(key) = key {
            out.insert_all(id, &groups[key]);
        }
    }
    out
}

fn placed<K: Copy + Eq + Hash>(graph: &EventGraph, key: impl Fn(Place) -> K) -> Rel {
    grouped(graph, |id| graph.agents[graph.event(id).agent.index()].site().map(&key))
}

fn program_order(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    let mut start = 0;
    while start < graph.events.len() {
        let agent = graph.events[start].agent;
        let end = (start..graph.events.len())
            .find(|&e| graph.events[e].agent != agent)
            .unwrap_or(graph.events.len());
        if matches!(graph.agents[agent.index()].kind, AgentKind::Thread(..)) {
            for a in start..end {
                for b in a + 1..end {
                    let (a, b) = (EventId::new(a), EventId::new(b));
                    let earlier = graph.event(a).position < graph.event(b).position;
                    if earlier && !are_apart(graph, a, b) {
                        out.insert(a, b);
                    }
                }
            }
        }
        start = end;
    }
    out
}

/// Whether a read and a write belong to different elements of one atomic instruction, which are
/// unordered (reading V1). Only the write of an atomic instruction is one position after a read.
fn are_apart(graph: &EventGraph, read: EventId, write: EventId) -> bool {
    let (from, to) = (graph.event(read), graph.event(write));
    from.position + 1 == to.position
        && from.is_read()
        && to.kind == EventKind::Write
        && graph.access_of(write).rmw_read != Some(from.access)
}

/// Pairs of memory events on one location piece that satisfy `also`.
fn memory_pairs(graph: &EventGraph, also: impl Fn(EventId, EventId) -> bool) -> Rel {
    let mut by_location: Vec<Vec<EventId>> = vec![Vec::new(); graph.locations.len()];
    for id in graph.ids() {
        if let Some(loc) = graph.event(id).loc {
            by_location[loc.index()].push(id);
        }
    }
    let mut out = Rel::empty(graph.events.len());
    for events in &by_location {
        for &a in events {
            for &b in events.iter().filter(|&&b| also(a, b)) {
                out.insert(a, b);
            }
        }
    }
    out
}

/// Complete overlap: the same virtual and physical bytes, between all pieces of both accesses.
fn same_bytes(graph: &EventGraph) -> Rel {
    grouped(graph, |id| {
        graph.event(id).is_memory().then(|| {
            let access = graph.access_of(id);
            (access.virt, access.object, access.offset, access.bytes)
        })
    })
}

/// Whether two accesses of one place, one of which writes, cover different bytes.
fn overlaps_in_part(graph: &EventGraph, a: EventId, b: EventId) -> bool {
    let initial = |id: EventId| graph.event(id).kind == EventKind::Init;
    (graph.event(a).is_write() || graph.event(b).is_write())
        && graph.access_of(a).range() != graph.access_of(b).range()
        && !initial(a)
        && !initial(b)
}

fn rmw(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for access in &graph.accesses {
        let Some(read) = access.rmw_read else { continue };
        for &r in &graph.access(read).pieces {
            for &w in &access.pieces {
                out.insert(r, w);
            }
        }
    }
    out
}

/// Pairs from all pieces of the reads that `reads` lists for a memory event to that event.
fn dependencies(graph: &EventGraph, reads: impl Fn(&EventGraph, EventId) -> Vec<AccessId>) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for id in graph.ids().filter(|&id| graph.event(id).is_memory()) {
        for read in reads(graph, id) {
            for &r in &graph.access(read).pieces {
                if r != id {
                    out.insert(r, id);
                }
            }
        }
    }
    out
}

/// The reads that a write's value semantically depends on, and with `guard` also its execution and
/// place.
fn semantic_reads(
    graph: &EventGraph,
    meetings: &Meetings<'_>,
    id: EventId,
    guard: bool,
) -> Vec<AccessId> {
    let event = graph.event(id);
    if event.kind != EventKind::Write {
        return Vec::new();
    }
    let access = graph.access_of(id);
    let mut stack = graph.exprs.leaves(access.value);
    stack.extend(access.chosen_by.iter().flat_map(|&by| graph.exprs.leaves(by)));
    if guard {
        stack.extend(graph.exprs.leaves(event.guard));
    }
    let (mut reads, mut barriers) = (Vec::new(), Vec::new());
    while let Some(leaf) = stack.pop() {
        match leaf {
            Expr::Read(access) => reads.push(access),
            Expr::Symbol(symbol) => reads.extend(graph.symbol(symbol).computed_from()),
            // The result of a barrier depends on the operands of all operations that may share its
            // phase.
            Expr::Barrier(index) if !barriers.contains(&index) => {
                barriers.push(index);
                if let Some(value) = graph.barriers[index].exchanged() {
                    stack.extend(graph.exprs.leaves(value));
                    continue;
                }
                let all = graph.barriers.iter_enumerated();
                let met = all.filter(|(other, _)| meetings.may_share_phase(index, *other));
                let predicates = met.filter_map(|(_, op)| op.operand);
                stack.extend(predicates.flat_map(|p| graph.exprs.leaves(p)));
            }
            _ => {}
        }
    }
    reads
}

fn meetings(graph: &EventGraph) -> Meetings<'_> {
    let guards = graph.barriers.iter().map(|op| graph.event(op.event).guard).collect();
    let by_ordinal = |key: &BarrierKey| graph.meets_by_ordinal(key);
    Meetings::new(&graph.barriers, graph.numbering(), &graph.exprs, guards, by_ordinal)
}

/// Program order between a restricted fence and the accesses that the fence does not cover
/// (PTX-9.7.13.4). A restricted fence is one-way and limited to some objects.
fn uncovered(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    let restricted: Vec<(EventId, Restriction)> = graph
        .ids()
        .filter_map(|id| match graph.event(id).kind {
            EventKind::Fence(r) if r != Restriction::None => Some((id, r)),
            _ => None,
        })
        .collect();
    for (fence, restriction) in restricted {
        let at = graph.event(fence);
        let own = cta_of(graph, fence);
        for id in graph.ids().filter(|&id| graph.event(id).agent == at.agent && id != fence) {
            let event = graph.event(id);
            let before = event.position < at.position;
            let covered = match restriction {
                Restriction::None => true,
                Restriction::AcquireSharedCluster => before || shared_of(graph, id).is_some(),
                Restriction::ReleaseSharedCta => {
                    !before || shared_of(graph, id).is_some_and(|cta| own == Some(cta))
                }
                Restriction::MbarrierInit => !before || event.marks.mbarrier_init,
                Restriction::Wait => !before || event.position + 1 == at.position,
            };
            if !covered {
                if before {
                    out.insert(id, fence);
                } else {
                    out.insert(fence, id);
                }
            }
        }
    }
    out
}

/// From arrivals at barriers to later operations of their threads there.
fn returns(graph: &EventGraph) -> Rel {
    let ops = || graph.barriers.iter();
    let pairs = ops().flat_map(|arrival| ops().map(move |next| (arrival, next)));
    let pairs = pairs.filter(|(arrival, next)| graph.returns_to_barrier(arrival, next));
    Rel::from_pairs(graph.events.len(), pairs.map(|(arrival, next)| (arrival.event, next.event)))
}

/// From the events of a CTA's threads to the accesses of other CTAs to its shared memory.
fn peers(graph: &EventGraph) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for access in base_set(graph, BaseSet::Peer).iter() {
        let owner = peer_of(graph, access);
        for id in graph.ids().filter(|&id| cta_of(graph, id) == owner) {
            out.insert(id, access);
        }
    }
    out
}

/// The other CTA in whose shared memory an access is.
fn peer_of(graph: &EventGraph, id: EventId) -> Option<Cta> {
    let own = cta_of(graph, id)?;
    shared_of(graph, id).filter(|&cta| cta != own)
}

/// A CTA: gpu, grid, and number in the grid.
type Cta = (u32, u32, u32);

/// The CTA of the thread that performs an event.
pub(crate) fn cta_of(graph: &EventGraph, id: EventId) -> Option<Cta> {
    graph.agents[graph.event(id).agent.index()].site().map(Place::cta_of_test)
}

/// The CTA in whose shared memory an access is.
pub(crate) fn shared_of(graph: &EventGraph, id: EventId) -> Option<Cta> {
    let event = graph.event(id);
    if event.is_memory() { graph.objects[graph.access_of(id).object.index()].shared } else { None }
}
