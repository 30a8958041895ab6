//! `atom` and `red`.

use super::{Decoded, Decoder};
use crate::ptx::error::{DecodeError, DecodeWarning};
use crate::ptx::instruction::Operand;
use crate::ptx::names;
use crate::ptx::operation::{
    AccessForm, AtomicOp, Operation, Order, Scope, Space, Type, TypeKind, Value,
};
use crate::source::Spanned;

const ATOM: &str = "atom{.sem}{.scope}{.space}.op.type d, [a], b{, c}";
const RED: &str = "red{.sem}{.scope}{.space}.op.type [a], b";
const ATOM_SECTION: &str = "PTX-9.7.13.5";
const RED_SECTION: &str = "PTX-9.7.13.6";
/// The limit of `inc` if it is left out, as in the manual's examples: a plain increment.
const NO_LIMIT: i128 = 0xffff_ffff;

impl Decoder<'_> {
    pub(super) fn atom(&mut self) -> Decoded {
        let op = self.atomic_op(ATOM_SECTION)?;
        let policy = self.cache_policy();
        let (least, most, shape) = match op.value {
            AtomicOp::Cas => (4 + policy, 4 + policy, "atom.cas d, [a], b, c"),
            AtomicOp::Inc => (2, 3 + policy, "atom.inc d, [a], b"),
            _ => (3 + policy, 3 + policy, "atom.op d, [a], b"),
        };
        let operands = self.operands(least, most, shape)?;
        self.check_policies(&operands[operands.len().min(most - policy)..])?;
        let order = self.qualifiers.order()?;
        if let Some(order) = order.filter(|o| matches!(o.value, Order::Weak | Order::Sc)) {
            return Err(DecodeError::Rule {
                message: format!("`atom` cannot be `.{}`", order.value),
                help: "an atomic operation is `.relaxed`, `.acquire`, `.release` or `.acq_rel`",
                section: ATOM_SECTION,
                span: order.span,
            });
        }
        let order = order.map_or(Order::Relaxed, |order| order.value);
        let access = self.atomic_access(&op, order, &operands[1], ATOM, ATOM_SECTION)?;
        let destinations = match access.elements {
            1 => self.destinations(&operands[0], 1)?,
            // One sink for all elements makes a reduction (PTX-9.7.13.5).
            elements if operands[0].is_sink() => vec![None; elements as usize],
            elements => self.loaded(&operands[0], elements)?,
        };
        let operands_b = match operands.get(2) {
            Some(b) => self.values(b, access.elements, access.ty)?,
            None => vec![Value::Immediate(Spanned::new(NO_LIMIT, op.span))],
        };
        let swap = match op.value {
            AtomicOp::Cas => Some(self.value(&operands[3], access.ty)?),
            _ => None,
        };
        Ok(Operation::Atomic { access, op: op.value, destinations, operands: operands_b, swap })
    }

    pub(super) fn red(&mut self) -> Decoded {
        let op = self.atomic_op(RED_SECTION)?;
        if matches!(op.value, AtomicOp::Cas | AtomicOp::Exch) {
            return Err(DecodeError::Rule {
                message: format!("`red` has no `.{}`", op.value),
                help: "use `atom`, with the destination `_` where the old value is not needed",
                section: RED_SECTION,
                span: op.span,
            });
        }
        let policy = self.cache_policy();
        let operands = self.operands(2 + policy, 2 + policy, "red.op [a], b")?;
        self.check_policies(&operands[2..])?;
        let order = self.qualifiers.order()?;
        if let Some(order) = order.filter(|o| !matches!(o.value, Order::Relaxed | Order::Release)) {
            let known = matches!(order.value, Order::Acquire | Order::AcqRel);
            if !(self.in_columns() && known) {
                return Err(DecodeError::Rule {
                    message: format!("`red` cannot be `.{}`", order.value),
                    help: "a reduction is `.relaxed` or `.release`; use `atom` to acquire",
                    section: RED_SECTION,
                    span: order.span,
                });
            }
            let form = self.form();
            self.warnings.push(DecodeWarning::ReductionOrder { form, span: order.span });
        }
        let order = order.map_or(Order::Relaxed, |order| order.value);
        let access = self.atomic_access(&op, order, &operands[0], RED, RED_SECTION)?;
        let operands = self.values(&operands[1], access.elements, access.ty)?;
        Ok(Operation::Reduce { access, op: op.value, operands })
    }

    fn atomic_op(&mut self, section: &'static str) -> Result<Spanned<AtomicOp>, DecodeError> {
        let op = self.qualifiers.take(names::atomic)?;
        let opcode = self.instruction.opcode.value.as_str();
        let choices = match section {
            RED_SECTION => "the operations are and, or, xor, add, inc, dec, min and max",
            _ => "the operations are and, or, xor, cas, exch, add, inc, dec, min and max",
        };
        let op = op.ok_or_else(|| {
            self.no_such_word(opcode, "an operation such as `.add`", choices, section)
        })?;
        if matches!(op.value, AtomicOp::Sub | AtomicOp::Mul | AtomicOp::Div) {
            if !self.in_columns() {
                return Err(DecodeError::Rule {
                    message: format!("there is no atomic `.{}`", op.value),
                    help: match op.value {
                        AtomicOp::Sub => "add a negative number: `.add`",
                        _ => choices,
                    },
                    section,
                    span: op.span,
                });
            }
            let form = self.form();
            self.warnings.push(DecodeWarning::NoSuchAtomic { form, span: op.span });
        }
        Ok(op)
    }

    fn atomic_access(
        &mut self,
        op: &Spanned<AtomicOp>,
        order: Order,
        operand: &Operand,
        takes: &'static str,
        section: &'static str,
    ) -> Result<AccessForm, DecodeError> {
        let scope = self.qualifiers.scope()?;
        let space = self.qualifiers.space()?.map_or(Space::Generic, |space| space.value);
        let elements = self.qualifiers.elements()?;
        let no_flush = self.qualifiers.flag("noftz")?;
        let ty = self.qualifiers.ty()?;
        self.qualifiers.hints();
        self.finish(takes)?;
        let shared = matches!(space, Space::SharedCta | Space::SharedCluster);
        if !shared && !matches!(space, Space::Generic | Space::Global) {
            return Err(self.illegal_space(space, "global and shared", section));
        }
        self.check_policy(op.value, ty.map(|ty| ty.value), space, section)?;
        self.no_braces(elements, section)?;
        let address = self.address(operand)?;
        let found = match ty {
            Some(ty) => ty.value,
            None if self.in_columns() => Type::UNTYPED,
            None => {
                let types = atomic_types(op.value, elements.is_some()).1;
                return Err(self.missing_type(types, section));
            }
        };
        let half = found.is_half();
        if let Some(ty) = ty {
            let (legal, types) = atomic_types(op.value, elements.is_some());
            if !legal(found) {
                return Err(self.illegal_type(ty, types, section));
            }
        }
        if half && no_flush.is_none() {
            return Err(self.missing("`.noftz`, which 16-bit floating-point atomics have", section));
        }
        if let Some(span) = no_flush.filter(|_| !half && found != Type::new(TypeKind::Float, 32)) {
            return Err(DecodeError::Rule {
                message: "only 16-bit floating-point atomics have `.noftz`".to_owned(),
                help: "remove it",
                section,
                span,
            });
        }
        if let Some(vector) = elements {
            self.check_vector_atomic(vector, found, space, section)?;
        }
        Ok(AccessForm {
            order,
            scope: Some(scope.map_or(Scope::Gpu, |scope| scope.value)),
            space,
            ty: found,
            elements: elements.map_or(1, |elements| elements.value),
            proxy: self.proxy(),
            address,
            mmio: false,
            volatile: false,
        })
    }

    fn check_vector_atomic(
        &self,
        vector: Spanned<u32>,
        ty: Type,
        space: Space,
        section: &'static str,
    ) -> Result<(), DecodeError> {
        let most = if ty.bits == 16 { 8 } else { 4 };
        if matches!(space, Space::Generic | Space::Global) && vector.value <= most {
            return Ok(());
        }
        Err(DecodeError::Rule {
            message: format!("`{}` is no vector atomic", self.form()),
            help: "vector atomics are global, of at most 8 16-bit or 4 32-bit elements",
            section,
            span: vector.span,
        })
    }
}

/// Which types an atomic function has, as a test and in words.
fn atomic_types(op: AtomicOp, vector: bool) -> (fn(Type) -> bool, &'static str) {
    use TypeKind::{Bits, Float, Signed, Unsigned};
    match (op, vector) {
        (AtomicOp::Add, true) => (
            |ty| ty.is_half() || ty == Type::new(Float, 32),
            ".f32, .f16, .f16x2, .bf16 and .bf16x2 for vectors",
        ),
        (AtomicOp::Min | AtomicOp::Max, true) => {
            (Type::is_half, ".f16, .f16x2, .bf16 and .bf16x2 for vectors")
        }
        (_, true) => (|_| false, "none for vectors: only add, min and max have vector forms"),
        (AtomicOp::And | AtomicOp::Or | AtomicOp::Xor, _) => {
            (|ty| ty.kind == Bits && matches!(ty.bits, 32 | 64), ".b32 and .b64")
        }
        (AtomicOp::Exch, _) => {
            (|ty| ty.kind == Bits && matches!(ty.bits, 32 | 64 | 128), ".b32, .b64 and .b128")
        }
        (AtomicOp::Cas, _) => (
            |ty| ty.kind == Bits && matches!(ty.bits, 16 | 32 | 64 | 128),
            ".b16, .b32, .b64 and .b128",
        ),
        (AtomicOp::Add, _) => (
            |ty| {
                matches!(
                    (ty.kind, ty.bits),
                    (Unsigned | Signed | Float, 32) | (Unsigned | Float, 64)
                ) || ty.is_half()
            },
            ".u32, .s32, .u64, .f32, .f64, .f16, .f16x2, .bf16 and .bf16x2",
        ),
        (AtomicOp::Inc | AtomicOp::Dec, _) => (|ty| ty == Type::new(Unsigned, 32), ".u32"),
        (AtomicOp::Min | AtomicOp::Max, _) => (
            |ty| matches!(ty.kind, Unsigned | Signed) && matches!(ty.bits, 32 | 64),
            ".u32, .s32, .u64 and .s64",
        ),
        (AtomicOp::Sub | AtomicOp::Mul | AtomicOp::Div, _) => (
            |ty| matches!(ty.kind, Unsigned | Signed) && matches!(ty.bits, 32 | 64),
            ".u32, .s32, .u64 and .s64",
        ),
    }
}
