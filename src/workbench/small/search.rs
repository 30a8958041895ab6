//! The search for programs and outcomes of a shape that one of two models allows and the other
//! forbids.
//!
//! An outcome consists of the value of every register and the last value of each location. A model
//! allows the outcome if some way to read, some coherence order and some order of `fence.sc` make a
//! consistent execution. The search starts with a cell of programs. If the bounds leave open whether the models
//! differ there, it rules out the places, orders and scopes for which they do not, and splits what is
//! left. In an unsplit cell the models certainly agree or certainly differ.

use super::bundle::Judged;
use super::cell::{Cell, Event, Frame, Part};
use super::difference::Difference;
use super::evaluation::Stand;
use super::label::Label;
use super::orders::{Pending, partial_orders};
use super::pair::{Pair, Stage};
use super::part::{Ceiling, Part as Value, narrow};
use super::place::{Level, Placement};
use super::rest::Rest;
use super::rows::{MOST, Rows};
use super::shape::{Kind, Shape};
use super::stands::is_early;
use super::ways::{Class, Wanted, classes};
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
    /// Shapes with reads-from choices of which the models disagree on some execution.
    pub disputes: u64,
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

/// What is known of all programs with fewer instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Smaller {
    /// The models agree on all their executions.
    Executions,
    /// The models agree on all their outcomes, or those on which they differ are of no interest with
    /// more instructions.
    Outcomes,
}

/// Which differences are looked for.
#[derive(Clone, Copy, Debug)]
pub struct Sought {
    /// What is known of smaller programs.
    pub smaller: Smaller,
    /// What programs are wanted, at most.
    pub ceiling: Option<Ceiling>,
    /// The model that has to allow the outcome, if it is not either.
    pub allowed_by: Option<usize>,
}

/// Looks for the differences of one shape in a cell; `visit` is given each, the strongest wording of a
/// cell that differs as a whole, and the ceiling, which it may lower; it says whether to go on. The
/// search also ends when the effort is over its limit.
pub fn differences<'s>(
    space: Space<'s>,
    shape: &Shape,
    cell: &Cell<'s>,
    sought: Sought,
    effort: &mut Effort,
    visit: &mut dyn FnMut(Difference, &mut Option<Ceiling>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    search(space, shape, cell, Asks::Difference(sought.smaller), Some(sought), effort, visit)
}

/// Searches a cell of programs of a shape.
pub(super) fn search<'s>(
    space: Space<'s>,
    shape: &Shape,
    cell: &Cell<'s>,
    asks: Asks,
    sought: Option<Sought>,
    effort: &mut Effort,
    visit: &mut dyn FnMut(Difference, &mut Option<Ceiling>) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let frame = Frame::new(space.pair, shape);
    if cell.is_void() || frame.events.len() > MOST {
        return ControlFlow::Continue(());
    }
    let mut search = Search::new(space, shape, frame, effort, visit);
    search.ceiling = sought.and_then(|sought| sought.ceiling);
    search.allowed_by = sought.and_then(|sought| sought.allowed_by);
    search.frame.evaluate(Stage::Shape, cell);
    search.frame.evaluate(Stage::Labels, cell);
    search.candidates(cell, asks)
}

/// Whether the models surely agree on all programs of a shape, or each of these has an instruction that
/// makes no difference to them.
#[must_use]
pub fn is_needless(space: Space<'_>, shape: &Shape, effort: &mut Effort) -> bool {
    let frame = Frame::new(space.pair, shape);
    let all = everything(space, shape);
    if all.is_void() || frame.events.len() > MOST {
        return all.is_void();
    }
    let mut ignore = |_, _: &mut _| ControlFlow::Continue(());
    let mut search = Search::new(space, shape, frame, effort, &mut ignore);
    search.frame.evaluate(Stage::Shape, &all);
    search.is_needless(&all, Smaller::Outcomes)
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

/// For each model, whether it allows the outcome of a program, with the last values of the locations
/// that are pinned. [`Difference::allowed_by`] is ignored.
#[must_use]
pub fn allowed(space: &Space<'_>, program: &Difference, pinned: &[bool]) -> [bool; 2] {
    let Difference { shape, placement, labels, reads, finals, .. } = program;
    let labels = labels.iter().map(|&label| vec![label]).collect();
    let cell = Cell { labels, placements: vec![placement] };
    let frame = Frame::new(space.pair, shape);
    let (mut effort, mut ignore) =
        (Effort::up_to(u64::MAX), |_, _: &mut Option<Ceiling>| ControlFlow::Continue(()));
    let mut search = Search::new(*space, shape, frame, &mut effort, &mut ignore);
    search.frame.evaluate(Stage::Shape, &cell);
    search.evaluate_labels(&cell);
    let all = classes(shape, &search.frame.events, &search.writers, Wanted::All);
    let own = all.into_iter().find_map(|class| class.position(reads).map(|way| (class, way)));
    let Some((class, way)) = own else { return [false; 2] };
    let told = class.index(way, (finals, pinned), &search.writers);
    search.begin(class);
    let mut open = search.executions(&cell);
    let found = search.outcomes(&cell, &mut open);
    let fits = |index: usize| told.is_some_and(|told| search.class.agree(index, told, pinned));
    let fitting = found.iter().enumerate().filter(|(index, _)| fits(*index));
    fitting.fold([false; 2], |all, (_, [a, b])| [all[0] || a.must, all[1] || b.must])
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
    Difference(Smaller),
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

pub(super) struct Search<'s, 'v> {
    pub(super) space: Space<'s>,
    pub(super) shape: &'v Shape,
    pub(super) frame: Frame<'s>,
    pub(super) writers: Vec<Vec<usize>>,
    /// The coherence orders of each location.
    pub(super) coherence: Vec<Vec<Rows>>,
    /// Coherence, and the order of fences, between the least that there is and all that there may be.
    pub(super) any: [[Rows; 2]; 2],
    /// The ways to read that are looked at.
    pub(super) class: Class,
    /// The class of the one way that is looked at, if it has others.
    whole: Option<Class>,
    /// All ways to read with the values of registers that are looked at, if they are few enough.
    pub(super) complete: Option<Class>,
    /// The shape without each of its instructions.
    pub(super) remainders: Vec<Option<Box<Rest<'s>>>>,
    /// The way to read for which reads-from is evaluated, and that for which all is that depends on no
    /// order.
    current: [Option<usize>; 2],
    /// How each demand stands that depends on no order.
    pub(super) early: Vec<Stand>,
    pub(super) effort: &'v mut Effort,
    pub(super) visit: &'v mut dyn FnMut(Difference, &mut Option<Ceiling>) -> ControlFlow<()>,
    /// What programs are wanted, at most.
    pub(super) ceiling: Option<Ceiling>,
    /// The model that has to allow the outcome, if it is not either.
    pub(super) allowed_by: Option<usize>,
}

/// How the orders of coherence and of `fence.sc` are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Orders {
    /// One after the other, after what depends on none of them.
    OneByOne,
    /// All together by their bounds, first.
    Together,
}

/// The verdict of the bounds on a cell.
pub(super) enum Known {
    /// The models agree on all outcomes with these registers.
    Agree,
    /// One of the models allows an outcome with these last values, by index, and the other forbids it.
    Differ { last: usize, allowed_by: usize },
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
            class: Class::default(),
            whole: None,
            complete: None,
            remainders: shape.ops().map(|_| None).collect(),
            current: [None; 2],
            early: Vec::new(),
            effort,
            visit,
            ceiling: None,
            allowed_by: None,
        }
    }

    /// All ways to read, one class after the other.
    pub(super) fn candidates(&mut self, top: &Cell<'s>, asks: Asks) -> ControlFlow<()> {
        let mut top = top.clone();
        match asks {
            Asks::Difference(smaller) => {
                if self.is_needless(&top, smaller) {
                    return ControlFlow::Continue(());
                }
                if smaller == Smaller::Outcomes {
                    top = self.narrowed(top);
                    if top.is_void() {
                        return ControlFlow::Continue(());
                    }
                    self.evaluate_labels(&top);
                }
                self.all_differences(&top, smaller)
            }
            Asks::Border(side) => self.all_borders(&top, side),
        }
    }

    /// Whether some instruction makes no difference to the models in any program of a cell, whatever reads
    /// read from.
    fn is_idle_anyhow(&mut self, cell: &Cell<'s>) -> bool {
        self.frame.chosen.rf = self.frame.any_source();
        self.frame.evaluate(Stage::Reads, cell);
        self.evaluate_labels(cell);
        self.frame.evaluate(Stage::Both, cell);
        [self.frame.chosen.co, self.frame.chosen.fences] = self.any;
        self.frame.evaluate(Stage::FenceOrder, cell);
        self.frame.evaluate(Stage::Coherence, cell);
        self.has_idle_anyhow()
    }

    /// Whether the models surely agree on all programs of a cell, or each has an instruction that makes no
    /// difference, whatever reads read from.
    fn is_needless(&mut self, cell: &Cell<'s>, smaller: Smaller) -> bool {
        self.frame.chosen.rf = self.frame.any_source();
        self.frame.evaluate(Stage::Reads, cell);
        self.agrees_anyhow(cell)
            || match smaller {
                Smaller::Executions => !self.may_need_all(),
                Smaller::Outcomes => self.has_idle_anyhow(),
            }
    }

    fn all_differences(&mut self, top: &Cell<'s>, smaller: Smaller) -> ControlFlow<()> {
        let each = self.executions_of_a_way(top);
        let mut dirty = false;
        let wanted = Wanted::UpToSymmetry;
        for class in classes(self.shape, &self.frame.events, &self.writers, wanted) {
            // Where the models agree on each way by itself, they agree on the class.
            let ways = class.one_by_one();
            let is_whole = ways.len() == 1 || class.is_manageable(each);
            self.complete = is_whole.then(|| class.clone());
            let whole = (ways.len() > 1 && is_whole).then_some(class);
            for way in ways {
                self.effort.candidates += 1;
                self.begin(way);
                self.whole.clone_from(&whole);
                if dirty {
                    self.evaluate_labels(top);
                }
                if smaller == Smaller::Executions {
                    let cells = self.effort.cells;
                    let disagree = self.disagree(top, self.all_open(top))?;
                    dirty = self.effort.cells > cells + 1;
                    if !disagree {
                        continue;
                    }
                    self.effort.disputes += 1;
                    self.evaluate_labels(top);
                }
                dirty = self.explore(top, self.all_open(top))?;
            }
        }
        ControlFlow::Continue(())
    }

    fn all_borders(&mut self, top: &Cell<'s>, side: Border) -> ControlFlow<()> {
        if side == Border::Forbidden && self.is_idle_anyhow(top) {
            return ControlFlow::Continue(());
        }
        let each = self.executions_of_a_way(top);
        for class in classes(self.shape, &self.frame.events, &self.writers, Wanted::All) {
            let is_whole = class.ways.len() == 1 || class.is_manageable(each);
            self.complete = is_whole.then(|| class.clone());
            let classes = if class.is_manageable(each) { vec![class] } else { class.one_by_one() };
            for class in classes {
                self.effort.candidates += 1;
                self.begin(class);
                self.evaluate_labels(top);
                let none = vec![false; self.class.sizes.iter().product()];
                let _ = self.follow(top, side, &none, self.executions(top))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Looks at another class.
    pub(super) fn begin(&mut self, class: Class) {
        self.class = class;
        self.current = [None; 2];
    }

    /// Evaluates what depends on labels and places alone.
    pub(super) fn evaluate_labels(&mut self, cell: &Cell<'_>) {
        self.frame.evaluate(Stage::Labels, cell);
        self.current[1] = None;
    }

    /// Evaluates a way to read in a cell whose labels are evaluated.
    pub(super) fn turn_to(&mut self, way: usize, cell: &Cell<'_>) {
        if self.current[0] != Some(way) {
            self.frame.chosen.rf = [self.class.ways[way].rf; 2];
            self.frame.evaluate(Stage::Reads, cell);
            self.current = [Some(way), None];
        }
        if self.current[1] != Some(way) {
            self.frame.evaluate(Stage::Both, cell);
            self.early = self.frame.stand_early();
            self.current[1] = Some(way);
        }
    }

    /// Looks at a cell whose labels are evaluated; whether others have been evaluated since.
    fn explore(&mut self, cell: &Cell<'s>, mut open: Pending) -> ControlFlow<(), bool> {
        let mut lowered = None;
        if let Some(ceiling) = self.ceiling {
            let mut low = cell.clone();
            low.lower(ceiling, self.space.pair, self.shape, self.space.labels);
            if low.is_void() {
                return ControlFlow::Continue(false);
            }
            if low.labels != cell.labels || low.placements.len() != cell.placements.len() {
                self.evaluate_labels(&low);
                lowered = Some(low);
            }
        }
        let is_lowered = lowered.is_some();
        let cell = lowered.as_ref().unwrap_or(cell);
        if self.settles(cell, &mut open)? {
            return ControlFlow::Continue(is_lowered);
        }
        let mut cell = cell.clone();
        narrow(&mut cell, (self.space.pair, self.shape), ROUNDS, |part| {
            self.evaluate_labels(part);
            self.settles(part, &mut open.clone())
        })?;
        if !cell.is_void() {
            for part in self.split(&cell) {
                self.evaluate_labels(&part);
                let _ = self.explore(&part, open.clone())?;
            }
        }
        ControlFlow::Continue(true)
    }

    /// Whether the models agree in a cell or differ in all of it, which is visited then.
    fn settles(&mut self, cell: &Cell<'s>, open: &mut Pending) -> ControlFlow<(), bool> {
        if self.effort.is_over() {
            return ControlFlow::Break(());
        }
        self.effort.cells += 1;
        match self.known(cell, open) {
            Known::Agree => ControlFlow::Continue(true),
            Known::Differ { .. } if self.whole.is_some() => {
                self.explore_whole(cell)?;
                ControlFlow::Continue(true)
            }
            Known::Differ { last, allowed_by } => {
                if let Some(difference) = self.strongest(cell, last, allowed_by) {
                    (self.visit)(difference, &mut self.ceiling)?;
                }
                ControlFlow::Continue(true)
            }
            Known::Open => ControlFlow::Continue(self.has_idle(cell)),
        }
    }

    /// Looks at a cell in which a way to read shows a difference with all ways that no test tells from
    /// this one.
    fn explore_whole(&mut self, cell: &Cell<'s>) -> ControlFlow<()> {
        let Some(whole) = self.whole.take() else { return ControlFlow::Continue(()) };
        let way = std::mem::replace(&mut self.class, whole);
        self.current = [None; 2];
        let _ = self.explore(cell, self.all_open(cell))?;
        self.whole = Some(std::mem::replace(&mut self.class, way));
        self.current = [None; 2];
        self.evaluate_labels(cell);
        ControlFlow::Continue(())
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
    pub(super) fn agrees_anyhow(&mut self, cell: &Cell<'_>) -> bool {
        self.effort.cells += 1;
        self.frame.evaluate(Stage::Labels, cell);
        self.frame.evaluate(Stage::Both, cell);
        self.early = self.frame.stand_early();
        self.agrees_by_bounds(cell, Orders::Together).is_some()
    }

    /// The parts of a cell by the choice with the fewest values.
    pub(super) fn split(&self, cell: &Cell<'s>) -> Vec<Cell<'s>> {
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
    fn strongest(&self, cell: &Cell<'s>, last: usize, allowed_by: usize) -> Option<Difference> {
        let (way, finals) = self.class.finals(last, &self.writers)?;
        let placed = match &cell.placements[..] {
            [_] => cell.clone(),
            _ => cell.within(Value::Place(0), self.space.pair, self.shape),
        };
        let labels = placed.labels.iter().map(|labels| labels.first().copied());
        Some(Difference {
            shape: self.shape.clone(),
            placement: (*placed.placements.first()?).clone(),
            labels: labels.collect::<Option<_>>()?,
            reads: self.class.ways[way].reads.clone(),
            finals,
            allowed_by,
        })
    }

    /// How the models stand to each other in a cell.
    fn known(&mut self, cell: &Cell<'_>, open: &mut Pending) -> Known {
        let mut disputed = vec![0; self.class.ways.len()];
        open.disputed.iter().for_each(|execution| disputed[execution.way] += 1);
        // To look at all orders together is worth while where there are several.
        let bounded = self.by_bounds(cell, |way| match disputed[way] {
            0 => None,
            1 => Some(Orders::OneByOne),
            _ => Some(Orders::Together),
        });
        match bounded.iter().all(Option::is_some) {
            true => Known::Agree,
            false => self.by_choice(cell, open, &bounded),
        }
    }

    /// How the models stand to all executions of each way to read, where bounds tell. Where none of the
    /// executions of a way is in dispute, the models agree.
    pub(super) fn by_bounds(
        &mut self,
        cell: &Cell<'_>,
        looked_at: impl Fn(usize) -> Option<Orders>,
    ) -> Vec<Option<Judged>> {
        let mut known = Vec::with_capacity(self.class.ways.len());
        for way in 0..self.class.ways.len() {
            known.push(match looked_at(way) {
                None => Some(Judged::Agreed),
                Some(orders) => {
                    self.turn_to(way, cell);
                    self.agrees_by_bounds(cell, orders)
                }
            });
        }
        known
    }

    /// Whether the bounds show that the models agree on all executions of what is evaluated.
    pub(super) fn agrees_by_bounds(&mut self, cell: &Cell<'_>, orders: Orders) -> Option<Judged> {
        let (fails, same) = self.stand_at_once();
        if fails == [true; 2] {
            return Some(Judged::Forbidden);
        }
        let agree = (same && fails == [false; 2])
            || (orders == Orders::Together && self.agrees_at_large(cell, self.any[1], fails));
        agree.then_some(Judged::Agreed)
    }

    /// Which models fail by demands that depend on no order, and whether the models are the same
    /// if none does.
    fn stand_at_once(&self) -> ([bool; 2], bool) {
        let pair = self.space.pair;
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
