//! How a relation of the model comes to hold between two events: the steps behind it.

use super::witness::shortest;
use crate::cat::render::node_text;
use crate::execution::build::Execution;
use crate::id::{EventId, NodeId};
use crate::relation::eval::{Values, evaluate};
use crate::relation::expr::{Model, Node};
use crate::vocabulary::{BaseRel, Sort};
use rustc_hash::FxHashSet;

/// A step: the relation by which the event is reached.
pub(super) type Step = (String, EventId);

/// Definitions that are one step whatever they are made of.
const STEPS: [&str; 3] = ["synchronizes", "observation", "fr"];

/// The steps of program order, synchronization, observation and the like by which `node` relates
/// two events of an execution; one step where nothing more can be said.
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

/// The name of the first definition that a node is, if it is one; one of the library's counts where
/// the model shows it.
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

/// The relations that a node is made of, itself included.
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

struct Derivation<'m> {
    model: &'m Model,
    values: Values,
    steps: Vec<Step>,
}

impl Derivation<'_> {
    fn holds(&self, node: NodeId, from: EventId, to: EventId) -> bool {
        self.values.relation(node).contains(from, to)
    }

    /// Adds the steps by which `node` leads from one event to another, which it does.
    fn add(&mut self, node: NodeId, from: EventId, to: EventId) {
        if defined(self.model, node).is_some_and(|name| STEPS.contains(&name)) {
            return self.step(node, to);
        }
        match self.model.arena.node(node) {
            Node::ToId(_) | Node::Rel(BaseRel::Id) => {}
            Node::Union(a, b) => {
                let side = if self.holds(a, from, to) { a } else { b };
                self.add(side, from, to);
            }
            // The other side says which pairs count, not how one leads to the other.
            Node::Inter(a, b) => {
                let first = self.communicates(a) || !self.communicates(b) && self.leads(a);
                self.add(if first { a } else { b }, from, to);
            }
            Node::Diff(a, _) => self.add(a, from, to),
            Node::Comp(a, b) => {
                let between = self.values.relation(a).row(from).find(|&m| self.holds(b, m, to));
                let Some(between) = between else { return self.step(node, to) };
                self.add(a, from, between);
                self.add(b, between, to);
            }
            Node::Plus(a) => {
                let way = shortest(&[self.values.relation(a)], from, to, |_| true);
                let Some(way) = way else { return self.step(node, to) };
                let mut at = from;
                for next in way {
                    self.add(a, at, next);
                    at = next;
                }
            }
            _ => self.step(node, to),
        }
    }

    fn step(&mut self, node: NodeId, to: EventId) {
        let name = match self.model.arena.node(node) {
            Node::Rel(relation) => relation.name().to_owned(),
            _ => name(self.model, node),
        };
        self.steps.push((name, to));
    }

    /// Whether a relation says who reads or overwrites what; `morally-strong`, which some pairs are
    /// in program order for, does not.
    fn communicates(&self, node: NodeId) -> bool {
        self.is_made_of(node, &[BaseRel::Rf, BaseRel::Co])
    }

    /// Whether a relation is made of orders and not of properties of two events.
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
