//! A relation between two events into the steps that establish it.

use super::witness::{Edge, shortest};
use crate::cat::render::node_text;
use crate::execution::build::Execution;
use crate::id::{EventId, NodeId};
use crate::relation::axiom::{Failure, Witness};
use crate::relation::eval::{Values, evaluate};
use crate::relation::expr::{Model, Node};
use crate::vocabulary::{BaseRel, Sort};
use rustc_hash::FxHashSet;

/// A step from one event to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The relation's node in the model.
    pub node: NodeId,
    /// The relation's name, with the two events.
    pub edge: Edge,
}

/// Definitions that are single steps, whatever they are composed of.
const STEPS: [&str; 3] = ["synchronizes", "observation", "fr"];

/// The steps of program order, synchronization, observation and similar relations by which `node` relates
/// two events of an execution; a single step if the relation has no finer steps.
pub(super) fn derivation(
    model: &Model,
    execution: &Execution<'_>,
    node: NodeId,
    from: EventId,
    to: EventId,
) -> Vec<Step> {
    let parts = relations_in(model, node);
    let values = evaluate(&model.arena, &parts, execution);
    let mut derivation = Derivation { model, values, steps: Vec::new() };
    derivation.add(node, from, to);
    derivation.steps
}

/// The steps of the violation of an axiom, in order.
#[must_use]
pub fn steps(model: &Model, execution: &Execution<'_>, failure: &Failure) -> Vec<Step> {
    let node = model.axioms[failure.axiom].node;
    let way = |node, from, to| derivation(model, execution, node, from, to);
    match &failure.witness {
        Witness::Cycle(events) => {
            let next = events.iter().cycle().skip(1);
            events.iter().zip(next).flat_map(|(&from, &to)| way(node, from, to)).collect()
        }
        Witness::Pair(from, to) => way(node, *from, *to),
        Witness::Event(event) => match two_steps(model, node, *event, execution) {
            Some((first, second)) => {
                let back = way(second.node, second.edge.from, second.edge.to);
                std::iter::once(first).chain(back).collect()
            }
            None => Vec::new(),
        },
        Witness::NotViolatedNegated => Vec::new(),
    }
}

/// How a composition relates `event` to itself: to another event, and back.
pub(super) fn two_steps(
    model: &Model,
    node: NodeId,
    event: EventId,
    execution: &Execution<'_>,
) -> Option<(Step, Step)> {
    let Node::Comp(first, second) = model.arena.node(node) else { return None };
    let values = evaluate(&model.arena, &[first, second], execution);
    let back = values.relation(second);
    let other = values.relation(first).row(event).find(|&other| back.contains(other, event))?;
    let first = part(model, first, event, other, &values);
    Some((Step::new(model, first, event, other), Step::new(model, second, other, event)))
}

/// The alternative of a union that relates two events, unless the union has a name.
fn part(model: &Model, node: NodeId, from: EventId, to: EventId, values: &Values) -> NodeId {
    match model.arena.node(node) {
        Node::Union(a, b) if defined(model, node).is_none() => {
            let side = if values.relation(a).contains(from, to) { a } else { b };
            part(model, side, from, to, values)
        }
        _ => node,
    }
}

/// The name of the first definition with this node; definitions of the library count if the model shows
/// them.
pub(super) fn defined(model: &Model, node: NodeId) -> Option<&str> {
    let own = model.definitions.iter().find(|d| d.node == node).map(|d| d.name.as_str());
    own.or_else(|| model.shown.iter().find(|(_, shown)| *shown == node).map(|(name, _)| &**name))
}

/// The name of a node, or its text where it has none.
pub(super) fn name(model: &Model, node: NodeId) -> String {
    if let Some(name) = defined(model, node) {
        return name.to_owned();
    }
    let names = model.definitions.iter().rev().map(|d| (d.node, d.name.clone())).collect();
    node_text(&model.arena, node, &names)
}

/// The relations in the expression of a node, including the node.
fn relations_in(model: &Model, node: NodeId) -> Vec<NodeId> {
    let (mut seen, mut open) = (FxHashSet::default(), vec![node]);
    while let Some(id) = open.pop() {
        if model.arena.sort(id) == Sort::Relation && seen.insert(id) {
            open.extend(model.arena.operands(id));
        }
    }
    let mut parts: Vec<NodeId> = seen.into_iter().collect();
    parts.sort_unstable();
    parts
}

impl Step {
    fn new(model: &Model, node: NodeId, from: EventId, to: EventId) -> Self {
        let relation = match model.arena.node(node) {
            Node::Rel(relation) => relation.name().to_owned(),
            _ => name(model, node),
        };
        Self { node, edge: Edge { relation, from, to } }
    }
}

struct Derivation<'m> {
    model: &'m Model,
    values: Values,
    steps: Vec<Step>,
}

impl Derivation<'_> {
    fn holds(&self, node: NodeId, from: EventId, to: EventId) -> bool {
        self.values.relation(node).contains(from, to)
    }

    /// Adds the steps by which `node` relates `from` to `to`; the relation has to hold.
    fn add(&mut self, node: NodeId, from: EventId, to: EventId) {
        if defined(self.model, node).is_some_and(|name| STEPS.contains(&name)) {
            return self.step(node, from, to);
        }
        match self.model.arena.node(node) {
            Node::ToId(_) | Node::Rel(BaseRel::Id) => {}
            Node::Union(a, b) => {
                let side = if self.holds(a, from, to) { a } else { b };
                self.add(side, from, to);
            }
            // The other operand restricts the pairs, and establishes no step.
            Node::Inter(a, b) => {
                let first = self.communicates(a) || !self.communicates(b) && self.leads(a);
                self.add(if first { a } else { b }, from, to);
            }
            Node::Diff(a, _) => self.add(a, from, to),
            Node::Comp(a, b) => {
                let between = self.values.relation(a).row(from).find(|&m| self.holds(b, m, to));
                let Some(between) = between else { return self.step(node, from, to) };
                self.add(a, from, between);
                self.add(b, between, to);
            }
            Node::Plus(a) => {
                let way = shortest(&[self.values.relation(a)], from, to, |_| true);
                let Some(way) = way else { return self.step(node, from, to) };
                let mut at = from;
                for next in way {
                    self.add(a, at, next);
                    at = next;
                }
            }
            _ => self.step(node, from, to),
        }
    }

    fn step(&mut self, node: NodeId, from: EventId, to: EventId) {
        self.steps.push(Step::new(self.model, node, from, to));
    }

    /// Whether a relation is built from communication. `morally-strong` is not, although program order
    /// makes some pairs morally strong.
    fn communicates(&self, node: NodeId) -> bool {
        self.is_made_of(node, &[BaseRel::Rf, BaseRel::Co])
    }

    /// Whether a relation is built from orders, as opposed to properties of two events.
    fn leads(&self, node: NodeId) -> bool {
        let orders = [BaseRel::Po, BaseRel::Rf, BaseRel::Co, BaseRel::FenceSc, BaseRel::Api];
        self.is_made_of(node, &orders)
    }

    fn is_made_of(&self, node: NodeId, orders: &[BaseRel]) -> bool {
        relations_in(self.model, node).into_iter().any(|part| {
            matches!(self.model.arena.node(part), Node::Rel(relation) if orders.contains(&relation))
        })
    }
}
