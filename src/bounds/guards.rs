//! What guards say of each other: which events happen whenever another does, which never together.

use crate::bitrel::{EventSet, Rel};
use crate::event::graph::EventGraph;
use crate::id::{EventId, ExprId};
use rustc_hash::FxHashMap;

/// Implications and exclusions between events' guards.
#[derive(Clone, Debug)]
pub struct Guards {
    always: EventSet,
    implies: Rel,
    exclusive: Rel,
}

impl Guards {
    /// Compares all guards of a graph.
    #[must_use]
    pub fn new(graph: &EventGraph) -> Self {
        let n = graph.events.len();
        let mut always = EventSet::empty(n);
        let mut literals: FxHashMap<ExprId, Vec<ExprId>> = FxHashMap::default();
        for id in graph.ids() {
            let guard = graph.event(id).guard;
            if graph.exprs.is_true(guard) {
                always.insert(id);
            }
            literals.entry(guard).or_insert_with(|| {
                graph.exprs.literals(guard, usize::MAX).expect("there is no limit")
            });
        }
        let mut implies = Rel::empty(n);
        let mut exclusive = Rel::empty(n);
        let sometimes: Vec<EventId> = graph.ids().filter(|&id| !always.contains(id)).collect();
        for a in graph.ids() {
            for b in always.iter() {
                implies.insert(a, b);
            }
            implies.insert(a, a);
        }
        let guard = |id: EventId| graph.event(id).guard;
        for &a in &sometimes {
            for &b in &sometimes {
                let (la, lb) = (&literals[&guard(a)], &literals[&guard(b)]);
                if guard(a) == guard(b) || lb.iter().all(|l| la.contains(l)) {
                    implies.insert(a, b);
                } else if a < b && la.iter().any(|&x| lb.iter().any(|&y| graph.exprs.clash(x, y))) {
                    exclusive.insert(a, b);
                    exclusive.insert(b, a);
                }
            }
        }
        Self { always, implies, exclusive }
    }

    /// Events that happen in every execution.
    #[must_use]
    pub fn always(&self) -> &EventSet {
        &self.always
    }

    /// Pairs (a, b): b happens whenever a does.
    #[must_use]
    pub fn implies(&self) -> &Rel {
        &self.implies
    }

    /// Pairs that never happen together.
    #[must_use]
    pub fn exclusive(&self) -> &Rel {
        &self.exclusive
    }
}
