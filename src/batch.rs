//! Many tests under several models: on a worker pool, with results in the order of the tests.
//!
//! A panic costs one verdict, never the run; the order and content of the results do not depend on
//! the number of workers.

use crate::check::{self, Hang, HangKind, Hanging, Outcome, Settings, check};
use crate::diagnostic::{Diagnostic, closest};
use crate::engines::Agreeing;
use crate::event::graph::EventGraph;
use crate::execution::build::Execution;
use crate::litmus::ast::{Metadata, Quantifier, Test};
use crate::progress::Progress;
use crate::relation::expr::Model;
use crate::rule::Unsupported;
use crate::solve::{Engine, Goal, States, Why};
use crate::verdict::{Kind, Undecided, Verdict};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A test of a batch.
#[derive(Clone, Debug)]
pub struct Case {
    /// The identity of the case: its path, with the test's name if a file holds several.
    pub path: String,
    /// The test.
    pub test: Test,
    /// The expected verdict under each model of the batch.
    pub expected: Vec<Option<Kind>>,
}

impl Case {
    /// A test that is identified by its name, without expectations.
    #[must_use]
    pub fn of(test: Test) -> Self {
        Self { path: test.name.clone(), test, expected: Vec::new() }
    }
}

/// The answer to a test under one model.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// Whether the quantified condition is satisfied.
    pub holds: Option<bool>,
    /// The expected verdict.
    pub expected: Option<Kind>,
    /// The deviation from the expectations of the test or the user, besides the verdict.
    pub refused: Option<Refusal>,
    /// Whether the program may hang; `None` if the question has no meaning: for a program out of
    /// the model, and when checking panicked.
    pub hang: Option<Hang>,
    /// The same of the threads that the test has, where its launches have more.
    pub hang_of_part: Option<Hang>,
    /// The events; `None` when checking panicked.
    pub graph: Option<EventGraph>,
    /// How often loop bodies were executed at most for the verdict; `None` when checking panicked.
    pub bound: Option<u8>,
    /// Of several engines, those that could not tell.
    pub silent: Vec<&'static str>,
}

/// A result that a user may refuse for a test without expectations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// A verdict of this kind.
    Verdict(Kind),
    /// A `forall` whose condition holds.
    Holds,
    /// A `forall` whose condition does not hold.
    Fails,
    /// The absence of an expectation.
    Unasked,
    /// A data race, whatever the verdict.
    Race,
    /// A question about data races that could not be decided, though the user asks.
    RaceUnknown,
    /// The possibility that the program hangs, whatever the verdict.
    Hang,
    /// An answer to whether the program may hang other than the expected one.
    NotHang(HangKind),
    /// A question about hangs that could not be decided, though the test expects an answer.
    HangUnknown,
}

impl Refusal {
    /// The refusal of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let not = [HangKind::Never, HangKind::Possible].map(Self::NotHang);
        let others = [
            Self::Holds,
            Self::Fails,
            Self::Unasked,
            Self::Race,
            Self::Hang,
            Self::HangUnknown,
            Self::RaceUnknown,
        ];
        let others = others.into_iter().chain(not);
        let all = Kind::ALL.into_iter().map(Self::Verdict).chain(others);
        all.into_iter().find(|refusal| refusal.name() == name)
    }

    /// The name of the refusal.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Verdict(kind) => kind.name(),
            Self::Holds => Kind::Forbidden.word(Quantifier::Forall),
            Self::Fails => Kind::Allowed.word(Quantifier::Forall),
            Self::Unasked => "no-expectation",
            Self::Race => "race",
            Self::Hang => "hang",
            Self::NotHang(HangKind::Never) => "not-hang-never",
            Self::NotHang(_) => "not-hang-possible",
            Self::HangUnknown => "hang-unknown",
            Self::RaceUnknown => "race-unknown",
        }
    }
}

/// The standing of a verdict towards the expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// As expected.
    Expected,
    /// Decided, and nothing was expected.
    Unasked,
    /// Not decided.
    Unknown,
    /// Decided otherwise than expected.
    Unexpected,
    /// A bug.
    Broken,
}

impl Standing {
    /// The standing of a verdict towards the expected one; an unknown verdict differs from none.
    #[must_use]
    pub fn of(kind: Kind, expected: Option<Kind>) -> Self {
        match expected {
            _ if kind == Kind::Error => Self::Broken,
            Some(expected) if expected == kind => Self::Expected,
            _ if kind == Kind::Unknown => Self::Unknown,
            Some(_) => Self::Unexpected,
            None => Self::Unasked,
        }
    }

    /// The standing if the user refuses a result of the test.
    #[must_use]
    pub fn refused(self, refusal: Option<Refusal>) -> Self {
        match refusal {
            Some(Refusal::HangUnknown | Refusal::RaceUnknown) => self.max(Self::Unknown),
            Some(_) => self.max(Self::Unexpected),
            None => self,
        }
    }
}

impl Judgement {
    /// How the program hangs, if it may.
    #[must_use]
    pub fn hanging(&self) -> Option<&Hanging> {
        match &self.hang {
            Some(Hang::Possible(hanging)) => Some(hanging),
            Some(Hang::Never | Hang::Unknown(_)) | None => None,
        }
    }

    /// The judgement that the tool failed on a test.
    #[must_use]
    pub fn failed(message: String, expected: Option<Kind>) -> Self {
        let verdict = Verdict::Error(message);
        Self {
            verdict,
            holds: None,
            expected,
            refused: None,
            hang: None,
            hang_of_part: None,
            graph: None,
            bound: None,
            silent: Vec::new(),
        }
    }

    /// The settings for further questions about the test: those with the bound of the verdict.
    #[must_use]
    pub fn settings(&self, settings: Settings) -> Settings {
        settings.with_bound(self.bound.unwrap_or(settings.bound))
    }

    /// The standing of the judgement towards the expectation.
    #[must_use]
    pub fn standing(&self) -> Standing {
        Standing::of(self.verdict.kind(), self.expected).refused(self.refused)
    }
}

/// All final states of a test.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Listing {
    /// The events.
    #[doc(hidden)]
    pub graph: EventGraph,
    /// The states.
    #[doc(hidden)]
    pub states: States,
    /// For each state, whether the condition's proposition holds in it.
    #[doc(hidden)]
    pub matching: Vec<bool>,
    /// The reason why there may be more states: the bound cut a loop, or dependencies are
    /// over-approximated.
    pub cut: Option<Undecided>,
}

impl Listing {
    /// Whether the list is complete.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.states.incomplete.is_none() && self.cut.is_none()
    }
}

/// The separator between the name of a model and the axioms that were left out of it.
pub const WITHOUT: &str = " without ";

/// The name of the whole model, from that of a model without some axioms.
fn whole(name: &str) -> &str {
    name.split(WITHOUT).next().unwrap_or(name)
}

/// The verdict that a test's metadata expects under a model and readings: that of the `Expect[...]` of
/// which the model's name and the chosen readings meet every part; of several the one that names most
/// readings, then one that names the model; else that of `Expect`. What is expected of a model from which
/// axioms were left out is what is expected of the whole one.
///
/// # Errors
/// When the metadata names no verdict.
pub fn expectation(
    test: &Test,
    model: &str,
    readings: &[String],
) -> Result<Option<Kind>, Box<Diagnostic>> {
    let model = whole(model);
    let rank = |line: &&Metadata| {
        let parts = conditions(&line.key.value)?;
        let (named, models): (Vec<&str>, Vec<&str>) = parts.iter().partition(|n| n.contains('='));
        let is_met = named.iter().all(|n| readings.iter().any(|r| r == n))
            && models.iter().all(|name| *name == model);
        is_met.then_some((named.len(), models.len()))
    };
    let met = test.metadata.iter().filter(|line| rank(line).is_some());
    let Some(line) = met.max_by_key(rank) else { return Ok(None) };
    Kind::worded(&line.value.value, test.quantifier).map(Some).ok_or_else(|| {
        let names = Kind::ALL.map(|kind| kind.word(test.quantifier));
        let help = match closest(&line.value.value, names) {
            Some(name) => format!("did you mean `{name}`?"),
            None => format!("verdicts are {}", names.join(", ")),
        };
        let diagnostic =
            Diagnostic::error("expect-unknown-verdict", line.value.span, "this is not a verdict");
        Box::new(diagnostic.label("expected here").help(help))
    })
}

/// What has to be so for an expectation to count: the names of a model and of readings in `Expect[...]`,
/// nothing in `Expect`; `None` for other keys.
fn conditions(key: &str) -> Option<Vec<&str>> {
    match key.strip_prefix("Expect")? {
        "" => Some(Vec::new()),
        rest => Some(rest.strip_prefix('[')?.strip_suffix(']')?.split(',').collect()),
    }
}

/// Whether a test's metadata expects the program to hang under a model of progress: `Hang[NAME]`, else
/// `Hang`.
///
/// # Errors
/// When the metadata names no answer.
pub fn hang_expectation(
    test: &Test,
    progress: Progress,
) -> Result<Option<HangKind>, Box<Diagnostic>> {
    let own = format!("Hang[{progress}]");
    let find = |key: &str| test.metadata.iter().rev().find(|m| m.key.value == key);
    let Some(line) = find(&own).or_else(|| find("Hang")) else { return Ok(None) };
    let kind = HangKind::named(&line.value.value).filter(|kind| *kind != HangKind::Unknown);
    kind.map(Some).ok_or_else(|| {
        let message = "this does not say whether the program may hang";
        let diagnostic = Diagnostic::error("hang-unknown-answer", line.value.span, message);
        Box::new(diagnostic.label("expected here").help("answers are never, possible"))
    })
}

/// The deviation of an answer about hangs from the test's expectation.
fn unexpected_hang(test: &Test, progress: Progress, hang: Option<&Hang>) -> Option<Refusal> {
    let expected = hang_expectation(test, progress).ok().flatten()?;
    match hang?.kind() {
        HangKind::Unknown => Some(Refusal::HangUnknown),
        kind => (kind != expected).then_some(Refusal::NotHang(expected)),
    }
}

/// Warnings about expectations that no run can check: `Expect[...]` with a model that is none of
/// these, or with an unknown reading.
#[must_use]
pub fn stray_expectations(
    test: &Test,
    models: &[&str],
    is_reading: impl Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    let mut strays = Vec::new();
    for line in &test.metadata {
        let progress = line.key.value.strip_prefix("Hang[").and_then(|rest| rest.strip_suffix(']'));
        if let Some(name) = progress.filter(|name| Progress::named(name).is_none()) {
            let names = Progress::ALL.map(Progress::name);
            let help = match closest(name, names) {
                Some(near) => format!("did you mean `Hang[{near}]`?"),
                None => format!("models of progress are {}", names.join(", ")),
            };
            let message = format!("there is no model of progress `{name}`: this line is not used");
            strays.push(
                Diagnostic::warning("hang-unknown-progress", line.key.span, message).help(help),
            );
        }
        let is_known = |name: &&&str| match name.contains('=') {
            true => is_reading(name),
            false => models.iter().any(|model| whole(model) == **name),
        };
        let named = conditions(&line.key.value).unwrap_or_default();
        let Some(stray) = named.iter().find(|name| !is_known(name)) else { continue };
        let what = if stray.contains('=') { "reading" } else { "model" };
        let near = if what == "model" {
            closest(stray, models.iter().map(|model| whole(model)))
        } else {
            None
        };
        let help = match near {
            Some(near) => format!("did you mean `Expect[{near}]`?"),
            None => {
                "`ptxmc model` lists the models and readings; `--model` gives others".to_owned()
            }
        };
        let message = format!("there is no {what} `{stray}`: this expectation is not used");
        strays.push(Diagnostic::warning("expect-unknown", line.key.span, message).help(help));
    }
    strays
}

/// Checks a test under each model; several engines have to agree.
#[must_use]
pub fn judge(
    case: &Case,
    models: &[Model],
    engines: &[Box<dyn Engine>],
    settings: Settings,
) -> Vec<Judgement> {
    let expected = case.expected.iter().copied().chain(std::iter::repeat(None));
    let under = |(model, expected): (&Model, Option<Kind>)| match guarded(|| {
        agreed(&case.test, model, engines, settings)
    }) {
        Ok((Outcome { verdict, holds, graph, bound }, hang, silent)) => {
            let found = hang.as_ref().map_or("no answer", Hang::among);
            let (hang, hang_of_part) = match check::of_part(&case.test, found) {
                Some(why) => (hang.is_some().then_some(Hang::Unknown(why)), hang),
                None => (hang, None),
            };
            let refused = unexpected_hang(&case.test, settings.progress, hang.as_ref());
            let (graph, bound) = (Some(graph), Some(bound));
            Judgement {
                verdict,
                holds,
                expected,
                refused,
                hang,
                hang_of_part,
                graph,
                bound,
                silent,
            }
        }
        Err(message) => Judgement::failed(message, expected),
    };
    models.iter().zip(expected).map(under).collect()
}

/// The reason why there is no list of states.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unlisted {
    /// No engine can list them.
    #[error("{0}")]
    Undecided(Unsupported),
    /// A bug: an impossible state, a panic, or a disagreement of engines.
    #[error("{0}")]
    Broken(String),
}

/// The kind of the verdict on a test under a model, and nothing else.
#[must_use]
pub fn verdict_kind(
    case: &Case,
    model: &Model,
    engines: &[Box<dyn Engine>],
    settings: Settings,
) -> Kind {
    let (engine, settings) = together(engines, settings);
    let outcome = guarded(|| check(&case.test, model, &engine, settings));
    match (outcome, engine.disagreement()) {
        (Ok(outcome), None) => outcome.verdict.kind(),
        _ => Kind::Error,
    }
}

/// Lists the final states of a test, each with an execution that is checked without the engine.
/// Several engines have to agree.
///
/// # Errors When no engine can list the final states, or when a listed state is wrong.
pub fn list(
    case: &Case,
    model: &Model,
    engines: &[Box<dyn Engine>],
    settings: Settings,
) -> Result<Listing, Unlisted> {
    let (engine, settings) = together(engines, settings);
    let listing = listed(case, model, &engine, settings);
    match engine.disagreement() {
        Some(message) => Err(Unlisted::Broken(message)),
        None => listing,
    }
}

/// As [`list`], by one engine.
///
/// # Errors
/// As [`list`].
pub fn listed(
    case: &Case,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
) -> Result<Listing, Unlisted> {
    let listing = guarded(|| list_with(case, model, engine, settings));
    listing.unwrap_or_else(|message| Err(Unlisted::Broken(message)))
}

/// Engines that have to agree, with settings that give each of them the full time.
#[must_use]
pub fn together(
    engines: &[Box<dyn Engine>],
    settings: Settings,
) -> (Agreeing<&dyn Engine>, Settings) {
    let budget = settings.budget.for_each_of(engines.len());
    let engine = Agreeing::new(engines.iter().map(AsRef::as_ref)).with_steps(budget.steps);
    (engine, settings.with_budget(budget))
}

fn list_with(
    case: &Case,
    model: &Model,
    engine: &dyn Engine,
    settings: Settings,
) -> Result<Listing, Unlisted> {
    let (states, graph) =
        check::states(&case.test, model, engine, settings).map_err(Unlisted::Undecided)?;
    let mut matching = Vec::new();
    for (values, choices) in &states.states {
        let wrong = |what: &str| {
            Unlisted::Broken(format!("{} lists a state that cannot be: {what}", engine.name()))
        };
        let execution =
            Execution::build(&graph, choices.clone()).map_err(|e| wrong(&e.describe(&graph)))?;
        let checked = check::confirm(model, Goal::Complete, &execution).map_err(|e| wrong(&e))?;
        if !checked.is_consistent() {
            return Err(wrong("its execution is not consistent"));
        }
        if execution.final_state() != *values {
            return Err(wrong("its execution ends otherwise"));
        }
        matching.push(execution.truth(graph.condition) == Some(true));
    }
    let cut = check::unlisted(&case.test, &graph, model, &states, engine, settings)
        .or_else(|| check::of_part(&case.test, "these are the final states"));
    Ok(Listing { states, matching, cut, graph })
}

/// The outcome that the engines agree on, and the engines that cannot tell, which do not count.
fn agreed(
    test: &Test,
    model: &Model,
    engines: &[Box<dyn Engine>],
    settings: Settings,
) -> (Outcome, Option<Hang>, Vec<&'static str>) {
    let (engine, settings) = together(engines, settings);
    let mut outcome = check(test, model, &engine, settings);
    let means_nothing = matches!(outcome.verdict.kind(), Kind::OutOfModel | Kind::Error);
    let hang = (!means_nothing).then(|| {
        let aside = settings.with_budget(settings.budget.aside());
        match check::hang(test, model, &engine, aside, &outcome) {
            // The limit is the user's if the verdict ran into it, or if it is no longer than this one.
            Hang::Unknown(Undecided::Engine(Why::Timeout))
                if outcome.verdict.kind() != Kind::Unknown
                    && aside.budget.milliseconds != settings.budget.milliseconds =>
            {
                Hang::Unknown(Undecided::Engine(Why::Aside))
            }
            hang => hang,
        }
    });
    if let Some(message) = engine.disagreement() {
        (outcome.verdict, outcome.holds) = (Verdict::Error(message), None);
    }
    let silent = match outcome.verdict.kind() {
        // No engine could tell.
        Kind::Unknown => Vec::new(),
        _ => engine.silent(),
    };
    (outcome, hang, silent)
}

/// Runs `work`; a panic becomes a message.
///
/// # Errors
/// When it panics.
pub fn guarded<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| {
        let text = payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned());
        format!("panic: {}", text.unwrap_or_else(|| "without a message".to_owned()))
    })
}

/// Runs `work` for 0, 1, … `count` - 1 on `jobs` workers and passes the results to `emit` in order.
/// A result is passed as soon as all earlier ones are available. Stops early when `emit` breaks.
pub fn in_order<T: Send>(
    count: usize,
    jobs: usize,
    work: impl Fn(usize) -> T + Sync,
    mut emit: impl FnMut(usize, T) -> ControlFlow<()>,
) {
    watched(count, jobs, work, |next| match next {
        Some((index, result)) => emit(index, result),
        None => ControlFlow::Continue(()),
    });
}

/// As [`in_order`]; while it waits for results, `emit` is called with `None` several times a
/// second. If `emit` breaks, work that has begun is still finished before the return.
pub fn watched<T: Send>(
    count: usize,
    jobs: usize,
    work: impl Fn(usize) -> T + Sync,
    mut emit: impl FnMut(Option<(usize, T)>) -> ControlFlow<()>,
) {
    #[cfg(feature = "parallel")]
    if let Ok(pool) = parallel::pool(jobs.min(count)) {
        return parallel::in_order(&pool, count, work, emit);
    }
    let _ = jobs;
    for index in 0..count {
        if emit(None).is_break() || emit(Some((index, work(index)))).is_break() {
            return;
        }
    }
}

#[cfg(feature = "parallel")]
mod parallel {
    use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
    use std::collections::BTreeMap;
    use std::ops::ControlFlow;
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
    use std::sync::mpsc::{self, RecvTimeoutError};
    use std::time::Duration;

    /// The longest wait for one result.
    const TICK: Duration = Duration::from_millis(100);

    /// Deep expressions recurse; address space is cheap.
    const STACK_BYTES: usize = 64 << 20;

    /// Workers; even one gets its own thread, so that the stack has the same depth at any number.
    pub(super) fn pool(workers: usize) -> Result<ThreadPool, ThreadPoolBuildError> {
        ThreadPoolBuilder::new().num_threads(workers.max(1)).stack_size(STACK_BYTES).build()
    }

    pub(super) fn in_order<T: Send>(
        pool: &ThreadPool,
        count: usize,
        work: impl Fn(usize) -> T + Sync,
        mut emit: impl FnMut(Option<(usize, T)>) -> ControlFlow<()>,
    ) {
        let (next, stopped) = (AtomicUsize::new(0), AtomicBool::new(false));
        let (sender, receiver) = mpsc::channel();
        pool.in_place_scope(|scope| {
            for _ in 0..pool.current_num_threads() {
                let sender = sender.clone();
                let (next, stopped, work) = (&next, &stopped, &work);
                scope.spawn(move |_| {
                    while !stopped.load(Ordering::Relaxed) {
                        let index = next.fetch_add(1, Ordering::Relaxed);
                        if index >= count || sender.send((index, work(index))).is_err() {
                            return;
                        }
                    }
                });
            }
            drop(sender);
            let mut early = BTreeMap::new();
            let mut due = 0;
            loop {
                let mut flow = ControlFlow::Continue(());
                match receiver.recv_timeout(TICK) {
                    Ok((index, result)) => {
                        early.insert(index, result);
                        while let Some(result) = early.remove(&due).filter(|_| flow.is_continue()) {
                            flow = emit(Some((due, result)));
                            due += 1;
                        }
                    }
                    Err(RecvTimeoutError::Timeout) => flow = emit(None),
                    Err(RecvTimeoutError::Disconnected) => return,
                }
                if flow.is_break() {
                    stopped.store(true, Ordering::Relaxed);
                    return;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cat::{BUILTIN, Options, parse_builtin};
    use crate::execution::build::Choices;
    use crate::id::EventId;
    use crate::litmus::parse::parse_bytes;
    use crate::solve::{Answer, Budget, Core, Problem, Why};
    use crate::source::Files;

    fn collect(count: usize, jobs: usize, limit: usize) -> Vec<usize> {
        let mut seen = Vec::new();
        let work = |index: usize| {
            std::thread::sleep(std::time::Duration::from_micros(((index * 7) % 5) as u64 * 100));
            index * index
        };
        in_order(count, jobs, work, |index, square| {
            assert_eq!(square, index * index);
            seen.push(index);
            if seen.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        seen
    }

    #[test]
    fn results_come_in_order_at_any_number_of_workers() {
        for jobs in [1, 2, 5, 64] {
            assert_eq!(collect(40, jobs, usize::MAX), (0..40).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_consumer_can_stop_the_run() {
        for jobs in [1, 4] {
            assert_eq!(collect(40, jobs, 3), [0, 1, 2]);
        }
    }

    /// Gives one answer to every question.
    struct Always(&'static str, Answer);

    impl Engine for Always {
        fn name(&self) -> &'static str {
            self.0
        }
        fn find(&self, _: Problem<'_>, goal: Goal, _: Budget) -> Answer {
            match goal {
                Goal::Condition(_) => self.1.clone(),
                _ => Answer::No(Core::default()),
            }
        }
        fn states(&self, _: Problem<'_>, _: Budget) -> Result<States, Unsupported> {
            Err(Unsupported::NoEngine)
        }
    }

    /// Fails on every question.
    struct Panics;

    impl Engine for Panics {
        fn name(&self) -> &'static str {
            "panics"
        }
        fn find(&self, _: Problem<'_>, _: Goal, _: Budget) -> Answer {
            panic!("deliberate")
        }
        fn states(&self, _: Problem<'_>, _: Budget) -> Result<States, Unsupported> {
            panic!("deliberate")
        }
    }

    /// The verdict on message passing through a released flag: initial writes are events 0 and 1,
    /// then two writes and two reads.
    fn message_passing(engines: Vec<Box<dyn Engine>>) -> Verdict {
        let mut files = Files::default();
        let text = include_bytes!("../tests/cli/MP.litmus");
        let test = parse_bytes(&mut files, "MP.litmus", text).tests.remove(0);
        let case = Case { path: "MP.litmus".to_owned(), test, expected: vec![None] };
        let model = parse_builtin(&mut files, &BUILTIN[0], &Options::default()).model;
        judge(&case, &[model], &engines, Settings::default()).remove(0).verdict
    }

    /// Choices that reach the outcome against the model.
    fn stale_read() -> Answer {
        let event = |index| Some(EventId::new(index));
        Answer::Yes(Box::new(Choices {
            rf: vec![None, None, None, None, event(3), event(0)],
            finals: vec![event(2), event(3)],
            ..Choices::default()
        }))
    }

    #[test]
    fn an_execution_that_breaks_the_model_is_an_error() {
        let verdict = message_passing(vec![Box::new(Always("wrong", stale_read()))]);
        let Verdict::Error(message) = verdict else { panic!("{verdict:?}") };
        assert!(message.contains("Causality"), "{message}");
    }

    #[test]
    fn choices_that_make_no_execution_are_an_error() {
        let nothing = Answer::Yes(Box::default());
        let verdict = message_passing(vec![Box::new(Always("wrong", nothing))]);
        assert_eq!(verdict.kind(), Kind::Error, "{verdict:?}");
    }

    #[test]
    fn engines_that_disagree_are_an_error() {
        let no = || Box::new(Always("no", Answer::No(Core { axioms: vec![0], ..Core::default() })));
        let lost = || Box::new(Always("lost", Answer::Unknown(Why::Steps)));
        let wrong = Box::new(Always("wrong", stale_read()));
        assert_eq!(message_passing(vec![no(), lost()]).kind(), Kind::Forbidden);
        assert_eq!(message_passing(vec![lost(), no()]).kind(), Kind::Forbidden);
        assert_eq!(message_passing(vec![lost()]).kind(), Kind::Unknown);
        let Verdict::Error(message) = message_passing(vec![lost(), no(), wrong]) else {
            panic!("they agree")
        };
        assert_eq!(message, "engines disagree: no finds none, wrong finds an execution");
    }

    #[test]
    fn a_panic_is_one_verdict() {
        let verdict = message_passing(vec![Box::new(Panics)]);
        assert_eq!(verdict, Verdict::Error("panic: deliberate".to_owned()));
    }
}
