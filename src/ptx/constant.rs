//! Constant expressions into numbers, as the assembler evaluates them (PTX-4.5.4, PTX-4.5.5).
//!
//! Integers have 64 bits and are signed or unsigned, floating-point numbers are of double
//! precision; nothing converts one kind into the other.

use crate::ptx::cursor::Cursor;
use crate::ptx::error::{Place, SyntaxError};
use crate::ptx::literal::{self, Float, LiteralFault};
use crate::ptx::token::TokenKind;
use crate::source::{Span, Spanned};

/// How deep parentheses and signs may nest.
const DEEPEST: usize = 8;
/// Lanes of a warp: the constant `WARP_SZ`.
const WARP_SIZE: i64 = 32;

/// The value of a constant expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Constant {
    /// `.s64`
    Signed(i64),
    /// `.u64`
    Unsigned(u64),
    /// `.f64`
    Double(f64),
    /// The exact 32-bit notation, which is no part of an expression (PTX-4.5.2).
    Single(u32),
}

impl Constant {
    /// The number, if the constant is an integer.
    #[must_use]
    pub fn integer(self) -> Option<i128> {
        match self {
            Self::Signed(number) => Some(number.into()),
            Self::Unsigned(number) => Some(number.into()),
            Self::Double(_) | Self::Single(_) => None,
        }
    }

    /// The floating-point number, if the constant is one.
    #[must_use]
    pub fn float(self) -> Option<Float> {
        match self {
            Self::Double(number) => Some(Float::Double(number.to_bits())),
            Self::Single(bits) => Some(Float::Single(bits)),
            Self::Signed(_) | Self::Unsigned(_) => None,
        }
    }

    fn of(holds: bool) -> Self {
        Self::Signed(holds.into())
    }

    /// The bits of an integer.
    #[allow(clippy::cast_sign_loss, reason = "the conversion that PTX specifies")]
    fn bits(self) -> Option<u64> {
        match self {
            Self::Signed(number) => Some(number as u64),
            Self::Unsigned(number) => Some(number),
            Self::Double(_) | Self::Single(_) => None,
        }
    }
}

/// Whether a constant expression starts at the next token.
#[must_use]
pub fn starts(cursor: &Cursor<'_>) -> bool {
    use TokenKind as T;
    match cursor.peek() {
        Some(T::Number | T::Decimal | T::Minus | T::Plus | T::Tilde | T::OpenParen) => true,
        Some(T::Bang) => {
            matches!(
                cursor.peek_at(1),
                Some(T::Number | T::Minus | T::Plus | T::Tilde | T::OpenParen | T::Bang)
            ) || cursor.text_at(1) == "WARP_SZ"
        }
        Some(T::Word) => cursor.peek_text() == "WARP_SZ",
        _ => false,
    }
}

/// Reads and evaluates a constant expression.
///
/// # Errors
/// When there is none, or the expression has no value: a division by zero, or operands of two
/// kinds.
pub fn expression(cursor: &mut Cursor<'_>) -> Result<Spanned<Constant>, SyntaxError> {
    let negative = cursor.peek() == Some(TokenKind::Minus);
    Ok(as_written(negative, conditional(cursor, 0)?))
}

/// As [`expression`], of factors only: the part that may follow a `+` after a name.
///
/// # Errors
/// As those of [`expression`].
pub fn product(cursor: &mut Cursor<'_>) -> Result<Spanned<Constant>, SyntaxError> {
    let negative = cursor.peek() == Some(TokenKind::Minus);
    Ok(as_written(negative, binary(cursor, PRODUCT, 0)?))
}

/// The least signed number, if written as a negated literal. The literal is unsigned, and so is its
/// negation, which has the same bits (PTX-4.5.5).
fn as_written(negative: bool, constant: Spanned<Constant>) -> Spanned<Constant> {
    match constant.value {
        Constant::Unsigned(bits) if negative && bits == 1 << 63 => {
            Spanned::new(Constant::Signed(i64::MIN), constant.span)
        }
        _ => constant,
    }
}

/// As [`expression`], for an integer.
///
/// # Errors
/// As those of [`expression`], or when the value is a floating-point number.
pub fn integer(cursor: &mut Cursor<'_>) -> Result<Spanned<i128>, SyntaxError> {
    of_integer(expression(cursor)?)
}

/// The value of an expression that has to be an integer.
///
/// # Errors
/// When the value is no integer.
pub fn of_integer(constant: Spanned<Constant>) -> Result<Spanned<i128>, SyntaxError> {
    match constant.value.integer() {
        Some(number) => Ok(Spanned::new(number, constant.span)),
        None => Err(SyntaxError::Constant {
            message: "an integer belongs here, no floating-point number",
            span: constant.span,
        }),
    }
}

/// `c ? a : b`
fn conditional(cursor: &mut Cursor<'_>, depth: usize) -> Result<Spanned<Constant>, SyntaxError> {
    let choice = binary(cursor, 0, depth)?;
    if cursor.eat(TokenKind::Question).is_none() {
        return Ok(choice);
    }
    check_depth(cursor, depth)?;
    let yes = conditional(cursor, depth + 1)?;
    cursor.expect(TokenKind::Colon, "`:`")?;
    let no = conditional(cursor, depth + 1)?;
    let span = choice.span.to(no.span);
    let holds = choice.value.bits().ok_or(SyntaxError::Constant {
        message: "only an integer chooses between two values",
        span: choice.span,
    })? != 0;
    let value = match (yes.value, no.value) {
        (Constant::Double(a), Constant::Double(b)) => {
            Some(Constant::Double(if holds { a } else { b }))
        }
        (a, b) => usual(a, b, |a, b| if holds { a } else { b }, |a, b| if holds { a } else { b }),
    };
    Ok(Spanned::new(value.ok_or(mixed(span))?, span))
}

/// Where `*`, `/` and `%` stand among the levels of [`level`].
const PRODUCT: usize = 9;

/// The precedence of a binary operator, the loosest first, as in C.
fn level(operator: &str) -> Option<usize> {
    Some(match operator {
        "||" => 0,
        "&&" => 1,
        "|" => 2,
        "^" => 3,
        "&" => 4,
        "==" | "!=" => 5,
        "<" | "<=" | ">" | ">=" => 6,
        "<<" | ">>" => 7,
        "+" | "-" => 8,
        "*" | "/" | "%" => PRODUCT,
        _ => return None,
    })
}

/// Operands joined by operators of this level or a tighter one, from the left.
fn binary(
    cursor: &mut Cursor<'_>,
    loosest: usize,
    depth: usize,
) -> Result<Spanned<Constant>, SyntaxError> {
    let mut left = unary(cursor, depth)?;
    while let Some(level) = level(cursor.peek_text()).filter(|level| *level >= loosest) {
        let operator = cursor.peek_text();
        cursor.advance();
        let right = binary(cursor, level + 1, depth)?;
        let span = left.span.to(right.span);
        left = Spanned::new(apply(operator, left.value, right.value, span)?, span);
    }
    if cursor.peek_text().strip_prefix('%').is_some_and(|rest| rest.starts_with(char::is_numeric)) {
        let message = "this is a register's name: a space after `%` makes it a remainder";
        return Err(SyntaxError::Constant { message, span: cursor.span() });
    }
    Ok(left)
}

/// `-a`, `!a`, `~a`, a cast, a literal, or an expression in parentheses.
fn unary(cursor: &mut Cursor<'_>, depth: usize) -> Result<Spanned<Constant>, SyntaxError> {
    let start = cursor.span();
    check_depth(cursor, depth)?;
    let operator = cursor.peek_text();
    match (cursor.peek(), cursor.text_at(1)) {
        (Some(TokenKind::OpenParen), cast @ (".s64" | ".u64")) => {
            cursor.advance();
            cursor.advance();
            cursor.expect(TokenKind::CloseParen, "`)`")?;
            let inner = unary(cursor, depth + 1)?;
            let span = start.to(inner.span);
            let bits = inner.value.bits().ok_or(mixed(span))?;
            let signed = cast == ".s64";
            let value = if signed { signed_bits(bits) } else { Constant::Unsigned(bits) };
            Ok(Spanned::new(value, span))
        }
        (Some(TokenKind::OpenParen), _) => {
            cursor.advance();
            let inner = conditional(cursor, depth + 1)?;
            cursor.expect(TokenKind::CloseParen, "`)`")?;
            Ok(Spanned::new(inner.value, start.to(cursor.last_span())))
        }
        (Some(TokenKind::Minus | TokenKind::Plus | TokenKind::Tilde | TokenKind::Bang), _) => {
            cursor.advance();
            let inner = unary(cursor, depth + 1)?;
            let span = start.to(inner.span);
            let value = match (operator, inner.value) {
                ("-", Constant::Signed(number)) => Constant::Signed(number.wrapping_neg()),
                ("-", Constant::Unsigned(number)) => Constant::Unsigned(number.wrapping_neg()),
                ("-", Constant::Double(number)) => Constant::Double(-number),
                (
                    "+",
                    value @ (Constant::Signed(_) | Constant::Unsigned(_) | Constant::Double(_)),
                ) => value,
                ("~", value) => Constant::Unsigned(!value.bits().ok_or(mixed(span))?),
                ("!", value) => Constant::of(value.bits().ok_or(mixed(span))? == 0),
                _ => return Err(exact(span)),
            };
            Ok(Spanned::new(value, span))
        }
        _ => literal(cursor),
    }
}

/// A number, or `WARP_SZ`.
fn literal(cursor: &mut Cursor<'_>) -> Result<Spanned<Constant>, SyntaxError> {
    let text = cursor.peek_text();
    let span = cursor.span();
    let value = if cursor.eat_word("WARP_SZ").is_some() {
        Constant::Signed(WARP_SIZE)
    } else if let Some(float) = Float::parse(text) {
        cursor.advance();
        match float {
            Float::Single(bits) => Constant::Single(bits),
            Float::Double(bits) => Constant::Double(f64::from_bits(bits)),
        }
    } else {
        let number = cursor.expect(TokenKind::Number, "a number");
        number.map_err(|error| error.at(Place::Number))?;
        let number = literal::integer(text).map_err(|fault| match fault {
            LiteralFault::Malformed => {
                SyntaxError::Literal { found: text.chars().take(40).collect(), span }
            }
            LiteralFault::TooLarge => SyntaxError::Range { what: "a number (64 bits)", span },
        })?;
        match (i64::try_from(number), u64::try_from(number)) {
            (Ok(signed), _) if !text.ends_with(['U', 'u']) => Constant::Signed(signed),
            (_, Ok(unsigned)) => Constant::Unsigned(unsigned),
            _ => return Err(SyntaxError::Range { what: "a number (64 bits)", span }),
        }
    };
    Ok(Spanned::new(value, span))
}

/// The value of `a operator b` (PTX-4.5.6).
fn apply(operator: &str, a: Constant, b: Constant, span: Span) -> Result<Constant, SyntaxError> {
    if matches!(a, Constant::Single(_)) || matches!(b, Constant::Single(_)) {
        return Err(exact(span));
    }
    if let (Constant::Double(a), Constant::Double(b)) = (a, b) {
        return of_doubles(operator, a, b)
            .ok_or(SyntaxError::Constant { message: "this operator takes integers only", span });
    }
    let (Some(x), Some(y)) = (a.bits(), b.bits()) else { return Err(mixed(span)) };
    if y == 0 && matches!(operator, "/" | "%") {
        return Err(SyntaxError::Constant { message: "a division by zero has no value", span });
    }
    if y > 63 && matches!(operator, "<<" | ">>") {
        // The standard names no value, and the assembler takes the amount modulo 64.
        let message = "what a shift by 64 bits or more gives is not said";
        return Err(SyntaxError::Constant { message, span });
    }
    let compare = |signed: fn(&i64, &i64) -> bool, unsigned: fn(&u64, &u64) -> bool| match (a, b) {
        (Constant::Signed(a), Constant::Signed(b)) => Some(Constant::of(signed(&a, &b))),
        _ => Some(Constant::of(unsigned(&x, &y))),
    };
    let value = match operator {
        "+" => usual(a, b, i64::wrapping_add, u64::wrapping_add),
        "-" => usual(a, b, i64::wrapping_sub, u64::wrapping_sub),
        "*" => usual(a, b, i64::wrapping_mul, u64::wrapping_mul),
        "/" => usual(a, b, i64::wrapping_div, u64::wrapping_div),
        "%" => Some(Constant::Unsigned(x % y)),
        "<<" => shifted(a, y, true),
        ">>" => shifted(a, y, false),
        "&" => usual(a, b, |a, b| a & b, |a, b| a & b),
        "^" => usual(a, b, |a, b| a ^ b, |a, b| a ^ b),
        "|" => usual(a, b, |a, b| a | b, |a, b| a | b),
        "<" => compare(i64::lt, u64::lt),
        "<=" => compare(i64::le, u64::le),
        ">" => compare(i64::gt, u64::gt),
        ">=" => compare(i64::ge, u64::ge),
        "==" => Some(Constant::of(x == y)),
        "!=" => Some(Constant::of(x != y)),
        "&&" => Some(Constant::of(x != 0 && y != 0)),
        _ => Some(Constant::of(x != 0 || y != 0)),
    };
    value.ok_or(mixed(span))
}

/// The usual arithmetic conversions: both are unsigned where one is.
fn usual(
    a: Constant,
    b: Constant,
    signed: impl Fn(i64, i64) -> i64,
    unsigned: impl Fn(u64, u64) -> u64,
) -> Option<Constant> {
    Some(match (a, b) {
        (Constant::Signed(a), Constant::Signed(b)) => Constant::Signed(signed(a, b)),
        _ => Constant::Unsigned(unsigned(a.bits()?, b.bits()?)),
    })
}

/// A shift by less than 64 bits, which keeps the type of the shifted operand.
fn shifted(value: Constant, by: u64, left: bool) -> Option<Constant> {
    Some(match (value, left) {
        (Constant::Signed(a), true) => Constant::Signed(a << by),
        (Constant::Signed(a), false) => Constant::Signed(a >> by),
        (Constant::Unsigned(a), true) => Constant::Unsigned(a << by),
        (Constant::Unsigned(a), false) => Constant::Unsigned(a >> by),
        _ => return None,
    })
}

fn of_doubles(operator: &str, a: f64, b: f64) -> Option<Constant> {
    Some(match operator {
        "+" => Constant::Double(a + b),
        "-" => Constant::Double(a - b),
        "*" => Constant::Double(a * b),
        "/" => Constant::Double(a / b),
        "<" => Constant::of(a < b),
        "<=" => Constant::of(a <= b),
        ">" => Constant::of(a > b),
        ">=" => Constant::of(a >= b),
        "==" => Constant::of(a.partial_cmp(&b) == Some(std::cmp::Ordering::Equal)),
        "!=" => Constant::of(a.partial_cmp(&b) != Some(std::cmp::Ordering::Equal)),
        _ => return None,
    })
}

#[allow(clippy::cast_possible_wrap, reason = "the conversion that PTX specifies")]
fn signed_bits(bits: u64) -> Constant {
    Constant::Signed(bits as i64)
}

fn mixed(span: Span) -> SyntaxError {
    SyntaxError::Constant { message: "integers and floating-point numbers do not mix", span }
}

fn exact(span: Span) -> SyntaxError {
    SyntaxError::Constant { message: "a `0f` number is no part of an expression", span }
}

fn check_depth(cursor: &Cursor<'_>, depth: usize) -> Result<(), SyntaxError> {
    match depth > DEEPEST {
        true => Err(SyntaxError::TooDeep {
            what: "constant expressions",
            limit: DEEPEST,
            span: cursor.span(),
        }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ptx::token::lex;
    use crate::source::Files;

    fn value(text: &str) -> Result<Constant, SyntaxError> {
        let whole = Span::new(Files::default().add("constant", text), 0, text.len());
        let (tokens, _) = lex(text, whole);
        let mut cursor = Cursor::new(text, &tokens, whole);
        let constant = expression(&mut cursor)?;
        assert!(cursor.is_at_end(), "{text} goes on");
        Ok(constant.value)
    }

    /// The expected values are those that NVIDIA's assembler computes for initial values.
    #[test]
    fn integers_are_evaluated_as_the_assembler_does() {
        for (text, expected) in [
            ("(1+2)*3", 9),
            ("1-2-3", -4),
            ("100/10/5", 2),
            ("- -5", 5),
            ("!1", 0),
            ("!0", 1),
            ("!~0", 0),
            ("0?2:3", 3),
            ("1?2:3?4:5", 2),
            ("-7/2", -3),
            ("1<<63>>63", -1),
            ("-1>>1", -1),
            ("(-1&-1)<0", 1),
            ("(-1|0)>>1", -1),
            ("-1<1U", 0),
            ("-1<1", 1),
            ("~0<1", 0),
            ("(.s64)0xfabc123400000000>>60", -1),
            ("1||0&&0", 1),
            ("2+3<<1", 10),
            ("1<2==1", 1),
            ("5&3|8^1", 9),
            ("1==1U", 1),
            ("2.0>1.0", 1),
        ] {
            assert_eq!(value(text), Ok(Constant::Signed(expected)), "{text}");
        }
        for (text, expected) in [
            ("~1", u64::MAX - 1),
            ("-1U", u64::MAX),
            ("-7 % 4", 1),
            ("7 % -4", 7),
            ("-7/2U", 9_223_372_036_854_775_804),
            ("-1U>>1", u64::MAX / 2),
            ("0xfabc123400000000>>60", 15),
            ("-0xfabc123400000000", 379_408_254_058_364_928),
            ("1?-1:1U", u64::MAX),
        ] {
            assert_eq!(value(text), Ok(Constant::Unsigned(expected)), "{text}");
        }
        assert_eq!(value("WARP_SZ*2"), Ok(Constant::Signed(64)));
        assert_eq!(value("-(1.5+0d3FF0000000000000)"), Ok(Constant::Double(-2.5)));
    }

    #[test]
    fn what_has_no_value_is_an_error() {
        for text in ["5/0", "5 % 0", "1<<64", "1+2.0", "1.5?1:2", "~1.0", "-0f3F800000", "1+", "("]
        {
            assert!(value(text).is_err(), "{text}");
        }
        assert!(value(&"(".repeat(1000)).is_err());
        assert!(value(&"-".repeat(1000)).is_err());
    }
}
