//! How far threads come in a program that no execution completes: the barrier operations that are
//! surely reached, and at which nothing shows that they are passed.

use super::barrier::{Barriers, Generations};
use crate::event::graph::{BarrierKey, BarrierRule};
use crate::id::AgentId;

impl Barriers<'_> {
    /// Two operations of one generation of which only one reduces, which is undefined
    /// (PTX-9.7.13.1).
    #[must_use]
    pub fn mixture(&self, generations: &Generations) -> Option<(usize, usize)> {
        let generation = |b: usize| generations[b].map(|g| g.index);
        self.pairs(&self.executed).find(|&(a, b)| {
            generation(a) == generation(b)
                && self.op(a).reduction.is_some() != self.op(b).reduction.is_some()
        })
    }

    /// Two operations of different threads that are surely at one barrier at a time although one
    /// asks for another number of threads.
    #[must_use]
    pub fn different_counts(&self) -> Option<(usize, usize)> {
        let unfinished = self.unfinished();
        self.pairs(&unfinished)
            .find(|&(a, b)| self.wanted(a).zip(self.wanted(b)).is_some_and(|(x, y)| x != y))
    }

    /// As [`Self::mixture`], for operations of different threads that are surely at one barrier at
    /// a time.
    #[must_use]
    pub fn stuck_mixture(&self) -> Option<(usize, usize)> {
        let unfinished = self.unfinished();
        self.pairs(&unfinished)
            .find(|&(a, b)| self.op(a).reduction.is_some() != self.op(b).reduction.is_some())
    }

    /// Pairs of operations of different threads on one barrier of a CTA.
    fn pairs(&self, among: &[usize]) -> impl Iterator<Item = (usize, usize)> {
        let pairs = among.iter().enumerate().flat_map(|(at, &b)| {
            let earlier = among[..at].iter();
            earlier.map(move |&a| (a, b))
        });
        pairs.filter(|&(a, b)| {
            self.op(a).key == self.op(b).key
                && matches!(self.op(a).key, BarrierKey::Cta(..))
                && self.agent(a) != self.agent(b)
        })
    }

    /// Whether a thread surely passes those of the first so many operations that are its own.
    #[must_use]
    pub fn surely_pass(&self, agent: AgentId, count: usize) -> bool {
        self.comes_to(agent, count, &self.passed())
    }

    /// The operations that are reached and not passed: nobody passes a barrier with a count here.
    fn unfinished(&self) -> Vec<usize> {
        let passed = self.passed();
        let count = self.graph.barriers.len();
        (0..count).filter(|&b| !passed[b] && self.is_reached(b, &passed)).collect()
    }

    /// For every operation, whether it is surely passed.
    fn passed(&self) -> Vec<bool> {
        let count = self.graph.barriers.len();
        let mut passed = vec![false; count];
        loop {
            let next: Vec<bool> =
                (0..count).map(|b| passed[b] || self.is_passed(b, &passed)).collect();
            if next == passed {
                return passed;
            }
            passed = next;
        }
    }

    /// Whether an operation is surely executed, and all that its thread waits for before is passed.
    fn is_reached(&self, index: usize, passed: &[bool]) -> bool {
        self.is_certain(index) && self.comes_to(self.agent(index), index, passed)
    }

    /// Whether a thread passes all its operations before this one.
    fn comes_to(&self, agent: AgentId, end: usize, passed: &[bool]) -> bool {
        let mut before = (0..end).filter(|&b| self.agent(b) == agent && !self.is_away(b));
        before.all(|b| self.is_certain(b) && (!self.op(b).waits || passed[b]))
    }

    fn is_certain(&self, index: usize) -> bool {
        self.graph.exprs.is_true(self.graph.event(self.op(index).event).guard)
    }

    fn is_away(&self, index: usize) -> bool {
        self.graph.exprs.is_false(self.graph.event(self.op(index).event).guard)
    }

    /// Whether all threads have surely come to a generation of a barrier for all, or ended.
    fn is_passed(&self, index: usize, passed: &[bool]) -> bool {
        let key = &self.op(index).key;
        let count = self.graph.barriers.len();
        let here = |&b: &usize| self.op(b).key == *key && !self.is_away(b);
        self.is_reached(index, passed)
            && (0..count).filter(here).all(|b| self.op(b).rule == BarrierRule::AllLive)
            && self.members(key).into_iter().all(|agent| {
                let mut own = (0..count).filter(here).filter(|&b| self.agent(b) == agent);
                let arrival = own
                    .find(|&b| self.op(b).arrives && self.occurrence(b) == self.occurrence(index));
                match arrival {
                    Some(arrival) => self.is_reached(arrival, passed),
                    None => self.comes_to(agent, count, passed),
                }
            })
    }
}
