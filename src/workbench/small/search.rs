//! The search for programs and outcomes of a shape that one of two models allows and the other
//! forbids.
//!
//! An outcome consists of the source of every read and the last write of each location. A model
//! allows the outcome if some coherence order and some order of `fence.sc` make a consistent
//! execution. The search starts with a cell of programs. If the bounds leave open whether the models
//! differ there, it rules out the places, orders and scopes for which they do not, and splits what is
//! left. In an unsplit cell the models certainly agree or certainly differ.

use super::cell::{Cell, Event, Frame, Part, events};
use super::difference::Difference;
use super::evaluation::Stand;
use super::label::Label;
use super::orders::{Pending, partial_orders, relation};
use super::pair::{Pair, Stage};
use super::part::{Ceiling, Part as Value, narrow};
use super::place::{Level, Placement};
use super::rows::{MOST, Rows};
use super::shape::{Kind, Shape};
use super::stands::{Allows, is_early};
use std::ops::ControlFlow;

/// The search space.
#[derive(Clone, Copy, Debug)]
pub struct Space<'p> {
    /// The models.
    pub pair: &'p Pair,
    /// The placements that are told apart, by number of threads.
    pub placements: &'p [Vec<Placement>],
    /// The labels of each kind, in the order of [`Kind::ALL`].
    pub labels: &'p [Vec<Label>],
}

/// How often the parts of a cell are looked at, to rule out those that are settled.
const ROUNDS: usize = 3;

/// How much was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Shapes with reads-from choices.
    pub candidates: u64,
    /// Cells that were evaluated.
    pub cells: u64,
    /// How many cells may be evaluated.
    pub limit: u64,
}

impl Effort {
    /// No effort yet, of at most so many cells.
    #[must_use]
    pub fn up_to(limit: u64) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Whether no more cells may be evaluated.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.cells >= self.limit
    }
}

/// Looks for the differences of one shape in a cell; `visit` is given each, the strongest wording of a
/// cell that differs as a whole, and the ceiling, which it may lower; it says whether to go on. The
/// search also ends when the effort is over its limit.
pub fn differences<'s>(
    space: Space<'s>,
    shape: &Shape,
    cell: &Cell<'s>,
    ceiling: Option<Ceiling>,
    effort: &mut Effort,
    visit: &mut dyn FnMut(Difference, &mut Option<Ceiling>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    search(space, shape, cell, Asks::Difference, ceiling, effort, visit)
}

/// Searches a cell of programs of a shape.
pub(super) fn search<'s>(
    space: Space<'s>,
    shape: &Shape,
    cell: &Cell<'s>,
    asks: Asks,
    ceiling: Option<Ceiling>,
    effort: &mut Effort,
    visit: &mut dyn FnMut(Difference, &mut Option<Ceiling>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let frame = Frame::new(space.pair, shape);
    if cell.is_void() || frame.events.len() > MOST {
        return ControlFlow::Continue(());
    }
    let mut search = Search::new(space, shape, frame, effort, visit);
    search.ceiling = ceiling;
    search.frame.evaluate(Stage::Shape, cell);
    search.frame.evaluate(Stage::Labels, cell);
    search.candidates(cell, asks)
}

/// All programs with the kinds of instructions of a shape.
#[must_use]
pub fn everything<'s>(space: Space<'s>, shape: &Shape) -> Cell<'s> {
    let labels = shape.ops().map(|(_, op)| space.labels[op.kind as usize].clone()).collect();
    let placements = space.placements[shape.threads.len()].iter();
    let placements = placements.filter(|place| meets(shape, place)).collect();
    let mut cell = Cell { labels, placements };
    cell.reduce(space.pair, shape);
    cell
}

/// Whether all threads of a CTA execute its barrier equally often, and likewise the threads of a
/// cluster.
fn meets(shape: &Shape, placement: &Placement) -> bool {
    let count = |thread: usize, kind: Kind| {
        shape.threads[thread].iter().filter(|op| op.kind == kind).count()
    };
    let threads = 0..shape.threads.len();
    threads.clone().all(|a| {
        threads.clone().all(|b| {
            let level = placement.level(a, b);
            let alike = |kind| count(a, kind) == count(b, kind);
            (level > Level::Cta || alike(Kind::CtaBarrier))
                && (level > Level::Cluster || alike(Kind::ClusterBarrier))
        })
    })
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
    let cell = Cell { labels, placements: vec![placement] };
    let mut frame = Frame::new(space.pair, shape);
    let reads_at = (0..frame.events.len()).filter(|&at| frame.events[at].part == Part::Read);
    let rf = relation(reads.iter().copied().zip(reads_at));
    frame.chosen.rf = [rf; 2];
    [Stage::Shape, Stage::Reads, Stage::Labels, Stage::Both]
        .into_iter()
        .for_each(|stage| frame.evaluate(stage, &cell));
    let (mut effort, mut ignore) =
        (Effort::up_to(u64::MAX), |_, _: &mut Option<Ceiling>| ControlFlow::Continue(()));
    let mut search = Search::new(*space, shape, frame, &mut effort, &mut ignore);
    search.early = search.frame.stand_early();
    let mut open = search.executions(&cell);
    let found = search.outcomes(&cell, &mut open);
    let sizes = search.sizes();
    let outcome = |(index, models): (usize, &[Allows; 2])| {
        (search.finals(index, &sizes), models.map(|allows| allows.must))
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

/// Where each event of a shape goes under the orders of threads that keep the shape, up to names of
/// locations.
fn mirrors(shape: &Shape) -> Vec<Vec<usize>> {
    let events = events(shape);
    let mut starts = vec![0];
    shape.threads.iter().for_each(|ops| starts.push(starts[starts.len() - 1] + ops.len()));
    let image = |order: &Vec<usize>| {
        let mut ops = Vec::new();
        order.iter().for_each(|&thread| ops.extend(starts[thread]..starts[thread + 1]));
        // `ops[to]` goes to `to`.
        let locs: Vec<u8> = shape.ops().map(|(_, op)| op.loc).collect();
        let is_access: Vec<bool> = shape.ops().map(|(_, op)| op.kind.is_access()).collect();
        let goes = |event: &Event| {
            let to = |op: usize| ops.iter().position(|&from| from == op);
            events.iter().position(|other| match event.part {
                Part::Init => {
                    let op = (0..locs.len()).find(|&op| is_access[op] && locs[op] == event.loc);
                    let loc = op.and_then(to).map(|op| locs[op]);
                    other.part == Part::Init && Some(other.loc) == loc
                }
                _ => other.part == event.part && Some(other.op) == to(event.op),
            })
        };
        events.iter().map(goes).collect::<Option<Vec<usize>>>()
    };
    shape.symmetries().iter().skip(1).filter_map(image).collect()
}

/// The writes of each location, without the initial one.
pub(super) fn writers(events: &[Event], shape: &Shape) -> Vec<Vec<usize>> {
    let of = |loc: usize| {
        let own = |(_, e): &(usize, &Event)| e.part == Part::Write && usize::from(e.loc) == loc;
        events.iter().enumerate().filter(own).map(|(index, _)| index).collect()
    };
    (0..shape.locations()).map(of).collect()
}

pub(super) struct Search<'s, 'v> {
    pub(super) space: Space<'s>,
    pub(super) shape: &'v Shape,
    pub(super) frame: Frame<'s>,
    pub(super) writers: Vec<Vec<usize>>,
    /// The coherence orders of each location.
    pub(super) coherence: Vec<Vec<Rows>>,
    /// Coherence, and the order of fences, between the least that there is and all that there may be.
    pub(super) any: [[Rows; 2]; 2],
    /// How each demand stands that depends on no order.
    pub(super) early: Vec<Stand>,
    pub(super) effort: &'v mut Effort,
    pub(super) visit: &'v mut dyn FnMut(Difference, &mut Option<Ceiling>) -> ControlFlow<()>,
    /// What programs are wanted, at most.
    pub(super) ceiling: Option<Ceiling>,
}

/// The verdict of the bounds on a cell.
pub(super) enum Known {
    /// The models agree on all outcomes with these reads.
    Agree,
    /// One of the models allows an outcome with these last writes, and the other forbids it.
    Differ { finals: Vec<usize>, allowed_by: usize },
    /// The models agree or differ depending on labels and places.
    Open,
}

impl<'s, 'v> Search<'s, 'v> {
    pub(super) fn new(
        space: Space<'s>,
        shape: &'v Shape,
        frame: Frame<'s>,
        effort: &'v mut Effort,
        visit: &'v mut dyn FnMut(Difference, &mut Option<Ceiling>) -> ControlFlow<()>,
    ) -> Self {
        let writers = writers(&frame.events, shape);
        let coherence = coherence(space.pair, &writers);
        let any = frame.any_order();
        Self {
            space,
            shape,
            frame,
            writers,
            coherence,
            any,
            early: Vec::new(),
            effort,
            visit,
            ceiling: None,
        }
    }

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
        let mut top = top.clone();
        if matches!(asks, Asks::Difference) {
            self.frame.chosen.rf = self.frame.any_source();
            self.frame.evaluate(Stage::Reads, &top);
            top = self.narrowed(top);
            if top.is_void() {
                return ControlFlow::Continue(());
            }
            self.frame.evaluate(Stage::Labels, &top);
        }
        let top = &top;
        let open = self.all_open(top);
        let mirrors = match asks {
            Asks::Difference => mirrors(self.shape),
            Asks::Border(_) => Vec::new(),
        };
        let is_first = |reads: &[usize]| {
            mirrors.iter().all(|mirror| {
                let source = |at: usize| {
                    let reader = mirror.iter().position(|&image| image == readers[at]);
                    let reader = reader.and_then(|r| readers.iter().position(|&other| other == r));
                    reader.map(|reader| mirror[reads[reader]])
                };
                (0..reads.len()).map(source).ge(reads.iter().copied().map(Some))
            })
        };
        let executions = self.executions(top);
        let mut counters = vec![0; readers.len()];
        let mut dirty = false;
        loop {
            let reads: Vec<usize> = counters.iter().zip(&sources).map(|(&c, s)| s[c]).collect();
            if self.has_values(&readers, &reads) && is_first(&reads) {
                self.effort.candidates += 1;
                let rf = relation(reads.iter().copied().zip(readers.iter().copied()));
                self.frame.chosen.rf = [rf; 2];
                if dirty {
                    self.frame.evaluate(Stage::Labels, top);
                }
                self.frame.evaluate(Stage::Reads, top);
                self.frame.evaluate(Stage::Both, top);
                dirty = match asks {
                    Asks::Difference => self.explore(top, &reads, open.clone())?,
                    Asks::Border(side) => {
                        let none = vec![false; self.sizes().iter().product()];
                        self.follow(top, &reads, side, &none, executions.clone())?
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
    fn explore(
        &mut self,
        cell: &Cell<'s>,
        reads: &[usize],
        mut open: Pending,
    ) -> ControlFlow<(), bool> {
        let mut lowered = None;
        if let Some(ceiling) = self.ceiling {
            let mut low = cell.clone();
            low.lower(ceiling, self.space.pair, self.shape, self.space.labels);
            if low.is_void() {
                return ControlFlow::Continue(false);
            }
            if low.labels != cell.labels || low.placements.len() != cell.placements.len() {
                self.frame.evaluate(Stage::Labels, &low);
                self.frame.evaluate(Stage::Both, &low);
                lowered = Some(low);
            }
        }
        let is_lowered = lowered.is_some();
        let cell = lowered.as_ref().unwrap_or(cell);
        if self.settles(cell, reads, &mut open)? {
            return ControlFlow::Continue(is_lowered);
        }
        let mut cell = cell.clone();
        narrow(&mut cell, (self.space.pair, self.shape), ROUNDS, |part| {
            self.frame.evaluate(Stage::Labels, part);
            self.frame.evaluate(Stage::Both, part);
            self.settles(part, reads, &mut open.clone())
        })?;
        if !cell.is_void() {
            for part in self.split(&cell) {
                self.frame.evaluate(Stage::Labels, &part);
                self.frame.evaluate(Stage::Both, &part);
                let _ = self.explore(&part, reads, open.clone())?;
            }
        }
        ControlFlow::Continue(true)
    }

    /// Whether the models agree in a cell or differ in all of it, which is visited then.
    fn settles(
        &mut self,
        cell: &Cell<'s>,
        reads: &[usize],
        open: &mut Pending,
    ) -> ControlFlow<(), bool> {
        if self.effort.is_over() {
            return ControlFlow::Break(());
        }
        self.effort.cells += 1;

        match self.known(cell, open) {
            Known::Agree => ControlFlow::Continue(true),
            Known::Differ { finals, allowed_by } => {
                if let Some(difference) = self.strongest(cell, reads, finals, allowed_by) {
                    (self.visit)(difference, &mut self.ceiling)?;
                }
                ControlFlow::Continue(true)
            }
            Known::Open => ControlFlow::Continue(false),
        }
    }

    /// What is left of a cell without the parts on which the models agree, whatever reads read from;
    /// void if that is nothing.
    pub(super) fn narrowed(&mut self, mut cell: Cell<'s>) -> Cell<'s> {
        if self.agrees_anyhow(&cell) {
            return Cell { labels: Vec::new(), placements: Vec::new() };
        }
        let _ = narrow(&mut cell, (self.space.pair, self.shape), ROUNDS, |part| {
            ControlFlow::Continue(self.agrees_anyhow(part))
        });
        cell
    }

    /// Whether the bounds show that the models agree on all executions of a cell.
    fn agrees_anyhow(&mut self, cell: &Cell<'_>) -> bool {
        self.effort.cells += 1;
        self.frame.evaluate(Stage::Labels, cell);
        self.frame.evaluate(Stage::Both, cell);
        let (fails, same) = self.stand_at_once();
        fails == [true; 2]
            || (same && fails == [false; 2])
            || self.agrees_at_large(cell, self.any[1], fails)
    }

    /// The parts of a cell by the choice with the fewest values.
    fn split(&self, cell: &Cell<'s>) -> Vec<Cell<'s>> {
        let choices = cell.choices();
        let is_place = |values: &&Vec<Value>| matches!(values[0], Value::Place(_));
        let by_size = || choices.iter().min_by_key(|values| values.len());
        let Some(values) = choices.iter().find(is_place).or_else(by_size) else {
            return Vec::new();
        };
        let part = |&part| cell.within(part, self.space.pair, self.shape);
        values.iter().map(part).filter(|part| !part.is_void()).collect()
    }

    /// The first program of a cell.
    fn strongest(
        &self,
        cell: &Cell<'s>,
        reads: &[usize],
        finals: Vec<usize>,
        allowed_by: usize,
    ) -> Option<Difference> {
        let placed = match &cell.placements[..] {
            [_] => cell.clone(),
            _ => cell.within(Value::Place(0), self.space.pair, self.shape),
        };
        let labels = placed.labels.iter().map(|labels| labels.first().copied());
        Some(Difference {
            shape: self.shape.clone(),
            placement: (*placed.placements.first()?).clone(),
            labels: labels.collect::<Option<_>>()?,
            reads: reads.to_vec(),
            finals,
            allowed_by,
        })
    }

    /// How the models stand to each other in a cell.
    fn known(&mut self, cell: &Cell<'_>, open: &mut Pending) -> Known {
        let (fails, same) = self.stand_at_once();
        if fails == [true; 2]
            || (same && fails == [false; 2])
            || (open.are_many() && self.agrees_at_large(cell, self.any[1], fails))
        {
            return Known::Agree;
        }
        self.by_choice(cell, open)
    }

    /// Which models fail by demands that depend on no order, and whether the models are the same
    /// if none does.
    fn stand_at_once(&mut self) -> ([bool; 2], bool) {
        let pair = self.space.pair;
        self.early = self.frame.stand_early();
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
        (fails, same)
    }

    /// Whether the models agree for all coherence orders, and for some orders of fences.
    fn agrees_at_large(&mut self, cell: &Cell<'_>, fences: [Rows; 2], fails: [bool; 2]) -> bool {
        self.frame.chosen.co = self.any[0];
        self.frame.chosen.fences = fences;
        self.frame.evaluate(Stage::FenceOrder, cell);
        self.frame.evaluate(Stage::Coherence, cell);
        let (stands, same) = self.frame.agree(&self.early);
        let broken = [0, 1].map(|m| fails[m] || stands[m] == Stand::Broken);
        let same = same && self.space.pair.total[0] == self.space.pair.total[1];
        broken == [true; 2] || same
    }
}
