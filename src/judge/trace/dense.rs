//! A coherence order of the accesses to one location some pairs of which are not morally strong.
//!
//! Coherence is partial in this case, so that required and excluded pairs are separate relations.
//! Each is derived from the other up to a fixpoint. For a morally strong pair of writes that is
//! still open, both orders are tried.

use super::Trace;
use super::cell::Accesses;
use super::sources::Source;
use super::sync::observed;
use crate::bitrel::{EventSet, Rel};
use crate::id::{EventId, OpId};
use rustc_hash::FxHashMap;

/// Locations with more halves of accesses are not looked at in this way.
pub(super) const MOST_EVENTS: usize = 2048;

/// The largest number of choices at one location.
const MOST_CHOICES: usize = 2000;

/// The known relations of the accesses. The events are the initial write and the read and write
/// halves of the accesses.
pub(super) struct Problem {
    reads_from: Rel,
    program_order: Rel,
    strong: Rel,
    updates: Vec<(EventId, EventId)>,
    writes: EventSet,
    /// The required pairs of coherence.
    coherence: Rel,
    /// The excluded pairs of coherence.
    excluded: Rel,
}

/// The events of an access.
#[derive(Clone, Copy, Default)]
struct Halves {
    read: Option<EventId>,
    write: Option<EventId>,
}

impl Halves {
    fn each(self) -> impl Iterator<Item = EventId> {
        self.read.into_iter().chain(self.write)
    }
}

impl Problem {
    /// The problem for the base causality order between accesses, given by their positions; `None`
    /// if a read comes before its source.
    pub(super) fn new(
        trace: &Trace,
        accesses: &Accesses,
        sources: &[Option<Source>],
        before: &[(usize, usize)],
    ) -> Option<Self> {
        let mut count = 1;
        let initial = EventId::new(0);
        let mut halves: Vec<Halves> = Vec::new();
        let mut index: FxHashMap<OpId, usize> = FxHashMap::default();
        for (at, &id) in accesses.ops.iter().enumerate() {
            let op = trace.op(id);
            let mut half = |present: bool| {
                present.then(|| {
                    count += 1;
                    EventId::new(count - 1)
                })
            };
            let (read, write) = (half(op.read.is_some()), half(op.write.is_some()));
            halves.push(Halves { read, write });
            index.insert(id, at);
        }
        let mut causes = Rel::empty(count);
        let relate = |rel: &mut Rel, a: usize, b: usize| {
            for from in halves[a].each() {
                halves[b].each().for_each(|to| {
                    rel.insert(from, to);
                });
            }
        };
        before.iter().for_each(|&(a, b)| relate(&mut causes, a, b));
        let mut program_order = Rel::empty(count);
        for &(_, start, end) in &accesses.threads {
            for a in start..end {
                (a + 1..end).for_each(|b| relate(&mut program_order, a, b));
            }
        }
        let mut strong = Rel::empty(count);
        for a in 0..halves.len() {
            for b in 0..halves.len() {
                if a != b && trace.morally_strong(accesses.ops[a], accesses.ops[b]) {
                    relate(&mut strong, a, b);
                }
            }
        }
        let (mut updates, mut writes) = (Vec::new(), EventSet::empty(count));
        writes.insert(initial);
        for half in &halves {
            if let (Some(read), Some(write)) = (half.read, half.write) {
                updates.push((read, write));
                for rel in [&mut causes, &mut program_order, &mut strong] {
                    rel.insert(read, write);
                }
                strong.insert(write, read);
            }
            half.write.map(|write| writes.insert(write));
        }
        let (mut reads_from, mut observation) = (Rel::empty(count), Rel::empty(count));
        for (at, &id) in accesses.ops.iter().enumerate() {
            let Some(read) = halves[at].read else { continue };
            let write = match sources[id.index()]? {
                Source::Initial => initial,
                Source::Write(write) => halves[*index.get(&write)?].write?,
            };
            reads_from.insert(write, read);
            let mut next = observed(trace, sources, id);
            let mut steps = 0;
            while let Some(write) = next.filter(|_| steps <= halves.len()) {
                observation.insert(halves[*index.get(&write)?].write?, read);
                next = observed(trace, sources, write);
                steps += 1;
            }
        }
        // PTX-8.10.6, of reads-from.
        if causes.iter_pairs().any(|(a, b)| reads_from.contains(b, a)) {
            return None;
        }
        let mut causality = causes.clone();
        observation.compose_union_into(&causes, &mut causality);
        let mut coherence = causality.clone();
        coherence.restrict_domain(&writes);
        coherence.restrict_range(&writes);
        coherence.insert_all(initial, &writes);
        coherence.remove(initial, initial);
        // PTX-8.10.6, of from-reads.
        causality.restrict_domain(&writes);
        let mut excluded = Rel::empty(count);
        reads_from.compose_union_into(&causality.inverse(), &mut excluded);
        writes.iter().for_each(|write| {
            excluded.remove(write, write);
        });
        Some(Self { reads_from, program_order, strong, updates, writes, coherence, excluded })
    }

    /// Whether a coherence order exists; `None` if the search takes too long.
    pub(super) fn ordered(self) -> Option<bool> {
        let mut left = MOST_CHOICES;
        self.search(&mut left)
    }

    fn search(mut self, left: &mut usize) -> Option<bool> {
        if !self.saturate() {
            return Some(false);
        }
        let Some((a, b)) = self.open_pair() else { return Some(true) };
        for (first, second) in [(a, b), (b, a)] {
            *left = left.checked_sub(1)?;
            let mut branch = self.copied();
            branch.coherence.insert(first, second);
            if branch.search(left)? {
                return Some(true);
            }
        }
        Some(false)
    }

    fn copied(&self) -> Self {
        Self {
            reads_from: self.reads_from.clone(),
            program_order: self.program_order.clone(),
            strong: self.strong.clone(),
            updates: self.updates.clone(),
            writes: self.writes.clone(),
            coherence: self.coherence.clone(),
            excluded: self.excluded.clone(),
        }
    }

    /// A pair of writes that coherence has to relate and does not (PTX-8.9.6).
    fn open_pair(&self) -> Option<(EventId, EventId)> {
        let related = |&(a, b): &(EventId, EventId)| {
            self.coherence.contains(a, b) || self.coherence.contains(b, a)
        };
        let writes =
            |&(a, b): &(EventId, EventId)| self.writes.contains(a) && self.writes.contains(b);
        self.strong.iter_pairs().filter(writes).find(|pair| !related(pair))
    }

    /// Derives until nothing new follows; `false` where that contradicts itself.
    fn saturate(&mut self) -> bool {
        loop {
            self.coherence.transitive_closure_in_place();
            self.excluded.union_with(&self.coherence.inverse());
            if !self.coherence.is_irreflexive() || self.coherence.meets(&self.excluded) {
                return false;
            }
            let Some(path) = self.paths() else { return false };
            let (known, barred) = (self.coherence.count(), self.excluded.count());
            self.along(&path);
            self.atomicity();
            // PTX-8.9.6: if one order of the pair is excluded, the other order is required.
            let mut other = self.excluded.inverse();
            other.intersect_with(&self.strong);
            other.restrict_domain(&self.writes);
            other.restrict_range(&self.writes);
            self.coherence.union_with(&other);
            if self.coherence.count() == known && self.excluded.count() == barred {
                return true;
            }
        }
    }

    /// The transitively closed order of the events at the location (PTX-8.10.5); `None` if the
    /// order has a cycle.
    fn paths(&self) -> Option<Rel> {
        let mut steps = self.reads_from.clone();
        steps.union_with(&self.coherence);
        let from_reads = self.overwriting();
        steps.union_with(&from_reads);
        steps.intersect_with(&self.strong);
        steps.union_with(&self.program_order);
        steps.transitive_closure_in_place();
        steps.is_irreflexive().then_some(steps)
    }

    fn overwriting(&self) -> Rel {
        let mut out = Rel::empty(self.reads_from.len());
        self.reads_from.compose_inverted_into(&self.coherence, &mut out);
        out
    }

    /// Excludes the pairs that would close a cycle through coherence or from-reads.
    fn along(&mut self, path: &Rel) {
        let mut back = path.inverse();
        back.intersect_with(&self.strong);
        back.restrict_range(&self.writes);
        let mut of_writes = back.clone();
        of_writes.restrict_domain(&self.writes);
        self.excluded.union_with(&of_writes);
        let mut of_reads = Rel::empty(back.len());
        self.reads_from.compose_union_into(&back, &mut of_reads);
        self.writes.iter().for_each(|write| {
            of_reads.remove(write, write);
        });
        self.excluded.union_with(&of_reads);
    }

    /// No morally strong write comes between the halves of an update (PTX-8.10.3).
    fn atomicity(&mut self) {
        for &(read, write) in &self.updates {
            let between = |&other: &EventId| {
                other != write
                    && self.strong.contains(read, other)
                    && self.strong.contains(other, write)
            };
            let source = self.writes.iter().find(|&source| self.reads_from.contains(source, read));
            let Some(source) = source else { continue };
            let others: Vec<EventId> = self.writes.iter().filter(between).collect();
            for other in others {
                if self.coherence.contains(source, other) {
                    self.excluded.insert(other, write);
                }
                if self.coherence.contains(other, write) && other != source {
                    self.excluded.insert(source, other);
                }
            }
        }
    }
}
