//! Expressions, with herd's precedence.
//!
//! From loosest to tightest: `|`, `++`, `;` to the right, `\` to the left, `&` to the right, then
//! one level for `~` before and `*`, `+`, `?` behind and `*` between operands, then `^-1`, then
//! application. Herd rejects mixtures on the last level but two; here `~` applies to the results of
//! postfix operators, which apply from left to right.

use super::{MAX_CHAIN, Parsed, Parser};
use crate::cat::ast::{BinaryOp, Expr, ExprKind, UnaryOp};
use crate::cat::error::CatError;
use crate::cat::lexer::Token;

/// The binary operators below `*`, loosest first.
const LEVELS: [(Token, BinaryOp); 4] = [
    (Token::Union, BinaryOp::Union),
    (Token::Seq, BinaryOp::Seq),
    (Token::Backslash, BinaryOp::Diff),
    (Token::Inter, BinaryOp::Inter),
];

impl Parser<'_> {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        self.nested(|parser| parser.level(0))
    }

    /// One or more expressions between `|`, none of which is a union without parentheses.
    pub(super) fn alternatives(&mut self) -> Parsed<Vec<Expr>> {
        let mut list = vec![self.nested(|parser| parser.level(1))?];
        while self.accept(Token::Union).is_some() {
            list.push(self.nested(|parser| parser.level(1))?);
        }
        Ok(list)
    }

    /// An expression of operators at least as tight as `LEVELS[level]`.
    fn level(&mut self, level: usize) -> Parsed<Expr> {
        let Some(&(token, op)) = LEVELS.get(level) else {
            return self.power();
        };
        let depth = self.depth;
        let mut operands = vec![self.level(level + 1)?];
        while self.peek() == token {
            self.bump();
            operands.push(self.nested(|parser| parser.level(level + 1))?);
            if op == BinaryOp::Diff && operands.len() > MAX_CHAIN {
                return Err(CatError::TooDeep { span: self.previous() });
            }
            self.depth += 1;
        }
        self.depth = depth;
        if self.peek() == Token::PlusPlus {
            return Err(self.unsupported("`++`", Some("`|` is the union of two sets")));
        }
        let join = |a: Expr, b: Expr| {
            let span = a.span.to(b.span);
            Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), span }
        };
        let joined = match op {
            BinaryOp::Diff => operands.into_iter().reduce(join),
            _ => operands.into_iter().rev().reduce(|right, left| join(left, right)),
        };
        Ok(joined.expect("there is a first operand"))
    }

    fn power(&mut self) -> Parsed<Expr> {
        let start = self.lexemes[self.at].span;
        if self.accept(Token::Tilde).is_some() {
            let operand = self.nested(Self::power)?;
            let span = start.to(operand.span);
            return Ok(unary(UnaryOp::Complement, operand, span));
        }
        let mut expr = self.application()?;
        for _ in 0..MAX_CHAIN {
            let op = match self.peek() {
                Token::Plus | Token::CaretPlus => UnaryOp::Plus,
                Token::CaretStar => UnaryOp::Star,
                Token::Question => UnaryOp::Optional,
                Token::Inverse => UnaryOp::Inverse,
                Token::Star => UnaryOp::Star,
                _ => return Ok(expr),
            };
            self.bump();
            if op == UnaryOp::Star && self.at_operand() {
                let right = self.product_operand()?;
                let span = expr.span.to(right.span);
                let kind = ExprKind::Binary(BinaryOp::Cross, Box::new(expr), Box::new(right));
                expr = Expr { kind, span };
            } else {
                let span = expr.span.to(self.previous());
                expr = unary(op, expr, span);
            }
        }
        Err(CatError::TooDeep { span: self.previous() })
    }

    /// The right operand of a product.
    fn product_operand(&mut self) -> Parsed<Expr> {
        if self.peek() == Token::Tilde {
            return self.nested(Self::power);
        }
        let mut expr = self.application()?;
        if self.accept(Token::Inverse).is_some() {
            let span = expr.span.to(self.previous());
            expr = unary(UnaryOp::Inverse, expr, span);
        }
        Ok(expr)
    }

    /// `f x y` and `f(x, y)`: operands side by side.
    fn application(&mut self) -> Parsed<Expr> {
        let mut expr = self.atom()?;
        for _ in 0..MAX_CHAIN {
            if !self.at_atom() {
                return Ok(expr);
            }
            let argument = self.atom()?;
            let span = expr.span.to(argument.span);
            expr = Expr { kind: ExprKind::Apply(Box::new(expr), Box::new(argument)), span };
        }
        Err(CatError::TooDeep { span: self.previous() })
    }

    fn at_atom(&self) -> bool {
        let at_atom = matches!(
            self.peek(),
            Token::Name
                | Token::Zero
                | Token::Universe
                | Token::LeftParen
                | Token::LeftBracket
                | Token::LeftBrace
                | Token::Begin
        );
        at_atom && !self.at_amendment()
    }

    fn at_operand(&self) -> bool {
        self.at_atom() || (self.peek() == Token::Tilde && !self.at_negated_test())
    }

    pub(super) fn atom(&mut self) -> Parsed<Expr> {
        let start = self.lexemes[self.at].span;
        let kind = self.nested(Self::atom_kind)?;
        let span = start.to(self.previous());
        Ok(match kind {
            // Parentheses are not in the tree, but in the span.
            ExprKind::Tuple(mut parts) if parts.len() == 1 => {
                Expr { span, ..parts.pop().expect("it has one part") }
            }
            kind => Expr { kind, span },
        })
    }

    fn atom_kind(&mut self) -> Parsed<ExprKind> {
        match self.peek() {
            Token::Name => Ok(ExprKind::Name(self.name()?.text().to_owned())),
            Token::Zero => {
                self.bump();
                Ok(ExprKind::Zero)
            }
            Token::Universe => {
                self.bump();
                Ok(ExprKind::Universe)
            }
            Token::LeftBrace => {
                self.bump();
                if self.peek() != Token::RightBrace {
                    return Err(self.unsupported("a set of listed events", None));
                }
                self.bump();
                Ok(ExprKind::EmptySet)
            }
            Token::LeftBracket => {
                self.bump();
                let inner = self.expr()?;
                self.expect(Token::RightBracket, "`]`")?;
                Ok(ExprKind::Identity(Box::new(inner)))
            }
            Token::LeftParen => {
                self.bump();
                let parts = match self.peek() {
                    Token::RightParen => Vec::new(),
                    _ => self.separated(Self::expr)?,
                };
                self.expect(Token::RightParen, "`)`")?;
                Ok(ExprKind::Tuple(parts))
            }
            Token::Begin => {
                self.bump();
                let inner = self.expr()?;
                self.expect(Token::Close, "`end`")?;
                Ok(ExprKind::Tuple(vec![inner]))
            }
            Token::Fun => {
                self.bump();
                let pattern = self.pattern()?;
                self.expect(Token::Arrow, "`->`")?;
                Ok(ExprKind::Function(pattern, Box::new(self.expr()?)))
            }
            Token::Let => {
                let start = self.lexemes[self.at].span;
                let bindings = self.bindings()?;
                if self.accept(Token::In).is_none() {
                    let found = "a `let` without `in`".to_owned();
                    let expected = "an expression";
                    return Err(CatError::Unexpected { span: start, expected, found });
                }
                Ok(ExprKind::Let(bindings, Box::new(self.expr()?)))
            }
            Token::If => {
                self.bump();
                let condition = self.condition()?;
                self.expect(Token::Then, "`then`")?;
                let then = self.expr()?;
                self.expect(Token::Else, "`else`")?;
                Ok(ExprKind::If(condition, Box::new(then), Box::new(self.expr()?)))
            }
            Token::Try => {
                self.bump();
                let attempt = self.expr()?;
                self.expect(Token::With, "`with`")?;
                Ok(ExprKind::Try(Box::new(attempt), Box::new(self.expr()?)))
            }
            Token::Match => Err(self.unsupported("`match`", None)),
            Token::Tag => Err(self.unsupported("a tag", Some("tags are sets here, such as `ACQ`"))),
            _ => Err(self.unexpected("an expression")),
        }
    }
}

fn unary(op: UnaryOp, operand: Expr, span: crate::source::Span) -> Expr {
    Expr { kind: ExprKind::Unary(op, Box::new(operand)), span }
}
