//! The choices of an execution: reads-from, coherence, Fence-SC order, final writes.

use super::Encoding;
use super::formula::Formula;
use crate::event::graph::EventKind;
use crate::execution::build::sc_pairs;
use crate::id::{EventId, ExprId, LocId};
use crate::program::expr::Expr;
use crate::question::Goal;
use rustc_hash::FxHashMap;

impl Encoding<'_> {
    /// The value of a memory event's piece.
    fn piece_value(&mut self, id: EventId) -> ExprId {
        let (low, width) = self.graph.slice(id);
        let whole = self.graph.access_of(id).value;
        self.exprs.extract(whole, low, width)
    }

    /// Every read that happens reads from exactly one write that happens, and takes its value.
    pub(super) fn encode_rf(&mut self) {
        let writes = self.graph.writes_by_location();
        for read in self.graph.ids().filter(|&r| self.graph.event(r).is_read()) {
            let loc = self.graph.event(read).loc.expect("a read has a location");
            let happens = self.happens(read);
            let sources = self.bounds.guards.sources(self.graph, read, &writes[loc.index()]);
            let value = self.piece_value(read);
            let mut choices = Vec::new();
            for &write in &sources {
                let choice = if sources.len() == 1 { happens } else { self.formulas.variable() };
                let written = self.piece_value(write);
                let same = self.exprs.equal(value, written);
                let same = self.truth(same);
                let there = self.happens(write);
                let needs = self.formulas.all([same, there, happens]);
                let clause = self.formulas.implies(choice, needs);
                self.hard.push(clause);
                choices.push((write, choice));
            }
            let some = self.formulas.any(choices.iter().map(|c| c.1).collect::<Vec<_>>());
            let clause = self.formulas.implies(happens, some);
            self.hard.push(clause);
            self.at_most_one(&choices.iter().map(|c| c.1).collect::<Vec<_>>());
            self.rf.push((read, choices));
        }
        self.encode_mbarriers();
    }

    /// A read finds an mbarrier object if it takes a piece from an operation that leaves one there.
    fn encode_mbarriers(&mut self) {
        let graph = self.graph;
        for leaf in (0..graph.exprs.len()).map(ExprId::new) {
            let Expr::Mbarrier(access) = graph.exprs.get(leaf) else { continue };
            let pieces = &graph.access(access).pieces;
            let taken = self.rf.iter().filter(|(read, _)| pieces.contains(read));
            let taken = taken.flat_map(|(_, choices)| choices);
            let objects = taken.filter(|(write, _)| graph.leaves_mbarrier(*write));
            let found: Vec<Formula> = objects.map(|(_, choice)| *choice).collect();
            let found = self.formulas.any(found);
            let leaf = self.truth(leaf);
            for (one, other) in [(found, leaf), (leaf, found)] {
                let clause = self.formulas.implies(one, other);
                self.hard.push(clause);
            }
        }
    }

    /// At most one of these holds: pairwise for few, by a sequential counter for many.
    pub(super) fn at_most_one(&mut self, choices: &[Formula]) {
        if choices.len() <= 6 {
            for (at, &a) in choices.iter().enumerate() {
                for &b in &choices[at + 1..] {
                    let both = self.formulas.all([a, b]);
                    let not = self.formulas.not(both);
                    self.hard.push(not);
                }
            }
            return;
        }
        let mut before: Option<Formula> = None;
        for &choice in choices {
            let seen = self.formulas.variable();
            let mut parts = vec![choice];
            if let Some(before) = before {
                let both = self.formulas.all([before, choice]);
                let not = self.formulas.not(both);
                self.hard.push(not);
                parts.push(before);
            }
            for part in parts {
                let clause = self.formulas.implies(part, seen);
                self.hard.push(clause);
            }
            before = Some(seen);
        }
    }

    /// A strict partial order on the writes of each location; edges between pieces of the same two
    /// accesses are one choice.
    pub(super) fn encode_co(&mut self) {
        let mut by_access: FxHashMap<(crate::id::AccessId, crate::id::AccessId), Formula> =
            FxHashMap::default();
        for mut writes in self.graph.writes_by_location() {
            writes.retain(|&w| self.graph.event(w).kind != EventKind::Init);
            for &a in &writes {
                for &b in &writes {
                    if a == b || self.bounds.guards.exclusive().contains(a, b) {
                        continue;
                    }
                    let key = (self.graph.event(a).access, self.graph.event(b).access);
                    let edge = *by_access.entry(key).or_insert_with(|| self.formulas.variable());
                    self.co.insert((a, b), edge);
                    let both = self.both_happen(a, b);
                    let clause = self.formulas.implies(edge, both);
                    self.hard.push(clause);
                }
            }
            self.order(&writes);
        }
    }

    /// Antisymmetry, transitivity, and totality if the model asks for it.
    fn order(&mut self, writes: &[EventId]) {
        let edge = |this: &Self, a: EventId, b: EventId| this.co.get(&(a, b)).copied();
        for (at, &a) in writes.iter().enumerate() {
            for &b in &writes[at + 1..] {
                let (Some(ab), Some(ba)) = (edge(self, a, b), edge(self, b, a)) else { continue };
                let both = self.formulas.all([ab, ba]);
                let not = self.formulas.not(both);
                self.hard.push(not);
                if self.model.total_co {
                    let happen = self.both_happen(a, b);
                    let either = self.formulas.any([ab, ba]);
                    let clause = self.formulas.implies(happen, either);
                    self.hard.push(clause);
                }
            }
        }
        for &a in writes {
            for &b in writes {
                let Some(ab) = edge(self, a, b) else { continue };
                for &c in writes.iter().filter(|&&c| c != a && c != b) {
                    let Some(bc) = edge(self, b, c) else { continue };
                    let path = self.formulas.all([ab, bc]);
                    let ac = match edge(self, a, c) {
                        Some(ac) => ac,
                        None => self.formulas.constant(false),
                    };
                    let clause = self.formulas.implies(path, ac);
                    self.hard.push(clause);
                }
            }
        }
    }

    /// Each pair of Fence-SC fences with mutual scope is ordered one way, without cycles.
    pub(super) fn encode_sc(&mut self) {
        let pairs = sc_pairs(self.graph);
        let mut clocks = FxHashMap::default();
        for (a, b) in pairs {
            let both = self.both_happen(a, b);
            let (ab, ba) = (self.formulas.variable(), self.formulas.variable());
            for edge in [ab, ba] {
                let clause = self.formulas.implies(edge, both);
                self.hard.push(clause);
            }
            let either = self.formulas.any([ab, ba]);
            let clause = self.formulas.implies(both, either);
            self.hard.push(clause);
            let twice = self.formulas.all([ab, ba]);
            let not = self.formulas.not(twice);
            self.hard.push(not);
            let ca = *clocks.entry(a).or_insert_with(|| self.formulas.clock());
            let cb = *clocks.entry(b).or_insert_with(|| self.formulas.clock());
            for (edge, first, second) in [(ab, ca, cb), (ba, cb, ca)] {
                let before = self.formulas.before(first, second);
                let clause = self.formulas.implies(edge, before);
                self.hard.push(clause);
            }
            self.sc.insert((a, b), ab);
            self.sc.insert((b, a), ba);
        }
    }

    /// The final value of each location is that of a coherence-maximal write.
    pub(super) fn encode_finals(&mut self, goal: Goal) {
        if goal == Goal::BoundHit {
            return;
        }
        for (index, writes) in self.graph.writes_by_location().into_iter().enumerate() {
            let loc = LocId::new(index);
            let location = &self.graph.locations[index];
            let leaf = self.exprs.leaf(Expr::Final(loc), location.bytes * 8);
            let mut choices = Vec::new();
            for &write in &writes {
                let choice = self.formulas.variable();
                let value = self.piece_value(write);
                let same = self.exprs.equal(leaf, value);
                let mut needs = vec![self.truth(same), self.happens(write)];
                for &later in writes.iter().filter(|&&w| w != write) {
                    let edge = if self.graph.event(write).kind == EventKind::Init {
                        self.happens(later)
                    } else {
                        match self.co.get(&(write, later)) {
                            Some(&edge) => edge,
                            None => continue,
                        }
                    };
                    needs.push(self.formulas.not(edge));
                }
                let needs = self.formulas.all(needs);
                let clause = self.formulas.implies(choice, needs);
                self.hard.push(clause);
                choices.push((write, choice));
            }
            let some = self.formulas.any(choices.iter().map(|c| c.1).collect::<Vec<_>>());
            self.hard.push(some);
            self.finals.push((loc, choices));
        }
    }
}
