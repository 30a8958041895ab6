//! `ptxmc check KERNEL.ptx --launch ...`: every question about a launch at once.

use super::args::{CheckArguments, CheckFormat};
use super::inputs::Inputs;
use super::models::Setup;
use super::output::{Console, print};
use super::single::{Judged, deadlock_of_some, races_of};
use super::status::Status;
use crate::batch::judge;
use crate::report::kernel::{Answer, AnswerKind, Findings, RacesFound, json, render};
use anyhow::{Context, Result, bail};

/// Whether the command asks for launches in a form of its own.
pub(super) fn is_wanted(arguments: &CheckArguments) -> bool {
    let form = matches!(arguments.format, CheckFormat::Text | CheckFormat::Json);
    arguments.checking.launching.launch.is_some() && form
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
    let mut status = inputs.status();
    for case in &inputs.cases {
        for (at, model) in setup.models.iter().enumerate() {
            let models = &setup.models[at..=at];
            let judgements = judge(case, models, &setup.engines, setup.settings);
            let judgement = judgements.into_iter().next().context("a model gives a verdict")?;
            let judged = Judged {
                case,
                model,
                engines: &setup.engines,
                settings: setup.settings,
                judgement: &judgement,
            };
            let races = match races_of(judged) {
                Ok((races, graph, cut)) => {
                    RacesFound::Listed(races.list, Box::new(graph), races.open.or(cut))
                }
                Err(verdict) => RacesFound::Open(verdict),
            };
            let stuck = deadlock_of_some(judged);
            let findings = Findings {
                case,
                judgement: &judgement,
                races: &races,
                stuck: stuck.as_ref(),
                model,
                files: &setup.files,
            };
            let answers = findings.answers();
            print(&match arguments.format {
                CheckFormat::Json => json(&findings, &answers),
                _ => render(&findings, &answers),
            })?;
            status = status.max(ended(&answers));
        }
    }
    if inputs.cases.is_empty() && status == Status::Expected {
        console.complain("there is nothing to launch");
        return Ok(Status::Unusable);
    }
    Ok(status)
}

fn ended(answers: &[Answer]) -> Status {
    match answers.iter().map(|answer| answer.kind).max() {
        None | Some(AnswerKind::Fine) => Status::Expected,
        Some(AnswerKind::Unknown) => Status::Unknown,
        Some(AnswerKind::Found) => Status::Differs,
        Some(AnswerKind::Bug) => Status::Bug,
    }
}
