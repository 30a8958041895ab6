//! Convergent loops: the threads of a CTA go round them together, since each round passes a barrier
//! for all.
//!
//! A round of such a loop can be left out if all threads leave it out (see [`super::havoc`]): the
//! operations of one round have the same ordinals at the same barriers. The loops therefore have to
//! pass the same barriers in every round, and equally many before. A thread with one round beyond
//! the bound represents executions with fewer rounds only if all threads have this round.

use super::builder::GraphBuilder;
use super::cuts::Lockstep;
use super::entry::barrier_at;
use super::graph::{Cut, CutKind};
use super::havoc::KEPT;
use super::loop_nest::LoopId;
use super::symbolic::SymbolicThread;
use crate::id::{BarrierId, ExprId};
use crate::waiting::barrier::BarrierKey;
use std::collections::BTreeSet;

impl SymbolicThread<'_, '_> {
    /// Records the cut of a loop if all its rounds pass the same barriers.
    pub(super) fn note_lockstep(&mut self, id: LoopId, node: usize, cut: usize) {
        let last = self.flow.round(id, node);
        if last <= KEPT {
            return;
        }
        let mut rounds = Vec::new();
        let mut first = None;
        for round in 1..=last {
            let head = self.flow.head(id, node, round);
            let Some(begun) = head.and_then(|head| self.entries[head].as_ref()) else { return };
            let here = |at| self.flow.is_in_round(id, round, at, node);
            let met = self.met.iter().filter(|&&(at, _)| here(at));
            let ops: Vec<BarrierId> = met.map(|&(_, op)| op).collect();
            if ops.iter().any(|&op| self.builder.barriers.guards[op] != begun.guard) {
                return;
            }
            first = first.or(ops.first().copied());
            rounds.push(self.keys(&ops));
        }
        let Some(first) = first else { return };
        let before: Vec<BarrierId> =
            self.met.iter().map(|&(_, op)| op).filter(|&op| op < first).collect();
        let surely = |&op: &BarrierId| self.builder.exprs.is_true(self.builder.barriers.guards[op]);
        let alike = rounds.windows(2).all(|pair| pair[0] == pair[1]);
        if !alike || !before.iter().all(surely) {
            return;
        }
        let (before, round) = (self.keys(&before), rounds.swap_remove(0));
        let thread = self.index;
        self.builder.cuts.locksteps.push(Lockstep { thread, cut, before, round, rounds: last });
    }

    fn keys(&self, ops: &[BarrierId]) -> Vec<BarrierKey> {
        ops.iter().map(|&op| self.builder.barriers.list[op].key.clone()).collect()
    }
}

impl GraphBuilder<'_> {
    /// Turns cuts of convergent loops into [`CutKind::Idle`] where all threads go on: such an execution
    /// represents one with fewer rounds.
    pub(super) fn settle_locksteps(&mut self) {
        let all = std::mem::take(&mut self.cuts.locksteps);
        for one in &all {
            let Some(together) = self.go_on_together(one, &all) else { continue };
            let others = self.exprs.not(together);
            let cut = &mut self.cuts.list[one.cut];
            let fewer = self.exprs.and(cut.guard, together);
            let idle = Cut { guard: fewer, kind: CutKind::Idle, ..cut.clone() };
            cut.guard = self.exprs.and(cut.guard, others);
            self.cuts.list.push(idle);
        }
        let exprs = &self.exprs;
        self.cuts.list.retain(|cut| !exprs.is_false(cut.guard));
    }

    /// The condition that all threads that use a loop's barriers execute its rounds up to the bound;
    /// `None` if some thread passes these barriers in another order.
    fn go_on_together(&mut self, one: &Lockstep, all: &[Lockstep]) -> Option<ExprId> {
        let shared = |key: &BarrierKey| one.round.contains(key);
        let before = |loops: &Lockstep| -> Vec<BarrierKey> {
            loops.before.iter().filter(|key| shared(key)).cloned().collect()
        };
        let places = self.entries.iter().filter_map(barrier_at).zip(&self.barriers.list);
        let threads: BTreeSet<usize> =
            places.filter(|(_, op)| shared(&op.key)).map(|((thread, _), _)| thread).collect();
        let mut together = self.exprs.truth(true);
        for thread in threads {
            let mut goes_on = self.exprs.truth(false);
            let mut cuts = all.iter().filter(|other| other.thread == thread).peekable();
            cuts.peek()?;
            for other in cuts {
                let alike = other.rounds == one.rounds && other.round == one.round;
                if !alike || before(other) != before(one) {
                    return None;
                }
                goes_on = self.exprs.or(goes_on, self.cuts.list[other.cut].back);
            }
            together = self.exprs.and(together, goes_on);
        }
        Some(together)
    }
}
