//! Disjunctive splitting of writes: one write for each disjunct of its guard and value, with the reads
//! on which the disjunct depends.
//!
//! A register may have its value from one load or another, depending on a predicate or on the
//! branch taken, and both loads may be performed. The stored value then depends on the predicate
//! and on the chosen load, but not on the other load (PTX-8.10.4). Therefore a write whose value or
//! execution is a choice is split into exclusive disjuncts, each with its own value. The disjuncts
//! share one position in program order, and at most one of them happens.

use super::access::DraftAccess;
use super::builder::GraphBuilder;
use super::condition_uses::positive;
use super::entry::Entry;
use crate::id::{AccessId, ExprId, SymbolId};
use crate::program::expr::{Binary, Expr, ExprArena};
use rustc_hash::FxHashMap;

/// The most disjuncts of one write; a write with more stays whole and depends on the reads of all
/// of them.
const MOST_DISJUNCTS: usize = 16;
/// The most parts in the value and the guard of a write that is split.
const MOST_PARTS: usize = 256;
/// The most literals of a guard.
pub(super) const MOST_LITERALS: usize = 48;
/// The most conditions of a disjunct that are considered for the next decision.
const MOST_CONDITIONS: usize = 16;

/// The most choices between orders of vector elements that a proof of definedness follows.
const MOST_ORDERS: usize = 6;

/// The most decisions in splitting one write.
const MOST_STEPS: usize = 256;

/// One disjunct of a write.
#[derive(Clone, PartialEq, Eq)]
struct Disjunct {
    guard: ExprId,
    value: ExprId,
    /// The conditions that have decided the value, as far as they are still open.
    by: Vec<ExprId>,
}

/// Disjuncts that may be merged: no disjunct happens beside a read on which only other disjuncts of
/// the group depend.
struct Group {
    disjuncts: Vec<Disjunct>,
    /// The reads on which some of them depend.
    reads: Vec<AccessId>,
    /// The reads beside which some disjunct may happen without depending on them.
    spared: Vec<AccessId>,
}

impl Group {
    fn may_join(&self, other: &Self) -> bool {
        let depends = |read| self.reads.contains(read) || other.reads.contains(read);
        !self.spared.iter().chain(&other.spared).any(depends)
    }

    fn absorb(&mut self, other: Self) {
        self.disjuncts.extend(other.disjuncts);
        self.reads.extend(other.reads);
        self.spared.extend(other.spared);
    }
}

impl GraphBuilder<'_> {
    /// Splits writes whose disjuncts depend on different reads.
    pub(super) fn split_writes(&mut self) {
        for entry in std::mem::take(&mut self.entries) {
            let Entry::Access(id) = entry else {
                self.entries.push(entry);
                continue;
            };
            self.entries.push(Entry::Access(id));
            let disjuncts = self.disjuncts_of(id);
            let Some((first, others)) = disjuncts.split_first() else { continue };
            let access = &mut self.accesses[id.index()];
            (access.guard, access.value) = (first.guard, first.value);
            access.chosen_by.clone_from(&first.by);
            for disjunct in others {
                let one = self.accesses[id.index()].clone();
                let other = AccessId::new(self.accesses.len());
                let Disjunct { guard, value, by: chosen_by } = disjunct.clone();
                let disjunct_of = Some(id);
                self.accesses.push(DraftAccess { guard, value, disjunct_of, chosen_by, ..one });
                self.entries.push(Entry::Access(other));
            }
        }
    }

    /// The disjuncts of a write; none if splitting gains nothing.
    fn disjuncts_of(&mut self, id: AccessId) -> Vec<Disjunct> {
        self.uses.forget_rewritten();
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
            self.losses.dependencies = true;
            return Vec::new();
        }
        let mut happens = whole;
        let literals = self.exprs.literals(happens.guard, MOST_LITERALS);
        self.losses.dependencies |= literals.is_none();
        for literal in literals.unwrap_or_default() {
            let (condition, holds) = positive(&self.exprs, literal);
            happens = self.assume(&happens, condition, holds);
        }
        let most = MOST_STEPS.min(self.splits_left);
        let mut left = most;
        let leaves = self.leaves(happens.clone(), own, &mut left);
        self.splits_left -= most - left;
        let out = self.grouped(&leaves, &reads, own).unwrap_or_else(|| vec![happens]);
        // Guards that are alike stay alike if splitting gains nothing.
        let gains = out.iter().any(|disjunct| self.spares(&reads, disjunct, own));
        // A disjunct that joins leaves depends on all reads of these leaves.
        let founded = gains && leaves.iter().all(|disjunct| self.is_founded(disjunct));
        self.losses.dependencies |= gains && !founded;
        if founded { out } else { Vec::new() }
    }

    /// Splits a disjunct by its conditions, in the order of their first use and only where a
    /// condition still makes a difference.
    fn leaves(
        &mut self,
        disjunct: Disjunct,
        own: Option<AccessId>,
        steps: &mut usize,
    ) -> Vec<Disjunct> {
        if self.exprs.is_false(disjunct.guard) {
            return Vec::new();
        }
        let reads = self.reads(&disjunct, own);
        let halves = self.may_spare(&reads, &disjunct).then(|| self.halves(&disjunct)).flatten();
        let Some(halves) = halves else { return vec![disjunct] };
        let Some(left) = steps.checked_sub(1) else {
            self.losses.dependencies = true;
            return vec![disjunct];
        };
        *steps = left;
        let mut out = Vec::new();
        for half in halves {
            out.extend(self.leaves(half, own, steps));
        }
        // A decision that leads to one value in both cases does not matter.
        self.unite(&mut out, |a, b| a.value == b.value);
        out
    }

    /// The two cases of a disjunct by the first of its conditions that has a value there.
    fn halves(&mut self, disjunct: &Disjunct) -> Option<[Disjunct; 2]> {
        for condition in self.conditions(disjunct) {
            if self.is_known(condition, disjunct.guard) {
                let halves = [true, false].map(|holds| self.assume(disjunct, condition, holds));
                // Assuming a condition may reproduce it in the form of another one that it excludes.
                if !halves.contains(disjunct) {
                    return Some(halves);
                }
            }
        }
        None
    }

    /// Joins disjuncts unless one comes to depend on a read that it spares. `None` if too many are
    /// left.
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
            groups.push(Group {
                disjuncts: vec![leaf.clone()],
                reads: self.reads(leaf, own),
                spared,
            });
        }
        while let Some((a, b)) = pair(groups.len(), |a, b| groups[a].may_join(&groups[b])) {
            let other = groups.remove(b);
            groups[a].absorb(other);
        }
        let mut out = Vec::new();
        for mut group in groups {
            self.unite(&mut group.disjuncts, |_, _| true);
            while let Some((a, b)) = pair(group.disjuncts.len(), |a, b| {
                group.disjuncts[a].value == group.disjuncts[b].value
            }) {
                let other = group.disjuncts.remove(b);
                self.join(&mut group.disjuncts[a], other);
            }
            out.extend(group.disjuncts);
        }
        self.losses.dependencies |= out.len() > MOST_DISJUNCTS;
        (out.len() <= MOST_DISJUNCTS).then_some(out)
    }

    /// Joins two disjuncts with one value.
    fn join(&mut self, disjunct: &mut Disjunct, other: Disjunct) {
        let common = self.common(disjunct.guard, other.guard);
        disjunct.guard = self.exprs.or(disjunct.guard, other.guard);
        // The common literals are kept apart from the rest, so that they can be found.
        disjunct.guard = self.exprs.and(common, disjunct.guard);
        add_new(&mut disjunct.by, &other.by);
    }

    /// Joins any two disjuncts that differ in one condition and satisfy `alike`.
    fn unite(
        &mut self,
        disjuncts: &mut Vec<Disjunct>,
        alike: impl Fn(&Disjunct, &Disjunct) -> bool,
    ) {
        loop {
            let guards: Vec<_> = disjuncts
                .iter()
                .map(|disjunct| self.exprs.literals(disjunct.guard, MOST_LITERALS))
                .collect();
            let apart = |a: usize, b: usize| {
                let both = (guards[a].as_ref()?, guards[b].as_ref()?);
                only_difference(&self.exprs, both.0, both.1)
                    .filter(|_| alike(&disjuncts[a], &disjuncts[b]))
            };
            let Some((a, b)) = pair(disjuncts.len(), |a, b| apart(a, b).is_some()) else { return };
            let Some((condition, holds)) = apart(a, b) else { return };
            let other = disjuncts.remove(b);
            let guard = self.common(disjuncts[a].guard, other.guard);
            let (yes, no) = if holds { (&disjuncts[a], &other) } else { (&other, &disjuncts[a]) };
            let value = self.exprs.ite(condition, yes.value, no.value);
            let mut by = yes.by.clone();
            if yes.value == no.value {
                by.retain(|x| no.by.contains(x));
            } else {
                add_new(&mut by, &no.by);
                by.retain(|x| positive(&self.exprs, *x).0 != condition);
            }
            disjuncts[a] = Disjunct { guard, value, by };
        }
    }

    /// The literals that two conjunctions have in common.
    fn common(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let [a, b] = [a, b].map(|x| self.exprs.literals(x, MOST_LITERALS).unwrap_or_default());
        let mut all = self.exprs.truth(true);
        for literal in a.into_iter().filter(|literal| b.contains(literal)) {
            all = self.exprs.and(all, literal);
        }
        all
    }

    /// The conditions of a disjunct in the order in which they are decided, at most
    /// [`MOST_CONDITIONS`].
    fn conditions(&mut self, disjunct: &Disjunct) -> Vec<ExprId> {
        let mut conditions = conditions(&self.exprs, disjunct, self.symbols.chances());
        // A condition that comes from no read adds no dependency.
        conditions.sort_by_cached_key(|&condition| {
            let depends = !self.reads_of(&[condition], None).is_empty();
            (depends, self.uses.age(condition), condition)
        });
        self.losses.dependencies |= conditions.len() > MOST_CONDITIONS;
        conditions.truncate(MOST_CONDITIONS);
        conditions
    }

    /// Whether some part of a disjunct may depend on fewer reads than the whole, or on a free
    /// choice instead of the only read.
    fn may_spare(&self, reads: &[AccessId], disjunct: &Disjunct) -> bool {
        let is_chance = |part: ExprId| match self.exprs.get(part) {
            Expr::Symbol(id) => self.symbols.chances().contains(&id),
            _ => false,
        };
        let parts = || self.exprs.parts(&[disjunct.guard, disjunct.value]);
        reads.len() > 1 || reads.len() == 1 && parts().into_iter().any(is_chance)
    }

    /// Whether the reads of a disjunct decide that all reads and barriers in its value and guard
    /// happen. Engines have to find that out from the parts of guards, without the reads that the
    /// disjunct spares.
    fn is_founded(&mut self, disjunct: &Disjunct) -> bool {
        let reads = self.reads(disjunct, None);
        let given: Vec<_> = given(&self.exprs, disjunct.guard).collect();
        let guards = self.guards_of(&[disjunct.guard, disjunct.value]);
        let mut known = FxHashMap::default();
        for part in self.exprs.parts(&guards) {
            if let Some(left) = self.of_known_operands(part, &reads, &known) {
                known.insert(part, self.settled(left, &given));
            }
        }
        guards.iter().all(|guard| known.contains_key(guard))
    }

    /// An expression rebuilt from its known operands, if these and some reads determine its value.
    /// One operand may be enough.
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

    /// Whether all reads and barriers behind a condition happen wherever a guard holds; elsewhere
    /// the condition has no value.
    fn is_known(&mut self, condition: ExprId, guard: ExprId) -> bool {
        let given = given(&self.exprs, guard).collect();
        self.is_known_in_order(condition, guard, given, MOST_ORDERS)
    }

    /// As [`Self::is_known`], by cases over the orders of vector elements, under given literals.
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
            Expr::Symbol(id) => {
                self.exprs.width(part) == 1 && !self.symbols.chances().contains(&id)
            }
            _ => false,
        });
        let (Some(order), Some(orders)) = (order, orders.checked_sub(1)) else { return false };
        [true, false].into_iter().all(|holds| {
            let given: Vec<_> = given.iter().copied().chain([(order, holds)]).collect();
            let condition = self.settled(condition, &given);
            self.is_known_in_order(condition, guard, given, orders)
        })
    }

    /// Decides an expression by known truth values until a fixpoint: deciding may turn a part into
    /// another known value.
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

    /// The guards of the reads and barrier operations behind some expressions.
    fn guards_of(&self, computed: &[ExprId]) -> Vec<ExprId> {
        let guard = |part| match self.exprs.get(part) {
            Expr::Read(read) | Expr::Mbarrier(read) => Some(self.accesses[read.index()].guard),
            Expr::Barrier(index) => Some(self.barriers.guards[index]),
            _ => None,
        };
        self.exprs.parts(computed).into_iter().filter_map(guard).collect()
    }

    /// Whether a disjunct may happen beside one of some reads without depending on it.
    fn spares(&mut self, reads: &[AccessId], disjunct: &Disjunct, own: Option<AccessId>) -> bool {
        let kept = self.reads(disjunct, own);
        reads.iter().filter(|read| !kept.contains(read)).any(|read| {
            let both = self.exprs.and(self.accesses[read.index()].guard, disjunct.guard);
            !self.exprs.is_false(both)
        })
    }

    /// The reads on which a disjunct depends, except the read of its own atomic operation, which is
    /// always a dependency.
    fn reads(&self, disjunct: &Disjunct, own: Option<AccessId>) -> Vec<AccessId> {
        self.reads_of(&[disjunct.guard, disjunct.value], own)
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

    /// Assumes a condition in a disjunct, and then each literal that its guard turns out to
    /// contain.
    fn assume(&mut self, disjunct: &Disjunct, condition: ExprId, holds: bool) -> Disjunct {
        let mut given = self.exprs.literals(disjunct.guard, MOST_LITERALS).unwrap_or_default();
        let mut next = Some((condition, holds));
        let mut disjunct = disjunct.clone();
        while let Some((condition, holds)) = next {
            disjunct = self.decided(&disjunct, condition, holds);
            given.push(self.literal(condition, holds));
            let literals = self.exprs.literals(disjunct.guard, MOST_LITERALS).unwrap_or_default();
            let exprs = &self.exprs;
            let is_new = |x: &ExprId| !given.contains(x) && exprs.constant(*x).is_none();
            let new = literals.into_iter().find(is_new);
            next = new.map(|literal| positive(&self.exprs, literal));
        }
        disjunct
    }

    /// Decides one condition of a disjunct.
    fn decided(&mut self, disjunct: &Disjunct, condition: ExprId, holds: bool) -> Disjunct {
        for asked in conditions(&self.exprs, disjunct, self.symbols.chances()) {
            let left = self.exprs.decided(asked, &[(condition, holds)]);
            let left = positive(&self.exprs, left).0;
            if left != asked && self.exprs.constant(left).is_none() {
                self.uses.note_rewritten(asked, left);
            }
        }
        let mut decided = |x| self.exprs.decided(x, &[(condition, holds)]);
        let (rest, value) = (decided(disjunct.guard), decided(disjunct.value));
        // This decision may have decided an earlier condition.
        let mut by: Vec<ExprId> = disjunct.by.iter().map(|&x| decided(x)).collect();
        let literal = self.literal(condition, holds);
        by.extend((value != disjunct.value).then_some(literal));
        by.retain(|&x| self.exprs.constant(x).is_none());
        Disjunct { guard: self.exprs.and(literal, rest), value, by }
    }

    fn literal(&mut self, condition: ExprId, holds: bool) -> ExprId {
        if holds { condition } else { self.exprs.not(condition) }
    }
}

/// Whether some part of a disjunct is a choice, or holds for one of several reasons.
fn may_differ(exprs: &ExprArena, disjunct: &Disjunct) -> bool {
    let constant = exprs.constant(disjunct.value).is_some();
    if constant && exprs.constant(disjunct.guard).is_some() {
        return false;
    }
    let parts = exprs.parts(&[disjunct.guard, disjunct.value]);
    let is_choice = |part: ExprId| match exprs.get(part) {
        Expr::Ite(..) => true,
        Expr::Binary(Binary::Or, ..) => exprs.width(part) == 1,
        Expr::Binary(Binary::And, ..) => exprs.width(part) == 1 && part != disjunct.guard,
        _ => false,
    };
    parts.into_iter().any(is_choice)
}

/// The conditions that determine a disjunct's dependencies, each once. They are conditions of
/// choices and operands of truth values, except literals of the guard.
fn conditions(exprs: &ExprArena, disjunct: &Disjunct, chances: &[SymbolId]) -> Vec<ExprId> {
    let given: Vec<ExprId> = given(exprs, disjunct.guard).map(|(condition, _)| condition).collect();
    let mut out = Vec::new();
    for part in exprs.parts(&[disjunct.guard, disjunct.value]) {
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

/// The conditions that a guard's literals affirm (`true`) or deny.
fn given(exprs: &ExprArena, guard: ExprId) -> impl Iterator<Item = (ExprId, bool)> {
    let literals = exprs.literals(guard, MOST_LITERALS).unwrap_or_default();
    literals.into_iter().map(|literal| positive(exprs, literal))
}

/// The condition that one conjunction affirms and the other denies, if all other literals are
/// common. Also gives whether the first affirms it.
fn only_difference(exprs: &ExprArena, a: &[ExprId], b: &[ExprId]) -> Option<(ExprId, bool)> {
    let mut own = a.iter().filter(|x| !b.contains(x));
    let mut others = b.iter().filter(|x| !a.contains(x));
    let (one, other) = (positive(exprs, *own.next()?), positive(exprs, *others.next()?));
    let alone = own.next().is_none() && others.next().is_none();
    (alone && one.0 == other.0).then_some(one)
}

/// The first pair of indices below `len` that satisfies `also`, the smaller index first.
fn pair(len: usize, also: impl Fn(usize, usize) -> bool) -> Option<(usize, usize)> {
    let mut pairs = (0..len).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs.find(|&(a, b)| also(a, b))
}

fn add_new(list: &mut Vec<ExprId>, others: &[ExprId]) {
    let new: Vec<_> = others.iter().copied().filter(|x| !list.contains(x)).collect();
    list.extend(new);
}
