//! The execution that shows a verdict, and the events and edges that decide the verdict in that execution.

use super::witness::Picture;
use super::witness::focus::Focus;
use crate::batch::{Case, Judgement};
use crate::check::{Hanging, Status, Stop};
use crate::event::graph::EventGraph;
use crate::execution::build::{Choices, Execution};
use crate::explain::Counterfactual;
use crate::relation::expr::Model;
use crate::source::Span;
use crate::verdict::Verdict;
use std::collections::BTreeSet;

/// An execution as a picture, with the focus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The execution, titled with the test and the verdict.
    pub picture: Picture,
    /// The events and edges that decide the verdict.
    pub focus: Focus,
    /// Whether the execution is one that hangs, whose event graph differs from the verdict's.
    pub is_hang: bool,
}

impl Scene {
    /// The relations of the picture, in alphabetical order.
    #[must_use]
    pub fn relations(&self) -> Vec<&str> {
        let of_focus = self.focus.edges.iter().map(|(edge, _)| edge);
        let edges = self.picture.edges.iter().chain(of_focus);
        let names: BTreeSet<&str> = edges.map(|edge| edge.relation.as_str()).collect();
        names.into_iter().filter(|name| *name != "po").collect()
    }
}

/// The execution of a verdict; for a forbidden outcome, that of the counterfactual `excluded`; `None` for
/// verdicts without an execution.
///
/// # Errors
///
/// When the choices of an engine make no execution, which is a bug.
pub fn of_verdict(
    case: &Case,
    judgement: &Judgement,
    model: &Model,
    excluded: Option<&Counterfactual>,
) -> Result<Option<Scene>, String> {
    let Some(graph) = &judgement.graph else { return Ok(None) };
    let mut verdict = judgement.verdict.kind().word(case.test.quantifier).to_owned();
    if let Some(found) = excluded {
        let name = |axiom: usize| model.axioms[axiom].name.as_str();
        let broken: Vec<&str> = found.broken.iter().map(|failure| name(failure.axiom)).collect();
        verdict.push_str(&format!(": breaks {}", broken.join(", ")));
    }
    let title = format!("{} ({verdict})", case.test.name);
    let shown = |choices: &Choices, focus: &dyn Fn(&Execution<'_>, &Picture) -> Focus| {
        let execution =
            Execution::build(graph, choices.clone()).map_err(|error| error.to_string())?;
        let picture = Picture::of_execution(&title, &execution, model);
        let focus = focus(&execution, &picture);
        Ok(Some(Scene { picture, focus, is_hang: false }))
    };
    let at = |places: &[Span]| {
        let places = places.to_vec();
        move |execution: &Execution<'_>, picture: &Picture| {
            Focus::of_places(execution.graph, picture, &places)
        }
    };
    match (&judgement.verdict, excluded) {
        (Verdict::Allowed(choices), _) => {
            shown(choices, &|execution, picture| Focus::of_outcome(model, execution, picture))
        }
        (Verdict::Forbidden(_), Some(found)) => shown(&found.choices, &|execution, picture| {
            Focus::of_failures(model, execution, picture, &found.broken)
        }),
        (Verdict::Undefined(why) | Verdict::OutOfModel(why), _) => match &why.choices {
            Some(choices) => shown(choices, &at(&why.spans)),
            None => Ok(None),
        },
        (Verdict::Deadlock(why), _) => match (&why.choices, of_hang(&title, judgement, model)?) {
            (_, Some(scene)) => Ok(Some(scene)),
            (Some(choices), None) => shown(choices, &at(&why.spans)),
            (None, None) => Ok(None),
        },
        (Verdict::Forbidden(core), None) if !core.endless.is_empty() => {
            of_hang(&title, judgement, model)
        }
        (Verdict::Forbidden(_) | Verdict::Unknown(_) | Verdict::Error(_), _) => Ok(None),
    }
}

/// The execution that hangs, with the positions of its threads; `None` where no execution that hangs is
/// known.
///
/// # Errors
///
/// When the choices of an engine make no execution, which is a bug.
pub fn of_hang(title: &str, judgement: &Judgement, model: &Model) -> Result<Option<Scene>, String> {
    let Some(hanging) = judgement.hanging() else { return Ok(None) };
    let Some(choices) = &hanging.choices else { return Ok(None) };
    let graph = &hanging.graph;
    let execution =
        Execution::build(graph, (**choices).clone()).map_err(|error| error.to_string())?;
    let mut picture = Picture::of_execution(title, &execution, model);
    for status in &hanging.threads {
        match status.stop {
            Stop::AtBarrier(barrier) => picture.add_waiting(graph, graph.barriers[barrier].event),
            Stop::InLoop { .. } => {
                picture.add_stay(status.agent, "waits for ever in the loop".to_owned());
            }
            Stop::BeforeTask(_) | Stop::Left(_) => {
                picture.add_stay(status.agent, "goes no further".to_owned());
            }
            Stop::NotStarted => picture.add_stay(status.agent, "has not been started".to_owned()),
            Stop::Ended => {}
        }
    }
    let mut focus = Focus::of_places(graph, &picture, &waits(hanging));
    for status in &hanging.threads {
        if let Stop::InLoop { polls, .. } = &status.stop {
            focus.events.extend(polls);
        }
    }
    Ok(Some(Scene { picture, focus, is_hang: true }))
}

/// The statements at which threads wait.
fn waits(hanging: &Hanging) -> Vec<Span> {
    let graph: &EventGraph = &hanging.graph;
    let of = |status: &Status| match &status.stop {
        Stop::AtBarrier(barrier) => Some(graph.event(graph.barriers[*barrier].event).span),
        Stop::InLoop { branch, .. } => Some(*branch),
        Stop::BeforeTask(id) | Stop::Left(id) => Some(graph.event(*id).span),
        Stop::Ended | Stop::NotStarted => None,
    };
    hanging.threads.iter().filter_map(of).collect()
}
