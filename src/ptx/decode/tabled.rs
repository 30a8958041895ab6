//! Instructions that the table describes completely. They are matched with the nearest form, and
//! converted to a separate operation if there is one.

use super::{Decoded, Decoder, outside};
use crate::ptx::error::{DecodeError, Expected, Found};
use crate::ptx::form::{Form, Slot};
use crate::ptx::instruction::OperandKind;
use crate::ptx::matrix::MatrixShape;
use crate::ptx::names;
use crate::ptx::operation::{Operation, Order, Type, TypeKind, Value};
use crate::ptx::row::{Op, Takes};
use crate::ptx::table;
use crate::ptx::words::type_of;
use crate::ptx::written::Written;

impl Decoder<'_> {
    /// An instruction of the table, whose opcode may be unknown.
    pub(super) fn tabled(&mut self, opcode: &str) -> Decoded {
        if let Some(decoded) = self.unwritten_rule(opcode) {
            return decoded;
        }
        let forms: Vec<&Form> = table::dialect_forms(opcode, self.in_columns()).collect();
        if let Some(Op::Unchecked) = forms.first().map(|form| form.row.op) {
            return self.check_addresses().map(|()| Operation::Nothing);
        }
        let floating = self.is_floating() && forms.iter().any(|form| is_floating(form));
        let restricts = |text: &str| text.contains(".sync_restrict");
        let mut words = self.instruction.qualifiers.iter();
        let restricted = words.any(|word| word.value.starts_with("sync_restrict"))
            && forms.iter().any(|form| restricts(form.row.text))
            && !self.qualifiers.has("proxy");
        let is_written = |marker: &&str| self.qualifiers.has(marker);
        let markers: Vec<&str> =
            forms.iter().map(|form| form.row.marker).filter(is_written).collect();
        let is_meant = |form: &Form| match form.row.marker {
            "" => markers.iter().all(|marker| form.slots.iter().any(|slot| slot.wants(marker))),
            marker => markers.contains(&marker),
        };
        let fits = |form: &&Form| {
            is_meant(form)
                && is_floating(form) == floating
                && (!restricted || restricts(form.row.text))
        };
        if let Some(form) = forms.first().filter(|form| form.row.op.takes_bare_scalars()) {
            self.no_braces(form.row.section)?;
        }
        let written = self.read(forms.iter().copied().filter(fits))?;
        self.operation_of(written)
    }

    fn operation_of(&mut self, written: Written) -> Decoded {
        Ok(match written.op() {
            Op::Move => Operation::Move {
                ty: written.result(),
                destination: written.destination().clone(),
                source: written.value("a").clone(),
            },
            Op::MoveVector => Self::vector(written),
            Op::Pack | Op::Unpack => Self::pack(written),
            Op::Compare => Self::compare(&written),
            Op::Branch => Operation::Branch { target: written.label().clone(), condition: None },
            Op::CompareBranch(comparison) => Operation::Branch {
                target: written.label().clone(),
                condition: Some((
                    comparison,
                    written.value("a").clone(),
                    written.value("b").clone(),
                )),
            },
            Op::CtaBarrier => Self::cta_barrier(&written),
            Op::WarpBarrier => Operation::WarpBarrier { mask: written.value("membermask").clone() },
            Op::Load | Op::LoadIncoherent => self.load(&written),
            Op::Store => self.store(&written),
            Op::MultimemLoadReduce | Op::MultimemStore | Op::MultimemReduce => {
                self.multimem(&written)
            }
            Op::Atomic => self.atom(&written),
            Op::Reduce => self.red(&written),
            Op::Fence => self.fence(&written),
            Op::ProxyFence => self.proxy_fence(&written),
            Op::MbarrierInit
            | Op::MbarrierInval
            | Op::MbarrierExpect
            | Op::MbarrierComplete
            | Op::MbarrierArrive
            | Op::MbarrierWait => self.mbarrier(&written)?,
            Op::ClusterArrive => {
                let relaxed = written.words.has("relaxed");
                let order = if relaxed { Order::Relaxed } else { Order::Release };
                Operation::ClusterArrive { order, aligned: written.words.has("aligned") }
            }
            Op::ClusterWait => Operation::ClusterWait { aligned: written.words.has("aligned") },
            Op::GridDependencyWait => Operation::GridDependencyWait,
            Op::LaunchDependents => Operation::LaunchDependents,
            Op::Exit => Operation::Exit,
            Op::LoadMatrix | Op::StoreMatrix => {
                self.check_fragment(&written)?;
                Operation::Form(written)
            }
            Op::Nothing => {
                self.check_addresses()?;
                Operation::Nothing
            }
            Op::Outside => {
                self.check_constants(&written)?;
                outside::unknown(self)
            }
            _ => Operation::Form(written),
        })
    }

    /// The registers of `ldmatrix` and `stmatrix` are as many as their matrices ask for.
    fn check_fragment(&self, written: &Written) -> Result<(), DecodeError> {
        let found = written.registers().len() + written.elements("r").map_or(0, <[_]>::len);
        let shape = MatrixShape::of(&written.words);
        if found == shape.registers() {
            return Ok(());
        }
        let message =
            format!("{found} registers, not {}, for `{}`", shape.registers(), self.form());
        let help =
            "a lane has one register of each matrix, or two if the matrix has 16 by 16 elements";
        Err(self.rule(message, help, written.form.row.section))
    }

    /// An operand of a floating-point type is no integer, also of an instruction that is not computed.
    fn check_constants(&self, written: &Written) -> Result<(), DecodeError> {
        let forms = &written.form.operands;
        for (form, operand) in forms.iter().zip(&self.instruction.operands).skip(1) {
            let is_constant = matches!(operand.kind, OperandKind::Integer(_));
            let (Takes::Type(at) | Takes::Converted(at), true) = (form.takes, is_constant) else {
                continue;
            };
            let ty = written.words.type_at(at);
            if ty.is_float() {
                self.value(operand, ty)?;
            }
        }
        Ok(())
    }

    /// Checks that addresses have operands, even if memory does not depend on them; columns need no
    /// brackets.
    fn check_addresses(&self) -> Result<(), DecodeError> {
        for operand in &self.instruction.operands {
            if self.in_columns() || !matches!(operand.kind, OperandKind::Bracket(_)) {
                continue;
            }
            if operand.is_box() {
                self.tensor(operand)?;
                continue;
            }
            if let Value::AddressOf(name, _) = self.address(operand)?.base
                && self.variable(&name.value).is_none()
            {
                let (expected, span) = (Expected::Variable, name.span);
                return Err(DecodeError::Operand {
                    expected,
                    found: Found::Named(name.value),
                    span,
                });
            }
        }
        Ok(())
    }

    /// Rules that no form shows.
    fn unwritten_rule(&self, opcode: &str) -> Option<Decoded> {
        let has = |word: &str| self.qualifiers.has(word);
        let (message, help, section) = match opcode {
            "fence" | "membar" => return self.unlike_fence(),
            "mbarrier" => return self.check_mbarrier().err().map(Err),
            "multimem" => return self.check_multimem().err().map(Err),
            "ld" | "tld" | "suld" | "cold" if self.in_columns() => return self.constant_load(),
            // The assembler accepts these forms, but the standard does not define them.
            "addc" | "subc" | "madc" if has("sat") => return Some(Ok(outside::unknown(self))),
            "mad" if has("sat") && !has("cc") && !self.is_floating() && !self.starts_with("hi") => {
                (
                    "`.sat` is for `mad.hi.s32`".to_owned(),
                    "only `mad.hi.sat.s32` saturates",
                    "PTX-9.7.1.4",
                )
            }
            "slct" if has("ftz") && self.ends_in(Type::new(TypeKind::Signed, 32)) => (
                "`.ftz` is for `slct.type.f32`".to_owned(),
                "integers have no subnormals: leave it out",
                "PTX-9.7.6.4",
            ),
            "setp" | "set" if !self.is_floating() => {
                let word = self.instruction.qualifiers.iter().find(|q| is_unordered(&q.value))?;
                return Some(Err(DecodeError::Rule {
                    message: format!("`.{}` compares floating-point numbers only", word.value),
                    help: "integers are always ordered: write `.eq`, `.ne`, `.lt`, `.le`, `.gt` or \
                           `.ge`",
                    section: "PTX-9.7.6.2",
                    span: word.span,
                }));
            }
            "vote" if has("ballot") == has("pred") && (has("pred") || has("b32")) => (
                format!("`{}` does not exist", self.form()),
                "`.ballot` gives a mask, `.b32`; `.all`, `.any` and `.uni` give a `.pred`",
                "PTX-9.7.13.9",
            ),
            _ => return None,
        };
        Some(Err(self.rule(message, help, section)))
    }

    /// `ld d, 1` of columns, through whatever proxy: a move.
    fn constant_load(&self) -> Option<Decoded> {
        let [destination, source] = self.instruction.operands.as_slice() else { return None };
        if !self.instruction.qualifiers.is_empty() || !self.is_plain_value(source) {
            return None;
        }
        let ty = Type::UNTYPED;
        let moved = |destination| {
            self.value(source, ty).map(|source| Operation::Move { ty, destination, source })
        };
        Some(self.destination(destination).and_then(moved))
    }

    /// Whether the last of several types is this one.
    fn ends_in(&self, ty: Type) -> bool {
        let words = self.instruction.qualifiers.iter();
        let types: Vec<Type> = words.filter_map(|word| names::ty(&word.value)).collect();
        types.len() > 1 && types.last() == Some(&ty)
    }

    fn starts_with(&self, word: &str) -> bool {
        self.instruction.qualifiers.first().is_some_and(|first| first.value == word)
    }

    /// The first floating-point type that a qualifier names, pairs of `.f32` included.
    fn floating_type(&self) -> Option<Type> {
        let words = self.instruction.qualifiers.iter();
        words.filter_map(|word| type_of(&word.value)).find(|ty| ty.is_float())
    }

    /// Whether the instruction has a floating-point type.
    pub(super) fn is_floating(&self) -> bool {
        self.floating_type().is_some()
    }
}

fn is_floating(form: &Form) -> bool {
    match form.row.op {
        Op::Float(_) => true,
        Op::Outside => form.slots.iter().any(Slot::takes_floats),
        _ => false,
    }
}

/// Whether a comparison is unordered, or tests whether its operands are numbers.
fn is_unordered(word: &str) -> bool {
    matches!(word, "equ" | "neu" | "ltu" | "leu" | "gtu" | "geu" | "num" | "nan")
}
