//! Must-dependence: the reads that a value comes from in every disjunct.
//!
//! A stored value depends on the reads of its disjunct ([`super::disjuncts`]), and a disjunct
//! decides conditions: each condition is replaced by its truth value, and the expression is
//! simplified. A read is therefore a must-dependence of a value if no decision removes the read,
//! except a decision that depends on the read itself.

use crate::id::ExprId;
use crate::program::expr::{Binary, Expr, ExprArena};
use rustc_hash::FxHashMap;

/// The analysis result for an expression.
#[derive(Clone, Debug, Default)]
struct Dependence {
    /// Whether no part is a truth value, so that no decision changes the expression.
    is_fixed: bool,
    sources: Vec<Expr>,
}

/// The reads and barrier results that an expression depends on whatever is decided, directly or
/// through the decisions.
pub(super) fn sure_sources(exprs: &ExprArena, value: ExprId) -> Vec<Expr> {
    let mut known: FxHashMap<ExprId, Dependence> = FxHashMap::default();
    for part in exprs.parts(&[value]) {
        let found = of_part(exprs, part, &known);
        known.insert(part, found);
    }
    known.remove(&value).unwrap_or_default().sources
}

fn of_part(exprs: &ExprArena, part: ExprId, known: &FxHashMap<ExprId, Dependence>) -> Dependence {
    let of = |x: ExprId| &known[&x];
    let sources = |x: ExprId| of(x).sources.iter().copied();
    let both = |a: ExprId, b: ExprId| -> Vec<Expr> {
        sources(a).filter(|source| of(b).sources.contains(source)).collect()
    };
    let operands = exprs.operands(part);
    let is_fixed = operands.iter().all(|&x| of(x).is_fixed && exprs.width(x) > 1);
    let mut sources: Vec<Expr> = match exprs.get(part) {
        leaf @ (Expr::Read(_) | Expr::Barrier(_)) => vec![leaf],
        _ if is_fixed => operands.iter().flat_map(|&x| sources(x)).collect(),
        // A decision that removes the condition also removes the choice between the two.
        Expr::Ite(condition, then, otherwise) => {
            let mut all = both(then, otherwise);
            if of(then).is_fixed && of(otherwise).is_fixed {
                all.extend(sources(condition));
            }
            all
        }
        // One of the operands may be enough.
        Expr::Binary(Binary::And | Binary::Or, a, b)
            if exprs.width(part) == 1 && of(a).is_fixed && of(b).is_fixed =>
        {
            both(a, b)
        }
        Expr::Unary(_, a) | Expr::ZeroExtend(a) | Expr::SignExtend(a) => sources(a).collect(),
        // With one operand decided, the others may drop out.
        _ => Vec::new(),
    };
    sources.sort_unstable();
    sources.dedup();
    Dependence { is_fixed, sources }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::AccessId;

    #[test]
    fn a_read_that_a_decision_removes_is_not_sure() {
        let mut exprs = ExprArena::default();
        let [x, y, z] = [0, 1, 2].map(|at| Expr::Read(AccessId::new(at)));
        let [a, b, c] = [x, y, z].map(|read| exprs.leaf(read, 32));
        let (zero, one) = (exprs.number(0, 32), exprs.number(1, 32));
        let condition = exprs.equal(c, one);

        let sum = exprs.binary(Binary::Add, a, b);
        assert_eq!(sure_sources(&exprs, sum), [x, y]);
        let choice = exprs.ite(condition, a, b);
        assert_eq!(sure_sources(&exprs, choice), [z]);
        let common = exprs.ite(condition, a, sum);
        assert_eq!(sure_sources(&exprs, common), [x, z]);

        let factor = exprs.ite(condition, zero, one);
        let product = exprs.binary(Binary::Mul, a, factor);
        assert_eq!(sure_sources(&exprs, product), []);
        let difference = exprs.binary(Binary::Sub, a, choice);
        assert_eq!(sure_sources(&exprs, difference), []);
        let outer = exprs.equal(b, one);
        let same = exprs.ite(outer, a, choice);
        assert_eq!(sure_sources(&exprs, same), []);
    }
}
