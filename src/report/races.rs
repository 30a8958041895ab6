//! Data races as text: the two accesses, the missing order, an execution.

use super::caveat::Caveat;
use super::near;
use super::reason;
use super::statement::{named, placed};
use super::witness::{Picture, text};
use crate::batch::Case;
use crate::event::graph::EventGraph;
use crate::execution::build::Execution;
use crate::id::EventId;
use crate::race::{
    ExplainedRace, Gap, Missing, Observation, defects, describe, explained_here, in_execution,
    spans,
};
use crate::relation::expr::Model;
use crate::solve::Problem;
use crate::source::Files;
use crate::verdict::{Kind, Undecided};

/// The races of a test. `caveat` is a verdict that limits the meaning of races; `cut` is the reason why
/// executions are missing, if any are.
#[must_use]
pub fn render(
    case: &Case,
    races: &[ExplainedRace],
    graph: &EventGraph,
    model: &Model,
    files: &Files,
    caveat: Option<&Caveat>,
    cut: Option<&Undecided>,
) -> String {
    let void = caveat.filter(|caveat| caveat.is_void());
    let mut out = match (races.len(), void) {
        (n, Some(Caveat { kind, .. })) if n == 0 || *kind == Kind::OutOfModel => {
            format!("{}: {} under {}\n", case.path, kind.name(), model.name)
        }
        (0, None) if cut.is_some() => {
            format!("{}: no data race found under {}\n", case.path, model.name)
        }
        (0, None) => format!("{}: no data race under {}\n", case.path, model.name),
        (1, _) => format!("{}: 1 data race under {}\n", case.path, model.name),
        (n, _) => format!("{}: {n} data races under {}\n", case.path, model.name),
    };
    if let Some(caveat) = caveat {
        out.push_str(&format!("{}\n", caveat.text));
    }
    match (void, races.len()) {
        (Some(_), 0) => out.push_str("no data race was found, which decides nothing\n"),
        (Some(Caveat { kind: Kind::OutOfModel, .. }), n) => {
            let races = if n == 1 { "data race" } else { "data races" };
            out.push_str(&format!("{n} {races} in the part that has a meaning\n"));
        }
        _ => {}
    }
    if let Some(why) = cut {
        out.push_str(&format!("there may be more: {}\n", reason::undecided(why, files)));
    }
    for races in by_execution(races) {
        let picture = Execution::build(graph, (*races[0].race.choices).clone())
            .map(|execution| Picture::of_execution(&case.test.name, &execution, model));
        for (index, race) in races.iter().enumerate() {
            out.push_str(&race_text(race, &races[..index], graph, files));
        }
        if let Ok(picture) = picture {
            let subject = if races.len() == 1 { "It happens" } else { "All of them happen" };
            out.push_str(&format!("  {subject} in this execution:\n"));
            out.push_str(&text::render(&picture));
        }
    }
    out
}

/// The most races that are shown with an execution.
const MOST_BESIDE_PICTURE: usize = 4;

/// The races of an execution in a picture, with the missing order of each; empty without races.
#[must_use]
pub(super) fn beside_picture(
    problem: Problem<'_>,
    execution: &Execution<'_>,
    files: &Files,
) -> String {
    let mut races = in_execution(problem, execution);
    let more = races.len().saturating_sub(MOST_BESIDE_PICTURE);
    races.truncate(MOST_BESIDE_PICTURE);
    let races = explained_here(problem.model, execution, races);
    let shown: Vec<&ExplainedRace> = races.iter().collect();
    let mut out = String::new();
    for (index, race) in shown.iter().enumerate() {
        out.push_str(&race_text(race, &shown[..index], problem.graph, files));
    }
    if more > 0 {
        out.push_str(&format!("\nand {more} more races, which `ptxmc races` lists\n"));
    }
    out
}

/// The races grouped by execution; groups are in the order of their first races.
fn by_execution(races: &[ExplainedRace]) -> Vec<Vec<&ExplainedRace>> {
    let mut groups: Vec<Vec<&ExplainedRace>> = Vec::new();
    for race in races {
        match groups.iter_mut().find(|group| group[0].race.choices == race.race.choices) {
            Some(group) => group.push(race),
            None => groups.push(vec![race]),
        }
    }
    groups
}

/// A race with the missing order. A race that lacks the same as one of the races `above` refers to that
/// race.
fn race_text(
    explained: &ExplainedRace,
    above: &[&ExplainedRace],
    graph: &EventGraph,
    files: &Files,
) -> String {
    let ExplainedRace { race, missing, near } = explained;
    let [first, second] = [race.accesses.0, race.accesses.1].map(|a| describe(graph, a));
    let kind = if race.mixed { "A mixed-size race (PTX-8.7.2)" } else { "A race (PTX-8.7.1)" };
    let mut out = format!("\n{kind} of {first} and {second}\n");
    out += &near::defects_line(&defects(explained), near.as_ref(), graph);
    for span in spans(graph, race) {
        out.push_str(&format!("    {}\n", placed(span, files)));
    }
    let has_path = near.is_some();
    for missing in missing.iter().filter(|missing| !has_path || !missing.is_told_by_path()) {
        out.push_str(&format!("  {}\n", missing_text(*missing, graph, files)));
    }
    let Some(path) = near else { return out };
    let same =
        above.iter().find(|other| other.near.as_ref().is_some_and(|p| p.lacks_the_same(path)));
    match same {
        Some(other) => {
            let [first, last] = [path.first, path.last].map(|id| named(id, graph, files));
            let [one, two] =
                [other.race.accesses.0, other.race.accesses.1].map(|a| describe(graph, a));
            out + &format!(
                "  Between {first} and {last} the same is missing as in the race of {one} and {two} above.\n"
            )
        }
        None => out + &near::render(path, graph, files),
    }
}

/// A reason for a missing order, as a sentence.
fn missing_text(missing: Missing, graph: &EventGraph, files: &Files) -> String {
    let name = |id: EventId| named(id, graph, files);
    match missing {
        Missing::Weak(event) => format!(
            "{} is weak: nothing in another thread is morally strong with it (PTX-8.7).",
            name(event)
        ),
        Missing::Scope(from, to) => format!(
            "The scope of {} does not include the thread of {} (PTX-8.5).",
            name(from),
            name(to)
        ),
        Missing::Overlap => "They do not overlap completely (PTX-8.7).".to_owned(),
        Missing::Address => {
            "They use different virtual addresses of the location, so they are not \
                             morally strong (PTX-8.2.1, PTX-8.7)."
                .to_owned()
        }
        Missing::Proxy { one_thread, alias } => {
            let relates =
                if one_thread { "Program order relates" } else { "Synchronization orders" };
            let (across, fence) = match alias {
                true => ("virtual addresses", "`fence.proxy.alias`"),
                false => ("proxies or virtual addresses", "a proxy fence"),
            };
            format!(
                "{relates} them, but not across their {across}: {fence} is missing (PTX-8.9.5)."
            )
        }
        Missing::Link { write, read, gap: Gap::Unread, .. } => format!(
            "{} does not read from {} here, so that no synchronization leads from one to the other \
             (PTX-8.9.4).",
            name(read),
            name(write)
        ),
        Missing::Link { write, read, seen, gap } => {
            let (write, read) = (&name(write), &name(read));
            let sees = match seen {
                Observation::Read => "reads from",
                Observation::Observed => "observes",
                Observation::Unread => "may read from",
            };
            format!("{read} {sees} {write}, but {}", gap_text(write, read, gap, name))
        }
        Missing::Ends(from, to) => format!(
            "{} releases to {}, but these two are not morally strong (PTX-8.9.4).",
            name(from),
            name(to)
        ),
        Missing::Early(access) => format!(
            "{} stands before `griddepcontrol.wait`, which orders only what follows it \
             (PTX-9.7.13.13).",
            name(access)
        ),
        Missing::After { access, from, to, last } => {
            let [access, from, to, last] = [access, from, to, last].map(name);
            format!(
                "{from} synchronizes with {to}, but {access} comes only after {from}, and nothing orders \
                 {last} before {access} either (PTX-8.9.5)."
            )
        }
        Missing::NotBefore { access, from, to } => {
            let [access, from, to] = [access, from, to].map(name);
            format!(
                "{from} synchronizes with {to}, but nothing orders {access} before {from}: a barrier of \
                 the two threads between them is missing, or the like (PTX-8.9.5)."
            )
        }
        Missing::NotBehind { access, to, last } => {
            let [access, to, last] = [access, to, last].map(name);
            format!(
                "{to} comes behind {access}, but nothing orders {to} before {last}: a barrier of the two \
                 threads between them is missing, or the like (PTX-8.9.5)."
            )
        }
        Missing::Synchronization => {
            "No synchronization leads from one to the other (PTX-8.9.5).".to_owned()
        }
    }
}

/// The reason why a read does not synchronize with the write that it reads from.
fn gap_text(write: &str, read: &str, gap: Gap, name: impl Fn(EventId) -> String) -> String {
    match gap {
        Gap::WeakWrite => format!("{write} is weak, so that it releases nothing (PTX-8.9.2)."),
        Gap::WeakRead => format!("{read} is weak, so that it acquires nothing (PTX-8.9.2)."),
        Gap::ScopeOfWrite => {
            format!("the scope of {write} does not include the thread of {read} (PTX-8.5).")
        }
        Gap::ScopeOfRead => {
            format!("the scope of {read} does not include the thread of {write} (PTX-8.5).")
        }
        Gap::Release => format!(
            "{write} ends no release pattern that covers the access before it: a release is \
             missing there (PTX-8.8)."
        ),
        Gap::Acquire => format!(
            "{read} starts no acquire pattern that covers the access behind it: an acquire is \
             missing there (PTX-8.8)."
        ),
        Gap::Reduction => format!(
            "{read} is the read of a reduction, which starts no acquire pattern, whatever fence \
             follows: `atom` does (PTX-8.8)."
        ),
        Gap::Arrival => format!(
            "{read} is the read of an arrival, which starts no acquire pattern, whatever fence \
             follows: a wait does (PTX-9.7.13.15)."
        ),
        Gap::Uncovered { fence, access } => format!(
            "{} is limited to some objects and does not cover {} (PTX-9.7.13.4).",
            name(fence),
            name(access)
        ),
        Gap::Unread => format!("{read} reads something else."),
    }
}
