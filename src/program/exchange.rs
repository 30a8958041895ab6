//! Exchanges of register values within a warp as micro-operations: `shfl.sync`, `vote.sync`,
//! `match.sync`, `redux.sync`, `elect.sync` and `activemask`.

use super::expr::Binary;
use super::lower::Lowering;
use super::micro::{BarrierGroup, BarrierMicro, ExchangeMicro, Micro};
use super::term::{Extension, Term};
use crate::ptx::operation::{Type, TypeKind, Value};
use crate::ptx::warp::{Shuffle, WarpOp};
use crate::ptx::written::Written;
use crate::rule::Rule;

const WORD: Type = Type::new(TypeKind::Unsigned, 32);
/// The bits of a lane number.
const LANE_BITS: u32 = 5;
/// Enough bits for sums and differences of lanes, with a sign.
const SUM_BITS: u32 = 8;

impl Lowering<'_> {
    /// Lowers an exchange. It waits like `bar.warp.sync`, for threads at the same instruction.
    pub(super) fn warp_exchange(&mut self, op: WarpOp, written: &Written) {
        let (destination, predicate) = (written.destination(), written.predicate());
        let sources: Vec<&Value> = written.sources().map(|(value, _)| value).collect();
        let Some((mask, sources)) = sources.split_last() else {
            let mask = self.active_mask();
            return self.assign(destination, mask, Extension::Zero);
        };
        let mask = self.value(mask, WORD);
        let lane = self.lane_id();
        let mut legal = Term::truth(true);
        if let Some(lane) = self.at.lane {
            let (instruction, clause) = (op.to_string(), op.section());
            legal = mask.clone().bits(lane, 1);
            self.require(legal.clone(), Rule::ExchangeMask { instruction, clause });
        }
        let operand = op.operand().zip(sources.first()).map(|(ty, value)| self.value(value, ty));
        let mut source = None;
        if let (WarpOp::Shuffle(mode), [_, b, c]) = (op, sources) {
            let (b, c) = (self.value(b, WORD), self.value(c, WORD));
            let (from, inside) = shuffle(mode, &lane, b, c);
            source = Some(from);
            self.assign(predicate, inside, Extension::Zero);
        }
        let register = self.registers.temporary(0);
        let exchange = ExchangeMicro { op, lane: lane.clone(), source, register };
        self.out.push(Micro::Barrier(BarrierMicro {
            legal,
            operand,
            exchange: Some(exchange),
            ..BarrierMicro::of(BarrierGroup::Exchange(mask, op), true, true)
        }));
        let result = Term::Register(register).resize(op.result().bits, Extension::Zero);
        match op {
            WarpOp::Elect => self.assign(predicate, result.clone().equals(lane), Extension::Zero),
            WarpOp::MatchAll(_) => {
                let none = result.clone().equals(Term::Const(0, 32));
                self.assign(predicate, none.not(), Extension::Zero);
            }
            _ => {}
        }
        self.assign(destination, result, Extension::Zero);
    }

    /// The threads of the warp that are active together with this thread. The execution chooses a
    /// subset of the test's threads anew each time (PTX-9.7.13.11).
    fn active_mask(&self) -> Term {
        let own = Term::Const(1, 32).binary(Binary::Shl, self.lane_id());
        let mates = (0..self.at.lanes).filter(|&lane| self.at.lane != Some(lane));
        mates.fold(own, |mask, lane| {
            let active = Term::Free(format!("whether lane {lane} is active"), 1);
            let bit = active.choose(Term::Const(1 << lane, 32), Term::Const(0, 32));
            mask.binary(Binary::Or, bit)
        })
    }
}

/// The lane from which a `shfl.sync` takes its value, and whether that lane is in range
/// (PTX-9.7.9.6).
fn shuffle(mode: Shuffle, lane: &Term, b: Term, c: Term) -> (Term, Term) {
    let lane = lane.clone().bits(0, LANE_BITS);
    let (b, clamp, segment) =
        (b.bits(0, LANE_BITS), c.clone().bits(0, LANE_BITS), c.bits(8, LANE_BITS));
    let least = lane.clone().binary(Binary::And, segment.clone());
    let within = |part: Term| part.binary(Binary::And, segment.clone().not());
    let most = least.clone().binary(Binary::Or, within(clamp));
    let wide = |part: Term| part.resize(SUM_BITS, Extension::Zero);
    let from = match mode {
        Shuffle::Up => wide(lane.clone()).binary(Binary::Sub, wide(b)),
        Shuffle::Down => wide(lane.clone()).binary(Binary::Add, wide(b)),
        Shuffle::Butterfly => wide(lane.clone().binary(Binary::Xor, b)),
        Shuffle::Index => wide(least.binary(Binary::Or, within(b))),
    };
    let outside = match mode {
        Shuffle::Up => from.clone().binary(Binary::SLt, wide(most)),
        _ => wide(most).binary(Binary::SLt, from.clone()),
    };
    let from = outside.clone().choose(wide(lane), from);
    (from.resize(32, Extension::Zero), outside.not())
}
