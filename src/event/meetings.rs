//! Barrier operations that may take part in one phase, by the uses of barriers in a program's text and
//! the ordinals of operations.

use super::graph::{EventGraph, EventKind};
use crate::id::{AgentId, BarrierId, ExprId};
use crate::litmus::ast::ThreadPlace;
use crate::program::expr::{Expr, ExprArena};
use crate::program::micro::{BarrierGroup, Micro, Program, ThreadCode};
use crate::program::term::Term;
use crate::waiting::barrier::{BarrierKey, BarrierOp, BarrierUse, UsedCount};
use crate::waiting::numbering::Numbering;
use typed_index_collections::{TiSlice, TiVec};

/// The uses of CTA barriers in a program's text.
pub(super) fn barrier_uses(program: &Program) -> Vec<BarrierUse> {
    let threads = program.threads.iter().enumerate();
    threads.flat_map(|(index, thread)| uses_of(AgentId::new(index + 1), thread)).collect()
}

fn uses_of(agent: AgentId, thread: &ThreadCode) -> Vec<BarrierUse> {
    let ThreadPlace::Device(p) = thread.place else { return Vec::new() };
    let used = |micro: &Micro| {
        let Micro::Barrier(barrier) = micro else { return None };
        let resource = match &barrier.group {
            BarrierGroup::Cta(resource) => constant(resource).and_then(|r| u64::try_from(r).ok()),
            BarrierGroup::Instance(..) => None,
            BarrierGroup::Cluster | BarrierGroup::Warp(_) | BarrierGroup::Exchange(..) => {
                return None;
            }
        };
        let count = match &barrier.count {
            None => UsedCount::All,
            Some(count) => constant(count).map_or(UsedCount::Open, UsedCount::Number),
        };
        Some(BarrierUse { agent, cta: (p.gpu, p.grid, p.cta), resource, count })
    };
    thread.steps.iter().flat_map(|step| &step.micros).filter_map(used).collect()
}

fn constant(term: &Term) -> Option<u128> {
    match term {
        Term::Const(number, _) => Some(*number),
        _ => None,
    }
}

/// Whether a write depends on the result of a reduction whose participants are open and whose other
/// operands come from memory. Such a write depends on all possible participants, of which only some
/// take part.
pub(super) fn may_return_less(graph: &EventGraph) -> bool {
    let agent = |op: &BarrierOp| graph.event(op.event).agent;
    let is_read = |leaf: &Expr| matches!(leaf, Expr::Read(_));
    let is_loaded = |x: ExprId| graph.exprs.leaves(x).iter().any(is_read);
    let is_unsure = |op: &BarrierOp| {
        let mut others = graph.barriers.iter().filter(|b| b.key == op.key && agent(b) != agent(op));
        op.reduction.is_some()
            && !graph.meets_by_ordinal(&op.key)
            && others.any(|other| other.operand.is_some_and(is_loaded))
    };
    let unsure: TiVec<BarrierId, bool> = graph.barriers.iter().map(is_unsure).collect();
    if !unsure.contains(&true) {
        return false;
    }
    let returned = |leaf: &Expr| matches!(*leaf, Expr::Barrier(index) if unsure[index]);
    let depends = |x: ExprId| graph.exprs.leaves(x).iter().any(returned);
    let mut writes = graph.events.iter().filter(|event| event.kind == EventKind::Write);
    writes.any(|event| {
        let access = graph.access(event.access);
        depends(event.guard)
            || depends(access.value)
            || access.chosen_by.iter().copied().any(depends)
    })
}

/// The barrier operations that may be in one generation.
pub(super) struct Meetings<'a> {
    numbering: &'a Numbering,
    /// The guard of each operation.
    guards: TiVec<BarrierId, ExprId>,
    /// The ordinal of each operation, at least and at most.
    ordinals: TiVec<BarrierId, (usize, usize)>,
    /// For each operation, whether operations at its barrier meet exactly if their ordinals agree.
    by_ordinal: TiVec<BarrierId, bool>,
}

impl<'a> Meetings<'a> {
    /// Analyses operations, given the guard of each.
    pub(super) fn new(
        barriers: &TiSlice<BarrierId, BarrierOp>,
        numbering: &'a Numbering,
        exprs: &ExprArena,
        guards: TiVec<BarrierId, ExprId>,
        by_ordinal: impl Fn(&BarrierKey) -> bool,
    ) -> Self {
        let (mut ordinals, mut known) = (TiVec::new(), TiVec::new());
        // Ordinals are needed for operations with results alone.
        if barriers.iter().any(BarrierOp::returns) {
            let mut exprs = exprs.clone();
            let bounds = |at| ordinal_bounds(numbering, &mut exprs, &guards, at);
            ordinals.extend(barriers.keys().map(bounds));
            // Columns number the operations of each thread.
            let decides = |key: &_| matches!(key, BarrierKey::Instance(..)) || by_ordinal(key);
            known.extend(barriers.iter().map(|op| decides(&op.key)));
        }
        Self { numbering, guards, ordinals, by_ordinal: known }
    }

    /// Whether two operations may be in one generation. Two operations of one thread never are;
    /// where ordinals decide, the generation of an operation is its ordinal.
    pub(super) fn may_share_phase(&self, a: BarrierId, b: BarrierId) -> bool {
        if !self.numbering.may_be_together(a, b) {
            return a == b;
        }
        if !self.by_ordinal[a] {
            return true;
        }
        let ((first, last), (other_first, other_last)) = (self.ordinals[a], self.ordinals[b]);
        first <= other_last && other_first <= last
    }
}

impl Meetings<'_> {
    /// The condition that two operations which may be in one generation are in one, given that both
    /// happen and ordinals decide.
    pub(super) fn is_together(&self, exprs: &mut ExprArena, a: BarrierId, b: BarrierId) -> ExprId {
        let is_sure = |at: BarrierId| self.ordinals[at].0 == self.ordinals[at].1;
        if is_sure(a) && is_sure(b) {
            return exprs.truth(true);
        }
        let (before, others) = (self.before(a), self.before(b));
        if before.len().max(others.len()) > MOST_COMPARED {
            let [one, other] = [before, others].map(|x| exprs.count(x, BarrierOp::ORDINAL_BITS));
            return exprs.equal(one, other);
        }
        // The results of later operations may depend on earlier ones and on this condition. The
        // ordinals are compared from the lowest on, so that once these decide, the others do not
        // matter.
        let first = self.ordinals[a].0.max(self.ordinals[b].0);
        let last = self.ordinals[a].1.min(self.ordinals[b].1);
        (first..=last).fold(exprs.truth(false), |any, ordinal| {
            let (one, other) = (exactly(exprs, &before, ordinal), exactly(exprs, &others, ordinal));
            let both = exprs.and(one, other);
            exprs.or(any, both)
        })
    }

    /// The guards of the earlier operations that the ordinal of an operation counts.
    fn before(&self, at: BarrierId) -> Vec<ExprId> {
        self.numbering.earlier(at).map(|other| self.guards[other]).collect()
    }
}

/// The most earlier operations for which ordinals are compared one by one.
const MOST_COMPARED: usize = 12;

/// The condition that exactly `number` of some guards hold, decided from the first guard on.
fn exactly(exprs: &mut ExprArena, guards: &[ExprId], number: usize) -> ExprId {
    // Entry `n`: exactly `n` of the guards looked at hold. The loop begins with no guard and ends
    // with all.
    let mut rest: Vec<ExprId> = (0..=number).map(|n| exprs.truth(n == 0)).collect();
    for &guard in guards.iter().rev() {
        for n in (0..=number).rev() {
            let fewer = match n {
                0 => exprs.truth(false),
                _ => rest[n - 1],
            };
            rest[n] = exprs.ite(guard, fewer, rest[n]);
        }
    }
    rest[number]
}

/// The ordinal of an operation, at least and at most. Of earlier operations that exclude each other,
/// such as in the arms of a branch, one counts.
fn ordinal_bounds(
    numbering: &Numbering,
    exprs: &mut ExprArena,
    guards: &TiSlice<BarrierId, ExprId>,
    at: BarrierId,
) -> (usize, usize) {
    let guard = guards[at];
    let (mut always, mut arms) = (0, Vec::<ExprId>::new());
    for when in numbering.earlier(at).map(|other| guards[other]) {
        // In a loop, the guard implies nearly all earlier operations, which need no search for arms.
        if exprs.implied(guard, when) {
            always += 1;
            continue;
        }
        let with = exprs.and(when, guard);
        if exprs.is_false(with) {
            continue;
        }
        let apart = |arms: &&mut ExprId| {
            let both = exprs.and(**arms, when);
            exprs.is_false(both)
        };
        match arms.iter_mut().find(apart) {
            Some(arms) => *arms = exprs.or(*arms, when),
            None => arms.push(when),
        }
    }
    let surely = arms.iter().filter(|&&arms| {
        let none = exprs.not(arms);
        let without = exprs.and(guard, none);
        exprs.is_false(without)
    });
    (always + surely.count(), always + arms.len())
}
