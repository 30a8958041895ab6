//! Sums and bitwise operations whose operands cancel. The result does not depend on cancelled
//! operands, so that no out-of-thin-air value comes through them (PTX-8.10.4).

use super::expr::{Binary, Expr, ExprArena, Unary};
use crate::id::ExprId;
use crate::ptx::bits::mask;

/// The most sums, differences and other expressions in one sum.
const MOST_PARTS: u32 = 32;

/// A sum of a constant and of multiples of expressions that are no sums.
#[derive(Debug, Default)]
struct Sum {
    /// The terms; a factor is zero if the expression has cancelled.
    terms: Vec<(ExprId, u128)>,
    constant: u128,
    /// The number of expressions visited so far.
    parts: u32,
}

impl Sum {
    /// Adds a multiple of an expression; false if that takes too many parts.
    fn add(&mut self, arena: &ExprArena, x: ExprId, factor: u128, width: u32) -> bool {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return false;
        }
        let factor = factor & mask(width);
        if let Some(number) = arena.constant(x) {
            self.constant = self.constant.wrapping_add(number.wrapping_mul(factor));
            return true;
        }
        match arena.get(x) {
            Expr::Binary(Binary::Add, a, b) => {
                self.add(arena, a, factor, width) && self.add(arena, b, factor, width)
            }
            Expr::Binary(Binary::Sub, a, b) => {
                self.add(arena, a, factor, width)
                    && self.add(arena, b, factor.wrapping_neg(), width)
            }
            Expr::Unary(Unary::Neg, a) => self.add(arena, a, factor.wrapping_neg(), width),
            // The complement of a number is one less than its negation.
            Expr::Unary(Unary::Not, a) => {
                self.constant = self.constant.wrapping_sub(factor);
                self.add(arena, a, factor.wrapping_neg(), width)
            }
            _ => {
                match self.terms.iter_mut().find(|(term, _)| *term == x) {
                    Some((_, known)) => *known = known.wrapping_add(factor) & mask(width),
                    None => self.terms.push((x, factor)),
                }
                true
            }
        }
    }
}

impl ExprArena {
    /// `a + b` or `a - b` without cancelled terms, if any cancel.
    pub(super) fn cancelled_sum(&mut self, op: Binary, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        let sign = match op {
            Binary::Add => 1,
            Binary::Sub => u128::MAX,
            _ => return None,
        };
        let mut sum = Sum::default();
        let small = sum.add(self, a, 1, width) && sum.add(self, b, sign, width);
        let gone = sum.terms.iter().any(|&(_, factor)| factor == 0);
        if !small || !gone {
            return None;
        }
        let mut out = self.number(sum.constant, width);
        for (term, factor) in sum.terms.into_iter().filter(|&(_, factor)| factor != 0) {
            let factor = self.number(factor, width);
            let product = self.binary(Binary::Mul, term, factor);
            out = self.binary(Binary::Add, product, out);
        }
        Some(out)
    }

    /// A bitwise operation with operands that cancel. They are an expression and its complement, or
    /// an expression that the other side has in an exclusive or.
    pub(super) fn cancelled_bits(&mut self, op: Binary, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        let complement = |x, y| self.get(x) == Expr::Unary(Unary::Not, y);
        if complement(a, b) || complement(b, a) {
            return match op {
                Binary::And => Some(self.number(0, width)),
                Binary::Or | Binary::Xor => Some(self.number(mask(width), width)),
                _ => None,
            };
        }
        if op != Binary::Xor {
            return None;
        }
        let other = |whole, part| match self.get(whole) {
            Expr::Binary(Binary::Xor, x, y) if x == part => Some(y),
            Expr::Binary(Binary::Xor, x, y) if y == part => Some(x),
            _ => None,
        };
        other(a, b).or_else(|| other(b, a))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::AccessId;
    use crate::program::expr::apply;
    use crate::program::value::evaluate;
    use proptest::prelude::*;
    use proptest::sample::select;

    const WIDTH: u32 = 8;

    /// An expression as it is written, before anything is simplified.
    #[derive(Clone, Debug)]
    enum Tree {
        Read(usize),
        Number(u128),
        Not(Box<Tree>),
        Neg(Box<Tree>),
        Binary(Binary, Box<Tree>, Box<Tree>),
    }

    fn trees() -> impl Strategy<Value = Tree> {
        use Binary::{AShr, Add, And, LShr, Mul, Or, SRem, Shl, Sub, UDiv, URem, Xor};
        let number = select(&[0_u128, 1, 2, 7, 8, 0x0F, 0xF0, 0xFF][..]).prop_map(Tree::Number);
        let leaf = prop_oneof![3 => (0..2_usize).prop_map(Tree::Read), 1 => number];
        leaf.prop_recursive(5, 24, 2, |inner| {
            let all = [Add, Sub, Add, Sub, Xor, And, Or, Mul, Shl, LShr, AShr, UDiv, URem, SRem];
            let both = (select(all.to_vec()), inner.clone(), inner.clone());
            prop_oneof![
                1 => inner.clone().prop_map(|x| Tree::Not(Box::new(x))),
                1 => inner.prop_map(|x| Tree::Neg(Box::new(x))),
                6 => both.prop_map(|(op, a, b)| Tree::Binary(op, Box::new(a), Box::new(b))),
            ]
        })
    }

    fn build(arena: &mut ExprArena, tree: &Tree) -> ExprId {
        match tree {
            Tree::Read(n) => arena.leaf(Expr::Read(AccessId::new(*n)), WIDTH),
            Tree::Number(n) => arena.number(*n, WIDTH),
            Tree::Not(x) => {
                let x = build(arena, x);
                arena.not(x)
            }
            Tree::Neg(x) => {
                let x = build(arena, x);
                arena.neg(x)
            }
            Tree::Binary(op, a, b) => {
                let (a, b) = (build(arena, a), build(arena, b));
                arena.binary(*op, a, b)
            }
        }
    }

    fn value(tree: &Tree, reads: [u128; 2]) -> u128 {
        match tree {
            Tree::Read(n) => reads[*n],
            Tree::Number(n) => *n,
            Tree::Not(x) => !value(x, reads) & mask(WIDTH),
            Tree::Neg(x) => value(x, reads).wrapping_neg() & mask(WIDTH),
            Tree::Binary(op, a, b) => apply(*op, value(a, reads), value(b, reads), WIDTH),
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn simplified_expressions_have_the_same_value(
            tree in trees(), x in 0..256_u128, y in 0..256_u128,
        ) {
            let mut arena = ExprArena::default();
            let simple = build(&mut arena, &tree);
            let leaf = |leaf| match leaf {
                Expr::Read(access) => Some([x, y][access.index()]),
                _ => None,
            };
            prop_assert_eq!(evaluate(&arena, simple, &leaf), Some(value(&tree, [x, y])));
        }
    }

    #[test]
    fn what_cancels_out_is_gone() {
        let mut arena = ExprArena::default();
        let x = arena.leaf(Expr::Read(AccessId::new(0)), 32);
        let y = arena.leaf(Expr::Read(AccessId::new(1)), 32);
        let five = arena.number(5, 32);
        let above = arena.binary(Binary::Add, x, five);
        assert_eq!(arena.binary(Binary::Sub, above, x), five);
        let both = arena.binary(Binary::Add, x, y);
        assert_eq!(arena.binary(Binary::Sub, both, x), y);
        let complement = arena.not(x);
        let ones = arena.number(mask(32), 32);
        assert_eq!(arena.binary(Binary::Add, x, complement), ones);
        assert_eq!(arena.binary(Binary::Or, x, complement), ones);
        let mixed = arena.binary(Binary::Xor, x, y);
        assert_eq!(arena.binary(Binary::Xor, mixed, x), y);
    }
}
