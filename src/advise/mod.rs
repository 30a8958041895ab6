//! A test into advice: the cheapest changes of its program that exclude an outcome, its races or its
//! hangs; or the weakest program that still excludes it.
//!
//! A program is changed at [sites](site::Site): orders, scopes, fences, proxy fences, barriers, and
//! statements that change places with a barrier. Whatever is suggested has been checked as `check` checks
//! a test. Where a check runs out of its budget, that is no success, and what it may hide is said.

mod barriers;
pub mod cost;
mod defects;
pub mod hitting;
pub mod level;
mod place;
pub mod program;
pub mod property;
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
use crate::verdict::{Undecided, Verdict};
use cost::Costs;
use program::{Assignment, changed};
use property::{Asking, Failure, Probe, Property};
use search::{Found, Search};
use site::{Site, TooMany};
use std::collections::BTreeSet;

pub use defects::defects;
pub use search::Limits;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wish {
    /// That the outcome in question is excluded.
    ExcludeOutcome,
    /// That no two accesses race.
    ExcludeRaces,
    /// That every execution ends.
    ExcludeHangs,
    /// That the program is as weak as it may be: the outcome stays excluded, and no race or hang comes to
    /// it.
    Relax,
}

/// Tests about one program, and what is asked for.
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
    /// What is asked for.
    pub wish: Wish,
    /// What changes cost.
    pub costs: &'a Costs,
    /// How far to look.
    pub limits: Limits,
}

/// What there is to say.
#[derive(Clone, Debug)]
pub enum Advice {
    /// The program has the property as it is: there is nothing to repair.
    Nothing,
    /// It has not: there is nothing to relax.
    Fails(Box<Failure>),
    /// What to change.
    Sets(Sets),
    /// No change among those that were looked at will do.
    None(Sets),
    /// The program has no meaning, or no execution of it ends, and nobody said what is wished for.
    Void(Box<Verdict>),
    /// It is not known.
    Unknown(Undecided),
    /// There are too many places to look at.
    TooLarge(TooMany),
}

/// Sets of changes.
#[derive(Clone, Debug)]
pub struct Sets {
    /// The places that were looked at.
    pub sites: Vec<Site>,
    /// The sets, the cheapest first.
    pub sets: Vec<Set>,
    /// Whether there are more of them.
    pub more: bool,
    /// What the program as it is costs more than the weakest one that was looked at.
    pub written: u32,
    /// Why a cheaper set may have been passed over, with what it would cost.
    pub undecided: Option<(u32, Undecided)>,
    /// How many programs were looked at.
    pub programs: usize,
    /// How many barriers might be added in more ways than are looked at, so that none was.
    pub passed_over: usize,
    /// Whether the laws that the search rests on are known of the model: else what is suggested does, but
    /// something cheaper may have been passed over.
    pub lawful: bool,
}

/// Changes that will do together.
#[derive(Clone, Debug)]
pub struct Set {
    /// What the levels cost together, above the first levels.
    pub cost: u32,
    /// The tests as changed.
    pub tests: Vec<Test>,
    /// What is changed, by index of the site.
    pub changes: Vec<Change>,
    /// What goes wrong where something that is left is weakened, in a relaxed program.
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
    /// The levels one step below, with whether the program does what it must there.
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
    match (property.confirm(tests, asking), wish) {
        (Probe::Unknown(why), _) => return Advice::Unknown(why),
        (Probe::Holds, Wish::Relax) => {}
        (Probe::Holds, _) => return Advice::Nothing,
        (Probe::Fails(failure), Wish::Relax) => return Advice::Fails(failure),
        (Probe::Fails(_), _) => {}
    }
    let sites = match wish {
        Wish::Relax => site::weaker(first, costs),
        _ => site::stronger(first, costs),
    };
    let sites = match sites {
        Ok(sites) => sites,
        Err(why) => return Advice::TooLarge(why),
    };
    let found = Search::new(tests, &sites, &property, asking).run(limits);
    sets(question, sites, (&property, asking), found)
}

/// What a program must not do.
fn property(question: Question<'_>, asking: Asking<'_>) -> Result<Property, Undecided> {
    let Question { tests, wish, .. } = question;
    let Asking { model, engine, .. } = asking;
    let race = Pairs::Race.relation();
    let knows_races = model.definition(race).is_some();
    Ok(match wish {
        Wish::ExcludeOutcome => Property { excluded: true, races: None, ends: false },
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

/// The answers of a search with all that there is to say of them.
fn sets(
    question: Question<'_>,
    sites: Vec<Site>,
    (property, asking): (&Property, Asking<'_>),
    found: Found,
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
    let all: Vec<Set> = found.answers.iter().map(set).collect();
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
    let sets = Sets { sites, sets: all, more, written, undecided, programs, passed_over, lawful };
    match (is_empty, &sets.undecided) {
        (false, _) => Advice::Sets(sets),
        (true, None) => Advice::None(sets),
        (true, Some((_, why))) => Advice::Unknown(why.clone()),
    }
}

/// The levels one step below one of the levels, and what is known of the program there.
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

/// What a verdict leaves to be wished for, where nobody says.
///
/// # Errors
/// The advice where it leaves nothing.
pub fn natural_wish(verdict: &Verdict) -> Result<Wish, Advice> {
    match verdict {
        Verdict::Allowed(_) => Ok(Wish::ExcludeOutcome),
        Verdict::Forbidden(_) => Ok(Wish::Relax),
        Verdict::Unknown(why) => Err(Advice::Unknown(why.clone())),
        other => Err(Advice::Void(Box::new(other.clone()))),
    }
}
