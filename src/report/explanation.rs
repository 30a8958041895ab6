//! A verdict explained: the verdict, the deciding clauses, and an execution.

use super::derivation::{Step, derivation, name, two_steps};
use super::proof::Depth;
use super::readings::{Weight, description, weight};
use super::statement::placed;
pub use super::subject::Subject;
use super::witness::{Edge, Picture, text};
use super::{near, races, reason, story};
use crate::batch::{Judgement, Standing};
use crate::check::SINGLE_COPY;
use crate::event::graph::{AgentKind, EventGraph, EventKind};
use crate::execution::build::{Choices, Execution};
use crate::explain::{Absent, Counterfactual, Other};
use crate::id::{EventId, NodeId};
use crate::litmus::ast::{Quantifier, ThreadPlace};
use crate::race::paths::nearest_of;
use crate::relation::axiom::{Failure, Witness};
use crate::relation::expr::{Axiom, Model};
use crate::rule::Rule;
use crate::solve::{Core, Problem};
use crate::source::{Files, Span};
use crate::verdict::{Kind, Reason, Verdict};
use itertools::Itertools;

/// The explanation. `counterfactual` is the execution that a forbidden outcome would have; `follow_up`
/// describes the result of the changes that are suggested for an allowed one, if the result is known.
#[must_use]
pub fn render(
    subject: Subject<'_>,
    counterfactual: Option<&Result<Counterfactual, Absent>>,
    follow_up: Option<&str>,
) -> String {
    let Subject { case, judgement, model, files, .. } = subject;
    let quantifier = case.test.quantifier;
    let word = judgement.verdict.kind().word(quantifier);
    let mut out = format!("{}: {word} under {}", case.path, model.name);
    if let Some(expected) = unmet_expectation(judgement) {
        out.push_str(&format!(", NOT EXPECTED: expected {}", expected.word(quantifier)));
    }
    out.push_str("\n\n");
    let question = files.text(case.test.condition_span).split_whitespace();
    out.push_str(&match question.collect::<Vec<_>>()[..] {
        [] => "  forall (true), since the test has no condition\n\n".to_owned(),
        ref words => format!("  {}\n\n", words.join(" ")),
    });
    if case.test.quantifier == Quantifier::Forall {
        out.push_str(match judgement.holds {
            Some(true) => {
                "The condition always holds: the outcome that breaks it is forbidden.\n\n"
            }
            Some(false) => "The condition may fail: an outcome that breaks it is allowed.\n\n",
            None => "The outcome in question is one that breaks the condition.\n\n",
        });
    }
    let graph = judgement.graph.as_ref();
    match &judgement.verdict {
        Verdict::Allowed(choices) => {
            out.push_str("This execution has the outcome, and the model admits it:\n");
            out.push_str(&picture_and_races(subject, graph, choices));
            out.push_str(&near::excluding(case, judgement, model, files, follow_up));
        }
        Verdict::Forbidden(core) => {
            if core.axioms.is_empty() || !core.endless.is_empty() {
                out.push_str(&reason::forbidden(core, model, files));
                out.push('\n');
                out.push_str(&platform_text(subject, core));
            }
            if !core.axioms.is_empty() {
                if !core.endless.is_empty() {
                    out.push('\n');
                }
                out.push_str(&by_axioms(subject, core, counterfactual));
            }
        }
        Verdict::Undefined(why) | Verdict::OutOfModel(why) | Verdict::Deadlock(why) => {
            out.push_str(&by_rule(subject, graph, why));
        }
        Verdict::Unknown(why) => {
            out.push_str(&format!("{}\n", reason::undecided(why, subject.files)))
        }
        Verdict::Error(message) => out.push_str(&format!("{message}\n")),
    }
    out
}

/// The expected verdict, if the actual one differs.
fn unmet_expectation(judgement: &Judgement) -> Option<Kind> {
    judgement.expected.filter(|_| judgement.standing() == Standing::Unexpected)
}

/// The other readings of the standard with different verdicts, most plausible first; empty if all readings
/// agree.
#[must_use]
pub fn other_readings(others: &[(String, Kind)]) -> String {
    let Some(heaviest) = others.iter().map(|(reading, _)| weight(reading)).min() else {
        return String::new();
    };
    let subject = if others.len() == 1 {
        "Another reading of the standard says"
    } else {
        "Other readings of the standard say"
    };
    let aside = match heaviest {
        Weight::Default | Weight::Open => "",
        Weight::Letter => ", by the letter of a sentence that other text speaks against",
        Weight::Remote => ", though hardly anybody reads it so",
    };
    let mut out = format!("\n{subject} otherwise{aside} (`--reading NAME=VALUE` chooses):\n");
    let width = |of: &dyn Fn(&(String, Kind)) -> usize| others.iter().map(of).max().unwrap_or(0);
    let weights = width(&|(reading, _)| weight(reading).name().len());
    let (kinds, names) = (width(&|(_, kind)| kind.name().len()), width(&|(name, _)| name.len()));
    for (reading, kind) in others.iter().sorted_by_key(|(reading, _)| weight(reading)) {
        let line = description(reading).unwrap_or_default();
        let (weight, kind) = (weight(reading).name(), kind.name());
        let row = format!("  {weight:weights$}  {kind:kinds$}  {reading:names$}  {line}");
        out.push_str(&format!("{}\n", row.trim_end()));
    }
    out
}

/// The axioms that exclude an outcome, and an execution that breaks them.
fn by_axioms(
    subject: Subject<'_>,
    core: &Core,
    counterfactual: Option<&Result<Counterfactual, Absent>>,
) -> String {
    let doubt = if core.may_be_shorter() { ", perhaps more of them than needed" } else { "" };
    let mut out = format!("These axioms of the model exclude the outcome{doubt}:\n");
    reason::axioms(core, subject.model)
        .for_each(|axiom| out.push_str(&axiom_with_clauses(axiom, subject.files)));
    if core.despite_race {
        out.push_str(
            "\nAccesses of different sizes race (`ptxmc races` lists them), which voids all other \
             axioms of the model; this clause holds in programs with such a race too (PTX-8.7.2).\n",
        );
    }
    out.push_str(&platform_text(subject, core));
    match (counterfactual, &subject.judgement.graph) {
        (Some(Ok(found)), Some(graph)) => out.push_str(&counterfactual_text(subject, graph, core, found)),
        (Some(Err(Absent::NoCandidate)), _) if core.torn => out.push_str(
            "\nOnly an execution that tears accesses apart could have it, and where no other access \
             overlaps one in part none is looked for (V10, `--reading tearing=byte`).\n",
        ),
        (Some(Err(Absent::NoCandidate)), _) => out
            .push_str("\nEven without any axiom, no execution that ends has this outcome.\n"),
        (Some(Err(Absent::Undecided)), _) => out.push_str(
            "\nWhether some execution would have it without them could not be found out.\n",
        ),
        _ => {}
    }
    out
}

/// The reason why the verdict depends on the platform: in a location that a host and a device thread
/// access, the outcome is excluded by a clause on atomicity, or by the assumption that accesses are not
/// torn (PTX-8.1.1). Exclusion by atomicity needs at least one atomic operation.
fn platform(subject: Subject<'_>, core: &Core) -> Option<&'static str> {
    let graph = subject.judgement.graph.as_ref()?;
    let has = |wanted: &dyn Fn(&Axiom) -> bool| reason::axioms(core, subject.model).any(wanted);
    let of = |axiom: &Axiom, clause: &str| axiom.clauses.iter().any(|known| known == clause);
    let single_copy = core.torn || has(&|axiom| axiom.name == SINGLE_COPY);
    let atomics = has(&|axiom| of(axiom, "PTX-8.10.3") || of(axiom, "PTX-8.7.2"));
    let is_host = |id: EventId| {
        let agent = &graph.agents[graph.event(id).agent.index()];
        matches!(agent.kind, AgentKind::Thread(_, ThreadPlace::Host))
    };
    let accesses = || graph.ids().filter(|&id| graph.event(id).kind != EventKind::Init);
    let meets = |access: EventId| {
        let meets = |other: EventId| graph.event(other).loc == graph.event(access).loc;
        accesses().any(|other| meets(other) && is_host(other) != is_host(access))
    };
    let is_atomic = |id: &EventId| graph.event(*id).marks.rmw;
    if atomics && accesses().filter(is_atomic).any(meets) {
        Some("atomics")
    } else if single_copy && accesses().filter(|&id| graph.event(id).loc.is_some()).any(meets) {
        Some("accesses")
    } else {
        None
    }
}

/// The note that the verdict depends on the platform.
fn platform_text(subject: Subject<'_>, core: &Core) -> String {
    platform(subject, core).map_or_else(String::new, |what| {
        format!(
            "\nWhether {what} of the host and of a device are atomic to each other depends on the \
             platform (PTX-8.1.1).\n"
        )
    })
}

fn picture_text(subject: Subject<'_>, graph: Option<&EventGraph>, choices: &Choices) -> String {
    let Some(graph) = graph else { return String::new() };
    match picture(subject, graph, choices) {
        Ok(picture) => text::render(&picture),
        Err(message) => format!("  {message}\n"),
    }
}

/// As [`picture_text`], with the races of the execution, which often explain an unwanted outcome.
fn picture_and_races(
    subject: Subject<'_>,
    graph: Option<&EventGraph>,
    choices: &Choices,
) -> String {
    let Some(graph) = graph else { return String::new() };
    let execution = match Execution::build(graph, choices.clone()) {
        Ok(execution) => execution,
        Err(error) => return format!("  {error}\n"),
    };
    let picture = Picture::of_execution(&subject.case.test.name, &execution, subject.model);
    let problem = Problem { graph, model: subject.model };
    let mut out = text::render(&picture);
    out.push_str(&story::of_outcome(subject.model, &execution, subject.files));
    out.push_str(&races::beside_picture(problem, &execution, subject.files));
    out
}

fn picture(subject: Subject<'_>, graph: &EventGraph, choices: &Choices) -> Result<Picture, String> {
    Picture::of(&subject.case.test.name, graph, choices, subject.model)
}

/// The deciding rule, the statements that it concerns, and an execution.
fn by_rule(subject: Subject<'_>, graph: Option<&EventGraph>, why: &Reason) -> String {
    let mut out = match why.rule.silence() {
        Some(silence) => format!("{}: {}\n", silence.words(), why.rule),
        None => format!("{}\n", why.rule),
    };
    if let Rule::Condition { name, .. } = &why.rule {
        out.push_str(&axiom_text(name, subject));
    }
    for &span in &why.spans {
        out.push_str(&source_line(span, subject.files));
    }
    if let (Rule::Condition { .. }, Some(choices), Some(graph)) = (&why.rule, &why.choices, graph) {
        out.push_str(&nearest_order(subject, graph, choices, &why.spans));
    }
    if let Some(choices) = &why.choices {
        let event_at = |span: &Span| {
            graph.is_some_and(|graph| graph.ids().any(|id| graph.event(id).span == *span))
        };
        out.push_str(match why.spans.iter().all(event_at) {
            true => "\nIt happens in this execution:\n",
            false => "\nIt happens in this execution, in which the statement is no event:\n",
        });
        out.push_str(&picture_text(subject, graph, choices));
    }
    out
}

/// The demand of an axiom: its comment and its text in the model.
fn axiom_text(name: &str, subject: Subject<'_>) -> String {
    let Some(axiom) = subject.model.axioms.iter().find(|axiom| axiom.name == name) else {
        return String::new();
    };
    let comment = comment_on(axiom.span, subject.files);
    let comment = comment.map_or_else(String::new, |comment| format!("  {comment}\n"));
    comment + &source_line(axiom.span, subject.files)
}

/// The comment before a statement of a model.
fn comment_on(span: Span, files: &Files) -> Option<String> {
    let text = files.get(span.file)?.text.get(..span.start as usize)?;
    let text = text.trim_end().trim_end_matches("undefined_unless").trim_end();
    let start = text.strip_suffix("*)")?.rfind("(*")?;
    let comment = text.get(start + 2..text.len() - 2)?;
    Some(comment.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The path that comes nearest to ordering the statements of a rule: in the direction of the rule, or in
/// the opposite one if no path leads in the direction of the rule.
fn nearest_order(
    subject: Subject<'_>,
    graph: &EventGraph,
    choices: &Choices,
    spans: &[Span],
) -> String {
    let Ok(execution) = Execution::build(graph, choices.clone()) else { return String::new() };
    let at_rule =
        |id: &EventId| spans.contains(&graph.event(*id).span) && execution.executed.contains(*id);
    let accesses: Vec<EventId> =
        graph.ids().filter(at_rule).filter(|&id| graph.event(id).loc.is_some()).collect();
    let meet = |&(one, other): &(EventId, EventId)| {
        let (one, other) = (graph.event(one), graph.event(other));
        one.loc == other.loc && one.span != other.span && (one.is_write() || other.is_write())
    };
    let pairs = accesses.iter().cartesian_product(&accesses).map(|(&a, &b)| (a, b)).filter(meet);
    let (along, against): (Vec<_>, Vec<_>) =
        pairs.partition(|&(first, _)| spans.first() == Some(&graph.event(first).span));
    let nearest = |pairs| nearest_of(subject.model, &execution, pairs);
    let path = nearest(along).or_else(|| nearest(against));
    path.map_or_else(String::new, |path| format!("\n{}", near::render(&path, graph, subject.files)))
}

/// An axiom with its clauses, its position and its text.
fn axiom_with_clauses(axiom: &Axiom, files: &Files) -> String {
    format!("  {}\n{}", reason::named(axiom), source_line(axiom.span, files))
}

fn source_line(span: Span, files: &Files) -> String {
    format!("    {}\n", placed(span, files))
}

/// An execution that would have the outcome, the axioms that the execution breaks and where, and the
/// relation of these axioms to the core.
fn counterfactual_text(
    subject: Subject<'_>,
    graph: &EventGraph,
    core: &Core,
    found: &Counterfactual,
) -> String {
    let name = |axiom: usize| subject.model.axioms[axiom].name.as_str();
    let broken: Vec<usize> = found.broken.iter().map(|failure| failure.axiom).collect();
    let names = enumeration(broken.iter().copied().map(name));
    let mut out = format!("\nWithout {names}, this execution would have it:\n");
    let execution = match Execution::build(graph, found.choices.clone()) {
        Ok(execution) => execution,
        Err(error) => return format!("{out}  {error}\n"),
    };
    let picture = Picture::of_execution(&subject.case.test.name, &execution, subject.model);
    out.push_str(&text::render(&picture));
    out.push_str(&violations_text(subject.model, &execution, &picture, found));
    let foreign: Vec<usize> = broken.iter().copied().filter(|a| !core.axioms.contains(a)).collect();
    match (found.fewest, broken.len()) {
        (_, 0 | 1) => {}
        (false, _) => out.push_str("Another one may break fewer axioms.\n"),
        (true, count) => {
            out.push_str(&format!(
                "Every execution with the outcome breaks {count} axioms or more.\n"
            ));
            if !foreign.is_empty() {
                let verb = if foreign.len() == 1 { "belongs" } else { "belong" };
                let names = enumeration(foreign.into_iter().map(name));
                out.push_str(&format!(
                    "{names} {verb} to another set of axioms that excludes the outcome too.\n"
                ));
            }
        }
    }
    let shown = |axiom: &usize| {
        let mut failures = found.others.iter().flat_map(|other| &other.broken);
        failures.any(|failure| failure.axiom == *axiom)
    };
    let silent: Vec<usize> =
        core.axioms.iter().copied().filter(|a| !broken.contains(a) && !shown(a)).collect();
    if !silent.is_empty() {
        let verb = match (core.minimal, silent.len()) {
            (true, 1) => "excludes",
            (true, _) => "exclude",
            (false, _) => "may exclude",
        };
        let names = enumeration(silent.into_iter().map(name));
        out.push_str(&format!("{names} {verb} other executions with the outcome.\n"));
    }
    out.push_str(&story::of_failures(subject, &execution, &picture, &found.broken));
    for other in &found.others {
        out.push_str(&further_execution(subject, &execution, other));
    }
    out
}

/// A further execution that another axiom excludes, described by its differences from the one in the
/// picture.
fn further_execution(subject: Subject<'_>, shown: &Execution<'_>, other: &Other) -> String {
    let Subject { case, model, files, .. } = subject;
    let Ok(execution) = Execution::build(shown.graph, other.choices.clone()) else {
        return String::new();
    };
    let names = other.broken.iter().map(|failure| model.axioms[failure.axiom].name.as_str());
    let names = enumeration(names);
    let verb = if other.broken.len() == 1 { "excludes" } else { "exclude" };
    let mut out = format!("\n{names} {verb} other executions with the outcome, as this one:\n");
    out.push_str(&story::differences(&execution, shown, files));
    let picture = Picture::of_execution(&case.test.name, &execution, model);
    // Proofs refer to letters of a picture, and this execution has no picture.
    let subject = Subject { unfold: Depth::Folded, ..subject };
    out + &story::of_failures(subject, &execution, &picture, &other.broken)
}

/// `a`, `a and b`, `a, b and c`.
fn enumeration<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.split_last() {
        Some((last, first @ [_, ..])) => format!("{} and {last}", first.join(", ")),
        _ => names.concat(),
    }
}

/// The places where the execution breaks axioms.
fn violations_text(
    model: &Model,
    execution: &Execution<'_>,
    picture: &Picture,
    found: &Counterfactual,
) -> String {
    let mut out = String::new();
    for failure in &found.broken {
        let axiom = &model.axioms[failure.axiom];
        let why = violation_text(model, axiom, failure, picture, execution);
        out.push_str(&format!("It breaks {}: {why}\n", axiom.name));
    }
    out
}

fn violation_text(
    model: &Model,
    axiom: &Axiom,
    failure: &Failure,
    picture: &Picture,
    execution: &Execution<'_>,
) -> String {
    match &failure.witness {
        Witness::Cycle(events) => {
            format!("the cycle {}", cycle_text(model, picture, execution, axiom.node, events))
        }
        Witness::Pair(a, b) => format!("{} -> {}", picture.label(*a), picture.label(*b)),
        Witness::Event(event) => match two_steps(model, axiom.node, *event, execution) {
            // A first step from an event to itself can be omitted.
            Some((first, second)) if first.edge.from == first.edge.to => format!(
                "{} leads back to itself by {}{}",
                picture.label(*event),
                name(model, second.node),
                steps_text(model, picture, execution, &second),
            ),
            Some((first, second)) => format!(
                "{} -> {} by {}, and back by {}{}",
                picture.label(*event),
                picture.label(first.edge.to),
                first.edge.relation,
                name(model, second.node),
                steps_text(model, picture, execution, &second),
            ),
            None => format!("at {}", picture.label(*event)),
        },
        Witness::NotViolatedNegated => "what it demands to fail holds".to_owned(),
    }
}

/// A cycle of a relation, with the names of its steps.
fn cycle_text(
    model: &Model,
    picture: &Picture,
    execution: &Execution<'_>,
    node: NodeId,
    events: &[EventId],
) -> String {
    let Some(&first) = events.first() else { return String::new() };
    let mut out = picture.label(first).to_owned();
    let next = events.iter().skip(1).chain([&first]);
    for (&from, &to) in events.iter().zip(next) {
        for Step { edge, .. } in derivation(model, execution, node, from, to) {
            // An edge from a piece of an access to itself is no step.
            if edge.from != edge.to {
                out.push_str(&format!(" -{}-> {}", edge.relation, picture.label(edge.to)));
            }
        }
    }
    out
}

/// The steps by which a relation leads from one event to another; empty if the steps add nothing to the
/// relation's name.
fn steps_text(model: &Model, picture: &Picture, execution: &Execution<'_>, step: &Step) -> String {
    let Step { node, edge: Edge { from, to, .. } } = *step;
    let steps = derivation(model, execution, node, from, to);
    if matches!(&steps[..], [] | [_]) {
        return String::new();
    }
    let mut out = format!(": {}", picture.label(from));
    for Step { edge, .. } in steps {
        out.push_str(&format!(" -{}-> {}", edge.relation, picture.label(edge.to)));
    }
    out
}
