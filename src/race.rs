//! Data races of a program: conflicting accesses that some consistent execution leaves unordered
//! (PTX-8.7.1). Each race includes this execution and the reasons for the missing order.
//!
//! Races between accesses of one size are information; one between accesses that overlap only in
//! part voids the model (PTX-8.7.2).

mod defects;
mod missing;
pub mod near;
pub mod paths;
mod tensor;

use crate::bitrel::Rel;
use crate::bounds::{Bounds, Precision};
use crate::collections::IndexSet;
use crate::event::graph::EventGraph;
use crate::execution::build::{Choices, Execution};
use crate::id::{AccessId, EventId, NodeId};
use crate::relation::eval::evaluate_roots;
use crate::solve::{Budget, Engine, Goal, Pairs, Problem};
use crate::source::Span;
use crate::verdict::{Decided, Undecided, Verdict};

pub use defects::defects;
pub use missing::{Gap, Missing, Observation};
pub use near::NearMiss;

/// Two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The pieces that overlap; the first comes first in the graph.
    pub events: (EventId, EventId),
    /// The accesses of these pieces.
    pub accesses: (AccessId, AccessId),
    /// Whether they overlap only in part.
    pub mixed: bool,
    /// The reasons why they are not ordered in the execution.
    pub missing: Vec<Missing>,
    /// The path that comes closest to ordering the two accesses in the execution, in either
    /// direction. It is computed for listed races, but not for a single race found by [`find`].
    pub near: Option<NearMiss>,
    /// A consistent execution with the race.
    pub choices: Box<Choices>,
}

/// The statements of a race, the first in the source first.
#[must_use]
pub fn spans(graph: &EventGraph, race: &Race) -> [Span; 2] {
    let (a, b) = race.events;
    let (a, b) = (graph.event(a).span, graph.event(b).span);
    if (a.start, a.end) <= (b.start, b.end) { [a, b] } else { [b, a] }
}

/// The races that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Races {
    /// One for every pair of statements.
    pub list: Vec<Race>,
    /// The reason why there may be more, if any.
    pub open: Option<Undecided>,
}

impl Races {
    /// The complete list.
    ///
    /// # Errors
    /// Unknown if there may be more.
    pub fn all(self) -> Result<Vec<Race>, Verdict> {
        match self.open {
            Some(why) => Err(Verdict::Unknown(why)),
            None => Ok(self.list),
        }
    }
}

/// Every pair of statements that races in some consistent execution. If the engine gives up, the
/// races found so far are given.
///
/// # Errors The verdict instead: unknown if the engine cannot tell of any race or the model has no
/// definition of `race`, an error if an engine's execution does not hold.
pub fn races(problem: Problem<'_>, engine: &dyn Engine, budget: Budget) -> Result<Races, Verdict> {
    let graph = problem.graph;
    let place = |id: AccessId| {
        let event = graph.event(graph.access(id).pieces[0]);
        (event.agent, event.span)
    };
    let accesses = |race: &Race| {
        let [a, b] = [race.accesses.0, race.accesses.1].map(|id| graph.one_of_all_ways(id));
        (a.min(b), a.max(b))
    };
    // The engine refuses too large a program.
    let ask = |kind| search(problem, kind, engine, budget, confirm_with_near);
    let Some(first) = ask(Pairs::Race)? else {
        return Ok(Races::default());
    };
    let Some(relation) = problem.model.definition(Pairs::RACE) else {
        return Ok(Races { list: vec![first], open: None });
    };
    let all = candidates(problem, relation);
    let mut known = IndexSet::default();
    let mut out = Races::default();
    // Mostly few pairs race: one question covers all pairs between two that do.
    let mut open = vec![(all.as_slice(), Some(first))];
    while let Some((pairs, given)) = open.pop() {
        let is_new = |&(a, b): &(AccessId, AccessId)| !known.contains(&(place(a), place(b)));
        let (Some(first), Some(last)) =
            (pairs.iter().position(is_new), pairs.iter().rposition(is_new))
        else {
            continue;
        };
        let pairs = &pairs[first..=last];
        let kind = Pairs::RaceWithin(pairs[0], pairs[pairs.len() - 1]);
        let race = match given.filter(|race| pairs.binary_search(&accesses(race)).is_ok()) {
            None => match ask(kind) {
                Err(Verdict::Unknown(why)) => {
                    out.open.get_or_insert(why);
                    None
                }
                other => other?,
            },
            given => given,
        };
        let Some(race) = race else { continue };
        let found = accesses(&race);
        let at = pairs.binary_search(&found).map_err(|_| {
            let what = "an engine's race is none by what is known of the program";
            Verdict::Error(what.to_owned())
        })?;
        // Threads that execute the same statements mostly race in the same execution.
        for other in alike(problem, relation, &race, &all) {
            let found = accesses(&other);
            if found != accesses(&race) && known.insert((place(found.0), place(found.1))) {
                out.list.push(other);
            }
        }
        if known.insert((place(found.0), place(found.1))) {
            out.list.push(race);
        }
        open.extend([(&pairs[at + 1..], None), (&pairs[..at], None)]);
    }
    out.list.sort_by_key(accesses);
    Ok(out)
}

/// The races of other threads at the statements of a race, in its execution.
fn alike(
    problem: Problem<'_>,
    relation: NodeId,
    race: &Race,
    all: &[(AccessId, AccessId)],
) -> Vec<Race> {
    let Problem { graph, model } = problem;
    let span = |id: AccessId| graph.event(graph.access(id).pieces[0]).span;
    let statements = |&(a, b): &(AccessId, AccessId)| {
        let (a, b) = (span(a), span(b));
        if (a.start, a.end) <= (b.start, b.end) { [a, b] } else { [b, a] }
    };
    let wanted = statements(&race.accesses);
    if all.iter().filter(|pair| statements(pair) == wanted).nth(1).is_none() {
        return Vec::new();
    }
    let Ok(execution) = Execution::build(graph, (*race.choices).clone()) else { return Vec::new() };
    let values = evaluate_roots(&model.arena, &[relation], &execution);
    let mut known = IndexSet::default();
    let mut out = Vec::new();
    for (a, b) in values.relation(relation).iter_pairs() {
        let [x, y] = [a, b].map(|event| graph.one_of_all_ways(graph.event(event).access));
        let pair = (x.min(y), x.max(y));
        let is_one = statements(&pair) == wanted && all.binary_search(&pair).is_ok();
        if is_one && Pairs::Race.counts(graph, a, b) && known.insert(pair) {
            out.push(with_near(problem, &execution, (a, b), race.choices.clone()));
        }
    }
    out
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
    search(problem, kind, engine, budget, confirm)
}

/// As [`find`], with the race as `confirmed` finds it in an engine's execution.
fn search(
    problem: Problem<'_>,
    kind: Pairs,
    engine: &dyn Engine,
    budget: Budget,
    confirmed: fn(Problem<'_>, Pairs, Box<Choices>) -> Result<Race, Verdict>,
) -> Result<Option<Race>, Verdict> {
    match engine.find(problem, Goal::Related(kind), budget).decided() {
        Ok(Decided::Yes(choices)) => confirmed(problem, kind, choices).map(Some),
        Ok(Decided::No(_)) => Ok(None),
        Err(why) => Err(Verdict::Unknown(why)),
    }
}

/// The races of one execution, each pair of statements once.
#[must_use]
pub fn in_execution(problem: Problem<'_>, execution: &Execution<'_>) -> Vec<Race> {
    let Problem { graph, model } = problem;
    let Some(relation) = model.definition(Pairs::RACE) else { return Vec::new() };
    let values = evaluate_roots(&model.arena, &[relation], execution);
    let mut known = IndexSet::default();
    let mut out = Vec::new();
    for (a, b) in values.relation(relation).iter_pairs() {
        let place = |id: EventId| (graph.event(id).agent, graph.event(id).span);
        if known.insert((place(a.min(b)), place(a.max(b)))) {
            let choices = Box::new(execution.choices.clone());
            out.push(with_near(problem, execution, (a, b), choices));
        }
    }
    out
}

/// The same races in fewer executions. A race is shown in the execution of an earlier race if it
/// happens there, too, and no more is missing than in its own execution.
#[must_use]
pub fn sharing_executions(problem: Problem<'_>, races: Vec<Race>) -> Vec<Race> {
    let Problem { graph, model } = problem;
    let Some(relation) = model.definition(Pairs::RACE) else { return races };
    let mut known: Vec<(Execution<'_>, Rel)> = Vec::new();
    let mut out = Vec::with_capacity(races.len());
    for race in races {
        if let Some(shared) =
            known.iter().find_map(|(here, pairs)| within(problem, &race, here, pairs))
        {
            out.push(shared);
            continue;
        }
        if let Ok(execution) = Execution::build(graph, (*race.choices).clone()) {
            let values = evaluate_roots(&model.arena, &[relation], &execution);
            let pairs = values.relation(relation).clone();
            known.push((execution, pairs));
        }
        out.push(race);
    }
    out
}

/// The race in another execution with these racing events, if it happens there.
fn within(
    problem: Problem<'_>,
    race: &Race,
    execution: &Execution<'_>,
    pairs: &Rel,
) -> Option<Race> {
    let graph = problem.graph;
    let (a, b) = race.accesses;
    let kind = Pairs::RaceBetween(graph.one_of_all_ways(a), graph.one_of_all_ways(b));
    let mixed = |&(a, b): &(EventId, EventId)| is_mixed(graph, a, b) == race.mixed;
    let (a, b) = pairs.iter_pairs().filter(mixed).find(|&(a, b)| kind.counts(graph, a, b))?;
    let found = with_near(problem, execution, (a, b), Box::new(execution.choices.clone()));
    let unread = |all: &[Missing]| {
        all.iter().any(|one| matches!(one, Missing::Link { gap: Gap::Unread, .. }))
    };
    (!unread(&found.missing) || unread(&race.missing)).then_some(found)
}

/// Pairs of accesses that may race, by bounds. Two accesses of one thread may race if they use
/// different proxies or virtual addresses.
fn candidates(
    Problem { graph, model }: Problem<'_>,
    relation: NodeId,
) -> Vec<(AccessId, AccessId)> {
    let bounds = Bounds::new(graph, &model.arena, &[relation], Precision::Propagated);
    let may_race = bounds.get(relation).hi.relation();
    let mut out = IndexSet::default();
    for (a, b) in may_race.iter_pairs().filter(|&(a, b)| Pairs::Race.counts(graph, a, b)) {
        let [x, y] = [a, b].map(|event| graph.one_of_all_ways(graph.event(event).access));
        if x != y {
            out.insert((x.min(y), x.max(y)));
        }
    }
    out.sort_unstable();
    out.into_iter().collect()
}

/// Evaluates the model on an engine's execution and finds the race in it.
///
/// # Errors
/// An error as verdict if the execution has no race, or is not consistent.
fn confirm(problem: Problem<'_>, kind: Pairs, choices: Box<Choices>) -> Result<Race, Verdict> {
    let (execution, pair) = confirmed(problem, kind, &choices)?;
    Ok(race_of(problem, &execution, pair, choices))
}

/// As [`confirm`], with the path that comes closest to an order.
fn confirm_with_near(
    problem: Problem<'_>,
    kind: Pairs,
    choices: Box<Choices>,
) -> Result<Race, Verdict> {
    let (execution, pair) = confirmed(problem, kind, &choices)?;
    Ok(with_near(problem, &execution, pair, choices))
}

fn confirmed<'g>(
    problem: Problem<'g>,
    kind: Pairs,
    choices: &Choices,
) -> Result<(Execution<'g>, (EventId, EventId)), Verdict> {
    kind.confirm(problem, choices)
        .map_err(|what| Verdict::Error(format!("the engine's race is no race: {what}")))
}

/// The race of two events of an execution, with the path that comes closest to an order.
fn with_near(
    problem: Problem<'_>,
    execution: &Execution<'_>,
    (a, b): (EventId, EventId),
    choices: Box<Choices>,
) -> Race {
    let near = paths::nearest_of(problem.model, execution, [(a, b), (b, a)]);
    Race { near, ..race_of(problem, execution, (a, b), choices) }
}

/// The race of two events of an execution with these choices.
fn race_of(
    problem: Problem<'_>,
    execution: &Execution<'_>,
    (a, b): (EventId, EventId),
    choices: Box<Choices>,
) -> Race {
    let graph = problem.graph;
    let events = (a.min(b), a.max(b));
    let accesses = (graph.event(events.0).access, graph.event(events.1).access);
    let mixed = is_mixed(graph, a, b);
    let missing = missing::missing(problem, execution, events);
    Race { events, accesses, mixed, missing, near: None, choices }
}

/// Whether two racing accesses cover different bytes.
fn is_mixed(graph: &EventGraph, a: EventId, b: EventId) -> bool {
    graph.access_of(a).range() != graph.access_of(b).range()
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
