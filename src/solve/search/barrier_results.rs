//! Results of barriers: computed if the participants are known; otherwise tried, and checked once
//! they are.

use super::state::{Flow, Search, Stop, Visit};
use crate::execution::build::{Execution, barrier_result};
use crate::id::BarrierId;
use crate::rule::Unsupported;
use crate::solve::symbols::returned;

impl Search<'_, '_> {
    /// The barrier operations that happen and have a result.
    fn reducing(&self) -> impl Iterator<Item = BarrierId> + '_ {
        let barriers = self.space.graph.barriers.iter_enumerated();
        let here = barriers.filter(|(_, op)| op.returns() && self.executed.contains(op.event));
        here.map(|(index, _)| index)
    }

    /// Computes the results of barriers whose members and predicates are known.
    pub(super) fn compute_results(&mut self) {
        for (index, op) in self.space.graph.barriers.iter_enumerated() {
            // The members of an exchange follow from ordinals.
            let met = op.exchange.is_some() || (self.met && op.reduction.is_some());
            if !met || self.returned[index].is_some() {
                continue;
            }
            let result = barrier_result(self.space.graph, &self.generations, &self.values, index);
            if result.is_some() {
                self.returned[index] = result;
                self.returned_trail.push(index);
                self.stale = true;
            }
        }
    }

    /// A barrier operation that happens without a known result, while generations are open.
    pub(super) fn open_result(&self) -> Option<BarrierId> {
        let is_open = |index: BarrierId| {
            self.space.graph.barriers[index].exchange.is_none() && self.returned[index].is_none()
        };
        self.reducing().find(|&index| !self.met && is_open(index))
    }

    /// Tries all results that a barrier may have.
    pub(super) fn branch_on_result(&mut self, index: BarrierId, visit: &mut Visit<'_>) -> Flow {
        for value in returned(self.space.graph, index) {
            let mark = self.mark();
            self.returned[index] = Some(value);
            self.returned_trail.push(index);
            self.stale = true;
            let result = self.choose(visit);
            self.undo(mark);
            result?;
        }
        Ok(())
    }

    /// Whether barriers have the tried results, now that generations are chosen. The votes must not
    /// depend on the result.
    pub(super) fn results_hold(&mut self) -> Result<bool, Stop> {
        for index in self.reducing() {
            let graph = self.space.graph;
            match barrier_result(graph, &self.generations, &self.values, index) {
                None => return Err(Stop::Unsupported(Unsupported::Uncomputed)),
                result if result != self.returned[index] => return Ok(false),
                Some(_) => {}
            }
        }
        if self.reducing().next().is_none()
            || Execution::assemble(self.space.graph, self.choices()).is_ok()
        {
            return Ok(true);
        }
        let axiom = self.thin_air().ok_or(Stop::Unsupported(Unsupported::SelfJustified))?;
        self.blamed[axiom] = true;
        Ok(false)
    }
}
