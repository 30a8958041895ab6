//! Evaluates relational expressions on one execution, given as bit matrices.
//!
//! An [`Evaluator`] is made once for an arena, some roots and a number of events; evaluating many
//! executions with it allocates nothing.

use super::expr::{Arena, Node};
use super::plan::{Step, plan};
use crate::bitrel::{EventSet, Rel};
use crate::id::NodeId;
use crate::vocabulary::{BaseRel, BaseSet, Origin, Sort};

/// What the base names of a model denote in one execution.
pub trait Interpretation {
    /// How many events there are; every set and relation is over that many.
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
    slots: Vec<Slot>,
}

#[derive(Clone, Debug)]
enum Slot {
    Unused,
    Set(EventSet),
    Relation(Rel),
}

impl Slot {
    /// A buffer for a node.
    fn new(arena: &Arena, id: NodeId, events: usize) -> Self {
        match arena.sort(id) {
            Sort::Set => Self::Set(EventSet::empty(events)),
            Sort::Relation => Self::Relation(Rel::empty(events)),
        }
    }
}

impl Values {
    /// The value of a set.
    ///
    /// # Panics
    /// When the node is a relation, or not at hand; roots always are.
    #[must_use]
    pub fn set(&self, id: NodeId) -> &EventSet {
        set(&self.slots[id.index()])
    }

    /// The value of a relation.
    ///
    /// # Panics
    /// When the node is a set, or not at hand; roots always are.
    #[must_use]
    pub fn relation(&self, id: NodeId) -> &Rel {
        relation(&self.slots[id.index()])
    }
}

/// Evaluates `roots` and all they are made of.
#[must_use]
pub fn evaluate(arena: &Arena, roots: &[NodeId], execution: &dyn Interpretation) -> Values {
    let mut evaluator = Evaluator::new(arena, roots, execution.len());
    evaluator.evaluate(execution);
    evaluator.values
}

/// Evaluates `roots`; what they are made of is kept only as long as something needs it.
#[must_use]
pub fn evaluate_roots(arena: &Arena, roots: &[NodeId], execution: &dyn Interpretation) -> Values {
    let schedule = arena.schedule(roots);
    let mut slots = vec![Slot::Unused; arena.len()];
    let mut spare: Vec<Slot> = Vec::new();
    for (step, done) in &schedule.steps {
        for id in step.nodes() {
            slots[id.index()] = match spare.pop() {
                Some(slot) if arena.sort(id) == Sort::Relation => slot,
                other => {
                    spare.extend(other);
                    Slot::new(arena, id, execution.len())
                }
            };
        }
        run(arena, step, &mut slots, execution);
        for id in done {
            let slot = std::mem::replace(&mut slots[id.index()], Slot::Unused);
            spare.extend(Some(slot).filter(|slot| matches!(slot, Slot::Relation(_))));
        }
    }
    Values { slots }
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
        let mut slots = vec![Slot::Unused; arena.len()];
        for id in steps.iter().flat_map(|(step, _)| step.nodes()) {
            slots[id.index()] = Slot::new(arena, id, events);
        }
        Self { arena, steps, values: Values { slots } }
    }

    /// Evaluates everything on `execution`.
    pub fn evaluate(&mut self, execution: &dyn Interpretation) -> &Values {
        for (step, _) in &self.steps {
            run(self.arena, step, &mut self.values.slots, execution);
        }
        &self.values
    }

    /// Evaluates again after only chosen relations changed since the last evaluation.
    pub fn reevaluate(&mut self, execution: &dyn Interpretation) -> &Values {
        for (step, origin) in &self.steps {
            if *origin == Origin::Chosen {
                run(self.arena, step, &mut self.values.slots, execution);
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

fn run(arena: &Arena, step: &Step, slots: &mut [Slot], execution: &dyn Interpretation) {
    match step {
        Step::Node(id) => compute(arena, *id, slots, execution),
        Step::Fixpoint { recursive, nodes } => {
            for (id, _) in recursive {
                relation_mut(&mut slots[id.index()]).clear();
            }
            let mut grew = true;
            while grew {
                for id in nodes {
                    compute(arena, *id, slots, execution);
                }
                grew = false;
                for (id, body) in recursive {
                    grew |= grow(slots, *id, *body);
                }
            }
        }
    }
}

/// Adds the value of `body` to that of `id`; whether that is more.
fn grow(slots: &mut [Slot], id: NodeId, body: NodeId) -> bool {
    if id == body {
        return false;
    }
    let (low, high) = slots.split_at_mut(id.index().max(body.index()));
    let (target, source) = if id < body {
        (&mut low[id.index()], &high[0])
    } else {
        (&mut high[0], &low[body.index()])
    };
    relation_mut(target).union_with(relation(source))
}

fn compute(arena: &Arena, id: NodeId, slots: &mut [Slot], execution: &dyn Interpretation) {
    let node = arena.node(id);
    if let Node::Rec(_) = node {
        relation_mut(&mut slots[id.index()]).clear();
        grow(slots, id, super::plan::dependencies(arena, id)[0]);
        return;
    }
    let (operands, rest) = slots.split_at_mut(id.index());
    match &mut rest[0] {
        Slot::Set(out) => compute_set(node, out, operands, execution),
        Slot::Relation(out) => compute_relation(arena, node, out, operands, execution),
        Slot::Unused => unreachable!("the plan gives every node it names a slot"),
    }
}

fn compute_set(node: Node, out: &mut EventSet, slots: &[Slot], execution: &dyn Interpretation) {
    let get = |id: NodeId| set(&slots[id.index()]);
    match node {
        Node::Set(base) => out.copy_from(execution.set(base)),
        Node::Union(a, b) => {
            out.copy_from(get(a));
            out.union_with(get(b));
        }
        Node::Inter(a, b) => {
            out.copy_from(get(a));
            out.intersect_with(get(b));
        }
        Node::Diff(a, b) => {
            out.copy_from(get(a));
            out.subtract(get(b));
        }
        Node::Domain(a) => relation(&slots[a.index()]).domain_into(out),
        Node::Range(a) => relation(&slots[a.index()]).range_into(out),
        _ => out.clear(),
    }
}

fn compute_relation(
    arena: &Arena,
    node: Node,
    out: &mut Rel,
    slots: &[Slot],
    execution: &dyn Interpretation,
) {
    let get = |id: NodeId| relation(&slots[id.index()]);
    let get_set = |id: NodeId| set(&slots[id.index()]);
    match node {
        Node::Rel(base) => out.copy_from(execution.relation(base)),
        Node::Union(a, b) => {
            out.copy_from(get(a));
            out.union_with(get(b));
        }
        Node::Inter(a, b) => {
            out.copy_from(get(a));
            out.intersect_with(get(b));
        }
        Node::Diff(a, b) => {
            out.copy_from(get(a));
            out.subtract(get(b));
        }
        Node::Comp(a, b) => match (arena.node(a), arena.node(b)) {
            (Node::ToId(s), _) => {
                out.copy_from(get(b));
                out.restrict_domain(get_set(s));
            }
            (_, Node::ToId(s)) => {
                out.copy_from(get(a));
                out.restrict_range(get_set(s));
            }
            _ => get(a).compose_into(get(b), out),
        },
        Node::Inverse(a) => get(a).inverse_into(out),
        Node::Plus(a) => {
            out.copy_from(get(a));
            out.transitive_closure_in_place();
        }
        Node::ToId(a) => out.assign_to_id(get_set(a)),
        Node::Cross(a, b) => out.assign_cross(get_set(a), get_set(b)),
        _ => out.clear(),
    }
}

fn set(slot: &Slot) -> &EventSet {
    match slot {
        Slot::Set(set) => set,
        _ => panic!("the node is not a set, or not at hand"),
    }
}

fn relation(slot: &Slot) -> &Rel {
    match slot {
        Slot::Relation(relation) => relation,
        _ => panic!("the node is not a relation, or not at hand"),
    }
}

fn relation_mut(slot: &mut Slot) -> &mut Rel {
    match slot {
        Slot::Relation(relation) => relation,
        _ => panic!("recursive definitions are relations"),
    }
}
