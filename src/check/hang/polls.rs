//! Visibility to polling threads: the writes that a loop sees in the end.
//!
//! A strong write eventually becomes visible to strong reads of its location, if their scopes are
//! mutual and both use one proxy. A polling loop does not miss such a write for ever. For other
//! writes the standard promises nothing. A wait with a time limit does not time out for ever: it
//! eventually returns true if its phase is complete (PTX-9.7.13.15). A thread may therefore wait in
//! a loop for ever if each of its polls reads the final value, or if no write that has to become
//! visible happens; and if no clock that it reads leads it out ([`super::clocks`]).

use super::super::waits::Precision;
use super::clocks;
use crate::event::base::base_relation;
use crate::event::graph::{Cut, EventGraph, EventKind};
use crate::id::{EventId, ExprId};
use crate::program::expr::Expr;
use crate::ptx::operation::Order;
use crate::vocabulary::BaseRel;

/// When the thread of a cut may for ever read the same values as in its last round. With
/// [`Precision::Sufficient`], an over-approximation: also when some write may never become visible.
/// `writes` are those of each location.
pub(crate) fn last(
    graph: &mut EventGraph,
    writes: &[Vec<EventId>],
    cut: &Cut,
    precision: Precision,
) -> ExprId {
    let mut all = clocks::goes_on(graph, cut, precision);
    for &patience in &cut.patience {
        all = graph.exprs.and(all, patience);
    }
    for piece in graph.polls(cut).collect::<Vec<_>>() {
        let happens = graph.event(piece).guard;
        let stays = reads_last(graph, writes, piece, precision);
        let stays = graph.exprs.implies(happens, stays);
        all = graph.exprs.and(all, stays);
    }
    all
}

/// When a read may return the same value for ever.
fn reads_last(
    graph: &mut EventGraph,
    writes: &[Vec<EventId>],
    read: EventId,
    precision: Precision,
) -> ExprId {
    let event = graph.event(read).clone();
    let loc = event.loc.expect("a read has a location");
    let (low, width) = graph.slice(read);
    let whole = graph.access(event.access).value;
    let value = graph.exprs.extract(whole, low, width);
    let last = graph.exprs.leaf(Expr::Final(loc), width);
    let is_last = graph.exprs.equal(value, last);
    let (mut visible, mut hidden) = (graph.exprs.truth(false), graph.exprs.truth(false));
    for &write in &writes[loc.index()] {
        let guard = graph.event(write).guard;
        if graph.event(write).kind == EventKind::Init {
            continue;
        }
        let which = if becomes_visible(graph, write, read) { &mut visible } else { &mut hidden };
        *which = graph.exprs.or(*which, guard);
    }
    let unseen = graph.exprs.not(visible);
    let either = graph.exprs.or(is_last, unseen);
    match precision {
        Precision::Exact => either,
        Precision::Sufficient => graph.exprs.or(either, hidden),
    }
}

/// Whether a polling read reads from a write, or from a later one, in the end. A thread sees its
/// own writes.
fn becomes_visible(graph: &EventGraph, write: EventId, read: EventId) -> bool {
    let (w, r) = (graph.event(write), graph.event(read));
    if w.agent == r.agent || w.marks.mbarrier && r.marks.mbarrier {
        return true;
    }
    let is_strong = |order: Option<Order>| order.is_some_and(|order| order != Order::Weak);
    let in_scope = base_relation(graph, BaseRel::SameScope).contains(write, read);
    is_strong(w.order) && is_strong(r.order) && in_scope && w.proxy == r.proxy
}
