//! Prefixes of executions: programs in which threads may block at barriers.
//!
//! Each barrier operation that waits, for its barrier or for its warp, gets a choice bit; if set,
//! its thread blocks there. The later events of a blocked thread do not happen, and neither do
//! events that wait for its task. An execution in which no barrier is complete without a blocked
//! thread ([`Blocked::is_prefix`]) is a prefix of an execution of the program; every execution of the
//! program has such prefixes. Operations may be declared incomplete ([`Blocked::with_incomplete`]);
//! the same then holds for executions in which the declared operations are incomplete.

use super::halts::Halts;
use super::waits::{Awaited, Wait};
use crate::collections::IndexMap;
use crate::event::graph::{AgentKind, EventGraph, Symbol, Violation};
use crate::event::termination_order::{awaits_cut_thread, waits_for_warp};
use crate::execution::barriers::Barriers;
use crate::execution::schedule::Schedules;
use crate::id::{AgentId, BarrierId, EventId, ExprId, SymbolId};
use crate::program::expr::{Binary, Expr, ExprArena};
use crate::solve::Goal;
use crate::waiting::barrier::{BarrierKey, BarrierOp, BarrierRule};
use crate::waiting::phase::{self, Whom};
use crate::waiting::reading::{Reading, Terms};
use petgraph::Graph;
use petgraph::algo::toposort;
use rustc_hash::FxHashMap;
use std::iter;
use std::sync::Arc;
use typed_index_collections::{TiSlice, TiVec};

/// A program whose executions are prefixes of another program's executions.
pub(super) enum Prefix {
    /// Every execution of the program is a prefix.
    Certain(EventGraph),
    /// An over-approximation: every prefix is an execution of this program, but not vice versa. The
    /// prefixes of the certain program are included.
    Possible(EventGraph),
}

/// The most barrier operations in a program in which threads may block.
pub(super) const MOST_OPERATIONS: usize = 40;

impl Prefix {
    /// The events of a certain prefix.
    pub(super) fn certain(self) -> Option<EventGraph> {
        match self {
            Self::Certain(graph) => Some(graph),
            Self::Possible(_) => None,
        }
    }
}

/// The result found in a prefix, with its events; `undecided` if it is found in a possible one
/// only.
pub(super) fn first_found<T>(
    prefixes: impl IntoIterator<Item = Prefix>,
    find: impl Fn(&EventGraph) -> Option<T>,
    undecided: impl FnOnce() -> T,
) -> Option<(T, EventGraph)> {
    let mut possible = None;
    for prefix in prefixes {
        match prefix {
            Prefix::Certain(graph) => {
                if let Some(found) = find(&graph) {
                    return Some((found, graph));
                }
            }
            Prefix::Possible(graph) if possible.is_none() => {
                possible = find(&graph).map(|_| graph);
            }
            Prefix::Possible(_) => {}
        }
    }
    possible.map(|graph| (undecided(), graph))
}

/// The prefixes of a program up to possible infinite waits, with their undefined behaviour. None if
/// threads surely pass all barriers, and executions in which threads stay in loops count as they
/// are.
///
/// A filter is about final states, which prefixes do not have: a program with a filter has no
/// prefixes here.
pub(super) fn before_waits(graph: &EventGraph) -> impl Iterator<Item = Prefix> {
    let asked = graph.exprs.is_true(graph.filter)
        && (Goal::AnyViolation.needs_end(graph) || !all_pass(graph));
    let few = graph.barriers.len() <= MOST_OPERATIONS;
    let chosen = (asked && few).then(|| iter::once_with(|| Blocked::new(graph).misuses(graph)));
    let loose = (asked && !few).then(|| {
        let mut loose = without_barriers(graph);
        loose.forget_cuts();
        Prefix::Possible(loose)
    });
    chosen.into_iter().flatten().flatten().chain(loose)
}

/// Whether all threads surely pass all barriers in every order.
pub(super) fn all_pass(graph: &EventGraph) -> bool {
    let all_pass =
        |barriers: Barriers<'_>| barriers.all_pass() || Schedules::new(barriers).all_pass();
    !awaits_cut_thread(graph) && Barriers::fixed(graph).is_some_and(all_pass)
}

/// The program without barrier operations: an over-approximation of its prefixes.
pub(super) fn without_barriers(graph: &EventGraph) -> EventGraph {
    graph.guarded(
        |exprs, id| match graph.barrier(id) {
            Some(_) => exprs.truth(false),
            None => graph.event(id).guard,
        },
        |_, cut| cut.guard,
    )
}

/// Which threads operations are assumed to wait for, if this is uncertain.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Waits {
    /// All threads for which the operations may wait.
    ForAll,
    /// Only threads for which the operations surely wait: threads that never reach the barrier and, in a
    /// warp, are not even blocked at it.
    ForSome,
}

/// Whether a thread that is blocked at an operation counts as arrived there.
///
/// No event shows the arrival of a blocked thread. If a later event of another thread needs the
/// arrival, blocking counts only at operations that the thread surely reaches, or where no thread
/// passes the barrier, so that its participants do not matter.
#[derive(Clone, Copy)]
pub(super) enum Blocking {
    /// Blocked threads have not arrived.
    No,
    /// Blocked threads have arrived: no later event needs the arrival.
    Counts,
    /// Blocked threads have arrived under this condition, at operations that surely happen and arrive.
    CountsWhere(ExprId),
}

/// The operations that count as the arrival of a thread.
#[derive(Clone, Copy)]
pub(super) enum Come {
    /// Those that arrive.
    Arrivals,
    /// Those that are numbered together with the operation that waits.
    OneKind,
}

/// The program with a choice of where threads block.
pub(super) struct Blocked {
    /// The events; an operation at which a thread blocks does not happen, nor later events of the
    /// thread.
    pub(super) graph: EventGraph,
    /// For each barrier operation, the condition that its thread reaches it and blocks.
    pub(super) stays: TiVec<BarrierId, ExprId>,
    /// The incomplete operations, each with the condition that its thread stops at it.
    incomplete: IndexMap<BarrierId, ExprId>,
    /// Whether each operation of the program is an arrival that surely happens unless its thread is
    /// blocked before.
    is_sure: TiVec<BarrierId, bool>,
    /// Whether each operation of the program waits for its warp.
    waits_for_warp: TiVec<BarrierId, bool>,
    /// For each thread, the condition that it does not end, but stays at a barrier, in a loop, before a
    /// task, or unscheduled.
    pub(super) held: Vec<ExprId>,
    /// The places where threads may stay for ever, in the order of [`Awaited`].
    pub(super) waits: Vec<Wait>,
}

impl Blocked {
    /// The program with such a choice for each operation at which a thread may block.
    pub(super) fn new(graph: &EventGraph) -> Self {
        Self::with_incomplete(graph, &[], |_| false)
    }

    /// As [`Self::new`], with a scheduler that may leave threads at some places for ever.
    pub(super) fn with_halts(graph: &EventGraph, mut halts: Halts) -> Self {
        Self::chosen(graph, &[], |_| false, &mut halts)
    }

    /// As [`Self::new`], for executions in which threads reach the given CTA barrier operations
    /// without completing the barrier. Operations with `is_at_once` complete the barrier
    /// immediately.
    pub(super) fn with_incomplete(
        graph: &EventGraph,
        incomplete: &[BarrierId],
        is_at_once: impl Fn(&BarrierOp) -> bool,
    ) -> Self {
        Self::chosen(graph, incomplete, is_at_once, &mut Halts::nowhere(graph))
    }

    fn chosen(
        graph: &EventGraph,
        incomplete: &[BarrierId],
        is_at_once: impl Fn(&BarrierOp) -> bool,
        halts: &mut Halts,
    ) -> Self {
        let mut chosen = graph.clone();
        let (at_once, incomplete): (Vec<BarrierId>, Vec<BarrierId>) =
            incomplete.iter().partition(|&&b| is_at_once(&graph.barriers[b]));
        for op in &mut chosen.barriers {
            // Such an operation is over once a thread has waited for it. The same holds for all
            // operations with `is_at_once` on its barrier.
            let here = |&b: &BarrierId| graph.barriers[b].key == op.key;
            op.waits |= at_once.iter().any(here) && is_at_once(op);
        }
        for &b in &incomplete {
            let op = &graph.barriers[b];
            let exprs = &mut chosen.exprs;
            let count = match op.count() {
                Some(count) => exprs.zero_extend(count, COUNT_BITS),
                None => exprs.number(graph.count_of_all(&op.key), COUNT_BITS),
            };
            let more = exprs.number(MORE_THREADS, COUNT_BITS);
            let beyond = exprs.binary(Binary::Add, count, more);
            chosen.barriers[b].rule = BarrierRule::Count(beyond);
            chosen.barriers[b].waits = false;
        }
        let never = chosen.exprs.truth(false);
        let mut out = Self {
            stays: TiVec::from(vec![never; graph.barriers.len()]),
            incomplete: incomplete.into_iter().map(|b| (b, never)).collect(),
            is_sure: graph
                .barriers
                .iter()
                .map(|op| op.arrives && graph.exprs.is_true(graph.event(op.event).guard))
                .collect(),
            waits_for_warp: graph.barriers.iter().map(|op| waits_for_warp(graph, op)).collect(),
            held: vec![never; graph.agents.len()],
            waits: Vec::new(),
            graph: chosen,
        };
        let mut guards: Vec<ExprId> = graph.events.iter().map(|event| event.guard).collect();
        for agent in in_order_of_tasks(graph) {
            out.choose(graph, agent, halts, &mut guards);
        }
        out.waits.sort_by_key(|wait| wait.what);
        out.graph = out.graph.guarded(|_, id| guards[id.index()], |_, cut| cut.guard);
        out
    }

    /// The prefixes of this program without other questions: the certain ones and, if those may
    /// not be all, an over-approximation.
    pub(super) fn prefixes(mut self) -> impl Iterator<Item = Prefix> {
        let is_prefix = self.is_prefix();
        let loosely = self.is_open().then(|| self.are_passed(Waits::ForSome));
        self.graph.forget_cuts();
        self.graph.violations.clear();
        let with = |filter| {
            let mut graph = self.graph.clone();
            graph.filter = filter;
            graph
        };
        let more = loosely.map(|filter| Prefix::Possible(with(filter)));
        [Prefix::Certain(with(is_prefix))].into_iter().chain(more)
    }

    /// As [`Self::prefixes`], with the violations of a program that barriers and tasks let
    /// happen. A use outside of the model counts at any position if its position is unknown.
    pub(super) fn misuses(mut self, program: &EventGraph) -> impl Iterator<Item = Prefix> {
        let mut violations = Vec::new();
        for violation in &program.violations {
            let known = violation.is_out_of_model() || !violation.behind.is_empty();
            let guard = self.reaches(violation);
            if known && !self.graph.exprs.is_false(guard) {
                violations.push(Violation { guard, ..violation.clone() });
            }
        }
        self.prefixes().map(move |mut prefix| {
            let (Prefix::Certain(graph) | Prefix::Possible(graph)) = &mut prefix;
            graph.violations.clone_from(&violations);
            prefix
        })
    }

    /// When threads reach a violation and the threads that have to end before it do.
    fn reaches(&mut self, violation: &Violation) -> ExprId {
        let before = |b: BarrierId, &(agent, count): &(AgentId, usize)| {
            b.index() < count && self.agent(b) == agent
        };
        let behind = |b: &BarrierId| violation.behind.iter().any(|place| before(*b, place));
        let stays = self.stays.keys().filter(behind).map(|b| self.stays[b]);
        let held = violation.ended.iter().map(|agent| self.held[agent.index()]);
        let stays: Vec<ExprId> = stays.chain(held).collect();
        let exprs = &mut self.graph.exprs;
        stays.into_iter().fold(violation.guard, |guard, stays| {
            let goes = exprs.not(stays);
            exprs.and(guard, goes)
        })
    }

    /// Lets a thread block at its waits, after the threads of earlier tasks. Sets the guards of the
    /// thread's events and cuts, and the condition that it does not end.
    fn choose(
        &mut self,
        graph: &EventGraph,
        agent: AgentId,
        halts: &mut Halts,
        guards: &mut [ExprId],
    ) {
        if matches!(graph.agents[agent.index()].kind, AgentKind::Operation(..)) {
            return;
        }
        let mut goes = self.graph.exprs.truth(true);
        let mut held = self.graph.exprs.truth(false);
        for id in graph.ids().filter(|&id| graph.event(id).agent == agent) {
            let guard = graph.event(id).guard;
            if let Some(here) = halts.before(graph, &mut self.graph, id) {
                let when = stop(&mut self.graph.exprs, here, &mut goes, &mut held);
                self.waits.push(Wait { agent, what: Awaited::Step(id), when });
            }
            for &(earlier, _) in graph.api_edges.iter().filter(|&&(_, later)| later == id) {
                let stays = self.held[graph.event(earlier).agent.index()];
                let exprs = &mut self.graph.exprs;
                let waits = exprs.and(guard, stays);
                let when = stop(exprs, waits, &mut goes, &mut held);
                if !exprs.is_false(when) {
                    self.waits.push(Wait { agent, what: Awaited::Task(id), when });
                }
            }
            guards[id.index()] = self.graph.exprs.and(guard, goes);
            // An asynchronous operation goes on if it has been issued.
            for event in graph.issued_at(id) {
                let guard = graph.event(event).guard;
                guards[event.index()] = self.graph.exprs.and(guard, goes);
            }
            let Some(b) = graph.barrier_index(id) else { continue };
            let waits = graph.barriers[b].waits;
            if graph.exprs.is_false(guard) || !(waits || self.waits_for_warp[b]) {
                continue;
            }
            let is_complete = !self.incomplete.contains_key(&b);
            let mut here = guard;
            // If the operation waits for ever, its thread goes no further.
            if is_complete || !waits {
                let bit = choose(&mut self.graph, b, "stays");
                here = self.graph.exprs.and(guard, bit);
            }
            let exprs = &mut self.graph.exprs;
            let stays = stop(exprs, here, &mut goes, &mut held);
            if is_complete {
                self.stays[b] = stays;
                self.waits.push(Wait { agent, what: Awaited::Phase(b), when: stays });
                guards[id.index()] = exprs.and(guard, goes);
            } else {
                self.incomplete.insert(b, stays);
            }
        }
        for (index, cut) in self.graph.cuts.iter_mut().enumerate() {
            if cut.agent == agent {
                cut.guard = self.graph.exprs.and(cut.guard, goes);
                held = self.graph.exprs.or(held, cut.guard);
                self.waits.push(Wait { agent, what: Awaited::Value(index), when: cut.guard });
            }
        }
        self.held[agent.index()] = held;
    }

    /// The condition that no passed operation waits for a thread that neither arrives nor ends. The
    /// engines take blocked threads as ended, so this has to be stated.
    ///
    /// Two questions have no certain answer here. The first is the set of threads for which an
    /// operation without a count waits if values decide other counts at its barrier. Here the
    /// operation is passed only if no thread is blocked. The second is the arrival of a blocked
    /// thread together with its warp ([`Blocking`]).
    pub(super) fn is_prefix(&mut self) -> ExprId {
        self.are_passed(Waits::ForAll)
    }

    /// As [`Self::is_prefix`], but satisfied by all prefixes of executions, and perhaps by more.
    pub(super) fn may_be_prefix(&mut self) -> ExprId {
        self.are_passed(if self.is_open() { Waits::ForSome } else { Waits::ForAll })
    }

    fn are_passed(&mut self, waits: Waits) -> ExprId {
        let mut all = self.graph.exprs.truth(true);
        for b in self.stays.keys() {
            let passed = self.is_passed(b, waits);
            all = self.graph.exprs.and(all, passed);
        }
        all
    }

    /// Whether [`Self::is_prefix`] may leave out prefixes of executions.
    fn is_open(&self) -> bool {
        let may_stay = |held: &ExprId| !self.graph.exprs.is_false(*held);
        let ops = || self.graph.barriers.iter();
        self.held.iter().any(may_stay)
            && (self.waits_for_warp.contains(&true) || ops().any(|op| self.awaits_by_counts(op)))
    }

    /// Whether thread counts decide for which threads an operation waits.
    fn awaits_by_counts(&self, op: &BarrierOp) -> bool {
        op.rule == BarrierRule::AllLive && !self.graph.knows_counts_at(&op.key)
    }

    /// Counts only these blocked threads as not ending.
    pub(super) fn count_as_held(&mut self, held: &TiSlice<BarrierId, ExprId>) {
        let never = self.graph.exprs.truth(false);
        self.held.fill(never);
        for b in self.stays.keys() {
            let agent = self.agent(b).index();
            self.held[agent] = self.graph.exprs.or(self.held[agent], held[b]);
        }
    }

    fn is_passed(&mut self, b: BarrierId, waits: Waits) -> ExprId {
        let op = self.graph.barriers[b].clone();
        let mut passed = self.passed(b);
        if let Some(&stays) = self.incomplete.get(&b) {
            let goes = self.graph.exprs.not(stays);
            passed = self.graph.exprs.and(passed, goes);
        }
        let mut missing = self.graph.exprs.truth(false);
        if op.waits && op.count().is_none() && !self.awaits_by_counts(&op) {
            let others = self.participants(b);
            missing = self.lacks(Whom::All(&others), b, Come::Arrivals, Blocking::No);
        } else if op.waits && op.count().is_none() {
            for other in self.participants(b) {
                let away = match waits {
                    Waits::ForAll => self.held[other.index()],
                    Waits::ForSome => {
                        let numbering = Arc::clone(self.graph.numbering());
                        let (mut terms, _) = self.graph.terms(&self.held);
                        let visits = numbering.visits(other, b).iter();
                        let visits: Vec<ExprId> = visits.map(|&b| terms.occurs(b)).collect();
                        let come = terms.disjunction(&visits);
                        let [lasts, away] = [terms.never_ends(other), terms.negated(come)];
                        terms.conjunction(&[lasts, away])
                    }
                };
                missing = self.graph.exprs.or(missing, away);
            }
        }
        let mates = self.misses_mates(b, waits);
        missing = self.graph.exprs.or(missing, mates);
        let none = self.graph.exprs.not(missing);
        self.graph.exprs.implies(passed, none)
    }

    /// When an operation waits for a thread of its warp that neither reaches the barrier nor ends.
    pub(super) fn misses_warp(&mut self, b: BarrierId) -> ExprId {
        self.misses_mates(b, Waits::ForSome)
    }

    fn misses_mates(&mut self, b: BarrierId, waits: Waits) -> ExprId {
        if !self.waits_for_warp[b] {
            return self.graph.exprs.truth(false);
        }
        let op = self.graph.barriers[b].clone();
        let blocked = match waits {
            Waits::ForSome => Blocking::Counts,
            Waits::ForAll if op.waits => Blocking::No,
            Waits::ForAll => Blocking::CountsWhere(self.nobody_waits_at(&op.key)),
        };
        let mates: Vec<AgentId> = self.graph.mates(self.agent(b)).collect();
        self.lacks(Whom::All(&mates), b, Come::OneKind, blocked)
    }

    /// When no operation that waits at a barrier is passed.
    fn nobody_waits_at(&mut self, key: &BarrierKey) -> ExprId {
        let barriers = self.graph.barriers.iter();
        let waits = barriers.filter(|op| op.waits && op.key == *key);
        let guards: Vec<ExprId> = waits.map(|op| self.graph.event(op.event).guard).collect();
        let exprs = &mut self.graph.exprs;
        let any = guards.into_iter().fold(exprs.truth(false), |any, guard| exprs.or(any, guard));
        exprs.not(any)
    }

    /// The other threads that an operation without a count may wait for.
    pub(super) fn participants(&self, b: BarrierId) -> Vec<AgentId> {
        let op = &self.graph.barriers[b];
        let takes_part = |&agent: &AgentId| {
            op.rule != BarrierRule::Participants
                || !self.graph.numbering().visits(agent, b).is_empty()
        };
        let others =
            self.graph.members(&op.key).into_iter().filter(|&agent| agent != self.agent(b));
        others.filter(takes_part).collect()
    }

    /// When the phase of an operation [lacks](phase::lacks) threads. An arrival is a passed operation that
    /// counts or, as `blocked` says, a block at one.
    pub(super) fn lacks(
        &mut self,
        whom: Whom<'_>,
        b: BarrierId,
        kind: Come,
        blocked: Blocking,
    ) -> ExprId {
        let at = (b, self.ordinal(b));
        let numbering = Arc::clone(self.graph.numbering());
        let here: Vec<BarrierId> = numbering.at_barrier_of(b).collect();
        let reached = self.reached(&here, blocked);
        let happens = |other| reached[&other];
        let EventGraph { exprs, barriers, .. } = &mut self.graph;
        let mut terms = Terms { exprs, happens, never_ends: &self.held };
        let counts = |other: BarrierId| match kind {
            Come::Arrivals => barriers[other].arrives,
            Come::OneKind => numbering.are_of_one_kind(b, other),
        };
        phase::lacks(&mut terms, &numbering, whom, at, counts)
    }

    /// When threads have reached operations: they pass them or, as `blocked` says, block at them.
    fn reached(
        &mut self,
        operations: &[BarrierId],
        blocked: Blocking,
    ) -> FxHashMap<BarrierId, ExprId> {
        let reached = operations.iter().map(|&b| {
            let (passed, stays) = (self.passed(b), self.stays[b]);
            let exprs = &mut self.graph.exprs;
            let reached = match blocked {
                Blocking::Counts => exprs.or(passed, stays),
                Blocking::CountsWhere(when) if self.is_sure[b] => {
                    let stays = exprs.and(stays, when);
                    exprs.or(passed, stays)
                }
                Blocking::No | Blocking::CountsWhere(_) => passed,
            };
            (b, reached)
        });
        reached.collect()
    }

    /// The ordinal of an operation among those that have been passed.
    fn ordinal(&mut self, b: BarrierId) -> ExprId {
        let numbering = Arc::clone(self.graph.numbering());
        phase::ordinal(&mut self.graph.terms(&[]).0, &numbering, b)
    }

    /// How many of these conditions hold.
    pub(super) fn count(&mut self, all: Vec<ExprId>) -> ExprId {
        self.graph.exprs.count(all, BarrierOp::ORDINAL_BITS)
    }

    pub(super) fn agent(&self, b: BarrierId) -> AgentId {
        self.graph.event(self.graph.barriers[b].event).agent
    }

    /// The condition that an operation is passed.
    pub(super) fn passed(&self, b: BarrierId) -> ExprId {
        self.graph.event(self.graph.barriers[b].event).guard
    }
}

/// The width of thread counts.
const COUNT_BITS: u32 = 32;

/// More threads than any CTA has, so that a count beyond is never reached.
const MORE_THREADS: u128 = 1 << 16;

/// Stops a thread under a condition, if the thread reaches this point; gives when it stops.
fn stop(exprs: &mut ExprArena, here: ExprId, goes: &mut ExprId, held: &mut ExprId) -> ExprId {
    let stops = exprs.and(*goes, here);
    *held = exprs.or(*held, stops);
    let not = exprs.not(here);
    *goes = exprs.and(*goes, not);
    stops
}

/// A new choice bit about the thread of an operation, such as whether it `stays` there.
pub(super) fn choose(graph: &mut EventGraph, b: BarrierId, what: &str) -> ExprId {
    let op = &graph.barriers[b];
    let id = SymbolId::new(graph.symbols.len());
    let thread = &graph.agents[graph.event(op.event).agent.index()].name;
    let name = format!("whether {thread} {what} at {}", op.key);
    graph.symbols.push(Symbol::chosen(name, 1));
    graph.exprs.leaf(Expr::Symbol(id), 1)
}

/// The agents in topological order of tasks: a task after those that it waits for.
fn in_order_of_tasks(graph: &EventGraph) -> Vec<AgentId> {
    let mut tasks: Graph<(), ()> = Graph::new();
    let threads: Vec<_> = graph.agents.iter().map(|_| tasks.add_node(())).collect();
    let thread = |event: EventId| threads[graph.event(event).agent.index()];
    for &(earlier, later) in &graph.api_edges {
        tasks.update_edge(thread(earlier), thread(later), ());
    }
    let order = toposort(&tasks, None).expect("no task waits for itself");
    order.into_iter().map(|thread| AgentId::new(thread.index())).collect()
}
