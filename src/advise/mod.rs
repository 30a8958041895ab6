//! Advice on a test: the cheapest repairs of its program, or its weakest form. Repairs exclude an
//! outcome, all races or all hangs; the weakest form still excludes the outcome.
//!
//! A program is changed at [sites](site::Site): orders, scopes, fences, proxy fences, barriers, and
//! exchanges of a statement with a barrier. Every suggestion has been checked as `check` checks a
//! test. A check that exceeds its budget does not count as a success, and the answer mentions the
//! possible gap.

mod barriers;
pub mod cost;
mod defects;
pub mod hitting;
pub mod level;
mod place;
pub mod program;
pub mod property;
mod residency;
pub mod rewrite;
mod search;
pub mod site;

use crate::cat::BUILTIN;
use crate::check::{self, HangKind, Settings};
use crate::litmus::ast::Test;
use crate::race;
use crate::relation::expr::Model;
use crate::rule::Unsupported;
use crate::solve::{Engine, Pairs};
use crate::verdict::{Kind, Undecided, Verdict};
use cost::{Class, Costs};
use itertools::Itertools;
use program::{Assignment, changed};
use property::{Asking, Failure, Fault, Probe, Property};
use residency::residency;
use search::{Found, Search};
use site::{Site, TooMany};
use std::collections::BTreeSet;

pub use defects::defects;
pub use residency::Residency;
pub use search::Limits;

/// The goal of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The outcome in question is excluded.
    ExcludeOutcome,
    /// No two accesses race.
    ExcludeRaces,
    /// Every execution ends.
    ExcludeHangs,
    /// The program is as weak as possible. The outcome stays excluded, and no race or hang is
    /// added.
    Relax,
}

/// Tests about one program, and a goal.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// Tests with the same threads.
    pub tests: &'a [Test],
    /// The model.
    pub model: &'a Model,
    /// Who decides.
    pub engine: &'a dyn Engine,
    /// How tests are checked; the time of the budget is that of the whole advice.
    pub settings: Settings,
    /// The goal.
    pub wish: Wish,
    /// The costs of changes.
    pub costs: &'a Costs,
    /// How far to look.
    pub limits: Limits,
}

/// The answer.
#[derive(Clone, Debug)]
pub enum Advice {
    /// The program already has the property.
    Nothing,
    /// The program violates the property, so that there is nothing to relax.
    Fails(Box<Failure>),
    /// Changes to make.
    Sets(Box<Sets>),
    /// None of the considered changes is sufficient; without sets.
    None(Box<Sets>),
    /// The program has no meaning, or none of its executions ends, and no goal was given.
    Void(Box<Verdict>),
    /// The answer is unknown.
    Unknown(Undecided),
    /// There are too many sites.
    TooLarge(TooMany),
}

/// Sets of changes.
#[derive(Clone, Debug)]
pub struct Sets {
    /// What the program does that it must not do; `None` where it is relaxed.
    pub failure: Option<Box<Failure>>,
    /// Of a hang in which CTAs are not started, whether it goes away if all of them run at once.
    pub residency: Option<Residency>,
    /// The places that were looked at.
    pub sites: Vec<Site>,
    /// The sets, the cheapest first.
    pub sets: Vec<Set>,
    /// Whether there are more sets.
    pub more: bool,
    /// The cost of the original program above that of the weakest program considered.
    pub written: u32,
    /// The reason why a cheaper set may have been missed, with its cost.
    pub undecided: Option<(u32, Undecided)>,
    /// How many programs were looked at.
    pub programs: usize,
    /// How many barriers might be added in more ways than are looked at, so that none was.
    pub passed_over: usize,
    /// Whether the model is known to satisfy the laws that the search relies on. Otherwise the
    /// suggestions are correct, but a cheaper one may have been missed.
    pub lawful: bool,
}

impl Sets {
    /// The verdict by which the program means nothing or never ends, if that is what is wrong.
    #[must_use]
    pub fn void(&self) -> Option<Kind> {
        match self.failure.as_ref()?.fault {
            Fault::Void(kind) => Some(kind),
            Fault::Outcome | Fault::Race(_) | Fault::Hang => None,
        }
    }
}

/// Changes that will do together.
#[derive(Clone, Debug)]
pub struct Set {
    /// The cost of the levels above the first levels.
    pub cost: u32,
    /// The tests as changed.
    pub tests: Vec<Test>,
    /// The changes, by index of the site.
    pub changes: Vec<Change>,
    /// For a relaxed program, the kept levels, with the violations caused by weakening them.
    pub needed: Vec<Change>,
}

/// A change at a site.
#[derive(Clone, Debug)]
pub struct Change {
    /// The site, as an index.
    pub site: usize,
    /// The level before.
    pub from: usize,
    /// The level after.
    pub to: usize,
    /// The levels one step below, with the result of checking the property there.
    pub weaker: Vec<(usize, Probe)>,
}

/// Answers a question.
#[must_use]
pub fn advise(question: Question<'_>) -> Advice {
    let Question { tests, model, engine, settings, wish, costs, limits } = question;
    let end = settings.budget.end();
    let asking = Asking { model, engine, settings, end };
    let Some(first) = tests.first() else { return Advice::Nothing };
    let property = match property(question, asking) {
        Ok(property) => property,
        Err(why) => return Advice::Unknown(why),
    };
    let failure = match (property.confirm(tests, asking), wish) {
        (Probe::Unknown(why), _) => return Advice::Unknown(why),
        (Probe::Holds, Wish::Relax) => None,
        (Probe::Holds, _) => return Advice::Nothing,
        (Probe::Fails(failure), Wish::Relax) => return Advice::Fails(failure),
        (Probe::Fails(failure), _) => Some(failure),
    };
    let sites = match wish {
        Wish::Relax => site::weaker(first, costs),
        _ => site::stronger(first, costs),
    };
    let sites = match sites {
        Ok(sites) => sites,
        Err(why) => return Advice::TooLarge(why),
    };
    let residency =
        failure.as_ref().and_then(|failure| residency(tests, failure, &property, asking));
    let found = Search::new(tests, &sites, &property, asking).run(limits);
    sets(question, sites, (&property, asking), found, (failure, residency))
}

/// The property that a program must have.
fn property(question: Question<'_>, asking: Asking<'_>) -> Result<Property, Undecided> {
    let Question { tests, wish, .. } = question;
    let Asking { model, engine, .. } = asking;
    let race = Pairs::RACE;
    let knows_races = model.definition(race).is_some();
    Ok(match wish {
        Wish::ExcludeOutcome => {
            let ends = tests.iter().all(|test| never_hangs(test, asking));
            Property { excluded: true, races: None, ends }
        }
        Wish::ExcludeRaces if !knows_races => {
            return Err(Undecided::Unsupported(Unsupported::NoRelation(race)));
        }
        Wish::ExcludeRaces => {
            Property { excluded: false, races: Some(BTreeSet::new()), ends: false }
        }
        Wish::ExcludeHangs => Property { excluded: false, races: None, ends: true },
        Wish::Relax => {
            let (mut known, mut ends) = (BTreeSet::new(), true);
            for test in tests {
                let outcome = check::check(test, model, engine, asking.now());
                if knows_races {
                    let settings = asking.now().with_bound(outcome.bound);
                    match check::races(test, model, engine, settings) {
                        Ok((races, graph)) => {
                            known.extend(races.list.iter().map(|race| race::spans(&graph, race)));
                        }
                        Err(Verdict::Unknown(why)) => return Err(why),
                        Err(_) => {}
                    }
                }
                let hang = check::hang(test, model, engine, asking.now(), &outcome);
                match hang {
                    check::Hang::Unknown(why) => return Err(why),
                    hang => ends &= hang.kind() == HangKind::Never,
                }
            }
            Property { excluded: true, races: knows_races.then_some(known), ends }
        }
    })
}

/// Whether a test is known to end in every execution; a repair then may not change that.
fn never_hangs(test: &Test, asking: Asking<'_>) -> bool {
    let Asking { model, engine, .. } = asking;
    let outcome = check::check(test, model, engine, asking.now());
    let settings = asking.now().with_bound(outcome.bound);
    check::hang(test, model, engine, settings, &outcome).kind() == HangKind::Never
}

/// The answers of a search, with costs and explanations.
fn sets(
    question: Question<'_>,
    sites: Vec<Site>,
    (property, asking): (&Property, Asking<'_>),
    found: Found,
    (failure, residency): (Option<Box<Failure>>, Option<Residency>),
) -> Advice {
    let Question { tests, wish, model, .. } = question;
    let least = found.answers.first().map(|levels| hitting::cost(&sites, levels));
    let cheaper = |(cost, _): &&(u32, Undecided)| least.is_none_or(|least| *cost < least);
    // A search that ends early, or of all weakest programs, may have passed over dearer ones, too.
    let is_open = |one: &&(u32, Undecided)| found.cut_off || wish == Wish::Relax || cheaper(one);
    let undecided = found.undecided.iter().filter(is_open).min_by_key(|(cost, _)| *cost).cloned();
    let set = |levels: &Assignment| {
        let (mut changes, mut needed) = (Vec::new(), Vec::new());
        for (index, site) in sites.iter().enumerate() {
            let to = usize::from(levels[index]);
            let change = || {
                let weaker = weaker(property, asking, tests, &sites, levels, index);
                Change { site: index, from: site.written, to, weaker }
            };
            match (to == site.written, to > 0, wish) {
                (false, ..) => changes.push(change()),
                (true, true, Wish::Relax) => needed.push(change()),
                _ => {}
            }
        }
        let tests = tests.iter().map(|test| changed(test, &sites, levels)).collect();
        Set { cost: hitting::cost(&sites, levels), tests, changes, needed }
    };
    // Of repairs that cost the same, those come last that change what the program does in which order.
    let moves = |levels: &Assignment| {
        let is_move = |(index, site): &(usize, &Site)| {
            site.class == Class::Move && usize::from(levels[*index]) != site.written
        };
        sites.iter().enumerate().filter(is_move).count()
    };
    let order = |levels: &&Assignment| (hitting::cost(&sites, levels), moves(levels));
    let all: Vec<Set> = found.answers.iter().sorted_by_key(order).map(set).collect();
    let written: Assignment =
        sites.iter().map(|site| u8::try_from(site.written).unwrap_or(0)).collect();
    let written = hitting::cost(&sites, &written);
    let (more, programs) = (found.more, found.programs);
    let is_empty = all.is_empty();
    let passed_over = match (wish, tests.first()) {
        (Wish::Relax, _) | (_, None) => 0,
        (_, Some(test)) => site::passed_over(test),
    };
    let lawful = BUILTIN.iter().any(|builtin| builtin.name == model.name);
    let sets = Sets {
        failure,
        residency,
        sites,
        sets: all,
        more,
        written,
        undecided,
        programs,
        passed_over,
        lawful,
    };
    match (is_empty, &sets.undecided) {
        (false, _) => Advice::Sets(Box::new(sets)),
        (true, None) => Advice::None(Box::new(sets)),
        (true, Some((_, why))) => Advice::Unknown(why.clone()),
    }
}

/// The levels one step below one of the given levels, and the check results there.
fn weaker(
    property: &Property,
    asking: Asking<'_>,
    tests: &[Test],
    sites: &[Site],
    levels: &Assignment,
    index: usize,
) -> Vec<(usize, Probe)> {
    let site = &sites[index];
    let now = usize::from(levels[index]);
    let below: Vec<usize> =
        (0..site.levels.len()).filter(|&at| at != now && site.is_below(at, now)).collect();
    let is_next = |&at: &usize| !below.iter().any(|&other| other != at && site.is_below(at, other));
    let probe = |at: usize| {
        let mut levels = levels.clone();
        levels[index] = u8::try_from(at).unwrap_or(0);
        let tests: Vec<Test> = tests.iter().map(|test| changed(test, sites, &levels)).collect();
        match property.hint(&tests, asking) {
            fails @ Probe::Fails(_) => fails,
            Probe::Holds | Probe::Unknown(_) => property.confirm(&tests, asking),
        }
    };
    below.iter().copied().filter(is_next).map(|at| (at, probe(at))).collect()
}

/// The default goal for a verdict.
///
/// # Errors
/// The advice, if the verdict leaves no goal.
pub fn natural_wish(verdict: &Verdict) -> Result<Wish, Advice> {
    match verdict {
        Verdict::Allowed(_) => Ok(Wish::ExcludeOutcome),
        Verdict::Forbidden(_) => Ok(Wish::Relax),
        Verdict::Unknown(why) => Err(Advice::Unknown(why.clone())),
        other => Err(Advice::Void(Box::new(other.clone()))),
    }
}
