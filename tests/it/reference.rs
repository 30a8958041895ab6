//! Every engine on the shipped suite and on tests that others wrote, with the verdicts that they
//! expect.

#![allow(clippy::print_stdout, reason = "what was compared, for whoever looks")]

use crate::comparison::cores;
use crate::support;
use crate::support::{corpus, litmus_files, model, read};
use ptxmc::testing::cat::BUILTIN;
use ptxmc::testing::check::{Settings, check, goal_of, graph_of};
use ptxmc::testing::engines::Choice;
use ptxmc::testing::race::find;
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::Cores;
use ptxmc::testing::solve::enumerate::Enumerate;
use ptxmc::testing::solve::search::SearchEngine;
use ptxmc::testing::solve::{Engine, Pairs, Problem};
use ptxmc::testing::source::Files;
use ptxmc::testing::verdict::{Kind, Undecided, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// All engines; the reference engine without the work of making cores minimal.
fn engines() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(Enumerate { cores: Cores::FirstProof }),
        Box::<SearchEngine>::default(),
        #[cfg(feature = "z3")]
        Box::<ptxmc::testing::solve::z3::Z3Engine>::default(),
    ]
}

/// Fails with all complaints at once.
fn report(what: &str, asked: usize, complaints: &[String]) {
    assert!(asked > 0, "{what}: nothing to do");
    println!("{what}: {asked} tests, {} complaints", complaints.len());
    assert!(complaints.is_empty(), "{what}:\n{}", complaints.join("\n"));
}

/// One shipped test of so many is looked at in the quick run, by tests that ask every engine.
const ONE_OF: usize = 10;

#[test]
fn engines_on_the_suite() {
    engines_on(2 * ONE_OF);
}

#[test]
#[ignore = "nightly: the whole suite by every engine"]
fn engines_on_the_whole_suite() {
    engines_on(1);
}

/// The suite in `litmus/` under every model that a test expects something of; what is too large or
/// not supported is counted, and has to be decided by some engine.
fn engines_on(one_of: usize) {
    let files = litmus_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus"));
    let models: Vec<Model> = BUILTIN.iter().map(|b| model(b.name)).collect();
    let engines = engines();
    let (mut complaints, mut asked, mut undecided) = (Vec::new(), 0, 0);
    for path in files.iter().step_by(one_of) {
        let test = read(path).unwrap_or_else(|error| panic!("{error}"));
        for model in &models {
            let own = test.metadata(&format!("Expect[{}]", model.name));
            let Some(expected) = own.or(test.metadata("Expect")) else { continue };
            asked += 1;
            let mut decided = false;
            for engine in &engines {
                // Each gives up on large programs.
                let steps = (engine.name() != "z3").then_some(2_000);
                let milliseconds = if one_of > 1 { 300 } else { 5_000 };
                let budget = support::limit(steps, milliseconds);
                let settings = Settings::default().with_budget(budget);
                let verdict = check(&test, model, engine.as_ref(), settings).verdict;
                // Where a bound is raised, few steps may be too few.
                let gives_up = |why: &Undecided| match why {
                    Undecided::Bound(_) => expected != "unknown",
                    _ => true,
                };
                if matches!(&verdict, Verdict::Unknown(why) if gives_up(why)) {
                    undecided += 1;
                    continue;
                }
                decided = true;
                if verdict.kind().name() != expected {
                    let place = format!("{} under {}", path.display(), model.name);
                    complaints.push(format!(
                        "{place}, {}: {verdict:?}, expected {expected}",
                        engine.name()
                    ));
                }
            }
            // What all find large, one has to decide that is given the time.
            let patient = Choice::Auto.engines();
            if !decided
                && check(&test, model, patient[0].as_ref(), Settings::default())
                    .verdict
                    .kind()
                    .name()
                    != expected
            {
                complaints.push(format!("{}: no engine decides it", path.display()));
            }
        }
    }
    println!("suite: {undecided} answers left to other engines");
    report("suite", asked, &complaints);
}

#[test]
fn cores_of_first_proofs() {
    right_first_proofs(ONE_OF);
}

#[test]
#[ignore = "nightly: the whole suite by every engine"]
fn cores_of_all_first_proofs() {
    right_first_proofs(1);
}

/// Without the work of making cores small the verdicts are the same, and what the cores name is
/// enough; of so many shipped tests, one is looked at.
fn right_first_proofs(one_of: usize) {
    let model = model("ptx-9.2");
    let quick = Choice::All.engines_with(Cores::FirstProof);
    let settings = Settings::default().with_bound(2).with_budget(support::limit(Some(2_000), 100));
    let smallest = SearchEngine::default();
    let (mut complaints, mut asked) = (Vec::new(), 0);
    let paths = litmus_files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("litmus"));
    for path in paths.iter().step_by(one_of) {
        let test = read(path).unwrap_or_else(|error| panic!("{error}"));
        let verdict = check(&test, &model, &smallest, settings).verdict;
        if verdict.kind() != Kind::Forbidden {
            continue;
        }
        let graph = graph_of(&test, &model, settings);
        let problem = Problem { graph: &graph, model: &model };
        for engine in &quick {
            let fine = match check(&test, &model, engine.as_ref(), settings).verdict {
                Verdict::Unknown(_) => continue,
                Verdict::Forbidden(more) if !more.endless.is_empty() => Ok(()),
                Verdict::Forbidden(more) => {
                    let confirming: Vec<_> =
                        quick.iter().map(|e| (e.as_ref(), settings.budget)).collect();
                    cores::confirm(problem, goal_of(test.quantifier), &more, &confirming).map(drop)
                }
                other => Err(format!("{other:?}")),
            };
            asked += 1;
            if let Err(why) = fine {
                complaints.push(format!("{}, {}: {why}", path.display(), engine.name()));
            }
        }
    }
    report("cores of first proofs", asked, &complaints);
}

/// Under a model that does not exclude values which justify themselves, an engine that does not
/// look for them says so: none forbids or leaves out what another one finds.
#[test]
fn self_justified_values() {
    let mutants = support::mutants::mutants();
    let mutant = mutants.iter().find(|m| m.name == "no-thin-air-axiom-dropped");
    let model = support::mutants::model_of(mutant.expect("a mutant without the axiom"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = litmus_files(&root.join("litmus/thin-air"));
    files.extend(litmus_files(&root.join("tests/found")));
    let settings = Settings::default().with_bound(2).with_budget(support::limit(None, 1_000));
    let (mut complaints, mut asked) = (Vec::new(), 0);
    for path in &files {
        let test = read(path).unwrap_or_else(|error| panic!("{error}"));
        let mut found = Vec::new();
        for engine in &engines() {
            let verdict = check(&test, &model, engine.as_ref(), settings).verdict.kind().name();
            let graph = graph_of(&test, &model, settings);
            let problem = Problem { graph: &graph, model: &model };
            let any = find(problem, Pairs::Race, engine.as_ref(), settings.budget);
            let any = any.ok().map(|race| race.is_some());
            // Where values come from nowhere, there may be too many states to list.
            let states = match engine.states(problem, settings.budget) {
                Ok(states) if states.incomplete.is_none() => Some(states.states),
                _ => None,
            };
            let states = states.map(|s| s.into_iter().map(|(state, _)| state).collect::<Vec<_>>());
            found.push((engine.name(), verdict, any, states));
        }
        asked += 1;
        let verdicts: BTreeSet<_> =
            found.iter().map(|f| f.1).filter(|&verdict| verdict != "unknown").collect();
        let races: BTreeSet<_> = found.iter().filter_map(|f| f.2).collect();
        let states: BTreeSet<_> = found.iter().filter_map(|f| f.3.clone()).collect();
        if verdicts.len() > 1 || races.len() > 1 || states.len() > 1 {
            complaints.push(format!("{}: {found:?}", path.display()));
        }
    }
    report("self-justified values", asked, &complaints);
}

/// NVIDIA's own tests under the model that they were written for.
#[test]
fn nvlitmus() {
    let Some(folder) = corpus("nvlitmus") else { return };
    let model = model("ptx-7.5");
    let (mut complaints, mut asked) = (Vec::new(), 0);
    for entry in std::fs::read_dir(folder).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        if path.extension().is_none_or(|e| e != "test") {
            continue;
        }
        let bytes = std::fs::read(&path).expect("a readable test");
        let name = path.display().to_string();
        let parsed =
            ptxmc::testing::litmus::parse::parse_bytes(&mut Files::default(), &name, &bytes);
        for test in &parsed.tests {
            let Some(expected) = test.metadata("Expect") else { continue };
            for engine in engines() {
                asked += 1;
                let verdict = check(test, &model, engine.as_ref(), Settings::default()).verdict;
                if verdict.kind().name() != expected {
                    complaints.push(format!("{}, {}: {verdict:?}", test.name, engine.name()));
                }
            }
        }
    }
    report("nvlitmus", asked, &complaints);
}

/// `Expect=` of each file of `reference/` under ptx-9.2.
#[test]
fn brute_force_reference() {
    let Some(folder) = corpus("reference") else { return };
    let model = model("ptx-9.2");
    let files = litmus_files(&folder);
    let complaints: Vec<String> = engines()
        .iter()
        .flat_map(|e| files.iter().map(move |path| (e, path)))
        .filter_map(|(engine, path)| unexpected(path, &model, engine.as_ref()).err())
        .collect();
    report("reference", files.len(), &complaints);
}

fn unexpected(path: &Path, model: &Model, engine: &dyn Engine) -> Result<(), String> {
    let test = read(path)?;
    let expected = test.metadata("Expect").ok_or(format!("{}: no Expect", path.display()))?;
    let outcome = check(&test, model, engine, Settings::default());
    let found = outcome.verdict.kind().name();
    if found == expected {
        return Ok(());
    }
    Err(format!("{}: {found}, expected {expected} ({:?})", path.display(), outcome.verdict))
}

/// Dartagnan's tests under its model of PTX 6.0.
#[test]
fn dartagnan_6_0() {
    dartagnan("ptx-6.0", "PTXv6_0-expected.csv", include_str!("../expected/dat3m-ptx-6.0.csv"));
}

/// Dartagnan's tests under its model of PTX 7.5.
#[test]
fn dartagnan_7_5() {
    dartagnan("ptx-7.5", "PTXv7_5-expected.csv", include_str!("../expected/dat3m-ptx-7.5.csv"));
}

/// Lines of `test,holds,...`: what is said of the quantified condition of a test.
fn table(text: &str) -> BTreeMap<String, String> {
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|line| {
            let mut cells = line.splitn(3, ',');
            let mut cell = || cells.next().unwrap_or("").trim().to_owned();
            (cell(), cell())
        })
        .collect()
}

/// Each test's condition holds or fails as in `expected`, except where `deviations` argues for
/// something else.
fn dartagnan(model_name: &str, expected: &str, deviations: &str) {
    let Some(folder) = corpus("dat3m") else { return };
    let model = model(model_name);
    let text = std::fs::read_to_string(folder.join(expected)).expect("the table of results");
    let (expected, deviations) = (table(&text), table(deviations));
    let mut complaints = Vec::new();
    let asked = engines();
    for ((name, theirs), engine) in expected.iter().flat_map(|e| asked.iter().map(move |a| (e, a)))
    {
        let wanted = deviations.get(name).unwrap_or(theirs);
        let found = match read(&folder.join(name)) {
            Ok(test) => {
                let outcome = check(&test, &model, engine.as_ref(), Settings::default());
                match outcome.holds {
                    Some(holds) => u8::from(holds).to_string(),
                    None => outcome.verdict.kind().name().to_owned(),
                }
            }
            Err(message) => message,
        };
        if found != *wanted {
            complaints.push(format!("{name}, {}: {found}, expected {wanted}", engine.name()));
        }
        if deviations.get(name) == Some(theirs) {
            complaints.push(format!("{name}: listed as a deviation and is none"));
        }
    }
    let unknown = deviations.keys().filter(|name| !expected.contains_key(*name));
    complaints.extend(unknown.map(|name| format!("{name}: listed as a deviation and no test")));
    report(model_name, expected.len(), &complaints);
}
