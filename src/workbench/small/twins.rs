//! Bounds on the difference between an expression of one model and its counterpart in the other
//! model.
//!
//! Edits leave most of a model unchanged. If two expressions have the same operator, their
//! difference follows from the differences of their operands. If the operands do not differ, as for
//! a clause about fences in a program without fences, the expressions are equal, though neither
//! value need be known.

use super::lanes::{self, Words};
use super::rows::{MOST, Rows, bits, close, compose};
use crate::id::NodeId;
use crate::relation::equal::parts;
use crate::relation::expr::{Arena, Node};
use rustc_hash::FxHashMap;

/// A pair of corresponding expressions of the two models.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    /// The two.
    pub nodes: [NodeId; 2],
    how: How,
}

/// Corresponding operands, with the twin that bounds their difference; `None` if the operands are
/// equal.
type Operands = ([NodeId; 2], Option<usize>);

/// The nodes and the twins that a bound is made of.
pub type Inputs = (Vec<NodeId>, Vec<usize>);

/// How two expressions are made.
#[derive(Clone, Debug, PartialEq, Eq)]
enum How {
    /// Differently.
    Apart,
    /// Unions with common members; the other members are pairs of twins.
    Union(Vec<usize>),
    /// Unions with common members; these members are not common.
    Loose(Vec<NodeId>),
    /// Intersections that share some, and of which the others stand in each other's place.
    Inter {
        shared: Vec<NodeId>,
        twins: Vec<usize>,
    },
    /// Intersections that share some members and have others.
    Among {
        shared: Vec<NodeId>,
        others: [Vec<NodeId>; 2],
    },
    Comp(Operands, Operands),
    Diff(Operands, Operands),
    Cross(Operands, Operands),
    Inverse(Operands),
    Plus(Operands),
    ToId(Operands),
    Ends(Operands),
    Starts(Operands),
}

/// The twins of two models, operands first.
#[derive(Debug, Default)]
pub struct Twins {
    /// All twins.
    pub list: Vec<Twin>,
    known: FxHashMap<(NodeId, NodeId), usize>,
}

impl Twins {
    /// Adds two expressions and their operands; `None` if the expressions are equal.
    pub fn add(&mut self, arena: &Arena, a: NodeId, b: NodeId) -> Option<usize> {
        if a == b {
            return None;
        }
        if let Some(&known) = self.known.get(&(a, b)) {
            return Some(known);
        }
        let how = match (arena.sort(a) == arena.sort(b), arena.node(a), arena.node(b)) {
            (false, ..) => How::Apart,
            (_, Node::Union(..), _) | (_, _, Node::Union(..)) => self.union(arena, a, b),
            (_, Node::Inter(..), Node::Inter(..)) => self.inter(arena, a, b),
            (_, Node::Comp(a, c), Node::Comp(b, d)) => {
                How::Comp(self.operands(arena, a, b), self.operands(arena, c, d))
            }
            (_, Node::Diff(a, c), Node::Diff(b, d)) => {
                How::Diff(self.operands(arena, a, b), self.operands(arena, c, d))
            }
            (_, Node::Cross(a, c), Node::Cross(b, d)) => {
                How::Cross(self.operands(arena, a, b), self.operands(arena, c, d))
            }
            (_, Node::Inverse(a), Node::Inverse(b)) => How::Inverse(self.operands(arena, a, b)),
            (_, Node::Plus(a), Node::Plus(b)) => How::Plus(self.operands(arena, a, b)),
            (_, Node::ToId(a), Node::ToId(b)) => How::ToId(self.operands(arena, a, b)),
            (_, Node::Domain(a), Node::Domain(b)) => How::Starts(self.operands(arena, a, b)),
            (_, Node::Range(a), Node::Range(b)) => How::Ends(self.operands(arena, a, b)),
            _ => How::Apart,
        };
        self.list.push(Twin { nodes: [a, b], how });
        self.known.insert((a, b), self.list.len() - 1);
        Some(self.list.len() - 1)
    }

    fn operands(&mut self, arena: &Arena, a: NodeId, b: NodeId) -> Operands {
        ([a, b], self.add(arena, a, b))
    }

    fn union(&mut self, arena: &Arena, a: NodeId, b: NodeId) -> How {
        let members = |id: NodeId| match arena.node(id) {
            Node::Union(..) => parts(arena, id),
            _ => vec![id],
        };
        let (mut left, mut right) = (members(a), members(b));
        let shared = unshare(&mut left, &mut right);
        if left.len() == right.len() {
            let twins = left.iter().zip(&right).filter_map(|(&a, &b)| self.add(arena, a, b));
            return How::Union(twins.collect());
        }
        // Without common members, the bound would not improve.
        if shared.is_empty() { How::Apart } else { How::Loose([left, right].concat()) }
    }

    fn inter(&mut self, arena: &Arena, a: NodeId, b: NodeId) -> How {
        let (mut left, mut right) = (parts(arena, a), parts(arena, b));
        let shared = unshare(&mut left, &mut right);
        if left.len() != right.len() {
            return How::Among { shared, others: [left, right] };
        }
        let twins = left.iter().zip(&right).filter_map(|(&a, &b)| self.add(arena, a, b));
        How::Inter { shared, twins: twins.collect() }
    }
}

/// Removes the common members of two lists, and returns these members.
fn unshare(left: &mut Vec<NodeId>, right: &mut Vec<NodeId>) -> Vec<NodeId> {
    let shared: Vec<NodeId> = left.iter().copied().filter(|one| right.contains(one)).collect();
    left.retain(|one| !shared.contains(one));
    right.retain(|one| !shared.contains(one));
    shared
}

impl Twin {
    /// The nodes and the twins that the bound is made of.
    pub fn inputs(&self) -> Inputs {
        let mut nodes = self.nodes.to_vec();
        let mut twins = Vec::new();
        let mut operands = |all: &[&Operands]| {
            nodes.extend(all.iter().flat_map(|operands| operands.0));
            twins.extend(all.iter().filter_map(|operands| operands.1));
        };
        match &self.how {
            How::Apart => {}
            How::Union(all) => twins.extend(all),
            How::Loose(loose) => nodes.extend(loose),
            How::Inter { shared, twins: all } => {
                nodes.extend(shared);
                twins.extend(all);
            }
            How::Among { shared, others } => nodes.extend(others.iter().flatten().chain(shared)),
            How::Comp(a, b) | How::Diff(a, b) | How::Cross(a, b) => operands(&[a, b]),
            How::Inverse(a) | How::Plus(a) | How::ToId(a) | How::Ends(a) | How::Starts(a) => {
                operands(&[a]);
            }
        }
        (nodes, twins)
    }

    /// All that may be in one of the two and not in the other.
    pub fn bound(&self, bounds: &[Vec<Rows>; 2], differ: &[Rows], n: usize) -> Rows {
        let [low, up] = bounds;
        let [a, b] = self.nodes.map(NodeId::index);
        let mut out = made(&self.how, bounds, differ, n);
        for i in 0..n {
            out[i] &= (up[a][i] & !low[b][i]) | (up[b][i] & !low[a][i]);
        }
        out
    }
}

/// The bound on the difference according to the operators.
fn made(how: &How, bounds: &[Vec<Rows>; 2], differ: &[Rows], n: usize) -> Rows {
    let [low, up] = bounds;
    let none: Rows = [0; MOST];
    let differs = |operands: &Operands| operands.1.map_or(none, |twin| differ[twin]);
    let either = |operands: &Operands| {
        let [a, b] = operands.0.map(|id| &up[id.index()]);
        let mut rows = *a;
        rows.iter_mut().zip(b).for_each(|(row, other)| *row |= other);
        rows
    };
    let mut out = none;
    match how {
        How::Apart => out = [u32::MAX; MOST],
        How::Union(twins) => twins.iter().for_each(|&t| unite(&mut out, &differ[t])),
        How::Loose(loose) => loose.iter().for_each(|id| unite(&mut out, &up[id.index()])),
        How::Inter { shared, twins } => {
            twins.iter().for_each(|&t| unite(&mut out, &differ[t]));
            for id in shared {
                out.iter_mut().zip(&up[id.index()]).for_each(|(row, other)| *row &= other);
            }
        }
        How::Among { shared, others } => {
            let all = |bound: &[Rows], ids: &[NodeId]| {
                let meet = |rows: Rows, id: &NodeId| {
                    let other = &bound[id.index()];
                    std::array::from_fn(|i| rows[i] & other[i])
                };
                ids.iter().fold([u32::MAX; MOST], meet)
            };
            let [one, other] = others;
            let (up_one, up_other) = (all(up, one), all(up, other));
            let (low_one, low_other) = (all(low, one), all(low, other));
            out = all(up, shared);
            for i in 0..n {
                out[i] &= (up_one[i] & !low_other[i]) | (up_other[i] & !low_one[i]);
            }
        }
        How::Comp(a, b) => {
            let mut more = none;
            compose(&differs(a), &either(b), n, &mut out);
            compose(&either(a), &differs(b), n, &mut more);
            unite(&mut out, &more);
        }
        How::Diff(a, b) => {
            out = differs(b);
            out.iter_mut().zip(either(a)).for_each(|(row, other)| *row &= other);
            unite(&mut out, &differs(a));
        }
        How::Cross(a, b) => {
            let (from, to) = (either(a)[0], either(b)[0]);
            bits(differs(a)[0]).for_each(|i| out[i] |= to);
            bits(from).for_each(|i| out[i] |= differs(b)[0]);
        }
        How::Inverse(a) => {
            for (i, &row) in differs(a)[..n].iter().enumerate() {
                bits(row).for_each(|j| out[j] |= 1 << i);
            }
        }
        How::Plus(a) => {
            let mut around = either(a);
            close(&mut around, n);
            (0..n).for_each(|i| around[i] |= 1 << i);
            let mut half = none;
            compose(&around, &differs(a), n, &mut half);
            compose(&half, &around, n, &mut out);
        }
        How::ToId(a) => bits(differs(a)[0]).for_each(|i| out[i] = 1 << i),
        How::Starts(a) => {
            let rows = differs(a);
            out[0] = (0..n).filter(|&i| rows[i] != 0).map(|i| 1 << i).sum();
        }
        How::Ends(a) => out[0] = differs(a)[..n].iter().fold(0, |all, row| all | row),
    }
    out
}

impl Twin {
    /// The bound in all lanes.
    pub fn bound_in_lanes(
        &self,
        out: &mut Words,
        bounds: &[Vec<Words>; 2],
        differ: &[Words],
        n: usize,
    ) {
        let [low, up] = bounds;
        let [a, b] = self.nodes.map(NodeId::index);
        out.clear();
        out.resize(up[a].len(), 0);
        // A set and a relation have no members to compare.
        if up[a].len() != up[b].len() {
            return out.fill(!0);
        }
        made_in_lanes(&self.how, out, bounds, differ, n);
        for (at, word) in out.iter_mut().enumerate() {
            *word &= (up[a][at] & !low[b][at]) | (up[b][at] & !low[a][at]);
        }
    }
}

/// The bound on the difference according to the operators, in all lanes.
fn made_in_lanes(how: &How, out: &mut Words, bounds: &[Vec<Words>; 2], differ: &[Words], n: usize) {
    let [low, up] = bounds;
    let differs = |operands: &Operands| operands.1.map(|twin| &differ[twin]);
    let either = |operands: &Operands| -> Words {
        let [a, b] = operands.0.map(|id| &up[id.index()]);
        a.iter().zip(b).map(|(a, b)| a | b).collect()
    };
    match how {
        How::Apart => out.fill(lanes::EVERY),
        How::Union(twins) => twins.iter().for_each(|&t| lanes::unite(out, &differ[t])),
        How::Loose(loose) => loose.iter().for_each(|id| lanes::unite(out, &up[id.index()])),
        How::Inter { shared, twins } => {
            twins.iter().for_each(|&t| lanes::unite(out, &differ[t]));
            for id in shared {
                out.iter_mut().zip(&up[id.index()]).for_each(|(word, other)| *word &= other);
            }
        }
        How::Among { shared, others } => {
            let all = |bound: &[Words], ids: &[NodeId], at: usize| {
                ids.iter().fold(lanes::EVERY, |word, id| word & bound[id.index()][at])
            };
            let [one, other] = others;
            for (at, word) in out.iter_mut().enumerate() {
                let alone = all(up, one, at) & !all(low, other, at);
                let other_alone = all(up, other, at) & !all(low, one, at);
                *word = all(up, shared, at) & (alone | other_alone);
            }
        }
        How::Comp(a, b) => {
            if let Some(a) = differs(a) {
                lanes::compose(a, &either(b), n, out);
            }
            if let Some(b) = differs(b) {
                lanes::compose(&either(a), b, n, out);
            }
        }
        How::Diff(a, b) => {
            if let Some(b) = differs(b) {
                let both = b.iter().zip(either(a)).map(|(b, a)| b & a);
                out.iter_mut().zip(both).for_each(|(word, both)| *word = both);
            }
            if let Some(a) = differs(a) {
                lanes::unite(out, a);
            }
        }
        How::Cross(a, b) => {
            let (from, to) = (either(a), either(b));
            for (i, row) in out.chunks_mut(n).enumerate() {
                let from_differs = differs(a).map_or(0, |words| words[i]);
                for (j, word) in row.iter_mut().enumerate() {
                    let to_differs = differs(b).map_or(0, |words| words[j]);
                    *word |= (from_differs & to[j]) | (from[i] & to_differs);
                }
            }
        }
        How::Inverse(a) => {
            let Some(a) = differs(a) else { return };
            for (at, word) in out.iter_mut().enumerate() {
                *word |= a[at % n * n + at / n];
            }
        }
        How::Plus(a) => {
            let Some(differs) = differs(a) else { return };
            let mut around = either(a);
            lanes::close(&mut around, n);
            (0..n).for_each(|i| around[i * n + i] = lanes::EVERY);
            let mut half = vec![0; n * n];
            lanes::compose(&around, differs, n, &mut half);
            lanes::compose(&half, &around, n, out);
        }
        How::ToId(a) => {
            let Some(a) = differs(a) else { return };
            a.iter().enumerate().for_each(|(i, &word)| out[i * n + i] |= word);
        }
        How::Starts(a) => {
            let Some(a) = differs(a) else { return };
            let rows = out.iter_mut().zip(a.chunks(n));
            rows.for_each(|(word, row)| *word |= row.iter().fold(0, |all, word| all | word));
        }
        How::Ends(a) => {
            let Some(a) = differs(a) else { return };
            a.chunks(n).for_each(|row| lanes::unite(out, row));
        }
    }
}

fn unite(rows: &mut Rows, more: &Rows) {
    rows.iter_mut().zip(more).for_each(|(row, other)| *row |= other);
}
