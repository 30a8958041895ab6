//! NVIDIA's `.test` format: each template row and each assertion is a test of its own.
//!
//! A template is filled in token by token, so that every span points into the file: to the template
//! for its text, to the row for a filled-in value.

use super::body::Body;
use super::condition::{ConditionError, Resolver, comparison, condition};
use super::draft::Draft;
use super::header::Header;
use super::init::column_variable;
use super::place::LARGEST;
use super::place::PlaceDraft;
use super::{Parsed, Source};
use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{AliasDeclaration, Condition, Dialect, Metadata, Quantifier, Term, Test};
use crate::litmus::check;
use crate::litmus::error::LitmusError;
use crate::ptx::cursor::Cursor;
use crate::ptx::decode::Names;
use crate::ptx::error::{Place, SyntaxError};
use crate::ptx::instruction::integer;
use crate::ptx::operands::Mentions;
use crate::ptx::operation::{Comparison, Proxy, Register};
use crate::ptx::token::{Token, TokenKind, lex};
use crate::source::{Span, Spanned};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most tokens of a template with all its rows filled in, or of a test with all its assertions.
const MOST_TOKENS: usize = 1 << 22;

/// Reads all tests of a file.
pub(super) fn parse(source: &Source<'_>) -> Parsed {
    let mut parsed = Parsed::default();
    let lexed = |parsed: &mut Parsed, start: usize, end: usize| {
        let (tokens, errors) = lex(source.text, source.at(start, end));
        parsed.diagnostics.extend(errors.iter().map(SyntaxError::diagnostic));
        tokens
    };
    let Some((template, rows)) = source.text.split_once("$$") else {
        let tokens = lexed(&mut parsed, 0, source.text.len());
        tests(source, &tokens, "", &mut parsed);
        return parsed;
    };
    let template_tokens = lexed(&mut parsed, 0, template.len());
    dots_before_fillings(source, &mut parsed);
    let rows =
        rows.lines().filter(|line| !line.trim().is_empty() && !line.trim().starts_with("//"));
    let mut filled = Vec::new();
    let mut room = MOST_TOKENS;
    for row in rows {
        let Some(rest) = room.checked_sub(template_tokens.len()) else {
            let what = "the number of rows times the size of the template";
            let error = SyntaxError::Range { what, span: source.span_of(row) };
            parsed.diagnostics.push(error.diagnostic());
            return parsed;
        };
        room = rest;
        let cells: Vec<Vec<Token>> = row
            .split('|')
            .map(|cell| {
                let span = source.span_of(cell);
                lexed(&mut parsed, span.start as usize, span.end as usize)
            })
            .collect();
        filled.push((fill(source, &template_tokens, &cells), source.span_of(row)));
    }
    if filled.is_empty() {
        let end = source.at(source.text.len(), source.text.len());
        let what = "a row with a filling for each of `$0`, `$1`, ... of the template";
        let error = SyntaxError::Expected {
            what,
            found: "the end".to_owned(),
            place: Place::Elsewhere,
            span: end,
        };
        parsed.diagnostics.push(error.diagnostic());
    }
    for (at, (tokens, row)) in filled.into_iter().enumerate() {
        match tokens {
            Ok(tokens) => tests(source, &tokens, &format!("-{}", at + 1), &mut parsed),
            Err(token) => parsed.diagnostics.push(
                LitmusError::Other {
                    code: "nvlitmus-row",
                    message: format!("the row has no filling for `{}`", source.text_of(token.span)),
                    help: "separate the fillings by `|`, starting with that for `$0`".to_owned(),
                    span: row,
                }
                .diagnostic(),
            ),
        }
    }
    // An error in the template occurs in every row, and the extent of its place may depend on the
    // row.
    let mut shown = FxHashSet::default();
    parsed.diagnostics.retain(|found| {
        let start = found.primary.as_ref().map(|label| label.span.start);
        shown.insert((found.code, found.message.clone(), start))
    });
    parsed
}

/// Explains a dot in front of a `$0` that belongs to no word.
fn dots_before_fillings(source: &Source<'_>, parsed: &mut Parsed) {
    for error in &mut parsed.diagnostics {
        let dot = error.primary.as_ref().map(|label| label.span);
        let filling = dot.filter(|dot| source.text[dot.end as usize..].starts_with('$'));
        if let Some(dot) = filling {
            *error = LitmusError::Other {
                code: "nvlitmus-row",
                message: "a filling stands for whole words".to_owned(),
                help: "write the whole word in each row: `$0 r0, [x];` with `ld.relaxed.gpu`"
                    .to_owned(),
                span: dot,
            }
            .diagnostic();
        }
    }
}

/// Replaces `$0`, `$1`, ... by a row's cells; the error is the token without a cell.
fn fill(
    source: &Source<'_>,
    template: &[Token],
    cells: &[Vec<Token>],
) -> Result<Vec<Token>, Token> {
    let mut filled = Vec::with_capacity(template.len());
    for token in template {
        match source.text_of(token.span).strip_prefix('$') {
            Some(number) => {
                let cell = number.parse::<usize>().ok().and_then(|number| cells.get(number));
                filled.extend_from_slice(cell.ok_or(*token)?);
            }
            None => filled.push(*token),
        }
    }
    Ok(filled)
}

/// `assert`, `permit` or `check` with its condition, before the registers are resolved.
struct Assertion {
    kind: Spanned<String>,
    condition: Condition,
    /// From the kind to the end of the condition.
    span: Span,
    name: Option<Spanned<String>>,
}

/// A value that a load is written to return: `ld r0, [x] == 1`.
struct Observation {
    thread: usize,
    register: Register,
    comparison: Comparison,
    value: Spanned<i128>,
}

/// The tests of one filled-in template: one per assertion.
fn tests(source: &Source<'_>, tokens: &[Token], suffix: &str, parsed: &mut Parsed) {
    let header = Header { name: format!("{}{suffix}", source.stem()), ..Header::default() };
    let mut draft = Draft::new(header, Dialect::Nvlitmus, source.whole, Vec::new());
    let end = source.at(source.text.len(), source.text.len());
    let mut cursor = Cursor::new(source.text, tokens, end);
    let mut reader = Reader::default();
    while !cursor.is_at_end() {
        if let Err(error) = reader.item(&mut cursor, &mut draft) {
            match error {
                ConditionError::Syntax(error) => draft.syntax(&error),
                ConditionError::Litmus(error) => draft.error(&error),
            }
            let start = cursor.span();
            cursor.split_until(|kind| {
                use TokenKind::{CloseBrace, OpenBrace, Semicolon};
                matches!(kind, Semicolon | OpenBrace | CloseBrace)
            });
            // The statements of a thread with a wrong place cause no further errors.
            if cursor.advance().is_some_and(|token| token.kind == TokenKind::OpenBrace) {
                reader.body(&mut cursor, &mut draft, PlaceDraft::open(start));
            }
        }
    }
    let (test, mut diagnostics) = draft.finish_without_condition();
    let Some(test) = test else {
        parsed.add(None, diagnostics);
        return;
    };
    if diagnostics.iter().any(Diagnostic::is_error) {
        parsed.add(None, diagnostics);
        return;
    }
    if reader.assertions.is_empty() {
        diagnostics.push(
            SyntaxError::Expected {
                what: "`assert (...)`, `permit (...)` or `check (...)`",
                found: "the end".to_owned(),
                place: Place::Elsewhere,
                span: end,
            }
            .diagnostic(),
        );
    }
    let several = reader.assertions.len() > 1;
    if let Some(last) = reader
        .assertions
        .last()
        .filter(|_| reader.assertions.len().saturating_mul(tokens.len()) > MOST_TOKENS)
    {
        let what = "the number of assertions times the size of the test";
        let error = SyntaxError::Range { what, span: last.kind.span };
        diagnostics.push(error.diagnostic());
        parsed.add(None, diagnostics);
        return;
    }
    for assertion in &reader.assertions {
        let mut test = test.clone();
        if several {
            let name = assertion.name.as_ref().map_or("condition", |name| name.value.as_str());
            test.name = format!("{}:{name}", test.name);
        }
        // Warnings are said once.
        let mut found = std::mem::take(&mut diagnostics);
        judge(&mut test, assertion, &reader.observations, &mut found);
        check::check(&mut test, &mut found);
        parsed.add(Some(test), found);
    }
    if reader.assertions.is_empty() {
        parsed.add(None, diagnostics);
    }
}

/// Fills in the condition: `assert(c)` holds in every execution, `permit(c)` is reachable.
fn judge(
    test: &mut Test,
    assertion: &Assertion,
    observations: &[Observation],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut owners: FxHashMap<String, usize> = FxHashMap::default();
    let mut shared: FxHashSet<String> = FxHashSet::default();
    for (thread, code) in test.threads.iter().enumerate() {
        for statement in &code.statements {
            for register in Mentions::of(statement).writes {
                if *owners.entry(register.value.clone()).or_insert(thread) != thread {
                    shared.insert(register.value.clone());
                }
            }
        }
    }
    let (quantifier, expect) = match assertion.kind.value.as_str() {
        "assert" => (Quantifier::Forall, Some("forbidden")),
        "permit" => (Quantifier::Exists, Some("allowed")),
        _ => (Quantifier::Exists, None),
    };
    test.quantifier = quantifier;
    test.condition_span = assertion.span;
    if let Some(expect) = expect {
        let key = Spanned::new("Expect".to_owned(), assertion.kind.span);
        let value = Spanned::new(expect.to_owned(), assertion.kind.span);
        test.metadata.push(Metadata { key, value });
    }
    let mut terms = Vec::new();
    check::terms_of(&assertion.condition, &mut terms);
    for term in terms {
        if let Term::Memory { variable, span, .. } = term
            && shared.contains(variable)
        {
            let error = LitmusError::Other {
                code: "litmus-register",
                message: format!("several threads write `{variable}`"),
                help: "a condition names registers without their thread: give those of different \
                       threads different names"
                    .to_owned(),
                span: *span,
            };
            diagnostics.push(error.diagnostic());
        }
    }
    test.condition = resolved(assertion.condition.clone(), &owners);
    let filters = observations.iter().map(|seen| {
        let register = Term::Register {
            thread: seen.thread,
            register: seen.register.value.clone(),
            span: seen.register.span,
        };
        Condition::Compare(seen.comparison, register, Term::Number(seen.value))
    });
    let mut filters: Vec<_> = filters.collect();
    test.filter = match filters.len() {
        0 => None,
        1 => filters.pop(),
        _ => Some(Condition::And(filters)),
    };
}

/// Gives each register of a condition, which names no thread, to the thread that writes it.
fn resolved(condition: Condition, owners: &FxHashMap<String, usize>) -> Condition {
    let term = |term: Term| match term {
        Term::Memory { variable, index: 0, instance: None, span } => match owners.get(&variable) {
            Some(&thread) => Term::Register { thread, register: variable, span },
            None => Term::Memory { variable, index: 0, instance: None, span },
        },
        other => other,
    };
    match condition {
        Condition::Compare(comparison, left, right) => {
            Condition::Compare(comparison, term(left), term(right))
        }
        Condition::Not(inner) => Condition::Not(Box::new(resolved(*inner, owners))),
        Condition::And(list) => {
            Condition::And(list.into_iter().map(|c| resolved(c, owners)).collect())
        }
        Condition::Or(list) => {
            Condition::Or(list.into_iter().map(|c| resolved(c, owners)).collect())
        }
        Condition::Implies(left, right) => Condition::Implies(
            Box::new(resolved(*left, owners)),
            Box::new(resolved(*right, owners)),
        ),
        constant => constant,
    }
}

/// The parts of a filled-in template that have been read.
#[derive(Default)]
struct Reader {
    assertions: Vec<Assertion>,
    observations: Vec<Observation>,
    names: Option<Names>,
}

impl Reader {
    fn item(&mut self, cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), ConditionError> {
        match cursor.peek() {
            Some(TokenKind::Semicolon) => {
                cursor.advance();
                Ok(())
            }
            Some(TokenKind::Qualifier) => Ok(declaration(cursor, draft)?),
            Some(TokenKind::Word) if cursor.peek_at(1) == Some(TokenKind::Qualifier) => {
                Ok(self.thread(cursor, draft)?)
            }
            Some(TokenKind::Word)
                if matches!(cursor.peek_text(), "assert" | "permit" | "check") =>
            {
                self.assertion(cursor)
            }
            _ => Err(cursor
                .expected("a declaration, a thread such as `d0.b0.t0 { ... }`, or an assertion")
                .into()),
        }
    }

    /// `d0.b0.t0 { ... }`: device, block and thread.
    fn thread(&mut self, cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), SyntaxError> {
        let start = cursor.span();
        let mut numbers = Vec::new();
        while let Some(TokenKind::Word | TokenKind::Qualifier) = cursor.peek() {
            let digits = cursor.peek_text().trim_start_matches('.').get(1..).unwrap_or("");
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err(cursor.expected("a part such as `d0`"));
            }
            let number = digits.parse().unwrap_or(u32::MAX);
            if number > LARGEST {
                let what = "the number in a place, from 0 to 2147483646,";
                return Err(SyntaxError::Range { what, span: cursor.span() });
            }
            numbers.push(number);
            cursor.advance();
        }
        let span = start.to(cursor.last_span());
        let [gpu, cta, _] = numbers[..] else {
            return Err(SyntaxError::Expected {
                what: "device, block and thread: `d0.b0.t0`",
                found: format!("`{}`", cursor.text(span)),
                place: Place::Elsewhere,
                span,
            });
        };
        cursor.expect(TokenKind::OpenBrace, "`{`")?;
        self.body(cursor, draft, PlaceDraft::device(gpu, cta, span));
        Ok(())
    }

    /// The statements of a thread, behind the opening brace.
    fn body(&mut self, cursor: &mut Cursor<'_>, draft: &mut Draft, place: PlaceDraft) {
        let thread = draft.threads.len();
        let span = place.span();
        draft.add_thread(Spanned::new(format!("P{thread}"), span), place);
        let mut body = Body::default();
        let names = self.names.get_or_insert_with(|| draft.names());
        while cursor.eat(TokenKind::CloseBrace).is_none() {
            if cursor.is_at_end() {
                draft.error(&LitmusError::Unbalanced(span));
                break;
            }
            let stop = |kind| matches!(kind, TokenKind::Semicolon | TokenKind::CloseBrace);
            let mut statement = cursor.split_until(stop);
            match body.statement(&mut statement, names, draft) {
                Err(error) => draft.syntax(&error),
                Ok(()) if statement.is_at_end() => {}
                Ok(()) => match observation(&mut statement, &body, thread) {
                    Ok(seen) => self.observations.push(seen),
                    Err(error) => draft.syntax(&error),
                },
            }
            cursor.eat(TokenKind::Semicolon);
        }
        draft.threads[thread].statements = body.finish();
    }

    /// `assert (c) as name;`
    fn assertion(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ConditionError> {
        let kind = cursor.word("`assert`, `permit` or `check`")?;
        let threads = FxHashMap::default();
        let spaces = FxHashMap::default();
        let mut names = Resolver {
            threads: &threads,
            spaces,
            dialect: Dialect::Nvlitmus,
            bodies: &[],
            faults: Vec::new(),
        };
        let condition = condition(cursor, &mut names)?;
        if let Some(fault) = names.faults.pop() {
            return Err(ConditionError::Litmus(fault));
        }
        let span = kind.span.to(cursor.last_span());
        let name = match cursor.eat_word("as") {
            Some(_) => Some(cursor.word("a name")?),
            None => None,
        };
        cursor.expect(TokenKind::Semicolon, "`;`")?;
        self.assertions.push(Assertion { kind, condition, span, name });
        Ok(())
    }
}

/// `.global x;`, `.texref t virtually aliases x;`
fn declaration(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), SyntaxError> {
    let proxy = match cursor.peek_text() {
        ".global" => Proxy::Generic,
        ".texref" => Proxy::Texture,
        ".surfref" => Proxy::Surface,
        ".constref" | ".const" => Proxy::Constant,
        _ => return Err(cursor.expected("`.global`, `.texref`, `.surfref` or `.constref`")),
    };
    cursor.advance();
    let name = cursor.word("a name")?;
    if cursor.eat_word("virtually").or_else(|| cursor.eat_word("physically")).is_some()
        || cursor.peek_text() == "aliases"
    {
        cursor.eat_word("aliases").ok_or_else(|| cursor.expected("`aliases`"))?;
        let target = cursor.word("the variable that it aliases")?;
        let span = name.span.to(target.span);
        draft.add_alias(AliasDeclaration { name, proxy, target, span });
    } else {
        draft.add_variable(column_variable(name));
    }
    cursor.expect(TokenKind::Semicolon, "`;`")?;
    Ok(())
}

/// `== 1` after a load: executions in which it returns another value do not count.
fn observation(
    cursor: &mut Cursor<'_>,
    body: &Body,
    thread: usize,
) -> Result<Observation, SyntaxError> {
    let comparison = comparison(cursor.peek()).ok_or_else(|| cursor.expected("`;`"))?;
    let register = body.last_written().ok_or_else(|| cursor.expected("`;`"))?;
    cursor.advance();
    let value = integer(cursor)?;
    if cursor.is_at_end() {
        Ok(Observation { thread, register, comparison, value })
    } else {
        Err(cursor.expected("`;`"))
    }
}
