//! Moves of whole vectors, and of scalars in parts.

use super::lower::Lowering;
use super::micro::Micro;
use super::term::{Extension, Term, extension};
use crate::ptx::operation::{Destination, Type, Value};
use crate::ptx::written::Written;

impl Lowering<'_> {
    /// Moves of vectors, and of scalars to their parts and back, the lowest first (PTX-9.7.9.3,
    /// PTX-9.7.9.4).
    pub(super) fn move_parts(&mut self, written: &Written) {
        let ty = written.words.ty();
        match (written.registers(), written.elements("a")) {
            (destinations @ [_, ..], Some(sources)) => self.move_vector(ty, destinations, sources),
            (destinations, None) => {
                let part = ty.part(destinations.len());
                let whole = self.value(written.value("a"), ty);
                for (element, destination) in (0_u32..).zip(destinations) {
                    let bits = whole.clone().bits(element * part.bits, part.bits);
                    self.assign(destination, bits, Extension::Zero);
                }
            }
            ([], Some(parts)) => {
                let part = ty.part(parts.len());
                let parts = parts.iter().map(|value| self.value(value, part));
                let whole = parts.reduce(|low, high| Term::Concat(Box::new(high), Box::new(low)));
                let whole = whole.expect("two or four parts");
                self.assign(written.destination(), whole, Extension::Zero);
            }
        }
    }

    /// Moves all elements at once: a register that is both written and read is read first.
    fn move_vector(&mut self, ty: Type, destinations: &[Destination], sources: &[Value]) {
        let values: Vec<_> = sources.iter().map(|source| self.value(source, ty)).collect();
        let is_written = |source: &Value| {
            let Value::Register(register) = source else { return false };
            destinations.iter().flatten().any(|d| d.value == register.value)
        };
        let overlaps = sources.iter().any(is_written);
        for (number, value) in values.iter().enumerate().filter(|_| overlaps) {
            let register = self.registers.temporary(number);
            let value = value.clone().resize(64, Extension::Zero);
            self.out.push(Micro::Assign { register, value });
        }
        for (number, (value, destination)) in values.into_iter().zip(destinations).enumerate() {
            let value = match overlaps {
                true => Term::Register(self.registers.temporary(number)).bits(0, ty.bits),
                false => value,
            };
            self.assign(destination, value, extension(ty));
        }
    }
}
