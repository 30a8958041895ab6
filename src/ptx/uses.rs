//! Which registers a statement mentions, and what type each of them has to have there.

use super::operation::{
    AccessForm, Address, BarrierMode, Destination, MbarrierOp, Operation, Register, Statement,
    Type, TypeKind, Value, WaitPhase,
};

/// What a statement asks of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// The type that it is used at.
    pub(crate) ty: Type,
    /// How a declared type fits.
    pub(crate) fit: Fit,
}

/// How the type of a register fits the type that it is used at (PTX-9.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fit {
    /// The same width.
    Exact,
    /// That width or more: data of `ld`, `st` and `cvt` (PTX-9.4.1).
    Wider,
    /// As [`Self::Wider`], where integer registers take floating-point numbers: loaded vectors.
    Element,
    /// The same width, and no floating-point number: counts, masks, tokens.
    Integer,
    /// That width or more, and no floating-point number: sizes.
    Count,
    /// The same width, and declared as nothing but bits: pairs of numbers.
    Bits,
    /// An integer that holds an address.
    Address,
    /// The same width, whatever it holds: elements of vectors of pairs and short numbers.
    Width,
    /// Nothing is asked.
    Any,
}

impl Need {
    /// Whether a register that is declared with this type fits.
    pub(crate) fn fits(self, declared: Type) -> bool {
        use TypeKind::{Bits, Float, Predicate, Signed, Unsigned};
        let integer = |kind| matches!(kind, Unsigned | Signed);
        let (found, asked) = (declared.kind, self.ty.kind);
        let class = found == asked
            || ((found == Bits || asked == Bits) && found != Predicate && asked != Predicate)
            || (integer(found) && integer(asked));
        match self.fit {
            Fit::Any => true,
            Fit::Width => found != Predicate && declared.bits == self.ty.bits,
            Fit::Address => {
                (found == Bits || integer(found)) && matches!(declared.bits, 16 | 32 | 64)
            }
            Fit::Exact => class && declared.bits == self.ty.bits,
            // A wider floating-point register does not hold a narrower number.
            Fit::Wider if found == Float && asked == Float => declared.bits == self.ty.bits,
            Fit::Wider => class && declared.bits >= self.ty.bits,
            Fit::Element if asked == Float && (integer(found) || found == Float) => {
                declared.bits == self.ty.bits
            }
            Fit::Element => class && declared.bits >= self.ty.bits,
            Fit::Bits => found == Bits && declared.bits == self.ty.bits,
            Fit::Count => (found == Bits || integer(found)) && declared.bits >= self.ty.bits,
            Fit::Integer => (found == Bits || integer(found)) && declared.bits == self.ty.bits,
        }
    }
}

const ADDRESS: Type = Type::new(TypeKind::Bits, 64);
const WORD: Type = Type::new(TypeKind::Bits, 32);

/// The type of one of the elements that make up a scalar.
pub(crate) fn part_of(ty: Type, elements: usize) -> Type {
    Type::new(TypeKind::Bits, ty.bits / u32::try_from(elements.max(1)).unwrap_or(u32::MAX))
}

/// How registers fit what an atomic or multimem operation takes and gives: exactly, but elements of
/// vectors, for which only their width counts.
fn of_elements(access: &AccessForm) -> Fit {
    if access.elements > 1 { Fit::Width } else { Fit::Exact }
}

/// Calls `see` for every register that a statement mentions, with the type it is used at.
pub(crate) fn for_each_register(statement: &Statement, see: &mut dyn FnMut(&Register, Need)) {
    let mut visitor = Visitor { see };
    if let Some(guard) = &statement.guard {
        visitor.register(&guard.register, Type::PREDICATE);
    }
    visitor.operation(&statement.operation);
}

struct Visitor<'a> {
    see: &'a mut dyn FnMut(&Register, Need),
}

impl Visitor<'_> {
    fn see(&mut self, register: &Register, ty: Type, fit: Fit) {
        (self.see)(register, Need { ty, fit });
    }

    fn register(&mut self, register: &Register, ty: Type) {
        self.see(register, ty, Fit::Exact);
    }

    fn fitting(&mut self, value: &Value, ty: Type, fit: Fit) {
        self.index(value);
        if let Value::Register(register) | Value::Not(register) = value {
            self.see(register, ty, fit);
        }
    }

    fn fitting_destination(&mut self, destination: &Destination, ty: Type, fit: Fit) {
        if let Some(register) = destination {
            self.see(register, ty, fit);
        }
    }

    fn destination(&mut self, destination: &Destination, ty: Type) {
        if let Some(register) = destination {
            self.register(register, ty);
        }
    }

    fn value(&mut self, value: &Value, ty: Type) {
        self.index(value);
        if let Value::Register(register) | Value::Not(register) = value {
            self.register(register, ty);
        }
    }

    /// The index of an array element, of which 32 bits count, whatever its width.
    fn index(&mut self, value: &Value) {
        if let Value::ElementOf(element) = value {
            self.see(&element.register, WORD, Fit::Address);
        }
    }

    fn predicate(&mut self, predicate: &Value) {
        self.value(predicate, Type::PREDICATE);
    }

    fn address(&mut self, address: &Address) {
        // An address register may have 32 bits; the width must come from elsewhere.
        self.fitting(&address.base, WORD, Fit::Address);
    }

    fn access(&mut self, access: &AccessForm) {
        self.address(&access.address);
    }

    fn operation(&mut self, operation: &Operation) {
        match operation {
            Operation::Load { access, destinations, .. } => {
                self.access(access);
                let fit = if access.elements > 1 { Fit::Element } else { Fit::Wider };
                destinations.iter().for_each(|d| self.fitting_destination(d, access.ty, fit));
            }
            Operation::Store { access, sources } => {
                self.access(access);
                sources.iter().for_each(|s| self.fitting(s, access.ty, Fit::Wider));
            }
            Operation::Atomic { access, destinations, operands, swap, .. } => {
                self.access(access);
                let fit = of_elements(access);
                destinations.iter().for_each(|d| self.fitting_destination(d, access.ty, fit));
                operands.iter().chain(swap).for_each(|v| self.fitting(v, access.ty, fit));
            }
            Operation::Reduce { access, operands, .. }
            | Operation::MultimemStore { access, sources: operands }
            | Operation::MultimemReduce { access, operands, .. } => {
                self.access(access);
                operands.iter().for_each(|v| self.fitting(v, access.ty, of_elements(access)));
            }
            Operation::MultimemLoadReduce { access, destinations, .. } => {
                self.access(access);
                destinations.iter().for_each(|d| self.destination(d, access.ty));
            }
            Operation::ProxyFence { address, .. } => address.iter().for_each(|a| self.address(a)),
            Operation::CtaBarrier { mode, barrier, resource, count } => {
                [Some(barrier), resource.as_ref(), count.as_ref()]
                    .into_iter()
                    .flatten()
                    .for_each(|v| self.fitting(v, WORD, Fit::Integer));
                match mode {
                    BarrierMode::RedPopc(d, p) => {
                        self.fitting_destination(d, WORD, Fit::Integer);
                        self.predicate(p);
                    }
                    BarrierMode::RedBool(d, _, p) => {
                        self.destination(d, Type::PREDICATE);
                        self.predicate(p);
                    }
                    BarrierMode::Sync | BarrierMode::Arrive => {}
                }
            }
            Operation::WarpBarrier { mask } => self.fitting(mask, WORD, Fit::Integer),
            Operation::Mbarrier { access, op } => {
                self.access(access);
                self.mbarrier(op);
            }
            Operation::MbarrierPendingCount { destination, state } => {
                self.fitting_destination(destination, WORD, Fit::Integer);
                self.fitting(state, ADDRESS, Fit::Integer);
            }
            Operation::StoreBulk { address, size, .. } => {
                self.address(address);
                self.fitting(size, WORD, Fit::Count);
            }
            Operation::Discard { address, .. } => self.address(address),
            _ => self.register_operation(operation),
        }
    }

    fn mbarrier(&mut self, op: &MbarrierOp) {
        match op {
            MbarrierOp::Init { count } => self.fitting(count, WORD, Fit::Integer),
            MbarrierOp::Inval => {}
            MbarrierOp::ExpectTx { bytes } | MbarrierOp::CompleteTx { bytes } => {
                self.fitting(bytes, WORD, Fit::Integer)
            }
            MbarrierOp::Arrive { state, count, expect_tx, .. } => {
                self.fitting_destination(state, ADDRESS, Fit::Integer);
                self.fitting(count, WORD, Fit::Integer);
                expect_tx.iter().for_each(|v| self.fitting(v, WORD, Fit::Integer));
            }
            MbarrierOp::Wait { done, phase, .. } => {
                self.destination(done, Type::PREDICATE);
                match phase {
                    WaitPhase::State(v) => self.fitting(v, ADDRESS, Fit::Integer),
                    WaitPhase::Parity(v) => self.fitting(v, WORD, Fit::Integer),
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
            Operation::MoveVector { ty, destinations, sources } => {
                sources.iter().for_each(|s| self.value(s, *ty));
                destinations.iter().for_each(|d| self.destination(d, *ty));
            }
            Operation::Pack { ty, destination, parts } => {
                self.destination(destination, *ty);
                let part = part_of(*ty, parts.len());
                parts.iter().for_each(|p| self.value(p, part));
            }
            Operation::Unpack { ty, destinations, source } => {
                self.value(source, *ty);
                let part = part_of(*ty, destinations.len());
                destinations.iter().for_each(|d| self.destination(d, part));
            }
            Operation::Convert { to, from, destination, source, .. } => {
                self.fitting_destination(destination, *to, Fit::Wider);
                self.fitting(source, *from, Fit::Wider);
            }
            Operation::Arithmetic { op, ty, destination, sources } => {
                use crate::ptx::operation::ArithmeticOp::{MulWide, Shl, Shr};
                let result = if *op == MulWide { Type::new(ty.kind, ty.bits * 2) } else { *ty };
                self.destination(destination, result);
                for (index, source) in sources.iter().enumerate() {
                    let shift = index == 1 && matches!(op, Shl | Shr);
                    match shift {
                        true => self.fitting(source, WORD, Fit::Integer),
                        false => self.value(source, *ty),
                    }
                }
            }
            Operation::Float { ty, destination, sources, .. } => {
                self.destination(destination, *ty);
                sources.iter().for_each(|source| self.value(source, *ty));
            }
            Operation::MultiplyAdd { op, ty, destination, sources } => {
                let wide = *op == crate::ptx::operation::ArithmeticOp::MulWide;
                let result = if wide { Type::new(ty.kind, ty.bits * 2) } else { *ty };
                self.destination(destination, result);
                self.value(&sources[0], *ty);
                self.value(&sources[1], *ty);
                self.value(&sources[2], result);
            }
            Operation::Integer { op, ty, destination, sources, test } => {
                let (result, fit) = op.result(*ty);
                self.fitting_destination(destination, result, fit);
                for (number, source) in sources.iter().enumerate() {
                    let (ty, fit) = op.source(*ty, number);
                    self.fitting(source, ty, fit);
                }
                if let Some(test) = test {
                    self.register(&test.predicate, Type::PREDICATE);
                    self.predicate(&test.with);
                }
            }
            Operation::Carry { ty, destination, sources, carry_in, carry_out, .. } => {
                self.destination(destination, *ty);
                sources.iter().for_each(|s| self.value(s, *ty));
                let carries = carry_in.iter().chain(carry_out);
                carries.for_each(|carry| self.register(carry, Type::PREDICATE));
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
                self.value(source, *ty);
                self.fitting(rank, WORD, Fit::Integer);
            }
            Operation::IsSpace { destination, address, .. } => {
                self.destination(destination, Type::PREDICATE);
                self.fitting(address, WORD, Fit::Address);
            }
            Operation::CtaRank { ty, destination, address, .. } => {
                self.fitting_destination(destination, WORD, Fit::Integer);
                self.value(address, *ty);
            }
            Operation::WarpExchange { op, destination, predicate, sources } => {
                self.destination(destination, op.result());
                self.destination(predicate, Type::PREDICATE);
                if let Some((mask, sources)) = sources.split_last() {
                    let own = op.operand().into_iter();
                    let types = own.chain(std::iter::repeat(WORD));
                    sources.iter().zip(types).for_each(|(s, ty)| self.value(s, ty));
                    self.fitting(mask, WORD, Fit::Integer);
                }
            }
            Operation::StackSave { ty, destination } => self.destination(destination, *ty),
            Operation::StackRestore { ty, source } => self.value(source, *ty),
            Operation::Branch { condition: Some((_, a, b)), .. } => {
                self.value(a, Type::UNTYPED);
                self.value(b, Type::UNTYPED);
            }
            Operation::Unknown { definitions, uses, .. } => {
                definitions.iter().chain(uses).for_each(|r| self.see(r, WORD, Fit::Any));
            }
            _ => {}
        }
    }
}
