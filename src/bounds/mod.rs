//! May and must sets of every expression of a model. The must set contains the members in every
//! execution (if their events happen), and the may set the members in some execution.
//!
//! Bounds follow from definitions, guards and static aliasing alone, never from an axiom, so that
//! a proof that uses them names the right axioms.

pub(crate) mod base;
pub mod guards;
pub mod value;

use crate::bitrel::{EventSet, Rel};
use crate::event::graph::EventGraph;
use crate::id::NodeId;
use crate::relation::expr::{Arena, Node};
use crate::relation::plan::{Step, plan};
use crate::vocabulary::Sort;
use guards::Guards;
use value::{Pair, Value, close_lo, compose_lo, domain_lo, range_lo};

/// The precision of bounds before an engine starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// Bounds of all expressions, propagated from their operands.
    #[default]
    Propagated,
    /// Bounds of base names only; other expressions are unbounded. For comparison.
    Base,
}

/// The bounds of some roots and of the nodes below them.
#[derive(Clone, Debug)]
pub struct Bounds {
    pairs: Vec<Option<Pair>>,
    precision: Precision,
    /// The relations between guards.
    pub guards: Guards,
}

impl Bounds {
    /// Bounds of `roots` and of all nodes below.
    #[must_use]
    pub fn new(graph: &EventGraph, arena: &Arena, roots: &[NodeId], precision: Precision) -> Self {
        let guards = Guards::new(graph);
        let mut bounds = Self { pairs: vec![None; arena.len()], precision, guards };
        for (step, _) in plan(arena, roots) {
            match step {
                Step::Node(id) => {
                    let pair = bounds.compute(graph, arena, id);
                    bounds.pairs[id.index()] = Some(pair);
                }
                Step::Fixpoint { recursive, nodes } => {
                    bounds.fixpoint(graph, arena, &recursive, &nodes);
                }
            }
        }
        bounds
    }

    /// The bounds of a node.
    ///
    /// # Panics
    /// When none of the roots needs the node.
    #[must_use]
    pub fn get(&self, id: NodeId) -> &Pair {
        self.pairs[id.index()].as_ref().expect("bounds of nodes that the roots need")
    }

    fn fixpoint(
        &mut self,
        graph: &EventGraph,
        arena: &Arena,
        recursive: &[(NodeId, NodeId)],
        nodes: &[NodeId],
    ) {
        let n = graph.events.len();
        let empty = Pair { lo: Value::Relation(Rel::empty(n)), hi: Value::Relation(Rel::empty(n)) };
        for (id, _) in recursive {
            self.pairs[id.index()] = Some(empty.clone());
        }
        loop {
            for &id in nodes {
                let pair = self.compute(graph, arena, id);
                self.pairs[id.index()] = Some(pair);
            }
            let mut grew = false;
            for &(id, body) in recursive {
                let (old, new) = (self.get(id).clone(), self.get(body).clone());
                let sum = Pair { lo: old.lo.union(&new.lo), hi: old.hi.union(&new.hi) };
                grew |= sum != old;
                self.pairs[id.index()] = Some(sum);
            }
            if !grew {
                return;
            }
        }
    }

    fn compute(&self, graph: &EventGraph, arena: &Arena, id: NodeId) -> Pair {
        let n = graph.events.len();
        let guards = &self.guards;
        let both = |f: &dyn Fn(&Value) -> Value, a: NodeId| {
            let a = self.get(a);
            Pair { lo: f(&a.lo), hi: f(&a.hi) }
        };
        let node = arena.node(id);
        if self.precision == Precision::Base
            && !matches!(node, Node::Set(_) | Node::Rel(_) | Node::Empty(_) | Node::Rec(_))
        {
            return match arena.sort(id) {
                Sort::Set => {
                    Pair { lo: Value::Set(EventSet::empty(n)), hi: Value::Set(EventSet::full(n)) }
                }
                Sort::Relation => {
                    let diagonal = matches!(node, Node::ToId(_));
                    let hi = if diagonal { Rel::identity(n) } else { Rel::full(n) };
                    Pair { lo: Value::Relation(Rel::empty(n)), hi: Value::Relation(hi) }
                }
            };
        }
        match node {
            Node::Set(set) => base::set_bounds(graph, set),
            Node::Rel(relation) => base::relation_bounds(graph, guards, relation),
            Node::Empty(Sort::Set) => {
                Pair { lo: Value::Set(EventSet::empty(n)), hi: Value::Set(EventSet::empty(n)) }
            }
            Node::Empty(Sort::Relation) => {
                Pair { lo: Value::Relation(Rel::empty(n)), hi: Value::Relation(Rel::empty(n)) }
            }
            Node::Union(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                Pair { lo: a.lo.union(&b.lo), hi: a.hi.union(&b.hi) }
            }
            Node::Inter(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                Pair { lo: a.lo.intersection(&b.lo), hi: a.hi.intersection(&b.hi) }
            }
            Node::Diff(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                // A must-member of b is excluded, since its events happen whenever it is a member
                // of a.
                Pair { lo: a.lo.difference(&b.hi), hi: a.hi.difference(&b.lo) }
            }
            Node::Comp(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                let mut hi = Rel::empty(n);
                a.hi.relation().compose_into(b.hi.relation(), &mut hi);
                hi.subtract(guards.exclusive());
                let lo = compose_lo(a.lo.relation(), b.lo.relation(), guards);
                Pair { lo: Value::Relation(lo), hi: Value::Relation(hi) }
            }
            Node::Inverse(a) => both(&|v| Value::Relation(v.relation().inverse()), a),
            Node::Plus(a) => {
                let a = self.get(a);
                let mut hi = a.hi.relation().clone();
                hi.transitive_closure_in_place();
                hi.subtract(guards.exclusive());
                Pair {
                    lo: Value::Relation(close_lo(a.lo.relation(), guards)),
                    hi: Value::Relation(hi),
                }
            }
            Node::ToId(a) => both(&|v| Value::Relation(Rel::to_id(v.set())), a),
            Node::Cross(a, b) => {
                let (a, b) = (self.get(a), self.get(b));
                let mut hi = Rel::cross(a.hi.set(), b.hi.set());
                hi.subtract(guards.exclusive());
                let mut lo = Rel::cross(a.lo.set(), b.lo.set());
                lo.intersect_with(&hi);
                Pair { lo: Value::Relation(lo), hi: Value::Relation(hi) }
            }
            Node::Domain(a) => {
                let a = self.get(a);
                let mut hi = EventSet::empty(n);
                a.hi.relation().domain_into(&mut hi);
                Pair { lo: Value::Set(domain_lo(a.lo.relation(), guards)), hi: Value::Set(hi) }
            }
            Node::Range(a) => {
                let a = self.get(a);
                let mut hi = EventSet::empty(n);
                a.hi.relation().range_into(&mut hi);
                Pair { lo: Value::Set(range_lo(a.lo.relation(), guards)), hi: Value::Set(hi) }
            }
            Node::Rec(_) => self.get(id).clone(),
        }
    }
}
