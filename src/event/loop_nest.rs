//! The loop nest of a thread's control flow.
//!
//! A loop is a strongly connected region with one of its steps as head. Removing the jumps to the
//! head leaves the inner loops (Bourdoncle's decomposition). Every cycle passes the head of the
//! innermost loop that contains the cycle. If the region has a single entry, this entry is the
//! head, dominates the body, and the loop is the natural loop of the back edges. A region with
//! several entries is irreducible: its iterations have no defined beginning.

use crate::program::micro::{Micro, Step, ThreadCode};
use petgraph::algo::kosaraju_scc;
use petgraph::graph::{DiGraph, NodeIndex};

/// A loop of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LoopId(usize);

impl LoopId {
    /// Its index among the loops of the thread.
    pub(crate) fn index(self) -> usize {
        self.0
    }
}

#[derive(Clone, Debug)]
struct Loop {
    head: usize,
    parent: Option<LoopId>,
    /// Whether control enters the loop at its head alone.
    natural: bool,
    /// Whether the loop has back edges from several steps.
    several_ways_back: bool,
    /// Whether the loop has no exit.
    endless: bool,
}

/// The loops of a thread; outer ones come before those inside them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Loops {
    loops: Vec<Loop>,
    /// For every step, the innermost loop that it is in.
    innermost: Vec<Option<LoopId>>,
    /// For every step, the loop that it is the head of.
    headed: Vec<Option<LoopId>>,
}

impl Loops {
    /// The loops of the steps that control can come to.
    pub(crate) fn of(code: &ThreadCode) -> Self {
        let steps = code.steps.len();
        let mut out =
            Self { loops: Vec::new(), innermost: vec![None; steps], headed: vec![None; steps] };
        // Every cycle jumps back somewhere.
        let back = |(from, step): (usize, &Step)| step.branch_target().is_some_and(|to| to <= from);
        if !code.steps.iter().enumerate().any(back) {
            return out;
        }
        let reached = reached_from(code, 0);
        let mut predecessors = vec![Vec::new(); steps];
        for &from in &reached {
            successors(code, from).for_each(|to| predecessors[to].push(from));
        }
        // A region to decompose, and the loop that it is in.
        let mut regions = vec![(reached, None)];
        while let Some((region, parent)) = regions.pop() {
            for component in components(code, &region, parent.map(|id| out.head(id))) {
                let endless = component.iter().all(|&step| stays_in_region(code, step, &component));
                let id = out.add(&component, parent, &predecessors, endless);
                regions.push((component, Some(id)));
            }
        }
        out
    }

    /// Adds the loop that a strongly connected region is.
    fn add(
        &mut self,
        region: &[usize],
        parent: Option<LoopId>,
        predecessors: &[Vec<usize>],
        endless: bool,
    ) -> LoopId {
        let id = LoopId(self.loops.len());
        region.iter().for_each(|&step| self.innermost[step] = Some(id));
        let outside = |step: &usize| self.innermost[*step] != Some(id);
        let is_entry = |&step: &usize| step == 0 || predecessors[step].iter().any(outside);
        let entries: Vec<usize> = region.iter().copied().filter(is_entry).collect();
        let head = entries.iter().copied().min().expect("control can come to it");
        self.headed[head] = Some(id);
        let mut back: Vec<usize> = predecessors[head].clone();
        back.retain(|step| region.contains(step));
        back.dedup();
        let (natural, several_ways_back) = (entries.len() == 1, back.len() > 1);
        self.loops.push(Loop { head, parent, natural, several_ways_back, endless });
        id
    }

    /// Whether control comes back to the head of a loop from several steps.
    pub(crate) fn has_several_ways_back(&self, id: LoopId) -> bool {
        self.loops[id.0].several_ways_back
    }

    /// The number of loops.
    pub(crate) fn len(&self) -> usize {
        self.loops.len()
    }

    /// The ids of all loops.
    pub(crate) fn ids(&self) -> impl Iterator<Item = LoopId> + use<> {
        (0..self.loops.len()).map(LoopId)
    }

    /// The step that every round passes.
    pub(crate) fn head(&self, id: LoopId) -> usize {
        self.loops[id.0].head
    }

    /// Whether control enters the loop at its head alone, so that every step in it belongs to an
    /// iteration that began there.
    pub(crate) fn is_natural(&self, id: LoopId) -> bool {
        self.loops[id.0].natural
    }

    /// Whether nothing leads out of the loop, so that a thread that enters it never ends.
    pub(crate) fn is_endless(&self, id: LoopId) -> bool {
        self.loops[id.0].endless
    }

    /// Whether a loop is in no other one.
    pub(crate) fn is_outermost(&self, id: LoopId) -> bool {
        self.loops[id.0].parent.is_none()
    }

    /// The loop that a step is the head of.
    pub(crate) fn headed_by(&self, step: usize) -> Option<LoopId> {
        self.headed[step]
    }

    /// Whether a step is in a loop.
    pub(crate) fn contains(&self, id: LoopId, step: usize) -> bool {
        self.innermost[step].is_some_and(|inner| inner == id || self.is_inside(inner, id))
    }

    /// Whether a loop is inside another one.
    pub(crate) fn is_inside(&self, inner: LoopId, outer: LoopId) -> bool {
        let parent = |id: &LoopId| self.loops[id.0].parent;
        // Outer loops come first.
        inner > outer && std::iter::successors(parent(&inner), parent).any(|id| id == outer)
    }
}

/// Whether control surely stays in a region, given sorted, after a step.
fn stays_in_region(code: &ThreadCode, step: usize, region: &[usize]) -> bool {
    let statement = &code.steps[step];
    let inside = |to: usize| region.binary_search(&to).is_ok();
    let ends = statement.micros.iter().any(|micro| matches!(micro, Micro::Exit));
    !ends
        && (!statement.falls_through() || inside(step + 1))
        && statement.branch_target().is_none_or(inside)
}

/// The steps that may follow a step.
fn successors(code: &ThreadCode, step: usize) -> impl Iterator<Item = usize> + use<> {
    let end = code.steps.len();
    let next = code.steps[step].falls_through().then_some(step + 1);
    next.into_iter().chain(code.steps[step].branch_target()).filter(move |&to| to < end)
}

/// The steps that control can reach from a step, itself included, in order; none from beyond the
/// last.
pub(super) fn reached_from(code: &ThreadCode, start: usize) -> Vec<usize> {
    let mut seen = vec![false; code.steps.len()];
    let mut stack: Vec<usize> = (start..code.steps.len()).take(1).collect();
    while let Some(step) = stack.pop() {
        if !std::mem::replace(&mut seen[step], true) {
            stack.extend(successors(code, step));
        }
    }
    (0..code.steps.len()).filter(|&step| seen[step]).collect()
}

/// The strongly connected parts of a region without the edges to `head`, each in the order of the
/// steps.
fn components(code: &ThreadCode, region: &[usize], head: Option<usize>) -> Vec<Vec<usize>> {
    let mut graph: DiGraph<usize, ()> = DiGraph::with_capacity(region.len(), region.len());
    region.iter().for_each(|&step| {
        graph.add_node(step);
    });
    let place = |step: usize| region.binary_search(&step).ok().map(NodeIndex::new);
    let mut own = vec![false; region.len()];
    for (at, &from) in region.iter().enumerate() {
        for to in successors(code, from).filter(|&to| Some(to) != head) {
            own[at] |= to == from;
            if let Some(to) = place(to) {
                graph.add_edge(NodeIndex::new(at), to, ());
            }
        }
    }
    let cyclic = |part: &Vec<NodeIndex>| part.len() > 1 || own[part[0].index()];
    let steps = |part: Vec<NodeIndex>| {
        let mut steps: Vec<usize> = part.into_iter().map(|node| graph[node]).collect();
        steps.sort_unstable();
        steps
    };
    let mut out: Vec<Vec<usize>> =
        kosaraju_scc(&graph).into_iter().filter(cyclic).map(steps).collect();
    out.sort_unstable();
    out
}
