//! Loads and stores that a reading splits or joins: 128-bit scalars as two halves, vectors as one
//! access.

use super::lower::Lowering;
use super::micro::{Marks, Micro};
use super::reading::{VectorReading, WideReading};
use super::term::{Extension, Term, extension};
use crate::ptx::operation::{AccessForm, Destination, Type, TypeKind, Value};

/// The widest access, in bits.
const WIDEST: u32 = 128;

impl Lowering<'_> {
    /// The access that a reading makes of this one; `None` if it is unchanged.
    pub(super) fn reshaped(&self, access: &AccessForm) -> Option<AccessForm> {
        let bits = access.ty.bits * access.elements.max(1);
        let (element, elements) = match (access.elements, access.ty.bits) {
            (0 | 1, WIDEST) if self.readings.wide == WideReading::Halves => (WIDEST / 2, 2),
            (2.., _) if bits <= WIDEST && self.readings.vector == VectorReading::Whole => (bits, 1),
            _ => return None,
        };
        Some(AccessForm { ty: Type::new(TypeKind::Bits, element), elements, ..access.clone() })
    }

    pub(super) fn load_reshaped(
        &mut self,
        access: &AccessForm,
        destinations: &[Destination],
        marks: Marks,
    ) {
        let Some(form) = self.reshaped(access) else { return };
        let mut list = Vec::new();
        let mut whole: Option<Term> = None;
        for element in 0..form.elements {
            let register = self.registers.wide_temporary(element as usize);
            let target = self.target(&form, element, form.order, marks);
            list.push(Micro::Load { target, destination: Some((register, Extension::Zero)) });
            let part = Term::Register(register).resize(form.ty.bits, Extension::Zero);
            whole = Some(match whole {
                None => part,
                Some(low) => Term::Concat(Box::new(part), Box::new(low)),
            });
        }
        self.elements(list, form.order);
        let Some(whole) = whole else { return };
        for (element, destination) in (0_u32..).zip(destinations) {
            let part = whole.clone().bits(element * access.ty.bits, access.ty.bits);
            self.assign(destination, part, extension(access.ty));
        }
    }

    pub(super) fn store_reshaped(&mut self, access: &AccessForm, sources: &[Value]) {
        let Some(form) = self.reshaped(access) else { return };
        let parts = sources.iter().map(|source| self.value(source, access.ty));
        let join = |low: Term, high: Term| Term::Concat(Box::new(high), Box::new(low));
        let Some(whole) = parts.reduce(join) else { return };
        let list = (0..form.elements).map(|element| {
            let target = self.target(&form, element, form.order, Marks::default());
            let value = whole.clone().bits(element * form.ty.bits, form.ty.bits);
            Micro::Store { target, value }
        });
        let list = list.collect();
        self.elements(list, form.order);
    }
}
