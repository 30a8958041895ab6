//! The orders and scopes that an instruction may have, the strongest first.

use super::place::{LEVELS, Level, Placement};
use super::shape::Kind;
use crate::ptx::operation::{Order, Scope};

/// An order and a scope, each `None` if the instruction has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label {
    /// The order.
    pub order: Option<Order>,
    /// The scope of a strong operation.
    pub scope: Option<Level>,
}

impl Label {
    /// Whether the label is stronger than another one of the same kind of instruction, that is, at
    /// least as strong in both parts.
    #[must_use]
    pub fn is_above(&self, other: &Self) -> bool {
        let order = match (self.order, other.order) {
            (Some(a), Some(b)) => a == b || is_stronger(a, b),
            (a, b) => a == b,
        };
        self != other && order && (other.scope.is_none() || self.scope >= other.scope)
    }
}

/// Whether one order is stronger than another.
fn is_stronger(a: Order, b: Order) -> bool {
    match (a, b) {
        (Order::Weak, _) | (_, Order::Sc) => false,
        (_, Order::Weak) | (Order::Sc, _) => true,
        (Order::Relaxed, _) | (_, Order::AcqRel) => false,
        (_, Order::Relaxed) | (Order::AcqRel, _) => true,
        _ => false,
    }
}

/// The scope of a level.
#[must_use]
pub fn scope(level: Level) -> Scope {
    match level {
        Level::Cta => Scope::Cta,
        Level::Cluster => Scope::Cluster,
        Level::Gpu => Scope::Gpu,
        Level::System => Scope::Sys,
    }
}

/// The orders of a kind of instruction, the strongest first.
#[must_use]
pub fn orders(kind: Kind) -> &'static [Order] {
    match kind {
        Kind::Load => &[Order::Acquire, Order::Relaxed, Order::Weak],
        Kind::Store => &[Order::Release, Order::Relaxed, Order::Weak],
        Kind::Atom => &[Order::AcqRel, Order::Acquire, Order::Release, Order::Relaxed],
        Kind::Red => &[Order::Release, Order::Relaxed],
        Kind::Fence => &[Order::Sc, Order::AcqRel, Order::Acquire, Order::Release],
        Kind::ClusterBarrier => &[Order::Release, Order::Relaxed],
        Kind::OrderedAliasFence => &[Order::Acquire, Order::Release],
        Kind::CtaBarrier | Kind::AliasFence => &[],
    }
}

/// The labels of a kind of instruction, the strongest first; `has` tells whether a kind has an
/// order.
#[must_use]
pub fn labels(
    kind: Kind,
    has_cluster_scope: bool,
    has: impl Fn(Kind, Order) -> bool,
) -> Vec<Label> {
    let orders = orders(kind);
    if orders.is_empty() {
        return vec![Label { order: None, scope: None }];
    }
    let mut all = Vec::new();
    for &order in orders.iter().filter(|&&order| has(kind, order)) {
        let order_of = Some(order);
        match (kind, order) {
            (_, Order::Weak) => all.push(Label { order: order_of, scope: None }),
            (Kind::ClusterBarrier, _) => {
                all.push(Label { order: order_of, scope: Some(Level::Cluster) });
            }
            (Kind::OrderedAliasFence, _) => {
                all.push(Label { order: order_of, scope: Some(Level::System) });
            }
            _ => {
                let levels = LEVELS.iter().rev();
                let levels = levels.filter(|&&l| has_cluster_scope || l != Level::Cluster);
                all.extend(levels.map(|&l| Label { order: order_of, scope: Some(l) }));
            }
        }
    }
    all
}

/// The scopes of a thread that reach different sets of threads. Among equivalent scopes the usual
/// name is preferred: `.gpu`, then `.sys`, `.cta`, `.cluster`. The widest scopes come first.
#[must_use]
pub fn scopes_told_apart(placement: &Placement, thread: usize, all: bool) -> Vec<Level> {
    if all {
        return LEVELS.iter().rev().copied().collect();
    }
    let usual = [Level::Gpu, Level::System, Level::Cta, Level::Cluster];
    let mut kept: Vec<(u32, Level)> = Vec::new();
    for level in usual {
        let reach = placement.reach(thread, level);
        if kept.iter().all(|(known, _)| *known != reach) {
            kept.push((reach, level));
        }
    }
    kept.sort_by_key(|(reach, _)| std::cmp::Reverse(reach.count_ones()));
    kept.into_iter().map(|(_, level)| level).collect()
}
