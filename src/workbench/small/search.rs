//! The search for programs and outcomes of a shape that one of two models allows and the other
//! forbids.
//!
//! An outcome consists of the source of every read and the last write of each location. A model
//! allows the outcome if some coherence order and some order of `fence.sc` make a consistent
//! execution. The search starts with the cell of all programs. It splits a cell - places first,
//! then orders, then scopes - if the bounds leave open whether the models differ. In an unsplit
//! cell the models certainly agree or certainly differ.

use super::cell::{Cell, Event, Frame, Part, Stand};
use super::difference::Difference;
use super::label::{Label, scopes_told_apart};
use super::orders::{linear_orders, partial_orders, relation};
use super::pair::{Demand, Pair, Stage};
use super::place::{Level, Placement};
use super::rows::{MOST, Rows};
use super::shape::{Kind, Shape};
use crate::ptx::operation::Order;
use std::ops::ControlFlow;

/// The search space.
#[derive(Clone, Debug)]
pub struct Space<'p> {
    /// The models.
    pub pair: &'p Pair,
    /// The placements that are told apart, by number of threads.
    pub placements: Vec<Vec<Placement>>,
    /// The labels of each kind, in the order of [`Kind::ALL`].
    pub labels: Vec<Vec<Label>>,
}

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Shapes with reads-from choices.
    pub candidates: u64,
    /// Cells that were evaluated.
    pub cells: u64,
}

/// Looks for the differences of one shape; `visit` is given each, the strongest wording of a cell that
/// differs as a whole, and says whether to go on.
pub fn differences<'s>(
    space: &'s Space<'s>,
    shape: &'s Shape,
    effort: &'s mut Effort,
    visit: &'s mut dyn FnMut(Difference) -> ControlFlow<()>,
) -> ControlFlow<()> {
    search(space, shape, Asks::Difference, effort, visit)
}

/// Searches the cell of all programs of a shape.
pub(super) fn search<'s>(
    space: &'s Space<'s>,
    shape: &'s Shape,
    asks: Asks,
    effort: &'s mut Effort,
    visit: &'s mut dyn FnMut(Difference) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let labels: Vec<Vec<Label>> =
        shape.ops().map(|(_, op)| space.labels[op.kind as usize].clone()).collect();
    if labels.iter().any(Vec::is_empty) {
        return ControlFlow::Continue(());
    }
    let top = Cell { labels, placement: None };
    let frame = Frame::new(space.pair, shape);
    if frame.events.len() > MOST {
        return ControlFlow::Continue(());
    }
    let writers = writers(&frame.events, shape);
    let coherence = coherence(space.pair, &writers);
    let mut search =
        Search { space, shape, frame, writers, coherence, early: Vec::new(), effort, visit };
    search.frame.evaluate(Stage::Shape, &top);
    search.frame.evaluate(Stage::Labels, &top);
    search.candidates(&top, asks)
}

/// The last write of each location, and for each model, whether it allows an outcome with these
/// writes.
pub type Outcome = (Vec<usize>, [bool; 2]);

/// The outcomes that the models allow for a program with given reads, by last writes.
/// [`Difference::finals`] is ignored.
#[must_use]
pub fn outcomes(space: &Space<'_>, program: &Difference) -> Vec<Outcome> {
    let Difference { shape, placement, labels, reads, .. } = program;
    let labels = labels.iter().map(|&label| vec![label]).collect();
    let cell = Cell { labels, placement: Some(placement) };
    let mut frame = Frame::new(space.pair, shape);
    let reads_at = (0..frame.events.len()).filter(|&at| frame.events[at].part == Part::Read);
    let rf = relation(reads.iter().copied().zip(reads_at));
    frame.chosen.rf = [rf; 2];
    [Stage::Shape, Stage::Reads, Stage::Labels, Stage::Both]
        .into_iter()
        .for_each(|stage| frame.evaluate(stage, &cell));
    let writers = writers(&frame.events, shape);
    let coherence = coherence(space.pair, &writers);
    let (mut effort, mut ignore) = (Effort::default(), |_| ControlFlow::Continue(()));
    let mut search = Search {
        space,
        shape,
        frame,
        writers,
        coherence,
        early: Vec::new(),
        effort: &mut effort,
        visit: &mut ignore,
    };
    search.stand_early();
    let orders = search.fence_orders(&cell);
    let (found, _) = search.outcomes(&cell, &orders);
    let sizes = search.sizes();
    let outcome = |(index, allows): (usize, &[Allows; 2])| {
        (search.finals(index, &sizes), allows.map(|allows| allows.must))
    };
    found.iter().enumerate().map(outcome).collect()
}

/// For each model, whether it allows the outcome of a program, ignoring [`Difference::allowed_by`]
/// says.
#[must_use]
pub fn allowed(space: &Space<'_>, program: &Difference) -> [bool; 2] {
    let found = outcomes(space, program).into_iter().find(|(last, _)| *last == program.finals);
    found.map_or([false; 2], |(_, allowed)| allowed)
}

/// The side of the border between allowed and forbidden programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    /// The weakest programs that forbid an outcome.
    Forbidden,
    /// The strongest programs that allow an outcome.
    Allowed,
}

/// The question about each cell.
#[derive(Clone, Copy)]
pub(super) enum Asks {
    Difference,
    Border(Border),
}

/// The coherence orders of each location's writes.
pub(super) fn coherence(pair: &Pair, writers: &[Vec<usize>]) -> Vec<Vec<Rows>> {
    let total = pair.total == [true; 2];
    writers.iter().map(|writers| partial_orders(writers, total)).collect()
}

/// The writes of each location, without the initial one.
pub(super) fn writers(events: &[Event], shape: &Shape) -> Vec<Vec<usize>> {
    let of = |loc: usize| {
        let own = |(_, e): &(usize, &Event)| e.part == Part::Write && usize::from(e.loc) == loc;
        events.iter().enumerate().filter(own).map(|(index, _)| index).collect()
    };
    (0..shape.locations()).map(of).collect()
}

pub(super) struct Search<'s> {
    pub(super) space: &'s Space<'s>,
    pub(super) shape: &'s Shape,
    pub(super) frame: Frame<'s>,
    pub(super) writers: Vec<Vec<usize>>,
    /// The coherence orders of each location.
    pub(super) coherence: Vec<Vec<Rows>>,
    /// How each demand stands that depends on no order.
    pub(super) early: Vec<Stand>,
    pub(super) effort: &'s mut Effort,
    pub(super) visit: &'s mut dyn FnMut(Difference) -> ControlFlow<()>,
}

/// The verdict of the bounds on a cell.
enum Known {
    /// The models agree on all outcomes with these reads.
    Agree,
    /// One of the models allows an outcome with these last writes, and the other forbids it.
    Differ { finals: Vec<usize>, allowed_by: usize },
    /// The models agree or differ depending on labels and places.
    Open,
}

/// Whether a model allows an outcome in some program of a cell, and in all programs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Allows {
    pub(super) may: bool,
    pub(super) must: bool,
}

impl<'s> Search<'s> {
    /// All that reads may read from, one after the other.
    pub(super) fn candidates(&mut self, top: &Cell<'s>, asks: Asks) -> ControlFlow<()> {
        let events = self.frame.events.clone();
        let is_read = |&index: &usize| events[index].part == Part::Read;
        let readers: Vec<usize> = (0..events.len()).filter(is_read).collect();
        let sources = |&reader: &usize| -> Vec<usize> {
            let loc = usize::from(events[reader].loc);
            let others = self.writers[loc].iter().filter(|&&w| events[w].op != events[reader].op);
            [loc].into_iter().chain(others.copied()).collect()
        };
        let sources: Vec<Vec<usize>> = readers.iter().map(sources).collect();
        if matches!(asks, Asks::Difference) && self.agrees_anyhow(top, &readers, &sources) {
            return ControlFlow::Continue(());
        }
        let mut counters = vec![0; readers.len()];
        let mut dirty = false;
        loop {
            let reads: Vec<usize> = counters.iter().zip(&sources).map(|(&c, s)| s[c]).collect();
            if self.has_values(&readers, &reads) {
                self.effort.candidates += 1;
                let rf = relation(reads.iter().copied().zip(readers.iter().copied()));
                self.frame.chosen.rf = [rf; 2];
                if dirty {
                    self.frame.evaluate(Stage::Labels, top);
                }
                self.frame.evaluate(Stage::Reads, top);
                self.frame.evaluate(Stage::Both, top);
                dirty = match asks {
                    Asks::Difference => self.explore(top, &reads)?,
                    Asks::Border(side) => {
                        let none = vec![false; self.sizes().iter().product()];
                        self.follow(top, &reads, side, &none)?
                    }
                };
            }
            let Some(next) = (0..counters.len()).find(|&at| counters[at] + 1 < sources[at].len())
            else {
                return ControlFlow::Continue(());
            };
            counters[next] += 1;
            counters[..next].fill(0);
        }
    }

    /// Whether the models agree on all programs of the shape for all sources of its reads.
    fn agrees_anyhow(&mut self, top: &Cell<'s>, readers: &[usize], sources: &[Vec<usize>]) -> bool {
        self.effort.cells += 1;
        let pairs = readers.iter().zip(sources);
        let any = pairs.flat_map(|(&reader, own)| own.iter().map(move |&source| (source, reader)));
        self.frame.chosen.rf = [relation(std::iter::empty()), relation(any)];
        self.frame.evaluate(Stage::Reads, top);
        self.frame.evaluate(Stage::Both, top);
        self.stand_early();
        let orders = self.fence_orders(top);
        self.agrees_at_large(top, &orders, [false; 2])
    }

    /// Whether every value is determined, that is, no reduction adds to its own result.
    fn has_values(&self, readers: &[usize], reads: &[usize]) -> bool {
        let events = &self.frame.events;
        let kinds: Vec<Kind> = self.shape.ops().map(|(_, op)| op.kind).collect();
        let adds = |write: usize| {
            events[write].part == Part::Write && kinds[events[write].op] == Kind::Red
        };
        let next = |write: usize| {
            let own = readers.iter().position(|&r| events[r].op == events[write].op)?;
            Some(reads[own])
        };
        reads.iter().all(|&start| {
            let mut at = start;
            for _ in 0..events.len() {
                match next(at).filter(|_| adds(at)) {
                    Some(before) => at = before,
                    None => return true,
                }
            }
            false
        })
    }

    /// Looks at a cell whose labels are evaluated; whether others have been evaluated since.
    fn explore(&mut self, cell: &Cell<'s>, reads: &[usize]) -> ControlFlow<(), bool> {
        self.effort.cells += 1;
        match self.known(cell) {
            Known::Agree => ControlFlow::Continue(false),
            Known::Differ { finals, allowed_by } => {
                if let Some(difference) = self.strongest(cell, reads, finals, allowed_by) {
                    (self.visit)(difference)?;
                }
                ControlFlow::Continue(false)
            }
            Known::Open => {
                for part in self.split(cell) {
                    self.frame.evaluate(Stage::Labels, &part);
                    self.frame.evaluate(Stage::Both, &part);
                    let _ = self.explore(&part, reads)?;
                }
                ControlFlow::Continue(true)
            }
        }
    }

    /// The parts of a cell: places first, then orders, then scopes, the strongest first.
    pub(super) fn split(&self, cell: &Cell<'s>) -> Vec<Cell<'s>> {
        let Some(placement) = cell.placement else {
            let placements = &self.space.placements[self.shape.threads.len()];
            let fits = placements.iter().filter(|placement| self.meets(placement));
            return fits.map(|placement| self.placed(cell, placement)).collect();
        };
        let Some(op) = (0..cell.labels.len()).find(|&op| cell.labels[op].len() > 1) else {
            return Vec::new();
        };
        let labels = &cell.labels[op];
        let mut orders: Vec<Option<Order>> = labels.iter().map(|label| label.order).collect();
        orders.dedup();
        let groups: Vec<Vec<Label>> = match &orders[..] {
            [_] => labels.iter().map(|&label| vec![label]).collect(),
            _ => {
                let of = |order: &Option<Order>| {
                    labels.iter().filter(|label| label.order == *order).copied().collect()
                };
                orders.iter().map(of).collect()
            }
        };
        let part = |group: Vec<Label>| {
            let mut labels = cell.labels.clone();
            labels[op] = group;
            Cell { labels, placement: Some(placement) }
        };
        groups.into_iter().map(part).collect()
    }

    /// A cell with places, and of scopes that reach the same threads one.
    fn placed(&self, cell: &Cell<'s>, placement: &'s Placement) -> Cell<'s> {
        let reduced = |(labels, (thread, op)): (&Vec<Label>, (usize, super::shape::Op))| {
            let scopes = scopes_told_apart(placement, thread, self.space.pair.asked.scopes);
            let barrier = op.kind == Kind::ClusterBarrier;
            let keeps = |label: &&Label| label.scope.is_none_or(|s| barrier || scopes.contains(&s));
            labels.iter().filter(keeps).copied().collect()
        };
        let labels = cell.labels.iter().zip(self.shape.ops()).map(reduced).collect();
        Cell { labels, placement: Some(placement) }
    }

    /// Whether all threads of a CTA execute its barrier equally often, and likewise the threads of
    /// a cluster.
    fn meets(&self, placement: &Placement) -> bool {
        let count = |thread: usize, kind: Kind| {
            self.shape.threads[thread].iter().filter(|op| op.kind == kind).count()
        };
        let threads = 0..self.shape.threads.len();
        threads.clone().all(|a| {
            threads.clone().all(|b| {
                let level = placement.level(a, b);
                let alike = |kind| count(a, kind) == count(b, kind);
                (level > Level::Cta || alike(Kind::CtaBarrier))
                    && (level > Level::Cluster || alike(Kind::ClusterBarrier))
            })
        })
    }

    /// The first program of a cell.
    fn strongest(
        &self,
        cell: &Cell<'s>,
        reads: &[usize],
        finals: Vec<usize>,
        allowed_by: usize,
    ) -> Option<Difference> {
        let placed = match cell.placement {
            Some(_) => cell.clone(),
            None => self.split(cell).into_iter().next()?,
        };
        let labels = placed.labels.iter().map(|labels| labels.first().copied());
        Some(Difference {
            shape: self.shape.clone(),
            placement: placed.placement?.clone(),
            labels: labels.collect::<Option<_>>()?,
            reads: reads.to_vec(),
            finals,
            allowed_by,
        })
    }

    /// How the models stand to each other in a cell.
    fn known(&mut self, cell: &Cell<'_>) -> Known {
        let pair = self.space.pair;
        self.stand_early();
        let mut fails = [false; 2];
        let mut same = pair.total[0] == pair.total[1];
        for (demand, stand) in pair.demands.iter().zip(&self.early) {
            if !is_early(demand) {
                same &= demand.is_common();
                continue;
            }
            match stand {
                Stand::Kept => {}
                Stand::Broken => (0..2).for_each(|m| fails[m] |= demand.of[m]),
                Stand::Open => same &= demand.is_common() || self.frame.is_alike(demand),
            }
        }
        if fails == [true; 2] || (same && fails == [false; 2]) {
            return Known::Agree;
        }
        let orders = self.fence_orders(cell);
        if self.agrees_at_large(cell, &orders, fails) {
            return Known::Agree;
        }
        self.by_choice(cell, &orders)
    }

    /// Looks at the demands that depend on no order.
    pub(super) fn stand_early(&mut self) {
        let stand = |demand| if is_early(demand) { self.frame.stand(demand) } else { Stand::Open };
        self.early = self.space.pair.demands.iter().map(stand).collect();
    }

    /// Whether the models agree for all coherence orders.
    fn agrees_at_large(&mut self, cell: &Cell<'_>, orders: &[Rows], fails: [bool; 2]) -> bool {
        self.frame.chosen.co = self.any_coherence();
        for order in orders {
            self.frame.chosen.fences = *order;
            self.frame.evaluate(Stage::FenceOrder, cell);
            self.frame.evaluate(Stage::Coherence, cell);
            let (stands, same) = self.stands();
            let broken = [0, 1].map(|m| fails[m] || stands[m] == Stand::Broken);
            let same = same && self.space.pair.total[0] == self.space.pair.total[1];
            if broken != [true; 2] && !same {
                return false;
            }
        }
        true
    }

    /// The status of the execution in each model, and whether the models certainly agree on it.
    fn stands(&self) -> ([Stand; 2], bool) {
        let mut stands = [Stand::Kept; 2];
        let mut same = true;
        let mut common_fails = false;
        for (demand, early) in self.space.pair.demands.iter().zip(&self.early) {
            let stand = if is_early(demand) { *early } else { self.frame.stand(demand) };
            same &= demand.is_common() || stand == Stand::Kept || self.frame.is_alike(demand);
            common_fails |= demand.is_common() && stand == Stand::Broken;
            for (model, known) in stands.iter_mut().enumerate() {
                match (demand.of[model], stand) {
                    (true, Stand::Broken) => *known = Stand::Broken,
                    (true, Stand::Open) if *known == Stand::Kept => *known = Stand::Open,
                    _ => {}
                }
            }
        }
        let decided = stands[0] == stands[1] && stands[0] != Stand::Open;
        (stands, common_fails || same || decided)
    }

    /// How the models stand to each other by all orders of coherence and of `fence.sc`.
    fn by_choice(&mut self, cell: &Cell<'_>, orders: &[Rows]) -> Known {
        let (allowed, all_same) = self.outcomes(cell, orders);
        if all_same {
            return Known::Agree;
        }
        let mut open = false;
        for (index, [a, b]) in allowed.iter().enumerate() {
            let differ = |x: &Allows, y: &Allows| x.must && !y.may;
            if differ(a, b) || differ(b, a) {
                let allowed_by = usize::from(differ(b, a));
                return Known::Differ { finals: self.finals(index, &self.sizes()), allowed_by };
            }
            open |= !(a.must && b.must) && (a.may || b.may);
        }
        if open { Known::Open } else { Known::Agree }
    }

    /// How many writes may be the last of each location.
    pub(super) fn sizes(&self) -> Vec<usize> {
        self.writers.iter().map(|writers| writers.len().max(1)).collect()
    }

    /// The outcomes that each model allows, by last writes, and whether the models agree on each
    /// execution.
    pub(super) fn outcomes(
        &mut self,
        cell: &Cell<'_>,
        orders: &[Rows],
    ) -> (Vec<[Allows; 2]>, bool) {
        let pair = self.space.pair;
        let per_location = std::mem::take(&mut self.coherence);
        let sizes = self.sizes();
        let mut allowed = vec![[Allows::default(); 2]; sizes.iter().product()];
        let mut all_same = pair.total[0] == pair.total[1];
        for order in orders {
            self.frame.chosen.fences = *order;
            self.frame.evaluate(Stage::FenceOrder, cell);
            let mut counters = vec![0; per_location.len()];
            loop {
                let mut co = self.initial();
                for (orders, &at) in per_location.iter().zip(&counters) {
                    co.iter_mut().zip(&orders[at]).for_each(|(row, more)| *row |= more);
                }
                self.frame.chosen.co = [co, co];
                self.frame.evaluate(Stage::Coherence, cell);
                let (mut stands, same) = self.stands();
                let is_total = self.is_total(&co);
                for (model, stand) in stands.iter_mut().enumerate() {
                    if pair.total[model] && !is_total {
                        *stand = Stand::Broken;
                    }
                }
                all_same &= same;
                if stands.iter().any(|&stand| stand != Stand::Broken) {
                    for index in self.lasts(&co, &sizes) {
                        for (allows, stand) in allowed[index].iter_mut().zip(stands) {
                            allows.may |= stand != Stand::Broken;
                            allows.must |= stand == Stand::Kept;
                        }
                    }
                }
                let next =
                    (0..counters.len()).find(|&at| counters[at] + 1 < per_location[at].len());
                let Some(next) = next else { break };
                counters[next] += 1;
                counters[..next].fill(0);
            }
        }
        self.coherence = per_location;
        (allowed, all_same)
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

    /// Coherence between the least that there is and all that there may be.
    fn any_coherence(&self) -> [Rows; 2] {
        let least = self.initial();
        let mut most = least;
        for writers in &self.writers {
            for &a in writers {
                writers.iter().filter(|&&b| b != a).for_each(|&b| most[a] |= 1 << b);
            }
        }
        [least, most]
    }

    fn is_total(&self, co: &Rows) -> bool {
        let related = |a: usize, b: usize| a == b || (co[a] >> b | co[b] >> a) & 1 == 1;
        self.writers
            .iter()
            .all(|writers| writers.iter().all(|&a| writers.iter().all(|&b| related(a, b))))
    }

    /// The total orders of the fences that may be `fence.sc`.
    pub(super) fn fence_orders(&self, cell: &Cell<'_>) -> Vec<Rows> {
        let may_be = |event: &Event| {
            event.part == Part::Fence
                && cell.labels[event.op].iter().any(|label| label.order == Some(Order::Sc))
        };
        let events = self.frame.events.iter().enumerate();
        let fences: Vec<usize> = events.filter(|(_, e)| may_be(e)).map(|(at, _)| at).collect();
        linear_orders(&fences)
    }
}

/// Whether a demand depends neither on coherence nor on the order of `fence.sc`.
pub(super) fn is_early(demand: &Demand) -> bool {
    demand.stage < Stage::FenceOrder
}
