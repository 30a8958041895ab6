//! Statements with effects that no execution of a test reaches: of threads that stand for others, a sign that
//! other threads would.

use super::Settings;
use super::asked::Asked;
use super::bound::STEPS_FOR_MORE;
use super::events::graph_of;
use crate::event::graph::{Cut, CutKind, EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::id::{AgentId, ExprId};
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
    let sure = graph.exprs.truth(true);
    let ended = nobody_waits(&mut graph);
    let with_ended = |statement: &mut Statement| {
        statement.asked = graph.exprs.and(statement.guard, ended);
    };
    statements.iter_mut().for_each(with_ended);
    let settings = Settings { budget: settings.budget.at_most(STEPS_FOR_MORE), ..settings };
    let asked = Asked { test, problem: Problem { graph: &graph, model }, engine, settings };
    // Where no execution ends, what is behind no wait happens all the same.
    let is_sure = |statement: &Statement| statement.guard == sure;
    let may_wait = statements.iter().any(|statement| is_sure(statement) && statement.is_behind);
    let ends = !may_wait || matches!(asked.satisfying(ended), Ok(Some(_)));
    statements.retain(|statement| !is_sure(statement) || !ends && statement.is_behind);
    let mut unreached = Vec::new();
    while let Some(Statement { what, asked: holds, .. }) = statements.first() {
        match asked.satisfying(*holds) {
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
    /// The guard, in executions in which no thread waits in a loop for ever: others may wait for that thread.
    asked: ExprId,
    /// Whether each thread that reaches the statement has polled before, or met others who have.
    is_behind: bool,
}

impl Statement {
    fn reported(self) -> Unreached {
        Unreached { span: self.span, what: self.what }
    }
}

/// The condition that each thread leaves the loops in which it waits.
fn nobody_waits(graph: &mut EventGraph) -> ExprId {
    let waits = graph.cuts.iter().filter(|cut| cut.kind == CutKind::Spin && !cut.polls.is_empty());
    let waits: Vec<ExprId> = waits.map(|cut| cut.guard).collect();
    let any = waits.into_iter().fold(graph.exprs.truth(false), |any, w| graph.exprs.or(any, w));
    graph.exprs.not(any)
}

/// For each event, whether its thread has polled before, or has met others at a barrier that some come to
/// only when they have.
fn behind_waits(graph: &EventGraph, polls: &FxHashSet<Span>) -> Vec<bool> {
    let mut late: FxHashSet<Span> = FxHashSet::default();
    loop {
        let known = late.len();
        let mut waited: FxHashSet<AgentId> = FxHashSet::default();
        let mut out = Vec::with_capacity(graph.events.len());
        for event in &graph.events {
            let is_behind = waited.contains(&event.agent);
            out.push(is_behind);
            let meets = matches!(event.kind, EventKind::Barrier(_) | EventKind::Boundary);
            if meets && is_behind {
                late.insert(event.span);
            }
            if polls.contains(&event.span) || meets && late.contains(&event.span) {
                waited.insert(event.agent);
            }
        }
        if late.len() == known {
            return out;
        }
    }
}

/// The statements of a test, each once.
fn statements(graph: &mut EventGraph) -> Vec<Statement> {
    let polls = graph.cuts.iter().flat_map(|cut| graph.polls(cut));
    let polls: FxHashSet<Span> = polls.map(|id| graph.event(id).span).collect();
    let behind = behind_waits(graph, &polls);
    let events = graph.events.iter().zip(behind).filter_map(|(event, is_behind)| {
        let what = match event.kind {
            EventKind::Init => return None,
            EventKind::Barrier(_) | EventKind::Boundary => Effect::Barrier,
            _ if event.is_memory() && polls.contains(&event.span) => Effect::Poll,
            _ if event.is_memory() => Effect::Access,
            _ => return None,
        };
        Some(Statement {
            span: event.span,
            what,
            guard: event.guard,
            asked: event.guard,
            is_behind,
        })
    });
    let reads_nothing = |cut: &&Cut| {
        let waits = [cut.polls.is_empty(), cut.patience.is_empty(), cut.clocks.is_empty()];
        cut.kind == CutKind::Spin && !waits.contains(&false)
    };
    let loops = graph.cuts.iter().filter(reads_nothing).map(|cut| Statement {
        span: cut.span,
        what: Effect::Loop,
        guard: cut.guard,
        asked: cut.guard,
        is_behind: false,
    });
    let mut known: FxHashMap<(Span, Effect), usize> = FxHashMap::default();
    let mut out: Vec<Statement> = Vec::new();
    for one in events.chain(loops).collect::<Vec<_>>() {
        let at = *known.entry((one.span, one.what)).or_insert(out.len());
        match out.get_mut(at) {
            Some(same) => {
                same.guard = graph.exprs.or(same.guard, one.guard);
                same.is_behind &= one.is_behind;
            }
            None => out.push(one),
        }
    }
    out
}
