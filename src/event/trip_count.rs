//! Trip counts: loops that count need no bound, since the program itself limits their rounds.
//!
//! A counting loop has, in every round, an exit whose condition is constant and a register that
//! changes and is used in the next round. A counting loop that the bound cuts is given more rounds,
//! up to a limit.

use super::builder::GraphBuilder;
use super::loop_nest::LoopId;
use super::unfold::{State, ThreadRun};
use crate::id::ExprId;
use crate::program::micro::Micro;
use std::collections::{BTreeMap, BTreeSet};

/// The most rounds of a counting loop, if that is more than the bound.
const MOST_ROUNDS: u8 = 64;

/// In programs with more accesses, fences and barriers, no loop is given more rounds than the
/// bound.
const MOST_ENTRIES: usize = 2048;

/// As [`MOST_ENTRIES`], for writes of several threads to one place.
const MOST_CONTENDING: usize = 16;

/// The rounds of counting loops that differ from the bound.
#[derive(Clone, Debug, Default)]
pub(super) struct Rounds {
    /// By thread and loop.
    given: BTreeMap<(usize, LoopId), u8>,
    /// Loops that need more rounds than the limit; the bound cuts them like others.
    pub(super) too_long: BTreeSet<(usize, LoopId)>,
}

impl Rounds {
    /// The most rounds of each loop of a thread; `None` if no loop has more than the bound.
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

    /// Doubles the rounds of the loops that were cut, and leaves a loop with the most rounds to the
    /// bound. Gives whether the rounds change.
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

    /// Leaves all loops to the bound, also those that were cut; gives whether the rounds change.
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
    /// Gives more rounds to counting loops that have been cut, or leaves them to the bound if the
    /// program is too large. Gives whether the rounds change.
    pub(super) fn follow_counting(&mut self) -> bool {
        if self.counted.is_empty() && self.rounds.is_empty() {
            return false;
        }
        match self.is_large() {
            true => self.rounds.give_up_all(&self.counted),
            false => self.rounds.raise(&self.counted, self.unfolding.bound.max(1)),
        }
    }

    /// Whether counting loops make the program too large to decide, by too many accesses, or too
    /// many writes of several threads to one place.
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
    /// Notes the loops that one way out of a step leaves, if its condition is constant.
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

    /// Whether a register that is live at the head of a loop may have changed in the round that
    /// ends here. If none has, everything known in this round holds in the next one as well.
    fn changes(&mut self, from: usize, id: LoopId, now: &State) -> bool {
        let round = self.flow.round(id, from);
        let Some(before) = self.beginning(id, from, round) else { return true };
        self.used_at(id, &before, now).iter().any(|cell| cell.old.value != cell.new.value)
    }

    /// Requests more rounds for a counting loop that is cut at the end of a round. Gives whether
    /// the loop counts and has reached the limit.
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
