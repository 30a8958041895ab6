//! Decoding: an instruction becomes an [`Operation`], or the rule of the ISA that it breaks.
//!
//! The forms of the table say which words and operands an instruction may have; what is written is
//! converted to an operation of its own if there is one. Defaults of the standard are filled in here
//! and nowhere else.

mod argument;
mod demand;
mod fence;
mod grammar;
mod mbarrier;
mod memory;
mod operand;
mod outside;
mod register;
mod slot;
mod tabled;
mod tensor;

use crate::diagnostic::closest;
use crate::ptx::error::{DecodeError, DecodeWarning, Instead, Miscount};
use crate::ptx::instruction::{Instruction, Operand, OperandKind};
use crate::ptx::names::NOT_GLOBAL;
use crate::ptx::operation::{Operation, Type};
use crate::ptx::qualifiers::Qualifiers;
use crate::ptx::table;
use crate::source::{Span, Spanned};
use rustc_hash::{FxHashMap, FxHashSet};

/// Which forms are accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// The forms of the ISA.
    Ptx,
    /// Also the untyped forms and extra instructions of litmus columns.
    Columns,
}

/// The meaning of names in one thread.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Variables and aliases, with their element types.
    pub variables: FxHashMap<String, Type>,
    /// Registers that are declared or initialized, without `%`.
    pub registers: FxHashSet<String>,
    /// Names that are declared with `%`, so that the name without it may be a variable's.
    pub with_percent: FxHashSet<String>,
}

/// Decodes one instruction.
///
/// # Errors
/// The first rule that the instruction breaks. Forms that only the column dialect accepts are added
/// to `warnings`.
pub fn decode(
    instruction: &Instruction,
    names: &Names,
    dialect: Dialect,
    warnings: &mut Vec<DecodeWarning>,
) -> Result<Operation, DecodeError> {
    let qualifiers = Qualifiers::new(instruction);
    let mut decoder = Decoder { instruction, names, dialect, qualifiers, warnings };
    decoder.operation()
}

/// The possible reads and writes of a statement that cannot be decoded, so that one mistake is not
/// reported as several.
#[must_use]
pub fn undecoded(instruction: &Instruction, names: &Names, dialect: Dialect) -> Operation {
    let mut warnings = Vec::new();
    let qualifiers = Qualifiers::new(instruction);
    outside::unknown(&Decoder { instruction, names, dialect, qualifiers, warnings: &mut warnings })
}

/// A load or store of an argument or result of a call. The call is not modelled, so that a stored
/// value is unused, and a loaded value unknown.
#[must_use]
pub fn passing(instruction: &Instruction, names: &Names) -> Operation {
    match instruction.opcode.value.as_str() {
        "st" => Operation::Nothing,
        _ => undecoded(instruction, names, Dialect::Ptx),
    }
}

type Decoded = Result<Operation, DecodeError>;

struct Decoder<'a> {
    instruction: &'a Instruction,
    names: &'a Names,
    dialect: Dialect,
    qualifiers: Qualifiers<'a>,
    warnings: &'a mut Vec<DecodeWarning>,
}

impl<'a> Decoder<'a> {
    fn operation(&mut self) -> Decoded {
        let opcode = self.instruction.opcode.value.as_str();
        let of_columns =
            self.dialect == Dialect::Columns && table::COLUMN_OPCODES.contains(&opcode);
        if !of_columns {
            self.check_unified(opcode)?;
            if outside::is_outside(self.instruction) {
                return self.outside();
            }
        }
        self.tabled(opcode)
    }

    /// `.unified` stands behind addresses that are loaded from, in global memory.
    fn check_unified(&self, opcode: &str) -> Result<(), DecodeError> {
        let span = self.instruction.operands.iter().find_map(|operand| operand.unified);
        let is_elsewhere =
            || self.qualifiers.has_any(NOT_GLOBAL) || self.qualifiers.has_any(&["nc"]);
        match span.filter(|_| opcode != "ld" || is_elsewhere()) {
            None => Ok(()),
            Some(span) => Err(DecodeError::Rule {
                message: "`.unified` is for loads from global memory".to_owned(),
                help: "write `ld{.global}.type d, [a].unified`",
                section: "PTX-9.7.9.8",
                span,
            }),
        }
    }

    fn unknown_opcode(&self) -> DecodeError {
        let opcode = self.instruction.opcode.clone();
        let columns = match self.dialect {
            Dialect::Columns => table::COLUMN_OPCODES,
            Dialect::Ptx => &[],
        };
        let known = table::opcodes().iter().chain(columns).copied().chain(table::outside());
        let near = closest(&opcode.value, known);
        DecodeError::UnknownOpcode { opcode, near }
    }

    /// The instruction's name with all qualifiers, for messages.
    fn form(&self) -> String {
        self.instruction.full_name()
    }

    /// The span from the opcode to its last qualifier.
    fn head_span(&self) -> Span {
        let opcode = self.instruction.opcode.span;
        self.instruction.qualifiers.last().map_or(opcode, |last| opcode.to(last.span))
    }

    /// The place of the first such qualifier; without one, of the opcode and its qualifiers.
    fn word_span(&self, is: impl Fn(&str) -> bool) -> Span {
        let found = self.instruction.qualifiers.iter().find(|word| is(&word.value));
        found.map_or_else(|| self.head_span(), |word| word.span)
    }

    /// The operands, of which there must be `least` to `most`.
    fn operands(
        &self,
        least: usize,
        most: usize,
        shape: &'static str,
    ) -> Result<&'a [Operand], DecodeError> {
        let operands = self.instruction.operands.as_slice();
        if (least..=most).contains(&operands.len()) {
            return Ok(operands);
        }
        let found = operands.len();
        let hinted = self.instruction.qualifiers.iter().any(|word| word.value == "L2::cache_hint");
        let cause = match operands.iter().find_map(|operand| self.joined(operand)) {
            _ if most == 0 => Miscount::NoneTaken,
            Some(meant) if found + 1 == least => Miscount::Comma(meant),
            _ if self.lacks_destination(operands) && found + 1 == least => {
                let exchanges =
                    |word: &Spanned<String>| word.value == "exch" || word.value == "cas";
                let reduces = !self.instruction.qualifiers.iter().any(exchanges);
                Miscount::Destination { reduces }
            }
            // The shapes of accesses leave the policy out.
            _ if !hinted || most != shape.split(", ").count() + 1 => Miscount::Unclear,
            _ if found + 1 == most => Miscount::PolicyMissing,
            _ => Miscount::Policy,
        };
        let span = operands.get(most).map_or(self.instruction.span, |extra| extra.span);
        Err(DecodeError::OperandCount { form: self.form(), shape, found, cause, span })
    }

    /// Whether an `atom` starts with its address.
    fn lacks_destination(&self, operands: &[Operand]) -> bool {
        let first = operands.first().map(|operand| &operand.kind);
        self.instruction.opcode.value == "atom" && matches!(first, Some(OperandKind::Bracket(_)))
    }

    /// The intended operands if a scalar seems to have an element: a name and an address.
    fn joined(&self, operand: &Operand) -> Option<String> {
        let (name, rest) = match &operand.kind {
            OperandKind::Element(name, index) => (name, index.to_string()),
            OperandKind::Indexed(name, register, 0) => (&name.value, register.value.clone()),
            OperandKind::Indexed(name, register, more) => {
                (&name.value, format!("{}+{more}", register.value))
            }
            _ => return None,
        };
        self.variable(name).is_none().then(|| format!("{name}, [{rest}]"))
    }

    fn rule(
        &self,
        message: impl Into<String>,
        help: &'static str,
        section: &'static str,
    ) -> DecodeError {
        DecodeError::Rule { message: message.into(), help, section, span: self.head_span() }
    }

    fn missing(&self, what: impl Into<String>, section: &'static str) -> DecodeError {
        self.missing_of(what, String::new(), section)
    }

    /// As [`Self::missing`], with the words to choose from.
    fn missing_of(
        &self,
        what: impl Into<String>,
        choices: String,
        section: &'static str,
    ) -> DecodeError {
        let (form, what, span) = (self.form(), what.into(), self.head_span());
        DecodeError::Missing { form, what, choices, section, span }
    }

    fn missing_type(&self, legal: impl Into<String>, section: &'static str) -> DecodeError {
        let (form, legal, span) = (self.form(), legal.into(), self.head_span());
        DecodeError::MissingType { form, legal, section, span }
    }

    /// The error that a word is missing, or that another word, which `name` does not have, is in
    /// its place.
    fn no_such_word(
        &self,
        name: &str,
        what: &'static str,
        choices: &'static str,
        section: &'static str,
    ) -> DecodeError {
        match self.qualifiers.unclassified() {
            Some(word) => DecodeError::Rule {
                message: format!("`{name}` has no `.{}`", word.value),
                help: choices,
                section,
                span: word.span,
            },
            None => self.missing_of(what, choices.to_owned(), section),
        }
    }

    fn missing_scope(&self, section: &'static str) -> DecodeError {
        DecodeError::MissingScope { form: self.form(), section, span: self.head_span() }
    }

    fn superfluous_scope<T: ToString>(
        &self,
        scope: &Spanned<T>,
        section: &'static str,
    ) -> DecodeError {
        let scope = Spanned::new(scope.value.to_string(), scope.span);
        let has = |words: &[&str]| {
            self.instruction.qualifiers.iter().any(|q| words.contains(&q.value.as_str()))
        };
        let opcode = self.instruction.opcode.value.as_str();
        let always_weak = matches!(opcode, "ldu" | "mbarrier")
            || has(&["nc", "const", "param", "param::entry", "param::func", "local"]);
        let instead = match (always_weak, has(&["volatile"]), has(&["weak"])) {
            (true, ..) => Instead::Nothing,
            (_, true, _) => Instead::Replace("volatile"),
            (_, _, true) => Instead::Replace("weak"),
            _ => Instead::Add,
        };
        DecodeError::SuperfluousScope { form: self.form(), scope, instead, section }
    }
}
