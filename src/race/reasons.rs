//! Races into explained races: what is missing of an order, and the path that comes closest to one. The
//! model is evaluated once on each execution.

use super::missing::{Gap, Missing, Orders, missing};
use super::near::NearMiss;
use super::paths::{Evaluated, nearest_by};
use super::{Race, is_mixed, race_of};
use crate::bitrel::Rel;
use crate::execution::build::{Choices, Execution};
use crate::id::EventId;
use crate::relation::eval::evaluate_roots;
use crate::relation::expr::Model;
use crate::solve::{Pairs, Problem};
use std::cell::OnceCell;
use std::sync::Arc;

/// A race with the reasons for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedRace {
    /// The race.
    pub race: Race,
    /// The reasons why its accesses are not ordered in the execution.
    pub missing: Vec<Missing>,
    /// The path that comes closest to ordering the two accesses in the execution, in either direction.
    pub near: Option<NearMiss>,
}

/// Races with the reasons for them, in few executions. A race is shown in the execution of an earlier race
/// if it happens there, too, and no more is missing than in its own execution.
#[must_use]
pub fn explained(problem: Problem<'_>, races: Vec<Race>) -> Vec<ExplainedRace> {
    let mut shown: Vec<Shown<'_>> = Vec::new();
    let mut out = Vec::with_capacity(races.len());
    for race in races {
        if let Some(shared) = shown.iter().find_map(|here| here.shared(&race)) {
            out.push(shared);
            continue;
        }
        let Some(own) = Shown::new(problem, &race.choices) else {
            out.push(ExplainedRace { race, missing: Vec::new(), near: None });
            continue;
        };
        out.push(own.explained(race));
        shown.push(own);
    }
    out
}

/// The races of one execution, with the reasons for them.
#[must_use]
pub fn explained_here(
    model: &Model,
    execution: &Execution<'_>,
    races: Vec<Race>,
) -> Vec<ExplainedRace> {
    let reasons = Reasons::new(model, execution);
    races.into_iter().map(|race| reasons.explained(execution, race)).collect()
}

/// The races that the execution shows as well as any: in another one, a read could not take the value that
/// would order the two.
pub(super) fn plain(model: &Model, execution: &Execution<'_>, races: Vec<Race>) -> Vec<Race> {
    let orders = OnceCell::new();
    let is_plain = |race: &Race| {
        let orders = orders.get_or_init(|| Orders::new(model, execution));
        !has_unread(&missing(execution, orders, race.events))
    };
    races.into_iter().filter(is_plain).collect()
}

/// What a model says of the order of events in an execution.
struct Reasons {
    orders: Orders,
    paths: Option<Evaluated>,
}

impl Reasons {
    fn new(model: &Model, execution: &Execution<'_>) -> Self {
        Self { orders: Orders::new(model, execution), paths: Evaluated::new(model, execution) }
    }

    fn explained(&self, execution: &Execution<'_>, race: Race) -> ExplainedRace {
        let (a, b) = race.events;
        let missing = missing(execution, &self.orders, (a, b));
        let paths = self.paths.as_ref();
        let near = paths.and_then(|known| nearest_by(known, execution, [(a, b), (b, a)]));
        ExplainedRace { race, missing, near }
    }
}

/// An execution in which races are shown.
struct Shown<'g> {
    problem: Problem<'g>,
    execution: Execution<'g>,
    choices: Arc<Choices>,
    races: Rel,
    reasons: Reasons,
}

impl<'g> Shown<'g> {
    /// `None` if the choices make no execution, or the model has no races.
    fn new(problem: Problem<'g>, choices: &Arc<Choices>) -> Option<Self> {
        let Problem { graph, model } = problem;
        let relation = model.definition(Pairs::RACE)?;
        let execution = Execution::build(graph, (**choices).clone()).ok()?;
        let values = evaluate_roots(&model.arena, &[relation], &execution);
        let races = values.relation(relation).clone();
        let reasons = Reasons::new(model, &execution);
        Some(Self { problem, execution, choices: Arc::clone(choices), races, reasons })
    }

    fn explained(&self, race: Race) -> ExplainedRace {
        self.reasons.explained(&self.execution, race)
    }

    /// A race of another execution, if it happens here and no more is missing.
    fn shared(&self, race: &Race) -> Option<ExplainedRace> {
        let graph = self.problem.graph;
        let [a, b] = [race.accesses.0, race.accesses.1].map(|id| graph.one_of_all_ways(id));
        let kind = Pairs::RaceBetween(a, b);
        let is_it = |&(a, b): &(EventId, EventId)| {
            is_mixed(graph, a, b) == race.mixed && kind.counts(graph, a, b)
        };
        let pair = self.races.iter_pairs().find(is_it)?;
        let here = self.explained(race_of(graph, pair, Arc::clone(&self.choices)));
        let own = || {
            let own = Self::new(self.problem, &race.choices)?;
            Some(own.explained(race.clone()))
        };
        let is_better = |own: &ExplainedRace| !has_unread(&own.missing);
        (!has_unread(&here.missing) || !own().as_ref().is_some_and(is_better)).then_some(here)
    }
}

/// Whether two accesses would be ordered if a read took its value from another write.
fn has_unread(missing: &[Missing]) -> bool {
    missing.iter().any(|one| matches!(one, Missing::Link { gap: Gap::Unread, .. }))
}
