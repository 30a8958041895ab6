//! Sequential consistency: a total order of the operations of a trace in which every read sees the
//! last write.
//!
//! First, implied edges are added up to a fixpoint. A write before a read comes before the write
//! from which the read reads, and the readers of a write come before each later write. Then a
//! schedule is constructed that executes each read as early as possible. If the schedule gets
//! stuck, two writes to one location are unordered, and both orders are tried.

use super::clock::{Clock, Node, Order, Pasts};
use super::schedule::repaired;
use super::sources::{Source, Sources};
use super::sync::barriers;
use super::{Trace, Verdict};
use crate::id::{CellId, OpId};
use std::collections::BTreeMap;

/// How much work a search takes at most: operations times threads, for every time that the order is
/// walked along.
const MOST_WORK: u64 = 4_000_000_000;

/// The result of a search.
pub(super) enum Found {
    /// An order of all operations.
    Order(Vec<OpId>),
    /// No such order exists.
    None,
    /// The search takes too long.
    Untold,
}

/// Looks for such an order.
pub(super) fn order(trace: &Trace, sources: Sources) -> Found {
    let tables = Tables::new(trace);
    let mut order = Order::new(trace);
    barriers(trace, &mut order);
    let mut state = State { order, sources, readers: vec![Vec::new(); trace.ops.len()] };
    if !tables.start(&mut state) {
        return Found::None;
    }
    // A trace in the order of execution, or with times, often is such an order.
    match repaired(trace, &state.order, &state.sources) {
        Ok(order) => Found::Order(order),
        Err(_) => Search { tables: &tables, work: 0 }.search(state),
    }
}

/// Whether a total order exists.
pub(super) fn judge(trace: &Trace, sources: Sources) -> Verdict {
    match order(trace, sources) {
        Found::Order(_) => Verdict::Consistent,
        Found::None => Verdict::Inconsistent,
        Found::Untold => Verdict::Unknown(
            "no order of all operations was found, nor a reason why there is none".to_owned(),
        ),
    }
}

/// The writes of one thread to one location, with their positions in the thread.
type WritesOfThread = (usize, Vec<(u32, OpId)>);

/// The constant data of a search.
struct Tables<'t> {
    trace: &'t Trace,
    /// The writes to each location by thread.
    writes: Vec<Vec<WritesOfThread>>,
}

/// The state at a node of a search.
#[derive(Clone)]
struct State {
    order: Order,
    sources: Sources,
    /// The last reader of each write in each thread that is known to read from the write.
    readers: Vec<Vec<OpId>>,
}

impl<'t> Tables<'t> {
    fn new(trace: &'t Trace) -> Self {
        let mut writes: Vec<Vec<WritesOfThread>> = vec![Vec::new(); trace.cells.len()];
        for (thread, ops) in trace.by_thread().into_iter().enumerate() {
            for (at, id) in ops.into_iter().enumerate() {
                let op = trace.op(id);
                let (Some(cell), Some(_)) = (op.cell, op.write) else { continue };
                let of_cell = &mut writes[cell.index()];
                match of_cell.last_mut() {
                    Some((last, list)) if *last == thread => list.push((at as u32, id)),
                    _ => of_cell.push((thread, vec![(at as u32, id)])),
                }
            }
        }
        Self { trace, writes }
    }

    /// Adds the edges implied by reads with a known source; `false` if these contradict each other.
    fn start(&self, state: &mut State) -> bool {
        let known: Vec<OpId> =
            self.trace.ids().filter(|&id| state.sources.known(id).is_some()).collect();
        let mut initial: BTreeMap<CellId, Vec<OpId>> = BTreeMap::new();
        for &id in &known {
            match (state.sources.known(id), self.trace.op(id).cell) {
                (Some(Source::Write(write)), _) => read_from(state, id, write),
                (Some(Source::Initial), Some(cell)) => initial.entry(cell).or_default().push(id),
                _ => {}
            }
        }
        initial.into_iter().all(|(cell, readers)| self.initial(state, cell, &readers))
    }

    /// The readers of an initial value come before all writes. At most one of the readers is an
    /// update, and the others come before it.
    fn initial(&self, state: &mut State, cell: CellId, readers: &[OpId]) -> bool {
        let (rmws, plain): (Vec<OpId>, Vec<OpId>) =
            readers.iter().partition(|&&id| self.trace.op(id).write.is_some());
        let first = self.writes[cell.index()].iter().map(|(_, list)| list[0].1);
        let joint = state.order.joint();
        for &reader in &plain {
            state.order.add(node(reader), joint);
        }
        let [only] = rmws[..] else {
            first.for_each(|write| {
                state.order.add(joint, node(write));
            });
            return rmws.is_empty();
        };
        state.order.add(joint, node(only));
        for write in first.filter(|&write| write != only) {
            state.order.add(node(only), node(write));
        }
        true
    }
}

/// Notes that a read reads from a write.
fn read_from(state: &mut State, read: OpId, write: OpId) {
    // An edge within a thread, too: the past of the write is needed at the read.
    state.order.add(node(write), node(read));
    let (thread, at) = state.order.position(read);
    let readers = &mut state.readers[write.index()];
    let own = readers.iter_mut().find(|other| state.order.position(**other).0 == thread);
    match own {
        Some(last) if state.order.position(*last).1 < at => *last = read,
        Some(_) => {}
        None => readers.push(read),
    }
}

fn node(id: OpId) -> Node {
    id.index() as Node
}

struct Search<'t> {
    tables: &'t Tables<'t>,
    work: u64,
}

impl Search<'_> {
    fn search(&mut self, mut state: State) -> Found {
        match self.saturate(&mut state) {
            Some(true) => {}
            Some(false) => return Found::None,
            None => return Found::Untold,
        }
        let stuck = match repaired(self.tables.trace, &state.order, &state.sources) {
            Ok(order) => return Found::Order(order),
            Err(stuck) => stuck,
        };
        let branches: Vec<State> = match (state.sources.open().next(), stuck) {
            (Some(read), _) => {
                let candidates = state.sources.of(read).to_vec();
                candidates.into_iter().map(|source| self.reading(&state, read, source)).collect()
            }
            (None, Some((blocked, current))) => {
                let ordered = |a: OpId, b: OpId| {
                    let mut state = state.clone();
                    state.order.add(node(a), node(b));
                    state
                };
                vec![ordered(blocked, current), ordered(current, blocked)]
            }
            (None, None) => return Found::Untold,
        };
        for branch in branches {
            match self.search(branch) {
                Found::None => {}
                found => return found,
            }
        }
        Found::None
    }

    /// The state in which an open read reads from a source.
    fn reading(&self, state: &State, read: OpId, source: Source) -> State {
        let mut state = state.clone();
        state.sources.choose(read, source);
        self.settle(&mut state, read);
        state
    }

    /// Adds the edges implied by the only remaining source of a read.
    fn settle(&self, state: &mut State, read: OpId) {
        match (state.sources.known(read), self.tables.trace.op(read).cell) {
            (Some(Source::Write(write)), _) => read_from(state, read, write),
            (Some(Source::Initial), Some(cell)) => {
                for (_, list) in &self.tables.writes[cell.index()] {
                    if list[0].1 != read {
                        state.order.add(node(read), node(list[0].1));
                    }
                }
            }
            _ => {}
        }
    }

    /// Adds implied edges up to a fixpoint; gives whether an order may exist, `None` if this takes
    /// too long.
    fn saturate(&mut self, state: &mut State) -> Option<bool> {
        loop {
            let trace = self.tables.trace;
            self.work += trace.ops.len() as u64 * (state.order.threads() as u64 + 50);
            if self.work > MOST_WORK {
                return None;
            }
            let mut derived = Derived::default();
            let mut by_source: BTreeMap<OpId, Vec<OpId>> = BTreeMap::new();
            for read in state.sources.open() {
                for &source in state.sources.of(read) {
                    if let Source::Write(write) = source {
                        by_source.entry(write).or_default().push(read);
                    }
                }
            }
            let acyclic = state.order.walk(|id, clock, pasts| {
                derived.visit(self.tables, state, id, (clock, pasts));
                for &read in by_source.get(&id).into_iter().flatten() {
                    if state.order.has(clock, read) {
                        derived.excluded.push((read, Source::Write(id)));
                    }
                }
            });
            if !acyclic || derived.contradiction {
                return Some(false);
            }
            let mut new = false;
            for (read, source) in derived.excluded {
                if state.sources.of(read).contains(&source) {
                    new = true;
                    if !state.sources.exclude(read, source) {
                        return Some(false);
                    }
                    self.settle(state, read);
                }
            }
            derived.edges.sort_unstable();
            derived.edges.dedup();
            for (from, to) in derived.edges {
                new |= state.order.add(from, to);
            }
            if !new {
                return Some(true);
            }
        }
    }
}

/// Facts derived from the pasts of operations.
#[derive(Default)]
struct Derived {
    edges: Vec<(Node, Node)>,
    excluded: Vec<(OpId, Source)>,
    contradiction: bool,
}

impl Derived {
    fn visit(
        &mut self,
        tables: &Tables<'_>,
        state: &State,
        id: OpId,
        (clock, pasts): (&Clock, Pasts<'_>),
    ) {
        let op = tables.trace.op(id);
        let Some(cell) = op.cell else { return };
        for (thread, list) in &tables.writes[cell.index()] {
            let before = list.partition_point(|(at, _)| *at < clock[*thread]);
            let Some(&(at, last)) = before.checked_sub(1).map(|index| &list[index]) else {
                continue;
            };
            if op.read.is_some() {
                self.write_before_read(state, id, (last, *thread, at), pasts);
            }
            if op.write.is_some() {
                for &reader in &state.readers[last.index()] {
                    if reader != id && !state.order.has(clock, reader) {
                        self.edges.push((node(reader), node(id)));
                    }
                }
            }
        }
    }

    /// The last write of a thread before a read is the source of the read, or comes before the
    /// source.
    fn write_before_read(
        &mut self,
        state: &State,
        read: OpId,
        (last, thread, at): (OpId, usize, u32),
        pasts: Pasts<'_>,
    ) {
        match state.sources.known(read) {
            Some(Source::Initial) => self.contradiction = true,
            Some(Source::Write(write)) if write != last => {
                let (of, position) = state.order.position(write);
                // Of two writes of one thread, the earlier one is overwritten.
                let known = || pasts.of(write).is_some_and(|past| state.order.has(past, last));
                if of != thread && !known() {
                    self.edges.push((node(last), node(write)));
                } else if of == thread && position < at {
                    self.contradiction = true;
                }
            }
            Some(_) => {}
            None => {
                for &source in state.sources.of(read) {
                    let overwritten = match source {
                        Source::Initial => true,
                        Source::Write(write) => {
                            let (of, position) = state.order.position(write);
                            of == thread && position < at
                        }
                    };
                    if overwritten {
                        self.excluded.push((read, source));
                    }
                }
            }
        }
    }
}
