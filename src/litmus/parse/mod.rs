//! Bytes of a file into litmus tests: columns, blocks, or NVIDIA's `.test` format.
//!
//! All errors of a file are collected; a test with an error is left out. Parsing takes time linear
//! in the size of the file.

mod blocks;
mod body;
mod columns;
pub(crate) mod condition;
pub(crate) mod declaration;
pub(crate) mod draft;
pub(crate) mod header;
pub(in crate::litmus) mod init;
pub(crate) mod kernel;
mod nvlitmus;
pub(crate) mod place;
pub(crate) mod scopes;
pub(crate) mod tail;
pub(crate) mod tensormap;
pub(crate) mod vectors;

use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{Dialect, Test};
use crate::litmus::check;
use crate::litmus::error::LitmusError;
use crate::ptx::cursor::Cursor;
use crate::ptx::error::SyntaxError;
use crate::ptx::token::{Token, TokenKind, lex};
use crate::source::{Files, Span};
use draft::Draft;

/// The tests of one file, with all diagnostics.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Parsed {
    /// The tests without errors.
    pub tests: Vec<Test>,
    /// Errors and warnings of each test in order of their places.
    pub diagnostics: Vec<Diagnostic>,
}

/// Reads the tests in a file.
///
/// `name` stands for the file in messages; its extension and its content choose the format. The
/// text is added to `files`, to which every span of the result refers.
pub fn parse_bytes(files: &mut Files, name: &str, bytes: &[u8]) -> Parsed {
    parse_version(files, name, bytes, None)
}

/// As [`parse_bytes`], with a version of the ISA for tests that name none.
pub fn parse_version(
    files: &mut Files,
    name: &str,
    bytes: &[u8],
    version: Option<(u32, u32)>,
) -> Parsed {
    let text = String::from_utf8_lossy(bytes);
    let file = files.add(name, text.as_ref());
    if let Err(error) = std::str::from_utf8(bytes) {
        let at = error.valid_up_to();
        return Parsed::failed(&LitmusError::NotUtf8(Span::new(file, at, at)));
    }
    let source = Source { text: &text, whole: Span::new(file, 0, text.len()), name };
    match header::first_word(&source) {
        "" => Parsed::failed(&LitmusError::Empty(source.at(0, 0))),
        "PTX" => litmus(&source, version),
        _ if name.ends_with(".test") => nvlitmus::parse(&source),
        word => {
            let (first, span) = (word.to_owned(), source.span_of(word));
            Parsed::failed(&LitmusError::NoHeader { first, span })
        }
    }
}

impl Parsed {
    fn failed(error: &LitmusError) -> Self {
        Self { tests: Vec::new(), diagnostics: vec![error.diagnostic()] }
    }

    /// Adds a test unless its diagnostics contain an error.
    fn add(&mut self, test: Option<Test>, mut diagnostics: Vec<Diagnostic>) {
        diagnostics.sort_by_key(|diagnostic| diagnostic.primary.as_ref().map(|l| l.span.start));
        // Threads that share a body share its mistakes.
        let start = |diagnostic: &Diagnostic| diagnostic.primary.as_ref().map(|l| l.span.start);
        let mut once: Vec<Diagnostic> = Vec::with_capacity(diagnostics.len());
        for diagnostic in diagnostics {
            let mut here = once.iter().rev().take_while(|other| start(other) == start(&diagnostic));
            if !here.any(|other| *other == diagnostic) {
                once.push(diagnostic);
            }
        }
        let diagnostics = once;
        if !diagnostics.iter().any(Diagnostic::is_error) {
            self.tests.extend(test);
        }
        self.diagnostics.extend(diagnostics);
    }
}

/// The text of a file with its place in the table of files.
pub(crate) struct Source<'a> {
    pub(crate) text: &'a str,
    pub(crate) whole: Span,
    pub(crate) name: &'a str,
}

impl Source<'_> {
    pub(crate) fn at(&self, start: usize, end: usize) -> Span {
        Span::new(self.whole.file, start, end)
    }

    /// The span of a piece of the text.
    pub(crate) fn span_of(&self, piece: &str) -> Span {
        let start = (piece.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        self.at(start, start + piece.len())
    }

    /// The text that a span covers.
    fn text_of(&self, span: Span) -> &str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The file's name without folders and extension.
    fn stem(&self) -> &str {
        let base = self.name.rsplit(['/', '\\']).next().unwrap_or(self.name);
        base.rsplit_once('.').map_or(base, |(stem, _)| stem)
    }
}

/// A test in columns or blocks.
fn litmus(source: &Source<'_>, version: Option<(u32, u32)>) -> Parsed {
    let mut diagnostics = Vec::new();
    let header = header::header(source, &mut diagnostics);
    let (tokens, errors) = lex(source.text, source.at(header.body, source.text.len()));
    diagnostics.extend(errors.iter().map(SyntaxError::diagnostic));
    let end = source.at(source.text.len(), source.text.len());
    let mut cursor = Cursor::new(source.text, &tokens, end);
    let dialect = dialect(&tokens);
    let mut draft = Draft::new(header, dialect, source.whole, diagnostics);
    draft.version = version;
    match dialect {
        Dialect::Columns => {
            draft.note_legacy();
            columns::parse(&mut cursor, &mut draft);
        }
        _ => blocks::parse(&mut cursor, &mut draft),
    }
    let mut parsed = Parsed::default();
    let (test, mut diagnostics) = draft.finish();
    let test = test.map(|mut test| {
        check::check(&mut test, &mut diagnostics);
        test
    });
    parsed.add(test, diagnostics);
    parsed
}

/// Blocks if the first token begins a declaration. Otherwise the first place outside braces
/// decides: columns before `|` or `;`, blocks before `{`.
fn dialect(tokens: &[Token]) -> Dialect {
    if tokens.first().is_some_and(|token| token.kind == TokenKind::Qualifier) {
        return Dialect::Blocks;
    }
    let mut depth = 0_usize;
    let mut in_place = false;
    for token in tokens {
        match token.kind {
            TokenKind::OpenBrace if depth == 0 && in_place => return Dialect::Blocks,
            TokenKind::Bar | TokenKind::Semicolon if depth == 0 && in_place => {
                return Dialect::Columns;
            }
            TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseBrace => depth = depth.saturating_sub(1),
            TokenKind::At if depth == 0 => in_place = true,
            _ => {}
        }
    }
    match tokens.first().map(|token| token.kind) {
        Some(TokenKind::OpenBrace) => Dialect::Columns,
        _ => Dialect::Blocks,
    }
}
