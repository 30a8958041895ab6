//! A hang in which CTAs are never started into what becomes of it if all of them run at once.

use super::property::{Asking, Failure, Probe, Property};
use crate::check::Stop;
use crate::litmus::ast::{COOPERATIVE, Metadata, Test};
use crate::source::Spanned;

/// What a launch does that runs all CTAs of a grid at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Residency {
    /// With it, every execution ends.
    Cures,
    /// With it, the program may hang all the same.
    IsNotEnough,
}

/// Whether a hang goes away if all CTAs run at once; `None` if all are started in it, or if nobody can tell.
pub(super) fn residency(
    tests: &[Test],
    failure: &Failure,
    property: &Property,
    asking: Asking<'_>,
) -> Option<Residency> {
    if failure.stops.iter().all(|status| status.stop != Stop::NotStarted) {
        return None;
    }
    let tests: Vec<Test> = tests.iter().map(cooperative).collect();
    match property.confirm(&tests, asking) {
        Probe::Holds => Some(Residency::Cures),
        Probe::Fails(_) => Some(Residency::IsNotEnough),
        Probe::Unknown(_) => None,
    }
}

/// The test with grids that are launched cooperatively.
fn cooperative(test: &Test) -> Test {
    let mut test = test.clone();
    let [key, value] = ["Launch", COOPERATIVE].map(|word| Spanned::new(word.to_owned(), test.span));
    // The last line of a key counts.
    test.metadata.push(Metadata { key, value });
    test
}
