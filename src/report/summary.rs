//! What a run found, counted.

use super::reason::Cause;
use crate::batch::{Judgement, Standing};
use crate::verdict::Kind;

/// A verdict without what only an execution shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The verdict.
    pub kind: Kind,
    /// What was expected.
    pub expected: Option<Kind>,
    /// Why it is so, in one line; may be empty.
    pub reason: String,
    /// The same as data.
    pub cause: Cause,
}

impl Stated {
    /// How it stands to what was expected.
    #[must_use]
    pub fn standing(&self) -> Standing {
        Standing::of(self.kind, self.expected)
    }
}

/// A file that could not be read, or not all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// How the user called it.
    pub name: String,
    /// The first thing that is wrong with it.
    pub why: String,
}

/// Counts of verdicts, by kind and by how they stand to what was expected, and of files that could
/// not be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    unread: usize,
    tests: usize,
    kinds: [usize; Kind::ALL.len()],
    standings: [usize; 5],
}

impl Tally {
    /// No tests yet, out of files of which so many could not be read.
    #[must_use]
    pub fn without(unread: usize) -> Self {
        Self { unread, ..Self::default() }
    }

    /// Counts the judgements of one test.
    pub fn add(&mut self, judgements: &[Judgement]) {
        self.count(judgements.iter().map(|j| (j.verdict.kind(), j.standing())));
    }

    /// Counts the verdicts on one test.
    pub fn add_stated(&mut self, stated: &[Stated]) {
        self.count(stated.iter().map(|s| (s.kind, s.standing())));
    }

    fn count(&mut self, verdicts: impl Iterator<Item = (Kind, Standing)>) {
        self.tests += 1;
        for (kind, standing) in verdicts {
            self.kinds[kind as usize] += 1;
            self.standings[standing as usize] += 1;
        }
    }

    /// How many tests were counted.
    #[must_use]
    pub fn tests(&self) -> usize {
        self.tests
    }

    /// How many files could not be read.
    #[must_use]
    pub fn unread(&self) -> usize {
        self.unread
    }

    /// How many verdicts are of this kind.
    #[must_use]
    pub fn of_kind(&self, kind: Kind) -> usize {
        self.kinds[kind as usize]
    }

    /// How many verdicts stand so to what was expected.
    #[must_use]
    pub fn standing(&self, standing: Standing) -> usize {
        self.standings[standing as usize]
    }

    /// One line: `12 tests: 5 allowed, 7 forbidden; 11 as expected, 1 NOT EXPECTED`; then how many
    /// files could not be read, if any.
    #[must_use]
    pub fn line(&self) -> String {
        let tests =
            if self.tests == 1 { "1 test".to_owned() } else { format!("{} tests", self.tests) };
        let kinds = Kind::ALL.map(|kind| (self.of_kind(kind), kind.name()));
        let standings = [
            (self.standing(Standing::Expected), "as expected"),
            (self.standing(Standing::Unasked), "without expectation"),
            (self.standing(Standing::Unexpected), "NOT EXPECTED"),
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
