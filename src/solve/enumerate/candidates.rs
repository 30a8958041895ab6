//! Candidates: reads-from with all values that follow, before any order is chosen.
//!
//! For every executed read, every executed write of its location is tried. Known values are
//! evaluated after each choice; a read gets its write once it is known to execute. When no such
//! read is left, every guard and value is known, or some of them justify themselves.

use super::free::Free;
use crate::event::graph::EventGraph;
use crate::id::{BarrierId, EventId};
use crate::program::expr::Expr;
use crate::program::value::Values;
use crate::ptx::bits::mask;
use std::ops::ControlFlow;
use typed_index_collections::TiVec;

/// A candidate, complete or partial.
#[derive(Debug)]
pub(super) struct Candidate<'a> {
    /// For every event, the write that it reads from.
    pub rf: &'a [Option<EventId>],
    /// The values of free leaves.
    pub free: &'a Free,
    /// The known values of expressions, without those of final memory.
    pub values: &'a Values,
}

/// The callbacks of a search for candidates.
pub(super) trait Visitor {
    /// The reason why the search ends early.
    type Stop;

    /// Called with the known values: whether the candidate is worth completing.
    fn is_promising(&mut self, candidate: &Candidate<'_>) -> ControlFlow<Self::Stop, bool>;

    /// Called with every candidate.
    fn candidate(&mut self, candidate: &Candidate<'_>) -> ControlFlow<Self::Stop>;

    /// Called when values justify themselves.
    fn self_justified(&mut self, rf: &[Option<EventId>]);
}

/// Visits all candidates of a graph with these values of free leaves.
pub(super) fn visit<V: Visitor>(
    graph: &EventGraph,
    free: &Free,
    visitor: &mut V,
) -> ControlFlow<V::Stop> {
    extend(graph, free, &mut vec![None; graph.events.len()], visitor)
}

/// Chooses a write for the next read that is known to execute.
fn extend<V: Visitor>(
    graph: &EventGraph,
    free: &Free,
    rf: &mut Vec<Option<EventId>>,
    visitor: &mut V,
) -> ControlFlow<V::Stop> {
    let values = evaluate(graph, free, rf);
    let executes = |id: EventId| values.truth(graph.event(id).guard);
    let vanished = rf.iter().flatten().any(|&write| executes(write) == Some(false));
    if vanished || !visitor.is_promising(&Candidate { rf, free, values: &values })? {
        return ControlFlow::Continue(());
    }
    let is_open = |&id: &EventId| {
        graph.event(id).is_read() && rf[id.index()].is_none() && executes(id) == Some(true)
    };
    let Some(read) = graph.ids().find(is_open) else {
        if !is_determined(graph, &values) {
            visitor.self_justified(rf);
            return ControlFlow::Continue(());
        }
        return visitor.candidate(&Candidate { rf, free, values: &values });
    };
    for write in graph.ids() {
        let event = graph.event(write);
        let same_location = event.is_write() && event.loc == graph.event(read).loc;
        let possible = same_location && !graph.is_own_write(read, write);
        if possible && executes(write) != Some(false) {
            rf[read.index()] = Some(write);
            extend(graph, free, rf, visitor)?;
        }
    }
    rf[read.index()] = None;
    ControlFlow::Continue(())
}

/// Whether all events and their values are decided.
fn is_determined(graph: &EventGraph, values: &Values) -> bool {
    graph.ids().all(|id| match values.truth(graph.event(id).guard) {
        None => false,
        Some(false) => true,
        Some(true) => {
            !graph.event(id).is_memory() || values.get(graph.access_of(id).value).is_some()
        }
    })
}

/// All values that follow from these reads-from pairs: the least fixpoint, starting from nothing.
pub(super) fn evaluate(graph: &EventGraph, free: &Free, rf: &[Option<EventId>]) -> Values {
    let mut read: Vec<Option<u128>> = vec![None; graph.accesses.len()];
    let mut exchanged: TiVec<BarrierId, Option<u128>> =
        TiVec::from(vec![None; graph.barriers.len()]);
    let mut values = Values::default();
    loop {
        values.compute(&graph.exprs, |leaf| match leaf {
            Expr::Read(access) => read[access.index()],
            Expr::Mbarrier(access) => graph.reads_mbarrier(access, rf).map(u128::from),
            Expr::Symbol(symbol) => Some(free.symbols[symbol.index()]),
            Expr::Barrier(index) => match graph.barriers[index].exchange {
                Some(_) => exchanged[index],
                None => Some(free.barriers[index]),
            },
            _ => None,
        });
        let now: Vec<Option<u128>> = (0..graph.accesses.len())
            .map(|access| read_value(graph, rf, &values, access))
            .collect();
        let got = graph.barriers.iter().map(|op| values.get(op.exchanged()?));
        let got: TiVec<BarrierId, Option<u128>> = got.collect();
        if now == read && got == exchanged {
            return values;
        }
        (read, exchanged) = (now, got);
    }
}

/// The value of a read access, from the writes of its pieces.
fn read_value(
    graph: &EventGraph,
    rf: &[Option<EventId>],
    values: &Values,
    access: usize,
) -> Option<u128> {
    let mut whole = 0;
    for &piece in &graph.accesses[access].pieces {
        let write = rf[piece.index()]?;
        let (low, width) = graph.slice(write);
        let written = values.get(graph.access_of(write).value)?;
        whole |= ((written >> low) & mask(width)) << graph.slice(piece).0;
    }
    Some(whole)
}
