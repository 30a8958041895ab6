//! The ways in which a write comes about: one write for each, with what it depends on there.
//!
//! A register may have its value from one load or another, depending on a predicate or on the branch
//! taken, and both loads may be performed. What is stored then depends on the predicate and on the one
//! load that the value is from, no more: the other has no part in it (PTX-8.10.4). So a write whose
//! value or execution is a choice becomes several that exclude each other, each with the value that it
//! has there; they lie in one place of the program, and at most one of them happens.

use super::draft::{Draft, DraftAccess, Entry};
use super::sure::sure_sources;
use crate::id::{AccessId, ExprId, SymbolId};
use crate::program::expr::{Binary, Expr, ExprArena, Unary};
use crate::program::value::Values;

/// Into how many writes one is split at most; each of the last depends on whatever any way does.
const MOST_WAYS: usize = 16;
/// How many parts the value and the guard of a write that is looked at have at most.
const MOST_PARTS: usize = 256;
/// How many literals of a guard are looked at.
pub(super) const MOST_LITERALS: usize = 48;
/// How many conditions of one write are looked at.
const MOST_CONDITIONS: usize = 16;

/// How many choices between orders of the elements of vectors are looked at.
const MOST_ORDERS: usize = 6;

/// How many conditions are decided, one after the other, to see whether anything is gained by it.
const MOST_STEPS: usize = 64;

/// A way in which a write comes about.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Way {
    guard: ExprId,
    value: ExprId,
    /// The conditions that have decided the value.
    by: ExprId,
}

impl Draft<'_> {
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
            access.chosen_by = Some(first.by);
            for way in others {
                let one = self.accesses[id.index()].clone();
                let other = AccessId::new(self.accesses.len());
                let Way { guard, value, by } = *way;
                let (way_of, chosen_by) = (Some(id), Some(by));
                self.accesses.push(DraftAccess { guard, value, way_of, chosen_by, ..one });
                self.entries.push(Entry::Access(other));
            }
        }
    }

    /// The ways of a write; none where there is nothing to say.
    fn ways(&mut self, id: AccessId) -> Vec<Way> {
        self.ages.clear();
        let by = self.exprs.truth(true);
        let access = &self.accesses[id.index()];
        let whole = Way { guard: access.guard, value: access.value, by };
        let own = access.rmw_read;
        if !access.write || !may_differ(&self.exprs, whole) {
            return Vec::new();
        }
        let reads = self.reads(whole, own);
        if !self.may_spare(&reads, whole) {
            return Vec::new();
        }
        if self.exprs.parts(&[whole.guard, whole.value]).len() > MOST_PARTS {
            self.coarse = true;
            return Vec::new();
        }
        let mut happens = whole;
        let literals = self.exprs.literals(whole.guard, MOST_LITERALS);
        self.coarse |= literals.is_none();
        for literal in literals.unwrap_or_default() {
            let (condition, holds) = positive(&self.exprs, literal);
            happens = self.assume(happens, condition, holds);
        }
        let (mut open, mut out) = (vec![happens], Vec::new());
        while let Some(way) = open.pop() {
            let few = open.len() + out.len() + 2 <= MOST_WAYS;
            self.coarse |= !few && self.may_spare(&self.reads(way, own), way);
            match few.then(|| self.halves(way, own)).flatten() {
                Some((one, other)) => open.extend([other, one]),
                None => out.push(way),
            }
        }
        self.unite(&mut out);
        // Guards that are alike stay alike where nothing is gained.
        let gains = out != [happens] || self.spares(&reads, happens, own);
        let founded = gains && out.iter().all(|&way| self.is_founded(way));
        self.coarse |= gains && !founded;
        if founded { out } else { Vec::new() }
    }

    /// Makes one of two ways that differ only in a condition, which does not matter then.
    fn unite(&mut self, ways: &mut Vec<Way>) {
        let literals = |exprs: &ExprArena, way: &Way| exprs.literals(way.guard, MOST_LITERALS);
        let are_alike = |exprs: &ExprArena, a: &Way, b: &Way| -> Option<bool> {
            let (x, y) = (literals(exprs, a)?, literals(exprs, b)?);
            let mut own = x.iter().copied().filter(|literal| !y.contains(literal));
            let mut others = y.iter().copied().filter(|literal| !x.contains(literal));
            let (one, other) = (own.next()?, others.next()?);
            let alone = own.next().is_none() && others.next().is_none();
            let opposite = positive(exprs, one).0 == positive(exprs, other).0;
            Some(a.value == b.value && alone && opposite)
        };
        let pair = |exprs: &ExprArena, ways: &[Way]| {
            let all = (0..ways.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            all.into_iter().find(|&(a, b)| are_alike(exprs, &ways[a], &ways[b]) == Some(true))
        };
        while let Some((a, b)) = pair(&self.exprs, ways) {
            // Nor does the condition decide about the value.
            let [guard, by] = [|way: &Way| way.guard, |way: &Way| way.by]
                .map(|part| self.common(part(&ways[a]), part(&ways[b])));
            ways[a] = Way { guard, by, ..ways[a] };
            ways.remove(b);
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

    /// What becomes of a way if one of its conditions holds, and if it does not, where that makes a
    /// difference to what it depends on, or leads to others that make one.
    fn halves(&mut self, way: Way, own: Option<AccessId>) -> Option<(Way, Way)> {
        let reads = self.reads(way, own);
        if !self.may_spare(&reads, way) {
            return None;
        }
        let conditions = self.conditions(way);
        let direct =
            conditions.iter().find_map(|&at| Some((at, self.telling(way, &reads, at, own)?)));
        let end = direct.map(|(at, _)| at);
        for &read in &reads {
            if let Some(halves) = self.sparing_halves(way, read, end, &mut { MOST_STEPS }) {
                return Some(halves);
            }
        }
        direct.map(|(_, halves)| halves)
    }

    /// Whether a way comes not to depend on a read that may happen beside it when one after the other
    /// of the conditions is decided that do not depend on the read themselves, of those before one.
    fn may_spare_one(
        &mut self,
        way: Way,
        read: AccessId,
        end: Option<ExprId>,
        steps: &mut usize,
    ) -> bool {
        if !self.reads(way, None).contains(&read) {
            return self.spares(&[read], way, None) && self.is_founded(way);
        }
        self.sparing_halves(way, read, end, steps).is_some()
    }

    /// The halves of a way that depends on a read, if one of them comes not to depend on it.
    fn sparing_halves(
        &mut self,
        way: Way,
        read: AccessId,
        end: Option<ExprId>,
        steps: &mut usize,
    ) -> Option<(Way, Way)> {
        if self.is_sure(read, way) {
            return None;
        }
        let (one, other) = self.first_halves(way, read, end)?;
        let Some(left) = steps.checked_sub(1) else {
            self.coarse = true;
            return None;
        };
        *steps = left;
        let spares = self.may_spare_one(one, read, end, steps)
            || self.may_spare_one(other, read, end, steps);
        spares.then_some((one, other))
    }

    /// The halves of a way by the earliest of its conditions that can be decided without a read, of those
    /// before one.
    fn first_halves(
        &mut self,
        way: Way,
        read: AccessId,
        end: Option<ExprId>,
    ) -> Option<(Way, Way)> {
        let mut conditions = self.conditions(way);
        conditions.retain(|&x| end.is_none_or(|end| self.age(x) < self.age(end)));
        conditions.into_iter().find_map(|condition| {
            let without = !self.reads_of(&[condition], None).contains(&read);
            without.then(|| self.parted(way, condition)).flatten()
        })
    }

    /// The conditions of a way, as many as are looked at.
    fn conditions(&mut self, way: Way) -> Vec<ExprId> {
        let mut conditions = conditions(&self.exprs, way, &self.chances);
        conditions.sort_by_key(|&condition| (self.age(condition), condition));
        self.coarse |= conditions.len() > MOST_CONDITIONS;
        conditions.truncate(MOST_CONDITIONS);
        conditions
    }

    /// The condition that the program has computed, where one is what decisions have made of it: the
    /// earlier one is computed, the less it is.
    fn age(&self, condition: ExprId) -> ExprId {
        self.ages.get(&condition).copied().unwrap_or(condition)
    }

    /// Whether some part of a way may depend on less than the whole: on fewer reads, or on a chance
    /// in the place of the only one.
    fn may_spare(&self, reads: &[AccessId], way: Way) -> bool {
        let is_chance = |part: ExprId| match self.exprs.get(part) {
            Expr::Symbol(id) => self.chances.contains(&id),
            _ => false,
        };
        let parts = || self.exprs.parts(&[way.guard, way.value]);
        reads.len() > 1 || reads.len() == 1 && parts().into_iter().any(is_chance)
    }

    /// Whether a way depends on a read whatever is decided.
    fn is_sure(&self, read: AccessId, way: Way) -> bool {
        let read = Expr::Read(read);
        let literals = self.exprs.literals(way.guard, MOST_LITERALS).unwrap_or_default();
        let mut needed = literals.into_iter().chain([way.value]);
        needed.any(|x| sure_sources(&self.exprs, x).contains(&read))
    }

    /// The halves of a way by a condition, if one of them does not depend on some of the way's reads
    /// beside which it may happen.
    fn telling(
        &mut self,
        way: Way,
        reads: &[AccessId],
        condition: ExprId,
        own: Option<AccessId>,
    ) -> Option<(Way, Way)> {
        let (one, other) = self.parted(way, condition)?;
        let spares = self.spares(reads, one, own) || self.spares(reads, other, own);
        let founded = spares && self.is_founded(one) && self.is_founded(other);
        self.coarse |= spares && !founded;
        founded.then_some((one, other))
    }

    /// The halves of a way by a condition whose value is known wherever the way is taken.
    fn parted(&mut self, way: Way, condition: ExprId) -> Option<(Way, Way)> {
        self.is_known(condition, way.guard)
            .then(|| (self.assume(way, condition, true), self.assume(way, condition, false)))
    }

    /// Whether a way depends on all that decides if what it is computed from happens: what it leaves
    /// out must not be needed to find that out, as engines do, from the parts of a guard.
    fn is_founded(&self, way: Way) -> bool {
        let reads = self.reads(way, None);
        let guards = self.guards_of(&[way.guard, way.value]);
        let given = given(&self.exprs, way.guard).collect();
        let mut truths = self.exprs.parts(&guards);
        truths.retain(|&part| self.exprs.width(part) == 1);
        let mut values = Values::default();
        values.compute_some(&self.exprs, &truths, &given, |_| None);
        guards.into_iter().all(|guard| {
            values.truth(guard) == Some(true)
                || self.reads_of(&[guard], None).iter().all(|other| reads.contains(other))
        })
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
            Expr::Barrier(index) => Some(self.barrier_guards[index as usize]),
            _ => None,
        };
        self.exprs.parts(computed).into_iter().filter_map(guard).collect()
    }

    /// Whether a way may happen beside one of some reads without depending on it.
    fn spares(&mut self, reads: &[AccessId], way: Way, own: Option<AccessId>) -> bool {
        let kept = self.reads(way, own);
        reads.iter().filter(|read| !kept.contains(read)).any(|read| {
            let both = self.exprs.and(self.accesses[read.index()].guard, way.guard);
            !self.exprs.is_false(both)
        })
    }

    /// What a way depends on, but for the read of the same atomic operation, on which it always does.
    fn reads(&self, way: Way, own: Option<AccessId>) -> Vec<AccessId> {
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
    fn assume(&mut self, way: Way, condition: ExprId, holds: bool) -> Way {
        let mut given = self.exprs.literals(way.guard, MOST_LITERALS).unwrap_or_default();
        let mut next = Some((condition, holds));
        let mut way = way;
        while let Some((condition, holds)) = next {
            way = self.decided(way, condition, holds);
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
    fn decided(&mut self, way: Way, condition: ExprId, holds: bool) -> Way {
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
        let before = decided(way.by);
        let literal = self.literal(condition, holds);
        let by = if value == way.value { before } else { self.exprs.and(before, literal) };
        Way { guard: self.exprs.and(literal, rest), value, by }
    }

    fn literal(&mut self, condition: ExprId, holds: bool) -> ExprId {
        if holds { condition } else { self.exprs.not(condition) }
    }
}

/// Whether some part of a way is a choice, or holds for one of several reasons.
fn may_differ(exprs: &ExprArena, way: Way) -> bool {
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

/// The conditions that decide what a way depends on, the earliest computed first: those of choices
/// and what truth values are made of, but for what has to hold for the write to happen at all.
fn conditions(exprs: &ExprArena, way: Way, chances: &[SymbolId]) -> Vec<ExprId> {
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

/// What a literal affirms or denies, and whether it affirms it.
pub(super) fn positive(exprs: &ExprArena, literal: ExprId) -> (ExprId, bool) {
    match exprs.get(literal) {
        Expr::Unary(Unary::Not, inner) => (inner, false),
        _ => (literal, true),
    }
}
