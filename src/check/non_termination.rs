//! Programs that no execution ends, with loops in which threads may wait for ever: whether loops or
//! barriers are the cause.

use super::asked::Asked;
use super::{barriers, deadlock, hang};
use crate::solve::{Core, Goal};
use crate::source::Span;
use crate::verdict::{Decided, Verdict};

/// The verdict if no execution ends and threads may wait at `loops` for ever: a deadlock if some
/// execution has threads that wait at barriers for ever whatever others do in loops.
pub(super) fn verdict(asked: Asked<'_>, core: Core, loops: Vec<Span>) -> Verdict {
    let endless = |endless| Verdict::Forbidden(Core { endless, ..Core::default() });
    let meets = !asked.problem.graph.barriers.is_empty();
    match asked.find(Goal::Endless) {
        Ok(Decided::No(_)) if !meets => return Verdict::Forbidden(core),
        Ok(Decided::Yes(_)) if !meets => {
            return endless(never_left(asked, loops));
        }
        Ok(_) => {}
        Err(why) => return Verdict::Unknown(why),
    }
    if let Some(reason) = deadlock::in_no_end(asked) {
        return Verdict::Deadlock(reason);
    }
    match hang::places(asked) {
        Some(places) => endless(places),
        None => barriers::stuck(asked, core),
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
