//! The direction in which expressions depend on base names, through complements and recursion.

use super::expr::{Arena, Node};
use super::plan::dependencies;
use crate::id::NodeId;
use crate::vocabulary::{BaseRel, BaseSet};

/// How a value changes as one base name grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Variance {
    /// The value does not change.
    Constant,
    /// The value can only grow.
    Monotone,
    /// The value can only shrink.
    Antitone,
    /// Either may happen.
    Mixed,
}

/// A set of base names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Names {
    sets: u64,
    relations: u64,
}

impl Names {
    fn union(self, other: Self) -> Self {
        Self { sets: self.sets | other.sets, relations: self.relations | other.relations }
    }
}

const _: () = assert!(BaseSet::ALL.len() <= 64 && BaseRel::ALL.len() <= 64);

/// The base names that occur under an even and an odd number of complements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Occurrences {
    positive: Names,
    negative: Names,
}

impl Occurrences {
    fn union(self, other: Self) -> Self {
        Self {
            positive: self.positive.union(other.positive),
            negative: self.negative.union(other.negative),
        }
    }

    fn flipped(self) -> Self {
        Self { positive: self.negative, negative: self.positive }
    }
}

/// The variance of every node of an arena in every base name.
#[derive(Clone, Debug)]
pub struct Polarity {
    occurrences: Vec<Occurrences>,
}

impl Polarity {
    /// Analyses all nodes, through recursive definitions.
    #[must_use]
    pub fn new(arena: &Arena) -> Self {
        let mut occurrences = vec![Occurrences::default(); arena.len()];
        // Operands come before their users, except for recursive references.
        let recursive =
            (0..arena.len()).any(|i| matches!(arena.node(NodeId::new(i)), Node::Rec(_)));
        let mut changed = true;
        while changed {
            changed = false;
            for index in 0..arena.len() {
                let new = occurrences_of(arena, NodeId::new(index), &occurrences);
                changed |= new != occurrences[index];
                occurrences[index] = new;
            }
            changed &= recursive;
        }
        Self { occurrences }
    }

    /// Analyses the nodes added to the arena since, which may not have new recursive definitions.
    pub fn extend(&mut self, arena: &Arena) {
        for index in self.occurrences.len()..arena.len() {
            self.occurrences.push(Occurrences::default());
            self.occurrences[index] = occurrences_of(arena, NodeId::new(index), &self.occurrences);
        }
    }

    /// How `node` changes as `relation` grows.
    #[must_use]
    pub fn in_relation(&self, node: NodeId, relation: BaseRel) -> Variance {
        let found = self.occurrences[node.index()];
        let bit = 1 << relation.index();
        variance(found.positive.relations & bit, found.negative.relations & bit)
    }

    /// How `node` changes as `set` grows.
    #[must_use]
    pub fn in_set(&self, node: NodeId, set: BaseSet) -> Variance {
        let found = self.occurrences[node.index()];
        let bit = 1 << set.index();
        variance(found.positive.sets & bit, found.negative.sets & bit)
    }
}

/// Whether a node depends on one of some relations, through any definitions.
#[must_use]
pub fn mentions(arena: &Arena, node: NodeId, relations: &[BaseRel]) -> bool {
    let (mut seen, mut open) = (vec![false; arena.len()], vec![node]);
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        match arena.node(id) {
            Node::Rel(relation) if relations.contains(&relation) => return true,
            _ => open.extend(dependencies(arena, id)),
        }
    }
    false
}

fn occurrences_of(arena: &Arena, id: NodeId, known: &[Occurrences]) -> Occurrences {
    let get = |id: NodeId| known[id.index()];
    match arena.node(id) {
        Node::Set(set) => Occurrences {
            positive: Names { sets: 1 << set.index(), relations: 0 },
            negative: Names::default(),
        },
        Node::Rel(relation) => Occurrences {
            positive: Names { sets: 0, relations: 1 << relation.index() },
            negative: Names::default(),
        },
        Node::Diff(a, b) => get(a).union(get(b).flipped()),
        _ => dependencies(arena, id).into_iter().map(get).fold(get(id), Occurrences::union),
    }
}

fn variance(positive: u64, negative: u64) -> Variance {
    match (positive != 0, negative != 0) {
        (false, false) => Variance::Constant,
        (true, false) => Variance::Monotone,
        (false, true) => Variance::Antitone,
        (true, true) => Variance::Mixed,
    }
}
