//! Representative values of symbols: a few that stand for all.
//!
//! A symbol - an unknown initial value, a spurious failure - takes every constant of the test,
//! zero, and one fresh value that occurs nowhere else. These values are enough while symbols are
//! only copied and compared for equality: the test cannot distinguish fresh values. The result of a
//! barrier takes every value that its number of operations permits.

use crate::event::graph::EventGraph;
use crate::id::{BarrierId, ExprId};
use crate::program::expr::{Binary, Expr};
use crate::program::micro::Reduction;
use crate::ptx::bits::mask;
use std::collections::BTreeSet;

/// The values that are tried for a symbol.
pub(super) fn values(graph: &EventGraph, symbol: usize) -> Vec<u128> {
    let width = graph.symbols[symbol].width;
    match graph.symbols[symbol].open_bits() {
        0 => return vec![0],
        1 => return vec![0, 1],
        _ => {}
    }
    let constants: BTreeSet<u128> = std::iter::once(0)
        .chain((0..graph.exprs.len()).filter_map(|x| graph.exprs.constant(ExprId::new(x))))
        .filter(|&c| c <= mask(width))
        .collect();
    // The symbols before this one may differ from it only by fresh values.
    let fresh = (1..=mask(width)).filter(|v| !constants.contains(v)).take(symbol + 1);
    constants.iter().copied().chain(fresh).collect()
}

/// The values that a barrier operation may return; zero for one without a result.
pub(super) fn returned(graph: &EventGraph, index: BarrierId) -> Vec<u128> {
    let op = &graph.barriers[index];
    let companions = graph.barriers.iter().filter(|o| o.key == op.key).count() as u128;
    match op.reduction {
        None => vec![0],
        Some(Reduction::Popc) => (0..=companions).collect(),
        Some(Reduction::And | Reduction::Or) => vec![0, 1],
    }
}

/// Whether [`values`] cover all final states that the condition could distinguish. A graph with a
/// symbol of several bits must not have arithmetic, ordering comparisons or parts of values.
pub(super) fn are_enough(graph: &EventGraph) -> bool {
    let whole = || graph.accesses.iter().all(|access| access.pieces.len() == 1);
    graph.symbols.iter().all(|s| s.open_bits() <= 1)
        || (whole() && (0..graph.exprs.len()).map(ExprId::new).all(|x| only_copies(graph, x)))
}

/// Whether an expression only copies values, compares them for equality, or computes truth values.
fn only_copies(graph: &EventGraph, x: ExprId) -> bool {
    let exprs = &graph.exprs;
    match exprs.get(x) {
        Expr::Binary(op, a, _) => op == Binary::Eq || exprs.width(a) == 1,
        Expr::Unary(_, a) => exprs.width(a) == 1,
        Expr::Extract(..) | Expr::Concat(..) | Expr::SignExtend(_) => false,
        Expr::Const(_)
        | Expr::Read(_)
        | Expr::Mbarrier(_)
        | Expr::Symbol(_)
        | Expr::Final(_)
        | Expr::Barrier(_)
        | Expr::Ite(..)
        | Expr::ZeroExtend(_) => true,
    }
}
