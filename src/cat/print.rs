//! Syntax trees back to text, which parses to the same tree.

use super::ast::{
    BinaryOp, Binding, Bindings, Condition, Expr, ExprKind, File, Name, Pattern, Statement,
    StatementKind, Test, TestRole, UnaryOp,
};
use crate::relation::expr::AxiomKind;
use std::fmt::{Display, Formatter, Result};

impl Display for File {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if let Some(title) = &self.title {
            writeln!(f, "\"{title}\"")?;
        }
        self.statements.iter().try_for_each(|s| writeln!(f, "{s}"))
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        if !self.clauses.is_empty() {
            writeln!(f, "(* {} *)", self.clauses.join(" "))?;
        }
        match &self.kind {
            StatementKind::Let(bindings) => write!(f, "{bindings}"),
            StatementKind::Test(test) => write!(f, "{test}"),
            StatementKind::Show(items) => {
                f.write_str("show ")?;
                list(f, items, |f, (expr, name)| {
                    write!(f, "{expr}")?;
                    name.iter().try_for_each(|n| write!(f, " as {}", n.text()))
                })
            }
            StatementKind::Unshow(names) => {
                f.write_str("unshow ")?;
                list(f, names, |f, n| f.write_str(n.text()))
            }
            StatementKind::Include { file, amendments } => {
                write!(f, "include \"{}\"", file.text())?;
                if amendments.is_empty() {
                    return Ok(());
                }
                writeln!(f, " with")?;
                amendments.iter().try_for_each(|s| writeln!(f, "{s}"))?;
                f.write_str("end")
            }
            StatementKind::Hole { name, alternatives } => {
                write!(f, "hole {} = ", name.text())?;
                for (at, one) in alternatives.iter().enumerate() {
                    let before = if at > 0 { " | " } else { "" };
                    let needed = matches!(
                        one.kind,
                        ExprKind::Binary(BinaryOp::Union, ..)
                            | ExprKind::Let(..)
                            | ExprKind::If(..)
                            | ExprKind::Try(..)
                            | ExprKind::Function(..)
                    );
                    f.write_str(before)?;
                    in_parentheses(f, one, needed)?;
                }
                Ok(())
            }
            StatementKind::Redefine(Binding { name, parameters, value }) => {
                write!(f, "redefine {}", name.text())?;
                parameters.iter().try_for_each(|p| write!(f, "{}", Parameters(p)))?;
                write!(f, " = {value}")
            }
            StatementKind::Drop(names) => {
                f.write_str("drop ")?;
                list(f, names, |f, n| f.write_str(n.text()))
            }
            StatementKind::Replace { name, test } => {
                write!(f, "replace {} with {test}", name.text())
            }
            StatementKind::Procedure { name, parameters, body } => {
                writeln!(f, "procedure {}{} =", name.text(), Parameters(parameters))?;
                body.iter().try_for_each(|s| writeln!(f, "{s}"))?;
                f.write_str("end")
            }
            StatementKind::Call { name, argument } => {
                write!(f, "call {}", name.text())?;
                write!(f, "{}", Argument(argument))
            }
            StatementKind::If { condition, then, otherwise } => {
                writeln!(f, "if {condition}")?;
                then.iter().try_for_each(|s| writeln!(f, "{s}"))?;
                if !otherwise.is_empty() {
                    writeln!(f, "else")?;
                    otherwise.iter().try_for_each(|s| writeln!(f, "{s}"))?;
                }
                f.write_str("end")
            }
            StatementKind::Declaration(text) => f.write_str(text),
            StatementKind::Broken(_) => Ok(()),
        }
    }
}

impl Display for Bindings {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(if self.recursive { "let rec " } else { "let " })?;
        for (at, Binding { name, parameters, value }) in self.list.iter().enumerate() {
            f.write_str(if at > 0 { "\nand " } else { "" })?;
            f.write_str(name.text())?;
            parameters.iter().try_for_each(|p| write!(f, "{}", Parameters(p)))?;
            write!(f, " = {value}")?;
        }
        Ok(())
    }
}

impl Display for Test {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self.role {
            TestRole::Required => "",
            TestRole::Flag => "flag ",
            TestRole::UndefinedUnless => "undefined_unless ",
            TestRole::Assert => "assert ",
        })?;
        f.write_str(if self.negated { "~" } else { "" })?;
        write!(f, "{} {}", axiom_keyword(self.kind), self.expr)?;
        self.name.iter().try_for_each(|n| write!(f, " as {}", n.text()))
    }
}

/// The keyword of a kind of axiom.
pub(super) fn axiom_keyword(kind: AxiomKind) -> &'static str {
    match kind {
        AxiomKind::Acyclic => "acyclic",
        AxiomKind::Irreflexive => "irreflexive",
        AxiomKind::Empty => "empty",
    }
}

impl Display for Condition {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Variant(name) => write!(f, "\"{}\"", name.text()),
            Self::Not(inner) => write!(f, "not ({inner})"),
            Self::All(list) | Self::Any(list) => {
                let between = if matches!(self, Self::All(_)) { ") && (" } else { ") || (" };
                for (at, inner) in list.iter().enumerate() {
                    let before = if at == 0 { "(" } else { between };
                    write!(f, "{before}{inner}")?;
                }
                f.write_str(")")
            }
        }
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match &self.kind {
            ExprKind::Name(name) => f.write_str(name),
            ExprKind::Zero => f.write_str("0"),
            ExprKind::EmptySet => f.write_str("{}"),
            ExprKind::Universe => f.write_str("_"),
            ExprKind::Identity(inner) => write!(f, "[{inner}]"),
            ExprKind::Unary(UnaryOp::Complement, a) => write!(f, "~{}", Operand(a)),
            ExprKind::Unary(op, a) => write!(f, "{}{}", Operand(a), postfix(*op)),
            ExprKind::Binary(op, a, b) => {
                write!(f, "{} {} {}", LeftOf(*op, a), infix(*op), RightOf(*op, b))
            }
            ExprKind::Tuple(parts) => {
                f.write_str("(")?;
                list(f, parts, |f, p| write!(f, "{p}"))?;
                f.write_str(")")
            }
            ExprKind::Apply(function, argument) => {
                write!(f, "{}{}", Applied(function), Argument(argument))
            }
            ExprKind::Function(pattern, body) => write!(f, "fun{} -> {body}", Parameters(pattern)),
            ExprKind::Let(bindings, body) => write!(f, "{bindings} in {body}"),
            ExprKind::If(condition, a, b) => write!(f, "if {condition} then {a} else {b}"),
            ExprKind::Try(a, b) => write!(f, "try {a} with {b}"),
        }
    }
}

fn infix(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Union => "|",
        BinaryOp::Seq => ";",
        BinaryOp::Diff => "\\",
        BinaryOp::Inter => "&",
        BinaryOp::Cross => "*",
    }
}

fn postfix(op: UnaryOp) -> &'static str {
    match op {
        UnaryOp::Complement => "~",
        UnaryOp::Inverse => "^-1",
        UnaryOp::Plus => "+",
        UnaryOp::Star => "*",
        UnaryOp::Optional => "?",
    }
}

/// Whether an expression needs no parentheses anywhere.
fn is_closed(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Name(_)
            | ExprKind::Zero
            | ExprKind::EmptySet
            | ExprKind::Universe
            | ExprKind::Identity(_)
            | ExprKind::Tuple(_)
    )
}

fn in_parentheses(f: &mut Formatter<'_>, expr: &Expr, needed: bool) -> Result {
    if needed { write!(f, "({expr})") } else { write!(f, "{expr}") }
}

/// An operand of a unary operator or a product.
struct Operand<'a>(&'a Expr);

impl Display for Operand<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        in_parentheses(f, self.0, !is_closed(self.0) && !matches!(self.0.kind, ExprKind::Apply(..)))
    }
}

/// The left operand of a binary operator; operators of one kind group as they parse.
struct LeftOf<'a>(BinaryOp, &'a Expr);

impl Display for LeftOf<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.1.kind {
            ExprKind::Binary(inner, ..) if inner > self.0 && self.0 != BinaryOp::Cross => {
                write!(f, "{}", self.1)
            }
            ExprKind::Binary(BinaryOp::Diff, ..) if self.0 == BinaryOp::Diff => {
                write!(f, "{}", self.1)
            }
            ExprKind::Unary(op, _) if op != UnaryOp::Complement && self.0 != BinaryOp::Cross => {
                write!(f, "{}", self.1)
            }
            _ => write!(f, "{}", Operand(self.1)),
        }
    }
}

/// The right operand of a binary operator.
struct RightOf<'a>(BinaryOp, &'a Expr);

impl Display for RightOf<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        let to_the_right = !matches!(self.0, BinaryOp::Diff | BinaryOp::Cross);
        match self.1.kind {
            ExprKind::Binary(inner, ..) if inner > self.0 || (inner == self.0 && to_the_right) => {
                write!(f, "{}", self.1)
            }
            ExprKind::Unary(..) if self.0 != BinaryOp::Cross => write!(f, "{}", self.1),
            _ => write!(f, "{}", Operand(self.1)),
        }
    }
}

/// A function that is applied.
struct Applied<'a>(&'a Expr);

impl Display for Applied<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        in_parentheses(f, self.0, !is_closed(self.0) && !matches!(self.0.kind, ExprKind::Apply(..)))
    }
}

/// An argument, always in parentheses.
struct Argument<'a>(&'a Expr);

impl Display for Argument<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        in_parentheses(f, self.0, !matches!(self.0.kind, ExprKind::Tuple(_)))
    }
}

struct Parameters<'a>(&'a Pattern);

impl Display for Parameters<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self.0 {
            Pattern::Single(name) => write!(f, " {}", name.text()),
            Pattern::Tuple(names) => {
                f.write_str("(")?;
                list(f, names, |f, n: &Name| f.write_str(n.text()))?;
                f.write_str(")")
            }
        }
    }
}

fn list<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    mut print: impl FnMut(&mut Formatter<'_>, &T) -> Result,
) -> Result {
    for (at, item) in items.iter().enumerate() {
        f.write_str(if at > 0 { ", " } else { "" })?;
        print(f, item)?;
    }
    Ok(())
}
