//! The variations at the border between allowed and forbidden.

use super::family::{Family, Neighbours};

/// The verdict of the model on a variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Its outcome is allowed.
    Allowed,
    /// The outcome of the variation is forbidden.
    Forbidden,
    /// Neither is known.
    Other,
}

/// The most variations of one placement and width whose verdicts are kept.
pub const MOST: u64 = 1 << 24;

/// Whether a variation of a class is at the border. It is forbidden, and allowed after any single
/// weakening; or allowed, and forbidden after any single strengthening. `sides` contains the
/// verdicts of the class by number.
#[must_use]
pub fn is_frontier(family: &Family, number: u64, sides: &[Side]) -> bool {
    let side = |number: u64| {
        usize::try_from(number).ok().and_then(|at| sides.get(at)).copied().unwrap_or(Side::Other)
    };
    let all = |which, wanted| {
        family.neighbours(number, which).into_iter().all(|other| side(other) == wanted)
    };
    match side(number) {
        Side::Forbidden => all(Neighbours::Weaker, Side::Allowed),
        Side::Allowed => all(Neighbours::Stronger, Side::Forbidden),
        Side::Other => false,
    }
}
