//! Random programs with asynchronous operations, by every engine: final states, verdicts, races and
//! hangs.
//!
//! `PTXMC_PIPELINES_CASES` and `PTXMC_PIPELINES_SEED` make a run longer or another one. A program on which
//! engines disagree is made small, step by step, and written to `target/differential`.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::comparison::{Engines, Tally};
use crate::programs::asynchronous::{Pipeline, pipelines};
use crate::support::random::drawn;
use crate::support::{limit, model, parse};
use proptest::strategy::{Strategy, ValueTree};
use ptxmc::testing::check::{HangKind, Settings, check, graph_of, hang, states};
use ptxmc::testing::litmus::ast::Test;
use ptxmc::testing::race::{Races, find, races};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::{Budget, Engine, Pairs, Problem};
use ptxmc::testing::verdict::{Undecided, Verdict};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Instant;

/// What is asked of the engines, as words that are equal where the answers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    States,
    Verdict,
    AnyRace,
    EachRace,
    Hang,
}

impl Question {
    const ALL: [Self; 5] = [Self::Verdict, Self::States, Self::AnyRace, Self::EachRace, Self::Hang];

    fn name(self) -> &'static str {
        match self {
            Self::States => "states",
            Self::Verdict => "verdict",
            Self::AnyRace => "any race",
            Self::EachRace => "each race",
            Self::Hang => "hang",
        }
    }
}

/// An engine with what it may spend on a question.
type Asked<'a> = (&'a dyn Engine, Budget);

/// The answer of an engine, or why there is none.
fn answer(
    test: &Test,
    model: &Model,
    question: Question,
    (engine, budget): Asked<'_>,
) -> Result<Vec<String>, &'static str> {
    let settings = Settings::default().with_bound(2).with_budget(budget);
    let unknown = |verdict: &Verdict| match verdict {
        Verdict::Unknown(Undecided::Engine(_)) => Some("gave up"),
        Verdict::Unknown(Undecided::Unsupported(_)) => Some("unsupported"),
        _ => None,
    };
    match question {
        Question::States => {
            let found = states(test, model, engine, settings).map_err(|_| "unsupported")?.0;
            match found.incomplete {
                Some(_) => Err("gave up"),
                None => Ok(found.states.iter().map(|(state, _)| format!("{state:?}")).collect()),
            }
        }
        Question::Verdict => {
            let verdict = check(test, model, engine, settings).verdict;
            match unknown(&verdict) {
                Some(why) => Err(why),
                None => Ok(vec![verdict.kind().name().to_owned()]),
            }
        }
        Question::AnyRace | Question::EachRace => {
            let graph = graph_of(test, model, settings);
            let problem = Problem { graph: &graph, model };
            let found: Result<Vec<String>, Verdict> = match question {
                Question::AnyRace => find(problem, Pairs::Race, engine, budget)
                    .map(|race| race.iter().map(|_| "some".to_owned()).collect()),
                _ => races(problem, engine, budget)
                    .and_then(Races::all)
                    .map(|all| all.iter().map(|race| format!("{:?}", race.accesses)).collect()),
            };
            found.map_err(|verdict| unknown(&verdict).unwrap_or("an error"))
        }
        Question::Hang => {
            let outcome = check(test, model, engine, settings);
            match hang(test, model, engine, settings, &outcome).kind() {
                HangKind::Unknown => Err("gave up"),
                kind => Ok(vec![kind.name().to_owned()]),
            }
        }
    }
}

impl Engines {
    /// The engines that are asked; the solver where it is wanted.
    fn all(&self, solver: bool) -> Vec<Asked<'_>> {
        let quick: [Asked<'_>; 2] =
            [(&self.search, limit(Some(5_000), 100)), (&self.enumerate, limit(Some(200), 20))];
        let mut all = Vec::from(quick);
        #[cfg(feature = "z3")]
        if solver {
            all.push((&self.solver, limit(None, 500)));
        }
        all.truncate(if solver { 3 } else { 2 });
        all
    }
}

/// Whether all engines that answer give the same answer; it, if some engine does.
fn agreed(
    test: &Test,
    model: &Model,
    question: Question,
    engines: &[Asked<'_>],
    tally: &mut Tally,
) -> Result<Option<Vec<String>>, String> {
    let mut known: Option<(&str, Vec<String>)> = None;
    for &(engine, ref budget) in engines {
        let name = engine.name();
        let ask = || answer(test, model, question, (engine, *budget));
        let Some(found) = tally.timed(name, question.name(), ask) else { continue };
        match &known {
            None => known = Some((name, found)),
            Some((other, one)) if *one != found => {
                let (what, of) = (question.name(), &model.name);
                return Err(format!("{of}, {what}: {other} says {one:?}, {name} {found:?}"));
            }
            Some(_) => tally.compared += 1,
        }
    }
    Ok(known.map(|(_, found)| found))
}

/// Asks the questions whose turn it is about one program; the solver only what `with_solver` says.
fn agree(
    (case, pipeline): (u64, &Pipeline),
    model: &Model,
    with_solver: Option<Question>,
    engines: &Engines,
    tally: &mut Tally,
) -> Result<(), String> {
    let text = pipeline.text();
    let test = parse("pipeline.litmus", text.as_bytes())?;
    let row = &model.name;
    tally.count(row, "programs");
    tally.features(&pipeline.features());
    // The verdict and the final states are always asked for, the others in turn.
    let turn = 2 + case as usize % (Question::ALL.len() - 2);
    for question in [Question::ALL[0], Question::ALL[1], Question::ALL[turn]] {
        let asked = engines.all(with_solver == Some(question));
        let found = agreed(&test, model, question, &asked, tally)?;
        match (question, found) {
            (Question::Verdict, found) => {
                const KINDS: [&str; 5] =
                    ["allowed", "forbidden", "undefined", "deadlock", "out-of-model"];
                let word = found.and_then(|found| KINDS.into_iter().find(|kind| found[0] == *kind));
                tally.count(row, word.unwrap_or("unknown"));
                tally.count(row, "verdicts");
            }
            (Question::States, Some(found)) => {
                tally.count(row, "states");
                tally.states(found.len());
            }
            (Question::AnyRace | Question::EachRace, Some(found)) => {
                tally.count(row, "races");
                if !found.is_empty() {
                    tally.count(row, "racy");
                }
            }
            (Question::Hang, Some(found)) if found[0] == "possible" => tally.count(row, "may hang"),
            _ => {}
        }
    }
    Ok(())
}

/// The smallest program that is found by leaving out steps, on which engines still disagree.
fn smallest(
    (case, pipeline): (u64, Pipeline),
    model: &Model,
    with_solver: Option<Question>,
    engines: &Engines,
) -> Pipeline {
    let disagree = |p: &Pipeline| {
        let known = parse("pipeline.litmus", p.text().as_bytes()).is_ok();
        known && agree((case, p), model, with_solver, engines, &mut Tally::default()).is_err()
    };
    pipeline.smallest(disagree)
}

/// Compares engines on random programs.
fn run(cases: u64, mut runner: proptest::test_runner::TestRunner) {
    let models = ["ptx-9.2", "ptx-9.2", "ptx-9.2", "ptx-9.4"].map(model);
    let engines = Engines::new();
    let (mut tally, mut complaints) = (Tally::default(), Vec::new());
    let (start, mut seen) = (Instant::now(), BTreeSet::new());
    let strategy = pipelines();
    for case in 0..cases {
        let pipeline = strategy.new_tree(&mut runner).expect("a program").current();
        let model = &models[case as usize % models.len()];
        let with_solver = match case % 24 {
            0 => Some(Question::States),
            7 | 16 => Some(Question::Verdict),
            12 => Some(Question::AnyRace),
            20 => Some(Question::Hang),
            _ => None,
        };
        seen.insert(pipeline.text());
        let Err(why) = agree((case, &pipeline), model, with_solver, &engines, &mut tally) else {
            continue;
        };
        let small = smallest((case, pipeline), model, with_solver, &engines);
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/differential");
        std::fs::create_dir_all(&folder).expect("a folder for the program");
        let path = folder.join(format!("pipeline-{case}.litmus"));
        std::fs::write(&path, small.text()).expect("a file for the program");
        let small_why = agree((case, &small), model, with_solver, &engines, &mut Tally::default());
        println!("{}: {why}\n{small_why:?}\n{}", path.display(), small.text());
        complaints.push(format!("{}\n{why}\n{}", path.display(), small.text()));
    }
    let time = start.elapsed().as_secs_f64();
    tally.print(&format!("pipelines: {} different programs, {time:.1} s", seen.len()));
    assert!(complaints.is_empty(), "{} programs:\n{}", complaints.len(), complaints.join("\n"));
    // A slow machine leaves more questions to the first engine.
    assert!(4 * tally.compared >= cases, "only {} answers compared", tally.compared);
}

/// Programs in the quick run.
const QUICK: u64 = 120;

#[test]
fn engines_agree_on_pipelines() {
    let (_, runner) = drawn("PIPELINES");
    run(QUICK, runner);
}

#[test]
#[ignore = "nightly: as many programs as PTXMC_PIPELINES_CASES says"]
fn engines_agree_on_many_pipelines() {
    let (cases, runner) = drawn("PIPELINES");
    run(cases, runner);
}
