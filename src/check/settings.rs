//! How a test is checked: bounds, budgets and readings.

use crate::event::unfold::Tearing;
#[cfg(doc)]
use crate::event::unfold::Unfolding;
use crate::program::reading::Readings;
use crate::progress::Progress;
use crate::solve::Budget;

/// The settings of a check. The default corresponds to the command without options.
///
/// ```
/// use ptxmc::{Budget, Settings};
///
/// let settings = Settings::default().with_bound(3).with_budget(Budget::default().at_most(100_000));
/// assert_eq!(settings.bound(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Settings {
    /// How often a loop body is executed at most.
    pub(crate) bound: u8,
    /// Whether the bound is raised for small programs if it cuts the answer off.
    pub(crate) raises: bool,
    /// Whether loops are abstracted by havoc ([`Unfolding::skips`]): set by `check` if the bound
    /// cuts the answer off.
    pub(crate) skips: bool,
    /// Whether rounds are left out though dependencies may be fewer with them
    /// ([`Unfolding::loose`]). Set by `check` if the bound cuts the answer off.
    pub(crate) loose: bool,
    /// Limits for each question to an engine.
    pub budget: Budget,
    /// Where accesses may tear.
    pub tearing: Tearing,
    /// The readings of the standard.
    pub readings: Readings,
    /// The progress that the scheduler owes threads; only hangs depend on it.
    pub progress: Progress,
}

impl Settings {
    /// How often a loop body is executed at most, before the bound is raised.
    #[must_use]
    pub fn bound(self) -> u8 {
        self.bound
    }

    /// With loop bodies executed at most so often. The default executes them twice, and in small
    /// programs up to four times if that decides a verdict.
    #[must_use]
    pub fn with_bound(self, bound: u8) -> Self {
        Self { bound, raises: false, ..self }
    }

    /// With these limits for each question to an engine.
    #[must_use]
    pub fn with_budget(self, budget: Budget) -> Self {
        Self { budget, ..self }
    }

    /// With accesses that may tear in this way.
    #[must_use]
    pub fn with_tearing(self, tearing: Tearing) -> Self {
        Self { tearing, ..self }
    }

    /// With these readings of the standard.
    #[must_use]
    pub fn with_readings(self, readings: Readings) -> Self {
        Self { readings, ..self }
    }

    /// With a scheduler that owes threads this progress.
    #[must_use]
    pub fn with_progress(self, progress: Progress) -> Self {
        Self { progress, ..self }
    }

    /// With loops abstracted by havoc, which `check` sets by itself.
    #[doc(hidden)]
    #[must_use]
    pub fn with_rounds_that_stand_for_more(self) -> Self {
        Self { skips: true, ..self }
    }
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            bound: 2,
            raises: true,
            skips: false,
            loose: false,
            budget: Budget::default(),
            tearing: Tearing::Overlap,
            readings: Readings::default(),
            progress: Progress::default(),
        }
    }
}
