//! What is left of a program when an instruction is left out, and whether a model forbids its outcome
//! anyway.
//!
//! A smallest difference needs each of its instructions. Suppose that the models agree on all smaller
//! programs, that one allows an outcome in an execution, and that no other event reads from some
//! instruction. A model whose expressions only grow with the events allows what is left of the execution
//! without this instruction; so the other model allows this outcome of the smaller program, in some
//! execution. If that model forbids every execution with what is left of the outcome, there is no
//! difference, whatever the first model says.

use super::bundle::Judged;
use super::cell::{Cell, Event, Part};
use super::evaluation::Stand;
use super::lanes::LANES;
use super::orders::{Execution, linear_orders, relation};
use super::pair::Stage;
use super::rest::Rest;
use super::rows::{Rows, bits};
use super::search::Search;
use super::shape::{Kind, Op, Shape};
use super::ways::Way;

impl<'p> Search<'p, '_> {
    /// Whether a model that forbids an outcome in a cell forbids it without some instruction as well,
    /// while the other model allows what is left if it allows the outcome.
    pub(super) fn needs_less(&mut self, cell: &Cell<'_>, index: usize, forbids: usize) -> bool {
        if !self.space.pair.sheds[1 - forbids] || self.complete.is_none() {
            return false;
        }
        let ops = self.shape.ops().count();
        (0..ops).any(|op| {
            self.is_removable(op, Some(index)) && self.forbids_rest(op, cell, index, forbids)
        })
    }

    /// Whether some instruction has no part in what either model says of the executions of one way to
    /// read, whose labels are evaluated. Then the models differ on a smaller program as well if they do
    /// on one of these.
    pub(super) fn has_idle(&mut self, cell: &Cell<'_>) -> bool {
        if self.complete.as_ref().is_none_or(|complete| complete.ways.len() > 1) {
            return false;
        }
        self.turn_to(0, cell);
        [self.frame.chosen.co, self.frame.chosen.fences] = self.any;
        self.frame.evaluate(Stage::FenceOrder, cell);
        self.frame.evaluate(Stage::Coherence, cell);
        let ops = self.shape.ops().count();
        (0..ops).any(|op| self.is_removable(op, None) && !self.frame.depends_on(self.events_of(op)))
    }

    /// The same of all ways to read, where everything is evaluated between the least that there is and
    /// all that there may be.
    pub(super) fn has_idle_anyhow(&self) -> bool {
        let ops: Vec<Op> = self.shape.ops().map(|(_, op)| op).collect();
        let events = &self.frame.events;
        let is_idle = |op: usize| {
            let of = |part: Part| events.iter().position(|e| e.part == part && e.op == op);
            let is_read = of(Part::Write).is_some_and(|write| self.frame.chosen.rf[1][write] != 0);
            let is_plain = of(Part::Read).is_none_or(|read| {
                let sources =
                    (0..events.len()).filter(|&w| self.frame.chosen.rf[1][w] >> read & 1 == 1);
                sources.into_iter().all(|source| self.has_own_value(source))
            });
            let may_go = !is_barrier(ops[op].kind) && !self.is_copied(op);
            may_go && !is_read && is_plain && !self.frame.depends_on(self.events_of(op))
        };
        (0..ops.len()).any(is_idle)
    }

    /// Whether a store stores what an instruction has read.
    pub(super) fn is_copied(&self, op: usize) -> bool {
        let mut first = 0;
        self.shape.threads.iter().any(|ops| {
            let start = first;
            first += ops.len();
            ops.iter().any(|other| other.copies.is_some_and(|at| start + usize::from(at) == op))
        })
    }

    /// The events of an instruction, with the initial write of a location that no other one accesses.
    pub(super) fn events_of(&self, op: usize) -> u32 {
        let events = &self.frame.events;
        let is_own = |at: usize| events[at].part != Part::Init && events[at].op == op;
        let is_alone = |init: usize| {
            let is_access = |at: usize| matches!(events[at].part, Part::Read | Part::Write);
            let here = |at: &usize| is_access(*at) && self.frame.meet(*at, init, true);
            (0..events.len()).filter(here).all(is_own)
        };
        let goes = |at: &usize| is_own(*at) || (events[*at].part == Part::Init && is_alone(*at));
        (0..events.len()).filter(goes).map(|at| 1 << at).sum()
    }

    /// Whether an instruction may be left out of each execution of the ways that are looked at, and put
    /// back into any execution of what is left, with the values that it has.
    fn is_removable(&self, op: usize, index: Option<usize>) -> bool {
        let events = &self.frame.events;
        let kind = kind_of(self.shape, op);
        if is_barrier(kind) || self.is_copied(op) {
            return false;
        }
        let is_own = |event: usize| events[event].part != Part::Init && events[event].op == op;
        let readers: Vec<usize> =
            (0..events.len()).filter(|&e| events[e].part == Part::Read).collect();
        let own = readers.iter().position(|&reader| is_own(reader));
        self.class.ways.iter().all(|way| {
            let is_read = way.reads.iter().any(|&source| is_own(source));
            // The value of a reduction, or of a copy, depends on what else was read.
            let is_plain = own.is_none_or(|own| self.has_own_value(way.reads[own]));
            let is_silent =
                kind == Kind::Red && index.is_some_and(|index| !self.may_be_last(way, op, index));
            !is_read && (is_plain || is_silent)
        })
    }

    /// Whether a write has a value that depends on no read.
    fn has_own_value(&self, write: usize) -> bool {
        let Event { part, op, .. } = self.frame.events[write];
        let ops = self.shape.ops().nth(op);
        part == Part::Init || ops.is_some_and(|(_, op)| op.kind != Kind::Red && op.copies.is_none())
    }

    /// Whether the write of an instruction has the value that an outcome has last.
    fn may_be_last(&self, way: &Way, op: usize, index: usize) -> bool {
        let last = self.lasts_of(index);
        self.writers.iter().enumerate().any(|(loc, writers)| {
            let own = writers.iter().position(|&write| self.frame.events[write].op == op);
            own.is_some_and(|own| way.lasts[loc][own] == last[loc])
        })
    }

    /// The last value of each location, by the index of an outcome.
    fn lasts_of(&self, mut index: usize) -> Vec<usize> {
        let value = |&size: &usize| {
            let own = index % size;
            index /= size;
            own
        };
        self.class.sizes.iter().map(value).collect()
    }

    /// The shape without an instruction, taken from those that are kept.
    fn remainder(&mut self, op: usize) -> Box<Rest<'p>> {
        if let Some(rest) = self.remainders[op].take() {
            return rest;
        }
        let coherence = self.coherence.iter().cloned();
        let writes: Vec<_> = self.writers.iter().cloned().zip(coherence).collect();
        Box::new(Rest::new(self.space.pair, self.shape, op, &writes, self.initial()))
    }

    /// Whether a model forbids all executions without an instruction that have the rest of an outcome.
    fn forbids_rest(&mut self, op: usize, cell: &Cell<'_>, index: usize, model: usize) -> bool {
        let mut rest = self.remainder(op);
        rest.frame.evaluate(Stage::Shape, cell);
        rest.frame.evaluate(Stage::Labels, cell);
        let complete = self.complete.take().expect("it is asked about complete classes only");
        let is_forbidden =
            complete.ways.iter().all(|way| self.forbids_way(&mut rest, way, cell, index, model));
        self.complete = Some(complete);
        self.remainders[op] = Some(rest);
        is_forbidden
    }

    /// The same of the executions that read in one way.
    fn forbids_way(
        &self,
        rest: &mut Rest<'_>,
        way: &Way,
        cell: &Cell<'_>,
        index: usize,
        model: usize,
    ) -> bool {
        let Rest { frame, orders } = rest;
        let is_gone = |event: usize| frame.gone >> event & 1 == 1;
        if way.reads.iter().any(|&source| is_gone(source)) {
            return true;
        }
        let mut rf = way.rf;
        frame.leave_out(&mut rf);
        frame.chosen.rf = [rf; 2];
        frame.evaluate(Stage::Reads, cell);
        frame.evaluate(Stage::Both, cell);
        let early = frame.stand_early();
        let mut demands = frame.pair.demands.iter().zip(&early);
        if demands.any(|(demand, stand)| demand.of[model] && *stand == Stand::Broken) {
            return true;
        }
        let last = self.lasts_of(index);
        let is_total = self.space.pair.total[model];
        let fits = |co: &&Rows| {
            self.has_last(way, co, &last, frame.gone)
                && (!is_total || self.is_total_among(co, !frame.gone))
        };
        let orders: Vec<Execution> = orders
            .iter()
            .filter(fits)
            .map(|&co| Execution { way: 0, fences: relation(std::iter::empty()), co })
            .collect();
        let fences: Vec<usize> = bits(self.sc_fences(cell) & !frame.gone).collect();
        let mut judged = Vec::with_capacity(LANES);
        linear_orders(&fences).into_iter().all(|fences| {
            frame.chosen.fences = [fences; 2];
            frame.evaluate(Stage::FenceOrder, cell);
            orders.chunks(LANES).all(|bundle| {
                judged.clear();
                frame.judge(bundle, &early, false, &mut judged);
                judged.iter().all(|judged| match judged {
                    Judged::Agreed => false,
                    Judged::Forbidden => true,
                    Judged::Disputed(stands) => stands[model] == Stand::Broken,
                })
            })
        })
    }

    /// Whether the writes that are left may have the last values of an outcome, where it is not that of
    /// the one that is gone.
    fn has_last(&self, way: &Way, co: &Rows, last: &[usize], gone: u32) -> bool {
        self.writers.iter().enumerate().all(|(loc, writers)| {
            let is_gone = |write: usize| gone >> write & 1 == 1;
            let mut values = writers.iter().zip(&way.lasts[loc]);
            let left = writers.iter().any(|&write| !is_gone(write));
            !left
                || values.any(|(&write, &value)| {
                    value == last[loc] && (is_gone(write) || co[write] == 0)
                })
        })
    }
}

fn kind_of(shape: &Shape, op: usize) -> Kind {
    shape.ops().nth(op).expect("instructions are counted").1.kind
}

fn is_barrier(kind: Kind) -> bool {
    matches!(kind, Kind::CtaBarrier | Kind::ClusterBarrier)
}
