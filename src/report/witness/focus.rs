//! What of an execution decides a verdict: the edges and events that a picture shows unless asked for
//! more.
//!
//! Of a forbidden outcome that is the way round which breaks an axiom; of an allowed one, where the
//! values come from that the condition asks about, what overwrites them, and what races there; of other
//! verdicts the statements concerned and what leads to them.

use super::{Edge, Picture, shortest};
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::explain::asked;
use crate::id::EventId;
use crate::relation::axiom::Failure;
use crate::relation::eval::Interpretation;
use crate::relation::expr::Model;
use crate::report::derivation::steps;
use crate::solve::Pairs;
use crate::source::Span;
use crate::vocabulary::BaseRel;
use std::collections::BTreeSet;

/// What an edge is to the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// It is a step of what decides.
    Decides,
    /// It says where a value comes from that matters.
    Explains,
    /// It is there.
    Other,
}

/// What decides.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// Edges, those that decide in the order in which they are told; program order, which is drawn as
    /// the line of its thread, among them.
    pub edges: Vec<(Edge, Role)>,
    /// Events to look at besides the ends of these.
    pub events: BTreeSet<EventId>,
}

/// How many races of an execution are shown beside what else decides.
const FEW_RACES: usize = 4;

/// How many edges between threads are shown of an execution in which nothing in particular decides.
const FEW_EDGES: usize = 24;

impl Focus {
    /// Of an execution that breaks axioms.
    #[must_use]
    pub fn of_failures(
        model: &Model,
        execution: &Execution<'_>,
        picture: &Picture,
        failures: &[Failure],
    ) -> Self {
        let mut focus = Self::default();
        for failure in failures {
            for step in steps(model, execution, failure) {
                focus.add(step.edge, Role::Decides);
            }
        }
        let decides: Vec<Edge> = focus.edges.iter().map(|(edge, _)| edge.clone()).collect();
        for edge in decides.iter().filter(|edge| CARRIED.contains(&edge.relation.as_str())) {
            for (from, to) in carriers(execution, edge) {
                let is_one =
                    |other: &&Edge| other.relation == "rf" && (other.from, other.to) == (from, to);
                if let Some(carrier) = picture.edges.iter().find(is_one) {
                    focus.add(carrier.clone(), Role::Explains);
                }
            }
        }
        focus
    }

    /// Of an execution that the model admits.
    #[must_use]
    pub fn of_outcome(execution: &Execution<'_>, picture: &Picture) -> Self {
        let graph = execution.graph;
        let asked = asked(execution);
        let mut focus = Self { events: asked.clone(), ..Self::default() };
        let is_asked = |id: &EventId| asked.contains(id);
        for edge in &picture.edges {
            let is_shown = match edge.relation.as_str() {
                "rf" => is_asked(&edge.to),
                "fr" => is_asked(&edge.from),
                "co" => is_asked(&edge.from) || is_asked(&edge.to),
                _ => false,
            };
            let initial = graph.event(edge.from).kind == EventKind::Init;
            if is_shown && !initial && is_between_agents(graph, edge) {
                focus.add(edge.clone(), Role::Decides);
            }
        }
        focus.add_races(picture);
        focus.fill(graph, picture);
        focus
    }

    /// Of an execution in which something is wrong at these statements.
    #[must_use]
    pub fn of_places(graph: &EventGraph, picture: &Picture, places: &[Span]) -> Self {
        let shown = picture.columns.iter().flat_map(|column| &column.nodes);
        let here = shown.filter(|node| places.contains(&node.span)).map(|node| node.id);
        let mut focus = Self { events: here.collect(), ..Self::default() };
        let events = focus.events.clone();
        let meets = |edge: &Edge| events.contains(&edge.from) || events.contains(&edge.to);
        for edge in picture.edges.iter().filter(|edge| meets(edge)) {
            if edge.relation == "rf" && is_between_agents(graph, edge) {
                focus.add(edge.clone(), Role::Decides);
            }
        }
        focus.add_races(picture);
        focus.fill(graph, picture);
        focus
    }

    fn add(&mut self, edge: Edge, role: Role) {
        if edge.from != edge.to && !self.edges.iter().any(|(known, _)| *known == edge) {
            self.edges.push((edge, role));
        }
    }

    fn add_races(&mut self, picture: &Picture) {
        let race = Pairs::RACE;
        let races: Vec<&Edge> = picture.edges.iter().filter(|e| e.relation == race).collect();
        for edge in races.into_iter().take(FEW_RACES) {
            self.add(edge.clone(), Role::Decides);
        }
    }

    /// Where little is in focus, what is communicated between threads.
    fn fill(&mut self, graph: &EventGraph, picture: &Picture) {
        for relation in ["rf", "fr", "co"] {
            let communicated = picture.edges.iter().filter(|edge| edge.relation == relation);
            let between: Vec<&Edge> =
                communicated.filter(|edge| is_between_agents(graph, edge)).collect();
            if self.edges.is_empty() && between.len() <= FEW_EDGES {
                between.into_iter().for_each(|edge| self.add(edge.clone(), Role::Explains));
            }
        }
    }
}

/// Relations that rest on reads of what other threads wrote.
const CARRIED: [&str; 4] = ["synchronizes", "observation", "base-causality", "causality"];

/// The reads-from edges by which one end of an edge leads to the other, with program order between.
pub(in crate::report) fn carriers(
    execution: &Execution<'_>,
    edge: &Edge,
) -> Vec<(EventId, EventId)> {
    let [po, rf, intra] =
        [BaseRel::Po, BaseRel::Rf, BaseRel::Intra].map(|relation| execution.relation(relation));
    let way = shortest(&[rf, po, intra], edge.from, edge.to, |_| true);
    let mut at = edge.from;
    let steps = way.into_iter().flatten().map(|next| (std::mem::replace(&mut at, next), next));
    steps.filter(|&(from, to)| rf.contains(from, to)).collect()
}

fn is_between_agents(graph: &EventGraph, edge: &Edge) -> bool {
    let is_initial = |id: EventId| graph.event(id).kind == EventKind::Init;
    let (from, to) = (graph.event(edge.from), graph.event(edge.to));
    from.agent != to.agent && !is_initial(edge.from) && !is_initial(edge.to)
}
