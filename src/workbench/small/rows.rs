//! Sets and relations of a few events as words, with a row for each event, and their operators.

use crate::id::NodeId;
use crate::relation::expr::Node;

/// The most events that a program may have.
pub const MOST: usize = 24;

/// A relation, with a row of bits for each event. A set is stored in the first row.
pub type Rows = [u32; MOST];

pub(super) const NONE: Rows = [0; MOST];

/// One bound of a node from the bounds of its operands; `other` are the opposite bounds.
pub(super) fn compute(
    node: Node,
    own: &[Rows],
    other: &[Rows],
    used: usize,
    n: usize,
    of: impl Fn(NodeId) -> Node,
    body: impl Fn() -> usize,
) -> Rows {
    let mut out = NONE;
    let get = |id: NodeId| &own[id.index()];
    match node {
        Node::Union(a, b) => {
            let (a, b) = (get(a), get(b));
            (0..used).for_each(|i| out[i] = a[i] | b[i]);
        }
        Node::Inter(a, b) => {
            let (a, b) = (get(a), get(b));
            (0..used).for_each(|i| out[i] = a[i] & b[i]);
        }
        Node::Diff(a, b) => {
            let (a, b) = (get(a), &other[b.index()]);
            (0..used).for_each(|i| out[i] = a[i] & !b[i]);
        }
        Node::Comp(a, b) => match (of(a), of(b)) {
            (Node::ToId(set), _) => {
                let (set, b) = (get(set)[0], get(b));
                (0..n).filter(|i| set >> i & 1 == 1).for_each(|i| out[i] = b[i]);
            }
            (_, Node::ToId(set)) => {
                let (a, set) = (get(a), get(set)[0]);
                (0..n).for_each(|i| out[i] = a[i] & set);
            }
            _ => compose(get(a), get(b), n, &mut out),
        },
        Node::Inverse(a) => {
            let a = get(a);
            for (i, &row) in a[..n].iter().enumerate() {
                bits(row).for_each(|j| out[j] |= 1 << i);
            }
        }
        Node::Plus(a) => {
            out = *get(a);
            close(&mut out, n);
        }
        Node::ToId(a) => {
            let set = get(a)[0];
            bits(set).for_each(|i| out[i] = 1 << i);
        }
        Node::Cross(a, b) => {
            let (from, to) = (get(a)[0], get(b)[0]);
            bits(from).for_each(|i| out[i] = to);
        }
        Node::Domain(a) => {
            let a = get(a);
            out[0] = (0..n).filter(|&i| a[i] != 0).map(|i| 1 << i).sum();
        }
        Node::Range(a) => out[0] = get(a)[..n].iter().fold(0, |all, row| all | row),
        Node::Rec(_) => out = own[body()],
        Node::Set(_) | Node::Rel(_) | Node::Empty(_) => {}
    }
    out
}

/// The transitive closure, in place.
pub(super) fn close(rows: &mut Rows, n: usize) {
    for k in 0..n {
        let through = rows[k];
        for row in rows[..n].iter_mut().filter(|row| **row >> k & 1 == 1) {
            *row |= through;
        }
    }
}

pub(super) fn compose(a: &Rows, b: &Rows, n: usize, out: &mut Rows) {
    for i in 0..n {
        out[i] = bits(a[i]).fold(0, |row, j| row | b[j]);
    }
}

/// The positions of the bits of a row.
pub fn bits(mut row: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (row != 0).then(|| row.trailing_zeros() as usize)?;
        row &= row - 1;
        Some(next)
    })
}

/// Whether a relation has no cycle. Events without successors are removed until none is left.
pub(super) fn is_acyclic(rows: &Rows, n: usize) -> bool {
    let mut left = (1_u32 << n) - 1;
    loop {
        let ends = bits(left).filter(|&i| rows[i] & left == 0).fold(0, |all, i| all | 1 << i);
        left &= !ends;
        match (left, ends) {
            (0, _) => return true,
            (_, 0) => return false,
            _ => {}
        }
    }
}

/// The pairs of a relation whose inverses are also in the relation.
pub(super) fn symmetric(rows: &Rows, n: usize) -> Rows {
    let mut out = NONE;
    for i in 0..n {
        out[i] = bits(rows[i]).filter(|&j| rows[j] >> i & 1 == 1).fold(0, |all, j| all | 1 << j);
    }
    out
}
