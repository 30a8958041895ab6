//! Memberships in the relations of a model, and its axioms, as formulas.
//!
//! A relation that only makes axioms harder to satisfy as it grows needs only one direction: the
//! conditions that imply an edge. Closures elsewhere are unrolled by repeated squaring, which is
//! exact.

use super::formula::{Clock, Formula};
use super::{EncodeError, Encoding};
use crate::event::base::base_relation;
use crate::id::{EventId, NodeId};
use crate::question::Pairs;
use crate::relation::expr::{AxiomKind, Node};
use crate::rule::Unsupported;
use crate::vocabulary::{BaseRel, Origin, Sort};
use rustc_hash::FxHashMap;

/// The direction in which a formula for a membership has to be right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Use {
    /// The axiom is harder to satisfy with more members. The formula may be true too often, since a
    /// solver never gains from that.
    Harmful,
    /// The goal asks for the member. The formula holds only of members, but may be false too often,
    /// since a solver never gains from that.
    Wanted,
    /// Anything else: the formula is exact.
    Exact,
}

impl Use {
    /// The use of the right-hand side of a difference.
    fn opposite(self) -> Self {
        match self {
            Self::Harmful => Self::Wanted,
            Self::Wanted => Self::Harmful,
            Self::Exact => Self::Exact,
        }
    }
}

impl Encoding<'_> {
    /// Encodes the demands of an axiom.
    pub(super) fn encode_axiom(&mut self, index: usize) -> Result<(), EncodeError> {
        let axiom = &self.model.axioms[index];
        let (kind, node, negated) = (axiom.kind, axiom.node, axiom.negated);
        let mut builder = Builder { encoding: self, failed: false };
        let demands =
            if negated { builder.violated(kind, node) } else { builder.satisfied(kind, node) };
        if builder.failed {
            return Err(
                Unsupported::ShrinkingRecursion(self.model.axioms[index].name.clone()).into()
            );
        }
        self.axioms[index].extend(demands);
        Ok(())
    }

    /// The formula that the relation at `node` has such a pair.
    pub(super) fn encode_member(
        &mut self,
        wanted: Pairs,
        node: NodeId,
    ) -> Result<Formula, EncodeError> {
        let graph = self.graph;
        let mut builder = Builder { encoding: self, failed: false };
        let mut pairs = builder.pairs(node);
        pairs.retain(|&(a, b)| wanted.counts(graph, a, b));
        let edge = |(a, b)| builder.edge(node, a, b, Use::Wanted);
        let found: Vec<Formula> = pairs.into_iter().map(edge).collect();
        if builder.failed {
            return Err(Unsupported::ShrinkingRecursion(wanted.name().to_owned()).into());
        }
        Ok(self.formulas.any(found))
    }
}

/// The builder of one axiom's formulas.
struct Builder<'e, 'a> {
    encoding: &'e mut Encoding<'a>,
    failed: bool,
}

impl Builder<'_, '_> {
    fn satisfied(&mut self, kind: AxiomKind, node: NodeId) -> Vec<Formula> {
        if kind == AxiomKind::Acyclic {
            return self.acyclic(node);
        }
        let found = self.violations(kind, node, Use::Harmful);
        found.into_iter().map(|f| self.encoding.formulas.not(f)).collect()
    }

    /// The formulas for violations of `empty` or `irreflexive`.
    fn violations(&mut self, kind: AxiomKind, node: NodeId, usage: Use) -> Vec<Formula> {
        if self.encoding.model.arena.sort(node) == Sort::Set {
            let members: Vec<EventId> = self.encoding.bounds.get(node).hi.set().iter().collect();
            return members.into_iter().map(|e| self.member(node, e, usage)).collect();
        }
        let mut pairs = self.pairs(node);
        if kind == AxiomKind::Irreflexive {
            pairs.retain(|(a, b)| a == b);
        }
        pairs.into_iter().map(|(a, b)| self.edge(node, a, b, usage)).collect()
    }

    /// The demand of acyclicity: edges inside strongly connected components of the upper bound
    /// raise a clock.
    fn acyclic(&mut self, node: NodeId) -> Vec<Formula> {
        let hi = self.encoding.bounds.get(node).hi.relation().clone();
        let mut closed = hi.clone();
        closed.transitive_closure_in_place();
        let mut clocks: FxHashMap<EventId, Clock> = FxHashMap::default();
        let mut demands = Vec::new();
        for (a, b) in hi.iter_pairs().collect::<Vec<_>>() {
            if !closed.contains(b, a) {
                continue;
            }
            let edge = self.edge(node, a, b, Use::Harmful);
            if a == b {
                demands.push(self.encoding.formulas.not(edge));
                continue;
            }
            let ca = *clocks.entry(a).or_insert_with(|| self.encoding.formulas.clock());
            let cb = *clocks.entry(b).or_insert_with(|| self.encoding.formulas.clock());
            let before = self.encoding.formulas.before(ca, cb);
            demands.push(self.encoding.formulas.implies(edge, before));
        }
        demands
    }

    /// The demand of a negated axiom: some violation exists.
    fn violated(&mut self, kind: AxiomKind, node: NodeId) -> Vec<Formula> {
        let found = if kind == AxiomKind::Acyclic {
            let closure = self.squared(node);
            closure.into_iter().filter(|((a, b), _)| a == b).map(|(_, f)| f).collect()
        } else {
            self.violations(kind, node, Use::Exact)
        };
        vec![self.encoding.formulas.any(found)]
    }

    fn pairs(&self, node: NodeId) -> Vec<(EventId, EventId)> {
        self.encoding.bounds.get(node).hi.relation().iter_pairs().collect()
    }

    /// The formula that an event is in a set.
    fn member(&mut self, node: NodeId, event: EventId, usage: Use) -> Formula {
        let pair = self.encoding.bounds.get(node);
        if !pair.hi.set().contains(event) {
            return self.encoding.formulas.constant(false);
        }
        if pair.lo.set().contains(event) {
            return self.encoding.happens(event);
        }
        let usage = if self.encoding.closures[node.index()] { usage } else { Use::Exact };
        let key = (node, event, usage);
        if let Some(&known) = self.encoding.memberships.get(&key) {
            return known;
        }
        let formula = match self.encoding.model.arena.node(node) {
            Node::Union(a, b) => {
                let parts = [self.member(a, event, usage), self.member(b, event, usage)];
                self.encoding.formulas.any(parts)
            }
            Node::Inter(a, b) => {
                let parts = [self.member(a, event, usage), self.member(b, event, usage)];
                self.encoding.formulas.all(parts)
            }
            Node::Diff(a, b) => {
                let out = self.member(b, event, usage.opposite());
                let parts = [self.member(a, event, usage), self.encoding.formulas.not(out)];
                self.encoding.formulas.all(parts)
            }
            Node::Domain(r) => {
                let to: Vec<EventId> =
                    self.encoding.bounds.get(r).hi.relation().row(event).collect();
                let parts: Vec<_> = to.into_iter().map(|b| self.edge(r, event, b, usage)).collect();
                self.encoding.formulas.any(parts)
            }
            Node::Range(r) => {
                let hi = self.encoding.bounds.get(r).hi.relation();
                let from: Vec<EventId> =
                    self.encoding.graph.ids().filter(|&a| hi.contains(a, event)).collect();
                let parts: Vec<_> =
                    from.into_iter().map(|a| self.edge(r, a, event, usage)).collect();
                self.encoding.formulas.any(parts)
            }
            _ => self.encoding.happens(event),
        };
        self.encoding.memberships.insert(key, formula);
        formula
    }

    /// The formula that a pair is in a relation.
    fn edge(&mut self, node: NodeId, a: EventId, b: EventId, usage: Use) -> Formula {
        let pair = self.encoding.bounds.get(node);
        if !pair.hi.relation().contains(a, b) {
            return self.encoding.formulas.constant(false);
        }
        if pair.lo.relation().contains(a, b) {
            return self.encoding.both_happen(a, b);
        }
        // An expression without a closure has only exact formulas.
        let usage = if self.encoding.closures[node.index()] { usage } else { Use::Exact };
        if let Some(&known) = self.encoding.literals.get(&(node, a, b, usage)) {
            return known;
        }
        let model = self.encoding.model;
        let formula = match (model.arena.node(node), usage) {
            (Node::Rel(relation), _) => self.base_edge(relation, a, b),
            // Coherence is transitive.
            (Node::Plus(inner), _) if model.arena.node(inner) == Node::Rel(BaseRel::Co) => {
                self.edge(inner, a, b, usage)
            }
            (Node::Plus(inner), Use::Harmful) => return self.closure(node, inner, a, b),
            (Node::Plus(inner), Use::Exact | Use::Wanted) => {
                for ((x, y), formula) in self.squared(inner) {
                    self.encoding.literals.insert((node, x, y, usage), formula);
                }
                let known = self.encoding.literals.get(&(node, a, b, usage)).copied();
                return known.unwrap_or_else(|| self.encoding.formulas.constant(false));
            }
            (Node::Rec(rec), Use::Harmful) => {
                let body = model
                    .arena
                    .group(rec.group)
                    .nth(rec.member as usize)
                    .expect("a defined member");
                return self.recursive(node, body, a, b);
            }
            (Node::Rec(_), Use::Exact | Use::Wanted) => {
                self.failed = true;
                self.encoding.formulas.constant(false)
            }
            (other, _) => self.combination(other, a, b, usage),
        };
        self.encoding.literals.insert((node, a, b, usage), formula);
        formula
    }

    fn combination(&mut self, node: Node, a: EventId, b: EventId, usage: Use) -> Formula {
        match node {
            Node::Union(x, y) => {
                let parts = [self.edge(x, a, b, usage), self.edge(y, a, b, usage)];
                self.encoding.formulas.any(parts)
            }
            Node::Inter(x, y) => {
                let parts = [self.edge(x, a, b, usage), self.edge(y, a, b, usage)];
                self.encoding.formulas.all(parts)
            }
            Node::Diff(x, y) => {
                let out = self.edge(y, a, b, usage.opposite());
                let parts = [self.edge(x, a, b, usage), self.encoding.formulas.not(out)];
                self.encoding.formulas.all(parts)
            }
            Node::Comp(x, y) => {
                let middle = self.middles(x, y, a, b);
                let mut parts = Vec::new();
                for m in middle {
                    let step = [self.edge(x, a, m, usage), self.edge(y, m, b, usage)];
                    parts.push(self.encoding.formulas.all(step));
                }
                self.encoding.formulas.any(parts)
            }
            Node::Inverse(x) => self.edge(x, b, a, usage),
            Node::ToId(s) => self.member(s, a, usage),
            Node::Cross(s, t) => {
                let parts = [self.member(s, a, usage), self.member(t, b, usage)];
                self.encoding.formulas.all(parts)
            }
            _ => self.encoding.both_happen(a, b),
        }
    }

    fn middles(&self, x: NodeId, y: NodeId, a: EventId, b: EventId) -> Vec<EventId> {
        let second = self.encoding.bounds.get(y).hi.relation();
        self.encoding
            .bounds
            .get(x)
            .hi
            .relation()
            .row(a)
            .filter(|&m| second.contains(m, b))
            .collect()
    }

    fn base_edge(&mut self, relation: BaseRel, a: EventId, b: EventId) -> Formula {
        let e = &mut self.encoding;
        match relation {
            BaseRel::Rf => {
                let found = e.rf.iter().find(|(read, _)| *read == b);
                let choice =
                    found.and_then(|(_, from)| from.iter().find(|(w, _)| *w == a).map(|c| c.1));
                choice.unwrap_or_else(|| e.formulas.constant(false))
            }
            BaseRel::Co => e.co.get(&(a, b)).copied().unwrap_or_else(|| e.both_happen(a, b)),
            BaseRel::FenceSc => {
                e.sc.get(&(a, b)).copied().unwrap_or_else(|| e.formulas.constant(false))
            }
            BaseRel::BarrierSync | BaseRel::WarpSync | BaseRel::ClusterSync | BaseRel::Exchange => {
                e.barriers.edges.get(&(a, b)).copied().unwrap_or_else(|| e.formulas.constant(false))
            }
            _ if relation.origin() == Origin::Conditional => {
                let both = e.both_happen(a, b);
                if base_relation(e.graph, relation).contains(a, b) {
                    return both;
                }
                let pairs = e.graph.conditional(relation).iter();
                let when = pairs.filter(|pair| (pair.from, pair.to) == (a, b));
                let when: Vec<Formula> = when.map(|pair| e.truth(pair.when)).collect();
                let some = e.formulas.any(when);
                e.formulas.all([both, some])
            }
            _ => e.both_happen(a, b),
        }
    }

    /// A variable that every derivation of the pair implies: by `r` and by `r ; r+`.
    fn closure(&mut self, node: NodeId, inner: NodeId, a: EventId, b: EventId) -> Formula {
        let variable = self.encoding.formulas.variable();
        self.encoding.literals.insert((node, a, b, Use::Harmful), variable);
        let direct = self.edge(inner, a, b, Use::Harmful);
        self.require(direct, variable);
        for m in self.middles(inner, node, a, b) {
            let parts = [self.edge(inner, a, m, Use::Harmful), self.edge(node, m, b, Use::Harmful)];
            let path = self.encoding.formulas.all(parts);
            self.require(path, variable);
        }
        variable
    }

    /// A variable that the right-hand side of the definition implies.
    fn recursive(&mut self, node: NodeId, body: NodeId, a: EventId, b: EventId) -> Formula {
        let variable = self.encoding.formulas.variable();
        self.encoding.literals.insert((node, a, b, Use::Harmful), variable);
        let derived = self.edge(body, a, b, Use::Harmful);
        self.require(derived, variable);
        variable
    }

    fn require(&mut self, premise: Formula, conclusion: Formula) {
        let clause = self.encoding.formulas.implies(premise, conclusion);
        self.encoding.hard.push(clause);
    }

    /// The exact transitive closure by repeated squaring.
    fn squared(&mut self, inner: NodeId) -> FxHashMap<(EventId, EventId), Formula> {
        let hi = self.encoding.bounds.get(inner).hi.relation().clone();
        let mut closed = hi.clone();
        closed.transitive_closure_in_place();
        let mut level: FxHashMap<(EventId, EventId), Formula> = FxHashMap::default();
        for (a, b) in hi.iter_pairs().collect::<Vec<_>>() {
            let edge = self.edge(inner, a, b, Use::Exact);
            level.insert((a, b), edge);
        }
        let pairs: Vec<(EventId, EventId)> = closed.iter_pairs().collect();
        let mut length = 1;
        while length < hi.len() {
            let mut next: FxHashMap<(EventId, EventId), Formula> = FxHashMap::default();
            for &(a, b) in &pairs {
                let mut parts: Vec<Formula> = level.get(&(a, b)).copied().into_iter().collect();
                for m in closed.row(a).filter(|&m| closed.contains(m, b)) {
                    if let (Some(&x), Some(&y)) = (level.get(&(a, m)), level.get(&(m, b))) {
                        parts.push(self.encoding.formulas.all([x, y]));
                    }
                }
                let formula = self.encoding.formulas.any(parts);
                next.insert((a, b), formula);
            }
            if next == level {
                break;
            }
            level = next;
            length *= 2;
        }
        level
    }
}

/// For every node, whether a closure or a recursive definition is part of it.
pub(super) fn closures(arena: &crate::relation::expr::Arena) -> Vec<bool> {
    let mut out = vec![false; arena.len()];
    for index in 0..arena.len() {
        let id = NodeId::new(index);
        out[index] = match arena.node(id) {
            Node::Plus(inner) => arena.node(inner) != Node::Rel(BaseRel::Co),
            Node::Rec(_) => true,
            _ => arena.operands(id).iter().any(|o| out[o.index()]),
        };
    }
    out
}
