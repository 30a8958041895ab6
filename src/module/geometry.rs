//! The geometry of a launch: the place and the special registers of each thread (PTX-10).

use super::launch::Launch;
use crate::litmus::ast::Place;

/// Threads of a warp.
pub(crate) const WARP: u32 = 32;

/// A thread of a launch, by the number of its CTA and its number in the CTA.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Index {
    /// The CTA: x + y * width + z * width * height.
    pub(crate) cta: u32,
    /// The number of the thread in its CTA, counted likewise.
    pub(crate) thread: u32,
}

/// The sizes of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    /// CTAs of a cluster in each dimension.
    pub(crate) cluster: [u32; 3],
    /// Whether the launch or the kernel specifies the cluster size.
    explicit: bool,
    shared: u32,
}

impl Geometry {
    /// The sizes of a launch, of a kernel that demands clusters of a size or not.
    pub(crate) fn new(launch: &Launch, required: Option<[u32; 3]>) -> Self {
        let cluster = launch.cluster.or(required);
        Self {
            grid: launch.grid,
            block: launch.block,
            cluster: cluster.unwrap_or([1; 3]),
            explicit: cluster.is_some(),
            shared: launch.shared,
        }
    }

    /// How many CTAs there are.
    pub(crate) fn ctas(&self) -> u64 {
        product(self.grid)
    }

    /// How many threads a CTA has.
    pub(crate) fn threads(&self) -> u64 {
        product(self.block)
    }

    /// How many CTAs a cluster has.
    pub(crate) fn cluster_ctas(&self) -> u64 {
        product(self.cluster)
    }

    /// The CTAs in the cluster of one.
    pub(crate) fn cluster_of(&self, cta: u32) -> Vec<u32> {
        let own = self.place_of_cta(cta);
        let [x, y, z] = [0, 1, 2].map(|d| own[d] / self.cluster[d] * self.cluster[d]);
        let [width, height, depth] = self.cluster;
        let mut ctas = Vec::new();
        for (c, b) in (z..z + depth).flat_map(|c| (y..y + height).map(move |b| (c, b))) {
            ctas.extend((x..x + width).map(|a| a + (b + c * self.grid[1]) * self.grid[0]));
        }
        ctas
    }

    /// Where a thread runs.
    pub(crate) fn place(&self, index: Index, gpu: u32, grid: u32) -> Place {
        let cta = self.place_of_cta(index.cta);
        let at = [0, 1, 2].map(|d| cta[d] / self.cluster[d]);
        let of = self.clusters();
        let cluster = at[0] + (at[1] + at[2] * of[1]) * of[0];
        Place { gpu, grid, cluster, cta: index.cta, warp: Some(index.thread / WARP) }
    }

    /// The value of a special register, with its `%`, if the launch determines the value.
    pub(crate) fn special(&self, name: &str, index: Index) -> Option<u128> {
        let name = name.strip_prefix('%').unwrap_or(name);
        let (base, component) = name.split_once('.').unwrap_or((name, "x"));
        let dimension = match component {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            "w" => return Some(0),
            _ => return None,
        };
        let cta = self.place_of_cta(index.cta);
        let lane = index.thread % WARP;
        let bit = 1_u32 << lane;
        let value = match base {
            "tid" => coordinates(index.thread, self.block)[dimension],
            "ntid" => self.block[dimension],
            "ctaid" => cta[dimension],
            "nctaid" => self.grid[dimension],
            "clusterid" => cta[dimension] / self.cluster[dimension],
            "nclusterid" => self.clusters()[dimension],
            "cluster_ctaid" => cta[dimension] % self.cluster[dimension],
            "cluster_nctaid" => self.cluster[dimension],
            "cluster_ctarank" => {
                let [x, y, z] = [0, 1, 2].map(|d| cta[d] % self.cluster[d]);
                x + (y + z * self.cluster[1]) * self.cluster[0]
            }
            "cluster_nctarank" => u32::try_from(self.cluster_ctas()).ok()?,
            "is_explicit_cluster" => u32::from(self.explicit),
            "laneid" => lane,
            "warpid" => index.thread / WARP,
            "lanemask_eq" => bit,
            "lanemask_lt" => bit - 1,
            "lanemask_le" => bit | (bit - 1),
            "lanemask_ge" => !(bit - 1),
            "lanemask_gt" => !(bit | (bit - 1)),
            "dynamic_smem_size" => self.shared,
            _ => return None,
        };
        Some(u128::from(value))
    }

    fn place_of_cta(&self, cta: u32) -> [u32; 3] {
        coordinates(cta, self.grid)
    }

    fn clusters(&self) -> [u32; 3] {
        [0, 1, 2].map(|d| self.grid[d] / self.cluster[d])
    }
}

fn product(sizes: [u32; 3]) -> u64 {
    sizes.iter().map(|&size| u64::from(size)).fold(1, u64::saturating_mul)
}

fn coordinates(number: u32, [width, height, _]: [u32; 3]) -> [u32; 3] {
    [number % width, number / width % height, number / width / height]
}
