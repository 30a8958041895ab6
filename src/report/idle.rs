//! A missing link into the fences and waits of the program that do not establish the link, each with the
//! reason.

use super::cure::{comes_before, common_scope, fences};
use super::statement::named;
use crate::defect::Defect;
use crate::event::base::{cta_of, shared_of};
use crate::event::graph::{EventGraph, EventKind};
use crate::id::EventId;
use crate::ptx::operation::{Order, Proxy, ProxyFenceKind, Space};
use crate::race::NearMiss;
use crate::race::near::How;
use crate::source::Files;
use itertools::Itertools;

/// Fences and waits that seem to establish the missing link, each with the reason why it does not.
#[must_use]
pub(super) fn idle(
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
            let own = fences(access, half, graph).filter_map(idle);
            own.chain(of_other_threads(path, index, half, graph, files)).collect()
        }
        Defect::NoBarrier => {
            let is_fence = |id: EventId| {
                let event = graph.event(id);
                let fences = matches!(event.kind, EventKind::Fence(_) | EventKind::ProxyFence(_));
                fences && !event.marks.mbarrier
            };
            let beside = |&id: &EventId| {
                is_fence(id)
                    && (comes_before(link.from, id, graph) || comes_before(id, link.to, graph))
            };
            let reason = |id: EventId| {
                format!("{} is none: a fence alone hands nothing to another thread", name(id))
            };
            graph.ids().filter(beside).map(reason).unique().collect()
        }
        Defect::NoSequentialFence => {
            let wanted = common_scope(link.from, link.to, graph);
            let is_narrow = |&id: &EventId| {
                let event = graph.event(id);
                event.order == Some(Order::Sc) && event.scope.is_some_and(|own| own < wanted)
            };
            let before = fences(link.from, Order::Release, graph)
                .filter(|&id| comes_before(id, link.from, graph));
            let behind = fences(link.to, Order::Release, graph)
                .filter(|&id| comes_before(link.to, id, graph));
            let reason = |id: EventId| {
                format!("{} is none: its scope does not include the other thread", name(id))
            };
            before.chain(behind).filter(is_narrow).map(reason).collect()
        }
        Defect::NoProxyFence => proxy_fences(path, graph)
            .map(|fence| {
                format!("{} is none: {}", name(fence), idle_proxy_fence(fence, path, graph, files))
            })
            .collect(),
        Defect::NotWaitedFor => {
            let operation = graph.operation_of(link.from);
            let complete = operation.map(|operation| operation.complete);
            let reads = operation.and_then(|operation| operation.reads_complete);
            let reads = reads.filter(|&reads| Some(reads) != complete);
            // A wait for the reads is enough where the source is to be free.
            let suffices = reads == Some(link.from);
            let of_reads = waits_for(reads, graph).filter(|_| !suffices).map(|wait| {
                format!("{} is none: it waits for the reads of the source alone", name(wait))
            });
            let enough = waits_for(reads.filter(|_| suffices), graph);
            let late = enough
                .chain(waits_for(complete, graph))
                .filter(|&wait| comes_before(link.to, wait, graph))
                .unique()
                .map(|wait| format!("{} stands behind that: too late", name(wait)));
            of_reads.chain(late).collect()
        }
        _ => Vec::new(),
    }
}

/// Fences of other threads on the path before a release or after an acquire. Such a fence orders only the
/// accesses of its own thread.
fn of_other_threads(
    path: &NearMiss,
    index: usize,
    half: Order,
    graph: &EventGraph,
    files: &Files,
) -> Vec<String> {
    let link = &path.links[index];
    let (access, links) = match half {
        Order::Release => (link.to, &path.links[..index]),
        _ => (link.from, &path.links[index + 1..]),
    };
    let agent = |id: EventId| graph.event(id).agent;
    let passed = links
        .iter()
        .filter(|other| other.how == How::ProgramOrder && agent(other.from) != agent(access));
    // A `fence.sc` also orders what another fence handed over (PTX-8.9.3).
    let is_half = |fence: &EventId| graph.event(*fence).order != Some(Order::Sc);
    let between = passed.flat_map(|other| {
        fences(other.from, half, graph).filter(is_half).filter(|&fence| match half {
            Order::Release => comes_before(other.from, fence, graph),
            _ => comes_before(fence, other.to, graph),
        })
    });
    let does = if half == Order::Release { "releases" } else { "acquires" };
    let reason = |fence: EventId| {
        format!(
            "{} is none: it {does} for its own thread, and {} is another's",
            named(fence, graph, files),
            named(access, graph, files)
        )
    };
    between.unique().map(reason).collect()
}

/// The waits for groups that complete an event.
fn waits_for(event: Option<EventId>, graph: &EventGraph) -> impl Iterator<Item = EventId> {
    let sure = graph.done.iter().copied();
    let pairs = sure.chain(graph.done_if.iter().map(|pair| (pair.from, pair.to)));
    pairs.filter(move |&(from, _)| Some(from) == event).map(|(_, wait)| wait).unique()
}

/// The proxy fences of the threads on a path, and of threads near its ends.
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

fn idle_proxy_fence(fence: EventId, path: &NearMiss, graph: &EventGraph, files: &Files) -> String {
    let ends = [path.first, path.last];
    let is_shared = |id: EventId| shared_of(graph, id).is_some();
    if let EventKind::ProxyFence(ProxyFenceKind::Async(Some(fenced))) = graph.event(fence).kind
        && ends.iter().all(|&id| is_shared(id) == (fenced == Space::Global))
    {
        return format!("it is for `{fenced}` memory alone");
    }
    let own = cta_of(graph, fence);
    let is_far = |&id: &EventId| cta_of(graph, id).is_some_and(|cta| Some(cta) != own);
    if ends.iter().all(is_far) {
        return "its thread belongs to the CTA of neither access".to_owned();
    }
    // A fence acts in the CTA of the access through the other proxy (PTX-8.9.5, V14).
    let is_other = |id: &EventId| graph.event(*id).proxy != Proxy::Generic;
    match ends.into_iter().find(|id| is_other(id) && is_far(id)) {
        Some(end) => {
            format!("its thread does not belong to the CTA of {}", named(end, graph, files))
        }
        None => "it does not stand between the two on the way".to_owned(),
    }
}
