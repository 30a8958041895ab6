//! The executions of a way to read on which the models disagree, if they agree on all smaller ones.
//!
//! Suppose that one model allows an execution and the other forbids it, and that the models agree on all
//! smaller executions. Leave out an instruction from which nothing reads: if the first model allows what
//! is left ([`deletion`](crate::relation::deletion)), the second one does, so that it needs the instruction for each
//! violation of an axiom that is not common to the models. So a cell whose programs have an instruction
//! without influence on such violations has none of these executions.
//!
//! Where the models agree on all executions, they agree on all outcomes.

use super::bundle::Judged;
use super::cell::{Cell, Event, Part};
use super::evaluation::Stand;
use super::orders::{Execution, Pending};
use super::pair::{Demand, Stage};
use super::rows::{NONE, Rows};
use super::search::{Orders, Search};
use super::shape::Kind;
use crate::relation::expr::AxiomKind;
use std::ops::ControlFlow;

impl<'s> Search<'s, '_> {
    /// Whether the models disagree on some of the open executions of the one way to read that is looked
    /// at, in a cell whose labels are evaluated.
    pub(super) fn disagree(&mut self, cell: &Cell<'s>, mut open: Pending) -> ControlFlow<(), bool> {
        if self.effort.is_over() {
            return ControlFlow::Break(());
        }
        self.effort.cells += 1;
        self.turn_to(0, cell);
        if self.agrees_by_bounds(cell, Orders::Together).is_some() || !self.may_need_all() {
            return ControlFlow::Continue(false);
        }
        self.forget_fences(cell, &mut open);
        let judged = self.judged(cell, &open.disputed, true, &[None]);
        let mut left = Vec::new();
        for (execution, judged) in open.disputed.into_iter().zip(judged) {
            match judged {
                Judged::Disputed([Stand::Kept, Stand::Broken] | [Stand::Broken, Stand::Kept]) => {
                    return ControlFlow::Continue(true);
                }
                Judged::Disputed([a, b]) if a != b || a == Stand::Open => left.push(execution),
                _ => {}
            }
        }
        if left.is_empty() {
            return ControlFlow::Continue(false);
        }
        left.retain(|execution| self.execution_may_need_all(execution, cell));
        if left.is_empty() {
            return ControlFlow::Continue(false);
        }
        open.disputed = left;
        for part in self.split(cell) {
            self.evaluate_labels(&part);
            if self.disagree(&part, open.clone())? {
                return ControlFlow::Continue(true);
            }
        }
        ControlFlow::Continue(false)
    }

    /// The same of one execution, with its orders.
    fn execution_may_need_all(&mut self, execution: &Execution, cell: &Cell<'s>) -> bool {
        self.frame.chosen.co = [execution.co; 2];
        self.frame.chosen.fences = [execution.fences; 2];
        self.frame.evaluate(Stage::FenceOrder, cell);
        self.frame.evaluate(Stage::Coherence, cell);
        let (stands, same) = self.frame.agree(&self.early);
        !same && stands != [Stand::Broken; 2] && self.may_need_all()
    }

    /// Whether some violation of an axiom that one model alone has may need every instruction that can
    /// be left out, where all is evaluated between the least that there is and all that there may be.
    pub(super) fn may_need_all(&self) -> bool {
        let pair = self.space.pair;
        if pair.total[0] != pair.total[1] {
            return true;
        }
        let is_open = |demand: &&Demand| {
            !demand.is_common()
                && self.frame.stand(demand) != Stand::Kept
                && !self.frame.is_alike(demand)
        };
        let own: Vec<&Demand> = pair.demands.iter().filter(is_open).collect();
        let is_clear = |d: &&Demand| !d.negated && pair.sheds[usize::from(d.of[0])];
        if !own.iter().all(is_clear) {
            return true;
        }
        let mut violations: Vec<Rows> = own.iter().map(|d| self.own_violations(d)).collect();
        for op in self.loose() {
            let events = self.events_of(op);
            let Some(influence) = self.frame.influence(events) else { return true };
            let mut is_over = true;
            for (rows, demand) in violations.iter_mut().zip(&own) {
                let turned = influence.turned(demand.kind, demand.node);
                rows.iter_mut().zip(turned).for_each(|(row, turned)| *row &= turned);
                is_over &= *rows == NONE;
            }
            if is_over {
                return false;
            }
        }
        true
    }

    /// Where an axiom may be violated, and is not surely in the other model.
    fn own_violations(&self, demand: &Demand) -> Rows {
        let mut rows = self.frame.violations(demand.kind, demand.node);
        if let (Some(twin), AxiomKind::Empty | AxiomKind::Irreflexive) = (demand.twin, demand.kind)
        {
            let differ = &self.frame.differ[twin];
            rows.iter_mut().zip(differ).for_each(|(row, differ)| *row &= differ);
        }
        rows
    }

    /// The instructions that may be left out: nothing reads from them, and no store stores what they have
    /// read. Without one of its barriers, a thread meets others at another time.
    fn loose(&self) -> Vec<usize> {
        let events = &self.frame.events;
        let is_read = |op: usize| {
            let is_own = |e: &Event| e.part == Part::Write && e.op == op;
            events.iter().zip(&self.frame.chosen.rf[1]).any(|(e, row)| is_own(e) && *row != 0)
        };
        let ops = self.shape.ops().enumerate();
        let is_barrier = |kind| matches!(kind, Kind::CtaBarrier | Kind::ClusterBarrier);
        let may_be_copied = |op: usize, kind: Kind| {
            self.is_copied(op) || (self.frame.copies_are_open() && kind.reads())
        };
        let stays =
            |op: usize, kind: Kind| is_barrier(kind) || may_be_copied(op, kind) || is_read(op);
        ops.filter(|(op, (_, own))| !stays(*op, own.kind)).map(|(op, _)| op).collect()
    }
}
