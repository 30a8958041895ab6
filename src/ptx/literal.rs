//! Number literals of PTX (PTX-4.5): decimal, hexadecimal, octal, binary, and the bit patterns of
//! floating-point numbers.

/// Why a literal is no number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LiteralFault {
    /// Letters or digits that its base lacks.
    Malformed,
    /// More than 64 bits.
    TooLarge,
}

/// The value of an integer literal, or the bits of a `0f`/`0d` literal.
///
/// # Errors
/// When the text is no literal, or does not fit 64 bits.
///
/// ```
/// use ptxmc::ptx::literal::integer;
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
    fn rejects_what_is_no_number() {
        assert_eq!(integer("08"), Err(LiteralFault::Malformed));
        assert_eq!(integer("0x"), Err(LiteralFault::Malformed));
        assert_eq!(integer("1z"), Err(LiteralFault::Malformed));
        assert_eq!(integer("99999999999999999999"), Err(LiteralFault::TooLarge));
    }
}
