//! An execution with violations of axioms into an execution with fewer violations and the same outcome.
//! Parts of the execution that are unrelated to the outcome then satisfy the axioms, and explanations need
//! not mention them.

use crate::bitrel::Rel;
use crate::event::graph::EventGraph;
use crate::execution::build::{Choices, Execution};
use crate::id::EventId;
use crate::question::Goal;
use crate::relation::axiom;
use crate::relation::eval::{Interpretation, evaluate_roots};
use crate::relation::expr::{AxiomKind, AxiomRole, Model};
use crate::vocabulary::{BaseRel, Sort};

/// The most executions that are built and evaluated.
const MOST_TRIES: usize = 600;

/// The most events of an execution that is changed.
const MOST_EVENTS: usize = 160;

/// Changes single choices (the source of a read, the coherence order of two writes) as long as the outcome
/// remains, no further axiom is broken, and the number of violations decreases. The read `kept` keeps its
/// source.
pub(super) fn reduced(
    model: &Model,
    goal: Goal,
    graph: &EventGraph,
    choices: Choices,
    kept: Option<EventId>,
) -> Choices {
    if graph.events.len() > MOST_EVENTS {
        return choices;
    }
    let Some(mut best) = Violations::of(model, goal, graph, choices.clone()) else {
        return choices;
    };
    let mut tries = 0;
    loop {
        let keeps_source = |changed: &Choices| {
            kept.is_none_or(|read| changed.rf[read.index()] == best.choices.rf[read.index()])
        };
        let others = single_changes(graph, &best.choices, &best.orders).filter(keeps_source);
        let smaller = others.take(MOST_TRIES - tries).find_map(|changed| {
            tries += 1;
            Violations::of(model, goal, graph, changed).filter(|other| other.is_smaller_than(&best))
        });
        match smaller {
            Some(other) => best = other,
            None => return best.choices,
        }
    }
}

/// The violations of an execution.
struct Violations {
    choices: Choices,
    /// The pairs of writes in coherence order.
    orders: Vec<(EventId, EventId)>,
    /// The number of violations of each axiom.
    counts: Vec<usize>,
}

impl Violations {
    /// `None` if the choices make no execution, or an execution without the outcome.
    fn of(model: &Model, goal: Goal, graph: &EventGraph, choices: Choices) -> Option<Self> {
        let execution = Execution::build(graph, choices.clone()).ok()?;
        if !goal.is_reached(model, &execution) {
            return None;
        }
        let required = |role: AxiomRole| role == AxiomRole::Required;
        let roots: Vec<_> = model
            .axioms
            .iter()
            .filter(|axiom| required(axiom.role))
            .map(|axiom| axiom.node)
            .collect();
        let values = evaluate_roots(&model.arena, &roots, &execution);
        let counts = model.axioms.iter().map(|axiom| {
            if !required(axiom.role) || axiom::holds(model, axiom, &values) {
                return 0;
            }
            match (axiom.kind, model.arena.sort(axiom.node)) {
                _ if axiom.negated => 1,
                (AxiomKind::Empty, Sort::Set) => values.set(axiom.node).count(),
                (AxiomKind::Empty, Sort::Relation) => values.relation(axiom.node).count(),
                (AxiomKind::Irreflexive, _) => count_reflexive(values.relation(axiom.node), graph),
                (AxiomKind::Acyclic, _) => {
                    let mut closed = values.relation(axiom.node).clone();
                    closed.transitive_closure_in_place();
                    count_reflexive(&closed, graph)
                }
            }
        });
        let counts = counts.collect();
        let orders = execution.relation(BaseRel::Co).iter_pairs().collect();
        Some(Self { choices, orders, counts })
    }

    /// Whether the number of violations is smaller, and no axiom is broken that `other` satisfies.
    fn is_smaller_than(&self, other: &Self) -> bool {
        let keeps = self.counts.iter().zip(&other.counts).all(|(&own, &old)| own == 0 || old > 0);
        let total = |broken: &Self| broken.counts.iter().sum::<usize>();
        keeps && total(self) > 0 && total(self) < total(other)
    }
}

fn count_reflexive(relation: &Rel, graph: &EventGraph) -> usize {
    graph.ids().filter(|&id| relation.contains(id, id)).count()
}

/// Choices that differ from `choices` in the source of one read or in the order of two writes.
fn single_changes<'a>(
    graph: &'a EventGraph,
    choices: &'a Choices,
    orders: &'a [(EventId, EventId)],
) -> impl Iterator<Item = Choices> + 'a {
    let writes = move |read: EventId| {
        let (loc, source) = (graph.event(read).loc, choices.rf[read.index()]);
        let other = move |&id: &EventId| {
            graph.event(id).is_write() && graph.event(id).loc == loc && Some(id) != source
        };
        graph.ids().filter(other).map(move |write| (read, write))
    };
    let reads = graph.ids().filter(|&id| choices.rf[id.index()].is_some());
    let sources = reads.flat_map(writes).map(|(read, write)| {
        let mut changed = choices.clone();
        changed.rf[read.index()] = Some(write);
        changed
    });
    let turned = choices.co.iter().map(|&(first, second)| {
        let kept = orders.iter().copied().filter(|&other| other != (first, second));
        Choices { co: kept.chain([(second, first)]).collect(), ..choices.clone() }
    });
    sources.chain(turned)
}
