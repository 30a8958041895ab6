//! Accesses to the shared memory of another CTA of the cluster while its CTA is not surely alive:
//! undefined (PTX-2.2.2).
//!
//! A CTA has started if an event of one of its threads precedes the access in the order of
//! [`time`], and has not exited if an event of one of its threads follows the access.

use super::asked::{Asked, Found, undecided_before_waits};
use super::events::{waits, with_rounds};
use super::limits::too_large;
use super::prefix;
use super::time::{self, Wrong};
use crate::event::base::base_set;
use crate::event::graph::EventGraph;
use crate::execution::build::Choices;
use crate::id::{EventId, NodeId};
use crate::program::reading::Dsmem;
use crate::relation::expr::{Arena, Node};
use crate::rule::Rule;
use crate::solve::{Pairs, Problem};
use crate::verdict::{Reason, Verdict};
use crate::vocabulary::{BaseRel, BaseSet};

/// The pairs that a question is about, and their relation.
type Question = (Pairs, fn(&mut Arena) -> NodeId);

/// The questions, in this order.
const QUESTIONS: [Question; 2] =
    [(Pairs::BeforeStart, not_started), (Pairs::AfterExit, may_have_exited)];

/// The verdict if some execution accesses the shared memory of a CTA that may not be alive.
/// Includes the graph with the rounds of waiting loops if the verdict refers to it.
pub(super) fn unsure(asked: Asked<'_>) -> Option<Found> {
    let Asked { test, problem: Problem { graph, model }, settings, .. } = asked;
    let peers = |graph: &EventGraph| base_set(graph, BaseSet::Peer).count();
    let is_asked = settings.readings.dsmem == Dsmem::Live && too_large(graph).is_none();
    if !is_asked || peers(graph) == 0 {
        return None;
    }
    let rounds = waits(graph).then(|| with_rounds(test, model, settings));
    // Such rounds matter only if they access other CTAs' shared memory themselves.
    let rounds = rounds.filter(|rounds| peers(rounds) > peers(graph));
    let whole = rounds.as_ref().unwrap_or(graph);
    let unsure = |graph: &EventGraph, question| unsure_in(asked.on(graph), question);
    if let Some(verdict) = QUESTIONS.into_iter().find_map(|question| unsure(whole, question)) {
        return Some(Found { verdict, graph: rounds });
    }
    // A thread that waits for ever may not have exited, but the CTA may start after the access.
    let before = prefix::before_waits(whole);
    prefix::first_found(before, |graph| unsure(graph, QUESTIONS[0]), undecided_before_waits)
        .map(Found::elsewhere)
}

/// The verdict if some execution has an access in the relation of a question.
fn unsure_in(asked: Asked<'_>, (pairs, relation): Question) -> Option<Verdict> {
    let graph = asked.problem.graph;
    let first = base_set(graph, BaseSet::Peer).iter().next()?;
    let place = ("PTX-2.2.2", graph.event(first).span);
    let wrong = Wrong { pairs, relation, place };
    let confirmed = |problem: Problem<'_>, choices| confirmed(problem, pairs, choices);
    time::search_violation(asked, wrong, confirmed)
}

/// Accesses, related to themselves, that no event of a thread of the memory's CTA surely precedes.
fn not_started(arena: &mut Arena) -> NodeId {
    let before = time::order_to_start(arena);
    let owner = arena.add(Node::Rel(BaseRel::Peer));
    let known = arena.add(Node::Inter(before, owner));
    let known = arena.add(Node::Range(known));
    peers_without(arena, known)
}

/// Accesses, related to themselves, that no event of a thread of the memory's CTA surely follows.
fn may_have_exited(arena: &mut Arena) -> NodeId {
    let after = time::order(arena);
    let owner = arena.add(Node::Rel(BaseRel::Peer));
    let owned = arena.add(Node::Inverse(owner));
    let known = arena.add(Node::Inter(after, owned));
    let known = arena.add(Node::Domain(known));
    peers_without(arena, known)
}

/// The identity on the accesses to other CTAs' shared memory, except the known ones.
fn peers_without(arena: &mut Arena, known: NodeId) -> NodeId {
    let peers = arena.add(Node::Set(BaseSet::Peer));
    let rest = arena.add(Node::Diff(peers, known));
    arena.add(Node::ToId(rest))
}

/// Evaluates the model on an engine's execution and finds the access in it.
fn confirmed(problem: Problem<'_>, pairs: Pairs, choices: Box<Choices>) -> Verdict {
    match pairs.confirm(problem, &choices) {
        Ok((_, (access, _))) => Verdict::Undefined(Reason {
            rule: rule(problem.graph, pairs, access),
            spans: vec![problem.graph.event(access).span],
            choices: Some(choices),
        }),
        Err(what) => Verdict::Error(format!("the engine's unsure access is none: {what}")),
    }
}

/// The rule that an access violates.
fn rule(graph: &EventGraph, pairs: Pairs, access: EventId) -> Rule {
    let thread = graph.agents[graph.event(access).agent.index()].name.clone();
    let object = &graph.objects[graph.access_of(access).object.index()];
    let cta = object.shared.map_or(0, |(_, _, cta)| cta);
    let object = object.name.clone();
    match pairs {
        Pairs::BeforeStart => Rule::BeforeStart { thread, object, cta },
        Pairs::AfterExit => Rule::AfterExit { thread, object, cta },
        Pairs::MixedRace
        | Pairs::Race
        | Pairs::RaceBetween(..)
        | Pairs::RaceWithin(..)
        | Pairs::EarlyReuse
        | Pairs::DifferentCounts
        | Pairs::CountsBetween(..) => unreachable!("no question about the life of a CTA"),
    }
}
