//! Steps by the Fence-SC order of two fences, either of which may come first, into what the opposite
//! order breaks: a proof by cases.

use super::derivation::{Step, steps};
use super::witness::Edge;
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::recheck;
use crate::id::EventId;
use crate::relation::eval::{Interpretation, evaluate};
use crate::relation::expr::Model;
use crate::vocabulary::BaseRel;

/// Two fences, the first of which comes before the second in Fence-SC order.
type Order = (EventId, EventId);

/// What the opposite order of two fences does.
pub(super) enum Opposite<'g> {
    /// It breaks an axiom, too.
    Refuted(Box<Case<'g>>),
    /// No place of one fence alone shows what it breaks.
    Open,
}

/// How an execution with the opposite order of two fences breaks an axiom, too.
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command tells them in words"))]
pub(super) struct Case<'g> {
    pub(super) execution: Execution<'g>,
    /// The axiom, by index.
    pub(super) axiom: usize,
    /// The steps of what breaks the axiom, each with its opposite where the step holds by an order of
    /// fences that no case before has decided.
    pub(super) steps: Vec<(Edge, Option<Opposite<'g>>)>,
    /// Whether a step holds by the order of two fences; else the axiom is broken in either order.
    pub(super) needs_order: bool,
}

impl<'g> Opposite<'g> {
    /// The opposite Fence-SC order, if the last of some steps holds by such an order.
    pub(super) fn of_last(
        model: &Model,
        execution: &Execution<'g>,
        steps: &[Step],
    ) -> Option<Self> {
        let is_choice = |step: &&Step| is_choice(model, execution, &step.edge);
        let last = steps.last().filter(is_choice)?;
        let earlier = steps[..steps.len() - 1].iter().filter(is_choice);
        let mut decided: Vec<Order> = earlier.map(|step| (step.edge.from, step.edge.to)).collect();
        decided.push((last.edge.to, last.edge.from));
        Some(Self::of(model, execution, &decided))
    }

    /// What the `decided` orders do, the last of which is the opposite of that of a known execution.
    fn of(model: &Model, known: &Execution<'g>, decided: &[Order]) -> Self {
        let case = Case::new(model, known, decided);
        case.map_or(Self::Open, |case| Self::Refuted(Box::new(case)))
    }

    /// The edges of all steps, those of further cases among them.
    pub(super) fn edges(&self) -> Vec<Edge> {
        let Self::Refuted(case) = self else { return Vec::new() };
        let mut edges = Vec::new();
        for (edge, opposite) in &case.steps {
            edges.push(edge.clone());
            edges.extend(opposite.iter().flat_map(Self::edges));
        }
        edges
    }
}

impl<'g> Case<'g> {
    /// Of the executions with the `decided` orders that differ from a known one in the place of one
    /// fence, that whose breaking of an axiom needs the fewest orders besides, then the fewest steps.
    fn new(model: &Model, known: &Execution<'g>, decided: &[Order]) -> Option<Self> {
        let cost = |(open, steps, ..): &(usize, Vec<Step>, usize)| (*open, steps.len());
        let broken = moves(&known.choices, decided).into_iter().filter_map(|choices| {
            let execution = Execution::build(known.graph, choices).ok()?;
            let ways = recheck(model, &execution).broken.into_iter().map(|failure| {
                let mut steps = steps(model, &execution, &failure);
                steps.retain(|step| step.edge.from != step.edge.to);
                let open = |step: &&Step| is_open(model, &execution, &step.edge, decided);
                (steps.iter().filter(open).count(), steps, failure.axiom)
            });
            let way = ways.filter(|(_, steps, _)| !steps.is_empty()).min_by_key(cost)?;
            Some((way, execution))
        });
        let ((_, way, axiom), execution) = broken.min_by_key(|(way, _)| cost(way))?;
        let needs_order = way.iter().any(|step| is_choice(model, &execution, &step.edge));
        let mut decided = decided.to_vec();
        let mut steps = Vec::new();
        for Step { edge, .. } in way {
            let opposite = is_open(model, &execution, &edge, &decided).then(|| {
                decided.push((edge.to, edge.from));
                let opposite = Opposite::of(model, &execution, &decided);
                decided.pop();
                decided.push((edge.from, edge.to));
                opposite
            });
            steps.push((edge, opposite));
        }
        Some(Self { execution, axiom, steps, needs_order })
    }
}

/// Whether a release and an acquire pattern order two fences, whatever their Fence-SC order is.
pub(super) fn is_ordered_by_patterns(
    model: &Model,
    execution: &Execution<'_>,
    edge: &Edge,
) -> bool {
    model.definition("release-acquire").is_some_and(|node| {
        evaluate(&model.arena, &[node], execution).relation(node).contains(edge.from, edge.to)
    })
}

/// Whether a step holds only by the Fence-SC order of two fences.
fn is_choice(model: &Model, execution: &Execution<'_>, edge: &Edge) -> bool {
    execution.relation(BaseRel::FenceSc).contains(edge.from, edge.to)
        && matches!(edge.relation.as_str(), "synchronizes" | "sc")
        && !is_ordered_by_patterns(model, execution, edge)
}

/// Whether a step holds only by an order of fences that does not follow from the decided ones.
fn is_open(model: &Model, execution: &Execution<'_>, edge: &Edge, decided: &[Order]) -> bool {
    is_choice(model, execution, edge) && !follows(decided, edge.from, edge.to)
}

/// Whether the orders together say that one fence comes before another.
fn follows(orders: &[Order], from: EventId, to: EventId) -> bool {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(&fence) = reached.get(next) {
        let after = orders.iter().filter(|(one, _)| *one == fence).map(|&(_, other)| other);
        let new: Vec<EventId> = after.filter(|other| !reached.contains(other)).collect();
        reached.extend(new);
        next += 1;
    }
    from != to && reached.contains(&to)
}

/// The choices that move one fence to another place in the Fence-SC order, or none, such that the
/// `decided` orders hold.
fn moves(choices: &Choices, decided: &[Order]) -> Vec<Choices> {
    let mut all: Vec<EventId> = choices.sc.iter().flat_map(|&(one, other)| [one, other]).collect();
    all.sort_unstable();
    all.dedup();
    let mut fences = all.clone();
    fences
        .sort_by_key(|&fence| all.iter().filter(|&&one| follows(&choices.sc, one, fence)).count());
    let places = 0..fences.len();
    let pairs = places.clone().flat_map(|from| places.clone().map(move |to| (from, to)));
    let moved = pairs.map(|(from, to)| {
        let mut order = fences.clone();
        let fence = order.remove(from);
        order.insert(to, fence);
        order
    });
    let is_before = |order: &[EventId], (one, other): Order| {
        let place = |fence| order.iter().position(|&known| known == fence);
        place(one) < place(other)
    };
    let fitting = moved.filter(|order| decided.iter().all(|&pair| is_before(order, pair)));
    let turned = fitting.map(|order| {
        let turn = |&(one, other): &Order| match is_before(&order, (one, other)) {
            true => (one, other),
            false => (other, one),
        };
        Choices { sc: choices.sc.iter().map(turn).collect(), ..choices.clone() }
    });
    turned.collect()
}
