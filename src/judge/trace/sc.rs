//! A trace into an order of all its operations in which every read sees the last write: sequential
//! consistency.
//!
//! What has to come before what is derived until nothing new follows: a write that comes before a read
//! comes before the write that it reads from, and the readers of a write come before each later write.
//! Then a schedule is looked for that executes reads as soon as it can. Where it gets stuck, two writes
//! to one location are open, and both orders of them are tried.

use super::clock::{Clock, Node, Order, Pasts};
use super::sources::{Source, Sources};
use super::sync::barriers;
use super::{Trace, Verdict};
use crate::id::{CellId, OpId};
use std::collections::{BTreeMap, BTreeSet};

/// How much work a search takes at most: operations times threads, for every time that the order is
/// walked along.
const MOST_WORK: u64 = 4_000_000_000;

/// What a search gives.
pub(super) enum Found {
    /// An order of all operations.
    Order(Vec<OpId>),
    /// There is none.
    None,
    /// It would take too long.
    Untold,
}

/// Looks for such an order.
pub(super) fn order(trace: &Trace, sources: Sources) -> Found {
    let tables = Tables::new(trace);
    let mut order = Order::new(trace);
    barriers(trace, &mut order);
    let (readers, counts) = (vec![Vec::new(); trace.ops.len()], vec![0; trace.ops.len()]);
    let mut state = State { order, sources, readers, counts };
    if !tables.start(&mut state) {
        return Found::None;
    }
    // A trace in the order of execution, or with times, often is such an order.
    match repaired(trace, &state) {
        Ok(order) => Found::Order(order),
        Err(_) => Search { tables: &tables, work: 0 }.search(state),
    }
}

/// Whether there is such an order.
pub(super) fn judge(trace: &Trace, sources: Sources) -> Verdict {
    match order(trace, sources) {
        Found::Order(_) => Verdict::Consistent,
        Found::None => Verdict::Inconsistent,
        Found::Untold => Verdict::Unknown(
            "no order of all operations was found, nor a reason why there is none".to_owned(),
        ),
    }
}

/// The writes of one thread to one location: their positions there.
type WritesOfThread = (usize, Vec<(u32, OpId)>);

/// What does not change in a search.
struct Tables<'t> {
    trace: &'t Trace,
    /// The writes to each location by thread.
    writes: Vec<Vec<WritesOfThread>>,
}

/// What is known at a point of a search.
#[derive(Clone)]
struct State {
    order: Order,
    sources: Sources,
    /// The last reader of each write in each thread that is known to read from it.
    readers: Vec<Vec<OpId>>,
    /// How many operations are known to read from each write.
    counts: Vec<u32>,
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

    /// Adds what follows from reads whose source is known; `false` where that contradicts itself.
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

    /// The readers of an initial value come before all writes; at most one of them writes itself, and
    /// comes before all others.
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
    state.counts[write.index()] += 1;
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
        let stuck = match repaired(self.tables.trace, &state) {
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

    /// Adds what follows from the only source that a read has left.
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

    /// Derives until nothing new follows: whether that leaves an order, `None` where it takes too long.
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
            for (from, to) in derived.edges {
                new |= state.order.add(from, to);
            }
            if !new {
                return Some(true);
            }
        }
    }
}

/// What follows from the pasts of operations.
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

    /// The last write of a thread before a read is what it reads, or comes before that.
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
                // Of one thread, the later one is that which is read, or an earlier one is overwritten.
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

/// So often a schedule is repaired before writes are ordered for good.
const MOST_REPAIRS: usize = 400;

/// A schedule of all operations; where it gets stuck, the writes that came too early come later in the
/// next one. Where that leads nowhere, a pair of writes that is open, if there is one.
fn repaired(trace: &Trace, state: &State) -> Result<Vec<OpId>, Option<(OpId, OpId)>> {
    let times = state.order.times(trace);
    let mut order = state.order.clone();
    let mut first = None;
    for _ in 0..MOST_REPAIRS {
        let stuck = match Schedule::run(trace, state, &order, &times) {
            Ok(done) => return Ok(done),
            Err(stuck) => stuck,
        };
        first = first.or(stuck.first().copied());
        let mut new = false;
        for (blocked, current) in stuck {
            new |= order.add(node(blocked), node(current));
        }
        if !new {
            break;
        }
    }
    Err(first)
}

/// A machine that executes one operation after the other, as the order allows.
struct Schedule<'a> {
    trace: &'a Trace,
    state: &'a State,
    /// How many nodes each one waits for.
    waits: Vec<u32>,
    after: Vec<Vec<Node>>,
    memory: Vec<Memory>,
    /// Locations whose next write may happen, by when the trace has it.
    free: BTreeSet<(u64, usize)>,
    done: Vec<OpId>,
    ready: Vec<Node>,
    /// When operations may have been executed.
    times: &'a [u64],
}

/// A location.
struct Memory {
    source: Source,
    value: i128,
    /// How many operations are known to read this and have not.
    readers: usize,
    /// Reads that wait for another value.
    reads: Vec<OpId>,
    /// Writes that may come next as far as the order goes, by when the trace has them.
    writes: BTreeSet<(u64, OpId)>,
    /// What `free` has of this location.
    free: Option<(u64, usize)>,
}

impl<'a> Schedule<'a> {
    /// An order of all operations; else writes that may come next, each with the one that it would
    /// overwrite too early.
    fn run(
        trace: &'a Trace,
        state: &'a State,
        order: &Order,
        times: &'a [u64],
    ) -> Result<Vec<OpId>, Vec<(OpId, OpId)>> {
        let mut schedule = Self::new(trace, state, order, times);
        loop {
            while let Some(node) = schedule.ready.pop() {
                schedule.come(node);
            }
            let Some(&(_, cell)) = schedule.free.first() else { break };
            let Some(write) = schedule.next_write(cell) else { break };
            schedule.write(cell, write);
        }
        if schedule.done.len() == trace.ops.len() {
            Ok(schedule.done)
        } else {
            Err(schedule.stuck())
        }
    }

    fn new(trace: &'a Trace, state: &'a State, order: &Order, times: &'a [u64]) -> Self {
        let (waits, after) = order.degrees();
        let ready = (0..waits.len() as Node).rev().filter(|&n| waits[n as usize] == 0).collect();
        let mut readers_of_initial = vec![0; trace.cells.len()];
        for id in trace.ids() {
            if let (Some(Source::Initial), Some(cell)) =
                (state.sources.known(id), trace.op(id).cell)
            {
                readers_of_initial[cell.index()] += 1;
            }
        }
        let memory = trace.cells.iter().zip(readers_of_initial).map(|(cell, readers)| Memory {
            source: Source::Initial,
            value: cell.initial,
            readers,
            reads: Vec::new(),
            writes: BTreeSet::new(),
            free: None,
        });
        let memory = memory.collect();
        let (free, done) = (BTreeSet::new(), Vec::new());
        Self { trace, state, waits, after, memory, free, done, ready, times }
    }

    /// A node that waits for nothing more.
    fn come(&mut self, node: Node) {
        if node as usize >= self.trace.ops.len() {
            return self.release(node);
        }
        let id = OpId::new(node as usize);
        let op = self.trace.op(id);
        match (op.cell, op.write) {
            (Some(cell), Some(_)) => {
                let cell = cell.index();
                self.memory[cell].writes.insert((self.times[id.index()], id));
                self.update(cell);
            }
            (Some(cell), None) if !self.sees(id, cell.index()) => {
                self.memory[cell.index()].reads.push(id);
            }
            _ => self.execute(id),
        }
    }

    /// Whether a location has what an operation reads.
    fn sees(&self, id: OpId, cell: usize) -> bool {
        let memory = &self.memory[cell];
        match self.state.sources.known(id) {
            Some(source) => source == memory.source,
            None => self.trace.op(id).read == Some(memory.value),
        }
    }

    /// The write that comes next at a location, if it may happen.
    fn next_write(&self, cell: usize) -> Option<OpId> {
        let memory = &self.memory[cell];
        let may = |&&(_, id): &&(u64, OpId)| {
            let reads = self.trace.op(id).read.is_some();
            // An update reads what it overwrites.
            let own = usize::from(reads && self.state.sources.known(id).is_some());
            (!reads || self.sees(id, cell)) && memory.readers == own
        };
        memory.writes.iter().find(may).map(|&(_, id)| id)
    }

    /// Notes whether a location has a write that may happen.
    fn update(&mut self, cell: usize) {
        let next = self.next_write(cell).map(|next| (self.times[next.index()], cell));
        let known = std::mem::replace(&mut self.memory[cell].free, next);
        if known != next {
            known.map(|known| self.free.remove(&known));
            self.free.extend(next);
        }
    }

    fn write(&mut self, cell: usize, id: OpId) {
        let when = self.times[id.index()];
        let memory = &mut self.memory[cell];
        memory.writes.remove(&(when, id));
        memory.source = Source::Write(id);
        memory.value = self.trace.op(id).write.unwrap_or_default();
        memory.readers = self.state.counts[id.index()] as usize;
        let reads = std::mem::take(&mut memory.reads);
        self.finish(id);
        for read in reads {
            if self.sees(read, cell) {
                self.execute(read);
            } else {
                self.memory[cell].reads.push(read);
            }
        }
        self.update(cell);
    }

    /// Executes a read, a fence or a barrier.
    fn execute(&mut self, id: OpId) {
        if let Some(cell) = self.trace.op(id).cell {
            if self.state.sources.known(id).is_some() {
                self.memory[cell.index()].readers -= 1;
            }
            self.update(cell.index());
        }
        self.finish(id);
    }

    fn finish(&mut self, id: OpId) {
        self.done.push(id);
        self.release(node(id));
    }

    fn release(&mut self, node: Node) {
        for next in std::mem::take(&mut self.after[node as usize]) {
            self.waits[next as usize] -= 1;
            if self.waits[next as usize] == 0 {
                self.ready.push(next);
            }
        }
    }

    /// The writes that wait for readers of the one before them, with that one.
    fn stuck(&self) -> Vec<(OpId, OpId)> {
        let pair = |memory: &Memory| match (memory.source, memory.writes.first()) {
            (Source::Write(current), Some(&(_, blocked))) => Some((blocked, current)),
            _ => None,
        };
        self.memory.iter().filter_map(pair).collect()
    }
}
