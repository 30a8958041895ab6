//! Cat text into tokens and comments.

use super::error::CatError;
use crate::id::FileId;
use crate::source::Span;
use logos::{Lexer, Logos};

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lexeme {
    pub(super) token: Token,
    pub(super) span: Span,
}

/// The result of lexing a file; the tokens end with [`Token::End`].
#[derive(Debug)]
pub(super) struct Lexed {
    pub(super) lexemes: Vec<Lexeme>,
    pub(super) comments: Vec<Span>,
    pub(super) errors: Vec<CatError>,
}

/// Splits `text`, the contents of `file`; characters that start no token are reported and skipped.
pub(super) fn lex(text: &str, file: FileId) -> Lexed {
    let mut lexed = Lexed { lexemes: Vec::new(), comments: Vec::new(), errors: Vec::new() };
    let mut lexer = Token::lexer(text);
    while let Some(token) = lexer.next() {
        let span = Span::new(file, lexer.span().start, lexer.span().end);
        match token {
            Ok(Token::Comment) => lexed.comments.push(span),
            Ok(token) => lexed.lexemes.push(Lexeme { token, span }),
            Err(LexError::Character) => match lexed.errors.last_mut() {
                // Neighbours are one error.
                Some(CatError::Character { span: before, text }) if before.end == span.start => {
                    before.end = span.end;
                    text.push_str(lexer.slice());
                }
                _ => {
                    lexed.errors.push(CatError::Character { span, text: lexer.slice().to_owned() });
                }
            },
            Err(LexError::Unclosed(what)) => lexed.errors.push(CatError::Unclosed { span, what }),
        }
    }
    let end = Span::new(file, text.len(), text.len());
    lexed.lexemes.push(Lexeme { token: Token::End, span: end });
    lexed
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum LexError {
    #[default]
    Character,
    Unclosed(&'static str),
}

macro_rules! tokens {
    ($($name:ident = $text:literal,)*) => {
        /// A token of the cat language.
        #[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
        #[logos(skip r"[ \t\r\n\x0c]+", error = LexError)]
        pub(super) enum Token {
            $(#[token($text)] $name,)*
            #[regex(r"_?[A-Za-z](-*[A-Za-z0-9_.])*'?")]
            Name,
            #[regex(r"'_?[A-Za-z](-*[A-Za-z0-9_.])*")]
            Tag,
            #[token("\"", string)]
            String,
            #[regex(r"//[^\n]*|#[^\n]*", allow_greedy = true)]
            #[token("(*", |lexer| nested(lexer, "(*", "*)"))]
            #[token("/*", |lexer| nested(lexer, "/*", "*/"))]
            Comment,
            /// The end of the file.
            End,
        }

        impl Token {
            /// How a message names the token.
            pub(super) fn describe(self) -> &'static str {
                match self {
                    $(Self::$name => concat!("`", $text, "`"),)*
                    Self::Name => "a name",
                    Self::Tag => "a tag",
                    Self::String => "a string",
                    Self::Comment => "a comment",
                    Self::End => "the end of the file",
                }
            }
        }
    };
}

tokens! {
    Let = "let", Rec = "rec", And = "and", When = "when", In = "in", Fun = "fun",
    Match = "match", With = "with", Try = "try", If = "if", Then = "then", Else = "else",
    Begin = "begin", Close = "end", Not = "not", Acyclic = "acyclic",
    Irreflexive = "irreflexive", Empty = "empty", As = "as", Flag = "flag",
    UndefinedUnless = "undefined_unless", Assert = "assert", Show = "show", Unshow = "unshow",
    Include = "include", Procedure = "procedure", Call = "call", Enum = "enum",
    Forall = "forall", Do = "do", From = "from", Debug = "debug",
    Hole = "hole", Instructions = "instructions", Default = "default", CatDep = "catdep", Subset = "subset",
    Zero = "0", Universe = "_", Union = "|", OrOr = "||", PlusPlus = "++", Seq = ";",
    Backslash = "\\", Inter = "&", AndAnd = "&&", Star = "*", Plus = "+", Question = "?",
    Inverse = "^-1", CaretPlus = "^+", CaretStar = "^*", Tilde = "~", LeftBracket = "[",
    RightBracket = "]", LeftParen = "(", RightParen = ")", LeftBrace = "{", RightBrace = "}",
    Arrow = "->", Equals = "=", Comma = ",",
}

/// Consumes a block comment whose opening was read; comments nest.
fn nested(lexer: &mut Lexer<'_, Token>, open: &str, close: &str) -> Result<(), LexError> {
    let rest = lexer.remainder();
    let (open, close) = (open.as_bytes(), close.as_bytes());
    let mut depth = 1_usize;
    let mut at = 0;
    while depth > 0 {
        match rest.as_bytes().get(at..at + 2) {
            Some(pair) if pair == open => (depth, at) = (depth + 1, at + 2),
            Some(pair) if pair == close => (depth, at) = (depth - 1, at + 2),
            Some(_) => at += 1,
            None => {
                lexer.bump(rest.len());
                return Err(LexError::Unclosed("comment"));
            }
        }
    }
    lexer.bump(at);
    Ok(())
}

/// Consumes a string after its opening quote; the string ends on its line.
fn string(lexer: &mut Lexer<'_, Token>) -> Result<(), LexError> {
    let rest = lexer.remainder();
    match rest.find(['"', '\n']) {
        Some(at) if rest.as_bytes()[at] == b'"' => {
            lexer.bump(at + 1);
            Ok(())
        }
        end => {
            lexer.bump(end.unwrap_or(rest.len()));
            Err(LexError::Unclosed("string"))
        }
    }
}
