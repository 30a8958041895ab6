//! Random expressions on random executions: the evaluator against plain sets of pairs, and the
//! analyses against their specifications.

use super::assignment::Assignment;
use super::deletion::{Effect, effects};
use super::eval::{Evaluator, Interpretation, Values, evaluate};
use super::expr::{Arena, Node, RecId};
use super::polarity::{Polarity, Variance};
use crate::bitrel::{EventSet, Rel};
use crate::id::{EventId, NodeId};
use crate::vocabulary::{BaseRel, BaseSet, Sort};
use proptest::prelude::*;
use std::collections::BTreeSet;

const SETS: [BaseSet; 3] = [BaseSet::All, BaseSet::Read, BaseSet::Write];
const RELATIONS: [BaseRel; 5] =
    [BaseRel::Po, BaseRel::Rf, BaseRel::Co, BaseRel::SameAccess, BaseRel::Id];

/// One choice of a node: an operator and two operands, taken modulo the number of nodes.
pub(super) type Pick = (u8, usize, usize);

pub(super) fn picks() -> impl Strategy<Value = Vec<Pick>> {
    prop::collection::vec((0..14u8, any::<usize>(), any::<usize>()), 1..25)
}

/// Builds an arena bottom-up; with `recursive`, its last relation becomes a recursive definition.
pub(super) fn build(picks: &[Pick], recursive: bool) -> Arena {
    let mut arena = Arena::default();
    let mut sets: Vec<NodeId> = SETS.map(|s| arena.add(Node::Set(s))).to_vec();
    let mut relations: Vec<NodeId> = RELATIONS.map(|r| arena.add(Node::Rel(r))).to_vec();
    if recursive {
        relations.extend(arena.start_group(1));
    }
    for &(op, a, b) in picks {
        let (sa, sb) = (sets[a % sets.len()], sets[b % sets.len()]);
        let (ra, rb) = (relations[a % relations.len()], relations[b % relations.len()]);
        let node = match op {
            0 => Node::Union(sa, sb),
            1 => Node::Inter(sa, sb),
            2 => Node::Diff(sa, sb),
            3 => Node::Domain(ra),
            4 => Node::Range(ra),
            5 => Node::Union(ra, rb),
            6 => Node::Inter(ra, rb),
            7 if recursive => Node::Union(rb, ra),
            7 => Node::Diff(ra, rb),
            8 | 9 => Node::Comp(ra, rb),
            10 => Node::Inverse(ra),
            11 => Node::Plus(ra),
            12 => Node::ToId(sa),
            _ => Node::Cross(sa, sb),
        };
        let id = arena.add(node);
        if arena.sort(id) == Sort::Set { sets.push(id) } else { relations.push(id) }
    }
    if recursive {
        let body = *relations.last().expect("base relations are there");
        arena.define(RecId { group: 0, member: 0 }, body);
    }
    arena
}

/// A random execution with `n` events; accesses are pairs of neighbours.
pub(super) fn execution(n: usize) -> impl Strategy<Value = Assignment> {
    let set = move || prop::collection::vec(any::<bool>(), n);
    let relation = move || prop::collection::vec(prop::bool::weighted(0.2), n * n);
    ([set(), set()], [relation(), relation(), relation()], any::<bool>()).prop_map(
        move |(sets, relations, pieces)| {
            let mut execution = Assignment::new(n);
            for (base, bits) in [BaseSet::Read, BaseSet::Write].into_iter().zip(sets) {
                for (e, _) in bits.iter().enumerate().filter(|(_, there)| **there) {
                    execution.set_mut(base).insert(EventId::new(e));
                }
            }
            for (base, bits) in [BaseRel::Po, BaseRel::Rf, BaseRel::Co].into_iter().zip(relations) {
                for (at, _) in bits.iter().enumerate().filter(|(_, there)| **there) {
                    let pair = (EventId::new(at / n), EventId::new(at % n));
                    execution.relation_mut(base).insert(pair.0, pair.1);
                }
            }
            if pieces {
                let pairs = (0..n).flat_map(|a| (0..n).map(move |b| (a, b)));
                for (a, b) in pairs.filter(|(a, b)| a / 2 == b / 2) {
                    let relation = execution.relation_mut(BaseRel::SameAccess);
                    relation.insert(EventId::new(a), EventId::new(b));
                }
            }
            execution
        },
    )
}

/// The value of a node as plain pairs, members of sets as `(e, e)`; recursion by iteration.
fn naive(
    arena: &Arena,
    execution: &Assignment,
    id: NodeId,
    rec: &BTreeSet<(usize, usize)>,
) -> BTreeSet<(usize, usize)> {
    let get = |id| naive(arena, execution, id, rec);
    let join = |a: &BTreeSet<(usize, usize)>, b: &BTreeSet<(usize, usize)>| {
        let pairs = a.iter().flat_map(|x| b.iter().map(move |y| (*x, *y)));
        pairs.filter(|(x, y)| x.1 == y.0).map(|(x, y)| (x.0, y.1)).collect::<BTreeSet<_>>()
    };
    match arena.node(id) {
        Node::Set(base) => execution.set(base).iter().map(|e| (e.index(), e.index())).collect(),
        Node::Rel(base) => {
            execution.relation(base).iter_pairs().map(|(a, b)| (a.index(), b.index())).collect()
        }
        Node::Empty(_) => BTreeSet::new(),
        Node::Union(a, b) => &get(a) | &get(b),
        Node::Inter(a, b) => &get(a) & &get(b),
        Node::Diff(a, b) => &get(a) - &get(b),
        Node::Comp(a, b) => join(&get(a), &get(b)),
        Node::Inverse(a) => get(a).into_iter().map(|(x, y)| (y, x)).collect(),
        Node::Plus(a) => {
            let step = get(a);
            let mut all = step.clone();
            loop {
                let next = &all | &join(&all, &step);
                if next == all {
                    return all;
                }
                all = next;
            }
        }
        Node::ToId(a) => get(a),
        Node::Cross(a, b) => {
            let b = get(b);
            get(a).iter().flat_map(|x| b.iter().map(move |y| (x.0, y.1))).collect()
        }
        Node::Domain(a) => get(a).into_iter().map(|(x, _)| (x, x)).collect(),
        Node::Range(a) => get(a).into_iter().map(|(_, y)| (y, y)).collect(),
        Node::Rec(_) => rec.clone(),
    }
}

fn plain(arena: &Arena, values: &Values, id: NodeId) -> BTreeSet<(usize, usize)> {
    match arena.sort(id) {
        Sort::Set => values.set(id).iter().map(|e| (e.index(), e.index())).collect(),
        Sort::Relation => {
            values.relation(id).iter_pairs().map(|(a, b)| (a.index(), b.index())).collect()
        }
    }
}

fn all_nodes(arena: &Arena) -> Vec<NodeId> {
    (0..arena.len()).map(NodeId::new).collect()
}

proptest! {
    #[test]
    fn evaluation_agrees_with_plain_sets(
        picks in picks(), recursive: bool, executions in [execution(4), execution(4)]
    ) {
        let arena = build(&picks, recursive);
        let nodes = all_nodes(&arena);
        let mut evaluator = Evaluator::new(&arena, &nodes, 4);
        for execution in &executions {
            let mut rec = BTreeSet::new();
            if recursive {
                let body = arena.group(0).next().expect("one member");
                loop {
                    let next = &rec | &naive(&arena, execution, body, &rec);
                    if next == rec {
                        break;
                    }
                    rec = next;
                }
            }
            let values = evaluator.evaluate(execution);
            for &id in &nodes {
                let expected = naive(&arena, execution, id, &rec);
                prop_assert_eq!(plain(&arena, values, id), expected, "{:?}", arena.node(id));
            }
        }
    }

    #[test]
    fn reevaluation_follows_chosen_relations(
        picks in picks(), recursive: bool, first in execution(5), other in execution(5)
    ) {
        let arena = build(&picks, recursive);
        let nodes = all_nodes(&arena);
        let mut evaluator = Evaluator::new(&arena, &nodes, 5);
        evaluator.evaluate(&first);
        let mut changed = first;
        for base in [BaseRel::Rf, BaseRel::Co] {
            *changed.relation_mut(base) = other.relation(base).clone();
        }
        let again = evaluator.reevaluate(&changed);
        let fresh = evaluate(&arena, &nodes, &changed);
        for &id in &nodes {
            prop_assert_eq!(plain(&arena, again, id), plain(&arena, &fresh, id));
        }
    }

    #[test]
    fn polarity_predicts_growth(
        picks in picks(), recursive: bool, small in execution(4), more in execution(4)
    ) {
        let arena = build(&picks, recursive);
        let nodes = all_nodes(&arena);
        let polarity = Polarity::new(&arena);
        let mut large = small.clone();
        large.relation_mut(BaseRel::Co).union_with(more.relation(BaseRel::Co));
        let (before, after) = (evaluate(&arena, &nodes, &small), evaluate(&arena, &nodes, &large));
        for &id in &nodes {
            let (old, new) = (plain(&arena, &before, id), plain(&arena, &after, id));
            match polarity.in_relation(id, BaseRel::Co) {
                Variance::Constant => prop_assert_eq!(old, new),
                Variance::Monotone => prop_assert!(old.is_subset(&new)),
                Variance::Antitone => prop_assert!(new.is_subset(&old)),
                Variance::Mixed => {}
            }
        }
    }

    #[test]
    fn deletion_does_what_it_says(
        picks in picks(), recursive: bool, whole in execution(6), gone in 0..3usize
    ) {
        let arena = build(&picks, recursive);
        let nodes = all_nodes(&arena);
        let mut kept = EventSet::full(6);
        kept.remove(EventId::new(2 * gone));
        kept.remove(EventId::new(2 * gone + 1));
        let part = restricted(&whole, &kept);
        let (before, after) = (evaluate(&arena, &nodes, &whole), evaluate(&arena, &nodes, &part));
        for (&id, effect) in nodes.iter().zip(effects(&arena)) {
            let inside = |p: &(usize, usize)| {
                kept.contains(EventId::new(p.0)) && kept.contains(EventId::new(p.1))
            };
            let old: BTreeSet<_> =
                plain(&arena, &before, id).into_iter().filter(inside).collect();
            let new = plain(&arena, &after, id);
            match effect {
                Effect::Restricts => prop_assert_eq!(old, new),
                Effect::Shrinks => prop_assert!(new.is_subset(&old)),
                Effect::MayGrow => {}
            }
        }
    }
}

/// The execution without the events outside `kept` (which stay in the universe, unused).
fn restricted(whole: &Assignment, kept: &EventSet) -> Assignment {
    let mut part = whole.clone();
    for &set in BaseSet::ALL {
        part.set_mut(set).intersect_with(kept);
    }
    for &base in BaseRel::ALL {
        let relation: &mut Rel = part.relation_mut(base);
        relation.restrict_domain(kept);
        relation.restrict_range(kept);
    }
    part
}
