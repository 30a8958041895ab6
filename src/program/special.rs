//! Instructions that lower to several accesses: bulk stores, `discard`, multimem operations and
//! reductions of packed types.

use super::lower::{Lowering, only_global};
use super::micro::{Confined, Marks, Micro, Target};
use super::reading::UnknownResults;
use super::term::{Extension, Term, atomic_result, extension};
use crate::litmus::ast::DeclaredSpace;
use crate::ptx::floating::Subnormals;
use crate::ptx::operation::{
    AccessForm, Address, AtomicOp, Destination, Operation, Order, Proxy, ProxyFenceKind, Register,
    Space, Type, TypeKind, Value,
};
use crate::ptx::written::Written;
use crate::rule::Rule;

/// The longest range of a bulk store that is modelled, in bytes.
const LONGEST_BULK: u128 = 4096;

impl Lowering<'_> {
    /// Lowers an instruction that has no single micro-operation.
    pub(super) fn special_operation(&mut self, operation: &Operation) {
        match operation {
            Operation::MultimemStore { access, sources } => self.multimem_store(access, sources),
            Operation::MultimemReduce { access, op, operands } => {
                self.multimem_reduce(access, *op, operands);
            }
            Operation::MultimemLoadReduce { access, op, destinations } => {
                self.multimem_load(access, *op, destinations);
            }
            _ => unreachable!("the other operations are lowered elsewhere"),
        }
    }

    /// `discard`: 128 bytes get unknown values.
    pub(super) fn discard(&mut self, written: &Written) {
        let anything = |_| Term::Free("value after `discard`".to_owned(), 64);
        let confined = Confined::Global(Rule::DiscardOutsideGlobal);
        for (address, space, bytes) in written.accesses() {
            self.words(address, space, u128::from(bytes), 128, confined.clone(), anything);
        }
    }

    /// Stores zeros to a number of bytes that is a multiple of 8 (PTX-9.7.9.13).
    pub(super) fn bulk_store(&mut self, written: &Written) {
        let shared = written.words.plain().any(|word| word.starts_with("shared"));
        let space = if shared { Space::SharedCta } else { Space::Generic };
        let fixed = match written.value("size") {
            Value::Register(register) => self.registers.fixed(&register.value),
            Value::Immediate(bytes) => u128::try_from(bytes.value).ok(),
            _ => None,
        };
        match fixed {
            None => self.outside(Rule::BulkOfComputedSize),
            Some(bytes) if bytes % 8 != 0 => {
                self.require(Term::truth(false), Rule::BulkSize);
            }
            Some(bytes) if bytes > LONGEST_BULK => self.outside(Rule::LargeBulk),
            Some(bytes) => {
                let zero = |_| Term::Const(0, 64);
                for (address, ..) in written.accesses() {
                    self.words(address, space, bytes, 8, Confined::Shared, zero);
                }
            }
        }
    }

    /// A proxy fence; an address that it names lies in `.global` (PTX-9.7.13.4).
    pub(super) fn proxy_fence(&mut self, kind: ProxyFenceKind, address: Option<&Address>) {
        let map = address.map(|address| self.address(address, Space::Generic, 0));
        if let Some((address, space)) = map.clone() {
            let inside = match space {
                Space::Generic => self.is_space(Space::Global, address),
                space => Term::truth(space == Space::Global),
            };
            self.require(inside, Rule::TensormapFence);
        }
        self.out.push(Micro::ProxyFence { kind, map });
    }

    /// Makes executions that reach this point leave the model.
    pub(super) fn outside(&mut self, rule: Rule) {
        self.require(Term::truth(false), rule);
    }

    /// The results of an uninterpreted instruction, which only computes registers.
    pub(super) fn unknown_results(
        &mut self,
        name: &str,
        definitions: &[Register],
        uses: &[Register],
    ) {
        if self.readings.results == UnknownResults::Any {
            for definition in definitions {
                let index = self.registers.index(&definition.value);
                let width = index.map_or(32, |index| self.registers.ty(index).bits);
                let value = Term::Free(format!("the result of `{name}`"), width);
                self.assign(&Some(definition.clone()), value, Extension::Zero);
            }
            return;
        }
        let indices = |list: &[Register]| {
            list.iter().filter_map(|register| self.registers.index(&register.value)).collect()
        };
        let (results, operands) = (indices(definitions), indices(uses));
        self.out.push(opaque_results(name, results, operands));
    }

    /// As [`Self::unknown_results`], with registers by number.
    pub(super) fn unknown_registers(
        &mut self,
        name: &str,
        results: Vec<usize>,
        operands: Vec<usize>,
    ) {
        if self.readings.results != UnknownResults::Any {
            return self.out.push(opaque_results(name, results, operands));
        }
        for register in results {
            let width = self.registers.ty(register).bits;
            let value = Term::Free(format!("the result of `{name}`"), width);
            self.out.push(Micro::Assign { register, value });
        }
    }

    /// Weak 8-byte stores over a range that is aligned to `whole` bytes, in no particular order.
    fn words(
        &mut self,
        address: &Address,
        space: Space,
        bytes: u128,
        whole: u32,
        confined: Confined,
        value: impl Fn(u128) -> Term,
    ) {
        let mut list = Vec::new();
        for word in 0..bytes / 8 {
            let skip = u64::try_from(word * 8).expect("a short range");
            let (address, space) = self.address(address, space, skip);
            let target = Target {
                whole,
                within: u32::try_from(word * 8).expect("a short range") % whole,
                ..Target::weak(address, space, 8, Proxy::Generic, Some(confined.clone()))
            };
            list.push(Micro::Store { target, value: value(word) });
        }
        self.elements(list, Order::Weak);
    }

    /// The number of replicas of a multimem address.
    pub(super) fn replicas(&self) -> usize {
        let variables = self.layout.variables.iter();
        let multimem = variables.filter(|v| v.space == DeclaredSpace::Multimem);
        multimem.map(|v| v.instances.len()).max().unwrap_or(1)
    }

    /// The targets of a multimem operation: for each element, one per replica (PTX-9.7.9.14).
    fn replicated(
        &self,
        access: &AccessForm,
        element: u32,
        order: Order,
        marks: Marks,
    ) -> Vec<Target> {
        let target = self.target(access, element, order, Marks { multimem: true, ..marks });
        (0..self.replicas())
            .map(|replica| Target { replica: Some(replica), ..target.clone() })
            .collect()
    }

    fn multimem_store(&mut self, access: &AccessForm, sources: &[Value]) {
        let (scalar, parts) = scalars(access);
        let mut list = Vec::new();
        for (element, source) in (0_u32..).zip(sources) {
            let value = self.value(source, access.ty);
            for part in 0..parts {
                let element = element * parts + part;
                let targets = self.replicated(&scalar, element, access.order, Marks::default());
                let value = value.clone().bits(part * scalar.ty.bits, scalar.ty.bits);
                let store = |target| Micro::Store { target, value: value.clone() };
                list.extend(targets.into_iter().map(store));
            }
        }
        self.elements(list, access.order);
    }

    fn multimem_reduce(&mut self, access: &AccessForm, op: AtomicOp, operands: &[Value]) {
        let marks = Marks { rmw: true, red: true, ..Marks::default() };
        let (scalar, parts) = scalars(access);
        let ty = scalar.ty;
        let mut list = Vec::new();
        for (element, operand) in (0_u32..).zip(operands) {
            let operand = self.value(operand, access.ty);
            for part in 0..parts {
                let operand = operand.clone().bits(part * ty.bits, ty.bits);
                let value = atomic_result(op, ty, operand, None, Subnormals::Kept);
                let value = value.unwrap_or_else(|| opaque(ty));
                let element = element * parts + part;
                for target in self.replicated(&scalar, element, Order::Relaxed, marks) {
                    list.push(Micro::Rmw {
                        target,
                        write_order: access.order,
                        destination: None,
                        writes: Term::truth(true),
                        value: value.clone(),
                    });
                }
            }
        }
        self.elements(list, access.order);
    }

    /// Reads every replica and combines the values.
    fn multimem_load(&mut self, access: &AccessForm, op: AtomicOp, destinations: &[Destination]) {
        let (scalar, parts) = scalars(access);
        let ty = scalar.ty;
        let (mut list, mut results, mut next) = (Vec::new(), Vec::new(), 0);
        for (element, destination) in (0_u32..).zip(destinations) {
            let mut whole: Option<Term> = None;
            for part in 0..parts {
                let mut result: Option<Term> = None;
                let element = element * parts + part;
                for target in self.replicated(&scalar, element, access.order, Marks::default()) {
                    let register = self.registers.temporary(next);
                    next += 1;
                    let destination = Some((register, Extension::Zero));
                    list.push(Micro::Load { target, destination });
                    let value = Term::Register(register).resize(ty.bits, Extension::Zero);
                    result = Some(match result {
                        None => value,
                        // More than two numbers are added in an unspecified order.
                        Some(_) if ty.is_float() && op == AtomicOp::Add && self.replicas() > 2 => {
                            opaque(ty)
                        }
                        Some(others) => atomic_result(op, ty, value, None, Subnormals::Kept)
                            .map_or_else(|| opaque(ty), |term| term.with_old(&others)),
                    });
                }
                whole = match (whole, result) {
                    (Some(low), Some(high)) => Some(Term::Concat(Box::new(high), Box::new(low))),
                    (low, high) => low.or(high),
                };
            }
            results.push((destination, whole));
        }
        self.elements(list, access.order);
        for (destination, result) in results {
            if let Some(result) = result {
                self.assign(destination, result, extension(access.ty));
            }
        }
    }

    /// An atomic on a packed type is one on each of its two halves (PTX-8.2.5).
    pub(super) fn packed_atomic(
        &mut self,
        access: &AccessForm,
        op: AtomicOp,
        destinations: &[Destination],
        operands: &[Value],
        red: bool,
    ) {
        let (half, _) = scalars(access);
        let word = Type::new(TypeKind::Bits, access.ty.bits);
        let (mut list, mut results) = (Vec::new(), Vec::new());
        for (index, operand) in (0_u32..).zip(operands) {
            let value = self.value(operand, word);
            let wanted = destinations.get(index as usize).is_some_and(Option::is_some);
            let mut parts = Vec::new();
            for part in 0..2 {
                let element = index * 2 + part;
                let operand = value.clone().bits(part * half.ty.bits, half.ty.bits);
                let register = self.registers.temporary(element as usize);
                let destination = wanted.then_some((register, Extension::Zero));
                let mut micro = self.atomic_on(&half, op, element, destination, operand, None, red);
                if let Micro::Rmw { target, .. } = &mut micro {
                    // A packed type is no vector.
                    target.confined = only_global(access, target.marks).map(Confined::Global);
                }
                list.push(micro);
                parts.push(Term::Register(register).resize(half.ty.bits, Extension::Zero));
            }
            let [low, high] = [parts.remove(0), parts.remove(0)];
            results.push(Term::Concat(Box::new(high), Box::new(low)));
        }
        self.elements(list, access.order);
        for (destination, result) in destinations.iter().zip(results) {
            self.assign(destination, result, Extension::Zero);
        }
    }
}

/// An access with scalar elements, and the number of scalars in an element. An operation on a
/// packed type is an operation on each part (PTX-8.2.5).
fn scalars(access: &AccessForm) -> (AccessForm, u32) {
    let kind = match access.ty.kind {
        TypeKind::FloatX2 => TypeKind::Float,
        TypeKind::BfloatX2 => TypeKind::Bfloat,
        kind @ (TypeKind::E4m3 | TypeKind::E5m2) => kind,
        _ => return (access.clone(), 1),
    };
    let parts = if access.ty.is_narrow() { access.ty.bytes() } else { 2 };
    let ty = Type::new(kind, access.ty.bits / parts);
    (AccessForm { ty, elements: access.elements.max(1) * parts, ..access.clone() }, parts)
}

/// An unspecified value.
pub(super) fn opaque(ty: Type) -> Term {
    Term::Free("opaque floating-point result".to_owned(), ty.bits)
}

/// Registers that get the results of an uninterpreted instruction.
pub(super) fn opaque_results(name: &str, results: Vec<usize>, operands: Vec<usize>) -> Micro {
    let rule = Rule::Result { name: name.to_owned() };
    Micro::Opaque { results, operands, name: name.to_owned(), rule }
}
