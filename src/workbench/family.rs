//! Both models ready to be searched, for each family of instructions that they speak of.
//!
//! Programs without some kind of instruction have fewer relations, and models are smaller for these:
//! a clause about fences is nothing in a program without fences. So there is a pair of models for
//! every set of kinds, made when the first program with these kinds is looked at.

use super::diff::Said;
use super::small::difference::Difference;
use super::small::label::{Label, labels, orders};
use super::small::pair::Pair;
use super::small::place::{Asked, Level, Placement, told_apart};
use super::small::realise::{Wording, text};
use super::small::search::Space;
use super::small::shape::{Alphabet, Kind, Op, Shape};
use super::small::skeleton::Skeleton;
use crate::batch::Judgement;
use crate::check::{Settings, check};
use crate::litmus::ast::Test;
use crate::litmus::parse::parse_bytes;
use crate::ptx::operation::Order;
use crate::relation::expr::{Model, Node};
use crate::solve::Engine;
use crate::source::Files;
use crate::verdict::Kind as VerdictKind;
use crate::vocabulary::BaseRel;
use std::sync::OnceLock;

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

/// How many instructions programs have at most with barriers, aliases or copied values, unless told.
pub(super) const SPECIAL_EVENTS: usize = 3;

/// A family with the data needed to search its programs.
pub(super) struct Prepared<'m> {
    pub(super) family: Family,
    pub(super) alphabet: Alphabet,
    /// The models for programs of all kinds of instructions of the family.
    pub(super) whole: Local,
    models: [&'m Model; 2],
    has_clusters: bool,
    /// How many threads programs have at most.
    most: usize,
    labels: Vec<Vec<Label>>,
    /// The models for programs of some kinds of instructions, by the set of these.
    locals: Vec<OnceLock<Local>>,
}

/// The models for programs of some kinds of instructions, and the placements that they tell apart.
pub(super) struct Local {
    pub(super) pair: Pair,
    placements: Vec<Vec<Placement>>,
}

impl Local {
    fn new(models: [&Model; 2], alphabet: &Alphabet, has_clusters: bool, threads: usize) -> Self {
        let pair = Pair::new(models, alphabet, has_clusters);
        let asked = Asked { has_clusters, ..pair.asked };
        let placements = (0..=threads).map(|threads| told_apart(threads, asked)).collect();
        Self { pair, placements }
    }
}

impl Prepared<'_> {
    /// The search space of a skeleton.
    pub(super) fn space(&self, skeleton: &Skeleton) -> Space<'_> {
        let has = |kind: Kind| skeleton.threads.iter().flatten().any(|&other| other == kind);
        let kinds: Vec<Kind> = self.alphabet.kinds.iter().copied().filter(|&k| has(k)).collect();
        let index: usize = kinds.iter().map(|&kind| 1 << kind as usize).sum();
        let local = self.locals[index].get_or_init(|| {
            let alphabet = Alphabet { kinds, ..self.alphabet.clone() };
            Local::new(self.models, &alphabet, self.has_clusters, self.most)
        });
        Space { pair: &local.pair, placements: &local.placements, labels: &self.labels }
    }

    /// The shapes of a skeleton that belong to the family.
    pub(super) fn shapes(&self, skeleton: &Skeleton) -> Vec<Shape> {
        let special = self.family != Family::Plain;
        let mut shapes = skeleton.shapes(&self.alphabet);
        shapes.retain(|shape| shape.is_special() == special);
        shapes
    }
}

/// Prepares the search for the families that the models mention, in so many threads, of the kinds of
/// instructions that are wanted; `outside` is given what one of them has no clause for.
pub(super) fn prepare<'m>(
    models: [&'m Model; 2],
    engine: &dyn Engine,
    settings: Settings,
    (threads, kinds): (usize, &[Kind]),
    outside: &mut Vec<String>,
) -> Vec<Prepared<'m>> {
    let known = Known::new(models, engine, settings, outside);
    let families = [Family::Plain, Family::Barriers, Family::Aliases, Family::Copies];
    families
        .into_iter()
        .filter_map(|family| one(models, (threads, kinds), &known, family))
        .collect()
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
    let judgement = Judgement { verdict, ..Judgement::failed(String::new(), None) };
    Some(Said::of(&judgement, model, test.quantifier))
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
            // A second address is only one of the program's features where something is written.
            let store = Op { kind: Kind::Store, alias: false, ..plain };
            let weak = Label { order: Some(Order::Weak), scope: None };
            let difference = Difference {
                shape: Shape { threads: vec![vec![store, plain]] },
                placement: Placement { of: vec![[0; 3]] },
                labels: vec![weak, label],
                reads: vec![0; usize::from(kind.reads())],
                finals: vec![0],
                allowed_by: 0,
            };
            let wording = Wording { name: "probe", about: "", metadata: &[], finals: &[] };
            let text = text(&difference, &wording);
            models.map(|model| {
                let said = verdict_of(engine, settings, model, &text);
                said.is_some_and(|said| said.kind != VerdictKind::OutOfModel)
            })
        };
        // What neither model has a clause for is no gap of the comparison.
        let mut both = |kind: Kind, label: Label, alias: bool, what: &str| {
            let speak = probe(kind, label, alias);
            if speak[0] != speak[1] {
                outside.push(what.to_owned());
            }
            speak == [true; 2]
        };
        let scoped = |kind: Kind, order: Order| match (kind, order) {
            (_, Order::Weak) => Label { order: Some(order), scope: None },
            (Kind::OrderedAliasFence, _) => {
                Label { order: Some(order), scope: Some(Level::System) }
            }
            _ => Label { order: Some(order), scope: Some(Level::Gpu) },
        };
        let mut known = Vec::new();
        for kind in Kind::ALL {
            let all = orders(kind);
            let mut has = |&order: &Order| {
                let what = format!("{}.{order}", kind.name());
                both(kind, scoped(kind, order), false, &what)
            };
            let has: Vec<Order> = all.iter().copied().filter(|order| has(order)).collect();
            let bare = Label { order: None, scope: None };
            if (all.is_empty() && both(kind, bare, false, kind.name())) || !has.is_empty() {
                known.push((kind, has));
            }
        }
        let cluster = Label { order: Some(Order::Relaxed), scope: Some(Level::Cluster) };
        let cluster_scope = both(Kind::Load, cluster, false, "scope .cluster");
        let weak = Label { order: Some(Order::Weak), scope: None };
        let aliases = both(Kind::Load, weak, true, "second addresses");
        Self { orders: known, cluster_scope, aliases }
    }

    fn has(&self, kind: Kind) -> bool {
        self.orders.iter().any(|(known, _)| *known == kind)
    }

    fn has_order(&self, kind: Kind, order: Order) -> bool {
        self.orders.iter().any(|(known, orders)| *known == kind && orders.contains(&order))
    }
}

/// The data needed for a family; `None` if the models do not mention it.
fn one<'m>(
    models: [&'m Model; 2],
    (threads, wanted): (usize, &[Kind]),
    known: &Known,
    family: Family,
) -> Option<Prepared<'m>> {
    let mentions = |node: Node| models.iter().any(|m| m.mentioned().contains(&node));
    let relation = |relation: BaseRel| mentions(Node::Rel(relation));
    let (own, aliases, copies): (&[Kind], bool, bool) = match family {
        Family::Plain => (&[], false, false),
        Family::Barriers => (&[Kind::CtaBarrier, Kind::ClusterBarrier], false, false),
        Family::Aliases => (&[Kind::AliasFence, Kind::OrderedAliasFence], known.aliases, false),
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
    let plain = plain.iter().filter(|kind| wanted.is_empty() || wanted.contains(kind));
    let kinds: Vec<Kind> = plain.chain(own).copied().filter(|&kind| known.has(kind)).collect();
    if !speaks {
        return None;
    }
    let alphabet = Alphabet { kinds, aliases, copies };
    let has_clusters = known.cluster_scope;
    let has = |kind: Kind, order: Order| known.has_order(kind, order);
    let labels = Kind::ALL.iter().map(|&kind| labels(kind, has_clusters, has)).collect();
    let whole = Local::new(models, &alphabet, has_clusters, threads);
    let locals = (0..1_usize << Kind::ALL.len()).map(|_| OnceLock::new()).collect();
    Some(Prepared { family, alphabet, whole, models, has_clusters, most: threads, labels, locals })
}
