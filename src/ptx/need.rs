//! The requirements of an instruction on its register operands: types, and how declared types fit
//! them (PTX-9.4).

use super::value::{Type, TypeKind};

/// The requirement of a statement on a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// The type at which the register is used.
    pub(crate) ty: Type,
    /// How a declared type fits.
    pub(crate) fit: Fit,
}

/// The fit between the type of a register and the type at which it is used (PTX-9.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// The same width.
    Exact,
    /// At least the width: data of `ld`, `st` and `cvt` (PTX-9.4.1).
    Wider,
    /// As [`Self::Wider`], where integer registers take floating-point numbers: loaded vectors.
    Element,
    /// The same width, and no floating-point number: counts, masks, tokens.
    Integer,
    /// At least the width, and no floating-point number: sizes.
    Count,
    /// The same width, and declared as nothing but bits: pairs of numbers.
    Bits,
    /// An integer that holds an address.
    Address,
    /// The same width, of any kind: elements of vectors of pairs and short numbers.
    Width,
    /// A predicate, or an integer of 32 bits: how much of a source is copied.
    Amount,
    /// No requirement.
    Any,
}

impl Need {
    pub(crate) const fn new(ty: Type, fit: Fit) -> Self {
        Self { ty, fit }
    }

    /// Just this type.
    pub(crate) const fn exact(ty: Type) -> Self {
        Self::new(ty, Fit::Exact)
    }

    pub(crate) const PREDICATE: Self = Self::exact(Type::PREDICATE);
    /// A count or a mask of 32 bits.
    pub(crate) const WORD: Self = Self::new(Type::B32, Fit::Integer);
    /// A token of 64 bits.
    pub(crate) const TOKEN: Self = Self::new(Type::B64, Fit::Integer);
    /// An address, which may have 32 bits; the width must come from elsewhere.
    pub(crate) const ADDRESS: Self = Self::new(Type::B32, Fit::Address);
    /// How much of a source is copied.
    pub(crate) const AMOUNT: Self = Self::new(Type::PREDICATE, Fit::Amount);
    /// A register of 32 bits, whatever it holds.
    pub(crate) const ELEMENT: Self = Self::new(Type::B32, Fit::Width);
    /// A register of which nothing is known.
    pub(crate) const ANY: Self = Self::new(Type::B32, Fit::Any);

    /// Whether a register declared with this type meets the requirement.
    pub(crate) fn fits(self, declared: Type) -> bool {
        use TypeKind::{Bits, Float, Predicate, Signed, Unsigned};
        let integer = |kind| matches!(kind, Unsigned | Signed);
        let (found, asked) = (declared.kind, self.ty.kind);
        let class = found == asked
            || ((found == Bits || asked == Bits) && found != Predicate && asked != Predicate)
            || (integer(found) && integer(asked));
        match self.fit {
            Fit::Any => true,
            Fit::Width => found != Predicate && declared.bits == self.ty.bits,
            Fit::Address => {
                (found == Bits || integer(found)) && matches!(declared.bits, 16 | 32 | 64)
            }
            Fit::Exact => class && declared.bits == self.ty.bits,
            // A wider floating-point register does not hold a narrower number.
            Fit::Wider if found == Float && asked == Float => declared.bits == self.ty.bits,
            Fit::Wider => class && declared.bits >= self.ty.bits,
            Fit::Element if asked == Float && (integer(found) || found == Float) => {
                declared.bits == self.ty.bits
            }
            Fit::Element => class && declared.bits >= self.ty.bits,
            Fit::Amount => {
                found == Predicate || (found == Bits || integer(found)) && declared.bits == 32
            }
            Fit::Bits => found == Bits && declared.bits == self.ty.bits,
            Fit::Count => (found == Bits || integer(found)) && declared.bits >= self.ty.bits,
            Fit::Integer => (found == Bits || integer(found)) && declared.bits == self.ty.bits,
        }
    }
}
