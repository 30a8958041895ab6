//! The reason of a verdict in one line.

use crate::relation::expr::{Axiom, Model};
use crate::solve::{Core, Why};
use crate::source::Files;
use crate::verdict::{Reason, Undecided, Verdict};

/// Why the verdict is what it is; empty where the verdict says it all.
#[must_use]
pub fn line(verdict: &Verdict, model: &Model, files: &Files) -> String {
    match verdict {
        Verdict::Allowed(_) => String::new(),
        Verdict::Forbidden(core) => forbidden(core, model),
        Verdict::Undefined(reason) | Verdict::OutOfModel(reason) | Verdict::Deadlock(reason) => {
            placed(reason, files)
        }
        Verdict::Unknown(why) => undecided(why),
        Verdict::Error(message) => message.clone(),
    }
}

/// The axioms of a core with their clauses.
#[must_use]
pub fn forbidden(core: &Core, model: &Model) -> String {
    if core.axioms.is_empty() {
        return "no execution of the program has this outcome, whatever the model".to_owned();
    }
    let names: Vec<String> = axioms(core, model).map(named).collect();
    names.join(", ")
}

/// The axioms of a core.
pub fn axioms<'m>(core: &Core, model: &'m Model) -> impl Iterator<Item = &'m Axiom> {
    core.axioms.iter().filter_map(|&index| model.axioms.get(index))
}

/// An axiom's name with its clauses.
#[must_use]
pub fn named(axiom: &Axiom) -> String {
    match axiom.clauses.as_slice() {
        [] => axiom.name.clone(),
        clauses => format!("{} ({})", axiom.name, clauses.join(", ")),
    }
}

/// Why a verdict is unknown.
#[must_use]
pub fn undecided(why: &Undecided) -> String {
    match why {
        Undecided::Bound(bound) => {
            format!("loops were cut after {bound} rounds; a higher --bound may tell")
        }
        Undecided::Size(bound) => {
            format!("loops were cut after {bound} rounds; more make the program too large")
        }
        Undecided::Engine(why) => limit(*why).to_owned(),
        Undecided::Unsupported(what) => format!("unsupported: {what}"),
    }
}

/// Which limit an engine ran into.
#[must_use]
pub fn limit(why: Why) -> &'static str {
    match why {
        Why::Timeout => "out of time",
        Why::Memory => "out of memory",
        Why::Steps => "out of steps",
        Why::GaveUp => "the solver gave up",
    }
}

fn placed(reason: &Reason, files: &Files) -> String {
    match reason.spans.first() {
        Some(&span) => format!("{} ({})", reason.rule, files.location(span)),
        None => reason.rule.clone(),
    }
}
