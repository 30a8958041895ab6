//! The gates of a run in addition to the expectations of its tests: `--expect` and `--fail-on`.

use crate::batch::{Case, Judgement, Refusal};
use crate::check::HangKind;
use crate::litmus::ast::Quantifier;
use crate::verdict::Kind;
use clap::ValueEnum;
use clap::builder::PossibleValue;

impl ValueEnum for Refusal {
    fn value_variants<'a>() -> &'a [Self] {
        &[
            Self::Verdict(Kind::Allowed),
            Self::Verdict(Kind::Forbidden),
            Self::Verdict(Kind::Undefined),
            Self::Verdict(Kind::OutOfModel),
            Self::Verdict(Kind::Deadlock),
            Self::Verdict(Kind::Unknown),
            Self::Holds,
            Self::Fails,
            Self::Race,
            Self::Hang,
            Self::Unasked,
        ]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let value = PossibleValue::new(self.name());
        Some(match self {
            Self::Verdict(_) => value,
            Self::Holds => value.help("That the condition of a `forall` holds, whose negation is then forbidden"),
            Self::Fails => value.help("That the condition of a `forall` does not hold, whose negation is then allowed"),
            Self::Race => value.help(
                "A data race, under a model that defines races, whatever the verdict and the expectation",
            ),
            Self::Hang => value.help("That the program may hang, or that this is not known, whatever the verdict"),
            Self::NotHang(_) | Self::HangUnknown | Self::RaceUnknown => value.hide(true),
            Self::Unasked => value.help("That a test has no expectation"),
        })
    }
}

/// Makes tests that expect nothing expect a verdict.
pub(super) fn expect(cases: &mut [Case], verdict: Kind) {
    for expected in cases.iter_mut().flat_map(|case| &mut case.expected) {
        expected.get_or_insert(verdict);
    }
}

/// The reason why the user refuses a judgement, if any. `has_race`, which may give no answer, is
/// called only if necessary.
pub(super) fn refusal(
    refused: &[Refusal],
    quantifier: Quantifier,
    judgement: &Judgement,
    has_race: impl FnOnce() -> Option<bool>,
) -> Option<Refusal> {
    let kind = judgement.verdict.kind();
    let worded = Refusal::named(kind.word(quantifier));
    let unasked = [Refusal::Verdict(kind), Refusal::Unasked];
    let found = worded.into_iter().chain(unasked).find(|refusal| refused.contains(refusal));
    let found = found.filter(|_| judgement.expected.is_none());
    let may_hang = || judgement.hang.as_ref().is_some_and(|hang| hang.kind() != HangKind::Never);
    let hangs = || (refused.contains(&Refusal::Hang) && may_hang()).then_some(Refusal::Hang);
    let races = || match refused.contains(&Refusal::Race).then(has_race)? {
        Some(true) => Some(Refusal::Race),
        Some(false) => None,
        None => Some(Refusal::RaceUnknown),
    };
    found.or_else(hangs).or_else(races)
}
