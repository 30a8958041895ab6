//! Free values. Symbols, which stand for values that a test leaves unknown, get a value if reads
//! alone do not decide their dependents.

use super::candidates::Space;
use super::state::{Flow, Search, Visit};
use crate::collections::IndexSet;
use crate::event::graph::EventGraph;
use crate::id::{ExprId, SymbolId};
use crate::program::expr::Expr;
use crate::solve::symbols::{are_enough, values};
use crate::waiting::barrier::BarrierOp;
use smallvec::SmallVec;

/// For every expression of `order`, which has operands first, the symbols in it.
pub(super) fn symbols(graph: &EventGraph, order: &[ExprId]) -> Vec<SmallVec<[SymbolId; 2]>> {
    if graph.symbols.is_empty() {
        return Vec::new();
    }
    let mut out: Vec<SmallVec<[SymbolId; 2]>> = vec![SmallVec::new(); graph.exprs.len()];
    for &x in order {
        let mut all: SmallVec<[SymbolId; 2]> =
            graph.exprs.operands(x).into_iter().flat_map(|o| out[o.index()].clone()).collect();
        if let Expr::Symbol(symbol) = graph.exprs.get(x) {
            all.push(symbol);
        }
        all.sort_unstable();
        all.dedup();
        out[x.index()] = all;
    }
    out
}

/// The most literals of a guard.
const MOST_LITERALS: usize = 64;

/// The guards of events with a chosen truth value among their literals, each with its literals.
pub(super) fn chances(graph: &EventGraph) -> Vec<(ExprId, Vec<ExprId>)> {
    if graph.symbols.is_empty() {
        return Vec::new();
    }
    let guards: IndexSet<ExprId> = graph.events.iter().map(|event| event.guard).collect();
    let chosen = |&x: &ExprId| matches!(graph.exprs.get(x), Expr::Symbol(_));
    let literals = |guard: ExprId| graph.exprs.literals(guard, MOST_LITERALS);
    let parts = guards.into_iter().filter_map(|guard| Some((guard, literals(guard)?.to_vec())));
    parts.filter(|(_, literals)| literals.iter().any(chosen)).collect()
}

impl Search<'_, '_> {
    /// A truth value that alone decides whether some events happen: their reads and writes are of
    /// no use before. A wait on an mbarrier that may time out has one.
    pub(super) fn ripe_symbol(&self) -> Option<usize> {
        let graph = self.space.graph;
        let open = |x: ExprId| self.values.truth(x).is_none();
        let chosen = |x: ExprId| match graph.exprs.get(x) {
            Expr::Symbol(symbol) => Some(symbol.index()),
            _ => None,
        };
        self.space.chances.iter().filter(|(guard, _)| open(*guard)).find_map(|(_, literals)| {
            let open: Vec<ExprId> = literals.iter().copied().filter(|&x| open(x)).collect();
            let symbols: Option<Vec<usize>> = open.into_iter().map(chosen).collect();
            symbols?.into_iter().find(|&symbol| self.symbols[symbol].is_none())
        })
    }

    /// A symbol without a value on which an unknown fact depends. Facts are an event's occurrence,
    /// a value read or left in memory, the question, or an assumption.
    pub(super) fn open_symbol(&self) -> Option<usize> {
        if self.symbols.iter().all(Option::is_some) {
            return None;
        }
        let Space { graph, assumed, .. } = self.space;
        let events = graph.ids().filter(|&id| self.possible.contains(id));
        let guards = events.map(|id| graph.event(id).guard);
        let reads = self.space.reads.iter().filter(|&&access| self.is_unknown(access));
        let taken =
            reads.flat_map(|&access| self.pieces(access)).filter_map(|p| self.rf[p.index()]);
        let last = self.space.finals.iter().flat_map(|loc| &self.space.writes[loc.index()]);
        let last = last.copied().filter(|&write| self.executed.contains(write));
        let written = taken.chain(last).map(|write| graph.access_of(write).value);
        let cuts = graph.cuts.iter().map(|cut| cut.guard);
        let met = graph.barriers.iter().flat_map(|op| op.operand.into_iter().chain(op.count()));
        let happen = graph.barriers.iter().filter(|op| self.executed.contains(op.event));
        let met = met.chain(happen.filter_map(BarrierOp::exchanged));
        let asked = self.goal.asks(graph);
        let all = guards.chain(written).chain(cuts).chain(met).chain(asked).chain([graph.filter]);
        let unknown = all.filter(|&x| self.values.get(x).is_none());
        let assumed = assumed.keys().copied();
        let assumed = assumed.filter(|&x| !self.values.follows(&graph.exprs, x, |l| self.leaf(l)));
        let symbols = unknown.chain(assumed).flat_map(|x| &self.space.symbols[x.index()]);
        let symbols = symbols.map(|symbol| symbol.index());
        symbols.filter(|&symbol| self.symbols[symbol].is_none()).min()
    }

    /// Whether untried values of symbols may lead elsewhere.
    pub(super) fn is_partial(&self) -> bool {
        self.sampled && !are_enough(self.space.graph)
    }

    /// Tries the values that a symbol may have, or some values that stand for all.
    pub(super) fn branch_on_symbol(&mut self, symbol: usize, visit: &mut Visit<'_>) -> Flow {
        self.sampled |= self.space.graph.symbols[symbol].open_bits() > 1;
        for value in values(self.space.graph, symbol) {
            self.symbols[symbol] = Some(value);
            self.stale = true;
            let result = self.choose(visit);
            self.symbols[symbol] = None;
            self.stale = true;
            result?;
        }
        Ok(())
    }
}
