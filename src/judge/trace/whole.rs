//! The conversion of a small trace to a litmus test that asks whether the values are allowed, for
//! any model.

use super::{Cell, Op, OpKind, Trace};
use crate::batch::Case;
use crate::diagnostic::Diagnostic;
use crate::litmus::parse::parse_bytes;
use crate::ptx::operation::Order;
use crate::source::Files;
use std::collections::BTreeSet;
use std::fmt::Write;

/// The largest trace that can be checked against models without a specialized algorithm.
pub const MOST_OPERATIONS: usize = 200;

/// Why a trace is no litmus test.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoTest {
    /// The trace has too many operations.
    #[error("{0} operations, more than {MOST_OPERATIONS}")]
    Large(usize),
    /// An instruction does not determine the value of its write.
    #[error("`red` writes a value that only what it reads decides")]
    Reduction,
    /// Who else takes part in a barrier is not known.
    #[error("`bar.arrive` says how many threads take part")]
    Arrival,
    /// More barriers than a CTA has, one for each turn.
    #[error("threads meet more than 16 times")]
    Barriers,
    /// The test cannot be read, which is a bug.
    #[error("{0}")]
    Unreadable(String),
}

/// The test, with its text added to `files` under a name. The condition demands that every read has
/// the value in the trace.
///
/// # Errors
/// When no test can express the trace.
pub fn test(trace: &Trace, name: &str, files: &mut Files) -> Result<Case, NoTest> {
    let text = text(trace)?;
    let parsed = parse_bytes(files, name, text.as_bytes());
    let wrong = parsed.diagnostics.iter().find(|diagnostic| Diagnostic::is_error(diagnostic));
    match (parsed.tests.into_iter().next(), wrong) {
        (Some(test), None) => Ok(Case { path: name.to_owned(), test, expected: vec![None] }),
        (_, wrong) => {
            let message = wrong.map_or("it has no test".to_owned(), |wrong| wrong.message.clone());
            Err(NoTest::Unreadable(message))
        }
    }
}

/// The text of the test.
///
/// # Errors
/// When there is no such test.
pub fn text(trace: &Trace) -> Result<String, NoTest> {
    if trace.ops.len() > MOST_OPERATIONS {
        return Err(NoTest::Large(trace.ops.len()));
    }
    let used: BTreeSet<_> = trace.ops.iter().filter_map(|op| op.cell).collect();
    let names = Names::new(trace);
    let mut out = String::from("PTX trace\n\"The values of a trace.\"\n");
    for cell in used {
        let initial = trace.cells[cell.index()].initial;
        let (name, bits) = (&names.cells[cell.index()], names.bits[cell.index()]);
        let _ = writeln!(out, ".global .b{bits} {name} = {initial};");
    }
    let mut atoms = Vec::new();
    for (index, ops) in trace.by_thread().into_iter().enumerate() {
        let thread = &trace.threads[index];
        let (gpu, cluster, cta) = (thread.gpu, thread.cluster, thread.cta);
        let _ = writeln!(out, "P{index} @ gpu {gpu}, cluster {cluster}, cta {cta} {{");
        for (at, id) in ops.into_iter().enumerate() {
            let op = trace.op(id);
            let register = register(&names, op, at);
            let _ = writeln!(out, "  {};", instruction(&names, op, &register)?);
            if let Some(value) = op.read {
                atoms.push(format!("P{index}:{register} == {value}"));
            }
        }
        out.push_str("}\n");
    }
    let condition = if atoms.is_empty() { "true".to_owned() } else { atoms.join(" /\\ ") };
    let _ = writeln!(out, "exists ({condition})");
    Ok(out)
}

/// The names of locations in the test.
struct Names {
    cells: Vec<String>,
    /// How wide locations are.
    bits: Vec<u32>,
}

impl Names {
    fn new(trace: &Trace) -> Self {
        let mut known = BTreeSet::new();
        let cells = trace.cells.iter().map(|cell| {
            let mut name = plain(&cell.name);
            while !known.insert(name.clone()) {
                name.push('_');
            }
            name
        });
        let cells = cells.collect();
        let bits = trace.cells.iter().enumerate().map(|(index, cell)| {
            let own = trace.ops.iter().filter(|op| op.cell.is_some_and(|c| c.index() == index));
            let values = own.flat_map(|op| op.read.into_iter().chain(op.write));
            width(cell, values)
        });
        let bits = bits.collect();
        Self { cells, bits }
    }
}

/// `M[1]` as `M1`, `x+4` as `x_4`; a letter comes first.
fn plain(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        match c {
            '[' | ']' | '%' => {}
            c if c.is_ascii_alphanumeric() => out.push(c),
            _ => out.push('_'),
        }
    }
    match out.chars().next() {
        Some(first) if first.is_ascii_alphabetic() => out,
        _ => format!("m{out}"),
    }
}

/// The width of a location: given by the trace, or large enough for its values.
fn width(cell: &Cell, values: impl Iterator<Item = i128>) -> u32 {
    let small = |value: i128| i32::try_from(value).is_ok() || u32::try_from(value).is_ok();
    match cell.bytes {
        Some(bytes @ (1 | 2 | 4 | 8)) => bytes * 8,
        _ if small(cell.initial) && values.into_iter().all(small) => 32,
        _ => 64,
    }
}

/// The register for the value of a read; the usual prefix of the name gives the width.
fn register(names: &Names, op: &Op, at: usize) -> String {
    match op.cell.map(|cell| names.bits[cell.index()]) {
        Some(64) => format!("%rd{at}"),
        Some(bits @ (8 | 16)) => format!("%h{bits}_{at}"),
        _ => format!("%r{at}"),
    }
}

fn instruction(names: &Names, op: &Op, register: &str) -> Result<String, NoTest> {
    let strength = match op.order {
        Order::Weak => ".weak".to_owned(),
        order => format!(".{order}.{}", op.scope),
    };
    let (cell, bits) = match op.cell {
        Some(cell) => (names.cells[cell.index()].as_str(), names.bits[cell.index()]),
        None => ("", 32),
    };
    Ok(match (op.kind, op.read, op.write) {
        (OpKind::Load, ..) => format!("ld{strength}.global.b{bits} {register}, [{cell}]"),
        (OpKind::Store, _, Some(value)) => format!("st{strength}.global.b{bits} [{cell}], {value}"),
        (OpKind::Atomic, _, Some(value)) => {
            format!("atom{strength}.global.exch.b{bits} {register}, [{cell}], {value}")
        }
        (OpKind::Atomic, Some(value), None) => {
            // The comparison value differs from the read value.
            let other = if value == 0 { 1 } else { 0 };
            format!("atom{strength}.global.cas.b{bits} {register}, [{cell}], {other}, {other}")
        }
        (OpKind::Fence, ..) => format!("fence{strength}"),
        (OpKind::Barrier(barrier), ..) => {
            if barrier.waits == super::Waits::No {
                return Err(NoTest::Arrival);
            }
            // A barrier for each turn, so that removed operations shift nothing.
            let number = barrier.turn * 4 + barrier.number % 4;
            if barrier.number >= 4 || number >= 16 {
                return Err(NoTest::Barriers);
            }
            format!("bar.sync {number}")
        }
        (OpKind::Reduction | OpKind::Store | OpKind::Atomic, ..) => return Err(NoTest::Reduction),
    })
}
