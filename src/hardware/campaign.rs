//! A campaign: repeated launches of a test for a given time, collected in a histogram. Parameters
//! are drawn at random, alternating with the most successful parameters so far.

use super::driver::{Gpu, GpuError, Loaded};
use super::geometry::Geometry;
use super::kernel::Kernel;
use super::parameters::Parameters;
use super::plan::Plan;
use super::states::Histogram;
use crate::budget::Clock;
use crate::litmus::ast::Test;
use std::ops::ControlFlow;
use std::time::Duration;

/// Parameters are kept for this part of a test's time, or for one launch.
const SLICES: u32 = 20;
/// The shortest slice, since new parameters need newly initialized memory.
const SHORTEST: Duration = Duration::from_millis(20);

/// The duration and the settings of a run.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// The time for a test.
    pub time: Duration,
    /// When a test is over before.
    pub stop: Stop,
    /// How long a launch may take.
    pub patience: Duration,
    /// The seed for parameters and permutations.
    pub seed: u64,
    /// The clock.
    pub clock: Clock,
    /// Parameters that are not drawn, by name.
    pub fixed: Vec<(String, u32)>,
}

/// The condition for ending a run before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// Never.
    AtTime,
    /// When the outcome in question is seen.
    AtFirst,
}

/// The results of all instances of a test.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// Final states.
    pub histogram: Histogram,
    /// The duration of the launches, including the transfer of results.
    pub seconds: f64,
    /// How many launches there were.
    pub launches: u64,
    /// After how many seconds the outcome in question was seen.
    pub first: Option<f64>,
    /// The parameters with the highest rate of the outcome.
    pub best: Option<Tuned>,
}

/// Parameters, and their rate of the outcome in question.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tuned {
    /// The parameters.
    pub parameters: Parameters,
    /// Outcomes in a second.
    pub rate: f64,
}

impl Campaign {
    /// Runs a test. `run` contains the results so far, and `tuned` the first parameters to use.
    /// `told` is called after each choice of parameters, and may stop the test.
    ///
    /// # Errors
    /// When the driver rejects the kernel, or when a launch hangs or fails. Earlier results are
    /// kept in `run`.
    pub fn run(
        &self,
        gpu: &Gpu,
        (test, plan, kernel): (&Test, &Plan, &Kernel),
        run: &mut Run,
        tuned: Option<Parameters>,
        mut told: impl FnMut(&Run) -> ControlFlow<()>,
    ) -> Result<(), GpuError> {
        let mut loaded = gpu.load(kernel)?;
        // A resumed test does not draw the same parameters again.
        let mut random = fastrand::Rng::with_seed(self.seed.wrapping_add(run.launches));
        let mut number = 0_u64;
        while run.seconds < self.time.as_secs_f64() && !self.is_over(run) {
            let parameters = self.parameters(number, run, tuned, &mut random);
            number += 1;
            let slice =
                self.slice(&mut loaded, (test, plan, kernel), &parameters, run, &mut random);
            if let Err(error) = slice {
                // Releasing the resources of a hanging launch would wait for its end.
                if matches!(error, GpuError::Hangs(_)) {
                    std::mem::forget(loaded);
                }
                return Err(error);
            }
            if told(run).is_break() {
                break;
            }
        }
        Ok(())
    }

    fn is_over(&self, run: &Run) -> bool {
        self.stop == Stop::AtFirst && run.first.is_some()
    }

    /// The best ones so far and new ones by turns.
    fn parameters(
        &self,
        number: u64,
        run: &Run,
        tuned: Option<Parameters>,
        random: &mut fastrand::Rng,
    ) -> Parameters {
        let mut parameters = match (number, run.best) {
            (0, _) => tuned.or(run.best.map(|best| best.parameters)).unwrap_or_default(),
            (n, Some(best)) if n % 2 == 0 => best.parameters,
            _ => Parameters::draw(random),
        };
        for (name, value) in &self.fixed {
            // Names and values were looked at when they were given.
            let _ = parameters.set(name, *value);
        }
        parameters
    }

    /// Launches with the same parameters for a while.
    fn slice(
        &self,
        loaded: &mut Loaded,
        (test, plan, kernel): (&Test, &Plan, &Kernel),
        parameters: &Parameters,
        run: &mut Run,
        random: &mut fastrand::Rng,
    ) -> Result<(), GpuError> {
        let resident = loaded.resident(plan, parameters)?;
        let geometry = Geometry::new(plan, parameters, resident, random);
        let mut launch = loaded.prepare(test, plan, kernel, &geometry)?;
        let (begin, before) = (self.clock.now(), run.seconds);
        let elapsed = || self.clock.now().saturating_sub(begin);
        let share = (self.time / SLICES).max(SHORTEST);
        let mut seen = Histogram::default();
        let outcome = loop {
            match launch.run(self.clock, self.patience) {
                Ok(rows) => seen.add_rows(&plan.fields, rows, plan.row_bytes as usize),
                Err(error) => break Err(error),
            }
            run.launches += 1;
            run.seconds = before + elapsed().as_secs_f64();
            let weak = seen.outcomes(test, &plan.fields);
            if weak > 0 && run.first.is_none() {
                run.first = Some(run.seconds);
            }
            let late = run.seconds >= self.time.as_secs_f64();
            if elapsed() >= share || late || self.is_over(run) {
                let rate = weak as f64 / elapsed().as_secs_f64().max(1e-9);
                if weak > 0 && run.best.is_none_or(|best| best.rate < rate) {
                    run.best = Some(Tuned { parameters: *parameters, rate });
                }
                break Ok(());
            }
        };
        // Results before a failed launch are kept.
        run.histogram.merge(&seen);
        outcome
    }
}
