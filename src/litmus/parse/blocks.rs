//! The block format: declarations as in PTX, one `{ ... }` per thread, and the condition.

use super::body::Body;
use super::draft::Draft;
use super::place::{PlaceDraft, place};
use super::scopes::Scopes;
use super::{declaration, init, tail};
use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{Task, TaskEdge};
use crate::litmus::error::LitmusError;
use crate::ptx::cursor::Cursor;
use crate::ptx::decode::Names;
use crate::ptx::error::{Place, SyntaxError};
use crate::ptx::token::TokenKind;
use crate::source::{Span, Spanned};

/// Reads a whole body.
pub(super) fn parse(cursor: &mut Cursor<'_>, draft: &mut Draft) {
    let mut bodies = Vec::new();
    while !cursor.is_at_end() && !tail::starts(cursor) {
        let start = cursor.span();
        let read = match cursor.peek() {
            Some(TokenKind::Qualifier) => declaration::directive(cursor, draft),
            Some(TokenKind::OpenBrace) if cursor.peek_at(1) == Some(TokenKind::Qualifier) => {
                wrapped(cursor, draft);
                Ok(())
            }
            Some(TokenKind::OpenBrace) => {
                init::init(cursor, draft);
                Ok(())
            }
            Some(TokenKind::Semicolon) => {
                cursor.advance();
                Ok(())
            }
            Some(TokenKind::Word) if cursor.peek_at(1) == Some(TokenKind::At) => {
                thread(cursor, draft).map(|body| bodies.push(body))
            }
            Some(TokenKind::Word) if cursor.peek_at(1) == Some(TokenKind::DotDot) => {
                threads(cursor, draft).map(|replicas| bodies.extend(replicas))
            }
            Some(TokenKind::Word) if names_before_place(cursor) > 1 => shared_block(cursor, draft),
            Some(TokenKind::Word) if matches!(cursor.peek_text(), "task" | "order" | "pdl") => {
                task(cursor, draft)
            }
            Some(TokenKind::Word) if cursor.peek_at(1) == Some(TokenKind::OpenBrace) => {
                thread_without_place(cursor, draft).map(|body| bodies.push(body))
            }
            Some(TokenKind::Word) if cursor.peek_text() == "Expect" => {
                draft.error(&LitmusError::Other {
                    code: "litmus-expect",
                    message: "`Expect` stands behind the header".to_owned(),
                    help: "write it before all declarations".to_owned(),
                    span: cursor.span(),
                });
                recover(cursor);
                Ok(())
            }
            _ => Err(cursor
                .expected(
                    "a declaration, a thread such as `P0 @ gpu 0, cta 0 { ... }`, \
                                      or the condition",
                )
                .at(Place::Condition)),
        };
        if let Err(error) = read {
            draft.syntax(&error);
            if cursor.span() == start || !starts_line(cursor) {
                recover(cursor);
            }
        }
    }
    if let Some(unread) = draft.unread.take() {
        draft.error(unread.error());
    }
    draft.note_legacy();
    let mut names = draft.names();
    let mut initialized = draft.initialized_registers();
    for (thread, body) in bodies {
        names.registers = std::mem::take(&mut initialized[thread]);
        names.with_percent.clear();
        statements(body, draft, &mut names, thread);
    }
    tail::tail(cursor, draft);
}

/// Reads declarations in braces, as in related formats, with one error.
fn wrapped(cursor: &mut Cursor<'_>, draft: &mut Draft) {
    let open = cursor.span();
    cursor.advance();
    draft.error(&LitmusError::Other {
        code: "litmus-init",
        message: "declarations stand without braces".to_owned(),
        help:
            "remove the braces: declarations stand before the first thread, and what braces hold \
               there are initial values of registers, `{ P0:%r1 = 0; }`"
                .to_owned(),
        span: open,
    });
    while cursor.eat(TokenKind::CloseBrace).is_none() {
        if cursor.is_at_end() || tail::starts(cursor) || names_before_place(cursor) > 0 {
            draft.error(&LitmusError::Unbalanced(open));
            return;
        }
        let read = match cursor.peek() {
            Some(TokenKind::Semicolon) => {
                cursor.advance();
                Ok(())
            }
            Some(TokenKind::Qualifier) => declaration::directive(cursor, draft),
            _ => init::item(cursor, draft, &mut Vec::new()),
        };
        if let Err(error) = read {
            draft.syntax(&error);
            cursor.split_until(|kind| matches!(kind, TokenKind::Semicolon | TokenKind::CloseBrace));
        }
    }
}

/// Whether a declaration or a thread starts here, on a line of its own.
fn starts_line(cursor: &Cursor<'_>) -> bool {
    let declares = cursor.peek() == Some(TokenKind::Qualifier);
    cursor.is_on_new_line() && (declares || names_before_place(cursor) > 0)
}

/// Skips to a probable start of the next item.
fn recover(cursor: &mut Cursor<'_>) {
    let before = cursor.span();
    cursor.split_until_token(|kind, text| {
        matches!(kind, TokenKind::Semicolon | TokenKind::OpenBrace | TokenKind::CloseBrace)
            || tail::is_keyword(kind, text)
    });
    match cursor.peek() {
        Some(TokenKind::OpenBrace) => {
            matching_block(cursor);
            cursor.eat(TokenKind::CloseBrace);
        }
        Some(TokenKind::Semicolon | TokenKind::CloseBrace) => {
            cursor.advance();
        }
        _ if cursor.span() == before && !tail::starts(cursor) => {
            cursor.advance();
        }
        _ => {}
    }
}

/// `P0 @ gpu 0, cta 0 { ... }`: records the thread. Gives its index with the tokens between the
/// braces, which are read when all declarations are known.
fn thread<'t>(
    cursor: &mut Cursor<'t>,
    draft: &mut Draft,
) -> Result<(usize, Cursor<'t>), SyntaxError> {
    let name = cursor.word("a thread")?;
    let place = placed(cursor, draft, name.span);
    draft.add_thread(name, place);
    let body = match cursor.peek() {
        Some(TokenKind::OpenBrace) => block(cursor, draft),
        _ => cursor.split_at(0),
    };
    Ok((draft.threads.len() - 1, body))
}

/// `P0..P31 @ cta 0, warp 0 { ... }`: a thread with the same statements for each number.
fn threads<'t>(
    cursor: &mut Cursor<'t>,
    draft: &mut Draft,
) -> Result<Vec<(usize, Cursor<'t>)>, SyntaxError> {
    let first = cursor.word("a thread")?;
    cursor.expect(TokenKind::DotDot, "`..`")?;
    let last = cursor.word("the last of the threads, such as `P31`")?;
    let span = first.span.to(last.span);
    let numbers = numbers(&first.value, &last.value);
    let (stem, range) = numbers
        .ok_or(SyntaxError::Range { what: "the threads (as in `P0..P31`, at most 1024)", span })?;
    let place = placed(cursor, draft, span);
    let body = match cursor.peek() {
        Some(TokenKind::OpenBrace) => block(cursor, draft),
        _ => cursor.split_at(0),
    };
    let replicas = range.map(|number| {
        draft.add_thread(Spanned::new(format!("{stem}{number}"), span), place.clone());
        (draft.threads.len() - 1, body.clone())
    });
    Ok(replicas.collect())
}

/// How many threads one block may stand for.
const MOST_REPLICAS: u32 = 1024;

/// The common beginning of two names, and the range of numbers at their ends.
fn numbers<'n>(first: &'n str, last: &str) -> Option<(&'n str, std::ops::RangeInclusive<u32>)> {
    let stem = first.trim_end_matches(|c: char| c.is_ascii_digit());
    let (from, to) = (first[stem.len()..].parse().ok()?, last.strip_prefix(stem)?.parse().ok()?);
    (from <= to && to - from < MOST_REPLICAS).then_some((stem, from..=to))
}

/// `P0 { ... }`, which is an error; the statements are read as those of a thread at some place.
fn thread_without_place<'t>(
    cursor: &mut Cursor<'t>,
    draft: &mut Draft,
) -> Result<(usize, Cursor<'t>), SyntaxError> {
    let name = cursor.word("a thread")?;
    draft.error(&LitmusError::NoPlace { name: name.clone() });
    draft.add_thread(name.clone(), PlaceDraft::open(name.span));
    Ok((draft.threads.len() - 1, block(cursor, draft)))
}

/// The place before the block of the threads in `names`. If the place is wrong, a missing block is
/// no further error.
fn placed(cursor: &mut Cursor<'_>, draft: &mut Draft, names: Span) -> PlaceDraft {
    let place = match place(cursor) {
        Ok(place) if cursor.peek() == Some(TokenKind::OpenBrace) => return place,
        Ok(place) => {
            draft.syntax(&cursor.expected("`,` and another part of the place, or `{`"));
            place
        }
        Err(error) => {
            draft.place(&error);
            PlaceDraft::open(names)
        }
    };
    let goes_on = |cursor: &Cursor<'_>| match cursor.peek() {
        None | Some(TokenKind::Semicolon | TokenKind::OpenBrace | TokenKind::CloseBrace) => false,
        _ => names_before_place(cursor) == 0 && !tail::starts(cursor),
    };
    while goes_on(cursor) {
        cursor.advance();
    }
    place
}

/// Takes a block and gives the tokens between its braces. A missing closing brace is an error, and
/// the block then ends before the next thread or the condition.
pub(super) fn block<'t>(cursor: &mut Cursor<'t>, draft: &mut Draft) -> Cursor<'t> {
    let open = cursor.span();
    let body = matching_block(cursor);
    if cursor.eat(TokenKind::CloseBrace).is_none() {
        draft.error(&LitmusError::Unbalanced(open));
    }
    body
}

/// The number of names between commas before an `@`; 0 if there are other tokens.
fn names_before_place(cursor: &Cursor<'_>) -> usize {
    let mut names = 0;
    while cursor.peek_at(2 * names) == Some(TokenKind::Word) {
        names += 1;
        match cursor.peek_at(2 * names - 1) {
            Some(TokenKind::Comma) => {}
            Some(TokenKind::At) => return names,
            _ => return 0,
        }
    }
    0
}

/// `P0, P1 @ cta 0 { ... }`, which is refused; the threads are recorded without statements, so that
/// uses of their names cause no further errors.
fn shared_block(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), SyntaxError> {
    let mut names = vec![cursor.word("a thread")?];
    while cursor.eat(TokenKind::Comma).is_some() {
        names.push(cursor.word("a thread")?);
    }
    let span = names[0].span.to(cursor.last_span());
    let threads = names.iter().map(|name| name.value.clone()).collect();
    draft.error(&LitmusError::SharedBlock { threads, span });
    let place = placed(cursor, draft, span);
    names.into_iter().for_each(|name| draft.add_thread(name, place.clone()));
    if cursor.peek() == Some(TokenKind::OpenBrace) {
        block(cursor, draft);
    }
    Ok(())
}

/// Takes the opening brace and the tokens up to the closing one; without a closing brace, up to the
/// next thread or the condition.
fn matching_block<'t>(cursor: &mut Cursor<'t>) -> Cursor<'t> {
    cursor.advance();
    let mut depth = 0_usize;
    let mut length = 0;
    while let Some(kind) = cursor.peek_at(length) {
        match kind {
            TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseBrace if depth == 0 => break,
            TokenKind::CloseBrace => depth -= 1,
            TokenKind::Word | TokenKind::Tilde if leaves_block(cursor, length) => break,
            _ => {}
        }
        length += 1;
    }
    cursor.split_at(length)
}

/// Whether a block cannot go on at a token: the condition or another thread starts there.
fn leaves_block(cursor: &Cursor<'_>, ahead: usize) -> bool {
    let is_place = || {
        matches!(
            cursor.text_at(ahead + 2),
            "gpu" | "grid" | "cluster" | "cta" | "warp" | "task" | "host"
        )
    };
    let negated = || cursor.peek_at(ahead) == Some(TokenKind::Tilde);
    matches!(cursor.text_at(ahead), "exists" | "forall")
        || negated() && cursor.text_at(ahead + 1) == "exists"
        || cursor.peek_at(ahead + 1) == Some(TokenKind::At) && is_place()
}

/// The statements of one thread.
fn statements(mut cursor: Cursor<'_>, draft: &mut Draft, names: &mut Names, thread: usize) {
    let mut body = Body::new(Scopes::of(&cursor));
    body.calls = cursor.has(TokenKind::Word, "call");
    while !cursor.is_at_end() {
        body.labels(&mut cursor);
        if cursor.peek_text() == ".loc" {
            source_location(&mut cursor);
            continue;
        }
        if let Some(TokenKind::OpenBrace | TokenKind::CloseBrace | TokenKind::Semicolon) =
            cursor.peek()
        {
            body.scopes.brace(&mut cursor);
            continue;
        }
        let mut statement = cursor.split_until(|kind| kind == TokenKind::Semicolon);
        let known = draft.diagnostics.len();
        let read = if statement.peek() == Some(TokenKind::Qualifier) {
            thread_directive(&mut statement, draft, names, &mut body, thread)
        } else {
            body.statement(&mut statement, names, draft)
        };
        match read {
            Err(error) => draft.syntax(&error),
            // The rest of the line may belong to an erroneous statement.
            Ok(()) if is_wrong(draft, known) && !starts_statement(&statement) => {}
            Ok(()) => rest_of_line(&mut statement, &mut body, draft, names),
        }
        let ends = cursor.eat(TokenKind::Semicolon).is_some();
        if !ends && statement.was_used() && !body.ends_with_label() {
            draft.syntax(&cursor.expected_end("`;`"));
        }
    }
    for name in &body.parameters {
        names.variables.remove(name);
    }
    draft.threads[thread].statements = body.finish();
}

/// `.loc 1 9 3, function_name label + 4, inlined_at 1 21 3`, which no `;` ends.
fn source_location(cursor: &mut Cursor<'_>) {
    cursor.advance();
    loop {
        while matches!(cursor.peek(), Some(TokenKind::Number | TokenKind::Plus)) {
            cursor.advance();
        }
        if !matches!(cursor.text_at(1), "function_name" | "inlined_at") {
            return;
        }
        cursor.advance();
        let named = cursor.advance().is_some_and(|t| cursor.text(t.span) == "function_name");
        if named {
            cursor.advance();
        }
    }
}

/// Whether one of the diagnostics after the first `known` is an error.
fn is_wrong(draft: &Draft, known: usize) -> bool {
    draft.diagnostics[known..].iter().any(Diagnostic::is_error)
}

/// Whether a statement may start here.
fn starts_statement(cursor: &Cursor<'_>) -> bool {
    matches!(cursor.peek(), Some(TokenKind::Word | TokenKind::At))
}

/// Statements that follow without the `;` between: one error, then each is read.
fn rest_of_line(cursor: &mut Cursor<'_>, body: &mut Body, draft: &mut Draft, names: &Names) {
    while !cursor.is_at_end() {
        if matches!(cursor.peek(), Some(TokenKind::OpenBrace | TokenKind::CloseBrace)) {
            body.scopes.brace(cursor);
            continue;
        }
        draft.syntax(&cursor.expected_end("`;`"));
        if !starts_statement(cursor) {
            return;
        }
        if let Err(error) = body.statement(cursor, names, draft) {
            draft.syntax(&error);
            return;
        }
    }
}

/// `.reg` declares registers, `.shared`, `.local` and `.param` variables; other directives inside a
/// thread are hints or mistakes.
fn thread_directive(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    names: &mut Names,
    body: &mut Body,
    thread: usize,
) -> Result<(), SyntaxError> {
    match cursor.peek_text() {
        ".reg" => {
            let taken = draft.threads[thread].registers.len();
            let registers: Vec<_> = declaration::registers(cursor, draft, taken)?
                .into_iter()
                .flat_map(|declared| body.declare(declared))
                .collect();
            for (name, _) in &registers {
                let is_new = names.registers.insert(name.value.clone());
                if !cursor.text(name.span).starts_with('%') {
                    names.with_percent.remove(&name.value);
                } else if is_new {
                    names.with_percent.insert(name.value.clone());
                }
            }
            draft.threads[thread].registers.extend(registers);
            Ok(())
        }
        ".shared" | ".local" => {
            names.variables.extend(declaration::of_thread(cursor, draft, thread)?);
            Ok(())
        }
        ".param" if cursor.has(TokenKind::Assign, "=") => {
            draft.error(&LitmusError::Other {
                code: "litmus-initializer",
                message: "a parameter that a thread declares has no initial value".to_owned(),
                help: "store to it with `st.param`; kernel parameters, which may have one, are \
                       declared before the threads"
                    .to_owned(),
                span: cursor.span(),
            });
            cursor.split_until(|_| false);
            Ok(())
        }
        ".param" if !body.calls => {
            let declared = declaration::of_thread(cursor, draft, thread)?;
            body.parameters.extend(declared.iter().map(|(name, _)| name.clone()));
            names.variables.extend(declared);
            Ok(())
        }
        // Arguments and results of calls are no variables of the thread.
        ".param" => {
            while let Some(token) = cursor.advance() {
                if token.kind == TokenKind::Word {
                    body.call_parameters.insert(cursor.text(token.span).to_owned());
                }
            }
            Ok(())
        }
        // Where calls and branches may lead that are not followed.
        ".pragma" | ".branchtargets" | ".calltargets" | ".callprototype" => {
            cursor.split_until(|_| false);
            Ok(())
        }
        _ => Err(cursor.expected(
            "`.reg`, `.shared`, `.local`, `.param`, a statement, or `}` (other variables are \
                                  declared before the threads)",
        )),
    }
}

/// `task K1, K2;`, `order K1 -> K2;`, `pdl K1 -> K2;`
fn task(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), SyntaxError> {
    let keyword = cursor.word("`task`, `order` or `pdl`")?.value;
    loop {
        let first = cursor.word("a task's name")?;
        if keyword == "task" {
            if let Some(other) = draft.tasks.iter().find(|task| task.name.value == first.value) {
                let first_span = other.name.span;
                let error =
                    LitmusError::Duplicate { what: "the task", name: first, first: first_span };
                draft.error(&error);
            } else {
                draft.tasks.push(Task { name: first });
            }
        } else {
            let mut from = first;
            while cursor.eat(TokenKind::Arrow).is_some() {
                let to = cursor.word("a task's name")?;
                let programmatic = keyword == "pdl";
                draft.task_edges.push(TaskEdge { from, to: to.clone(), programmatic });
                from = to;
            }
        }
        if cursor.eat(TokenKind::Comma).is_none() {
            break;
        }
    }
    cursor.expect(TokenKind::Semicolon, "`;`")?;
    Ok(())
}
