//! The workspace of a cooperative grid, whose address is in `%envreg1` and `%envreg2`, as a variable.
//!
//! The driver allocates and zeroes it for each cooperative launch. The code of
//! `cooperative_groups::this_grid()` takes the upper half of its address from `%envreg1` and the
//! lower half from `%envreg2`, traps if it is 0, and counts arrivals in the second word.

use super::launch::{ALLOCATION, Launch};
use crate::diagnostic::{Diagnostic, Severity};
use crate::litmus::ast::{DeclaredSpace, Variable};
use crate::litmus::error::LitmusError;
use crate::ptx::instruction::OperandKind;
use crate::ptx::operation::{Type, TypeKind};
use crate::source::{Span, Spanned};

/// The name of the workspace in reports.
const NAME: &str = "grid_workspace";

/// The size and the arrivals.
const WORDS: u64 = 2;

/// The workspace of a cooperative launch.
pub(super) fn variable(launch: &Launch) -> Option<Variable> {
    let name = Spanned::new(NAME.to_owned(), launch.span);
    launch.cooperative.then_some(Variable {
        name,
        space: DeclaredSpace::Global,
        ty: Type::new(TypeKind::Unsigned, 32),
        elements: WORDS,
        align: ALLOCATION,
        initial: None,
        initial_addresses: Vec::new(),
        span: launch.span,
    })
}

/// What a special register with half of the address holds. The variable lies below 4 GiB, as all
/// global variables do unless a launch has gigabytes of buffers.
pub(super) fn half(register: &str, workspace: &str) -> Option<OperandKind> {
    match register {
        "%envreg1" => Some(OperandKind::Integer(0)),
        "%envreg2" => Some(OperandKind::Name(workspace.to_owned(), 0)),
        _ => None,
    }
}

/// Says that a launch without a workspace asks for it.
pub(super) fn missing(register: &str, span: Span) -> Option<Diagnostic> {
    half(register, NAME)?;
    let error = LitmusError::Other {
        code: "launch-cooperative",
        message: format!("`{register}` has no given value in a launch that is not cooperative"),
        help: "`this_grid().sync()` of cooperative groups needs the workspace of a cooperative \
               launch: write `cooperative` behind the arguments"
            .to_owned(),
        span,
    };
    Some(Diagnostic { severity: Severity::Warning, ..error.diagnostic() })
}
