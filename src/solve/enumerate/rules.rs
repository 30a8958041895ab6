//! The demands of a model on the orders that an execution chooses.

use crate::execution::build::Execution;
use crate::id::{EventId, NodeId};
use crate::relation::axiom::holds;
use crate::relation::classify::{Class, classify};
use crate::relation::eval::{Evaluator, Interpretation, Values};
use crate::relation::expr::{AxiomRole, Model};
use crate::vocabulary::BaseRel;

/// The pairs of writes to one location that coherence has to relate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coherence {
    /// The edges that some axiom demands; more edges would only exclude more executions.
    Demanded,
    /// All pairs.
    Total,
    /// Any pairs: every partial order is tried.
    Partial,
}

/// A model by the roles of its axioms.
#[derive(Debug)]
pub(super) struct Rules {
    model: Model,
    /// Axioms that keep failing, once they fail, as orders grow.
    prohibitions: Vec<usize>,
    productions: Vec<(BaseRel, NodeId)>,
    choices: Vec<(BaseRel, NodeId)>,
    pub coherence: Coherence,
}

/// The demand of the axioms on an execution whose orders may still grow.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Demand {
    /// An axiom is broken for good.
    Hopeless,
    /// These edges are missing from the order.
    Edges(BaseRel, Vec<(EventId, EventId)>),
    /// The order has to relate this pair in either direction.
    Either(BaseRel, EventId, EventId),
    /// Nothing.
    Nothing,
}

impl Rules {
    /// The rules of `model`.
    pub(super) fn new(model: &Model) -> Self {
        let mut model = model.clone();
        let classes = classify(&mut model);
        let mut rules = Self {
            coherence: if model.total_co { Coherence::Total } else { Coherence::Demanded },
            prohibitions: Vec::new(),
            productions: Vec::new(),
            choices: Vec::new(),
            model,
        };
        for (index, class) in classes.into_iter().enumerate() {
            match class {
                Class::Prohibition => {
                    if rules.model.axioms[index].role == AxiomRole::Required {
                        rules.prohibitions.push(index);
                    }
                }
                Class::Production { order, edges } => rules.productions.push((order, edges)),
                Class::Choice { order, edges } => rules.choices.push((order, edges)),
                Class::Other(_) if rules.coherence == Coherence::Demanded => {
                    rules.coherence = Coherence::Partial;
                }
                Class::Other(_) => {}
            }
        }
        rules
    }

    /// No rules: every coherence order is wanted.
    pub(super) fn none() -> Self {
        let mut rules = Self::new(&Model::default());
        rules.coherence = Coherence::Partial;
        rules
    }

    /// An evaluator of the rules' expressions.
    pub(super) fn evaluator(&self, events: usize) -> Evaluator<'_> {
        let demands = self.productions.iter().chain(&self.choices).map(|&(_, edges)| edges);
        let axioms = self.prohibitions.iter().map(|&a| self.model.axioms[a].node);
        let roots: Vec<NodeId> = axioms.chain(demands).collect();
        Evaluator::new(&self.model.arena, &roots, events)
    }

    /// The axioms' demand on `execution`, evaluated to `values`.
    pub(super) fn demand(&self, execution: &Execution<'_>, values: &Values) -> Demand {
        let broken = |&a: &usize| !holds(&self.model, &self.model.axioms[a], values);
        if self.prohibitions.iter().any(broken) {
            return Demand::Hopeless;
        }
        for &(order, edges) in &self.productions {
            let present = execution.relation(order);
            let wanted = values.relation(edges).iter_pairs();
            let missing: Vec<_> = wanted.filter(|&(a, b)| !present.contains(a, b)).collect();
            if !missing.is_empty() {
                return Demand::Edges(order, missing);
            }
        }
        for &(order, edges) in &self.choices {
            let present = execution.relation(order);
            let open =
                |&(a, b): &(EventId, EventId)| !present.contains(a, b) && !present.contains(b, a);
            if let Some((a, b)) = values.relation(edges).iter_pairs().find(open) {
                return Demand::Either(order, a, b);
            }
        }
        Demand::Nothing
    }
}
