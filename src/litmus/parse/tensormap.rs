//! Declarations of tensor maps: `.tensormap tm = { x, .u32, {8, 4}, {4, 2} };` into a map and the variable
//! that holds it.

use crate::litmus::ast::{AddressBits, DeclaredSpace, InitialAddress, Variable};
use crate::litmus::tensor::{Swizzle, TensorMap};
use crate::ptx::constant;
use crate::ptx::cursor::Cursor;
use crate::ptx::error::SyntaxError;
use crate::ptx::names;
use crate::ptx::operation::{Type, TypeKind};
use crate::ptx::token::TokenKind;
use crate::source::{Span, Spanned};

/// The type that stands for the contents of a map: the address of its tensor.
const WORD: Type = Type::new(TypeKind::Unsigned, 64);
/// The largest number of elements in a dimension (PTX-5.5.1).
const MOST_ELEMENTS: u64 = 1 << 32;
/// The largest number of elements of a box in a dimension (PTX-5.5.4).
const MOST_IN_BOX: u64 = 256;

/// The alignment of strides and rows of boxes, in bytes (PTX-5.5.1).
const CHUNK: u64 = 16;
/// The largest stride, in bytes; tensors are no larger here.
const MOST_STRIDE: u64 = 1 << 40;

/// The declaration after `.tensormap`: gives the map, and the variable that holds it.
pub(super) fn declaration(
    cursor: &mut Cursor<'_>,
    start: Span,
) -> Result<(TensorMap, Variable), SyntaxError> {
    let name = cursor.word("the map's name")?;
    cursor.expect(TokenKind::Assign, "`=` and what the map describes")?;
    cursor.expect(TokenKind::OpenBrace, "`{`")?;
    let tensor = cursor.word("the variable that the tensor begins at")?;
    cursor.expect(TokenKind::Comma, "`,`")?;
    let ty = element_type(cursor)?;
    cursor
        .expect(TokenKind::Comma, "`,` and how many elements the tensor has in each dimension")?;
    let dimensions = list(cursor, "a number of elements (1 to 4294967296)", (1, MOST_ELEMENTS))?;
    cursor.expect(TokenKind::Comma, "`,` and how many elements a box has in each dimension")?;
    let extents = list(cursor, "a number of elements of a box (1 to 256)", (1, MOST_IN_BOX))?;
    let rank = dimensions.value.len();
    if rank > TensorMap::MOST_DIMENSIONS {
        let what = "the number of dimensions (1 to 5)";
        return Err(SyntaxError::Range { what, span: dimensions.span });
    }
    if extents.value.len() != rank {
        let what = "the number of dimensions of the box (as many as the tensor has)";
        return Err(SyntaxError::Range { what, span: extents.span });
    }
    let mut map = TensorMap {
        name: name.clone(),
        tensor,
        ty,
        strides: TensorMap::packed(&dimensions.value, ty),
        dimensions: dimensions.value,
        extents: extents.value,
        swizzle: Swizzle::None,
        span: start,
    };
    if map.bytes() > TensorMap::MOST_BYTES {
        let what = "the size of a box (at most 262144 bytes)";
        return Err(SyntaxError::Range { what, span: extents.span });
    }
    while cursor.eat(TokenKind::Comma).is_some() {
        field(cursor, &mut map)?;
    }
    cursor.expect(TokenKind::CloseBrace, "`}`")?;
    cursor.expect(TokenKind::Semicolon, "`;`")?;
    map.span = start.to(cursor.last_span());
    fitting(&map)?;
    let variable = variable(&map, DeclaredSpace::Global);
    Ok((map, variable))
}

/// Checks the requirements of the driver on the fields of a map together.
fn fitting(map: &TensorMap) -> Result<(), SyntaxError> {
    let wrong = |what| Err(SyntaxError::Range { what, span: map.span });
    let row = map.extents[0] * u64::from(map.ty.bytes());
    if !row.is_multiple_of(CHUNK) {
        return wrong("a row of a box (a multiple of 16 bytes)");
    }
    if map.swizzle.span().is_some_and(|span| row > span) {
        return wrong("a row of a box (at most as many bytes as the swizzle has)");
    }
    if map.strides.iter().any(|stride| !stride.is_multiple_of(CHUNK)) {
        return wrong("a stride (a multiple of 16 bytes, also where rows follow each other)");
    }
    let outer = map.dimensions[1..].iter().zip(&map.strides);
    let bytes = outer.fold(map.dimensions[0].saturating_mul(u64::from(map.ty.bytes())), {
        |all, (&elements, &stride)| all.saturating_add((elements - 1).saturating_mul(stride))
    });
    if bytes > MOST_STRIDE {
        return wrong("a tensor (at most 1099511627776 bytes)");
    }
    Ok(())
}

/// `.strides {32}` or `.swizzle 128B`.
fn field(cursor: &mut Cursor<'_>, map: &mut TensorMap) -> Result<(), SyntaxError> {
    match cursor.peek_text() {
        ".strides" => {
            cursor.advance();
            let what = "a stride (a multiple of 16 bytes, at most 1099511627776)";
            let found = list(cursor, what, (0, MOST_STRIDE))?;
            if found.value.iter().any(|stride| stride % 16 != 0) {
                return Err(SyntaxError::Range { what, span: found.span });
            }
            if found.value.len() != map.strides.len() {
                let what = "the number of strides (one for each dimension but the innermost)";
                return Err(SyntaxError::Range { what, span: found.span });
            }
            map.strides = found.value;
        }
        ".swizzle" => {
            cursor.advance();
            let at = cursor.span();
            let mut written = cursor.peek_text().to_owned();
            cursor.advance();
            // A number and its unit are two tokens.
            if !written.ends_with('B') {
                written += cursor.peek_text();
                cursor.advance();
            }
            let known = Swizzle::ALL.into_iter().find(|swizzle| swizzle.name() == written);
            let what = "a swizzle (`32B`, `64B` or `128B`)";
            map.swizzle = known.ok_or(SyntaxError::Range { what, span: at })?;
        }
        _ => return Err(cursor.expected("`.strides` or `.swizzle`")),
    }
    Ok(())
}

fn element_type(cursor: &mut Cursor<'_>) -> Result<Type, SyntaxError> {
    let word = cursor.peek_text().trim_start_matches('.');
    let ty = names::ty(word).filter(|ty| {
        let numbers = matches!(
            ty.kind,
            TypeKind::Unsigned | TypeKind::Signed | TypeKind::Bits | TypeKind::Float
        );
        (numbers || ty.is_half()) && matches!(ty.bits, 8..=64) && !ty.is_packed()
    });
    match ty {
        Some(ty) if cursor.peek() == Some(TokenKind::Qualifier) => {
            cursor.advance();
            Ok(ty)
        }
        _ => Err(cursor.expected("the type of an element such as `.u32`")),
    }
}

/// `{8, 4}`: positive numbers, at least so many, none above a limit.
fn list(
    cursor: &mut Cursor<'_>,
    what: &'static str,
    (least, most): (usize, u64),
) -> Result<Spanned<Vec<u64>>, SyntaxError> {
    let start = cursor.span();
    cursor.expect(TokenKind::OpenBrace, "`{`")?;
    let mut out = Vec::new();
    while cursor.peek() != Some(TokenKind::CloseBrace) {
        let number = constant::integer(cursor)?;
        let value = u64::try_from(number.value).ok().filter(|n| (1..=most).contains(n));
        out.push(value.ok_or(SyntaxError::Range { what, span: number.span })?);
        if cursor.eat(TokenKind::Comma).is_none() {
            break;
        }
    }
    cursor.expect(TokenKind::CloseBrace, "`}`")?;
    let span = start.to(cursor.last_span());
    match out.len() < least {
        true => Err(SyntaxError::Range { what, span }),
        false => Ok(Spanned::new(out, span)),
    }
}

/// The variable that holds a map: its first word stands for the whole map.
pub(crate) fn variable(map: &TensorMap, space: DeclaredSpace) -> Variable {
    let elements = TensorMap::BYTES / u64::from(WORD.bytes());
    let name = map.tensor.clone();
    Variable {
        name: map.name.clone(),
        space,
        ty: WORD,
        elements,
        align: TensorMap::BYTES,
        initial: Some(vec![0]),
        initial_addresses: vec![InitialAddress {
            element: 0,
            name,
            offset: 0,
            generic: false,
            bits: AddressBits::All,
        }],
        span: map.span,
    }
}
