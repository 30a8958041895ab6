//! Tracks in gutters for parts of routes, ordered to reduce crossings.

use super::route::{Along, Side, Zone};
use std::collections::BTreeMap;

/// A part in a gutter: the heights of its ends, with the side to which the part leaves at each end.
struct Span {
    part: usize,
    ends: [(i32, Side); 2],
}

impl Span {
    fn top(&self) -> i32 {
        self.ends[0].0.min(self.ends[1].0)
    }

    fn bottom(&self) -> i32 {
        self.ends[0].0.max(self.ends[1].0)
    }

    /// The number of crossings of two parts if `self` is to the left of `right`.
    fn crossings(&self, right: &Self) -> usize {
        let within = |span: &Self, y: i32| span.top() < y && y < span.bottom();
        let own = self.ends.iter().filter(|(y, side)| *side == Side::Right && within(right, *y));
        let others = right.ends.iter().filter(|(y, side)| *side == Side::Left && within(self, *y));
        own.count() + others.count()
    }
}

/// The smallest vertical distance of two parts on the same track.
const APART: i32 = 8;

/// The most rounds of exchanging neighbours.
const ROUNDS: usize = 40;

/// Assigns a track to each part and returns the number of tracks of each gutter; `height` gives the height
/// of a part's end.
pub(super) fn assign(
    parts: &mut [Along],
    height: impl Fn(&Along, usize) -> i32,
) -> BTreeMap<(usize, Zone), usize> {
    let mut gutters: BTreeMap<(usize, Zone), Vec<Span>> = BTreeMap::new();
    for (part, along) in parts.iter().enumerate() {
        let ends = [0, 1].map(|end| (height(along, end), along.ends[end].side));
        gutters.entry((along.gutter, along.zone)).or_default().push(Span { part, ends });
    }
    let mut counts = BTreeMap::new();
    for (gutter, mut spans) in gutters {
        spans.sort_by_key(|span| (span.bottom() - span.top(), span.part));
        exchange(&mut spans);
        let mut tracks: Vec<usize> = Vec::new();
        for (index, span) in spans.iter().enumerate() {
            let beside = |other: &Span| {
                span.top() < other.bottom() + APART && other.top() < span.bottom() + APART
            };
            let before = spans[..index].iter().zip(&tracks).filter(|(other, _)| beside(other));
            let track = before.map(|(_, track)| track + 1).max().unwrap_or(0);
            tracks.push(track);
            parts[span.part].track = track;
        }
        counts.insert(gutter, tracks.into_iter().max().map_or(0, |most| most + 1));
    }
    counts
}

/// Exchanges neighbouring tracks while that reduces crossings.
fn exchange(spans: &mut [Span]) {
    for _ in 0..ROUNDS {
        let mut is_stable = true;
        for left in 1..spans.len() {
            let (one, other) = (&spans[left - 1], &spans[left]);
            if other.crossings(one) < one.crossings(other) {
                spans.swap(left - 1, left);
                is_stable = false;
            }
        }
        if is_stable {
            return;
        }
    }
}
