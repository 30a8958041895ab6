//! Splitting accesses into pieces at the boundaries of partly overlapping ones.

use super::access::DraftAccess;
use super::settings::{SCALAR_BYTES, Tearing, Unfolding};
use crate::collections::{IndexMap, IndexSet};
use crate::id::{LocId, ObjectId};
use crate::ptx::operation::Order;
use std::collections::BTreeMap;

/// The location pieces of a test.
#[derive(Debug)]
pub(super) struct Pieces {
    locations: IndexSet<(ObjectId, u64, u32)>,
    /// The pieces by object and first byte; they do not overlap.
    starts: BTreeMap<(ObjectId, u64), LocId>,
    /// For every accessed range of an object, its pieces.
    ranges: IndexMap<(ObjectId, u64, u32), Vec<LocId>>,
}

impl Pieces {
    /// Splits the ranges of `accesses`; `objects` is the number of variable instances.
    pub(super) fn split(
        accesses: &[&DraftAccess],
        objects: usize,
        Unfolding { tearing, widest_whole, .. }: Unfolding,
    ) -> Self {
        let mut by_object: Vec<IndexSet<(u64, u32)>> = vec![IndexSet::default(); objects];
        for access in accesses {
            by_object[access.object.index()].insert((access.offset, access.bytes));
        }
        let mut pieces = Self {
            locations: IndexSet::default(),
            starts: BTreeMap::new(),
            ranges: IndexMap::default(),
        };
        let tears = |access: &&DraftAccess| may_tear(access, accesses, widest_whole);
        let torn: Vec<&DraftAccess> = accesses.iter().copied().filter(tears).collect();
        let split: Vec<&DraftAccess> = match tearing {
            Tearing::Byte => {
                accesses.iter().copied().filter(|access| may_split(access, accesses)).collect()
            }
            Tearing::Overlap => Vec::new(),
        };
        for (index, ranges) in by_object.iter().enumerate() {
            let object = ObjectId::new(index);
            let mut cuts = boundaries(ranges);
            for access in split.iter().filter(|access| access.object == object) {
                cuts.extend(access.offset..=access.end());
            }
            for access in torn.iter().filter(|access| access.object == object) {
                let all = access.offset..=access.end();
                cuts.extend(all.step_by(SCALAR_BYTES as usize));
            }
            cuts.sort_unstable();
            cuts.dedup();
            for &(offset, bytes) in ranges {
                let list = pieces.split_range(object, offset, bytes, &cuts);
                pieces.ranges.insert((object, offset, bytes), list);
            }
        }
        pieces
    }

    fn split_range(
        &mut self,
        object: ObjectId,
        offset: u64,
        bytes: u32,
        cuts: &[u64],
    ) -> Vec<LocId> {
        let end = offset + u64::from(bytes);
        let first = cuts.partition_point(|&cut| cut <= offset);
        let inside = cuts[first..].iter().copied().take_while(|&cut| cut < end);
        let mut starts: Vec<u64> = std::iter::once(offset).chain(inside).collect();
        starts.push(end);
        starts
            .windows(2)
            .map(|w| {
                let size = u32::try_from(w[1] - w[0]).expect("pieces are no larger than accesses");
                let id = LocId::new(self.locations.insert_full((object, w[0], size)).0);
                self.starts.insert((object, w[0]), id);
                id
            })
            .collect()
    }

    /// All pieces in order of their ids: object, offset, bytes.
    pub(super) fn locations(&self) -> impl Iterator<Item = (ObjectId, u64, u32)> + '_ {
        self.locations.iter().copied()
    }

    /// The pieces of an access in order of address.
    pub(super) fn of(&self, access: &DraftAccess) -> impl Iterator<Item = LocId> + '_ {
        self.ranges[&(access.object, access.offset, access.bytes)].iter().copied()
    }

    /// The piece that holds a byte, if any access touches it: its id, first byte and size.
    pub(super) fn at(&self, object: ObjectId, byte: u64) -> Option<(LocId, u64, u32)> {
        let (_, &id) = self.starts.range(..=(object, byte)).next_back()?;
        let &(owner, start, size) = self.locations.get_index(id.index())?;
        let holds = owner == object && byte < start + u64::from(size);
        holds.then_some((id, start, size))
    }
}

/// Whether an access is weak, wider than the widest that stays whole (reading V10), and may race.
fn may_tear(access: &DraftAccess, all: &[&DraftAccess], widest_whole: u32) -> bool {
    access.bytes > widest_whole && access.order == Order::Weak && may_race(access, all)
}

/// Whether an access may tear at every byte, under the reading by which all accesses do. An mbarrier
/// object is opaque (PTX-9.7.13.15.2), and a location that one thread alone accesses shows no tearing.
fn may_split(access: &DraftAccess, all: &[&DraftAccess]) -> bool {
    !access.marks.mbarrier && may_race(access, all)
}

/// Whether an access may race. Two accesses of one thread may race if their virtual addresses or proxies
/// differ, or if an asynchronous operation of the thread performs one of them.
fn may_race(access: &DraftAccess, all: &[&DraftAccess]) -> bool {
    let path = |a: &DraftAccess| (a.thread, a.virt, a.proxy, a.part.map(|part| part.operation));
    all.iter().any(|a| (a.write || access.write) && path(a) != path(access) && a.overlaps(access))
}

/// The boundaries of partly overlapping ranges of one object, at which the ranges are split.
fn boundaries(ranges: &IndexSet<(u64, u32)>) -> Vec<u64> {
    let end = |&(offset, bytes): &(u64, u32)| offset + u64::from(bytes);
    let mut sorted: Vec<(u64, u32)> = ranges.iter().copied().collect();
    sorted.sort_unstable();
    let mut cuts = Vec::new();
    let mut reached = 0;
    for (at, range) in sorted.iter().enumerate() {
        let next = sorted.get(at + 1).is_some_and(|next| next.0 < end(range));
        if next || range.0 < reached {
            cuts.extend([range.0, end(range)]);
        }
        reached = reached.max(end(range));
    }
    cuts
}
