//! Loops that count: the program itself says how often they go round, so that no bound has to.
//!
//! Such a loop has a way out that is decided by what is known before anything is executed, in every
//! round, and in every round something changes that is used in the next. A loop that the bound cuts
//! although it counts is given more rounds, up to a limit.

use super::builder::GraphBuilder;
use super::loop_nest::LoopId;
use super::unfold::{State, ThreadRun};
use crate::id::ExprId;
use crate::program::micro::Micro;
use std::collections::{BTreeMap, BTreeSet};

/// How many rounds a loop that counts is followed at most, where that is more than the bound.
const MOST_ROUNDS: u8 = 64;

/// In programs with more accesses, fences and barriers than that, no loop is given more rounds because
/// it counts.
const MOST_ENTRIES: usize = 2048;

/// The same for writes of several threads to one place.
const MOST_CONTENDING: usize = 16;

/// How many rounds the loops that count are given, where that is not the bound for all.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    /// By thread and loop.
    given: BTreeMap<(usize, LoopId), u8>,
    /// Loops that need more than they can be given; the bound cuts them like others.
    pub(super) too_long: BTreeSet<(usize, LoopId)>,
}

impl Rounds {
    /// How often each loop of a thread goes round at most; `None` where none goes round more often than
    /// the bound.
    pub(super) fn of(
        &self,
        thread: usize,
        loops: impl Iterator<Item = LoopId>,
        bound: u8,
    ) -> Option<Vec<u8>> {
        let given = |id| self.given.get(&(thread, id)).copied();
        let any = self.given.keys().any(|key| key.0 == thread);
        any.then(|| loops.map(|id| given(id).unwrap_or(bound)).collect())
    }

    /// Gives twice as many to the loops that were cut. Whether this changes anything.
    pub(super) fn raise(&mut self, cut: &BTreeSet<(usize, LoopId)>, bound: u8) -> bool {
        let mut changed = false;
        for &key in cut {
            if self.too_long.contains(&key) {
                continue;
            }
            changed = true;
            let now = self.given.get(&key).copied().unwrap_or(bound);
            if now >= MOST_ROUNDS {
                self.give_up(key);
            } else {
                self.given.insert(key, now.saturating_mul(2).min(MOST_ROUNDS));
            }
        }
        changed
    }

    /// Leaves the loops of a thread to the bound.
    pub(super) fn give_up_thread(&mut self, thread: usize) {
        self.give_up_where(|key| key.0 == thread);
    }

    /// Leaves all loops to the bound, and those that were cut. Whether this changes anything.
    pub(super) fn give_up_all(&mut self, cut: &BTreeSet<(usize, LoopId)>) -> bool {
        let known = self.too_long.len();
        self.too_long.extend(cut);
        self.give_up_where(|_| true);
        self.too_long.len() > known
    }

    fn give_up_where(&mut self, wanted: impl Fn(&(usize, LoopId)) -> bool) {
        let all: Vec<_> = self.given.keys().copied().filter(wanted).collect();
        all.into_iter().for_each(|key| self.give_up(key));
    }

    /// Whether no loop has been given more than the bound.
    pub(super) fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    fn give_up(&mut self, key: (usize, LoopId)) {
        self.given.remove(&key);
        self.too_long.insert(key);
    }
}

impl GraphBuilder<'_> {
    /// Gives more rounds to loops that count and have been cut. Whether this changes anything.
    pub(super) fn follow_counting(&mut self) -> bool {
        if self.counted.is_empty() && self.rounds.is_empty() {
            return false;
        }
        match self.is_large() {
            true => self.rounds.give_up_all(&self.counted),
            false => self.rounds.raise(&self.counted, self.unfolding.bound.max(1)),
        }
    }

    /// Whether loops that count make the program too large to be decided in reasonable time: by the
    /// number of accesses, or by that of the writes of several threads to one place, whose orders
    /// are many.
    fn is_large(&self) -> bool {
        let mut writes: BTreeMap<_, (usize, BTreeSet<usize>)> = BTreeMap::new();
        for access in self.accesses.iter().filter(|access| access.write) {
            let (count, threads) = writes.entry((access.object, access.offset)).or_default();
            *count += 1;
            threads.insert(access.thread);
        }
        let contended = |(count, threads): &(usize, BTreeSet<usize>)| {
            *count > MOST_CONTENDING && threads.len() > 1
        };
        self.entries.len() > MOST_ENTRIES || writes.values().any(contended)
    }
}

impl ThreadRun<'_, '_> {
    /// Notes the loops out of which a step leads on one of its ways, if its condition is known.
    pub(super) fn note_counting(&mut self, node: usize, condition: ExprId) {
        let step = self.flow.nodes[node];
        let end = self.code.steps.len();
        let ends = |m: &Micro| matches!(m, Micro::Exit);
        let exit = self.code.steps[step].micros.iter().any(ends).then_some(end);
        let target = self.code.steps[step].branch_target().or(exit);
        let condition = self.with_tables(condition);
        let (Some(target), Some(_)) = (target, self.builder.exprs.constant(condition)) else {
            return;
        };
        let leaves = |&id: &LoopId| {
            let stays = |step| step < end && self.flow.loops.contains(id, step);
            stays(step) && !(stays(target) && stays(step + 1))
        };
        let left: Vec<LoopId> = self.flow.loops.ids().filter(leaves).collect();
        self.counting.extend(left.into_iter().map(|id| (id, node)));
    }

    /// Whether a register that is used from the head of a loop on may have changed in the round that ends
    /// here. If none has, what was known in this round holds in the next one as well.
    fn changes(&mut self, from: usize, id: LoopId, now: &State) -> bool {
        let round = self.flow.round(id, from);
        let Some(before) = self.beginning(id, from, round) else { return true };
        self.used_at(id, &before, now).iter().any(|cell| cell.old.value != cell.new.value)
    }

    /// Asks for more rounds of a loop that is cut at the end of one, if it counts. Whether it counts
    /// and is given no more.
    pub(super) fn ask_for_rounds(&mut self, from: usize, id: LoopId, now: &State) -> bool {
        let guard = self.with_tables(now.guard);
        if self.builder.exprs.is_false(guard) {
            return false;
        }
        let round = self.flow.round(id, from);
        let counts = |&(other, node): &(LoopId, usize)| {
            other == id && self.flow.is_since(id, round, node, from)
        };
        let counts = self.counting.iter().any(counts) && self.changes(from, id, now);
        if counts {
            self.builder.counted.insert((self.index, id));
        }
        counts && self.builder.rounds.too_long.contains(&(self.index, id))
    }
}
