//! Sets of events: one bit per event.

use super::{
    count_words, fill, intersect_words, is_subset_words, locate, ones, same_words, subtract_words,
    union_words, words_for,
};
use crate::id::EventId;
use smallvec::SmallVec;

/// A set of events out of a universe of [`len`](Self::len) events.
#[derive(Clone, Default, Eq)]
pub struct EventSet {
    n: usize,
    /// Within the set itself for up to 128 events.
    pub(super) words: SmallVec<[u64; 2]>,
}

impl PartialEq for EventSet {
    fn eq(&self, other: &Self) -> bool {
        self.n == other.n && same_words(&self.words, &other.words)
    }
}

impl EventSet {
    /// The empty set over `n` events.
    #[must_use]
    pub fn empty(n: usize) -> Self {
        Self { n, words: SmallVec::from_elem(0, words_for(n)) }
    }

    /// Becomes the empty set over `n` events, reusing memory.
    pub fn reset(&mut self, n: usize) {
        self.n = n;
        self.words.clear();
        self.words.resize(words_for(n), 0);
    }

    /// All `n` events.
    #[must_use]
    pub fn full(n: usize) -> Self {
        let mut set = Self::empty(n);
        fill(&mut set.words, n);
        set
    }

    /// How many events the universe has (not how many are in the set: that is [`count`](Self::count)).
    #[must_use]
    pub fn len(&self) -> usize {
        self.n
    }

    /// Adds an event; gives whether it was new.
    ///
    /// # Panics
    /// When the event is outside the universe, as in every operation on single events.
    pub fn insert(&mut self, event: EventId) -> bool {
        let (word, mask) = self.locate(event);
        let new = self.words[word] & mask == 0;
        self.words[word] |= mask;
        new
    }

    /// Removes an event; gives whether it was present.
    pub fn remove(&mut self, event: EventId) -> bool {
        let (word, mask) = self.locate(event);
        let there = self.words[word] & mask != 0;
        self.words[word] &= !mask;
        there
    }

    /// Whether the event is in the set.
    #[must_use]
    pub fn contains(&self, event: EventId) -> bool {
        let (word, mask) = self.locate(event);
        self.words[word] & mask != 0
    }

    /// Whether no event is in the set.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// How many events are in the set.
    #[must_use]
    pub fn count(&self) -> usize {
        count_words(&self.words)
    }

    /// The events, ascending.
    pub fn iter(&self) -> impl Iterator<Item = EventId> + '_ {
        ones(&self.words).map(EventId::new)
    }

    /// Adds every event of `other`; whether one was new.
    pub fn union_with(&mut self, other: &Self) -> bool {
        self.check(other);
        union_words(&mut self.words, &other.words)
    }

    /// Keeps the events that are in `other` too.
    pub fn intersect_with(&mut self, other: &Self) {
        self.check(other);
        intersect_words(&mut self.words, &other.words);
    }

    /// Removes every event of `other`.
    pub fn subtract(&mut self, other: &Self) {
        self.check(other);
        subtract_words(&mut self.words, &other.words);
    }

    /// Whether every event of this set is in `other`.
    #[must_use]
    pub fn is_subset(&self, other: &Self) -> bool {
        self.check(other);
        is_subset_words(&self.words, &other.words)
    }

    /// Removes all events.
    pub fn clear(&mut self) {
        self.words.fill(0);
    }

    /// Becomes a copy of `other`.
    pub fn copy_from(&mut self, other: &Self) {
        self.check(other);
        self.words.copy_from_slice(&other.words);
    }

    fn locate(&self, event: EventId) -> (usize, u64) {
        assert!(event.index() < self.n, "{event:?} is outside a universe of {} events", self.n);
        locate(event.index())
    }

    fn check(&self, other: &Self) {
        debug_assert_eq!(self.n, other.n, "sets over different universes");
    }
}

impl std::fmt::Debug for EventSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
