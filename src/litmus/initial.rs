//! Initial values of registers are such as their registers can hold.

use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{Dialect, InitialValue, RegisterInit, Test};
use crate::litmus::error::LitmusError;
use crate::ptx::operation::Type;
use crate::ptx::uses::for_each_register;

/// Checks the initial values of registers; columns mean 64 bits, whatever is in them.
pub(super) fn check(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    for init in &test.register_inits {
        let known = types(test, init);
        let fault = match &init.value {
            InitialValue::Float(_)
                if !known.is_empty() && !known.iter().any(|ty| ty.is_float()) =>
            {
                Some(("no floating-point number", "initialize it with a number of its type"))
            }
            InitialValue::Float(_) if known.iter().any(|ty| ty.is_half() || ty.is_packed()) => {
                Some(("no number with a point", "write the bits of the number, such as `0x3C00`"))
            }
            // What is negative as a number of 128 bits has 64 with a minus, or all of them.
            InitialValue::Number(number)
                if is_wide(*number) && !known.iter().any(|ty| ty.bits > 64) =>
            {
                Some(("at most 64 bits", "only `.b128` registers have more"))
            }
            _ => None,
        };
        let Some((what, help)) = fault else { continue };
        let error = LitmusError::Other {
            code: "litmus-init",
            message: format!("`{}` takes {what}", init.register.value),
            help: help.to_owned(),
            span: init.register.span,
        };
        diagnostics.push(error.diagnostic());
    }
}

/// The type that a register is declared with, else those that it is used at.
fn types(test: &Test, init: &RegisterInit) -> Vec<Type> {
    let (thread, name) = (&test.threads[init.thread], &init.register.value);
    let declared = thread.registers.iter().find(|(register, _)| register.value == *name);
    if let Some((_, ty)) = declared.filter(|_| test.dialect != Dialect::Columns) {
        return vec![*ty];
    }
    let mut used = Vec::new();
    for statement in &thread.statements {
        for_each_register(statement, &mut |register, need| {
            if register.value == *name {
                used.push(need.ty);
            }
        });
    }
    used
}

/// Whether a number takes more than 64 bits, be it with a sign.
fn is_wide(number: i128) -> bool {
    i128::from(i64::MIN) > number || number > i128::from(u64::MAX)
}
