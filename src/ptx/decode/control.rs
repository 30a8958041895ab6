//! Branches, and addresses in instructions that do nothing to memory.

use super::operand::mismatch;
use super::{Decoded, Decoder};
use crate::ptx::error::{DecodeError, Expected, Found};
use crate::ptx::instruction::{Operand, OperandKind};
use crate::ptx::names;
use crate::ptx::operation::{Operation, Type, Value};
use crate::source::Spanned;

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

    /// Checks that addresses have operands, even if memory does not depend on them; columns need no
    /// brackets.
    pub(super) fn check_addresses(&self) -> Result<(), DecodeError> {
        for operand in &self.instruction.operands {
            if self.in_columns() || !matches!(operand.kind, OperandKind::Bracket(_)) {
                continue;
            }
            if operand.is_box() {
                self.tensor(operand)?;
                continue;
            }
            if let Value::AddressOf(name, _) = self.address(operand)?.base
                && self.variable(&name.value).is_none()
            {
                let (expected, span) = (Expected::Variable, name.span);
                return Err(DecodeError::Operand {
                    expected,
                    found: Found::Named(name.value),
                    span,
                });
            }
        }
        Ok(())
    }
}

fn label(operand: &Operand) -> Result<Spanned<String>, DecodeError> {
    match &operand.kind {
        OperandKind::Name(name, 0) => Ok(Spanned::new(name.clone(), operand.span)),
        _ => Err(mismatch(Expected::Label, operand)),
    }
}
