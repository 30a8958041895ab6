//! Implications and exclusions between guards: events that happen whenever another does, or never
//! together.

use crate::bitrel::{EventSet, Rel};
use crate::collections::IndexMap;
use crate::event::graph::EventGraph;
use crate::id::{EventId, ExprId, FewEvents};
use crate::program::expr::{Binary, Expr, ExprArena, Truths, Unary};
use std::sync::OnceLock;

/// The most literals of a guard that are compared with those of others.
const MOST_LITERALS: usize = 1024;

/// Implications and exclusions between events' guards.
#[derive(Clone, Debug)]
pub struct Guards {
    always: EventSet,
    /// Guards of events that may or may not happen, with these events.
    sometimes: Vec<(Guard, Vec<EventId>)>,
    /// Computed on first use.
    implies: OnceLock<Rel>,
    exclusive: Rel,
}

impl Guards {
    /// Compares all guards of a graph.
    #[must_use]
    pub fn new(graph: &EventGraph) -> Self {
        let n = graph.events.len();
        let mut always = EventSet::empty(n);
        let mut sometimes: IndexMap<ExprId, Vec<EventId>> = IndexMap::default();
        for id in graph.ids() {
            let guard = graph.event(id).guard;
            if graph.exprs.is_true(guard) {
                always.insert(id);
            } else {
                sometimes.entry(guard).or_default().push(id);
            }
        }
        let sometimes: Vec<(Guard, Vec<EventId>)> = sometimes
            .into_iter()
            .map(|(guard, events)| (Guard::new(&graph.exprs, guard), events))
            .collect();
        let mut exclusive = Rel::empty(n);
        for (at, (a, from)) in sometimes.iter().enumerate() {
            for (_, to) in sometimes[at + 1..].iter().filter(|(b, _)| a.clashes(b)) {
                for (x, y) in from.iter().flat_map(|&x| to.iter().map(move |&y| (x, y))) {
                    exclusive.insert(x, y);
                    exclusive.insert(y, x);
                }
            }
        }
        Self { always, sometimes, implies: OnceLock::new(), exclusive }
    }

    /// The writes, among some at a read's location, that the read may read from.
    #[must_use]
    pub fn sources(&self, graph: &EventGraph, read: EventId, writes: &[EventId]) -> FewEvents {
        let may = |&w: &EventId| !self.exclusive.contains(w, read) && !graph.is_own_write(read, w);
        writes.iter().copied().filter(may).collect()
    }

    /// Events that happen in every execution.
    #[must_use]
    pub fn always(&self) -> &EventSet {
        &self.always
    }

    /// Pairs (a, b): b happens whenever a does.
    #[must_use]
    pub fn implies(&self) -> &Rel {
        self.implies.get_or_init(|| {
            let n = self.always.len();
            let mut implies = Rel::identity(n);
            EventSet::full(n).iter().for_each(|event| implies.insert_all(event, &self.always));
            for (a, from) in &self.sometimes {
                for (b, to) in &self.sometimes {
                    if a.expr == b.expr || a.implies(b) {
                        let pairs = from.iter().flat_map(|&x| to.iter().map(move |&y| (x, y)));
                        pairs.for_each(|(x, y)| {
                            implies.insert(x, y);
                        });
                    }
                }
            }
            implies
        })
    }

    /// Pairs that never happen together.
    #[must_use]
    pub fn exclusive(&self) -> &Rel {
        &self.exclusive
    }
}

/// The literals of a guard, sorted, so that two guards are compared in one pass.
#[derive(Clone, Debug)]
struct Guard {
    expr: ExprId,
    literals: Truths,
    /// The operands of negative literals.
    negated: Vec<ExprId>,
    /// The expressions that equality literals compare with a constant, and the constant.
    values: Vec<(ExprId, u128)>,
}

impl Guard {
    /// A guard with too many literals is kept without any: it implies and excludes nothing, which
    /// loses precision and is sound.
    fn new(exprs: &ExprArena, expr: ExprId) -> Self {
        let literals = exprs.literals(expr, MOST_LITERALS).unwrap_or_default();
        let (mut negated, mut values) = (Vec::new(), Vec::new());
        for &literal in &literals {
            match exprs.get(literal) {
                Expr::Unary(Unary::Not, inner) => negated.push(inner),
                Expr::Binary(Binary::Eq, x, c) => {
                    values.extend(exprs.constant(c).map(|bits| (x, bits)));
                }
                _ => {}
            }
        }
        negated.sort_unstable();
        values.sort_unstable();
        Self { expr, literals, negated, values }
    }

    /// Whether all literals of another guard are among these.
    fn implies(&self, other: &Self) -> bool {
        let mut own = self.literals.iter();
        !other.literals.is_empty() && other.literals.iter().all(|l| own.any(|o| o == l))
    }

    /// Whether a literal contradicts one of another guard, by [`ExprArena::clash`].
    fn clashes(&self, other: &Self) -> bool {
        meet(&self.negated, &other.literals)
            || meet(&other.negated, &self.literals)
            || differ(&self.values, &other.values)
    }
}

/// Whether two sorted lists have an element in common.
fn meet(a: &[ExprId], b: &[ExprId]) -> bool {
    let mut rest = b.iter().peekable();
    a.iter().any(|x| {
        while rest.next_if(|y| *y < x).is_some() {}
        rest.peek() == Some(&x)
    })
}

/// Whether two sorted lists give some expression different values.
fn differ(a: &[(ExprId, u128)], b: &[(ExprId, u128)]) -> bool {
    a.iter().any(|&(x, value)| {
        let from = b.partition_point(|&(y, _)| y < x);
        b[from..].iter().take_while(|&&(y, _)| y == x).any(|&(_, other)| other != value)
    })
}
