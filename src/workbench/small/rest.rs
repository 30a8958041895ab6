//! A shape without one of its instructions, with the coherence orders of the writes that are left.

use super::cell::Frame;
use super::orders::partial_orders;
use super::pair::Pair;
use super::rows::Rows;
use super::shape::Shape;

/// A shape without one of its instructions.
pub(super) struct Rest<'p> {
    pub(super) frame: Frame<'p>,
    /// Coherence of the writes that are left.
    pub(super) orders: Vec<Rows>,
}

impl<'p> Rest<'p> {
    /// What is left without an instruction; of each location there are the writes and their coherence
    /// orders, and `initial` is coherence from initial writes.
    pub(super) fn new(
        pair: &'p Pair,
        shape: &Shape,
        op: usize,
        writes: &[(Vec<usize>, Vec<Rows>)],
        initial: Rows,
    ) -> Self {
        let frame = Frame::without(pair, shape, op);
        let total = pair.total == [true; 2];
        let is_gone = |write: &usize| frame.gone >> write & 1 == 1;
        let mut orders = vec![initial];
        for (writers, whole) in writes {
            let left =
                || writers.iter().copied().filter(|write| !is_gone(write)).collect::<Vec<_>>();
            let fewer = writers.iter().any(is_gone).then(|| partial_orders(&left(), total));
            let own = fewer.as_ref().unwrap_or(whole);
            let joined = |co: &Rows, more: &Rows| {
                let mut co = *co;
                co.iter_mut().zip(more).for_each(|(row, more)| *row |= more);
                co
            };
            orders = orders.iter().flat_map(|co| own.iter().map(|more| joined(co, more))).collect();
        }
        Self { frame, orders }
    }
}
