//! Verdicts and states as JSON; `paper-notes/json.md` documents the schema.

use super::reason::{self, Cause, Place};
use super::summary::Tally;
use super::witness::{Picture, observed_integer};
use crate::batch::{Case, Judgement, Listing, Refusal, Standing};
use crate::diagnostic::{Diagnostic, Severity};
use crate::execution::build::Choices;
use crate::litmus::ast::{Followed, Quantifier, Role, Test};
use crate::relation::expr::Model;
use crate::source::{Files, Span};
use crate::verdict::{Kind, Verdict};
use serde_json::{Value, json};

/// The version of the schema. A change that could mislead readers of the old version increments it.
pub const SCHEMA: u32 = 1;

/// Whether the report contains executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Witnesses {
    /// Every verdict with an execution includes the execution.
    Included,
    /// No executions.
    Omitted,
}

/// The start of a report; tests follow, separated by [`SEPARATOR`].
#[must_use]
pub fn head(models: &[Model]) -> String {
    let names: Vec<&str> = models.iter().map(|m| m.name.as_str()).collect();
    format!(
        "{{\n\"schema\": {SCHEMA},\n\"tool\": {},\n\"models\": {},\n\"tests\": [",
        json!(concat!("ptxmc ", env!("CARGO_PKG_VERSION"))),
        json!(names),
    )
}

/// The text between two tests.
pub const SEPARATOR: &str = ",";

/// The start of a list of documents, one for each test.
pub(crate) const DOCUMENTS: &str = concat!(
    "{\n\"schema\": 1,\n\"tool\": \"ptxmc ",
    env!("CARGO_PKG_VERSION"),
    "\",\n\"tests\": [\n"
);

/// The end of a list of documents.
pub(crate) const END_OF_DOCUMENTS: &str = "]}\n";

/// The end of a report.
#[must_use]
pub fn tail(tally: &Tally, diagnostics: &[Diagnostic], files: &Files) -> String {
    let diagnostics: Vec<Value> = diagnostics.iter().map(|d| diagnostic(d, files)).collect();
    format!(
        "\n],\n\"diagnostics\": {},\n\"summary\": {}\n}}\n",
        Value::Array(diagnostics),
        summary(tally),
    )
}

/// One test with its verdicts, on a line of its own.
#[must_use]
pub fn test(
    case: &Case,
    judgements: &[Judgement],
    models: &[Model],
    files: &Files,
    witnesses: Witnesses,
) -> String {
    let verdicts: Vec<Value> = models
        .iter()
        .zip(judgements)
        .map(|(model, judgement)| verdict(case, judgement, model, files, witnesses))
        .collect();
    let mut value = json!({
        "path": case.path,
        "name": case.test.name,
        "quantifier": quantifier(case.test.quantifier),
        "verdicts": verdicts,
    });
    if let Some(launch) = launch(&case.test) {
        value["launch"] = launch;
    }
    format!("\n{value}")
}

/// Which threads of the launches of a test stand in it; `None` if the test launches nothing.
pub(super) fn launch(test: &Test) -> Option<Value> {
    let launched = test.launched.as_ref()?;
    let names = |threads: &mut dyn Iterator<Item = usize>| -> Vec<&str> {
        threads.map(|at| test.threads[at].name.value.as_str()).collect()
    };
    let role = |role: &Role| json!({ "role": role.name, "threads": names(&mut role.threads.iter().copied()) });
    let checked = test.threads.len();
    let whole = launched.is_whole(checked);
    let stands = if whole { 0..0 } else { 0..checked };
    Some(json!({
        "checked": checked,
        "launched": launched.threads,
        "whole": whole,
        "followed": match launched.followed {
            _ if whole => "all",
            Followed::Some => "some",
            Followed::Unplaced => "unplaced",
            Followed::All => "all",
            Followed::Apart => "apart",
        },
        "representatives": names(&mut stands.into_iter()),
        "roles": launched.roles.iter().map(role).collect::<Vec<_>>(),
    }))
}

/// The final states of a test, as a complete document; `caveat` is a verdict that limits the meaning of
/// states.
#[must_use]
pub fn states(
    case: &Case,
    judgement: &Judgement,
    listing: &Listing,
    model: &Model,
    witnesses: Witnesses,
    caveat: Option<&str>,
) -> String {
    let observed = &listing.graph.observed;
    let mut states = Vec::new();
    for ((values, choices), matching) in listing.states.states.iter().zip(&listing.matching) {
        let named = observed.iter().zip(values).enumerate().map(|(index, (o, &value))| {
            (o.name.clone(), json!(observed_integer(&listing.graph, index, value)))
        });
        let mut state = json!({
            "values": Value::Object(named.collect()),
            "matches": matching,
        });
        if witnesses == Witnesses::Included {
            state["witness"] = picture(case, &listing.graph, choices, model);
        }
        states.push(state);
    }
    let value = json!({
        "schema": SCHEMA,
        "tool": concat!("ptxmc ", env!("CARGO_PKG_VERSION")),
        "path": case.path,
        "name": case.test.name,
        "model": model.name,
        "quantifier": quantifier(case.test.quantifier),
        "states": states,
        "complete": listing.is_complete(),
        "caveat": caveat,
        "hang": judgement.hang.as_ref().map(|hang| hang.kind().name()),
    });
    format!("{value:#}\n")
}

fn quantifier(quantifier: Quantifier) -> &'static str {
    match quantifier {
        Quantifier::Exists => "exists",
        Quantifier::NotExists => "~exists",
        Quantifier::Forall => "forall",
    }
}

pub(super) fn verdict(
    case: &Case,
    judgement: &Judgement,
    model: &Model,
    files: &Files,
    witnesses: Witnesses,
) -> Value {
    let standing = match judgement.standing() {
        Standing::Expected => "expected",
        Standing::Unasked => "unasked",
        Standing::Unknown => "unknown",
        Standing::Unexpected => "unexpected",
        Standing::Broken => "error",
    };
    let cause = Cause::of(&judgement.verdict, model, files);
    let mut value = json!({
        "model": model.name,
        "verdict": judgement.verdict.kind().name(),
        "holds": judgement.holds,
        "expected": judgement.expected.map(Kind::name),
        "standing": standing,
        "refused": judgement.refused.map(Refusal::name),
        "reason": reason::line(&judgement.verdict, model, files),
        "code": cause.code,
        "clauses": cause.clauses,
        "places": cause.places.iter().map(place).collect::<Vec<_>>(),
        "silent": judgement.silent,
        "hang": judgement.hang.as_ref().map(|hang| hang.kind().name()),
    });
    let mut choices = None;
    match &judgement.verdict {
        Verdict::Allowed(found) => choices = Some(found),
        Verdict::Forbidden(core) => {
            let axioms: Vec<Value> = reason::axioms(core, model)
                .map(|a| json!({ "name": a.name, "clauses": a.clauses, "place": placed(a.span, files) }))
                .collect();
            value["axioms"] = Value::Array(axioms);
            value["minimal"] = json!(core.minimal || core.axioms.is_empty());
        }
        Verdict::Undefined(why) | Verdict::OutOfModel(why) | Verdict::Deadlock(why) => {
            choices = why.choices.as_ref();
        }
        Verdict::Unknown(_) | Verdict::Error(_) => {}
    }
    if let (Witnesses::Included, Some(choices), Some(graph)) =
        (witnesses, choices, &judgement.graph)
    {
        value["witness"] = picture(case, graph, choices, model);
    }
    value
}

/// An execution: threads with their events, edges by event, the final state.
pub(super) fn picture(
    case: &Case,
    graph: &crate::event::graph::EventGraph,
    choices: &Choices,
    model: &Model,
) -> Value {
    match Picture::of(&case.test.name, graph, choices, model) {
        Ok(picture) => drawn(&picture),
        Err(message) => json!({ "error": message }),
    }
}

/// A picture as data.
pub(super) fn drawn(picture: &Picture) -> Value {
    let node = |n: &super::witness::Node| json!({ "id": n.label, "text": n.text });
    let threads: Vec<Value> = picture
        .columns
        .iter()
        .map(
            |c| json!({ "title": c.title, "events": c.nodes.iter().map(node).collect::<Vec<_>>() }),
        )
        .collect();
    let edges: Vec<Value> = picture
        .edges
        .iter()
        .map(|e| json!([e.relation, picture.label(e.from), picture.label(e.to)]))
        .collect();
    let state: serde_json::Map<String, Value> = picture
        .state
        .iter()
        .zip(&picture.integers)
        .map(|((name, _), value)| (name.clone(), json!(value)))
        .collect();
    json!({
        "initial": picture.initial.iter().map(node).collect::<Vec<_>>(),
        "threads": threads,
        "edges": edges,
        "state": state,
        "flags": picture.flags,
    })
}

fn diagnostic(diagnostic: &Diagnostic, files: &Files) -> Value {
    let severity = match diagnostic.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    json!({
        "severity": severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        "place": diagnostic.primary.as_ref().map(|label| placed(label.span, files)),
        "label": diagnostic.primary.as_ref().map(|label| label.text.as_str()),
        "help": diagnostic.help,
    })
}

fn placed(span: Span, files: &Files) -> Value {
    Place::of(span, files).as_ref().map_or(Value::Null, place)
}

/// A place.
pub(crate) fn place(place: &Place) -> Value {
    json!({ "file": place.file, "line": place.line, "column": place.column })
}

fn summary(tally: &Tally) -> Value {
    let kinds: serde_json::Map<String, Value> =
        Kind::ALL.iter().map(|&k| (k.name().to_owned(), json!(tally.of_kind(k)))).collect();
    json!({
        "tests": tally.tests(),
        "verdicts": kinds,
        "expected": tally.standing(Standing::Expected),
        "unexpected": tally.standing(Standing::Unexpected),
        "unasked": tally.standing(Standing::Unasked),
        "unknown": tally.standing(Standing::Unknown),
        "error": tally.standing(Standing::Broken),
        "unread": tally.unread(),
    })
}
