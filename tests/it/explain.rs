//! Explanations of forbidden outcomes: what they say of the execution that they show.

use crate::support::command::ptxmc;
use ptxmc::batch::{Case, Judgement, judge};
use ptxmc::testing::check::{Settings, goal_of};
use ptxmc::testing::engines::Choice;
use ptxmc::testing::execution::{build::Execution, recheck::recheck};
use ptxmc::testing::explain::{Absent, Counterfactual, counterfactual};
use ptxmc::testing::relation::axiom::Failure;
use ptxmc::testing::relation::eval::{Interpretation, evaluate};
use ptxmc::testing::relation::expr::Model;
use ptxmc::testing::report::explanation::{self, Subject};
use ptxmc::testing::report::proof::Depth;
use ptxmc::testing::report::reason::forbidden;
use ptxmc::testing::report::witness::Picture;
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

/// Every line of a proof holds in the execution, and a line without others below it is about a base
/// relation or a set; how many there were.
fn proofs_hold(text: &str, model: &Model, execution: &Execution<'_>) -> usize {
    let picture = Picture::of_execution("test", execution, model);
    let events = |label: &str| {
        execution.graph.ids().filter(|&id| picture.label(id) == label).collect::<Vec<_>>()
    };
    let depth = |line: &str| line.len() - line.trim_start().len();
    let lines: Vec<&str> =
        text.lines().skip_while(|line| !line.starts_with("Step by step")).collect();
    let mut proved = 0;
    // Cases of the other order of two fences are sentences.
    let is_case = |line: &str| {
        let line = line.trim_start();
        ["- ", "The other way round ", "Whichever of the two "].iter().any(|s| line.starts_with(s))
    };
    let is_claim = |line: &str| line.starts_with("       ") && !is_case(line);
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| is_claim(line)) {
        if let Some(legend) = line.trim_start().strip_prefix("where ") {
            for part in legend.split("; ") {
                let (letter, place) = part.split_once(" is of ").expect("a letter and its place");
                let (thread, _) = place.rsplit_once(", line ").expect("a thread and a line");
                let agent =
                    |&id: &_| &execution.graph.agents[execution.graph.event(id).agent.index()];
                assert!(events(letter).iter().any(|id| agent(id).name == thread), "{part}");
            }
            continue;
        }
        proved += 1;
        let claim = line.split("  (").find(|part| !part.trim().is_empty()).unwrap_or(line).trim();
        let claim = claim.strip_suffix(", as above").unwrap_or(claim);
        let (holds, claim) =
            claim.strip_prefix("not ").map_or((true, claim), |claim| (false, claim));
        let is_leaf = lines.get(index + 1).is_none_or(|next| depth(next) <= depth(line));
        let Some((from, (name, to))) =
            claim.split_once(" -").and_then(|(from, rest)| Some((from, rest.rsplit_once("-> ")?)))
        else {
            assert!(claim.contains(" is in "), "{claim}");
            continue;
        };
        let base = BaseRel::named(name);
        assert!(
            !is_leaf || !holds || base.is_some() || line.contains("as above") || from == to,
            "`{claim}` is not unfolded: {text}"
        );
        let node = model.definitions.iter().rev().find(|d| d.name == name).map(|d| d.node);
        let relation = match (node, base) {
            (_, Some(base)) => execution.relation(base).clone(),
            (Some(node), None) => evaluate(&model.arena, &[node], execution).relation(node).clone(),
            (None, None) => continue,
        };
        let (sources, targets) = (events(from), events(to));
        let found = sources.iter().any(|&a| targets.iter().any(|&b| relation.contains(a, b)));
        assert!(found == holds || from.starts_with("init") && !holds, "{line}: {text}");
    }
    proved
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
    explanations_agree(3);
}

#[test]
#[ignore = "nightly: every shipped test"]
fn all_explanations_agree_with_their_executions() {
    explanations_agree(1);
}

/// Of so many shipped tests, one is explained.
fn explanations_agree(one_of: usize) {
    let mut files = Files::default();
    let builtin = cat::library::builtin("ptx-9.2").expect("a built-in model");
    let model = cat::parse_builtin(&mut files, builtin, &cat::Options::default()).model;
    let engines = Choice::Auto.engines();
    let (mut shown, mut several, mut untold, mut steps, mut proved) = (0, 0, 0, 0, 0);
    for case in shipped(&mut files).iter().step_by(one_of) {
        let judgements: Vec<Judgement> =
            judge(case, std::slice::from_ref(&model), &engines, Settings::default());
        let Verdict::Forbidden(core) = &judgements[0].verdict else { continue };
        let graph = judgements[0].graph.as_ref().expect("a forbidden outcome has a graph");
        let problem = Problem { graph, model: &model };
        let goal = goal_of(case.test.quantifier);
        let found = counterfactual(problem, core, goal, engines[0].as_ref(), Default::default());
        let subject = Subject {
            case,
            judgement: &judgements[0],
            model: &model,
            files: &files,
            unfold: Depth::Folded,
        };
        let text = explanation::render(subject, Some(&found), None);
        let unfolded = Subject { unfold: Depth::Base, ..subject };
        let unfolded = explanation::render(unfolded, Some(&found), None);
        let is_proof =
            |line: &&str| line.starts_with("       ") && !line.trim().starts_with("MISSING");
        let rest: Vec<&str> = unfolded.lines().filter(|line| !is_proof(line)).collect();
        let folded: Vec<&str> = text.lines().filter(|line| !is_proof(line)).collect();
        assert_eq!(rest, folded);
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
                proved += proofs_hold(&unfolded, &model, &execution);
                shown += 1;
                several += usize::from(found.broken.len() > 1);
            }
            Err(Absent::NoCandidate) => {
                let told = text.contains("o execution") || text.contains("Only an execution");
                assert!(told, "{text}");
            }
            Err(Absent::Undecided) => untold += 1,
        }
    }
    assert!(shown * one_of > 300, "{shown} executions");
    assert!(
        several * one_of > 20 && several * 4 < shown,
        "{several} of {shown} break several axioms"
    );
    assert!(steps * one_of > 500, "{steps} steps");
    assert!(proved * one_of > 5_000, "{proved} lines of proofs");
    assert!(untold < 5, "{untold} outcomes without an execution");
}

/// Programs of public reports, most of them broken, one or two of each: what their explanations say, word for word.
#[test]
fn disputes_are_explained() {
    for name in [
        "R01-volatile-flag",
        "R01-gpu-scope",
        "R04-final-sync-relaxed",
        "R05-release-only",
        "R06-missing-acquire-fence",
        "R07-missing-fence",
        "R08-leader-only-fence",
        "R09a",
        "R09c",
        "R12-volatile-receiver",
        "R15-no-second-fence",
        "R16-relaxed-poll",
        "R17-relaxed-spin",
        "R18-cache-operator-path",
        "R22-one-lane-fences",
        "R28-relaxed-status",
        "R31-one-fence-lock",
        "R31-two-fences",
        "R36-iriw",
        "R36-no-fence",
        "R45-fence-of-shared-memory",
        "R46-no-fence",
        "R46-fence-of-the-issuer",
        "R47-store-then-flag+no-wait",
        "R48-barrier-no-fence",
        "R53-relaxed-cluster-arrive",
        "R54-no-sync",
    ] {
        let run = ptxmc(&["explain", &format!("litmus/realworld/{name}.litmus")]);
        insta::assert_snapshot!(format!("dispute_{name}"), run.out);
    }
}

/// The readings that change the verdict, as `explain` says, are those of which the test says so.
fn readings_as_named(path: &str) {
    let text = fs::read_to_string(path).expect("a readable test");
    let mut expected: Vec<(&str, &str)> = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("Expect[")) {
        let (reading, verdict) = line.split_once("]=").expect("a verdict");
        if reading.contains('=') && !reading.contains(',') {
            expected.push((reading, verdict));
        }
    }
    let output = ptxmc(&["explain", "--format", "json", path]);
    let document: serde_json::Value = serde_json::from_str(&output.out).expect("a document");
    let own = document["verdict"]["verdict"].as_str().expect("a verdict");
    let said = document["readings"].as_array().expect("readings").iter();
    let mut said: Vec<(&str, &str)> = said
        .map(|one| (one["reading"].as_str().expect("text"), one["verdict"].as_str().expect("text")))
        .collect();
    expected.retain(|(_, verdict)| *verdict != own);
    expected.sort_unstable();
    said.sort_unstable();
    assert_eq!(said, expected, "{path}");
}

#[test]
fn other_readings_are_those_that_change_the_verdict() {
    let some = ["V12-warp-barrier", "V10-torn-word", "V13-barrier-hands-on"];
    for name in some {
        readings_as_named(&format!("litmus/readings/{name}.litmus"));
    }
}
