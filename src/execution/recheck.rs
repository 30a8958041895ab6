//! The solver-free check of an execution against a model as written.

use super::build::Execution;
use crate::id::EventId;
use crate::relation::axiom::{Failure, check_axioms};
use crate::relation::eval::Interpretation;
use crate::relation::expr::{AxiomRole, Model};
use crate::vocabulary::BaseRel;

/// The result of evaluating a model on an execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recheck {
    /// Axioms that the execution breaks; the execution is consistent if there are none.
    pub broken: Vec<Failure>,
    /// `flag` axioms that fail: remarks.
    pub flags: Vec<Failure>,
    /// `undefined_unless` axioms that fail: the program's behaviour is undefined.
    pub undefined: Vec<Failure>,
    /// Two writes to one location that a model with total coherence leaves unordered.
    pub unordered: Option<(EventId, EventId)>,
}

impl Recheck {
    /// Whether the model admits the execution.
    #[must_use]
    pub fn is_consistent(&self) -> bool {
        self.broken.is_empty() && self.unordered.is_none()
    }
}

/// Evaluates every axiom of `model` on `execution`.
#[must_use]
pub fn recheck(model: &Model, execution: &Execution<'_>) -> Recheck {
    let mut result = Recheck::default();
    for failure in check_axioms(model, execution) {
        match model.axioms[failure.axiom].role {
            AxiomRole::Required => result.broken.push(failure),
            AxiomRole::Flag => result.flags.push(failure),
            AxiomRole::UndefinedUnless => result.undefined.push(failure),
        }
    }
    if model.total_co {
        result.unordered = unordered_writes(execution);
    }
    result
}

/// The first pair of executed writes to one location that coherence does not order.
fn unordered_writes(execution: &Execution<'_>) -> Option<(EventId, EventId)> {
    let co = execution.relation(BaseRel::Co);
    let graph = execution.graph;
    let writes: Vec<EventId> = graph
        .ids()
        .filter(|&id| graph.event(id).is_write() && execution.executed.contains(id))
        .collect();
    for (at, &a) in writes.iter().enumerate() {
        for &b in &writes[at + 1..] {
            let one_location = graph.event(a).loc == graph.event(b).loc;
            if one_location && !co.contains(a, b) && !co.contains(b, a) {
                return Some((a, b));
            }
        }
    }
    None
}
