//! The orders that an execution chooses, and the enumeration of all orders of some events: total
//! orders, and strict partial orders.

use super::rows::{MOST, Rows, bits};

/// What an execution chooses.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Execution {
    /// What reads read from: a way of the class that is looked at.
    pub(super) way: usize,
    /// A total order of fences, of which `sc` is a part.
    pub(super) fences: Rows,
    /// Coherence.
    pub(super) co: Rows,
}

/// The executions of a candidate that a cell leaves open.
#[derive(Clone, Debug)]
pub(super) struct Pending {
    /// Those on which the models may disagree.
    pub(super) disputed: Vec<Execution>,
    /// Those on which they agree, whose outcomes may be in dispute.
    pub(super) agreed: Vec<Execution>,
    /// The fences that may be `fence.sc`.
    pub(super) fences: u32,
}

/// A relation of some pairs.
pub(super) fn relation(pairs: impl Iterator<Item = (usize, usize)>) -> Rows {
    let mut rows = [0; MOST];
    pairs.for_each(|(a, b)| rows[a] |= 1 << b);
    rows
}

/// All total orders of some events.
pub(super) fn linear_orders(events: &[usize]) -> Vec<Rows> {
    let mut orders = vec![Vec::new()];
    for &event in events {
        let longer = orders.iter().flat_map(|order: &Vec<usize>| {
            (0..=order.len()).map(|at| [&order[..at], &[event], &order[at..]].concat())
        });
        orders = longer.collect();
    }
    let rows = |order: &Vec<usize>| {
        let after = |at: usize| order[at + 1..].iter().map(move |&b| (order[at], b));
        relation((0..order.len()).flat_map(after))
    };
    orders.iter().map(rows).collect()
}

/// All strict partial orders of some events, or only the total ones.
pub(super) fn partial_orders(events: &[usize], total: bool) -> Vec<Rows> {
    if total {
        return linear_orders(events);
    }
    let mut orders = vec![[0; MOST]];
    for (known, &new) in events.iter().enumerate() {
        let known = &events[..known];
        let extended = orders.iter().flat_map(|order| {
            // The set before the new event is closed downwards, the set behind it upwards.
            let sets = 0_u32..1 << known.len();
            let pairs =
                sets.clone().flat_map(move |before| sets.clone().map(move |after| (before, after)));
            pairs.filter_map(|(before, after)| extended(order, known, new, before, after))
        });
        orders = extended.collect();
    }
    orders
}

/// A partial order with one more event, if the sets before and behind it are consistent.
fn extended(order: &Rows, known: &[usize], new: usize, before: u32, after: u32) -> Option<Rows> {
    if before & after != 0 {
        return None;
    }
    let all = |set: u32| bits(set).map(|at| known[at]).fold(0, |all, event| all | 1 << event);
    let (before, after) = (all(before), all(after));
    let fits = known.iter().all(|&a| {
        let below = before >> a & 1 == 1;
        let above = after >> a & 1 == 1;
        // The set before is closed downwards, the set behind upwards, and the former precedes the
        // latter.
        (below || order[a] & before == 0)
            && (!above || order[a] & !after == 0)
            && (!below || after & !order[a] == 0)
    });
    fits.then(|| {
        let mut longer = *order;
        bits(before).for_each(|a| longer[a] |= 1 << new);
        longer[new] = after;
        longer
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn partial_orders_are_counted() {
        // The numbers of labelled strict partial orders.
        for (events, count) in [(0, 1), (1, 1), (2, 3), (3, 19), (4, 219), (5, 4231)] {
            let events: Vec<usize> = (2..2 + events).collect();
            let orders = partial_orders(&events, false);
            let set: BTreeSet<Rows> = orders.iter().copied().collect();
            assert_eq!((orders.len(), set.len()), (count, count));
            let closed = |rows: &Rows| {
                (0..MOST).all(|a| {
                    rows[a] >> a & 1 == 0 && bits(rows[a]).all(|b| rows[b] & !rows[a] == 0)
                })
            };
            assert!(orders.iter().all(closed));
        }
        assert_eq!(partial_orders(&[1, 2, 3], true).len(), 6);
    }
}
