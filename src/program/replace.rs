//! Expressions with some of their parts replaced.

use super::expr::{Expr, ExprArena};
use crate::id::ExprId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

impl ExprArena {
    /// All parts of some expressions, operands before what they are operands of.
    pub fn parts(&self, roots: &[ExprId]) -> BTreeSet<ExprId> {
        let (mut parts, mut stack) = (BTreeSet::new(), roots.to_vec());
        while let Some(x) = stack.pop() {
            if parts.insert(x) {
                stack.extend(self.operands(x));
            }
        }
        parts
    }

    /// An expression in which the parts that `replaced` knows are replaced, simplified again.
    ///
    /// What takes the place of a part has its width.
    pub fn replace(
        &mut self,
        root: ExprId,
        replaced: impl Fn(&mut Self, ExprId) -> Option<ExprId>,
    ) -> ExprId {
        if self.constant(root).is_some() {
            return root;
        }
        let mut known: FxHashMap<ExprId, ExprId> = FxHashMap::default();
        for x in self.parts(&[root]) {
            let new = match replaced(self, x) {
                Some(new) => new,
                None if self.operands(x).iter().all(|a| known[a] == *a) => x,
                None => self.rebuilt(x, &known),
            };
            known.insert(x, new);
        }
        known[&root]
    }

    /// An expression of other operands.
    fn rebuilt(&mut self, x: ExprId, known: &FxHashMap<ExprId, ExprId>) -> ExprId {
        let width = self.width(x);
        match self.get(x) {
            Expr::Const(_)
            | Expr::Read(_)
            | Expr::Symbol(_)
            | Expr::Final(_)
            | Expr::Barrier(_) => x,
            Expr::Unary(op, a) => self.unary(op, known[&a]),
            Expr::Binary(op, a, b) => self.binary(op, known[&a], known[&b]),
            Expr::Ite(c, t, e) => self.ite(known[&c], known[&t], known[&e]),
            Expr::Extract(a, low) => self.extract(known[&a], low, width),
            Expr::Concat(high, low) => self.concat(known[&high], known[&low]),
            Expr::ZeroExtend(a) => self.zero_extend(known[&a], width),
            Expr::SignExtend(a) => self.sign_extend(known[&a], width),
        }
    }
}
