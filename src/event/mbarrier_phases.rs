//! Arrivals and signals on mbarriers, and the waits that find their phase complete (PTX-9.7.13.15).

use super::graph::{Conditional, Event, EventGraph};
use crate::id::{AccessId, EventId, ExprId, LocId};
use crate::ptx::operation::Order;
use rustc_hash::FxHashMap;

/// Adds the pairs of arrivals or signals and waits that find their phase complete. `successes` has the
/// condition that a wait succeeds, by the access that reads the object.
pub(super) fn relate(graph: &mut EventGraph, successes: &FxHashMap<AccessId, ExprId>) {
    for loc in (0..graph.locations.len()).map(LocId::new) {
        let here = |is: fn(&Event) -> bool| -> Vec<EventId> {
            let is_here = |e: &Event| e.marks.mbarrier && e.loc == Some(loc);
            graph.ids().filter(|&id| is_here(graph.event(id)) && is(graph.event(id))).collect()
        };
        let arrivals = here(|e| e.is_write() && e.marks.rmw && !e.marks.mbarrier_tx);
        let waits = here(|e| e.is_read() && !e.marks.rmw);
        for (&arrival, &wait) in arrivals.iter().flat_map(|a| waits.iter().map(move |w| (a, w))) {
            let Some(end) = phase_end(graph, arrival, wait) else { continue };
            if graph.event(arrival).order == Some(Order::Release) {
                graph.phases.push(end);
            }
            let success = successes.get(&graph.event(wait).access).copied();
            if let Some(success) = success {
                let when = graph.exprs.and(end.when, success);
                graph.any_phases.push(Conditional { when, ..end });
            }
        }
    }
}

/// The pair of an arrival and a wait that may find the arrival's phase complete.
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
