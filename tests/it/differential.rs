//! All engines give the same answers: final states, verdicts and races of random programs, under
//! the built-in models and their readings, simplified or as written.
//!
//! `PTXMC_DIFFERENTIAL_CASES` and `PTXMC_DIFFERENTIAL_SEED` make a run longer or another one:
//! `PTXMC_DIFFERENTIAL_CASES=100000 cargo test --release --test it differential:: -- --nocapture`. Of
//! large programs there are a tenth as many, of those with barriers and sums half as many. A program
//! on which engines disagree is made small and written to `target/differential`, as a test that can
//! be checked.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::comparison::{Engines, Tally, cores};
use crate::programs::{Profile, Sketch, barriers_and_sums, large, sketch, small};
use crate::support;
use crate::support::parse;
use proptest::prelude::*;
use proptest::strategy::{Union, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use ptxmc::testing::cat::BUILTIN;
use ptxmc::testing::check::{Settings, check, goal_of, graph_of};
use ptxmc::testing::event::graph::EventGraph;
use ptxmc::testing::event::unfold::{Tearing, Unfolding, unfold};
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::program::lower::lower;
use ptxmc::testing::program::reading::Readings;
use ptxmc::testing::race::{Races, find, races};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::relation::simplify::simplify;
use ptxmc::testing::solve::Cores;
use ptxmc::testing::solve::enumerate::Enumerate;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Answer, Budget, Engine, Pairs, Problem};
use ptxmc::testing::verdict::{Undecided, Verdict};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// A model to compare under.
struct Judge {
    name: String,
    /// Where it is counted.
    row: String,
    model: Model,
    simplified: Model,
    tearing: Tearing,
    /// What instructions are taken to do.
    readings: Readings,
}

/// Each built-in model with its weight, and PTX 9.2 in each of its readings, in those of the
/// instructions, and without an axiom.
fn judges() -> Vec<(u32, Judge)> {
    let judge = |name: String, row: &str, model: Model, tearing| {
        let simplified = simplify(&model);
        let readings = Readings::default();
        Judge { name, row: row.to_owned(), model, simplified, tearing, readings }
    };
    let mut out = Vec::new();
    for builtin in BUILTIN {
        let model = support::model(builtin.name);
        let weight = if builtin.name == "ptx-9.2" { 40 } else { 15 };
        out.push((weight, judge(builtin.name.to_owned(), builtin.name, model, Tearing::Overlap)));
    }
    let row = "ptx-9.2 in a reading";
    for reading in support::load("ptx-9.2", BTreeSet::new()).variants {
        let model = support::load("ptx-9.2", BTreeSet::from([reading.clone()])).model;
        out.push((2, judge(format!("ptx-9.2 {reading}"), row, model, Tearing::Overlap)));
    }
    for &(name, values) in Readings::NAMES {
        for value in &values[1..] {
            let model = support::model("ptx-9.2");
            let title = format!("ptx-9.2 {name}={value}");
            let readings = Readings::default().with(name, value).expect("a listed value");
            let other = judge(title, row, model, Tearing::Overlap);
            out.push((2, Judge { readings, ..other }));
        }
    }
    // A model under which values may justify themselves, which is where engines differ most.
    let mutants = support::mutants::mutants();
    let mutant = mutants.into_iter().find(|m| m.name == "no-thin-air-axiom-dropped");
    let model = support::mutants::model_of(&mutant.expect("a mutant without the axiom"));
    out.push((3, judge("ptx-9.2 without No-Thin-Air".to_owned(), row, model, Tearing::Overlap)));
    let model = support::model("ptx-9.2");
    out.push((1, judge("ptx-9.2 tearing=byte".to_owned(), row, model, Tearing::Byte)));
    out
}

/// What the solver is asked about a program; the other engines are asked more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Nothing,
    States,
    /// Final states under the simplified model.
    Simplified,
    Verdict,
    Races,
}

/// A program with what to ask of it.
#[derive(Clone, Debug)]
struct Case {
    sketch: Sketch,
    /// An index into the models.
    judge: usize,
    ask: Ask,
    /// Which final states, and what of them, conditions are made of.
    picks: (usize, usize, u32),
    form: Form,
}

#[derive(Clone, Copy, Debug)]
enum Form {
    /// `exists` a whole state.
    State,
    /// `exists` a state mixed from two.
    Mixed,
    /// `~exists` for part of a state.
    Part,
    /// `forall`: part of one state or of another.
    Forall,
}

/// Programs of a profile. The solver is asked nothing of so many for each nine of which it is.
fn cases(profile: Profile, judges: &[(u32, Judge)], unasked: u32) -> impl Strategy<Value = Case> {
    let weights = judges.iter().enumerate().map(|(at, (weight, _))| (*weight, Just(at))).collect();
    let ask = prop_oneof![
        unasked => Just(Ask::Nothing),
        4 => Just(Ask::States),
        2 => Just(Ask::Verdict),
        2 => Just(Ask::Races),
        1 => Just(Ask::Simplified),
    ];
    let form = prop_oneof![
        1 => Just(Form::State),
        3 => Just(Form::Mixed),
        3 => Just(Form::Part),
        2 => Just(Form::Forall),
    ];
    let picks = (0..1000_usize, 0..1000_usize, 1..16_u32);
    (sketch(profile), Union::new_weighted(weights), ask, picks, form)
        .prop_map(|(sketch, judge, ask, picks, form)| Case { sketch, judge, ask, picks, form })
}

type State = Vec<u128>;
type States = BTreeSet<State>;

/// Final states are asked of a solver where another engine finds at most this many: it lists them
/// one after the other.
const STATES: usize = 12;

/// What each engine may spend on a question.
impl Engines {
    fn search(&self) -> (&dyn Engine, Budget) {
        (&self.search, support::limit(Some(5_000), 40))
    }

    fn enumerate(&self) -> (&dyn Engine, Budget) {
        (&self.enumerate, Budget::default().at_most(200))
    }

    fn solver(&self) -> Option<(&dyn Engine, Budget)> {
        #[cfg(feature = "z3")]
        return Some((&self.solver, support::limit(None, 200)));
        #[cfg(not(feature = "z3"))]
        return None;
    }
}

/// One program under one model.
struct Subject<'a> {
    sketch: &'a Sketch,
    test: Test,
    judge: &'a Judge,
    engines: &'a Engines,
}

impl Subject<'_> {
    /// Counts what happened.
    fn count(&self, tally: &mut Tally, what: &'static str) {
        tally.count(&self.judge.row, what);
        if self.sketch.has_unknown_values() {
            tally.count_unknown(what);
        }
    }

    /// Counts answers of two engines that were held against each other.
    fn count_compared(&self, tally: &mut Tally) {
        tally.compared += 1;
        if self.sketch.has_unknown_values() {
            tally.count_unknown("compared");
        }
    }

    fn settings(&self, budget: Budget) -> Settings {
        let Judge { tearing, readings, .. } = *self.judge;
        Settings::default()
            .with_bound(2)
            .with_budget(budget)
            .with_tearing(tearing)
            .with_readings(readings)
    }

    fn ungrounded_graph(&self, settings: Settings) -> EventGraph {
        let unfolding = Unfolding {
            bound: settings.bound(),
            spin_loops: self.judge.model.forgets_reads(),
            tearing: settings.tearing,
            grounded: false,
            ..Unfolding::default()
        };
        unfold(&lower(&self.test, settings.readings), unfolding, &BTreeSet::new())
    }

    /// All final states, where the engine can list them.
    fn states(
        &self,
        model: &Model,
        (engine, budget): (&dyn Engine, Budget),
    ) -> Result<States, &'static str> {
        let settings = self.settings(budget);
        // The reference engine learns nothing of variables that nobody writes.
        let graph = match engine.name() {
            "enumerate" => self.ungrounded_graph(settings),
            _ => graph_of(&self.test, &self.judge.model, settings),
        };
        let found = engine.states(Problem { graph: &graph, model }, budget);
        let found = found.map_err(|_| "unsupported")?;
        match found.incomplete {
            Some(_) => Err("gave up"),
            None => Ok(found.states.into_iter().map(|(state, _)| state).collect()),
        }
    }

    /// The word for the verdict on a question, with the verdict.
    fn verdict(
        &self,
        question: &Test,
        (engine, budget): (&dyn Engine, Budget),
    ) -> Result<(&'static str, Verdict), &'static str> {
        let outcome = check(question, &self.judge.model, engine, self.settings(budget));
        let reduces = outcome.graph.barriers.iter().any(|b| b.reduction.is_some());
        match outcome.verdict {
            Verdict::Unknown(Undecided::Engine(_)) => Err("gave up"),
            Verdict::Unknown(Undecided::Unsupported(_)) => Err("unsupported"),
            // What a barrier returns that is never passed may or may not take a loop to its bound.
            Verdict::Unknown(Undecided::Bound(_)) if reduces => Err("bound before a barrier"),
            verdict => Ok((verdict.kind().name(), verdict)),
        }
    }

    /// The pairs of accesses that race; only whether there are any where `any` says so.
    fn races(
        &self,
        any: bool,
        (engine, budget): (&dyn Engine, Budget),
    ) -> Result<Result<Vec<String>, String>, &'static str> {
        let model = &self.judge.model;
        let graph = graph_of(&self.test, model, self.settings(budget));
        let problem = Problem { graph: &graph, model };
        let found = match any {
            true => find(problem, Pairs::Race, engine, budget)
                .map(|race| race.iter().map(|_| "some".to_owned()).collect()),
            false => races(problem, engine, budget).and_then(Races::all).map(|all| {
                all.iter().map(|r| format!("{:?} {:?}", r.accesses.0, r.accesses.1)).collect()
            }),
        };
        match found {
            Ok(races) => Ok(Ok(races)),
            Err(Verdict::Unknown(Undecided::Engine(_))) => Err("gave up"),
            Err(Verdict::Unknown(Undecided::Unsupported(_))) => Err("unsupported"),
            Err(verdict) => Ok(Err(format!("{verdict:?}"))),
        }
    }

    /// The names of observed values as conditions write them.
    fn names(&self) -> Vec<String> {
        let settings = self.settings(Budget::default());
        let graph = graph_of(&self.test, &self.judge.model, settings);
        let written = |name: &str| match name.split_once(':') {
            Some((thread, register)) if register.starts_with('r') => {
                format!("{thread}:%{register}")
            }
            _ => name.to_owned(),
        };
        graph.observed.iter().map(|o| written(&o.name)).collect()
    }

    /// The question whether a final state is reached that only the axioms exclude, if there is one.
    fn excluded(&self, states: &States, case: &Case) -> Option<String> {
        let model = &self.judge.model;
        let of_values = |a: &usize| model.axioms[*a].clauses.iter().any(|c| c == "PTX-8.10.4");
        let kept: Vec<usize> = (0..model.axioms.len()).filter(of_values).collect();
        let loose = cores::restricted(model, &kept);
        let found = self.states(&loose, self.engines.search()).ok()?;
        let more: Vec<&State> = found.difference(states).collect();
        let state = more.get(case.picks.0 % more.len().max(1))?;
        let names = self.names().into_iter().zip(state.iter().copied());
        Some(self.sketch.asking_for(&names.collect::<Vec<_>>()))
    }

    /// A condition out of final states.
    fn question(&self, states: &States, case: &Case) -> String {
        let (first, second, part) = case.picks;
        let names = self.names();
        let states: Vec<&State> = states.iter().collect();
        if states.is_empty() {
            return self.sketch.asking(&guess(&names, case));
        }
        let (a, b) = (states[first % states.len()], states[second % states.len()]);
        let atoms = |state: &State, wanted: &dyn Fn(usize) -> bool| -> String {
            let atom = |(name, value): (&String, &u128)| format!("{name} == {value}");
            let all: Vec<String> = names.iter().zip(state).map(atom).collect();
            let chosen: Vec<String> =
                all.into_iter().enumerate().filter(|(i, _)| wanted(*i)).map(|(_, a)| a).collect();
            if chosen.is_empty() { "true".to_owned() } else { chosen.join(" /\\ ") }
        };
        let some = |i: usize| part >> (i % 4) & 1 == 1;
        let condition = match case.form {
            Form::State => format!("exists ({})", atoms(a, &|_| true)),
            Form::Mixed => {
                let mixed = a.iter().zip(b).enumerate();
                let mixed = mixed.map(|(i, (x, y))| if some(i) { *x } else { *y }).collect();
                format!("exists ({})", atoms(&mixed, &|_| true))
            }
            Form::Part => format!("~exists ({})", atoms(a, &some)),
            Form::Forall => format!("forall ({} \\/ {})", atoms(a, &some), atoms(b, &some)),
        };
        self.sketch.asking(&condition)
    }
}

/// A condition on final states that nobody has listed.
fn guess(names: &[String], case: &Case) -> String {
    const VALUES: [u32; 8] = [0, 1, 0, 1, 2, 0x80, 0x81, 0xFF];
    let (first, second, part) = case.picks;
    let atom = |(at, name): (usize, &String)| {
        let few = if at == second % names.len() { 8 } else { 2 };
        format!("{name} == {}", VALUES[(first >> (at % 8)) % few])
    };
    let all = matches!(case.form, Form::State);
    let wanted = |at: &usize| all || part >> (at % 4) & 1 == 1;
    let atoms: Vec<String> =
        names.iter().enumerate().filter(|(at, _)| wanted(at)).map(atom).collect();
    let (quantifier, operator) = match case.form {
        Form::State | Form::Mixed => ("exists", " /\\ "),
        Form::Part => ("~exists", " /\\ "),
        Form::Forall => ("forall", " \\/ "),
    };
    match atoms.is_empty() {
        true => format!("{quantifier} (true)"),
        false => format!("{quantifier} ({})", atoms.join(operator)),
    }
}

/// The final states that the first engine found.
#[derive(Default)]
struct Known(Option<(&'static str, States)>);

impl Known {
    /// Holds the states that an engine found against those of the first.
    fn compare(
        &mut self,
        subject: &Subject<'_>,
        name: &'static str,
        found: States,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let Some((other, states)) = &self.0 else {
            self.0 = Some((name, found));
            return Ok(());
        };
        subject.count_compared(tally);
        if *states == found {
            return Ok(());
        }
        let only = |a: &States, b| a.difference(b).cloned().collect::<Vec<_>>();
        Err(format!(
            "{}: of {:?} only {other} has {:?}, only {name} has {:?}",
            subject.judge.name,
            subject.names(),
            only(states, &found),
            only(&found, states)
        ))
    }

    fn few(&self) -> bool {
        self.0.as_ref().is_none_or(|(_, states)| states.len() <= STATES)
    }
}

/// Whether all engines agree on a case.
fn agree(case: &Case, judge: &Judge, engines: &Engines, tally: &mut Tally) -> Result<(), String> {
    let test = parse("random.litmus", case.sketch.text().as_bytes())?;
    let subject = Subject { sketch: &case.sketch, test, judge, engines };
    subject.count(tally, "programs");
    tally.features(&case.sketch.features());
    let states = same_states(&subject, case.ask, tally)?;
    if case.ask == Ask::Races {
        same_races(&subject, case.picks.0.is_multiple_of(4), tally)?;
    }
    same_verdict(&subject, case, &states, tally)
}

fn same_states(subject: &Subject<'_>, ask: Ask, tally: &mut Tally) -> Result<States, String> {
    let Subject { judge, engines, .. } = *subject;
    let mut known = Known::default();
    let plain = || subject.states(&judge.model, engines.search());
    if let Some(found) = tally.timed("search", "states", plain) {
        known.compare(subject, "search", found, tally)?;
        let simplified = || subject.states(&judge.simplified, engines.search());
        if let Some(found) = tally.timed("search", "simplified", simplified) {
            known.compare(subject, "search, simplified,", found, tally)?;
            subject.count(tally, "simplified");
        }
    }
    if known.few() {
        let plain = || subject.states(&judge.model, engines.enumerate());
        if let Some(found) = tally.timed("enumerate", "states", plain) {
            known.compare(subject, "enumerate", found, tally)?;
        }
    }
    let model = match ask {
        Ask::States => Some((&judge.model, "states")),
        Ask::Simplified => Some((&judge.simplified, "simplified")),
        Ask::Nothing | Ask::Verdict | Ask::Races => None,
    };
    if let (Some((model, question)), Some(solver), true) = (model, engines.solver(), known.few())
        && let Some(found) = tally.timed("z3", question, || subject.states(model, solver))
    {
        known.compare(subject, "z3", found, tally)?;
    }
    let Some((_, states)) = known.0 else { return Ok(States::new()) };
    subject.count(tally, "states");
    tally.states(states.len());
    Ok(states)
}

fn same_verdict(
    subject: &Subject<'_>,
    case: &Case,
    states: &States,
    tally: &mut Tally,
) -> Result<(), String> {
    let Subject { judge, engines, .. } = *subject;
    let text = subject.question(states, case);
    let question = parse("random.litmus", text.as_bytes())?;
    let mut asked = vec![engines.search(), engines.enumerate()];
    // Where values are unknown, it is often only the solver that knows what follows from them.
    let unknown = case.ask == Ask::Nothing && subject.sketch.has_unknown_values();
    if case.ask == Ask::Verdict || unknown {
        asked.extend(engines.solver());
    }
    let mut known: Option<(&'static str, (&'static str, Verdict))> = None;
    for engine in asked {
        let name = engine.0.name();
        let ask = || subject.verdict(&question, engine);
        let Some(found) = tally.timed(name, "verdict", ask) else { continue };
        if found.0 == "error" {
            return Err(format!("{}: {name} says {:?}\n{text}", judge.name, found.1));
        }
        let Some((other, verdict)) = &known else {
            subject.count(tally, found.0);
            known = Some((name, found));
            continue;
        };
        subject.count_compared(tally);
        if verdict.0 != found.0 {
            let (one, two) = (&verdict.1, &found.1);
            return Err(format!("{}: {other} says {one:?}, {name} {two:?}\n{text}", judge.name));
        }
    }
    if known.is_some() {
        subject.count(tally, "verdicts");
    }
    if !case.picks.1.is_multiple_of(CORES) {
        return Ok(());
    }
    let text = subject.excluded(states, case).unwrap_or(text);
    let question = parse("random.litmus", text.as_bytes())?;
    right_cores(subject, &question, tally).map_err(|why| format!("{why}\n{text}"))
}

/// Of so many programs, the cores of one are looked at.
const CORES: usize = 8;

/// Whether the axioms that each engine names exclude an outcome.
fn right_cores(subject: &Subject<'_>, question: &Test, tally: &mut Tally) -> Result<(), String> {
    let Subject { judge, engines, .. } = *subject;
    let minimal = Enumerate { cores: Cores::Minimal };
    let quick = SearchEngine::with_cores(Cores::FirstProof);
    let mut asked =
        vec![engines.search(), (&quick, engines.search().1), (&minimal, engines.enumerate().1)];
    asked.extend(engines.solver());
    let confirming = [Some(engines.enumerate()), engines.solver()];
    let confirming: Vec<_> = confirming.into_iter().flatten().collect();
    let graph = graph_of(question, &judge.model, subject.settings(Budget::default()));
    let problem = Problem { graph: &graph, model: &judge.model };
    let goal = goal_of(question.quantifier);
    for (engine, budget) in asked {
        let ask = || match engine.find(problem, goal, budget) {
            Answer::No(core) => Ok(core),
            Answer::Yes(_) => Err("allowed"),
            Answer::Unknown(_) => Err("gave up"),
            Answer::Unsupported(_) => Err("unsupported"),
        };
        let Some(core) = tally.timed(engine.name(), "core", ask) else { continue };
        let confirm = || Ok(cores::confirm(problem, goal, &core, &confirming));
        let known = tally.timed("all", "of a core", confirm).expect("an answer");
        let known = known.map_err(|why| format!("{}: {}: {why}", judge.name, engine.name()))?;
        tally.core(match (known, core.minimal, core.axioms.is_empty()) {
            (cores::Known::Part, ..) => "not known",
            (cores::Known::All, false, _) => "right",
            (cores::Known::All, true, false) => "right and minimal",
            (cores::Known::All, true, true) => "right and empty",
        });
    }
    Ok(())
}

/// Races under the model, where it defines them: which pairs, or only whether there are any.
fn same_races(subject: &Subject<'_>, each: bool, tally: &mut Tally) -> Result<(), String> {
    let Subject { judge, engines, .. } = *subject;
    if judge.model.definition("race").is_none() {
        return Ok(());
    }
    let question = if each { "each race" } else { "any race" };
    let mut asked = vec![engines.search(), engines.enumerate()];
    asked.extend(engines.solver());
    let mut known: Option<(&'static str, Vec<String>)> = None;
    for engine in asked {
        let name = engine.0.name();
        let Some(found) = tally.timed(name, question, || subject.races(!each, engine)) else {
            continue;
        };
        let found = found.map_err(|why| format!("{}: {name} says {why}", judge.name))?;
        match &known {
            Some((other, races)) if *races != found => {
                let name_of = &judge.name;
                return Err(format!("{name_of}: {other} has races {races:?}, {name} {found:?}"));
            }
            Some(_) => subject.count_compared(tally),
            None => {
                subject.count(tally, "races");
                if !found.is_empty() {
                    subject.count(tally, "racy");
                }
                known = Some((name, found));
            }
        }
    }
    Ok(())
}

fn parameter(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().expect("a number"))
}

/// Compares engines on random programs of a profile.
fn run(title: &str, profile: Profile, unasked: u32, cases_asked: u64) {
    let seed = parameter("PTXMC_DIFFERENTIAL_SEED").unwrap_or(1);
    let judges = judges();
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: u32::try_from(cases_asked).expect("fewer cases"),
        failure_persistence: None,
        max_shrink_iters: 5_000,
        ..Config::default()
    };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let engines = Engines::new();
    let tally = RefCell::new(Tally::default());
    let start = Instant::now();
    let result =
        TestRunner::new_with_rng(config, rng).run(&cases(profile, &judges, unasked), |case| {
            let judge = &judges[case.judge].1;
            agree(&case, judge, &engines, &mut tally.borrow_mut()).map_err(TestCaseError::fail)
        });
    let time = start.elapsed().as_secs_f64();
    tally.borrow().print(&format!("{title}: seed {seed}, {cases_asked} programs, {time:.1} s"));
    match result {
        Ok(()) => {
            let compared = tally.borrow().compared;
            assert!(compared >= cases_asked, "{compared} answers compared, fewer than programs");
        }
        Err(TestError::Fail(reason, case)) => {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/differential");
            std::fs::create_dir_all(&folder).expect("a folder for the program");
            let path = folder.join(format!("{title}-{seed}.litmus"));
            std::fs::write(&path, case.sketch.text()).expect("a file for the program");
            let ask = case.ask;
            panic!("{}\n{}\n{ask:?}: {reason}", path.display(), case.sketch.text());
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn small_programs() {
    run("small", small(), 20, parameter("PTXMC_DIFFERENTIAL_CASES").unwrap_or(600));
}

#[test]
fn large_programs() {
    let cases = parameter("PTXMC_DIFFERENTIAL_CASES").map(|cases| cases.div_ceil(10));
    run("large", large(), 20, cases.unwrap_or(40));
}

/// Where the solver does what no other engine does, it is asked of most programs.
#[test]
fn programs_with_barriers_and_sums() {
    let cases = parameter("PTXMC_DIFFERENTIAL_CASES").map(|cases| cases.div_ceil(2));
    run("barriers", barriers_and_sums(), 3, cases.unwrap_or(100));
}

/// The templates are forms that the assembler knows, and all of them make tests.
#[test]
fn sketches_are_tests() {
    let mut runner = TestRunner::deterministic();
    let mut complaints = BTreeSet::new();
    for profile in [small(), large()] {
        let strategy = sketch(profile);
        for _ in 0..2_000 {
            let sketch = strategy.new_tree(&mut runner).expect("a program").current();
            if let Err(error) = parse("random.litmus", sketch.text().as_bytes()) {
                complaints.insert(format!("{error}\n{sketch:?}"));
            }
        }
    }
    assert!(complaints.is_empty(), "{}", Vec::from_iter(complaints).join("\n"));
}
