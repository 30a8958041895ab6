//! The relational IR as a language for egg, with translations in both directions.

use crate::id::NodeId;
use crate::relation::expr::{Arena, Node, RecId};
use crate::vocabulary::{BaseRel, BaseSet, Sort};
use egg::{EGraph, Id, Symbol, define_language};
use std::str::FromStr;

define_language! {
    /// Expressions of relation algebra; leaves are base names, `{}`, `0` and recursive references.
    pub enum Algebra {
        "|" = Union([Id; 2]),
        "&" = Inter([Id; 2]),
        "\\" = Diff([Id; 2]),
        ";" = Comp([Id; 2]),
        "inv" = Inverse(Id),
        "+" = Plus(Id),
        "test" = ToId(Id),
        "*" = Cross([Id; 2]),
        "dom" = Domain(Id),
        "ran" = Range(Id),
        Rec(Reference),
        Leaf(Symbol),
    }
}

/// A recursive reference, written `rec:group:member`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference(RecId);

impl FromStr for Reference {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (group, member) = text.strip_prefix("rec:").and_then(|t| t.split_once(':')).ok_or(())?;
        let number = |text: &str| text.parse().map_err(|_| ());
        Ok(Self(RecId { group: number(group)?, member: number(member)? }))
    }
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "rec:{}:{}", self.0.group, self.0.member)
    }
}

/// The expression of one node, over the classes of its operands.
pub(in crate::relation) fn encode(node: Node, class: impl Fn(NodeId) -> Id) -> Algebra {
    match node {
        Node::Set(set) => Algebra::Leaf(Symbol::from(set.name())),
        Node::Rel(relation) => Algebra::Leaf(Symbol::from(relation.name())),
        Node::Empty(Sort::Set) => Algebra::Leaf(Symbol::from("{}")),
        Node::Empty(Sort::Relation) => Algebra::Leaf(Symbol::from("0")),
        Node::Rec(rec) => Algebra::Rec(Reference(rec)),
        Node::Union(a, b) => Algebra::Union([class(a), class(b)]),
        Node::Inter(a, b) => Algebra::Inter([class(a), class(b)]),
        Node::Diff(a, b) => Algebra::Diff([class(a), class(b)]),
        Node::Comp(a, b) => Algebra::Comp([class(a), class(b)]),
        Node::Inverse(a) => Algebra::Inverse(class(a)),
        Node::Plus(a) => Algebra::Plus(class(a)),
        Node::ToId(a) => Algebra::ToId(class(a)),
        Node::Cross(a, b) => Algebra::Cross([class(a), class(b)]),
        Node::Domain(a) => Algebra::Domain(class(a)),
        Node::Range(a) => Algebra::Range(class(a)),
    }
}

/// The node of one expression, over the nodes of its operands.
///
/// # Panics
/// When a leaf is no base name; rules are made of base names only.
pub(super) fn decode(expr: &Algebra, node: impl Fn(Id) -> NodeId) -> Node {
    match *expr {
        Algebra::Leaf(name) => leaf(name.as_str()).expect("leaves are base names"),
        Algebra::Rec(Reference(rec)) => Node::Rec(rec),
        Algebra::Union([a, b]) => Node::Union(node(a), node(b)),
        Algebra::Inter([a, b]) => Node::Inter(node(a), node(b)),
        Algebra::Diff([a, b]) => Node::Diff(node(a), node(b)),
        Algebra::Comp([a, b]) => Node::Comp(node(a), node(b)),
        Algebra::Inverse(a) => Node::Inverse(node(a)),
        Algebra::Plus(a) => Node::Plus(node(a)),
        Algebra::ToId(a) => Node::ToId(node(a)),
        Algebra::Cross([a, b]) => Node::Cross(node(a), node(b)),
        Algebra::Domain(a) => Node::Domain(node(a)),
        Algebra::Range(a) => Node::Range(node(a)),
    }
}

fn leaf(name: &str) -> Option<Node> {
    match name {
        "{}" => Some(Node::Empty(Sort::Set)),
        "0" => Some(Node::Empty(Sort::Relation)),
        _ => BaseSet::named(name).map(Node::Set).or_else(|| BaseRel::named(name).map(Node::Rel)),
    }
}

/// Adds `roots` and all nodes below to an e-graph; gives the class of every root.
pub(super) fn add_all(arena: &Arena, roots: &[NodeId], graph: &mut EGraph<Algebra, ()>) -> Vec<Id> {
    let mut needed = vec![false; arena.len()];
    roots.iter().for_each(|r| needed[r.index()] = true);
    for id in (0..arena.len()).rev().map(NodeId::new) {
        if needed[id.index()] {
            arena.operands(id).iter().for_each(|o| needed[o.index()] = true);
        }
    }
    let mut classes: Vec<Option<Id>> = vec![None; arena.len()];
    for id in (0..arena.len()).map(NodeId::new).filter(|id| needed[id.index()]) {
        let class = |o: NodeId| classes[o.index()].expect("operands come first");
        let added = graph.add(encode(arena.node(id), class));
        classes[id.index()] = Some(added);
    }
    roots.iter().map(|r| classes[r.index()].expect("roots are needed")).collect()
}
