//! What barriers do however far threads go: without thread counts, and with one that takes all warps
//! that ever come there, the operations of one turn meet.
//!
//! A thread takes part in the generations of such a barrier one after another, and in none twice. So
//! the generation of an operation is its turn, whatever the others do and whether they come at all
//! (PTX-9.7.13.1); of executions that are cut by the bound this is all that is known.

use super::phase::{Barriers, Generation, Generations};
use crate::id::{AgentId, BarrierId};
use typed_index_collections::TiVec;

impl Barriers<'_> {
    /// The generations that do not depend on how threads go on: none for operations at barriers where
    /// thread counts leave open who meets, so that what a thread would do next may take part in what
    /// others wait for now.
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

    /// Whether nobody can join the generation of an operation any more: every thread that the barrier
    /// concerns has come to it, or `has_ended` without.
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
