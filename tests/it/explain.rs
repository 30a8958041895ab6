//! Explanations of forbidden outcomes: what they say of the execution that they show.

use ptxmc::batch::{Case, Judgement, judge};
use ptxmc::report::explanation::{self, Subject};
use ptxmc::report::reason::forbidden;
use ptxmc::report::witness::Picture;
use ptxmc::testing::check::{Settings, goal_of};
use ptxmc::testing::engines::Choice;
use ptxmc::testing::execution::{build::Execution, recheck::recheck};
use ptxmc::testing::explain::{Absent, Counterfactual, counterfactual};
use ptxmc::testing::relation::axiom::Failure;
use ptxmc::testing::relation::eval::{Interpretation, evaluate};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::solve::{Core, Problem};
use ptxmc::testing::verdict::Verdict;
use ptxmc::testing::vocabulary::BaseRel;
use ptxmc::testing::{cat, litmus, source::Files};
use std::fs;

/// The shipped tests.
fn shipped(files: &mut Files) -> Vec<Case> {
    let mut paths: Vec<_> = fs::read_dir("litmus")
        .expect("shipped tests")
        .flat_map(|family| fs::read_dir(family.expect("readable").path()).expect("a folder"))
        .map(|file| file.expect("readable").path().display().to_string())
        .collect();
    paths.sort();
    let mut cases = Vec::new();
    for path in paths {
        let text = fs::read(&path).expect("a readable test");
        let parsed = litmus::parse::parse_bytes(files, &path, &text);
        cases.extend(parsed.tests.into_iter().map(|test| Case {
            path: path.clone(),
            test,
            expected: Vec::new(),
        }));
    }
    cases
}

/// What is said in words has to be true of the execution.
fn truthful(text: &str, core: &Core, found: &Counterfactual, model: &Model) {
    let broken: Vec<usize> = found.broken.iter().map(|failure| failure.axiom).collect();
    assert!(broken.iter().any(|axiom| core.axioms.contains(axiom)), "{text}");
    let name = |axiom: usize| model.axioms[axiom].name.as_str();
    let without = text.lines().find_map(|line| line.strip_prefix("Without ")).expect("a heading");
    let without = without.split(", this execution").next().expect("a list");
    let mut named: Vec<&str> = without.split(", ").flat_map(|part| part.split(" and ")).collect();
    let mut names: Vec<&str> = broken.iter().map(|&axiom| name(axiom)).collect();
    named.sort_unstable();
    names.sort_unstable();
    assert_eq!(named, names, "{text}");
    for &axiom in &broken {
        assert!(text.contains(&format!("It breaks {}: ", name(axiom))), "{text}");
    }
    for &axiom in core.axioms.iter().filter(|axiom| !broken.contains(axiom)) {
        let said = text.lines().any(|line| line.contains("exclude") && line.contains(name(axiom)));
        assert!(said, "{} of the core is not broken: {text}", name(axiom));
    }
    let doubted = text.contains("perhaps more of them than needed");
    assert_eq!(doubted, !core.minimal && core.axioms.len() > 1, "{text}");
    assert!(
        broken.len() < 2 || text.contains("axioms or more") || text.contains("may break fewer")
    );
}

/// Every step of the ways that are shown has to be there; how many there were.
fn steps_hold(text: &str, model: &Model, execution: &Execution<'_>) -> usize {
    let picture = Picture::of_execution("test", execution, model);
    let event = |label: &str| {
        let mut all = execution.graph.ids();
        all.find(|&id| picture.label(id) == label).expect("an event with this label")
    };
    let mut steps = 0;
    for line in text.lines().filter(|line| line.contains(", and back by ")) {
        let Some((_, way)) =
            line.rsplit_once(": ").filter(|(_, way)| way.contains("->") && !way.contains("init "))
        else {
            continue;
        };
        let words: Vec<&str> = way.split(' ').collect();
        for step in words.windows(3).step_by(2) {
            let [from, arrow, to] = step else { unreachable!("three words") };
            let Some(name) = arrow.strip_prefix('-').and_then(|a| a.strip_suffix("->")) else {
                continue;
            };
            let holds = match model.definition(name) {
                Some(node) => {
                    let values = evaluate(&model.arena, &[node], execution);
                    values.relation(node).contains(event(from), event(to))
                }
                None => {
                    let base = BaseRel::named(name)
                        .unwrap_or_else(|| panic!("no relation `{name}`: {text}"));
                    execution.relation(base).contains(event(from), event(to))
                }
            };
            assert!(holds, "{from} -{name}-> {to}: {text}");
            steps += 1;
        }
    }
    steps
}

/// Of one axiom nothing can be left out, whether or not it was tried.
#[test]
fn only_lists_of_axioms_are_doubted() {
    let mut files = Files::default();
    let builtin = cat::library::builtin("ptx-9.2").expect("a built-in model");
    let model = cat::parse_builtin(&mut files, builtin, &cat::Options::default()).model;
    let doubted = |axioms: &[usize], minimal| {
        let mut core = Core::default();
        (core.axioms, core.minimal) = (axioms.to_vec(), minimal);
        forbidden(&core, &model, &files).contains("perhaps not all")
    };
    assert!(doubted(&[0, 1], false));
    assert!(!doubted(&[0, 1], true) && !doubted(&[0], true) && !doubted(&[0], false));
}

#[test]
fn explanations_agree_with_their_executions() {
    let mut files = Files::default();
    let builtin = cat::library::builtin("ptx-9.2").expect("a built-in model");
    let model = cat::parse_builtin(&mut files, builtin, &cat::Options::default()).model;
    let engines = Choice::Auto.engines();
    let (mut shown, mut several, mut untold, mut steps) = (0, 0, 0, 0);
    for case in &shipped(&mut files) {
        let judgements: Vec<Judgement> =
            judge(case, std::slice::from_ref(&model), &engines, Settings::default());
        let Verdict::Forbidden(core) = &judgements[0].verdict else { continue };
        let graph = judgements[0].graph.as_ref().expect("a forbidden outcome has a graph");
        let problem = Problem { graph, model: &model };
        let goal = goal_of(case.test.quantifier);
        let found = counterfactual(problem, core, goal, engines[0].as_ref(), Default::default());
        let subject = Subject { case, judgement: &judgements[0], model: &model, files: &files };
        let text = explanation::render(subject, Some(&found));
        match &found {
            Ok(found) => {
                let execution = Execution::build(graph, found.choices.clone()).expect("it exists");
                // Where an axiom is broken in several places, the condition chooses one.
                let axioms =
                    |broken: &[Failure]| broken.iter().map(|f| f.axiom).collect::<Vec<_>>();
                let broken = recheck(&model, &execution).broken;
                assert_eq!(axioms(&broken), axioms(&found.broken), "{text}");
                truthful(&text, core, found, &model);
                steps += steps_hold(&text, &model, &execution);
                shown += 1;
                several += usize::from(found.broken.len() > 1);
            }
            Err(Absent::NoCandidate) => {
                let told = text.contains("o execution") || text.contains("Only an execution");
                assert!(told, "{text}");
            }
            Err(Absent::Untold) => untold += 1,
        }
    }
    assert!(shown > 300, "{shown} executions");
    assert!(several > 20 && several * 4 < shown, "{several} of {shown} break several axioms");
    assert!(steps > 500, "{steps} steps");
    assert!(untold < 5, "{untold} outcomes without an execution");
}
