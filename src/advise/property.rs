//! Properties that a changed test must have, and their checks. There is a quick check by one query
//! to an engine, and a confirmation by all analyses of `check`.
//!
//! A quick failure comes with a verified execution. A quick success is only a hint.

use crate::budget::Deadline;
use crate::check::{self, Hang, HangKind, Hanging, Settings, SoundDependence};
use crate::event::graph::EventGraph;
use crate::execution::build::Choices;
use crate::litmus::ast::Test;
use crate::race;
use crate::relation::expr::Model;
use crate::solve::{Engine, Goal, Pairs, Problem};
use crate::source::Span;
use crate::verdict::{Decided, Kind, Undecided, Verdict};
use std::collections::BTreeSet;
use std::time::Duration;

/// The required property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Whether the outcome in question must be excluded.
    pub excluded: bool,
    /// The races that may be, as pairs of statements; `None` where races do not matter.
    pub races: Option<BTreeSet<[Span; 2]>>,
    /// Whether every execution must end.
    pub ends: bool,
}

/// A violation of the property by a program.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Which of the tests.
    pub test: usize,
    /// The kind of violation.
    pub fault: Fault,
    /// The events of the changed test.
    pub graph: EventGraph,
    /// The execution, where there is one.
    pub choices: Option<Box<Choices>>,
    /// Of a hang, where each thread stops.
    pub stops: Vec<check::Status>,
}

impl Failure {
    /// The execution that hangs, of a hang.
    #[must_use]
    pub fn hanging(&self) -> Option<Hanging> {
        let (graph, choices) = (self.graph.clone(), self.choices.clone());
        let is_hang = self.fault == Fault::Hang;
        is_hang.then(|| Hanging { graph, choices, threads: self.stops.clone() })
    }
}

/// A kind of violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The program has the outcome in question.
    Outcome,
    /// Two statements race.
    Race([Span; 2]),
    /// The program may hang.
    Hang,
    /// The program has no meaning, or none of its executions ends; its verdict has another kind.
    Void(Kind),
}

impl Fault {
    /// A name that is stable across versions.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Outcome => "outcome",
            Self::Race(_) => "race",
            Self::Hang => "hang",
            Self::Void(kind) => kind.name(),
        }
    }

    /// Whether, by the laws, a stronger program has the fault only if each weaker one has it.
    #[must_use]
    pub fn is_lawful(self) -> bool {
        !matches!(self, Self::Void(_))
    }
}

/// The result of checking a property.
#[derive(Clone, Debug)]
pub enum Probe {
    /// The property is violated.
    Fails(Box<Failure>),
    /// The property holds, as far as checked.
    Holds,
    /// Nobody could tell.
    Unknown(Undecided),
}

/// Who is asked, and how.
#[derive(Clone, Copy)]
pub struct Asking<'a> {
    /// The model.
    pub model: &'a Model,
    /// The engine.
    pub engine: &'a dyn Engine,
    /// How tests are checked, but for the time.
    pub settings: Settings,
    /// When the time for all questions together is over.
    pub end: Option<Deadline>,
}

impl Asking<'_> {
    /// The settings for a check that starts now, limited to the remaining time. If no time is left,
    /// the budget is a single step, so that the engine gives up.
    #[must_use]
    pub fn now(&self) -> Settings {
        let budget = self.settings.budget;
        let left =
            budget.until(self.end).unwrap_or(budget.within(Duration::from_millis(1)).at_most(1));
        self.settings.with_budget(left)
    }
}

impl Property {
    /// A quick look at tests: a failure is one, and that there is none is a hint.
    #[must_use]
    pub fn hint(&self, tests: &[Test], asking: Asking<'_>) -> Probe {
        for (index, test) in tests.iter().enumerate() {
            let probes = [
                self.excluded.then(|| has_outcome(index, test, asking)),
                self.races.as_ref().and_then(|known| has_race(index, test, known, asking)),
                // Beside other questions, a hang is the last to look for.
                self.is_about_hangs_alone().then(|| self.confirm_one(index, test, asking)),
            ];
            for probe in probes.into_iter().flatten() {
                match probe {
                    Probe::Holds => {}
                    other => return other,
                }
            }
        }
        Probe::Holds
    }

    fn is_about_hangs_alone(&self) -> bool {
        self.ends && !self.excluded && self.races.is_none()
    }

    /// All that there is to know.
    #[must_use]
    pub fn confirm(&self, tests: &[Test], asking: Asking<'_>) -> Probe {
        for (index, test) in tests.iter().enumerate() {
            match self.confirm_one(index, test, asking) {
                Probe::Holds => {}
                other => return other,
            }
        }
        Probe::Holds
    }

    fn confirm_one(&self, index: usize, test: &Test, asking: Asking<'_>) -> Probe {
        let Asking { model, engine, .. } = asking;
        let outcome = check::check(test, model, engine, asking.now());
        let fails = |fault, graph, choices: Option<&Choices>| {
            let (choices, stops) = (choices.cloned().map(Box::new), Vec::new());
            Probe::Fails(Box::new(Failure { test: index, fault, graph, choices, stops }))
        };
        match (&outcome.verdict, outcome.verdict.kind()) {
            (Verdict::Unknown(why), _) => return Probe::Unknown(why.clone()),
            (verdict, Kind::Allowed) if self.excluded => {
                let choices = verdict.choices().cloned();
                return fails(Fault::Outcome, outcome.graph, choices.as_ref());
            }
            // What excludes every outcome repairs nothing.
            (Verdict::Forbidden(core), _) if !core.endless.is_empty() => {
                return fails(Fault::Void(Kind::Deadlock), outcome.graph, None);
            }
            (_, Kind::Allowed | Kind::Forbidden) => {}
            (verdict, kind) => {
                let choices = verdict.choices().cloned();
                return fails(Fault::Void(kind), outcome.graph, choices.as_ref());
            }
        }
        let settings = || asking.now().with_bound(outcome.bound);
        if let Some(known) = &self.races {
            match check::races(test, model, engine, settings()) {
                Ok((races, graph)) => {
                    let pair = |race: &race::Race| race::spans(&graph, race);
                    if let Some(new) = races.list.iter().find(|race| !known.contains(&pair(race))) {
                        let (fault, choices) = (Fault::Race(pair(new)), new.choices.clone());
                        return fails(fault, graph, Some(&choices));
                    }
                    let problem = Problem { graph: &outcome.graph, model };
                    let cut = || check::cut(test, problem, &SoundDependence(engine), settings());
                    if let Some(why) = races.open.or_else(cut) {
                        return Probe::Unknown(why);
                    }
                }
                Err(Verdict::Unknown(why)) => return Probe::Unknown(why),
                Err(verdict) => return fails(Fault::Void(verdict.kind()), outcome.graph, None),
            }
        }
        if self.ends {
            let hang = check::hang(test, model, engine, settings(), &outcome);
            match hang.kind() {
                HangKind::Never => {}
                HangKind::Possible => {
                    let Hang::Possible(hanging) = hang else { return Probe::Holds };
                    let Hanging { graph, choices, threads: stops } = *hanging;
                    let fault = Fault::Hang;
                    let failure = Failure { test: index, fault, graph, choices, stops };
                    return Probe::Fails(Box::new(failure));
                }
                HangKind::Unknown => {
                    let Hang::Unknown(why) = hang else { return Probe::Holds };
                    return Probe::Unknown(why);
                }
            }
        }
        Probe::Holds
    }
}

/// Checks whether an execution within the bound has the outcome in question.
fn has_outcome(index: usize, test: &Test, asking: Asking<'_>) -> Probe {
    let graph = check::graph_of(test, asking.model, asking.now());
    let goal = check::goal_of(test.quantifier);
    found(index, graph, goal, Fault::Outcome, asking)
}

/// Checks whether an execution has a race that is not admitted; `None` if the model does not define
/// races.
fn has_race(
    index: usize,
    test: &Test,
    known: &BTreeSet<[Span; 2]>,
    asking: Asking<'_>,
) -> Option<Probe> {
    let Asking { model, engine, .. } = asking;
    model.definition(Pairs::RACE)?;
    let graph = check::graph_with_rounds(test, model, asking.now());
    let problem = Problem { graph: &graph, model };
    let race = race::find(problem, Pairs::Race, engine, asking.now().budget);
    Some(match race {
        Ok(None) => Probe::Holds,
        Ok(Some(race)) if !known.contains(&race::spans(&graph, &race)) => {
            let fault = Fault::Race(race::spans(&graph, &race));
            let choices = Some(Box::new(Choices::clone(&race.choices)));
            fails(index, fault, graph, choices)
        }
        // An admitted race says nothing about other races.
        Ok(Some(_)) => match check::races(test, model, engine, asking.now()) {
            Ok((races, graph)) => {
                let pair = |race: &race::Race| race::spans(&graph, race);
                let new = races.list.iter().find(|race| !known.contains(&pair(race)));
                let choices = |race: &race::Race| Some(Box::new(Choices::clone(&race.choices)));
                match new.map(|race| (Fault::Race(pair(race)), choices(race))) {
                    Some((fault, choices)) => fails(index, fault, graph, choices),
                    None => Probe::Holds,
                }
            }
            Err(_) => Probe::Holds,
        },
        Err(Verdict::Unknown(why)) => Probe::Unknown(why),
        Err(verdict) => {
            let fault = Fault::Void(verdict.kind());
            fails(index, fault, graph, None)
        }
    })
}

/// A test has a fault, in an execution in which no thread waits for ever.
fn fails(index: usize, fault: Fault, graph: EventGraph, choices: Option<Box<Choices>>) -> Probe {
    Probe::Fails(Box::new(Failure { test: index, fault, graph, choices, stops: Vec::new() }))
}

fn found(index: usize, graph: EventGraph, goal: Goal, fault: Fault, asking: Asking<'_>) -> Probe {
    let problem = Problem { graph: &graph, model: asking.model };
    match asking.engine.find(problem, goal, asking.now().budget).decided() {
        Ok(Decided::No(_)) => Probe::Holds,
        Ok(Decided::Yes(choices)) => match check::verify(problem, goal, &choices) {
            Ok(result) if result.is_consistent() => {
                let choices = Some(choices);
                fails(index, fault, graph, choices)
            }
            // `check` reports the error of the engine.
            _ => Probe::Holds,
        },
        Err(why) => Probe::Unknown(why),
    }
}
