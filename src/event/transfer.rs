//! Bytes that asynchronous operations move, split into the pieces that a program can tell apart.
//!
//! A copy is not divided into accesses of some size (PTX-9.7.9.25.4.1). It is cut where other accesses
//! begin or end within the bytes that it reads or writes, and these cuts continue through all copies
//! of the same bytes. Pieces are equivalent if the same operations touch them in the same way and no
//! other access touches them; one piece then represents all. A large tile of which a test reads one
//! word therefore costs a handful of events.

use super::access::{DraftAccess, OfOperation, Role};
use super::builder::GraphBuilder;
use super::graph::Symbol;
use super::issued::{ELEMENT, Moves, ProductResult, TENSOR_WORD};
use super::observed::shown_ranges;
use crate::collections::IndexMap;
use crate::id::{AccessId, ExprId, ObjectId};
use crate::program::expr::{Binary, Expr, ExprArena};
use crate::program::micro::Combination;
use crate::program::term::{Extension, Term};
use crate::ptx::operation::Order;
use crate::rule::Rule;
use petgraph::unionfind::UnionFind;
use std::collections::{BTreeMap, BTreeSet};

/// The longest piece within bytes that no other access covers, in bytes.
const LONGEST_PIECE: u64 = 8;

/// The bytes that an operation moves: ranges of one length, its possible sources and destinations.
#[derive(Debug)]
struct Move {
    operation: usize,
    bytes: u64,
    /// The ranges, each by its object and first byte.
    ranges: Vec<(ObjectId, u64)>,
    /// The boundaries of pieces, counted from the first byte of the move.
    cuts: BTreeSet<u64>,
    boundaries: Boundaries,
    effect: MoveEffect,
}

/// Whether other accesses add boundaries to a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Boundaries {
    /// The move has elements, which nothing splits: a reduction, a strong copy, the words of a product.
    Elements,
    /// The move is cut wherever other accesses cut its bytes.
    Open,
}

/// Whether a move has an effect that a piece of it has to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum MoveEffect {
    /// The bytes are written. At least one piece is kept, since no other access of the operation shows
    /// where it writes.
    Written,
    /// The bytes are only read, like the rest of a matrix behind its first word.
    OnlyRead,
}

impl GraphBuilder<'_> {
    /// Adds the accesses by which asynchronous operations move bytes.
    pub(super) fn perform(&mut self) {
        let each = |at: usize| std::iter::repeat_n(at, self.issued.operations[at].moves.len());
        let moved: Vec<usize> = (0..self.issued.operations.len()).flat_map(each).collect();
        if moved.is_empty() {
            return;
        }
        let mut others: Vec<(ObjectId, u64, u64)> =
            self.accesses.iter().map(|a| (a.object, a.offset, a.end())).collect();
        others.extend(shown_ranges(self.program));
        let all: Vec<Moves<'_>> =
            self.issued.operations.iter().flat_map(|operation| operation.moves.clone()).collect();
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

    /// Adds the accesses of an operation to one piece of a move, given by its first byte and its end.
    fn move_piece(&mut self, operation: usize, moves: &Moves<'_>, (from, to): (u64, u64)) {
        if moves.mask.is_some_and(|mask| mask >> (from % 16) & 1 == 0) {
            return;
        }
        if let Some(result) = &moves.product {
            return self.write_words(operation, moves, result, (from, to));
        }
        let width = u32::try_from(to - from).expect("pieces are short") * 8;
        let is_open = from < moves.open[0] || to > moves.bytes - moves.open[1];
        let (value, reads) = match moves.answer {
            Some(answer) => {
                let first = u32::try_from(from).expect("an answer is short") * 8;
                (self.exprs.extract(answer, first, width), Vec::new())
            }
            None if is_open => (self.any_byte(width), Vec::new()),
            None => self.read_piece(operation, moves, (from, to)),
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

    /// The value that an operation reads from a piece of its source, and the reads. Bytes that it does
    /// not copy are zero.
    fn read_piece(
        &mut self,
        operation: usize,
        moves: &Moves<'_>,
        (from, to): (u64, u64),
    ) -> (ExprId, Vec<AccessId>) {
        let width = u32::try_from(to - from).expect("pieces are short") * 8;
        let [first, end] = [from, to].map(|at| self.exprs.number(u128::from(at), 32));
        // A piece of which only a part is copied is not supported.
        let all = self.exprs.binary(Binary::ULt, moves.copied, end);
        let all = self.exprs.not(all);
        let some = self.exprs.binary(Binary::ULt, first, moves.copied);
        let not_all = self.exprs.not(all);
        let in_part = self.exprs.and(some, not_all);
        let guard = self.issued.operations[operation].guard;
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
            let is_read = if only { all } else { guard };
            value = self.exprs.ite(is_read, found, value);
        }
        (value, reads)
    }

    /// Adds both accesses of the atomic operation that combines an element with the destination.
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

    /// The value of a term over an old value and an element.
    fn combined(&mut self, term: &Term, old: ExprId, element: ExprId) -> ExprId {
        let mut inner = |term: &Term| self.combined(term, old, element);
        match term {
            Term::Const(bits, width) => self.exprs.number(*bits, *width),
            Term::Register(_) => element,
            Term::Old(_) => old,
            // Reductions do not wait.
            Term::Patience => self.exprs.truth(true),
            Term::Free(name, width) | Term::Clock(name, width) | Term::Fixed(name, width) => {
                let id = self.symbols.add(Symbol::chosen(name.clone(), *width));
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

    /// Bytes of any value: a copy leaves them open.
    fn any_byte(&mut self, width: u32) -> ExprId {
        let name = "bytes that a copy ignores".to_owned();
        let id = self.symbols.add(Symbol::chosen(name, width));
        self.exprs.leaf(Expr::Symbol(id), width)
    }
}

/// The part of an access between two bytes, counted from its first byte.
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
        let boundaries = match moves.reduction.is_some() || moves.strong || moves.product.is_some()
        {
            true => Boundaries::Elements,
            false => Boundaries::Open,
        };
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
        cuts.extend(steps.filter(|&at| boundaries == Boundaries::Elements || !inside(at)));
        let copied = exprs.constant(moves.copied).and_then(|n| u64::try_from(n).ok());
        let ends = [moves.open[0], bytes.saturating_sub(moves.open[1])];
        cuts.extend(ends.into_iter().chain(copied).filter(|&at| at < bytes));
        if let Some(mask) = moves.mask {
            let kept = |at: u64| mask >> (at % 16) & 1;
            cuts.extend((1..bytes).filter(|&at| kept(at) != kept(at - 1)));
        }
        let effect = match moves.destinations.is_empty() {
            true => MoveEffect::OnlyRead,
            false => MoveEffect::Written,
        };
        Self { operation, bytes, ranges, cuts, boundaries, effect }
    }
}

/// The pieces of some moves that a program can tell apart, given the ranges of all other accesses.
fn pieces(mut moves: Vec<Move>, others: &[(ObjectId, u64, u64)]) -> Vec<Vec<(u64, u64)>> {
    let cuts = settle_cuts(&mut moves, others);
    let mut classes = Classes::new(&cuts, &moves);
    for &(object, start, end) in others {
        classes.note_access(object, start, end);
    }
    let kept = classes.kept();
    let mut out: Vec<Vec<(u64, u64)>> = Vec::new();
    for (one, kept) in moves.iter().zip(&kept) {
        let kept = one.pieces().zip(kept).filter(|(_, kept)| **kept).map(|(piece, _)| piece);
        out.push(kept.collect());
    }
    // An operation that writes keeps at least one piece.
    for at in 0..moves.len() {
        let operation = moves[at].operation;
        let writes = moves[at].effect == MoveEffect::Written;
        let first = writes && (at == 0 || moves[at - 1].operation != operation);
        let end = moves[at..].iter().take_while(|one| one.operation == operation).count();
        let (own, all) = (at..at + end, at..at + end);
        let fullest = own.max_by_key(|&one| (moves[one].ranges.len(), std::cmp::Reverse(one)));
        if let Some(one) = fullest.filter(|_| first && out[all].iter().all(Vec::is_empty)) {
            out[one].extend(moves[one].pieces().next());
        }
    }
    out
}

/// The boundaries in the bytes of each object: those of other accesses, and those that moves carry
/// from one object to another. Iterates to a fixpoint.
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
                let object_cuts = cuts.entry(object).or_default();
                for at in &one.cuts {
                    changed |= object_cuts.insert(first + at);
                }
                if one.boundaries == Boundaries::Elements {
                    continue;
                }
                for &at in object_cuts.range(first..first + one.bytes) {
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

/// Classes of pieces of moves and stretches of memory, numbered together: a piece of a move is in one
/// class with the bytes that it reads and writes.
struct Classes<'m> {
    moves: &'m [Move],
    /// The number of the first piece of each move.
    first: Vec<usize>,
    /// The number of each stretch of bytes without a boundary inside.
    stretches: BTreeMap<(ObjectId, u64), usize>,
    classes: UnionFind<usize>,
    /// The moves that touch each stretch, each by its operation and the index of its range.
    touched: BTreeMap<usize, Vec<(usize, usize)>>,
    /// The stretches that other accesses touch.
    accessed: BTreeSet<usize>,
}

impl<'m> Classes<'m> {
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
        let mut out = Self {
            moves,
            first,
            stretches,
            classes: UnionFind::new(count),
            touched: BTreeMap::new(),
            accessed: BTreeSet::new(),
        };
        out.unite_copies();
        out
    }

    /// Unites each piece of a move with the stretches that it reads and writes.
    fn unite_copies(&mut self) {
        for (index, one) in self.moves.iter().enumerate() {
            for (at, (from, to)) in one.pieces().enumerate() {
                for (range, &(object, start)) in one.ranges.iter().enumerate() {
                    let bytes = (object, start + from)..(object, start + to);
                    let stretches: Vec<usize> =
                        self.stretches.range(bytes).map(|(_, &number)| number).collect();
                    for number in stretches {
                        let touched = self.touched.entry(number).or_default();
                        touched.push((one.operation, range));
                        self.classes.union(self.first[index] + at, number);
                    }
                }
            }
        }
    }

    /// Notes that another access touches bytes of an object.
    fn note_access(&mut self, object: ObjectId, start: u64, end: u64) {
        let touched = self.stretches.range((object, start)..(object, end));
        self.accessed.extend(touched.map(|(_, &number)| number));
    }

    /// For each move, which of its pieces are kept: those that other accesses touch, and of
    /// equivalent classes the first.
    fn kept(self) -> Vec<Vec<bool>> {
        let class = |number: usize| self.classes.find(number);
        let accessed: BTreeSet<usize> = self.accessed.iter().map(|&number| class(number)).collect();
        // The moves that touch each stretch of a class.
        let mut signatures: IndexMap<usize, Vec<Vec<(usize, usize)>>> = IndexMap::default();
        for (&number, by) in &self.touched {
            let mut by = by.clone();
            by.sort_unstable();
            signatures.entry(class(number)).or_default().push(by);
        }
        let mut kept = BTreeSet::new();
        let mut known = BTreeSet::new();
        for (class, mut by) in signatures {
            by.sort_unstable();
            let several = by.iter().flatten().any(|&(one, _)| one != by[0][0].0);
            if accessed.contains(&class) || several && known.insert(by) {
                kept.insert(class);
            }
        }
        let of_move = |(one, &first): (&Move, &usize)| {
            let pieces = first..first + one.cuts.len() - 1;
            pieces.map(|at| kept.contains(&class(at))).collect()
        };
        self.moves.iter().zip(&self.first).map(of_move).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn copy(bytes: u64, from: (usize, u64), to: (usize, u64)) -> Move {
        let ranges = [from, to].map(|(object, first)| (ObjectId::new(object), first)).to_vec();
        let cuts = (0..bytes).step_by(8).chain([bytes]).collect();
        let (boundaries, effect) = (Boundaries::Open, MoveEffect::Written);
        Move { operation: from.0, bytes, ranges, cuts, boundaries, effect }
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
        // The second piece represents all bytes that no access reads.
        assert_eq!(found, [[(0, 4), (4, 8)], [(0, 4), (4, 8)]]);
    }

    #[test]
    fn bytes_without_accesses_are_one_piece() {
        let found = pieces(vec![copy(1024, (0, 0), (1, 0))], &[]);
        assert_eq!(found, [[(0, 8)]]);
    }

    #[test]
    fn elements_are_not_cut() {
        let mut sum = copy(16, (0, 0), (1, 0));
        sum.cuts = [0, 4, 8, 12, 16].into();
        sum.boundaries = Boundaries::Elements;
        let found = pieces(vec![sum], &[(ObjectId::new(1), 5, 6)]);
        assert_eq!(found, [[(4, 8)]]);
    }
}
