//! A graph into one of the same program in which other events happen.

use super::base_cache::BaseCache;
use super::exchange::define;
use super::graph::{Cut, EventGraph};
use super::termination_order::awaited_if;
use crate::id::{EventId, ExprId};
use crate::program::expr::ExprArena;

impl EventGraph {
    /// The same program with other guards of its events and of its cuts.
    #[must_use]
    pub fn guarded(
        &self,
        mut of_event: impl FnMut(&mut ExprArena, EventId) -> ExprId,
        mut of_cut: impl FnMut(&mut ExprArena, &Cut) -> ExprId,
    ) -> Self {
        let mut new = Self { known: BaseCache::default(), ..self.clone() };
        for id in self.ids() {
            new.events[id.index()].guard = of_event(&mut new.exprs, id);
        }
        for (cut, new_cut) in self.cuts.iter().zip(&mut new.cuts) {
            new_cut.guard = of_cut(&mut new.exprs, cut);
        }
        define(&mut new);
        new.awaited = awaited_if(&mut new);
        new
    }
}
