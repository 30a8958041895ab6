//! Writes that a read cannot take, even though it is open whether both happen.
//!
//! While it is open whether events happen, lower bounds leave out everything that depends on them.
//! But a read takes a write's value only if both happen, and then other events with the same guards
//! happen too: under that assumption the axioms rule out single edges before any choice. In a
//! pipeline all events after a wait have such a guard.

use super::compile::Level;
use super::reads::SMALL;
use super::state::{Flow, Search};
use crate::bitrel::EventSet;
use crate::collections::IndexMap;
use crate::id::{EventId, ExprId};
use smallvec::SmallVec;

/// The most literals of a guard.
const MOST_LITERALS: usize = 32;
/// The most pairs of guards that are tried.
const MOST_PAIRS: usize = 256;

type Literals = SmallVec<[ExprId; 4]>;

impl Search<'_, '_> {
    /// Closes, for the whole search, pairs of a write and a read with open guards that the axioms
    /// rule out.
    pub(super) fn close_guarded(&mut self) -> Flow {
        if self.space.reads.len() <= SMALL || !self.space.has_mbarriers || !self.evaluate() {
            return Ok(());
        }
        let sure = self.executed.clone();
        for (guards, pairs) in self.guarded_pairs().into_iter().take(MOST_PAIRS) {
            self.step()?;
            self.executed = self.executed_with(&sure, guards);
            let orders = self.save_orders();
            self.refresh(Level::Static);
            let consistent = self.produce();
            if consistent {
                self.exclude_from_axioms();
            }
            let slot = self.rules.rf.and_then(|slot| self.excluded.of(slot));
            let out = |&&(write, read): &&(EventId, EventId)| {
                !consistent || slot.is_some_and(|out| out.contains(write, read))
            };
            let found: Vec<(EventId, EventId)> = pairs.iter().filter(out).copied().collect();
            self.restore_orders(orders);
            self.looked_ahead |= !found.is_empty();
            for (write, read) in found {
                self.close(write, read);
            }
        }
        self.executed = sure;
        Ok(())
    }

    /// The pairs of a read and a candidate write, not both sure to happen, by their guards.
    fn guarded_pairs(&self) -> IndexMap<[ExprId; 2], Vec<(EventId, EventId)>> {
        let graph = self.space.graph;
        let mut out: IndexMap<[ExprId; 2], Vec<(EventId, EventId)>> = IndexMap::default();
        for &access in &self.space.reads {
            for &read in self.pieces(access) {
                for write in self.viable(read) {
                    if self.executed.contains(read) && self.executed.contains(write) {
                        continue;
                    }
                    let guards = [write, read].map(|id| graph.event(id).guard);
                    out.entry(guards).or_default().push((write, read));
                }
            }
        }
        out
    }

    /// The events that surely happen if two guards hold.
    fn executed_with(&self, sure: &EventSet, guards: [ExprId; 2]) -> EventSet {
        let graph = self.space.graph;
        let literals = |x: ExprId| graph.exprs.literals(x, MOST_LITERALS);
        let given: Literals =
            guards.iter().filter_map(|&guard| literals(guard)).flatten().collect();
        let mut out = sure.clone();
        for id in graph.ids() {
            let guard = graph.event(id).guard;
            let holds = |x: &ExprId| given.contains(x) || self.values.truth(*x) == Some(true);
            if guards.contains(&guard) || literals(guard).is_some_and(|all| all.iter().all(holds)) {
                out.insert(id);
            }
        }
        out
    }
}
