//! What makes a run fail: `--fail-on`, `--expect`, baselines that guard nothing, races.

use crate::support::command::{path, ptxmc};
use std::fs;

const FORBIDDEN: &str = "tests/cli/MP.litmus";
const ALLOWED: &str = "tests/cli/MP-relaxed.litmus";

/// A test of which nothing is expected, in a folder of its own: its outcome is allowed, and it races.
fn unasked() -> (tempfile::TempDir, String) {
    let text = fs::read_to_string(ALLOWED).expect("it is shipped");
    let kept: Vec<&str> = text.lines().filter(|line| !line.starts_with("Expect")).collect();
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("mine.litmus");
    fs::write(&file, kept.join("\n")).expect("there is room");
    let file = path(&file).to_owned();
    (folder, file)
}

#[test]
fn a_test_that_expects_nothing_fails_as_the_user_says() {
    let (_folder, mine) = unasked();
    for (options, status, told) in [
        (&[][..], 0, "without expectation"),
        (&["--fail-on", "forbidden,undefined"], 0, "without expectation"),
        (&["--fail-on", "undefined,allowed"], 1, "NOT EXPECTED: --fail-on allowed"),
        (&["--fail-on", "no-expectation"], 1, "NOT EXPECTED: --fail-on no-expectation"),
        (&["--fail-on", "race"], 1, "NOT EXPECTED: --fail-on race"),
        (&["--expect", "forbidden"], 1, "NOT EXPECTED: expected forbidden"),
        (&["--expect", "allowed"], 0, "1 as expected"),
        (&["--expect", "allowed", "--fail-on", "allowed"], 0, "1 as expected"),
    ] {
        for isolated in [&[][..], &["--isolate"]] {
            let arguments = [&["check"], options, isolated, &[mine.as_str()]].concat();
            let run = ptxmc(&arguments);
            assert_eq!(run.status, status, "{arguments:?}\n{}", run.transcript());
            assert!(run.out.contains(told), "{arguments:?}\n{}", run.transcript());
        }
    }
    let run = ptxmc(&["check", "--format", "junit", "--fail-on", "allowed", &mine]);
    assert!(run.out.contains("refused by --fail-on allowed"), "{}", run.transcript());
}

#[test]
fn expectations_of_tests_outweigh_the_options() {
    let run = ptxmc(&["check", "--expect", "allowed", "--fail-on", "forbidden", FORBIDDEN]);
    assert_eq!(run.status, 0, "{}", run.transcript());
    // Whoever reads the data without having seen the flag races, which no expectation excuses.
    let run = ptxmc(&["check", "--fail-on", "race", FORBIDDEN]);
    assert_eq!(run.status, 1, "{}", run.transcript());
}

#[test]
fn options_name_verdicts() {
    for (option, value) in [("--expect", "legal"), ("--fail-on", "legal")] {
        let run = ptxmc(&["check", option, value, FORBIDDEN]);
        assert_eq!(run.status, 2, "{}", run.transcript());
        assert!(run.err.contains("forbidden"), "{}", run.transcript());
    }
}

#[test]
fn races_decide_the_status() {
    let run = ptxmc(&["races", ALLOWED]);
    assert_eq!(run.status, 1, "{}", run.transcript());
    let run = ptxmc(&["races", "litmus/mp/MP+all-relaxed.litmus"]);
    assert_eq!(run.status, 0, "{}", run.transcript());
    let outside = "litmus/api/host-griddepcontrol.litmus";
    let run = ptxmc(&["races", outside]);
    assert_eq!(run.status, 3, "{}", run.transcript());
}

#[test]
fn a_baseline_that_guards_nothing_fails() {
    let (folder, mine) = unasked();
    let baseline = folder.path().join("baseline");
    let baseline = path(&baseline);
    let other = folder.path().join("other.litmus");
    fs::copy(&mine, &other).expect("there is room");
    let tests = path(folder.path());
    let bless = ["check", "--baseline", baseline, "--bless", tests];
    assert_eq!(ptxmc(&bless).status, 0);
    assert_eq!(ptxmc(&["check", "--baseline", baseline, tests]).status, 0);
    // Nothing of the run is known.
    let run = ptxmc(&["check", "--baseline", baseline, FORBIDDEN]);
    assert_eq!(run.status, 1, "{}", run.transcript());
    assert!(run.err.contains("no verdict on any of these tests"), "{}", run.transcript());
    // A part of what is known is no fault.
    assert_eq!(ptxmc(&["check", "--baseline", baseline, &mine]).status, 0);
    // A test is gone, until the baseline is blessed.
    fs::remove_file(&other).expect("it is there");
    let run = ptxmc(&["check", "--baseline", baseline, tests]);
    assert_eq!(run.status, 1, "{}", run.transcript());
    assert!(run.err.contains("other.litmus`, which is gone"), "{}", run.transcript());
    assert_eq!(ptxmc(&bless).status, 0);
    assert_eq!(ptxmc(&["check", "--baseline", baseline, tests]).status, 0);
}

#[test]
fn conditions_for_all_hold_or_fail() {
    let text = fs::read_to_string(FORBIDDEN).expect("it is shipped");
    let text = text
        .replace("exists (P1:%r1 == 1 /\\ P1:%r2 == 0)", "forall (P1:%r1 == 0 \\/ P1:%r2 == 1)");
    let folder = tempfile::tempdir().expect("there is room");
    let file = folder.path().join("always.litmus");
    let file = path(&file);
    for (line, status) in [("forbidden", 0), ("holds", 0), ("fails", 1)] {
        fs::write(file, text.replace("Expect=forbidden", &format!("Expect={line}")))
            .expect("there is room");
        let run = ptxmc(&["check", file]);
        assert_eq!(run.status, status, "{}", run.transcript());
        assert!(run.out.contains("always.litmus  holds"), "{}", run.transcript());
        assert!(run.out.contains("1 test: 1 holds; 1"), "{}", run.transcript());
    }
    let run = ptxmc(&["explain", file]);
    assert!(run.out.contains("holds under ptx-9.2"), "{}", run.transcript());
}

/// Tests outside of the model, and what is silent about each.
const SILENT: [(&str, &str); 7] = [
    ("litmus/special/ldu-written.litmus", "the model is silent: "),
    ("litmus/api/host-griddepcontrol.litmus", "the model is silent: "),
    ("litmus/tensormap/bytes-of-a-map.litmus", "the model is silent: "),
    ("tests/cli/texture.litmus", "the model is silent: "),
    ("litmus/tensormap/another-field-replaced.litmus", "not supported yet: "),
    ("tests/cli/indirect.litmus", "not supported yet: "),
    ("litmus/tensormap/not-declared.litmus", "the test leaves it open: "),
];

/// Races behind what is not followed, or whose accesses a result decides that is not computed, are none
/// that anybody knows of; those behind a result that is only looked at are.
#[test]
fn races_end_where_the_model_does() {
    let unsure = ["indirect", "call", "opaque-result-decides"];
    for test in unsure.map(|name| format!("tests/cli/{name}.litmus")) {
        let run = ptxmc(&["races", &test]);
        assert_eq!(run.status, 3, "{}", run.transcript());
        assert!(run.out.contains(": out-of-model under"), "{}", run.transcript());
    }
    let run = ptxmc(&["races", "tests/cli/opaque-result-shown.litmus"]);
    assert_eq!(run.status, 1, "{}", run.transcript());
    assert!(run.out.contains("1 data race in the part that has a meaning"), "{}", run.transcript());
}

/// What is silent about a program is said: the model, the tool, or the test.
#[test]
fn outside_the_model_and_not_supported_are_two_things() {
    for (test, silent) in SILENT {
        let run = ptxmc(&["check", test]);
        assert!(run.out.contains(silent), "{}", run.transcript());
    }
    let run = ptxmc(&["check", "--model", "ptx-6.0", "litmus/mbarrier"]);
    assert!(run.out.contains("the model is silent: "), "{}", run.transcript());
}

#[test]
fn a_test_that_would_mean_something_else_is_not_converted() {
    let folder = tempfile::tempdir().expect("a folder");
    let out = path(folder.path());
    let run = ptxmc(&["convert", "--to", "columns", "-o", out, "litmus/barrier", "litmus/special"]);
    assert_eq!(run.status, 3, "{}", run.err);
    assert!(run.err.contains("in columns, it would mean something else"), "{}", run.err);
    let run = ptxmc(&["check", "-q", out]);
    assert_eq!(run.status, 0, "{}{}", run.out, run.err);
}

#[test]
fn a_race_that_nobody_can_look_for_is_unknown() {
    let run = ptxmc(&["check", "--model", "ptx-7.5", "--fail-on", "race", FORBIDDEN]);
    assert_eq!(run.status, 3, "{}", run.out);
    assert!(run.out.contains("whether there is a data race is unknown"), "{}", run.out);
}

#[test]
fn tests_are_converted() {
    let folder = tempfile::tempdir().expect("there is room");
    let out = path(folder.path());
    let columns = "tests/cli/CoWW-columns.litmus";
    let run = ptxmc(&["convert", "--to", "blocks", "-o", out, columns]);
    assert_eq!(run.status, 0, "{}", run.transcript());
    let blocks = folder.path().join("CoWW-columns.litmus");
    let text = fs::read_to_string(&blocks).expect("it was written");
    assert!(text.contains("P0 @ gpu 0") && text.contains("st.relaxed.gpu"), "{text}");
    let told = |file: &str| ptxmc(&["check", file]).out.replace(file, "");
    assert_eq!(told(path(&blocks)), told(columns));
    let back = ptxmc(&["convert", "--to", "columns", path(&blocks)]);
    assert!(
        back.out.contains("P0@") && back.out.contains("st.relaxed.gpu"),
        "{}",
        back.transcript()
    );
    // Columns have 64-bit variables only.
    let run = ptxmc(&["convert", "--to", "columns", FORBIDDEN]);
    assert_eq!(run.status, 3, "{}", run.transcript());
    assert!(run.err.contains("MP.litmus: columns cannot say"), "{}", run.transcript());
}

#[test]
fn shells_and_manuals_know_every_command() {
    for arguments in [&["completions", "bash"][..], &["completions", "zsh"], &["man"]] {
        let run = ptxmc(arguments);
        assert_eq!(run.status, 0, "{}", run.err);
        for word in ["check", "outcomes", "explain", "races", "convert", "fail"] {
            assert!(run.out.contains(word), "{arguments:?} lacks {word}");
        }
        assert!(!run.out.contains("worker"), "{arguments:?} names what is hidden");
    }
    for command in ["check", "outcomes", "explain", "draw", "races", "model", "convert"] {
        let run = ptxmc(&[command, "--help"]);
        let example = format!("ptxmc {command}");
        assert!(run.out.contains("Example") && run.out.contains(&example), "{}", run.out);
    }
}
