//! What a reader of states, races or hangs has to know of the verdict.

use super::reason::{endless, placed, undecided};
use crate::rule::Silence;
use crate::source::Files;
use crate::verdict::{Kind, Verdict};

/// A verdict that leaves states and races without meaning, or incomplete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caveat {
    /// The verdict.
    pub kind: Kind,
    /// That there is no execution that completes, that the standard gives the program no meaning,
    /// or that nobody knows; and why.
    pub text: String,
}

impl Caveat {
    /// Whether states and races mean nothing, or not all of them are known to.
    #[must_use]
    pub fn is_void(&self) -> bool {
        matches!(self.kind, Kind::Undefined | Kind::OutOfModel | Kind::Unknown | Kind::Error)
    }
}

/// The caveat of a verdict, if it has one.
#[must_use]
pub fn of(verdict: &Verdict, files: &Files) -> Option<Caveat> {
    text(verdict, files).map(|text| Caveat { kind: verdict.kind(), text })
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
