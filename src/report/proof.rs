//! An edge of an execution into its proof: the definitions of the model that the edge is an instance of,
//! down to base relations.
//!
//! Each line is an edge of a named or base relation, an event of a set, or the absence of an edge; the
//! lines indented below are the premises of the line by its definition; repeated edges are proved once.
//! Among several proofs, the left side of a union, the first intermediate event and the shortest closure
//! are chosen. A recursive definition denotes the least solution of its equations: each of its edges has a
//! proof in which no edge depends on itself, and the search tries alternatives until it finds such a proof.

use super::derivation::{Step, defined, name};
use crate::bitrel::Rel;
use crate::execution::build::Execution;
use crate::id::{EventId, NodeId};
use crate::relation::eval::{Values, evaluate};
use crate::relation::expr::{Model, Node};
use crate::report::witness::{Picture, shortest};
use crate::source::Files;
use crate::vocabulary::BaseRel;
use rustc_hash::FxHashSet;

/// The number of definitions to which an edge is unfolded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// The edge alone.
    #[default]
    Folded,
    /// The given number of definitions, including the outermost.
    Definitions(usize),
    /// All definitions, down to base relations.
    Base,
}

impl Depth {
    fn allows(self, definitions: usize) -> bool {
        match self {
            Self::Folded => false,
            Self::Definitions(most) => definitions < most,
            Self::Base => true,
        }
    }
}

/// The lines of the proof of a step, without the step itself, indented by two spaces for each definition.
/// Events are named by letters of the picture. Steps of base relations have no lines.
#[must_use]
pub fn lines(
    model: &Model,
    execution: &Execution<'_>,
    step: &Step,
    depth: Depth,
    picture: &Picture,
    files: &Files,
) -> Vec<String> {
    if depth == Depth::Folded {
        return Vec::new();
    }
    let values = evaluate(&model.arena, &[step.node], execution);
    let mut prover = Prover { model, values, open: Vec::new(), left: MOST_TRIES };
    let claim = Claim::Edge(step.node, step.edge.from, step.edge.to);
    let is_base = matches!(model.arena.node(step.node), Node::Rel(_));
    let premises = prover.premises(step.node, step.edge.from, step.edge.to);
    let Some(premises) = premises.filter(|_| !is_base) else { return Vec::new() };
    let proof = Proof { claim, premises };
    let printed = FxHashSet::default();
    let mut printer = Printer { model, picture, files, depth, printed, lines: Vec::new() };
    printer.premises(&proof, 0);
    printer.lines
}

/// The most edges that a search tries; the remaining edges stay unproved.
const MOST_TRIES: usize = 20_000;

/// The content of a line.
#[derive(Clone, Copy, Debug)]
enum Claim {
    /// A relation has an edge.
    Edge(NodeId, EventId, EventId),
    /// A base relation has an edge.
    Base(BaseRel, EventId, EventId),
    /// A relation lacks an edge.
    NoEdge(NodeId, EventId, EventId),
    /// A set has an event.
    Member(NodeId, EventId),
}

/// A claim with its premises.
#[derive(Clone, Debug)]
struct Proof {
    claim: Claim,
    premises: Vec<Proof>,
}

struct Prover<'m> {
    model: &'m Model,
    values: Values,
    /// The edges of recursive relations on the current path of the search.
    open: Vec<(NodeId, EventId, EventId)>,
    /// The number of edges that the search may still try.
    left: usize,
}

impl Prover<'_> {
    /// The proof of an edge: a single line for a named relation, else the lines of the parts.
    fn edge(&mut self, node: NodeId, from: EventId, to: EventId) -> Option<Vec<Proof>> {
        if !self.relation(node).contains(from, to) {
            return None;
        }
        let premises = self.premises(node, from, to)?;
        if defined(self.model, node).is_some() {
            return Some(vec![Proof { claim: Claim::Edge(node, from, to), premises }]);
        }
        Some(premises)
    }

    /// The premises of an edge by the definition of its relation.
    fn premises(&mut self, node: NodeId, from: EventId, to: EventId) -> Option<Vec<Proof>> {
        if self.left == 0 {
            return Some(Vec::new());
        }
        self.left -= 1;
        let member = |set, event| Proof { claim: Claim::Member(set, event), premises: Vec::new() };
        match self.model.arena.node(node) {
            Node::ToId(set) => Some(vec![member(set, from)]),
            Node::Cross(first, second) => Some(vec![member(first, from), member(second, to)]),
            Node::Union(a, b) => self.edge(a, from, to).or_else(|| self.edge(b, from, to)),
            Node::Inter(a, b) => Some([self.edge(a, from, to)?, self.edge(b, from, to)?].concat()),
            Node::Diff(a, b) => {
                let claim = Claim::NoEdge(b, from, to);
                Some(
                    [self.edge(a, from, to)?, vec![Proof { claim, premises: Vec::new() }]].concat(),
                )
            }
            Node::Comp(a, b) => {
                let between: Vec<EventId> = self.relation(a).row(from).collect();
                between.into_iter().find_map(|event| {
                    Some([self.edge(a, from, event)?, self.edge(b, event, to)?].concat())
                })
            }
            Node::Inverse(a) => self.edge(a, to, from),
            Node::Plus(a) => {
                let way = shortest(&[self.relation(a)], from, to, |_| true)?;
                let mut at = from;
                let mut proofs = Vec::new();
                for next in way {
                    proofs.extend(self.edge(a, at, next)?);
                    at = next;
                }
                Some(proofs)
            }
            Node::Rec(rec) => {
                if self.open.contains(&(node, from, to)) {
                    return None;
                }
                let body = self.model.arena.body(rec)?;
                self.open.push((node, from, to));
                let proofs = self.edge(body, from, to);
                self.open.pop();
                proofs
            }
            Node::Rel(BaseRel::Id) => Some(Vec::new()),
            Node::Rel(base) => {
                Some(vec![Proof { claim: Claim::Base(base, from, to), premises: Vec::new() }])
            }
            Node::Empty(_) | Node::Set(_) | Node::Domain(_) | Node::Range(_) => Some(Vec::new()),
        }
    }

    fn relation(&self, node: NodeId) -> &Rel {
        self.values.relation(node)
    }
}

struct Printer<'a> {
    model: &'a Model,
    picture: &'a Picture,
    files: &'a Files,
    depth: Depth,
    /// The edges whose proof is already printed.
    printed: FxHashSet<(NodeId, EventId, EventId)>,
    lines: Vec<String>,
}

impl Printer<'_> {
    fn premises(&mut self, proof: &Proof, definitions: usize) {
        if !self.depth.allows(definitions) {
            return;
        }
        let indent = "  ".repeat(definitions);
        for premise in &proof.premises {
            let claim = self.claim(premise.claim);
            let again = match premise.claim {
                Claim::Edge(node, from, to) if !premise.premises.is_empty() => {
                    !self.printed.insert((node, from, to))
                }
                _ => false,
            };
            if again && self.depth.allows(definitions + 1) {
                self.lines.push(format!("{indent}{claim}, as above"));
            } else {
                self.lines.push(format!("{indent}{claim}"));
                self.premises(premise, definitions + 1);
            }
        }
    }

    fn claim(&self, claim: Claim) -> String {
        let label = |event| self.picture.label(event);
        let (node, said) = match claim {
            Claim::Base(base, from, to) => {
                return format!("{} -{}-> {}", label(from), base.name(), label(to));
            }
            Claim::Edge(node, from, to) => {
                (node, format!("{} -{}-> {}", label(from), self.name(node), label(to)))
            }
            Claim::NoEdge(node, from, to) => {
                (node, format!("not {} -{}-> {}", label(from), self.name(node), label(to)))
            }
            Claim::Member(node, event) => {
                (node, format!("{} is in {}", label(event), self.name(node)))
            }
        };
        said + &self.place(node)
    }

    /// The name of a relation or set, or its text in parentheses if it has no name.
    fn name(&self, node: NodeId) -> String {
        let name = name(self.model, node);
        if name.contains(' ') { format!("({name})") } else { name }
    }

    /// The clauses of a definition and its place in the model.
    fn place(&self, node: NodeId) -> String {
        let Some(name) = defined(self.model, node) else { return String::new() };
        let known = self.model.definitions.iter().find(|d| d.node == node && d.name == name);
        let Some(definition) = known else { return String::new() };
        let clauses =
            definition.clauses.iter().map(|clause| format!("{clause}, ")).collect::<String>();
        match self.files.get(definition.span.file) {
            Some(file) => {
                let line = file.position(definition.span.start as usize).line;
                format!("  ({clauses}{}:{line})", file.name)
            }
            None => String::new(),
        }
    }
}
