//! An assignment of generations into its wait-for graph: what has to happen before what, if threads
//! meet as the assignment says. A cycle of the graph is a circular wait, which no schedule ends
//! (PTX-9.7.13.1).

use super::barriers::{Barriers, Generation, Generations};
use super::cluster_phase::Awaited;
use crate::collections::IndexMap;
use crate::id::{AgentId, BarrierId};
use crate::waiting::barrier::{BarrierKey, BarrierOp, Quota};
use petgraph::algo::toposort;
use petgraph::graph::{DiGraph, NodeIndex};
use typed_index_collections::TiVec;

/// A step of an execution.
#[derive(Clone, Copy)]
enum Node {
    /// A thread begins an operation.
    Begins(BarrierId),
    /// A thread passes an operation.
    Passes(BarrierId),
    /// A phase of a barrier is complete.
    Complete(PhaseId),
}

/// A phase by its place in [`WaitGraph::phases`].
#[derive(Clone, Copy)]
struct PhaseId(usize);

/// The operations of one phase of a barrier.
struct Phase<'a> {
    key: &'a BarrierKey,
    id: PhaseId,
    /// The preceding phase, if the barrier has to be reset before this one begins.
    previous: Option<PhaseId>,
    operations: Vec<BarrierId>,
}

/// The wait-for graph of one assignment: each edge goes from a step to one that waits for it.
struct WaitGraph<'b, 'a> {
    barriers: &'b Barriers<'a>,
    generations: &'b Generations,
    /// The last operation of each thread that has one.
    last_operations: IndexMap<AgentId, BarrierId>,
    edges: DiGraph<(), ()>,
    /// The nodes [`Node::Begins`] and [`Node::Passes`] of each executed operation.
    operations: TiVec<BarrierId, [NodeIndex; 2]>,
    /// The node [`Node::Complete`] of each phase.
    phases: Vec<NodeIndex>,
}

impl Barriers<'_> {
    /// Whether generations can complete one after another.
    #[must_use]
    pub fn is_well_founded(&self, generations: &Generations) -> bool {
        toposort(&WaitGraph::new(self, generations).edges, None).is_ok()
    }
}

impl<'b, 'a> WaitGraph<'b, 'a> {
    fn new(barriers: &'b Barriers<'a>, generations: &'b Generations) -> Self {
        let mut edges = DiGraph::new();
        let mut operations = TiVec::from(vec![[NodeIndex::end(); 2]; generations.len()]);
        for &b in &barriers.executed {
            operations[b] = [edges.add_node(()), edges.add_node(())];
        }
        let mut graph = Self {
            barriers,
            generations,
            last_operations: IndexMap::default(),
            edges,
            operations,
            phases: Vec::new(),
        };
        graph.order_threads();
        let phases = graph.phases();
        graph.phases = phases.iter().map(|_| graph.edges.add_node(())).collect();
        for phase in phases {
            graph.reset_before(&phase);
            graph.complete_after_arrivals(&phase);
            graph.pass_after_completion(&phase);
            if barriers.counted(phase.key) {
                graph.pass_after_warps(&phase);
            }
            if graph.waits_for_all(&phase) {
                graph.complete_after_ends(&phase);
            }
        }
        graph.pass_after_cluster_warps();
        graph
    }

    /// An operation begins when its thread has passed the earlier ones.
    fn order_threads(&mut self) {
        for &b in &self.barriers.executed {
            self.add(Node::Begins(b), Node::Passes(b));
            if let Some(before) = self.last_operations.insert(self.barriers.agent(b), b) {
                self.add(Node::Passes(before), Node::Begins(b));
            }
        }
    }

    /// An operation begins when the preceding phase of its barrier is complete.
    fn reset_before(&mut self, phase: &Phase<'_>) {
        let Some(previous) = phase.previous else { return };
        for &b in &phase.operations {
            self.add(Node::Complete(previous), Node::Begins(b));
        }
    }

    /// A phase is complete when all its arrivals in time have begun. A thread that waits without an
    /// arrival misuses the barrier only once it reaches the wait, which therefore counts as well;
    /// what the thread does later at the barrier does not count in this phase.
    fn complete_after_arrivals(&mut self, phase: &Phase<'_>) {
        for &b in &phase.operations {
            let op = self.barriers.op(b);
            let waits_alone = !op.arrives && !self.has_earlier(phase, b, |op| op.arrives);
            let arrives = op.arrives && !self.has_earlier(phase, b, |op| op.waits);
            let is_late = self.generations[b].is_some_and(|generation| generation.late);
            if (arrives || waits_alone) && !is_late {
                self.add(Node::Begins(b), Node::Complete(phase.id));
            }
        }
    }

    /// A waiting operation is passed when its phase is complete.
    fn pass_after_completion(&mut self, phase: &Phase<'_>) {
        for &b in &phase.operations {
            if self.barriers.op(b).waits {
                self.add(Node::Complete(phase.id), Node::Passes(b));
            }
        }
    }

    /// At a barrier that counts warps, an operation that marks the arrival of its warp is passed
    /// when the other threads of the warp have begun their operations, or have ended. The phase is
    /// complete no earlier.
    fn pass_after_warps(&mut self, phase: &Phase<'_>) {
        let barriers = self.barriers;
        let arrivals: IndexMap<AgentId, BarrierId> = phase
            .operations
            .iter()
            .rev()
            .filter(|&&b| barriers.op(b).arrives)
            .map(|&b| (barriers.agent(b), b))
            .collect();
        let counts_warps = |b| matches!(barriers.quota(b), Some(Quota::Warps(_)));
        for &b in phase.operations.iter().filter(|&&b| barriers.op(b).arrives && counts_warps(b)) {
            for mate in barriers.graph.mates(barriers.agent(b)) {
                if let Some(&arrival) = arrivals.get(&mate) {
                    self.add(Node::Begins(arrival), Node::Passes(b));
                } else {
                    self.add_after_end(mate, Node::Passes(b));
                    self.add_after_end(mate, Node::Complete(phase.id));
                }
            }
        }
    }

    /// At a barrier for all, a phase is complete when the threads that take no part have ended.
    fn complete_after_ends(&mut self, phase: &Phase<'_>) {
        let present = |agent| phase.operations.iter().any(|&b| self.barriers.agent(b) == agent);
        let members = self.barriers.graph.members(phase.key);
        let absent: Vec<AgentId> = members.into_iter().filter(|&agent| !present(agent)).collect();
        for agent in absent {
            self.add_after_end(agent, Node::Complete(phase.id));
        }
    }

    /// An operation at a cluster barrier is passed when the other threads of the warp have begun
    /// their operations, or have ended.
    fn pass_after_cluster_warps(&mut self) {
        for (b, awaited) in self.barriers.waits_for_warps() {
            match awaited {
                Awaited::Operation(other) => self.add(Node::Begins(other), Node::Passes(b)),
                Awaited::End(mate) => self.add_after_end(mate, Node::Passes(b)),
            }
        }
    }

    /// The phases of all barriers.
    fn phases(&self) -> Vec<Phase<'a>> {
        let mut members: IndexMap<(&'a BarrierKey, u32), Vec<BarrierId>> = IndexMap::default();
        let mut last_waits: IndexMap<&'a BarrierKey, u32> = IndexMap::default();
        for &b in &self.barriers.executed {
            let Some(Generation { index, .. }) = self.generations[b] else { continue };
            let op = self.barriers.op(b);
            members.entry((&op.key, index)).or_default().push(b);
            if op.waits {
                let last = last_waits.entry(&op.key).or_insert(index);
                *last = index.max(*last);
            }
        }
        let previous = |key: &'a BarrierKey, index: u32| {
            let before = index.checked_sub(1)?;
            // Arrivals behind the last wait are unordered: nobody waits for these phases.
            let has_waits = last_waits.get(key).is_some_and(|&last| before <= last);
            has_waits.then(|| members.get_index_of(&(key, before)).map(PhaseId))?
        };
        let of = |(at, (&(key, index), operations)): (usize, (&(&'a BarrierKey, u32), &Vec<_>))| {
            let operations = operations.clone();
            Phase { key, id: PhaseId(at), previous: previous(key, index), operations }
        };
        members.iter().enumerate().map(of).collect()
    }

    /// Whether a phase waits for all threads that have not ended: one of its operations without a
    /// count, each of them where others have counts.
    fn waits_for_all(&self, phase: &Phase<'_>) -> bool {
        let is_for_all = |&b: &BarrierId| self.barriers.is_for_all(b);
        let for_all = match self.barriers.counted(phase.key) {
            true => phase.operations.iter().all(is_for_all),
            false => phase.operations.iter().any(is_for_all),
        };
        for_all && phase.operations.iter().any(|&b| self.barriers.op(b).waits)
    }

    /// Whether the thread of an operation has an earlier one of some kind in the phase.
    fn has_earlier(&self, phase: &Phase<'_>, b: BarrierId, is: fn(&BarrierOp) -> bool) -> bool {
        let agent = self.barriers.agent(b);
        let mut earlier =
            phase.operations.iter().filter(|&&o| o < b && self.barriers.agent(o) == agent);
        earlier.any(|&o| is(self.barriers.op(o)))
    }

    fn add(&mut self, first: Node, then: Node) {
        let [first, then] = [first, then].map(|node| match node {
            Node::Begins(b) => self.operations[b][0],
            Node::Passes(b) => self.operations[b][1],
            Node::Complete(PhaseId(phase)) => self.phases[phase],
        });
        self.edges.add_edge(first, then, ());
    }

    /// Adds that a thread ends before a step: it passes its last operation before.
    fn add_after_end(&mut self, agent: AgentId, then: Node) {
        if let Some(&last) = self.last_operations.get(&agent) {
            self.add(Node::Passes(last), then);
        }
    }
}
