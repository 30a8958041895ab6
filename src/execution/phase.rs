//! Barrier phases (generations): which operations meet, and whether a schedule without deadlock
//! exists.
//!
//! A generation of a barrier completes when its rule is met; its waiting operations are passed only
//! then. An assignment is well founded if the generations can complete one after another
//! (PTX-9.7.13.1): a circular wait has no final state (`wait_graph`).

use super::barriers::{Barriers, Generation, Generations};
use crate::collections::{IndexMap, IndexSet};
use crate::id::{AgentId, BarrierId, EventId};
use crate::rule::Unsupported;
use crate::vocabulary::BaseRel;
use crate::waiting::barrier::{BarrierKey, BarrierRule, Quota};
use itertools::Itertools;
use typed_index_collections::TiVec;

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

impl Barriers<'_> {
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

    /// Generations by ordinal; a quorum chooses the operations that are in time.
    fn plain_options(&self, ops: &[BarrierId]) -> Result<Options, TooMany> {
        let base: Vec<(BarrierId, Generation)> =
            ops.iter().map(|&b| (b, Generation::in_time(self.phases.ordinal(b)))).collect();
        let mut options = vec![base.clone()];
        let generations: IndexSet<u32> = base.iter().map(|(_, g)| g.index).collect();
        for generation in generations {
            let members: Vec<BarrierId> =
                base.iter().filter(|(_, g)| g.index == generation).map(|&(b, _)| b).collect();
            let quorums =
                members.iter().filter(|&&b| matches!(self.op(b).rule, BarrierRule::Quorum(_)));
            let quorums: Vec<_> = quorums.map(|&b| self.quota(b)).collect();
            let Some(&first) = quorums.first() else { continue };
            // No thread meets two different quorums at a time.
            let agreed = first.filter(|_| quorums.iter().all(|quorum| *quorum == first));
            let Some(wanted) = agreed.and_then(|asked| usize::try_from(asked.number()).ok()) else {
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
        let asks = |t: usize| self.quota(threads[t][next[t]]);
        let asked: IndexSet<Quota> = ready.iter().filter_map(|&t| asks(t)).collect();
        // Operations without a count meet if no other thread arrives any more.
        let mut out = Vec::new();
        if ready.iter().all(|&t| self.is_for_all(threads[t][next[t]])) {
            out.push(ready.to_vec());
        }
        for wanted in asked {
            let mut together: IndexMap<_, Vec<usize>> = IndexMap::default();
            for &t in ready.iter().filter(|&&t| asks(t) == Some(wanted)) {
                let agent = self.agent(threads[t][next[t]]);
                let warp = self.graph.warp_of(agent).filter(|_| matches!(wanted, Quota::Warps(_)));
                together.entry(warp.ok_or(t)).or_default().push(t);
            }
            let Some(count) = usize::try_from(wanted.number()).ok().filter(|&count| count > 0)
            else {
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

    /// Whether exactly these operations complete a generation of a counted barrier, given the other
    /// threads that still arrive. There must be none if no operation has a count, otherwise none of
    /// the warps of the operations.
    pub(super) fn completes(&self, members: &[BarrierId], comes: impl Fn(AgentId) -> bool) -> bool {
        if members.iter().all(|&b| self.is_for_all(b)) {
            let here = |agent| members.iter().any(|&b| self.agent(b) == agent);
            let group = self.graph.members(&self.op(members[0]).key);
            return group.into_iter().all(|agent| here(agent) || !comes(agent));
        }
        let Some(asked) = self.quota(members[0]) else { return false };
        if members.iter().any(|&b| self.quota(b) != Some(asked)) {
            return false;
        }
        let agents: Vec<AgentId> = members.iter().map(|&b| self.agent(b)).collect();
        match asked {
            Quota::Threads(wanted) => agents.len() as u128 == wanted,
            Quota::Warps(wanted) => {
                let warps = self.warps(&agents);
                let all = self.warps(&self.graph.members(&self.op(members[0]).key));
                warps.len() as u128 == wanted
                    && warps.iter().all(|(warp, present)| {
                        all[warp].iter().all(|agent| present.contains(agent) || !comes(*agent))
                    })
            }
        }
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
            let by_ordinal = ops.iter().all(|&b| of(b).index == self.phases.ordinal(b));
            let quorums = ops.iter().all(|&b| match self.op(b).rule {
                BarrierRule::Quorum(_) => self.quota(b).is_some_and(|asked| {
                    let in_time =
                        ops.iter().filter(|&&o| of(o).index == of(b).index && !of(o).late);
                    in_time.count() as u128 == asked.number()
                }),
                _ => !of(b).late,
            });
            return by_ordinal && quorums;
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

    /// From each arrival at a barrier of one kind, by [`BarrierKey::relation`], to the waits in its
    /// generation (PTX-8.9.4 (3), PTX-9.7.13.2). The model tells releasing arrivals from relaxed
    /// ones (PTX-9.7.13.3).
    #[must_use]
    pub fn edges(&self, generations: &Generations, relation: BaseRel) -> Vec<(EventId, EventId)> {
        let mut out = Vec::new();
        for &x in self.executed.iter().filter(|&&b| self.op(b).key.relation() == relation) {
            let Some(in_time) = generations[x].filter(|generation| !generation.late) else {
                continue;
            };
            let meets = |y: &BarrierId| generations[*y].is_some_and(|g| g.index == in_time.index);
            let waits = self.graph.waits_for_arrival(x).filter(|&y| self.happens[y]).filter(meets);
            out.extend(waits.map(|y| (self.op(x).event, self.op(y).event)));
        }
        out
    }
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
