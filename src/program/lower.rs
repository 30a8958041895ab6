//! Lowering: a test's statements as micro-operations.

use super::expr::Binary;
use super::float::FloatOp;
use super::host::needs_device;
use super::labels::{further_labels, label_positions};
use super::layout::{Layout, Window};
use super::micro::{
    Confined, ElementOrder, Marks, Micro, Program, Step, Target, TaskOrder, Tasks, TensorFence,
    ThreadCode,
};
use super::position::{Position, positions};
use super::reading::{FailingCas, LongVectors, Readings, SinkAtom, VectorReading};
use super::registers::Registers;
use super::rotate::rotate;
use super::special::opaque;
use super::term::{Extension, Term, atomic_result, extension, float_result};
use crate::litmus::ast::{DeclaredSpace, Dialect, LaunchSize, Test, ThreadPlace};
use crate::litmus::tensor_memory::allocated_before;
use crate::ptx::bits::mask;
use crate::ptx::floating::{FloatMode, Subnormals};
use crate::ptx::operation::{
    AccessForm, Address, ArithmeticOp, AtomicOp, BoolOp, Comparison, Destination, Element,
    IntegerOp, Operation, Order, PredicateUse, Reach, Space, Statement, Type, TypeKind, Value,
};
use crate::ptx::row::Op;
use crate::ptx::written::Written;
use crate::rule::Rule;
use rustc_hash::FxHashMap;

/// Lowers a test to a program, under the given readings; the front end has checked names, types and
/// labels.
#[must_use]
pub fn lower(test: &Test, readings: Readings) -> Program {
    let mut program = unrotated(test, readings);
    rotate(&mut program.threads);
    program
}

/// As [`lower`], without rotating loops: each statement with at most one label has one step.
#[must_use]
pub(crate) fn unrotated(test: &Test, readings: Readings) -> Program {
    let layout = Layout::new(test);
    let thread = |(index, at)| lower_thread(test, &layout, index, at, readings);
    let threads: Vec<_> = positions(test).into_iter().enumerate().map(thread).collect();
    Program {
        threads,
        layout,
        quantifier: test.quantifier,
        condition: test.condition.clone(),
        filter: test.filter.clone(),
        shown: test.locations.clone(),
        tasks: tasks(test),
        asynchronous: readings.asynchronous,
    }
}

fn tasks(test: &Test) -> Tasks {
    let task = |name: &str| test.tasks.iter().position(|t| t.name.value == name);
    let edges = test.task_edges.iter().filter_map(|edge| {
        let (from, to) = (task(&edge.from.value)?, task(&edge.to.value)?);
        Some(TaskOrder { from, to, programmatic: edge.programmatic })
    });
    Tasks {
        count: test.tasks.len(),
        of_thread: test.threads.iter().map(|thread| thread.task).collect(),
        edges: edges.collect(),
    }
}

fn lower_thread(
    test: &Test,
    layout: &Layout,
    index: usize,
    at: Position,
    readings: Readings,
) -> ThreadCode {
    let thread = &test.threads[index];
    let registers = Registers::collect(test, index);
    let labels = label_positions(&thread.statements);
    let mut lowering = Lowering {
        layout,
        registers,
        labels,
        place: thread.place,
        dialect: test.dialect,
        name: thread.name.value.clone(),
        readings,
        at,
        launch: &test.launch,
        allocated: allocated_before(test, index),
        out: Vec::new(),
    };
    let mut steps = Vec::new();
    for statement in &thread.statements {
        let empty = Step { guard: None, micros: Vec::new(), span: statement.span };
        steps.extend(std::iter::repeat_n(empty, further_labels(statement)));
        steps.push(lowering.statement(statement));
    }
    let at = |v| layout.address_of(v, thread.place);
    let address = |name: &str| layout.variable(name).map_or(0, at);
    let infos = lowering.registers.infos(test, index, address);
    ThreadCode { name: thread.name.value.clone(), place: thread.place, registers: infos, steps }
}

/// The longest vector for which every order of elements is explored.
const LONGEST_IN_EVERY_ORDER: usize = 4;

/// The state of lowering one thread.
pub(super) struct Lowering<'a> {
    pub(super) layout: &'a Layout,
    pub(super) registers: Registers,
    pub(super) labels: FxHashMap<String, usize>,
    pub(super) place: ThreadPlace,
    pub(super) dialect: Dialect,
    pub(super) name: String,
    pub(super) readings: Readings,
    pub(super) at: Position,
    pub(super) launch: &'a [LaunchSize],
    /// How many variables of Tensor Memory have been allocated in the CTA.
    pub(super) allocated: usize,
    pub(super) out: Vec<Micro>,
}

impl Lowering<'_> {
    fn statement(&mut self, statement: &Statement) -> Step {
        let on_host = self.place == ThreadPlace::Host;
        match needs_device(&statement.operation).filter(|_| on_host) {
            Some(what) => self.outside(Rule::HostThread { what }),
            None => self.operation(&statement.operation),
        }
        Step {
            guard: statement.guard.as_ref().map(|p| self.predicate(p)),
            micros: std::mem::take(&mut self.out),
            span: statement.span,
        }
    }

    pub(super) fn predicate(&self, predicate: &PredicateUse) -> Term {
        let value = self.register(&predicate.register.value, 1, Extension::Zero);
        if predicate.negated { value.not() } else { value }
    }

    /// A register's value as `width` bits.
    pub(super) fn register(&self, name: &str, width: u32, extension: Extension) -> Term {
        match self.registers.index(name) {
            Some(index) => Term::Register(index).resize(width, extension),
            None => Term::Const(0, width),
        }
    }

    /// An operand's value at a type.
    pub(super) fn value(&self, value: &Value, ty: Type) -> Term {
        match value {
            Value::Register(register) => self.register(&register.value, ty.bits, extension(ty)),
            Value::Not(register) => self.register(&register.value, 1, Extension::Zero).not(),
            Value::Immediate(number) => Term::Const(number.value as u128 & mask(ty.bits), ty.bits),
            Value::AddressOf(name, offset) => {
                let base = self.value_of_name(&name.value).wrapping_add_signed(*offset);
                Term::Const(u128::from(base), ty.bits)
            }
            Value::ElementOf(element) => self.element(element).resize(ty.bits, Extension::Zero),
            Value::Special(name) => self.special(&name.value).resize(ty.bits, Extension::Zero),
            Value::Sink { .. } => unreachable!("nothing is stored there"),
        }
    }

    /// The start address of a variable for this thread.
    pub(super) fn start_of(&self, name: &str) -> u64 {
        let start = |variable| self.layout.address_of(variable, self.place);
        self.layout.variable(name).map_or(0, start)
    }

    /// The 64-bit address of an element whose index is in a register (PTX-6.4.2).
    fn element(&self, element: &Element) -> Term {
        let number = |value: i64| Term::Const(value as u128 & mask(Element::BITS), Element::BITS);
        let register = self.register(&element.register.value, Element::BITS, Extension::Zero);
        let index = register.binary(Binary::Add, number(element.more));
        let distance = index.binary(Binary::Mul, number(i64::from(element.bytes)));
        let start = Term::Const(u128::from(self.start_of(&element.variable.value)), 64);
        start.binary(Binary::Add, distance.resize(64, Extension::Zero))
    }

    /// Assigns a value to a destination register.
    pub(super) fn assign(&mut self, destination: &Destination, value: Term, extension: Extension) {
        let Some(register) = destination.as_ref().and_then(|d| self.registers.index(&d.value))
        else {
            return;
        };
        let width = self.registers.ty(register).bits;
        self.out.push(Micro::Assign { register, value: value.resize(width, extension) });
    }

    pub(super) fn loaded(&self, destination: &Destination, ty: Type) -> Option<(usize, Extension)> {
        let register = self.registers.index(&destination.as_ref()?.value)?;
        Some((register, extension(ty)))
    }

    /// The address of an operand plus `skip` bytes, with the space in which it is resolved.
    pub(super) fn address(&self, address: &Address, space: Space, skip: u64) -> (Term, Space) {
        let wide = Type::new(TypeKind::Unsigned, 64);
        let offset = address.offset.wrapping_add_unsigned(skip);
        let named = match &address.base {
            Value::AddressOf(name, _) => self.layout.variable(&name.value),
            Value::ElementOf(element) => self.layout.variable(&element.variable.value),
            _ => None,
        };
        let space = named.map_or(space, |variable| self.declared_space(variable, space));
        if let (Value::AddressOf(name, inner), Some(_)) = (&address.base, named) {
            let at = self.start_of(&name.value).wrapping_add_signed(inner.wrapping_add(offset));
            return (Term::Const(u128::from(at), 64), space);
        }
        let base = self.value(&address.base, wide);
        let sum = base.binary(Binary::Add, Term::Const(offset as u64 as u128, 64));
        (sum, space)
    }

    /// The state space in which an access by name finds a variable.
    fn declared_space(&self, variable: usize, space: Space) -> Space {
        match self.layout.variables[variable].space {
            DeclaredSpace::Global | DeclaredSpace::Multimem => Space::Global,
            DeclaredSpace::Shared if space == Space::SharedCluster => Space::SharedCluster,
            DeclaredSpace::Shared => Space::SharedCta,
            DeclaredSpace::Const => Space::Const,
            DeclaredSpace::Local => Space::Local,
            DeclaredSpace::Param => Space::ParamEntry,
        }
    }

    pub(super) fn target(
        &self,
        access: &AccessForm,
        element: u32,
        order: Order,
        marks: Marks,
    ) -> Target {
        let skip = u64::from(element) * u64::from(access.ty.bytes());
        let (address, space) = self.address(&access.address, access.space, skip);
        Target {
            address,
            space,
            bytes: access.ty.bytes(),
            whole: access.ty.bytes() * access.elements.max(1),
            within: element * access.ty.bytes(),
            order,
            scope: access.scope.filter(|_| order != Order::Weak),
            proxy: access.proxy,
            marks: Marks { mmio: access.mmio, volatile: access.volatile, ..marks },
            replica: None,
            confined: only_global(access, marks).map(Confined::Global),
            lane: None,
        }
    }

    fn operation(&mut self, operation: &Operation) {
        match operation {
            Operation::Load { access, destinations, non_coherent } => {
                self.load(access, destinations, *non_coherent);
            }
            Operation::Store { access, sources } if self.reshaped(access).is_some() => {
                self.store_reshaped(access, sources);
            }
            Operation::Store { access, sources } => {
                let is_stored = |source: &Value| !matches!(source, Value::Sink { .. });
                let elements = (0_u32..).zip(sources).filter(|(_, source)| is_stored(source));
                let elements = elements.map(|(element, source)| {
                    let target = self.target(access, element, access.order, Marks::default());
                    Micro::Store { target, value: self.value(source, access.ty) }
                });
                let elements = elements.collect();
                self.elements(elements, access.order);
            }
            Operation::Atomic { access, op, destinations, operands, .. }
                if access.ty.is_packed() =>
            {
                self.packed_atomic(access, *op, destinations, operands, false);
            }
            Operation::Reduce { access, op, operands } if access.ty.is_packed() => {
                self.packed_atomic(access, *op, &[], operands, true);
            }
            Operation::Atomic { access, op, destinations, operands, swap } => {
                let elements = (0_u32..).zip(operands).map(|(element, operand)| {
                    let destination = destinations.get(element as usize).cloned().flatten();
                    let destination = self.loaded(&destination, access.ty);
                    let operand = self.value(operand, access.ty);
                    let swap = swap.as_ref().map(|s| self.value(s, access.ty));
                    self.atomic_on(access, *op, element, destination, operand, swap, false)
                });
                let elements = elements.collect();
                self.elements(elements, access.order);
            }
            Operation::Reduce { access, op, operands } => {
                let elements = (0_u32..).zip(operands).map(|(element, operand)| {
                    let operand = self.value(operand, access.ty);
                    self.atomic_on(access, *op, element, None, operand, None, true)
                });
                let elements = elements.collect();
                self.elements(elements, access.order);
            }
            Operation::Fence { order, scope, restriction } => {
                self.out.push(Micro::Fence {
                    order: *order,
                    scope: *scope,
                    restriction: (*restriction).into(),
                    when: None,
                });
            }
            Operation::ProxyFence { kind, address } => self.proxy_fence(*kind, address.as_ref()),
            Operation::CtaBarrier { mode, barrier, resource, count, aligned } => {
                let [resource, count] = [resource.as_ref(), count.as_ref()];
                self.cta_barrier(mode, barrier, resource, count, *aligned);
            }
            Operation::WarpBarrier { mask } => {
                let mask = self.value(mask, Type::new(TypeKind::Unsigned, 32));
                self.warp_barrier(mask);
            }
            Operation::ClusterArrive { order, aligned } => {
                self.cluster_barrier(true, *order, *aligned);
            }
            Operation::ClusterWait { aligned } => {
                self.cluster_barrier(false, Order::Acquire, *aligned);
            }
            Operation::Branch { target, condition } => {
                let target = self.labels.get(&target.value).copied().unwrap_or(usize::MAX);
                let condition = condition.as_ref().map(|(comparison, a, b)| {
                    let (a, b) = (self.value(a, Type::UNTYPED), self.value(b, Type::UNTYPED));
                    compare(*comparison, a, b, Type::UNTYPED)
                });
                self.out.push(Micro::Branch { target, condition });
            }
            Operation::Exit => self.out.push(Micro::Exit),
            Operation::LaunchDependents => self.out.push(Micro::Launch),
            Operation::Nothing => {}
            Operation::GridDependencyWait => self.out.push(Micro::GridWait),
            Operation::Form(written) => self.form(written),
            Operation::Unknown { name, definitions, uses, reach: Reach::Registers, .. }
                if definitions.iter().all(|r| self.registers.index(&r.value).is_some()) =>
            {
                self.unknown_results(name, definitions, uses);
            }
            Operation::Unknown { name, .. } => {
                self.outside(why_outside(name));
            }
            Operation::MultimemLoadReduce { .. }
            | Operation::MultimemStore { .. }
            | Operation::MultimemReduce { .. } => self.special_operation(operation),
            Operation::Mbarrier { access, op } => self.mbarrier(access, op),
            _ => self.register_operation(operation),
        }
    }

    /// An instruction that is kept as its row of the table.
    fn form(&mut self, written: &Written) {
        match written.op() {
            Op::Arithmetic(_) | Op::Product | Op::MultiplyAdd => self.arithmetic(written),
            Op::Carry(op) => self.carry(op(&written.words), written),
            Op::Convert => self.convert(written),
            Op::MoveVector | Op::Pack | Op::Unpack => self.move_parts(written),
            Op::Integer(op) => self.integer(op(&written.words), written),
            Op::Logic => {
                let table = u8::try_from(written.constant("table")).unwrap_or_default();
                self.integer(IntegerOp::Lop3(table), written);
            }
            Op::Float(op) => self.float(op, written),
            Op::Select => {
                let (ty, condition) = (written.words.ty(), self.truth(written.value("p")));
                let (then, otherwise) = (written.value("a"), written.value("b"));
                let value = condition.choose(self.value(then, ty), self.value(otherwise, ty));
                self.assign(written.destination(), value, extension(ty));
            }
            Op::Warp(op) => self.warp_exchange(op(&written.words), written),
            Op::ToGeneric | Op::FromGeneric => self.convert_address(written),
            Op::MapAddress => self.map_address(written),
            Op::IsSpace => self.is_space_predicate(written),
            Op::CtaRank => self.cta_rank(written),
            Op::StackSave => {
                let pointer = Term::Free("stack pointer".to_owned(), written.words.ty().bits);
                self.assign(written.destination(), pointer, Extension::Zero);
            }
            Op::StackRestore => {}
            Op::StoreBulk => self.bulk_store(written),
            Op::Discard => self.discard(written),
            Op::PendingCount => self.pending_count(written),
            Op::IsCanceled => self.is_canceled(written),
            Op::FirstCta => self.first_cta(written),
            Op::ReplaceMap => self.replace_map(written),
            Op::CopyMap => self.copy_map(written),
            Op::LoadMatrix => self.load_matrix(written),
            Op::StoreMatrix => self.store_matrix(written),
            Op::LoadFragment => self.load_fragment(written),
            Op::StoreFragment => self.store_fragment(written),
            Op::WarpgroupFence => self.out.push(Micro::TensorFence(TensorFence::Warpgroup)),
            Op::BeforeThreadSync => self.out.push(Micro::TensorFence(TensorFence::Before)),
            Op::AfterThreadSync => self.out.push(Micro::TensorFence(TensorFence::After)),
            Op::AllocateColumns => self.allocate_columns(written),
            Op::FreeColumns => self.free_columns(written),
            Op::Async(op) => self.asynchronous(op, written),
            _ => unreachable!("the other forms become operations of their own"),
        }
    }

    fn truth(&self, value: &Value) -> Term {
        self.value(value, Type::PREDICATE)
    }

    /// A sum, minimum or maximum of floating-point numbers.
    fn float(&mut self, op: ArithmeticOp, written: &Written) {
        let op = match op {
            ArithmeticOp::Add => FloatOp::Add,
            ArithmeticOp::Min => FloatOp::Min,
            ArithmeticOp::Max => FloatOp::Max,
            _ => unreachable!("other floating-point operations are not decoded"),
        };
        let (ty, mode) = (written.words.ty(), FloatMode::new(written.words.plain()));
        let sources = written.sources().map(|(source, ty)| self.value(source, ty));
        let value = sources.map(Some).reduce(|a, b| float_result(op, ty, a?, b?, mode));
        let value = value.flatten().unwrap_or_else(|| opaque(ty));
        self.assign(written.destination(), value, Extension::Zero);
    }

    fn load(&mut self, access: &AccessForm, destinations: &[Destination], non_coherent: bool) {
        let marks = Marks { non_coherent, ..Marks::default() };
        if self.reshaped(access).is_some() {
            return self.load_reshaped(access, destinations, marks);
        }
        // Of 32 bytes, elements that go to the sink are not read (PTX-9.7.9.8).
        let is_read = |destination: &Destination| {
            destination.is_some() || !access.ty.skips_sinks(access.elements)
        };
        let elements = (0_u32..).zip(destinations).filter(|(_, to)| is_read(to));
        let elements = elements.map(|(element, destination)| {
            let target = self.target(access, element, access.order, marks);
            Micro::Load { target, destination: self.loaded(destination, access.ty) }
        });
        let elements = elements.collect();
        self.elements(elements, access.order);
    }

    /// Adds the elements of one access, which may be a vector.
    pub(super) fn elements(&mut self, mut list: Vec<Micro>, order: Order) {
        if list.len() == 1 {
            self.out.append(&mut list);
            return;
        }
        let ordered = matches!(order, Order::Acquire | Order::Release | Order::AcqRel)
            && self.readings.vector != VectorReading::Unordered;
        let order = match ordered {
            true if list.len() <= LONGEST_IN_EVERY_ORDER => ElementOrder::Chosen,
            true if self.readings.long_vectors == LongVectors::OneOrder => ElementOrder::OneOfMany,
            _ => ElementOrder::Unordered,
        };
        self.out.push(Micro::Elements { list, order });
    }

    #[allow(clippy::too_many_arguments, reason = "the fields of one instruction")]
    pub(super) fn atomic_on(
        &self,
        access: &AccessForm,
        op: AtomicOp,
        element: u32,
        destination: Option<(usize, Extension)>,
        operand: Term,
        swap: Option<Term>,
        red: bool,
    ) -> Micro {
        let ty = access.ty;
        let releases = matches!(access.order, Order::Release | Order::AcqRel);
        let read_order = if matches!(access.order, Order::Acquire | Order::AcqRel) {
            Order::Acquire
        } else {
            Order::Relaxed
        };
        let write_order = if releases { Order::Release } else { Order::Relaxed };
        let writes_back = self.readings.failing_cas == FailingCas::Old;
        let marks = Marks {
            rmw: true,
            red: red || (destination.is_none() && self.readings.sink_atom == SinkAtom::Red),
            releasing_read: releases && op == AtomicOp::Cas && !writes_back,
            ..Marks::default()
        };
        let target = self.target(access, element, read_order, marks);
        let old = || Term::Old(ty.bits);
        let succeeds = match op {
            AtomicOp::Cas => old().equals(operand.clone()),
            _ => Term::truth(true),
        };
        // In global memory `add.f32` flushes subnormals, in shared memory it keeps them.
        let result = |subnormals| {
            atomic_result(op, ty, operand.clone(), swap.clone(), subnormals)
                .unwrap_or_else(|| opaque(ty))
        };
        let value = match target.space {
            Space::SharedCta | Space::SharedCluster => result(Subnormals::Kept),
            Space::Generic if op == AtomicOp::Add && ty.is_float() => Window::SHARED
                .holds(&target.address)
                .choose(result(Subnormals::Kept), result(Subnormals::Flushed)),
            _ => result(Subnormals::Flushed),
        };
        let (writes, value) = match op {
            AtomicOp::Cas if writes_back => (Term::truth(true), succeeds.choose(value, old())),
            _ => (succeeds, value),
        };
        Micro::Rmw { target, write_order, destination, writes, value }
    }

    fn register_operation(&mut self, operation: &Operation) {
        match operation {
            Operation::Move { ty, destination, source } => {
                let value = self.value(source, *ty);
                self.assign(destination, value, extension(*ty));
            }
            Operation::Compare {
                comparison,
                ty,
                destination,
                complement,
                sources,
                combine,
                result,
            } => {
                let (a, b) = (self.value(&sources[0], *ty), self.value(&sources[1], *ty));
                let holds = compare(*comparison, a, b, *ty);
                let combined = |holds: Term| match combine {
                    None => holds,
                    Some((op, p)) => {
                        let p = self.value(p, Type::PREDICATE);
                        holds.binary(boolean(*op), p)
                    }
                };
                let (yes, no) = (combined(holds.clone()), combined(holds.not()));
                let extension = if result.bits == 1 { Extension::Zero } else { Extension::Sign };
                let yes = yes.resize(result.bits, extension);
                self.assign_with(destination, yes, Extension::Zero, complement.as_ref(), no);
            }
            _ => unreachable!("the other operations are lowered elsewhere"),
        }
    }
}

pub(super) fn boolean(op: BoolOp) -> Binary {
    match op {
        BoolOp::And => Binary::And,
        BoolOp::Or => Binary::Or,
        BoolOp::Xor => Binary::Xor,
    }
}

/// A comparison, as in PTX and the column dialect.
#[must_use]
pub fn compare(comparison: Comparison, a: Term, b: Term, ty: Type) -> Term {
    let less = if ty.is_signed() { Binary::SLt } else { Binary::ULt };
    match comparison {
        Comparison::Eq => a.equals(b),
        Comparison::Ne => a.equals(b).not(),
        Comparison::Lt => a.binary(less, b),
        Comparison::Ge => a.binary(less, b).not(),
        Comparison::Gt => b.binary(less, a),
        Comparison::Le => b.binary(less, a).not(),
    }
}

/// The rule for an instruction without semantics, with the alternative form for tests, if there is
/// a fixed one.
fn why_outside(name: &str) -> Rule {
    let opcode = name.split('.').next();
    let name = name.to_owned();
    match opcode {
        Some("tex" | "tld4" | "suld" | "sust" | "sured") => Rule::TextureAccess { name },
        Some("call") => Rule::Call { name },
        Some("brx") => Rule::IndirectBranch { name },
        _ => Rule::Instruction { name },
    }
}

/// The rule that keeps an access from addresses outside `.global`, if there is one.
pub(super) fn only_global(access: &AccessForm, marks: Marks) -> Option<Rule> {
    let vector = access.elements > 1;
    if access.mmio {
        Some(Rule::MmioOutsideGlobal)
    } else if marks.non_coherent {
        Some(Rule::NonCoherentOutsideGlobal)
    } else if vector && marks.rmw {
        Some(Rule::VectorAtomicOutsideGlobal)
    } else if vector && access.elements * access.ty.bytes() > 16 {
        Some(Rule::WideVectorOutsideGlobal)
    } else {
        None
    }
}
