//! A hitting set of least cost: the cheapest levels outside of all boxes of levels that are known
//! to fail. The search tries cheap levels first.
//!
//! On the way to an answer levels only rise, one box after the other, and each step rises only far
//! enough to leave its box. Therefore no answer is missed: all levels outside of all boxes are
//! reached from below.

use super::program::Assignment;
use super::site::Site;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

/// The levels of each site, as bits, of which no combination will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failing(pub Vec<u64>);

impl Failing {
    /// Whether the box contains the levels.
    #[must_use]
    pub fn contains(&self, levels: &[u8]) -> bool {
        self.0.iter().zip(levels).all(|(bits, &level)| bits >> level & 1 == 1)
    }
}

/// Why no answer was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMore {
    /// There is no answer.
    Exhausted,
    /// The search exceeded its limit on combinations.
    TooMany,
}

/// How many combinations are looked at for one answer.
const MOST_LOOKED_AT: usize = 200_000;

/// The total cost of levels.
#[must_use]
pub fn cost(sites: &[Site], levels: &[u8]) -> u32 {
    let costs = sites.iter().zip(levels).map(|(site, &level)| site.costs[usize::from(level)]);
    costs.fold(0, u32::saturating_add)
}

/// The cheapest levels outside of all boxes. Among equal costs, levels with fewer changes come
/// first, and then those that change the first sites.
///
/// # Errors
/// When there are no such levels, or when the search exceeds its limit.
pub fn cheapest(sites: &[Site], failing: &[Failing]) -> Result<Assignment, NoMore> {
    let bottom: Assignment = vec![0; sites.len()];
    let mut queue = BinaryHeap::new();
    let mut known = HashSet::new();
    let entry = |levels: Assignment| {
        let changes = levels.iter().filter(|level| **level > 0).count();
        let raised: Vec<_> = levels.iter().map(|&level| Reverse(level)).collect();
        let cost = cost(sites, &levels);
        let more = more_at_least(sites, failing, &levels);
        more.map(|more| Reverse((cost.saturating_add(more), changes, raised, levels)))
    };
    queue.extend(entry(bottom.clone()));
    known.insert(bottom);
    while let Some(Reverse((_, _, _, levels))) = queue.pop() {
        if known.len() > MOST_LOOKED_AT {
            return Err(NoMore::TooMany);
        }
        let Some(first) = failing
            .iter()
            .filter(|failing| failing.contains(&levels))
            .min_by_key(|failing| ways_out(sites, failing, &levels).count())
        else {
            return Ok(levels);
        };
        for (site, level) in ways_out(sites, first, &levels) {
            let mut next = levels.clone();
            next[site] = level;
            if known.insert(next.clone()) {
                queue.extend(entry(next));
            }
        }
    }
    Err(NoMore::Exhausted)
}

/// The least levels above given ones that lead out of a box, by site.
fn ways_out<'a>(
    sites: &'a [Site],
    failing: &'a Failing,
    levels: &'a [u8],
) -> impl Iterator<Item = (usize, u8)> + 'a {
    sites.iter().enumerate().flat_map(move |(index, site)| {
        let now = usize::from(levels[index]);
        let bits = failing.0[index];
        let out = move |at: &usize| bits >> at & 1 == 0 && site.is_below(now, *at);
        let least = move |at: &usize| {
            let others = (0..site.levels.len()).filter(out);
            others.clone().all(|other| other == *at || !site.is_below(other, *at))
        };
        (0..site.levels.len()).filter(out).filter(least).map(move |at| (index, to_level(at)))
    })
}

fn to_level(at: usize) -> u8 {
    u8::try_from(at).expect("a site has at most 64 levels")
}

/// A lower bound on the additional cost of levels: the sum of the cheapest exits from boxes that
/// share no exit. `None` if some box has no exit.
fn more_at_least(sites: &[Site], failing: &[Failing], levels: &[u8]) -> Option<u32> {
    let mut taken = vec![false; sites.len()];
    let mut sum = 0_u32;
    for failing in failing.iter().filter(|failing| failing.contains(levels)) {
        let ways: Vec<(usize, u8)> = ways_out(sites, failing, levels).collect();
        let costs = ways.iter().map(|&(site, level)| {
            let costs = &sites[site].costs;
            costs[usize::from(level)].saturating_sub(costs[usize::from(levels[site])])
        });
        let least = costs.min()?;
        if ways.iter().all(|&(site, _)| !taken[site]) {
            ways.iter().for_each(|&(site, _)| taken[site] = true);
            sum = sum.saturating_add(least);
        }
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::cost::{Class, Costs};
    use crate::advise::level::Level;
    use crate::advise::site::{Place, Position};
    use crate::ptx::operation::{Order, Scope};

    /// Sites with a fence each: none, acquire, release, acq_rel.
    fn sites(count: usize) -> Vec<Site> {
        let orders = [Order::Acquire, Order::Release, Order::AcqRel];
        let fences = orders.map(|order| Level::Strong(order, Scope::Cta));
        let levels: Vec<Level> = std::iter::once(Level::Absent).chain(fences).collect();
        let costs: Vec<u32> =
            levels.iter().map(|level| Costs::default().of(Class::Fence, *level)).collect();
        let position = |statement| Position { threads: vec![0], statement };
        let site = |at| Site {
            place: Place::Before(position(at)),
            class: Class::Fence,
            levels: levels.clone(),
            written: 0,
            costs: costs.clone(),
        };
        (0..count).map(site).collect()
    }

    /// The least cost by looking at everything.
    fn by_brute_force(sites: &[Site], failing: &[Failing]) -> Option<u32> {
        let count = 4_usize.pow(u32::try_from(sites.len()).expect("few sites"));
        let levels = |mut index: usize| -> Assignment {
            sites
                .iter()
                .map(|_| {
                    let level = index % 4;
                    index /= 4;
                    to_level(level)
                })
                .collect()
        };
        let all = (0..count).map(levels);
        let good = all.filter(|levels| failing.iter().all(|f| !f.contains(levels)));
        good.map(|levels| cost(sites, &levels)).min()
    }

    #[test]
    fn the_cheapest_is_found() {
        let sites = sites(5);
        // Boxes from a linear congruence: any will do, since both sides see the same.
        let mut seed = 7_u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
            seed >> 33
        };
        let (mut solved, mut none) = (0, 0);
        for _ in 0..60 {
            let count = usize::try_from(next() % 9).expect("small");
            let failing: Vec<Failing> = (0..count)
                .map(|_| {
                    Failing(
                        sites
                            .iter()
                            .map(|_| {
                                [0b1, 0b11, 0b101, 0b1111, 0b1111, 0b111]
                                    [usize::try_from(next() % 6).expect("small")]
                            })
                            .collect(),
                    )
                })
                .collect();
            let found = cheapest(&sites, &failing);
            assert!(
                found.as_ref().is_ok_and(|l| failing.iter().all(|f| !f.contains(l)))
                    || found.is_err()
            );
            let found = found.ok().map(|levels| cost(&sites, &levels));
            assert_eq!(found, by_brute_force(&sites, &failing));
            if found.is_some() { solved += 1 } else { none += 1 }
        }
        assert!(solved > 20 && none > 0, "{solved} {none}");
    }
}
