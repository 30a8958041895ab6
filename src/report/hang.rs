//! The answer whether a test may hang, as text: for each thread the position, the awaited event, and the
//! reason why that event never occurs.

use super::caveat::Caveat;
use super::reason::{Place, undecided};
use super::witness::{Picture, piece_value, text};
use crate::batch::Case;
use crate::check::{Hang, Hanging, Status, Stop, WaitCause, WaitFor};
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::id::{AgentId, BarrierId, EventId, LocId};
use crate::progress::Progress;
use crate::ptx::operation::Order;
use crate::relation::expr::Model;
use crate::source::{Files, Span};

/// A remark for readers of races or final states: that the program may hang, or that the answer is unknown;
/// empty for a program that never hangs.
#[must_use]
pub fn remark(hang: Option<&Hang>, progress: Progress) -> String {
    match hang {
        Some(Hang::Possible(_)) => {
            format!("The program may hang (progress {progress}): `ptxmc hangs` shows how.\n")
        }
        Some(Hang::Unknown(_)) => {
            format!("Whether the program may hang (progress {progress}) is unknown.\n")
        }
        Some(Hang::Never) | None => String::new(),
    }
}

/// A possible hang, as an appendix to the explanation of a verdict.
#[must_use]
pub fn appendix(
    case: &Case,
    hanging: &Hanging,
    model: &Model,
    progress: Progress,
    files: &Files,
) -> String {
    let shown = hanging_execution(case, hanging, model, progress, files);
    format!("\nThe program may hang (progress {progress}). {shown}")
}

/// The answer, with an execution that hangs, if the answer has one. `void` is a verdict that leaves hangs
/// without meaning: it comes first.
#[must_use]
pub fn render(
    case: &Case,
    hang: &Hang,
    model: &Model,
    progress: Progress,
    files: &Files,
    void: Option<&Caveat>,
) -> String {
    let under = format!("under {}, progress {progress}", model.name);
    if let Some(Caveat { kind, text }) = void {
        let said = match hang {
            Hang::Never => "no execution that hangs was found, which decides nothing\n".to_owned(),
            Hang::Unknown(why) => {
                format!("whether an execution hangs is unknown: {}\n", undecided(why, files))
            }
            Hang::Possible(hanging) => {
                let shown = hanging_execution(case, hanging, model, progress, files);
                format!("besides, an execution hangs:\n\n{shown}")
            }
        };
        return format!("{}: {} {under}\n{text}\n{said}", case.path, kind.name());
    }
    match hang {
        Hang::Never => format!("{}: never hangs {under}\n", case.path),
        Hang::Unknown(why) => {
            let why = undecided(why, files);
            format!("{}: whether it may hang {under} is unknown: {why}\n", case.path)
        }
        Hang::Possible(hanging) => {
            let shown = hanging_execution(case, hanging, model, progress, files);
            format!("{}: may hang {under}\n\n{shown}", case.path)
        }
    }
}

/// The positions of all threads in the hanging execution, followed by the picture of the execution.
fn hanging_execution(
    case: &Case,
    hanging: &Hanging,
    model: &Model,
    progress: Progress,
    files: &Files,
) -> String {
    let Some(choices) = &hanging.choices else {
        return "No execution ends; which threads wait is not exactly known.\n".to_owned();
    };
    let mut out = String::from(
        "In this execution nothing is left to happen, though not every thread has ended:\n",
    );
    for (thread, lines) in status_lines(hanging, progress, files) {
        for (index, line) in lines.iter().enumerate() {
            let lead = if index == 0 { format!("  {thread} ") } else { "    ".to_owned() };
            out.push_str(&format!("{lead}{line}\n"));
        }
    }
    out.push_str(&circle(hanging, files));
    out.push('\n');
    match Picture::of(&case.test.name, &hanging.graph, choices, model) {
        Ok(mut picture) => {
            for status in &hanging.threads {
                if let Stop::AtBarrier(b) = status.stop {
                    picture.add_waiting(&hanging.graph, hanging.graph.barriers[b].event);
                }
            }
            out.push_str(&text::render(&picture));
        }
        Err(message) => out.push_str(&format!("  {message}\n")),
    }
    out
}

/// The circle of threads that wait for each other, if there is one, in lines.
pub(super) fn circle(hanging: &Hanging, files: &Files) -> String {
    let circle = hanging.circle();
    if circle.is_empty() {
        return String::new();
    }
    let heading = match takes_locks(&circle) {
        true => "  Locks are taken in opposite orders, which closes a circle of waits; one order for all \
                 threads breaks it:\n"
            .to_owned(),
        false => "  The threads wait for each other in a circle:\n".to_owned(),
    };
    let lines = circle.iter().map(|wait| format!("    {}\n", wait_text(wait, hanging, files)));
    heading + &lines.collect::<String>()
}

/// Whether each thread of a circle waits for a lock that the next one has taken.
fn takes_locks(circle: &[WaitFor]) -> bool {
    !circle.is_empty() && circle.iter().all(|wait| matches!(wait.what, WaitCause::Lock { .. }))
}

/// For what a thread of a circle waits.
pub(super) fn wait_text(wait: &WaitFor, hanging: &Hanging, files: &Files) -> String {
    let graph = &hanging.graph;
    let [thread, other] = [wait.thread, wait.other].map(|agent| name(graph, agent));
    let at = |id: EventId| statement(graph.event(id).span, files);
    let place = |id: EventId| {
        let loc = graph.event(id).loc;
        loc.map_or("memory", |loc| graph.locations[loc.index()].name.as_str())
    };
    match wait.what {
        WaitCause::Lock { poll, taken } => format!(
            "{thread} waits at {} for {}, which {other} has taken at {} and gives back only behind its own \
             wait",
            at(poll),
            place(poll),
            at(taken)
        ),
        WaitCause::Write { poll, write } => format!(
            "{thread} waits at {} for {}, which {other} writes at {}, behind its own wait",
            at(poll),
            place(poll),
            at(write)
        ),
        WaitCause::Arrival(b) => {
            let op = &graph.barriers[b];
            format!(
                "{thread} waits at {}, {}, for {other}, which comes there only behind its own wait",
                op.key,
                at(op.event)
            )
        }
    }
}

/// A statement with its line: `line 12 \`bra L\``.
fn statement(span: Span, files: &Files) -> String {
    let text = files.text_in_a_line(span);
    match Place::of(span, files) {
        Some(place) => format!("line {} `{}`", place.line, text.trim_end_matches(';')),
        None => format!("`{text}`"),
    }
}

/// The code of a thread's status in JSON.
#[cfg(feature = "cli")]
pub(super) fn status_code(stop: &Stop) -> &'static str {
    match stop {
        Stop::Ended => "ended",
        Stop::AtBarrier(_) => "at-barrier",
        Stop::InLoop { .. } => "in-loop",
        Stop::BeforeTask(_) => "before-task",
        Stop::NotStarted => "not-started",
        Stop::Left(_) => "left",
    }
}

/// The statement at which a thread waits.
#[cfg(feature = "cli")]
pub(super) fn statement_span(hanging: &Hanging, status: &Status) -> Option<Span> {
    let of = |id: EventId| hanging.graph.event(id).span;
    match &status.stop {
        Stop::Ended | Stop::NotStarted => None,
        Stop::AtBarrier(b) => Some(of(hanging.graph.barriers[*b].event)),
        Stop::InLoop { branch, .. } => Some(*branch),
        Stop::BeforeTask(id) | Stop::Left(id) => Some(of(*id)),
    }
}

/// The name of each thread, with lines about its status.
pub(super) fn status_lines(
    hanging: &Hanging,
    progress: Progress,
    files: &Files,
) -> Vec<(String, Vec<String>)> {
    let choices = hanging.choices.as_deref().cloned();
    let execution = choices.and_then(|choices| Execution::build(&hanging.graph, choices).ok());
    let named_lines = |status: &Status| {
        let writer = StatusLines { hanging, progress, files, execution: execution.as_ref() };
        (name(&hanging.graph, status.agent).to_owned(), writer.lines(status))
    };
    hanging.threads.iter().map(named_lines).collect()
}

fn name(graph: &EventGraph, agent: AgentId) -> &str {
    &graph.agents[agent.index()].name
}

struct StatusLines<'a> {
    hanging: &'a Hanging,
    progress: Progress,
    files: &'a Files,
    execution: Option<&'a Execution<'a>>,
}

impl StatusLines<'_> {
    fn lines(&self, status: &Status) -> Vec<String> {
        let graph = &self.hanging.graph;
        match &status.stop {
            Stop::Ended => vec!["has ended".to_owned()],
            Stop::AtBarrier(b) => self.at_barrier(status.agent, *b),
            Stop::InLoop { branch, polls } => self.in_loop(status.agent, *branch, polls),
            Stop::BeforeTask(id) => {
                let at = self.statement(graph.event(*id).span);
                vec![format!("waits before {at} for a task that is never complete")]
            }
            Stop::NotStarted => {
                vec![format!("has not been started: {}", self.reason_not_scheduled())]
            }
            Stop::Left(id) => {
                let at = self.statement(graph.event(*id).span);
                vec![format!("is left before {at}: {}", self.reason_not_scheduled())]
            }
        }
    }

    /// The reason why the progress model permits the scheduler never to run the thread.
    fn reason_not_scheduled(&self) -> &'static str {
        match self.progress {
            Progress::Cuda => {
                "no thread of its cluster (of its grid, if that is cooperative) has made a step, so \
                 none is owed one while others go on"
            }
            Progress::Fair => "every thread is owed progress",
            Progress::Obe => "a thread that has made no step is owed none",
            Progress::Lobe => "neither it nor a later thread has made a step",
            Progress::Hsa => "only the first thread that has not ended is owed progress",
            Progress::HsaObe => {
                "it has made no step and is not the first thread that has not ended"
            }
            Progress::Unfair => "no thread is owed progress",
        }
    }

    fn at_barrier(&self, agent: AgentId, b: BarrierId) -> Vec<String> {
        let graph = &self.hanging.graph;
        let op = &graph.barriers[b];
        let at = self.statement(graph.event(op.event).span);
        let mut lines = vec![format!("waits at {}, {at}", op.key)];
        let missing = self.execution.map(|execution| self.hanging.missing(execution, agent, b));
        let missing = missing.unwrap_or_default();
        let elsewhere = self.hanging.threads.iter().filter(|other| missing.contains(&other.agent));
        let elsewhere: Vec<String> = elsewhere
            .map(|other| format!("{} {}", name(graph, other.agent), self.status_text(other)))
            .collect();
        if !elsewhere.is_empty() {
            lines.push(format!("which is never complete: {}", elsewhere.join(", ")));
        }
        lines
    }

    fn in_loop(&self, agent: AgentId, branch: Span, polls: &[EventId]) -> Vec<String> {
        let graph = &self.hanging.graph;
        let mut lines = vec![format!("waits in the loop of {}", self.statement(branch))];
        if polls.is_empty() {
            lines.push("which reads nothing that could end it".to_owned());
        }
        let mut known = Vec::new();
        for &poll in polls {
            let event = graph.event(poll);
            let loc = event.loc.expect("a poll is a read");
            if known.contains(&loc) {
                continue;
            }
            known.push(loc);
            lines.extend(self.poll(agent, poll, loc));
        }
        lines
    }

    /// A read in a loop, with the writes of other threads that would end the loop, and the reason why each
    /// does not.
    fn poll(&self, agent: AgentId, poll: EventId, loc: LocId) -> Vec<String> {
        let graph = &self.hanging.graph;
        let event = graph.event(poll);
        let location = &graph.locations[loc.index()].name;
        let value = self.execution.and_then(|execution| execution.event_value(poll));
        let value = value.map_or_else(|| "?".to_owned(), |bits| piece_value(graph, poll, bits));
        let is_weak = event.order.is_none_or(|order| order == Order::Weak) && !event.marks.mbarrier;
        let happens = |id: EventId| self.execution.is_some_and(|e| e.executed.contains(id));
        let others: Vec<EventId> = graph
            .writes_by_location()
            .swap_remove(loc.index())
            .into_iter()
            .filter(|&write| graph.event(write).kind != EventKind::Init)
            .filter(|&write| graph.event(write).agent != agent)
            .collect();
        let unseen = others.iter().any(|&write| happens(write)) && self.is_unseen(poll, loc);
        let at = self.statement(event.span);
        let mut lines = Vec::new();
        lines.push(match (unseen, is_weak) {
            (true, true) => format!("{at} is weak and may read {location} = {value} for ever, though"),
            (true, false) => format!("{at} may read {location} = {value} for ever, since no strong write in the scope of both changes it, though"),
            _ => format!("{at} reads {location} = {value}, which stays"),
        });
        if event.marks.mbarrier && !others.iter().any(|&write| !happens(write)) {
            lines.push("  nothing that is still to come arrives there".to_owned());
        }
        let mut listed = Vec::new();
        for write in others {
            let status = self.hanging.threads.iter().find(|t| t.agent == graph.event(write).agent);
            let span = graph.event(write).span;
            let (Some(status), false) = (status, listed.contains(&span)) else { continue };
            let (who, at) = (name(graph, status.agent), self.statement(span));
            let line = match (happens(write), unseen, &status.stop) {
                (true, true, _) => format!("  {who} has written it with {at}"),
                (true, false, _) | (false, _, Stop::Ended) => continue,
                (false, ..) => {
                    format!("  {who} would write it with {at}, but {}", self.status_text(status))
                }
            };
            listed.push(span);
            lines.push(line);
        }
        lines
    }

    /// Whether the value of a poll differs from the final value of the location.
    fn is_unseen(&self, poll: EventId, loc: LocId) -> bool {
        let Some(execution) = self.execution else { return false };
        let last = execution.choices.finals.get(loc.index()).copied().flatten();
        last.and_then(|last| execution.event_value(last)) != execution.event_value(poll)
    }

    fn status_text(&self, status: &Status) -> String {
        let graph = &self.hanging.graph;
        match &status.stop {
            Stop::Ended => "has ended".to_owned(),
            Stop::AtBarrier(b) => format!("waits at {}", graph.barriers[*b].key),
            Stop::InLoop { branch, .. } => {
                format!("waits in the loop of {}", self.statement(*branch))
            }
            Stop::BeforeTask(_) => "waits for a task".to_owned(),
            Stop::NotStarted => "has not been started".to_owned(),
            Stop::Left(id) => format!("is left before {}", self.statement(graph.event(*id).span)),
        }
    }

    /// A statement with its line: `line 12 \`bra L\``.
    fn statement(&self, span: Span) -> String {
        statement(span, self.files)
    }
}
