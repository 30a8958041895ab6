//! The prefix of a thread: its first statements, up to the first branch or guard that constants do
//! not decide. Loops that count to a constant are followed.

use super::ast::Thread;
use crate::ptx::bits::{mask, signed};
use crate::ptx::operands::Mentions;
use crate::ptx::operation::{
    ArithmeticOp, Comparison, Destination, Operation, PredicateUse, Register, Statement, Type,
    TypeKind, Value,
};
use crate::ptx::row::Op;
use rustc_hash::{FxHashMap, FxHashSet};

/// How many statements are executed at most.
const MOST_STEPS: usize = 10_000;

/// The end of the prefix, with the registers and accesses by then.
#[derive(Debug, Default)]
pub(super) struct Prefix<'t> {
    /// The next statement.
    pub(super) next: usize,
    /// The registers that have been written.
    pub(super) written: FxHashSet<&'t str>,
    /// The registers that were read before they were written.
    pub(super) skipped: Vec<&'t Register>,
    /// The known values of registers, with their widths.
    known: FxHashMap<&'t str, (u128, u32)>,
}

impl<'t> Prefix<'t> {
    /// Executes a thread; `target` says where a statement jumps.
    pub(super) fn of(thread: &'t Thread, target: impl Fn(&Statement) -> Option<usize>) -> Self {
        let mut out = Self::default();
        for _ in 0..MOST_STEPS {
            let Some(statement) = thread.statements.get(out.next) else { break };
            let Some(happens) = out.happens(statement) else { break };
            if !happens {
                out.next += 1;
                continue;
            }
            let mentions = Mentions::of(statement);
            let unknown = matches!(statement.operation, Operation::Unknown { .. });
            let reads = mentions.reads.iter().filter(|_| !unknown);
            let skipped = reads.filter(|register| !out.written.contains(register.value.as_str()));
            let skipped: Vec<&Register> = skipped.copied().collect();
            out.skipped.extend(skipped);
            if let Some(to) = target(statement) {
                out.next = to;
                continue;
            }
            let results = out.results(&statement.operation);
            for register in mentions.writes {
                out.written.insert(&register.value);
                out.known.remove(register.value.as_str());
            }
            out.known.extend(results);
            out.next += 1;
        }
        out
    }

    /// Whether a statement is executed, if known; the condition of a branch is not considered.
    fn happens(&self, statement: &Statement) -> Option<bool> {
        if matches!(statement.operation, Operation::Branch { condition: Some(_), .. }) {
            return None;
        }
        let Some(PredicateUse { negated, register }) = &statement.guard else { return Some(true) };
        let holds = self.known.get(register.value.as_str())?.0 != 0;
        Some(holds != *negated)
    }

    /// The results of an operation that are known, by register.
    fn results(&self, operation: &'t Operation) -> Vec<(&'t str, (u128, u32))> {
        let mut out = Vec::new();
        let mut is = |destination: &'t Destination, value: Option<(u128, u32)>| {
            out.extend(destination.as_ref().map(|d| d.value.as_str()).zip(value));
        };
        match operation {
            Operation::Move { ty, destination, source } => {
                is(destination, self.value(source, *ty).map(|bits| (bits, ty.bits)));
            }
            Operation::Form(written) if matches!(written.op(), Op::Arithmetic(_)) => {
                let (op, ty) = (written.arithmetic(), written.words.ty());
                let operands = written.sources().map(|(source, ty)| self.value(source, ty));
                let operands: Option<Vec<u128>> = operands.collect();
                let result = op.zip(operands).and_then(|(op, operands)| match operands[..] {
                    [a, b] => computed(op, ty, a, b),
                    _ => None,
                });
                is(written.destination(), result.map(|bits| (bits, ty.bits)));
            }
            Operation::Compare { comparison, ty, destination, complement, sources, .. }
                if is_plain(operation) =>
            {
                let [a, b] = sources.each_ref().map(|source| self.value(source, *ty));
                let holds = a.zip(b).map(|(a, b)| compared(*comparison, *ty, a, b));
                is(destination, holds.map(|holds| (u128::from(holds), 1)));
                is(complement, holds.map(|holds| (u128::from(!holds), 1)));
            }
            _ => {}
        }
        out
    }

    /// An operand's bits at a type.
    fn value(&self, value: &Value, ty: Type) -> Option<u128> {
        let bits = match value {
            Value::Register(register) => {
                let (bits, width) = *self.known.get(register.value.as_str())?;
                (width >= ty.bits).then_some(bits)?
            }
            Value::Immediate(number) => number.value as u128,
            _ => return None,
        };
        Some(bits & mask(ty.bits))
    }
}

/// Whether an operation is a `setp` of integers without a combined predicate.
fn is_plain(operation: &Operation) -> bool {
    let Operation::Compare { ty, combine: None, result, .. } = operation else { return false };
    result.bits == 1 && matches!(ty.kind, TypeKind::Bits | TypeKind::Unsigned | TypeKind::Signed)
}

fn computed(op: ArithmeticOp, ty: Type, a: u128, b: u128) -> Option<u128> {
    let bits = match op {
        ArithmeticOp::Add => a.wrapping_add(b),
        ArithmeticOp::Sub => a.wrapping_sub(b),
        _ => return None,
    };
    Some(bits & mask(ty.bits))
}

fn compared(comparison: Comparison, ty: Type, a: u128, b: u128) -> bool {
    // No ordered type has all 128 bits.
    let number = |bits: u128| match ty.kind {
        TypeKind::Signed => signed(bits, ty.bits),
        _ => bits as i128,
    };
    comparison.holds(number(a), number(b))
}
