//! The words that say how floating-point sums, minima and maxima are computed (PTX-9.7.3,
//! PTX-9.7.4).

use std::fmt::{Display, Formatter, Result};

/// The direction in which a sum that its format lacks is rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rounding {
    /// `.rn`: to the nearest number, of two to the even one.
    #[default]
    Nearest,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards negative infinity.
    Down,
    /// `.rp`: towards positive infinity.
    Up,
}

/// The treatment of subnormal operands and results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Subnormals {
    /// They are kept.
    #[default]
    Kept,
    /// `.ftz`: they are flushed to zeros of their signs.
    Flushed,
}

/// Which results there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Range {
    /// All.
    #[default]
    Whole,
    /// `.sat`: 0 to 1; no number is 0.
    Unit,
}

/// The lesser and the greater of a number and a NaN.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Nans {
    /// The number.
    #[default]
    Lose,
    /// `.NaN`: the NaN.
    Win,
}

/// The comparison that decides the lesser and the greater.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Signs {
    /// The numbers.
    #[default]
    Count,
    /// `.xorsign.abs`: by magnitudes; the sign of the result is the exclusive or of both signs.
    Combine,
    /// `.abs`: by magnitudes; the result has no sign.
    Drop,
}

/// How a floating-point instruction computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the types say what the fields are")]
pub struct FloatMode {
    pub rounding: Rounding,
    pub subnormals: Subnormals,
    pub range: Range,
    pub nans: Nans,
    pub signs: Signs,
}

impl FloatMode {
    /// The mode that some qualifiers ask for, others left aside.
    #[must_use]
    pub fn new<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let mut mode = Self::default();
        for word in words {
            match word {
                "rz" => mode.rounding = Rounding::Zero,
                "rm" => mode.rounding = Rounding::Down,
                "rp" => mode.rounding = Rounding::Up,
                "ftz" => mode.subnormals = Subnormals::Flushed,
                "sat" => mode.range = Range::Unit,
                "NaN" => mode.nans = Nans::Win,
                "xorsign" => mode.signs = Signs::Combine,
                // Before or after `.xorsign`, this word adds nothing.
                "abs" if mode.signs == Signs::Count => mode.signs = Signs::Drop,
                _ => {}
            }
        }
        mode
    }
}

/// The words, each with its dot; the defaults have none.
impl Display for FloatMode {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        f.write_str(match self.rounding {
            Rounding::Nearest => "",
            Rounding::Zero => ".rz",
            Rounding::Down => ".rm",
            Rounding::Up => ".rp",
        })?;
        let words = [
            (self.subnormals == Subnormals::Flushed, ".ftz"),
            (self.range == Range::Unit, ".sat"),
            (self.nans == Nans::Win, ".NaN"),
            (self.signs == Signs::Combine, ".xorsign.abs"),
            (self.signs == Signs::Drop, ".abs"),
        ];
        words.iter().filter(|(written, _)| *written).try_for_each(|(_, word)| f.write_str(word))
    }
}
