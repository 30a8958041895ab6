//! `{ x=0; P0:r0=1; y @ generic aliases x; %ntid.x=64; }`: initial values, aliases and sizes.

use super::condition;
use super::draft::{Draft, RegisterInitDraft};
use crate::litmus::ast::{
    AliasDeclaration, DeclaredSpace, Dialect, InitialValue, LaunchSize, Variable,
};
use crate::litmus::error::{LitmusError, LitmusWarning};
use crate::ptx::cursor::Cursor;
use crate::ptx::error::SyntaxError;
use crate::ptx::instruction::{float, integer, without_percent};
use crate::ptx::literal;
use crate::ptx::names;
use crate::ptx::operation::{Proxy, Type};
use crate::ptx::token::TokenKind;
use crate::source::Spanned;
use rustc_hash::FxHashMap;

/// Variables that copy another one's initial value: index of the variable, name of the source.
pub(super) type Copies = Vec<(usize, Spanned<String>)>;

/// Reads the section when one stands there.
pub(super) fn init(cursor: &mut Cursor<'_>, draft: &mut Draft) {
    let Some(open) = cursor.eat(TokenKind::OpenBrace) else { return };
    let mut copies = Copies::new();
    loop {
        while cursor.eat(TokenKind::Semicolon).is_some() {}
        if cursor.eat(TokenKind::CloseBrace).is_some() {
            break;
        }
        if cursor.is_at_end() || starts_threads(cursor) {
            draft.error(&LitmusError::Unbalanced(open.span));
            break;
        }
        if let Err(error) = item(cursor, draft, &mut copies) {
            draft.syntax(&error);
            let stop = |kind| matches!(kind, TokenKind::Semicolon | TokenKind::CloseBrace);
            cursor.split_until(stop);
        }
    }
    resolve_copies(draft, &copies);
    for target in draft.aliases.iter().map(|alias| alias.target.clone()).collect::<Vec<_>>() {
        declare_missing(draft, &target);
    }
}

/// Reads one item of the section.
pub(super) fn item(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    copies: &mut Copies,
) -> Result<(), SyntaxError> {
    if cursor.peek_at(1) == Some(TokenKind::Colon) {
        return register_init(cursor, draft);
    }
    skip_type(cursor);
    let bracketed = cursor.eat(TokenKind::OpenBracket).is_some();
    let name = cursor.word("a location, `P0:r0`, or `}`")?;
    if bracketed {
        cursor.expect(TokenKind::CloseBracket, "`]`")?;
    }
    if name.value.starts_with('%') {
        return launch_size(cursor, draft, name);
    }
    if draft.dialect != Dialect::Columns {
        draft.error(&LitmusError::Other {
            code: "litmus-init",
            message: format!("`{}` is initialized outside a declaration", name.value),
            help: format!("declare it: `.global .u32 {} = 0;`", name.value),
            span: name.span,
        });
        cursor.split_until(|kind| matches!(kind, TokenKind::Semicolon | TokenKind::CloseBrace));
        return Ok(());
    }
    match cursor.peek() {
        Some(TokenKind::At) => alias(cursor, draft, name),
        _ => variable(cursor, draft, name, copies),
    }
}

/// `P0@cta 0`: the threads begin although the section is still open.
fn starts_threads(cursor: &Cursor<'_>) -> bool {
    const PARTS: &[&str] = &["cta", "gpu", "cluster", "warp", "grid", "sys", "host", "task"];
    cursor.peek() == Some(TokenKind::Word)
        && cursor.peek_at(1) == Some(TokenKind::At)
        && PARTS.contains(&cursor.text_at(2))
}

/// Skips a C type before a name, as in `int x = 5`.
fn skip_type(cursor: &mut Cursor<'_>) {
    while cursor.peek() == Some(TokenKind::Word)
        && matches!(cursor.peek_at(1), Some(TokenKind::Word | TokenKind::Star))
    {
        cursor.advance();
        while cursor.eat(TokenKind::Star).is_some() {}
    }
}

/// `%ntid.x = 64`
fn launch_size(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    name: Spanned<String>,
) -> Result<(), SyntaxError> {
    let mut register = without_percent(name);
    if cursor.peek() == Some(TokenKind::Qualifier) {
        register.value += cursor.peek_text();
        register.span.end = cursor.span().end;
        cursor.advance();
    } else {
        // Without a component, a vector means its first.
        register.value += ".x";
    }
    cursor.expect(TokenKind::Assign, "`=`")?;
    let number = integer(cursor)?;
    let known = draft.launch.iter().find(|size| size.register.value == register.value);
    match (known.map(|size| size.register.span), u32::try_from(number.value)) {
        (Some(first), _) => {
            draft.error(&LitmusError::Duplicate { what: "the size", name: register, first });
        }
        (None, Ok(value)) if value > 0 => draft.launch.push(LaunchSize { register, value }),
        (None, _) => draft.error(&LitmusError::Other {
            code: "litmus-launch",
            message: format!("{} is no size of a grid", number.value),
            help: "a size is at least 1 and has 32 bits".to_owned(),
            span: number.span,
        }),
    }
    end_of_item(cursor)
}

/// `P0:r0 = 1`, `0:r0 = &x`
fn register_init(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), SyntaxError> {
    let thread = thread_name(cursor)?;
    let register = without_percent(condition::register(cursor)?);
    let value = match cursor.eat(TokenKind::Assign) {
        None => InitialValue::Number(0),
        Some(_) if cursor.eat(TokenKind::Ampersand).is_some() => {
            InitialValue::Address(cursor.word("a location after `&`")?)
        }
        Some(_) if cursor.peek() == Some(TokenKind::Word) => {
            InitialValue::Address(cursor.word("a location")?)
        }
        Some(_) if starts_decimal(cursor) => match float(cursor)? {
            Some(literal) => InitialValue::Float(literal.value),
            None => return Err(cursor.expected("a number")),
        },
        Some(_) => InitialValue::Number(register_number(cursor)?.value),
    };
    draft.register_inits.push(RegisterInitDraft { thread, register, value });
    end_of_item(cursor)
}

/// Whether a number with a point or an exponent follows, with or without a sign.
fn starts_decimal(cursor: &Cursor<'_>) -> bool {
    match cursor.peek() {
        Some(TokenKind::Minus | TokenKind::Plus) => cursor.peek_at(1) == Some(TokenKind::Decimal),
        first => first == Some(TokenKind::Decimal),
    }
}

/// An integer of up to 128 bits, the width of the widest registers.
pub(super) fn register_number(cursor: &mut Cursor<'_>) -> Result<Spanned<i128>, SyntaxError> {
    match literal::wide_integer(cursor.peek_text()) {
        Some(bits) if cursor.peek() == Some(TokenKind::Number) => {
            cursor.advance();
            Ok(Spanned::new(bits as i128, cursor.last_span()))
        }
        _ => integer(cursor).map_err(|error| match error {
            SyntaxError::Range { span, .. } => SyntaxError::Range { what: WIDEST, span },
            other => other,
        }),
    }
}

/// The description of a number that is out of range and no `.b128`.
const WIDEST: &str = "a number (128 bits, or 64 with a sign)";

/// `P0:` or `0:`, as the thread's name.
pub(super) fn thread_name(cursor: &mut Cursor<'_>) -> Result<Spanned<String>, SyntaxError> {
    if let Some(length) = thread_by_index(cursor) {
        let start = cursor.span();
        let mut words = Vec::new();
        for _ in 0..length {
            words.push(cursor.peek_text());
            cursor.advance();
        }
        let name = Spanned::new(words.join(" "), start.to(cursor.last_span()));
        cursor.expect(TokenKind::Colon, "`:`")?;
        return Ok(name);
    }
    let name = match cursor.eat(TokenKind::Number) {
        Some(token) => Spanned::new(format!("P{}", cursor.text(token.span)), token.span),
        None => cursor.word("a thread")?,
    };
    cursor.expect(TokenKind::Colon, "`:`")?;
    Ok(name)
}

/// How many tokens name a thread of a launch that stands next: `cta 0 thread 3`, perhaps behind the name
/// of the launch.
pub(super) fn thread_by_index(cursor: &Cursor<'_>) -> Option<usize> {
    let at = |start: usize| {
        cursor.text_at(start) == "cta"
            && cursor.peek_at(start + 1) == Some(TokenKind::Number)
            && cursor.text_at(start + 2) == "thread"
            && cursor.peek_at(start + 3) == Some(TokenKind::Number)
    };
    match cursor.peek() {
        Some(TokenKind::Word) if at(0) => Some(4),
        Some(TokenKind::Word) if at(1) => Some(5),
        _ => None,
    }
}

/// `y @ generic aliases x`
fn alias(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    name: Spanned<String>,
) -> Result<(), SyntaxError> {
    cursor.expect(TokenKind::At, "`@`")?;
    let word = cursor.word("a proxy: generic, texture, surface or constant")?;
    let proxy = names::proxy(&word.value);
    cursor.eat_word("aliases").ok_or_else(|| cursor.expected("`aliases`"))?;
    let target = cursor.word("the location that it aliases")?;
    if proxy.is_none() {
        draft.error(&LitmusError::Other {
            code: "litmus-proxy",
            message: format!("there is no proxy `{}`", word.value),
            help: "the proxies are generic, texture, surface and constant".to_owned(),
            span: word.span,
        });
    }
    let span = name.span.to(target.span);
    let proxy = proxy.unwrap_or(Proxy::Generic);
    draft.add_alias(AliasDeclaration { name, proxy, target, span });
    end_of_item(cursor)
}

/// `x`, `x = 1`, `x = y`, `x = &y`, `x[2]`, `x[2] = {1, 2}`
fn variable(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    name: Spanned<String>,
    copies: &mut Copies,
) -> Result<(), SyntaxError> {
    let mut elements = 1;
    if cursor.eat(TokenKind::OpenBracket).is_some() {
        elements = element_count(cursor)?;
        cursor.expect(TokenKind::CloseBracket, "`]`")?;
    }
    let mut initial = None;
    let mut copied = None;
    if cursor.eat(TokenKind::Assign).is_some() {
        match cursor.peek() {
            Some(TokenKind::OpenBrace) => initial = Some(value_list(cursor)?),
            Some(TokenKind::Word | TokenKind::Ampersand) => {
                cursor.eat(TokenKind::Ampersand);
                copied = Some(cursor.word("a location")?);
            }
            _ => initial = Some(vec![integer(cursor)?.value]),
        }
    }
    if let Some(values) = initial.as_ref().filter(|values| values.len() as u64 > elements) {
        draft.error(&too_many_values(&name, values.len(), elements));
    }
    let span = name.span.to(cursor.last_span());
    let before = draft.variables.len();
    draft.add_variable(Variable { elements, initial, span, ..column_variable(name) });
    if let Some(source) = copied.filter(|_| draft.variables.len() > before) {
        copies.push((before, source));
    }
    end_of_item(cursor)
}

pub(super) fn too_many_values(name: &Spanned<String>, found: usize, elements: u64) -> LitmusError {
    LitmusError::Other {
        code: "litmus-initializer",
        message: format!("`{}` has {elements} elements, but {found} initial values", name.value),
        help: "remove some values, or declare more elements".to_owned(),
        span: name.span,
    }
}

/// How many elements a variable may have.
const MOST_ELEMENTS: u64 = 1 << 20;

/// The number between the brackets of an array declaration.
pub(super) fn element_count(cursor: &mut Cursor<'_>) -> Result<u64, SyntaxError> {
    let number = crate::ptx::constant::integer(cursor)?;
    let what = "the number of elements (1 to 1048576)";
    u64::try_from(number.value)
        .ok()
        .filter(|count| (1..=MOST_ELEMENTS).contains(count))
        .ok_or(SyntaxError::Range { what, span: number.span })
}

/// `{1, 2, 3}`
pub(super) fn value_list(cursor: &mut Cursor<'_>) -> Result<Vec<i128>, SyntaxError> {
    cursor.expect(TokenKind::OpenBrace, "`{`")?;
    let mut values = Vec::new();
    while cursor.peek() != Some(TokenKind::CloseBrace) {
        values.push(integer(cursor)?.value);
        if cursor.eat(TokenKind::Comma).is_none() {
            break;
        }
    }
    cursor.expect(TokenKind::CloseBrace, "`}`")?;
    Ok(values)
}

/// An item ends before `;` or `}`.
fn end_of_item(cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
    match cursor.peek() {
        Some(TokenKind::Semicolon | TokenKind::CloseBrace) | None => Ok(()),
        Some(_) => Err(cursor.expected_end("`;`")),
    }
}

/// An untyped 64-bit global variable that starts as 0.
pub(in crate::litmus) fn column_variable(name: Spanned<String>) -> Variable {
    Variable {
        span: name.span,
        name,
        space: DeclaredSpace::Global,
        ty: Type::UNTYPED,
        elements: 1,
        align: 8,
        initial: None,
        initial_addresses: Vec::new(),
    }
}

/// Declares a location that is only used, with a warning.
fn declare_missing(draft: &mut Draft, name: &Spanned<String>) {
    if !draft.is_declared(&name.value) {
        draft.warn(&LitmusWarning::Undeclared {
            name: name.clone(),
            declaration: "in `{ ... }`".to_owned(),
        });
        draft.add_variable(column_variable(name.clone()));
    }
}

/// Gives `y` of `y = x` the initial value of `x`, through chains; a cycle is 0.
fn resolve_copies(draft: &mut Draft, copies: &Copies) {
    for (_, source) in copies {
        declare_missing(draft, source);
    }
    let index: FxHashMap<String, usize> =
        draft.variables.iter().enumerate().map(|(at, v)| (v.name.value.clone(), at)).collect();
    let target: FxHashMap<String, String> =
        draft.aliases.iter().map(|a| (a.name.value.clone(), a.target.value.clone())).collect();
    let mut pending: FxHashMap<usize, &Spanned<String>> =
        copies.iter().map(|(at, source)| (*at, source)).collect();
    for (start, _) in copies {
        let mut chain = Vec::new();
        let mut at = *start;
        while let Some(source) = pending.remove(&at) {
            chain.push(at);
            let name = target.get(&source.value).unwrap_or(&source.value);
            match index.get(name) {
                Some(&next) => at = next,
                None => break,
            }
        }
        let value = draft.variables[at].initial.clone();
        for copy in chain {
            draft.variables[copy].initial.clone_from(&value);
        }
    }
}
