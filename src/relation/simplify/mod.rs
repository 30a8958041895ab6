//! Models into cheaper ones with the same meaning, by equality saturation.
//!
//! Engines can work on the result; explanations and re-checks evaluate a model as it is written.
//! The built-in engines instead specialize a model to the program
//! ([`specialize`](super::specialize)), after which simplification saves nothing that can be
//! measured (`benches/corpus.rs`) and would cost more than most tests take. Budgets count rounds
//! and nodes, so that the result is deterministic.

mod cost;
pub(super) mod language;
pub(super) mod rules;
#[cfg(test)]
mod tests;

use self::cost::{TreeCost, total_cost};
use self::language::{Algebra, add_all, decode};
use super::classify::{Class, classify};
use super::expr::{Arena, Axiom, Model, Node};
use super::specialize::{copy_groups, define_groups};
use crate::id::NodeId;
use crate::vocabulary::BaseRel;
use egg::{BackoffScheduler, EGraph, Extractor, Id, Language, Runner};
use std::collections::BTreeMap;
use std::time::Duration;

/// Rounds of rewriting.
const ROUNDS: usize = 8;
/// Nodes of the e-graph.
const NODES: usize = 12_000;

/// A model with the same axioms, in the same order, and no definitions. Its evaluation costs at
/// most as much as that of `model`. Demands on an order keep their form.
#[must_use]
pub fn simplify(model: &Model) -> Model {
    let mut source = model.clone();
    let classes = classify(&mut source);
    let roots: Vec<NodeId> =
        source.axioms.iter().zip(&classes).map(|(a, class)| subject(a, class)).collect();
    let (mut arena, nodes) = simplify_nodes(&source.arena, &roots);
    let axioms = source
        .axioms
        .iter()
        .zip(classes.iter().zip(nodes))
        .map(|(axiom, (class, node))| Axiom {
            node: demanded(&mut arena, class, node),
            ..axiom.clone()
        })
        .collect();
    Model { arena, axioms, definitions: Vec::new(), shown: Vec::new(), ..source }
}

/// The cost of evaluating the axioms of a model on bit matrices, in tenths of a pass over one
/// matrix.
#[must_use]
pub fn cost(model: &Model) -> u64 {
    let roots: Vec<NodeId> = model.axioms.iter().map(|axiom| axiom.node).collect();
    total_cost(&model.arena, &roots)
}

/// The expression to simplify: the demanded edges, or the whole.
fn subject(axiom: &Axiom, class: &Class) -> NodeId {
    match class {
        Class::Production { edges, .. } | Class::Choice { edges, .. } => *edges,
        Class::Prohibition | Class::Other(_) => axiom.node,
    }
}

/// The expression of an axiom with the given subject.
fn demanded(arena: &mut Arena, class: &Class, subject: NodeId) -> NodeId {
    let mut order = |order: BaseRel| arena.add(Node::Rel(order));
    let allowed = match *class {
        Class::Production { order: base, .. } => order(base),
        Class::Choice { order: base, .. } => {
            let forward = order(base);
            let backward = arena.add(Node::Inverse(forward));
            arena.add(Node::Union(forward, backward))
        }
        Class::Prohibition | Class::Other(_) => return subject,
    };
    arena.add(Node::Diff(subject, allowed))
}

/// Simplifies `roots` together with the recursive definitions; gives a new arena and the roots.
fn simplify_nodes(arena: &Arena, roots: &[NodeId]) -> (Arena, Vec<NodeId>) {
    let mut all = roots.to_vec();
    for group in 0..arena.group_count() {
        all.extend(arena.group(group));
    }
    let mut graph = EGraph::default();
    let classes = add_all(arena, &all, &mut graph);
    graph.rebuild();
    let (same, kept) = extract(arena, &all, &classes, &graph);
    let runner = Runner::default()
        .with_egraph(graph)
        .with_iter_limit(ROUNDS)
        .with_node_limit(NODES)
        .with_time_limit(Duration::from_secs(3600))
        .with_scheduler(BackoffScheduler::default().with_initial_match_limit(2_000))
        .run(&rules::rules());
    let (new, changed) = extract(arena, &all, &classes, &runner.egraph);
    // Extraction goes by trees and may lose sharing that was worth more.
    let (best, mut nodes) = if total_cost(&new, &changed) < total_cost(&same, &kept) {
        (new, changed)
    } else {
        (same, kept)
    };
    nodes.truncate(roots.len());
    (best, nodes)
}

/// The cheapest expression of each class, one for each, so that sharing is preserved.
fn extract(
    source: &Arena,
    all: &[NodeId],
    classes: &[Id],
    graph: &EGraph<Algebra, ()>,
) -> (Arena, Vec<NodeId>) {
    let extractor = Extractor::new(graph, TreeCost(graph));
    let mut arena = Arena::default();
    copy_groups(source, &mut arena);
    let mut known = BTreeMap::new();
    let nodes: Vec<NodeId> =
        classes.iter().map(|&c| build(graph, &extractor, c, &mut arena, &mut known)).collect();
    let new_of: BTreeMap<NodeId, NodeId> = all.iter().copied().zip(nodes.iter().copied()).collect();
    define_groups(source, &mut arena, 0, |body| new_of[&body]);
    (arena, nodes)
}

fn build(
    graph: &EGraph<Algebra, ()>,
    extractor: &Extractor<'_, TreeCost<'_>, Algebra, ()>,
    class: Id,
    arena: &mut Arena,
    known: &mut BTreeMap<Id, NodeId>,
) -> NodeId {
    let class = graph.find(class);
    if let Some(&node) = known.get(&class) {
        return node;
    }
    let best = extractor.find_best_node(class).clone();
    for &child in best.children() {
        build(graph, extractor, child, arena, known);
    }
    let node = arena.add(decode(&best, |child| known[&graph.find(child)]));
    known.insert(class, node);
    node
}
