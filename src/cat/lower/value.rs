//! The meaning of names while a model is read, and their scopes.

use crate::cat::ast::{Expr, Pattern, Statement};
use crate::id::NodeId;
use crate::source::Span;
use crate::vocabulary::Sort;
use std::rc::Rc;

/// The value of an expression.
#[derive(Clone, Debug)]
pub(super) enum Value {
    /// A set or relation.
    Node(NodeId),
    /// `0`: empty, of the sort that its context requires.
    Zero,
    /// The parameter of a function whose body is checked, or an erroneous value; with its sort if
    /// known.
    Unknown(Option<Sort>),
    /// Several values.
    Tuple(Vec<Value>),
    /// A function.
    Function(Rc<Function>),
    /// `domain` or `range`.
    Primitive(Primitive),
    /// A procedure.
    Procedure(Rc<Procedure>),
}

/// A function with the names in its scope.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) name: String,
    pub(super) parameters: Pattern,
    pub(super) body: Expr,
    pub(super) scope: Scope,
    pub(super) defined: Span,
}

/// A procedure with the names in its scope.
#[derive(Debug)]
pub(super) struct Procedure {
    pub(super) name: String,
    pub(super) parameters: Pattern,
    pub(super) body: Vec<Statement>,
    pub(super) scope: Scope,
    pub(super) defined: Span,
}

/// Functions that cat cannot define.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Primitive {
    Domain,
    Range,
}

/// The visible names, latest first; a later definition hides an earlier one.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope(Option<Rc<Frame>>);

#[derive(Debug)]
struct Frame {
    name: String,
    value: Value,
    outer: Scope,
}

impl Scope {
    /// The scope with one more name.
    pub(super) fn with(&self, name: &str, value: Value) -> Self {
        Self(Some(Rc::new(Frame { name: name.to_owned(), value, outer: self.clone() })))
    }

    /// The value of `name`.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.frames().find(|frame| frame.name == name).map(|frame| &frame.value)
    }

    /// All visible names, hidden ones included.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.frames().map(|frame| frame.name.as_str())
    }

    fn frames(&self) -> impl Iterator<Item = &Frame> {
        std::iter::successors(self.0.as_deref(), |frame| frame.outer.0.as_deref())
    }
}

impl Drop for Frame {
    /// Frees a long chain of frames without recursion.
    fn drop(&mut self) {
        let mut next = self.outer.0.take();
        while let Some(frame) = next {
            match Rc::try_unwrap(frame) {
                Ok(mut frame) => next = frame.outer.0.take(),
                Err(_) => return,
            }
        }
    }
}
