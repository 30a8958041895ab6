//! The statements of a kernel that choose between values on which other threads depend.
//!
//! `selp`, `min`, a predicated `mov` and the like take one of two values as a branch takes one of two
//! ways. Threads that choose differently do different things where the value decides an address, a
//! branch, what a strong operation writes or by what a thread waits; that a weak store writes another
//! value makes no difference to what other threads do.

use crate::program::micro::{Micro, Step};
use crate::program::term::Term;

/// For each step, whether it chooses a value that decides something.
pub(super) fn choices(steps: &[Step], registers: usize) -> Vec<bool> {
    let mut decides = vec![false; registers];
    for step in steps {
        for term in step.conditions() {
            mark(term, &mut decides);
        }
        step.micros.iter().for_each(|micro| seed(micro, &mut decides));
    }
    // Registers decide by way of those that are computed from them.
    let mut grows = true;
    while grows {
        grows = false;
        for (register, value) in steps.iter().flat_map(assigned) {
            if decides[register] {
                grows |= mark(value, &mut decides);
            }
        }
    }
    let chooses = |step: &Step| {
        let mut values = assigned(step).filter(|(register, _)| decides[*register]);
        values.any(|(_, value)| step.guard.is_some() || !value.conditions().is_empty())
    };
    steps.iter().map(chooses).collect()
}

/// The registers that a step computes, with their values.
fn assigned(step: &Step) -> impl Iterator<Item = (usize, &Term)> {
    step.micros.iter().filter_map(|micro| match micro {
        Micro::Assign { register, value } => Some((*register, value)),
        _ => None,
    })
}

/// Marks the registers that an operation uses for more than the value of a weak store.
fn seed(micro: &Micro, decides: &mut [bool]) {
    match micro {
        Micro::Assign { .. } | Micro::Opaque { .. } => {}
        Micro::Elements { list, .. } => list.iter().for_each(|micro| seed(micro, decides)),
        Micro::Store { target, .. } if !target.synchronizes() => {
            mark(&target.address, decides);
        }
        other => other.effects().0.into_iter().for_each(|register| decides[register] = true),
    }
}

/// Marks the registers of a value; whether there is a new one.
fn mark(value: &Term, decides: &mut [bool]) -> bool {
    let mut registers = Vec::new();
    value.registers(&mut registers);
    let mut new = |&register: &usize| !std::mem::replace(&mut decides[register], true);
    registers.iter().filter(|&register| new(register)).count() > 0
}
