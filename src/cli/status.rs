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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Judgement;
    use crate::verdict::{Kind, Undecided, Verdict};

    fn status(verdicts: &[(Verdict, Option<Kind>)]) -> Status {
        let mut tally = Tally::default();
        for (verdict, expected) in verdicts.iter().cloned() {
            tally.add(&[Judgement { verdict, expected, ..Judgement::failed(String::new(), None) }]);
        }
        Status::of(&tally)
    }

    #[test]
    fn the_worst_verdict_counts() {
        let forbidden = |expected| (Verdict::Forbidden(crate::solve::Core::default()), expected);
        let unknown =
            |expected| (Verdict::Unknown(Undecided::Engine(crate::solve::Why::Steps)), expected);
        let bug = || (Verdict::Error("panic".to_owned()), Some(Kind::Forbidden));
        assert_eq!(status(&[]), Status::Expected);
        assert_eq!(status(&[forbidden(None), forbidden(Some(Kind::Forbidden))]), Status::Expected);
        assert_eq!(status(&[unknown(Some(Kind::Unknown))]), Status::Expected);
        assert_eq!(status(&[unknown(Some(Kind::Allowed))]), Status::Unknown);
        let differs = forbidden(Some(Kind::Unknown));
        assert_eq!(status(&[unknown(None), differs.clone()]), Status::Differs);
        assert_eq!(status(&[unknown(None), differs, bug()]), Status::Bug);
    }
}
