//! The pipeline: one test and one model in, one outcome out.

mod asked;
mod barrier_reasons;
mod barrier_skeleton;
mod barriers;
mod bound;
mod condition;
mod condition_rules;
mod cut;
mod deadlock;
mod definedness;
mod departures;
mod ends;
mod events;
mod features;
mod halts;
mod hang;
mod idempotent;
mod limits;
mod mbarrier_overwritten;
mod meetings;
mod non_termination;
mod over_approximation;
mod prefix;
mod questions;
mod settings;
mod survival;
mod undefined_unless;
mod unreached;
mod vector_orders;
mod violation;
mod waits;

use crate::event::graph::EventGraph;
use crate::litmus::ast::Test;
use crate::race::{self, Races};
use crate::relation::expr::Model;
use crate::rule::Unsupported;
use crate::solve::{Engine, Problem, States};
use crate::verdict::{Undecided, Verdict};
use bound::bounded;
use departures::up_to_departures;
use limits::{TimeLimited, too_large};

pub use condition::{SINGLE_COPY, confirm, goal_of, verify};
pub use cut::cut;
#[cfg(feature = "cli")]
pub(crate) use events::edition;
pub use events::{graph_of, graph_with_rounds};
#[cfg(feature = "cli")]
pub(crate) use features::lacking_features;
pub use hang::{Hang, HangKind, Hanging, Status, Stop, WaitCause, WaitFor, hang};
pub use over_approximation::{SoundDependence, unlisted};
pub use settings::Settings;
pub use unreached::{Effect, Unreached, unreached};

/// The outcome of checking a test.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Outcome {
    /// The verdict on the outcome in question: the proposition of `exists` and `~exists`, its
    /// negation for `forall`.
    pub verdict: Verdict,
    /// Whether the quantified condition is satisfied.
    pub holds: Option<bool>,
    /// The events to which verdicts and witnesses refer.
    #[doc(hidden)]
    pub graph: EventGraph,
    /// How often loop bodies were executed at most, after raising the bound.
    pub bound: u8,
}

/// Decides a test; if the bound on loops cuts the answer off and the settings allow it, with a
/// higher bound.
#[must_use]
pub fn check(test: &Test, model: &Model, engine: &dyn Engine, settings: Settings) -> Outcome {
    let outcome = checked(test, model, engine, settings);
    let (Verdict::Allowed(_) | Verdict::Forbidden(_), Some(why)) =
        (&outcome.verdict, of_part(test, outcome.verdict.kind().name()))
    else {
        return outcome;
    };
    Outcome { verdict: Verdict::Unknown(why), holds: None, ..outcome }
}

/// The reason why an answer about the threads of a test is none about its launches; `None` where the test
/// has all their threads. `answer` is what holds of these threads.
#[must_use]
pub fn of_part(test: &Test, answer: &'static str) -> Option<Undecided> {
    let (of, threads) = (test.partial_launch()?.threads, test.threads.len());
    Some(Undecided::Unsupported(Unsupported::Representatives { verdict: answer, threads, of }))
}

/// As [`check`], for the threads that the test has.
fn checked(test: &Test, model: &Model, engine: &dyn Engine, settings: Settings) -> Outcome {
    let timed = TimeLimited::new(engine, settings);
    let engine = SoundDependence(&timed);
    let outcome = bounded(test, model, &engine, settings);
    if !outcome.graph.some_orders {
        return outcome;
    }
    let without = vector_orders::without_order(model, &outcome.graph, settings);
    vector_orders::decided_by_orders(
        outcome,
        without.map(|settings| bounded(test, model, &engine, settings)),
    )
}

/// All final states of a test.
///
/// # Errors
/// When the engine cannot list them for this model or program.
pub fn states(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
) -> Result<(States, EventGraph), Unsupported> {
    let graph = graph_of(test, model, settings);
    let problem = Problem { graph: &graph, model };
    if let Some(why) = too_large(&graph) {
        return Err(why);
    }
    if graph.some_orders {
        return Err(Unsupported::ManyOrders);
    }
    let states = engine.states(problem, settings.budget)?;
    Ok((states, graph))
}

/// The data races of a test, with its events. These are races in executions that end or are cut; if
/// there are none, races before possible infinite waits. Threads go no further than to instructions
/// that are not followed: a race behind one may be none.
///
/// # Errors
/// As [`race::races`]; too large a program is unknown.
pub fn races(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
) -> Result<(Races, EventGraph), Verdict> {
    let graph = up_to_departures(graph_with_rounds(test, model, settings));
    let timed = TimeLimited::new(engine, settings);
    let engine = SoundDependence(&timed);
    let all = |graph: &EventGraph| race::races(Problem { graph, model }, &engine, settings.budget);
    let mut races = all(&graph)?;
    if graph.some_orders {
        let why = Undecided::Unsupported(Unsupported::ManyOrders);
        races.open.get_or_insert(why);
    }
    if races.list.is_empty() && too_large(&graph).is_none() {
        // A beginning that is only possible has no execution that could be shown.
        for before in prefix::before_waits(&graph).filter_map(prefix::Prefix::certain) {
            let mut found = all(&before)?;
            if !found.list.is_empty() {
                found.open = found.open.or(races.open);
                return Ok((found, before));
            }
        }
    }
    Ok((races, graph))
}
