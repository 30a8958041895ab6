//! `ptxmc run`: tests on a GPU of this machine.

use super::args::RunArguments;
use super::output::Console;
use super::status::Status;
use anyhow::Result;

/// Reports that this build does not support GPUs.
#[cfg(not(feature = "gpu"))]
pub(super) fn run(_: &RunArguments, console: &Console) -> Result<Status> {
    console.complain("this build cannot use a GPU: it lacks the feature `gpu`");
    Ok(Status::Unknown)
}

#[cfg(feature = "gpu")]
pub(super) use with_gpu::run;

#[cfg(feature = "gpu")]
mod with_gpu {
    use super::super::args::{Checking, RunFormat};
    use super::super::emit::planned;
    use super::super::fitness::{self, unfit};
    use super::super::inputs::{Inputs, Wanted};
    use super::super::models::{Setup, any_error};
    use super::super::output::print;
    use super::super::{interrupt, tuning};
    use super::{Console, Result, RunArguments, Status};
    use crate::batch::Case;
    use crate::budget::Clock;
    use crate::hardware::campaign::{Campaign, Run, Stop};
    use crate::hardware::driver::{Gpu, GpuError};
    use crate::hardware::fields::Field;
    use crate::report::runs::{self, Extent, InterimResult, Setting, TestRun};
    use crate::source::Files;
    use anyhow::Context;
    use std::collections::HashMap;
    use std::fs::{self, File, OpenOptions};
    use std::io::Write;
    use std::ops::ControlFlow;
    use std::path::Path;
    use std::time::Duration;

    /// The exit status after a hanging launch: some result is unknown.
    const UNUSABLE_DEVICE: i32 = 3;

    pub(in super::super) fn run(arguments: &RunArguments, console: &Console) -> Result<Status> {
        let checking = Checking::plain();
        let setup = fitness::setup(console)?;
        let mut files = setup.files.clone();
        let wanted = Wanted::under(&setup.models, &setup.variants, &checking);
        let inputs = Inputs::read(&arguments.paths, wanted, &mut files);
        console.diagnostics(&inputs.diagnostics, &files);
        let unreadable = any_error(&inputs.diagnostics) || !inputs.bugs.is_empty();
        if unreadable && inputs.cases.is_empty() {
            return Ok(Status::Unusable);
        }
        let gpu = match Gpu::open(arguments.device) {
            Ok(gpu) => gpu,
            Err(why) => {
                console.complain(&format!("{why}; `ptxmc emit` writes kernels without one"));
                return Ok(Status::Unknown);
            }
        };
        interrupt::listen();
        let mut session = Session {
            arguments,
            console,
            files: &files,
            setup: &setup,
            gpu: &gpu,
            resume: Resume::open(arguments.resume.as_deref())?,
            tuning: tuning::Tuning::read(arguments.tuning.as_deref())?,
            omitted: Vec::new(),
            count: 0,
        };
        session.head()?;
        let mut failed = false;
        for case in &inputs.cases {
            failed = session.test(case)?.is_break();
            if failed || interrupt::wanted() {
                break;
            }
        }
        session.tail()?;
        if failed {
            // Releasing the device resources would wait for the end of the hanging launch.
            std::process::exit(UNUSABLE_DEVICE);
        }
        if interrupt::wanted() {
            console.complain("interrupted");
            std::process::exit(interrupt::STATUS);
        }
        Ok(match (unreadable, session.omitted.is_empty()) {
            (true, _) => Status::Unusable,
            (false, false) => Status::Unknown,
            (false, true) => Status::Expected,
        })
    }

    /// The results of earlier runs, and the file for the results of this run.
    #[derive(Default)]
    struct Resume {
        known: HashMap<String, InterimResult>,
        file: Option<File>,
    }

    impl Resume {
        fn open(path: Option<&Path>) -> Result<Self> {
            let Some(path) = path else { return Ok(Self::default()) };
            let context = || format!("cannot use `{}`", path.display());
            let text = match fs::read_to_string(path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
                text => text.with_context(context)?,
            };
            // If a test has several lines, the last one contains the results of all; incomplete lines are
            // ignored.
            let known = text.lines().filter_map(runs::parse_record).collect();
            let mut file =
                OpenOptions::new().create(true).append(true).open(path).with_context(context)?;
            if !text.is_empty() && !text.ends_with('\n') {
                file.write_all(b"\n").with_context(context)?;
            }
            Ok(Self { known, file: Some(file) })
        }

        fn keep(&mut self, key: &str, result: &InterimResult) {
            if let Some(file) = &mut self.file {
                // A result that cannot be stored will be produced again.
                let _ = file.write_all(runs::record(key, result).as_bytes());
            }
        }
    }

    /// Tests on one GPU.
    struct Session<'s> {
        arguments: &'s RunArguments,
        console: &'s Console,
        files: &'s Files,
        setup: &'s Setup,
        gpu: &'s Gpu,
        resume: Resume,
        tuning: tuning::Tuning,
        omitted: Vec<(String, String)>,
        count: usize,
    }

    impl Session<'_> {
        fn head(&self) -> Result<()> {
            let setting = Setting {
                device: &self.gpu.name,
                driver: self.gpu.driver,
                seed: self.arguments.seed,
                parameters: &self.arguments.parameters,
            };
            match self.arguments.format {
                RunFormat::Json => print(&runs::head(&setting)),
                RunFormat::Text => {
                    let version = runs::version(self.gpu.driver);
                    self.console.remark(&format!("{}, driver {version}", self.gpu.name));
                    Ok(())
                }
            }
        }

        fn tail(&mut self) -> Result<()> {
            self.tuning.write()?;
            match self.arguments.format {
                RunFormat::Json => print(&runs::tail(&self.omitted)),
                RunFormat::Text => Ok(()),
            }
        }

        fn omit(&mut self, case: &Case, why: &str) {
            self.console.remark(&format!("{}: not run: {why}", case.path));
            self.omitted.push((case.path.clone(), why.to_owned()));
        }

        /// The reason why a test should not be run, unless the user has asked for any test.
        fn is_unfit(&self, case: &Case) -> Option<String> {
            let why = if self.arguments.any { None } else { unfit(case, self.setup) };
            why.map(|why| format!("{why}; --any runs it"))
        }

        /// Runs a test; after a hanging launch, no further test can run.
        fn test(&mut self, case: &Case) -> Result<ControlFlow<()>> {
            let (plan, kernel) = match planned(case, None) {
                Ok(planned) => planned,
                Err(why) => {
                    self.omit(case, &why.to_string());
                    return Ok(ControlFlow::Continue(()));
                }
            };
            if let Some(why) = self.is_unfit(case) {
                self.omit(case, &why);
                return Ok(ControlFlow::Continue(()));
            }
            let key = format!("{} {} {}", self.gpu.name, case.path, kernel.digest());
            let known = self.resume.known.get(&key).cloned().unwrap_or_default();
            let (mut run, extent) = (
                Run {
                    histogram: known.histogram,
                    seconds: known.seconds,
                    launches: known.launches,
                    first: known.first,
                    best: None,
                },
                known.extent,
            );
            let campaign = Campaign {
                time: Duration::from_millis(self.arguments.seconds),
                stop: if self.arguments.first { Stop::AtFirst } else { Stop::AtTime },
                patience: Duration::from_millis(self.arguments.patience),
                seed: self.arguments.seed,
                clock: Clock::monotonic(),
                fixed: self.arguments.parameters.clone(),
            };
            let mut flow = ControlFlow::Continue(());
            if extent == Extent::Partial {
                let tuned = self.tuning.find(&self.gpu.name, &case.test.name);
                let resume = &mut self.resume;
                let on_progress = |run: &Run| {
                    resume.keep(&key, &interim(run, Extent::Partial));
                    match interrupt::wanted() {
                        true => ControlFlow::Break(()),
                        false => ControlFlow::Continue(()),
                    }
                };
                let parts = (&case.test, &plan, &kernel);
                let result = campaign.run(self.gpu, parts, &mut run, tuned, on_progress);
                if let Some(best) = run.best {
                    self.tuning.learn(&self.gpu.name, &case.test.name, best);
                }
                match result {
                    Ok(()) if interrupt::wanted() => {}
                    Ok(()) => self.resume.keep(&key, &interim(&run, Extent::Complete)),
                    Err(why) => {
                        self.omit(case, &why.to_string());
                        // A device that hangs or has failed remains unusable for this process.
                        if matches!(why, GpuError::Hangs(_) | GpuError::Driver(_)) {
                            // A later run would fail in the same way.
                            self.resume.keep(&key, &interim(&run, Extent::Complete));
                            let message = "the device cannot be used any more in this run; with \
                                           --resume the next one goes on behind this test";
                            self.console.complain(message);
                            flow = ControlFlow::Break(());
                        }
                    }
                }
            }
            if run.histogram.runs() > 0 {
                self.show(case, &plan.fields, &run)?;
            }
            Ok(flow)
        }

        fn show(&mut self, case: &Case, fields: &[Field], run: &Run) -> Result<()> {
            let shown = TestRun { case, fields, histogram: &run.histogram, seconds: run.seconds };
            self.count += 1;
            match self.arguments.format {
                RunFormat::Text => print(&runs::entry(&shown, self.files))?,
                RunFormat::Json => {
                    let before = if self.count > 1 { "," } else { "" };
                    print(&format!("{before}{}", runs::test(&shown, self.files)))?;
                }
            }
            let weak = run.histogram.outcomes(&case.test, fields);
            let (runs, seconds) = (run.histogram.runs(), run.seconds.max(1e-9));
            let first = run.first.map_or(String::new(), |at| format!(", first after {at:.3} s"));
            self.console.remark(&format!(
                "{}: {weak} of {runs} instances in {seconds:.2} s ({:.3e} instances, {:.3e} outcomes \
                 a second{first})",
                case.path,
                runs as f64 / seconds,
                weak as f64 / seconds,
            ));
            Ok(())
        }
    }

    fn interim(run: &Run, extent: Extent) -> InterimResult {
        InterimResult {
            histogram: run.histogram.clone(),
            seconds: run.seconds,
            launches: run.launches,
            first: run.first,
            extent,
        }
    }
}
