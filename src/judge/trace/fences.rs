//! The order of `fence.sc` operations (PTX-8.9.3): the related pairs, and the open pairs.

use super::clock::{Node, Order};
use super::sync::is_wide;
use super::{OpKind, Trace};
use crate::id::OpId;
use crate::ptx::operation::Order as Qualifier;

/// The fences of a trace.
pub(super) struct Fences {
    /// The fences, by their times in the trace.
    pub(super) all: Vec<OpId>,
    wide: bool,
}

/// Of more fences, not all pairs are looked at.
const MOST_FENCES: usize = 400;

impl Fences {
    pub(super) fn of(trace: &Trace) -> Self {
        let is_sc = |id: &OpId| {
            let op = trace.op(*id);
            op.kind == OpKind::Fence && op.order == Qualifier::Sc
        };
        let mut all: Vec<OpId> = trace.ids().filter(is_sc).collect();
        all.sort_by_key(|&id| (trace.when(id), id));
        Self { all, wide: is_wide(trace) }
    }

    /// Whether the order has to relate two fences in one direction.
    fn relates(&self, trace: &Trace, a: OpId, b: OpId) -> bool {
        trace.op(a).thread != trace.op(b).thread && (self.wide || trace.mutual(a, b))
    }

    /// Puts the fences into the given order; `false` where there are too many for that.
    pub(super) fn line_up(&self, trace: &Trace, order: &mut Order, line: &[OpId]) -> bool {
        if self.wide {
            for pair in line.windows(2) {
                order.add(pair[0].index() as Node, pair[1].index() as Node);
            }
            return true;
        }
        if line.len() > MOST_FENCES {
            return false;
        }
        for (at, &a) in line.iter().enumerate() {
            for &b in line[at + 1..].iter().filter(|&&b| self.relates(trace, a, b)) {
                order.add(a.index() as Node, b.index() as Node);
            }
        }
        true
    }

    /// Whether there are few enough fences to check all pairs.
    pub(super) fn are_few(&self) -> bool {
        self.all.len() <= MOST_FENCES
    }

    /// A pair that is related one way or the other, and neither comes before the other.
    pub(super) fn open_pair(&self, trace: &Trace, pasts: &[Vec<OpId>]) -> Option<(OpId, OpId)> {
        let open = |i: usize, j: usize| {
            let (a, b) = (self.all[i], self.all[j]);
            !pasts[i].contains(&b) && !pasts[j].contains(&a) && self.relates(trace, a, b)
        };
        let pairs = (0..self.all.len()).flat_map(|i| (i + 1..self.all.len()).map(move |j| (i, j)));
        pairs.into_iter().find(|&(i, j)| open(i, j)).map(|(i, j)| (self.all[i], self.all[j]))
    }
}
