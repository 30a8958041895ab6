//! Edges of an execution into sentences, which name statements by thread, text and line.

use super::derivation::steps;
use super::near::named;
use super::proof;
use super::reason::Place;
use super::subject::Subject;
use super::witness::{Edge, Picture, piece_value};
use crate::bitrel::Rel;
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::explain::asked;
use crate::id::EventId;
use crate::race::near::nearest_of;
use crate::relation::axiom::{Failure, Witness};
use crate::relation::eval::{Interpretation, evaluate};
use crate::relation::expr::Model;
use crate::source::Files;
use crate::vocabulary::BaseRel;

/// What an edge says.
#[must_use]
pub fn sentence(edge: &Edge, graph: &EventGraph, files: &Files) -> String {
    let [from, to] = [edge.from, edge.to].map(|id| statement(id, graph, files));
    match edge.relation.as_str() {
        "po" => format!("{from} comes before {to} in program order (PTX-8.9.1)"),
        "rf" => format!("{from} writes what {to} reads (PTX-8.9.2)"),
        "fr" => format!("{from} reads a value that {to} overwrites (PTX-8.9.7)"),
        "co" => format!("{from} comes before {to} in coherence order (PTX-8.9.6)"),
        "sc" => format!("{from} comes before {to} in Fence-SC order (PTX-8.9.3)"),
        "observation" => format!("{from} is observed by {to} (PTX-8.9.2)"),
        "synchronizes" => format!("{from} synchronizes with {to} (PTX-8.9.4)"),
        "base-causality" | "causality" => {
            format!("{from} comes before {to} in causality order (PTX-8.9.5)")
        }
        "race" => format!("{from} and {to} race: nothing orders them (PTX-8.7.1)"),
        "intra" => format!("within an operation, {from} comes before {to} (PTX-8.9.1.1)"),
        "issue" => format!("{from} issues what {to} is part of (PTX-8.9.1.1)"),
        "done" => format!("{from} is waited for by {to}"),
        "rmw" => format!("{from} and {to} are one read-modify-write"),
        other => format!("{from} comes before {to} by the model's `{other}`"),
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

/// How an execution breaks axioms, as numbered steps, with their proofs as far as the subject asks for
/// them; nothing of an axiom whose failure has no steps.
#[must_use]
pub fn of_failures(
    subject: Subject<'_>,
    execution: &Execution<'_>,
    picture: &Picture,
    failures: &[Failure],
) -> String {
    let Subject { model, files, unfold, .. } = subject;
    let mut out = String::new();
    for failure in failures {
        let steps = steps(model, execution, failure);
        if steps.is_empty() || steps.len() > MOST_STEPS {
            continue;
        }
        let name = &model.axioms[failure.axiom].name;
        out.push_str(&format!("\nStep by step, against {name}:\n"));
        let told = steps.into_iter().filter(|step| step.edge.from != step.edge.to);
        for (index, step) in told.enumerate() {
            let said = sentence(&step.edge, execution.graph, files);
            out.push_str(&format!("  {}. {said}\n", index + 1));
            for line in proof::lines(model, execution, &step, unfold, picture, files) {
                out.push_str(&format!("       {line}\n"));
            }
        }
        out.push_str(&match failure.witness {
            Witness::Pair(from, to) if from != to => {
                let [from, to] = [from, to].map(|id| statement(id, execution.graph, files));
                let both = match from == to {
                    true => format!("the two halves of {from}"),
                    false => format!("{from} and {to}"),
                };
                format!("  What {name} demands of {both} then does not hold.\n")
            }
            _ => format!("  This leads back to where it began, which {name} forbids.\n"),
        });
    }
    out
}

/// Longer ways are told by letters alone.
const MOST_STEPS: usize = 16;

/// Where the values of the condition come from, and why other writes are not seen.
#[must_use]
pub fn of_outcome(model: &Model, execution: &Execution<'_>, files: &Files) -> String {
    let graph = execution.graph;
    let asked = asked(execution);
    if asked.is_empty() || asked.len() > MOST_ASKED {
        return String::new();
    }
    let causality = model
        .definition("causality")
        .map(|node| evaluate(&model.arena, &[node], execution).relation(node).clone());
    let teller = Teller { model, execution, files, causality };
    let mut out = String::from("\nHow the values come about:\n");
    for id in asked {
        out.push_str(&match graph.event(id).is_read() {
            true => teller.read(id),
            false => teller.last(id),
        });
    }
    out
}

/// Of conditions about more accesses than this the picture says it all.
const MOST_ASKED: usize = 8;

struct Teller<'a> {
    model: &'a Model,
    execution: &'a Execution<'a>,
    files: &'a Files,
    /// The causality order, where the model has one.
    causality: Option<Rel>,
}

impl Teller<'_> {
    fn name(&self, id: EventId) -> String {
        statement(id, self.execution.graph, self.files)
    }

    /// A location with the value that an access has there.
    fn value(&self, id: EventId) -> String {
        let graph = self.execution.graph;
        let location = graph.event(id).loc.map_or("", |loc| &graph.locations[loc.index()].name);
        match self.execution.event_value(id).filter(|_| !self.execution.is_unknown(id)) {
            Some(_) if graph.event(id).marks.mbarrier => location.to_owned(),
            Some(value) => format!("{location} = {}", piece_value(graph, id, value)),
            None => format!("{location}, of unknown value"),
        }
    }

    /// What a read takes its value from, and why not from each other write.
    fn read(&self, read: EventId) -> String {
        let graph = self.execution.graph;
        let Some(source) = self.execution.choices.rf[read.index()] else { return String::new() };
        let from = match graph.event(source).kind {
            EventKind::Init => "which is there initially".to_owned(),
            _ => format!("from {}", self.name(source)),
        };
        let mut out = format!("  {} reads {}, {from}\n", self.name(read), self.value(read));
        for write in graph.ids().filter(|&id| self.competes(id, read, source)) {
            out.push_str(&format!("    not {}\n", self.unseen(write, read, source)));
        }
        out
    }

    /// Whether one might expect a read to see this write.
    fn competes(&self, write: EventId, read: EventId, source: EventId) -> bool {
        let graph = self.execution.graph;
        let event = graph.event(write);
        self.execution.executed.contains(write)
            && event.kind == EventKind::Write
            && event.loc == graph.event(read).loc
            && write != source
            && !graph.is_own_write(read, write)
    }

    fn unseen(&self, write: EventId, read: EventId, source: EventId) -> String {
        let co = self.execution.relation(BaseRel::Co);
        let po = self.execution.relation(BaseRel::Po);
        let before = |a, b| self.causality.as_ref().is_some_and(|order| order.contains(a, b));
        let name = format!("{} of {}", self.value(write), self.name(write));
        if co.contains(write, source) {
            return format!("{name}, which is overwritten by that (PTX-8.9.6)");
        }
        if po.contains(read, write) {
            return format!("{name}, which comes later in its own thread (PTX-8.10.6)");
        }
        if before(read, write) {
            return format!("{name}, which comes later in causality order (PTX-8.10.6)");
        }
        if before(write, read) {
            return format!(
                "{name}, which comes before in causality order, but not behind that in coherence order \
                 (PTX-8.9.6)"
            );
        }
        let missing = nearest_of(self.model, self.execution, [(write, read)]);
        let missing = missing.map(|path| {
            let graph = self.execution.graph;
            let kinds = path.defects().into_iter();
            kinds.map(|kind| kind.about(path.clause_of(kind, graph))).collect::<Vec<_>>().join("; ")
        });
        let lack = missing.filter(|kinds| !kinds.is_empty());
        let lack = lack.map_or_else(String::new, |kinds| format!("; wrong: {kinds}"));
        format!("{name}: nothing orders that before it (PTX-8.10.6){lack}")
    }

    /// What comes of a location in the end, and from what that was computed.
    fn last(&self, write: EventId) -> String {
        let graph = self.execution.graph;
        let (name, value) = (self.name(write), self.value(write));
        let mut out = format!("  {name} leaves {value}\n");
        let co = self.execution.relation(BaseRel::Co);
        for other in graph.ids().filter(|&id| self.competes(id, write, write)) {
            let (name, value) = (self.name(other), self.value(other));
            out.push_str(&match co.contains(other, write) {
                true => format!("    not {value} of {name}, which it overwrites (PTX-8.9.6)\n"),
                false => format!("    not {value} of {name}: nothing orders the two (PTX-8.9.6)\n"),
            });
        }
        let own = &graph.access(graph.event(write).access).data_reads;
        let pieces = own.iter().flat_map(|&access| &graph.access(access).pieces);
        for &read in pieces.filter(|&&read| self.execution.executed.contains(read)) {
            out.push_str(&self.read(read));
        }
        out
    }
}
