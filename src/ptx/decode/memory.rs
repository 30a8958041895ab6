//! Loads, stores, atomics and multimem operations: forms of the table as operations.

use super::Decoder;
use crate::ptx::error::{DecodeError, DecodeWarning};
use crate::ptx::names;
use crate::ptx::operation::{AccessForm, AtomicOp, Operation, Order, Scope, Space, Value};
use crate::ptx::row::Op;
use crate::ptx::table;
use crate::ptx::written::Written;
use crate::source::Spanned;

/// The limit of `inc` if it is left out, as in the manual's examples: a plain increment.
const NO_LIMIT: i128 = 0xffff_ffff;

/// The order and scope of accesses that are weak if nothing else is written.
const WEAK: (Order, Scope) = (Order::Weak, Scope::Sys);
/// The order and scope of atomics if nothing else is written.
const ATOMIC: (Order, Scope) = (Order::Relaxed, Scope::Gpu);

impl Decoder<'_> {
    /// A load, weak if nothing else is written.
    pub(super) fn load(&self, written: &Written) -> Operation {
        Operation::Load {
            access: self.access(written, WEAK),
            destinations: written.registers().to_vec(),
            non_coherent: matches!(written.op(), Op::LoadIncoherent),
        }
    }

    /// A store, weak if nothing else is written; `.param` is a parameter of a function (PTX-9.7.9.11).
    pub(super) fn store(&self, written: &Written) -> Operation {
        let mut access = self.access(written, WEAK);
        if access.space == Space::ParamEntry {
            access.space = Space::ParamFunc;
        }
        Operation::Store { access, sources: self.second(written) }
    }

    /// An operation on a multimem address: weak, or of reductions relaxed at system scope, if nothing
    /// else is written.
    pub(super) fn multimem(&self, written: &Written) -> Operation {
        let function = || written.one_of(names::atomic);
        match written.op() {
            Op::MultimemLoadReduce => Operation::MultimemLoadReduce {
                access: self.access(written, WEAK),
                op: function(),
                destinations: written.registers().to_vec(),
            },
            Op::MultimemStore => Operation::MultimemStore {
                access: self.access(written, WEAK),
                sources: self.second(written),
            },
            _ => Operation::MultimemReduce {
                access: self.access(written, (Order::Relaxed, Scope::Sys)),
                op: function(),
                operands: self.second(written),
            },
        }
    }

    /// Checks the first qualifier of `multimem`, which names the operation.
    pub(super) fn check_multimem(&self) -> Result<(), DecodeError> {
        const SECTION: &str = "PTX-9.7.9.14";
        let is_operation = |word: &str| matches!(word, "ld_reduce" | "st" | "red" | "cp");
        let words = || self.instruction.qualifiers.iter().map(|word| word.value.as_str());
        let choices = match words().next() {
            Some(word) if is_operation(word) => return Ok(()),
            Some("ld") => {
                "did you mean `.ld_reduce`? The other operations are `.st`, `.red` and `.cp`"
            }
            _ => "the operations are `.ld_reduce`, `.st`, `.red` and `.cp`",
        };
        let what = "its operation as first qualifier";
        Err(match words().any(is_operation) {
            true => self.missing_of(what, choices.to_owned(), SECTION),
            false => self.no_such_word("multimem", what, choices, SECTION),
        })
    }

    /// An atomic operation, relaxed at device scope if nothing else is written.
    pub(super) fn atom(&mut self, written: &Written) -> Operation {
        let op = self.function(written);
        let destinations = match written.registers() {
            [] => vec![written.destination().clone()],
            registers => registers.to_vec(),
        };
        Operation::Atomic {
            access: self.access(written, ATOMIC),
            op,
            destinations,
            operands: self.second(written),
            swap: written.optional("c").cloned(),
        }
    }

    /// A reduction.
    pub(super) fn red(&mut self, written: &Written) -> Operation {
        let op = self.function(written);
        let access = self.access(written, ATOMIC);
        if matches!(access.order, Order::Acquire | Order::AcqRel) {
            let (form, span) = (self.form(), self.word_span(|word| names::order(word).is_some()));
            self.warnings.push(DecodeWarning::ReductionOrder { form, span });
        }
        Operation::Reduce { access, op, operands: self.second(written) }
    }

    fn function(&mut self, written: &Written) -> AtomicOp {
        let op = written.one_of(names::atomic);
        if matches!(op, AtomicOp::Sub | AtomicOp::Mul | AtomicOp::Div) {
            let (form, span) = (self.form(), self.word_span(|word| names::atomic(word).is_some()));
            self.warnings.push(DecodeWarning::NoSuchAtomic { form, span });
        }
        op
    }

    /// The operand `b`, one for each element.
    fn second(&self, written: &Written) -> Vec<Value> {
        match (written.elements("b"), written.optional("b")) {
            (Some(elements), _) => elements.to_vec(),
            (None, Some(value)) => vec![value.clone()],
            (None, None) => {
                let span = self.word_span(|word| word == "inc");
                vec![Value::Immediate(Spanned::new(NO_LIMIT, span))]
            }
        }
    }

    /// The access of an instruction whose words leave out this order and scope. Volatile accesses are
    /// relaxed at system scope (PTX-8.4.2).
    fn access(&self, written: &Written, (order, scope): (Order, Scope)) -> AccessForm {
        let words = &written.words;
        let volatile = words.has("volatile");
        let (order, scope) = if volatile { (Order::Relaxed, Scope::Sys) } else { (order, scope) };
        let order = words.plain().find_map(names::order).unwrap_or(order);
        let named = || words.scope().or_else(|| words.plain().find_map(names::scope));
        let space = match words.space() {
            Space::Generic => words.plain().find_map(names::space).unwrap_or(Space::Generic),
            space => space,
        };
        AccessForm {
            order,
            scope: (order != Order::Weak).then(|| named().unwrap_or(scope)),
            space,
            ty: words.ty(),
            elements: words.elements(),
            proxy: table::proxy(&self.instruction.opcode.value),
            address: written.address().clone(),
            mmio: words.has("mmio"),
            volatile,
        }
    }
}
