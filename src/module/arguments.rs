//! The arguments of a launch as the kernel's parameters: variables that nothing writes.

use super::ast::{Function, Parameter};
use super::launch::{Argument, Field, Launch};
use crate::litmus::ast::{AddressBits, DeclaredSpace, InitialAddress, Variable};
use crate::litmus::error::LitmusError;
use crate::litmus::parse::tensormap::variable;
use crate::litmus::tensor::TensorMap;
use crate::ptx::literal::Float;
use crate::ptx::operation::{Type, TypeKind};
use crate::source::{Span, Spanned};

/// A pointer in bytes.
const POINTER: u64 = 8;

/// A parameter with its argument.
pub(crate) struct Passed {
    /// The parameter, with the argument as its initial value.
    pub(crate) variable: Variable,
    /// The tensor map that the parameter is, as a copy of a declared one.
    pub(crate) map: Option<TensorMap>,
}

/// The parameters of a kernel with the arguments of a launch, which may be copies of tensor maps.
///
/// # Errors
/// When the numbers of arguments and parameters differ, or when an argument does not fit.
pub(crate) fn parameters(
    kernel: &Function,
    launch: &Launch,
    maps: &[TensorMap],
) -> Result<Vec<Passed>, LitmusError> {
    let (given, taken) = (launch.arguments.len(), kernel.parameters.len());
    if given != taken {
        let names: Vec<_> = kernel.parameters.iter().map(|p| format!("`{}`", p.name())).collect();
        let message = format!("`{}` takes {taken} arguments, not {given}", kernel.name.value);
        let help = match names.is_empty() {
            true => "write `()`".to_owned(),
            false => format!("its parameters are {}; `?` stands for any value", names.join(", ")),
        };
        return Err(LitmusError::Other {
            code: "launch-arguments",
            message,
            help,
            span: launch.span,
        });
    }
    let pairs = kernel.parameters.iter().zip(&launch.arguments);
    pairs
        .map(|(parameter, argument)| match parameter {
            Parameter::Memory(variable) => match copied(variable, &argument.value, maps) {
                Some(map) => Ok(passed_map(map, variable)),
                None => filled(variable, argument),
            },
            Parameter::Register(register, ty) => {
                let (elements, span) = (1, register.span);
                let variable = Variable {
                    name: register.clone(),
                    space: DeclaredSpace::Param,
                    ty: *ty,
                    elements,
                    align: u64::from(ty.bytes()),
                    initial: None,
                    initial_addresses: Vec::new(),
                    span,
                };
                filled(&variable, argument)
            }
        })
        .collect()
}

/// The map that an argument names for a parameter of the size of a map, which holds a copy of the
/// map instead of its address (`__grid_constant__ CUtensorMap`).
fn copied<'m>(
    parameter: &Variable,
    argument: &Argument,
    maps: &'m [TensorMap],
) -> Option<&'m TensorMap> {
    let bytes = u64::from(parameter.ty.bytes()) * parameter.elements;
    match argument {
        Argument::Buffer(name, 0) if bytes == TensorMap::BYTES => {
            maps.iter().find(|map| map.name.value == *name)
        }
        Argument::Fields(fields) => match &fields[..] {
            [Field { value, ty: None, at: None }] => copied(parameter, &value.value, maps),
            _ => None,
        },
        _ => None,
    }
}

/// A parameter that holds a copy of a map.
fn passed_map(map: &TensorMap, parameter: &Variable) -> Passed {
    let map = TensorMap { name: parameter.name.clone(), ..map.clone() };
    let variable = Variable { span: parameter.span, ..variable(&map, DeclaredSpace::Param) };
    Passed { variable, map: Some(map) }
}

/// A parameter that starts with an argument.
fn filled(parameter: &Variable, argument: &Spanned<Argument>) -> Result<Passed, LitmusError> {
    let mut variable = parameter.clone();
    let mut image = Image { variable: &mut variable, at: 0, span: argument.span };
    match &argument.value {
        Argument::Unknown => {}
        Argument::Fields(fields) => {
            for Field { value, ty, at } in fields {
                image.span = value.span;
                if let Some(at) = at {
                    image.skip_to(at)?;
                }
                image.put(&value.value, *ty)?;
            }
        }
        other => {
            let ty = (image.variable.elements == 1).then_some(image.variable.ty);
            image.put(other, ty)?;
        }
    }
    Ok(Passed { variable, map: None })
}

/// The bytes of a parameter, filled up to some position.
struct Image<'v> {
    variable: &'v mut Variable,
    at: u64,
    span: Span,
}

impl Image<'_> {
    /// Goes on at a byte that is given, behind all that are filled.
    fn skip_to(&mut self, at: &Spanned<u64>) -> Result<(), LitmusError> {
        self.span = at.span;
        let whole = u64::from(self.variable.ty.bytes()) * self.variable.elements;
        if at.value < self.at || at.value > whole {
            return Err(self.wrong("a field that begins in another one, or behind the parameter"));
        }
        self.at = at.value;
        Ok(())
    }

    /// Appends one scalar behind the filled bytes, aligned to its size.
    fn put(&mut self, argument: &Argument, ty: Option<Type>) -> Result<(), LitmusError> {
        let bytes = match (argument, ty) {
            (_, Some(ty)) => u64::from(ty.bytes()),
            (Argument::Buffer(..), None) => POINTER,
            (Argument::Float(_) | Argument::Integer(_) | Argument::Unknown, None) => 4,
            (Argument::Fields(_), None) => return Err(self.wrong("a structure in a structure")),
        };
        self.at = self.at.next_multiple_of(bytes.max(1));
        let whole = u64::from(self.variable.ty.bytes()) * self.variable.elements;
        if self.at + bytes > whole {
            return Err(self.wrong("more bytes than the parameter has"));
        }
        match argument {
            Argument::Integer(number) => self.number(*number, bytes)?,
            Argument::Float(number) => {
                let ty = ty.unwrap_or(Type::new(TypeKind::Float, 32));
                let bits = of_type(*number, ty)
                    .ok_or_else(|| self.wrong("a floating-point number for an integer"))?;
                self.number(bits, bytes)?;
            }
            Argument::Buffer(name, offset) => {
                if bytes != POINTER {
                    return Err(self.wrong("a pointer for a parameter that has not 64 bits"));
                }
                self.address(name, *offset);
            }
            Argument::Unknown => return Err(self.wrong("an unknown field")),
            Argument::Fields(_) => return Err(self.wrong("a structure for a scalar")),
        }
        self.at += bytes;
        Ok(())
    }

    fn number(&mut self, number: i128, bytes: u64) -> Result<(), LitmusError> {
        let bits = 8 * u32::try_from(bytes).unwrap_or(16);
        let fits = bits >= 127 || (-(1_i128 << (bits - 1))..(1_i128 << bits)).contains(&number);
        if !fits {
            return Err(self.wrong("a number that does not fit the parameter"));
        }
        let size = u64::from(self.variable.ty.bytes());
        if self.variable.elements == 1 {
            self.element(0, number);
            return Ok(());
        }
        if size != 1 {
            return Err(self.wrong("a structure that is not made of bytes"));
        }
        for byte in 0..bytes {
            self.element(self.at + byte, (number >> (8 * byte)) & 0xff);
        }
        Ok(())
    }

    fn address(&mut self, name: &str, offset: i64) {
        let name = Spanned::new(name.to_owned(), self.span);
        let address = |element: u64, bits| InitialAddress {
            element: usize::try_from(element).unwrap_or(usize::MAX),
            name: name.clone(),
            offset,
            generic: true,
            bits,
        };
        if self.variable.elements == 1 {
            self.variable.initial_addresses.push(address(0, AddressBits::All));
            self.element(0, 0);
            return;
        }
        for byte in 0..POINTER {
            let bits = AddressBits::Byte(u32::try_from(byte).unwrap_or(0));
            self.variable.initial_addresses.push(address(self.at + byte, bits));
            self.element(self.at + byte, 0);
        }
    }

    fn element(&mut self, at: u64, value: i128) {
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        let values = self.variable.initial.get_or_insert_default();
        if values.len() <= at {
            values.resize(at + 1, 0);
        }
        values[at] = value;
    }

    fn wrong(&self, what: &str) -> LitmusError {
        let Variable { name, ty, elements, .. } = &*self.variable;
        let form = match elements {
            1 => format!(".{ty}"),
            n => format!("a structure of {n} bytes"),
        };
        LitmusError::Other {
            code: "launch-arguments",
            message: format!("{what}: `{}` is {form}", name.value),
            help:
                "an argument is a number, a buffer, `?` for any value, or `{a, b of .u64, c at 24}` for a \
                   structure with its fields"
                    .to_owned(),
            span: self.span,
        }
    }
}

/// The bits of a number in a type. A `.b` type takes the bits of the floating-point type of the
/// same width, since compilers declare parameters in this way.
fn of_type(number: Float, ty: Type) -> Option<i128> {
    match (ty.kind, ty.bits) {
        (TypeKind::Float, _) => number.bits(ty),
        (TypeKind::Bits, 16 | 32 | 64) => number.bits(Type::new(TypeKind::Float, ty.bits)),
        _ => None,
    }
}
