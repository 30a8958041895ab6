//! An unfolded program into its event graph: accesses are split into pieces, events are numbered, and
//! what depends on all of them is computed.

use super::access::DraftAccess;
use super::base_cache::BaseCache;
use super::builder::GraphBuilder;
use super::condition::Conditions;
use super::entry::{DraftKind, Entry};
use super::graph::{Access, Event, EventGraph, EventKind, Location, Object};
use super::initial::InitialValues;
use super::meetings::barrier_uses;
use super::pieces::Pieces;
use crate::id::{AccessId, AgentId, EventId, ExprId, LocId, VirtualId};
use crate::litmus::ast::DeclaredSpace;
use crate::program::expr::Expr;
use crate::program::layout::InstanceKey;
use crate::program::micro::{Marks, Restriction};
use crate::ptx::operation::{Order, Proxy, ProxyFenceKind, Scope};
use crate::source::Span;

impl GraphBuilder<'_> {
    /// Splits accesses into pieces, numbers the events and resolves the condition.
    pub(super) fn finish(mut self) -> EventGraph {
        let program = self.program;
        self.check_non_coherent_loads();
        self.check_ordinary_accesses();
        self.check_early_arrivals();
        self.check_warpgroups();
        self.settle_writes_beyond_bound();
        self.settle_locksteps();
        self.settle_guards();
        self.split_writes();
        let done = self.done_before();
        let groups = self.groups_of_copies();
        let accesses: Vec<&DraftAccess> = self.accesses.iter().collect();
        let pieces = Pieces::split(&accesses, self.program.layout.objects.len(), self.unfolding);
        let mut graph = EventGraph {
            exprs: std::mem::take(&mut self.exprs),
            agents: self.agents(),
            events: Vec::new(),
            accesses: Vec::new(),
            objects: self.objects(),
            locations: Vec::new(),
            barriers: std::mem::take(&mut self.barriers.list),
            barrier_uses: barrier_uses(program),
            mbarriers: program.layout.mbarriers,
            phases: Vec::new(),
            any_phases: Vec::new(),
            operations: Vec::new(),
            fenced_maps: Vec::new(),
            launch_edges: Vec::new(),
            asynchronous: program.asynchronous,
            groups: Vec::new(),
            done: Vec::new(),
            done_if: Vec::new(),
            awaited: Vec::new(),
            other_counts: Vec::new(),
            symbols: std::mem::take(&mut self.symbols.list),
            cuts: std::mem::take(&mut self.cuts.list),
            bound: self.cuts.bound,
            coarse: self.losses.dependencies,
            some_orders: self.losses.orders,
            settled: Vec::new(),
            violations: std::mem::take(&mut self.violations),
            api_edges: Vec::new(),
            observed: Vec::new(),
            filter: ExprId::new(0),
            condition: ExprId::new(0),
            known: BaseCache::default(),
        };
        let mut initial = InitialValues::new(program, &self.accesses);
        self.add_accesses(&mut graph);
        self.add_initial_writes(&mut graph, &pieces, &mut initial);
        let waits = self.add_events(&mut graph, &pieces);
        graph.groups = groups;
        graph.relate_waits(&done, &waits);
        self.add_task_edges(&mut graph);
        super::exchange::define(&mut graph);
        super::mbarrier_phases::relate(&mut graph, &self.mbarriers.successes);
        graph.awaited = super::termination_order::awaited_if(&mut graph);
        graph.other_counts = super::barrier_misuse::other_counts(&mut graph);
        let misused = super::barrier_misuse::violations(&mut graph);
        graph.violations.extend(misused);
        let passed_by = super::divergence::violations(&mut graph, &program.threads);
        graph.violations.extend(passed_by);
        let mut conditions = Conditions::new(program, &self.finals, &pieces, &mut initial);
        conditions.resolve(&mut graph);
        let opaque = std::mem::take(&mut self.opaque);
        super::uninterpreted::settle(&mut graph, opaque, self.symbols.skipped());
        graph.coarse |= super::meetings::may_return_less(&graph);
        graph
    }

    fn objects(&self) -> Vec<Object> {
        let layout = &self.program.layout;
        layout
            .objects
            .iter()
            .map(|o| {
                let variable = &layout.variables[o.variable];
                let shared = match o.key {
                    InstanceKey::Cta(gpu, grid, cta) if variable.space == DeclaredSpace::Shared => {
                        Some((gpu, grid, cta))
                    }
                    _ => None,
                };
                let (bytes, element) = (variable.bytes(), variable.ty);
                let parameter = variable.space == DeclaredSpace::Param;
                Object { name: o.name.clone(), bytes, element, shared, parameter }
            })
            .collect()
    }

    /// Copies the accesses; initial writes are added after them.
    fn add_accesses(&self, graph: &mut EventGraph) {
        for draft in &self.accesses {
            graph.accesses.push(Access {
                pieces: Vec::new(),
                object: draft.object,
                virt: draft.virt,
                offset: draft.offset,
                bytes: draft.bytes,
                value: draft.value,
                address_reads: draft.address_reads.clone(),
                control_reads: draft.control_reads.clone(),
                data_reads: draft.data_reads.clone(),
                rmw_read: draft.rmw_read,
                disjunct_of: draft.disjunct_of,
                chosen_by: draft.chosen_by.clone(),
            });
        }
        for index in 0..graph.accesses.len() {
            if !self.accesses[index].write {
                let width = graph.accesses[index].bytes * 8;
                let value = graph.exprs.leaf(Expr::Read(AccessId::new(index)), width);
                graph.accesses[index].value = value;
            }
        }
    }

    fn add_initial_writes(
        &self,
        graph: &mut EventGraph,
        pieces: &Pieces,
        initial: &mut InitialValues,
    ) {
        let always = graph.exprs.truth(true);
        let span = self.entries.first().map_or_else(
            || Span::new(crate::id::FileId::new(0), 0, 0),
            |e| match e {
                Entry::Access(id) => self.accesses[id.index()].span,
                Entry::Other { span, .. } => *span,
            },
        );
        for (object, offset, bytes) in pieces.locations() {
            let event = EventId::new(graph.events.len());
            let access = AccessId::new(graph.accesses.len());
            let value = initial.bytes(self.program, graph, object, offset, bytes);
            let virt = VirtualId::new(self.program.layout.objects[object.index()].variable);
            graph.locations.push(Location {
                object,
                offset,
                bytes,
                name: graph.objects[object.index()].part(offset, bytes),
                init: event,
            });
            let nowhere = Access::of_no_memory(event, value);
            graph.accesses.push(Access { object, virt, offset, bytes, ..nowhere });
            graph.events.push(Event {
                agent: AgentId::new(0),
                kind: EventKind::Init,
                guard: always,
                access,
                loc: Some(LocId::new(graph.locations.len() - 1)),
                order: None,
                scope: None,
                proxy: Proxy::Generic,
                marks: Marks::default(),
                span,
                position: 0,
            });
        }
    }

    /// Adds the events of threads, then those of asynchronous operations; gives the waits for
    /// groups.
    fn add_events(&self, graph: &mut EventGraph, pieces: &Pieces) -> Vec<EventId> {
        let (mut issues, mut waits) = (vec![Vec::new(); self.issued.operations.len()], Vec::new());
        for entry in &self.entries {
            match entry {
                Entry::Access(id) => {
                    let draft = &self.accesses[id.index()];
                    if draft.part.is_none() {
                        self.add_access(graph, pieces, *id, AgentId::new(draft.thread + 1));
                    }
                }
                Entry::Other { thread, kind, guard, position, span } => {
                    let agent = AgentId::new(*thread + 1);
                    let event = self.add_other(graph, agent, kind, *guard, *position, *span);
                    match kind {
                        DraftKind::Issue(operation) => issues[*operation].push(event),
                        DraftKind::Await(_) => waits.push(event),
                        _ => {}
                    }
                }
            }
        }
        for (operation, issue) in issues.into_iter().enumerate() {
            self.add_operation(graph, pieces, operation, &issue);
        }
        waits
    }

    /// The events of an access: one for each of its pieces.
    pub(super) fn add_access(
        &self,
        graph: &mut EventGraph,
        pieces: &Pieces,
        id: AccessId,
        agent: AgentId,
    ) -> Vec<EventId> {
        let draft = &self.accesses[id.index()];
        let mut events = Vec::new();
        for loc in pieces.of(draft) {
            let event = EventId::new(graph.events.len());
            events.push(event);
            graph.accesses[id.index()].pieces.push(event);
            graph.events.push(Event {
                agent,
                kind: if draft.write { EventKind::Write } else { EventKind::Read },
                guard: draft.guard,
                access: id,
                loc: Some(loc),
                order: Some(draft.order),
                scope: draft.scope,
                proxy: draft.proxy,
                marks: draft.marks,
                span: draft.span,
                position: draft.position,
            });
        }
        events
    }

    pub(super) fn add_other(
        &self,
        graph: &mut EventGraph,
        agent: AgentId,
        kind: &DraftKind,
        guard: ExprId,
        position: u32,
        span: Span,
    ) -> EventId {
        let id = EventId::new(graph.events.len());
        let access = AccessId::new(graph.accesses.len());
        let place = (span, position);
        let mut event = Event::of_no_memory(agent, EventKind::Boundary, guard, access, place);
        match kind {
            DraftKind::Fence { order, scope, restriction } => {
                event.kind = EventKind::Fence(*restriction);
                event.marks.mbarrier = *restriction == Restriction::Wait;
                event.order = Some(*order);
                event.scope = Some(*scope);
            }
            DraftKind::ProxyFence(kind, map) => {
                graph.fenced_maps.extend(map.map(|map| (id, map)));
                event.kind = EventKind::ProxyFence(*kind);
                (event.order, event.scope) = match *kind {
                    ProxyFenceKind::TensormapRelease(scope) => (Some(Order::Release), Some(scope)),
                    ProxyFenceKind::TensormapAcquire(scope) => (Some(Order::Acquire), Some(scope)),
                    ProxyFenceKind::AsyncGenericAcquire => {
                        (Some(Order::Acquire), Some(Scope::Cluster))
                    }
                    ProxyFenceKind::AsyncGenericRelease
                    | ProxyFenceKind::AsyncGenericReleaseReads => {
                        (Some(Order::Release), Some(Scope::Cluster))
                    }
                    ProxyFenceKind::AliasAcquire => (Some(Order::Acquire), Some(Scope::Sys)),
                    ProxyFenceKind::AliasRelease => (Some(Order::Release), Some(Scope::Sys)),
                    ProxyFenceKind::Alias
                    | ProxyFenceKind::Async(_)
                    | ProxyFenceKind::Research(_) => (None, None),
                };
                if let ProxyFenceKind::Research(proxy) = kind {
                    event.proxy = *proxy;
                }
            }
            DraftKind::Barrier(index) => {
                event.kind = EventKind::Barrier(*index);
                event.order = graph.barriers[*index].order;
                event.scope = event.order.map(|_| Scope::Cluster);
                graph.barriers[*index].event = id;
            }
            DraftKind::GridWait => {}
            DraftKind::Launch => event.kind = EventKind::Launch,
            DraftKind::Issue(_) => event.kind = EventKind::Issue,
            DraftKind::Await(kind) => event.kind = EventKind::Await(*kind),
            DraftKind::TensorFence(kind) => event.kind = EventKind::TensorFence(*kind),
        }
        graph.accesses.push(Access::of_no_memory(id, guard));
        graph.events.push(event);
        id
    }
}
