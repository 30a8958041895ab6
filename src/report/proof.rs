//! An edge of an execution into its proof: the definitions of the model that it is an instance of, down
//! to base relations.
//!
//! Each line is an edge of a named or base relation, an event of a set, or an edge that a relation lacks;
//! the lines indented below it are what its definition asks for; an edge that was proved above is not proved
//! again. Of several proofs one is given: the left
//! side of a union, the first event between, the shortest closure. A recursive definition denotes the
//! least solution of its equations, so each of its edges has a proof in which no edge rests on itself;
//! the search tries the alternatives until it finds one.

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

/// How many definitions deep an edge is unfolded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// The edge is given as it is.
    #[default]
    Folded,
    /// So many definitions, one of which is the next one.
    Definitions(usize),
    /// All, down to base relations.
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

/// The lines of the proof of a step, indented by two spaces for each definition; without the step itself.
/// Events have the letters of the picture. Nothing where the step is one of a base relation.
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
    let told = FxHashSet::default();
    let mut printer = Printer { model, picture, files, depth, told, lines: Vec::new() };
    printer.premises(&proof, 0);
    printer.lines
}

/// A search that tries more edges than this leaves what is left as it is.
const MOST_TRIES: usize = 20_000;

/// What a line says.
#[derive(Clone, Copy, Debug)]
enum Claim {
    /// A relation has an edge.
    Edge(NodeId, EventId, EventId),
    /// A base relation has an edge.
    Base(BaseRel, EventId, EventId),
    /// A relation lacks one.
    NoEdge(NodeId, EventId, EventId),
    /// A set has an event.
    Member(NodeId, EventId),
}

/// A claim with those that it follows from.
#[derive(Clone, Debug)]
struct Proof {
    claim: Claim,
    premises: Vec<Proof>,
}

struct Prover<'m> {
    model: &'m Model,
    values: Values,
    /// The edges of recursive relations whose proof is under way.
    open: Vec<(NodeId, EventId, EventId)>,
    /// How many edges may still be tried.
    left: usize,
}

impl Prover<'_> {
    /// The proof of an edge: a line of its own where the relation has a name, else those of its parts.
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

    /// What an edge follows from by the definition of its relation.
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
    /// The edges whose proof was printed.
    told: FxHashSet<(NodeId, EventId, EventId)>,
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
                    !self.told.insert((node, from, to))
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

    /// The name of a relation or set; its text in parentheses where it has none.
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
