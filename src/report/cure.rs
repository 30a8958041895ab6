//! A missing link into what would make it hold: the change, written out with its scope and its place, and
//! the fences that are there and do not count.

use super::statement::named;
use crate::defect::Defect;
use crate::event::base::{cta_of, shared_of};
use crate::event::graph::{EventGraph, EventKind};
use crate::id::EventId;
use crate::ptx::operation::{Order, ProxyFenceKind, Scope, Space};
use crate::race::NearMiss;
use crate::race::near::{How, Link};
use crate::source::Files;

/// What would make the link at `index` of a path hold, given one of its defects; scopes include the threads
/// that communicate.
#[must_use]
pub fn of(
    path: &NearMiss,
    index: usize,
    defect: Defect,
    graph: &EventGraph,
    files: &Files,
) -> String {
    let link = &path.links[index];
    let wanted = scope(path, index, graph);
    let scope = wanted.to_string();
    let scope = scope.as_str();
    match defect {
        Defect::NoRelease => qualified(link.to, "release", scope, graph, "before"),
        Defect::NoAcquire => qualified(link.from, "acquire", scope, graph, "behind"),
        Defect::WeakAccess => {
            let weak = [link.from, link.to].into_iter().filter(|&id| is_weak(id, graph));
            let weak: Vec<String> = weak.map(|id| named(id, graph, files)).collect();
            match (&weak[..], link.how) {
                ([], _) | (_, How::Releases | How::Acquires) => {
                    format!("make it `.relaxed.{scope}` or stronger")
                }
                (weak, _) => format!("make {} `.relaxed.{scope}` or stronger", weak.join(" and ")),
            }
        }
        Defect::ScopeTooNarrow => {
            let narrow = [link.from, link.to].into_iter();
            let narrow = narrow.filter(|&id| graph.event(id).scope.is_some_and(|own| own < wanted));
            let narrow: Vec<String> = narrow.map(|id| named(id, graph, files)).collect();
            match narrow.is_empty() {
                true => defect.cure().to_owned(),
                false => format!("widen to `.{scope}` the scope of {}", narrow.join(" and of ")),
            }
        }
        Defect::NoSequentialFence => {
            let scope = common(link.from, link.to, graph);
            format!("put `fence.sc.{scope}` between the two accesses of each thread")
        }
        _ => defect.cure().to_owned(),
    }
}

/// A qualifier where the statement can have it, or a fence next to it.
fn qualified(id: EventId, order: &str, scope: &str, graph: &EventGraph, side: &str) -> String {
    let fence = format!("put `fence.acq_rel.{scope}` directly {side} it");
    let event = graph.event(id);
    let takes_no_other = event.marks.volatile || event.marks.mmio || event.marks.non_coherent;
    match takes_no_other {
        true => fence,
        false => format!("make it `.{order}.{scope}`, or {fence}"),
    }
}

fn is_weak(id: EventId, graph: &EventGraph) -> bool {
    graph.event(id).order == Some(Order::Weak)
}

/// The narrowest scope with both ends of the communication that a link belongs to.
fn scope(path: &NearMiss, index: usize, graph: &EventGraph) -> Scope {
    let communicates = |link: &&Link| link.how == How::Observes;
    let (before, from) = path.links.split_at(index);
    let next = match path.links[index].how {
        How::Acquires => before.iter().rev().find(communicates),
        _ => from.iter().find(communicates),
    };
    let (one, other) = next.map_or((path.first, path.last), |link| (link.from, link.to));
    common(one, other, graph)
}

/// The narrowest scope that includes the threads of two events.
fn common(one: EventId, other: EventId, graph: &EventGraph) -> Scope {
    let place = |id: EventId| graph.agents[graph.event(id).agent.index()].site();
    let (Some(a), Some(b)) = (place(one), place(other)) else { return Scope::Sys };
    match () {
        () if a.gpu != b.gpu => Scope::Sys,
        () if (a.grid, a.cluster) != (b.grid, b.cluster) => Scope::Gpu,
        () if a.cta != b.cta => Scope::Cluster,
        () => Scope::Cta,
    }
}

/// Fences that one might take for what is missing of a link, each with why it is none.
#[must_use]
pub fn idle_fences(
    path: &NearMiss,
    index: usize,
    defect: Defect,
    graph: &EventGraph,
    files: &Files,
) -> Vec<String> {
    let link = &path.links[index];
    let name = |id: EventId| named(id, graph, files);
    match defect {
        Defect::NoRelease | Defect::NoAcquire => {
            let (access, half) = match defect {
                Defect::NoRelease => (link.to, Order::Release),
                _ => (link.from, Order::Acquire),
            };
            let other = |id: EventId| if id == access { "it".to_owned() } else { name(id) };
            let idle = |fence: EventId| match () {
                () if comes_before(fence, link.from, graph) => {
                    Some(format!("{} stands before {}: too early", name(fence), other(link.from)))
                }
                () if comes_before(link.to, fence, graph) => {
                    Some(format!("{} stands behind {}: too late", name(fence), other(link.to)))
                }
                () => None,
            };
            fences(access, half, graph).filter_map(idle).collect()
        }
        Defect::NoProxyFence => proxy_fences(path, graph)
            .map(|fence| {
                format!("{} is none: {}", name(fence), idle_proxy_fence(fence, path, graph))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The fences of the thread of an event that release or acquire.
fn fences(of: EventId, order: Order, graph: &EventGraph) -> impl Iterator<Item = EventId> {
    graph.ids().filter(move |&id| {
        let event = graph.event(id);
        let is_such = event.order.is_some_and(|own| own.has_half(order));
        matches!(event.kind, EventKind::Fence(_))
            && !event.marks.mbarrier
            && is_such
            && event.agent == graph.event(of).agent
    })
}

/// The fences between proxies of the threads that a path goes through, and of those near its ends.
fn proxy_fences(path: &NearMiss, graph: &EventGraph) -> impl Iterator<Item = EventId> {
    let ends = path.links.iter().flat_map(|link| [link.from, link.to]);
    let agents: Vec<_> = ends.map(|id| graph.event(id).agent).collect();
    let ctas: Vec<_> =
        [path.first, path.last].into_iter().filter_map(|id| cta_of(graph, id)).collect();
    graph.ids().filter(move |&id| {
        let event = graph.event(id);
        let is_near = cta_of(graph, id).is_some_and(|cta| ctas.contains(&cta));
        matches!(event.kind, EventKind::ProxyFence(_)) && (is_near || agents.contains(&event.agent))
    })
}

fn idle_proxy_fence(fence: EventId, path: &NearMiss, graph: &EventGraph) -> String {
    let ends = [path.first, path.last];
    let is_shared = |id: EventId| shared_of(graph, id).is_some();
    if let EventKind::ProxyFence(ProxyFenceKind::Async(Some(fenced))) = graph.event(fence).kind
        && ends.iter().all(|&id| is_shared(id) == (fenced == Space::Global))
    {
        return format!("it is for `{fenced}` memory alone");
    }
    let own = cta_of(graph, fence);
    match ends.iter().all(|&id| cta_of(graph, id).is_some_and(|cta| Some(cta) != own)) {
        true => "its thread belongs to the CTA of neither access".to_owned(),
        false => "it does not stand between the two on the way".to_owned(),
    }
}

/// Whether an event comes before another one in the code of one thread.
fn comes_before(first: EventId, second: EventId, graph: &EventGraph) -> bool {
    let (first, second) = (graph.event(first), graph.event(second));
    first.agent == second.agent && first.position < second.position
}

/// The fence by which a write releases what came before, or a read acquires for what follows, if the access
/// does not do so by itself.
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
