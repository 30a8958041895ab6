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
    /// The generations that do not depend on the further steps of threads. Operations at other barriers have
    /// none: thread counts leave open who meets there, so that a later operation of a cut thread
    /// may take part in a generation that others wait for.
    #[must_use]
    pub fn known_by_ordinal(&self) -> Generations {
        let mut known = TiVec::from(vec![None; self.graph.barriers.len()]);
        for &index in &self.executed {
            if self.graph.meets_by_ordinal(&self.op(index).key) {
                known[index] = Some(Generation { index: self.ordinal(index), late: false });
            }
        }
        known
    }

    /// Whether no thread can join the generation of an operation any more. Every thread that the
    /// barrier concerns has an operation in the generation, or `has_ended`.
    #[must_use]
    pub fn is_settled(
        &self,
        index: BarrierId,
        known: &Generations,
        has_ended: impl Fn(AgentId) -> bool,
    ) -> bool {
        let has_joined = |agent| {
            let mut own = self.executed.iter().filter(|&&b| self.agent(b) == agent);
            own.any(|&b| self.op(b).key == self.op(index).key && known[b] == known[index])
        };
        known[index].is_some()
            && self.group(index).into_iter().all(|agent| has_joined(agent) || has_ended(agent))
    }
}
