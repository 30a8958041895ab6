//! Barrier operations of a thread: the barriers that each may use, and the results of reductions.

use super::access::union;
use super::agents::agents;
use super::barrier_members::meets_by_ordinal;
use super::barrier_operations::Operands;
use super::builder::GraphBuilder;
use super::entry::{DraftKind, barrier_at};
use super::exchange::{Exchanged, Member, Own};
use super::meetings::{Meetings, barrier_uses};
use super::symbolic::{Cell, Effect, EffectKind, State, SymbolicThread};
use crate::id::{AccessId, AgentId, BarrierId, ExprId};
use crate::litmus::ast::ThreadPlace;
use crate::program::expr::Expr;
use crate::program::micro::{BarrierGroup, BarrierMicro, Reduction};
use crate::program::term::Term;
use crate::rule::Rule;
use crate::source::Span;
use crate::waiting::barrier::{BarrierKey, BarrierOp, Exchange, Warp};
use crate::waiting::numbering::Numbering;
use std::collections::BTreeSet;
use typed_index_collections::TiVec;

impl SymbolicThread<'_, '_> {
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
                    let operands = Operands { count, operand: operand.clone(), exchange };
                    let index = self.builder.barriers.push(barrier, key, operands, guard);
                    self.push_other(DraftKind::Barrier(index), guard, span);
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
        let reads = self.builder.barriers.results.get(index).cloned().unwrap_or_default();
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
        let symbols = &mut symbols.list;
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
                let masks = self.values_among(mask, state, &Choices::masks(lanes), span);
                let key = |mask| match barrier.group {
                    BarrierGroup::Exchange(_, op) => BarrierKey::Exchange(warp, mask, op),
                    _ => BarrierKey::Warp(warp, mask),
                };
                masks.into_iter().map(|(guard, mask)| (guard, key(mask))).collect()
            }
            BarrierGroup::Cta(resource) => {
                let values = self.values_among(resource, state, &Choices::resources(), span);
                values.into_iter().map(|(g, r)| (g, BarrierKey::Cta(cta, r))).collect()
            }
            BarrierGroup::Instance(instance, resource) => {
                let instances = self.values_among(instance, state, &Choices::small(), span);
                let mut out = Vec::new();
                for (guard, i) in instances {
                    let inner = State { guard, ..state.clone() };
                    for (guard, r) in self.values_among(resource, &inner, &Choices::small(), span) {
                        out.push((guard, BarrierKey::Instance(cta, i, r)));
                    }
                }
                out
            }
        }
    }

    /// The threads of the test in a warp, lane by lane.
    pub(super) fn threads_in(&self, warp: Warp) -> impl Iterator<Item = usize> {
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
        choices: &Choices,
        span: Span,
    ) -> Vec<(ExprId, u64)> {
        let Choices { followed, largest, rule } = choices;
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

/// The values that an operand of barrier operations may have, if it is computed.
struct Choices {
    /// The values that are followed for a computed operand.
    followed: Vec<u64>,
    /// The largest one.
    largest: u64,
    /// The rule for other values: undefined, or just not followed.
    rule: Rule,
}

impl Choices {
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

impl GraphBuilder<'_> {
    /// For each barrier operation, the reads behind its result. These are the reads behind the
    /// operands of all operations that may share its phase, or of a shuffle's source lane. Empty if
    /// no operand comes from a read.
    pub(super) fn reductions(&self) -> TiVec<BarrierId, Vec<AccessId>> {
        if self.barriers.operands.iter().all(Vec::is_empty) {
            return TiVec::new();
        }
        let places: TiVec<BarrierId, _> = self.entries.iter().filter_map(barrier_at).collect();
        let (agents, uses) = (agents(self.program), barrier_uses(self.program));
        let by_ordinal = |key: &BarrierKey| meets_by_ordinal(&agents, &uses, key);
        let guards = places.iter().map(|&(_, guard)| guard).collect();
        let thread = |at: BarrierId| AgentId::new(places[at].0);
        // Where ordinals decide, all operations of a thread at a barrier may meet the others.
        let numbering = Numbering::new(&self.barriers.list, thread, |_| None, |_| 0);
        let list = &self.barriers.list;
        let meetings = Meetings::new(list, &numbering, &self.exprs, guards, by_ordinal);
        let all = self.barriers.list.keys();
        let met = |at: BarrierId| {
            let op = &self.barriers.list[at];
            let gives = |&other: &BarrierId| {
                let here = op.returns() && meetings.may_share_phase(at, other);
                here && self.may_ask_for(op, &self.barriers.list[other])
            };
            let met = all.clone().filter(gives);
            met.fold(Vec::new(), |all, other| union(&all, &self.barriers.operands[other]))
        };
        all.clone().map(met).collect()
    }

    /// Whether the operand of `other` may go into the result of `op`: a `shfl.sync` asks for one
    /// lane.
    fn may_ask_for(&self, op: &BarrierOp, other: &BarrierOp) -> bool {
        let constant = |x| self.exprs.constant(x);
        let asked = op.exchange.and_then(|exchange| constant(exchange.source?));
        let lane = other.exchange.and_then(|exchange| constant(exchange.lane));
        asked.zip(lane).is_none_or(|(asked, lane)| asked == lane)
    }
}
