//! The verdict on the condition of a test that is defined.

use super::asked::Asked;
use super::events::{graph_of, spins, without_filter};
use super::{Settings, barriers, non_termination};
use crate::event::unfold::Tearing;
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::{Recheck, recheck};
use crate::litmus::ast::Quantifier;
use crate::relation::expr::Model;
use crate::solve::{Core, Goal, Problem};
use crate::verdict::{Decided, Verdict};

/// The question of a quantifier: the value of the proposition that is looked for.
#[must_use]
pub fn goal_of(quantifier: Quantifier) -> Goal {
    Goal::Condition(quantifier != Quantifier::Forall)
}

/// The verdict on a program that is defined.
pub(super) fn reached(asked: Asked<'_>) -> Verdict {
    let goal = goal_of(asked.test.quantifier);
    match asked.find(goal) {
        Ok(Decided::Yes(choices)) => witnessed(asked.problem, goal, *choices),
        Ok(Decided::No(core)) => match excluded(asked, core) {
            Verdict::Forbidden(core) if core.axioms.is_empty() && core.endless.is_empty() => {
                Verdict::Forbidden(if_torn(asked).unwrap_or(core))
            }
            other => other,
        },
        Err(why) => Verdict::Unknown(why),
    }
}

/// The most steps of an engine for an additional sentence in a reason.
const STEPS_FOR_A_SENTENCE: u64 = 1_000;

/// The most bytes in the accesses and initial writes of a program that gets such a sentence.
const MOST_BYTES: u32 = 64;

/// The reason why an outcome that no axiom excludes stays excluded if accesses may tear at every
/// byte. The reason is a set of axioms, or else the assumption of whole accesses (reading V10).
/// `None` if that is not found soon.
fn if_torn(asked: Asked<'_>) -> Option<Core> {
    let Asked { test, problem: Problem { graph, model }, settings, .. } = asked;
    let goal = goal_of(test.quantifier);
    let places = graph.events.iter().filter_map(|event| event.loc);
    let bytes: u32 = places.map(|loc| graph.locations[loc.index()].bytes).sum();
    if settings.tearing == Tearing::Byte || bytes > MOST_BYTES {
        return None;
    }
    let graph = graph_of(test, model, Settings { tearing: Tearing::Byte, ..settings });
    let budget = settings.budget.at_most(STEPS_FOR_A_SENTENCE);
    let torn = Asked { settings: settings.with_budget(budget), ..asked.on(&graph) };
    match torn.find(goal) {
        Ok(Decided::Yes(_)) => Some(Core { torn: true, ..Core::default() }),
        Ok(Decided::No(core)) if names_single_copy(model, &core) => {
            let weaker = model.without_axioms(&core.axioms);
            // Without these axioms, some execution has to have the outcome.
            let found = torn.under(&weaker).find(goal);
            matches!(found, Ok(Decided::Yes(_))).then_some(Core { torn: true, ..core })
        }
        Ok(Decided::No(_)) | Err(_) => None,
    }
}

/// Whether the clause on tearing (PTX-8.10.3) is among the axioms of a core.
fn names_single_copy(model: &Model, core: &Core) -> bool {
    let name = |&index: &usize| model.axioms[index].name.as_str();
    core.axioms.iter().any(|axiom| name(axiom) == SINGLE_COPY)
}

/// The name of the axiom that excludes torn accesses (PTX-8.10.3).
pub const SINGLE_COPY: &str = "Single-Copy-Atomicity";

/// The verdict on an allowed outcome, reported only after the model has been evaluated on its
/// execution.
pub(super) fn witnessed(problem: Problem<'_>, goal: Goal, choices: Choices) -> Verdict {
    match verify(problem, goal, &choices) {
        Ok(result) if result.is_consistent() => Verdict::Allowed(Box::new(choices)),
        Ok(result) => {
            let broken: Vec<&str> =
                result.broken.iter().map(|f| problem.model.axioms[f.axiom].name.as_str()).collect();
            Verdict::Error(format!(
                "the engine calls an execution consistent, but evaluating the model on it breaks {}",
                if broken.is_empty() { "total coherence".to_owned() } else { broken.join(", ") }
            ))
        }
        Err(message) => {
            Verdict::Error(format!("the engine's choices make no execution: {message}"))
        }
    }
}

/// Rebuilds an execution from choices and evaluates the model on it, without a solver.
///
/// # Errors
/// When the choices do not make an execution; the message says why.
pub fn verify(problem: Problem<'_>, goal: Goal, choices: &Choices) -> Result<Recheck, String> {
    let graph = problem.graph;
    let execution = Execution::build(graph, choices.clone()).map_err(|e| e.describe(graph))?;
    confirm(problem.model, goal, &execution)
}

/// As [`verify`], for an execution that has been built.
///
/// # Errors
/// When the execution does not reach the goal.
pub fn confirm(model: &Model, goal: Goal, execution: &Execution<'_>) -> Result<Recheck, String> {
    if !goal.is_reached(model, execution) {
        return Err("it does not have what was looked for".to_owned());
    }
    Ok(recheck(model, execution))
}

/// The verdict if no execution is found: the bound or a deadlock may be the cause.
fn excluded(asked: Asked<'_>, core: Core) -> Verdict {
    let graph = asked.problem.graph;
    if let Some(why) = asked.cut() {
        return Verdict::Unknown(why);
    }
    let (meets, endless) = (!graph.barriers.is_empty(), spins(graph));
    if !meets && endless.is_empty() {
        return Verdict::Forbidden(core);
    }
    // An execution that only the filter excludes is no deadlock.
    let unfiltered = without_filter(graph);
    let asked = asked.on(&unfiltered);
    match asked.find(Goal::Complete) {
        Ok(Decided::No(_)) => {}
        Ok(Decided::Yes(_)) => return Verdict::Forbidden(core),
        Err(why) => return Verdict::Unknown(why),
    }
    if endless.is_empty() {
        return barriers::stuck(asked, core);
    }
    non_termination::verdict(asked, core, endless)
}
