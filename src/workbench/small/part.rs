//! The parts of a cell: what is left if a place, an order or a scope is chosen, or ruled out.
//!
//! `narrow` rules out what makes no difference. What is left of a cell has closer bounds, so that
//! more may be ruled out, and often nothing is left.

use super::cell::Cell;
use super::label::{Label, scopes_told_apart};
use super::pair::Pair;
use super::place::Level;
use super::shape::{Op, Shape};
use crate::ptx::operation::Order;
use std::ops::ControlFlow;

/// How much a program has at most: parts of the machine, and of as many parts, steps from the strongest
/// labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Ceiling {
    /// The CTAs, clusters and GPUs of the placement.
    pub parts: usize,
    /// The positions of the labels in the lists of their kinds.
    pub weakness: usize,
}

/// A value of one of the choices that a cell leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// The placement with this index.
    Place(usize),
    /// The order of an instruction.
    Order(usize, Option<Order>),
    /// The scope of an instruction.
    Scope(usize, Option<Level>),
}

impl<'a> Cell<'a> {
    /// The choices that the cell leaves open, each with its values: the orders, the placement, the
    /// scopes.
    pub(super) fn choices(&self) -> Vec<Vec<Part>> {
        let mut all = Vec::new();
        for (op, labels) in self.labels.iter().enumerate() {
            let mut orders: Vec<Option<Order>> = labels.iter().map(|label| label.order).collect();
            orders.dedup();
            all.push(orders.into_iter().map(|order| Part::Order(op, order)).collect());
        }
        all.push((0..self.placements.len()).map(Part::Place).collect());
        for (op, labels) in self.labels.iter().enumerate() {
            let mut scopes: Vec<Option<Level>> = Vec::new();
            for label in labels {
                if !scopes.contains(&label.scope) {
                    scopes.push(label.scope);
                }
            }
            all.push(scopes.into_iter().map(|scope| Part::Scope(op, scope)).collect());
        }
        all.retain(|values: &Vec<Part>| values.len() > 1);
        all
    }

    /// The part of the cell with a value.
    pub(super) fn within(&self, part: Part, pair: &Pair, shape: &Shape) -> Self {
        self.filtered(part, pair, shape, |is_same| is_same)
    }

    /// The cell without a part of it.
    fn without(&self, part: Part, pair: &Pair, shape: &Shape) -> Self {
        self.filtered(part, pair, shape, |is_same| !is_same)
    }

    /// What stays of the cell if only those values of a choice stay that are as asked for.
    fn filtered(
        &self,
        part: Part,
        pair: &Pair,
        shape: &Shape,
        stays: impl Fn(bool) -> bool,
    ) -> Self {
        let mut cell = self.clone();
        match part {
            Part::Place(at) => {
                let mut index = 0..;
                cell.placements.retain(|_| stays(index.next() == Some(at)));
                cell.reduce(pair, shape);
            }
            Part::Order(op, order) => cell.labels[op].retain(|label| stays(label.order == order)),
            Part::Scope(op, scope) => cell.labels[op].retain(|label| stays(label.scope == scope)),
        }
        cell
    }

    /// Keeps one of the scopes that reach the same threads, once the placement is chosen.
    pub(super) fn reduce(&mut self, pair: &Pair, shape: &Shape) {
        let [placement] = self.placements[..] else { return };
        for (labels, (thread, op)) in self.labels.iter_mut().zip(shape.ops()) {
            if !op.kind.has_one_scope() {
                let scopes = scopes_told_apart(placement, thread, pair.asked.scopes);
                labels.retain(|label| label.scope.is_none_or(|scope| scopes.contains(&scope)));
            }
        }
    }

    /// Leaves out programs that are above a ceiling; `all` are the labels of each kind.
    pub(super) fn lower(
        &mut self,
        ceiling: Ceiling,
        pair: &Pair,
        shape: &Shape,
        all: &[Vec<Label>],
    ) {
        self.placements.retain(|place| place.parts() <= ceiling.parts);
        // Which of several scopes that reach the same threads has a name depends on the placement.
        let [placement] = self.placements[..] else { return };
        self.reduce(pair, shape);
        if self.is_void() || placement.parts() < ceiling.parts {
            return;
        }
        let position = |(_, op): (usize, Op), label: &Label| {
            all[op.kind as usize].iter().position(|other| other == label).unwrap_or_default()
        };
        let least = |(op, labels): ((usize, Op), &Vec<Label>)| {
            labels.iter().map(|label| position(op, label)).min().unwrap_or_default()
        };
        let least: Vec<usize> = shape.ops().zip(&self.labels).map(least).collect();
        let sum: usize = least.iter().sum();
        for ((op, labels), least) in shape.ops().zip(&mut self.labels).zip(least) {
            labels.retain(|label| sum - least + position(op, label) <= ceiling.weakness);
        }
    }

    /// Whether the cell has no program.
    #[must_use]
    pub fn is_void(&self) -> bool {
        self.placements.is_empty() || self.labels.iter().any(Vec::is_empty)
    }
}

/// Rules out the parts of a cell that are settled, as `settled` says, again while there are some and
/// at most so often. What is left may be void.
pub(super) fn narrow<'a>(
    cell: &mut Cell<'a>,
    (pair, shape): (&Pair, &Shape),
    rounds: usize,
    mut settled: impl FnMut(&Cell<'a>) -> ControlFlow<(), bool>,
) -> ControlFlow<()> {
    for _ in 0..rounds {
        let mut changed = false;
        for values in cell.choices() {
            // Places are numbered: the last ones first, so that the numbers of others stay.
            for part in values.into_iter().rev() {
                let inside = cell.within(part, pair, shape);
                if inside.is_void() {
                    continue;
                }
                if settled(&inside)? {
                    *cell = cell.without(part, pair, shape);
                    changed = true;
                }
            }
            if cell.is_void() {
                return ControlFlow::Continue(());
            }
        }
        if !changed {
            break;
        }
    }
    ControlFlow::Continue(())
}
