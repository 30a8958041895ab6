//! A trace checked against the axioms of chapter 8, as in `ptx-9.2`.
//!
//! Reads-from determines synchronization. Together with the order of `fence.sc` operations, it
//! yields base causality, one partial order of the whole trace. For a given base causality,
//! coherence can be decided for each location separately.

use super::cell::{Accesses, Line};
use super::clock::Order;
use super::dense::{MOST_EVENTS, Problem};
use super::fences::Fences;
use super::sources::{Source, Sources};
use super::sync::{barriers, patterns};
use super::{Trace, Verdict};
use crate::id::{CellId, OpId};
use rustc_hash::FxHashMap;

/// How much work a search takes at most: operations times threads, for every time that the order is
/// walked along.
const MOST_WORK: u64 = 4_000_000_000;

/// Whether some execution has the values of a trace.
pub(super) fn judge(trace: &Trace, sources: &Sources) -> Verdict {
    let mut judge =
        Judge { trace, cells: Accesses::all(trace), fences: Fences::of(trace), work: 0 };
    let chosen: Vec<Option<Source>> = trace.ids().map(|id| sources.known(id)).collect();
    let open: Vec<OpId> = sources.open().collect();
    match judge.reading(sources, &open, chosen) {
        Found::Yes => Verdict::Consistent,
        Found::No => Verdict::Inconsistent,
        Found::Untold(why) => Verdict::Unknown(why),
    }
}

/// The result of a search.
enum Found {
    Yes,
    No,
    /// The reason why the result is unknown.
    Untold(String),
}

struct Judge<'t> {
    trace: &'t Trace,
    cells: Vec<Accesses>,
    fences: Fences,
    work: u64,
}

/// The result of a walk along base causality.
struct Walked {
    /// For each location without a line the pairs of accesses, by position, of which one comes before
    /// the other.
    pairs: Vec<Vec<(usize, usize)>>,
    /// The ordered pairs that the lines lack, with their locations.
    lacking: Vec<(usize, u32, u32)>,
    /// For each fence, the earlier fences.
    pasts: Vec<Vec<OpId>>,
}

/// The largest number of pairs that are added to lines in one step.
const MOST_LACKING: usize = 4_000_000;

impl Judge<'_> {
    /// Tries each candidate source of each open read.
    fn reading(
        &mut self,
        sources: &Sources,
        open: &[OpId],
        mut chosen: Vec<Option<Source>>,
    ) -> Found {
        let Some((&read, rest)) = open.split_first() else { return self.fencing(&chosen) };
        let mut untold = None;
        for &source in sources.of(read) {
            chosen[read.index()] = Some(source);
            match self.reading(sources, rest, chosen.clone()) {
                Found::Yes => return Found::Yes,
                Found::No => {}
                Found::Untold(why) => {
                    untold = Some(why);
                    if self.work > MOST_WORK {
                        break;
                    }
                }
            }
        }
        untold.map_or(Found::No, Found::Untold)
    }

    /// Looks for an order of `fence.sc` operations.
    fn fencing(&mut self, sources: &[Option<Source>]) -> Found {
        if !rmws_are_serial(self.trace, &self.cells, sources) {
            return Found::No;
        }
        let mut order = Order::new(self.trace);
        barriers(self.trace, &mut order);
        if !patterns(self.trace, sources, &mut order) {
            return Found::Untold("there are too many patterns of different scopes".to_owned());
        }
        if self.fences.all.len() > 1 {
            // The order in the trace often is a solution.
            let mut lined = order.clone();
            let line = self.fences.all.clone();
            if self.fences.line_up(self.trace, &mut lined, &line)
                && matches!(self.evaluate(&lined, sources).1, Found::Yes)
            {
                return Found::Yes;
            }
        }
        self.ordering(order, sources)
    }

    /// Tries the orders of a pair of fences that is open, and so on.
    fn ordering(&mut self, order: Order, sources: &[Option<Source>]) -> Found {
        let (walked, found) = self.evaluate(&order, sources);
        let (Found::Yes, Some(walked)) = (&found, walked) else { return found };
        if self.fences.all.len() < 2 {
            return found;
        }
        if !self.fences.are_few() {
            return Found::Untold(format!("the order of {} fences", self.fences.all.len()));
        }
        let Some((a, b)) = self.fences.open_pair(self.trace, &walked.pasts) else { return found };
        let mut untold = None;
        for (first, second) in [(a, b), (b, a)] {
            let mut order = order.clone();
            order.add(first.index() as u32, second.index() as u32);
            match self.ordering(order, sources) {
                Found::Yes => return Found::Yes,
                Found::No => {}
                Found::Untold(why) => untold = Some(why),
            }
        }
        untold.map_or(Found::No, Found::Untold)
    }

    /// Whether each location has a coherence order for a given base causality.
    fn evaluate(&mut self, order: &Order, sources: &[Option<Source>]) -> (Option<Walked>, Found) {
        let times = order.times(self.trace);
        let mut lines = Vec::new();
        for accesses in &self.cells {
            lines.push(match accesses.are_uniform(self.trace) {
                true => match Line::new(self.trace, accesses, sources, &times) {
                    Some(line) => Some(line),
                    None => return (None, Found::No),
                },
                false => None,
            });
        }
        let walked = loop {
            self.work += self.trace.ops.len() as u64 * (order.threads() as u64 + 50);
            if self.work > MOST_WORK {
                return (None, Found::Untold("the search takes too long".to_owned()));
            }
            if !lines.iter_mut().flatten().all(Line::order) {
                return (None, Found::No);
            }
            let Some(walked) = self.walk(order, &lines) else { return (None, Found::No) };
            if walked.lacking.is_empty() {
                break walked;
            }
            for &(cell, from, to) in &walked.lacking {
                if !lines[cell].as_mut().is_some_and(|line| line.add(from, to)) {
                    return (None, Found::No);
                }
            }
        };
        match self.others(&walked, sources) {
            Found::Yes => (Some(walked), Found::Yes),
            found => (None, found),
        }
    }

    /// Whether each location without a line has a coherence order.
    fn others(&self, walked: &Walked, sources: &[Option<Source>]) -> Found {
        let mut untold = None;
        for (accesses, pairs) in self.cells.iter().zip(&walked.pairs) {
            if accesses.are_uniform(self.trace) {
                continue;
            }
            let orderable = match accesses.ops.len() * 2 < MOST_EVENTS {
                true => Problem::new(self.trace, accesses, sources, pairs)
                    .map_or(Some(false), Problem::ordered),
                false => None,
            };
            match orderable {
                Some(true) => {}
                Some(false) => return Found::No,
                None => untold = Some(self.undecided(accesses)),
            }
        }
        untold.map_or(Found::Yes, Found::Untold)
    }

    fn undecided(&self, accesses: &Accesses) -> String {
        let cell = accesses.ops.first().and_then(|&id| self.trace.op(id).cell);
        let name = cell.map_or("", |cell| self.trace.cells[cell.index()].name.as_str());
        let count = accesses.ops.len();
        format!("the coherence order of {count} accesses to {name}, not all of them morally strong")
    }

    /// The order between accesses; `None` if base causality has a cycle, which Coherence,
    /// No-Thin-Air or Fence-SC excludes.
    fn walk(&self, order: &Order, lines: &[Option<Line>]) -> Option<Walked> {
        let mut index = vec![0u32; self.trace.ops.len()];
        for accesses in &self.cells {
            for (at, id) in accesses.ops.iter().enumerate() {
                index[id.index()] = at as u32;
            }
        }
        let few = self.fences.are_few();
        let numbers: FxHashMap<OpId, usize> =
            self.fences.all.iter().enumerate().map(|(at, &id)| (id, at)).collect();
        let mut walked = Walked {
            pairs: vec![Vec::new(); self.cells.len()],
            lacking: Vec::new(),
            pasts: vec![Vec::new(); self.fences.all.len()],
        };
        let acyclic = order.walk(|id, clock, _| {
            if let Some(&number) = numbers.get(&id).filter(|_| few) {
                let earlier = self.fences.all.iter().copied();
                walked.pasts[number] = earlier.filter(|&other| order.has(clock, other)).collect();
            }
            let Some(cell) = self.trace.op(id).cell.map(CellId::index) else { return };
            let accesses = &self.cells[cell];
            let own = index[id.index()];
            for &(thread, start, end) in &accesses.threads {
                let ops = &accesses.ops[start..end];
                let before = ops.partition_point(|&op| order.position(op).1 < clock[thread]);
                let Some(last) = before.checked_sub(1).map(|at| (start + at) as u32) else {
                    continue;
                };
                match &lines[cell] {
                    Some(line) => {
                        if !line.has(last, own) && walked.lacking.len() < MOST_LACKING {
                            walked.lacking.push((cell, last, own));
                        }
                    }
                    None => {
                        let earlier = start..start + before;
                        walked.pairs[cell].extend(earlier.map(|at| (at, own as usize)));
                    }
                }
            }
        });
        acyclic.then_some(walked)
    }
}

/// Whether atomics with mutual scope are performed one after another (PTX-8.7.2), and no chain of
/// updates justifies itself (PTX-8.10.4).
fn rmws_are_serial(trace: &Trace, cells: &[Accesses], sources: &[Option<Source>]) -> bool {
    let mut edges: Vec<(OpId, OpId)> = Vec::new();
    for accesses in cells {
        let mut by_source: FxHashMap<Source, Vec<OpId>> = FxHashMap::default();
        for &id in accesses.ops.iter().filter(|&&id| trace.op(id).is_atomic()) {
            let Some(source) = sources[id.index()] else { continue };
            if let Source::Write(write) = source
                && trace.op(write).is_rmw()
            {
                // Without mutual scope it still justifies the value.
                edges.push((write, id));
            }
            by_source.entry(source).or_default().push(id);
        }
        for readers in by_source.values() {
            let (updates, failed): (Vec<OpId>, Vec<OpId>) =
                readers.iter().partition(|&&id| trace.op(id).is_rmw());
            for (at, &a) in updates.iter().enumerate() {
                if updates[at + 1..].iter().any(|&b| trace.mutual(a, b)) {
                    return false;
                }
            }
            for &cas in &failed {
                let later = updates.iter().filter(|&&update| trace.mutual(cas, update));
                edges.extend(later.map(|&update| (cas, update)));
            }
        }
    }
    is_acyclic(trace, &edges)
}

fn is_acyclic(trace: &Trace, edges: &[(OpId, OpId)]) -> bool {
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); trace.ops.len()];
    let mut waits = vec![0; trace.ops.len()];
    for (from, to) in edges {
        after[from.index()].push(to.index());
        waits[to.index()] += 1;
    }
    let mut ready: Vec<usize> = (0..waits.len()).filter(|&at| waits[at] == 0).collect();
    let mut left = waits.len();
    while let Some(at) = ready.pop() {
        left -= 1;
        for &next in &after[at] {
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.push(next);
            }
        }
    }
    left == 0
}
