//! Advice as text: the defects, each set of changes as a patch of the program, and for each change the
//! failure that a smaller change leaves.

use super::witness::piece_value;
use super::{cuda, hang, near, reason};
use crate::advise::cost::Costs;
use crate::advise::level::Level;
use crate::advise::program::{Line, lines};
use crate::advise::property::{Failure, Fault, Probe};
use crate::advise::site::{Place, Site};
use crate::advise::{Advice, Change, Residency, Set, Sets, Wish, defects};
use crate::batch::Case;
use crate::event::graph::EventKind;
use crate::execution::build::Execution;
use crate::id::EventId;
use crate::race::paths::{nearest_of, wanted};
use crate::race::{explained_here, in_execution, spans as race_spans};
use crate::relation::expr::Model;
use crate::solve::Problem;
use crate::source::Files;
use crate::verdict::Kind;

/// The question that advice answers.
#[derive(Clone, Copy)]
pub struct About<'a> {
    /// The tests, all with the same program.
    pub cases: &'a [Case],
    /// The model.
    pub model: &'a Model,
    /// The property that the user wants.
    pub wish: Wish,
    /// The costs of changes.
    pub costs: &'a Costs,
    /// The source files of the tests.
    pub files: &'a Files,
}

/// Advice as text.
#[must_use]
pub fn render(about: About<'_>, advice: &Advice) -> String {
    let names: Vec<&str> = about.cases.iter().map(|case| case.path.as_str()).collect();
    let mut out = format!("{}: {}\n", names.join(", "), headline(about, advice));
    let sets = match advice {
        Advice::Sets(sets) | Advice::None(sets) => sets,
        Advice::Fails(failure) => {
            out += &format!("  {}\n", failure_text(about, failure));
            return out;
        }
        _ => return out,
    };
    match &sets.failure {
        Some(failure) if failure.fault == Fault::Hang => out += &hang_text(about, sets, failure),
        Some(_) => out += &defects_line(sets),
        None => {}
    }
    if let Advice::None(found) = advice
        && let Some(failure) = found.failure.as_ref().filter(|_| found.void().is_none())
    {
        out += &uncured_text(about, failure);
    }
    for (index, set) in sets.sets.iter().enumerate() {
        out += &set_text(about, sets, set, index + 1);
    }
    if sets.more {
        out += "\nThere are more sets; --sets N shows more of them.\n";
    }
    if let Some((cost, why)) = &sets.undecided {
        let why = reason::undecided(why, about.files);
        out += &format!("\nA set of cost {cost} may do, too; that is not decided: {why}\n");
    }
    if sets.passed_over > 0 {
        let barriers = counted(sets.passed_over, ["barrier", "barriers"]);
        out += &format!(
            "\n{barriers} might be added in more ways than are looked at; what that would do is not decided.\n"
        );
    }
    if !sets.lawful {
        out += "\nThe laws that the search rests on are known of the built-in models; under this one, \
                something cheaper may have been passed over.\n";
    }
    if !sets.sets.is_empty() {
        out += &cost_table(about.costs);
    }
    out
}

/// The kinds of defects, by each set of changes that repairs the program.
fn defects_line(sets: &Sets) -> String {
    let mut ways: Vec<String> = Vec::new();
    for set in &sets.sets {
        let kinds: Vec<String> = defects(sets, set).iter().map(|kind| kind.sentence()).collect();
        let way = kinds.join("; ");
        if !way.is_empty() && !ways.contains(&way) {
            ways.push(way);
        }
    }
    if ways.is_empty() { String::new() } else { format!("  wrong: {}\n", ways.join("; or: ")) }
}

/// What is wrong where a program may hang: a circle of waits, or CTAs that are not started; else what the
/// sets of changes repair.
fn hang_text(about: About<'_>, sets: &Sets, failure: &Failure) -> String {
    let circle = failure.hanging().map_or_else(String::new, |it| hang::circle(&it, about.files));
    let launch = match sets.residency {
        Some(Residency::Cures) => ALL_AT_ONCE.to_owned(),
        Some(Residency::IsNotEnough) | None => String::new(),
    };
    match circle.is_empty() && launch.is_empty() {
        true => defects_line(sets),
        false => circle + &launch,
    }
}

/// What is wrong where CTAs wait for one that is not started, and what cures it.
const ALL_AT_ONCE: &str = "  \
  wrong: CTAs wait for one that need not be started before they end
    Launched cooperatively (cudaLaunchCooperativeKernel, or the attribute cudaLaunchAttributeCooperative;
    `Launch=cooperative` in a test), all CTAs of a grid run at once, and every execution ends.
";

/// The failure of a program that no set of changes repairs, with the nearest order that would exclude the
/// failure.
fn uncured_text(about: About<'_>, failure: &Failure) -> String {
    let mut out = format!("  as it is, {}\n", failure_text(about, failure));
    let (graph, model) = (&failure.graph, about.model);
    let choices = failure.choices.as_deref().cloned();
    let Some(execution) = choices.and_then(|choices| Execution::build(graph, choices).ok()) else {
        return out;
    };
    let path = match failure.fault {
        Fault::Race(spans) => {
            let races = in_execution(Problem { graph, model }, &execution).into_iter();
            let it = races.filter(|race| race_spans(graph, race) == spans).take(1).collect();
            explained_here(model, &execution, it).pop().and_then(|race| race.near)
        }
        Fault::Outcome => nearest_of(model, &execution, wanted(&execution)),
        Fault::Hang | Fault::Void(_) => None,
    };
    if let Some(path) = path {
        out += &near::defects_line(&path.defects(), Some(&path), graph);
        out += &near::render(&path, graph, about.files);
    }
    out
}

/// The costs of changes, as lines.
fn cost_table(costs: &Costs) -> String {
    let mut lines = vec!["\nCosts:".to_owned()];
    for (name, cost) in costs.iter() {
        let entry = format!(" {name} {cost},");
        let last = lines.last_mut().expect("there is a first line");
        match last.len() + entry.len() > WIDTH {
            true => lines.push(format!("  {entry}")),
            false => last.push_str(&entry),
        }
    }
    lines.join("\n").trim_end_matches(',').to_owned() + "\n"
}

/// The width of a line in the table of costs.
const WIDTH: usize = 100;

/// A summary of the answer, in one line.
#[must_use]
pub fn headline(about: About<'_>, advice: &Advice) -> String {
    let (model, subject) = (&about.model.name, subject(about));
    match (advice, about.wish) {
        (Advice::Nothing, Wish::ExcludeOutcome) => {
            format!("{subject} is excluded under {model}: there is nothing to repair")
        }
        (Advice::Nothing, Wish::ExcludeRaces) => {
            format!("no data race under {model}: there is nothing to repair")
        }
        (Advice::Nothing, _) => {
            format!("every execution ends under {model}: there is nothing to repair")
        }
        (Advice::Fails(failure), _) => {
            format!("{} under {model}: there is nothing to relax", fault_text(failure.fault))
        }
        (Advice::Sets(sets), Wish::Relax) => {
            let least = sets.sets.first().map_or(0, |set| set.cost);
            match sets.sets.first() {
                Some(set) if set.changes.is_empty() => {
                    format!("nothing can be weakened under {model}")
                }
                _ => format!(
                    "{} the outcome under {model}, at cost {least} in place of {}",
                    match sets.sets.len() {
                        1 => "1 weaker program excludes".to_owned(),
                        several => format!("{several} weaker programs exclude"),
                    },
                    sets.written
                ),
            }
        }
        (Advice::Sets(sets), _) => {
            let least = sets.sets.first().map_or(0, |set| set.cost);
            let repairs = counted(sets.sets.len(), ["repair", "repairs"]);
            format!("{subject} is possible under {model}; {repairs}, the cheapest of cost {least}")
        }
        (Advice::None(sets), _) => {
            let fault = match sets.void() {
                Some(kind) => fault_text(Fault::Void(kind)).to_owned(),
                None => format!("{subject} is possible"),
            };
            let places = counted(sets.sites.len(), ["place to change", "places to change"]);
            format!("{fault} under {model}, and none of {places} cures it")
        }
        (Advice::Void(verdict), _) => format!(
            "{} under {model}: {}; --repair, --races or --hangs say what is wished for all the same",
            verdict.kind().name(),
            reason::line(verdict, about.model, about.files)
        ),
        (Advice::Unknown(why), _) => {
            format!("not decided under {model}: {}", reason::undecided(why, about.files))
        }
        (Advice::TooLarge(why), _) => format!("not decided: {why}"),
    }
}

/// The property that advice excludes.
fn subject(about: About<'_>) -> &'static str {
    match about.wish {
        Wish::ExcludeOutcome | Wish::Relax if about.cases.len() > 1 => "one of the outcomes",
        Wish::ExcludeOutcome | Wish::Relax => "the outcome",
        Wish::ExcludeRaces => "a data race",
        Wish::ExcludeHangs => "a hang",
    }
}

/// A number with a noun, whose singular and plural are given.
fn counted(number: usize, [singular, plural]: [&str; 2]) -> String {
    format!("{number} {}", if number == 1 { singular } else { plural })
}

fn set_text(about: About<'_>, sets: &Sets, set: &Set, number: usize) -> String {
    let name = if about.wish == Wish::Relax { "Relaxation" } else { "Repair" };
    let mut out = match set.changes.len() {
        0 => String::new(),
        changes => {
            format!(
                "\n{name} {number}, cost {}: {}\n",
                set.cost,
                counted(changes, ["change", "changes"])
            )
        }
    };
    for change in &set.changes {
        out += &change_text(about, sets, change);
    }
    if !set.needed.is_empty() {
        let fails = |change: &Change| {
            change.weaker.iter().all(|(_, probe)| matches!(probe, Probe::Fails(_)))
        };
        out += match set.needed.iter().all(fails) {
            true => "  What is left is needed:\n",
            false => "  What is left is needed, as far as that is decided:\n",
        };
    }
    for change in &set.needed {
        out += &kept_text(about, sets, change);
    }
    out
}

/// A change, with the failures of weaker changes.
fn change_text(about: About<'_>, sets: &Sets, change: &Change) -> String {
    let site = &sets.sites[change.site];
    let test = &about.cases[0].test;
    let mut out = String::new();
    let mut moved = None;
    for line in lines(test, site, change.to) {
        let before = source_text(about, &line);
        let after = moved.take().filter(|_| line.after.is_some()).or(line.after.clone());
        out += &format!("  {}\n", heading(about, &line));
        out += &before.as_ref().map_or_else(String::new, |text| format!("    - {text};\n"));
        out += &after.map_or_else(String::new, |text| format!("    + {text};\n"));
        moved = before.filter(|_| matches!(site.place, Place::Exchange(_)));
        let cuda = line.operation.as_ref().and_then(cuda::spelling);
        out += &cuda.map_or_else(String::new, |text| format!("      CUDA C++: {text}\n"));
    }
    if about.wish == Wish::Relax && change.to == 0 {
        return out;
    }
    out + &weaker_failures(about, site, change)
}

/// A kept statement, with the failures of weaker ones.
fn kept_text(about: About<'_>, sets: &Sets, change: &Change) -> String {
    let site = &sets.sites[change.site];
    let all = lines(&about.cases[0].test, site, 0);
    let mut out = String::new();
    for line in all {
        let text = source_text(about, &line).unwrap_or_default();
        out += &format!("  {}: {text}\n", heading(about, &line));
    }
    out + &weaker_failures(about, site, change)
}

/// The statement that a line of the patch removes or changes, as written in the source.
fn source_text(about: About<'_>, line: &Line) -> Option<String> {
    let printed = line.before.clone()?;
    let source = about.files.text_in_a_line(line.span);
    Some(if source.is_empty() { printed } else { source })
}

/// The failure one level below the chosen one, or the reason why the failure is undecided. Levels with the
/// same failure share a line.
fn weaker_failures(about: About<'_>, site: &Site, change: &Change) -> String {
    let mut failures: Vec<(Vec<String>, String)> = Vec::new();
    for (level, probe) in &change.weaker {
        let story = match probe {
            Probe::Fails(failure) => failure_text(about, failure),
            Probe::Unknown(why) => format!("not decided: {}", reason::undecided(why, about.files)),
            Probe::Holds => continue,
        };
        let what = match (site.levels[*level], &site.place) {
            (Level::Absent, Place::Exchange(_)) => "as it was".to_owned(),
            (Level::Absent, _) => "without it".to_owned(),
            (level, _) => format!("with {level}"),
        };
        match failures.iter_mut().find(|(_, known)| *known == story) {
            Some((levels, _)) => levels.push(what),
            None => failures.push((vec![what], story)),
        }
    }
    let line = |(levels, story): (Vec<String>, String)| {
        format!("      {}: {story}\n", levels.join(" or "))
    };
    failures.into_iter().map(line).collect()
}

/// The threads and the position of a line of the patch.
fn heading(about: About<'_>, line: &Line) -> String {
    let test = &about.cases[0].test;
    let names: Vec<&str> =
        line.threads.iter().map(|&thread| test.threads[thread].name.value.as_str()).collect();
    let names = match names.as_slice() {
        [first, .., last] if names.len() > 3 => format!("{first}..{last}"),
        names => names.join(", "),
    };
    format!("{names} {}", about.files.location(line.span))
}

/// The unwanted behaviour of a program.
#[must_use]
pub fn fault_text(fault: Fault) -> &'static str {
    match fault {
        Fault::Outcome => "the outcome is possible",
        Fault::Race(_) => "there is a data race",
        Fault::Hang => "it may hang",
        Fault::Void(kind) => match kind {
            Kind::Undefined => "the program is undefined",
            Kind::OutOfModel => "the program is outside of the model",
            Kind::Deadlock => "no execution ends",
            _ => "it is not decided",
        },
    }
}

/// A failure, described by the values that the threads read in the execution.
#[must_use]
pub fn failure_text(about: About<'_>, failure: &Failure) -> String {
    let mut out = fault_text(failure.fault).to_owned();
    if about.cases.len() > 1 {
        out += &format!(" of {}", about.cases[failure.test].test.name);
    }
    if let Fault::Race([one, other]) = failure.fault {
        let line = |span| about.files.text_in_a_line(span);
        out += &format!(" of `{}` and `{}`", line(one), line(other));
    }
    let execution = failure
        .choices
        .as_ref()
        .and_then(|choices| Execution::build(&failure.graph, (**choices).clone()).ok());
    let reads = execution.as_ref().map_or_else(String::new, read_values);
    if reads.is_empty() { out } else { format!("{out}: {reads}") }
}

/// The most reads per thread that are named.
const MOST_READS: usize = 6;

/// The values that each thread reads in an execution, with the threads that wrote the values. For a
/// statement that is executed several times, the last read counts.
fn read_values(execution: &Execution<'_>) -> String {
    let graph = execution.graph;
    let mut out: Vec<(EventId, String)> = Vec::new();
    for id in graph.ids().filter(|&id| execution.executed.contains(id)) {
        let event = graph.event(id);
        let looks = event.marks.looks || event.marks.mbarrier || event.marks.red;
        let (Some(loc), Some(write)) = (event.loc, execution.choices.rf.get(id.index())) else {
            continue;
        };
        let (true, false, Some(write)) = (event.is_read(), looks, write) else { continue };
        let location = &graph.locations[loc.index()];
        if graph.objects[location.object.index()].parameter {
            continue;
        }
        let value = execution
            .event_value(id)
            .map_or_else(|| "?".to_owned(), |bits| piece_value(graph, id, bits));
        let source = graph.event(*write);
        let from = match source.kind {
            EventKind::Init => "initial".to_owned(),
            _ if source.agent == event.agent => "its own".to_owned(),
            _ => format!("from {}", graph.agents[source.agent.index()].name),
        };
        let text = format!("{} = {value} ({from})", location.name);
        let same = |(other, _): &(EventId, String)| {
            let other = graph.event(*other);
            other.agent == event.agent && other.span == event.span && other.loc == event.loc
        };
        match out.iter_mut().find(|known| same(known)) {
            Some(known) => known.1 = text,
            None => out.push((id, text)),
        }
    }
    let agent = |id: EventId| graph.event(id).agent;
    let threads = out.chunk_by(|(one, _), (other, _)| agent(*one) == agent(*other));
    let texts = threads.map(|reads| {
        let texts: Vec<&str> =
            reads.iter().take(MOST_READS).map(|(_, text)| text.as_str()).collect();
        let more = if reads.len() > MOST_READS { " ..." } else { "" };
        let name = &graph.agents[agent(reads[0].0).index()].name;
        format!("{name} reads {}{more}", texts.join(", "))
    });
    texts.collect::<Vec<_>>().join("; ")
}
