//! Arrivals on mbarriers, and the waits that may find their phase complete.
//!
//! What a CTA does on its own objects is ordered by the observation of chapter 8: there all scopes
//! include each other. Operations from other CTAs come without that, and for such objects the pairs
//! are listed.

use super::graph::{Conditional, Event, EventGraph};
use crate::id::{EventId, LocId};
use crate::ptx::operation::Order;
use std::collections::BTreeSet;

/// The release arrivals and the waits on each object that several CTAs use.
pub(super) fn phases(graph: &mut EventGraph) -> Vec<Conditional> {
    let mut out = Vec::new();
    for loc in (0..graph.locations.len()).map(LocId::new) {
        if !is_used_by_several(graph, loc) {
            continue;
        }
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

fn is_used_by_several(graph: &EventGraph, loc: LocId) -> bool {
    let uses = |e: &&Event| e.marks.mbarrier && e.loc == Some(loc);
    let ctas: BTreeSet<_> = graph.events.iter().filter(uses).map(|e| cta(graph, e)).collect();
    ctas.len() > 1
}

fn cta(graph: &EventGraph, event: &Event) -> Option<(u32, u32, u32)> {
    graph.agents[event.agent.index()].place().map(|p| (p.gpu, p.grid, p.cta))
}

fn phase_end(graph: &mut EventGraph, arrival: EventId, wait: EventId) -> Option<Conditional> {
    let (from, to) = (graph.event(arrival), graph.event(wait));
    let old = graph.access_of(arrival).rmw_read.filter(|_| from.agent != to.agent)?;
    let (old, found) = (graph.access(old).value, graph.access_of(wait).value);
    let when = graph.mbarriers.finds_complete(&mut graph.exprs, old, found);
    Some(Conditional { from: arrival, to: wait, when })
}
