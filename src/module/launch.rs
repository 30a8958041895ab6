//! The syntax of launches, such as `buf x[4] of .u32 = 0; k<<<2, 64>>>(x, 5) cluster(2);`.

use super::read::count;
use crate::litmus::ast::{AliasDeclaration, DeclaredSpace, Variable};
use crate::litmus::parse::declaration::{directive, initializer};
use crate::litmus::parse::draft::Draft;
use crate::litmus::parse::tail;
use crate::ptx::constant;
use crate::ptx::cursor::Cursor;
use crate::ptx::error::SyntaxError;
use crate::ptx::instruction::{float, integer};
use crate::ptx::literal::Float;
use crate::ptx::names;
use crate::ptx::operation::{Proxy, Type};
use crate::ptx::token::TokenKind;
use crate::source::{Span, Spanned};

/// How far apart allocations of the run-time system begin, in bytes.
pub(super) const ALLOCATION: u64 = 256;

/// A launch of a kernel.
#[derive(Clone, Debug)]
pub(crate) struct Launch {
    /// The label of the launch in the text.
    pub(crate) label: Option<Spanned<String>>,
    /// The kernel.
    pub(crate) kernel: Spanned<String>,
    /// CTAs in each dimension.
    pub(crate) grid: [u32; 3],
    /// Threads of a CTA in each dimension.
    pub(crate) block: [u32; 3],
    /// Bytes of dynamic shared memory.
    pub(crate) shared: u32,
    /// The stream.
    pub(crate) stream: u32,
    /// The arguments of the kernel.
    pub(crate) arguments: Vec<Spanned<Argument>>,
    /// CTAs of a cluster in each dimension.
    pub(crate) cluster: Option<[u32; 3]>,
    /// Whether all CTAs run concurrently (a cooperative launch).
    pub(crate) cooperative: bool,
    /// Whether the launch may start before the previous launch is complete.
    pub(crate) programmatic: bool,
    /// The device.
    pub(crate) gpu: u32,
    /// The number of `sync` before the launch.
    pub(crate) epoch: usize,
    /// The whole launch.
    pub(crate) span: Span,
}

/// An argument of a launch.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    /// A number.
    Integer(i128),
    /// A floating-point number.
    Float(Float),
    /// The address of a buffer, plus an offset in bytes.
    Buffer(String, i64),
    /// Some value.
    Unknown,
    /// A structure, with its fields in order.
    Fields(Vec<Field>),
}

/// A field of a structure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Field {
    /// What it holds.
    pub(crate) value: Spanned<Argument>,
    /// Its type, if given.
    pub(crate) ty: Option<Type>,
    /// Its first byte, if given; else it follows the field before.
    pub(crate) at: Option<Spanned<u64>>,
}

/// The content of the launch text, apart from the declared variables.
#[derive(Clone, Debug, Default)]
pub(crate) struct Launches {
    /// The launches in order.
    pub(crate) list: Vec<Launch>,
    /// `A -> B`, by label.
    pub(crate) orders: Vec<(Spanned<String>, Spanned<String>)>,
    syncs: usize,
}

/// Reads launches up to the condition or the end.
pub(crate) fn launches(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Launches {
    let mut launches = Launches::default();
    while !cursor.is_at_end() && !tail::starts(cursor) {
        if cursor.eat(TokenKind::Semicolon).is_some() {
            continue;
        }
        if let Err(error) = part(cursor, draft, &mut launches) {
            draft.syntax(&error);
            cursor.split_until(|kind| kind == TokenKind::Semicolon);
        }
    }
    launches
}

fn part(
    cursor: &mut Cursor<'_>,
    draft: &mut Draft,
    launches: &mut Launches,
) -> Result<(), SyntaxError> {
    if cursor.peek() == Some(TokenKind::Qualifier) {
        return directive(cursor, draft);
    }
    match cursor.peek_text() {
        "buf" if cursor.peek_at(1) == Some(TokenKind::Word) => buffer(cursor, draft)?,
        "alias" if cursor.peek_at(1) == Some(TokenKind::Word) => alias(cursor, draft)?,
        "sync" if cursor.peek_at(1) != Some(TokenKind::Colon) => {
            cursor.advance();
            launches.syncs += 1;
        }
        "order" if cursor.peek_at(1) == Some(TokenKind::Word) => {
            cursor.advance();
            order(cursor, launches)?;
        }
        _ if cursor.peek_at(1) == Some(TokenKind::Arrow) => order(cursor, launches)?,
        _ => {
            let launch = launch(cursor, launches.syncs)?;
            launches.list.push(launch);
        }
    }
    if !cursor.is_at_end() && !tail::starts(cursor) {
        cursor.expect(TokenKind::Semicolon, "`;`")?;
    }
    Ok(())
}

/// `buf x[1024] of .u32 = 0`
fn buffer(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), SyntaxError> {
    let start = cursor.span();
    cursor.advance();
    let name = cursor.word("the name of a buffer")?;
    let mut elements = 1;
    if cursor.eat(TokenKind::OpenBracket).is_some() {
        elements = u64::from(count(cursor, "the number of elements (32 bits)")?);
        cursor.expect(TokenKind::CloseBracket, "`]`")?;
    }
    cursor.eat_word("of").ok_or_else(|| cursor.expected("`of` and the type of an element"))?;
    let ty = cursor.expect(TokenKind::Qualifier, "a type such as `.u32`")?;
    let ty = names::ty(cursor.text(ty.span).trim_start_matches('.'));
    let ty = ty.filter(|ty| *ty != Type::PREDICATE);
    let ty = ty.ok_or_else(|| cursor.expected("a type such as `.u32`"))?;
    if !(1..=1 << 20).contains(&elements) {
        let what = "the number of elements (1 to 1048576)";
        return Err(SyntaxError::Range { what, span: name.span });
    }
    let mut variable = Variable {
        name,
        space: DeclaredSpace::Global,
        ty,
        elements,
        align: ALLOCATION,
        initial: None,
        initial_addresses: Vec::new(),
        span: start,
    };
    if cursor.eat(TokenKind::Assign).is_some() {
        let braced = cursor.peek() == Some(TokenKind::OpenBrace);
        initializer(cursor, &mut variable, &[], false)?;
        // A single number initializes all elements.
        if let (false, Some(&[number])) = (braced, variable.initial.as_deref()) {
            let all = usize::try_from(elements).unwrap_or(usize::MAX);
            variable.initial = (number != 0).then(|| vec![number; all]);
        }
    }
    variable.span = start.to(cursor.last_span());
    draft.add_variable(variable);
    Ok(())
}

/// `alias y = x`: another virtual address of the same memory.
fn alias(cursor: &mut Cursor<'_>, draft: &mut Draft) -> Result<(), SyntaxError> {
    let start = cursor.span();
    cursor.advance();
    let name = cursor.word("the new name")?;
    cursor.expect(TokenKind::Assign, "`=`")?;
    let target = cursor.word("the buffer that it aliases")?;
    let span = start.to(target.span);
    draft.add_alias(AliasDeclaration { name, proxy: Proxy::Generic, target, span });
    Ok(())
}

/// `A -> B -> C`
fn order(cursor: &mut Cursor<'_>, launches: &mut Launches) -> Result<(), SyntaxError> {
    let mut from = cursor.word("the name of a launch")?;
    cursor.expect(TokenKind::Arrow, "`->`")?;
    loop {
        let to = cursor.word("the name of a launch")?;
        launches.orders.push((from, to.clone()));
        from = to;
        if cursor.eat(TokenKind::Arrow).is_none() {
            return Ok(());
        }
    }
}

fn launch(cursor: &mut Cursor<'_>, epoch: usize) -> Result<Launch, SyntaxError> {
    let start = cursor.span();
    if cursor.peek_text() == "launch" && cursor.peek_at(1) == Some(TokenKind::Word) {
        cursor.advance();
    }
    let mut label = None;
    let mut kernel = cursor.word("a launch such as `k<<<2, 64>>>(x)`, or a buffer")?;
    if cursor.eat(TokenKind::Colon).is_some() {
        let kernel_name = cursor.word("the name of a kernel")?;
        label = Some(std::mem::replace(&mut kernel, kernel_name));
    }
    open(cursor)?;
    let grid = dimensions(cursor)?;
    cursor.expect(TokenKind::Comma, "`,` and the threads of a CTA")?;
    let block = dimensions(cursor)?;
    let mut more = Vec::new();
    while cursor.eat(TokenKind::Comma).is_some() {
        let number = integer(cursor)?;
        let what = "a number of bytes, or of a stream (32 bits)";
        let range = SyntaxError::Range { what, span: number.span };
        more.push(u32::try_from(number.value).map_err(|_| range)?);
    }
    close(cursor)?;
    let mut launch = Launch {
        label,
        kernel,
        grid,
        block,
        shared: more.first().copied().unwrap_or(0),
        stream: more.get(1).copied().unwrap_or(0),
        arguments: arguments(cursor)?,
        cluster: None,
        cooperative: false,
        programmatic: false,
        gpu: 0,
        epoch,
        span: start,
    };
    attributes(cursor, &mut launch)?;
    launch.span = start.to(cursor.last_span());
    Ok(launch)
}

/// `cluster(2,1,1) cooperative pdl gpu 1`
fn attributes(cursor: &mut Cursor<'_>, launch: &mut Launch) -> Result<(), SyntaxError> {
    while cursor.peek() == Some(TokenKind::Word) && !tail::starts(cursor) {
        match cursor.peek_text() {
            "cluster" => {
                cursor.advance();
                launch.cluster = Some(dimensions(cursor)?);
            }
            "cooperative" => {
                cursor.advance();
                launch.cooperative = true;
            }
            "pdl" => {
                cursor.advance();
                launch.programmatic = true;
            }
            "gpu" => {
                cursor.advance();
                launch.gpu = count(cursor, "the number of a device")?;
            }
            _ => {
                let what = "`cluster(2)`, `cooperative`, `pdl`, `gpu 0` or `;`";
                return Err(cursor.expected(what));
            }
        }
    }
    Ok(())
}

/// `<<<`, which is read as two tokens.
fn open(cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
    for (text, what) in [("<<", "`<<<` and the size of the launch"), ("<", "`<<<`")] {
        if cursor.peek_text() != text {
            return Err(cursor.expected(what));
        }
        cursor.advance();
    }
    Ok(())
}

fn close(cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
    for text in [">>", ">"] {
        if cursor.peek_text() != text {
            return Err(cursor.expected("`>>>` and the arguments"));
        }
        cursor.advance();
    }
    Ok(())
}

/// `4`, `(4, 2)`, `dim3(4, 2, 1)`, `{4, 2, 1}`
fn dimensions(cursor: &mut Cursor<'_>) -> Result<[u32; 3], SyntaxError> {
    let mut all = [1; 3];
    cursor.eat_word("dim3");
    let close = match cursor.peek() {
        Some(TokenKind::OpenParen) => Some(TokenKind::CloseParen),
        Some(TokenKind::OpenBrace) => Some(TokenKind::CloseBrace),
        _ => None,
    };
    if close.is_some() {
        cursor.advance();
    }
    for (at, slot) in all.iter_mut().enumerate() {
        if at > 0 && (close.is_none() || cursor.eat(TokenKind::Comma).is_none()) {
            break;
        }
        let span = cursor.span();
        *slot = integer(cursor).and_then(|number| {
            let size = u32::try_from(number.value).ok().filter(|&size| size > 0);
            size.ok_or(SyntaxError::Range { what: "a size of a launch (at least 1)", span })
        })?;
    }
    if let Some(close) = close {
        cursor.expect(close, "the end of the sizes")?;
    }
    Ok(all)
}

fn arguments(cursor: &mut Cursor<'_>) -> Result<Vec<Spanned<Argument>>, SyntaxError> {
    cursor.expect(TokenKind::OpenParen, "`(` and the arguments")?;
    let mut list = Vec::new();
    while cursor.peek() != Some(TokenKind::CloseParen) {
        list.push(argument(cursor)?);
        if cursor.eat(TokenKind::Comma).is_none() {
            break;
        }
    }
    cursor.expect(TokenKind::CloseParen, "`)`")?;
    Ok(list)
}

/// `5`, `1.5`, `x`, `x+16`, `&x`, `?`, `{x, 5, 6 of .u64, 7 at 32}`
fn argument(cursor: &mut Cursor<'_>) -> Result<Spanned<Argument>, SyntaxError> {
    let start = cursor.span();
    let value = match cursor.peek() {
        Some(TokenKind::Question) => {
            cursor.advance();
            Argument::Unknown
        }
        Some(TokenKind::OpenBrace) => {
            cursor.advance();
            let mut fields = Vec::new();
            while cursor.peek() != Some(TokenKind::CloseBrace) {
                let value = argument(cursor)?;
                let (mut ty, mut at) = (None, None);
                if cursor.eat_word("of").is_some() {
                    let word = cursor.expect(TokenKind::Qualifier, "a type such as `.u32`")?;
                    ty = names::ty(cursor.text(word.span).trim_start_matches('.'));
                }
                if cursor.eat_word("at").is_some() {
                    let number = constant::of_integer(constant::product(cursor)?)?;
                    let what = "the offset of a field";
                    let offset = u64::try_from(number.value)
                        .map_err(|_| SyntaxError::Range { what, span: number.span })?;
                    at = Some(Spanned::new(offset, number.span));
                }
                fields.push(Field { value, ty, at });
                if cursor.eat(TokenKind::Comma).is_none() {
                    break;
                }
            }
            cursor.expect(TokenKind::CloseBrace, "`}`")?;
            Argument::Fields(fields)
        }
        Some(TokenKind::Word | TokenKind::Ampersand) => {
            cursor.eat(TokenKind::Ampersand);
            let name = cursor.word("a buffer")?;
            let mut offset = 0;
            if cursor.eat(TokenKind::Plus).is_some() {
                let number = constant::of_integer(constant::product(cursor)?)?;
                let what = "an offset (64 bits)";
                offset = i64::try_from(number.value)
                    .map_err(|_| SyntaxError::Range { what, span: number.span })?;
            }
            Argument::Buffer(name.value, offset)
        }
        _ => match float(cursor)? {
            Some(number) => Argument::Float(number.value),
            None => Argument::Integer(integer(cursor)?.value),
        },
    };
    Ok(Spanned::new(value, start.to(cursor.last_span())))
}
