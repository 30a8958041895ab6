//! Barrier operations of a thread: the barriers that each may use, and the results of reductions.

use super::barrier::{BarrierKey, BarrierOp, BarrierUse, Exchange, UsedCount, Warp};
use super::builder::GraphBuilder;
use super::exchange::{Exchanged, Member, Own};
use super::graph::{EventGraph, EventKind};
use super::unfold::{Cell, Effect, EffectKind, State, ThreadRun};
use crate::id::{AccessId, AgentId, BarrierId, ExprId};
use crate::litmus::ast::ThreadPlace;
use crate::program::expr::{Expr, ExprArena};
use crate::program::micro::{BarrierGroup, BarrierMicro, Micro, Program, Reduction, ThreadCode};
use crate::program::term::Term;
use crate::rule::Rule;
use crate::source::Span;
use std::collections::BTreeSet;
use typed_index_collections::TiSlice;
use typed_index_collections::TiVec;

impl ThreadRun<'_, '_> {
    pub(super) fn barrier(
        &mut self,
        node: usize,
        barrier: &BarrierMicro,
        state: &mut State,
        span: Span,
    ) {
        let count = barrier.count.as_ref().map(|t| self.term(t, state, None));
        let operand = barrier.operand.as_ref();
        let operand = operand.map(|t| (self.term(t, state, None), self.term_reads(t, state)));
        let exchange = barrier.exchange.as_ref().map(|exchange| Exchange {
            op: exchange.op,
            lane: self.term(&exchange.lane, state, None),
            source: exchange.source.as_ref().map(|t| self.term(t, state, None)),
            value: None,
        });
        let legal = self.term(&barrier.legal, state, None);
        let guard = self.exprs().and(state.guard, legal);
        let resources = if self.builder.exprs.is_false(guard) {
            Vec::new()
        } else {
            self.barrier_keys(barrier, &State { guard, ..state.clone() }, span)
        };
        let register = match (&barrier.exchange, barrier.reduction) {
            (Some(exchange), _) => Some(exchange.register),
            (None, Some((_, register))) => register,
            (None, None) => None,
        };
        let mut result: Option<Cell> = None;
        for (guard, key) in resources {
            let cell = match exchange {
                Some(exchange) if self.is_alone_in(&key) => {
                    Some(self.exchange_alone(exchange, &key, operand.clone()))
                }
                _ => {
                    let passes = barrier.arrives && barrier.waits && count.is_none();
                    let alone = self.is_alone_at(&key);
                    let index = self.builder.push_barrier(
                        self.index,
                        barrier,
                        key,
                        count,
                        operand.clone(),
                        exchange,
                        guard,
                        self.position,
                        span,
                    );
                    self.met.push((node, index));
                    if passes && alone {
                        // No other thread is there to notice; the result is the thread's own
                        // operand.
                        self.returned_alone(barrier, operand.clone())
                    } else {
                        self.effects.push(Effect { node, guard, kind: EffectKind::Change });
                        self.returned(barrier, index)
                    }
                }
            };
            result = match (result, cell) {
                (Some(other), Some(cell)) => Some(self.choose_cell(guard, cell, &other)),
                (other, cell) => cell.or(other),
            };
        }
        if let (Some(register), Some(mut cell)) = (register, result) {
            let wide = self.code.registers[register].ty.bits;
            cell.value = self.exprs().resize(cell.value, wide, false);
            state.cells[register] = cell;
        }
    }

    /// The result of a reduction without other participants; `None` if the operation is none.
    fn returned_alone(
        &mut self,
        barrier: &BarrierMicro,
        operand: Option<(ExprId, Vec<AccessId>)>,
    ) -> Option<Cell> {
        let (reduction, _) = barrier.reduction?;
        let (operand, reads) = operand?;
        let value = match reduction {
            Reduction::Popc => self.exprs().zero_extend(operand, 32),
            Reduction::And | Reduction::Or => operand,
        };
        Some(Cell { value, reads })
    }

    /// The result of a barrier operation, if it has one.
    fn returned(&mut self, barrier: &BarrierMicro, index: BarrierId) -> Option<Cell> {
        let width = match (&barrier.exchange, barrier.reduction) {
            (Some(exchange), _) => exchange.op.result().bits,
            (None, Some((Reduction::Popc, _))) => 32,
            (None, Some(_)) => 1,
            (None, None) => return None,
        };
        let value = self.exprs().leaf(Expr::Barrier(index), width);
        let reads = self.builder.results.get(index).cloned().unwrap_or_default();
        Some(Cell { value, reads })
    }

    /// Whether the test has no other thread of an exchange's membermask.
    fn is_alone_in(&self, key: &BarrierKey) -> bool {
        let BarrierKey::Exchange(warp, mask, _) = *key else { return false };
        let mut lanes = (0_u32..).zip(self.threads_in(warp));
        !lanes.any(|(lane, index)| index != self.index && mask >> lane & 1 == 1)
    }

    /// The result of an exchange without other participants: a value of the thread's registers.
    fn exchange_alone(
        &mut self,
        exchange: Exchange,
        key: &BarrierKey,
        operand: Option<(ExprId, Vec<AccessId>)>,
    ) -> Cell {
        let (operand, reads) = operand.unzip();
        let present = self.exprs().truth(true);
        let Exchange { op, lane, source, .. } = exchange;
        let operand = operand.unwrap_or(lane);
        let member = Member { thread: self.index, lane, present, operand };
        let GraphBuilder { exprs, symbols, .. } = &mut *self.builder;
        let mut alone = Exchanged { exprs, symbols, members: &[member], key };
        let value = alone.result(Own { op, source, member });
        Cell { value, reads: reads.unwrap_or_default() }
    }

    /// Whether the test has no other thread that a barrier might wait for.
    fn is_alone_at(&self, key: &BarrierKey) -> bool {
        let mut threads = self.builder.program.threads.iter().enumerate();
        !threads.any(|(index, thread)| match (thread.place, key) {
            _ if index == self.index => false,
            (ThreadPlace::Host, _) => false,
            (ThreadPlace::Device(place), BarrierKey::Warp(warp, _)) => {
                Warp::of(index, place) == *warp
            }
            (ThreadPlace::Device(place), _) => key.includes(place),
        })
    }

    /// The barriers that an operation may use, each with its guard.
    pub(super) fn barrier_keys(
        &mut self,
        barrier: &BarrierMicro,
        state: &State,
        span: Span,
    ) -> Vec<(ExprId, BarrierKey)> {
        let ThreadPlace::Device(p) = self.code.place else {
            self.violate(state.guard, span, Rule::HostThread { what: "a barrier" });
            return Vec::new();
        };
        let cta = (p.gpu, p.grid, p.cta);
        match &barrier.group {
            BarrierGroup::Cluster => {
                vec![(state.guard, BarrierKey::Cluster((p.gpu, p.grid, p.cluster)))]
            }
            BarrierGroup::Warp(mask) | BarrierGroup::Exchange(mask, _) => {
                let warp = Warp::of(self.index, p);
                let lanes = self.threads_in(warp).count();
                let masks = self.values_among(mask, state, &Operands::masks(lanes), span);
                let key = |mask| match barrier.group {
                    BarrierGroup::Exchange(_, op) => BarrierKey::Exchange(warp, mask, op),
                    _ => BarrierKey::Warp(warp, mask),
                };
                masks.into_iter().map(|(guard, mask)| (guard, key(mask))).collect()
            }
            BarrierGroup::Cta(resource) => {
                let values = self.values_among(resource, state, &Operands::resources(), span);
                values.into_iter().map(|(g, r)| (g, BarrierKey::Cta(cta, r))).collect()
            }
            BarrierGroup::Instance(instance, resource) => {
                let instances = self.values_among(instance, state, &Operands::small(), span);
                let mut out = Vec::new();
                for (guard, i) in instances {
                    let inner = State { guard, ..state.clone() };
                    for (guard, r) in self.values_among(resource, &inner, &Operands::small(), span)
                    {
                        out.push((guard, BarrierKey::Instance(cta, i, r)));
                    }
                }
                out
            }
        }
    }

    /// The threads of the test in a warp, lane by lane.
    fn threads_in(&self, warp: Warp) -> impl Iterator<Item = usize> {
        let threads = self.builder.program.threads.iter().enumerate();
        let inside = threads.filter(move |(index, thread)| match thread.place {
            ThreadPlace::Device(place) => Warp::of(*index, place) == warp,
            ThreadPlace::Host => false,
        });
        inside.map(|(index, _)| index)
    }

    /// The values that a term may have, each with its guard: a constant, or the values that are
    /// followed.
    fn values_among(
        &mut self,
        term: &Term,
        state: &State,
        operands: &Operands,
        span: Span,
    ) -> Vec<(ExprId, u64)> {
        let Operands { followed, largest, rule } = operands;
        let value = self.term(term, state, None);
        let value = self.with_tables(value);
        if let Some(number) = self.builder.exprs.constant(value) {
            return match u64::try_from(number) {
                Ok(number) if number <= *largest => vec![(state.guard, number)],
                _ => {
                    self.violate(state.guard, span, rule.clone());
                    Vec::new()
                }
            };
        }
        let width = self.builder.exprs.width(value);
        let mut out = Vec::new();
        let mut elsewhere = state.guard;
        for &number in followed {
            let constant = self.exprs().number(u128::from(number), width);
            let here = self.exprs().equal(value, constant);
            let guard = self.exprs().and(state.guard, here);
            if !self.builder.exprs.is_false(guard) {
                out.push((guard, number));
            }
            let not = self.exprs().not(here);
            elsewhere = self.exprs().and(elsewhere, not);
        }
        if !self.builder.exprs.is_false(elsewhere) {
            self.violate(elsewhere, span, rule.clone());
        }
        out
    }
}

/// The lanes of a warp (PTX-2.2.1).
const WARP: usize = 32;

/// The values that an operand of barrier operations may have.
struct Operands {
    /// The values that are followed for a computed operand.
    followed: Vec<u64>,
    /// The largest one.
    largest: u64,
    /// The rule for other values: undefined, or just not followed.
    rule: Rule,
}

impl Operands {
    fn resources() -> Self {
        Self { largest: 15, rule: Rule::BarrierNumber, ..Self::small() }
    }

    /// Those of barriers in columns, of any number.
    fn small() -> Self {
        let rule = Rule::ComputedBarrier;
        Self { followed: (0..=15).collect(), largest: u64::MAX, rule }
    }

    /// The considered membermasks of a warp with the given number of threads. For up to four
    /// threads these are all masks. For more threads they cover the first lanes, single lanes, all
    /// lanes but one, and the whole warp.
    fn masks(threads: usize) -> Self {
        let first = |count: usize| (1_u64 << count) - 1;
        let lanes = 0..threads.min(WARP);
        let mut masks: BTreeSet<u64> = match threads {
            ..=4 => (0..=15).collect(),
            _ => {
                let all = first(lanes.end);
                let of = |lane: usize| [1 << lane, first(lane + 1), all & !(1 << lane)];
                lanes.flat_map(of).collect()
            }
        };
        let largest = u64::from(u32::MAX);
        masks.insert(largest);
        Self { followed: masks.into_iter().collect(), largest, rule: Rule::ComputedMask }
    }
}

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
            && !graph.meets_by_turn(&op.key)
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
    barriers: &'a TiSlice<BarrierId, BarrierOp>,
    /// The thread of each operation.
    threads: TiVec<BarrierId, usize>,
    /// The guard of each operation.
    guards: TiVec<BarrierId, ExprId>,
    /// For each operation, how many earlier ones of its thread count in the same numbering, at
    /// least and at most.
    turns: TiVec<BarrierId, (usize, usize)>,
    /// For each operation, whether operations at its barrier meet exactly if their ordinals agree.
    by_turn: TiVec<BarrierId, bool>,
}

impl<'a> Meetings<'a> {
    /// Analyses operations, given the thread and the guard of each.
    pub(super) fn new(
        barriers: &'a TiSlice<BarrierId, BarrierOp>,
        exprs: &ExprArena,
        places: &TiSlice<BarrierId, (usize, ExprId)>,
        by_turn: impl Fn(&BarrierKey) -> bool,
    ) -> Self {
        let threads = places.iter().map(|&(thread, _)| thread).collect();
        let guards = places.iter().map(|&(_, guard)| guard).collect();
        let (mut turns, mut known) = (TiVec::new(), TiVec::new());
        // Without results, the ordinals are not asked for.
        if barriers.iter().any(BarrierOp::returns) {
            let mut exprs = exprs.clone();
            turns.extend(barriers.keys().map(|at| turn(barriers, &mut exprs, places, at)));
            // Columns number the operations of each thread.
            let turns = |key: &_| matches!(key, BarrierKey::Instance(..)) || by_turn(key);
            known.extend(barriers.iter().map(|op| turns(&op.key)));
        }
        Self { barriers, threads, guards, turns, by_turn: known }
    }

    /// Whether two operations may be in one generation. Two operations of one thread never are;
    /// where ordinals decide, generations are counted by occurrence.
    pub(super) fn may_share_phase(&self, a: BarrierId, b: BarrierId) -> bool {
        let (one, other) = (&self.barriers[a], &self.barriers[b]);
        if a == b || one.key != other.key || self.threads[a] == self.threads[b] {
            return a == b;
        }
        if !self.by_turn[a] {
            return true;
        }
        let ((first, last), (other_first, other_last)) = (self.turns[a], self.turns[b]);
        first <= other_last && other_first <= last
    }
}

impl Meetings<'_> {
    /// The condition that two operations which may be in one generation are in one, given that both
    /// happen and ordinals decide.
    pub(super) fn is_together(&self, exprs: &mut ExprArena, a: BarrierId, b: BarrierId) -> ExprId {
        let is_sure = |at: BarrierId| self.turns[at].0 == self.turns[at].1;
        if is_sure(a) && is_sure(b) {
            return exprs.truth(true);
        }
        let (before, others) = (self.before(a), self.before(b));
        if before.len().max(others.len()) > MOST_IN_TURN {
            let [one, other] = [before, others].map(|x| exprs.count(x, BarrierOp::ORDINAL_BITS));
            return exprs.equal(one, other);
        }
        // The results of later operations may depend on earlier ones and on this condition. The
        // ordinals are compared from the lowest on, so that once these decide, the others do not
        // matter.
        let first = self.turns[a].0.max(self.turns[b].0);
        let last = self.turns[a].1.min(self.turns[b].1);
        (first..=last).fold(exprs.truth(false), |any, turn| {
            let (one, other) = (exactly(exprs, &before, turn), exactly(exprs, &others, turn));
            let both = exprs.and(one, other);
            exprs.or(any, both)
        })
    }

    /// The guards of the earlier operations of the same thread in the same numbering.
    fn before(&self, at: BarrierId) -> Vec<ExprId> {
        let counts = |&other: &BarrierId| {
            self.threads[other] == self.threads[at]
                && self.barriers[other].is_numbered_with(&self.barriers[at])
        };
        at.earlier().filter(counts).map(|other| self.guards[other]).collect()
    }
}

/// The most earlier operations for which ordinals are compared one by one.
const MOST_IN_TURN: usize = 12;

/// The condition that exactly so many of some guards hold, decided from the first guard on.
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

/// How many earlier operations of the thread count in the numbering of this one, at least and at
/// most. Of operations that exclude each other, such as in the arms of a branch, one counts.
fn turn(
    barriers: &TiSlice<BarrierId, BarrierOp>,
    exprs: &mut ExprArena,
    places: &TiSlice<BarrierId, (usize, ExprId)>,
    at: BarrierId,
) -> (usize, usize) {
    let (thread, guard) = places[at];
    let (mut always, mut arms) = (0, Vec::<ExprId>::new());
    for other in at.earlier() {
        let (of, when) = places[other];
        if of != thread || !barriers[other].is_numbered_with(&barriers[at]) {
            continue;
        }
        // In a loop nearly all earlier operations are implied, and in no arm.
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
