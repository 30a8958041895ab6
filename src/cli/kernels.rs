//! `ptxmc check KERNEL.ptx --launch ...`: every question about a launch at once.

use super::args::{CheckArguments, CheckFormat};
use super::inputs::Inputs;
use super::models::Setup;
use super::output::{Console, print};
use super::single::{Judged, races_of};
use super::status::Status;
use crate::batch::{Case, Judgement, guarded, judge, together};
use crate::check::{self, Settings, Unreached};
use crate::litmus::ast::{Followed, Launched};
use crate::module::sliced;
use crate::program::reading::{Readings, UnknownResults};
use crate::report::kernel::{Answer, AnswerKind, Findings, RacesFound, json, render};
use crate::rule::Rule;
use crate::verdict::{Reason, Verdict};
use anyhow::{Context, Error, Result, bail};

/// Whether the launches get a separate form of report.
pub(super) fn is_wanted(arguments: &CheckArguments) -> bool {
    let form = matches!(arguments.format, CheckFormat::Text | CheckFormat::Json);
    arguments.launching.launch.is_some() && form
}

/// Answers for each launch, under each model.
pub(super) fn run(
    arguments: &CheckArguments,
    setup: &Setup,
    inputs: &Inputs,
    console: &Console,
) -> Result<Status> {
    if arguments.isolate || arguments.baseline.is_some() || arguments.witness.is_some() {
        bail!(
            "--isolate, --baseline and --witness do not go with --launch: `ptxmc races` and \
               `ptxmc explain` show executions"
        );
    }
    if arguments.expect.is_some() || !arguments.fail_on.is_empty() {
        bail!(
            "--expect and --fail-on do not go with --launch: the status is 1 where something is found and 3 \
             where an answer is unknown; tests may hold kernels and their launches"
        );
    }
    let mut status = inputs.status();
    for case in &inputs.cases {
        for at in 0..setup.models.len() {
            let rendered = report(case, setup, at)?;
            status = status.max(rendered.status);
            print(&rendered.text(arguments.format))?;
        }
    }
    if inputs.cases.is_empty() && status == Status::Expected {
        console.complain("there is nothing to launch");
        return Ok(Status::Unusable);
    }
    Ok(status)
}

/// The report on a launch under a model.
///
/// The test without irrelevant values is checked first. If no problem is found there, the original
/// test has none. A problem may need executions that only exist without these values, and is
/// checked again with all values.
fn report(case: &Case, setup: &Setup, at: usize) -> Result<Rendered> {
    if let Some(test) = sliced(&case.test) {
        let part = Case { test, path: case.path.clone(), expected: case.expected.clone() };
        let rendered = of_any_result(&part, setup, at)?;
        if rendered.status == Status::Expected {
            return Ok(rendered);
        }
    }
    of_any_result(case, setup, at)
}

/// The report on a launch. If a result is unknown and nothing else prevents a verdict, the result
/// is arbitrary.
fn of_any_result(case: &Case, setup: &Setup, at: usize) -> Result<Rendered> {
    let launch = Launch { case, setup, at };
    let rendered = launch.report(setup.settings, None)?;
    let Some(name) = &rendered.unknown else { return Ok(rendered) };
    let readings = Readings { results: UnknownResults::Any, ..setup.settings.readings };
    launch.report(Settings { readings, ..setup.settings }, Some(name))
}

/// A launch under a model.
struct Launch<'a> {
    case: &'a Case,
    setup: &'a Setup,
    /// The number of the model.
    at: usize,
}

/// The report on a launch.
struct Rendered {
    text: String,
    json: String,
    status: Status,
    /// An instruction with an unknown result that matters.
    unknown: Option<String>,
}

impl Rendered {
    fn text(self, format: CheckFormat) -> String {
        if format == CheckFormat::Json { self.json } else { self.text }
    }
}

impl Launch<'_> {
    /// The statements with effects that no execution reaches, as far as an engine tells.
    fn unreached(&self, judgement: &Judgement, settings: Settings) -> Result<Vec<Unreached>> {
        let (model, settings) = (&self.setup.models[self.at], judgement.settings(settings));
        let (engine, settings) = together(&self.setup.engines, settings);
        guarded(|| check::unreached(&self.case.test, model, &engine, settings)).map_err(Error::msg)
    }

    /// The answers to all questions; `arbitrary` is an instruction with an arbitrary result.
    fn report(&self, settings: Settings, arbitrary: Option<&str>) -> Result<Rendered> {
        let Self { case, setup, at } = *self;
        let models = &setup.models[at..=at];
        let judgements = judge(case, models, &setup.engines, settings);
        let judgement = judgements.into_iter().next().context("a model gives a verdict")?;
        let unknown = match &judgement.verdict {
            Verdict::OutOfModel(Reason { rule: Rule::Result { name }, .. }) => Some(name.clone()),
            _ => None,
        };
        let engines = &setup.engines;
        let judged = Judged { case, model: &models[0], engines, settings, judgement: &judgement };
        let races = match races_of(judged) {
            Ok((races, graph, cut)) => {
                RacesFound::Listed(races.list, Box::new(graph), races.open.or(cut))
            }
            Err(verdict) => RacesFound::Open(verdict),
        };
        // Where a race was found, or others may race anyway, nothing more is asked.
        let is_open = |launched: &Launched| {
            let none = matches!(&races, RacesFound::Listed(list, ..) if list.is_empty());
            let all = matches!(launched.followed, Followed::All | Followed::Apart);
            none && all
        };
        let unreached = match case.test.partial_launch().is_some_and(is_open) {
            true => self.unreached(&judgement, settings)?,
            false => Vec::new(),
        };
        let findings = Findings {
            case,
            judgement: &judgement,
            races: &races,
            arbitrary,
            unreached: &unreached,
            model: &models[0],
            files: &setup.files,
        };
        let answers = findings.answers();
        Ok(Rendered {
            text: render(&findings, &answers),
            json: json(&findings, &answers),
            status: exit_status(&answers),
            unknown,
        })
    }
}

fn exit_status(answers: &[Answer]) -> Status {
    match answers.iter().map(|answer| answer.kind).max() {
        None | Some(AnswerKind::Fine) => Status::Expected,
        Some(AnswerKind::Unknown) => Status::Unknown,
        Some(AnswerKind::Found) => Status::Differs,
        Some(AnswerKind::Bug) => Status::Bug,
    }
}
