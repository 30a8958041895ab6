//! The parser from the text of a module into its syntax tree.
//!
//! Unreadable text becomes an error with its place. The statements and declarations around it are
//! kept.

use super::ast::{Function, FunctionKind, Module, Parameter};
use super::body;
use crate::litmus::ast::DeclaredSpace;
use crate::litmus::error::LitmusError;
use crate::litmus::parse::declaration::variables;
use crate::litmus::parse::draft::Draft;
use crate::litmus::parse::header;
use crate::ptx::constant;
use crate::ptx::cursor::Cursor;
use crate::ptx::error::SyntaxError;
use crate::ptx::instruction::{integer, without_percent};
use crate::ptx::names;
use crate::ptx::token::TokenKind;

/// Directives inside a module. Any other word between its parts ends the module.
const LINKAGE: &[&str] = &[".visible", ".extern", ".weak", ".common", ".internal"];

/// Reads declarations, kernels and functions up to the first other text.
pub(crate) fn module(cursor: &mut Cursor<'_>, draft: &mut Draft, module: &mut Module) {
    loop {
        if is_metadata(cursor) {
            draft.error(&late_metadata(cursor));
            cursor.advance();
            rest_of_line(cursor);
            continue;
        }
        if !matches!(cursor.peek(), Some(TokenKind::Qualifier | TokenKind::Semicolon)) {
            return;
        }
        if cursor.eat(TokenKind::Semicolon).is_some() {
            continue;
        }
        if let Err(error) = part(cursor, draft, module) {
            draft.syntax(&error);
            let stop = |kind| matches!(kind, TokenKind::Semicolon | TokenKind::OpenBrace);
            cursor.split_until(stop);
            if cursor.peek() == Some(TokenKind::OpenBrace) {
                braced(cursor);
            }
            cursor.eat(TokenKind::Semicolon);
        }
    }
}

/// Whether a line of metadata stands next, such as `Expect=forbidden`.
fn is_metadata(cursor: &Cursor<'_>) -> bool {
    let assigns = matches!(cursor.peek_at(1), Some(TokenKind::Assign | TokenKind::OpenBracket));
    assigns && header::KEYS.contains(&cursor.peek_text())
}

fn late_metadata(cursor: &Cursor<'_>) -> LitmusError {
    LitmusError::Other {
        code: "litmus-header-line",
        message: format!("`{}` stands behind the first directive", cursor.peek_text()),
        help: "lines of metadata stand before `.version` and all other directives".to_owned(),
        span: cursor.span(),
    }
}

/// Reads one directive, variable or function.
fn part(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    module: &mut Module,
) -> Result<(), SyntaxError> {
    while LINKAGE.contains(&cursor.peek_text()) {
        cursor.advance();
    }
    let directive = cursor.expect(TokenKind::Qualifier, "a directive such as `.entry`")?;
    let space = match cursor.text(directive.span) {
        ".version" => {
            let token = cursor.expect(TokenKind::Decimal, "a version such as `8.5`")?;
            let text = cursor.text(token.span);
            let numbers = text.split_once('.');
            module.version = numbers.and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
            return Ok(());
        }
        ".target" | ".address_size" => {
            rest_of_line(cursor);
            return Ok(());
        }
        ".file" => return file(cursor, module),
        ".loc" => {
            body::positions(cursor);
            return Ok(());
        }
        ".section" => {
            rest_of_line(cursor);
            if cursor.peek() == Some(TokenKind::OpenBrace) {
                braced(cursor);
            }
            return Ok(());
        }
        ".entry" => return function(cursor, draft, module, FunctionKind::Kernel),
        ".func" => return function(cursor, draft, module, FunctionKind::Device),
        ".global" => DeclaredSpace::Global,
        ".shared" => DeclaredSpace::Shared,
        ".const" => DeclaredSpace::Const,
        ".param" => DeclaredSpace::Param,
        ".local" => DeclaredSpace::Local,
        // Textures, prototypes, aliases of functions, hints: nothing that memory depends on.
        _ => {
            cursor.split_until(|kind| kind == TokenKind::Semicolon);
            cursor.eat(TokenKind::Semicolon);
            return Ok(());
        }
    };
    let declared = variables(cursor, draft, space, directive.span)?;
    for variable in declared {
        // A declaration may come before the definition, or again.
        let known = module.variables.iter_mut().find(|v| v.name.value == variable.name.value);
        match known {
            Some(known) if variable.initial.is_some() => *known = variable,
            Some(_) => {}
            None => module.variables.push(variable),
        }
    }
    cursor.expect(TokenKind::Semicolon, "`;`")?;
    Ok(())
}

/// `.file 1 "kernel.cu", 1666, 12`
fn file(cursor: &mut Cursor<'_>, module: &mut Module) -> Result<(), SyntaxError> {
    let number = integer(cursor)?;
    let name = cursor.expect(TokenKind::Text, "the name of a file")?;
    let name = cursor.text(name.span).trim_matches('"').to_owned();
    if let Ok(number) = u32::try_from(number.value) {
        module.files.insert(number, name);
    }
    while cursor.peek() == Some(TokenKind::Comma) {
        cursor.advance();
        cursor.advance();
    }
    Ok(())
}

/// Reads a kernel or function behind its directive (PTX-11.1).
fn function(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    module: &mut Module,
    kind: FunctionKind,
) -> Result<(), SyntaxError> {
    attributes(cursor);
    let returns = match cursor.peek() {
        Some(TokenKind::OpenParen) => parameters(cursor, draft)?,
        _ => Vec::new(),
    };
    let name = cursor.word("the name of a function")?;
    let taken = match cursor.peek() {
        Some(TokenKind::OpenParen) => parameters(cursor, draft)?,
        _ => Vec::new(),
    };
    let mut function = Function {
        name,
        kind,
        returns,
        parameters: taken,
        required_threads: None,
        most_threads: None,
        required_cluster: None,
        body: None,
    };
    bounds(cursor, &mut function);
    if cursor.peek() == Some(TokenKind::OpenBrace) {
        let open = cursor.span();
        let (inside, closed) = braced(cursor);
        if !closed {
            draft.error(&LitmusError::Unbalanced(open));
        }
        function.body = Some(body::body(inside, draft));
    } else {
        cursor.expect(TokenKind::Semicolon, "`;` or the body of a function")?;
    }
    let first = module.functions.iter().find(|known| {
        known.name.value == function.name.value && known.body.is_some() && function.body.is_some()
    });
    match first.map(|first| first.name.span) {
        Some(first) => {
            let name = function.name;
            draft.error(&LitmusError::Duplicate { what: "the function", name, first });
        }
        None => module.functions.push(function),
    }
    Ok(())
}

/// `.attribute(.unified(...))` before the name of a function.
fn attributes(cursor: &mut Cursor<'_>) {
    while cursor.peek() == Some(TokenKind::Qualifier) {
        cursor.advance();
        if cursor.peek() == Some(TokenKind::OpenParen) {
            parenthesized(cursor);
        }
    }
}

/// Reads the directives between the parameters and the body of a function: thread counts and hints.
fn bounds(cursor: &mut Cursor<'_>, function: &mut Function) {
    while let Some(TokenKind::Qualifier) = cursor.peek() {
        let directive = cursor.peek_text();
        cursor.advance();
        let mut numbers = Vec::new();
        loop {
            match cursor.peek() {
                Some(TokenKind::Number) => numbers.extend(integer(cursor).map(|n| n.value)),
                Some(TokenKind::Comma | TokenKind::Text) => _ = cursor.advance(),
                Some(TokenKind::OpenParen) => parenthesized(cursor),
                _ => break,
            }
        }
        // `.pragma "nounroll";`
        if directive == ".pragma" {
            cursor.eat(TokenKind::Semicolon);
        }
        let number = |at: usize| numbers.get(at).and_then(|&n| u32::try_from(n).ok()).unwrap_or(1);
        let each = || [number(0), number(1), number(2)];
        match directive {
            ".reqntid" => function.required_threads = Some(each()),
            ".maxntid" => {
                let product = each().iter().try_fold(1_u32, |all, &n| all.checked_mul(n));
                function.most_threads = product;
            }
            ".reqnctapercluster" => function.required_cluster = Some(each()),
            _ => {}
        }
    }
}

/// `(.param .b64 a, .reg .u32 b)`
fn parameters(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<Vec<Parameter>, SyntaxError> {
    cursor.expect(TokenKind::OpenParen, "`(`")?;
    let mut list = Vec::new();
    while cursor.peek() != Some(TokenKind::CloseParen) {
        let directive = cursor.expect(TokenKind::Qualifier, "`.param` or `.reg`")?;
        let end = |kind| matches!(kind, TokenKind::Comma | TokenKind::CloseParen);
        match cursor.text(directive.span) {
            ".reg" => {
                let ty = cursor.expect(TokenKind::Qualifier, "a type")?;
                let ty = names::ty(cursor.text(ty.span).trim_start_matches('.'));
                let ty = ty.ok_or_else(|| cursor.expected("a type such as `.b32`"))?;
                let name = without_percent(cursor.word("a register")?);
                list.push(Parameter::Register(name, ty));
            }
            _ => {
                let mut one = cursor.split_until(end);
                let declared = variables(&mut one, draft, DeclaredSpace::Param, directive.span)?;
                list.extend(declared.into_iter().map(Parameter::Memory));
            }
        }
        if cursor.eat(TokenKind::Comma).is_none() {
            break;
        }
    }
    cursor.expect(TokenKind::CloseParen, "`)`")?;
    Ok(list)
}

/// Takes a pair of braces; gives the text between the braces, and whether the closing brace is
/// present.
pub(crate) fn braced<'t>(cursor: &mut Cursor<'t>) -> (Cursor<'t>, bool) {
    cursor.advance();
    let (mut depth, mut length) = (0_usize, 0);
    while let Some(kind) = cursor.peek_at(length) {
        match kind {
            TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseBrace if depth == 0 => break,
            TokenKind::CloseBrace => depth -= 1,
            _ => {}
        }
        length += 1;
    }
    let inside = cursor.split_at(length);
    let closed = cursor.eat(TokenKind::CloseBrace).is_some();
    (inside, closed)
}

fn parenthesized(cursor: &mut Cursor<'_>) {
    let mut depth = 0_usize;
    while let Some(token) = cursor.advance() {
        match token.kind {
            TokenKind::OpenParen => depth += 1,
            TokenKind::CloseParen if depth <= 1 => return,
            TokenKind::CloseParen => depth -= 1,
            _ => {}
        }
    }
}

fn rest_of_line(cursor: &mut Cursor<'_>) {
    while !cursor.is_at_end() && !cursor.is_on_new_line() {
        cursor.advance();
    }
}

/// Reads a constant number of bytes or threads.
///
/// # Errors
/// When the text is not a number, or when the number does not fit 32 bits.
pub(crate) fn count(cursor: &mut Cursor<'_>, what: &'static str) -> Result<u32, SyntaxError> {
    let number = constant::integer(cursor)?;
    u32::try_from(number.value).map_err(|_| SyntaxError::Range { what, span: number.span })
}
