//! Bytes that asynchronous operations move, split into the pieces that a program can tell apart.
//!
//! A copy has no size of an access (PTX-9.7.9.25.4.1): it is cut where other accesses cut what it reads
//! or writes, through all copies of the same bytes. Pieces that the same operations touch in the same
//! way, and no other access, are alike: one of them stands for all. So a large tile of which a test
//! reads one word costs a handful of events.

use super::access::{DraftAccess, OfOperation, Role};
use super::builder::GraphBuilder;
use super::condition::shown_ranges;
use super::graph::Symbol;
use super::issued::{ELEMENT, Moves, ProductResult, TENSOR_WORD};
use crate::collections::IndexMap;
use crate::id::{AccessId, ExprId, ObjectId, SymbolId};
use crate::program::expr::{Binary, Expr, ExprArena};
use crate::program::micro::Combination;
use crate::program::term::{Extension, Term};
use crate::ptx::operation::Order;
use crate::rule::Rule;
use std::collections::{BTreeMap, BTreeSet};

/// How long a piece is at most that no other access covers, in bytes.
const LONGEST_PIECE: u64 = 8;

/// What an operation moves: as many bytes at each of some places.
#[derive(Debug)]
struct Move {
    operation: usize,
    bytes: u64,
    /// The places, each by its object and first byte.
    ranges: Vec<(ObjectId, u64)>,
    /// Where it is cut, counted from its first byte.
    cuts: BTreeSet<u64>,
    /// Whether it is cut nowhere else: a reduction has elements.
    is_fixed: bool,
    /// Whether nothing else of its operation says where that goes: the rest of a matrix does not.
    is_all: bool,
}

impl GraphBuilder<'_> {
    /// Adds the accesses by which asynchronous operations move bytes.
    pub(super) fn perform(&mut self) {
        let each = |at: usize| std::iter::repeat_n(at, self.operations[at].moves.len());
        let moved: Vec<usize> = (0..self.operations.len()).flat_map(each).collect();
        if moved.is_empty() {
            return;
        }
        let mut others: Vec<(ObjectId, u64, u64)> =
            self.accesses.iter().map(|a| (a.object, a.offset, a.end())).collect();
        others.extend(shown_ranges(self.program));
        let all: Vec<Moves<'_>> =
            self.operations.iter().flat_map(|operation| operation.moves.clone()).collect();
        let of = |(moves, &operation): (&Moves<'_>, &usize)| {
            Move::new(operation, moves, &self.exprs, &others)
        };
        let moves: Vec<Move> = all.iter().zip(&moved).map(of).collect();
        let pieces = pieces(moves, &others);
        for ((&operation, moves), pieces) in moved.iter().zip(&all).zip(pieces) {
            for piece in pieces {
                self.move_piece(operation, moves, piece);
            }
        }
    }

    /// Adds the accesses to the bytes of an operation from one number to another.
    fn move_piece(&mut self, operation: usize, moves: &Moves<'_>, (from, to): (u64, u64)) {
        if moves.mask.is_some_and(|mask| mask >> (from % 16) & 1 == 0) {
            return;
        }
        if let Some(result) = &moves.product {
            return self.write_words(operation, moves, result, (from, to));
        }
        let width = u32::try_from(to - from).expect("pieces are short") * 8;
        let (value, reads) = match from < moves.open[0] || to > moves.bytes - moves.open[1] {
            true => (self.any_byte(width), Vec::new()),
            false => self.read_piece(operation, moves, (from, to)),
        };
        for (at, places) in moves.destinations.iter().enumerate() {
            let part = Some(OfOperation { operation, role: Role::Destination(at) });
            for place in places {
                let access = DraftAccess { part, ..piece_of(place, (from, to)) };
                match moves.reduction {
                    Some(combination) => self.combine(access, combination, value, &reads),
                    None => {
                        let data_reads = reads.clone();
                        let write = DraftAccess { write: true, value, data_reads, ..access };
                        self.push_access(write);
                    }
                }
            }
        }
    }

    /// Writes the result of a product to a piece of each destination.
    fn write_words(
        &mut self,
        operation: usize,
        moves: &Moves<'_>,
        result: &ProductResult,
        piece: (u64, u64),
    ) {
        let ProductResult { sum, reads, accumulates } = result;
        for (at, places) in moves.destinations.iter().enumerate() {
            let part = Some(OfOperation { operation, role: Role::Destination(at) });
            for place in places {
                let access = DraftAccess { part, ..piece_of(place, piece) };
                let (mut value, mut data_reads) = (*sum, reads.clone());
                let guard = self.exprs.and(access.guard, *accumulates);
                if !self.exprs.is_false(guard) {
                    let read = self.push_access(DraftAccess { guard, ..access.clone() });
                    let old = self.exprs.leaf(Expr::Read(read), access.bytes * 8);
                    let none = self.exprs.number(0, access.bytes * 8);
                    let old = self.exprs.ite(*accumulates, old, none);
                    value = self.exprs.binary(Binary::Add, old, value);
                    data_reads.push(read);
                    data_reads.sort_unstable();
                }
                self.push_access(DraftAccess { write: true, value, data_reads, ..access });
            }
        }
    }

    /// What an operation reads of its source, or zero for bytes that it does not copy.
    fn read_piece(
        &mut self,
        operation: usize,
        moves: &Moves<'_>,
        (from, to): (u64, u64),
    ) -> (ExprId, Vec<AccessId>) {
        let width = u32::try_from(to - from).expect("pieces are short") * 8;
        let [first, end] = [from, to].map(|at| self.exprs.number(u128::from(at), 32));
        // All of the piece is copied, or none of it.
        let all = self.exprs.binary(Binary::ULt, moves.copied, end);
        let all = self.exprs.not(all);
        let some = self.exprs.binary(Binary::ULt, first, moves.copied);
        let not_all = self.exprs.not(all);
        let in_part = self.exprs.and(some, not_all);
        let guard = self.operations[operation].guard;
        let in_part = self.exprs.and(guard, in_part);
        if !self.exprs.is_false(in_part) {
            self.violated_by(operation, in_part, Rule::ComputedCopy);
        }
        let (mut value, mut reads) = (self.exprs.number(0, width), Vec::new());
        let part = Some(OfOperation { operation, role: Role::Source });
        let only = moves.sources.len() == 1;
        for place in &moves.sources {
            let guard = self.exprs.and(place.guard, all);
            if self.exprs.is_false(guard) {
                continue;
            }
            let read = DraftAccess { guard, part, ..piece_of(place, (from, to)) };
            let read = self.push_access(read);
            reads.push(read);
            let found = self.exprs.leaf(Expr::Read(read), width);
            let here = if only { all } else { guard };
            value = self.exprs.ite(here, found, value);
        }
        (value, reads)
    }

    /// An element of a reduction: an atomic operation.
    fn combine(
        &mut self,
        access: DraftAccess,
        combination: &Combination,
        element: ExprId,
        reads: &[AccessId],
    ) {
        let width = access.bytes * 8;
        let mut read =
            DraftAccess { order: Order::Relaxed, scope: Some(combination.scope), ..access };
        (read.marks.rmw, read.marks.red) = (true, true);
        let id = self.push_access(read.clone());
        let old = self.exprs.leaf(Expr::Read(id), width);
        let value = self.combined(&combination.value, old, element);
        let mut data_reads = reads.to_vec();
        data_reads.push(id);
        data_reads.sort_unstable();
        self.push_access(DraftAccess {
            write: true,
            value,
            data_reads,
            rmw_read: Some(id),
            position: read.position + 1,
            ..read
        });
    }

    /// The value of a term that is made of an old value and an element alone.
    fn combined(&mut self, term: &Term, old: ExprId, element: ExprId) -> ExprId {
        let mut inner = |term: &Term| self.combined(term, old, element);
        match term {
            Term::Const(bits, width) => self.exprs.number(*bits, *width),
            Term::Register(_) => element,
            Term::Old(_) => old,
            // No element of a reduction is that of a wait.
            Term::Patience => self.exprs.truth(true),
            Term::Free(name, width) | Term::Fixed(name, width) => {
                self.symbols.push(Symbol::chosen(name.clone(), *width));
                let id = SymbolId::new(self.symbols.len() - 1);
                self.exprs.leaf(Expr::Symbol(id), *width)
            }
            Term::Unary(op, a) => {
                let a = inner(a);
                self.exprs.unary(*op, a)
            }
            Term::Binary(op, a, b) => {
                let (a, b) = (inner(a), inner(b));
                self.exprs.binary(*op, a, b)
            }
            Term::Ite(c, a, b) => {
                let (c, a, b) = (inner(c), inner(a), inner(b));
                self.exprs.ite(c, a, b)
            }
            Term::Extract(a, low, width) => {
                let a = inner(a);
                self.exprs.extract(a, *low, *width)
            }
            Term::Concat(a, b) => {
                let (a, b) = (inner(a), inner(b));
                self.exprs.concat(a, b)
            }
            Term::Resize(a, width, extension) => {
                let a = inner(a);
                self.exprs.resize(a, *width, *extension == Extension::Sign)
            }
        }
    }

    /// A byte or more that nobody says anything of.
    fn any_byte(&mut self, width: u32) -> ExprId {
        self.symbols.push(Symbol::chosen("bytes that a copy ignores".to_owned(), width));
        self.exprs.leaf(Expr::Symbol(SymbolId::new(self.symbols.len() - 1)), width)
    }
}

/// The access to the bytes of a whole one from one number to another.
pub(super) fn piece_of(whole: &DraftAccess, (from, to): (u64, u64)) -> DraftAccess {
    let bytes = u32::try_from(to - from).expect("pieces are short");
    DraftAccess { offset: whole.offset + from, bytes, ..whole.clone() }
}

impl Move {
    fn new(
        operation: usize,
        moves: &Moves<'_>,
        exprs: &ExprArena,
        others: &[(ObjectId, u64, u64)],
    ) -> Self {
        let all = moves.sources.iter().chain(moves.destinations.iter().flatten());
        let ranges: Vec<(ObjectId, u64)> = all.map(|a| (a.object, a.offset)).collect();
        let bytes = moves.bytes;
        let mut cuts = BTreeSet::from([0, bytes]);
        let is_fixed = moves.reduction.is_some() || moves.strong || moves.product.is_some();
        let word = moves.product.is_some().then_some(TENSOR_WORD);
        let element = moves.strong.then_some(ELEMENT).or(word);
        let step = moves.reduction.map(|r| r.bytes).or(element).map(u64::from);
        let inside = |at: u64| {
            ranges.iter().any(|&(object, first)| {
                others
                    .iter()
                    .any(|&(o, start, end)| o == object && start < first + at && first + at < end)
            })
        };
        let steps = (0..bytes).step_by(usize::try_from(step.unwrap_or(LONGEST_PIECE)).unwrap_or(8));
        cuts.extend(steps.filter(|&at| is_fixed || !inside(at)));
        let copied = exprs.constant(moves.copied).and_then(|n| u64::try_from(n).ok());
        let ends = [moves.open[0], bytes.saturating_sub(moves.open[1])];
        cuts.extend(ends.into_iter().chain(copied).filter(|&at| at < bytes));
        if let Some(mask) = moves.mask {
            let kept = |at: u64| mask >> (at % 16) & 1;
            cuts.extend((1..bytes).filter(|&at| kept(at) != kept(at - 1)));
        }
        let is_all = !moves.destinations.is_empty();
        Self { operation, bytes, ranges, cuts, is_fixed, is_all }
    }
}

/// The pieces of some moves that a program can tell apart, given the ranges of all other accesses.
fn pieces(mut moves: Vec<Move>, others: &[(ObjectId, u64, u64)]) -> Vec<Vec<(u64, u64)>> {
    let cuts = settle_cuts(&mut moves, others);
    let mut groups = Groups::new(&cuts, &moves);
    for &(object, start, end) in others {
        groups.see(object, start, end);
    }
    let kept = groups.kept();
    let mut out: Vec<Vec<(u64, u64)>> = Vec::new();
    for (one, kept) in moves.iter().zip(&kept) {
        let kept = one.pieces().zip(kept).filter(|(_, kept)| **kept).map(|(piece, _)| piece);
        out.push(kept.collect());
    }
    // Something has to tell where an operation goes.
    for at in 0..moves.len() {
        let operation = moves[at].operation;
        let first = moves[at].is_all && (at == 0 || moves[at - 1].operation != operation);
        let end = moves[at..].iter().take_while(|one| one.operation == operation).count();
        let (own, all) = (at..at + end, at..at + end);
        let fullest = own.max_by_key(|&one| (moves[one].ranges.len(), std::cmp::Reverse(one)));
        if let Some(one) = fullest.filter(|_| first && out[all].iter().all(Vec::is_empty)) {
            out[one].extend(moves[one].pieces().next());
        }
    }
    out
}

/// Where the bytes of each object are cut, by other accesses and through the moves themselves.
fn settle_cuts(
    moves: &mut [Move],
    others: &[(ObjectId, u64, u64)],
) -> BTreeMap<ObjectId, BTreeSet<u64>> {
    let mut cuts: BTreeMap<ObjectId, BTreeSet<u64>> = BTreeMap::new();
    for &(object, start, end) in others {
        cuts.entry(object).or_default().extend([start, end]);
    }
    let mut changed = true;
    while changed {
        changed = false;
        for one in moves.iter_mut() {
            for &(object, first) in &one.ranges {
                let there = cuts.entry(object).or_default();
                for at in &one.cuts {
                    changed |= there.insert(first + at);
                }
                if one.is_fixed {
                    continue;
                }
                for &at in there.range(first..first + one.bytes) {
                    changed |= one.cuts.insert(at - first);
                }
            }
        }
    }
    cuts
}

impl Move {
    fn pieces(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.cuts.iter().copied().zip(self.cuts.iter().copied().skip(1))
    }
}

/// Pieces that hang together: the same bytes, or one copied from the other.
struct Groups<'m> {
    moves: &'m [Move],
    /// The first of the numbers of the pieces of each move.
    first: Vec<usize>,
    /// The number of each stretch of bytes that nothing cuts.
    stretches: BTreeMap<(ObjectId, u64), usize>,
    /// Of each number, one that hangs together with it.
    parents: Vec<usize>,
    /// What touches each stretch: an operation by one of its ranges.
    touched: BTreeMap<usize, Vec<(usize, usize)>>,
    /// The stretches that other accesses touch.
    seen: BTreeSet<usize>,
}

impl<'m> Groups<'m> {
    fn new(cuts: &BTreeMap<ObjectId, BTreeSet<u64>>, moves: &'m [Move]) -> Self {
        let (mut first, mut count) = (Vec::new(), 0);
        for one in moves {
            first.push(count);
            count += one.cuts.len() - 1;
        }
        let mut stretches = BTreeMap::new();
        for (&object, cuts) in cuts {
            for &start in cuts {
                stretches.insert((object, start), count);
                count += 1;
            }
        }
        let mut groups = Self {
            moves,
            first,
            stretches,
            parents: (0..count).collect(),
            touched: BTreeMap::new(),
            seen: BTreeSet::new(),
        };
        groups.join();
        groups
    }

    fn join(&mut self) {
        for (index, one) in self.moves.iter().enumerate() {
            for (at, (from, to)) in one.pieces().enumerate() {
                for (range, &(object, start)) in one.ranges.iter().enumerate() {
                    let here = (object, start + from)..(object, start + to);
                    let stretches: Vec<usize> =
                        self.stretches.range(here).map(|(_, &number)| number).collect();
                    for number in stretches {
                        let touched = self.touched.entry(number).or_default();
                        touched.push((one.operation, range));
                        self.unite(self.first[index] + at, number);
                    }
                }
            }
        }
    }

    fn root(&mut self, mut at: usize) -> usize {
        while self.parents[at] != at {
            self.parents[at] = self.parents[self.parents[at]];
            at = self.parents[at];
        }
        at
    }

    fn unite(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b);
    }

    /// Notes that another access touches bytes of an object.
    fn see(&mut self, object: ObjectId, start: u64, end: u64) {
        let here = self.stretches.range((object, start)..(object, end));
        self.seen.extend(here.map(|(_, &number)| number));
    }

    /// For each move, which of its pieces are told apart from others.
    fn kept(mut self) -> Vec<Vec<bool>> {
        let mut seen = BTreeSet::new();
        for number in std::mem::take(&mut self.seen) {
            seen.insert(self.root(number));
        }
        // What is done to the bytes of each group.
        let mut alike: IndexMap<usize, Vec<Vec<(usize, usize)>>> = IndexMap::default();
        for (number, mut by) in std::mem::take(&mut self.touched) {
            by.sort_unstable();
            alike.entry(self.root(number)).or_default().push(by);
        }
        let mut kept = BTreeSet::new();
        let mut known = BTreeSet::new();
        for (root, mut by) in alike {
            by.sort_unstable();
            let several = by.iter().flatten().any(|&(one, _)| one != by[0][0].0);
            if seen.contains(&root) || several && known.insert(by) {
                kept.insert(root);
            }
        }
        let counts: Vec<usize> = self.moves.iter().map(|one| one.cuts.len() - 1).collect();
        let mut out = Vec::new();
        for (index, count) in counts.into_iter().enumerate() {
            let first = self.first[index];
            let own = (first..first + count).map(|at| kept.contains(&self.root(at)));
            out.push(own.collect());
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(bytes: u64, from: (usize, u64), to: (usize, u64)) -> Move {
        let ranges = [from, to].map(|(object, first)| (ObjectId::new(object), first)).to_vec();
        let cuts = (0..bytes).step_by(8).chain([bytes]).collect();
        Move { operation: from.0, bytes, ranges, cuts, is_fixed: false, is_all: true }
    }

    #[test]
    fn a_large_copy_is_cut_where_it_is_read() {
        let read = (ObjectId::new(1), 4096, 4100);
        let found = pieces(vec![copy(65536, (0, 0), (1, 0))], &[read]);
        assert_eq!(found, [[(4096, 4100)]]);
    }

    #[test]
    fn cuts_go_through_copies_of_copies() {
        let read = (ObjectId::new(2), 4, 8);
        let chain = vec![copy(16, (0, 0), (1, 0)), copy(16, (1, 0), (2, 0))];
        let found = pieces(chain, &[read]);
        // The second piece stands for all that nobody reads.
        assert_eq!(found, [[(0, 4), (4, 8)], [(0, 4), (4, 8)]]);
    }

    #[test]
    fn what_nobody_sees_is_one_piece() {
        let found = pieces(vec![copy(1024, (0, 0), (1, 0))], &[]);
        assert_eq!(found, [[(0, 8)]]);
    }

    #[test]
    fn elements_are_not_cut() {
        let mut sum = copy(16, (0, 0), (1, 0));
        sum.cuts = [0, 4, 8, 12, 16].into();
        sum.is_fixed = true;
        let found = pieces(vec![sum], &[(ObjectId::new(1), 5, 6)]);
        assert_eq!(found, [[(4, 8)]]);
    }
}
