//! A [`Model`] back to cat text, as engines see it: functions inlined and names resolved.
//!
//! The text parses to an equal model. Shared expressions are printed once, under the name of their
//! definition or a made-up one; names that would hide others get a number.

use super::ast::{
    BinaryOp, Binding, Bindings, Expr, ExprKind, File, Name, Statement, StatementKind, Test,
    TestRole, UnaryOp,
};
use crate::id::{FileId, NodeId};
use crate::relation::expr::{Arena, AxiomRole, Definition, Model, Node, RecId};
use crate::source::{Span, Spanned};
use crate::vocabulary::{BaseRel, BaseSet, Sort};
use std::collections::{BTreeMap, BTreeSet};

/// The text of one expression, with the names of nodes in `names`.
///
/// Recursive references are printed as `rec0.1` (group and member) unless they have a name.
#[must_use]
pub fn node_text(arena: &Arena, id: NodeId, names: &BTreeMap<NodeId, String>) -> String {
    expr(arena, id, names).to_string()
}

/// The text of a model.
#[must_use]
pub fn model_text(model: &Model) -> String {
    let mut writer = Writer::new(model);
    for definition in &model.definitions {
        writer.visit(definition.node);
        if writer.names.get(&definition.node) == Some(&definition.name) {
            continue;
        }
        writer.define(&definition.name, definition.node, &definition.clauses);
    }
    for axiom in &model.axioms {
        writer.visit(axiom.node);
        let (role, negated) = match axiom.role {
            AxiomRole::Required => (TestRole::Required, axiom.negated),
            AxiomRole::Flag => (TestRole::Flag, !axiom.negated),
            AxiomRole::UndefinedUnless => (TestRole::UndefinedUnless, axiom.negated),
        };
        let (kind, expr) = (axiom.kind, writer.expr(axiom.node));
        let test = Test { role, negated, kind, expr, name: Some(name(&axiom.name)) };
        writer.push(StatementKind::Test(test), &axiom.clauses);
    }
    for (shown, node) in &model.shown {
        writer.visit(*node);
        let item = (writer.expr(*node), is_name(shown).then(|| name(shown)));
        writer.push(StatementKind::Show(vec![item]), &[]);
    }
    File { title: model.title.clone(), statements: writer.statements }.to_string()
}

struct Writer<'a> {
    arena: &'a Arena,
    definitions: &'a [Definition],
    /// How often a node is an operand or root.
    uses: Vec<usize>,
    names: BTreeMap<NodeId, String>,
    taken: BTreeSet<String>,
    visited: BTreeSet<NodeId>,
    /// Recursive groups whose bodies are being visited.
    open: BTreeSet<u32>,
    statements: Vec<Statement>,
}

impl<'a> Writer<'a> {
    fn new(model: &'a Model) -> Self {
        let arena = &model.arena;
        let mut uses = vec![0; arena.len()];
        for index in 0..arena.len() {
            arena.operands(NodeId::new(index)).iter().for_each(|o| uses[o.index()] += 1);
        }
        let taken = BaseSet::ALL
            .iter()
            .flat_map(|s| s.aliases().iter().copied().chain([s.name()]))
            .chain(BaseRel::ALL.iter().flat_map(|r| r.aliases().iter().copied().chain([r.name()])))
            .chain(["domain", "range"])
            .map(str::to_owned)
            .collect();
        let mut writer = Self {
            arena,
            definitions: &model.definitions,
            uses,
            names: BTreeMap::new(),
            taken,
            visited: BTreeSet::new(),
            open: BTreeSet::new(),
            statements: Vec::new(),
        };
        if model.total_co {
            writer.push(
                StatementKind::Include { file: name("cos.cat"), amendments: Vec::new() },
                &[],
            );
        }
        writer
    }

    /// Prints the definitions that an expression with `id` needs.
    fn visit(&mut self, id: NodeId) {
        if self.visited.contains(&id) {
            return;
        }
        if let Node::Rec(rec) = self.arena.node(id) {
            self.visit_group(rec.group);
            return;
        }
        let operands = self.arena.operands(id);
        operands.iter().for_each(|&o| self.visit(o));
        if self.open.iter().any(|&group| depends_on(self.arena, id, group)) {
            return;
        }
        self.visited.insert(id);
        let is_shared = self.uses[id.index()] > 1 && operands.len() > 1;
        let is_defined = self.definitions.iter().any(|d| d.node == id);
        if is_shared && !is_defined {
            self.define(&format!("t{}", id.index()), id, &[]);
        }
    }

    fn visit_group(&mut self, group: u32) {
        if !self.open.insert(group) {
            return;
        }
        let bodies: Vec<NodeId> = self.arena.group(group).collect();
        bodies.iter().for_each(|&body| self.visit(body));
        self.open.remove(&group);
        let members = group_members(self.arena, group);
        let mut clauses: Vec<String> = Vec::new();
        for &(rec, id) in &members {
            self.visited.insert(id);
            let definition = self.definitions.iter().find(|d| d.node == id);
            let fresh = self.fresh(&definition.map_or_else(|| rec_name(rec), |d| d.name.clone()));
            self.names.insert(id, fresh);
            clauses.extend(definition.iter().flat_map(|d| d.clauses.iter().cloned()));
        }
        clauses.sort();
        clauses.dedup();
        let binding = |(&(_, id), &body): (&(RecId, NodeId), &NodeId)| Binding {
            name: name(&self.names[&id]),
            parameters: None,
            value: self.expr(body),
        };
        let list: Vec<Binding> = members
            .iter()
            .map(|member| (member, &bodies[member.0.member as usize]))
            .map(binding)
            .collect();
        self.push(StatementKind::Let(Bindings { recursive: true, list }), &clauses);
    }

    /// Prints a definition, whose name is used from there on.
    fn define(&mut self, wanted: &str, id: NodeId, clauses: &[String]) {
        let value = self.expr(id);
        let fresh = self.fresh(wanted);
        let list = vec![Binding { name: name(&fresh), parameters: None, value }];
        self.push(StatementKind::Let(Bindings { recursive: false, list }), clauses);
        if !self.arena.operands(id).is_empty() {
            self.names.entry(id).or_insert(fresh);
        }
    }

    fn fresh(&mut self, wanted: &str) -> String {
        let numbered = (2..).map(|count| format!("{wanted}.{count}"));
        let fresh = std::iter::once(wanted.to_owned())
            .chain(numbered)
            .find(|candidate| !self.taken.contains(candidate))
            .expect("there are endless numbers");
        self.taken.insert(fresh.clone());
        fresh
    }

    fn expr(&self, id: NodeId) -> Expr {
        expr(self.arena, id, &self.names)
    }

    fn push(&mut self, kind: StatementKind, clauses: &[String]) {
        self.statements.push(Statement { kind, clauses: clauses.to_vec(), span: nowhere() });
    }
}

/// The members of a recursive group that occur in the arena, each with its node.
fn group_members(arena: &Arena, group: u32) -> Vec<(RecId, NodeId)> {
    (0..arena.len())
        .map(NodeId::new)
        .filter_map(|id| match arena.node(id) {
            Node::Rec(rec) if rec.group == group => Some((rec, id)),
            _ => None,
        })
        .collect()
}

/// Whether `id` depends on a member of `group`.
fn depends_on(arena: &Arena, id: NodeId, group: u32) -> bool {
    let mut seen = BTreeSet::new();
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        match arena.node(id) {
            Node::Rec(rec) if rec.group == group => return true,
            Node::Rec(rec) => stack.extend(arena.body(rec)),
            _ => stack.extend(arena.operands(id)),
        }
    }
    false
}

fn rec_name(rec: RecId) -> String {
    format!("rec{}.{}", rec.group, rec.member)
}

fn expr(arena: &Arena, id: NodeId, names: &BTreeMap<NodeId, String>) -> Expr {
    let go = |id: NodeId| Box::new(expr(arena, id, names));
    let kind = match arena.node(id) {
        _ if names.contains_key(&id) => ExprKind::Name(names[&id].clone()),
        Node::Set(BaseSet::All) => ExprKind::Universe,
        Node::Set(set) => ExprKind::Name(set.name().to_owned()),
        Node::Rel(relation) => ExprKind::Name(relation.name().to_owned()),
        Node::Rec(rec) => ExprKind::Name(rec_name(rec)),
        Node::Empty(Sort::Set) => ExprKind::EmptySet,
        Node::Empty(Sort::Relation) => ExprKind::Zero,
        Node::Union(a, b) => match (arena.node(a), arena.node(b)) {
            (Node::Plus(inner), Node::Rel(BaseRel::Id)) if !names.contains_key(&a) => {
                ExprKind::Unary(UnaryOp::Star, go(inner))
            }
            (_, Node::Rel(BaseRel::Id)) => ExprKind::Unary(UnaryOp::Optional, go(a)),
            _ => ExprKind::Binary(BinaryOp::Union, go(a), go(b)),
        },
        Node::Inter(a, b) => ExprKind::Binary(BinaryOp::Inter, go(a), go(b)),
        Node::Diff(a, b) if is_universal(arena, a) => ExprKind::Unary(UnaryOp::Complement, go(b)),
        Node::Diff(a, b) => ExprKind::Binary(BinaryOp::Diff, go(a), go(b)),
        Node::Comp(a, b) => ExprKind::Binary(BinaryOp::Seq, go(a), go(b)),
        Node::Inverse(a) => ExprKind::Unary(UnaryOp::Inverse, go(a)),
        Node::Plus(a) => ExprKind::Unary(UnaryOp::Plus, go(a)),
        Node::ToId(a) => ExprKind::Identity(go(a)),
        Node::Cross(a, b) => ExprKind::Binary(BinaryOp::Cross, go(a), go(b)),
        Node::Domain(a) => applied("domain", *go(a)),
        Node::Range(a) => applied("range", *go(a)),
    };
    Expr { kind, span: nowhere() }
}

/// Whether a node is `_` or `_ * _`.
fn is_universal(arena: &Arena, id: NodeId) -> bool {
    match arena.node(id) {
        Node::Set(BaseSet::All) => true,
        Node::Cross(a, b) => a == b && is_universal(arena, a),
        _ => false,
    }
}

fn applied(function: &str, argument: Expr) -> ExprKind {
    let function = Expr { kind: ExprKind::Name(function.to_owned()), span: nowhere() };
    ExprKind::Apply(Box::new(function), Box::new(argument))
}

/// Whether a text can be the name of a shown item.
fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_'))
        && !text.ends_with('-')
}

fn name(text: &str) -> Name {
    Name(Spanned::new(text.to_owned(), nowhere()))
}

/// A span for items that are in no file.
fn nowhere() -> Span {
    Span::new(FileId::new(0), 0, 0)
}
