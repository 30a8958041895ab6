//! Conditions of a model under which programs are defined, as relations that have pairs in executions
//! that fail them.

use super::asked::Asked;
use super::ends::Ends;
use super::{barrier_skeleton, condition_rules};
use crate::event::graph::EventGraph;
use crate::execution::build::Choices;
use crate::id::NodeId;
use crate::relation::expr::{Axiom, AxiomKind, AxiomRole, Model, Node};
use crate::relation::extension::is_settled;
use crate::relation::polarity::{Polarity, Variance};
use crate::solve::{Goal, Lasting, Pairs, Problem};
use crate::verdict::{Decided, Reason, Verdict};
use crate::vocabulary::{BaseRel, Sort};
use std::borrow::Cow;

/// A condition, as a relation that has pairs in the executions that fail it.
pub(super) struct Condition<'m> {
    /// The axiom of the model as written.
    pub(super) axiom: &'m Axiom,
    /// The model with the relation; of a negated condition, also with the demand that it is failed.
    model: Cow<'m, Model>,
    /// The relation.
    node: NodeId,
    /// Whether its pairs stay in it when threads go on.
    pub(super) lasting: Lasting,
    /// The base relation among whose pairs of barrier operations those of the condition are. That an
    /// operation has been reached but is not complete is no event of a prefix, so that such conditions have
    /// prefixes of their own.
    pub(super) barrier_pairs: Option<BaseRel>,
    /// Whether the condition is about accesses that overlap in part.
    pub(super) is_of_mixed_sizes: bool,
}

impl<'m> Condition<'m> {
    /// The condition of an axiom of the model.
    pub(super) fn new(model: &'m Model, index: usize) -> Self {
        let axiom = &model.axioms[index];
        let mut model = Cow::Borrowed(model);
        let of_relation = model.arena.sort(axiom.node) == Sort::Relation;
        let node = match axiom.kind {
            _ if axiom.negated => {
                let own = &mut model.to_mut().axioms[index];
                (own.role, own.negated) = (AxiomRole::Required, false);
                add(&mut model, Node::Rel(BaseRel::Id))
            }
            AxiomKind::Empty if of_relation => axiom.node,
            AxiomKind::Empty => add(&mut model, Node::ToId(axiom.node)),
            AxiomKind::Irreflexive => loops(&mut model, axiom.node),
            AxiomKind::Acyclic => {
                let paths = add(&mut model, Node::Plus(axiom.node));
                loops(&mut model, paths)
            }
        };
        let lasting = match !axiom.negated && is_settled(&model.arena, node) {
            true => Lasting::Always,
            false => Lasting::AtEnd,
        };
        let polarity = Polarity::new(&model.arena);
        let grows = |relation: BaseRel| polarity.in_relation(node, relation) == Variance::Monotone;
        let barriers = [BaseRel::OtherCount, BaseRel::Returns];
        let barrier_pairs = barriers.into_iter().find(|&relation| grows(relation));
        let is_of_mixed_sizes = grows(BaseRel::Partial);
        Self { axiom, model, node, lasting, barrier_pairs, is_of_mixed_sizes }
    }

    /// The events that may be in its pairs.
    pub(super) fn ends(&self, graph: &EventGraph) -> Ends {
        Ends::of(graph, &self.model.arena, self.node)
    }

    /// The verdict if some execution of these events fails the condition.
    pub(super) fn fails(&self, asked: Asked<'_>) -> Option<Verdict> {
        let asked = asked.under(&self.model);
        if barrier_skeleton::excludes(asked.problem, self.node) {
            return None;
        }
        match asked.find(Goal::Related(self.pairs())) {
            Ok(Decided::Yes(choices)) => Some(self.confirmed(asked.problem.graph, choices)),
            Ok(Decided::No(_)) => None,
            Err(why) => Some(Verdict::Unknown(why)),
        }
    }

    fn pairs(&self) -> Pairs {
        Pairs::Member(self.node, self.lasting)
    }

    /// Evaluates the model on an engine's execution and finds the pair in it.
    pub(super) fn confirmed(&self, graph: &EventGraph, choices: Box<Choices>) -> Verdict {
        let problem = Problem { graph, model: &self.model };
        let name = &self.axiom.name;
        let (execution, pair) = match self.pairs().confirm(problem, &choices) {
            Ok(found) => found,
            Err(what) => {
                return Verdict::Error(format!(
                    "the engine's execution does not fail {name}: {what}"
                ));
            }
        };
        // Nothing is there where a negated condition asks for something.
        let pair = (!self.axiom.negated).then_some(pair);
        match condition_rules::rule(self.axiom, &execution, pair) {
            Ok(rule) => {
                let events = pair.map_or_else(Vec::new, |(a, b)| vec![a, b]);
                let mut spans: Vec<_> = events.iter().map(|&id| graph.event(id).span).collect();
                spans.dedup();
                Verdict::Undefined(Reason { rule, spans, choices: Some(choices) })
            }
            Err(why) => Verdict::Unknown(why),
        }
    }
}

/// The condition of a model on pairs of barrier operations of a base relation.
pub(super) fn condition_on(model: &Model, relation: BaseRel) -> Option<&Axiom> {
    let conditions = 0..model.axioms.len();
    let mut conditions = conditions
        .filter(|&index| model.axioms[index].role == AxiomRole::UndefinedUnless)
        .map(|index| Condition::new(model, index));
    conditions.find(|condition| condition.barrier_pairs == Some(relation)).map(|found| found.axiom)
}

/// Whether no execution of a program can fail a condition, because a base set or relation in it is
/// empty there.
pub(super) fn is_vacuous(graph: &EventGraph, model: &Model, axiom: &Axiom) -> bool {
    let may_have_pairs = || !Ends::of(graph, &model.arena, axiom.node).all().is_empty();
    axiom.kind == AxiomKind::Empty && !axiom.negated && !may_have_pairs()
}

fn add(model: &mut Cow<'_, Model>, node: Node) -> NodeId {
    model.to_mut().arena.add(node)
}

/// The pairs of a relation from an event to itself.
fn loops(model: &mut Cow<'_, Model>, node: NodeId) -> NodeId {
    let identity = add(model, Node::Rel(BaseRel::Id));
    add(model, Node::Inter(node, identity))
}
