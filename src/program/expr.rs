//! Hash-consed bit-vector expressions, for registers, guards and stored values.
//!
//! Widths run from 1 (truth values) to 128 bits. Equal expressions have equal ids. Construction
//! folds constants and a short list of identities; guards are kept as conjunctions of literals, so
//! that the guards of a branch's two arms join to the guard before it.

use super::float::{self, Function};
use super::known_bits::{self, KnownBits};
use crate::id::{AccessId, BarrierId, ExprId, LocId, SymbolId};
use crate::ptx::bits::{mask, signed};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A function of one argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unary {
    /// Bitwise complement; negation of truth values.
    Not,
    /// Two's complement.
    Neg,
    /// The number of set bits.
    PopCount,
    /// The number of zero bits above the highest set one; of zero, the width.
    LeadingZeros,
    /// The bits in the opposite order.
    Reverse,
}

/// A function of two arguments of one width; comparisons give one bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names are those of SMT-LIB's bit-vector theory")]
pub enum Binary {
    Add,
    Sub,
    Mul,
    /// Division by zero gives all ones, as in SMT-LIB; PTX leaves it unspecified.
    UDiv,
    SDiv,
    /// Remainder by zero gives the dividend.
    URem,
    SRem,
    And,
    Or,
    Xor,
    /// Amounts at or above the width give zero.
    Shl,
    LShr,
    AShr,
    Eq,
    ULt,
    SLt,
    /// A function of two floating-point numbers.
    Float(Function),
}

impl Binary {
    /// Whether the result is a truth value.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        matches!(self, Self::Eq | Self::ULt | Self::SLt)
    }

    /// Whether the arguments may be exchanged.
    #[must_use]
    pub fn commutes(self) -> bool {
        matches!(
            self,
            Self::Add | Self::Float(..) | Self::Mul | Self::And | Self::Or | Self::Xor | Self::Eq
        )
    }
}

/// One expression; operands are earlier in the arena.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Expr {
    /// A constant, in the low bits.
    Const(u128),
    /// The value that a read access returns.
    Read(AccessId),
    /// Whether a read access takes some of its bytes from an operation that leaves an mbarrier
    /// object there. Used only in conditions of misuses, not in values or guards.
    Mbarrier(AccessId),
    /// A value that the execution chooses.
    Symbol(SymbolId),
    /// The final value of a location piece.
    Final(LocId),
    /// The result of the `bar.red` at this index of the graph's barriers.
    Barrier(BarrierId),
    /// One argument.
    Unary(Unary, ExprId),
    /// Two arguments.
    Binary(Binary, ExprId, ExprId),
    /// The second if the first holds, else the third.
    Ite(ExprId, ExprId, ExprId),
    /// The bits from this one upwards, as many as the width.
    Extract(ExprId, u32),
    /// The first argument above the second.
    Concat(ExprId, ExprId),
    /// Zeros above.
    ZeroExtend(ExprId),
    /// Copies of the sign above.
    SignExtend(ExprId),
}

impl Expr {
    /// Whether the execution determines the value.
    #[must_use]
    pub fn is_leaf(self) -> bool {
        use Expr::{Barrier, Final, Mbarrier, Read, Symbol};
        matches!(self, Read(_) | Mbarrier(_) | Symbol(_) | Final(_) | Barrier(_))
    }
}

/// The most literals of a conjunction that are compared in a join.
const LITERALS: usize = 48;

/// The most nested choices in which a known condition is looked for.
const DEEPEST_CHOICE: u8 = 3;

/// The depth to which a condition is searched for deciding literals.
const DEEPEST_CONDITION: u8 = 8;

/// The most nested choices that are rewritten; chains of choices are as long as a program.
const DEEPEST_REWRITING: usize = 200;

/// A list of truth values, mostly short.
pub type Truths = SmallVec<[ExprId; 8]>;

/// All expressions of one event graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExprArena {
    nodes: Vec<Expr>,
    widths: Vec<u8>,
    bits: Vec<KnownBits>,
    known: FxHashMap<(Expr, u8), ExprId>,
    /// The number of nested rewritings in progress.
    depth: usize,
    /// Whether a truth table is being turned into an expression, whose parts need no tables of
    /// their own.
    pub(super) tabled: bool,
}

fn is_constant(expr: Expr) -> bool {
    matches!(expr, Expr::Const(_))
}

impl ExprArena {
    /// The expression behind `id`.
    #[must_use]
    pub fn get(&self, id: ExprId) -> Expr {
        self.nodes[id.index()]
    }

    /// The width of `id` in bits.
    #[must_use]
    pub fn width(&self, id: ExprId) -> u32 {
        u32::from(self.widths[id.index()])
    }

    /// The number of expressions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no expressions.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The constant behind `id`, if it is one.
    #[must_use]
    pub fn constant(&self, id: ExprId) -> Option<u128> {
        match self.get(id) {
            Expr::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// Whether `id` is the truth value true.
    #[must_use]
    pub fn is_true(&self, id: ExprId) -> bool {
        self.constant(id) == Some(1) && self.width(id) == 1
    }

    /// Whether `id` is the truth value false.
    #[must_use]
    pub fn is_false(&self, id: ExprId) -> bool {
        self.constant(id) == Some(0) && self.width(id) == 1
    }

    fn intern(&mut self, expr: Expr, width: u32) -> ExprId {
        let width = u8::try_from(width).expect("widths are at most 128 bits");
        if let Some(&id) = self.known.get(&(expr, width)) {
            return id;
        }
        let bits =
            known_bits::of(expr, u32::from(width), |x| (self.bits[x.index()], self.width(x)));
        if let (Some(value), false) = (bits.constant(u32::from(width)), is_constant(expr)) {
            let id = self.number(value, u32::from(width));
            self.known.insert((expr, width), id);
            return id;
        }
        let id = ExprId::new(self.nodes.len());
        self.nodes.push(expr);
        self.widths.push(width);
        self.bits.push(bits);
        self.known.insert((expr, width), id);
        id
    }

    /// A constant of `width` bits; higher bits of `bits` are dropped.
    pub fn number(&mut self, bits: u128, width: u32) -> ExprId {
        self.intern(Expr::Const(bits & mask(width)), width)
    }

    /// A truth value.
    pub fn truth(&mut self, value: bool) -> ExprId {
        self.number(u128::from(value), 1)
    }

    /// A leaf of `width` bits.
    pub fn leaf(&mut self, expr: Expr, width: u32) -> ExprId {
        self.intern(expr, width)
    }

    /// Bitwise complement, or negation of a truth value.
    pub fn not(&mut self, a: ExprId) -> ExprId {
        let width = self.width(a);
        match self.get(a) {
            Expr::Const(bits) => self.number(!bits, width),
            Expr::Unary(Unary::Not, inner) => inner,
            _ if width == 1 => self.denied(a),
            _ => self.intern(Expr::Unary(Unary::Not, a), width),
        }
    }

    /// The negation of a truth value, without simplification.
    pub(super) fn negation(&mut self, a: ExprId) -> ExprId {
        self.intern(Expr::Unary(Unary::Not, a), 1)
    }

    /// Two's complement.
    pub fn neg(&mut self, a: ExprId) -> ExprId {
        let width = self.width(a);
        match self.get(a) {
            Expr::Const(bits) => self.number(bits.wrapping_neg(), width),
            _ => self.intern(Expr::Unary(Unary::Neg, a), width),
        }
    }

    /// A function of two arguments of one width.
    pub fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        debug_assert_eq!(width, self.width(b), "operands of {op:?} differ in width");
        let out = if op.is_comparison() { 1 } else { width };
        if let (Some(x), Some(y)) = (self.constant(a), self.constant(b)) {
            return self.number(apply(op, x, y, width), out);
        }
        let (a, b) = if op.commutes()
            && (self.constant(a).is_some() || (a > b && self.constant(b).is_none()))
        {
            (b, a)
        } else {
            (a, b)
        };
        if let Some(simple) = self.identity(op, a, b) {
            return simple;
        }
        self.intern(Expr::Binary(op, a, b), out)
    }

    /// Whether a function of a choice is rewritten to a choice of functions. One of the arms must
    /// be constant, and the choice must not be nested too deeply. Both forms have the same meaning.
    fn is_rewritten(&self, t: ExprId, e: ExprId) -> bool {
        self.depth < DEEPEST_REWRITING && (self.constant(t).is_some() || self.constant(e).is_some())
    }

    /// Conjunction of two truth values.
    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Binary::And, a, b)
    }

    /// Disjunction of two truth values.
    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Binary::Or, a, b)
    }

    /// The condition that the second holds if the first does.
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let not = self.not(a);
        self.or(not, b)
    }

    /// Whether simplification shows that the second holds if the first does.
    pub fn implied(&mut self, a: ExprId, b: ExprId) -> bool {
        let not = self.not(b);
        let without = self.and(a, not);
        self.is_false(without)
    }

    /// Equality.
    pub fn equal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.binary(Binary::Eq, a, b)
    }

    /// The literals of a conjunction, sorted; `None` if there are more than `limit`.
    #[must_use]
    pub fn literals(&self, a: ExprId, limit: usize) -> Option<Truths> {
        let (mut out, mut stack) = (Truths::new(), Truths::from_slice(&[a]));
        while let Some(x) = stack.pop() {
            match self.get(x) {
                Expr::Binary(Binary::And, p, q) if self.width(x) == 1 => stack.extend([p, q]),
                _ => out.push(x),
            }
            if out.len() + stack.len() > limit {
                return None;
            }
        }
        out.sort_unstable();
        out.dedup();
        Some(out)
    }

    fn conjoin(&mut self, literals: &[ExprId]) -> ExprId {
        let mut all = self.truth(true);
        for &literal in literals {
            if self.is_true(all) {
                all = literal;
            } else {
                all = self.intern(Expr::Binary(Binary::And, all, literal), 1);
            }
        }
        all
    }

    /// Whether two literals contradict each other syntactically: one negates the other, or they
    /// equate one expression with different constants.
    #[must_use]
    pub fn clash(&self, a: ExprId, b: ExprId) -> bool {
        if self.get(a) == Expr::Unary(Unary::Not, b) || self.get(b) == Expr::Unary(Unary::Not, a) {
            return true;
        }
        match (self.get(a), self.get(b)) {
            (Expr::Binary(Binary::Eq, x, c), Expr::Binary(Binary::Eq, y, d)) => {
                x == y && c != d && self.constant(c).is_some() && self.constant(d).is_some()
            }
            _ => false,
        }
    }

    /// `e == k`, simplified by the form of e.
    pub(super) fn equals_constant(&mut self, a: ExprId, k: u128, width: u32) -> Option<ExprId> {
        // Long chains of constants are handled in one loop.
        let (mut x, mut rest) = (a, k);
        loop {
            match self.get(x) {
                Expr::Binary(op @ (Binary::Add | Binary::Xor), y, c) => {
                    let Some(c) = self.constant(c) else { break };
                    rest = if op == Binary::Add { rest.wrapping_sub(c) } else { rest ^ c };
                    x = y;
                }
                Expr::Unary(Unary::Not, y) => (x, rest) = (y, !rest),
                _ => break,
            }
        }
        if x != a {
            let rest = self.number(rest, width);
            return Some(self.binary(Binary::Eq, x, rest));
        }
        match self.get(a) {
            Expr::ZeroExtend(x) => {
                let inner = self.width(x);
                if k > mask(inner) {
                    return Some(self.truth(false));
                }
                if inner == 1 {
                    return Some(if k == 1 { x } else { self.not(x) });
                }
                let k = self.number(k, inner);
                Some(self.binary(Binary::Eq, x, k))
            }
            Expr::SignExtend(x) => {
                let inner = self.width(x);
                if (signed(k, width) as u128) & mask(width)
                    != (signed(k, inner) as u128) & mask(width)
                {
                    return Some(self.truth(false));
                }
                let k = self.number(k, inner);
                Some(self.binary(Binary::Eq, x, k))
            }
            Expr::Ite(c, t, e) if self.is_rewritten(t, e) => {
                self.depth += 1;
                let k = self.number(k, width);
                let then = self.binary(Binary::Eq, t, k);
                let other = self.binary(Binary::Eq, e, k);
                self.depth -= 1;
                Some(self.ite(c, then, other))
            }
            _ => None,
        }
    }

    pub(super) fn conjunction(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        for (x, y) in [(a, b), (b, a)] {
            match self.constant(x) {
                Some(0) => return Some(x),
                Some(_) => return Some(y),
                None => {}
            }
        }
        let left = self.literals(a, LITERALS)?;
        let right = self.literals(b, LITERALS)?;
        for &x in &left {
            if right.iter().any(|&y| self.clash(x, y)) {
                return Some(self.truth(false));
            }
        }
        let mut all = left;
        all.extend(right);
        all.sort_unstable();
        all.dedup();
        // Beside x, a literal `not (x and y)` becomes `not y`.
        let mut resolved = false;
        for at in 0..all.len() {
            let Expr::Unary(Unary::Not, inner) = self.get(all[at]) else { continue };
            let parts = self.literals(inner, LITERALS)?;
            let open: Truths = parts.iter().copied().filter(|p| !all.contains(p)).collect();
            if open.is_empty() {
                return Some(self.truth(false));
            }
            if open.len() < parts.len() {
                let open = self.conjoin(&open);
                all[at] = self.not(open);
                resolved = true;
            }
        }
        if resolved {
            if (0..all.len()).any(|x| all[..x].iter().any(|&y| self.clash(all[x], y))) {
                return Some(self.truth(false));
            }
            all.sort_unstable();
            all.dedup();
        }
        // A literal `x == c` makes `x != d` superfluous.
        let equalities: Truths = all
            .iter()
            .filter_map(|&l| match self.get(l) {
                Expr::Binary(Binary::Eq, x, c) if self.constant(c).is_some() => Some(x),
                _ => None,
            })
            .collect();
        all.retain(|&mut l| match self.get(l) {
            Expr::Unary(Unary::Not, inner) => match self.get(inner) {
                Expr::Binary(Binary::Eq, x, c) => {
                    self.constant(c).is_none() || !equalities.contains(&x)
                }
                _ => true,
            },
            _ => true,
        });
        Some(self.conjoin(&all))
    }

    pub(super) fn disjunction(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        for (x, y) in [(a, b), (b, a)] {
            match self.constant(x) {
                Some(0) => return Some(y),
                Some(_) => return Some(x),
                None => {}
            }
        }
        let left = self.literals(a, LITERALS)?;
        let right = self.literals(b, LITERALS)?;
        let only_left: Truths = left.iter().copied().filter(|l| !right.contains(l)).collect();
        let only_right: Truths = right.iter().copied().filter(|l| !left.contains(l)).collect();
        if only_left.is_empty() {
            return Some(a);
        }
        if only_right.is_empty() {
            return Some(b);
        }
        let common: Truths = left.into_iter().filter(|l| right.contains(l)).collect();
        let rest_left = self.conjoin(&only_left);
        let rest_right = self.conjoin(&only_right);
        if self.not(rest_left) == rest_right {
            return Some(self.conjoin(&common));
        }
        for (x, only) in [(rest_left, &only_right), (rest_right, &only_left)] {
            // common and (x or (not x and y)) is common and (x or y); keep the smaller form.
            let negated = self.not(x);
            if only.contains(&negated) {
                let kept: Truths = only.iter().copied().filter(|&l| l != negated).collect();
                let y = self.conjoin(&kept);
                let either = self.or(x, y);
                let common = self.conjoin(&common);
                return Some(self.and(common, either));
            }
        }
        if common.is_empty() {
            return None;
        }
        let either = self.or(rest_left, rest_right);
        let common = self.conjoin(&common);
        Some(self.and(common, either))
    }

    /// If `c` then `t` else `e`.
    pub fn ite(&mut self, c: ExprId, t: ExprId, e: ExprId) -> ExprId {
        let width = self.width(t);
        debug_assert_eq!(width, self.width(e), "a choice of values of one width");
        if let Some(c) = self.constant(c) {
            return if c == 1 { t } else { e };
        }
        if t == e {
            return t;
        }
        if let Expr::Unary(Unary::Not, inner) = self.get(c) {
            return self.ite(inner, e, t);
        }
        if width == 1 {
            let then = self.and(c, t);
            let negated = self.not(c);
            let other = self.and(negated, e);
            return self.or(then, other);
        }
        let t = self.chosen(t, c, DEEPEST_CHOICE);
        let not = self.not(c);
        let e = self.chosen(e, not, DEEPEST_CHOICE);
        if t == e {
            return t;
        }
        self.intern(Expr::Ite(c, t, e), width)
    }

    /// The value of a choice under a conjunction that decides its condition or makes both arms
    /// equal, to a limited depth.
    fn chosen(&self, choice: ExprId, given: ExprId, depth: u8) -> ExprId {
        if !matches!(self.get(choice), Expr::Ite(..)) {
            return choice;
        }
        let literals = self.literals(given, LITERALS);
        literals.map_or(choice, |literals| self.chosen_where(choice, &literals, depth))
    }

    /// As [`chosen`](Self::chosen), under these literals.
    fn chosen_where(&self, choice: ExprId, given: &[ExprId], depth: u8) -> ExprId {
        let Expr::Ite(condition, t, e) = self.get(choice) else { return choice };
        match self.truth_where(condition, given, DEEPEST_CONDITION) {
            Some(true) => return self.chosen_where(t, given, depth),
            Some(false) => return self.chosen_where(e, given, depth),
            None => {}
        }
        let Some(depth) = depth.checked_sub(1) else { return choice };
        let (t, e) = (self.chosen_where(t, given, depth), self.chosen_where(e, given, depth));
        if t == e { t } else { choice }
    }

    /// The truth of a condition under these literals, if decided by their occurrences.
    fn truth_where(&self, condition: ExprId, given: &[ExprId], depth: u8) -> Option<bool> {
        if given.contains(&condition) {
            return Some(true);
        }
        if given.iter().any(|&literal| self.clash(literal, condition)) {
            return Some(false);
        }
        let depth = depth.checked_sub(1)?;
        match self.get(condition) {
            Expr::Unary(Unary::Not, x) => Some(!self.truth_where(x, given, depth)?),
            Expr::Binary(op @ (Binary::And | Binary::Or), a, b) => {
                let decides = Some(op == Binary::Or);
                let a = self.truth_where(a, given, depth);
                if a == decides {
                    return a;
                }
                let b = self.truth_where(b, given, depth);
                if b == decides || a.is_some() { b } else { None }
            }
            _ => None,
        }
    }

    /// `width` bits of `a` from bit `low` upwards.
    pub fn extract(&mut self, a: ExprId, low: u32, width: u32) -> ExprId {
        let from = self.width(a);
        if low == 0 && width == from {
            return a;
        }
        match self.get(a) {
            Expr::Const(bits) => self.number(bits >> low, width),
            Expr::Extract(inner, start) => self.extract(inner, start + low, width),
            Expr::Concat(_, lower) if low + width <= self.width(lower) => {
                self.extract(lower, low, width)
            }
            Expr::Concat(upper, lower) if low >= self.width(lower) => {
                let skip = self.width(lower);
                self.extract(upper, low - skip, width)
            }
            Expr::ZeroExtend(inner) if low + width <= self.width(inner) => {
                self.extract(inner, low, width)
            }
            Expr::ZeroExtend(inner) if low >= self.width(inner) => self.number(0, width),
            Expr::ZeroExtend(inner) if low == 0 => self.zero_extend(inner, width),
            Expr::SignExtend(inner) if low + width <= self.width(inner) => {
                self.extract(inner, low, width)
            }
            Expr::SignExtend(inner) if low == 0 => self.sign_extend(inner, width),
            Expr::Ite(c, t, e) if self.is_rewritten(t, e) => {
                self.depth += 1;
                let t = self.extract(t, low, width);
                let e = self.extract(e, low, width);
                self.depth -= 1;
                self.ite(c, t, e)
            }
            _ => self.intern(Expr::Extract(a, low), width),
        }
    }

    /// `high` above `low`.
    pub fn concat(&mut self, high: ExprId, low: ExprId) -> ExprId {
        let (upper, lower) = (self.width(high), self.width(low));
        if let (Some(x), Some(y)) = (self.constant(high), self.constant(low)) {
            return self.number((x << lower) | y, upper + lower);
        }
        if self.constant(high) == Some(0) {
            return self.zero_extend(low, upper + lower);
        }
        if let (Expr::Extract(x, from), Expr::Extract(y, start)) = (self.get(high), self.get(low))
            && x == y
            && from == start + lower
        {
            return self.extract(x, start, upper + lower);
        }
        self.intern(Expr::Concat(high, low), upper + lower)
    }

    /// `a` with zeros above, `width` bits in all.
    pub fn zero_extend(&mut self, a: ExprId, width: u32) -> ExprId {
        match self.get(a) {
            _ if self.width(a) == width => a,
            Expr::Const(bits) => self.number(bits, width),
            Expr::ZeroExtend(inner) => self.zero_extend(inner, width),
            _ => self.intern(Expr::ZeroExtend(a), width),
        }
    }

    /// The number of true values among these, in `width` bits.
    pub fn count(&mut self, truths: impl IntoIterator<Item = ExprId>, width: u32) -> ExprId {
        let none = self.number(0, width);
        truths.into_iter().fold(none, |sum, truth| {
            let one = self.zero_extend(truth, width);
            self.binary(Binary::Add, sum, one)
        })
    }

    /// `a` with copies of its sign above, `width` bits in all.
    pub fn sign_extend(&mut self, a: ExprId, width: u32) -> ExprId {
        let from = self.width(a);
        match self.get(a) {
            _ if from == width => a,
            Expr::Const(bits) => self.number(signed(bits, from) as u128, width),
            Expr::SignExtend(inner) => self.sign_extend(inner, width),
            Expr::ZeroExtend(inner) if self.width(inner) < from => self.zero_extend(inner, width),
            _ => self.intern(Expr::SignExtend(a), width),
        }
    }

    /// `a` cut or extended to `width` bits.
    pub fn resize(&mut self, a: ExprId, width: u32, signed: bool) -> ExprId {
        if self.width(a) >= width {
            self.extract(a, 0, width)
        } else if signed {
            self.sign_extend(a, width)
        } else {
            self.zero_extend(a, width)
        }
    }

    /// The operands of an expression.
    #[must_use]
    pub fn operands(&self, id: ExprId) -> SmallVec<[ExprId; 3]> {
        match self.get(id) {
            Expr::Const(_)
            | Expr::Read(_)
            | Expr::Mbarrier(_)
            | Expr::Symbol(_)
            | Expr::Final(_)
            | Expr::Barrier(_) => {
                smallvec::smallvec![]
            }
            Expr::Unary(_, a) | Expr::Extract(a, _) | Expr::ZeroExtend(a) | Expr::SignExtend(a) => {
                smallvec::smallvec![a]
            }
            Expr::Binary(_, a, b) | Expr::Concat(a, b) => smallvec::smallvec![a, b],
            Expr::Ite(a, b, c) => smallvec::smallvec![a, b, c],
        }
    }
}

/// The value of `op` on constants of `width` bits.
#[must_use]
pub fn apply(op: Binary, a: u128, b: u128, width: u32) -> u128 {
    let (sa, sb) = (signed(a, width), signed(b, width));
    let bits = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Sub => a.wrapping_sub(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::UDiv => a.checked_div(b).unwrap_or(u128::MAX),
        Binary::SDiv if b == 0 => (if sa < 0 { 1_i128 } else { -1 }) as u128,
        Binary::SDiv => sa.wrapping_div(sb) as u128,
        Binary::URem => a.checked_rem(b).unwrap_or(a),
        Binary::SRem if b == 0 => a,
        Binary::SRem => sa.wrapping_rem(sb) as u128,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl if b >= u128::from(width) => 0,
        Binary::Shl => a << b,
        Binary::LShr if b >= u128::from(width) => 0,
        Binary::LShr => a >> b,
        Binary::AShr => (sa >> b.min(127)) as u128,
        Binary::Eq => return u128::from(a == b),
        Binary::ULt => return u128::from(a < b),
        Binary::SLt => return u128::from(sa < sb),
        Binary::Float(function) => float::apply(function, a, b),
    };
    bits & mask(width)
}
