//! Explanations, races, hangs and pictures of single tests as JSON documents.

use super::caveat::Caveat;
use super::json::{SCHEMA, Witnesses, drawn, launch, picture, place, verdict};
use super::readings::weight;
use super::reason::{Place, undecided};
use super::scene::Scene;
use super::witness::Edge;
use super::witness::focus::Role;
use super::{hang, near};
use crate::batch::{Case, Judgement};
use crate::check::{Hang, Hanging, Status, WaitCause, WaitFor};
use crate::defect::Defect;
use crate::event::graph::EventGraph;
use crate::id::{AgentId, EventId};
use crate::progress::Progress;
use crate::race::near::Link;
use crate::race::{ExplainedRace, NearMiss, defects, describe};
use crate::relation::expr::Model;
use crate::source::Files;
use crate::verdict::Undecided;
use serde_json::{Value, json};

/// The fields common to all documents.
fn document(case: &Case, model: &Model) -> Value {
    json!({
        "schema": SCHEMA,
        "tool": concat!("ptxmc ", env!("CARGO_PKG_VERSION")),
        "path": case.path,
        "name": case.test.name,
        "model": model.name,
    })
}

fn finished(document: &Value) -> String {
    format!("{document:#}\n")
}

/// The verdict on a test with its execution and its explanation as text, and the verdicts under other
/// readings of the standard.
#[must_use]
pub fn explanation(
    case: &Case,
    judgement: &Judgement,
    model: &Model,
    files: &Files,
    explanation_text: &str,
    readings: &[(String, crate::verdict::Kind)],
) -> String {
    let mut value = document(case, model);
    value["verdict"] = verdict(case, judgement, model, files, Witnesses::Included);
    let path = near::of_unwanted(case, judgement, model);
    let drawn =
        path.zip(judgement.graph.as_ref()).map(|(path, graph)| near_miss(&path, graph, files));
    value["near"] = drawn.unwrap_or(Value::Null);
    value["explanation"] = json!(explanation_text.lines().collect::<Vec<_>>());
    let reading = |(name, kind): &(String, crate::verdict::Kind)| json!({ "reading": name, "verdict": kind.name(), "weight": weight(name).name() });
    value["readings"] = readings.iter().map(reading).collect();
    finished(&value)
}

/// A kind of defect, with its clause.
pub(super) fn defect_of(defect: Defect, clause: &str) -> Value {
    json!({ "code": defect.code(), "clause": clause, "text": defect.text() })
}

/// The path that comes nearest to an order.
pub(super) fn near_miss(path: &NearMiss, graph: &EventGraph, files: &Files) -> Value {
    let end = |id: EventId| {
        let event = graph.event(id);
        json!({
            "thread": graph.agents[event.agent.index()].name,
            "place": Place::of(event.span, files).as_ref().map(place),
            "line": files.text_in_a_line(event.span),
        })
    };
    let link = |link: &Link| {
        json!({
            "from": end(link.from),
            "to": end(link.to),
            "how": link.how.code(),
            "clause": link.clause(graph),
            "missing": link
                .missing
                .iter()
                .map(|defect| defect_of(*defect, link.clause_of(*defect, graph)))
                .collect::<Vec<_>>(),
        })
    };
    json!({ "missing": path.distance(), "links": path.links.iter().map(link).collect::<Vec<_>>() })
}

/// The races of a test, each with an execution. `cut` is the reason why races may be missing, `caveat` a
/// verdict that limits the meaning of races.
#[must_use]
#[allow(clippy::too_many_arguments, reason = "the parts of one report")]
pub fn races(
    case: &Case,
    judgement: &Judgement,
    races: &[ExplainedRace],
    graph: &EventGraph,
    model: &Model,
    files: &Files,
    caveat: Option<&str>,
    cut: Option<&Undecided>,
) -> String {
    let clause = |near: Option<&NearMiss>, defect: Defect| {
        near.map_or(defect.clause(), |path| path.clause_of(defect, graph))
    };
    let one = |explained: &ExplainedRace| {
        let ExplainedRace { race, missing, near } = explained;
        let access = |(access, event)| {
            let span = graph.event(event).span;
            json!({
                "access": describe(graph, access),
                "place": Place::of(span, files).as_ref().map(place),
                "line": files.text_in_a_line(span),
            })
        };
        let pairs = [(race.accesses.0, race.events.0), (race.accesses.1, race.events.1)];
        json!({
            "mixed": race.mixed,
            "accesses": pairs.map(access),
            "defects": defects(explained)
                .iter()
                .map(|defect| defect_of(*defect, clause(near.as_ref(), *defect)))
                .collect::<Vec<_>>(),
            "near": near.as_ref().map(|path| near_miss(path, graph, files)),
            "missing": missing.iter().map(|missing| missing.code()).collect::<Vec<_>>(),
            "witness": picture(case, graph, &race.choices, model),
        })
    };
    let mut value = document(case, model);
    if let Some(launch) = launch(&case.test) {
        value["launch"] = launch;
    }
    value["races"] = races.iter().map(one).collect();
    value["hang"] = json!(judgement.hang.as_ref().map(|hang| hang.kind().name()));
    value["complete"] = json!(cut.is_none());
    value["open"] = json!(cut.map(|why| undecided(why, files)));
    value["caveat"] = json!(caveat);
    finished(&value)
}

/// Whether a test may hang, with the positions of threads in an execution that hangs.
#[must_use]
pub fn hang(
    case: &Case,
    hang: &Hang,
    model: &Model,
    progress: Progress,
    files: &Files,
    void: Option<&Caveat>,
) -> String {
    let mut value = document(case, model);
    value["caveat"] = json!(void.map(|caveat| caveat.text.as_str()));
    value["progress"] = json!(progress.name());
    value["hang"] = json!(hang.kind().name());
    match hang {
        Hang::Never => {}
        Hang::Unknown(why) => {
            value["code"] = json!(why.code());
            value["reason"] = json!(undecided(why, files));
        }
        Hang::Possible(hanging) => {
            let said = hang::status_lines(hanging, progress, files);
            let thread = |(status, (name, lines)): (&Status, (String, Vec<String>))| {
                let at =
                    hang::statement_span(hanging, status).and_then(|span| Place::of(span, files));
                json!({
                    "thread": name,
                    "status": hang::status_code(&status.stop),
                    "place": at.as_ref().map(place),
                    "explanation": lines,
                })
            };
            value["threads"] = hanging.threads.iter().zip(said).map(thread).collect();
            value["circle"] = circle(hanging, files);
            if let Some(choices) = &hanging.choices {
                value["witness"] = picture(case, &hanging.graph, choices, model);
            }
        }
    }
    finished(&value)
}

/// The circle of threads that wait for each other; empty without one.
pub(super) fn circle(hanging: &Hanging, files: &Files) -> Value {
    let name = |agent: AgentId| hanging.graph.agents[agent.index()].name.clone();
    let wait = |wait: &WaitFor| {
        json!({
            "thread": name(wait.thread),
            "other": name(wait.other),
            "for": match wait.what {
                WaitCause::Lock { .. } => "lock",
                WaitCause::Write { .. } => "write",
                WaitCause::Arrival(_) => "arrival",
            },
            "text": hang::wait_text(wait, hanging, files),
        })
    };
    hanging.circle().iter().map(wait).collect()
}

/// A picture: the execution with its title, and the deciding edges.
#[must_use]
pub fn drawing(case: &Case, model: &Model, scene: &Scene) -> String {
    let picture = &scene.picture;
    let decides = scene.focus.edges.iter().filter(|(_, role)| *role == Role::Decides);
    let edge =
        |edge: &Edge| json!([edge.relation, picture.label(edge.from), picture.label(edge.to)]);
    let mut value = document(case, model);
    value["title"] = json!(picture.name);
    value["picture"] = drawn(picture);
    value["decides"] = decides.map(|(decides, _)| edge(decides)).collect();
    finished(&value)
}
