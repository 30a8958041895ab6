//! Bit matrices against sets of pairs, on universes around the word boundaries.

use super::{EventSet, Rel};
use crate::id::EventId;
use proptest::prelude::*;
use std::collections::BTreeSet;

type Pairs = BTreeSet<(usize, usize)>;

fn set_of(n: usize, members: &BTreeSet<usize>) -> EventSet {
    let mut set = EventSet::empty(n);
    members.iter().for_each(|&e| assert!(set.insert(EventId::new(e))));
    set
}

fn rel_of(n: usize, pairs: &Pairs) -> Rel {
    Rel::from_pairs(n, pairs.iter().map(|&(a, b)| (EventId::new(a), EventId::new(b))))
}

fn members(set: &EventSet) -> BTreeSet<usize> {
    set.iter().map(EventId::index).collect()
}

fn pairs(rel: &Rel) -> Pairs {
    rel.iter_pairs().map(|(a, b)| (a.index(), b.index())).collect()
}

fn compose(a: &Pairs, b: &Pairs) -> Pairs {
    a.iter()
        .flat_map(|&(x, y)| b.iter().filter(move |p| p.0 == y).map(move |&(_, z)| (x, z)))
        .collect()
}

fn closure(a: &Pairs) -> Pairs {
    let mut all = a.clone();
    loop {
        let next: Pairs = all.union(&compose(&all, a)).copied().collect();
        if next == all {
            return all;
        }
        all = next;
    }
}

/// A universe with two sets and two relations over it.
fn universe() -> impl Strategy<Value = (usize, [BTreeSet<usize>; 2], [Pairs; 2])> {
    prop_oneof![
        Just(1usize),
        2..12usize,
        Just(63),
        Just(64),
        Just(65),
        Just(130),
        Just(250),
        Just(300)
    ]
    .prop_flat_map(|n| {
        let set = || prop::collection::btree_set(0..n, 0..=n.min(20));
        let rel = || prop::collection::btree_set((0..n, 0..n), 0..=(2 * n).min(60));
        (Just(n), [set(), set()], [rel(), rel()])
    })
}

proptest! {
    #[test]
    fn sets_agree_with_naive_ones((n, [a, b], _) in universe()) {
        let (sa, sb) = (set_of(n, &a), set_of(n, &b));
        prop_assert_eq!(members(&sa), a.clone());
        prop_assert_eq!(sa.count(), a.len());
        prop_assert_eq!(sa.is_empty(), a.is_empty());
        prop_assert_eq!(sa.is_subset(&sb), a.is_subset(&b));
        let mut union = sa.clone();
        prop_assert_eq!(union.union_with(&sb), !b.is_subset(&a));
        prop_assert_eq!(members(&union), a.union(&b).copied().collect());
        let mut meet = sa.clone();
        meet.intersect_with(&sb);
        prop_assert_eq!(members(&meet), a.intersection(&b).copied().collect());
        let mut rest = sa;
        rest.subtract(&sb);
        prop_assert_eq!(members(&rest), a.difference(&b).copied().collect());
    }

    #[test]
    fn relations_agree_with_naive_ones((n, [s, t], [a, b]) in universe()) {
        let (ra, rb) = (rel_of(n, &a), rel_of(n, &b));
        prop_assert_eq!(pairs(&ra), a.clone());
        prop_assert_eq!(ra.count(), a.len());
        prop_assert_eq!(ra.is_subset(&rb), a.is_subset(&b));
        let mut union = ra.clone();
        prop_assert_eq!(union.union_with(&rb), !b.is_subset(&a));
        prop_assert_eq!(pairs(&union), a.union(&b).copied().collect());
        let mut rest = ra.clone();
        rest.subtract(&rb);
        prop_assert_eq!(pairs(&rest), a.difference(&b).copied().collect());
        prop_assert_eq!(pairs(&ra.inverse()), a.iter().map(|&(x, y)| (y, x)).collect());
        let mut out = rb.clone();
        ra.compose_into(&rb, &mut out);
        prop_assert_eq!(pairs(&out), compose(&a, &b));
        ra.compose_inverted_into(&rb, &mut out);
        let converse = a.iter().map(|&(x, y)| (y, x)).collect();
        prop_assert_eq!(pairs(&out), compose(&converse, &b));
        let mut sum = rb.clone();
        ra.compose_union_into(&rb, &mut sum);
        prop_assert_eq!(pairs(&sum), compose(&a, &b).union(&b).copied().collect());

        let (ss, st) = (set_of(n, &s), set_of(n, &t));
        let mut from = ra.clone();
        from.restrict_domain(&ss);
        prop_assert_eq!(pairs(&from), a.iter().filter(|p| s.contains(&p.0)).copied().collect());
        let mut to = ra.clone();
        to.restrict_range(&ss);
        prop_assert_eq!(pairs(&to), a.iter().filter(|p| s.contains(&p.1)).copied().collect());
        let mut ends = EventSet::full(n);
        ra.domain_into(&mut ends);
        prop_assert_eq!(members(&ends), a.iter().map(|p| p.0).collect());
        ra.range_into(&mut ends);
        prop_assert_eq!(members(&ends), a.iter().map(|p| p.1).collect());
        let product = s.iter().flat_map(|&x| t.iter().map(move |&y| (x, y))).collect();
        prop_assert_eq!(pairs(&Rel::cross(&ss, &st)), product);
        prop_assert_eq!(pairs(&Rel::to_id(&ss)), s.iter().map(|&x| (x, x)).collect());
    }

    /// Long orders use other code than sparse relations: rows of known width, rows joined by fours,
    /// and the closure of acyclic relations.
    #[test]
    fn orders_close_and_compose(
        order in (2..300usize).prop_flat_map(|n| Just((0..n).collect::<Vec<_>>()).prop_shuffle()),
        reach in 1..9usize,
        back in any::<bool>(),
    ) {
        let n = order.len();
        let pair = |i: usize, j: usize| (EventId::new(order[i]), EventId::new(order[j]));
        let next = (0..n).flat_map(|i| (i + 1..n.min(i + 1 + reach)).map(move |j| (i, j)));
        let mut steps = Rel::from_pairs(n, next.map(|(i, j)| pair(i, j)));
        if back {
            let (last, first) = pair(n - 1, 0);
            steps.insert(last, first);
        }
        let mut closed = steps.clone();
        closed.transitive_closure_in_place();
        let holds = |i: usize, j: usize| back || i < j;
        let all = (0..n).flat_map(|i| (0..n).map(move |j| (i, j)));
        let expected = Rel::from_pairs(n, all.filter(|&(i, j)| holds(i, j)).map(|(i, j)| pair(i, j)));
        prop_assert!(closed == expected, "the closure of {} events", n);
        let mut twice = Rel::empty(n);
        prop_assert_eq!(closed.compose_union_into(&steps, &mut twice), back || n > 2);
        prop_assert!(!closed.compose_union_into(&steps, &mut twice), "nothing is added twice");
        let mut direct = closed.clone();
        direct.subtract(&twice);
        let without = (0..n - 1).map(|i| pair(i, i + 1)).filter(|_| !back);
        prop_assert_eq!(direct, Rel::from_pairs(n, without));
    }

    #[test]
    fn closures_and_cycles_agree_with_naive_ones((n, _, [a, _]) in universe()) {
        let ra = rel_of(n, &a);
        let mut closed = ra.clone();
        closed.transitive_closure_in_place();
        let expected = closure(&a);
        prop_assert_eq!(pairs(&closed), expected.clone());

        let mut grown = Rel::empty(n);
        for (x, y) in ra.iter_pairs() {
            grown.insert_closed(x, y);
        }
        prop_assert_eq!(&grown, &closed);

        let cyclic = expected.iter().any(|(x, y)| x == y);
        prop_assert_eq!(ra.is_acyclic(), !cyclic);
        prop_assert_eq!(closed.is_irreflexive(), !cyclic);
        match ra.find_cycle() {
            None => prop_assert!(!cyclic),
            Some(cycle) => {
                for (i, &e) in cycle.iter().enumerate() {
                    prop_assert!(ra.contains(e, cycle[(i + 1) % cycle.len()]));
                }
                let mut power = a.clone();
                for _ in 1..cycle.len() {
                    prop_assert!(power.iter().all(|(x, y)| x != y), "a shorter cycle exists");
                    power = compose(&power, &a);
                }
            }
        }
    }
}

#[test]
fn whole_universes() {
    for n in [0, 1, 63, 64, 65, 200] {
        assert_eq!(EventSet::full(n).count(), n);
        assert_eq!(Rel::full(n).count(), n * n);
        assert_eq!(Rel::identity(n).count(), n);
        assert!(Rel::empty(n).is_acyclic());
        assert_eq!(Rel::full(n).find_cycle().map(|c| c.len()), (n > 0).then_some(1));
    }
}

#[test]
fn single_pairs() {
    let (a, b) = (EventId::new(1), EventId::new(69));
    let mut rel = Rel::empty(70);
    assert!(rel.insert(a, b) && !rel.insert(a, b));
    assert!(rel.contains(a, b) && !rel.contains(b, a));
    assert!(rel.row_meets(a, &EventSet::full(70)) && !rel.row_meets(b, &EventSet::full(70)));
    assert!(rel.remove(a, b) && !rel.remove(a, b));
    assert!(rel.is_empty());
    assert_eq!(format!("{:?}", Rel::from_pairs(70, [(a, b)])), "{(e1, e69)}");
}
