//! Known bits of values while some symbols are open.

use super::free::Free;
use crate::event::graph::EventGraph;
use crate::id::{BarrierId, EventId, ExprId};
use crate::program::expr::{Binary, Expr, ExprArena, Unary, apply};
use crate::program::unary::apply_unary;
use crate::ptx::bits::mask;
use typed_index_collections::{TiSlice, TiVec};

/// A value of which only the bits in `known` are certain; the other bits are zero in `bits`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bits {
    bits: u128,
    known: u128,
}

impl Bits {
    fn new(bits: u128, known: u128) -> Self {
        Self { bits: bits & known, known }
    }

    fn exact(self, width: u32) -> Option<u128> {
        (self.known & mask(width) == mask(width)).then_some(self.bits)
    }
}

/// The certain bits of every expression of a graph, for all values of open symbols.
pub(super) struct Known<'a> {
    exprs: &'a ExprArena,
    values: Vec<Bits>,
}

impl<'a> Known<'a> {
    /// The certain bits under these reads-from pairs, if symbols of more than one bit are open.
    pub(super) fn of(graph: &'a EventGraph, free: &Free, rf: &[Option<EventId>]) -> Self {
        let mut read = vec![Bits::default(); graph.accesses.len()];
        let mut exchanged = TiVec::from(vec![Bits::default(); graph.barriers.len()]);
        loop {
            let mut this = Self { exprs: &graph.exprs, values: Vec::new() };
            for index in 0..graph.exprs.len() {
                let value = this.step(graph, free, rf, (&read, &exchanged), ExprId::new(index));
                this.values.push(value);
            }
            let now: Vec<Bits> =
                (0..read.len()).map(|access| this.read_value(graph, rf, access)).collect();
            let value = |x: ExprId| this.values[x.index()];
            let got = graph.barriers.iter().map(|op| op.exchanged().map(value).unwrap_or_default());
            let got: TiVec<BarrierId, Bits> = got.collect();
            if now == read && got == exchanged {
                return this;
            }
            (read, exchanged) = (now, got);
        }
    }

    /// The value of an expression, if all its bits are known.
    pub(super) fn get(&self, id: ExprId) -> Option<u128> {
        self.values[id.index()].exact(self.exprs.width(id))
    }

    /// The truth value of an expression, if it is known.
    pub(super) fn truth(&self, id: ExprId) -> Option<bool> {
        self.get(id).map(|value| value != 0)
    }

    fn read_value(&self, graph: &EventGraph, rf: &[Option<EventId>], access: usize) -> Bits {
        let mut whole = Bits::default();
        for &piece in &graph.accesses[access].pieces {
            let Some(write) = rf[piece.index()] else { continue };
            let (low, width) = graph.slice(write);
            let written = self.values[graph.access_of(write).value.index()];
            let place = graph.slice(piece).0;
            whole.bits |= ((written.bits >> low) & mask(width)) << place;
            whole.known |= ((written.known >> low) & mask(width)) << place;
        }
        whole
    }

    fn step(
        &self,
        graph: &EventGraph,
        free: &Free,
        rf: &[Option<EventId>],
        (read, exchanged): (&[Bits], &TiSlice<BarrierId, Bits>),
        id: ExprId,
    ) -> Bits {
        let width = self.exprs.width(id);
        let all = mask(width);
        let of = |x: ExprId| self.values[x.index()];
        let wide = |x: ExprId| self.exprs.width(x);
        match self.exprs.get(id) {
            Expr::Const(bits) => Bits::new(bits, all),
            Expr::Read(access) => read[access.index()],
            Expr::Mbarrier(access) => match graph.reads_mbarrier(access, rf) {
                Some(truth) => Bits::new(u128::from(truth), all),
                None => Bits::default(),
            },
            Expr::Symbol(symbol) if graph.symbols[symbol.index()].open_bits() <= 1 => {
                Bits::new(free.symbols[symbol.index()], all)
            }
            Expr::Symbol(_) | Expr::Final(_) => Bits::default(),
            Expr::Barrier(index) if graph.barriers[index].exchange.is_some() => exchanged[index],
            Expr::Barrier(index) => Bits::new(free.barriers[index], all),
            Expr::Unary(Unary::Not, a) => Bits::new(!of(a).bits, of(a).known),
            Expr::Unary(Unary::Reverse, a) => {
                let reverse = |bits: u128| apply_unary(Unary::Reverse, bits & all, width);
                Bits::new(reverse(of(a).bits), reverse(of(a).known))
            }
            Expr::Unary(op, a) => match of(a).exact(width) {
                Some(value) => Bits::new(apply_unary(op, value, width), all),
                None => Bits::default(),
            },
            Expr::Binary(op, a, b) => binary(op, of(a), of(b), wide(a), all),
            Expr::Ite(c, t, e) => match (of(c).exact(1), of(t), of(e)) {
                (Some(0), _, other) => other,
                (Some(_), then, _) => then,
                (None, then, other) => {
                    Bits::new(then.bits, then.known & other.known & !(then.bits ^ other.bits))
                }
            },
            Expr::Extract(a, low) => Bits::new(of(a).bits >> low, (of(a).known >> low) & all),
            Expr::Concat(high, low) => {
                let shift = wide(low);
                let join = |h: u128, l: u128| (h << shift) | l;
                Bits::new(join(of(high).bits, of(low).bits), join(of(high).known, of(low).known))
            }
            Expr::ZeroExtend(a) => Bits::new(of(a).bits, of(a).known | (all & !mask(wide(a)))),
            Expr::SignExtend(a) => {
                let above = all & !mask(wide(a));
                let sign = 1 << (wide(a) - 1);
                let known = of(a).known | if of(a).known & sign == 0 { 0 } else { above };
                Bits::new(of(a).bits | if of(a).bits & sign == 0 { 0 } else { above }, known)
            }
        }
    }
}

/// A function of two values of `width` bits.
fn binary(op: Binary, a: Bits, b: Bits, width: u32, all: u128) -> Bits {
    if let (Some(x), Some(y)) = (a.exact(width), b.exact(width)) {
        return Bits::new(apply(op, x, y, width), all);
    }
    let zeros = |x: Bits| x.known & !x.bits;
    match op {
        Binary::And => Bits::new(a.bits & b.bits, (a.known & b.known) | zeros(a) | zeros(b)),
        Binary::Or => Bits::new(a.bits | b.bits, (a.known & b.known) | a.bits | b.bits),
        Binary::Xor => Bits::new(a.bits ^ b.bits, a.known & b.known),
        Binary::Eq if (a.bits ^ b.bits) & a.known & b.known != 0 => Bits::new(0, all),
        _ => Bits::default(),
    }
}
