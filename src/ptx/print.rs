//! Operations back into PTX text; reading the text again gives the same operation.

use crate::ptx::literal::Float;
use crate::ptx::names::{component, special_register};
use crate::ptx::need::Need;
use crate::ptx::operands::Operand;
use crate::ptx::operation::{
    Address, Destination, Element, Operation, PredicateUse, Statement, Type, TypeKind, Value,
};
use crate::ptx::row::{Columns, Op};
use crate::ptx::spelling::Spelling;
use crate::ptx::words::Word;
use thiserror::Error;

/// The style of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// PTX statements: every type is written, registers have a `%`.
    Ptx,
    /// Cells of the column dialect: 64-bit untyped forms stay untyped.
    Columns,
}

/// A statement that a style has no form for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{style} cannot say {what}", style = match style { Style::Ptx => "PTX", Style::Columns => "columns" })]
pub struct PrintError {
    /// The style.
    pub style: Style,
    /// The missing form.
    pub what: String,
}

type Printed = Result<String, PrintError>;

/// The text of a statement without its `;`: labels, guard, instruction.
///
/// # Errors
/// When the style has no form for it.
pub fn statement(statement: &Statement, style: Style) -> Printed {
    let printer = Printer { style };
    let mut text: String =
        statement.labels.iter().map(|label| format!("{}: ", word(&label.value))).collect();
    if let Some(guard) = &statement.guard {
        text += &format!("@{} ", printer.predicate(guard));
    }
    Ok(text + &printer.operation(&statement.operation)?)
}

/// The written name of a register or label. The name of a block's local contains a point; the
/// printed text has no blocks. The name of a component keeps its last point.
#[must_use]
pub fn word(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((vector, last)) if component(last).is_some() => {
            format!("{}.{last}", vector.replace('.', "$"))
        }
        _ => name.replace('.', "$"),
    }
}

/// A number as PTX writes it for a type: floating-point numbers by their bits.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as wide as the type")]
pub fn constant(number: i128, ty: Type) -> String {
    match (ty.kind, ty.bits) {
        (TypeKind::Float, 32) => Float::Single(number as u32).to_string(),
        (TypeKind::Float, 64) => format!("0d{:016X}", number as u64),
        _ => number.to_string(),
    }
}

struct Printer {
    style: Style,
}

impl Printer {
    fn cannot<T>(&self, what: impl Into<String>) -> Result<T, PrintError> {
        Err(PrintError { style: self.style, what: what.into() })
    }

    fn operation(&self, operation: &Operation) -> Printed {
        let (head, operands) = match operation {
            Operation::Unknown { name, operands, .. } => {
                if self.style == Style::Columns && operands.iter().any(|text| text.contains('|')) {
                    return self.cannot("a pair of destinations: `|` separates cells");
                }
                (name.clone(), operands.clone())
            }
            operation => {
                let spelling = Spelling::of(operation, self.style == Style::Columns);
                let spelling = spelling.or_else(|what| self.cannot(what))?;
                let operands = spelling.operands.iter().zip(&spelling.needs);
                let texts =
                    operands.filter_map(|(operand, need)| self.operand(operand, *need).transpose());
                (self.head(&spelling), texts.collect::<Result<_, _>>()?)
            }
        };
        match operands.is_empty() {
            true => Ok(head),
            false => Ok(format!("{head} {}", operands.join(", "))),
        }
    }

    /// The opcode and the words of a form; columns omit those that may be omitted.
    fn head(&self, spelling: &Spelling<'_>) -> String {
        let row = spelling.form.row;
        let mut head = spelling.opcode.to_owned();
        for word in spelling.words.0.iter().flatten() {
            match word {
                Word::Plain(word) => head += &format!(".{word}"),
                Word::Scope(scope) => head += &format!(".{scope}"),
                // `.shared` is ambiguous in a proxy fence.
                Word::Space(space) if matches!(row.op, Op::ProxyFence) => {
                    head += &format!(".{space}");
                }
                Word::Space(space) => head += &format!(".{}", space.short()),
                Word::Type(Type::UNTYPED)
                    if self.style == Style::Columns && row.columns != Columns::Nothing => {}
                Word::Type(ty) => head += &format!(".{ty}"),
            }
        }
        head
    }

    /// An operand; `None` if it is not written.
    fn operand(
        &self,
        operand: &Operand<'_>,
        Need { ty, .. }: Need,
    ) -> Result<Option<String>, PrintError> {
        let written = |list: &[Destination]| -> Vec<String> {
            list.iter().map(|destination| self.destination(destination)).collect()
        };
        let read = |list: &[Value], ty| -> Result<Vec<String>, PrintError> {
            list.iter().map(|value| self.source(value, ty)).collect()
        };
        Ok(Some(match operand {
            Operand::Into(list) => vector(&written(list)),
            Operand::Both([first, second]) => self.pair(first, second)?,
            Operand::From(list) => vector(&read(list, ty)?),
            Operand::Registers(list) => braced(&written(list)),
            Operand::Elements(list) => braced(&read(list, ty)?),
            Operand::At(address) => self.address(address),
            Operand::Box(map, coordinates) => {
                let map = self.address(map);
                let coordinates = braced(&read(coordinates, Type::B32)?);
                format!("[{}, {coordinates}]", map.trim_matches(['[', ']']))
            }
            Operand::Label(label) => word(label),
            Operand::Constant(number) => number.to_string(),
            Operand::Table(number) => format!("{number:#04x}"),
            Operand::Reads(..) | Operand::Writes(..) => return Ok(None),
        }))
    }

    fn register(&self, name: &str) -> String {
        let percent = format!("%{}", word(name));
        let plain = name.strip_prefix('r').is_some_and(|n| n.parse::<u32>().is_ok());
        if special_register(&percent).is_some() || (self.style == Style::Columns && plain) {
            return name.to_owned();
        }
        percent
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Register(register) => self.register(&register.value),
            Value::Not(register) => format!("!{}", self.register(&register.value)),
            Value::Immediate(number) => number.value.to_string(),
            Value::AddressOf(name, 0) => name.value.clone(),
            Value::AddressOf(name, offset) => format!("{}+{offset}", name.value),
            Value::ElementOf(Element { variable, register, more, .. }) => {
                let index = self.register(&register.value);
                match more {
                    0 => format!("{}[{index}]", variable.value),
                    more => format!("{}[{index}+{more}]", variable.value),
                }
            }
            Value::Special(name) => format!("%{}", name.value),
            Value::Sink { .. } => "_".to_owned(),
        }
    }

    /// A value of this type; PTX has no 16-bit floating-point constants, columns mean bits.
    fn source(&self, value: &Value, ty: Type) -> Printed {
        match value {
            Value::Immediate(_) if self.style == Style::Ptx && ty.is_half() => {
                self.cannot(format!("a constant of `.{ty}`"))
            }
            Value::Immediate(number) if self.style == Style::Ptx => Ok(constant(number.value, ty)),
            _ => Ok(self.value(value)),
        }
    }

    fn destination(&self, destination: &Destination) -> String {
        destination.as_ref().map_or_else(|| "_".to_owned(), |r| self.register(&r.value))
    }

    fn pair(&self, first: &Destination, second: &Destination) -> Printed {
        match second {
            None => Ok(self.destination(first)),
            Some(_) if self.style == Style::Columns => {
                self.cannot("a pair of destinations: `|` separates cells")
            }
            Some(_) => Ok(format!("{}|{}", self.destination(first), self.destination(second))),
        }
    }

    fn predicate(&self, predicate: &PredicateUse) -> String {
        let negation = if predicate.negated { "!" } else { "" };
        format!("{negation}{}", self.register(&predicate.register.value))
    }

    /// `[x+4]`, or a bare `x` in columns.
    fn address(&self, address: &Address) -> String {
        let base = match &address.base {
            Value::Register(register) => format!("%{}", word(&register.value)),
            base => self.value(base),
        };
        match (&address.base, address.offset, self.style) {
            (Value::AddressOf(..), 0, Style::Columns) | (Value::ElementOf(_), ..) => base,
            (_, 0, _) => format!("[{base}]"),
            (_, offset, _) => format!("[{base}+{offset}]"),
        }
    }
}

fn vector(texts: &[String]) -> String {
    match texts {
        [only] => only.clone(),
        list => braced(list),
    }
}

fn braced(texts: &[String]) -> String {
    format!("{{{}}}", texts.join(", "))
}
