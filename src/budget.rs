//! Budgets: how much work a question is worth, in steps and in time, and the clock that measures time.
//!
//! Nothing below the command line has a clock of its own. A budget without one limits steps alone, so
//! that answers depend on nothing but the question, and so that the library runs where there is no clock.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// A clock: a function that tells how long it is since some moment which stays the same.
#[derive(Clone, Copy, Debug)]
pub struct Clock(fn() -> Duration);

impl Clock {
    /// The clock that `now` reads; what it tells must not become less.
    #[must_use]
    pub const fn new(now: fn() -> Duration) -> Self {
        Self(now)
    }

    /// The clock of the system, which is never set back.
    ///
    /// Reading it panics on targets that have none, such as `wasm32-unknown-unknown`; hand in another
    /// one there.
    #[must_use]
    pub const fn monotonic() -> Self {
        Self(since_first_asked)
    }

    /// How long it is since the clock's moment.
    #[must_use]
    pub fn now(self) -> Duration {
        (self.0)()
    }
}

/// How long it is since this was asked for the first time.
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

/// A moment at which time is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deadline {
    clock: Clock,
    at: Duration,
}

impl Deadline {
    /// The moment that comes in so long a time.
    #[must_use]
    pub fn in_time(clock: Clock, time: Duration) -> Self {
        Self { clock, at: clock.now().saturating_add(time) }
    }

    /// Whether it has come.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.clock.now() >= self.at
    }

    /// How long it is until then; zero when it has come.
    #[must_use]
    pub fn left(self) -> Duration {
        self.at.saturating_sub(self.clock.now())
    }
}

/// Limits of one question.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Budget {
    /// Engine steps; `None` without a limit of their own. For Z3 a step is some thousand units of its
    /// own measure, in each of its checks.
    pub steps: Option<u64>,
    /// Milliseconds by the clock; `None` without a limit.
    pub(crate) milliseconds: Option<u64>,
    /// What measures time; without it, time has no limits.
    pub(crate) clock: Option<Clock>,
}

impl Budget {
    /// How long all questions may take together that are asked beside the one that matters.
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

    /// At most this long by a clock, such as [`Clock::monotonic`]. Questions that are asked only for a
    /// sentence in a report keep to some seconds then, too.
    #[must_use]
    pub fn timed(self, clock: Clock, time: Duration) -> Self {
        self.measured_by(clock).within(time)
    }

    /// With a clock for those questions that limit their time by themselves: the ones that are asked
    /// only for a sentence in a report.
    #[must_use]
    pub fn measured_by(self, clock: Clock) -> Self {
        Self { clock: Some(clock), ..self }
    }

    /// At most this long, where there is a clock.
    #[must_use]
    pub(crate) fn within(self, time: Duration) -> Self {
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        Self { milliseconds: Some(self.milliseconds.map_or(time, |own| own.min(time))), ..self }
    }

    /// What a question is worth at most that is asked beside the one that matters.
    #[must_use]
    pub(crate) fn aside(self) -> Self {
        const STEPS: u64 = 5_000;
        self.at_most(STEPS).within(Duration::from_secs(1))
    }

    /// With as much time for each of so many as there is for one.
    #[must_use]
    pub(crate) fn for_each_of(self, many: usize) -> Self {
        let milliseconds = self.milliseconds.map(|own| own.saturating_mul(many as u64));
        Self { milliseconds, ..self }
    }

    /// An equal part of the time, for one of so many.
    #[must_use]
    pub(crate) fn shared_by(self, many: u64) -> Self {
        let milliseconds = self.milliseconds.map(|all| (all / many.max(1)).max(1));
        Self { milliseconds, ..self }
    }

    /// When the time is over, if it begins now; `None` without a limit or a clock.
    #[must_use]
    pub fn end(self) -> Option<Deadline> {
        self.deadline_in(Duration::from_millis(self.milliseconds?))
    }

    /// The moment that comes in so long a time, if there is a clock.
    #[must_use]
    pub(crate) fn deadline_in(self, time: Duration) -> Option<Deadline> {
        Some(Deadline::in_time(self.clock?, time))
    }

    /// What is left of it where the time ends then; `None` when it is over.
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
