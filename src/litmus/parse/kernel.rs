//! Kernels and functions in the form of compilers, recognized and skipped as a whole. A pasted
//! module causes a single error, which tells how to use the module.

use super::blocks::block;
use super::draft::Draft;
use super::tail;
use crate::litmus::ast::DeclaredSpace;
use crate::litmus::error::LitmusError;
use crate::litmus::proposal::declaration;
use crate::ptx::cursor::Cursor;
use crate::ptx::instruction::integer;
use crate::ptx::names;
use crate::ptx::token::TokenKind;
use crate::source::Span;

/// The first kernel of a file, or else its first function, for a single error.
#[derive(Debug)]
pub(crate) enum Unread {
    Kernel(LitmusError),
    Function(LitmusError),
}

impl Unread {
    pub(crate) fn error(&self) -> &LitmusError {
        let (Self::Kernel(error) | Self::Function(error)) = self;
        error
    }
}

/// Skips a `.entry` or `.func` at `span`, and records it.
pub(super) fn unread(cursor: &mut Cursor<'_>, draft: &mut Draft, span: Span) {
    let is_kernel = cursor.text(span) == ".entry";
    let parameter = skip(cursor, draft);
    draft.unread = match draft.unread.take() {
        Some(first @ Unread::Kernel(_)) => Some(first),
        _ if is_kernel => Some(Unread::Kernel(LitmusError::Kernel { parameter, span })),
        None => Some(Unread::Function(LitmusError::Function(span))),
        first => first,
    };
}

/// Skips to the end of the body, or of a declaration without a body. Gives the declaration that
/// would replace the first parameter.
fn skip(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Option<String> {
    let (mut first, mut depth, mut named) = (None, 0_usize, false);
    while let Some(kind) = cursor.peek() {
        match kind {
            TokenKind::OpenParen => depth += 1,
            TokenKind::CloseParen => depth = depth.saturating_sub(1),
            TokenKind::Semicolon => {
                cursor.advance();
                break;
            }
            TokenKind::OpenBrace => {
                block(cursor, draft);
                break;
            }
            TokenKind::Qualifier if first.is_none() && cursor.peek_text() == ".param" => {
                cursor.advance();
                first = parameter(cursor);
                continue;
            }
            // A kernel may be called as the tail's keywords are.
            TokenKind::Word if depth == 0 && !named => named = true,
            _ if depth == 0 && tail::starts(cursor) => break,
            _ => {}
        }
        cursor.advance();
    }
    first
}

/// `.u64 .ptr .global .align 8 name`, `.align 8 .b8 name[16]`, as the declaration of a variable.
fn parameter(cursor: &mut Cursor<'_>) -> Option<String> {
    let mut ty = None;
    while matches!(cursor.peek(), Some(TokenKind::Qualifier | TokenKind::Number)) {
        let word = cursor.peek_text();
        ty = ty.or_else(|| names::ty(word.strip_prefix('.')?));
        cursor.advance();
    }
    let name = cursor.word("a parameter").ok()?;
    let mut elements = 1;
    if cursor.eat(TokenKind::OpenBracket).is_some() {
        elements = integer(cursor).ok().and_then(|count| u32::try_from(count.value).ok())?;
    }
    Some(declaration(DeclaredSpace::Param, ty?, elements, &name.value))
}
