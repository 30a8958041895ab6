//! Conjunctions and disjunctions of a few conditions by their truth tables. A condition that does
//! not influence the result is not mentioned, so that the result does not depend on it
//! (PTX-8.10.4).

use super::expr::{Binary, Expr, ExprArena, Truths, Unary};
use crate::id::ExprId;
use rustc_hash::FxHashMap;

/// The most conditions of a table: one word has a bit for each of their assignments.
const MOST_CONDITIONS: usize = 6;

/// The most alternatives and literals of a disjunction that are compared.
const MOST_ALTERNATIVES: usize = 48;

/// The truth table of each condition.
const COLUMNS: [u64; MOST_CONDITIONS] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// Conditions, and the truth tables of expressions over them.
#[derive(Default)]
struct Tables {
    conditions: Vec<ExprId>,
    known: FxHashMap<ExprId, u64>,
    /// Whether some expression occurs twice.
    repeats: bool,
}

impl Tables {
    /// The table of a truth value; `None` if it takes too many conditions.
    fn of(&mut self, arena: &ExprArena, x: ExprId) -> Option<u64> {
        if let Some(&table) = self.known.get(&x) {
            self.repeats = true;
            return Some(table);
        }
        let table = match arena.get(x) {
            Expr::Const(bits) => u64::MAX * u64::from(bits & 1 == 1),
            Expr::Unary(Unary::Not, a) => !self.of(arena, a)?,
            Expr::Binary(Binary::And, a, b) => self.of(arena, a)? & self.of(arena, b)?,
            Expr::Binary(Binary::Or, a, b) => self.of(arena, a)? | self.of(arena, b)?,
            _ => {
                let column = *COLUMNS.get(self.conditions.len())?;
                self.conditions.push(x);
                column
            }
        };
        self.known.insert(x, table);
        Some(table)
    }
}

impl ExprArena {
    /// The negation of a truth value that is no negation itself. A few alternatives become the
    /// conjunction of their negations; a conjunction of a few negations becomes the disjunction of
    /// their operands.
    pub(super) fn denied(&mut self, x: ExprId) -> ExprId {
        let parts = match self.get(x) {
            Expr::Binary(Binary::Or, ..) => self.alternatives(x),
            Expr::Binary(Binary::And, ..) => {
                self.literals(x, MOST_ALTERNATIVES).unwrap_or_default()
            }
            _ => Truths::new(),
        };
        let is_not = |x: &ExprId| matches!(self.get(*x), Expr::Unary(Unary::Not, _));
        let together = matches!(self.get(x), Expr::Binary(Binary::And, ..));
        if parts.is_empty()
            || parts.len() > MOST_ALTERNATIVES
            || together && !parts.iter().all(is_not)
        {
            return self.negation(x);
        }
        let start = self.truth(!together);
        parts.into_iter().fold(start, |all, part| {
            let not = self.not(part);
            if together { self.or(all, not) } else { self.and(all, not) }
        })
    }

    /// A conjunction or disjunction of truth values with a common condition, rebuilt from its
    /// table. The expression branches on the conditions in the order of their computation, and
    /// skips irrelevant ones.
    pub(super) fn by_table(&mut self, op: Binary, a: ExprId, b: ExprId) -> Option<ExprId> {
        if self.tabled {
            return None;
        }
        let mut tables = Tables::default();
        let first = tables.of(self, a)?;
        let second = tables.of(self, b)?;
        let possible = self.possible(&tables.conditions);
        let table = if op == Binary::And { first & second } else { first | second };
        let is = |other: u64| (table ^ other) & possible == 0;
        if is(0) || is(u64::MAX) {
            return Some(self.truth(!is(0)));
        }
        if is(first) || is(second) {
            return Some(if is(first) { a } else { b });
        }
        if !tables.repeats && possible == u64::MAX {
            return None;
        }
        let mut conditions: Vec<(ExprId, usize)> = tables.conditions.into_iter().zip(0..).collect();
        conditions.sort_unstable();
        self.tabled = true;
        let whole = self.of_table(&conditions, table, possible);
        self.tabled = false;
        Some(whole)
    }

    /// The assignments without two true conditions that exclude each other.
    fn possible(&self, conditions: &[ExprId]) -> u64 {
        let mut possible = u64::MAX;
        for (at, &one) in conditions.iter().enumerate() {
            for (&other, column) in conditions[..at].iter().zip(COLUMNS) {
                if self.clash(one, other) {
                    possible &= !(COLUMNS[at] & column);
                }
            }
        }
        possible
    }

    /// Whether a truth value of a few literals may hold for one of several reasons.
    pub(super) fn is_choice(&self, x: ExprId) -> bool {
        let choice = |x: ExprId| match self.get(x) {
            Expr::Binary(op, ..) => op == Binary::Or,
            Expr::Unary(Unary::Not, a) => matches!(self.get(a), Expr::Binary(Binary::And, ..)),
            _ => false,
        };
        let literals = self.literals(x, MOST_ALTERNATIVES).unwrap_or_default();
        literals.into_iter().any(choice)
    }

    /// A disjunction without the negation of one side in the other: `x or (not x and y)` is `x or
    /// y`, for each of many alternatives of a side.
    pub(super) fn beside(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        for (one, other) in [(a, b), (b, a)] {
            let alternatives = self.alternatives(one);
            let literals = self.literals(other, MOST_ALTERNATIVES)?;
            let denied = |arena: &mut Self, literal: ExprId| {
                let not = arena.not(literal);
                not == one || alternatives.contains(&not)
            };
            let kept: Truths =
                literals.iter().copied().filter(|&literal| !denied(self, literal)).collect();
            if kept.len() < literals.len() {
                let always = self.truth(true);
                let rest = kept.into_iter().fold(always, |all, literal| self.and(all, literal));
                return Some(self.or(one, rest));
            }
        }
        None
    }

    /// The operands of a disjunction.
    fn alternatives(&self, x: ExprId) -> Truths {
        let (mut out, mut stack) = (Truths::new(), Truths::from_slice(&[x]));
        while let Some(x) = stack.pop() {
            match self.get(x) {
                Expr::Binary(Binary::Or, a, b) if self.width(x) == 1 => stack.extend([a, b]),
                _ => out.push(x),
            }
            if out.len() > MOST_ALTERNATIVES {
                break;
            }
        }
        out
    }

    /// The truth value of a table restricted to possible assignments, by one condition after the
    /// other.
    fn of_table(
        &mut self,
        conditions: &[(ExprId, usize)],
        mut table: u64,
        mut possible: u64,
    ) -> ExprId {
        for (rest, &(condition, at)) in conditions.iter().enumerate() {
            if table & possible == 0 {
                return self.truth(false);
            }
            if !table & possible == 0 {
                return self.truth(true);
            }
            let (then, otherwise) = (if_true(table, at), if_false(table, at));
            let (may, may_not) = (if_true(possible, at), if_false(possible, at));
            if (then ^ otherwise) & may & may_not == 0 {
                table = (then & may) | (otherwise & may_not);
                possible = may | may_not;
                continue;
            }
            let later = &conditions[rest + 1..];
            let then = self.of_table(later, then, may);
            let otherwise = self.of_table(later, otherwise, may_not);
            return self.ite(condition, then, otherwise);
        }
        self.truth(table & possible != 0)
    }
}

/// The table with a condition fixed to true.
fn if_true(table: u64, at: usize) -> u64 {
    let kept = table & COLUMNS[at];
    kept | kept >> (1 << at)
}

/// The table with a condition fixed to false.
fn if_false(table: u64, at: usize) -> u64 {
    let kept = table & !COLUMNS[at];
    kept | kept << (1 << at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::AccessId;
    use proptest::prelude::*;

    /// Random truth values of four conditions.
    #[derive(Clone, Debug)]
    enum Tree {
        Condition(usize),
        Not(Box<Tree>),
        And(Box<Tree>, Box<Tree>),
        Or(Box<Tree>, Box<Tree>),
    }

    fn tree() -> impl Strategy<Value = Tree> {
        (0..4_usize).prop_map(Tree::Condition).prop_recursive(5, 24, 2, |inner| {
            prop_oneof![
                inner.clone().prop_map(|a| Tree::Not(Box::new(a))),
                (inner.clone(), inner.clone())
                    .prop_map(|(a, b)| Tree::And(Box::new(a), Box::new(b))),
                (inner.clone(), inner).prop_map(|(a, b)| Tree::Or(Box::new(a), Box::new(b))),
            ]
        })
    }

    fn build(
        arena: &mut ExprArena,
        tree: &Tree,
        condition: &impl Fn(&mut ExprArena, usize) -> ExprId,
    ) -> ExprId {
        match tree {
            Tree::Condition(at) => condition(arena, *at),
            Tree::Not(a) => {
                let a = build(arena, a, condition);
                arena.not(a)
            }
            Tree::And(a, b) => {
                let (a, b) = (build(arena, a, condition), build(arena, b, condition));
                arena.and(a, b)
            }
            Tree::Or(a, b) => {
                let (a, b) = (build(arena, a, condition), build(arena, b, condition));
                arena.or(a, b)
            }
        }
    }

    fn holds(tree: &Tree, given: u32) -> bool {
        match tree {
            Tree::Condition(at) => given >> at & 1 == 1,
            Tree::Not(a) => !holds(a, given),
            Tree::And(a, b) => holds(a, given) && holds(b, given),
            Tree::Or(a, b) => holds(a, given) || holds(b, given),
        }
    }

    proptest! {
        /// As below, of conditions that exclude each other.
        #[test]
        fn what_excludes_each_other_is_known(tree in tree()) {
            let mut arena = ExprArena::default();
            let x = arena.leaf(Expr::Read(AccessId::new(0)), 8);
            let equals = |arena: &mut ExprArena, at: usize| {
                let number = arena.number(at as u128, 8);
                arena.equal(x, number)
            };
            let built = build(&mut arena, &tree, &equals);
            // Of the conditions, the first four values make one each hold, and the fifth none.
            let truths: Vec<bool> = [1, 2, 4, 8, 0].map(|given| holds(&tree, given)).to_vec();
            for (value, &truth) in (0..).zip(&truths) {
                let of = crate::program::value::evaluate(&arena, built, &|_| Some(value));
                prop_assert_eq!(of, Some(u128::from(truth)));
            }
            let same = truths.iter().all(|truth| *truth == truths[0]);
            prop_assert_eq!(arena.constant(built).is_some(), same);
        }

        /// Simplified truth values mean the same, and mention no condition that does not matter.
        #[test]
        fn only_conditions_that_matter_are_mentioned(tree in tree()) {
            let mut arena = ExprArena::default();
            let read =
                |arena: &mut ExprArena, at| arena.leaf(Expr::Read(AccessId::new(at)), 1);
            let built = build(&mut arena, &tree, &read);
            for given in 0..16 {
                let leaf = |leaf: Expr| match leaf {
                    Expr::Read(at) => Some(u128::from(given >> at.index() & 1)),
                    _ => None,
                };
                let value = crate::program::value::evaluate(&arena, built, &leaf);
                prop_assert_eq!(value, Some(u128::from(holds(&tree, given))));
            }
            for leaf in arena.leaves(built) {
                let Expr::Read(at) = leaf else { continue };
                let flips = |given: u32| holds(&tree, given) != holds(&tree, given ^ 1 << at.index());
                prop_assert!((0..16).any(flips), "{:?} does not matter", leaf);
            }
        }
    }
}
