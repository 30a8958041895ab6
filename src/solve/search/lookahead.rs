//! Look-ahead: edges that alone would break an axiom, while choices are open.

use super::rules::Demand;
use super::state::Search;
use crate::bitrel::Rel;
use crate::execution::build::close_coherence;
use crate::relation::expr::AxiomKind;
use crate::vocabulary::BaseRel;

impl Search<'_, '_> {
    /// Propagates the prohibitions of axioms down to the chosen relations.
    pub(super) fn exclude_from_axioms(&mut self) {
        let n = self.space.graph.events.len();
        self.excluded.clear(&self.rules.code, n);
        for (index, demand) in self.rules.demands.iter().enumerate() {
            if !self.active[index] {
                continue;
            }
            let (slot, out) = match *demand {
                Demand::Nothing
                | Demand::Choice { .. }
                | Demand::Presence { .. }
                | Demand::Prohibition { set: true, .. } => {
                    continue;
                }
                Demand::Prohibition { kind: AxiomKind::Empty, slot, .. } => (slot, Rel::full(n)),
                Demand::Prohibition { kind: AxiomKind::Irreflexive, slot, .. } => {
                    (slot, Rel::identity(n))
                }
                Demand::Prohibition { kind: AxiomKind::Acyclic, slot, .. } => {
                    let mut closed = self.slots.rel(slot).clone();
                    closed.transitive_closure_in_place();
                    (slot, back_or_same(&closed))
                }
                Demand::Production { order: BaseRel::Co, slot } => (slot, back_or_same(&self.co)),
                Demand::Production { slot, .. } => (slot, self.impossible_fence_edges()),
            };
            self.excluded.exclude(slot, &out);
        }
        self.excluded.push_down(&self.rules.code, &self.slots);
    }

    /// The edges that Fence-SC order cannot hold: pairs other than fences with mutual scope, and
    /// reversed edges of the order.
    fn impossible_fence_edges(&self) -> Rel {
        let mut closed = self.sc.clone();
        closed.transitive_closure_in_place();
        let mut out = back_or_same(&closed);
        let mut stray = Rel::full(out.len());
        stray.subtract(&self.space.fence_pairs);
        out.union_with(&stray);
        out
    }

    /// Orients pairs one of whose directions would break an axiom, by `exclude_from_axioms`. Gives
    /// whether there were any, or `None` if both directions would.
    pub(super) fn force(&mut self) -> Option<bool> {
        let (coherence, fences) = (self.open_coherence(), self.open_fences());
        let mut any = false;
        for (order, open) in [(BaseRel::Co, coherence), (BaseRel::FenceSc, fences)] {
            if open.is_empty() {
                continue;
            }
            let slot = if order == BaseRel::Co { self.rules.co } else { self.rules.sc };
            let Some(out) = slot.and_then(|s| self.excluded.of(s)) else { continue };
            // One direction is excluded, so the other one is forced.
            let mut forced = out.inverse();
            forced.intersect_with(&open);
            if forced.is_empty() {
                continue;
            }
            self.looked_ahead = true;
            any = true;
            for (a, b) in forced.iter_pairs() {
                if order == BaseRel::Co {
                    self.co.insert(a, b);
                } else {
                    self.sc.insert(a, b);
                }
            }
        }
        if any {
            close_coherence(self.space.graph, &mut self.co);
            if !self.co.is_irreflexive() || !self.close_fences() {
                return None;
            }
        }
        Some(any)
    }

    /// Pairs of writes, both ways, that still have to be oriented.
    pub(super) fn open_coherence(&self) -> Rel {
        self.open(BaseRel::Co, |open| {
            if self.rules.total_co {
                open.union_with(&self.space.write_pairs);
                open.restrict_domain(&self.executed);
                open.restrict_range(&self.executed);
            }
        })
    }

    /// Pairs of fences, both ways, that Fence-SC order still has to orient.
    pub(super) fn open_fences(&self) -> Rel {
        self.open(BaseRel::FenceSc, |open| {
            open.union_with(&self.space.fence_pairs);
            open.restrict_domain(&self.executed);
            open.restrict_range(&self.executed);
        })
    }

    fn open(&self, order: BaseRel, add: impl Fn(&mut Rel)) -> Rel {
        let n = self.space.graph.events.len();
        let mut open = Rel::empty(n);
        add(&mut open);
        for (index, demand) in self.rules.demands.iter().enumerate() {
            match *demand {
                Demand::Choice { order: asked, slot } if asked == order && self.active[index] => {
                    open.union_with(self.slots.rel(slot));
                }
                _ => {}
            }
        }
        if open.is_empty() {
            return open;
        }
        let chosen = if order == BaseRel::Co { &self.co } else { &self.sc };
        let back = open.inverse();
        open.union_with(&back);
        open.subtract(chosen);
        open.subtract(&chosen.inverse());
        open.subtract(&Rel::identity(n));
        open
    }
}

/// The pairs that would close a cycle with an order.
fn back_or_same(order: &Rel) -> Rel {
    let mut out = order.inverse();
    out.union_with(&Rel::identity(order.len()));
    out
}
