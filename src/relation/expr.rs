//! The relational IR: hash-consed expressions over base sets and relations, and axioms on them.
//!
//! Nodes are immutable and shared: equal expressions have equal ids. Derived operators of cat (`?`,
//! `*`, `~`, cartesian product) are lowered to these nodes, so that every engine handles a short
//! list.

use super::plan::Schedule;
use crate::id::NodeId;
use crate::source::Span;
use crate::vocabulary::{BaseRel, BaseSet, Sort};
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// One node; operands are ids of earlier nodes, except [`Node::Rec`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Node {
    /// A base set.
    Set(BaseSet),
    /// A base relation.
    Rel(BaseRel),
    /// The empty set or relation.
    Empty(Sort),
    /// Union of two of one sort.
    Union(NodeId, NodeId),
    /// Intersection of two of one sort.
    Inter(NodeId, NodeId),
    /// Difference of two of one sort.
    Diff(NodeId, NodeId),
    /// Relational composition.
    Comp(NodeId, NodeId),
    /// Converse of a relation.
    Inverse(NodeId),
    /// Transitive closure.
    Plus(NodeId),
    /// Identity on a set.
    ToId(NodeId),
    /// Product of two sets.
    Cross(NodeId, NodeId),
    /// The set of sources of a relation.
    Domain(NodeId),
    /// The set of targets of a relation.
    Range(NodeId),
    /// A recursively defined relation: the least solution of its group of equations.
    Rec(RecId),
}

/// A recursive definition: an index of its body in an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecId {
    /// The group of mutually recursive definitions.
    pub group: u32,
    /// The position in the group.
    pub member: u32,
}

/// The most schedules that are kept: for the axioms, and for the relations of races and misuses.
const SCHEDULES: usize = 6;

/// All nodes of one model.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    known: FxHashMap<Node, NodeId>,
    groups: Vec<Vec<Option<NodeId>>>,
    /// A hash of everything added or defined.
    digest: u64,
    /// Cache of [`Self::schedule`]; entries stay valid when nodes are added.
    schedules: [std::sync::OnceLock<Arc<Schedule>>; SCHEDULES],
}

impl Arena {
    /// The evaluation order of some roots, cached for the first few requests. These are the axioms,
    /// and the relations of races and misuses.
    pub(super) fn schedule(&self, roots: &[NodeId]) -> Arc<Schedule> {
        let new = || Arc::new(Schedule::new(self, roots));
        let mut kept = self.schedules.iter().map(|kept| kept.get_or_init(new));
        kept.find(|kept| kept.is_for(roots)).map_or_else(new, Arc::clone)
    }

    /// The id of `node`; trivial identities (`x | 0`, `x & x`, double converse) are folded.
    pub fn add(&mut self, node: Node) -> NodeId {
        if let Some(folded) = self.fold(node) {
            return folded;
        }
        if let Some(&id) = self.known.get(&node) {
            return id;
        }
        let sort = self.sort_of(node);
        let id = NodeId::new(self.nodes.len());
        self.nodes.push(node);
        self.digest = mixed(self.digest, node);
        self.sorts.push(sort);
        self.known.insert(node, id);
        id
    }

    /// Starts a group of `count` mutually recursive relations and gives a node for each.
    pub fn start_group(&mut self, count: usize) -> Vec<NodeId> {
        let group = u32::try_from(self.groups.len()).expect("few recursive groups");
        self.groups.push(vec![None; count]);
        (0..count)
            .map(|member| {
                let member = u32::try_from(member).expect("few members");
                self.add(Node::Rec(RecId { group, member }))
            })
            .collect()
    }

    /// Sets the right-hand side of a recursive definition.
    pub fn define(&mut self, rec: RecId, body: NodeId) {
        self.groups[rec.group as usize][rec.member as usize] = Some(body);
        self.digest = mixed(self.digest, (rec, body));
    }

    /// The right-hand side of a recursive definition; `None` while the model is being read.
    #[must_use]
    pub fn body(&self, rec: RecId) -> Option<NodeId> {
        self.groups[rec.group as usize][rec.member as usize]
    }

    /// The right-hand sides of one group, in order of its members.
    ///
    /// # Panics
    /// When a member was never [defined](Self::define).
    pub fn group(&self, group: u32) -> impl Iterator<Item = NodeId> + '_ {
        self.groups[group as usize]
            .iter()
            .map(|b| b.expect("every member is defined after lowering"))
    }

    /// A number that differs between arenas with different nodes, for caches within one run.
    #[must_use]
    pub fn digest(&self) -> u64 {
        self.digest
    }

    /// The number of recursive groups.
    #[must_use]
    pub fn group_count(&self) -> u32 {
        u32::try_from(self.groups.len()).expect("few recursive groups")
    }

    /// The node behind `id`.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Node {
        self.nodes[id.index()]
    }

    /// Whether `id` denotes a set or a relation.
    #[must_use]
    pub fn sort(&self, id: NodeId) -> Sort {
        self.sorts[id.index()]
    }

    /// The number of nodes; ids are below this number.
    #[must_use]
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no nodes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The operands of a node; none for leaves and recursive references.
    #[must_use]
    pub fn operands(&self, id: NodeId) -> smallvec::SmallVec<[NodeId; 2]> {
        match self.node(id) {
            Node::Set(_) | Node::Rel(_) | Node::Empty(_) | Node::Rec(_) => smallvec::smallvec![],
            Node::Inverse(a) | Node::Plus(a) | Node::ToId(a) | Node::Domain(a) | Node::Range(a) => {
                smallvec::smallvec![a]
            }
            Node::Union(a, b)
            | Node::Inter(a, b)
            | Node::Diff(a, b)
            | Node::Comp(a, b)
            | Node::Cross(a, b) => {
                smallvec::smallvec![a, b]
            }
        }
    }

    fn sort_of(&self, node: Node) -> Sort {
        match node {
            Node::Set(_) | Node::Domain(_) | Node::Range(_) => Sort::Set,
            Node::Empty(sort) => sort,
            Node::Union(a, _) | Node::Inter(a, _) | Node::Diff(a, _) => self.sort(a),
            _ => Sort::Relation,
        }
    }

    fn is_empty_node(&self, id: NodeId) -> bool {
        matches!(self.node(id), Node::Empty(_))
    }

    fn fold(&mut self, node: Node) -> Option<NodeId> {
        match node {
            Node::Union(a, b) if a == b || self.is_empty_node(b) => Some(a),
            Node::Union(a, b) if self.is_empty_node(a) => Some(b),
            Node::Inter(a, b) if a == b || self.is_empty_node(a) => Some(a),
            Node::Inter(_, b) if self.is_empty_node(b) => Some(b),
            Node::Diff(a, b) if self.is_empty_node(a) || self.is_empty_node(b) => Some(a),
            Node::Diff(a, b) if a == b => Some(self.add(Node::Empty(self.sort(a)))),
            Node::Comp(a, b) if self.is_empty_node(a) || self.is_identity(b) => Some(a),
            Node::Comp(a, b) if self.is_empty_node(b) || self.is_identity(a) => Some(b),
            Node::Inverse(a) | Node::Plus(a) if self.is_empty_node(a) => Some(a),
            Node::Inverse(a) => match self.node(a) {
                Node::Inverse(b) => Some(b),
                Node::ToId(_) | Node::Rel(BaseRel::Id) => Some(a),
                _ => None,
            },
            Node::Plus(a) if self.is_identity(a) => Some(a),
            Node::Plus(a) if matches!(self.node(a), Node::Plus(_) | Node::ToId(_)) => Some(a),
            Node::ToId(a) if self.is_empty_node(a) => Some(self.add(Node::Empty(Sort::Relation))),
            Node::ToId(a) if self.node(a) == Node::Set(BaseSet::All) => {
                Some(self.add(Node::Rel(BaseRel::Id)))
            }
            Node::Cross(a, b) if self.is_empty_node(a) || self.is_empty_node(b) => {
                Some(self.add(Node::Empty(Sort::Relation)))
            }
            Node::Domain(a) | Node::Range(a) if self.is_empty_node(a) => {
                Some(self.add(Node::Empty(Sort::Set)))
            }
            Node::Domain(a) | Node::Range(a) => match self.node(a) {
                Node::ToId(set) => Some(set),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_identity(&self, id: NodeId) -> bool {
        self.node(id) == Node::Rel(BaseRel::Id)
    }
}

/// The demand of an axiom on its expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AxiomKind {
    /// No cycle.
    Acyclic,
    /// No event related to itself.
    Irreflexive,
    /// No member at all (set or relation).
    Empty,
}

/// The consequence of a failed axiom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AxiomRole {
    /// The execution is not consistent.
    Required,
    /// `flag`: the execution is consistent and carries a remark.
    Flag,
    /// `undefined_unless`: the program's behaviour is undefined.
    UndefinedUnless,
}

/// One axiom of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Axiom {
    /// The demand.
    pub kind: AxiomKind,
    /// Whether the demand is negated (`~acyclic`). For a flag this is the opposite of the model's
    /// text: `flag ~empty r` reports executions in which `r` is not empty.
    pub negated: bool,
    /// The consequence of a failure.
    pub role: AxiomRole,
    /// The expression that the axiom restricts.
    pub node: NodeId,
    /// The name after `as`, or one made from the position; unique in the model.
    pub name: String,
    /// Clause ids such as `PTX-8.10.1` that the model's comments attach to it.
    pub clauses: Vec<String>,
    /// Its place in the source.
    pub span: Span,
}

/// A named definition, kept for printing, explanations and `show`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The name; a later definition of the same name shadows this one.
    pub name: String,
    /// The expression that it denotes.
    pub node: NodeId,
    /// Clause ids that the model's comments attach to it.
    pub clauses: Vec<String>,
    /// Its place in the source.
    pub span: Span,
}

/// A model: definitions and axioms over one arena.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Model {
    /// The name under which the model was requested, such as `ptx-9.2`.
    pub name: String,
    /// The title inside the file, if any.
    pub title: Option<String>,
    /// All expressions.
    pub arena: Arena,
    /// The axioms, in the order of the file.
    pub axioms: Vec<Axiom>,
    /// The definitions, in the order of the file.
    pub definitions: Vec<Definition>,
    /// Names the model asks to `show` in pictures.
    pub shown: Vec<(String, NodeId)>,
    /// Whether the model wants coherence total (`include "cos.cat"`).
    pub total_co: bool,
    /// Cache of [`Self::forgets_reads`].
    pub(super) forgets_reads: std::sync::OnceLock<bool>,
    /// Cache of [`Self::mentioned`].
    pub(super) mentioned: std::sync::OnceLock<FxHashSet<Node>>,
}

impl Model {
    /// Whether executions stay consistent when reads without effect are deleted, so that loops
    /// that only wait need not be unrolled.
    #[must_use]
    pub fn forgets_reads(&self) -> bool {
        *self.forgets_reads.get_or_init(|| super::deletion::sensitive_axiom(self).is_none())
    }

    /// The model with its axioms alone.
    pub(crate) fn without_definitions(&self) -> Self {
        let (arena, axioms) = (self.arena.clone(), self.axioms.clone());
        Self { arena, axioms, total_co: self.total_co, ..Self::default() }
    }

    /// The model without some of its axioms, given by their indices.
    #[must_use]
    pub fn without_axioms(&self, left_out: &[usize]) -> Self {
        let kept: Vec<usize> = (0..self.axioms.len()).filter(|i| !left_out.contains(i)).collect();
        self.with_axioms(&kept)
    }

    /// The model with only some of its axioms, given by their indices, in that order.
    #[must_use]
    pub fn with_axioms(&self, kept: &[usize]) -> Self {
        let mut part = self.clone();
        part.axioms = kept.iter().map(|&index| self.axioms[index].clone()).collect();
        part
    }

    /// The base names in the demands on executions; definitions without a use do not count. Nor do
    /// expressions after `awaited`, which is an order in time: it excludes values out of thin air
    /// and does not restrict observations.
    #[must_use]
    pub fn mentioned(&self) -> &FxHashSet<Node> {
        self.mentioned.get_or_init(|| {
            let demands = self.axioms.iter().filter(|axiom| axiom.role == AxiomRole::Required);
            let mut open: Vec<NodeId> = demands.map(|axiom| axiom.node).collect();
            let mut seen: FxHashSet<NodeId> = FxHashSet::default();
            let is_awaited = |id: NodeId| self.arena.node(id) == Node::Rel(BaseRel::Awaited);
            let mut names = FxHashSet::default();
            while let Some(id) = open.pop() {
                if !seen.insert(id) {
                    continue;
                }
                match self.arena.node(id) {
                    node @ (Node::Set(_) | Node::Rel(_)) => {
                        names.insert(node);
                    }
                    Node::Rec(rec) => open.extend(self.arena.body(rec)),
                    Node::Comp(first, _) if is_awaited(first) => {}
                    _ => open.extend(self.arena.operands(id)),
                }
            }
            names
        })
    }

    /// The node of the last definition of `name`.
    #[must_use]
    pub fn definition(&self, name: &str) -> Option<NodeId> {
        self.definitions.iter().rev().find(|d| d.name == name).map(|d| d.node)
    }

    /// A number that differs between models with different axioms, for caches within one run.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        let axioms = self.axioms.iter().map(|a| (a.kind, a.negated, a.role, a.node));
        axioms.fold(mixed(self.arena.digest, self.total_co), mixed)
    }
}

/// A digest extended by one more value.
fn mixed(digest: u64, more: impl Hash) -> u64 {
    let mut hasher = rustc_hash::FxHasher::default();
    (digest, more).hash(&mut hasher);
    hasher.finish()
}
