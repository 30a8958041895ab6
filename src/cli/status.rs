//! Exit statuses, and which of several counts.

use crate::batch::Standing;
use crate::report::summary::Tally;
use std::process::ExitCode;

/// How a run ended; a later one outweighs an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// As expected.
    Expected,
    /// Something is unknown.
    Unknown,
    /// A verdict differs from its expectation or baseline.
    Differs,
    /// Bad usage or unreadable input.
    Unusable,
    /// A bug.
    Bug,
}

impl Status {
    /// What the verdicts of a run amount to.
    pub(super) fn of(tally: &Tally) -> Self {
        if tally.standing(Standing::Broken) > 0 {
            Self::Bug
        } else if tally.standing(Standing::Unexpected) > 0 {
            Self::Differs
        } else if tally.standing(Standing::Unknown) > 0 {
            Self::Unknown
        } else {
            Self::Expected
        }
    }
}

impl From<Status> for ExitCode {
    fn from(status: Status) -> Self {
        Self::from(match status {
            Status::Expected => 0,
            Status::Differs => 1,
            Status::Unusable => 2,
            Status::Unknown => 3,
            Status::Bug => 101,
        })
    }
}
