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
        for (id, own) in before(trace) {
            let candidates = &mut self.candidates[id.index()];
            if candidates.len() > 1 {
                let fits = |source: &Source| {
                    !is_late(trace, id, *source) && is_possible(trace, id, own, *source)
                };
                let fitting: SmallVec<[Source; 1]> =
                    candidates.iter().copied().filter(fits).collect();
                if !fitting.is_empty() {
                    *candidates = fitting;
                }
            }
        }
    }

    /// The first read that ended before all writes that are possible sources began.
    pub(super) fn untimely(&self, trace: &Trace) -> Option<OpId> {
        let is_untimely = |&(id, own): &(OpId, Option<OpId>)| {
            let mut possible = self.of(id).iter().filter(|&&s| is_possible(trace, id, own, s));
            let first = possible.next().is_some_and(|&source| is_late(trace, id, source));
            first && possible.all(|&source| is_late(trace, id, source))
        };
        before(trace).iter().find(|read| is_untimely(read)).map(|(id, _)| *id)
    }

    /// Whether some write of a read's value begins after the read has ended.
    pub(super) fn some_are_late(&self, trace: &Trace) -> bool {
        trace.ids().any(|id| self.of(id).iter().any(|&source| is_late(trace, id, source)))
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

/// The accesses of a trace, each with the last earlier write of the same thread to the same location.
fn before(trace: &Trace) -> Vec<(OpId, Option<OpId>)> {
    let mut last: FxHashMap<(usize, CellId), OpId> = FxHashMap::default();
    let mut out = Vec::new();
    for id in trace.ids() {
        let op = trace.op(id);
        let Some(cell) = op.cell else { continue };
        out.push((id, last.get(&(op.thread.index(), cell)).copied()));
        if op.write.is_some() {
            last.insert((op.thread.index(), cell), id);
        }
    }
    out
}

/// Whether program order admits a source of a read. `own` is the last earlier write of the thread.
fn is_possible(trace: &Trace, read: OpId, own: Option<OpId>, source: Source) -> bool {
    match source {
        Source::Initial => own.is_none(),
        Source::Write(write) => {
            trace.op(write).thread != trace.op(read).thread || own == Some(write)
        }
    }
}

/// Whether a write begins after a read has ended.
fn is_late(trace: &Trace, read: OpId, source: Source) -> bool {
    let Source::Write(write) = source else { return false };
    trace.op(write).begin.zip(trace.op(read).end).is_some_and(|(begin, end)| begin > end)
}
