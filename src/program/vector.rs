//! Moves of whole vectors.

use super::lower::Lowering;
use super::micro::Micro;
use super::term::{Extension, Term, extension};
use crate::ptx::operation::{Destination, Type, Value};

impl Lowering<'_> {
    /// Moves all elements at once: a register that is both written and read is read first.
    pub(super) fn move_vector(
        &mut self,
        ty: Type,
        destinations: &[Destination],
        sources: &[Value],
    ) {
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
