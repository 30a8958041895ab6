//! The order of tasks of the API (PTX-8.9.4) among the events of a program.

use super::builder::GraphBuilder;
use super::entry::{DraftKind, Entry};
use super::graph::{EventGraph, EventKind, MOST_EVENTS};
use crate::id::{AgentId, EventId, ExprId};

impl GraphBuilder<'_> {
    /// The threads whose tasks are complete before the next event of a thread under a guard. Either
    /// the thread's task starts later, or the thread has surely passed a `griddepcontrol.wait`.
    pub(super) fn ended_before(&mut self, thread: usize, guard: ExprId) -> Vec<AgentId> {
        let tasks = &self.program.tasks;
        if tasks.edges.is_empty() {
            return Vec::new();
        }
        let waited = self.waits_for_tasks(thread, guard, self.entries.len());
        let (before, awaited) = (tasks.earlier_threads(), tasks.awaited_threads());
        let ends = |&other: &usize| before[thread][other] || (waited && awaited[thread][other]);
        let threads = (0..self.program.threads.len()).filter(ends);
        threads.map(|other| AgentId::new(other + 1)).collect()
    }

    /// Whether a thread surely passes a `griddepcontrol.wait` in the first `among` entries in the
    /// executions of a guard.
    pub(super) fn waits_for_tasks(&mut self, thread: usize, guard: ExprId, among: usize) -> bool {
        let exprs = &mut self.exprs;
        self.entries[..among].iter().any(|entry| match *entry {
            Entry::Other { thread: of, kind: DraftKind::GridWait, guard: waits, .. } => {
                of == thread && exprs.implied(guard, waits)
            }
            _ => false,
        })
    }

    /// API order (PTX-8.9.4): every event of an earlier task before every event of a later task. If
    /// the later task was launched early, its `griddepcontrol.wait`s are the targets.
    pub(super) fn add_task_edges(&self, graph: &mut EventGraph) {
        let tasks = &self.program.tasks;
        let (before, awaited) = (tasks.earlier_threads(), tasks.awaited_threads());
        // An asynchronous operation belongs to the task that issues it.
        let thread = |e: EventId| graph.event(graph.stands_at(e)).agent.index().checked_sub(1);
        let mut edges = Vec::new();
        // Programs with too many events are not decided anyway.
        if !tasks.edges.is_empty() && graph.events.len() <= MOST_EVENTS {
            for a in graph.ids() {
                for b in graph.ids() {
                    let (Some(early), Some(late)) = (thread(a), thread(b)) else { continue };
                    let waits = graph.event(b).kind == EventKind::Boundary;
                    if before[late][early] || (waits && awaited[late][early]) {
                        edges.push((a, b));
                    }
                }
            }
        }
        let launches = graph.ids().filter(|&id| graph.event(id).kind == EventKind::Launch);
        let mut starts = Vec::new();
        for launch in launches {
            let started: Vec<usize> =
                thread(launch).map_or_else(Vec::new, |early| self.lets_start(early).collect());
            let late = |&id: &EventId| thread(id).is_some_and(|late| started.contains(&late));
            starts.extend(graph.ids().filter(late).map(|id| (launch, id)));
        }
        graph.api_edges = edges;
        graph.launch_edges = starts;
    }

    /// The threads of tasks that may start early, as dependents of a thread's task.
    pub(super) fn lets_start(&self, thread: usize) -> impl Iterator<Item = usize> + '_ {
        let tasks = &self.program.tasks;
        let own = tasks.of_thread[thread];
        let next =
            tasks.edges.iter().filter(move |edge| edge.programmatic && Some(edge.from) == own);
        let next: Vec<usize> = next.map(|edge| edge.to).collect();
        (0..tasks.of_thread.len())
            .filter(move |&other| tasks.of_thread[other].is_some_and(|task| next.contains(&task)))
    }
}
