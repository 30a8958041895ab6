//! Trip counts: the rounds that counting loops are given. A counting loop needs no bound, since the
//! program itself limits its rounds.
//!
//! A counting loop that the bound cuts is given more rounds, up to a limit; [`super::counting`] says
//! which loops count.

use super::loop_nest::LoopId;
use std::collections::{BTreeMap, BTreeSet};

/// The most rounds of a counting loop, if that is more than the bound.
const MOST_ROUNDS: u8 = 64;

/// Whether a program is small enough to decide with more rounds of its counting loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    /// More rounds may be given.
    Small,
    /// The loops are left to the bound.
    TooLarge,
}

/// The rounds of counting loops, where these are not the bound.
#[derive(Clone, Debug, Default)]
pub(super) struct TripCounts {
    /// By thread and loop.
    given: BTreeMap<(usize, LoopId), u8>,
    /// Loops that need more rounds than the limit; the bound cuts them like others.
    too_long: BTreeSet<(usize, LoopId)>,
    /// The counting loops that this unfolding has cut.
    cut: BTreeSet<(usize, LoopId)>,
}

impl TripCounts {
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

    /// The same rounds for another unfolding, which has cut nothing yet.
    pub(super) fn restarted(self) -> Self {
        Self { cut: BTreeSet::new(), ..self }
    }

    /// Notes that a counting loop of a thread is cut; gives whether the loop needs more rounds than
    /// the limit.
    pub(super) fn note_cut(&mut self, thread: usize, id: LoopId) -> bool {
        self.cut.insert((thread, id));
        self.too_long.contains(&(thread, id))
    }

    /// Whether a counting loop has been cut, or given more rounds than the bound.
    pub(super) fn may_change(&self) -> bool {
        !self.cut.is_empty() || !self.given.is_empty()
    }

    /// Gives more rounds to counting loops that have been cut, or leaves all of them to the bound;
    /// gives whether the rounds change.
    pub(super) fn raise(&mut self, program: Size, bound: u8) -> bool {
        let cut = std::mem::take(&mut self.cut);
        match program {
            Size::TooLarge => self.give_up_all(&cut),
            Size::Small => self.double(&cut, bound),
        }
    }

    /// Doubles the rounds of the loops that were cut, and leaves a loop with the most rounds to the
    /// bound. Gives whether the rounds change.
    fn double(&mut self, cut: &BTreeSet<(usize, LoopId)>, bound: u8) -> bool {
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
    fn give_up_all(&mut self, cut: &BTreeSet<(usize, LoopId)>) -> bool {
        let known = self.too_long.len();
        self.too_long.extend(cut);
        self.give_up_where(|_| true);
        self.too_long.len() > known
    }

    fn give_up_where(&mut self, wanted: impl Fn(&(usize, LoopId)) -> bool) {
        let all: Vec<_> = self.given.keys().copied().filter(wanted).collect();
        all.into_iter().for_each(|key| self.give_up(key));
    }

    fn give_up(&mut self, key: (usize, LoopId)) {
        self.given.remove(&key);
        self.too_long.insert(key);
    }
}
