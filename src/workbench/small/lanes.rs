//! Sets and relations of up to 64 executions at once: a word for each event or pair of events, with a
//! bit for each execution, which is its lane.
//!
//! The executions of a cell differ in coherence alone, so that an operator costs for all of them little
//! more than for one.

use super::rows::Rows;
use crate::id::NodeId;
use crate::relation::expr::{AxiomKind, Node};

/// A set or relation in all lanes.
pub(super) type Words = Vec<u64>;

/// How many lanes there are.
pub(super) const LANES: usize = 64;

/// Every lane.
pub(super) const EVERY: u64 = u64::MAX;

/// The values of a frame in all lanes, of nodes that depend on coherence and of their operands.
#[derive(Debug)]
pub(super) struct Lanes {
    pub(super) bounds: [Vec<Words>; 2],
    pub(super) differ: Vec<Words>,
    /// When the value that is the same in all lanes was copied from the frame.
    pub(super) times: Vec<u64>,
    pub(super) differ_times: Vec<u64>,
}

impl Lanes {
    pub(super) fn new(nodes: usize, twins: usize) -> Self {
        Self {
            bounds: [vec![Vec::new(); nodes], vec![Vec::new(); nodes]],
            differ: vec![Vec::new(); twins],
            times: vec![u64::MAX; nodes],
            differ_times: vec![u64::MAX; twins],
        }
    }
}

/// A set or relation that is the same in all lanes.
pub(super) fn fill(out: &mut Words, rows: &Rows, n: usize, is_set: bool) {
    let used = if is_set { 1 } else { n };
    out.clear();
    for row in &rows[..used] {
        out.extend((0..n).map(|j| if row >> j & 1 == 1 { EVERY } else { 0 }));
    }
}

/// One bound of a node from the bounds of its operands; `other` are the opposite bounds.
pub(super) fn compute(
    out: &mut Words,
    node: Node,
    own: &[Words],
    other: &[Words],
    n: usize,
    of: impl Fn(NodeId) -> Node,
) {
    let get = |id: NodeId| &own[id.index()];
    out.clear();
    match node {
        Node::Union(a, b) => out.extend(get(a).iter().zip(get(b)).map(|(a, b)| a | b)),
        Node::Inter(a, b) => out.extend(get(a).iter().zip(get(b)).map(|(a, b)| a & b)),
        Node::Diff(a, b) => {
            out.extend(get(a).iter().zip(&other[b.index()]).map(|(a, b)| a & !b));
        }
        Node::Comp(a, b) => match (of(a), of(b)) {
            (Node::ToId(set), _) => {
                let rows = get(set).iter().zip(get(b).chunks(n));
                rows.for_each(|(&of, row)| out.extend(row.iter().map(|word| word & of)));
            }
            (_, Node::ToId(set)) => {
                let set = get(set);
                let rows = get(a).chunks(n);
                rows.for_each(|row| out.extend(row.iter().zip(set).map(|(word, of)| word & of)));
            }
            _ => {
                out.resize(n * n, 0);
                compose(get(a), get(b), n, out);
            }
        },
        Node::Inverse(a) => {
            let a = get(a);
            (0..n).for_each(|i| out.extend((0..n).map(|j| a[j * n + i])));
        }
        Node::Plus(a) => {
            out.extend_from_slice(get(a));
            close(out, n);
        }
        Node::ToId(a) => {
            out.resize(n * n, 0);
            get(a).iter().enumerate().for_each(|(i, &word)| out[i * n + i] = word);
        }
        Node::Cross(a, b) => {
            get(a).iter().for_each(|from| out.extend(get(b).iter().map(|to| from & to)));
        }
        Node::Domain(a) => {
            out.extend(get(a).chunks(n).map(|row| row.iter().fold(0, |all, word| all | word)));
        }
        Node::Range(a) => {
            out.resize(n, 0);
            get(a).chunks(n).for_each(|row| unite(out, row));
        }
        Node::Rec(_) | Node::Set(_) | Node::Rel(_) | Node::Empty(_) => {}
    }
}

/// Adds a composition.
pub(super) fn compose(a: &[u64], b: &[u64], n: usize, out: &mut [u64]) {
    for (from, out) in a.chunks(n).zip(out.chunks_mut(n)) {
        for (&word, to) in from.iter().zip(b.chunks(n)).filter(|(word, _)| **word != 0) {
            out.iter_mut().zip(to).for_each(|(out, to)| *out |= word & to);
        }
    }
}

/// The transitive closure, in place.
pub(super) fn close(words: &mut [u64], n: usize) {
    for k in 0..n {
        for i in 0..n {
            let through = words[i * n + k];
            if through != 0 && i != k {
                for j in 0..n {
                    words[i * n + j] |= through & words[k * n + j];
                }
            }
        }
    }
}

/// Adds one set or relation to another.
pub(super) fn unite(out: &mut [u64], more: &[u64]) {
    out.iter_mut().zip(more).for_each(|(out, more)| *out |= more);
}

/// The lanes in which an axiom about a set or relation holds.
pub(super) fn holds(kind: AxiomKind, words: &Words, n: usize) -> u64 {
    let diagonal = |words: &[u64]| (0..n).fold(0, |all, i| all | words[i * n + i]);
    !match kind {
        AxiomKind::Empty => words.iter().fold(0, |all, word| all | word),
        AxiomKind::Irreflexive => diagonal(words),
        AxiomKind::Acyclic => {
            let mut closed = words.clone();
            close(&mut closed, n);
            diagonal(&closed)
        }
    }
}
