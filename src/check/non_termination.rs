//! Programs that no execution ends, with loops in which threads may wait for ever: whether loops or
//! barriers are the cause.

use super::{Settings, barriers, deadlock, hang};
use crate::solve::{Answer, Core, Engine, Goal, Problem};
use crate::source::Span;
use crate::verdict::{Decided, Verdict};

/// The verdict if no execution ends and threads may wait at `loops` for ever: a deadlock if some
/// execution has threads that wait at barriers for ever whatever others do in loops.
pub(super) fn verdict(
    problem: Problem<'_>,
    core: Core,
    loops: Vec<Span>,
    engine: &dyn Engine,
    settings: Settings,
) -> Verdict {
    let endless = |endless| Verdict::Forbidden(Core { endless, ..Core::default() });
    let meets = !problem.graph.barriers.is_empty();
    match engine.find(problem, Goal::Endless, settings.budget).decided() {
        Ok(Decided::No(_)) if !meets => return Verdict::Forbidden(core),
        Ok(Decided::Yes(_)) if !meets => {
            return endless(never_left(problem, loops, engine, settings));
        }
        Ok(_) => {}
        Err(why) => return Verdict::Unknown(why),
    }
    if let Some(reason) = deadlock::in_no_end(problem, engine, settings) {
        return Verdict::Deadlock(reason);
    }
    match hang::places(problem, engine, settings) {
        Some(places) => endless(places),
        None => barriers::stuck(problem, core, engine, settings),
    }
}

/// The most loops that are asked about one by one.
const MOST_LOOPS: usize = 16;

/// The loops that threads reach and never leave, independent of the other loops. All loops if the
/// engine takes too long.
fn never_left(
    problem: Problem<'_>,
    loops: Vec<Span>,
    engine: &dyn Engine,
    settings: Settings,
) -> Vec<Span> {
    if loops.len() < 2 || loops.len() > MOST_LOOPS {
        return loops;
    }
    let stays = |&at: &Span| {
        let mut graph = problem.graph.clone();
        graph.cuts.retain(|cut| cut.span == at);
        let find =
            |goal| engine.find(Problem { graph: &graph, ..problem }, goal, settings.budget.aside());
        matches!(find(Goal::Endless), Answer::Yes(_))
            && matches!(find(Goal::Complete), Answer::No(_))
    };
    let (found, others): (Vec<Span>, Vec<Span>) = loops.into_iter().partition(stays);
    if found.is_empty() { others } else { found }
}
