//! The causes of a race (PTX-8.7.1): why two accesses are not ordered, found in an execution in
//! which they race.

use crate::bitrel::Rel;
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::build::Execution;
use crate::id::{EventId, NodeId};
use crate::ptx::operation::{Order, Proxy};
use crate::relation::eval::{Interpretation, Values, evaluate_roots};
use crate::relation::expr::Model;
use crate::vocabulary::BaseRel;
use crate::waiting::barrier::BarrierOp;

/// A reason why two accesses are not ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The access is weak, so it is morally strong with nothing in another thread (PTX-8.7).
    Weak(EventId),
    /// The scope of the first does not include the thread of the second (PTX-8.5).
    Scope(EventId, EventId),
    /// The accesses do not overlap completely (PTX-8.7).
    Overlap,
    /// Both are strong, but at different virtual addresses of one location (PTX-8.2.1, PTX-8.7).
    Address,
    /// The accesses use different proxies or virtual addresses, without a proxy fence between
    /// (PTX-8.9.5).
    Proxy {
        /// Whether program order relates the accesses, not synchronization.
        one_thread: bool,
        /// Whether only their virtual addresses differ, which takes `fence.proxy.alias`.
        alias: bool,
    },
    /// A release and an acquire pattern meet, but their ends are not morally strong (PTX-8.9.4).
    Ends(EventId, EventId),
    /// A read between the two accesses does not synchronize with a write between them.
    Link {
        /// The write, after the first access.
        write: EventId,
        /// The read of its location, before the other access.
        read: EventId,
        /// What the read sees of the write in this execution.
        seen: Observation,
        /// The reason why they do not synchronize.
        gap: Gap,
    },
    /// The access stands before the `griddepcontrol.wait` that would order it behind the other one
    /// (PTX-9.7.13.13).
    Early(EventId),
    /// Synchronization starts in the thread of the first access, but before this access
    /// (PTX-8.9.5).
    After {
        /// The access.
        access: EventId,
        /// The event where the synchronization starts.
        from: EventId,
        /// The event where it ends.
        to: EventId,
        /// The other access.
        last: EventId,
    },
    /// Synchronization leads from another thread of the first access's CTA to an event before the
    /// last access (PTX-8.9.5). Nothing orders the first access before this synchronization.
    NotBefore {
        /// The first access.
        access: EventId,
        /// The event where the synchronization starts.
        from: EventId,
        /// The event where it ends.
        to: EventId,
    },
    /// An event after the first access lies in another thread of the last access's CTA (PTX-8.9.5).
    /// Nothing orders the event before the last access.
    NotBehind {
        /// The first access.
        access: EventId,
        /// The event that follows the first access.
        to: EventId,
        /// The last access.
        last: EventId,
    },
    /// No synchronization leads from one to the other (PTX-8.9.5).
    Synchronization,
}

impl Missing {
    /// Whether the links of the path that comes closest to an order say the same, if there is one.
    #[must_use]
    pub fn is_told_by_path(&self) -> bool {
        match self {
            Self::Overlap | Self::Address | Self::Ends(..) | Self::Early(_) => false,
            Self::After { .. } | Self::NotBefore { .. } | Self::NotBehind { .. } => false,
            Self::Link { gap, .. } => !matches!(gap, Gap::Uncovered { .. }),
            Self::Weak(_) | Self::Scope(..) | Self::Proxy { .. } | Self::Synchronization => true,
        }
    }

    /// A name that is stable across versions.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Weak(_) => "weak-access",
            Self::Scope(..) => "scope-excludes-the-other-thread",
            Self::Overlap => "partial-overlap",
            Self::Address => "other-virtual-address",
            Self::Proxy { alias: true, .. } => "no-alias-fence",
            Self::Proxy { alias: false, .. } => "no-proxy-fence",
            Self::Ends(..) => "pattern-ends-not-morally-strong",
            Self::Link { gap, .. } => gap.code(),
            Self::Early(_) => "before-grid-dependency-wait",
            Self::After { .. } | Self::NotBefore { .. } | Self::NotBehind { .. } => {
                "on-the-wrong-side-of-the-synchronization"
            }
            Self::Synchronization => "no-synchronization",
        }
    }
}

/// The reason why a read does not synchronize with a write (PTX-8.9.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gap {
    /// The write is weak.
    WeakWrite,
    /// The read is weak.
    WeakRead,
    /// The scope of the write does not include the thread of the read (PTX-8.5).
    ScopeOfWrite,
    /// The scope of the read does not include the thread of the write (PTX-8.5).
    ScopeOfRead,
    /// No release pattern after the first access ends in the write (PTX-8.8).
    Release,
    /// No acquire pattern before the other access starts from the read (PTX-8.8).
    Acquire,
    /// As [`Gap::Acquire`], for the read of a `red`, which starts no pattern.
    Reduction,
    /// As [`Gap::Acquire`], for the read of an arrival on an mbarrier, which starts no pattern;
    /// waits do.
    Arrival,
    /// A fence of one of the patterns is limited to some objects and does not cover the access
    /// (PTX-9.7.13.4).
    Uncovered {
        /// The fence.
        fence: EventId,
        /// The access.
        access: EventId,
    },
    /// The read reads from another write in this execution; otherwise the two would synchronize.
    Unread,
}

impl Gap {
    /// A name that is stable across versions.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::WeakWrite | Self::WeakRead => "weak-synchronization",
            Self::ScopeOfWrite | Self::ScopeOfRead => "scope-excludes-the-other-thread",
            Self::Release => "no-release",
            Self::Acquire => "no-acquire",
            Self::Reduction => "order-through-reduction",
            Self::Arrival => "order-through-arrival",
            Self::Uncovered { .. } => "restricted-fence",
            Self::Unread => "no-synchronization",
        }
    }
}

/// The definitions of a model that tell what is missing between two accesses.
const NAMES: [&str; 8] = [
    "base-causality",
    "pattern-sync",
    "release-acquire",
    "synchronizes",
    "observation",
    "release-pattern",
    "acquire-pattern",
    "acquire-start",
];

/// These definitions in an execution.
pub(super) struct Orders {
    values: Values,
    nodes: [Option<NodeId>; NAMES.len()],
}

impl Orders {
    pub(super) fn new(model: &Model, execution: &Execution<'_>) -> Self {
        let nodes = NAMES.map(|name| model.definition(name));
        let roots: Vec<NodeId> = nodes.iter().flatten().copied().collect();
        Self { values: evaluate_roots(&model.arena, &roots, execution), nodes }
    }

    fn node(&self, name: &str) -> Option<NodeId> {
        NAMES.iter().position(|known| *known == name).and_then(|at| self.nodes[at])
    }

    /// The relation of a name, if the model defines it.
    fn relation(&self, name: &str) -> Option<&Rel> {
        self.node(name).map(|node| self.values.relation(node))
    }
}

/// The reasons why two racing events are neither morally strong nor ordered by causality.
pub(super) fn missing(
    execution: &Execution<'_>,
    orders: &Orders,
    (a, b): (EventId, EventId),
) -> Vec<Missing> {
    let graph = execution.graph;
    let strong = |id: EventId| is_strong(graph, id);
    let one_thread = graph.event(a).agent == graph.event(b).agent;
    let mut out = Vec::new();
    // Accesses of one thread at one address are morally strong.
    if !one_thread {
        out.extend([a, b].into_iter().filter(|&e| !strong(e)).map(Missing::Weak));
    }
    if strong(a) && strong(b) {
        out.extend(narrow_scopes(graph, a, b));
    }
    let (first, second) = (graph.access_of(a), graph.access_of(b));
    if first.range() != second.range() {
        out.push(Missing::Overlap);
    } else if (one_thread || strong(a) && strong(b)) && first.virt != second.virt {
        out.push(Missing::Address);
    }
    let before = orders.relation("base-causality");
    if before.is_some_and(|before| before.contains(a, b) || before.contains(b, a)) {
        let generic = [a, b].iter().all(|&e| graph.event(e).proxy == Proxy::Generic);
        out.push(Missing::Proxy { one_thread, alias: generic && first.virt != second.virt });
        return out;
    }
    if let Some((from, to)) = near_synchronization(execution, orders, (a, b)) {
        out.push(Missing::Ends(from, to));
        out.extend(narrow_scopes(graph, from, to));
        return out;
    }
    if let Some(early) = early(execution, a, b).or_else(|| early(execution, b, a)) {
        out.push(early);
        return out;
    }
    let both = [(a, b), (b, a)];
    let links = |seen: Observation| {
        let mut found = both.iter().map(|&ends| missing_links(execution, orders, ends, seen));
        found.find(|links| !links.is_empty())
    };
    let late = |kind: &str| {
        let missing = too_late(execution, orders, (a, b), kind);
        missing.map(|missing| vec![missing])
    };
    let elsewhere = || {
        let found = both.iter().find_map(|&ends| of_another_thread(execution, orders, ends));
        found.map(|missing| vec![missing])
    };
    let found = links(Observation::Observed)
        .or_else(|| links(Observation::Read))
        .or_else(|| late("release-acquire"))
        .or_else(|| links(Observation::Unread))
        .or_else(|| late("synchronizes"))
        .or_else(elsewhere);
    out.extend(found.unwrap_or_else(|| vec![Missing::Synchronization]));
    out
}

/// The scopes of two events that do not include the thread of the other one (PTX-8.5).
fn narrow_scopes(
    graph: &EventGraph,
    a: EventId,
    b: EventId,
) -> impl Iterator<Item = Missing> + use<> {
    let includes = crate::event::base::base_relation(graph, BaseRel::Includes);
    let pairs = [(a, b), (b, a)].map(|(x, y)| (!includes.contains(x, y)).then_some((x, y)));
    pairs.into_iter().flatten().map(|(x, y)| Missing::Scope(x, y))
}

/// Synchronization that would order two accesses if one of them came before its start. Among
/// several, the synchronization that the access follows most closely.
fn too_late(
    execution: &Execution<'_>,
    orders: &Orders,
    (a, b): (EventId, EventId),
    kind: &str,
) -> Option<Missing> {
    let graph = execution.graph;
    let (synchronizes, before) = (orders.relation(kind)?, orders.relation("base-causality")?);
    let po = execution.relation(BaseRel::Po);
    let agent = |id: EventId| graph.event(id).agent;
    let steps = |from: EventId, to: EventId| {
        let between = |&id: &EventId| po.contains(from, id) && po.contains(id, to);
        graph.ids().filter(between).count()
    };
    let both = [(a, b), (b, a)].into_iter().flat_map(|(access, last)| {
        let reaches = move |to: EventId| to == last || before.contains(to, last);
        let pairs = synchronizes.iter_pairs().filter(move |&(from, to)| {
            po.contains(from, access) && reaches(to) && agent(to) == agent(last)
        });
        pairs.map(move |(from, to)| (access, from, to, last))
    });
    let nearest =
        both.min_by_key(|&(access, from, to, last)| (steps(from, access), steps(to, last)));
    nearest.map(|(access, from, to, last)| Missing::After { access, from, to, last })
}

/// A wait for the task of an access that comes only after the thread's own access.
fn early(execution: &Execution<'_>, before: EventId, access: EventId) -> Option<Missing> {
    let graph = execution.graph;
    let agent = |id: EventId| graph.event(id).agent;
    let po = execution.relation(BaseRel::Po);
    let is_late = |&(_, wait): &(EventId, EventId)| {
        graph.event(wait).kind == EventKind::Boundary && po.contains(access, wait)
    };
    let mut edges = graph.api_edges.iter().filter(|&&(earlier, _)| agent(earlier) == agent(before));
    edges.any(is_late).then_some(Missing::Early(access))
}

/// Base causality that reaches the last access's CTA or starts in the first access's CTA, but in
/// another thread.
fn of_another_thread(
    execution: &Execution<'_>,
    orders: &Orders,
    (first, last): (EventId, EventId),
) -> Option<Missing> {
    let graph = execution.graph;
    let synchronizes = orders.relation("synchronizes")?;
    let before = orders.relation("base-causality")?;
    let agent = |id: EventId| graph.event(id).agent;
    let cta = |id: EventId| crate::event::base::cta_of(graph, id);
    // Unrelated threads of a CTA meet the accesses at its barriers.
    let are_near = |x: EventId, y: EventId| agent(x) != agent(y) && cta(x) == cta(y);
    let far = || {
        synchronizes
            .iter_pairs()
            .filter(|&(from, to)| cta(from) != cta(to) || graph.barrier(from).is_none())
    };
    let released = far().find(|&(from, to)| {
        agent(to) == agent(last) && before.contains(to, last) && are_near(first, from)
    });
    if let Some((from, to)) = released {
        return Some(Missing::NotBefore { access: first, from, to });
    }
    let acquired = far().find(|&(from, to)| {
        (from == first || before.contains(first, from))
            && are_near(to, last)
            && agent(from) == agent(first)
    });
    acquired.map(|(_, to)| Missing::NotBehind { access: first, to, last })
}

/// The missing parts of synchronization through a write after the first access and a read before
/// the last one. The read observes the write, reads from it, or at least might.
fn missing_links(
    execution: &Execution<'_>,
    orders: &Orders,
    (first, last): (EventId, EventId),
    seen: Observation,
) -> Vec<Missing> {
    let graph = execution.graph;
    let names = ["observation", "release-pattern", "acquire-pattern", "base-causality"];
    // Causality includes barriers and API calls.
    let [Some(observation), Some(release), Some(acquire), Some(ordered)] =
        names.map(|name| orders.relation(name))
    else {
        return Vec::new();
    };
    let starting = orders.node("acquire-start").map(|node| orders.values.set(node));
    let pairs = match seen {
        Observation::Observed => observation.clone(),
        Observation::Read => execution.relation(BaseRel::Rf).clone(),
        Observation::Unread => execution.relation(BaseRel::Loc).clone(),
    };
    // Flags are mostly strong, data mostly weak.
    let count_weak = |&(write, read): &(EventId, EventId)| {
        [write, read].into_iter().filter(|&id| !is_strong(graph, id)).count()
    };
    let agent = |id: EventId| graph.event(id).agent;
    let meet = |x: EventId, y: EventId| {
        let of = |op: &BarrierOp, id: EventId| agent(op.event) == agent(id);
        let mut here = graph.barriers.iter().filter(|op| of(op, x));
        here.any(|op| graph.barriers.iter().any(|other| other.key == op.key && of(other, y)))
    };
    let within = |&(write, read): &(EventId, EventId)| {
        let (x, y) = (graph.event(write), graph.event(read));
        let others = x.agent != y.agent && x.is_write() && y.is_read();
        // Weak data is not taken for a flag in a CTA whose barriers order the two threads.
        let flags =
            seen != Observation::Unread || !meet(write, read) || count_weak(&(write, read)) == 0;
        others
            && flags
            && ordered.contains(first, write)
            && ordered.contains(read, last)
            && !ordered.contains(write, read)
    };
    let away = |&(write, read): &(EventId, EventId)| {
        usize::from(agent(write) != agent(first)) + usize::from(agent(read) != agent(last))
    };
    let found = pairs.iter_pairs().filter(within).min_by_key(|pair| (count_weak(pair), away(pair)));
    let Some((write, read)) = found else { return Vec::new() };
    let before = |x: EventId, y: EventId| x == y || ordered.contains(x, y);
    let released = release.iter_pairs().any(|(x, y)| y == write && before(first, x));
    let acquired = acquire.iter_pairs().any(|(x, y)| x == read && before(y, last));
    let mut gaps =
        if seen == Observation::Observed { Vec::new() } else { unobserved(graph, write, read) };
    if gaps.is_empty() {
        let starts = starting.is_none_or(|starts| starts.contains(read));
        let marks = graph.event(read).marks;
        let acquire = match starts {
            false if marks.red => Gap::Reduction,
            false if marks.mbarrier && marks.rmw => Gap::Arrival,
            _ => Gap::Acquire,
        };
        let patterns = [(released, Gap::Release), (acquired, acquire)];
        gaps.extend(patterns.into_iter().filter(|(there, _)| !there).map(|(_, gap)| gap));
    }
    if gaps.is_empty() {
        let uncovered = execution.relation(BaseRel::Uncovered);
        let of = |end: EventId, pattern: (EventId, EventId)| match pattern {
            (fence, other) | (other, fence) if other == end => Some(fence),
            _ => None,
        };
        let releases = release.iter_pairs().filter_map(|pair| of(write, pair));
        let acquires = acquire.iter_pairs().filter_map(|pair| of(read, pair));
        let limits = releases
            .filter(|&fence| uncovered.contains(first, fence))
            .map(|fence| Gap::Uncovered { fence, access: first });
        let behind = acquires
            .filter(|&fence| uncovered.contains(fence, last))
            .map(|fence| Gap::Uncovered { fence, access: last });
        gaps.extend(limits.chain(behind).take(1));
    }
    if gaps.is_empty() && seen == Observation::Unread {
        gaps.push(Gap::Unread);
    }
    let reads = execution.relation(BaseRel::Rf).contains(write, read);
    let seen = if reads { Observation::Read } else { seen };
    gaps.into_iter().map(|gap| Missing::Link { write, read, seen, gap }).collect()
}

/// What a read sees of a write of its location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Observation {
    /// What atomic operations made of its value (PTX-8.9.2).
    Observed,
    /// Its value.
    Read,
    /// Nothing in this execution.
    Unread,
}

/// The reasons, in strength and scopes, why a read does not observe the write that it reads from.
fn unobserved(graph: &EventGraph, write: EventId, read: EventId) -> Vec<Gap> {
    let includes = crate::event::base::base_relation(graph, BaseRel::Includes);
    let weak = [(write, Gap::WeakWrite), (read, Gap::WeakRead)];
    let weak: Vec<Gap> =
        weak.into_iter().filter(|&(e, _)| !is_strong(graph, e)).map(|(_, gap)| gap).collect();
    if !weak.is_empty() {
        return weak;
    }
    let narrow = [(write, read, Gap::ScopeOfWrite), (read, write, Gap::ScopeOfRead)];
    narrow.into_iter().filter(|&(x, y, _)| !includes.contains(x, y)).map(|(.., gap)| gap).collect()
}

/// Whether an access is strong (PTX-8.4).
fn is_strong(graph: &EventGraph, id: EventId) -> bool {
    graph.event(id).order.is_some_and(|order| order != Order::Weak)
}

/// Patterns between the two accesses that meet without being morally strong.
fn near_synchronization(
    execution: &Execution<'_>,
    orders: &Orders,
    (a, b): (EventId, EventId),
) -> Option<(EventId, EventId)> {
    let patterns = orders.relation("pattern-sync")?;
    let synchronizes = orders.relation("release-acquire")?;
    let po = execution.relation(BaseRel::Po);
    let before = |x: EventId, y: EventId| x == y || po.contains(x, y);
    let between = |first, x, y, last| before(first, x) && before(y, last);
    patterns.iter_pairs().find(|&(x, y)| {
        (between(a, x, y, b) || between(b, x, y, a)) && !synchronizes.contains(x, y)
    })
}
