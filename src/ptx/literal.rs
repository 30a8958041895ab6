//! Number literals of PTX (PTX-4.5): integers in four bases, floating-point numbers in decimal and
//! as bit patterns.

use crate::ptx::value::{Type, TypeKind};
use half::{bf16, f16};

/// Why a literal is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralFault {
    /// Letters or digits outside its base.
    Malformed,
    /// More than 64 bits.
    TooLarge,
}

/// A floating-point literal (PTX-4.5.2), as its bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    /// `0f3F800000`: exact, and no part of a constant expression.
    Single(u32),
    /// `0d3FF0000000000000` or `1.0`.
    Double(u64),
}

impl Float {
    /// Reads a floating-point literal without a sign; `None` when the text is none.
    ///
    /// ```
    /// use ptxmc::testing::ptx::literal::Float;
    /// assert_eq!(Float::parse("0f3F800000"), Some(Float::Single(0x3f80_0000)));
    /// assert_eq!(Float::parse("1e3"), Some(Float::Double(1000_f64.to_bits())));
    /// assert_eq!(Float::parse("1000"), None);
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if let Some(bits) = exact_bits(text) {
            return match bits.len() {
                8 => u32::from_str_radix(bits, 16).ok().map(Self::Single),
                _ => u64::from_str_radix(bits, 16).ok().map(Self::Double),
            };
        }
        let decimal = text.bytes().all(|b| b.is_ascii_digit() || b".eE+-".contains(&b));
        let number = (decimal && text.contains(['.', 'e', 'E'])).then(|| text.parse::<f64>());
        Some(Self::Double(number?.ok()?.to_bits()))
    }

    /// The literal negated; the exact 32-bit form has no negation.
    #[must_use]
    pub fn negated(self) -> Option<Self> {
        match self {
            Self::Single(_) => None,
            Self::Double(bits) => Some(Self::Double((-f64::from_bits(bits)).to_bits())),
        }
    }

    /// The bits as a value of a floating-point type, rounded to nearest even where that is
    /// narrower; `None` where the type is another one.
    #[must_use]
    #[allow(clippy::cast_possible_truncation, reason = "the conversion that PTX specifies")]
    pub fn bits(self, ty: Type) -> Option<i128> {
        Some(match (ty.kind, ty.bits, self) {
            (TypeKind::Float, 32, Self::Single(bits)) => bits.into(),
            (TypeKind::Float, 64, Self::Single(bits)) => {
                f64::from(f32::from_bits(bits)).to_bits().into()
            }
            (TypeKind::Float, 32, Self::Double(bits)) => {
                (f64::from_bits(bits) as f32).to_bits().into()
            }
            (TypeKind::Float, 64, Self::Double(bits)) => bits.into(),
            _ => return None,
        })
    }

    /// The bits as a value of a floating-point type, 16-bit types included, or as the number that a
    /// `.b32` or `.b64` holds; `None` for other types.
    #[must_use]
    pub fn converted(self, ty: Type) -> Option<i128> {
        let half = |single: fn(f32) -> u16, double: fn(f64) -> u16| match self {
            Self::Single(bits) => single(f32::from_bits(bits)),
            Self::Double(bits) => double(f64::from_bits(bits)),
        };
        match (ty.kind, ty.bits) {
            (TypeKind::Float, 16) => {
                let bits = half(|x| f16::from_f32(x).to_bits(), |x| f16::from_f64(x).to_bits());
                Some(bits.into())
            }
            (TypeKind::Bfloat, 16) => {
                let bits = half(|x| bf16::from_f32(x).to_bits(), |x| bf16::from_f64(x).to_bits());
                Some(bits.into())
            }
            (TypeKind::Bits, bits @ (32 | 64)) => self.bits(Type::new(TypeKind::Float, bits)),
            _ => self.bits(ty),
        }
    }

    /// The bits as written, and their number.
    #[must_use]
    pub fn raw(self) -> (i128, u32) {
        match self {
            Self::Single(bits) => (bits.into(), 32),
            Self::Double(bits) => (bits.into(), 64),
        }
    }
}

impl std::fmt::Display for Float {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match *self {
            Self::Single(bits) => write!(f, "0f{bits:08X}"),
            Self::Double(bits) => match f64::from_bits(bits) {
                number if number.is_finite() && number.abs() < 1e16 => write!(f, "{number:?}"),
                _ => write!(f, "0d{bits:016X}"),
            },
        }
    }
}

/// A readable form of a floating-point value: the shortest decimal number that converts to the
/// value, else the bits. `None` where the type is another one.
///
/// ```
/// use ptxmc::testing::ptx::literal::shown;
/// use ptxmc::testing::ptx::operation::{Type, TypeKind};
/// let single = Type::new(TypeKind::Float, 32);
/// assert_eq!(shown(0x3F80_0000, single).as_deref(), Some("1.0"));
/// assert_eq!(shown(0x7FC0_0000, single).as_deref(), Some("0f7FC00000"));
/// assert_eq!(shown(1, Type::new(TypeKind::Unsigned, 32)), None);
/// ```
#[must_use]
#[allow(clippy::cast_possible_truncation, reason = "the type says how wide the bits are")]
pub fn shown(bits: u128, ty: Type) -> Option<String> {
    let (text, exact) = match (ty.kind, ty.bits) {
        (TypeKind::Float, 16) => {
            (format!("{:?}", f16::from_bits(bits as u16).to_f32()), format!("{bits:#06X}"))
        }
        (TypeKind::Bfloat, 16) => {
            (format!("{:?}", bf16::from_bits(bits as u16).to_f32()), format!("{bits:#06X}"))
        }
        (TypeKind::Float, 32) => {
            (format!("{:?}", f32::from_bits(bits as u32)), format!("0f{bits:08X}"))
        }
        (TypeKind::Float, 64) => {
            (format!("{:?}", f64::from_bits(bits as u64)), format!("0d{bits:016X}"))
        }
        _ => return None,
    };
    let (sign, number) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let read = Float::parse(number);
    let read = if sign.is_empty() { read } else { read.and_then(Float::negated) };
    let same = read.and_then(|float| float.converted(ty)) == i128::try_from(bits).ok();
    Some(if same { text } else { exact })
}

/// The value of an integer literal, or the bits of a `0f`/`0d` literal.
///
/// # Errors
/// When the text is no literal, or does not fit 64 bits.
///
/// ```
/// use ptxmc::testing::ptx::literal::integer;
/// assert_eq!(integer("0x10"), Ok(16));
/// assert_eq!(integer("0f3F800000"), Ok(0x3f80_0000));
/// ```
pub fn integer(text: &str) -> Result<i128, LiteralFault> {
    let strip = |upper: &str, lower: &str| {
        text.strip_prefix(upper)
            .or_else(|| text.strip_prefix(lower))
            .map(|rest| rest.strip_suffix(['U', 'u']).unwrap_or(rest))
    };
    if let Some(bits) = exact_bits(text) {
        return digits(bits, 16);
    }
    if let Some(rest) = strip("0x", "0X") {
        return digits(rest, 16);
    }
    if let Some(rest) = strip("0b", "0B") {
        return digits(rest, 2);
    }
    let decimal = text.strip_suffix(['U', 'u']).unwrap_or(text);
    match decimal.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => digits(octal, 8),
        _ => digits(decimal, 10),
    }
}

/// An integer without a sign that has more than 64 bits and at most 128; none of PTX has.
#[must_use]
pub fn wide_integer(text: &str) -> Option<u128> {
    let hexadecimal = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"));
    let bits = match hexadecimal {
        Some(digits) => u128::from_str_radix(digits, 16),
        None if text.starts_with('0') => return None,
        None => text.parse(),
    };
    bits.ok().filter(|&bits| bits > u128::from(u64::MAX))
}

/// The digits of `0f` and `0d` literals, which must be complete.
fn exact_bits(text: &str) -> Option<&str> {
    let (prefix, rest) = text.split_at_checked(2)?;
    match (prefix, rest.len()) {
        ("0f" | "0F", 8) | ("0d" | "0D", 16) => Some(rest),
        _ => None,
    }
}

fn digits(text: &str, radix: u32) -> Result<i128, LiteralFault> {
    if text.is_empty() || !text.chars().all(|c| c.is_digit(radix)) {
        return Err(LiteralFault::Malformed);
    }
    u64::from_str_radix(text, radix).map(i128::from).map_err(|_| LiteralFault::TooLarge)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_base() {
        assert_eq!(integer("0"), Ok(0));
        assert_eq!(integer("42"), Ok(42));
        assert_eq!(integer("017"), Ok(15));
        assert_eq!(integer("0b101"), Ok(5));
        assert_eq!(integer("0xFFU"), Ok(255));
        assert_eq!(integer("0d3FF0000000000000"), Ok(0x3ff0_0000_0000_0000));
    }

    #[test]
    fn floating_point_numbers_are_converted_to_the_type_of_their_use() {
        let [single, double] = [32, 64].map(|bits| Type::new(TypeKind::Float, bits));
        let bits = |text: &str, ty: Type| Float::parse(text).and_then(|float| float.bits(ty));
        assert_eq!(bits("0d3FF0000000000000", single), Some(0x3f80_0000));
        assert_eq!(bits("0f3F800000", double), Some(0x3ff0_0000_0000_0000));
        assert_eq!(bits("1.", double), bits("0d3FF0000000000000", double));
        assert_eq!(bits(".5", single), Some(0x3f00_0000));
        // Halfway between 1 and its neighbour, and just above.
        assert_eq!(bits("0d3FF0000010000000", single), Some(0x3f80_0000));
        assert_eq!(bits("0d3FF0000010000001", single), Some(0x3f80_0001));
        assert_eq!(bits("1e3", Type::new(TypeKind::Unsigned, 32)), None);
        assert_eq!(Float::parse("0x1e3"), None);
    }

    #[test]
    fn what_is_shown_is_converted_back() {
        let [half, single, double] = [16, 32, 64].map(|bits| Type::new(TypeKind::Float, bits));
        let brain = Type::new(TypeKind::Bfloat, 16);
        for (ty, bits, text) in [
            (half, 0x3C00, "1.0"),
            (half, 0x2E66, "0.099975586"),
            (half, 0x7C00, "0x7C00"),
            (brain, 0x3F80, "1.0"),
            (single, 0x8000_0000, "-0.0"),
            (single, 0x3DCC_CCCD, "0.1"),
            (single, 1, "1e-45"),
            (single, 0xFF80_0000, "0fFF800000"),
            (double, 0x7E37_E43C_8800_759C, "1e300"),
            (double, 0x7FF0_0000_0000_0001, "0d7FF0000000000001"),
        ] {
            assert_eq!(shown(bits, ty).as_deref(), Some(text));
        }
    }

    #[test]
    fn rejects_what_is_no_number() {
        assert_eq!(integer("08"), Err(LiteralFault::Malformed));
        assert_eq!(integer("0x"), Err(LiteralFault::Malformed));
        assert_eq!(integer("1z"), Err(LiteralFault::Malformed));
        assert_eq!(integer("99999999999999999999"), Err(LiteralFault::TooLarge));
    }
}
