//! Data races of a program: conflicting accesses that some consistent execution leaves unordered
//! (PTX-8.7.1). Each race includes this execution; the reasons for the missing order are found in it
//! where they are asked for ([`explained`]).
//!
//! Races between accesses of one size are information; one between accesses that overlap only in
//! part voids the model (PTX-8.7.2).

mod defects;
mod missing;
pub mod near;
pub mod paths;
mod reasons;
mod sequential;
mod tensor;

use crate::bounds::{Bounds, Precision};
use crate::collections::IndexSet;
use crate::event::graph::EventGraph;
use crate::execution::build::{Choices, Execution};
use crate::id::{AccessId, AgentId, EventId, NodeId};
use crate::relation::eval::evaluate_roots;
use crate::solve::{Budget, Engine, Goal, Pairs, Problem};
use crate::source::Span;
use crate::verdict::{Decided, Undecided, Verdict};
use std::sync::Arc;

pub use defects::defects;
pub use missing::{Gap, Missing, Observation};
pub use near::NearMiss;
pub use reasons::{ExplainedRace, explained, explained_here};

/// Two accesses that race.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Race {
    /// The pieces that overlap; the first comes first in the graph.
    pub events: (EventId, EventId),
    /// The accesses of these pieces.
    pub accesses: (AccessId, AccessId),
    /// Whether they overlap only in part.
    pub mixed: bool,
    /// A consistent execution with the race.
    pub choices: Arc<Choices>,
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
/// An execution with a race mostly has others: each question is for a race that no execution before
/// has shown.
///
/// # Errors The verdict instead: unknown if the engine cannot tell of any race or the model has no
/// definition of `race`, an error if an engine's execution does not hold.
pub fn races(problem: Problem<'_>, engine: &dyn Engine, budget: Budget) -> Result<Races, Verdict> {
    let Problem { graph, model } = problem;
    let mut out = Races::default();
    // The engine refuses too large a program.
    let Some(mut race) = find(problem, Pairs::FurtherRace, engine, budget)? else {
        return Ok(out);
    };
    let Some(relation) = model.definition(Pairs::RACE) else {
        return Ok(Races { list: vec![race], open: None });
    };
    let mut asked = graph.clone();
    let mut search = Listing { problem, relation, all: may_race(problem, relation), out: &mut out };
    loop {
        if search.all.binary_search(&accesses_of(graph, &race)).is_err() {
            let what = "an engine's race is none by what is known of the program";
            return Err(Verdict::Error(what.to_owned()));
        }
        search.add(race);
        asked.settled = search.settled();
        let further = Problem { graph: &asked, model };
        race = match find(further, Pairs::FurtherRace, engine, budget) {
            Ok(Some(race)) => race,
            Ok(None) => break,
            Err(Verdict::Unknown(why)) => {
                search.out.open = Some(why);
                break;
            }
            Err(other) => return Err(other),
        };
    }
    out.list.sort_by_key(|race| accesses_of(graph, race));
    Ok(out)
}

/// The accesses of a race, each the first of its disjuncts, the smaller id first.
fn accesses_of(graph: &EventGraph, race: &Race) -> (AccessId, AccessId) {
    let [a, b] = [race.accesses.0, race.accesses.1].map(|id| graph.one_of_all_ways(id));
    (a.min(b), a.max(b))
}

/// A search for all races.
struct Listing<'a, 'p> {
    problem: Problem<'p>,
    relation: NodeId,
    /// The pairs of accesses that may race, in order.
    all: Vec<(AccessId, AccessId)>,
    out: &'a mut Races,
}

impl Listing<'_, '_> {
    /// Adds a race and those that its execution has besides: those of other threads at the same statements,
    /// and all others that an execution of their own would not show better.
    fn add(&mut self, race: Race) {
        let Problem { graph, model } = self.problem;
        let choices = Arc::clone(&race.choices);
        let statements = spans(graph, &race);
        self.out.list.push(race);
        let Ok(execution) = Execution::build(graph, (*choices).clone()) else { return };
        let values = evaluate_roots(&model.arena, &[self.relation], &execution);
        let mut known: IndexSet<_> = self.out.list.iter().map(|race| self.places(race)).collect();
        let mut others = Vec::new();
        for pair in values.relation(self.relation).iter_pairs() {
            let race = race_of(graph, pair, Arc::clone(&choices));
            let is_one = Pairs::FurtherRace.counts(graph, pair.0, pair.1)
                && self.all.binary_search(&accesses_of(graph, &race)).is_ok();
            if is_one && known.insert(self.places(&race)) {
                others.push(race);
            }
        }
        let (alike, others): (Vec<Race>, Vec<Race>) =
            others.into_iter().partition(|race| spans(graph, race) == statements);
        self.out.list.extend(alike);
        self.out.list.extend(reasons::plain(model, &execution, others));
    }

    /// The threads and statements of a race.
    fn places(&self, race: &Race) -> [(AgentId, Span); 2] {
        let graph = self.problem.graph;
        let (a, b) = accesses_of(graph, race);
        [a, b].map(|access| place(graph, access))
    }

    /// The pairs of accesses at the places of the races that are listed.
    fn settled(&self) -> Vec<(AccessId, AccessId)> {
        let graph = self.problem.graph;
        let known: IndexSet<_> = self.out.list.iter().map(|race| self.places(race)).collect();
        let is_known =
            |&(a, b): &(AccessId, AccessId)| known.contains(&[a, b].map(|id| place(graph, id)));
        self.all.iter().copied().filter(is_known).collect()
    }
}

/// The thread and the statement of an access.
fn place(graph: &EventGraph, id: AccessId) -> (AgentId, Span) {
    let event = graph.event(graph.access(id).pieces[0]);
    (event.agent, event.span)
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
    let choices = Arc::new(execution.choices.clone());
    let mut known = IndexSet::default();
    let mut out = Vec::new();
    for (a, b) in values.relation(relation).iter_pairs() {
        let place = |id: EventId| (graph.event(id).agent, graph.event(id).span);
        if known.insert((place(a.min(b)), place(a.max(b)))) {
            out.push(race_of(graph, (a, b), Arc::clone(&choices)));
        }
    }
    out
}

/// Pairs of accesses that may race, by bounds; `None` if the model does not define races. Two accesses
/// of one thread may race if they use different proxies or virtual addresses.
pub(crate) fn candidates(problem: Problem<'_>) -> Option<Vec<(AccessId, AccessId)>> {
    Some(may_race(problem, problem.model.definition(Pairs::RACE)?))
}

fn may_race(Problem { graph, model }: Problem<'_>, relation: NodeId) -> Vec<(AccessId, AccessId)> {
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
fn confirmed(problem: Problem<'_>, kind: Pairs, choices: Box<Choices>) -> Result<Race, Verdict> {
    match kind.confirm(problem, &choices) {
        Ok((_, pair)) => Ok(race_of(problem.graph, pair, Arc::from(choices))),
        Err(what) => Err(Verdict::Error(format!("the engine's race is no race: {what}"))),
    }
}

/// The race of two events of an execution with these choices.
fn race_of(graph: &EventGraph, (a, b): (EventId, EventId), choices: Arc<Choices>) -> Race {
    let events = (a.min(b), a.max(b));
    let accesses = (graph.event(events.0).access, graph.event(events.1).access);
    Race { events, accesses, mixed: is_mixed(graph, a, b), choices }
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
