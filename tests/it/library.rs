//! The library as another program uses it: the programs in `examples/`, and its defaults.

use crate::support::command::ptxmc;
use ptxmc::{Budget, Checker, Choice, Clock, Files, Kind, Settings, Undecided, Verdict};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What an example prints, on standard output and then on standard error. Whoever runs all tests has
/// built it beside the command; else it is built now.
fn example(name: &str) -> String {
    let beside = Path::new(env!("CARGO_BIN_EXE_ptxmc")).with_file_name("examples").join(name);
    let mut command = Command::new(&beside);
    if !beside.exists() {
        command = Command::new(env!("CARGO"));
        command.args(["run", "--quiet", "--example", name]);
    }
    let output = command.current_dir(root()).output().expect("it starts");
    let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    assert!(output.status.success(), "{name}: {err}");
    format!("{out}---- standard error ----\n{err}")
}

#[test]
fn examples_do_what_they_say() {
    for name in ["check", "compare", "outcomes", "witness"] {
        insta::assert_snapshot!(format!("example_{name}"), example(name));
    }
}

/// Families in which loops are followed further than to the first bound.
const FAMILIES: [&str; 3] = ["litmus/control", "litmus/locks", "litmus/thin-air"];

/// The tests of these families, by path.
fn suite() -> Vec<PathBuf> {
    let mut folders = FAMILIES.map(|family| root().join(family)).to_vec();
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("the folder is there") {
            let path = entry.expect("readable").path();
            match path.is_dir() {
                true => folders.push(path),
                false => found.push(path),
            }
        }
    }
    found.sort();
    found
}

/// Without settings, the library gives the verdict that the command gives without options, and for the
/// same reason.
#[test]
fn defaults_are_those_of_the_command() {
    let report = ptxmc(&[&["check", "--format", "json"][..], &FAMILIES].concat()).out;
    let report: serde_json::Value = serde_json::from_str(&report).expect("the report is JSON");
    let told: Vec<(String, String, String)> = report["tests"]
        .as_array()
        .expect("tests")
        .iter()
        .map(|test| {
            let text = |value: &serde_json::Value| value.as_str().expect("text").to_owned();
            let verdict = &test["verdicts"][0];
            (text(&test["path"]), text(&verdict["verdict"]), text(&verdict["reason"]))
        })
        .collect();
    let paths = suite();
    let raises = AtomicUsize::new(0);
    let decide = |index: usize| -> Vec<(String, String, String)> {
        let mut files = Files::default();
        let name = paths[index].strip_prefix(root()).expect("below").display().to_string();
        let bytes = fs::read(&paths[index]).expect("readable");
        let parsed = ptxmc::parse_tests(&mut files, &name, &String::from_utf8_lossy(&bytes));
        let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
        let several = parsed.tests.len() > 1;
        let path = |test: &str| if several { format!("{name}#{test}") } else { name.clone() };
        let checker = Checker::new(&model);
        let settings = Settings::default().with_bound(2);
        let plain = Checker::new(&model).with_settings(settings);
        let judge = |test: &ptxmc::Test| {
            let outcome = checker.check(test);
            let kind = outcome.verdict.kind();
            let raised = plain.check(test).verdict.kind() != kind;
            raises.fetch_add(usize::from(raised), Ordering::Relaxed);
            (path(&test.name), kind.to_string(), outcome.reason(&model, &files))
        };
        parsed.tests.iter().map(judge).collect()
    };
    let mut found = Vec::new();
    ptxmc::batch::in_order(paths.len(), 2, decide, |_, mut verdicts| {
        found.append(&mut verdicts);
        ControlFlow::Continue(())
    });
    let raises = raises.load(Ordering::Relaxed);
    assert!(raises > 5, "only {raises} verdicts need more than the first bound");
    let sorted = |mut list: Vec<(String, String, String)>| {
        list.sort();
        list
    };
    let (told, found) = (sorted(told), sorted(found));
    assert!(told.len() > 100, "only {} tests", told.len());
    for (told, found) in told.iter().zip(&found) {
        assert_eq!(told, found);
    }
    assert_eq!(told.len(), found.len());
}

const LOOP: &str = "PTX loop\n.global .u32 x = 0;\n\
                    P0 @ gpu 0, cta 0 {\n\
                    L: atom.relaxed.gpu.global.add.u32 %r0, [x], 1;\n\
                    setp.lt.u32 %p, %r0, 2; @%p bra L; }\n\
                    exists (x == 3)";

fn parsed(files: &mut Files, text: &str) -> ptxmc::Test {
    let mut parsed = ptxmc::parse_tests(files, "text.litmus", text);
    assert!(parsed.diagnostics.is_empty(), "{:?}", parsed.diagnostics);
    parsed.tests.remove(0)
}

#[test]
fn a_bound_that_is_asked_for_is_kept() {
    let mut files = Files::default();
    let test = parsed(&mut files, LOOP);
    let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
    assert_eq!(ptxmc::check(&test, &model).verdict.kind(), Kind::Allowed);
    let checker = Checker::new(&model).with_settings(Settings::default().with_bound(2));
    let Verdict::Unknown(Undecided::Bound(bounded)) = checker.check(&test).verdict else {
        panic!("the loop goes round three times")
    };
    assert_eq!(bounded.rounds, 2);
}

#[test]
fn time_is_over_when_the_clock_says_so() {
    let mut files = Files::default();
    let test = parsed(&mut files, LOOP);
    let model = ptxmc::builtin_model(&mut files, "ptx-9.2").expect("it is built in");
    let within = |clock| {
        let budget = Budget::default().timed(clock, Duration::from_secs(3600));
        let settings = Settings::default().with_budget(budget);
        Checker::new(&model).with_settings(settings).check(&test).verdict.kind()
    };
    // It goes on by a day whenever somebody looks at it.
    let hasty = Clock::new(|| {
        static DAYS: AtomicU64 = AtomicU64::new(0);
        let day = DAYS.fetch_add(1, Ordering::Relaxed);
        Duration::from_secs(day * 24 * 3600)
    });
    assert_eq!(within(hasty), Kind::Unknown);
    assert_eq!(within(Clock::new(|| Duration::ZERO)), Kind::Allowed);
    assert_eq!(within(Clock::monotonic()), Kind::Allowed);
}

#[test]
fn engines_that_agree_are_one_engine() {
    let mut files = Files::default();
    let test = parsed(&mut files, LOOP);
    let model = ptxmc::builtin_model(&mut files, "sc").expect("it is built in");
    let checker = Checker::new(&model).with_engine(Choice::All);
    assert_eq!(checker.check(&test).verdict.kind(), Kind::Allowed);
    let states = checker.outcomes(&test).expect("states");
    let texts: Vec<String> = states.iter().map(|state| state.to_string()).collect();
    assert_eq!(texts, ["x=3;"]);
    assert!(states.witness(0, &test.name, &model).is_some());
    assert!(states.witness(1, &test.name, &model).is_none());
}

#[test]
fn models_of_ones_own_may_be_wrong() {
    let mut files = Files::default();
    let errors =
        ptxmc::parse_model(&mut files, "mine.cat", "acyclic po | fr | nosuch").unwrap_err();
    assert_eq!(errors[0].location(&files), "mine.cat:1:19");
    assert!(errors[0].render(&files).contains("nosuch"));
    assert!(ptxmc::builtin_model(&mut files, "no-such-model").is_none());
}
