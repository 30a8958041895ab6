//! Checks the axioms of a model on evaluated expressions and shows where they fail.

use super::eval::{Interpretation, Values, evaluate_roots};
use super::expr::{Axiom, AxiomKind, Model};
use crate::id::EventId;
use crate::vocabulary::Sort;

/// An axiom that does not hold; its [role](super::expr::AxiomRole) gives the consequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its position in [`Model::axioms`].
    pub axiom: usize,
    /// The reason why it does not hold.
    pub witness: Witness,
}

/// The reason why an axiom does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Witness {
    /// A shortest cycle, of a relation that has to be acyclic; the last event leads to the first.
    Cycle(Vec<EventId>),
    /// A pair, of a relation that has to be empty.
    Pair(EventId, EventId),
    /// A member of a set that has to be empty, or an event related to itself.
    Event(EventId),
    /// The axiom is negated, and the property that it denies holds.
    NotViolatedNegated,
}

/// The axioms of `model` that fail in `execution`, in order.
#[must_use]
pub fn check_axioms(model: &Model, execution: &dyn Interpretation) -> Vec<Failure> {
    let roots: Vec<_> = model.axioms.iter().map(|a| a.node).collect();
    failures(model, &evaluate_roots(&model.arena, &roots, execution))
}

/// The axioms of `model` that fail under `values`, which cover their nodes.
#[must_use]
pub fn failures(model: &Model, values: &Values) -> Vec<Failure> {
    let fails = |(axiom, it)| Some(Failure { axiom, witness: witness(model, it, values)? });
    model.axioms.iter().enumerate().filter_map(fails).collect()
}

/// Whether an axiom holds; as [`witness`], without a reason.
#[must_use]
pub fn holds(model: &Model, axiom: &Axiom, values: &Values) -> bool {
    let positive = match (axiom.kind, model.arena.sort(axiom.node)) {
        (AxiomKind::Empty, Sort::Set) => values.set(axiom.node).is_empty(),
        (AxiomKind::Empty, Sort::Relation) => values.relation(axiom.node).is_empty(),
        (AxiomKind::Acyclic, _) => values.relation(axiom.node).is_acyclic(),
        (AxiomKind::Irreflexive, _) => values.relation(axiom.node).is_irreflexive(),
    };
    positive != axiom.negated
}

/// The reason why an axiom fails; `None` when it holds.
#[must_use]
pub fn witness(model: &Model, axiom: &Axiom, values: &Values) -> Option<Witness> {
    if axiom.negated {
        return (!holds(model, axiom, values)).then_some(Witness::NotViolatedNegated);
    }
    match (axiom.kind, model.arena.sort(axiom.node)) {
        (AxiomKind::Empty, Sort::Set) => values.set(axiom.node).iter().next().map(Witness::Event),
        (AxiomKind::Empty, Sort::Relation) => {
            values.relation(axiom.node).iter_pairs().next().map(|(a, b)| Witness::Pair(a, b))
        }
        (AxiomKind::Acyclic, _) => values.relation(axiom.node).find_cycle().map(Witness::Cycle),
        (AxiomKind::Irreflexive, _) => {
            values.relation(axiom.node).first_reflexive().map(Witness::Event)
        }
    }
}
