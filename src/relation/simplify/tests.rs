//! Every law on random matrices, and whole models before and after.

use super::language::{Algebra, decode};
use super::rules::LAWS;
use super::{simplify, simplify_nodes, total_cost};
use crate::bitrel::{EventSet, Rel};
use crate::id::NodeId;
use crate::relation::assignment::Assignment;
use crate::relation::eval::{Values, evaluate};
use crate::relation::expr::{Arena, Model, Node};
use crate::relation::tests::{build, execution, picks};
use crate::vocabulary::{BaseRel, BaseSet, Sort};
use egg::{ENodeOrVar, PatternAst};
use proptest::prelude::*;

/// Adds one side of a law with base names for its variables.
fn instance(arena: &mut Arena, side: &str, sets_only: bool) -> NodeId {
    let pattern: PatternAst<Algebra> = side.parse().expect("laws parse");
    let mut nodes: Vec<NodeId> = Vec::new();
    for part in pattern.as_ref() {
        let node = match part {
            ENodeOrVar::Var(name) => match (name.to_string().as_str(), sets_only) {
                ("?a", false) => Node::Rel(BaseRel::Po),
                ("?b", false) => Node::Rel(BaseRel::Rf),
                ("?c", false) => Node::Rel(BaseRel::Co),
                ("?a" | "?s", _) => Node::Set(BaseSet::Read),
                ("?b" | "?t", _) => Node::Set(BaseSet::Write),
                ("?c" | "?u", _) => Node::Set(BaseSet::Fence),
                _ => Node::Set(BaseSet::Weak),
            },
            ENodeOrVar::ENode(node) => decode(node, |child| nodes[usize::from(child)]),
        };
        nodes.push(arena.add(node));
    }
    *nodes.last().expect("a side is not empty")
}

/// Whether a side has only operators that sets have too.
fn is_lattice(side: &str) -> bool {
    let pattern: PatternAst<Algebra> = side.parse().expect("laws parse");
    pattern.as_ref().iter().all(|part| {
        use Algebra::{Diff, Inter, Union};
        matches!(part, ENodeOrVar::Var(_) | ENodeOrVar::ENode(Union(_) | Inter(_) | Diff(_)))
    })
}

fn same(arena: &Arena, values: &Values, a: NodeId, b: NodeId) -> bool {
    match arena.sort(a) {
        Sort::Set => values.set(a) == values.set(b),
        Sort::Relation => values.relation(a) == values.relation(b),
    }
}

/// Random values for the base names of [`instance`].
fn matrices() -> impl Strategy<Value = Assignment> {
    (execution(4), 0..16usize, 0..16usize).prop_map(|(mut base, fences, weak)| {
        for (set, bits) in [(BaseSet::Fence, fences), (BaseSet::Weak, weak)] {
            let mut members = EventSet::empty(4);
            for event in (0..4).filter(|e| bits >> e & 1 == 1) {
                members.insert(crate::id::EventId::new(event));
            }
            *base.set_mut(set) = members;
        }
        base
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn laws_hold(execution in matrices()) {
        for (name, left, right) in LAWS {
            let only_lattice = is_lattice(left) && is_lattice(right);
            for sets_only in [false, true].into_iter().take(1 + usize::from(only_lattice)) {
                let mut arena = Arena::default();
                let l = instance(&mut arena, left, sets_only);
                let r = instance(&mut arena, right, sets_only);
                let values = evaluate(&arena, &[l, r], &execution);
                prop_assert!(same(&arena, &values, l, r), "{}", name);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn simplified_expressions_mean_the_same(
        picks in picks(), recursive: bool, executions in [execution(4), execution(4)]
    ) {
        let arena = build(&picks, recursive);
        let roots: Vec<NodeId> = (0..arena.len()).rev().take(3).map(NodeId::new).collect();
        let (new, nodes) = simplify_nodes(&arena, &roots);
        prop_assert!(total_cost(&new, &nodes) <= total_cost(&arena, &roots));
        for execution in &executions {
            let before = evaluate(&arena, &roots, execution);
            let after = evaluate(&new, &nodes, execution);
            for (&old, &node) in roots.iter().zip(&nodes) {
                match arena.sort(old) {
                    Sort::Set => prop_assert_eq!(before.set(old), after.set(node)),
                    Sort::Relation => {
                        prop_assert_eq!(before.relation(old), after.relation(node));
                    }
                }
            }
        }
    }
}

#[test]
fn a_chain_of_restrictions_becomes_cheap() {
    let mut arena = Arena::default();
    let [po, rf] = [BaseRel::Po, BaseRel::Rf].map(|r| arena.add(Node::Rel(r)));
    let step = arena.add(Node::Comp(po, rf));
    let sum = arena.add(Node::Union(po, step));
    let all = arena.add(Node::Set(BaseSet::All));
    let writes = arena.add(Node::Set(BaseSet::Write));
    let pairs = arena.add(Node::Cross(all, writes));
    let root = arena.add(Node::Inter(sum, pairs));
    let (new, nodes) = simplify_nodes(&arena, &[root]);
    assert!(total_cost(&new, &nodes) < total_cost(&arena, &[root]));
}

#[test]
fn an_empty_model_stays_empty() {
    let simplified = simplify(&Model::default());
    assert!(simplified.axioms.is_empty());
    assert_eq!(Rel::empty(0).len(), 0);
}
