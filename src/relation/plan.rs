//! The order in which the nodes that some roots need are evaluated.
//!
//! Operands come first. Nodes that depend on each other through a recursive definition form one
//! [`Step::Fixpoint`]; recursion is stratified, so that iteration from the empty relation reaches
//! the least solution, whatever the nesting of the definitions.

use super::expr::{Arena, Node};
use crate::id::NodeId;
use crate::vocabulary::{Origin, Sort};

/// One step of an evaluation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// Evaluate one node from its operands.
    Node(NodeId),
    /// Iterate until no recursive relation grows.
    Fixpoint {
        /// The recursive references, each with its right-hand side.
        recursive: Vec<(NodeId, NodeId)>,
        /// The other nodes of the cycle, operands first.
        nodes: Vec<NodeId>,
    },
}

impl Step {
    /// All nodes that the step evaluates.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let (one, recursive, nodes) = match self {
            Self::Node(id) => (Some(*id), &[][..], &[][..]),
            Self::Fixpoint { recursive, nodes } => (None, &recursive[..], &nodes[..]),
        };
        one.into_iter().chain(recursive.iter().map(|(id, _)| *id)).chain(nodes.iter().copied())
    }
}

/// The steps for some roots, and a place for every value.
///
/// A value that is no longer used gives its place to a later one. Base names have neither step nor
/// place, unless they are roots; they are read from the interpretation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    roots: Vec<NodeId>,
    pub(crate) steps: Vec<Step>,
    /// The place of each node that has one.
    pub(crate) homes: Vec<Option<u32>>,
    /// The sort of each place's value.
    pub(crate) sorts: Vec<Sort>,
}

impl Schedule {
    /// Plans the evaluation of some roots, whose values are kept to the end.
    pub(crate) fn new(arena: &Arena, roots: &[NodeId]) -> Self {
        let mut steps: Vec<Step> = plan(arena, roots).into_iter().map(|(step, _)| step).collect();
        let mut used = vec![false; arena.len()];
        for id in steps.iter().flat_map(Step::nodes) {
            operands_read(arena, id).into_iter().for_each(|o| used[o.index()] = true);
        }
        steps.retain(|step| match step {
            Step::Node(id) if roots.contains(id) => true,
            Step::Node(id) => used[id.index()] && !is_base(arena, *id),
            Step::Fixpoint { .. } => true,
        });
        let mut last: Vec<Option<usize>> = vec![None; arena.len()];
        for (position, step) in steps.iter().enumerate() {
            for id in step.nodes() {
                last[id.index()] = Some(position);
                operands_read(arena, id).into_iter().for_each(|o| last[o.index()] = Some(position));
            }
        }
        roots.iter().for_each(|root| last[root.index()] = None);
        let mut done: Vec<Vec<NodeId>> = vec![Vec::new(); steps.len()];
        for id in (0..arena.len()).map(NodeId::new) {
            if let Some(position) = last[id.index()] {
                done[position].push(id);
            }
        }
        let mut homes: Vec<Option<u32>> = vec![None; arena.len()];
        let mut sorts = Vec::new();
        let mut free: Vec<u32> = Vec::new();
        for (step, done) in steps.iter().zip(&done) {
            for id in step.nodes() {
                let sort = arena.sort(id);
                let fits = free.iter().rposition(|&home| sorts[home as usize] == sort);
                let home = fits.map(|at| free.swap_remove(at)).unwrap_or_else(|| {
                    sorts.push(sort);
                    u32::try_from(sorts.len() - 1).expect("few nodes")
                });
                homes[id.index()] = Some(home);
            }
            free.extend(done.iter().filter_map(|id| homes[id.index()]));
        }
        Self { roots: roots.to_vec(), steps, homes, sorts }
    }

    /// Whether this is the schedule for these roots.
    pub(crate) fn is_for(&self, roots: &[NodeId]) -> bool {
        self.roots == roots
    }
}

/// Whether a node is a base name.
fn is_base(arena: &Arena, id: NodeId) -> bool {
    matches!(arena.node(id), Node::Set(_) | Node::Rel(_))
}

/// The nodes whose values an evaluation reads: a restriction reads the set instead of its identity.
fn operands_read(arena: &Arena, id: NodeId) -> smallvec::SmallVec<[NodeId; 2]> {
    let Node::Comp(a, b) = arena.node(id) else { return dependencies(arena, id) };
    match (arena.node(a), arena.node(b)) {
        (Node::ToId(set), _) => smallvec::smallvec![set, b],
        (_, Node::ToId(set)) => smallvec::smallvec![a, set],
        _ => smallvec::smallvec![a, b],
    }
}

/// The steps for some roots; those that depend on chosen relations are marked.
pub(crate) fn plan(arena: &Arena, roots: &[NodeId]) -> Vec<(Step, Origin)> {
    let mut planner = Planner {
        arena,
        visits: vec![Visit::New; arena.len()],
        chosen: vec![false; arena.len()],
        stack: Vec::new(),
        count: 0,
        steps: Vec::new(),
    };
    for &root in roots {
        planner.visit(root);
    }
    planner.steps
}

/// What an analysis says of every node of an arena: the fixpoint of a step that gives what holds of a node from
/// what is known of the others. Recursive relations count as the best until the iteration finds otherwise.
pub(crate) fn fixpoint<T: Copy + PartialEq>(
    arena: &Arena,
    best: T,
    step: impl Fn(NodeId, &[T]) -> T,
) -> Vec<T> {
    let mut known = vec![best; arena.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for index in 0..arena.len() {
            let new = step(NodeId::new(index), &known);
            changed |= new != known[index];
            known[index] = new;
        }
    }
    known
}

/// The nodes from which a node is computed: its operands, or the right-hand side of its definition.
pub(crate) fn dependencies(arena: &Arena, id: NodeId) -> smallvec::SmallVec<[NodeId; 2]> {
    match arena.node(id) {
        Node::Rec(rec) => arena.group(rec.group).skip(rec.member as usize).take(1).collect(),
        _ => arena.operands(id),
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    New,
    /// On the stack; holds the order of discovery.
    Open(usize),
    Done,
}

/// Tarjan's algorithm: strongly connected components come out dependencies first.
struct Planner<'a> {
    arena: &'a Arena,
    visits: Vec<Visit>,
    chosen: Vec<bool>,
    stack: Vec<NodeId>,
    count: usize,
    steps: Vec<(Step, Origin)>,
}

impl Planner<'_> {
    /// Visits a node; gives the earliest open node that it reaches.
    fn visit(&mut self, id: NodeId) -> usize {
        match self.visits[id.index()] {
            Visit::Done => return usize::MAX,
            Visit::Open(order) => return order,
            Visit::New => {}
        }
        let order = self.count;
        self.count += 1;
        self.visits[id.index()] = Visit::Open(order);
        self.stack.push(id);
        let mut low = order;
        for operand in dependencies(self.arena, id) {
            low = low.min(self.visit(operand));
        }
        if low == order {
            let start = self.stack.iter().rposition(|&n| n == id).expect("it was pushed above");
            let component = self.stack.split_off(start);
            self.close(component);
            return usize::MAX;
        }
        low
    }

    fn close(&mut self, mut component: Vec<NodeId>) {
        // Ids of operands are smaller, except for recursive references.
        component.sort_unstable();
        let chosen = component.iter().any(|&id| self.depends_on_choice(id));
        for &id in &component {
            self.visits[id.index()] = Visit::Done;
            self.chosen[id.index()] = chosen;
        }
        let is_rec = |id: &NodeId| matches!(self.arena.node(*id), Node::Rec(_));
        let step = match component[..] {
            [id] if !dependencies(self.arena, id).contains(&id) => Step::Node(id),
            _ => {
                let (recursive, nodes) = component.into_iter().partition(is_rec);
                let recursive: Vec<NodeId> = recursive;
                let body = |id| dependencies(self.arena, id)[0];
                Step::Fixpoint {
                    recursive: recursive.into_iter().map(|id| (id, body(id))).collect(),
                    nodes,
                }
            }
        };
        self.steps.push((step, if chosen { Origin::Chosen } else { Origin::Given }));
    }

    fn depends_on_choice(&self, id: NodeId) -> bool {
        match self.arena.node(id) {
            Node::Rel(rel) => rel.origin() != Origin::Given,
            _ => dependencies(self.arena, id).iter().any(|d| self.chosen[d.index()]),
        }
    }
}
