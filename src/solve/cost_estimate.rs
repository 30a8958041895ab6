//! Estimate of the number of candidate executions of a program from its events: the cost of an
//! engine that enumerates them.

use crate::bounds::guards::Guards;
use crate::event::graph::EventGraph;
use crate::id::EventId;
use crate::waiting::barrier::{BarrierOp, BarrierRule};

/// The binary logarithm of an upper bound on the number of candidate executions. A candidate
/// assigns a compatible write to every read, an order of writes to every location, and a value to
/// every symbol. Barrier generations count only at barriers with thread counts.
#[must_use]
pub fn candidates(graph: &EventGraph) -> f64 {
    let writes = graph.writes_by_location();
    let guards = Guards::new(graph);
    let sources = |read: EventId| {
        let loc = graph.event(read).loc.expect("a read has a location");
        guards.sources(graph, read, &writes[loc.index()]).len()
    };
    let reads = graph.ids().filter(|&id| graph.event(id).is_read());
    let reads_from: f64 = reads.map(|read| (sources(read).max(1) as f64).log2()).sum();
    // The initial write comes first.
    let orders = |list: &Vec<_>| (2..list.len()).map(|n| (n as f64).log2()).sum::<f64>();
    let coherence: f64 = writes.iter().map(orders).sum();
    let symbols: f64 = graph.symbols.iter().map(|symbol| f64::from(symbol.open_bits())).sum();
    reads_from + coherence + symbols + meetings(graph)
}

/// The binary logarithm of the ways to give every operation on a barrier with a thread count
/// another operation that it meets, or none.
fn meetings(graph: &EventGraph) -> f64 {
    let counts =
        |rule: &BarrierRule| matches!(rule, BarrierRule::Count(_) | BarrierRule::Quorum(_));
    let agent = |op: &BarrierOp| graph.event(op.event).agent;
    let counted = graph.barriers.iter().filter(|op| counts(&op.rule));
    counted
        .map(|op| {
            let meets = |other: &&BarrierOp| other.key == op.key && agent(other) != agent(op);
            (graph.barriers.iter().filter(meets).count() as f64 + 1.0).log2()
        })
        .sum()
}
