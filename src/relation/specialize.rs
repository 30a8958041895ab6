//! Specialization of a model to programs of one shape: base names are replaced by simpler
//! expressions.
//!
//! In a program without proxy fences, barriers or partial overlap, some base sets and relations are
//! empty or equal to others; trivial expressions then fold away.

use super::expr::{Arena, Model, Node, RecId};
use crate::id::NodeId;

/// The model in which each base name with a node from `replace` is replaced by it.
///
/// Definitions and axioms stay, with their names and places; some may have become trivial.
#[must_use]
pub fn specialize(model: &Model, replace: impl Fn(Node) -> Option<Node>) -> Model {
    let mut arena = Arena::default();
    let map = import(&mut arena, &model.arena, |node| replace(node).unwrap_or(node));
    let mut new = Model { arena, ..model.clone() };
    new.axioms.iter_mut().for_each(|axiom| axiom.node = map[axiom.node.index()]);
    new.definitions.iter_mut().for_each(|d| d.node = map[d.node.index()]);
    new.shown.iter_mut().for_each(|(_, node)| *node = map[node.index()]);
    new
}

/// Copies all nodes of an arena behind those of another, with base names mapped by `leaf`. Gives
/// the new ids.
pub fn import(to: &mut Arena, from: &Arena, leaf: impl Fn(Node) -> Node) -> Vec<NodeId> {
    let offset = to.group_count();
    copy_groups(from, to);
    let mut map: Vec<NodeId> = Vec::with_capacity(from.len());
    for id in (0..from.len()).map(NodeId::new) {
        let node = match from.node(id) {
            node @ (Node::Set(_) | Node::Rel(_) | Node::Empty(_)) => leaf(node),
            Node::Rec(rec) => Node::Rec(RecId { group: offset + rec.group, ..rec }),
            node => with_operands(node, |id| map[id.index()]),
        };
        map.push(to.add(node));
    }
    define_groups(from, to, offset, |id| map[id.index()]);
    map
}

/// Starts the recursive groups of `from` behind those of `to`, in their order.
pub(super) fn copy_groups(from: &Arena, to: &mut Arena) {
    for group in 0..from.group_count() {
        to.start_group(from.group(group).count());
    }
}

/// Defines the recursive groups of `from` in `to`, where the first of them has number `first`.
pub(super) fn define_groups(
    from: &Arena,
    to: &mut Arena,
    first: u32,
    map: impl Fn(NodeId) -> NodeId,
) {
    for group in 0..from.group_count() {
        for (member, body) in (0..).zip(from.group(group)) {
            to.define(RecId { group: first + group, member }, map(body));
        }
    }
}

/// The node with its operands replaced.
pub(super) fn with_operands(node: Node, map: impl Fn(NodeId) -> NodeId) -> Node {
    match node {
        Node::Set(_) | Node::Rel(_) | Node::Empty(_) | Node::Rec(_) => node,
        Node::Union(a, b) => Node::Union(map(a), map(b)),
        Node::Inter(a, b) => Node::Inter(map(a), map(b)),
        Node::Diff(a, b) => Node::Diff(map(a), map(b)),
        Node::Comp(a, b) => Node::Comp(map(a), map(b)),
        Node::Cross(a, b) => Node::Cross(map(a), map(b)),
        Node::Inverse(a) => Node::Inverse(map(a)),
        Node::Plus(a) => Node::Plus(map(a)),
        Node::ToId(a) => Node::ToId(map(a)),
        Node::Domain(a) => Node::Domain(map(a)),
        Node::Range(a) => Node::Range(map(a)),
    }
}
