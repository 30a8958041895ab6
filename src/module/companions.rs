//! The threads that are looked at beside others: threads of one CTA or warp with other roles, and the
//! partners of a thread that chooses other values than most threads of its path.

use super::geometry::WARP;
use super::representatives::{Follow, bounds};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

impl Follow {
    /// For each place that some threads access, one thread of each role that meets them there and of which
    /// none of these threads is.
    pub(super) fn partners(&self, around: &BTreeSet<usize>) -> BTreeSet<usize> {
        if around.is_empty() {
            return BTreeSet::new();
        }
        let bounds = bounds(&self.touches);
        let mut own = FxHashMap::default();
        let mut shown = FxHashSet::default();
        for (thread, touch) in self.touches.iter().filter(|(thread, _)| around.contains(thread)) {
            for cell in self.cells(&bounds, *thread, touch) {
                *own.entry(cell).or_insert(false) |= touch.writes;
                shown.insert((cell, self.threads[*thread].role));
            }
        }
        let mut out = BTreeSet::new();
        for (thread, touch) in self.touches.iter().filter(|(thread, _)| !around.contains(thread)) {
            for cell in self.cells(&bounds, *thread, touch) {
                let meets = own.get(&cell).is_some_and(|&writes| writes || touch.writes);
                if meets && shown.insert((cell, self.threads[*thread].role)) {
                    out.insert(*thread);
                }
            }
        }
        out
    }

    /// For each set of several roles that the threads of some CTA have, one thread of each role in one such
    /// CTA; and likewise of the warps of a launch that have to come to barriers as a whole.
    pub(super) fn neighbours(&self) -> Vec<Vec<usize>> {
        // By launch, CTA, and warp where the group is one.
        type Group = (usize, u32, Option<u32>);
        let mut groups: BTreeMap<Group, BTreeMap<usize, usize>> = BTreeMap::new();
        for (thread, member) in self.threads.iter().enumerate() {
            let warp = self.aligned[member.launch].then_some(member.index.thread / WARP);
            for group in [None].into_iter().chain(warp.map(Some)) {
                let group = groups.entry((member.launch, member.index.cta, group)).or_default();
                group.entry(member.role).or_insert(thread);
            }
        }
        let mut known: BTreeSet<(bool, Vec<usize>)> = BTreeSet::new();
        let mut out = Vec::new();
        for ((.., warp), roles) in groups.into_iter().filter(|(_, roles)| roles.len() > 1) {
            if known.insert((warp.is_some(), roles.keys().copied().collect())) {
                out.push(roles.into_values().collect());
            }
        }
        out
    }
}
