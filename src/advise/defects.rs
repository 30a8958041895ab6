//! The classification of defects in a program by the changes that repair it.

use super::level::Level;
use super::site::{Place, Site};
use super::{Set, Sets};
use crate::defect::Defect;
use crate::ptx::operation::{Operation, Order, ProxyFenceKind};
use std::collections::BTreeSet;

/// The kinds of defects that a set of changes repairs, each once.
#[must_use]
pub fn defects(sets: &Sets, set: &Set) -> Vec<Defect> {
    let mut out = BTreeSet::new();
    for change in &set.changes {
        out.extend(of_change(&sets.sites[change.site], change.from, change.to, set));
    }
    out.into_iter().collect()
}

fn of_change(site: &Site, from: usize, to: usize, set: &Set) -> Vec<Defect> {
    match &site.place {
        Place::Exchange(_) => vec![Defect::WrongSide],
        Place::Meeting { .. } | Place::Barrier(_) => vec![Defect::NoBarrier],
        Place::Statement(at) | Place::Before(at) => {
            let code = &set.tests[0].threads[at.threads[0]].statements;
            let cluster =
                |operation: &Operation| matches!(operation, Operation::ClusterArrive { .. });
            let arrives = matches!(site.place, Place::Statement(_))
                && code.get(at.statement).is_some_and(|statement| cluster(&statement.operation));
            match arrives {
                true => vec![Defect::UnorderingBarrier],
                false => between(site.levels[from], site.levels[to]),
            }
        }
    }
}

/// The defects of one level if the other level is required.
fn between(from: Level, to: Level) -> Vec<Defect> {
    let mut out = Vec::new();
    let (order, scope) = match to {
        Level::Strong(order, scope) => (order, scope),
        Level::Proxy(ProxyFenceKind::Alias) => return vec![Defect::NoAliasFence],
        Level::Proxy(_) => return vec![Defect::NoProxyFence],
        Level::Tensor(_) => return vec![Defect::NoTensorFence],
        Level::Absent | Level::Weak | Level::Edit(_) => return out,
    };
    let before = match from {
        Level::Strong(before, narrow) => {
            if narrow < scope {
                out.push(Defect::ScopeTooNarrow);
            }
            before
        }
        Level::Weak => {
            out.push(Defect::WeakAccess);
            Order::Relaxed
        }
        _ => Order::Relaxed,
    };
    let kinds = [(Order::Release, Defect::NoRelease), (Order::Acquire, Defect::NoAcquire)];
    let missing =
        kinds.into_iter().filter(|&(kind, _)| order.has_half(kind) && !before.has_half(kind));
    match (order, before) {
        (Order::Sc, Order::Sc) => {}
        (Order::Sc, _) => out.push(Defect::NoSequentialFence),
        _ => out.extend(missing.map(|(_, defect)| defect)),
    }
    out
}
