//! Undefined behaviour, and uses outside of the model, as violations of the event graph.

use super::asked::{Asked, Found, undecided_before_waits};
use super::events::{waits, with_rounds};
use super::limits::too_large;
use super::prefix;
use crate::event::graph::{EventGraph, Violation};
use crate::execution::build::{Choices, Execution};
use crate::solve::Goal;
use crate::source::Span;
use crate::verdict::{Decided, Reason, Verdict};
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Undefined behaviour in some execution within the bound, which voids all other verdicts.
pub(super) fn within_the_bound(asked: Asked<'_>) -> Option<Found> {
    violation(asked).map(Found::here)
}

/// The verdict on undefined behaviour in some execution.
pub(super) fn violation(asked: Asked<'_>) -> Option<Verdict> {
    match violated(asked) {
        Ok(found) => found
            .map(|(index, choices)| verdict_on(&asked.problem.graph.violations[index], choices)),
        Err(why) => Some(why),
    }
}

/// The first violation that some execution has, with such an execution.
///
/// # Errors
/// The verdict that the engine has found no answer.
fn violated(asked: Asked<'_>) -> Result<Option<(usize, Box<Choices>)>, Verdict> {
    let graph = asked.problem.graph;
    let violations = &graph.violations;
    let alike = |index: usize| {
        violations[..index]
            .iter()
            .all(|v| v.is_out_of_model() == violations[index].is_out_of_model())
    };
    // One question about all violations usually answers that there is none. If one is found, the
    // violations before it are asked for.
    let mut among = Cow::Borrowed(graph);
    let mut found: Option<(usize, Box<Choices>)> = None;
    while found.as_ref().map_or(!violations.is_empty(), |&(index, _)| index > 0) {
        let choices = match asked.on(&among).find(Goal::AnyViolation) {
            Ok(Decided::Yes(choices)) => choices,
            Ok(Decided::No(_)) => break,
            // An earlier violation may give the same verdict.
            Err(_) if found.as_ref().is_some_and(|&(index, _)| alike(index)) => break,
            Err(why) => return Err(Verdict::Unknown(why)),
        };
        let execution = Execution::build(&among, (*choices).clone()).ok();
        let happens = |v: &Violation| execution.as_ref().is_some_and(|e| e.holds(v.guard));
        let Some(first) = among.violations.iter().position(happens) else {
            let what = "the engine's choices make no execution with undefined behaviour";
            return Err(Verdict::Error(what.to_owned()));
        };
        found = Some((first, choices));
        let among = among.to_mut();
        let never = among.exprs.truth(false);
        among.violations[first..].iter_mut().for_each(|violation| violation.guard = never);
    }
    Ok(found)
}

/// The verdict on a violation, in an execution of these choices.
fn verdict_on(violation: &Violation, choices: Box<Choices>) -> Verdict {
    let rule = violation.rule.clone().expect("a question is no undefined behaviour");
    let spans = vec![violation.span];
    let reason = Reason { rule, spans, choices: Some(choices) };
    if violation.is_out_of_model() {
        Verdict::OutOfModel(reason)
    } else {
        Verdict::Undefined(reason)
    }
}

/// Undefined behaviour in a round of a loop that only waits. Executions in which every thread ends
/// leave such rounds out, so that questions about terminating executions miss it.
///
/// Violations on mbarriers are left out: proving that the rounds commit none takes all orders of
/// all operations, which costs seconds for pipelines.
pub(super) fn in_a_round(asked: Asked<'_>) -> Option<Found> {
    let graph = asked.problem.graph;
    if !waits(graph) {
        return None;
    }
    let of_mbarriers = graph.events.iter().filter(|event| event.marks.mbarrier);
    let of_mbarriers: BTreeSet<Span> = of_mbarriers.map(|event| event.span).collect();
    let counts = |v: &Violation| !of_mbarriers.contains(&v.span);
    if !graph.violations.iter().any(counts) || !Goal::AnyViolation.needs_end(graph) {
        return None;
    }
    let mut rounds = with_rounds(asked.test, asked.problem.model, asked.settings);
    rounds.violations.retain(counts);
    let verdict = violation(asked.on(&rounds))?;
    Some(Found::elsewhere((verdict, rounds)))
}

/// Undefined behaviour before threads may wait for ever, at barriers or for a thread that stays in
/// a loop.
pub(super) fn before_a_wait(asked: Asked<'_>) -> Option<Found> {
    let graph = asked.problem.graph;
    let nobody_waits = graph.barriers.is_empty() && graph.api_edges.is_empty();
    if nobody_waits || graph.violations.is_empty() || too_large(graph).is_some() {
        return None;
    }
    let find = |graph: &EventGraph| violation(asked.on(graph));
    prefix::first_found(prefix::before_waits(graph), find, undecided_before_waits)
        .map(Found::elsewhere)
}
