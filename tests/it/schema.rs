//! JSON reports against their schema, which `paper-notes/json.md` describes in words.

use crate::support::clauses::clauses;
use crate::support::command::{path, ptxmc};
use ptxmc::Rule;
use serde_json::{Map, Value};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn note(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("paper-notes").join(name);
    fs::read_to_string(path).expect("the note is there")
}

fn schema() -> Value {
    serde_json::from_str(&note("json.schema.json")).expect("the schema is JSON")
}

/// What a value has against a schema, with where; nothing where it fits.
///
/// It knows the keywords that the schema uses, and no others: a keyword that nobody looks at would allow
/// everything.
fn complaint(root: &Value, schema: &Value, value: &Value, at: &str) -> Option<String> {
    let rules = schema.as_object().expect("a schema is an object");
    rules.iter().find_map(|(keyword, rule)| match keyword.as_str() {
        "$schema" | "title" | "$defs" => None,
        "$ref" => {
            let pointer =
                rule.as_str().and_then(|path| path.strip_prefix('#')).expect("a reference");
            let definition = root.pointer(pointer).expect("a definition");
            complaint(root, definition, value, at)
        }
        "anyOf" => {
            let choices = rule.as_array().expect("choices");
            let complaints: Option<Vec<String>> =
                choices.iter().map(|choice| complaint(root, choice, value, at)).collect();
            complaints.map(|all| all.join("; or "))
        }
        "type" => {
            let wanted = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
            let is = |name: &Value| has_type(value, name.as_str().expect("a name"));
            (!wanted.iter().any(is)).then(|| format!("{at} is not {rule}"))
        }
        "const" => (value != rule).then(|| format!("{at} is not {rule}")),
        "enum" => {
            let known = rule.as_array().expect("values").contains(value);
            (!known).then(|| format!("{at} is {value}, which the schema does not name"))
        }
        "minimum" => {
            let small =
                value.as_i64().is_some_and(|number| number < rule.as_i64().expect("a number"));
            small.then(|| format!("{at} is below {rule}"))
        }
        "items" => value.as_array().and_then(|items| {
            let mut items = items.iter().enumerate();
            items.find_map(|(i, item)| complaint(root, rule, item, &format!("{at}/{i}")))
        }),
        "required" => value.as_object().and_then(|members| {
            let mut names = rule.as_array().expect("names").iter().filter_map(Value::as_str);
            let missing = names.find(|name| !members.contains_key(*name))?;
            Some(format!("{at} lacks `{missing}`"))
        }),
        "properties" => value.as_object().and_then(|members| {
            let mut known = rule.as_object().expect("members").iter();
            known.find_map(|(name, rule)| {
                complaint(root, rule, members.get(name)?, &format!("{at}/{name}"))
            })
        }),
        "additionalProperties" => value.as_object().and_then(|members| {
            let none = Map::new();
            let known = rules.get("properties").and_then(Value::as_object).unwrap_or(&none);
            let mut others = members.iter().filter(|(name, _)| !known.contains_key(*name));
            others.find_map(|(name, value)| match rule {
                Value::Bool(true) => None,
                Value::Bool(false) => Some(format!("{at} has `{name}`")),
                rule => complaint(root, rule, value, &format!("{at}/{name}")),
            })
        }),
        other => Some(format!("the schema has the keyword `{other}`")),
    })
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("the schema has the type `{other}`"),
    }
}

/// What a text is as JSON, which fits the schema.
pub(crate) fn fitting(text: &str) -> Value {
    let report = serde_json::from_str(text).expect("the report is JSON");
    let schema = schema();
    assert_eq!(complaint(&schema, &schema, &report, ""), None, "{text}");
    report
}

/// The report of a run, which fits the schema.
fn report(arguments: &[&str]) -> Value {
    fitting(&ptxmc(arguments).out)
}

#[test]
fn reports_of_the_whole_suite_fit_the_schema() {
    let report = report(&["check", "--format", "json", "litmus", "tests/cli", "tests/bad"]);
    let verdicts =
        report["tests"].as_array().expect("tests").iter().map(|test| &test["verdicts"][0]);
    let mut codes = BTreeSet::new();
    for verdict in verdicts {
        let is_allowed = verdict["verdict"] == "allowed";
        assert_eq!(verdict["code"].is_null(), is_allowed, "{verdict}");
        // A clause that the text names is one of the data; a deadlock and axioms have more of them.
        let reason = verdict["reason"].as_str().expect("a line");
        let clauses = verdict["clauses"].as_array().expect("a list");
        for clause in clauses.iter().filter_map(Value::as_str) {
            let is_clause = |c: char| c.is_ascii_digit() || c == '.';
            let number = clause.strip_prefix("PTX-").expect("a clause of PTX");
            assert!(number.chars().all(is_clause), "{verdict}");
        }
        assert!(!reason.contains("(PTX-") || !clauses.is_empty(), "{verdict}");
        codes.extend(verdict["code"].as_str().map(str::to_owned));
    }
    assert!(codes.len() > 50, "the suite has only {codes:?}");
}

#[test]
fn witnesses_and_states_fit_the_schema() {
    let test = "litmus/mp/MP+all-relaxed.litmus";
    report(&["check", "--format", "json", "--witness", "litmus/mp", "litmus/barrier"]);
    report(&["outcomes", "--format", "json", "--witness", test]);
    let all = report(&["outcomes", "--format", "json", "litmus/sb"]);
    assert!(all["tests"].as_array().is_some_and(|tests| tests.len() > 10), "all of a folder");
    report(&["outcomes", "--format", "json", "tests/cli/waits-for-ever.litmus"]);
}

#[test]
fn what_is_said_of_one_test_fits_the_schema() {
    let racy = "litmus/mp/MP+fence.sc+weak-flag.litmus";
    for test in [racy, "tests/cli/waits-for-ever.litmus", "litmus/mp/MP+acquire+ctrl.litmus"] {
        report(&["explain", "--format", "json", test]);
        report(&["races", "--format", "json", test]);
        report(&["hangs", "--format", "json", test]);
    }
    assert_eq!(report(&["races", "--format", "json", racy])["races"][0]["mixed"], false);
    let folder = tempfile::tempdir().expect("a folder");
    let picture = folder.path().join("picture.json");
    let name = picture.to_str().expect("a name in UTF-8");
    assert_eq!(ptxmc(&["draw", "litmus/mp/MP+all-relaxed.litmus", "-o", name]).status, 0);
    let text = fs::read_to_string(&picture).expect("the picture is there");
    let (schema, picture) = (schema(), serde_json::from_str(&text).expect("the picture is JSON"));
    assert_eq!(complaint(&schema, &schema, &picture, ""), None);
}

#[test]
fn answers_about_launches_fit_the_schema() {
    let launch = "buf p[2] of .u32 = 3; buf out[2] of .u32; k<<<1, 2>>>(p, out, 5)";
    for kernel in ["tests/kernels/call.ptx", "tests/kernels/call+broken.ptx"] {
        let value = report(&["check", "--format", "json", kernel, "--launch", launch]);
        assert_eq!(value["threads"]["whole"], true);
    }
}

#[test]
fn advice_fits_the_schema() {
    let repaired = report(&["advise", "--format", "json", "litmus/realworld/R09a.litmus"]);
    assert_eq!(repaired["sets"][0]["defects"][0]["code"], "no-release", "{repaired}");
    assert_eq!(repaired["sets"][1]["defects"][0]["code"], "wrong-side", "{repaired}");
    let relaxed = report(&["advise", "--format", "json", "litmus/realworld/R09c.litmus"]);
    assert!(relaxed["sets"][0]["needed"].as_array().is_some_and(|all| all.len() > 2), "{relaxed}");
    let pair =
        ["litmus/realworld/R14-flag-beside-data.litmus", "litmus/realworld/R01-fixed.litmus"];
    let both = report(&[&["advise", "--repair", "--format", "json"], &pair[..]].concat());
    let answers = [&both["tests"][0]["answer"], &both["tests"][1]["answer"]];
    assert_eq!(answers, ["none", "nothing-to-repair"], "{both}");
    for (test, waits, cures) in [
        ("tests/cli/lock-order.litmus", 2, Value::Null),
        ("litmus/progress/ctas-poll.litmus", 0, true.into()),
    ] {
        let hangs = report(&["advise", "--hangs", "--format", "json", test]);
        assert_eq!(hangs["circle"].as_array().map(Vec::len), Some(waits), "{hangs}");
        assert_eq!(hangs["cooperative"], cures, "{hangs}");
    }
    let racy = "litmus/realworld/R01-volatile-flag.litmus";
    report(&["advise", "--relax", "--format", "json", racy]);
    report(&["advise", "--races", "--format", "json", racy]);
    report(&[
        "advise",
        "--timeout",
        "0.001",
        "--format",
        "json",
        "litmus/locks/try-lock+relaxed.litmus",
    ]);
}

#[test]
fn judgements_and_comparisons_fit_the_schema() {
    let tests = ["--tests", "tests/cli/hardware", "--format", "json"];
    let log = |log: &'static str| [&["judge", log][..], &tests].concat();
    let judged = report(&log("tests/cli/hardware/no-acquire.log"));
    assert_eq!(judged["summary"]["findings"]["forbidden and seen"], 1, "{judged}");
    let against = ["--against", "tests/cli/hardware/in-order.log"];
    let changed = report(&[&log("tests/cli/hardware/no-acquire.log")[..], &against].concat());
    assert!(
        changed["against"]["changes"].as_array().is_some_and(|all| !all.is_empty()),
        "{changed}"
    );
    for (name, verdict) in [("tickets", "inconsistent"), ("tickets-block-scope", "consistent")] {
        let judged =
            report(&["judge", &format!("tests/cli/hardware/{name}.trace"), "--format", "json"]);
        assert_eq!(judged["traces"][0]["verdict"], verdict, "{judged}");
    }
    let sides = ["diff", "ptx-9.2", "ptx-7.5", "litmus/scope", "--format", "json"];
    report(&[&sides[..], &["--states", "--races"]].concat());
    let shortest = "tests/cli/models/shortest.cat";
    let found = report(&["distinguish", "ptx-9.2", shortest, "--events", "3", "--format", "json"]);
    assert!(found["found"].as_array().is_some_and(|all| !all.is_empty()), "{found}");
    report(&["suite", shortest, "--events", "2", "--format", "json"]);
}

#[test]
fn clauses_fit_the_schema() {
    let told = report(&["explain", "--clause", "PTX-8.8", "--format", "json", "litmus/mp"]);
    for member in ["lines", "readings", "tests"] {
        assert!(told[member].as_array().is_some_and(|list| !list.is_empty()), "{told}");
    }
}

/// The kinds of defects are in the note on advice and in the schema.
#[test]
fn defects_are_documented() {
    let (note, schema) = (note("advise.md"), schema());
    let known = &schema["$defs"]["defect"]["properties"]["code"]["enum"];
    let known: Vec<&str> =
        known.as_array().expect("codes").iter().filter_map(Value::as_str).collect();
    let codes = ptxmc::Defect::ALL.map(ptxmc::Defect::code);
    assert_eq!(known, codes);
    for defect in ptxmc::Defect::ALL {
        assert!(note.contains(&format!("`{}`", defect.code())), "{}", defect.code());
        assert!(clauses().iter().any(|clause| clause.id == defect.clause()), "{}", defect.clause());
    }
}

#[test]
fn explanations_races_and_pictures_fit_the_schema() {
    for test in [
        "litmus/mp/MP+all-relaxed.litmus",
        "tests/cli/MP.litmus",
        "tests/cli/waits-for-ever.litmus",
    ] {
        let told = report(&["explain", "--format", "json", test]);
        assert!(told["explanation"].as_array().is_some_and(|lines| lines.len() > 2), "{told}");
    }
    let mut codes = BTreeSet::new();
    for test in ["tests/cli/MP-relaxed.litmus", "litmus/realworld/R26-no-fences.litmus"] {
        let told = report(&["races", "--format", "json", test]);
        let races = told["races"].as_array().expect("a list");
        assert!(!races.is_empty(), "{told}");
        let missing = races.iter().flat_map(|race| race["missing"].as_array().expect("a list"));
        codes.extend(missing.map(|code| code.as_str().expect("a code").to_owned()));
    }
    assert!(codes.contains("weak-access") && codes.len() > 1, "{codes:?}");
    let folder = tempfile::tempdir().expect("there is room");
    let picture = folder.path().join("mp.json");
    let run = ptxmc(&["draw", "tests/cli/MP.litmus", "-o", path(&picture)]);
    assert_eq!(run.status, 0, "{}", run.err);
    let text = fs::read_to_string(&picture).expect("the picture is there");
    let schema = schema();
    let value = serde_json::from_str(&text).expect("the picture is JSON");
    assert_eq!(complaint(&schema, &schema, &value, ""), None, "{text}");
}

#[test]
fn what_does_not_fit_is_refused() {
    let schema = schema();
    let mut report = report(&["check", "--format", "json", "litmus/mp/MP+all-relaxed.litmus"]);
    report["tests"][0]["verdicts"][0]["code"] = "no-such-code".into();
    let found = complaint(&schema, &schema, &report, "").expect("the code is unknown");
    assert!(found.contains("/tests/0/verdicts/0/code"), "{found}");
    report["tests"][0]["verdicts"][0]["code"] = Value::Null;
    report["more"] = true.into();
    let found = complaint(&schema, &schema, &report, "").expect("there is a member more");
    assert!(found.contains("has `more`"), "{found}");
}

#[test]
fn codes_are_documented() {
    let (note, schema) = (note("json.md"), schema());
    let known = schema["$defs"]["code"]["enum"].as_array().expect("codes");
    for rule in Rule::PLAIN {
        let clauses = rule.clauses().join(", ");
        let text = rule.to_string();
        let text = text.strip_suffix(&format!(" ({clauses})")).unwrap_or(&text);
        let row = format!("| `{}` | {clauses} | {text} |", rule.code());
        assert!(note.contains(&row), "paper-notes/json.md lacks\n{row}");
    }
    for code in known.iter().filter_map(Value::as_str).filter(|code| *code != "disagreement") {
        assert!(note.contains(&format!("`{code}`")), "paper-notes/json.md lacks `{code}`");
    }
}
