//! The unrolled control flow of one thread: an acyclic graph of (step, loop counters).
//!
//! The head of a loop is reached a limited number of times per entry of the loop; reaching it again
//! resets the counters of the loops inside.

use super::loop_nest::{LoopId, Loops};
use crate::program::micro::ThreadCode;
use rustc_hash::{FxHashMap, FxHashSet};

/// The most registers and counters in all copies of a thread's steps together.
const MOST_COPIES: usize = 1 << 22;

/// As [`MOST_COPIES`], if one loop that counts has more rounds than the bound.
const MOST_COUNTED: usize = 1 << 17;

/// As [`MOST_COUNTED`], for several such loops, whose exits join in ever larger conditions.
const MOST_COUNTED_TOGETHER: usize = 1 << 13;

/// A copy of a step: the step's index, and for each loop the number of visits of its head since
/// entry.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct NodeKey {
    step: usize,
    counters: Vec<u8>,
}

/// The target of one way out of a copy of a step; copies are indices into [`ControlFlow::nodes`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edge {
    /// There is no such way.
    Nowhere,
    /// To the end of the thread.
    End,
    /// To another step.
    To(usize),
    /// From within a loop back to its head; `None` if the bound ends the loop.
    Again(LoopId, Option<usize>),
}

/// The ways out of a copy of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Successors {
    /// On to the next statement.
    pub(crate) next: Edge,
    /// The branch.
    pub(crate) taken: Edge,
}

/// The unrolled control flow of one thread.
#[derive(Debug)]
pub(crate) struct ControlFlow {
    /// For each copy, the step that it copies, in topological order.
    pub(crate) nodes: Vec<usize>,
    /// The ways out of every copy.
    pub(crate) successors: Vec<Successors>,
    /// The loops of the thread.
    pub(crate) loops: Loops,
    /// How often the body of each loop is executed at most.
    rounds: Vec<u8>,
    counters: Vec<Vec<u8>>,
    positions: FxHashMap<NodeKey, usize>,
}

impl ControlFlow {
    /// Unrolls `code` so that the body of each loop is executed at most so many times per entry;
    /// `None` if that takes too many copies of steps. Loops with more rounds than `bound` are those
    /// that count.
    pub(crate) fn unroll(
        code: &ThreadCode,
        loops: &Loops,
        rounds: Vec<u8>,
        bound: u8,
    ) -> Option<Self> {
        let together = rounds.iter().filter(|&&rounds| rounds > bound).count() > 1;
        let limit = if together { MOST_COUNTED_TOGETHER } else { MOST_COUNTED };
        Self::within(code, loops, rounds, limit)
    }

    /// Unrolls `code` so that every loop body is executed at most `bound` times per entry. Uses a
    /// smaller bound if too many copies are needed; gives the bound used.
    pub(crate) fn unroll_evenly(code: &ThreadCode, loops: &Loops, bound: u8) -> (Self, u8) {
        let within = |bound, limit| Self::within(code, loops, vec![bound; loops.len()], limit);
        if let Some(flow) = within(bound, MOST_COPIES) {
            return (flow, bound);
        }
        // One round of every loop must always fit; the largest fitting number is found by
        // bisection.
        let (mut fits, mut fails) = (1, bound);
        while fails - fits > 1 {
            let middle = fits + (fails - fits) / 2;
            match within(middle, MOST_COPIES) {
                Some(_) => fits = middle,
                None => fails = middle,
            }
        }
        (within(fits, usize::MAX).expect("there is no limit to it"), fits)
    }

    /// Unrolls `code` unless that takes more than `limit` cells of registers and counters.
    fn within(code: &ThreadCode, loops: &Loops, rounds: Vec<u8>, limit: usize) -> Option<Self> {
        let mut flow = Self {
            nodes: Vec::new(),
            successors: Vec::new(),
            loops: loops.clone(),
            rounds,
            counters: Vec::new(),
            positions: FxHashMap::default(),
        };
        let cells = code.registers.len() + loops.len() + 1;
        let fits = code.steps.is_empty() || flow.explore(code, limit / cells);
        fits.then_some(flow)
    }

    /// How often the body of a loop is executed at most.
    pub(crate) fn rounds(&self, id: LoopId) -> u8 {
        self.rounds[id.index()]
    }

    /// The round of a loop that a copy in the loop belongs to.
    pub(crate) fn round(&self, id: LoopId, node: usize) -> u8 {
        self.counters[node][id.index()]
    }

    /// The copy of a loop's head at which a round began, for rounds up to that of the given copy.
    /// Only a loop that is entered at its head has one for every round.
    pub(crate) fn head(&self, id: LoopId, node: usize, round: u8) -> Option<usize> {
        let mut counters = self.counters[node].clone();
        self.reset_inner(id, &mut counters);
        counters[id.index()] = round;
        self.positions.get(&NodeKey { step: self.loops.head(id), counters }).copied()
    }

    /// Whether `node` belongs to the given round of a loop, or to a later one up to that of `last`.
    pub(crate) fn is_since(&self, id: LoopId, round: u8, node: usize, last: usize) -> bool {
        let counters = self.counters[node].iter().zip(&self.counters[last]);
        self.loops.contains(id, self.nodes[node])
            && self.loops.ids().zip(counters).all(|(other, (x, y))| {
                self.loops.is_inside(other, id)
                    || if other == id { (round..=*y).contains(x) } else { x == y }
            })
    }

    /// Whether `node` belongs to exactly this round of a loop, of those up to that of `last`.
    pub(crate) fn is_in_round(&self, id: LoopId, round: u8, node: usize, last: usize) -> bool {
        self.is_since(id, round, node, last) && self.round(id, node) == round
    }

    fn reset_inner(&self, id: LoopId, counters: &mut [u8]) {
        for (other, counter) in self.loops.ids().zip(counters) {
            if self.loops.is_inside(other, id) {
                *counter = 0;
            }
        }
    }

    /// The ways out of a copy, as keys: the fall-through, and the branch.
    fn unplaced_successors(&self, code: &ThreadCode, key: &NodeKey) -> [UnplacedEdge; 2] {
        let step = &code.steps[key.step];
        let next = step.falls_through().then(|| self.unplaced_edge(code, key, key.step + 1));
        let taken = step.branch_target().map(|target| self.unplaced_edge(code, key, target));
        [next.unwrap_or(UnplacedEdge::Nowhere), taken.unwrap_or(UnplacedEdge::Nowhere)]
    }

    fn unplaced_edge(&self, code: &ThreadCode, key: &NodeKey, target: usize) -> UnplacedEdge {
        if target >= code.steps.len() {
            return UnplacedEdge::End;
        }
        let mut counters = key.counters.clone();
        // The code after a loop is there once, however many rounds precede it.
        for (id, counter) in self.loops.ids().zip(&mut counters) {
            if !self.loops.contains(id, target) {
                *counter = 0;
            }
        }
        let Some(id) = self.loops.headed_by(target) else {
            return UnplacedEdge::To(NodeKey { step: target, counters });
        };
        if !self.loops.contains(id, key.step) {
            counters[id.index()] = 1;
            return UnplacedEdge::To(NodeKey { step: target, counters });
        }
        if counters[id.index()] >= self.rounds[id.index()] {
            return UnplacedEdge::Again(id, None);
        }
        counters[id.index()] += 1;
        self.reset_inner(id, &mut counters);
        UnplacedEdge::Again(id, Some(NodeKey { step: target, counters }))
    }

    /// Depth-first search; reversed postorder is a topological order. Gives whether at most `limit`
    /// copies of steps were met; otherwise the search stopped.
    fn explore(&mut self, code: &ThreadCode, limit: usize) -> bool {
        let mut counters = vec![0; self.loops.len()];
        if let Some(id) = self.loops.headed_by(0) {
            counters[id.index()] = 1;
        }
        let root = NodeKey { step: 0, counters };
        let mut seen: FxHashSet<NodeKey> = FxHashSet::default();
        let mut postorder: Vec<NodeKey> = Vec::new();
        // Each entry: a node and whether its successors have been visited.
        let mut stack = vec![(root, false)];
        while let Some((key, done)) = stack.pop() {
            if done {
                postorder.push(key);
                continue;
            }
            if !seen.insert(key.clone()) {
                continue;
            }
            if seen.len() > limit {
                return false;
            }
            let ways = self.unplaced_successors(code, &key);
            stack.push((key, true));
            // The later step is visited first, so that loop bodies come before their exits.
            let mut after: Vec<NodeKey> = ways.into_iter().filter_map(UnplacedEdge::key).collect();
            after.sort_by_key(|k| k.step);
            stack.extend(after.into_iter().filter(|k| !seen.contains(k)).map(|k| (k, false)));
        }
        postorder.reverse();
        self.positions = postorder.iter().cloned().enumerate().map(|(at, key)| (key, at)).collect();
        for key in postorder {
            let [next, taken] = self.unplaced_successors(code, &key).map(|way| self.edge(way));
            self.successors.push(Successors { next, taken });
            self.nodes.push(key.step);
            self.counters.push(key.counters);
        }
        true
    }

    fn edge(&self, edge: UnplacedEdge) -> Edge {
        match edge {
            UnplacedEdge::Nowhere => Edge::Nowhere,
            UnplacedEdge::End => Edge::End,
            UnplacedEdge::To(key) => Edge::To(self.positions[&key]),
            UnplacedEdge::Again(id, key) => Edge::Again(id, key.map(|k| self.positions[&k])),
        }
    }
}

/// An [`Edge`] before copies have positions.
enum UnplacedEdge {
    Nowhere,
    End,
    To(NodeKey),
    Again(LoopId, Option<NodeKey>),
}

impl UnplacedEdge {
    fn key(self) -> Option<NodeKey> {
        match self {
            Self::Nowhere | Self::End => None,
            Self::To(key) => Some(key),
            Self::Again(_, key) => key,
        }
    }
}
