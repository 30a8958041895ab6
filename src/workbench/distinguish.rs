//! The search for the smallest tests that distinguish two models, or for a size bound without such
//! tests.
//!
//! All programs of a size, in all placements, are checked before those of the next size. A
//! candidate becomes a test only if the pipeline gives different verdicts under the two models. A
//! mistake of the search may therefore miss a difference, but never invent one.

use super::diff::Said;
use super::family::{Family, Prepared, SPECIAL_EVENTS, prepare, verdict_of};
use super::small::cell::Cell;
use super::small::difference::Difference;
use super::small::label::Label;
use super::small::outline;
use super::small::part::Ceiling;
use super::small::realise::{Wording, contested, text};
use super::small::search::{Effort, Smaller, Sought, Space, differences, is_needless};
use super::small::shape::{Kind, Op, Shape};
use super::small::skeleton::{Skeleton, skeletons};
use crate::batch::in_order;
use crate::check::Settings;
use crate::relation::expr::Model;
use crate::solve::Engine;
use crate::verdict::Kind as VerdictKind;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

/// The parameters of the search.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The models.
    pub models: [&'a Model; 2],
    /// The engine that decides tests.
    pub engine: &'a dyn Engine,
    /// How tests are decided.
    pub settings: Settings,
    /// How many instructions programs have at most.
    pub events: usize,
    /// The most instructions of programs with barriers, aliases or copied values; unless given, a few, or
    /// as many as others where the models are the same for programs without these.
    pub special_events: Option<usize>,
    /// The kinds of instructions beside barriers and fences of aliases; none is no limit.
    pub kinds: &'a [Kind],
    /// How many threads programs have at most.
    pub threads: usize,
    /// How many tests are wanted.
    pub count: usize,
    /// The model that has to allow the outcome, if requested.
    pub allowed_by: Option<usize>,
    /// How many skeletons are searched at a time.
    pub jobs: usize,
    /// How many sets of programs are looked at; the search ends behind the group in which it
    /// reaches this number.
    pub budget: u64,
}

/// A test that tells the models apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinction {
    /// The text of the test.
    pub text: String,
    /// The text of the test without expectations.
    pub text_without_expectations: String,
    /// The number of instructions.
    pub events: usize,
    /// How many threads.
    pub threads: usize,
    /// The verdict of each model.
    pub said: [Said; 2],
    rank: Rank,
}

/// The rank of a test: fewer places first, then stronger labels, then by text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    special: bool,
    parts: usize,
    weakness: usize,
    key: Vec<usize>,
}

/// The exhaustively checked programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covered {
    /// The instructions.
    pub family: Family,
    /// How many instructions programs have at most; 0 where none were looked at.
    pub events: usize,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Tests that tell the models apart, the smallest first.
    pub found: Vec<Distinction>,
    /// The sizes up to which all programs were looked at.
    pub covered: Vec<Covered>,
    /// Whether the axioms of both models are the same expressions for all programs in question.
    pub same_axioms: bool,
    /// How many skeletons were looked at.
    pub skeletons: usize,
    /// How many skeletons were not looked at, since their programs have more events than are evaluated.
    /// Their sizes are not among those covered.
    pub too_large: usize,
    /// How many shapes were looked at: those of skeletons on which the models may differ.
    pub shapes: usize,
    /// How much work that was.
    pub effort: Effort,
    /// Whether the budget was over before all programs of the sizes in question were looked at. Then
    /// tests of the size behind those covered may be missing, or not be the smallest.
    pub is_cut: bool,
    /// Outcomes that one model allows in an execution with given reads, although the pipeline finds
    /// no difference, since other executions have the same outcome.
    pub unconfirmed: usize,
    /// Instructions, orders and scopes that one of the models has no clause for.
    pub outside: Vec<String>,
    /// The instructions that programs have beside barriers and fences of aliases; none is no limit.
    pub only: Vec<&'static str>,
}

/// Looks for tests that tell two models apart.
#[must_use]
pub fn distinguish(question: &Question<'_>) -> Answer {
    let only = question.kinds.iter().map(|kind| kind.name()).collect();
    let mut answer = Answer { same_axioms: true, only, ..Answer::default() };
    let (models, threads) = (question.models, question.threads);
    let (engine, settings) = (question.engine, question.settings);
    let families =
        prepare(models, engine, settings, (threads, question.kinds), &mut answer.outside);
    let special_events = special_events(question, &families);
    answer.covered = families.iter().map(|f| Covered { family: f.family, events: 0 }).collect();
    let mut keys = BTreeSet::new();
    let mut smaller = Smaller::Executions;
    for events in 1..=question.events {
        for threads in 1..=question.threads.min(events) {
            let size = Size { events, threads, smaller };
            for prepared in &families {
                let is_plain = prepared.family == Family::Plain;
                if (is_plain || events <= special_events)
                    && !group(question, prepared, size, &mut keys, &mut answer)
                {
                    answer.is_cut = true;
                    break;
                }
            }
            answer.found.sort_by(|a, b| {
                (a.events, a.threads, &a.rank).cmp(&(b.events, b.threads, &b.rank))
            });
            if answer.found.len() >= question.count || answer.is_cut {
                answer.found.truncate(question.count);
                return answer;
            }
        }
        if answer.effort.disputes > 0 || answer.too_large > 0 {
            smaller = Smaller::Outcomes;
        }
        if answer.too_large > 0 {
            continue;
        }
        for (covered, prepared) in answer.covered.iter_mut().zip(&families) {
            if prepared.family == Family::Plain || events <= special_events {
                covered.events = events;
            }
        }
    }
    answer
}

/// The same for a question.
fn special_events(question: &Question<'_>, families: &[Prepared<'_>]) -> usize {
    let mut plain = families.iter().filter(|prepared| prepared.family == Family::Plain);
    let only_special = plain.all(|prepared| prepared.whole.pair.is_one());
    let usual = if only_special { question.events } else { SPECIAL_EVENTS };
    question.special_events.unwrap_or(usual)
}

/// Which programs are looked at.
#[derive(Clone, Copy)]
struct Size {
    events: usize,
    threads: usize,
    /// What is known of those with fewer instructions.
    smaller: Smaller,
}

/// How many skeletons a worker takes at a time.
const CHUNK: usize = 16;

/// How many chunks are searched before what they show is used.
const FIRST_CHUNKS: usize = 4;

/// Searches the programs of one family and size; whether all were looked at.
fn group(
    question: &Question<'_>,
    prepared: &Prepared<'_>,
    size: Size,
    keys: &mut BTreeSet<Vec<usize>>,
    answer: &mut Answer,
) -> bool {
    let mut list = skeletons(size.events, size.threads, &prepared.alphabet);
    answer.same_axioms &= prepared.whole.pair.is_one();
    answer.skeletons += list.len();
    if prepared.whole.pair.is_one() {
        return true;
    }
    let all = list.len();
    list.retain(Skeleton::fits);
    answer.too_large += all - list.len();
    let mut chunks: &[&[Skeleton]] = &list.chunks(CHUNK).collect::<Vec<_>>();
    let mut count = FIRST_CHUNKS;
    // What is found in some chunks limits the search in the next ones. How many these are depends on
    // nothing else, so that the answer is the same at any number of workers.
    while !chunks.is_empty() {
        let (now, later) = chunks.split_at(count.min(chunks.len()));
        if !wave(question, prepared, size, now, keys, answer) {
            return false;
        }
        (chunks, count) = (later, 2 * count);
    }
    true
}

/// Searches some chunks of skeletons; whether all were looked at.
fn wave(
    question: &Question<'_>,
    prepared: &Prepared<'_>,
    size: Size,
    chunks: &[&[Skeleton]],
    keys: &mut BTreeSet<Vec<usize>>,
    answer: &mut Answer,
) -> bool {
    let left = question.budget.saturating_sub(answer.effort.cells);
    let mut ranks: Vec<&Rank> = answer
        .found
        .iter()
        .filter(|found| (found.events, found.threads) == (size.events, size.threads))
        .map(|found| &found.rank)
        .collect();
    ranks.sort();
    let before = answer.found.len() - ranks.len();
    let worst = question.count.checked_sub(before + 1).and_then(|at| ranks.get(at).copied());
    let work = |index: usize| {
        let (worst, wanted) = (worst.cloned(), question.count);
        let effort = Effort::up_to(left);
        let smaller = size.smaller;
        let (found, shapes, unconfirmed) = (Vec::new(), 0, 0);
        let mut results = Results { worst, wanted, smaller, found, shapes, effort, unconfirmed };
        for skeleton in chunks[index] {
            bones(question, prepared, skeleton, &mut results);
        }
        results
    };
    let mut all: Vec<Results> = Vec::new();
    let mut cells = answer.effort.cells;
    let mut is_whole = true;
    in_order(chunks.len(), question.jobs, work, |_, results: Results| {
        cells += results.effort.cells;
        is_whole = !results.effort.is_over() && cells < question.budget;
        all.push(results);
        if is_whole { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    });
    for results in all {
        answer.shapes += results.shapes;
        answer.effort.candidates += results.effort.candidates;
        answer.effort.cells += results.effort.cells;
        answer.effort.disputes += results.effort.disputes;
        answer.unconfirmed += results.unconfirmed;
        for found in results.found {
            if keys.insert(found.rank.key.clone()) {
                answer.found.push(found);
            }
        }
    }
    is_whole
}

struct Results {
    /// The rank that tests have to be below.
    worst: Option<Rank>,
    /// How many tests are wanted.
    wanted: usize,
    smaller: Smaller,
    /// The best tests, at most the requested number.
    found: Vec<Distinction>,
    shapes: usize,
    effort: Effort,
    unconfirmed: usize,
}

/// The ranks of further tests that are wanted.
enum RankLimit {
    /// No further test is wanted.
    NoneWanted,
    /// Tests at or below a ceiling are wanted.
    AtMost(Ceiling),
    /// Every test is wanted.
    Unlimited,
}

impl Results {
    /// The wanted ranks of programs with special instructions, or of programs without.
    fn limit(&self, special: bool) -> RankLimit {
        let own = self.found.last().filter(|_| self.found.len() >= self.wanted);
        let ranks = own.map(|worst| &worst.rank).into_iter().chain(&self.worst);
        match ranks.min() {
            Some(rank) if special && !rank.special => RankLimit::NoneWanted,
            Some(rank) if rank.special == special => RankLimit::AtMost(rank.ceiling()),
            _ => RankLimit::Unlimited,
        }
    }
}

impl Rank {
    fn ceiling(&self) -> Ceiling {
        Ceiling { parts: self.parts, weakness: self.weakness }
    }
}

/// Searches the shapes of a skeleton, unless its outline shows that the models agree.
fn bones(
    question: &Question<'_>,
    prepared: &Prepared<'_>,
    skeleton: &Skeleton,
    results: &mut Results,
) {
    let space = prepared.space(skeleton);
    if space.pair.is_one() || results.effort.is_over() {
        return;
    }
    let special = prepared.family != Family::Plain;
    let ceiling = match results.limit(special) {
        RankLimit::AtMost(ceiling) => Some(ceiling),
        RankLimit::Unlimited => None,
        RankLimit::NoneWanted => return,
    };
    let sought = Sought { smaller: results.smaller, ceiling, allowed_by: question.allowed_by };
    let mut shapes = prepared.shapes(skeleton);
    let effort = &mut results.effort;
    if results.smaller == Smaller::Outcomes && skeleton.has_lone_access() {
        shapes.retain(|shape| !is_needless(space, shape, effort));
    }
    if shapes.is_empty() {
        return;
    }
    let cell = outline::contested(space, skeleton, &prepared.alphabet, sought, effort);
    if cell.is_void() {
        return;
    }
    for shape in shapes {
        results.shapes += 1;
        one(question, &space, &shape, &cell, results);
    }
}

/// Searches one shape; keeps the requested number of tests, the best first.
fn one(
    question: &Question<'_>,
    space: &Space<'_>,
    shape: &Shape,
    cell: &Cell<'_>,
    results: &mut Results,
) {
    let ceiling = match results.limit(shape.is_special()) {
        RankLimit::AtMost(ceiling) => Some(ceiling),
        RankLimit::Unlimited => None,
        RankLimit::NoneWanted => return,
    };
    let sought = Sought { smaller: results.smaller, ceiling, allowed_by: question.allowed_by };
    let Results { found, effort, unconfirmed, .. } = results;
    let mut visit = |difference: Difference, ceiling: &mut Option<Ceiling>| {
        let rank = rank(&difference, space);
        let full = found.len() >= question.count;
        let known = found.iter().any(|other| other.rank.key == rank.key);
        if known || (full && found.last().is_some_and(|worst| worst.rank <= rank)) {
            return ControlFlow::Continue(());
        }
        match confirm(question, &difference, rank) {
            Some(distinction) => {
                found.push(distinction);
                found.sort_by(|a, b| a.rank.cmp(&b.rank));
                found.truncate(question.count);
                if found.len() >= question.count {
                    let worst = found.last().map(|worst| worst.rank.ceiling());
                    *ceiling = (*ceiling).into_iter().chain(worst).min();
                }
            }
            None => *unconfirmed += 1,
        }
        ControlFlow::Continue(())
    };
    let _ = differences(*space, shape, cell, sought, effort, &mut visit);
}

fn rank(difference: &Difference, space: &Space<'_>) -> Rank {
    let weakness = |((_, op), label): ((usize, Op), &Label)| {
        space.labels[op.kind as usize].iter().position(|other| other == label).unwrap_or_default()
    };
    let labels = difference.shape.ops().zip(&difference.labels);
    Rank {
        special: difference.shape.is_special(),
        parts: difference.placement.parts(),
        weakness: labels.map(weakness).sum(),
        key: difference.key(),
    }
}

/// The test of a difference, if the pipeline gives the verdicts that the search expects.
fn confirm(question: &Question<'_>, difference: &Difference, rank: Rank) -> Option<Distinction> {
    let shape = &difference.shape;
    let mut finals = contested(shape);
    let said = verdicts(question, difference, &finals)?;
    // The condition says no more than it has to.
    for loc in 0..finals.len() {
        if std::mem::take(&mut finals[loc]) && verdicts(question, difference, &finals).is_none() {
            finals[loc] = true;
        }
    }
    let metadata =
        |(model, said): (&&Model, &Said)| format!("Expect[{}]={}", model.name, said.kind.name());
    let metadata: Vec<String> = question.models.iter().zip(&said).map(metadata).collect();
    let about = about(question, difference, &said);
    let wording =
        Wording { name: "difference", about: &about, metadata: &metadata, finals: &finals };
    Some(Distinction {
        text: text(difference, &wording),
        text_without_expectations: text(difference, &Wording { metadata: &[], ..wording }),
        events: shape.ops().count(),
        threads: shape.threads.len(),
        said,
        rank,
    })
}

/// The cause of the difference, in one sentence.
fn about(question: &Question<'_>, difference: &Difference, said: &[Said; 2]) -> String {
    let allows = difference.allowed_by;
    let axioms = said[1 - allows].axioms.join(" and ");
    let by = if axioms.is_empty() { String::new() } else { format!(" by {axioms}") };
    let (yes, no) = (&question.models[allows].name, &question.models[1 - allows].name);
    format!("Allowed by {yes}; {no} forbids it{by}.")
}

/// The verdicts of both models, if one allows the outcome and the other forbids it.
fn verdicts(
    question: &Question<'_>,
    difference: &Difference,
    finals: &[bool],
) -> Option<[Said; 2]> {
    let wording = Wording { name: "difference", about: "", metadata: &[], finals };
    let text = text(difference, &wording);
    let of = |model| verdict_of(question.engine, question.settings, model, &text);
    let [one, other] = question.models.map(of);
    let said = [one?, other?];
    let allows = difference.allowed_by;
    let fits = said[allows].kind == VerdictKind::Allowed
        && said[1 - allows].kind == VerdictKind::Forbidden;
    fits.then_some(said)
}
