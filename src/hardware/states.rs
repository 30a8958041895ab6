//! The conversion of rows of results to final states and histograms, and the evaluation of
//! conditions in states.

use super::fields::{Field, root};
use crate::collections::IndexMap;
use crate::litmus::ast::{Condition, Quantifier, Term, Test};
use crate::ptx::bits::mask;
use crate::ptx::side::{self, Side, is_unsigned};

/// A final state: the bits of each field, in the order of the fields.
pub type State = Vec<u128>;

/// How often each final state was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Histogram {
    counts: IndexMap<State, u64>,
}

impl Histogram {
    /// Adds the rows of one launch, each of `row_bytes` bytes.
    pub fn add_rows(&mut self, fields: &[Field], rows: &[u8], row_bytes: usize) {
        let mut last: Option<(&[u8], usize)> = None;
        let mut seen: rustc_hash::FxHashMap<&[u8], u64> = rustc_hash::FxHashMap::default();
        // Neighbouring instances mostly end alike.
        for row in rows.chunks_exact(row_bytes.max(1)) {
            match &mut last {
                Some((same, count)) if *same == row => *count += 1,
                _ => {
                    if let Some((row, count)) = last.replace((row, 1)) {
                        *seen.entry(row).or_default() += count as u64;
                    }
                }
            }
        }
        if let Some((row, count)) = last {
            *seen.entry(row).or_default() += count as u64;
        }
        for (row, count) in seen {
            self.add(fields.iter().map(|field| bits(field, row)).collect(), count);
        }
    }

    /// Adds a state.
    pub fn add(&mut self, state: State, count: u64) {
        *self.counts.entry(state).or_default() += count;
    }

    /// Adds another histogram.
    pub fn merge(&mut self, other: &Self) {
        other.counts.iter().for_each(|(state, &count)| self.add(state.clone(), count));
    }

    /// The states in order, each with its count.
    #[must_use]
    pub fn sorted(&self) -> Vec<(&State, u64)> {
        let mut states: Vec<_> = self.counts.iter().map(|(state, &count)| (state, count)).collect();
        states.sort();
        states
    }

    /// How many instances were run.
    #[must_use]
    pub fn runs(&self) -> u64 {
        self.counts.values().sum()
    }

    /// The number of runs with the outcome in question: the proposition of `exists` and `~exists`,
    /// its negation for `forall`.
    #[must_use]
    pub fn outcomes(&self, test: &Test, fields: &[Field]) -> u64 {
        let (positive, negative) = self.split(test, fields);
        if test.quantifier == Quantifier::Forall { negative } else { positive }
    }

    /// The number of runs in which the proposition of a test's condition holds, and of those in
    /// which it fails. Runs that the filter excludes are not counted.
    #[must_use]
    pub fn split(&self, test: &Test, fields: &[Field]) -> (u64, u64) {
        let (mut positive, mut negative) = (0, 0);
        for (state, count) in &self.counts {
            if !passes(test, fields, state) {
                continue;
            }
            match holds(&test.condition, test, fields, state) {
                true => positive += count,
                false => negative += count,
            }
        }
        (positive, negative)
    }
}

/// The bits of a field in a row.
fn bits(field: &Field, row: &[u8]) -> u128 {
    let (at, bytes) = (field.offset as usize, field.bytes as usize);
    let little = row[at..at + bytes].iter().rev();
    little.fold(0_u128, |sum, &byte| sum << 8 | u128::from(byte)) & mask(field.ty.bits)
}

/// A value as logs show it: a decimal number, signed if its type is.
#[must_use]
pub fn decimal(field: &Field, bits: u128) -> String {
    match is_unsigned(field.ty) {
        true => bits.to_string(),
        false => side::number(bits, field.ty).to_string(),
    }
}

/// Whether a state passes the filter of a test.
#[must_use]
pub fn passes(test: &Test, fields: &[Field], state: &State) -> bool {
    test.filter.as_ref().is_none_or(|filter| holds(filter, test, fields, state))
}

/// Whether a condition holds in a state.
#[must_use]
pub fn holds(condition: &Condition, test: &Test, fields: &[Field], state: &State) -> bool {
    let truth = |inner: &Condition| holds(inner, test, fields, state);
    match condition {
        Condition::True => true,
        Condition::False => false,
        Condition::Not(inner) => !truth(inner),
        Condition::And(all) => all.iter().all(truth),
        Condition::Or(all) => all.iter().any(truth),
        Condition::Implies(a, b) => !truth(a) || truth(b),
        Condition::Compare(comparison, a, b) => {
            let value = |term, other| value(term, other, test, fields, state);
            side::holds(*comparison, value(a, b), value(b, a))
        }
    }
}

fn value(term: &Term, other: &Term, test: &Test, fields: &[Field], state: &State) -> Side {
    match term {
        Term::Number(value) => Side::Number(value.value),
        Term::Float(value) => {
            let of = found(other, test, fields).map(|at| fields[at].ty);
            Side::Number(side::float_bits(value.value, of))
        }
        _ => match found(term, test, fields) {
            Some(at) => Side::Bits(state[at], fields[at].ty),
            None => Side::Number(0),
        },
    }
}

/// The field that a term means.
fn found(term: &Term, test: &Test, fields: &[Field]) -> Option<usize> {
    let thread = |at: usize| &test.threads[at].name.value;
    let name = match term {
        Term::Register { thread: at, register, .. } => format!("{}:{register}", thread(*at)),
        Term::Memory { variable, index, instance, .. } => {
            let array = root(test, variable).is_some_and(|at| test.variables[at].elements > 1);
            let own = if array { format!("{variable}[{index}]") } else { variable.clone() };
            match instance {
                Some(at) => format!("{}:{own}", thread(*at)),
                None => own,
            }
        }
        Term::Number(_) | Term::Float(_) | Term::AddressOf(_) => return None,
    };
    fields.iter().position(|field| field.name == name)
}
