//! The path that comes nearest to an order, link by link: an existing link with its clause, a missing link
//! with the change that would establish the link. Statements are named by thread, position and text.

use super::statement::named;
use super::{cure, idle};
use crate::batch::{Case, Judgement};
use crate::defect::Defect;
use crate::event::base::base_relation;
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::litmus::ast::Quantifier;
use crate::race::near::{How, Link};
use crate::race::paths::{nearest_of, wanted};
use crate::race::{ExplainedRace, NearMiss, defects, explained_here, in_execution};
use crate::relation::expr::Model;
use crate::solve::Problem;
use crate::source::Files;
use crate::verdict::{Kind, Verdict};
use crate::vocabulary::BaseRel;
use itertools::Itertools;

/// The kinds of defects as the first line of a report, with the clauses that are relevant on the path;
/// empty without defects.
#[must_use]
pub fn defects_line(defects: &[Defect], path: Option<&NearMiss>, graph: &EventGraph) -> String {
    let sentence = |kind: &Defect| {
        path.map_or_else(|| kind.sentence(), |path| kind.about(path.clause_of(*kind, graph)))
    };
    let kinds: Vec<String> = defects.iter().map(sentence).collect();
    if kinds.is_empty() { String::new() } else { format!("  wrong: {}\n", kinds.join("; ")) }
}

/// The path as lines of text.
#[must_use]
pub fn render(path: &NearMiss, graph: &EventGraph, files: &Files) -> String {
    let missing = path.distance();
    let links = match missing {
        1 => "1 thing is missing".to_owned(),
        _ => format!("{missing} things are missing"),
    };
    let [first, last] = [path.first, path.last].map(|id| named(id, graph, files));
    let mut out = format!("  What comes closest to ordering {first} before {last}; {links}:\n");
    for (index, link) in path.links.iter().enumerate() {
        out += &format!("    {}. {}\n", index + 1, sentence(link, graph, files));
        for &defect in link.missing.iter().unique() {
            let sentence = defect.about(link.clause_of(defect, graph));
            let cure = cure::of_link(path, index, defect, graph, files);
            out += &format!("       MISSING: {sentence}: {cure}\n");
            let notes = idle::idle(path, index, defect, graph, files).into_iter();
            for note in notes.chain(cure::same_change_elsewhere(link, defect, graph, files)) {
                out += &format!("         {note}\n");
            }
        }
    }
    out
}

/// A link as a sentence; the missing part follows the sentence in the report.
fn sentence(link: &Link, graph: &EventGraph, files: &Files) -> String {
    let [from, to] = [link.from, link.to].map(|id| named(id, graph, files));
    let clause = link.clause(graph);
    let fails = !link.missing.is_empty();
    match (link.how, fails) {
        (How::ProgramOrder, _) => format!("{to} comes behind {from} in program order ({clause})"),
        (How::Synchronizes, _)
            if base_relation(graph, BaseRel::Api).contains(link.from, link.to) =>
        {
            format!("{from} is complete before {to} starts, by the order of their tasks ({clause})")
        }
        (How::Synchronizes, _) => format!("{from} synchronizes with {to} ({clause})"),
        (How::Meets, false) => format!("{from} meets {to} ({clause})"),
        (How::Meets, true) => format!("{from} is to be handed over to {to}"),
        (How::Causality, _) if link.is_issue(graph) => format!("{from} issues {to} ({clause})"),
        (How::Causality, _) => format!("{from} comes before {to} ({clause})"),
        (How::Releases, false) => match cure::acting_fence(link, graph) {
            Some(fence) => {
                let fence = named(fence, graph, files);
                format!("{fence} and {to} release what comes before them ({clause})")
            }
            None => format!("{to} releases what comes before it ({clause})"),
        },
        (How::Releases, true) => format!("{to} is to release what comes before it"),
        (How::Observes, false) => format!("{to} observes {from} ({clause})"),
        (How::Observes, true) => format!("{to} reads from {from}, which it is to observe"),
        (How::Updates, _) => format!("{from} goes on to what reads its own write ({clause})"),
        (How::Acquires, false) => match cure::acting_fence(link, graph) {
            Some(fence) => {
                let fence = named(fence, graph, files);
                format!("{from} and {fence} acquire for {to} ({clause})")
            }
            None if link.from == link.to => {
                format!("{from} acquires for what comes behind it ({clause})")
            }
            None => format!("{from} acquires for {to} ({clause})"),
        },
        // Two events of one statement: for example, elements of a vector.
        (How::Acquires, true) if graph.event(link.from).span == graph.event(link.to).span => {
            format!("{from} is to acquire for what else it accesses")
        }
        (How::Acquires, true) => format!("{from} is to acquire for {to}"),
        (How::Overwrites, _) => {
            format!("{from} reads a value that {to} overwrites, which is to order their threads")
        }
        (How::FenceOrder, _) => format!("{from} is to come before {to} in Fence-SC order"),
        (How::Completes, false) => format!("{to} waits for {from} ({clause})"),
        (How::Completes, true) => match graph.event(link.from).kind {
            EventKind::Complete(_) => format!("{from} is to come before {to}"),
            _ => format!("{from} is to be complete before {to}"),
        },
        (How::TensorBefore, false) => {
            format!("{from} hands over to {to} what came before ({clause})")
        }
        (How::TensorBefore, true) => format!("{to} is to hand over what came before it"),
        (How::Executes, _) => format!("{to} comes behind {from} in execution ({clause})"),
        (How::TensorAfter, false) => format!("{to} takes over what {from} saw ({clause})"),
        (How::TensorAfter, true) => format!("what {from} saw is to be taken over for {to}"),
        (How::ChangesProxy, _) => format!("{from} is to be visible to {to}"),
    }
}

/// The path that comes nearest to excluding the execution of an unwanted outcome; `None` for other
/// outcomes, and where no path comes near.
#[must_use]
pub fn of_unwanted(case: &Case, judgement: &Judgement, model: &Model) -> Option<NearMiss> {
    let (Verdict::Allowed(choices), Some(graph)) = (&judgement.verdict, &judgement.graph) else {
        return None;
    };
    if !is_unwanted(case, judgement) {
        return None;
    }
    let execution = Execution::build(graph, (**choices).clone()).ok()?;
    nearest_of(model, &execution, wanted(&execution))
}

/// Whether the user wants the outcome excluded: by the test's expectation, or by an option.
fn is_unwanted(case: &Case, judgement: &Judgement) -> bool {
    case.test.quantifier != Quantifier::Exists || judgement.expected == Some(Kind::Forbidden)
}

/// The kinds of defects in the execution of a verdict, without duplicates and with their clauses: the
/// defects of its races, and of the missing order that would exclude an unwanted outcome.
#[must_use]
pub fn kinds(case: &Case, judgement: &Judgement, model: &Model) -> Vec<String> {
    let (Verdict::Allowed(choices), Some(graph)) = (&judgement.verdict, &judgement.graph) else {
        return Vec::new();
    };
    let races = Execution::build(graph, (**choices).clone())
        .map(|execution| {
            let races = in_execution(Problem { graph, model }, &execution);
            explained_here(model, &execution, races)
        })
        .unwrap_or_default();
    let of_race = |race: &ExplainedRace| match &race.near {
        Some(path) => path.sentences(graph),
        None => defects(race).into_iter().map(Defect::sentence).collect(),
    };
    let unwanted = of_unwanted(case, judgement, model);
    let found = races
        .iter()
        .flat_map(of_race)
        .chain(unwanted.iter().flat_map(|path| path.sentences(graph)));
    found.unique().collect()
}

/// The limit of advice that is based on a single execution.
pub const OF_ONE_EXECUTION: &str =
    "  Other executions with the outcome may lack more: `ptxmc advise` looks at all of them.\n";

/// The missing order that would exclude an allowed outcome, as lines; for an outcome that nobody wants
/// excluded, without the word "wrong". Racing accesses are left to the report of races.
///
/// `follow_up` describes the result of the suggested changes, if the result is known.
#[must_use]
pub fn excluding(
    case: &Case,
    judgement: &Judgement,
    model: &Model,
    files: &Files,
    follow_up: Option<&str>,
) -> String {
    let (Some(graph), Some(path)) = (&judgement.graph, excluding_path(judgement, model)) else {
        return String::new();
    };
    let heading = match is_unwanted(case, judgement) {
        true => defects_line(&path.defects(), Some(&path), graph),
        false => String::new(),
    };
    let follow_up = follow_up.unwrap_or(OF_ONE_EXECUTION);
    format!("\n{heading}{}{follow_up}", render(&path, graph, files))
}

/// The path that comes nearest to excluding an allowed outcome; `None` if accesses of the execution race.
#[must_use]
pub fn excluding_path(judgement: &Judgement, model: &Model) -> Option<NearMiss> {
    let (Verdict::Allowed(choices), Some(graph)) = (&judgement.verdict, &judgement.graph) else {
        return None;
    };
    let execution = Execution::build(graph, (**choices).clone()).ok()?;
    let races = in_execution(Problem { graph, model }, &execution);
    let path = || nearest_of(model, &execution, wanted(&execution));
    if races.is_empty() { path() } else { None }
}
