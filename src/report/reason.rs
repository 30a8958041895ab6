//! The reason of a verdict in one line.

use crate::relation::expr::{Axiom, Model};
use crate::solve::{Core, Why};
use crate::source::{Files, Position, Span};
use crate::verdict::{BoundKind, Bounded, Reason, Undecided, Verdict};
use std::fmt;

/// The reason of a verdict; empty for verdicts without further reason.
#[must_use]
pub fn line(verdict: &Verdict, model: &Model, files: &Files) -> String {
    match verdict {
        Verdict::Allowed(_) => String::new(),
        Verdict::Forbidden(core) => forbidden(core, model, files),
        Verdict::Undefined(reason) | Verdict::OutOfModel(reason) | Verdict::Deadlock(reason) => {
            placed(reason, files)
        }
        Verdict::Unknown(why) => undecided(why, files),
        Verdict::Error(message) => message.clone(),
    }
}

/// A position in a file, in the numbering of editors.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1, in characters.
    pub column: usize,
}

impl Place {
    /// The start of a span; `None` for spans outside of files.
    #[must_use]
    pub fn of(span: Span, files: &Files) -> Option<Self> {
        let file = files.get(span.file)?;
        let Position { line, column } = file.position(span.start as usize);
        Some(Self { file: file.name.clone(), line, column })
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// The reason of a verdict as data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// The code of the reason, such as `barrier-number`; `None` for an allowed outcome.
    pub code: Option<String>,
    /// The deciding clauses of the standard, without duplicates.
    pub clauses: Vec<String>,
    /// The statements that the reason refers to.
    pub places: Vec<Place>,
}

impl Cause {
    /// The cause of a verdict.
    #[must_use]
    pub fn of(verdict: &Verdict, model: &Model, files: &Files) -> Self {
        let spans = match verdict {
            Verdict::Forbidden(core) => core.endless.clone(),
            Verdict::Undefined(why) | Verdict::OutOfModel(why) | Verdict::Deadlock(why) => {
                why.spans.clone()
            }
            Verdict::Unknown(Undecided::Bound(Bounded { branch, .. })) => {
                branch.iter().copied().collect()
            }
            Verdict::Allowed(_) | Verdict::Unknown(_) | Verdict::Error(_) => Vec::new(),
        };
        Self {
            code: verdict.code().map(str::to_owned),
            clauses: verdict.clauses(model),
            places: spans.into_iter().filter_map(|span| Place::of(span, files)).collect(),
        }
    }
}

/// The statement that no execution ends, with the positions at which threads wait; `None` if the core
/// excludes the outcome for another reason.
pub(super) fn endless(core: &Core, files: &Files) -> Option<String> {
    let places: Vec<String> = core.endless.iter().map(|&span| files.location(span)).collect();
    let wait = || format!("no execution ends: a thread waits for ever at {}", places.join(" or "));
    (!places.is_empty()).then(wait)
}

/// The axioms of a core with their clauses, or the reason why no candidate execution has the outcome.
#[must_use]
pub fn forbidden(core: &Core, model: &Model, files: &Files) -> String {
    if let Some(wait) = endless(core, files) {
        return wait;
    }
    if core.axioms.is_empty() && core.torn {
        return "no execution has this outcome: accesses that no other overlaps in part are not \
                torn (PTX-8.10.3, V10)"
            .to_owned();
    }
    if core.axioms.is_empty() {
        return "no execution that ends has this outcome, whatever the model".to_owned();
    }
    let names: Vec<String> = axioms(core, model).map(named).collect();
    let doubt = if core.may_be_shorter() { "; perhaps not all of these are needed" } else { "" };
    let race = match core.despite_race {
        true => "; a mixed-size race voids the other axioms",
        false => "",
    };
    names.join(", ") + doubt + race
}

/// The axioms of a core.
pub fn axioms<'m>(core: &Core, model: &'m Model) -> impl Iterator<Item = &'m Axiom> {
    core.axioms.iter().filter_map(|&index| model.axioms.get(index))
}

/// The name of an axiom with its clauses.
#[must_use]
pub fn named(axiom: &Axiom) -> String {
    match axiom.clauses.as_slice() {
        [] => axiom.name.clone(),
        clauses => format!("{} ({})", axiom.name, clauses.join(", ")),
    }
}

/// The reason why a verdict is unknown.
#[must_use]
pub fn undecided(why: &Undecided, files: &Files) -> String {
    match why {
        Undecided::Bound(bounded) => cut(bounded, files),
        Undecided::Engine(why) => limit(*why).to_owned(),
        Undecided::Unsupported(what) => format!("unsupported: {what}"),
    }
}

/// The loop that was cut, and whether a larger bound could decide.
fn cut(bounded: &Bounded, files: &Files) -> String {
    let (what, place) = match bounded.branch {
        Some(branch) => {
            let statement = files.text_in_a_line(branch);
            let place = format!(" ({})", files.location(branch));
            (format!("the loop that `{statement}` closes"), place)
        }
        None => ("a loop".to_owned(), String::new()),
    };
    let rounds = match bounded.rounds {
        1 => "1 round".to_owned(),
        many => format!("{many} rounds"),
    };
    let consequence = match bounded.beyond {
        BoundKind::Higher => format!(
            "was cut after {rounds}; a higher --bound may tell, unless rounds go on for ever"
        ),
        BoundKind::Counts => {
            format!(
                "was cut after {rounds}; it counts further than is followed unasked, so that a --bound of all its rounds may tell"
            )
        }
        BoundKind::TooLarge => format!("was cut after {rounds}; more make the program too large"),
        BoundKind::NoWayOut => {
            "has no way out: no execution ends that comes there, and any --bound cuts it".to_owned()
        }
        BoundKind::Never => {
            "may go round for ever, changing nothing; any --bound cuts it".to_owned()
        }
    };
    format!("{what} {consequence}{place}")
}

/// The limit that an engine reached.
#[must_use]
pub fn limit(why: Why) -> &'static str {
    match why {
        Why::Timeout => "out of time; a longer --timeout may tell",
        Why::Aside => "out of the time that it has beside the verdict; `ptxmc hangs` takes longer",
        Why::Memory => "out of memory",
        Why::Steps => "out of steps",
        Why::States => "more final states than are listed",
        Why::GaveUp => "the solver gave up",
    }
}

pub(super) fn placed(reason: &Reason, files: &Files) -> String {
    match reason.spans.first() {
        Some(&span) => format!("{} ({})", reason.rule, files.location(span)),
        None => reason.rule.to_string(),
    }
}
