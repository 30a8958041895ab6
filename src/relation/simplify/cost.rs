//! The cost of an expression for engines on bit matrices, in passes over one matrix.

use super::language::Algebra;
use crate::id::NodeId;
use crate::relation::expr::{Arena, Node};
use egg::{CostFunction, EGraph, Id, Language};

/// Operations on sets cost next to nothing; they are not free so that fewer are better.
const SET: u64 = 1;
/// A pass over the words of a matrix.
const PASS: u64 = 10;
/// A transposition sets single bits.
const TRANSPOSE: u64 = 25;
/// A composition is one pass for each pair of the left operand, of which there are few.
const COMPOSE: u64 = 60;
/// Warshall's algorithm.
const CLOSURE: u64 = 90;

/// The cost of computing one node from its operands.
pub(super) fn node_cost(arena: &Arena, id: NodeId) -> u64 {
    let is_test = |id: NodeId| matches!(arena.node(id), Node::ToId(_));
    match arena.node(id) {
        Node::Set(_) | Node::Rel(_) | Node::Empty(_) | Node::Rec(_) => 0,
        Node::Union(a, _) | Node::Inter(a, _) | Node::Diff(a, _) => match arena.sort(a) {
            crate::vocabulary::Sort::Set => SET,
            crate::vocabulary::Sort::Relation => PASS,
        },
        Node::Comp(a, b) if is_test(a) || is_test(b) => PASS,
        Node::Comp(..) => COMPOSE,
        Node::Inverse(_) => TRANSPOSE,
        Node::Plus(_) => CLOSURE,
        Node::ToId(_) => SET,
        Node::Cross(..) | Node::Domain(_) | Node::Range(_) => PASS,
    }
}

/// The cost of computing `roots` if shared nodes are computed once.
pub(super) fn total_cost(arena: &Arena, roots: &[NodeId]) -> u64 {
    let mut seen = vec![false; arena.len()];
    let mut stack = roots.to_vec();
    let mut total = 0;
    while let Some(id) = stack.pop() {
        if !std::mem::replace(&mut seen[id.index()], true) {
            total += node_cost(arena, id);
            stack.extend(super::super::plan::dependencies(arena, id));
        }
    }
    total
}

/// The cost of an expression as a tree, to extract by.
pub(super) struct TreeCost<'a>(pub(super) &'a EGraph<Algebra, ()>);

impl TreeCost<'_> {
    fn is_test(&self, class: Id) -> bool {
        self.0[class].iter().any(|node| matches!(node, Algebra::ToId(_)))
    }
}

impl CostFunction<Algebra> for TreeCost<'_> {
    type Cost = u64;

    fn cost<C: FnMut(Id) -> u64>(&mut self, node: &Algebra, costs: C) -> u64 {
        let own = match node {
            Algebra::Leaf(_) | Algebra::Rec(_) | Algebra::ToId(_) => SET,
            Algebra::Comp([a, b]) if self.is_test(*a) || self.is_test(*b) => PASS,
            Algebra::Comp(_) => COMPOSE,
            Algebra::Inverse(_) => TRANSPOSE,
            Algebra::Plus(_) => CLOSURE,
            _ => PASS,
        };
        node.children().iter().copied().map(costs).fold(own, u64::saturating_add)
    }
}
