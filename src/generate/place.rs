//! The placements of the threads of a cycle: all partitions into CTAs, clusters and devices.

use std::fmt::{self, Display, Formatter};

/// The levels of the machine at which threads may be separated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// CTAs; else all threads are in one.
    pub ctas: Apart,
    /// Several CTAs in one cluster, and several clusters; else each CTA is a cluster of its own.
    pub clusters: Apart,
    /// Devices; else there is one.
    pub gpus: Apart,
}

/// Whether threads may be in different parts of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Apart {
    /// Threads may be separated.
    May,
    /// Threads are never separated.
    Never,
}

/// Where a thread runs; numbers count within the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Spot {
    /// The device.
    pub gpu: u32,
    /// The cluster.
    pub cluster: u32,
    /// The CTA.
    pub cta: u32,
}

/// The places of the threads of a test, numbered in order of first occurrence.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Placement(pub Vec<Spot>);

/// All placements of so many threads, each once: everyone together first.
#[must_use]
pub fn placements(threads: usize, levels: Levels) -> Vec<Placement> {
    let mut all = Vec::new();
    extend(threads, levels, &mut Vec::new(), &mut all);
    all
}

/// Enumerates the places of the next thread: each existing CTA, a new CTA of each cluster, a new
/// cluster of each device, and a new device.
fn extend(threads: usize, levels: Levels, spots: &mut Vec<Spot>, all: &mut Vec<Placement>) {
    if spots.len() == threads {
        all.push(Placement(spots.clone()));
        return;
    }
    let next = |of: fn(&Spot) -> u32| spots.iter().map(of).max().map_or(0, |most| most + 1);
    let (gpu, cluster, cta) = (next(|s| s.gpu), next(|s| s.cluster), next(|s| s.cta));
    let mut choices: Vec<Spot> = Vec::new();
    for spot in spots.iter() {
        if !choices.contains(spot) {
            choices.push(*spot);
        }
    }
    let old = choices.clone();
    if levels.ctas == Apart::May {
        if levels.clusters == Apart::May {
            for spot in &old {
                let spot = Spot { cta, ..*spot };
                if !choices.contains(&spot) {
                    choices.push(spot);
                }
            }
        }
        for spot in &old {
            let spot = Spot { cluster, cta, ..*spot };
            if !choices.contains(&spot) {
                choices.push(spot);
            }
        }
    }
    if spots.is_empty() || levels.gpus == Apart::May {
        choices.push(Spot { gpu, cluster, cta });
    }
    for choice in choices {
        spots.push(choice);
        extend(threads, levels, spots, all);
        spots.pop();
    }
}

impl Placement {
    /// The placement with the threads from `first` on in front of the others, renumbered.
    #[must_use]
    pub fn turned(&self, first: usize) -> Self {
        let count = self.0.len();
        let turned = (0..count).map(|at| self.0[(at + first) % count]);
        Self::numbered(turned)
    }

    /// Renumbers spots in order of first occurrence.
    fn numbered(spots: impl Iterator<Item = Spot>) -> Self {
        let (mut gpus, mut clusters, mut ctas) = (Vec::new(), Vec::new(), Vec::new());
        let number = |known: &mut Vec<u32>, old: u32| {
            let found = known.iter().position(|&other| other == old);
            let at = found.unwrap_or_else(|| {
                known.push(old);
                known.len() - 1
            });
            u32::try_from(at).unwrap_or(u32::MAX)
        };
        let spots = spots.map(|spot| Spot {
            gpu: number(&mut gpus, spot.gpu),
            cluster: number(&mut clusters, spot.cluster),
            cta: number(&mut ctas, spot.cta),
        });
        Self(spots.collect())
    }

    /// Whether two threads are in one CTA.
    #[must_use]
    pub fn together(&self, a: usize, b: usize) -> bool {
        self.0[a].cta == self.0[b].cta
    }

    /// The placement that a word names.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        let (mut spot, mut spots) = (Spot { gpu: 0, cluster: 0, cta: 0 }, Vec::new());
        let mut was_mark = true;
        for letter in word.chars() {
            match letter {
                _ if letter.is_ascii_digit() => {
                    spots.push((letter.to_digit(10)?, spot));
                    was_mark = false;
                }
                '.' | '-' | '_' if !was_mark => {
                    spot.cta += 1;
                    spot.cluster += u32::from(letter != '.');
                    spot.gpu += u32::from(letter == '_');
                    was_mark = true;
                }
                _ => return None,
            }
        }
        spots.sort_unstable();
        let is_all = spots.iter().enumerate().all(|(at, (thread, _))| *thread as usize == at);
        let placement = Self::numbered(spots.iter().map(|(_, spot)| *spot));
        // Only one word names it.
        (is_all && !was_mark && placement.to_string() == word).then_some(placement)
    }
}

impl Display for Placement {
    /// The threads of a CTA side by side, `.` between CTAs of a cluster, `-` between clusters, `_` between
    /// devices.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut order: Vec<(Spot, usize)> =
            self.0.iter().enumerate().map(|(thread, spot)| (*spot, thread)).collect();
        order.sort_unstable();
        let mut before: Option<Spot> = None;
        for (spot, thread) in order {
            match before {
                Some(other) if other.gpu != spot.gpu => f.write_str("_")?,
                Some(other) if other.cluster != spot.cluster => f.write_str("-")?,
                Some(other) if other.cta != spot.cta => f.write_str(".")?,
                _ => {}
            }
            write!(f, "{thread}")?;
            before = Some(spot);
        }
        Ok(())
    }
}
