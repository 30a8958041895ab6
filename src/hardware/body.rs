//! The translation of a thread of a test to the statements of a launched thread. Only the addresses
//! of variables change to the addresses of an instance.
//!
//! The register `%ptxmc_at_x` contains the address of the instance's `x`; kernels set it before the
//! statements. A special register that the place determines is replaced by its value.

use super::fields::root;
use super::operands::{Operand, operands};
use super::plan::{Plan, Role};
use super::refusal::Refusal;
use crate::collections::IndexSet;
use crate::litmus::ast::{DeclaredSpace, InitialValue, Place, Test, ThreadPlace, Variable};
use crate::litmus::print::registers as declared_registers;
use crate::program::layout::Layout;
use crate::program::lower::lower;
use crate::program::micro::RegisterInfo;
use crate::program::reading::Readings;
use crate::ptx::integer::CARRY;
use crate::ptx::operation::{
    AccessForm, Address, Operation, Reach, Register, Space, Statement, Type, TypeKind, Value,
};
use crate::ptx::print::{Style, constant, statement, word};
use crate::ptx::row::Op;
use crate::ptx::spelling::for_each_register;
use crate::source::{Span, Spanned};
use std::fmt::Write;

/// The label at the end of the statements of a thread.
pub(super) const END: &str = "ptxmc_end";

/// The code of a launched thread for a thread of the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Body {
    /// The variables and aliases whose addresses the code needs.
    pub(super) names: Vec<String>,
    /// The initial values of the thread's own memory, which come first.
    pub(super) local: String,
    /// Declarations of registers, their initial values, and the statements.
    pub(super) text: String,
}

/// The register that has the address of a variable.
pub(super) fn address_register(name: &str) -> String {
    format!("ptxmc_at_{}", word(name))
}

/// Writes the statements of a role.
pub(super) fn body(test: &Test, plan: &Plan, role: Role) -> Result<Body, Refusal> {
    let registers = lower(test, Readings::default()).threads.swap_remove(role.thread).registers;
    let registers: Vec<_> =
        registers.into_iter().filter(|r| !r.name.starts_with('(') && r.name != CARRY).collect();
    let ThreadPlace::Device(place) = test.threads[role.thread].place else {
        return Err(Refusal::Host);
    };
    let mut writer = Writer {
        test,
        plan,
        role,
        place,
        registers,
        used: IndexSet::default(),
        temporaries: Vec::new(),
        code: String::new(),
        span: test.span,
    };
    writer.fitting()?;
    writer.initial_values()?;
    for statement in &test.threads[role.thread].statements {
        writer.statement(statement)?;
    }
    let local = writer.local()?;
    let names = writer.used.iter().cloned().collect();
    Ok(Body { names, local, text: writer.declarations() + &writer.code })
}

struct Writer<'t> {
    test: &'t Test,
    plan: &'t Plan,
    role: Role,
    place: Place,
    registers: Vec<RegisterInfo>,
    used: IndexSet<String>,
    /// The widths of the registers that the kernel adds.
    temporaries: Vec<u32>,
    code: String,
    /// Where the statement that is written stands.
    span: Span,
}

impl Writer<'_> {
    fn thread(&self) -> &crate::litmus::ast::Thread {
        &self.test.threads[self.role.thread]
    }

    /// Registers without a declaration have to be used with one width.
    fn fitting(&self) -> Result<(), Refusal> {
        if !self.thread().registers.is_empty() {
            return Ok(());
        }
        let mut wrong = None;
        for statement in &self.thread().statements {
            for_each_register(statement, &mut |register, need| {
                let known = self.registers.iter().find(|info| info.name == register.value);
                let declared = known.map_or(need.ty, |info| as_declared(info.ty));
                if !need.fits(declared) {
                    let register = word(&register.value);
                    let (one, other) = (declared.to_string(), need.ty.to_string());
                    wrong.get_or_insert(Refusal::Widths { register, one, other });
                }
            });
        }
        wrong.map_or(Ok(()), Err)
    }

    fn declarations(&self) -> String {
        let mut text = match self.thread().registers.is_empty() {
            false => declared_registers(self.thread()).replace("  .reg", "\t.reg"),
            true => String::new(),
        };
        if text.is_empty() {
            for info in &self.registers {
                let _ = writeln!(text, "\t.reg .{} %{};", as_declared(info.ty), word(&info.name));
            }
        }
        for (number, bits) in self.temporaries.iter().enumerate() {
            let ty = if *bits == 1 { "pred".to_owned() } else { format!("b{bits}") };
            let _ = writeln!(text, "\t.reg .{ty} %ptxmc_t{number};");
        }
        text
    }

    /// Initial values; in threads with branches and guards, registers that a way has not written are 0.
    fn initial_values(&mut self) -> Result<(), Refusal> {
        let chosen = |s: &Statement| {
            s.guard.is_some() || matches!(s.operation, Operation::Branch { .. } | Operation::Exit)
        };
        let zeroed = self.thread().statements.iter().any(chosen);
        for info in self.registers.clone() {
            let mut inits = self.test.register_inits.iter();
            let init = inits
                .find(|i| i.thread == self.role.thread && i.register.value == info.name)
                .map(|init| init.value.clone());
            match init {
                Some(InitialValue::Address(name)) => {
                    let address = self.address(&name, 0, info.ty.bits)?;
                    let text = self.text_of(&address);
                    self.line(&format!("mov.b{} %{}, {text};", info.ty.bits, word(&info.name)));
                }
                Some(_) => self.set(&info, info.initial),
                None if zeroed => self.set(&info, 0),
                None => {}
            }
        }
        Ok(())
    }

    fn set(&mut self, info: &RegisterInfo, value: u128) {
        let name = word(&info.name);
        let ty = as_declared(info.ty);
        match (ty.kind, ty.bits) {
            (TypeKind::Predicate, _) => self.line(&format!("setp.ne.u32 %{name}, {value}, 0;")),
            (_, 128) => {
                let (low, high) = (self.temporary(64), self.temporary(64));
                self.line(&format!("mov.b64 %{low}, {};", value as u64));
                self.line(&format!("mov.b64 %{high}, {};", (value >> 64) as u64));
                self.line(&format!("mov.b128 %{name}, {{%{low}, %{high}}};"));
            }
            (_, bits) => self.line(&format!("mov.b{bits} %{name}, {value};")),
        }
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.code, "\t{text}");
    }

    fn temporary(&mut self, bits: u32) -> String {
        self.temporaries.push(bits);
        format!("ptxmc_t{}", self.temporaries.len() - 1)
    }

    fn register(&self, name: String) -> Value {
        Value::Register(Spanned::new(name, self.span))
    }

    fn text_of(&self, value: &Value) -> String {
        match value {
            Value::Register(register) => format!("%{}", word(&register.value)),
            Value::AddressOf(name, offset) => format!("{}+{offset}", name.value),
            _ => String::new(),
        }
    }

    fn statement(&mut self, code: &Statement) -> Result<(), Refusal> {
        self.span = code.span;
        for label in &code.labels {
            let _ = writeln!(self.code, "{}:", word(&label.value));
        }
        let mut operation = match &code.operation {
            Operation::Nothing => return Ok(()),
            Operation::Exit => Operation::Branch {
                target: Spanned::new(END.to_owned(), code.span),
                condition: None,
            },
            Operation::Load { access, destinations, .. } if self.is_parameter(&access.address) => {
                self.parameter(access, destinations)?
            }
            other => other.clone(),
        };
        if let Operation::Unknown { name, operands, reach, .. } = &operation {
            let of_variable = |text: &String| {
                let named = |v: &Variable| text.contains(v.name.value.as_str());
                self.test.variables.iter().any(named)
            };
            let declared = !self.thread().registers.is_empty();
            if *reach != Reach::Registers || !declared || operands.iter().any(of_variable) {
                return Err(Refusal::Unknown(name.clone()));
            }
        } else {
            self.move_operands(&mut operation)?;
        }
        if let Operation::Branch { target, condition: Some((comparison, left, right)) } = operation
        {
            let taken = self.temporary(1);
            let compare = Operation::Compare {
                comparison,
                ty: Type::UNTYPED,
                destination: Some(Spanned::new(taken.clone(), code.span)),
                complement: None,
                sources: [left, right],
                combine: None,
                result: Type::PREDICATE,
            };
            self.print(compare, None)?;
            self.line(&format!("@%{taken} bra {};", word(&target.value)));
            return Ok(());
        }
        let guard = code.guard.as_ref().map(|guard| {
            let negation = if guard.negated { "!" } else { "" };
            format!("@{negation}%{} ", word(&guard.register.value))
        });
        self.print(operation, guard)
    }

    fn print(&mut self, operation: Operation, guard: Option<String>) -> Result<(), Refusal> {
        let plain = Statement { labels: Vec::new(), guard: None, operation, span: self.span };
        let text = statement(&plain, Style::Ptx)?;
        // Threads of one warp come to barriers by themselves, as `bar.sync` does not let them.
        let text = match text.strip_prefix("bar.") {
            Some(rest) if !rest.starts_with("warp") => format!("barrier.{rest}"),
            _ => text,
        };
        self.line(&format!("{}{text};", guard.unwrap_or_default()));
        Ok(())
    }

    /// Replaces addresses and known special registers in an operation.
    fn move_operands(&mut self, operation: &mut Operation) -> Result<(), Refusal> {
        if let Some(refused) = unsupported(operation) {
            return Err(refused);
        }
        let Some(all) = operands(operation) else {
            return Err(Refusal::Unsupported("this instruction"));
        };
        for operand in all {
            match operand {
                Operand::Memory(address, space) => self.memory(address, space)?,
                Operand::Value(value, bits) => self.value(value, bits)?,
            }
        }
        if let Operation::Form(written) = operation
            && matches!(written.op(), Op::MoveVector)
        {
            // The assembler takes no numbers among the elements of a vector.
            for source in written.elements_mut() {
                if let Value::Immediate(number) = source {
                    let (element, value) = (self.temporary(32), number.value);
                    self.line(&format!("mov.b32 %{element}, {value};"));
                    *source = self.register(element);
                }
            }
        }
        Ok(())
    }

    fn memory(&mut self, address: &mut Address, space: Option<&mut Space>) -> Result<(), Refusal> {
        let (name, offset) = match &address.base {
            Value::AddressOf(name, offset) => (name.clone(), *offset),
            Value::ElementOf(element) => (element.variable.clone(), 0),
            _ => return Ok(()),
        };
        let declared = self.variable(&name)?.1.space;
        if let Some(space) = space.filter(|space| **space == Space::Generic) {
            *space = match declared {
                DeclaredSpace::Global => Space::Global,
                DeclaredSpace::Shared => Space::SharedCta,
                DeclaredSpace::Local => Space::Local,
                DeclaredSpace::Const => Space::Const,
                DeclaredSpace::Param | DeclaredSpace::Multimem => Space::Generic,
            };
        }
        match &address.base {
            Value::ElementOf(_) => self.value(&mut address.base, 64),
            _ if self.keeps_name(declared) => Ok(()),
            _ => {
                address.base = self.address(&name, 0, 64)?;
                address.offset += offset;
                Ok(())
            }
        }
    }

    fn value(&mut self, value: &mut Value, bits: u32) -> Result<(), Refusal> {
        match &*value {
            Value::AddressOf(name, offset) => {
                let (name, offset) = (name.clone(), *offset);
                if !self.keeps_name(self.variable(&name)?.1.space) {
                    *value = self.address(&name, offset, bits)?;
                }
            }
            Value::ElementOf(element) => {
                let element = element.clone();
                let mut base = self.address(&element.variable, 0, 64)?;
                if let Value::AddressOf(name, _) = &base {
                    let at = self.temporary(64);
                    self.line(&format!("mov.u64 %{at}, {};", name.value));
                    base = self.register(at);
                }
                let (index, at) = (self.temporary(32), self.temporary(64));
                let from = self.registers.iter().find(|r| r.name == element.register.value);
                let wide = from.map_or(32, |info| as_declared(info.ty).bits);
                let register = word(&element.register.value);
                match wide {
                    32 => self.line(&format!("mov.b32 %{index}, %{register};")),
                    _ => self.line(&format!("cvt.u32.u{wide} %{index}, %{register};")),
                }
                self.line(&format!("add.u32 %{index}, %{index}, {};", element.more));
                self.line(&format!("mul.lo.u32 %{index}, %{index}, {};", element.bytes));
                self.line(&format!("cvt.u64.u32 %{at}, %{index};"));
                self.line(&format!("add.u64 %{at}, %{at}, {};", self.text_of(&base)));
                *value = self.narrowed(at, bits);
            }
            Value::Special(name) => {
                if let Some(number) = self.special(&name.value) {
                    *value = Value::Immediate(Spanned::new(number, name.span));
                }
            }
            Value::Register(_) | Value::Immediate(_) | Value::Not(_) | Value::Sink { .. } => {}
        }
        Ok(())
    }

    /// A 64-bit register, or a register with its lower half.
    fn narrowed(&mut self, at: String, bits: u32) -> Value {
        if bits >= 64 {
            return self.register(at);
        }
        let low = self.temporary(bits.max(32));
        self.line(&format!("cvt.u32.u64 %{low}, %{at};"));
        self.register(low)
    }

    fn variable(&self, name: &Spanned<String>) -> Result<(usize, &Variable), Refusal> {
        let found = root(self.test, &name.value);
        let found = found.ok_or_else(|| Refusal::Alias(name.value.clone()))?;
        Ok((found, &self.test.variables[found]))
    }

    /// Whether variables of this space keep their names in the kernel.
    fn keeps_name(&self, space: DeclaredSpace) -> bool {
        matches!(space, DeclaredSpace::Const | DeclaredSpace::Local)
    }

    /// The address of an instance's variable, in as many bits.
    fn address(
        &mut self,
        name: &Spanned<String>,
        offset: i64,
        bits: u32,
    ) -> Result<Value, Refusal> {
        let (_, declared) = self.variable(name)?;
        match declared.space {
            DeclaredSpace::Const | DeclaredSpace::Local => {
                return Ok(Value::AddressOf(name.clone(), offset));
            }
            DeclaredSpace::Global if bits < 64 => {
                return Err(Refusal::Address(name.value.clone()));
            }
            DeclaredSpace::Global | DeclaredSpace::Shared => {}
            DeclaredSpace::Param | DeclaredSpace::Multimem => {
                return Err(Refusal::Variable {
                    name: name.value.clone(),
                    space: declared.space.directive(),
                    what: "whose address is taken",
                });
            }
        }
        self.used.insert(name.value.clone());
        let mut register = address_register(&name.value);
        if offset != 0 {
            let sum = self.temporary(64);
            self.line(&format!("add.s64 %{sum}, %{register}, {offset};"));
            register = sum;
        }
        Ok(self.narrowed(register, bits))
    }

    fn is_parameter(&self, address: &Address) -> bool {
        matches!(&address.base, Value::AddressOf(name, _)
            if self.variable(name).is_ok_and(|(_, v)| v.space == DeclaredSpace::Param))
    }

    /// The load of a kernel parameter, which is known: the number or address that the host passes.
    fn parameter(
        &mut self,
        access: &AccessForm,
        destinations: &[Option<Register>],
    ) -> Result<Operation, Refusal> {
        let Value::AddressOf(name, first) = &access.address.base else {
            return Err(Refusal::Unsupported("ld.param"));
        };
        let declared = self.variable(name)?.1.clone();
        let parts = Refusal::Variable {
            name: name.value.clone(),
            space: "param",
            what: "that is read in parts or at another width",
        };
        let [destination] = destinations else { return Err(parts) };
        let Some(destination) = destination else { return Ok(Operation::Nothing) };
        let known = self.registers.iter().find(|info| info.name == destination.value);
        let width = known.map_or(0, |info| as_declared(info.ty).bits);
        let whole = (first + access.address.offset, access.ty.bits) == (0, declared.ty.bits);
        if !whole || width != declared.ty.bits {
            return Err(parts);
        }
        let ty = Type::new(TypeKind::Bits, width);
        let source = match declared.initial_addresses.first() {
            Some(address) if address.bits.mask().is_none() => {
                self.address(&address.name, address.offset, width)?
            }
            Some(_) => return Err(parts),
            None => {
                let number = declared.initial.as_deref().and_then(|values| values.first());
                Value::Immediate(Spanned::new(number.copied().unwrap_or(0), self.span))
            }
        };
        Ok(Operation::Move { ty, destination: Some(destination.clone()), source })
    }

    /// The value of a special register, if the place of the thread determines the value.
    fn special(&self, name: &str) -> Option<i128> {
        let layout = Layout::new(self.test);
        let name = match name {
            "tid" | "ctaid" | "clusterid" | "cluster_ctaid" | "cluster_nctaid" => {
                format!("{name}.x")
            }
            other => other.to_owned(),
        };
        let lane = || {
            let declared = self.place.warp.is_some();
            declared.then(|| i128::try_from(self.role.lane).unwrap_or(0))
        };
        Some(match name.as_str() {
            "tid.x" => {
                let mates = self.plan.mates(self.role);
                i128::try_from(mates.take_while(|mate| **mate != self.role).count()).ok()?
            }
            "ctaid.x" => self.place.cta.into(),
            "clusterid.x" => self.place.cluster.into(),
            "cluster_ctarank" | "cluster_ctaid.x" => layout.rank(self.place).into(),
            "cluster_nctarank" | "cluster_nctaid.x" => {
                i128::try_from(layout.cluster_ctas(self.place).len()).ok()?
            }
            "warpid" => self.place.warp?.into(),
            "laneid" => lane()?,
            "lanemask_eq" => 1 << lane()?,
            "lanemask_lt" => (1 << lane()?) - 1,
            "lanemask_le" => (2 << lane()?) - 1,
            "lanemask_ge" => 0xffff_ffff & !((1 << lane()?) - 1),
            "lanemask_gt" => 0xffff_ffff & !((2 << lane()?) - 1),
            _ => return None,
        })
    }

    /// The initial values of the thread's own variables.
    fn local(&self) -> Result<String, Refusal> {
        let mut text = String::new();
        for variable in self.test.variables.iter().filter(|v| v.space == DeclaredSpace::Local) {
            let (name, ty) = (word(&variable.name.value), variable.ty);
            let Some(values) = &variable.initial else { continue };
            if ty.bits > 64 {
                return Err(Refusal::Form(format!("an initial value of `.local .{ty}`")));
            }
            let stored = if ty.is_half() { format!("b{}", ty.bits) } else { ty.to_string() };
            for element in 0..variable.elements {
                let at = usize::try_from(element).ok().and_then(|at| values.get(at));
                let value = constant(at.copied().unwrap_or(0), ty);
                let offset = element * u64::from(ty.bytes());
                let _ = writeln!(text, "\tst.local.{stored} [{name}+{offset}], {value};");
            }
        }
        Ok(text)
    }
}

/// The declared type of a register: untyped bits of the same width, and at least of the narrowest
/// register width.
pub(super) fn as_declared(ty: Type) -> Type {
    match ty.kind {
        TypeKind::Predicate => ty,
        _ => Type::new(TypeKind::Bits, ty.bits.max(16)),
    }
}

/// An operation that has no place in a kernel of many instances.
fn unsupported(operation: &Operation) -> Option<Refusal> {
    Some(Refusal::Unsupported(match operation {
        Operation::GridDependencyWait | Operation::LaunchDependents => "griddepcontrol",
        Operation::MultimemLoadReduce { .. }
        | Operation::MultimemStore { .. }
        | Operation::MultimemReduce { .. } => "multimem",
        Operation::Form(written)
            if matches!(written.op(), Op::LoadMatrix | Op::StoreMatrix)
                || matches!(written.op(), Op::LoadFragment | Op::StoreFragment) =>
        {
            "a matrix that a whole warp accesses"
        }
        _ => return None,
    }))
}
