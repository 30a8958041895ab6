//! Edges of an execution into sentences, which name statements by thread, text and line.

use super::derivation::{Step, steps};
use super::fence_orders::{Opposite, is_ordered_by_patterns};
use super::proof;
use super::reason::Place;
use super::statement::named;
use super::subject::Subject;
use super::witness::focus::carriers;
use super::witness::{Edge, Picture, piece_value};
use crate::bitrel::Rel;
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::explain::{Counterfactual, condition_events};
use crate::id::EventId;
use crate::race::paths::nearest_of;
use crate::relation::axiom::{Failure, Witness};
use crate::relation::eval::{Interpretation, evaluate};
use crate::relation::expr::Model;
use crate::source::Files;
use crate::vocabulary::BaseRel;

/// The meaning of an edge as a sentence.
#[must_use]
pub fn sentence(edge: &Edge, graph: &EventGraph, files: &Files) -> String {
    let [from, to] = [edge.from, edge.to].map(|id| statement(id, graph, files));
    match edge.relation.as_str() {
        "po" => format!("{from} comes before {to} in program order (PTX-8.9.1)"),
        "rf" => format!("{from} writes what {to} reads (PTX-8.9.7)"),
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
        "done" => format!("{from} is waited for by {to} (PTX-8.9.1.1)"),
        "joint-issue" => {
            format!("{from} issues, with its warpgroup, what {to} is part of (PTX-9.7.15.5)")
        }
        "rmw" => format!("{from} and {to} are one read-modify-write"),
        other => format!("{from} comes before {to} by the model's `{other}`"),
    }
}

/// The meaning of a step in an execution; for synchronization, the accesses or fences that establish it.
fn step_sentence(model: &Model, execution: &Execution<'_>, edge: &Edge, files: &Files) -> String {
    let graph = execution.graph;
    match edge.relation.as_str() {
        "synchronizes" => {}
        "not-before^-1" => return atomic_order(execution, edge, files),
        _ => return sentence(edge, graph, files),
    }
    let [from, to] = [edge.from, edge.to].map(|id| statement(id, graph, files));
    let holds = |relation| execution.relation(relation).contains(edge.from, edge.to);
    if holds(BaseRel::FenceSc) && !is_ordered_by_patterns(model, execution, edge) {
        return format!(
            "{from} comes before {to} in Fence-SC order and so synchronizes with that \
             (PTX-8.9.3, PTX-8.9.4)"
        );
    }
    if holds(BaseRel::Api) {
        let [one, other] =
            [edge.from, edge.to].map(|id| &graph.agents[graph.event(id).agent.index()].name);
        return format!("the task of {one} is complete before that of {other} starts (PTX-8.9.4)");
    }
    let meetings = [
        (BaseRel::BarrierSync, "PTX-8.9.4, PTX-9.7.13.1"),
        (BaseRel::ClusterSync, "PTX-8.9.4, PTX-9.7.13.3"),
        (BaseRel::WarpSync, "PTX-9.7.13.2"),
    ];
    if let Some((_, clause)) = meetings.into_iter().find(|&(relation, _)| holds(relation)) {
        return format!("{from} meets {to} ({clause})");
    }
    let carriers = carriers(execution, edge);
    let reads = carriers.iter().map(|&(write, read)| {
        let written =
            if write == edge.from { "it".to_owned() } else { statement(write, graph, files) };
        match read == edge.to {
            true => format!("which reads from {written}"),
            false => format!("{} reads from {written}", statement(read, graph, files)),
        }
    });
    let reads: Vec<String> = reads.collect();
    // A clause that starts with "which" continues the sentence; other clauses follow a colon.
    let joint = match carriers.first() {
        None => "",
        Some((_, read)) if *read == edge.to => ", ",
        Some(_) => ": ",
    };
    format!("{from} synchronizes with {to} (PTX-8.9.4){joint}{}", reads.join(", "))
}

/// The reason why one atomic operation is performed before another.
fn atomic_order(execution: &Execution<'_>, edge: &Edge, files: &Files) -> String {
    let graph = execution.graph;
    let [from, to] = [edge.from, edge.to].map(|id| statement(id, graph, files));
    let source = execution.choices.rf[edge.to.index()];
    let own = graph.event(edge.from).access;
    let takes = source.is_some_and(|write| graph.access_of(write).rmw_read == Some(own));
    match takes {
        true => format!("{from} is performed before {to}, which reads what it wrote (PTX-8.7.2)"),
        false => format!(
            "{from} is performed before {to}: it reads from the write that the other one replaces (PTX-8.7.2)"
        ),
    }
}

/// How the opposite order of two fences breaks an axiom, in words; cases of further fences are indented.
fn opposite_order(opposite: &Opposite<'_>, model: &Model, files: &Files) -> Vec<String> {
    let Opposite::Refuted(case) = opposite else {
        return vec![
            "What the other way round breaks is left open: no place of one fence alone \
                     in Fence-SC order shows it."
                .to_owned(),
        ];
    };
    let name = &model.axioms[case.axiom].name;
    let mut lines = vec![match case.needs_order {
        true => format!("The other way round {name} would be broken:"),
        false => format!("Whichever of the two comes first, {name} is broken:"),
    }];
    for (edge, opposite) in &case.steps {
        lines.push(format!("- {}", step_sentence(model, &case.execution, edge, files)));
        let nested = opposite.iter().flat_map(|other| opposite_order(other, model, files));
        lines.extend(nested.map(|line| format!("  {line}")));
    }
    lines
}

/// The statement of an event; for an initial write, the location.
fn statement(id: EventId, graph: &EventGraph, files: &Files) -> String {
    let event = graph.event(id);
    match (&event.kind, event.loc) {
        (EventKind::Init, Some(loc)) => {
            format!("the initial write of {}", graph.locations[loc.index()].name)
        }
        _ => named(id, graph, files),
    }
}

/// The lines of the statements of events, sorted and without duplicates.
#[must_use]
pub fn lines(events: &[EventId], graph: &EventGraph, files: &Files) -> Vec<usize> {
    let line = |&id: &EventId| Place::of(graph.event(id).span, files).map(|place| place.line);
    let mut lines: Vec<usize> = events.iter().filter_map(line).collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

/// A step of the violation of an axiom, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedStep {
    /// The edge.
    pub edge: Edge,
    /// The meaning of the edge.
    pub sentence: String,
    /// For a step that is a choice of the execution, the violation that the opposite choice causes.
    pub otherwise: Vec<String>,
    /// The lines of the edge's proof, to the depth that the subject asks for; empty for an edge of a base
    /// relation.
    pub proof: Vec<String>,
}

impl ExplainedStep {
    fn new(
        subject: Subject<'_>,
        execution: &Execution<'_>,
        picture: &Picture,
        way: &[Step],
        at: usize,
    ) -> Self {
        let step = &way[at];
        let Subject { model, files, unfold, .. } = subject;
        let mut proof = proof::lines(model, execution, step, unfold, picture, files);
        proof.extend(legend(&proof, execution.graph, picture, files));
        Self {
            edge: step.edge.clone(),
            sentence: step_sentence(model, execution, &step.edge, files),
            otherwise: Opposite::of_last(model, execution, &way[..=at])
                .map_or_else(Vec::new, |opposite| opposite_order(&opposite, model, files)),
            proof,
        }
    }
}

/// The statements of the letters in a proof, in a line.
fn legend(
    proof: &[String],
    graph: &EventGraph,
    picture: &Picture,
    files: &Files,
) -> Option<String> {
    let used = |letter: &str| proof.iter().any(|line| line.split_whitespace().any(|w| w == letter));
    let stands = |id: EventId| {
        let (event, letter) = (graph.event(id), picture.label(id));
        let line = Place::of(event.span, files)?.line;
        let thread = &graph.agents[event.agent.index()].name;
        (event.kind != EventKind::Init && used(letter))
            .then(|| format!("{letter} is of {thread}, line {line}"))
    };
    let all: Vec<String> = graph.ids().filter_map(stands).collect();
    (!all.is_empty()).then(|| format!("where {}", all.join("; ")))
}

/// The steps by which an execution breaks axioms; empty if the choices make no execution.
#[must_use]
pub fn steps_of(
    subject: Subject<'_>,
    graph: &EventGraph,
    found: &Counterfactual,
    picture: &Picture,
) -> Vec<ExplainedStep> {
    let Ok(execution) = Execution::build(graph, found.choices.clone()) else { return Vec::new() };
    let ways = found.broken.iter().map(|failure| steps(subject.model, &execution, failure));
    ways.flat_map(|way| explained(subject, &execution, picture, &way)).collect()
}

/// The steps of what breaks one axiom.
fn explained(
    subject: Subject<'_>,
    execution: &Execution<'_>,
    picture: &Picture,
    way: &[Step],
) -> Vec<ExplainedStep> {
    (0..way.len()).map(|at| ExplainedStep::new(subject, execution, picture, way, at)).collect()
}

/// The violations of axioms as numbered steps, with proofs to the depth that the subject asks for. Axioms
/// whose violation has no steps are omitted.
#[must_use]
pub fn of_failures(
    subject: Subject<'_>,
    execution: &Execution<'_>,
    picture: &Picture,
    failures: &[Failure],
) -> String {
    let Subject { model, files, .. } = subject;
    let mut out = String::new();
    for failure in failures {
        let steps = steps(model, execution, failure);
        if steps.is_empty() || steps.len() > MOST_STEPS {
            continue;
        }
        let name = &model.axioms[failure.axiom].name;
        out.push_str(&format!("\nStep by step, against {name}:\n"));
        let way: Vec<Step> =
            steps.into_iter().filter(|step| step.edge.from != step.edge.to).collect();
        let explained = explained(subject, execution, picture, &way);
        for (index, ExplainedStep { sentence, otherwise, proof, .. }) in
            explained.into_iter().enumerate()
        {
            out.push_str(&format!("  {}. {sentence}\n", index + 1));
            otherwise.iter().for_each(|line| out.push_str(&format!("     {line}\n")));
            proof.iter().for_each(|line| out.push_str(&format!("       {line}\n")));
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

/// The reads and final writes in the condition whose sources differ between two executions.
#[must_use]
pub fn differences(execution: &Execution<'_>, other: &Execution<'_>, files: &Files) -> String {
    let graph = execution.graph;
    let name = |id: EventId| statement(id, graph, files);
    let source =
        |of: &Execution<'_>, read: EventId| of.choices.rf.get(read.index()).copied().flatten();
    let asked_there = condition_events(other);
    let mut out = String::new();
    for id in condition_events(execution) {
        if !graph.event(id).is_read() {
            if !asked_there.contains(&id) {
                out += &format!("  {} is the last write\n", name(id));
            }
        } else if let Some(from) = source(execution, id)
            && source(other, id) != Some(from)
        {
            out += &format!("  {} reads from {}\n", name(id), name(from));
        }
    }
    if out.is_empty() {
        let [own, known] = [execution, other].map(|of| of.relation(BaseRel::Co));
        let new = own.iter_pairs().filter(|&(first, second)| !known.contains(first, second));
        for (first, second) in new.take(2) {
            out += &format!("  {} comes before {} in coherence order\n", name(first), name(second));
        }
    }
    out
}

/// The most steps that are explained; longer derivations are shown by letters alone.
const MOST_STEPS: usize = 16;

/// The sources of the values in the condition, and the reasons why reads do not see other writes.
#[must_use]
pub fn of_outcome(model: &Model, execution: &Execution<'_>, files: &Files) -> String {
    let graph = execution.graph;
    let asked = condition_events(execution);
    if asked.is_empty() || asked.len() > MOST_ASKED {
        return String::new();
    }
    let causality = model
        .definition("causality")
        .map(|node| evaluate(&model.arena, &[node], execution).relation(node).clone());
    let story = OutcomeStory { model, execution, files, causality };
    let mut out = String::from("\nHow the values come about:\n");
    for id in asked {
        out.push_str(&match graph.event(id).is_read() {
            true => story.explain_read(id, 0),
            false => story.explain_final_write(id),
        });
    }
    out
}

/// The most accesses of a condition that are explained; for further ones, the picture suffices.
const MOST_ASKED: usize = 8;

/// Values are followed through so many copies.
const MOST_COPIES: usize = 4;

struct OutcomeStory<'a> {
    model: &'a Model,
    execution: &'a Execution<'a>,
    files: &'a Files,
    /// The causality order, for models that define it.
    causality: Option<Rel>,
}

impl OutcomeStory<'_> {
    fn name(&self, id: EventId) -> String {
        statement(id, self.execution.graph, self.files)
    }

    /// A location with the value of an access.
    fn value(&self, id: EventId) -> String {
        let graph = self.execution.graph;
        let location = graph.event(id).loc.map_or("", |loc| &graph.locations[loc.index()].name);
        match self.execution.event_value(id).filter(|_| !self.execution.is_unknown(id)) {
            Some(_) if graph.event(id).marks.mbarrier => location.to_owned(),
            Some(value) => format!("{location} = {}", piece_value(graph, id, value)),
            None => format!("{location}, of unknown value"),
        }
    }

    /// The source of a read, behind so many copies, and for each other write the reason why the read does not
    /// see it.
    fn explain_read(&self, read: EventId, copies: usize) -> String {
        let graph = self.execution.graph;
        let Some(source) = self.execution.choices.rf[read.index()] else { return String::new() };
        let from = match graph.event(source).kind {
            EventKind::Init => "which is there initially".to_owned(),
            _ => format!("from {}", self.name(source)),
        };
        let mut out = format!("  {} reads {}, {from}\n", self.name(read), self.value(read));
        for write in graph.ids().filter(|&id| self.competes(id, read, source)) {
            out.push_str(&format!("    not {}\n", self.reason_unseen(write, read, source)));
        }
        // What a copy writes it has read elsewhere, perhaps from another copy.
        if graph.operation_of(source).is_some() && copies < MOST_COPIES {
            out.push_str(&self.computed_from(source, copies + 1));
        }
        out
    }

    /// The reads, behind so many copies, that the value of a write was computed from.
    fn computed_from(&self, write: EventId, copies: usize) -> String {
        let graph = self.execution.graph;
        let own = &graph.access(graph.event(write).access).data_reads;
        let pieces = own.iter().flat_map(|&access| &graph.access(access).pieces);
        let pieces = pieces.filter(|&&read| self.execution.executed.contains(read));
        pieces.map(|&read| self.explain_read(read, copies)).collect()
    }

    /// Whether a reader would expect the read to see this write.
    fn competes(&self, write: EventId, read: EventId, source: EventId) -> bool {
        let graph = self.execution.graph;
        let event = graph.event(write);
        self.execution.executed.contains(write)
            && event.kind == EventKind::Write
            && event.loc == graph.event(read).loc
            && write != source
            && !graph.is_own_write(read, write)
    }

    fn reason_unseen(&self, write: EventId, read: EventId, source: EventId) -> String {
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
        let missing = missing.map(|path| path.sentences(self.execution.graph).join("; "));
        let lack = missing.filter(|kinds| !kinds.is_empty());
        let lack = lack.map_or_else(String::new, |kinds| format!("; wrong: {kinds}"));
        format!("{name}: nothing orders that before it (PTX-8.10.6){lack}")
    }

    /// The final write of a location, and the reads that its value is computed from.
    fn explain_final_write(&self, write: EventId) -> String {
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
        out + &self.computed_from(write, 0)
    }
}
