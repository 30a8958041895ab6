//! Implicit hitting sets: the search tries the cheapest levels outside of all known failures.
//! Failing levels are raised as long as they fail, and then all levels below fail, too. Levels that
//! do not fail are an answer.
//!
//! By the laws of fences, orders and scopes, a weaker program fails if a stronger one does
//! (paper-notes/laws.md). Barriers and exchanges of statements have no such law. A failure of such
//! an edit only covers exactly this edit, so that the search stays complete.

use super::hitting::{Failing, NoMore, cheapest, cost};
use super::program::{Assignment, changed};
use super::property::{Asking, Fault, Probe, Property};
use super::site::{Place, Site};
use crate::budget::Deadline;
use crate::litmus::ast::Test;
use crate::solve::Why;
use crate::verdict::Undecided;
use std::collections::HashMap;

/// How far a search goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How much more than the cheapest answer others may cost.
    pub within: u32,
    /// How many answers are looked for.
    pub answers: usize,
}

/// The result of a search.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Levels with the property, the cheapest first. No answer is below another one.
    pub answers: Vec<Assignment>,
    /// Whether there may be more answers within the requested cost.
    pub more: bool,
    /// Undecided levels, with their cost and the reason.
    pub undecided: Vec<(u32, Undecided)>,
    /// Whether the search ended early.
    pub cut_off: bool,
    /// How many programs were looked at.
    pub programs: usize,
}

impl Found {
    /// Notes that the search ends before levels of this cost are looked at.
    fn cut_off(&mut self, cost: u32, why: Why) {
        self.cut_off = true;
        self.undecided.push((cost, Undecided::Engine(why)));
    }
}

/// How many programs are looked at.
const MOST_PROGRAMS: usize = 20_000;

/// How many barriers and exchanges of statements an answer has at most.
const MOST_EDITS: usize = 2;

/// A search for levels at which tests have a property.
pub struct Search<'a> {
    tests: &'a [Test],
    sites: &'a [Site],
    property: &'a Property,
    asking: Asking<'a>,
    /// The levels that need not be looked at: those that fail, and those of answers and above.
    done: Vec<Failing>,
    /// Those that fail by a law, with others that fail; some of [`Self::done`].
    failing: Vec<Failing>,
    holding: Vec<Assignment>,
    known: HashMap<Assignment, bool>,
    programs: usize,
}

impl<'a> Search<'a> {
    /// A search that has found nothing.
    #[must_use]
    pub fn new(
        tests: &'a [Test],
        sites: &'a [Site],
        property: &'a Property,
        asking: Asking<'a>,
    ) -> Self {
        let (done, failing, holding) = (Vec::new(), Vec::new(), Vec::new());
        let (known, programs) = (HashMap::new(), 0);
        Self { tests, sites, property, asking, done, failing, holding, known, programs }
    }

    /// The cheapest levels with the property, and further ones as requested.
    #[must_use]
    pub fn run(mut self, limits: Limits) -> Found {
        let mut found = Found::default();
        let mut best = None;
        loop {
            let levels = match cheapest(self.sites, &self.done) {
                Ok(levels) => levels,
                Err(NoMore::Exhausted) => break,
                Err(NoMore::TooMany) => {
                    found.cut_off(0, Why::Steps);
                    break;
                }
            };
            let cost = cost(self.sites, &levels);
            if best.is_some_and(|best: u32| cost > best.saturating_add(limits.within)) {
                break;
            }
            if found.answers.len() == limits.answers {
                found.more = true;
                break;
            }
            if self.programs >= MOST_PROGRAMS {
                found.cut_off(cost, Why::Steps);
                break;
            }
            if self.asking.end.is_some_and(Deadline::is_over) {
                found.cut_off(cost, Why::Timeout);
                break;
            }
            match self.tried(&levels) {
                Tried::Holds => {
                    best.get_or_insert(cost);
                    self.done.push(self.above(&levels));
                    found.answers.push(levels);
                }
                Tried::Fails(failing) => {
                    self.failing.push(failing.clone());
                    self.done.push(failing);
                }
                Tried::Passed(done) => self.done.push(done),
                Tried::Unknown(why) => {
                    self.done.push(exactly(&levels));
                    found.undecided.push((cost, why));
                }
            }
        }
        found.programs = self.programs;
        found
    }

    /// Checks levels; gives an answer or the levels that fail with them.
    fn tried(&mut self, levels: &Assignment) -> Tried {
        let edits = self.sites.iter().zip(levels).filter(|(site, level)| {
            **level > 0 && matches!(site.place, Place::Exchange(_) | Place::Meeting { .. })
        });
        if edits.count() > MOST_EDITS {
            return Tried::Passed(self.edits_above(levels));
        }
        if let Some(pair) = self.clash(levels) {
            return Tried::Passed(self.with_both(pair));
        }
        match self.fails(levels) {
            Ok(true) => return Tried::Fails(self.raised(levels)),
            Ok(false) => {}
            Err(why) => return Tried::Unknown(why),
        }
        self.programs += 1;
        let tests = self.program(levels);
        match self.property.confirm(&tests, self.asking) {
            Probe::Holds => Tried::Holds,
            Probe::Unknown(why) => Tried::Unknown(why),
            Probe::Fails(failure) => match failure.fault {
                Fault::Void(_) => Tried::Passed(exactly(levels)),
                _ => Tried::Fails(self.below(levels)),
            },
        }
    }

    /// The given levels, raised as far as they fail, with all levels below.
    fn raised(&mut self, levels: &Assignment) -> Failing {
        let mut now = levels.clone();
        let rises = |index: &usize| {
            let site = &self.sites[*index];
            site.is_lawful() && site.top() != usize::from(levels[*index])
        };
        let sites: Vec<usize> = (0..self.sites.len()).filter(rises).collect();
        self.raise(&mut now, &sites);
        self.below(&now)
    }

    /// Raises some sites as far as the failure persists: first all at once, else each half
    /// separately.
    fn raise(&mut self, now: &mut Assignment, sites: &[usize]) {
        if sites.is_empty() {
            return;
        }
        let mut all = now.clone();
        for &site in sites {
            all[site] = u8::try_from(self.sites[site].top()).unwrap_or(0);
        }
        if self.fails(&all) == Ok(true) {
            *now = all;
            return;
        }
        let &[one] = sites else {
            let (left, right) = sites.split_at(sites.len() / 2);
            self.raise(now, left);
            return self.raise(now, right);
        };
        let site = &self.sites[one];
        let from = usize::from(now[one]);
        let mut above: Vec<usize> =
            (0..site.levels.len()).filter(|&at| at != from && site.is_below(from, at)).collect();
        above.sort_by_key(|&at| std::cmp::Reverse(site.costs[at]));
        for at in above {
            let mut next = now.clone();
            next[one] = u8::try_from(at).unwrap_or(0);
            if self.fails(&next) == Ok(true) {
                *now = next;
                return;
            }
        }
    }

    /// Whether levels fail, according to the quick check.
    fn fails(&mut self, levels: &Assignment) -> Result<bool, Undecided> {
        if let Some(&known) = self.known.get(levels) {
            return Ok(known);
        }
        if self.failing.iter().any(|failing| failing.contains(levels)) {
            return Ok(true);
        }
        let is_above = |weaker: &Assignment| {
            let mut both = self.sites.iter().zip(weaker.iter().zip(levels));
            both.all(|(site, (&one, &other))| match site.is_lawful() {
                true => site.is_below(usize::from(one), usize::from(other)),
                false => one == other,
            })
        };
        if self.holding.iter().any(is_above) {
            return Ok(false);
        }
        self.programs += 1;
        let tests = self.program(levels);
        let fails = match self.property.hint(&tests, self.asking) {
            Probe::Fails(failure) if failure.fault.is_lawful() => true,
            Probe::Fails(_) | Probe::Holds => false,
            Probe::Unknown(why) => return Err(why),
        };
        if !fails {
            self.holding.push(levels.clone());
        }
        self.known.insert(levels.clone(), fails);
        Ok(fails)
    }

    fn program(&self, levels: &Assignment) -> Vec<Test> {
        self.tests.iter().map(|test| changed(test, self.sites, levels)).collect()
    }

    /// Levels with all that are below by a law.
    fn below(&self, levels: &Assignment) -> Failing {
        let all = self.sites.iter().zip(levels).map(|(site, &level)| match site.is_lawful() {
            true => bits(site, |at| site.is_below(at, usize::from(level))),
            false => 1 << level,
        });
        Failing(all.collect())
    }

    /// Levels with all that are above, whether by a law or since more is there.
    fn above(&self, levels: &Assignment) -> Failing {
        let all = self.sites.iter().zip(levels);
        Failing(
            all.map(|(site, &level)| bits(site, |at| site.is_below(usize::from(level), at)))
                .collect(),
        )
    }

    /// An exchange together with a change of a statement that it moves. Their combination is a
    /// different program than the two changes describe.
    fn clash(&self, levels: &Assignment) -> Option<[usize; 2]> {
        let is_changed = |&index: &usize| usize::from(levels[index]) != self.sites[index].written;
        let all: Vec<usize> = (0..self.sites.len()).filter(is_changed).collect();
        let exchanged = |index: usize| match &self.sites[index].place {
            Place::Exchange(at) => Some(at),
            _ => None,
        };
        all.iter().find_map(|&one| {
            let at = exchanged(one)?;
            let touched =
                |&&other: &&usize| other != one && self.sites[other].place.touches_exchange(at);
            all.iter().find(touched).map(|&other| [one, other])
        })
    }

    /// All levels at which both of two sites are changed.
    fn with_both(&self, pair: [usize; 2]) -> Failing {
        let changed = |(index, site): (usize, &Site)| match pair.contains(&index) {
            true => bits(site, |at| at != site.written),
            false => bits(site, |_| true),
        };
        Failing(self.sites.iter().enumerate().map(changed).collect())
    }

    /// All levels that include the edits of the given levels.
    fn edits_above(&self, levels: &Assignment) -> Failing {
        let all = self.sites.iter().zip(levels).map(|(site, &level)| match site.is_lawful() {
            true => bits(site, |_| true),
            false => bits(site, |at| site.is_below(usize::from(level), at)),
        });
        Failing(all.collect())
    }
}

/// The result of checking levels.
enum Tried {
    Holds,
    /// These levels fail, by the laws.
    Fails(Failing),
    /// These levels are no answers, though stronger or weaker ones may be.
    Passed(Failing),
    Unknown(Undecided),
}

/// The levels of a site that satisfy a predicate.
fn bits(site: &Site, holds: impl Fn(usize) -> bool) -> u64 {
    (0..site.levels.len()).filter(|&at| holds(at)).fold(0, |bits, at| bits | 1 << at)
}

/// Exactly these levels.
fn exactly(levels: &Assignment) -> Failing {
    Failing(levels.iter().map(|&level| 1 << level).collect())
}
