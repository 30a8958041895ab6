//! Registers of a thread: their names, and the types their uses give them.

use super::micro::RegisterInfo;
use crate::litmus::ast::{Dialect, InitialValue, Test, Thread};
use crate::ptx::operation::{
    AccessForm, Address, BarrierMode, Destination, MbarrierOp, Operation, PredicateUse, Register,
    Statement, Type, TypeKind, Value, WaitPhase,
};
use indexmap::IndexMap;

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
            for_each_register(statement, &mut |name, ty| registers.see(name, ty));
        }
        for init in test.register_inits.iter().filter(|i| i.thread == index) {
            registers.see(&init.register.value, Type::UNTYPED);
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
                    InitialValue::Address(name) => u128::from(address(&name.value)),
                };
            }
        }
        infos
    }
}

const ADDRESS: Type = Type::new(TypeKind::Bits, 64);
const WORD: Type = Type::new(TypeKind::Bits, 32);

/// Calls `see` for every register that a statement mentions, with the type it is used at.
pub(crate) fn for_each_register(statement: &Statement, see: &mut dyn FnMut(&str, Type)) {
    let mut visitor = Visitor { see };
    if let Some(guard) = &statement.guard {
        visitor.predicate(guard);
    }
    visitor.operation(&statement.operation);
}

struct Visitor<'a> {
    see: &'a mut dyn FnMut(&str, Type),
}

impl Visitor<'_> {
    fn register(&mut self, register: &Register, ty: Type) {
        (self.see)(&register.value, ty);
    }

    fn destination(&mut self, destination: &Destination, ty: Type) {
        if let Some(register) = destination {
            self.register(register, ty);
        }
    }

    fn value(&mut self, value: &Value, ty: Type) {
        if let Value::Register(register) = value {
            self.register(register, ty);
        }
    }

    fn predicate(&mut self, predicate: &PredicateUse) {
        self.register(&predicate.register, Type::PREDICATE);
    }

    fn address(&mut self, address: &Address) {
        // An address register may have 32 bits; the width must come from elsewhere.
        self.value(&address.base, WORD);
    }

    fn access(&mut self, access: &AccessForm) {
        self.address(&access.address);
    }

    fn all(&mut self, destinations: &[Destination], ty: Type) {
        destinations.iter().for_each(|d| self.destination(d, ty));
    }

    fn operation(&mut self, operation: &Operation) {
        match operation {
            Operation::Load { access, destinations, .. } => {
                self.access(access);
                self.all(destinations, access.ty);
            }
            Operation::Store { access, sources } | Operation::MultimemStore { access, sources } => {
                self.access(access);
                sources.iter().for_each(|s| self.value(s, access.ty));
            }
            Operation::Atomic { access, destinations, operands, swap, .. } => {
                self.access(access);
                self.all(destinations, access.ty);
                operands.iter().chain(swap).for_each(|v| self.value(v, access.ty));
            }
            Operation::Reduce { access, operands, .. }
            | Operation::MultimemReduce { access, operands, .. } => {
                self.access(access);
                operands.iter().for_each(|v| self.value(v, access.ty));
            }
            Operation::MultimemLoadReduce { access, destinations, .. } => {
                self.access(access);
                self.all(destinations, access.ty);
            }
            Operation::ProxyFence { address, .. } => address.iter().for_each(|a| self.address(a)),
            Operation::CtaBarrier { mode, barrier, resource, count } => {
                [Some(barrier), resource.as_ref(), count.as_ref()]
                    .into_iter()
                    .flatten()
                    .for_each(|v| self.value(v, WORD));
                match mode {
                    BarrierMode::RedPopc(d, p) => {
                        self.destination(d, WORD);
                        self.predicate(p);
                    }
                    BarrierMode::RedBool(d, _, p) => {
                        self.destination(d, Type::PREDICATE);
                        self.predicate(p);
                    }
                    BarrierMode::Sync | BarrierMode::Arrive => {}
                }
            }
            Operation::WarpBarrier { mask } => self.value(mask, WORD),
            Operation::Mbarrier { access, op } => {
                self.access(access);
                self.mbarrier(op);
            }
            Operation::MbarrierPendingCount { destination, state } => {
                self.destination(destination, WORD);
                self.value(state, ADDRESS);
            }
            Operation::StoreBulk { address, size, .. } | Operation::Discard { address, size } => {
                self.address(address);
                self.value(size, WORD);
            }
            _ => self.register_operation(operation),
        }
    }

    fn mbarrier(&mut self, op: &MbarrierOp) {
        match op {
            MbarrierOp::Init { count } => self.value(count, WORD),
            MbarrierOp::Inval => {}
            MbarrierOp::ExpectTx { bytes } | MbarrierOp::CompleteTx { bytes } => {
                self.value(bytes, WORD)
            }
            MbarrierOp::Arrive { state, count, expect_tx, .. } => {
                self.destination(state, ADDRESS);
                self.value(count, WORD);
                expect_tx.iter().for_each(|v| self.value(v, WORD));
            }
            MbarrierOp::Wait { done, phase, .. } => {
                self.destination(done, Type::PREDICATE);
                match phase {
                    WaitPhase::State(v) => self.value(v, ADDRESS),
                    WaitPhase::Parity(v) => self.value(v, WORD),
                }
            }
        }
    }

    fn register_operation(&mut self, operation: &Operation) {
        match operation {
            Operation::Move { ty, destination, source }
            | Operation::ConvertAddress { ty, destination, source, .. } => {
                self.destination(destination, *ty);
                self.value(source, *ty);
            }
            Operation::Convert { to, from, destination, source } => {
                self.destination(destination, *to);
                self.value(source, *from);
            }
            Operation::Arithmetic { op, ty, destination, sources } => {
                use crate::ptx::operation::ArithmeticOp::{MulWide, Shl, Shr};
                let result = if *op == MulWide { Type::new(ty.kind, ty.bits * 2) } else { *ty };
                self.destination(destination, result);
                for (index, source) in sources.iter().enumerate() {
                    let shift = index == 1 && matches!(op, Shl | Shr);
                    self.value(source, if shift { WORD } else { *ty });
                }
            }
            Operation::MultiplyAdd { op, ty, destination, sources } => {
                let wide = *op == crate::ptx::operation::ArithmeticOp::MulWide;
                let result = if wide { Type::new(ty.kind, ty.bits * 2) } else { *ty };
                self.destination(destination, result);
                self.value(&sources[0], *ty);
                self.value(&sources[1], *ty);
                self.value(&sources[2], result);
            }
            Operation::Compare {
                ty, destination, complement, sources, combine, result, ..
            } => {
                self.destination(destination, *result);
                self.destination(complement, Type::PREDICATE);
                sources.iter().for_each(|s| self.value(s, *ty));
                combine.iter().for_each(|(_, p)| self.predicate(p));
            }
            Operation::Select { ty, destination, then, otherwise, condition } => {
                self.destination(destination, *ty);
                self.value(then, *ty);
                self.value(otherwise, *ty);
                self.predicate(condition);
            }
            Operation::MapAddress { ty, destination, source, rank, .. } => {
                self.destination(destination, *ty);
                self.value(source, WORD);
                self.value(rank, WORD);
            }
            Operation::IsSpace { destination, address, .. } => {
                self.destination(destination, Type::PREDICATE);
                self.value(address, WORD);
            }
            Operation::CtaRank { destination, address, .. } => {
                self.destination(destination, WORD);
                self.value(address, WORD);
            }
            Operation::WarpExchange { destinations, sources, .. } => {
                destinations.iter().for_each(|d| self.register(d, WORD));
                sources.iter().for_each(|s| self.value(s, WORD));
            }
            Operation::Branch { condition: Some((_, a, b)), .. } => {
                self.value(a, Type::UNTYPED);
                self.value(b, Type::UNTYPED);
            }
            Operation::Unknown { definitions, uses, .. } => {
                definitions.iter().chain(uses).for_each(|r| self.register(r, WORD));
            }
            _ => {}
        }
    }
}
