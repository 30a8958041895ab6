//! Moves, comparisons, branches and barriers: forms of the table as operations.

use super::Decoder;
use crate::ptx::form::Form;
use crate::ptx::names;
use crate::ptx::operation::{BarrierMode, BoolOp, Operation, Value};
use crate::ptx::row::{Op, Takes};
use crate::ptx::table;
use crate::ptx::written::Written;

impl Decoder<'_> {
    /// A vector; the components of a special register are elements like others.
    pub(super) fn vector(written: Written) -> Operation {
        let whole = |form: &Form| {
            form.operands.iter().any(|operand| matches!(operand.takes, Takes::Components(_)))
        };
        let moves = |form: &&Form| matches!(form.row.op, Op::MoveVector) && !whole(form);
        let form = table::forms(written.form.opcode).iter().find(moves);
        Operation::Form(match form.filter(|_| whole(written.form)) {
            Some(form) => Written { form, ..written },
            None => written,
        })
    }

    /// The parts of a scalar; of one part, a move.
    pub(super) fn pack(written: Written) -> Operation {
        let ty = written.words.ty();
        let moved = match (written.elements("a"), written.registers()) {
            (Some([source]), _) => Some((written.destination().clone(), source.clone())),
            (None, [destination]) => Some((destination.clone(), written.value("a").clone())),
            _ => None,
        };
        match moved {
            Some((destination, source)) => Operation::Move { ty, destination, source },
            None => Operation::Form(written),
        }
    }

    /// A comparison: of the type of its operands, with a result of the type of the destination.
    pub(super) fn compare(written: &Written) -> Operation {
        let sources = ["a", "b"].map(|name| written.value(name).clone());
        let ty = written.sources().next().map_or_else(|| written.words.ty(), |(_, ty)| ty);
        let combine = written.words.plain().find_map(names::bool_op);
        Operation::Compare {
            comparison: written.one_of(names::comparison),
            ty,
            destination: written.destination().clone(),
            complement: written.predicate().clone(),
            sources,
            combine: combine.zip(written.optional("c").cloned()),
            result: written.result(),
        }
    }

    /// A barrier of a CTA.
    pub(super) fn cta_barrier(written: &Written) -> Operation {
        let number = |name| written.optional(name).cloned();
        let reduction = |predicate: Value| {
            let destination = written.destination().clone();
            match () {
                () if written.words.has("popc") => BarrierMode::RedPopc(destination, predicate),
                () if written.words.has("and") => {
                    BarrierMode::RedBool(destination, BoolOp::And, predicate)
                }
                () => BarrierMode::RedBool(destination, BoolOp::Or, predicate),
            }
        };
        let mode = match number("c") {
            Some(predicate) => reduction(predicate),
            None if written.words.has("arrive") => BarrierMode::Arrive,
            None => BarrierMode::Sync,
        };
        let barrier = written.value("a").clone();
        Operation::CtaBarrier {
            mode,
            barrier,
            resource: number("resource"),
            count: number("b"),
            aligned: written.form.opcode == "bar" || written.words.has("aligned"),
        }
    }
}
