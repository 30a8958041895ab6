//! How two threads of launches are related, as far as synchronization depends on it: how near they are, and
//! which places of strong accesses they share.

use super::geometry::{Index, WARP};
use super::trace::Touch;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

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

/// A strong access: a number for its place, and its step.
pub(super) type StrongAccess = (u64, u32);

/// The first strong accesses of a thread in a CTA of a launch.
pub(super) fn strong(touches: &[Touch], cta: (usize, u32)) -> Vec<StrongAccess> {
    let strong = touches.iter().filter(|touch| touch.is_strong).take(MOST_COMPARED);
    let of = |touch: &Touch| {
        let instance = touch.is_shared.then_some(cta);
        let mut hasher = FxHasher::default();
        (touch.variable, instance, touch.offset).hash(&mut hasher);
        (hasher.finish(), touch.at)
    };
    strong.map(of).collect()
}

/// A thread: where it is, and its strong accesses.
#[derive(Clone, Copy)]
pub(super) struct Relative<'t> {
    pub(super) launch: usize,
    pub(super) index: Index,
    /// The first CTA of its cluster.
    pub(super) cluster: u32,
    pub(super) strong: &'t [StrongAccess],
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
        let mut hasher = FxHasher::default();
        for &(place, at) in self.strong {
            for &(_, there) in other.strong.iter().filter(|(theirs, _)| *theirs == place) {
                (at, there).hash(&mut hasher);
            }
        }
        hasher.finish()
    }
}

/// How many strong accesses of a thread are compared.
const MOST_COMPARED: usize = 16;
