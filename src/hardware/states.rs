//! The conversion of rows of results to final states and histograms, and the evaluation of
//! conditions in states.

use super::fields::{Field, is_unsigned, root};
use crate::collections::IndexMap;
use crate::litmus::ast::{Condition, Quantifier, Term, Test};
use crate::ptx::bits::{mask, signed};
use crate::ptx::operation::{Comparison, Type, TypeKind};

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
        false => signed(bits, field.ty.bits).to_string(),
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
            let side = |term, other| value(term, other, test, fields, state);
            compare(*comparison, side(a, b), side(b, a))
        }
    }
}

/// A side of a comparison.
#[derive(Clone, Copy)]
enum Side {
    /// A number, which takes the width of the other side.
    Number(i128),
    /// The bits of a value, and its type.
    Bits(u128, Type),
}

fn value(term: &Term, other: &Term, test: &Test, fields: &[Field], state: &State) -> Side {
    let number = |bits: i128| Side::Number(bits);
    match term {
        Term::Number(value) => number(value.value),
        Term::Float(value) => {
            let ty = found(other, test, fields).map_or(Type::UNTYPED, |at| fields[at].ty);
            let wide = Type::new(TypeKind::Bits, ty.bits);
            let bits = value.value.converted(ty).or_else(|| value.value.converted(wide));
            number(bits.unwrap_or(value.value.raw().0))
        }
        _ => match found(term, test, fields) {
            Some(at) => Side::Bits(state[at], fields[at].ty),
            None => number(0),
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

/// An equality with a number compares bits. An order compares numbers, unsigned if the type of a
/// side is unsigned.
fn compare(comparison: Comparison, a: Side, b: Side) -> bool {
    match (a, b) {
        (Side::Number(a), Side::Number(b)) => comparison.holds(a, b),
        (Side::Bits(a, ta), Side::Bits(b, tb)) => {
            let width = ta.bits.max(tb.bits);
            let unsigned = is_unsigned(ta) || is_unsigned(tb);
            let wide = |bits, ty: Type| match is_unsigned(ty) {
                true => bits,
                false => signed(bits, ty.bits) as u128 & mask(width),
            };
            ordered(comparison, wide(a, ta), wide(b, tb), width, unsigned)
        }
        (Side::Bits(bits, ty), Side::Number(n)) => {
            let as_signed = signed(n as u128, ty.bits) == n;
            let as_unsigned = n as u128 & mask(ty.bits) == n as u128;
            let fits = match comparison {
                Comparison::Eq | Comparison::Ne => as_signed || as_unsigned,
                _ if is_unsigned(ty) => as_unsigned,
                _ => as_signed,
            };
            if !fits {
                let below = if n > 0 { 0 } else { 2 };
                return comparison.holds(below, 1);
            }
            ordered(comparison, bits, n as u128 & mask(ty.bits), ty.bits, is_unsigned(ty))
        }
        (Side::Number(_), Side::Bits(..)) => compare(comparison.mirrored(), b, a),
    }
}

fn ordered(comparison: Comparison, a: u128, b: u128, width: u32, unsigned: bool) -> bool {
    match (comparison, unsigned) {
        (Comparison::Eq, _) => a == b,
        (Comparison::Ne, _) => a != b,
        (Comparison::Lt, true) => a < b,
        (Comparison::Le, true) => a <= b,
        (Comparison::Gt, true) => a > b,
        (Comparison::Ge, true) => a >= b,
        (_, false) => comparison.holds(signed(a, width), signed(b, width)),
    }
}
