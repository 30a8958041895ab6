//! Normal forms and closed forms on random executions.

use super::{closed_form, normal};
use crate::id::NodeId;
use crate::relation::eval::{Values, evaluate};
use crate::relation::expr::{Arena, Node, RecId};
use crate::relation::tests::{build, execution, picks};
use crate::vocabulary::{BaseRel, Sort};
use proptest::prelude::*;

fn same(arena: &Arena, values: &Values, a: NodeId, b: NodeId) -> bool {
    match arena.sort(a) {
        Sort::Set => values.set(a) == values.set(b),
        Sort::Relation => values.relation(a) == values.relation(b),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// The laws of [`super::NORMAL_LAWS`] hold together: an expression and its normal form are equal.
    #[test]
    fn normal_forms_mean_the_same(picks in picks(), recursive: bool, execution in execution(4)) {
        let mut arena = build(&picks, recursive);
        let roots: Vec<NodeId> = (0..arena.len()).map(NodeId::new).collect();
        for root in roots {
            let form = normal(&mut arena, root);
            let values = evaluate(&arena, &[root, form], &execution);
            prop_assert!(same(&arena, &values, root, form));
            prop_assert_eq!(normal(&mut arena, form), form);
        }
    }

    /// A recursion that extends itself on one side, or by itself, is the closure that stands for it.
    #[test]
    fn closed_forms_are_least_solutions(
        picks in picks(), way in 0..3_u8, members in 1..3_usize, execution in execution(4)
    ) {
        let mut arena = build(&picks, false);
        let relations: Vec<NodeId> = (0..arena.len())
            .map(NodeId::new)
            .filter(|&id| arena.sort(id) == Sort::Relation)
            .collect();
        let x = arena.start_group(1)[0];
        let mut body = relations[relations.len() - 1];
        for member in 0..members {
            let step = relations[(relations.len() * (member + 1)) / (members + 2)];
            let step = match way {
                0 => arena.add(Node::Comp(x, step)),
                1 => arena.add(Node::Comp(step, x)),
                _ => arena.add(Node::Comp(x, x)),
            };
            body = arena.add(Node::Union(body, step));
        }
        arena.define(RecId { group: 0, member: 0 }, body);
        if let Some(closed) = closed_form(&mut arena, x) {
            let values = evaluate(&arena, &[x, closed], &execution);
            prop_assert!(same(&arena, &values, x, closed));
        }
    }
}

#[test]
fn recursions_that_are_no_closure_stay() {
    let mut arena = Arena::default();
    let [po, rf] = [BaseRel::Po, BaseRel::Rf].map(|relation| arena.add(Node::Rel(relation)));
    let x = arena.start_group(1)[0];
    let inner = arena.add(Node::Comp(x, rf));
    let both = arena.add(Node::Comp(po, inner));
    let body = arena.add(Node::Union(rf, both));
    arena.define(RecId { group: 0, member: 0 }, body);
    assert_eq!(closed_form(&mut arena, x), None);
}
