//! The events that may be in the pairs of a relation, by its base names alone: an upper bound that
//! takes no closure and no composition.

use crate::bitrel::EventSet;
use crate::event::base::{base_relation, base_set};
use crate::event::graph::EventGraph;
use crate::id::NodeId;
use crate::relation::expr::{Arena, Node};
use crate::vocabulary::{BaseRel, BaseSet, Origin};
use rustc_hash::FxHashMap;

/// First and second events of pairs. Of a set, both are its members.
#[derive(Clone)]
pub(super) struct Ends {
    first: EventSet,
    second: EventSet,
}

impl Ends {
    /// The ends of the pairs of an expression in any execution of these events.
    pub(super) fn of(graph: &EventGraph, arena: &Arena, node: NodeId) -> Self {
        Self::shared(graph, arena, node, &mut FxHashMap::default())
    }

    fn shared(
        graph: &EventGraph,
        arena: &Arena,
        node: NodeId,
        known: &mut FxHashMap<NodeId, Self>,
    ) -> Self {
        if let Some(ends) = known.get(&node) {
            return ends.clone();
        }
        let mut get = |node| Self::shared(graph, arena, node, known);
        let ends = match arena.node(node) {
            Node::Empty(_) => Self::within(EventSet::empty(graph.events.len())),
            Node::Set(set) => Self::within(base_set(graph, set).clone()),
            Node::Rel(relation) => Self::of_base(graph, relation),
            Node::Comp(a, b) => Self { first: get(a).first, second: get(b).second }.or_none(),
            Node::Cross(a, b) => Self { first: get(a).first, second: get(b).first }.or_none(),
            Node::Inter(a, b) => {
                let (mut out, other) = (get(a), get(b));
                out.first.intersect_with(&other.first);
                out.second.intersect_with(&other.second);
                out.or_none()
            }
            Node::Union(a, b) => {
                let (mut out, other) = (get(a), get(b));
                out.first.union_with(&other.first);
                out.second.union_with(&other.second);
                out
            }
            Node::Diff(a, _) | Node::ToId(a) | Node::Plus(a) => get(a),
            Node::Domain(a) => Self::within(get(a).first),
            Node::Range(a) => Self::within(get(a).second),
            Node::Inverse(a) => {
                let Self { first, second } = get(a);
                Self { first: second, second: first }
            }
            Node::Rec(_) => Self::within(base_set(graph, BaseSet::All).clone()),
        };
        known.insert(node, ends.clone());
        ends
    }

    fn of_base(graph: &EventGraph, relation: BaseRel) -> Self {
        let members = |set| base_set(graph, set).clone();
        match relation {
            BaseRel::Rf => Self { first: members(BaseSet::Write), second: members(BaseSet::Read) },
            BaseRel::Co => Self::within(members(BaseSet::Write)),
            BaseRel::Id => Self::within(members(BaseSet::All)),
            _ if relation.origin() == Origin::Chosen => Self::within(members(BaseSet::Fence)),
            _ => {
                let given = base_relation(graph, relation);
                let n = graph.events.len();
                let (mut first, mut second) = (EventSet::empty(n), EventSet::empty(n));
                given.domain_into(&mut first);
                given.range_into(&mut second);
                for pair in graph.conditional(relation) {
                    first.insert(pair.from);
                    second.insert(pair.to);
                }
                Self { first, second }
            }
        }
    }

    fn within(members: EventSet) -> Self {
        Self { first: members.clone(), second: members }
    }

    /// No pairs if one end has no event.
    fn or_none(mut self) -> Self {
        if self.first.is_empty() || self.second.is_empty() {
            self.first.clear();
            self.second.clear();
        }
        self
    }

    /// All events at either end.
    pub(super) fn all(&self) -> EventSet {
        let mut all = self.first.clone();
        all.union_with(&self.second);
        all
    }
}
