//! `cvt` between types; conversions with floating-point types are checked, and outside the subset.

use super::{Decoded, Decoder, outside};
use crate::ptx::error::DecodeError;
use crate::ptx::operation::{Element, Operation, Type, TypeKind, Value};
use crate::source::{Span, Spanned};

const SECTION: &str = "PTX-9.7.9.21";

/// The rounding of a conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rounding {
    /// `.rni` and the like: to an integer.
    Integer,
    /// `.rn` and the like: to a number of the format.
    Float,
}

/// The rounding that the types of a conversion require.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Nothing,
    Needed(Rounding),
    Optional(Rounding),
}

impl Decoder<'_> {
    pub(super) fn convert(&mut self) -> Decoded {
        let types = self.qualifiers.types();
        if let Some(ty) =
            types.iter().find(|ty| matches!(ty.value.kind, TypeKind::Bits | TypeKind::Predicate))
        {
            return Err(self.illegal_type(
                *ty,
                ".u8 to .u64, .s8 to .s64 and floating point",
                SECTION,
            ));
        }
        let rounding = self.qualifiers.take(rounding)?;
        let flushes = self.qualifiers.flag("ftz")?;
        let saturates = self.qualifiers.flag("sat")?;
        let plain = self.finish("").is_ok();
        if types.len() != 2 && plain {
            return Err(self.missing("two types: `cvt.to.from d, a`", SECTION));
        }
        let [to, from] = types[..] else {
            return Ok(outside::unknown(self));
        };
        let integers = is_integer(to.value) && is_integer(from.value);
        // Packed and narrow formats have words of their own.
        if to.value.is_packed() || from.value.is_packed() || !integers && !plain {
            return Ok(outside::unknown(self));
        }
        self.finish("cvt{.rounding}{.ftz}{.sat}.to.from d, a")?;
        let (to, from) = (to.value, from.value);
        self.check_rounding(rounding, to, from)?;
        let single = Type::new(TypeKind::Float, 32);
        if let Some(span) = flushes.filter(|_| to != single && from != single) {
            return Err(rule(
                "`.ftz` is for conversions from or to `.f32`".to_owned(),
                "leave it out: other types keep their subnormal numbers",
                span,
            ));
        }
        if let Some(span) = saturates.filter(|_| integers && is_within(from, to)) {
            return Err(rule(
                format!("`.sat` changes nothing: every `.{from}` is a `.{to}`"),
                "leave it out",
                span,
            ));
        }
        let operands = self.operands(2, 2, "cvt.to.from d, a")?;
        let destination = self.real_destination(&operands[0])?;
        let source = self.any_value(&operands[1], from)?;
        if let Value::AddressOf(name, _) | Value::ElementOf(Element { variable: name, .. }) =
            &source
            && !self.in_columns()
        {
            return Err(rule(
                format!("`{}` is no operand of `{}`", operands[1], self.form()),
                "move the address of a variable to a register first",
                name.span,
            ));
        }
        if !integers {
            return Ok(outside::unknown(self));
        }
        Ok(Operation::Convert { saturating: saturates.is_some(), to, from, destination, source })
    }

    /// Floats become integers by a rounding to integers, and lose digits by one to floats.
    fn check_rounding(
        &self,
        written: Option<Spanned<Rounding>>,
        to: Type,
        from: Type,
    ) -> Result<(), DecodeError> {
        let wanted = match (is_integer(to), is_integer(from)) {
            (true, true) => Wanted::Nothing,
            (true, false) => Wanted::Needed(Rounding::Integer),
            (false, true) => Wanted::Needed(Rounding::Float),
            (false, false) if to == from => Wanted::Optional(Rounding::Integer),
            (false, false) if to.bits < from.bits => Wanted::Needed(Rounding::Float),
            (false, false) if [to.kind, from.kind].contains(&TypeKind::Bfloat) => {
                Wanted::Optional(Rounding::Float)
            }
            (false, false) => Wanted::Nothing,
        };
        match (wanted, written) {
            (Wanted::Needed(Rounding::Integer), None) => Err(self
                .missing("a rounding mode to integers: `.rni`, `.rzi`, `.rmi` or `.rpi`", SECTION)),
            (Wanted::Needed(Rounding::Float), None) => {
                Err(self.missing("a rounding mode: `.rn`, `.rz`, `.rm` or `.rp`", SECTION))
            }
            (Wanted::Nothing, Some(found)) => Err(rule(
                format!("no `.{from}` is rounded to become a `.{to}`"),
                "leave the rounding mode out",
                found.span,
            )),
            (Wanted::Needed(right) | Wanted::Optional(right), Some(found))
                if found.value != right =>
            {
                let help = match right {
                    Rounding::Integer => "round to integers: `.rni`, `.rzi`, `.rmi` or `.rpi`",
                    Rounding::Float => {
                        "round to numbers of the format: `.rn`, `.rz`, `.rm` or `.rp`"
                    }
                };
                Err(rule(
                    format!("this is no rounding of a `.{from}` to a `.{to}`"),
                    help,
                    found.span,
                ))
            }
            _ => Ok(()),
        }
    }
}

fn rule(message: String, help: &'static str, span: Span) -> DecodeError {
    DecodeError::Rule { message, help, section: SECTION, span }
}

fn rounding(word: &str) -> Option<Rounding> {
    match word {
        "rni" | "rzi" | "rmi" | "rpi" => Some(Rounding::Integer),
        "rn" | "rz" | "rm" | "rp" => Some(Rounding::Float),
        _ => None,
    }
}

fn is_integer(ty: Type) -> bool {
    matches!(ty.kind, TypeKind::Unsigned | TypeKind::Signed)
}

/// Whether the range of a type contains that of another.
fn is_within(inner: Type, outer: Type) -> bool {
    match (inner.is_signed(), outer.is_signed()) {
        (true, false) => false,
        (false, true) => inner.bits < outer.bits,
        _ => inner.bits <= outer.bits,
    }
}
