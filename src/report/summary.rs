//! The results of a run, counted.

use super::reason::{self, Cause};
use crate::batch::{Case, Judgement, Refusal, Standing};
use crate::check::{Hang, HangKind};
use crate::litmus::ast::Quantifier;
use crate::relation::expr::Model;
use crate::source::Files;
use crate::verdict::Kind;

/// A verdict in a form that is independent of executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The verdict.
    pub kind: Kind,
    /// The quantifier of the test.
    pub quantifier: Quantifier,
    /// The expected verdict, if the test has one.
    pub expected: Option<Kind>,
    /// A verdict that an option of the user rejects in the absence of an expectation.
    pub refused: Option<Refusal>,
    /// Whether the program may hang, where that was asked.
    pub hang: Option<HangKind>,
    /// The reason in one line; may be empty.
    pub reason: String,
    /// The reason as data.
    pub cause: Cause,
}

impl Stated {
    /// The verdict of a judgement on a test.
    #[must_use]
    pub fn of(judgement: &Judgement, case: &Case, model: &Model, files: &Files) -> Self {
        let kind = judgement.verdict.kind();
        Self {
            kind,
            quantifier: case.test.quantifier,
            expected: judgement.expected,
            refused: judgement.refused,
            hang: judgement.hang.as_ref().map(Hang::kind),
            reason: reason::line(&judgement.verdict, model, files),
            cause: Cause::of(&judgement.verdict, model, files),
        }
    }

    /// A verdict without reason, expectation or refusal.
    #[must_use]
    pub fn bare(kind: Kind) -> Self {
        Self {
            kind,
            quantifier: Quantifier::Exists,
            expected: None,
            refused: None,
            hang: None,
            reason: String::new(),
            cause: Cause::default(),
        }
    }

    /// The word for a kind of verdict on the test, which depends on the quantifier.
    #[must_use]
    pub fn word(&self, kind: Kind) -> &'static str {
        kind.word(self.quantifier)
    }

    /// What was asked for, in words, where the verdict or another result of the test is not that.
    #[must_use]
    pub fn missed(&self) -> Option<String> {
        let unexpected = self.standing() == Standing::Unexpected;
        unexpected.then(|| missed(self.expected, self.refused, self.quantifier)).flatten()
    }

    /// The verdict compared with the expected one.
    #[must_use]
    pub fn standing(&self) -> Standing {
        Standing::of(self.kind, self.expected).refused(self.refused)
    }
}

/// What was asked for, in words: `expected Hang=never`, `--fail-on race`, `expected forbidden`; `None` where
/// nothing was.
#[must_use]
pub fn missed(
    expected: Option<Kind>,
    refused: Option<Refusal>,
    quantifier: Quantifier,
) -> Option<String> {
    match (refused, expected) {
        (Some(Refusal::NotHang(hang)), _) => Some(format!("expected Hang={}", hang.name())),
        (Some(refused), _) => Some(format!("--fail-on {}", refused.name())),
        (None, Some(kind)) => Some(format!("expected {}", kind.word(quantifier))),
        (None, None) => None,
    }
}

/// A file that could not be read, or only in part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The name given by the user.
    pub name: String,
    /// The first error.
    pub why: String,
}

/// Counts of verdicts, by kind and by agreement with expectations, and of unreadable files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    unread: usize,
    tests: usize,
    kinds: [usize; Kind::ALL.len()],
    /// The numbers of `forall` conditions that hold and that fail.
    always: [usize; 2],
    standings: [usize; 5],
    /// Of the verdicts, those on tests of which something else that was asked for is unknown.
    open: usize,
}

impl Tally {
    /// No tests; `unread` files could not be read.
    #[must_use]
    pub fn without(unread: usize) -> Self {
        Self { unread, ..Self::default() }
    }

    /// Adds the verdicts on a test.
    pub fn add(&mut self, verdicts: &[Stated]) {
        self.tests += 1;
        for stated in verdicts {
            self.kinds[stated.kind as usize] += 1;
            self.standings[stated.standing() as usize] += 1;
            let is_open = stated.standing() == Standing::Unknown && stated.kind != Kind::Unknown;
            self.open += usize::from(is_open);
            for (count, word) in self.always.iter_mut().zip(Kind::words_of_forall()) {
                *count += usize::from(stated.word(stated.kind) == word);
            }
        }
    }

    /// The number of tests.
    #[must_use]
    pub fn tests(&self) -> usize {
        self.tests
    }

    /// The number of unreadable files.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// The number of verdicts of a kind.
    #[must_use]
    pub fn of_kind(&self, kind: Kind) -> usize {
        self.kinds[kind as usize]
    }

    /// The number of verdicts with a standing.
    #[must_use]
    pub fn standing(&self, standing: Standing) -> usize {
        self.standings[standing as usize]
    }

    /// One line: `12 tests: 5 allowed, 7 forbidden; 11 as expected, 1 NOT EXPECTED`, followed by the number
    /// of unreadable files, if not zero.
    #[must_use]
    pub fn line(&self) -> String {
        let tests =
            if self.tests == 1 { "1 test".to_owned() } else { format!("{} tests", self.tests) };
        let [holds, fails] = self.always;
        let worded = |kind: Kind| match kind {
            Kind::Forbidden => self.of_kind(kind) - holds,
            Kind::Allowed => self.of_kind(kind) - fails,
            _ => self.of_kind(kind),
        };
        let mut kinds: Vec<_> = Kind::ALL.map(|kind| (worded(kind), kind.name())).to_vec();
        kinds.extend(self.always.into_iter().zip(Kind::words_of_forall()));
        let standings = [
            (self.standing(Standing::Expected), "as expected"),
            (self.standing(Standing::Unasked), "without expectation"),
            (self.standing(Standing::Unexpected), "NOT EXPECTED"),
            (self.open, "undecided"),
        ];
        let unread = match self.unread {
            0 => String::new(),
            1 => "1 file could not be read".to_owned(),
            many => format!("{many} files could not be read"),
        };
        let parts = [listed(&kinds), listed(&standings), unread];
        let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|p| !p.is_empty()).collect();
        if parts.is_empty() { tests } else { format!("{tests}: {}", parts.join("; ")) }
    }
}

fn listed(counts: &[(usize, &str)]) -> String {
    let parts: Vec<String> = counts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    parts.join(", ")
}
