//! Features that a model has no clause for: a program that uses one is out of the model.
//!
//! A model covers a feature if its axioms mention it. Only models that tell proxies or scopes apart
//! are held to this: others, such as sequential consistency, cover every program.

use crate::event::base::base_set;
use crate::event::graph::{Event, EventGraph, EventKind, Violation};
use crate::id::{EventId, ExprId};
use crate::program::micro::{Restriction, TensorFence};
use crate::ptx::operation::{Proxy, ProxyFenceKind, Scope};
use crate::relation::expr::{Model, Node};
use crate::rule::Rule;
use crate::vocabulary::{BaseRel, BaseSet};
use crate::waiting::barrier::BarrierKey;
use rustc_hash::FxHashSet;

/// The uses of features that a model has no clause for, in order of events.
pub(super) fn uses(graph: &mut EventGraph, model: &Model) -> Vec<Violation> {
    let mentioned = Mentioned(model.mentioned());
    let is_generic = |event: &Event| event.proxy == Proxy::Generic;
    if mentioned.everything() && graph.events.iter().all(is_generic) {
        return Vec::new();
    }
    let events = graph.ids().filter_map(|id| {
        let event = graph.event(id);
        let lacking = || features(graph, id).into_iter().find(|f| mentioned.lacks(f));
        let unknown = mentioned.unknown_proxy(event);
        let rule = unknown.or_else(|| lacking().map(|feature| feature.rule()))?;
        Some(violation(graph, id, event.guard, rule))
    });
    let mut found: Vec<Violation> = events.collect();
    if mentioned.lacks(&API) {
        // An event that waits for a task is out of the model, whether the task is complete or not.
        found.extend(graph.api_edges.iter().map(|&(_, later)| {
            let guard = graph.event(later).guard;
            Violation { behind: Vec::new(), ..violation(graph, later, guard, API.rule()) }
        }));
    }
    if mentioned.lacks(&PARTIAL_OVERLAP) {
        found.extend(overlaps(graph, &PARTIAL_OVERLAP, |graph, a, b| {
            graph.access_of(a).range() != graph.access_of(b).range()
        }));
    }
    if mentioned.lacks(&ALIASES) {
        found.extend(overlaps(graph, &ALIASES, |graph, a, b| {
            graph.access_of(a).virt != graph.access_of(b).virt
        }));
    }
    found
}

/// The uses of such features by events that are all there already.
#[cfg(feature = "cli")]
pub(crate) fn lacking_features(graph: &EventGraph, model: &Model) -> Vec<Violation> {
    uses(&mut graph.clone(), model)
}

/// The names that the axioms of a model mention.
struct Mentioned<'m>(&'m FxHashSet<Node>);

impl Mentioned<'_> {
    fn set(&self, set: BaseSet) -> bool {
        self.0.contains(&Node::Set(set))
    }

    fn relation(&self, relation: BaseRel) -> bool {
        self.0.contains(&Node::Rel(relation))
    }

    /// Whether the model tells scopes apart, as all models of PTX do.
    fn has_scopes(&self) -> bool {
        self.relation(BaseRel::SameScope) || self.relation(BaseRel::Includes)
    }

    /// Whether a model of PTX has no clause for a feature.
    fn lacks(&self, feature: &Feature) -> bool {
        self.has_scopes() && !self.0.contains(&feature.told_by)
    }

    /// Whether no feature is unknown to the model.
    fn everything(&self) -> bool {
        !FEATURES.iter().any(|feature| self.lacks(feature))
    }

    /// The rule against a proxy that the model has no clause for (PTX-8.1).
    fn unknown_proxy(&self, event: &Event) -> Option<Rule> {
        let set = match event.proxy {
            Proxy::Generic => return None,
            Proxy::Async => BaseSet::Async,
            Proxy::Tensormap => BaseSet::Tensormap,
            Proxy::TensorMemory => BaseSet::TensorMemory,
            Proxy::Texture => BaseSet::Texture,
            Proxy::Surface => BaseSet::Surface,
            Proxy::Constant => BaseSet::Constant,
        };
        let told_apart = self.set(BaseSet::Generic) || self.has_scopes();
        let what = || format!("the {} proxy", event.proxy);
        let rule = || Rule::NoClause { what: what(), clause: "PTX-8.1", since: None };
        (told_apart && !self.set(set)).then(rule)
    }
}

/// A feature that a model may have no clause for.
struct Feature {
    what: &'static str,
    section: &'static str,
    /// The version of the ISA that introduced it, if known.
    since: Option<&'static str>,
    /// The name that a model with a clause for it mentions.
    told_by: Node,
}

impl Feature {
    const fn new(
        what: &'static str,
        section: &'static str,
        since: &'static str,
        told_by: Node,
    ) -> Self {
        Self { what, section, since: Some(since), told_by }
    }

    /// The rule that the model has no clause for the feature.
    fn rule(&self) -> Rule {
        let Self { what, section, since, .. } = *self;
        Rule::NoClause { what: what.to_owned(), clause: section, since }
    }
}

// A feature without a separate name is recognized by the name of a feature that came with it or
// later. One such feature is the barrier of a warp, which a model may know without treating it as
// synchronization.
const CLUSTER_SCOPE: Feature =
    Feature::new("the scope .cluster", "PTX-8.5", "7.8", Node::Rel(BaseRel::ClusterSync));
const CLUSTER_BARRIER: Feature =
    Feature::new("barrier.cluster", "PTX-9.7.13.3", "7.8", Node::Rel(BaseRel::ClusterSync));
const CLUSTER_MEMORY: Feature = Feature::new(
    "shared memory of another CTA",
    "PTX-2.2.2",
    "7.8",
    Node::Rel(BaseRel::ClusterSync),
);
const WARP_BARRIER: Feature =
    Feature::new("bar.warp.sync", "PTX-9.7.13.2", "6.0", Node::Rel(BaseRel::ClusterSync));
const MBARRIERS: Feature =
    Feature::new("mbarriers", "PTX-9.7.13.15", "7.0", Node::Set(BaseSet::Mbarrier));
const RESTRICTED_FENCE: Feature =
    Feature::new("sync_restrict", "PTX-9.7.13.4", "8.6", Node::Rel(BaseRel::Uncovered));
const INIT_FENCE: Feature =
    Feature::new("fence.mbarrier_init", "PTX-9.7.13.4", "8.0", Node::Rel(BaseRel::Uncovered));
const ASYNC_FENCE: Feature =
    Feature::new("fence.proxy.async", "PTX-9.7.13.4", "8.0", Node::Set(BaseSet::Async));
const TENSORMAP_FENCE: Feature =
    Feature::new("fence.proxy.tensormap", "PTX-9.7.13.4", "8.3", Node::Set(BaseSet::Async));
const ALIAS_FENCE: Feature =
    Feature::new("fence.proxy.alias", "PTX-9.7.13.4", "7.5", Node::Set(BaseSet::Alias));
const ORDERED_ALIAS_FENCE: Feature = Feature::new(
    "fence.proxy.alias with an order",
    "PTX-9.7.13.4",
    "9.4",
    Node::Set(BaseSet::ForReads),
);
const READ_FENCE: Feature = Feature::new(
    "a proxy fence for reads alone",
    "PTX-9.7.13.4",
    "9.4",
    Node::Set(BaseSet::ForReads),
);
const STRONG_COPY: Feature = Feature::new(
    "strong asynchronous copies",
    "PTX-9.7.9.25.4.1",
    "9.3",
    Node::Set(BaseSet::ForReads),
);
const MULTIMEM: Feature =
    Feature::new("multimem operations", "PTX-8.2.3", "8.1", Node::Set(BaseSet::Async));
const ASYNCHRONOUS: Feature =
    Feature::new("asynchronous operations", "PTX-8.9.1.1", "7.0", Node::Rel(BaseRel::Issue));
const WARPGROUPS: Feature =
    Feature::new("products of a warpgroup", "PTX-9.7.15", "8.0", Node::Rel(BaseRel::JointIssue));
const TENSOR_MEMORY: Feature =
    Feature::new("Tensor Memory", "PTX-9.7.16.6", "8.6", Node::Set(BaseSet::TensorMemory));
const ALIASES: Feature = Feature::new(
    "several virtual addresses of one location",
    "PTX-8.2.2",
    "7.5",
    Node::Rel(BaseRel::Vloc),
);
const PARTIAL_OVERLAP: Feature = Feature {
    what: "accesses that overlap in part",
    section: "PTX-8.2.1",
    since: None,
    told_by: Node::Rel(BaseRel::SameAccess),
};
const API: Feature = Feature {
    what: "the order of tasks",
    section: "PTX-8.9.4",
    since: None,
    told_by: Node::Rel(BaseRel::Api),
};

const FEATURES: &[&Feature] = &[
    &CLUSTER_SCOPE,
    &CLUSTER_BARRIER,
    &CLUSTER_MEMORY,
    &WARP_BARRIER,
    &MBARRIERS,
    &RESTRICTED_FENCE,
    &INIT_FENCE,
    &ASYNC_FENCE,
    &TENSORMAP_FENCE,
    &ALIAS_FENCE,
    &ORDERED_ALIAS_FENCE,
    &READ_FENCE,
    &STRONG_COPY,
    &MULTIMEM,
    &ASYNCHRONOUS,
    &WARPGROUPS,
    &TENSOR_MEMORY,
    &ALIASES,
    &PARTIAL_OVERLAP,
    &API,
];

/// The features that an event uses.
fn features(graph: &EventGraph, id: EventId) -> Vec<Feature> {
    let event = graph.event(id);
    let operation = match event.kind {
        _ if event.marks.mbarrier => Some(MBARRIERS),
        _ if event.marks.strong_copy => Some(STRONG_COPY),
        _ if event.marks.multimem => Some(MULTIMEM),
        EventKind::Fence(Restriction::None) => None,
        EventKind::Fence(Restriction::MbarrierInit) => Some(INIT_FENCE),
        EventKind::Fence(_) => Some(RESTRICTED_FENCE),
        EventKind::ProxyFence(kind) => proxy_fence(kind),
        EventKind::Barrier(index) => match graph.barriers[index].key {
            BarrierKey::Cluster(_) => Some(CLUSTER_BARRIER),
            BarrierKey::Warp(..) => Some(WARP_BARRIER),
            BarrierKey::Cta(..) | BarrierKey::Instance(..) | BarrierKey::Exchange(..) => None,
        },
        EventKind::TensorFence(TensorFence::Warpgroup) => Some(WARPGROUPS),
        EventKind::TensorFence(_) => Some(TENSOR_MEMORY),
        _ if event.proxy == Proxy::TensorMemory => Some(TENSOR_MEMORY),
        EventKind::Issue if graph.issues_jointly(id) => Some(WARPGROUPS),
        EventKind::Issue | EventKind::Await(_) | EventKind::Complete(_) => Some(ASYNCHRONOUS),
        EventKind::Init | EventKind::Read | EventKind::Write => None,
        EventKind::Boundary | EventKind::Launch => None,
    };
    let scope = (event.scope == Some(Scope::Cluster)).then_some(CLUSTER_SCOPE);
    let memory = base_set(graph, BaseSet::Peer).contains(id).then_some(CLUSTER_MEMORY);
    [operation, scope, memory].into_iter().flatten().collect()
}

/// The feature of a proxy fence; those of the literature are covered through their proxies.
fn proxy_fence(kind: ProxyFenceKind) -> Option<Feature> {
    match kind {
        ProxyFenceKind::Alias => Some(ALIAS_FENCE),
        ProxyFenceKind::Async(_) => Some(ASYNC_FENCE),
        ProxyFenceKind::TensormapRelease(_) | ProxyFenceKind::TensormapAcquire(_) => {
            Some(TENSORMAP_FENCE)
        }
        ProxyFenceKind::AsyncGenericAcquire | ProxyFenceKind::AsyncGenericRelease => {
            Some(RESTRICTED_FENCE)
        }
        ProxyFenceKind::AliasAcquire | ProxyFenceKind::AliasRelease => Some(ORDERED_ALIAS_FENCE),
        ProxyFenceKind::AsyncGenericReleaseReads => Some(READ_FENCE),
        ProxyFenceKind::Research(_) => None,
    }
}

/// Pairs of overlapping accesses with some relation, at least one of them a write, with the guard
/// that both happen.
fn overlaps(
    graph: &mut EventGraph,
    feature: &Feature,
    related: impl Fn(&EventGraph, EventId, EventId) -> bool,
) -> Vec<Violation> {
    let memory = |id: &EventId| {
        let event = graph.event(*id);
        event.is_memory() && event.kind != EventKind::Init
    };
    let memory: Vec<EventId> = graph.ids().filter(memory).collect();
    let mut found = Vec::new();
    for (index, &later) in memory.iter().enumerate() {
        let overlap = |&&earlier: &&EventId| {
            let [a, b] = [graph.event(earlier), graph.event(later)];
            a.loc == b.loc && (a.is_write() || b.is_write()) && related(graph, earlier, later)
        };
        let guards = memory[..index].iter().filter(overlap).map(|&e| graph.event(e).guard);
        let guards: Vec<ExprId> = guards.collect();
        let Some(other) = guards.into_iter().reduce(|a, b| graph.exprs.or(a, b)) else { continue };
        let guard = graph.exprs.and(graph.event(later).guard, other);
        found.push(violation(graph, later, guard, feature.rule()));
    }
    found
}

/// A violation at an event, which its thread reaches after its earlier barrier operations.
fn violation(graph: &EventGraph, id: EventId, guard: ExprId, rule: Rule) -> Violation {
    let event = graph.event(id);
    let barriers = graph.barriers.partition_point(|op| op.event < id).index();
    Violation {
        guard,
        span: event.span,
        rule: Some(rule),
        behind: vec![(event.agent, barriers)],
        ended: Vec::new(),
        position: None,
    }
}
