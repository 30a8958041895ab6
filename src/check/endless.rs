//! Programs that no execution ends, with loops in which threads may wait for ever: whether it is for
//! the loops or for barriers.

use super::{Settings, barriers, in_order};
use crate::event::graph::{Cut, EventGraph};
use crate::execution::barrier::Barriers;
use crate::execution::schedule::Schedules;
use crate::id::{AgentId, EventId};
use crate::program::expr::ExprArena;
use crate::solve::{Answer, Core, Engine, Goal, Problem};
use crate::source::Span;
use crate::verdict::{Reason, Undecided, Verdict};

/// Where threads wait.
enum Wait {
    /// At barriers, for each other, though no thread stays in a loop.
    AtBarriers(Reason),
    /// In loops that they never leave.
    InLoops,
    /// Here or there.
    Unclear,
}

/// The verdict where no execution ends and threads may wait at `loops` for ever.
pub(super) fn verdict(
    problem: Problem<'_>,
    core: Core,
    loops: Vec<Span>,
    engine: &dyn Engine,
    settings: Settings,
) -> Verdict {
    let graph = problem.graph;
    let wait = || match graph.barriers.is_empty() {
        true => Ok(Wait::InLoops),
        false => wait(problem, engine, settings),
    };
    let endless = |endless| Verdict::Forbidden(Core { endless, ..Core::default() });
    let by_wait = |unclear: Verdict| match wait() {
        Ok(Wait::AtBarriers(reason)) => Verdict::Deadlock(reason),
        Ok(Wait::InLoops) => endless(loops.clone()),
        Ok(Wait::Unclear) => unclear,
        Err(verdict) => verdict,
    };
    match engine.find(problem, Goal::Endless, settings.budget) {
        Answer::Yes(_) => barriers::certain_misuse(graph)
            .unwrap_or_else(|| by_wait(endless(with_barriers(graph, &loops)))),
        Answer::No(_) if graph.barriers.is_empty() => Verdict::Forbidden(core),
        Answer::No(_) => match barriers::stuck(graph, core) {
            somewhere @ Verdict::Deadlock(_) => by_wait(somewhere),
            other => other,
        },
        Answer::Unknown(why) => Verdict::Unknown(Undecided::Engine(why)),
        Answer::Unsupported(why) => Verdict::Unknown(Undecided::Unsupported(why)),
    }
}

/// The loops, and the barriers at which threads may wait.
fn with_barriers(graph: &EventGraph, loops: &[Span]) -> Vec<Span> {
    let waiting = graph.barriers.iter().filter(|op| op.waits);
    in_order(loops.iter().copied().chain(waiting.map(|op| graph.event(op.event).span)))
}

/// The program as it is if no thread stays in a loop: what happens unless its thread does so happens.
pub(super) fn with_loops_left(graph: &EventGraph) -> EventGraph {
    let unless_cut = |exprs: &mut ExprArena, id: EventId| {
        let event = graph.event(id);
        let cuts = graph.cuts.iter().filter(|cut| cut.agent == event.agent);
        let either = cuts.fold(event.guard, |any, cut| exprs.or(any, cut.guard));
        if exprs.is_true(either) { either } else { event.guard }
    };
    let mut left = graph.guarded(unless_cut, |_, cut| cut.guard);
    left.cuts.clear();
    left
}

/// Where threads wait, by the barriers that they come to if nobody stays in a loop. Up to where they
/// are stuck then, an execution has to show that all of them do leave their loops.
///
/// # Errors
/// The verdict where the engine cannot tell.
fn wait(
    Problem { graph, model }: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Result<Wait, Verdict> {
    let left = with_loops_left(graph);
    let Some(fixed) = Barriers::fixed(&left) else { return Ok(Wait::Unclear) };
    let schedules = Schedules::new(fixed);
    if !schedules.lead_to_one_end() {
        return Ok(Wait::Unclear);
    }
    let stuck = schedules.stuck();
    if stuck.is_empty() {
        return Ok(Wait::InLoops);
    }
    // Threads end where they are stuck, and where they wait for the task of such a thread.
    let mut ends: Vec<Option<EventId>> = vec![None; graph.agents.len()];
    let agent = |event: EventId| graph.event(event).agent.index();
    for event in stuck.iter().map(|&op| graph.barriers[op].event) {
        ends[agent(event)] = Some(event);
    }
    let stuck_threads: Vec<bool> = ends.iter().map(Option::is_some).collect();
    for &(_, later) in graph.api_edges.iter().filter(|(earlier, _)| stuck_threads[agent(*earlier)])
    {
        let end = &mut ends[agent(later)];
        *end = Some(end.map_or(later, |known| known.min(later)));
    }
    let end = |agent: AgentId| ends[agent.index()];
    let happens_before = |exprs: &mut ExprArena, id: EventId| {
        let event = graph.event(id);
        if end(event.agent).is_some_and(|end| end <= id) { exprs.truth(false) } else { event.guard }
    };
    let cut_before = |exprs: &mut ExprArena, cut: &Cut| match end(cut.agent) {
        None => cut.guard,
        Some(end) => {
            let not = exprs.not(graph.event(end).guard);
            exprs.and(cut.guard, not)
        }
    };
    let before = graph.guarded(happens_before, cut_before);
    match engine.find(Problem { graph: &before, model }, Goal::Complete, settings.budget) {
        Answer::Yes(_) => Ok(Wait::AtBarriers(barriers::deadlock(graph, &stuck))),
        Answer::No(_) => Ok(Wait::InLoops),
        Answer::Unknown(why) => Err(Verdict::Unknown(Undecided::Engine(why))),
        Answer::Unsupported(why) => Err(Verdict::Unknown(Undecided::Unsupported(why))),
    }
}
