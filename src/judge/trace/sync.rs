//! The edges for synchronization in a trace. Base causality is their closure with program order
//! (PTX-8.9.4, PTX-8.9.5).

use super::clock::{Node, Order};
use super::sources::Source;
use super::{Barrier, OpKind, Trace, Waits};
use crate::id::{CellId, OpId};
use crate::ptx::operation::{Order as Qualifier, Scope};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The largest number of pairs of patterns to check if scopes differ.
const MOST_PAIRS: usize = 20_000_000;

/// Adds the edges of barriers, from the operations before a barrier to the operations behind the
/// waits. The arrivals of a CTA at a barrier meet by turn.
pub(super) fn barriers(trace: &Trace, order: &mut Order) {
    let mut meetings: BTreeMap<(u32, u32, u32), Vec<(OpId, Waits)>> = BTreeMap::new();
    for id in trace.ids() {
        let op = trace.op(id);
        let OpKind::Barrier(Barrier { number, turn, waits }) = op.kind else { continue };
        let cta = trace.threads[op.thread.index()].cta;
        meetings.entry((cta, number, turn)).or_default().push((id, waits));
    }
    for met in meetings.into_values() {
        let joint = order.joint();
        for (id, waits) in met {
            order.add(id.index() as Node, joint);
            if let Some(next) = order.next(id).filter(|_| waits == Waits::Yes) {
                order.add(joint, next.index() as Node);
            }
        }
    }
}

/// Whether the scopes of all strong operations include all threads, so that all strong operations
/// have mutual scopes.
pub(super) fn is_wide(trace: &Trace) -> bool {
    let strong = trace.ops.iter().filter(|op| op.is_strong());
    let Some(least) = strong.map(|op| op.scope).min() else { return true };
    is_one_group(trace, least, 0..trace.threads.len())
}

/// Whether the scope of any of the given threads includes all of them.
pub(super) fn is_one_group(
    trace: &Trace,
    scope: Scope,
    mut threads: impl Iterator<Item = usize>,
) -> bool {
    let Some(first) = threads.next().map(|thread| &trace.threads[thread]) else { return true };
    threads.all(|thread| first.includes(scope, &trace.threads[thread]))
}

/// Adds the edges between release and acquire patterns for given reads-from sources; `false` if
/// scopes differ and there are too many pairs.
pub(super) fn patterns(trace: &Trace, sources: &[Option<Source>], order: &mut Order) -> bool {
    let ends = Ends::new(trace, order);
    match is_wide(trace) {
        true => {
            wide(trace, sources, order, &ends);
            true
        }
        false => by_pairs(trace, sources, order, &ends),
    }
}

/// The write that a read observes (PTX-8.9.2).
pub(super) fn observed(trace: &Trace, sources: &[Option<Source>], read: OpId) -> Option<OpId> {
    match sources[read.index()] {
        Some(Source::Write(write)) if trace.morally_strong(write, read) => Some(write),
        _ => None,
    }
}

/// Adds the edges if each two strong operations have mutual scopes. Each observed write gets a
/// joint node. The node collects the release patterns that end at the write, also through
/// read-modify-writes, and leads to the acquire patterns that start at its readers.
fn wide(trace: &Trace, sources: &[Option<Source>], order: &mut Order, ends: &Ends) {
    let mut joints: FxHashMap<OpId, Node> = FxHashMap::default();
    let mut open = Vec::new();
    let mut joint_of = |write: OpId, order: &mut Order, open: &mut Vec<OpId>| {
        *joints.entry(write).or_insert_with(|| {
            open.push(write);
            order.joint()
        })
    };
    for read in trace.ids() {
        let (Some(write), Some(end)) =
            (observed(trace, sources, read), ends.acquires[read.index()].first())
        else {
            continue;
        };
        let joint = joint_of(write, order, &mut open);
        order.add(joint, end.index() as Node);
        while let Some(write) = open.pop() {
            let joint = joint_of(write, order, &mut open);
            if let Some(start) = ends.releases[write.index()].first() {
                order.add(start.index() as Node, joint);
            }
            if let Some(before) = observed(trace, sources, write) {
                let earlier = joint_of(before, order, &mut open);
                order.add(earlier, joint);
            }
        }
    }
}

/// Where scopes differ, each pair of patterns is looked at.
fn by_pairs(trace: &Trace, sources: &[Option<Source>], order: &mut Order, ends: &Ends) -> bool {
    let mut pairs = 0;
    for read in trace.ids() {
        let last = &ends.acquires[read.index()];
        if last.is_empty() {
            continue;
        }
        let mut next = observed(trace, sources, read);
        let mut steps = 0;
        while let Some(write) = next {
            for &start in &ends.releases[write.index()] {
                for &end in last {
                    pairs += 1;
                    if trace.morally_strong(start, end) {
                        order.add(start.index() as Node, end.index() as Node);
                    }
                }
            }
            pairs += 1;
            steps += 1;
            // Read-modify-writes that read from each other in a circle are inconsistent anyhow.
            if pairs > MOST_PAIRS || steps > trace.ops.len() {
                return pairs <= MOST_PAIRS;
            }
            next = observed(trace, sources, write);
        }
    }
    true
}

/// The ends of patterns (PTX-8.8). Only the end nearest to the access is kept for each scope, since
/// the others order less.
struct Ends {
    /// For each strong write the operations that a release pattern ending there may start with.
    releases: Vec<Vec<OpId>>,
    /// For each strong read the operations that an acquire pattern starting there may end with.
    acquires: Vec<Vec<OpId>>,
}

/// The nearest ends by scope, fences and accesses of one location apart.
#[derive(Default)]
struct Nearest {
    fences: BTreeMap<Scope, OpId>,
    accesses: FxHashMap<CellId, BTreeMap<Scope, OpId>>,
}

impl Nearest {
    /// The nearest end for an access, scope by scope; `nearer` compares two of them.
    fn of(&self, cell: CellId, nearer: impl Fn(OpId, OpId) -> OpId) -> Vec<OpId> {
        let mut all = self.fences.clone();
        for (&scope, &id) in self.accesses.get(&cell).into_iter().flatten() {
            all.entry(scope).and_modify(|other| *other = nearer(*other, id)).or_insert(id);
        }
        let mut ends: Vec<OpId> = all.into_values().collect();
        // The nearest end comes first; it is the only relevant one if scopes do not matter.
        if let Some(nearest) = ends.iter().copied().reduce(&nearer) {
            ends.retain(|&id| id != nearest);
            ends.insert(0, nearest);
        }
        ends
    }
}

impl Ends {
    fn new(trace: &Trace, order: &Order) -> Self {
        let none = vec![Vec::new(); trace.ops.len()];
        let mut out = Self { releases: none.clone(), acquires: none };
        let at = |id: OpId| order.position(id).1;
        for ops in trace.by_thread() {
            let mut before = Nearest::default();
            for &id in &ops {
                let op = trace.op(id);
                if op.is_release_fence() {
                    before.fences.insert(op.scope, id);
                }
                let Some(cell) = op.cell else { continue };
                // A `cas` that failed has a release all the same, and a later write to complete it.
                if op.releases() {
                    before.accesses.entry(cell).or_default().insert(op.scope, id);
                }
                if op.write.is_some() && op.is_strong() {
                    out.releases[id.index()] =
                        before.of(cell, |a, b| if at(a) > at(b) { a } else { b });
                }
            }
            let mut behind = Nearest::default();
            for &id in ops.iter().rev() {
                let op = trace.op(id);
                if op.is_acquire_fence() {
                    behind.fences.insert(op.scope, id);
                }
                let Some(cell) = op.cell else { continue };
                if op.acquires() {
                    behind.accesses.entry(cell).or_default().insert(op.scope, id);
                }
                let starts = op.read.is_some() && op.kind != OpKind::Reduction;
                if starts && op.order != Qualifier::Weak {
                    out.acquires[id.index()] =
                        behind.of(cell, |a, b| if at(a) < at(b) { a } else { b });
                }
            }
        }
        out
    }
}
