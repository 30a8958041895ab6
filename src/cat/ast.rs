//! The syntax tree of a cat file.
//!
//! Trees compare by structure: spans do not count.

use crate::relation::expr::AxiomKind;
use crate::source::{Span, Spanned};

/// A whole file.
#[derive(Clone, Debug, PartialEq)]
pub struct File {
    /// The title on the first line, if any.
    pub title: Option<String>,
    /// The statements, in order.
    pub statements: Vec<Statement>,
}

/// A statement with the clause ids that comments attach to it.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The statement.
    pub kind: StatementKind,
    /// Ids such as `PTX-8.10.6`, from comments before it or on its lines.
    pub clauses: Vec<String>,
    /// Its place in the source.
    pub span: Span,
}

impl PartialEq for Statement {
    fn eq(&self, other: &Self) -> bool {
        (&self.kind, &self.clauses) == (&other.kind, &other.clauses)
    }
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq)]
pub enum StatementKind {
    /// `let x = e`, `let f(x, y) = e`, `let rec x = e and y = e`.
    Let(Bindings),
    /// `acyclic e as name` and the like.
    Test(Test),
    /// `show e as name, ...`.
    Show(Vec<(Expr, Option<Name>)>),
    /// `unshow name, ...`.
    Unshow(Vec<Name>),
    /// `include "file"`, perhaps `with` amendments and `end`.
    Include {
        /// The file.
        file: Name,
        /// [`Self::Redefine`], [`Self::Drop`] and [`Self::Replace`], and nothing else.
        amendments: Vec<Statement>,
    },
    /// `hole x = a | b | c`: one of several, to be found by fitting.
    Hole {
        /// The name that is bound.
        name: Name,
        /// The alternatives for its value.
        alternatives: Vec<Expr>,
    },
    /// `redefine x = e` or `redefine f(x) = e`, in an amendment.
    Redefine(Binding),
    /// `drop name, ...`: axioms that are left out, in an amendment.
    Drop(Vec<Name>),
    /// `replace name with acyclic e`, in an amendment.
    Replace {
        /// The axiom that is replaced.
        name: Name,
        /// The new axiom, which keeps the old name unless it has a name.
        test: Test,
    },
    /// `procedure p(x) = ... end`.
    Procedure {
        /// Its name.
        name: Name,
        /// Its parameters.
        parameters: Pattern,
        /// The statements of a call.
        body: Vec<Statement>,
    },
    /// `call p(e)`.
    Call {
        /// The procedure.
        name: Name,
        /// Its argument; a tuple for several.
        argument: Expr,
    },
    /// `if "variant" ... else ... end`.
    If {
        /// Which branch counts.
        condition: Condition,
        /// The statements if the condition holds.
        then: Vec<Statement>,
        /// The statements if it does not.
        otherwise: Vec<Statement>,
    },
    /// A bell declaration (`enum`, `instructions`, `default`), which says nothing here.
    Declaration(String),
    /// A statement that does not parse, with the names that it would have bound.
    Broken(Vec<String>),
}

/// `let` with one or more bindings.
#[derive(Clone, Debug, PartialEq)]
pub struct Bindings {
    /// Whether the bindings may refer to each other (`let rec`).
    pub recursive: bool,
    /// The bindings, in order.
    pub list: Vec<Binding>,
}

/// One `name = value` or `name(parameters) = value`.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// The name that is bound.
    pub name: Name,
    /// The parameters of a function.
    pub parameters: Option<Pattern>,
    /// The right-hand side.
    pub value: Expr,
}

/// A name (or the text of a string) with its place.
#[derive(Clone, Debug)]
pub struct Name(pub Spanned<String>);

impl Name {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.value
    }

    /// Its place.
    #[must_use]
    pub fn span(&self) -> Span {
        self.0.span
    }
}

impl PartialEq for Name {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

/// The parameters of a function: one name, or a tuple of names.
#[derive(Clone, Debug, PartialEq)]
pub enum Pattern {
    /// `f x`: the argument as a whole.
    Single(Name),
    /// `f(x, y)`: the parts of a tuple; `f(x)` is a tuple of one.
    Tuple(Vec<Name>),
}

/// A test.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// The consequence of a failure.
    pub role: TestRole,
    /// Whether the test is negated with `~`.
    pub negated: bool,
    /// The property tested.
    pub kind: AxiomKind,
    /// The expression tested.
    pub expr: Expr,
    /// The name after `as`.
    pub name: Option<Name>,
}

/// The keyword before a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestRole {
    /// None: executions that fail the test are not consistent.
    Required,
    /// `flag`: executions that pass the test carry a remark.
    Flag,
    /// `undefined_unless`: executions that fail the test have no defined behaviour.
    UndefinedUnless,
    /// `assert`: executions that fail the test carry a remark.
    Assert,
}

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// The expression.
    pub kind: ExprKind,
    /// Its place in the source.
    pub span: Span,
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A name.
    Name(String),
    /// `0`: the empty set or relation.
    Zero,
    /// `{}`: the empty set.
    EmptySet,
    /// `_`: all events.
    Universe,
    /// `[S]`: identity on a set.
    Identity(Box<Expr>),
    /// An operator with one operand.
    Unary(UnaryOp, Box<Expr>),
    /// An operator with two operands.
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    /// `(a, b)`; the unit `()` has no parts.
    Tuple(Vec<Expr>),
    /// `f x` or `f(x, y)`.
    Apply(Box<Expr>, Box<Expr>),
    /// `fun x -> e`.
    Function(Pattern, Box<Expr>),
    /// `let ... in e`.
    Let(Bindings, Box<Expr>),
    /// `if c then a else b`.
    If(Condition, Box<Expr>, Box<Expr>),
    /// `try a with b`: `b` where `a` has an error.
    Try(Box<Expr>, Box<Expr>),
}

/// Operators with one operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `~e`
    Complement,
    /// `e^-1`
    Inverse,
    /// `e+`
    Plus,
    /// `e*`
    Star,
    /// `e?`
    Optional,
}

/// Operators with two operands, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum BinaryOp {
    /// `a | b`
    Union,
    /// `a ; b`
    Seq,
    /// `a \ b`
    Diff,
    /// `a & b`
    Inter,
    /// `a * b`
    Cross,
}

/// A condition on variants, decided when the model is read.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// `"name"`: whether the variant is enabled.
    Variant(Name),
    /// `not c`
    Not(Box<Condition>),
    /// `a && b && ...`
    All(Vec<Condition>),
    /// `a || b || ...`
    Any(Vec<Condition>),
}
