//! `ptxmc judge`: logs of tests and traces of values, as users give them.

use crate::support::command::{path, ptxmc, ptxmc_reading};
use insta::assert_snapshot;
use serde_json::Value;
use std::path::Path;

const MP: &str = "tests/cli/MP.litmus";
const RELAXED: &str = "tests/cli/MP-relaxed.litmus";

fn json(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The findings of a report, by path.
fn findings(report: &Value) -> Vec<(String, String)> {
    let tests = report["tests"].as_array().expect("a report has tests");
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    tests.iter().map(|test| (text(&test["path"]), text(&test["finding"]))).collect()
}

#[test]
fn forbidden_and_seen() {
    let log = "tests/cli/judge/MP.log";
    let earlier = "tests/cli/judge/earlier.csv";
    let run = ptxmc(&["judge", log, "--tests", MP, RELAXED, "--against", earlier]);
    assert_eq!(run.status, 1);
    assert_snapshot!("judge_text", run.transcript());
    let run = ptxmc(&["judge", log, "--tests", MP, RELAXED, "--format", "markdown"]);
    assert_snapshot!("judge_markdown", run.transcript());
    let run = ptxmc(&["judge", log, "--tests", MP, RELAXED, "--format", "junit"]);
    assert_snapshot!("judge_junit", run.transcript());
}

/// One observation in each format gives one finding.
#[test]
fn formats_agree() {
    let herd =
        "Test MP Allowed\nHistogram (2 states)\n3:>1:r1=0; 1:r2=0;\n1*>1:r1=1; 1:r2=0;\nOk\n";
    let plain = "Test MP Allowed\nStates 2\n1:r2=0; 1:r1=0;\n1:r1=1; 1:r2=0;\nOk\n";
    let csv = "test,P1:%r1,P1:r2,count\nMP,0,0,3\nMP,1,0,1\n";
    let own = r#"{"schema": 1, "tests": [{"name": "MP", "states": [
        {"state": {"P1:r1": 0, "P1:r2": 0}, "count": 3},
        {"state": {"P1:r1": "0x1", "P1:r2": 0}, "count": 1}]}]}"#;
    for log in [herd, plain, csv, own] {
        let run = ptxmc_reading(&["judge", "-", "--tests", MP, "--format", "json"], log);
        assert_eq!(run.status, 1, "{log}\n{}", run.err);
        let report = json(&run.out);
        assert_eq!(report["tests"][0]["finding"], "forbidden and seen", "{log}");
        assert_eq!(report["tests"][0]["positive"], 1, "{log}");
        let verdicts: Vec<&Value> =
            (0..2).map(|state| &report["tests"][0]["states"][state]["verdict"]).collect();
        assert_eq!(verdicts, ["allowed", "forbidden"], "{log}");
        assert!(report["tests"][0]["states"][1]["explanation"].as_str().is_some());
    }
}

/// States of tests that loops, names or values leave open are told.
#[test]
fn what_cannot_be_judged_is_told() {
    let log = "Test MP Allowed\nHistogram (3 states)\n1:>1:r9=0;\n1:>1:r1=&x;\n1:>1:r1=4294967296;\nOk\n\
               Test other Allowed\nStates 0\n";
    let run = ptxmc_reading(&["judge", "-", "--tests", MP, "--format", "json"], log);
    assert_eq!(run.status, 3, "{}", run.err);
    let report = json(&run.out);
    assert_eq!(report["tests"][0]["finding"], "unknown");
    let reasons: Vec<&Value> =
        (0..3).map(|state| &report["tests"][0]["states"][state]["reason"]).collect();
    assert_eq!(
        reasons,
        [
            "the test has no `P1:r9`",
            "`P1:r1=&x` is no number",
            "4294967296 is too large for its register or variable",
        ]
    );
    assert_eq!(report["unknown_tests"], serde_json::json!(["other"]));
}

#[test]
fn malformed_logs_are_refused_with_their_places() {
    let log = "Test MP Allowed\nHistogram (2 states)\n3:>1:r1=0; 1:r2=0;\nObservation MP Perhaps\n";
    let run = ptxmc_reading(&["judge", "-", "--tests", MP], log);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("<stdin>:4:1"), "{}", run.err);
    assert!(run.err.contains("1 of 2 states"), "{}", run.err);
    assert!(run.out.contains("MP.litmus"), "the rest counts: {}", run.out);
    let run = ptxmc_reading(&["judge", "-", "--tests", MP], "{\"schema\": 1,\n \"tests\": 3}");
    assert_eq!(run.status, 2);
    assert!(run.err.contains("<stdin>:2:"), "{}", run.err);
    let run = ptxmc(&["judge", "tests/cli/judge/MP.log"]);
    assert_eq!(run.status, 2);
    assert!(run.err.contains("--tests"), "{}", run.err);
    let run = ptxmc(&["judge", "no-such-file", "--tests", MP]);
    assert_eq!(run.status, 2);
}

/// The log of some shipped tests under a model, and what is said of it under another one.
fn round_trip(folders: &[&str], of: &str, under: &str) -> (Value, i32) {
    let log = ptxmc(&[&["check", "-q", "--format", "herd", "--model", of], folders].concat());
    let arguments =
        [&["judge", "-q", "-", "--model", under, "--format", "json", "--tests"], folders];
    let run = ptxmc_reading(&arguments.concat(), &log.out);
    (json(&run.out), run.status)
}

#[test]
fn own_logs_round_trip() {
    let folders = &["litmus/2+2w", "litmus/sb", "litmus/lb", "litmus/iriw"];
    let (report, status) = round_trip(folders, "ptx-9.2", "ptx-9.2");
    let found = findings(&report);
    assert!(found.len() > 20, "{} tests", found.len());
    for (test, finding) in &found {
        assert!(
            !["forbidden and seen", "not run", "unknown"].contains(&finding.as_str()),
            "{test}: {finding}"
        );
    }
    assert_eq!(status, 0);
    assert!(found.iter().any(|(_, finding)| finding == "allowed and seen"));
    // What PTX allows is not all sequentially consistent.
    let (report, status) = round_trip(folders, "ptx-9.2", "sc");
    let seen = findings(&report);
    let forbidden = seen.iter().filter(|(_, finding)| finding == "forbidden and seen").count();
    assert!(forbidden > 5, "{forbidden} tests");
    assert_eq!(status, 1);
    let (_, status) = round_trip(folders, "sc", "ptx-9.2");
    assert_eq!(status, 0, "what is sequentially consistent is allowed");
}

/// The whole shipped suite.
#[test]
#[ignore = "takes minutes"]
fn own_logs_of_the_whole_suite_round_trip() {
    let (report, _) = round_trip(&["litmus"], "ptx-9.2", "ptx-9.2");
    let found = findings(&report);
    assert!(found.len() > 1500, "{} tests", found.len());
    let wrong: Vec<_> =
        found.iter().filter(|(_, finding)| finding == "forbidden and seen").collect();
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn tests_notice_wrong_models_and_logs_refute_them() {
    let log = "Test MP-relaxed Allowed\nHistogram (1 states)\n9*>1:r1=1; 1:r2=0;\nOk\n";
    let arguments = ["judge", "-", "--tests", MP, RELAXED, "--kills", "--format", "json"];
    let run = ptxmc_reading(&arguments, log);
    assert_eq!(run.status, 0, "{}", run.err);
    let report = json(&run.out);
    let kills = report["kills"].as_array().expect("it was asked for");
    let kill = |name: &str| {
        kills.iter().find(|kill| kill["name"] == name).unwrap_or_else(|| panic!("no {name}"))
    };
    assert_eq!(kill("without Causality")["killers"], serde_json::json!([MP]));
    assert_eq!(kill("no-release-writes")["killers"], serde_json::json!([MP]));
    assert_eq!(kill("relaxed-releases")["killers"], serde_json::json!([]));
    assert_eq!(kill("without No-Thin-Air")["killers"], serde_json::json!([]));
    let refuted = kills.iter().filter(|kill| kill["refuted_by"] == serde_json::json!([RELAXED]));
    assert!(refuted.count() > 0, "some mutant forbids what was seen");
    assert_eq!(report["next"], serde_json::json!([]));
    assert!(kills.len() > 150);
}

#[test]
fn stale_reads_are_explained() {
    let trace = "tests/cli/judge/stale.trace";
    let run = ptxmc(&["judge", trace]);
    assert_eq!(run.status, 1);
    assert_snapshot!("judge_trace", run.transcript());
    let run = ptxmc(&["judge", trace, "--format", "json"]);
    let report = json(&run.out);
    let part = report["traces"][0]["part"]["operations"].as_array().expect("it has a part");
    let lines: Vec<&Value> = part.iter().map(|op| &op["line"]).collect();
    assert_eq!(lines, [4, 5, 7, 9]);
    // Without an algorithm of its own, a model is asked as about a litmus test.
    for model in ["ptx-7.5", "ptx-6.0", "sc"] {
        let run = ptxmc(&["judge", trace, "--model", model, "--format", "json"]);
        assert_eq!(run.status, 1, "{model}: {}", run.err);
        let report = json(&run.out);
        let part = report["traces"][0]["part"]["operations"].as_array().expect("it has a part");
        assert_eq!(part.len(), 4, "{model}");
    }
    let run = ptxmc(&["judge", trace, "--reading", "co=total"]);
    assert_eq!(run.status, 1);
    let run = ptxmc(&["judge", trace, "--format", "junit"]);
    assert!(run.out.contains("<failure"), "{}", run.out);
}

#[test]
fn values_that_nobody_wrote() {
    let run = ptxmc_reading(&["judge", "-", "--format", "json"], "0: x := 1\n1: x == 2\n");
    assert_eq!(run.status, 1);
    let report = json(&run.out);
    let part = &report["traces"][0]["part"]["operations"];
    assert_eq!(part, &serde_json::json!([{ "line": 2, "text": "1: x == 2" }]));
    let run = ptxmc_reading(&["judge", "-"], "0: x := 1\n1: ld.relaxed.u32 x == 1\n");
    assert_eq!(run.status, 2, "a line with an error spoils a trace");
    assert!(run.err.contains("<stdin>:2:1"), "{}", run.err);
}

/// The example of the page on this command is a trace, and consistent.
#[test]
fn the_example_of_a_trace_is_consistent() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("paper-notes/judge.md");
    let text = std::fs::read_to_string(page).expect("there is a page");
    let block = text.split("```text\n# a comment").nth(1).expect("it has an example");
    let example = block.split("```").next().expect("the example ends");
    for model in ["sc", "ptx-9.2"] {
        let run = ptxmc_reading(&["judge", "-", "--model", model], example);
        assert_eq!(run.status, 0, "{model}: {}{}", run.out, run.err);
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a.trace");
    std::fs::write(&file, example).expect("a writable folder");
    let run = ptxmc(&["judge", path(&file), "--tests", MP]);
    assert_eq!(run.status, 2, "a trace has no tests");
}
