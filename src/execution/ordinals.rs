//! Phases by ordinal. Operations of equal ordinal meet at barriers without thread counts, and at
//! barriers with a count of all warps that ever use the barrier.
//!
//! A thread takes part in the generations of such a barrier one after another, and in none twice.
//! The generation of an operation is therefore its ordinal, independent of the other threads and
//! their arrivals (PTX-9.7.13.1). In executions that the bound cuts, no more is known.

use super::barriers::{Barriers, Generation, Generations};
use crate::id::{AgentId, BarrierId};
use typed_index_collections::TiVec;

impl Barriers<'_> {
    /// The generations that do not depend on how threads go on. Operations at other barriers have
    /// none: thread counts leave open who meets there, so that a later operation of a cut thread
    /// may take part in a generation that others wait for.
    #[must_use]
    pub fn turns(&self) -> Generations {
        let mut turns = TiVec::from(vec![None; self.graph.barriers.len()]);
        for &index in &self.executed {
            if self.graph.meets_by_turn(&self.op(index).key) {
                turns[index] = Some(Generation { index: self.occurrence(index), late: false });
            }
        }
        turns
    }

    /// Whether no thread can join the generation of an operation any more. Every thread that the
    /// barrier concerns has an operation in the generation, or `has_ended`.
    #[must_use]
    pub fn is_settled(
        &self,
        index: BarrierId,
        turns: &Generations,
        has_ended: impl Fn(AgentId) -> bool,
    ) -> bool {
        let comes = |agent| {
            let mut own = self.executed.iter().filter(|&&b| self.agent(b) == agent);
            own.any(|&b| self.op(b).key == self.op(index).key && turns[b] == turns[index])
        };
        turns[index].is_some()
            && self.group(index).into_iter().all(|agent| comes(agent) || has_ended(agent))
    }
}
