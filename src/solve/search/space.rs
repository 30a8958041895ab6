//! What a search knows of a program before it chooses: candidates, cached base relations, and
//! which expressions matter.

use crate::bitrel::{EventSet, Rel};
use crate::bounds::guards::Guards;
use crate::event::base::{base_relation, base_set};
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::barrier::{Barriers, Generations};
use crate::execution::build::sc_pairs;
use crate::id::{AccessId, EventId, ExprId, LocId};
use crate::program::expr::Expr;
use crate::vocabulary::{BaseRel, BaseSet, Origin};

/// The fixed part of a search.
#[derive(Debug)]
pub(super) struct Space<'g> {
    pub(super) graph: &'g EventGraph,
    /// For every event, the writes that it may read from.
    pub(super) sources: Vec<Vec<EventId>>,
    /// Reads, those that the condition speaks of first.
    pub(super) reads: Vec<AccessId>,
    /// Writes of each location, the initial one first.
    pub(super) writes: Vec<Vec<EventId>>,
    /// Pairs of fences that Fence-SC order has to orient.
    pub(super) fences: Vec<(EventId, EventId)>,
    /// Expressions to evaluate, operands first.
    pub(super) order: Vec<ExprId>,
    /// Locations whose final value matters.
    pub(super) finals: Vec<LocId>,
    /// How barrier operations can meet, where control flow and counts are fixed: exactly one way,
    /// the empty one, in a program without barriers.
    pub(super) meetings: Option<Vec<Generations>>,
    /// Base sets over all events, by index.
    pub(super) sets: Vec<Option<EventSet>>,
    /// Given base relations over all events, by index.
    pub(super) relations: Vec<Option<Rel>>,
}

impl<'g> Space<'g> {
    /// Looks at a graph; `sets` and `relations` are the base names that the model uses.
    pub(super) fn new(graph: &'g EventGraph, sets: &[BaseSet], relations: &[BaseRel]) -> Self {
        let writes = writes_of(graph);
        let order = relevant(graph);
        let mut space = Self {
            graph,
            sources: Vec::new(),
            reads: Vec::new(),
            writes,
            fences: sc_pairs(graph),
            finals: Vec::new(),
            meetings: meetings(graph),
            order,
            sets: vec![None; BaseSet::ALL.len()],
            relations: vec![None; BaseRel::ALL.len()],
        };
        for &set in sets {
            space.sets[set.index()] = Some(base_set(graph, set));
        }
        for &relation in relations.iter().filter(|r| r.origin() == Origin::Given) {
            space.relations[relation.index()] = Some(base_relation(graph, relation));
        }
        space.find_sources();
        space.order_reads();
        space.finals = final_locations(graph);
        space
    }

    fn find_sources(&mut self) {
        let graph = self.graph;
        let conditional = graph.ids().any(|id| !graph.exprs.is_true(graph.event(id).guard));
        let exclusive = conditional.then(|| Guards::new(graph));
        self.sources = graph
            .ids()
            .map(|id| match (graph.event(id).kind.clone(), graph.event(id).loc) {
                (EventKind::Read, Some(loc)) => self.writes[loc.index()]
                    .iter()
                    .copied()
                    .filter(|&w| !exclusive.as_ref().is_some_and(|g| g.exclusive().contains(w, id)))
                    .filter(|&w| graph.access_of(w).rmw_read != Some(graph.event(id).access))
                    .collect(),
                _ => Vec::new(),
            })
            .collect();
    }

    fn order_reads(&mut self) {
        let graph = self.graph;
        let mentioned: Vec<Expr> =
            [graph.condition, graph.filter].iter().flat_map(|&x| graph.exprs.leaves(x)).collect();
        let mut reads: Vec<AccessId> = graph
            .ids()
            .filter(|&id| graph.event(id).is_read())
            .map(|id| graph.event(id).access)
            .collect();
        reads.dedup();
        reads.sort_by_key(|&access| !mentioned.contains(&Expr::Read(access)));
        self.reads = reads;
    }
}

/// The ways in which barrier operations meet; `None` where values decide who takes part.
fn meetings(graph: &EventGraph) -> Option<Vec<Generations>> {
    if graph.barriers.is_empty() {
        return Some(vec![Vec::new()]);
    }
    let constant = |x: ExprId| graph.exprs.constant(x);
    let fixed = graph.barriers.iter().all(|b| {
        constant(graph.event(b.event).guard).is_some()
            && b.count().is_none_or(|c| constant(c).is_some())
    });
    let happens = |e: EventId| graph.exprs.is_true(graph.event(e).guard);
    fixed.then(|| Barriers::new(graph, happens, constant).assignments())
}

fn writes_of(graph: &EventGraph) -> Vec<Vec<EventId>> {
    let mut writes = vec![Vec::new(); graph.locations.len()];
    for id in graph.ids().filter(|&id| graph.event(id).is_write()) {
        writes[graph.event(id).loc.expect("a write has a location").index()].push(id);
    }
    writes
}

/// Everything that guards, stored values, the condition and what is observed are made of.
fn relevant(graph: &EventGraph) -> Vec<ExprId> {
    let roots = graph
        .events
        .iter()
        .map(|e| e.guard)
        .chain(graph.accesses.iter().map(|a| a.value))
        .chain(graph.cuts.iter().map(|c| c.guard))
        .chain(graph.violations.iter().map(|v| v.guard))
        .chain(graph.observed.iter().map(|o| o.value))
        .chain(graph.barriers.iter().flat_map(|b| b.predicate.into_iter().chain(b.count())))
        .chain([graph.condition, graph.filter]);
    let mut needed = vec![false; graph.exprs.len()];
    let mut stack: Vec<ExprId> = roots.collect();
    while let Some(x) = stack.pop() {
        if !std::mem::replace(&mut needed[x.index()], true) {
            stack.extend(graph.exprs.operands(x));
        }
    }
    (0..needed.len()).filter(|&i| needed[i]).map(ExprId::new).collect()
}

fn final_locations(graph: &EventGraph) -> Vec<LocId> {
    let mut out: Vec<LocId> = graph
        .observed
        .iter()
        .map(|o| o.value)
        .chain([graph.condition, graph.filter])
        .flat_map(|x| graph.exprs.leaves(x))
        .filter_map(|leaf| match leaf {
            Expr::Final(loc) => Some(loc),
            _ => None,
        })
        .collect();
    out.sort_unstable();
    out.dedup();
    out
}
