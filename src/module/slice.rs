//! Slicing: a test without the values that do not influence its behaviour.
//!
//! If no condition asks for values, a stored value matters only if some thread loads it for a
//! branch, an address, a barrier, or a store that matters. Constants replace all other stored
//! values and unknown initial values, and the code that computes the replaced values is left out.
//! The resulting test has every execution of the original test, up to these values, and perhaps
//! more: some stores no longer depend on loads. A behaviour that the resulting test excludes is
//! therefore excluded in the original test, too.

use super::residual::{computes, in_flight};
use super::specialize::specialized;
use crate::litmus::ast::{Condition, Test};
use crate::ptx::operands::Mentions;
use crate::ptx::operation::{AccessForm, Address, AtomicOp, Operation, Statement, Value};
use crate::ptx::row::Op;
use crate::source::Spanned;
use rustc_hash::FxHashSet;

/// The test with constants for the values that decide nothing; `None` where somebody asks for values, or
/// nothing is left out.
#[must_use]
pub fn sliced(test: &Test) -> Option<Test> {
    let asks = test.condition != Condition::True
        || test.filter.is_some()
        || !test.locations.is_empty()
        || !test.register_inits.is_empty();
    if asks || !test.aliases.is_empty() {
        return None;
    }
    // Undefined is already the read of a register that is not waited for, whatever becomes of the value.
    let in_flight = test.threads.iter().map(|thread| in_flight(thread.statements.iter()));
    let mut matters = Matters {
        registers: in_flight.collect(),
        variables: FxHashSet::default(),
        all_variables: false,
    };
    while matters.look(test) {}
    let mut sliced = test.clone();
    let mut changed = false;
    for (index, thread) in sliced.threads.iter_mut().enumerate() {
        for statement in &mut thread.statements {
            changed |= matters.replace(index, statement);
        }
    }
    for variable in &mut sliced.variables {
        let unknown = variable.initial.is_none() && variable.elements > 0;
        if unknown && !matters.all_variables && !matters.variables.contains(&variable.name.value) {
            variable.initial = Some(vec![0]);
            changed = true;
        }
    }
    changed.then(|| specialized(sliced))
}

/// The values that influence control flow, addresses and waiting.
struct Matters {
    /// Registers of each thread.
    registers: Vec<FxHashSet<String>>,
    /// Variables, by name.
    variables: FxHashSet<String>,
    /// Whether a relevant load has an unknown address, so that each variable may matter.
    all_variables: bool,
}

impl Matters {
    /// Adds the values on which the known values depend; gives whether there are new ones.
    fn look(&mut self, test: &Test) -> bool {
        let before = self.size();
        for (index, thread) in test.threads.iter().enumerate() {
            for statement in &thread.statements {
                self.statement(index, statement);
            }
        }
        self.size() > before
    }

    fn size(&self) -> usize {
        let registers: usize = self.registers.iter().map(FxHashSet::len).sum();
        registers + self.variables.len() + usize::from(self.all_variables)
    }

    fn statement(&mut self, thread: usize, statement: &Statement) {
        let Mentions { reads, writes, .. } = Mentions::of(statement);
        let written = writes.iter().any(|r| self.registers[thread].contains(&r.value));
        let mut add = |name: &str| _ = self.registers[thread].insert(name.to_owned());
        if let Some(guard) = &statement.guard
            && (written || !computes(&statement.operation, is_own))
        {
            add(&guard.register.value);
        }
        match &statement.operation {
            operation if computes(operation, is_own) => {
                if written {
                    reads.iter().for_each(|register| add(&register.value));
                }
            }
            Operation::Load { access, .. } => {
                self.address(thread, &access.address);
                if written {
                    self.variable(access);
                }
            }
            Operation::Store { access, sources } => {
                self.address(thread, &access.address);
                if self.is_read(access) {
                    self.values(thread, sources);
                }
            }
            Operation::Reduce { access, operands, .. } => {
                self.address(thread, &access.address);
                if self.is_read(access) {
                    self.values(thread, operands);
                }
            }
            Operation::Atomic { access, op, operands, swap, .. } => {
                self.address(thread, &access.address);
                // A `cas` writes or does not write depending on the value that it reads.
                if written || *op == AtomicOp::Cas {
                    self.variable(access);
                }
                if self.is_read(access) {
                    self.values(thread, operands);
                    self.values(thread, swap.as_slice());
                }
            }
            Operation::Form(form) if matches!(form.op(), Op::StoreMatrix | Op::StoreFragment) => {
                let stored = form.elements("r").unwrap_or(&[]);
                let is_stored = |name: &str| {
                    stored.iter().any(|v| matches!(v, Value::Register(r) if r.value == name))
                };
                let is_read = self.all_variables || !self.variables.is_empty();
                let needed = reads.iter().filter(|r| is_read || !is_stored(&r.value));
                needed.for_each(|register| add(&register.value));
                // The distance of rows may stand in a register that is stored as well.
                self.values(thread, form.optional("stride").map_or(&[], std::slice::from_ref));
                self.address(thread, form.address());
            }
            operation => {
                reads.iter().for_each(|register| add(&register.value));
                // What is read may be a result, or be written to a variable that matters.
                let moves = !self.variables.is_empty() && copies(operation);
                self.all_variables |= moves || written && loads(operation);
            }
        }
    }

    fn values(&mut self, thread: usize, values: &[Value]) {
        for value in values {
            if let Value::Register(register) | Value::Not(register) = value {
                self.registers[thread].insert(register.value.clone());
            }
        }
    }

    fn address(&mut self, thread: usize, address: &Address) {
        match &address.base {
            Value::Register(register) => {
                self.registers[thread].insert(register.value.clone());
            }
            Value::ElementOf(element) => {
                self.registers[thread].insert(element.register.value.clone());
            }
            _ => {}
        }
    }

    fn variable(&mut self, access: &AccessForm) {
        match named(access) {
            Some(name) => _ = self.variables.insert(name.to_owned()),
            None => self.all_variables = true,
        }
    }

    /// Whether a relevant load may read from an access.
    fn is_read(&self, access: &AccessForm) -> bool {
        self.all_variables
            || match named(access) {
                Some(name) => self.variables.contains(name),
                None => !self.variables.is_empty(),
            }
    }

    /// Replaces the stored value of a statement by a constant if the value does not matter; gives
    /// whether the statement changed.
    fn replace(&self, thread: usize, statement: &mut Statement) -> bool {
        let constant = |values: &mut [Value], number: i128| {
            let mut changed = false;
            for value in values {
                if let Value::Register(register) | Value::Not(register) = value
                    && !self.registers[thread].contains(&register.value)
                {
                    *value = Value::Immediate(Spanned::new(number, register.span));
                    changed = true;
                }
            }
            changed
        };
        match &mut statement.operation {
            Operation::Store { access, sources } if !self.is_read(access) => constant(sources, 0),
            // An update that leaves the value as it is could be none.
            Operation::Reduce { access, operands, .. } if !self.is_read(access) => {
                constant(operands, 1)
            }
            Operation::Atomic { access, op, operands, .. }
                if !self.is_read(access) && *op != AtomicOp::Cas =>
            {
                constant(operands, 1)
            }
            Operation::Form(form)
                if matches!(form.op(), Op::StoreMatrix | Op::StoreFragment)
                    && !self.all_variables
                    && self.variables.is_empty() =>
            {
                let mut changed = false;
                for value in form.elements_mut() {
                    changed |= constant(std::slice::from_mut(value), 0);
                }
                changed
            }
            _ => false,
        }
    }
}

/// Whether an operation without an arm of its own may copy memory to memory.
fn copies(operation: &Operation) -> bool {
    matches!(operation, Operation::Form(form) if matches!(form.op(), Op::Async(_)))
}

/// Whether such an operation may load registers from memory.
fn loads(operation: &Operation) -> bool {
    let is_load = |op| matches!(op, Op::LoadMatrix | Op::LoadFragment | Op::Async(_));
    matches!(operation, Operation::Form(form) if is_load(form.op()))
}

fn named(access: &AccessForm) -> Option<&str> {
    match &access.address.base {
        Value::AddressOf(name, _) => Some(&name.value),
        Value::ElementOf(element) => Some(&element.variable.value),
        _ => None,
    }
}

/// Whether a form without accesses has no effect on other threads.
fn is_own(op: Op) -> bool {
    !matches!(op, Op::Warp(_) | Op::StoreBulk | Op::Discard)
}
