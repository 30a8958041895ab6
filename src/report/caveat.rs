//! A verdict into the warning that readers of final states, races or hangs need.

use super::reason::{endless, placed, undecided};
use crate::litmus::ast::Test;
use crate::rule::Silence;
use crate::source::Files;
use crate::verdict::{Kind, Verdict};

/// A verdict that makes final states and races meaningless or incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caveat {
    /// The verdict.
    pub kind: Kind,
    /// The reason: no execution completes, the standard gives the program no meaning, or the verdict is
    /// unknown.
    pub text: String,
}

impl Caveat {
    /// Whether states and races are meaningless or possibly incomplete.
    #[must_use]
    pub fn is_void(&self) -> bool {
        matches!(self.kind, Kind::Undefined | Kind::OutOfModel | Kind::Unknown | Kind::Error)
    }
}

/// The caveat of a verdict; `None` if the verdict needs none.
#[must_use]
pub fn of(verdict: &Verdict, files: &Files) -> Option<Caveat> {
    text(verdict, files).map(|text| Caveat { kind: verdict.kind(), text })
}

/// The caveat of a test that has only some threads of its launches; `None` for one that has all.
#[must_use]
pub fn of_part(test: &Test) -> Option<Caveat> {
    let (taken, all) = (test.threads.len(), test.partial_launch()?.threads);
    let text = format!(
        "only {taken} of {all} threads of the launch were looked at, which `ptxmc check` names: others may \
         do otherwise, and do what these wait for"
    );
    Some(Caveat { kind: Kind::Unknown, text })
}

fn text(verdict: &Verdict, files: &Files) -> Option<String> {
    match verdict {
        Verdict::Deadlock(reason) => Some(format!("deadlock: {}", placed(reason, files))),
        Verdict::Undefined(reason) => {
            Some(format!("the behaviour is undefined: {}", placed(reason, files)))
        }
        Verdict::OutOfModel(reason) => {
            let silence = reason.rule.silence().map_or("outside the model", Silence::words);
            Some(format!("{silence}: {}", placed(reason, files)))
        }
        Verdict::Unknown(why) => Some(format!("the verdict is unknown: {}", undecided(why, files))),
        Verdict::Error(message) => Some(format!("the verdict is an error: {message}")),
        Verdict::Forbidden(core) if core.despite_race => {
            Some("the behaviour is undefined: a mixed-size race (PTX-8.7.2)".to_owned())
        }
        Verdict::Forbidden(core) => endless(core, files),
        Verdict::Allowed(_) => None,
    }
}
