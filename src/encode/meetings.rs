//! Barriers with thread counts where values decide who comes or with which count.
//!
//! How threads can meet depends on who comes, and there is no telling from formulas: it takes all
//! ways to fill one generation after the other. So the synchronization edges are left open at first.
//! Whenever a solver finds an execution, the ways to meet of those that come in it are listed, with
//! the condition that just these come with these counts; the solver has its answer when the ways of
//! all that come are listed already. There are finitely many sets of operations and kinds of counts.

use super::Encoding;
use super::barriers::edges_of_way;
use super::formula::Formula;
use crate::collections::IndexSet;
use crate::event::barrier::{WARP_SIZE, counts_warps};
use crate::execution::phase::{Barriers, Generations, TooMany};
use crate::id::{BarrierId, EventId, ExprId};
use rustc_hash::FxHashMap;
use typed_index_collections::TiVec;

/// How many ways to meet are listed at most: a solver takes some kilobytes for each.
const MOST_WAYS: usize = 20_000;

/// Who comes to barriers in an execution.
pub struct Attendance {
    /// For every barrier operation of the graph, whether it happens.
    pub happens: TiVec<BarrierId, bool>,
    /// For every one, its thread count, if it has one.
    pub counts: TiVec<BarrierId, Option<u128>>,
}

impl Encoding<'_> {
    /// Whether the ways to meet have to be [added](Self::add_meetings) for the executions found.
    #[must_use]
    pub fn has_open_meetings(&self) -> bool {
        self.barriers.open
    }

    /// Whether some barrier has a thread count.
    pub(super) fn has_counts(&self) -> bool {
        self.graph.barriers.iter().any(|op| op.count().is_some())
    }

    /// Any two operations at one barrier may meet if they happen.
    pub(super) fn leave_meetings_open(&mut self) {
        let graph = self.graph;
        self.barriers.open = true;
        for x in graph.barriers.iter().filter(|op| op.arrives) {
            for y in graph.barriers.iter().filter(|op| op.waits && op.key == x.key) {
                if graph.event(x.event).agent == graph.event(y.event).agent {
                    continue;
                }
                let edge = self.formulas.variable();
                self.barriers.edges.insert((x.event, y.event), edge);
                let both = self.both_happen(x.event, y.event);
                let clause = self.formulas.implies(edge, both);
                self.hard.push(clause);
            }
        }
    }

    /// Lists the ways to meet of those that come in an execution: the condition that just they come,
    /// and what every execution satisfies besides. Nothing where the condition is known already.
    ///
    /// # Errors
    /// With the condition, when there are too many ways, with those listed before.
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
        // What matters is who meets whom, and not in which turn.
        let mut known = IndexSet::default();
        ways.retain(|way| known.insert(edges_of_way(&barriers, way)));
        if self.barriers.options.len() + ways.len() > MOST_WAYS {
            return Err(TooMany);
        }
        // Variables also for a single way: the solver's model has a value for those.
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

    /// Under the condition, the edges are those of the way that is chosen.
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

    /// The condition that just these come.
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

    /// Whether a count has this value. Those that ask for more than can ever come are alike, but for
    /// whether they ask for warps: there may be very many of them, and nobody gets past any.
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
        let equal = self.exprs.eq(expr, value);
        self.truth(equal)
    }
}
