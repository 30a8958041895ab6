//! Logs in herd's format, for the tools that read herd's logs: states, witnesses, observation.
//!
//! Counts are numbers of final states, since candidate executions are not enumerated individually.

use super::witness::observed_integer;
use crate::batch::{Case, Judgement, Listing};
use crate::check::HangKind;
use crate::litmus::FINGERPRINT;
use crate::litmus::ast::{Condition, Quantifier, Term, Test};
use crate::litmus::print::integer;
use crate::ptx::operation::Comparison;
use crate::source::{Files, Span};
use crate::verdict::{Kind, Undecided};
use std::fmt::Write;

/// The log entry of a test, terminated by an empty line.
#[must_use]
pub fn entry(case: &Case, judgement: &Judgement, listing: &Listing, files: &Files) -> String {
    let test = &case.test;
    let kind = match test.quantifier {
        Quantifier::Exists => "Allowed",
        Quantifier::NotExists => "Forbidden",
        Quantifier::Forall => "Required",
    };
    let mut out = format!("Test {} {kind}\n", test.name);
    let states = states(listing);
    let _ = writeln!(out, "States {}", states.len());
    states.iter().for_each(|state| {
        let _ = writeln!(out, "{state}");
    });
    let matching = listing.matching.iter().filter(|m| **m).count();
    let other = listing.matching.len() - matching;
    let (positive, negative) = match test.quantifier {
        Quantifier::NotExists => (other, matching),
        Quantifier::Exists | Quantifier::Forall => (matching, other),
    };
    let loops = matches!(listing.cut, Some(Undecided::Bound(_)));
    let lacks = listing.states.incomplete.is_some() || listing.cut.is_some() && !loops;
    let cut = if loops { "Loop " } else { "" };
    let _ = writeln!(out, "{cut}{}", answer(judgement));
    let _ = writeln!(out, "Witnesses\nPositive: {positive} Negative: {negative}");
    if judgement.hang.as_ref().is_some_and(|hang| hang.kind() == HangKind::Possible) {
        out.push_str("Flag may-hang\n");
    }
    let _ = writeln!(out, "Condition {}", condition(test));
    // A list that may be incomplete supports only statements about the states in the list.
    let often = match (matching, other) {
        (1.., 1..) => "Sometimes",
        _ if lacks => "Unknown",
        (0, _) => "Never",
        _ => "Always",
    };
    let _ = writeln!(out, "Observation {} {often} {matching} {other}", test.name);
    let _ = writeln!(out, "Hash={}\n", hash(test, files));
    out
}

/// Whether the quantified condition holds. The answer is the verdict's, which is valid even if the list of
/// states is incomplete.
fn answer(judgement: &Judgement) -> &'static str {
    if matches!(judgement.verdict.kind(), Kind::Undefined | Kind::OutOfModel) {
        return "Undef";
    }
    match judgement.holds {
        Some(true) => "Ok",
        Some(false) => "No",
        None => "Unknown",
    }
}

/// The states in herd's notation, sorted: registers as `0:r1`, then locations as `[x]`.
fn states(listing: &Listing) -> Vec<String> {
    let observed = &listing.graph.observed;
    let mut order: Vec<usize> = (0..observed.len()).collect();
    order.sort_by_key(|&i| !observed[i].name.contains(':'));
    let line = |values: &[u128]| {
        let mut parts = Vec::new();
        for &index in &order {
            let value = observed_integer(&listing.graph, index, values[index]);
            parts.push(format!("{}={value};", name(&observed[index].name)));
        }
        parts.join(" ")
    };
    let mut states: Vec<String> =
        listing.states.states.iter().map(|(values, _)| line(values)).collect();
    states.sort();
    states
}

/// `P0:r1` as `0:r1`, `x` as `[x]`; threads without numbers keep their names.
pub(super) fn name(name: &str) -> String {
    match name.split_once(':') {
        Some((thread, register)) => format!("{}:{register}", thread_number(thread)),
        None => format!("[{name}]"),
    }
}

fn thread_number(thread: &str) -> &str {
    match thread.strip_prefix('P') {
        Some(digits) if !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) => digits,
        _ => thread,
    }
}

pub(super) fn condition(test: &Test) -> String {
    let quantifier = match test.quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    };
    format!("{quantifier} ({})", proposition(test, &test.condition, Strength::Or))
}

/// The precedence of the operator around a proposition.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Strength {
    Or,
    And,
    Atom,
}

fn proposition(test: &Test, condition: &Condition, around: Strength) -> String {
    let joined = |all: &[Condition], sign: &str, own: Strength| {
        let parts: Vec<String> = all.iter().map(|c| proposition(test, c, own)).collect();
        let text = parts.join(sign);
        if around > own && all.len() > 1 { format!("({text})") } else { text }
    };
    match condition {
        Condition::True => "true".to_owned(),
        Condition::False => "false".to_owned(),
        Condition::Compare(comparison, a, b) => {
            compared(*comparison, &term(test, a), &term(test, b))
        }
        Condition::Not(a) => format!("not ({})", proposition(test, a, Strength::Or)),
        Condition::And(all) => joined(all, " /\\ ", Strength::And),
        Condition::Or(all) => joined(all, " \\/ ", Strength::Or),
        Condition::Implies(a, b) => {
            let (a, b) =
                (proposition(test, a, Strength::Atom), proposition(test, b, Strength::Atom));
            format!("({a} => {b})")
        }
    }
}

fn compared(comparison: Comparison, a: &str, b: &str) -> String {
    match comparison {
        Comparison::Eq => format!("{a}={b}"),
        Comparison::Ne => format!("not ({a}={b})"),
        Comparison::Lt => format!("{a}<{b}"),
        Comparison::Le => format!("{a}<={b}"),
        Comparison::Gt => format!("{a}>{b}"),
        Comparison::Ge => format!("{a}>={b}"),
    }
}

fn term(test: &Test, term: &Term) -> String {
    let thread_name = |thread: usize| thread_number(&test.threads[thread].name.value).to_owned();
    match term {
        Term::Register { thread, register, .. } => format!("{}:{register}", thread_name(*thread)),
        Term::Memory { variable, index, instance, .. } => {
            let array = test.variables.iter().any(|v| v.name.value == *variable && v.elements > 1);
            let element = if array { format!("{variable}[{index}]") } else { variable.clone() };
            match instance {
                Some(thread) => format!("{}:{element}", thread_name(*thread)),
                None => format!("[{element}]"),
            }
        }
        Term::Number(number) => integer(number.value),
        Term::Float(number) => number.value.to_string(),
        Term::AddressOf(name) => format!("&{}", name.value),
    }
}

/// A fingerprint of the meaning of a test: variables, thread placement, code, observed values and
/// condition. The name, the documentation and the metadata are not part of the meaning.
#[must_use]
pub fn hash(test: &Test, files: &Files) -> String {
    let mut hash = Fnv::default();
    let mut text = |span: Span| {
        files.text(span).split_whitespace().for_each(|word| hash.add(word));
    };
    test.variables.iter().for_each(|v| text(v.span));
    test.aliases.iter().for_each(|a| text(a.span));
    for thread in &test.threads {
        thread.statements.iter().for_each(|s| text(s.span));
    }
    text(test.condition_span);
    for init in &test.register_inits {
        hash.add(&format!("{}:{}", init.thread, init.register.value));
        hash.add(files.text(init.register.span));
    }
    for thread in &test.threads {
        hash.add(&format!("{:?} {:?}", thread.place, thread.task));
    }
    for term_shown in &test.locations {
        hash.add(&term(test, term_shown));
    }
    format!("{FINGERPRINT}{:032x}", hash.0)
}

/// FNV-1a with 128 bits.
struct Fnv(u128);

impl Default for Fnv {
    fn default() -> Self {
        Self(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d)
    }
}

impl Fnv {
    fn add(&mut self, word: &str) {
        for byte in word.bytes().chain([0]) {
            self.0 = (self.0 ^ u128::from(byte)).wrapping_mul(0x0100_0000_0000_0000_0000_013b);
        }
    }
}
