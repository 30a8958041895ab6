//! The parts of expressions, and expressions with some of them replaced.

use super::expr::{Expr, ExprArena};
use crate::id::ExprId;
use rustc_hash::{FxHashMap, FxHashSet};

impl ExprArena {
    /// All parts of some expressions, each once, operands before what they are operands of.
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

    /// The leaves that a value is made of, each once and sorted.
    #[must_use]
    pub fn leaves(&self, root: ExprId) -> Vec<Expr> {
        let parts = self.parts(&[root]).into_iter();
        let mut leaves: Vec<Expr> = parts.map(|x| self.get(x)).filter(|x| x.is_leaf()).collect();
        leaves.sort_unstable();
        leaves
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

    /// An expression where some truth values are known.
    pub fn decided(&mut self, root: ExprId, known: &[(ExprId, bool)]) -> ExprId {
        self.replace(root, |exprs, part| {
            let &(_, holds) = known.iter().find(|&&(condition, _)| condition == part)?;
            Some(exprs.truth(holds))
        })
    }

    /// An expression of other operands, simplified again. All its operands have to be `known`; what takes
    /// the place of one has its width.
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
