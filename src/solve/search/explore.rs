//! The search: reads-from choices one access at a time, then the orders that the model demands.
//!
//! After every choice the axioms are judged by lower bounds, so that a branch ends as soon as what
//! is decided breaks one. Orders grow only by what productions demand; what a choice axiom leaves
//! open is branched on.

use super::compile::{Level, Side};
use super::matrix::{Base, Excluded, Slots};
use super::rules::{Demand, Rules};
use super::space::Space;
use crate::bitrel::{EventSet, Rel};
use crate::event::graph::{CutKind, EventKind};
use crate::execution::barrier::{Barriers, Generations};
use crate::execution::build::Choices;
use crate::id::{AccessId, EventId};
use crate::program::expr::{Expr, mask};
use crate::program::value::Values;
use crate::relation::expr::AxiomKind;
use crate::solve::{Goal, Why};
use crate::vocabulary::{BaseRel, BaseSet};

/// Whether a search goes on.
pub(super) type Flow = Result<(), Stop>;

/// Why a search ends early.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// What was looked for has been found.
    Found,
    /// It takes too long.
    Gave(Why),
    /// Something the search does not handle.
    Unsupported(String),
}

/// What to do with a consistent execution.
pub(super) type Visit<'v> = dyn FnMut(&Search<'_, '_>, Choices) -> Flow + 'v;

/// A decided part of an execution, and the rest still open.
pub(super) struct Search<'g, 'r> {
    pub(super) space: &'r Space<'g>,
    rules: &'r Rules,
    goal: Goal,
    slots: Slots,
    excluded: Excluded,
    rf: Vec<Option<EventId>>,
    known: Vec<Option<u128>>,
    pub(super) values: Values,
    executed: EventSet,
    possible: EventSet,
    computed: Option<(EventSet, EventSet)>,
    co: Rel,
    sc: Rel,
    sync: [Rel; 3],
    generations: Generations,
    finals: Vec<Option<EventId>>,
    symbols: Vec<Option<u128>>,
    /// The search nodes visited so far.
    pub(super) steps: u64,
    limit: u64,
    active: &'r [bool],
    /// Axioms that have excluded something.
    pub(super) blamed: Vec<bool>,
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
            BaseRel::BarrierSync => out.copy_from(&self.sync[0]),
            BaseRel::WarpSync => out.copy_from(&self.sync[1]),
            BaseRel::ClusterSync => out.copy_from(&self.sync[2]),
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
        limit: u64,
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
            slots: Slots::new(&rules.code, n),
            excluded: Excluded::new(&rules.code, n),
            rf: vec![None; n],
            known: vec![None; graph.accesses.len()],
            values: Values::default(),
            executed: EventSet::empty(n),
            possible: EventSet::empty(n),
            computed: None,
            co,
            sc: Rel::empty(n),
            sync: [Rel::empty(n), Rel::empty(n), Rel::empty(n)],
            generations: vec![None; graph.barriers.len()],
            finals: vec![None; graph.locations.len()],
            symbols: vec![None; graph.symbols.len()],
            steps: 0,
            limit,
            active,
            blamed: vec![false; rules.demands.len()],
        }
    }

    /// Visits every consistent execution that the goal asks for.
    pub(super) fn run(&mut self, visit: &mut Visit<'_>) -> Flow {
        self.fixed_barriers();
        self.symbol(0, visit)
    }

    /// Chooses the values of one-bit symbols first.
    fn symbol(&mut self, index: usize, visit: &mut Visit<'_>) -> Flow {
        if index == self.symbols.len() {
            return self.choose(visit);
        }
        if self.space.graph.symbols[index].width > 1 {
            return Err(Stop::Unsupported("unknown values of more than one bit".to_owned()));
        }
        for value in [0, 1] {
            self.symbols[index] = Some(value);
            self.symbol(index + 1, visit)?;
        }
        self.symbols[index] = None;
        Ok(())
    }

    fn present(&self, side: Side) -> &EventSet {
        match side {
            Side::Low => &self.executed,
            Side::High => &self.possible,
        }
    }

    fn reads_from(&self, side: Side, out: &mut Rel) {
        out.clear();
        for &access in &self.space.reads {
            for &piece in &self.space.graph.access(access).pieces {
                match self.rf[piece.index()] {
                    Some(write) => {
                        if self.executed.contains(piece) && self.possible.contains(write) {
                            out.insert(write, piece);
                        }
                    }
                    None if side == Side::High => {
                        for &write in &self.space.sources[piece.index()] {
                            out.insert(write, piece);
                        }
                    }
                    None => {}
                }
            }
        }
    }

    /// Evaluates what the choices so far decide; whether the goal is still possible.
    fn evaluate(&mut self) -> bool {
        loop {
            self.compute_values();
            let mut grew = false;
            for at in 0..self.space.reads.len() {
                let access = self.space.reads[at];
                if self.known[access.index()].is_none()
                    && let Some(value) = self.read_value(access)
                {
                    self.known[access.index()] = Some(value);
                    grew = true;
                }
            }
            if !grew {
                break;
            }
        }
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
        self.sources_possible() && self.goal_possible()
    }

    /// Whether every chosen write may happen.
    fn sources_possible(&self) -> bool {
        self.space.graph.ids().all(|read| match self.rf[read.index()] {
            Some(write) => !self.executed.contains(read) || self.possible.contains(write),
            None => true,
        })
    }

    fn compute_values(&mut self) {
        let Self { values, known, symbols, finals, space, generations, .. } = self;
        let graph = space.graph;
        let before = graph.barriers.iter().any(|b| b.reduction.is_some()).then(|| values.clone());
        values.compute_some(&graph.exprs, &space.order, |leaf| match leaf {
            Expr::Read(access) => known[access.index()],
            Expr::Symbol(symbol) => symbols[symbol.index()],
            Expr::Final(loc) => {
                let write = finals[loc.index()]?;
                final_value(graph, write, known, symbols)
            }
            Expr::Barrier(index) => crate::execution::build::barrier_result(
                graph,
                generations,
                before.as_ref()?,
                index as usize,
            ),
            _ => None,
        });
    }

    fn read_value(&self, access: AccessId) -> Option<u128> {
        let graph = self.space.graph;
        let mut value = 0;
        for &piece in &graph.access(access).pieces {
            let write = self.rf[piece.index()]?;
            let (low, width) = graph.slice(write);
            let part = (self.values.get(graph.access_of(write).value)? >> low) & mask(width);
            value |= part << graph.slice(piece).0;
        }
        Some(value)
    }

    /// Whether what is known of the values leaves the goal possible.
    fn goal_possible(&self) -> bool {
        let graph = self.space.graph;
        if self.goal == Goal::BoundHit {
            let bound = graph.cuts.iter().filter(|c| c.kind == CutKind::Bound);
            return bound.into_iter().any(|c| self.values.truth(c.guard) != Some(false));
        }
        let cut = graph.cuts.iter().any(|c| self.values.truth(c.guard) == Some(true));
        if cut || self.values.truth(graph.filter) == Some(false) {
            return false;
        }
        match self.goal {
            Goal::Condition(wanted) => {
                self.values.truth(graph.condition).is_none_or(|v| v == wanted)
            }
            Goal::Violation(index) => {
                self.values.truth(graph.violations[index].guard) != Some(false)
            }
            _ => true,
        }
    }

    /// Chooses for the next read that certainly happens; when there is none, the orders.
    fn choose(&mut self, visit: &mut Visit<'_>) -> Flow {
        self.steps += 1;
        if self.steps > self.limit {
            return Err(Stop::Gave(Why::Steps));
        }
        if !self.evaluate() {
            return Ok(());
        }
        if !self.holds_so_far() {
            return Ok(());
        }
        match self.next_read() {
            Some(access) => self.choose_source(access, 0, visit),
            None => self.decided(visit),
        }
    }

    fn next_read(&self) -> Option<AccessId> {
        self.space.reads.iter().copied().find(|&access| {
            let pieces = &self.space.graph.access(access).pieces;
            pieces.iter().all(|&p| self.executed.contains(p))
                && pieces.iter().any(|&p| self.rf[p.index()].is_none())
        })
    }

    fn choose_source(&mut self, access: AccessId, piece: usize, visit: &mut Visit<'_>) -> Flow {
        let space = self.space;
        let pieces = &space.graph.access(access).pieces;
        let Some(&read) = pieces.get(piece) else {
            let before = (self.known.clone(), self.co.clone(), self.sc.clone());
            let result = self.choose(visit);
            (self.known, self.co, self.sc) = before;
            return result;
        };
        for &write in &space.sources[read.index()] {
            self.rf[read.index()] = Some(write);
            self.choose_source(access, piece + 1, visit)?;
        }
        self.rf[read.index()] = None;
        Ok(())
    }

    /// Whether no axiom is broken by what is decided.
    fn holds_so_far(&mut self) -> bool {
        self.refresh(Level::Reads);
        self.produce()
    }

    fn refresh(&mut self, from: Level) {
        let same =
            self.computed.as_ref().is_some_and(|(e, p)| *e == self.executed && *p == self.possible);
        let from = if same { from } else { Level::Static };
        if !same {
            self.computed = Some((self.executed.clone(), self.possible.clone()));
        }
        let mut slots = std::mem::replace(&mut self.slots, Slots::none());
        slots.compute(&self.rules.code, from, self);
        self.slots = slots;
    }

    /// Adds what productions demand and judges prohibitions, until nothing changes.
    ///
    /// Coherence is reset by the caller that set it; edges added here hold in every completion.
    fn produce(&mut self) -> bool {
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
                target.transitive_closure_in_place();
                if !target.is_irreflexive() {
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

    fn prohibitions_hold(&mut self) -> bool {
        for index in 0..self.rules.demands.len() {
            let Demand::Prohibition { kind, slot, set } = self.rules.demands[index] else {
                continue;
            };
            if !self.active[index] {
                continue;
            }
            let holds = match kind {
                AxiomKind::Empty if set => self.slots.set(slot).is_empty(),
                AxiomKind::Empty => self.slots.rel(slot).is_empty(),
                AxiomKind::Irreflexive => self.slots.rel(slot).is_irreflexive(),
                AxiomKind::Acyclic => self.slots.rel(slot).is_acyclic(),
            };
            if !holds {
                self.blamed[index] = true;
                return false;
            }
        }
        true
    }

    /// Every read that happens has its write: barriers, then orders.
    fn decided(&mut self, visit: &mut Visit<'_>) -> Flow {
        let graph = self.space.graph;
        if self.goal == Goal::BoundHit {
            let hit = graph
                .cuts
                .iter()
                .any(|c| c.kind == CutKind::Bound && self.values.truth(c.guard) == Some(true));
            return if hit { self.orient(visit) } else { Ok(()) };
        }
        if self.executed != self.possible {
            return self.justifies_itself();
        }
        if self.values_unknown() {
            return self.justifies_itself();
        }
        let options = match &self.space.meetings {
            Some(options) if options.len() == 1 => return self.orient(visit),
            Some(options) => options.clone(),
            None => self.barriers().assignments(),
        };
        for generations in options {
            let (sync, before) = (self.sync.clone(), self.generations.clone());
            self.meet(generations);
            let (co, sc) = (self.co.clone(), self.sc.clone());
            if self.evaluate() && self.holds_so_far() {
                self.orient(visit)?;
            }
            (self.co, self.sc, self.sync, self.generations) = (co, sc, sync, before);
        }
        self.evaluate();
        Ok(())
    }

    /// A value that depends on itself: the model has to exclude it.
    fn justifies_itself(&mut self) -> Flow {
        match self.rules.thin_air.filter(|&axiom| self.active[axiom]) {
            Some(axiom) => {
                self.blamed[axiom] = true;
                Ok(())
            }
            None => Err(Stop::Unsupported("values that justify themselves".to_owned())),
        }
    }

    fn values_unknown(&self) -> bool {
        let graph = self.space.graph;
        self.space.reads.iter().any(|&access| {
            let happens = graph.access(access).pieces.iter().all(|&p| self.executed.contains(p));
            happens && self.known[access.index()].is_none()
        })
    }

    fn barriers(&self) -> Barriers<'_> {
        Barriers::new(self.space.graph, |e| self.executed.contains(e), |x| self.values.get(x))
    }

    fn meet(&mut self, generations: Generations) {
        let n = self.space.graph.events.len();
        let barriers = self.barriers();
        let sync = [
            Rel::from_pairs(n, barriers.cta_edges(&generations)),
            Rel::from_pairs(n, barriers.warp_edges(&generations)),
            Rel::from_pairs(n, barriers.cluster_edges(&generations)),
        ];
        drop(barriers);
        self.sync = sync;
        self.generations = generations;
    }

    /// Where control flow and counts are fixed and there is one way to meet, barriers order events
    /// from the start.
    fn fixed_barriers(&mut self) {
        if self.goal == Goal::BoundHit {
            return;
        }
        if let Some([only]) = self.space.meetings.as_deref() {
            let only = only.clone();
            for op in &self.space.graph.barriers {
                self.executed.insert(op.event);
            }
            self.meet(only);
        }
    }

    /// Orients what the model wants oriented, then reports the execution.
    fn orient(&mut self, visit: &mut Visit<'_>) -> Flow {
        self.steps += 1;
        if self.steps > self.limit {
            return Err(Stop::Gave(Why::Steps));
        }
        let (co, sc) = (self.co.clone(), self.sc.clone());
        let result = self.orient_inner(visit);
        (self.co, self.sc) = (co, sc);
        self.refresh(Level::Fences);
        result
    }

    fn orient_inner(&mut self, visit: &mut Visit<'_>) -> Flow {
        loop {
            let open = self.open_pairs();
            if open.is_empty() {
                return self.complete(visit);
            }
            if open.len() > 1 {
                match self.force(&open) {
                    None => return Ok(()),
                    Some(0) => {}
                    Some(_) => {
                        if !self.produce_from(Level::Fences) {
                            return Ok(());
                        }
                        continue;
                    }
                }
            }
            let (order, a, b) = open[0];
            for (from, to) in [(a, b), (b, a)] {
                let (co, sc) = (self.co.clone(), self.sc.clone());
                self.add(order, from, to);
                if self.produce_from(Level::Fences) {
                    self.orient(visit)?;
                }
                (self.co, self.sc) = (co, sc);
            }
            return Ok(());
        }
    }

    fn produce_from(&mut self, level: Level) -> bool {
        if !self.sc.is_acyclic() || !self.co.is_irreflexive() {
            return false;
        }
        self.refresh(level);
        self.produce()
    }

    fn add(&mut self, order: BaseRel, from: EventId, to: EventId) {
        if order == BaseRel::Co {
            // The two accesses are ordered as wholes.
            let graph = self.space.graph;
            let (a, b) = (graph.access_of(from).pieces.clone(), graph.access_of(to).pieces.clone());
            for &x in &a {
                for &y in b.iter().filter(|&&y| graph.event(x).loc == graph.event(y).loc) {
                    self.co.insert_closed(x, y);
                }
            }
        } else {
            self.sc.insert(from, to);
        }
    }

    /// Pairs that have to be oriented and are not.
    fn open_pairs(&mut self) -> Vec<(BaseRel, EventId, EventId)> {
        let mut out = Vec::new();
        for &(a, b) in &self.space.fences {
            let happen = self.executed.contains(a) && self.executed.contains(b);
            if happen && !self.sc.contains(a, b) && !self.sc.contains(b, a) {
                out.push((BaseRel::FenceSc, a, b));
            }
        }
        for index in 0..self.rules.demands.len() {
            let Demand::Choice { order, slot } = self.rules.demands[index] else { continue };
            if !self.active[index] {
                continue;
            }
            let target = if order == BaseRel::Co { &self.co } else { &self.sc };
            for (a, b) in self.slots.rel(slot).iter_pairs() {
                if a != b
                    && !target.contains(a, b)
                    && !target.contains(b, a)
                    && !out.contains(&(order, b, a))
                {
                    self.blamed[index] = true;
                    out.push((order, a, b));
                }
            }
        }
        if self.rules.total_co {
            self.unordered_writes(&mut out);
        }
        out
    }

    fn unordered_writes(&self, out: &mut Vec<(BaseRel, EventId, EventId)>) {
        for writes in &self.space.writes {
            let executed: Vec<EventId> =
                writes.iter().copied().filter(|&w| self.executed.contains(w)).collect();
            for (at, &a) in executed.iter().enumerate() {
                for &b in &executed[at + 1..] {
                    if !self.co.contains(a, b) && !self.co.contains(b, a) {
                        out.push((BaseRel::Co, a, b));
                    }
                }
            }
        }
    }

    /// Orients pairs one of whose directions would break an axiom; how many, or `None` when both
    /// would.
    fn force(&mut self, open: &[(BaseRel, EventId, EventId)]) -> Option<usize> {
        self.excluded.clear();
        let n = self.space.graph.events.len();
        for (index, demand) in self.rules.demands.iter().enumerate() {
            let Demand::Prohibition { kind, slot, set: false } = *demand else { continue };
            if !self.active[index] {
                continue;
            }
            let out = match kind {
                AxiomKind::Irreflexive => Rel::identity(n),
                AxiomKind::Empty => Rel::full(n),
                AxiomKind::Acyclic => {
                    let mut closed = self.slots.rel(slot).clone();
                    closed.transitive_closure_in_place();
                    let mut out = closed.inverse();
                    out.union_with(&Rel::identity(n));
                    out
                }
            };
            self.excluded.exclude(slot, &out);
        }
        self.excluded.push_down(&self.rules.code, &self.slots);
        let mut forced = Vec::new();
        for &(order, a, b) in open {
            let slot = if order == BaseRel::Co { self.rules.co } else { self.rules.sc };
            let Some(out) = slot.and_then(|s| self.excluded.of(s)) else { continue };
            match (out.contains(a, b), out.contains(b, a)) {
                (true, true) => {
                    self.blame_all();
                    return None;
                }
                (true, false) => forced.push((order, b, a)),
                (false, true) => forced.push((order, a, b)),
                (false, false) => {}
            }
        }
        if !forced.is_empty() {
            self.blame_all();
        }
        for &(order, a, b) in &forced {
            self.add(order, a, b);
        }
        Some(forced.len())
    }

    fn blame_all(&mut self) {
        for (blamed, active) in self.blamed.iter_mut().zip(self.active) {
            *blamed |= active;
        }
    }

    /// A consistent execution: chooses final values and reports it.
    fn complete(&mut self, visit: &mut Visit<'_>) -> Flow {
        if self.goal == Goal::BoundHit {
            return visit(self, self.choices());
        }
        self.choose_final(0, visit)
    }

    fn choose_final(&mut self, at: usize, visit: &mut Visit<'_>) -> Flow {
        let Some(&loc) = self.space.finals.get(at) else {
            self.compute_values();
            if !self.goal_possible() {
                return Ok(());
            }
            return visit(self, self.choices());
        };
        let space = self.space;
        for &write in &space.writes[loc.index()] {
            let maximal = self.executed.contains(write)
                && !self.co.row(write).any(|later| self.executed.contains(later));
            if maximal {
                self.finals[loc.index()] = Some(write);
                let result = self.choose_final(at + 1, visit);
                self.finals[loc.index()] = None;
                result?;
            }
        }
        Ok(())
    }

    fn choices(&self) -> Choices {
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
            generations: self.generations.clone(),
            symbols: self.symbols.iter().map(|s| s.unwrap_or(0)).collect(),
            finals: self.finals.clone(),
            self_justified: Vec::new(),
        }
    }
}

/// The value that a write leaves in its location, when its leaves are known.
fn final_value(
    graph: &crate::event::graph::EventGraph,
    write: EventId,
    known: &[Option<u128>],
    symbols: &[Option<u128>],
) -> Option<u128> {
    let (low, width) = graph.slice(write);
    let value =
        crate::program::value::evaluate(&graph.exprs, graph.access_of(write).value, &|leaf| {
            match leaf {
                Expr::Read(access) => known[access.index()],
                Expr::Symbol(symbol) => symbols[symbol.index()],
                _ => None,
            }
        })?;
    Some((value >> low) & mask(width))
}
