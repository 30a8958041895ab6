//! Accesses that no execution of a test reaches: of threads that stand for others, a sign that other threads
//! would.

use super::Settings;
use super::asked::Asked;
use super::bound::STEPS_FOR_MORE;
use super::events::graph_of;
use crate::event::graph::EventKind;
use crate::execution::build::Execution;
use crate::id::{EventId, ExprId};
use crate::litmus::ast::Test;
use crate::relation::expr::Model;
use crate::solve::{Engine, Problem};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// The most statements that are listed: the others are not looked for.
const MOST_LISTED: usize = 4;

/// Statements that access memory in no execution within the bound that an engine finds with few steps, in the
/// order of the test.
#[must_use]
pub fn unreached(test: &Test, model: &Model, engine: &dyn Engine, settings: Settings) -> Vec<Span> {
    let mut graph = graph_of(test, model, settings);
    let mut statements: Vec<(Span, ExprId, Vec<EventId>)> = Vec::new();
    let mut known: FxHashMap<Span, usize> = FxHashMap::default();
    for id in graph.ids() {
        let event = graph.event(id);
        if !event.is_memory() || event.kind == EventKind::Init {
            continue;
        }
        let (span, guard) = (event.span, event.guard);
        let at = *known.entry(span).or_insert(statements.len());
        match statements.get_mut(at) {
            Some((_, any, events)) => {
                *any = graph.exprs.or(*any, guard);
                events.push(id);
            }
            None => statements.push((span, guard, vec![id])),
        }
    }
    statements.retain(|&(_, guard, _)| !graph.exprs.is_true(guard));
    let settings = Settings { budget: settings.budget.at_most(STEPS_FOR_MORE), ..settings };
    let asked = Asked { test, problem: Problem { graph: &graph, model }, engine, settings };
    let mut unreached = Vec::new();
    while let Some((span, guard, _)) = statements.first() {
        match asked.satisfying(*guard) {
            Ok(Some(choices)) => {
                let executed = Execution::build(&graph, *choices).map(|e| e.executed);
                let reached = |events: &[EventId]| {
                    executed.as_ref().is_ok_and(|all| events.iter().any(|&id| all.contains(id)))
                };
                statements.swap_remove(0);
                statements.retain(|(.., events)| !reached(events));
            }
            Ok(None) | Err(_) => {
                unreached.push(*span);
                statements.swap_remove(0);
            }
        }
        if unreached.len() == MOST_LISTED {
            break;
        }
    }
    unreached.sort_unstable_by_key(|span| (span.file, span.start));
    unreached
}
