//! The conversion of a module back to a test. The statements of each thread come from the kernel,
//! and the declarations, places and the condition come from the original test.
//!
//! The verdict on the result equals the verdict on the test, unless writing the kernel changed its
//! meaning.

use super::body::address_register;
use crate::litmus::ast::{DeclaredSpace, Test, Variable};
use crate::litmus::print::{block_variable, place, tail};
use crate::ptx::print::Style;
use std::fmt::Write;

/// The text of a test in blocks with the statements of a module, or the name of a thread that the
/// module lacks.
///
/// # Errors
/// When a thread of the test has no statements in the module.
pub fn read_back(test: &Test, ptx: &str) -> Result<String, String> {
    let mut text = format!("PTX {}\n", test.name);
    test.variables.iter().for_each(|variable| text += &block_variable(variable));
    for alias in &test.aliases {
        let _ = writeln!(text, ".alias {} = {};", alias.name.value, alias.target.value);
    }
    for thread in &test.threads {
        let name = &thread.name.value;
        let begin = format!("\t// begin {name}\n");
        let end = format!("\t// end {name}\n");
        let body = ptx.split_once(&begin).and_then(|(_, rest)| rest.split_once(&end));
        let Some((body, _)) = body else { return Err(name.clone()) };
        let _ = writeln!(text, "{name} {} {{", place(test, thread, Style::Ptx));
        let in_memory =
            |v: &&Variable| matches!(v.space, DeclaredSpace::Global | DeclaredSpace::Shared);
        let variables = test.variables.iter().filter(in_memory).map(|v| &v.name.value);
        for name in variables.chain(test.aliases.iter().map(|alias| &alias.name.value)) {
            let register = address_register(name);
            if names(body, &register) {
                let _ = writeln!(text, "\t.reg .b64 %{register};");
                let _ = writeln!(text, "\tmov.u64 %{register}, {name};");
            }
        }
        text += body;
        text += "}\n";
    }
    Ok(text + &tail(test, Style::Ptx))
}

/// Whether a text mentions the register.
fn names(text: &str, register: &str) -> bool {
    text.match_indices(&format!("%{register}")).any(|(at, found)| {
        let next = text[at + found.len()..].chars().next();
        !next.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '$'))
    })
}
