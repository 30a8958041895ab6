//! Operations back into PTX text; reading the text again gives the same operation.

use crate::ptx::literal::Float;
use crate::ptx::names::{component, special_register};
use crate::ptx::operation::{
    AccessForm, Address, AddressDirection, AtomicOp, BarrierMode, CarryOp, Destination, Element,
    FenceRestriction, IntegerOp, MbarrierOp, NonZeroTest, Operation, Order, PredicateUse, Proxy,
    ProxyFenceKind, Space, Statement, Type, TypeKind, Value, WaitPhase,
};
use thiserror::Error;

/// What kind of text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// PTX statements: every type is written, registers have their `%`.
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
    /// What it lacks.
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

/// The name of a register or label as it is written: that of one that is local to a block has a
/// point, and what is printed has no blocks. That of a component keeps its last one.
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

/// An opcode with its qualifiers and operands.
struct Line {
    head: String,
    operands: Vec<String>,
}

impl Line {
    fn new(head: impl Into<String>) -> Self {
        Self { head: head.into(), operands: Vec::new() }
    }

    fn word(mut self, word: impl std::fmt::Display) -> Self {
        self.head += &format!(".{word}");
        self
    }

    fn operand(mut self, operand: impl Into<String>) -> Self {
        self.operands.push(operand.into());
        self
    }

    fn finish(self) -> String {
        if self.operands.is_empty() {
            return self.head;
        }
        format!("{} {}", self.head, self.operands.join(", "))
    }
}

impl Printer {
    fn cannot<T>(&self, what: impl Into<String>) -> Result<T, PrintError> {
        Err(PrintError { style: self.style, what: what.into() })
    }

    fn operation(&self, operation: &Operation) -> Printed {
        use Operation as O;
        let line = match operation {
            O::Load { access, destinations, non_coherent } => {
                let opcode = match (access.proxy, *non_coherent && access.space != Space::Global) {
                    (Proxy::Generic, false) => "ld",
                    (Proxy::Generic, true) => "ldu",
                    (Proxy::Texture, _) => "tld",
                    (Proxy::Surface, _) => "suld",
                    (Proxy::Constant, _) => "cold",
                };
                let line =
                    self.access(Line::new(self.opcode(opcode, access)?), access, *non_coherent);
                self.typed(line, access.ty, access.elements)
                    .operand(self.destinations(destinations))
                    .operand(self.address(&access.address))
            }
            O::Store { access, sources } => {
                let opcode = if access.proxy == Proxy::Surface { "sust" } else { "st" };
                let line = self.access(Line::new(self.opcode(opcode, access)?), access, false);
                self.typed(line, access.ty, access.elements)
                    .operand(self.address(&access.address))
                    .operand(self.values(sources, access.ty)?)
            }
            O::Atomic { access, op, destinations, operands, swap } => {
                let opcode = if access.proxy == Proxy::Surface { "suatom" } else { "atom" };
                let line = self.atomic(opcode, access, *op)?;
                // A vector of sinks alone is no operand.
                let unused = destinations.iter().all(Option::is_none);
                let written = if unused { "_".to_owned() } else { self.destinations(destinations) };
                let line = line
                    .operand(written)
                    .operand(self.address(&access.address))
                    .operand(self.values(operands, access.ty)?);
                swap.iter().fold(line, |line, value| line.operand(self.value(value)))
            }
            O::Reduce { access, op, operands } => {
                let opcode = if access.proxy == Proxy::Surface { "sured" } else { "red" };
                self.atomic(opcode, access, *op)?
                    .operand(self.address(&access.address))
                    .operand(self.values(operands, access.ty)?)
            }
            O::MultimemLoadReduce { access, op, destinations } => {
                let line = self.multimem("ld_reduce", access, Some(*op));
                line.operand(self.destinations(destinations)).operand(self.address(&access.address))
            }
            O::MultimemStore { access, sources } => self
                .multimem("st", access, None)
                .operand(self.address(&access.address))
                .operand(self.values(sources, access.ty)?),
            O::MultimemReduce { access, op, operands } => self
                .multimem("red", access, Some(*op))
                .operand(self.address(&access.address))
                .operand(self.values(operands, access.ty)?),
            O::Fence { order, scope, restriction } => match restriction {
                FenceRestriction::None => Line::new("fence").word(order).word(scope),
                FenceRestriction::AcquireSharedCluster => {
                    Line::new("fence.acquire.sync_restrict::shared::cluster.cluster")
                }
                FenceRestriction::ReleaseSharedCta => {
                    Line::new("fence.release.sync_restrict::shared::cta.cluster")
                }
                FenceRestriction::MbarrierInit => Line::new("fence.mbarrier_init.release.cluster"),
            },
            O::ProxyFence { kind, address } => self.proxy_fence(*kind, address.as_ref())?,
            O::CtaBarrier { mode, barrier, resource, count } => {
                self.cta_barrier(mode, barrier, resource.as_ref(), count.as_ref())?
            }
            O::WarpBarrier { mask } => Line::new("bar.warp.sync").operand(self.value(mask)),
            O::ClusterArrive { order } => Line::new("barrier.cluster.arrive").word(order),
            O::ClusterWait => Line::new("barrier.cluster.wait.acquire"),
            O::Mbarrier { access, op } => self.mbarrier(access, op),
            O::MbarrierPendingCount { destination, state } => {
                Line::new("mbarrier.pending_count.b64")
                    .operand(self.destination(destination))
                    .operand(self.value(state))
            }
            O::StoreBulk { space, address, size } => Self::bulk(*space)
                .operand(self.address(address))
                .operand(self.value(size))
                .operand("0"),
            O::Discard { address, size } => {
                Line::new("discard.L2").operand(self.address(address)).operand(self.value(size))
            }
            O::GridDependencyWait => Line::new("griddepcontrol.wait"),
            O::LaunchDependents => Line::new("griddepcontrol.launch_dependents"),
            _ => return self.register_operation(operation),
        };
        Ok(line.finish())
    }

    fn register_operation(&self, operation: &Operation) -> Printed {
        use Operation as O;
        let line = match operation {
            O::Move { ty, destination, source } => self
                .typed(Line::new("mov"), *ty, 1)
                .operand(self.destination(destination))
                .operand(self.source(source, *ty)?),
            O::MoveVector { ty, destinations, sources } => {
                let sources =
                    sources.iter().map(|s| self.source(s, *ty)).collect::<Result<Vec<_>, _>>()?;
                let length = u32::try_from(sources.len()).unwrap_or(u32::MAX);
                self.typed(Line::new("mov"), *ty, length)
                    .operand(self.destinations(destinations))
                    .operand(vector(&sources))
            }
            O::Pack { ty, destination, parts } => {
                let parts: Vec<_> = parts.iter().map(|part| self.value(part)).collect();
                self.typed(Line::new("mov"), *ty, 1)
                    .operand(self.destination(destination))
                    .operand(vector(&parts))
            }
            O::Unpack { ty, destinations, source } => self
                .typed(Line::new("mov"), *ty, 1)
                .operand(self.destinations(destinations))
                .operand(self.value(source)),
            O::Convert { saturating, to, from, destination, source } => {
                Line::new(if *saturating { "cvt.sat" } else { "cvt" })
                    .word(to)
                    .word(from)
                    .operand(self.destination(destination))
                    .operand(self.value(source))
            }
            O::Integer { op, ty, destination, sources, test } => {
                self.integer(*op, *ty, destination, sources, test.as_ref())?
            }
            O::Carry { op, ty, destination, sources, carry_in, carry_out } => {
                let (opcode, half) = match op {
                    CarryOp::Add => ("add", None),
                    CarryOp::Sub => ("sub", None),
                    CarryOp::Mad(half) => ("mad", Some(half.word())),
                };
                let c = if carry_in.is_some() { "c" } else { "" };
                let line = half.iter().fold(Line::new(format!("{opcode}{c}")), Line::word);
                let line = if carry_out.is_some() { line.word("cc") } else { line };
                let line = line.word(ty).operand(self.destination(destination));
                sources.iter().fold(line, |line, source| line.operand(self.value(source)))
            }
            O::Arithmetic { op, ty, destination, sources } => {
                let mut line = self.typed(Line::new(op.to_string()), *ty, 1);
                line = line.operand(self.destination(destination));
                for source in sources {
                    line = line.operand(self.source(source, *ty)?);
                }
                line
            }
            O::Float { op, ty, mode, destination, sources } => {
                let line = self.typed(Line::new(format!("{op}{mode}")), *ty, 1);
                let line = line.operand(self.destination(destination));
                let mut sources = sources.iter().map(|source| self.source(source, *ty));
                sources.try_fold(line, |line, source| Ok(line.operand(source?)))?
            }
            O::MultiplyAdd { op, ty, destination, sources } => {
                let name = op.to_string().replace("mul", "mad");
                let line =
                    self.typed(Line::new(name), *ty, 1).operand(self.destination(destination));
                sources.iter().fold(line, |line, source| line.operand(self.value(source)))
            }
            O::Compare { comparison, ty, destination, complement, sources, combine, result } => {
                let sets = *result != Type::PREDICATE;
                let mut line = Line::new(if sets { "set" } else { "setp" }).word(comparison);
                line = combine.iter().fold(line, |line, (op, _)| line.word(op));
                line = if sets { line.word(result).word(ty) } else { self.typed(line, *ty, 1) };
                line = line.operand(self.pair(destination, complement)?);
                line = sources.iter().fold(line, |line, source| line.operand(self.value(source)));
                combine
                    .iter()
                    .fold(line, |line, (_, predicate)| line.operand(self.value(predicate)))
            }
            O::Select { ty, destination, then, otherwise, condition } => self
                .typed(Line::new("selp"), *ty, 1)
                .operand(self.destination(destination))
                .operand(self.source(then, *ty)?)
                .operand(self.source(otherwise, *ty)?)
                .operand(self.value(condition)),
            O::ConvertAddress { direction, space, ty, destination, source } => {
                let to = matches!(direction, AddressDirection::FromGeneric);
                Self::space(Line::new(if to { "cvta.to" } else { "cvta" }), *space)
                    .word(ty)
                    .operand(self.destination(destination))
                    .operand(self.value(source))
            }
            O::MapAddress { ty, destination, source, rank, generic } => {
                Line::new(if *generic { "mapa" } else { "mapa.shared::cluster" })
                    .word(ty)
                    .operand(self.destination(destination))
                    .operand(self.value(source))
                    .operand(self.value(rank))
            }
            O::IsSpace { destination, space, address } => Line::new("isspacep")
                .word(space)
                .operand(self.destination(destination))
                .operand(self.value(address)),
            O::CtaRank { ty, destination, address, generic } => {
                Line::new(if *generic { "getctarank" } else { "getctarank.shared::cluster" })
                    .word(ty)
                    .operand(self.destination(destination))
                    .operand(self.value(address))
            }
            O::WarpExchange { op, destination, predicate, sources } => {
                let line = Line::new(op.to_string()).operand(self.pair(destination, predicate)?);
                sources.iter().fold(line, |line, source| line.operand(self.value(source)))
            }
            O::StackSave { ty, destination } => {
                Line::new("stacksave").word(ty).operand(self.destination(destination))
            }
            O::StackRestore { ty, source } => {
                Line::new("stackrestore").word(ty).operand(self.value(source))
            }
            O::Branch { target, condition } => match (condition, self.style) {
                (None, Style::Ptx) => Line::new("bra").operand(word(&target.value)),
                (None, Style::Columns) => Line::new("goto").operand(word(&target.value)),
                (Some((comparison, left, right)), Style::Columns) => {
                    Line::new(format!("b{comparison}"))
                        .operand(self.value(left))
                        .operand(self.value(right))
                        .operand(word(&target.value))
                }
                (Some(_), Style::Ptx) => return self.cannot("a compare-and-branch"),
            },
            O::Exit => Line::new("exit"),
            O::Unknown { name, operands, .. } => {
                if self.style == Style::Columns && operands.iter().any(|text| text.contains('|')) {
                    return self.cannot("a pair of destinations: `|` separates cells");
                }
                Line { head: name.clone(), operands: operands.clone() }
            }
            _ => Line::new("nanosleep.u32").operand("0"),
        };
        Ok(line.finish())
    }

    fn integer(
        &self,
        op: IntegerOp,
        ty: Type,
        destination: &Destination,
        sources: &[Value],
        test: Option<&NonZeroTest>,
    ) -> Result<Line, PrintError> {
        let line = Line::new(op.head(ty));
        let line = match test {
            None => line.operand(self.destination(destination)),
            Some(test) => {
                line.word(test.op).operand(self.pair(destination, &Some(test.predicate.clone()))?)
            }
        };
        let mut line = line;
        for (number, source) in sources.iter().enumerate() {
            line = line.operand(self.source(source, op.source(ty, number).0)?);
        }
        let line = match op {
            IntegerOp::Lop3(table) => line.operand(format!("{table:#04x}")),
            _ => line,
        };
        Ok(test.iter().fold(line, |line, test| line.operand(self.value(&test.with))))
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

    fn access(&self, line: Line, access: &AccessForm, non_coherent: bool) -> Line {
        let line = match access.order {
            _ if non_coherent => line,
            _ if access.volatile => line.word("volatile"),
            Order::Weak => line.word("weak"),
            order => {
                let line = if access.mmio { line.word("mmio") } else { line };
                access.scope.iter().fold(line.word(order), |line, scope| line.word(scope))
            }
        };
        let line = Self::space(line, access.space);
        if non_coherent && access.space == Space::Global { line.word("nc") } else { line }
    }

    fn bulk(space: Space) -> Line {
        let line = Line::new("st.bulk.weak");
        if space == Space::Generic { line } else { line.word("shared::cta") }
    }

    fn space(line: Line, space: Space) -> Line {
        match space {
            Space::Generic => line,
            Space::SharedCta => line.word("shared"),
            Space::ParamEntry => line.word("param"),
            space => line.word(space),
        }
    }

    fn is_untyped(&self, ty: Type) -> bool {
        self.style == Style::Columns && ty == Type::UNTYPED
    }

    fn typed(&self, line: Line, ty: Type, elements: u32) -> Line {
        let line = if elements > 1 { line.word(format!("v{elements}")) } else { line };
        if self.is_untyped(ty) { line } else { line.word(ty) }
    }

    fn atomic(
        &self,
        opcode: &'static str,
        access: &AccessForm,
        op: AtomicOp,
    ) -> Result<Line, PrintError> {
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
        let line = Line::new(opcode).word(access.order);
        let line = access.scope.iter().fold(line, |line, scope| line.word(scope));
        let line = Self::space(line, access.space).word(op);
        let line = if ty.is_half() { line.word("noftz") } else { line };
        Ok(self.typed(line, ty, access.elements))
    }

    fn multimem(&self, name: &str, access: &AccessForm, op: Option<AtomicOp>) -> Line {
        let line = Line::new("multimem").word(name).word(access.order);
        let line = access.scope.iter().fold(line, |line, scope| line.word(scope));
        let line = op.iter().fold(Self::space(line, access.space), |line, op| line.word(op));
        let line =
            if access.elements > 1 { line.word(format!("v{}", access.elements)) } else { line };
        line.word(access.ty)
    }

    fn proxy_fence(
        &self,
        kind: ProxyFenceKind,
        address: Option<&Address>,
    ) -> Result<Line, PrintError> {
        let line = Line::new("fence.proxy");
        Ok(match kind {
            ProxyFenceKind::Alias => line.word("alias"),
            ProxyFenceKind::Async(None) => line.word("async"),
            ProxyFenceKind::Async(Some(space)) => line.word("async").word(space),
            ProxyFenceKind::TensormapRelease(scope) => {
                line.word("tensormap::generic.release").word(scope)
            }
            ProxyFenceKind::TensormapAcquire(scope) => {
                let line = line.word("tensormap::generic.acquire").word(scope);
                let line = address.iter().fold(line, |line, at| line.operand(self.address(at)));
                line.operand("128")
            }
            ProxyFenceKind::AsyncGenericAcquire => {
                line.word("async::generic.acquire.sync_restrict::shared::cluster.cluster")
            }
            ProxyFenceKind::AsyncGenericRelease => {
                line.word("async::generic.release.sync_restrict::shared::cta.cluster")
            }
            ProxyFenceKind::Research(proxy) if self.style == Style::Columns => line.word(proxy),
            ProxyFenceKind::Research(proxy) => {
                return self.cannot(format!("`fence.proxy.{proxy}`"));
            }
        })
    }

    fn cta_barrier(
        &self,
        mode: &BarrierMode,
        barrier: &Value,
        resource: Option<&Value>,
        count: Option<&Value>,
    ) -> Result<Line, PrintError> {
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
        let arguments = |line: Line| {
            let operands = std::iter::once(barrier).chain(resource).chain(count);
            operands.fold(line, |line, operand| line.operand(self.value(operand)))
        };
        Ok(match mode {
            BarrierMode::Sync => arguments(Line::new(name).word("sync")),
            BarrierMode::Arrive => arguments(Line::new(name).word("arrive")),
            BarrierMode::RedPopc(destination, predicate) => {
                let line = Line::new("bar.red.popc.u32").operand(self.destination(destination));
                arguments(line).operand(self.value(predicate))
            }
            BarrierMode::RedBool(destination, op, predicate) => {
                let line = Line::new("bar.red").word(op).word("pred");
                arguments(line.operand(self.destination(destination)))
                    .operand(self.value(predicate))
            }
        })
    }

    fn mbarrier(&self, access: &AccessForm, op: &MbarrierOp) -> Line {
        let head = |name: &str| {
            let line = Line::new("mbarrier").word(name);
            let line = match (access.order, access.scope) {
                (Order::Weak, _) | (_, None) => line,
                (order, Some(scope)) => line.word(order).word(scope),
            };
            Self::space(line, access.space).word("b64")
        };
        let address = self.address(&access.address);
        match op {
            MbarrierOp::Init { count } => head("init").operand(address).operand(self.value(count)),
            MbarrierOp::Inval => head("inval").operand(address),
            MbarrierOp::ExpectTx { bytes } => {
                head("expect_tx").operand(address).operand(self.value(bytes))
            }
            MbarrierOp::CompleteTx { bytes } => {
                head("complete_tx").operand(address).operand(self.value(bytes))
            }
            MbarrierOp::Arrive { state, count, expect_tx, no_complete, drop } => {
                let name = if *drop { "arrive_drop" } else { "arrive" };
                let suffix = match (expect_tx, no_complete) {
                    (Some(_), _) => ".expect_tx",
                    (None, true) => ".noComplete",
                    (None, false) => "",
                };
                head(&format!("{name}{suffix}"))
                    .operand(self.destination(state))
                    .operand(address)
                    .operand(self.value(expect_tx.as_ref().unwrap_or(count)))
            }
            MbarrierOp::Wait { done, phase, may_time_out } => {
                let name = if *may_time_out { "try_wait" } else { "test_wait" };
                let (suffix, value) = match phase {
                    WaitPhase::State(value) => ("", value),
                    WaitPhase::Parity(value) => (".parity", value),
                };
                head(&format!("{name}{suffix}"))
                    .operand(self.destination(done))
                    .operand(address)
                    .operand(self.value(value))
            }
        }
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

    fn values(&self, values: &[Value], ty: Type) -> Printed {
        let texts: Result<Vec<_>, _> = values.iter().map(|value| self.source(value, ty)).collect();
        Ok(vector(&texts?))
    }

    fn destination(&self, destination: &Destination) -> String {
        destination.as_ref().map_or_else(|| "_".to_owned(), |r| self.register(&r.value))
    }

    fn destinations(&self, destinations: &[Destination]) -> String {
        let texts: Vec<_> = destinations.iter().map(|d| self.destination(d)).collect();
        vector(&texts)
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
