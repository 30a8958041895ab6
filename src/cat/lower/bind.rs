//! Functions and `let`: calls are replaced by their values.

use super::Lowerer;
use super::expr::Found;
use super::value::{Function, Primitive, Scope, Value};
use crate::cat::ast::{Binding, Bindings, Expr, Name, Pattern};
use crate::cat::error::CatError;
use crate::id::NodeId;
use crate::relation::expr::{Node, RecId};
use crate::source::Span;
use crate::vocabulary::Sort;
use std::rc::Rc;

/// How many calls a model may make.
const MAX_CALLS: usize = 20_000;

impl Lowerer<'_> {
    pub(super) fn apply(
        &mut self,
        function: &Expr,
        argument: &Expr,
        span: Span,
        scope: &Scope,
    ) -> Value {
        let callee = self.expr(function, scope);
        let value = self.expr(argument, scope);
        match callee {
            Value::Unknown(_) => Value::Unknown(None),
            Value::Primitive(primitive) => {
                let (what, make): (_, fn(NodeId) -> Node) = match primitive {
                    Primitive::Domain => ("`domain`", Node::Domain),
                    Primitive::Range => ("`range`", Node::Range),
                };
                let operand = self.expect(&value, argument.span, Sort::Relation, what);
                self.map(operand, Sort::Set, make)
            }
            Value::Function(function) => self.call(&function, value, span),
            other => {
                let found = self.sort_of(&other).name();
                let (span, needed) = (function.span, "function");
                self.error(CatError::Sort { span, what: "an application", needed, found })
            }
        }
    }

    fn call(&mut self, function: &Function, argument: Value, span: Span) -> Value {
        self.calls += 1;
        if self.calls > MAX_CALLS {
            return self.limit(span, MAX_CALLS, "function calls");
        }
        let bound = self.parameters(
            &function.name,
            &function.parameters,
            function.defined,
            &function.scope,
            argument,
            span,
        );
        let Some(scope) = bound else {
            return Value::Unknown(None);
        };
        let before = self.errors.len();
        let value = self.expr(&function.body, &scope);
        self.blame_call(before, span);
        value
    }

    /// Binds the parameters of `name` to an argument.
    pub(super) fn parameters(
        &mut self,
        name: &str,
        parameters: &Pattern,
        defined: Span,
        scope: &Scope,
        argument: Value,
        span: Span,
    ) -> Option<Scope> {
        let names = match parameters {
            Pattern::Single(single) => return Some(scope.with(single.text(), argument)),
            Pattern::Tuple(names) => names,
        };
        let arguments = match argument {
            Value::Tuple(parts) => parts,
            Value::Unknown(_) if names.len() != 1 => vec![Value::Unknown(None); names.len()],
            one => vec![one],
        };
        if arguments.len() != names.len() {
            let (expected, found) = (names.len(), arguments.len());
            let (function, defined) = (format!("`{name}`"), Some(defined));
            self.error(CatError::Arity { span, function, expected, found, defined });
            return None;
        }
        let bind = |scope: Scope, (name, value): (&Name, Value)| scope.with(name.text(), value);
        Some(names.iter().zip(arguments).fold(scope.clone(), bind))
    }

    /// A function; its body is checked at once, even if it is never called.
    pub(super) fn function(
        &mut self,
        name: &str,
        parameters: &Pattern,
        body: &Expr,
        defined: Span,
        scope: &Scope,
    ) -> Value {
        let unknown = match parameters {
            Pattern::Single(_) => Value::Unknown(None),
            Pattern::Tuple(names) => Value::Tuple(vec![Value::Unknown(None); names.len()]),
        };
        if let Some(inner) = self.parameters(name, parameters, defined, scope, unknown, defined) {
            self.expr(body, &inner);
        }
        Value::Function(Rc::new(Function {
            name: name.to_owned(),
            parameters: parameters.clone(),
            body: body.clone(),
            scope: scope.clone(),
            defined,
        }))
    }

    /// The values of `let` bindings, each with its name.
    pub(super) fn bind<'b>(
        &mut self,
        bindings: &'b Bindings,
        scope: &Scope,
    ) -> Vec<(&'b str, Value)> {
        if bindings.recursive {
            return self.bind_recursive(bindings, scope);
        }
        let value = |lowerer: &mut Self, binding: &Binding| match &binding.parameters {
            Some(parameters) => {
                let name = &binding.name;
                lowerer.function(name.text(), parameters, &binding.value, name.span(), scope)
            }
            None => lowerer.expr(&binding.value, scope),
        };
        bindings.list.iter().map(|b| (b.name.text(), value(self, b))).collect()
    }

    fn bind_recursive<'b>(
        &mut self,
        bindings: &'b Bindings,
        scope: &Scope,
    ) -> Vec<(&'b str, Value)> {
        let nodes = self.model.arena.start_group(bindings.list.len());
        let mut inner = scope.clone();
        let mut recs: Vec<RecId> = Vec::new();
        for (binding, &node) in bindings.list.iter().zip(&nodes) {
            let Node::Rec(rec) = self.model.arena.node(node) else {
                unreachable!("a group consists of recursive references")
            };
            recs.push(rec);
            inner = inner.with(binding.name.text(), Value::Node(node));
            let name = binding.name.text().to_owned();
            self.open.insert(rec, (name, binding.name.span()));
        }
        let bodies: Vec<NodeId> =
            bindings.list.iter().map(|binding| self.recursive_body(binding, &inner)).collect();
        for (&rec, body) in recs.iter().zip(bodies) {
            self.open.remove(&rec);
            self.model.arena.define(rec, body);
        }
        let names = bindings.list.iter().map(|b| b.name.text());
        names.zip(nodes.into_iter().map(Value::Node)).collect()
    }

    fn recursive_body(&mut self, binding: &Binding, scope: &Scope) -> NodeId {
        let value = match &binding.parameters {
            Some(_) => {
                let (span, what) = (binding.name.span(), "a recursive function".to_owned());
                self.error(CatError::Unsupported { span, what, instead: None })
            }
            None => self.expr(&binding.value, scope),
        };
        let body = match self.sort_of(&value) {
            Found::Sort(Sort::Set) => {
                self.recursive_set(binding.name.text(), binding.value.span);
                None
            }
            _ => self.expect(&value, binding.value.span, Sort::Relation, "`let rec`"),
        };
        body.unwrap_or_else(|| self.model.arena.add(Node::Empty(Sort::Relation)))
    }
}
