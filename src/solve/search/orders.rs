//! The orders of an execution whose reads all have their writes: barriers, final writes, Fence-SC
//! order and coherence.
//!
//! Final values are chosen before the orders, so that for each of them one orientation is enough.

use super::candidates::ValueDemand;
use super::compile::Level;
use super::rules::Demand;
use super::state::{Flow, Orders, Search, Stop, Visit};
use crate::bitrel::Rel;
use crate::execution::barriers::{Barriers, Generations};
use crate::execution::build::{close_coherence, read_value};
use crate::id::{AccessId, EventId};
use crate::rule::Unsupported;
use crate::solve::Goal;
use crate::vocabulary::BaseRel;

impl Search<'_, '_> {
    /// Completes an execution whose reads all have their writes: barriers, then orders.
    pub(super) fn decided(&mut self, visit: &mut Visit<'_>) -> Flow {
        if self.executed != self.possible || self.values_unknown() {
            return self.take_demanded_values(visit);
        }
        if !self.demanded_values_hold() {
            return Ok(());
        }
        if self.goal.needs_cut().is_some() && !self.is_cut() {
            return Ok(());
        }
        let options = match &self.space.meetings {
            Some(options) if options.len() == 1 => return self.finish(visit),
            Some(options) => options.clone(),
            None if self.goal == Goal::BoundHit => return self.finish(visit),
            None => match self.barriers().assignments() {
                Ok(options) => options,
                Err(why) => return Err(Stop::Unsupported(why.into())),
            },
        };
        for generations in options {
            let (sync, before) = (self.sync.clone(), self.generations.clone());
            let met = self.met;
            self.add_barrier_edges(generations);
            let orders = self.save_orders();
            if self.results_hold()? && self.evaluate() && self.holds_so_far() {
                self.finish(visit)?;
            }
            self.restore_orders(orders);
            (self.sync, self.generations) = (sync, before);
            self.met = met;
            self.stale = true;
        }
        self.evaluate();
        Ok(())
    }

    /// Handles a value that depends on itself. If the model excludes it, there is no execution.
    /// Otherwise only the value that the goal demands can succeed; without a demand, there are too
    /// many values to try.
    fn take_demanded_values(&mut self, visit: &mut Visit<'_>) -> Flow {
        if let Some(axiom) = self.thin_air() {
            self.blamed[axiom] = true;
            return Ok(());
        }
        let asked = |&access: &AccessId| match self.space.demands[access.index()] {
            Some(ValueDemand::Is(value)) if self.is_unknown(access) => Some((access, value)),
            _ => None,
        };
        let taken: Vec<(AccessId, u128)> = self.space.reads.iter().filter_map(asked).collect();
        if taken.is_empty() {
            return Err(Stop::Unsupported(Unsupported::SelfJustified));
        }
        let mark = self.mark();
        for &(access, value) in &taken {
            self.known[access.index()] = Some(value);
            self.known_trail.push(access);
        }
        self.stale = true;
        self.self_justified.extend(&taken);
        let result = self.choose(visit);
        self.self_justified.truncate(self.self_justified.len() - taken.len());
        self.undo(mark);
        result
    }

    /// Whether every value that depends on itself is the value written where it is read.
    fn demanded_values_hold(&self) -> bool {
        let Self { space, rf, values, .. } = self;
        self.self_justified.iter().all(|&(access, value)| {
            read_value(space.graph, rf, values, access.index()) == Some(value)
        })
    }

    /// Whether a read happens with an unknown value.
    pub(super) fn is_unknown(&self, access: AccessId) -> bool {
        let mut pieces = self.pieces(access).iter();
        self.known[access.index()].is_none() && pieces.all(|&p| self.executed.contains(p))
    }

    fn values_unknown(&self) -> bool {
        self.space.reads.iter().any(|&access| self.is_unknown(access))
    }

    fn barriers(&self) -> Barriers<'_> {
        Barriers::new(self.space.graph, |e| self.executed.contains(e), |x| self.values.get(x))
    }

    fn add_barrier_edges(&mut self, generations: Generations) {
        let n = self.space.graph.events.len();
        let barriers = self.barriers();
        let sync =
            BaseRel::BARRIERS.map(|kind| Rel::from_pairs(n, barriers.edges(&generations, kind)));
        drop(barriers);
        self.sync = sync;
        self.generations = generations;
        self.met = true;
        self.stale = true;
    }

    /// If control flow and counts are fixed and threads can meet in one way, barriers order events
    /// from the start.
    pub(super) fn fixed_barriers(&mut self) {
        if self.space.graph.barriers.is_empty() {
            self.met = true;
        } else if let Some([only]) = self.space.meetings.as_deref() {
            let only = only.clone();
            for op in &self.space.graph.barriers {
                self.executed.insert(op.event);
            }
            self.add_barrier_edges(only);
        }
    }

    /// Orients the pairs that the model demands, then reports the execution; gives whether there
    /// was one.
    fn orient(&mut self, visit: &mut Visit<'_>) -> Result<bool, Stop> {
        self.step()?;
        let orders = self.save_orders();
        let result = self.orient_open(visit);
        self.restore_orders(orders);
        self.refresh(Level::Fences);
        result
    }

    fn orient_open(&mut self, visit: &mut Visit<'_>) -> Result<bool, Stop> {
        loop {
            if !self.finals_are_last() {
                return Ok(false);
            }
            let open = self.open_pairs();
            if open.is_empty() {
                return visit(self, self.choices()).map(|()| true);
            }
            if self.put_finals_last(&open) {
                if !self.produce_from(Level::Coherence) {
                    return Ok(false);
                }
                continue;
            }
            if self.orders == Orders::One && self.orient_linearly(&open, visit)? {
                return Ok(true);
            }
            if open.len() > 1 {
                self.exclude_from_axioms();
                match self.force() {
                    None => return Ok(false),
                    Some(false) => {}
                    Some(true) => {
                        if !self.produce_from(Level::Fences) {
                            return Ok(false);
                        }
                        continue;
                    }
                }
            }
            return self.branch_on_pair(open[0], visit);
        }
    }

    fn branch_on_pair(&mut self, pair: Pair, visit: &mut Visit<'_>) -> Result<bool, Stop> {
        let (order, a, b) = pair;
        let mut found = false;
        for (from, to) in [(a, b), (b, a)] {
            let orders = self.save_orders();
            self.add(order, from, to);
            if self.produce_from(Level::Fences) {
                found |= self.orient(visit)?;
            }
            self.restore_orders(orders);
            if found && self.orders == Orders::One {
                break;
            }
        }
        Ok(found)
    }

    /// Tries to orient all open pairs at once, along a linear extension of the orders so far.
    fn orient_linearly(&mut self, open: &[Pair], visit: &mut Visit<'_>) -> Result<bool, Stop> {
        let orders = self.save_orders();
        let (co_rank, sc_rank) = (rank(&self.co), rank(&self.sc));
        for &(order, a, b) in open {
            let rank = if order == BaseRel::Co { &co_rank } else { &sc_rank };
            let (from, to) = if rank[a.index()] < rank[b.index()] { (a, b) } else { (b, a) };
            if order == BaseRel::Co {
                self.co.insert(from, to);
            } else {
                self.sc.insert(from, to);
            }
        }
        close_coherence(self.space.graph, &mut self.co);
        let fine = self.produce_from(Level::Fences)
            && self.finals_are_last()
            && self.open_pairs().is_empty();
        let found = if fine { visit(self, self.choices()).map(|()| true) } else { Ok(false) };
        self.restore_orders(orders);
        self.refresh(Level::Fences);
        found
    }

    /// Whether no write follows the chosen final write of its location.
    fn finals_are_last(&self) -> bool {
        self.finals
            .iter()
            .flatten()
            .all(|&w| !self.co.row(w).any(|later| self.executed.contains(later)))
    }

    /// Orients open pairs with a final write towards it; gives whether there were any.
    fn put_finals_last(&mut self, open: &[Pair]) -> bool {
        let mut any = false;
        for &(order, a, b) in open.iter().filter(|p| p.0 == BaseRel::Co) {
            let last = |w: EventId| self.finals.contains(&Some(w));
            let (from, to) = match (last(a), last(b)) {
                (true, false) => (b, a),
                (false, true) => (a, b),
                _ => continue,
            };
            self.add(order, from, to);
            any = true;
        }
        any
    }

    fn produce_from(&mut self, level: Level) -> bool {
        if !self.close_fences() || !self.co.is_irreflexive() {
            return false;
        }
        self.refresh(level);
        self.produce()
    }

    fn add(&mut self, order: BaseRel, from: EventId, to: EventId) {
        if order == BaseRel::Co {
            self.co.insert(from, to);
            close_coherence(self.space.graph, &mut self.co);
        } else {
            self.sc.insert(from, to);
        }
    }

    /// Pairs that still have to be oriented.
    fn open_pairs(&mut self) -> Vec<Pair> {
        let mut out = Vec::new();
        for (order, open) in
            [(BaseRel::FenceSc, self.open_fences()), (BaseRel::Co, self.open_coherence())]
        {
            if open.is_empty() {
                continue;
            }
            for (index, demand) in self.rules.demands.iter().enumerate() {
                if let Demand::Choice { order: asked, slot } = *demand {
                    self.blamed[index] |=
                        asked == order && self.active[index] && self.slots.rel(slot).meets(&open);
                }
            }
            out.extend(open.iter_pairs().filter(|(a, b)| a < b).map(|(a, b)| (order, a, b)));
        }
        out
    }

    /// Makes the remaining choices after barriers. If a thread is cut, final values are not chosen,
    /// since others may never end.
    fn finish(&mut self, visit: &mut Visit<'_>) -> Flow {
        match self.goal {
            Goal::BoundHit => self.orient(visit).map(|_| ()),
            _ => self.choose_final(0, visit),
        }
    }

    /// Chooses final values, then the orders.
    fn choose_final(&mut self, at: usize, visit: &mut Visit<'_>) -> Flow {
        let Some(&loc) = self.space.finals.get(at) else {
            if !self.space.finals.is_empty() {
                self.compute_values();
                if !self.goal_possible() {
                    return Ok(());
                }
            }
            if self.is_filtered() {
                return Ok(());
            }
            if !self.goal_reached() {
                return Err(Stop::Unsupported(Unsupported::Uncomputed));
            }
            return self.orient(visit).map(|_| ());
        };
        let space = self.space;
        self.step()?;
        for &write in &space.writes[loc.index()] {
            let maximal = self.executed.contains(write)
                && !self.co.row(write).any(|later| self.executed.contains(later));
            if maximal {
                self.finals[loc.index()] = Some(write);
                let result = self.choose_final(at + 1, visit);
                self.finals[loc.index()] = None;
                self.stale = true;
                result?;
            }
        }
        Ok(())
    }
}

/// Two events that an order has to orient.
type Pair = (BaseRel, EventId, EventId);

/// The position of every event in some linear extension of an acyclic relation.
fn rank(order: &Rel) -> Vec<usize> {
    let n = order.len();
    let mut before = vec![0_usize; n];
    for (_, b) in order.iter_pairs() {
        before[b.index()] += 1;
    }
    let mut ready: std::collections::BTreeSet<usize> = (0..n).filter(|&e| before[e] == 0).collect();
    let mut ranks = vec![n; n];
    let mut next = 0;
    while let Some(event) = ready.pop_first() {
        ranks[event] = next;
        next += 1;
        for later in order.row(EventId::new(event)) {
            before[later.index()] -= 1;
            if before[later.index()] == 0 {
                ready.insert(later.index());
            }
        }
    }
    ranks
}
