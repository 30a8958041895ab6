//! Positions of a test's threads in their CTA, their warp and their grid.

use crate::litmus::ast::{Test, Thread, ThreadPlace};
use crate::litmus::launch::{GridSize, grid_sizes};
use rustc_hash::FxHashMap;

/// The position of a thread among the others of the test.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Position {
    /// The index among the threads of its CTA, or of the host.
    pub(super) in_cta: u128,
    /// The index among the threads of its warp, if the test declares the warp.
    pub(super) lane: Option<u32>,
    /// The number of threads in its warp; 0 if the test does not declare the warp.
    pub(super) lanes: u32,
    /// The least size of its grid.
    pub(super) grid: GridSize,
}

/// The position of every thread, with the least size of its grid. Threads of a declared warp are
/// its lanes, in order.
pub(super) fn positions(test: &Test) -> Vec<Position> {
    let sizes = grid_sizes(test);
    let (mut ctas, mut warps) = (FxHashMap::default(), FxHashMap::default());
    let mut sizes_of_warps = FxHashMap::default();
    for warp in test.threads.iter().filter_map(|thread| warp_of(thread.place)) {
        *sizes_of_warps.entry(warp).or_insert(0_u32) += 1;
    }
    let next = |thread: &Thread| {
        let place = match thread.place {
            ThreadPlace::Device(p) => Some(p),
            ThreadPlace::Host => None,
        };
        let cta = ctas.entry(place.map(|p| (p.gpu, p.grid, p.cta))).or_insert(0_u128);
        let in_cta = *cta;
        *cta += 1;
        let own_warp = warp_of(thread.place);
        let lane = own_warp.map(|warp| {
            let lane = warps.entry(warp).or_insert(0_u32);
            *lane += 1;
            *lane - 1
        });
        let lanes = own_warp.map_or(0, |warp| sizes_of_warps[&warp]);
        let grid = place.map_or_else(GridSize::default, |p| sizes[&(p.gpu, p.grid)]);
        Position { in_cta, lane, lanes, grid }
    };
    test.threads.iter().map(next).collect()
}

/// The warp that a test puts a thread into.
fn warp_of(place: ThreadPlace) -> Option<(u32, u32, u32, u32)> {
    match place {
        ThreadPlace::Device(p) => Some((p.gpu, p.grid, p.cta, p.warp?)),
        ThreadPlace::Host => None,
    }
}
