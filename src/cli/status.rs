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
    /// A verdict differs from its expectation or from the baseline.
    Differs,
    /// Bad usage or unreadable input.
    Unusable,
    /// A bug.
    Bug,
}

impl Status {
    /// The exit status for the verdicts of a run.
    pub(super) fn of(tally: &Tally) -> Self {
        let found = |standing: &Standing| tally.standing(*standing) > 0;
        let standings = [Standing::Unknown, Standing::Unexpected, Standing::Broken];
        let found = standings.into_iter().filter(found).map(Self::from);
        found.max().unwrap_or(Self::Expected)
    }
}

impl From<Standing> for Status {
    fn from(standing: Standing) -> Self {
        match standing {
            Standing::Expected | Standing::Unasked => Self::Expected,
            Standing::Unknown => Self::Unknown,
            Standing::Unexpected => Self::Differs,
            Standing::Broken => Self::Bug,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::summary::Stated;
    use crate::verdict::Kind;

    fn status(verdicts: &[(Kind, Option<Kind>)]) -> Status {
        let mut tally = Tally::default();
        for &(kind, expected) in verdicts {
            tally.add(&[Stated { expected, ..Stated::bare(kind) }]);
        }
        Status::of(&tally)
    }

    #[test]
    fn the_worst_verdict_counts() {
        let forbidden = |expected| (Kind::Forbidden, expected);
        let unknown = |expected| (Kind::Unknown, expected);
        let bug = || (Kind::Error, Some(Kind::Forbidden));
        assert_eq!(status(&[]), Status::Expected);
        assert_eq!(status(&[forbidden(None), forbidden(Some(Kind::Forbidden))]), Status::Expected);
        assert_eq!(status(&[unknown(Some(Kind::Unknown))]), Status::Expected);
        assert_eq!(status(&[unknown(Some(Kind::Allowed))]), Status::Unknown);
        let differs = forbidden(Some(Kind::Unknown));
        assert_eq!(status(&[unknown(None), differs]), Status::Differs);
        assert_eq!(status(&[unknown(None), differs, bug()]), Status::Bug);
    }
}
