//! Meetings of barrier operations, as formulas.
//!
//! If control flow and counts are fixed, the well-founded assignments are listed and one of them is
//! chosen. Otherwise generations are counted by clocks, for barriers without explicit counts;
//! [those with counts](super::meetings) are listed for the control flows that a solver finds. In
//! executions that the bound cuts, operations meet only where their ordinals alone decide it.

use super::formula::{Clock, Formula};
use super::{EncodeError, Encoding};
use crate::execution::barriers::{Barriers, Generations};
use crate::id::{AgentId, BarrierId, EventId, ExprId};
use crate::program::expr::{Binary, Expr};
use crate::program::micro::Reduction;
use crate::rule::Unsupported;
use crate::vocabulary::BaseRel;
use crate::waiting::barrier::{BarrierKey, BarrierOp, BarrierRule};
use crate::waiting::cluster::is_in_turn;
use crate::waiting::phase::Phases;
use crate::waiting::reading::Reading;
use rustc_hash::{FxHashMap, FxHashSet};
use typed_index_collections::{TiSlice, TiVec};

/// The choices made for barriers.
#[derive(Clone, Debug, Default)]
pub struct BarrierEncoding {
    /// Synchronization edges of all kinds.
    pub edges: FxHashMap<(EventId, EventId), Formula>,
    /// The listed assignments with the formula that chooses each.
    pub options: Vec<(Generations, Formula)>,
    /// Whether assignments are listed on demand, for one control flow after the other.
    pub(super) open: bool,
    /// The conditions for which they have been listed.
    pub(super) listed: FxHashSet<Formula>,
}

impl Encoding<'_> {
    /// Encodes barriers; in executions that may be incomplete, operations meet only where their
    /// ordinals alone decide it.
    pub(super) fn encode_barriers(&mut self, complete: bool) -> Result<(), EncodeError> {
        if self.graph.barriers.is_empty() {
            return Ok(());
        }
        match Barriers::fixed(self.graph) {
            _ if !complete => self.meet_by_ordinal(),
            Some(barriers) => {
                self.list_assignments(&barriers, barriers.assignments().map_err(Unsupported::from)?)
            }
            None if self.has_counts() => self.leave_meetings_open(),
            None => self.count_generations(),
        }
        self.exchanges();
        Ok(())
    }

    /// Defines the results of exchanges within warps by their expressions.
    fn exchanges(&mut self) {
        for (index, op) in self.graph.barriers.iter_enumerated() {
            if let Some(value) = op.exchanged() {
                let leaf = self.result_of(index, self.exprs.width(value));
                let same = self.exprs.equal(leaf, value);
                let (same, happens) = (self.truth(same), self.happens(op.event));
                let clause = self.formulas.implies(happens, same);
                self.hard.push(clause);
            }
        }
    }

    /// The result of a barrier operation.
    fn result_of(&mut self, index: BarrierId, width: u32) -> ExprId {
        self.exprs.leaf(Expr::Barrier(index), width)
    }

    fn list_assignments(&mut self, barriers: &Barriers<'_>, options: Vec<Generations>) {
        let chosen: Vec<Formula> = match options.len() {
            1 => vec![self.formulas.constant(true)],
            n => (0..n).map(|_| self.formulas.variable()).collect(),
        };
        let some = self.formulas.any(chosen.iter().copied());
        self.hard.push(some);
        self.at_most_one(&chosen);
        for (edge, options) in self.edges_of(barriers, &options, &chosen) {
            let mut formula = self.formulas.any(options);
            let both = self.both_happen(edge.0, edge.1);
            formula = self.formulas.all([formula, both]);
            self.barriers.edges.insert(edge, formula);
        }
        for (generations, &formula) in options.iter().zip(&chosen) {
            self.listed_results(generations, formula);
        }
        self.barriers.options = options.into_iter().zip(chosen).collect();
    }

    /// The synchronization edges of assignments, each with the formulas that choose an assignment
    /// with the edge.
    pub(super) fn edges_of(
        &self,
        barriers: &Barriers<'_>,
        options: &[Generations],
        chosen: &[Formula],
    ) -> FxHashMap<(EventId, EventId), Vec<Formula>> {
        let mut edges: FxHashMap<_, Vec<Formula>> = FxHashMap::default();
        for (generations, &formula) in options.iter().zip(chosen) {
            for edge in edges_of_way(barriers, generations) {
                edges.entry(edge).or_default().push(formula);
            }
        }
        edges
    }

    /// The results of `bar.red` under one listed assignment.
    pub(super) fn listed_results(&mut self, generations: &Generations, chosen: Formula) {
        for index in self.graph.barriers.keys() {
            let Some(own) = generations[index] else { continue };
            let key = &self.graph.barriers[index].key;
            let members: Vec<BarrierId> = self
                .graph
                .barriers
                .keys()
                .filter(|&o| {
                    self.graph.barriers[o].key == *key
                        && generations[o].is_some_and(|g| g.index == own.index)
                })
                .collect();
            self.result(index, &members, chosen);
        }
    }

    /// Defines the result of a `bar.red` if these operations meet.
    fn result(&mut self, index: BarrierId, members: &[BarrierId], when: Formula) {
        let op = &self.graph.barriers[index];
        let Some(reduction) = op.reduction else { return };
        let predicates = members.iter().filter_map(|&member| self.graph.barriers[member].operand);
        let predicates: Vec<ExprId> = predicates.collect();
        self.returned(index, reduction, &predicates, when);
    }

    /// Counts generations by occurrence, for barriers without counts under branches.
    fn count_generations(&mut self) {
        let graph = self.graph;
        let phases = Phases::read(self, graph.numbering());
        let clocks: TiVec<BarrierId, Clock> =
            graph.barriers.keys().map(|_| self.formulas.clock()).collect();
        for a in graph.barriers.keys() {
            for b in graph.barriers.keys() {
                if a != b {
                    self.relate_phases(a, b, &phases, &clocks);
                }
            }
            self.absent_threads(a, &phases, &clocks);
            self.warp_comes(a, &phases, &clocks);
            self.counted_result(a, &phases);
        }
    }

    /// Defines the result of a `bar.red` whose participants depend on control flow. It combines the
    /// predicates of operations that happen and have the same ordinal.
    fn counted_result(&mut self, index: BarrierId, phases: &Phases<'_, ExprId>) {
        let happens = self.happens(self.graph.barriers[index].event);
        self.result_of_turn(index, phases, happens);
    }

    /// As [`Self::counted_result`], when `settled` holds.
    fn result_of_turn(&mut self, index: BarrierId, phases: &Phases<'_, ExprId>, settled: Formula) {
        let graph = self.graph;
        let Some(reduction) = graph.barriers[index].reduction else { return };
        let mut members = Vec::new();
        for (other, op) in graph.barriers.iter_enumerated() {
            let Some(predicate) = op.operand.filter(|_| op.key == graph.barriers[index].key) else {
                continue;
            };
            let together = self.exprs.equal(phases.ordinal(index), phases.ordinal(other));
            let present = self.exprs.and(graph.event(op.event).guard, together);
            members.push(match reduction {
                Reduction::Popc | Reduction::Or => self.exprs.and(present, predicate),
                Reduction::And => {
                    let absent = self.exprs.not(present);
                    self.exprs.or(absent, predicate)
                }
            });
        }
        self.returned(index, reduction, &members, settled);
    }

    /// Lets operations of equal ordinal meet where ordinals decide, and defines results in phases
    /// that no thread can join any more.
    fn meet_by_ordinal(&mut self) {
        let graph = self.graph;
        let phases = Phases::read(self, graph.numbering());
        let by_ordinal = |&b: &BarrierId| graph.meets_by_ordinal(&graph.barriers[b].key);
        for a in graph.barriers.keys().filter(by_ordinal) {
            for b in graph.waits_for_arrival(a) {
                let meets = phases.meet(self, a, b);
                let edge = (graph.barriers[a].event, graph.barriers[b].event);
                self.barriers.edges.insert(edge, meets);
            }
            if graph.barriers[a].reduction.is_some() {
                let members = graph.members(&graph.barriers[a].key);
                let settled = phases.is_settled(self, a, members);
                self.result_of_turn(a, &phases, settled);
            }
        }
    }

    /// Defines the result of a `bar.red` as the reduction of these truth values.
    fn returned(&mut self, index: BarrierId, reduction: Reduction, of: &[ExprId], when: Formula) {
        let width = if reduction == Reduction::Popc { 32 } else { 1 };
        let leaf = self.result_of(index, width);
        let mut value = match reduction {
            Reduction::Popc | Reduction::Or => self.exprs.number(0, width),
            Reduction::And => self.exprs.truth(true),
        };
        for &predicate in of {
            value = match reduction {
                Reduction::Popc => {
                    let one = self.exprs.zero_extend(predicate, 32);
                    self.exprs.binary(Binary::Add, value, one)
                }
                Reduction::And => self.exprs.and(value, predicate),
                Reduction::Or => self.exprs.or(value, predicate),
            };
        }
        let same = self.exprs.equal(leaf, value);
        let same = self.truth(same);
        let clause = self.formulas.implies(when, same);
        self.hard.push(clause);
    }

    fn agent(&self, barrier: BarrierId) -> AgentId {
        self.graph.event(self.graph.barriers[barrier].event).agent
    }

    /// Orders two operations. The clock of an operation that waits for its barrier or warp is the
    /// time when it is passed. The clock of any other operation is the time when it begins.
    fn relate_phases(
        &mut self,
        a: BarrierId,
        b: BarrierId,
        phases: &Phases<'_, ExprId>,
        clocks: &TiSlice<BarrierId, Clock>,
    ) {
        let (x, y) = (&self.graph.barriers[a], &self.graph.barriers[b]);
        let both = self.both_happen(x.event, y.event);
        let before = self.formulas.before(clocks[a], clocks[b]);
        let own = self.agent(a) == self.agent(b);
        if own && a < b {
            let clause = self.formulas.implies(both, before);
            self.hard.push(clause);
        }
        if x.key != y.key {
            return;
        }
        let less = self.less(phases.ordinal(a), phases.ordinal(b));
        if x.arrives {
            // The next generation begins when this one is complete.
            let earlier = self.formulas.all([both, less]);
            let clause = self.formulas.implies(earlier, before);
            self.hard.push(clause);
        }
        let meets = phases.meet(self, a, b);
        if own {
            return;
        }
        if x.arrives && y.waits {
            // Operations that arrive and wait are passed together.
            let order = if x.waits && y.arrives {
                self.formulas.together(clocks[a], clocks[b])
            } else {
                before
            };
            let clause = self.formulas.implies(meets, order);
            self.hard.push(clause);
            self.barriers.edges.insert((x.event, y.event), meets);
        }
    }

    /// A thread of the group that takes no part has to have ended: all its operations come before.
    /// A thread that waits without having arrived, which is a misuse, has to have reached that
    /// wait.
    fn absent_threads(
        &mut self,
        a: BarrierId,
        phases: &Phases<'_, ExprId>,
        clocks: &TiSlice<BarrierId, Clock>,
    ) {
        let graph = self.graph;
        let op = &graph.barriers[a];
        if op.rule != BarrierRule::AllLive || !op.waits {
            return;
        }
        let own_agent = self.agent(a);
        for agent in graph.members(&op.key).into_iter().filter(|&t| t != own_agent) {
            let own: Vec<BarrierId> =
                graph.barriers.keys().filter(|&b| self.agent(b) == agent).collect();
            let (mut arrivals, mut waits) = (Vec::new(), Vec::new());
            for &b in own.iter().filter(|&&b| graph.barriers[b].key == op.key) {
                let present = phases.takes_part(self, b, a);
                if graph.barriers[b].arrives {
                    arrivals.push(present);
                } else {
                    waits.push((b, present));
                }
            }
            let present = self.formulas.any(arrivals);
            let absent = self.formulas.not(present);
            for &w in &own {
                let both = self.both_happen(op.event, graph.barriers[w].event);
                let earlier = waits.iter().filter(|(b, _)| *b <= w).map(|(_, present)| *present);
                let waits_before: Vec<Formula> = earlier.collect();
                let waits_before = self.formulas.any(waits_before);
                let ends = self.formulas.not(waits_before);
                let premise = self.formulas.all([absent, ends, both]);
                let before = self.formulas.before(clocks[w], clocks[a]);
                let clause = self.formulas.implies(premise, before);
                self.hard.push(clause);
            }
        }
    }

    /// An operation at a cluster barrier is passed when the other threads of the warp have an
    /// operation with its ordinal. The earlier operations of each thread come before; without such
    /// an operation, all operations of the thread. A thread that leaves the turn out misuses the
    /// barrier with its next operation, and is present; an operation that misuses the barrier
    /// itself has no companions.
    fn warp_comes(
        &mut self,
        a: BarrierId,
        phases: &Phases<'_, ExprId>,
        clocks: &TiSlice<BarrierId, Clock>,
    ) {
        let graph = self.graph;
        let op = &graph.barriers[a];
        if !matches!(op.key, BarrierKey::Cluster(_)) {
            return;
        }
        let agent = |b: BarrierId| graph.event(graph.barriers[b].event).agent;
        for mate in graph.mates(agent(a)) {
            let in_turn = is_in_turn(self, phases.numbering, a, op);
            let mut come = vec![self.formulas.not(in_turn)];
            for b in graph.barriers.keys().filter(|&b| agent(b) == mate) {
                if graph.barriers[b].key == op.key {
                    let other = &graph.barriers[b];
                    come.push(phases.accompanies(self, (b, other), (a, op)));
                }
                let come = self.formulas.any(come.iter().copied());
                let not_yet = self.formulas.not(come);
                let both = self.both_happen(op.event, graph.barriers[b].event);
                let premise = self.formulas.all([not_yet, both]);
                let before = self.formulas.before(clocks[b], clocks[a]);
                let clause = self.formulas.implies(premise, before);
                self.hard.push(clause);
            }
        }
    }
}

/// Waiting in all executions at once: facts about events are formulas, ordinals are expressions.
impl Reading for Encoding<'_> {
    type Truth = Formula;
    type Number = ExprId;

    fn occurs(&mut self, operation: BarrierId) -> Formula {
        self.happens(self.graph.barriers[operation].event)
    }

    fn never_ends(&mut self, thread: AgentId) -> Formula {
        let cuts = self.graph.cuts.iter().filter(|cut| cut.agent == thread);
        let cuts: Vec<Formula> = cuts.map(|cut| self.truth(cut.guard)).collect();
        self.formulas.any(cuts)
    }

    fn negated(&mut self, a: Formula) -> Formula {
        self.formulas.not(a)
    }

    fn conjunction(&mut self, parts: &[Formula]) -> Formula {
        self.formulas.all(parts.iter().copied())
    }

    fn disjunction(&mut self, parts: &[Formula]) -> Formula {
        self.formulas.any(parts.iter().copied())
    }

    fn number(&mut self, value: u32) -> ExprId {
        self.exprs.number(u128::from(value), BarrierOp::ORDINAL_BITS)
    }

    fn sum(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.exprs.binary(Binary::Add, a, b)
    }

    fn counted(&mut self, number: ExprId, operation: BarrierId) -> ExprId {
        let guard = self.graph.event(self.graph.barriers[operation].event).guard;
        let one = self.exprs.zero_extend(guard, BarrierOp::ORDINAL_BITS);
        self.exprs.binary(Binary::Add, number, one)
    }

    fn equal(&mut self, a: ExprId, b: ExprId) -> Formula {
        let equal = self.exprs.equal(a, b);
        self.truth(equal)
    }

    fn less(&mut self, a: ExprId, b: ExprId) -> Formula {
        let less = self.exprs.binary(Binary::ULt, a, b);
        self.truth(less)
    }
}

/// The synchronization edges of one way to meet, in order.
pub(super) fn edges_of_way(
    barriers: &Barriers<'_>,
    generations: &Generations,
) -> Vec<(EventId, EventId)> {
    let kinds = BaseRel::BARRIERS.into_iter();
    let mut all: Vec<_> = kinds.flat_map(|kind| barriers.edges(generations, kind)).collect();
    all.sort_unstable();
    all
}
