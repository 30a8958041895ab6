//! The order in which the nodes that some roots need are evaluated.
//!
//! Operands come first. Nodes that depend on each other through a recursive definition form one
//! [`Step::Fixpoint`]; recursion is stratified, so that its least solution is what iteration
//! from the empty relation reaches, whatever the nesting of the definitions.

use super::expr::{Arena, Node};
use crate::id::NodeId;
use crate::vocabulary::Origin;

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
    /// All nodes that it evaluates.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = NodeId> + '_ {
        let (one, recursive, nodes) = match self {
            Self::Node(id) => (Some(*id), &[][..], &[][..]),
            Self::Fixpoint { recursive, nodes } => (None, &recursive[..], &nodes[..]),
        };
        one.into_iter().chain(recursive.iter().map(|(id, _)| *id)).chain(nodes.iter().copied())
    }
}

/// The steps for some roots, and how long each value is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Schedule {
    roots: Vec<NodeId>,
    /// Each step with the nodes that nothing needs after it.
    pub(crate) steps: Vec<(Step, Vec<NodeId>)>,
}

impl Schedule {
    /// Plans the evaluation of some roots, which are needed to the end.
    pub(crate) fn new(arena: &Arena, roots: &[NodeId]) -> Self {
        let steps: Vec<Step> = plan(arena, roots).into_iter().map(|(step, _)| step).collect();
        let mut last_use: Vec<Option<usize>> = vec![None; arena.len()];
        for (position, step) in steps.iter().enumerate() {
            for id in step.nodes() {
                last_use[id.index()] = Some(position);
                for operand in dependencies(arena, id) {
                    last_use[operand.index()] = Some(position);
                    // Restrictions look through the identity at its set.
                    if let Node::ToId(set) = arena.node(operand) {
                        last_use[set.index()] = Some(position);
                    }
                }
            }
        }
        let mut steps: Vec<(Step, Vec<NodeId>)> =
            steps.into_iter().map(|step| (step, Vec::new())).collect();
        for id in (0..arena.len()).map(NodeId::new).filter(|id| !roots.contains(id)) {
            if let Some(last) = last_use[id.index()] {
                steps[last].1.push(id);
            }
        }
        Self { roots: roots.to_vec(), steps }
    }

    /// Whether this is the schedule for these roots.
    pub(crate) fn is_for(&self, roots: &[NodeId]) -> bool {
        self.roots == roots
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

/// What a node is computed from: its operands, or the right-hand side of its definition.
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
        // Ids of operands are smaller, but for recursive references.
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
            Node::Rel(rel) => rel.origin() == Origin::Chosen,
            _ => dependencies(self.arena, id).iter().any(|d| self.chosen[d.index()]),
        }
    }
}
