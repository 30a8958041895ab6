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
use super::search::{Known, Orders, Search};
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
        let orders = self.coherence_orders();
        let fences = linear_orders(&bits(self.sc_fences(cell)).collect::<Vec<_>>());
        let mut all = Vec::with_capacity(self.class.ways.len() * fences.len() * orders.len());
        for way in 0..self.class.ways.len() {
            for &fences in &fences {
                all.extend(orders.iter().map(|&co| Execution { way, fences, co }));
            }
        }
        all
    }

    /// How many executions each way to read has.
    pub(super) fn executions_of_a_way(&self, cell: &Cell<'_>) -> usize {
        let orders: usize = self.coherence.iter().map(Vec::len).product();
        let fences = self.sc_fences(cell).count_ones() as usize;
        orders * (1..=fences).product::<usize>()
    }

    /// The coherence orders of all locations.
    fn coherence_orders(&self) -> Vec<Rows> {
        let mut orders = vec![self.initial()];
        for own in &self.coherence {
            let joined = |co: &Rows, more: &Rows| {
                let mut co = *co;
                co.iter_mut().zip(more).for_each(|(row, more)| *row |= more);
                co
            };
            orders = orders.iter().flat_map(|co| own.iter().map(|more| joined(co, more))).collect();
        }
        orders
    }

    /// The fences that may be `fence.sc` in a cell.
    pub(super) fn sc_fences(&self, cell: &Cell<'_>) -> u32 {
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
    ///
    /// Of ways to read for which the bounds tell, it is known that the models agree.
    pub(super) fn by_choice(
        &mut self,
        cell: &Cell<'_>,
        open: &mut Pending,
        bounded: &[Option<Judged>],
    ) -> Known {
        self.forget_fences(cell, open);
        let disputed = std::mem::take(&mut open.disputed);
        let judged = self.judged(cell, &disputed, true, bounded);
        let mut disputes: Vec<Candidate> = Vec::new();
        for (execution, judged) in disputed.into_iter().zip(judged) {
            match judged {
                Judged::Agreed => open.agreed.push(execution),
                Judged::Forbidden => {}
                Judged::Disputed(stands) => disputes.push(self.candidate(execution, stands)),
            }
        }
        if disputes.is_empty() {
            open.agreed.clear();
            return Known::Agree;
        }
        let mut allowed = self.none_allowed();
        let mut contested = vec![false; allowed.len()];
        for candidate in &disputes {
            candidate.lasts.iter().for_each(|&index| contested[index] = true);
            candidate.note(&mut allowed);
        }
        let mut agreed = std::mem::take(&mut open.agreed);
        agreed.retain(|e| self.lasts(e).iter().any(|&index| contested[index]));
        agreed.sort_by_key(|execution| (execution.way, execution.fences));
        let judged = self.judged(cell, &agreed, false, bounded);
        let mut others: Vec<Candidate> = Vec::new();
        for (execution, judged) in agreed.into_iter().zip(judged) {
            if let Judged::Disputed(stands) = judged {
                let candidate = self.candidate(execution, stands);
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
                let is_wanted = self.allowed_by.is_none_or(|wanted| wanted == allowed_by);
                if !is_wanted || self.needs_less(cell, index, 1 - allowed_by) {
                    contested[index] = false;
                    continue;
                }
                return Known::Differ { last: index, allowed_by };
            }
            contested[index] = !is_decided(index) && (a.may || b.may);
        }
        for (index, [a, b]) in allowed.iter().enumerate() {
            let forbids = [a, b].iter().position(|allows| !allows.may);
            contested[index] = contested[index]
                && !forbids.is_some_and(|forbids| self.needs_less(cell, index, forbids));
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

    /// How the models stand to executions, of which those with one way to read and one order of fences
    /// follow each other.
    pub(super) fn judged(
        &mut self,
        cell: &Cell<'_>,
        all: &[Execution],
        may_agree: bool,
        bounded: &[Option<Judged>],
    ) -> Vec<Judged> {
        let mut judged = Vec::with_capacity(all.len());
        for fences in all.chunk_by(|a, b| a.way == b.way && a.fences == b.fences) {
            match bounded[fences[0].way] {
                Some(Judged::Agreed) if !may_agree => {}
                Some(known) => {
                    judged.extend(fences.iter().map(|_| known));
                    continue;
                }
                None => {}
            }
            self.turn_to(fences[0].way, cell);
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

    fn candidate(&self, execution: Execution, stands: [Stand; 2]) -> Candidate {
        let lasts = self.lasts(&execution);
        Candidate { execution, lasts, stands }
    }

    /// What is allowed by no execution, by last values.
    fn none_allowed(&self) -> Vec<[Allows; 2]> {
        vec![[Allows::default(); 2]; self.class.sizes.iter().product()]
    }

    /// The outcomes that each model allows by some executions, by last values. Executions stay that
    /// are forbidden by neither model for all programs of the cell, and whose outcomes are not all allowed
    /// by both for all of them.
    pub(super) fn outcomes(
        &mut self,
        cell: &Cell<'_>,
        open: &mut Vec<Execution>,
    ) -> Vec<[Allows; 2]> {
        let mut allowed = self.none_allowed();
        let all = std::mem::take(open);
        let bounded = self.by_bounds(cell, |_| Some(Orders::OneByOne));
        let judged = self.judged(cell, &all, false, &bounded);
        let mut kept: Vec<Candidate> = Vec::new();
        for (execution, judged) in all.into_iter().zip(judged) {
            if let Judged::Disputed(stands) = judged {
                let candidate = self.candidate(execution, stands);
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
    pub(super) fn forget_fences(&self, cell: &Cell<'_>, open: &mut Pending) {
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

    /// The indices of last values that an execution leaves possible.
    fn lasts(&self, execution: &Execution) -> Vec<usize> {
        let mut found = vec![0];
        let mut factor = 1;
        let values = &self.class.ways[execution.way].lasts;
        for ((&size, writers), values) in self.class.sizes.iter().zip(&self.writers).zip(values) {
            let is_last = |(write, _): &(&usize, &usize)| execution.co[**write] == 0;
            let mut last: Vec<usize> =
                writers.iter().zip(values).filter(is_last).map(|(_, &value)| value).collect();
            if writers.is_empty() {
                last.push(0);
            }
            last.sort_unstable();
            last.dedup();
            let longer = found.iter().flat_map(|&known| last.iter().map(move |at| (known, *at)));
            found = longer.map(|(known, at)| known + factor * at).collect();
            factor *= size;
        }
        found
    }

    /// Coherence from initial writes.
    pub(super) fn initial(&self) -> Rows {
        let pairs = self.writers.iter().enumerate();
        relation(pairs.flat_map(|(loc, writers)| writers.iter().map(move |&w| (loc, w))))
    }

    fn is_total(&self, co: &Rows) -> bool {
        self.is_total_among(co, u32::MAX)
    }

    /// Whether coherence is total on some writes.
    pub(super) fn is_total_among(&self, co: &Rows, writes: u32) -> bool {
        let counts = |a: usize| writes >> a & 1 == 1;
        let related = |a: usize, b: usize| {
            a == b || !counts(a) || !counts(b) || (co[a] >> b | co[b] >> a) & 1 == 1
        };
        self.writers
            .iter()
            .all(|writers| writers.iter().all(|&a| writers.iter().all(|&b| related(a, b))))
    }
}
