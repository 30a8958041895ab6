//! Bits as numbers.

/// The low `width` bits set.
#[must_use]
pub fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// The value of the low `width` bits read as two's complement.
#[must_use]
pub fn signed(bits: u128, width: u32) -> i128 {
    let shift = 128 - width.min(128);
    ((bits << shift) as i128) >> shift
}
