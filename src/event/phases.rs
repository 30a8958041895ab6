//! Arrivals on mbarriers, and the waits that may find their phase complete (PTX-9.7.13.15).

use super::graph::{Conditional, Event, EventGraph};
use crate::id::{EventId, LocId};
use crate::ptx::operation::Order;

/// The release arrivals and the waits on each object.
pub(super) fn phases(graph: &mut EventGraph) -> Vec<Conditional> {
    let mut out = Vec::new();
    for loc in (0..graph.locations.len()).map(LocId::new) {
        let here = |is: fn(&Event) -> bool| -> Vec<EventId> {
            let is_here = |e: &Event| e.marks.mbarrier && e.loc == Some(loc);
            graph.ids().filter(|&id| is_here(graph.event(id)) && is(graph.event(id))).collect()
        };
        let arrivals = here(|e| e.is_write() && e.marks.rmw && e.order == Some(Order::Release));
        let waits = here(|e| e.is_read() && !e.marks.rmw);
        for (&arrival, &wait) in arrivals.iter().flat_map(|a| waits.iter().map(move |w| (a, w))) {
            out.extend(phase_end(graph, arrival, wait));
        }
    }
    out
}

fn phase_end(graph: &mut EventGraph, arrival: EventId, wait: EventId) -> Option<Conditional> {
    let both = graph.exprs.and(graph.event(arrival).guard, graph.event(wait).guard);
    if graph.exprs.is_false(both) {
        return None;
    }
    let (from, to) = (graph.event(arrival), graph.event(wait));
    let old = graph.access_of(arrival).rmw_read.filter(|_| from.agent != to.agent)?;
    let (old, found) = (graph.access(old).value, graph.access_of(wait).value);
    let when = graph.mbarriers.finds_complete(&mut graph.exprs, old, found);
    Some(Conditional { from: arrival, to: wait, when })
}
