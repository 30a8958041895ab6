//! The executions of a candidate: its orders of coherence and of `fence.sc`, and the outcomes that they
//! allow in a cell.
//!
//! What is settled for a cell is settled for its parts. So each cell is looked at with those executions
//! only that the cell around it leaves open.

use super::cell::{Cell, Event, Part, Stand};
use super::orders::{Execution, linear_orders, relation};
use super::pair::Stage;
use super::rows::{Rows, bits};
use super::search::{Known, Search};
use super::stands::{Allows, Outcomes};
use crate::ptx::operation::Order;

impl Search<'_, '_> {
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
    pub(super) fn by_choice(&mut self, cell: &Cell<'_>, open: &mut Vec<Execution>) -> Known {
        let allowed = self.outcomes(cell, open);
        let mut known = Known::Agree;
        for (index, Outcomes { models: [a, b], contested }) in allowed.iter().enumerate() {
            if !contested {
                continue;
            }
            let differ = |x: &Allows, y: &Allows| x.must && !y.may;
            if differ(a, b) || differ(b, a) {
                let allowed_by = usize::from(differ(b, a));
                return Known::Differ { finals: self.finals(index, &self.sizes()), allowed_by };
            }
            if !(a.must && b.must) && (a.may || b.may) {
                known = Known::Open;
            }
        }
        known
    }

    /// How many writes may be the last of each location.
    pub(super) fn sizes(&self) -> Vec<usize> {
        self.writers.iter().map(|writers| writers.len().max(1)).collect()
    }

    /// The outcomes that each model allows by some executions, by last writes. Executions stay that
    /// are forbidden by neither model for all programs of the cell, and whose outcomes are not all allowed
    /// by both for all of them.
    pub(super) fn outcomes(&mut self, cell: &Cell<'_>, open: &mut Vec<Execution>) -> Vec<Outcomes> {
        let pair = self.space.pair;
        let sizes = self.sizes();
        let mut allowed = vec![Outcomes::default(); sizes.iter().product()];
        self.forget_fences(cell, open);
        let mut last: Option<Rows> = None;
        let mut kept: Vec<(Execution, Vec<usize>)> = Vec::new();
        for execution in open.drain(..) {
            let Execution { fences, co } = execution;
            if last != Some(fences) {
                last = Some(fences);
                self.frame.chosen.fences = [fences; 2];
                self.frame.evaluate(Stage::FenceOrder, cell);
            }
            self.frame.chosen.co = [co; 2];
            self.frame.evaluate(Stage::Coherence, cell);
            let (mut stands, same) = self.frame.stands(&self.early);
            let is_total = self.is_total(&co);
            for (model, stand) in stands.iter_mut().enumerate() {
                if pair.total[model] && !is_total {
                    *stand = Stand::Broken;
                }
            }
            if stands == [Stand::Broken; 2] {
                continue;
            }
            let lasts = self.lasts(&co, &sizes);
            for &index in &lasts {
                allowed[index].contested |= !same || pair.total[0] != pair.total[1];
                for (allows, stand) in allowed[index].models.iter_mut().zip(stands) {
                    allows.may |= stand != Stand::Broken;
                    allows.must |= stand == Stand::Kept;
                }
            }
            kept.push((execution, lasts));
        }
        let decided = |index: &usize| allowed[*index].models.iter().all(|allows| allows.must);
        kept.retain(|(_, lasts)| !lasts.iter().all(decided));
        open.extend(kept.into_iter().map(|(execution, _)| execution));
        allowed
    }

    /// Leaves out the order of fences that are no `fence.sc` in a cell, and executions that are one
    /// then.
    fn forget_fences(&self, cell: &Cell<'_>, open: &mut Vec<Execution>) {
        let fences = self.sc_fences(cell);
        let mut known: Vec<Execution> = Vec::with_capacity(open.len());
        for mut execution in open.drain(..) {
            for (at, row) in execution.fences.iter_mut().enumerate() {
                *row &= if fences >> at & 1 == 1 { fences } else { 0 };
            }
            if !known.contains(&execution) {
                known.push(execution);
            }
        }
        *open = known;
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
