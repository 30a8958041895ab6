//! `ptxmc check`: many tests, in the form the user wants.

use super::args::{CheckArguments, CheckFormat};
use super::baseline::Baseline;
use super::gate;
use super::inputs::{Inputs, Wanted};
use super::interrupt;
use super::isolate::Pool;
use super::kernels;
use super::models::Setup;
use super::output::{Console, print};
use super::page::Folder;
use super::render::{Form, Listed, Pages, Rendered, Renderer};
use super::status::Status;
use crate::batch::{Case, watched};
use crate::report::summary::Tally;
use crate::report::{json, junit, text};
use crate::source::Files;
use anyhow::{Result, bail};
use indicatif::ProgressBar;
use std::ops::ControlFlow;
use std::path::Path;

pub(super) fn run(arguments: &CheckArguments, console: &Console) -> Result<Status> {
    let mut setup =
        Setup::load(&arguments.models, &arguments.checking, arguments.format.cores(), console)?;
    if kernels::is_wanted(arguments) {
        if arguments.report.is_some() {
            bail!("--report goes with litmus tests, not with compiled kernels");
        }
        let launch = arguments.launching.asked();
        let wanted = Wanted::under(&setup.models, &setup.variants, &arguments.checking);
        let wanted = Wanted { launch, ..wanted };
        let inputs = Inputs::read(&arguments.paths, wanted, &mut setup.files);
        console.diagnostics(&inputs.diagnostics, &setup.files);
        return kernels::run(arguments, &setup, &inputs, console);
    }
    let Setup { mut files, models, engines, settings, variants } = setup;
    if arguments.format == CheckFormat::Herd && models.len() > 1 {
        bail!("herd's log has room for one model; choose one with --model");
    }
    if arguments.witness.is_some()
        && matches!(arguments.format, CheckFormat::Herd | CheckFormat::Junit)
    {
        bail!("--witness goes with the formats text and json");
    }
    let readings = &arguments.checking.readings;
    let mut baseline = match &arguments.baseline {
        Some(path) if !arguments.bless || path.exists() => Some(Baseline::read(path, readings)?),
        other => other.as_ref().map(|_| Baseline::new(readings)),
    };
    let launch = arguments.launching.asked();
    let wanted = Wanted { launch, ..Wanted::under(&models, &variants, &arguments.checking) };
    let mut inputs = Inputs::read(&arguments.paths, wanted, &mut files);
    let mut vacuous = false;
    if let Some(baseline) = baseline.as_ref().filter(|_| !arguments.bless) {
        let comparison = baseline.apply(&mut inputs.cases, &models);
        vacuous = comparison.is_vacuous();
        let tell = |line: &String| match vacuous {
            true => console.complain(line),
            false => console.remark(line),
        };
        comparison.messages().iter().for_each(tell);
    }
    if let Some(verdict) = arguments.expect {
        gate::expect(&mut inputs.cases, verdict);
    }
    console.diagnostics(&inputs.diagnostics, &files);
    inputs.bugs.iter().for_each(|name| console.complain(&format!("bug: cannot parse `{name}`")));
    let paint = console.paint();
    let width = text::Table::path_width(&inputs.cases);
    let renderer = Renderer {
        models: &models,
        engines: &engines,
        settings,
        fail_on: &arguments.fail_on,
        form: Form { format: arguments.format, witness: arguments.witness },
        table: text::Table::new(width, &models, paint),
        pages: if arguments.report.is_some() { Pages::Written } else { Pages::None },
    };
    let mut run = Run {
        inputs: &inputs,
        renderer: &renderer,
        pool: arguments.isolate.then(|| Pool::new(arguments, width, paint, &files)),
        jobs: jobs(arguments.jobs),
        files: &files,
        console,
        suites: junit::Suites::new(&models),
        tally: Tally::without(inputs.unread.len()),
        listed: Listed::default(),
        blessed: None,
        folder: arguments.report.as_deref().map(Folder::new).transpose()?,
    };
    if let (true, Some(mut baseline), Some(path)) =
        (arguments.bless, baseline.take(), &arguments.baseline)
    {
        baseline.prune(&inputs.cases);
        run.blessed = Some((baseline, path));
    }
    interrupt::listen();
    run.report()?;
    let status = status(&run.tally, &inputs, arguments).max(run.listed.into());
    Ok(if vacuous { status.max(Status::Differs) } else { status })
}

fn status(tally: &Tally, inputs: &Inputs, arguments: &CheckArguments) -> Status {
    let found = match Status::of(tally) {
        Status::Differs | Status::Unknown if arguments.bless => Status::Expected,
        found => found,
    };
    let parsed = inputs.status();
    found.max(parsed)
}

/// How many workers there are.
pub(super) fn jobs(wanted: Option<u16>) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    wanted.map_or_else(cores, usize::from)
}

/// All data for a report, and the results so far.
struct Run<'a> {
    inputs: &'a Inputs,
    renderer: &'a Renderer<'a>,
    pool: Option<Pool<'a>>,
    jobs: usize,
    files: &'a Files,
    console: &'a Console,
    suites: junit::Suites<'a>,
    tally: Tally,
    /// Whether all final states of the report could be listed.
    listed: Listed,
    /// The recorded verdicts, and the file for the record.
    blessed: Option<(Baseline, &'a Path)>,
    /// Where pages are written.
    folder: Option<Folder>,
}

impl Run<'_> {
    /// Checks every test and writes the report, each part as soon as it is complete.
    fn report(&mut self) -> Result<()> {
        self.head()?;
        self.tests()?;
        self.tail()
    }

    fn head(&self) -> Result<()> {
        match self.renderer.form.format {
            CheckFormat::Text => match self.renderer.table.header() {
                Some(header) => print(&format!("{header}\n")),
                None => Ok(()),
            },
            CheckFormat::Json => print(&json::head(self.renderer.models)),
            CheckFormat::Herd | CheckFormat::Junit => Ok(()),
        }
    }

    fn test(&mut self, case: &Case, rendered: &Rendered) -> Result<()> {
        let before = match self.renderer.form.format {
            CheckFormat::Json if self.tally.tests() > 0 => json::SEPARATOR,
            _ => "",
        };
        self.tally.add(&rendered.verdicts);
        self.listed = self.listed.max(rendered.listed);
        if let Some((baseline, _)) = &mut self.blessed {
            baseline.record(case, &rendered.verdicts, self.renderer.models);
        }
        self.suites.add(case, &rendered.verdicts);
        if let (Some(folder), Some(page)) = (&mut self.folder, &rendered.page) {
            folder.add(case, &rendered.verdicts, page)?;
        }
        rendered.complaints.iter().for_each(|complaint| self.console.complain(complaint));
        print(&format!("{before}{}", rendered.text))
    }

    fn tail(&self) -> Result<()> {
        match self.renderer.form.format {
            CheckFormat::Text => print(&format!("{}\n", self.tally.line()))?,
            CheckFormat::Json => {
                print(&json::tail(&self.tally, &self.inputs.diagnostics, self.files))?;
            }
            CheckFormat::Junit => print(&self.suites.render(&self.inputs.unread))?,
            CheckFormat::Herd => {}
        }
        if let Some(folder) = &self.folder {
            folder.finish(self.renderer.models, &self.tally)?;
        }
        match &self.blessed {
            Some((baseline, path)) => baseline.write(path),
            None => Ok(()),
        }
    }

    /// Judges every test and takes the verdicts in order.
    fn tests(&mut self) -> Result<()> {
        let cases = &self.inputs.cases;
        let bar: ProgressBar = self.console.progress(cases.len());
        let (renderer, files, jobs) = (self.renderer, self.files, self.jobs);
        let pool = self.pool.take();
        let work = |index: usize| match &pool {
            None => renderer.check(&cases[index], files),
            Some(pool) => pool
                .check(&cases[index])
                .unwrap_or_else(|message| renderer.failed(&cases[index], &message, files)),
        };
        let mut outcome = Ok(());
        watched(cases.len(), jobs, work, |next| {
            if interrupt::wanted() {
                bar.finish_and_clear();
                self.stop();
            }
            if let Some((index, rendered)) = next {
                outcome = bar.suspend(|| self.test(&cases[index], &rendered));
                bar.inc(1);
            }
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        bar.finish_and_clear();
        outcome
    }

    /// Ends the report with the results so far, and ends the process, since the remaining tests may
    /// take arbitrarily long.
    fn stop(&self) -> ! {
        if let Err(error) = self.tail() {
            self.console.complain(&format!("{error:#}"));
        }
        let (done, all) = (self.tally.tests(), self.inputs.cases.len());
        self.console.complain(&format!("interrupted: {done} of {all} tests are decided"));
        std::process::exit(interrupt::STATUS)
    }
}
