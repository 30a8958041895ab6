//! What follows the threads: `locations`, `filter`, and the quantified condition.

use super::condition::{ConditionError, condition, term};
use super::draft::Draft;
use crate::litmus::ast::Quantifier;
use crate::litmus::error::LitmusError;
use crate::ptx::cursor::Cursor;
use crate::ptx::token::TokenKind;

/// Whether the next token starts the tail.
pub(super) fn starts(cursor: &Cursor<'_>) -> bool {
    cursor.peek().is_some_and(|kind| is_keyword(kind, cursor.peek_text()))
}

/// Whether a token starts a part of the tail.
pub(super) fn is_keyword(kind: TokenKind, text: &str) -> bool {
    const WORDS: &[&str] = &["exists", "forall", "final", "filter", "locations"];
    kind == TokenKind::Tilde || (kind == TokenKind::Word && WORDS.contains(&text))
}

/// Reads to the end of the file.
pub(super) fn tail(cursor: &mut Cursor<'_>, draft: &mut Draft) {
    while !cursor.is_at_end() {
        if let Err(error) = part(cursor, draft) {
            match error {
                ConditionError::Syntax(error) => draft.syntax(&error),
                // Where no thread could be read, those that are named may be among them.
                ConditionError::Litmus(LitmusError::UnknownThread { .. })
                    if draft.threads.is_empty() && draft.has_error() => {}
                ConditionError::Litmus(error) => draft.error(&error),
            }
            // Whatever is wrong with a part, the next one starts with its keyword.
            cursor
                .split_until_token(|kind, text| kind == TokenKind::Word && is_keyword(kind, text));
        }
    }
}

fn part(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), ConditionError> {
    let start = cursor.span();
    if cursor.eat_word("locations").is_some() {
        cursor.expect(TokenKind::OpenBracket, "`[`")?;
        let resolver = draft.resolver();
        let mut locations = Vec::new();
        while cursor.eat(TokenKind::CloseBracket).is_none() {
            locations.push(term(cursor, &resolver)?);
            if cursor.eat(TokenKind::Semicolon).is_none()
                && cursor.peek() != Some(TokenKind::CloseBracket)
            {
                return Err(cursor.expected("`;` or `]`").into());
            }
        }
        draft.locations.extend(locations);
        return Ok(());
    }
    if cursor.eat_word("filter").is_some() {
        let filter = condition(cursor, &draft.resolver())?;
        draft.filter = Some(filter);
        return Ok(());
    }
    let negated = cursor.eat(TokenKind::Tilde).is_some();
    let quantifier = match cursor.peek_text() {
        "exists" if negated => Quantifier::NotExists,
        "exists" | "final" if !negated => Quantifier::Exists,
        "forall" if !negated => Quantifier::Forall,
        _ => return Err(cursor.expected("`exists`, `~exists` or `forall`").into()),
    };
    cursor.advance();
    let condition = condition(cursor, &draft.resolver())?;
    let span = start.to(cursor.last_span());
    if !cursor.is_at_end() && !starts(cursor) {
        return Err(cursor.expected("the end of the condition").into());
    }
    if let Some((_, _, first)) = &draft.judgement {
        let first = *first;
        return Err(ConditionError::Litmus(LitmusError::TwoConditions { first, span }));
    }
    draft.judgement = Some((quantifier, condition, span));
    Ok(())
}
