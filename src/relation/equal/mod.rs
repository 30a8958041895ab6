//! Proofs that two expressions are equal, in steps each of which applies a named law.
//!
//! ```text
//! expressions ── normal ──▶ one order and grouping ── pairs of operands ──▶ what still differs
//!                                                       ── egg ──▶ steps ── check ──▶ proof
//! ```
//!
//! A proof is trusted because of its steps: [`check`](Proof::check) verifies each without help from
//! the search. The absence of a proof means nothing: the laws are not complete.

mod check;
mod normal;
#[cfg(test)]
mod tests;

pub use normal::{LAWS as NORMAL_LAWS, closed_form, normal, parts};

use crate::id::NodeId;
use crate::relation::expr::{Arena, Node};
use crate::relation::simplify::language::{Algebra, encode};
use crate::relation::simplify::rules::rules;
use egg::{BackoffScheduler, FlatTerm, Id, Language, RecExpr, Runner, Symbol};
use rustc_hash::FxHashMap;
use std::time::Duration;

/// Rounds of rewriting.
const ROUNDS: usize = 12;
/// Nodes of an e-graph.
const NODES: usize = 8_000;
/// The most pairs of expressions that egg is asked about in one proof.
const QUESTIONS: usize = 24;

/// An expression as a tree; subexpressions that two expressions share may stand as leaves.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term {
    /// The operator, or the name of a leaf.
    pub head: String,
    /// Its operands.
    pub operands: Vec<Term>,
}

impl std::fmt::Display for Term {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.head.as_str(), &self.operands[..]) {
            (head, []) => f.write_str(head),
            ("inv", [a]) => write!(f, "{a}^-1"),
            ("+", [a]) => write!(f, "{a}+"),
            ("test", [a]) => write!(f, "[{a}]"),
            ("dom", [a]) => write!(f, "domain({a})"),
            ("ran", [a]) => write!(f, "range({a})"),
            (head, [a, b]) => write!(f, "({a} {head} {b})"),
            (head, _) => f.write_str(head),
        }
    }
}

/// One step of a proof.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The law that the step applies.
    pub law: String,
    /// Whether the law is applied from right to left.
    pub backwards: bool,
    /// The expression before the step.
    pub before: Term,
    /// The expression after the step.
    pub after: Term,
}

/// A proof that two expressions are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Proof {
    /// Chains of steps, each from an operand of one expression to an operand of the other; the
    /// other operands agree up to `normal`.
    pub chains: Vec<Vec<Step>>,
}

impl Proof {
    /// The number of steps.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.chains.iter().map(Vec::len).sum()
    }

    /// Whether each step applies its law and begins where the step before ends.
    #[must_use]
    pub fn check(&self) -> bool {
        self.chains.iter().all(|chain| {
            chain.iter().all(check::applies)
                && chain.windows(2).all(|pair| pair[0].after == pair[1].before)
        })
    }
}

/// Proves that two nodes have the same denotation; gives up after a bounded amount of work.
#[must_use]
pub fn prove(arena: &mut Arena, a: NodeId, b: NodeId) -> Option<Proof> {
    let (a, b) = (normal(arena, a), normal(arena, b));
    let mut prover = Prover { arena, failed: FxHashMap::default(), questions: 0 };
    let mut proof = Proof::default();
    let found = prover.equal(a, b, &mut proof) && proof.check();
    found.then_some(proof)
}

struct Prover<'a> {
    arena: &'a Arena,
    /// Pairs for which no proof was found.
    failed: FxHashMap<(NodeId, NodeId), ()>,
    questions: usize,
}

impl Prover<'_> {
    /// Whether two nodes in normal form are equal: by their operands, else by egg.
    fn equal(&mut self, a: NodeId, b: NodeId, proof: &mut Proof) -> bool {
        if a == b {
            return true;
        }
        if self.arena.sort(a) != self.arena.sort(b) || self.failed.contains_key(&(a, b)) {
            return false;
        }
        let kept = proof.chains.len();
        if self.by_operands(a, b, proof) {
            return true;
        }
        proof.chains.truncate(kept);
        // With shared nodes as leaves the question is smaller, but may lack the structure that a
        // law needs.
        let shared = self.shared(a, b);
        let steps = self.by_laws(a, b, &shared).or_else(|| self.by_laws(a, b, &[]));
        if let Some(steps) = steps {
            proof.chains.push(steps);
            return true;
        }
        self.failed.insert((a, b), ());
        false
    }

    /// Whether two nodes have the same operator and equal operands, those of unions and
    /// intersections in any order.
    fn by_operands(&mut self, a: NodeId, b: NodeId, proof: &mut Proof) -> bool {
        match (self.arena.node(a), self.arena.node(b)) {
            (Node::Union(..), Node::Union(..)) | (Node::Inter(..), Node::Inter(..)) => {
                let (mut left, mut right) =
                    (normal::parts(self.arena, a), normal::parts(self.arena, b));
                let shared = left.clone();
                left.retain(|part| !right.contains(part));
                right.retain(|part| !shared.contains(part));
                left.len() == right.len() && self.matched(&left, &mut right, proof)
            }
            (Node::Comp(a, c), Node::Comp(b, d))
            | (Node::Diff(a, c), Node::Diff(b, d))
            | (Node::Cross(a, c), Node::Cross(b, d)) => {
                self.equal(a, b, proof) && self.equal(c, d, proof)
            }
            (Node::Inverse(a), Node::Inverse(b))
            | (Node::Plus(a), Node::Plus(b))
            | (Node::ToId(a), Node::ToId(b))
            | (Node::Domain(a), Node::Domain(b))
            | (Node::Range(a), Node::Range(b)) => self.equal(a, b, proof),
            _ => false,
        }
    }

    /// Whether the nodes of one list equal those of the other, one to one.
    fn matched(&mut self, left: &[NodeId], right: &mut Vec<NodeId>, proof: &mut Proof) -> bool {
        left.iter().all(|&one| {
            let found = (0..right.len()).find(|&at| self.equal(one, right[at], proof));
            found.map(|at| right.swap_remove(at)).is_some()
        })
    }

    /// The steps from one node to another by the laws, with shared nodes as leaves.
    fn by_laws(&mut self, a: NodeId, b: NodeId, shared: &[NodeId]) -> Option<Vec<Step>> {
        if self.questions >= QUESTIONS {
            return None;
        }
        self.questions += 1;
        let [left, right] = [a, b].map(|root| expression(self.arena, root, shared));
        let runner = Runner::<Algebra, ()>::default()
            .with_explanations_enabled()
            .with_expr(&left)
            .with_expr(&right)
            .with_iter_limit(ROUNDS)
            .with_node_limit(NODES)
            .with_time_limit(Duration::from_secs(3600))
            .with_scheduler(BackoffScheduler::default().with_initial_match_limit(1_000))
            .with_hook(|runner| {
                let [a, b] = [0, 1].map(|root| runner.egraph.find(runner.roots[root]));
                if a == b { Err("equal".to_owned()) } else { Ok(()) }
            });
        let mut runner = runner.run(&rules());
        let [from, to] = [0, 1].map(|root| runner.egraph.find(runner.roots[root]));
        if from != to {
            return None;
        }
        let mut explanation = runner.explain_equivalence(&left, &right);
        let flat = explanation.make_flat_explanation();
        let step = |pair: &[FlatTerm<Algebra>]| {
            let (law, backwards) = law(&pair[1])?;
            Some(Step { law, backwards, before: term(&pair[0]), after: term(&pair[1]) })
        };
        flat.windows(2).map(step).collect()
    }

    /// The nodes that are part of both of two nodes.
    fn shared(&self, a: NodeId, b: NodeId) -> Vec<NodeId> {
        let below = |root: NodeId| {
            let mut seen = vec![false; self.arena.len()];
            let mut open = vec![root];
            while let Some(id) = open.pop() {
                if !std::mem::replace(&mut seen[id.index()], true) {
                    open.extend(self.arena.operands(id));
                }
            }
            seen
        };
        let (in_a, in_b) = (below(a), below(b));
        (0..self.arena.len()).filter(|&at| in_a[at] && in_b[at]).map(NodeId::new).collect()
    }
}

/// The name of a node that stands as a leaf.
#[must_use]
pub fn leaf_name(id: NodeId) -> String {
    format!("n{}", id.index())
}

/// A node as an expression of egg, with shared nodes as leaves, unless these are base names, `{}`,
/// `0` or recursive references.
fn expression(arena: &Arena, root: NodeId, shared: &[NodeId]) -> RecExpr<Algebra> {
    let mut out = RecExpr::default();
    let mut known: FxHashMap<NodeId, Id> = FxHashMap::default();
    add(arena, root, shared, &mut out, &mut known);
    out
}

fn add(
    arena: &Arena,
    id: NodeId,
    shared: &[NodeId],
    out: &mut RecExpr<Algebra>,
    known: &mut FxHashMap<NodeId, Id>,
) -> Id {
    if let Some(&class) = known.get(&id) {
        return class;
    }
    let operands = arena.operands(id);
    let is_leaf = operands.is_empty();
    let added = if !is_leaf && shared.binary_search(&id).is_ok() {
        Algebra::Leaf(Symbol::from(leaf_name(id)))
    } else {
        for &operand in &operands {
            add(arena, operand, shared, out, known);
        }
        encode(arena.node(id), |operand| known[&operand])
    };
    let class = out.add(added);
    known.insert(id, class);
    class
}

/// The law that leads to a term, and whether it is applied from right to left.
fn law(term: &FlatTerm<Algebra>) -> Option<(String, bool)> {
    let own = match (term.forward_rule, term.backward_rule) {
        (Some(rule), _) => Some((rule.to_string(), false)),
        (_, Some(rule)) => Some((rule.to_string(), true)),
        _ => None,
    };
    own.or_else(|| term.children.iter().find_map(law))
}

fn term(flat: &FlatTerm<Algebra>) -> Term {
    let operands: Vec<Term> = flat.children.iter().map(term).collect();
    debug_assert_eq!(operands.len(), flat.node.children().len(), "children are all there");
    Term { head: flat.node.to_string(), operands }
}
