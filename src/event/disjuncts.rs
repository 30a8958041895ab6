//! The ways in which a write comes about: one write for each, with what it depends on there.
//!
//! A register may have its value from one load or another, depending on a predicate or on the branch
//! taken, and both loads may be performed. What is stored then depends on the predicate and on the one
//! load that the value is from, no more: the other has no part in it (PTX-8.10.4). So a write whose
//! value or execution is a choice becomes several that exclude each other, each with the value that it
//! has there; they lie in one place of the program, and at most one of them happens.

use super::access::DraftAccess;
use super::builder::{Entry, GraphBuilder};
use crate::id::{AccessId, ExprId, SymbolId};
use crate::program::expr::{Binary, Expr, ExprArena, Unary};
use rustc_hash::FxHashMap;

/// Into how many writes one is split at most; with more ways it stays one, which depends on whatever any of
/// them does.
const MOST_DISJUNCTS: usize = 16;
/// How many parts the value and the guard of a write that is looked at have at most.
const MOST_PARTS: usize = 256;
/// How many literals of a guard are looked at.
pub(super) const MOST_LITERALS: usize = 48;
/// How many conditions are looked at, the next to be asked among them.
const MOST_CONDITIONS: usize = 16;

/// How many choices between orders of the elements of vectors are looked at.
const MOST_ORDERS: usize = 6;

/// How often some condition of a write is asked, on one way or another.
const MOST_STEPS: usize = 256;

/// When a condition is used first, by what was used before, and when it is computed: those that are used
/// together count as they are computed, and what is computed earlier is a smaller expression.
pub(super) type FirstUse = (usize, ExprId);

/// A way in which a write comes about.
#[derive(Clone, PartialEq, Eq)]
struct Disjunct {
    guard: ExprId,
    value: ExprId,
    /// The conditions that have decided the value, or what is left of them.
    by: Vec<ExprId>,
}

/// Ways that may be one: none of them may happen beside a read on which only others of them depend.
struct Group {
    ways: Vec<Disjunct>,
    /// What some of them depend on.
    reads: Vec<AccessId>,
    /// The reads beside which some of them may happen without depending on them.
    spared: Vec<AccessId>,
}

impl Group {
    fn goes_with(&self, other: &Self) -> bool {
        let depends = |read| self.reads.contains(read) || other.reads.contains(read);
        !self.spared.iter().chain(&other.spared).any(depends)
    }

    fn take(&mut self, other: Self) {
        self.ways.extend(other.ways);
        self.reads.extend(other.reads);
        self.spared.extend(other.spared);
    }
}

impl GraphBuilder<'_> {
    /// Splits writes that depend on other reads in one way than in another.
    pub(super) fn split_ways(&mut self) {
        for entry in std::mem::take(&mut self.entries) {
            let Entry::Access(id) = entry else {
                self.entries.push(entry);
                continue;
            };
            self.entries.push(Entry::Access(id));
            let ways = self.ways(id);
            let Some((first, others)) = ways.split_first() else { continue };
            let access = &mut self.accesses[id.index()];
            (access.guard, access.value) = (first.guard, first.value);
            access.chosen_by.clone_from(&first.by);
            for way in others {
                let one = self.accesses[id.index()].clone();
                let other = AccessId::new(self.accesses.len());
                let Disjunct { guard, value, by: chosen_by } = way.clone();
                let disjunct_of = Some(id);
                self.accesses.push(DraftAccess { guard, value, disjunct_of, chosen_by, ..one });
                self.entries.push(Entry::Access(other));
            }
        }
    }

    /// The ways of a write; none where there is nothing to say.
    fn ways(&mut self, id: AccessId) -> Vec<Disjunct> {
        self.ages.clear();
        let access = &self.accesses[id.index()];
        let whole = Disjunct { guard: access.guard, value: access.value, by: Vec::new() };
        let own = access.rmw_read;
        if !access.write || !may_differ(&self.exprs, &whole) {
            return Vec::new();
        }
        let reads = self.reads(&whole, own);
        if !self.may_spare(&reads, &whole) {
            return Vec::new();
        }
        if self.exprs.parts(&[whole.guard, whole.value]).len() > MOST_PARTS {
            self.coarse = true;
            return Vec::new();
        }
        let mut happens = whole;
        let literals = self.exprs.literals(happens.guard, MOST_LITERALS);
        self.coarse |= literals.is_none();
        for literal in literals.unwrap_or_default() {
            let (condition, holds) = positive(&self.exprs, literal);
            happens = self.assume(&happens, condition, holds);
        }
        let leaves = self.leaves(happens.clone(), own, &mut { MOST_STEPS });
        let out = self.grouped(&leaves, &reads, own).unwrap_or_else(|| vec![happens]);
        // Guards that are alike stay alike where nothing is gained.
        let gains = out.iter().any(|way| self.spares(&reads, way, own));
        // A way that joins leaves depends on all that they depend on.
        let founded = gains && leaves.iter().all(|way| self.is_founded(way));
        self.coarse |= gains && !founded;
        if founded { out } else { Vec::new() }
    }

    /// The ways that a way becomes when its conditions are asked in the order of their first use, each
    /// only where it still makes a difference.
    fn leaves(&mut self, way: Disjunct, own: Option<AccessId>, steps: &mut usize) -> Vec<Disjunct> {
        if self.exprs.is_false(way.guard) {
            return Vec::new();
        }
        let reads = self.reads(&way, own);
        let halves = self.may_spare(&reads, &way).then(|| self.halves(&way)).flatten();
        let Some(halves) = halves else { return vec![way] };
        let Some(left) = steps.checked_sub(1) else {
            self.coarse = true;
            return vec![way];
        };
        *steps = left;
        let mut out = Vec::new();
        for half in halves {
            out.extend(self.leaves(half, own, steps));
        }
        // What leads to one value on both ways does not matter.
        self.unite(&mut out, |a, b| a.value == b.value);
        out
    }

    /// What becomes of a way if the first of its conditions that has a value there holds, and if it does
    /// not.
    fn halves(&mut self, way: &Disjunct) -> Option<[Disjunct; 2]> {
        for condition in self.conditions(way) {
            if self.is_known(condition, way.guard) {
                let halves = [true, false].map(|holds| self.assume(way, condition, holds));
                // One that another excludes may be said again in the words of that one.
                if !halves.contains(way) {
                    return Some(halves);
                }
            }
        }
        None
    }

    /// Joins ways where none comes to depend on a read beside which it may happen and that it does without.
    /// `None` where too many are left.
    fn grouped(
        &mut self,
        leaves: &[Disjunct],
        reads: &[AccessId],
        own: Option<AccessId>,
    ) -> Option<Vec<Disjunct>> {
        let mut groups = Vec::new();
        for leaf in leaves {
            let mut spared = reads.to_vec();
            spared.retain(|&read| self.spares(&[read], leaf, own));
            groups.push(Group { ways: vec![leaf.clone()], reads: self.reads(leaf, own), spared });
        }
        while let Some((a, b)) = pair(groups.len(), |a, b| groups[a].goes_with(&groups[b])) {
            let other = groups.remove(b);
            groups[a].take(other);
        }
        let mut out = Vec::new();
        for mut group in groups {
            self.unite(&mut group.ways, |_, _| true);
            while let Some((a, b)) =
                pair(group.ways.len(), |a, b| group.ways[a].value == group.ways[b].value)
            {
                let other = group.ways.remove(b);
                self.join(&mut group.ways[a], other);
            }
            out.extend(group.ways);
        }
        self.coarse |= out.len() > MOST_DISJUNCTS;
        (out.len() <= MOST_DISJUNCTS).then_some(out)
    }

    /// Makes one of two ways with one value.
    fn join(&mut self, way: &mut Disjunct, other: Disjunct) {
        let common = self.common(way.guard, other.guard);
        way.guard = self.exprs.or(way.guard, other.guard);
        // Said apart, for whoever looks at its literals.
        way.guard = self.exprs.and(common, way.guard);
        add_new(&mut way.by, &other.by);
    }

    /// Makes one of any two ways that differ only in a condition, where `alike` holds.
    fn unite(&mut self, ways: &mut Vec<Disjunct>, alike: impl Fn(&Disjunct, &Disjunct) -> bool) {
        loop {
            let guards: Vec<_> =
                ways.iter().map(|way| self.exprs.literals(way.guard, MOST_LITERALS)).collect();
            let apart = |a: usize, b: usize| {
                let both = (guards[a].as_ref()?, guards[b].as_ref()?);
                only_difference(&self.exprs, both.0, both.1).filter(|_| alike(&ways[a], &ways[b]))
            };
            let Some((a, b)) = pair(ways.len(), |a, b| apart(a, b).is_some()) else { return };
            let Some((condition, holds)) = apart(a, b) else { return };
            let other = ways.remove(b);
            let guard = self.common(ways[a].guard, other.guard);
            let (yes, no) = if holds { (&ways[a], &other) } else { (&other, &ways[a]) };
            let value = self.exprs.ite(condition, yes.value, no.value);
            let mut by = yes.by.clone();
            if yes.value == no.value {
                by.retain(|x| no.by.contains(x));
            } else {
                add_new(&mut by, &no.by);
                by.retain(|x| positive(&self.exprs, *x).0 != condition);
            }
            ways[a] = Disjunct { guard, value, by };
        }
    }

    /// What two conjunctions have in common.
    fn common(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let [a, b] = [a, b].map(|x| self.exprs.literals(x, MOST_LITERALS).unwrap_or_default());
        let mut all = self.exprs.truth(true);
        for literal in a.into_iter().filter(|literal| b.contains(literal)) {
            all = self.exprs.and(all, literal);
        }
        all
    }

    /// The conditions of a way, as many as are looked at.
    fn conditions(&mut self, way: &Disjunct) -> Vec<ExprId> {
        let mut conditions = conditions(&self.exprs, way, &self.chances);
        // To ask what comes from no read makes no dependency.
        conditions.sort_by_cached_key(|&condition| {
            let depends = !self.reads_of(&[condition], None).is_empty();
            (depends, self.age(condition), condition)
        });
        self.coarse |= conditions.len() > MOST_CONDITIONS;
        conditions.truncate(MOST_CONDITIONS);
        conditions
    }

    /// Notes what a condition is made of, where the program uses it.
    pub(super) fn note_use(&mut self, condition: ExprId) {
        let noted_before = self.uses.len();
        let mut stack = vec![condition];
        while let Some(x) = stack.pop() {
            let (x, _) = positive(&self.exprs, x);
            if self.exprs.constant(x).is_some() || self.uses.contains_key(&x) {
                continue;
            }
            self.uses.insert(x, noted_before);
            if let Expr::Binary(Binary::And | Binary::Or, a, b) = self.exprs.get(x)
                && self.exprs.width(x) == 1
            {
                stack.extend([a, b]);
            }
        }
    }

    /// When a condition was used first, or else was computed, or what decisions have made it of.
    fn age(&self, condition: ExprId) -> FirstUse {
        let used = self.uses.get(&condition).copied().unwrap_or(usize::MAX);
        self.ages.get(&condition).copied().unwrap_or((used, condition))
    }

    /// Whether some part of a way may depend on less than the whole: on fewer reads, or on a chance
    /// in the place of the only one.
    fn may_spare(&self, reads: &[AccessId], way: &Disjunct) -> bool {
        let is_chance = |part: ExprId| match self.exprs.get(part) {
            Expr::Symbol(id) => self.chances.contains(&id),
            _ => false,
        };
        let parts = || self.exprs.parts(&[way.guard, way.value]);
        reads.len() > 1 || reads.len() == 1 && parts().into_iter().any(is_chance)
    }

    /// Whether a way depends on all that decides if what it is computed from happens: what it leaves
    /// out must not be needed to find that out, as engines do, from the parts of a guard.
    fn is_founded(&mut self, way: &Disjunct) -> bool {
        let reads = self.reads(way, None);
        let given: Vec<_> = given(&self.exprs, way.guard).collect();
        let guards = self.guards_of(&[way.guard, way.value]);
        let mut known = FxHashMap::default();
        for part in self.exprs.parts(&guards) {
            if let Some(left) = self.of_known_operands(part, &reads, &known) {
                known.insert(part, self.settled(left, &given));
            }
        }
        guards.iter().all(|guard| known.contains_key(guard))
    }

    /// An expression of those operands of another that are known, if it follows from them and from some
    /// reads alone: one operand may be enough.
    fn of_known_operands(
        &mut self,
        x: ExprId,
        reads: &[AccessId],
        known: &FxHashMap<ExprId, ExprId>,
    ) -> Option<ExprId> {
        let left = |operand: ExprId| known.get(&operand).copied();
        match self.exprs.get(x) {
            Expr::Read(read) => return reads.contains(&read).then_some(x),
            Expr::Binary(op @ (Binary::And | Binary::Or), a, b) if self.exprs.width(x) == 1 => {
                let enough = self.exprs.truth(op == Binary::Or);
                if [a, b].map(left).contains(&Some(enough)) {
                    return Some(enough);
                }
            }
            Expr::Ite(condition, then, otherwise) => {
                if let Some(holds) = left(condition).and_then(|c| self.exprs.constant(c)) {
                    return left(if holds != 0 { then } else { otherwise });
                }
            }
            _ => {}
        }
        let all = self.exprs.operands(x).into_iter().all(|operand| left(operand).is_some());
        all.then(|| self.exprs.rebuilt(x, known))
    }

    /// Whether all that a condition is computed from happens wherever a guard holds; elsewhere it has
    /// no value to go by.
    fn is_known(&mut self, condition: ExprId, guard: ExprId) -> bool {
        let given = given(&self.exprs, guard).collect();
        self.is_known_in_order(condition, guard, given, MOST_ORDERS)
    }

    /// As [`Self::is_known`] in each order of the elements of vectors that it depends on, given what
    /// holds there.
    fn is_known_in_order(
        &mut self,
        condition: ExprId,
        guard: ExprId,
        given: Vec<(ExprId, bool)>,
        orders: usize,
    ) -> bool {
        let mut open = Vec::new();
        for happens in self.guards_of(&[condition]) {
            let not = self.exprs.not(happens);
            let without = self.exprs.and(guard, not);
            if !self.exprs.is_false(without) {
                let rest = self.settled(happens, &given);
                open.extend((!self.exprs.is_true(rest)).then_some(rest));
            }
        }
        if open.is_empty() {
            return true;
        }
        let parts = self.exprs.parts(&open);
        let order = parts.into_iter().find(|&part| match self.exprs.get(part) {
            Expr::Symbol(id) => self.exprs.width(part) == 1 && !self.chances.contains(&id),
            _ => false,
        });
        let (Some(order), Some(orders)) = (order, orders.checked_sub(1)) else { return false };
        [true, false].into_iter().all(|holds| {
            let given: Vec<_> = given.iter().copied().chain([(order, holds)]).collect();
            let condition = self.settled(condition, &given);
            self.is_known_in_order(condition, guard, given, orders)
        })
    }

    /// An expression where some truth values are known. One of them may make another of what is left.
    fn settled(&mut self, x: ExprId, given: &[(ExprId, bool)]) -> ExprId {
        let mut rest = x;
        loop {
            let decided = self.exprs.decided(rest, given);
            if decided == rest {
                return rest;
            }
            rest = decided;
        }
    }

    /// The guards of the reads and of the barrier operations that some expressions are computed from.
    fn guards_of(&self, computed: &[ExprId]) -> Vec<ExprId> {
        let guard = |part| match self.exprs.get(part) {
            Expr::Read(read) | Expr::Mbarrier(read) => Some(self.accesses[read.index()].guard),
            Expr::Barrier(index) => Some(self.barrier_guards[index]),
            _ => None,
        };
        self.exprs.parts(computed).into_iter().filter_map(guard).collect()
    }

    /// Whether a way may happen beside one of some reads without depending on it.
    fn spares(&mut self, reads: &[AccessId], way: &Disjunct, own: Option<AccessId>) -> bool {
        let kept = self.reads(way, own);
        reads.iter().filter(|read| !kept.contains(read)).any(|read| {
            let both = self.exprs.and(self.accesses[read.index()].guard, way.guard);
            !self.exprs.is_false(both)
        })
    }

    /// What a way depends on, but for the read of the same atomic operation, on which it always does.
    fn reads(&self, way: &Disjunct, own: Option<AccessId>) -> Vec<AccessId> {
        self.reads_of(&[way.guard, way.value], own)
    }

    /// The reads, but for one, that some expressions are computed from.
    fn reads_of(&self, computed: &[ExprId], own: Option<AccessId>) -> Vec<AccessId> {
        let read = |part| match self.exprs.get(part) {
            Expr::Read(read) => Some(read),
            _ => None,
        };
        let parts = self.exprs.parts(computed);
        parts.into_iter().filter_map(read).filter(|&read| Some(read) != own).collect()
    }

    /// A way with one of its conditions decided, and with whatever has to hold there then.
    fn assume(&mut self, way: &Disjunct, condition: ExprId, holds: bool) -> Disjunct {
        let mut given = self.exprs.literals(way.guard, MOST_LITERALS).unwrap_or_default();
        let mut next = Some((condition, holds));
        let mut way = way.clone();
        while let Some((condition, holds)) = next {
            way = self.decided(&way, condition, holds);
            given.push(self.literal(condition, holds));
            let literals = self.exprs.literals(way.guard, MOST_LITERALS).unwrap_or_default();
            let exprs = &self.exprs;
            let is_new = |x: &ExprId| !given.contains(x) && exprs.constant(*x).is_none();
            let new = literals.into_iter().find(is_new);
            next = new.map(|literal| positive(&self.exprs, literal));
        }
        way
    }

    /// A way with one of its conditions decided.
    fn decided(&mut self, way: &Disjunct, condition: ExprId, holds: bool) -> Disjunct {
        for asked in conditions(&self.exprs, way, &self.chances) {
            let left = self.exprs.decided(asked, &[(condition, holds)]);
            let left = positive(&self.exprs, left).0;
            if left != asked && self.exprs.constant(left).is_none() {
                let age = self.age(asked).min(self.age(left));
                self.ages.insert(left, age);
            }
        }
        let mut decided = |x| self.exprs.decided(x, &[(condition, holds)]);
        let (rest, value) = (decided(way.guard), decided(way.value));
        // What decided before may have been decided by this.
        let mut by: Vec<ExprId> = way.by.iter().map(|&x| decided(x)).collect();
        let literal = self.literal(condition, holds);
        by.extend((value != way.value).then_some(literal));
        by.retain(|&x| self.exprs.constant(x).is_none());
        Disjunct { guard: self.exprs.and(literal, rest), value, by }
    }

    fn literal(&mut self, condition: ExprId, holds: bool) -> ExprId {
        if holds { condition } else { self.exprs.not(condition) }
    }
}

/// Whether some part of a way is a choice, or holds for one of several reasons.
fn may_differ(exprs: &ExprArena, way: &Disjunct) -> bool {
    let constant = exprs.constant(way.value).is_some();
    if constant && exprs.constant(way.guard).is_some() {
        return false;
    }
    let parts = exprs.parts(&[way.guard, way.value]);
    let is_choice = |part: ExprId| match exprs.get(part) {
        Expr::Ite(..) => true,
        Expr::Binary(Binary::Or, ..) => exprs.width(part) == 1,
        Expr::Binary(Binary::And, ..) => exprs.width(part) == 1 && part != way.guard,
        _ => false,
    };
    parts.into_iter().any(is_choice)
}

/// The conditions that decide what a way depends on, each once: those of choices
/// and what truth values are made of, but for what has to hold for the write to happen at all.
fn conditions(exprs: &ExprArena, way: &Disjunct, chances: &[SymbolId]) -> Vec<ExprId> {
    let given: Vec<ExprId> = given(exprs, way.guard).map(|(condition, _)| condition).collect();
    let mut out = Vec::new();
    for part in exprs.parts(&[way.guard, way.value]) {
        let asked = match exprs.get(part) {
            Expr::Ite(condition, ..) => vec![condition],
            Expr::Binary(Binary::And | Binary::Or, a, b) if exprs.width(part) == 1 => vec![a, b],
            _ => Vec::new(),
        };
        out.extend(asked.into_iter().map(|x| positive(exprs, x).0));
    }
    // The order of a vector's elements and the results of exchanges decide nothing by themselves.
    let asks = |x: &ExprId| match exprs.get(*x) {
        Expr::Binary(Binary::And | Binary::Or, ..) => false,
        Expr::Symbol(id) => chances.contains(&id),
        _ => true,
    };
    out.retain(|x| asks(x) && !given.contains(x));
    out.sort_unstable();
    out.dedup();
    out
}

/// The conditions that a guard affirms or denies, and whether it affirms them.
fn given(exprs: &ExprArena, guard: ExprId) -> impl Iterator<Item = (ExprId, bool)> {
    let literals = exprs.literals(guard, MOST_LITERALS).unwrap_or_default();
    literals.into_iter().map(|literal| positive(exprs, literal))
}

/// The condition that one conjunction affirms and another denies, if they have all else in common, and
/// whether the first affirms it.
fn only_difference(exprs: &ExprArena, a: &[ExprId], b: &[ExprId]) -> Option<(ExprId, bool)> {
    let mut own = a.iter().filter(|x| !b.contains(x));
    let mut others = b.iter().filter(|x| !a.contains(x));
    let (one, other) = (positive(exprs, *own.next()?), positive(exprs, *others.next()?));
    let alone = own.next().is_none() && others.next().is_none();
    (alone && one.0 == other.0).then_some(one)
}

/// The first two of so many that satisfy `also`, the earlier one first.
fn pair(len: usize, also: impl Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
    let mut pairs = (0..len).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs.find(|&(a, b)| also(a, b))
}

fn add_new(list: &mut Vec<ExprId>, others: &[ExprId]) {
    let new: Vec<_> = others.iter().copied().filter(|x| !list.contains(x)).collect();
    list.extend(new);
}

/// What a literal affirms or denies, and whether it affirms it.
pub(super) fn positive(exprs: &ExprArena, literal: ExprId) -> (ExprId, bool) {
    match exprs.get(literal) {
        Expr::Unary(Unary::Not, inner) => (inner, false),
        _ => (literal, true),
    }
}
