//! Programs into those in which threads go no further than to the instructions that are not followed.

use crate::event::graph::{Ahead, Cut, CutKind, EventGraph};
use crate::id::{AgentId, ExprId};
use crate::rule::Rule;
use crate::source::Span;

/// A place where it is not known what a thread does next.
struct Departure {
    agent: AgentId,
    position: u32,
    guard: ExprId,
    span: Span,
}

/// The program in which each thread stays where it comes to an instruction that is not followed. As
/// where the bound cuts a thread, its further steps are unknown: it may go elsewhere, synchronize
/// there, or never come back.
pub(super) fn up_to_departures(mut graph: EventGraph) -> EventGraph {
    let departures = departures(&graph);
    if departures.is_empty() {
        return graph;
    }
    let never = graph.exprs.truth(false);
    for cut in &mut graph.cuts {
        for departure in departures.iter().filter(|departure| departure.agent == cut.agent) {
            let goes_on = graph.exprs.not(departure.guard);
            cut.guard = graph.exprs.and(cut.guard, goes_on);
        }
    }
    graph.cuts.extend(departures.iter().map(|departure| departure.cut(never)));
    graph.guarded(
        |exprs, id| {
            let at = graph.event(graph.stands_at(id));
            let is_before = |departure: &&Departure| {
                departure.agent == at.agent && departure.position < at.position
            };
            departures.iter().filter(is_before).fold(graph.event(id).guard, |guard, departure| {
                let goes_on = exprs.not(departure.guard);
                exprs.and(guard, goes_on)
            })
        },
        |_, cut| cut.guard,
    )
}

fn departures(graph: &EventGraph) -> Vec<Departure> {
    let violations = graph.violations.iter();
    let unfollowed = violations.filter(|v| v.rule.as_ref().is_some_and(is_unfollowed));
    unfollowed
        .filter_map(|violation| {
            let &(agent, _) = violation.behind.first()?;
            let (position, guard, span) = (violation.position?, violation.guard, violation.span);
            Some(Departure { agent, position, guard, span })
        })
        .collect()
}

fn is_unfollowed(rule: &Rule) -> bool {
    rule.unfollowed().is_some()
}

impl Departure {
    fn cut(&self, never: ExprId) -> Cut {
        Cut {
            agent: self.agent,
            guard: self.guard,
            back: never,
            steady: never,
            ahead: Ahead::Open,
            polls: Vec::new(),
            patience: Vec::new(),
            clocks: Vec::new(),
            span: self.span,
            kind: CutKind::Bound,
        }
    }
}
