//! Whether a model excludes values out of thin air.

use super::expr::{AxiomKind, AxiomRole, Model, Node};
use crate::vocabulary::{BaseRel, Origin};

/// An axiom that keeps reads-from and dependencies acyclic together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThinAir {
    /// Its index.
    pub axiom: usize,
    /// The given relations that it speaks of; among them are all dependencies.
    pub dependencies: Vec<BaseRel>,
}

/// The axiom that keeps reads-from and dependencies acyclic together.
#[must_use]
pub fn thin_air(model: &Model) -> Option<ThinAir> {
    axiom_that_keeps(model, |parts| {
        let has = |relation| parts.contains(&relation);
        has(BaseRel::Po)
            || has(BaseRel::Dep)
            || (has(BaseRel::Addr) && has(BaseRel::Data) && has(BaseRel::Ctrl))
    })
}

/// The index of the axiom that keeps reads-from and all dependencies, or those of values alone, acyclic
/// together.
#[must_use]
pub fn no_value_from_nowhere(model: &Model) -> Option<usize> {
    let of_values = || axiom_that_keeps(model, |parts| parts.contains(&BaseRel::ValueDep));
    thin_air(model).or_else(of_values).map(|thin_air| thin_air.axiom)
}

/// The first axiom that keeps reads-from and enough else acyclic together.
fn axiom_that_keeps(model: &Model, is_enough: impl Fn(&[BaseRel]) -> bool) -> Option<ThinAir> {
    model.axioms.iter().enumerate().find_map(|(index, axiom)| {
        if axiom.role != AxiomRole::Required || axiom.kind != AxiomKind::Acyclic || axiom.negated {
            return None;
        }
        let mut parts = Vec::new();
        let mut stack = vec![axiom.node];
        while let Some(id) = stack.pop() {
            match model.arena.node(id) {
                Node::Union(a, b) => stack.extend([a, b]),
                Node::Rel(relation) => parts.push(relation),
                _ => {}
            }
        }
        let given = |r: &BaseRel| r.origin() == Origin::Given;
        (parts.contains(&BaseRel::Rf) && is_enough(&parts)).then(|| ThinAir {
            axiom: index,
            dependencies: parts.iter().copied().filter(given).collect(),
        })
    })
}
