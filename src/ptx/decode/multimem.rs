//! `multimem.ld_reduce`, `multimem.st` and `multimem.red`.

use super::{Decoded, Decoder};
use crate::ptx::error::DecodeError;
use crate::ptx::instruction::Operand;
use crate::ptx::names;
use crate::ptx::operation::{
    AccessForm, AtomicOp, Operation, Order, Proxy, Scope, Space, Type, TypeKind,
};

const SECTION: &str = "PTX-9.7.9.14";

const REDUCTIONS: &str = "the operations are `.add`, `.min`, `.max`, `.and`, `.or` and `.xor`";
const TYPES: &str = ".b32/.b64 for and, or, xor; 32- and 64-bit integers for add, min, max (no add of \
                     .s64); .f16x2 and .bf16x2; .e4m3x4 and .e5m2x4 but for red; .f32 and .f64 for \
                     add; vectors of floating point only, of 32 bits at least";

/// Whether a word may follow `multimem`.
fn is_operation(word: &str) -> bool {
    matches!(word, "ld_reduce" | "st" | "red")
}

impl Decoder<'_> {
    pub(super) fn multimem(&mut self) -> Decoded {
        let name = self.instruction.qualifiers.first().map(|name| name.value.as_str());
        let Some(name) = name.filter(|name| is_operation(name)) else {
            let choices = match self.instruction.qualifiers.first().map(|word| word.value.as_str())
            {
                Some("ld") => {
                    "did you mean `.ld_reduce`? The other operations are `.st` and `.red`"
                }
                _ => "the operations are `.ld_reduce`, `.st` and `.red`",
            };
            let what = "its operation as first qualifier";
            return Err(
                match self.instruction.qualifiers.iter().any(|word| is_operation(&word.value)) {
                    true => self.missing_of(what, choices.to_owned(), SECTION),
                    false => self.no_such_word("multimem", what, choices, SECTION),
                },
            );
        };
        self.qualifiers.take_first(1);
        match name {
            "ld_reduce" => {
                const SHAPE: &str = "multimem.ld_reduce{.weak|.relaxed.scope|.acquire.scope}{.global}.op.type d, [a]";
                let operands = self.operands(2, 2, SHAPE)?;
                let orders = &[Order::Weak, Order::Relaxed, Order::Acquire];
                let op = self.reduction()?;
                let precision = self.qualifiers.one_of(&["acc::f32", "acc::f16"])?;
                let access = self.multimem_access(&operands[1], SHAPE, orders, Some(op))?;
                if let Some(precision) = precision
                    && !(op == AtomicOp::Add
                        && match precision.value {
                            "acc::f32" => access.ty.is_half(),
                            _ => access.ty.is_narrow(),
                        })
                {
                    return Err(DecodeError::Rule {
                        message: format!("`.{}` does not go with this reduction", precision.value),
                        help: "`.acc::f32` goes with `.add` of 16-bit floating-point numbers, \
                               `.acc::f16` with that of 8-bit ones",
                        section: SECTION,
                        span: precision.span,
                    });
                }
                let destinations = self.loaded(&operands[0], access.elements)?;
                Ok(Operation::MultimemLoadReduce { access, op, destinations })
            }
            "st" => {
                const SHAPE: &str =
                    "multimem.st{.weak|.relaxed.scope|.release.scope}{.global}.type [a], b";
                let operands = self.operands(2, 2, SHAPE)?;
                let orders = &[Order::Weak, Order::Relaxed, Order::Release];
                let access = self.multimem_access(&operands[0], SHAPE, orders, None)?;
                let sources = self.values(&operands[1], access.elements, access.ty)?;
                Ok(Operation::MultimemStore { access, sources })
            }
            _ => {
                const SHAPE: &str =
                    "multimem.red{.relaxed|.release}{.scope}{.global}.op.type [a], b";
                let operands = self.operands(2, 2, SHAPE)?;
                let orders = &[Order::Relaxed, Order::Release];
                let op = self.reduction()?;
                let access = self.multimem_access(&operands[0], SHAPE, orders, Some(op))?;
                if access.ty.is_narrow() {
                    return Err(self.rule(
                        "`multimem.red` has no eight-bit floating-point types",
                        "its types are 32- and 64-bit integers, .f16, .f16x2, .bf16, .bf16x2, .f32 \
                         and .f64",
                        SECTION,
                    ));
                }
                if access.elements == 1 && op != AtomicOp::Add && access.ty.is_half() {
                    return Err(self.rule(
                        format!("`multimem.red.{op}` has no `.{}`", access.ty),
                        "floating-point reductions are `.add`; only vectors have `.min` and `.max`",
                        SECTION,
                    ));
                }
                let operands = self.values(&operands[1], access.elements, access.ty)?;
                Ok(Operation::MultimemReduce { access, op, operands })
            }
        }
    }

    fn reduction(&mut self) -> Result<AtomicOp, DecodeError> {
        let op = self.qualifiers.take(|word| {
            let legal = ["min", "max", "add", "and", "or", "xor"].contains(&word);
            names::atomic(word).filter(|_| legal)
        })?;
        let other = self.instruction.qualifiers.iter().find(|q| names::atomic(&q.value).is_some());
        match (op, other) {
            (Some(op), _) => Ok(op.value),
            (None, Some(other)) => Err(DecodeError::Rule {
                message: format!("`multimem` has no `.{}`", other.value),
                help: REDUCTIONS,
                section: SECTION,
                span: other.span,
            }),
            (None, None) => Err(self.no_such_word(
                "multimem",
                "an operation such as `.add`",
                REDUCTIONS,
                SECTION,
            )),
        }
    }

    /// The order and scope of an access. Loads and stores are weak without a qualifier, and
    /// otherwise have a scope; the default of reductions is relaxed, at system scope.
    fn multimem_access(
        &mut self,
        operand: &Operand,
        takes: &'static str,
        orders: &[Order],
        op: Option<AtomicOp>,
    ) -> Result<AccessForm, DecodeError> {
        let written = self
            .qualifiers
            .take(|word| names::order(word).filter(|order| orders.contains(order)))?;
        let scope = self.qualifiers.scope()?;
        let space =
            self.qualifiers.take(|word| names::space(word).filter(|s| *s == Space::Global))?;
        let vector = self.qualifiers.elements()?;
        let elements = vector.map_or(1, |elements| elements.value);
        let narrow = self.qualifiers.take(names::narrow_type)?;
        let ty = narrow.map_or_else(|| self.qualifiers.ty(), |ty| Ok(Some(ty)))?;
        self.finish(takes)?;
        self.no_braces(vector, SECTION)?;
        let default = *orders.first().unwrap_or(&Order::Weak);
        let order = written.map_or(default, |order| order.value);
        let scope = match (written, scope) {
            _ if order == Order::Weak => self.no_scope(scope, SECTION)?,
            (_, Some(scope)) => Some(scope.value),
            // Only reductions have a default scope, which is that of the system.
            (Some(_), None) if default == Order::Weak => return Err(self.missing_scope(SECTION)),
            (_, None) => Some(Scope::Sys),
        };
        let ty = ty.ok_or_else(|| self.missing_type(TYPES, SECTION))?;
        if !is_multimem_type(ty.value, elements, op) {
            return Err(self.illegal_type(ty, TYPES, SECTION));
        }
        Ok(AccessForm {
            order,
            scope,
            space: space.map_or(Space::Generic, |space| space.value),
            ty: ty.value,
            elements,
            proxy: Proxy::Generic,
            address: self.address(operand)?,
            mmio: false,
            volatile: false,
        })
    }
}

fn is_multimem_type(ty: Type, elements: u32, op: Option<AtomicOp>) -> bool {
    use TypeKind::{BfloatX2, Bits, Float, FloatX2, Signed, Unsigned};
    if ty.is_narrow() {
        let legal = matches!(op, None | Some(AtomicOp::Add | AtomicOp::Min | AtomicOp::Max));
        return legal && matches!(elements * ty.bits, 32 | 64 | 128);
    }
    if elements > 1 {
        let half = ty.is_half();
        let legal = match op {
            None | Some(AtomicOp::Add) => half || ty == Type::new(Float, 32),
            Some(AtomicOp::Min | AtomicOp::Max) => half,
            Some(_) => false,
        };
        return legal && elements * ty.bits <= 128;
    }
    let word = matches!(ty.bits, 32 | 64);
    match (op, ty.kind) {
        (None, Bits | Unsigned | Signed | Float) => word,
        (Some(AtomicOp::And | AtomicOp::Or | AtomicOp::Xor), kind) => kind == Bits && word,
        (Some(AtomicOp::Add), Signed) => ty.bits == 32,
        (Some(AtomicOp::Add), Float) => word,
        (Some(_), Unsigned | Signed) => word,
        (Some(AtomicOp::Add | AtomicOp::Min | AtomicOp::Max) | None, FloatX2 | BfloatX2) => true,
        _ => false,
    }
}
