//! The relations of chapter 8 on the events of one execution.

use super::asynchronous::Steps;
use ptxmc::testing::bitrel::Rel;
use ptxmc::testing::event::graph::{AgentKind, Event, EventGraph, EventKind};
use ptxmc::testing::execution::build::Execution;
use ptxmc::testing::id::{AccessId, AgentId, EventId};
use ptxmc::testing::litmus::ast::Place;
use ptxmc::testing::program::expr::Expr;
use ptxmc::testing::program::micro::Restriction;
use ptxmc::testing::ptx::operation::{Order, Proxy, ProxyFenceKind, Scope};
use ptxmc::testing::relation::eval::Interpretation;
use ptxmc::testing::vocabulary::BaseRel;
use ptxmc::testing::waiting::barrier::{BarrierKey, BarrierOp, BarrierRule};
use std::collections::BTreeSet;

/// An execution with the relations that its choices determine.
pub(super) struct Derived<'e> {
    pub graph: &'e EventGraph,
    /// The events that happen.
    pub events: Vec<EventId>,
    execution: &'e Execution<'e>,
    /// PTX-8.9.2
    observation: Rel,
    /// PTX-9.7.13.15: arrivals that release, with the acquisitions that find their phase complete.
    pub phases: Vec<(EventId, EventId)>,
    /// PTX-8.9.1.1
    pub steps: Steps,
    /// PTX-8.9.4 and PTX-8.9.3
    pub synchronizes: Rel,
    /// PTX-8.9.5
    base: Rel,
    /// PTX-9.7.13.15
    reused: Rel,
    /// PTX-8.9.5
    causality: Rel,
}

impl<'e> Derived<'e> {
    pub(super) fn new(execution: &'e Execution<'e>) -> Self {
        let empty = Rel::empty(execution.graph.events.len());
        let mut d = Self {
            graph: execution.graph,
            events: execution.executed.iter().collect(),
            execution,
            observation: empty.clone(),
            phases: Vec::new(),
            steps: Steps::none(&empty),
            synchronizes: empty.clone(),
            base: empty.clone(),
            reused: empty.clone(),
            causality: empty,
        };
        d.steps = Steps::of(&d);
        d.observation = d.observation();
        d.phases = d.pairs().filter(|&(a, b)| d.ends_phase(a, b)).collect();
        d.synchronizes = d.all(|a, b| d.synchronization(a, b));
        d.base = d.base_causality();
        d.reused = d.reused();
        d.causality = d.all(|a, b| d.causes(a, b));
        d
    }

    /// All pairs of events that happen.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (EventId, EventId)> + '_ {
        self.events.iter().flat_map(|&a| self.events.iter().map(move |&b| (a, b)))
    }

    /// A relation that the program or the choices of the execution give.
    pub(super) fn given(&self, relation: BaseRel) -> Rel {
        self.execution.relation(relation).clone()
    }

    /// Writes with the reads that observe them.
    pub(super) fn observed(&self) -> impl Iterator<Item = (EventId, EventId)> + '_ {
        self.observation.iter_pairs()
    }

    pub(super) fn all(&self, holds: impl Fn(EventId, EventId) -> bool) -> Rel {
        let pairs = self.pairs().filter(|&(a, b)| holds(a, b));
        Rel::from_pairs(self.graph.events.len(), pairs)
    }

    pub(super) fn is_barrier(&self, e: EventId) -> bool {
        matches!(self.event(e).kind, EventKind::Barrier(_))
    }

    /// Whether a thread does not go on from an event before something in other threads has happened.
    pub(super) fn stops(&self, e: EventId) -> bool {
        self.is_barrier(e) || self.event(e).kind == EventKind::Boundary
    }

    /// Whether an event comes in a task, or behind its wait, that waits for the task of a thread.
    pub(super) fn waits_for_task(&self, e: EventId, thread: AgentId) -> bool {
        let mut edges = self.graph.api_edges.iter();
        edges.any(|&(earlier, later)| later == e && self.event(earlier).agent == thread)
    }

    /// Whether a barrier lets the second go on when the first has arrived.
    pub(super) fn meets_at_barrier(&self, a: EventId, b: EventId) -> bool {
        BaseRel::BARRIERS
            .into_iter()
            .any(|relation| self.execution.relation(relation).contains(a, b))
    }

    /// Whether an event waits at a barrier for a thread that does not come there any more, however it
    /// runs.
    pub(super) fn waits_without(&self, e: EventId, thread: AgentId) -> bool {
        let Some((op, turn)) = self.turn(e) else { return false };
        if self.stays_away(op, thread) {
            return true;
        }
        let own = self.event(e).agent;
        let comes = |in_which: fn(&BarrierOp) -> bool| {
            self.at_barrier(op, thread).filter(|other| in_which(other)).count()
        };
        let (arrivals, waits) = (comes(|other| other.arrives), comes(|other| other.waits));
        // A wait without an arrival is a misuse, by a thread that is there; so is a second arrival.
        (self.waits_for(op, own, thread) && arrivals.max(waits) <= turn)
            || (self.leaves_together(op, own, thread) && waits <= turn && arrivals <= turn + 1)
    }

    /// Whether a thread that an operation waits for ends in this execution without coming to its turn,
    /// where operations of one turn meet.
    fn stays_away(&self, op: &'e BarrierOp, thread: AgentId) -> bool {
        let own = self.event(op.event).agent;
        if !self.graph.meets_by_ordinal(&op.key) || !self.waits_for(op, own, thread) {
            return false;
        }
        let happen = |of: AgentId| {
            let all = self.graph.barriers.iter().filter(move |o| self.event(o.event).agent == of);
            all.filter(|other| other.key == op.key && self.events.contains(&other.event))
        };
        // Arrivals and waits at the barrier of a cluster are numbered apart.
        let cluster = matches!(op.key, BarrierKey::Cluster(_));
        let counts = |o: &&BarrierOp| !cluster || o.arrives == op.arrives;
        let turn = happen(own).filter(|o| o.event < op.event).filter(counts).count();
        let arrivals = happen(thread).filter(|other| other.arrives).count();
        let waits = happen(thread).filter(|other| other.waits).count();
        let mut cuts = self.graph.cuts.iter().filter(|cut| cut.agent == thread);
        let is_cut = cuts.any(|cut| self.execution.truth(cut.guard) == Some(true));
        !is_cut && arrivals.max(waits) <= turn
    }

    /// Whether an event waits at a barrier for a thread of which this read decides whether it
    /// arrives.
    pub(super) fn waits_for_decision(&self, e: EventId, thread: AgentId, read: &Expr) -> bool {
        let Some((op, turn)) = self.turn(e) else { return false };
        let decides = |other: &BarrierOp| {
            self.graph.exprs.leaves(self.event(other.event).guard).contains(read)
        };
        let own = self.event(e).agent;
        let first = |arrivals: bool, count: usize| {
            let there = self.at_barrier(op, thread);
            let own: Vec<_> =
                there.filter(|o| if arrivals { o.arrives } else { o.waits }).collect();
            (own.len() >= count, own.into_iter().take(count).any(decides))
        };
        let cluster = matches!(op.key, BarrierKey::Cluster(_));
        // Who does not come by an operation of the same kind may come by one of the other.
        let ways = match op.arrives {
            true => [first(true, turn + 1), first(false, turn + 1)],
            false => [first(false, turn + 1), first(true, turn + 2)],
        };
        let of_warp = ways.into_iter().find_map(|(comes, decides)| comes.then_some(decides));
        let with_warp = cluster
            && self.same_warp(own, thread)
            && (op.arrives || self.leaves_together(op, own, thread));
        (with_warp && of_warp == Some(true))
            || (!(cluster && op.arrives)
                && self.waits_for(op, own, thread)
                && first(true, turn + 1).1)
    }

    /// Whether an operation marks the arrival of its warp when another one has begun, or is passed at
    /// the barrier of a cluster.
    pub(super) fn arrives_with(&self, mate: EventId, e: EventId) -> bool {
        let Some((op, turn)) = self.turn(e) else { return false };
        let thread = self.event(mate).agent;
        let of_warp = matches!(op.rule, BarrierRule::Count(_))
            || (matches!(op.key, BarrierKey::Cluster(_)) && self.takes_turns(op));
        let mut alike = self.at_barrier(op, thread).filter(|other| other.arrives == op.arrives);
        of_warp
            && self.same_warp(self.event(e).agent, thread)
            && alike.nth(turn).is_some_and(|other| other.event == mate)
    }

    /// Whether an operation waits at the barrier of a cluster, where another thread of the warp does.
    fn leaves_together(&self, op: &'e BarrierOp, own: AgentId, other: AgentId) -> bool {
        let cluster = matches!(op.key, BarrierKey::Cluster(_));
        op.waits && cluster && self.takes_turns(op) && self.same_warp(own, other)
    }

    /// Whether its thread surely arrives and waits in turns at the barrier of a cluster up to this
    /// operation. One that does not misuses the barrier, with nobody who comes there in its turn.
    fn takes_turns(&self, op: &'e BarrierOp) -> bool {
        let guard = |other: &BarrierOp| self.event(other.event).guard;
        let mut arrived: Option<&BarrierOp> = None;
        for other in self.at_barrier(op, self.event(op.event).agent) {
            if other.event > op.event {
                break;
            }
            arrived = match arrived {
                None if other.arrives => Some(other),
                Some(arrival) if other.waits && self.implies(other, arrival) => {
                    let over = guard(other) == guard(arrival) || self.implies(op, other);
                    if !over {
                        return false;
                    }
                    None
                }
                _ => return false,
            };
        }
        true
    }

    /// Whether one operation happens only with another one.
    fn implies(&self, one: &BarrierOp, other: &BarrierOp) -> bool {
        let literals = |of: &BarrierOp| self.graph.exprs.literals(self.event(of.event).guard, 64);
        self.graph.exprs.is_true(self.event(other.event).guard)
            || literals(one)
                .zip(literals(other))
                .is_some_and(|(one, other)| other.iter().all(|x| one.contains(x)))
    }

    /// Whether these are two threads of one warp.
    fn same_warp(&self, own: AgentId, other: AgentId) -> bool {
        let place = |agent: AgentId| {
            let place = self.graph.agents[agent.index()].place()?;
            Some((place.gpu, place.grid, place.cta, place.warp?))
        };
        own != other && place(own).is_some() && place(own) == place(other)
    }

    /// Whether a barrier operation of one thread is complete only with another thread: at a barrier
    /// for all, any of its group; at one with a count, and to arrive at that of a cluster, those of the
    /// warp.
    fn waits_for(&self, op: &BarrierOp, own: AgentId, other: AgentId) -> bool {
        let place = |agent: AgentId| self.graph.agents[agent.index()].place();
        let Some(there) = place(other) else { return false };
        let same_warp = self.same_warp(own, other);
        own != other
            && match &op.key {
                BarrierKey::Cta(..) if matches!(op.rule, BarrierRule::Count(_)) => same_warp,
                BarrierKey::Cta(group, _) => *group == (there.gpu, there.grid, there.cta),
                BarrierKey::Cluster(_) if op.arrives => same_warp,
                BarrierKey::Cluster(group) => *group == (there.gpu, there.grid, there.cluster),
                BarrierKey::Warp(_, mask) | BarrierKey::Exchange(_, mask, _) => {
                    let mates = self.graph.agents[..other.index()].iter();
                    let lane = mates.filter(|a| {
                        a.place().is_some_and(|p| {
                            (p.gpu, p.grid, p.cta, p.warp)
                                == (there.gpu, there.grid, there.cta, there.warp)
                        })
                    });
                    same_warp && mask >> lane.count() & 1 == 1
                }
                BarrierKey::Instance(..) => false,
            }
    }

    /// The operations at a barrier that a thread may come to.
    fn at_barrier(
        &self,
        op: &'e BarrierOp,
        thread: AgentId,
    ) -> impl Iterator<Item = &'e BarrierOp> {
        let graph = self.graph;
        graph.barriers.iter().filter(move |other| {
            let event = graph.event(other.event);
            other.key == op.key
                && event.agent == thread
                && !graph.exprs.is_false(event.guard)
                && self.is_for(op, other)
        })
    }

    /// Whether an operation can complete a generation with another one: without a count, that of all
    /// threads, it never meets those with the count of fewer.
    fn is_for(&self, op: &BarrierOp, other: &BarrierOp) -> bool {
        let BarrierRule::Count(count) = other.rule else { return true };
        let threads = self.graph.members(&op.key).into_iter();
        let warps: BTreeSet<_> = threads.map(|thread| self.graph.warp_of(thread)).collect();
        let fewer = |n: u128| n != 32 * warps.len() as u128;
        op.rule != BarrierRule::AllLive || !self.graph.exprs.constant(count).is_some_and(fewer)
    }

    /// The operation of an event that waits at a barrier for all, or marks the arrival of a warp at one
    /// with a count or at that of a cluster, and in which turn of its thread at the earliest. Arrivals
    /// and waits at the barrier of a cluster are numbered apart.
    fn turn(&self, e: EventId) -> Option<(&'e BarrierOp, usize)> {
        let graph = self.graph;
        let EventKind::Barrier(index) = graph.event(e).kind else { return None };
        let op = &graph.barriers[index];
        let guard = |other: &BarrierOp| graph.event(other.event).guard;
        let mut here = graph.barriers.iter().filter(|other| other.key == op.key);
        let of_warp = |count| graph.exprs.constant(count).is_some_and(|n| n > 0 && n % 32 == 0);
        let held = match op.rule {
            BarrierRule::Count(count) => {
                op.arrives && matches!(op.key, BarrierKey::Cta(..)) && of_warp(count)
            }
            _ if matches!(op.key, BarrierKey::Cluster(_)) => op.waits || self.takes_turns(op),
            _ => op.waits && here.all(|other| !matches!(other.rule, BarrierRule::Quorum(_))),
        };
        // Where values decide counts, turns say nothing: only that all come or end.
        let mut here = graph.barriers.iter().filter(|other| other.key == op.key);
        let known = |count| graph.exprs.constant(count).is_some();
        if here.any(|o| matches!(o.rule, BarrierRule::Count(count) if !known(count)))
            && op.rule == BarrierRule::AllLive
        {
            return held.then_some((op, 0));
        }
        let before = graph.barriers.iter().filter(|other| {
            other.key == op.key
                && other.arrives == op.arrives
                && self.is_for(op, other)
                && other.event < e
                && graph.event(other.event).agent == graph.event(e).agent
                && (graph.exprs.is_true(guard(other)) || guard(other) == guard(op))
        });
        held.then(|| (op, before.count()))
    }

    pub(super) fn event(&self, e: EventId) -> &'e Event {
        self.graph.event(e)
    }

    pub(super) fn rf(&self, w: EventId, r: EventId) -> bool {
        self.execution.relation(BaseRel::Rf).contains(w, r)
    }

    pub(super) fn co(&self, a: EventId, b: EventId) -> bool {
        self.execution.relation(BaseRel::Co).contains(a, b)
    }

    pub(super) fn sc(&self, a: EventId, b: EventId) -> bool {
        self.execution.relation(BaseRel::FenceSc).contains(a, b)
    }

    /// PTX-8.9.7
    pub(super) fn fr(&self, r: EventId, w: EventId) -> bool {
        self.events.iter().any(|&from| self.rf(from, r) && self.co(from, w))
    }

    pub(super) fn base_cause(&self, a: EventId, b: EventId) -> bool {
        self.base.contains(a, b)
    }

    pub(super) fn cause(&self, a: EventId, b: EventId) -> bool {
        self.causality.contains(a, b)
    }

    pub(super) fn writes(&self, e: EventId) -> bool {
        self.event(e).is_write()
    }

    fn memory(&self, e: EventId) -> bool {
        self.event(e).is_memory()
    }

    /// Whether the event is the read of an `atom` or `red`.
    pub(super) fn is_atomic_read(&self, e: EventId) -> bool {
        self.event(e).is_read() && self.event(e).marks.rmw
    }

    /// Whether the event is of an mbarrier operation.
    pub(super) fn is_of_mbarrier(&self, e: EventId) -> bool {
        self.event(e).marks.mbarrier
    }

    /// Whether the event writes an mbarrier object by an mbarrier operation.
    pub(super) fn writes_mbarrier(&self, e: EventId) -> bool {
        self.writes(e) && self.event(e).marks.mbarrier
    }

    pub(super) fn same_access(&self, a: EventId, b: EventId) -> bool {
        self.event(a).access == self.event(b).access
    }

    /// All pieces of the access that an event is a piece of.
    pub(super) fn pieces(&self, e: EventId) -> &'e [EventId] {
        &self.graph.access(self.event(e).access).pieces
    }

    pub(super) fn rmw(&self, r: EventId, w: EventId) -> bool {
        let write = self.event(w);
        write.is_write() && self.graph.access(write.access).rmw_read == Some(self.event(r).access)
    }

    /// PTX-8.9.1
    pub(super) fn po(&self, a: EventId, b: EventId) -> bool {
        let (x, y) = (self.event(a), self.event(b));
        // Of one atomic instruction, the elements are in no order (reading V1).
        let elements = x.is_read() && y.is_write() && x.position + 1 == y.position;
        let thread =
            |e: &Event| matches!(self.graph.agents[e.agent.index()].kind, AgentKind::Thread(..));
        x.agent == y.agent && thread(x) && x.position < y.position && (!elements || self.rmw(a, b))
    }

    /// Physical overlap of two pieces.
    pub(super) fn overlap(&self, a: EventId, b: EventId) -> bool {
        self.memory(a) && self.memory(b) && self.event(a).loc == self.event(b).loc
    }

    /// Overlap at one virtual address (PTX-8.2.2).
    pub(super) fn virtual_overlap(&self, a: EventId, b: EventId) -> bool {
        self.overlap(a, b) && self.graph.access_of(a).virt == self.graph.access_of(b).virt
    }

    /// Whether some pieces of two accesses overlap at one virtual address.
    pub(super) fn accesses_overlap(&self, a: EventId, b: EventId) -> bool {
        let mut pieces = self.pieces(a).iter();
        pieces.any(|&p| self.pieces(b).iter().any(|&q| self.virtual_overlap(p, q)))
    }

    /// Complete overlap (PTX-8.2.1).
    fn same(&self, a: EventId, b: EventId) -> bool {
        let bytes = |e| {
            let access = self.graph.access_of(e);
            (access.virt, access.object, access.offset, access.bytes)
        };
        self.memory(a) && self.memory(b) && bytes(a) == bytes(b)
    }

    /// PTX-8.5: whether the scope of `a` includes the thread of `b`, or another CTA that performs it. The
    /// scope `.cta` of an asynchronous access is that of each CTA which performs it.
    pub(super) fn includes(&self, a: EventId, b: EventId) -> bool {
        let (x, y) = (self.event(a), self.event(b));
        let place = |e: &Event| self.graph.agents[e.agent.index()].site();
        let (p, q) = (place(x), place(y));
        let wide = |same: &dyn Fn(Place, Place) -> bool| p.zip(q).is_some_and(|(p, q)| same(p, q));
        match x.scope {
            None => false,
            Some(Scope::Sys) => true,
            _ if x.agent == y.agent => true,
            Some(Scope::Gpu) => wide(&|p, q| p.gpu == q.gpu),
            Some(Scope::Cluster) => {
                wide(&|p, q| (p.gpu, p.grid, p.cluster) == (q.gpu, q.grid, q.cluster))
            }
            Some(Scope::Cta) => self.same_cta(a, b),
        }
    }

    fn is_fence(&self, e: EventId, orders: &[Order]) -> bool {
        let event = self.event(e);
        matches!(event.kind, EventKind::Fence(_))
            && event.order.is_some_and(|order| orders.contains(&order))
    }

    fn releasing_fence(&self, e: EventId) -> bool {
        self.is_fence(e, &[Order::Release, Order::AcqRel, Order::Sc])
    }

    fn acquiring_fence(&self, e: EventId) -> bool {
        self.is_fence(e, &[Order::Acquire, Order::AcqRel, Order::Sc])
    }

    /// PTX-8.4
    pub(super) fn strong(&self, e: EventId) -> bool {
        let weak = matches!(self.event(e).order, None | Some(Order::Weak));
        matches!(self.event(e).kind, EventKind::Fence(_)) || (self.memory(e) && !weak)
    }

    /// PTX-8.4: release operations; a failing compare-and-swap keeps its qualifier.
    pub(super) fn releases(&self, e: EventId) -> bool {
        let event = self.event(e);
        self.memory(e) && (event.order == Some(Order::Release) || event.marks.releasing_read)
    }

    /// PTX-8.4: acquire operations.
    fn acquires(&self, e: EventId) -> bool {
        self.memory(e) && self.event(e).order == Some(Order::Acquire)
    }

    pub(super) fn generic(&self, e: EventId) -> bool {
        self.memory(e)
            && self.event(e).kind != EventKind::Init
            && self.event(e).proxy == Proxy::Generic
    }

    pub(super) fn same_proxy(&self, a: EventId, b: EventId) -> bool {
        let init = |e: EventId| self.event(e).kind == EventKind::Init;
        !init(a) && !init(b) && self.event(a).proxy == self.event(b).proxy
    }

    /// PTX-8.7
    pub(super) fn morally_strong(&self, a: EventId, b: EventId) -> bool {
        let strong = self.strong(a) && self.strong(b);
        let in_order = self.po(a, b) || self.po(b, a);
        let related = in_order || (strong && self.includes(a, b) && self.includes(b, a));
        let both_memory = self.memory(a) && self.memory(b);
        let comparable = !both_memory || (self.same_proxy(a, b) && self.same(a, b));
        !self.same_access(a, b) && related && comparable
    }

    /// A read that takes all its pieces from one morally strong write (PTX-8.9.2).
    fn observes(&self, w: EventId, r: EventId) -> bool {
        let from_write = |&p: &EventId| self.pieces(w).iter().any(|&q| self.rf(q, p));
        self.event(r).is_read()
            && self.writes(w)
            && self.morally_strong(w, r)
            && self.pieces(r).iter().all(from_write)
    }

    /// PTX-8.9.2: through read-modify-writes, `red` included.
    fn observation(&self) -> Rel {
        let mut out = self.all(|w, r| self.observes(w, r));
        loop {
            let further = self.all(|w, r| {
                let through = |(a, b): (EventId, EventId)| {
                    out.contains(w, a) && self.rmw(a, b) && self.observes(b, r)
                };
                out.contains(w, r) || self.pairs().any(through)
            });
            if further == out {
                return out;
            }
            out = further;
        }
    }

    /// PTX-8.8
    fn release_pattern(&self, first: EventId, last: EventId) -> bool {
        if first == last {
            return self.writes(first) && self.releases(first);
        }
        let strong_write = self.writes(last) && self.strong(last);
        let operation = self.releases(first) && self.same(first, last);
        strong_write && self.po(first, last) && (operation || self.releasing_fence(first))
    }

    /// Whether an acquire pattern may start with a read: not with that of a `red`, or of an mbarrier
    /// operation that is no wait (PTX-8.8).
    pub(super) fn may_start(&self, read: EventId) -> bool {
        let event = self.event(read);
        let excluded = event.marks.red || (event.marks.mbarrier && event.marks.rmw);
        event.is_read() && self.strong(read) && !excluded
    }

    /// PTX-8.8
    fn acquire_pattern(&self, first: EventId, last: EventId) -> bool {
        if !self.may_start(first) {
            return false;
        }
        if first == last {
            return self.acquires(first);
        }
        let operation = self.acquires(last) && self.same(first, last);
        let fence = self.acquiring_fence(last) && self.covered(first, last);
        self.po(first, last) && (operation || fence || self.ends_later_wait(first, last))
    }

    /// Whether the second is the fence of a wait on the mbarrier that the first has read before
    /// (PTX-9.7.13.15).
    fn ends_later_wait(&self, first: EventId, last: EventId) -> bool {
        let is_wait = |&read: &EventId| {
            self.event(read).marks.mbarrier
                && self.may_start(read)
                && self.same(first, read)
                && self.po(first, read)
                && self.po(read, last)
                && self.covered(read, last)
        };
        self.acquiring_fence(last) && self.events.iter().any(is_wait)
    }

    /// PTX-8.9.4
    fn synchronization(&self, a: EventId, b: EventId) -> bool {
        let given = [BaseRel::FenceSc, BaseRel::BarrierSync, BaseRel::WarpSync, BaseRel::Api];
        given.iter().any(|&r| self.execution.relation(r).contains(a, b))
            || self.cluster_barrier(a, b)
            || self.tensormap_fences(a, b)
            || self.early_launch(a, b)
            || (self.same_cta(a, b) && self.phases.contains(&(a, b)))
            || (self.morally_strong(a, b)
                && self
                    .observation
                    .iter_pairs()
                    .any(|(w, r)| self.release_pattern(a, w) && self.acquire_pattern(r, b)))
    }

    /// PTX-9.7.13.15: an arrival with release semantics and what an acquiring wait adds to its read,
    /// where it finds the phase complete, whatever other CTAs have done to the object.
    fn ends_phase(&self, arrival: EventId, acquired: EventId) -> bool {
        let event = self.event(arrival);
        let arrives = event.marks.mbarrier && self.writes(arrival) && self.releases(arrival);
        let waits = |wait: EventId| {
            let before = self.event(wait);
            let is_wait = before.is_read() && before.marks.mbarrier && !before.marks.rmw;
            is_wait && self.po(wait, acquired) && self.covered(wait, acquired)
        };
        arrives
            && self.event(acquired).kind == EventKind::Fence(Restriction::Wait)
            && self.acquiring_fence(acquired)
            && self.events.iter().any(|&wait| {
                waits(wait) && self.is_next_phase(arrival, wait) && self.leads_to(arrival, wait)
            })
    }

    /// PTX-9.7.13.15: an access before an arrival, and one behind a wait that finds its phase complete,
    /// to one place.
    pub(super) fn reuses(&self, a: EventId, b: EventId) -> bool {
        self.reused.contains(a, b)
    }

    /// Whether a wait finds the phase after that in which an arrival was.
    fn is_next_phase(&self, arrival: EventId, wait: EventId) -> bool {
        let fields = self.graph.mbarriers;
        let phases = 1 << fields.phase_bits();
        let phase = |access: AccessId| {
            let value = self.execution.value(self.graph.access(access).value)?;
            Some((value >> fields.phase_at()) % phases)
        };
        let arrived = self.graph.access_of(arrival).rmw_read.and_then(phase);
        let found = phase(self.event(wait).access);
        arrived.zip(found).is_some_and(|(arrived, found)| arrived < found)
    }

    /// Whether a read has its value from a write through read-modify-writes, whatever their scopes.
    fn leads_to(&self, write: EventId, read: EventId) -> bool {
        let rf = self.execution.relation(BaseRel::Rf);
        let mut chain = vec![write];
        let mut at = 0;
        while let Some(&last) = chain.get(at) {
            at += 1;
            for &r in self.events.iter().filter(|&&r| rf.contains(last, r)) {
                let updates =
                    self.events.iter().filter(|&&w| self.rmw(r, w) && !chain.contains(&w));
                let updates: Vec<EventId> = updates.copied().collect();
                chain.extend(updates);
            }
        }
        chain.iter().any(|&w| rf.contains(w, read))
    }

    /// Whether an event is a wait on an mbarrier that returns true behind an arrival.
    pub(super) fn is_satisfied(&self, e: EventId) -> bool {
        self.execution.relation(BaseRel::PhaseAny).iter_pairs().any(|(_, wait)| wait == e)
    }

    /// Whether the second waits for the arrival of the first at the barrier of the cluster, or comes behind
    /// an operation that waits for it at another one.
    pub(super) fn leaves_with(&self, a: EventId, b: EventId) -> bool {
        let meets = |relation, at| self.execution.relation(relation).contains(a, at);
        let other = |at| meets(BaseRel::BarrierSync, at) || meets(BaseRel::WarpSync, at);
        meets(BaseRel::ClusterSync, b) || self.events.iter().any(|&at| other(at) && self.po(at, b))
    }

    /// PTX-9.7.13.13: a release fence of the device or the system, and what a launch behind it starts.
    fn early_launch(&self, a: EventId, b: EventId) -> bool {
        let reaches = matches!(self.event(a).scope, Some(Scope::Gpu | Scope::Sys));
        let mut launches = self.graph.launch_edges.iter();
        self.releasing_fence(a)
            && reaches
            && self.includes(a, b)
            && launches.any(|&(launch, start)| start == b && self.po(a, launch))
    }

    /// PTX-9.7.13.4: proxy fences of the tensormap proxy, in patterns that only they form together.
    fn tensormap_fences(&self, a: EventId, b: EventId) -> bool {
        let is = |e: EventId, wanted: Order| {
            let event = self.event(e);
            let tensormap = matches!(
                event.kind,
                EventKind::ProxyFence(
                    ProxyFenceKind::TensormapRelease(_) | ProxyFenceKind::TensormapAcquire(_)
                )
            );
            tensormap && event.order == Some(wanted)
        };
        let starts = |w| self.po(a, w) && self.writes(w) && self.strong(w);
        let ends = |r| self.po(r, b) && self.may_start(r);
        is(a, Order::Release)
            && is(b, Order::Acquire)
            && self.includes(a, b)
            && self.includes(b, a)
            && self.observation.iter_pairs().any(|(w, r)| starts(w) && ends(r))
    }

    /// PTX-9.7.13.3: an arrival synchronizes with the waits of its phase; a relaxed one lends its
    /// edges to the release fences before it, as far as their scope reaches.
    fn cluster_barrier(&self, a: EventId, b: EventId) -> bool {
        let meets = |arrival| self.execution.relation(BaseRel::ClusterSync).contains(arrival, b);
        let relaxed = |arrival| self.event(arrival).order == Some(Order::Relaxed);
        let later = |&&arrival: &&EventId| self.po(a, arrival) && relaxed(arrival);
        (meets(a) && !relaxed(a))
            || (self.releasing_fence(a)
                && self.includes(a, b)
                && self.events.iter().filter(later).any(|&arrival| meets(arrival)))
    }

    /// Program order that a restricted fence gives (PTX-9.7.13.4).
    pub(super) fn covered(&self, a: EventId, b: EventId) -> bool {
        let shared = |e: EventId| {
            let object = self.memory(e).then(|| self.graph.access_of(e).object.index())?;
            self.graph.objects[object].shared
        };
        let own = |e: EventId| {
            let place = self.graph.agents[self.event(e).agent.index()].place()?;
            Some((place.gpu, place.grid, place.cta))
        };
        let before = match self.event(b).kind {
            EventKind::Fence(Restriction::ReleaseSharedCta) => {
                shared(a).is_some() && shared(a) == own(b)
            }
            EventKind::Fence(Restriction::MbarrierInit) => self.event(a).marks.mbarrier_init,
            EventKind::Fence(Restriction::Wait) => {
                self.event(a).position + 1 == self.event(b).position
            }
            _ => true,
        };
        let after = match self.event(a).kind {
            EventKind::Fence(Restriction::AcquireSharedCluster) => shared(b).is_some(),
            _ => true,
        };
        self.po(a, b) && before && after
    }

    /// PTX-8.9.5: proxy-preserved base causality.
    fn proxy_preserved(&self, a: EventId, b: EventId) -> bool {
        let alias_fence = |&f: &EventId| // That of 9.4 which releases is one of these, too.
            matches!(
                self.event(f).kind,
                EventKind::ProxyFence(ProxyFenceKind::Alias | ProxyFenceKind::AliasRelease)
            );
        // API calls order accesses of every proxy, and aliases (PTX-8.9.4).
        let across_call = || {
            self.execution.relation(BaseRel::Api).iter_pairs().any(|(x, y)| {
                (a == x || self.base.contains(a, x)) && (b == y || self.base.contains(y, b))
            })
        };
        let base = |x: EventId, y: EventId| self.base.contains(x, y);
        let aliased = |x: EventId, y: EventId| {
            self.events.iter().any(|f| alias_fence(f) && base(x, *f) && base(*f, y))
        };
        let preserved = || match self.virtual_overlap(a, b) {
            true => {
                (self.same_proxy(a, b) && self.same_cta(a, b) && base(a, b))
                    || self.through_generic(a, b, base)
                    || self.one_way(a, b)
            }
            false => self.through_generic(a, b, aliased),
        };
        self.overlap(a, b) && (preserved() || (base(a, b) && across_call()))
    }

    /// PTX-8.9.5
    fn causes(&self, a: EventId, b: EventId) -> bool {
        let initial = self.graph.agents[self.event(a).agent.index()].kind == AgentKind::Init;
        let follows = |r: EventId| self.proxy_preserved(r, b);
        self.proxy_preserved(a, b)
            || self.observation.row(a).any(follows)
            || (initial && self.event(b).kind != EventKind::Init && self.overlap(a, b))
    }
}
