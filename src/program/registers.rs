//! Registers of a thread: their names, and the types that uses give them.

use super::micro::RegisterInfo;
use crate::collections::IndexMap;
use crate::litmus::ast::{DeclaredSpace, Dialect, InitialValue, Test, Thread};
use crate::ptx::bits::mask;
use crate::ptx::operands::Mentions;
use crate::ptx::operation::{Address, Operation, Statement, Type, TypeKind, Value};
use crate::ptx::row::Op;
use crate::ptx::spelling::for_each_register;
use rustc_hash::{FxHashMap, FxHashSet};

/// The registers of one thread, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers {
    types: IndexMap<String, Use>,
    /// Registers that hold one number at every read, in threads with bulk stores.
    fixed: FxHashMap<String, u128>,
}

#[derive(Clone, Copy, Debug)]
struct Use {
    ty: Type,
    declared: bool,
}

impl Registers {
    /// Collects the registers of thread `index`. Declared registers keep their type. Others get the
    /// widest type of their uses, signed or unsigned as first written.
    pub(crate) fn collect(test: &Test, index: usize) -> Self {
        let thread: &Thread = &test.threads[index];
        let mut registers = Self::default();
        for (name, ty) in &thread.registers {
            registers.types.insert(name.value.clone(), Use { ty: *ty, declared: true });
        }
        for statement in &thread.statements {
            for_each_register(statement, &mut |register, need| {
                registers.note_type(&register.value, need.ty);
            });
        }
        for init in test.register_inits.iter().filter(|i| i.thread == index) {
            match init.value {
                InitialValue::Number(_) | InitialValue::Address(_) => {
                    registers.note_type(&init.register.value, Type::UNTYPED);
                }
                // A number takes the type of its register, else its own.
                InitialValue::Float(_) if registers.index(&init.register.value).is_some() => {}
                InitialValue::Float(_) => {
                    registers.note_type(&init.register.value, Type::new(TypeKind::Float, 64));
                }
            }
        }
        let stores_bulk = |statement: &Statement| match &statement.operation {
            Operation::Form(written) => matches!(written.op(), Op::StoreBulk),
            _ => false,
        };
        if thread.statements.iter().any(stores_bulk) {
            registers.fixed = fixed(test, index);
        }
        if test.dialect == Dialect::Columns {
            for seen in registers.types.values_mut().filter(|u| u.ty.kind != TypeKind::Predicate) {
                seen.ty = if seen.ty.bits > 64 { seen.ty } else { Type::UNTYPED };
            }
        }
        registers
    }

    fn note_type(&mut self, name: &str, ty: Type) {
        match self.types.get_mut(name) {
            None => {
                self.types.insert(name.to_owned(), Use { ty, declared: false });
            }
            Some(seen) if !seen.declared && seen.ty.bits < ty.bits => {
                let first = seen.ty.kind;
                seen.ty = if first == TypeKind::Predicate { ty } else { Type::new(first, ty.bits) };
            }
            Some(_) => {}
        }
    }

    /// The `number`th 64-bit temporary register, which no program can name, for use within one
    /// statement.
    pub(crate) fn temporary(&mut self, number: usize) -> usize {
        let name = format!("(temporary {number})");
        let ty = Type::new(TypeKind::Bits, 64);
        self.types.insert_full(name, Use { ty, declared: true }).0
    }

    /// As [`Self::temporary`], of 128 bits.
    pub(crate) fn wide_temporary(&mut self, number: usize) -> usize {
        let name = format!("(wide temporary {number})");
        let ty = Type::new(TypeKind::Bits, 128);
        self.types.insert_full(name, Use { ty, declared: true }).0
    }

    /// The number that a register holds at every read. Known only in threads with bulk stores,
    /// whose size has to be known.
    pub(crate) fn fixed(&self, name: &str) -> Option<u128> {
        self.fixed.get(name).copied()
    }

    /// The index of a register that [`Self::collect`] saw.
    pub(crate) fn index(&self, name: &str) -> Option<usize> {
        self.types.get_index_of(name)
    }

    /// The type of a register.
    pub(crate) fn ty(&self, index: usize) -> Type {
        self.types[index].ty
    }

    /// The registers with their initial values.
    pub(crate) fn infos(
        &self,
        test: &Test,
        thread: usize,
        address: impl Fn(&str) -> u64,
    ) -> Vec<RegisterInfo> {
        let mut infos: Vec<RegisterInfo> = self
            .types
            .iter()
            .map(|(name, seen)| RegisterInfo { name: name.clone(), ty: seen.ty, initial: 0 })
            .collect();
        for init in test.register_inits.iter().filter(|i| i.thread == thread) {
            if let Some(index) = self.index(&init.register.value) {
                infos[index].initial = match &init.value {
                    InitialValue::Number(n) => *n as u128,
                    InitialValue::Float(literal) => {
                        literal.bits(infos[index].ty).unwrap_or_default() as u128
                    }
                    InitialValue::Address(name) => u128::from(address(&name.value)),
                };
            }
        }
        infos
    }
}

/// The registers of a thread with the same number at every read. Either the register has an initial
/// number and no write, or its only write comes before any branch and any read. This write is a
/// `mov` of a constant or a load of a kernel parameter with a value.
fn fixed(test: &Test, index: usize) -> FxHashMap<String, u128> {
    let statements = &test.threads[index].statements;
    let mut writes: FxHashMap<&str, usize> = FxHashMap::default();
    for register in statements.iter().flat_map(|statement| Mentions::of(statement).writes) {
        *writes.entry(&register.value).or_default() += 1;
    }
    let inits = test.register_inits.iter().filter(|init| init.thread == index);
    let mut fixed: FxHashMap<String, u128> = inits
        .filter(|init| !writes.contains_key(init.register.value.as_str()))
        .filter_map(|init| match init.value {
            InitialValue::Number(number) => Some((init.register.value.clone(), number as u128)),
            _ => None,
        })
        .collect();
    let mut read: FxHashSet<&str> = FxHashSet::default();
    for statement in statements {
        if matches!(statement.operation, Operation::Branch { .. }) {
            break;
        }
        if let Some((register, number)) =
            constant_move(statement).or_else(|| parameter_load(test, statement))
            && writes.get(register) == Some(&1)
            && !read.contains(register)
        {
            fixed.insert(register.to_owned(), number);
        }
        read.extend(Mentions::of(statement).reads.iter().map(|register| register.value.as_str()));
    }
    fixed
}

/// The register and the number of an unguarded `mov` of a constant.
fn constant_move(statement: &Statement) -> Option<(&str, u128)> {
    match &statement.operation {
        Operation::Move { ty, destination: Some(register), source: Value::Immediate(number) }
            if statement.guard.is_none() =>
        {
            Some((&register.value, number.value as u128 & mask(ty.bits)))
        }
        _ => None,
    }
}

/// The register and the number of an unguarded load of a whole kernel parameter with a value.
fn parameter_load<'t>(test: &'t Test, statement: &'t Statement) -> Option<(&'t str, u128)> {
    let Operation::Load { access, destinations, .. } = &statement.operation else { return None };
    let [Some(register)] = &destinations[..] else { return None };
    let Address { base: Value::AddressOf(name, offset), offset: more, .. } = &access.address else {
        return None;
    };
    let variable = test.variables.iter().find(|variable| variable.name.value == name.value)?;
    let &[number] = variable.initial.as_deref()? else { return None };
    let whole = (*offset, *more, variable.elements) == (0, 0, 1)
        && variable.space == DeclaredSpace::Param
        && variable.initial_addresses.is_empty()
        && access.ty.bits == variable.ty.bits
        // A negative number would be extended to the width of the register.
        && number >= 0;
    (whole && statement.guard.is_none())
        .then_some((register.value.as_str(), number as u128 & mask(access.ty.bits)))
}
