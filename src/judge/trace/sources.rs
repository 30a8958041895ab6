//! Values into the writes that each read may have read from.

use super::Trace;
use crate::id::{CellId, OpId};
use rustc_hash::FxHashMap;
use smallvec::{SmallVec, smallvec};

/// The source of a read value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Source {
    /// The value before all operations.
    Initial,
    /// The value written by an operation.
    Write(OpId),
}

/// The candidate writes from which each read may read, by operation; empty for operations that read
/// nothing.
#[derive(Clone, Debug)]
pub(super) struct Sources {
    candidates: Vec<SmallVec<[Source; 1]>>,
    readless: bool,
}

impl Sources {
    /// All writes of the value at the location.
    pub(super) fn by_value(trace: &Trace) -> Self {
        let mut writes: FxHashMap<(CellId, i128), SmallVec<[Source; 1]>> = FxHashMap::default();
        for id in trace.ids() {
            let op = trace.op(id);
            if let (Some(cell), Some(value)) = (op.cell, op.write) {
                writes.entry((cell, value)).or_default().push(Source::Write(id));
            }
        }
        let mut readless = false;
        let candidates = trace.ids().map(|id| {
            let op = trace.op(id);
            let (Some(cell), Some(value)) = (op.cell, op.read) else { return smallvec![] };
            let mut found: SmallVec<[Source; 1]> = smallvec![];
            if trace.cells[cell.index()].initial == value {
                found.push(Source::Initial);
            }
            let others = writes.get(&(cell, value)).into_iter().flatten().copied();
            found.extend(others.filter(|&source| source != Source::Write(id)));
            readless |= found.is_empty();
            found
        });
        Self { candidates: candidates.collect(), readless }
    }

    /// Whether some read has a value that no operation wrote.
    pub(super) fn some_read_has_none(&self) -> bool {
        self.readless
    }

    /// Removes candidates that no model admits, if another candidate remains. These are writes
    /// later in the reading thread, writes that begin after the end of the read, and, of the
    /// earlier writes of the reading thread, all but the last one. Such an earlier write excludes
    /// the initial value, too.
    pub(super) fn narrow(&mut self, trace: &Trace) {
        let mut last: FxHashMap<(usize, CellId), OpId> = FxHashMap::default();
        for id in trace.ids() {
            let op = trace.op(id);
            let Some(cell) = op.cell else { continue };
            let own = last.get(&(op.thread.index(), cell)).copied();
            let candidates = &mut self.candidates[id.index()];
            if candidates.len() > 1 {
                let fits = |source: &Source| match *source {
                    Source::Initial => own.is_none(),
                    Source::Write(write) => {
                        let other = trace.op(write);
                        let same = other.thread == op.thread;
                        let late = other.begin.zip(op.end).is_some_and(|(begin, end)| begin > end);
                        !late && (!same || own == Some(write))
                    }
                };
                let fitting: SmallVec<[Source; 1]> =
                    candidates.iter().copied().filter(fits).collect();
                if !fitting.is_empty() {
                    *candidates = fitting;
                }
            }
            if op.write.is_some() {
                last.insert((op.thread.index(), cell), id);
            }
        }
    }

    /// The candidates of a read.
    pub(super) fn of(&self, id: OpId) -> &[Source] {
        &self.candidates[id.index()]
    }

    /// The only candidate of a read, if there is exactly one.
    pub(super) fn known(&self, id: OpId) -> Option<Source> {
        match self.of(id) {
            [one] => Some(*one),
            _ => None,
        }
    }

    /// Leaves only one candidate.
    pub(super) fn choose(&mut self, id: OpId, source: Source) {
        self.candidates[id.index()] = smallvec![source];
    }

    /// Takes a candidate away; whether others remain.
    pub(super) fn exclude(&mut self, id: OpId, source: Source) -> bool {
        self.candidates[id.index()].retain(|other| *other != source);
        !self.candidates[id.index()].is_empty()
    }

    /// The reads with several candidates.
    pub(super) fn open(&self) -> impl Iterator<Item = OpId> + '_ {
        let several = self.candidates.iter().enumerate().filter(|(_, found)| found.len() > 1);
        several.map(|(index, _)| OpId::new(index))
    }
}
