//! Insensitivity to deletion: whether a model stays consistent without reads that have no effect.
//!
//! Spin-loop detection needs this: iterations whose reads change nothing may be left out. Deleting
//! whole accesses restricts every base set and relation to the remaining events. An expression then
//! either restricts in the same way ([`Effect::Restricts`]), or loses at least the deleted members
//! ([`Effect::Shrinks`]), or may gain members. Since axioms forbid members and cycles, an axiom
//! stays satisfied if its expression does not gain members.

use super::expr::{Arena, AxiomRole, Model, Node};
use super::plan::{dependencies, fixpoint};
use crate::id::NodeId;
use crate::vocabulary::BaseRel;

/// The effect of deleting whole accesses on the value of an expression, weakest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Effect {
    /// The new value is the old one on the events that remain.
    Restricts,
    /// The new value is part of the old one.
    Shrinks,
    /// The new value may have members that the old one lacks.
    MayGrow,
}

/// The name of a required axiom that deleting effect-free reads may break, if there is one.
///
/// The condition is syntactic and sufficient: `None` means that the model is insensitive. Failures
/// of an `undefined_unless` are not covered: a question about one has to include the reads.
#[must_use]
pub fn sensitive_axiom(model: &Model) -> Option<&str> {
    let effects = effects(&model.arena);
    model
        .axioms
        .iter()
        .find(|axiom| match axiom.role {
            AxiomRole::Required => axiom.negated || effects[axiom.node.index()] == Effect::MayGrow,
            AxiomRole::UndefinedUnless | AxiomRole::Flag => false,
        })
        .map(|axiom| axiom.name.as_str())
}

/// The effect of a deletion on every node of an arena.
#[must_use]
pub fn effects(arena: &Arena) -> Vec<Effect> {
    fixpoint(arena, Effect::Restricts, |id, known| {
        effect_of(arena, id, known).max(known[id.index()])
    })
}

fn effect_of(arena: &Arena, id: NodeId, known: &[Effect]) -> Effect {
    let get = |id: NodeId| known[id.index()];
    let worst = dependencies(arena, id).into_iter().map(get).max().unwrap_or(Effect::Restricts);
    match arena.node(id) {
        Node::Diff(_, b) if get(b) != Effect::Restricts => Effect::MayGrow,
        // The event in the middle may be a deleted one, unless it is deleted only together with an
        // end.
        Node::Comp(a, b) if !(leads_within_access(arena, a) || leads_within_access(arena, b)) => {
            worst.max(Effect::Shrinks)
        }
        Node::Plus(a) if !leads_within_access(arena, a) => worst.max(Effect::Shrinks),
        Node::Domain(_) | Node::Range(_) | Node::Rec(_) => worst.max(Effect::Shrinks),
        _ => worst,
    }
}

/// Whether the relation leads only between pieces of one access, which are deleted together.
fn leads_within_access(arena: &Arena, id: NodeId) -> bool {
    match arena.node(id) {
        Node::ToId(_) | Node::Rel(BaseRel::SameAccess | BaseRel::Id) => true,
        Node::Union(a, b) | Node::Comp(a, b) => {
            leads_within_access(arena, a) && leads_within_access(arena, b)
        }
        Node::Inter(a, b) => leads_within_access(arena, a) || leads_within_access(arena, b),
        Node::Diff(a, _) | Node::Inverse(a) | Node::Plus(a) => leads_within_access(arena, a),
        _ => false,
    }
}
