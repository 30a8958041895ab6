//! The pipeline: one test and one model in, one outcome out.

mod barrier_counts;
mod barrier_reuse;
mod barriers;
mod bound;
mod deadlock;
mod features;
mod halts;
mod hang;
mod idempotent;
mod lifetime;
mod mbarrier_overwritten;
mod mixed_size;
mod non_termination;
mod over_approximation;
mod prefix;
mod settings;
mod time;
mod undefined_unless;
mod vector_orders;

use crate::budget::Deadline;
use crate::event::barrier::{BarrierOp, BarrierRule};
use crate::event::graph::{CutKind, EventGraph, MOST_EVENTS, Violation};
use crate::event::unfold::{SCALAR_BYTES, Tearing, Unfolding, unfold};
use crate::execution::build::{Choices, Execution};
use crate::execution::recheck::{Recheck, recheck};
use crate::id::ObjectId;
use crate::litmus::ast::{Quantifier, Test};
use crate::program::lower::lower;
use crate::program::micro::Micro;
use crate::program::reading::VectorReading;
use crate::race::{self, Races};
use crate::relation::expr::{Model, Node};
use crate::relation::thin_air::thin_air;
use crate::rule::Unsupported;
use crate::solve::{Answer, Budget, Core, Engine, Goal, Problem, States, Why};
use crate::source::Span;
use crate::verdict::{BoundKind, Bounded, Decided, Reason, Undecided, Verdict};
use crate::vocabulary::BaseRel;
use std::borrow::Cow;
use std::collections::BTreeSet;

pub use bound::cut;
pub use hang::{Hang, HangKind, Hanging, Status, Stop, hang};
pub use over_approximation::{SoundDependence, unlisted};
pub use settings::Settings;

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

/// The event graph of a test under a model.
#[must_use]
pub fn graph_of(test: &Test, model: &Model, settings: Settings) -> EventGraph {
    unfolded_twice(test, model, settings, unfolding(model, settings))
}

/// The events of a test; they are unfolded again if some variables are found to be idempotent.
fn unfolded_twice(
    test: &Test,
    model: &Model,
    settings: Settings,
    unfolding: Unfolding,
) -> EventGraph {
    let graph = unfolded(test, model, settings, unfolding, &BTreeSet::new());
    let transparent = idempotent::objects(&graph, model);
    match transparent.is_empty() {
        true => graph,
        false => unfolded(test, model, settings, unfolding, &transparent),
    }
}

/// The options for unfolding programs under a model.
fn unfolding(model: &Model, settings: Settings) -> Unfolding {
    Unfolding {
        bound: settings.bound,
        spin_loops: model.forgets_reads(),
        by_values: model.mentioned().contains(&Node::Rel(BaseRel::ValueDep)),
        tearing: settings.tearing,
        widest_whole: match settings.readings.vector {
            VectorReading::Whole => VECTOR_BYTES,
            VectorReading::Ordered | VectorReading::Unordered => SCALAR_BYTES,
        },
        grounded: thin_air(model).is_some(),
        looks: false,
        skips: settings.skips,
        ahead: false,
        loose: settings.loose,
    }
}

/// The widest vector that is one operation under the reading that takes vectors as whole, in bytes.
const VECTOR_BYTES: u32 = 16;

/// As [`graph_of`], with the rounds of loops that only wait.
///
/// Such a round may be left out of an execution without a change to the others, but its accesses
/// may race. A race needs at most one such round of each of its two threads, besides the rounds
/// that have effects, so that one round more than the bound is enough. The same holds for
/// violations by a single access.
#[must_use]
pub fn graph_with_rounds(test: &Test, model: &Model, settings: Settings) -> EventGraph {
    let graph = graph_of(test, model, settings);
    match waits(&graph) {
        true => with_rounds(test, model, settings),
        false => graph,
    }
}

/// The events with one more round than the bound, including the rounds that only wait.
fn with_rounds(test: &Test, model: &Model, settings: Settings) -> EventGraph {
    let bound = settings.bound.saturating_add(1);
    let unfolding = Unfolding { bound, spin_loops: false, ..unfolding(model, settings) };
    unfolded(test, model, settings, unfolding, &BTreeSet::new())
}

/// Whether some loops only wait, so that rounds are left out.
fn waits(graph: &EventGraph) -> bool {
    graph.cuts.iter().any(|cut| cut.kind != CutKind::Bound)
}

fn unfolded(
    test: &Test,
    model: &Model,
    settings: Settings,
    unfolding: Unfolding,
    transparent: &BTreeSet<ObjectId>,
) -> EventGraph {
    let mut graph = unfold(&lower(test, settings.readings), unfolding, transparent);
    // Uses outside of the model are reported before undefined behaviour.
    let outside = features::uses(&mut graph, model);
    graph.violations.splice(..0, outside);
    graph
}

/// Decides a test; if the bound on loops cuts the answer off and the settings allow it, with a
/// higher bound.
#[must_use]
pub fn check(test: &Test, model: &Model, engine: &dyn Engine, settings: Settings) -> Outcome {
    let outcome = checked(test, model, engine, settings);
    let threads = test.threads.len();
    match (&test.launched, &outcome.verdict) {
        (Some(launched), Verdict::Allowed(_) | Verdict::Forbidden(_))
            if !launched.is_whole(threads) =>
        {
            let verdict = outcome.verdict.kind().name();
            let why = Unsupported::Representatives { verdict, threads, of: launched.threads };
            let verdict = Verdict::Unknown(Undecided::Unsupported(why));
            Outcome { verdict, holds: None, ..outcome }
        }
        _ => outcome,
    }
}

/// As [`check`], for the threads that the test has.
fn checked(test: &Test, model: &Model, engine: &dyn Engine, settings: Settings) -> Outcome {
    let timed = Timed::new(engine, settings);
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

/// As [`check`], for the orders of vector elements that the graph has.
fn bounded(test: &Test, model: &Model, engine: &dyn Engine, settings: Settings) -> Outcome {
    let (mut verdict, mut graph) = decide(test, model, engine, settings);
    let mut reached = settings.bound;
    if may_raise(settings, &graph) {
        for bound in settings.bound.saturating_add(1)..=MOST_RAISED {
            if !asks_for_more(&verdict) {
                break;
            }
            let budget = settings.budget.at_most(STEPS_FOR_MORE);
            let higher = decide(test, model, engine, Settings { bound, budget, ..settings });
            match higher.0 {
                Verdict::Unknown(Undecided::Engine(_) | Undecided::Unsupported(_))
                | Verdict::Error(_) => break,
                _ => ((verdict, graph), reached) = (higher, bound),
            }
        }
    }
    if bound::may_depend_on_less(&verdict, model)
        && let Some(fewer) = bound::allowed_by_fewer_rounds(test, model, engine, settings, &graph)
    {
        ((verdict, graph), reached) = fewer;
    }
    if cuts_loops(&verdict)
        && let Some(loose) = bound::excluded_loosely(test, model, engine, settings, reached)
    {
        (verdict, graph) = loose;
    }
    if cuts_loops(&verdict)
        && let Some(core) = excluded_beyond(test, model, engine, settings, &graph)
    {
        verdict = Verdict::Forbidden(core);
    }
    if let Some(void) = bound::void_beyond(test, model, engine, settings, (&verdict, &graph)) {
        ((verdict, graph), reached) = void;
    }
    Outcome { holds: verdict.holds(test.quantifier), verdict, graph, bound: reached }
}

/// The core that excludes the outcome for any number of loop rounds. It is found on executions with
/// rounds left out, which may not decide (`None`).
///
/// Where no execution ends, threads that wait for such a loop at a barrier may be in a deadlock;
/// then `None`.
fn excluded_beyond(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
    graph: &EventGraph,
) -> Option<Core> {
    if !may_raise(settings, graph) || !model.forgets_reads() {
        return None;
    }
    let budget = settings.budget.at_most(STEPS_FOR_MORE);
    let settings =
        Settings { skips: true, bound: settings.bound.max(MOST_RAISED), budget, ..settings };
    // The bound may cut a thread before all barriers.
    if has_barriers(test, settings) {
        let all = without_filter(graph);
        match engine.find(Problem { graph: &all, model }, Goal::Complete, budget) {
            Answer::Yes(_) => {}
            _ => return None,
        }
    }
    match decide(test, model, engine, settings) {
        (Verdict::Forbidden(core), fewer) if core.endless.is_empty() && !fewer.some_orders => {
            Some(core)
        }
        _ => None,
    }
}

/// Whether a program has barriers, reached within the bound or not.
fn has_barriers(test: &Test, settings: Settings) -> bool {
    let program = lower(test, settings.readings);
    let mut steps = program.threads.iter().flat_map(|thread| &thread.steps);
    steps.any(|step| step.micros.iter().any(|micro| matches!(micro, Micro::Barrier(_))))
}

/// Whether a verdict is open because of loops that have a way out.
fn cuts_loops(verdict: &Verdict) -> bool {
    let may_end = |bounded: &Bounded| bounded.beyond != BoundKind::NoWayOut;
    matches!(verdict, Verdict::Unknown(Undecided::Bound(bounded)) if may_end(bounded))
}

/// The highest bound that is tried. If two threads update one location by `cas`, one of them mostly
/// succeeds in its third round at the latest.
const MOST_RAISED: u8 = 4;

/// Programs with more events are left at their bound.
const MOST_RAISED_EVENTS: usize = 80;

/// The most steps of an engine for each question with a raised bound.
const STEPS_FOR_MORE: u64 = 10_000;

/// Whether the bound may be raised for a program with these events.
fn may_raise(settings: Settings, graph: &EventGraph) -> bool {
    settings.raises && graph.events.len() <= MOST_RAISED_EVENTS
}

/// Whether a higher bound may decide a test.
fn asks_for_more(verdict: &Verdict) -> bool {
    let cut = |bounded: &Bounded| bounded.beyond == BoundKind::Higher;
    matches!(verdict, Verdict::Unknown(Undecided::Bound(bounded)) if cut(bounded))
}

/// An engine whose questions share one limit of time.
struct Timed<'e> {
    engine: &'e dyn Engine,
    end: Option<Deadline>,
}

impl<'e> Timed<'e> {
    fn new(engine: &'e dyn Engine, settings: Settings) -> Self {
        Self { engine, end: settings.budget.end() }
    }
}

/// The reason why a program is not decided by any engine.
fn too_large(graph: &EventGraph) -> Option<Unsupported> {
    let events = graph.events.len();
    if events > MOST_EVENTS {
        return Some(Unsupported::Events { events, most: MOST_EVENTS });
    }
    if let Some(op) = graph.barriers.iter().find(|op| is_unclear(graph, op)) {
        return Some(Unsupported::CountInAWarp { barrier: op.key.to_string() });
    }
    let crowd = graph.barriers.iter().find(|op| is_crowded(graph, op))?;
    Some(Unsupported::Crowd { barrier: crowd.key.to_string(), most: MOST_AT_BARRIER })
}

/// Whether values decide if an operation counts as the arrival of its warp, together with the
/// warp's other threads (PTX-9.7.13.1).
fn is_unclear(graph: &EventGraph, op: &BarrierOp) -> bool {
    op.arrives
        && !graph.knows_count(op)
        && graph.mates(graph.event(op.event).agent).next().is_some()
}

/// The most threads at a barrier with a count: all sets of them that may meet are tried.
const MOST_AT_BARRIER: usize = 20;

/// Whether too many sets of threads might meet at a barrier; the set of all threads is no choice.
fn is_crowded(graph: &EventGraph, op: &BarrierOp) -> bool {
    let (BarrierRule::Count(count) | BarrierRule::Quorum(count)) = op.rule else { return false };
    let others = graph.barriers.iter().filter(|other| other.key == op.key);
    let threads: BTreeSet<_> = others.map(|other| graph.event(other.event).agent).collect();
    let all = graph.exprs.constant(count) == Some(threads.len() as u128);
    threads.len() > MOST_AT_BARRIER && !all
}

impl Engine for Timed<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn find(&self, problem: Problem<'_>, goal: Goal, budget: Budget) -> Answer {
        if let Some(why) = too_large(problem.graph) {
            return Answer::Unsupported(why);
        }
        match budget.until(self.end) {
            Some(rest) => self.engine.find(problem, goal, rest),
            None => Answer::Unknown(Why::Timeout),
        }
    }

    fn states(&self, problem: Problem<'_>, budget: Budget) -> Result<States, Unsupported> {
        match budget.until(self.end) {
            Some(rest) => self.engine.states(problem, rest),
            None => Ok(States { incomplete: Some(Why::Timeout), ..States::default() }),
        }
    }
}

/// The question of a quantifier: the value of the proposition that is looked for.
#[must_use]
pub fn goal_of(quantifier: Quantifier) -> Goal {
    Goal::Condition(quantifier != Quantifier::Forall)
}

/// The verdict, with the events that it refers to.
fn decide(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
) -> (Verdict, EventGraph) {
    decide_events(test, model, engine, settings, graph_of(test, model, settings))
}

/// As [`decide`], given the events of the test.
fn decide_events(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
    graph: EventGraph,
) -> (Verdict, EventGraph) {
    let problem = Problem { graph: &graph, model };
    match void(test, problem, engine, settings) {
        Some((verdict, other)) => (verdict, other.unwrap_or(graph)),
        None => (reached(test, problem, engine, settings), graph),
    }
}

/// The verdict on a program that is, or may be, undefined. Includes the events of the verdict if
/// these differ from the problem's.
fn void(
    test: &Test,
    problem: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<(Verdict, Option<EventGraph>)> {
    let here = |verdict| (verdict, None);
    let elsewhere = |(verdict, graph)| (verdict, Some(graph));
    violation(problem, engine, settings)
        .map(here)
        .or_else(|| violation_in_a_round(test, problem, engine, settings).map(elsewhere))
        .or_else(|| violation_before_a_wait(problem, engine, settings).map(elsewhere))
        .or_else(|| mbarrier_overwritten::object(test, problem, engine, settings).map(elsewhere))
        .or_else(|| barriers::misuse(problem, engine, settings).map(here))
        .or_else(|| lifetime::unsure(test, problem, engine, settings))
        .or_else(|| undefined_unless::broken(test, problem, engine, settings))
        .or_else(|| mixed_size::verdict(test, problem, engine, settings))
}

/// The verdict on a program that is defined.
fn reached(test: &Test, problem: Problem<'_>, engine: &dyn Engine, settings: Settings) -> Verdict {
    match engine.find(problem, goal_of(test.quantifier), settings.budget).decided() {
        Ok(Decided::Yes(choices)) => witnessed(problem, goal_of(test.quantifier), *choices),
        Ok(Decided::No(core)) => match excluded(test, problem, core, engine, settings) {
            Verdict::Forbidden(core) if core.axioms.is_empty() && core.endless.is_empty() => {
                Verdict::Forbidden(if_torn(test, problem, engine, settings).unwrap_or(core))
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
fn if_torn(
    test: &Test,
    Problem { graph, model }: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<Core> {
    let goal = goal_of(test.quantifier);
    let places = graph.events.iter().filter_map(|event| event.loc);
    let bytes: u32 = places.map(|loc| graph.locations[loc.index()].bytes).sum();
    if settings.tearing == Tearing::Byte || bytes > MOST_BYTES {
        return None;
    }
    let graph = graph_of(test, model, Settings { tearing: Tearing::Byte, ..settings });
    let budget = settings.budget.at_most(STEPS_FOR_A_SENTENCE);
    let problem = Problem { graph: &graph, model };
    match engine.find(problem, goal, budget) {
        Answer::Yes(_) => Some(Core { torn: true, ..Core::default() }),
        Answer::No(core) if names_single_copy(model, &core) => {
            let weaker = model.without_axioms(&core.axioms);
            // Without these axioms, some execution has to have the outcome.
            let found = engine.find(Problem { graph: &graph, model: &weaker }, goal, budget);
            matches!(found, Answer::Yes(_)).then_some(Core { torn: true, ..core })
        }
        Answer::No(_) | Answer::Unknown(_) | Answer::Unsupported(_) => None,
    }
}

/// Whether the clause on tearing (PTX-8.10.3) is among the axioms of a core.
fn names_single_copy(model: &Model, core: &Core) -> bool {
    let name = |&index: &usize| model.axioms[index].name.as_str();
    core.axioms.iter().any(|axiom| name(axiom) == SINGLE_COPY)
}

/// The name of the axiom that excludes torn accesses (PTX-8.10.3).
pub const SINGLE_COPY: &str = "Single-Copy-Atomicity";

/// The verdict on undefined behaviour in some execution, which voids all other verdicts.
fn violation(problem: Problem<'_>, engine: &dyn Engine, settings: Settings) -> Option<Verdict> {
    match violated(problem, engine, settings) {
        Ok(found) => found
            .map(|(index, choices)| verdict_on(&problem.graph.violations[index], Some(choices))),
        Err(why) => Some(why),
    }
}

/// The first violation that some execution has, with such an execution.
///
/// # Errors
/// The verdict if the engine cannot tell.
fn violated(
    problem: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Result<Option<(usize, Box<Choices>)>, Verdict> {
    let violations = &problem.graph.violations;
    let alike = |index: usize| {
        violations[..index].iter().all(|v| v.rule.effect() == violations[index].rule.effect())
    };
    // One question about all violations usually answers that there is none. If one is found, the
    // violations before it are asked for.
    let mut asked = Cow::Borrowed(problem.graph);
    let mut found: Option<(usize, Box<Choices>)> = None;
    while found.as_ref().map_or(!violations.is_empty(), |&(index, _)| index > 0) {
        let among = Problem { graph: &asked, ..problem };
        let answer = engine.find(among, Goal::AnyViolation, settings.budget);
        let choices = match answer.decided() {
            Ok(Decided::Yes(choices)) => choices,
            Ok(Decided::No(_)) => break,
            // An earlier violation may give the same verdict.
            Err(_) if found.as_ref().is_some_and(|&(index, _)| alike(index)) => break,
            Err(why) => return Err(Verdict::Unknown(why)),
        };
        let execution = Execution::build(&asked, (*choices).clone()).ok();
        let happens = |v: &Violation| execution.as_ref().is_some_and(|e| e.holds(v.guard));
        let Some(first) = asked.violations.iter().position(happens) else {
            let what = "the engine's choices make no execution with undefined behaviour";
            return Err(Verdict::Error(what.to_owned()));
        };
        found = Some((first, choices));
        let asked = asked.to_mut();
        let never = asked.exprs.truth(false);
        asked.violations[first..].iter_mut().for_each(|violation| violation.guard = never);
    }
    Ok(found)
}

/// The verdict on a violation, in an execution of these choices if one is known.
fn verdict_on(violation: &Violation, choices: Option<Box<Choices>>) -> Verdict {
    let reason = Reason { rule: violation.rule.clone(), spans: vec![violation.span], choices };
    if violation.rule.is_out_of_model() {
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
fn violation_in_a_round(
    test: &Test,
    Problem { graph, model }: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<(Verdict, EventGraph)> {
    if !waits(graph) {
        return None;
    }
    let of_mbarriers = graph.events.iter().filter(|event| event.marks.mbarrier);
    let of_mbarriers: BTreeSet<Span> = of_mbarriers.map(|event| event.span).collect();
    let counts = |v: &Violation| !of_mbarriers.contains(&v.span);
    if !graph.violations.iter().any(counts) || !Goal::AnyViolation.needs_end(graph) {
        return None;
    }
    let mut rounds = with_rounds(test, model, settings);
    rounds.violations.retain(counts);
    let verdict = violation(Problem { graph: &rounds, model }, engine, settings)?;
    Some((verdict, rounds))
}

/// Undefined behaviour before threads may wait for ever, at barriers or for a thread that stays in
/// a loop.
fn violation_before_a_wait(
    Problem { graph, model }: Problem<'_>,
    engine: &dyn Engine,
    settings: Settings,
) -> Option<(Verdict, EventGraph)> {
    let nobody_waits = graph.barriers.is_empty() && graph.api_edges.is_empty();
    if nobody_waits || graph.violations.is_empty() || too_large(graph).is_some() {
        return None;
    }
    let find = |graph: &EventGraph| violation(Problem { graph, model }, engine, settings);
    prefix::first_found(prefix::before_waits(graph), find, undecided_before_waits)
}

/// The verdict if undefined behaviour before a wait may or may not happen.
fn undecided_before_waits() -> Verdict {
    barriers::unsupported(Unsupported::BeforeWaits)
}

/// The verdict on an allowed outcome, reported only after the model has been evaluated on its
/// execution.
fn witnessed(problem: Problem<'_>, goal: Goal, choices: Choices) -> Verdict {
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
fn excluded(
    test: &Test,
    problem: Problem<'_>,
    core: Core,
    engine: &dyn Engine,
    settings: Settings,
) -> Verdict {
    if let Some(why) = cut(test, problem, engine, settings) {
        return Verdict::Unknown(why);
    }
    let (meets, endless) = (!problem.graph.barriers.is_empty(), spins(problem.graph));
    if !meets && endless.is_empty() {
        return Verdict::Forbidden(core);
    }
    // An execution that only the filter excludes is no deadlock.
    let unfiltered = without_filter(problem.graph);
    let problem = Problem { graph: &unfiltered, ..problem };
    match engine.find(problem, Goal::Complete, settings.budget).decided() {
        Ok(Decided::No(_)) => {}
        Ok(Decided::Yes(_)) => return Verdict::Forbidden(core),
        Err(why) => return Verdict::Unknown(why),
    }
    if endless.is_empty() {
        return barriers::stuck(problem, core, engine, settings);
    }
    non_termination::verdict(problem, core, endless, engine, settings)
}

/// The events without the filter on final states.
fn without_filter(graph: &EventGraph) -> Cow<'_, EventGraph> {
    if graph.exprs.is_true(graph.filter) {
        return Cow::Borrowed(graph);
    }
    let mut all = graph.clone();
    all.filter = all.exprs.truth(true);
    Cow::Owned(all)
}

/// The branches of loops in which threads may wait for ever.
fn spins(graph: &EventGraph) -> Vec<Span> {
    in_order(graph.cuts.iter().filter(|c| c.kind == CutKind::Spin).map(|c| c.span))
}

/// Places in the order of the source, each once.
fn in_order(spans: impl Iterator<Item = Span>) -> Vec<Span> {
    let mut spans: Vec<Span> = spans.collect();
    spans.sort_by_key(|span| (span.start, span.end));
    spans.dedup();
    spans
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
/// there are none, races before possible infinite waits.
///
/// # Errors
/// As [`race::races`]; too large a program is unknown.
pub fn races(
    test: &Test,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
) -> Result<(Races, EventGraph), Verdict> {
    let graph = graph_with_rounds(test, model, settings);
    let timed = Timed::new(engine, settings);
    let engine = SoundDependence(&timed);
    let all = |graph: &EventGraph| race::races(Problem { graph, model }, &engine, settings.budget);
    let mut races = all(&graph)?;
    if graph.some_orders {
        let why = Undecided::Unsupported(Unsupported::ManyOrders);
        races.open.get_or_insert(why);
    }
    if races.list.is_empty() && too_large(&graph).is_none() {
        // A beginning that is only possible has no execution that could be shown.
        for before in prefix::before_waits(&graph).filter_map(prefix::Beginning::certain) {
            let mut found = all(&before)?;
            if !found.list.is_empty() {
                found.open = found.open.or(races.open);
                return Ok((found, before));
            }
        }
    }
    Ok((races, graph))
}
