//! Bounds of the base names: given members, and members that an execution may choose.

use super::guards::Guards;
use super::value::{Pair, Value};
use crate::bitrel::Rel;
use crate::event::base::{base_relation, base_set};
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::build::sc_pairs;
use crate::vocabulary::{BaseRel, BaseSet};

/// The bounds of a base set: equal, since its members are known up to execution.
pub(super) fn set_bounds(graph: &EventGraph, set: BaseSet) -> Pair {
    let members = base_set(graph, set);
    Pair { lo: Value::Set(members.clone()), hi: Value::Set(members.clone()) }
}

/// The bounds of a base relation.
pub(super) fn relation_bounds(graph: &EventGraph, guards: &Guards, relation: BaseRel) -> Pair {
    let n = graph.events.len();
    let (lo, mut hi) = match relation {
        BaseRel::Rf => reads_from(graph, guards),
        BaseRel::Co => coherence(graph),
        BaseRel::FenceSc => {
            let pairs = sc_pairs(graph);
            (
                Rel::empty(n),
                Rel::from_pairs(n, pairs.into_iter().flat_map(|(a, b)| [(a, b), (b, a)])),
            )
        }
        BaseRel::BarrierSync | BaseRel::WarpSync | BaseRel::ClusterSync | BaseRel::Exchange => {
            (Rel::empty(n), barrier_pairs(graph, relation))
        }
        given => {
            let sure = base_relation(graph, given);
            let mut possible = sure.clone();
            for pair in graph.conditional(given) {
                possible.insert(pair.from, pair.to);
            }
            (sure.clone(), possible)
        }
    };
    hi.subtract(guards.exclusive());
    let mut lo = lo;
    lo.intersect_with(&hi);
    Pair { lo: Value::Relation(lo), hi: Value::Relation(hi) }
}

/// The bounds of reads-from: writes at a read's location that guards do not exclude.
fn reads_from(graph: &EventGraph, guards: &Guards) -> (Rel, Rel) {
    let n = graph.events.len();
    let (mut lo, mut hi) = (Rel::empty(n), Rel::empty(n));
    let writes = graph.writes_by_location();
    for read in graph.ids().filter(|&r| graph.event(r).is_read()) {
        let at = graph.event(read).loc.expect("a read has a location");
        let sources = guards.sources(graph, read, &writes[at.index()]);
        for &write in &sources {
            hi.insert(write, read);
        }
        if let [only] = sources[..] {
            lo.insert(only, read);
        }
    }
    (lo, hi)
}

/// The bounds of coherence: writes of one location, the initial one first.
fn coherence(graph: &EventGraph) -> (Rel, Rel) {
    let n = graph.events.len();
    let (mut lo, mut hi) = (Rel::empty(n), Rel::empty(n));
    for writes in &graph.writes_by_location() {
        for &a in writes {
            for &b in writes.iter().filter(|&&b| b != a && graph.event(b).kind != EventKind::Init) {
                hi.insert(a, b);
                if graph.event(a).kind == EventKind::Init {
                    lo.insert(a, b);
                }
            }
        }
    }
    (lo, hi)
}

/// Pairs of operations that may meet at a barrier.
pub(crate) fn barrier_pairs(graph: &EventGraph, relation: BaseRel) -> Rel {
    let mut out = Rel::empty(graph.events.len());
    for x in &graph.barriers {
        for y in graph.barriers.iter().filter(|y| y.key == x.key && y.waits && x.arrives) {
            let agents = (graph.event(x.event).agent, graph.event(y.event).agent);
            if x.key.relation() != relation || agents.0 == agents.1 {
                continue;
            }
            out.insert(x.event, y.event);
        }
    }
    out
}
