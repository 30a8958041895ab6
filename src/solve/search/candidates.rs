//! The candidates of a search: choice-independent facts about a program, such as sources of reads,
//! base relations and relevant expressions.

use super::barrier_phases::OrdinalPhases;
use super::free_values::{chances, symbols};
use super::reads::SMALL;
use super::rules::Rules;
use super::symmetry::classes;
use super::value_sets::Slices;
use crate::bitrel::{EventSet, Rel};
use crate::bounds::base::barrier_pairs;
use crate::bounds::guards::Guards;
use crate::event::base::{base_relation, base_set};
use crate::event::graph::{EventGraph, EventKind};
use crate::execution::barriers::{Barriers, Generations};
use crate::execution::build::sc_pairs;
use crate::id::{AccessId, EventId, ExprId, FewEvents, LocId, SymbolId};
use crate::program::expr::{Binary, Expr, Unary};
use crate::solve::Goal;
use crate::vocabulary::{BaseRel, BaseSet, Origin};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use typed_index_collections::TiVec;

/// The fixed part of a search.
#[derive(Debug)]
pub(super) struct Space<'g> {
    pub(super) graph: &'g EventGraph,
    /// For every event, the writes that it may read from.
    pub(super) sources: Vec<FewEvents>,
    /// Reads, those that matter to the question first.
    pub(super) reads: Vec<AccessId>,
    /// For every access, whether its value matters to the question.
    pub(super) matters: Vec<bool>,
    /// For every read access, the goal's demand on its value.
    pub(super) demands: Vec<Option<ValueDemand>>,
    /// The truth values that every execution with the goal has.
    pub(super) assumed: FxHashMap<ExprId, bool>,
    /// The slices of values; empty in a small program, which is searched without them.
    pub(super) slices: Slices,
    /// Whether a question depends on where mbarrier objects are, which reads-from decides.
    pub(super) asks_for_mbarriers: bool,
    /// Whether the program operates on mbarriers, by which pipelines wait.
    pub(super) has_mbarriers: bool,
    /// For every location, the reads of read-modify-writes.
    pub(super) takers: Vec<Vec<EventId>>,
    /// Classes of interchangeable threads, by agent.
    pub(super) classes: Vec<Option<u32>>,
    /// The first event of each agent.
    first: Vec<Option<EventId>>,
    /// Writes of each location, the initial one first.
    pub(super) writes: Vec<Vec<EventId>>,
    /// All pairs of writes to one location, except those with an initial write last.
    pub(super) write_pairs: Rel,
    /// Pairs of fences that Fence-SC order has to orient, both ways.
    pub(super) fence_pairs: Rel,
    /// Expressions to evaluate, operands first.
    pub(super) order: Vec<ExprId>,
    /// For every expression, its symbols; empty in a program without symbols.
    pub(super) symbols: Vec<SmallVec<[SymbolId; 2]>>,
    /// Guards of events with a literal that the execution chooses, each with its literals.
    pub(super) chances: Vec<(ExprId, Vec<ExprId>)>,
    /// Locations whose final value matters.
    pub(super) finals: Vec<LocId>,
    /// For every event, its direct dependencies, if the model excludes cycles of dependencies.
    pub(super) depends: Vec<FewEvents>,
    /// Whether no event depends on another.
    pub(super) independent: bool,
    /// The converse of `depends`.
    pub(super) dependents: Vec<FewEvents>,
    /// For every write, the reads that may take it.
    pub(super) readers: Vec<FewEvents>,
    /// The ways in which barrier operations can meet, if control flow and counts are fixed. A
    /// program without barriers has only the empty way.
    pub(super) meetings: Option<Vec<Generations>>,
    /// The barrier operations whose ordinals decide their phase.
    pub(super) turns: OrdinalPhases,
    /// The pairs that barriers may order, by kind: of CTAs, warps, clusters, exchanges; `None` if
    /// no model asks, or if there is one way to meet.
    pub(super) may_meet: Option<[Rel; 4]>,
    /// Base sets over all events, by index.
    pub(super) sets: Vec<Option<&'g EventSet>>,
    /// Given base relations over all events, by index.
    pub(super) relations: Vec<Option<&'g Rel>>,
}

impl<'g> Space<'g> {
    /// Analyses a graph for a model.
    pub(super) fn new(graph: &'g EventGraph, rules: &Rules, goal: Goal) -> Self {
        let writes = graph.writes_by_location();
        let order = relevant(graph);
        let symbols = symbols(graph, &order);
        let chances = chances(graph);
        let mut space = Self {
            graph,
            sources: Vec::new(),
            reads: Vec::new(),
            matters: Vec::new(),
            demands: Vec::new(),
            assumed: FxHashMap::default(),
            slices: Slices::default(),
            asks_for_mbarriers: order.iter().any(|&x| is_about_mbarriers(graph, x)),
            has_mbarriers: graph.events.iter().any(|event| event.marks.mbarrier),
            takers: takers(graph),
            classes: match goal {
                Goal::Related(_) | Goal::Violation(_) => vec![None; graph.agents.len()],
                _ => classes(graph, goal == Goal::AnyViolation),
            },
            first: first_events(graph),
            write_pairs: write_pairs(graph, &writes),
            writes,
            fence_pairs: Rel::empty(graph.events.len()),
            finals: Vec::new(),
            meetings: meetings(graph, goal),
            turns: OrdinalPhases::new(graph),
            may_meet: None,
            order,
            symbols,
            chances,
            independent: true,
            depends: vec![FewEvents::new(); graph.events.len()],
            dependents: vec![FewEvents::new(); graph.events.len()],
            readers: vec![FewEvents::new(); graph.events.len()],
            sets: vec![None; BaseSet::ALL.len()],
            relations: vec![None; BaseRel::ALL.len()],
        };
        for (a, b) in sc_pairs(graph) {
            space.fence_pairs.insert(a, b);
            space.fence_pairs.insert(b, a);
        }
        for &set in &rules.sets {
            space.sets[set.index()] = Some(base_set(graph, set));
        }
        // The value-dependent pairs of conditional relations are added in each execution.
        let by_program = |r: &&BaseRel| r.origin() != Origin::Chosen;
        for &relation in rules.relations.iter().filter(by_program) {
            space.relations[relation.index()] = Some(base_relation(graph, relation));
        }
        if rules.bounds_barriers && space.meetings.as_ref().is_none_or(|ways| ways.len() != 1) {
            space.may_meet = Some(BaseRel::BARRIERS.map(|kind| barrier_pairs(graph, kind)));
        }
        if let Some(thin_air) = &rules.thin_air {
            space.find_dependencies(&thin_air.dependencies);
        }
        space.independent = space.depends.iter().all(|on| on.is_empty());
        space.find_sources();
        space.order_reads(goal);
        space.finals = final_locations(graph);
        space
    }

    /// The number of an event within its thread; events that correspond in interchangeable threads
    /// have the same number. (Positions are not enough: an access through a computed address is one
    /// event for each place that it may have, all at one position.)
    pub(super) fn number_in_thread(&self, event: EventId) -> usize {
        let agent = self.graph.event(event).agent;
        event.index() - self.first[agent.index()].expect("it has this event").index()
    }

    fn find_dependencies(&mut self, dependencies: &[BaseRel]) {
        for &relation in dependencies {
            let Some(pairs) = &self.relations[relation.index()] else { continue };
            for (a, b) in pairs.iter_pairs() {
                self.depends[b.index()].push(a);
                self.dependents[a.index()].push(b);
            }
        }
    }

    fn find_sources(&mut self) {
        let graph = self.graph;
        let guards = Guards::new(graph);
        self.sources = graph
            .ids()
            .map(|id| match graph.event(id).loc {
                Some(loc) if graph.event(id).is_read() => {
                    guards.sources(graph, id, &self.writes[loc.index()])
                }
                _ => FewEvents::new(),
            })
            .collect();
        for read in graph.ids() {
            for &write in &self.sources[read.index()] {
                self.readers[write.index()].push(read);
            }
        }
    }

    /// Orders reads: those that the question depends on come first.
    fn order_reads(&mut self, goal: Goal) {
        let graph = self.graph;
        self.matters = matters(graph, goal);
        let facts;
        (self.demands, self.assumed, facts) = demands(graph, goal);
        let mut reads: Vec<AccessId> = graph
            .ids()
            .filter(|&id| graph.event(id).is_read())
            .map(|id| graph.event(id).access)
            .collect();
        reads.dedup();
        reads.sort_by_key(|&access| !self.matters[access.index()]);
        self.reads = reads;
        if self.reads.len() > SMALL {
            self.slices = Slices::new(graph, &facts);
        }
    }
}

fn write_pairs(graph: &EventGraph, writes: &[Vec<EventId>]) -> Rel {
    let n = graph.events.len();
    let mut out = Rel::empty(n);
    for group in writes {
        let (mut all, mut later) = (EventSet::empty(n), EventSet::empty(n));
        for &write in group {
            all.insert(write);
            if graph.event(write).kind != EventKind::Init {
                later.insert(write);
            }
        }
        all.iter().for_each(|write| out.insert_all(write, &later));
    }
    out
}

fn first_events(graph: &EventGraph) -> Vec<Option<EventId>> {
    let mut out = vec![None; graph.agents.len()];
    for id in graph.ids() {
        out[graph.event(id).agent.index()].get_or_insert(id);
    }
    out
}

/// A value that a read has to return, or must not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ValueDemand {
    Is(u128),
    IsNot(u128),
}

impl ValueDemand {
    /// Whether a value meets the demand.
    pub(super) fn admits(self, value: u128) -> bool {
        match self {
            Self::Is(wanted) => value == wanted,
            Self::IsNot(unwanted) => value != unwanted,
        }
    }
}

/// The relevant accesses, directly or through writes. For a violation, these are its dependencies;
/// otherwise the dependencies of guards, the condition, the filter and shown values.
fn matters(graph: &EventGraph, goal: Goal) -> Vec<bool> {
    let guards = graph.events.iter().map(|e| e.guard).chain(graph.cuts.iter().map(|c| c.guard));
    let violations = graph.violations.iter().map(|v| v.guard);
    let shown = graph.observed.iter().map(|o| o.value).chain([graph.condition, graph.filter]);
    let roots: Vec<ExprId> = match goal {
        Goal::AnyViolation => violations.collect(),
        Goal::Violation(index) => vec![graph.violations[index].guard],
        _ => guards.chain(violations).chain(shown).collect(),
    };
    let mut out = vec![false; graph.accesses.len()];
    let mut seen = vec![false; graph.exprs.len()];
    let mut stack = roots;
    while let Some(x) = stack.pop() {
        if std::mem::replace(&mut seen[x.index()], true) {
            continue;
        }
        stack.extend(graph.exprs.operands(x));
        if let Expr::Barrier(index) = graph.exprs.get(x) {
            stack.extend(graph.barriers[index].exchanged());
            let key = &graph.barriers[index].key;
            let votes = graph.barriers.iter().filter(|op| op.key == *key);
            stack.extend(votes.filter_map(|op| op.operand));
        }
        if let Expr::Read(access) | Expr::Mbarrier(access) = graph.exprs.get(x) {
            out[access.index()] = true;
            // Any value written to the object may be read there.
            let object = graph.access(access).object;
            let written = graph.accesses.iter().filter(|a| a.object == object);
            stack.extend(written.map(|a| a.value));
        }
    }
    out
}

/// The demands of a goal: the demand on every access's value, the implied truth values, and the
/// atomic ones among these.
type Demands = (Vec<Option<ValueDemand>>, FxHashMap<ExprId, bool>, Vec<(ExprId, bool)>);

/// The demands of the goal on the values of reads: equations with constants that all have to hold.
fn demands(graph: &EventGraph, goal: Goal) -> Demands {
    let mut assumed = FxHashMap::default();
    let mut facts = Vec::new();
    let mut out = vec![None; graph.accesses.len()];
    if goal.needs_cut().is_some() {
        return (out, assumed, facts);
    }
    let mut stack = vec![(graph.filter, true)];
    if let Goal::Condition(wanted) = goal {
        stack.push((graph.condition, wanted));
    }
    if let Goal::Violation(index) = goal {
        stack.push((graph.violations[index].guard, true));
    }
    if goal.needs_end(graph) {
        stack.extend(graph.cuts.iter().map(|c| (c.guard, false)));
    }
    while let Some((x, wanted)) = stack.pop() {
        if graph.exprs.constant(x).is_none() {
            assumed.insert(x, wanted);
        }
        match graph.exprs.get(x) {
            Expr::Binary(Binary::And, a, b) if wanted && graph.exprs.width(x) == 1 => {
                stack.extend([(a, true), (b, true)]);
            }
            Expr::Binary(Binary::Or, a, b) if !wanted && graph.exprs.width(x) == 1 => {
                stack.extend([(a, false), (b, false)]);
            }
            Expr::Unary(Unary::Not, a) => stack.push((a, !wanted)),
            Expr::Const(_) => {}
            Expr::Binary(Binary::Eq, a, b) => {
                facts.push((x, wanted));
                if let (Expr::Read(access), Some(value)) =
                    (graph.exprs.get(a), graph.exprs.constant(b))
                {
                    let demand =
                        if wanted { ValueDemand::Is(value) } else { ValueDemand::IsNot(value) };
                    let slot: &mut Option<ValueDemand> = &mut out[access.index()];
                    if wanted || slot.is_none() {
                        *slot = Some(demand);
                    }
                }
            }
            _ => facts.push((x, wanted)),
        }
    }
    (out, assumed, facts)
}

/// The single-piece reads of read-modify-writes, by location.
fn takers(graph: &EventGraph) -> Vec<Vec<EventId>> {
    let mut out = vec![Vec::new(); graph.locations.len()];
    for id in graph.ids() {
        let event = graph.event(id);
        if event.is_read() && event.marks.rmw && graph.access(event.access).pieces.len() == 1 {
            out[event.loc.expect("a read has a location").index()].push(id);
        }
    }
    out
}

/// The ways in which barrier operations meet; `None` if values decide the participants, if there
/// are too many ways, or if threads may be cut by the bound.
fn meetings(graph: &EventGraph, goal: Goal) -> Option<Vec<Generations>> {
    if graph.barriers.is_empty() {
        return Some(vec![TiVec::new()]);
    }
    let fixed = Barriers::fixed(graph)?;
    fixed.assignments().ok().filter(|_| goal != Goal::BoundHit)
}

/// All parts of guards, stored values, the condition and observed values.
fn relevant(graph: &EventGraph) -> Vec<ExprId> {
    let roots = graph
        .events
        .iter()
        .map(|e| e.guard)
        .chain(graph.accesses.iter().map(|a| a.value))
        .chain(graph.cuts.iter().map(|c| c.guard))
        .chain(graph.violations.iter().map(|v| v.guard))
        .chain(
            BaseRel::CONDITIONAL
                .iter()
                .flat_map(|&relation| graph.conditional(relation))
                .map(|pair| pair.when),
        )
        .chain(graph.observed.iter().map(|o| o.value))
        .chain(
            graph
                .barriers
                .iter()
                .flat_map(|b| b.operand.into_iter().chain(b.count()).chain(b.exchanged())),
        )
        .chain([graph.condition, graph.filter]);
    parts(graph, roots.collect())
}

/// The locations whose final values are in the condition, the filter or the observed values.
fn final_locations(graph: &EventGraph) -> Vec<LocId> {
    let shown = graph.observed.iter().map(|o| o.value);
    let parts = parts(graph, shown.chain([graph.condition, graph.filter]).collect());
    let location = |&x: &ExprId| match graph.exprs.get(x) {
        Expr::Final(loc) => Some(loc),
        _ => None,
    };
    let mut out: Vec<LocId> = parts.iter().filter_map(location).collect();
    out.sort_unstable();
    out
}

/// Whether an expression is the question whether a read finds an mbarrier object.
fn is_about_mbarriers(graph: &EventGraph, x: ExprId) -> bool {
    matches!(graph.exprs.get(x), Expr::Mbarrier(_))
}

/// Expressions with all their parts, operands first.
fn parts(graph: &EventGraph, mut roots: Vec<ExprId>) -> Vec<ExprId> {
    let mut needed = vec![false; graph.exprs.len()];
    while let Some(x) = roots.pop() {
        if !std::mem::replace(&mut needed[x.index()], true) {
            roots.extend(graph.exprs.operands(x));
        }
    }
    (0..needed.len()).filter(|&i| needed[i]).map(ExprId::new).collect()
}
