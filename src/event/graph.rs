//! The event graph: every event that an execution within the bound may have, each under a guard.
//!
//! Invariants: the events of one agent are numbered in program order; a memory event lies in
//! exactly one location piece; initial writes come first and have no agent place.

use super::base::Known;
use crate::id::{AccessId, AgentId, EventId, ExprId, LocId, ObjectId, SymbolId, VirtualId};
use crate::litmus::ast::{Place, ThreadPlace};
use crate::program::expr::{ExprArena, mask};
use crate::program::mbarrier;
use crate::program::micro::{Marks, Reduction, Restriction};
use crate::ptx::operation::{Order, Proxy, ProxyFenceKind, Scope, Type};
use crate::ptx::warp::WarpOp;
use crate::source::Span;
use crate::vocabulary::BaseRel;
use std::collections::BTreeSet;

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
}

impl Agent {
    /// Where it runs, for device threads.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        match self.kind {
            AgentKind::Thread(_, ThreadPlace::Device(place)) => Some(place),
            _ => None,
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
    /// A barrier operation; index into [`EventGraph::barriers`].
    Barrier(usize),
    /// `griddepcontrol.wait`.
    Boundary,
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
    pub way_of: Option<AccessId>,
    /// For a way, what decided that the value is this one.
    pub chosen_by: Option<ExprId>,
}

impl Access {
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

/// Who has to arrive for a barrier generation to complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BarrierRule {
    /// All threads of the group; one that has ended does not count. PTX's barriers without a
    /// count, cluster barriers and warp barriers.
    AllLive,
    /// The threads that execute an operation of this generation (columns).
    Participants,
    /// Exactly this many threads' worth of warps.
    Count(ExprId),
    /// The first this many; later ones pass through (columns with a count).
    Quorum(ExprId),
}

/// What a barrier is shared by.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BarrierKey {
    /// A barrier resource of a CTA: (gpu, grid, cta), resource.
    Cta((u32, u32, u32), u64),
    /// The column dialect's barrier: (gpu, grid, cta), instance, resource.
    Instance((u32, u32, u32), u64, u64),
    /// The cluster's barrier: (gpu, grid, cluster).
    Cluster((u32, u32, u32)),
    /// A warp barrier: (gpu, grid, cta, warp), lane mask.
    Warp(Warp, u64),
    /// An exchange within a warp: as a warp barrier, and the same instruction. It orders no memory
    /// operations.
    Exchange(Warp, u64, WarpOp),
}

/// An instruction at a barrier of a CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierUse {
    /// The thread.
    pub agent: AgentId,
    /// Its CTA: (gpu, grid, cta).
    pub cta: (u32, u32, u32),
    /// The resource, where there is no doubt about it.
    pub resource: Option<u64>,
    /// The thread count.
    pub count: UsedCount,
}

/// The thread count of an instruction at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsedCount {
    /// It has none: all threads of the CTA.
    All,
    /// This many threads.
    Number(u128),
    /// Computed.
    Open,
}

/// One barrier operation.
#[derive(Clone, Debug)]
pub struct BarrierOp {
    /// Its event.
    pub event: EventId,
    /// What it shares with the other participants.
    pub key: BarrierKey,
    /// Whether it counts as an arrival.
    pub arrives: bool,
    /// Whether it waits for completion.
    pub waits: bool,
    /// When a generation is complete.
    pub rule: BarrierRule,
    /// The order of a cluster arrival or wait.
    pub order: Option<Order>,
    /// The operand that threads bring: the predicate of `bar.red`, what an exchange is about.
    pub operand: Option<ExprId>,
    /// How `bar.red` combines predicates.
    pub reduction: Option<Reduction>,
    /// An exchange of register values within a warp: what it returns.
    pub exchange: Option<Exchange>,
}

/// An exchange of register values within a warp, which waits for its threads and orders nothing.
#[derive(Clone, Copy, Debug)]
pub struct Exchange {
    /// The instruction.
    pub op: WarpOp,
    /// The lane of the thread.
    pub lane: ExprId,
    /// The lane that `shfl.sync` asks for.
    pub source: Option<ExprId>,
    /// What it returns, by who takes part and what they bring; `None` only while threads are unfolded.
    pub value: Option<ExprId>,
}

impl BarrierOp {
    /// Bits that are enough to count the barrier operations of one thread.
    pub const ORDINAL_BITS: u32 = 16;

    /// Whether both count towards one numbering of a thread's operations: those on one barrier,
    /// where arrivals and waits at the barrier of a cluster are numbered apart.
    #[must_use]
    pub fn is_numbered_with(&self, other: &Self) -> bool {
        let cluster = matches!(self.key, BarrierKey::Cluster(_));
        self.key == other.key && (!cluster || self.arrives == other.arrives)
    }

    /// Whether it returns something.
    #[must_use]
    pub fn returns(&self) -> bool {
        self.reduction.is_some() || self.exchange.is_some()
    }

    /// What an exchange returns.
    #[must_use]
    pub fn exchanged(&self) -> Option<ExprId> {
        self.exchange.and_then(|exchange| exchange.value)
    }

    /// The expression of its thread count, if it has one.
    #[must_use]
    pub fn count(&self) -> Option<ExprId> {
        match self.rule {
            BarrierRule::Count(count) | BarrierRule::Quorum(count) => Some(count),
            BarrierRule::AllLive | BarrierRule::Participants => None,
        }
    }
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

/// A freely chosen value.
#[derive(Clone, Debug)]
pub struct Symbol {
    /// The name to print.
    pub name: String,
    /// Its width in bits.
    pub width: u32,
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
    /// Whether the loop counts, though further than rounds are followed for that alone.
    pub counts: bool,
    /// The branch.
    pub span: Span,
    /// Why.
    pub kind: CutKind,
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

/// A use of an instruction that the standard leaves undefined.
#[derive(Clone, Debug)]
pub struct Violation {
    /// When it happens.
    pub guard: ExprId,
    /// The statement.
    pub span: Span,
    /// The rule, in words.
    pub rule: String,
    /// Whether the standard excludes the use from the model instead of leaving it undefined.
    pub out_of_model: bool,
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
        let (rule, behind, ended) = (String::new(), Vec::new(), Vec::new());
        Self { guard, span, rule, out_of_model: false, behind, ended }
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
    pub barriers: Vec<BarrierOp>,
    /// What the program may do at barriers of CTAs, behind what the bound cuts too.
    pub barrier_uses: Vec<BarrierUse>,
    /// From the writes of arrivals on mbarriers to the reads of waits that may find their phase complete.
    pub phases: Vec<Conditional>,
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
        self.access(id).way_of.unwrap_or(id)
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

    /// Whether a thread arrives at a barrier of its CTA without waiting and comes back to it, where it
    /// is not the only warp that has to come: then its arrival has reset the barrier.
    #[must_use]
    pub fn returns_to_barrier(&self, arrival: &BarrierOp, next: &BarrierOp) -> bool {
        matches!(arrival.key, BarrierKey::Cta(..))
            && !arrival.waits
            && !self.completes_alone(arrival)
            && arrival.event < next.event
            && arrival.key == next.key
            && self.event(arrival.event).agent == self.event(next.event).agent
    }

    /// Whether two threads may ask for different counts at one barrier of their CTA.
    #[must_use]
    pub fn counts_may_differ(&self, one: &BarrierOp, other: &BarrierOp) -> bool {
        matches!(one.key, BarrierKey::Cta(..))
            && one.key == other.key
            && one.rule != other.rule
            && self.event(one.event).agent != self.event(other.event).agent
    }

    /// That two operations for which [they may](Self::counts_may_differ) have different counts, in an
    /// arena that continues the graph's.
    pub fn counts_differ(
        &self,
        exprs: &mut ExprArena,
        one: &BarrierOp,
        other: &BarrierOp,
    ) -> ExprId {
        let (m, n) = match (&one.rule, &other.rule) {
            (BarrierRule::Count(m), BarrierRule::Count(n)) => (*m, *n),
            (BarrierRule::Count(n), BarrierRule::AllLive)
            | (BarrierRule::AllLive, BarrierRule::Count(n)) => {
                let width = exprs.width(*n);
                (exprs.number(self.count_of_all(&one.key), width), *n)
            }
            _ => return exprs.truth(true),
        };
        let equal = exprs.eq(m, n);
        exprs.not(equal)
    }

    /// Whether a barrier is complete as soon as the warp of an operation has arrived.
    #[must_use]
    pub fn completes_alone(&self, op: &BarrierOp) -> bool {
        matches!(op.rule, BarrierRule::Count(count) if self.exprs.constant(count) == Some(WARP_SIZE))
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
        new.awaited = super::awaited::awaited_if(&mut new);
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
            BaseRel::Awaited => &self.awaited,
            _ => &[],
        }
    }

    /// The barrier operation that an event is.
    #[must_use]
    pub fn barrier(&self, id: EventId) -> Option<&BarrierOp> {
        self.barrier_index(id).map(|index| &self.barriers[index])
    }

    /// Which of the [`barriers`](Self::barriers) an event is.
    #[must_use]
    pub fn barrier_index(&self, id: EventId) -> Option<usize> {
        match self.event(id).kind {
            EventKind::Barrier(index) => Some(index),
            _ => None,
        }
    }

    /// Whether a barrier operation has no thread count, or one that is constant.
    #[must_use]
    pub fn knows_count(&self, op: &BarrierOp) -> bool {
        op.count().is_none_or(|count| self.exprs.constant(count).is_some())
    }

    /// Whether all operations at a barrier have no thread count, or one that is constant.
    #[must_use]
    pub fn knows_counts_at(&self, key: &BarrierKey) -> bool {
        self.barriers.iter().filter(|op| op.key == *key).all(|op| self.knows_count(op))
    }

    /// Whether an operation may be in the generation of another one at its barrier: where that has no
    /// count, not if it has the count of some threads only.
    #[must_use]
    pub fn may_meet(&self, op: &BarrierOp, other: &BarrierOp) -> bool {
        match (&op.rule, &other.rule) {
            (BarrierRule::AllLive, BarrierRule::Count(count)) => {
                self.exprs.constant(*count).is_none_or(|n| n == self.count_of_all(&op.key))
            }
            _ => true,
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

/// Threads of a warp.
pub const WARP_SIZE: u128 = 32;

/// Whether a barrier's thread count asks for whole warps (PTX-9.7.13.1); columns take any count.
#[must_use]
pub fn counts_warps(count: u128) -> bool {
    count > 0 && count.is_multiple_of(WARP_SIZE)
}

/// A warp: gpu, grid, cta, and its number there; threads whose warp the test leaves open have one
/// each.
pub type Warp = (u32, u32, u32, u32);

impl EventGraph {
    /// The warp of a thread.
    #[must_use]
    pub fn warp_of(&self, agent: AgentId) -> Option<Warp> {
        let agent = &self.agents[agent.index()];
        let p = agent.place()?;
        let warp = p.warp.unwrap_or_else(|| match agent.kind {
            AgentKind::Thread(index, _) => u32::try_from(index).unwrap_or(u32::MAX),
            AgentKind::Init => u32::MAX,
        });
        Some((p.gpu, p.grid, p.cta, warp))
    }

    /// The other threads of a thread's warp.
    pub fn mates(&self, agent: AgentId) -> impl Iterator<Item = AgentId> {
        let own = self.warp_of(agent);
        let others = (0..self.agents.len()).map(AgentId::new).filter(move |&a| a != agent);
        others.filter(move |&other| own.is_some() && self.warp_of(other) == own)
    }

    /// The position of a thread among the threads of its warp; `None` when it is alone there.
    pub(super) fn lane(&self, agent: AgentId) -> Option<u32> {
        self.agents[agent.index()].place()?.warp?;
        let own = self.warp_of(agent);
        let before = (0..agent.index()).map(AgentId::new);
        u32::try_from(before.filter(|&mate| self.warp_of(mate) == own).count()).ok()
    }

    /// The threads that a barrier concerns.
    #[must_use]
    pub fn members(&self, key: &BarrierKey) -> Vec<AgentId> {
        let inside = |&agent: &AgentId| {
            let in_warp = || match key {
                BarrierKey::Warp(warp, mask) | BarrierKey::Exchange(warp, mask, _) => {
                    self.warp_of(agent) == Some(*warp)
                        && self.lane(agent).is_none_or(|lane| mask & (1 << lane) != 0)
                }
                BarrierKey::Cta(..) | BarrierKey::Instance(..) | BarrierKey::Cluster(_) => true,
            };
            self.agents[agent.index()].place().is_some_and(|p| key.includes(p)) && in_warp()
        };
        (0..self.agents.len()).map(AgentId::new).filter(inside).collect()
    }

    /// Whether the operations of one turn at a barrier meet, and no others, however far threads go:
    /// without thread counts, and with one that takes all warps that ever come there.
    #[must_use]
    pub fn meets_by_turn(&self, key: &BarrierKey) -> bool {
        let (BarrierKey::Cta(cta, _) | BarrierKey::Instance(cta, ..)) = *key else { return true };
        let may_be_here = |used: &&BarrierUse| match *key {
            BarrierKey::Cta(_, resource) => used.resource.is_none_or(|r| r == resource),
            _ => true,
        };
        let uses = || self.barrier_uses.iter().filter(|used| used.cta == cta).filter(may_be_here);
        if uses().all(|used| used.count == UsedCount::All) {
            return true;
        }
        let warps: BTreeSet<_> = uses().map(|used| self.warp_of(used.agent)).collect();
        let takes_all = |used: &BarrierUse| match used.count {
            UsedCount::All => self.count_of_all(key) == warps.len() as u128 * WARP_SIZE,
            UsedCount::Number(count) => count == warps.len() as u128 * WARP_SIZE,
            UsedCount::Open => false,
        };
        matches!(key, BarrierKey::Cta(..)) && uses().all(takes_all)
    }

    /// The thread count of all threads that a barrier concerns, in whole warps.
    #[must_use]
    pub fn count_of_all(&self, key: &BarrierKey) -> u128 {
        let warps = self.members(key).into_iter().filter_map(|agent| self.warp_of(agent));
        warps.collect::<BTreeSet<Warp>>().len() as u128 * WARP_SIZE
    }
}

impl BarrierKey {
    /// What relates the operations that meet at such a barrier.
    #[must_use]
    pub fn relation(&self) -> BaseRel {
        match self {
            Self::Cta(..) | Self::Instance(..) => BaseRel::BarrierSync,
            Self::Cluster(_) => BaseRel::ClusterSync,
            Self::Warp(..) => BaseRel::WarpSync,
            Self::Exchange(..) => BaseRel::Exchange,
        }
    }

    /// Whether a place is in the cluster or CTA that the barrier belongs to; which threads of a CTA
    /// a warp's barrier is for is left open.
    #[must_use]
    pub fn includes(&self, p: Place) -> bool {
        match *self {
            Self::Cta(cta, _) | Self::Instance(cta, ..) => (p.gpu, p.grid, p.cta) == cta,
            Self::Cluster(cluster) => (p.gpu, p.grid, p.cluster) == cluster,
            Self::Warp((gpu, grid, cta, _), _) | Self::Exchange((gpu, grid, cta, _), ..) => {
                (p.gpu, p.grid, p.cta) == (gpu, grid, cta)
            }
        }
    }
}

impl std::fmt::Display for BarrierKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Cta((_, _, cta), resource) => write!(f, "barrier {resource} of CTA {cta}"),
            Self::Instance((_, _, cta), instance, resource) => {
                write!(f, "barrier {instance} ({resource}) of CTA {cta}")
            }
            Self::Cluster((_, _, cluster)) => write!(f, "the barrier of cluster {cluster}"),
            Self::Warp((_, _, cta, warp), mask) => {
                write!(f, "the barrier of warp {warp} in CTA {cta}, mask {mask:#x}")
            }
            Self::Exchange((_, _, cta, warp), mask, op) => {
                write!(f, "{op} of warp {warp} in CTA {cta}, mask {mask:#x}")
            }
        }
    }
}
