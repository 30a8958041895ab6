//! Termination order: events that wait for the end of a thread. A barrier for all threads is
//! complete once its absent threads have ended (PTX-9.7.13.1), so that later events wait for these
//! ends. A task waits for the preceding tasks (PTX-8.9.4).

use super::barrier::{BarrierKey, BarrierOp, BarrierRule, counts_warps};
use super::graph::{Conditional, EventGraph, EventKind};
use crate::bitrel::Rel;
use crate::id::{AgentId, BarrierId, EventId, ExprId};
use crate::program::expr::{Binary, Expr};
use rustc_hash::{FxHashMap, FxHashSet};
use typed_index_collections::TiVec;

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
    let mut visits = Visits::of(graph);
    let mut out = Vec::new();
    for at in graph.barriers.keys() {
        let to = graph.barriers[at].event;
        let others = may_be_awaited(graph, at);
        if others.is_empty() {
            continue;
        }
        let ordinal = visits.before(graph, at);
        for agent in others.into_iter().filter(|&agent| !sure.contains(&(agent, to))) {
            let when = visits.stays_away(graph, (at, ordinal), agent);
            if !graph.exprs.is_false(when) {
                let pairs = sources[agent.index()].iter();
                out.extend(pairs.map(|&from| Conditional { from, to, when }));
            }
        }
    }
    out
}

/// The number of times that threads use barriers.
struct Visits {
    /// For every operation, the number of its barrier.
    barriers: TiVec<BarrierId, usize>,
    /// The operations of a thread at a barrier, in program order.
    own: FxHashMap<(usize, AgentId), Vec<BarrierId>>,
    /// How many of these operations arrive, and how many wait.
    counts: FxHashMap<(usize, AgentId), [ExprId; 2]>,
    /// For every thread, the condition that no bound cuts it.
    ends: FxHashMap<AgentId, ExprId>,
}

impl Visits {
    fn of(graph: &EventGraph) -> Self {
        let mut keys: FxHashMap<&BarrierKey, usize> = FxHashMap::default();
        let mut own: FxHashMap<_, Vec<BarrierId>> = FxHashMap::default();
        let mut barriers = TiVec::new();
        for (at, op) in graph.barriers.iter_enumerated() {
            let fresh = keys.len();
            let barrier = *keys.entry(&op.key).or_insert(fresh);
            barriers.push(barrier);
            own.entry((barrier, graph.event(op.event).agent)).or_default().push(at);
        }
        Self { barriers, own, counts: FxHashMap::default(), ends: FxHashMap::default() }
    }

    /// The ordinal of an operation: how many earlier ones of its thread count in its numbering.
    fn before(&self, graph: &mut EventGraph, at: BarrierId) -> ExprId {
        let op = &graph.barriers[at];
        let own = self.own.get(&(self.barriers[at], graph.event(op.event).agent));
        let numbered =
            |other: &BarrierId| *other < at && graph.barriers[*other].is_numbered_with(op);
        let before: Vec<BarrierId> = own.into_iter().flatten().copied().filter(numbered).collect();
        how_many(graph, before)
    }

    /// The condition that a thread ends before it has an operation of this ordinal.
    fn stays_away(
        &mut self,
        graph: &mut EventGraph,
        (at, ordinal): (BarrierId, ExprId),
        agent: AgentId,
    ) -> ExprId {
        let here = (self.barriers[at], agent);
        let counts = *self.counts.entry(here).or_insert_with(|| {
            let own: Vec<BarrierId> = self.own.get(&here).into_iter().flatten().copied().collect();
            [|op: &BarrierOp| op.arrives, |op: &BarrierOp| op.waits].map(|does| {
                let such = own.iter().copied().filter(|&b| does(&graph.barriers[b])).collect();
                how_many(graph, such)
            })
        });
        let mut away = graph.exprs.truth(true);
        for comes in counts {
            let here = graph.exprs.binary(Binary::ULt, ordinal, comes);
            let not = graph.exprs.not(here);
            away = graph.exprs.and(away, not);
        }
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

/// The number of barrier operations that happen.
fn how_many(graph: &mut EventGraph, all: Vec<BarrierId>) -> ExprId {
    let guards: Vec<ExprId> =
        all.into_iter().map(|b| graph.event(graph.barriers[b].event).guard).collect();
    graph.exprs.count(guards, BarrierOp::ORDINAL_BITS)
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
    let mut decided = |op: &BarrierOp, own: &[&BarrierOp], ordinal: usize| {
        let own = own.iter().filter(|other| graph.may_meet(op, other));
        for other in own.take(ordinal + 1) {
            let reads = reads_of(graph, graph.event(other.event).guard);
            out.extend(reads.map(|read| (read, op.event)));
        }
    };
    for (op, own, ordinal) in companions(graph) {
        decided(op, &own, ordinal);
    }
    let arrivals = operations(graph, |op| op.arrives);
    let open = |op: &&BarrierOp| !graph.exprs.is_true(graph.event(op.event).guard);
    let undecided: Vec<_> = arrivals.iter().filter(|(_, own)| own.iter().any(open)).collect();
    for (at, op) in graph.barriers.iter_enumerated() {
        if op.waits && is_for_all(graph, op) {
            let agent = graph.event(op.event).agent;
            let others = undecided.iter().filter(|((key, _), _)| **key == op.key);
            for (_, own) in others.filter(|((_, other), _)| *other != agent) {
                decided(op, own, ordinal(graph, at));
            }
        }
    }
    out
}

/// To operations that wait for their warp, from the participating operations of the warp's other
/// threads.
pub(super) fn begun(graph: &EventGraph) -> Rel {
    let pairs = companions(graph).into_iter().filter_map(|(op, own, ordinal)| {
        // A thread whose arrivals and waits do not alternate misuses the barrier, and is present.
        let comes = |other: &&&BarrierOp| {
            graph.barrier_index(other.event).is_some_and(|at| alternates(graph, at))
        };
        own.get(ordinal).filter(comes).map(|other| (other.event, op.event))
    });
    Rel::from_pairs(graph.events.len(), pairs)
}

/// The companions of each operation that waits for its warp, for each other thread of the warp.
/// These are the operations with which the thread may take part, and the ordinal of the
/// participating one.
fn companions(graph: &EventGraph) -> Vec<(&BarrierOp, Vec<&BarrierOp>, usize)> {
    let mut out = Vec::new();
    let (arrivals, waits) = (operations(graph, |op| op.arrives), operations(graph, |op| op.waits));
    for (at, op) in graph.barriers.iter_enumerated() {
        if !waits_for_warp(graph, op) || !alternates(graph, at) {
            continue;
        }
        let ordinal = ordinal(graph, at);
        // A thread without an operation of the same kind may misuse the barrier with one of the
        // other kind.
        let kinds = match op.arrives {
            true => [(&arrivals, ordinal), (&waits, ordinal)],
            false => [(&waits, ordinal), (&arrivals, ordinal + 1)],
        };
        let comes_by = |mate: AgentId| {
            kinds.iter().find_map(|&(kind, ordinal)| {
                let own = kind.get(&(&op.key, mate)).filter(|own| own.len() > ordinal);
                own.map(|own| (op, own.clone(), ordinal))
            })
        };
        out.extend(graph.mates(graph.event(op.event).agent).filter_map(comes_by));
    }
    out
}

/// The operations of one kind that each thread may reach at each barrier.
fn operations(
    graph: &EventGraph,
    are: impl Fn(&BarrierOp) -> bool,
) -> FxHashMap<(&BarrierKey, AgentId), Vec<&BarrierOp>> {
    let mut out: FxHashMap<_, Vec<&BarrierOp>> = FxHashMap::default();
    for op in graph.barriers.iter().filter(|op| are(op)) {
        let event = graph.event(op.event);
        if !graph.exprs.is_false(event.guard) {
            out.entry((&op.key, event.agent)).or_default().push(op);
        }
    }
    out
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
    let (arrivals, waits) = (operations(graph, |op| op.arrives), operations(graph, |op| op.waits));
    // Many operations share barrier and ordinal, by which the absent threads are kept.
    let mut away: FxHashMap<(&BarrierKey, usize), Vec<AgentId>> = FxHashMap::default();
    let mut out = Vec::new();
    let may_happen =
        |(_, op): &(BarrierId, &BarrierOp)| !graph.exprs.is_false(graph.event(op.event).guard);
    for (at, op) in graph.barriers.iter_enumerated().filter(may_happen) {
        let of_warp = waits_for_warp(graph, op) && alternates(graph, at);
        let for_all = op.waits && is_for_all(graph, op);
        if !of_warp && !for_all {
            continue;
        }
        let ordinal = ordinal(graph, at);
        let more = |all: &FxHashMap<_, Vec<&BarrierOp>>, agent, than| {
            let own = all.get(&(&op.key, agent)).into_iter().flatten();
            own.filter(|other| graph.may_meet(op, other)).count() > than
        };
        if of_warp {
            // A thread that arrives again without having waited misuses the barrier, and is
            // present.
            let again = ordinal + usize::from(!op.arrives);
            let comes = |mate| more(&arrivals, mate, again) || more(&waits, mate, ordinal);
            let mates = graph.mates(graph.event(op.event).agent).filter(|&mate| !comes(mate));
            out.extend(mates.map(|mate| (mate, op.event)));
        }
        if !for_all {
            continue;
        }
        // A wait without an arrival is a misuse by a thread that is present.
        let comes = |agent| more(&arrivals, agent, ordinal) || more(&waits, agent, ordinal);
        let away = away.entry((&op.key, ordinal)).or_insert_with(|| {
            graph.members(&op.key).into_iter().filter(|&agent| !comes(agent)).collect()
        });
        let waiting = graph.event(op.event).agent;
        out.extend(away.iter().filter(|&&agent| agent != waiting).map(|&agent| (agent, op.event)));
    }
    out
}

/// The sure ordinal of a waiting operation. It counts the earlier operations of the thread, in the
/// same numbering, that happen in any case or under the guard of the operation. An operation
/// without a count is numbered among the operations that it may meet, since none of these is
/// complete without all threads that have not ended. Where values decide counts, the ordinal is
/// taken as 0.
fn ordinal(graph: &EventGraph, waiting: BarrierId) -> usize {
    let op = &graph.barriers[waiting];
    if op.rule == BarrierRule::AllLive && !graph.knows_counts_at(&op.key) {
        return 0;
    }
    let (agent, guard) = (graph.event(op.event).agent, graph.event(op.event).guard);
    // Operations are listed thread by thread.
    let own = graph.barriers[..waiting].iter().rev();
    let own = own.take_while(|other| graph.event(other.event).agent == agent);
    own.filter(|other| {
        let when = graph.event(other.event).guard;
        other.is_numbered_with(op)
            && graph.may_meet(op, other)
            && (graph.exprs.is_true(when) || when == guard)
    })
    .count()
}
