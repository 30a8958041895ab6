//! Traces of values into reports.

use super::text;
use crate::batch::{Case, Judgement, judge};
use crate::cat::{Options, builtin, parse_builtin};
use crate::cli::args::{JudgeArguments, JudgeFormat};
use crate::cli::excluded::excluded_execution;
use crate::cli::models::{Setup, any_error};
use crate::cli::output::{Console, print};
use crate::cli::status::Status;
use crate::engines::Choice;
use crate::id::{FileId, OpId};
use crate::judge::trace::lines::{LineError, parse};
use crate::judge::trace::part::{self, smallest};
use crate::judge::trace::whole::{self, MOST_OPERATIONS};
use crate::judge::trace::{self, Axioms, Trace, Verdict};
use crate::relation::expr::Model;
use crate::report::explanation;
use crate::report::judge::trace as report;
use crate::report::proof::Depth;
use crate::solve::{Cores, Engine};
use crate::source::Files;
use crate::verdict::Kind;
use anyhow::{Result, bail};

pub(super) fn run(
    arguments: &JudgeArguments,
    traces: &[FileId],
    mut setup: Setup,
    console: &Console,
) -> Result<Status> {
    if arguments.kills || !arguments.against.is_empty() || !arguments.tests.is_empty() {
        bail!("--tests, --against and --kills go with logs of tests, and this is a trace");
    }
    let engines = Choice::named(&arguments.checking.engine)?.engines_with(Cores::Patient);
    let mut status = Status::Expected;
    let mut judged = Vec::new();
    for &file in traces {
        let (trace, errors) = parse(text(&setup.files, file), file);
        let diagnostics: Vec<_> = errors.iter().map(LineError::diagnostic).collect();
        console.diagnostics(&diagnostics, &setup.files);
        if any_error(&diagnostics) {
            // A trace without some of its operations would be a different trace.
            status = status.max(Status::Unusable);
            continue;
        }
        let name = setup.files.get(file).map_or(String::new(), |file| file.name.clone());
        let mut judging = Judging { setup: &mut setup, engines: &engines };
        let (found, how) = judging.judged(name, trace);
        if let Some(bug) = found.bug {
            console.complain(&bug);
        }
        judged.push(found.judged);
        status = status.max(how);
    }
    let model = setup.models[0].name.as_str();
    print(&match arguments.format {
        JudgeFormat::Text => report::text(&judged, model, console.paint()),
        JudgeFormat::Json => report::json(&judged, model),
        JudgeFormat::Junit => report::junit(&judged, model),
        JudgeFormat::Markdown => report::markdown(&judged, model),
    })?;
    Ok(status)
}

/// The axioms with a specialized algorithm, unless readings change the model.
fn axioms(model: &Model) -> Option<Axioms> {
    let own = [("sc", Axioms::Sc), ("ptx-9.2", Axioms::Ptx)];
    let is = |(name, _): &&(&str, Axioms)| {
        let original =
            builtin(name).map(|b| parse_builtin(&mut Files::default(), b, &Options::default()));
        original.is_some_and(|loaded| loaded.model.fingerprint() == model.fingerprint())
    };
    own.iter().find(is).map(|(_, axioms)| *axioms)
}

/// The setup for judging traces.
struct Judging<'a> {
    setup: &'a mut Setup,
    engines: &'a [Box<dyn Engine>],
}

/// A trace with its verdict, and an internal error, if any.
struct Found {
    judged: report::Judged,
    bug: Option<String>,
}

/// The check of an inconsistent part as a litmus test.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Confirmation {
    /// The model does not admit the part, or gives no verdict.
    Unrefuted,
    /// The model admits the part, which is a bug.
    Refuted,
}

impl Judging<'_> {
    fn judged(&mut self, name: String, trace: Trace) -> (Found, Status) {
        let axioms = axioms(&self.setup.models[0]);
        let verdict = self.timed(&trace, axioms);
        let (mut part, mut bug) = (None, None);
        let mut status = match verdict {
            Verdict::Consistent => Status::Expected,
            Verdict::Inconsistent => Status::Differs,
            Verdict::Unknown(_) => Status::Unknown,
        };
        if verdict == Verdict::Inconsistent {
            let untimed = trace::untimed(&trace);
            let values = untimed.as_ref().unwrap_or(&trace);
            let ops = match axioms {
                Some(axioms) => part::of(values, axioms),
                None => smallest(values, &mut |part| self.wholly(part) == Verdict::Inconsistent),
            };
            let (shown, confirmation) = self.part(&name, values, &ops);
            if confirmation == Confirmation::Refuted {
                bug = Some(format!("bug: the model admits what is inconsistent in `{name}`"));
                status = Status::Bug;
            }
            part = Some(shown);
        }
        (Found { judged: report::Judged { name, trace, verdict, part }, bug }, status)
    }

    /// The verdict on a trace: that on its values, unless these values contradict the times.
    fn timed(&self, trace: &Trace, axioms: Option<Axioms>) -> Verdict {
        const TIMES: &str = "the model admits the values and no machine the times: a read ";
        let of_values = |trace: &Trace| match axioms {
            Some(axioms) => trace::judge(trace, axioms),
            None => self.wholly(trace),
        };
        match (of_values(trace), trace::untimely(trace)) {
            (Verdict::Consistent, Some(read)) => {
                let (line, text) = report::line(trace.op(read).span, &self.setup.files);
                Verdict::Unknown(format!(
                    "{TIMES}had ended before a write of its value began (line {line}, `{text}`)"
                ))
            }
            (Verdict::Inconsistent, _) => {
                match trace::untimed(trace).map(|free| of_values(&free)) {
                    Some(Verdict::Consistent) => Verdict::Unknown(format!(
                        "{TIMES}would have had to end before the write began that it reads from"
                    )),
                    Some(other) => other,
                    None => Verdict::Inconsistent,
                }
            }
            (verdict, _) => verdict,
        }
    }

    /// The verdict of the model on a trace as a litmus test.
    fn wholly(&self, trace: &Trace) -> Verdict {
        if trace.ops.len() > MOST_OPERATIONS {
            return Verdict::Unknown(format!(
                "{} operations: only sc and ptx-9.2 without other readings are judged with more than \
                 {MOST_OPERATIONS}",
                trace.ops.len()
            ));
        }
        let case = match whole::test(trace, "trace", &mut Files::default()) {
            Ok(case) => case,
            Err(why) => return Verdict::Unknown(why.to_string()),
        };
        match self.verdict(&case).map(|judgement| judgement.verdict.kind()) {
            Some(Kind::Allowed) => Verdict::Consistent,
            Some(Kind::Forbidden) => Verdict::Inconsistent,
            Some(kind) => Verdict::Unknown(format!("the values are {}", kind.name())),
            None => Verdict::Unknown("there is no verdict".to_owned()),
        }
    }

    fn verdict(&self, case: &Case) -> Option<Judgement> {
        judge(case, &self.setup.models, self.engines, self.setup.settings).pop()
    }

    /// An inconsistent part with the reason, and the verdict of the model on the part alone.
    fn part(&mut self, name: &str, trace: &Trace, ops: &[OpId]) -> (report::Part, Confirmation) {
        let lines = ops.iter().map(|&id| report::line(trace.op(id).span, &self.setup.files));
        let lines = lines.collect();
        let small = trace.restricted(ops);
        let of = format!("{name} (part)");
        let case = match whole::test(&small, &of, &mut self.setup.files) {
            Ok(case) => case,
            Err(why) => {
                let explanation = format!("It is no litmus test that could be explained: {why}.");
                return (report::Part { lines, test: None, explanation }, Confirmation::Unrefuted);
            }
        };
        let test = Some(self.setup.files.text(case.test.span).to_owned());
        let Some(judgement) = self.verdict(&case) else {
            return (
                report::Part { lines, test, explanation: String::new() },
                Confirmation::Unrefuted,
            );
        };
        let (model, files) = (&self.setup.models[0], &self.setup.files);
        let settings = self.setup.settings;
        let found = excluded_execution((&case, &judgement), model, self.engines, settings);
        let subject = explanation::Subject {
            case: &case,
            judgement: &judgement,
            model,
            files,
            unfold: Depth::Folded,
        };
        let explanation = explanation::render(subject, found.as_ref(), None);
        let confirmation = match judgement.verdict.kind() {
            Kind::Allowed => Confirmation::Refuted,
            _ => Confirmation::Unrefuted,
        };
        (report::Part { lines, test, explanation }, confirmation)
    }
}
