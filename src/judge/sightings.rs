//! The assignment of log entries to tests, with each final state once.

use super::log::{Entry, Seen, Value};
use crate::batch::Case;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::path::Path;

/// The final states of one test that logs show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sightings {
    /// Each state once, in the order of the logs.
    pub states: Vec<Seen>,
    /// How long the test ran, in seconds, as far as logs say so.
    pub seconds: Option<f64>,
}

impl Sightings {
    /// How often the test ran; `None` where a log does not count.
    #[must_use]
    pub fn runs(&self) -> Option<u64> {
        self.states
            .iter()
            .map(|state| state.count)
            .try_fold(0u64, |sum, count| Some(sum.saturating_add(count?)))
    }

    /// Merges another entry for the test.
    pub fn add(&mut self, entry: Entry) {
        if let Some(seconds) = entry.seconds {
            self.seconds = Some(self.seconds.unwrap_or(0.0) + seconds);
        }
        let mut known: BTreeMap<Vec<(String, Value)>, usize> = BTreeMap::new();
        for (index, state) in self.states.iter().enumerate() {
            known.insert(sorted(&state.values), index);
        }
        for state in entry.states {
            let key = sorted(&state.values);
            match known.get(&key) {
                Some(&index) => {
                    let sum = &mut self.states[index].count;
                    *sum = match (*sum, state.count) {
                        (Some(a), Some(b)) => Some(a.saturating_add(b)),
                        (count, None) | (None, count) => count,
                    };
                }
                None => {
                    known.insert(key, self.states.len());
                    self.states.push(state);
                }
            }
        }
    }
}

/// The values of a state, sorted by name.
#[must_use]
pub fn sorted(values: &[(String, Value)]) -> Vec<(String, Value)> {
    let mut values = values.to_vec();
    values.sort();
    values
}

/// Which tests entries speak of.
#[derive(Clone, Debug, Default)]
pub struct Assigned {
    /// The observed states of each test; `None` if no log contains the test.
    pub of_tests: Vec<Option<Sightings>>,
    /// The names of entries without a test, each once, with the number of its entries.
    pub unknown: IndexMap<String, usize>,
    /// The names that several tests share, with the paths of these tests. The executed test is then
    /// unknown.
    pub ambiguous: IndexMap<String, Vec<String>>,
}

/// Finds the test of each entry by its name. The path or the fingerprint in the log selects among
/// tests of the same name.
#[must_use]
pub fn assign(
    entries: Vec<Entry>,
    cases: &[Case],
    fingerprint: &dyn Fn(&Case) -> String,
) -> Assigned {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        by_name.entry(case.test.name.as_str()).or_default().push(index);
    }
    let mut out = Assigned { of_tests: vec![None; cases.len()], ..Assigned::default() };
    for entry in entries {
        let named = by_name.get(entry.name.as_str()).map_or(&[][..], Vec::as_slice);
        match chosen(&entry, named, cases, fingerprint)[..] {
            [] => *out.unknown.entry(entry.name).or_insert(0) += 1,
            [index] => out.of_tests[index].get_or_insert_default().add(entry),
            ref several => {
                let paths = several.iter().map(|&index| cases[index].path.clone());
                out.ambiguous.entry(entry.name).or_insert_with(|| paths.collect());
            }
        }
    }
    out
}

/// The candidate tests of an entry among the tests of its name.
fn chosen(
    entry: &Entry,
    named: &[usize],
    cases: &[Case],
    fingerprint: &dyn Fn(&Case) -> String,
) -> Vec<usize> {
    if named.len() < 2 {
        return named.to_vec();
    }
    let only = |fits: &dyn Fn(&Case) -> bool| {
        let fitting: Vec<usize> = named.iter().copied().filter(|&i| fits(&cases[i])).collect();
        (fitting.len() == 1).then_some(fitting)
    };
    let by_path = entry.path.as_deref().and_then(|path| only(&|case| same_file(path, &case.path)));
    let by_hash = || entry.hash.as_deref().and_then(|hash| only(&|case| fingerprint(case) == hash));
    by_path.or_else(by_hash).unwrap_or_else(|| named.to_vec())
}

/// Whether two paths may lead to one file from different folders, that is, whether one path is a
/// suffix of the other.
fn same_file(a: &str, b: &str) -> bool {
    let plain = |path: &str| path.strip_prefix("./").unwrap_or(path).to_owned();
    let (a, b) = (plain(a), plain(b));
    Path::new(&a).ends_with(&b) || Path::new(&b).ends_with(&a)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_from_different_folders_may_be_one_file() {
        assert!(same_file("litmus/mp/MP.litmus", "./mp/MP.litmus"));
        assert!(same_file("MP.litmus", "/any/where/MP.litmus"));
        assert!(!same_file("a/MP.litmus", "b/MP.litmus"));
        assert!(!same_file("XMP.litmus", "MP.litmus"));
    }
}
