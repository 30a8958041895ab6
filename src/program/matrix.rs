//! Products of matrices by a warpgroup (PTX-9.7.15) as micro-operations.
//!
//! A descriptor names a matrix in shared memory. A test writes the variable of the matrix, or a
//! register with its address. Of the 64 bits of a hardware descriptor, only the address is used.

use super::expr::Binary;
use super::lower::Lowering;
use super::micro::{
    Align, AsyncEffect, AsyncMicro, Confined, Micro, Product, Range, SignalPlace, Tracked,
};
use super::term::{Extension, Term};
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::operation::{Proxy, Space, Type, TypeKind, Value};
use crate::ptx::written::Written;

const DESCRIPTOR: Type = Type::new(TypeKind::Bits, 64);
/// The bits of the address in a descriptor, without its lowest four (PTX-9.7.15.5.1).
const ADDRESS_BITS: u32 = 14;
const DROPPED_BITS: u32 = 4;

impl Lowering<'_> {
    /// `wgmma.mma_async`
    pub(super) fn multiply(&mut self, written: &Written) {
        let fragment = written.elements("a");
        let first = fragment.is_none().then(|| written.value("a"));
        let matrices = first.into_iter().chain([written.value("b")]);
        let matrices = matrices.map(|matrix| self.matrix(matrix)).collect();
        let elements = fragment.unwrap_or(&[]).iter().chain(written.optional("meta"));
        let elements: Vec<Value> = elements.cloned().collect();
        let addend = elements.iter().fold(Term::Const(0, 32), |sum, element| {
            sum.binary(Binary::Add, self.value(element, Type::B32))
        });
        let register = |value: &Value| match value {
            Value::Register(register) => self.registers.index(&register.value),
            _ => None,
        };
        let fragments = fragment.unwrap_or(&[]).iter().filter_map(register).collect();
        let named = written.registers().iter().flatten();
        let accumulator = named.filter_map(|r| self.registers.index(&r.value)).collect();
        let accumulates = match written.optional("p") {
            Some(value) => self.value(value, Type::PREDICATE),
            None => Term::truth(false),
        };
        let shape = written.words.plain().find(|word| word.starts_with("m64n"));
        let product = Product {
            matrices,
            addend,
            accumulator,
            accumulates,
            fragments,
            shape: shape.unwrap_or_default().to_owned(),
            into: Vec::new(),
        };
        self.out.push(Micro::Issue(Box::new(AsyncMicro {
            name: "wgmma.mma_async",
            effect: AsyncEffect::Product(Box::new(product)),
            signals: Vec::new(),
            group: Some(GroupKind::Warpgroup),
            tracked: Tracked::Whole,
            proxy: Proxy::Async,
            is_copy: false,
            signals_at: SignalPlace::Destination,
            tensor: None,
        })));
    }

    /// The range of the matrix of a descriptor. A value whose upper 32 bits are zero is an address, as
    /// tests write it; any other value is a hardware descriptor, which encodes the address.
    pub(super) fn matrix(&self, descriptor: &Value) -> Range {
        let value = self.value(descriptor, DESCRIPTOR);
        let encoded = value.clone().bits(0, ADDRESS_BITS).resize(64, Extension::Zero);
        let encoded = encoded.binary(Binary::Shl, Term::Const(u128::from(DROPPED_BITS), 64));
        let plain = value.clone().bits(32, 32).equals(Term::Const(0, 32));
        Range {
            replica: None,
            address: plain.choose(value, encoded),
            space: Space::SharedCta,
            confined: Confined::Matrix,
            align: Align::Bytes(16),
            when: Term::truth(true),
        }
    }
}
