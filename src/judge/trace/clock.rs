//! A partial order of operations, given by program order and edges, and the past of each operation.
//!
//! The past of an operation is a vector clock: the number of earlier operations of each thread.
//! Clocks are computed in one walk along the order and then dropped, so that memory grows with the
//! number of simultaneously open edges, not with the number of operations.

use super::Trace;
use crate::id::OpId;
use std::collections::VecDeque;

/// A node of the order: an operation, or a point that only joins edges.
pub(super) type Node = u32;

/// Program order with edges.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// The operations of each thread.
    threads: Vec<Vec<OpId>>,
    /// The thread of each operation, and the number of earlier operations of the thread.
    position: Vec<(u32, u32)>,
    /// The edges to each node, without program order.
    before: Vec<Vec<Node>>,
    /// How many edges lead away from each node, program order aside.
    out_degree: Vec<u32>,
}

/// How many operations of each thread come before some operation.
pub(super) type Clock = [u32];

impl Order {
    /// Program order alone.
    pub(super) fn new(trace: &Trace) -> Self {
        let threads = trace.by_thread();
        let mut position = vec![(0, 0); trace.ops.len()];
        for (thread, ops) in threads.iter().enumerate() {
            for (at, id) in ops.iter().enumerate() {
                position[id.index()] = (thread as u32, at as u32);
            }
        }
        let nodes = trace.ops.len();
        Self { threads, position, before: vec![Vec::new(); nodes], out_degree: vec![0; nodes] }
    }

    /// A new point that joins edges.
    pub(super) fn joint(&mut self) -> Node {
        self.before.push(Vec::new());
        self.out_degree.push(0);
        (self.before.len() - 1) as Node
    }

    /// Adds an edge; gives whether the edge is new.
    pub(super) fn add(&mut self, from: Node, to: Node) -> bool {
        let edges = &mut self.before[to as usize];
        if edges.contains(&from) {
            return false;
        }
        edges.push(from);
        self.out_degree[from as usize] += 1;
        true
    }

    /// The thread of an operation, and the number of earlier operations of the thread.
    pub(super) fn position(&self, id: OpId) -> (usize, u32) {
        let (thread, at) = self.position[id.index()];
        (thread as usize, at)
    }

    /// The operation behind one in program order.
    pub(super) fn next(&self, id: OpId) -> Option<OpId> {
        let (thread, at) = self.position(id);
        self.threads[thread].get(at as usize + 1).copied()
    }

    /// How many threads there are.
    pub(super) fn threads(&self) -> usize {
        self.threads.len()
    }

    /// Whether a clock contains an operation.
    pub(super) fn has(&self, clock: &Clock, id: OpId) -> bool {
        let (thread, at) = self.position(id);
        clock[thread] > at
    }

    /// A possible time of execution for each operation. The time comes from the trace, unless the
    /// order contradicts these times; else it is the size of the operation's past.
    pub(super) fn times(&self, trace: &Trace) -> Vec<u64> {
        let told: Vec<u64> = trace.ids().map(|id| trace.when(id)).collect();
        let time = |node: Node| told.get(node as usize).copied();
        let mut edges = self
            .before
            .iter()
            .enumerate()
            .flat_map(|(to, edges)| edges.iter().map(move |&from| (from, to as Node)));
        let fits = |(from, to)| time(from).zip(time(to)).is_none_or(|(a, b)| a <= b);
        if edges.all(fits) {
            return told;
        }
        // An operation with a larger past is later; the size grows along the order.
        let mut times = vec![u64::MAX; trace.ops.len()];
        self.walk(|id, clock, _| {
            times[id.index()] = clock.iter().map(|&count| u64::from(count)).sum();
        });
        times
    }

    /// The number of predecessors of each node, and its successors, program order included.
    pub(super) fn degrees(&self) -> (Vec<u32>, Vec<Vec<Node>>) {
        let mut waits: Vec<u32> = self.before.iter().map(|edges| edges.len() as u32).collect();
        let mut after = vec![Vec::new(); self.before.len()];
        for (to, edges) in self.before.iter().enumerate() {
            edges.iter().for_each(|&from| after[from as usize].push(to as Node));
        }
        for ops in &self.threads {
            for pair in ops.windows(2) {
                waits[pair[1].index()] += 1;
                after[pair[0].index()].push(pair[1].index() as Node);
            }
        }
        (waits, after)
    }

    /// Visits all operations along the order with their pasts, and with the pasts of their
    /// predecessors by edges; `false` if the order has a cycle.
    pub(super) fn walk(&self, mut visit: impl FnMut(OpId, &Clock, Pasts<'_>)) -> bool {
        let mut walk = Walk::new(self);
        while let Some(node) = walk.ready.pop_front() {
            walk.enter(node, &mut visit);
        }
        walk.left == 0
    }
}

/// The pasts of the predecessors of the visited operation.
#[derive(Clone, Copy)]
pub(super) struct Pasts<'w>(&'w [Kept]);

/// The past of a node, including the node, and the number of edges that still need the past.
type Kept = Option<(Box<[u32]>, u32)>;

impl Pasts<'_> {
    /// The past of a predecessor, including the predecessor.
    pub(super) fn of(&self, id: OpId) -> Option<&Clock> {
        self.0[id.index()].as_ref().map(|(past, _)| &**past)
    }
}

/// A walk along an order.
struct Walk<'o> {
    order: &'o Order,
    /// The nodes behind each node, program order aside, as ranges of `heads`.
    starts: Vec<u32>,
    heads: Vec<Node>,
    /// How many nodes before each one are still to come, program order included.
    waits: Vec<u32>,
    /// The past of the next operation of each thread, the operations of the thread included.
    current: Vec<Vec<u32>>,
    /// The pasts of nodes that edges lead away from.
    kept: Vec<Kept>,
    ready: VecDeque<Node>,
    /// When each node was entered: later ones have later stamps.
    stamps: Vec<u32>,
    left: usize,
    /// The predecessors of the entered node, the last entered first.
    sorted: Vec<Node>,
}

impl<'o> Walk<'o> {
    fn new(order: &'o Order) -> Self {
        let nodes = order.before.len();
        let mut starts = vec![0u32; nodes + 1];
        for (node, degree) in order.out_degree.iter().enumerate() {
            starts[node + 1] = starts[node] + degree;
        }
        let mut next: Vec<u32> = starts[..nodes].to_vec();
        let mut heads = vec![0; *starts.last().unwrap_or(&0) as usize];
        let mut waits: Vec<u32> = order.before.iter().map(|edges| edges.len() as u32).collect();
        for (to, edges) in order.before.iter().enumerate() {
            for &from in edges {
                heads[next[from as usize] as usize] = to as Node;
                next[from as usize] += 1;
            }
        }
        for (thread, at) in &order.position {
            let id = order.threads[*thread as usize][*at as usize];
            waits[id.index()] += u32::from(*at > 0);
        }
        let threads = order.threads.len();
        let ready = (0..nodes as Node).filter(|&node| waits[node as usize] == 0).collect();
        Self {
            order,
            starts,
            heads,
            waits,
            current: vec![vec![0; threads]; threads],
            kept: (0..nodes).map(|_| None).collect(),
            ready,
            stamps: vec![0; nodes],
            left: nodes,
            sorted: Vec::new(),
        }
    }

    fn enter(&mut self, node: Node, visit: &mut impl FnMut(OpId, &Clock, Pasts<'_>)) {
        self.left -= 1;
        let index = node as usize;
        self.stamps[index] = (self.stamps.len() - self.left) as u32;
        let degree = self.order.out_degree[index];
        let Some(&(thread, at)) = self.order.position.get(index) else {
            let mut clock = vec![0; self.order.threads()];
            self.join(index, &mut clock);
            self.forget(index);
            self.keep(index, degree, &clock);
            return self.release(index);
        };
        let thread = thread as usize;
        let mut clock = std::mem::take(&mut self.current[thread]);
        self.join(index, &mut clock);
        visit(OpId::new(index), &clock, Pasts(&self.kept));
        self.forget(index);
        clock[thread] = at + 1;
        self.keep(index, degree, &clock);
        self.current[thread] = clock;
        self.release(index);
        if let Some(next) = self.order.threads[thread].get(at as usize + 1) {
            self.arrive(next.index());
        }
    }

    /// Joins the pasts of the predecessors of a node. The predecessor entered last comes first,
    /// since its past may contain the others.
    fn join(&mut self, index: usize, clock: &mut [u32]) {
        let mut sorted = std::mem::take(&mut self.sorted);
        sorted.clear();
        sorted.extend(&self.order.before[index]);
        sorted.sort_unstable_by_key(|&from| std::cmp::Reverse(self.stamps[from as usize]));
        for &from in &sorted {
            let known = self.order.position.get(from as usize);
            if known.is_some_and(|&(thread, at)| clock[thread as usize] > at) {
                continue;
            }
            let Some((past, _)) = &self.kept[from as usize] else { continue };
            for (own, other) in clock.iter_mut().zip(past.iter()) {
                *own = (*own).max(*other);
            }
        }
        self.sorted = sorted;
    }

    /// Lets go of the pasts that no other node needs.
    fn forget(&mut self, index: usize) {
        for &from in &self.order.before[index] {
            let kept = &mut self.kept[from as usize];
            if let Some((_, needed)) = kept {
                *needed -= 1;
                if *needed == 0 {
                    *kept = None;
                }
            }
        }
    }

    fn keep(&mut self, index: usize, degree: u32, clock: &[u32]) {
        if degree > 0 {
            self.kept[index] = Some((Box::from(clock), degree));
        }
    }

    fn release(&mut self, index: usize) {
        for edge in self.starts[index]..self.starts[index + 1] {
            self.arrive(self.heads[edge as usize] as usize);
        }
    }

    fn arrive(&mut self, index: usize) {
        self.waits[index] -= 1;
        if self.waits[index] == 0 {
            self.ready.push_back(index as Node);
        }
    }
}
