//! What a run is held against beside the expectations of its tests: `--expect` and `--fail-on`.

use crate::batch::{Case, Judgement, Refusal};
use crate::verdict::Kind;
use clap::ValueEnum;

/// What the user does not take of a test that expects nothing; a race of no test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FailOn {
    Allowed,
    Forbidden,
    Undefined,
    OutOfModel,
    Deadlock,
    Unknown,
    /// A data race, under a model that defines races, whatever the verdict and the expectation.
    Race,
    /// That a test has no expectation.
    NoExpectation,
}

impl FailOn {
    /// The verdict that is not taken.
    fn kind(self) -> Option<Kind> {
        match self {
            Self::Allowed => Some(Kind::Allowed),
            Self::Forbidden => Some(Kind::Forbidden),
            Self::Undefined => Some(Kind::Undefined),
            Self::OutOfModel => Some(Kind::OutOfModel),
            Self::Deadlock => Some(Kind::Deadlock),
            Self::Unknown => Some(Kind::Unknown),
            Self::Race | Self::NoExpectation => None,
        }
    }
}

/// Makes tests that expect nothing expect a verdict.
pub(super) fn expect(cases: &mut [Case], verdict: Kind) {
    for expected in cases.iter_mut().flat_map(|case| &mut case.expected) {
        expected.get_or_insert(verdict);
    }
}

/// What of a judgement the user does not take; `has_race` is asked only where that counts.
pub(super) fn refusal(
    fail_on: &[FailOn],
    judgement: &Judgement,
    has_race: impl FnOnce() -> bool,
) -> Option<Refusal> {
    let kind = judgement.verdict.kind();
    if judgement.expected.is_none() {
        if fail_on.iter().any(|refused| refused.kind() == Some(kind)) {
            return Some(Refusal::Verdict(kind));
        }
        if fail_on.contains(&FailOn::NoExpectation) {
            return Some(Refusal::Unasked);
        }
    }
    (fail_on.contains(&FailOn::Race) && has_race()).then_some(Refusal::Race)
}
