//! Logs of tests into reports.

use super::Texts;
use crate::batch::{Case, Judgement, judge, watched};
use crate::cat::mutant::{ORIGINAL, mutants};
use crate::cli::args::{JudgeArguments, JudgeFormat};
use crate::cli::check::jobs;
use crate::cli::excluded::excluded_execution;
use crate::cli::inputs::{Inputs, Wanted};
use crate::cli::interrupt;
use crate::cli::models::{Setup, any_error};
use crate::cli::output::{Console, print};
use crate::cli::status::Status;
use crate::diagnostic::Diagnostic;
use crate::engines::Choice;
use crate::id::FileId;
use crate::judge::compare::compare;
use crate::judge::coverage::{Kill, Wrong, kills, next};
use crate::judge::log::{self, Entry};
use crate::judge::sightings::{Assigned, Tests, assign, settle};
use crate::judge::verdicts::{Finding, Judge, TestReport};
use crate::report::explanation;
use crate::report::herd::hash;
use crate::report::judge::{
    Comparison, Explanation, Subject, json, junit, markdown, question, text,
};
use crate::report::proof::Depth;
use crate::solve::Cores;
use crate::source::{Files, Span};
use anyhow::{Result, anyhow};
use std::ops::ControlFlow;

/// The largest number of tests with an explained state; for further tests only the axiom is named.
const MOST_EXPLAINED: usize = 20;

pub(super) fn run(
    arguments: &JudgeArguments,
    (logs, unread): (&[FileId], Vec<Diagnostic>),
    mut setup: Setup,
    console: &Console,
) -> Result<Status> {
    let (mut entries, mut diagnostics) = entries(logs, &setup.files);
    let mut texts = Texts::default();
    arguments.against.iter().for_each(|name| texts.add(name, &mut setup.files));
    let (mut before, wrong) = self::entries(&texts.files, &setup.files);
    diagnostics.extend(texts.diagnostics.into_iter().chain(wrong));
    let wanted = Wanted {
        models: &setup.models,
        variants: &setup.variants,
        readings: &arguments.checking.readings,
        version: arguments.checking.version(),
        launch: None,
    };
    let inputs = Inputs::read(&arguments.tests, wanted, &mut setup.files);
    diagnostics.extend(inputs.diagnostics);
    console.diagnostics(&diagnostics, &setup.files);
    let broken: Vec<Diagnostic> = unread
        .into_iter()
        .chain(diagnostics.iter().cloned())
        .filter(Diagnostic::is_error)
        .collect();
    inputs.bugs.iter().for_each(|name| console.complain(&format!("bug: cannot parse `{name}`")));
    let cases = inputs.cases;
    let fingerprint = |case: &Case| hash(&case.test, &setup.files);
    let tests = Tests { cases: &cases, fingerprint: &fingerprint };
    settle(&mut entries, tests);
    settle(&mut before, tests);
    let compared = (!arguments.against.is_empty()).then(|| {
        let (changes, same) = compare(&entries, &before);
        Comparison { changes, same }
    });
    let nothing = entries.is_empty();
    let assigned = assign(entries, tests);
    let judging = Judging { setup: &setup, jobs: jobs(arguments.jobs), console };
    let reports = judging.reports(&cases, &assigned);
    let kills = match arguments.kills {
        true => Some(judging.kills(&cases, &reports)?),
        false => None,
    };
    let next = next(&reports, kills.as_deref().unwrap_or_default());
    let explanations = explanations(arguments, &mut setup, &cases, &reports)?;
    let subject = Subject {
        cases: &cases,
        reports: &reports,
        assigned: &assigned,
        model: &setup.models[0],
        files: &setup.files,
        explanations: &explanations,
        changes: compared.as_ref(),
        kills: kills.as_deref(),
        next: &next,
        broken: &broken,
    };
    print(&match arguments.format {
        JudgeFormat::Text => text::render(&subject, console.paint()),
        JudgeFormat::Json => json::render(&subject),
        JudgeFormat::Junit => junit::render(&subject),
        JudgeFormat::Markdown => markdown::render(&subject),
    })?;
    if nothing && !any_error(&diagnostics) {
        console.complain("there is no test in the logs");
    }
    let found = status(&reports, &assigned).max(match nothing {
        true => Status::Unknown,
        false => Status::Expected,
    });
    Ok(match (inputs.bugs.is_empty(), any_error(&diagnostics)) {
        (false, _) => Status::Bug,
        (true, true) => found.max(Status::Unusable),
        (true, false) => found,
    })
}

/// The entries of some log files.
fn entries(logs: &[FileId], files: &Files) -> (Vec<Entry>, Vec<Diagnostic>) {
    let (mut entries, mut diagnostics) = (Vec::new(), Vec::new());
    for &file in logs {
        let (found, wrong) = log::read(files, file);
        entries.extend(found);
        diagnostics.extend(wrong);
    }
    (entries, diagnostics)
}

/// The exit status of a run, given its results.
fn status(reports: &[TestReport], assigned: &Assigned) -> Status {
    let of = |report: &TestReport| match report.finding {
        Finding::ForbiddenSeen => Status::Differs,
        Finding::Broken => Status::Bug,
        Finding::OtherVersion | Finding::Unknown | Finding::OutOfModel => Status::Unknown,
        Finding::Undefined
        | Finding::AllowedNeverSeen
        | Finding::AllowedSeen
        | Finding::Consistent
        | Finding::NotRun => Status::Expected,
    };
    let strangers = !assigned.unknown.is_empty() || !assigned.ambiguous.is_empty();
    let strange = if strangers { Status::Unknown } else { Status::Expected };
    reports.iter().map(of).fold(strange, Status::max)
}

/// The setup for judging tests.
struct Judging<'a> {
    setup: &'a Setup,
    jobs: usize,
    console: &'a Console,
}

impl Judging<'_> {
    /// The report on each test.
    fn reports(&self, cases: &[Case], assigned: &Assigned) -> Vec<TestReport> {
        let Setup { models, engines, settings, .. } = self.setup;
        let judge = Judge { model: &models[0], engines, settings: *settings };
        let bar = self.console.progress(cases.len());
        let work = |index: usize| judge.judge(&cases[index], assigned.of_tests[index].as_ref());
        let mut reports = Vec::new();
        interrupt::listen();
        watched(cases.len(), self.jobs, work, |next| {
            if interrupt::wanted() {
                bar.finish_and_clear();
                self.console.complain("interrupted: a report needs all tests");
                std::process::exit(interrupt::STATUS);
            }
            if let Some((_, report)) = next {
                reports.push(report);
                bar.inc(1);
            }
            ControlFlow::Continue(())
        });
        bar.finish_and_clear();
        reports
    }

    /// The wrong models that the tests detect, among models without an axiom and mutants of the
    /// model.
    fn kills(&self, cases: &[Case], reports: &[TestReport]) -> Result<Vec<Kill>> {
        let Setup { models, engines, settings, .. } = self.setup;
        let mut wrong = Wrong::without_axioms(&models[0]);
        if models[0].name == ORIGINAL {
            let mutants = mutants().map_err(|why| anyhow!(why))?;
            let read: Result<Vec<Wrong>, String> = mutants.iter().map(Wrong::mutant).collect();
            wrong.extend(read.map_err(|why| anyhow!(why))?);
        }
        let bar = self.console.progress(wrong.len());
        let mut found = Vec::new();
        kills(&wrong, (cases, reports), engines, (*settings, self.jobs), |kill| {
            found.push(kill);
            bar.inc(1);
        });
        bar.finish_and_clear();
        Ok(found)
    }
}

/// The reasons why observed states are forbidden, for the most frequent such state of each test.
fn explanations(
    arguments: &JudgeArguments,
    setup: &mut Setup,
    cases: &[Case],
    reports: &[TestReport],
) -> Result<Vec<Explanation>> {
    let engines = Choice::named(&arguments.checking.engine)?.engines_with(Cores::Patient);
    let mut out = Vec::new();
    for (test, report) in reports.iter().enumerate() {
        let most = report.forbidden().max_by_key(|(judged, ..)| judged.seen.count);
        let Some((judged, asked, _)) = most else { continue };
        if out.len() == MOST_EXPLAINED {
            break;
        }
        let state = report.states.iter().position(|other| std::ptr::eq(other, judged));
        let mut asked = asked.clone();
        let text = question(&asked);
        let whole = (0, text.len());
        let file = setup.files.add(format!("{} (a state that was seen)", cases[test].path), text);
        asked.test.condition_span = Span::new(file, whole.0, whole.1);
        let judgement = judge(&asked, &setup.models, &engines, setup.settings).pop();
        let Some(judgement) = judgement else { continue };
        let text = explained(&asked, &judgement, setup, &engines);
        out.push(Explanation { test, state: state.unwrap_or(0), text });
    }
    Ok(out)
}

fn explained(
    case: &Case,
    judgement: &Judgement,
    setup: &Setup,
    engines: &[Box<dyn crate::solve::Engine>],
) -> String {
    let (model, files) = (&setup.models[0], &setup.files);
    let found = excluded_execution((case, judgement), model, engines, setup.settings);
    let subject = explanation::Subject { case, judgement, model, files, unfold: Depth::Folded };
    explanation::render(subject, found.as_ref(), None)
}
