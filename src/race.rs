//! Data races of a program: conflicting accesses that some consistent execution leaves unordered
//! (PTX-8.7.1), each with that execution and with what keeps the two from being ordered.
//!
//! Races between accesses of one size are information; one between accesses that overlap only in
//! part voids the model (PTX-8.7.2).

use crate::collections::IndexSet;
use crate::event::graph::EventGraph;
use crate::execution::build::{Choices, Execution};
use crate::id::{AccessId, EventId};
use crate::ptx::operation::Order;
use crate::relation::eval::{Interpretation, evaluate_roots};
use crate::solve::{Budget, Engine, Goal, Pairs, Problem};
use crate::source::Span;
use crate::verdict::{Decided, Verdict};
use crate::vocabulary::BaseRel;

/// Two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The pieces that overlap; the first comes first in the graph.
    pub events: (EventId, EventId),
    /// The accesses that they are pieces of.
    pub accesses: (AccessId, AccessId),
    /// Whether they overlap only in part.
    pub mixed: bool,
    /// Why they are not ordered in the execution.
    pub missing: Vec<Missing>,
    /// A consistent execution in which they race.
    pub choices: Box<Choices>,
}

/// What keeps two accesses from being ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The access is weak, so it is morally strong with nothing in another thread (PTX-8.7).
    Weak(EventId),
    /// The scope of the first does not include the thread of the second (PTX-8.5).
    Scope(EventId, EventId),
    /// They do not overlap completely (PTX-8.7).
    Overlap,
    /// Both are strong, but at different virtual addresses of one location (PTX-8.2.1, PTX-8.7).
    Address,
    /// They use different proxies or virtual addresses, and no proxy fence stands between
    /// (PTX-8.9.5).
    Proxy {
        /// Whether it is program order that relates them, not synchronization.
        one_thread: bool,
    },
    /// A release and an acquire pattern meet, but their ends are not morally strong (PTX-8.9.4).
    Ends(EventId, EventId),
    /// No synchronization leads from one to the other (PTX-8.9.5).
    Synchronization,
}

/// The statements of a race, the first in the source first.
#[must_use]
pub fn spans(graph: &EventGraph, race: &Race) -> [Span; 2] {
    let (a, b) = race.events;
    let (a, b) = (graph.event(a).span, graph.event(b).span);
    if (a.start, a.end) <= (b.start, b.end) { [a, b] } else { [b, a] }
}

/// Every pair of statements that races in some consistent execution.
///
/// # Errors
/// The verdict instead: unknown when the engine cannot tell or the model has no definition of
/// `race`, an error when an engine's execution does not hold.
pub fn races(
    problem: Problem<'_>,
    engine: &dyn Engine,
    budget: Budget,
) -> Result<Vec<Race>, Verdict> {
    let mut known = IndexSet::default();
    let mut out = Vec::new();
    let any = find(problem, Pairs::Race, engine, budget)?;
    if any.is_none() {
        return Ok(out);
    }
    for (a, b) in candidates(problem.graph) {
        let place = |id: AccessId| {
            let event = problem.graph.event(problem.graph.access(id).pieces[0]);
            (event.agent, event.span)
        };
        if known.contains(&(place(a), place(b))) {
            continue;
        }
        if let Some(race) = find(problem, Pairs::RaceBetween(a, b), engine, budget)? {
            known.insert((place(a), place(b)));
            out.push(race);
        }
    }
    Ok(out)
}

/// A race of one kind, if there is one in a consistent execution.
///
/// # Errors
/// As [`races`].
pub fn find(
    problem: Problem<'_>,
    kind: Pairs,
    engine: &dyn Engine,
    budget: Budget,
) -> Result<Option<Race>, Verdict> {
    match engine.find(problem, Goal::Related(kind), budget).decided() {
        Ok(Decided::Yes(choices)) => confirm(problem, kind, choices).map(Some),
        Ok(Decided::No(_)) => Ok(None),
        Err(why) => Err(Verdict::Unknown(why)),
    }
}

/// Pairs of accesses that conflict. Two of one thread may race where they use different proxies or
/// virtual addresses.
fn candidates(graph: &EventGraph) -> Vec<(AccessId, AccessId)> {
    let mut out = IndexSet::default();
    let memory: Vec<EventId> = graph
        .ids()
        .filter(|&e| graph.event(e).is_memory() && graph.event(e).agent.index() > 0)
        .collect();
    for (at, &a) in memory.iter().enumerate() {
        for &b in &memory[at + 1..] {
            let (x, y) = (graph.event(a), graph.event(b));
            let conflict = x.loc == y.loc && (x.is_write() || y.is_write());
            let [x, y] = [x, y].map(|event| graph.one_of_all_ways(event.access));
            if conflict && x != y {
                out.insert((x.min(y), x.max(y)));
            }
        }
    }
    out.into_iter().collect()
}

/// Evaluates the model on an engine's execution and takes the race out of it.
///
/// # Errors
/// An error as verdict when the execution has none, or is no consistent execution.
pub(crate) fn confirm(
    problem: Problem<'_>,
    kind: Pairs,
    choices: Box<Choices>,
) -> Result<Race, Verdict> {
    let graph = problem.graph;
    let (execution, (a, b)) = kind
        .confirm(problem, &choices)
        .map_err(|what| Verdict::Error(format!("the engine's race is no race: {what}")))?;
    let events = (a.min(b), a.max(b));
    let accesses = (graph.event(events.0).access, graph.event(events.1).access);
    let mixed = Pairs::MixedRace.counts(graph, a, b);
    let missing = missing(problem, &execution, events);
    Ok(Race { events, accesses, mixed, missing, choices })
}

/// What keeps two racing events from being morally strong and from being ordered by causality.
fn missing(
    problem: Problem<'_>,
    execution: &Execution<'_>,
    (a, b): (EventId, EventId),
) -> Vec<Missing> {
    let Problem { graph, model } = problem;
    let strong = |id: EventId| graph.event(id).order.is_some_and(|o| o != Order::Weak);
    let one_thread = graph.event(a).agent == graph.event(b).agent;
    let mut out = Vec::new();
    // Those of one thread are morally strong where they are at one address.
    if !one_thread {
        out.extend([a, b].into_iter().filter(|&e| !strong(e)).map(Missing::Weak));
    }
    if strong(a) && strong(b) {
        let includes = crate::event::base::base_relation(graph, BaseRel::Includes);
        let pairs = [(a, b), (b, a)].into_iter();
        out.extend(
            pairs.filter(|&(x, y)| !includes.contains(x, y)).map(|(x, y)| Missing::Scope(x, y)),
        );
    }
    let (first, second) = (graph.access_of(a), graph.access_of(b));
    if first.range() != second.range() {
        out.push(Missing::Overlap);
    } else if (one_thread || strong(a) && strong(b)) && first.virt != second.virt {
        out.push(Missing::Address);
    }
    let holds = |name: &str, x: EventId, y: EventId| {
        model.definition(name).is_some_and(|node| {
            evaluate_roots(&model.arena, &[node], execution).relation(node).contains(x, y)
        })
    };
    if holds("base-causality", a, b) || holds("base-causality", b, a) {
        out.push(Missing::Proxy { one_thread });
        return out;
    }
    let near = near_synchronization(problem, execution, (a, b));
    out.push(near.unwrap_or(Missing::Synchronization));
    out
}

/// Patterns between the two accesses that meet without being morally strong.
fn near_synchronization(
    problem: Problem<'_>,
    execution: &Execution<'_>,
    (a, b): (EventId, EventId),
) -> Option<Missing> {
    let model = problem.model;
    let patterns = model.definition("pattern-sync")?;
    let synchronizes = model.definition("release-acquire")?;
    let values = evaluate_roots(&model.arena, &[patterns, synchronizes], execution);
    let po = execution.relation(BaseRel::Po);
    let before = |x: EventId, y: EventId| x == y || po.contains(x, y);
    let between = |first, x, y, last| before(first, x) && before(y, last);
    let found = values.relation(patterns).iter_pairs().find(|&(x, y)| {
        (between(a, x, y, b) || between(b, x, y, a))
            && !values.relation(synchronizes).contains(x, y)
    });
    found.map(|(x, y)| Missing::Ends(x, y))
}

/// An access in words, such as `the 4-byte write to x by P0`.
#[must_use]
pub fn describe(graph: &EventGraph, access: AccessId) -> String {
    let info = graph.access(access);
    let event = graph.event(info.pieces[0]);
    let what = if event.is_write() { "write to" } else { "read of" };
    let place = graph.objects[info.object.index()].part(info.offset, info.bytes);
    let agent = &graph.agents[event.agent.index()].name;
    format!("the {}-byte {what} {place} by {agent}", info.bytes)
}
