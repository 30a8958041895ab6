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
        Verdict::Forbidden(core) => forbidden(core, model, files),
        Verdict::Undefined(reason) | Verdict::OutOfModel(reason) | Verdict::Deadlock(reason) => {
            placed(reason, files)
        }
        Verdict::Unknown(why) => undecided(why),
        Verdict::Error(message) => message.clone(),
    }
}

/// What a reader of states or races has to know of the verdict: that there is no execution that
/// completes, that the standard gives the program no meaning, or that nobody knows.
#[must_use]
pub fn caveat(verdict: &Verdict, files: &Files) -> Option<String> {
    match verdict {
        Verdict::Deadlock(reason) => Some(format!("deadlock: {}", placed(reason, files))),
        Verdict::Undefined(reason) => {
            Some(format!("the behaviour is undefined: {}", placed(reason, files)))
        }
        Verdict::OutOfModel(reason) => {
            Some(format!("outside the model: {}", placed(reason, files)))
        }
        Verdict::Unknown(why) => Some(format!("the verdict is unknown: {}", undecided(why))),
        Verdict::Error(message) => Some(format!("the verdict is an error: {message}")),
        Verdict::Allowed(_) | Verdict::Forbidden(_) => None,
    }
}

/// The axioms of a core with their clauses, or what else excludes the outcome.
#[must_use]
pub fn forbidden(core: &Core, model: &Model, files: &Files) -> String {
    if !core.endless.is_empty() {
        let places: Vec<String> = core.endless.iter().map(|&span| files.location(span)).collect();
        return format!("no execution ends: a thread waits for ever at {}", places.join(" or "));
    }
    if core.axioms.is_empty() {
        return "no execution of the program has this outcome, whatever the model".to_owned();
    }
    let names: Vec<String> = axioms(core, model).map(named).collect();
    let doubt = if core.minimal { "" } else { "; perhaps not all of these are needed" };
    names.join(", ") + doubt
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
        Why::States => "more final states than are listed",
        Why::GaveUp => "the solver gave up",
    }
}

fn placed(reason: &Reason, files: &Files) -> String {
    match reason.spans.first() {
        Some(&span) => format!("{} ({})", reason.rule, files.location(span)),
        None => reason.rule.clone(),
    }
}
