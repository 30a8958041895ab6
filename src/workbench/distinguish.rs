//! The search for the smallest tests that distinguish two models, or for a size bound without such
//! tests.
//!
//! All programs of a size, in all placements, are checked before those of the next size. A
//! candidate becomes a test only if the pipeline gives different verdicts under the two models. A
//! mistake of the search may therefore miss a difference, but never invent one.

use super::diff::Said;
use super::small::difference::Difference;
use super::small::label::{Label, labels, orders};
use super::small::pair::Pair;
use super::small::place::{Asked, Level, Placement, told_apart};
use super::small::realise::{Wording, contested, text};
use super::small::search::{Effort, Space, differences};
use super::small::shape::{Alphabet, Kind, Op, Shape, shapes};
use crate::batch::{Judgement, in_order};
use crate::check::{Settings, check};
use crate::litmus::ast::Test;
use crate::litmus::parse::parse_bytes;
use crate::ptx::operation::Order;
use crate::relation::expr::{Model, Node};
use crate::solve::Engine;
use crate::source::Files;
use crate::verdict::Kind as VerdictKind;
use crate::vocabulary::BaseRel;
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
    /// The most instructions of programs with barriers, aliases or copied values.
    pub special_events: usize,
    /// How many threads programs have at most.
    pub threads: usize,
    /// How many tests are wanted.
    pub count: usize,
    /// The model that has to allow the outcome, if requested.
    pub allowed_by: Option<usize>,
    /// How many shapes are searched at a time.
    pub jobs: usize,
}

/// A test that tells the models apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distinction {
    /// The text of the test.
    pub text: String,
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

/// Instructions that programs are made of beside loads, stores, atomics, reductions and fences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// None.
    Plain,
    /// `bar.sync` and the barriers of clusters.
    Barriers,
    /// Second addresses of locations, and `fence.proxy.alias`.
    Aliases,
    /// Stores of read values.
    Copies,
}

impl Family {
    /// The instructions of the family; the other families add theirs to those of `Plain`.
    #[must_use]
    pub fn describe(self) -> &'static str {
        match self {
            Self::Plain => "loads, stores, atomics, reductions and fences",
            Self::Barriers => "barriers of CTAs and clusters",
            Self::Aliases => "aliases and their fences",
            Self::Copies => "stores of what was read",
        }
    }
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
    /// How many shapes were looked at.
    pub shapes: usize,
    /// How much work that was.
    pub effort: Effort,
    /// Outcomes that one model allows in an execution with given reads, although the pipeline finds
    /// no difference, since other executions have the same outcome.
    pub unconfirmed: usize,
    /// Instructions, orders and scopes that one of the models has no clause for.
    pub outside: Vec<String>,
}

/// A family with the data needed to search its programs.
pub(super) struct Prepared {
    pub(super) family: Family,
    pub(super) alphabet: Alphabet,
    pub(super) pair: Pair,
    placements: Vec<Vec<Placement>>,
    labels: Vec<Vec<Label>>,
}

impl Prepared {
    pub(super) fn space(&self) -> Space<'_> {
        let (placements, labels) = (self.placements.clone(), self.labels.clone());
        Space { pair: &self.pair, placements, labels }
    }
}

/// Prepares the search for those of the given families that the models mention.
pub(super) fn prepare_for(
    models: [&Model; 2],
    engine: &dyn Engine,
    settings: Settings,
    threads: usize,
    families: &[Family],
) -> Vec<Prepared> {
    let known = Known::new(models, engine, settings, &mut Vec::new());
    families.iter().filter_map(|&family| prepare(models, threads, &known, family)).collect()
}

/// Looks for tests that tell two models apart.
#[must_use]
pub fn distinguish(question: &Question<'_>) -> Answer {
    let mut answer = Answer { same_axioms: true, ..Answer::default() };
    let known =
        Known::new(question.models, question.engine, question.settings, &mut answer.outside);
    let families = [Family::Plain, Family::Barriers, Family::Aliases, Family::Copies];
    let (models, threads) = (question.models, question.threads);
    let families = families.into_iter().filter_map(|f| prepare(models, threads, &known, f));
    let families: Vec<Prepared> = families.collect();
    answer.covered = families.iter().map(|f| Covered { family: f.family, events: 0 }).collect();
    let mut keys = BTreeSet::new();
    for events in 1..=question.events {
        for threads in 1..=question.threads.min(events) {
            for prepared in &families {
                let is_plain = prepared.family == Family::Plain;
                if is_plain || events <= question.special_events {
                    group(question, prepared, (events, threads), &mut keys, &mut answer);
                }
            }
            answer.found.sort_by(|a, b| {
                (a.events, a.threads, &a.rank).cmp(&(b.events, b.threads, &b.rank))
            });
            if answer.found.len() >= question.count {
                answer.found.truncate(question.count);
                return answer;
            }
        }
        for (covered, prepared) in answer.covered.iter_mut().zip(&families) {
            if prepared.family == Family::Plain || events <= question.special_events {
                covered.events = events;
            }
        }
    }
    answer
}

/// How many shapes a worker takes at a time.
const CHUNK: usize = 64;

/// Searches the shapes of one family and size.
fn group(
    question: &Question<'_>,
    prepared: &Prepared,
    (events, threads): (usize, usize),
    keys: &mut BTreeSet<Vec<usize>>,
    answer: &mut Answer,
) {
    let special = prepared.family != Family::Plain;
    let mut list = shapes(events, threads, &prepared.alphabet);
    list.retain(|shape| shape.is_special() == special);
    answer.shapes += list.len();
    answer.same_axioms &= prepared.pair.is_one();
    if prepared.pair.is_one() {
        return;
    }
    let space = prepared.space();
    let chunks: Vec<&[Shape]> = list.chunks(CHUNK).collect();
    let work = |index: usize| {
        let mut results = Results::default();
        for shape in chunks[index] {
            one(question, &space, shape, &mut results);
        }
        results
    };
    in_order(chunks.len(), question.jobs, work, |_, results: Results| {
        answer.effort.candidates += results.effort.candidates;
        answer.effort.cells += results.effort.cells;
        answer.unconfirmed += results.unconfirmed;
        for found in results.found {
            if keys.insert(found.rank.key.clone()) {
                answer.found.push(found);
            }
        }
        ControlFlow::Continue(())
    });
}

#[derive(Default)]
struct Results {
    found: Vec<Distinction>,
    effort: Effort,
    unconfirmed: usize,
}

/// Searches one shape; keeps the requested number of its tests, the best first.
fn one(question: &Question<'_>, space: &Space<'_>, shape: &Shape, results: &mut Results) {
    let mut effort = Effort::default();
    let (mut found, mut unconfirmed): (Vec<Distinction>, usize) = (Vec::new(), 0);
    let mut visit = |difference: Difference| {
        if question.allowed_by.is_some_and(|side| side != difference.allowed_by) {
            return ControlFlow::Continue(());
        }
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
            }
            None => unconfirmed += 1,
        }
        ControlFlow::Continue(())
    };
    let _ = differences(space, shape, &mut effort, &mut visit);
    results.effort.candidates += effort.candidates;
    results.effort.cells += effort.cells;
    results.unconfirmed += unconfirmed;
    results.found.extend(found);
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

/// The verdict of a model on a test that the tool itself has written.
pub(super) fn verdict_of(
    engine: &dyn Engine,
    settings: Settings,
    model: &Model,
    text: &str,
) -> Option<Said> {
    let test = parsed(text)?;
    let verdict = check(&test, model, engine, settings).verdict;
    Some(Said::of(&Judgement { verdict, ..Judgement::failed(String::new(), None) }, model))
}

/// A test that the tool itself has written.
fn parsed(text: &str) -> Option<Test> {
    let parsed = parse_bytes(&mut Files::default(), "difference.litmus", text.as_bytes());
    parsed.tests.into_iter().next()
}

/// Which instructions both models have clauses for.
struct Known {
    /// The kinds with their orders.
    orders: Vec<(Kind, Vec<Order>)>,
    cluster_scope: bool,
    aliases: bool,
}

impl Known {
    fn new(
        models: [&Model; 2],
        engine: &dyn Engine,
        settings: Settings,
        outside: &mut Vec<String>,
    ) -> Self {
        let probe = |kind: Kind, label: Label, alias: bool| {
            let plain = Op { kind, loc: 0, alias, copies: None };
            let load = Op { kind: Kind::Load, alias: false, ..plain };
            let weak = Label { order: Some(Order::Weak), scope: None };
            let difference = Difference {
                shape: Shape { threads: vec![vec![load, plain]] },
                placement: Placement { of: vec![[0; 3]] },
                labels: vec![weak, label],
                reads: vec![0; 1 + usize::from(kind.reads())],
                finals: vec![0],
                allowed_by: 0,
            };
            let wording = Wording { name: "probe", about: "", metadata: &[], finals: &[] };
            let text = text(&difference, &wording);
            let speaks = |model: &Model| {
                let said = verdict_of(engine, settings, model, &text);
                said.is_some_and(|said| said.kind != VerdictKind::OutOfModel)
            };
            models.iter().all(|model| speaks(model))
        };
        let scoped = |kind: Kind, order: Order| match (kind, order) {
            (_, Order::Weak) => Label { order: Some(order), scope: None },
            _ => Label { order: Some(order), scope: Some(Level::Gpu) },
        };
        let mut known = Vec::new();
        for kind in Kind::ALL {
            let all = orders(kind);
            let has: Vec<Order> =
                all.iter().copied().filter(|&o| probe(kind, scoped(kind, o), false)).collect();
            for order in all.iter().filter(|order| !has.contains(order)) {
                outside.push(format!("{kind:?} {order:?}").to_lowercase());
            }
            let bare = Label { order: None, scope: None };
            if (all.is_empty() && probe(kind, bare, false)) || !has.is_empty() {
                known.push((kind, has));
            } else if all.is_empty() {
                outside.push(format!("{kind:?}").to_lowercase());
            }
        }
        let cluster = Label { order: Some(Order::Relaxed), scope: Some(Level::Cluster) };
        let cluster_scope = probe(Kind::Load, cluster, false);
        if !cluster_scope {
            outside.push("scope .cluster".to_owned());
        }
        let weak = Label { order: Some(Order::Weak), scope: None };
        Self { orders: known, cluster_scope, aliases: probe(Kind::Load, weak, true) }
    }

    fn has(&self, kind: Kind) -> bool {
        self.orders.iter().any(|(known, _)| *known == kind)
    }

    fn has_order(&self, kind: Kind, order: Order) -> bool {
        self.orders.iter().any(|(known, orders)| *known == kind && orders.contains(&order))
    }
}

/// The data needed for a family; `None` if the models do not mention it.
fn prepare(models: [&Model; 2], threads: usize, known: &Known, family: Family) -> Option<Prepared> {
    let mentions = |node: Node| models.iter().any(|m| m.mentioned().contains(&node));
    let relation = |relation: BaseRel| mentions(Node::Rel(relation));
    let (own, aliases, copies): (&[Kind], bool, bool) = match family {
        Family::Plain => (&[], false, false),
        Family::Barriers => (&[Kind::CtaBarrier, Kind::ClusterBarrier], false, false),
        Family::Aliases => (&[Kind::AliasFence], known.aliases, false),
        Family::Copies => (&[], false, true),
    };
    let speaks = match family {
        Family::Plain => true,
        Family::Barriers => relation(BaseRel::BarrierSync) || relation(BaseRel::ClusterSync),
        Family::Aliases => known.aliases && (relation(BaseRel::Vloc) || relation(BaseRel::Same)),
        Family::Copies => {
            [BaseRel::Dep, BaseRel::Data, BaseRel::ValueDep].into_iter().any(relation)
        }
    };
    let plain = [Kind::Load, Kind::Store, Kind::Atom, Kind::Red, Kind::Fence];
    let kinds: Vec<Kind> =
        plain.iter().chain(own).copied().filter(|&kind| known.has(kind)).collect();
    if !speaks {
        return None;
    }
    let alphabet = Alphabet { kinds, aliases, copies };
    let pair = Pair::new(models, &alphabet, known.cluster_scope);
    let asked = Asked { has_clusters: known.cluster_scope, ..pair.asked };
    let placements = (0..=threads).map(|threads| told_apart(threads, asked)).collect();
    let has = |kind: Kind, order: Order| known.has_order(kind, order);
    let labels = Kind::ALL.iter().map(|&kind| labels(kind, known.cluster_scope, has)).collect();
    Some(Prepared { family, alphabet, pair, placements, labels })
}
