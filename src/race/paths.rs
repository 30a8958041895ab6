//! The search for the path that comes closest to an order: over events, and over writes that release and
//! reads that observe them, by the least effort that would make the links hold (Dijkstra).

use super::near::{How, Link, NearMiss, effort};
use super::{sequential, tensor};
use crate::bitrel::{EventSet, Rel};
use crate::defect::Defect;
use crate::event::base::base_relation;
use crate::event::graph::{AgentKind, EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::id::{AgentId, EventId, NodeId};
use crate::program::micro::Restriction;
use crate::ptx::operation::{Order, Proxy};
use crate::relation::eval::{Interpretation, Values, evaluate_roots};
use crate::relation::expr::Model;
use crate::vocabulary::{BaseRel, BaseSet};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The most events of an execution that is analysed.
const MOST_EVENTS: usize = 300;

/// The length of a missing link between threads of different warps: of paths that lack as much, one on
/// which a warp has to meet and known synchronization does the rest comes closer.
const FAR: usize = 8;

/// The path that comes closest to ordering the first event before the last; `None` if there is
/// none, if the execution is large, or if the model lacks a definition that paths need.
#[must_use]
pub fn nearest(
    model: &Model,
    execution: &Execution<'_>,
    first: EventId,
    last: EventId,
) -> Option<NearMiss> {
    Paths { execution, known: &Evaluated::new(model, execution)? }.nearest(first, last)
}

/// The closest path among several pairs that should be ordered, each in its direction.
#[must_use]
pub fn nearest_of(
    model: &Model,
    execution: &Execution<'_>,
    pairs: impl IntoIterator<Item = (EventId, EventId)>,
) -> Option<NearMiss> {
    nearest_by(&Evaluated::new(model, execution)?, execution, pairs)
}

/// As [`nearest_of`], with what the model says of the execution.
pub(super) fn nearest_by(
    known: &Evaluated,
    execution: &Execution<'_>,
    pairs: impl IntoIterator<Item = (EventId, EventId)>,
) -> Option<NearMiss> {
    let paths = Paths { execution, known };
    let found = pairs.into_iter().filter_map(|(first, last)| paths.nearest(first, last));
    let found = found.filter(|path| path.distance() > 0);
    found.min_by_key(|path| (path.effort(), paths.length(path), path.first, path.last))
}

/// The pairs that would have to be ordered to exclude this execution of the outcome. A read would
/// precede its source, or a write a read that does not see the write. None if the execution is
/// large.
#[must_use]
pub fn wanted(execution: &Execution<'_>) -> Vec<(EventId, EventId)> {
    let graph = execution.graph;
    // The number of pairs is quadratic in the number of events.
    if graph.events.len() > MOST_EVENTS {
        return Vec::new();
    }
    let (rf, co) = (execution.relation(BaseRel::Rf), execution.relation(BaseRel::Co));
    let agent = |id: EventId| graph.event(id).agent;
    let is_init = |id: EventId| graph.event(id).kind == EventKind::Init;
    let mut out = Vec::new();
    for read in graph.ids().filter(|&id| graph.event(id).is_read()) {
        let source = graph.ids().find(|&id| rf.contains(id, read));
        for write in graph.ids().filter(|&id| graph.event(id).kind == EventKind::Write) {
            let same = graph.event(read).loc == graph.event(write).loc;
            let happens = execution.executed.contains(read) && execution.executed.contains(write);
            if !same || !happens || agent(read) == agent(write) {
                continue;
            }
            match source {
                Some(source) if source == write => out.push((read, write)),
                Some(source) if is_init(source) || !co.contains(write, source) => {
                    out.push((write, read));
                }
                _ => {}
            }
        }
    }
    out
}

/// The position on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum State {
    /// At an event.
    At(EventId),
    /// At a write that releases the events before.
    Released(EventId),
    /// At a read that observes such a write.
    Observed(EventId),
}

impl State {
    fn event(self) -> EventId {
        let (Self::At(id) | Self::Released(id) | Self::Observed(id)) = self;
        id
    }

    fn index(self) -> usize {
        match self {
            Self::At(id) => 3 * id.index(),
            Self::Released(id) => 3 * id.index() + 1,
            Self::Observed(id) => 3 * id.index() + 2,
        }
    }
}

/// An execution whose fences are in no Fence-SC order. Where nothing else orders two fences, another execution
/// has them the other way round, so that no path may count on their order.
struct WithoutFenceOrder<'e> {
    execution: &'e Execution<'e>,
    none: Rel,
}

impl Interpretation for WithoutFenceOrder<'_> {
    fn len(&self) -> usize {
        self.execution.len()
    }

    fn set(&self, set: BaseSet) -> &EventSet {
        self.execution.set(set)
    }

    fn relation(&self, relation: BaseRel) -> &Rel {
        match relation {
            BaseRel::FenceSc => &self.none,
            _ => self.execution.relation(relation),
        }
    }
}

/// The relations of a model from which paths are built, in an execution.
pub(super) struct Evaluated {
    values: Values,
    /// What waits for operations that the tensor cores have to complete, if the model knows that.
    tensor: Option<tensor::Orders>,
    synchronizes: NodeId,
    observation: NodeId,
    release: NodeId,
    acquire: NodeId,
    before: NodeId,
    causality: NodeId,
}

impl Evaluated {
    /// `None` if the execution is large, or if the model lacks a definition.
    pub(super) fn new(model: &Model, execution: &Execution<'_>) -> Option<Self> {
        if execution.graph.events.len() > MOST_EVENTS {
            return None;
        }
        let names = [
            "synchronizes",
            "observation",
            "release-pattern",
            "acquire-pattern",
            "base-causality",
            "causality",
        ];
        let roots: Vec<NodeId> = names.iter().filter_map(|name| model.definition(name)).collect();
        let &[synchronizes, observation, release, acquire, before, causality] = &roots[..] else {
            return None;
        };
        let none = Rel::empty(execution.len());
        let values = evaluate_roots(&model.arena, &roots, &WithoutFenceOrder { execution, none });
        let tensor = tensor::Orders::of(model, execution);
        Some(Self {
            values,
            tensor,
            synchronizes,
            observation,
            release,
            acquire,
            before,
            causality,
        })
    }
}

/// Paths through an execution.
struct Paths<'e> {
    execution: &'e Execution<'e>,
    known: &'e Evaluated,
}

impl<'e> Paths<'e> {
    fn graph(&self) -> &'e EventGraph {
        self.execution.graph
    }

    fn holds(&self, relation: NodeId, from: EventId, to: EventId) -> bool {
        self.known.values.relation(relation).contains(from, to)
    }

    fn po(&self, from: EventId, to: EventId) -> bool {
        self.execution.relation(BaseRel::Po).contains(from, to)
    }

    fn agent(&self, id: EventId) -> AgentId {
        self.graph().event(id).agent
    }

    /// Whether an access or fence is strong (PTX-8.4).
    fn is_strong(&self, id: EventId) -> bool {
        self.graph().event(id).order.is_some_and(|order| order != Order::Weak)
    }

    fn events(&self) -> impl Iterator<Item = EventId> + '_ {
        let init = |id: EventId| self.graph().event(id).kind == EventKind::Init;
        self.graph().ids().filter(move |&id| self.execution.executed.contains(id) && !init(id))
    }

    /// The path with the fewest defects, and among these with the fewest links; between accesses to Tensor
    /// Memory, one through the fences of the tensor cores where there is one.
    fn nearest(&self, first: EventId, last: EventId) -> Option<NearMiss> {
        let tensor = self
            .known
            .tensor
            .as_ref()
            .and_then(|orders| orders.nearest(self.execution, first, last));
        tensor.or_else(|| self.shortest(first, last))
    }

    fn shortest(&self, first: EventId, last: EventId) -> Option<NearMiss> {
        let goal = State::At(last);
        let mut best: Vec<Option<(usize, usize)>> = vec![None; 3 * self.graph().events.len()];
        let mut via: Vec<Option<(State, Link)>> = vec![None; best.len()];
        let mut queue = BinaryHeap::from([Reverse(((0, 0), State::At(first)))]);
        best[State::At(first).index()] = Some((0, 0));
        while let Some(Reverse((cost, state))) = queue.pop() {
            if best[state.index()] != Some(cost) {
                continue;
            }
            if state == goal {
                break;
            }
            for (next, link, length) in self.links(state, first, last) {
                let cost = (cost.0 + effort(&link.missing), cost.1 + length);
                if best[next.index()].is_none_or(|known| cost < known) {
                    best[next.index()] = Some(cost);
                    via[next.index()] = Some((state, link));
                    queue.push(Reverse((cost, next)));
                }
            }
        }
        best[goal.index()]?;
        let (mut links, mut state) = (Vec::new(), goal);
        while let Some((from, link)) = via[state.index()].take() {
            links.push(link);
            state = from;
        }
        links.reverse();
        // A read by one access from the other is no way between them.
        let itself =
            |link: &Link| link.how == How::Observes && (link.from, link.to) == (first, last);
        if links.iter().any(itself) {
            return None;
        }
        let mut path = NearMiss { first, last, links };
        path.links.extend(self.proxies(&path));
        Some(path)
    }

    /// How long a path is: the number of links, of which one that has to meet another warp counts for several.
    fn length(&self, path: &NearMiss) -> usize {
        let is_far = |link: &Link| link.how == How::Meets && self.is_far(link.from, link.to);
        let of = |link: &Link| if is_far(link) && !link.missing.is_empty() { FAR } else { 1 };
        path.links.iter().map(of).sum()
    }

    /// The links from a state, each with its length.
    fn links(&self, state: State, first: EventId, last: EventId) -> Vec<(State, Link, usize)> {
        let from = state.event();
        let mut out = Vec::new();
        let mut add = |next: State, how: How, missing: Vec<Defect>, length: usize| {
            out.push((next, Link { from, to: next.event(), how, missing }, length));
        };
        match state {
            State::At(_) => {
                for to in self.events().filter(|&to| to != from) {
                    if self.po(from, to) {
                        add(State::At(to), How::ProgramOrder, Vec::new(), 1);
                    } else if self.holds(self.known.synchronizes, from, to) {
                        let barrier =
                            matches!(self.graph().event(from).kind, EventKind::Barrier(_));
                        let how = if barrier { How::Meets } else { How::Synchronizes };
                        add(State::At(to), how, Vec::new(), 1);
                    } else if self.holds(self.known.before, from, to) {
                        if self.is_immediate(from, to) {
                            add(State::At(to), How::Causality, Vec::new(), 3);
                        }
                    } else if !self.holds(self.known.before, to, from) {
                        if let Some((how, missing)) = self.apart(from, to, first, last) {
                            let is_far = how == How::Meets && self.is_far(from, to);
                            let length = if is_far { FAR } else { 1 };
                            add(State::At(to), how, missing, length);
                        } else if from != first
                            && to != last
                            && sequential::overwrites(self.execution, from, to)
                        {
                            add(State::At(to), How::Overwrites, vec![Defect::NoSequentialFence], 1);
                        } else {
                            let narrow = sequential::narrow_scopes(self.execution, from, to);
                            if !narrow.is_empty() {
                                add(State::At(to), How::FenceOrder, narrow, 1);
                            }
                        }
                    }
                }
                for write in self.events().filter(|&w| self.graph().event(w).is_write()) {
                    if (write == from || self.po(from, write)) && self.is_read_elsewhere(write) {
                        add(State::Released(write), How::Releases, self.unreleased(from, write), 1);
                    }
                }
            }
            State::Released(write) => {
                for read in self.events().filter(|&r| self.graph().event(r).is_read()) {
                    let reads = self.execution.relation(BaseRel::Rf).contains(write, read);
                    let observes = self.holds(self.known.observation, write, read);
                    if (reads || observes) && self.agent(read) != self.agent(write) {
                        let missing =
                            if observes { Vec::new() } else { self.unobserved(write, read) };
                        add(State::Observed(read), How::Observes, missing, 1);
                    }
                }
            }
            State::Observed(read) => {
                // Observation goes on through a read-modify-write, whatever its order.
                let rmw = self.execution.relation(BaseRel::Rmw);
                for write in rmw.row(read).filter(|&write| self.is_read_elsewhere(write)) {
                    add(State::Released(write), How::Updates, Vec::new(), 1);
                }
                if self.is_read_again(read) {
                    return out;
                }
                for to in self.events().filter(|&to| to == read || self.po(read, to)) {
                    add(State::At(to), How::Acquires, self.unacquired(read, to), 1);
                }
            }
        }
        out
    }

    /// Whether two events are of threads of different warps.
    fn is_far(&self, from: EventId, to: EventId) -> bool {
        let warp = |id: EventId| {
            let place = self.graph().agents[self.agent(id).index()].site()?;
            Some((place.cta_of_test(), place.warp?))
        };
        let [one, other] = [from, to].map(warp);
        one.is_none() || one != other
    }

    /// Whether base causality has no event between two that it relates, so that there is nothing to tell of
    /// the way from one to the other.
    fn is_immediate(&self, from: EventId, to: EventId) -> bool {
        let (po, before) =
            (self.execution.relation(BaseRel::Po), self.known.values.relation(self.known.before));
        let leads = |between: EventId| {
            between != to && (before.contains(between, to) || po.contains(between, to))
        };
        !before.row(from).chain(po.row(from)).any(leads)
    }

    /// Whether a read is half of a reduction or of an arrival on an mbarrier; that of a wait is neither.
    fn starts_no_acquire(&self, read: EventId) -> bool {
        let marks = self.graph().event(read).marks;
        marks.red || marks.mbarrier && marks.rmw
    }

    /// Whether the read of a reduction or an arrival is followed by another one of its thread that can acquire.
    fn is_read_again(&self, read: EventId) -> bool {
        let event = |id: EventId| self.graph().event(id);
        let acquires = |id: EventId| {
            let marks = event(id).marks;
            event(id).is_read() && !marks.red && !(marks.mbarrier && marks.rmw)
        };
        !acquires(read)
            && self
                .events()
                .any(|id| self.po(read, id) && event(id).loc == event(read).loc && acquires(id))
    }

    /// Whether a thread other than that of a write reads from it.
    fn is_read_elsewhere(&self, write: EventId) -> bool {
        let rf = self.execution.relation(BaseRel::Rf);
        self.events().any(|read| rf.contains(write, read) && self.agent(read) != self.agent(write))
    }

    /// The defects that keep a write from releasing the events before it.
    fn unreleased(&self, from: EventId, write: EventId) -> Vec<Defect> {
        let release = self.known.values.relation(self.known.release);
        let before = |start: EventId| from == start || self.po(from, start);
        let released = self.events().any(|start| before(start) && release.contains(start, write));
        let fenced = self.fence_between(from, write, Order::Release);
        match (released, self.is_strong(write)) {
            (true, _) => Vec::new(),
            // That the write is weak is a defect of its observation.
            (false, false) if fenced => Vec::new(),
            (false, _) => vec![Defect::NoRelease],
        }
    }

    /// The defects that keep a read from acquiring for the events after it.
    fn unacquired(&self, read: EventId, to: EventId) -> Vec<Defect> {
        let acquire = self.known.values.relation(self.known.acquire);
        let behind = |end: EventId| to == end || self.po(end, to);
        if self.events().any(|end| behind(end) && acquire.contains(read, end)) {
            return Vec::new();
        }
        match self.starts_no_acquire(read) {
            true => vec![Defect::ThroughReduction],
            false if self.fence_between(read, to, Order::Acquire) => Vec::new(),
            false => vec![Defect::NoAcquire],
        }
    }

    /// Whether a fence that releases or acquires stands between two operations of a thread.
    fn fence_between(&self, from: EventId, to: EventId, order: Order) -> bool {
        self.events().any(|id| {
            let event = self.graph().event(id);
            let strong = event.order.is_some_and(|own| own.has_half(order));
            let between = self.po(from, id) && self.po(id, to);
            matches!(event.kind, EventKind::Fence(_)) && strong && between
        })
    }

    /// The defects that keep a read from observing the write that it reads from.
    fn unobserved(&self, write: EventId, read: EventId) -> Vec<Defect> {
        let includes = base_relation(self.graph(), BaseRel::Includes);
        let both = self.is_strong(write) && self.is_strong(read);
        let narrow = |x: EventId, y: EventId| both && !includes.contains(x, y);
        let mut missing = Vec::new();
        if !both {
            missing.push(Defect::WeakAccess);
        }
        if narrow(write, read) {
            missing.push(Defect::ScopeTooNarrow);
        }
        if narrow(read, write) {
            missing.push(Defect::ScopeTooNarrow);
        }
        missing
    }

    /// A missing link between two unordered events. A missing barrier is considered only next to
    /// the first or the last event of the path.
    fn apart(
        &self,
        from: EventId,
        to: EventId,
        first: EventId,
        last: EventId,
    ) -> Option<(How, Vec<Defect>)> {
        let meets = [BaseRel::ClusterSync, BaseRel::Exchange];
        if meets.iter().any(|&relation| self.execution.relation(relation).contains(from, to)) {
            return Some((How::Meets, vec![Defect::UnorderingBarrier]));
        }
        if let (EventKind::Complete(_), AgentKind::Operation(..)) =
            (&self.graph().event(from).kind, self.graph().agents[self.agent(from).index()].kind)
        {
            let issuer = self.graph().operation_of(from).map(|operation| operation.issue);
            if !issuer.is_some_and(|issue| self.po(issue, to)) && !self.signals_at(from, to) {
                return None;
            }
            if self.waits_for(from, to) {
                return Some((How::Completes, Vec::new()));
            }
            let end = if self.agent(last) == self.agent(to) { last } else { to };
            return (!self.is_awaited(from, end))
                .then(|| (How::Completes, vec![Defect::NotWaitedFor]));
        }
        let cta = |id: EventId| crate::event::base::cta_of(self.graph(), id);
        let threads = [from, to].map(|id| {
            matches!(self.graph().agents[self.agent(id).index()].kind, AgentKind::Thread(..))
        });
        let near = threads == [true; 2] && cta(from).is_some() && cta(from) == cta(to);
        let hop = (from == first || to == last) && self.agent(from) != self.agent(to);
        (near && hop).then(|| (How::Meets, vec![Defect::NoBarrier]))
    }

    /// Whether an event is a wait at an object that the operation which completes signals, in an execution
    /// that may be cut before the wait is over.
    fn waits_for(&self, completion: EventId, wait: EventId) -> bool {
        let event = |id: EventId| self.graph().event(id);
        let signals = |id: EventId| {
            self.agent(id) == self.agent(completion)
                && event(id).marks.mbarrier
                && event(id).loc == event(wait).loc
        };
        let marks = event(wait).marks;
        marks.mbarrier && !marks.rmw && event(wait).is_read() && self.events().any(signals)
    }

    /// Whether an operation that completes signals at an object in the CTA of an event, whose thread may
    /// wait there.
    fn signals_at(&self, completion: EventId, at: EventId) -> bool {
        // Operations of the tensor cores have fences of their own.
        if self.graph().operation_of(completion).is_none_or(|operation| !operation.is_copy) {
            return false;
        }
        let cta = crate::event::base::cta_of(self.graph(), at);
        let signals = |id: EventId| {
            self.agent(id) == self.agent(completion)
                && self.graph().event(id).marks.mbarrier
                && crate::event::base::shared_of(self.graph(), id) == cta
        };
        cta.is_some() && self.events().any(signals)
    }

    /// Whether a read before an event takes its value from a signal of the operation that completes.
    fn is_awaited(&self, completion: EventId, at: EventId) -> bool {
        let rf = self.execution.relation(BaseRel::Rf);
        let signals = |id: EventId| {
            self.agent(id) == self.agent(completion) && self.graph().event(id).marks.mbarrier
        };
        self.events()
            .filter(|&read| self.po(read, at))
            .any(|read| self.events().any(|signal| signals(signal) && rf.contains(signal, read)))
    }

    /// The missing proxy fence between the ends of a path, or the fence on it whose restriction is
    /// to blame.
    fn proxies(&self, path: &NearMiss) -> Option<Link> {
        let (first, last) = (path.first, path.last);
        let holds = path.distance() == 0;
        // The completion of an operation with a wait is a fence for its accesses.
        let signals = |link: &Link| {
            link.how == How::Releases
                && self.graph().event(link.to).marks.mbarrier
                && self.agent(link.to) == self.agent(first)
        };
        let completes = path.links.iter().any(|link| link.how == How::Completes || signals(link));
        if completes || self.holds(self.known.causality, first, last) {
            return None;
        }
        let [one, other] = [first, last].map(|id| self.graph().event(id).proxy);
        let virt = [first, last].map(|id| self.graph().access_of(id).virt);
        let on_path = |id: EventId| {
            let mut ends = path.links.iter().flat_map(|link| [link.from, link.to]);
            ends.any(|end| self.agent(end) == self.agent(id))
        };
        let fenced = self.events().any(|id| {
            matches!(self.graph().event(id).kind, EventKind::ProxyFence(_)) && on_path(id)
        });
        let generic = one == Proxy::Generic && other == Proxy::Generic;
        let defect = match (one != other, virt[0] != virt[1], holds) {
            (false, false, true)
                if !self.holds(self.known.before, first, last) && self.is_limited(path) =>
            {
                Defect::RestrictedFence
            }
            (false, false, true) if generic => return None,
            // Asynchronous accesses of two CTAs need a fence between them even within one proxy.
            (false, false, true) => Defect::NoProxyFence,
            (false, false, false) => return None,
            // An existing fence may suffice once the rest of the path holds.
            (_, _, false) if fenced => return None,
            (false, true, _) if generic => Defect::NoAliasFence,
            _ => Defect::NoProxyFence,
        };
        Some(Link { from: first, to: last, how: How::ChangesProxy, missing: vec![defect] })
    }

    /// Whether a fence of the threads on a path does not cover an access on it (PTX-9.7.13.4). A
    /// wait at an mbarrier, which orders only its own preceding read, is not limited by the program
    /// and does not count.
    fn is_limited(&self, path: &NearMiss) -> bool {
        let uncovered = self.execution.relation(BaseRel::Uncovered);
        let on_path: Vec<EventId> =
            path.links.iter().flat_map(|link| [link.from, link.to]).collect();
        self.events().any(|id| match self.graph().event(id).kind {
            EventKind::Fence(Restriction::None | Restriction::Wait) => false,
            EventKind::Fence(_) => {
                on_path.iter().any(|&at| uncovered.contains(at, id) || uncovered.contains(id, at))
            }
            _ => false,
        })
    }
}
