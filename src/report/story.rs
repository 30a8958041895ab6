//! Edges of an execution into sentences, which name statements by thread, text and line.

use super::near::named;
use super::reason::Place;
use super::witness::Edge;
use crate::event::graph::{EventGraph, EventKind};
use crate::id::EventId;
use crate::source::Files;

/// What an edge says.
#[must_use]
pub fn sentence(edge: &Edge, graph: &EventGraph, files: &Files) -> String {
    let [from, to] = [edge.from, edge.to].map(|id| statement(id, graph, files));
    match edge.relation.as_str() {
        "po" => format!("{to} comes behind {from} in program order (PTX-8.9.1)"),
        "rf" => format!("{to} reads what {from} writes (PTX-8.9.2)"),
        "fr" => format!("{from} reads what is there before {to} writes (PTX-8.9.7)"),
        "co" => format!("{to} overwrites what {from} writes (PTX-8.9.6)"),
        "sc" => format!("{from} comes before {to} in Fence-SC order (PTX-8.9.3)"),
        "observation" => format!("{to} observes {from} (PTX-8.9.2)"),
        "synchronizes" => format!("{from} synchronizes with {to} (PTX-8.9.4)"),
        "base-causality" | "causality" => {
            format!("{from} comes before {to} in causality order (PTX-8.9.5)")
        }
        "race" => format!("{from} and {to} race: nothing orders them (PTX-8.7.1)"),
        "intra" => format!("within the operation, {to} comes behind {from} (PTX-8.9.1.1)"),
        "issue" => format!("{from} issues the operation of {to} (PTX-8.9.1.1)"),
        "done" => format!("{to} waits until {from}"),
        "rmw" => format!("{from} and {to} are one read-modify-write"),
        other => format!("{other} leads from {from} to {to}"),
    }
}

/// An event as a statement; of initial writes the location.
fn statement(id: EventId, graph: &EventGraph, files: &Files) -> String {
    let event = graph.event(id);
    match (&event.kind, event.loc) {
        (EventKind::Init, Some(loc)) => {
            format!("the initial write of {}", graph.locations[loc.index()].name)
        }
        _ => named(id, graph, files),
    }
}

/// The lines of the statements of some events, each once.
#[must_use]
pub fn lines(events: &[EventId], graph: &EventGraph, files: &Files) -> Vec<usize> {
    let line = |&id: &EventId| Place::of(graph.event(id).span, files).map(|place| place.line);
    let mut lines: Vec<usize> = events.iter().filter_map(line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}
