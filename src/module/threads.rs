//! The threads of launches: how many there are, and which of them a test has.

use super::geometry::{Geometry, Index, WARP};
use super::launch::{Launch, Launches};
use crate::litmus::error::LitmusError;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// Launches with more threads in all are checked by representatives, unless the user says otherwise.
const MOST_THREADS: u64 = 256;

/// How many threads may be checked as a whole where the user asks for that.
pub(super) const MOST_ASKED: u64 = 4096;

/// The threads that the user wants to be looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(not(feature = "cli"), allow(dead_code, reason = "the command lets users choose"))]
pub(crate) enum Selection {
    /// All, where that is affordable, else representatives.
    #[default]
    Affordable,
    /// All.
    All,
    /// Selected threads, each by the first and last CTA and the first and last thread of each CTA.
    Some(Vec<[RangeInclusive<u32>; 2]>),
}

/// The threads of each launch that a test has.
#[derive(Clone, Debug)]
pub(super) enum Choice {
    /// All.
    All,
    /// Selected threads.
    Some(BTreeSet<Index>),
    /// One, whose indices are inputs of its code.
    Template,
}

impl Choice {
    /// The threads of a launch, in order.
    pub(super) fn of(&self, geometry: &Geometry) -> Vec<Index> {
        match self {
            Self::All => all(geometry).collect(),
            Self::Some(indices) => indices.iter().copied().collect(),
            Self::Template => vec![Index { cta: 0, thread: 0 }],
        }
    }
}

/// How many threads the launches have.
pub(super) fn count(launches: &Launches) -> u64 {
    let size = |sizes: [u32; 3]| sizes.iter().map(|&n| u64::from(n)).fold(1, u64::saturating_mul);
    let threads = |launch: &Launch| size(launch.grid).saturating_mul(size(launch.block));
    launches.list.iter().map(threads).fold(0, u64::saturating_add)
}

/// Whether threads have to be chosen.
///
/// # Errors
/// When a complete check is requested and there are too many threads for it.
pub(super) fn wants_some(launches: &Launches, selection: &Selection) -> Result<bool, LitmusError> {
    let threads = count(launches);
    match selection {
        Selection::Affordable => Ok(threads > MOST_THREADS),
        Selection::Some(_) => Ok(true),
        Selection::All if threads <= MOST_ASKED => Ok(false),
        Selection::All => {
            let message = format!("{threads} threads are too many to be checked as a whole");
            Err(too_many(message, &launches.list[0]))
        }
    }
}

pub(super) fn too_many(message: String, launch: &Launch) -> LitmusError {
    LitmusError::Other {
        code: "launch-size",
        message,
        help: format!(
            "up to {MOST_ASKED} are; choose some with --threads, or launch fewer: few CTAs and warps \
             show most of what many do"
        ),
        span: launch.span,
    }
}

pub(super) fn all(geometry: &Geometry) -> impl Iterator<Item = Index> {
    let (ctas, threads) = sizes(geometry);
    (0..ctas).flat_map(move |cta| (0..threads).map(move |thread| Index { cta, thread }))
}

pub(super) fn sizes(geometry: &Geometry) -> (u32, u32) {
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    (small(geometry.ctas()), small(geometry.threads()))
}

/// A sample of threads, for launches that are too large to be followed as a whole. It consists of the first two and the last
/// two CTAs, with the CTAs of their clusters. Each CTA contributes its first two warps, its last
/// warp, and the first and last lanes of the other warps.
pub(super) fn sample(geometry: &Geometry) -> Vec<Index> {
    let (ctas, threads) = sizes(geometry);
    let ends = |count: u32| [0, 1, count.saturating_sub(2), count - 1];
    let chosen = ends(ctas).into_iter().filter(|&cta| cta < ctas);
    let chosen: BTreeSet<u32> = chosen.flat_map(|cta| geometry.cluster_of(cta)).collect();
    let last = (threads - 1) / WARP;
    let wanted = |thread: &u32| {
        let (warp, lane) = (thread / WARP, thread % WARP);
        warp < 2 || warp == last || lane == 0 || lane == WARP - 1
    };
    let in_cta: Vec<u32> = (0..threads).filter(wanted).collect();
    let of_cta = |cta: u32| in_cta.iter().map(move |&thread| Index { cta, thread });
    chosen.into_iter().flat_map(of_cta).collect()
}
