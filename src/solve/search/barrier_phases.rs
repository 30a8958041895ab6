//! Barriers before generations are chosen. If ordinals decide, operations of equal ordinal meet,
//! and the result of a `bar.red` follows once every thread has arrived or ended.

use super::state::Search;
use crate::bitrel::{EventSet, Rel};
use crate::event::graph::EventGraph;
use crate::execution::barriers::{Generation, Generations};
use crate::execution::build::barrier_result;
use crate::id::{AgentId, BarrierId};
use typed_index_collections::TiVec;

/// The barrier operations of a program whose ordinals decide the phase.
#[derive(Clone, Debug, Default)]
pub(super) struct OrdinalPhases {
    operations: Vec<OrdinalOperation>,
    /// Pairs of operations of which the second waits for the first if their ordinals are equal.
    /// Includes the kind of their barrier.
    pairs: Vec<(BarrierId, BarrierId, usize)>,
    /// The operations with a reduction.
    reducing: Vec<BarrierId>,
}

/// One barrier operation.
#[derive(Clone, Debug)]
struct OrdinalOperation {
    /// Its index in the graph.
    index: BarrierId,
    /// The earlier operations of its thread in the same numbering.
    earlier: Vec<BarrierId>,
}

impl OrdinalPhases {
    pub(super) fn new(graph: &EventGraph) -> Self {
        let by_turn: Vec<BarrierId> = graph
            .barriers
            .keys()
            .filter(|&b| graph.meets_by_ordinal(&graph.barriers[b].key))
            .collect();
        let agent = |b: BarrierId| graph.event(graph.barriers[b].event).agent;
        let numbered = |index: BarrierId| {
            let own = |&b: &BarrierId| {
                let op = &graph.barriers[b];
                b < index && agent(b) == agent(index) && op.is_numbered_with(&graph.barriers[index])
            };
            OrdinalOperation { index, earlier: by_turn.iter().copied().filter(own).collect() }
        };
        let waits_for = |&(x, y): &(BarrierId, BarrierId)| {
            let (from, to) = (&graph.barriers[x], &graph.barriers[y]);
            from.arrives && to.waits && from.key == to.key && agent(x) != agent(y)
        };
        let kind = |b: BarrierId| {
            graph.barriers[b].key.relation().kind_of_barrier().expect("it is of a barrier")
        };
        let all = by_turn.iter().flat_map(|&x| by_turn.iter().map(move |&y| (x, y)));
        let pairs = all.filter(waits_for);
        Self {
            operations: by_turn.iter().map(|&b| numbered(b)).collect(),
            pairs: pairs.map(|(x, y)| (x, y, kind(x))).collect(),
            reducing: by_turn
                .iter()
                .copied()
                .filter(|&b| graph.barriers[b].reduction.is_some())
                .collect(),
        }
    }
}

impl Search<'_, '_> {
    /// Relates operations with known ordinals, and computes their results; false if an assumed
    /// result differs.
    pub(super) fn meet_by_ordinal(&mut self) -> bool {
        if self.met || self.space.turns.operations.is_empty() {
            return true;
        }
        let turns = self.known_ordinals();
        self.order_by_turn(&turns);
        let graph = self.space.graph;
        for &index in &self.space.turns.reducing {
            if !self.is_settled(index, &turns) {
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

    /// The ordinals of operations that happen, if it is known which earlier ones do.
    fn known_ordinals(&self) -> Generations {
        let graph = self.space.graph;
        let mut turns = TiVec::from(vec![None; graph.barriers.len()]);
        let is_in = |set: &EventSet, b: BarrierId| set.contains(graph.barriers[b].event);
        for OrdinalOperation { index, earlier } in &self.space.turns.operations {
            let open = |&b: &BarrierId| is_in(&self.possible, b) && !is_in(&self.executed, b);
            if is_in(&self.executed, *index) && !earlier.iter().any(open) {
                let before = earlier.iter().filter(|&&b| is_in(&self.executed, b)).count();
                let turn = u32::try_from(before).unwrap_or(u32::MAX);
                turns[*index] = Some(Generation { index: turn, late: false });
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

    /// Whether no thread can join the phase of an operation any more.
    fn is_settled(&self, index: BarrierId, turns: &Generations) -> bool {
        let graph = self.space.graph;
        let Some(turn) = turns[index] else { return false };
        let key = &graph.barriers[index].key;
        graph.members(key).into_iter().all(|agent| {
            let own = || {
                let all = graph.barriers.iter_enumerated();
                all.filter(|(_, op)| op.key == *key && graph.event(op.event).agent == agent)
            };
            let comes = own().any(|(b, _)| turns[b] == Some(turn));
            let most = own().filter(|(_, op)| self.possible.contains(op.event)).count();
            comes || (most as u64 <= u64::from(turn.index) && self.surely_ends(agent))
        })
    }

    /// Whether a thread is not cut.
    fn surely_ends(&self, agent: AgentId) -> bool {
        let mut cuts = self.space.graph.cuts.iter().filter(|cut| cut.agent == agent);
        cuts.all(|cut| self.values.truth(cut.guard) == Some(false))
    }
}
