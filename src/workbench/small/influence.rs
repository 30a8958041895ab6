//! Whether some events of the programs of a cell have any part in what the axioms say of the others.
//!
//! For every expression there is a bound on the pairs of other events that it has with these events
//! and does not have without them, or the reverse. A pair that is there by way of the events counts
//! only where it is not surely there without them, as program order is.

use super::cell::Frame;
use super::rows::{NONE, Rows, bits, close};
use crate::id::NodeId;
use crate::relation::expr::{AxiomKind, Node};
use crate::relation::plan::{Step, dependencies};
use crate::vocabulary::Sort;

impl<'p> Frame<'p> {
    /// What some events make a difference to, in executions between the bounds that are evaluated; `None`
    /// where that is not known. Base relations relate other events the same without these.
    pub(super) fn influence(&self, gone: u32) -> Option<Influence<'_, 'p>> {
        let mut influence = Influence::new(self, gone);
        for timed in self.pair.steps.iter().flat_map(|steps| &steps.list) {
            match timed.step {
                Step::Node(id) => influence.node(id),
                Step::Fixpoint { .. } => return None,
            }
        }
        Some(influence)
    }

    /// Whether some axiom may stand otherwise without some events.
    pub(super) fn depends_on(&self, gone: u32) -> bool {
        let Some(influence) = self.influence(gone) else { return true };
        let mut demands = self.pair.demands.iter();
        demands.any(|demand| influence.turned(demand.kind, demand.node) != NONE)
    }

    /// Where an axiom may be violated: pairs of an empty relation, or events on a cycle, each as a pair
    /// with itself.
    pub(super) fn violations(&self, kind: AxiomKind, id: NodeId) -> Rows {
        let up = self.bounds[1][id.index()];
        match kind {
            AxiomKind::Empty => up,
            AxiomKind::Irreflexive => diagonal(&up),
            AxiomKind::Acyclic => {
                let mut closed = up;
                close(&mut closed, self.len());
                diagonal(&closed)
            }
        }
    }
}

fn diagonal(rows: &Rows) -> Rows {
    std::array::from_fn(|i| rows[i] & (1 << i))
}

/// The difference that some events make.
pub(super) struct Influence<'f, 'p> {
    frame: &'f Frame<'p>,
    gone: u32,
    /// The events that are left.
    others: u32,
    /// Of each node, the pairs of other events that depend on the events.
    change: Vec<Rows>,
}

/// The bounds of an operand: what it surely has with and without the events, what it may have with them,
/// and what depends on them.
#[derive(Clone, Copy)]
struct Operand<'a> {
    low: &'a Rows,
    up: &'a Rows,
    change: &'a Rows,
}

impl Operand<'_> {
    /// What the operand surely has, with and without the events.
    fn sure(&self, i: usize) -> u32 {
        self.low[i] & !self.change[i]
    }

    /// What it may have, with or without them.
    fn may(&self, i: usize) -> u32 {
        self.up[i] | self.change[i]
    }
}

impl<'f, 'p> Influence<'f, 'p> {
    fn new(frame: &'f Frame<'p>, gone: u32) -> Self {
        let others = !gone & ((1 << frame.len()) - 1);
        Self { frame, gone, others, change: vec![NONE; frame.pair.arena.len()] }
    }

    fn operand(&self, id: NodeId) -> Operand<'_> {
        let [low, up] = [0, 1].map(|bound| &self.frame.bounds[bound][id.index()]);
        Operand { low, up, change: &self.change[id.index()] }
    }

    fn node(&mut self, id: NodeId) {
        let arena = &self.frame.pair.arena;
        let is_changed = |id: &NodeId| self.change[id.index()] != NONE;
        let operands = dependencies(arena, id);
        let passes = matches!(
            arena.node(id),
            Node::Comp(..) | Node::Plus(_) | Node::Domain(_) | Node::Range(_)
        );
        if passes || operands.iter().any(is_changed) {
            let change = self.changed(arena.node(id), arena.sort(id) == Sort::Set);
            self.change[id.index()] = change;
        }
    }

    fn changed(&self, node: Node, is_set: bool) -> Rows {
        let n = self.frame.len();
        let used = if is_set { 1 } else { n };
        let mut out = NONE;
        match node {
            Node::Union(a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                (0..used).for_each(|i| {
                    out[i] = (a.change[i] | b.change[i]) & !a.sure(i) & !b.sure(i);
                });
            }
            Node::Inter(a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                (0..used).for_each(|i| {
                    out[i] = (a.change[i] & b.may(i)) | (b.change[i] & a.may(i));
                });
            }
            Node::Diff(a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                (0..used).for_each(|i| {
                    out[i] = (a.change[i] | (b.change[i] & a.may(i))) & !b.sure(i);
                });
            }
            Node::Comp(a, b) => out = self.composed(a, b),
            Node::Plus(a) => out = self.closed(a),
            Node::Inverse(a) => {
                let change = self.operand(a).change;
                (0..n).for_each(|i| bits(change[i]).for_each(|j| out[j] |= 1 << i));
            }
            Node::ToId(a) => bits(self.operand(a).change[0]).for_each(|i| out[i] = 1 << i),
            Node::Cross(a, b) => {
                let (a, b) = (self.operand(a), self.operand(b));
                bits(a.may(0) & self.others).for_each(|i| out[i] = b.change[0]);
                bits(a.change[0]).for_each(|i| out[i] |= b.may(0) & self.others);
            }
            Node::Domain(a) => {
                let a = self.operand(a);
                let is_new = |&i: &usize| a.change[i] | (a.up[i] & self.gone) != 0;
                let starts = bits(self.others).filter(is_new);
                let stays = |i: &usize| a.sure(*i) & self.others != 0;
                out[0] = starts.filter(|i| !stays(i)).fold(0, |all, i| all | 1 << i);
            }
            Node::Range(a) => {
                let a = self.operand(a);
                let ends = bits(self.gone).fold(0, |all, i| all | a.up[i]);
                let ends = bits(self.others).fold(ends, |all, i| all | a.change[i]);
                let stay = bits(self.others).fold(0, |all, i| all | a.sure(i));
                out[0] = ends & !stay & self.others;
            }
            Node::Set(_) | Node::Rel(_) | Node::Empty(_) | Node::Rec(_) => {}
        }
        out
    }

    fn composed(&self, a: NodeId, b: NodeId) -> Rows {
        let (a, b) = (self.operand(a), self.operand(b));
        let mut out = NONE;
        for i in bits(self.others) {
            let through = bits(a.up[i] & self.gone).fold(0, |all, j| all | b.up[j]);
            let kept = bits(a.up[i] & self.others).fold(through, |all, j| all | b.change[j]);
            let all = bits(a.change[i]).fold(kept, |all, j| all | b.may(j)) & self.others;
            if all != 0 {
                let sure = bits(a.sure(i) & self.others).fold(0, |sure, j| sure | b.sure(j));
                out[i] = all & !sure;
            }
        }
        out
    }

    /// The change of a transitive closure.
    fn closed(&self, a: NodeId) -> Rows {
        let n = self.frame.len();
        let a = self.operand(a);
        let (mut sure, mut all, mut new) = (NONE, NONE, NONE);
        for i in bits(self.others) {
            let mut inside = a.up[i] & self.gone;
            loop {
                let more = bits(inside).fold(inside, |all, j| all | (a.up[j] & self.gone));
                if more == inside {
                    break;
                }
                inside = more;
            }
            let through = bits(inside).fold(0, |all, j| all | a.up[j]);
            sure[i] = a.sure(i) & self.others;
            new[i] = (a.change[i] | through) & self.others;
            all[i] = (a.may(i) | through) & self.others;
        }
        if new == NONE {
            return NONE;
        }
        close(&mut sure, n);
        (0..n).for_each(|i| new[i] &= !sure[i]);
        if new == NONE {
            return NONE;
        }
        close(&mut all, n);
        (0..n).for_each(|i| all[i] |= 1 << i);
        let mut out = NONE;
        for i in bits(self.others) {
            let ends = bits(all[i]).fold(0, |ends, j| ends | new[j]);
            out[i] = bits(ends).fold(0, |row, j| row | all[j]) & !sure[i] & self.others;
        }
        out
    }

    /// The violations of an axiom about a node that may depend on the events.
    pub(super) fn turned(&self, kind: AxiomKind, id: NodeId) -> Rows {
        let n = self.frame.len();
        let own = self.operand(id);
        let mut rows = *own.change;
        if self.frame.pair.arena.sort(id) == Sort::Set {
            rows[0] |= own.up[0] & self.gone;
            return rows;
        }
        match kind {
            AxiomKind::Empty => {
                bits(self.others).for_each(|i| rows[i] |= own.up[i] & self.gone);
                bits(self.gone).for_each(|i| rows[i] = own.up[i]);
                rows
            }
            AxiomKind::Irreflexive => {
                bits(self.gone).for_each(|i| rows[i] = own.up[i]);
                diagonal(&rows)
            }
            AxiomKind::Acyclic => {
                let mut rows = self.closed(id);
                let mut all = *own.up;
                close(&mut all, n);
                bits(self.gone).for_each(|i| rows[i] = all[i]);
                diagonal(&rows)
            }
        }
    }
}
