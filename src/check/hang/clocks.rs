//! Clocks that polling threads read, into what comparisons with them tell in the end.
//!
//! A clock goes on by itself (PTX-10.23 to 10.28). What it shows in one round of a loop is therefore
//! not what it shows for ever: a comparison of a clock with a bound has one result in the end,
//! whatever the bound is. What else a clock decides, such as one of its bits, may come out either
//! way in each round.

use super::super::waits::Precision;
use crate::event::graph::{Cut, CutKind, EventGraph};
use crate::id::ExprId;
use crate::program::expr::{Binary, Expr, ExprArena, Unary};
use rustc_hash::FxHashSet;

/// The most results of clocks without one value in the end that are tried in all combinations.
const MOST_OPEN: usize = 4;

/// When the thread of a cut goes on waiting, whatever its clocks come to show. With
/// [`Precision::Sufficient`], when it may, if they show the right values in each round.
pub(crate) fn goes_on(graph: &mut EventGraph, cut: &Cut, precision: Precision) -> ExprId {
    if cut.clocks.is_empty() {
        return graph.exprs.truth(true);
    }
    let waits = waits_inside(graph, cut);
    let exprs = &mut graph.exprs;
    let clocks = Clocks(cut.clocks.iter().copied().collect());
    let (mut settled, mut open) = (Vec::new(), Vec::new());
    for part in exprs.parts(&[waits]) {
        if clocks.decide(exprs, part) {
            match clocks.in_the_end(exprs, part) {
                Some(holds) => settled.push((part, holds)),
                None => open.push(part),
            }
        }
    }
    let in_the_end = exprs.decided(waits, &settled);
    if open.len() > MOST_OPEN {
        return exprs.truth(precision == Precision::Sufficient);
    }
    let mut all = exprs.truth(precision == Precision::Exact);
    for choice in 0..1_u32 << open.len() {
        let known: Vec<(ExprId, bool)> =
            open.iter().enumerate().map(|(at, &part)| (part, choice >> at & 1 == 1)).collect();
        let here = exprs.decided(in_the_end, &known);
        all = match precision {
            Precision::Exact => exprs.and(all, here),
            Precision::Sufficient => exprs.or(all, here),
        };
    }
    all
}

/// When a thread waits in the loop of a cut or in a loop in it: what clocks decide may lead from the
/// one to the other.
fn waits_inside(graph: &mut EventGraph, cut: &Cut) -> ExprId {
    let is_inside = |other: &&Cut| {
        other.kind == CutKind::Spin
            && other.agent == cut.agent
            && other.clocks.iter().all(|clock| cut.clocks.contains(clock))
            && other.polls.iter().all(|poll| cut.polls.contains(poll))
    };
    let EventGraph { cuts, exprs, .. } = graph;
    let never = exprs.truth(false);
    cuts.iter().filter(is_inside).fold(never, |any, other| exprs.or(any, other.guard))
}

/// Values of clocks in one round of a loop.
struct Clocks(FxHashSet<ExprId>);

/// Whether a value grows or falls with a clock.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Course {
    Grows,
    Falls,
}

impl Clocks {
    fn are_in(&self, exprs: &ExprArena, value: ExprId) -> bool {
        exprs.parts(&[value]).iter().any(|part| self.0.contains(part))
    }

    /// Whether a truth value is computed directly from numbers, some of them from clocks.
    fn decide(&self, exprs: &ExprArena, part: ExprId) -> bool {
        exprs.width(part) == 1
            && exprs.operands(part).iter().any(|&operand| exprs.width(operand) > 1)
            && self.are_in(exprs, part)
    }

    /// The result of a comparison once its clocks have gone on for long enough.
    fn in_the_end(&self, exprs: &ExprArena, part: ExprId) -> Option<bool> {
        let Expr::Binary(op @ (Binary::ULt | Binary::SLt), a, b) = exprs.get(part) else {
            return None;
        };
        let (course, is_below) = match (self.are_in(exprs, a), self.are_in(exprs, b)) {
            (true, false) => (self.course(exprs, a)?, false),
            (false, true) => (self.course(exprs, b)?, true),
            _ => return None,
        };
        match (course, op) {
            (Course::Grows, _) => Some(is_below),
            (Course::Falls, Binary::SLt) => Some(!is_below),
            // An unsigned number that falls is a large one next.
            (Course::Falls, _) => None,
        }
    }

    fn course(&self, exprs: &ExprArena, value: ExprId) -> Option<Course> {
        if self.0.contains(&value) {
            return Some(Course::Grows);
        }
        let are_in = |value: ExprId| self.are_in(exprs, value);
        match exprs.get(value) {
            Expr::ZeroExtend(a) | Expr::SignExtend(a) => self.course(exprs, a),
            // The low part of a number begins again and again.
            Expr::Extract(a, low) if low + exprs.width(value) == exprs.width(a) => {
                self.course(exprs, a)
            }
            Expr::Concat(high, low) => self.course(exprs, if are_in(high) { high } else { low }),
            Expr::Unary(Unary::Neg | Unary::Not, a) => self.course(exprs, a).map(Course::other),
            Expr::Binary(op, a, b) => match (op, are_in(a), are_in(b)) {
                (Binary::Add | Binary::Sub | Binary::LShr | Binary::UDiv, true, false) => {
                    self.course(exprs, a)
                }
                (Binary::Add, false, true) => self.course(exprs, b),
                (Binary::Sub, false, true) => self.course(exprs, b).map(Course::other),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Course {
    fn other(self) -> Self {
        match self {
            Self::Grows => Self::Falls,
            Self::Falls => Self::Grows,
        }
    }
}
