//! Whether a model forbids values that justify themselves.

use crate::id::NodeId;
use crate::relation::expr::{Arena, AxiomKind, AxiomRole, Model, Node};
use crate::vocabulary::BaseRel;

/// Whether some axiom makes a union acyclic that contains reads-from and all dependencies. (Program
/// order contains the dependencies.) Then no consistent execution has a value that justifies itself
/// (PTX-8.10.4).
pub(super) fn is_excluded(model: &Model) -> bool {
    let required = model.axioms.iter().filter(|a| a.role == AxiomRole::Required && !a.negated);
    required.into_iter().any(|axiom| {
        let node = match (axiom.kind, model.arena.node(axiom.node)) {
            (AxiomKind::Acyclic, _) => axiom.node,
            (AxiomKind::Irreflexive, Node::Plus(inner)) => inner,
            _ => return false,
        };
        let mut parts = Vec::new();
        flatten(&model.arena, node, &mut parts);
        let has = |wanted: &[BaseRel]| wanted.iter().all(|r| parts.contains(r));
        has(&[BaseRel::Rf, BaseRel::Po])
            || has(&[BaseRel::Rf, BaseRel::Dep])
            || has(&[BaseRel::Rf, BaseRel::Addr, BaseRel::Data, BaseRel::Ctrl])
    })
}

/// The base relations in a union.
fn flatten(arena: &Arena, node: NodeId, out: &mut Vec<BaseRel>) {
    match arena.node(node) {
        Node::Union(a, b) => {
            flatten(arena, a, out);
            flatten(arena, b, out);
        }
        Node::Plus(a) => flatten(arena, a, out),
        Node::Rel(relation) => out.push(relation),
        _ => {}
    }
}
