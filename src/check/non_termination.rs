//! Programs that no execution ends, with loops in which threads may wait for ever: whether loops or
//! barriers are the cause.

use super::asked::Asked;
use super::events::in_order;
use super::prefix::MOST_OPERATIONS;
use super::{barriers, deadlock, hang};
use crate::solve::{Core, Goal};
use crate::source::Span;
use crate::verdict::{Decided, Undecided, Verdict};

/// The verdict if no execution ends and threads may wait at `loops` for ever: a deadlock if some
/// execution has threads that wait at barriers for ever whatever others do in loops.
pub(super) fn verdict(asked: Asked<'_>, core: Core, loops: Vec<Span>) -> Verdict {
    decided(asked, core, loops).unwrap_or_else(Verdict::Unknown)
}

fn decided(asked: Asked<'_>, core: Core, loops: Vec<Span>) -> Result<Verdict, Undecided> {
    let graph = asked.problem.graph;
    let endless = |endless| Ok(Verdict::Forbidden(Core { endless, ..Core::default() }));
    let in_loops = matches!(asked.find(Goal::Endless)?, Decided::Yes(_));
    if graph.barriers.is_empty() {
        return match in_loops {
            true => endless(never_left(asked, loops)),
            false => Ok(Verdict::Forbidden(core)),
        };
    }
    if graph.barriers.len() > MOST_OPERATIONS {
        let waits = graph.barriers.iter().filter(|op| op.waits);
        let places = loops.into_iter().chain(waits.map(|op| graph.event(op.event).span));
        return match in_loops {
            true => endless(in_order(places)),
            false => Ok(barriers::stuck_otherwise(asked, core)),
        };
    }
    if let Some(reason) = deadlock::in_no_end(asked)? {
        return Ok(Verdict::Deadlock(reason));
    }
    match hang::places(asked)? {
        Some(places) => endless(places),
        None => Ok(barriers::stuck_otherwise(asked, core)),
    }
}

/// The most loops that are asked about one by one.
const MOST_LOOPS: usize = 16;

/// The loops that threads reach and never leave, independent of the other loops. All loops if the
/// engine takes too long.
fn never_left(asked: Asked<'_>, loops: Vec<Span>) -> Vec<Span> {
    if loops.len() < 2 || loops.len() > MOST_LOOPS {
        return loops;
    }
    let stays = |&at: &Span| {
        let mut graph = asked.problem.graph.clone();
        graph.cuts.retain(|cut| cut.span == at);
        let settings = asked.settings.with_budget(asked.settings.budget.aside());
        let asked = Asked { settings, ..asked.on(&graph) };
        matches!(asked.find(Goal::Endless), Ok(Decided::Yes(_)))
            && matches!(asked.find(Goal::Complete), Ok(Decided::No(_)))
    };
    let (found, others): (Vec<Span>, Vec<Span>) = loops.into_iter().partition(stays);
    if found.is_empty() { others } else { found }
}
