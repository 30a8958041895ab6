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

/// What an mbarrier holds is the implementation's, and no finding against a device.
#[test]
fn bits_of_mbarriers_are_not_judged() {
    let test = "litmus/mbarrier/initialized-at-a-computed-address.litmus";
    let log = "Test initialized-at-a-computed-address Allowed\nHistogram (1 states)\n\
               1:>[b[0]]=9223363240763850750; [b[1]]=0;\nOk\n";
    let run = ptxmc_reading(&["judge", "-", "--tests", test, "--format", "json"], log);
    assert_eq!(run.status, 3, "{}", run.err);
    let report = json(&run.out);
    assert_eq!(
        report["tests"][0]["states"][0]["reason"],
        "b[0] shows bits of an mbarrier, which are the implementation's"
    );
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

/// The tests of a report of which the outcome is allowed and not seen, or seen and not allowed.
fn misjudged(report: &Value) -> Vec<String> {
    let tests = report["tests"].as_array().expect("a report has tests").iter();
    let decided = tests.filter(|test| {
        ["allowed", "forbidden"].iter().any(|kind| test["verdict"] == *kind)
            && test["finding"] != "not run"
    });
    let wrong = decided
        .filter(|test| (test["verdict"] == "allowed") != (test["finding"] == "allowed and seen"));
    wrong.map(|test| format!("{}: {}", test["path"], test["finding"])).collect()
}

#[test]
fn own_logs_round_trip() {
    let folders = &[
        "litmus/2+2w",
        "litmus/sb",
        "litmus/lb",
        "litmus/iriw",
        "litmus/special/packed-bytes.litmus",
        "litmus/special/multimem-vector-elements-apart.litmus",
    ];
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
    assert_eq!(misjudged(&report), Vec::<String>::new());
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
    // What an own log may lack is what states could not be listed of.
    let wrong = misjudged(&report);
    assert!(wrong.len() < 10, "{wrong:?}");
}

/// What a log says of one test in a file of its own.
fn judged(test: &str, log: &str) -> (Value, i32, String) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("a.litmus");
    std::fs::write(&file, test).expect("a writable folder");
    let run = ptxmc_reading(&["judge", "-", "--tests", path(&file), "--format", "json"], log);
    let report = if run.out.is_empty() { Value::Null } else { json(&run.out) };
    (report, run.status, run.err)
}

/// A log is about the test of its fingerprint, and a path tells tests of one name apart.
#[test]
fn logs_of_other_versions_are_no_finding_against_a_test() {
    let log = |hash: &str| {
        format!("Test MP Forbidden\nHistogram (1 states)\n3*>1:r1=1; 1:r2=0;\nNo\nHash={hash}\n")
    };
    let arguments = ["judge", "-", "--tests", MP, "--format", "json"];
    let run = ptxmc_reading(&arguments, &log("ptxmc-0123"));
    assert_eq!(run.status, 3, "{}", run.err);
    let report = json(&run.out);
    let test = &report["tests"][0];
    assert_eq!(test["finding"], "another version");
    assert_eq!(test["states"], serde_json::json!([]));
    assert_eq!(test["other_versions"], serde_json::json!(["ptxmc-0123"]));
    let own = test["hash"].as_str().expect("a fingerprint");
    let run = ptxmc_reading(&arguments, &log(own));
    assert_eq!(run.status, 1);
    assert_eq!(json(&run.out)["tests"][0]["finding"], "forbidden and seen");
    // Fingerprints of other tools tell nothing of the version.
    let foreign = ptxmc_reading(&arguments, &log("f2b4bb6327f746fe11035859644bb9af"));
    assert_eq!(json(&foreign.out)["tests"][0]["finding"], "forbidden and seen");
    // What was seen of this version counts, and the other one does not go by in silence.
    let both = format!("{}{}", log(own).replace("1:r1=1;", "1:r1=0;"), log("ptxmc-0123"));
    let run = ptxmc_reading(&arguments, &both);
    assert_eq!(run.status, 3);
    let run = ptxmc_reading(&["judge", "-", "--tests", MP], &log("ptxmc-0123"));
    assert!(run.out.contains("another version"), "{}", run.out);
    assert!(run.out.contains(&format!("logs have Hash=ptxmc-0123, the test has Hash={own}")));
    for format in ["junit", "markdown"] {
        let run =
            ptxmc_reading(&["judge", "-", "--tests", MP, "--format", format], &log("ptxmc-0123"));
        assert_eq!(run.status, 3);
        assert!(run.out.contains("logs have Hash=ptxmc-0123"), "{}", run.out);
    }
    // A folder may have another name where the log was written.
    let elsewhere = r#"{"schema": 1, "tests": [{"name": "MP", "path": "else/where.litmus",
        "states": [{"state": {"P1:r1": 1, "P1:r2": 0}, "count": 1}]}]}"#;
    assert_eq!(ptxmc_reading(&arguments, elsewhere).status, 1);
}

#[test]
fn states_that_were_seen_no_times_were_not_seen() {
    let herd =
        "Test MP Allowed\nHistogram (2 states)\n3:>1:r1=0; 1:r2=0;\n0*>1:r1=1; 1:r2=0;\nOk\n";
    let csv = "test,1:r1,1:r2,count\nMP,0,0,3\nMP,1,0,0\n";
    let own = r#"{"schema": 1, "tests": [{"name": "MP", "states": [
        {"state": {"P1:r1": 0, "P1:r2": 0}, "count": 3},
        {"state": {"P1:r1": 1, "P1:r2": 0}, "count": 0}]}]}"#;
    for log in [herd, csv, own] {
        let run = ptxmc_reading(&["judge", "-", "--tests", MP, "--format", "json"], log);
        assert_eq!(run.status, 0, "{log}\n{}", run.err);
        let report = json(&run.out);
        assert_eq!(report["tests"][0]["states"].as_array().map(Vec::len), Some(1), "{log}");
    }
}

/// One state is one, however its numbers are spelled, and so is the outcome in question.
#[test]
fn values_are_compared_by_the_bits_of_their_types() {
    for ty in ["s32", "u32", "b32"] {
        for asked in ["-1", "4294967295", "0xffffffff"] {
            let test = format!(
                "PTX ones\n.global .{ty} x = 0;\nP0 @ gpu 0, cta 0 {{\n  st.relaxed.gpu.{ty} [x], -1;\n}}\n\
                 P1 @ gpu 0, cta 1 {{\n  ld.relaxed.gpu.{ty} %r1, [x];\n}}\nexists (P1:%r1 == {asked})\n"
            );
            let log = "Test ones Allowed\nHistogram (3 states)\n3*>1:r1=4294967295;\n\
                       2*>1:r1=-1;\n1*>1:r1=0xffffffff;\nOk\n";
            let (report, status, err) = judged(&test, log);
            assert_eq!(status, 0, "{ty} {asked}: {err}");
            let test = &report["tests"][0];
            assert_eq!(test["finding"], "allowed and seen", "{ty} {asked}");
            assert_eq!(test["positive"], 6);
            assert_eq!(test["states"].as_array().map(Vec::len), Some(1));
            let shown = if ty == "u32" { "4294967295" } else { "-1" };
            assert_eq!(test["states"][0]["state"]["P1:r1"], shown);
        }
    }
}

/// What a filter leaves out has no part in the test, as in `ptxmc run`.
#[test]
fn states_that_the_filter_excludes_are_left_out() {
    let test = "PTX filtered\n.global .u32 x = 0;\nP0 @ gpu 0, cta 0 {\n  st.relaxed.gpu.u32 [x], 1;\n}\n\
                P1 @ gpu 0, cta 1 {\n  ld.relaxed.gpu.u32 %r1, [x];\n  ld.relaxed.gpu.u32 %r2, [x];\n}\n\
                filter (P1:%r1 == 1)\nexists (P1:%r2 == 1)\n";
    let log = "Test filtered Allowed\nHistogram (2 states)\n5:>1:r1=0; 1:r2=0;\n\
               3*>1:r1=1; 1:r2=1;\nOk\n";
    let (report, status, err) = judged(test, log);
    assert_eq!(status, 0, "{err}");
    let found = &report["tests"][0];
    assert_eq!((&found["finding"], &found["runs"]), (&"allowed and seen".into(), &3.into()));
    // Coherence forbids this one, filter or not.
    let (_, status, _) = judged(test, &log.replace("1:r2=1", "1:r2=0"));
    assert_eq!(status, 1);
    // Whether the filter leaves it out depends on what the log does not have.
    let (report, status, _) = judged(test, &log.replace("1:r1=1; 1:r2=1", "1:r2=7"));
    assert_eq!(status, 3);
    assert_eq!(
        report["tests"][0]["states"][0]["reason"],
        "without `P1:r1` it is not told whether the filter leaves this out"
    );
}

#[test]
fn states_that_lack_what_is_asked_about_are_no_clean_bill() {
    let reason = "without `P1:r2` it is not told whether this is the outcome in question";
    for (state, status, reason) in [
        ("1:r1=1;", 3, reason),
        // One part of a conjunction may decide it.
        ("1:r1=0;", 0, ""),
        ("", 3, "without `P1:r1`, `P1:r2` it is not told whether this is the outcome in question"),
    ] {
        let log = format!("Test MP Allowed\nHistogram (1 states)\n3:>{state}\nOk\n");
        let run = ptxmc_reading(&["judge", "-", "--tests", MP, "--format", "json"], &log);
        assert_eq!(run.status, status, "{state}: {}", run.err);
        assert_eq!(json(&run.out)["tests"][0]["states"][0]["reason"], reason);
    }
}

#[test]
fn odd_logs_are_refused() {
    let head = "Test MP Allowed\n";
    for (log, says) in [
        (format!("{head}States 1\n1:r1=0; 1:r2=0;\n1:r1=1; 1:r2=0;\nOk\n"), "2 states of `MP`"),
        (format!("{head}Histogram (1 states)\nfive*>1:r1=1; 1:r2=0;\nOk\n"), "`five` is no count"),
        (format!("{head}Histogram (1 states)\n1:>1:r1=1; 1:r2=0; P1:%r1=0;\n"), "two values"),
        ("test,1:r1,P1:r1,count\nMP,0,1,3\n".to_owned(), "two values"),
        ("test,1:r1,1:r2\nMP,0,1\n".to_owned(), "no column `count`"),
        ("test;1:r1;1:r2;count\nMP;0;1;3\n".to_owned(), "not separated by commas"),
        ("test,1:r1,1:r2,count\nMP,0,1,99999999999999999999\n".to_owned(), "is no count"),
        ("[{\"name\": \"MP\"}]".to_owned(), "an object with `schema` and `tests`"),
        (
            "{\"schema\": 1, \"tests\": [{\"name\": \"MP\", \"states\": [{\"state\": {}, \
             \"count\": 1.5}]}]}"
                .to_owned(),
            "`1.5` is no count",
        ),
        (
            "{\"schema\": 1, \"tests\": [{\"name\": \"MP\", \"states\": [{\"state\": \
             {\"1:r1\": 1, \"1:r1\": 0}, \"count\": 1}]}]}"
                .to_owned(),
            "two values",
        ),
        ("T0 writes x = 1\nT1 reads x = 0\n".to_owned(), "neither a log nor a trace"),
    ] {
        let run = ptxmc_reading(&["judge", "-", "--tests", MP], &log);
        assert_eq!(run.status, 2, "{log}: {}", run.err);
        assert!(run.err.contains(says), "{log}: {}", run.err);
        assert!(!run.err.contains("no test in the logs"), "{log}: {}", run.err);
    }
}

/// Whoever reads only the report learns of all that ends the run with a status.
#[test]
fn reports_have_what_was_not_judged() {
    let log =
        "Test MP Allowed\nHistogram (3 states)\n3:>1:r9=0;\nOk\nTest other Allowed\nStates 0\n";
    let arguments = ["judge", "-", "--tests", MP, RELAXED, "--format"];
    let run = ptxmc_reading(&[&arguments[..], &["markdown"]].concat(), log);
    assert_eq!(run.status, 2);
    for said in ["the test has no `P1:r9`", "- other", "- tests/cli/MP-relaxed.litmus"] {
        assert!(run.out.contains(said), "{said}: {}", run.out);
    }
    let run = ptxmc_reading(&[&arguments[..], &["junit"]].concat(), log);
    assert_eq!(run.status, 2);
    assert!(run.out.contains("errors=\"1\""), "{}", run.out);
    assert!(run.out.contains("name=\"&lt;stdin&gt;:2:1\""), "{}", run.out);
    assert!(run.out.contains("log-cut-off: 1 of 3 states"), "{}", run.out);
}

/// A test that waits for ever has no final state: nothing that is seen is held against it.
#[test]
fn what_is_seen_of_a_deadlock_is_no_finding() {
    let test = "tests/cli/waits-for-ever.litmus";
    let log = "Test waits-for-ever Allowed\nStates 1\n[x]=0;\nOk\n";
    let run = ptxmc_reading(&["judge", "-", "--tests", test, "--format", "json"], log);
    assert_eq!(run.status, 0, "{}", run.err);
    let report = json(&run.out);
    assert_eq!(report["tests"][0]["verdict"], "deadlock");
    assert_eq!(report["tests"][0]["finding"], "undefined");
}

/// Times that no machine has are told, whatever the values.
#[test]
fn reads_before_the_writes_that_they_read_from_are_told() {
    let alone = "1: x == 1 @ 6:7\n2: x := 1 @ 100:110\n";
    let other = "0: x := 1 @ 0:1\n0: x := 2 @ 2:3\n1: x == 2 @ 4:5\n1: x == 1 @ 6:7\n\
                 2: x := 1 @ 100:110\n";
    for trace in [alone, other] {
        for model in ["sc", "ptx-9.2", "ptx-7.5"] {
            let run = ptxmc_reading(&["judge", "-", "--model", model], trace);
            // Under PTX, weak accesses are free to read the first write.
            let is_free = trace == other && model != "sc";
            assert_eq!(run.status, if is_free { 0 } else { 3 }, "{model}: {}", run.out);
            assert_eq!(run.out.contains("no machine the times"), !is_free, "{}", run.out);
        }
    }
    // What the values alone exclude stays excluded.
    let run =
        ptxmc_reading(&["judge", "-", "--model", "sc"], &other.replace("2: x := 1", "2: x := 3"));
    assert_eq!(run.status, 1, "{}", run.out);
    assert!(run.out.contains("INCONSISTENT"));
}

/// A list of states that may lack some is no answer.
#[test]
fn incomplete_logs_end_with_a_status() {
    let test = "litmus/mixed-size/part-of-an-unknown-value.litmus";
    for more in [&[][..], &["--isolate"][..]] {
        let run = ptxmc(&[&["check", "--format", "herd", test], more].concat());
        assert_eq!(run.status, 3, "{}", run.err);
        assert!(run.err.contains("the list of states is incomplete"));
    }
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
