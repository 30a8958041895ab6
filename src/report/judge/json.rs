//! Findings of logs as JSON; `paper-notes/json.md` documents the schema.

use super::{Subject, reason};
use crate::batch::Case;
use crate::judge::compare::{Change, ChangeKind, State};
use crate::judge::coverage::Kill;
use crate::judge::log::Value as Observed;
use crate::judge::verdicts::{Allowance, Finding, Judged, TestReport, shape};
use crate::report::herd::hash;
use crate::report::json::SCHEMA;
use serde_json::{Map, Value, json};

/// The complete document.
#[must_use]
pub fn render(subject: &Subject<'_>) -> String {
    let tests: Vec<Value> = (0..subject.cases.len()).map(|index| test(subject, index)).collect();
    let path = |index: &usize| subject.cases[*index].path.as_str();
    let next: Vec<&str> = subject.next.iter().map(path).collect();
    let mut value = json!({
        "schema": SCHEMA,
        "tool": concat!("ptxmc ", env!("CARGO_PKG_VERSION")),
        "model": subject.model.name,
        "tests": tests,
        "unknown_tests": subject.assigned.unknown.keys().collect::<Vec<_>>(),
        "ambiguous_tests": subject.assigned.ambiguous,
        "next": next,
        "summary": summary(subject),
    });
    if let Some(comparison) = subject.changes {
        let changes: Vec<Value> = comparison.changes.iter().map(change).collect();
        value["against"] = json!({ "same": comparison.same, "changes": changes });
    }
    if let Some(kills) = subject.kills {
        let kills: Vec<Value> = kills.iter().map(|k| kill(k, subject.cases)).collect();
        value["kills"] = Value::Array(kills);
    }
    format!("{value:#}\n")
}

fn test(subject: &Subject<'_>, index: usize) -> Value {
    let (case, report) = (&subject.cases[index], &subject.reports[index]);
    let states: Vec<Value> = report
        .states
        .iter()
        .enumerate()
        .map(|(at, judged)| {
            let mut value = state(judged, subject);
            let mut explained = subject.explanations.iter();
            if let Some(found) = explained.find(|e| e.test == index && e.state == at) {
                value["explanation"] = json!(found.text);
            }
            value
        })
        .collect();
    json!({
        "path": case.path,
        "name": case.test.name,
        "shape": shape(&case.test.name),
        "finding": report.finding.name(),
        "verdict": report.asked.verdict.kind().name(),
        "reason": reason(&report.asked, subject),
        "runs": report.runs,
        "hash": hash(&case.test, subject.files),
        "other_versions": report.other_versions,
        "positive": (report.finding != Finding::NotRun).then(|| report.positive()),
        "states": states,
        "unseen": unseen(report),
    })
}

fn state(judged: &Judged, subject: &Subject<'_>) -> Value {
    let (allowed, why) = match &judged.allowance {
        Allowance::Allowed => ("allowed", String::new()),
        Allowance::Forbidden(asked) => ("forbidden", reason(&asked.1, subject)),
        Allowance::Void => ("void", String::new()),
        Allowance::Unknown(why) => ("unknown", why.clone()),
        Allowance::Broken(why) => ("error", why.clone()),
    };
    json!({
        "state": values(&judged.seen.values),
        "count": judged.seen.count,
        "verdict": allowed,
        "reason": why,
        "matches": judged.matches,
    })
}

fn unseen(report: &TestReport) -> Value {
    let Some(unseen) = &report.unseen else { return Value::Null };
    let states: Vec<Value> = unseen.states.iter().map(|state| values(state)).collect();
    json!({ "states": states, "complete": unseen.complete })
}

/// Values by name, as strings: some values have 128 bits.
fn values(values: &[(String, Observed)]) -> Value {
    let named = values.iter().map(|(name, value)| (name.clone(), json!(value.to_string())));
    Value::Object(named.collect::<Map<_, _>>())
}

fn change(Change { name, kind }: &Change) -> Value {
    let listed = |states: &[State]| -> Vec<Value> {
        let state = |(state, count): &State| json!({ "state": values(state), "count": count });
        states.iter().map(state).collect()
    };
    match kind {
        ChangeKind::New => json!({ "name": name, "kind": "new" }),
        ChangeKind::Gone => json!({ "name": name, "kind": "gone" }),
        ChangeKind::States { new, gone } => {
            json!({ "name": name, "kind": "states", "new": listed(new), "gone": listed(gone) })
        }
    }
}

fn kill(kill: &Kill, cases: &[Case]) -> Value {
    let paths = |tests: &[usize]| -> Vec<String> {
        tests.iter().map(|&test| cases[test].path.clone()).collect()
    };
    json!({
        "name": kill.name,
        "clause": kill.clause,
        "change": kill.change,
        "excuse": kill.excuse,
        "killers": paths(&kill.killers),
        "refuted_by": paths(&kill.refuted_by),
    })
}

fn summary(subject: &Subject<'_>) -> Value {
    let named = |counts: &[usize]| -> Value {
        let all = Finding::ALL.iter().zip(counts);
        let named = all.map(|(finding, count)| (finding.name().to_owned(), json!(count)));
        Value::Object(named.collect())
    };
    let mut value = json!({ "tests": subject.cases.len(), "findings": named(&subject.counts()) });
    for (title, rows) in subject.facets() {
        let rows = rows.iter().map(|(name, counts)| (name.clone(), named(counts)));
        value[title] = Value::Object(rows.collect());
    }
    value
}
