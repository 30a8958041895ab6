//! The event graph under construction: accesses before they are split into pieces.

use super::access::DraftAccess;
use super::barrier::{BarrierKey, BarrierOp, BarrierRule, Exchange, meets_by_turn};
use super::base::Known;
use super::beyond_bound::Readers;
use super::condition::Conditions;
use super::convergent::Lockstep;
use super::disjuncts::FirstUse;
use super::early_arrival::InPhase;
use super::graph::{
    Access, Agent, AgentKind, Cut, Event, EventGraph, EventKind, Location, Object, Symbol,
    Violation,
};
use super::in_flight::Joint;
use super::initial::InitialValues;
use super::issued::{DraftOperation, GroupStep};
use super::loop_nest::LoopId;
use super::participants::{Meetings, barrier_uses};
use super::pieces::Pieces;
use super::points_to::Place;
use super::trip_count::Rounds;
use super::unfold::{Unfolding, union};
use super::uninterpreted::Opaque;
use crate::id::{
    AccessId, AgentId, BarrierId, EventId, ExprId, LocId, ObjectId, SymbolId, VirtualId,
};
use crate::litmus::ast::DeclaredSpace;
use crate::program::expr::{Expr, ExprArena};
use crate::program::layout::InstanceKey;
use crate::program::micro::{BarrierMicro, Marks, Program, Restriction, TensorFence};
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::operation::{Order, Proxy, ProxyFenceKind, Scope};
use crate::source::Span;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use typed_index_collections::TiVec;

/// An event that is no memory access.
#[derive(Clone, Debug)]
pub(super) enum DraftKind {
    Fence {
        order: Order,
        scope: Scope,
        restriction: Restriction,
    },
    /// A proxy fence, and the tensor map that it names, if any.
    ProxyFence(ProxyFenceKind, Option<ObjectId>),
    Barrier(BarrierId),
    GridWait,
    /// `griddepcontrol.launch_dependents`.
    Launch,
    /// The issue of the operation with a number, or of part of it.
    Issue(usize),
    /// A wait for groups; waits come in the order of their numbers.
    Await(GroupKind),
    TensorFence(TensorFence),
}

/// One entry of a thread's event list.
#[derive(Clone, Debug)]
pub(super) enum Entry {
    Access(AccessId),
    Other { thread: usize, kind: DraftKind, guard: ExprId, position: u32, span: Span },
}

/// How many entries back a store of another branch is looked for.
const FARTHEST_BRANCH: usize = 32;

/// Facts about a program that earlier unfoldings have settled.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The steps that threads may reach, if an earlier unfolding has found them.
    pub(super) reached: Option<BTreeSet<(usize, usize)>>,
    /// Variables that nothing writes.
    pub(super) tables: BTreeSet<ObjectId>,
    /// Variables whose atomic operations are idempotent: writing the value read has no effect.
    pub(super) transparent: BTreeSet<ObjectId>,
    /// The places that computed addresses never point to, valid for the loops' `rounds`.
    pub(super) never: BTreeSet<Place>,
    /// How often variables are read, if writes beyond the bound are asked for.
    pub(super) readers: Option<Readers>,
    /// The upper bounds on the rounds of counting loops to begin with.
    pub(super) rounds: Rounds,
}

/// The program's events and expressions as far as its threads are unfolded.
#[derive(Debug)]
pub(super) struct GraphBuilder<'p> {
    pub(super) program: &'p Program,
    pub(super) unfolding: Unfolding,
    pub(super) facts: Facts,
    /// The values of reads from constant memory.
    pub(super) fixed: FxHashMap<AccessId, u128>,
    pub(super) exprs: ExprArena,
    pub(super) symbols: Vec<Symbol>,
    pub(super) cuts: Vec<Cut>,
    /// How often loop bodies are executed at most; less than asked for if that makes a thread too
    /// large.
    pub(super) bound: u8,
    pub(super) violations: Vec<Violation>,
    /// The accesses, each with its guard, of which one is the last mbarrier operation's read of its
    /// object.
    pub(super) looked_at: Vec<(ExprId, AccessId)>,
    /// Arrivals and waits at mbarriers, each thread's in program order.
    pub(super) in_phases: Vec<InPhase>,
    /// The asynchronous operations.
    pub(super) operations: Vec<DraftOperation<'p>>,
    /// Commits of groups and waits for them, thread by thread in program order.
    pub(super) groups: Vec<GroupStep>,
    /// The products of warpgroups.
    pub(super) joint: Vec<Joint>,
    /// Whether an operation is left out that may write too many columns of Tensor Memory.
    pub(super) is_wide: bool,
    /// When each thread ends.
    pub(super) ends: Vec<ExprId>,
    /// How many waits for groups there are.
    pub(super) waits: usize,
    /// When waits on mbarriers succeed, by the access that reads the object.
    pub(super) successes: FxHashMap<AccessId, ExprId>,
    /// Uninterpreted instructions.
    pub(super) opaque: Vec<Opaque>,
    /// Values that loop abstraction by havoc leaves open.
    pub(super) skipped: Vec<SymbolId>,
    /// Truth values that the execution chooses freely, independent of its reads.
    pub(super) chances: Vec<SymbolId>,
    /// The condition that only cut threads perform writes beyond the bound
    /// ([`super::beyond_bound`]).
    pub(super) as_cut: ExprId,
    /// Loops with barriers that the bound cuts.
    pub(super) locksteps: Vec<Lockstep>,
    /// The parts of conditions of branches, predicates and selections, each with the number of
    /// parts that the program has used before.
    pub(super) uses: FxHashMap<ExprId, usize>,
    /// When conditions were first used or computed, for those that decisions have rewritten
    /// ([`super::disjuncts`]).
    pub(super) ages: FxHashMap<ExprId, FirstUse>,
    /// Whether a write has more disjuncts than are told apart, so that dependencies are
    /// over-approximated.
    pub(super) coarse: bool,
    /// Whether vectors have more orders of their elements than are looked at.
    pub(super) some_orders: bool,
    /// The steps that threads have reached.
    pub(super) reached: BTreeSet<(usize, usize)>,
    /// Final values of registers by name, thread by thread.
    pub(super) finals: Vec<FxHashMap<String, ExprId>>,
    pub(super) accesses: Vec<DraftAccess>,
    pub(super) entries: Vec<Entry>,
    pub(super) barriers: TiVec<BarrierId, BarrierOp>,
    /// The guards of the barrier operations.
    pub(super) barrier_guards: TiVec<BarrierId, ExprId>,
    /// For each barrier operation, the reads that its operand was computed from.
    pub(super) operands: TiVec<BarrierId, Vec<AccessId>>,
    /// For each barrier operation, the reads behind its result; see [`Self::reductions`].
    pub(super) results: TiVec<BarrierId, Vec<AccessId>>,
    /// The upper bounds on the rounds of counting loops.
    pub(super) rounds: Rounds,
    /// The counting loops that have been cut, by thread.
    pub(super) counted: BTreeSet<(usize, LoopId)>,
}

impl<'p> GraphBuilder<'p> {
    pub(super) fn new(
        program: &'p Program,
        unfolding: Unfolding,
        facts: Facts,
        results: TiVec<BarrierId, Vec<AccessId>>,
        rounds: Rounds,
    ) -> Self {
        let mut exprs = ExprArena::default();
        let as_cut = exprs.truth(true);
        Self {
            program,
            unfolding,
            facts,
            fixed: FxHashMap::default(),
            exprs,
            as_cut,
            symbols: Vec::new(),
            cuts: Vec::new(),
            bound: unfolding.bound.max(1),
            violations: Vec::new(),
            looked_at: Vec::new(),
            in_phases: Vec::new(),
            operations: Vec::new(),
            groups: Vec::new(),
            joint: Vec::new(),
            is_wide: false,
            ends: Vec::new(),
            waits: 0,
            successes: FxHashMap::default(),
            opaque: Vec::new(),
            skipped: Vec::new(),
            chances: Vec::new(),
            locksteps: Vec::new(),
            uses: FxHashMap::default(),
            ages: FxHashMap::default(),
            coarse: unfolding.loose,
            some_orders: false,
            reached: BTreeSet::new(),
            finals: Vec::new(),
            accesses: Vec::new(),
            entries: Vec::new(),
            barriers: TiVec::new(),
            barrier_guards: TiVec::new(),
            operands: TiVec::new(),
            results,
            rounds,
            counted: BTreeSet::new(),
        }
    }

    /// For each barrier operation, the reads behind its result. These are the reads behind the
    /// operands of all operations that may share its phase, or of a shuffle's source lane. Empty if
    /// no operand comes from a read.
    pub(super) fn reductions(&self) -> TiVec<BarrierId, Vec<AccessId>> {
        if self.operands.iter().all(Vec::is_empty) {
            return TiVec::new();
        }
        let places: TiVec<BarrierId, _> = self.entries.iter().filter_map(barrier_at).collect();
        let (agents, uses) = (agents(self.program), barrier_uses(self.program));
        let by_turn = |key: &BarrierKey| meets_by_turn(&agents, &uses, key);
        let meetings = Meetings::new(&self.barriers, &self.exprs, &places, by_turn);
        let all = self.barriers.keys();
        let met = |at: BarrierId| {
            let op = &self.barriers[at];
            let gives = |&other: &BarrierId| {
                let here = op.returns() && meetings.may_share_phase(at, other);
                here && self.may_ask_for(op, &self.barriers[other])
            };
            let met = all.clone().filter(gives);
            met.fold(Vec::new(), |all, other| union(&all, &self.operands[other]))
        };
        all.clone().map(met).collect()
    }

    /// Whether the operand of `other` may go into the result of `op`: a `shfl.sync` asks for one
    /// lane.
    fn may_ask_for(&self, op: &BarrierOp, other: &BarrierOp) -> bool {
        let constant = |x| self.exprs.constant(x);
        let asked = op.exchange.and_then(|exchange| constant(exchange.source?));
        let lane = other.exchange.and_then(|exchange| constant(exchange.lane));
        asked.zip(lane).is_none_or(|(asked, lane)| asked == lane)
    }

    /// Registers of each thread that the condition, the filter or `locations` mention.
    pub(super) fn observed_registers(&self) -> Vec<Vec<usize>> {
        let mut out = vec![Vec::new(); self.program.threads.len()];
        for (thread, register) in super::condition::registers_of(self.program) {
            let found =
                self.program.threads[thread].registers.iter().position(|r| r.name == register);
            out[thread].extend(found);
        }
        out
    }

    /// A thread's agent, and the number of barrier operations so far. The next event of the thread
    /// follows its barrier operations among these.
    pub(super) fn at(&self, thread: usize) -> (AgentId, usize) {
        (AgentId::new(thread + 1), self.barriers.len())
    }

    /// How many barrier operations have been entered before each access.
    pub(super) fn barriers_before_accesses(&self) -> Vec<usize> {
        let mut passed = vec![0; self.accesses.len()];
        let mut barriers = 0;
        for entry in &self.entries {
            match *entry {
                Entry::Other { kind: DraftKind::Barrier(index), .. } => {
                    barriers = index.index() + 1
                }
                Entry::Access(id) => {
                    let part = self.accesses[id.index()].part;
                    let issued = part.map(|part| self.operations[part.operation].barriers);
                    passed[id.index()] = issued.unwrap_or(barriers);
                }
                Entry::Other { .. } => {}
            }
        }
        passed
    }

    /// Adds an access. Two stores of one value to one place in exclusive branches are merged into
    /// one store that depends on neither branch (PTX-8.10.4). No event of the later branch may lie
    /// between the two. The merged store is shown as the first one.
    pub(super) fn push_access(&mut self, access: DraftAccess) -> AccessId {
        if let Some(first) = self.in_other_branch(&access) {
            let before = &mut self.accesses[first.index()];
            before.guard = self.exprs.or(before.guard, access.guard);
            before.address_reads.extend(access.address_reads);
            before.control_reads.extend(access.control_reads);
            before.data_reads.extend(access.data_reads);
            return first;
        }
        let id = AccessId::new(self.accesses.len());
        self.accesses.push(access);
        self.entries.push(Entry::Access(id));
        id
    }

    /// The same store in a branch that excludes this one, if all entries between the two stores are
    /// in such branches.
    fn in_other_branch(&mut self, access: &DraftAccess) -> Option<AccessId> {
        let far = self.entries.len().saturating_sub(FARTHEST_BRANCH);
        let same = |entry: &Entry| match *entry {
            Entry::Access(id) if self.accesses[id.index()].is_other_branch(access) => Some(id),
            _ => None,
        };
        let (back, found) =
            self.entries[far..].iter().rev().enumerate().find_map(|(n, e)| Some((n, same(e)?)))?;
        let between = self.entries.len() - 1 - back..self.entries.len();
        between.rev().all(|at| self.is_excluded(at, access)).then_some(found)
    }

    /// Whether an entry of the access's thread never happens together with the access.
    fn is_excluded(&mut self, at: usize, access: &DraftAccess) -> bool {
        let (thread, guard) = match self.entries[at] {
            Entry::Access(id) => {
                let other = &self.accesses[id.index()];
                (other.thread, other.guard)
            }
            Entry::Other { thread, guard, .. } => (thread, guard),
        };
        let both = self.exprs.and(guard, access.guard);
        thread == access.thread && self.exprs.is_false(both)
    }

    pub(super) fn push_event(
        &mut self,
        thread: usize,
        kind: DraftKind,
        guard: ExprId,
        position: u32,
        span: Span,
    ) {
        self.entries.push(Entry::Other { thread, kind, guard, position, span });
    }

    /// Adds a barrier operation and gives its index.
    #[allow(clippy::too_many_arguments, reason = "the parts of one operation")]
    pub(super) fn push_barrier(
        &mut self,
        thread: usize,
        barrier: &BarrierMicro,
        key: BarrierKey,
        count: Option<ExprId>,
        operand: Option<(ExprId, Vec<AccessId>)>,
        exchange: Option<Exchange>,
        guard: ExprId,
        position: u32,
        span: Span,
    ) -> BarrierId {
        let (operand, reads) = operand.unzip();
        self.operands.push(reads.unwrap_or_default());
        let columns = matches!(key, BarrierKey::Instance(..));
        let rule = match count {
            Some(count) if columns => BarrierRule::Quorum(count),
            Some(count) => BarrierRule::Count(count),
            None if columns => BarrierRule::Participants,
            None => BarrierRule::AllLive,
        };
        let index = self.barriers.next_key();
        self.barrier_guards.push(guard);
        self.barriers.push(BarrierOp {
            event: EventId::new(0),
            key,
            arrives: barrier.arrives,
            waits: barrier.waits,
            rule,
            order: barrier.order,
            operand,
            reduction: barrier.reduction.map(|(reduction, _)| reduction),
            exchange,
        });
        self.push_event(thread, DraftKind::Barrier(index), guard, position, span);
        index
    }

    /// Splits accesses into pieces, numbers the events and resolves the condition.
    pub(super) fn finish(mut self) -> EventGraph {
        let program = self.program;
        self.look_at_non_coherent_loads();
        self.look_at_objects();
        self.look_at_arrivals();
        self.check_warpgroups();
        self.settle_ahead();
        self.settle_locksteps();
        self.settle_guards();
        self.split_ways();
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
            barriers: std::mem::take(&mut self.barriers),
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
            symbols: std::mem::take(&mut self.symbols),
            cuts: std::mem::take(&mut self.cuts),
            bound: self.bound,
            coarse: self.coarse,
            some_orders: self.some_orders,
            violations: std::mem::take(&mut self.violations),
            api_edges: Vec::new(),
            observed: Vec::new(),
            filter: ExprId::new(0),
            condition: ExprId::new(0),
            known: Known::default(),
        };
        let mut initial = InitialValues::new(program, &self.accesses);
        self.add_accesses(&mut graph);
        self.add_initial_writes(&mut graph, &pieces, &mut initial);
        let waits = self.add_events(&mut graph, &pieces);
        graph.groups = groups;
        graph.relate_waits(&done, &waits);
        self.add_task_edges(&mut graph);
        super::exchange::define(&mut graph);
        super::mbarrier_phases::relate(&mut graph, &self.successes);
        graph.awaited = super::termination_order::awaited_if(&mut graph);
        let misused = super::barrier_misuse::violations(&mut graph);
        graph.violations.extend(misused);
        let mut conditions = Conditions::new(program, &self.finals, &pieces, &mut initial);
        conditions.resolve(&mut graph);
        let (opaque, skipped) =
            (std::mem::take(&mut self.opaque), std::mem::take(&mut self.skipped));
        super::uninterpreted::settle(&mut graph, opaque, skipped);
        graph.coarse |= super::participants::may_return_less(&graph);
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
        let (mut issues, mut waits) = (vec![Vec::new(); self.operations.len()], Vec::new());
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
        let mut event = Event {
            agent,
            kind: EventKind::Boundary,
            guard,
            access,
            loc: None,
            order: None,
            scope: None,
            proxy: Proxy::Generic,
            marks: Marks::default(),
            span,
            position,
        };
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

pub(super) fn agents(program: &Program) -> Vec<Agent> {
    let init = Agent { name: "init".to_owned(), kind: AgentKind::Init };
    let threads = program
        .threads
        .iter()
        .enumerate()
        .map(|(index, t)| Agent { name: t.name.clone(), kind: AgentKind::Thread(index, t.place) });
    std::iter::once(init).chain(threads).collect()
}

/// The thread and the guard of a barrier operation; operations are entered in the order of their
/// indices.
pub(super) fn barrier_at(entry: &Entry) -> Option<(usize, ExprId)> {
    match entry {
        Entry::Other { thread, kind: DraftKind::Barrier(_), guard, .. } => Some((*thread, *guard)),
        _ => None,
    }
}
