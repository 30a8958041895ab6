//! Loops that count: in every round such a loop has an exit whose condition is constant, and a
//! register that changes and is used in the next round.

use super::builder::GraphBuilder;
use super::loop_nest::LoopId;
use super::symbolic::{State, SymbolicThread};
use super::trip_count::Size;
use crate::id::ExprId;
use crate::program::micro::Micro;
use std::collections::{BTreeMap, BTreeSet};

/// In programs with more accesses, fences and barriers, no loop is given more rounds than the
/// bound.
const MOST_ENTRIES: usize = 2048;

/// As [`MOST_ENTRIES`], for writes of several threads to one place.
const MOST_CONTENDING: usize = 16;

impl GraphBuilder<'_> {
    /// Gives more rounds to counting loops that have been cut, or leaves them to the bound if the
    /// program is too large. Gives whether the rounds change.
    pub(super) fn follow_counting(&mut self) -> bool {
        if !self.trip_counts.may_change() {
            return false;
        }
        let size = self.size();
        self.trip_counts.raise(size, self.unfolding.bound.max(1))
    }

    /// Whether counting loops make the program too large to decide, by too many accesses, or too
    /// many writes of several threads to one place.
    fn size(&self) -> Size {
        let mut writes: BTreeMap<_, (usize, BTreeSet<usize>)> = BTreeMap::new();
        for access in self.accesses.iter().filter(|access| access.write) {
            let (count, threads) = writes.entry((access.object, access.offset)).or_default();
            *count += 1;
            threads.insert(access.thread);
        }
        let contended = |(count, threads): &(usize, BTreeSet<usize>)| {
            *count > MOST_CONTENDING && threads.len() > 1
        };
        match self.entries.len() > MOST_ENTRIES || writes.values().any(contended) {
            true => Size::TooLarge,
            false => Size::Small,
        }
    }
}

impl SymbolicThread<'_, '_> {
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
        counts && self.builder.trip_counts.note_cut(self.index, id)
    }
}
