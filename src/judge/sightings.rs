//! The assignment of log entries to tests, with each final state once.

use super::finals::Finals;
use super::log::{Entry, Seen, Value};
use crate::batch::Case;
use crate::litmus::FINGERPRINT;
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
    /// The fingerprints of other versions of the test in the logs, each once. The states of other versions
    /// are left out.
    pub other_versions: Vec<String>,
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

/// The tests with their fingerprints.
#[derive(Clone, Copy)]
pub struct Tests<'t> {
    /// The tests.
    pub cases: &'t [Case],
    /// The fingerprint of a test.
    pub fingerprint: &'t dyn Fn(&Case) -> String,
}

/// The test of an entry.
enum Subject {
    /// No test has the name of the entry.
    Unknown,
    /// A test.
    Test(usize),
    /// Another version of a test, which has another fingerprint.
    OtherVersion(usize),
    /// Any of several tests with the name of the entry.
    Several(Vec<usize>),
}

/// Spells the states of entries as their tests do, and leaves out states that filters exclude.
pub fn settle(entries: &mut [Entry], tests: Tests<'_>) {
    let by_name = by_name(tests.cases);
    let mut finals: BTreeMap<usize, Finals<'_>> = BTreeMap::new();
    for entry in entries {
        if let Subject::Test(index) = subject(entry, &by_name, tests) {
            let new = || Finals::new(&tests.cases[index].test);
            finals.entry(index).or_insert_with(new).settle(entry);
        }
    }
}

/// Finds the test of each entry by its name. Where the log has a fingerprint, it has to be that of the
/// test; where it has none, a path tells tests of one name apart.
#[must_use]
pub fn assign(entries: Vec<Entry>, tests: Tests<'_>) -> Assigned {
    let cases = tests.cases;
    let by_name = by_name(cases);
    let mut out = Assigned { of_tests: vec![None; cases.len()], ..Assigned::default() };
    for entry in entries {
        match subject(&entry, &by_name, tests) {
            Subject::Unknown => *out.unknown.entry(entry.name).or_insert(0) += 1,
            Subject::Test(index) => out.of_tests[index].get_or_insert_default().add(entry),
            Subject::OtherVersion(index) => {
                let known = &mut out.of_tests[index].get_or_insert_default().other_versions;
                known.extend(entry.hash.filter(|hash| !known.contains(hash)));
            }
            Subject::Several(several) => {
                let paths = several.iter().map(|&index| cases[index].path.clone());
                out.ambiguous.entry(entry.name).or_insert_with(|| paths.collect());
            }
        }
    }
    out
}

/// The tests of each name.
fn by_name(cases: &[Case]) -> BTreeMap<&str, Vec<usize>> {
    let mut out: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        out.entry(case.test.name.as_str()).or_default().push(index);
    }
    out
}

/// The test that an entry speaks of.
fn subject(entry: &Entry, by_name: &BTreeMap<&str, Vec<usize>>, tests: Tests<'_>) -> Subject {
    let Tests { cases, fingerprint } = tests;
    let Some(named) = by_name.get(entry.name.as_str()) else { return Subject::Unknown };
    // The only test, or the only test at the path of the log.
    let single = |found: &[usize]| match found {
        [one] => Some(*one),
        _ => {
            let at = |path: &str, index: usize| same_file(path, &cases[index].path);
            let path = entry.path.as_deref()?;
            let mut fitting = found.iter().copied().filter(|&index| at(path, index));
            fitting.next().filter(|_| fitting.next().is_none())
        }
    };
    // Other tools have fingerprints of their own, which tell nothing here.
    let own = entry.hash.as_ref().filter(|hash| hash.starts_with(FINGERPRINT));
    let Some(hash) = own else {
        return single(named).map_or_else(|| Subject::Several(named.clone()), Subject::Test);
    };
    let is_it = |&index: &usize| fingerprint(&cases[index]).eq_ignore_ascii_case(hash);
    let same: Vec<usize> = named.iter().copied().filter(is_it).collect();
    match (single(&same), same.is_empty()) {
        (Some(index), _) => Subject::Test(index),
        (None, false) => Subject::Several(same),
        (None, true) => {
            single(named).map_or_else(|| Subject::Several(named.clone()), Subject::OtherVersion)
        }
    }
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
