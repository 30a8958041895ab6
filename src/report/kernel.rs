//! Findings about launched kernels (races, undefined behaviour, hangs) as text and JSON.

use super::hang;
use super::json::{SCHEMA, launch, place};
use super::reason::{self, Place};
use super::statement::placed;
use crate::batch::{Case, Judgement};
use crate::check::{Effect, Hang, Hanging, Status, Stop, Unreached};
use crate::event::graph::{Event, EventGraph, EventKind};
use crate::id::{AgentId, LocId};
use crate::litmus::ast::{Condition, Followed, Launched, Thread};
use crate::race::{Race, describe, spans};
use crate::relation::expr::Model;
use crate::rule::Unsupported;
use crate::source::{Files, Span};
use crate::verdict::{Undecided, Verdict};
use itertools::Itertools;
use rustc_hash::FxHashMap;
use serde_json::{Value, json};

/// The most pairs of racing statements that a report on a kernel names; `ptxmc races` lists all.
const MOST_RACES: usize = 4;

/// The result of the search for races of a launch.
pub enum RacesFound {
    /// The races found, and the reason why races may be missing, if any.
    Listed(Vec<Race>, Box<EventGraph>, Option<Undecided>),
    /// No result, because of this verdict.
    Open(Verdict),
}

/// An answer to one question about a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The question: `outcome`, `races`, `undefined`, `hang`, `unwritten`.
    pub question: &'static str,
    /// The kind of the answer.
    pub kind: AnswerKind,
    /// The answer as text; further lines give details.
    pub lines: Vec<String>,
    /// The statements that the answer refers to.
    pub spans: Vec<Span>,
}

/// The kinds of answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnswerKind {
    /// No problem.
    Fine,
    /// An unknown answer.
    Unknown,
    /// A problem.
    Found,
    /// A bug of the tool.
    Bug,
}

impl AnswerKind {
    /// The name of the kind in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Fine => "none",
            Self::Unknown => "unknown",
            Self::Found => "found",
            Self::Bug => "bug",
        }
    }
}

impl Answer {
    /// Marks an answer as depending on an instruction with an arbitrary result: the absence of problems
    /// holds for every result, a problem may not occur with the actual result.
    fn mark_arbitrary(&mut self, instruction: &str) {
        match self.kind {
            AnswerKind::Fine => {
                let line = match self.lines.first() {
                    Some(line) => format!("{line}, whatever `{instruction}` gives"),
                    None => format!("none, whatever `{instruction}` gives"),
                };
                self.lines = vec![line];
            }
            AnswerKind::Found => {
                self.kind = AnswerKind::Unknown;
                let line = format!("what `{instruction}` gives is not known, and it may lead to");
                self.lines.insert(0, line);
            }
            AnswerKind::Unknown | AnswerKind::Bug => {}
        }
    }
}

/// The findings about a launch.
pub struct Findings<'a> {
    /// The launch as a test.
    pub case: &'a Case,
    /// The verdict on the test.
    pub judgement: &'a Judgement,
    /// The races of the test.
    pub races: &'a RacesFound,
    /// An instruction with an unknown result; the findings hold for an arbitrary result.
    pub arbitrary: Option<&'a str>,
    /// Of threads that stand for others, the statements with effects that none of them reaches.
    pub unreached: &'a [Unreached],
    /// The model.
    pub model: &'a Model,
    /// The source files.
    pub files: &'a Files,
}

impl Findings<'_> {
    /// The answers to all questions, in a fixed order.
    #[must_use]
    pub fn answers(&self) -> Vec<Answer> {
        let mut answers = Vec::new();
        if self.case.test.condition != Condition::True {
            answers.push(self.outcome());
        }
        answers.extend([self.races(), self.undefined(), self.hang()]);
        answers.extend(self.unwritten());
        if let Some(name) = self.arbitrary {
            answers.iter_mut().for_each(|answer| answer.mark_arbitrary(name));
        }
        answers
    }

    /// Whether the test has fewer threads than the launch.
    fn is_part(&self) -> bool {
        self.case.test.partial_launch().is_some()
    }

    fn outcome(&self) -> Answer {
        let (judgement, quantifier) = (self.judgement, self.case.test.quantifier);
        let kind = match judgement.verdict {
            Verdict::Error(_) => AnswerKind::Bug,
            Verdict::Allowed(_) | Verdict::Forbidden(_) => match judgement.holds {
                Some(true) => AnswerKind::Fine,
                _ => AnswerKind::Found,
            },
            _ => AnswerKind::Unknown,
        };
        let why = reason::line(&judgement.verdict, self.model, self.files);
        let line = match (kind, why.is_empty()) {
            (AnswerKind::Unknown, false) => why,
            (_, true) => judgement.verdict.kind().word(quantifier).to_owned(),
            (_, false) => format!("{}: {why}", judgement.verdict.kind().word(quantifier)),
        };
        Answer { question: "outcome", kind, lines: vec![line], spans: Vec::new() }
    }

    fn races(&self) -> Answer {
        let question = "races";
        let (list, graph, open) = match self.races {
            RacesFound::Listed(list, graph, open) => (list, graph, open),
            RacesFound::Open(verdict) => {
                let kind = match verdict {
                    Verdict::Error(_) => AnswerKind::Bug,
                    _ => AnswerKind::Unknown,
                };
                let lines = vec![reason::line(verdict, self.model, self.files)];
                return Answer { question, kind, lines, spans: Vec::new() };
            }
        };
        let mut lines = Vec::new();
        let mut places = Vec::new();
        let pairs = by_statements(list, graph);
        for (statements, races) in pairs.iter().take(MOST_RACES) {
            let accesses = [races[0].accesses.0, races[0].accesses.1];
            let [first, second] = accesses.map(|access| describe(graph, access));
            let more = match races.len() - 1 {
                0 => String::new(),
                1 => " (and of another pair of threads)".to_owned(),
                more => format!(" (and of {more} other pairs of threads)"),
            };
            lines.push(format!("{first} and {second}{more}"));
            let once = usize::from(statements[0] == statements[1]);
            for &span in &statements[once..] {
                lines.push(format!("    {}", placed(span, self.files)));
                places.push(span);
            }
        }
        if pairs.len() > MOST_RACES {
            let more = pairs.len() - MOST_RACES;
            lines.push(format!("and {more} more pairs of statements, which `ptxmc races` lists"));
        }
        let void = matches!(
            self.judgement.verdict,
            Verdict::Undefined(_) | Verdict::OutOfModel(_) | Verdict::Error(_)
        );
        let kind = match (list.is_empty(), open) {
            (false, _) => AnswerKind::Found,
            (true, Some(why)) => {
                lines.push(reason::undecided(why, self.files));
                AnswerKind::Unknown
            }
            (true, None) if void => {
                lines.push(match self.unfollowed() {
                    Some(name) => format!(
                        "none that was found, but what threads do behind `{name}` is not known"
                    ),
                    None => "none that was found, but see below".to_owned(),
                });
                AnswerKind::Unknown
            }
            (true, None) => {
                let (kind, line) = self.no_race(graph);
                lines.extend(line);
                kind
            }
        };
        Answer { question, kind, lines, spans: places }
    }

    /// The instruction behind which threads are not followed.
    fn unfollowed(&self) -> Option<&str> {
        match &self.judgement.verdict {
            Verdict::OutOfModel(reason) => reason.rule.unfollowed(),
            _ => None,
        }
    }

    /// The consequence for the launch if the threads of the test do not race.
    fn no_race(&self, graph: &EventGraph) -> (AnswerKind, Option<String>) {
        let launched = self.case.test.partial_launch();
        match launched {
            Some(Launched { followed: Followed::Apart, threads, .. }) => {
                let all = grouped(*threads);
                let line =
                    format!("none: no two of all {all} threads access the same bytes{WRITING}");
                (AnswerKind::Fine, Some(line))
            }
            Some(Launched { followed: Followed::Unplaced, .. }) => {
                let line = "none among these threads, but where some accesses go is not known, and others may \
                            meet there: `--threads` chooses others";
                (AnswerKind::Unknown, Some(line.to_owned()))
            }
            Some(Launched { followed: Followed::Some, .. }) => {
                let line = "none among these threads, but not all threads were followed, and others may race: \
                            `--threads` chooses others";
                (AnswerKind::Unknown, Some(line.to_owned()))
            }
            Some(_) if !accesses_meet(graph) => {
                let line = format!(
                    "not looked at, since no two of these threads access the same bytes{WRITING}: \
                     `--threads` chooses others"
                );
                (AnswerKind::Unknown, Some(line))
            }
            _ => match self.unreached(&[Effect::Access, Effect::Poll], "accesses memory") {
                Some(line) => (AnswerKind::Unknown, Some(line)),
                None => (AnswerKind::Fine, None),
            },
        }
    }

    /// That nothing is wrong, or unknown if others may reach statements with such effects.
    fn unless_unreached(&self, effects: &[Effect], what: &str) -> (AnswerKind, Vec<String>) {
        match self.unreached(effects, what) {
            Some(line) => (AnswerKind::Unknown, vec![line]),
            None => (AnswerKind::Fine, Vec::new()),
        }
    }

    /// The answer that nothing is wrong among these threads, if others may reach statements with such
    /// effects. `what` is what these statements do.
    fn unreached(&self, effects: &[Effect], what: &str) -> Option<String> {
        let lines = self.unreached.iter().filter(|statement| effects.contains(&statement.what));
        let lines = lines.map(|statement| self.files.location(statement.span));
        let lines: Vec<String> = lines.unique().collect();
        if lines.is_empty() {
            return None;
        }
        let more = if lines.len() > MOST_PLACES { " and elsewhere" } else { "" };
        let places = lines[..lines.len().min(MOST_PLACES)].join(", ");
        Some(format!(
            "none among these threads, but none of them is known to reach what {what} at {places}{more}: \
             others may"
        ))
    }

    fn undefined(&self) -> Answer {
        let verdict = &self.judgement.verdict;
        let line = || vec![reason::line(verdict, self.model, self.files)];
        let (kind, lines, spans) = match verdict {
            _ if is_of_part(verdict) => (AnswerKind::Fine, Vec::new(), Vec::new()),
            Verdict::Undefined(reason) => (AnswerKind::Found, line(), reason.spans.clone()),
            Verdict::OutOfModel(reason) => (AnswerKind::Unknown, line(), reason.spans.clone()),
            Verdict::Unknown(_) => (AnswerKind::Unknown, line(), Vec::new()),
            Verdict::Error(_) => (AnswerKind::Bug, line(), Vec::new()),
            Verdict::Allowed(_) | Verdict::Forbidden(_) | Verdict::Deadlock(_) => {
                (AnswerKind::Fine, Vec::new(), Vec::new())
            }
        };
        let question = "undefined";
        let (kind, lines) = match kind {
            AnswerKind::Fine => self.unless_unreached(
                &[Effect::Access, Effect::Poll, Effect::Barrier],
                "accesses memory or meets others",
            ),
            _ => (kind, lines),
        };
        Answer { question, kind, lines, spans }
    }

    /// The reads of shared memory that no thread of the launch writes, if there are any. Shared memory
    /// has no initial values.
    fn unwritten(&self) -> Option<Answer> {
        let RacesFound::Listed(_, graph, _) = self.races else { return None };
        if self.case.test.launched.is_none() || self.is_part() {
            return None;
        }
        let uses = uses(graph);
        let is_unwritten = |event: &&Event| {
            event.is_memory()
                && !event.is_write()
                && !event.marks.looks
                && event.loc.is_some_and(|loc| !uses[&loc].is_written)
                && graph.objects[graph.access(event.access).object.index()].shared.is_some()
        };
        let mut spans: Vec<Span> = Vec::new();
        let mut lines = Vec::new();
        for event in graph.events.iter().filter(is_unwritten) {
            if spans.contains(&event.span) {
                continue;
            }
            spans.push(event.span);
            lines.push(format!("{}, which no thread writes", describe(graph, event.access)));
            lines.push(format!("    {}", placed(event.span, self.files)));
        }
        let kind = AnswerKind::Found;
        (!spans.is_empty()).then_some(Answer { question: "unwritten", kind, lines, spans })
    }

    /// Whether threads may wait for ever.
    fn hang(&self) -> Answer {
        let question = "hang";
        let found = self.judgement.hang_of_part.as_ref().or(self.judgement.hang.as_ref());
        let line = || reason::line(&self.judgement.verdict, self.model, self.files);
        let spans = |hanging: &Hanging| {
            let threads = hanging.threads.iter();
            threads
                .filter_map(|status| hang::statement_span(hanging, status))
                .collect::<Vec<Span>>()
        };
        let (kind, line, spans) = match (&self.judgement.verdict, found) {
            (Verdict::Deadlock(reason), _) => (AnswerKind::Found, line(), reason.spans.clone()),
            (Verdict::Error(_), _) => (AnswerKind::Bug, line(), Vec::new()),
            (_, Some(Hang::Never)) => {
                let (kind, lines) = self.unless_unreached(
                    &[Effect::Poll, Effect::Barrier, Effect::Loop],
                    "waits, or goes round for ever,",
                );
                return Answer { question, kind, lines, spans: Vec::new() };
            }
            (_, Some(Hang::Possible(hanging))) => {
                (AnswerKind::Found, self.waiting(hanging), spans(hanging))
            }
            (_, Some(Hang::Unknown(why))) => {
                (AnswerKind::Unknown, reason::undecided(why, self.files), Vec::new())
            }
            (_, None) => {
                let line = "it is not known what the threads do".to_owned();
                (AnswerKind::Unknown, line, Vec::new())
            }
        };
        match kind {
            AnswerKind::Found if self.is_part() => {
                let limit = "these threads alone may wait for ever, perhaps for others, so that what they \
                            do then was not looked at";
                let lines = vec![format!("{limit}: {line}")];
                Answer { question, kind: AnswerKind::Unknown, lines, spans }
            }
            _ => Answer { question, kind, lines: vec![line], spans },
        }
    }

    /// The position of each thread in an execution that hangs.
    fn waiting(&self, hanging: &Hanging) -> String {
        let names = &self.case.test.threads;
        let waits = hanging.threads.iter().zip(names).filter(|(s, _)| s.stop != Stop::Ended);
        let one = |(status, thread): (&Status, &Thread)| {
            let place = hang::statement_span(hanging, status).map(|span| self.files.location(span));
            let place = place.map_or_else(String::new, |place| format!(" ({place})"));
            format!("{} {}{place}", thread.name.value, hang::status_code(&status.stop))
        };
        let waits: Vec<String> = waits.map(one).collect();
        match waits.is_empty() {
            true => "no execution ends".to_owned(),
            false => waits.join("; "),
        }
    }
}

/// The most places that an answer lists.
const MOST_PLACES: usize = 3;

/// The end of a sentence about accesses that may race.
const WRITING: &str = ", at least one of them writing";

/// Whether two agents access one location, at least one of them writing.
fn accesses_meet(graph: &EventGraph) -> bool {
    uses(graph).values().any(|of| of.by_several && of.is_written)
}

/// How a program accesses a location.
struct Use {
    first: AgentId,
    /// Whether another agent than the first accesses it.
    by_several: bool,
    is_written: bool,
}

/// The uses of the locations that a program accesses; initial writes are none.
fn uses(graph: &EventGraph) -> FxHashMap<LocId, Use> {
    let mut uses: FxHashMap<LocId, Use> = FxHashMap::default();
    let is_initial = |event: &Event| matches!(event.kind, EventKind::Init);
    for event in graph.events.iter().filter(|e| e.is_memory() && !is_initial(e)) {
        let Some(loc) = event.loc else { continue };
        let unused = Use { first: event.agent, by_several: false, is_written: false };
        let of = uses.entry(loc).or_insert(unused);
        of.by_several |= of.first != event.agent;
        of.is_written |= event.is_write();
    }
    uses
}

/// Whether a verdict concerns only the representative threads.
fn is_of_part(verdict: &Verdict) -> bool {
    let Verdict::Unknown(Undecided::Unsupported(why)) = verdict else { return false };
    matches!(why, Unsupported::Representatives { .. })
}

/// The races grouped by pairs of statements; groups are in the order of their first races.
fn by_statements<'r>(list: &'r [Race], graph: &EventGraph) -> Vec<([Span; 2], Vec<&'r Race>)> {
    let mut groups: Vec<([Span; 2], Vec<&Race>)> = Vec::new();
    for race in list {
        let statements = spans(graph, race);
        match groups.iter_mut().find(|(known, _)| *known == statements) {
            Some((_, races)) => races.push(race),
            None => groups.push((statements, vec![race])),
        }
    }
    groups
}

/// The report as text: the examined threads, and a line per question.
#[must_use]
pub fn render(findings: &Findings<'_>, answers: &[Answer]) -> String {
    let case = findings.case;
    let mut out = format!("{} under {}: {}\n", case.path, findings.model.name, case.test.name);
    if let Some(launched) = &case.test.launched {
        out.push_str(&format!("  threads    {}\n", threads(launched, case.test.threads.len())));
        for role in &launched.roles {
            let names = role.threads.iter().map(|&at| case.test.threads[at].name.value.as_str());
            out.push_str(&format!("             {}: {}\n", role.name, ranges(names)));
        }
    }
    for answer in answers {
        let short: Vec<String> = answer.lines.iter().map(|line| shortened(line)).collect();
        let lines = match (answer.kind, &short[..]) {
            (AnswerKind::Fine, []) if findings.is_part() => {
                vec!["none among these threads".to_owned()]
            }
            (kind, []) => vec![kind.name().to_owned()],
            (AnswerKind::Unknown, [first, rest @ ..]) => {
                let first = format!("unknown: {first}");
                std::iter::once(first).chain(rest.iter().cloned()).collect()
            }
            (_, lines) => lines.to_vec(),
        };
        for (at, line) in lines.iter().enumerate() {
            let head = if at == 0 { answer.question } else { "" };
            out.push_str(&format!("  {head:<10} {line}\n"));
        }
    }
    out
}

/// The longest line; the description of a deadlock may name very many threads.
const LONGEST_LINE: usize = 400;

fn shortened(line: &str) -> String {
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{} ... (`ptxmc explain` has the rest)", &line[..end]),
        None => line.to_owned(),
    }
}

/// Names of threads, with those that follow each other as a range: `cta 0 threads 4 to 63`.
fn ranges<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut runs: Vec<(&str, &str, Vec<u64>)> = Vec::new();
    for name in names {
        let (group, number) = name.rsplit_once(' ').unwrap_or((name, ""));
        match (number.parse(), runs.last_mut()) {
            (Ok(number), Some((last, _, run)))
                if *last == group && run.last().is_some_and(|last| last + 1 == number) =>
            {
                run.push(number);
            }
            (number, _) => runs.push((group, name, number.into_iter().collect())),
        }
    }
    let text = |(group, name, run): &(&str, &str, Vec<u64>)| match run[..] {
        [first, .., last] if run.len() > 2 => format!("{group}s {first} to {last}"),
        [first, second] => format!("{group} {first}, {group} {second}"),
        _ => (*name).to_owned(),
    };
    runs.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn threads(launched: &Launched, taken: usize) -> String {
    let all = grouped(launched.threads);
    match launched.is_whole(taken) {
        true => format!("all {all}"),
        false => {
            let others = match launched.followed {
                Followed::Some if !launched.roles.is_empty() => {
                    ", and others may have roles that nobody looked at"
                }
                _ => "",
            };
            format!("{taken} of {all}: the answers speak of these threads alone{others}")
        }
    }
}

/// A number with separators: `65,536`.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The report as a JSON object.
#[must_use]
pub fn json(findings: &Findings<'_>, answers: &[Answer]) -> String {
    let Findings { case, model, files, .. } = findings;
    let answer = |answer: &Answer| {
        let places = answer.spans.iter().filter_map(|&span| {
            let mut value = place(&Place::of(span, files)?);
            value["origin"] = json!(files.origin(span));
            Some(value)
        });
        json!({
            "question": answer.question,
            "answer": answer.kind.name(),
            "text": answer.lines,
            "places": places.collect::<Vec<Value>>(),
        })
    };
    let value = json!({
        "schema": SCHEMA,
        "tool": concat!("ptxmc ", env!("CARGO_PKG_VERSION")),
        "path": case.path,
        "name": case.test.name,
        "model": model.name,
        "threads": launch(&case.test),
        "answers": answers.iter().map(answer).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}
