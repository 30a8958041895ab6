//! Tokens into undecoded instructions: guard, opcode, qualifiers and operands, as written.

use crate::ptx::constant;
use crate::ptx::cursor::Cursor;
use crate::ptx::error::{Found, Place, SyntaxError};
use crate::ptx::literal::{self, Float, LiteralFault};
use crate::ptx::operation::PredicateUse;
use crate::ptx::table;
use crate::ptx::token::TokenKind;
use crate::source::{Span, Spanned};

/// How deep operands may nest; PTX itself needs three.
const DEEPEST_OPERAND: usize = 8;

/// An instruction as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The first word.
    pub opcode: Spanned<String>,
    /// The dotted words after the opcode, without their dots, in the order written.
    pub qualifiers: Vec<Spanned<String>>,
    /// Its operands.
    pub operands: Vec<Operand>,
    /// From the opcode to the last operand.
    pub span: Span,
}

impl Instruction {
    /// The opcode with all its qualifiers.
    #[must_use]
    pub fn full_name(&self) -> String {
        let names = self.qualifiers.iter().map(|q| q.value.as_str());
        std::iter::once(self.opcode.value.as_str()).chain(names).collect::<Vec<_>>().join(".")
    }
}

/// An operand as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Operand {
    /// The kind of the operand.
    pub kind: OperandKind,
    /// The `.unified` after it, if written: a promise about the address that has no meaning in the
    /// memory model (PTX-9.7.9.8).
    pub unified: Option<Span>,
    /// Its place in the source.
    pub span: Span,
}

/// The forms of operands.
#[derive(Clone, Debug, PartialEq)]
pub enum OperandKind {
    /// `x`, `%r1`, `%tid.x`, `_`, and with a constant added, `x+4`.
    Name(String, i64),
    /// `x[2]`
    Element(String, u64),
    /// `x[%r1]`, and with a constant added, `x[%r1+2]`.
    Indexed(Spanned<String>, Spanned<String>, i64),
    /// An integer.
    Integer(i128),
    /// A floating-point literal.
    Float(Float),
    /// `[...]`; more than one operand in tensor coordinates only.
    Bracket(Vec<Operand>),
    /// `{...}`, and `(...)` of calls.
    Vector(Vec<Operand>),
    /// `!p`
    Not(String),
    /// `p|q`
    Pair(Spanned<String>, Spanned<String>),
}

impl OperandKind {
    /// The description of the operand for messages.
    #[must_use]
    pub fn describe(&self) -> Found {
        match self {
            Self::Name(name, 0) if name == "_" => Found::Sink,
            Self::Name(name, 0) if name.starts_with('%') => Found::Register,
            Self::Name(..) => Found::Name,
            Self::Element(..) | Self::Indexed(..) => Found::Element,
            Self::Integer(_) => Found::Number,
            Self::Float(_) => Found::Float,
            Self::Bracket(_) => Found::Address,
            Self::Vector(_) => Found::Vector,
            Self::Not(_) => Found::Negation,
            Self::Pair(..) => Found::Pair,
        }
    }
}

impl Operand {
    /// Whether the operand is the box of a tensor: a map and coordinates.
    #[must_use]
    pub fn is_box(&self) -> bool {
        matches!(&self.kind, OperandKind::Bracket(list) if list.len() > 1)
    }

    /// Whether the operand is the sink `_`.
    #[must_use]
    pub fn is_sink(&self) -> bool {
        matches!(&self.kind, OperandKind::Name(name, 0) if name == "_")
    }
}

impl std::fmt::Display for Operand {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |operands: &[Operand]| {
            operands.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
        };
        match &self.kind {
            OperandKind::Name(name, 0) => f.write_str(name),
            OperandKind::Name(name, offset) => write!(f, "{name}+{offset}"),
            OperandKind::Element(name, index) => write!(f, "{name}[{index}]"),
            OperandKind::Indexed(name, register, 0) => {
                write!(f, "{}[{}]", name.value, register.value)
            }
            OperandKind::Indexed(name, register, more) => {
                write!(f, "{}[{}+{more}]", name.value, register.value)
            }
            OperandKind::Integer(number) => write!(f, "{number}"),
            OperandKind::Float(literal) => write!(f, "{literal}"),
            OperandKind::Bracket(operands) => write!(f, "[{}]", list(operands)),
            OperandKind::Vector(operands) => write!(f, "{{{}}}", list(operands)),
            OperandKind::Not(name) => write!(f, "!{name}"),
            OperandKind::Pair(first, second) => write!(f, "{}|{}", first.value, second.value),
        }
    }
}

/// Reads `@p` or `@!p` where one stands.
///
/// # Errors
/// When no register follows the `@`.
pub fn guard(cursor: &mut Cursor<'_>) -> Result<Option<PredicateUse>, SyntaxError> {
    if cursor.eat(TokenKind::At).is_none() {
        return Ok(None);
    }
    let negated = cursor.eat(TokenKind::Bang).is_some();
    let register = cursor.word("a predicate register after `@`")?;
    Ok(Some(PredicateUse { negated, register: without_percent(register) }))
}

/// A register's name without its `%`.
#[must_use]
pub fn without_percent(name: Spanned<String>) -> Spanned<String> {
    let bare = name.value.strip_prefix('%').map(str::to_owned);
    Spanned::new(bare.unwrap_or(name.value), name.span)
}

/// Reads an instruction; stops at the first token that cannot belong to it.
///
/// # Errors
/// When no opcode stands there, or an operand is malformed.
pub fn instruction(cursor: &mut Cursor<'_>) -> Result<Instruction, SyntaxError> {
    let opcode = cursor.word("an instruction").map_err(|error| error.at(Place::Instruction))?;
    let mut qualifiers = Vec::new();
    while let Some(token) = cursor.eat(TokenKind::Qualifier) {
        let name = cursor.text(token.span).trim_start_matches('.');
        qualifiers.push(Spanned::new(name.to_owned(), token.span));
    }
    // The parentheses of calls stand around arguments, others in constant expressions.
    let calls = opcode.value == "call";
    let next = |cursor: &mut Cursor<'_>| match cursor.peek() {
        Some(TokenKind::OpenParen) if calls => arguments(cursor, 0),
        _ => operand(cursor, 0),
    };
    let mut operands = Vec::new();
    if starts_operand(cursor.peek()) && !starts_line(cursor) {
        operands.push(next(cursor)?);
        while cursor.eat(TokenKind::Comma).is_some() {
            operands.push(next(cursor)?);
        }
        // Only an operand starts with `%`, and a comma comes before each operand.
        let is_register =
            cursor.peek() == Some(TokenKind::Word) && cursor.peek_text().starts_with('%');
        let starts = [TokenKind::OpenBracket, TokenKind::Number, TokenKind::Decimal];
        if is_register || cursor.peek().is_some_and(|next| starts.contains(&next)) {
            return Err(cursor.expected("`,`"));
        }
    }
    let span = opcode.span.to(cursor.last_span());
    Ok(Instruction { opcode, qualifiers, operands, span })
}

fn starts_operand(kind: Option<TokenKind>) -> bool {
    use TokenKind as T;
    matches!(
        kind,
        Some(
            T::Word
                | T::Number
                | T::Decimal
                | T::OpenBracket
                | T::OpenBrace
                | T::OpenParen
                | T::Bang
                | T::Minus
                | T::Plus
                | T::Tilde
                | T::Ampersand
        )
    )
}

/// Whether another instruction starts here, on a new line. The previous instruction has no
/// operands, and its `;` is missing.
fn starts_line(cursor: &Cursor<'_>) -> bool {
    cursor.is_on_new_line()
        && table::opcodes().binary_search(&cursor.peek_text()).is_ok()
        && cursor.peek_at(1) == Some(TokenKind::Qualifier)
}

fn operand(cursor: &mut Cursor<'_>, depth: usize) -> Result<Operand, SyntaxError> {
    let start = cursor.span();
    if depth > DEEPEST_OPERAND {
        return Err(SyntaxError::TooDeep { what: "operands", limit: DEEPEST_OPERAND, span: start });
    }
    let mut unified = None;
    let kind = match cursor.peek() {
        Some(TokenKind::OpenParen) if !starts_number(cursor) => return arguments(cursor, depth),
        _ if constant::starts(cursor) => number(cursor)?,
        Some(TokenKind::OpenBracket) => {
            let list = operand_list(cursor, TokenKind::CloseBracket, "`]`", depth)?;
            if cursor.peek_text() == ".unified" {
                unified = Some(cursor.span());
                cursor.advance();
            }
            OperandKind::Bracket(list)
        }
        Some(TokenKind::OpenBrace) => {
            OperandKind::Vector(operand_list(cursor, TokenKind::CloseBrace, "`}`", depth)?)
        }
        Some(TokenKind::Bang) => {
            cursor.advance();
            OperandKind::Not(cursor.word("a predicate register after `!`")?.value)
        }
        Some(TokenKind::Ampersand | TokenKind::Word) => {
            cursor.eat(TokenKind::Ampersand);
            named(cursor)?
        }
        _ => return Err(cursor.expected("an operand")),
    };
    Ok(Operand { kind, unified, span: start.to(cursor.last_span()) })
}

/// `(a, b)`, as in calls.
fn arguments(cursor: &mut Cursor<'_>, depth: usize) -> Result<Operand, SyntaxError> {
    let start = cursor.span();
    let list = operand_list(cursor, TokenKind::CloseParen, "`)`", depth)?;
    let span = start.to(cursor.last_span());
    Ok(Operand { kind: OperandKind::Vector(list), unified: None, span })
}

/// Whether a constant expression stands between the parentheses that open here.
fn starts_number(cursor: &Cursor<'_>) -> bool {
    let mut inner = cursor.clone();
    while inner.eat(TokenKind::OpenParen).is_some() {}
    constant::starts(&inner) || matches!(inner.peek_text(), ".s64" | ".u64")
}

/// A constant expression.
fn number(cursor: &mut Cursor<'_>) -> Result<OperandKind, SyntaxError> {
    let constant = constant::expression(cursor)?;
    match constant.value.float() {
        Some(float) => Ok(OperandKind::Float(float)),
        None => Ok(OperandKind::Integer(constant::of_integer(constant)?.value)),
    }
}

/// The operands between two brackets, and the brackets.
fn operand_list(
    cursor: &mut Cursor<'_>,
    close: TokenKind,
    what: &'static str,
    depth: usize,
) -> Result<Vec<Operand>, SyntaxError> {
    cursor.advance();
    let mut list = Vec::new();
    while cursor.peek() != Some(close) {
        list.push(operand(cursor, depth + 1)?);
        if cursor.eat(TokenKind::Comma).is_none() {
            break;
        }
    }
    match close {
        TokenKind::CloseBracket => close_bracket(cursor)?,
        _ => _ = cursor.expect(close, what)?,
    }
    Ok(list)
}

/// The end of an address or index.
fn close_bracket(cursor: &mut Cursor<'_>) -> Result<(), SyntaxError> {
    let end = cursor.expect(TokenKind::CloseBracket, "`]`");
    end.map(|_| ()).map_err(|error| error.at(Place::Bracket))
}

/// A name with its suffixes: a component, an index, an offset, a second predicate.
fn named(cursor: &mut Cursor<'_>) -> Result<OperandKind, SyntaxError> {
    let mut name = cursor.word("a name")?;
    if cursor.peek() == Some(TokenKind::Qualifier) {
        name.value.push_str(cursor.peek_text());
        cursor.advance();
    }
    match cursor.peek() {
        Some(TokenKind::OpenBracket) if !name.value.starts_with('%') => {
            cursor.advance();
            if cursor.peek() == Some(TokenKind::Word) && !constant::starts(cursor) {
                return indexed(name, cursor);
            }
            let index = constant::integer(cursor)?;
            close_bracket(cursor)?;
            match u64::try_from(index.value) {
                Ok(index) => Ok(OperandKind::Element(name.value, index)),
                Err(_) => Err(SyntaxError::Range { what: "an array index", span: index.span }),
            }
        }
        Some(TokenKind::Plus) => Ok(OperandKind::Name(name.value, offset(cursor)?)),
        Some(TokenKind::Bar) if cursor.peek_at(1) == Some(TokenKind::Word) => {
            cursor.advance();
            let second = cursor.word("a predicate register after `|`")?;
            Ok(OperandKind::Pair(name, second))
        }
        _ => Ok(OperandKind::Name(name.value, 0)),
    }
}

/// The index of an array: a register, a constant added to it or subtracted (PTX-6.4.2), and the
/// closing bracket.
fn indexed(name: Spanned<String>, cursor: &mut Cursor<'_>) -> Result<OperandKind, SyntaxError> {
    let register = cursor.word("a register")?;
    let more = match cursor.peek() {
        Some(TokenKind::Plus) => offset(cursor)?,
        Some(TokenKind::Minus) => index_less(cursor)?,
        _ => 0,
    };
    close_bracket(cursor)?;
    Ok(OperandKind::Indexed(name, register, more))
}

/// `-2`, as a number below zero.
fn index_less(cursor: &mut Cursor<'_>) -> Result<i64, SyntaxError> {
    let number = integer(cursor)?;
    i64::try_from(number.value)
        .map_err(|_| SyntaxError::Range { what: "an array index", span: number.span })
}

/// `+4`, `+-4`, `+4+4`; a `-` alone is no PTX.
fn offset(cursor: &mut Cursor<'_>) -> Result<i64, SyntaxError> {
    let start = cursor.span();
    let mut sum = 0_i128;
    while cursor.eat(TokenKind::Plus).is_some() {
        sum += constant::of_integer(constant::product(cursor)?)?.value;
    }
    i64::try_from(sum).map_err(|_| SyntaxError::Range {
        what: "an address offset",
        span: start.to(cursor.last_span()),
    })
}

/// An integer with an optional sign, of at most 64 bits.
///
/// # Errors
/// When no number stands there, or it does not fit.
pub fn integer(cursor: &mut Cursor<'_>) -> Result<Spanned<i128>, SyntaxError> {
    let start = cursor.span();
    let negative = cursor.eat(TokenKind::Minus).is_some();
    if !negative {
        cursor.eat(TokenKind::Plus);
    }
    let token = cursor.expect(TokenKind::Number, "a number");
    let token = token.map_err(|error| error.at(Place::Number))?;
    let text = cursor.text(token.span);
    let span = start.to(token.span);
    let value = match literal::integer(text) {
        Ok(value) if negative => -value,
        Ok(value) => value,
        Err(LiteralFault::Malformed) => {
            return Err(SyntaxError::Literal { found: text.chars().take(40).collect(), span });
        }
        Err(LiteralFault::TooLarge) => {
            return Err(SyntaxError::Range { what: "a number (64 bits)", span });
        }
    };
    if value < i128::from(i64::MIN) {
        return Err(SyntaxError::Range { what: "a number (64 bits)", span });
    }
    Ok(Spanned::new(value, span))
}

/// A floating-point literal with an optional sign, if there is one.
///
/// # Errors
/// When the literal is exact and has a minus: such literals are no part of an expression
/// (PTX-4.5.2).
pub fn float(cursor: &mut Cursor<'_>) -> Result<Option<Spanned<Float>>, SyntaxError> {
    let start = cursor.span();
    let sign = cursor.peek().filter(|kind| matches!(kind, TokenKind::Minus | TokenKind::Plus));
    let text = match sign {
        Some(_) => cursor.text_at(1),
        None => cursor.peek_text(),
    };
    let Some(literal) = Float::parse(text) else { return Ok(None) };
    if sign.is_some() {
        cursor.advance();
    }
    cursor.advance();
    let span = start.to(cursor.last_span());
    let signed = if sign == Some(TokenKind::Minus) { literal.negated() } else { Some(literal) };
    let literal = signed.ok_or_else(|| SyntaxError::Literal { found: format!("-{text}"), span })?;
    Ok(Some(Spanned::new(literal, span)))
}
