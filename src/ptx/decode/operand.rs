//! Operands as written into values, addresses, destinations and predicates.

use super::{Decoder, Dialect, Names};
use crate::ptx::error::{DecodeError, Expected, Found, Legal};
use crate::ptx::instruction::{Operand, OperandKind, without_percent};
use crate::ptx::literal::Float;
use crate::ptx::names::special_register;
use crate::ptx::operation::{Address, Destination, Element, Type, TypeKind, Value};
use crate::source::{Span, Spanned};

/// The remedy for a missing 16-bit constant.
const NO_HALF: &str = "there are no constants of this type: move the bits to a register first, \
                       `mov.b16 %h1, 0x3C00` or `mov.b32`";

impl Decoder<'_> {
    /// A register or a constant; in columns any operand that [`Self::any_value`] accepts.
    pub(super) fn value(&self, operand: &Operand, ty: Type) -> Result<Value, DecodeError> {
        let value = self.any_value(operand, ty)?;
        match &value {
            Value::AddressOf(..) | Value::ElementOf(_) | Value::Special(_)
                if !self.in_columns() =>
            {
                Err(DecodeError::Rule {
                    message: format!("`{operand}` is no operand of `{}`", self.form()),
                    help: "only `mov`, `cvta`, `mapa` and `getctarank` take the address of a \
                           variable, and only `mov` takes a special register: move it to a \
                           register first",
                    section: "PTX-6.4",
                    span: operand.span,
                })
            }
            _ => Ok(value),
        }
    }

    /// A register, a constant, a special register, or the address of a variable.
    pub(super) fn any_value(&self, operand: &Operand, ty: Type) -> Result<Value, DecodeError> {
        let span = operand.span;
        match &operand.kind {
            OperandKind::Integer(number) => self.integer(*number, ty, operand),
            OperandKind::Float(literal) => self.float(*literal, ty, operand),
            OperandKind::Not(_) if ty == Type::PREDICATE => self.predicate(operand),
            OperandKind::Name(name, offset) => self.named_value(name, *offset, operand),
            OperandKind::Element(name, index) => match self.element_offset(name, *index) {
                Some(offset) => Ok(Value::AddressOf(Spanned::new(name.clone(), span), offset)),
                None => Err(self.not_an_array(name, span)),
            },
            OperandKind::Indexed(name, register, more) if !self.in_columns() => {
                self.element(name, register, *more).map(Value::ElementOf)
            }
            _ => Err(mismatch(Expected::Value, operand)),
        }
    }

    /// An integer, which has no floating-point type; columns mean bits.
    fn integer(&self, number: i128, ty: Type, operand: &Operand) -> Result<Value, DecodeError> {
        if !self.in_columns() && ty.is_float() {
            return Err(DecodeError::Rule {
                message: format!("`{operand}` is an integer, `{}` takes none", self.form()),
                help: match ty.kind {
                    TypeKind::Float if ty.bits >= 32 => {
                        "write a floating-point number: `1.0`, or its bits as `0f3F800000`"
                    }
                    _ => NO_HALF,
                },
                section: "PTX-4.5",
                span: operand.span,
            });
        }
        let number = if ty == Type::PREDICATE { i128::from(number != 0) } else { number };
        Ok(Value::Immediate(Spanned::new(number, operand.span)))
    }

    /// A floating-point literal as a value of type `ty`. For a bit-size type of its own width, and
    /// in columns for all other types, the value is its bits.
    fn float(&self, literal: Float, ty: Type, operand: &Operand) -> Result<Value, DecodeError> {
        let (raw, width) = literal.raw();
        let bits = match literal.bits(ty) {
            Some(bits) => bits,
            None if ty == Type::new(TypeKind::Bits, width) || self.in_columns() => raw,
            None => {
                let help = match ty.is_float() {
                    true => NO_HALF,
                    false => {
                        "`0f` literals are for `.f32`, `.f64` and `.b32`, others for `.f32`, \
                         `.f64` and `.b64`"
                    }
                };
                return Err(DecodeError::Rule {
                    message: format!("`{}` takes no constant `{operand}`", self.form()),
                    help,
                    section: "PTX-4.5.2",
                    span: operand.span,
                });
            }
        };
        Ok(Value::Immediate(Spanned::new(bits, operand.span)))
    }

    fn named_value(
        &self,
        name: &str,
        offset: i64,
        operand: &Operand,
    ) -> Result<Value, DecodeError> {
        let spanned = Spanned::new(name.to_owned(), operand.span);
        if self.variable(name).is_some() {
            return Ok(Value::AddressOf(spanned, offset));
        }
        if let Some(special) = special_register(name) {
            return Ok(Value::Special(Spanned::new(special.to_owned(), operand.span)));
        }
        if offset != 0 || name == "_" {
            return Err(mismatch(Expected::Value, operand));
        }
        Ok(Value::Register(without_percent(spanned)))
    }

    /// One value per element: `{a, b}` for vectors, a plain value for scalars.
    pub(super) fn values(
        &self,
        operand: &Operand,
        elements: u32,
        ty: Type,
    ) -> Result<Vec<Value>, DecodeError> {
        vector(operand, elements)?.iter().map(|element| self.value(element, ty)).collect()
    }

    /// As [`Self::values`]; elements may be the sink `_`, but not all.
    pub(super) fn stored(
        &self,
        operand: &Operand,
        elements: u32,
        ty: Type,
    ) -> Result<Vec<Value>, DecodeError> {
        let list = vector(operand, elements)?;
        if list.iter().all(Operand::is_sink) {
            return Err(mismatch(Expected::Value, operand));
        }
        let value = |element: &Operand| match element.is_sink() {
            true => Ok(Value::Sink { span: element.span }),
            false => self.value(element, ty),
        };
        list.iter().map(value).collect()
    }

    /// Rejects braces around a scalar, which only loads and stores may have.
    pub(super) fn no_braces(&self, section: &'static str) -> Result<(), DecodeError> {
        if self.qualifiers.has_any(&["v2", "v4", "v8"]) {
            return Ok(());
        }
        let braced = |operand: &&Operand| matches!(operand.kind, OperandKind::Vector(_));
        match self.instruction.operands.iter().find(braced) {
            Some(operand) => Err(DecodeError::Rule {
                message: format!("`{}` takes a scalar, without braces", self.form()),
                help: "remove the braces, or write `.v2`, `.v4` or `.v8` for a vector",
                section,
                span: operand.span,
            }),
            None => Ok(()),
        }
    }

    /// A register that is written, or the sink `_`.
    pub(super) fn destination(&self, operand: &Operand) -> Result<Destination, DecodeError> {
        match &operand.kind {
            OperandKind::Name(name, 0) if name == "_" => Ok(None),
            OperandKind::Name(name, 0)
                if special_register(name).is_none() && self.variable(name).is_none() =>
            {
                Ok(Some(without_percent(Spanned::new(name.clone(), operand.span))))
            }
            OperandKind::Name(name, 0) if self.variable(name).is_some() => {
                let found = Found::Variable(name.clone());
                let span = operand.span;
                Err(DecodeError::Operand { expected: Expected::Destination, found, span })
            }
            _ => Err(mismatch(Expected::Destination, operand)),
        }
    }

    /// One destination per element.
    pub(super) fn destinations(
        &self,
        operand: &Operand,
        elements: u32,
    ) -> Result<Vec<Destination>, DecodeError> {
        vector(operand, elements)?.iter().map(|element| self.destination(element)).collect()
    }

    /// The destinations of a load, not all of which may be sinks; in columns all may.
    pub(super) fn loaded(
        &self,
        operand: &Operand,
        elements: u32,
    ) -> Result<Vec<Destination>, DecodeError> {
        let destinations = self.destinations(operand, elements)?;
        if self.in_columns() || destinations.iter().any(Option::is_some) {
            return Ok(destinations);
        }
        Err(DecodeError::Operand {
            expected: Expected::Destination,
            found: Found::OnlySinks,
            span: operand.span,
        })
    }

    /// A register that is written; the sink is no choice.
    pub(super) fn real_destination(&self, operand: &Operand) -> Result<Destination, DecodeError> {
        match self.destination(operand)? {
            None => Err(mismatch(Expected::Destination, operand)),
            some => Ok(some),
        }
    }

    /// `p`, `!p`, or an integer as in C: 0 is false (PTX-4.5.3).
    pub(super) fn predicate(&self, operand: &Operand) -> Result<Value, DecodeError> {
        let register = |name: &String| without_percent(Spanned::new(name.clone(), operand.span));
        match &operand.kind {
            OperandKind::Not(name) => Ok(Value::Not(register(name))),
            OperandKind::Name(name, 0) if name != "_" => Ok(Value::Register(register(name))),
            OperandKind::Integer(number) => self.integer(*number, Type::PREDICATE, operand),
            _ => Err(mismatch(Expected::Predicate, operand)),
        }
    }

    /// `p` or `p|q`, for instructions with two destinations.
    pub(super) fn destination_pair(
        &self,
        operand: &Operand,
    ) -> Result<(Destination, Destination), DecodeError> {
        let OperandKind::Pair(first, second) = &operand.kind else {
            return Ok((self.destination(operand)?, None));
        };
        let register =
            |name: &Spanned<String>| (name.value != "_").then(|| without_percent(name.clone()));
        Ok((register(first), register(second)))
    }

    /// `[x]`, `[x+4]`, `[%r1+8]`, `[64]`, `x[2]`, or in columns a bare `x`.
    pub(super) fn address(&self, operand: &Operand) -> Result<Address, DecodeError> {
        let inner = match &operand.kind {
            OperandKind::Bracket(list) => match list.as_slice() {
                [Operand { kind: OperandKind::Element(..) | OperandKind::Indexed(..), .. }]
                    if !self.in_columns() =>
                {
                    return Err(DecodeError::Rule {
                        message: format!("`{operand}` is no address"),
                        help: "an element is an address already: leave the brackets around it out",
                        section: "PTX-6.4.1",
                        span: operand.span,
                    });
                }
                [inner] => inner,
                _ => return Err(mismatch(Expected::OneAddress, operand)),
            },
            OperandKind::Element(..) => operand,
            OperandKind::Indexed(name, ..) if !self.takes_elements() => {
                return Err(DecodeError::Rule {
                    message: format!("`{operand}` is no address of `{}`", self.form()),
                    help: "only loads and stores take an element by a register: move its address \
                           to a register first, `mov.u64 %rd1, x[%r1]`",
                    section: "PTX-6.4.2",
                    span: name.span,
                });
            }
            OperandKind::Indexed(..) => operand,
            _ if self.in_columns() => operand,
            _ => return Err(mismatch(Expected::Address, operand)),
        };
        let address = |base, offset| Ok(Address { base, offset, span: operand.span });
        match &inner.kind {
            OperandKind::Name(name, offset) if name != "_" && special_register(name).is_none() => {
                let spanned = Spanned::new(name.clone(), inner.span);
                if self.is_register(name) {
                    address(Value::Register(without_percent(spanned)), *offset)
                } else {
                    address(Value::AddressOf(spanned, 0), *offset)
                }
            }
            OperandKind::Element(name, index) => match self.element_offset(name, *index) {
                Some(offset) => {
                    address(Value::AddressOf(Spanned::new(name.clone(), inner.span), 0), offset)
                }
                None => Err(self.not_an_array(name, inner.span)),
            },
            OperandKind::Indexed(name, register, more) => {
                address(Value::ElementOf(self.element(name, register, *more)?), 0)
            }
            OperandKind::Integer(number)
                if !self.in_columns() && u32::try_from(*number).is_err() =>
            {
                let found = Spanned::new(*number, inner.span);
                Err(range("the address", &found, Legal::Interval("0 to 4294967295")))
            }
            OperandKind::Integer(number) => {
                address(Value::Immediate(Spanned::new(*number, inner.span)), 0)
            }
            _ => Err(mismatch(Expected::Address, operand)),
        }
    }

    /// Whether a name in an address is a register. It is declared or initialized as a register or,
    /// if no variable has the name, spelled like one.
    pub(super) fn is_register(&self, name: &str) -> bool {
        let bare = name.strip_prefix('%').unwrap_or(name);
        if self.variable(name).is_some() {
            return false;
        }
        bare.len() < name.len()
            || self.names.registers.contains(bare)
            || ["rd", "rs", "r"].iter().any(|prefix| {
                bare.strip_prefix(prefix)
                    .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
            })
    }

    /// The element type of a variable, unless the thread declares a register of just that name.
    pub(super) fn variable(&self, name: &str) -> Option<Type> {
        let Names { registers, with_percent, .. } = self.names;
        let shadowed = registers.contains(name) && !with_percent.contains(name);
        self.names.variables.get(name).copied().filter(|_| !shadowed)
    }

    fn element_offset(&self, name: &str, index: u64) -> Option<i64> {
        let size = self.variable(name)?.bytes();
        i64::try_from(index).ok()?.checked_mul(i64::from(size))
    }

    /// Whether the instruction accepts an array element whose index is a register; NVIDIA's
    /// assembler accepts it in no others.
    fn takes_elements(&self) -> bool {
        let opcode = self.instruction.opcode.value.as_str();
        !self.in_columns() && matches!(opcode, "ld" | "ldu" | "st")
    }

    /// `x[%r1+2]` (PTX-6.4.2).
    fn element(
        &self,
        name: &Spanned<String>,
        register: &Spanned<String>,
        more: i64,
    ) -> Result<Element, DecodeError> {
        let Some(ty) = self.variable(&name.value) else {
            return Err(self.not_an_array(&name.value, name.span));
        };
        if !self.is_register(&register.value) || special_register(&register.value).is_some() {
            let found = Found::Named(register.value.clone());
            let expected = Expected::Index;
            return Err(DecodeError::Operand { expected, found, span: register.span });
        }
        let register = without_percent(register.clone());
        Ok(Element { variable: name.clone(), register, more, bytes: ty.bytes() })
    }

    fn not_an_array(&self, name: &str, span: Span) -> DecodeError {
        let found = match self.variable(name) {
            Some(_) => Found::LargeIndex(name.to_owned()),
            None => Found::Named(name.to_owned()),
        };
        DecodeError::Operand { expected: Expected::Array, found, span }
    }

    /// Whether the operand can only be a value: a number, or a register's name.
    pub(super) fn is_plain_value(&self, operand: &Operand) -> bool {
        match &operand.kind {
            OperandKind::Integer(_) | OperandKind::Float(_) => true,
            OperandKind::Name(name, 0) => self.is_register(name),
            _ => false,
        }
    }

    /// Whether untyped forms are read.
    pub(super) fn in_columns(&self) -> bool {
        self.dialect == Dialect::Columns
    }
}

/// The elements of a vector operand, or the operand itself for scalars.
pub(super) fn vector(operand: &Operand, elements: u32) -> Result<&[Operand], DecodeError> {
    match (&operand.kind, elements) {
        (OperandKind::Vector(list), 2..) if list.len() == elements as usize => Ok(list),
        (OperandKind::Vector(list), 1) if list.len() == 1 => Ok(list),
        (OperandKind::Vector(list), _) => Err(DecodeError::Operand {
            expected: match elements {
                1 => Expected::Scalar,
                elements => Expected::Elements(elements),
            },
            found: Found::Elements(list.len()),
            span: operand.span,
        }),
        (_, 1) => Ok(std::slice::from_ref(operand)),
        _ => Err(mismatch(Expected::Vector, operand)),
    }
}

/// The error that `expected` should stand where `operand` stands.
pub(super) fn mismatch(expected: Expected, operand: &Operand) -> DecodeError {
    DecodeError::Operand { expected, found: operand.kind.describe(), span: operand.span }
}

/// The error that a constant operand is outside the legal range.
pub(super) fn range(what: &'static str, found: &Spanned<i128>, legal: Legal) -> DecodeError {
    DecodeError::Range { what, found: found.value, legal, span: found.span }
}
