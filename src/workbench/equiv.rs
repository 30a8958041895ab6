//! A proof for two models that each axiom of one model follows from axioms of the other.
//!
//! Axioms are split into demands that an expression is empty. The axiom `irreflexive r` demands
//! this of `r & id`, and for a composition also of all its rotations. The axiom `acyclic r` demands
//! it of `r+ & id`. A demand on a union becomes a demand on each member. A demand follows from an
//! equal demand, from a demand on a larger expression, or from all demands of the other side
//! together.

use crate::id::NodeId;
use crate::relation::equal::{NORMAL_LAWS, Proof, normal, parts, prove};
use crate::relation::expr::{Arena, AxiomKind, AxiomRole, Model, Node};
use crate::relation::specialize::import;
use crate::vocabulary::BaseRel;

/// How an axiom follows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Follows {
    /// The axiom.
    pub axiom: String,
    /// The axioms of the other model that imply the axiom.
    pub from: Vec<String>,
    /// Why; no steps where the two differ in order and grouping only.
    pub proofs: Vec<Proof>,
}

/// The proofs for the axioms of one model from those of another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Derived {
    /// The axioms that follow.
    pub follows: Vec<Follows>,
    /// The axioms for which there is no proof.
    pub open: Vec<String>,
}

impl Derived {
    /// Whether all axioms follow, so that the other model allows no more.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.open.is_empty()
    }

    /// The laws that the proofs use in addition to those of [`normal`].
    #[must_use]
    pub fn laws(&self) -> Vec<String> {
        let proofs = self.follows.iter().flat_map(|follows| &follows.proofs);
        let steps = proofs.flat_map(|proof| proof.chains.iter().flatten());
        let mut laws: Vec<String> = steps.map(|step| step.law.clone()).collect();
        laws.sort();
        laws.dedup();
        laws
    }
}

/// The laws that every comparison uses.
pub const BASIC_LAWS: [&str; 4] = NORMAL_LAWS;

/// How many products a demand is taken apart into at most.
const MOST_PRODUCTS: usize = 64;
/// How many demands of the other side a demand is compared with by laws.
const MOST_COMPARED: usize = 6;

/// One demand of an axiom.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Demand {
    axiom: String,
    /// The expression that has to be empty, or, for axioms of another kind, the constrained
    /// expression.
    node: NodeId,
    /// The kind; only demands of the same kind can imply each other.
    kind: (AxiomRole, bool, Option<AxiomKind>),
}

/// Proves axioms of `weak` from those of `strong`.
#[must_use]
pub fn derive(strong: &Model, weak: &Model) -> Derived {
    let mut arena = Arena::default();
    let given = demands(&mut arena, strong);
    let wanted = demands(&mut arena, weak);
    let mut derived = Derived::default();
    for axiom in &weak.axioms {
        if axiom.role == AxiomRole::Flag {
            continue;
        }
        let own: Vec<&Demand> = wanted.iter().filter(|d| d.axiom == axiom.name).collect();
        let mut follows =
            Follows { axiom: axiom.name.clone(), from: Vec::new(), proofs: Vec::new() };
        let all = own.iter().all(|demand| match one(&mut arena, demand, &given) {
            Some((from, proof)) => {
                follows.from.extend(
                    from.into_iter().filter(|f| !follows.from.contains(f)).collect::<Vec<_>>(),
                );
                follows.proofs.extend(proof.filter(|proof| proof.steps() > 0));
                true
            }
            None => false,
        });
        if all { derived.follows.push(follows) } else { derived.open.push(axiom.name.clone()) }
    }
    if weak.total_co && !strong.total_co {
        derived.open.push("cos.cat".to_owned());
    }
    derived
}

/// The axioms that imply a demand, and the proof.
fn one(
    arena: &mut Arena,
    demand: &Demand,
    given: &[Demand],
) -> Option<(Vec<String>, Option<Proof>)> {
    let alike: Vec<&Demand> = given.iter().filter(|g| g.kind == demand.kind).collect();
    if let Some(same) = alike.iter().find(|g| g.node == demand.node) {
        return Some((vec![same.axiom.clone()], None));
    }
    let is_empty = matches!(arena.node(demand.node), Node::Empty(_));
    let by_emptiness = demand.kind == (AxiomRole::Required, false, None)
        || demand.kind == (AxiomRole::UndefinedUnless, false, None);
    if by_emptiness && is_empty {
        return Some((Vec::new(), None));
    }
    let mut near = alike.clone();
    near.sort_by_key(|g| g.axiom != demand.axiom);
    near.truncate(MOST_COMPARED);
    for other in &near {
        if let Some(proof) = prove(arena, demand.node, other.node) {
            return Some((vec![other.axiom.clone()], Some(proof)));
        }
    }
    if !by_emptiness {
        return None;
    }
    let within = |arena: &mut Arena, whole: NodeId| {
        if arena.sort(whole) != arena.sort(demand.node) {
            return None;
        }
        let union = arena.add(Node::Union(demand.node, whole));
        prove(arena, union, whole)
    };
    for other in &near {
        if let Some(proof) = within(arena, other.node) {
            return Some((vec![other.axiom.clone()], Some(proof)));
        }
    }
    let alike: Vec<&&Demand> =
        alike.iter().filter(|g| arena.sort(g.node) == arena.sort(demand.node)).collect();
    let (first, rest) = alike.split_first()?;
    let all = rest.iter().fold(first.node, |all, g| arena.add(Node::Union(all, g.node)));
    let proof = within(arena, all)?;
    let mut from: Vec<String> = alike.iter().map(|g| g.axiom.clone()).collect();
    from.dedup();
    Some((from, Some(proof)))
}

/// The demands of a model, in normal form, in a common arena.
fn demands(arena: &mut Arena, model: &Model) -> Vec<Demand> {
    let map = import(arena, &model.arena, |node| node);
    let mut all = Vec::new();
    for axiom in model.axioms.iter().filter(|axiom| axiom.role != AxiomRole::Flag) {
        let node = map[axiom.node.index()];
        let mut push = |node: NodeId, kind: Option<AxiomKind>| {
            let kind = (axiom.role, axiom.negated, kind);
            all.push(Demand { axiom: axiom.name.clone(), node, kind });
        };
        if axiom.negated {
            push(normal(arena, node), Some(axiom.kind));
            continue;
        }
        match axiom.kind {
            AxiomKind::Empty => {
                let node = normal(arena, node);
                members(arena, node).into_iter().for_each(|member| push(member, None));
            }
            AxiomKind::Acyclic => {
                let plus = arena.add(Node::Plus(node));
                let node = reflexive(arena, plus);
                push(node, None);
            }
            AxiomKind::Irreflexive => {
                let node = normal(arena, node);
                for product in products(arena, node) {
                    let least = rotated(arena, &product);
                    let node = reflexive(arena, least);
                    push(node, None);
                }
            }
        }
    }
    all
}

/// The part of a relation on the diagonal.
fn reflexive(arena: &mut Arena, node: NodeId) -> NodeId {
    let id = arena.add(Node::Rel(BaseRel::Id));
    let part = arena.add(Node::Inter(node, id));
    normal(arena, part)
}

/// The members of a union.
fn members(arena: &Arena, node: NodeId) -> Vec<NodeId> {
    match arena.node(node) {
        Node::Union(..) => parts(arena, node),
        _ => vec![node],
    }
}

/// The compositions that a relation is a union of.
fn products(arena: &Arena, node: NodeId) -> Vec<Vec<NodeId>> {
    let found = match arena.node(node) {
        Node::Union(a, b) => [products(arena, a), products(arena, b)].concat(),
        Node::Comp(a, b) => {
            let (left, right) = (products(arena, a), products(arena, b));
            let join =
                |l: &Vec<NodeId>| right.iter().map(|r| [&l[..], r].concat()).collect::<Vec<_>>();
            left.iter().flat_map(join).collect()
        }
        _ => vec![vec![node]],
    };
    if found.len() > MOST_PRODUCTS { vec![vec![node]] } else { found }
}

/// A composition of the given factors, rotated to its least form, since `a ; b` has a loop if `b ;
/// a` has one.
fn rotated(arena: &mut Arena, factors: &[NodeId]) -> NodeId {
    let id = arena.add(Node::Rel(BaseRel::Id));
    let kept: Vec<NodeId> = factors.iter().copied().filter(|&f| f != id).collect();
    let turn = |at: usize| [&kept[at..], &kept[..at]].concat();
    let least = (0..kept.len()).map(turn).min().unwrap_or_else(|| vec![id]);
    let mut rest = least.into_iter().rev();
    let last = rest.next().unwrap_or(id);
    rest.fold(last, |behind, one| arena.add(Node::Comp(one, behind)))
}
