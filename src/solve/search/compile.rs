//! A model compiled to straight-line operations on bit matrices, once for lower and, where a
//! difference asks for it, once for upper bounds.
//!
//! While choices are open, an axiom may be judged by lower bounds of what it forbids. A difference
//! takes the upper bound of its right side, so that leaving choices open never makes a lower bound
//! too large.

use crate::id::NodeId;
use crate::relation::expr::{Arena, Node};
use crate::relation::plan::{Step, plan};
use crate::vocabulary::{BaseRel, BaseSet, Sort};
use rustc_hash::FxHashMap;

/// A place for one set or relation.
pub(super) type SlotId = usize;

/// Which bound of an expression a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    /// What is there whatever the open choices become.
    Low,
    /// What may be there.
    High,
}

impl Side {
    fn other(self) -> Self {
        match self {
            Self::Low => Self::High,
            Self::High => Self::Low,
        }
    }
}

/// How often a slot changes during a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Level {
    /// With the set of events.
    Static,
    /// With reads-from and barriers.
    Reads,
    /// With Fence-SC order.
    Fences,
    /// With coherence.
    Coherence,
}

/// One operation; operands are slots of earlier operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Op {
    Set(BaseSet, Side),
    Rel(BaseRel, Side),
    EmptySet,
    EmptyRel,
    UnionSet(SlotId, SlotId),
    InterSet(SlotId, SlotId),
    DiffSet(SlotId, SlotId),
    Union(SlotId, SlotId),
    Inter(SlotId, SlotId),
    Diff(SlotId, SlotId),
    Comp(SlotId, SlotId),
    /// A set's identity composed with a relation, and the other way round: restrictions.
    Restrict(SlotId, SlotId),
    Corestrict(SlotId, SlotId),
    Inverse(SlotId),
    Plus(SlotId),
    ToId(SlotId),
    Cross(SlotId, SlotId),
    Domain(SlotId),
    Range(SlotId),
}

/// A compiled model.
#[derive(Clone, Debug)]
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    pub(super) levels: Vec<Level>,
    pub(super) sorts: Vec<Sort>,
}

/// Compiles `roots` at their lower bound.
///
/// # Errors
/// When a definition is recursive.
pub(super) fn compile(arena: &Arena, roots: &[NodeId]) -> Result<(Code, Vec<SlotId>), String> {
    let steps = plan(arena, roots);
    if steps.iter().any(|(step, _)| matches!(step, Step::Fixpoint { .. })) {
        return Err("recursive definitions".to_owned());
    }
    let code = Code { ops: Vec::new(), levels: Vec::new(), sorts: Vec::new() };
    let mut compiler = Compiler { arena, code, known: FxHashMap::default() };
    let slots = roots.iter().map(|&root| compiler.slot(root, Side::Low)).collect();
    Ok((compiler.code, slots))
}

struct Compiler<'a> {
    arena: &'a Arena,
    code: Code,
    known: FxHashMap<(NodeId, Side), SlotId>,
}

impl Compiler<'_> {
    fn slot(&mut self, id: NodeId, side: Side) -> SlotId {
        if let Some(&slot) = self.known.get(&(id, side)) {
            return slot;
        }
        let op = self.op(id, side);
        let slot = self.push(op, self.arena.sort(id));
        self.known.insert((id, side), slot);
        slot
    }

    fn push(&mut self, op: Op, sort: Sort) -> SlotId {
        let level = self.level(op);
        self.code.ops.push(op);
        self.code.levels.push(level);
        self.code.sorts.push(sort);
        self.code.ops.len() - 1
    }

    fn level(&self, op: Op) -> Level {
        let of = |slot: SlotId| self.code.levels[slot];
        match op {
            Op::Set(..) | Op::EmptySet | Op::EmptyRel => Level::Static,
            Op::Rel(relation, _) => match relation {
                BaseRel::Rf | BaseRel::BarrierSync | BaseRel::ClusterSync | BaseRel::WarpSync => {
                    Level::Reads
                }
                BaseRel::FenceSc => Level::Fences,
                BaseRel::Co => Level::Coherence,
                _ => Level::Static,
            },
            Op::Inverse(a) | Op::Plus(a) | Op::ToId(a) | Op::Domain(a) | Op::Range(a) => of(a),
            Op::UnionSet(a, b)
            | Op::InterSet(a, b)
            | Op::DiffSet(a, b)
            | Op::Union(a, b)
            | Op::Inter(a, b)
            | Op::Diff(a, b)
            | Op::Comp(a, b)
            | Op::Restrict(a, b)
            | Op::Corestrict(a, b)
            | Op::Cross(a, b) => of(a).max(of(b)),
        }
    }

    fn op(&mut self, id: NodeId, side: Side) -> Op {
        let set = self.arena.sort(id) == Sort::Set;
        match self.arena.node(id) {
            Node::Set(base) => Op::Set(base, side),
            Node::Rel(relation) => Op::Rel(relation, side),
            Node::Empty(Sort::Set) => Op::EmptySet,
            Node::Empty(Sort::Relation) | Node::Rec(_) => Op::EmptyRel,
            Node::Union(a, b) => {
                let (a, b) = (self.slot(a, side), self.slot(b, side));
                if set { Op::UnionSet(a, b) } else { Op::Union(a, b) }
            }
            Node::Inter(a, b) => {
                let (a, b) = (self.slot(a, side), self.slot(b, side));
                if set { Op::InterSet(a, b) } else { Op::Inter(a, b) }
            }
            Node::Diff(a, b) => {
                let (a, b) = (self.slot(a, side), self.slot(b, side.other()));
                if set { Op::DiffSet(a, b) } else { Op::Diff(a, b) }
            }
            Node::Comp(a, b) => self.composition(a, b, side),
            // Coherence is transitive.
            Node::Plus(a) if self.arena.node(a) == Node::Rel(BaseRel::Co) => {
                Op::Rel(BaseRel::Co, side)
            }
            Node::Plus(a) => Op::Plus(self.slot(a, side)),
            Node::Inverse(a) => Op::Inverse(self.slot(a, side)),
            Node::ToId(a) => Op::ToId(self.slot(a, side)),
            Node::Cross(a, b) => Op::Cross(self.slot(a, side), self.slot(b, side)),
            Node::Domain(a) => Op::Domain(self.slot(a, side)),
            Node::Range(a) => Op::Range(self.slot(a, side)),
        }
    }

    fn composition(&mut self, a: NodeId, b: NodeId, side: Side) -> Op {
        if let Node::ToId(set) = self.arena.node(a) {
            let (set, rest) = (self.slot(set, side), self.slot(b, side));
            return Op::Restrict(set, rest);
        }
        if let Node::ToId(set) = self.arena.node(b) {
            let (rest, set) = (self.slot(a, side), self.slot(set, side));
            return Op::Corestrict(rest, set);
        }
        Op::Comp(self.slot(a, side), self.slot(b, side))
    }
}
