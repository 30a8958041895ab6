//! How both models stand to the executions of a cell, from how their axioms stand.

use super::cell::Frame;
use super::evaluation::Stand;
use super::pair::{Demand, Stage};

/// Whether a model allows an outcome in some program of a cell, and in all programs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Allows {
    pub(super) may: bool,
    pub(super) must: bool,
}

impl Frame<'_> {
    /// How each demand stands that depends on no order; open for the others.
    pub(super) fn stand_early(&self) -> Vec<Stand> {
        let stand = |demand| if is_early(demand) { self.stand(demand) } else { Stand::Open };
        self.pair.demands.iter().map(stand).collect()
    }

    /// The status of the execution in each model by some demands, and whether both have the same by those
    /// that are not common.
    pub(super) fn stands_by(&self, early: &[Stand], counts: impl Fn(&Demand) -> bool) -> Stood {
        let mut stands = [Stand::Kept; 2];
        let mut same = true;
        for (demand, early) in self.pair.demands.iter().zip(early).filter(|(d, _)| counts(d)) {
            let stand = if is_early(demand) { *early } else { self.stand(demand) };
            same &= demand.is_common() || stand == Stand::Kept || self.is_alike(demand);
            for (known, _) in stands.iter_mut().zip(demand.of).filter(|(_, is_of)| *is_of) {
                *known = known.and(stand);
            }
        }
        Stood { stands, same }
    }

    /// Whether the models certainly agree on an execution of which both models' orders are evaluated.
    pub(super) fn agree(&self, early: &[Stand]) -> ([Stand; 2], bool) {
        let Stood { stands, same } = self.stands_by(early, |_| true);
        let decided = stands[0] == stands[1] && stands[0] != Stand::Open;
        (stands, same || decided)
    }
}

/// How both models stand to an execution.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stood {
    pub(super) stands: [Stand; 2],
    /// Whether the models agree.
    pub(super) same: bool,
}

/// Whether a demand depends neither on coherence nor on the order of `fence.sc`.
pub(super) fn is_early(demand: &Demand) -> bool {
    demand.stage < Stage::FenceOrder
}
