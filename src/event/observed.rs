//! The observed part of final states: the registers and variables that the condition, the filter and
//! `locations` of a test mention.

use crate::id::ObjectId;
use crate::litmus::ast::{Condition, Term};
use crate::program::micro::Program;

/// The registers that a program's condition, filter and `locations` mention, with their threads.
pub(super) fn registers_of(program: &Program) -> Vec<(usize, String)> {
    let mut out = Vec::new();
    for term in terms_of(program) {
        if let Term::Register { thread, register, .. } = term
            && !out.iter().any(|(t, r)| t == thread && r == register)
        {
            out.push((*thread, register.clone()));
        }
    }
    out
}

/// The variables whose final values a program's condition, filter and `locations` mention.
pub(super) fn variables_of(program: &Program) -> Vec<&str> {
    let terms = terms_of(program).into_iter();
    terms
        .filter_map(|term| match term {
            Term::Memory { variable, .. } => Some(variable.as_str()),
            _ => None,
        })
        .collect()
}

/// The bytes whose final values a program's condition, filter and `locations` mention: object, first
/// byte and end.
pub(super) fn shown_ranges(program: &Program) -> Vec<(ObjectId, u64, u64)> {
    let layout = &program.layout;
    let range = |term: &Term| {
        let Term::Memory { variable, index, instance, .. } = term else { return None };
        let found = layout.variable(variable)?;
        let object = instance_of(program, found, *instance)?;
        let bytes = u64::from(layout.variables[found].ty.bytes());
        Some((object, index * bytes, (index + 1) * bytes))
    };
    terms_of(program).into_iter().filter_map(range).collect()
}

/// The instance of a variable that a term names: the given thread's, or the only one.
pub(super) fn instance_of(
    program: &Program,
    variable: usize,
    thread: Option<usize>,
) -> Option<ObjectId> {
    let layout = &program.layout;
    match thread {
        Some(thread) => layout.own_instance(variable, thread, program.threads[thread].place),
        None => layout.variables[variable].instances.values().next().copied(),
    }
}

pub(super) fn terms_of(program: &Program) -> Vec<&Term> {
    let mut out = Vec::new();
    collect(&program.condition, &mut out);
    program.filter.iter().for_each(|f| collect(f, &mut out));
    out.extend(&program.shown);
    out
}

fn collect<'a>(condition: &'a Condition, out: &mut Vec<&'a Term>) {
    match condition {
        Condition::True | Condition::False => {}
        Condition::Compare(_, a, b) => out.extend([a, b]),
        Condition::Not(a) => collect(a, out),
        Condition::And(all) | Condition::Or(all) => all.iter().for_each(|c| collect(c, out)),
        Condition::Implies(a, b) => {
            collect(a, out);
            collect(b, out);
        }
    }
}
