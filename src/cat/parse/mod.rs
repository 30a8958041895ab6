//! Cat text into a syntax tree; an erroneous statement is reported and skipped.

mod amend;
mod clauses;
mod expr;

use super::ast::{
    Binding, Bindings, Condition, File, Name, Pattern, Statement, StatementKind, Test, TestRole,
};
use super::error::CatError;
use super::lexer::{Lexed, Lexeme, Token, lex};
use crate::id::FileId;
use crate::relation::expr::AxiomKind;
use crate::source::{Span, Spanned};

/// How deep expressions and statements may nest; the operands of `a | b | ...` nest to the right.
const MAX_DEPTH: usize = 200;

/// How many operators that group to the left may stand in a row.
const MAX_CHAIN: usize = 16;

/// After this many errors the rest of a file is not read.
const MAX_ERRORS: usize = 100;

type Parsed<T> = Result<T, CatError>;

/// Parses `text`, the contents of `file`. The tree has the parts that could be parsed, or nothing
/// if a token is wrong.
#[must_use]
pub fn parse(text: &str, file: FileId) -> (File, Vec<CatError>) {
    let Lexed { lexemes, comments, errors } = lex(text, file);
    if !errors.is_empty() {
        return (File { title: None, statements: Vec::new() }, errors);
    }
    let mut parser = Parser { text, lexemes, at: 0, depth: 0, errors, amending: false };
    let title = parser.title();
    let mut statements = Vec::new();
    while parser.peek() != Token::End && parser.errors.len() < MAX_ERRORS {
        statements.extend(parser.statements());
        // The end of an erroneous statement may be left over.
        let is_rest = matches!(parser.peek(), Token::Close | Token::Else);
        if parser.peek() != Token::End && (parser.errors.is_empty() || !is_rest) {
            let error = parser.unexpected("a statement");
            parser.errors.push(error);
        }
        parser.bump();
        parser.recover();
    }
    clauses::attach(text, &comments, &mut statements);
    (File { title, statements }, parser.errors)
}

struct Parser<'a> {
    text: &'a str,
    lexemes: Vec<Lexeme>,
    at: usize,
    depth: usize,
    errors: Vec<CatError>,
    /// Whether the parser is among amendments, whose words then end an expression.
    amending: bool,
}

impl<'a> Parser<'a> {
    /// `ARCH "title"`, `ARCH`, `ARCH NAME`, `"title"` or nothing, then perhaps `catdep`.
    fn title(&mut self) -> Option<String> {
        let first = self.accept(Token::Name).map(|l| self.slice(l.span).to_owned());
        let second = self.accept(Token::Name).map(|l| self.slice(l.span).to_owned());
        let name =
            first.map(|first| second.map_or(first.clone(), |name| format!("{first} {name}")));
        let string = self.accept(Token::String).map(|l| self.unquoted(l.span).to_owned());
        self.accept(Token::CatDep);
        string.or(name)
    }

    fn statements(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        while self.at_statement() && self.errors.len() < MAX_ERRORS {
            statements.push(self.statement());
        }
        statements
    }

    /// One statement; on an error, records the error and skips to the next statement.
    fn statement(&mut self) -> Statement {
        let start = self.at;
        let kind = self.nested(Self::statement_kind).unwrap_or_else(|error| {
            self.errors.push(error);
            self.at = self.at.max(start + 1).min(self.lexemes.len() - 1);
            self.recover();
            StatementKind::Broken(self.bound_names(start))
        });
        let span = self.lexemes[start].span.to(self.previous());
        Statement { kind, clauses: Vec::new(), span }
    }

    fn statement_kind(&mut self) -> Parsed<StatementKind> {
        let first = self.lexemes[self.at];
        match first.token {
            Token::Let => self.bindings().map(StatementKind::Let),
            Token::Show => self.show(),
            Token::Unshow => {
                self.bump();
                self.separated(Self::name).map(StatementKind::Unshow)
            }
            Token::Include => self.include(),
            Token::Hole => {
                self.bump();
                let name = self.name()?;
                self.expect(Token::Equals, "`=`")?;
                Ok(StatementKind::Hole { name, alternatives: self.alternatives()? })
            }
            Token::Procedure => self.procedure(),
            Token::Call => {
                self.bump();
                let (name, argument) = (self.name()?, self.atom()?);
                if self.accept(Token::As).is_some() {
                    self.name()?;
                }
                Ok(StatementKind::Call { name, argument })
            }
            Token::If => self.if_statement(),
            Token::Enum | Token::Instructions | Token::Default => Ok(self.declaration()),
            Token::With => Err(self.unsupported(
                "`with x from S`",
                Some("`include \"cos.cat\"` makes coherence total; other choices are the tool's"),
            )),
            Token::Forall => {
                Err(self.unsupported("`forall`", Some("write one statement for each")))
            }
            Token::Debug => Err(self.unsupported("`debug`", None)),
            _ => self.test().map(StatementKind::Test),
        }
    }

    pub(super) fn bindings(&mut self) -> Parsed<Bindings> {
        self.expect(Token::Let, "`let`")?;
        let recursive = self.accept(Token::Rec).is_some();
        let mut list = vec![self.binding()?];
        while self.accept(Token::And).is_some() {
            list.push(self.binding()?);
        }
        if self.peek() == Token::When {
            return Err(self.unsupported("`when`", None));
        }
        Ok(Bindings { recursive, list })
    }

    pub(super) fn binding(&mut self) -> Parsed<Binding> {
        let name = self.name()?;
        let parameters = match self.peek() {
            Token::Equals => None,
            _ => Some(self.pattern()?),
        };
        self.expect(Token::Equals, "`=`")?;
        Ok(Binding { name, parameters, value: self.expr()? })
    }

    pub(super) fn pattern(&mut self) -> Parsed<Pattern> {
        if self.accept(Token::LeftParen).is_none() {
            return self.name().map(Pattern::Single);
        }
        let names = match self.peek() {
            Token::RightParen => Vec::new(),
            _ => self.separated(Self::name)?,
        };
        self.expect(Token::RightParen, "`)`")?;
        Ok(Pattern::Tuple(names))
    }

    pub(super) fn test(&mut self) -> Parsed<Test> {
        let role = match self.peek() {
            Token::Flag => TestRole::Flag,
            Token::UndefinedUnless => TestRole::UndefinedUnless,
            Token::Assert => TestRole::Assert,
            _ => TestRole::Required,
        };
        if role != TestRole::Required {
            self.bump();
        }
        let negated = self.accept(Token::Tilde).is_some();
        let kind = match self.peek() {
            Token::Acyclic => AxiomKind::Acyclic,
            Token::Irreflexive => AxiomKind::Irreflexive,
            Token::Empty => AxiomKind::Empty,
            _ => return Err(self.unexpected("`acyclic`, `irreflexive` or `empty`")),
        };
        self.bump();
        let expr = self.expr()?;
        let name = match self.accept(Token::As) {
            Some(_) => Some(self.name()?),
            None => None,
        };
        Ok(Test { role, negated, kind, expr, name })
    }

    fn show(&mut self) -> Parsed<StatementKind> {
        self.bump();
        self.separated(|parser| {
            let expr = parser.expr()?;
            let name = match parser.accept(Token::As) {
                Some(_) => Some(parser.name()?),
                None => None,
            };
            Ok((expr, name))
        })
        .map(StatementKind::Show)
    }

    fn procedure(&mut self) -> Parsed<StatementKind> {
        self.bump();
        if self.peek() == Token::Rec {
            return Err(self.unsupported("a recursive procedure", None));
        }
        let (name, parameters) = (self.name()?, self.pattern()?);
        self.expect(Token::Equals, "`=`")?;
        let body = self.statements();
        self.expect(Token::Close, "a statement or `end`")?;
        Ok(StatementKind::Procedure { name, parameters, body })
    }

    fn if_statement(&mut self) -> Parsed<StatementKind> {
        self.bump();
        let condition = self.condition()?;
        self.accept(Token::Then);
        let then = self.statements();
        let otherwise = match self.accept(Token::Else) {
            Some(_) => self.statements(),
            None => Vec::new(),
        };
        self.expect(Token::Close, "a statement or `end`")?;
        Ok(StatementKind::If { condition, then, otherwise })
    }

    /// Skips to the next statement; the tokens between say nothing that a checker needs.
    fn declaration(&mut self) -> StatementKind {
        let start = self.bump().span;
        self.recover();
        StatementKind::Declaration(self.slice(start.to(self.previous())).to_owned())
    }

    /// A condition on variants: `||` is looser than `&&`, which is looser than `not`.
    pub(super) fn condition(&mut self) -> Parsed<Condition> {
        let mut list = vec![self.conjunction()?];
        while self.accept(Token::OrOr).is_some() {
            list.push(self.conjunction()?);
        }
        Ok(if list.len() > 1 { Condition::Any(list) } else { list.remove(0) })
    }

    fn conjunction(&mut self) -> Parsed<Condition> {
        let mut list = vec![self.negation()?];
        while self.accept(Token::AndAnd).is_some() {
            list.push(self.negation()?);
        }
        Ok(if list.len() > 1 { Condition::All(list) } else { list.remove(0) })
    }

    fn negation(&mut self) -> Parsed<Condition> {
        match self.peek() {
            Token::Not | Token::Tilde => {
                self.bump();
                self.nested(Self::negation).map(|c| Condition::Not(Box::new(c)))
            }
            Token::LeftParen => {
                self.bump();
                let inner = self.nested(Self::condition)?;
                self.expect(Token::RightParen, "`)`")?;
                Ok(inner)
            }
            Token::String => self.string().map(Condition::Variant),
            _ => Err(self.unsupported(
                "a condition that is not about variants",
                Some("conditions are strings, `not`, `&&` and `||`, as in `if \"co=total\"`"),
            )),
        }
    }

    pub(super) fn name(&mut self) -> Parsed<Name> {
        let found = self.expect(Token::Name, "a name")?;
        Ok(Name(Spanned::new(self.slice(found.span).to_owned(), found.span)))
    }

    pub(super) fn string(&mut self) -> Parsed<Name> {
        let found = self.expect(Token::String, "a string")?;
        Ok(Name(Spanned::new(self.unquoted(found.span).to_owned(), found.span)))
    }

    /// One or more items between commas.
    pub(super) fn separated<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.accept(Token::Comma).is_some() {
            items.push(item(self)?);
        }
        Ok(items)
    }

    pub(super) fn peek(&self) -> Token {
        self.lexemes[self.at].token
    }

    /// The token after the next.
    fn peek_second(&self) -> Token {
        self.lexemes.get(self.at + 1).map_or(Token::End, |l| l.token)
    }

    /// Whether a statement starts here (`let` and `if` may start expressions as well).
    fn at_statement(&self) -> bool {
        use Token::{
            Acyclic, Assert, Call, Debug, Default, Empty, Enum, Flag, Forall, From, Hole, If,
            Include, Instructions, Irreflexive, Let, Procedure, Show, UndefinedUnless, Unshow,
            With,
        };
        match self.peek() {
            Let | Acyclic | Irreflexive | Empty | Flag | UndefinedUnless | Assert | Show
            | Unshow | Include | Hole | Procedure | Call | Enum | Instructions | Default | If
            | Forall | Debug => true,
            With => self.lexemes.get(self.at + 2).is_some_and(|l| l.token == From),
            _ => self.at_negated_test(),
        }
    }

    pub(super) fn at_negated_test(&self) -> bool {
        let test = matches!(self.peek_second(), Token::Acyclic | Token::Irreflexive | Token::Empty);
        self.peek() == Token::Tilde && test
    }

    pub(super) fn bump(&mut self) -> Lexeme {
        let lexeme = self.lexemes[self.at];
        if lexeme.token != Token::End {
            self.at += 1;
        }
        lexeme
    }

    pub(super) fn accept(&mut self, token: Token) -> Option<Lexeme> {
        (self.peek() == token).then(|| self.bump())
    }

    pub(super) fn expect(&mut self, token: Token, expected: &'static str) -> Parsed<Lexeme> {
        self.accept(token).ok_or_else(|| self.unexpected(expected))
    }

    pub(super) fn unexpected(&self, expected: &'static str) -> CatError {
        let Lexeme { token, span } = self.lexemes[self.at];
        let found = match token {
            Token::Name | Token::Tag => format!("`{}`", self.slice(span)),
            _ => token.describe().to_owned(),
        };
        CatError::Unexpected { span, expected, found }
    }

    pub(super) fn unsupported(&self, what: &str, instead: Option<&'static str>) -> CatError {
        let span = self.lexemes[self.at].span;
        CatError::Unsupported { span, what: what.to_owned(), instead }
    }

    /// Runs `parse` one level deeper.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(CatError::TooDeep { span: self.lexemes[self.at].span });
        }
        let depth = self.depth;
        self.depth += 1;
        let result = parse(self);
        self.depth = depth;
        result
    }

    /// Skips to the next token that starts a statement.
    fn recover(&mut self) {
        while self.peek() != Token::End && !self.at_statement() {
            self.bump();
        }
    }

    /// The names that the skipped `let` from token `start` on would have bound.
    fn bound_names(&self, start: usize) -> Vec<String> {
        let binder = |t| matches!(t, Token::Let | Token::Rec | Token::And | Token::Procedure);
        self.lexemes[start..=self.at]
            .windows(2)
            .filter(|pair| binder(pair[0].token) && pair[1].token == Token::Name)
            .map(|pair| self.slice(pair[1].span).to_owned())
            .collect()
    }

    /// The place of the last token read.
    pub(super) fn previous(&self) -> Span {
        self.lexemes[self.at.saturating_sub(1)].span
    }

    pub(super) fn slice(&self, span: Span) -> &'a str {
        &self.text[span.start as usize..span.end as usize]
    }

    fn unquoted(&self, span: Span) -> &'a str {
        self.slice(span).trim_matches('"')
    }
}
