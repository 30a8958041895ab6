//! The edges and events of an execution that decide a verdict: the part of the execution that a picture
//! shows by default.
//!
//! For a forbidden outcome, that is the cycle or pair which breaks an axiom; for an allowed outcome, the
//! sources of the values in the condition, the writes that overwrite them, and races; for other verdicts,
//! the statements of the reason and their neighbours.

use super::{Edge, Picture, shortest};
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::explain::condition_events;
use crate::id::EventId;
use crate::race::near::Link;
use crate::race::paths::nearest_of;
use crate::relation::axiom::Failure;
use crate::relation::eval::Interpretation;
use crate::relation::expr::Model;
use crate::report::derivation::steps;
use crate::report::fence_orders::Opposite;
use crate::solve::Pairs;
use crate::source::Span;
use crate::vocabulary::BaseRel;
use std::collections::BTreeSet;

/// The role of an edge in the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// A step of the deciding cycle, pair or value.
    Decides,
    /// The source of a value on which a deciding step depends.
    Explains,
    /// No role.
    Other,
}

/// The deciding edges and events.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Focus {
    /// Edges with their roles; deciding edges are in the order of the explanation. Edges of program order,
    /// which pictures show as lines along threads, are included.
    pub edges: Vec<(Edge, Role)>,
    /// Further events in focus, besides the ends of edges.
    pub events: BTreeSet<EventId>,
}

/// The most races that are added to the focus.
const FEW_RACES: usize = 4;

/// The most edges between threads in the focus of an execution without deciding edges.
const FEW_EDGES: usize = 24;

impl Focus {
    /// The focus of an execution that breaks axioms.
    #[must_use]
    pub fn of_failures(
        model: &Model,
        execution: &Execution<'_>,
        picture: &Picture,
        failures: &[Failure],
    ) -> Self {
        let mut focus = Self::default();
        for failure in failures {
            let steps = steps(model, execution, failure);
            let opposites = (0..steps.len())
                .filter_map(|at| Opposite::of_last(model, execution, &steps[..=at]));
            let otherwise: Vec<Edge> = opposites.flat_map(|opposite| opposite.edges()).collect();
            for step in steps {
                focus.add(step.edge, Role::Decides);
            }
            for edge in otherwise.into_iter().filter(|edge| picture.edges.contains(edge)) {
                if is_between_agents(execution.graph, &edge) {
                    focus.add(edge, Role::Explains);
                }
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

    /// The focus of an execution that the model admits.
    #[must_use]
    pub fn of_outcome(model: &Model, execution: &Execution<'_>, picture: &Picture) -> Self {
        let graph = execution.graph;
        let asked = condition_events(execution);
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
        focus.add_ways(model, execution, picture);
        focus.add_communication(graph, picture);
        focus
    }

    /// The focus of an execution with an error at the given statements.
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
        focus.add_communication(graph, picture);
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

    /// The communication on the ways that come closest to ordering what races.
    fn add_ways(&mut self, model: &Model, execution: &Execution<'_>, picture: &Picture) {
        let races = self.edges.iter().filter(|(edge, _)| edge.relation == Pairs::RACE);
        let races: Vec<_> = races.map(|(edge, _)| (edge.from, edge.to)).collect();
        let ways = races.into_iter().filter_map(|pair| nearest_of(model, execution, [pair]));
        let links: Vec<Link> = ways.flat_map(|way| way.links).collect();
        for edge in picture.edges.iter().filter(|edge| edge.relation == "rf") {
            let is_on_way = links.iter().any(|link| (link.from, link.to) == (edge.from, edge.to));
            if is_on_way && is_between_agents(execution.graph, edge) {
                self.add(edge.clone(), Role::Explains);
            }
        }
    }

    /// If the focus has few edges, adds communication between threads.
    fn add_communication(&mut self, graph: &EventGraph, picture: &Picture) {
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

/// Relations that contain reads of other threads' writes.
const CARRIED: [&str; 4] = ["synchronizes", "observation", "base-causality", "causality"];

/// The reads-from edges along which one end of an edge leads to the other, with program order between.
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
