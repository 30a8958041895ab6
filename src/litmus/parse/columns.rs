//! The column dialect: an init section, a row of threads, rows of cells.

use super::body::Body;
use super::draft::Draft;
use super::place::{PlaceDraft, place};
use super::{init, tail};
use crate::litmus::error::LitmusError;
use crate::ptx::cursor::Cursor;
use crate::ptx::decode::Names;
use crate::ptx::token::TokenKind;
use crate::source::Span;
use rustc_hash::FxHashSet;

/// One thread's column: its statements, and the registers of the init section.
struct Column {
    body: Body,
    registers: FxHashSet<String>,
}

/// Reads a whole body.
pub(super) fn parse(cursor: &mut Cursor<'_>, draft: &mut Draft) {
    init::init(cursor, draft);
    let header = thread_row(cursor, draft);
    let registers = draft.initialized_registers().into_iter();
    let mut columns: Vec<Column> =
        registers.map(|registers| Column { body: Body::default(), registers }).collect();
    let mut names = draft.names();
    while !cursor.is_at_end() && !tail::starts(cursor) {
        row(cursor, draft, &mut columns, &mut names, header);
    }
    for (thread, column) in draft.threads.iter_mut().zip(columns) {
        thread.statements = column.body.finish();
    }
    tail::tail(cursor, draft);
}

/// `P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;`: the columns, bound to threads by name.
fn thread_row(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Span {
    let start = cursor.span();
    if tail::starts(cursor) {
        return start;
    }
    let mut row = cursor.split_until(|kind| kind == TokenKind::Semicolon);
    if row.is_at_end() {
        return start;
    }
    loop {
        let mut cell = row.split_until(|kind| kind == TokenKind::Bar);
        match cell.word("a thread such as `P0@cta 0,gpu 0`") {
            Err(error) => draft.syntax(&error),
            Ok(name) => {
                let place = match place(&mut cell) {
                    Ok(place) if cell.is_at_end() => place,
                    Ok(place) => {
                        draft.syntax(&cell.expected("`|` or `;`"));
                        place
                    }
                    Err(error) => {
                        draft.place(&error);
                        PlaceDraft::open(name.span)
                    }
                };
                draft.add_thread(name, place);
            }
        }
        if row.eat(TokenKind::Bar).is_none() {
            break;
        }
    }
    let end = cursor.last_span();
    if cursor.eat(TokenKind::Semicolon).is_none() {
        draft.syntax(&cursor.expected_end("`;` after the row of threads"));
    }
    start.to(end)
}

/// One row of cells.
fn row(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    columns: &mut [Column],
    names: &mut Names,
    header: Span,
) {
    let start = cursor.span();
    let mut row = cursor.split_until_token(|kind, text| {
        kind == TokenKind::Semicolon || tail::is_keyword(kind, text)
    });
    let span = start.to(cursor.last_span());
    if cursor.eat(TokenKind::Semicolon).is_none() {
        draft.syntax(&cursor.expected_end("`;` at the end of the row"));
    }
    let mut cells = 0;
    loop {
        let mut cell = row.split_until(|kind| kind == TokenKind::Bar);
        if let Some(column) = columns.get_mut(cells) {
            std::mem::swap(&mut names.registers, &mut column.registers);
            let read = column.body.statement(&mut cell, names, draft);
            std::mem::swap(&mut names.registers, &mut column.registers);
            match read {
                Err(error) => draft.syntax(&error),
                Ok(()) if !cell.is_at_end() => draft.syntax(&cell.expected("`|` or `;`")),
                Ok(()) => {}
            }
        }
        cells += 1;
        if row.eat(TokenKind::Bar).is_none() {
            break;
        }
    }
    // Without threads the row of threads was in error already.
    if cells != columns.len() && !columns.is_empty() {
        draft.error(&LitmusError::Ragged { found: cells, expected: columns.len(), header, span });
    }
}
