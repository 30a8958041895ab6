//! Checks that initial values of registers fit the registers.

use crate::diagnostic::Diagnostic;
use crate::litmus::ast::{InitialValue, RegisterInit, Test};
use crate::litmus::error::LitmusError;
use crate::ptx::operation::{Operation, Statement, Type};
use crate::ptx::spelling::for_each_register;
use rustc_hash::FxHashMap;

/// Checks the initial values of registers that are no integers of 64 bits.
pub(super) fn check(test: &Test, diagnostics: &mut Vec<Diagnostic>) {
    let unusual = |init: &&RegisterInit| match init.value {
        InitialValue::Float(_) => true,
        InitialValue::Number(number) => is_wide(number),
        InitialValue::Address(_) => false,
    };
    let unusual: Vec<&RegisterInit> = test.register_inits.iter().filter(unusual).collect();
    if unusual.is_empty() {
        return;
    }
    let types = types(test);
    for init in unusual {
        let known = types.get(&(init.thread, init.register.value.clone()));
        let Some((what, help)) = fault(&init.value, known.map_or(&[], |known| &known.types)) else {
            continue;
        };
        let error = LitmusError::Other {
            code: "litmus-init",
            message: format!("`{}` takes {what}", init.register.value),
            help: help.to_owned(),
            span: init.register.span,
        };
        diagnostics.push(error.diagnostic());
    }
}

/// The values that a register accepts, and the remedy; a register without a type accepts any value
/// of 64 bits.
fn fault(value: &InitialValue, known: &[Type]) -> Option<(&'static str, &'static str)> {
    match value {
        InitialValue::Float(_) if !known.is_empty() && !known.iter().any(|ty| ty.is_float()) => {
            Some(("no floating-point number", "initialize it with a number of its type"))
        }
        InitialValue::Float(_) if known.iter().any(|ty| ty.is_half() || ty.is_packed()) => {
            Some(("no number with a point", "write the bits of the number, such as `0x3C00`"))
        }
        InitialValue::Number(_) if !known.iter().any(|ty| ty.bits > 64) => {
            Some(("at most 64 bits", "only `.b128` registers have more"))
        }
        _ => None,
    }
}

/// A register's types.
#[derive(Default)]
struct Known {
    declared: bool,
    types: Vec<Type>,
}

/// The types of initialized registers, by thread and name: the declared one, or else the types of
/// use.
fn types(test: &Test) -> FxHashMap<(usize, String), Known> {
    let mut all: FxHashMap<(usize, String), Known> = FxHashMap::default();
    for init in &test.register_inits {
        all.entry((init.thread, init.register.value.clone())).or_default();
    }
    for (index, thread) in test.threads.iter().enumerate() {
        for (register, ty) in &thread.registers {
            if let Some(known) = all.get_mut(&(index, register.value.clone())) {
                *known = Known { declared: true, types: vec![*ty] };
            }
        }
        // A statement that is not decoded does not tell types.
        let decoded = |s: &&Statement| !matches!(s.operation, Operation::Unknown { .. });
        for statement in thread.statements.iter().filter(decoded) {
            for_each_register(statement, &mut |register, need| {
                let known = all.get_mut(&(index, register.value.clone()));
                if let Some(known) = known.filter(|known| !known.declared) {
                    known.types.push(need.ty);
                }
            });
        }
    }
    all
}

/// Whether a number needs more than 64 bits, signed or unsigned.
pub(super) fn is_wide(number: i128) -> bool {
    i128::from(i64::MIN) > number || number > i128::from(u64::MAX)
}
