//! `atom` and `red`: forms of the table as operations.

use super::Decoder;
use crate::ptx::error::DecodeWarning;
use crate::ptx::form::Written;
use crate::ptx::names;
use crate::ptx::operation::{AccessForm, AtomicOp, Operation, Order, Scope, Value};
use crate::source::Spanned;

/// The limit of `inc` if it is left out, as in the manual's examples: a plain increment.
const NO_LIMIT: i128 = 0xffff_ffff;

impl Decoder<'_> {
    /// An atomic operation, relaxed at device scope if nothing else is written.
    pub(super) fn atom(&mut self, written: &Written) -> Operation {
        let op = self.function(written);
        let destinations = match written.registers() {
            [] => vec![written.destination().clone()],
            registers => registers.to_vec(),
        };
        Operation::Atomic {
            access: self.atomic_access(written),
            op,
            destinations,
            operands: self.second(written),
            swap: written.optional("c").cloned(),
        }
    }

    /// A reduction.
    pub(super) fn red(&mut self, written: &Written) -> Operation {
        let op = self.function(written);
        let access = self.atomic_access(written);
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

    fn atomic_access(&self, written: &Written) -> AccessForm {
        let words = &written.words;
        AccessForm {
            order: words.plain().find_map(names::order).unwrap_or(Order::Relaxed),
            scope: Some(words.scope().unwrap_or(Scope::Gpu)),
            space: words.space(),
            ty: words.ty(),
            elements: words.elements(),
            proxy: self.proxy(),
            address: written.address().clone(),
            mmio: false,
            volatile: false,
        }
    }
}
