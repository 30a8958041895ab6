//! Programs that are undefined because some execution does not satisfy an `undefined_unless` of the
//! model.
//!
//! Which executions a condition is asked about follows from its expression. Rounds of loops that
//! only wait are there if they have events that may be in its pairs. If its pairs
//! [last](crate::relation::extension), the execution counts however it goes on, even if threads wait
//! for ever: prefixes show them, too.

use super::asked::{Asked, Found, undecided_before_waits};
use super::definedness::{Condition, is_vacuous};
use super::events::{waits, with_rounds};
use super::limits::too_large;
use super::{meetings, prefix, survival};
use crate::event::graph::{Cut, CutKind, EventGraph};
use crate::id::EventId;
use crate::relation::expr::AxiomRole;
use crate::solve::{Lasting, Problem};
use crate::verdict::Verdict;
use std::cell::OnceCell;

/// The verdict if some execution fails a condition, or if the engine cannot exclude this. Includes
/// the events of the verdict if these differ from the problem's.
pub(super) fn broken(asked: Asked<'_>) -> Option<Found> {
    let Problem { graph, model } = asked.problem;
    if too_large(graph).is_some() {
        return None;
    }
    let rounds = OnceCell::new();
    let conditions = (0..model.axioms.len())
        .filter(|&index| model.axioms[index].role == AxiomRole::UndefinedUnless)
        .filter(|&index| !is_vacuous(graph, model, &model.axioms[index]));
    // What is unknown of one condition, or remains where one fails, is overruled by another that fails.
    let mut other = None;
    for index in conditions {
        match broken_by(asked, &Condition::new(model, index), &rounds) {
            Some(found) if is_final(&found.verdict) => return Some(found),
            Some(found) => other = other.or(Some(found)),
            None => {}
        }
    }
    other
}

/// Whether no other condition has a say.
fn is_final(verdict: &Verdict) -> bool {
    matches!(verdict, Verdict::Undefined(_) | Verdict::Error(_))
}

/// As [`broken`], of one condition.
fn broken_by(
    asked: Asked<'_>,
    condition: &Condition<'_>,
    rounds: &OnceCell<Option<EventGraph>>,
) -> Option<Found> {
    let graph = asked.problem.graph;
    if !meetings::may_fail(graph, condition) {
        return None;
    }
    // No round that only waits has operations on barriers.
    let accesses = |graph: &EventGraph| {
        let ends = condition.ends(graph).all();
        ends.iter().filter(|&id| graph.event(id).is_memory()).count()
    };
    let within = accesses(graph);
    let rounds = match within {
        0 => None,
        _ => rounds.get_or_init(|| rounds_of_waits(asked)).as_ref(),
    };
    let rounds = rounds.filter(|rounds| accesses(rounds) > within);
    let whole = rounds.unwrap_or(graph);
    let find = |graph: &EventGraph| condition.fails(asked.on(graph));
    let in_a_round = || Some(Found::elsewhere((find(rounds?)?, rounds?.clone())));
    let found = match find(graph).map(Found::here).or_else(in_a_round) {
        Some(found) => Some(found),
        None if condition.lasting == Lasting::AtEnd => None,
        None if condition.barrier_pairs.is_some() => {
            meetings::verdict(asked, condition).map(Found::here)
        }
        None => {
            let before = prefix::before_waits(whole);
            prefix::first_found(before, find, undecided_before_waits).map(Found::elsewhere)
        }
    }?;
    let is_undefined = matches!(found.verdict, Verdict::Undefined(_));
    let remains = if is_undefined { survival::verdict(asked, condition) } else { None };
    Some(remains.map_or(found, Found::here))
}

/// The events with one more round of loops that only wait.
fn rounds_of_waits(asked: Asked<'_>) -> Option<EventGraph> {
    let Asked { test, problem: Problem { graph, model }, settings, .. } = asked;
    let may_matter = waits(graph) && !waits_at_mbarriers(graph);
    may_matter.then(|| with_rounds(test, model, settings))
}

/// Whether each cut thread waits in a loop that only reads mbarriers: rules of their own say how
/// these are used.
fn waits_at_mbarriers(graph: &EventGraph) -> bool {
    let is_mbarrier = |piece: EventId| graph.event(piece).marks.mbarrier;
    let polls = |cut: &Cut| cut.kind == CutKind::Spin && graph.polls(cut).all(is_mbarrier);
    graph.cuts.iter().all(polls)
}
