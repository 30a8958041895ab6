//! The order in which a program first uses conditions in branches, predicates and selections. Writes
//! are split by conditions in this order ([`super::disjuncts`]).

use crate::id::ExprId;
use crate::program::expr::{Binary, Expr, ExprArena, Unary};
use rustc_hash::FxHashMap;

/// The age of a condition: the number of conditions used before its first use, then its expression.
/// Conditions that are used together rank by when they were computed, since an earlier expression
/// has the smaller id.
pub(super) type FirstUse = (usize, ExprId);

/// The conditions that a program has used so far.
#[derive(Debug, Default)]
pub(super) struct Uses {
    /// The parts of conditions, each with the number of parts that the program has used before.
    first: FxHashMap<ExprId, usize>,
    /// The ages of conditions that decisions have rewritten from others.
    rewritten: FxHashMap<ExprId, FirstUse>,
}

impl Uses {
    /// Notes the parts of a condition when the program uses it.
    pub(super) fn note(&mut self, exprs: &ExprArena, condition: ExprId) {
        let noted_before = self.first.len();
        let mut stack = vec![condition];
        while let Some(x) = stack.pop() {
            let (x, _) = positive(exprs, x);
            if exprs.constant(x).is_some() || self.first.contains_key(&x) {
                continue;
            }
            self.first.insert(x, noted_before);
            if let Expr::Binary(Binary::And | Binary::Or, a, b) = exprs.get(x)
                && exprs.width(x) == 1
            {
                stack.extend([a, b]);
            }
        }
    }

    /// The age of a condition: its first use and its computation, or the age of the condition from
    /// which it was rewritten.
    pub(super) fn age(&self, condition: ExprId) -> FirstUse {
        let used = self.first.get(&condition).copied().unwrap_or(usize::MAX);
        self.rewritten.get(&condition).copied().unwrap_or((used, condition))
    }

    /// Notes that a decision has rewritten one condition into another one, which keeps the older age.
    pub(super) fn note_rewritten(&mut self, from: ExprId, to: ExprId) {
        let age = self.age(from).min(self.age(to));
        self.rewritten.insert(to, age);
    }

    /// Forgets the rewritten conditions, which belong to the splitting of one write.
    pub(super) fn forget_rewritten(&mut self) {
        self.rewritten.clear();
    }
}

/// The condition of a literal, and whether the literal affirms it.
pub(super) fn positive(exprs: &ExprArena, literal: ExprId) -> (ExprId, bool) {
    match exprs.get(literal) {
        Expr::Unary(Unary::Not, inner) => (inner, false),
        _ => (literal, true),
    }
}
