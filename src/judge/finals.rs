//! The conversion of final states in logs to those of a test, and the evaluation of conditions in them.
//! Names are spelled as in event graphs and numbers by the bits of their types.
//!
//! A log may spell one value in several ways: `-1`, `4294967295` and `0xffffffff` of 32 bits. The result
//! has a sign if the type has a sign. A number outside of the range of its type is unchanged.

use super::log::{Entry, Seen, Value};
use crate::litmus::ast::{Condition, Term, Test, ThreadPlace};
use crate::program::lower::lower;
use crate::program::micro::Program;
use crate::program::reading::Readings;
use crate::ptx::bits::mask;
use crate::ptx::side::{self, Side};
use crate::ptx::spelling::for_each_register;
use crate::source::Span;

/// The registers and variables of a test with their types.
pub struct Finals<'t> {
    test: &'t Test,
    program: Program,
}

impl<'t> Finals<'t> {
    /// The registers and variables of a test.
    #[must_use]
    pub fn new(test: &'t Test) -> Self {
        Self { test, program: lower(test, Readings::default()) }
    }

    /// Spells the states of an entry as the test does, and leaves out states that the filter excludes.
    pub fn settle(&self, entry: &mut Entry) {
        for state in &mut entry.states {
            for (name, value) in &mut state.values {
                self.spell(name, value);
            }
        }
        if let Some(filter) = &self.test.filter {
            entry.states.retain(|state| self.truth(filter, state) != Some(false));
        }
    }

    fn spell(&self, name: &mut String, value: &mut Value) {
        let Some(term) = self.term(name) else { return };
        if let Some(spelling) = self.spelling(&term) {
            *name = spelling;
        }
        if let (Value::Number(number), Some(ty)) = (&mut *value, self.program.type_of(&term))
            && side::fits(*number, ty.bits)
        {
            *number = side::number(*number as u128 & mask(ty.bits), ty);
        }
    }

    /// Whether a condition holds in a state; `None` if a register or variable is missing that decides.
    #[must_use]
    pub fn truth(&self, condition: &Condition, seen: &Seen) -> Option<bool> {
        let truth = |inner: &Condition| self.truth(inner, seen);
        match condition {
            Condition::True => Some(true),
            Condition::False => Some(false),
            Condition::Compare(comparison, a, b) => {
                let (a, b) = (self.side(a, b, seen)?, self.side(b, a, seen)?);
                Some(side::holds(*comparison, a, b))
            }
            Condition::Not(inner) => truth(inner).map(|holds| !holds),
            Condition::And(all) => joined(all.iter().map(truth), false),
            Condition::Or(all) => joined(all.iter().map(truth), true),
            Condition::Implies(a, b) => {
                joined([truth(a).map(|holds| !holds), truth(b)].into_iter(), true)
            }
        }
    }

    /// A side of a comparison with `other`.
    fn side(&self, term: &Term, other: &Term, seen: &Seen) -> Option<Side> {
        Some(match term {
            Term::Number(number) => Side::Number(number.value),
            Term::Float(number) => {
                Side::Number(side::float_bits(number.value, self.program.type_of(other)))
            }
            Term::AddressOf(name) => {
                let layout = &self.program.layout;
                let address = |at| i128::from(layout.address_of(at, ThreadPlace::Host));
                Side::Number(layout.variable(&name.value).map_or(0, address))
            }
            Term::Register { .. } | Term::Memory { .. } => {
                let Value::Number(number) = value(seen, &self.spelling(term)?)? else {
                    return None;
                };
                match self.program.type_of(term) {
                    Some(ty) if side::fits(*number, ty.bits) => {
                        Side::Bits(*number as u128 & mask(ty.bits), ty)
                    }
                    _ => Side::Number(*number),
                }
            }
        })
    }

    /// The registers and variables of a condition that are missing in a state, each once.
    #[must_use]
    pub fn lacking(&self, condition: &Condition, seen: &Seen) -> Vec<String> {
        let mut out = Vec::new();
        self.lacks(condition, seen, &mut out);
        out
    }

    fn lacks(&self, condition: &Condition, seen: &Seen, out: &mut Vec<String>) {
        match condition {
            Condition::True | Condition::False => {}
            Condition::Compare(_, a, b) => {
                for name in [a, b].into_iter().filter_map(|term| self.spelling(term)) {
                    if value(seen, &name).is_none() && !out.contains(&name) {
                        out.push(name);
                    }
                }
            }
            Condition::Not(inner) => self.lacks(inner, seen, out),
            Condition::And(all) | Condition::Or(all) => {
                all.iter().for_each(|inner| self.lacks(inner, seen, out));
            }
            Condition::Implies(a, b) => {
                self.lacks(a, seen, out);
                self.lacks(b, seen, out);
            }
        }
    }

    /// The terms of the test that a state names.
    ///
    /// # Errors
    /// When the test has no such register or variable, one has two values, or a value is no number.
    pub fn terms(&self, seen: &Seen) -> Result<Vec<Term>, String> {
        for (at, (name, first)) in seen.values.iter().enumerate() {
            let mut others = seen.values[at + 1..].iter();
            if let Some((_, second)) = others.find(|(other, _)| other == name) {
                return Err(format!("`{name}` is both {first} and {second}"));
            }
        }
        let term = |(name, value): &(String, Value)| match value {
            Value::Number(_) => self.term(name).ok_or_else(|| format!("the test has no `{name}`")),
            Value::Symbol(text) => Err(format!("`{name}={text}` is no number")),
        };
        seen.values.iter().map(term).collect()
    }

    /// The register or variable of a name.
    fn term(&self, name: &str) -> Option<Term> {
        let span = self.test.condition_span;
        let Some((thread, what)) = name.split_once(':') else {
            return self.variable(name, None, span);
        };
        let thread = self.test.threads.iter().position(|other| other.name.value == thread)?;
        let register = || Term::Register { thread, register: what.to_owned(), span };
        let found = self.variable(what, Some(thread), span);
        found.or_else(|| has_register(self.test, thread, what).then(register))
    }

    /// A variable, or an element of an array, `a[1]`.
    fn variable(&self, name: &str, instance: Option<usize>, span: Span) -> Option<Term> {
        let (base, index) = match name.split_once('[') {
            Some((base, index)) => (base, index.strip_suffix(']')?.trim().parse().ok()?),
            None => (name, 0),
        };
        let layout = &self.program.layout;
        let declared = &layout.variables[layout.variable(base)?];
        let variable = base.to_owned();
        (index < declared.elements).then_some(Term::Memory { variable, index, instance, span })
    }

    /// The name of a term as event graphs spell it; `None` of a number or an address.
    #[must_use]
    pub fn spelling(&self, term: &Term) -> Option<String> {
        self.program.name_of(term)
    }
}

/// The value of a name in a state.
fn value<'s>(seen: &'s Seen, name: &str) -> Option<&'s Value> {
    seen.values.iter().find(|(other, _)| *other == name).map(|(_, value)| value)
}

/// Whether a thread mentions a register.
fn has_register(test: &Test, thread: usize, name: &str) -> bool {
    let own = &test.threads[thread];
    let initial = test.register_inits.iter();
    own.registers.iter().any(|(register, _)| register.value == name)
        || initial.filter(|init| init.thread == thread).any(|init| init.register.value == name)
        || own.statements.iter().any(|statement| {
            let mut found = false;
            for_each_register(statement, &mut |register, _| found |= register.value == name);
            found
        })
}

/// A conjunction, which one `false` decides, or a disjunction, which one `true` does.
fn joined(parts: impl Iterator<Item = Option<bool>>, decides: bool) -> Option<bool> {
    let mut all = Some(!decides);
    for part in parts {
        match part {
            Some(value) if value == decides => return Some(decides),
            Some(_) => {}
            None => all = None,
        }
    }
    all
}
