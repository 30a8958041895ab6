//! Declarations of the block format, in the syntax of PTX, and of registers.

use super::draft::{Draft, SharedSizes};
use super::init::{element_count, too_many_values};
use super::kernel;
use super::tensormap;
use crate::diagnostic::closest;
use crate::litmus::ast::{AddressBits, AliasDeclaration, DeclaredSpace, InitialAddress, Variable};
use crate::litmus::error::LitmusError;
use crate::litmus::tensor_memory::COLUMN;
use crate::ptx::constant;
use crate::ptx::cursor::Cursor;
use crate::ptx::error::SyntaxError;
use crate::ptx::instruction::{integer, without_percent};
use crate::ptx::names;
use crate::ptx::operation::{Proxy, Register, Type, TypeKind};
use crate::ptx::token::TokenKind;
use crate::source::{Span, Spanned};

/// Directives of a module that mean nothing to a litmus test.
const IGNORED: &[&str] = &[".target", ".address_size", ".file", ".loc", ".pragma", ".section"];
const KNOWN: &[&str] = &[
    ".global",
    ".shared",
    ".const",
    ".local",
    ".param",
    ".multimem",
    ".alias",
    ".tensormap",
    ".tmem",
    ".version",
    ".target",
    ".address_size",
];
/// Qualifiers of a declaration that do not matter here.
const LINKAGE: &[&str] = &[".visible", ".extern", ".weak", ".common"];
/// How many columns Tensor Memory has (PTX-9.7.16.1).
const COLUMNS: u64 = 512;
/// How many registers a thread may declare.
const MOST_REGISTERS: usize = 1 << 16;

/// Reads one directive with its `;`.
pub(crate) fn directive(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), SyntaxError> {
    while LINKAGE.contains(&cursor.peek_text()) {
        cursor.advance();
    }
    let directive = cursor.expect(TokenKind::Qualifier, "a declaration such as `.global`")?;
    let space = match cursor.text(directive.span) {
        ".version" => return version(cursor, draft),
        ".alias" => return alias(cursor, draft, directive.span),
        ".tensormap" => {
            let (map, variable) = tensormap::declaration(cursor, directive.span)?;
            draft.add_variable(variable);
            draft.tensor_maps.push(map);
            return Ok(());
        }
        ".tmem" => return tensor_memory(cursor, draft, directive.span),
        ".entry" | ".func" => {
            kernel::unread(cursor, draft, directive.span);
            return Ok(());
        }
        word if IGNORED.contains(&word) => {
            skip_module_directive(cursor);
            return Ok(());
        }
        ".global" => DeclaredSpace::Global,
        ".shared" => DeclaredSpace::Shared,
        ".const" => DeclaredSpace::Const,
        ".local" => DeclaredSpace::Local,
        ".param" => DeclaredSpace::Param,
        ".multimem" => DeclaredSpace::Multimem,
        word => {
            let near = closest(word, KNOWN.iter().copied()).map(str::to_owned);
            let name = Spanned::new(word.to_owned(), directive.span);
            draft.error(&LitmusError::Directive { name, near });
            cursor.split_until(|kind| matches!(kind, TokenKind::Semicolon | TokenKind::At));
            cursor.eat(TokenKind::Semicolon);
            return Ok(());
        }
    };
    for variable in variables(cursor, draft, space, directive.span)? {
        draft.add_variable(variable);
    }
    cursor.expect(TokenKind::Semicolon, "`;`")?;
    Ok(())
}

/// `.tmem .b32 d[4];`: columns of Tensor Memory, of 32 bits in each lane, with unknown contents.
fn tensor_memory(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    start: Span,
) -> Result<(), SyntaxError> {
    for mut variable in variables(cursor, draft, DeclaredSpace::Shared, start)? {
        if variable.ty != Type::B32 || variable.initial.is_some() {
            let what = "a declaration of Tensor Memory (`.b32`, without initial values)";
            return Err(SyntaxError::Range { what, span: variable.span });
        }
        if variable.elements > COLUMNS {
            let what = "the number of columns (1 to 512)";
            return Err(SyntaxError::Range { what, span: variable.span });
        }
        variable.elements *= u64::from(COLUMN / variable.ty.bytes());
        variable.align = u64::from(COLUMN);
        draft.tensor_memory.push(variable.name.value.clone());
        draft.add_variable(variable);
    }
    cursor.expect(TokenKind::Semicolon, "`;`")?;
    Ok(())
}

/// A variable of `.shared`, `.local` or `.param` that a thread declares (PTX-5.1.5, PTX-5.1.7), as
/// compilers do in kernels. Gives the names with their types. A `.param` variable is the thread's
/// own, like `.local` ones (PTX-5.1.6).
pub(crate) fn of_thread(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    thread: usize,
) -> Result<Vec<(String, Type)>, SyntaxError> {
    let directive = cursor.expect(TokenKind::Qualifier, "`.shared`, `.local` or `.param`")?;
    let space = match cursor.text(directive.span) {
        ".shared" => DeclaredSpace::Shared,
        _ => DeclaredSpace::Local,
    };
    let variables = variables(cursor, draft, space, directive.span)?;
    let names = variables.iter().map(|v| (v.name.value.clone(), v.ty)).collect();
    variables.into_iter().for_each(|variable| draft.add_variable_of_thread(variable, thread));
    Ok(names)
}

/// `.version 8.5`
fn version(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), SyntaxError> {
    let token = cursor.expect(TokenKind::Decimal, "a version such as `8.5`")?;
    let text = cursor.text(token.span);
    let parts = text.split_once('.').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    draft.version_at = Some(token.span);
    draft.version = Some(
        parts.ok_or_else(|| SyntaxError::Literal { found: text.to_owned(), span: token.span })?,
    );
    cursor.eat(TokenKind::Semicolon);
    Ok(())
}

/// Skips a module directive, which ends with its line: up to the next directive or thread.
fn skip_module_directive(cursor: &mut Cursor<'_>) {
    while let Some(kind) = cursor.peek() {
        let starts = matches!(kind, TokenKind::Qualifier | TokenKind::OpenBrace)
            || cursor.peek_at(1) == Some(TokenKind::At);
        if starts || cursor.eat(TokenKind::Semicolon).is_some() {
            break;
        }
        cursor.advance();
    }
}

/// `.alias y = x;`. Another proxy than the generic one is an error: no statement of a block uses it.
fn alias(cursor: &mut Cursor<'_>, draft: &mut Draft, start: Span) -> Result<(), SyntaxError> {
    let proxy = match cursor.peek() {
        Some(TokenKind::Qualifier) => {
            let proxy =
                names::proxy(cursor.peek_text().trim_start_matches('.')).ok_or_else(|| {
                    cursor.expected("`.generic`, `.texture`, `.surface` or `.constant`")
                })?;
            cursor.advance();
            proxy
        }
        _ => Proxy::Generic,
    };
    if proxy != Proxy::Generic {
        draft.error(&LitmusError::AliasProxy { proxy, span: start.to(cursor.last_span()) });
    }
    let name = cursor.word("the new name")?;
    cursor.expect(TokenKind::Assign, "`=`")?;
    cursor.eat(TokenKind::Ampersand);
    let target = cursor.word("the variable that it aliases")?;
    cursor.expect(TokenKind::Semicolon, "`;`")?;
    let span = start.to(target.span);
    draft.add_alias(AliasDeclaration { name, proxy, target, span });
    Ok(())
}

/// `.ptr .global .align 16`: the memory behind a kernel parameter, which the test's variables make
/// explicit (PTX-5.1.6.3).
fn pointed_at(cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
    cursor.advance();
    if matches!(cursor.peek_text(), ".const" | ".global" | ".local" | ".shared") {
        cursor.advance();
    }
    if cursor.peek_text() == ".align" {
        cursor.advance();
        alignment(cursor)?;
    }
    Ok(())
}

/// The most elements of a variable.
const MOST_ELEMENTS: u64 = 1 << 20;

/// The most dimensions of an array.
const MOST_DIMENSIONS: usize = 16;

/// `.align 8 .b64 a[2] = {1, 2}, b`
pub(crate) fn variables(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    space: DeclaredSpace,
    start: Span,
) -> Result<Vec<Variable>, SyntaxError> {
    let mut out = Vec::new();
    let mut align = None;
    let mut ty = None;
    let mut vector = 1_u64;
    while cursor.peek() == Some(TokenKind::Qualifier) {
        let word = cursor.peek_text();
        match (word, names::ty(&word[1..])) {
            (".align", _) => {
                cursor.advance();
                align = Some(alignment(cursor)?);
                continue;
            }
            (".v2", _) => vector = 2,
            (".v4", _) => vector = 4,
            (".ptr", _) => {
                pointed_at(cursor)?;
                continue;
            }
            (".attribute", _) => {}
            (_, Some(found)) if found.kind != TypeKind::Predicate => ty = Some(found),
            _ => return Err(cursor.expected("`.align N` or a type such as `.u32`")),
        }
        cursor.advance();
    }
    let ty = ty.ok_or_else(|| cursor.expected("a type such as `.u32`"))?;
    loop {
        let name = cursor.word("the variable's name")?;
        let mut sizes = Vec::new();
        while cursor.eat(TokenKind::OpenBracket).is_some() {
            let open = sizes.is_empty() && cursor.eat(TokenKind::CloseBracket).is_some();
            sizes.push(if open { None } else { Some(element_count(cursor)?) });
            if !open {
                cursor.expect(TokenKind::CloseBracket, "`]`")?;
            }
        }
        sizes.extend((vector > 1).then_some(Some(vector)));
        let open = sizes.first() == Some(&None);
        let sizes: Vec<u64> = sizes.into_iter().map(|size| size.unwrap_or(1)).collect();
        let elements = sizes.iter().fold(1_u64, |all, &size| all.saturating_mul(size));
        if sizes.len() > MOST_DIMENSIONS {
            let what = "the number of dimensions (1 to 16)";
            return Err(SyntaxError::Range { what, span: name.span });
        }
        if elements > MOST_ELEMENTS {
            let what = "the number of elements (1 to 1048576)";
            return Err(SyntaxError::Range { what, span: name.span });
        }
        let natural = u64::from(ty.bytes()) * vector;
        let mut variable = Variable {
            name: name.clone(),
            space,
            ty,
            elements,
            align: align.unwrap_or(natural),
            initial: None,
            initial_addresses: Vec::new(),
            span: start,
        };
        if cursor.eat(TokenKind::Assign).is_some() {
            let at_end = |cursor: &Cursor<'_>| {
                matches!(cursor.peek(), Some(TokenKind::Comma | TokenKind::Semicolon))
            };
            match initializer(cursor, &mut variable, &sizes, open) {
                // The variable is added nevertheless, so that one mistake is reported once.
                Err(wrong @ SyntaxError::Initializer { .. }) if at_end(cursor) => {
                    draft.syntax(&wrong);
                }
                other => other?,
            }
        } else if open && draft.sizes == SharedSizes::OfLaunch {
            variable.elements = 0;
        } else if open && space == DeclaredSpace::Shared {
            draft.error(&LitmusError::UnsizedShared { name: name.clone() });
            // This is enough for most accesses, so that one mistake is reported once.
            variable.elements = 1 << 12;
        } else if open {
            return Err(cursor.expected("the number of elements, or an initializer"));
        }
        let elements = variable.elements;
        if let Some(values) = variable.initial.as_ref().filter(|v| v.len() as u64 > elements) {
            draft.error(&too_many_values(&name, values.len(), elements));
        }
        variable.span = start.to(cursor.last_span());
        check_initializer(draft, &variable);
        out.push(variable);
        if cursor.eat(TokenKind::Comma).is_none() {
            return Ok(out);
        }
    }
}

/// `1`, `x+4`, or `{...}`, in which the lists of rows may stand in braces of their own (PTX-5.4.4), given the
/// sizes of the dimensions. An `open` array has as many rows as there are values for.
pub(crate) fn initializer(
    cursor: &mut Cursor<'_>,
    variable: &mut Variable,
    sizes: &[u64],
    open: bool,
) -> Result<(), SyntaxError> {
    let row = sizes.get(1..).unwrap_or_default();
    let mut values = Vec::new();
    if cursor.eat(TokenKind::OpenBrace).is_some() {
        initial_values(cursor, variable, row, &mut values)?;
    } else {
        values.push(initial_value(cursor, variable, 0)?);
    }
    if open {
        let row: u64 = row.iter().product();
        variable.elements = (values.len() as u64).max(1).next_multiple_of(row);
    }
    variable.initial = Some(values);
    Ok(())
}

/// The rest of a list behind its brace. Each element is a number, or a list that makes up a row of these
/// sizes; what a row lacks is zero.
fn initial_values(
    cursor: &mut Cursor<'_>,
    variable: &mut Variable,
    row: &[u64],
    values: &mut Vec<i128>,
) -> Result<(), SyntaxError> {
    while cursor.peek() != Some(TokenKind::CloseBrace) {
        match row.split_first() {
            Some((_, inner)) if cursor.eat(TokenKind::OpenBrace).is_some() => {
                let (start, span) = (values.len(), cursor.last_span());
                initial_values(cursor, variable, inner, values)?;
                let end = start as u64 + row.iter().product::<u64>();
                let fits = end <= MOST_ELEMENTS && values.len() as u64 <= end;
                let end = usize::try_from(end).ok().filter(|_| fits);
                let Some(end) = end else {
                    let what = "the number of values in a row";
                    return Err(SyntaxError::Range { what, span: span.to(cursor.last_span()) });
                };
                values.resize(end, 0);
            }
            _ => values.push(initial_value(cursor, variable, values.len())?),
        }
        if cursor.eat(TokenKind::Comma).is_none() {
            break;
        }
    }
    cursor.expect(TokenKind::CloseBrace, "`}`")?;
    Ok(())
}

/// The initial value of an element (PTX-5.4.4): a number, an address, or one byte of an address,
/// which a mask before it selects.
fn initial_value(
    cursor: &mut Cursor<'_>,
    variable: &mut Variable,
    element: usize,
) -> Result<i128, SyntaxError> {
    let masked = cursor.peek_at(1) == Some(TokenKind::OpenParen);
    if cursor.peek() != Some(TokenKind::Number) || !masked {
        return initial_operand(cursor, variable, element, AddressBits::All);
    }
    let mask = constant::integer(cursor)?;
    let what = "a mask (0xff, 0xff00, ... : one byte)";
    let bits = u64::try_from(mask.value).ok().and_then(AddressBits::from_mask);
    let bits = bits.ok_or(SyntaxError::Range { what, span: mask.span })?;
    cursor.expect(TokenKind::OpenParen, "`(`")?;
    let number = initial_operand(cursor, variable, element, bits)?;
    cursor.expect(TokenKind::CloseParen, "`)`")?;
    Ok(i128::from(bits.of(number as u64)))
}

/// `5`, `x`, `&x`, `x+4`, `generic(x)+4`
fn initial_operand(
    cursor: &mut Cursor<'_>,
    variable: &mut Variable,
    element: usize,
    bits: AddressBits,
) -> Result<i128, SyntaxError> {
    if !matches!(cursor.peek(), Some(TokenKind::Word | TokenKind::Ampersand)) {
        return initial_number(cursor, variable.ty);
    }
    let generic =
        cursor.peek_text() == "generic" && cursor.peek_at(1) == Some(TokenKind::OpenParen);
    if generic {
        cursor.advance();
        cursor.advance();
    }
    cursor.eat(TokenKind::Ampersand);
    let name = cursor.word("a variable")?;
    if generic {
        cursor.expect(TokenKind::CloseParen, "`)`")?;
    }
    let mut offset = 0;
    if matches!(cursor.peek(), Some(TokenKind::Plus | TokenKind::Minus)) {
        let negative = cursor.peek() == Some(TokenKind::Minus);
        if !negative {
            cursor.advance();
        }
        let number = constant::of_integer(constant::product(cursor)?)?;
        let what = "an offset (64 bits)";
        offset = i64::try_from(number.value)
            .map_err(|_| SyntaxError::Range { what, span: number.span })?;
    }
    variable.initial_addresses.push(InitialAddress { element, name, offset, generic, bits });
    Ok(0)
}

/// `5`, or `1.5` where the type holds floating-point numbers, whose bits a `.b` type has too.
fn initial_number(cursor: &mut Cursor<'_>, ty: Type) -> Result<i128, SyntaxError> {
    let constant = constant::expression(cursor)?;
    let Some(literal) = constant.value.float() else {
        let number = constant::of_integer(constant)?;
        if ty.kind != TypeKind::Float || ty.bits < 32 {
            return Ok(number.value);
        }
        let (what, help) = ("an integer", "write a floating-point number: `1.0`");
        return Err(SyntaxError::Initializer { what, ty, help, span: number.span });
    };
    let bits = match (ty.kind, ty.bits) {
        (TypeKind::Bits, 32) => literal.bits(Type::new(TypeKind::Float, 32)),
        (TypeKind::Bits, 64) => Some(literal.raw().0),
        _ => literal.bits(ty),
    };
    bits.ok_or(SyntaxError::Initializer {
        what: "a floating-point number",
        ty,
        help: "variables of `.f32`, `.f64`, `.b32` and `.b64` start with such numbers",
        span: constant.span,
    })
}

/// Values have to fit the type; one value needs no braces in a scalar only.
fn check_initializer(draft: &mut Draft, variable: &Variable) {
    let bits = variable.ty.bits.min(64);
    let legal = -(1_i128 << (bits - 1))..(1_i128 << bits);
    let too_large = variable.initial.iter().flatten().any(|value| !legal.contains(value));
    if too_large {
        draft.error(&LitmusError::Other {
            code: "litmus-initializer",
            message: format!("the initial value of `{}` is out of range", variable.name.value),
            help: format!("a `.{}` has {bits} bits", variable.ty),
            span: variable.name.span,
        });
    }
}

/// A power of two up to 1024.
fn alignment(cursor: &mut Cursor<'_>) -> Result<u64, SyntaxError> {
    let number = constant::integer(cursor)?;
    let what = "an alignment (a power of two up to 1024)";
    u64::try_from(number.value)
        .ok()
        .filter(|align| align.is_power_of_two() && *align <= 1024)
        .ok_or(SyntaxError::Range { what, span: number.span })
}

/// Registers that are declared together.
#[derive(Debug)]
pub(crate) struct Declared {
    pub(crate) name: Register,
    pub(crate) ty: Type,
    /// The length of a vector, 2 or 4, or 1.
    pub(crate) elements: usize,
}

/// `.reg .b32 %r<4>, p;` or `.reg .v4 .f32 V;` inside a thread that has declared `taken` registers
/// before.
pub(crate) fn registers(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    taken: usize,
) -> Result<Vec<Declared>, SyntaxError> {
    cursor.expect(TokenKind::Qualifier, "`.reg`")?;
    let vector = vector(cursor);
    let ty = names::ty(cursor.peek_text().trim_start_matches('.'))
        .filter(|_| cursor.peek() == Some(TokenKind::Qualifier))
        .ok_or_else(|| cursor.expected("a type such as `.b32`"))?;
    cursor.advance();
    if let Some(error) = vector.as_ref().and_then(|vector| no_vector(cursor, vector, ty)) {
        draft.error(&error);
    }
    let elements = vector.map_or(1, |length| if length.value == 2 { 2 } else { 4 });
    let mut registers = Vec::new();
    loop {
        let name = without_percent(cursor.word("a register")?);
        if cursor.eat(TokenKind::Less).is_some() {
            let count = integer(cursor)?;
            cursor.expect(TokenKind::Greater, "`>`")?;
            let most = MOST_REGISTERS.saturating_sub(taken + registers.len() * elements) / elements;
            if count.value < 1 || usize::try_from(count.value).map_or(true, |n| n > most) {
                let what = "the number of a thread's registers (1 to 65536)";
                return Err(SyntaxError::Range { what, span: count.span });
            }
            registers.extend((0..count.value).map(|number| {
                let name = Spanned::new(format!("{}{number}", name.value), name.span);
                Declared { name, ty, elements }
            }));
        } else {
            registers.push(Declared { name, ty, elements });
        }
        if cursor.eat(TokenKind::Comma).is_none() {
            break;
        }
    }
    Ok(registers)
}

/// The length of `.v4`, if that stands there.
fn vector(cursor: &mut Cursor<'_>) -> Option<Spanned<u32>> {
    let length = cursor.peek_text().strip_prefix(".v")?.parse().ok()?;
    let token = cursor.eat(TokenKind::Qualifier)?;
    Some(Spanned::new(length, token.span))
}

/// The error in vector registers of a length and a type, if any (PTX-5.4.2).
fn no_vector(cursor: &Cursor<'_>, length: &Spanned<u32>, ty: Type) -> Option<LitmusError> {
    let (message, help) = if !matches!(length.value, 2 | 4) {
        let found = cursor.text(length.span);
        (format!("there are no `{found}` registers"), "vectors of registers are `.v2` or `.v4`")
    } else if ty == Type::PREDICATE {
        ("there are no vectors of predicates".to_owned(), "declare scalars: `.reg .pred %p<4>;`")
    } else if length.value * ty.bits > 128 {
        (
            format!("{} registers of `.{ty}` are too wide for a vector", length.value),
            "vectors have at most 128 bits: declare scalars, which loads and stores take in braces",
        )
    } else {
        return None;
    };
    Some(LitmusError::Other {
        code: "litmus-register",
        message,
        help: format!("{help} (PTX-5.4.2)"),
        span: length.span,
    })
}
