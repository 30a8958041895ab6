//! Termination order: events that wait for the end of a thread. A barrier for all threads is
//! complete once its absent threads have ended (PTX-9.7.13.1), so that later events wait for these
//! ends. A task waits for the preceding tasks (PTX-8.9.4).

use super::graph::{Conditional, EventGraph, EventKind};
use crate::bitrel::Rel;
use crate::id::{AgentId, BarrierId, EventId, ExprId};
use crate::program::expr::Expr;
use crate::waiting::barrier::{BarrierKey, BarrierOp, BarrierRule, counts_warps};
use crate::waiting::numbering::Numbering;
use crate::waiting::phase::{self, has_come};
use crate::waiting::reading::Reading;
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// The given pairs of `awaited`. The targets wait for the end of a thread: barrier operations, and
/// events of later tasks. The sources are the ending thread's barrier operations, its waits for
/// tasks, and certain reads of it. These reads decide whether the thread reaches a barrier or
/// leaves a loop, or go into operands and thread counts of barriers.
pub(super) fn awaited(graph: &EventGraph) -> Rel {
    let (sources, decided) = (sources(graph), deciding_reads(graph));
    let tasks: FxHashSet<(AgentId, EventId)> =
        graph.api_edges.iter().map(|&(early, late)| (graph.event(early).agent, late)).collect();
    let ended = awaited_threads(graph).into_iter().chain(tasks);
    let pairs = before_waits(ended, &sources).chain(decided);
    Rel::from_pairs(graph.events.len(), pairs)
}

/// By thread, the sources of termination order: barrier operations, waits for tasks, and certain
/// reads. These reads decide where the thread ends, or go into operands and thread counts of
/// barriers.
fn sources(graph: &EventGraph) -> Vec<Vec<EventId>> {
    let mut sources: Vec<Vec<EventId>> = vec![Vec::new(); graph.agents.len()];
    for op in &graph.barriers {
        let event = graph.event(op.event);
        let own = &mut sources[event.agent.index()];
        own.push(op.event);
        let needed = [Some(event.guard), op.operand, op.count()].into_iter().flatten();
        own.extend(needed.flat_map(|needed| reads_of(graph, needed)));
    }
    for cut in &graph.cuts {
        sources[cut.agent.index()].extend(reads_of(graph, cut.back));
    }
    for id in graph.ids().filter(|&id| graph.event(id).kind == EventKind::Boundary) {
        sources[graph.event(id).agent.index()].push(id);
    }
    sources
}

/// The pairs of `awaited` that depend on values, at barriers where operations of equal ordinals
/// meet. A waiting operation waits for the end of a thread if that thread uses the barrier at most
/// as often as the waiting thread has before.
pub(super) fn awaited_if(graph: &mut EventGraph) -> Vec<Conditional> {
    let mut sources = sources(graph);
    for own in &mut sources {
        own.sort_unstable();
        own.dedup();
    }
    let sure: FxHashSet<(AgentId, EventId)> = awaited_threads(graph).into_iter().collect();
    let numbering = Arc::clone(graph.numbering());
    let mut visits = Visits::default();
    let mut out = Vec::new();
    for at in graph.barriers.keys() {
        let to = graph.barriers[at].event;
        let others = may_be_awaited(graph, at);
        if others.is_empty() {
            continue;
        }
        let ordinal = phase::ordinal(&mut graph.terms(&[]).0, &numbering, at);
        for agent in others.into_iter().filter(|&agent| !sure.contains(&(agent, to))) {
            let when = visits.stays_away(graph, &numbering, (at, ordinal), agent);
            if !graph.exprs.is_false(when) {
                let pairs = sources[agent.index()].iter();
                out.extend(pairs.map(|&from| Conditional { from, to, when }));
            }
        }
    }
    out
}

/// The numbers of times that threads use barriers.
#[derive(Default)]
struct Visits {
    /// How many operations of a thread arrive at a barrier, and how many wait. A barrier is given by
    /// the first operation there.
    counts: FxHashMap<(Option<BarrierId>, AgentId), [ExprId; 2]>,
    /// For every thread, the condition that no bound cuts it.
    ends: FxHashMap<AgentId, ExprId>,
}

impl Visits {
    /// The condition that a thread ends before it has an operation of the ordinal of another one.
    fn stays_away(
        &mut self,
        graph: &mut EventGraph,
        numbering: &Numbering,
        (at, ordinal): (BarrierId, ExprId),
        agent: AgentId,
    ) -> ExprId {
        let (mut terms, barriers) = graph.terms(&[]);
        let here = (numbering.at_barrier_of(at).next(), agent);
        let counts = *self.counts.entry(here).or_insert_with(|| {
            [|op: &BarrierOp| op.arrives, |op: &BarrierOp| op.waits].map(|does| {
                let visits = numbering.visits(agent, at).iter().copied();
                let such = visits.filter(|&b| does(&barriers[b]));
                phase::how_many(&mut terms, such)
            })
        });
        let away = counts.map(|comes| {
            let here = terms.less(ordinal, comes);
            terms.negated(here)
        });
        let away = terms.conjunction(&away);
        drop(terms);
        if graph.exprs.is_false(away) {
            return away;
        }
        let ends = *self.ends.entry(agent).or_insert_with(|| ends(graph, agent));
        graph.exprs.and(away, ends)
    }
}

/// The condition that no bound cuts a thread.
fn ends(graph: &mut EventGraph, agent: AgentId) -> ExprId {
    let mut ends = graph.exprs.truth(true);
    for cut in graph.cuts.iter().filter(|cut| cut.agent == agent) {
        let not = graph.exprs.not(cut.guard);
        ends = graph.exprs.and(ends, not);
    }
    ends
}

/// The other threads that an operation waits for, until they arrive or end.
fn may_be_awaited(graph: &EventGraph, at: BarrierId) -> Vec<AgentId> {
    let op = &graph.barriers[at];
    let own = graph.event(op.event).agent;
    if graph.exprs.is_false(graph.event(op.event).guard) || !graph.meets_by_ordinal(&op.key) {
        return Vec::new();
    }
    if op.waits && is_for_all(graph, op) {
        return graph.members(&op.key).into_iter().filter(|&agent| agent != own).collect();
    }
    match waits_for_warp(graph, op) && alternates(graph, at) {
        true => graph.mates(own).collect(),
        false => Vec::new(),
    }
}

/// To barrier operations that wait for the end of a thread, from all events of that thread.
pub(super) fn ended(graph: &EventGraph) -> Rel {
    let mut own: Vec<Vec<EventId>> = vec![Vec::new(); graph.agents.len()];
    graph.ids().for_each(|id| own[graph.event(id).agent.index()].push(id));
    Rel::from_pairs(graph.events.len(), before_waits(awaited_threads(graph), &own))
}

/// Pairs from the events of a thread, given by thread, to each event that waits for its end.
fn before_waits(
    ended: impl IntoIterator<Item = (AgentId, EventId)>,
    events: &[Vec<EventId>],
) -> impl Iterator<Item = (EventId, EventId)> {
    ended.into_iter().flat_map(|(agent, waiting)| {
        events[agent.index()].iter().map(move |&event| (event, waiting))
    })
}

/// To waiting barrier operations, from the reads that decide whether another thread reaches the
/// barrier. Whether this thread arrives or ends, these reads come first. A wait for a warp also
/// waits for such reads of the warp's other threads.
fn deciding_reads(graph: &EventGraph) -> Vec<(EventId, EventId)> {
    let mut out = Vec::new();
    // The operation that takes part in a phase has at least the phase's ordinal.
    let numbering = graph.numbering();
    let guard = |b: BarrierId| graph.event(graph.barriers[b].event).guard;
    let mut decided = |at: BarrierId, own: &[BarrierId], ordinal: usize| {
        let own = own.iter().filter(|&&other| numbering.may_meet(at, other));
        for &other in own.take(ordinal + 1) {
            let reads = reads_of(graph, guard(other));
            out.extend(reads.map(|read| (read, graph.barriers[at].event)));
        }
    };
    for (at, own, ordinal) in companions(graph) {
        decided(at, &own, ordinal);
    }
    let open = |&b: &BarrierId| !graph.exprs.is_true(guard(b));
    let arrivals = numbering.all_visits().map(|own| possible(graph, own, |op| op.arrives));
    let undecided: Vec<_> = arrivals.filter(|own| own.iter().any(open)).collect();
    for (at, op) in graph.barriers.iter_enumerated() {
        if op.waits && is_for_all(graph, op) {
            let is_other = |own: &&Vec<BarrierId>| numbering.may_be_together(own[0], at);
            for own in undecided.iter().filter(is_other) {
                decided(at, own, ordinal(graph, at));
            }
        }
    }
    out
}

/// To operations that wait for their warp, from the participating operations of the warp's other
/// threads.
pub(super) fn begun(graph: &EventGraph) -> Rel {
    let pairs = companions(graph).into_iter().filter_map(|(at, own, ordinal)| {
        // A thread whose arrivals and waits do not alternate misuses the barrier, and is present.
        let comes = own.get(ordinal).copied().filter(|&other| alternates(graph, other));
        comes.map(|other| (graph.barriers[other].event, graph.barriers[at].event))
    });
    Rel::from_pairs(graph.events.len(), pairs)
}

/// The companions of each operation that waits for its warp, for each other thread of the warp.
/// These are the operations with which the thread may take part, and the ordinal of the
/// participating one.
fn companions(graph: &EventGraph) -> Vec<(BarrierId, Vec<BarrierId>, usize)> {
    let mut out = Vec::new();
    for (at, op) in graph.barriers.iter_enumerated() {
        if !waits_for_warp(graph, op) || !alternates(graph, at) {
            continue;
        }
        let ordinal = ordinal(graph, at);
        // A thread without an operation of the same kind may misuse the barrier with one of the
        // other kind.
        let kinds: [(Does, usize); 2] = match op.arrives {
            true => [(|op| op.arrives, ordinal), (|op| op.waits, ordinal)],
            false => [(|op| op.waits, ordinal), (|op| op.arrives, ordinal + 1)],
        };
        let comes_by = |mate: AgentId| {
            kinds.iter().find_map(|&(does, ordinal)| {
                let own = possible(graph, graph.numbering().visits(mate, at), does);
                (own.len() > ordinal).then_some((at, own, ordinal))
            })
        };
        out.extend(graph.mates(graph.event(op.event).agent).filter_map(comes_by));
    }
    out
}

/// What an operation does at its barrier.
type Does = fn(&BarrierOp) -> bool;

/// Those of some operations that may happen and do something.
fn possible(graph: &EventGraph, operations: &[BarrierId], does: Does) -> Vec<BarrierId> {
    let may_happen = |op: &BarrierOp| !graph.exprs.is_false(graph.event(op.event).guard);
    let is_one = |b: &BarrierId| does(&graph.barriers[*b]) && may_happen(&graph.barriers[*b]);
    operations.iter().copied().filter(is_one).collect()
}

/// The pieces of the reads in an expression.
fn reads_of(graph: &EventGraph, expr: ExprId) -> impl Iterator<Item = EventId> {
    let leaves = graph.exprs.leaves(expr).into_iter();
    let reads = leaves.filter_map(|leaf| match leaf {
        Expr::Read(access) => Some(&graph.access(access).pieces),
        _ => None,
    });
    reads.flatten().copied()
}

/// Whether a barrier operation is for all threads of a CTA, cluster or warp: each of them arrives
/// or has ended.
fn is_for_all(graph: &EventGraph, op: &BarrierOp) -> bool {
    let mut here = graph.barriers.iter().filter(|other| other.key == op.key);
    op.rule == BarrierRule::AllLive && !here.any(|o| matches!(o.rule, BarrierRule::Quorum(_)))
}

/// Whether a barrier operation waits for the threads of its warp, as the warp's arrival or at a
/// cluster barrier. The other threads take part with operations of the same ordinal.
#[must_use]
pub fn waits_for_warp(graph: &EventGraph, op: &BarrierOp) -> bool {
    let with_warp = match (&op.key, &op.rule) {
        (BarrierKey::Cluster(_), _) => true,
        (BarrierKey::Cta(..), BarrierRule::Count(count)) => {
            op.arrives && graph.exprs.constant(*count).is_some_and(counts_warps)
        }
        _ => false,
    };
    with_warp && graph.mates(graph.event(op.event).agent).next().is_some()
}

/// Whether the arrivals and waits of a thread at a cluster barrier surely alternate up to an operation.
/// True at other barriers. A thread that misuses the barrier has no companions.
fn alternates(graph: &EventGraph, at: BarrierId) -> bool {
    let op = &graph.barriers[at];
    let guard = |op: &BarrierOp| graph.event(op.event).guard;
    let agent = graph.event(op.event).agent;
    let own = graph.barriers[..=at].iter().filter(|other| {
        let event = graph.event(other.event);
        other.key == op.key && event.agent == agent && !graph.exprs.is_false(event.guard)
    });
    let own: Vec<&BarrierOp> = own.collect();
    let follows = |arrival: &BarrierOp, wait: &BarrierOp| {
        arrival.arrives && wait.waits && implies(graph, guard(wait), guard(arrival))
    };
    // In the executions of this operation, every earlier arrival has been followed by a wait.
    let is_over = |arrival: &BarrierOp, wait: &BarrierOp| {
        guard(wait) == guard(arrival) || implies(graph, guard(op), guard(wait))
    };
    let in_turn = own.chunks(2).all(|pair| match *pair {
        [arrival, wait] => {
            follows(arrival, wait) && (wait.event == op.event || is_over(arrival, wait))
        }
        _ => pair[0].arrives,
    });
    !matches!(op.key, BarrierKey::Cluster(_)) || in_turn
}

/// Whether one guard contains all literals of another.
#[must_use]
pub fn implies(graph: &EventGraph, guard: ExprId, other: ExprId) -> bool {
    let literals = |guard| graph.exprs.literals(guard, MOST_LITERALS);
    let all = || Some((literals(guard)?, literals(other)?));
    graph.exprs.is_true(other)
        || all().is_some_and(|(own, others)| others.iter().all(|literal| own.contains(literal)))
}

/// Guards with more literals are not compared.
const MOST_LITERALS: usize = 64;

/// Whether other events wait for the end of a thread that may be cut, at a barrier or for a task.
#[must_use]
pub fn awaits_cut_thread(graph: &EventGraph) -> bool {
    let live = |guard| !graph.exprs.is_false(guard);
    let cut: FxHashSet<AgentId> =
        graph.cuts.iter().filter(|cut| live(cut.guard)).map(|cut| cut.agent).collect();
    let of_cut_task = |&(earlier, later): &(EventId, EventId)| {
        cut.contains(&graph.event(earlier).agent) && live(graph.event(later).guard)
    };
    let mut ended = graph.violations.iter().flat_map(|violation| &violation.ended);
    !cut.is_empty()
        && (graph.api_edges.iter().any(of_cut_task)
            || ended.any(|agent| cut.contains(agent))
            || awaited_threads(graph).into_iter().any(|(agent, _)| cut.contains(&agent)))
}

/// The threads for whose end barrier operations of others wait, each with such an operation.
///
/// An operation waits for a thread's end if in every execution the thread has at most as many
/// operations on the barrier as precede the waiting one. Threads for which branches decide that are
/// left out.
fn awaited_threads(graph: &EventGraph) -> Vec<(AgentId, EventId)> {
    let numbering = graph.numbering();
    // Many operations share barrier and ordinal, by which the absent threads are kept.
    let mut away: FxHashMap<(&BarrierKey, u32), Vec<AgentId>> = FxHashMap::default();
    let mut out = Vec::new();
    let mut surely = graph.what_is_sure();
    for (at, op) in graph.barriers.iter_enumerated() {
        if surely.occurs(at) == Some(false) {
            continue;
        }
        let of_warp = waits_for_warp(graph, op) && alternates(graph, at);
        let for_all = op.waits && is_for_all(graph, op);
        if !of_warp && !for_all {
            continue;
        }
        let ordinal = u32::try_from(ordinal(graph, at)).expect("few operations");
        let mut comes_after = |agent, ordinal, does: Does| {
            let at = (at, surely.number(ordinal));
            let kind = |b| does(&graph.barriers[b]);
            has_come(&mut surely, numbering, agent, at, kind) != Some(false)
        };
        if of_warp {
            // A thread that arrives again without having waited misuses the barrier, and is
            // present.
            let again = ordinal + u32::from(!op.arrives);
            let mut comes = |mate| {
                comes_after(mate, again, |op| op.arrives)
                    || comes_after(mate, ordinal, |op| op.waits)
            };
            let mates = graph.mates(graph.event(op.event).agent).filter(|&mate| !comes(mate));
            out.extend(mates.map(|mate| (mate, op.event)));
        }
        if !for_all {
            continue;
        }
        // A wait without an arrival is a misuse by a thread that is present.
        let mut comes = |agent| {
            comes_after(agent, ordinal, |op| op.arrives)
                || comes_after(agent, ordinal, |op| op.waits)
        };
        let away = away.entry((&op.key, ordinal)).or_insert_with(|| {
            graph.members(&op.key).into_iter().filter(|&agent| !comes(agent)).collect()
        });
        let waiting = graph.event(op.event).agent;
        out.extend(away.iter().filter(|&&agent| agent != waiting).map(|&agent| (agent, op.event)));
    }
    out
}

/// The sure ordinal of a waiting operation. It counts the earlier operations of the numbering that
/// happen in any case or under the guard of the operation. Where values decide counts, the ordinal is
/// taken as 0.
fn ordinal(graph: &EventGraph, waiting: BarrierId) -> usize {
    let op = &graph.barriers[waiting];
    if op.rule == BarrierRule::AllLive && !graph.knows_counts_at(&op.key) {
        return 0;
    }
    let guard = graph.event(op.event).guard;
    let is_sure = |&earlier: &BarrierId| {
        let when = graph.event(graph.barriers[earlier].event).guard;
        graph.exprs.is_true(when) || when == guard
    };
    graph.numbering().earlier(waiting).filter(is_sure).count()
}
