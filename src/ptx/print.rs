//! Operations back into PTX text; reading the text again gives the same operation.

use crate::ptx::literal::Float;
use crate::ptx::names::{component, special_register};
use crate::ptx::operands::Operand;
use crate::ptx::operation::{
    AccessForm, Address, AtomicOp, BarrierMode, CarryOp, Destination, Element, FenceRestriction,
    MbarrierOp, Operation, Order, PredicateUse, Proxy, ProxyFenceKind, Space, Statement, Type,
    TypeKind, Value, WaitPhase,
};
use crate::ptx::row::Columns;
use crate::ptx::words::Word;
use crate::ptx::written::Written;
use thiserror::Error;

/// The style of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// PTX statements: every type is written, registers have a `%`.
    Ptx,
    /// Cells of the column dialect: 64-bit untyped forms stay untyped.
    Columns,
}

/// A statement that a style has no form for.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{style} cannot say {what}", style = match style { Style::Ptx => "PTX", Style::Columns => "columns" })]
pub struct PrintError {
    /// The style.
    pub style: Style,
    /// The missing form.
    pub what: String,
}

type Printed = Result<String, PrintError>;

/// The text of a statement without its `;`: labels, guard, instruction.
///
/// # Errors
/// When the style has no form for it.
pub fn statement(statement: &Statement, style: Style) -> Printed {
    let printer = Printer { style };
    let mut text: String =
        statement.labels.iter().map(|label| format!("{}: ", word(&label.value))).collect();
    if let Some(guard) = &statement.guard {
        text += &format!("@{} ", printer.predicate(guard));
    }
    Ok(text + &printer.operation(&statement.operation)?)
}

/// The written name of a register or label. The name of a block's local contains a point; the
/// printed text has no blocks. The name of a component keeps its last point.
#[must_use]
pub fn word(name: &str) -> String {
    match name.rsplit_once('.') {
        Some((vector, last)) if component(last).is_some() => {
            format!("{}.{last}", vector.replace('.', "$"))
        }
        _ => name.replace('.', "$"),
    }
}

/// A number as PTX writes it for a type: floating-point numbers by their bits.
#[must_use]
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as wide as the type")]
pub fn constant(number: i128, ty: Type) -> String {
    match (ty.kind, ty.bits) {
        (TypeKind::Float, 32) => Float::Single(number as u32).to_string(),
        (TypeKind::Float, 64) => format!("0d{:016X}", number as u64),
        _ => number.to_string(),
    }
}

struct Printer {
    style: Style,
}

/// An opcode with its qualifiers.
struct Head(String);

impl Head {
    fn new(opcode: impl Into<String>) -> Self {
        Self(opcode.into())
    }

    fn word(mut self, word: impl std::fmt::Display) -> Self {
        self.0 += &format!(".{word}");
        self
    }

    fn words(self, words: impl IntoIterator<Item = impl std::fmt::Display>) -> Self {
        words.into_iter().fold(self, Self::word)
    }
}

impl Printer {
    fn cannot<T>(&self, what: impl Into<String>) -> Result<T, PrintError> {
        Err(PrintError { style: self.style, what: what.into() })
    }

    fn operation(&self, operation: &Operation) -> Printed {
        let (head, operands) = match operation {
            Operation::Nothing => (Head::new("nanosleep.u32"), vec!["0".to_owned()]),
            Operation::Unknown { name, operands, .. } => {
                if self.style == Style::Columns && operands.iter().any(|text| text.contains('|')) {
                    return self.cannot("a pair of destinations: `|` separates cells");
                }
                (Head::new(name), operands.clone())
            }
            operation => {
                let head = self.head(operation)?;
                let operands = operation.operands();
                let texts = operands.iter().filter_map(|operand| self.operand(operand).transpose());
                (head, texts.collect::<Result<_, _>>()?)
            }
        };
        match operands.is_empty() {
            true => Ok(head.0),
            false => Ok(format!("{} {}", head.0, operands.join(", "))),
        }
    }

    /// The opcode and the qualifiers.
    fn head(&self, operation: &Operation) -> Result<Head, PrintError> {
        use Operation as O;
        Ok(match operation {
            O::Load { access, non_coherent, .. } => {
                let opcode = match (access.proxy, *non_coherent && access.space != Space::Global) {
                    (
                        Proxy::Generic | Proxy::Async | Proxy::Tensormap | Proxy::TensorMemory,
                        false,
                    ) => "ld",
                    (
                        Proxy::Generic | Proxy::Async | Proxy::Tensormap | Proxy::TensorMemory,
                        true,
                    ) => "ldu",
                    (Proxy::Texture, _) => "tld",
                    (Proxy::Surface, _) => "suld",
                    (Proxy::Constant, _) => "cold",
                };
                self.access(Head::new(self.opcode(opcode, access)?), access, *non_coherent)
            }
            O::Store { access, .. } => {
                let opcode = if access.proxy == Proxy::Surface { "sust" } else { "st" };
                self.access(Head::new(self.opcode(opcode, access)?), access, false)
            }
            O::Atomic { access, op, .. } => {
                let opcode = if access.proxy == Proxy::Surface { "suatom" } else { "atom" };
                self.atomic(opcode, access, *op)?
            }
            O::Reduce { access, op, .. } => {
                let opcode = if access.proxy == Proxy::Surface { "sured" } else { "red" };
                self.atomic(opcode, access, *op)?
            }
            O::MultimemLoadReduce { access, op, .. } => {
                self.multimem("ld_reduce", access, Some(*op))
            }
            O::MultimemStore { access, .. } => self.multimem("st", access, None),
            O::MultimemReduce { access, op, .. } => self.multimem("red", access, Some(*op)),
            O::Fence { order, scope, restriction } => match restriction {
                FenceRestriction::None => Head::new("fence").word(order).word(scope),
                FenceRestriction::AcquireSharedCluster => {
                    Head::new("fence.acquire.sync_restrict::shared::cluster.cluster")
                }
                FenceRestriction::ReleaseSharedCta => {
                    Head::new("fence.release.sync_restrict::shared::cta.cluster")
                }
                FenceRestriction::MbarrierInit => Head::new("fence.mbarrier_init.release.cluster"),
            },
            O::ProxyFence { kind, .. } => self.proxy_fence(*kind)?,
            O::CtaBarrier { mode, resource, count, .. } => {
                self.cta_barrier(mode, resource.as_ref(), count.as_ref())?
            }
            O::WarpBarrier { .. } => Head::new("bar.warp.sync"),
            O::ClusterArrive { order } => Head::new("barrier.cluster.arrive").word(order),
            O::ClusterWait => Head::new("barrier.cluster.wait.acquire"),
            O::Mbarrier { access, op } => Self::mbarrier(access, op),
            O::GridDependencyWait => Head::new("griddepcontrol.wait"),
            O::LaunchDependents => Head::new("griddepcontrol.launch_dependents"),
            O::Form(written) => self.written(written),
            _ => self.register_head(operation)?,
        })
    }

    fn register_head(&self, operation: &Operation) -> Result<Head, PrintError> {
        use Operation as O;
        Ok(match operation {
            O::Move { ty, .. } | O::Pack { ty, .. } | O::Unpack { ty, .. } => {
                self.typed(Head::new("mov"), *ty, 1)
            }
            O::MoveVector { ty, sources, .. } => {
                let length = u32::try_from(sources.len()).unwrap_or(u32::MAX);
                self.typed(Head::new("mov"), *ty, length)
            }
            O::Convert { saturating, to, from, .. } => {
                Head::new(if *saturating { "cvt.sat" } else { "cvt" }).word(to).word(from)
            }
            O::Carry { op, ty, carry_in, carry_out, .. } => {
                let (opcode, half) = match op {
                    CarryOp::Add => ("add", None),
                    CarryOp::Sub => ("sub", None),
                    CarryOp::Mad(half) => ("mad", Some(half.word())),
                };
                let takes = if carry_in.is_some() { "c" } else { "" };
                let head = Head::new(format!("{opcode}{takes}")).words(half);
                head.words(carry_out.is_some().then_some("cc")).word(ty)
            }
            O::Arithmetic { op, ty, .. } => self.typed(Head::new(op.to_string()), *ty, 1),
            O::MultiplyAdd { op, ty, .. } => {
                self.typed(Head::new(op.to_string().replace("mul", "mad")), *ty, 1)
            }
            O::Compare { comparison, ty, combine, result, .. } => {
                let sets = *result != Type::PREDICATE;
                let head = Head::new(if sets { "set" } else { "setp" }).word(comparison);
                let head = head.words(combine.as_ref().map(|(op, _)| op));
                if sets { head.word(result).word(ty) } else { self.typed(head, *ty, 1) }
            }
            O::Branch { condition, .. } => match (condition, self.style) {
                (None, Style::Ptx) => Head::new("bra"),
                (None, Style::Columns) => Head::new("goto"),
                (Some((comparison, ..)), Style::Columns) => Head::new(format!("b{comparison}")),
                (Some(_), Style::Ptx) => return self.cannot("a compare-and-branch"),
            },
            O::Exit => Head::new("exit"),
            _ => unreachable!("the other operations have heads of their own"),
        })
    }

    /// The words of a form of the table; columns omit those that may be omitted.
    fn written(&self, written: &Written) -> Head {
        let head = Head::new(written.form.opcode);
        written.words.0.iter().flatten().fold(head, |head, word| match word {
            Word::Plain(word) => head.word(word),
            Word::Space(space) => Self::space(head, *space),
            Word::Scope(scope) => head.word(scope),
            Word::Type(ty) if written.form.row.columns == Columns::Words => {
                self.typed(head, *ty, 1)
            }
            Word::Type(ty) => head.word(ty),
        })
    }

    /// An operand; `None` if it is not written.
    fn operand(&self, operand: &Operand<'_>) -> Result<Option<String>, PrintError> {
        Ok(Some(match operand {
            Operand::Into(list, _) => {
                vector(&list.iter().map(|d| self.destination(d)).collect::<Vec<_>>())
            }
            Operand::Both([first, second], _) => self.pair(first, second)?,
            Operand::From(list, need) => {
                let texts = list.iter().map(|value| self.source(value, need.ty));
                vector(&texts.collect::<Result<Vec<_>, _>>()?)
            }
            Operand::Registers(list, _) => {
                let texts: Vec<_> = list.iter().map(|d| self.destination(d)).collect();
                format!("{{{}}}", texts.join(", "))
            }
            Operand::Elements(list, need) => {
                let texts = list.iter().map(|value| self.source(value, need.ty));
                format!("{{{}}}", texts.collect::<Result<Vec<_>, _>>()?.join(", "))
            }
            Operand::At(address) => self.address(address),
            Operand::Box(map, coordinates) => {
                let texts = coordinates.iter().map(|value| self.source(value, Type::B32));
                let texts = texts.collect::<Result<Vec<_>, _>>()?;
                let map = self.address(map);
                format!("[{}, {{{}}}]", map.trim_matches(['[', ']']), texts.join(", "))
            }
            Operand::Label(label) => word(label),
            Operand::Constant(number) => number.to_string(),
            Operand::Table(number) => format!("{number:#04x}"),
            Operand::Reads(..) | Operand::Writes(..) => return Ok(None),
        }))
    }

    /// The opcode, unless the access goes through a proxy that only columns have.
    fn opcode(
        &self,
        opcode: &'static str,
        access: &AccessForm,
    ) -> Result<&'static str, PrintError> {
        if self.style == Style::Ptx && access.proxy != Proxy::Generic {
            return self.cannot(format!("`{opcode}`"));
        }
        Ok(opcode)
    }

    fn access(&self, head: Head, access: &AccessForm, non_coherent: bool) -> Head {
        let head = match access.order {
            _ if non_coherent => head,
            _ if access.volatile => head.word("volatile"),
            Order::Weak => head.word("weak"),
            order => head.words(access.mmio.then_some("mmio")).word(order).words(access.scope),
        };
        let head = Self::space(head, access.space);
        let head = head.words((non_coherent && access.space == Space::Global).then_some("nc"));
        self.typed(head, access.ty, access.elements)
    }

    fn space(head: Head, space: Space) -> Head {
        match space {
            Space::Generic => head,
            Space::SharedCta => head.word("shared"),
            Space::ParamEntry => head.word("param"),
            space => head.word(space),
        }
    }

    fn is_untyped(&self, ty: Type) -> bool {
        self.style == Style::Columns && ty == Type::UNTYPED
    }

    fn typed(&self, head: Head, ty: Type, elements: u32) -> Head {
        let head = head.words((elements > 1).then(|| format!("v{elements}")));
        if self.is_untyped(ty) { head } else { head.word(ty) }
    }

    fn atomic(
        &self,
        opcode: &'static str,
        access: &AccessForm,
        op: AtomicOp,
    ) -> Result<Head, PrintError> {
        let opcode = self.opcode(opcode, access)?;
        let ty = match (op, self.style) {
            (AtomicOp::Sub | AtomicOp::Mul | AtomicOp::Div, Style::Ptx) => {
                return self.cannot(format!("`{opcode}.{op}`"));
            }
            (AtomicOp::Inc | AtomicOp::Dec, Style::Ptx) if access.ty == Type::UNTYPED => {
                return self.cannot(format!("a 64-bit `{opcode}.{op}`"));
            }
            (AtomicOp::Add, Style::Ptx) if access.ty == Type::UNTYPED => {
                Type::new(TypeKind::Unsigned, 64)
            }
            (AtomicOp::Min | AtomicOp::Max, _) | (_, Style::Columns) => access.ty,
            _ if access.ty == Type::UNTYPED => Type::new(TypeKind::Bits, 64),
            _ => access.ty,
        };
        if self.style == Style::Ptx
            && opcode == "red"
            && matches!(access.order, Order::Acquire | Order::AcqRel)
        {
            return self.cannot(format!("`red.{}`", access.order));
        }
        let head = Head::new(opcode).word(access.order).words(access.scope);
        let head = Self::space(head, access.space).word(op);
        Ok(self.typed(head.words(ty.is_half().then_some("noftz")), ty, access.elements))
    }

    fn multimem(&self, name: &str, access: &AccessForm, op: Option<AtomicOp>) -> Head {
        let head = Head::new("multimem").word(name).word(access.order).words(access.scope);
        let head = Self::space(head, access.space).words(op);
        let elements = access.elements;
        head.words((elements > 1).then(|| format!("v{elements}"))).word(access.ty)
    }

    fn proxy_fence(&self, kind: ProxyFenceKind) -> Result<Head, PrintError> {
        let head = Head::new("fence.proxy");
        Ok(match kind {
            ProxyFenceKind::Alias => head.word("alias"),
            ProxyFenceKind::Async(space) => head.word("async").words(space),
            ProxyFenceKind::TensormapRelease(scope) => {
                head.word("tensormap::generic.release").word(scope)
            }
            ProxyFenceKind::TensormapAcquire(scope) => {
                head.word("tensormap::generic.acquire").word(scope)
            }
            ProxyFenceKind::AsyncGenericAcquire => {
                head.word("async::generic.acquire.sync_restrict::shared::cluster.cluster")
            }
            ProxyFenceKind::AsyncGenericRelease => {
                head.word("async::generic.release.sync_restrict::shared::cta.cluster")
            }
            ProxyFenceKind::AsyncGenericReleaseReads => {
                head.word("async::generic.release.sync_restrict::shared::cluster::read.cluster")
            }
            ProxyFenceKind::AliasAcquire => head.word("alias.acquire.sys"),
            ProxyFenceKind::AliasRelease => head.word("alias.release.sys"),
            ProxyFenceKind::Research(proxy) if self.style == Style::Columns => head.word(proxy),
            ProxyFenceKind::Research(proxy) => {
                return self.cannot(format!("`fence.proxy.{proxy}`"));
            }
        })
    }

    fn cta_barrier(
        &self,
        mode: &BarrierMode,
        resource: Option<&Value>,
        count: Option<&Value>,
    ) -> Result<Head, PrintError> {
        let name = match (self.style, resource, count) {
            (Style::Ptx, Some(_), _) => {
                return self.cannot("a barrier with an instance and a number");
            }
            (Style::Ptx, None, None) if *mode == BarrierMode::Arrive => {
                return self.cannot("an arrival at a barrier without the number of threads");
            }
            (Style::Columns, Some(_), _) | (Style::Columns, None, None) => "bar.cta",
            _ => "bar",
        };
        Ok(match mode {
            BarrierMode::Sync => Head::new(name).word("sync"),
            BarrierMode::Arrive => Head::new(name).word("arrive"),
            BarrierMode::RedPopc(..) => Head::new("bar.red.popc.u32"),
            BarrierMode::RedBool(_, op, _) => Head::new("bar.red").word(op).word("pred"),
        })
    }

    fn mbarrier(access: &AccessForm, op: &MbarrierOp) -> Head {
        let name = match op {
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
        let head = Head::new("mbarrier").word(name).words(suffix);
        let head = match (access.order, access.scope) {
            (Order::Weak, _) | (_, None) => head,
            (order, Some(scope)) => head.word(order).word(scope),
        };
        Self::space(head, access.space).word("b64")
    }

    fn register(&self, name: &str) -> String {
        let percent = format!("%{}", word(name));
        let plain = name.strip_prefix('r').is_some_and(|n| n.parse::<u32>().is_ok());
        if special_register(&percent).is_some() || (self.style == Style::Columns && plain) {
            return name.to_owned();
        }
        percent
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Register(register) => self.register(&register.value),
            Value::Not(register) => format!("!{}", self.register(&register.value)),
            Value::Immediate(number) => number.value.to_string(),
            Value::AddressOf(name, 0) => name.value.clone(),
            Value::AddressOf(name, offset) => format!("{}+{offset}", name.value),
            Value::ElementOf(Element { variable, register, more, .. }) => {
                let index = self.register(&register.value);
                match more {
                    0 => format!("{}[{index}]", variable.value),
                    more => format!("{}[{index}+{more}]", variable.value),
                }
            }
            Value::Special(name) => format!("%{}", name.value),
        }
    }

    /// A value of this type; PTX has no 16-bit floating-point constants, columns mean bits.
    fn source(&self, value: &Value, ty: Type) -> Printed {
        match value {
            Value::Immediate(_) if self.style == Style::Ptx && ty.is_half() => {
                self.cannot(format!("a constant of `.{ty}`"))
            }
            Value::Immediate(number) if self.style == Style::Ptx => Ok(constant(number.value, ty)),
            _ => Ok(self.value(value)),
        }
    }

    fn destination(&self, destination: &Destination) -> String {
        destination.as_ref().map_or_else(|| "_".to_owned(), |r| self.register(&r.value))
    }

    fn pair(&self, first: &Destination, second: &Destination) -> Printed {
        match second {
            None => Ok(self.destination(first)),
            Some(_) if self.style == Style::Columns => {
                self.cannot("a pair of destinations: `|` separates cells")
            }
            Some(_) => Ok(format!("{}|{}", self.destination(first), self.destination(second))),
        }
    }

    fn predicate(&self, predicate: &PredicateUse) -> String {
        let negation = if predicate.negated { "!" } else { "" };
        format!("{negation}{}", self.register(&predicate.register.value))
    }

    /// `[x+4]`, or a bare `x` in columns.
    fn address(&self, address: &Address) -> String {
        let base = match &address.base {
            Value::Register(register) => format!("%{}", word(&register.value)),
            base => self.value(base),
        };
        match (&address.base, address.offset, self.style) {
            (Value::AddressOf(..), 0, Style::Columns) | (Value::ElementOf(_), ..) => base,
            (_, 0, _) => format!("[{base}]"),
            (_, offset, _) => format!("[{base}+{offset}]"),
        }
    }
}

fn vector(texts: &[String]) -> String {
    match texts {
        [only] => only.clone(),
        list => format!("{{{}}}", list.join(", ")),
    }
}
