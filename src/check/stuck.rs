//! Executions in which threads wait at barriers for each other, of programs that other executions end.
//!
//! A [beginning](super::stays) of an execution, in which threads stay where they wait, is a deadlock if
//! nobody stays in a loop and no thread that stays can go on: the barrier waits for somebody who stays
//! elsewhere, or for more threads than ever come (PTX-9.7.13.1).
//!
//! Barriers of which threads of one warp may come apart, at which counts differ or are not known, and
//! the quorums of columns are left out: nobody is taken to stay there.

use super::stays::{MOST_OPERATIONS, Stays};
use super::{Settings, too_large};
use crate::event::barrier::{BarrierKey, BarrierOp, BarrierRule, WARP_SIZE, counts_warps};
use crate::event::graph::{EventGraph, Violation};
use crate::execution::build::{Choices, Execution};
use crate::id::{AgentId, EventId, ExprId};
use crate::program::expr::Binary;
use crate::solve::{Answer, Engine, Goal, Problem};
use crate::verdict::Reason;
use std::collections::BTreeSet;

/// A deadlock of some executions.
#[derive(Debug)]
pub struct Stuck {
    /// The events up to where threads stay.
    pub graph: EventGraph,
    /// Who waits where, and the execution.
    pub reason: Reason,
    /// The barrier operations at which they wait; they are not executed.
    pub waiting: Vec<EventId>,
}

/// An execution of a program in which threads wait at barriers for ever, if one is found.
pub fn stuck(problem: Problem<'_>, engine: &dyn Engine, settings: Settings) -> Option<Stuck> {
    let graph = problem.graph;
    let many = graph.barriers.len() > MOST_OPERATIONS || too_large(graph).is_some();
    if graph.barriers.is_empty() || many || !graph.exprs.is_true(graph.filter) {
        return None;
    }
    let mut stays = Stays::new(graph);
    let guard = deadlock(&mut stays);
    let Stays { mut graph, stays, .. } = stays;
    if graph.exprs.is_false(guard) {
        return None;
    }
    let span = graph.event(graph.barriers[0].event).span;
    graph.forget_cuts();
    graph.violations = vec![Violation::asked(guard, span)];
    let found =
        engine.find(Problem { graph: &graph, ..problem }, Goal::Violation(0), settings.budget);
    let Answer::Yes(choices) = found else { return None };
    let waiting = waiting(&graph, &stays, &choices)?;
    let reason = reason(&graph, &waiting, choices);
    let waiting = waiting.iter().map(|&b| graph.barriers[b].event).collect();
    Some(Stuck { graph, reason, waiting })
}

/// The operations at which threads stay in an execution.
fn waiting(graph: &EventGraph, stays: &[ExprId], choices: &Choices) -> Option<Vec<usize>> {
    let execution = Execution::build(graph, choices.clone()).ok()?;
    let holds = |&b: &usize| execution.truth(stays[b]) == Some(true);
    Some((0..stays.len()).filter(holds).collect())
}

fn reason(graph: &EventGraph, waiting: &[usize], choices: Box<Choices>) -> Reason {
    let place = |&b: &usize| {
        let op = &graph.barriers[b];
        let agent = graph.event(op.event).agent;
        format!("{} waits at {}", graph.agents[agent.index()].name, op.key)
    };
    let places: Vec<String> = waiting.iter().map(place).collect();
    Reason {
        rule: places.join("; "),
        spans: waiting.iter().map(|&b| graph.event(graph.barriers[b].event).span).collect(),
        choices: Some(choices),
    }
}

/// That some thread stays, that none of them can go on, and that nobody is in a loop.
fn deadlock(stays: &mut Stays) -> ExprId {
    let mut some = stays.graph.exprs.truth(false);
    for &here in &stays.stays {
        some = stays.graph.exprs.or(some, here);
    }
    let right = stays.right();
    let mut all = stays.graph.exprs.and(some, right);
    for b in 0..stays.stays.len() {
        if !stays.graph.exprs.is_false(stays.stays[b]) {
            let held = is_held(stays, b);
            let either = stays.graph.exprs.implies(stays.stays[b], held);
            all = stays.graph.exprs.and(all, either);
        }
    }
    for cut in stays.graph.cuts.clone() {
        let leaves = stays.graph.exprs.not(cut.guard);
        all = stays.graph.exprs.and(all, leaves);
    }
    // Who waits for the task of one that stays does not go on either, which nobody notices here.
    let earlier = stays.graph.api_edges.iter().map(|&(id, _)| stays.graph.event(id).agent);
    for agent in earlier.collect::<BTreeSet<AgentId>>() {
        let ends = stays.graph.exprs.not(stays.held[agent.index()]);
        all = stays.graph.exprs.and(all, ends);
    }
    all
}

/// When a thread that stays at an operation can never go on.
fn is_held(stays: &mut Stays, b: usize) -> ExprId {
    let op = stays.graph.barriers[b].clone();
    let own = stays.agent(b);
    let mut held = stays.graph.exprs.truth(false);
    if !op.waits || !is_clear(&stays.graph, &op.key) {
        return held;
    }
    if let Some(wanted) = wanted(&stays.graph, &op) {
        return lacks(stays, &op.key, wanted);
    }
    for other in stays.participants(&op).into_iter().filter(|&other| other != own) {
        let away = stays.has_not_come(other, b, |other| other.arrives, true);
        held = stays.graph.exprs.or(held, away);
    }
    held
}

/// Whether it is known who waits for whom at a barrier: each thread for itself, all with one count
/// or all without.
fn is_clear(graph: &EventGraph, key: &BarrierKey) -> bool {
    let here = || graph.barriers.iter().filter(|op| op.key == *key);
    let alone = |op: &BarrierOp| {
        let of_warp = matches!(key, BarrierKey::Warp(..) | BarrierKey::Exchange(..));
        of_warp || graph.mates(graph.event(op.event).agent).next().is_none()
    };
    let Some(first) = here().next() else { return false };
    let alike = |op: &BarrierOp| match (wanted(graph, op), wanted(graph, first)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => matches!(op.rule, BarrierRule::AllLive | BarrierRule::Participants),
        _ => false,
    };
    here().all(|op| alone(op) && alike(op))
}

/// How many threads, each of its own warp, an operation with a count asks for.
fn wanted(graph: &EventGraph, op: &BarrierOp) -> Option<u128> {
    let BarrierRule::Count(count) = op.rule else { return None };
    let count = graph.exprs.constant(count)?;
    Some(if counts_warps(count) { count / WARP_SIZE } else { count })
}

/// When fewer have come to a barrier since it was last complete than it asks for.
fn lacks(stays: &mut Stays, key: &BarrierKey, wanted: u128) -> ExprId {
    let arrives = |&b: &usize| {
        let op = &stays.graph.barriers[b];
        op.key == *key && op.arrives
    };
    let here: Vec<usize> = (0..stays.stays.len()).filter(arrives).collect();
    let passed = here.iter().map(|&b| stays.passed(b)).collect();
    let stay = here.iter().map(|&b| stays.stays[b]).collect();
    let (passed, stay) = (stays.count(passed), stays.count(stay));
    let exprs = &mut stays.graph.exprs;
    let wanted = exprs.number(wanted.min(u128::from(u16::MAX)), BarrierOp::ORDINAL_BITS);
    let open = exprs.binary(Binary::URem, passed, wanted);
    let come = exprs.binary(Binary::Add, open, stay);
    exprs.binary(Binary::ULt, come, wanted)
}
