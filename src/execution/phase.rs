//! Barrier phases (generations): which operations meet, and whether a schedule without deadlock
//! exists.
//!
//! Every executed operation belongs to one generation of its barrier. A generation completes when
//! its rule is met; its waiting operations are passed only then. An assignment is well founded if
//! the generations can complete one after another (PTX-9.7.13.1): a circular wait has no final
//! state.

use super::cluster_phase::Awaited;
use crate::collections::{IndexMap, IndexSet};
use crate::event::barrier::{BarrierKey, BarrierOp, BarrierRule, WARP_SIZE, Warp, counts_warps};
use crate::event::graph::EventGraph;
use crate::id::{AgentId, BarrierId, EventId, ExprId};
use crate::rule::Unsupported;
use crate::vocabulary::BaseRel;
use itertools::Itertools;
use typed_index_collections::TiVec;

/// The generation that a barrier operation belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Generation {
    /// Counts completions of the barrier, from 0.
    pub index: u32,
    /// Whether the operation came after the quorum was met, and passed through.
    pub late: bool,
}

/// Generations by index of the graph's barrier operations; `None` for those not executed.
pub type Generations = TiVec<BarrierId, Option<Generation>>;

/// The error that threads may meet, or get to meet, in more ways than are tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

impl From<TooMany> for Unsupported {
    fn from(_: TooMany) -> Self {
        Self::Meetings
    }
}

/// The most ways in which threads may meet, and the most groups that may meet first.
const MOST_MEETINGS: usize = 50_000;

/// The barrier operations of one execution, by barrier and thread.
pub struct Barriers<'a> {
    pub(super) graph: &'a EventGraph,
    pub(super) executed: Vec<BarrierId>,
    count: Box<dyn Fn(ExprId) -> Option<u128> + 'a>,
}

impl<'a> Barriers<'a> {
    /// The operations for which `executed` holds; `count` evaluates their thread counts.
    pub fn new(
        graph: &'a EventGraph,
        executed: impl Fn(EventId) -> bool,
        count: impl Fn(ExprId) -> Option<u128> + 'a,
    ) -> Self {
        let executed =
            graph.barriers.keys().filter(|&b| executed(graph.barriers[b].event)).collect();
        Self { graph, executed, count: Box::new(count) }
    }

    /// The operations that every execution has.
    #[must_use]
    pub fn certain(graph: &'a EventGraph) -> Self {
        Self::new(
            graph,
            |event| graph.exprs.is_true(graph.event(event).guard),
            |count| graph.exprs.constant(count),
        )
    }

    /// The operations of every execution, if their guards and counts are constant.
    #[must_use]
    pub fn fixed(graph: &'a EventGraph) -> Option<Self> {
        let constant = |op: &BarrierOp| {
            let guard = graph.exprs.constant(graph.event(op.event).guard);
            guard.is_some() && graph.knows_count(op)
        };
        graph.barriers.iter().all(constant).then(|| Self::certain(graph))
    }

    pub(super) fn op(&self, index: BarrierId) -> &'a BarrierOp {
        &self.graph.barriers[index]
    }

    pub(super) fn agent(&self, index: BarrierId) -> AgentId {
        self.graph.event(self.op(index).event).agent
    }

    pub(super) fn keys(&self) -> IndexSet<&'a BarrierKey> {
        self.executed.iter().map(|&b| &self.op(b).key).collect()
    }

    pub(super) fn of_key(&self, key: &BarrierKey) -> Vec<BarrierId> {
        self.executed.iter().copied().filter(|&b| self.op(b).key == *key).collect()
    }

    /// The ordinal of an operation: how many earlier ones the thread has executed in the same
    /// numbering.
    pub(super) fn occurrence(&self, index: BarrierId) -> u32 {
        let op = self.op(index);
        let earlier = self.executed.iter().filter(|&&b| {
            b < index && self.op(b).is_numbered_with(op) && self.agent(b) == self.agent(index)
        });
        u32::try_from(earlier.count()).unwrap_or(u32::MAX)
    }

    pub(super) fn counted(&self, key: &BarrierKey) -> bool {
        self.of_key(key).iter().any(|&b| matches!(self.op(b).rule, BarrierRule::Count(_)))
    }

    /// The number of threads or warps that a counted operation asks for, with the unit.
    pub(super) fn expected_count(&self, index: BarrierId) -> Option<(u128, Unit)> {
        match self.op(index).rule {
            BarrierRule::Count(expr) => {
                let n = (self.count)(expr)?;
                Some(if counts_warps(n) {
                    (n / WARP_SIZE, Unit::Warps)
                } else {
                    (n, Unit::Threads)
                })
            }
            BarrierRule::Quorum(expr) => Some(((self.count)(expr)?, Unit::Threads)),
            // An operation without a count asks, for comparison, for all threads of the CTA.
            BarrierRule::AllLive | BarrierRule::Participants => {
                let all = self.graph.count_of_all(&self.op(index).key);
                Some((all / WARP_SIZE, Unit::Warps))
            }
        }
    }

    /// The threads that the barrier of an operation concerns.
    #[must_use]
    pub fn group(&self, operation: BarrierId) -> Vec<AgentId> {
        self.graph.members(&self.op(operation).key)
    }

    /// Threads grouped by warp.
    pub(super) fn warps(&self, agents: &[AgentId]) -> IndexMap<Warp, Vec<AgentId>> {
        let mut out: IndexMap<_, Vec<AgentId>> = IndexMap::default();
        for &agent in agents {
            if let Some(warp) = self.graph.warp_of(agent) {
                out.entry(warp).or_default().push(agent);
            }
        }
        out
    }

    /// Every well-founded assignment of generations; empty when the execution deadlocks.
    ///
    /// # Errors
    /// When there are too many.
    pub fn assignments(&self) -> Result<Vec<Generations>, TooMany> {
        let mut partial: Vec<Generations> =
            vec![TiVec::from(vec![None; self.graph.barriers.len()])];
        for key in self.keys() {
            let ops = self.of_key(key);
            let options = if self.counted(key) {
                self.counted_options(&ops)?
            } else {
                self.plain_options(&ops)?
            };
            if partial.len().saturating_mul(options.len()) > MOST_MEETINGS {
                return Err(TooMany);
            }
            partial = partial
                .iter()
                .flat_map(|base| {
                    options.iter().map(move |option| {
                        let mut all = base.clone();
                        option.iter().for_each(|&(b, g)| all[b] = Some(g));
                        all
                    })
                })
                .collect();
        }
        partial.retain(|generations| self.is_well_founded(generations));
        Ok(partial)
    }

    /// Generations by occurrence; a quorum chooses the operations that are in time.
    fn plain_options(&self, ops: &[BarrierId]) -> Result<Options, TooMany> {
        let base: Vec<(BarrierId, Generation)> = ops
            .iter()
            .map(|&b| (b, Generation { index: self.occurrence(b), late: false }))
            .collect();
        let mut options = vec![base.clone()];
        let generations: IndexSet<u32> = base.iter().map(|(_, g)| g.index).collect();
        for generation in generations {
            let members: Vec<BarrierId> =
                base.iter().filter(|(_, g)| g.index == generation).map(|&(b, _)| b).collect();
            let quorums =
                members.iter().filter(|&&b| matches!(self.op(b).rule, BarrierRule::Quorum(_)));
            let quorums: Vec<_> = quorums.map(|&b| self.expected_count(b)).collect();
            let Some(&first) = quorums.first() else { continue };
            // No thread meets two different quorums at a time.
            let agreed = first.filter(|_| quorums.iter().all(|quorum| *quorum == first));
            let Some(wanted) = agreed.and_then(|(wanted, _)| usize::try_from(wanted).ok()) else {
                return Ok(Vec::new());
            };
            let choices = subsets(&members, wanted)?;
            if options.len().saturating_mul(choices.len()) > MOST_MEETINGS {
                return Err(TooMany);
            }
            options = options
                .iter()
                .flat_map(|option| {
                    choices.iter().map(|in_time| {
                        let late = |b: &BarrierId, g: &Generation| {
                            g.late
                                || (g.index == generation
                                    && members.contains(b)
                                    && !in_time.contains(b))
                        };
                        option
                            .iter()
                            .map(|(b, g)| (*b, Generation { late: late(b, g), ..*g }))
                            .collect()
                    })
                })
                .collect();
        }
        Ok(options)
    }

    /// All ways to fill the generations of a counted barrier one after another.
    fn counted_options(&self, ops: &[BarrierId]) -> Result<Options, TooMany> {
        let mut threads: IndexMap<AgentId, Vec<BarrierId>> = IndexMap::default();
        for &b in ops {
            threads.entry(self.agent(b)).or_default().push(b);
        }
        let threads: Vec<Vec<BarrierId>> = threads.into_values().collect();
        let mut filling =
            Filling { next: vec![0; threads.len()], so_far: Vec::new(), out: Vec::new(), tried: 0 };
        self.fill(&threads, 0, &mut filling)?;
        Ok(filling.out)
    }

    fn fill(
        &self,
        threads: &[Vec<BarrierId>],
        generation: u32,
        filling: &mut Filling,
    ) -> Result<(), TooMany> {
        let next = &filling.next;
        let ready: Vec<usize> =
            (0..threads.len()).filter(|&t| next[t] < threads[t].len()).collect();
        // The rest may be arrivals that no operation waits for.
        let waits = ready.iter().any(|&t| threads[t][next[t]..].iter().any(|&b| self.op(b).waits));
        if !waits {
            let mut done = filling.so_far.clone();
            for &t in &ready {
                done.extend(
                    (0_u32..)
                        .zip(&threads[t][next[t]..])
                        .map(|(i, &b)| (b, Generation { index: generation + i, late: false })),
                );
            }
            filling.out.push(done);
            return Ok(());
        }
        for group in self.groups(threads, &ready, next)? {
            filling.tried += 1;
            if filling.tried > MOST_MEETINGS {
                return Err(TooMany);
            }
            let members: Vec<BarrierId> =
                group.iter().map(|&t| threads[t][filling.next[t]]).collect();
            let left = |agent| {
                let mut own = threads.iter().zip(&filling.next);
                own.any(|(ops, &next)| ops.get(next).is_some_and(|&b| self.agent(b) == agent))
            };
            if !self.completes(&members, left) {
                continue;
            }
            group.iter().for_each(|&t| filling.next[t] += 1);
            let before = filling.so_far.len();
            let met = members.iter().map(|&b| (b, Generation { index: generation, late: false }));
            filling.so_far.extend(met);
            self.fill(threads, generation + 1, filling)?;
            filling.so_far.truncate(before);
            group.iter().for_each(|&t| filling.next[t] -= 1);
        }
        Ok(())
    }

    /// The groups of threads that may complete a generation with their next operations. The
    /// operations of a group have the same count: a number of threads, or of warps with all their
    /// participating threads.
    fn groups(
        &self,
        threads: &[Vec<BarrierId>],
        ready: &[usize],
        next: &[usize],
    ) -> Result<Vec<Vec<usize>>, TooMany> {
        let asks = |t: usize| self.expected_count(threads[t][next[t]]);
        let asked: IndexSet<(u128, Unit)> = ready.iter().filter_map(|&t| asks(t)).collect();
        // Operations without a count meet if no other thread arrives any more.
        let mut out = Vec::new();
        if ready.iter().all(|&t| self.is_for_all(threads[t][next[t]])) {
            out.push(ready.to_vec());
        }
        for wanted @ (count, unit) in asked {
            let mut together: IndexMap<_, Vec<usize>> = IndexMap::default();
            for &t in ready.iter().filter(|&&t| asks(t) == Some(wanted)) {
                let agent = self.agent(threads[t][next[t]]);
                let warp = self.graph.warp_of(agent).filter(|_| unit == Unit::Warps);
                together.entry(warp.ok_or(t)).or_default().push(t);
            }
            let Some(count) = usize::try_from(count).ok().filter(|&count| count > 0) else {
                continue;
            };
            let indices: Vec<usize> = (0..together.len()).collect();
            for chosen in subsets(&indices, count)? {
                let mut group: Vec<usize> =
                    chosen.iter().flat_map(|&at| together[at].iter().copied()).collect();
                group.sort_unstable();
                if !out.contains(&group) {
                    out.push(group);
                }
            }
        }
        Ok(out)
    }

    /// Whether an operation waits for all threads that have not ended.
    fn is_for_all(&self, index: BarrierId) -> bool {
        self.op(index).rule == BarrierRule::AllLive
    }

    /// Whether exactly these operations complete a generation of a counted barrier, given the other
    /// threads that still arrive. There must be none if no operation has a count, otherwise none of
    /// the warps of the operations.
    pub(super) fn completes(&self, members: &[BarrierId], comes: impl Fn(AgentId) -> bool) -> bool {
        if members.iter().all(|&b| self.is_for_all(b)) {
            let here = |agent| members.iter().any(|&b| self.agent(b) == agent);
            let group = self.graph.members(&self.op(members[0]).key);
            return group.into_iter().all(|agent| here(agent) || !comes(agent));
        }
        let Some((wanted, unit)) = self.expected_count(members[0]) else { return false };
        if members.iter().any(|&b| self.expected_count(b) != Some((wanted, unit))) {
            return false;
        }
        let agents: Vec<AgentId> = members.iter().map(|&b| self.agent(b)).collect();
        match unit {
            Unit::Threads => agents.len() as u128 == wanted,
            Unit::Warps => {
                let warps = self.warps(&agents);
                let all = self.warps(&self.graph.members(&self.op(members[0]).key));
                warps.len() as u128 == wanted
                    && warps.iter().all(|(warp, present)| {
                        all[warp].iter().all(|agent| present.contains(agent) || !comes(*agent))
                    })
            }
        }
    }

    /// Whether generations can complete one after another.
    #[must_use]
    pub fn is_well_founded(&self, generations: &Generations) -> bool {
        self.circular_wait(generations).is_none()
    }

    /// Whether an assignment is one of [`Self::assignments`], by checking every rule.
    #[must_use]
    pub fn accepts(&self, generations: &Generations) -> bool {
        let executed: IndexSet<BarrierId> = self.executed.iter().copied().collect();
        let complete =
            generations.iter_enumerated().all(|(b, g)| g.is_some() == executed.contains(&b));
        complete
            && self.keys().into_iter().all(|key| self.accepts_key(key, generations))
            && self.is_well_founded(generations)
    }

    fn accepts_key(&self, key: &BarrierKey, generations: &Generations) -> bool {
        let ops = self.of_key(key);
        let of = |b: BarrierId| generations[b].expect("executed operations have a generation");
        if !self.counted(key) {
            let by_occurrence = ops.iter().all(|&b| of(b).index == self.occurrence(b));
            let quorums = ops.iter().all(|&b| match self.op(b).rule {
                BarrierRule::Quorum(_) => self.expected_count(b).is_some_and(|(wanted, _)| {
                    let in_time =
                        ops.iter().filter(|&&o| of(o).index == of(b).index && !of(o).late);
                    in_time.count() as u128 == wanted
                }),
                _ => !of(b).late,
            });
            return by_occurrence && quorums;
        }
        let last = ops.iter().map(|&b| of(b).index).max().unwrap_or(0);
        let increasing = ops.iter().all(|&b| {
            ops.iter()
                .all(|&c| c <= b || self.agent(c) != self.agent(b) || of(c).index > of(b).index)
        });
        let in_time = ops.iter().all(|&b| !of(b).late);
        increasing
            && in_time
            && (0..=last).all(|generation| {
                let members: Vec<BarrierId> =
                    ops.iter().copied().filter(|&b| of(b).index == generation).collect();
                let someone_waits =
                    ops.iter().any(|&b| of(b).index >= generation && self.op(b).waits);
                let left = |agent| {
                    ops.iter().any(|&b| self.agent(b) == agent && of(b).index >= generation)
                };
                !someone_waits || (!members.is_empty() && self.completes(&members, left))
            })
    }

    /// A cycle of operations that wait for each other; `None` when there is none.
    ///
    /// An operation begins when its thread has passed the earlier ones, and when the preceding
    /// generation of its barrier is complete. A waiting operation is passed when its generation is
    /// complete. An operation that marks the arrival of its warp, or is at a cluster barrier, is
    /// passed when the other threads of the warp have begun their operations, or have ended. A
    /// generation is complete when all its arrivals have begun and, at a barrier for all, when the
    /// threads that take no part have ended.
    #[must_use]
    pub fn circular_wait(&self, generations: &Generations) -> Option<Vec<BarrierId>> {
        let mut members: IndexMap<(&BarrierKey, u32), Vec<BarrierId>> = IndexMap::default();
        let mut last_wait: IndexMap<&BarrierKey, u32> = IndexMap::default();
        for &b in &self.executed {
            let Some(Generation { index, .. }) = generations[b] else { continue };
            let key = &self.op(b).key;
            members.entry((key, index)).or_default().push(b);
            if self.op(b).waits {
                let last = last_wait.entry(key).or_insert(index);
                *last = index.max(*last);
            }
        }
        // Nodes: where each operation begins, where it is passed, where each generation is complete.
        let count = self.executed.len();
        let begins = |b: BarrierId| self.executed.binary_search(&b).expect("an executed operation");
        let passes = |b: BarrierId| count + begins(b);
        let mut edges = vec![IndexSet::default(); 2 * count + members.len()];
        for (at, &b) in self.executed.iter().enumerate() {
            edges[at].insert(count + at);
            let next = self.executed[at + 1..].iter().find(|&&c| self.agent(c) == self.agent(b));
            next.map(|&next| edges[passes(b)].insert(begins(next)));
        }
        let after_end = |absent: AgentId, node: usize, edges: &mut Vec<IndexSet<usize>>| {
            let last = self.executed.iter().rfind(|&&b| self.agent(b) == absent);
            last.map(|&last| edges[passes(last)].insert(node));
        };
        for (at, (&(key, index), own)) in members.iter().enumerate() {
            let done = 2 * count + at;
            // Arrivals left over at the end are unordered.
            let before =
                index.checked_sub(1).filter(|&i| last_wait.get(key).is_some_and(|&l| i <= l));
            let before = before.and_then(|i| members.get_index_of(&(key, i)));
            // A thread that waits without an arrival misuses the barrier only once it reaches the
            // wait. Its later arrivals do not count in this generation.
            let before_in_turn = |b: BarrierId, does: fn(&BarrierOp) -> bool| {
                let mut earlier = own.iter().filter(|&&o| self.agent(o) == self.agent(b) && o < b);
                earlier.any(|&o| does(self.op(o)))
            };
            let alone = |b: BarrierId| !self.op(b).arrives && !before_in_turn(b, |op| op.arrives);
            let arrives = |b: BarrierId| self.op(b).arrives && !before_in_turn(b, |op| op.waits);
            for &b in own {
                before.map(|before| edges[2 * count + before].insert(begins(b)));
                let comes = arrives(b) || alone(b);
                if comes && !generations[b].is_some_and(|g| g.late) {
                    edges[begins(b)].insert(done);
                }
                if self.op(b).waits {
                    edges[done].insert(passes(b));
                }
            }
            let arrivals = || own.iter().copied().filter(|&b| self.op(b).arrives);
            let arrival_of = |agent| arrivals().find(|&b| self.agent(b) == agent);
            if self.counted(key) {
                let warps = |&b: &BarrierId| {
                    self.expected_count(b).is_some_and(|(_, unit)| unit == Unit::Warps)
                };
                for b in arrivals().filter(warps) {
                    for mate in self.graph.mates(self.agent(b)) {
                        if let Some(own) = arrival_of(mate) {
                            edges[begins(own)].insert(passes(b));
                        } else {
                            after_end(mate, passes(b), &mut edges);
                            after_end(mate, done, &mut edges);
                        }
                    }
                }
            }
            let all = match self.counted(key) {
                true => own.iter().all(|&b| self.is_for_all(b)),
                false => own.iter().any(|&b| self.is_for_all(b)),
            };
            if all && own.iter().any(|&b| self.op(b).waits) {
                let group = self.graph.members(key).into_iter();
                let comes = |agent| own.iter().any(|&b| self.agent(b) == agent);
                group
                    .filter(|&agent| !comes(agent))
                    .for_each(|absent| after_end(absent, done, &mut edges));
            }
        }
        for (b, awaited) in self.waits_for_warps() {
            match awaited {
                Awaited::Operation(own) => _ = edges[begins(own)].insert(passes(b)),
                Awaited::End(mate) => after_end(mate, passes(b), &mut edges),
            }
        }
        let cycle = find_cycle(&edges)?;
        let operations = cycle.into_iter().filter(|&node| node < 2 * count);
        let operations: IndexSet<BarrierId> =
            operations.map(|node| self.executed[node % count]).collect();
        Some(operations.into_iter().collect())
    }

    /// From each arrival at a barrier of one kind, by [`BarrierKey::relation`], to the waits in its
    /// generation (PTX-8.9.4 (3), PTX-9.7.13.2). The model tells releasing arrivals from relaxed
    /// ones (PTX-9.7.13.3).
    #[must_use]
    pub fn edges(&self, generations: &Generations, relation: BaseRel) -> Vec<(EventId, EventId)> {
        let mut out = Vec::new();
        for &x in self
            .executed
            .iter()
            .filter(|&&b| self.op(b).arrives && self.op(b).key.relation() == relation)
        {
            for &y in self
                .executed
                .iter()
                .filter(|&&b| self.op(b).waits && self.op(b).key == self.op(x).key)
            {
                let (Some(gx), Some(gy)) = (generations[x], generations[y]) else { continue };
                if gx.index == gy.index && !gx.late && self.agent(x) != self.agent(y) {
                    out.push((self.op(x).event, self.op(y).event));
                }
            }
        }
        out
    }
}

/// The unit of a thread count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Unit {
    Threads,
    Warps,
}

/// The generations of the operations on one barrier, in every way in which threads may meet there.
type Options = Vec<Vec<(BarrierId, Generation)>>;

/// The generations of a barrier as far as they have been filled.
struct Filling {
    /// The next operation of each thread.
    next: Vec<usize>,
    so_far: Vec<(BarrierId, Generation)>,
    out: Options,
    /// The number of groups tried.
    tried: usize,
}

/// All subsets of `size` elements, in order.
fn subsets<T: Copy + Ord>(all: &[T], size: usize) -> Result<Vec<Vec<T>>, TooMany> {
    const MOST: usize = 4 * MOST_MEETINGS;
    let mut out: Vec<Vec<T>> = all.iter().copied().combinations(size).take(MOST + 1).collect();
    out.sort_unstable();
    if out.len() > MOST { Err(TooMany) } else { Ok(out) }
}

fn find_cycle(edges: &[IndexSet<usize>]) -> Option<Vec<usize>> {
    // 0 unseen, 1 on the path, 2 done.
    let mut state = vec![0_u8; edges.len()];
    for root in 0..edges.len() {
        let mut path: Vec<(usize, usize)> = Vec::new();
        if state[root] == 0 {
            state[root] = 1;
            path.push((root, 0));
        }
        while let Some((node, next)) = path.last_mut() {
            match edges[*node].get_index(*next) {
                Some(&to) => {
                    *next += 1;
                    if state[to] == 1 {
                        let start = path.iter().position(|(n, _)| *n == to).unwrap_or(0);
                        return Some(path[start..].iter().map(|(n, _)| *n).collect());
                    }
                    if state[to] == 0 {
                        state[to] = 1;
                        path.push((to, 0));
                    }
                }
                None => {
                    state[*node] = 2;
                    path.pop();
                }
            }
        }
    }
    None
}
