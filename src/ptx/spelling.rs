//! Operations into the forms of the table that say them. The operation gives an opcode, words in
//! whatever order, and operands; the form says where each word stands, and what the operands are.

use super::form::{Form, Presence, Role};
use super::need::Need;
use super::operands::{Mention, Operand, Operands, for_each_mention};
use super::operation::{
    AccessForm, BarrierMode, MbarrierOp, Operation, Order, Space, Statement, Type, TypeKind,
    WaitPhase,
};
use super::row::Op;
use super::since::Since;
use super::table;
use super::value::Register;
use super::words::Words;
use smallvec::{SmallVec, smallvec};
use std::borrow::Cow;

/// An operation, said by a form of the table.
pub(crate) struct Spelling<'o> {
    /// The opcode, which columns may have another one for.
    pub(crate) opcode: &'static str,
    /// The form.
    pub(crate) form: &'static Form,
    /// The word in each of its slots.
    pub(crate) words: Cow<'o, Words>,
    /// The operands that are written down.
    pub(crate) operands: Operands<'o>,
    /// The requirement of each on its registers.
    pub(crate) needs: SmallVec<[Need; 6]>,
}

/// The opcode and the words of an operation.
struct Said {
    opcode: &'static str,
    /// What is done.
    function: SmallVec<[&'static str; 4]>,
    /// How, and to what.
    access: SmallVec<[Cow<'static, str>; 6]>,
    types: SmallVec<[Type; 2]>,
}

/// Calls `see` for every register in a statement, with the requirement on it.
pub(crate) fn for_each_register(statement: &Statement, see: &mut dyn FnMut(&Register, Need)) {
    if let Some(guard) = &statement.guard {
        see(&guard.register, Need::PREDICATE);
    }
    let mut see = |mention: Mention<'_>| match mention {
        Mention::Reads(register, need) | Mention::Writes(register, need) => see(register, need),
        Mention::Names(_) => {}
    };
    // Most stores and fences name no register, and need no form.
    let mut registers = false;
    let operands = statement.operation.operands();
    for_each_mention(&operands, &[], &mut |mention| {
        registers |= !matches!(mention, Mention::Names(_));
    });
    if !registers {
        return;
    }
    // Columns have all that PTX has. What they cannot say either has no requirements.
    match Spelling::of(&statement.operation, true) {
        Ok(spelling) => for_each_mention(&spelling.operands, &spelling.needs, &mut see),
        Err(_) => for_each_mention(&operands, &[], &mut see),
    }
}

impl<'o> Spelling<'o> {
    /// The form that says an operation in PTX, or in columns.
    ///
    /// # Errors
    /// What cannot be said.
    pub(crate) fn of(operation: &'o Operation, columns: bool) -> Result<Self, String> {
        let operands = operation.operands();
        if let Operation::Form(written) = operation {
            let (form, words) = (written.form, Cow::Borrowed(&written.words));
            let needs = written.parts().map(|(form, arg)| written.need_of(form, arg));
            let implied = written.implied.iter().map(|_| Need::PREDICATE);
            let needs = needs.chain(implied).collect();
            return Ok(Self { opcode: form.opcode, form, words, operands, needs });
        }
        let said = Said::of(operation, columns)?;
        let (form, words) =
            said.form(operands.len(), columns).ok_or_else(|| said.unsayable(columns))?;
        let (there, least) = form.operands_with(&words.0);
        let there = form.written_down(there, operands.len() - least);
        let present = form.operands.iter().zip(there).filter(|(_, there)| *there);
        let needs = present.map(|(operand, _)| operand.need(&words)).collect();
        Ok(Self { opcode: said.opcode, form, words: Cow::Owned(words), operands, needs })
    }

    /// The first version of the ISA and the first target that have it.
    pub(crate) fn since(&self) -> Since {
        let (there, least) = self.form.operands_with(&self.words.0);
        let implied =
            |operand: &&Operand<'_>| matches!(operand, Operand::Reads(_) | Operand::Writes(_));
        let written = self.operands.len() - self.operands.iter().filter(implied).count();
        let there = self.form.written_down(there, written - least);
        let optional = self.form.operands.iter().zip(there);
        let optional =
            optional.filter(|(operand, there)| *there && operand.presence == Presence::Optional);
        let names = optional.map(|(operand, _)| Cow::Owned(format!("{{{}}}", operand.name)));
        let words: Vec<Cow<'_, str>> = self.words.texts().into_iter().chain(names).collect();
        self.form.row.since(&words.iter().map(|word| &**word).collect::<Vec<_>>())
    }
}

impl Said {
    fn new<const N: usize>(opcode: &'static str, function: [&'static str; N]) -> Self {
        let function = function.into_iter().collect();
        Self { opcode, function, access: SmallVec::new(), types: SmallVec::new() }
    }

    fn also(mut self, function: impl IntoIterator<Item = &'static str>) -> Self {
        self.function.extend(function);
        self
    }

    fn typed<const N: usize>(self, types: [Type; N]) -> Self {
        Self { types: types.into_iter().collect(), ..self }
    }

    /// Adds the words of an access.
    fn access(mut self, access: &AccessForm) -> Self {
        let mut add = |word: &'static str| self.access.push(word.into());
        match access.order {
            _ if access.volatile => add("volatile"),
            order => {
                access.mmio.then(|| add("mmio"));
                add(order.word());
                access.scope.into_iter().for_each(|scope| add(scope.word()));
            }
        }
        self.of_space(access.space).vector(access)
    }

    fn of_space(mut self, space: Space) -> Self {
        self.access.extend((space != Space::Generic).then(|| space.word().into()));
        self
    }

    fn vector(mut self, access: &AccessForm) -> Self {
        let elements = access.elements;
        self.access.extend((elements > 1).then(|| format!("v{elements}").into()));
        self.typed([access.ty])
    }

    /// The opcode and words of an operation that does not keep its form.
    fn of(operation: &Operation, columns: bool) -> Result<Self, String> {
        use Operation as O;
        Ok(match operation {
            O::Load { access, non_coherent: true, .. } => {
                let (opcode, words) = match access.space {
                    Space::Global => ("ld", Some("nc")),
                    _ => ("ldu", None),
                };
                Self::new(opcode, []).also(words).of_space(access.space).vector(access)
            }
            O::Load { access, .. } => {
                Self::new(table::through("ld", access.proxy), []).access(access)
            }
            O::Store { access, .. } => {
                Self::new(table::through("st", access.proxy), []).access(access)
            }
            O::Atomic { access, op, .. } => {
                let noftz = access.ty.is_half().then_some("noftz");
                let opcode = table::through("atom", access.proxy);
                Self::new(opcode, [op.word()]).also(noftz).access(access)
            }
            O::Reduce { access, op, .. } => {
                let noftz = access.ty.is_half().then_some("noftz");
                let opcode = table::through("red", access.proxy);
                Self::new(opcode, [op.word()]).also(noftz).access(access)
            }
            O::MultimemLoadReduce { access, op, .. } => {
                Self::new("multimem", ["ld_reduce", op.word()]).access(access)
            }
            O::MultimemStore { access, .. } => Self::new("multimem", ["st"]).access(access),
            O::MultimemReduce { access, op, .. } => {
                Self::new("multimem", ["red", op.word()]).access(access)
            }
            O::Fence { order, scope, restriction } => {
                Self::new("fence", [order.word(), scope.word()]).also(restriction.word())
            }
            O::ProxyFence { kind, .. } => Self::new("fence", ["proxy"]).also(kind.words()),
            O::CtaBarrier { mode, resource, count, aligned, .. } => match (mode, resource, count) {
                _ if resource.is_some() && !columns => {
                    return Err("a barrier with an instance and a number".to_owned());
                }
                (BarrierMode::Arrive, _, None) if !columns => {
                    let what = "an arrival at a barrier without the number of threads";
                    return Err(what.to_owned());
                }
                (BarrierMode::RedPopc(..), ..) => {
                    Self::new(barrier(*aligned), ["red", "popc", "u32"])
                }
                (BarrierMode::RedBool(_, op, _), ..) => {
                    Self::new(barrier(*aligned), ["red", op.word(), "pred"])
                }
                (BarrierMode::Sync | BarrierMode::Arrive, ..) => {
                    let of_instance = columns && (resource.is_some() || count.is_none());
                    let waits = *mode == BarrierMode::Sync;
                    Self::new(barrier(*aligned), [if waits { "sync" } else { "arrive" }])
                        .also(of_instance.then_some("cta"))
                }
            },
            O::WarpBarrier { .. } => Self::new("bar", ["warp", "sync"]),
            O::ClusterArrive { order, aligned } => {
                Self::new("barrier", ["cluster", "arrive", order.word()])
                    .also(aligned.then_some("aligned"))
            }
            O::ClusterWait { aligned } => Self::new("barrier", ["cluster", "wait", "acquire"])
                .also(aligned.then_some("aligned")),
            O::Mbarrier { access, op } => Self::mbarrier(access, op),
            O::GridDependencyWait => Self::new("griddepcontrol", ["wait"]),
            O::LaunchDependents => Self::new("griddepcontrol", ["launch_dependents"]),
            O::Move { ty, .. } => Self::new("mov", []).typed([*ty]),
            O::Compare { comparison, ty, combine, result, .. } => {
                let sets = *result != Type::PREDICATE;
                let said = Self::new(if sets { "set" } else { "setp" }, [comparison.word()])
                    .also(combine.as_ref().map(|(op, _)| op.word()));
                if sets { said.typed([*result, *ty]) } else { said.typed([*ty]) }
            }
            O::Branch { condition: Some((comparison, ..)), .. } => {
                let opcode = table::branch(*comparison).filter(|_| columns);
                Self::new(opcode.ok_or("a compare-and-branch")?, [])
            }
            O::Branch { .. } => Self::new(if columns { "goto" } else { "bra" }, []),
            O::Exit => Self::new("exit", []),
            O::Nothing => Self::new("nanosleep", ["u32"]),
            O::Unknown { name, .. } => return Err(format!("`{name}`")),
            O::Form(written) => Self::new(written.form.opcode, []),
        })
    }

    fn mbarrier(access: &AccessForm, op: &MbarrierOp) -> Self {
        let function = match op {
            MbarrierOp::Init { .. } => "init",
            MbarrierOp::Inval => "inval",
            MbarrierOp::ExpectTx { .. } => "expect_tx",
            MbarrierOp::CompleteTx { .. } => "complete_tx",
            MbarrierOp::Arrive { drop: false, .. } => "arrive",
            MbarrierOp::Arrive { drop: true, .. } => "arrive_drop",
            MbarrierOp::Wait { may_time_out: false, .. } => "test_wait",
            MbarrierOp::Wait { may_time_out: true, .. } => "try_wait",
        };
        let suffix = match op {
            MbarrierOp::Arrive { expect_tx: Some(_), .. } => Some("expect_tx"),
            MbarrierOp::Arrive { no_complete: true, .. } => Some("noComplete"),
            MbarrierOp::Wait { phase: WaitPhase::Parity(_), .. } => Some("parity"),
            _ => None,
        };
        let said = Self::new("mbarrier", [function]).also(suffix);
        let strong = access.scope.filter(|_| access.order != Order::Weak);
        let words = strong.map(|scope| [access.order.word(), scope.word()]);
        said.also(words.into_iter().flatten()).also(["b64"]).of_space(access.space)
    }

    /// The form of all these words with so many operands.
    fn form(&self, operands: usize, columns: bool) -> Option<(&'static Form, Words)> {
        let forms = || table::dialect_forms(self.opcode, columns);
        self.spellings(columns).into_iter().find_map(|types| {
            let types: SmallVec<[String; 2]> = types.iter().map(ToString::to_string).collect();
            let words = self.function.iter().copied().chain(self.access.iter().map(|w| &**w));
            let words: SmallVec<[&str; 8]> =
                words.chain(types.iter().map(String::as_str)).collect();
            forms().filter(|form| self.may_be(form)).find_map(|form| {
                let filling = form.fill(&words, columns, 0)?;
                let (there, least) = form.operands_with(&filling.words);
                let most = there.iter().filter(|there| **there).count();
                let fits = (least..=most).contains(&operands);
                fits.then_some((form, Words(filling.words)))
            })
        })
    }

    /// Whether a form is one of an operation that does not keep its form, and has the words that say
    /// what is done.
    fn may_be(&self, form: &Form) -> bool {
        let braces = |role| matches!(role, Role::Into | Role::Elements);
        !matches!(form.row.op, Op::Outside)
            && !form.operands.iter().any(|operand| braces(operand.role))
            && self.function.iter().all(|word| form.slots.iter().any(|slot| slot.wants(word)))
    }

    /// The types as they may be written. Columns leave out the type of untyped instructions; PTX has
    /// an unsigned type or one of bits where the instruction has no signed one.
    fn spellings(&self, columns: bool) -> SmallVec<[SmallVec<[Type; 2]>; 3]> {
        let Some((&Type::UNTYPED, others)) = self.types.split_last() else {
            return smallvec![self.types.clone()];
        };
        let with = |ty: Type| others.iter().copied().chain([ty]).collect();
        match columns {
            true => smallvec![others.iter().copied().collect(), self.types.clone()],
            false => smallvec![
                self.types.clone(),
                with(Type::new(TypeKind::Unsigned, 64)),
                with(Type::B64)
            ],
        }
    }

    /// What no form says: the opcode, one of its words, or the type.
    fn unsayable(&self, columns: bool) -> String {
        let forms = table::forms(self.opcode);
        if forms.is_empty() && !columns {
            return format!("`{}`", self.opcode);
        }
        let known = |word: &str| forms.iter().flat_map(|form| &form.slots).any(|s| s.wants(word));
        let name = |words: &[&str]| [&[self.opcode], words].concat().join(".");
        let lacks = |word: &&str| !known(word);
        if self.function.iter().copied().any(|word| lacks(&word)) {
            return format!("`{}`", name(&self.function));
        }
        match self.access.iter().map(|word| &**word).find(lacks) {
            Some(word) => format!("`{}`", name(&[word])),
            None if self.types.last() == Some(&Type::UNTYPED) => {
                format!("a 64-bit `{}`", name(&self.function))
            }
            None => format!("such a `{}`", name(&self.function)),
        }
    }
}

/// The opcode of a barrier of a CTA.
const fn barrier(aligned: bool) -> &'static str {
    if aligned { "bar" } else { "barrier" }
}
