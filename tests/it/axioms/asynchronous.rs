//! What asynchronous operations add to the relations of chapter 8: copies, reductions and stores through
//! the generic and the async proxy. Operations of the tensor cores and those with tensor maps have no
//! clause here.
//!
//! Of an operation only its events are taken from the graph, by the part that they have in it; what
//! comes before what is said here again.

use super::derived::Derived;
use ptxmc::testing::bitrel::Rel;
use ptxmc::testing::event::graph::{AgentKind, EventGraph, EventKind, Operation};
use ptxmc::testing::id::EventId;
use ptxmc::testing::ptx::operation::{Order, Proxy, ProxyFenceKind, Space};
use ptxmc::testing::vocabulary::BaseRel;

/// Whether all operations of a program have clauses here.
#[must_use]
pub fn knows(graph: &EventGraph) -> bool {
    graph.operations.iter().all(|operation| {
        operation.tensor.is_none()
            && !operation.is_joint
            && !operation.is_commit
            && operation.maps.is_empty()
    })
}

/// The steps of operations, between events that happen.
pub(super) struct Steps {
    /// From an issue to everything that the operation does (PTX-8.9.1.1).
    pub issue: Rel,
    /// From one to a later event of an operation.
    pub intra: Rel,
    /// From completions to waits for groups.
    pub done: Rel,
    /// From accesses to completions of the part of the operation that they are in.
    completed: Rel,
}

impl Steps {
    /// Of no operation.
    pub(super) fn none(empty: &Rel) -> Self {
        let [issue, intra, done, completed] = [(); 4].map(|()| empty.clone());
        Self { issue, intra, done, completed }
    }

    pub(super) fn of(d: &Derived<'_>) -> Self {
        let mut steps = Self {
            issue: d.none(),
            intra: d.none(),
            done: d.given(BaseRel::Done),
            completed: d.none(),
        };
        for operation in &d.graph.operations {
            steps.add(d, operation);
        }
        steps.intra.transitive_closure_in_place();
        for steps in [&mut steps.issue, &mut steps.intra, &mut steps.completed] {
            *steps = d.all(|a, b| steps.contains(a, b));
        }
        steps
    }

    fn add(&mut self, d: &Derived<'_>, operation: &Operation) {
        for part in &operation.parts {
            for &read in &operation.reads {
                self.complete(read, part.complete);
            }
            for &access in &part.writes {
                self.complete(access, part.complete);
                self.complete(access, operation.complete);
                // Byte by byte: what is read is written at the same distance from the start.
                for &read in &operation.reads {
                    if d.distance(read, &operation.reads) == d.distance(access, &part.writes) {
                        self.intra.insert(read, access);
                    }
                }
                for &other in &part.writes {
                    if d.rmw(access, other) {
                        self.intra.insert(access, other);
                    }
                }
            }
            if part.complete != operation.complete {
                self.intra.insert(part.complete, operation.complete);
            }
            for &signal in &part.signals {
                self.intra.insert(part.complete, signal);
                for &other in part.signals.iter().filter(|&&other| d.rmw(signal, other)) {
                    self.intra.insert(signal, other);
                }
            }
            for &earlier in &operation.behind {
                self.intra.insert(d.graph.operations[earlier].complete, part.complete);
            }
        }
        for &read in &operation.reads {
            self.complete(read, operation.complete);
            if let Some(reads) = operation.reads_complete {
                self.complete(read, reads);
                for part in &operation.parts {
                    self.intra.insert(reads, part.complete);
                }
            }
        }
        let own = d.graph.ids().filter(|&e| d.graph.event(e).agent == operation.agent);
        own.for_each(|e| _ = self.issue.insert(operation.issue, e));
    }

    fn complete(&mut self, access: EventId, completion: EventId) {
        self.intra.insert(access, completion);
        self.completed.insert(access, completion);
    }
}

/// One step, and then the other.
pub(super) fn then(first: &Rel, second: &Rel) -> Rel {
    let mut out = Rel::empty(first.len());
    first.compose_into(second, &mut out);
    out
}

/// A step or none.
pub(super) fn perhaps(step: &Rel) -> Rel {
    either(step, &Rel::identity(step.len()))
}

pub(super) fn either(one: &Rel, other: &Rel) -> Rel {
    let mut out = one.clone();
    out.union_with(other);
    out
}

impl Derived<'_> {
    pub(super) fn none(&self) -> Rel {
        Rel::empty(self.graph.events.len())
    }

    /// The operation that an event is of.
    fn operation(&self, e: EventId) -> Option<usize> {
        match self.graph.agents[self.event(e).agent.index()].kind {
            AgentKind::Operation(index, _) => Some(index),
            AgentKind::Init | AgentKind::Thread(..) => None,
        }
    }

    pub(super) fn is_signal(&self, e: EventId) -> bool {
        self.event(e).marks.mbarrier && self.operation(e).is_some()
    }

    /// How many bytes a piece is from the first of some accesses.
    fn distance(&self, piece: EventId, among: &[EventId]) -> u64 {
        let place = |e: EventId| {
            let access = self.graph.access_of(e);
            access.offset + u64::from(self.graph.slice(e).0 / 8)
        };
        place(piece) - among.iter().map(|&e| place(e)).min().expect("the piece is one of them")
    }

    /// The CTAs that an event is performed in: that of its thread, and for an asynchronous access to
    /// shared memory the owner's (reading V39).
    pub(super) fn places(&self, e: EventId) -> Vec<(u32, u32, u32)> {
        let event = self.event(e);
        let site = self.graph.agents[event.agent.index()].site();
        let mut places: Vec<_> = site.map(|p| (p.gpu, p.grid, p.cta)).into_iter().collect();
        if self.operation(e).is_some() && event.is_memory() {
            places.extend(self.graph.objects[self.graph.access_of(e).object.index()].shared);
        }
        places
    }

    /// Whether some CTA performs both.
    pub(super) fn same_cta(&self, a: EventId, b: EventId) -> bool {
        let there = self.places(b);
        self.places(a).iter().any(|place| there.contains(place))
    }

    fn asynchronous(&self, e: EventId) -> bool {
        self.event(e).is_memory() && self.event(e).proxy == Proxy::Async
    }

    /// PTX-8.9.5 with PTX-8.9.1.1: program order and synchronization; operations behind their issue and
    /// before what waits for them or synchronizes with their signals, but never both.
    pub(super) fn base_causality(&self) -> Rel {
        let Steps { issue, intra, done, .. } = &self.steps;
        let releases =
            |e: EventId| self.writes(e) && self.releases(e) && !self.event(e).marks.mbarrier;
        // A release by an operation covers what is issued before it; a signal does not.
        let issued = self.all(|a, b| issue.contains(a, b) && releases(b));
        let synchronizes = then(&perhaps(&issued), &self.synchronizes);
        let covered = perhaps(&self.all(|a, b| self.covered(a, b)));
        let mut passed = then(&covered, &synchronizes);
        passed.transitive_closure_in_place();
        let passed = then(&passed, &covered);
        let threads = either(&self.all(|a, b| self.po(a, b)), &passed);
        let inside = perhaps(intra);
        let to_issue = perhaps(issue);
        let waited = then(&then(&then(&inside, done), &perhaps(&threads)), &to_issue);
        let signalled = then(&then(intra, &passed), &to_issue);
        let issued = then(&perhaps(&threads), issue);
        [&issued, intra, &waited, &signalled]
            .into_iter()
            .fold(threads, |base, more| either(&base, more))
    }

    /// Whether an event is a fence from the async to the generic proxy for an access (PTX-9.7.13.4, and
    /// PTX-9.7.9.25.2 of completions).
    fn leads_out(&self, fence: EventId, access: EventId) -> bool {
        match self.event(fence).kind {
            EventKind::Complete(_) => {
                let own = self.operation(fence).map(|index| &self.graph.operations[index]);
                let implied = own.is_some_and(|o| {
                    o.name.starts_with("cp.async.bulk") || o.name.starts_with("cp.reduce")
                });
                implied && self.steps.completed.contains(access, fence)
            }
            EventKind::ProxyFence(ProxyFenceKind::Async(_)) => {
                self.fences(fence, access) && self.same_cta(fence, access)
            }
            _ => false,
        }
    }

    /// Whether an event is a fence from the generic to the async proxy for an access; one-way fences are none
    /// by themselves (reading V44).
    fn leads_in(&self, fence: EventId, access: EventId) -> bool {
        matches!(self.event(fence).kind, EventKind::ProxyFence(ProxyFenceKind::Async(_)))
            && self.fences(fence, access)
            && self.same_cta(fence, access)
    }

    /// Whether a proxy fence is for the memory of an access (reading V40).
    fn fences(&self, fence: EventId, access: EventId) -> bool {
        let owner = self.graph.objects[self.graph.access_of(access).object.index()].shared;
        let own = self.graph.agents[self.event(fence).agent.index()].place();
        let Some(own) = own else { return false };
        let cluster = || {
            let mut places = self.graph.agents.iter().filter_map(|agent| agent.place());
            places.any(|p| {
                Some((p.gpu, p.grid, p.cta)) == owner
                    && (p.gpu, p.grid, p.cluster) == (own.gpu, own.grid, own.cluster)
            })
        };
        match self.event(fence).kind {
            EventKind::ProxyFence(ProxyFenceKind::Async(None)) => true,
            EventKind::ProxyFence(ProxyFenceKind::Async(Some(Space::Global))) => owner.is_none(),
            EventKind::ProxyFence(
                ProxyFenceKind::Async(Some(Space::SharedCta)) | ProxyFenceKind::AsyncGenericRelease,
            ) => owner == Some((own.gpu, own.grid, own.cta)),
            EventKind::ProxyFence(
                ProxyFenceKind::Async(Some(Space::SharedCluster))
                | ProxyFenceKind::AsyncGenericAcquire,
            ) => cluster(),
            _ => false,
        }
    }

    /// The places in base causality from which an access is seen by the generic proxy.
    fn exits(&self, a: EventId) -> Vec<EventId> {
        if self.generic(a) {
            return vec![a];
        }
        let fences =
            |&&f: &&EventId| self.asynchronous(a) && self.base_cause(a, f) && self.leads_out(f, a);
        self.events.iter().filter(fences).copied().collect()
    }

    /// The places in base causality behind which the generic proxy is seen by an access.
    fn entries(&self, b: EventId) -> Vec<EventId> {
        if self.generic(b) {
            return vec![b];
        }
        let fences =
            |&&f: &&EventId| self.asynchronous(b) && self.base_cause(f, b) && self.leads_in(f, b);
        self.events.iter().filter(fences).copied().collect()
    }

    /// PTX-8.9.5: whether base causality leads from one access to another through the generic proxy, where
    /// `leads` says what is asked of the way between.
    pub(super) fn through_generic(
        &self,
        a: EventId,
        b: EventId,
        leads: impl Fn(EventId, EventId) -> bool,
    ) -> bool {
        let entries = self.entries(b);
        self.exits(a).iter().any(|&x| entries.iter().any(|&y| leads(x, y)))
    }

    /// PTX-9.7.13.4: accesses that are over before a one-way release fence, and copies behind the acquire
    /// fence of a thread that it hands over to, by an observation or by a barrier of the cluster.
    pub(super) fn one_way(&self, a: EventId, b: EventId) -> bool {
        let is =
            |f: EventId, kind: ProxyFenceKind| self.event(f).kind == EventKind::ProxyFence(kind);
        let over = |f: EventId| {
            (self.generic(a) && self.po(a, f) && self.fences(f, a))
                || (self.asynchronous(a)
                    && self.events.iter().any(|&c| {
                        let complete = matches!(self.event(c).kind, EventKind::Complete(_));
                        complete && self.leads_out(c, a) && self.base_cause(c, f)
                    }))
        };
        let releases: Vec<EventId> = self
            .events
            .iter()
            .copied()
            .filter(|&f| is(f, ProxyFenceKind::AsyncGenericRelease) && over(f))
            .collect();
        self.asynchronous(b)
            && self.events.iter().any(|&f| {
                is(f, ProxyFenceKind::AsyncGenericAcquire)
                    && self.base_cause(f, b)
                    && self.fences(f, b)
                    && releases.iter().any(|&release| self.hands_over(release, f))
            })
    }

    fn hands_over(&self, release: EventId, acquire: EventId) -> bool {
        let observed = || {
            self.observed().any(|(w, r)| {
                let strong = self.strong(w) && self.may_start(r);
                strong && self.po(release, w) && self.po(r, acquire)
            })
        };
        let barrier = || {
            let sync = self.given(BaseRel::ClusterSync);
            sync.iter_pairs().any(|(x, y)| self.po(release, x) && self.po(y, acquire))
        };
        self.po(release, acquire)
            || (self.includes(release, acquire)
                && self.includes(acquire, release)
                && (observed() || barrier()))
    }

    /// PTX-9.7.13.15: accesses before an arrival and behind a wait for its phase, to one place, that have
    /// one proxy or a fence between.
    pub(super) fn reused(&self) -> Rel {
        let Steps { issue, intra, done, .. } = &self.steps;
        let over = self.all(|a, b| self.phases.contains(&(a, b)));
        let handed = self.all(|a, b| over.contains(a, b) && !self.is_signal(a));
        let near = self.all(|a, b| over.contains(a, b) && self.same_cta(a, b));
        let seen = either(done, &then(intra, &near));
        let po = self.all(|a, b| self.po(a, b));
        let waited = then(&then(&perhaps(intra), &seen), &po);
        let issued = then(&po, issue);
        let alike = then(&then(&either(&po, &waited), &handed), &either(&po, &issued));
        let fenced_out = |c: EventId, a: EventId| self.leads_out(c, a);
        let own = self.all(|a, c| {
            let complete = matches!(self.event(c).kind, EventKind::Complete(_));
            complete && self.asynchronous(a) && fenced_out(c, a)
        });
        let back = then(&then(&then(&then(&own, &seen), &po), &handed), &po);
        let fences = |f: EventId, b: EventId| self.leads_in(f, b);
        let before = self.all(|f, b| {
            let ways = || self.handed_on(f, b, &handed, &issued);
            self.asynchronous(b) && fences(f, b) && ways()
        });
        let behind = self.all(|f, b| self.asynchronous(b) && fences(f, b) && issued.contains(f, b));
        let fenced = either(&then(&po, &before), &then(&then(&then(&po, &handed), &po), &behind));
        let is = |f: EventId, kind| self.event(f).kind == EventKind::ProxyFence(kind);
        let released = self.all(|a, f| {
            is(f, ProxyFenceKind::AsyncGenericRelease)
                && self.generic(a)
                && self.po(a, f)
                && self.fences(f, a)
        });
        let acquired = self.all(|f, b| {
            is(f, ProxyFenceKind::AsyncGenericAcquire)
                && self.asynchronous(b)
                && issued.contains(f, b)
                && self.fences(f, b)
        });
        let pair = then(&then(&then(&then(&released, &po), &handed), &po), &acquired);
        let fenced = either(&fenced, &pair);
        self.all(|a, b| {
            let memory = |e: EventId| self.event(e).is_memory() && !self.event(e).marks.mbarrier;
            let one_proxy = (!self.asynchronous(a) && !self.asynchronous(b))
                || (self.asynchronous(a) && self.asynchronous(b) && self.same_cta(a, b));
            memory(a)
                && memory(b)
                && self.overlap(a, b)
                && ((one_proxy && alike.contains(a, b))
                    || (self.asynchronous(a) && self.generic(b) && back.contains(a, b))
                    || (self.generic(a) && fenced.contains(a, b)))
        })
    }

    /// Whether a fence is before an arrival, and an access is issued behind a wait for its phase.
    fn handed_on(&self, fence: EventId, access: EventId, handed: &Rel, issued: &Rel) -> bool {
        let mut pairs = handed.iter_pairs();
        pairs.any(|(arrival, wait)| self.po(fence, arrival) && issued.contains(wait, access))
    }

    /// PTX-9.7.9.25.1: what has happened before what, whatever it orders.
    fn happened(&self) -> Rel {
        let Steps { issue, intra, done, .. } = &self.steps;
        let at_object = |e: EventId| self.event(e).marks.mbarrier;
        let mut out = self.all(|a, b| {
            let object = at_object(a) && at_object(b) && (self.co(a, b) || self.fr(a, b));
            self.po(a, b) || self.rf(a, b) || object || self.meets_at_barrier(a, b)
        });
        let given = [BaseRel::Exchange, BaseRel::Api].map(|relation| self.given(relation));
        for steps in [issue, intra, done].into_iter().chain(&given) {
            out.union_with(steps);
        }
        out.transitive_closure_in_place();
        out
    }

    /// Whether a copy's access to its source or destination and another one to the same place are apart in
    /// time, or both strong.
    fn apart(&self, happened: &Rel, of_copy: EventId, other: EventId) -> bool {
        let Some(index) = self.operation(of_copy) else { return true };
        let strong = |e: EventId| {
            matches!(self.event(e).order, Some(Order::Relaxed | Order::Acquire | Order::Release))
        };
        let completions =
            self.events.iter().filter(|&&c| self.steps.completed.contains(of_copy, c));
        let issue = self.graph.operations[index].issue;
        self.operation(other) == Some(index)
            || (strong(of_copy) && strong(other))
            || happened.contains(other, issue)
            || completions.copied().any(|c| happened.contains(c, other))
    }

    /// Whether an access is one of a copy or of its reductions, to what it moves.
    fn is_of_copy(&self, e: EventId) -> bool {
        let name = self.operation(e).map_or("", |index| self.graph.operations[index].name);
        let moves = name.starts_with("cp.async") || name.starts_with("cp.reduce");
        moves && self.event(e).is_memory() && !self.event(e).marks.mbarrier
    }

    /// PTX-9.7.9.25.1: the destination of a copy is not read, and its source not written, before the copy is
    /// complete. Gives whether both hold.
    pub(super) fn copies_are_undisturbed(&self) -> [bool; 2] {
        let happened = self.happened();
        let fine = |of_copy: EventId, other: EventId| {
            !self.overlap(of_copy, other) || self.apart(&happened, of_copy, other)
        };
        let plain =
            |e: EventId| !self.event(e).marks.mbarrier && self.event(e).kind != EventKind::Init;
        let all = |holds: &dyn Fn(EventId, EventId) -> bool| {
            self.pairs().filter(|&(a, b)| self.is_of_copy(a) && plain(b)).all(|(a, b)| holds(a, b))
        };
        [
            all(&|a, b| !(self.writes(a) && self.event(b).is_read()) || fine(a, b)),
            all(&|a, b| !(self.event(a).is_read() && self.writes(b)) || fine(a, b)),
        ]
    }

    /// PTX-9.7.9.25.3.2: copies of one group do not write one place.
    pub(super) fn groups_are_apart(&self) -> bool {
        let together = |a: EventId, b: EventId| {
            let (Some(a), Some(b)) = (self.operation(a), self.operation(b)) else { return false };
            a != b && self.graph.groups.iter().any(|group| group.contains(&a) && group.contains(&b))
        };
        self.pairs().all(|(a, b)| {
            !(self.writes(a) && self.writes(b) && self.overlap(a, b) && together(a, b))
        })
    }

    /// PTX-8.7.1: accesses that conflict and that nothing orders.
    pub(super) fn races(&self, a: EventId, b: EventId) -> bool {
        let conflict = (self.writes(a) || self.writes(b)) && self.overlap(a, b);
        let initial = |e: EventId| self.event(e).kind == EventKind::Init;
        let ordered = |a: EventId, b: EventId| {
            self.cause(a, b) || self.events.iter().any(|&w| self.rmw(a, w) && self.cause(w, b))
        };
        conflict
            && !initial(a)
            && !initial(b)
            && !self.same_access(a, b)
            && !self.morally_strong(a, b)
            && !ordered(a, b)
            && !ordered(b, a)
    }
}
