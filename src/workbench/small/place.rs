//! Placements of threads: all scope trees of three levels, and representatives of those that models
//! distinguish.

/// The distance of two threads: the level of their smallest common part of the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// One CTA.
    Cta,
    /// One cluster.
    Cluster,
    /// One GPU.
    Gpu,
    /// The system.
    System,
}

/// The scopes. The scope with the name of a level reaches the threads up to this level.
pub const LEVELS: [Level; 4] = [Level::Cta, Level::Cluster, Level::Gpu, Level::System];

/// A place for each thread: GPU, cluster and CTA, each numbered over the whole system.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Placement {
    /// The CTA, cluster and GPU of each thread.
    pub of: Vec<[u8; 3]>,
}

/// The properties of a placement that models may distinguish.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// `scluster`.
    pub clusters: bool,
    /// `sgpu`.
    pub gpus: bool,
    /// The name of an operation's scope, in addition to the threads that it reaches.
    pub scopes: bool,
    /// Whether programs have clusters.
    pub has_clusters: bool,
}

impl Placement {
    /// How far two threads are from each other.
    #[must_use]
    pub fn level(&self, a: usize, b: usize) -> Level {
        let same = |part: usize| self.of[a][part] == self.of[b][part];
        match (same(0), same(1), same(2)) {
            (true, ..) => Level::Cta,
            (_, true, _) => Level::Cluster,
            (_, _, true) => Level::Gpu,
            _ => Level::System,
        }
    }

    /// The threads that a thread reaches up to a level, a bit each.
    #[must_use]
    pub fn reach(&self, thread: usize, level: Level) -> u32 {
        let near = (0..self.of.len()).filter(|&other| self.level(thread, other) <= level);
        near.map(|other| 1 << other).sum()
    }

    /// How many CTAs, clusters and GPUs there are.
    #[must_use]
    pub fn parts(&self) -> usize {
        (0..3).map(|part| 1 + self.of.iter().map(|p| usize::from(p[part])).max().unwrap_or(0)).sum()
    }

    /// How far all threads are from each other, together.
    #[must_use]
    pub fn distance(&self) -> usize {
        let threads = 0..self.of.len();
        threads.clone().flat_map(|a| threads.clone().map(move |b| self.level(a, b) as usize)).sum()
    }

    /// Whether all threads are at least as far apart as in another placement, and some are further
    /// apart.
    #[must_use]
    pub fn is_further(&self, other: &Self) -> bool {
        let threads = 0..self.of.len();
        let pairs = || threads.clone().flat_map(|a| threads.clone().map(move |b| (a, b)));
        pairs().all(|(a, b)| self.level(a, b) >= other.level(a, b))
            && pairs().any(|(a, b)| self.level(a, b) > other.level(a, b))
    }

    /// The properties of the placement that models distinguish.
    fn seen(&self, asked: Asked) -> Vec<u32> {
        let threads = 0..self.of.len();
        let mut seen = Vec::new();
        for thread in threads {
            seen.push(self.reach(thread, Level::Cta));
            let mut reached: Vec<u32> =
                LEVELS.iter().map(|&level| self.reach(thread, level)).collect();
            if !asked.scopes {
                reached.dedup();
            }
            seen.extend(reached);
            seen.push(u32::MAX);
            if asked.clusters {
                seen.push(self.reach(thread, Level::Cluster));
            }
            if asked.gpus {
                seen.push(self.reach(thread, Level::Gpu));
            }
        }
        seen
    }
}

/// All placements of the given number of threads, those with the fewest parts first.
#[must_use]
pub fn placements(threads: usize) -> Vec<Placement> {
    let mut all: Vec<Placement> = vec![Placement { of: Vec::new() }];
    for _ in 0..threads {
        let longer = all.iter().flat_map(|known| {
            let next = |part: usize| {
                u8::try_from(1 + known.of.iter().map(|p| usize::from(p[part])).max().unwrap_or(0))
            };
            let next: Vec<u8> = match known.of.is_empty() {
                true => vec![0; 3],
                false => (0..3).filter_map(|part| next(part).ok()).collect(),
            };
            // In a known CTA, in a new CTA of a known cluster, in a new cluster of a known GPU, on a
            // new GPU.
            let places = known.of.iter().flat_map(|&[cta, cluster, gpu]| {
                [[cta, cluster, gpu], [next[0], cluster, gpu], [next[0], next[1], gpu]]
            });
            let mut places: Vec<[u8; 3]> = places.chain([[next[0], next[1], next[2]]]).collect();
            places.sort_unstable();
            places.dedup();
            let longer = |place| Placement { of: [&known.of[..], &[place]].concat() };
            places.into_iter().map(longer).collect::<Vec<_>>()
        });
        all = longer.collect();
    }
    all.sort_by_key(|p| (p.parts(), p.of.clone()));
    all
}

/// Representative placements: of all placements that models cannot distinguish, the one with the
/// fewest parts.
#[must_use]
pub fn told_apart(threads: usize, asked: Asked) -> Vec<Placement> {
    let mut seen: Vec<Vec<u32>> = Vec::new();
    let mut kept = Vec::new();
    let all = placements(threads);
    let possible = all.into_iter().filter(|p| asked.has_clusters || !p.has_clusters());
    for placement in possible {
        let looks = placement.seen(asked);
        if !seen.contains(&looks) {
            seen.push(looks);
            kept.push(placement);
        }
    }
    kept
}

impl Placement {
    /// Whether some cluster has several CTAs.
    fn has_clusters(&self) -> bool {
        let threads = 0..self.of.len();
        threads.clone().any(|a| threads.clone().any(|b| self.level(a, b) == Level::Cluster))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_trees_are_all_there() {
        // The levels of the pairs of three threads: the two largest are equal.
        let trees = |threads| placements(threads).len();
        assert_eq!((trees(1), trees(2), trees(3)), (1, 4, 22));
        let triples = LEVELS.iter().flat_map(|&a| LEVELS.iter().map(move |&b| (a, b)));
        let triples = triples.flat_map(|(a, b)| LEVELS.iter().map(move |&c| [a, b, c]));
        let ultrametric = triples.filter(|levels| {
            let most = levels.iter().max();
            levels.iter().filter(|&level| Some(level) == most).count() >= 2
        });
        assert_eq!(ultrametric.count(), 22);
    }

    #[test]
    fn what_looks_the_same_is_kept_once() {
        let asked = Asked { has_clusters: true, ..Asked::default() };
        assert_eq!(told_apart(2, asked).len(), 2);
        assert_eq!(told_apart(3, asked).len(), 8);
        let all = Asked { clusters: true, gpus: true, scopes: true, has_clusters: true };
        assert_eq!(told_apart(3, all).len(), 22);
    }
}
