//! The results of exchanges of register values within a warp, as expressions over the operands of
//! the participants. Participants are the threads of the membermask whose operations share a phase.

use super::graph::{EventGraph, Symbol};
use super::meetings::Meetings;
use crate::id::{BarrierId, ExprId, SymbolId};
use crate::program::expr::{Binary, Expr, ExprArena};
use crate::program::float::{FloatOp, Format, Function};
use crate::ptx::floating::{FloatMode, Nans};
use crate::ptx::operation::AtomicOp;
use crate::ptx::warp::{Vote, WarpOp, WarpReduction};
use crate::waiting::barrier::{BarrierKey, Warp};
use std::sync::Arc;
use typed_index_collections::TiVec;

/// An operation that may take part in an exchange.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// The thread.
    pub(super) thread: usize,
    /// Its lane.
    pub(super) lane: ExprId,
    /// The condition that the operation takes part.
    pub(super) present: ExprId,
    /// The exchanged operand; unused by exchanges of lane numbers alone.
    pub(super) operand: ExprId,
}

/// The operation whose result is computed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Own {
    pub(super) op: WarpOp,
    /// The source lane of `shfl.sync`.
    pub(super) source: Option<ExprId>,
    /// The operation as a participant, which is present.
    pub(super) member: Member,
}

/// Defines the results of all exchanges of a graph.
pub(super) fn define(graph: &mut EventGraph) {
    if graph.barriers.iter().all(|op| op.exchange.is_none()) {
        return;
    }
    let events: Vec<_> = graph.barriers.iter().map(|op| graph.event(op.event)).collect();
    let places: TiVec<BarrierId, _> =
        events.iter().map(|event| (event.agent.index(), event.guard)).collect();
    let barriers = graph.barriers.clone();
    let guards = places.iter().map(|&(_, guard)| guard).collect();
    let numbering = Arc::clone(graph.numbering());
    let by_ordinal = |key: &BarrierKey| graph.meets_by_ordinal(key);
    let meetings = Meetings::new(&barriers, &numbering, &graph.exprs, guards, by_ordinal);
    for (at, op) in barriers.iter_enumerated() {
        let Some(exchange) = op.exchange else { continue };
        let mut members = Vec::new();
        for (other, there) in barriers.iter_enumerated() {
            let Some(brings) = there.exchange.filter(|_| meetings.may_share_phase(at, other))
            else {
                continue;
            };
            let mut present = graph.exprs.truth(true);
            if other != at {
                let together = meetings.is_together(&mut graph.exprs, at, other);
                present = graph.exprs.and(places[other].1, together);
            }
            if !graph.exprs.is_false(present) {
                let (thread, lane) = (places[other].0, brings.lane);
                let operand = there.operand.unwrap_or(lane);
                members.push(Member { thread, lane, present, operand });
            }
        }
        for agent in graph.members(&op.key) {
            let thread = agent.index();
            if let Some(lane) =
                graph.lane(agent).filter(|_| members.iter().all(|m| m.thread != thread))
            {
                let (lane, present) =
                    (graph.exprs.number(u128::from(lane), 32), graph.exprs.truth(false));
                let operand = op.operand.unwrap_or(exchange.lane);
                members.push(Member { thread, lane, present, operand });
            }
        }
        // The leader is chosen among all threads of the membermask, present or not.
        members.sort_by_key(|member| member.thread);
        let own = members.iter().find(|member| member.thread == places[at].0);
        let own = Own { op: exchange.op, source: exchange.source, member: *own.expect("itself") };
        let EventGraph { exprs, symbols, .. } = graph;
        let value = Exchanged { exprs, symbols, members: &members, key: &op.key }.result(own);
        graph.barriers[at].exchange =
            op.exchange.map(|e| crate::waiting::barrier::Exchange { value: Some(value), ..e });
    }
}

/// An exchange, with the operations that may take part in it.
pub(super) struct Exchanged<'a> {
    pub(super) exprs: &'a mut ExprArena,
    pub(super) symbols: &'a mut Vec<Symbol>,
    /// All possible participants, thread by thread.
    pub(super) members: &'a [Member],
    /// The barrier of the exchange.
    pub(super) key: &'a BarrierKey,
}

impl Exchanged<'_> {
    /// The result of one participant.
    pub(super) fn result(&mut self, own: Own) -> ExprId {
        match own.op {
            WarpOp::Shuffle(_) => self.shuffled(own),
            WarpOp::Vote(vote) => self.voted(vote),
            WarpOp::Ballot => self.mask_of(|_, member| member.operand),
            WarpOp::MatchAny(_) => {
                self.mask_of(|exprs, member| exprs.equal(member.operand, own.member.operand))
            }
            WarpOp::MatchAll(_) => {
                let alike =
                    self.for_all(|exprs, member| exprs.equal(member.operand, own.member.operand));
                let all = self.mask_of(|exprs, _| exprs.truth(true));
                let none = self.exprs.number(0, 32);
                self.exprs.ite(alike, all, none)
            }
            WarpOp::Reduce(reduction) => self.reduced(reduction, own.member),
            WarpOp::Elect => self.leader(),
            WarpOp::ActiveMask => unreachable!("it waits for nobody"),
        }
    }

    /// The expression that a condition holds of all participants.
    fn for_all(&mut self, holds: impl Fn(&mut ExprArena, &Member) -> ExprId) -> ExprId {
        self.members.iter().fold(self.exprs.truth(true), |all, member| {
            let holds = holds(self.exprs, member);
            let absent = self.exprs.not(member.present);
            let one = self.exprs.or(absent, holds);
            self.exprs.and(all, one)
        })
    }

    /// The mask of the participants of which a condition holds.
    fn mask_of(&mut self, holds: impl Fn(&mut ExprArena, &Member) -> ExprId) -> ExprId {
        let (none, one) = (self.exprs.number(0, 32), self.exprs.number(1, 32));
        self.members.iter().fold(none, |mask, member| {
            let holds = holds(self.exprs, member);
            let holds = self.exprs.and(member.present, holds);
            let bit = self.exprs.binary(Binary::Shl, one, member.lane);
            let bit = self.exprs.ite(holds, bit, none);
            self.exprs.binary(Binary::Or, mask, bit)
        })
    }

    fn voted(&mut self, vote: Vote) -> ExprId {
        let no = |exprs: &mut ExprArena, member: &Member| exprs.not(member.operand);
        match vote {
            Vote::All => self.for_all(|_, member| member.operand),
            Vote::Any => {
                let none = self.for_all(no);
                self.exprs.not(none)
            }
            Vote::Uniform => {
                let (all, none) = (self.for_all(|_, member| member.operand), self.for_all(no));
                self.exprs.or(all, none)
            }
        }
    }

    /// The operand of the source lane; unknown if that lane does not take part.
    fn shuffled(&mut self, own: Own) -> ExprId {
        let source = own.source.expect("`shfl.sync` asks for a lane");
        let mut from = Vec::new();
        for member in self.members {
            let here = self.exprs.equal(source, member.lane);
            let here = self.exprs.and(here, member.present);
            if self.exprs.is_true(here) {
                return member.operand;
            }
            if !self.exprs.is_false(here) {
                from.push((here, member.operand));
            }
        }
        let unknown = self.unknown(format!("value of another lane by {}", self.key), 32);
        from.into_iter()
            .fold(unknown, |value, (here, operand)| self.exprs.ite(here, operand, value))
    }

    fn reduced(&mut self, reduction: WarpReduction, own: Member) -> ExprId {
        // Combined with itself, a NaN becomes canonical.
        let first = self.operand_of(reduction, own);
        let first = match reduction.ty.is_float() {
            true => self.combined(reduction, first, first),
            false => first,
        };
        let others: Vec<Member> =
            self.members.iter().filter(|other| other.thread != own.thread).copied().collect();
        others.into_iter().fold(first, |value, other| {
            let operand = self.operand_of(reduction, other);
            let with = self.combined(reduction, value, operand);
            self.exprs.ite(other.present, with, value)
        })
    }

    fn operand_of(&mut self, reduction: WarpReduction, member: Member) -> ExprId {
        let magnitude = self.exprs.number(0x7fff_ffff, 32);
        match reduction.magnitudes {
            true => self.exprs.binary(Binary::And, member.operand, magnitude),
            false => member.operand,
        }
    }

    fn combined(&mut self, reduction: WarpReduction, a: ExprId, b: ExprId) -> ExprId {
        let less = if reduction.ty.is_signed() { Binary::SLt } else { Binary::ULt };
        let nans = if reduction.nan { Nans::Win } else { Nans::Lose };
        let mode = FloatMode { nans, ..FloatMode::default() };
        let float = |op| Binary::Float(Function { op, format: Format::F32, mode });
        match reduction.op {
            AtomicOp::Min if reduction.ty.is_float() => {
                self.exprs.binary(float(FloatOp::Min), a, b)
            }
            AtomicOp::Max if reduction.ty.is_float() => {
                self.exprs.binary(float(FloatOp::Max), a, b)
            }
            AtomicOp::Min => {
                let less = self.exprs.binary(less, a, b);
                self.exprs.ite(less, a, b)
            }
            AtomicOp::Max => {
                let less = self.exprs.binary(less, a, b);
                self.exprs.ite(less, b, a)
            }
            AtomicOp::And => self.exprs.binary(Binary::And, a, b),
            AtomicOp::Or => self.exprs.binary(Binary::Or, a, b),
            AtomicOp::Xor => self.exprs.binary(Binary::Xor, a, b),
            AtomicOp::Add => self.exprs.binary(Binary::Add, a, b),
            _ => unreachable!("`redux.sync` has no other operation"),
        }
    }

    /// The lane of the leader: the first participant at or after a start lane, modulo the warp. The
    /// execution chooses the start lane once for each membermask, so that the same threads always have
    /// the same leader (PTX-9.7.13.14).
    fn leader(&mut self) -> ExprId {
        let threads = self.threads();
        let bits = usize::BITS - (threads.len() - 1).leading_zeros();
        let choice: Vec<ExprId> =
            (0..bits).map(|bit| self.fixed(self.leader_name(bit), 1)).collect();
        let starts: Vec<ExprId> = (0..threads.len())
            .map(|start| {
                let (last, rest) = (threads.len() - 1, (0..threads.len() - 1).rev());
                let at = |n: usize| threads[(start + n) % threads.len()];
                rest.fold(at(last).0, |lane, n| self.exprs.ite(at(n).1, at(n).0, lane))
            })
            .collect();
        self.chosen(&choice, &starts)
    }

    /// The name of a bit of the leader's place, which is chosen once for each warp and membermask.
    fn leader_name(&self, bit: u32) -> String {
        let BarrierKey::Exchange(Warp { cta: (gpu, grid, _), .. }, ..) = self.key else {
            return String::new();
        };
        format!("leader of {} on gpu {gpu}, grid {grid}, bit {bit}", self.key)
    }

    /// One of some values, selected by the bits of its index, lowest first. An index beyond the
    /// last value selects the last.
    fn chosen(&mut self, bits: &[ExprId], values: &[ExprId]) -> ExprId {
        let Some((&bit, lower)) = bits.split_last() else { return values[0] };
        let half = values.len().min(1 << lower.len());
        let low = self.chosen(lower, &values[..half]);
        let rest = if half < values.len() { &values[half..] } else { &values[half - 1..] };
        let high = self.chosen(lower, rest);
        self.exprs.ite(bit, high, low)
    }

    /// The possible participants: for each thread, its lane and the condition that it takes part.
    fn threads(&mut self) -> Vec<(ExprId, ExprId)> {
        let mut out: Vec<(usize, ExprId, ExprId)> = Vec::new();
        for member in self.members {
            match out.last_mut().filter(|last| last.0 == member.thread) {
                Some(last) => last.2 = self.exprs.or(last.2, member.present),
                None => out.push((member.thread, member.lane, member.present)),
            }
        }
        out.into_iter().map(|(_, lane, present)| (lane, present)).collect()
    }

    fn unknown(&mut self, name: String, width: u32) -> ExprId {
        self.symbols.push(Symbol::chosen(name, width));
        self.exprs.leaf(Expr::Symbol(SymbolId::new(self.symbols.len() - 1)), width)
    }

    /// The free value of a name: one value for all its uses.
    fn fixed(&mut self, name: String, width: u32) -> ExprId {
        match self.symbols.iter().position(|symbol| symbol.name == name) {
            Some(known) => self.exprs.leaf(Expr::Symbol(SymbolId::new(known)), width),
            None => self.unknown(name, width),
        }
    }
}
