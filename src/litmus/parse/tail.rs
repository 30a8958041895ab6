//! The tail after the threads: `locations`, `filter`, and the quantified condition.

use super::condition::{ConditionError, Resolver, condition, term};
use super::draft::Draft;
use crate::litmus::ast::{Quantifier, Term};
use crate::litmus::error::LitmusError;
use crate::ptx::cursor::Cursor;
use crate::ptx::error::{Place, SyntaxError};
use crate::ptx::token::TokenKind;

/// Words that begin conditions in other languages. Before a parenthesis they are no instruction, so
/// that errors are reported about the condition.
const ELSEWHERE: &[&str] = &["never", "forbidden", "assert", "always", "allowed", "sometimes"];

/// Whether the next token starts the tail.
pub(crate) fn starts(cursor: &Cursor<'_>) -> bool {
    let keyword = cursor.peek().is_some_and(|kind| is_keyword(kind, cursor.peek_text()));
    keyword
        || ELSEWHERE.contains(&cursor.peek_text())
            && cursor.peek_at(1) == Some(TokenKind::OpenParen)
}

/// Whether a token starts a part of the tail.
pub(crate) fn is_keyword(kind: TokenKind, text: &str) -> bool {
    const WORDS: &[&str] = &["exists", "forall", "final", "filter", "locations"];
    kind == TokenKind::Tilde || (kind == TokenKind::Word && WORDS.contains(&text))
}

/// Reads to the end of the file.
pub(crate) fn tail(cursor: &mut Cursor<'_>, draft: &mut Draft) {
    while !cursor.is_at_end() {
        if let Err(error) = part(cursor, draft) {
            match error {
                ConditionError::Syntax(error) => draft.syntax(&error),
                ConditionError::Litmus(error) => draft.error(&error),
            }
            // After an error in a part, the next part starts with its keyword.
            cursor
                .split_until_token(|kind, text| kind == TokenKind::Word && is_keyword(kind, text));
        }
    }
}

fn part(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), ConditionError> {
    let start = cursor.span();
    if cursor.eat_word("locations").is_some() {
        cursor.expect(TokenKind::OpenBracket, "`[`")?;
        let locations = resolved(draft, |names| locations(cursor, names))?;
        draft.locations.extend(locations);
        return Ok(());
    }
    if cursor.eat_word("filter").is_some() {
        draft.filter = Some(resolved(draft, |names| condition(cursor, names))?);
        return Ok(());
    }
    let negated = cursor.eat(TokenKind::Tilde).is_some();
    let quantifier = match cursor.peek_text() {
        "exists" if negated => Quantifier::NotExists,
        "exists" | "final" if !negated => Quantifier::Exists,
        "forall" if !negated => Quantifier::Forall,
        _ => {
            return Err(cursor
                .expected("`exists`, `~exists` or `forall`")
                .at(Place::Condition)
                .into());
        }
    };
    cursor.advance();
    unique(cursor)?;
    let condition = resolved(draft, |names| condition(cursor, names))?;
    let span = start.to(cursor.last_span());
    if !cursor.is_at_end() && !starts(cursor) {
        return Err(cursor.expected("the end of the condition").at(Place::Condition).into());
    }
    if let Some((_, _, first)) = &draft.judgement {
        let first = *first;
        return Err(ConditionError::Litmus(LitmusError::TwoConditions { first, span }));
    }
    draft.judgement = Some((quantifier, condition, span));
    Ok(())
}

/// Reads a part that names threads and variables, and reports names without a meaning.
fn resolved<T>(
    draft: &mut Draft,
    read: impl FnOnce(&mut Resolver<'_>) -> Result<T, SyntaxError>,
) -> Result<T, SyntaxError> {
    let mut names = draft.resolver();
    let read = read(&mut names);
    for fault in names.faults {
        // If no thread could be read, unknown threads may be among them.
        let unread = draft.threads.is_empty() && draft.has_error();
        if !(unread && matches!(fault, LitmusError::UnknownThread { .. })) {
            draft.error(&fault);
        }
    }
    read
}

/// The terms between the brackets of `locations [x; P0:r1;]`, with the closing bracket.
fn locations(cursor: &mut Cursor<'_>, names: &mut Resolver<'_>) -> Result<Vec<Term>, SyntaxError> {
    let mut locations = Vec::new();
    while cursor.eat(TokenKind::CloseBracket).is_none() {
        locations.push(term(cursor, names)?);
        if cursor.eat(TokenKind::Semicolon).is_none()
            && cursor.peek() != Some(TokenKind::CloseBracket)
        {
            return Err(cursor.expected("`;` or `]`"));
        }
    }
    Ok(locations)
}

/// Rejects `exists!`, which in other languages says that there is exactly one; with a space the `!`
/// is a negation.
fn unique(cursor: &Cursor<'_>) -> Result<(), ConditionError> {
    let (word, bang) = (cursor.last_span(), cursor.span());
    if cursor.peek() != Some(TokenKind::Bang) || word.end != bang.start {
        return Ok(());
    }
    Err(ConditionError::Litmus(LitmusError::Other {
        code: "litmus-quantifier",
        message: format!("no condition starts with `{}!`", cursor.text(word)),
        help:
            "write `exists (...)` for what some execution may have, `~exists (...)` for what none \
               may have, and a space before a `!` that negates"
                .to_owned(),
        span: word.to(bang),
    }))
}
