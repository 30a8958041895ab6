//! Expressions into nodes of the relational IR.

use super::Lowerer;
use super::value::{Primitive, Scope, Value};
use crate::cat::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::cat::error::{CatError, sort_name};
use crate::diagnostic::closest;
use crate::id::NodeId;
use crate::relation::expr::Node;
use crate::source::Span;
use crate::vocabulary::{BaseRel, BaseSet, Sort};

/// How deep definitions and calls may nest.
const MAX_DEPTH: usize = 300;
/// How many nodes a model may have.
const MAX_NODES: usize = 5_000;

impl Lowerer<'_> {
    /// The value of an expression; errors in it are recorded.
    pub(super) fn expr(&mut self, expr: &Expr, scope: &Scope) -> Value {
        if self.depth == MAX_DEPTH {
            return self.error(CatError::TooDeep { span: expr.span });
        }
        if self.model.arena.len() > MAX_NODES {
            return self.limit(expr.span, MAX_NODES, "nodes");
        }
        self.depth += 1;
        let value = self.expr_kind(expr, scope);
        self.depth -= 1;
        value
    }

    fn expr_kind(&mut self, expr: &Expr, scope: &Scope) -> Value {
        match &expr.kind {
            ExprKind::Name(name) => self.name(name, expr.span, scope),
            ExprKind::Zero => Value::Zero,
            ExprKind::EmptySet => self.node(Node::Empty(Sort::Set)),
            ExprKind::Universe => self.node(Node::Set(BaseSet::All)),
            ExprKind::Identity(inner) => {
                let set = self.operand(inner, scope, Sort::Set, "`[ ]`");
                self.map(set, Sort::Relation, Node::ToId)
            }
            ExprKind::Unary(op, inner) => self.unary(*op, inner, scope),
            ExprKind::Binary(op, a, b) => self.binary(*op, a, b, expr.span, scope),
            ExprKind::Tuple(parts) => {
                Value::Tuple(parts.iter().map(|p| self.expr(p, scope)).collect())
            }
            ExprKind::Apply(function, argument) => self.apply(function, argument, expr.span, scope),
            ExprKind::Function(parameters, body) => {
                self.function("this function", parameters, body, expr.span, scope)
            }
            ExprKind::Let(bindings, body) => {
                let inner = self
                    .bind(bindings, scope)
                    .into_iter()
                    .fold(scope.clone(), |scope, (name, value)| scope.with(name, value));
                self.expr(body, &inner)
            }
            ExprKind::If(condition, a, b) => {
                let holds = self.holds(condition);
                let (a, b) = (self.expr(a, scope), self.expr(b, scope));
                if holds { a } else { b }
            }
            ExprKind::Try(attempt, fallback) => {
                let before = self.errors.len();
                self.attempts += 1;
                let value = self.expr(attempt, scope);
                self.attempts -= 1;
                let failed = self.errors.len() > before;
                self.errors.truncate(before);
                if failed { self.expr(fallback, scope) } else { value }
            }
        }
    }

    fn name(&mut self, name: &str, span: Span, scope: &Scope) -> Value {
        self.used(name);
        if let Some(value) = scope.get(name) {
            return value.clone();
        }
        if let Some(set) = BaseSet::named(name) {
            return self.node(Node::Set(set));
        }
        if let Some(relation) = BaseRel::named(name) {
            return self.node(Node::Rel(relation));
        }
        match name {
            "domain" => Value::Primitive(Primitive::Domain),
            "range" => Value::Primitive(Primitive::Range),
            "classes-loc" | "partition" | "classes" | "linearisations" | "lift" | "delift"
            | "deliftinter" | "bisimulation" | "fromto" | "tag2scope" | "tag2level"
            | "tag2events" | "tag2instrs" | "tag2fenced" | "loc2events" => {
                let what = format!("herd's primitive `{name}`");
                self.error(CatError::Unsupported { span, what, instead: None })
            }
            _ => {
                let known = scope.names().chain(base_names());
                // Nobody reads of an attempt that fails.
                let is_told = self.attempts == 0 && name.len() > 2;
                let near = if is_told { closest(name, known) } else { None };
                let closest = near.map(str::to_owned);
                self.error(CatError::Unbound { span, name: name.to_owned(), closest })
            }
        }
    }

    fn unary(&mut self, op: UnaryOp, inner: &Expr, scope: &Scope) -> Value {
        let what = match op {
            UnaryOp::Complement => return self.complement(inner, scope),
            UnaryOp::Inverse => "`^-1`",
            UnaryOp::Plus => "`+`",
            UnaryOp::Star => "`*`",
            UnaryOp::Optional => "`?`",
        };
        let operand = self.operand(inner, scope, Sort::Relation, what);
        let Some(a) = operand else {
            return Value::Unknown(Some(Sort::Relation));
        };
        let arena = &mut self.model.arena;
        Value::Node(match op {
            UnaryOp::Inverse => arena.add(Node::Inverse(a)),
            UnaryOp::Plus => arena.add(Node::Plus(a)),
            UnaryOp::Complement | UnaryOp::Star | UnaryOp::Optional => {
                let step = if op == UnaryOp::Star { arena.add(Node::Plus(a)) } else { a };
                let id = arena.add(Node::Rel(BaseRel::Id));
                arena.add(Node::Union(step, id))
            }
        })
    }

    fn complement(&mut self, inner: &Expr, scope: &Scope) -> Value {
        let value = self.expr(inner, scope);
        let all = self.model.arena.add(Node::Set(BaseSet::All));
        let (whole, part) = match self.sort_of(&value) {
            Found::Sort(Sort::Set) => (all, self.expect(&value, inner.span, Sort::Set, "`~`")),
            _ => {
                let pairs = self.model.arena.add(Node::Cross(all, all));
                (pairs, self.expect(&value, inner.span, Sort::Relation, "`~`"))
            }
        };
        match (value, part) {
            (Value::Unknown(sort), _) => Value::Unknown(sort),
            (_, None) => Value::Unknown(None),
            (_, Some(part)) => self.difference(whole, part, inner.span),
        }
    }

    fn binary(&mut self, op: BinaryOp, a: &Expr, b: &Expr, span: Span, scope: &Scope) -> Value {
        match op {
            BinaryOp::Seq => {
                let a = self.operand(a, scope, Sort::Relation, "`;`");
                let b = self.operand(b, scope, Sort::Relation, "`;`");
                self.zip(a, b, Node::Comp)
            }
            BinaryOp::Cross => {
                let a = self.operand(a, scope, Sort::Set, "`*` between two operands");
                let b = self.operand(b, scope, Sort::Set, "`*` between two operands");
                self.zip(a, b, Node::Cross)
            }
            BinaryOp::Union => {
                self.boolean("`|`", a, b, span, scope, |l, a, b| l.node(Node::Union(a, b)))
            }
            BinaryOp::Inter => {
                self.boolean("`&`", a, b, span, scope, |l, a, b| l.node(Node::Inter(a, b)))
            }
            BinaryOp::Diff => {
                self.boolean("`\\`", a, b, span, scope, |l, x, y| l.difference(x, y, b.span))
            }
        }
    }

    /// An operator on two sets or two relations.
    fn boolean(
        &mut self,
        what: &'static str,
        a: &Expr,
        b: &Expr,
        span: Span,
        scope: &Scope,
        join: impl FnOnce(&mut Self, NodeId, NodeId) -> Value,
    ) -> Value {
        let (left, right) = (self.expr(a, scope), self.expr(b, scope));
        let sort = match (self.sort_of(&left), self.sort_of(&right)) {
            (Found::Sort(l), Found::Sort(r)) if l != r => {
                if let Some(name) = self.open_name(&left).or_else(|| self.open_name(&right)) {
                    return self.recursive_set(&name, span);
                }
                let (left, right) = ((a.span, l), (b.span, r));
                return self.error(CatError::MixedSorts { span, what, left, right });
            }
            (Found::Sort(sort), _) | (_, Found::Sort(sort)) => Some(sort),
            _ => None,
        };
        let Some(sort) = sort else {
            return match (&left, &right) {
                (Value::Zero, Value::Zero) => Value::Zero,
                _ => {
                    // Reports operands that are neither sets nor relations.
                    self.expect(&left, a.span, Sort::Relation, what);
                    self.expect(&right, b.span, Sort::Relation, what);
                    Value::Unknown(None)
                }
            };
        };
        let left = self.expect(&left, a.span, sort, what);
        let right = self.expect(&right, b.span, sort, what);
        match (left, right) {
            (Some(left), Some(right)) => join(self, left, right),
            _ => Value::Unknown(Some(sort)),
        }
    }

    /// `a \ b`, where `b` must not depend on a recursion that is being defined.
    fn difference(&mut self, a: NodeId, b: NodeId, span: Span) -> Value {
        if let Some((name, defined)) = self.open_recursion(b) {
            return self.error(CatError::NotStratified { span, name, defined });
        }
        self.node(Node::Diff(a, b))
    }

    /// The name of an unfinished recursive definition that `node` depends on.
    fn open_recursion(&self, node: NodeId) -> Option<(String, Span)> {
        if self.open.is_empty() {
            return None;
        }
        let arena = &self.model.arena;
        let mut seen = vec![false; arena.len()];
        let mut stack = vec![node];
        while let Some(id) = stack.pop() {
            if std::mem::replace(&mut seen[id.index()], true) {
                continue;
            }
            match arena.node(id) {
                Node::Rec(rec) => match arena.body(rec) {
                    Some(body) => stack.push(body),
                    None => return self.open.get(&rec).cloned(),
                },
                _ => stack.extend(arena.operands(id)),
            }
        }
        None
    }

    /// The name of an unfinished recursive definition, if the value refers to one.
    pub(super) fn open_name(&self, value: &Value) -> Option<String> {
        match value {
            Value::Node(node) => match self.model.arena.node(*node) {
                Node::Rec(rec) => self.open.get(&rec).map(|(name, _)| name.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    pub(super) fn recursive_set(&mut self, name: &str, span: Span) -> Value {
        let what = format!("the recursive set `{name}`");
        let instead = Some("define the relation `[S]` recursively and take its `domain`");
        self.error(CatError::Unsupported { span, what, instead })
    }

    /// Evaluates an operand that has to be of one sort.
    pub(super) fn operand(
        &mut self,
        expr: &Expr,
        scope: &Scope,
        sort: Sort,
        what: &'static str,
    ) -> Option<NodeId> {
        let value = self.expr(expr, scope);
        self.expect(&value, expr.span, sort, what)
    }

    /// The node behind a value that has to be of one sort; `None` where it is unknown or wrong.
    pub(super) fn expect(
        &mut self,
        value: &Value,
        span: Span,
        sort: Sort,
        what: &'static str,
    ) -> Option<NodeId> {
        match (value, self.sort_of(value)) {
            (Value::Node(node), Found::Sort(found)) if found == sort => Some(*node),
            (Value::Zero, _) => Some(self.model.arena.add(Node::Empty(sort))),
            (Value::Unknown(found), _) if found.is_none_or(|s| s == sort) => None,
            (_, found) => {
                let (needed, found) = (sort_name(sort), found.name());
                self.error(CatError::Sort { span, what, needed, found });
                None
            }
        }
    }

    pub(super) fn sort_of(&self, value: &Value) -> Found {
        match value {
            Value::Node(node) => Found::Sort(self.model.arena.sort(*node)),
            Value::Unknown(Some(sort)) => Found::Sort(*sort),
            Value::Unknown(None) | Value::Zero => Found::Any,
            Value::Tuple(_) => Found::Other("tuple"),
            Value::Function(_) | Value::Primitive(_) => Found::Other("function"),
            Value::Procedure(_) => Found::Other("procedure"),
        }
    }

    pub(super) fn map(
        &mut self,
        operand: Option<NodeId>,
        sort: Sort,
        make: fn(NodeId) -> Node,
    ) -> Value {
        match operand {
            Some(node) => self.node(make(node)),
            None => Value::Unknown(Some(sort)),
        }
    }

    fn zip(
        &mut self,
        a: Option<NodeId>,
        b: Option<NodeId>,
        make: fn(NodeId, NodeId) -> Node,
    ) -> Value {
        match (a, b) {
            (Some(a), Some(b)) => self.node(make(a, b)),
            _ => Value::Unknown(Some(Sort::Relation)),
        }
    }

    fn node(&mut self, node: Node) -> Value {
        Value::Node(self.model.arena.add(node))
    }
}

/// The sort of a value, as far as known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    Sort(Sort),
    Any,
    Other(&'static str),
}

impl Found {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Sort(sort) => sort_name(sort),
            Self::Any => "value",
            Self::Other(name) => name,
        }
    }
}

/// All names that programs supply.
fn base_names<'a>() -> impl Iterator<Item = &'a str> {
    let sets = BaseSet::ALL.iter().map(|s| (s.name(), s.aliases()));
    let relations = BaseRel::ALL.iter().map(|r| (r.name(), r.aliases()));
    sets.chain(relations)
        .flat_map(|(name, aliases)| std::iter::once(name).chain(aliases.iter().copied()))
        .chain(["domain", "range"])
}
