//! Evaluates relational expressions on one execution, given as bit matrices.
//!
//! An [`Evaluator`] is made once for an arena, some roots and a number of events; evaluating many
//! executions with it allocates nothing.

use super::expr::{Arena, Node};
use super::plan::{Step, plan};
use crate::bitrel::{EventSet, Rel};
use crate::id::NodeId;
use crate::vocabulary::{BaseRel, BaseSet, Origin, Sort};

/// The denotation of the base names of a model in one execution.
pub trait Interpretation {
    /// The number of events, which is the universe of every set and relation.
    fn len(&self) -> usize;
    /// Whether there are no events.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The members of a base set.
    fn set(&self, set: BaseSet) -> &EventSet;
    /// The pairs of a base relation.
    fn relation(&self, relation: BaseRel) -> &Rel;
}

/// The values of some roots and of nodes that they need.
#[derive(Clone, Debug)]
pub struct Values {
    places: Vec<Place>,
    /// The place of each node's value, by its id.
    homes: Vec<Option<u32>>,
}

#[derive(Clone, Debug)]
enum Place {
    Set(EventSet),
    Relation(Rel),
}

impl Place {
    fn new(sort: Sort, events: usize) -> Self {
        match sort {
            Sort::Set => Self::Set(EventSet::empty(events)),
            Sort::Relation => Self::Relation(Rel::empty(events)),
        }
    }
}

impl Values {
    /// The value of a set.
    ///
    /// # Panics
    /// When the node is a relation, or has no value here; roots always have one.
    #[must_use]
    pub fn set(&self, id: NodeId) -> &EventSet {
        match &self.places[self.home(id)] {
            Place::Set(set) => set,
            Place::Relation(_) => panic!("the node is not a set"),
        }
    }

    /// The value of a relation.
    ///
    /// # Panics
    /// When the node is a set, or has no value here; roots always have one.
    #[must_use]
    pub fn relation(&self, id: NodeId) -> &Rel {
        match &self.places[self.home(id)] {
            Place::Relation(relation) => relation,
            Place::Set(_) => panic!("the node is not a relation"),
        }
    }

    fn home(&self, id: NodeId) -> usize {
        self.homes[id.index()].expect("the node is at hand") as usize
    }
}

/// Evaluates `roots` and all nodes below.
#[must_use]
pub fn evaluate(arena: &Arena, roots: &[NodeId], execution: &dyn Interpretation) -> Values {
    let mut evaluator = Evaluator::new(arena, roots, execution.len());
    evaluator.evaluate(execution);
    evaluator.values
}

/// Evaluates `roots`; the values of other nodes are kept only as long as they are used.
#[must_use]
pub fn evaluate_roots(arena: &Arena, roots: &[NodeId], execution: &dyn Interpretation) -> Values {
    let schedule = arena.schedule(roots);
    let places = schedule.sorts.iter().map(|&sort| Place::new(sort, execution.len())).collect();
    let mut values = Values { places, homes: schedule.homes.clone() };
    for step in &schedule.steps {
        Evaluation { arena, execution, values: &mut values }.run(step);
    }
    values
}

/// Buffers and order of evaluation for many executions of one size.
#[derive(Clone, Debug)]
pub struct Evaluator<'a> {
    arena: &'a Arena,
    steps: Vec<(Step, Origin)>,
    values: Values,
}

impl<'a> Evaluator<'a> {
    /// An evaluator of `roots` on executions of `events` events.
    #[must_use]
    pub fn new(arena: &'a Arena, roots: &[NodeId], events: usize) -> Self {
        let steps = plan(arena, roots);
        let mut values = Values { places: Vec::new(), homes: vec![None; arena.len()] };
        for id in steps.iter().flat_map(|(step, _)| step.nodes()) {
            let home = u32::try_from(values.places.len()).expect("few nodes");
            values.homes[id.index()] = Some(home);
            values.places.push(Place::new(arena.sort(id), events));
        }
        Self { arena, steps, values }
    }

    /// Evaluates everything on `execution`.
    pub fn evaluate(&mut self, execution: &dyn Interpretation) -> &Values {
        for (step, _) in &self.steps {
            Evaluation { arena: self.arena, execution, values: &mut self.values }.run(step);
        }
        &self.values
    }

    /// Evaluates again after only chosen relations changed since the last evaluation.
    pub fn reevaluate(&mut self, execution: &dyn Interpretation) -> &Values {
        for (step, origin) in &self.steps {
            if *origin != Origin::Given {
                Evaluation { arena: self.arena, execution, values: &mut self.values }.run(step);
            }
        }
        &self.values
    }

    /// The values of the last evaluation.
    #[must_use]
    pub fn values(&self) -> &Values {
        &self.values
    }
}

/// Nodes being evaluated on one execution.
struct Evaluation<'a> {
    arena: &'a Arena,
    execution: &'a dyn Interpretation,
    values: &'a mut Values,
}

impl Evaluation<'_> {
    fn run(&mut self, step: &Step) {
        match step {
            Step::Node(id) => self.compute(*id),
            Step::Fixpoint { recursive, nodes } => {
                for (id, _) in recursive {
                    self.update(*id, |_, out| out.clear());
                }
                let mut grew = true;
                while grew {
                    nodes.iter().for_each(|&id| self.compute(id));
                    grew = false;
                    for &(id, body) in recursive.iter().filter(|(id, body)| id != body) {
                        grew |= self.update(id, |it, out| out.union_with(it.relation(body)));
                    }
                }
            }
        }
    }

    fn compute(&mut self, id: NodeId) {
        let node = self.arena.node(id);
        match self.arena.sort(id) {
            Sort::Set => {
                let home = self.values.home(id);
                let nothing = Place::Set(EventSet::empty(0));
                let mut place = std::mem::replace(&mut self.values.places[home], nothing);
                if let Place::Set(out) = &mut place {
                    self.compute_set(node, out);
                }
                self.values.places[home] = place;
            }
            Sort::Relation => self.update(id, |it, out| it.compute_relation(id, node, out)),
        }
    }

    /// Changes the value of a relation, which cannot be read meanwhile.
    fn update<T>(&mut self, id: NodeId, change: impl FnOnce(&Self, &mut Rel) -> T) -> T {
        let home = self.values.home(id);
        let nothing = Place::Relation(Rel::empty(0));
        let mut place = std::mem::replace(&mut self.values.places[home], nothing);
        let Place::Relation(out) = &mut place else {
            unreachable!("places have their node's sort")
        };
        let result = change(self, out);
        self.values.places[home] = place;
        result
    }

    fn set(&self, id: NodeId) -> &EventSet {
        match self.arena.node(id) {
            Node::Set(base) => self.execution.set(base),
            _ => self.values.set(id),
        }
    }

    fn relation(&self, id: NodeId) -> &Rel {
        match self.arena.node(id) {
            Node::Rel(base) => self.execution.relation(base),
            _ => self.values.relation(id),
        }
    }

    fn compute_set(&self, node: Node, out: &mut EventSet) {
        match node {
            Node::Set(base) => out.copy_from(self.execution.set(base)),
            Node::Union(a, b) => {
                out.copy_from(self.set(a));
                out.union_with(self.set(b));
            }
            Node::Inter(a, b) => {
                out.copy_from(self.set(a));
                out.intersect_with(self.set(b));
            }
            Node::Diff(a, b) => {
                out.copy_from(self.set(a));
                out.subtract(self.set(b));
            }
            Node::Domain(a) => self.relation(a).domain_into(out),
            Node::Range(a) => self.relation(a).range_into(out),
            _ => out.clear(),
        }
    }

    fn compute_relation(&self, id: NodeId, node: Node, out: &mut Rel) {
        match node {
            Node::Rel(base) => out.copy_from(self.execution.relation(base)),
            Node::Union(a, b) => {
                out.copy_from(self.relation(a));
                out.union_with(self.relation(b));
            }
            Node::Inter(a, b) => {
                out.copy_from(self.relation(a));
                out.intersect_with(self.relation(b));
            }
            Node::Diff(a, b) => {
                out.copy_from(self.relation(a));
                out.subtract(self.relation(b));
            }
            Node::Comp(a, b) => match (self.arena.node(a), self.arena.node(b)) {
                (Node::ToId(s), _) => {
                    out.copy_from(self.relation(b));
                    out.restrict_domain(self.set(s));
                }
                (_, Node::ToId(s)) => {
                    out.copy_from(self.relation(a));
                    out.restrict_range(self.set(s));
                }
                _ => self.relation(a).compose_into(self.relation(b), out),
            },
            Node::Inverse(a) => self.relation(a).inverse_into(out),
            Node::Plus(a) => {
                out.copy_from(self.relation(a));
                out.transitive_closure_in_place();
            }
            Node::ToId(a) => out.assign_to_id(self.set(a)),
            Node::Cross(a, b) => out.assign_cross(self.set(a), self.set(b)),
            // A reference to a definition that is not recursive.
            Node::Rec(_) => {
                out.copy_from(self.relation(super::plan::dependencies(self.arena, id)[0]))
            }
            _ => out.clear(),
        }
    }
}
