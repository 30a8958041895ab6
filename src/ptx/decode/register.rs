//! Moves, comparisons, branches and barriers: forms of the table as operations.

use super::Decoder;
use crate::ptx::names;
use crate::ptx::operation::{BarrierMode, BoolOp, Operation, Value};
use crate::ptx::written::Written;

impl Decoder<'_> {
    /// A scalar made of parts; of one part, a move.
    pub(super) fn pack(written: &Written) -> Operation {
        let (ty, destination) = (written.words.ty(), written.destination().clone());
        match written.elements("a").unwrap_or(&[]) {
            [source] => Operation::Move { ty, destination, source: source.clone() },
            parts => Operation::Pack { ty, destination, parts: parts.to_vec() },
        }
    }

    /// The parts of a scalar; of one part, a move.
    pub(super) fn unpack(written: &Written) -> Operation {
        let (ty, source) = (written.words.ty(), written.value("a").clone());
        match written.registers() {
            [destination] => Operation::Move { ty, destination: destination.clone(), source },
            destinations => Operation::Unpack { ty, destinations: destinations.to_vec(), source },
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
        Operation::CtaBarrier { mode, barrier, resource: number("resource"), count: number("b") }
    }
}
