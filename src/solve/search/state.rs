//! The search: reads-from choices one access at a time, then the orders that the model demands.
//!
//! After every choice the axioms are judged by lower bounds, so that a branch ends as soon as the
//! decided part breaks one. Orders grow only by the edges that productions demand; pairs that a
//! choice axiom leaves open are branched on.

use super::candidates::Space;
use super::compile::{Level, Side, SlotSet};
use super::matrix::{Base, Excluded, Slots};
use super::rules::{Demand, Rules};
use super::value_sets::Domains;
use crate::bitrel::{EventSet, Rel};
use crate::budget::Deadline;
use crate::event::graph::EventKind;
use crate::execution::barriers::Generations;
use crate::execution::build::{Choices, close_coherence, read_value};
use crate::id::{AccessId, BarrierId, EventId, ExprId};
use crate::program::expr::Expr;
use crate::program::value::{Values, evaluate};
use crate::relation::expr::AxiomKind;
use crate::rule::Unsupported;
use crate::solve::{Budget, Goal, Pairs, Why};
use crate::vocabulary::{BaseRel, BaseSet, Origin};
use rustc_hash::FxHashMap;
use typed_index_collections::TiVec;

/// Whether a search goes on.
pub(super) type Flow = Result<(), Stop>;

/// The reason why a search ends early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The search has found an execution.
    Found,
    /// The search has reached a limit.
    Gave(Why),
    /// The problem has a feature that the search does not handle.
    Unsupported(Unsupported),
}

/// The most search nodes of one question without a budget.
const DEFAULT_STEPS: u64 = 2_000_000;

/// The limit of one question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// In search nodes.
    pub(super) steps: u64,
    /// In time.
    pub(super) deadline: Option<Deadline>,
}

impl Limit {
    pub(super) fn new(budget: Budget) -> Self {
        Self { steps: budget.steps.unwrap_or(DEFAULT_STEPS), deadline: budget.end() }
    }

    /// The limit that a search of this many nodes has reached, if any.
    pub(super) fn reached(self, steps: u64) -> Option<Why> {
        if steps > self.steps {
            return Some(Why::Steps);
        }
        let late = steps.is_multiple_of(16) && self.deadline.is_some_and(Deadline::is_over);
        late.then_some(Why::Timeout)
    }
}

/// How many orientations of the orders are visited for one reads-from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Orders {
    /// One for each choice of final values: enough to find the reachable states.
    One,
    /// All orientations.
    All,
}

/// The callback for a consistent execution.
pub(super) type Visit<'v> = dyn FnMut(&Search<'_, '_>, Choices) -> Flow + 'v;

/// A partly decided execution.
pub(super) struct Search<'g, 'r> {
    pub(super) space: &'r Space<'g>,
    pub(super) rules: &'r Rules,
    pub(super) goal: Goal,
    pub(super) slots: Slots,
    pub(super) excluded: Excluded,
    pub(super) rf: Vec<Option<EventId>>,
    pub(super) known: Vec<Option<u128>>,
    pub(super) values: Values,
    /// Whether a leaf of the values has changed since they were computed.
    pub(super) stale: bool,
    pub(super) executed: EventSet,
    pub(super) possible: EventSet,
    pub(super) computed: Option<(EventSet, EventSet)>,
    pub(super) co: Rel,
    pub(super) sc: Rel,
    pub(super) sync: [Rel; 4],
    pub(super) generations: Generations,
    /// Whether the generations have been chosen.
    pub(super) met: bool,
    pub(super) finals: Vec<Option<EventId>>,
    pub(super) symbols: Vec<Option<u128>>,
    /// The results of barrier operations by index, and the operations with a known result in order
    /// of decision.
    pub(super) returned: TiVec<BarrierId, Option<u128>>,
    pub(super) returned_trail: Vec<BarrierId>,
    /// Whether some values stood for all values of a symbol of several bits.
    pub(super) sampled: bool,
    pub(super) domains: Domains,
    /// The read on which the search branched last without success.
    pub(super) conflict: Option<EventId>,
    /// The search nodes visited so far.
    pub(super) steps: u64,
    pub(super) limit: Limit,
    pub(super) active: &'r [bool],
    /// The slots that the active axioms use.
    wanted: SlotSet,
    /// The pairs of which the execution has to have one, with the index of the demand for that.
    pub(super) sought: Option<(usize, Pairs)>,
    /// Reads that have their write, and accesses whose value is known, in order of decision.
    pub(super) trail: Vec<EventId>,
    pub(super) known_trail: Vec<AccessId>,
    /// Reads whose value depends on itself, in order of decision, with the value that each takes.
    pub(super) self_justified: Vec<(AccessId, u128)>,
    /// The number of decisions about each agent.
    pub(super) touched: Vec<u32>,
    /// Pairs that a branch has ruled out: the read does not take the write's value.
    pub(super) closed: Rel,
    pub(super) closed_trail: Vec<(EventId, EventId)>,
    pub(super) orders: Orders,
    /// Axioms that have pruned something.
    pub(super) blamed: Vec<bool>,
    /// Whether look-ahead has pruned something, which any of the axioms may have caused.
    pub(super) looked_ahead: bool,
    /// Memory for saved orders.
    spare: Vec<[Rel; 2]>,
}

impl Drop for Search<'_, '_> {
    fn drop(&mut self) {
        self.rules.recycle(std::mem::take(&mut self.slots));
    }
}

impl Base for Search<'_, '_> {
    fn set(&self, set: BaseSet, side: Side, out: &mut EventSet) {
        match &self.space.sets[set.index()] {
            Some(members) => out.copy_from(members),
            None => out.clear(),
        }
        out.intersect_with(self.present(side));
    }

    fn relation(&self, relation: BaseRel, side: Side, out: &mut Rel) {
        match relation {
            BaseRel::Rf => self.reads_from(side, out),
            BaseRel::Co => out.copy_from(&self.co),
            BaseRel::FenceSc => out.copy_from(&self.sc),
            BaseRel::BarrierSync | BaseRel::WarpSync | BaseRel::ClusterSync | BaseRel::Exchange => {
                let kind = relation.kind_of_barrier().expect("one of them");
                self.synchronizes(kind, side, out);
            }
            _ if relation.origin() == Origin::Conditional => {
                self.conditional(relation, side, out);
            }
            given => match &self.space.relations[given.index()] {
                Some(pairs) => {
                    out.copy_from(pairs);
                    let present = self.present(side);
                    if present.count() < present.len() {
                        out.restrict_domain(present);
                        out.restrict_range(present);
                    }
                }
                None => out.clear(),
            },
        }
    }
}

impl<'g, 'r> Search<'g, 'r> {
    pub(super) fn new(
        space: &'r Space<'g>,
        rules: &'r Rules,
        active: &'r [bool],
        goal: Goal,
        limit: Limit,
    ) -> Self {
        let graph = space.graph;
        let n = graph.events.len();
        let mut co = Rel::empty(n);
        for writes in &space.writes {
            for &w in writes.iter().skip(1) {
                co.insert(writes[0], w);
            }
        }
        Self {
            space,
            rules,
            goal,
            slots: rules.slots(n),
            excluded: Excluded::default(),
            rf: vec![None; n],
            known: vec![None; graph.accesses.len()],
            values: Values::default(),
            stale: true,
            executed: EventSet::empty(n),
            possible: EventSet::empty(n),
            computed: None,
            co,
            sc: Rel::empty(n),
            sync: std::array::from_fn(|_| Rel::empty(n)),
            generations: TiVec::from(vec![None; graph.barriers.len()]),
            met: false,
            finals: vec![None; graph.locations.len()],
            symbols: vec![None; graph.symbols.len()],
            returned: TiVec::from(vec![None; graph.barriers.len()]),
            returned_trail: Vec::new(),
            sampled: false,
            domains: Domains::default(),
            conflict: None,
            steps: 0,
            limit,
            active,
            wanted: rules.wanted(active),
            sought: None,
            trail: Vec::new(),
            known_trail: Vec::new(),
            self_justified: Vec::new(),
            touched: vec![0; graph.agents.len()],
            closed: Rel::empty(n),
            closed_trail: Vec::new(),
            orders: Orders::One,
            blamed: vec![false; rules.demands.len()],
            looked_ahead: false,
            spare: Vec::new(),
        }
    }

    /// Visits every consistent execution that the goal asks for.
    pub(super) fn run(&mut self, visit: &mut Visit<'_>) -> Flow {
        self.fixed_barriers();
        self.close_guarded()?;
        self.choose(visit)
    }

    /// Counts one search node.
    pub(super) fn step(&mut self) -> Flow {
        self.steps += 1;
        self.limit.reached(self.steps).map_or(Ok(()), |why| Err(Stop::Gave(why)))
    }

    /// The current coherence and Fence-SC order, to be restored later.
    pub(super) fn save_orders(&mut self) -> [Rel; 2] {
        let [mut co, mut sc] = self.spare.pop().unwrap_or_default();
        co.clone_from(&self.co);
        sc.clone_from(&self.sc);
        [co, sc]
    }

    /// Restores saved orders.
    pub(super) fn restore_orders(&mut self, [co, sc]: [Rel; 2]) {
        let later = [std::mem::replace(&mut self.co, co), std::mem::replace(&mut self.sc, sc)];
        self.spare.push(later);
    }

    fn present(&self, side: Side) -> &EventSet {
        match side {
            Side::Low => &self.executed,
            Side::High => &self.possible,
        }
    }

    /// The synchronization by barriers of one kind. The lower bound is the known or chosen edges.
    /// Until generations are chosen, the upper bound is the pairs that may meet.
    fn synchronizes(&self, kind: usize, side: Side, out: &mut Rel) {
        match &self.space.may_meet {
            Some(pairs) if side == Side::High && !self.met => {
                out.copy_from(&pairs[kind]);
                out.restrict_domain(&self.possible);
                out.restrict_range(&self.possible);
            }
            _ => out.copy_from(&self.sync[kind]),
        }
    }

    /// A bound of a relation whose pairs depend on values.
    fn conditional(&self, relation: BaseRel, side: Side, out: &mut Rel) {
        match &self.space.relations[relation.index()] {
            Some(sure) => out.copy_from(sure),
            None => out.clear(),
        }
        for pair in self.space.graph.conditional(relation) {
            if self.values.truth(pair.when).unwrap_or(side == Side::High) {
                out.insert(pair.from, pair.to);
            }
        }
        let present = self.present(side);
        out.restrict_domain(present);
        out.restrict_range(present);
    }

    fn reads_from(&self, side: Side, out: &mut Rel) {
        out.clear();
        for &access in &self.space.reads {
            for &piece in &self.space.graph.access(access).pieces {
                match self.rf[piece.index()] {
                    Some(write)
                        if self.executed.contains(piece) && self.possible.contains(write) =>
                    {
                        out.insert(write, piece);
                    }
                    None if side == Side::High => {
                        for &write in &self.space.sources[piece.index()] {
                            out.insert(write, piece);
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// Evaluates the decided part; gives whether the goal is still possible.
    pub(super) fn evaluate(&mut self) -> bool {
        loop {
            self.compute_known();
            self.compute_executed();
            if !self.meet_by_ordinal() {
                return false;
            }
            if !self.stale {
                return self.sources_possible() && self.goal_possible();
            }
        }
    }

    /// Computes values up to a fixpoint of reads and barrier results.
    fn compute_known(&mut self) {
        loop {
            if self.stale {
                self.compute_values();
            }
            for at in 0..self.space.reads.len() {
                let access = self.space.reads[at];
                if self.known[access.index()].is_none()
                    && let Some(value) =
                        read_value(self.space.graph, &self.rf, &self.values, access.index())
                {
                    self.known[access.index()] = Some(value);
                    self.known_trail.push(access);
                    self.stale = true;
                }
            }
            self.compute_results();
            if !self.stale {
                return;
            }
        }
    }

    /// Computes the events that happen and those that may.
    fn compute_executed(&mut self) {
        self.executed.clear();
        self.possible.clear();
        for id in self.space.graph.ids() {
            match self.values.truth(self.space.graph.event(id).guard) {
                Some(true) => {
                    self.executed.insert(id);
                    self.possible.insert(id);
                }
                None => {
                    self.possible.insert(id);
                }
                Some(false) => {}
            }
        }
    }

    /// Whether every chosen write may happen.
    fn sources_possible(&self) -> bool {
        self.space.graph.ids().all(|read| match self.rf[read.index()] {
            Some(write) => !self.executed.contains(read) || self.possible.contains(write),
            None => true,
        })
    }

    /// Evaluates the expressions that known reads, symbols and final values decide.
    pub(super) fn compute_values(&mut self) {
        self.stale = false;
        let mut values = std::mem::take(&mut self.values);
        let Space { graph, order, assumed, .. } = self.space;
        values.compute_some(&graph.exprs, order, assumed, |leaf| self.leaf_or_final(leaf));
        self.values = values;
    }

    fn leaf_or_final(&self, leaf: Expr) -> Option<u128> {
        match leaf {
            Expr::Final(loc) => self.final_value(self.finals[loc.index()]?),
            other => self.leaf(other),
        }
    }

    /// The value that a write leaves in its location, if its leaves are known.
    fn final_value(&self, write: EventId) -> Option<u128> {
        let graph = self.space.graph;
        let value = graph.access_of(write).value;
        let whole = evaluate(&graph.exprs, value, &|leaf| self.leaf(leaf))?;
        Some(graph.piece_of(write, whole))
    }

    /// Whether the known values reach the goal.
    pub(super) fn goal_reached(&self) -> bool {
        let graph = self.space.graph;
        match self.goal {
            Goal::Condition(wanted) => self.values.truth(graph.condition) == Some(wanted),
            Goal::Violation(index) => self.holds_when_chosen(graph.violations[index].guard),
            Goal::AnyViolation => graph.violations.iter().any(|v| self.holds_when_chosen(v.guard)),
            Goal::BoundHit | Goal::Endless => self.is_cut(),
            Goal::Complete | Goal::Related(_) => true,
        }
    }

    /// Whether the filter excludes the execution, once everything has been chosen.
    pub(super) fn is_filtered(&self) -> bool {
        !self.holds_when_chosen(self.space.graph.filter) || !self.assumptions_hold()
    }

    /// Whether the assumed truth values hold, once everything has been chosen.
    fn assumptions_hold(&self) -> bool {
        let Space { graph, order, assumed, .. } = self.space;
        let follows = |&x: &ExprId| self.values.follows(&graph.exprs, x, |leaf| self.leaf(leaf));
        assumed.keys().all(follows) || {
            let mut values = self.values.clone();
            let leaf = |leaf| self.leaf_or_final(leaf);
            values.compute_some(&graph.exprs, order, &FxHashMap::default(), leaf);
            assumed.iter().all(|(&x, &truth)| values.holds(&graph.exprs, x) == truth)
        }
    }

    /// Whether an expression holds once everything has been chosen. Expressions about events that
    /// do not happen have no value, and no question depends on them.
    fn holds_when_chosen(&self, x: ExprId) -> bool {
        self.values.holds(&self.space.graph.exprs, x)
    }

    /// Whether a thread is cut as the goal asks.
    pub(super) fn is_cut(&self) -> bool {
        let mut cuts =
            self.space.graph.cuts.iter().filter(|c| Some(c.kind) == self.goal.needs_cut());
        cuts.any(|c| self.values.truth(c.guard) == Some(true))
    }

    /// Whether the known values leave the goal possible.
    pub(super) fn goal_possible(&self) -> bool {
        self.goal.may_be_reached(self.space.graph, |x| self.values.truth(x))
    }

    /// Whether the decided part breaks no axiom.
    pub(super) fn holds_so_far(&mut self) -> bool {
        self.refresh(Level::Reads);
        self.produce()
    }

    pub(super) fn refresh(&mut self, from: Level) {
        let same =
            self.computed.as_ref().is_some_and(|(e, p)| *e == self.executed && *p == self.possible);
        let from = if same { from } else { Level::Static };
        if !same {
            self.computed = Some((self.executed.clone(), self.possible.clone()));
        }
        let mut slots = std::mem::take(&mut self.slots);
        slots.compute(&self.rules.code, from, &self.wanted, self);
        self.slots = slots;
    }

    /// Adds the edges that productions demand and judges prohibitions, up to a fixpoint.
    ///
    /// Coherence is reset by the caller that set it; edges added here hold in every completion.
    pub(super) fn produce(&mut self) -> bool {
        loop {
            let mut grew = [false; 2];
            for index in 0..self.rules.demands.len() {
                let Demand::Production { order, slot } = self.rules.demands[index] else {
                    continue;
                };
                if !self.active[index] {
                    continue;
                }
                let edges = self.slots.rel(slot);
                let target = if order == BaseRel::Co { &mut self.co } else { &mut self.sc };
                if edges.is_subset(target) {
                    continue;
                }
                self.blamed[index] = true;
                if !edges.is_irreflexive() {
                    return false;
                }
                target.union_with(edges);
                let fine = if order == BaseRel::Co {
                    close_coherence(self.space.graph, target);
                    edges.is_subset(&self.space.write_pairs) && target.is_irreflexive()
                } else {
                    edges.is_subset(&self.space.fence_pairs) && self.close_fences()
                };
                if !fine {
                    return false;
                }
                grew[usize::from(order == BaseRel::FenceSc)] = true;
            }
            if grew == [false; 2] {
                return self.prohibitions_hold();
            }
            self.refresh(if grew[1] { Level::Fences } else { Level::Coherence });
        }
    }

    /// Orients the pairs of fences that chains of oriented pairs decide; gives false if there is a
    /// cycle.
    pub(super) fn close_fences(&mut self) -> bool {
        self.sc.transitive_closure_in_place();
        let acyclic = self.sc.is_irreflexive();
        self.sc.intersect_with(&self.space.fence_pairs);
        acyclic
    }

    /// Whether no prohibition is broken; a broken one is blamed. Axioms blamed before are asked
    /// first: the fewer are blamed, the fewer does minimization have to drop.
    pub(super) fn prohibitions_hold(&mut self) -> bool {
        let all = || (0..self.rules.demands.len()).filter(|&axiom| self.active[axiom]);
        let blamed = all().filter(|&axiom| self.blamed[axiom]);
        let others = all().filter(|&axiom| !self.blamed[axiom]);
        let broken = blamed.chain(others).find(|&axiom| !self.holds(axiom));
        if let Some(axiom) = broken {
            self.blamed[axiom] = true;
        }
        broken.is_none()
    }

    /// Whether the decided part satisfies an axiom.
    fn holds(&self, axiom: usize) -> bool {
        match self.rules.demands[axiom] {
            Demand::Prohibition { kind, slot, set } => match kind {
                AxiomKind::Empty if set => self.slots.set(slot).is_empty(),
                AxiomKind::Empty => self.slots.rel(slot).is_empty(),
                AxiomKind::Irreflexive => self.slots.rel(slot).is_irreflexive(),
                AxiomKind::Acyclic => self.slots.rel(slot).is_acyclic(),
            },
            Demand::Presence { slot, set: true } => !self.slots.set(slot).is_empty(),
            Demand::Presence { slot, set: false } => match self.sought {
                Some((demand, pairs)) if demand == axiom => {
                    let graph = self.space.graph;
                    self.slots.rel(slot).iter_pairs().any(|(a, b)| pairs.counts(graph, a, b))
                }
                _ => !self.slots.rel(slot).is_empty(),
            },
            // No order relates an event to itself in either direction.
            Demand::Choice { slot, .. } => self.slots.rel(slot).is_irreflexive(),
            Demand::Nothing | Demand::Production { .. } => true,
        }
    }

    pub(super) fn choices(&self) -> Choices {
        let graph = self.space.graph;
        let happens = |id: EventId| self.executed.contains(id) && graph.event(id).is_read();
        Choices {
            rf: graph.ids().map(|id| self.rf[id.index()].filter(|_| happens(id))).collect(),
            co: self
                .co
                .iter_pairs()
                .filter(|&(a, _)| graph.event(a).kind != EventKind::Init)
                .collect(),
            sc: self.sc.iter_pairs().collect(),
            generations: if self.met { self.generations.clone() } else { TiVec::new() },
            returned: self.returned.clone(),
            symbols: self.symbols.iter().map(|s| s.unwrap_or(0)).collect(),
            finals: self.finals.clone(),
            self_justified: self.self_justified.clone(),
        }
    }
}
