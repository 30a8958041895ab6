//! What a failed condition leaves of the model: the axioms with its clauses hold all the same.
//!
//! A mixed-size race voids all axioms but that on atomics, which its own clause has (PTX-8.7.2):
//! what this axiom excludes is forbidden even there.

use super::Settings;
use super::asked::Asked;
use super::condition::{goal_of, reached, witnessed};
use super::definedness::Condition;
use super::events::graph_of;
use crate::event::unfold::Tearing;
use crate::program::reading::MixedRace;
use crate::relation::expr::{Axiom, AxiomKind, AxiomRole, Model, Node};
use crate::solve::{Core, Problem};
use crate::verdict::{Decided, Undecided, Verdict};
use crate::vocabulary::Sort;

/// The verdict that remains although some execution fails the condition; `None` if the program is
/// undefined.
pub(super) fn verdict(asked: Asked<'_>, condition: &Condition<'_>) -> Option<Verdict> {
    let survives = |axiom: &Axiom| {
        let shared = |clause| condition.axiom.clauses.contains(clause);
        axiom.role == AxiomRole::Required && axiom.clauses.iter().any(shared)
    };
    if asked.settings.readings.mixed_race == MixedRace::Execution && condition.is_of_mixed_sizes {
        return Some(failing_executions(asked, condition).unwrap_or_else(|| reached(asked)));
    }
    if !asked.problem.model.axioms.iter().any(survives) {
        return None;
    }
    match excluded_by(asked, &survives) {
        Ok(Some(core)) => Some(Verdict::Forbidden(Core { despite_race: true, ..core })),
        Ok(None) => None,
        Err(why) => Some(Verdict::Unknown(why)),
    }
}

/// The verdict if a failure voids only its own executions (the other side of reading V24). Allowed
/// by an execution that satisfies the condition, undefined if every execution with the outcome fails
/// it. `None` if no execution has the outcome.
fn failing_executions(asked: Asked<'_>, condition: &Condition<'_>) -> Option<Verdict> {
    let (problem, goal) = (asked.problem, goal_of(asked.test.quantifier));
    let calm = requiring(problem.model, condition.axiom);
    let failing = match asked.under(&calm).find(goal) {
        Ok(Decided::Yes(choices)) => return Some(witnessed(problem, goal, *choices)),
        Ok(Decided::No(_)) => asked.find(goal),
        Err(why) => Err(why),
    };
    match failing {
        Ok(Decided::Yes(choices)) => Some(condition.confirmed(problem.graph, choices)),
        Ok(Decided::No(_)) => None,
        Err(why) => Some(Verdict::Unknown(why)),
    }
}

/// The model, of which executions have to satisfy a condition.
fn requiring(model: &Model, condition: &Axiom) -> Model {
    let mut out = model.clone();
    let conditions = out.axioms.iter_mut().filter(|axiom| axiom.name == condition.name);
    conditions.for_each(|axiom| axiom.role = AxiomRole::Required);
    out
}

/// Whether the axioms that survive alone exclude the outcome (reading V24). `None` too if values
/// exclude it without any axiom.
///
/// No other axiom holds, so every access may tear at every byte.
fn excluded_by(
    asked: Asked<'_>,
    survives: &dyn Fn(&Axiom) -> bool,
) -> Result<Option<Core>, Undecided> {
    let Asked { test, problem: Problem { model, .. }, settings, .. } = asked;
    let settings = Settings { tearing: Tearing::Byte, ..settings };
    let graph = graph_of(test, model, settings);
    let excluded = |keep: &dyn Fn(&Axiom) -> bool| {
        let mut model = model.clone();
        let nothing = model.arena.add(Node::Empty(Sort::Relation));
        for axiom in model.axioms.iter_mut().filter(|axiom| !keep(axiom)) {
            (axiom.node, axiom.kind, axiom.negated) = (nothing, AxiomKind::Empty, false);
        }
        let asked = Asked { settings, ..asked.on(&graph).under(&model) };
        match asked.find(goal_of(test.quantifier))? {
            Decided::No(core) => match asked.cut() {
                Some(why) => Err(why),
                None => Ok(Some(core)),
            },
            Decided::Yes(_) => Ok(None),
        }
    };
    let core = excluded(survives)?;
    Ok(if core.is_some() && excluded(&|_| false)?.is_none() { core } else { None })
}
