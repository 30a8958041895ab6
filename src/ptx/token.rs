//! Text into tokens: one lexer for PTX statements, litmus headers of threads, and conditions.
//!
//! A dotted opcode is a [`TokenKind::Word`] followed by [`TokenKind::Qualifier`] tokens, so that
//! qualifiers can be read in any order. All three comment styles are skipped everywhere.

use crate::ptx::error::SyntaxError;
use crate::source::Span;
use logos::{Lexer, Logos};

/// Why the lexer stopped at a character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LexFault {
    /// No token starts here.
    #[default]
    Character,
    /// A comment without an end.
    Comment,
    /// A string without an end.
    Text,
}

/// The kind of a token; its text is found through its span.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
#[logos(error = LexFault)]
#[logos(skip r"[ \t\r\n\f\u{feff}]+")]
#[logos(skip(r"//[^\n]*", allow_greedy = true))]
#[allow(missing_docs, reason = "the variants are the symbols they stand for")]
pub enum TokenKind {
    #[token("/*", block_comment)]
    #[token("(*", nested_comment)]
    Comment,
    /// An identifier, a register such as `%r1`, an opcode without its qualifiers, or `_`.
    #[regex(r"[A-Za-z_$%][A-Za-z0-9_$]*")]
    Word,
    /// `.name`, `.name::name` or `.sp::2:4`.
    #[regex(r"\.[A-Za-z0-9_]+(::[A-Za-z0-9_]+(:[0-9]+)?)*")]
    Qualifier,
    /// An integer in any base, or a `0f`/`0d` literal.
    #[regex(r"[0-9][0-9A-Za-z_]*")]
    Number,
    /// A decimal number with a point or an exponent: `1.5`, `1.`, `.5`, `1e3`.
    #[regex(r"[0-9]+\.[0-9]*([eE][+-]?[0-9]+)?")]
    #[regex(r"[0-9]+[eE][+-]?[0-9]+", priority = 20)]
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?", priority = 20)]
    Decimal,
    /// A quoted string.
    #[token("\"", text)]
    Text,
    #[token("{")]
    OpenBrace,
    #[token("}")]
    CloseBrace,
    #[token("(")]
    OpenParen,
    #[token(")")]
    CloseParen,
    #[token("[")]
    OpenBracket,
    #[token("]")]
    CloseBracket,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token(":")]
    Colon,
    #[token("|")]
    Bar,
    #[token("@")]
    At,
    #[token("!")]
    Bang,
    #[token("&")]
    Ampersand,
    #[token("+")]
    Plus,
    #[token("-")]
    Minus,
    #[token("*")]
    Star,
    #[token("/")]
    Slash,
    #[token("%", priority = 20)]
    Percent,
    #[token("<<")]
    #[token(">>")]
    Shift,
    #[token("^")]
    Caret,
    #[token("?")]
    Question,
    #[token("->")]
    Arrow,
    #[token("..")]
    DotDot,
    #[token("=")]
    Assign,
    #[token("==")]
    Equal,
    #[token("!=")]
    #[token("<>")]
    NotEqual,
    #[token("<")]
    Less,
    #[token("<=")]
    LessEqual,
    #[token(">")]
    Greater,
    #[token(">=")]
    GreaterEqual,
    #[token("~")]
    Tilde,
    #[token("/\\")]
    #[token("&&")]
    And,
    #[token("\\/")]
    #[token("||")]
    Or,
    #[token("=>")]
    Implies,
}

fn block_comment(lexer: &mut Lexer<'_, TokenKind>) -> logos::FilterResult<(), LexFault> {
    match lexer.remainder().find("*/") {
        Some(at) => {
            lexer.bump(at + 2);
            logos::FilterResult::Skip
        }
        None => unterminated(lexer, LexFault::Comment),
    }
}

fn nested_comment(lexer: &mut Lexer<'_, TokenKind>) -> logos::FilterResult<(), LexFault> {
    let rest = lexer.remainder().as_bytes();
    let (mut depth, mut at) = (1_usize, 0);
    while depth > 0 {
        match rest.get(at..at + 2) {
            Some(b"(*") => (depth, at) = (depth + 1, at + 2),
            Some(b"*)") => (depth, at) = (depth - 1, at + 2),
            Some(_) => at += 1,
            None => return unterminated(lexer, LexFault::Comment),
        }
    }
    lexer.bump(at);
    logos::FilterResult::Skip
}

fn text(lexer: &mut Lexer<'_, TokenKind>) -> logos::FilterResult<(), LexFault> {
    match lexer.remainder().find('"') {
        Some(at) => {
            lexer.bump(at + 1);
            logos::FilterResult::Emit(())
        }
        None => unterminated(lexer, LexFault::Text),
    }
}

fn unterminated<T>(
    lexer: &mut Lexer<'_, TokenKind>,
    fault: LexFault,
) -> logos::FilterResult<T, LexFault> {
    lexer.bump(lexer.remainder().len());
    logos::FilterResult::Error(fault)
}

/// A token: its kind and its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// The kind.
    pub kind: TokenKind,
    /// The place in the source.
    pub span: Span,
}

/// Lexes the part of a file that `range` covers; faulty characters become errors and are skipped.
///
/// `text` is the whole file; `range` must lie on character boundaries of it.
#[must_use]
pub fn lex(text: &str, range: Span) -> (Vec<Token>, Vec<SyntaxError>) {
    let mut tokens = Vec::new();
    let mut errors = Vec::new();
    let base = range.start as usize;
    let part = text.get(base..range.end as usize).unwrap_or("");
    for (token, at) in TokenKind::lexer(part).spanned() {
        let span = Span::new(range.file, base + at.start, base + at.end);
        match token {
            Ok(kind) => tokens.push(Token { kind, span }),
            Err(LexFault::Comment) => errors.push(SyntaxError::UnterminatedComment(span)),
            Err(LexFault::Text) => errors.push(SyntaxError::UnterminatedText(span)),
            Err(LexFault::Character) => {
                let found = part.get(at).unwrap_or("").to_owned();
                errors.push(SyntaxError::Character { found, span });
            }
        }
    }
    (tokens, errors)
}
