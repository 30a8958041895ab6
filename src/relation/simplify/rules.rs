//! Laws of relation algebra, and of Kleene algebra with tests, as rewrite rules.
//!
//! Every law holds for all relations. The only assumptions on base names are that `id` is the
//! identity and `_` the universe. A test checks each law on random matrices.

use super::language::Algebra;
use egg::{Pattern, Rewrite};

/// Name, left-hand side, right-hand side. `?a ?b ?c` stand for relations, or for sets under
/// operators of sets; `?s ?t ?u ?v` stand for sets.
pub(in crate::relation) const LAWS: &[(&str, &str, &str)] = &[
    // Lattice.
    ("union-commutes", "(| ?a ?b)", "(| ?b ?a)"),
    ("union-associates", "(| (| ?a ?b) ?c)", "(| ?a (| ?b ?c))"),
    ("union-idempotent", "(| ?a ?a)", "?a"),
    ("union-absorbs", "(| ?a (& ?a ?b))", "?a"),
    ("inter-commutes", "(& ?a ?b)", "(& ?b ?a)"),
    ("inter-associates", "(& (& ?a ?b) ?c)", "(& ?a (& ?b ?c))"),
    ("inter-idempotent", "(& ?a ?a)", "?a"),
    ("inter-absorbs", "(& ?a (| ?a ?b))", "?a"),
    ("inter-factor", "(| (& ?a ?b) (& ?a ?c))", "(& ?a (| ?b ?c))"),
    ("union-factor", "(& (| ?a ?b) (| ?a ?c))", "(| ?a (& ?b ?c))"),
    // Difference.
    ("diff-twice", "(\\ (\\ ?a ?b) ?c)", "(\\ ?a (| ?b ?c))"),
    ("diff-of-diff", "(\\ ?a (\\ ?a ?b))", "(& ?a ?b)"),
    ("diff-outward", "(& (\\ ?a ?b) ?c)", "(\\ (& ?a ?c) ?b)"),
    ("diff-factor", "(| (\\ ?a ?c) (\\ ?b ?c))", "(\\ (| ?a ?b) ?c)"),
    ("diff-undone", "(| ?a (\\ ?b ?a))", "(| ?a ?b)"),
    ("diff-shared", "(\\ (| ?a ?b) ?b)", "(\\ ?a ?b)"),
    ("diff-absorbs", "(| ?a (\\ ?a ?b))", "?a"),
    // Composition.
    ("comp-left", "(; (; ?a ?b) ?c)", "(; ?a (; ?b ?c))"),
    ("comp-right", "(; ?a (; ?b ?c))", "(; (; ?a ?b) ?c)"),
    ("comp-id", "(; ?a id)", "?a"),
    ("id-comp", "(; id ?a)", "?a"),
    ("comp-factor-left", "(| (; ?a ?b) (; ?a ?c))", "(; ?a (| ?b ?c))"),
    ("comp-factor-right", "(| (; ?a ?c) (; ?b ?c))", "(; (| ?a ?b) ?c)"),
    ("comp-optional-right", "(| ?a (; ?a ?b))", "(; ?a (| ?b id))"),
    ("comp-optional-left", "(| ?b (; ?a ?b))", "(; (| ?a id) ?b)"),
    // Converse.
    ("inverse-twice", "(inv (inv ?a))", "?a"),
    ("inverse-comp", "(; (inv ?a) (inv ?b))", "(inv (; ?b ?a))"),
    ("inverse-union", "(| (inv ?a) (inv ?b))", "(inv (| ?a ?b))"),
    ("inverse-inter", "(& (inv ?a) (inv ?b))", "(inv (& ?a ?b))"),
    ("inverse-diff", "(\\ (inv ?a) (inv ?b))", "(inv (\\ ?a ?b))"),
    ("inverse-plus", "(+ (inv ?a))", "(inv (+ ?a))"),
    ("inverse-test", "(inv (test ?s))", "(test ?s)"),
    ("inverse-id", "(inv id)", "id"),
    ("inverse-cross", "(inv (* ?s ?t))", "(* ?t ?s)"),
    // Closure.
    ("plus-twice", "(+ (+ ?a))", "(+ ?a)"),
    ("plus-absorbs", "(| ?a (+ ?a))", "(+ ?a)"),
    ("plus-unfolds-right", "(; ?a (| (+ ?a) id))", "(+ ?a)"),
    ("plus-unfolds-left", "(; (| (+ ?a) id) ?a)", "(+ ?a)"),
    ("plus-step", "(| ?a (; (+ ?a) ?a))", "(+ ?a)"),
    ("plus-step-left", "(| ?a (; ?a (+ ?a)))", "(+ ?a)"),
    ("plus-optional", "(+ (| ?a id))", "(| (+ ?a) id)"),
    ("plus-inside", "(+ (| ?a (+ ?b)))", "(+ (| ?a ?b))"),
    ("plus-slides", "(; ?a (+ (; ?b ?a)))", "(; (+ (; ?a ?b)) ?a)"),
    ("star-twice", "(; (| (+ ?a) id) (| (+ ?a) id))", "(| (+ ?a) id)"),
    ("star-plus", "(; (| (+ ?a) id) (+ ?a))", "(+ ?a)"),
    ("plus-star", "(; (+ ?a) (| (+ ?a) id))", "(+ ?a)"),
    // Tests.
    ("test-test", "(; (test ?s) (test ?t))", "(test (& ?s ?t))"),
    ("test-inter", "(& (test ?s) (test ?t))", "(test (& ?s ?t))"),
    ("test-union", "(| (test ?s) (test ?t))", "(test (| ?s ?t))"),
    ("test-universe", "(test _)", "id"),
    ("test-outward-left", "(& (; (test ?s) ?a) ?b)", "(; (test ?s) (& ?a ?b))"),
    ("test-outward-right", "(& (; ?a (test ?t)) ?b)", "(; (& ?a ?b) (test ?t))"),
    ("test-diff-left", "(\\ (; (test ?s) ?a) ?b)", "(; (test ?s) (\\ ?a ?b))"),
    ("test-diff-right", "(\\ (; ?a (test ?t)) ?b)", "(; (\\ ?a ?b) (test ?t))"),
    ("test-of-cross", "(& ?a (* ?s ?t))", "(; (test ?s) (; ?a (test ?t)))"),
    // Products, sources and targets.
    ("cross-inter", "(& (* ?s ?t) (* ?u ?v))", "(* (& ?s ?u) (& ?t ?v))"),
    ("cross-factor-left", "(| (* ?s ?t) (* ?s ?u))", "(* ?s (| ?t ?u))"),
    ("cross-factor-right", "(| (* ?s ?u) (* ?t ?u))", "(* (| ?s ?t) ?u)"),
    ("cross-test-left", "(; (test ?s) (* ?t ?u))", "(* (& ?s ?t) ?u)"),
    ("cross-test-right", "(; (* ?s ?t) (test ?u))", "(* ?s (& ?t ?u))"),
    ("domain-inverse", "(dom (inv ?a))", "(ran ?a)"),
    ("range-inverse", "(ran (inv ?a))", "(dom ?a)"),
    ("domain-test", "(dom (; (test ?s) ?a))", "(& ?s (dom ?a))"),
    ("range-test", "(ran (; ?a (test ?s)))", "(& ?s (ran ?a))"),
    ("domain-plus", "(dom (+ ?a))", "(dom ?a)"),
    ("range-plus", "(ran (+ ?a))", "(ran ?a)"),
    ("domain-union", "(| (dom ?a) (dom ?b))", "(dom (| ?a ?b))"),
    ("range-union", "(| (ran ?a) (ran ?b))", "(ran (| ?a ?b))"),
    ("domain-of-domain", "(dom (; ?a (test (dom ?b))))", "(dom (; ?a ?b))"),
];

/// All laws, from left to right.
pub(in crate::relation) fn rules() -> Vec<Rewrite<Algebra, ()>> {
    let pattern = |text: &str| -> Pattern<Algebra> { text.parse().expect("laws parse") };
    LAWS.iter()
        .map(|(name, left, right)| {
            Rewrite::new(*name, pattern(left), pattern(right))
                .expect("both sides use the variables")
        })
        .collect()
}
