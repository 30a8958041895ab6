//! The event graph: every event that an execution within the bound may have, each under a guard.
//!
//! Invariants: the events of one agent are numbered in program order; a memory event lies in
//! exactly one location piece; initial writes come first and have no agent place.

use super::base_cache::BaseCache;
use crate::id::{
    AccessId, AgentId, BarrierId, EventId, ExprId, LocId, ObjectId, SymbolId, VirtualId,
};
use crate::litmus::ast::{Place, ThreadPlace};
use crate::program::expr::ExprArena;
use crate::program::mbarrier;
use crate::program::micro::{Marks, Restriction, TensorFence, TensorKind};
use crate::program::reading::AsyncReadings;
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::bits::mask;
use crate::ptx::operation::{Order, Proxy, ProxyFenceKind, Scope, Type};
use crate::rule::Rule;
use crate::source::Span;
use crate::vocabulary::BaseRel;
use crate::waiting::barrier::{BarrierOp, BarrierUse, Warp};
use typed_index_collections::TiVec;

/// Programs with more events are not decided: relations take memory by the square of this number.
pub const MOST_EVENTS: usize = 8192;

/// A performer of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Agent {
    /// Its name in the test, such as `P0`; `init` for the initial writes.
    pub name: String,
    /// The kind of agent.
    pub kind: AgentKind,
}

/// The kinds of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentKind {
    /// The writer of initial values.
    Init,
    /// A thread of the test, device or host; the index into the test's threads.
    Thread(usize, ThreadPlace),
    /// An asynchronous operation: its index, and the place of the thread that issues it.
    Operation(usize, Place),
}

impl Agent {
    /// Where the agent's events are performed, for all but the host: an asynchronous operation's at
    /// the place of its issue.
    #[must_use]
    pub fn site(&self) -> Option<Place> {
        match self.kind {
            AgentKind::Operation(_, place) => Some(place),
            _ => self.place(),
        }
    }

    /// The place of a device thread.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        match self.kind {
            AgentKind::Thread(_, ThreadPlace::Device(place)) => Some(place),
            _ => None,
        }
    }

    /// The warp of a device thread.
    #[must_use]
    pub fn warp(&self) -> Option<Warp> {
        match self.kind {
            AgentKind::Thread(index, ThreadPlace::Device(place)) => Some(Warp::of(index, place)),
            AgentKind::Thread(_, ThreadPlace::Host)
            | AgentKind::Init
            | AgentKind::Operation(..) => None,
        }
    }
}

/// The kind of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// The initial write of a location piece.
    Init,
    /// A read of one piece.
    Read,
    /// A write of one piece.
    Write,
    /// A thread fence.
    Fence(Restriction),
    /// A proxy fence.
    ProxyFence(ProxyFenceKind),
    /// A barrier operation, of [`EventGraph::barriers`].
    Barrier(BarrierId),
    /// `griddepcontrol.wait`.
    Boundary,
    /// `griddepcontrol.launch_dependents`.
    Launch,
    /// The issue of an asynchronous operation.
    Issue,
    /// A wait for groups of asynchronous operations.
    Await(GroupKind),
    /// A fence of the tensor cores.
    TensorFence(TensorFence),
    /// The completion of an asynchronous operation, or of a part of it.
    Complete(Completion),
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The agent that performs it.
    pub agent: AgentId,
    /// The kind of event.
    pub kind: EventKind,
    /// The path condition under which it happens.
    pub guard: ExprId,
    /// The access of the piece; fences and barriers have separate accesses.
    pub access: AccessId,
    /// The location piece, for memory events.
    pub loc: Option<LocId>,
    /// The order qualifier; `None` for barriers, proxy fences and initial writes.
    pub order: Option<Order>,
    /// The scope, for strong operations.
    pub scope: Option<Scope>,
    /// The proxy.
    pub proxy: Proxy,
    /// Marks.
    pub marks: Marks,
    /// The statement that performs it.
    pub span: Span,
    /// The position of the event's statement in the thread's unfolded code. Pieces of one access
    /// and elements of one vector share a position.
    pub position: u32,
}

impl Event {
    /// An event that accesses no memory, without qualifiers.
    pub(super) fn of_no_memory(
        agent: AgentId,
        kind: EventKind,
        guard: ExprId,
        access: AccessId,
        (span, position): (Span, u32),
    ) -> Self {
        Self {
            agent,
            kind,
            guard,
            access,
            loc: None,
            order: None,
            scope: None,
            proxy: Proxy::Generic,
            marks: Marks::default(),
            span,
            position,
        }
    }

    /// Whether the event reads memory.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.kind == EventKind::Read
    }

    /// Whether the event writes memory, initial writes included.
    #[must_use]
    pub fn is_write(&self) -> bool {
        matches!(self.kind, EventKind::Write | EventKind::Init)
    }

    /// Whether the event reads or writes memory.
    #[must_use]
    pub fn is_memory(&self) -> bool {
        self.is_read() || self.is_write()
    }
}

/// One access, with the common data of its pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// The pieces, in order of address; one in tests without partial overlap.
    pub pieces: Vec<EventId>,
    /// Physical storage.
    pub object: ObjectId,
    /// The virtual range used.
    pub virt: VirtualId,
    /// First byte in the object.
    pub offset: u64,
    /// Bytes.
    pub bytes: u32,
    /// For writes, the written value, as wide as the access; for reads, the leaf for the value
    /// read.
    pub value: ExprId,
    /// Reads that the address was syntactically computed from.
    pub address_reads: Vec<AccessId>,
    /// Reads that the guard was syntactically computed from.
    pub control_reads: Vec<AccessId>,
    /// Reads that the written value was syntactically computed from.
    pub data_reads: Vec<AccessId>,
    /// For the write half of a read-modify-write, the read half.
    pub rmw_read: Option<AccessId>,
    /// For a disjunct of a write, the access of its first disjunct; `None` in the first.
    pub disjunct_of: Option<AccessId>,
    /// For a disjunct, the conditions that have decided its value.
    pub chosen_by: Vec<ExprId>,
}

impl Access {
    /// A stand-in for the access of an event that touches no memory and happens under a guard.
    pub(super) fn of_no_memory(event: EventId, guard: ExprId) -> Self {
        Self {
            pieces: vec![event],
            object: ObjectId::new(0),
            virt: VirtualId::new(0),
            offset: 0,
            bytes: 0,
            value: guard,
            address_reads: Vec::new(),
            control_reads: Vec::new(),
            data_reads: Vec::new(),
            rmw_read: None,
            disjunct_of: None,
            chosen_by: Vec::new(),
        }
    }

    /// The physical bytes: object, first byte and how many.
    #[must_use]
    pub fn range(&self) -> (ObjectId, u64, u32) {
        (self.object, self.offset, self.bytes)
    }
}

/// A variable instance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// The name to print, such as `x` or `s@cta1`.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// The type of an element; of the whole where it is no array.
    pub element: Type,
    /// The CTA in whose `.shared` it lies: gpu, grid, cta.
    pub shared: Option<(u32, u32, u32)>,
    /// Whether it is a kernel parameter, which nothing writes.
    pub parameter: bool,
}

impl Object {
    /// The name to print of some of its bytes: `x` or `x[1]` for an element, as in conditions;
    /// `x+4` for other bytes, as in addresses.
    #[must_use]
    pub fn part(&self, offset: u64, bytes: u32) -> String {
        let (name, element) = (&self.name, u64::from(self.element.bytes().max(1)));
        if u64::from(bytes) != element || !offset.is_multiple_of(element) {
            format!("{name}+{offset}")
        } else if self.bytes > element {
            format!("{name}[{}]", offset / element)
        } else {
            name.clone()
        }
    }
}

/// A location piece: bytes that no access splits further.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The variable instance.
    pub object: ObjectId,
    /// First byte.
    pub offset: u64,
    /// Bytes.
    pub bytes: u32,
    /// The name to print.
    pub name: String,
    /// Its initial write.
    pub init: EventId,
}

/// A pair of events in a relation that depends on values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conditional {
    /// The first event.
    pub from: EventId,
    /// The second one.
    pub to: EventId,
    /// When the pair is in the relation, if both events happen.
    pub when: ExprId,
}

/// The part of an asynchronous operation that is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The read of the tensor map.
    Map,
    /// The reads of the operation's tensor map and sources.
    Reads,
    /// The part for one destination.
    Part(usize),
    /// The whole operation.
    All,
}

/// An asynchronous operation (PTX-8.9.1.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The instruction, such as `cp.async.bulk`.
    pub name: &'static str,
    /// The agent that performs the operation.
    pub agent: AgentId,
    /// The event by which a thread issues the operation.
    pub issue: EventId,
    /// The events by which other threads issue the operation jointly.
    pub joined: Vec<EventId>,
    /// Whether the operation is a product of a warpgroup, which is ordered after fences, not after its
    /// issue.
    pub is_joint: bool,
    /// The reads of the tensor map.
    pub maps: Vec<EventId>,
    /// The reads of the sources.
    pub reads: Vec<EventId>,
    /// The part of the operation for each destination.
    pub parts: Vec<OperationPart>,
    /// The completion of the reads of the sources, if a wait may ask for these alone.
    pub reads_complete: Option<EventId>,
    /// The completion of the read of the tensor map, if a wait for groups asks for this read alone.
    pub map_complete: Option<EventId>,
    /// The completion of the whole operation; the completion of the part if there is only one.
    pub complete: EventId,
    /// The operations whose completion precedes the completion of this one.
    pub behind: Vec<usize>,
    /// Whether the completion is a proxy fence for the accesses of the operation (PTX-9.7.9.25.2).
    pub fences: bool,
    /// Whether the operation is a copy to which PTX-9.7.9.25.1 applies.
    pub is_copy: bool,
    /// Whether the operation is an arrival after operations of the tensor cores (`tcgen05.commit`).
    pub is_commit: bool,
    /// The kind of operation of the tensor cores of the fifth generation, if it is one.
    pub tensor: Option<TensorKind>,
    /// The destinations in Tensor Memory: variables and first bytes.
    pub columns: Vec<(ObjectId, u64)>,
}

/// The part of an asynchronous operation for one destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationPart {
    /// The accesses to the destination: writes and, for a reduction, reads of the old values.
    pub writes: Vec<EventId>,
    /// The completion of the part.
    pub complete: EventId,
    /// The read and the write of the signal, for each mbarrier object that the signal may go to.
    pub signals: Vec<EventId>,
}

/// A freely chosen value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    /// The name to print.
    pub name: String,
    /// Its width in bits.
    pub width: u32,
    /// Where the value comes from.
    pub origin: SymbolOrigin,
}

/// Where the value of a symbol comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SymbolOrigin {
    /// The execution chooses it.
    Chosen,
    /// An unknown function of these reads, computed by an instruction outside the subset.
    Computed(Vec<AccessId>),
    /// As [`Self::Computed`], where no answer depends on the value: any will do.
    Irrelevant(Vec<AccessId>),
}

impl Symbol {
    /// A symbol that the execution chooses.
    #[must_use]
    pub fn chosen(name: String, width: u32) -> Self {
        Self { name, width, origin: SymbolOrigin::Chosen }
    }

    /// How many of its bits an execution chooses.
    #[must_use]
    pub fn open_bits(&self) -> u32 {
        match self.origin {
            SymbolOrigin::Chosen | SymbolOrigin::Computed(_) => self.width,
            SymbolOrigin::Irrelevant(_) => 0,
        }
    }

    /// The reads that the value is computed from, if it is a computed one.
    #[must_use]
    pub fn computed_from(&self) -> &[AccessId] {
        match &self.origin {
            SymbolOrigin::Chosen => &[],
            SymbolOrigin::Computed(reads) | SymbolOrigin::Irrelevant(reads) => reads,
        }
    }
}

/// A place where the bound or an endless loop ends a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The thread.
    pub agent: AgentId,
    /// The condition that the thread is cut.
    pub guard: ExprId,
    /// The condition that control is about to start another round, whatever the effects of the rounds.
    pub back: ExprId,
    /// For a cut by the bound, when the last round changed nothing, so that an identical round may
    /// follow. Such a round writes only the values that it read and waits for no thread. False for
    /// other cuts.
    pub steady: ExprId,
    /// The knowledge about further rounds.
    pub ahead: Ahead,
    /// For a loop in which the thread waits ([`CutKind::Spin`]), the reads of the rounds that it
    /// repeats.
    pub polls: Vec<AccessId>,
    /// For such a loop, the conditions that no wait of these rounds times out.
    pub patience: Vec<ExprId>,
    /// For such a loop, what clocks show in these rounds.
    pub clocks: Vec<ExprId>,
    /// The branch at which the thread is cut.
    pub span: Span,
    /// The reason.
    pub kind: CutKind,
}

/// The knowledge about the rounds of a loop beyond a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// Unknown.
    Open,
    /// The loop counts, beyond the rounds to which counting alone extends the bound.
    Counts,
    /// Nothing leads out of the loop.
    Endless,
}

/// Why a thread was not followed further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CutKind {
    /// The loop bound: executions beyond it exist.
    Bound,
    /// An iteration without an effect: the thread waits, and the execution is complete without it.
    Spin,
    /// The loop bound, after one iteration without effect among others with effects. The execution
    /// without this iteration goes further within the bound.
    Idle,
}

/// A use of an instruction that the standard or the tool gives no meaning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// When it happens.
    pub guard: ExprId,
    /// The statement.
    pub span: Span,
    /// The violated rule, which also tells the consequence for executions. None for a
    /// [question](Self::asked).
    pub rule: Option<Rule>,
    /// For each thread that takes part, the number of leading barrier operations among which its
    /// own have to be passed before.
    pub behind: Vec<(AgentId, usize)>,
    /// The threads that have to have ended before: an API edge leads from their task to a task of
    /// the violation.
    pub ended: Vec<AgentId>,
    /// For a violation by one statement of a thread, its position, as that of events; none where
    /// threads go on as they would anyway.
    pub position: Option<u32>,
}

impl Violation {
    /// A violation of no rule, by which an engine is asked whether an execution has it.
    #[must_use]
    pub fn asked(guard: ExprId, span: Span) -> Self {
        let (behind, ended) = (Vec::new(), Vec::new());
        Self { guard, span, rule: None, behind, ended, position: None }
    }

    /// Whether executions that have it are outside the model, rather than undefined.
    #[must_use]
    pub fn is_out_of_model(&self) -> bool {
        self.rule.as_ref().is_some_and(Rule::is_out_of_model)
    }
}

/// A register or variable whose final value is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// The name as printed, such as `P0:r1` or `x`.
    pub name: String,
    /// Its value in the final state.
    pub value: ExprId,
    /// Whether it prints as a signed number.
    pub signed: bool,
    /// Its type, if that is a floating-point one.
    pub float: Option<Type>,
}

/// Everything an engine needs to know of a test within a bound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventGraph {
    /// All expressions.
    pub exprs: ExprArena,
    /// The performers of events.
    pub agents: Vec<Agent>,
    /// All events; initial writes first, then thread by thread in program order.
    pub events: Vec<Event>,
    /// All accesses.
    pub accesses: Vec<Access>,
    /// Physical storage.
    pub objects: Vec<Object>,
    /// Location pieces.
    pub locations: Vec<Location>,
    /// Barrier operations.
    pub barriers: TiVec<BarrierId, BarrierOp>,
    /// The uses of CTA barriers that the program may make, those beyond the bound included.
    pub barrier_uses: Vec<BarrierUse>,
    /// The layout of mbarrier objects.
    pub mbarriers: mbarrier::Fields,
    /// From the writes of releasing arrivals on mbarriers to the reads of waits that may find the
    /// arrival's phase complete.
    pub phases: Vec<Conditional>,
    /// From the writes of all arrivals and signals to the reads of waits that succeed.
    pub any_phases: Vec<Conditional>,
    /// Asynchronous operations.
    pub operations: Vec<Operation>,
    /// From launches of dependent tasks to the events of those tasks.
    pub launch_edges: Vec<(EventId, EventId)>,
    /// Acquire fences and the tensor maps that they name.
    pub fenced_maps: Vec<(EventId, ObjectId)>,
    /// The readings of the standard for asynchronous operations.
    pub asynchronous: AsyncReadings,
    /// The groups of `cp.async` operations that commits make, by index.
    pub groups: Vec<Vec<usize>>,
    /// From completions to waits for groups: the pairs that hold if both happen.
    pub done: Vec<(EventId, EventId)>,
    /// The same pairs where values decide which groups a wait is for.
    pub done_if: Vec<Conditional>,
    /// The pairs of [`BaseRel::OtherCount`], each with the condition that the counts differ. They stay as
    /// they are where a graph is changed so that operations are incomplete.
    pub other_counts: Vec<Conditional>,
    /// To barrier operations from the ends of awaited threads, if values decide whether such a
    /// thread uses the barrier. These are the pairs of [`BaseRel::Awaited`] besides the sure ones.
    pub awaited: Vec<Conditional>,
    /// Freely chosen values.
    pub symbols: Vec<Symbol>,
    /// Where threads end early.
    pub cuts: Vec<Cut>,
    /// How often loop bodies are executed at most; less than asked for if that makes a thread too
    /// large.
    pub bound: u8,
    /// Whether dependencies are over-approximated: a write may have more disjuncts than are told
    /// apart, or a reduction more operands than participants.
    pub coarse: bool,
    /// Whether vectors with acquire or release order have more orders of their elements (reading V1) than
    /// are looked at.
    pub some_orders: bool,
    /// Pairs of accesses, the smaller id first and in order, that a question for a further race is not about.
    pub settled: Vec<(AccessId, AccessId)>,
    /// Undefined behaviour.
    pub violations: Vec<Violation>,
    /// API synchronization edges between events.
    pub api_edges: Vec<(EventId, EventId)>,
    /// The values that final states consist of.
    pub observed: Vec<Observed>,
    /// The filter; true when there is none.
    pub filter: ExprId,
    /// The condition's proposition.
    pub condition: ExprId,
    /// Sets and relations computed from the events.
    pub(super) known: BaseCache,
}

impl EventGraph {
    /// The event behind `id`.
    #[must_use]
    pub fn event(&self, id: EventId) -> &Event {
        &self.events[id.index()]
    }

    /// The asynchronous operation that performs an event.
    #[must_use]
    pub fn operation_of(&self, id: EventId) -> Option<&Operation> {
        match self.agents[self.event(id).agent.index()].kind {
            AgentKind::Operation(index, _) => Some(&self.operations[index]),
            AgentKind::Init | AgentKind::Thread(..) => None,
        }
    }

    /// The events of the asynchronous operation that an event issues.
    pub fn issued_at(&self, issue: EventId) -> impl Iterator<Item = EventId> + '_ {
        let operation = self.operations.iter().find(|operation| operation.is_issued_at(issue));
        operation.into_iter().flat_map(Operation::events)
    }

    /// Whether an event is one of those by which the threads of a warpgroup issue a product.
    #[must_use]
    pub fn issues_jointly(&self, id: EventId) -> bool {
        self.operations.iter().any(|operation| operation.is_joint && operation.is_issued_at(id))
    }

    /// The thread's event on which an event depends to happen: the issue for an event of an
    /// asynchronous operation, else the event itself.
    #[must_use]
    pub fn stands_at(&self, id: EventId) -> EventId {
        self.operation_of(id).map_or(id, |operation| operation.issue)
    }

    /// The access behind `id`.
    #[must_use]
    pub fn access(&self, id: AccessId) -> &Access {
        &self.accesses[id.index()]
    }

    /// The reads by which the thread of a cut polls in its loop.
    pub(crate) fn polls(&self, cut: &Cut) -> impl Iterator<Item = EventId> {
        cut.polls.iter().flat_map(|&poll| self.access(poll).pieces.iter().copied())
    }

    /// The access of a memory event.
    ///
    /// # Panics
    /// When `id` is no memory event.
    #[must_use]
    pub fn access_of(&self, id: EventId) -> &Access {
        debug_assert!(self.event(id).is_memory());
        self.access(self.event(id).access)
    }

    /// The first disjunct of an access: one access for all disjuncts.
    #[must_use]
    pub fn one_of_all_ways(&self, id: AccessId) -> AccessId {
        self.access(id).disjunct_of.unwrap_or(id)
    }

    /// Whether two accesses overlap without covering the same bytes, one of them a write.
    #[must_use]
    pub fn has_partial_overlap(&self) -> bool {
        let mut ranges: Vec<Vec<(AccessId, bool)>> = vec![Vec::new(); self.locations.len()];
        for event in self.events.iter().filter(|e| e.kind != EventKind::Init) {
            if let Some(loc) = event.loc {
                ranges[loc.index()].push((event.access, event.is_write()));
            }
        }
        ranges.iter().any(|at| {
            let written = at.iter().any(|&(_, write)| write);
            let range = |id: AccessId| self.access(id).range();
            written && at.iter().any(|&(id, _)| range(id) != range(at[0].0))
        })
    }

    /// Treats threads that the bound or a loop cuts like any others: their events up to the cut
    /// happen in any case. The reads that decide about their loops remain known.
    pub fn forget_cuts(&mut self) {
        let never = self.exprs.truth(false);
        for cut in &mut self.cuts {
            cut.guard = never;
        }
    }

    /// The pairs of a relation that depend on values.
    #[must_use]
    pub fn conditional(&self, relation: BaseRel) -> &[Conditional] {
        match relation {
            BaseRel::Phase => &self.phases,
            BaseRel::PhaseAny => &self.any_phases,
            BaseRel::Done => &self.done_if,
            BaseRel::Awaited => &self.awaited,
            BaseRel::OtherCount => &self.other_counts,
            _ => &[],
        }
    }

    /// All event ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = EventId> + ExactSizeIterator + use<> {
        (0..self.events.len()).map(EventId::new)
    }

    /// The slice of an access that a piece covers: first bit and width.
    #[must_use]
    pub fn slice(&self, id: EventId) -> (u32, u32) {
        let event = self.event(id);
        let access = self.access(event.access);
        let location = &self.locations[event.loc.expect("a memory event").index()];
        let low = u32::try_from(location.offset - access.offset)
            .expect("pieces lie inside their access")
            * 8;
        (low, location.bytes * 8)
    }

    /// The part of an access's value that a piece of it has.
    #[must_use]
    pub fn piece_of(&self, id: EventId, whole: u128) -> u128 {
        let (low, width) = self.slice(id);
        (whole >> low) & mask(width)
    }

    /// The writes of each location, in order of id: the initial one first.
    #[must_use]
    pub fn writes_by_location(&self) -> Vec<Vec<EventId>> {
        let mut writes = vec![Vec::new(); self.locations.len()];
        for id in self.ids().filter(|&id| self.event(id).is_write()) {
            writes[self.event(id).loc.expect("a write has a location").index()].push(id);
        }
        writes
    }

    /// Whether a read and a write are the halves of one operation. Such a read cannot read from the
    /// write, since the read is performed first.
    #[must_use]
    pub fn is_own_write(&self, read: EventId, write: EventId) -> bool {
        self.access(self.event(write).access).rmw_read == Some(self.event(read).access)
    }

    /// Whether an event leaves an mbarrier object where it writes: every mbarrier operation that writes
    /// does, but for `mbarrier.inval`.
    #[must_use]
    pub fn leaves_mbarrier(&self, id: EventId) -> bool {
        let event = self.event(id);
        let value = self.access(event.access).value;
        event.is_write()
            && event.marks.mbarrier
            && self.exprs.constant(value) != Some(mbarrier::INVALID)
    }

    /// Whether a read access takes some bytes from an operation that leaves an mbarrier object
    /// there, given the reads-from choices; `None` while that is open.
    #[must_use]
    pub fn reads_mbarrier(&self, read: AccessId, rf: &[Option<EventId>]) -> Option<bool> {
        let mut open = false;
        for &piece in &self.access(read).pieces {
            match rf.get(piece.index()).copied().flatten() {
                Some(write) if self.leaves_mbarrier(write) => return Some(true),
                write => open |= write.is_none(),
            }
        }
        (!open).then_some(false)
    }

    /// The symbol behind `id`.
    #[must_use]
    pub fn symbol(&self, id: SymbolId) -> &Symbol {
        &self.symbols[id.index()]
    }
}
