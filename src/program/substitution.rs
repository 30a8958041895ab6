//! The parts of expressions, and substitution of parts.

use super::expr::{Expr, ExprArena};
use crate::id::ExprId;
use rustc_hash::{FxHashMap, FxHashSet};

impl ExprArena {
    /// All parts of some expressions, each once, operands before users.
    #[must_use]
    pub fn parts(&self, roots: &[ExprId]) -> Vec<ExprId> {
        let (mut seen, mut stack) = (FxHashSet::default(), roots.to_vec());
        while let Some(x) = stack.pop() {
            if seen.insert(x) {
                stack.extend(self.operands(x));
            }
        }
        let mut parts: Vec<ExprId> = seen.into_iter().collect();
        parts.sort_unstable();
        parts
    }

    /// The leaves of a value, each once and sorted.
    #[must_use]
    pub fn leaves(&self, root: ExprId) -> Vec<Expr> {
        let parts = self.parts(&[root]).into_iter();
        let mut leaves: Vec<Expr> = parts.map(|x| self.get(x)).filter(|x| x.is_leaf()).collect();
        leaves.sort_unstable();
        leaves
    }

    /// An expression with the parts that `replaced` maps replaced, simplified again.
    ///
    /// A replacement has the width of its part.
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

    /// An expression simplified by known truth values.
    pub fn decided(&mut self, root: ExprId, known: &[(ExprId, bool)]) -> ExprId {
        self.replace(root, |exprs, part| {
            let &(_, holds) = known.iter().find(|&&(condition, _)| condition == part)?;
            Some(exprs.truth(holds))
        })
    }

    /// An expression with its operands replaced, simplified again. All operands have to be `known`;
    /// a replacement has the width of its operand.
    pub(crate) fn rebuilt(&mut self, x: ExprId, known: &FxHashMap<ExprId, ExprId>) -> ExprId {
        let width = self.width(x);
        match self.get(x) {
            Expr::Const(_)
            | Expr::Read(_)
            | Expr::Mbarrier(_)
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
