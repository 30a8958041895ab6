//! Binary relations over events: a square bit matrix, stored by rows.

use super::{
    clear_words, copy_words, count_words, fill, intersect_words, is_subset_words, kernel, locate,
    ones, same_words, set::EventSet, subtract_words, union_words, words_for,
};
use crate::id::EventId;
use smallvec::SmallVec;
use std::collections::VecDeque;

/// A relation over a universe of [`len`](Self::len) events.
#[derive(Default, Eq)]
pub struct Rel {
    n: usize,
    /// Words of one row.
    width: usize,
    words: Vec<u64>,
}

impl Clone for Rel {
    fn clone(&self) -> Self {
        Self { n: self.n, width: self.width, words: self.words.clone() }
    }

    fn clone_from(&mut self, other: &Self) {
        (self.n, self.width) = (other.n, other.width);
        self.words.clone_from(&other.words);
    }
}

impl PartialEq for Rel {
    fn eq(&self, other: &Self) -> bool {
        self.n == other.n && same_words(&self.words, &other.words)
    }
}

impl Rel {
    /// The empty relation over `n` events.
    #[must_use]
    pub fn empty(n: usize) -> Self {
        let width = words_for(n);
        Self { n, width, words: vec![0; n * width] }
    }

    /// Becomes the empty relation over `n` events, reusing memory.
    pub fn reset(&mut self, n: usize) {
        (self.n, self.width) = (n, words_for(n));
        self.words.clear();
        self.words.resize(n * self.width, 0);
    }

    /// Every event related to itself.
    #[must_use]
    pub fn identity(n: usize) -> Self {
        Self::to_id(&EventSet::full(n))
    }

    /// Every event related to every event.
    #[must_use]
    pub fn full(n: usize) -> Self {
        let mut rel = Self::empty(n);
        for row in rel.words.chunks_exact_mut(rel.width.max(1)) {
            fill(row, n);
        }
        rel
    }

    /// The identity on `set`.
    #[must_use]
    pub fn to_id(set: &EventSet) -> Self {
        let mut rel = Self::empty(set.len());
        rel.assign_to_id(set);
        rel
    }

    /// The product of two sets.
    #[must_use]
    pub fn cross(from: &EventSet, to: &EventSet) -> Self {
        let mut rel = Self::empty(from.len());
        rel.assign_cross(from, to);
        rel
    }

    /// The relation of the given pairs over `n` events.
    #[must_use]
    pub fn from_pairs(n: usize, pairs: impl IntoIterator<Item = (EventId, EventId)>) -> Self {
        let mut rel = Self::empty(n);
        for (a, b) in pairs {
            rel.insert(a, b);
        }
        rel
    }

    /// How many events the universe has (the number of pairs is [`count`](Self::count)).
    #[must_use]
    pub fn len(&self) -> usize {
        self.n
    }

    /// Relates `a` to `b`; whether that is new.
    ///
    /// # Panics
    /// When an event is outside the universe; so for every operation on single events.
    pub fn insert(&mut self, a: EventId, b: EventId) -> bool {
        let (word, mask) = self.locate(a, b);
        let new = self.words[word] & mask == 0;
        self.words[word] |= mask;
        new
    }

    /// Relates `a` to every event of `set`.
    pub fn insert_all(&mut self, a: EventId, set: &EventSet) {
        union_words(self.row_words_mut(a.index()), &set.words);
    }

    /// Removes a pair; gives whether it was present.
    pub fn remove(&mut self, a: EventId, b: EventId) -> bool {
        let (word, mask) = self.locate(a, b);
        let there = self.words[word] & mask != 0;
        self.words[word] &= !mask;
        there
    }

    /// Whether `a` is related to `b`.
    #[must_use]
    pub fn contains(&self, a: EventId, b: EventId) -> bool {
        let (word, mask) = self.locate(a, b);
        self.words[word] & mask != 0
    }

    /// Whether there is no pair.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// How many pairs there are.
    #[must_use]
    pub fn count(&self) -> usize {
        count_words(&self.words)
    }

    /// The pairs, in ascending order.
    pub fn iter_pairs(&self) -> impl Iterator<Item = (EventId, EventId)> + '_ {
        (0..self.n).map(EventId::new).flat_map(move |a| self.row(a).map(move |b| (a, b)))
    }

    /// The events that `a` is related to, ascending.
    pub fn row(&self, a: EventId) -> impl Iterator<Item = EventId> + '_ {
        ones(self.row_words(a.index())).map(EventId::new)
    }

    /// Whether `a` is related to an event of `set`.
    #[must_use]
    pub fn row_meets(&self, a: EventId, set: &EventSet) -> bool {
        self.row_words(a.index()).iter().zip(&set.words).any(|(&r, &s)| r & s != 0)
    }

    /// Adds every pair of `other`; whether one was new.
    pub fn union_with(&mut self, other: &Self) -> bool {
        self.check(other);
        union_words(&mut self.words, &other.words)
    }

    /// Keeps the pairs that are in `other` too.
    pub fn intersect_with(&mut self, other: &Self) {
        self.check(other);
        intersect_words(&mut self.words, &other.words);
    }

    /// Removes every pair of `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.check(other);
        subtract_words(&mut self.words, &other.words);
    }

    /// Whether every pair of this relation is in `other`.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.check(other);
        is_subset_words(&self.words, &other.words)
    }

    /// Whether some pair is in both relations.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        self.check(other);
        self.words.iter().zip(&other.words).any(|(a, b)| a & b != 0)
    }

    /// Removes all pairs.
    pub fn clear(&mut self) {
        clear_words(&mut self.words);
    }

    /// Becomes a copy of `other`.
    pub fn copy_from(&mut self, other: &Self) {
        self.check(other);
        copy_words(&mut self.words, &other.words);
    }

    /// Becomes the identity on `set`.
    pub fn assign_to_id(&mut self, set: &EventSet) {
        self.clear();
        for event in set.iter() {
            self.insert(event, event);
        }
    }

    /// Becomes the product of two sets.
    pub fn assign_cross(&mut self, from: &EventSet, to: &EventSet) {
        self.clear();
        for a in from.iter() {
            self.row_words_mut(a.index()).copy_from_slice(&to.words);
        }
    }

    /// Keeps the pairs whose first event is in `set`.
    pub fn restrict_domain(&mut self, set: &EventSet) {
        for (a, row) in self.words.chunks_exact_mut(self.width.max(1)).enumerate() {
            if row.iter().any(|&w| w != 0) && !set.contains(EventId::new(a)) {
                row.fill(0);
            }
        }
    }

    /// Keeps the pairs whose second event is in `set`.
    pub fn restrict_range(&mut self, set: &EventSet) {
        for row in self.words.chunks_exact_mut(self.width.max(1)) {
            if row.iter().any(|&w| w != 0) {
                intersect_words(row, &set.words);
            }
        }
    }

    /// The first events of the pairs, into `out`.
    pub fn domain_into(&self, out: &mut EventSet) {
        out.clear();
        for a in 0..self.n {
            if self.row_words(a).iter().any(|&w| w != 0) {
                out.insert(EventId::new(a));
            }
        }
    }

    /// The second events of the pairs, into `out`.
    pub fn range_into(&self, out: &mut EventSet) {
        out.clear();
        for row in self.words.chunks_exact(self.width.max(1)) {
            union_words(&mut out.words, row);
        }
    }

    /// The converse.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut out = Self::empty(self.n);
        self.inverse_into(&mut out);
        out
    }

    /// The converse, into `out`.
    pub fn inverse_into(&self, out: &mut Self) {
        self.check(out);
        out.clear();
        for a in 0..self.n {
            let (word, mask) = locate(a);
            for b in ones(self.row_words(a)) {
                out.words[b * self.width + word] |= mask;
            }
        }
    }

    /// `self ; other`, into `out`.
    pub fn compose_into(&self, other: &Self, out: &mut Self) {
        out.clear();
        self.compose_union_into(other, out);
    }

    /// The converse of `self`, composed with `other`, into `out`.
    pub fn compose_inverted_into(&self, other: &Self, out: &mut Self) {
        self.check(other);
        self.check(out);
        out.clear();
        match self.width {
            1 => return kernel::compose_inverted::<1>(&self.words, &other.words, &mut out.words),
            2 => return kernel::compose_inverted::<2>(&self.words, &other.words, &mut out.words),
            3 => return kernel::compose_inverted::<3>(&self.words, &other.words, &mut out.words),
            4 => return kernel::compose_inverted::<4>(&self.words, &other.words, &mut out.words),
            _ => {}
        }
        for x in 0..self.n {
            let row = other.row_words(x);
            if row.iter().any(|&w| w != 0) {
                for y in ones(self.row_words(x)) {
                    union_words(out.row_words_mut(y), row);
                }
            }
        }
    }

    /// `out |= self ; other`; whether that added a pair.
    pub fn compose_union_into(&self, other: &Self, out: &mut Self) -> bool {
        self.check(other);
        self.check(out);
        match self.width {
            1 => return kernel::compose::<1>(&self.words, &other.words, &mut out.words),
            2 => return kernel::compose::<2>(&self.words, &other.words, &mut out.words),
            3 => return kernel::compose::<3>(&self.words, &other.words, &mut out.words),
            4 => return kernel::compose::<4>(&self.words, &other.words, &mut out.words),
            _ => {}
        }
        let mut added = false;
        for a in 0..self.n {
            let row = out.row_words_mut(a);
            let (mut four, mut count) = ([0; 4], 0);
            ones(self.row_words(a)).for_each(|b| {
                four[count] = b;
                count += 1;
                if count == four.len() {
                    added |= kernel::union_four(row, four.map(|b| other.row_words(b)));
                    count = 0;
                }
            });
            for &b in &four[..count] {
                added |= union_words(row, other.row_words(b));
            }
        }
        added
    }

    /// Becomes its own transitive closure.
    pub fn transitive_closure_in_place(&mut self) {
        match self.width {
            1 => return kernel::close::<1>(&mut self.words),
            2 => return kernel::close::<2>(&mut self.words),
            3 => return kernel::close::<3>(&mut self.words),
            4 => return kernel::close::<4>(&mut self.words),
            0 => return,
            _ if kernel::close_acyclic(&mut self.words, self.width) => return,
            _ => {}
        }
        // Warshall's algorithm, a row at a time.
        for via in 0..self.n {
            if self.row_words(via).iter().all(|&w| w == 0) {
                continue;
            }
            let (word, mask) = locate(via);
            for a in 0..self.n {
                if a != via && self.words[a * self.width + word] & mask != 0 {
                    self.union_row(a, via);
                }
            }
        }
    }

    /// Adds a pair to a transitively closed relation and closes it again; gives whether it was new.
    pub fn insert_closed(&mut self, a: EventId, b: EventId) -> bool {
        if !self.insert(a, b) {
            return false;
        }
        if a != b {
            self.union_row(a.index(), b.index());
        }
        let (word, mask) = locate(a.index());
        for x in 0..self.n {
            if x != a.index() && self.words[x * self.width + word] & mask != 0 {
                self.union_row(x, a.index());
            }
        }
        true
    }

    /// Whether no event is related to itself.
    #[must_use]
    pub fn is_irreflexive(&self) -> bool {
        self.first_reflexive().is_none()
    }

    /// The first event that is related to itself.
    #[must_use]
    pub fn first_reflexive(&self) -> Option<EventId> {
        (0..self.n).map(EventId::new).find(|&e| self.contains(e, e))
    }

    /// Whether there is no cycle.
    #[must_use]
    pub fn is_acyclic(&self) -> bool {
        // Peels off events without a successor among those that are left.
        let mut left: SmallVec<[u64; 4]> = SmallVec::from_elem(0, self.width);
        fill(&mut left, self.n);
        loop {
            let mut peeled = false;
            for a in (0..self.n).rev() {
                let (word, mask) = locate(a);
                let meets = || self.row_words(a).iter().zip(&left).any(|(&r, &l)| r & l != 0);
                if left[word] & mask != 0 && !meets() {
                    left[word] &= !mask;
                    peeled = true;
                }
            }
            if left.iter().all(|&w| w == 0) {
                return true;
            }
            if !peeled {
                return false;
            }
        }
    }

    /// A shortest cycle, each event once, the last related to the first; `None` when acyclic.
    #[must_use]
    pub fn find_cycle(&self) -> Option<Vec<EventId>> {
        if self.is_acyclic() {
            return None;
        }
        (0..self.n)
            .map(EventId::new)
            .filter_map(|start| self.find_path(start, start))
            .min_by_key(Vec::len)
    }

    /// A shortest path of at least one step from `from` to `to`, without its last event.
    #[must_use]
    pub fn find_path(&self, from: EventId, to: EventId) -> Option<Vec<EventId>> {
        let mut parent: Vec<Option<EventId>> = vec![None; self.n];
        let mut queue = VecDeque::from([from]);
        while let Some(at) = queue.pop_front() {
            if self.contains(at, to) {
                let mut path: Vec<EventId> =
                    std::iter::successors(Some(at), |e| parent[e.index()]).collect();
                path.reverse();
                return Some(path);
            }
            for next in self.row(at) {
                if next != from && parent[next.index()].is_none() {
                    parent[next.index()] = Some(at);
                    queue.push_back(next);
                }
            }
        }
        None
    }

    fn row_words(&self, a: usize) -> &[u64] {
        &self.words[a * self.width..(a + 1) * self.width]
    }

    fn row_words_mut(&mut self, a: usize) -> &mut [u64] {
        &mut self.words[a * self.width..(a + 1) * self.width]
    }

    /// Adds row `from` to row `to`, which differ.
    fn union_row(&mut self, to: usize, from: usize) {
        let middle = to.max(from) * self.width;
        let (low, high) = self.words.split_at_mut(middle);
        let high = &mut high[..self.width];
        let low = &mut low[to.min(from) * self.width..][..self.width];
        let (target, source) = if to > from { (high, low) } else { (low, high) };
        union_words(target, source);
    }

    fn locate(&self, a: EventId, b: EventId) -> (usize, u64) {
        assert!(
            a.index() < self.n && b.index() < self.n,
            "({a:?}, {b:?}) is outside a universe of {} events",
            self.n
        );
        let (word, mask) = locate(b.index());
        (a.index() * self.width + word, mask)
    }

    fn check(&self, other: &Self) {
        debug_assert_eq!(self.n, other.n, "relations over different universes");
    }
}

impl std::fmt::Debug for Rel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter_pairs()).finish()
    }
}
