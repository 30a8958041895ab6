//! Branches, the end of a thread, and instructions that do nothing to memory.

use super::grammar::Grammar;
use super::operand::mismatch;
use super::{Decoded, Decoder};
use crate::ptx::error::DecodeError;
use crate::ptx::instruction::{Operand, OperandKind};
use crate::ptx::names;
use crate::ptx::operation::{Operation, Type, Value};
use crate::source::Spanned;

const PREFETCH: Grammar = Grammar {
    section: "PTX-9.7.9.15",
    forms: &[
        "prefetch{.global|.local}.{L1|L2} [a]",
        "prefetch{.global}.{L2::evict_last|L2::evict_normal} [a]",
        "prefetch{.const|.param}.tensormap [a]",
    ],
};

const PREFETCH_UNIFORM: Grammar = Grammar { section: "PTX-9.7.9.15", forms: &["prefetchu.L1 [a]"] };

const APPLY_PRIORITY: Grammar = Grammar {
    section: "PTX-9.7.9.16",
    forms: &["applypriority{.global}.L2::evict_normal [a], 128"],
};

const NANOSLEEP: Grammar = Grammar { section: "PTX-9.7.19.2", forms: &["nanosleep.u32 t"] };

/// The forms of the instructions without effect that have several.
fn grammar(opcode: &str) -> Option<&'static Grammar> {
    Some(match opcode {
        "prefetch" => &PREFETCH,
        "prefetchu" => &PREFETCH_UNIFORM,
        "applypriority" => &APPLY_PRIORITY,
        "nanosleep" => &NANOSLEEP,
        _ => return None,
    })
}

impl Decoder<'_> {
    pub(super) fn branch(&mut self) -> Decoded {
        self.qualifiers.flag("uni")?;
        self.finish("bra{.uni} label")?;
        let operands = self.operands(1, 1, "bra{.uni} label")?;
        Ok(Operation::Branch { target: label(&operands[0])?, condition: None })
    }

    /// `beq a, b, label` and the like of the column dialect.
    pub(super) fn compare_and_branch(&mut self, opcode: &str) -> Decoded {
        const SHAPE: &str = "beq a, b, label";
        self.finish(SHAPE)?;
        let comparison = opcode.strip_prefix('b').and_then(names::comparison);
        let comparison = comparison.ok_or_else(|| self.unknown_opcode())?;
        let operands = self.operands(3, 3, SHAPE)?;
        let value = |at: usize| self.value(&operands[at], Type::UNTYPED);
        Ok(Operation::Branch {
            target: label(&operands[2])?,
            condition: Some((comparison, value(0)?, value(1)?)),
        })
    }

    pub(super) fn end_of_thread(&mut self) -> Decoded {
        let shape = match self.instruction.opcode.value.as_str() {
            "ret" => "ret{.uni}",
            "trap" => "trap",
            _ => "exit",
        };
        if shape.ends_with("{.uni}") {
            self.qualifiers.flag("uni")?;
        }
        self.finish(shape)?;
        self.operands(0, 0, shape)?;
        Ok(Operation::Exit)
    }

    /// Hints and pauses: their operands do not matter to memory.
    pub(super) fn without_effect(&mut self) -> Decoded {
        if let Some(grammar) = grammar(&self.instruction.opcode.value) {
            self.check_form(grammar)?;
        }
        for operand in &self.instruction.operands {
            if self.in_columns() || !matches!(operand.kind, OperandKind::Bracket(_)) {
                continue;
            }
            if let Value::AddressOf(name, _) = self.address(operand)?.base
                && self.variable(&name.value).is_none()
            {
                let found = format!("`{}`", name.value);
                let expected = "a declared variable";
                return Err(DecodeError::Operand { expected, found, span: name.span });
            }
        }
        Ok(Operation::Nothing)
    }
}

fn label(operand: &Operand) -> Result<Spanned<String>, DecodeError> {
    match &operand.kind {
        OperandKind::Name(name, 0) => Ok(Spanned::new(name.clone(), operand.span)),
        _ => Err(mismatch("a label", operand)),
    }
}
