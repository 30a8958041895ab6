//! Asynchronous operations as agents beside the threads, with events of their own.
//!
//! Invariants: the events of an operation are in no program order; those of its completion and its
//! signals come last.

use super::access::{OfOperation, Role};
use super::builder::GraphBuilder;
use super::graph::{
    Access, Agent, AgentKind, Completion, Event, EventGraph, EventKind, Operation, OperationPart,
};
use super::pieces::Pieces;
use crate::id::{AccessId, AgentId, EventId, ExprId};
use crate::litmus::ast::ThreadPlace;
use crate::program::micro::{AsyncEffect, Behind, Program, Tracked};
use crate::ptx::asynchronous::GroupKind;
use crate::ptx::operation::Proxy;

impl GraphBuilder<'_> {
    /// The threads and the asynchronous operations.
    pub(super) fn agents(&self) -> Vec<Agent> {
        let mut agents = agents(self.program);
        let mut counts = vec![0; self.program.threads.len()];
        for (index, operation) in self.issued.operations.iter().enumerate() {
            let thread = &self.program.threads[operation.thread];
            let ThreadPlace::Device(place) = thread.place else { continue };
            counts[operation.thread] += 1;
            let (name, number) = (operation.micro.name, counts[operation.thread]);
            let name = format!("{}'s {name} ({number})", thread.name);
            agents.push(Agent { name, kind: AgentKind::Operation(index, place) });
        }
        agents
    }

    /// Adds the events of an asynchronous operation.
    pub(super) fn add_operation(
        &self,
        graph: &mut EventGraph,
        pieces: &Pieces,
        index: usize,
        issues: &[EventId],
    ) {
        let Some((&issue, joined)) = issues.split_first() else { return };
        let operation = &self.issued.operations[index];
        let agent = self.agent_of(index);
        let of = |role: Role| -> Vec<AccessId> {
            let part = Some(OfOperation { operation: index, role });
            let ids = (0..self.accesses.len()).map(AccessId::new);
            ids.filter(|id| self.accesses[id.index()].part == part).collect()
        };
        let add = |graph: &mut EventGraph, role: Role| -> Vec<EventId> {
            let accesses = of(role).into_iter();
            accesses.flat_map(|id| self.add_access(graph, pieces, id, agent)).collect()
        };
        let maps = add(graph, Role::Map);
        let reads = add(graph, Role::Source);
        // Parts that act under no condition are left out.
        let chosen = |at: &usize| !graph.exprs.is_false(operation.parts[*at]);
        let chosen: Vec<usize> = (0..operation.parts.len()).filter(chosen).collect();
        let writes: Vec<Vec<EventId>> =
            chosen.iter().map(|&at| add(graph, Role::Destination(at))).collect();
        let complete = |graph: &mut EventGraph, kind: Completion, guard: ExprId| {
            add_completion(graph, agent, issue, kind, guard)
        };
        // Only waits for bulk groups may ask for the reads of sources alone.
        let grouped = operation.micro.group == Some(GroupKind::Bulk);
        let (some, tracked) = (!reads.is_empty() || !maps.is_empty(), operation.micro.tracked);
        let apart = grouped && some && tracked == Tracked::Whole;
        let reads_complete = apart.then(|| complete(graph, Completion::Reads, operation.guard));
        let apart = grouped && tracked == Tracked::Map;
        let map_complete = apart.then(|| complete(graph, Completion::Map, operation.guard));
        let mut parts: Vec<OperationPart> = Vec::new();
        for (&at, writes) in chosen.iter().zip(writes) {
            let kind = if chosen.len() == 1 { Completion::All } else { Completion::Part(at) };
            let complete = complete(graph, kind, operation.parts[at]);
            parts.push(OperationPart { writes, complete, signals: Vec::new() });
        }
        let all = match parts.as_slice() {
            [only] => only.complete,
            _ => complete(graph, Completion::All, operation.guard),
        };
        for (&at, part) in chosen.iter().zip(&mut parts) {
            part.signals = add(graph, Role::Signal(at));
        }
        let destinations = operation.moves.iter().flat_map(|moves| &moves.destinations).flatten();
        let columns = destinations
            .filter(|access| access.proxy == Proxy::TensorMemory)
            .map(|access| (access.object, access.offset));
        graph.operations.push(Operation {
            name: operation.micro.name,
            agent,
            issue,
            joined: joined.to_vec(),
            is_joint: operation.micro.group == Some(GroupKind::Warpgroup),
            maps,
            reads,
            parts,
            reads_complete,
            map_complete,
            complete: all,
            behind: operation.behind.clone(),
            fences: operation.micro.proxy == Proxy::Async,
            is_copy: operation.micro.is_copy,
            tensor: operation.micro.tensor,
            is_commit: matches!(operation.micro.effect, AsyncEffect::Behind(Behind::Tensor { .. })),
            columns: columns.collect(),
        });
    }
}

/// The writer of initial values and the threads.
pub(super) fn agents(program: &Program) -> Vec<Agent> {
    let init = Agent { name: "init".to_owned(), kind: AgentKind::Init };
    let threads = program
        .threads
        .iter()
        .enumerate()
        .map(|(index, t)| Agent { name: t.name.clone(), kind: AgentKind::Thread(index, t.place) });
    std::iter::once(init).chain(threads).collect()
}

/// Adds that an operation, or part of it, is complete.
fn add_completion(
    graph: &mut EventGraph,
    agent: AgentId,
    issue: EventId,
    kind: Completion,
    guard: ExprId,
) -> EventId {
    let id = EventId::new(graph.events.len());
    let issued = graph.event(issue);
    let place = (issued.span, issued.position);
    let access = AccessId::new(graph.accesses.len());
    graph.accesses.push(Access::of_no_memory(id, guard));
    let kind = EventKind::Complete(kind);
    graph.events.push(Event::of_no_memory(agent, kind, guard, access, place));
    id
}
