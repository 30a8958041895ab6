//! `ptxmc check`: many tests, in the form the user wants.

use super::args::{CheckArguments, CheckFormat, Checking, WitnessForm};
use super::baseline::Baseline;
use super::inputs::{Inputs, Wanted};
use super::models::{Models, any_error};
use super::output::{Console, print};
use super::status::Status;
use crate::batch::{Case, Judgement, Listing, in_order, judge, list};
use crate::check::Settings;
use crate::diagnostic::Diagnostic;
use crate::engines::Choice;
use crate::relation::expr::Model;
use crate::report::summary::Tally;
use crate::report::witness::{Picture, dot, text as drawing};
use crate::report::{herd, json, junit, text};
use crate::solve::{Budget, Engine};
use crate::source::Files;
use crate::verdict::Verdict;
use anyhow::{Result, bail};
use indicatif::ProgressBar;
use std::ops::ControlFlow;

pub(super) fn run(arguments: &CheckArguments, console: &Console) -> Result<Status> {
    let engines = Choice::named(&arguments.checking.engine)?.engines();
    let mut files = Files::default();
    let readings = &arguments.checking.readings;
    let loaded = Models::load(&arguments.models, readings, &mut files, console)?;
    let settings = settings(&arguments.checking, &loaded);
    let models = loaded.models;
    if arguments.format == CheckFormat::Herd && models.len() > 1 {
        bail!("herd's log has room for one model; choose one with --model");
    }
    if arguments.witness.is_some()
        && matches!(arguments.format, CheckFormat::Herd | CheckFormat::Junit)
    {
        bail!("--witness goes with the formats text and json");
    }
    let mut baseline = match &arguments.baseline {
        Some(path) if !arguments.bless || path.exists() => Some(Baseline::read(path)?),
        other => other.as_ref().map(|_| Baseline::default()),
    };
    let wanted = Wanted { models: &models, checking: &arguments.checking };
    let mut inputs = Inputs::read(&arguments.paths, wanted, &mut files);
    if let Some(baseline) = baseline.as_ref().filter(|_| !arguments.bless) {
        let missing = baseline.apply(&mut inputs.cases, &models);
        if missing > 0 {
            console.remark(&format!("verdicts that the baseline lacks: {missing}"));
        }
    }
    console.diagnostics(&inputs.diagnostics, &files);
    inputs.bugs.iter().for_each(|name| console.complain(&format!("bug: cannot parse `{name}`")));
    let run = Run {
        cases: &inputs.cases,
        diagnostics: &inputs.diagnostics,
        models: &models,
        engines,
        settings,
        jobs: jobs(arguments.jobs),
        files: &files,
        console,
    };
    let tally = run.report(arguments, baseline.as_mut().filter(|_| arguments.bless))?;
    if let (true, Some(baseline), Some(path)) = (arguments.bless, &baseline, &arguments.baseline) {
        baseline.write(path)?;
    }
    Ok(status(&tally, &inputs, arguments))
}

fn status(tally: &Tally, inputs: &Inputs, arguments: &CheckArguments) -> Status {
    let found = match Status::of(tally) {
        Status::Differs | Status::Unknown if arguments.bless => Status::Expected,
        found => found,
    };
    let parsed = match (inputs.bugs.is_empty(), any_error(&inputs.diagnostics)) {
        (false, _) => Status::Bug,
        (true, true) => Status::Unusable,
        (true, false) => Status::Expected,
    };
    found.max(parsed)
}

/// How tests are checked.
pub(super) fn settings(checking: &Checking, models: &Models) -> Settings {
    let default = Settings::default();
    Settings {
        bound: checking.bound,
        budget: Budget { milliseconds: checking.timeout, ..default.budget },
        tearing: models.tearing.unwrap_or(default.tearing),
        readings: models.readings,
    }
}

fn jobs(wanted: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    wanted.map_or_else(cores, usize::from)
}

/// Everything that a report is made from.
struct Run<'a> {
    cases: &'a [Case],
    diagnostics: &'a [Diagnostic],
    models: &'a [Model],
    engines: Vec<Box<dyn Engine>>,
    settings: Settings,
    jobs: usize,
    files: &'a Files,
    console: &'a Console,
}

impl Run<'_> {
    fn report(&self, arguments: &CheckArguments, blessed: Option<&mut Baseline>) -> Result<Tally> {
        match arguments.format {
            CheckFormat::Text => self.text(arguments.witness, blessed),
            CheckFormat::Json => self.json(arguments.witness, blessed),
            CheckFormat::Herd => self.herd(blessed),
            CheckFormat::Junit => self.junit(blessed),
        }
    }

    fn text(&self, witness: Option<WitnessForm>, blessed: Option<&mut Baseline>) -> Result<Tally> {
        let table = text::Table::new(self.cases, self.models, self.files, self.console.paint());
        if let Some(header) = table.header() {
            print(&format!("{header}\n"))?;
        }
        let tally = self.each(blessed, |case, judgements| {
            let mut out = table.line(case, judgements) + "\n";
            for (judgement, model) in judgements.iter().zip(self.models) {
                out.push_str(&shown(case, judgement, model, witness));
            }
            print(&out)
        })?;
        print(&format!("{}\n", tally.line()))?;
        Ok(tally)
    }

    fn json(&self, witness: Option<WitnessForm>, blessed: Option<&mut Baseline>) -> Result<Tally> {
        let witnesses = match witness {
            Some(_) => json::Witnesses::Included,
            None => json::Witnesses::Omitted,
        };
        print(&json::head(self.models))?;
        let mut separator = "";
        let tally = self.each(blessed, |case, judgements| {
            let test = json::test(case, judgements, self.models, self.files, witnesses);
            let before = std::mem::replace(&mut separator, json::SEPARATOR);
            print(&format!("{before}{test}"))
        })?;
        print(&json::tail(&tally, self.diagnostics, self.files))?;
        Ok(tally)
    }

    fn junit(&self, blessed: Option<&mut Baseline>) -> Result<Tally> {
        let mut suites = junit::Suites::new(self.models, self.files);
        let tally = self.each(blessed, |case, judgements| {
            suites.add(case, judgements);
            Ok(())
        })?;
        print(&suites.render())?;
        Ok(tally)
    }

    /// herd's log needs all states besides the verdict.
    fn herd(&self, mut blessed: Option<&mut Baseline>) -> Result<Tally> {
        let engine = self.engines[0].as_ref();
        let work = |case: &Case| {
            let judgements = self.judge(case);
            (judgements, list(case, &self.models[0], engine, self.settings))
        };
        let mut tally = Tally::default();
        self.ordered(work, |case, (judgements, listing)| {
            tally.add(&judgements);
            if let Some(baseline) = &mut blessed {
                baseline.record(case, &judgements, self.models);
            }
            self.log(case, &judgements[0], listing)
        })?;
        Ok(tally)
    }

    fn log(&self, case: &Case, judged: &Judgement, listing: Result<Listing, String>) -> Result<()> {
        match listing {
            Ok(listing) => {
                if let Verdict::Error(message) = &judged.verdict {
                    self.console.complain(&format!("{}: {message}", case.path));
                }
                if listing.states.incomplete.is_some() {
                    let message = format!("{}: the list of states is incomplete", case.path);
                    self.console.complain(&message);
                }
                print(&herd::entry(case, judged, &listing, self.files))
            }
            Err(message) => {
                self.console.complain(&format!("{}: no states: {message}", case.path));
                Ok(())
            }
        }
    }

    fn judge(&self, case: &Case) -> Vec<Judgement> {
        judge(case, self.models, &self.engines, self.settings)
    }

    /// Judges every test and hands the verdicts on in order.
    fn each(
        &self,
        mut blessed: Option<&mut Baseline>,
        mut emit: impl FnMut(&Case, &[Judgement]) -> Result<()>,
    ) -> Result<Tally> {
        let mut tally = Tally::default();
        self.ordered(
            |case| self.judge(case),
            |case, judgements| {
                tally.add(&judgements);
                if let Some(baseline) = &mut blessed {
                    baseline.record(case, &judgements, self.models);
                }
                emit(case, &judgements)
            },
        )?;
        Ok(tally)
    }

    fn ordered<T: Send>(
        &self,
        work: impl Fn(&Case) -> T + Sync,
        mut emit: impl FnMut(&Case, T) -> Result<()>,
    ) -> Result<()> {
        let bar: ProgressBar = self.console.progress(self.cases.len());
        let mut outcome = Ok(());
        in_order(
            self.cases.len(),
            self.jobs,
            |index| work(&self.cases[index]),
            |index, result| {
                outcome = bar.suspend(|| emit(&self.cases[index], result));
                bar.inc(1);
                if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
        bar.finish_and_clear();
        outcome
    }
}

/// The execution behind a verdict, if it has one and the user wants it.
fn shown(
    case: &Case,
    judgement: &Judgement,
    model: &Model,
    witness: Option<WitnessForm>,
) -> String {
    let (Some(form), Some(graph)) = (witness, &judgement.graph) else { return String::new() };
    let choices = match &judgement.verdict {
        Verdict::Allowed(choices) => Some(choices),
        Verdict::Undefined(reason) | Verdict::OutOfModel(reason) => reason.choices.as_ref(),
        _ => None,
    };
    let Some(choices) = choices else { return String::new() };
    match (Picture::of(&case.test.name, graph, choices, model), form) {
        (Ok(picture), WitnessForm::Text) => drawing::render(&picture),
        (Ok(picture), WitnessForm::Dot) => dot::render(&picture),
        (Err(message), _) => format!("  {message}\n"),
    }
}
