//! Budgets: limits on the work for a question, in steps and in time, with the clock that measures
//! time.
//!
//! Only the command line has a clock of its own. A budget without a clock limits steps alone, so
//! that answers depend on nothing but the question, and so that the library runs on targets without
//! a clock.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A clock: a function that gives the time since some fixed moment.
#[derive(Clone, Copy, Debug)]
pub struct Clock(fn() -> Duration);

impl Clock {
    /// The clock that `now` reads; its time must not decrease.
    #[must_use]
    pub const fn new(now: fn() -> Duration) -> Self {
        Self(now)
    }

    /// The monotonic clock of the system.
    ///
    /// Reading it panics on targets that have none, such as `wasm32-unknown-unknown`; a program for
    /// such a target provides another clock.
    #[must_use]
    pub const fn monotonic() -> Self {
        Self(since_first_asked)
    }

    /// The time since the clock's fixed moment.
    #[must_use]
    pub fn now(self) -> Duration {
        (self.0)()
    }
}

/// The time since the first call.
fn since_first_asked() -> Duration {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(Instant::now).elapsed()
}

impl PartialEq for Clock {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::fn_addr_eq(self.0, other.0)
    }
}

impl Eq for Clock {}

/// A moment by a clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    clock: Clock,
    at: Duration,
}

impl Deadline {
    /// The moment after a span of time from now.
    #[must_use]
    pub fn in_time(clock: Clock, time: Duration) -> Self {
        Self { clock, at: clock.now().saturating_add(time) }
    }

    /// Whether the moment has passed.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.clock.now() >= self.at
    }

    /// The time until the moment; zero when it has passed.
    #[must_use]
    pub fn left(self) -> Duration {
        self.at.saturating_sub(self.clock.now())
    }
}

/// Limits of one question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// Engine steps; `None` without a limit. For Z3 a step is several thousand of Z3's resource
    /// units, in each check.
    pub steps: Option<u64>,
    /// Milliseconds by the clock; `None` without a limit.
    pub(crate) milliseconds: Option<u64>,
    /// The clock; without one, time is not limited.
    pub(crate) clock: Option<Clock>,
}

impl Budget {
    /// The time limit for all secondary questions of a report together.
    pub(crate) const ASIDE_TOGETHER: Duration = Duration::from_secs(5);

    /// A budget without limits.
    #[must_use]
    pub const fn unlimited() -> Self {
        Self { steps: None, milliseconds: None, clock: None }
    }

    /// At most so many steps.
    #[must_use]
    pub const fn at_most(self, steps: u64) -> Self {
        let steps = match self.steps {
            Some(own) if own < steps => own,
            _ => steps,
        };
        Self { steps: Some(steps), ..self }
    }

    /// At most this long by a clock, such as [`Clock::monotonic`]. Questions that serve only a
    /// sentence of a report are then limited to some seconds, too.
    #[must_use]
    pub fn timed(self, clock: Clock, time: Duration) -> Self {
        self.measured_by(clock).within(time)
    }

    /// With a clock for questions with a separate time limit, such as questions for a single
    /// sentence of a report.
    #[must_use]
    pub fn measured_by(self, clock: Clock) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// At most this long, if there is a clock.
    #[must_use]
    pub(crate) fn within(self, time: Duration) -> Self {
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self { milliseconds: Some(self.milliseconds.map_or(time, |own| own.min(time))), ..self }
    }

    /// The budget of a secondary question.
    #[must_use]
    pub(crate) fn aside(self) -> Self {
        const STEPS: u64 = 5_000;
        self.at_most(STEPS).within(Duration::from_secs(1))
    }

    /// With the full time for each of so many questions.
    #[must_use]
    pub(crate) fn for_each_of(self, many: usize) -> Self {
        let milliseconds = self.milliseconds.map(|own| own.saturating_mul(many as u64));
        Self { milliseconds, ..self }
    }

    /// With an equal part of the time, for one of so many questions.
    #[must_use]
    pub(crate) fn shared_by(self, many: u64) -> Self {
        let milliseconds = self.milliseconds.map(|all| (all / many.max(1)).max(1));
        Self { milliseconds, ..self }
    }

    /// The deadline if time begins now; `None` without a limit or a clock.
    #[must_use]
    pub fn end(self) -> Option<Deadline> {
        self.deadline_in(Duration::from_millis(self.milliseconds?))
    }

    /// The moment after a span of time from now, if there is a clock.
    #[must_use]
    pub(crate) fn deadline_in(self, time: Duration) -> Option<Deadline> {
        Some(Deadline::in_time(self.clock?, time))
    }

    /// The rest of the budget before a deadline; `None` when it has passed.
    #[must_use]
    pub fn until(self, end: Option<Deadline>) -> Option<Self> {
        let Some(end) = end else { return Some(self) };
        let left = u64::try_from(end.left().as_millis()).unwrap_or(u64::MAX);
        (left > 0).then_some(Self { milliseconds: Some(left), ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn time_is_what_the_clock_says() {
        static NOW: AtomicU64 = AtomicU64::new(0);
        let clock = Clock::new(|| Duration::from_millis(NOW.load(Ordering::Relaxed)));
        let budget = Budget::default().timed(clock, Duration::from_millis(10));
        let end = budget.end();
        assert_eq!(budget.until(end), Some(budget));
        NOW.store(7, Ordering::Relaxed);
        assert_eq!(budget.until(end).and_then(|rest| rest.milliseconds), Some(3));
        NOW.store(10, Ordering::Relaxed);
        assert_eq!(budget.until(end), None);
        assert!(end.is_some_and(Deadline::is_over));
    }

    #[test]
    fn without_a_clock_there_is_no_limit_of_time() {
        let aside = Budget::default().aside();
        assert_eq!(aside.end(), None);
        assert!(aside.steps.is_some());
    }
}
