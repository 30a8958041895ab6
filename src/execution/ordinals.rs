//! Phases by ordinal, in executions that the bound may cut.

use super::barriers::{Barriers, Generation, Generations};
use crate::id::{AgentId, BarrierId};
use typed_index_collections::TiVec;

impl Barriers<'_> {
    /// The generations that do not depend on the further steps of threads. Operations at other barriers have
    /// none: thread counts leave open who meets there, so that a later operation of a cut thread
    /// may take part in a generation that others wait for.
    #[must_use]
    pub fn known_by_ordinal(&self) -> Generations {
        let mut known = TiVec::from(vec![None; self.graph.barriers.len()]);
        for &index in &self.executed {
            if self.graph.meets_by_ordinal(&self.op(index).key) {
                known[index] = Some(Generation::in_time(self.phases.ordinal(index)));
            }
        }
        known
    }

    /// The generations by ordinal at all barriers, of which none has thread counts.
    #[must_use]
    pub fn by_ordinal(&self) -> Generations {
        let generation = |b| Generation::in_time(self.phases.ordinal(b));
        self.happens.keys().map(|b| self.happens[b].then(|| generation(b))).collect()
    }

    /// Whether no thread can join the generation of an operation any more, where ordinals decide.
    /// Every thread that the barrier concerns has an operation in the generation, or is not `cut`.
    #[must_use]
    pub fn is_settled(&self, index: BarrierId, is_cut: impl Fn(AgentId) -> bool) -> bool {
        self.graph.meets_by_ordinal(&self.op(index).key)
            && self.phases.is_settled(&mut self.reading(is_cut), index, self.group(index))
    }
}
