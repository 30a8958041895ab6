//! The schedule of a sequential machine that respects given precedence edges.
//!
//! A read is executed as soon as its location has the right value. A write is executed as soon as
//! all its readers can follow immediately. Neither rule excludes a schedule. Otherwise the write
//! with the earliest time in the trace comes next. A stuck schedule is repaired; a complete
//! schedule is a total order.

use super::Trace;
use super::clock::{Node, Order};
use super::sources::{Source, Sources};
use crate::id::OpId;
use std::collections::BTreeSet;

/// The largest number of repairs before the search branches on pairs of writes.
const MOST_REPAIRS: usize = 30;

/// A schedule of all operations. If a schedule gets stuck, the writes that came too early are
/// delayed in the next one. If the repairs fail, gives a pair of unordered writes, if there is one.
pub(super) fn repaired(
    trace: &Trace,
    order: &Order,
    sources: &Sources,
) -> Result<Vec<OpId>, Option<(OpId, OpId)>> {
    let times = order.times(trace);
    let mut order = order.clone();
    let mut first = None;
    for _ in 0..MOST_REPAIRS {
        let stuck = match Schedule::run(trace, sources, &order, &times) {
            Ok(done) => return Ok(done),
            Err(stuck) => stuck,
        };
        first = first.or(stuck.first().copied());
        let mut new = false;
        for (blocked, current) in stuck {
            new |= order.add(blocked.index() as Node, current.index() as Node);
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
    sources: &'a Sources,
    order: &'a Order,
    /// How many nodes each one waits for.
    waits: Vec<u32>,
    after: Vec<Vec<Node>>,
    memory: Vec<Memory>,
    /// Locations whose next write is executable, by the time of the write.
    free: BTreeSet<(u64, usize)>,
    done: Vec<OpId>,
    ready: Vec<Node>,
    /// When operations may have been executed.
    times: &'a [u64],
    /// All that are known to read from each write.
    readers: Vec<Vec<OpId>>,
    /// Writes that may have become safe.
    perhaps: Vec<OpId>,
}

/// A location.
struct Memory {
    source: Source,
    value: i128,
    /// How many operations are known to read this and have not.
    readers: usize,
    /// Reads that wait for another value.
    reads: Vec<OpId>,
    /// The writes without open predecessors, by their times.
    writes: BTreeSet<(u64, OpId)>,
    /// The entry of this location in `free`.
    free: Option<(u64, usize)>,
}

impl<'a> Schedule<'a> {
    /// A total order of all operations; else the blocked writes, each with the write that it would
    /// overwrite too early.
    fn run(
        trace: &'a Trace,
        sources: &'a Sources,
        order: &'a Order,
        times: &'a [u64],
    ) -> Result<Vec<OpId>, Vec<(OpId, OpId)>> {
        let mut schedule = Self::new(trace, sources, order, times);
        loop {
            while let Some(node) = schedule.ready.pop() {
                schedule.come(node);
            }
            if let Some(write) = schedule.perhaps.pop() {
                if let Some(cell) = schedule.safe(write) {
                    schedule.write(cell, write);
                }
                continue;
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

    fn new(trace: &'a Trace, sources: &'a Sources, order: &'a Order, times: &'a [u64]) -> Self {
        let (waits, after) = order.degrees();
        let ready = (0..waits.len() as Node).rev().filter(|&n| waits[n as usize] == 0).collect();
        let mut readers_of_initial = vec![0; trace.cells.len()];
        let mut readers = vec![Vec::new(); trace.ops.len()];
        for id in trace.ids() {
            match (sources.known(id), trace.op(id).cell) {
                (Some(Source::Initial), Some(cell)) => readers_of_initial[cell.index()] += 1,
                (Some(Source::Write(write)), _) => readers[write.index()].push(id),
                _ => {}
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
        let (free, done, perhaps) = (BTreeSet::new(), Vec::new(), Vec::new());
        Self {
            trace,
            sources,
            order,
            waits,
            after,
            memory,
            free,
            done,
            ready,
            times,
            readers,
            perhaps,
        }
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
                self.perhaps.push(id);
                self.update(cell);
            }
            (Some(cell), None) if !self.sees(id, cell.index()) => {
                self.memory[cell.index()].reads.push(id);
            }
            _ => self.execute(id),
        }
    }

    /// Whether a location has the value that an operation reads.
    fn sees(&self, id: OpId, cell: usize) -> bool {
        let memory = &self.memory[cell];
        match self.sources.known(id) {
            Some(source) => source == memory.source,
            None => self.trace.op(id).read == Some(memory.value),
        }
    }

    /// The next write at a location, if some write is executable.
    fn next_write(&self, cell: usize) -> Option<OpId> {
        let memory = &self.memory[cell];
        let may = |&&(_, id): &&(u64, OpId)| {
            let reads = self.trace.op(id).read.is_some();
            // An update is a reader of the value that it overwrites.
            let own = usize::from(reads && self.sources.known(id).is_some());
            (!reads || self.sees(id, cell)) && memory.readers == own
        };
        memory.writes.iter().find(may).map(|&(_, id)| id)
    }

    /// The location of a write that may be executed because all its readers, including chains of
    /// updates, can follow immediately. Moving these operations to the front turns any total order
    /// into a total order.
    fn safe(&self, write: OpId) -> Option<usize> {
        let cell = self.trace.op(write).cell?.index();
        let memory = &self.memory[cell];
        if !memory.writes.contains(&(self.times[write.index()], write)) {
            return None;
        }
        let reads = self.trace.op(write).read.is_some();
        let known = self.sources.known(write).is_some();
        if memory.readers != usize::from(reads && known) || reads && !self.sees(write, cell) {
            return None;
        }
        let mut last = Some(write);
        while let Some(write) = last.take() {
            for &reader in &self.readers[write.index()] {
                let next = self.order.next(write) == Some(reader);
                // The edge from the write is one predecessor; program order may add another one.
                if self.waits[reader.index()] > 1 + u32::from(next) {
                    return None;
                }
                if self.trace.op(reader).write.is_some() {
                    last = Some(reader);
                }
            }
        }
        Some(cell)
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
        memory.readers = self.readers[id.index()].len();
        let reads = std::mem::take(&mut memory.reads);
        self.finish(id);
        for read in reads {
            if self.sees(read, cell) {
                self.execute(read);
            } else {
                self.memory[cell].reads.push(read);
            }
        }
        if self.memory[cell].readers <= 1 {
            self.perhaps.extend(self.memory[cell].writes.iter().map(|(_, id)| *id));
        }
        self.update(cell);
    }

    /// Executes a read, a fence or a barrier.
    fn execute(&mut self, id: OpId) {
        if let Some(cell) = self.trace.op(id).cell {
            if self.sources.known(id).is_some() {
                let memory = &mut self.memory[cell.index()];
                memory.readers -= 1;
                if memory.readers <= 1 {
                    self.perhaps.extend(memory.writes.iter().map(|(_, id)| *id));
                }
            }
            self.update(cell.index());
        }
        self.finish(id);
    }

    fn finish(&mut self, id: OpId) {
        self.done.push(id);
        self.release(id.index() as Node);
    }

    fn release(&mut self, node: Node) {
        for next in std::mem::take(&mut self.after[node as usize]) {
            self.waits[next as usize] -= 1;
            match self.waits[next as usize] {
                0 => self.ready.push(next),
                // The source of the read may be its only open predecessor.
                1 | 2 if (next as usize) < self.trace.ops.len() => {
                    let source = self.sources.known(OpId::new(next as usize));
                    if let Some(Source::Write(write)) = source {
                        self.perhaps.push(write);
                    }
                }
                _ => {}
            }
        }
    }

    /// The blocked writes, each with the current write whose readers are missing.
    fn stuck(&self) -> Vec<(OpId, OpId)> {
        let pair = |memory: &Memory| match (memory.source, memory.writes.first()) {
            (Source::Write(current), Some(&(_, blocked))) => Some((blocked, current)),
            _ => None,
        };
        self.memory.iter().filter_map(pair).collect()
    }
}
