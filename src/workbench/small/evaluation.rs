//! The evaluation of both models on a cell, stage by stage, and how their axioms stand then.
//!
//! Operators combine bounds: the lower bound of `a \ b` is the lower bound of `a` without the upper
//! bound of `b`. What none of its operands has changed for keeps its value.

use super::cell::{Cell, Frame};
use super::pair::{Demand, Stage, Timed};
use super::rows::{NONE, Rows, bits, close, compute, is_acyclic};
use crate::id::NodeId;
use crate::relation::expr::{AxiomKind, Node};
use crate::relation::plan::{Step, dependencies};
use crate::vocabulary::Sort;

/// How an axiom stands in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// The axiom holds in every program of the cell.
    Kept,
    /// The axiom fails in every program of the cell.
    Broken,
    /// The bounds do not decide the axiom.
    Open,
}

impl Stand {
    /// How two axioms together stand.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Broken, _) | (_, Self::Broken) => Self::Broken,
            (Self::Open, _) | (_, Self::Open) => Self::Open,
            _ => Self::Kept,
        }
    }
}

impl Frame<'_> {
    /// Evaluates the nodes of a stage.
    pub fn evaluate(&mut self, stage: Stage, cell: &Cell<'_>) {
        self.evaluate_own(stage, cell);
        self.evaluate_common(stage, cell);
    }

    /// Evaluates the nodes of a stage on which axioms depend that are not common to the models, and how
    /// these may differ.
    pub(super) fn evaluate_own(&mut self, stage: Stage, cell: &Cell<'_>) {
        let steps = &self.pair.steps[stage as usize];
        self.steps(&steps.list[..steps.own], stage, cell);
        for (index, twin, inputs) in &self.pair.twins[stage as usize] {
            let (nodes, twins) = inputs;
            let [_, seen] = self.differ_times[*index];
            let is_new = nodes.iter().any(|id| self.times[id.index()][0] > seen)
                || twins.iter().any(|&twin| self.differ_times[twin][0] > seen);
            if is_new {
                let differ = twin.bound(&self.bounds, &self.differ, self.len());
                self.now += 1;
                self.differ_times[*index][1] = self.now;
                if differ != self.differ[*index] {
                    self.differ[*index] = differ;
                    self.differ_times[*index][0] = self.now;
                }
            }
        }
    }

    /// Evaluates the other nodes of a stage.
    pub(super) fn evaluate_common(&mut self, stage: Stage, cell: &Cell<'_>) {
        let steps = &self.pair.steps[stage as usize];
        self.steps(&steps.list[steps.own..], stage, cell);
    }

    /// Evaluates steps of which an operand has changed since they were evaluated.
    fn steps(&mut self, steps: &[Timed], stage: Stage, cell: &Cell<'_>) {
        // Coherence may be open where nothing else is.
        let known = self.open.is_none()
            && self.chosen.rf[0] == self.chosen.rf[1]
            && stage != Stage::Coherence;
        for Timed { step, clock, operands } in steps {
            let seen = self.times[clock.index()][1];
            let is_leaf = operands.is_empty();
            if !is_leaf && operands.iter().all(|id| self.times[id.index()][0] <= seen) {
                continue;
            }
            self.now += 1;
            match step {
                Step::Node(id) => {
                    let exact = self.pair.exact[id.index()] && known;
                    self.renew(*id, cell, exact);
                }
                Step::Fixpoint { recursive, nodes } => self.fixpoint(recursive, nodes, cell),
            }
            self.times[clock.index()][1] = self.now;
        }
    }

    /// Evaluates a node, and notes whether its bounds change.
    fn renew(&mut self, id: NodeId, cell: &Cell<'_>, exact: bool) {
        let at = id.index();
        let [low, up] = self.node(id, cell, exact);
        if low != self.bounds[0][at] || up != self.bounds[1][at] {
            self.bounds[0][at] = low;
            self.bounds[1][at] = up;
            self.times[at][0] = self.now;
        }
    }

    /// Whether an axiom and its counterpart in the other model certainly have the same status in
    /// each program of the cell.
    #[must_use]
    pub fn is_alike(&self, demand: &Demand) -> bool {
        let Some(twin) = demand.twin else { return false };
        let n = self.len();
        let differ = &self.differ[twin];
        match demand.kind {
            AxiomKind::Empty => differ[..n].iter().all(|&row| row == 0),
            AxiomKind::Irreflexive => (0..n).all(|i| differ[i] >> i & 1 == 0),
            AxiomKind::Acyclic => {
                // A cycle in only one of the relations contains a differing pair.
                if differ[..n].iter().all(|&row| row == 0) {
                    return true;
                }
                let mut reached = NONE;
                for demand in self.pair.demands.iter().filter(|d| d.twin == Some(twin)) {
                    let upper = &self.bounds[1][demand.node.index()];
                    (0..n).for_each(|i| reached[i] |= upper[i]);
                }
                close(&mut reached, n);
                let back = |i: usize, j: usize| i == j || reached[j] >> i & 1 == 1;
                (0..n).all(|i| bits(differ[i]).all(|j| !back(i, j)))
            }
        }
    }

    fn fixpoint(&mut self, recursive: &[(NodeId, NodeId)], nodes: &[NodeId], cell: &Cell<'_>) {
        for (id, _) in recursive {
            self.bounds.iter_mut().for_each(|bound| bound[id.index()] = NONE);
        }
        let mut grew = true;
        while grew {
            nodes.iter().for_each(|&id| self.renew(id, cell, false));
            grew = false;
            for (id, body) in recursive.iter().filter(|(id, body)| id != body) {
                for bound in &mut self.bounds {
                    let body = bound[body.index()];
                    for (row, new) in bound[id.index()].iter_mut().zip(body) {
                        grew |= new & !*row != 0;
                        *row |= new;
                    }
                }
            }
        }
        // Whether the solution is the one before would have to be looked up.
        let all = recursive.iter().map(|(id, _)| id).chain(nodes);
        all.for_each(|id| self.times[id.index()][0] = self.now);
    }

    /// The bounds of a node from those of its operands; for an exact node, both bounds coincide.
    fn node(&self, id: NodeId, cell: &Cell<'_>, exact: bool) -> [Rows; 2] {
        let arena = &self.pair.arena;
        let n = self.len();
        match arena.node(id) {
            Node::Set(set) => [false, true].map(|upper| {
                let mut rows = NONE;
                rows[0] = self.set(set, cell, upper);
                rows
            }),
            Node::Rel(relation) => [false, true].map(|upper| self.relation(relation, cell, upper)),
            node => {
                let is_set = arena.sort(id) == Sort::Set;
                let used = if is_set { 1 } else { n };
                let bound = |bound: usize| {
                    let (own, other) = (&self.bounds[bound], &self.bounds[1 - bound]);
                    let body = || dependencies(arena, id)[0].index();
                    compute(node, own, other, used, n, |id| arena.node(id), body)
                };
                let low = bound(0);
                [low, if exact { low } else { bound(1) }]
            }
        }
    }

    /// The status of an axiom, once its stage is evaluated.
    #[must_use]
    pub fn stand(&self, demand: &Demand) -> Stand {
        let n = self.len();
        let is_set = self.pair.arena.sort(demand.node) == Sort::Set;
        let holds = |bound: usize| {
            let rows = &self.bounds[bound][demand.node.index()];
            match demand.kind {
                AxiomKind::Empty if is_set => rows[0] == 0,
                AxiomKind::Empty => rows[..n].iter().all(|&row| row == 0),
                AxiomKind::Irreflexive => (0..n).all(|i| rows[i] >> i & 1 == 0),
                AxiomKind::Acyclic => is_acyclic(rows, n),
            }
        };
        let (kept, broken) = match demand.negated {
            false => (holds(1), !holds(0)),
            true => (!holds(0), holds(1)),
        };
        match (kept, broken) {
            (true, _) => Stand::Kept,
            (_, true) => Stand::Broken,
            _ => Stand::Open,
        }
    }
}
