//! Evaluation of expressions under a partial assignment of their leaves.

use super::expr::{Binary, Expr, ExprArena, apply};
use super::unary::apply_unary;
use crate::id::ExprId;
use crate::ptx::bits::{mask, signed};
use rustc_hash::FxHashMap;

/// Values of expressions, filled in as leaves become known; unknown ones are `None`.
///
/// An expression may be known before all of its leaves are: a conjunction with a false side, a
/// choice whose condition is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    values: Vec<Option<u128>>,
}

impl Values {
    /// Evaluates all expressions of `arena`, in one pass over it; `leaf` gives the value of leaves.
    pub fn compute(&mut self, arena: &ExprArena, leaf: impl Fn(Expr) -> Option<u128>) {
        self.values.clear();
        for index in 0..arena.len() {
            let value = step(arena, ExprId::new(index), &self.values, &leaf);
            self.values.push(value);
        }
    }

    /// Evaluates the expressions listed in `order`, operands before users; other expressions stay
    /// unknown. An unknown expression takes the value that `assumed` gives, if any.
    pub fn compute_some(
        &mut self,
        arena: &ExprArena,
        order: &[ExprId],
        assumed: &FxHashMap<ExprId, bool>,
        leaf: impl Fn(Expr) -> Option<u128>,
    ) {
        self.values.resize(arena.len(), None);
        for &id in order {
            let value = step(arena, id, &self.values, &leaf);
            self.values[id.index()] = match value {
                None if !assumed.is_empty() => assumed.get(&id).map(|&truth| u128::from(truth)),
                known => known,
            };
        }
    }

    /// Whether the value of `id` follows from the values of its operands or is the value of a leaf.
    /// Any other value is unknown or assumed.
    pub fn follows(
        &self,
        arena: &ExprArena,
        id: ExprId,
        leaf: impl Fn(Expr) -> Option<u128>,
    ) -> bool {
        step(arena, id, &self.values, &leaf).is_some()
    }

    /// The value of `id`, if it is known.
    #[must_use]
    pub fn get(&self, id: ExprId) -> Option<u128> {
        self.values.get(id.index()).copied().flatten()
    }

    /// Whether `id` holds, even if some leaves are unknown because their events do not happen. The
    /// condition then does not depend on these leaves semantically, though it may mention them.
    #[must_use]
    pub fn holds(&self, arena: &ExprArena, id: ExprId) -> bool {
        self.truth(id).unwrap_or_else(|| {
            let mut values = self.values.clone();
            for x in arena.parts(&[id]) {
                let known = values[x.index()];
                values[x.index()] = known.or_else(|| step(arena, x, &values, &|_| Some(0)));
            }
            values[id.index()] == Some(1)
        })
    }

    /// The truth value of `id`, if it is known.
    #[must_use]
    pub fn truth(&self, id: ExprId) -> Option<bool> {
        self.get(id).map(|v| v != 0)
    }
}

/// An expression with all its parts, for repeated evaluation.
#[derive(Clone, Debug)]
pub struct Slice {
    order: Vec<ExprId>,
}

impl Slice {
    /// The slice of an expression.
    #[must_use]
    pub fn new(arena: &ExprArena, root: ExprId) -> Self {
        Self { order: arena.parts(&[root]) }
    }

    /// The leaves, in order.
    pub fn leaves<'a>(&'a self, arena: &'a ExprArena) -> impl Iterator<Item = Expr> + 'a {
        self.order.iter().map(|&x| arena.get(x)).filter(|x| x.is_leaf())
    }

    /// The value of the expression; `scratch` is a buffer that calls share.
    pub fn evaluate(
        &self,
        arena: &ExprArena,
        scratch: &mut Vec<Option<u128>>,
        leaf: impl Fn(Expr) -> Option<u128>,
    ) -> Option<u128> {
        scratch.resize(arena.len(), None);
        let mut last = None;
        for &id in &self.order {
            last = step(arena, id, scratch, &leaf);
            scratch[id.index()] = last;
        }
        last
    }
}

/// The value of one expression, from its leaves up.
#[must_use]
pub fn evaluate(
    arena: &ExprArena,
    root: ExprId,
    leaf: &impl Fn(Expr) -> Option<u128>,
) -> Option<u128> {
    match arena.constant(root) {
        Some(bits) => Some(bits),
        None => Slice::new(arena, root).evaluate(arena, &mut Vec::new(), leaf),
    }
}

/// The value of one expression, given the values of its operands in `values`.
fn step(
    arena: &ExprArena,
    id: ExprId,
    values: &[Option<u128>],
    leaf: &impl Fn(Expr) -> Option<u128>,
) -> Option<u128> {
    let width = arena.width(id);
    let of = |x: ExprId| values[x.index()];
    match arena.get(id) {
        Expr::Const(bits) => Some(bits),
        expr @ (Expr::Read(_)
        | Expr::Mbarrier(_)
        | Expr::Symbol(_)
        | Expr::Final(_)
        | Expr::Barrier(_)) => leaf(expr),
        Expr::Unary(op, a) => of(a).map(|v| apply_unary(op, v, width)),
        Expr::Binary(op, a, b) => match (of(a), of(b)) {
            (Some(x), Some(y)) => Some(apply(op, x, y, arena.width(a))),
            (Some(0), None) | (None, Some(0)) if matches!(op, Binary::And | Binary::Mul) => Some(0),
            (Some(x), None) | (None, Some(x)) if op == Binary::Or && x == mask(width) => Some(x),
            _ => None,
        },
        Expr::Ite(c, t, e) => match of(c) {
            Some(0) => of(e),
            Some(_) => of(t),
            None => match (of(t), of(e)) {
                (Some(x), Some(y)) if x == y => Some(x),
                _ => None,
            },
        },
        Expr::Extract(a, low) => of(a).map(|v| (v >> low) & mask(width)),
        Expr::Concat(high, low) => Some((of(high)? << arena.width(low)) | of(low)?),
        Expr::ZeroExtend(a) => of(a),
        Expr::SignExtend(a) => of(a).map(|v| (signed(v, arena.width(a)) as u128) & mask(width)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::AccessId;

    #[test]
    fn guards_of_both_arms_meet_again() {
        let mut arena = ExprArena::default();
        let x = arena.leaf(Expr::Read(AccessId::new(0)), 32);
        let y = arena.leaf(Expr::Read(AccessId::new(1)), 32);
        let (zero, one) = (arena.number(0, 32), arena.number(1, 32));
        let (p, q) = (arena.equal(x, zero), arena.equal(y, one));
        let not_q = arena.not(q);
        let (then, other) = (arena.and(p, q), arena.and(p, not_q));
        assert_eq!(arena.or(then, other), p);
        let one_too = arena.equal(x, one);
        let both = arena.and(p, one_too);
        assert!(arena.is_false(both));
    }
}
