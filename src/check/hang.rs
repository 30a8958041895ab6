//! Hangs: executions that the model admits and in which no event is left to happen, though not
//! every thread ends. Each thread that does not end waits at a barrier that is never complete,
//! waits in a loop for a value that no thread writes any more, or is left by a scheduler that owes
//! it no step.
//!
//! The question is asked of the prefixes of executions ([`super::prefix`]) in which barriers and
//! a scheduler hold threads. A barrier is never complete because all threads that do not end stay
//! where they are. A loop is never left because its polls read the same values for ever
//! ([`polls`]). The scheduler keeps its progress guarantee ([`super::halts`]): if one thread is
//! abandoned, another one goes on. Threads that wait in loops take steps; threads that wait at
//! barriers take none.

mod circle;
mod clocks;
mod endless;
mod polls;

use super::asked::Asked;
use super::events::{graph_of, in_order};
use super::halts::{Halts, owes_nothing};
use super::limits::{TimeLimited, too_large};
use super::prefix::{Blocked, MOST_OPERATIONS, all_pass};
use super::waits::{Awaited, Wait};
use super::{Outcome, Settings, SoundDependence};
use crate::event::graph::{AgentKind, CutKind, EventGraph};
use crate::execution::build::{Choices, Execution};
use crate::id::{AgentId, BarrierId, EventId, ExprId};
use crate::litmus::ast::Test;
use crate::progress::Progress;
use crate::relation::expr::Model;
use crate::rule::Unsupported;
use crate::solve::{Engine, Problem};
use crate::source::Span;
use crate::verdict::{Undecided, Verdict};
use endless::{Endless, endless};

pub use circle::{WaitCause, WaitFor};

/// Whether a program may hang.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Hang {
    /// Every execution ends.
    Never,
    /// An execution hangs.
    Possible(Box<Hanging>),
    /// The question could not be decided.
    Unknown(Undecided),
}

/// The kinds of answers, as `Hang=` names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "described at Hang")]
pub enum HangKind {
    Never,
    Possible,
    Unknown,
}

impl HangKind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Never, Self::Possible, Self::Unknown];

    /// The word for the kind.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::Possible => "possible",
            Self::Unknown => "unknown",
        }
    }

    /// The kind that a word stands for.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let wanted = name.trim().to_ascii_lowercase();
        Self::ALL.into_iter().find(|kind| kind.name() == wanted)
    }
}

impl Hang {
    /// The kind of the answer.
    #[must_use]
    pub fn kind(&self) -> HangKind {
        match self {
            Self::Never => HangKind::Never,
            Self::Possible(_) => HangKind::Possible,
            Self::Unknown(_) => HangKind::Unknown,
        }
    }

    /// The answer in words that say of which threads it holds behind them.
    pub(crate) fn among(&self) -> &'static str {
        match self {
            Self::Never => "no hang",
            Self::Possible(_) => "a hang",
            Self::Unknown(_) => "hangs are unknown",
        }
    }
}

/// An execution that hangs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Hanging {
    /// The events up to the places of the threads.
    pub graph: EventGraph,
    /// The engine's choices for the execution. `None` if no execution ends, but none that hangs was
    /// found.
    pub choices: Option<Box<Choices>>,
    /// The place of each thread in that execution, in the order of the test.
    pub threads: Vec<Status>,
}

/// The place of a thread in an execution that hangs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The thread.
    pub agent: AgentId,
    /// The way in which it has stopped.
    pub stop: Stop,
}

/// The way in which a thread has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stop {
    /// The thread has ended.
    Ended,
    /// The thread waits at a barrier operation, an index into [`EventGraph::barriers`].
    AtBarrier(BarrierId),
    /// The thread waits in the loop that this branch closes, and polls with these reads.
    InLoop {
        /// The branch.
        branch: Span,
        /// The reads of the last round that happen.
        polls: Vec<EventId>,
    },
    /// The thread waits before this event for a task that is never complete.
    BeforeTask(EventId),
    /// The scheduler has not started the thread.
    NotStarted,
    /// The scheduler abandons the thread before this event.
    Left(EventId),
}

/// The most events of a program with loops for which the question is asked.
const MOST_EVENTS: usize = 1000;

/// Whether a test may hang, given its verdict.
#[must_use]
pub fn hang(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
    outcome: &Outcome,
) -> Hang {
    let seen = &outcome.graph;
    if seen.cuts.is_empty() && seen.barriers.is_empty() {
        return Hang::Never;
    }
    // A verdict that took too long means that this question takes too long.
    if let Verdict::Unknown(why @ Undecided::Engine(_)) = &outcome.verdict {
        return Hang::Unknown(why.clone());
    }
    if seen.events.len() > MOST_EVENTS && !seen.cuts.is_empty() {
        let (events, most) = (seen.events.len(), MOST_EVENTS);
        return Hang::Unknown(Undecided::Unsupported(Unsupported::Events { events, most }));
    }
    let settings = settings.with_bound(outcome.bound);
    let mut graph = graph_of(test, model, settings);
    graph.filter = graph.exprs.truth(true);
    let timed = TimeLimited::new(engine, settings);
    let engine = &SoundDependence(&timed);
    let asked = Asked { test, problem: Problem { graph: &graph, model }, engine, settings };
    let answer = answer(asked).unwrap_or_else(Hang::Unknown);
    match &outcome.verdict {
        // No execution ends, so one hangs.
        Verdict::Forbidden(core) if core.endless.is_empty() => answer,
        Verdict::Deadlock(_) | Verdict::Forbidden(_) if answer.kind() == HangKind::Unknown => {
            Hang::Possible(Box::new(Hanging { graph, choices: None, threads: Vec::new() }))
        }
        _ => answer,
    }
}

/// The formulas of a hang, over the events of prefixes.
struct Formulas {
    stays: Blocked,
    /// A prefix hangs.
    certain: ExprId,
    /// A prefix may hang: an over-approximation.
    possible: ExprId,
}

fn answer(asked: Asked<'_>) -> Result<Hang, Undecided> {
    let graph = asked.problem.graph;
    let live = graph.cuts.iter().filter(|cut| !graph.exprs.is_false(cut.guard));
    let loops = live.filter(|cut| cut.kind != CutKind::Idle).count() > 0;
    if !loops && (graph.barriers.is_empty() || all_pass(graph)) {
        return Ok(Hang::Never);
    }
    if let Some(why) = too_large(graph) {
        return Err(Undecided::Unsupported(why));
    }
    let operations = graph.barriers.len();
    if operations > MOST_OPERATIONS {
        let why = Unsupported::Waits { operations, most: MOST_OPERATIONS };
        return Err(Undecided::Unsupported(why));
    }
    let progress = if loops { asked.settings.progress } else { Progress::Fair };
    let halts = Halts::of(graph, asked.test, progress);
    let Formulas { stays, certain, possible } = formulas(graph, halts, progress);
    let prefixes = asked.on(&stays.graph);
    if prefixes.satisfying(possible)?.is_none() {
        return Ok(Hang::Never);
    }
    match prefixes.satisfying(certain)? {
        Some(choices) => {
            let mut hanging = stays.graph.clone();
            hanging.forget_cuts();
            let threads = statuses(graph, &stays, &hanging, &choices);
            let choices = Some(choices);
            Ok(Hang::Possible(Box::new(Hanging { graph: hanging, choices, threads })))
        }
        // Loops are cut, or it is not exactly known who waits.
        None => Err(asked.cut().unwrap_or(Undecided::Unsupported(Unsupported::WhoWaits))),
    }
}

/// The formulas of the hangs of a program, with a scheduler that may leave threads at these places.
fn formulas(graph: &EventGraph, halts: Halts, progress: Progress) -> Formulas {
    let steps_before = halts.steps_before.clone();
    let mut stays = Blocked::with_halts(graph, halts);
    let duty = duty(graph, &mut stays, progress, &steps_before);
    let (is_prefix, may_be_prefix) = (stays.is_prefix(), stays.may_be_prefix());
    let mut certain = stays.graph.exprs.and(is_prefix, duty);
    let mut possible = stays.graph.exprs.and(may_be_prefix, duty);
    let writes = stays.graph.writes_by_location();
    for Wait { what, when, .. } in stays.waits.clone() {
        let Endless { surely, perhaps } = endless(&mut stays, &writes, what);
        let exprs = &mut stays.graph.exprs;
        let surely = exprs.implies(when, surely);
        certain = exprs.and(certain, surely);
        let perhaps = exprs.implies(when, perhaps);
        possible = exprs.and(possible, perhaps);
    }
    let bounds = stays.graph.cuts.iter().filter(|cut| cut.kind == CutKind::Bound);
    let exprs = &mut stays.graph.exprs;
    let cut_off = bounds.fold(exprs.truth(false), |any, cut| exprs.or(any, cut.guard));
    let cut_off = exprs.and(may_be_prefix, cut_off);
    let possible = exprs.or(possible, cut_off);
    Formulas { stays, certain, possible }
}

/// The condition that some thread waits, and that the scheduler owes no thread a step. Of the pairs of
/// threads, the second one starts only when the first one has made a step.
fn duty(
    graph: &EventGraph,
    stays: &mut Blocked,
    progress: Progress,
    steps_before: &[(AgentId, AgentId)],
) -> ExprId {
    let exprs = &mut stays.graph.exprs;
    let spins = stays.graph.cuts.iter().filter(|cut| cut.kind == CutKind::Spin);
    let spins = spins.fold(exprs.truth(false), |any, cut| exprs.or(any, cut.guard));
    let waits = stays.stays.iter().fold(spins, |any, &here| exprs.or(any, here));
    let mut left = vec![exprs.truth(false); stays.held.len()];
    let mut some_left = exprs.truth(false);
    for wait in stays.waits.iter().filter(|wait| matches!(wait.what, Awaited::Step(_))) {
        let of_thread = &mut left[wait.agent.index()];
        *of_thread = exprs.or(*of_thread, wait.when);
        some_left = exprs.or(some_left, wait.when);
    }
    let mut goes_on = exprs.implies(some_left, spins);
    let threads = threads(graph);
    let acts = |agent: AgentId| graph.events.iter().any(|event| event.agent == agent);
    let held: Vec<ExprId> = threads.iter().map(|agent| stays.held[agent.index()]).collect();
    // That a thread without visible events has started is not observable.
    for &(first, then) in steps_before.iter().filter(|(_, then)| acts(*then)) {
        let [first, then] = [first, then].map(|agent| left[agent.index()]);
        let follows = exprs.implies(first, then);
        goes_on = exprs.and(goes_on, follows);
    }
    let left = threads.iter().map(|&agent| acts(agent).then_some(left[agent.index()]));
    let left: Vec<Option<ExprId>> = left.collect();
    let owes = owes_nothing(exprs, progress, &held, &left);
    let duty = exprs.and(goes_on, owes);
    exprs.and(waits, duty)
}

/// The places where threads wait for ever in an execution that hangs, under a scheduler that owes all
/// threads progress: branches of loops, and barrier operations. `None` if no execution is known to
/// hang.
///
/// # Errors
/// The reason if the engine cannot tell.
pub(super) fn places(asked: Asked<'_>) -> Result<Option<Vec<Span>>, Undecided> {
    let graph = asked.problem.graph;
    let Formulas { stays, certain, .. } = formulas(graph, Halts::nowhere(graph), Progress::Fair);
    let Some(choices) = asked.on(&stays.graph).satisfying(certain)? else { return Ok(None) };
    let mut hanging = stays.graph.clone();
    hanging.forget_cuts();
    let statuses = statuses(graph, &stays, &hanging, &choices);
    Ok(Some(in_order(statuses.iter().filter_map(|status| match status.stop {
        Stop::AtBarrier(b) => Some(graph.event(graph.barriers[b].event).span),
        Stop::InLoop { branch, .. } => Some(branch),
        Stop::Ended | Stop::BeforeTask(_) | Stop::NotStarted | Stop::Left(_) => None,
    }))))
}

/// The threads in the order of the test.
fn threads(graph: &EventGraph) -> Vec<AgentId> {
    let agents = (0..graph.agents.len()).map(AgentId::new);
    let is_thread =
        |agent: &AgentId| matches!(graph.agents[agent.index()].kind, AgentKind::Thread(..));
    agents.filter(is_thread).collect()
}

/// The places of the threads in an execution that hangs.
fn statuses(
    program: &EventGraph,
    stays: &Blocked,
    graph: &EventGraph,
    choices: &Choices,
) -> Vec<Status> {
    let Ok(execution) = Execution::build(graph, choices.clone()) else { return Vec::new() };
    let holds = |guard: ExprId| execution.truth(guard) == Some(true);
    let of = |agent: AgentId| {
        let mut own = stays.waits.iter().filter(|wait| wait.agent == agent);
        let happens = |id: EventId| holds(graph.event(id).guard);
        match own.find(|wait| holds(wait.when)).map(|wait| wait.what) {
            None => Stop::Ended,
            Some(Awaited::Phase(b)) => Stop::AtBarrier(b),
            Some(Awaited::Value(cut)) => {
                let cut = &stays.graph.cuts[cut];
                let polls = graph.polls(cut).filter(|&id| happens(id)).collect();
                Stop::InLoop { branch: cut.span, polls }
            }
            Some(Awaited::Task(later)) => Stop::BeforeTask(later),
            Some(Awaited::Step(at)) => {
                let mut own = program.ids().filter(|&id| program.event(id).agent == agent);
                if own.any(happens) { Stop::Left(at) } else { Stop::NotStarted }
            }
        }
    };
    threads(program).into_iter().map(|agent| Status { agent, stop: of(agent) }).collect()
}
