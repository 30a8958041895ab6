//! A missing link into the change of the program that would establish the link, with scope and position.

use super::statement::named;
use crate::advise::program::Strengthening;
use crate::defect::Defect;
use crate::event::graph::{EventGraph, EventKind, Operation};
use crate::id::EventId;
use crate::program::micro::TensorOp;
use crate::ptx::operation::{Order, Proxy, Scope};
use crate::race::NearMiss;
use crate::race::near::{How, Link};
use crate::source::Files;
use crate::waiting::barrier::BarrierKey;
use itertools::Itertools;

/// The change that would establish the link at `index` of a path, given one of the link's defects. Scopes
/// include the communicating threads.
#[must_use]
pub fn of_link(
    path: &NearMiss,
    index: usize,
    defect: Defect,
    graph: &EventGraph,
    files: &Files,
) -> String {
    let link = &path.links[index];
    let wanted = communication_scope(path, index, graph);
    let scope = wanted.to_string();
    let scope = scope.as_str();
    match defect {
        Defect::NoRelease => {
            let fence = format!("put `fence.acq_rel.{scope}` directly before it");
            with_order(path, link.to, Order::Release, wanted, graph, files, fence)
        }
        Defect::NoAcquire => {
            let fence = format!("put `fence.acq_rel.{scope}` directly behind it");
            with_order(path, link.from, Order::Acquire, wanted, graph, files, fence)
        }
        Defect::WeakAccess => {
            let subject = match (link.how, &changed_statements(link, defect, graph)[..]) {
                (How::Releases | How::Acquires, _) | (_, []) => "it".to_owned(),
                (_, weak) => {
                    let weak = weak.iter().map(|&id| named(id, graph, files));
                    weak.collect::<Vec<_>>().join(" and ")
                }
            };
            let operators = changed_statements(link, defect, graph);
            let operators = operators.iter().filter_map(|&id| cache_operator(id, graph, files));
            let place = operators.unique().map(|word| format!(", in place of `.{word}`"));
            format!("make {subject} `.relaxed.{scope}` or stronger{}", place.collect::<String>())
        }
        Defect::ScopeTooNarrow => {
            let narrow = changed_statements(link, defect, graph).into_iter();
            let narrow = narrow.filter(|&id| graph.event(id).scope.is_some_and(|own| own < wanted));
            let narrow: Vec<String> = narrow.map(|id| named(id, graph, files)).collect();
            match narrow.is_empty() {
                true => defect.cure().to_owned(),
                false => format!("widen to `.{scope}` the scope of {}", narrow.join(" and of ")),
            }
        }
        Defect::NoSequentialFence => {
            let scope = common_scope(link.from, link.to, graph);
            format!("put `fence.sc.{scope}` between the two accesses of each thread")
        }
        Defect::NotWaitedFor => match graph.operation_of(link.from) {
            Some(operation) => wait_for(operation, link.from).to_owned(),
            None => defect.cure().to_owned(),
        },
        Defect::NoTensorFence => match link.how {
            How::TensorAfter => {
                format!(
                    "put `tcgen05.fence::after_thread_sync` before {}",
                    named(link.to, graph, files)
                )
            }
            _ => "put `tcgen05.fence::before_thread_sync` directly before it".to_owned(),
        },
        Defect::UnorderingBarrier => match graph.barrier(link.from).map(|op| &op.key) {
            Some(BarrierKey::Exchange(_, mask, _)) => format!(
                "put `bar.warp.sync {mask:#x}` directly behind it in each thread that takes part, or \
                 synchronize through memory"
            ),
            _ => format!(
                "arrive with `.release`, put `fence.acq_rel.{}` before the arrival, or meet at a barrier that orders",
                common_scope(link.from, link.to, graph)
            ),
        },
        Defect::NoProxyFence => proxy_fence(path, graph, files),
        _ => defect.cure().to_owned(),
    }
}

/// The changes of orders and scopes that would establish the missing links of a path; `None` if some link
/// needs a different change, such as a fence.
#[must_use]
pub fn strengthenings(path: &NearMiss, graph: &EventGraph) -> Option<Vec<Strengthening>> {
    let mut out = Vec::new();
    for (index, link) in path.links.iter().enumerate() {
        for &defect in &link.missing {
            let order = match defect {
                Defect::NoRelease => Order::Release,
                Defect::NoAcquire => Order::Acquire,
                Defect::WeakAccess | Defect::ScopeTooNarrow => Order::Relaxed,
                _ => return None,
            };
            let scope = communication_scope(path, index, graph);
            for id in changed_statements(link, defect, graph) {
                let span = graph.event(id).span;
                takes_order(id, graph).then(|| out.push(Strengthening { span, order, scope }))?;
            }
        }
    }
    Some(out)
}

/// Whether the instruction of a statement can have a memory order.
fn takes_order(id: EventId, graph: &EventGraph) -> bool {
    let marks = graph.event(id).marks;
    !(marks.volatile || marks.mmio || marks.non_coherent || marks.mbarrier_tx)
}

/// The wait that would complete an operation, or its reads where only these are to be complete.
fn wait_for(operation: &Operation, awaited: EventId) -> &'static str {
    match operation.tensor.map(|kind| kind.op) {
        Some(TensorOp::Load) => "put `tcgen05.wait::ld.sync.aligned` between",
        Some(TensorOp::Store) => "put `tcgen05.wait::st.sync.aligned` between",
        Some(_) => "put `tcgen05.commit` to an mbarrier and a wait there between",
        None if operation.is_joint => "put `wgmma.commit_group` and `wgmma.wait_group 0` between",
        None if operation.parts.iter().any(|part| !part.signals.is_empty()) => {
            "wait at its mbarrier between"
        }
        None if operation.name == "cp.async" => "put `cp.async.wait_all` between",
        None if operation.reads_complete == Some(awaited) => {
            "put `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group.read 0` between"
        }
        None => {
            "put `cp.async.bulk.commit_group` and `cp.async.bulk.wait_group 0`, not `.read`, between"
        }
    }
}

/// The proxy fence and its position: a proxy fence affects the accesses of its own CTA (PTX-8.9.5).
fn proxy_fence(path: &NearMiss, graph: &EventGraph, files: &Files) -> String {
    let ends = [path.first, path.last];
    let [first, last] = ends.map(|id| graph.event(id).proxy);
    let from = named(path.first, graph, files);
    let thread = |id: EventId| graph.operation_of(id).map_or(id, |operation| operation.issue);
    let issue = named(thread(path.last), graph, files);
    let at = |id: EventId| graph.agents[graph.event(thread(id)).agent.index()].name.as_str();
    let into = || {
        format!(
            "put `fence.proxy.async` in the CTA of {}, behind what hands {from} over to it and before \
             {issue}",
            at(path.last)
        )
    };
    let out = || {
        format!(
            "put `fence.proxy.async` in the CTA of {}, behind the wait for {from} and before what hands it on",
            at(path.first)
        )
    };
    match (first, last) {
        (Proxy::Generic, Proxy::Async) if comes_before(path.first, thread(path.last), graph) => {
            format!("put `fence.proxy.async` between {from} and {issue}")
        }
        (Proxy::Generic, Proxy::Async) => into(),
        (Proxy::Async, Proxy::Generic) => out(),
        (Proxy::Async, Proxy::Async) => format!("{}, and {}", out(), into()),
        _ => Defect::NoProxyFence.cure().to_owned(),
    }
}

/// A memory order for the statement, if its instruction can have one, in a scope no narrower than the
/// present one; or a fence beside the statement. An atomic operation keeps the half that it has, or that
/// the path lacks besides.
fn with_order(
    path: &NearMiss,
    id: EventId,
    order: Order,
    wanted: Scope,
    graph: &EventGraph,
    files: &Files,
    fence: String,
) -> String {
    let event = graph.event(id);
    if !takes_order(id, graph) {
        return fence;
    }
    let own = event.scope.map_or(wanted, |own| own.max(wanted));
    let operator = cache_operator(id, graph, files);
    let place = operator.map_or_else(String::new, |word| format!(" in place of `.{word}`"));
    let order = if needs_both_halves(path, id, order, graph) { Order::AcqRel } else { order };
    format!("make it `.{order}.{own}`{place}, or {fence}")
}

/// Whether the statement of an event, which lacks one half of an order, has the other half or lacks it, too.
fn needs_both_halves(path: &NearMiss, id: EventId, lacks: Order, graph: &EventGraph) -> bool {
    let (half, defect) = match lacks {
        Order::Release => (Order::Acquire, Defect::NoAcquire),
        _ => (Order::Release, Defect::NoRelease),
    };
    let is_of_statement = |&other: &EventId| {
        let (own, other) = (graph.event(id), graph.event(other));
        (own.agent, own.span) == (other.agent, other.span)
    };
    let has = graph.ids().filter(is_of_statement).any(|other| {
        let event = graph.event(other);
        event.loc == graph.event(id).loc && event.order.is_some_and(|own| own.has_half(half))
    });
    let lacking = path.links.iter().filter(|link| link.missing.contains(&defect));
    let mut changed = lacking.flat_map(|link| changed_statements(link, defect, graph));
    has || changed.any(|other| is_of_statement(&other))
}

/// The statements that the repair of a link changes.
fn changed_statements(link: &Link, defect: Defect, graph: &EventGraph) -> Vec<EventId> {
    let ends = [link.from, link.to];
    match (defect, link.how) {
        (Defect::NoRelease, _) | (Defect::WeakAccess, How::Releases) => vec![link.to],
        (Defect::NoAcquire, _) | (Defect::WeakAccess, How::Acquires) => vec![link.from],
        (Defect::WeakAccess, _) => ends.into_iter().filter(|&id| is_weak(id, graph)).collect(),
        (Defect::ScopeTooNarrow, _) => ends.to_vec(),
        _ => Vec::new(),
    }
}

/// Statements of other threads with the same text as a changed statement, such as those of a lock's other
/// owners. Other executions need the same change there.
pub fn same_change_elsewhere(
    link: &Link,
    defect: Defect,
    graph: &EventGraph,
    files: &Files,
) -> Option<String> {
    let changed = changed_statements(link, defect, graph);
    let words =
        |id: EventId| files.text(graph.event(id).span).split_whitespace().collect::<Vec<_>>();
    let twins = graph.ids().filter(|&id| {
        let alike = |&of: &EventId| {
            let (own, other) = (graph.event(id), graph.event(of));
            own.span != other.span
                && own.kind == other.kind
                && own.loc == other.loc
                && words(id) == words(of)
        };
        !changed.contains(&id) && changed.iter().any(alike)
    });
    let twins: Vec<String> = twins.map(|id| named(id, graph, files)).unique().collect();
    (!twins.is_empty()).then(|| format!("for other executions likewise {}", twins.join(" and ")))
}

/// The cache operators of loads and stores (PTX-9.7.9.1).
const CACHE_OPERATORS: [&str; 7] = ["ca", "cg", "cs", "cv", "lu", "wb", "wt"];

/// The cache operator of a statement, which excludes a memory order.
fn cache_operator<'f>(id: EventId, graph: &EventGraph, files: &'f Files) -> Option<&'f str> {
    let opcode =
        files.text(graph.event(id).span).split_whitespace().find(|word| word.contains('.'))?;
    opcode.split('.').skip(1).find(|word| CACHE_OPERATORS.contains(word))
}

fn is_weak(id: EventId, graph: &EventGraph) -> bool {
    graph.event(id).order == Some(Order::Weak)
}

/// The narrowest scope that includes both ends of the communication to which a link belongs.
fn communication_scope(path: &NearMiss, index: usize, graph: &EventGraph) -> Scope {
    if path.links[index].how == How::FenceOrder {
        return common_scope(path.links[index].from, path.links[index].to, graph);
    }
    let communicates = |link: &&Link| link.how == How::Observes;
    let (before, from) = path.links.split_at(index);
    let next = match path.links[index].how {
        How::Acquires => before.iter().rev().find(communicates),
        _ => from.iter().find(communicates),
    };
    let (one, other) = next.map_or((path.first, path.last), |link| (link.from, link.to));
    common_scope(one, other, graph)
}

/// The narrowest scope that includes the threads of two events.
pub(super) fn common_scope(one: EventId, other: EventId, graph: &EventGraph) -> Scope {
    let place = |id: EventId| graph.agents[graph.event(id).agent.index()].site();
    let (Some(a), Some(b)) = (place(one), place(other)) else { return Scope::Sys };
    match () {
        () if a.gpu != b.gpu => Scope::Sys,
        () if (a.grid, a.cluster) != (b.grid, b.cluster) => Scope::Gpu,
        () if a.cta != b.cta => Scope::Cluster,
        () => Scope::Cta,
    }
}

/// The fences of the thread of an event that release or acquire.
pub(super) fn fences(
    of: EventId,
    order: Order,
    graph: &EventGraph,
) -> impl Iterator<Item = EventId> {
    graph.ids().filter(move |&id| {
        let event = graph.event(id);
        let is_such = event.order.is_some_and(|own| own.has_half(order));
        matches!(event.kind, EventKind::Fence(_))
            && !event.marks.mbarrier
            && is_such
            && event.agent == graph.event(of).agent
    })
}

/// Whether an event comes before another one in the code of one thread.
pub(super) fn comes_before(first: EventId, second: EventId, graph: &EventGraph) -> bool {
    let (first, second) = (graph.event(first), graph.event(second));
    first.agent == second.agent && first.position < second.position
}

/// The fence through which a write releases earlier accesses, or a read acquires for later ones; `None` if
/// the access is itself a release or an acquire.
#[must_use]
pub fn acting_fence(link: &Link, graph: &EventGraph) -> Option<EventId> {
    let (access, order) = match link.how {
        How::Releases => (link.to, Order::Release),
        How::Acquires => (link.from, Order::Acquire),
        _ => return None,
    };
    let own = graph.event(access).order;
    if own.is_some_and(|own| own.has_half(order)) {
        return None;
    }
    let between = |&fence: &EventId| match link.how {
        How::Releases => {
            comes_before(fence, access, graph) && !comes_before(fence, link.from, graph)
        }
        _ => comes_before(access, fence, graph) && !comes_before(link.to, fence, graph),
    };
    fences(access, order, graph).find(between)
}
