//! The unrolled control flow of one thread: an acyclic graph of (step, loop counters).
//!
//! A backward jump may be taken `bound - 1` times per entry of its loop; taking it resets the
//! counters of the backward jumps inside the loop.

use crate::program::micro::{Micro, Step, ThreadCode};
use rustc_hash::FxHashMap;

/// How many registers and counters all copies of a thread's steps may have together.
const MOST_COPIES: usize = 1 << 22;

/// A copy of a step: the step's index and how often each backward jump has been taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NodeKey {
    pub(crate) step: usize,
    pub(crate) counters: Vec<u8>,
}

/// A backward jump.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BackJump {
    /// The step of the jump.
    pub(crate) from: usize,
    /// The step that it goes to, at or before `from`.
    pub(crate) to: usize,
}

/// Where control goes after a copy of a step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Successors {
    /// The next step; `None` at the end of the thread.
    pub(crate) next: Option<usize>,
    /// The target of the step's branch; `None` for no branch, the end, or a cut.
    pub(crate) taken: Option<usize>,
    /// The backward jump that the branch is, if it is one.
    pub(crate) back: Option<usize>,
    /// Whether the branch leads to the end of the thread.
    pub(crate) to_end: bool,
}

/// The unrolled control flow of one thread.
#[derive(Debug)]
pub(crate) struct ControlFlow {
    /// Copies of steps in topological order.
    pub(crate) nodes: Vec<NodeKey>,
    /// Successors, as positions in `nodes`.
    pub(crate) successors: Vec<Successors>,
    /// The backward jumps of the thread.
    pub(crate) back_jumps: Vec<BackJump>,
    /// How often a loop body is executed at most.
    pub(crate) bound: u8,
    positions: FxHashMap<NodeKey, usize>,
}

/// The branch of a step, if it has one.
pub(crate) fn branch_target(step: &Step) -> Option<usize> {
    step.micros.iter().find_map(|m| match m {
        Micro::Branch { target, .. } => Some(*target),
        _ => None,
    })
}

impl ControlFlow {
    /// Unrolls `code` so that every loop body is executed at most `bound` times per entry; less
    /// often, where that takes more copies of steps than are manageable.
    pub(crate) fn unroll(code: &ThreadCode, bound: u8) -> Self {
        let bound = bound.max(1);
        if let Some(flow) = Self::within(code, bound, MOST_COPIES) {
            return flow;
        }
        // Once through every loop is as much as the program says; more is found by bisection.
        let (mut fits, mut fails) = (1, bound);
        while fails - fits > 1 {
            let middle = fits + (fails - fits) / 2;
            match Self::within(code, middle, MOST_COPIES) {
                Some(_) => fits = middle,
                None => fails = middle,
            }
        }
        Self::within(code, fits, usize::MAX).expect("there is no limit to it")
    }

    /// Unrolls `code` unless that takes more than `limit` cells of registers and counters.
    fn within(code: &ThreadCode, bound: u8, limit: usize) -> Option<Self> {
        let back_jumps: Vec<BackJump> = code
            .steps
            .iter()
            .enumerate()
            .filter_map(|(from, step)| {
                branch_target(step).filter(|&to| to <= from).map(|to| BackJump { from, to })
            })
            .collect();
        let mut flow = Self {
            nodes: Vec::new(),
            successors: Vec::new(),
            back_jumps,
            positions: FxHashMap::default(),
            bound,
        };
        let cells = code.registers.len() + flow.back_jumps.len() + 1;
        let fits = code.steps.is_empty() || flow.explore(code, limit / cells);
        fits.then_some(flow)
    }

    /// The position of the head of the loop that `back` closes, for the iteration of `node`.
    pub(crate) fn head(&self, back: usize, node: usize) -> usize {
        let jump = self.back_jumps[back];
        let mut counters = self.nodes[node].counters.clone();
        self.reset_inner(back, &mut counters);
        self.positions[&NodeKey { step: jump.to, counters }]
    }

    /// Whether `node` belongs to the same iteration of the loop of `back` as `last`.
    pub(crate) fn same_iteration(&self, back: usize, node: usize, last: usize) -> bool {
        let jump = self.back_jumps[back];
        let (a, b) = (&self.nodes[node], &self.nodes[last]);
        (jump.to..=jump.from).contains(&a.step)
            && a.counters
                .iter()
                .zip(&b.counters)
                .enumerate()
                .all(|(k, (x, y))| x == y || self.is_inner(k, back))
    }

    fn is_inner(&self, inner: usize, back: usize) -> bool {
        let (jump, inside) = (self.back_jumps[back], self.back_jumps[inner]);
        (jump.to..jump.from).contains(&inside.from)
    }

    fn reset_inner(&self, back: usize, counters: &mut [u8]) {
        for (k, counter) in counters.iter_mut().enumerate() {
            if self.is_inner(k, back) {
                *counter = 0;
            }
        }
    }

    /// The keys that follow `key`: next, taken, and the backward jump taken.
    fn follow(
        &self,
        code: &ThreadCode,
        bound: u8,
        key: &NodeKey,
    ) -> (Option<NodeKey>, Option<NodeKey>, Successors) {
        let end = code.steps.len();
        let step = &code.steps[key.step];
        let next = (key.step + 1 < end)
            .then(|| NodeKey { step: key.step + 1, counters: key.counters.clone() });
        let mut shape = Successors::default();
        let Some(target) = branch_target(step) else { return (next, None, shape) };
        if target >= end {
            shape.to_end = true;
            return (next, None, shape);
        }
        let mut counters = key.counters.clone();
        shape.back = self.back_jumps.iter().position(|j| j.from == key.step);
        if let Some(back) = shape.back {
            if counters[back] + 1 >= bound {
                return (next, None, shape);
            }
            counters[back] += 1;
            self.reset_inner(back, &mut counters);
        }
        (next, Some(NodeKey { step: target, counters }), shape)
    }

    /// Depth-first search; reversed postorder is a topological order. Whether at most `limit`
    /// copies of steps were met; otherwise the search stopped.
    fn explore(&mut self, code: &ThreadCode, limit: usize) -> bool {
        let bound = self.bound;
        let root = NodeKey { step: 0, counters: vec![0; self.back_jumps.len()] };
        let mut seen: FxHashMap<NodeKey, ()> = FxHashMap::default();
        let mut postorder: Vec<NodeKey> = Vec::new();
        // Each entry: a node and whether its successors have been visited.
        let mut stack = vec![(root, false)];
        while let Some((key, done)) = stack.pop() {
            if done {
                postorder.push(key);
                continue;
            }
            if seen.insert(key.clone(), ()).is_some() {
                continue;
            }
            if seen.len() > limit {
                return false;
            }
            let (next, taken, _) = self.follow(code, bound, &key);
            stack.push((key, true));
            // The later step is visited first, so that loop bodies come before what follows them.
            let mut after: Vec<NodeKey> = next.into_iter().chain(taken).collect();
            after.sort_by_key(|k| k.step);
            stack.extend(after.into_iter().filter(|k| !seen.contains_key(k)).map(|k| (k, false)));
        }
        postorder.reverse();
        self.positions = postorder.iter().cloned().enumerate().map(|(at, key)| (key, at)).collect();
        for key in &postorder {
            let (next, taken, mut shape) = self.follow(code, bound, key);
            shape.next = next.map(|k| self.positions[&k]);
            shape.taken = taken.map(|k| self.positions[&k]);
            self.successors.push(shape);
        }
        self.nodes = postorder;
        true
    }
}

/// For every step, the registers that some path from it may read; `observed` ones count as read
/// at the end.
pub(crate) fn live_registers(code: &ThreadCode, observed: &[usize]) -> Vec<Vec<bool>> {
    let count = code.registers.len();
    let mut at_end = vec![false; count];
    observed.iter().for_each(|&r| at_end[r] = true);
    let mut live = vec![vec![false; count]; code.steps.len() + 1];
    live[code.steps.len()] = at_end;
    loop {
        let mut changed = false;
        for index in (0..code.steps.len()).rev() {
            let before = step_liveness(code, index, &live);
            if before != live[index] {
                live[index] = before;
                changed = true;
            }
        }
        if !changed {
            return live;
        }
    }
}

fn step_liveness(code: &ThreadCode, index: usize, live: &[Vec<bool>]) -> Vec<bool> {
    let step = &code.steps[index];
    let mut now = live[index + 1].clone();
    for micro in step.micros.iter().rev() {
        let (reads, written) = effects(micro);
        match micro {
            Micro::Branch { target, condition } => {
                let goal = &live[(*target).min(code.steps.len())];
                if condition.is_none() && step.guard.is_none() {
                    now.clone_from(goal);
                } else {
                    now.iter_mut().zip(goal).for_each(|(n, g)| *n |= g);
                }
            }
            Micro::Exit => {
                let end = &live[code.steps.len()];
                if step.guard.is_none() {
                    now.clone_from(end);
                } else {
                    now.iter_mut().zip(end).for_each(|(n, g)| *n |= g);
                }
            }
            _ => {}
        }
        if step.guard.is_none() {
            written.into_iter().for_each(|register| now[register] = false);
        }
        reads.into_iter().for_each(|r| now[r] = true);
    }
    let mut guard = Vec::new();
    step.guard.iter().for_each(|g| g.registers(&mut guard));
    guard.into_iter().for_each(|r| now[r] = true);
    now
}

/// The registers that a micro-operation reads, and those it writes.
fn effects(micro: &Micro) -> (Vec<usize>, Vec<usize>) {
    let mut reads = Vec::new();
    let written = match micro {
        Micro::Elements { list, .. } => {
            let (all, written): (Vec<_>, Vec<_>) = list.iter().map(effects).unzip();
            return (all.concat(), written.concat());
        }
        Micro::Assign { register, value } => {
            value.registers(&mut reads);
            Some(*register)
        }
        Micro::Load { target, destination } => {
            target.address.registers(&mut reads);
            destination.map(|d| d.0)
        }
        Micro::Store { target, value } => {
            target.address.registers(&mut reads);
            value.registers(&mut reads);
            None
        }
        Micro::Rmw { target, destination, writes, value, .. } => {
            [&target.address, writes, value].into_iter().for_each(|t| t.registers(&mut reads));
            destination.map(|d| d.0)
        }
        Micro::Barrier(barrier) => {
            barrier.count.iter().chain(&barrier.predicate).for_each(|t| t.registers(&mut reads));
            match &barrier.group {
                crate::program::micro::BarrierGroup::Cta(a)
                | crate::program::micro::BarrierGroup::Warp(a) => {
                    a.registers(&mut reads);
                }
                crate::program::micro::BarrierGroup::Instance(a, b) => {
                    a.registers(&mut reads);
                    b.registers(&mut reads);
                }
                crate::program::micro::BarrierGroup::Cluster => {}
            }
            barrier.reduction.and_then(|(_, r)| r)
        }
        Micro::Branch { condition, .. } => {
            condition.iter().for_each(|t| t.registers(&mut reads));
            None
        }
        Micro::Require { condition, .. } => {
            condition.registers(&mut reads);
            None
        }
        Micro::Fence { when, .. } => {
            when.iter().for_each(|t| t.registers(&mut reads));
            None
        }
        Micro::ProxyFence(_) | Micro::Then | Micro::GridWait | Micro::Exit => None,
    };
    (reads, written.into_iter().collect())
}
