//! Values that an execution chooses: symbols, and what `bar.red` returns.
//!
//! A symbol - an unknown initial value, a spurious failure - takes every constant of the test, zero
//! and one value of its own that nothing else has. That is enough while symbols are copied and
//! compared for equality ([`are_enough`]): values that the test tells apart from nothing are alike.
//! Elsewhere the search asks what is [known](super::known) without them. A barrier's result takes
//! every value that the number of its operations permits; an execution whose barrier returns
//! something else is none and is dropped when it is built.

use crate::event::graph::EventGraph;
use crate::id::ExprId;
use crate::program::expr::{Binary, Expr, Unary, mask};
use crate::program::micro::Reduction;
use std::collections::BTreeSet;

/// Values for all free leaves of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Free {
    /// By symbol.
    pub symbols: Vec<u128>,
    /// By barrier operation; those that return nothing have 0.
    pub barriers: Vec<u128>,
}

/// All assignments of free values, in lexicographic order.
pub(super) fn assignments(graph: &EventGraph) -> impl Iterator<Item = Free> + use<> {
    let symbols = graph.symbols.len();
    let mut domains: Vec<Vec<u128>> = (0..symbols).map(|s| symbol_domain(graph, s)).collect();
    domains.extend((0..graph.barriers.len()).map(|b| barrier_domain(graph, b)));
    let mut next = Some(vec![0; domains.len()]);
    std::iter::from_fn(move || {
        let current = next.take()?;
        let value = |i: usize| domains[i][current[i]];
        let free = Free {
            symbols: (0..symbols).map(value).collect(),
            barriers: (symbols..domains.len()).map(value).collect(),
        };
        next = successor(&domains, current);
        Some(free)
    })
}

/// The next choice of one position in each domain, the last one changing fastest.
fn successor(domains: &[Vec<u128>], mut at: Vec<usize>) -> Option<Vec<usize>> {
    for i in (0..domains.len()).rev() {
        at[i] += 1;
        if at[i] < domains[i].len() {
            return Some(at);
        }
        at[i] = 0;
    }
    None
}

fn symbol_domain(graph: &EventGraph, symbol: usize) -> Vec<u128> {
    let width = graph.symbols[symbol].width;
    if width == 1 {
        return vec![0, 1];
    }
    let constants: BTreeSet<u128> = std::iter::once(0)
        .chain((0..graph.exprs.len()).filter_map(|x| graph.exprs.constant(ExprId::new(x))))
        .filter(|&c| c <= mask(width))
        .collect();
    // The symbols before this one may be told apart from it only by values of their own.
    let fresh = (1..=mask(width)).filter(|v| !constants.contains(v)).take(symbol + 1);
    constants.iter().copied().chain(fresh).collect()
}

fn barrier_domain(graph: &EventGraph, index: usize) -> Vec<u128> {
    let op = &graph.barriers[index];
    let companions = graph.barriers.iter().filter(|o| o.key == op.key).count() as u128;
    match op.reduction {
        None => vec![0],
        Some(Reduction::Popc) => (0..=companions).collect(),
        Some(Reduction::And | Reduction::Or) => vec![0, 1],
    }
}

/// Whether [`assignments`] leaves out no final state that the condition could tell apart: no
/// arithmetic, no ordering comparison and no part of a value beside a symbol of several bits.
pub(super) fn are_enough(graph: &EventGraph) -> bool {
    graph.symbols.iter().all(|s| s.width == 1)
        || (0..graph.exprs.len()).map(ExprId::new).all(|x| only_copies(graph, x))
}

/// Whether an expression only copies values, compares them for equality, or is about truth values.
fn only_copies(graph: &EventGraph, x: ExprId) -> bool {
    let exprs = &graph.exprs;
    match exprs.get(x) {
        Expr::Binary(op, a, _) => op == Binary::Eq || exprs.width(a) == 1,
        Expr::Unary(Unary::Not | Unary::Neg, a) => exprs.width(a) == 1,
        Expr::Extract(..) | Expr::Concat(..) => false,
        _ => true,
    }
}
