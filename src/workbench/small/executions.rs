//! The executions of a candidate: its orders of coherence and of `fence.sc`, and the outcomes that they
//! allow in a cell.
//!
//! What is settled for a cell is settled for its parts. So each cell is looked at with those executions
//! only that the cell around it leaves open.

use super::bundle::Judged;
use super::cell::{Cell, Event, Part};
use super::evaluation::Stand;
use super::lanes::LANES;
use super::orders::{Execution, Pending, linear_orders, relation};
use super::pair::Stage;
use super::rows::{Rows, bits};
use super::search::{Known, Search};
use super::stands::Allows;
use crate::ptx::operation::Order;
use rustc_hash::FxHashSet;

/// An execution, the outcomes that it has, and how each model stands to it.
struct Candidate {
    execution: Execution,
    lasts: Vec<usize>,
    stands: [Stand; 2],
}

impl Candidate {
    /// Adds what the models allow by the execution.
    fn note(&self, allowed: &mut [[Allows; 2]]) {
        for &index in &self.lasts {
            for (allows, stand) in allowed[index].iter_mut().zip(self.stands) {
                allows.may |= stand != Stand::Broken;
                allows.must |= stand == Stand::Kept;
            }
        }
    }
}

impl Search<'_, '_> {
    /// The executions of all programs of a cell, all of them in dispute.
    pub(super) fn all_open(&self, cell: &Cell<'_>) -> Pending {
        let (disputed, agreed) = (self.executions(cell), Vec::new());
        Pending { disputed, agreed, fences: self.sc_fences(cell) }
    }

    /// The executions of all programs of a cell.
    pub(super) fn executions(&self, cell: &Cell<'_>) -> Vec<Execution> {
        let mut orders = vec![self.initial()];
        for own in &self.coherence {
            let joined = |co: &Rows, more: &Rows| {
                let mut co = *co;
                co.iter_mut().zip(more).for_each(|(row, more)| *row |= more);
                co
            };
            orders = orders.iter().flat_map(|co| own.iter().map(|more| joined(co, more))).collect();
        }
        let fences = linear_orders(&bits(self.sc_fences(cell)).collect::<Vec<_>>());
        let with = |fences: Rows| orders.iter().map(move |&co| Execution { fences, co });
        fences.into_iter().flat_map(with).collect()
    }

    /// The fences that may be `fence.sc` in a cell.
    fn sc_fences(&self, cell: &Cell<'_>) -> u32 {
        let may_be = |event: &Event| {
            event.part == Part::Fence
                && cell.labels[event.op].iter().any(|label| label.order == Some(Order::Sc))
        };
        let events = self.frame.events.iter().enumerate();
        events.filter(|(_, event)| may_be(event)).map(|(at, _)| 1 << at).sum()
    }

    /// How the models stand to each other by the executions that are open, of which those stay that are
    /// open in the cell.
    ///
    /// The models agree on an outcome unless one of its executions is one on which they may disagree. The
    /// other executions with this outcome are looked at only then.
    pub(super) fn by_choice(&mut self, cell: &Cell<'_>, open: &mut Pending) -> Known {
        self.forget_fences(cell, open);
        let sizes = self.sizes();
        let disputed = std::mem::take(&mut open.disputed);
        let judged = self.judged(cell, &disputed, true);
        let mut disputes: Vec<Candidate> = Vec::new();
        for (execution, judged) in disputed.into_iter().zip(judged) {
            match judged {
                Judged::Agreed => open.agreed.push(execution),
                Judged::Forbidden => {}
                Judged::Disputed(stands) => {
                    disputes.push(self.candidate(execution, stands, &sizes))
                }
            }
        }
        if disputes.is_empty() {
            open.agreed.clear();
            return Known::Agree;
        }
        let mut allowed = vec![[Allows::default(); 2]; sizes.iter().product()];
        let mut contested = vec![false; allowed.len()];
        for candidate in &disputes {
            candidate.lasts.iter().for_each(|&index| contested[index] = true);
            candidate.note(&mut allowed);
        }
        let mut agreed = std::mem::take(&mut open.agreed);
        agreed.retain(|e| self.lasts(&e.co, &sizes).iter().any(|&index| contested[index]));
        agreed.sort_by_key(|execution| execution.fences);
        let judged = self.judged(cell, &agreed, false);
        let mut others: Vec<Candidate> = Vec::new();
        for (execution, judged) in agreed.into_iter().zip(judged) {
            if let Judged::Disputed(stands) = judged {
                let candidate = self.candidate(execution, stands, &sizes);
                candidate.note(&mut allowed);
                others.push(candidate);
            }
        }
        let is_decided = |index: usize| allowed[index].iter().all(|allows| allows.must);
        let mut known = Known::Agree;
        for (index, [a, b]) in allowed.iter().enumerate() {
            if !contested[index] {
                continue;
            }
            let differ = |x: &Allows, y: &Allows| x.must && !y.may;
            if differ(a, b) || differ(b, a) {
                let allowed_by = usize::from(differ(b, a));
                return Known::Differ { finals: self.finals(index, &sizes), allowed_by };
            }
            contested[index] = !is_decided(index) && (a.may || b.may);
            if contested[index] {
                known = Known::Open;
            }
        }
        let stays = |candidate: &Candidate| candidate.lasts.iter().any(|&index| contested[index]);
        let kept = |all: Vec<Candidate>| {
            all.into_iter()
                .filter(|candidate| stays(candidate))
                .map(|candidate| candidate.execution)
                .collect()
        };
        open.disputed = kept(disputes);
        open.agreed = kept(others);
        known
    }

    /// How the models stand to executions, of which those with one order of fences follow each other.
    fn judged(&mut self, cell: &Cell<'_>, all: &[Execution], may_agree: bool) -> Vec<Judged> {
        let mut judged = Vec::with_capacity(all.len());
        for fences in all.chunk_by(|a, b| a.fences == b.fences) {
            self.frame.chosen.fences = [fences[0].fences; 2];
            self.frame.evaluate(Stage::FenceOrder, cell);
            for bundle in fences.chunks(LANES) {
                self.frame.judge(bundle, &self.early, may_agree, &mut judged);
            }
        }
        // Models with total coherence forbid executions without.
        let total = self.space.pair.total;
        if total != [false; 2] {
            for (execution, judged) in all.iter().zip(&mut judged) {
                if !self.is_total(&execution.co) {
                    *judged = judged.without(total);
                }
            }
        }
        judged
    }

    fn candidate(&self, execution: Execution, stands: [Stand; 2], sizes: &[usize]) -> Candidate {
        let lasts = self.lasts(&execution.co, sizes);
        Candidate { execution, lasts, stands }
    }

    /// How many writes may be the last of each location.
    pub(super) fn sizes(&self) -> Vec<usize> {
        self.writers.iter().map(|writers| writers.len().max(1)).collect()
    }

    /// The outcomes that each model allows by some executions, by last writes. Executions stay that
    /// are forbidden by neither model for all programs of the cell, and whose outcomes are not all allowed
    /// by both for all of them.
    pub(super) fn outcomes(
        &mut self,
        cell: &Cell<'_>,
        open: &mut Vec<Execution>,
    ) -> Vec<[Allows; 2]> {
        let sizes = self.sizes();
        let mut allowed = vec![[Allows::default(); 2]; sizes.iter().product()];
        let all = std::mem::take(open);
        let judged = self.judged(cell, &all, false);
        let mut kept: Vec<Candidate> = Vec::new();
        for (execution, judged) in all.into_iter().zip(judged) {
            if let Judged::Disputed(stands) = judged {
                let candidate = self.candidate(execution, stands, &sizes);
                candidate.note(&mut allowed);
                kept.push(candidate);
            }
        }
        let is_decided = |&index: &usize| allowed[index].iter().all(|allows| allows.must);
        kept.retain(|candidate| !candidate.lasts.iter().all(is_decided));
        open.extend(kept.into_iter().map(|candidate| candidate.execution));
        allowed
    }

    /// Leaves out executions that differ from others only in the order of fences that are no `fence.sc`
    /// in a cell.
    fn forget_fences(&self, cell: &Cell<'_>, open: &mut Pending) {
        let fences = self.sc_fences(cell);
        if fences == open.fences {
            return;
        }
        open.fences = fences;
        for list in [&mut open.disputed, &mut open.agreed] {
            let mut known: FxHashSet<Execution> = FxHashSet::default();
            list.retain_mut(|execution| {
                for (at, row) in execution.fences.iter_mut().enumerate() {
                    *row &= if fences >> at & 1 == 1 { fences } else { 0 };
                }
                known.insert(execution.clone())
            });
        }
    }

    /// The events that write last to each location, by an index of last writes.
    pub(super) fn finals(&self, mut index: usize, sizes: &[usize]) -> Vec<usize> {
        let mut finals = Vec::new();
        for (loc, (&size, writers)) in sizes.iter().zip(&self.writers).enumerate() {
            finals.push(writers.get(index % size).copied().unwrap_or(loc));
            index /= size;
        }
        finals
    }

    /// The indices of last writes that a coherence order leaves possible.
    fn lasts(&self, co: &Rows, sizes: &[usize]) -> Vec<usize> {
        let mut found = vec![0];
        let mut factor = 1;
        for (&size, writers) in sizes.iter().zip(&self.writers) {
            let is_last = |&at: &usize| writers.get(at).is_none_or(|&w| co[w] == 0);
            let last: Vec<usize> = (0..size).filter(is_last).collect();
            let longer = found.iter().flat_map(|&known| last.iter().map(move |at| (known, *at)));
            found = longer.map(|(known, at)| known + factor * at).collect();
            factor *= size;
        }
        found
    }

    /// Coherence from initial writes.
    fn initial(&self) -> Rows {
        let pairs = self.writers.iter().enumerate();
        relation(pairs.flat_map(|(loc, writers)| writers.iter().map(move |&w| (loc, w))))
    }

    fn is_total(&self, co: &Rows) -> bool {
        let related = |a: usize, b: usize| a == b || (co[a] >> b | co[b] >> a) & 1 == 1;
        self.writers
            .iter()
            .all(|writers| writers.iter().all(|&a| writers.iter().all(|&b| related(a, b))))
    }
}
