//! How both models stand to the executions of a cell, from how their axioms stand.

use super::cell::{Frame, Stand};
use super::pair::{Demand, Stage};

/// What is known of the executions of a cell with given last writes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Outcomes {
    /// What each model allows.
    pub(super) models: [Allows; 2],
    /// Whether the models may disagree on one of these executions.
    pub(super) contested: bool,
}

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

    /// The status of the execution in each model, and whether the models certainly agree on it.
    pub(super) fn stands(&self, early: &[Stand]) -> ([Stand; 2], bool) {
        let mut stands = [Stand::Kept; 2];
        let mut same = true;
        let mut common_fails = false;
        for (demand, early) in self.pair.demands.iter().zip(early) {
            let stand = if is_early(demand) { *early } else { self.stand(demand) };
            same &= demand.is_common() || stand == Stand::Kept || self.is_alike(demand);
            common_fails |= demand.is_common() && stand == Stand::Broken;
            for (model, known) in stands.iter_mut().enumerate() {
                match (demand.of[model], stand) {
                    (true, Stand::Broken) => *known = Stand::Broken,
                    (true, Stand::Open) if *known == Stand::Kept => *known = Stand::Open,
                    _ => {}
                }
            }
        }
        let decided = stands[0] == stands[1] && stands[0] != Stand::Open;
        (stands, common_fails || same || decided)
    }
}

/// Whether a demand depends neither on coherence nor on the order of `fence.sc`.
pub(super) fn is_early(demand: &Demand) -> bool {
    demand.stage < Stage::FenceOrder
}
