//! Thin-air axioms: whether a model excludes values out of thin air.

use super::expr::{AxiomKind, AxiomRole, Model, Node};
use crate::vocabulary::{BaseRel, Origin};

/// An axiom that keeps the union of reads-from and dependencies acyclic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThinAir {
    /// The axiom's index.
    pub axiom: usize,
    /// The given relations in the union, among them all dependencies.
    pub dependencies: Vec<BaseRel>,
}

/// The axiom that keeps the union of reads-from and dependencies acyclic.
#[must_use]
pub fn thin_air(model: &Model) -> Option<ThinAir> {
    axiom_that_keeps(model, |parts| {
        let has = |relation| parts.contains(&relation);
        has(BaseRel::Po)
            || has(BaseRel::Dep)
            || (has(BaseRel::Addr) && has(BaseRel::Data) && has(BaseRel::Ctrl))
    })
}

/// The index of the axiom that keeps reads-from acyclic in union with all dependencies, or with
/// those of values alone.
#[must_use]
pub fn no_value_from_nowhere(model: &Model) -> Option<usize> {
    let of_values = || axiom_that_keeps(model, |parts| parts.contains(&BaseRel::ValueDep));
    thin_air(model).or_else(of_values).map(|thin_air| thin_air.axiom)
}

/// The first axiom that keeps a union of reads-from and enough other relations acyclic.
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
