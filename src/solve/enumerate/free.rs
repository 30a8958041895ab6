//! Free values that an execution chooses: symbols, and results of `bar.red`.
//!
//! If the values tried for a symbol may not [stand for all](crate::solve::symbols), the search asks
//! which values are [known](super::known) without them. A barrier's result takes every value that
//! its number of operations permits. An execution with a wrong result is dropped when it is built.

use crate::event::graph::EventGraph;
use crate::id::BarrierId;
use crate::solve::symbols;
use typed_index_collections::TiVec;

/// Values for all free leaves of a graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Free {
    /// By symbol.
    pub symbols: Vec<u128>,
    /// By barrier operation; 0 for those without a result.
    pub barriers: TiVec<BarrierId, u128>,
}

/// All assignments of free values, in lexicographic order.
pub(super) fn assignments(graph: &EventGraph) -> impl Iterator<Item = Free> + use<> {
    let count = graph.symbols.len();
    let mut domains: Vec<Vec<u128>> = (0..count).map(|s| symbols::values(graph, s)).collect();
    domains.extend(graph.barriers.keys().map(|b| symbols::returned(graph, b)));
    let mut next = Some(vec![0; domains.len()]);
    std::iter::from_fn(move || {
        let current = next.take()?;
        let value = |i: usize| domains[i][current[i]];
        let free = Free {
            symbols: (0..count).map(value).collect(),
            barriers: (count..domains.len()).map(value).collect(),
        };
        next = successor(&domains, current);
        Some(free)
    })
}

/// The next combination of one position in each domain, the last one changing fastest.
fn successor(domains: &[Vec<u128>], mut at: Vec<usize>) -> Option<Vec<usize>> {
    for i in (0..domains.len()).rev() {
        at[i] += 1;
        if at[i] < domains[i].len() {
            return Some(at);
        }
        at[i] = 0;
    }
    None
}
