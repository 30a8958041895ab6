//! A position in a token sequence, from which the hand-written parsers read.

use crate::ptx::error::{Place, SyntaxError};
use crate::ptx::token::{Token, TokenKind};
use crate::source::{Span, Spanned};

/// Reads tokens one after the other; never goes back.
#[derive(Clone, Debug)]
pub struct Cursor<'t> {
    text: &'t str,
    tokens: &'t [Token],
    at: usize,
    end: Span,
}

impl<'t> Cursor<'t> {
    /// A cursor over `tokens`, whose spans refer to the file text `text`; `end` is the place to
    /// blame when they run out.
    #[must_use]
    pub fn new(text: &'t str, tokens: &'t [Token], end: Span) -> Self {
        Self { text, tokens, at: 0, end }
    }

    /// The kind of the next token.
    #[must_use]
    pub fn peek(&self) -> Option<TokenKind> {
        self.peek_at(0)
    }

    /// The kind of the token `ahead` places further on.
    #[must_use]
    pub fn peek_at(&self, ahead: usize) -> Option<TokenKind> {
        self.tokens.get(self.at + ahead).map(|token| token.kind)
    }

    /// The text of the next token; empty at the end.
    #[must_use]
    pub fn peek_text(&self) -> &'t str {
        self.text_at(0)
    }

    /// The text of the token `ahead` places further on; empty past the end.
    #[must_use]
    pub fn text_at(&self, ahead: usize) -> &'t str {
        self.tokens.get(self.at + ahead).map_or("", |token| self.text(token.span))
    }

    /// The text that a span of this file covers.
    #[must_use]
    pub fn text(&self, span: Span) -> &'t str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// Where the next token stands, or the end.
    #[must_use]
    pub fn span(&self) -> Span {
        self.span_at(0)
    }

    /// The place of the token `ahead` positions further on; the end's place past it.
    #[must_use]
    pub fn span_at(&self, ahead: usize) -> Span {
        self.tokens.get(self.at + ahead).map_or(self.end, |token| token.span)
    }

    /// Where the last token read stands; the next one's place at the start.
    #[must_use]
    pub fn last_span(&self) -> Span {
        self.at.checked_sub(1).and_then(|at| self.tokens.get(at)).map_or(self.span(), |t| t.span)
    }

    /// Whether a token was taken.
    #[must_use]
    pub fn was_used(&self) -> bool {
        self.at > 0
    }

    /// Whether a token of this kind and text is left.
    #[must_use]
    pub fn has(&self, kind: TokenKind, text: &str) -> bool {
        let left = self.tokens.get(self.at..).unwrap_or(&[]);
        left.iter().any(|token| token.kind == kind && self.text(token.span) == text)
    }

    /// Whether no token is left.
    #[must_use]
    pub fn is_at_end(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Takes the next token.
    pub fn advance(&mut self) -> Option<Token> {
        let token = self.tokens.get(self.at).copied();
        self.at += usize::from(token.is_some());
        token
    }

    /// Takes the next token when it is of this kind.
    pub fn eat(&mut self, kind: TokenKind) -> Option<Token> {
        if self.peek() == Some(kind) { self.advance() } else { None }
    }

    /// Takes the next token when it is this word.
    pub fn eat_word(&mut self, word: &str) -> Option<Token> {
        if self.peek() == Some(TokenKind::Word) && self.peek_text() == word {
            self.advance()
        } else {
            None
        }
    }

    /// Takes a token of this kind, or says that `what` was expected.
    ///
    /// # Errors
    /// When the next token is of another kind.
    pub fn expect(&mut self, kind: TokenKind, what: &'static str) -> Result<Token, SyntaxError> {
        self.eat(kind).ok_or_else(|| match kind {
            TokenKind::Semicolon => self.expected_end(what),
            _ => self.expected(what),
        })
    }

    /// Takes an identifier.
    ///
    /// # Errors
    /// When the next token is no word.
    pub fn word(&mut self, what: &'static str) -> Result<Spanned<String>, SyntaxError> {
        let token = self.expect(TokenKind::Word, what)?;
        Ok(Spanned::new(self.text(token.span).to_owned(), token.span))
    }

    /// Whether the next token stands on another line than the last one.
    #[must_use]
    pub fn is_on_new_line(&self) -> bool {
        let (last, next) = (self.last_span(), self.span());
        let between = Span { start: last.end, end: next.start, ..next };
        self.was_used() && self.text(between).contains('\n')
    }

    /// The error that `what` was expected at the next token.
    #[must_use]
    pub fn expected(&self, what: &'static str) -> SyntaxError {
        self.expected_at(self.span(), what)
    }

    /// The error that `what`, a `;`, was expected at the next token, or at the end of the line of the
    /// last one if the next token is on another line.
    #[must_use]
    pub fn expected_end(&self, what: &'static str) -> SyntaxError {
        let last = self.last_span();
        let span = match self.is_on_new_line() {
            true => Span { start: last.end, ..last },
            false => self.span(),
        };
        self.expected_at(span, what)
    }

    fn expected_at(&self, span: Span, what: &'static str) -> SyntaxError {
        let found = match self.text(self.span()) {
            "" => "the end".to_owned(),
            text => format!("`{}`", text.chars().take(40).collect::<String>()),
        };
        SyntaxError::Expected { what, found, place: Place::Elsewhere, span }
    }

    /// Splits off the tokens up to the next one that `stop` accepts (not taken), as a cursor of
    /// their own.
    pub fn split_until(&mut self, stop: impl Fn(TokenKind) -> bool) -> Cursor<'t> {
        self.split(|token, _| stop(token.kind))
    }

    /// As [`Self::split_until`], for a `stop` that also wants the token's text.
    pub fn split_until_token(&mut self, stop: impl Fn(TokenKind, &str) -> bool) -> Cursor<'t> {
        self.split(|token, text| stop(token.kind, text))
    }

    fn split(&mut self, stop: impl Fn(&Token, &str) -> bool) -> Cursor<'t> {
        let rest = self.tokens.get(self.at..).unwrap_or(&[]);
        let found = rest.iter().position(|token| stop(token, self.text(token.span)));
        self.split_at(found.unwrap_or(rest.len()))
    }

    /// Splits off the next `length` tokens, or all that are left, as a cursor of their own.
    pub fn split_at(&mut self, length: usize) -> Cursor<'t> {
        let rest = self.tokens.get(self.at..).unwrap_or(&[]);
        let length = length.min(rest.len());
        let end = rest.get(length).map_or(self.end, |token| token.span);
        self.at += length;
        Cursor { text: self.text, tokens: &rest[..length], at: 0, end }
    }
}
