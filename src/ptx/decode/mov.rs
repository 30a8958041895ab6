//! `mov`: of a value, of the elements of a vector, and between a scalar and its parts.

use super::operand::{mismatch, vector};
use super::{Decoded, Decoder};
use crate::ptx::error::{DecodeError, Expected};
use crate::ptx::instruction::{Operand, OperandKind};
use crate::ptx::names;
use crate::ptx::operation::{Element, Operation, Type, TypeKind, Value};
use crate::source::Spanned;

impl Decoder<'_> {
    pub(super) fn mov(&mut self) -> Decoded {
        let operands = self.operands(2, 2, "mov{.vec}.type d, a")?;
        if let Some(elements) = self.qualifiers.elements()? {
            return self.mov_elements(operands, elements);
        }
        if let [OperandKind::Vector(list), _] | [_, OperandKind::Vector(list)] =
            [&operands[0].kind, &operands[1].kind]
        {
            return self.mov_vector(operands, list.len());
        }
        let ty = self.register_type(
            "PTX-9.7.9.3",
            ".b16 to .b128, .u16 to .u64, .s16 to .s64, .f32, .f64 and .pred",
            |ty| ty.bits >= 16 && !ty.is_half() || ty == Type::PREDICATE,
        )?;
        self.finish("mov.type d, a")?;
        let destination = self.real_destination(&operands[0])?;
        let source = self.any_value(&operands[1], ty)?;
        if !self.in_columns() {
            self.check_moved(&source, ty)?;
        }
        Ok(Operation::Move { ty, destination, source })
    }

    /// Special registers have types (PTX-10), addresses are integers.
    fn check_moved(&self, source: &Value, ty: Type) -> Result<(), DecodeError> {
        const SECTION: &str = "PTX-9.7.9.3";
        let integer = ty.kind != TypeKind::Float && ty != Type::PREDICATE;
        match source {
            Value::AddressOf(name, _) | Value::ElementOf(Element { variable: name, .. })
                if !integer =>
            {
                Err(DecodeError::Rule {
                    message: format!("the address of `{}` is no `.{ty}`", name.value),
                    help: "addresses are integers: write `mov.u64 %rd1, x`",
                    section: SECTION,
                    span: name.span,
                })
            }
            Value::Special(name) => match names::special_register_type(&name.value) {
                None => Err(DecodeError::Rule {
                    message: format!("`%{}` is a vector", name.value),
                    help: "add the component, such as `.x`",
                    section: "PTX-10",
                    span: name.span,
                }),
                Some(found) if found.fits(ty) => Ok(()),
                Some(found) => Err(DecodeError::Rule {
                    message: format!("`%{}` is no `.{ty}`", name.value),
                    help: found.help(),
                    section: "PTX-10",
                    span: name.span,
                }),
            },
            _ => Ok(()),
        }
    }

    /// `mov.v4.u32 {a, b, c, d}, V;`, and of a special register that is a vector.
    fn mov_elements(&mut self, operands: &[Operand], elements: Spanned<u32>) -> Decoded {
        const SECTION: &str = "PTX-9.7.9.3";
        let legal = ".b16 to .b64, .u16 to .u64, .s16 to .s64, .f32 and .f64";
        let ty = self.register_type(SECTION, legal, |ty| {
            (16..=64).contains(&ty.bits) && !ty.is_half() && ty != Type::PREDICATE
        })?;
        self.finish("mov{.vec}.type d, a")?;
        if elements.value * ty.bits > 128 {
            return Err(DecodeError::Rule {
                message: format!(
                    "there is no vector of {} elements of `.{ty}` here",
                    elements.value
                ),
                help: "vectors of registers have two or four elements and at most 128 bits",
                section: "PTX-5.4.2",
                span: elements.span,
            });
        }
        let destinations = self.loaded(&operands[0], elements.value)?;
        let sources = match self.special_vector(&operands[1], elements.value) {
            Some(sources) => sources,
            None => self.moved(&operands[1], elements.value, ty)?,
        };
        sources.iter().try_for_each(|source| self.check_moved(source, ty))?;
        Ok(Operation::MoveVector { ty, destinations, sources })
    }

    /// The elements of a vector move: registers, special ones among them, and constants.
    fn moved(&self, operand: &Operand, elements: u32, ty: Type) -> Result<Vec<Value>, DecodeError> {
        let element = |element: &Operand| match self.any_value(element, ty)? {
            Value::AddressOf(..) | Value::ElementOf(_) => Err(mismatch(Expected::Value, element)),
            value => Ok(value),
        };
        vector(operand, elements)?.iter().map(element).collect()
    }

    /// The components of `%tid` and the like, which have four (PTX-10).
    fn special_vector(&self, operand: &Operand, elements: u32) -> Option<Vec<Value>> {
        let OperandKind::Name(name, 0) = &operand.kind else { return None };
        let special = names::special_register(name).filter(|_| elements == 4)?;
        if names::special_register_type(special).is_some() {
            return None;
        }
        let component = |at| Spanned::new(names::component_name(special, at), operand.span);
        Some((0..4).map(|at| Value::Special(component(at))).collect())
    }

    /// A move that packs the elements of a vector into a scalar, or unpacks them.
    fn mov_vector(&mut self, operands: &[Operand], elements: usize) -> Decoded {
        const SECTION: &str = "PTX-9.7.9.4";
        let ty = self.register_type(SECTION, ".b16, .b32, .b64 and .b128", |ty| {
            ty.kind == TypeKind::Bits && ty.bits >= 16
        })?;
        self.finish("mov.type d, a")?;
        if elements == 1 {
            let [d, a] = [&operands[0], &operands[1]].map(|operand| match &operand.kind {
                OperandKind::Vector(list) if list.len() == 1 => &list[0],
                _ => operand,
            });
            let (destination, source) = (self.real_destination(d)?, self.any_value(a, ty)?);
            return Ok(Operation::Move { ty, destination, source });
        }
        let count = u32::try_from(elements).unwrap_or(u32::MAX);
        let part = ty.part(elements);
        if !matches!(count, 2 | 4) || !(8..=64).contains(&part.bits) {
            return Err(DecodeError::Rule {
                message: format!("a `.{ty}` does not consist of {elements} elements"),
                help: "two or four elements of 8 to 64 bits each make up the scalar",
                section: SECTION,
                span: self.instruction.span,
            });
        }
        if let OperandKind::Vector(_) = operands[1].kind {
            let destination = self.real_destination(&operands[0])?;
            let parts = self.values(&operands[1], count, part)?;
            return Ok(Operation::Pack { ty, destination, parts });
        }
        let destinations = self.loaded(&operands[0], count)?;
        Ok(Operation::Unpack { ty, destinations, source: self.value(&operands[1], ty)? })
    }
}
