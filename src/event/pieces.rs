//! Splitting accesses into pieces at the boundaries of partly overlapping ones.

use super::draft::DraftAccess;
use super::unfold::Tearing;
use crate::id::{LocId, ObjectId};
use indexmap::{IndexMap, IndexSet};

/// The location pieces of a test.
#[derive(Debug)]
pub(super) struct Pieces {
    locations: IndexSet<(ObjectId, u64, u32)>,
    /// For every accessed range of an object, its pieces.
    ranges: IndexMap<(ObjectId, u64, u32), Vec<LocId>>,
}

impl Pieces {
    /// Splits the ranges of `accesses`; `objects` is how many variable instances there are.
    pub(super) fn split(accesses: &[DraftAccess], objects: usize, tearing: Tearing) -> Self {
        let mut by_object: Vec<IndexSet<(u64, u32)>> = vec![IndexSet::new(); objects];
        for access in accesses {
            by_object[access.object.index()].insert((access.offset, access.bytes));
        }
        let mut pieces = Self { locations: IndexSet::new(), ranges: IndexMap::new() };
        for (index, ranges) in by_object.iter().enumerate() {
            let object = ObjectId::new(index);
            let cuts = boundaries(ranges, tearing);
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
        let inside = cuts.iter().copied().filter(|&c| c > offset && c < end);
        let mut starts: Vec<u64> = std::iter::once(offset).chain(inside).collect();
        starts.push(end);
        starts
            .windows(2)
            .map(|w| {
                let size = u32::try_from(w[1] - w[0]).expect("pieces are no larger than accesses");
                LocId::new(self.locations.insert_full((object, w[0], size)).0)
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
        self.locations
            .iter()
            .enumerate()
            .find(|(_, (o, start, size))| {
                *o == object && (*start..*start + u64::from(*size)).contains(&byte)
            })
            .map(|(index, &(_, start, size))| (LocId::new(index), start, size))
    }
}

/// The sorted boundaries at which ranges of one object are split.
fn boundaries(ranges: &IndexSet<(u64, u32)>, tearing: Tearing) -> Vec<u64> {
    let mut cuts = Vec::new();
    let end = |&(offset, bytes): &(u64, u32)| offset + u64::from(bytes);
    for a in ranges {
        if tearing == Tearing::Byte {
            cuts.extend(a.0..=end(a));
        }
        for b in ranges.iter().filter(|b| *b != a && b.0 < end(a) && a.0 < end(b)) {
            cuts.extend([b.0, end(b)]);
        }
    }
    cuts.sort_unstable();
    cuts.dedup();
    cuts
}
