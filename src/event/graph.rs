//! The event graph: every event that an execution within the bound may have, each under a guard.
//!
//! Invariants: the events of one agent are numbered in program order; a memory event lies in
//! exactly one location piece; initial writes come first and have no agent place.

use super::barrier::{BarrierOp, BarrierUse, Warp};
use super::base::Known;
use crate::id::{
    AccessId, AgentId, BarrierId, EventId, ExprId, LocId, ObjectId, SymbolId, VirtualId,
};
use crate::litmus::ast::{Place, ThreadPlace};
use crate::program::expr::ExprArena;
use crate::program::mbarrier;
use crate::program::micro::{Marks, Restriction, TensorFence, TensorKind};
use crate::program::reading::AsyncReadings;
use crate::ptx::bits::mask;
use crate::ptx::operation::{Order, Proxy, ProxyFenceKind, Scope, Type};
use crate::rule::Rule;
use crate::source::Span;
use crate::vocabulary::BaseRel;
use typed_index_collections::TiVec;

/// Programs with more events are not decided: relations take memory by the square of this number.
pub const MOST_EVENTS: usize = 8192;

/// Who performs events.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its name in the test, such as `P0`; `init` for the initial writes.
    pub name: String,
    /// What it is.
    pub kind: AgentKind,
}

/// The kinds of agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentKind {
    /// The writer of initial values.
    Init,
    /// A thread of the test, device or host; the index into the test's threads.
    Thread(usize, ThreadPlace),
    /// An asynchronous operation: its index, and where the thread runs that issues it.
    Operation(usize, Place),
}

impl Agent {
    /// Where its events are performed, for all but the host: an asynchronous operation's where it
    /// was issued.
    #[must_use]
    pub fn site(&self) -> Option<Place> {
        match self.kind {
            AgentKind::Operation(_, place) => Some(place),
            _ => self.place(),
        }
    }

    /// Where it runs, for device threads.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        match self.kind {
            AgentKind::Thread(_, ThreadPlace::Device(place)) => Some(place),
            _ => None,
        }
    }

    /// The warp that it is a thread of.
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

/// What an event is.
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
    Await,
    /// A fence of the tensor cores.
    TensorFence(TensorFence),
    /// That an asynchronous operation, or a part of it, is complete.
    Complete(Completion),
}

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// Who performs it.
    pub agent: AgentId,
    /// What it is.
    pub kind: EventKind,
    /// When it happens.
    pub guard: ExprId,
    /// The access that it is a piece of; fences and barriers have one of their own.
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
    /// The statement that it comes from.
    pub span: Span,
    /// The position of its statement in the thread's unfolded code; pieces of one access and the
    /// elements of one vector share it.
    pub position: u32,
}

impl Event {
    /// Whether it reads memory.
    #[must_use]
    pub fn is_read(&self) -> bool {
        self.kind == EventKind::Read
    }

    /// Whether it writes memory, initial writes included.
    #[must_use]
    pub fn is_write(&self) -> bool {
        matches!(self.kind, EventKind::Write | EventKind::Init)
    }

    /// Whether it reads or writes memory.
    #[must_use]
    pub fn is_memory(&self) -> bool {
        self.is_read() || self.is_write()
    }
}

/// One access: what its pieces have in common.
#[derive(Clone, Debug)]
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
    /// For writes, what is written, as wide as the access; for reads, the leaf that is read.
    pub value: ExprId,
    /// Registers' reads that the address was computed from.
    pub address_reads: Vec<AccessId>,
    /// Reads that the guard was syntactically computed from.
    pub control_reads: Vec<AccessId>,
    /// Reads that the written value was syntactically computed from.
    pub data_reads: Vec<AccessId>,
    /// For the write half of a read-modify-write, the read half.
    pub rmw_read: Option<AccessId>,
    /// For a write that comes about in several ways, of which each is an access, the first of them;
    /// `None` in the first.
    pub disjunct_of: Option<AccessId>,
    /// For a way, what decided that the value is this one.
    pub chosen_by: Vec<ExprId>,
}

impl Access {
    /// What stands for the access of an event that touches no memory and happens under a guard.
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
#[derive(Clone, Debug)]
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
    /// The name to print of some of its bytes: `x` or `x[1]` of an element, as conditions have it;
    /// of other bytes `x+4`, as addresses have it.
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
#[derive(Clone, Debug)]
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
#[derive(Clone, Copy, Debug)]
pub struct Conditional {
    /// The first event.
    pub from: EventId,
    /// The second one.
    pub to: EventId,
    /// When the pair is in the relation, if both events happen.
    pub when: ExprId,
}

/// What of an asynchronous operation is complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completion {
    /// The read of its tensor map.
    Map,
    /// The reads of its map and its sources.
    Reads,
    /// What it does for one of its destinations.
    Part(usize),
    /// All of it.
    All,
}

/// An asynchronous operation (PTX-8.9.1.1).
#[derive(Clone, Debug)]
pub struct Operation {
    /// Its instruction, such as `cp.async.bulk`.
    pub name: &'static str,
    /// Who performs it.
    pub agent: AgentId,
    /// The event of the thread that issues it.
    pub issue: EventId,
    /// Those of other threads that issue it together with this one.
    pub joined: Vec<EventId>,
    /// Whether it is a product of a warpgroup, which comes behind fences and not behind its issue.
    pub is_joint: bool,
    /// The reads of its tensor map.
    pub maps: Vec<EventId>,
    /// The reads of its sources.
    pub reads: Vec<EventId>,
    /// What it does for each of its destinations.
    pub parts: Vec<OperationPart>,
    /// That the sources have been read, where somebody may wait for that alone.
    pub reads_complete: Option<EventId>,
    /// That the tensor map has been read, where groups are waited for until then.
    pub map_complete: Option<EventId>,
    /// That all is complete; the same event as that of its part where there is one part.
    pub complete: EventId,
    /// The operations behind whose completion it is complete.
    pub behind: Vec<usize>,
    /// Whether its completion is a proxy fence for its accesses (PTX-9.7.9.25.2).
    pub fences: bool,
    /// Whether PTX-9.7.9.25.1 speaks of it.
    pub is_copy: bool,
    /// Whether it is an arrival behind operations of the tensor cores.
    pub is_commit: bool,
    /// What it is to the tensor cores of the fifth generation.
    pub tensor: Option<TensorKind>,
    /// Where it writes to Tensor Memory: variables and first bytes.
    pub columns: Vec<(ObjectId, u64)>,
}

/// What an asynchronous operation does for one of its destinations.
#[derive(Clone, Debug)]
pub struct OperationPart {
    /// Each write, with what it is made of: the read of a source, that of the place itself, or nothing.
    pub writes: Vec<EventId>,
    /// That it is complete.
    pub complete: EventId,
    /// Both halves of the signal, for each object that it may be at.
    pub signals: Vec<EventId>,
}

/// A freely chosen value.
#[derive(Clone, Debug)]
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
    /// An instruction outside the subset computes it from these reads, nobody knows how.
    Computed(Vec<AccessId>),
    /// As [`Self::Computed`], where nothing that matters depends on it: any value will do.
    Irrelevant(Vec<AccessId>),
}

impl Symbol {
    /// One that the execution chooses.
    #[must_use]
    pub fn chosen(name: String, width: u32) -> Self {
        Self { name, width, origin: SymbolOrigin::Chosen }
    }

    /// How many bits of it an execution chooses.
    #[must_use]
    pub fn open_bits(&self) -> u32 {
        match self.origin {
            SymbolOrigin::Chosen | SymbolOrigin::Computed(_) => self.width,
            SymbolOrigin::Irrelevant(_) => 0,
        }
    }

    /// The reads that it is computed from, if it is.
    #[must_use]
    pub fn computed_from(&self) -> &[AccessId] {
        match &self.origin {
            SymbolOrigin::Chosen => &[],
            SymbolOrigin::Computed(reads) | SymbolOrigin::Irrelevant(reads) => reads,
        }
    }
}

/// A place where the bound or an endless loop ends a thread.
#[derive(Clone, Debug)]
pub struct Cut {
    /// The thread.
    pub agent: AgentId,
    /// When that happens.
    pub guard: ExprId,
    /// When control comes here to go round again, whatever the rounds have done.
    pub back: ExprId,
    /// Of a cut by the bound, when it happens after a round that has changed nothing, since it wrote
    /// only what it read and waited for nobody: another round like it may follow. False of other
    /// cuts.
    pub steady: ExprId,
    /// What is known of further rounds.
    pub ahead: Ahead,
    /// Of a loop in which the thread waits ([`CutKind::Spin`]), the reads of the rounds that it repeats.
    pub polls: Vec<AccessId>,
    /// Of such a loop, that the waits of these rounds which may time out do not.
    pub patience: Vec<ExprId>,
    /// The branch.
    pub span: Span,
    /// Why.
    pub kind: CutKind,
}

/// What is known of the rounds of a loop behind a cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ahead {
    /// Nothing.
    Open,
    /// They count, though further than rounds are followed for that alone.
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
    /// The loop bound, where one of the iterations had no effect and others had: without it, the
    /// execution is another one that goes further.
    Idle,
}

/// A use of an instruction that the standard or the tool gives no meaning.
#[derive(Clone, Debug)]
pub struct Violation {
    /// When it happens.
    pub guard: ExprId,
    /// The statement.
    pub span: Span,
    /// The rule, which also says what the use does to executions.
    pub rule: Rule,
    /// The barrier operations that have to be passed before, by each thread that takes part: its own
    /// among the first so many.
    pub behind: Vec<(AgentId, usize)>,
    /// The threads that have to have ended before, since a task that starts or waits before is complete
    /// then.
    pub ended: Vec<AgentId>,
}

impl Violation {
    /// One that stands for a question: whether an execution has it.
    #[must_use]
    pub fn asked(guard: ExprId, span: Span) -> Self {
        Self { guard, span, rule: Rule::Asked, behind: Vec::new(), ended: Vec::new() }
    }
}

/// A register whose final value is asked for.
#[derive(Clone, Debug)]
pub struct Observed {
    /// As it is printed, such as `P0:r1` or `x`.
    pub name: String,
    /// Its value in the final state.
    pub value: ExprId,
    /// Whether it prints as a signed number.
    pub signed: bool,
    /// Its type where that is a floating-point one.
    pub float: Option<Type>,
}

/// Everything an engine needs to know of a test within a bound.
#[derive(Clone, Debug)]
pub struct EventGraph {
    /// All expressions.
    pub exprs: ExprArena,
    /// Who performs events.
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
    /// What the program may do at barriers of CTAs, behind what the bound cuts too.
    pub barrier_uses: Vec<BarrierUse>,
    /// Where the parts of mbarrier objects are in their values.
    pub mbarriers: mbarrier::Fields,
    /// From the writes of arrivals on mbarriers to the reads of waits that may find their phase complete.
    pub phases: Vec<Conditional>,
    /// The same from all arrivals and signals, to waits that succeed.
    pub any_phases: Vec<Conditional>,
    /// Asynchronous operations.
    pub operations: Vec<Operation>,
    /// From launches of dependent tasks to the events of these.
    pub launch_edges: Vec<(EventId, EventId)>,
    /// The tensor maps that acquire fences are for, each behind its fence.
    pub fenced_maps: Vec<(EventId, ObjectId)>,
    /// How they are read.
    pub asynchronous: AsyncReadings,
    /// The `cp.async` that one commit makes a group, by index.
    pub groups: Vec<Vec<usize>>,
    /// From completions to waits for groups: the pairs that hold if both happen.
    pub done: Vec<(EventId, EventId)>,
    /// The same where values decide which groups a wait is for.
    pub done_if: Vec<Conditional>,
    /// To barrier operations that wait for the end of a thread if that does not come, as values decide:
    /// what [`BaseRel::Awaited`] has besides the pairs that are sure.
    pub awaited: Vec<Conditional>,
    /// Freely chosen values.
    pub symbols: Vec<Symbol>,
    /// Where threads end early.
    pub cuts: Vec<Cut>,
    /// How often loop bodies are executed at most; less than was asked for where that would have
    /// made some thread too large.
    pub bound: u8,
    /// Whether a write may come about in more ways than are told apart, or by a reduction of more
    /// operands than take part: it depends on what any of them does.
    pub coarse: bool,
    /// Whether vectors with acquire or release order have more orders of their elements (reading V1) than
    /// are looked at.
    pub some_orders: bool,
    /// Undefined behaviour.
    pub violations: Vec<Violation>,
    /// API synchronization edges between events.
    pub api_edges: Vec<(EventId, EventId)>,
    /// What final states are made of.
    pub observed: Vec<Observed>,
    /// The filter; true when there is none.
    pub filter: ExprId,
    /// The condition's proposition.
    pub condition: ExprId,
    /// What was computed from the events, which stay as they are.
    pub(super) known: Known,
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

    /// The event of a thread that an event stands or falls with: of an asynchronous operation the
    /// issue, of others itself.
    #[must_use]
    pub fn stands_at(&self, id: EventId) -> EventId {
        self.operation_of(id).map_or(id, |operation| operation.issue)
    }

    /// The access behind `id`.
    #[must_use]
    pub fn access(&self, id: AccessId) -> &Access {
        &self.accesses[id.index()]
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

    /// The same access for all ways in which one comes about.
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

    /// The same program with other guards of its events and of its cuts.
    #[must_use]
    pub fn guarded(
        &self,
        mut of_event: impl FnMut(&mut ExprArena, EventId) -> ExprId,
        mut of_cut: impl FnMut(&mut ExprArena, &Cut) -> ExprId,
    ) -> Self {
        let mut new = Self { known: Known::default(), ..self.clone() };
        for id in self.ids() {
            new.events[id.index()].guard = of_event(&mut new.exprs, id);
        }
        for (cut, new_cut) in self.cuts.iter().zip(&mut new.cuts) {
            new_cut.guard = of_cut(&mut new.exprs, cut);
        }
        super::exchange::define(&mut new);
        new.awaited = super::termination_order::awaited_if(&mut new);
        new
    }

    /// Takes threads that the bound or a loop cuts for any others: what they do up to there happens,
    /// however they go on. Which reads decide about their loops stays known.
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

    /// Whether a write is the second half of the operation whose first half is this read; the read
    /// is performed before, so it cannot read from it.
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

    /// Whether a read access takes some of its bytes from an operation that leaves an mbarrier object
    /// there, by what each event reads from; `None` while that is open.
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
