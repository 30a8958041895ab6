//! A model compiled to straight-line operations on bit matrices, once for lower and, if a
//! difference asks for it, once for upper bounds.
//!
//! While choices are open, an axiom is judged by lower bounds of the relation that it restricts. A
//! difference takes the upper bound of its right side, so that open choices never make a lower
//! bound too large.

use crate::id::NodeId;
use crate::relation::expr::{Arena, Node};
use crate::relation::plan::{Step, plan};
use crate::rule::Unsupported;
use crate::vocabulary::{BaseRel, BaseSet, Origin, Sort};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The place of one set or relation.
pub(super) type SlotId = usize;

/// The bound of an expression that a slot holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Side {
    /// The members under all completions of the open choices.
    Low,
    /// The members under some completion.
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

/// The choices that change a slot during a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Level {
    /// The set of events alone.
    Static,
    /// Reads-from and barriers.
    Reads,
    /// Fence-SC order.
    Fences,
    /// Coherence.
    Coherence,
}

/// The number of levels.
pub(super) const LEVELS: usize = 4;

/// A set of slots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SlotSet {
    words: SmallVec<[u64; 4]>,
}

impl SlotSet {
    /// The empty set among this many slots.
    pub(super) fn new(slots: usize) -> Self {
        Self { words: smallvec::smallvec![0; slots.div_ceil(64)] }
    }

    pub(super) fn insert(&mut self, slot: SlotId) {
        self.words[slot / 64] |= 1 << (slot % 64);
    }

    pub(super) fn contains(&self, slot: SlotId) -> bool {
        self.words[slot / 64] >> (slot % 64) & 1 == 1
    }

    pub(super) fn remove(&mut self, slot: SlotId) {
        self.words[slot / 64] &= !(1 << (slot % 64));
    }

    pub(super) fn union_with(&mut self, other: &Self) {
        self.words.iter_mut().zip(&other.words).for_each(|(a, b)| *a |= b);
    }

    /// Adds the intersection of two sets.
    pub(super) fn union_with_both(&mut self, one: &Self, other: &Self) {
        let both = one.words.iter().zip(&other.words);
        self.words.iter_mut().zip(both).for_each(|(a, (b, c))| *a |= b & c);
    }

    /// The first common slot with `other` from `from` on.
    pub(super) fn next_in(&self, other: &Self, from: SlotId) -> Option<SlotId> {
        let mut mask = u64::MAX << (from % 64);
        for at in from / 64..self.words.len() {
            let both = self.words[at] & other.words[at] & mask;
            if both != 0 {
                return Some(at * 64 + both.trailing_zeros() as usize);
            }
            mask = u64::MAX;
        }
        None
    }
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

impl Op {
    /// The slots of the operands, at most two.
    pub(super) fn operands(self) -> impl IntoIterator<Item = SlotId> {
        let (a, b) = match self {
            Self::Set(..) | Self::Rel(..) | Self::EmptySet | Self::EmptyRel => (None, None),
            Self::Inverse(a) | Self::Plus(a) | Self::ToId(a) | Self::Domain(a) | Self::Range(a) => {
                (Some(a), None)
            }
            Self::UnionSet(a, b)
            | Self::InterSet(a, b)
            | Self::DiffSet(a, b)
            | Self::Union(a, b)
            | Self::Inter(a, b)
            | Self::Diff(a, b)
            | Self::Comp(a, b)
            | Self::Restrict(a, b)
            | Self::Corestrict(a, b)
            | Self::Cross(a, b) => (Some(a), Some(b)),
        };
        a.into_iter().chain(b)
    }
}

/// A compiled model.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) ops: Vec<Op>,
    pub(super) levels: Vec<Level>,
    pub(super) sorts: Vec<Sort>,
    /// For each slot, the slots that use it.
    pub(super) users: Vec<SlotSet>,
    /// For each level, the base names of it and the levels above.
    pub(super) names: [SlotSet; LEVELS],
    /// For each level, the slots of it and the levels above.
    pub(super) above: [SlotSet; LEVELS],
    /// The register of each slot among those of its sort, if each has its own.
    pub(super) own_registers: Vec<usize>,
    /// As above, if static relations that only static slots use share registers.
    pub(super) registers: Vec<usize>,
}

impl Code {
    /// The slots whose register is shared.
    pub(super) fn shared_slots(&self) -> SlotSet {
        let relations = || (0..self.ops.len()).filter(|&slot| self.sorts[slot] == Sort::Relation);
        let mut slots_in = vec![0; self.ops.len()];
        relations().for_each(|slot| slots_in[self.registers[slot]] += 1);
        let mut shared_slots = SlotSet::new(self.ops.len());
        let shared = relations().filter(|&slot| slots_in[self.registers[slot]] > 1);
        shared.for_each(|slot| shared_slots.insert(slot));
        shared_slots
    }
}

/// Compiles `roots`, each at one of its bounds.
///
/// # Errors
/// When a definition is recursive.
pub(super) fn compile(
    arena: &Arena,
    roots: &[(NodeId, Side)],
) -> Result<(Code, Vec<SlotId>), Unsupported> {
    let nodes: Vec<NodeId> = roots.iter().map(|(node, _)| *node).collect();
    let steps = plan(arena, &nodes);
    if steps.iter().any(|(step, _)| matches!(step, Step::Fixpoint { .. })) {
        return Err(Unsupported::Recursion);
    }
    let mut compiler = Compiler { arena, code: Code::default(), known: FxHashMap::default() };
    let slots: Vec<SlotId> = roots.iter().map(|&(root, side)| compiler.slot(root, side)).collect();
    let mut code = compiler.code;
    code.own_registers = own_registers(&code.sorts);
    code.registers = registers(&code, &slots);
    let none = SlotSet::new(code.ops.len());
    code.users = vec![none.clone(); code.ops.len()];
    (code.names, code.above) =
        (std::array::from_fn(|_| none.clone()), std::array::from_fn(|_| none.clone()));
    for (slot, op) in code.ops.iter().enumerate() {
        op.operands().into_iter().for_each(|operand| code.users[operand].insert(slot));
        for level in 0..=code.levels[slot] as usize {
            code.above[level].insert(slot);
            if matches!(op, Op::Set(..) | Op::Rel(..)) {
                code.names[level].insert(slot);
            }
        }
    }
    Ok((code, slots))
}

/// A register of its own for every slot among those of its sort.
fn own_registers(sorts: &[Sort]) -> Vec<usize> {
    let mut taken = [0; 2];
    sorts.iter().map(|&sort| another(&mut taken, sort)).collect()
}

/// The next register of a sort.
fn another(taken: &mut [usize; 2], sort: Sort) -> usize {
    let next = &mut taken[usize::from(sort == Sort::Relation)];
    *next += 1;
    *next - 1
}

/// As [`own_registers`], but a static relation that only static operations use frees its register
/// after the last of them.
fn registers(code: &Code, roots: &[SlotId]) -> Vec<usize> {
    let count = code.ops.len();
    let mut last = vec![0; count];
    let mut passing: Vec<bool> = (0..count)
        .map(|s| code.levels[s] == Level::Static && code.sorts[s] == Sort::Relation)
        .collect();
    roots.iter().for_each(|&root| passing[root] = false);
    for (index, op) in code.ops.iter().enumerate() {
        for operand in op.operands() {
            last[operand] = index;
            passing[operand] &= code.levels[index] == Level::Static;
        }
    }
    let (mut registers, mut free) = (Vec::with_capacity(count), Vec::new());
    let mut taken = [0; 2];
    for (index, op) in code.ops.iter().enumerate() {
        let register = match free.pop() {
            Some(register) if passing[index] => register,
            other => {
                free.extend(other);
                another(&mut taken, code.sorts[index])
            }
        };
        registers.push(register);
        let mut operands: SmallVec<[SlotId; 2]> = op.operands().into_iter().collect();
        operands.dedup();
        let done = operands.into_iter().filter(|&o| passing[o] && last[o] == index);
        free.extend(done.map(|o| registers[o]));
    }
    registers
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
        let own = match op {
            Op::Rel(BaseRel::FenceSc, _) => Level::Fences,
            Op::Rel(BaseRel::Co, _) => Level::Coherence,
            Op::Rel(relation, _) if relation.origin() != Origin::Given => Level::Reads,
            _ => Level::Static,
        };
        op.operands().into_iter().map(|slot| self.code.levels[slot]).fold(own, Level::max)
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
