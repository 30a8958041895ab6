//! A total order of the accesses to one location all strong pairs of which have mutual scopes.
//!
//! In such an order each write is followed by its readers and then by the next write. An atomic
//! update immediately follows the write that it reads from. A write, its readers, and the chain of
//! updates therefore form one block with a known inner order, and only the order of blocks is open.

use super::Trace;
use super::sources::Source;
use super::sync::is_one_group;
use crate::id::OpId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The accesses to one location.
#[derive(Clone, Debug)]
pub(super) struct Accesses {
    /// The accesses, thread by thread in program order.
    pub(super) ops: Vec<OpId>,
    /// For each thread with accesses: the thread, its first access, and the end of its accesses.
    pub(super) threads: Vec<(usize, usize, usize)>,
}

impl Accesses {
    /// The accesses to each location of a trace.
    pub(super) fn all(trace: &Trace) -> Vec<Self> {
        let mut cells = vec![Self { ops: Vec::new(), threads: Vec::new() }; trace.cells.len()];
        for (thread, ops) in trace.by_thread().into_iter().enumerate() {
            for id in ops {
                let Some(cell) = trace.op(id).cell else { continue };
                let accesses = &mut cells[cell.index()];
                let at = accesses.ops.len();
                match accesses.threads.last_mut() {
                    Some((last, _, end)) if *last == thread => *end = at + 1,
                    _ => accesses.threads.push((thread, at, at + 1)),
                }
                accesses.ops.push(id);
            }
        }
        cells
    }

    /// Whether all pairs of different threads are morally strong.
    pub(super) fn are_uniform(&self, trace: &Trace) -> bool {
        if self.threads.len() < 2 {
            return true;
        }
        let ops = || self.ops.iter().map(|&id| trace.op(id));
        let least = ops().map(|op| op.scope).min();
        ops().all(super::Op::is_strong)
            && least.is_none_or(|scope| {
                is_one_group(trace, scope, self.threads.iter().map(|&(thread, ..)| thread))
            })
    }
}

/// A total order of the accesses to a location, computed from precedence edges.
pub(super) struct Line {
    blocks: Blocks,
    /// From block to block.
    edges: Vec<Vec<u32>>,
    /// The place of each block in the order, once there is one.
    ranks: Vec<u32>,
}

impl Line {
    /// The blocks of the accesses, with edges for program order and possible times of execution;
    /// `None` if the accesses have no order.
    pub(super) fn new(
        trace: &Trace,
        accesses: &Accesses,
        sources: &[Option<Source>],
        times: &[u64],
    ) -> Option<Self> {
        let blocks = Blocks::new(trace, accesses, sources, times)?;
        let count = blocks.begins.len();
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); count];
        // The readers of the initial value come first.
        edges[0] = (1..count as u32).collect();
        let mut line = Self { blocks, edges, ranks: vec![0; count] };
        for &(_, start, end) in &accesses.threads {
            for at in start + 1..end {
                if !line.add(at as u32 - 1, at as u32) {
                    return None;
                }
            }
        }
        Some(line)
    }

    /// Adds a precedence edge between two accesses; `false` if their places in one block contradict
    /// the edge.
    pub(super) fn add(&mut self, from: u32, to: u32) -> bool {
        let ((a, early), (b, late)) = (self.blocks.of[from as usize], self.blocks.of[to as usize]);
        if a != b {
            self.edges[a as usize].push(b);
        }
        a != b || early <= late
    }

    /// Whether one access comes before another one in the order, or both read the same write.
    pub(super) fn has(&self, from: u32, to: u32) -> bool {
        let ((a, early), (b, late)) = (self.blocks.of[from as usize], self.blocks.of[to as usize]);
        if a == b { early <= late } else { self.ranks[a as usize] < self.ranks[b as usize] }
    }

    /// Finds an order close to the times in the trace; `false` if there is none.
    pub(super) fn order(&mut self) -> bool {
        let mut waits = vec![0u32; self.edges.len()];
        self.edges.iter().flatten().for_each(|&to| waits[to as usize] += 1);
        let key = |block: usize| Reverse((self.blocks.begins[block], block));
        let ready = (0..waits.len()).filter(|&block| waits[block] == 0).map(key);
        let mut ready: BinaryHeap<_> = ready.collect();
        let mut rank = 0;
        while let Some(Reverse((_, block))) = ready.pop() {
            self.ranks[block] = rank;
            rank += 1;
            for &next in &self.edges[block] {
                waits[next as usize] -= 1;
                if waits[next as usize] == 0 {
                    ready.push(Reverse((self.blocks.begins[next as usize], next as usize)));
                }
            }
        }
        rank as usize == waits.len()
    }
}

/// The block of each access and its place in the block. The place is twice the number of the write
/// in the block, plus one for a reader.
struct Blocks {
    of: Vec<(u32, u32)>,
    /// When the trace has the first write of each block.
    begins: Vec<u64>,
}

impl Blocks {
    /// `None` where two updates read one write, or updates read from each other in a circle.
    fn new(
        trace: &Trace,
        accesses: &Accesses,
        sources: &[Option<Source>],
        times: &[u64],
    ) -> Option<Self> {
        let index: BTreeMap<OpId, usize> =
            accesses.ops.iter().enumerate().map(|(at, &id)| (id, at)).collect();
        let mut of: Vec<Option<(u32, u32)>> = vec![None; accesses.ops.len()];
        let mut updates: BTreeMap<Source, usize> = BTreeMap::new();
        let mut heads = Vec::new();
        for (at, &id) in accesses.ops.iter().enumerate() {
            let op = trace.op(id);
            if op.is_rmw() {
                let source = sources[id.index()]?;
                if updates.insert(source, at).is_some() {
                    return None;
                }
            } else if op.write.is_some() {
                heads.push(at);
            }
        }
        let mut begins = Vec::new();
        let starts = std::iter::once(None).chain(heads.into_iter().map(Some));
        for head in starts {
            let block = begins.len() as u32;
            let mut place = 0;
            let mut source = Source::Initial;
            begins.push(head.map_or(0, |at| times[accesses.ops[at].index()]));
            if let Some(at) = head {
                of[at] = Some((block, place));
                source = Source::Write(accesses.ops[at]);
            }
            while let Some(&at) = updates.get(&source) {
                place += 2;
                of[at] = Some((block, place));
                source = Source::Write(accesses.ops[at]);
            }
        }
        for (at, &id) in accesses.ops.iter().enumerate() {
            if trace.op(id).write.is_some() {
                continue;
            }
            of[at] = Some(match sources[id.index()]? {
                Source::Initial => (0, 1),
                Source::Write(write) => {
                    let (block, place) = of[*index.get(&write)?]?;
                    (block, place + 1)
                }
            });
        }
        let of: Option<Vec<(u32, u32)>> = of.into_iter().collect();
        Some(Self { of: of?, begins })
    }
}
