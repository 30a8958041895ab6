//! Barriers before generations are chosen. If ordinals decide, operations of equal ordinal meet,
//! and the result of a `bar.red` follows once every thread has arrived or ended.

use super::state::Search;
use crate::bitrel::Rel;
use crate::event::graph::EventGraph;
use crate::execution::barriers::{Generation, Generations};
use crate::execution::build::barrier_result;
use crate::id::{AgentId, BarrierId};
use crate::waiting::phase::Phases;
use crate::waiting::reading::{Bounds, Partial};
use typed_index_collections::TiVec;

/// The barrier operations of a program whose ordinals decide the phase.
#[derive(Clone, Debug, Default)]
pub(super) struct OrdinalPhases {
    operations: Vec<BarrierId>,
    /// Pairs of operations of which the second waits for the first if their ordinals are equal.
    /// Includes the kind of their barrier.
    pairs: Vec<(BarrierId, BarrierId, usize)>,
    /// The operations with a reduction.
    reducing: Vec<BarrierId>,
}

impl OrdinalPhases {
    pub(super) fn new(graph: &EventGraph) -> Self {
        let by_ordinal = |&b: &BarrierId| graph.meets_by_ordinal(&graph.barriers[b].key);
        let operations: Vec<BarrierId> = graph.barriers.keys().filter(by_ordinal).collect();
        let kind = |b: BarrierId| {
            graph.barriers[b].key.relation().kind_of_barrier().expect("it is of a barrier")
        };
        let waiting = |x| graph.waits_for_arrival(x).map(move |y| (x, y, kind(x)));
        let pairs = operations.iter().copied().flat_map(waiting).collect();
        let reduces = |&b: &BarrierId| graph.barriers[b].reduction.is_some();
        let reducing = operations.iter().copied().filter(reduces).collect();
        Self { operations, pairs, reducing }
    }
}

impl Search<'_, '_> {
    /// Relates operations with known ordinals, and computes their results; false if an assumed
    /// result differs.
    pub(super) fn meet_by_ordinal(&mut self) -> bool {
        if self.met || self.space.turns.operations.is_empty() {
            return true;
        }
        let graph = self.space.graph;
        let phases = Phases::read(&mut self.reading(), graph.numbering());
        let turns = self.known_ordinals(&phases);
        self.order_by_turn(&turns);
        for &index in &self.space.turns.reducing {
            let members = graph.members(&graph.barriers[index].key);
            if phases.is_settled(&mut self.reading(), index, members) != Some(true) {
                continue;
            }
            let Some(result) = barrier_result(graph, &turns, &self.values, index) else { continue };
            match self.returned[index] {
                Some(taken) if taken != result => return false,
                Some(_) => {}
                None => {
                    self.returned[index] = Some(result);
                    self.returned_trail.push(index);
                    self.stale = true;
                }
            }
        }
        true
    }

    /// What is decided of the execution so far.
    fn reading(
        &self,
    ) -> Partial<impl Fn(BarrierId) -> Option<bool>, impl Fn(AgentId) -> Option<bool>> {
        let graph = self.space.graph;
        let happens = |b: BarrierId| {
            let event = graph.barriers[b].event;
            match self.executed.contains(event) {
                true => Some(true),
                false => (!self.possible.contains(event)).then_some(false),
            }
        };
        let never_ends = |agent: AgentId| {
            let mut cuts = graph.cuts.iter().filter(|cut| cut.agent == agent);
            let ends = cuts.all(|cut| self.values.truth(cut.guard) == Some(false));
            ends.then_some(false)
        };
        Partial { happens, never_ends }
    }

    /// The ordinals of operations that happen, if it is known which earlier ones do.
    fn known_ordinals(&self, phases: &Phases<'_, Bounds>) -> Generations {
        let graph = self.space.graph;
        let mut turns = TiVec::from(vec![None; graph.barriers.len()]);
        for &index in &self.space.turns.operations {
            if self.executed.contains(graph.barriers[index].event) {
                turns[index] = phases.ordinal(index).known().map(Generation::in_time);
            }
        }
        turns
    }

    fn order_by_turn(&mut self, turns: &Generations) {
        let graph = self.space.graph;
        self.sync.iter_mut().for_each(Rel::clear);
        for &(x, y, kind) in &self.space.turns.pairs {
            if turns[x].is_some() && turns[x] == turns[y] {
                self.sync[kind].insert(graph.barriers[x].event, graph.barriers[y].event);
            }
        }
    }
}
