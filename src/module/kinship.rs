//! How two threads of launches are related, as far as synchronization depends on it: how near they are, and
//! which places of strong accesses they share.

use super::geometry::{Index, WARP};
use super::trace::Touch;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The smallest group that both threads belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Nearness {
    /// A warp.
    Warp,
    /// A CTA.
    Cta,
    /// A cluster.
    Cluster,
    /// None: different clusters, or different launches.
    Apart,
}

/// The relation of one thread to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Kinship {
    pub(super) nearness: Nearness,
    /// A number for the strong accesses of both that go to the same bytes, such as those to one lock.
    shared: u64,
}

/// A thread: where it is, and its accesses.
#[derive(Clone, Copy)]
pub(super) struct Relative<'t> {
    pub(super) launch: usize,
    pub(super) index: Index,
    /// The first CTA of its cluster.
    pub(super) cluster: u32,
    pub(super) touches: &'t [(usize, Touch)],
}

impl Relative<'_> {
    /// The relation to another thread.
    pub(super) fn to(self, other: Self) -> Kinship {
        Kinship { nearness: self.nearness(other), shared: self.shared(other) }
    }

    fn nearness(self, other: Self) -> Nearness {
        let of = |thread: Self| (thread.launch, thread.index.cta);
        if of(self) == of(other) {
            let warp = |thread: Self| thread.index.thread / WARP;
            return if warp(self) == warp(other) { Nearness::Warp } else { Nearness::Cta };
        }
        match (self.launch, self.cluster) == (other.launch, other.cluster) {
            true => Nearness::Cluster,
            false => Nearness::Apart,
        }
    }

    fn shared(self, other: Self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for (own, touch) in self.strong() {
            for (theirs, at) in other.strong().filter(|(place, _)| *place == own) {
                (touch, at, theirs.0).hash(&mut hasher);
            }
        }
        hasher.finish()
    }

    /// The strong accesses, by place and step.
    fn strong(self) -> impl Iterator<Item = (Place, u32)> {
        let strong = self.touches.iter().filter(|(_, touch)| touch.is_strong).take(MOST_COMPARED);
        strong.map(move |(_, touch)| {
            let cta = touch.is_shared.then_some((self.launch, self.index.cta));
            ((touch.variable, cta, touch.offset), touch.at)
        })
    }
}

/// The variable, the CTA whose instance it is, and the first byte.
type Place = (usize, Option<(usize, u32)>, u64);

/// How many strong accesses of a thread are compared.
const MOST_COMPARED: usize = 16;
