//! Registers of a thread: their names, and the types their uses give them.

use super::micro::RegisterInfo;
use crate::collections::IndexMap;
use crate::litmus::ast::{Dialect, InitialValue, Test, Thread};
use crate::ptx::operation::{Type, TypeKind};
use crate::ptx::uses::for_each_register;

/// The registers of one thread, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Registers {
    types: IndexMap<String, Use>,
}

#[derive(Clone, Copy, Debug)]
struct Use {
    ty: Type,
    declared: bool,
}

impl Registers {
    /// Collects the registers of thread `index`: declared ones keep their type, others get the
    /// widest type that a statement uses them with, signed or unsigned as first written.
    pub(crate) fn collect(test: &Test, index: usize) -> Self {
        let thread: &Thread = &test.threads[index];
        let mut registers = Self::default();
        for (name, ty) in &thread.registers {
            registers.types.insert(name.value.clone(), Use { ty: *ty, declared: true });
        }
        for statement in &thread.statements {
            for_each_register(statement, &mut |register, need| {
                registers.see(&register.value, need.ty);
            });
        }
        for init in test.register_inits.iter().filter(|i| i.thread == index) {
            match init.value {
                InitialValue::Number(_) | InitialValue::Address(_) => {
                    registers.see(&init.register.value, Type::UNTYPED);
                }
                // It has the type of its register, else that of its own.
                InitialValue::Float(_) if registers.index(&init.register.value).is_some() => {}
                InitialValue::Float(_) => {
                    registers.see(&init.register.value, Type::new(TypeKind::Float, 64));
                }
            }
        }
        if test.dialect == Dialect::Columns {
            for seen in registers.types.values_mut().filter(|u| u.ty.kind != TypeKind::Predicate) {
                seen.ty = if seen.ty.bits > 64 { seen.ty } else { Type::UNTYPED };
            }
        }
        registers
    }

    fn see(&mut self, name: &str, ty: Type) {
        match self.types.get_mut(name) {
            None => {
                self.types.insert(name.to_owned(), Use { ty, declared: false });
            }
            Some(seen) if !seen.declared && seen.ty.bits < ty.bits => {
                seen.ty = Type::new(seen.ty.kind, ty.bits)
            }
            Some(_) => {}
        }
    }

    /// The `number`th of the 64-bit registers that no program can name, for use within one
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
