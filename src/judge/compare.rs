//! The comparison of two sets of logs.

use super::log::{Entry, Value};
use super::sightings::{Sightings, sorted};
use indexmap::IndexMap;
use std::collections::{BTreeMap, BTreeSet};

/// How one test differs between two sets of logs.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The test's name.
    pub name: String,
    /// The kind of difference.
    pub kind: ChangeKind,
}

/// A final state, and the number of its occurrences.
pub type State = (Vec<(String, Value)>, Option<u64>);

/// A difference between logs.
#[derive(Clone, Debug, PartialEq)]
pub enum ChangeKind {
    /// Only the later logs have the test.
    New,
    /// A test that only the earlier logs contain.
    Gone,
    /// A test of both sets of logs with different states.
    States {
        /// The states that only the later logs contain, with their counts.
        new: Vec<State>,
        /// States that only the earlier logs have.
        gone: Vec<State>,
    },
}

/// The differences between `now` and `before` in order of names, and the number of tests with the
/// same states in both.
#[must_use]
pub fn compare(now: &[Entry], before: &[Entry]) -> (Vec<Change>, usize) {
    let (now, before) = (by_name(now), by_name(before));
    let names: BTreeSet<&String> = now.keys().chain(before.keys()).collect();
    let mut same = 0;
    let mut changes = Vec::new();
    for name in names {
        let kind = match (now.get(name), before.get(name)) {
            (Some(_), None) => ChangeKind::New,
            (None, _) => ChangeKind::Gone,
            (Some(now), Some(before)) => {
                let (new, gone) = (lacking(now, before), lacking(before, now));
                if new.is_empty() && gone.is_empty() {
                    same += 1;
                    continue;
                }
                ChangeKind::States { new, gone }
            }
        };
        changes.push(Change { name: name.clone(), kind });
    }
    (changes, same)
}

/// The states of `of` that `other` does not have.
fn lacking(of: &Sightings, other: &Sightings) -> Vec<State> {
    let known: BTreeSet<_> = other.states.iter().map(|state| sorted(&state.values)).collect();
    let new = of.states.iter().filter(|state| !known.contains(&sorted(&state.values)));
    new.map(|state| (state.values.clone(), state.count)).collect()
}

/// The merged entries of each test. Tests of the same name are distinguished by their paths.
fn by_name(entries: &[Entry]) -> IndexMap<String, Sightings> {
    let mut out: IndexMap<String, Sightings> = IndexMap::new();
    let mut paths: BTreeMap<&str, &Option<String>> = BTreeMap::new();
    let mut shared: BTreeSet<&str> = BTreeSet::new();
    for entry in entries {
        if *paths.entry(&entry.name).or_insert(&entry.path) != &entry.path {
            shared.insert(&entry.name);
        }
    }
    for entry in entries {
        let name = match &entry.path {
            Some(path) if shared.contains(entry.name.as_str()) => path.clone(),
            _ => entry.name.clone(),
        };
        out.entry(name).or_default().add(entry.clone());
    }
    out
}
