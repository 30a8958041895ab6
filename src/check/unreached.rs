//! Statements with effects that no execution of a test reaches: of threads that stand for others, a sign that
//! other threads would.

use super::Settings;
use super::asked::Asked;
use super::bound::STEPS_FOR_MORE;
use super::events::graph_of;
use crate::event::graph::{Cut, CutKind, EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::id::ExprId;
use crate::litmus::ast::Test;
use crate::relation::expr::Model;
use crate::solve::{Engine, Problem};
use crate::source::Span;
use rustc_hash::{FxHashMap, FxHashSet};

/// A statement that no execution is known to reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unreached {
    /// The statement; of a loop, the branch that closes it.
    pub span: Span,
    /// What it does.
    pub what: Effect,
}

/// What a statement does that others may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Effect {
    /// It accesses memory.
    Access,
    /// It accesses memory in a loop in which its thread may wait.
    Poll,
    /// It meets others at a barrier, or waits for a task.
    Barrier,
    /// It goes round a loop that reads nothing.
    Loop,
}

/// The most statements of a kind that are listed: the others are not looked for.
const MOST_LISTED: usize = 4;

/// Statements that no execution within the bound that an engine finds with few steps reaches, in the
/// order of the test: those that access memory, meet others, or go round for ever.
#[must_use]
pub fn unreached(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
) -> Vec<Unreached> {
    let mut graph = graph_of(test, model, settings);
    let mut statements = statements(&mut graph);
    statements.retain(|statement| !graph.exprs.is_true(statement.guard));
    let settings = Settings { budget: settings.budget.at_most(STEPS_FOR_MORE), ..settings };
    let asked = Asked { test, problem: Problem { graph: &graph, model }, engine, settings };
    let mut unreached = Vec::new();
    while let Some(Statement { what, guard, .. }) = statements.first() {
        match asked.satisfying(*guard) {
            Ok(Some(choices)) => {
                let execution = Execution::build(&graph, *choices);
                let reached = |statement: &Statement| {
                    execution.as_ref().is_ok_and(|execution| execution.holds(statement.guard))
                };
                statements.swap_remove(0);
                statements.retain(|statement| !reached(statement));
            }
            Ok(None) | Err(_) => {
                let what = *what;
                unreached.push(statements.swap_remove(0).reported());
                if unreached.iter().filter(|other| other.what == what).count() == MOST_LISTED {
                    statements.retain(|statement| statement.what != what);
                }
            }
        }
    }
    unreached.sort_unstable_by_key(|statement| (statement.span.file, statement.span.start));
    unreached
}

/// A statement, with the condition that some thread reaches it.
struct Statement {
    span: Span,
    what: Effect,
    guard: ExprId,
}

impl Statement {
    fn reported(self) -> Unreached {
        Unreached { span: self.span, what: self.what }
    }
}

/// The statements of a test, each once.
fn statements(graph: &mut EventGraph) -> Vec<Statement> {
    let polls = graph.cuts.iter().flat_map(|cut| graph.polls(cut));
    let polls: FxHashSet<Span> = polls.map(|id| graph.event(id).span).collect();
    let events = graph.events.iter().filter_map(|event| {
        let what = match event.kind {
            EventKind::Init => return None,
            EventKind::Barrier(_) | EventKind::Boundary => Effect::Barrier,
            _ if event.is_memory() && polls.contains(&event.span) => Effect::Poll,
            _ if event.is_memory() => Effect::Access,
            _ => return None,
        };
        Some(Statement { span: event.span, what, guard: event.guard })
    });
    let reads_nothing = |cut: &&Cut| {
        let waits = [cut.polls.is_empty(), cut.patience.is_empty(), cut.clocks.is_empty()];
        cut.kind == CutKind::Spin && !waits.contains(&false)
    };
    let loops = graph.cuts.iter().filter(reads_nothing).map(|cut| Statement {
        span: cut.span,
        what: Effect::Loop,
        guard: cut.guard,
    });
    let mut known: FxHashMap<(Span, Effect), usize> = FxHashMap::default();
    let mut out: Vec<Statement> = Vec::new();
    for one in events.chain(loops).collect::<Vec<_>>() {
        let at = *known.entry((one.span, one.what)).or_insert(out.len());
        match out.get_mut(at) {
            Some(same) => same.guard = graph.exprs.or(same.guard, one.guard),
            None => out.push(one),
        }
    }
    out
}
