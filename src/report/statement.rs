//! An event into the words for the statement that performs it.

use crate::event::graph::{AgentKind, Completion, EventGraph, EventKind};
use crate::id::EventId;
use crate::source::{Files, Span};

/// The place of a statement, with its text.
pub(super) fn placed(span: Span, files: &Files) -> String {
    format!("{}: {}", files.location(span), files.text_in_a_line(span))
}

/// The thread, the line and the text of the statement that performs an event.
pub(super) fn named(id: EventId, graph: &EventGraph, files: &Files) -> String {
    let event = graph.event(id);
    let agent = &graph.agents[event.agent.index()].name;
    let text = files.text_in_a_line(event.span);
    let line = files.get(event.span.file).map(|file| file.position(event.span.start as usize).line);
    let line = line.map_or_else(String::new, |line| format!(" (line {line})"));
    match graph.agents[event.agent.index()].kind {
        // The name of an operation contains its instruction.
        AgentKind::Operation(..) => format!("{}{agent}{line}", part(id, graph)),
        _ => format!("{agent} `{text}`{line}"),
    }
}

/// The part of an asynchronous operation that an event is.
fn part(id: EventId, graph: &EventGraph) -> String {
    let event = graph.event(id);
    let place = event.loc.map_or("memory", |loc| graph.locations[loc.index()].name.as_str());
    match event.kind {
        EventKind::Read if event.marks.mbarrier => format!("the look at {place} by "),
        EventKind::Write if event.marks.mbarrier => format!("the signal on {place} by "),
        EventKind::Read => format!("the read of {place} by "),
        EventKind::Write => format!("the write of {place} by "),
        EventKind::Complete(Completion::Map) => "the read of the tensor map by ".to_owned(),
        EventKind::Complete(Completion::Reads) => "the completion of the reads of ".to_owned(),
        EventKind::Complete(_) => "the completion of ".to_owned(),
        _ => String::new(),
    }
}
