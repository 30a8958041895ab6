//! The comparison of the observed states of a test with the allowed states.
//!
//! Each whole state is checked, as far as the log contains it. A forbidden state is reported even
//! if the condition of the test asks about another state.

use super::finals::Finals;
use super::log::{Seen, Value};
use super::sightings::Sightings;
use crate::batch::{Case, Judgement, Listing, judge, list};
use crate::check::Settings;
use crate::event::graph::EventGraph;
use crate::litmus::ast::{Condition, Quantifier, Term};
use crate::program::expr::Expr;
use crate::ptx::bits::{mask, signed};
use crate::ptx::operation::{Comparison, Order, Scope};
use crate::ptx::side::fits;
use crate::relation::expr::Model;
use crate::solve::Engine;
use crate::source::Spanned;
use crate::verdict::{Kind, Verdict};
use std::collections::BTreeSet;

/// The width of an mbarrier object and of a token.
const TOKEN_BITS: u32 = 64;

/// The overall result of logs for a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// A state was seen that the model forbids.
    ForbiddenSeen,
    /// The tool failed.
    Broken,
    /// A log is about another version of the test, since the fingerprints differ.
    OtherVersion,
    /// The verdict on some state is unknown.
    Unknown,
    /// The program is outside the model, so that no observation can contradict the model.
    OutOfModel,
    /// The program's behaviour is undefined, or the program waits for ever: any state may be seen.
    Undefined,
    /// All that was seen is allowed; the outcome in question is allowed and was never seen.
    AllowedNeverSeen,
    /// All observed states are allowed and include the outcome in question.
    AllowedSeen,
    /// All that was seen is allowed; the outcome in question is not, or nothing is asked.
    Consistent,
    /// No log has the test.
    NotRun,
}

impl Finding {
    /// All findings, in the order of reports.
    pub const ALL: [Self; 10] = [
        Self::ForbiddenSeen,
        Self::Broken,
        Self::OtherVersion,
        Self::Unknown,
        Self::OutOfModel,
        Self::Undefined,
        Self::AllowedNeverSeen,
        Self::AllowedSeen,
        Self::Consistent,
        Self::NotRun,
    ];

    /// The name of the finding.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ForbiddenSeen => "forbidden and seen",
            Self::Broken => "error",
            Self::OtherVersion => "another version",
            Self::Unknown => "unknown",
            Self::OutOfModel => "out-of-model",
            Self::Undefined => "undefined",
            Self::AllowedNeverSeen => "allowed and never seen",
            Self::AllowedSeen => "allowed and seen",
            Self::Consistent => "consistent",
            Self::NotRun => "not run",
        }
    }
}

/// The verdict of the model on an observed state.
#[derive(Clone, Debug)]
pub enum Allowance {
    /// Some execution ends in the state.
    Allowed,
    /// No execution ends in the state. Contains the test that asks for the state, and the verdict
    /// on it.
    Forbidden(Box<(Case, Judgement)>),
    /// The standard does not say, since the program is undefined or outside the model.
    Void,
    /// The verdict is unknown, for the given reason.
    Unknown(String),
    /// The tool failed.
    Broken(String),
}

/// An observed state with the verdict of the model.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The state.
    pub seen: Seen,
    /// The verdict of the model.
    pub allowance: Allowance,
    /// Whether the proposition of the condition holds in the state; `None` if the state does not
    /// determine this.
    pub matches: Option<bool>,
}

impl Judged {
    fn new(case: &Case, finals: &Finals<'_>, seen: &Seen, allowance: Allowance) -> Self {
        let wanted = case.test.quantifier != Quantifier::Forall;
        let matches = finals.truth(&case.test.condition, seen).map(|holds| holds == wanted);
        let lacks = |condition| listed(&finals.lacking(condition, seen));
        let allowance = match (allowance, matches, &case.test.filter) {
            (Allowance::Allowed, None, _) => Allowance::Unknown(format!(
                "without {} it is not told whether this is the outcome in question",
                lacks(&case.test.condition)
            )),
            (Allowance::Forbidden(_), _, Some(filter)) if finals.truth(filter, seen).is_none() => {
                Allowance::Unknown(format!(
                    "without {} it is not told whether the filter leaves this out",
                    lacks(filter)
                ))
            }
            (allowance, ..) => allowance,
        };
        Self { seen: seen.clone(), allowance, matches }
    }
}

/// Names in a sentence.
fn listed(names: &[String]) -> String {
    let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

/// The observations of a test, with the verdicts of the model.
#[derive(Clone, Debug)]
pub struct TestReport {
    /// All in all.
    pub finding: Finding,
    /// The states that were seen.
    pub states: Vec<Judged>,
    /// The verdict on the outcome in question.
    pub asked: Judgement,
    /// Allowed states that were not seen; `None` where the allowed states cannot be listed.
    pub unseen: Option<Unseen>,
    /// How often the test ran, as far as logs count.
    pub runs: Option<u64>,
    /// The fingerprints of other versions of the test in the logs.
    pub other_versions: Vec<String>,
    /// The orders of the program's operations.
    pub orders: BTreeSet<Order>,
    /// The scopes of the program's operations.
    pub scopes: BTreeSet<Scope>,
}

/// Allowed states that no log has.
#[derive(Clone, Debug, PartialEq)]
pub struct Unseen {
    /// The states: values by name.
    pub states: Vec<Vec<(String, Value)>>,
    /// Whether the list contains all such states.
    pub complete: bool,
}

impl TestReport {
    /// How often the outcome in question was seen.
    #[must_use]
    pub fn positive(&self) -> u64 {
        let matching = self.states.iter().filter(|state| state.matches == Some(true));
        matching.map(|state| state.seen.count.unwrap_or(1)).fold(0, u64::saturating_add)
    }

    /// The states that the model forbids, with the test that asks for each.
    pub fn forbidden(&self) -> impl Iterator<Item = (&Judged, &Case, &Judgement)> {
        self.states.iter().filter_map(|judged| match &judged.allowance {
            Allowance::Forbidden(asked) => Some((judged, &asked.0, &asked.1)),
            _ => None,
        })
    }
}

/// How states are judged.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    /// The model.
    pub model: &'a Model,
    /// The engines, which have to agree.
    pub engines: &'a [Box<dyn Engine>],
    /// The settings of the queries.
    pub settings: Settings,
}

impl Judge<'_> {
    /// Compares the observations of a test with the model.
    #[must_use]
    pub fn judge(&self, case: &Case, seen: Option<&Sightings>) -> TestReport {
        let asked = self.verdict(case);
        let (orders, scopes) = asked.graph.as_ref().map(facets).unwrap_or_default();
        let mut report = TestReport {
            finding: Finding::NotRun,
            states: Vec::new(),
            asked,
            unseen: None,
            runs: seen.and_then(Sightings::runs),
            other_versions: seen.map(|seen| seen.other_versions.clone()).unwrap_or_default(),
            orders,
            scopes,
        };
        let Some(seen) = seen else { return report };
        let finals = Finals::new(&case.test);
        if let Some(finding) = void(&report.asked) {
            let judged = |state| Judged::new(case, &finals, state, Allowance::Void);
            report.states = seen.states.iter().map(judged).collect();
            report.finding = match report.other_versions.is_empty() {
                true => finding,
                false => Finding::OtherVersion,
            };
            return report;
        }
        let mut listed = Listed::default();
        for state in &seen.states {
            let allowance = match finals.terms(state) {
                Ok(terms) => {
                    self.list(&mut listed, case, (&finals, &terms), &report.asked);
                    self.allowance(&listed, case, &terms, state)
                }
                Err(why) => Allowance::Unknown(why),
            };
            report.states.push(Judged::new(case, &finals, state, allowance));
        }
        report.unseen = listed.unseen(&seen.states);
        report.finding = finding(&report);
        report
    }

    fn verdict(&self, case: &Case) -> Judgement {
        let models = std::slice::from_ref(self.model);
        let mut judgements = judge(case, models, self.engines, self.settings);
        judgements.pop().expect("a test has a verdict under its model")
    }

    /// Lists the allowed states by the names of a state, unless that has been done.
    fn list(
        &self,
        listed: &mut Listed,
        case: &Case,
        (finals, terms): (&Finals<'_>, &[Term]),
        asked: &Judgement,
    ) {
        let names: Vec<String> = terms.iter().filter_map(|term| finals.spelling(term)).collect();
        if listed.names.as_ref() == Some(&names) {
            return;
        }
        let mut shown = case.clone();
        shown.test.condition = Condition::True;
        shown.test.quantifier = Quantifier::Exists;
        shown.test.locations = terms.to_vec();
        let settings = asked.settings(self.settings);
        // Where the states cannot be listed, each one is asked for.
        listed.listing = list(&shown, self.model, self.engines, settings).ok();
        listed.names = Some(names);
    }

    fn allowance(&self, listed: &Listed, case: &Case, terms: &[Term], state: &Seen) -> Allowance {
        if listed.has(state) {
            return Allowance::Allowed;
        }
        let asked = asking(case, terms, state);
        let judgement = self.verdict(&asked);
        if let Some(value) = judgement.graph.as_ref().and_then(|graph| too_wide(graph, state)) {
            return Allowance::Unknown(format!(
                "{value} is too large for its register or variable"
            ));
        }
        if let Some(name) = judgement.graph.as_ref().and_then(opaque) {
            return Allowance::Unknown(format!(
                "{name} shows bits of an mbarrier, which are the implementation's"
            ));
        }
        match &judgement.verdict {
            Verdict::Allowed(_) => Allowance::Allowed,
            Verdict::Forbidden(_) => Allowance::Forbidden(Box::new((asked, judgement))),
            Verdict::Undefined(_) | Verdict::OutOfModel(_) | Verdict::Deadlock(_) => {
                Allowance::Void
            }
            Verdict::Unknown(_) => {
                Allowance::Unknown("whether it is allowed is unknown".to_owned())
            }
            Verdict::Error(message) => Allowance::Broken(message.clone()),
        }
    }
}

/// The allowed states by some names.
#[derive(Default)]
struct Listed {
    names: Option<Vec<String>>,
    listing: Option<Listing>,
}

impl Listed {
    fn has(&self, state: &Seen) -> bool {
        let Some(Listing { graph, states, .. }) = &self.listing else { return false };
        let Some(bits) = bits_of(graph, state) else { return false };
        states.states.iter().any(|(values, _)| *values == bits)
    }

    /// The allowed states that were not seen.
    fn unseen(&self, seen: &[Seen]) -> Option<Unseen> {
        let listing = self.listing.as_ref()?;
        let known: BTreeSet<Vec<u128>> =
            seen.iter().filter_map(|state| bits_of(&listing.graph, state)).collect();
        let others = listing.states.states.iter().filter(|(values, _)| !known.contains(values));
        let states = others.map(|(values, _)| named(&listing.graph, values)).collect();
        Some(Unseen { states, complete: listing.is_complete() })
    }
}

/// The names and values of a listed state.
fn named(graph: &EventGraph, values: &[u128]) -> Vec<(String, Value)> {
    let observed = graph.observed.iter().zip(values);
    observed
        .map(|(observed, &bits)| {
            let width = graph.exprs.width(observed.value);
            let number = if observed.signed { signed(bits, width) } else { bits as i128 };
            (observed.name.clone(), Value::Number(number))
        })
        .collect()
}

/// The bits of each observed name in a state; `None` where the state names others.
fn bits_of(graph: &EventGraph, state: &Seen) -> Option<Vec<u128>> {
    if state.values.len() != graph.observed.len() {
        return None;
    }
    let bits = graph.observed.iter().map(|observed| {
        let (_, value) = state.values.iter().find(|(name, _)| *name == observed.name)?;
        let Value::Number(number) = value else { return None };
        let width = graph.exprs.width(observed.value);
        fits(*number, width).then_some(*number as u128 & mask(width))
    });
    bits.collect()
}

/// The name of an observed value that shows bits of an mbarrier object or of a token, which the
/// implementation chooses (PTX-9.7.13.15).
fn opaque(graph: &EventGraph) -> Option<&str> {
    let is_object = |leaf: &Expr| match leaf {
        Expr::Read(access) => {
            graph.access(*access).pieces.iter().any(|&read| graph.event(read).marks.mbarrier)
        }
        Expr::Final(location) => graph
            .ids()
            .any(|id| graph.event(id).loc == Some(*location) && graph.leaves_mbarrier(id)),
        _ => false,
    };
    let shows = |value| {
        graph.exprs.width(value) == TOKEN_BITS && graph.exprs.leaves(value).iter().any(is_object)
    };
    graph.observed.iter().find(|observed| shows(observed.value)).map(|observed| &*observed.name)
}

/// An observed number that does not fit the width of its register or variable.
fn too_wide(graph: &EventGraph, state: &Seen) -> Option<Value> {
    let wide = |(name, value): &&(String, Value)| {
        let observed = graph.observed.iter().find(|observed| observed.name == *name);
        let Value::Number(number) = value else { return false };
        observed.is_some_and(|observed| !fits(*number, graph.exprs.width(observed.value)))
    };
    state.values.iter().find(wide).map(|(_, value)| value.clone())
}

/// The finding that a verdict on the whole test implies for any observation.
fn void(asked: &Judgement) -> Option<Finding> {
    match asked.verdict.kind() {
        Kind::Undefined | Kind::Deadlock => Some(Finding::Undefined),
        Kind::OutOfModel => Some(Finding::OutOfModel),
        Kind::Error => Some(Finding::Broken),
        Kind::Allowed | Kind::Forbidden | Kind::Unknown => None,
    }
}

/// The overall finding for the states.
fn finding(report: &TestReport) -> Finding {
    let any = |wanted: &dyn Fn(&Allowance) -> bool| {
        report.states.iter().any(|judged| wanted(&judged.allowance))
    };
    if any(&|allowance| matches!(allowance, Allowance::Forbidden(_))) {
        Finding::ForbiddenSeen
    } else if any(&|allowance| matches!(allowance, Allowance::Broken(_))) {
        Finding::Broken
    } else if !report.other_versions.is_empty() {
        Finding::OtherVersion
    } else if any(&|allowance| matches!(allowance, Allowance::Unknown(_) | Allowance::Void)) {
        Finding::Unknown
    } else if report.positive() > 0 {
        Finding::AllowedSeen
    } else if report.asked.verdict.kind() == Kind::Allowed {
        Finding::AllowedNeverSeen
    } else {
        Finding::Consistent
    }
}

/// The test that asks whether some execution ends in a state.
fn asking(case: &Case, terms: &[Term], state: &Seen) -> Case {
    let mut asked = case.clone();
    let equal = |(term, (_, value)): (&Term, &(String, Value))| {
        let number = if let Value::Number(number) = value { *number } else { 0 };
        let number = Term::Number(Spanned::new(number, case.test.condition_span));
        Condition::Compare(Comparison::Eq, term.clone(), number)
    };
    asked.test.condition = Condition::And(terms.iter().zip(&state.values).map(equal).collect());
    asked.test.quantifier = Quantifier::Exists;
    asked.test.locations = terms.to_vec();
    asked.expected = vec![None; case.expected.len()];
    asked
}

/// The orders and scopes of a program's operations.
fn facets(graph: &EventGraph) -> (BTreeSet<Order>, BTreeSet<Scope>) {
    let orders = graph.events.iter().filter_map(|event| event.order).collect();
    let scopes = graph.events.iter().filter_map(|event| event.scope).collect();
    (orders, scopes)
}

/// The shape of a test: the first part of its name, `MP` of `MP+rel+acq`. `2+2W` counts as one
/// part.
#[must_use]
pub fn shape(name: &str) -> &str {
    let end = |from: usize| {
        name[from..].find(['+', '-', '_', '@', '/']).map_or(name.len(), |at| from + at)
    };
    let first = end(0);
    match name[first..].strip_prefix("+2W") {
        Some(rest) if rest.is_empty() || rest.starts_with(['+', '-', '_', '@', '/']) => {
            &name[..first + 3]
        }
        _ => &name[..first],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_first_parts_of_names() {
        for (name, of) in [
            ("MP", "MP"),
            ("MP+rel+acq", "MP"),
            ("2+2W", "2+2W"),
            ("2+2W+rel", "2+2W"),
            ("WRW+2W-cta", "WRW+2W"),
            ("Z6.3+x", "Z6.3"),
            ("IRIW-sc", "IRIW"),
        ] {
            assert_eq!(shape(name), of);
        }
    }
}
