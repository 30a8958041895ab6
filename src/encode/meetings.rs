//! Barriers with thread counts where values decide the participants or their counts.
//!
//! The ways in which threads can meet depend on the participants. They need a search that fills one
//! generation after the other, which no formula expresses. Synchronization edges are therefore left
//! open at first. Whenever a solver finds an execution, the ways of its participants are listed,
//! under the condition of exactly these participants and counts. The answer is final once the ways
//! of an execution are already listed. The iteration terminates, since there are finitely many sets
//! of operations and kinds of counts.

use super::Encoding;
use super::barriers::edges_of_way;
use super::formula::Formula;
use crate::collections::IndexSet;
use crate::execution::barriers::{Barriers, Generations};
use crate::execution::phase::TooMany;
use crate::id::{BarrierId, EventId, ExprId};
use crate::waiting::barrier::{WARP_SIZE, counts_warps};
use rustc_hash::FxHashMap;
use typed_index_collections::TiVec;

/// The most ways to meet that are listed: a solver takes some kilobytes for each.
const MOST_WAYS: usize = 20_000;

/// The barrier operations of an execution.
pub struct Attendance {
    /// For every barrier operation of the graph, whether it happens.
    pub happens: TiVec<BarrierId, bool>,
    /// For every barrier operation, its thread count, if it has one.
    pub counts: TiVec<BarrierId, Option<u128>>,
}

impl Encoding<'_> {
    /// Whether ways to meet have to be [added](Self::add_meetings) for the executions found.
    #[must_use]
    pub fn has_open_meetings(&self) -> bool {
        self.barriers.open
    }

    /// Whether some barrier has a thread count.
    pub(super) fn has_counts(&self) -> bool {
        self.graph.barriers.iter().any(|op| op.count().is_some())
    }

    /// Lets any two operations at one barrier meet if they happen.
    pub(super) fn leave_meetings_open(&mut self) {
        let graph = self.graph;
        self.barriers.open = true;
        for x in graph.barriers.keys() {
            for y in graph.waits_for_arrival(x) {
                let (x, y) = (&graph.barriers[x], &graph.barriers[y]);
                let edge = self.formulas.variable();
                self.barriers.edges.insert((x.event, y.event), edge);
                let both = self.both_happen(x.event, y.event);
                let clause = self.formulas.implies(edge, both);
                self.hard.push(clause);
            }
        }
    }

    /// Lists the ways to meet of an execution's participants, under the condition that exactly
    /// these take part. Includes the clauses of every execution. `None` if the condition is listed
    /// already.
    ///
    /// # Errors
    /// The condition, if there are too many ways with those listed before.
    pub fn add_meetings(&mut self, who: &Attendance) -> Result<Option<Vec<Formula>>, Formula> {
        let condition = self.attended_by(who);
        if !self.barriers.listed.insert(condition) {
            return Ok(None);
        }
        let before = self.hard.len();
        self.list_meetings(who, condition).map_err(|TooMany| condition)?;
        Ok(Some(self.hard[before..].to_vec()))
    }

    fn list_meetings(&mut self, who: &Attendance, condition: Formula) -> Result<(), TooMany> {
        let graph = self.graph;
        let count_of: FxHashMap<ExprId, u128> = graph
            .barriers
            .iter()
            .zip(&who.counts)
            .filter_map(|(op, count)| op.count().zip(*count))
            .collect();
        let happens = |event: EventId| graph.barrier_index(event).is_some_and(|b| who.happens[b]);
        let barriers = Barriers::new(graph, happens, |count| count_of.get(&count).copied());
        let mut ways = barriers.assignments()?;
        // The edges matter, not the ordinals of the generations.
        let mut known = IndexSet::default();
        ways.retain(|way| known.insert(edges_of_way(&barriers, way)));
        if self.barriers.options.len() + ways.len() > MOST_WAYS {
            return Err(TooMany);
        }
        // A single way has a variable too: the solver's model has a value only for variables.
        let chosen: Vec<Formula> = ways.iter().map(|_| self.formulas.variable()).collect();
        for &way in &chosen {
            self.require(way, condition);
        }
        let some = self.formulas.any(chosen.iter().copied());
        self.require(condition, some);
        self.at_most_one(&chosen);
        self.fix_edges(&barriers, condition, &ways, &chosen);
        for (way, &chosen) in ways.iter().zip(&chosen) {
            self.listed_results(way, chosen);
        }
        self.barriers.options.extend(ways.into_iter().zip(chosen));
        Ok(())
    }

    /// Under the condition, the edges are those of the chosen way.
    fn fix_edges(
        &mut self,
        barriers: &Barriers<'_>,
        condition: Formula,
        ways: &[Generations],
        chosen: &[Formula],
    ) {
        let mut ways_with = self.edges_of(barriers, ways, chosen);
        let mut edges: Vec<_> = self.barriers.edges.iter().map(|(&pair, &f)| (pair, f)).collect();
        edges.sort_unstable();
        for (pair, edge) in edges {
            let ways = ways_with.remove(&pair).unwrap_or_default();
            let some = self.formulas.any(ways);
            self.require(some, edge);
            let both = self.formulas.all([condition, edge]);
            self.require(both, some);
        }
    }

    fn require(&mut self, premise: Formula, conclusion: Formula) {
        let clause = self.formulas.implies(premise, conclusion);
        self.hard.push(clause);
    }

    /// The condition that exactly these operations happen with these counts.
    fn attended_by(&mut self, who: &Attendance) -> Formula {
        let graph = self.graph;
        let mut parts = Vec::new();
        for (index, op) in graph.barriers.iter_enumerated() {
            let happens = self.happens(op.event);
            if !who.happens[index] {
                parts.push(self.formulas.not(happens));
                continue;
            }
            parts.push(happens);
            if let (Some(count), Some(value)) = (op.count(), who.counts[index]) {
                let alike = self.counts_like(index, count, value);
                parts.push(alike);
            }
        }
        self.formulas.all(parts)
    }

    /// The formula that a count has this value. Counts beyond all participants are equivalent,
    /// except that only some count warps. There may be very many such counts, and no thread passes
    /// any of them.
    fn counts_like(&mut self, operation: BarrierId, count: ExprId, value: u128) -> Formula {
        let graph = self.graph;
        let key = &graph.barriers[operation].key;
        let most = graph.barriers.iter().filter(|op| op.key == *key).count() as u128;
        let possible = |n: u128| n <= most || (counts_warps(n) && n / WARP_SIZE <= most);
        let width = self.exprs.width(count);
        let low_bits = WARP_SIZE.trailing_zeros();
        if possible(value) || width <= low_bits {
            return self.equals(count, value);
        }
        let low = self.exprs.extract(count, 0, low_bits);
        let whole = self.equals(low, 0);
        let mut parts = vec![if counts_warps(value) { whole } else { self.formulas.not(whole) }];
        for n in (0..=most).chain((1..=most).map(|warps| warps * WARP_SIZE)) {
            let equal = self.equals(count, n);
            parts.push(self.formulas.not(equal));
        }
        self.formulas.all(parts)
    }

    fn equals(&mut self, expr: ExprId, value: u128) -> Formula {
        let width = self.exprs.width(expr);
        let value = self.exprs.number(value, width);
        let equal = self.exprs.equal(expr, value);
        self.truth(equal)
    }
}
