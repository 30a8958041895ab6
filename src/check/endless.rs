//! Programs that no execution ends, with loops in which threads may wait for ever: whether it is for
//! the loops or for barriers.

use super::{Settings, barriers, in_order, verdict_on};
use crate::event::graph::{BarrierOp, Cut, EventGraph, Violation};
use crate::execution::barrier::Barriers;
use crate::execution::schedule::Schedules;
use crate::id::{AgentId, EventId};
use crate::program::expr::ExprArena;
use crate::solve::{Core, Engine, Goal, Problem};
use crate::source::Span;
use crate::verdict::{Decided, Reason, Undecided, Verdict};

/// Where threads wait.
enum Wait {
    /// At barriers, for each other, though no thread stays in a loop.
    AtBarriers(Reason),
    /// In loops that they never leave.
    InLoops,
    /// Here or there.
    Unclear,
    /// Or they do not get so far: the verdict on what goes wrong before.
    Misuse(Verdict),
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
        Ok(Wait::Misuse(verdict)) => verdict,
        Err(why) => Verdict::Unknown(why),
    };
    match engine.find(problem, Goal::Endless, settings.budget).decided() {
        Ok(Decided::Yes(_)) => barriers::certain_misuse(graph)
            .unwrap_or_else(|| by_wait(endless(with_barriers(graph, &loops)))),
        Ok(Decided::No(_)) if graph.barriers.is_empty() => Verdict::Forbidden(core),
        Ok(Decided::No(_)) => match barriers::stuck(graph, core) {
            somewhere @ Verdict::Deadlock(_) => by_wait(somewhere),
            other => other,
        },
        Err(why) => Verdict::Unknown(why),
    }
}

/// The loops, and the barriers at which threads may wait.
fn with_barriers(graph: &EventGraph, loops: &[Span]) -> Vec<Span> {
    let waiting = graph.barriers.iter().filter(|op| op.waits);
    in_order(loops.iter().copied().chain(waiting.map(|op| graph.event(op.event).span)))
}

/// The program as it is if no thread stays in a loop: what happens unless its thread does so happens.
fn with_loops_left(graph: &EventGraph) -> EventGraph {
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
/// are stuck then, or misuse a barrier, an execution has to show that all of them do leave their
/// loops.
///
/// # Errors
/// Why the engine cannot tell.
fn wait(problem: Problem<'_>, engine: &dyn Engine, settings: Settings) -> Result<Wait, Undecided> {
    let graph = problem.graph;
    let left = with_loops_left(graph);
    let (schedules, open) = Schedules::new(Barriers::certain(&left)).settled();
    if !schedules.lead_to_one_end() {
        return Ok(Wait::Unclear);
    }
    let completes = |graph: &EventGraph| {
        let answer = engine.find(Problem { graph, ..problem }, Goal::Complete, settings.budget);
        Ok(matches!(answer.decided()?, Decided::Yes(_)))
    };
    if let Ok(Some((misuse, places))) = schedules.misuse_with_places()
        && let Some(ends) = ends(graph, &places)
        && completes(&up_to(graph, &ends, |_| true))?
    {
        return Ok(Wait::Misuse(Verdict::Undefined(barriers::of_misuse(graph, misuse))));
    }
    let settled = !open.contains(&true);
    let stuck = schedules.stuck();
    if settled && stuck.is_empty() {
        return Ok(Wait::InLoops);
    }
    let Some(ends) = ends(graph, &stuck) else { return Ok(Wait::Unclear) };
    let before = up_to(graph, &ends, |_| true);
    if !stuck.is_empty() && completes(&before)? {
        let problem = Problem { graph: &before, ..problem };
        return Ok(match violated_before(problem, &ends, engine, settings)? {
            Some(verdict) => Wait::Misuse(verdict),
            None => Wait::AtBarriers(barriers::deadlock(graph, &stuck)),
        });
    }
    // Where values decide who comes to a barrier, it may be that which is never passed. If the loops
    // are not left even where nobody waits there, it is not.
    let passes = |op: &BarrierOp| !open[graph.event(op.event).agent.index()];
    if settled {
        return Ok(Wait::InLoops);
    }
    // What a reduction returns is known of no execution that leaves it out.
    let mut reductions = graph.barriers.iter().filter(|op| op.reduction.is_some());
    if reductions.all(passes) && !completes(&up_to(graph, &ends, passes))? {
        return Ok(Wait::InLoops);
    }
    Ok(Wait::Unclear)
}

/// The verdict on what threads do wrong in some execution of a program that goes up to where they are
/// stuck.
fn violated_before(
    problem: Problem<'_>,
    ends: &Ends,
    engine: &dyn Engine,
    settings: Settings,
) -> Result<Option<Verdict>, Undecided> {
    let graph = problem.graph;
    for (index, violation) in graph.violations.iter().enumerate() {
        if !ends.reach_misuse(graph, violation) {
            continue;
        }
        let answer = engine.find(problem, Goal::Violation(index), settings.budget);
        if matches!(answer.decided()?, Decided::Yes(_)) {
            return Ok(Some(verdict_on(violation, None)));
        }
    }
    Ok(None)
}

/// Where threads end, by agent; `None` for those that end as they do.
pub(super) struct Ends(Vec<Option<EventId>>);

impl Ends {
    /// Whether the thread of an event comes past it.
    fn reaches(&self, graph: &EventGraph, event: EventId) -> bool {
        self.0[graph.event(event).agent.index()].is_none_or(|end| event < end)
    }

    /// Whether threads come to a misuse as far as barriers are concerned.
    pub(super) fn reach_misuse(&self, graph: &EventGraph, violation: &Violation) -> bool {
        let is_reached = |&(agent, count): &(AgentId, usize)| {
            let own = |op: &&BarrierOp| graph.event(op.event).agent == agent;
            graph.barriers[..count].iter().filter(own).all(|op| self.reaches(graph, op.event))
        };
        !violation.behind.is_empty() && violation.behind.iter().all(is_reached)
    }
}

/// Where threads end that are stuck at barriers, or wait for the task of one that never ends. `None`
/// if others may wait at barriers for a thread that waits for a task.
pub(super) fn ends(graph: &EventGraph, stuck: &[usize]) -> Option<Ends> {
    let mut ends: Vec<Option<EventId>> = vec![None; graph.agents.len()];
    let agent = |event: EventId| graph.event(event).agent.index();
    for event in stuck.iter().map(|&op| graph.barriers[op].event) {
        ends[agent(event)] = Some(event);
    }
    let at_barriers = ends.clone();
    let mut changed = true;
    while std::mem::take(&mut changed) {
        for &(earlier, later) in &graph.api_edges {
            let end = ends[agent(later)];
            if ends[agent(earlier)].is_some() && end.is_none_or(|known| later < known) {
                ends[agent(later)] = Some(later);
                changed = true;
            }
        }
    }
    let ends = Ends(ends);
    let comes = |op: &BarrierOp| ends.reaches(graph, op.event);
    // A thread misses what lies between the task that it waits for and where it would be stuck.
    let stays_away =
        |op: &&BarrierOp| !comes(op) && at_barriers[agent(op.event)].is_none_or(|at| op.event < at);
    let mut missed = graph.barriers.iter().filter(stays_away);
    let awaited = |op: &BarrierOp| {
        let mut others = graph.barriers.iter().filter(|other| other.key == op.key);
        others.any(comes)
    };
    (!missed.any(awaited)).then_some(ends)
}

/// The program up to where threads end, with those barrier operations only for which `kept` holds.
pub(super) fn up_to(
    graph: &EventGraph,
    ends: &Ends,
    kept: impl Fn(&BarrierOp) -> bool,
) -> EventGraph {
    let happens_before = |exprs: &mut ExprArena, id: EventId| {
        let happens = ends.reaches(graph, id) && graph.barrier(id).is_none_or(&kept);
        if happens { graph.event(id).guard } else { exprs.truth(false) }
    };
    let cut_before = |exprs: &mut ExprArena, cut: &Cut| match ends.0[cut.agent.index()] {
        None => cut.guard,
        Some(end) => {
            let not = exprs.not(graph.event(end).guard);
            exprs.and(cut.guard, not)
        }
    };
    graph.guarded(happens_before, cut_before)
}
