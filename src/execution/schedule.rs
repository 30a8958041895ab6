//! Schedules of barrier operations alone, explored as explicit states. They show misuses that some
//! order of the operations reaches, and where threads are blocked in programs without a complete
//! execution.
//!
//! In [certain](Schedules::new) schedules, only operations that surely happen take part; a thread
//! stops before the first that may not happen, and a thread that may be cut is not known to end.
//! Nor does a thread get past a wait for a task with a thread that does not end. Each event of such
//! a schedule therefore happens in some run of the program. In [possible](Schedules::possible)
//! schedules, each event of some run happens in a schedule.

use super::barriers::Barriers;
use super::cluster_phase::Awaited;
use super::phase::TooMany;
use crate::collections::{IndexMap, IndexSet};
use crate::event::graph::EventGraph;
use crate::id::{AgentId, BarrierId, EventId};
use crate::waiting::barrier::{BarrierKey, BarrierRule, Quota};
use crate::waiting::phase::{Whom, has_come, lacks};
use crate::waiting::reading::Concrete;
use petgraph::unionfind::UnionFind;
use rustc_hash::FxHashSet;
use typed_index_collections::TiVec;

/// A use of a barrier that is undefined (PTX-9.7.13.1), by two operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Misuse {
    /// A thread uses the barrier again before it is reset.
    EarlyReturn(BarrierId, BarrierId),
    /// Their thread counts differ.
    DifferentCounts(BarrierId, BarrierId),
    /// Only one of them reduces.
    Mixture(BarrierId, BarrierId),
}

impl Misuse {
    /// The operations, if thread counts or the reset of the barrier are at fault.
    fn counted(self) -> Option<(BarrierId, BarrierId)> {
        match self {
            Self::EarlyReturn(a, b) | Self::DifferentCounts(a, b) => Some((a, b)),
            Self::Mixture(..) => None,
        }
    }
}

/// A transition system over the barrier operations of threads: each path is an order of operations.
pub struct Schedules<'a> {
    barriers: Barriers<'a>,
    threads: Vec<Thread>,
    /// For each thread, the other threads of its warp.
    mates: Vec<Vec<usize>>,
    /// For each operation of the graph at a cluster barrier, its conditions on its warp.
    awaited: TiVec<BarrierId, Vec<Awaited>>,
    /// For each operation of the graph, whether it may be left out.
    optional: TiVec<BarrierId, bool>,
    /// For each operation of the graph, the threads that have to have ended before, by the order of
    /// tasks.
    earlier: TiVec<BarrierId, Vec<usize>>,
}

/// The certain barrier operations of a thread.
#[derive(Clone)]
struct Thread {
    /// The thread's operations, up to the first that may not happen.
    operations: Vec<BarrierId>,
    /// The first operation that may not happen, if any.
    next: Option<BarrierId>,
    /// Whether the thread ends after them.
    ends: bool,
    /// The threads that have to have ended before the thread ends, by the order of tasks.
    earlier: Vec<usize>,
}

/// The progress of all threads.
#[derive(Clone, PartialEq, Eq, Hash)]
struct State {
    /// For each thread, the number of operations begun.
    begun: Vec<usize>,
    /// For each thread, whether it waits in the last of them.
    waits: Vec<bool>,
    /// For each barrier with counts, the arrivals since it was reset.
    arrivals: Vec<(BarrierId, Vec<BarrierId>)>,
    /// Arrivals in completed generations in which no thread waited, though other threads had to
    /// arrive. Nothing tells their threads that the barrier has been reset, so that the next use of the
    /// barrier by such a thread may come too early.
    unnoticed: Vec<BarrierId>,
}

impl Thread {
    /// A thread without barrier operations, which ends.
    const IDLE: Self = Self { operations: Vec::new(), next: None, ends: true, earlier: Vec::new() };
}

/// The most states that are explored.
const MOST_STATES: usize = 20_000;

impl<'a> Schedules<'a> {
    /// The schedules of these operations.
    #[must_use]
    pub fn new(barriers: Barriers<'a>) -> Self {
        let graph = barriers.graph;
        let mut threads = vec![Thread::IDLE; graph.agents.len()];
        for (index, op) in graph.barriers.iter_enumerated() {
            let event = graph.event(op.event);
            let thread = &mut threads[event.agent.index()];
            let known = op.count().is_none() || barriers.quota(index).is_some();
            if graph.exprs.is_true(event.guard) && known && thread.ends {
                thread.operations.push(index);
            } else if !graph.exprs.is_false(event.guard) {
                thread.next.get_or_insert(index);
                thread.ends = false;
            }
        }
        for cut in &graph.cuts {
            threads[cut.agent.index()].ends = false;
        }
        let optional = TiVec::from(vec![false; graph.barriers.len()]);
        let waits = |event| !graph.exprs.is_false(graph.event(event).guard);
        Self::of_threads(barriers, threads, optional, waits)
    }

    /// The schedules of all operations that may happen; each optional operation may be left out.
    /// Barriers whose participants or counts are unknown hold no thread back.
    #[must_use]
    pub fn possible(graph: &'a EventGraph) -> Self {
        let guard = |event: EventId| graph.event(event).guard;
        let happens = |event| !graph.exprs.is_false(guard(event));
        let barriers = Barriers::new(graph, happens, |count| graph.exprs.constant(count));
        let certain = |b: &BarrierId| graph.exprs.is_true(guard(barriers.op(*b).event));
        let counts = |b: &BarrierId| graph.knows_count(barriers.op(*b));
        let mut threads = vec![Thread::IDLE; graph.agents.len()];
        let mut optional = TiVec::from(vec![false; graph.barriers.len()]);
        for key in barriers.keys() {
            let operations = barriers.of_key(key);
            let all_certain = operations.iter().all(certain);
            if operations.iter().all(counts) && (all_certain || barriers.counted(key)) {
                for &b in &operations {
                    threads[barriers.agent(b).index()].operations.push(b);
                    optional[b] = !certain(&b);
                }
            }
        }
        threads.iter_mut().for_each(|thread| thread.operations.sort_unstable());
        let waits = |event| graph.exprs.is_true(guard(event));
        Self::of_threads(barriers, threads, optional, waits)
    }

    /// The schedules of these threads; events for which `waits` holds wait for tasks.
    fn of_threads(
        barriers: Barriers<'a>,
        mut threads: Vec<Thread>,
        optional: TiVec<BarrierId, bool>,
        waits: impl Fn(EventId) -> bool,
    ) -> Self {
        let agents: Vec<AgentId> = (0..threads.len()).map(AgentId::new).collect();
        let mut mates = vec![Vec::new(); threads.len()];
        for warp in barriers.warps(&agents).into_values() {
            let warp: Vec<usize> = warp.into_iter().map(AgentId::index).collect();
            for &thread in &warp {
                mates[thread] = warp.iter().copied().filter(|&mate| mate != thread).collect();
            }
        }
        let mut awaited: TiVec<BarrierId, Vec<Awaited>> = TiVec::new();
        awaited.resize_with(barriers.graph.barriers.len(), Vec::new);
        barriers.waits_for_warps().into_iter().for_each(|(b, other)| awaited[b].push(other));
        let first = first_waits(barriers.graph, waits);
        let mut earlier = TiVec::new();
        earlier.resize_with(barriers.graph.barriers.len(), Vec::new);
        for (&(thread, other), &from) in &first {
            threads[thread].earlier.push(other);
            for &b in threads[thread].operations.iter().filter(|&&b| barriers.op(b).event >= from) {
                earlier[b].push(other);
            }
        }
        Self { barriers, threads, mates, awaited, optional, earlier }
    }

    /// A misuse in some schedule that `counts`.
    ///
    /// # Errors
    /// When there are too many schedules to look at.
    pub fn first_misuse(
        &self,
        counts: impl Fn(&Misuse) -> bool,
    ) -> Result<Option<Misuse>, TooMany> {
        let (mut found, mut incomplete) = (None, Ok(()));
        for crowd in self.components() {
            let all = self.explore(&crowd, |_, misuse| {
                found = found.or(misuse.filter(&counts));
                found.is_some()
            });
            incomplete = incomplete.and(all);
            if found.is_some() {
                return Ok(found);
            }
        }
        incomplete.map(|()| None)
    }

    /// Whether all threads pass all operations in every schedule; `false` if there are too many
    /// schedules to explore.
    #[must_use]
    pub fn all_pass(&self) -> bool {
        self.components().iter().all(|crowd| {
            let mut pass = true;
            let all = self.explore(crowd, |state, _| {
                let goes_on = |&thread: &usize| matches!(self.step(state, thread), Some(Ok(_)));
                let has_passed = |&thread: &usize| {
                    let Thread { operations, next, .. } = &self.threads[thread];
                    let has_begun = state.begun[thread] == operations.len() && next.is_none();
                    has_begun && !state.waits[thread]
                };
                pass &= crowd.iter().any(goes_on) || crowd.iter().all(has_passed);
                !pass
            });
            all.is_ok() && pass
        })
    }

    /// The misused pairs of operations of all schedules.
    ///
    /// # Errors
    /// When there are too many schedules to look at.
    pub fn misuses(&self) -> Result<IndexSet<(BarrierId, BarrierId)>, TooMany> {
        let mut found = IndexSet::default();
        for crowd in self.components() {
            self.explore(&crowd, |_, misuse| {
                found.extend(misuse.and_then(Misuse::counted));
                false
            })?;
        }
        Ok(found)
    }

    /// The threads as connected components by shared barriers and tasks, given the operations of
    /// each.
    fn connected<'o>(
        &self,
        operations: impl Iterator<Item = &'o [BarrierId]> + Clone,
    ) -> UnionFind<usize> {
        let mut of = UnionFind::new(self.threads.len());
        let all = || operations.clone().flatten().copied();
        let keys: IndexSet<&BarrierKey> = all().map(|b| self.key(b)).collect();
        let mut concerned = IndexSet::default();
        for key in keys {
            let here = || all().filter(|&b| self.key(b) == key);
            let users = here().map(|b| self.barriers.agent(b).index());
            // A barrier with counts depends only on the ends of other threads of the users' warps.
            let counted = here().all(|b| matches!(self.barriers.op(b).rule, BarrierRule::Count(_)));
            let others: Vec<usize> = if counted {
                users.clone().flat_map(|user| &self.mates[user]).copied().collect()
            } else {
                self.barriers.graph.members(key).into_iter().map(AgentId::index).collect()
            };
            let together: Vec<usize> = users.chain(others).collect();
            together.windows(2).for_each(|pair| _ = of.union(pair[0], pair[1]));
            concerned.extend(together);
        }
        // The ends of these threads matter, and also the ends of the threads for which they wait.
        let mut at = 0;
        while let Some(&thread) = concerned.get_index(at) {
            for &earlier in &self.threads[thread].earlier {
                of.union(thread, earlier);
                concerned.insert(earlier);
            }
            at += 1;
        }
        of
    }

    /// The threads with operations, by connected component. Components are independent of each other.
    fn components(&self) -> Vec<Vec<usize>> {
        let of = self.connected(self.threads.iter().map(|thread| thread.operations.as_slice()));
        let mut out: IndexMap<usize, Vec<usize>> = IndexMap::default();
        for (thread, own) in self.threads.iter().enumerate() {
            if !own.operations.is_empty() {
                out.entry(of.find(thread)).or_default().push(thread);
            }
        }
        out.into_values().collect()
    }

    fn key(&self, operation: BarrierId) -> &'a BarrierKey {
        &self.barriers.op(operation).key
    }

    /// Whether threads meet in the same way in every schedule, since each barrier's count equals
    /// its number of threads or warps.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.counts_fit(|wanted, threads| wanted == threads)
    }

    /// Whether all schedules without a misuse end with threads stuck at the same operations. This
    /// holds if each barrier with a count has at most as many threads or warps as its count, or the
    /// count is one.
    #[must_use]
    pub fn lead_to_one_end(&self) -> bool {
        self.counts_fit(|wanted, threads| wanted >= threads || wanted == 1)
    }

    /// Whether the counts of all barrier operations satisfy `fits`, given the number of threads or
    /// warps that use the barrier.
    fn counts_fit(&self, fits: impl Fn(u128, u128) -> bool) -> bool {
        let all: Vec<BarrierId> =
            self.threads.iter().flat_map(|thread| &thread.operations).copied().collect();
        self.barriers.counts_fit(&all, fits)
    }

    /// The operations at which threads wait in the end of one schedule.
    #[must_use]
    pub fn stuck(&self) -> Vec<BarrierId> {
        let all = 0..self.threads.len();
        let mut state = self.start();
        while let Some(next) = all.clone().find_map(|thread| self.step(&state, thread)?.ok()) {
            state = next;
        }
        let waiting = all.filter(|&thread| state.waits[thread]);
        waiting.filter_map(|thread| self.last(&state, thread)).collect()
    }

    /// Visits all states that these threads can reach, and the misuses on the way, until `visit`
    /// returns `true`.
    fn explore(
        &self,
        threads: &[usize],
        mut visit: impl FnMut(&State, Option<Misuse>) -> bool,
    ) -> Result<(), TooMany> {
        let (mut known, mut open) = (FxHashSet::default(), vec![self.start()]);
        while let Some(state) = open.pop() {
            if visit(&state, None) {
                return Ok(());
            }
            if known.len() >= MOST_STATES {
                return Err(TooMany);
            }
            let with = threads.iter().filter_map(|&thread| self.step(&state, thread));
            let without = threads.iter().filter_map(|&thread| self.skip(&state, thread).map(Ok));
            for next in with.chain(without) {
                match next {
                    Ok(next) if !known.contains(&next) => {
                        known.insert(next.clone());
                        open.push(next);
                    }
                    Err(misuse) if visit(&state, Some(misuse)) => return Ok(()),
                    Ok(_) | Err(_) => {}
                }
            }
        }
        Ok(())
    }

    fn start(&self) -> State {
        let count = self.threads.len();
        let mut keys: IndexMap<&BarrierKey, BarrierId> = IndexMap::default();
        for &op in self.threads.iter().flat_map(|thread| &thread.operations) {
            keys.entry(self.key(op)).or_insert(op);
        }
        let counted = keys.into_iter().filter(|(key, _)| self.barriers.counted(key));
        let arrivals = counted.map(|(_, op)| (op, Vec::new())).collect();
        State { begun: vec![0; count], waits: vec![false; count], arrivals, unnoticed: Vec::new() }
    }

    /// The state after the next operation of a thread, if the thread can begin the operation; or
    /// the misuse of the operation.
    fn step(&self, state: &State, thread: usize) -> Option<Result<State, Misuse>> {
        let operations = &self.threads[thread].operations;
        let index = *operations.get(state.begun[thread]).filter(|_| !state.waits[thread])?;
        if !self.have_ended(state, &self.earlier[index]) {
            return None;
        }
        let op = self.barriers.op(index);
        let mut next = state.clone();
        next.begun[thread] += 1;
        next.waits[thread] = op.waits || matches!(op.key, BarrierKey::Cluster(_));
        let same = |first: BarrierId| *self.key(first) == op.key;
        let mut unnoticed = state.unnoticed.iter().filter(|&&b| same(b));
        let own = unnoticed.find(|&&b| self.barriers.agent(b).index() == thread);
        if let Some(&arrival) = own {
            return Some(Err(Misuse::EarlyReturn(arrival, index)));
        }
        if let Some((_, arrived)) = next.arrivals.iter_mut().find(|(first, _)| same(*first)) {
            if let Some(misuse) = arrived.iter().find_map(|&other| self.clash(other, index)) {
                return Some(Err(misuse));
            }
            arrived.push(index);
            next.waits[thread] = true;
        } else if let Some(other) = self.mixes_with(state, index) {
            return Some(Err(Misuse::Mixture(other, index)));
        }
        self.release(&mut next);
        Some(Ok(next))
    }

    /// The state without the next operation of a thread, if that may be left out.
    fn skip(&self, state: &State, thread: usize) -> Option<State> {
        let next = *self.threads[thread].operations.get(state.begun[thread])?;
        if state.waits[thread] || !self.optional[next] {
            return None;
        }
        let mut without = state.clone();
        without.begun[thread] += 1;
        self.release(&mut without);
        Some(without)
    }

    /// Lets waiting threads pass until none can.
    fn release(&self, state: &mut State) {
        while self.release_one(state) || self.complete_one(state) {}
    }

    /// Resets a barrier with a count at which enough threads or warps have arrived.
    fn complete_one(&self, state: &mut State) -> bool {
        for at in 0..state.arrivals.len() {
            let here = &state.arrivals[at].1;
            let arrived: Vec<BarrierId> =
                here.iter().copied().filter(|&b| self.has_arrived(state, b, here)).collect();
            let comes = |agent: AgentId| !self.has_ended(state, agent.index());
            if arrived.is_empty() || !self.barriers.completes(&arrived, comes) {
                continue;
            }
            let waits = |&member: &BarrierId| self.barriers.op(member).waits;
            let alone = self.barriers.quota(arrived[0]).is_some_and(|asked| asked.number() == 1);
            if !alone && !arrived.iter().any(waits) {
                state.unnoticed.extend(&arrived);
                state.unnoticed.sort_unstable();
            }
            for &member in &arrived {
                let thread = self.barriers.agent(member).index();
                // A thread that only arrived may wait elsewhere by now.
                if self.last(state, thread) == Some(member) {
                    state.waits[thread] = false;
                }
            }
            state.arrivals[at].1.retain(|member| !arrived.contains(member));
            return true;
        }
        false
    }

    /// Whether the arrival of an operation's warp, or of its thread, is complete. All threads of
    /// the warp must have arrived or ended.
    fn has_arrived(&self, state: &State, index: BarrierId, here: &[BarrierId]) -> bool {
        let threads = matches!(self.barriers.quota(index), Some(Quota::Threads(_)));
        let thread = |b: BarrierId| self.barriers.agent(b).index();
        threads
            || self.mates[thread(index)]
                .iter()
                .all(|&mate| here.iter().any(|&b| thread(b) == mate) || self.has_ended(state, mate))
    }

    fn has_ended(&self, state: &State, thread: usize) -> bool {
        let Thread { operations, ends, earlier, .. } = &self.threads[thread];
        *ends
            && state.begun[thread] == operations.len()
            && !state.waits[thread]
            && self.have_ended(state, earlier)
    }

    fn have_ended(&self, state: &State, threads: &[usize]) -> bool {
        threads.iter().all(|&thread| self.has_ended(state, thread))
    }

    /// Whether the thread of an operation has begun it.
    fn has_begun(&self, state: &State, operation: BarrierId) -> bool {
        let thread = self.barriers.agent(operation).index();
        self.threads[thread].operations[..state.begun[thread]].binary_search(&operation).is_ok()
    }

    /// The last operation that a thread has begun.
    fn last(&self, state: &State, thread: usize) -> Option<BarrierId> {
        Some(self.threads[thread].operations[state.begun[thread].checked_sub(1)?])
    }

    /// The misuse, if any, by an operation at a barrier where another operation is not over yet.
    fn clash(&self, other: BarrierId, index: BarrierId) -> Option<Misuse> {
        let (a, b) = (self.barriers.op(other), self.barriers.op(index));
        if !matches!(a.key, BarrierKey::Cta(..)) {
            return None;
        }
        if self.barriers.agent(other) == self.barriers.agent(index) {
            return Some(Misuse::EarlyReturn(other, index));
        }
        if self.barriers.quota(other) != self.barriers.quota(index) {
            return Some(Misuse::DifferentCounts(other, index));
        }
        let mixed = a.reduction.is_some() != b.reduction.is_some();
        mixed.then_some(Misuse::Mixture(other, index))
    }

    /// An operation of another thread at a barrier without a count, with the same ordinal, if only
    /// one of the two reduces.
    fn mixes_with(&self, state: &State, index: BarrierId) -> Option<BarrierId> {
        let op = self.barriers.op(index);
        if !matches!(op.key, BarrierKey::Cta(..)) {
            return None;
        }
        let ordinal = self.barriers.phases.ordinal(index);
        let begun = self.threads.iter().zip(&state.begun);
        let mut begun = begun.flat_map(|(thread, &count)| &thread.operations[..count]).copied();
        begun.find(|&other| {
            let one = self.barriers.op(other);
            one.key == op.key
                && one.reduction.is_some() != op.reduction.is_some()
                && self.barriers.agent(other) != self.barriers.agent(index)
                && self.barriers.phases.ordinal(other) == ordinal
        })
    }

    /// Lets one waiting thread go on. At a barrier without a count, all other threads have arrived
    /// or ended. At a barrier with a count or of a cluster, a thread that only arrives goes on once
    /// its warp has arrived.
    fn release_one(&self, state: &mut State) -> bool {
        let free = (0..self.threads.len()).filter(|&thread| state.waits[thread]).find(|&thread| {
            let Some(last) = self.last(state, thread) else { return false };
            let here = state.arrivals.iter().find(|(_, here)| here.contains(&last));
            match here {
                Some((_, here)) => {
                    !self.barriers.op(last).waits && self.has_arrived(state, last, here)
                }
                None => {
                    let complete = !self.barriers.op(last).waits || self.is_free(state, last);
                    complete && self.warp_has_arrived(state, last)
                }
            }
        });
        if let Some(thread) = free {
            state.waits[thread] = false;
        }
        free.is_some()
    }

    /// Whether the conditions of a cluster barrier operation on its warp are met.
    fn warp_has_arrived(&self, state: &State, index: BarrierId) -> bool {
        self.awaited[index].iter().all(|awaited| match *awaited {
            Awaited::Operation(other) => self.has_begun(state, other),
            Awaited::End(mate) => self.has_ended(state, mate.index()),
        })
    }

    /// Whether enough threads have arrived at a barrier without a count, in the phase of an operation.
    fn is_free(&self, state: &State, index: BarrierId) -> bool {
        let op = self.barriers.op(index);
        if self.barriers.counted(&op.key) {
            return false;
        }
        let (phases, numbering) = (&self.barriers.phases, self.barriers.phases.numbering);
        let at = (index, phases.ordinal(index));
        let arrives = |b| self.barriers.op(b).arrives;
        let mut now = Concrete {
            happens: |b| self.has_begun(state, b),
            never_ends: |agent| self.may_come(state, index, agent),
        };
        let members = self.barriers.group(index);
        let whom = match (&op.rule, self.barriers.quota(index)) {
            (BarrierRule::Quorum(_), Some(asked)) => Whom::Some(&members, asked.number()),
            _ => Whom::All(&members),
        };
        !lacks(&mut now, numbering, whom, at, arrives)
    }

    /// Whether a thread that has not come to an operation's phase may still do so. A barrier of columns
    /// waits only for threads that ever come.
    fn may_come(&self, state: &State, index: BarrierId, agent: AgentId) -> bool {
        let Thread { operations, ends, .. } = &self.threads[agent.index()];
        match self.barriers.op(index).rule {
            BarrierRule::AllLive => !self.has_ended(state, agent.index()),
            BarrierRule::Participants => {
                let happens = |b| operations.binary_search(&b).is_ok();
                let mut all = Concrete { happens, never_ends: |_| !*ends };
                let arrives = |b| self.barriers.op(b).arrives;
                let at = (index, self.barriers.phases.ordinal(index));
                !*ends || has_come(&mut all, self.barriers.phases.numbering, agent, at, arrives)
            }
            BarrierRule::Count(_) | BarrierRule::Quorum(_) => true,
        }
    }
}

/// For each pair of a thread and one of whose task it waits, the first event that waits.
fn first_waits(
    graph: &EventGraph,
    waits: impl Fn(EventId) -> bool,
) -> IndexMap<(usize, usize), EventId> {
    let mut first = IndexMap::default();
    for &(earlier, later) in graph.api_edges.iter().filter(|&&(_, later)| waits(later)) {
        let threads = [later, earlier].map(|event| graph.event(event).agent.index());
        let from = first.entry((threads[0], threads[1])).or_insert(later);
        *from = later.min(*from);
    }
    first
}
