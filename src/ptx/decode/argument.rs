//! Operands as the roles in a form require them.

use super::Decoder;
use super::operand::{mismatch, range, vector};
use crate::ptx::error::{DecodeError, Expected, Found, Legal};
use crate::ptx::form::{OperandForm, Role};
use crate::ptx::instruction::{Operand, OperandKind};
use crate::ptx::names;
use crate::ptx::row::{Op, Row, Takes};
use crate::ptx::value::{Element, Type, TypeKind, Value};
use crate::ptx::written::{Arg, Written};
use crate::source::Spanned;

impl Decoder<'_> {
    /// An operand, converted as its form requires, in an instruction with these words.
    pub(super) fn argument(
        &self,
        operand: &Operand,
        written: &Written,
        form: &OperandForm,
    ) -> Result<Arg, DecodeError> {
        let ty = written.need(form).ty;
        match form.role {
            Role::Destination if matches!(form.takes, Takes::Vector(_)) => {
                let elements = written.words.elements();
                Ok(Arg::Into(match operand.is_sink() {
                    // One sink for all elements makes a reduction (PTX-9.7.13.5).
                    true => vec![None; elements as usize],
                    false => self.loaded(operand, elements)?,
                }))
            }
            Role::Destination if matches!(form.takes, Takes::Data(_) | Takes::Lanes(_)) => {
                self.loaded(operand, written.words.elements()).map(Arg::Into)
            }
            Role::Destination | Role::Pair => self.written(operand, form),
            Role::Memory => self.address(operand).map(Arg::Memory),
            Role::Tensor => self.tensor(operand),
            Role::Into => self.registers(operand, (form, ty), written.words.elements()),
            Role::Matrix if matches!(operand.kind, OperandKind::Bracket(_)) => {
                self.address(operand).map(Arg::Memory)
            }
            Role::Matrix if !matches!(operand.kind, OperandKind::Vector(_)) => {
                self.source(operand, (written.form.row, form), ty)
            }
            Role::Matrix | Role::Elements => {
                self.elements(operand, (form, ty), written.words.elements())
            }
            Role::Truth => self.predicate(operand).map(Arg::Value),
            Role::Label => label(operand).map(Arg::Label),
            Role::Constant(number) => self.constant(operand, number),
            Role::Source if matches!(form.takes, Takes::Components(_)) => {
                let components = components(operand, written.words.elements())?;
                components.iter().try_for_each(|source| self.check_moved(source, ty))?;
                Ok(Arg::Elements(components))
            }
            Role::Source
                if matches!(form.takes, Takes::Data(_))
                    && matches!(written.form.row.op, Op::Store)
                    && ty.skips_sinks(written.words.elements()) =>
            {
                self.stored(operand, written.words.elements(), ty).map(Arg::Elements)
            }
            Role::Source
                if matches!(form.takes, Takes::Vector(_) | Takes::Data(_) | Takes::Lanes(_)) =>
            {
                self.values(operand, written.words.elements(), ty).map(Arg::Elements)
            }
            Role::Source => self.source(operand, (written.form.row, form), ty),
        }
    }

    fn written(&self, operand: &Operand, form: &OperandForm) -> Result<Arg, DecodeError> {
        let is_pair = matches!(operand.kind, OperandKind::Pair(..));
        if form.role == Role::Destination {
            let destination = match form.takes {
                _ if is_pair => return Err(mismatch(Expected::OneDestination, operand)),
                Takes::Sink | Takes::Token | Takes::Unused(_) => self.destination(operand)?,
                _ => self.real_destination(operand)?,
            };
            return Ok(Arg::Destination(destination));
        }
        let (destination, predicate) = self.destination_pair(operand)?;
        // Of two predicates each may be unused.
        if form.takes == Takes::Fixed(Type::PREDICATE) {
            return Ok(Arg::Pair(destination, predicate));
        }
        let expected = match (form.takes, &destination, &predicate) {
            (Takes::Both(what), _, None) => what,
            // One of the two may be unused.
            (Takes::Sink, None, None) if is_pair => Expected::Destination,
            (Takes::Both(_) | Takes::Sink, ..) | (_, Some(_), _) => {
                return Ok(Arg::Pair(destination, predicate));
            }
            (_, None, _) => Expected::Destination,
        };
        Err(mismatch(expected, operand))
    }

    fn source(
        &self,
        operand: &Operand,
        (row, form): (&Row, &OperandForm),
        ty: Type,
    ) -> Result<Arg, DecodeError> {
        let value = match form.takes {
            Takes::Moved(_) => {
                let value = self.any_value(operand, ty)?;
                self.check_moved(&value, ty)?;
                value
            }
            Takes::Special(_) | Takes::Converted(_) => self.value_or_special(operand, ty)?,
            Takes::Name(_) | Takes::Descriptor | Takes::Matrix | Takes::Factor => {
                self.any_value(operand, ty)?
            }
            Takes::Amount if matches!(operand.kind, OperandKind::Not(_)) => {
                self.predicate(operand)?
            }
            Takes::Amount => self.value(operand, Type::B32)?,
            Takes::Table => {
                let OperandKind::Integer(table) = operand.kind else {
                    return Err(mismatch(Expected::Table, operand));
                };
                // Larger constants are cut, as those of other instructions are.
                return Ok(Arg::Constant(table & 0xFF));
            }
            _ => self.value(operand, ty)?,
        };
        match (form.takes, &value) {
            (Takes::Register(_), Value::Register(_)) => {}
            (Takes::Register(_), _) => return Err(mismatch(Expected::Register, operand)),
            (Takes::Packed, Value::Immediate(found)) => {
                return Err(DecodeError::Rule {
                    message: format!("`{operand}` is no operand of `{}`", self.form()),
                    help: "pairs of numbers come from registers: move the bits to one first, \
                           `mov.b32 %r1, 0x00010002`",
                    section: row.section,
                    span: found.span,
                });
            }
            (Takes::Within(limits), Value::Immediate(found)) if !limits.include(found.value) => {
                return Err(range(limits.what, found, limits.legal));
            }
            (Takes::Size, Value::Immediate(found)) if found.value < 0 || found.value % 8 != 0 => {
                let legal = Legal::Values("0 or a positive multiple of 8");
                return Err(range("the size", found, legal));
            }
            _ => {}
        }
        Ok(Arg::Value(value))
    }

    /// An operand that is one number in every instruction.
    pub(super) fn constant(&self, operand: &Operand, number: i128) -> Result<Arg, DecodeError> {
        match self.value(operand, Type::B32)? {
            Value::Immediate(found) if found.value == number => Ok(Arg::Constant(number)),
            Value::Immediate(found) if number == 0 => {
                Err(range("the initial value", &found, Legal::Values("0")))
            }
            Value::Immediate(found) => Err(range("the size", &found, Legal::Values("128"))),
            other => {
                let (expected, span) = (Expected::Constant(number), other.span());
                Err(DecodeError::Operand { expected, found: Found::Register, span })
            }
        }
    }

    /// `{%f1, %f2}`, written.
    fn registers(
        &self,
        operand: &Operand,
        (form, ty): (&OperandForm, Type),
        elements: u32,
    ) -> Result<Arg, DecodeError> {
        Ok(Arg::Into(match form.takes {
            Takes::Vector(_) => self.loaded(operand, elements)?,
            Takes::Parts(_) => {
                let list = braced(operand)?;
                self.part(ty, list.len())?;
                self.loaded(operand, u32::try_from(list.len()).unwrap_or(u32::MAX))?
            }
            _ => {
                let list = braced(operand)?.iter().map(|register| self.real_destination(register));
                list.collect::<Result<_, _>>()?
            }
        }))
    }

    /// `{%r1, %r2}`, read.
    fn elements(
        &self,
        operand: &Operand,
        (form, ty): (&OperandForm, Type),
        elements: u32,
    ) -> Result<Arg, DecodeError> {
        let element = |element: &Operand| match self.any_value(element, ty)? {
            Value::AddressOf(..) | Value::ElementOf(_) => Err(mismatch(Expected::Value, element)),
            value => self.check_moved(&value, ty).map(|()| value),
        };
        let list = braced(operand)?;
        let values: Result<_, _> = match form.takes {
            Takes::Moved(_) => vector(operand, elements)?.iter().map(element).collect(),
            Takes::Parts(_) => {
                let part = self.part(ty, list.len())?;
                list.iter().map(|element| self.value(element, part)).collect()
            }
            Takes::Fixed(ty) => list.iter().map(|element| self.value(element, ty)).collect(),
            _ => list.iter().map(|element| self.value(element, Type::B32)).collect(),
        };
        Ok(Arg::Elements(values?))
    }

    /// The type of each of so many parts that make up a scalar; one is the scalar itself.
    fn part(&self, ty: Type, elements: usize) -> Result<Type, DecodeError> {
        let part = ty.part(elements);
        if elements == 1 || matches!(elements, 2 | 4) && (8..=64).contains(&part.bits) {
            return Ok(part);
        }
        Err(DecodeError::Rule {
            message: format!("a `.{ty}` does not consist of {elements} elements"),
            help: "two or four elements of 8 to 64 bits each make up the scalar",
            section: "PTX-9.7.9.4",
            span: self.instruction.span,
        })
    }

    /// A value or a special register, and no address.
    fn value_or_special(&self, operand: &Operand, ty: Type) -> Result<Value, DecodeError> {
        let value = self.any_value(operand, ty)?;
        match &value {
            Value::AddressOf(name, _) | Value::ElementOf(Element { variable: name, .. })
                if !self.in_columns() =>
            {
                Err(DecodeError::Rule {
                    message: format!("`{operand}` is no operand of `{}`", self.form()),
                    help: "move the address of a variable to a register first",
                    section: "PTX-9.7.9.21",
                    span: name.span,
                })
            }
            _ => Ok(value),
        }
    }

    /// Special registers have types (PTX-10), addresses are integers; columns have neither.
    fn check_moved(&self, source: &Value, ty: Type) -> Result<(), DecodeError> {
        let integer = ty.kind != TypeKind::Float && ty != Type::PREDICATE;
        match source {
            _ if self.in_columns() => Ok(()),
            Value::AddressOf(name, _) | Value::ElementOf(Element { variable: name, .. })
                if !integer =>
            {
                Err(DecodeError::Rule {
                    message: format!("the address of `{}` is no `.{ty}`", name.value),
                    help: "addresses are integers: write `mov.u64 %rd1, x`",
                    section: "PTX-9.7.9.3",
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
}

fn braced(operand: &Operand) -> Result<&[Operand], DecodeError> {
    match &operand.kind {
        OperandKind::Vector(list) if !list.is_empty() => Ok(list),
        _ => Err(mismatch(Expected::Vector, operand)),
    }
}

/// The components of `%tid` and the like, which have four (PTX-10).
fn components(operand: &Operand, elements: u32) -> Result<Vec<Value>, DecodeError> {
    let special = match &operand.kind {
        OperandKind::Name(name, 0) => names::special_register(name),
        _ => None,
    };
    let vector = special.filter(|name| names::special_register_type(name).is_none());
    let vector = vector.ok_or_else(|| mismatch(Expected::Elements(elements), operand))?;
    let component = |at| Spanned::new(names::component_name(vector, at), operand.span);
    Ok((0..elements as usize).map(|at| Value::Special(component(at))).collect())
}

fn label(operand: &Operand) -> Result<Spanned<String>, DecodeError> {
    match &operand.kind {
        OperandKind::Name(name, 0) => Ok(Spanned::new(name.clone(), operand.span)),
        _ => Err(mismatch(Expected::Label, operand)),
    }
}
